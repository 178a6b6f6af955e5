#include "kernels/cuda/host/specialise.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/code_folder.h"
#include "kernels/cuda/host/compile_queue.h"
#include "kernels/cuda/host/nvrtc.h"

enum {
    NAME_ROOM = KERNEL_NAME_ROOM,
    BEGINNING_ROOM = 40,
    CODES_MOST = 256,
    ARCHITECTURES_MOST = 16
};

/* ---- names ----------------------------------------------------------------------------------- */

/* FNV-1a of 64 bits, from `hash` on. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* Writes how the names of all kernels begin that this program's template and compiler make. */
static void name_beginning(int architecture, char *name)
{
    uint64_t hash = add_text(add_text(0xcbf29ce484222325u, embedded_hash), nvrtc_name());
    snprintf(name, BEGINNING_ROOM, "walk_sm%d_%016llx_", architecture, (unsigned long long)hash);
}

/* Names a kernel by all that its machine code depends on. */
static void name_kernel(const char *source, int architecture, char *name)
{
    name_beginning(architecture, name);
    uint64_t one = add_text(0xcbf29ce484222325u, source),
             two = add_text(0x9e3779b97f4a7c15u, source);
    snprintf(name + strlen(name), NAME_ROOM - strlen(name), "%016llx%016llx",
             (unsigned long long)one, (unsigned long long)two);
}

/* ---- what is known --------------------------------------------------------------------------- */

/* How far the making of a kernel has come, or been tried. */
enum made_so_far { NOTHING_TRIED, LIBRARIES_SEARCHED, COMPILATION_QUEUED, COMPILATION_TRIED };

/* Asset-steps that the plain kernel takes in the time in which a kernel is got out of a library
 * that is loaded, compiled by a core that is perhaps idle, and compiled while everything waits (0.3
 * s): on an H200, 8e10 a second. */
static const double worth[] = {
    [LIBRARIES_SEARCHED] = 2e6, [COMPILATION_QUEUED] = 2e7, [COMPILATION_TRIED] = 2.4e10};

/* One kernel of this process, or that there is none: then why. */
struct known_kernel {
    struct known_kernel *next;
    char name[NAME_ROOM];
    double steps; /* asked for so far */
    enum made_so_far so_far;
    bool making;
    cudaKernel_t kernel;
    enum status status;
    struct message why;
};

/* What the making of a kernel takes. */
struct recipe {
    struct known_kernel *entry;
    char *source; /* owned */
    int architecture, device, block;
    size_t shared; /* bytes of shared memory of a block */
};

/* A kernel of a library that is loaded. */
struct loaded_kernel {
    char name[NAME_ROOM];
    cudaLibrary_t library;
};

/* All under the lock. Libraries stay for the rest of the program. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
static struct known_kernel *known;
static struct {
    size_t n;
    struct loaded_kernel *list; /* [n] */
} loaded;

static struct known_kernel *find_known(const char *name)
{
    struct known_kernel *at = known;
    while (at && strcmp(at->name, name)) at = at->next;
    return at;
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* Says of the kernels of a library that they are loaded; false without memory. */
static bool list_loaded(int n, const struct compiled_code *pieces, cudaLibrary_t library)
{
    pthread_mutex_lock(&lock);
    struct loaded_kernel *more = realloc(loaded.list, (loaded.n + (size_t)n) * sizeof *more);
    if (more) loaded.list = more;
    for (int i = 0; more && i < n; i++) {
        struct loaded_kernel *kernel = &loaded.list[loaded.n++];
        memcpy(kernel->name, pieces[i].name, sizeof kernel->name);
        kernel->library = library;
    }
    pthread_mutex_unlock(&lock);
    return more != NULL;
}

/* Returns the library of a kernel, NULL where none that is loaded has it. */
static cudaLibrary_t find_library(const char *name)
{
    cudaLibrary_t library = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < loaded.n && !library; i++)
        if (!strcmp(loaded.list[i].name, name)) library = loaded.list[i].library;
    pthread_mutex_unlock(&lock);
    return library;
}

/* Links pieces of code and puts them on the devices as one library. */
static enum status load_library(int n, const struct compiled_code *pieces, int architecture,
                                struct message *why)
{
    char *linked = NULL;
    cudaLibrary_t library;
    enum status status = link_code(n, pieces, architecture, &linked, why);
    if (status) return status;
    cudaError_t error = cudaLibraryLoadData(&library, linked, NULL, NULL, 0, NULL, NULL, 0);
    cudaGetLastError();
    free(linked);
    if (error == cudaSuccess) return list_loaded(n, pieces, library) ? STATUS_OK : STATUS_NO_MEMORY;
    snprintf(why->text, sizeof why->text, "path code cannot be loaded: %s",
             cudaGetErrorString(error));
    return STATUS_FAILED;
}

/* Loads what the folder has for an architecture, as one library. */
static void load_folder(int architecture)
{
    char beginning[BEGINNING_ROOM];
    struct message why;
    struct compiled_code *codes = malloc(sizeof *codes * CODES_MOST);
    if (!codes) return;
    name_beginning(architecture, beginning);
    int n = code_read(beginning, CODES_MOST, codes);
    if (n) load_library(n, codes, architecture, &why);
    for (int i = 0; i < n; i++) free(codes[i].code);
    free(codes);
}

/* Loads an architecture's folder once; whoever asks meanwhile waits. */
static void load_folder_once(int architecture)
{
    static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
    static int n, read[ARCHITECTURES_MOST];
    int i = 0;
    pthread_mutex_lock(&reading);
    while (i < n && read[i] != architecture) i++;
    if (i == n && n < ARCHITECTURES_MOST) {
        read[n++] = architecture;
        load_folder(architecture);
    }
    pthread_mutex_unlock(&reading);
}

/* Finds a kernel in the libraries, and whether its blocks can have their threads and their shared
 * memory. STATUS_FAILED, with `why`, where it is there and they cannot. */
static enum status find_kernel(const struct recipe *recipe, cudaKernel_t *kernel,
                               struct message *why)
{
    struct cudaFuncAttributes facts = {.maxThreadsPerBlock = 0};
    cudaLibrary_t library = find_library(recipe->entry->name);
    *kernel = NULL;
    if (!library) return STATUS_OK;
    cudaError_t error = cudaLibraryGetKernel(kernel, library, recipe->entry->name);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&facts, (const void *)*kernel);
    if (error == cudaSuccess)
        error =
            cudaFuncSetAttribute((const void *)*kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)recipe->shared);
    cudaGetLastError();
    if (error == cudaSuccess && facts.maxThreadsPerBlock >= recipe->block) return STATUS_OK;
    *kernel = NULL;
    snprintf(why->text, sizeof why->text, "path code cannot be loaded: %s",
             error == cudaSuccess ? "too many registers" : cudaGetErrorString(error));
    return STATUS_FAILED;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Compiles a kernel, keeps it in the folder and loads it. */
static enum status compile_kernel(const struct recipe *recipe, struct message *why)
{
    struct compiled_code code = {.code = NULL};
    memcpy(code.name, recipe->entry->name, sizeof code.name);
    enum status status =
        nvrtc_compile(recipe->source, code.name, recipe->architecture, &code.code, &code.size, why);
    if (status) return status;
    code_write(&code);
    status = load_library(1, &code, recipe->architecture, why);
    free(code.code);
    return status;
}

/* Makes the kernel, unless it is there; returns whether it is. */
static bool make_kernel(const struct recipe *recipe, bool compile)
{
    cudaKernel_t kernel = NULL;
    struct known_kernel *entry = recipe->entry;
    struct message why = {""};
    enum status status = find_kernel(recipe, &kernel, &why);
    if (!status && !kernel && compile) {
        status = compile_kernel(recipe, &why);
        if (!status) status = find_kernel(recipe, &kernel, &why);
    }
    pthread_mutex_lock(&lock);
    if (!entry->kernel) entry->kernel = kernel, entry->status = status, entry->why = why;
    bool there = entry->kernel != NULL;
    entry->making = false;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
    return there;
}

/* ---- later ----------------------------------------------------------------------------------- */

static void drop_recipe(void *argument)
{
    struct recipe *recipe = argument;
    free(recipe->source);
    free(recipe);
}

static void make_queued(void *argument)
{
    const struct recipe *recipe = argument;
    if (cudaSetDevice(recipe->device) == cudaSuccess) make_kernel(recipe, true);
    cudaGetLastError();
    drop_recipe(argument);
}

/* Has the kernel made by the queue. */
static void make_later(const struct recipe *recipe)
{
    struct recipe *copy = malloc(sizeof *copy);
    if (!copy) return;
    *copy = *recipe;
    copy->source = strdup(recipe->source);
    if (!copy->source || !compile_later(make_queued, drop_recipe, copy)) drop_recipe(copy);
}

/* ---- now ------------------------------------------------------------------------------------- */

/* Finds the entry of a name, new or known, when no thread is making its kernel. NULL without
 * memory. The caller has the lock. */
static struct known_kernel *find_entry(const char *name)
{
    struct known_kernel *entry;
    while ((entry = find_known(name)) && entry->making) pthread_cond_wait(&made, &lock);
    if (!entry && (entry = calloc(1, sizeof *entry))) {
        snprintf(entry->name, sizeof entry->name, "%s", name);
        entry->next = known;
        known = entry;
    }
    return entry;
}

/* Counts the steps and does what they have made worth its while. */
static struct known_kernel *ask_for(const char *name, struct recipe *recipe, double steps)
{
    pthread_mutex_lock(&lock);
    struct known_kernel *entry = recipe->entry = find_entry(name);
    enum made_so_far next = NOTHING_TRIED;
    if (entry && !entry->kernel) {
        entry->steps += steps;
        for (enum made_so_far m = entry->so_far + 1; m <= COMPILATION_TRIED; m++)
            if (entry->steps >= worth[m]) next = m;
    }
    if (next) entry->so_far = next;
    if (next) entry->making = true;
    pthread_mutex_unlock(&lock);
    if (next && !make_kernel(recipe, next == COMPILATION_TRIED) && next == COMPILATION_QUEUED)
        make_later(recipe);
    return entry;
}

int specialised_architecture(void)
{
    int device = 0, major = 0, minor = 0;
    bool found =
        cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess;
    cudaGetLastError();
    return found ? 10 * major + minor : 0;
}

/* Finds the current device and its architecture, and loads the folder's code for it.
 * STATUS_NO_ENGINE where there is no device, or nothing that compiles. */
static enum status find_device(struct recipe *recipe)
{
    recipe->architecture = specialised_architecture();
    if (!recipe->architecture || !nvrtc_name()) return STATUS_NO_ENGINE;
    if (cudaGetDevice(&recipe->device) != cudaSuccess) return STATUS_NO_ENGINE;
    load_folder_once(recipe->architecture);
    return STATUS_OK;
}

void specialised_wake(void)
{
    struct recipe recipe;
    find_device(&recipe);
}

static enum status no_compiler(struct message *why)
{
    snprintf(why->text, sizeof why->text,
             "path code needs NVRTC of the CUDA toolkit, which is not here");
    return STATUS_NO_ENGINE;
}

enum status specialised_kernel(const struct group *group, const struct shape *shape, double steps,
                               const void **kernel, struct message *why)
{
    char name[NAME_ROOM];
    struct recipe recipe = {.block = shape->block, .shared = shape_shared(shape, shape->block)};
    *kernel = NULL;
    if (find_device(&recipe)) return no_compiler(why);
    recipe.source = shape_source(group, shape);
    if (!recipe.source) return STATUS_NO_MEMORY;
    name_kernel(recipe.source, recipe.architecture, name);
    struct known_kernel *entry = ask_for(name, &recipe, steps);
    free(recipe.source);
    if (!entry) return STATUS_NO_MEMORY;
    pthread_mutex_lock(&lock);
    *kernel = (const void *)entry->kernel;
    *why = entry->why;
    enum status status = entry->status;
    pthread_mutex_unlock(&lock);
    return status;
}

enum status specialised_compile(const struct group *groups, bool stored, int architecture,
                                struct message *why)
{
    char name[NAME_ROOM], *source = NULL;
    struct shape shape;
    struct compiled_code code = {.code = NULL};
    enum status status = STATUS_OK;
    if (!nvrtc_name()) return no_compiler(why);
    status =
        shape_make(groups->n_alike, groups, stored ? STEPS_READ : STEPS_DRAW, architecture, &shape);
    if (!status && !(source = shape_source(groups, &shape))) status = STATUS_NO_MEMORY;
    if (!status) {
        name_kernel(source, architecture, name);
        bool there = code_read(name, 1, &code) == 1;
        if (!there) status = nvrtc_compile(source, name, architecture, &code.code, &code.size, why);
        memcpy(code.name, name, sizeof code.name);
        if (!there && !status) code_write(&code);
    } else if (status == STATUS_FAILED) status = STATUS_OK;
    free(code.code);
    free(source);
    shape_free(&shape);
    return status;
}
