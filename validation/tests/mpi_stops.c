/* For mpi_lost_test: a rank that loads it stops where its MPI is to end. */
#include <mpi.h>
#include <signal.h>

int MPI_Finalize(void)
{
    raise(SIGSTOP);
    return PMPI_Finalize();
}
