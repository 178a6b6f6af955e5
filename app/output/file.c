#include "app/output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status cannot_write(const char *path, int error, struct message *why)
{
    snprintf(why->text, sizeof why->text, "cannot write %.400s: %s", path, strerror(error));
    return STATUS_FILE;
}

/* Length of the directory part of a path, with its last slash. */
static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* The directory of a path; owned by the caller, NULL without memory. */
static char *directory_of(const char *path)
{
    int length = directory_length(path);
    return length ? strndup(path, (size_t)length) : strdup(".");
}

/* A name beside `path` for mkstemp: hidden, so that nobody takes it for a result. */
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
    struct stat there;
    char *directory = directory_of(path);
    if (!directory) return STATUS_NO_MEMORY;
    if (access(directory, W_OK | X_OK)) TRY(cannot_write(path, errno, why));
    if (!stat(path, &there) && S_ISDIR(there.st_mode)) TRY(cannot_write(path, EISDIR, why));
done:
    free(directory);
    return status;
}

enum status output_file_begin(const char *path, struct output_file *file, struct message *why)
{
    enum status status = STATUS_OK;
    int descriptor = -1;
    *file = (struct output_file){.path = strdup(path), .temporary = name_beside(path)};
    if (!file->path || !file->temporary) TRY(STATUS_NO_MEMORY);
    descriptor = mkstemp(file->temporary);
    if (descriptor >= 0) file->stream = fdopen(descriptor, "w");
    if (!file->stream) TRY(cannot_write(path, errno, why));
    return STATUS_OK;
done:
    if (descriptor >= 0) {
        close(descriptor);
        unlink(file->temporary);
    }
    free(file->path);
    free(file->temporary);
    *file = (struct output_file){0};
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

static int close_stream(struct output_file *file)
{
    errno = 0;
    int failed = fflush(file->stream) || ferror(file->stream) || fsync(fileno(file->stream));
    int error = failed ? errno : 0;
    if (failed && !error) error = EIO; /* an earlier write failed and left no reason */
    if (fclose(file->stream) && !error) error = errno;
    file->stream = NULL;
    return error;
}

enum status output_file_commit(struct output_file *file, struct message *why)
{
    enum status status = STATUS_OK;
    int error = close_stream(file);
    if (error) TRY(cannot_write(file->path, error, why));
    if (rename(file->temporary, file->path)) TRY(cannot_write(file->path, errno, why));
    sync_directory(file->path);
    free(file->temporary);
    file->temporary = NULL;
done:
    output_file_abandon(file);
    return status;
}

void output_file_abandon(struct output_file *file)
{
    if (file->stream) fclose(file->stream);
    if (file->temporary) unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    *file = (struct output_file){0};
}

enum status output_flush_stdout(struct message *why)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return STATUS_OK;
    return cannot_write("standard output", errno ? errno : EIO, why);
}
