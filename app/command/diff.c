#include "app/command/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/output_file.h"
#include "app/report/report.h"

/* What `pricer diff` was asked for, and what it found. */
struct diff_run {
    struct stored_run nights[2];
    const char *output; /* a file to be written; NULL: none */
    const struct diff_type *type;
    char *text; /* for a person; owned */
    struct changes changes;
    bool differences;
};

/* Kinds of files by their endings; `write` NULL: the page. */
static const struct diff_type {
    const char *end;
    void (*write)(FILE *out, const struct changes *changes);
} types[] = {{".csv", changes_csv}, {".json", changes_json}, {".html", NULL}};

static void write_file(FILE *out, const void *context)
{
    const struct diff_run *run = context;
    if (run->type->write) run->type->write(out, &run->changes);
    else report_changes(out, &run->changes, run->text);
}

static enum status read_output(const char *text, struct diff_run *run, struct message *why)
{
    run->type = NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ends_in(text, types[i].end)) run->type = &types[i];
    if (!run->type)
        return say_why(
            STATUS_BAD_INPUT, why,
            "diff: --output must be a file that ends in .csv, .json or .html, got '%.300s'", text);
    run->output = text;
    return output_file_possible(text, why);
}

static enum status read_arguments(int argc, char **argv, struct diff_run *run, struct message *why)
{
    static const char option[] = "--output=";
    int n = 0;
    for (int i = 0; i < argc; i++) {
        bool is_option = !strncmp(argv[i], option, strlen(option));
        if (is_option) MUST(read_output(argv[i] + strlen(option), run, why));
        else if (!strcmp(argv[i], "-o") && i + 1 < argc) MUST(read_output(argv[++i], run, why));
        else if (n < 2 && argv[i][0] != '-')
            MUST(read_stored_run("diff", argv[i], &run->nights[n++], why));
        else n = 3;
    }
    if (n == 1 || n == 2) return STATUS_OK;
    return say_why(STATUS_BAD_INPUT, why,
                   "diff takes one or two databases: pricer diff "
                   "[--output=FILE.csv|FILE.json|FILE.html] FILE.db[:RUN] [FILE.db[:RUN]]");
}

/* Tells in words, in memory, what changed. */
static enum status write_changes(const struct database *database, struct diff_run *run,
                                 struct message *why)
{
    enum status status = STATUS_OK;
    size_t n;
    FILE *out = open_memstream(&run->text, &n);
    if (!out) return STATUS_NO_MEMORY;
    status = differences_print(out, database, run->nights, &run->differences, why);
    bool failed = ferror(out);
    if (fclose(out) || failed) return status ? status : STATUS_NO_MEMORY;
    return status;
}

/* Writes the text in lines of at most 120 characters, as far as there are blanks to break at. */
static void write_wrapped(FILE *out, const char *text)
{
    enum { LINE = 120, INDENT = 8 };
    int room = LINE;
    while (*text) {
        int n = (int)strcspn(text, "\n"), cut = n > room ? room : n;
        while (cut < n && cut > 0 && text[cut] != ' ') cut--;
        if (cut <= (int)strspn(text, " ")) cut = n; /* one long word */
        fprintf(out, "%.*s\n", cut, text);
        text += cut;
        bool broken = *text == ' ';
        if (*text) text++;
        if (broken) fprintf(out, "%*s", INDENT, "");
        room = broken ? LINE - INDENT : LINE;
    }
}

int diff_runs(int argc, char **argv)
{
    struct message why = {""};
    struct diff_run run = {0};
    struct database database = {0};
    enum status status = STATUS_OK;
    TRY(read_arguments(argc, argv, &run, &why));
    TRY(stored_runs_open(run.nights, &database, &why));
    TRY(write_changes(&database, &run, &why));
    if (run.output) TRY(changes_read(&database, true, &run.changes, &why));
    write_wrapped(stdout, run.text);
    TRY(output_flush_stdout(&why));
    if (run.output) TRY(output_file_write(run.output, write_file, &run, NULL, &why));
done:
    database_close(&database);
    for (int i = 0; i < 2; i++) free(run.nights[i].path);
    free(run.changes.rows);
    free(run.text);
    if (status) return run_failed(status, &why, 0);
    return run.differences ? EXIT_TROUBLE : EXIT_AGREED;
}
