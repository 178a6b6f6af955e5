#include "app/pricing/risk/greeks/revalue_one_by_one.h"

#include <stdlib.h>

/* Markets of one contrast: its terms, those that they follow, and today's. */
enum { LONE_MARKETS = 2 * CONTRAST_TERMS + 1 };

/* One contrast and its markets. */
struct lone_contrast {
    int n, which[LONE_MARKETS]; /* of the call's markets */
    struct scenario scenarios[LONE_MARKETS];
    struct contrast contrast;
};

/* Returns where a scenario is; one that is not there comes behind the one that it follows. */
static int place_of(struct lone_contrast *alone, const struct revaluation *asked, int scenario)
{
    struct scenario placed = asked->scenarios[scenario];
    for (int at = 0; at < alone->n; at++)
        if (alone->which[at] == scenario) return at;
    if (placed.follows) placed.follows = 1 + place_of(alone, asked, placed.follows - 1);
    alone->which[alone->n] = scenario;
    alone->scenarios[alone->n] = placed;
    return alone->n++;
}

static void take_alone(const struct valuer *valuer, const struct revaluation *asked, int contrast,
                       int trade, struct lone_contrast *alone)
{
    *alone = (struct lone_contrast){.contrast = asked->contrast_list.contrasts[contrast]};
    if (trade_has(&valuer->trades[trade], EARLY_EXERCISE | DECIDES)) place_of(alone, asked, 0);
    for (int t = 0; t < alone->contrast.n_terms; t++)
        alone->contrast.terms[t].scenario =
            place_of(alone, asked, alone->contrast.terms[t].scenario);
    for (int i = 0; i < alone->n; i++) /* partners are terms of one contrast */
        if (alone->scenarios[i].partner)
            alone->scenarios[i].partner =
                1 + place_of(alone, asked, alone->scenarios[i].partner - 1);
}

/* Puts what was found of it in its place among what all were asked for. */
static void put(const struct valuer *valuer, const struct revaluation *asked, int contrast,
                int trade, const struct findings *found, struct findings *findings)
{
    size_t n = (size_t)asked->contrast_list.n_totals,
           contrasts = (size_t)asked->contrast_list.n_contrasts;
    findings->tallies[(size_t)contrast * (size_t)valuer->n_trades + (size_t)trade] =
        found->tallies[trade];
    for (uint64_t c = 0; findings->totals && c < findings->n_chunks; c++)
        for (size_t t = 0; t < n; t++)
            findings->totals[(c * contrasts + (size_t)contrast) * n + t] +=
                found->totals[c * n + t];
}

static enum status value_alone(const struct valuer *valuer, const struct revaluation *asked,
                               int contrast, int trade, const bool *in, struct findings *findings,
                               struct message *why)
{
    enum status status = STATUS_OK;
    struct prepared prepared = {0};
    struct findings found = {0};
    struct lone_contrast alone;
    take_alone(valuer, asked, contrast, trade, &alone);
    struct revaluation one = {.in = in,
                              .n_scenarios = alone.n,
                              .scenarios = alone.scenarios,
                              .contrast_list = asked->contrast_list};
    one.contrast_list.n_contrasts = 1;
    one.contrast_list.contrasts = &alone.contrast;
    TRY(revalue_prepare(valuer, &one, &prepared, why));
    if (prepared.refusals[trade].why.text[0]) goto done;
    TRY(revalue_run(valuer, &prepared, &found, why));
    put(valuer, asked, contrast, trade, &found, findings);
done:
    findings_free(&found);
    prepared_free(&prepared);
    return status;
}

enum status revalue_one_by_one(const struct valuer *valuer, const struct revaluation *asked,
                               struct findings *findings, struct message *why)
{
    enum status status = STATUS_OK;
    bool *in = NULL; /* [trade] */
    for (int t = 0; t < valuer->n_trades; t++) {
        if (!findings->refusals[t].why.text[0]) continue;
        if (!in && !(in = calloc((size_t)valuer->n_trades + 1, sizeof *in))) TRY(STATUS_NO_MEMORY);
        in[t] = true;
        for (int m = 0; m < asked->contrast_list.n_contrasts; m++)
            TRY(value_alone(valuer, asked, m, t, in, findings, why));
        in[t] = false;
    }
done:
    free(in);
    return status;
}
