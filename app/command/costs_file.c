#include "app/command/costs_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/output/output_file.h"

enum { PATH_ROOM = 1024, DEVICE_ROOM = 160, LINE_ROOM = 320 };

/* ---- the place ------------------------------------------------------------------------------- */

/* The folder of caches; false where there is none. */
static bool cache_home(char *folder, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (cache && cache[0] == '/') length = snprintf(folder, size, "%s", cache);
    else if (home && home[0] == '/') length = snprintf(folder, size, "%s/.cache", home);
    return length > 0 && (size_t)length < size;
}

bool costs_path(const char *device, char *path, size_t size)
{
    char folder[PATH_ROOM];
    if (!cache_home(folder, sizeof folder)) return false;
    int length = snprintf(path, size, "%s/pricer/costs-%s.txt", folder, device);
    if ((size_t)length >= size) return false;
    for (char *c = path + strlen(folder) + strlen("/pricer/"); *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.') *c = '-';
    return true;
}

/* Makes the file's folder, and the one that it is in. */
static void make_folders(const char *path)
{
    char folder[PATH_ROOM];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) return;
    char *last = strrchr(folder, '/');
    if (!last) return;
    *last = '\0';
    char *before = strrchr(folder, '/');
    if (!before || before == folder) return;
    *before = '\0';
    mkdir(folder, 0700);
    *before = '/';
    mkdir(folder, 0700);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The first line: whose costs these are. */
static void heading(const char *device, char *line, size_t size)
{
    snprintf(line, size, "pricer %s %s: seconds on %s\n", PRICER_VERSION, PRICER_COMMIT, device);
}

/* "KERNEL COST SECONDS"; false where the line is anything else. */
static bool read_line(const char *line, struct costs *costs)
{
    char kernel[32], cost[32];
    double seconds;
    if (sscanf(line, "%31s %31s %lf", kernel, cost, &seconds) != 3) return false;
    if (!(seconds >= 0.0 && seconds < 1.0)) return false;
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int c = 0; c < N_COSTS; c++)
            if (!strcmp(kernel, candidate_kernels[k]) && !strcmp(cost, cost_names[c])) {
                costs->seconds[k][c] = seconds;
                return true;
            }
    return false;
}

static bool is_complete(const struct costs *costs)
{
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int c = 0; c < N_COSTS; c++)
            if (isnan(costs->seconds[k][c])) return false;
    return true;
}

bool costs_read(const char *path, const char *device, struct costs *costs)
{
    char line[LINE_ROOM], expected[LINE_ROOM];
    struct costs found;
    FILE *file = fopen(path, "r");
    if (!file) return false;
    heading(device, expected, sizeof expected);
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int c = 0; c < N_COSTS; c++) found.seconds[k][c] = NAN;
    bool right = fgets(line, sizeof line, file) && !strcmp(line, expected);
    while (right && fgets(line, sizeof line, file)) right = read_line(line, &found);
    right = right && !ferror(file) && is_complete(&found);
    fclose(file);
    if (right) *costs = found;
    return right;
}

bool costs_write(const char *path, const char *device, const struct costs *costs)
{
    struct output_file file = {0};
    struct message why = {""};
    char line[LINE_ROOM];
    make_folders(path);
    if (output_file_begin(path, &file, &why)) return false;
    heading(device, line, sizeof line);
    fputs(line, file.stream);
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int c = 0; c < N_COSTS; c++)
            fprintf(file.stream, "%s %s %.17g\n", candidate_kernels[k], cost_names[c],
                    costs->seconds[k][c]);
    enum status status = output_file_commit(&file, &why);
    output_file_abandon(&file);
    return !status;
}

/* ---- what a run uses ------------------------------------------------------------------------- */

void costs_find(const struct engine *engine, const struct engine_options *options,
                const struct plan *plan, struct costs *costs)
{
    char device[DEVICE_ROOM], path[PATH_ROOM];
    struct message why = {""};
    *costs = costs_built_in;
    if (!engine->identify || strcmp(options->kernel, "auto")) return;
    if (costs_predict(costs, 0, plan) < MEASURED_FROM) return;
    if (engine->identify(options, device, sizeof device, &why)) return;
    bool kept = costs_path(device, path, sizeof path);
    if (kept && costs_read(path, device, costs)) return;
    if (!costs_measure(engine, options, costs, &why) && kept) costs_write(path, device, costs);
}
