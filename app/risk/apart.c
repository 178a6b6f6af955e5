#include "app/risk/apart.h"

#include <stdlib.h>

/* One measure and its markets. */
struct alone {
    int n, which[MEASURE_TERMS + 1]; /* of the call's markets */
    struct scenario scenarios[MEASURE_TERMS + 1];
    struct measure measure;
};

static int place_of(struct alone *alone, const struct revaluation *asked, int scenario)
{
    int at = 0;
    while (at < alone->n && alone->which[at] != scenario) at++;
    if (at < alone->n) return at;
    alone->which[at] = scenario;
    alone->scenarios[at] = asked->scenarios[scenario];
    return alone->n++;
}

static void take_alone(const struct valuer *valuer, const struct revaluation *asked, int measure, int trade,
                       struct alone *alone)
{
    *alone = (struct alone){.measure = asked->measuring.measures[measure]};
    if (valuer->trades[trade].product == PRODUCT_AMERICAN) place_of(alone, asked, 0);
    for (int t = 0; t < alone->measure.n_terms; t++)
        alone->measure.terms[t].scenario = place_of(alone, asked, alone->measure.terms[t].scenario);
}

/* Puts what was found of it in its place among what all were asked for. */
static void put(const struct valuer *valuer, const struct revaluation *asked, int measure, int trade,
                const struct findings *found, struct findings *findings)
{
    size_t n = (size_t)asked->measuring.n_totals, measures = (size_t)asked->measuring.n_measures;
    findings->tallies[(size_t)measure * (size_t)valuer->n_trades + (size_t)trade] = found->tallies[trade];
    for (uint64_t c = 0; findings->totals && c < findings->n_chunks; c++)
        for (size_t t = 0; t < n; t++)
            findings->totals[(c * measures + (size_t)measure) * n + t] += found->totals[c * n + t];
}

static enum status value_alone(const struct valuer *valuer, const struct revaluation *asked, int measure,
                               int trade, const bool *in, struct findings *findings, struct message *why)
{
    enum status status = STATUS_OK;
    struct prepared prepared = {0};
    struct findings found = {0};
    struct alone alone;
    take_alone(valuer, asked, measure, trade, &alone);
    struct revaluation one = {
        .in = in, .n_scenarios = alone.n, .scenarios = alone.scenarios, .measuring = asked->measuring};
    one.measuring.n_measures = 1;
    one.measuring.measures = &alone.measure;
    TRY(revalue_prepare(valuer, &one, &prepared, why));
    if (prepared.refusals[trade].why.text[0]) goto done;
    TRY(revalue_run(valuer, &prepared, &found, why));
    put(valuer, asked, measure, trade, &found, findings);
done:
    findings_free(&found);
    prepared_free(&prepared);
    return status;
}

enum status revalue_apart(const struct valuer *valuer, const struct revaluation *asked,
                          struct findings *findings, struct message *why)
{
    enum status status = STATUS_OK;
    bool *in = NULL; /* [trade] */
    for (int t = 0; t < valuer->n_trades; t++) {
        if (!findings->refusals[t].why.text[0]) continue;
        if (!in && !(in = calloc((size_t)valuer->n_trades + 1, sizeof *in))) TRY(STATUS_NO_MEMORY);
        in[t] = true;
        for (int m = 0; m < asked->measuring.n_measures; m++)
            TRY(value_alone(valuer, asked, m, t, in, findings, why));
        in[t] = false;
    }
done:
    free(in);
    return status;
}
