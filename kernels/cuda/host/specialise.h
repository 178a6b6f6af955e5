/* Kernels made for the shapes of groups while the program runs: compiled once, kept for the program
 * and, in ${XDG_CACHE_HOME:-$HOME/.cache}/pricer/, for those that follow, which load what
 * they ask for (code_libraries.h). They are never needed: a group without one is simulated by the
 * general kernels, with the same bits. */
#ifndef PRICER_KERNELS_CUDA_HOST_SPECIALISE_H
#define PRICER_KERNELS_CUDA_HOST_SPECIALISE_H

#include <stdbool.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/host/code_libraries.h"
#include "kernels/cuda/host/shape.h"
#include "kernels/cuda/host/device_moves.h"
#include "kernels/engine.h"

/* Loads the compiler and the linker, which the first search for a kernel does otherwise. */
void specialised_wake(void);

/* Returns the architecture of the current device, as 90; 0 where there is none. */
int specialised_architecture(void);

/* A kernel that is asked for: that of a shape of groups alike, for so many asset-steps; and what is
 * found. */
struct kernel_request {
    const struct group *groups;
    const struct shape *shape;
    double steps;
    const void *kernel; /* NULL: there is none */
    enum status status; /* STATUS_NO_ENGINE: there is no compiler; STATUS_FAILED: it does not take
                           the code, or the device does not; STATUS_NO_MEMORY */
    struct message why; /* of these, one line */
};

/* Finds kernels for the current device. Those that the folder has are loaded. One that it does not
 * have is compiled, by the options' team, once the general kernels would take as long for the steps
 * that it has been asked for so far (with HUGE_VAL: the first time). So no compilation is begun
 * that this call does not use. Whoever asks for what another thread is making waits. Thread safe.
 * STATUS_INTERRUPTED; STATUS_NO_MEMORY. */
enum status specialised_find(int n, struct kernel_request *requests,
                             const struct engine_options *options);

/* A kernel to be compiled ahead, for an architecture, as 90. */
struct ahead_kernel {
    int architecture;
    kernel_name name;
    char *source; /* owned; NULL: the template has no such shape */
};

/* Finds the kernel of groups alike; release its source with free, whatever is returned. Thread
 * safe, and without a device, as the next. STATUS_NO_ENGINE with one line: there is no compiler;
 * STATUS_NO_MEMORY. */
enum status specialised_name(const struct group *groups, enum step_source source,
                             struct ahead_kernel *kernel, struct message *why);

/* Compiles it into the folder, unless it is there; *is_new tells which. STATUS_FAILED with one
 * line; STATUS_NO_MEMORY. */
enum status specialised_compile(const struct ahead_kernel *kernel, bool *is_new,
                                struct message *why);

/* Simulates groups alike by their kernel: `records` is where the shape's lie in device memory, and
 * `moves` where those are that `shared` says, if any. As path_launch_function of launch.h. */
cudaError_t launch_specialised(const void *kernel, const struct group *groups,
                               const struct shape *shape, const double *records,
                               const struct shared_moves *shared, const float *moves,
                               const struct path_launch *path_launches, int block,
                               cudaStream_t stream);

#endif
