#include "kernels/cuda/host/toolkit.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

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

bool load_toolkit(const char *name, int n, const struct toolkit_function *functions)
{
    void *found = open_toolkit(name);
    for (int i = 0; found && i < n; i++) {
        void *function = dlsym(found, functions[i].name);
        if (!function) return false;
        memcpy(functions[i].pointer, &function, sizeof function);
    }
    return found != NULL;
}
