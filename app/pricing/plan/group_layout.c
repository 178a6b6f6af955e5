#include "app/pricing/plan/group_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/group_looks.h"
#include "app/pricing/plan/shared_values.h"
#include "app/pricing/plan/time_grid.h"
#include "models/base/order.h"
#include "models/payoffs/product_numbers.h"

/* ---- rows, slots, tables --------------------------------------------------------------------- */

/* Rows that payoffs read of an observable: its first slots. */
static int rows_of(int on)
{
    return on == OBSERVATION_EXERCISE_SLOPE_APART ? 2 : 1;
}

/* Rows for every observable, slots for all but the spots. What keeps its state within another has
 * no row of its own; the one that it leads to is that other's second. */
static enum status assign_slots(struct group_draft *draft, struct group *group)
{
    group->initial = calloc((size_t)draft->n_slots + 1, sizeof(double));
    group->results = calloc(2 * (size_t)draft->n_observables + 1, sizeof *group->results);
    bool padded = false;
    if (!group->initial || !group->results) return STATUS_NO_MEMORY;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        /* A reader loads two slots of what it reads, also where that has but one */
        padded |= o->source >= 0 && state_slots(draft->observables[o->source].kind) == 1;
        if (o->within >= 0) {
            o->slot = draft->observables[o->within].slot + 2;
            o->row = draft->observables[o->within].row + 1;
            continue;
        }
        o->row = group->n_rows;
        group->n_rows += rows_of(o->kind);
        if (observation_in_row(o->kind)) continue;
        o->slot = group->n_slots;
        for (int r = 0; r < rows_of(o->kind); r++)
            group->results[group->n_results++] = (struct result){o->slot + r, o->row + r};
        for (int s = 0; s < state_slots(o->kind); s++)
            group->initial[group->n_slots++] = o->initial[s];
    }
    group->n_slots += padded;
    return STATUS_OK;
}

/* Room in the group's table for what observables keep there, of four floats at least alignment;
 * policies of exercise begin as "nobody exercises before the last date". */
static enum status assign_tables(struct group_draft *draft, struct group *group)
{
    struct lookup *lookup = &group->lookup;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        if (!o->n_table) continue;
        int begin = (lookup->n + 3) / 4 * 4, end = begin + o->n_table;
        MUST(grow_array(&lookup->table, &lookup->room, end, sizeof *lookup->table));
        memset(lookup->table + lookup->n, 0, sizeof *lookup->table * (size_t)(end - lookup->n));
        for (int d = 0; d + 1 < o->n_dates; d++)
            lookup->table[begin + d * (o->n_table / o->n_dates)] = EXERCISE_NEVER;
        o->table = begin;
        lookup->n = end;
    }
    return STATUS_OK;
}

/* ---- observations ---------------------------------------------------------------------------- */

/* Makes a part of an observable's observation on a date; what it looks at is on the group's grid.
 */
static enum status make_observation(const struct group_draft *draft, const struct group *group,
                                    const struct observable *o, int date, int part,
                                    struct observation *made, struct message *why)
{
    *made = (struct observation){
        .slot = observation_in_row(o->kind) ? o->row : o->slot, .source = 0, .pair = -1};
    enum status status = observation_make(draft->aged, o, date, part, made, why);
    if (o->source >= 0) made->source = draft->observables[o->source].slot;
    int u = 0, asset = observation_asset(o, part);
    while (u + 1 < group->n_underlyings && group->underlyings[u].asset != asset) u++;
    made->underlying = (uint16_t)u;
    return status;
}

/* Makes all of them, in the order of observables. */
static enum status make_placed(const struct group_draft *draft, struct group *group,
                               struct placed_observation *placed, struct message *why)
{
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        for (int date = 0, step = 0; date < o->n_dates; date++) {
            step = step_of(group, step, o->dates[date]);
            for (int part = 0; part < o->n_parts; part++, placed++) {
                *placed = (struct placed_observation){.step = step, .date = date, .part = part};
                MUST(make_observation(draft, group, o, date, part, &placed->observation, why));
            }
        }
    }
    return STATUS_OK;
}

/* An underlying draws one pair a step, whatever looks at it. */
static void number_pairs(struct group *group)
{
    for (int j = 0; j < group->n_steps; j++) {
        int pairs[UNDERLYINGS_MAX];
        for (int u = 0; u < group->n_underlyings; u++) pairs[u] = -1;
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            struct observation *t = &group->observations[i];
            if (!observation_draws(t->kind)) continue;
            if (pairs[t->underlying] < 0) pairs[t->underlying] = group->n_pairs++;
            t->pair = pairs[t->underlying];
        }
    }
}

/* Makes the observations and puts them in order. */
static enum status make_observations(const struct group_draft *draft, struct group *group,
                                     struct message *why)
{
    enum status status = STATUS_OK;
    int n = (int)draft->n_observations;
    struct placed_observation *placed = malloc(sizeof *placed * ((size_t)n + 1));
    group->first_observation = calloc((size_t)group->n_steps + 1, sizeof(int));
    if (!placed || !group->first_observation) TRY(STATUS_NO_MEMORY);
    TRY(make_placed(draft, group, placed, why));
    if (group->n_chains) TRY(make_looks(draft, group, &placed, &n));
    group->observations = calloc((size_t)n + 1, sizeof *group->observations);
    if (!group->observations) TRY(STATUS_NO_MEMORY);
    qsort(placed, (size_t)n, sizeof *placed, compare_placed_observations);
    group->n_observations = n;
    for (int i = 0; i < n; i++) {
        group->observations[i] = placed[i].observation;
        group->first_observation[placed[i].step + 1]++;
    }
    for (int j = 0; j < group->n_steps; j++)
        group->first_observation[j + 1] += group->first_observation[j];
    number_pairs(group);
done:
    free(placed);
    return status;
}

/* Tells whether a product's payoff is a straight line beyond its strike, read off the observed spot
 * alone. */
static bool is_line(const struct payoff *payoff)
{
    return payoff->formula == FORMULA_EUROPEAN || payoff->formula == FORMULA_DIGITAL;
}

/* european_value and digital_value (their k) as lines in D = S - centre. */
static struct strip_payoff line_of(const struct payoff *payoff, double centre)
{
    const double *k = payoff->k;
    struct strip_payoff line = {.above = k[0] > 0.0};
    if (payoff->formula == FORMULA_EUROPEAN) {
        line.beta = k[0] * k[2];
        line.alpha = -line.beta * (k[1] - centre);
    } else {
        line.beta = k[3];
        line.alpha = fma(k[3], centre, k[2]);
    }
    return line;
}

/* ---- one strike strip ------------------------------------------------------------------------ */

static int strike_index(const struct strike_strip *strip, double strike)
{
    int low = 0, high = strip->n_strikes - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (strip->strikes[middle] < strike) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Cells: four a strike, even in log2 between the outermost strikes. */
static enum status make_bins(struct strike_strip *strip)
{
    double low = exact_log2(strip->strikes[0]),
           high = exact_log2(strip->strikes[strip->n_strikes - 1]);
    strip->n_cells = 4 * strip->n_strikes + 2;
    strip->cells_a_log2 = (strip->n_cells - 2) / (high > low ? high - low : 1.0);
    strip->low = low - 1.0 / strip->cells_a_log2;
    strip->first = calloc((size_t)strip->n_cells + 1, sizeof(int));
    if (!strip->first) return STATUS_NO_MEMORY;
    for (int i = 0; i < strip->n_strikes; i++)
        strip->first[strip_cell(strip, exact_log2(strip->strikes[i])) + 1]++;
    for (int c = 1; c <= strip->n_cells; c++) {
        if (strip->first[c] > strip->depth) strip->depth = strip->first[c];
        strip->first[c] += strip->first[c - 1];
    }
    return STATUS_OK;
}

/* Strikes of n payoffs, increasing, each once, with room for the search to run past the last. */
static enum status make_strikes(struct strike_strip *strip, const struct payoff *payoffs, int n)
{
    strip->strikes = malloc(sizeof(double) * 2 * (size_t)n);
    if (!strip->strikes) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) strip->strikes[i] = payoffs[i].k[1];
    sort_doubles((size_t)n, strip->strikes);
    for (int i = 0; i < n; i++)
        if (!i || strip->strikes[i] != strip->strikes[strip->n_strikes - 1])
            strip->strikes[strip->n_strikes++] = strip->strikes[i];
    for (int i = strip->n_strikes; i < 2 * n; i++) strip->strikes[i] = HUGE_VAL;
    return STATUS_OK;
}

static enum status make_strike_strip(struct strike_strip *strip, const struct group *group,
                                     int first, int n)
{
    const struct payoff *payoffs = group->payoffs + first;
    *strip =
        (struct strike_strip){.row = payoffs[0].rows[0], .first_payoff = first, .n_payoffs = n};
    MUST(make_strikes(strip, payoffs, n));
    MUST(make_bins(strip));
    strip->centre = strip->strikes[strip->n_strikes / 2];
    strip->payoffs = malloc(sizeof *strip->payoffs * (size_t)n);
    if (!strip->payoffs) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        strip->payoffs[i] = line_of(&payoffs[i], strip->centre);
        strip->payoffs[i].strike = strike_index(strip, payoffs[i].k[1]);
    }
    return STATUS_OK;
}

/* Place of a payoff: row of its strike strip, or -1 for those valued one by one. */
static int place_of(const struct payoff *payoff, const int *lines)
{
    return is_line(payoff) && lines[payoff->rows[0]] >= STRIP_PAYOFFS_MIN ? payoff->rows[0] : -1;
}

/* Orders payoffs and trades by place, those valued one by one first; the order within a place
 * stays. */
static enum status sort_payoffs(struct group *group, const int *lines)
{
    struct payoff *payoffs = malloc(sizeof *payoffs * (size_t)group->n_payoffs);
    int *trades = malloc(sizeof *trades * (size_t)group->n_payoffs);
    int *begin = calloc((size_t)group->n_rows + 2, sizeof *begin);
    if (!payoffs || !trades || !begin) {
        free(payoffs);
        free(trades);
        free(begin);
        return STATUS_NO_MEMORY;
    }
    for (int i = 0; i < group->n_payoffs; i++) begin[place_of(&group->payoffs[i], lines) + 2]++;
    for (int place = 0; place <= group->n_rows; place++) begin[place + 1] += begin[place];
    group->n_single = begin[1];
    for (int i = 0; i < group->n_payoffs; i++) {
        int at = begin[place_of(&group->payoffs[i], lines) + 1]++;
        payoffs[at] = group->payoffs[i];
        trades[at] = group->trades[i];
    }
    free(begin);
    free(group->payoffs);
    free(group->trades);
    group->payoffs = payoffs;
    group->trades = trades;
    return STATUS_OK;
}

/* Moves the european and digital payoffs of every row that has at least STRIP_PAYOFFS_MIN of them
 * behind the others and lays out their strike strips. */
static enum status make_strike_strips(struct group *group)
{
    enum status status = STATUS_OK;
    int *lines = calloc((size_t)group->n_rows + 1, sizeof *lines); /* on each row */
    if (!lines) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < group->n_payoffs; i++)
        if (is_line(&group->payoffs[i])) lines[group->payoffs[i].rows[0]]++;
    TRY(sort_payoffs(group, lines));
    group->strips = calloc((size_t)group->n_rows + 1, sizeof *group->strips);
    if (!group->strips) TRY(STATUS_NO_MEMORY);
    for (int first = group->n_single, n; first < group->n_payoffs; first += n) {
        n = lines[group->payoffs[first].rows[0]];
        const int first_bin = group_bins(group);
        struct strike_strip *strip = &group->strips[group->n_strips++];
        TRY(make_strike_strip(strip, group, first, n));
        strip->first_bin = first_bin;
    }
done:
    free(lines);
    return status;
}

/* ---- the group ------------------------------------------------------------------------------- */

/* Returns the row of prices of a spot, which is made when it is first asked for. */
static int price_row_of(struct observable *spot, struct group *group)
{
    if (!spot->price_row) {
        spot->price_row = group->n_rows++;
        group->prices[group->n_prices++] = (struct price_row){spot->row, spot->price_row};
    }
    return spot->price_row;
}

/* Gives programs the first rows, for their values and decisions. */
static void assign_program_rows(struct group_draft *draft, struct group *group)
{
    for (int p = 0; p < draft->n_programs; p++) {
        struct group_program *program = &draft->programs[p];
        program->row = group->n_rows++;
        program->decided = group->n_rows;
        group->n_rows += program->program->n_decisions;
    }
    group->n_payoff_rows = group->n_rows;
}

/* Gives programs the rows of what they read. STATUS_NO_MEMORY. */
static enum status take_programs(struct group_draft *draft, struct group *group)
{
    group->prices = malloc(sizeof *group->prices * ((size_t)draft->n_observables + 1));
    if (!group->prices) return STATUS_NO_MEMORY;
    group->n_programs = draft->n_programs;
    group->programs = draft->programs;
    for (int p = 0; p < group->n_programs; p++) {
        struct group_program *program = &group->programs[p];
        for (int i = 0; i < program->program->n_inputs; i++) {
            struct observable *seen = &draft->observables[program->inputs[i]];
            bool price = program->program->inputs[i].kind == INPUT_PRICE;
            program->inputs[i] = price ? price_row_of(seen, group) : seen->row;
        }
    }
    draft->n_programs = 0;
    draft->programs = NULL;
    return share_values(group);
}

/* Everything but the strike strips, with the draft's market seen by the dates that it has. */
static enum status make_rows(struct group_draft *draft, struct group *group, struct message *why)
{
    MUST(make_grid_dates(draft, group));
    MUST(make_grid_steps(draft, group, why));
    assign_program_rows(draft, group);
    MUST(draft_looks_back(draft) ? make_chains(draft, group) : assign_slots(draft, group));
    MUST(assign_tables(draft, group));
    MUST(make_observations(draft, group, why));
    MUST(take_programs(draft, group));
    for (int i = 0, program = group->n_shared; i < draft->n_payoffs; i++) {
        struct payoff *payoff = &draft->payoffs[i];
        int program_row = payoff->formula == FORMULA_SCRIPT ? group->programs[program++].row : -1;
        for (int s = 0; s < 3; s++) {
            payoff->rows[s] =
                program_row >= 0 ? program_row : draft->observables[payoff->rows[s]].row;
            if (payoff->rows[s] >= group->n_payoff_rows) group->n_payoff_rows = payoff->rows[s] + 1;
        }
    }
    group->n_payoffs = draft->n_payoffs;
    group->payoffs = draft->payoffs;
    group->trades = draft->trades;
    draft->payoffs = NULL;
    draft->trades = NULL;
    return STATUS_OK;
}

/* The draft's market as time passes for its own dates. */
static enum status age_for_dates(const struct group_draft *draft, struct market *aged)
{
    const struct market *market = draft->market;
    const struct ageing ageing = group_ageing(draft, draft->settings->time_passed);
    bool *wanted = calloc((size_t)market->n_assets + 1, sizeof *wanted);
    if (!wanted) return STATUS_NO_MEMORY;
    for (int u = 0; u < draft->n_assets; u++) wanted[draft->assets[u]] = true;
    if (draft->quanto >= 0) wanted[draft->quanto] = true;
    enum status status = age_market(&ageing, market, wanted, aged);
    free(wanted);
    return status;
}

enum status group_draft_finish(struct group_draft *draft, struct group *group, struct message *why)
{
    enum status status = STATUS_OK;
    const struct market *seen = draft->aged;
    struct market aged = {0};
    *group = (struct group){.n_markets = 1, .follows = -1};
    if (draft->settings->time_passed != 0.0) {
        TRY(age_for_dates(draft, &aged));
        draft->aged = &aged;
    }
    TRY(make_rows(draft, group, why));
    if (draft->settings->path_by_path || draft->settings->antithetic)
        group->n_single = group->n_payoffs;
    else TRY(make_strike_strips(group));
done:
    draft->aged = seen;
    aged_market_free(&aged);
    return status;
}
