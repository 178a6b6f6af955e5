#include "app/output/results_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/output/output_file.h"

/* A kind of file, by the ending of its name. */
struct type {
    const char *extension;
    void (*write)(FILE *out, const struct results *results);
};

/* What goes into a file: results as a type has them, or where that is NULL one of their tables. */
struct content {
    const struct results *results;
    const struct type *type;
    enum result_table_kind kind;
};

static const struct type types[] = {{".csv", csv_write}, {".json", json_write}};

static const struct type *type_of(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
               *dot = strrchr(name, '.');
    if (!strcmp(path, "-")) return &types[0];
    for (size_t i = 0; dot && dot != name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(dot, types[i].extension)) return &types[i];
    return NULL;
}

bool output_is_stdout(const char *path)
{
    return !strcmp(path, "-") || !strcmp(path, "-.csv") || !strcmp(path, "-.json");
}

bool output_is_folder(const char *path)
{
    return path[0] && path[strlen(path) - 1] == '/';
}

bool long_file_name(const char *folder, int kind, char path[PATH_ROOM])
{
    return snprintf(path, PATH_ROOM, "%s%s.csv", folder, result_table_forms[kind].name) < PATH_ROOM;
}

/* Does the same. STATUS_FILE and one line where the name is too long. */
static enum status name_in(const char *folder, int kind, char path[PATH_ROOM], struct message *why)
{
    if (long_file_name(folder, kind, path)) return STATUS_OK;
    return say_why(STATUS_FILE, why, "--output: the name of %.300s is too long", folder);
}

/* Makes the folder, where it is not there, and finds out whether all its files can be written. */
static enum status check_folder(const char *folder, struct message *why)
{
    enum status status = STATUS_OK;
    char path[PATH_ROOM];
    TRY(output_folder_make(folder, why));
    for (int i = 0; i < N_LONG_FILES; i++) {
        TRY(name_in(folder, i, path, why));
        TRY(output_file_possible(path, why));
    }
done:
    return status;
}

enum status output_check(const char *path, struct message *why)
{
    if (output_is_folder(path)) return check_folder(path, why);
    const struct type *type = type_of(path);
    if (type) return output_is_stdout(path) ? STATUS_OK : output_file_possible(path, why);
    return say_why(STATUS_BAD_INPUT, why, "--output: '%.400s' must end in .csv, .json or /", path);
}

static void write_file(FILE *out, const void *context)
{
    const struct content *content = context;
    if (content->type) content->type->write(out, content->results);
    else long_csv_write(out, content->results, content->kind);
}

enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why)
{
    enum status status = STATUS_OK;
    char file[PATH_ROOM];
    struct content content = {.results = results, .type = type_of(path)};
    if (output_is_stdout(path)) {
        write_file(stdout, &content);
        return output_flush_stdout(why);
    }
    if (!output_is_folder(path)) return output_file_write(path, write_file, &content, stop, why);
    content.type = NULL;
    for (int i = 0; i < N_LONG_FILES; i++) {
        content.kind = (enum result_table_kind)i;
        TRY(name_in(path, i, file, why));
        TRY(output_file_write(file, write_file, &content, stop, why));
    }
done:
    return status;
}
