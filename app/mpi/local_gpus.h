/* Which GPUs are whose, where several ranks share a host. */
#ifndef PRICER_APP_MPI_LOCAL_GPUS_H
#define PRICER_APP_MPI_LOCAL_GPUS_H

#include <stdbool.h>

/* Leaves CUDA_VISIBLE_DEVICES with the GPUs of local rank `local` of n, before CUDA begins: of
 * those that it names, or of the host's, those at local, local + n, ...; "" where there are fewer;
 * as it is where the host has one rank. False without memory. */
bool local_gpus_choose(int local, int n);

#endif
