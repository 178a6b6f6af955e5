#include "app/command/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/database/stored_runs.h"
#include "app/command/run.h"

enum status read_stored_run(const char *whose, const char *text, struct stored_run *night,
                            struct message *why)
{
    const char *colon = strrchr(text, ':');
    size_t length = strlen(text);
    if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
        strlen(colon) < 16) {
        length = (size_t)(colon - text);
        night->run = strtoll(colon + 1, NULL, 10);
    }
    if (length < 4 || strncmp(text + length - 3, ".db", 3) || (colon && night->run < 1)) {
        snprintf(why->text, sizeof why->text, "%s: FILE.db or FILE.db:RUN, got '%.300s'", whose,
                 text);
        return STATUS_BAD_INPUT;
    }
    night->path = strndup(text, length);
    return night->path ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Reads the arguments: databases, and a file to be written, *output. */
static enum status read_arguments(int argc, char **argv, struct stored_run nights[2],
                                  const char **output, struct message *why)
{
    static const char option[] = "--output=";
    enum status status = STATUS_OK;
    int n = 0;
    for (int i = 0; i < argc; i++) {
        bool is_option = !strncmp(argv[i], option, strlen(option));
        if (is_option) *output = argv[i] + strlen(option);
        else if (!strcmp(argv[i], "-o") && i + 1 < argc) *output = argv[++i];
        else if (n < 2 && argv[i][0] != '-')
            TRY(read_stored_run("diff", argv[i], &nights[n++], why));
        else n = 3;
    }
    if (n == 1 || n == 2) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "diff takes one or two databases: pricer diff [--output=FILE.csv|FILE.json] "
             "FILE.db[:RUN] [FILE.db[:RUN]]");
    status = STATUS_BAD_INPUT;
done:
    return status;
}

int diff_runs(int argc, char **argv)
{
    struct message why = {""};
    struct stored_run nights[2] = {{0}};
    struct database database = {0};
    bool differences = false;
    enum status status = STATUS_OK;
    const char *output = NULL;
    TRY(read_arguments(argc, argv, nights, &output, &why));
    TRY(stored_runs_open(nights, &database, &why));
    TRY(differences_print(&database, nights, &differences, &why));
    if (output) TRY(explained_write(&database, output, &why));
done:
    database_close(&database);
    free(nights[0].path);
    free(nights[1].path);
    if (status) return run_failed(status, &why, 0);
    return differences ? EXIT_TROUBLE : EXIT_AGREED;
}
