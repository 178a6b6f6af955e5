#include "app/pricing/base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/math/bits.h"
#include "models/payoffs/payoff_definition.h"
#include "models/scripts/script.h"

/* ---- the hash -------------------------------------------------------------------------------- */

#define PRIME UINT64_C(0x100000001b3)

uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < n; i++) digest = (digest ^ byte[i]) * PRIME;
    return digest;
}

uint64_t digest_integer(uint64_t digest, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    return digest_bytes(digest, bytes, sizeof bytes);
}

uint64_t digest_number(uint64_t digest, double value)
{
    return digest_integer(digest, bits_of_double(value));
}

uint64_t digest_text(uint64_t digest, const char *text)
{
    return digest_bytes(digest, text, strlen(text) + 1);
}

void arithmetic_name(const char *engine, const char *kernel, size_t room, char *name)
{
    static const char baseline_name[] = "baseline";
    bool baseline = !strncmp(kernel, baseline_name, strlen(baseline_name));
    if (baseline) snprintf(name, room, "%s on %s", baseline_name, engine);
    else snprintf(name, room, "exact");
}

static uint64_t digest_numbers(uint64_t digest, int n, const double *values)
{
    digest = digest_integer(digest, (uint64_t)n);
    for (int i = 0; i < n; i++) digest = digest_number(digest, values[i]);
    return digest;
}

static uint64_t digest_int(uint64_t digest, int value)
{
    return digest_integer(digest, (uint64_t)(int64_t)value);
}

static uint64_t digest_ints(uint64_t digest, int n, const int *values)
{
    for (int i = 0; i < n; i++) digest = digest_int(digest, values[i]);
    return digest;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static uint64_t digest_touch(uint64_t digest, const struct observation *observation)
{
    const int words[] = {observation->kind, observation->underlying, observation->slot,
                         observation->source, observation->pair};
    return digest_numbers(digest_ints(digest, 5, words),
                          (int)(sizeof observation->c / sizeof *observation->c), observation->c);
}

static uint64_t digest_payoff(uint64_t digest, const struct payoff *payoff)
{
    digest = digest_ints(digest_int(digest, payoff->formula), 3, payoff->rows);
    return digest_numbers(digest, (int)(sizeof payoff->k / sizeof *payoff->k), payoff->k);
}

static uint64_t digest_program(uint64_t digest, const struct group *group,
                               const struct group_program *run)
{
    const struct program *program = run->program;
    for (int i = 0; i < program->n_instructions; i++) {
        const struct instruction *code = &program->code[i];
        const uint32_t words[] = {code->operation, code->to, code->a, code->b, code->c, code->at};
        for (int j = 0; j < 6; j++) digest = digest_integer(digest, words[j]);
    }
    digest = digest_ints(digest, program->n_inputs, run->inputs);
    digest = digest_int(digest, group->follows);
    return digest_numbers(digest, program->n_coefficients, run->coefficients);
}

static uint64_t digest_underlying(uint64_t digest, const struct underlying *underlying)
{
    digest = digest_int(digest, underlying->asset);
    digest = digest_int(digest, (int)underlying->model);
    if (underlying->stream != underlying->asset) digest = digest_int(digest, underlying->stream);
    digest = digest_number(digest, underlying->start.x);
    return digest_number(digest, underlying->start.v);
}

uint64_t digest_paths(uint64_t digest, const struct group *group)
{
    int n = group->n_underlyings;
    for (int u = 0; u < n; u++) digest = digest_underlying(digest, &group->underlyings[u]);
    digest = digest_numbers(digest, n * n, group->loadings);
    digest = digest_numbers(digest, group->n_steps, group->times);
    digest = digest_numbers(digest, group->n_steps * group->width, group->coefficients);
    for (int i = 0; i < group->lookup.n; i++)
        digest = digest_number(digest, group->lookup.table[i]);
    for (int i = 0; i < group->n_dividends; i++) {
        digest = digest_int(digest, group->dividends[i].step);
        digest = digest_int(digest, group->dividends[i].underlying);
        digest = digest_number(digest, group->dividends[i].amount);
    }
    return digest;
}

static uint64_t digest_places(uint64_t digest, int n, const struct result *results)
{
    for (int i = 0; i < n; i++)
        digest = digest_int(digest_int(digest, results[i].slot), results[i].row);
    return digest;
}

static uint64_t digest_chain(uint64_t digest, const struct group *group, const struct chain *chain)
{
    for (int i = 0; i < chain->n_looks; i++) {
        const struct look *look = &group->looks[chain->first_look + i];
        const int rows[] = {look->x, look->drawn[0], look->drawn[1], look->clock};
        digest = digest_ints(digest_touch(digest, &look->seen), look->clock < 0 ? 3 : 4, rows);
    }
    digest = digest_numbers(digest, chain->n_slots, group->look_initial + chain->first_slot);
    return digest_places(digest, chain->n_results, group->look_results + chain->first_result);
}

/* Digests what is observed on the paths, and what is paid. */
static uint64_t digest_payments(uint64_t digest, const struct group *group)
{
    digest = digest_ints(digest, group->n_steps + 1, group->first_observation);
    for (int i = 0; i < group->n_observations; i++)
        digest = digest_touch(digest, &group->observations[i]);
    digest = digest_int(digest, group->n_pairs);
    digest = digest_numbers(digest, group->n_slots, group->initial);
    digest = digest_places(digest, group->n_results, group->results);
    for (int i = 0; i < group->n_chains; i++)
        digest = digest_chain(digest, group, &group->chains[i]);
    for (int i = 0; i < group->n_gates; i++) {
        const struct gate *gate = &group->gates[i];
        const int rows[] = {gate->lowest, gate->highest, gate->row};
        const double numbers[] = {gate->low, gate->high, gate->alive};
        digest = digest_numbers(digest_ints(digest, 3, rows), 3, numbers);
    }
    for (int i = 0; i < group->n_payoffs; i++) digest = digest_payoff(digest, &group->payoffs[i]);
    for (int i = 0; i < group->n_programs; i++)
        digest = digest_program(digest, group, &group->programs[i]);
    return digest;
}

/* Digests what a plan with contrasts has beside its groups. */
static uint64_t digest_contrasts(uint64_t digest, const struct plan *plan)
{
    digest = digest_int(digest, plan->n_scenarios);
    digest = digest_int(digest, plan->n_contrasts);
    for (int m = 0; m < plan->n_contrasts; m++)
        for (int t = 0; t < plan->contrasts[m].n_terms; t++) {
            digest = digest_int(digest, plan->contrasts[m].terms[t].scenario);
            digest = digest_number(digest, plan->contrasts[m].terms[t].weight);
        }
    digest = digest_int(digest, plan->n_totals);
    for (int i = 0; i < plan->n_trades && plan->n_totals; i++) {
        digest = digest_int(digest, plan->totals[i]);
        digest = digest_number(digest, plan->quantities[i]);
    }
    return digest;
}

/* Digests what a plan has before its groups. */
static uint64_t digest_settings(const struct plan *plan)
{
    uint64_t digest = digest_integer(DIGEST_BEGIN, plan->seed);
    digest = digest_integer(digest, plan->paths);
    if (plan->first_path) digest = digest_integer(digest_text(digest, "from"), plan->first_path);
    if (plan->antithetic) digest = digest_text(digest, "antithetic");
    if (plan->replicates) digest = digest_int(digest_text(digest, "sobol"), plan->replicates);
    return digest_int(digest, plan->n_groups);
}

uint64_t digest_plan(const struct plan *plan)
{
    uint64_t digest = digest_settings(plan);
    for (int g = 0; g < plan->n_groups; g++)
        digest = digest_payments(digest_paths(digest, &plan->groups[g]), &plan->groups[g]);
    if (plan->n_contrasts) digest = digest_contrasts(digest, plan);
    return digest;
}

/* ---- a trade: its market --------------------------------------------------------------------- */

static uint64_t digest_list(uint64_t digest, int n, const double *values)
{
    digest = digest_integer(digest, values ? (uint64_t)n + 1 : 0);
    for (int i = 0; values && i < n; i++) digest = digest_number(digest, values[i]);
    return digest;
}

static uint64_t digest_curve(uint64_t digest, const struct term_structure *curve)
{
    digest = digest_list(digest, curve->n, curve->time);
    return digest_list(digest, curve->n, curve->accrued);
}

static uint64_t digest_rate(uint64_t digest, const struct market *market, int currency)
{
    return currency < 0 ? digest_integer(digest, 0)
                        : digest_curve(digest, &market->currencies[currency].rate);
}

uint64_t digest_asset(uint64_t digest, const struct market *market, const struct asset *asset)
{
    const struct heston *heston = &asset->heston;
    const struct surface *surface = &asset->surface;
    int n = surface->n_times * surface->n_strikes;
    const double model[] = {asset->spot,         asset->model,       heston->v0,
                            heston->kappa,       heston->theta,      heston->xi,
                            heston->rho,         heston->scheme,     asset->jumps.intensity,
                            asset->jumps.mean,   asset->jumps.stdev, asset->history.interval,
                            asset->history.block};
    digest = digest_list(digest, (int)(sizeof model / sizeof *model), model);
    digest = digest_rate(digest, market, asset->currency);
    digest = digest_rate(digest, market, asset->foreign_currency);
    digest = digest_curve(digest, &asset->yield);
    digest = digest_curve(digest, &asset->variance);
    digest = digest_list(digest, surface->n_times, surface->times);
    digest =
        digest_list(digest, surface->strikes_by_time ? n : surface->n_strikes, surface->strikes);
    digest = digest_list(digest, n, surface->vols);
    digest = digest_list(digest, asset->history.n, asset->history.returns);
    digest = digest_integer(digest, (uint64_t)asset->n_dividends);
    for (int i = 0; i < asset->n_dividends; i++) {
        digest = digest_number(digest, asset->dividends[i].time);
        digest = digest_number(digest, asset->dividends[i].amount);
    }
    if (asset->falls.n) digest = digest_curve(digest, &asset->falls);
    return digest;
}

/* Digests the assets of a trade and the FX rate of its quanto, and what is between them. */
static uint64_t digest_assets(uint64_t digest, const struct market *market,
                              const struct trade *trade)
{
    int n = trade_n_assets(trade), assets[TRADE_ASSETS_MAX + 1];
    for (int i = 0; i < n; i++) assets[i] = trade_asset(trade, i);
    if (trade->quanto >= 0) assets[n++] = trade->quanto;
    for (int i = 0; i < n; i++) {
        digest = digest_asset(digest, market, &market->assets[assets[i]]);
        for (int j = 0; j < i; j++)
            digest = digest_number(digest,
                                   market->correlation[assets[i] * market->n_assets + assets[j]]);
    }
    return digest_rate(digest, market, trade_currency(market, trade));
}

/* ---- the terms ------------------------------------------------------------------------------- */

static uint64_t digest_script(uint64_t digest, const struct binding *binding)
{
    digest = digest_text(digest, binding->script->text);
    for (int p = 0; p < binding->script->n_parameters; p++) {
        const struct bound *bound = &binding->bound[p];
        digest = digest_list(digest, bound->n, bound->values);
        digest = digest_list(digest, bound->n * binding->n_assets, bound->closes);
    }
    return digest;
}

/* What a trade points to is digested by content, and all else as it lies in memory. */
uint64_t digest_trade(uint64_t digest, const struct market *market, const struct trade *trade)
{
    struct trade plain;
    memcpy(&plain, trade, sizeof plain); /* padding and all */
    plain.id = NULL, plain.file = NULL, plain.line = 0, plain.quantity = 0.0;
    plain.tags = NULL, plain.n_tags = 0, plain.owed = NULL, plain.expired = NULL;
    plain.past_event = NULL;
    plain.assets = NULL, plain.today = NULL, plain.weights = NULL, plain.initial = NULL;
    plain.coupon_years = NULL, plain.scripted = NULL;
    plain.asset = plain.currency = 0, plain.quanto = trade->quanto < 0;
    for (int i = 0; i < N_SCHEDULES; i++) {
        const struct schedule *dates = trade_schedule(trade, i);
        digest = digest_list(digest, dates->n, dates->times);
        ((struct schedule *)(void *)trade_schedule(&plain, i))->times = NULL;
    }
    digest = digest_bytes(digest, &plain, sizeof plain);
    digest = digest_list(digest, trade->n_assets, trade->today);
    digest = digest_list(digest, trade->n_assets, trade->weights);
    digest = digest_list(digest, trade->n_assets, trade->initial);
    digest = digest_list(digest, trade->observations.n, trade->coupon_years);
    for (int i = 0; i < trade->n_owed; i++) {
        digest = digest_number(digest, trade->owed[i].years);
        digest = digest_number(digest, trade->owed[i].amount);
    }
    if (trade->scripted) digest = digest_script(digest, trade_binding(trade));
    return digest_assets(digest, market, trade);
}

/* ---- the results ----------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    return strcmp((*(const struct trade *const *)a)->id, (*(const struct trade *const *)b)->id);
}

static uint64_t digest_estimate(uint64_t digest, const struct estimate *estimate)
{
    if (estimate->verdict == VERDICT_FAILED) return digest_text(digest, "failed");
    if (estimate->verdict == VERDICT_REFUSED) return digest_text(digest, "refused");
    if (estimate->verdict == VERDICT_EXPIRED)
        return digest_number(digest_text(digest, "expired"), estimate->price);
    digest = digest_number(digest, estimate->unit.mean);
    return digest_number(digest, tally_standard_error(estimate->unit));
}

int *digest_order(int n, const struct trade *trades)
{
    int *rows = malloc(sizeof *rows * ((size_t)n + 1));
    const struct trade **order = malloc(sizeof *order * ((size_t)n + 1));
    if (rows && order) {
        for (int i = 0; i < n; i++) order[i] = &trades[i];
        qsort(order, (size_t)n, sizeof *order, compare_ids);
        for (int i = 0; i < n; i++) rows[i] = (int)(order[i] - trades);
    } else {
        free(rows);
        rows = NULL;
    }
    free(order);
    return rows;
}

uint64_t digest_results(int n, const int *order, const struct trade *trades,
                        const struct estimate *estimates)
{
    uint64_t digest = DIGEST_BEGIN;
    for (int i = 0; i < n; i++) {
        digest = digest_text(digest, trades[order[i]].id);
        digest = digest_estimate(digest, &estimates[order[i]]);
    }
    return digest;
}
