/* What normals in float cost a price: the same Philox words become normals once by
 * normal_from_bits(), once by GSL's inverse of the normal distribution in double, and both drive
 * the same paths. Only the difference is looked at, so that its own standard error is ten million
 * times smaller than that of a price. A digital changes on so few paths that it is looked at a
 * second time, without sampling. */
#include <gsl/gsl_cdf.h>

#include "models/math/normal.h"
#include "models/math/philox.h"
#include "models/math/tally.h"
#include "validation/tests/test.h"

enum { PATHS = 1 << 20, FIXINGS = 52 };
static const double SPOT = 100.0, STRIKE = 103.0, RATE = 0.03, VOLATILITY = 0.25, EXPIRY = 1.0;

typedef double normal_function(uint32_t word);

static double float_normal(uint32_t word)
{
    return normal_from_bits(word, normal_cubic);
}

static double double_normal(uint32_t word)
{
    return gsl_cdf_ugaussian_Pinv((word + 0.5) * 0x1p-32);
}

/* log(S(to) / S(from)) over an interval of the year. */
static double move(double years, double normal)
{
    return (RATE - 0.5 * VOLATILITY * VOLATILITY) * years + VOLATILITY * sqrt(years) * normal;
}

/* Undiscounted, in the order of the table below: all of them in units of money, the digital pays
 * the spot of today. */
static void payoffs_of_path(uint64_t path, normal_function *normal, double *payoff)
{
    double end = SPOT * exp(move(EXPIRY, normal(philox_block(1, path, 0, 0).word0))), x = 0.0,
           sum = 0.0;
    for (uint32_t i = 0; i < FIXINGS; i++) {
        struct philox_words w = philox_block(1, path, 1, i / 4);
        uint32_t words[4] = {w.word0, w.word1, w.word2, w.word3};
        x += move(EXPIRY / FIXINGS, normal(words[i % 4]));
        sum += SPOT * exp(x);
    }
    payoff[0] = fmax(end - STRIKE, 0.0);
    payoff[1] = end > STRIKE ? SPOT : 0.0;
    payoff[2] = fmax(sum / FIXINGS - STRIKE, 0.0);
    payoff[3] = end;
}

TEST(test_float_normals_do_not_move_prices)
{
    static const struct {
        const char *name;
        double most; /* fraction of spot; one path of the digital is 9.5e-7 */
    } products[4] = {
        {"european call", 4e-10}, {"digital", 1e-6}, {"asian call", 4e-10}, {"forward", 4e-10}};
    struct tally difference[4] = {{0}}, price[4] = {{0}};
    int changed[4] = {0};
    for (uint64_t path = 0; path < PATHS; path++) {
        double narrow[4], wide[4];
        payoffs_of_path(path, float_normal, narrow);
        payoffs_of_path(path, double_normal, wide);
        for (int i = 0; i < 4; i++) {
            difference[i] = tally_add(difference[i], narrow[i] - wide[i]);
            price[i] = tally_add(price[i], wide[i]);
            changed[i] += narrow[i] != wide[i];
        }
    }
    print_message("in parts per billion of spot: difference, its error, error of the price; paths "
                  "that differ\n");
    for (int i = 0; i < 4; i++) {
        double unit = 1e9 / SPOT, mean = difference[i].mean;
        print_message("%-14s %10.4f %8.4f %10.0f %8d\n", products[i].name, unit * mean,
                      unit * tally_standard_error(difference[i]),
                      unit * tally_standard_error(price[i]), changed[i]);
        assert_true(fabs(mean) < products[i].most * SPOT);
    }
}

/* The first word whose normal is above z: both ways to a normal never fall as the word grows. */
static uint64_t first_above(normal_function *normal, double z)
{
    uint64_t low = 0, high = UINT64_C(1) << 32;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (normal((uint32_t)middle) > z) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* The price of a digital of one step is a share of the 2^32 words. */
TEST(test_float_normals_do_not_move_probabilities)
{
    double worst = 0.0, mean = 0.0;
    enum { STRIKES = 4001 };
    for (int i = 0; i < STRIKES; i++) {
        double z = 5.0 * (2.0 * i / (STRIKES - 1.0) - 1.0);
        double share =
            ((double)first_above(double_normal, z) - (double)first_above(float_normal, z)) *
            0x1p-32;
        worst = fmax(worst, fabs(share));
        mean += share / STRIKES;
    }
    print_message("probability of a digital, %d strikes: mean difference %.2e, largest %.2e\n",
                  STRIKES, mean, worst);
    assert_true(worst < 1.5e-7);
}

ALL_TESTS(statistics_normals_test)
