/* Which GPUs are whose, where several ranks of pricer-mpi share a host. */
#include "app/mpi/local_gpus.h"
#include "validation/tests/test.h"

/* Ranks of this host, as local_gpus_choose() asks for them. */
static int local, n_local;

int mpi_ranks_local(const struct mpi_ranks *ranks, int *n)
{
    (void)ranks;
    *n = n_local;
    return local;
}

TEST(gpus_are_shared_out)
{
    static const struct {
        const char *visible;
        int local, n;
        const char *own;
    } rows[] = {{"0,1", 0, 2, "0"},
                {"0,1", 1, 2, "1"},
                {"0,1", 2, 3, ""},
                {"3,5,7,9", 1, 2, "5,9"},
                {"GPU-a,GPU-b", 1, 2, "GPU-b"},
                {"", 0, 2, ""},
                {"0,1,2", 0, 2, "0,2"}};
    n_local = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char own[32];
        local_gpus_share(rows[i].visible, rows[i].local, rows[i].n, sizeof own, own);
        assert_string_equal(own, rows[i].own);
    }
    setenv("CUDA_VISIBLE_DEVICES", "4,6", 1);
    for (local = 1, n_local = 1; n_local <= 2; n_local++) {
        assert_true(local_gpus_choose(NULL));
        assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), n_local == 1 ? "4,6" : "6");
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
}

ALL_TESTS(mpi_local_gpus_test)
