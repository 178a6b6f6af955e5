#define _XOPEN_SOURCE 700
#include "validation/tests/cuda_faults/fault_ways.h"
#include "models/base/stop.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command/options.h"
#include "app/command/run.h"

enum { SECONDS = 100 /* of one run at most */ };

static char folder[] = P_tmpdir "/gpu_faults_test_XXXXXX";
static char results[256], errors[256], table[256];

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t n = file ? getdelim(&text, &room, '\0', file) : -1;
    if (file) fclose(file);
    if (n < 0) free(text);
    return n < 0 ? NULL : text;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file) fputs(text, file), fclose(file);
}

/* Sends a descriptor to a file, and returns what it was before. */
static int send(int descriptor, const char *path)
{
    int before = dup(descriptor), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(to, descriptor);
    close(to);
    return before;
}

static void send_back(int descriptor, int before)
{
    dup2(before, descriptor);
    close(before);
}

static int run_program(const struct way *way)
{
    char output[sizeof results + 16], *argv[WAY_ARGUMENTS + 2] = {(char *)"pricer", output};
    int argc = 2;
    const struct stop stop = {NULL};
    struct options options = {0};
    struct message why = {""};
    snprintf(output, sizeof output, "--output=%s", results);
    for (int i = 0; way->arguments[i]; i++) argv[argc++] = (char *)way->arguments[i];
    enum status status = options_read(argc, argv, &options, &why);
    int code = status ? run_failed(status, &why, 0) : run_command(&options, &stop);
    options_free(&options);
    return code;
}

/* Notes on the book are no reasons. */
static void look_at_errors(struct outcome *outcome)
{
    char *text = text_of(errors), *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (strstr(line, ": note: ")) continue;
        if (!outcome->lines++) snprintf(outcome->line, sizeof outcome->line, "%s", line);
    }
    free(text);
}

static void look_at_results(const struct way *way, struct outcome *outcome)
{
    char *text = text_of(results);
    outcome->results_stay = text && !strcmp(text, "yesterday\n");
    if (outcome->results_stay || !way->digest) outcome->results = text;
    if (outcome->results) return;
    free(text);
    char *said = text_of(table), *digest = said ? strstr(said, "; digest ") : NULL;
    outcome->results = digest ? strdup(digest) : NULL;
    free(said);
}

void run_way(void *context, struct outcome *outcome)
{
    const struct way *way = context;
    write_text(results, "yesterday\n");
    fflush(stdout);
    int out = send(STDOUT_FILENO, table), err = send(STDERR_FILENO, errors);
    alarm(SECONDS);
    outcome->status = run_program(way);
    alarm(0);
    fflush(stdout);
    send_back(STDOUT_FILENO, out);
    send_back(STDERR_FILENO, err);
    look_at_errors(outcome);
    look_at_results(way, outcome);
}

static void hangs(int number)
{
    static const char text[] = "FAILED: a run hangs\n";
    (void)number;
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(2);
    _exit(1);
}

void ways_begin(void)
{
    signal(SIGALRM, hangs);
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1)) exit(2);
    snprintf(results, sizeof results, "%s/results.csv", folder);
    snprintf(errors, sizeof errors, "%s/errors", folder);
    snprintf(table, sizeof table, "%s/table", folder);
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)facts, (void)type, (void)place;
    return remove(path);
}

void ways_end(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
