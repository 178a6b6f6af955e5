/* For mpi_lost_test: a rank that loads it stops where its MPI is to end or, where MPI_STOPS=start,
 * to begin. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *given)
{
    if (getenv("MPI_STOPS")) raise(SIGSTOP);
    return PMPI_Init_thread(argc, argv, required, given);
}

int MPI_Finalize(void)
{
    raise(SIGSTOP);
    return PMPI_Finalize();
}
