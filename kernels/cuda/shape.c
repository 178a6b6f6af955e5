#include "kernels/cuda/shape.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/payoffs/observable.h"

enum { COEFFICIENTS = 6 };

static const struct {
    int coefficients, reads;
} kinds[N_TOUCHES] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [TOUCH_##NAME] = {coefficients, reads},
#include "models/payoffs/observables.def"
#undef OBSERVABLE
};

/* ---- observations, observer after observer ---------------------------------------------------------------
 */

/* One observation, or one dividend, and what tells its observer from others. */
struct look {
    int on, underlying, slot, of;
    int step, index; /* among the group's touches, or its dividends */
};

/* Kinds are in the order within a date (observables.def), and a basket's underlyings in that of the market.
 */
static int compare_observers(const struct look *a, const struct look *b)
{
    if (a->on != b->on) return a->on < b->on ? -1 : 1;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    return (a->underlying > b->underlying) - (a->underlying < b->underlying);
}

static int compare_looks(const void *a, const void *b)
{
    const struct look *x = a, *y = b;
    int order = compare_observers(x, y);
    return order ? order : (x->step > y->step) - (x->step < y->step);
}

/* Lists all of a group, sorted; NULL without memory. */
static struct look *list_looks(const struct group *group, int *n)
{
    struct look *looks = malloc(sizeof *looks * ((size_t)group->n_touches + (size_t)group->n_dividends + 1));
    *n = 0;
    if (!looks) return NULL;
    for (int i = 0; i < group->n_dividends; i++)
        looks[(*n)++] = (struct look){.on = OBSERVER_DIVIDEND,
                                      .underlying = group->dividends[i].underlying,
                                      .step = group->dividends[i].step,
                                      .index = i};
    for (int j = 0; j < group->n_steps; j++)
        for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++) {
            const struct touch *touch = &group->touches[i];
            bool in_row = touch_in_row(touch->on);
            looks[(*n)++] = (struct look){.on = touch->on,
                                          .underlying = touch->underlying,
                                          .slot = in_row ? 0 : touch->slot,
                                          .of = kinds[touch->on].reads & READS_OF ? touch->of : 0,
                                          .step = j,
                                          .index = i};
        }
    qsort(looks, (size_t)*n, sizeof *looks, compare_looks);
    return looks;
}

/* Writes the coefficients of a look: of a dividend its amount, of a spot its row. Returns how many. */
static int coefficients_of(const struct group *group, const struct look *look, double *c)
{
    if (look->on == OBSERVER_DIVIDEND) return c[0] = group->dividends[look->index].amount, 1;
    const struct touch *touch = &group->touches[look->index];
    if (touch_in_row(look->on)) return c[0] = touch->slot, 1;
    memcpy(c, touch->c, sizeof touch->c);
    return kinds[look->on].coefficients;
}

/* ---- observers -------------------------------------------------------------------------------------------
 */

/* The looks of all observers, those of observer o from first[o] to first[o + 1]. */
struct looks {
    int n;
    struct look *list;
    int first[SHAPE_OBSERVERS + 1];
};

static bool same_dates(const struct looks *looks, int a, int b)
{
    int n = looks->first[a + 1] - looks->first[a];
    if (looks->first[b + 1] - looks->first[b] != n) return false;
    for (int i = 0; i < n; i++)
        if (looks->list[looks->first[a] + i].step != looks->list[looks->first[b] + i].step) return false;
    return true;
}

/* Which calendar observer o has: that of an earlier one with the same dates, or the next. STATUS_FAILED where
 * there are too many. */
static enum status find_calendar(const struct group *group, const struct looks *looks, int o,
                                 struct shape *shape)
{
    struct observer *observer = &shape->observers[o];
    observer->calendar = -1;
    if (looks->first[o + 1] - looks->first[o] == group->n_steps) return STATUS_OK;
    for (int before = 0; before < o; before++)
        if (shape->observers[before].calendar >= 0 && same_dates(looks, before, o)) {
            observer->calendar = shape->observers[before].calendar;
            return STATUS_OK;
        }
    if (shape->n_calendars == SHAPE_CALENDARS) return STATUS_FAILED;
    observer->calendar = shape->n_calendars++;
    return STATUS_OK;
}

/* Finds what observer o has as constants and what in records, from number *record on. */
static void part_coefficients(const struct group *group, const struct looks *looks, int o,
                              struct shape *shape, int *record)
{
    const struct look *first = &looks->list[looks->first[o]];
    struct observer *observer = &shape->observers[o];
    double c[COEFFICIENTS], other[COEFFICIENTS];
    int n = coefficients_of(group, first, c);
    bool one_number = first->on == OBSERVER_DIVIDEND || touch_in_row(first->on);
    observer->constant = shape->n_constants, observer->record = *record;
    if (one_number) observer->varies = 1;
    for (const struct look *look = first + 1; look < looks->list + looks->first[o + 1]; look++) {
        coefficients_of(group, look, other);
        for (int i = 0; i < n; i++)
            if (memcmp(&c[i], &other[i], sizeof c[i])) observer->varies |= 1 << i;
    }
    for (int i = 0; i < n; i++)
        if (observer->varies >> i & 1) (*record)++;
        else shape->constants[shape->n_constants++] = c[i];
    observer->draws = !one_number && touch_draws(first->on);
    *record += observer->draws;
}

/* Sets a calendar's bit in a step's record. */
static void mark_date(double *record, int calendar)
{
    uint64_t bits;
    memcpy(&bits, record, sizeof bits);
    bits |= (uint64_t)1 << calendar;
    memcpy(record, &bits, sizeof bits);
}

/* Writes what the observers look at into the records of its steps. */
static void fill_records(const struct group *group, const struct looks *looks, struct shape *shape)
{
    for (int o = 0; o < shape->n_observers; o++) {
        const struct observer *observer = &shape->observers[o];
        for (int l = looks->first[o]; l < looks->first[o + 1]; l++) {
            const struct look *look = &looks->list[l];
            double c[COEFFICIENTS], *record = shape->records + (size_t)look->step * (size_t)shape->stride;
            int n = coefficients_of(group, look, c), at = observer->record;
            if (observer->calendar >= 0) mark_date(record, observer->calendar);
            for (int i = 0; i < n; i++)
                if (observer->varies >> i & 1) record[at++] = c[i];
            if (observer->draws) record[at] = group->touches[look->index].pair;
        }
    }
}

/* Threads, paths and tables, as measured on an H200 (docs/measurements.md). */
static void choose_launch(const struct group *group, struct shape *shape)
{
    bool plain = group->n_factors == group->n_underlyings;
    int n = group->n_factors;
    shape->spread = group->n_steps >= 32 && n <= 10;
    shape->paths = plain && n == 1 && shape->n_observers <= 4 ? 2 : 1;
    shape->block = plain && n > 1 ? 128 : 256;
    shape->blocks = plain && n > 1 ? (n > 7 ? 3 : 4) : n > 10 ? 2 : 3;
}

void shape_free(struct shape *shape)
{
    free(shape->constants);
    free(shape->records);
    *shape = (struct shape){0};
}

static bool has_shape(const struct group *group)
{
    if (group->n_underlyings > SHAPE_UNDERLYINGS || !group->n_steps) return false;
    for (int u = 0; u < group->n_underlyings; u++)
        if (draws_indices(&group->underlyings[u])) return false;
    return true;
}

enum status shape_make(const struct group *group, struct shape *shape)
{
    enum status status = STATUS_OK;
    struct looks looks = {0};
    int record = 1;
    *shape = (struct shape){0};
    if (!has_shape(group)) return STATUS_FAILED;
    looks.list = list_looks(group, &looks.n);
    shape->constants = malloc(sizeof *shape->constants * COEFFICIENTS * SHAPE_OBSERVERS);
    if (!looks.list || !shape->constants) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < looks.n; i++) {
        const struct look *look = &looks.list[i];
        if (i && !compare_observers(look - 1, look)) continue;
        if (shape->n_observers == SHAPE_OBSERVERS) TRY(STATUS_FAILED);
        looks.first[shape->n_observers] = i;
        shape->observers[shape->n_observers++] = (struct observer){
            .on = look->on, .underlying = look->underlying, .slot = look->slot, .of = look->of};
    }
    looks.first[shape->n_observers] = looks.n;
    for (int o = 0; o < shape->n_observers; o++) {
        TRY(find_calendar(group, &looks, o, shape));
        part_coefficients(group, &looks, o, shape, &record);
    }
    shape->stride = (record + 1) / 2 * 2;
    shape->records = calloc((size_t)group->n_steps * (size_t)shape->stride, sizeof *shape->records);
    if (!shape->records) TRY(STATUS_NO_MEMORY);
    fill_records(group, &looks, shape);
    choose_launch(group, shape);
    size_t bytes =
        sizeof(struct specialised_arguments) + sizeof(double) * (size_t)shape_numbers(group, shape, NULL);
    if (bytes > SHAPE_ARGUMENT_BYTES) TRY(STATUS_FAILED);
done:
    free(looks.list);
    return status;
}

int shape_numbers(const struct group *group, const struct shape *shape, double *numbers)
{
    int n = group->n_underlyings, at = 0;
#define PUT(value) (numbers ? (void)(numbers[at] = (value)) : (void)0, at++)
    for (int u = 0; u < n; u++) {
        const struct path_state *start = &group->underlyings[u].start;
        PUT(start->x), PUT(start->v), PUT(start->clock);
    }
    for (int u = 0; u < n; u++)
        for (int i = 0; i <= u; i++) PUT(group->loadings[u * n + i]);
    for (int s = 0; s < group->n_slots; s++) PUT(group->initial[s]);
    for (int c = 0; c < shape->n_constants; c++) PUT(shape->constants[c]);
    for (int r = 0; r < group->n_results; r++) PUT((double)group->results[r].row);
#undef PUT
    return at;
}

/* ---- source ----------------------------------------------------------------------------------------------
 */

/* A function from a small number to another, as a table. */
static void write_table(FILE *to, const char *name, int n, const int *values)
{
    fprintf(to, "    static __device__ constexpr int %s(int i)\n    {\n        constexpr int of[] = {", name);
    for (int i = 0; i < n; i++) fprintf(to, "%d, ", values[i]);
    fprintf(to, "0};\n        return of[i];\n    }\n");
}

static void write_observers(FILE *to, const struct shape *shape)
{
    fprintf(to, "    static __device__ constexpr struct observer observer(int i)\n    {\n"
                "        constexpr struct observer of[] = {\n");
    for (int i = 0; i < shape->n_observers; i++) {
        const struct observer *o = &shape->observers[i];
        fprintf(to, "            {%d, %d, %d, %d, %d, %d, %d, %d, %d},\n", o->on, o->underlying, o->slot,
                o->of, o->calendar, o->constant, o->varies, o->record, o->draws);
    }
    fprintf(to, "            {}};\n        return of[i];\n    }\n");
}

char *shape_source(const struct group *group, const struct shape *shape)
{
    char *text = NULL;
    size_t size = 0;
    int models[SHAPE_UNDERLYINGS], factors[SHAPE_UNDERLYINGS], coefficients[SHAPE_UNDERLYINGS];
    int slots[GROUP_SLOTS], n = group->n_underlyings;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    for (int u = 0; u < n; u++) {
        models[u] = (int)group->underlyings[u].model;
        factors[u] = group->underlyings[u].factor;
        coefficients[u] = group->underlyings[u].coefficient;
    }
    for (int r = 0; r < group->n_results; r++) slots[r] = group->results[r].slot;
    fprintf(
        to,
        "#include \"kernels/cuda/specialised.cuh\"\nstruct shape {\n"
        "    static constexpr int UNDERLYINGS = %d, FACTORS = %d, WIDTH = %d, SLOTS = %d, OBSERVERS = %d,\n"
        "        CALENDARS = %d, STRIDE = %d, CONSTANTS = %d, RESULTS = %d, PATHS = %d;\n"
        "    using table = %s;\n",
        n, group->n_factors, group->width, group->n_slots, shape->n_observers, shape->n_calendars,
        shape->stride, shape->n_constants, group->n_results, shape->paths,
        shape->spread ? "spread_normal_table" : "normal_table");
    write_table(to, "model", n, models);
    write_table(to, "factor", n, factors);
    write_table(to, "coefficient", n, coefficients);
    write_table(to, "result", group->n_results, slots);
    write_observers(to, shape);
    fprintf(
        to,
        "};\nextern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
        "    walk(const __grid_constant__ struct specialised<shape> w)\n{\n    walk_paths<shape>(w);\n}\n",
        shape->block, shape->blocks);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}
