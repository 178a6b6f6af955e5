/* The ranks of a run as processes of MPI. The process's first thread alone speaks to MPI: it sends
 * what other threads put into its queue and hands them what arrives; on rank 0 it deals. No message
 * waits for another one, so that any transport will do. */
#ifndef PRICER_APP_MPI_MPI_RANKS_H
#define PRICER_APP_MPI_MPI_RANKS_H

#include "kernels/ranks.h"

/* How a run ends that cannot go on, as app/command/run.h has it. */
enum { EXIT_USAGE = 2, EXIT_MACHINE_FAILED = 3 };

struct mpi_ranks;

/* Begins, and learns where the ranks are; MPI is initialised. A rank that takes longer than `limit`
 * seconds to do a range, or to read the book, ends the run. NULL without memory. */
struct mpi_ranks *mpi_ranks_begin(double limit);

/* Returns what pricing is given; NULL where there is one rank. */
const struct ranks *mpi_ranks_shared(const struct mpi_ranks *ranks);

/* Returns this rank's number among those of its host, and their number. */
int mpi_ranks_local(const struct mpi_ranks *ranks, int *n);

/* Sends and receives until the program's thread, on this rank and on rank 0, has ended. False where
 * it cannot go on, after one line that says why: then all ranks are to be aborted. */
bool mpi_ranks_pump(struct mpi_ranks *ranks);

/* Returns how many seconds the others may take to end when the run is over. */
double mpi_ranks_patience(const struct mpi_ranks *ranks);

/* Says that the program's thread has ended. */
void mpi_ranks_finish(struct mpi_ranks *ranks);

/* Says what rank 0 has dealt: "3 ranks on 2 hosts: 214 ranges, 70 of them to rank 0". False where
 * that was nothing. */
bool mpi_ranks_describe(const struct mpi_ranks *ranks, size_t room, char *line);

void mpi_ranks_end(struct mpi_ranks *ranks);

#endif
