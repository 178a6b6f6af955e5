#include "app/output/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Says so of a file that `path` may be a link to. */
static enum status cannot_write(const char *path, const char *target, int error,
                                struct message *why)
{
    if (!strcmp(path, target))
        return say_why(STATUS_FILE, why, "cannot write %.400s: %s", path, strerror(error));
    return say_why(STATUS_FILE, why, "cannot write %.200s, a link to %.200s: %s", path, target,
                   strerror(error));
}

/* Returns the length of the directory part of a path, with its last slash. */
static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Returns the directory of a path, owned by the caller, NULL without memory. */
static char *directory_of(const char *path)
{
    int length = directory_length(path);
    return length ? strndup(path, (size_t)length) : strdup(".");
}

/* ---- symbolic links -------------------------------------------------------------------------- */

enum { LINKS_MAX = 40 }; /* one after the other, as of Linux */

/* Returns what a link says, seen from its own folder, owned by the caller. NULL and errno where it
 * cannot be read. */
static char *read_link(const char *link)
{
    char text[4096];
    ssize_t length = readlink(link, text, sizeof text - 1);
    if (length < 0) return NULL;
    text[length] = '\0';
    int folder = text[0] == '/' ? 0 : directory_length(link);
    char *name = malloc((size_t)folder + (size_t)length + 1);
    if (name) sprintf(name, "%.*s%s", folder, link, text);
    return name;
}

enum status output_file_target(const char *path, char **target, struct message *why)
{
    enum status status = STATUS_OK;
    struct stat facts;
    char *at = strdup(path), *next = NULL;
    for (int links = 0; at && !lstat(at, &facts) && S_ISLNK(facts.st_mode); links++) {
        if (links == LINKS_MAX) TRY(cannot_write(path, path, ELOOP, why));
        if (!(next = read_link(at)))
            TRY(errno == ENOMEM ? STATUS_NO_MEMORY : cannot_write(path, path, errno, why));
        free(at);
        at = next;
    }
    if (!at) TRY(STATUS_NO_MEMORY);
    if (!stat(at, &facts) && !S_ISREG(facts.st_mode) &&
        !S_ISDIR(facts.st_mode)) { /* a device stays */
        free(at);
        at = strdup(path);
    }
    *target = at;
    return at ? STATUS_OK : STATUS_NO_MEMORY;
done:
    free(at);
    return status;
}

bool output_file_is_one_of(const char *path, int n, char *const *files)
{
    struct stat facts, others;
    if (stat(path, &facts)) return false;
    for (int i = 0; i < n; i++)
        if (!stat(files[i], &others) && others.st_dev == facts.st_dev &&
            others.st_ino == facts.st_ino)
            return true;
    return false;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Makes a name beside `path` for mkstemp: hidden, so that nobody takes it for a result. */
static char *name_beside(const char *path)
{
    size_t room = strlen(path) + sizeof ".."
                                        ".XXXXXX";
    char *name = malloc(room);
    int length = directory_length(path);
    if (name) snprintf(name, room, "%.*s.%s.XXXXXX", length, path, path + length);
    return name;
}

enum status output_file_possible(const char *path, struct message *why)
{
    enum status status = STATUS_OK;
    struct stat facts;
    char *target = NULL, *directory = NULL;
    TRY(output_file_target(path, &target, why));
    if (!(directory = directory_of(target))) TRY(STATUS_NO_MEMORY);
    if (access(directory, W_OK | X_OK)) TRY(cannot_write(path, target, errno, why));
    if (!stat(target, &facts) && S_ISDIR(facts.st_mode))
        TRY(cannot_write(path, target, EISDIR, why));
done:
    free(target);
    free(directory);
    return status;
}

/* A file in the making. */
struct output_file {
    FILE *stream;    /* to be written to; errors may be left to commit() */
    char *path;      /* as given */
    char *target;    /* where the file will be: `path`, or what it is a link to */
    char *temporary; /* where it is */
};

static void forget(struct output_file *file)
{
    free(file->path);
    free(file->target);
    free(file->temporary);
    *file = (struct output_file){0};
}

/* Gives a file the mode of the one that it replaces, and its owner where this user may. */
static void keep_mode(int descriptor, const char *replaced)
{
    struct stat facts;
    if (stat(replaced, &facts) || !S_ISREG(facts.st_mode)) return;
    int same_owner = !fchown(descriptor, facts.st_uid, facts.st_gid);
    mode_t mode = facts.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    (void)!fchmod(descriptor, same_owner ? mode : mode & ~(mode_t)S_IRWXG);
}

/* Begins a file, which ends with commit() or abandon(). */
static enum status begin(const char *path, struct output_file *file, struct message *why)
{
    enum status status = STATUS_OK;
    int descriptor = -1;
    *file = (struct output_file){.path = strdup(path)};
    if (!file->path) TRY(STATUS_NO_MEMORY);
    TRY(output_file_target(path, &file->target, why));
    file->temporary = name_beside(file->target);
    if (!file->temporary) TRY(STATUS_NO_MEMORY);
    descriptor = mkstemp(file->temporary);
    if (descriptor >= 0) file->stream = fdopen(descriptor, "w");
    if (!file->stream) TRY(cannot_write(path, file->target, errno, why));
    keep_mode(descriptor, file->target);
    return STATUS_OK;
done:
    if (descriptor >= 0) {
        close(descriptor);
        unlink(file->temporary);
    }
    forget(file);
    return status;
}

/* Makes the rename itself outlast a power cut; a file system that cannot is no reason to fail. */
static void sync_directory(const char *path)
{
    char *directory = directory_of(path);
    int descriptor = directory ? open(directory, O_RDONLY | O_DIRECTORY) : -1;
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(directory);
}

/* Finds why an earlier write failed, which left no reason: the file's disk is asked once more. */
static int ask_again(int descriptor)
{
    static const char nothing[4096];
    for (int i = 0; i < 2; i++) /* the first may find room for a part */
        if (write(descriptor, nothing, sizeof nothing) < 0) return errno;
    return EIO;
}

static int close_stream(struct output_file *file)
{
    errno = 0;
    int failed = fflush(file->stream) || ferror(file->stream) || fsync(fileno(file->stream));
    int error = failed ? errno : 0;
    if (failed && !error) error = ask_again(fileno(file->stream));
    if (fclose(file->stream) && !error) error = errno;
    file->stream = NULL;
    return error;
}

/* Leaves nothing behind. A file that was committed, or never begun ({0}), is left alone. */
static void abandon(struct output_file *file)
{
    if (file->stream) fclose(file->stream);
    if (file->temporary) unlink(file->temporary);
    forget(file);
}

/* Puts the file in place of the old one, if nothing went wrong since the beginning. */
static enum status commit(struct output_file *file, struct message *why)
{
    enum status status = STATUS_OK;
    int error = close_stream(file);
    if (error) TRY(cannot_write(file->path, file->path, error, why));
    if (rename(file->temporary, file->target))
        TRY(cannot_write(file->path, file->target, errno, why));
    sync_directory(file->target);
    free(file->temporary);
    file->temporary = NULL;
done:
    abandon(file);
    return status;
}

enum status output_file_write(const char *path, write_content *write, const void *context,
                              const struct stop *stop, struct message *why)
{
    enum status status = STATUS_OK;
    struct output_file file = {0};
    TRY(begin(path, &file, why));
    write(file.stream, context);
    if (asked_to_stop(stop)) TRY(STATUS_INTERRUPTED);
    TRY(commit(&file, why));
done:
    abandon(&file);
    return status;
}

enum status output_flush_stdout(struct message *why)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return STATUS_OK;
    return cannot_write("standard output", "standard output", errno ? errno : EIO, why);
}

enum status output_folder_make(const char *folder, struct message *why)
{
    if (!mkdir(folder, 0700) || errno == EEXIST) return STATUS_OK;
    return say_why(STATUS_FILE, why, "cannot make the folder %.300s: %s", folder, strerror(errno));
}
