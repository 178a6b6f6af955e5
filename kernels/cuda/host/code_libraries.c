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
    cudaLibrary_t library; /* NULL: not loaded */
};

/* All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *by_name; /* a tree of search.h */

/* Held by the thread that reads the folder. */
static pthread_mutex_t asking_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- what was looked for --------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b); /* an entry begins with its name */
}

void *kernel_entry(void **tree, const char *name, size_t size)
{
    char *added, **found = tfind(name, tree, compare_names);
    if (found) return *found;
    if (!(added = calloc(1, size))) return NULL;
    snprintf(added, KERNEL_NAME_ROOM, "%s", name);
    if (tsearch(added, tree, compare_names)) return added;
    free(added);
    return NULL;
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

/* Loads linked code, and notes which library its kernels are in. */
static enum status load_linked(int n, const struct compiled_code *pieces, const char *linked,
                               struct message *why)
{
    enum status status = STATUS_OK;
    cudaLibrary_t library;
    cudaError_t error = cudaLibraryLoadData(&library, linked, NULL, NULL, 0, NULL, NULL, 0);
    cudaGetLastError();
    if (error != cudaSuccess)
        return say_why(STATUS_FAILED, why, "path code cannot be loaded: %s",
                       cudaGetErrorString(error));
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) {
        struct sought_kernel *kernel = kernel_entry(&by_name, pieces[i].name, sizeof *kernel);
        if (kernel) kernel->library = library;
        else status = STATUS_NO_MEMORY;
    }
    pthread_mutex_unlock(&lock);
    return status;
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

/* ---- asking ---------------------------------------------------------------------------------- */

/* Lists those of n kernels that were not looked for before; returns how many. */
static int list_new(int n, const kernel_name *names, struct compiled_code *list)
{
    int n_new = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) {
        if (tfind(names[i], &by_name, compare_names) ||
            !kernel_entry(&by_name, names[i], sizeof(struct sought_kernel)))
            continue;
        list[n_new] = (struct compiled_code){.code = NULL};
        memcpy(list[n_new++].name, names[i], sizeof names[i]);
    }
    pthread_mutex_unlock(&lock);
    return n_new;
}

static void read_piece(void *context, int i)
{
    struct compiled_code *piece = (struct compiled_code *)context + i;
    code_read(piece);
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
    struct compiled_code *list = malloc(sizeof *list * (size_t)n + 1);
    if (!list) return;
    struct loading loading = {.architecture = architecture, .pieces = list};
    pthread_mutex_lock(&asking_lock);
    int n_new = list_new(n, names, list);
    team_loop(n_new < MANY ? NULL : team, n_new, read_piece, list);
    for (int i = 0; i < n_new; i++) /* what was read, to the front */
        if (list[i].code) list[loading.n++] = list[i];
    loading.parts = (loading.n + MANY - 1) / MANY;
    team_loop(team, loading.parts, load_part, &loading);
    pthread_mutex_unlock(&asking_lock);
    for (int i = 0; i < loading.n; i++) free(list[i].code);
    free(list);
}
