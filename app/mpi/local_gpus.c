#include "app/mpi/local_gpus.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void local_gpus_share(const char *visible, int local, int n, size_t room, char *gpus)
{
    size_t used = 0;
    gpus[0] = '\0';
    for (int at = 0; *visible; at++) {
        size_t length = strcspn(visible, ",");
        if (at % n == local && used < room)
            used += (size_t)snprintf(gpus + used, room - used, "%s%.*s", used ? "," : "",
                                     (int)length, visible);
        visible += length + (visible[length] == ',');
    }
}

bool local_gpus_choose(const struct mpi_ranks *ranks)
{
    enum { ROOM = 4096 };
    char present[ROOM] = "", gpus[ROOM];
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    int n, local = mpi_ranks_local(ranks, &n);
    if (n == 1) return true;
    size_t used = 0;
    glob_t found;
    if (!visible && !glob("/dev/nvidia[0-9]*", 0, NULL, &found)) { /* devices of the driver's */
        for (size_t i = 0; i < found.gl_pathc && used < ROOM; i++)
            used += (size_t)snprintf(present + used, ROOM - used, "%s%zu", i ? "," : "", i);
        globfree(&found);
    }
    local_gpus_share(visible ? visible : present, local, n, sizeof gpus, gpus);
    return !setenv("CUDA_VISIBLE_DEVICES", gpus, 1);
}
