#include "kernels/cuda/host/nvrtc.h"

#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/toolkit.h"

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

/* The library's functions that are used. */
#define FUNCTIONS(X)                                                                               \
    X(nvrtcVersion)                                                                                \
    X(nvrtcCreateProgram)                                                                          \
    X(nvrtcCompileProgram)                                                                         \
    X(nvrtcDestroyProgram)                                                                         \
    X(nvrtcGetCUBINSize)                                                                           \
    X(nvrtcGetCUBIN)                                                                               \
    X(nvrtcGetProgramLogSize)                                                                      \
    X(nvrtcGetProgramLog)

static struct {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    char name[64]; /* empty: there is no library */
} library;

static const struct toolkit_function functions[] = {
#define ROW(name) {#name, &library.name},
    FUNCTIONS(ROW)
#undef ROW
};

/* Loads the library once; it stays for the rest of the program. */
static void load_library(void)
{
    int major = 0, minor = 0;
    if (!load_toolkit("nvrtc", (int)(sizeof functions / sizeof *functions), functions)) return;
    if (library.nvrtcVersion(&major, &minor) == NVRTC_SUCCESS)
        snprintf(library.name, sizeof library.name, "NVRTC %d.%d", major, minor);
}

const char *nvrtc_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_library);
    return library.name[0] ? library.name : NULL;
}

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

enum status nvrtc_compile(const char *source, const char *kernel, int architecture, char **code,
                          size_t *size, struct message *why)
{
    enum status status = STATUS_OK;
    nvrtcProgram program = NULL;
    const char *names[HEADERS_MOST], *texts[HEADERS_MOST];
    char target[32], name[128];
    *code = NULL;
    if (!nvrtc_name()) return STATUS_NO_ENGINE;
    int n = list_headers(names, texts);
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", architecture);
    snprintf(name, sizeof name, "--define-macro=WALK=%s", kernel);
    const char *options[] = {target,
                             name,
                             "--fmad=false",
                             "--std=c++17",
                             "--device-as-default-execution-space",
                             "--relocatable-device-code=true"};
    if (library.nvrtcCreateProgram(&program, source, "walk.cu", n, texts, names))
        TRY(STATUS_NO_MEMORY);
    if (library.nvrtcCompileProgram(program, sizeof options / sizeof *options, options)) {
        say_log(program, why);
        TRY(STATUS_FAILED);
    }
    if (library.nvrtcGetCUBINSize(program, size) || !*size) TRY(STATUS_FAILED);
    *code = malloc(*size);
    if (!*code) TRY(STATUS_NO_MEMORY);
    if (library.nvrtcGetCUBIN(program, *code)) TRY(STATUS_FAILED);
done:
    if (program) library.nvrtcDestroyProgram(&program);
    if (status) {
        free(*code);
        *code = NULL;
    }
    return status;
}
