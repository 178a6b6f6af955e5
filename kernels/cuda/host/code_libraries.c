#include "kernels/cuda/host/code_libraries.h"

#include <pthread.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/code_folder.h"
#include "kernels/team.h"

/* Files: fewer are read and linked in the time in which threads start and end. */
enum { MANY = 64 };

/* A kernel that was looked for. */
struct sought_kernel {
    kernel_name name;
    struct sought_kernel *next;
    cudaLibrary_t library; /* NULL: not loaded */
    bool asked;            /* in this program */
    bool remembered;       /* by the file of names */
};

/* All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *by_name; /* a tree of search.h */
static struct sought_kernel *all;

/* Has the file of names: that of the first kernels asked for. Under `asking`. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static kernel_name file_of_names;

/* ---- what was looked for --------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b); /* a kernel begins with its name */
}

/* Finds a kernel, or adds it, and then says that it is new. NULL without memory. The caller has the
 * lock. */
static struct sought_kernel *seek(const char *name, bool *is_new)
{
    struct sought_kernel *added, **found = tfind(name, &by_name, compare_names);
    *is_new = false;
    if (found) return *found;
    if (!(added = calloc(1, sizeof *added))) return NULL;
    snprintf(added->name, sizeof added->name, "%s", name);
    if (!tsearch(added, &by_name, compare_names)) {
        free(added);
        return NULL;
    }
    *is_new = true;
    added->next = all;
    return all = added;
}

cudaLibrary_t library_of(const char *name)
{
    pthread_mutex_lock(&lock);
    struct sought_kernel **found = tfind(name, &by_name, compare_names);
    cudaLibrary_t library = found ? (*found)->library : NULL;
    pthread_mutex_unlock(&lock);
    return library;
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* Says that kernels are in a library. */
static enum status list_loaded(int n, const struct compiled_code *pieces, cudaLibrary_t library)
{
    enum status status = STATUS_OK;
    bool is_new;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) {
        struct sought_kernel *kernel = seek(pieces[i].name, &is_new);
        if (kernel) kernel->library = library;
        else status = STATUS_NO_MEMORY;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static enum status load_linked(int n, const struct compiled_code *pieces, const char *linked,
                               struct message *why)
{
    cudaLibrary_t library;
    cudaError_t error = cudaLibraryLoadData(&library, linked, NULL, NULL, 0, NULL, NULL, 0);
    cudaGetLastError();
    if (error == cudaSuccess) return list_loaded(n, pieces, library);
    snprintf(why->text, sizeof why->text, "path code cannot be loaded: %s",
             cudaGetErrorString(error));
    return STATUS_FAILED;
}

/* What cannot be one library is two: one has room for 64 kB of constants, which are those of about
 * a thousand kernels, and so all is there but the one that is bad. */
enum status libraries_add(int n, const struct compiled_code *pieces, int architecture,
                          struct message *why)
{
    char *linked = NULL;
    enum status status = link_code(n, pieces, architecture, &linked, why);
    if (!status) status = load_linked(n, pieces, linked, why);
    free(linked);
    if (status != STATUS_FAILED || n < 2) return status;
    status = libraries_add(n / 2, pieces, architecture, why);
    enum status other = libraries_add(n - n / 2, pieces + n / 2, architecture, why);
    return status ? status : other;
}

/* ---- the file of names ----------------------------------------------------------------------- */

/* Names the file by the first kernels asked for. */
static void name_file(int n, const kernel_name *names)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < n; i++)
        for (const char *at = names[i]; *at; at++)
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    snprintf(file_of_names, sizeof file_of_names, "together_%016llx", (unsigned long long)hash);
}

/* Writes a line for each kernel that was asked for; NULL where the file has them all, and without
 * memory. The caller has the lock. */
static char *list_asked(size_t *size)
{
    char *text = NULL;
    bool all_remembered = true;
    for (const struct sought_kernel *at = all; at; at = at->next)
        if (at->asked && !at->remembered) all_remembered = false;
    FILE *to = all_remembered ? NULL : open_memstream(&text, size);
    if (!to) return NULL;
    for (const struct sought_kernel *at = all; at; at = at->next)
        if (at->asked) fprintf(to, "%s\n", at->name);
    if (!fclose(to)) return text;
    free(text);
    return NULL;
}

void libraries_remember(void)
{
    struct compiled_code file = {.code = NULL};
    pthread_mutex_lock(&asking);
    memcpy(file.name, file_of_names, sizeof file.name);
    pthread_mutex_lock(&lock);
    if (*file.name) file.code = list_asked(&file.size);
    for (struct sought_kernel *at = all; at && file.code; at = at->next) at->remembered = at->asked;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&asking);
    if (file.code) code_write(&file);
    free(file.code);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Kernels that are new: room for so many, and how many there are. */
struct new_kernels {
    int n, room;
    struct compiled_code *list; /* [room] */
};

/* Adds a kernel, unless it was looked for before. The caller has the lock. */
static void add_new(const char *name, bool asked, bool remembered, struct new_kernels *kernels)
{
    bool is_new;
    struct sought_kernel *sought = seek(name, &is_new);
    if (!sought) return;
    sought->asked |= asked, sought->remembered |= remembered;
    if (!is_new || kernels->n == kernels->room) return;
    struct compiled_code *added = &kernels->list[kernels->n++];
    *added = (struct compiled_code){.code = NULL};
    memcpy(added->name, sought->name, sizeof added->name);
}

/* Counts the lines of a text, and makes each a string. */
static int cut_lines(char *text, size_t size)
{
    int n = 0;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n') text[i] = 0, n++;
    return n;
}

/* Lists what is new of n kernels and, the first time, of those that were asked for after them. */
static void list_new(int n, const kernel_name *names, struct new_kernels *kernels)
{
    bool first = !*file_of_names;
    struct compiled_code file = {.code = NULL};
    if (first) name_file(n, names);
    int lines = first && code_read(file_of_names, &file) ? cut_lines(file.code, file.size) : 0;
    kernels->room = n + lines;
    kernels->list = malloc(sizeof *kernels->list * (size_t)(kernels->room + 1));
    if (!kernels->list) kernels->room = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) add_new(names[i], true, first, kernels);
    const char *line = file.code;
    for (int i = 0; i < lines; i++, line += strlen(line) + 1) add_new(line, false, true, kernels);
    pthread_mutex_unlock(&lock);
    free(file.code);
}

static void read_piece(void *context, int i)
{
    struct compiled_code *piece = (struct compiled_code *)context + i;
    kernel_name name;
    memcpy(name, piece->name, sizeof name);
    if (!code_read(name, piece)) piece->code = NULL;
}

/* Moves what was read to the front; returns how many that are. */
static int keep_read(const struct new_kernels *kernels)
{
    int n = 0;
    for (int i = 0; i < kernels->n; i++)
        if (kernels->list[i].code) kernels->list[n++] = kernels->list[i];
    return n;
}

/* Code that is linked and loaded in parts. */
struct loading {
    int n, parts, architecture;
    const struct compiled_code *pieces; /* [n] */
};

static void load_part(void *context, int i)
{
    const struct loading *loading = context;
    struct message why;
    int first = loading->n * i / loading->parts, end = loading->n * (i + 1) / loading->parts;
    libraries_add(end - first, loading->pieces + first, loading->architecture, &why);
}

void libraries_ask(int n, const kernel_name *names, int architecture, struct team *team)
{
    struct new_kernels kernels = {0, 0, NULL};
    if (!n) return;
    pthread_mutex_lock(&asking);
    list_new(n, names, &kernels);
    team_loop(kernels.n < MANY ? NULL : team, kernels.n, read_piece, kernels.list);
    struct loading loading = {
        .n = keep_read(&kernels), .architecture = architecture, .pieces = kernels.list};
    loading.parts = (loading.n + MANY - 1) / MANY;
    team_loop(team, loading.parts, load_part, &loading);
    pthread_mutex_unlock(&asking);
    for (int i = 0; i < loading.n; i++) free(kernels.list[i].code);
    free(kernels.list);
}
