#include "validation/tests/random_script.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validation/tests/dice.h"

/* What is being written. */
struct writer {
    struct dice dice;
    char *text;
    size_t n;
    int indent, depth;     /* of statements, of expressions */
    bool basket;           /* several assets */
    const char *date;      /* of the block; NULL: none, in declarations */
    bool loop;             /* it is a loop variable */
    const char *assets[4]; /* asset variables in scope */
    int n_assets, n_loops; /* loops that were named */
    int n_locals;          /* numbers that this block has assigned */
    bool exercises;
};

static int below(struct writer *writer, int n)
{
    return dice_below(&writer->dice, n);
}

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(writer->text + writer->n, RANDOM_SCRIPT_MOST - writer->n, format, arguments);
    va_end(arguments);
    writer->n += (size_t)n;
    if (writer->n >= RANDOM_SCRIPT_MOST) abort();
}

static void put_flag(struct writer *writer);
static void put_number(struct writer *writer);

/* Writes a text that has %n and %f where numbers and flags stand. */
static void put_parts(struct writer *writer, const char *form)
{
    for (const char *at = form; *at; at++) {
        if (at[0] == '%' && at[1] == 'n') put_number(writer), at++;
        else if (at[0] == '%' && at[1] == 'f') put_flag(writer), at++;
        else put(writer, "%c", *at);
    }
}

/* Writes a number, or a flag, of numbers and flags. */
static void put_form(struct writer *writer, const char *form)
{
    writer->depth++;
    put_parts(writer, form);
    writer->depth--;
}

/* Writes `fold(BODY for x in basket where FLAG)`. */
static void put_fold(struct writer *writer, const char *fold, bool flag)
{
    static const char names[][8] = {"x0", "x1", "x2"};
    bool count = !strcmp(fold, "count"), where = count || below(writer, 3) == 0;
    const char *name = names[writer->n_loops++];
    put(writer, "%s(", fold);
    writer->assets[writer->n_assets++] = name;
    writer->depth++;
    if (count) put(writer, "%s", name);
    else if (flag) put_flag(writer);
    else put_number(writer);
    put(writer, " for %s in basket", name);
    /* of no member min, max are infinite: a sum, a count and flags have a value */
    if (where && (fold[0] == 's' || fold[0] == 'p' || flag || count || !strcmp(fold, "mean"))) {
        put(writer, " where ");
        put_flag(writer);
        if (!strcmp(fold, "mean")) put(writer, " or first(%s)", name); /* of one at least */
    }
    put(writer, ")");
    writer->depth--;
    writer->n_assets--;
    writer->n_loops--;
}

/* Writes the price of an asset as a part of its first, or what else belongs to an asset. */
static void put_of_asset(struct writer *writer)
{
    const char *asset = writer->n_assets ? writer->assets[below(writer, writer->n_assets)] : NULL;
    bool single = !writer->basket;
    const char *name = single ? "s" : asset, *of = single ? "" : "[";
    const char *date = writer->date;
    int kind = below(writer, 8);
    if (!name || !date) {
        put(writer, "k");
        return;
    }
    if (kind == 0) put(writer, "%s(%s) / %s(start)", name, date, name);
    else if (kind == 1 && writer->loop)
        put(writer, "log(%s(%s) / %s(previous(%s, start)))", name, date, name, date);
    else if (kind == 2) put(writer, "weight%s%s%s", of, single ? "" : name, single ? "" : "]");
    else if (kind == 3 && !single) put(writer, "kept[%s]", name);
    else if (kind == 4) put(writer, "%s(%s) / spot(%s)", name, date, name);
    else if (kind == 5) put(writer, "0.013 * %s(%s)", name, date);
    else
        put(writer, "%s(%s) / initial%s%s%s", name, date, of, single ? "" : name,
            single ? "" : "]");
}

static void put_leaf(struct writer *writer)
{
    static const char counts[][10] = {"", ", ACT/360", ", 30/360", ", ACT/ACT"};
    switch (below(writer, 9)) {
    case 0: put(writer, "%d.%d", below(writer, 3), below(writer, 10)); break;
    case 1: put(writer, "k"); break;
    case 2: put(writer, "u"); break;
    case 3:
        if (writer->loop) put(writer, "level[%s]", writer->date);
        else put(writer, "size(first_dates)");
        break;
    case 4:
        if (writer->loop) put(writer, "index(%s)", writer->date);
        else put(writer, "years(start, expiry%s)", counts[below(writer, 4)]);
        break;
    case 5:
        if (writer->n_locals) put(writer, "local%d", below(writer, writer->n_locals));
        else put(writer, "1");
        break;
    default: put_of_asset(writer);
    }
}

static void put_number(struct writer *writer)
{
    static const char *const forms[] = {"(%n + %n)",
                                        "(%n - %n)",
                                        "(%n * %n)",
                                        "(%n / (1 + abs(%n)))",
                                        "min(%n, %n)",
                                        "max(%n, %n)",
                                        "max(%n - %n, 0)",
                                        "(%n if %f else %n)",
                                        "sqrt(0.1 + abs(%n))",
                                        "log(0.1 + abs(%n))",
                                        "exp(min(%n, 2))",
                                        "normal(%n)",
                                        "-%n",
                                        "(%n) ^ 2",
                                        "(0.5 + abs(%n)) ^ 0.3",
                                        "(0.5 + abs(%n)) ^ -2",
                                        "1.1 ^ min(%n, 3)"};
    static const char *const folds[] = {"sum", "product", "min", "max", "mean", "count"};
    if (writer->depth > 4 || below(writer, 3) == 0) put_leaf(writer);
    else if (writer->basket && writer->n_loops < 2 && below(writer, 3) == 0)
        put_fold(writer, folds[below(writer, 6)], false);
    else put_form(writer, forms[below(writer, (int)(sizeof forms / sizeof forms[0]))]);
}

static void put_flag(struct writer *writer)
{
    static const char *const forms[] = {"%n < %n",    "%n <= %n",           "%n > %n",
                                        "%n >= %n",   "(%f and %f)",        "(%f or %f)",
                                        "(not (%f))", "(%f if %f else %f)", "(%n >= k)"};
    static const char *const leaves[] = {"hit", "shown", "side == up", "k > 1", "%n != %n"};
    int kind = below(writer, 16);
    if (kind < 3 && writer->basket && writer->n_loops < 2 && writer->depth < 4) {
        put_fold(writer, kind == 1 ? "any" : "all", true);
        return;
    }
    bool leaf = kind < 7 || writer->depth > 4;
    put(writer, "(");
    put_form(writer, leaf ? leaves[below(writer, writer->depth > 4 ? 4 : 5)]
                          : forms[below(writer, (int)(sizeof forms / sizeof forms[0]))]);
    put(writer, ")");
}

/* ---- statements */

static void put_line(struct writer *writer, const char *form)
{
    put(writer, "%*s", 2 * writer->indent, "");
    put_parts(writer, form);
    put(writer, "\n");
}

static void put_block(struct writer *writer, int most);

static void put_if(struct writer *writer)
{
    put_line(writer, "if %f");
    put_block(writer, 2);
    if (below(writer, 3) == 0) {
        put_line(writer, "else if %f");
        put_block(writer, 1);
    }
    if (below(writer, 2)) {
        put_line(writer, "else");
        put_block(writer, 2);
    }
}

static void put_for(struct writer *writer)
{
    put_line(writer, "for b in basket");
    writer->assets[writer->n_assets++] = "b";
    writer->indent++;
    put_line(writer, "kept[b] = %n");
    writer->indent--;
    if (below(writer, 2)) put_block(writer, 1);
    writer->n_assets--;
}

/* Writes a statement; false behind which nothing runs. */
static bool put_statement(struct writer *writer)
{
    int kind = below(writer, 12);
    bool nested = writer->indent > 2;
    if (kind < 2 && writer->indent < 4) put_if(writer);
    else if (kind == 2 && writer->basket && !writer->n_assets) put_for(writer);
    else if (kind == 3) put_line(writer, "hit = %f");
    else if (kind < 6) put_line(writer, "u = %n");
    else if (kind == 6 && nested) put_line(writer, "stop");
    else if (kind == 7 && writer->exercises && !writer->n_assets && writer->loop)
        put_line(writer, below(writer, 2) ? "exercise holder pays %n" : "exercise issuer pays %n");
    else {
        put(writer, "%*spay ", 2 * writer->indent, "");
        put_number(writer);
        int when = below(writer, 5);
        put(writer, when == 0 ? " at expiry\n" : when < 3 && writer->loop ? " at paid[t]\n" : "\n");
    }
    return kind != 6 || !nested;
}

static void put_block(struct writer *writer, int most)
{
    writer->indent++;
    for (int i = below(writer, most) + 1; i > 0 && put_statement(writer); i--) continue;
    writer->indent--;
}

/* A block of dates: numbers of its own first. */
static void put_dated(struct writer *writer, const char *header, const char *date, bool loop)
{
    put(writer, "  %s\n", header);
    writer->date = date;
    writer->loop = loop;
    writer->n_locals = 0;
    writer->indent = 2;
    for (int i = below(writer, 3); i > 0; i--) {
        put(writer, "    local%d = ", writer->n_locals);
        put_number(writer);
        put(writer, "\n");
        writer->n_locals++;
    }
    writer->indent = 1;
    put_block(writer, 4);
}

void random_script(uint64_t seed, char *text)
{
    struct writer writer = {.dice = {.state = seed}, .text = text};
    writer.basket = below(&writer, 4) > 0;
    writer.exercises = below(&writer, 4) == 0;
    const char *over = writer.basket ? "[basket]" : "";
    put(&writer, "# Pays what the dice said.\n");
    put(&writer,
        "product by_chance(%s; dates first_dates, later_dates; date start, expiry,\n"
        "    paid[first_dates];",
        writer.basket ? "assets basket" : "asset s");
    put(&writer, " number k, weight%s, initial%s = spot, level[first_dates] = 1;\n", over, over);
    put(&writer, "    flag shown; choice side(up | down) = up; money notional = 10)\n");
    put(&writer, "  number u = %s\n", below(&writer, 2) ? "k" : "0");
    put(&writer, "  flag hit = %s\n", below(&writer, 2) ? "shown" : "false");
    if (writer.basket) put(&writer, "  number kept[basket] = %d\n", below(&writer, 2));
    put_dated(&writer, "each t in first_dates", "t", true);
    if (below(&writer, 2)) put_dated(&writer, "each r in later_dates", "r", false);
    put_dated(&writer, "at expiry", "expiry", false);
    put_parts(&writer, "    pay notional * %n\n");
}

/* ---- bindings */

static double between(struct writer *writer, double a, double b)
{
    return a + (b - a) * (below(writer, 1 << 20) + 0.5) * 0x1p-20;
}

static enum status give_values(struct bound *bound, int n)
{
    bound->n = n;
    bound->values = calloc((size_t)n + 1, sizeof *bound->values);
    return bound->values ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Gives a day of payment for each of some dates: it, or a day up to `last`. */
static enum status give_paid(struct writer *writer, struct bound *bound, const struct bound *dates,
                             int last)
{
    if (give_values(bound, dates->n) != STATUS_OK) return STATUS_NO_MEMORY;
    for (int i = 0; i < dates->n; i++) {
        int day = (int)lround(365.0 * dates->values[i]);
        bound->values[i] = (day + below(writer, last - day + 1)) / 365.0;
    }
    return STATUS_OK;
}

/* Increasing dates of whole days between two days, and the closes of those that have passed. */
static enum status give_dates(struct writer *writer, struct bound *bound, int n, int from, int to)
{
    if (give_values(bound, n) != STATUS_OK) return STATUS_NO_MEMORY;
    bound->closes = calloc((size_t)(n * 4) + 1, sizeof *bound->closes);
    if (!bound->closes) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        int low = from + (to - from) * i / n, high = from + (to - from) * (i + 1) / n;
        bound->values[i] = (low + below(writer, high - low)) / 365.0;
    }
    for (int i = 0; i < 4 * n; i++) bound->closes[i] = between(writer, 70.0, 130.0);
    return STATUS_OK;
}

enum status random_binding(uint64_t seed, const struct script *script, bool past,
                           struct binding *binding)
{
    struct writer dice = {.dice = {.state = seed ^ 0x5bf0a8b1}}, *writer = &dice;
    const struct script_symbol *symbols = script->symbols;
    int days = 200 + below(writer, 800), before = past ? -300 : 20;
    *binding = (struct binding){.script = script, .day = 20000 + (long)(seed % 1000)};
    binding->bound = calloc((size_t)script->n_parameters, sizeof *binding->bound);
    if (!binding->bound) return STATUS_NO_MEMORY;
    bool several = script->asset >= 0 && symbols[script->asset].kind == SYMBOL_ASSETS;
    binding->n_assets = several ? 1 + below(writer, 4) : 1;
    for (int pass = 0; pass < 2; pass++) /* lists first: others are over them */
        for (int i = 0; i < script->n_parameters; i++) {
            struct bound *bound = &binding->bound[i];
            const struct script_symbol *symbol = &symbols[i];
            enum status status = STATUS_OK;
            bool start = !strcmp(symbol->name, "start"), expiry = i == script->expiry;
            bool date = symbol->kind == SYMBOL_DATE || symbol->kind == SYMBOL_DATES,
                 list = (symbol->type == VALUE_ASSET || date) && symbol->over < 0;
            if (list != !pass) continue;
            if (symbol->kind == SYMBOL_ASSET || symbol->kind == SYMBOL_ASSETS)
                bound->n = binding->n_assets;
            else if (symbol->kind == SYMBOL_DATES)
                status = give_dates(writer, bound, 1 + below(writer, 8), before, days);
            else if (list)
                status = start    ? give_dates(writer, bound, 1, before - 15, before)
                         : expiry ? give_dates(writer, bound, 1, days, days + 1)
                                  : give_dates(writer, bound, 1, 20, days);
            else if (date) status = give_paid(writer, bound, &binding->bound[symbol->over], days);
            else status = give_values(bound, symbol->over < 0 ? 1 : binding->bound[symbol->over].n);
            if (status != STATUS_OK) return status;
            for (int k = 0; k < bound->n && pass && !date; k++) {
                double price =
                    symbol->fallback_spot || strstr(symbol->name, "strike") ? 100.0 : 1.0;
                double x = price * between(writer, 0.6, 1.4);
                if (symbol->kind == SYMBOL_FLAG) x = below(writer, 2);
                if (symbol->kind == SYMBOL_CHOICE) x = below(writer, symbol->n_words);
                if (symbol->fallback_spot && !past && below(writer, 2)) x = NAN;
                bound->values[k] = x;
            }
        }
    return STATUS_OK;
}
