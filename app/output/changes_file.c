#include "app/output/changes.h"
#include "app/output/results_file.h"
#include "models/base/json_text.h"

void changes_csv(FILE *out, const struct changes *changes)
{
    fputs("by,of,factor,converted,currency", out);
    for (int i = 0; i < N_CHANGE_NUMBERS; i++) fprintf(out, ",%s", change_names[i]);
    putc('\n', out);
    for (int r = 0; r < changes->n; r++) {
        const struct change_row *row = &changes->rows[r];
        csv_text(out, row->way);
        putc(',', out);
        csv_text(out, row->of);
        putc(',', out);
        csv_text(out, row->factor);
        fputs(row->converted ? ",true," : ",false,", out);
        csv_text(out, row->currency);
        for (int i = 0; i < N_CHANGE_NUMBERS; i++) {
            putc(',', out);
            csv_number(out, row->numbers[i]);
        }
        putc('\n', out);
    }
}

void changes_json(FILE *out, const struct changes *changes)
{
    fputs("{\"schema_version\": 1, \"changes\": [", out);
    for (int r = 0; r < changes->n; r++) {
        const struct change_row *row = &changes->rows[r];
        fputs(r ? ",\n" : "\n", out);
        json_print(out, "{'by': %s, 'of': %s, 'factor': %s", row->way, row->of, row->factor);
        json_print(out, row->converted ? ", 'converted': true" : ", 'converted': false");
        json_print(out, ", 'currency': %s", row->currency);
        json_numbers(out, N_CHANGE_NUMBERS, change_names, row->numbers);
        putc('}', out);
    }
    fputs("\n]}\n", out);
}
