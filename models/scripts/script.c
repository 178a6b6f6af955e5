#include "models/scripts/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/scripts/reading.h"

enum status script_read(const char *text, size_t length, struct script *script,
                        struct script_errors *errors)
{
    struct reading reading = {.script = script, .errors = errors};
    errors->n = 0;
    *script = (struct script){.first = -1, .asset = -1, .expiry = -1};
    if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) {
        text += 3; /* a byte order mark */
        length -= 3;
    }
    if (length > SCRIPT_TEXT_MOST) {
        reading_limit(&reading, (struct script_place){1, 1}, SCRIPT_TEXT_MOST, "bytes");
        return reading.status;
    }
    script->text = malloc(length + 1);
    if (!script->text) return STATUS_NO_MEMORY;
    memcpy(script->text, text, length);
    script->text[length] = '\0';
    reading.length = (int)length;
    reading_tokens(&reading);
    reading.lost = false;
    if (!reading.status) read_header(&reading);
    if (!reading.status && !reading.lost) read_body(&reading);
    free(reading.tokens);
    if (!reading.status && errors->n) reading.status = STATUS_FAILED;
    if (reading.status) script_free(script);
    return reading.status;
}

void script_free(struct script *script)
{
    free(script->text);
    free(script->symbols);
    free(script->words);
    free(script->expressions);
    free(script->statements);
    *script = (struct script){.first = -1, .asset = -1, .expiry = -1};
}

double binding_largest(const struct binding *binding, bool money)
{
    double most = 0.0;
    for (int i = 0; binding->script && i < binding->script->n_parameters; i++) {
        const struct script_symbol *symbol = &binding->script->symbols[i];
        if (symbol->kind != SYMBOL_NUMBER || symbol->money != money) continue;
        for (int k = 0; k < binding->bound[i].n; k++) {
            double size = fabs(binding->bound[i].values[k]);
            if (size < HUGE_VAL) most = fmax(most, size);
        }
    }
    return most;
}

void binding_free(struct binding *binding)
{
    for (int i = 0; binding->bound && i < binding->script->n_parameters; i++) {
        free(binding->bound[i].values);
        free(binding->bound[i].closes);
    }
    free(binding->bound);
    *binding = (struct binding){0};
}
