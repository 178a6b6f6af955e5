#include "app/output/json.h"

#include <inttypes.h>
#include <math.h>

#include "app/output/risk_columns.h"
#include "app/output/risk_json.h"
#include "app/progress.h"

/* ---- values -------------------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at `text`, 0 where it is none (overlong forms and surrogates are none). */
static int utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte, and of the second */
        int length;
    } forms[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                 {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (text[0] < 0x80) return 1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last) continue;
        if (text[1] < forms[i].low || text[1] > forms[i].high) return 0;
        for (int k = 2; k < forms[i].length; k++)
            if ((text[k] & 0xc0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

void json_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    putc('"', out);
    while (*at) {
        int length = utf8_length(at);
        if (*at == '"' || *at == '\\') fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f) fprintf(out, "\\u%04x", *at);
        else if (!length) fputs("\\ufffd", out);
        else fwrite(at, 1, (size_t)length, out);
        at += length ? length : 1;
    }
    putc('"', out);
}

void json_number(FILE *out, double number)
{
    if (isfinite(number)) fprintf(out, "%.17g", number);
    else fputs("null", out);
}

/* ---- objects ------------------------------------------------------------------------------------------- */

static void key(FILE *out, const char *name, int *n)
{
    fputs((*n)++ ? ", " : "", out);
    json_text(out, name);
    fputs(": ", out);
}

static void text_member(FILE *out, const char *name, const char *text, int *n)
{
    key(out, name, n);
    json_text(out, text);
}

static void count_member(FILE *out, const char *name, uint64_t count, int *n)
{
    key(out, name, n);
    fprintf(out, "%" PRIu64, count);
}

static void number_member(FILE *out, const char *name, double number, int *n)
{
    key(out, name, n);
    json_number(out, number);
}

static void digest_member(FILE *out, const char *name, uint64_t digest, int *n)
{
    key(out, name, n);
    fprintf(out, "\"%016" PRIx64 "\"", digest);
}

static void write_trade(FILE *out, const struct results *results, int index)
{
    struct field fields[N_COLUMNS];
    struct joined_names names;
    int n = 0;
    results_row(results, index, &names, fields);
    putc('{', out);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (fields[c].text) text_member(out, column_names[c], fields[c].text, &n);
        else number_member(out, column_names[c], fields[c].number, &n);
    }
    for (int c = 0; c < risk_columns(results->risk); c++) {
        char name[RISK_NAME_ROOM];
        double number = risk_column_value(results->risk, c, index);
        risk_column_name(results->risk, c, name);
        if (!isnan(number)) number_member(out, name, number, &n);
    }
    putc('}', out);
}

static void write_seconds(FILE *out, const struct phases *phases)
{
    int n = 0;
    fputs("{", out);
    number_member(out, "load", phases->load, &n);
    number_member(out, "plan", phases->plan, &n);
    number_member(out, "start", phases->start, &n);
    number_member(out, "price", phases->price, &n);
    number_member(out, "gpu_busy", phases->gpu_busy, &n);
    number_member(out, "check", phases->check, &n);
    number_member(out, "risk", phases->risk, &n);
    number_member(out, "output", seconds_now() - phases->output_began, &n);
    fputs("}", out);
}

/* How many trades have which status. */
static void write_counts(FILE *out, const struct results *results)
{
    int counts[N_VERDICTS], n = 0;
    results_count(results, counts);
    putc('{', out);
    for (int v = 0; v < N_VERDICTS; v++)
        count_member(out, verdict_name((enum verdict)v), (uint64_t)counts[v], &n);
    putc('}', out);
}

static void write_manifest(FILE *out, const struct results *results)
{
    const struct manifest *manifest = &results->manifest;
    int n = 0;
    putc('{', out);
    text_member(out, "version", PRICER_VERSION, &n);
    text_member(out, "git_commit", PRICER_COMMIT, &n);
    text_member(out, "book", manifest->book, &n);
    text_member(out, "book_name", manifest->book_name, &n);
    if (manifest->valuation_date[0]) text_member(out, "valuation_date", manifest->valuation_date, &n);
    count_member(out, "seed", manifest->seed, &n);
    count_member(out, "paths", manifest->paths, &n);
    count_member(out, "path_steps", manifest->path_steps, &n);
    key(out, "statuses", &n);
    write_counts(out, results);
    digest_member(out, "plan_digest", manifest->plan_digest, &n);
    digest_member(out, "results_digest", manifest->results_digest, &n);
    text_member(out, "engine", manifest->engine, &n);
    text_member(out, "device", manifest->device, &n);
    text_member(out, "kernel", manifest->kernel, &n);
    count_member(out, "threads", (uint64_t)manifest->threads, &n);
    key(out, "seconds", &n);
    write_seconds(out, &manifest->phases);
    putc('}', out);
}

void json_write(FILE *out, const struct results *results)
{
    fputs("{\"trades\": [", out);
    for (int i = 0; i < results->n && !ferror(out); i++) {
        fputs(i ? ",\n" : "\n", out);
        write_trade(out, results, i);
    }
    fputs("\n],\n", out);
    if (results->risk) {
        fputs("\"risk\": ", out);
        risk_json_write(out, results);
        fputs(",\n", out);
    }
    fputs("\"manifest\": ", out);
    write_manifest(out, results);
    fputs("}\n", out);
}
