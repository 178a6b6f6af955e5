#include "kernels/cuda/host/toolkit.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- libraries ------------------------------------------------------------------------------- */

/* The functions that are used. */
#define COMPILER(X)                                                                                \
    X(nvrtcVersion)                                                                                \
    X(nvrtcCreateProgram)                                                                          \
    X(nvrtcCompileProgram)                                                                         \
    X(nvrtcDestroyProgram)                                                                         \
    X(nvrtcGetCUBINSize)                                                                           \
    X(nvrtcGetCUBIN)                                                                               \
    X(nvrtcGetProgramLogSize)                                                                      \
    X(nvrtcGetProgramLog)
#define LINKER(X)                                                                                  \
    X(nvJitLinkCreate)                                                                             \
    X(nvJitLinkAddData)                                                                            \
    X(nvJitLinkComplete)                                                                           \
    X(nvJitLinkGetLinkedCubinSize)                                                                 \
    X(nvJitLinkGetLinkedCubin)                                                                     \
    X(nvJitLinkDestroy)

/* A function of a library, and the pointer that is to point to it. */
struct toolkit_function {
    const char *name;
    void *pointer;
};

static struct {
#define MEMBER(name) __typeof__(&name) name;
    COMPILER(MEMBER)
    LINKER(MEMBER)
#undef MEMBER
    char compiler[64]; /* its name; empty: there is none */
    bool linker;       /* is there */
} library;

#define ROW(name) {#name, &library.name},
static const struct toolkit_function compiler[] = {COMPILER(ROW)}, linker[] = {LINKER(ROW)};
#undef ROW

static void *open_toolkit(const char *name)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    void *found = NULL;
    char file[128];
    for (int i = 0; i < 2 && !found; i++) {
        snprintf(file, sizeof file, "%slib%s.so.%d", folders[i], name, CUDART_VERSION / 1000);
        found = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    return found;
}

/* Opens libNAME of the toolkit's version that the program was built with, for the rest of the
 * program, and finds n functions of it; false where there is none, or one of them is not there. */
static bool load_toolkit(const char *name, int n, const struct toolkit_function *functions)
{
    void *found = open_toolkit(name);
    for (int i = 0; found && i < n; i++) {
        void *function = dlsym(found, functions[i].name);
        if (!function) return false;
        memcpy(functions[i].pointer, &function, sizeof function);
    }
    return found != NULL;
}

static void load_both(void)
{
    int major = 0, minor = 0;
    library.linker = load_toolkit("nvJitLink", (int)(sizeof linker / sizeof *linker), linker);
    if (load_toolkit("nvrtc", (int)(sizeof compiler / sizeof *compiler), compiler) &&
        library.nvrtcVersion(&major, &minor) == NVRTC_SUCCESS)
        snprintf(library.compiler, sizeof library.compiler, "NVRTC %d.%d", major, minor);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

const char *nvrtc_name(void)
{
    pthread_once(&once, load_both);
    return library.compiler[0] ? library.compiler : NULL;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* What the compiler has no headers for. */
static const struct embedded_source system_headers[] = {
    {"stdint.h",
     "#pragma once\n"
     "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long "
     "int64_t;\n"
     "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n"
     "typedef unsigned long long uint64_t;\n"},
    {"math.h", "#pragma once\n#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)\n"},
    {"stddef.h", "#pragma once\n"},
    {"stdbool.h", "#pragma once\n"},
    {"string.h", "#pragma once\n"},
};

enum { SYSTEM_HEADERS = sizeof system_headers / sizeof *system_headers, HEADERS_MOST = 256 };

/* Lists all headers; returns how many. */
static int list_headers(const char **names, const char **texts)
{
    int n = 0;
    for (int i = 0; i < SYSTEM_HEADERS; i++)
        names[n] = system_headers[i].name, texts[n++] = system_headers[i].text;
    for (const struct embedded_source *source = embedded_sources; source->name && n < HEADERS_MOST;
         source++)
        names[n] = source->name, texts[n++] = source->text;
    return n;
}

/* Says the first line of the compiler's complaints. */
static void say_log(nvrtcProgram program, struct message *why)
{
    size_t size = 0;
    char *log = NULL;
    snprintf(why->text, sizeof why->text, "path code could not be compiled");
    if (library.nvrtcGetProgramLogSize(program, &size) || !(log = malloc(size + 1))) return;
    if (!library.nvrtcGetProgramLog(program, log))
        snprintf(why->text, sizeof why->text, "path code could not be compiled: %.*s",
                 (int)strcspn(log, "\n"), log);
    free(log);
}

enum status nvrtc_compile(const char *source, int architecture, struct compiled_code *code,
                          struct message *why)
{
    enum status status = STATUS_OK;
    nvrtcProgram program = NULL;
    const char *names[HEADERS_MOST], *texts[HEADERS_MOST];
    char target[32], name[128];
    code->code = NULL;
    if (!nvrtc_name()) return STATUS_NO_ENGINE;
    int n = list_headers(names, texts);
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", architecture);
    snprintf(name, sizeof name, "--define-macro=WALK=%s", code->name);
    const char *options[] = {target,
                             name,
                             "--fmad=false",
                             "--std=c++17",
                             "--device-as-default-execution-space",
                             "--relocatable-device-code=true"};
    if (library.nvrtcCreateProgram(&program, source, "walk.cu", n, texts, names))
        return STATUS_NO_MEMORY;
    if (library.nvrtcCompileProgram(program, sizeof options / sizeof *options, options)) {
        say_log(program, why);
        TRY(STATUS_FAILED);
    }
    if (library.nvrtcGetCUBINSize(program, &code->size) || !code->size) TRY(STATUS_FAILED);
    code->code = malloc(code->size);
    if (!code->code) TRY(STATUS_NO_MEMORY);
    if (library.nvrtcGetCUBIN(program, code->code)) TRY(STATUS_FAILED);
done:
    library.nvrtcDestroyProgram(&program);
    if (!status) return STATUS_OK;
    free(code->code);
    code->code = NULL;
    return status;
}

/* ---- linking --------------------------------------------------------------------------------- */

enum status link_code(int n, const struct compiled_code *pieces, int architecture, char **linked,
                      struct message *why)
{
    enum status status = STATUS_FAILED;
    nvJitLinkHandle linking = NULL;
    size_t size = 0;
    char target[32];
    const char *options[] = {target};
    *linked = NULL;
    pthread_once(&once, load_both);
    say_why(status, why, "path code could not be linked%s",
            library.linker ? "" : ": nvJitLink of the CUDA toolkit is not here");
    if (!library.linker) return STATUS_NO_ENGINE;
    snprintf(target, sizeof target, "-arch=sm_%d", architecture);
    bool succeeded = !library.nvJitLinkCreate(&linking, 1, options);
    for (int i = 0; i < n && succeeded; i++)
        succeeded = !library.nvJitLinkAddData(linking, NVJITLINK_INPUT_CUBIN, pieces[i].code,
                                              pieces[i].size, "path code");
    succeeded = succeeded && !library.nvJitLinkComplete(linking) &&
                !library.nvJitLinkGetLinkedCubinSize(linking, &size) && size;
    if (succeeded && !(*linked = malloc(size))) status = STATUS_NO_MEMORY;
    if (*linked && !library.nvJitLinkGetLinkedCubin(linking, *linked)) status = STATUS_OK;
    if (linking) library.nvJitLinkDestroy(&linking);
    if (!status) return STATUS_OK;
    free(*linked);
    *linked = NULL;
    return status;
}
