#include "app/pricing/value/exercise/exercise_strata.h"

#include "models/math/normal.h"

int jump_factor(const struct group *group)
{
    enum model model = group->underlyings[0].model;
    if (group->n_underlyings > 1 || !model_takes(model, TAKES_JUMPS)) return -1;
    return model_has(model, REMEMBERS_VARIANCE) ? 2 : 1;
}

uint32_t jump_word(const struct group *group, int step, int count)
{
    enum model model = group->underlyings[0].model;
    int first = model_has(model, REMEMBERS_VARIANCE) ? BATES_THRESHOLD : MERTON_THRESHOLD;
    size_t at = (size_t)step * (size_t)group->width + (size_t)group->underlyings[0].coefficient;
    return word_above(group->coefficients[at + (size_t)(first + count - 1)]);
}

uint32_t word_above(double z)
{
    uint32_t low = 0, high = 0xffffffffu;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)normal_from_bits(middle, normal_cubic) > z) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Returns a uniform word, among the words from `low` to below low + n. */
static uint32_t word_within(uint32_t word, uint64_t low, uint64_t n)
{
    return (uint32_t)(low + (word * n >> 32));
}

struct strata strata_begin(const struct group *group, int begin, int end)
{
    struct strata strata = {.factor = jump_factor(group), .none = 1.0, .none_before = 1.0};
    for (int j = begin; strata.factor >= 0 && j <= end; j++)
        strata.none *= jump_word(group, j, 1) * 0x1p-32;
    return strata;
}

void strata_take(const struct group *group, int step, struct strata *strata, uint32_t *words)
{
    const uint64_t all = (uint64_t)1 << 32;
    if (strata->factor < 0) return;
    uint32_t *count = words + strata->factor * PATH_LANES;
    uint64_t first = jump_word(group, step, 1);
    double here = strata->none_before * (double)(all - first) * 0x1p-32,
           later = strata->none_before - strata->none; /* here or later */
    uint64_t share = here < later ? (uint64_t)(here / later * 0x1p32) : all;
    for (uint32_t l = 0; l < PATH_LANES; l++) {
        if (!(l & 1)) count[l] = word_within(count[l], 0, first);
        else if (strata->jumped[l]) continue;
        else if (count[l] < share) {
            uint32_t again = (uint32_t)((double)count[l] / (double)share * 0x1p32);
            count[l] = word_within(again, first, all - first);
            strata->jumped[l] = 1;
        } else {
            uint32_t again =
                (uint32_t)((double)(count[l] - share) / (double)(all - share) * 0x1p32);
            count[l] = word_within(again, 0, first);
        }
    }
    strata->none_before *= (double)first * 0x1p-32;
}

/* Adds value i to sum i % SUMS, then the sums in order. */
static double sum_of(uint32_t n, const double *values)
{
    enum { SUMS = 8 };
    double sums[SUMS] = {0}, total = 0.0;
    for (uint32_t i = 0; i < n; i += SUMS)
        for (uint32_t l = 0; l < SUMS; l++) sums[l] += values[i + l];
    for (uint32_t l = 0; l < SUMS; l++) total += sums[l];
    return total;
}

double strata_mean(const struct strata *strata, uint32_t points, const double *values)
{
    double halves[2][PATH_LANES / 2];
    if (strata->factor < 0) return sum_of(points, values) / points;
    for (uint32_t p = 0; p < points; p++) halves[p & 1][p / 2] = values[p];
    double none = sum_of(points / 2, halves[0]), some = sum_of(points / 2, halves[1]);
    return (strata->none * none + (1.0 - strata->none) * some) / (points / 2);
}
