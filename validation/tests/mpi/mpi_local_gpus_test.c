/* Which GPUs are whose, where several ranks of pricer-mpi share a host. */
#include "app/mpi/local_gpus.h"
#include "validation/tests/test.h"

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
                {"0,1,2", 0, 2, "0,2"},
                {"4,6", 0, 1, "4,6"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("CUDA_VISIBLE_DEVICES", rows[i].visible, 1);
        assert_true(local_gpus_choose(rows[i].local, rows[i].n));
        assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), rows[i].own);
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
}

ALL_TESTS(mpi_local_gpus_test)
