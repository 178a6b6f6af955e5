/* What the parts of a device's run share: place.c and allocate.c put its inputs and working memory where they
 * lie, lanes.c opens its streams, walks.c and launches.c put work on them, device.c does one after the other.
 *
 * Functions that return a status say why in job->why where CUDA was the cause; STATUS_NO_MEMORY with nothing
 * said is the host's. Whatever was taken is given back by close_device. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_PARTS_H
#define PRICER_KERNELS_CUDA_DEVICE_PARTS_H

#include "kernels/cuda/carried.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/shape.h"
#include "kernels/cuda/spans.h"

/* Runs a CUDA call and leaves through `done:` with the first error said in job->why. */
#define CUDA_TRY(call)                                                                                       \
    do {                                                                                                     \
        cudaError_t cuda_error = (call);                                                                     \
        if (cuda_error != cudaSuccess) {                                                                     \
            status = cuda_failed(&job->why, #call, cuda_error);                                              \
            goto done;                                                                                       \
        }                                                                                                    \
    } while (0)

enum status cuda_failed(struct message *why, const char *call, cudaError_t error);

enum { MOST_STREAMS = 2, AHEAD = 2 };

/* Marks of a timed launch. Normals are drawn and paths walked once before the clock of each runs, when
 * nothing of the phase before is still on its way. */
enum mark { MARK_BEGIN, MARK_DRAWN, MARK_WARM, MARK_WALKED, MARK_VALUED, N_MARKS };

/* Paths of one launch: several waves of threads on the largest chips, so that the last one costs little. */
enum { LAUNCH_BATCHES = (1 << 20) / BATCH_PATHS };

/* Where the arrays of a group lie, in bytes from the start of the inputs, and what its kernels keep. */
struct group_place {
    size_t coefficients, table, dividends, underlyings, starts, loadings;
    size_t dimensions, places, scales; /* of its points */
    int n_dimensions;                  /* 0: Philox */
    size_t touches, initial, results, payoffs;
    bool stretched; /* whether its paths are walked in stretches: by these, in place of touches */
    size_t pages;
    int first_page, largest_page; /* units */
    struct shape shape;  /* of a group that is walked by a kernel of its own, owned: */
    const void *kernel;  /* that kernel, else NULL; */
    size_t records;      /* and where the shape's lie */
    struct carried_sum carried;
    enum ground ground;
    int state_width;    /* of walk */
    size_t interleaved; /* [step][group alike] steps, of the first of groups that are scenarios; else 0 */
    size_t totals, quantities; /* [payoff] of the first of a bundle */
    size_t before;             /* tallies of a batch of the groups before it */
    struct ladder *ladders;    /* [ladder] with pointers into device memory; owned */
};

/* Working memory of one stream, in device memory. */
struct lane {
    cudaStream_t stream;
    cudaEvent_t done[AHEAD]; /* the last launches on it */
    uint64_t launches;
    cudaStream_t beside[MARKETS_MAX]; /* of scenarios but the first that are walked meanwhile; 0: unused */
    cudaEvent_t parted, joined[MARKETS_MAX];
    void *normals;               /* [step and bridge][path], of the rung's width */
    double *observed;            /* [row][path] */
    struct tally *chunk_tallies; /* [chunk] of a group's, or a bundle's, as the next */
    struct tally *batch_tallies; /* [batch] */
    struct ladder_bin *bins;     /* of one ladder: LADDER_ROOM times [batch][bin] */
};

struct device {
    struct group_place *places;
    size_t measures; /* where they lie in the inputs */
    size_t input_bytes;
    char *host_inputs; /* pinned */
    char *memory;      /* the one allocation on the device: inputs, then the lanes' arrays */
    size_t memory_bytes;
    bool constants; /* whether the constant memory for scenarios is this run's */
    size_t launch_batches;
    int n_lanes;
    struct lane lanes[MOST_STREAMS];
    cudaEvent_t inputs_there;
    double *totals;           /* [chunk of the range][measure][total], in device memory */
    cudaEvent_t totals_added; /* those of the launch before, whichever lane it is on */
    struct spans spans;       /* one for each launch */
    cudaEvent_t marks[N_MARKS];
};

/* ---- place.c: the inputs in one piece ---------------------------------------------------------------- */

/* Takes `bytes` from the end of `*used`, aligned as cudaMalloc aligns. */
size_t take_room(size_t *used, size_t bytes);

/* Whether nothing of the groups alike is kept but the sum that each carries, so that one thread can walk them
 * all. */
bool walk_together(const struct plan *plan, const struct device *device, int g);

/* Scenarios that a thread is to walk at once. */
int scenarios_wanted(const struct rung *rung);

/* Bytes of a stored normal that the group's walk reads. */
int group_width(const struct device_job *job, const struct device *device, int g);

/* Tallies of a batch that begin with this group: none where it is in the bundle of one before. */
size_t tallies_from(const struct plan *plan, int g);

/* Groups from `g` on that are launched together: a bundle, or those alike. */
int launched_together(const struct plan *plan, int g);

/* Lays the inputs of all groups out; fills them in where they lie in the host's memory. */
enum status place_inputs(struct device_job *job, struct device *device);
enum status copy_inputs(const struct device_job *job, const struct device *device);

/* ---- allocate.c: memory ------------------------------------------------------------------------------ */

/* Of the range's totals; its last chunks may be fewer. */
size_t totals_bytes(const struct device_job *job);

/* One allocation for everything on the device, and one for the inputs on the host. */
enum status allocate(struct device_job *job, struct device *device);
enum status allocate_tallies(struct device_job *job);

/* ---- lanes.c: streams -------------------------------------------------------------------------------- */

enum status open_streams(struct device_job *job, struct device *device);
enum status send_inputs(struct device_job *job, struct device *device);
void close_device(const struct device_job *job, struct device *device);

/* ---- walks.c: normals and paths ---------------------------------------------------------------------- */

/* One stretch of batches of a bundle, or of groups alike, on one lane. */
struct launching {
    int g, lane;
    uint64_t first, batches; /* of the plan */
    struct walk walks[MARKETS_MAX];
};

/* The walks of all its groups, each of which writes behind those before it. */
void lay_walks(struct device_job *job, const struct device *device, struct launching *of);

/* Normals of all underlyings of a group, then those of its bridges between dates, `width` bytes each. */
cudaError_t draw_group(const struct lane *lane, const struct group *group, const struct walk *walk,
                       int width);

/* Every path of the groups alike from the launch's `first` on: by one thread where that can be. */
enum status walk_paths(struct device_job *job, struct device *device, const struct launching *of, int first);

/* ---- launches.c -------------------------------------------------------------------------------------- */

/* Every bundle, or group with those alike, every batch of the range, lane after lane; at most AHEAD launches
 * wait on each. STATUS_INTERRUPTED where options->stop is set meanwhile. */
enum status launch_all(struct device_job *job, struct device *device);

#endif
