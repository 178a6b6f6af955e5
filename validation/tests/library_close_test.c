/* Closing one handle leaves the compilations of the others: the engine comes to rest with the last.
 * The linker puts the engine of this test in the place of the program's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "app/api/pricer.h"
#include "kernels/engine.h"

static int waiting; /* compilations that are to be done */

static void drop_all(void)
{
    waiting = 0;
}

const struct engine __wrap_cuda_engine = {.name = "cuda", .rest = drop_all};

static void the_other_handle_goes_on(void **state)
{
    struct pricer *first, *second;
    (void)state;
    assert_int_equal(pricer_open(NULL, &first), PRICER_OK);
    assert_int_equal(pricer_open(NULL, &second), PRICER_OK);
    waiting = 3;
    pricer_close(first);
    assert_int_equal(waiting, 3);
    pricer_close(NULL);
    assert_int_equal(waiting, 3);
    pricer_close(second);
    assert_int_equal(waiting, 0);
}

/* A handle that was refused is closed as any other. */
static void a_refused_handle_counts(void **state)
{
    struct pricer *good, *refused;
    struct pricer_options options = PRICER_OPTIONS;
    (void)state;
    options.paths = -1;
    waiting = 3;
    assert_int_equal(pricer_open(NULL, &good), PRICER_OK);
    assert_int_equal(pricer_open(&options, &refused), PRICER_BAD_INPUT);
    pricer_close(refused);
    assert_int_equal(waiting, 3);
    pricer_close(good);
    assert_int_equal(waiting, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_other_handle_goes_on),
                                       cmocka_unit_test(a_refused_handle_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
