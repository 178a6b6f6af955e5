#include "app/output/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/base/text.h"

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
    return text_print("%.*s%s", text[0] == '/' ? 0 : directory_length(link), link, text);
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

bool output_file_is(const char *path, const char *other)
{
    struct stat facts, others;
    return !stat(path, &facts) && !stat(other, &others) && others.st_dev == facts.st_dev &&
           others.st_ino == facts.st_ino;
}

bool output_file_is_one_of(const char *path, int n, char *const *files)
{
    for (int i = 0; i < n; i++)
        if (output_file_is(path, files[i])) return true;
    return false;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Makes a name beside `path` for mkstemp: hidden, so that nobody takes it for a result. */
static char *name_beside(const char *path)
{
    int length = directory_length(path);
    return text_print("%.*s.%s.XXXXXX", length, path, path + length);
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

/* Gives a file the mode of the one that it replaces, and its owner where this user may. */
static void keep_mode(int descriptor, const char *replaced)
{
    struct stat facts;
    if (stat(replaced, &facts) || !S_ISREG(facts.st_mode)) return;
    int same_owner = !fchown(descriptor, facts.st_uid, facts.st_gid);
    mode_t mode = facts.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    (void)!fchmod(descriptor, same_owner ? mode : mode & ~(mode_t)S_IRWXG);
}

/* Makes the file `temporary`, to be written in place of another one. NULL and errno where that
 * cannot be. */
static FILE *begin(char *temporary, const char *replaced)
{
    int descriptor = mkstemp(temporary);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (stream) keep_mode(descriptor, replaced);
    if (stream || descriptor < 0) return stream;
    int error = errno;
    close(descriptor);
    unlink(temporary);
    errno = error;
    return NULL;
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

/* Closes a file once it is on its disk. Returns an error of errno, 0 where there was none since its
 * beginning; where an earlier write failed, which left no reason, the file's disk is asked once
 * more. */
static int close_stream(FILE *stream)
{
    static const char nothing[4096];
    errno = 0;
    int failed = fflush(stream) || ferror(stream) || fsync(fileno(stream));
    int error = failed ? errno : 0;
    for (int i = 0; failed && !error && i < 2; i++) /* the first may find room for a part */
        if (write(fileno(stream), nothing, sizeof nothing) < 0) error = errno;
    if (failed && !error) error = EIO;
    if (fclose(stream) && !error) error = errno;
    return error;
}

enum status output_file_write(const char *path, write_content *write, const void *context,
                              const struct stop *stop, struct message *why)
{
    enum status status = STATUS_OK;
    char *target = NULL, *temporary = NULL;
    FILE *stream = NULL;
    int error;
    TRY(output_file_target(path, &target, why));
    if (!(temporary = name_beside(target))) TRY(STATUS_NO_MEMORY);
    if (!(stream = begin(temporary, target))) TRY(cannot_write(path, target, errno, why));
    write(stream, context);
    if (asked_to_stop(stop)) {
        fclose(stream);
        status = STATUS_INTERRUPTED;
    } else if ((error = close_stream(stream))) status = cannot_write(path, path, error, why);
    else if (rename(temporary, target)) status = cannot_write(path, target, errno, why);
    if (status) unlink(temporary);
    else sync_directory(target);
done:
    free(target);
    free(temporary);
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
