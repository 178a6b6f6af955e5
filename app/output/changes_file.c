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
        int n = 0;
        fputs(r ? ",\n{" : "\n{", out);
        json_text_member(out, "by", row->way, &n);
        json_text_member(out, "of", row->of, &n);
        json_text_member(out, "factor", row->factor, &n);
        json_key(out, "converted", &n);
        fputs(row->converted ? "true" : "false", out);
        json_text_member(out, "currency", row->currency, &n);
        for (int i = 0; i < N_CHANGE_NUMBERS; i++)
            json_number_member(out, change_names[i], row->numbers[i], &n);
        putc('}', out);
    }
    fputs("\n]}\n", out);
}
