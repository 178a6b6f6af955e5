#include "app/command/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/database/stored_runs.h"
#include "app/command/run.h"

/* Reads FILE.db or FILE.db:RUN. */
static enum status read_night(const char *text, struct stored_run *night, struct message *why)
{
    const char *colon = strrchr(text, ':');
    size_t length = strlen(text);
    if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
        strlen(colon) < 16) {
        length = (size_t)(colon - text);
        night->run = strtoll(colon + 1, NULL, 10);
    }
    if (length < 4 || strncmp(text + length - 3, ".db", 3) || (colon && night->run < 1)) {
        snprintf(why->text, sizeof why->text, "diff: FILE.db or FILE.db:RUN, got '%.300s'", text);
        return STATUS_BAD_INPUT;
    }
    night->path = strndup(text, length);
    return night->path ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status read_nights(int argc, char **argv, struct stored_run nights[2],
                               struct message *why)
{
    enum status status = STATUS_OK;
    if (argc < 1 || argc > 2) {
        snprintf(why->text, sizeof why->text,
                 "diff takes one or two databases: pricer diff FILE.db[:RUN] [FILE.db[:RUN]]");
        return STATUS_BAD_INPUT;
    }
    for (int i = 0; i < argc; i++) TRY(read_night(argv[i], &nights[i], why));
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
    TRY(read_nights(argc, argv, nights, &why));
    TRY(stored_runs_open(nights, &database, &why));
    TRY(differences_print(&database, nights, &differences, &why));
done:
    database_close(&database);
    free(nights[0].path);
    free(nights[1].path);
    if (status) return run_failed(status, &why, 0);
    return differences ? EXIT_TROUBLE : EXIT_AGREED;
}
