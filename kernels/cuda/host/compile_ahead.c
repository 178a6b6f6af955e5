#include "kernels/cuda/host/compile_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/group_route.h"
#include "kernels/cuda/host/program_code.h"
#include "kernels/cuda/host/specialise.h"
#include "kernels/team.h"
#include "models/base/stop.h"

/* A kernel, and what came of it. */
struct ahead_piece {
    struct ahead_kernel kernel;
    bool made; /* now */
    enum status status;
    struct message why;
};

struct ahead {
    int architecture;
    const struct stop *stop;
    int n, room;
    struct ahead_piece *pieces; /* [n] no kernel twice */
};

struct ahead *ahead_begin(int architecture)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (ahead) ahead->architecture = architecture;
    return ahead;
}

static bool is_known(const struct ahead *ahead, const char *name)
{
    for (int i = 0; i < ahead->n; i++)
        if (!strcmp(ahead->pieces[i].kernel.name, name)) return true;
    return false;
}

/* Keeps a kernel that is not known yet, and its source. */
static enum status keep(struct ahead *ahead, struct ahead_kernel *kernel)
{
    if (is_known(ahead, kernel->name)) return STATUS_OK;
    if (ahead->n == ahead->room) {
        int room = 2 * ahead->room + 16;
        struct ahead_piece *more = realloc(ahead->pieces, sizeof *more * (size_t)room);
        if (!more) return STATUS_NO_MEMORY;
        ahead->pieces = more, ahead->room = room;
    }
    ahead->pieces[ahead->n++] = (struct ahead_piece){.kernel = *kernel};
    kernel->source = NULL;
    return STATUS_OK;
}

/* Adds the kernel of a source, which is owned; NULL: there was no memory for it. */
static enum status add_source(struct ahead *ahead, char *source, struct message *why)
{
    struct ahead_kernel kernel = {.architecture = ahead->architecture, .source = source};
    if (!source) return STATUS_NO_MEMORY;
    enum status status = specialised_name(&kernel, why);
    if (!status) status = keep(ahead, &kernel);
    free(kernel.source);
    return status;
}

/* Adds the kernel of groups alike, from one source of the numbers of their steps. */
static enum status add_one(struct ahead *ahead, const struct group *groups, enum step_source source,
                           struct message *why)
{
    struct shape shape;
    enum status status = shape_make(groups->n_alike, groups, source, ahead->architecture, &shape);
    if (!status) status = add_source(ahead, shape_source(groups, &shape), why);
    else if (status == STATUS_FAILED) status = STATUS_OK; /* a shape that the template lacks */
    shape_free(&shape);
    return status;
}

/* Adds the code of a group's programs, each structure once. */
static enum status add_programs(struct ahead *ahead, const struct group *group,
                                struct program_structures *structures, struct message *why)
{
    enum status status = STATUS_OK;
    for (int p = 0; p < group->n_programs && !status; p++) {
        const struct program *program = group->programs[p].program;
        const struct program_structure *structure = structure_find(structures, program);
        if (!structure) return STATUS_NO_MEMORY;
        bool is_new = structure->program == program;
        if (is_new && program_compiles(program))
            status = add_source(ahead, program_source(program), why);
    }
    return status;
}

enum status ahead_add(struct ahead *ahead, const struct plan *plan, const struct rung *rung,
                      struct message *why)
{
    enum status status = STATUS_OK;
    struct program_structures structures = {0};
    for (int g = 0; g < plan->n_groups; g += plan->groups[g].n_alike) {
        const struct group *groups = &plan->groups[g];
        struct shared_moves shared;
        status = device_moves_find(groups, &shared);
        int movers = shared.n;
        shared_moves_free(&shared);
        TRY(status);
        TRY(add_one(ahead, groups, step_source(rung, movers), why));
        if (!movers) TRY(add_one(ahead, groups, STEPS_READ, why));
        for (int s = 0; s < groups->n_alike; s++)
            TRY(add_programs(ahead, &groups[s], &structures, why));
    }
done:
    structures_free(&structures);
    return status;
}

static void compile_piece(void *context, int i)
{
    const struct ahead *ahead = context;
    struct ahead_piece *piece = &ahead->pieces[i];
    piece->status = STATUS_INTERRUPTED;
    if (!asked_to_stop(ahead->stop))
        piece->status = specialised_compile(&piece->kernel, &piece->made, &piece->why);
}

enum status ahead_compile(struct ahead *ahead, const struct engine_options *options, int *n,
                          struct message *why)
{
    enum status status = STATUS_OK;
    *n = 0;
    ahead->stop = options->stop;
    team_loop(options->team, ahead->n, compile_piece, ahead);
    for (int i = 0; i < ahead->n && !status; i++) {
        status = ahead->pieces[i].status;
        if (status) *why = ahead->pieces[i].why;
        *n += ahead->pieces[i].made;
    }
    return status;
}

void ahead_end(struct ahead *ahead)
{
    if (!ahead) return;
    for (int i = 0; i < ahead->n; i++) free(ahead->pieces[i].kernel.source);
    free(ahead->pieces);
    free(ahead);
}
