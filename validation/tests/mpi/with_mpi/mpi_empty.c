/* Ranges of nothing: how many a second rank 0 deals to others by MPI and takes back.
 *
 *     mpirun -n 3 mpi_empty [RANGES] [AT_ONCE] [BYTES of each that come back] */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/mpi/mpi_ranks.h"
#include "models/base/clock.h"

struct empty {
    struct mpi_ranks *ranks;
    uint64_t n, taken;
    int at_once;
    struct bytes nothing; /* that come back */
};

static enum status describe(void *context, uint64_t first, uint64_t end, struct bytes *told)
{
    (void)context;
    (void)first;
    (void)end;
    (void)told;
    return STATUS_OK;
}

/* Rank 0 leaves the ranges to the others. */
static enum status make(void *context, struct bytes *told, struct bytes *made, struct message *why)
{
    const struct empty *empty = context;
    (void)told;
    (void)why;
    return bytes_add(made, empty->nothing.at, empty->nothing.n);
}

static enum status take(void *context, uint64_t first, uint64_t end, struct bytes *made,
                        struct message *why)
{
    struct empty *empty = context;
    (void)made;
    (void)why;
    empty->taken += end - first;
    return STATUS_OK;
}

static void *run(void *argument)
{
    struct empty *empty = argument;
    const struct ranks *ranks = mpi_ranks_shared(empty->ranks);
    struct message why = {""};
    const struct ranks_job job = {.key = 1,
                                  .at_once = ranks->rank ? empty->at_once : 0,
                                  .n = empty->n,
                                  .least = 1,
                                  .most = 1,
                                  .last = true,
                                  .context = empty,
                                  .describe = describe,
                                  .make = make,
                                  .take = take};
    enum status status = ranks->compare(ranks->context, 1, &why);
    double began = seconds_now();
    if (!status) status = ranks->share(ranks->context, &job, &why);
    double seconds = seconds_now() - began;
    if (!ranks->rank)
        printf("%llu of %llu ranges in %.3f s: %.0f a second\n", (unsigned long long)empty->taken,
               (unsigned long long)empty->n, seconds, (double)empty->taken / seconds);
    mpi_ranks_finish(empty->ranks);
    return NULL;
}

int main(int argc, char **argv)
{
    int given;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    struct empty empty = {.ranks = mpi_ranks_begin(900.0),
                          .n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000,
                          .at_once = argc > 2 ? atoi(argv[2]) : 64};
    size_t bytes = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    char *zeros = calloc(bytes + 1, 1);
    if (!zeros || bytes_add(&empty.nothing, zeros, bytes)) return 77;
    if (!empty.ranks || !mpi_ranks_shared(empty.ranks)) return 77;
    if (pthread_create(&thread, NULL, run, &empty) || !mpi_ranks_pump(empty.ranks)) return 3;
    pthread_join(thread, NULL);
    MPI_Finalize();
    mpi_ranks_end(empty.ranks);
    return 0;
}
