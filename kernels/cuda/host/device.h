/* One GPU's share of a run. device_layout.c puts its inputs where they lie, device.c makes its
 * memory and its streams ready, launches.c puts work on them.
 *
 * Functions that return a status say why in device->why where CUDA was the cause; STATUS_NO_MEMORY
 * with nothing said is the host's. */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_H

#include <pthread.h>

#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/device_looks.h"
#include "kernels/cuda/host/group_route.h"
#include "kernels/cuda/host/program_code.h"
#include "kernels/cuda/host/shape.h"
#include "kernels/replicates.h"

/* Runs a CUDA call, says in device->why what is wrong with it, and returns the status; or leaves
 * the function where there is something, as TRY and MUST do. */
#define CUDA_STATUS(call) cuda_status(&device->why, #call, (call))
#define CUDA_TRY(call) TRY(CUDA_STATUS(call))
#define CUDA_MUST(call) MUST(CUDA_STATUS(call))

enum status cuda_status(struct message *why, const char *call, cudaError_t error);

enum { MOST_DEVICES = 64, MOST_STREAMS = 2 };

/* Streams beside that of a slot, over which groups alike are spread that are launched one by one: a
 * few of them fill a device. */
enum { SIDE_STREAMS = 3 };

/* The marks of a timed launch. Normals are drawn and paths simulated once before the clock of each
 * runs, when nothing of the phase before is still on its way. */
enum launch_event {
    LAUNCH_EVENT_BEGIN,
    LAUNCH_EVENT_DRAWN,
    LAUNCH_EVENT_WARM,
    LAUNCH_EVENT_WALKED,
    LAUNCH_EVENT_VALUED,
    N_LAUNCH_EVENTS
};

/* Paths of one launch: several waves of threads on the largest chips, so that the last one costs
 * little. Kernels count its chunks by the second number of a grid's blocks. */
enum { LAUNCH_BATCHES = (1 << 20) / BATCH_PATHS };
_Static_assert(LAUNCH_BATCHES <= GRID_SECOND_MOST / BATCH_CHUNKS, "a grid has room for them");

/* Where a part of the inputs lies; nowhere as long as they have no memory. */
struct input_place {
    void *host, *device;
};

/* A program of a group. */
struct listed_program {
    const struct group_program *run;
    const struct program_structure *structure;
};

/* How a group is simulated, what its kernels keep and, in device memory, what they read. */
struct device_layout {
    enum path_way way;
    /* Under several markets: looks and programs of each are through before the next is simulated,
     * whose rows lie where the last rows of this one were, which payoffs do not read */
    bool in_turn;
    int width;             /* bytes of a stored normal that this way reads; 0: it draws its own */
    struct shape shape;    /* of a group with path code of its own, owned: */
    const void *kernel;    /* that code, else NULL; */
    const double *records; /* and the shape's */
    struct shared_moves shared_moves; /* that it shares with those alike, owned, */
    const struct device_mover *movers;
    enum group_class group_class;
    enum record record;
    struct path_launch path_launch; /* what is the same in every launch */
    size_t first_row, end_row;      /* among those of the groups launched with it */
    size_t before;                  /* tallies of a batch of the groups before it */
    const struct payoff *payoffs;
    const int *totals;        /* [payoff] of the first of a scenario set, as the next */
    const double *quantities; /* [payoff] */
    struct strip_launch strips;
    const struct price_row *prices;
    const struct device_program *programs; /* [program], */
    struct listed_program *listed;         /* in the order of these; owned */
    struct look_layout looks;              /* of a group with chains; owned */
};

/* A stream with its working memory on the device. */
struct stream_slot {
    cudaStream_t streams[1 + SIDE_STREAMS]; /* its own, and others once they are needed */
    cudaEvent_t passed;          /* what one of these has got past, for others that wait for it */
    void *normals;               /* of a group, as path_launch has them */
    float *moves;                /* of groups alike, as make_moves() has them */
    double *observed;            /* [row][path] */
    struct tally *chunk_tallies; /* [chunk] of a group's, or a scenario set's, as the next */
    struct tally *batch_tallies; /* [batch] */
    struct strike_bin *bins;     /* of each strike strip: STRIP_ROOM times [batch][bin] */
};

/* A span of time in which a kernel was running. */
struct busy_span {
    cudaEvent_t begin, end;
};

/* Progress of all devices together. */
struct device_progress {
    pthread_mutex_t lock;
    uint64_t done, total; /* path-steps */
};

struct device {
    /* in */
    const struct plan *plan;
    const struct engine_options *options;
    const struct rung *rung;
    int number;
    struct batch_range range; /* its tallies, of reserve.h, are out: to be given back */
    double *rows; /* of a plan of one group without payoffs: [row][path of the plan] that its paths
                   * remember go here; NULL: payoffs are valued */
    struct device_progress *progress;
    /* out */
    enum status status;
    struct message why;
    char name[120];
    struct launch_facts facts; /* of the last path kernel launched; only where options->timed, as */
    struct device_times times; /* those of normals, paths and payoffs */
    /* while it runs */
    struct device_layout *layouts;        /* [group] owned */
    struct program_structures structures; /* of the programs of all groups */
    const struct contrast *contrasts;     /* in device memory */
    size_t input_bytes;
    char *host_inputs; /* pinned */
    char *memory;      /* the one allocation on the device: inputs, then the stream slots' arrays */
    size_t memory_bytes;
    size_t launch_batches;
    int launch_parts; /* of a launch of one batch of a scenario set, whose paths come in turn */
    int n_stream_slots;
    struct stream_slot stream_slots[MOST_STREAMS];
    cudaEvent_t inputs_there;
    double *totals; /* [chunk of the range][contrast][total], in device memory */
    size_t totals_bytes;
    cudaEvent_t totals_added; /* those of the launch before, whichever stream slot it is on */
    int n_launches, launches_room;
    struct busy_span *launches; /* [n_launches] owned */
    cudaEvent_t marks[N_LAUNCH_EVENTS];
};

/* Runs the device's share and sets its `status` (and `why`); leaves the CUDA error state clear. */
void device_run(struct device *device);

/* ---- device_layout.c: the inputs in one piece ------------------------------------------------ */

/* Takes `bytes` from the end of `*used`, aligned as cudaMalloc aligns. */
size_t take_room(size_t *used, size_t bytes);

/* Takes room at the end of the inputs; puts `bytes` there where they have memory, unless `from` is
 * NULL, and returns where they lie on the device. */
struct input_place take_input(struct device *device, size_t bytes);
void *put_input(struct device *device, const void *from, size_t bytes);

/* The same of n elements of an array. */
#define PUT_INPUT(device, from, n) put_input(device, from, sizeof *(from) * (size_t)(n))

/* Returns the number of tallies of a batch that begin with this group: none where it is in the
 * scenario set of one before. */
size_t tallies_from(const struct plan *plan, int g);

/* Lays the inputs of all groups out; puts them where they lie once they have memory. */
enum status lay_out_inputs(struct device *device);
void put_inputs(struct device *device);

/* ---- device_programs.c: the same of programs, and what runs them ----------------------------- */

/* Lists the programs of a group, first those that make what others read, each time those alike side
 * by side. STATUS_NO_MEMORY. */
enum status list_programs(struct device *device, const struct group *group,
                          struct device_layout *layout);

void put_instructions(struct device *device);
void put_programs(struct device *device, const struct group *group, struct device_layout *layout);

/* Runs n programs from the launch's first one on: those alike by their code, where it is there by
 * now, else interpreted. */
cudaError_t run_programs(const struct listed_program *listed, int n,
                         const struct program_launch *first, cudaStream_t stream);

/* ---- launches.c ------------------------------------------------------------------------------ */

/* Launches every scenario set, or group with those alike, for every batch of the range, slot after
 * slot; at most LAUNCHES_QUEUED launches wait on each. STATUS_INTERRUPTED where options->stop is
 * set meanwhile. */
enum status launch_all(struct device *device);

/* Makes tables on a device as struct engine has it (device_tables.c). */
void device_make_tables(int device, int n, const struct table_request *requests, int n_surfaces,
                        const struct implied_surface *surfaces, struct table_made *made);

#endif
