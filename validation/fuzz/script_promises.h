/* What the reader of scripts promises of any bytes; the process ends where it does not hold. */
#ifndef PRICER_VALIDATION_FUZZ_SCRIPT_PROMISES_H
#define PRICER_VALIDATION_FUZZ_SCRIPT_PROMISES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/text.h"
#include "models/scripts/script.h"

static inline void must(bool holds)
{
    if (!holds) abort();
}

static inline void must_be_shown(const char *line)
{
    must(*line);
    for (int n; *line; line += n) must((n = text_character(line)) > 0);
}

/* Children come before their parents, so that the tree is one; what a kind needs is there. */
static inline void must_be_expression(const struct script *script, int i, int *heights)
{
    const struct script_expression *e = &script->expressions[i];
    const int children[] = {e->a, e->b, e->c, e->d};
    must(e->kind <= EXPRESSION_SURVIVES && e->type <= VALUE_ASSET && !isnan(e->number));
    must(e->symbol >= -1 && e->symbol < script->n_symbols);
    heights[i] = 1;
    for (int k = 0; k < 4; k++) {
        must(children[k] >= -1 && children[k] < i);
        if (children[k] >= 0 && heights[children[k]] >= heights[i])
            heights[i] = heights[children[k]] + 1;
    }
    must(heights[i] <= SCRIPT_TERMS_MOST);
    switch (e->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_FLAG: must(e->symbol < 0 && e->a < 0); break;
    case EXPRESSION_SYMBOL: must(e->symbol >= 0 && e->a < 0); break;
    case EXPRESSION_ELEMENT:
        must(e->symbol >= 0 && script->symbols[e->symbol].over >= 0 &&
             script->symbols[e->symbol].kind != SYMBOL_LOOP && e->a >= 0);
        break;
    case EXPRESSION_COUNT:
    case EXPRESSION_SIZE: must(e->symbol >= 0 && e->a < 0); break;
    case EXPRESSION_SPOT:
    case EXPRESSION_HIGHEST:
    case EXPRESSION_LOWEST:
        must(script->expressions[e->a].type == VALUE_ASSET &&
             script->expressions[e->b].type == VALUE_DATE);
        break;
    case EXPRESSION_SURVIVES: must(e->a >= 0 && e->d >= 0 && (e->b >= 0 || e->c >= 0)); break;
    case EXPRESSION_IF: must(e->a >= 0 && e->b >= 0 && e->c >= 0); break;
    default: must(e->a >= 0);
    }
}

static inline int must_be_block(const struct script *script, int i, int depth)
{
    int n = 0;
    must(depth <= SCRIPT_DEPTH_MOST + 1 && i < script->n_statements);
    for (; i >= 0; i = script->statements[i].next, n++) {
        const struct script_statement *s = &script->statements[i];
        const int nodes[] = {s->subscript, s->value, s->date};
        must(n <= script->n_statements && s->next < script->n_statements);
        must(s->symbol >= -1 && s->symbol < script->n_symbols);
        for (int k = 0; k < 3; k++) must(nodes[k] >= -1 && nodes[k] < script->n_expressions);
        bool outermost = s->kind == STATEMENT_EACH || s->kind == STATEMENT_AT;
        must(s->kind == STATEMENT_ASSIGN || outermost == (depth == 0));
        n += must_be_block(script, s->body, depth + 1);
        n += must_be_block(script, s->otherwise, depth + 1);
    }
    return n;
}

/* Reads the bytes and looks at all that comes of them. */
static inline enum status script_must_hold(const char *text, size_t length)
{
    static struct script script;
    static struct script_errors errors;
    enum status status = script_read(text, length, &script, &errors);
    must(status == STATUS_OK ? errors.n == 0 && script.text
                             : status == STATUS_FAILED && errors.n > 0 && !script.text);
    for (int i = 0; i < errors.n; i++) {
        must(errors.list[i].place.line >= 1 && errors.list[i].place.column >= 1);
        must_be_shown(errors.list[i].text);
    }
    if (status) return status;
    int *heights = malloc(((size_t)script.n_expressions + 1) * sizeof *heights);
    must(heights);
    for (int i = 0; i < script.n_expressions; i++) must_be_expression(&script, i, heights);
    free(heights);
    must(must_be_block(&script, script.first, 0) == script.n_statements);
    must(script.expiry >= 0 && script.n_parameters <= SCRIPT_PARAMETERS_MOST);
    for (int i = 0; i < script.n_symbols; i++) {
        must(script.symbols[i].type <= VALUE_ASSET && script.symbols[i].over < script.n_parameters);
        must((script.symbols[i].kind < SYMBOL_STATE) == (i < script.n_parameters));
    }
    script_free(&script);
    return status;
}

#endif
