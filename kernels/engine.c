#include "kernels/engine.h"

#include <string.h>

const struct engine *const engines[] = {&cuda_engine, &cpu_engine, NULL};

const struct kernel_row *engine_kernel(const struct engine *engine, const char *name)
{
    for (const struct kernel_row *row = engine->kernels; row->name; row++)
        if (strlen(row->name) == strcspn(name, ":") && !strncmp(row->name, name, strlen(row->name)))
            return row;
    return NULL;
}
