#include "kernels/cuda/host/specialise.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/code_folder.h"
#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/group_route.h"
#include "kernels/cuda/host/program_code.h"
#include "kernels/team.h"
#include "models/base/grow.h"
#include "models/base/stop.h"

/* A kernel, and what came of it. */
struct wanted_kernel {
    kernel_name name;
    char *source; /* owned */
    bool made;    /* now */
    enum status status;
    struct message why;
};

struct compilation {
    int architecture;
    const struct stop *stop;
    int n, room;
    struct wanted_kernel *kernels; /* [n] no kernel twice */
};

static struct compilation *begin_compilation(int architecture)
{
    struct compilation *compilation = calloc(1, sizeof *compilation);
    if (compilation) compilation->architecture = architecture;
    return compilation;
}

static bool is_known(const struct compilation *compilation, const char *name)
{
    for (int i = 0; i < compilation->n; i++)
        if (!strcmp(compilation->kernels[i].name, name)) return true;
    return false;
}

/* Adds the kernel of a source, which is owned, unless it is known; NULL: there was no memory for
 * it. */
static enum status add_source(struct compilation *compilation, char *source, struct message *why)
{
    struct wanted_kernel kernel = {.source = source};
    if (!source) return STATUS_NO_MEMORY;
    enum status status = specialised_name(source, compilation->architecture, kernel.name, why);
    if (!status && !is_known(compilation, kernel.name)) {
        status = grow_array(&compilation->kernels, &compilation->room, compilation->n + 1,
                            sizeof *compilation->kernels);
        if (!status) compilation->kernels[compilation->n++] = kernel, source = NULL;
    }
    free(source);
    return status;
}

/* Adds the kernel of groups alike, from one source of the numbers of their steps. */
static enum status add_one(struct compilation *compilation, const struct group *groups,
                           enum step_source source, struct message *why)
{
    struct shape shape;
    enum status status =
        shape_make(groups->n_markets, groups, source, compilation->architecture, &shape);
    if (!status) status = add_source(compilation, shape_source(groups, &shape), why);
    else if (status == STATUS_FAILED) status = STATUS_OK; /* a shape that the template lacks */
    shape_free(&shape);
    return status;
}

/* Adds what `auto` simulates groups alike by: their path code, and that which reads their normals:
 * `optimized`; and the code of their programs. */
static enum status add_groups(struct compilation *compilation, const struct group *groups,
                              const struct rung *rung, struct message *why)
{
    struct shared_moves shared;
    enum status status = device_moves_find(groups, &shared);
    const int movers = shared.n;
    shared_moves_free(&shared);
    MUST(status);
    MUST(add_one(compilation, groups, step_source(rung, movers), why));
    if (!movers) MUST(add_one(compilation, groups, STEPS_READ, why));
    for (const struct group *group = groups; group < groups + groups->n_markets; group++)
        for (int p = 0; p < group->n_programs; p++)
            if (program_compiles(group->programs[p].program))
                MUST(add_source(compilation, program_source(group->programs[p].program), why));
    return STATUS_OK;
}

static enum status add_plan(struct compilation *compilation, const struct plan *plan,
                            struct message *why)
{
    struct rung rung;
    MUST(choose_rung(plan, &(struct engine_options){.kernel = "auto"}, &rung, why));
    for (int g = 0; g < plan->n_groups; g += plan->groups[g].n_markets)
        MUST(add_groups(compilation, &plan->groups[g], &rung, why));
    return STATUS_OK;
}

/* Compiles a kernel into the folder, unless it is there. */
static void compile_kernel(void *context, int i)
{
    const struct compilation *compilation = context;
    struct wanted_kernel *kernel = &compilation->kernels[i];
    struct compiled_code code;
    kernel->status = STATUS_INTERRUPTED;
    if (asked_to_stop(compilation->stop)) return;
    kernel->status = STATUS_OK;
    memcpy(code.name, kernel->name, sizeof code.name);
    if (!code_read(&code)) {
        kernel->status =
            compile_into_folder(kernel->source, compilation->architecture, &code, &kernel->why);
        kernel->made = !kernel->status;
    }
    free(code.code);
}

static enum status compile_kernels(struct compilation *compilation,
                                   const struct engine_options *options, int *n,
                                   struct message *why)
{
    enum status status = STATUS_OK;
    *n = 0;
    compilation->stop = options->stop;
    team_loop(options->team, compilation->n, compile_kernel, compilation);
    for (int i = 0; i < compilation->n && !status; i++) {
        status = compilation->kernels[i].status;
        if (status) *why = compilation->kernels[i].why;
        *n += compilation->kernels[i].made;
    }
    return status;
}

static void end_compilation(struct compilation *compilation)
{
    if (!compilation) return;
    for (int i = 0; i < compilation->n; i++) free(compilation->kernels[i].source);
    free(compilation->kernels);
    free(compilation);
}

const struct kernel_compiler kernel_compiler = {.begin = begin_compilation,
                                                .add = add_plan,
                                                .compile = compile_kernels,
                                                .end = end_compilation};
