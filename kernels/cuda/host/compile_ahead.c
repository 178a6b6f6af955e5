#include "kernels/cuda/host/compile_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/code_folder.h"
#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/group_route.h"
#include "kernels/cuda/host/program_code.h"
#include "kernels/cuda/host/specialise.h"
#include "kernels/team.h"
#include "models/base/grow.h"
#include "models/base/stop.h"

/* A kernel, and what came of it. */
struct ahead_piece {
    kernel_name name;
    char *source; /* owned */
    bool made;    /* now */
    enum status status;
    struct message why;
};

struct ahead {
    int architecture;
    const struct stop *stop;
    int n, room;
    struct ahead_piece *pieces; /* [n] no kernel twice */
};

static struct ahead *ahead_begin(int architecture)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (ahead) ahead->architecture = architecture;
    return ahead;
}

static bool is_known(const struct ahead *ahead, const char *name)
{
    for (int i = 0; i < ahead->n; i++)
        if (!strcmp(ahead->pieces[i].name, name)) return true;
    return false;
}

/* Adds the kernel of a source, which is owned, unless it is known; NULL: there was no memory for
 * it. */
static enum status add_source(struct ahead *ahead, char *source, struct message *why)
{
    struct ahead_piece piece = {.source = source};
    if (!source) return STATUS_NO_MEMORY;
    enum status status = specialised_name(source, ahead->architecture, piece.name, why);
    if (!status && !is_known(ahead, piece.name)) {
        status = grow_array(&ahead->pieces, &ahead->room, ahead->n + 1, sizeof *ahead->pieces);
        if (!status) ahead->pieces[ahead->n++] = piece, source = NULL;
    }
    free(source);
    return status;
}

/* Adds the kernel of groups alike, from one source of the numbers of their steps. */
static enum status add_one(struct ahead *ahead, const struct group *groups, enum step_source source,
                           struct message *why)
{
    struct shape shape;
    enum status status = shape_make(groups->n_markets, groups, source, ahead->architecture, &shape);
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

/* Adds what `auto` simulates a plan by: of groups alike its path code, and that which reads their
 * normals: `optimized`. */
static enum status ahead_add(struct ahead *ahead, const struct plan *plan, struct message *why)
{
    struct rung rung;
    struct program_structures structures = {0};
    enum status status = choose_rung(plan, &(struct engine_options){.kernel = "auto"}, &rung, why);
    if (status) return status;
    for (int g = 0; g < plan->n_groups; g += plan->groups[g].n_markets) {
        const struct group *groups = &plan->groups[g];
        struct shared_moves shared;
        status = device_moves_find(groups, &shared);
        int movers = shared.n;
        shared_moves_free(&shared);
        TRY(status);
        TRY(add_one(ahead, groups, step_source(&rung, movers), why));
        if (!movers) TRY(add_one(ahead, groups, STEPS_READ, why));
        for (int s = 0; s < groups->n_markets; s++)
            TRY(add_programs(ahead, &groups[s], &structures, why));
    }
done:
    structures_free(&structures);
    return status;
}

/* Compiles a kernel into the folder, unless it is there. */
static void compile_piece(void *context, int i)
{
    const struct ahead *ahead = context;
    struct ahead_piece *piece = &ahead->pieces[i];
    struct compiled_code code;
    piece->status = STATUS_INTERRUPTED;
    if (asked_to_stop(ahead->stop)) return;
    piece->status = STATUS_OK;
    if (!code_read(piece->name, &code)) {
        piece->status = nvrtc_compile(piece->source, piece->name, ahead->architecture, &code.code,
                                      &code.size, &piece->why);
        piece->made = !piece->status;
        if (piece->made) code_write(&code);
    }
    free(code.code);
}

static enum status ahead_compile(struct ahead *ahead, const struct engine_options *options, int *n,
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

static void ahead_end(struct ahead *ahead)
{
    if (!ahead) return;
    for (int i = 0; i < ahead->n; i++) free(ahead->pieces[i].source);
    free(ahead->pieces);
    free(ahead);
}

const struct ahead_compiler ahead_compiler = {
    .begin = ahead_begin, .add = ahead_add, .compile = ahead_compile, .end = ahead_end};
