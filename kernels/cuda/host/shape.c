#include "kernels/cuda/host/shape.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/device_group.h"
#include "models/dynamics/heston.h"
#include "models/math/normal_table.h"
#include "models/observables/observable.h"

enum {
    COEFFICIENTS = 6,
    FACTORS_IN_REGISTERS = 20, /* of more of them words of normals lie in shared memory */
    CONSTANTS_CACHED = 2048,   /* bytes */
    SHARED_OF_SYSTEM = 1024,   /* bytes of a block's shared memory that are not its own */
    CODE_CACHED = 40,          /* kilobytes, of 128: other patterns and the step have code, too */
    SLOTS_FEW = 8,             /* so many of two paths leave room for three blocks of 256, and */
    SLOTS_KEPT = 12,           /* so many where others lie in memory, those */
    LOOKS_FEW = 16             /* that fewer than one step in so many looks at */
};

/* ---- observers ------------------------------------------------------------------------------- */

/* Kinds are in the order within a date (observables.def), and a basket's underlyings in that of the
 * market.
 */
static int compare_observers(const struct observer *a, const struct observer *b)
{
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    return (a->underlying > b->underlying) - (a->underlying < b->underlying);
}

/* Returns the number of an observer, looked for from number `hint` on; -1: it is not known. */
static int observer_number(const struct shape *shape, const struct observer *observer, int hint)
{
    for (int k = 0; k < shape->n_observers; k++) {
        int o = (hint + k) % shape->n_observers;
        if (!compare_observers(&shape->observers[o], observer)) return o;
    }
    return -1;
}

/* ---- what observers look at ------------------------------------------------------------------ */

/* One observation, or one dividend. */
struct path_event {
    int step, index; /* among the group's observations, or its dividends */
    int observer;
};

/* All of a group: the dividends, then the observations, in the group's order. */
struct path_events {
    int n;
    struct path_event *list;    /* [n]; owned */
    int first[SHAPE_OBSERVERS]; /* of each observer */
    size_t words;
    uint64_t *dates; /* [observer][words] a bit for each step that it looks at; owned */
};

/* Adds an event. STATUS_FAILED where its observer is one too many. */
static enum status add_event(struct observer observer, int step, int index,
                             struct path_events *events, struct shape *shape)
{
    int after_last = events->n ? events->list[events->n - 1].observer + 1 : 0;
    int o = observer_number(shape, &observer, after_last);
    if (o < 0) {
        if (shape->n_observers == SHAPE_OBSERVERS) return STATUS_FAILED;
        o = shape->n_observers++;
        shape->observers[o] = observer;
    }
    events->list[events->n++] = (struct path_event){step, index, o};
    return STATUS_OK;
}

/* Adds all events of a group; of one that is cut short dividends may be paid after the last step.
 */
static enum status add_events(const struct group *group, struct path_events *events,
                              struct shape *shape)
{
    for (int i = 0; i < group->n_dividends; i++) {
        const struct dividend *dividend = &group->dividends[i];
        struct observer observer = {.kind = OBSERVER_DIVIDEND, .underlying = dividend->underlying};
        if (dividend->step < group->n_steps)
            MUST(add_event(observer, dividend->step, i, events, shape));
    }
    for (int j = 0; j < group->n_steps; j++)
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            const struct observation *observation = &group->observations[i];
            bool in_row = observation_in_row(observation->kind),
                 reads = observation_reads(observation->kind) & READS_SOURCE;
            struct observer observer = {.kind = observation->kind,
                                        .underlying = observation->underlying,
                                        .slot = in_row ? 0 : observation->slot,
                                        .source = reads ? observation->source : 0};
            MUST(add_event(observer, j, i, events, shape));
        }
    return STATUS_OK;
}

/* Puts the observers in the order in which they look, and notes the dates of each. */
static void order_observers(struct path_events *events, struct shape *shape)
{
    int n = shape->n_observers, place[SHAPE_OBSERVERS] = {0};
    struct observer found[SHAPE_OBSERVERS];
    memcpy(found, shape->observers, sizeof found);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) place[a] += compare_observers(&found[b], &found[a]) < 0;
    for (int o = 0; o < n; o++) shape->observers[place[o]] = found[o];
    for (int l = events->n - 1; l >= 0; l--) {
        struct path_event *event = &events->list[l];
        int o = event->observer = place[event->observer];
        events->first[o] = l;
        events->dates[(size_t)o * events->words + (size_t)event->step / 64] |= (uint64_t)1
                                                                               << event->step % 64;
    }
}

/* Finds the observers of a group, and what they look at. STATUS_FAILED where there are too many,
 * STATUS_NO_MEMORY. */
static enum status list_events(const struct group *group, struct path_events *events,
                               struct shape *shape)
{
    size_t most = (size_t)group->n_observations + (size_t)group->n_dividends + 1;
    events->list = malloc(sizeof *events->list * most);
    events->words = (size_t)group->n_steps / 64 + 1;
    events->dates = calloc(SHAPE_OBSERVERS * events->words, sizeof *events->dates);
    if (!events->list || !events->dates) return STATUS_NO_MEMORY;
    enum status status = add_events(group, events, shape);
    if (!status) order_observers(events, shape);
    return status;
}

/* Writes the coefficients of an event: of a dividend its amount, of a spot its row. Returns how
 * many. */
static int coefficients_of(const struct group *group, int kind, int index, double *c)
{
    if (kind == OBSERVER_DIVIDEND) return c[0] = group->dividends[index].amount, 1;
    const struct observation *observation = &group->observations[index];
    if (observation_in_row(kind)) return c[0] = observation->slot, 1;
    memcpy(c, observation->c, sizeof observation->c);
    return observation_coefficients(kind);
}

/* Writes those of the first event of observer o. */
static int first_coefficients(const struct group *group, const struct path_events *events,
                              const struct shape *shape, int o, double *c)
{
    return coefficients_of(group, shape->observers[o].kind, events->list[events->first[o]].index,
                           c);
}

/* Which calendar observer o has: none where it looks at every step, that of an earlier one with the
 * same dates, or the next. STATUS_FAILED where there are too many. */
static enum status find_calendar(const struct group *group, const struct path_events *events, int o,
                                 struct shape *shape)
{
    struct observer *observers = shape->observers;
    const uint64_t *dates = events->dates + (size_t)o * events->words;
    int looks = 0;
    for (size_t w = 0; w < events->words; w++) looks += __builtin_popcountll(dates[w]);
    observers[o].calendar = -1;
    if (looks == group->n_steps) return STATUS_OK;
    for (int before = 0; before < o && observers[o].calendar < 0; before++)
        if (!memcmp(events->dates + (size_t)before * events->words, dates,
                    sizeof *dates * events->words))
            observers[o].calendar = observers[before].calendar;
    if (observers[o].calendar >= 0) return STATUS_OK;
    if (shape->n_calendars == SHAPE_CALENDARS) return STATUS_FAILED;
    observers[o].calendar = shape->n_calendars++;
    return STATUS_OK;
}

/* Tells whether what an observer looks at has one number, which is in its record. */
static bool has_one_number(const struct observer *observer)
{
    return observer->kind == OBSERVER_DIVIDEND || observation_in_row(observer->kind);
}

/* Finds which coefficients differ between dates in some market. What differs between markets alone
 * is a constant of each. */
static void part_coefficients(int n_markets, const struct group *groups,
                              const struct path_events *events, struct shape *shape)
{
    for (int o = 0; o < shape->n_observers; o++)
        shape->observers[o].varies = has_one_number(&shape->observers[o]);
    for (const struct group *group = groups; group < groups + n_markets; group++) {
        double first[SHAPE_OBSERVERS][COEFFICIENTS], c[COEFFICIENTS];
        for (int o = 0; o < shape->n_observers; o++)
            first_coefficients(group, events, shape, o, first[o]);
        for (const struct path_event *e = events->list; e < events->list + events->n; e++) {
            struct observer *observer = &shape->observers[e->observer];
            int n = coefficients_of(group, observer->kind, e->index, c);
            for (int i = 0; i < n; i++)
                if (memcmp(&c[i], &first[e->observer][i], sizeof c[i])) observer->varies |= 1 << i;
        }
    }
}

/* Lets all observers of one observable have the same coefficients in records, whichever of its
 * underlyings' vary: bumps of different assets then have one shape. */
static void part_alike(struct shape *shape)
{
    struct observer *observers = shape->observers;
    for (int a = 0; a < shape->n_observers; a++)
        for (int b = 0; b < shape->n_observers; b++)
            if (!has_one_number(&observers[a]) && !has_one_number(&observers[b]) &&
                observers[a].slot == observers[b].slot)
                observers[a].varies |= observers[b].varies;
}

/* Gives observer o its places among the constants and, from number *record on, in records. */
static void place_coefficients(const struct group *group, const struct path_events *events, int o,
                               struct shape *shape, int *record)
{
    double c[COEFFICIENTS];
    struct observer *observer = &shape->observers[o];
    int n = first_coefficients(group, events, shape, o, c);
    observer->varies &= (1 << n) - 1;
    observer->constant = shape->n_constants, observer->record = *record;
    for (int i = 0; i < n; i++)
        if (observer->varies >> i & 1) (*record)++;
        else shape->n_constants++;
    observer->draws = !has_one_number(observer) && observation_draws(observer->kind);
    *record += observer->draws;
}

/* Writes the constants of a market, observer after observer. */
static void fill_constants(const struct group *group, const struct path_events *events,
                           const struct shape *shape, double *constants)
{
    for (int o = 0; o < shape->n_observers; o++) {
        double c[COEFFICIENTS];
        int n = first_coefficients(group, events, shape, o, c);
        for (int i = 0; i < n; i++)
            if (!(shape->observers[o].varies >> i & 1)) *constants++ = c[i];
    }
}

size_t shape_records(const struct group *group, const struct shape *shape)
{
    return (size_t)fours_of(group->n_steps) * NORMALS_TOGETHER * (size_t)shape->stride;
}

/* Returns where a step of a market has its record. */
static double *record_of_step(const struct group *group, const struct shape *shape, int market,
                              int step)
{
    return shape->records + (size_t)market * shape_records(group, shape) +
           (size_t)step * (size_t)shape->stride;
}

/* Returns the head of a step's record: its calendars, and the number of their pattern. */
static uint32_t *head_of_step(const struct group *group, const struct shape *shape, int market,
                              int step)
{
    return (uint32_t *)(record_of_step(group, shape, market, step) + shape->width);
}

/* Writes what moves a market's paths, and what its observers look at, into the records of its
 * steps. */
static void fill_records(const struct group *group, const struct path_events *events,
                         const struct shape *shape, int market)
{
    for (int j = 0; j < group->n_steps; j++) {
        const double *c = group->coefficients + (size_t)j * (size_t)group->width;
        double *record = record_of_step(group, shape, market, j);
        if (shape->source == STEPS_READ_MOVES)
            for (int u = 0; u < group->n_underlyings; u++)
                record[u] = c[group->underlyings[u].coefficient + HESTON_GROWTH];
        else memcpy(record, c, sizeof *c * (size_t)group->width);
    }
    for (const struct path_event *e = events->list; e < events->list + events->n; e++) {
        const struct observer *observer = &shape->observers[e->observer];
        double c[COEFFICIENTS], *record = record_of_step(group, shape, market, e->step);
        int n = coefficients_of(group, observer->kind, e->index, c), at = observer->record;
        if (observer->calendar >= 0)
            *head_of_step(group, shape, market, e->step) |= (uint32_t)1 << observer->calendar;
        for (int i = 0; i < n; i++)
            if (observer->varies >> i & 1) record[at++] = c[i];
        if (observer->draws) record[at] = group->observations[e->index].pair;
    }
}

/* A set of calendars, and the steps that have it. */
struct pattern_count {
    uint32_t calendars;
    int steps;
};

static int compare_counts(const void *a, const void *b)
{
    const struct pattern_count *x = a, *y = b;
    if (x->steps != y->steps) return y->steps - x->steps;
    return (x->calendars > y->calendars) - (x->calendars < y->calendars);
}

static struct pattern_count *find_count(struct pattern_count *counts, int n, uint32_t calendars)
{
    int i = 0;
    while (i < n && counts[i].calendars != calendars) i++;
    return &counts[i];
}

/* Counts the patterns of all steps, keeps the most frequent and writes into each step's record the
 * number of its own. STATUS_NO_MEMORY. */
static enum status find_patterns(const struct group *group, struct shape *shape)
{
    int n = 0, n_steps = group->n_steps;
    struct pattern_count *counts = malloc(sizeof *counts * (size_t)n_steps);
    if (!counts) return STATUS_NO_MEMORY;
    for (int j = 0; j < n_steps; j++) {
        const uint32_t *head = head_of_step(group, shape, 0, j);
        struct pattern_count *count = find_count(counts, n, head[0]);
        if (count == &counts[n]) counts[n++] = (struct pattern_count){head[0], 0};
        count->steps++;
    }
    qsort(counts, (size_t)n, sizeof *counts, compare_counts);
    shape->more_patterns = n > SHAPE_PATTERNS_MOST;
    shape->n_patterns = n < SHAPE_PATTERNS_MOST ? n : SHAPE_PATTERNS_MOST;
    for (int i = 0; i < shape->n_patterns; i++) shape->patterns[i] = counts[i].calendars;
    for (int m = 0; m < shape->n_markets; m++)
        for (int j = 0; j < n_steps; j++) {
            uint32_t *head = head_of_step(group, shape, m, j);
            head[1] = (uint32_t)(find_count(counts, n, head[0]) - counts);
        }
    free(counts);
    return STATUS_OK;
}

/* Returns how much code a look of an observer is, in looks of the simplest. */
static int look_size(const struct observer *observer)
{
    if (observer->kind == OBSERVER_DIVIDEND) return 1;
    bool simple =
        observation_slots(observer->kind) <= 2 && observation_coefficients(observer->kind) <= 2;
    return simple && !observer->draws ? 1 : 4;
}

/* Returns whether an observer looks at the steps of a pattern. */
static bool looks_in(const struct shape *shape, int pattern, const struct observer *observer)
{
    return observer->calendar < 0 || (shape->patterns[pattern] >> observer->calendar & 1);
}

/* Returns about how many kilobytes of machine code the looks of the pattern of most steps take for
 * one path, of those that take many: what is between two barriers adds up 18 exponentials (sm_90;
 * docs/measurements.md). */
static int look_code(const struct shape *shape)
{
    static const int kilobytes[N_OBSERVATION_KINDS] = {[OBSERVATION_STRIP] = 6,
                                                       [OBSERVATION_CLOCK_STRIP] = 6,
                                                       [OBSERVATION_BARRIER] = 2,
                                                       [OBSERVATION_CLOCK_BARRIER] = 2};
    int sum = 0;
    for (int o = 0; o < shape->n_observers; o++) {
        const struct observer *observer = &shape->observers[o];
        if (observer->kind != OBSERVER_DIVIDEND && looks_in(shape, 0, observer))
            sum += kilobytes[observer->kind];
    }
    return sum;
}

/* Returns whether four steps may be written out in a row: whether the code of a step, with its
 * looks in all patterns, is so little that the instruction cache holds it four times, and once more
 * for the last steps. */
static bool fits_in_a_row(const struct group *group, const struct shape *shape)
{
    int looks = 0, copies = NORMALS_TOGETHER + 1;
    for (int p = 0; p < shape->n_patterns; p++)
        for (int o = 0; o < shape->n_observers; o++)
            if (looks_in(shape, p, &shape->observers[o])) looks += look_size(&shape->observers[o]);
    bool few = shape->n_patterns <= 4 && shape->n_observers <= 14;
    return group->n_steps >= 2 * NORMALS_TOGETHER && shape->n_factors <= 10 &&
           !shape->more_patterns && copies * shape->paths * look_code(shape) <= CODE_CACHED &&
           (few || shape->n_factors * shape->paths * looks <= 70);
}

/* Counts how many observations look at each slot. */
static void count_looks(const struct group *group, int *looks)
{
    for (int i = 0; i < group->n_observations; i++) {
        const struct observation *t = &group->observations[i];
        if (observation_in_row(t->kind)) continue;
        for (int s = 0; s < observation_slots(t->kind); s++) looks[t->slot + s]++;
        if (observation_reads(t->kind) & READS_SOURCE) looks[t->source]++, looks[t->source + 1]++;
    }
}

/* Gives slots their places. Of a group of many slots and one normal a step, those that few steps
 * look at lie in memory, if so few are left for registers that a multiprocessor has room for a
 * block more. Stored normals of one market are read faster without. */
static void place_slots(const struct group *group, struct shape *shape)
{
    int looks[GROUP_SLOTS + 1] = {0}, n_frequent = 0, n = group->n_slots;
    bool stored = shape->source != STEPS_DRAW, many = n > SLOTS_FEW && n <= GROUP_SLOTS;
    shape->n_register_slots = n;
    if (!many || shape->n_factors > 1 || (stored && shape->n_markets == 1)) return;
    count_looks(group, looks);
    for (int s = 0; s < n; s++) n_frequent += looks[s] * LOOKS_FEW >= group->n_steps;
    if (n_frequent > SLOTS_KEPT) return;
    int next[] = {0, n_frequent}; /* in registers, in memory */
    shape->n_register_slots = n_frequent;
    for (int s = 0; s < n; s++) shape->place[s] = next[looks[s] * LOOKS_FEW < group->n_steps]++;
}

/* Returns how many paths a thread takes: of groups of one or two normals a step so many as its
 * registers and the instruction cache hold. */
static int choose_paths(const struct group *group, const struct shape *shape)
{
    int n = shape->n_factors, slots = group->n_slots;
    bool stored = shape->source != STEPS_DRAW;
    if (2 * look_code(shape) > CODE_CACHED) return 1;
    if (n == 1) return slots > 24 ? 1 : slots > 4 ? 2 : 4;
    return n == 2 && group->n_underlyings == 1 && slots <= 8 && !stored ? 2 : 1;
}

/* Returns the bytes of shared memory that a block can have on an architecture (CUDA C++ Programming
 * Guide, compute capabilities). */
static size_t most_shared(int architecture)
{
    static const struct {
        int architecture, kilobytes;
    } known[] = {{75, 64}, {80, 163}, {87, 163}, {90, 227}, {100, 227}, {103, 227}};
    int kilobytes = 99;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].architecture == architecture) kilobytes = known[i].kilobytes;
    return (size_t)kilobytes * 1024;
}

/* Returns whether a multiprocessor has the shared memory of all its blocks. */
static bool blocks_fit(const struct shape *shape, int architecture)
{
    return (size_t)shape->blocks * (shape_shared(shape, shape->block) + SHARED_OF_SYSTEM) <=
           most_shared(architecture) + SHARED_OF_SYSTEM;
}

/* Chooses threads, paths and tables, as measured on an H200 (docs/measurements.md). Where paths of
 * several models draw more than 10 words, these lie in shared memory, which five blocks share: what
 * registers hold beside them is what a path needs. Moves stay in the ring where steps are not
 * written out, or each step would move those after it down. */
static void choose_launch(const struct group *group, int architecture, struct shape *shape)
{
    int n = shape->n_factors;
    place_slots(group, shape);
    bool stored = shape->source != STEPS_DRAW, plain = n == group->n_underlyings;
    bool drawn_apart = !stored && !plain && n > 10;
    bool in_registers = n <= FACTORS_IN_REGISTERS && !drawn_apart;
    bool few = group->n_slots <= SLOTS_FEW, parted = shape->n_register_slots < group->n_slots;
    shape->words = in_registers ? WORDS_IN_REGISTERS : WORDS_IN_SHARED;
    shape->spread = group->n_steps >= 32 && n <= 10;
    shape->fours_ahead = !stored ? 0 : n > 4 ? 1 : 2;
    shape->paths = choose_paths(group, shape);
    shape->block = stored || n > 10 || (plain && n > 1) ? 128 : 256;
    if (shape->source == STEPS_READ_MOVES) shape->blocks = n <= 5 ? 8 : in_registers ? 4 : 2;
    else if (n == 1 && stored) shape->blocks = parted ? 5 : 4;
    else if (n == 1) shape->blocks = shape->paths == 2 && (few || parted) ? 3 : 2;
    else if (n > FACTORS_IN_REGISTERS) shape->blocks = 2;
    else if (plain) shape->blocks = n > 7 ? 3 : 4;
    else if (stored) shape->blocks = n > 10 ? 4 : 5;
    else shape->blocks = drawn_apart ? 5 : 3;
    while (shape_shared(shape, shape->block) > most_shared(architecture)) shape->block /= 2;
    shape->in_a_row = fits_in_a_row(group, shape);
    shape->records_ahead = stored;
    if (!blocks_fit(shape, architecture)) shape->records_ahead = false;
    if (shape->source != STEPS_READ_MOVES || shape->in_a_row || !in_registers) return;
    shape->words = WORDS_IN_SHARED;
    if (!blocks_fit(shape, architecture)) shape->words = WORDS_IN_REGISTERS;
}

size_t shape_shared(const struct shape *shape, int block)
{
    size_t row = sizeof(float[NORMALS_TOGETHER]), words = row * (size_t)(shape->n_factors * block);
    size_t table = NORMAL_ROWS * row * (shape->spread ? SHAPE_TABLE_COPIES : 1);
    bool in_registers = shape->words == WORDS_IN_REGISTERS;
    size_t record = sizeof(double[NORMALS_TOGETHER]) * (size_t)shape->stride;
    size_t records = shape->records_ahead ? record * (size_t)((shape->fours_ahead + 1) * block) : 0;
    if (shape->fours_ahead)
        return words * (size_t)((shape->fours_ahead + !in_registers) * shape->paths) +
               records / SHAPE_WARP;
    return table + (in_registers ? 0 : words);
}

void shape_free(struct shape *shape)
{
    free(shape->constants);
    free(shape->records);
    *shape = (struct shape){0};
}

/* Fills the constants and records of all markets. STATUS_NO_MEMORY. */
static enum status fill_markets(const struct group *groups, const struct path_events *events,
                                struct shape *shape)
{
    size_t constants = (size_t)shape->n_constants, n = (size_t)shape->n_markets;
    shape->constants = malloc(n * constants * sizeof *shape->constants + 1);
    shape->records = calloc(n * shape_records(groups, shape), sizeof *shape->records);
    if (!shape->constants || !shape->records) return STATUS_NO_MEMORY;
    for (int m = 0; m < shape->n_markets; m++) {
        fill_constants(&groups[m], events, shape, shape->constants + (size_t)m * constants);
        fill_records(&groups[m], events, shape, m);
    }
    return find_patterns(groups, shape);
}

/* Returns whether the dividends of groups alike are paid on the same dates. */
static bool same_dividends(int n, const struct group *groups)
{
    for (int m = 1; m < n; m++)
        for (int d = 0; d < groups->n_dividends; d++)
            if (groups[m].dividends[d].step != groups->dividends[d].step ||
                groups[m].dividends[d].underlying != groups->dividends[d].underlying)
                return false;
    return true;
}

enum status shape_make(int n_markets, const struct group *groups, enum step_source source,
                       int architecture, struct shape *shape)
{
    enum status status = STATUS_OK;
    struct path_events events = {0};
    bool moved = source == STEPS_READ_MOVES;
    *shape = (struct shape){.n_markets = n_markets, .source = source};
    shape->n_factors = moved ? groups->n_underlyings : groups->n_factors;
    shape->width = moved ? groups->n_underlyings : groups->width;
    if (groups->n_underlyings > SHAPE_UNDERLYINGS || !groups->n_steps) return STATUS_FAILED;
    if (!same_dividends(n_markets, groups)) return STATUS_FAILED;
    TRY(list_events(groups, &events, shape));
    for (int o = 0; o < shape->n_observers; o++) TRY(find_calendar(groups, &events, o, shape));
    part_coefficients(n_markets, groups, &events, shape);
    part_alike(shape);
    int record = shape->width + 1;
    for (int o = 0; o < shape->n_observers; o++)
        place_coefficients(groups, &events, o, shape, &record);
    shape->stride = (record + 1) / 2 * 2;
    TRY(fill_markets(groups, &events, shape));
    choose_launch(groups, architecture, shape);
    size_t bytes = shape_argument(groups, shape);
    shape->at_once = n_markets > 1 ? MARKETS_MAX : 1;
    while (shape->at_once > 1 && bytes * (size_t)shape->at_once > SHAPE_ARGUMENT_BYTES)
        shape->at_once /= 2;
    if (bytes > SHAPE_ARGUMENT_BYTES) TRY(STATUS_FAILED);
done:
    free(events.list);
    free(events.dates);
    return status;
}

size_t shape_argument(const struct group *group, const struct shape *shape)
{
    const int n = group->n_underlyings,
              loadings = shape->source == STEPS_READ_MOVES ? 0 : n * (n + 1) / 2,
              movers = shape->source == STEPS_READ_MOVES ? n : 0,
              numbers = 3 * n + loadings + group->n_slots + shape->n_constants + group->n_results +
                        movers;
    return sizeof(struct specialised_arguments) + sizeof(double) * (size_t)numbers;
}

void shape_numbers(const struct group *group, const struct shape *shape, int market,
                   const int *movers, size_t paths, double *numbers)
{
    bool moved = shape->source == STEPS_READ_MOVES;
    const int n = group->n_underlyings;
    const double *constants = shape->constants + market * shape->n_constants;
    for (int u = 0; u < n; u++, numbers += 3) {
        const struct path_state *start = &group->underlyings[u].start;
        numbers[0] = start->x, numbers[1] = start->v, numbers[2] = start->clock;
    }
    for (int u = 0; u < n && !moved; u++)
        for (int i = 0; i <= u; i++) *numbers++ = group->loadings[u * n + i];
    for (int s = 0; s < group->n_slots; s++) *numbers++ = group->initial[s];
    for (int c = 0; c < shape->n_constants; c++) *numbers++ = constants[c];
    for (int r = 0; r < group->n_results; r++) *numbers++ = (double)group->results[r].row;
    for (int u = 0; u < n && moved; u++, numbers++) {
        const int64_t first = (int64_t)movers[u] * fours_of(group->n_steps) * (int64_t)paths;
        memcpy(numbers, &first, sizeof first);
    }
}

/* ---- source ---------------------------------------------------------------------------------- */

/* A function from a small number to another, as a table. */
static void write_table(FILE *to, const char *name, int n, const int *values)
{
    fprintf(to,
            "    static __device__ constexpr int %s(int i)\n    {\n        constexpr int of[] = {",
            name);
    for (int i = 0; i < n; i++) fprintf(to, "%d, ", values[i]);
    fprintf(to, "0};\n        return of[i];\n    }\n");
}

static void write_observers(FILE *to, const struct shape *shape)
{
    fprintf(to, "    static __device__ constexpr struct observer observer(int i)\n    {\n"
                "        constexpr struct observer of[] = {\n");
    for (int i = 0; i < shape->n_observers; i++) {
        const struct observer *o = &shape->observers[i];
        fprintf(to, "            {%d, %d, %d, %d, %d, %d, %d, %d, %d},\n", o->kind, o->underlying,
                o->slot, o->source, o->calendar, o->constant, o->varies, o->record, o->draws);
    }
    fprintf(to, "            {}};\n        return of[i];\n    }\n");
}

char *shape_source(const struct group *group, const struct shape *shape)
{
    char *text = NULL;
    size_t size = 0;
    int models[SHAPE_UNDERLYINGS], factors[SHAPE_UNDERLYINGS], coefficients[SHAPE_UNDERLYINGS];
    int slots[GROUP_SLOTS], patterns[SHAPE_PATTERNS_MOST], n = group->n_underlyings;
    bool moved = shape->source == STEPS_READ_MOVES;
    /* More numbers than the cache of constants holds are read as memory: an index that the compiler
     * does not know makes them that */
    bool many = shape_argument(group, shape) > CONSTANTS_CACHED;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    for (int u = 0; u < n; u++) {
        models[u] = moved ? SHAPE_MOVED : (int)group->underlyings[u].model;
        factors[u] = moved ? u : group->underlyings[u].factor;
        coefficients[u] = moved ? u : group->underlyings[u].coefficient;
    }
    for (int r = 0; r < group->n_results; r++) slots[r] = group->results[r].slot;
    fprintf(to,
            "#include \"kernels/cuda/device/specialised.cuh\"\nstruct shape {\n"
            "    static constexpr int UNDERLYINGS = %d, FACTORS = %d, WIDTH = %d, SLOTS = %d, "
            "OBSERVERS = %d,\n"
            "        PATTERNS = %d, STRIDE = %d, CONSTANTS = %d, RESULTS = %d, PATHS = %d, "
            "AHEAD = %d, MARKETS = %d, KEPT = %d;\n"
            "    static constexpr bool MORE_PATTERNS = %d, IN_A_ROW = %d, MOVED = %d, "
            "RECORDS_AHEAD = %d;\n"
            "    static constexpr int WORDS = %d;\n"
            "    using table = %s;\n",
            n, shape->n_factors, shape->width, group->n_slots, shape->n_observers,
            shape->n_patterns, shape->stride, shape->n_constants, group->n_results, shape->paths,
            shape->fours_ahead, shape->at_once, shape->n_register_slots, shape->more_patterns,
            shape->in_a_row, moved, shape->records_ahead, (int)shape->words,
            shape->fours_ahead ? "stored_normals<shape>"
            : shape->spread
                ? shape->in_a_row ? "spread_normal_table<false>" : "spread_normal_table<true>"
                : "normal_table");
    write_table(to, "model", n, models);
    write_table(to, "factor", n, factors);
    write_table(to, "coefficient", n, coefficients);
    write_table(to, "result", group->n_results, slots);
    if (shape->n_register_slots < group->n_slots)
        write_table(to, "place", group->n_slots, shape->place);
    else fprintf(to, "    static __device__ constexpr int place(int i) { return i; }\n");
    for (int i = 0; i < shape->n_patterns; i++) patterns[i] = (int)shape->patterns[i];
    write_table(to, "pattern", shape->n_patterns, patterns);
    write_observers(to, shape);
    fprintf(to,
            "};\nextern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
            "    WALK(const __grid_constant__ struct specialised_markets<shape> markets)\n{\n    "
            "simulate_paths<shape>(markets.market[%s]);\n}\n",
            shape->block, shape->blocks, shape->at_once > 1 || many ? "blockIdx.x" : "0");
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}
