/* models/math/tally.h: merging pieces is the same as one pass, to rounding; empty pieces change no
 * bit. */
#include "models/math/philox.h"
#include "models/math/tally.h"
#include "validation/tests/test.h"

enum { count = 10000 };

static double value(int i)
{
    const struct philox_words w = philox_block(3, (uint64_t)i, 0, 0);
    return 1e6 +
           (w.word0 + 0.5) * 0x1p-32; /* a large mean with a small spread is what loses digits */
}

static struct tally tally_of(int from, int to)
{
    struct tally t = {0.0, 0.0, 0.0};
    for (int i = from; i < to; i++) t = tally_add(t, value(i));
    return t;
}

/* Two passes in long double. */
static void reference(double *mean, double *m2)
{
    long double sum = 0.0L, squares = 0.0L;
    for (int i = 0; i < count; i++) sum += (long double)value(i);
    for (int i = 0; i < count; i++) squares += powl((long double)value(i) - sum / count, 2.0L);
    *mean = (double)(sum / count);
    *m2 = (double)squares;
}

static void assert_close(double value_found, double expected, double relative)
{
    assert_true(fabs(value_found - expected) <= relative * fabs(expected));
}

TEST(one_pass_is_right)
{
    double mean, m2;
    reference(&mean, &m2);
    const struct tally t = tally_of(0, count);
    assert_true(t.n == count);
    assert_close(t.mean, mean, 1e-15);
    assert_close(t.m2, m2, 1e-9);
    assert_close(tally_standard_error(t), sqrt(m2 / (count - 1.0) / count), 1e-9);
}

TEST(pieces_of_any_size_merge_to_the_whole)
{
    double mean, m2;
    reference(&mean, &m2);
    const int sizes[] = {1, 2, 7, 64, 999, 5000, 9999, 10000};
    for (int s = 0; s < 8; s++) {
        struct tally t = {0.0, 0.0, 0.0};
        for (int from = 0; from < count; from += sizes[s]) {
            const int to = from + sizes[s] < count ? from + sizes[s] : count;
            t = tally_merge(t, tally_of(from, to));
        }
        assert_true(t.n == count);
        assert_close(t.mean, mean, 2e-15);
        assert_close(t.m2, m2, 1e-9);
    }
}

TEST(small_integers_are_exact)
{
    const struct tally a = {2.0, 1.0, 2.0};  /* 0, 2 */
    const struct tally b = {2.0, 5.0, 18.0}; /* 2, 8 */
    const struct tally t = tally_merge(a, b);
    assert_true(t.n == 4.0 && t.mean == 3.0 && t.m2 == 36.0);
    assert_true(tally_standard_error(t) == sqrt(3.0));
}

TEST(empty_pieces_change_no_bit)
{
    const struct tally empty = {0.0, 0.0, 0.0};
    const struct tally t = {3.0, -0.1, 0.7};
    const struct tally after = tally_merge(t, empty), before = tally_merge(empty, t);
    const struct tally none = tally_merge(empty, empty);
    assert_memory_equal(&after, &t, sizeof t);
    assert_memory_equal(&before, &t, sizeof t);
    assert_memory_equal(&none, &empty, sizeof none);
    const struct tally huge = {2.0, 1e200, 0.5},
                       zero = {2.0, -0.0, 0.5}; /* where the formula would round or fail */
    const struct tally same = tally_merge(empty, huge), sign = tally_merge(empty, zero);
    const struct tally kept = tally_merge(huge, empty);
    assert_memory_equal(&kept, &huge, sizeof kept);
    assert_memory_equal(&same, &huge, sizeof same);
    assert_memory_equal(&sign, &zero, sizeof sign);
}

TEST(few_values_have_no_error_bar)
{
    assert_true(isinf(tally_standard_error((struct tally){0.0, 0.0, 0.0})));
    assert_true(isinf(tally_standard_error(tally_of(0, 1))));
    assert_true(isfinite(tally_standard_error(tally_of(0, 2))));
    const struct tally same = tally_add(tally_add((struct tally){0.0, 0.0, 0.0}, 5.0), 5.0);
    assert_true(tally_standard_error(same) == 0.0);
}

TEST(not_a_number_stays_visible)
{
    const struct tally bad = tally_add(tally_of(0, 5), NAN);
    assert_true(isnan(bad.mean) && isnan(tally_standard_error(bad)));
    assert_true(isnan(tally_merge(tally_of(0, 5), bad).mean) &&
                isnan(tally_merge(bad, tally_of(0, 5)).m2));
}

ALL_TESTS(math_tally_test)
