#include "kernels/cuda/host/nvjitlink.h"

#include <nvJitLink.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/toolkit.h"

/* The library's functions that are used. */
#define FUNCTIONS(X)                                                                               \
    X(nvJitLinkCreate)                                                                             \
    X(nvJitLinkAddData)                                                                            \
    X(nvJitLinkComplete)                                                                           \
    X(nvJitLinkGetLinkedCubinSize)                                                                 \
    X(nvJitLinkGetLinkedCubin)                                                                     \
    X(nvJitLinkDestroy)

static struct {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    bool there;
} library;

static const struct toolkit_function functions[] = {
#define ROW(name) {#name, &library.name},
    FUNCTIONS(ROW)
#undef ROW
};

/* Loads the library once; it stays for the rest of the program. */
static void load_library(void)
{
    library.there =
        load_toolkit("nvJitLink", (int)(sizeof functions / sizeof *functions), functions);
}

bool linker_there(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_library);
    return library.there;
}

enum status link_code(int n, const struct compiled_code *pieces, int architecture, char **linked,
                      struct message *why)
{
    enum status status = STATUS_FAILED;
    nvJitLinkHandle linker = NULL;
    size_t size = 0;
    char target[32];
    const char *options[] = {target};
    *linked = NULL;
    snprintf(why->text, sizeof why->text, "path code could not be linked%s",
             linker_there() ? "" : ": nvJitLink of the CUDA toolkit is not here");
    if (!library.there) return STATUS_NO_ENGINE;
    snprintf(target, sizeof target, "-arch=sm_%d", architecture);
    bool well = !library.nvJitLinkCreate(&linker, 1, options);
    for (int i = 0; i < n && well; i++)
        well = !library.nvJitLinkAddData(linker, NVJITLINK_INPUT_CUBIN, pieces[i].code,
                                         pieces[i].size, "path code");
    well = well && !library.nvJitLinkComplete(linker) &&
           !library.nvJitLinkGetLinkedCubinSize(linker, &size) && size;
    if (well && !(*linked = malloc(size))) status = STATUS_NO_MEMORY;
    if (*linked && !library.nvJitLinkGetLinkedCubin(linker, *linked)) status = STATUS_OK;
    if (linker) library.nvJitLinkDestroy(&linker);
    if (!status) return STATUS_OK;
    free(*linked);
    *linked = NULL;
    return status;
}
