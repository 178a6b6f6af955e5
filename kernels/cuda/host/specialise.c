#include "kernels/cuda/host/specialise.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/code_folder.h"
#include "kernels/cuda/host/toolkit.h"
#include "kernels/team.h"
#include "kernels/threads.h"
#include "models/base/grow.h"
#include "models/base/sha256.h"
#include "models/base/stop.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Names a kernel by all that its machine code depends on: the template, the compiler, the
 * architecture and the shape. */
static void name_kernel(const char *source, int architecture, kernel_name name)
{
    struct sha256 hash;
    unsigned char digest[SHA256_BYTES];
    sha256_begin(&hash);
    sha256_add(&hash, embedded_hash, strlen(embedded_hash) + 1);
    sha256_add(&hash, nvrtc_name(), strlen(nvrtc_name()) + 1);
    sha256_add(&hash, source, strlen(source));
    sha256_end(&hash, digest);
    int at = snprintf(name, sizeof(kernel_name), "walk_sm%d_", architecture);
    for (int i = 0; i < SHA256_BYTES; i++)
        at += snprintf(name + at, sizeof(kernel_name) - (size_t)at, "%02x", digest[i]);
}

/* ---- what is known --------------------------------------------------------------------------- */

/* Asset-steps for which a kernel is compiled: the general kernels take about as long for them as
 * the compilation takes, 0.3 s; on an H200, 8e10 a second. */
#define WORTH_COMPILING 2.4e10

/* The same of one that nobody waits for. It is counted in instructions of a program on a path, of
 * which an H100 interprets 1e12 a second: 2.4 ms. */
#define WORTH_LATER 2.4e9

/* How often a kernel is made that cannot be loaded: a device's memory may be full for a while. */
enum { MOST_FAILURES = 3 };

/* One kernel of this process, or that there is none: then why. */
struct known_kernel {
    kernel_name name;
    int architecture, device, block;
    size_t shared;           /* bytes of shared memory of a block */
    char *source;            /* of one that is yet to be compiled; owned */
    double steps;            /* asked for so far */
    bool searched, compiled; /* what was tried */
    bool making, waiting;    /* among those for later */
    int failures;
    cudaKernel_t kernel;
    enum status status;
    struct message why;
};

/* Kernels that a team compiles. */
struct kernel_list {
    int n, room;
    struct known_kernel **kernels; /* [n] */
    const struct stop *stop;
};

/* All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
static void *known_kernels; /* a tree of search.h */

/* What is compiled later, and how many threads do: under the same lock. */
static struct kernel_list backlog;
static int compiling;
static bool ending;

/* ---- making ---------------------------------------------------------------------------------- */

/* Finds a kernel in the libraries, and whether its blocks can have their threads and their shared
 * memory. STATUS_FAILED, with `why`, where it is there and they cannot. */
static enum status find_kernel(const struct known_kernel *entry, cudaKernel_t *kernel,
                               struct message *why)
{
    struct cudaFuncAttributes facts = {.maxThreadsPerBlock = 0};
    cudaLibrary_t library = library_of(entry->name);
    *kernel = NULL;
    if (!library) return STATUS_OK;
    cudaError_t error = cudaLibraryGetKernel(kernel, library, entry->name);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&facts, (const void *)*kernel);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(
            (const void *)*kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)entry->shared);
    cudaGetLastError();
    if (error == cudaSuccess && facts.maxThreadsPerBlock >= entry->block) return STATUS_OK;
    *kernel = NULL;
    return say_why(STATUS_FAILED, why, "path code cannot be loaded: %s",
                   error == cudaSuccess ? "too many registers" : cudaGetErrorString(error));
}

enum status compile_into_folder(const char *source, int architecture, struct compiled_code *code,
                                struct message *why)
{
    enum status status = nvrtc_compile(source, architecture, code, why);
    if (!status) code_write(code);
    return status;
}

/* Compiles a kernel, keeps it in the folder and loads it. */
static enum status compile_kernel(const struct known_kernel *entry, struct message *why)
{
    struct compiled_code code;
    memcpy(code.name, entry->name, sizeof code.name);
    enum status status = compile_into_folder(entry->source, entry->architecture, &code, why);
    if (!status) status = libraries_add(1, &code, entry->architecture, why);
    free(code.code);
    return status;
}

/* Finds the kernel in the libraries; compiles it where it is not there and `compile` is set. */
static void make_kernel(struct known_kernel *entry, bool compile)
{
    cudaKernel_t kernel = NULL;
    struct message why = {""};
    enum status status = find_kernel(entry, &kernel, &why);
    if (!status && !kernel && compile) {
        status = compile_kernel(entry, &why);
        if (!status) status = find_kernel(entry, &kernel, &why);
    }
    pthread_mutex_lock(&lock);
    if (!entry->kernel) entry->kernel = kernel, entry->status = status, entry->why = why;
    if (status && ++entry->failures < MOST_FAILURES) entry->searched = entry->compiled = false;
    if (compile) free(entry->source), entry->source = NULL;
    entry->making = false;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
}

/* Waits until no thread makes the kernel. The caller has the lock. */
static void await_maker(const struct known_kernel *entry)
{
    while (entry->making) pthread_cond_wait(&made, &lock);
}

/* Compiles a kernel on a thread of a team, unless another has tried. */
static void compile_one(void *context, int i)
{
    const struct kernel_list *list = context;
    struct known_kernel *entry = list->kernels[i];
    if (asked_to_stop(list->stop) || cudaSetDevice(entry->device) != cudaSuccess) return;
    pthread_mutex_lock(&lock);
    await_maker(entry);
    bool compile = !entry->kernel && !entry->compiled && entry->source;
    if (compile) entry->compiled = entry->making = true;
    pthread_mutex_unlock(&lock);
    if (compile) make_kernel(entry, true);
}

/* ---- later ----------------------------------------------------------------------------------- */

/* Takes the one that is asked for most; NULL where there is none, or the process ends: the thread
 * then compiles no more. */
static struct known_kernel *take_waiting(void)
{
    struct known_kernel *taken = NULL;
    int most = 0;
    pthread_mutex_lock(&lock);
    for (int i = 1; i < backlog.n; i++)
        if (backlog.kernels[i]->steps > backlog.kernels[most]->steps) most = i;
    if (backlog.n && !ending) {
        taken = backlog.kernels[most];
        backlog.kernels[most] = backlog.kernels[--backlog.n];
    } else compiling--;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
    return taken;
}

static void *compile_waiting(void *unused)
{
    for (struct known_kernel *taken; (taken = take_waiting());)
        compile_one(&(struct kernel_list){.n = 1, .kernels = &taken}, 0);
    return unused;
}

/* A compiler must not run while the libraries that it needs are unloaded. */
static void end_compiling(void)
{
    pthread_mutex_lock(&lock);
    ending = true;
    while (compiling) pthread_cond_wait(&made, &lock);
    pthread_mutex_unlock(&lock);
}

/* Leaves a kernel to be compiled later, by one thread more unless there is one for each core; one
 * that there is no memory for is not. The caller has the lock. */
static void compile_later(struct known_kernel *entry)
{
    static bool registered;
    pthread_t thread;
    if (entry->waiting ||
        grow_array(&backlog.kernels, &backlog.room, backlog.n + 1, sizeof *backlog.kernels))
        return;
    if (!registered && atexit(end_compiling)) return;
    registered = entry->waiting = true;
    backlog.kernels[backlog.n++] = entry;
    if (ending || compiling >= thread_count(0)) return;
    if (pthread_create(&thread, NULL, compile_waiting, NULL)) return;
    pthread_detach(thread);
    compiling++;
}

/* ---- asking ---------------------------------------------------------------------------------- */

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

static enum status no_compiler(struct message *why)
{
    return say_why(STATUS_NO_ENGINE, why,
                   "path code needs NVRTC of the CUDA toolkit, which is not here");
}

/* Finds what is known of a requested kernel, or begins it; and whether it is to be searched for in
 * the libraries. STATUS_NO_MEMORY. */
static enum status find_entry(struct kernel_request *request, const char *name, int architecture,
                              int device, bool *search)
{
    pthread_mutex_lock(&lock);
    struct known_kernel *entry = request->entry = kernel_entry(&known_kernels, name, sizeof *entry);
    if (entry) {
        if (!request->later) await_maker(entry);
        if (!entry->architecture) {
            entry->architecture = architecture;
            entry->device = device;
            entry->block = request->block;
            entry->shared = request->shared;
        }
        entry->steps += request->steps;
        *search = !entry->searched && !entry->making;
        if (*search) entry->searched = entry->making = true;
    }
    pthread_mutex_unlock(&lock);
    return entry ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Puts a requested kernel that pays, and was not found, among those that are compiled now, or
 * later. STATUS_NO_MEMORY. */
static enum status choose_compiled(const struct kernel_request *request, struct kernel_list *now)
{
    struct known_kernel *entry = request->entry;
    enum status status = STATUS_OK;
    pthread_mutex_lock(&lock);
    if (!entry->kernel && !entry->compiled &&
        entry->steps >= (request->later ? WORTH_LATER : WORTH_COMPILING)) {
        if (!entry->source) entry->source = strdup(request->source);
        if (!entry->source) status = STATUS_NO_MEMORY;
        else if (request->later) compile_later(entry);
        else now->kernels[now->n++] = entry;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* Tells what is known of a kernel. */
static void answer_request(struct kernel_request *request)
{
    const struct known_kernel *entry = request->entry;
    pthread_mutex_lock(&lock);
    if (!request->later) await_maker(entry);
    request->kernel = (const void *)entry->kernel;
    request->why = entry->why;
    request->status = entry->status;
    pthread_mutex_unlock(&lock);
}

enum status specialised_find(int n, struct kernel_request *requests,
                             const struct engine_options *options)
{
    enum status status = STATUS_OK;
    int device = 0, architecture = specialised_architecture();
    if (!n) return STATUS_OK;
    if (!architecture || !nvrtc_name() || cudaGetDevice(&device) != cudaSuccess) {
        for (int i = 0; i < n; i++) requests[i].status = no_compiler(&requests[i].why);
        return STATUS_OK;
    }
    kernel_name *names = malloc(sizeof *names * (size_t)n);
    struct kernel_list now = {.kernels = malloc(sizeof *now.kernels * (size_t)n),
                              .stop = options->stop};
    if (!names || !now.kernels) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n; i++) name_kernel(requests[i].source, architecture, names[i]);
    libraries_ask(n, (const kernel_name *)names, architecture, options->team);
    for (int i = 0; i < n; i++) {
        bool search = false;
        TRY(find_entry(&requests[i], names[i], architecture, device, &search));
        if (search) make_kernel(requests[i].entry, false);
        TRY(choose_compiled(&requests[i], &now));
    }
    team_loop(options->team, now.n, compile_one, &now);
    if (asked_to_stop(options->stop)) TRY(STATUS_INTERRUPTED);
    for (int i = 0; i < n; i++) answer_request(&requests[i]);
done:
    free(now.kernels);
    free(names);
    return status;
}

const void *kernel_now(const struct known_kernel *entry)
{
    if (!entry) return NULL;
    pthread_mutex_lock(&lock);
    const void *kernel = (const void *)entry->kernel;
    pthread_mutex_unlock(&lock);
    return kernel;
}

enum status specialised_name(const char *source, int architecture, kernel_name name,
                             struct message *why)
{
    if (!nvrtc_name()) return no_compiler(why);
    name_kernel(source, architecture, name);
    return STATUS_OK;
}
