/* Path code that is compiled before any device asks for it. */
#ifndef PRICER_KERNELS_CUDA_HOST_COMPILE_AHEAD_H
#define PRICER_KERNELS_CUDA_HOST_COMPILE_AHEAD_H

#include "kernels/cuda/host/device.h"
#include "kernels/engine.h"

/* The functions of struct ahead_compiler (kernels/engine.h). Of a plan's groups alike that of a
 * rung is added, and that which reads their normals: `optimized`. */
struct ahead *ahead_begin(int architecture);
enum status ahead_add(struct ahead *ahead, const struct plan *plan, const struct rung *rung,
                      struct message *why);
enum status ahead_compile(struct ahead *ahead, const struct engine_options *options, int *n,
                          struct message *why);
void ahead_end(struct ahead *ahead);

#endif
