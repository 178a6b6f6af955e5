/* Which GPUs are whose, where several ranks share a host. */
#ifndef PRICER_APP_MPI_LOCAL_GPUS_H
#define PRICER_APP_MPI_LOCAL_GPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "app/mpi/mpi_ranks.h"

/* Writes the GPUs of local rank `local` of n into `gpus`: of the list `visible`, separated by
 * commas, those at local, local + n, ...; "" where there are fewer. */
void local_gpus_share(const char *visible, int local, int n, size_t room, char *gpus);

/* Leaves CUDA_VISIBLE_DEVICES with the GPUs of this rank, before CUDA begins; as it is where the
 * host has one rank. False without memory. */
bool local_gpus_choose(const struct mpi_ranks *ranks);

#endif
