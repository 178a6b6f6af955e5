/* The Brownian bridge is an orthogonal transformation whose first normals place the end, then the
 * middles. */
#include "kernels/bridge.h"
#include "validation/tests/test.h"

enum { MOST = 300 };

static double matrix[MOST][MOST]; /* [step][rank]: normals of the steps from those of the bridge */

/* Walks it with one normal of 1 and all others 0. */
static void walk_unit(const struct bridge *bridge, int unit)
{
    double stack[BRIDGE_DEPTH], passed = 0.0;
    int depth = 0, step = 0;
    for (int p = 0; p < bridge->n; p++) {
        const struct bridge_node *place = &bridge->nodes[p];
        double top = depth ? stack[depth - 1] : passed;
        assert_true(depth < BRIDGE_DEPTH);
        stack[depth++] = bridge_value(place, passed, top, place->rank == unit ? 1.0 : 0.0);
        for (int i = 0; i < place->passes; i++, step++) {
            double next = stack[--depth];
            matrix[step][unit] = (double)bridge_normal(bridge->scales[step], passed, next);
            passed = next;
        }
    }
    assert_int_equal(step, bridge->n);
    assert_int_equal(depth, 0);
}

static void make_times(int n, double *times)
{
    double at = 0.0;
    for (int j = 0; j < n; j++) times[j] = at += 0.01 + 0.1 * fabs(sin(7.0 * j)); /* uneven */
}

/* Normals are rounded to float, so products are right to about 1e-7 a term. */
TEST(normals_stay_independent)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 12, 37, 64, 252, 257};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k];
        double times[MOST];
        struct bridge bridge;
        make_times(n, times);
        assert_int_equal(bridge_make(n, times, &bridge), 0);
        for (int unit = 0; unit < n; unit++) walk_unit(&bridge, unit);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0.0;
                for (int unit = 0; unit < n; unit++) sum += matrix[i][unit] * matrix[j][unit];
                assert_true(fabs(sum - (i == j)) < 1e-6);
            }
        bridge_free(&bridge);
    }
}

/* Value of the motion at the end of a step, as part of one normal. */
static double value_at(const double *times, int step, int unit)
{
    double value = 0.0;
    for (int j = 0; j <= step; j++)
        value += matrix[j][unit] * sqrt(times[j] - (j ? times[j - 1] : 0.0));
    return value;
}

TEST(the_first_normals_place_the_most)
{
    enum { N = 16 };
    double times[N];
    struct bridge bridge;
    make_times(N, times);
    assert_int_equal(bridge_make(N, times, &bridge), 0);
    for (int unit = 0; unit < N; unit++) walk_unit(&bridge, unit);
    assert_true(fabs(value_at(times, N - 1, 0) - sqrt(times[N - 1])) < 1e-6);
    for (int unit = 1; unit < N; unit++) assert_true(fabs(value_at(times, N - 1, unit)) < 1e-6);
    for (int unit = 2; unit < N; unit++) assert_true(fabs(value_at(times, N / 2 - 1, unit)) < 1e-6);
    for (int unit = 4; unit < N; unit++) assert_true(fabs(value_at(times, N / 4 - 1, unit)) < 1e-6);
    bridge_free(&bridge);
}

TEST(no_steps_need_no_bridge)
{
    struct bridge bridge;
    assert_int_equal(bridge_make(0, NULL, &bridge), 0);
    assert_int_equal(bridge.n, 0);
    bridge_free(&bridge);
}

ALL_TESTS(bridge_test)
