/* The parts of a device's run: device_layout.c and allocate.c put its inputs and working memory
 * where they lie, path_launches.c and launches.c put work on its streams, device.c opens these and
 * does one after the other.
 *
 * Functions that return a status say why in job->why where CUDA was the cause; STATUS_NO_MEMORY
 * with nothing said is the host's. */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_PARTS_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_PARTS_H

#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/device.h"
#include "kernels/cuda/host/device_looks.h"
#include "kernels/cuda/host/group_route.h"
#include "kernels/cuda/host/program_code.h"
#include "kernels/cuda/host/shape.h"

/* Runs a CUDA call, says in job->why what is wrong with it, and returns the status; or leaves the
 * function where there is something, as TRY and MUST do. */
#define CUDA_STATUS(call) cuda_status(&job->why, #call, (call))
#define CUDA_TRY(call) TRY(CUDA_STATUS(call))
#define CUDA_MUST(call) MUST(CUDA_STATUS(call))

enum status cuda_status(struct message *why, const char *call, cudaError_t error);

enum { MOST_STREAMS = 2, LAUNCHES_QUEUED = 2 };

/* Streams beside that of a slot, over which groups alike are spread that are launched one by one: a
 * few of them fill a device, and each stream costs its events. */
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
 * little. */
enum { LAUNCH_BATCHES = (1 << 20) / BATCH_PATHS };

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
    struct input_place movers;        /* [mover] struct device_mover */
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
    cudaStream_t stream;
    cudaEvent_t done[LAUNCHES_QUEUED]; /* the last launches on it */
    uint64_t launches;
    cudaStream_t side_streams[SIDE_STREAMS]; /* 0: unused */
    cudaEvent_t forked, joined[SIDE_STREAMS];
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

/* A device with its memory and stream slots, during one job. */
struct device {
    struct device_layout *layouts;
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
    int n_busy, busy_room;
    struct busy_span *busy; /* [n_busy] one for each launch; owned */
    cudaEvent_t marks[N_LAUNCH_EVENTS];
};

/* ---- device_layout.c: the inputs in one piece ------------------------------------------------ */

/* Takes `bytes` from the end of `*used`, aligned as cudaMalloc aligns. */
size_t take_room(size_t *used, size_t bytes);

/* Takes room at the end of the inputs; puts `bytes` there where they have memory, unless `from` is
 * NULL, and returns where they lie on the device. */
struct input_place take_input(struct device *device, size_t bytes);
void *put_input(struct device *device, const void *from, size_t bytes);

/* Returns the number of tallies of a batch that begin with this group: none where it is in the
 * scenario set of one before. */
size_t tallies_from(const struct plan *plan, int g);

/* Lays the inputs of all groups out; puts them where they lie once they have memory. */
enum status lay_out_inputs(struct device_job *job, struct device *device);
void put_inputs(const struct device_job *job, struct device *device);

/* ---- device_programs.c: the same of programs, and what runs them ----------------------------- */

/* Lists the programs of all groups, first those that make what others read, each time those alike
 * side by side; and asks for their code. */
enum status find_programs(struct device_job *job, struct device *device);

void put_instructions(struct device *device);
void put_programs(struct device *device, const struct group *group, struct device_layout *layout);

/* Runs n programs from the launch's first one on: those alike by their code, where it is there by
 * now, else interpreted. */
cudaError_t run_programs(const struct listed_program *listed, int n,
                         const struct program_launch *first, cudaStream_t stream);

/* ---- allocate.c: memory ---------------------------------------------------------------------- */

/* Makes one allocation for everything on the device, and for the host's inputs and tallies one
 * each. */
enum status allocate(struct device_job *job, struct device *device);

/* ---- path_launches.c: normals and paths ------------------------------------------------------ */

/* One range of batches of n groups that are launched together, on one stream slot. */
struct batch_launch {
    int g, n;
    const struct group *groups;          /* [n] as the next */
    const struct device_layout *layouts; /* [n] */
    struct stream_slot *stream_slot;
    uint64_t first, batches; /* of the plan */
    struct path_launch path_launches[MARKETS_MAX];
};

/* Draws the normals of the groups alike from the launch's `first` on, which their path launches
 * have then. */
enum status draw_alike(struct device_job *job, struct batch_launch *batch_launch, int first);

/* Simulates every path of the launch's group s by a general kernel. */
enum status simulate_alone(struct device_job *job, const struct batch_launch *batch_launch, int s,
                           cudaStream_t stream);

/* Simulates every path of the groups alike from the launch's `first` on: by one thread where that
 * can be */
enum status simulate_paths(struct device_job *job, const struct batch_launch *batch_launch,
                           int first);

/* ---- launches.c ------------------------------------------------------------------------------ */

/* Launches every scenario set, or group with those alike, for every batch of the range, slot after
 * slot; at most LAUNCHES_QUEUED launches wait on each. STATUS_INTERRUPTED where options->stop is
 * set meanwhile. */
enum status launch_all(struct device_job *job, struct device *device);

/* Makes tables on a device as struct engine has it (device_tables.c). */
void device_make_tables(int device, int n, const struct table_request *requests, int n_surfaces,
                        const struct implied_surface *surfaces, struct table_made *made);

#endif
