/* Times of several devices: what they are busy with lies within the time of pricing, which begins
 * after the start. */
#include "kernels/replicates.h"
#include "validation/tests/test.h"

/* One that is ready at once, one that wakes up for 80 ms: the call takes 120 ms. */
TEST(busy_is_within_pricing)
{
    const double call = 0.120;
    const struct device_times devices[] = {{.paths = 0.1, .start = 0.004, .busy = 0.114},
                                           {.paths = 0.02, .start = 0.087, .busy = 0.030}};
    struct engine_report report = {.total = call};
    report_join(2, devices, &report);
    assert_true(report.busy > 0.0 && report.busy <= call - report.start);
    assert_float_equal(report.busy, (0.114 + 0.030) / 2, 1e-15);
    assert_float_equal(report.start, 0.004, 1e-15);
    assert_float_equal(report.paths, 0.12, 1e-15);
}

TEST(one_device_is_itself)
{
    const struct device_times device = {0.01, 0.02, 0.03, 0.5, 0.04};
    struct engine_report report = {.total = 1.0};
    report_join(1, &device, &report);
    assert_float_equal(report.normals, 0.01, 0.0);
    assert_float_equal(report.payoffs, 0.03, 0.0);
    assert_float_equal(report.start, 0.5, 0.0);
    assert_float_equal(report.busy, 0.04, 0.0);
}

ALL_TESTS(kernels_report_test)
