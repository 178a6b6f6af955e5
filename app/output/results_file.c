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

/* Names a file of a folder. STATUS_FILE and one line where the name is too long. */
static enum status name_in(const char *folder, const char *file, size_t room, char *path,
                           struct message *why)
{
    if ((size_t)snprintf(path, room, "%s%s", folder, file) < room) return STATUS_OK;
    snprintf(why->text, sizeof why->text, "--output: the name of %.300s is too long", folder);
    return STATUS_FILE;
}

/* Makes the folder, where it is not there, and finds out whether all its files can be written. */
static enum status check_folder(const char *folder, struct message *why)
{
    enum status status = STATUS_OK;
    char path[PATH_ROOM];
    TRY(output_folder_make(folder, why));
    for (int i = 0; i < N_LONG_FILES; i++) {
        TRY(name_in(folder, long_files[i].name, sizeof path, path, why));
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
    snprintf(why->text, sizeof why->text, "--output: '%.400s' must end in .csv, .json or /", path);
    return STATUS_BAD_INPUT;
}

static enum status write_file(const char *path,
                              void (*write)(FILE *out, const struct results *results),
                              const struct results *results, const struct stop *stop,
                              struct message *why)
{
    enum status status = STATUS_OK;
    struct output_file file = {0};
    TRY(output_file_begin(path, &file, why));
    write(file.stream, results);
    if (asked_to_stop(stop)) TRY(STATUS_INTERRUPTED);
    TRY(output_file_commit(&file, why));
done:
    output_file_abandon(&file);
    return status;
}

enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why)
{
    enum status status = STATUS_OK;
    char file[PATH_ROOM];
    if (output_is_stdout(path)) {
        type_of(path)->write(stdout, results);
        return output_flush_stdout(why);
    }
    if (!output_is_folder(path)) return write_file(path, type_of(path)->write, results, stop, why);
    for (int i = 0; i < N_LONG_FILES; i++) {
        TRY(name_in(path, long_files[i].name, sizeof file, file, why));
        TRY(write_file(file, long_files[i].write, results, stop, why));
    }
done:
    return status;
}
