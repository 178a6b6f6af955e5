/* One GPU's share of a run: a range of batches of every group. */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_H

#include <pthread.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/engine.h"

enum { MOST_DEVICES = 64 };

/* Which path code: that for every group, or the one that is compiled for the group's shape
 * (kernels/cuda/host/specialise.h). Where nothing is said, the latter where it is there or pays. */
enum path_code { PATH_CODE_OWN, PATH_CODE_GENERAL, PATH_CODE_SPECIALISED };

/* A path kernel: a row of rungs.def, and what was said of its path code. */
struct rung {
    const char *name;
    path_launch_function *launch[N_GROUP_CLASSES];
    int width; /* bytes of a stored normal it reads; 0: it draws its own */
    enum path_code code;
};

/* Returns whether a rung has path code: others read doubles. */
static inline bool has_path_code(const struct rung *rung)
{
    return rung->width != sizeof(double);
}

/* Progress of all devices together. */
struct device_progress {
    pthread_mutex_t lock;
    uint64_t done, total; /* path-steps */
};

struct device_job {
    /* in */
    const struct plan *plan;
    const struct engine_options *options;
    const struct rung *rung;
    int device;
    struct batch_range range; /* its tallies, of reserve.h, are out: to be given back */
    double *rows; /* of a plan of one group without payoffs: [row][path of the plan] that its paths
                   * remember go here; NULL: payoffs are valued */
    struct device_progress *progress;
    /* out */
    enum status status;
    struct message why;
    char device_name[120];
    struct launch_facts facts; /* of the last path kernel launched; only where options->timed */
    double start, busy; /* seconds before the first launch; seconds with a kernel on the device */
    double normals, paths, payoffs; /* seconds of each phase; measured only where options->timed */
};

/* Runs the job and sets its `status` (and `why`); leaves the CUDA error state clear. */
void device_run(struct device_job *job);

#endif
