/* The engines that can run a plan, and the kernels each of them offers: the only lists of both are
 * kernels/engine.c and the table of kernels in each engine. */
#ifndef PRICER_KERNELS_ENGINE_H
#define PRICER_KERNELS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/plan.h"
#include "kernels/ranks.h"
#include "kernels/route.h"
#include "models/base/status.h"
#include "models/dynamics/local_vol_table.h"
#include "models/math/tally.h"

/* How a plan is run; nothing here changes a price (but the kernel `baseline`, which has its own
 * arithmetic).
 */
struct engine_options {
    const char *kernel; /* a name of the engine's table, or "auto" */
    int threads;        /* CPU threads; 0: one a core */
    int n_gpus;         /* GPUs named in `gpus`; 0: all */
    int gpus[64];
    int streams; /* CUDA streams, 1 or 2; 0: two */
    int block; /* CUDA threads a block of path kernels, cut to what a kernel can; 0: its own choice
                */
    int launch_batches; /* most batches that a launch simulates; 0: what memory allows */
    bool timed;         /* measure phases one after the other, without overlap */
    void (*progress)(void *context, uint64_t done,
                     uint64_t total); /* may be NULL; in units of path-steps */
    void *progress_context;
    const struct stop *stop; /* may be NULL; asks the engine to end with STATUS_INTERRUPTED */
    /* Of the caller's call, for what is shared out beside engines; NULL: none */
    struct team *team;
    /* Who else works on the same run; NULL: nobody, and engines do not look */
    const struct ranks *ranks;
    bool everywhere; /* what comes next depends on tallies: all ranks are told them */
    /* What the tallies of batches that wait to be merged may take; 0: what they like. Groups that
     * are simulated together have room whatever they take */
    size_t tally_bytes;
    void *stand_in; /* of whoever stands in for an engine, which itself does not look */
};

/* What a run did, in seconds; CUDA phases are event times, exact only where `timed`. */
struct engine_report {
    char kernel[32]; /* the kernel that ran */
    char device[160];
    double normals; /* generating stored normals */
    double paths;   /* simulating paths (with their normals, where fused or on the CPU) */
    double payoffs; /* payoffs and tallies */
    double start;   /* making the device and its memory ready, before the first launch on any */
    double busy;    /* of the rest, with a kernel on the device, the mean over the devices; 0 on the
                       CPU */
    double total;   /* wall clock of the whole call */
    int registers;  /* of a thread of the path kernel; 0 on the CPU, as the next four are */
    int shared_bytes; /* shared memory of a block of it */
    int block;        /* threads of a block of it */
    double occupancy; /* warps resident on a multiprocessor over the most it can hold */
    int bytes_a_step; /* read from memory for a path-step: the stored normal */
};

struct kernel_row {
    const char *name;
    const char *idea; /* one line for --list-kernels */
};

/* Some batches of a plan, and where what they bring goes. */
struct batch_range {
    uint64_t first, end;   /* batches first .. end - 1 of the plan */
    struct tally *tallies; /* [range_tallies()] of unit values: for each group, or scenario set, in
                            * turn, [batch of the range] of its tallies (scenario_set_tallies()) */
    double *totals;        /* [chunk of the range][contrast][total], added to what is there: the
                            * caller begins them with zeros, and a plan whose scenario sets are walked
                            * by several calls, in order, has the bits of one call; NULL where the
                            * plan has none */
};

/* Tallies that a range has room for. */
static inline size_t range_tallies(const struct plan *plan, const struct batch_range *range)
{
    size_t tallies = 0;
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g))
        tallies += scenario_set_tallies(plan, g);
    return tallies * (size_t)(range->end - range->first);
}

/* Paths of its batches, of which the plan's last may be shorter. */
static inline uint64_t range_paths(const struct plan *plan, const struct batch_range *range)
{
    uint64_t end = range->end * BATCH_PATHS;
    return (end < plan->paths ? end : plan->paths) - range->first * BATCH_PATHS;
}

/* Some chunks of a group's paths, and where what they remember goes. */
struct chunk_range {
    uint64_t first, end; /* chunks first .. end - 1 of the plan */
    double *rows; /* [row of the group][path of the range] that payoffs read (struct group) */
};

/* Who sees paths pass: `see` is told of PATH_LANES paths of a chunk, from number `column` of it on,
 * at the end of a step: x [underlying][PATH_LANES], log2 S, and f, g [PATH_LANES], the features
 * that the exercise in a slot sees, if it looks there. */
struct path_watcher {
    void (*see)(void *context, int step, int column, const double *const *x, const double *f,
                const double *g);
    void *context;
    int slot; /* -1: no features are asked for */
};

/* Compiles what plans are simulated by on devices of an architecture, as 90, where none has to be,
 * and keeps it for runs on them. */
struct compilation;
struct kernel_compiler {
    /* NULL without memory; release with `end`. */
    struct compilation *(*begin)(int architecture);

    /* Adds the kernels of a plan's groups. STATUS_NO_ENGINE with one line: there is no compiler;
     * STATUS_NO_MEMORY. */
    enum status (*add)(struct compilation *compilation, const struct plan *plan,
                       struct message *why);

    /* Compiles those that are not kept already, on the options' team; *n is how many.
     * STATUS_FAILED with one line: the compiler does not take one; STATUS_INTERRUPTED,
     * STATUS_NO_MEMORY. */
    enum status (*compile)(struct compilation *compilation, const struct engine_options *options,
                           int *n, struct message *why);
    void (*end)(struct compilation *compilation);
};

struct engine {
    const char *name;
    const struct kernel_row *kernels; /* ended by a row without name */

    /* Kernels with their settings, each a name that `walk` takes, `baseline` first; ended by
     * NULL. */
    const char *const *settings;

    /* Of these the ones that a reader of a book compares: what --bench times; ended by NULL. */
    const char *const *shown;

    /* Begins to make the devices ready, on a thread of its own, while the caller does something
     * else; `ready` waits for it, and must be called before the program ends. NULL where there is
     * nothing to begin. */
    void (*wake)(void);

    /* STATUS_OK where the engine can run here; else STATUS_NO_ENGINE and one line that says why. */
    enum status (*ready)(struct message *why);

    /* Says by which path kernel a group of the plan is simulated, and why: from the plan and the
     * options alone, without a device. STATUS_BAD_INPUT: unknown kernel. */
    enum status (*route)(const struct plan *plan, int group, const struct engine_options *options,
                         struct route *route, struct message *why);

    /* NULL where an engine compiles nothing. */
    const struct kernel_compiler *compiler;

    /* Makes n tables of local_vol's steps, of which a plan may have thousands; the same bits as
     * local_vol_tables(). Where a device has no room, or anything else is wrong with it, `made`
     * says so of a table. NULL where an engine is no quicker at it than the caller. */
    void (*make_tables)(int n, const struct table_request *requests, int n_surfaces,
                        const struct implied_surface *surfaces,
                        const struct engine_options *options, struct table_made *made);

    /* Calls of `walk` that are worth making at the same time: 1 where one of them keeps the
     * machine busy. */
    int calls;

    /* Batches of a call that keep the machine busy: fewer take about as long. */
    uint64_t fill;

    /* Simulates the paths of the range's batches and writes the tallies of each batch; the report's
     * `total` is the caller's to fill. May be called on several threads at the same time.
     * STATUS_BAD_INPUT: unknown kernel; STATUS_NO_MEMORY, STATUS_ENGINE, STATUS_INTERRUPTED. */
    enum status (*walk)(const struct plan *plan, const struct engine_options *options,
                        const struct batch_range *range, struct engine_report *report,
                        struct message *why);

    /* Simulates the paths of one group in the range's chunks and writes the rows that they
     * remember, the same bits on every engine and by every kernel but `baseline`; of several GPUs
     * one does so. May be called on several threads at the same time; no progress is told. Errors
     * as of `walk`. */
    enum status (*observe)(const struct plan *plan, const struct engine_options *options, int group,
                           const struct chunk_range *range, struct message *why);

    /* Simulates the paths of one group in a chunk, on this thread, and shows them at the end of
     * each step at which the group observes something, the chunk's columns in order; of what it
     * observes only the features are found that the watcher asks for. Not of points. NULL where an
     * engine shows nothing. Errors as of `walk`. */
    enum status (*watch)(const struct plan *plan, const struct engine_options *options, int group,
                         uint64_t chunk, const struct path_watcher *watcher, struct message *why);
};

extern const struct engine cpu_engine;
extern const struct engine cuda_engine; /* in builds without CUDA: never ready (kernels/absent) */

/* The engines, in the order of preference, ended by NULL. */
extern const struct engine *const engines[];

/* Walks all batches of the plan and writes the tally of every trade that a group holds into
 * tallies[contrast, or scenario][trade]. `totals` [chunk][contrast][total], NULL where the plan has
 * none, are added to as those of a range are. Errors are those of the engine's `walk`.
 * (kernels/merge.c) */
enum status engine_price(const struct engine *engine, const struct plan *plan,
                         const struct engine_options *options, struct tally *tallies,
                         double *totals, struct engine_report *report, struct message *why);

/* Row of an engine's kernel table, NULL where there is none of that name; NAME:SETTING names the
 * row of NAME.
 */
const struct kernel_row *engine_kernel(const struct engine *engine, const char *name);

#endif
