#include "app/output/results_file.h"

#include <stdio.h>
#include <string.h>

#include "app/output/results_csv.h"
#include "app/output/output_file.h"
#include "models/base/stop.h"

struct type {
    const char *extension;
    void (*write)(FILE *out, const struct results *results);
};

static const struct type types[] = {{".csv", csv_write}, {".json", json_write}};

static const struct type *type_of(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
               *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot != name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(dot, types[i].extension)) return &types[i];
    return NULL;
}

enum status output_check(const char *path, struct message *why)
{
    const struct type *type = type_of(path);
    if (type) return output_file_possible(path, why);
    snprintf(why->text, sizeof why->text, "--output: '%.400s' must end in .csv or .json", path);
    return STATUS_BAD_INPUT;
}

enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why)
{
    enum status status = STATUS_OK;
    struct output_file file = {0};
    TRY(output_file_begin(path, &file, why));
    type_of(path)->write(file.stream, results);
    if (asked_to_stop(stop)) TRY(STATUS_INTERRUPTED);
    TRY(output_file_commit(&file, why));
done:
    output_file_abandon(&file);
    return status;
}
