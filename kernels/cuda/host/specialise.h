/* Kernels made for the shapes of groups, and for programs, while the program runs: compiled once,
 * kept for the program and, in ${XDG_CACHE_HOME:-$HOME/.cache}/pricer/, for those that follow,
 * which load what they ask for (code_libraries.h). They are never needed: a group without one is
 * simulated by the general kernels, and a program interpreted, with the same bits. */
#ifndef PRICER_KERNELS_CUDA_HOST_SPECIALISE_H
#define PRICER_KERNELS_CUDA_HOST_SPECIALISE_H

#include <stdbool.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/host/code_libraries.h"
#include "kernels/engine.h"

/* Returns the architecture of the current device, as 90; 0 where there is none. */
int specialised_architecture(void);

/* A kernel that is asked for, as source, for so many asset-steps of paths, or instructions on
 * paths; and what is found. */
struct known_kernel;
struct kernel_request {
    struct device_layout *layout;        /* of groups alike that it is for; else */
    struct program_structure *structure; /* the programs that it is for */
    char *source;                        /* owned; the kernel is called WALK */
    int block; /* threads of its blocks, and their bytes of dynamic shared memory */
    size_t shared;
    double steps;
    bool later;                 /* nobody waits until it is compiled */
    struct known_kernel *entry; /* of such a one: kernel_now() */
    const void *kernel;         /* NULL: there is none */
    enum status status; /* STATUS_NO_ENGINE: there is no compiler; STATUS_FAILED: it does not take
                           the code, or the device does not; STATUS_NO_MEMORY */
    struct message why; /* of these, one line */
};

/* Finds kernels for the current device. Those that the folder has are loaded. One that it does not
 * have is compiled once the general kernels would take as long for the steps that it has been asked
 * for so far (with HUGE_VAL: the first time): by the options' team, and whoever asks for what
 * another thread is making waits; one for later on threads of its own, which the end of the process
 * stops between two kernels, once a tenth of that would be saved. Thread safe. STATUS_INTERRUPTED;
 * STATUS_NO_MEMORY. */
enum status specialised_find(int n, struct kernel_request *requests,
                             const struct engine_options *options);

/* Returns the kernel, if it is there by now; NULL: it is not. Thread safe. */
const void *kernel_now(const struct known_kernel *entry);

/* Names the kernel of a source for an architecture, as 90. Thread safe, and without a device.
 * STATUS_NO_ENGINE with one line: there is no compiler. */
enum status specialised_name(const char *source, int architecture, kernel_name name,
                             struct message *why);

/* Compiles a source, as nvrtc_compile(), into the folder too. */
enum status compile_into_folder(const char *source, int architecture, struct compiled_code *code,
                                struct message *why);

/* What compiles path code before any device asks for it (compile_ahead.c). */
extern const struct kernel_compiler kernel_compiler;

#endif
