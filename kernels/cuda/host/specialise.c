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
    double steps;            /* asked for so far */
    bool searched, compiled; /* what was tried */
    bool making, waiting;    /* among those for later */
    int failures;
    cudaKernel_t kernel;
    enum status status;
    struct message why;
};

/* What the making of a kernel takes. */
struct recipe {
    struct known_kernel *entry;
    char *source; /* owned by the request; of one for later by that */
    int architecture, device, block;
    size_t shared; /* bytes of shared memory of a block */
    bool later;
    const struct stop *stop;
};

/* All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
static void *known_kernels; /* a tree of search.h */

/* What is compiled later, and the thread that does, with others: under the same lock. */
static struct {
    int n, room;
    struct recipe *recipes; /* [n] their sources owned */
    pthread_t thread;
    bool started, running, ending;
} backlog;

/* ---- making ---------------------------------------------------------------------------------- */

/* Finds a kernel in the libraries, and whether its blocks can have their threads and their shared
 * memory. STATUS_FAILED, with `why`, where it is there and they cannot. */
static enum status find_kernel(const struct recipe *recipe, cudaKernel_t *kernel,
                               struct message *why)
{
    struct cudaFuncAttributes facts = {.maxThreadsPerBlock = 0};
    cudaLibrary_t library = library_of(recipe->entry->name);
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

enum status compile_into_folder(const char *source, const char *name, int architecture,
                                struct compiled_code *code, struct message *why)
{
    snprintf(code->name, sizeof code->name, "%s", name);
    enum status status = nvrtc_compile(source, name, architecture, &code->code, &code->size, why);
    if (!status) code_write(code);
    return status;
}

/* Compiles a kernel, keeps it in the folder and loads it. */
static enum status compile_kernel(const struct recipe *recipe, struct message *why)
{
    struct compiled_code code;
    enum status status =
        compile_into_folder(recipe->source, recipe->entry->name, recipe->architecture, &code, why);
    if (!status) status = libraries_add(1, &code, recipe->architecture, why);
    free(code.code);
    return status;
}

/* Finds the kernel in the libraries; compiles it where it is not there and `compile` is set. */
static void make_kernel(const struct recipe *recipe, bool compile)
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
    if (status && ++entry->failures < MOST_FAILURES) entry->searched = entry->compiled = false;
    entry->making = false;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Waits until no thread makes the kernel. The caller has the lock. */
static void await_maker(const struct known_kernel *entry)
{
    while (entry->making) pthread_cond_wait(&made, &lock);
}

/* Searches the libraries for a kernel that is asked for so many steps, the first time. Returns
 * whether it is to be compiled. */
static bool ask_for(const char *name, struct recipe *recipe, double steps)
{
    bool search = false, compile = false;
    pthread_mutex_lock(&lock);
    struct known_kernel *entry = recipe->entry = kernel_entry(&known_kernels, name, sizeof *entry);
    if (entry) {
        if (!recipe->later) await_maker(entry);
        entry->steps += steps;
        search = !entry->searched && !entry->making;
        if (search) entry->searched = entry->making = true;
    }
    pthread_mutex_unlock(&lock);
    if (search) make_kernel(recipe, false);
    pthread_mutex_lock(&lock);
    compile =
        entry && !entry->kernel && entry->steps >= (recipe->later ? WORTH_LATER : WORTH_COMPILING);
    pthread_mutex_unlock(&lock);
    return compile;
}

/* Compiles a kernel on a thread of a team, unless another has tried. */
static void compile_one(void *context, int i)
{
    const struct recipe *recipe = &((const struct recipe *)context)[i];
    struct known_kernel *entry = recipe->entry;
    if (asked_to_stop(recipe->stop) || cudaSetDevice(recipe->device) != cudaSuccess) return;
    pthread_mutex_lock(&lock);
    await_maker(entry);
    bool compile = !entry->kernel && !entry->compiled;
    if (compile) entry->compiled = entry->making = true;
    pthread_mutex_unlock(&lock);
    if (compile) make_kernel(recipe, true);
}

/* ---- later ----------------------------------------------------------------------------------- */

/* Takes the one that is asked for most; false where there is none, or the process ends. */
static bool take_waiting(struct recipe *recipe)
{
    int most = 0;
    pthread_mutex_lock(&lock);
    bool any = backlog.n && !backlog.ending;
    for (int i = 1; i < backlog.n; i++)
        if (backlog.recipes[i].entry->steps > backlog.recipes[most].entry->steps) most = i;
    if (any) *recipe = backlog.recipes[most], backlog.recipes[most] = backlog.recipes[--backlog.n];
    pthread_mutex_unlock(&lock);
    return any;
}

static void *compile_waiting(void *unused)
{
    struct recipe recipe;
    while (take_waiting(&recipe)) {
        compile_one(&recipe, 0);
        free(recipe.source);
    }
    return unused;
}

static void *compile_all_waiting(void *unused)
{
    for (bool more = true; more;) {
        run_on_threads(thread_count(0), compile_waiting, NULL);
        pthread_mutex_lock(&lock);
        more = backlog.running = backlog.n && !backlog.ending;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

/* A compiler must not run while the libraries that it needs are unloaded. */
static void end_compiling(void)
{
    pthread_mutex_lock(&lock);
    backlog.ending = true;
    bool started = backlog.started;
    pthread_mutex_unlock(&lock);
    if (started) pthread_join(backlog.thread, NULL);
}

/* Starts the thread, unless it runs. The caller has the lock. */
static void start_compiling(void)
{
    static bool registered;
    if (backlog.running || backlog.ending || !backlog.n) return;
    if (!registered && atexit(end_compiling)) return;
    registered = true;
    if (backlog.started) pthread_join(backlog.thread, NULL); /* it is at its end */
    backlog.started = backlog.running =
        !pthread_create(&backlog.thread, NULL, compile_all_waiting, NULL);
}

/* Leaves a recipe to be compiled later; one that there is no memory for is not. */
static void compile_later(const struct recipe *recipe)
{
    struct known_kernel *entry = recipe->entry;
    pthread_mutex_lock(&lock);
    if (!entry->waiting && !entry->compiled &&
        !grow_array(&backlog.recipes, &backlog.room, backlog.n + 1, sizeof *backlog.recipes)) {
        struct recipe *added = &backlog.recipes[backlog.n];
        *added = *recipe;
        added->source = strdup(recipe->source);
        if (added->source) backlog.n++, entry->waiting = true;
    }
    start_compiling();
    pthread_mutex_unlock(&lock);
}

/* ---- devices --------------------------------------------------------------------------------- */

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

/* Finds the current device and its architecture. STATUS_NO_ENGINE where there is no device, or
 * nothing that compiles. */
static enum status find_device(struct recipe *recipe)
{
    recipe->architecture = specialised_architecture();
    if (!recipe->architecture || !nvrtc_name()) return STATUS_NO_ENGINE;
    if (cudaGetDevice(&recipe->device) != cudaSuccess) return STATUS_NO_ENGINE;
    return STATUS_OK;
}

static enum status no_compiler(struct message *why)
{
    snprintf(why->text, sizeof why->text,
             "path code needs NVRTC of the CUDA toolkit, which is not here");
    return STATUS_NO_ENGINE;
}

/* Tells what is known of a kernel. */
static void answer_request(const struct known_kernel *entry, struct kernel_request *request)
{
    pthread_mutex_lock(&lock);
    if (!request->later) await_maker(entry);
    request->entry = entry;
    request->kernel = (const void *)entry->kernel;
    request->why = entry->why;
    request->status = entry->status;
    pthread_mutex_unlock(&lock);
}

/* Makes what the kernels of requests take, and their names. */
static void make_recipes(int n, const struct kernel_request *requests, struct recipe first,
                         struct recipe *recipes, kernel_name *names)
{
    for (int i = 0; i < n; i++) {
        recipes[i] = first;
        recipes[i].source = requests[i].source;
        recipes[i].block = requests[i].block;
        recipes[i].shared = requests[i].shared;
        recipes[i].later = requests[i].later;
        if (requests[i].later) recipes[i].stop = NULL;
        name_kernel(recipes[i].source, first.architecture, names[i]);
    }
}

enum status specialised_find(int n, struct kernel_request *requests,
                             const struct engine_options *options)
{
    enum status status = STATUS_OK;
    struct recipe first = {.stop = options->stop};
    int n_compiled = 0;
    if (!n) return STATUS_OK;
    if (find_device(&first)) {
        for (int i = 0; i < n; i++) requests[i].status = no_compiler(&requests[i].why);
        return STATUS_OK;
    }
    kernel_name *names = malloc(sizeof *names * (size_t)n);
    struct recipe *recipes = calloc((size_t)n, sizeof *recipes);
    struct recipe *compiled = malloc(sizeof *compiled * (size_t)n);
    if (!names || !recipes || !compiled) TRY(STATUS_NO_MEMORY);
    make_recipes(n, requests, first, recipes, names);
    libraries_ask(n, (const kernel_name *)names, first.architecture, options->team);
    for (int i = 0; i < n; i++) {
        bool compile = ask_for(names[i], &recipes[i], requests[i].steps);
        if (!recipes[i].entry) TRY(STATUS_NO_MEMORY);
        if (compile && recipes[i].later) compile_later(&recipes[i]);
        else if (compile) compiled[n_compiled++] = recipes[i];
    }
    team_loop(options->team, n_compiled, compile_one, compiled);
    if (asked_to_stop(options->stop)) TRY(STATUS_INTERRUPTED);
    for (int i = 0; i < n; i++) answer_request(recipes[i].entry, &requests[i]);
done:
    free(recipes);
    free(compiled);
    free(names);
    return status;
}

void kernel_requests_free(int n, struct kernel_request *requests)
{
    for (int i = 0; i < n; i++) free(requests[i].source);
    free(requests);
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
