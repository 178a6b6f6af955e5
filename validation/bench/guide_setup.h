/* What every way of the memory guide is measured with: memory, streams, and the sums that it must
 * give. */
#ifndef PRICER_VALIDATION_BENCH_GUIDE_SETUP_H
#define PRICER_VALIDATION_BENCH_GUIDE_SETUP_H

#include "validation/bench/guide.h"

enum {
    BATCH_NORMALS = GUIDE_STEPS * GUIDE_BATCH,
    BATCH_BYTES = BATCH_NORMALS * sizeof(double),
    SUMS_BYTES = GUIDE_PATHS * sizeof(double),
    STEPS_BYTES = GUIDE_STEPS * sizeof(struct gaussian_step)
};

/* What one way to use the memory costs. */
struct guide_row {
    /* "family:way"; the first way of a family is what the others are compared with */
    const char *name;
    const char *remark; /* one line: what was done */
    double seconds;     /* median */
    double bytes;       /* moved in them, where that is what counts; else 0 */
    double ratio;       /* how many times as fast as the family's first way */
    bool disagrees;     /* its paths are not those of the first way: there is no time */
};

/* The state of a measurement of the memory guide, and its rows. */
struct guide_setup {
    int n;
    struct guide_row rows[24]; /* [n] */
    cudaStream_t streams[2];   /* ways are timed on the first */
    cudaEvent_t fork, join;
    double *normals; /* device: [step][path] of all paths, and room for two more numbers */
    double *sums;    /* device: [path] */
    struct gaussian_step *steps;      /* device: [step] */
    struct gaussian_step *host_steps; /* pinned: [step] */
    double *host_sums;                /* pinned: [path] */
    double *pinned;                   /* pinned: normals [step][path] of the first batch */
    double *pageable;                 /* the same in memory from malloc */
    double *expected;                 /* host: [path] */
    struct guide_walk path_launch;    /* of the way being measured */
};

/* Makes everything ready: normals of all paths are drawn, and their sums known. Release it whatever
 * is returned. */
enum status guide_prepare(struct guide_setup *setup, struct message *why);
void guide_release(struct guide_setup *setup);

/* Returns a launch of paths from `first_path` on, whose normals lie in `normals`, with plain
 * loads. */
struct guide_walk guide_walk_of(const struct guide_setup *setup, const double *normals,
                                size_t first_path, size_t paths);

/* Draws the normals of paths from `first_path` on. */
cudaError_t guide_draw(double *normals, size_t first_path, size_t paths, cudaStream_t stream);

/* Runs one launch: the guide_setup's `path_launch`. */
cudaError_t guide_walk_once(void *setup, cudaStream_t stream);

/* Measures one way and appends its row: a copy of a batch's normals; the guide_setup's
 * `path_launch`, whose sums are compared; all batches, whose sums the work leaves in host_sums. */
enum status guide_copy_way(struct guide_setup *setup, const char *name, const char *remark,
                           timed_work *work, struct message *why);
enum status guide_walk_way(struct guide_setup *setup, const char *name, const char *remark,
                           timed_work *work, struct message *why);
enum status guide_batches_way(struct guide_setup *setup, const char *name, const char *remark,
                              timed_work *work, struct message *why);

/* Measure the families of ways, a file each. */
enum status guide_copies(struct guide_setup *setup, struct message *why);
enum status guide_coefficients(struct guide_setup *setup, struct message *why);
enum status guide_batches(struct guide_setup *setup, struct message *why);

#endif
