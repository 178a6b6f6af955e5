#include "kernels/cuda/host/specialise.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/code_folder.h"
#include "kernels/cuda/host/compile_queue.h"
#include "kernels/cuda/host/nvrtc.h"

enum { NAME_ROOM = 64 };

/* ---- names ----------------------------------------------------------------------------------- */

/* FNV-1a of 64 bits, from `hash` on. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* Names a kernel by all that its machine code depends on. */
static void name_kernel(const char *source, int architecture, char *name)
{
    uint64_t one = 0xcbf29ce484222325u, two = 0x9e3779b97f4a7c15u;
    const char *texts[] = {source, embedded_hash, nvrtc_name()};
    for (int i = 0; i < 3; i++) one = add_text(one, texts[i]), two = add_text(two, texts[i]);
    snprintf(name, NAME_ROOM, "walk-sm%d-%016llx%016llx", architecture, (unsigned long long)one,
             (unsigned long long)two);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* How far the making of a kernel has come, or been tried. */
enum made_so_far { NOTHING_TRIED, FOLDER_SEARCHED, COMPILATION_QUEUED, COMPILATION_TRIED };

/* Asset-steps that the plain kernel takes in the time in which code is loaded, compiled by a core
 * that is perhaps idle, and compiled while everything waits (0.3 s): on an H200, 8e10 a second. The
 * load takes a millisecond, and counts as a quarter of that: most of it passes beside the making of
 * plans. */
static const double worth[] = {
    [FOLDER_SEARCHED] = 2e7, [COMPILATION_QUEUED] = 1e8, [COMPILATION_TRIED] = 2.4e10};

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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
static struct known_kernel *known;

static struct known_kernel *find_known(const char *name)
{
    struct known_kernel *at = known;
    while (at && strcmp(at->name, name)) at = at->next;
    return at;
}

/* Puts machine code on the device. Libraries stay for the rest of the program. */
static enum status load_code(const struct recipe *recipe, const char *code, cudaKernel_t *kernel,
                             struct message *why)
{
    cudaLibrary_t library;
    struct cudaFuncAttributes facts = {.maxThreadsPerBlock = 0};
    cudaError_t error = cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess) error = cudaLibraryGetKernel(kernel, library, "walk");
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&facts, (const void *)*kernel);
    if (error == cudaSuccess)
        error =
            cudaFuncSetAttribute((const void *)*kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)recipe->shared);
    cudaGetLastError();
    if (error == cudaSuccess && facts.maxThreadsPerBlock >= recipe->block) return STATUS_OK;
    *kernel = NULL;
    snprintf(why->text, sizeof why->text, "a specialised walk cannot be loaded: %s",
             error == cudaSuccess ? "too many registers" : cudaGetErrorString(error));
    return STATUS_FAILED;
}

/* Finds the code of a kernel in the folder, or compiles it; NULL where it is neither there nor to
 * be compiled. */
static enum status find_code(const struct recipe *recipe, bool compile, char **code,
                             struct message *why)
{
    size_t size = 0;
    *code = code_read(recipe->entry->name);
    if (*code || !compile) return STATUS_OK;
    enum status status = nvrtc_compile(recipe->source, recipe->architecture, code, &size, why);
    if (!status) code_write(recipe->entry->name, *code, size);
    return status;
}

/* Makes the kernel; returns whether it is there. */
static bool make_kernel(const struct recipe *recipe, bool compile)
{
    char *code = NULL;
    cudaKernel_t kernel = NULL;
    struct known_kernel *entry = recipe->entry;
    struct message why = {""};
    enum status status = find_code(recipe, compile, &code, &why);
    if (code) status = load_code(recipe, code, &kernel, &why);
    free(code);
    pthread_mutex_lock(&lock);
    entry->kernel = kernel, entry->status = status, entry->why = why;
    entry->making = false;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
    return kernel != NULL;
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

/* Finds the current device and its architecture: 0 where there is none. */
static void find_device(struct recipe *recipe)
{
    int major = 0, minor = 0;
    bool found = cudaGetDevice(&recipe->device) == cudaSuccess &&
                 cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                                        recipe->device) == cudaSuccess &&
                 cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor,
                                        recipe->device) == cudaSuccess;
    cudaGetLastError();
    recipe->architecture = found ? 10 * major + minor : 0;
}

enum status specialised_kernel(const struct group *group, const struct shape *shape, double steps,
                               const void **kernel, struct message *why)
{
    char name[NAME_ROOM];
    struct recipe recipe = {.block = shape->block,
                            .shared = shape_shared(group, shape, shape->block)};
    *kernel = NULL;
    find_device(&recipe);
    if (!nvrtc_name() || !recipe.architecture) {
        snprintf(why->text, sizeof why->text,
                 "specialised walks need NVRTC of the CUDA toolkit, which is not here");
        return STATUS_NO_ENGINE;
    }
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

/* ---- a launch -------------------------------------------------------------------------------- */

/* What a timed launch tells of itself. */
static cudaError_t find_facts(const void *kernel, int block, size_t shared,
                              struct launch_facts *facts)
{
    struct cudaFuncAttributes attributes;
    int device = 0, most = 0, blocks = 0;
    cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, shared);
    if (error != cudaSuccess) return error;
    *facts = (struct launch_facts){.registers = attributes.numRegs,
                                   .shared_bytes = (int)(attributes.sharedSizeBytes + shared),
                                   .block = block,
                                   .occupancy = (double)(blocks * block) / most};
    return cudaSuccess;
}

/* Writes the arguments of a market. */
static void put_arguments(const struct group *group, const struct shape *shape, int market,
                          const double *records, const struct path_launch *path_launch, char *to)
{
    struct specialised_arguments in = {
        .coefficients = path_launch->coefficients,
        .records = records + (size_t)market * (size_t)group->n_steps * (size_t)shape->stride,
        .table = path_launch->table,
        .normals = path_launch->normals,
        .observed = path_launch->observed,
        .paths = path_launch->paths,
        .first_path = path_launch->first_path,
        .keys = path_launch->keys,
        .n_steps = path_launch->n_steps,
        .pair_row = path_launch->bridge_row};
    for (int u = 0; u < group->n_underlyings; u++)
        in.stream[u] = (uint32_t)group->underlyings[u].stream;
    memcpy(to, &in, sizeof in);
    shape_numbers(group, shape, market, (double *)(to + sizeof in));
}

cudaError_t launch_specialised(const void *kernel, const struct group *groups,
                               const struct shape *shape, const double *records,
                               const struct path_launch *path_launches, int block,
                               cudaStream_t stream)
{
    _Alignas(16) char arguments[SHAPE_ARGUMENT_BYTES];
    void *list[] = {arguments};
    if (!block || block > shape->block) block = shape->block;
    size_t shared = shape_shared(groups, shape, block), bytes = shape_argument(groups, shape);
    size_t a_block = (size_t)block * (size_t)shape->paths;
    cudaError_t error = cudaSuccess;
    if (path_launches->facts) error = find_facts(kernel, block, shared, path_launches->facts);
    for (int first = 0, n; first < shape->n_markets && error == cudaSuccess; first += n) {
        n = shape->n_markets - first < shape->at_once ? shape->n_markets - first : shape->at_once;
        for (int m = 0; m < n; m++)
            put_arguments(&groups[first + m], shape, first + m, records, &path_launches[first + m],
                          arguments + bytes * (size_t)m);
        dim3 grid = {(unsigned)n, (unsigned)((path_launches->paths + a_block - 1) / a_block), 1},
             threads = {(unsigned)block, 1, 1};
        error = cudaLaunchKernel(kernel, grid, threads, list, shared, stream);
    }
    return error;
}
