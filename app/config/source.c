#define _XOPEN_SOURCE 700 /* realpath */

#include "app/config/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/lexer.h"
#include "app/pricing/base/digest.h"
#include "models/base/text.h"

enum { INCLUDE_DEPTH = 10, INCLUDE_FILES = 1000 };

static const size_t bytes_max = (size_t)256 << 20; /* of the book and its includes together */

/* The files being read, outermost first, and how much has been read. */
struct open_files {
    char *folder; /* the book's, resolved: includes stay below it */
    int depth;
    dev_t device[INCLUDE_DEPTH];
    ino_t inode[INCLUDE_DEPTH];
    size_t bytes;
};

/* ---- reading one file ----
 *
 * Where a file cannot be read, `why` says so; NULL: no memory was left, which is not the book's to
 * answer for. */

static const char *reason(int error)
{
    return error == ENOMEM ? NULL : strerror(error);
}

/* Says why a file is not to be opened, NULL where it is. */
static const char *unfit(const struct stat *facts)
{
    if (S_ISREG(facts->st_mode)) return NULL;
    if (S_ISDIR(facts->st_mode)) return "it is a directory, not a file";
    if (S_ISFIFO(facts->st_mode)) return "it is a FIFO, not a regular file";
    return "it is not a regular file";
}

/* Opens a regular file, without waiting on a FIFO; -1 and `why` where it cannot be. */
static int open_regular(const char *path, struct stat *facts, const char **why)
{
    bool found = !stat(path, facts);
    if (found && (*why = unfit(facts))) return -1;
    int descriptor = found ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    if (descriptor < 0) *why = strerror(errno);
    return descriptor;
}

/* Reads up to `most` bytes; NULL and `why` where that fails. The caller frees. */
static char *read_all(int descriptor, size_t most, size_t *length, const char **why)
{
    size_t room = 0;
    char *text = NULL;
    *length = 0;
    for (;;) {
        if (*length + 1 >= room) {
            char *larger = realloc(text, room = 2 * room + 65536);
            if (!larger) break;
            text = larger;
        }
        ssize_t got = read(descriptor, text + *length, room - *length - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        *length += (size_t)got;
        if (*length > most) {
            errno = EFBIG;
            break;
        }
        if (got == 0) {
            text[*length] = '\0';
            return text;
        }
    }
    *why = errno == EFBIG ? "a book with its includes is limited to 256 MiB" : reason(errno);
    free(text);
    return NULL;
}

/* Reads a whole file, or standard input where `path` is NULL, and counts its bytes into the digest:
 * whoever saves it later does not change what was read. */
static char *read_file(struct source *source, const char *path, struct open_files *files,
                       struct stat *facts, size_t *length, const char **why)
{
    int descriptor = path ? open_regular(path, facts, why) : STDIN_FILENO;
    if (descriptor < 0) return NULL;
    char *text = read_all(descriptor, bytes_max - files->bytes, length, why);
    if (path) close(descriptor);
    if (!text) return NULL;
    files->bytes += *length;
    source->digest = digest_bytes(digest_integer(source->digest, *length), text, *length);
    return text;
}

/* ---- includes -------------------------------------------------------------------------------- */

/* Adds a file's name, which is the source's from now on; -1 without memory, or where `name` is
 * NULL. */
static int add_file(struct source *source, char *name)
{
    char **files =
        name ? realloc(source->files, (size_t)(source->n_files + 1) * sizeof *files) : NULL;
    if (!files) {
        free(name);
        return -1;
    }
    source->files = files;
    source->files[source->n_files] = name;
    return source->n_files++;
}

/* Returns `path` seen from the folder of `from`. The caller frees. */
static char *beside(const char *from, const char *path, size_t length)
{
    const char *slash = path[0] == '/' ? NULL : strrchr(from, '/');
    return text_print("%.*s%.*s", slash ? (int)(slash + 1 - from) : 0, from, (int)length, path);
}

static bool is_below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/') length--;
    return !strncmp(folder, path, length) && path[length] == '/';
}

static const char outside[] = "it is outside the book's folder, in which it must lie";

/* Reads a file that must lie in a folder or below it; NULL: anywhere. As read_file. */
static char *read_within(struct source *source, const char *folder, const char *name,
                         struct open_files *files, struct stat *facts, size_t *length,
                         const char **why)
{
    char *resolved = realpath(name, NULL), *text = NULL;
    if (!resolved) *why = reason(errno);
    else if (folder && !is_below(folder, resolved)) *why = outside;
    else text = read_file(source, resolved, files, facts, length, why);
    free(resolved);
    return text;
}

/* Scans a file that has been read, with itself on the stack of open files. */
static void lex_opened(struct lexer *lexer, int file, const struct stat *facts, const char *text,
                       size_t length)
{
    struct open_files *files = lexer->files;
    files->device[files->depth] = facts->st_dev;
    files->inode[files->depth++] = facts->st_ino;
    lexer_read(lexer, file, text, length);
    files->depth--;
}

void source_include(struct lexer *lexer, const char *path, size_t length)
{
    struct open_files *files = lexer->files;
    struct source *source = lexer->source;
    if (!length) {
        lexer_fail(lexer, "@include \"\" names no file");
        return;
    }
    if (files->depth == INCLUDE_DEPTH || source->n_files == INCLUDE_FILES) {
        lexer_fail(lexer, "@include \"%.*s\": more than %d files within one another, or %d in all",
                   (int)length, path, INCLUDE_DEPTH, INCLUDE_FILES);
        return;
    }
    struct stat facts;
    size_t text_length;
    const char *why = NULL;
    char *name = beside(source->files[lexer->location.file], path, length), *text = NULL;
    bool cycle = false;
    int file;
    if (name) text = read_within(source, files->folder, name, files, &facts, &text_length, &why);
    for (int i = 0; text && i < files->depth; i++)
        cycle |= files->device[i] == facts.st_dev && files->inode[i] == facts.st_ino;
    if (why == outside)
        lexer_fail(lexer,
                   "@include \"%s\" is outside the book's folder: an included file must lie in it",
                   name);
    else if (why) lexer_fail(lexer, "@include \"%s\" cannot be read: %s", name, why);
    else if (cycle)
        lexer_fail(lexer, "@include \"%s\" is a cycle: that file is being read already", name);
    else if (!text || (file = add_file(source, strdup(name))) < 0) lexer_no_memory(lexer);
    else lex_opened(lexer, file, &facts, text, text_length);
    free(text);
    free(name);
}

/* ---- the book -------------------------------------------------------------------------------- */

static char *folder_of(const char *path)
{
    char *name = strdup(path), *slash = name ? strrchr(name, '/') : NULL;
    if (!name) return NULL;
    if (slash) slash[slash == name] = '\0';
    char *folder = realpath(slash ? name : ".", NULL);
    free(name);
    return folder;
}

static enum status lexed(struct lexer *lexer)
{
    lexer_end(lexer);
    return lexer->status ? lexer->status : lexer->faulty ? STATUS_BAD_INPUT : STATUS_OK;
}

enum status source_read(const char *path, config_t *config, struct source *source,
                        struct complaints *complaints)
{
    struct open_files files = {0};
    struct stat facts = {0};
    size_t length;
    const char *why = "";
    bool is_stdin = !strcmp(path, SOURCE_STDIN);
    if (is_stdin) path = "stdin";
    *source = (struct source){.digest = DIGEST_BEGIN};
    if (add_file(source, strdup(path)) < 0) return STATUS_NO_MEMORY;
    char *text = read_file(source, is_stdin ? NULL : path, &files, &facts, &length, &why);
    if (!text) {
        if (why) complaints_add(complaints, 0, "%s: cannot be read: %s", path, why);
        return why ? STATUS_BAD_INPUT : STATUS_NO_MEMORY;
    }
    files.folder = folder_of(path);
    enum status status = STATUS_NO_MEMORY;
    struct lexer lexer;
    lexer_begin(&lexer, config, source, complaints);
    lexer.files = &files;
    if (files.folder) {
        lex_opened(&lexer, 0, &facts, text, length);
        status = lexed(&lexer);
    }
    free(files.folder);
    free(text);
    return status;
}

char *source_read_also(struct source *source, const char *path, bool anywhere, int *file,
                       size_t *length, const char **why)
{
    struct open_files none = {0};
    struct stat facts;
    char *name = anywhere ? strdup(path) : beside(source->files[0], path, strlen(path)),
         *folder = anywhere ? NULL : folder_of(source->files[0]), *text = NULL;
    if (name && (anywhere || folder))
        text = read_within(source, folder, name, &none, &facts, length, why);
    free(folder);
    if (!text) free(name);
    else if ((*file = add_file(source, name)) >= 0) return text;
    free(text);
    return NULL;
}

enum status source_read_text(const char *name, const char *text, config_t *config,
                             struct source *source, struct complaints *complaints)
{
    struct lexer lexer;
    *source = (struct source){0};
    if (add_file(source, strdup(name)) < 0) return STATUS_NO_MEMORY;
    lexer_begin(&lexer, config, source, complaints);
    lexer_read(&lexer, 0, text, strlen(text));
    return lexed(&lexer);
}

struct location source_location(const struct source *source, int line)
{
    if (line < 1) line = 1;
    if (line > source->n_lines) line = source->n_lines;
    return source->lines[line - 1];
}

void source_free(struct source *source)
{
    for (int i = 0; i < source->n_files; i++) free(source->files[i]);
    free(source->files);
    free(source->lines);
    *source = (struct source){0};
}
