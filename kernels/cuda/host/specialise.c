#include "kernels/cuda/host/specialise.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/cuda/host/nvrtc.h"

enum { NAME_ROOM = 64, FILE_ROOM = 1024 };

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

/* ---- the folder ------------------------------------------------------------------------------ */

/* The path of a kernel's file, and the making of its folder; false where there is no folder. */
static bool file_of(const char *name, char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool own = cache && cache[0] == '/';
    if (!own && !(home && home[0] == '/')) return false;
    int length = snprintf(path, FILE_ROOM, "%s%s", own ? cache : home, own ? "" : "/.cache");
    if (length >= FILE_ROOM - NAME_ROOM - 64) return false;
    mkdir(path, 0700);
    strcat(path, "/pricer");
    mkdir(path, 0700);
    snprintf(path + strlen(path), NAME_ROOM + 16, "/%s.cubin", name);
    return true;
}

/* A file is the code and its hash, which says that it is whole. */
static uint64_t hash_code(const char *code, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)code[i]) * 0x100000001b3u;
    return hash;
}

static char *read_code(const char *path)
{
    struct stat facts;
    uint64_t hash;
    char *code = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    if (!fstat(fileno(file), &facts) && facts.st_size > (off_t)sizeof hash &&
        facts.st_size < 1 << 28) {
        size_t size = (size_t)facts.st_size - sizeof hash;
        code = malloc(size);
        bool whole = code && fread(code, 1, size, file) == size &&
                     fread(&hash, sizeof hash, 1, file) == 1 && hash == hash_code(code, size);
        if (!whole) {
            free(code);
            code = NULL;
        }
    }
    fclose(file);
    return code;
}

/* Writes the file whole or not at all; that it cannot be written is no error. */
static void write_code(const char *path, const char *code, size_t size)
{
    char temporary[FILE_ROOM + 32];
    uint64_t hash = hash_code(code, size);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(temporary, "wb");
    if (!file) return;
    bool whole = fwrite(code, 1, size, file) == size && fwrite(&hash, sizeof hash, 1, file) == 1;
    whole = !fclose(file) && whole;
    if (!whole || rename(temporary, path)) unlink(temporary);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* One kernel of this process, or that there is none: then why, and whether it was compiled to find
 * out. */
struct known_kernel {
    struct known_kernel *next;
    char name[NAME_ROOM];
    bool making, compiled;
    cudaKernel_t kernel;
    enum status status;
    struct message why;
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
static enum status load_code(const char *code, const struct shape *shape, size_t shared,
                             cudaKernel_t *kernel, struct message *why)
{
    cudaLibrary_t library;
    struct cudaFuncAttributes facts = {.maxThreadsPerBlock = 0};
    cudaError_t error = cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess) error = cudaLibraryGetKernel(kernel, library, "walk");
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&facts, (const void *)*kernel);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute((const void *)*kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    cudaGetLastError();
    if (error == cudaSuccess && facts.maxThreadsPerBlock >= shape->block) return STATUS_OK;
    *kernel = NULL;
    snprintf(why->text, sizeof why->text, "a specialised walk cannot be loaded: %s",
             error == cudaSuccess ? "too many registers" : cudaGetErrorString(error));
    return STATUS_FAILED;
}

/* Finds the code of a kernel in the folder, or compiles it; NULL where it is neither there nor to
 * be compiled. */
static enum status find_code(const struct known_kernel *entry, const char *source, int architecture,
                             bool compile, char **code, struct message *why)
{
    char path[FILE_ROOM];
    size_t size = 0;
    bool kept = file_of(entry->name, path);
    *code = kept ? read_code(path) : NULL;
    if (*code || !compile) return STATUS_OK;
    enum status status = nvrtc_compile(source, architecture, code, &size, why);
    if (!status && kept) write_code(path, *code, size);
    return status;
}

static void make_kernel(struct known_kernel *entry, const char *source, int architecture,
                        const struct shape *shape, size_t shared, bool compile)
{
    char *code = NULL;
    cudaKernel_t kernel = NULL;
    struct message why = {""};
    enum status status = find_code(entry, source, architecture, compile, &code, &why);
    if (code) status = load_code(code, shape, shared, &kernel, &why);
    free(code);
    pthread_mutex_lock(&lock);
    entry->kernel = kernel, entry->status = status, entry->why = why;
    entry->compiled = compile, entry->making = false;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
}

/* Finds the entry of a name, whose kernel is there or is this thread's to make (`*mine`). NULL
 * without memory. */
static struct known_kernel *take_entry(const char *name, bool compile, bool *mine)
{
    struct known_kernel *entry;
    *mine = false;
    pthread_mutex_lock(&lock);
    while ((entry = find_known(name)) && entry->making) pthread_cond_wait(&made, &lock);
    if (!entry && (entry = calloc(1, sizeof *entry))) {
        snprintf(entry->name, sizeof entry->name, "%s", name);
        entry->next = known;
        known = entry;
        *mine = true;
    } else if (entry && !entry->kernel && compile && !entry->compiled) *mine = true;
    if (*mine) entry->making = true;
    pthread_mutex_unlock(&lock);
    return entry;
}

static int architecture_of_device(void)
{
    int device = 0, major = 0, minor = 0;
    bool known_device =
        cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess;
    cudaGetLastError();
    return known_device ? 10 * major + minor : 0;
}

enum status specialised_kernel(const struct group *group, const struct shape *shape, bool compile,
                               const void **kernel, struct message *why)
{
    char name[NAME_ROOM];
    int architecture = architecture_of_device();
    bool mine = false;
    *kernel = NULL;
    if (!nvrtc_name() || !architecture) {
        snprintf(why->text, sizeof why->text,
                 "specialised walks need NVRTC of the CUDA toolkit, which is not here");
        return STATUS_NO_ENGINE;
    }
    char *source = shape_source(group, shape);
    if (!source) return STATUS_NO_MEMORY;
    name_kernel(source, architecture, name);
    struct known_kernel *entry = take_entry(name, compile, &mine);
    if (mine)
        make_kernel(entry, source, architecture, shape, shape_shared(group, shape, shape->block),
                    compile);
    free(source);
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
