/* A cluster that is not there: ranks, messages and their delays on a clock of its own, one seed for
 * all of it, around the dealer that pricer-mpi has. */
#ifndef PRICER_TESTS_CLUSTER_SIMULATION_H
#define PRICER_TESTS_CLUSTER_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

struct cluster {
    int ranks, at_once; /* ranges of a rank, one after the other: the next lies ready */
    uint64_t seed, pieces;
    uint64_t least;       /* pieces that keep a rank busy */
    double piece;         /* seconds that a piece takes a rank */
    double spread;        /* of the ranks' speeds and of each range, as a share */
    double latency;       /* seconds of a message on its way */
    double message;       /* seconds of rank 0 for a letter, beside: */
    double piece_taken;   /* seconds of rank 0 for what comes back of a piece */
    double lost, double_; /* probability that a message is lost, or comes twice */
    double deaths;        /* probability that a rank dies in a range */
    double limit;         /* seconds after which a range is dealt again */
};

/* What became of it. */
struct cluster_run {
    double seconds;                        /* until the last piece was there */
    double power;                          /* of all ranks, in ranks of speed 1 */
    double busy;                           /* of rank 0 with letters */
    uint64_t ranges, lost, doubled, again; /* dealt; messages lost, doubled; ranges dealt again */
    int deaths;
    uint64_t twice; /* pieces that came back more than once */
    bool once;      /* each piece counted once */
};

/* Runs the pieces of one job. False without memory. */
bool cluster_simulate(const struct cluster *cluster, struct cluster_run *run);

#endif
