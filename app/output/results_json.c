#include "app/output/results_json.h"

#include <inttypes.h>

#include "app/output/risk_columns.h"
#include "app/output/risk_json.h"
#include "models/base/clock.h"
#include "models/base/json_text.h"

/* ---- objects --------------------------------------------------------------------------------- */

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
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    int n = 0;
    results_row(results, index, &names, fields);
    putc('{', out);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (fields[c].text) text_member(out, result_columns[c].name, fields[c].text, &n);
        else number_member(out, result_columns[c].name, fields[c].number, &n);
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

/* Writes by which path kernels how many groups of the plan were simulated, and why. */
static void write_routes(FILE *out, const struct manifest *manifest)
{
    putc('[', out);
    for (int i = 0; i < manifest->n_routes; i++) {
        int n = 0;
        fputs(i ? ", {" : "{", out);
        text_member(out, "kernel", manifest->routes[i].route.kernel, &n);
        text_member(out, "why", manifest->routes[i].route.why, &n);
        count_member(out, "groups", (uint64_t)manifest->routes[i].groups, &n);
        putc('}', out);
    }
    putc(']', out);
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
    if (manifest->valuation_date[0])
        text_member(out, "valuation_date", manifest->valuation_date, &n);
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
    key(out, "routes", &n);
    write_routes(out, manifest);
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
