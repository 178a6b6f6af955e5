#include "app/pricing/plan/group_draft.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/time_grid.h"
#include "models/math/constants.h"
#include "models/payoffs/scripted.h"

/* ---- where paths are looked at --------------------------------------------------------------- */

int state_slots(int on)
{
    return observation_in_row(on) ? 0 : observation_slots(on);
}

/* Tells whether an observable can look at a path that has ended: it reads no policy of exercise and
 * keeps its state in slots of its own. */
static bool looks_back(const struct observable *o)
{
    const int on_the_way = READS_TABLE | READS_LEADER | READS_VARIANCE;
    if (observation_in_row(o->kind)) return true; /* the walk writes it in any case */
    return o->within < 0 && !(observation_reads(o->kind) & on_the_way);
}

bool draft_looks_back(const struct group_draft *draft)
{
    return draft->n_slots > GROUP_SLOTS && !draft->n_walked && !draft->walks;
}

bool looking_back_pays(const struct group_draft *draft)
{
    return draft->walked_before + draft->carried.n >= 2 * draft->look_dates.n;
}

/* Merges the dates of an observable into a list. */
static enum status merge_dates(const struct observable *o, struct look_dates *all)
{
    size_t n = (size_t)all->n + (size_t)o->n_dates;
    double *merged = malloc(sizeof *merged * (n + 1));
    int n_merged = 0, i = 0, j = 0;
    if (!merged) return STATUS_NO_MEMORY;
    while (i < all->n || j < o->n_dates) {
        bool other = i == all->n || (j < o->n_dates && o->dates[j] < all->dates[i]);
        double date = other ? o->dates[j++] : all->dates[i++];
        if (!n_merged || date > merged[n_merged - 1] + SAME_DATE) merged[n_merged++] = date;
    }
    free(all->dates);
    all->dates = merged;
    all->n = n_merged;
    return STATUS_OK;
}

/* Takes the dates of an observable that was added to those that rows are kept for, and to those of
 * the walk that would carry it. */
static enum status count_look_dates(struct group_draft *draft, const struct observable *o)
{
    const int slots = state_slots(o->kind);
    if (draft->carried_slots + slots > GROUP_SLOTS) {
        draft->walked_before += draft->carried.n;
        draft->carried.n = draft->carried_slots = 0;
    }
    draft->carried_slots += slots;
    draft->look_dates.drawn |= observation_draws(o->kind);
    draft->look_dates.clocked |= (observation_reads(o->kind) & READS_CLOCK) != 0;
    if (merge_dates(o, &draft->carried)) return STATUS_NO_MEMORY;
    return merge_dates(o, &draft->look_dates);
}

/* Returns how many rows the group would have at most whose paths are looked at when they have
 * ended. */
static double most_look_rows(const struct group_draft *draft)
{
    const struct look_dates *all = &draft->look_dates;
    double date_rows = 1.0 + 2.0 * all->drawn + all->clocked;
    return draft->n_observables + date_rows * (double)all->n * (double)draft->n_assets;
}

/* ---- filling --------------------------------------------------------------------------------- */

/* Slots that an observable has for itself. */
static int own_slots(const struct observable *o)
{
    return o->within < 0 ? state_slots(o->kind) : 0;
}

/* Index of the observable that `functional` asks for, laid out and added where the draft has none
 * such yet. */
static enum status add_observable(struct group_draft *draft, const struct functional *functional,
                                  const int *where, int *index, struct message *why)
{
    enum status status = STATUS_OK;
    struct observable added = {0};
    struct observation tried;
    for (*index = 0; *index < draft->n_observables; ++*index)
        if (functional_equal(&draft->observables[*index].functional, functional)) return STATUS_OK;
    MUST(grow_array(&draft->observables, &draft->room_observables, draft->n_observables + 1,
                    sizeof *draft->observables));
    TRY(observable_lay_out(draft->stepped, functional, draft->settings->max_step, &added, why));
    if (draft->settings->time_passed != 0.0) observable_begin(draft->aged, &added);
    for (int k = 0; k < added.n_dates * added.n_parts; k++)
        TRY(observation_make(draft->aged, &added, k / added.n_parts, k % added.n_parts, &tried,
                             why));
    if (functional->source >= 0) added.source = where[functional->source];
    if (functional->within) added.within = where[functional->within];
    added.chain = added.source < 0 ? draft->n_observables : draft->observables[added.source].chain;
    TRY(count_look_dates(draft, &added));
    draft->observables[draft->n_observables] = added;
    draft->n_walked += !looks_back(&added);
    draft->n_slots += own_slots(&added);
    draft->observables[added.chain].chain_slots += own_slots(&added);
    draft->n_dates += (size_t)added.n_dates;
    draft->n_observations += (size_t)added.n_dates * (size_t)added.n_parts;
    if (added.n_dates) draft->last = fmax(draft->last, added.dates[added.n_dates - 1]);
    draft->n_observables++;
    return STATUS_OK;
done:
    free(added.dates);
    return status;
}

/* Goes back to the first n observables, whose last date is `last` years away. */
static void forget_observables(struct group_draft *draft, int n, double last)
{
    draft->last = last;
    while (draft->n_observables > n) {
        struct observable *gone = &draft->observables[--draft->n_observables];
        draft->n_slots -= own_slots(gone);
        draft->observables[gone->chain].chain_slots -= own_slots(gone);
        draft->n_walked -= !looks_back(gone);
        draft->n_dates -= (size_t)gone->n_dates;
        draft->n_observations -= (size_t)gone->n_dates * (size_t)gone->n_parts;
        free(gone->dates);
    }
}

/* Adds the program of a trade, with room for what it asked. */
static enum status add_program(struct group_draft *draft, const struct trade *trade)
{
    const struct program *program = &trade->scripted->program;
    if (grow_array(&draft->programs, &draft->room_programs, draft->n_programs + 1,
                   sizeof *draft->programs))
        return STATUS_NO_MEMORY;
    struct group_program *added = &draft->programs[draft->n_programs++];
    *added = (struct group_program){
        .program = program,
        .inputs = calloc((size_t)program->n_inputs + 1, sizeof *added->inputs),
        .coefficients = malloc(((size_t)program->n_coefficients + 1) * sizeof(double))};
    if (!added->inputs || !added->coefficients) return STATUS_NO_MEMORY;
    scripted_coefficients(draft->aged, trade, added->coefficients);
    return STATUS_OK;
}

static void forget_programs(struct group_draft *draft, int n)
{
    group_programs_free(draft->n_programs - n, draft->programs + n);
    draft->n_programs = n;
}

/* ---- limits ---------------------------------------------------------------------------------- */

enum { STEP_BYTES = 96 }; /* of a step beside its coefficients, tables and normals */

/* Bytes that a step takes, at most: where normals of Sobol points, or of several scenarios, are
 * there at once, a thread keeps those of PATH_LANES paths. */
static double step_bytes(const struct group_draft *draft)
{
    double bytes = STEP_BYTES;
    for (int u = 0; u < draft->n_assets; u++) {
        enum model model = draft->market->assets[draft->assets[u]].model;
        bytes +=
            (double)(sizeof(double) * (size_t)model_coefficients(model) + model_step_bytes(model));
        if (draft->settings->points || draft->settings->path_by_path)
            bytes += (double)(sizeof(float) * PATH_LANES * (size_t)model_factors(model));
    }
    return bytes;
}

/* Returns how many rows the group has at most whose memory is to be counted: of one that has
 * programs or looks that come when paths have ended; else 0. */
static double most_rows(const struct group_draft *draft)
{
    bool back = draft_looks_back(draft);
    if (!draft->n_programs && !back) return 0.0;
    double rows = back ? most_look_rows(draft) : draft->n_observables;
    for (int p = 0; p < draft->n_programs; p++)
        rows += 1.0 + draft->programs[p].program->n_decisions;
    return rows;
}

/* Tells whether looks of scripts lie as max_step says, and not at the dates alone. */
static bool looks_by_max_step(const struct group_draft *draft)
{
    bool by = draft->look_dates.clocked;
    for (int i = 0; i < draft->n_observables; i++) by |= draft->observables[i].functional.closely;
    return by;
}

/* Refuses a draft whose group would be too large: by what its dates, cuts and tables come to at
 * most, in doubles, so that no count is cast to an integer before it is known to be small. */
static enum status check_size(const struct group_draft *draft, struct message *why)
{
    double longest, steps = (double)draft->n_dates + most_extra_steps(draft, &longest);
    double rows = most_rows(draft);
    double bytes =
        steps * step_bytes(draft) +
        (double)draft->n_observations * (double)(2 * sizeof(struct observation) + 2 * sizeof(int)) +
        rows * (double)(sizeof(double) * CHUNK_PATHS);
    const char *advice = isfinite(longest) ? ": choose a longer max_step" : "";
    if (rows > GROUP_ROWS)
        return say_why(
            STATUS_FAILED, why,
            "its script needs %.0f numbers of a path, and %d are the most: fewer dates, and "
            "fewer of highest, lowest and survives, need fewer%s",
            rows, GROUP_ROWS, looks_by_max_step(draft) ? ", and so does a longer max_step" : "");
    if (draft->n_programs && draft->n_slots > GROUP_SLOTS && !draft_looks_back(draft))
        return say_why(STATUS_FAILED, why,
                       "its script has a path remember %d numbers from step to step for highest, "
                       "lowest and survives, and %d are the most: fewer dates of these take fewer",
                       draft->n_slots, GROUP_SLOTS);
    if (steps > GROUP_STEPS)
        return say_why(STATUS_FAILED, why, "its paths would have %.3g steps, and %d are the most%s",
                       steps, GROUP_STEPS, advice);
    if (bytes <= GROUP_BYTES) return STATUS_OK;
    return say_why(STATUS_FAILED, why,
                   "its paths of %.3g steps would take %.3g MB to lay out, and %.3g are the most%s",
                   steps, 1e-6 * bytes, 1e-6 * GROUP_BYTES, advice);
}

/* Variance of ln S to expiry, generously. */
static double furthest_variance(const struct asset *a, double expiry)
{
    struct variance_law law = variance_law(a);
    double variance = a->variance.n ? term_accrued(&a->variance, expiry) : 0.0;
    double greatest = 0.0,
           jump_square = a->jumps.mean * a->jumps.mean + a->jumps.stdev * a->jumps.stdev;
    for (int i = 0; i < a->surface.n_times * a->surface.n_strikes; i++)
        greatest = fmax(greatest, a->surface.vols[i]);
    variance += (greatest * greatest + fmax(law.today, law.usual)) * expiry;
    return variance + a->jumps.intensity * expiry * jump_square;
}

/* log2 S must stay within what path_exp2 takes, twelve standard deviations included. */
static enum status check_range(const struct market *market, const struct trade *trade,
                               struct message *why)
{
    for (int i = 0; i < trade->n_assets; i++) {
        const struct asset *a = &market->assets[trade->assets[i]];
        double rate = term_accrued(&market->currencies[a->currency].rate, trade->expiry);
        double yield = term_accrued(&a->yield, trade->expiry);
        double variance = furthest_variance(a, trade->expiry);
        double furthest = fabs(exact_log2(a->spot)) +
                          (fabs(rate) + fabs(yield) + 0.5 * variance + 12.0 * sqrt(variance)) / LN2;
        if (!(furthest < 900.0))
            return say_why(STATUS_FAILED, why,
                           "the spot may leave the range of a double by expiry (log2 up to %.6g)",
                           fmin(furthest, DBL_MAX));
    }
    return STATUS_OK;
}

/* Tells whether what paths remember has room: in a walk, or in chains that look back, whose slots
 * an engine carries as a walk does. `first` is the trade's first new observable. */
static bool has_room(const struct group_draft *draft, int first)
{
    if (draft->n_slots <= GROUP_SLOTS || !draft->n_payoffs) return true;
    for (int i = first; i < draft->n_observables; i++)
        if (draft->observables[draft->observables[i].chain].chain_slots > GROUP_SLOTS) return false;
    return draft_looks_back(draft);
}

enum status group_draft_add(struct group_draft *draft, const struct trade *trade, int index,
                            bool *fits, struct message *why)
{
    enum status status = STATUS_OK;
    struct payoff_definition definition;
    const struct group_draft_size before = group_draft_size(draft);
    int few[TRADE_FUNCTIONALS] = {0}, *where = few, room = draft->room_payoffs;
    TRY(check_range(draft->market, trade, why));
    payoff_define(draft->aged, trade, &definition);
    if (trade->scripted) {
        TRY(add_program(draft, trade));
        where = draft->programs[draft->n_programs - 1].inputs;
    }
    for (int i = 0; i < definition.n_functionals; i++) {
        const struct functional functional = payoff_functional(&definition, i);
        TRY(add_observable(draft, &functional, where, &where[i], why));
    }
    *fits = has_room(draft, before.n_observables);
    if (!*fits) goto done;
    status = check_size(draft, why);
    if (status && draft->n_payoffs) { /* alone it may do */
        why->text[0] = '\0';
        *fits = false;
        status = STATUS_OK;
    }
    if (status || !*fits) goto done;
    TRY(grow_array(&draft->trades, &room, draft->n_payoffs + 1, sizeof *draft->trades));
    TRY(grow_array(&draft->payoffs, &draft->room_payoffs, draft->n_payoffs + 1,
                   sizeof *draft->payoffs));
    draft->trades[draft->n_payoffs] = index;
    struct payoff *payoff = &draft->payoffs[draft->n_payoffs++];
    *payoff = definition.payoff;
    for (int i = 0; i < 3; i++) payoff->rows[i] = where[definition.payoff.rows[i]];
    return STATUS_OK;
done:
    group_draft_cut(draft, before);
    return status;
}

struct group_draft_size group_draft_size(const struct group_draft *draft)
{
    return (struct group_draft_size){draft->n_observables, draft->n_payoffs, draft->n_programs,
                                     draft->last};
}

void group_draft_cut(struct group_draft *draft, struct group_draft_size size)
{
    forget_observables(draft, size.n_observables, size.last);
    forget_programs(draft, size.n_programs);
    draft->n_payoffs = size.n_payoffs;
}

struct group_draft group_draft_like(const struct group_draft *draft)
{
    return (struct group_draft){.settings = draft->settings,
                                .market = draft->market,
                                .stepped = draft->stepped,
                                .aged = draft->aged};
}

void group_draft_free(struct group_draft *draft)
{
    for (int i = 0; i < draft->n_observables; i++) free(draft->observables[i].dates);
    forget_programs(draft, 0);
    free(draft->programs);
    free(draft->observables);
    free(draft->payoffs);
    free(draft->trades);
    free(draft->look_dates.dates);
    free(draft->carried.dates);
    free(draft->tabled.steps);
    *draft = group_draft_like(draft);
}
