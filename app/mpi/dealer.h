/* Who does what: ranges of the pieces of jobs are dealt to ranks, so that each piece counts exactly
 * once, whatever becomes of ranks and messages. A range is half of what a rank has to take of the
 * rest so that all end together, by the speed that each has shown: large first, small at the end,
 * but where a rank needs many pieces to keep busy. It knows no MPI, no clock and no thread: one
 * caller at a time says what happens, and when. */
#ifndef PRICER_APP_MPI_DEALER_H
#define PRICER_APP_MPI_DEALER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/ranks.h"

struct dealer;

/* A job, as far as dealing goes. */
struct dealt_job {
    uint64_t key, n;
    enum ranks_work work;
    double cost;   /* of a piece, in the unit of its work */
    uint64_t most; /* pieces of a range */
    bool urgent;   /* is dealt before those that are not */
};

/* A range in the hands of a rank. */
struct deal {
    uint64_t id, key, first, end;
    int rank;
    double since; /* the rank has been at it, as far as can be told */
};

/* Begins with ranks 0 .. n - 1. NULL without memory. */
struct dealer *dealer_begin(int n);
void dealer_end(struct dealer *dealer);

/* Opens a job, none of whose key is open. STATUS_NO_MEMORY. */
enum status dealer_open(struct dealer *dealer, const struct dealt_job *job);

/* Forgets a job with what is dealt of it. */
void dealer_close(struct dealer *dealer, uint64_t key);

/* Says that a rank can do pieces of a key from now on, whether it is open yet or not, `at_once`
 * ranges at a time, and keeps busy with `least` pieces of a range; while many pieces are left, one
 * more lies ready for it. STATUS_NO_MEMORY. */
enum status dealer_join(struct dealer *dealer, int rank, uint64_t key, int at_once, uint64_t least);

/* Says that it no longer can, as often as it said that it could: false where it has not. */
bool dealer_leave(struct dealer *dealer, int rank, uint64_t key);

/* Deals to a rank the next range of a key that it has joined; of any such key, the urgent and the
 * oldest first, where key is 0. False where there is nothing for it, or it is busy. */
bool dealer_deal(struct dealer *dealer, int rank, uint64_t key, double now, struct deal *deal);

/* Says that a range came back. False where it does not count: it came before, or was taken from the
 * rank and dealt again. */
bool dealer_done(struct dealer *dealer, int rank, uint64_t id, double now, struct deal *deal);

/* Takes from a rank what it has, to be dealt again, and deals nothing more to it. */
void dealer_lose(struct dealer *dealer, int rank);

/* Finds the range that is out for longest; false where none is. */
bool dealer_oldest(const struct dealer *dealer, struct deal *deal);

/* Takes back one range that is out, to be dealt again: the rank may go on. False where it is not
 * out, or there is no memory. */
bool dealer_take_back(struct dealer *dealer, uint64_t id);

/* Returns how many pieces of a job nobody has, and how many have not come back; 0 where it is not
 * open. */
uint64_t dealer_undealt(const struct dealer *dealer, uint64_t key);
uint64_t dealer_missing(const struct dealer *dealer, uint64_t key);

#endif
