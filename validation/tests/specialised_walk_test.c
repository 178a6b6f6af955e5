/* The shapes of groups, and the walks that are compiled for them: what a shape says is what the
 * group's observations say, for every product, every model and baskets of models; and each is a
 * kernel that the compiler takes, without a GPU. That it has the bits of other engines is
 * gpu_bits_test's. Exit 77 where the build has no CUDA or the machine no NVRTC. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/plan_build.h"
#include "app/pricing/exercise/exercise_policy.h"
#include "validation/tests/every_model.h"
#include "validation/tests/every_product.h"

#if PRICER_HAVE_CUDA

#include "kernels/cuda/host/nvrtc.h"
#include "kernels/cuda/host/shape.h"

/* Of so many shapes two are compiled, one that stores its normals and one that draws them: a
 * compilation takes a second. */
enum { COMPILED_EVERY = 8 };

static int failed, shapes, compiled;
static const char *folder; /* NULL: nothing is written */

static void expect(int right, const char *what, int g)
{
    if (right) return;
    printf("group %d: %s\n", g, what);
    failed++;
}

/* The coefficient of an observer on a date, as a walk finds it. */
static double coefficient_at(const struct shape *shape, const struct observer *observer, int step,
                             int c)
{
    int constant = observer->constant, varying = observer->record;
    for (int i = 0; i < c; i++)
        if (observer->varies >> i & 1) varying++;
        else constant++;
    if (observer->varies >> c & 1)
        return shape->records[(size_t)step * (size_t)shape->stride + (size_t)varying];
    return shape->constants[constant];
}

static int looks_at(const struct shape *shape, const struct observer *observer, int step)
{
    uint64_t calendars;
    memcpy(&calendars, shape->records + (size_t)step * (size_t)shape->stride, sizeof calendars);
    return observer->calendar < 0 || (calendars >> observer->calendar & 1);
}

static int coefficients_of_kind(int on)
{
    static const int coefficients[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [OBSERVATION_##NAME] = coefficients,
#include "models/observables/observables.def"
#undef OBSERVABLE
    };
    return coefficients[on];
}

/* Whether the observer that is next at a step is the group's next observation there. */
static int same_observation(const struct shape *shape, const struct observer *observer, int step,
                            const struct observation *observation)
{
    if (observer->kind != observation->kind || observer->underlying != observation->underlying)
        return 0;
    if (observation_in_row(observation->kind))
        return coefficient_at(shape, observer, step, 0) == observation->slot;
    if (observer->slot != observation->slot) return 0;
    for (int c = 0; c < coefficients_of_kind(observation->kind); c++)
        if (coefficient_at(shape, observer, step, c) != observation->c[c]) return 0;
    return 1;
}

/* Every step of the shape is the group's, observation after observation. */
static void check_steps(const struct group *group, const struct shape *shape, int g)
{
    for (int j = 0; j < group->n_steps; j++) {
        int observation = group->first_observation[j], dividends = 0;
        for (int o = 0; o < shape->n_observers; o++) {
            const struct observer *observer = &shape->observers[o];
            if (!looks_at(shape, observer, j)) continue;
            if (observer->kind == OBSERVER_DIVIDEND) dividends++;
            else if (observation < group->first_observation[j + 1] &&
                     same_observation(shape, observer, j, &group->observations[observation]))
                observation++;
            else expect(0, "an observer is not the group's", g);
        }
        expect(observation == group->first_observation[j + 1], "an observation is missing", g);
        for (int d = 0; d < group->n_dividends; d++) dividends -= group->dividends[d].step == j;
        expect(!dividends, "a dividend is missing", g);
    }
}

/* The observers of one observable have the same coefficients in records. */
static void check_alike(const struct shape *shape, int g)
{
    for (int o = 1; o < shape->n_observers; o++) {
        const struct observer *a = &shape->observers[o - 1], *b = &shape->observers[o];
        if (a->kind < 0 || observation_in_row(a->kind) || observation_in_row(b->kind)) continue;
        expect(a->slot != b->slot || a->varies == b->varies,
               "observers of one observable have other coefficients in records", g);
    }
}

/* Compiles the shape; or with a folder to write to, writes its source there. */
static void compile(const struct group *group, const struct shape *shape, int g)
{
    struct message why = {""};
    size_t size = 0;
    char *code = NULL, *source = shape_source(group, shape), path[1024];
    expect(source != NULL, "has no source", g);
    snprintf(path, sizeof path, "%s/shape_%02d_%s.cu", folder ? folder : "", shapes,
             shape->ahead ? "stored" : "drawn");
    FILE *file = folder && source ? fopen(path, "w") : NULL;
    if (folder) {
        expect(file && fputs(source, file) >= 0 && !fclose(file), "cannot be written", g);
    } else if (nvrtc_name())
        expect(source && nvrtc_compile(source, "walk", 90, &code, &size, &why) == STATUS_OK &&
                   size > 0,
               why.text, g);
    compiled++;
    free(code);
    free(source);
}

/* A group that ends in the middle, as one does that is observed until its last exercise: it may
 * have dividends afterwards. */
static void check_beginning(const struct group *group, int g)
{
    struct group beginning = *group;
    struct shape shape;
    beginning.n_steps = (group->n_steps + 1) / 2;
    beginning.n_observations = group->first_observation[beginning.n_steps];
    enum status status = shape_make(1, &beginning, true, &shape);
    expect(status == STATUS_OK, "its beginning has no shape", g);
    if (!status) check_steps(&beginning, &shape, g);
    shape_free(&shape);
}

static void check_group(const struct group *group, int g)
{
    struct shape shape;
    enum status status = shape_make(1, group, shapes % 2, &shape);
    expect(status == STATUS_OK, "has no shape", g);
    if (!status) check_steps(group, &shape, g);
    if (!status) check_alike(&shape, g);
    if (!status && shapes % COMPILED_EVERY < 2) compile(group, &shape, g);
    check_beginning(group, g);
    shapes++;
    shape_free(&shape);
}

static void check_book(const struct market *market, int n_trades, const struct trade *trades)
{
    struct plan plan;
    struct refusal refusals[EVERY_PRODUCT_TRADES];
    struct plan_settings settings = {.paths = 1024, .seed = 1, .max_step = 0.05};
    if (plan_build(market, n_trades, trades, &settings, &plan, refusals)) abort();
    for (int g = 0; g < plan.n_groups; g++) check_group(&plan.groups[g], g);
    plan_free(&plan);
}

/* FOLDER: writes the sources of what would be compiled there, for ptxas_guard_test.sh. */
int main(int n_arguments, char **arguments)
{
    static struct every_product products;
    static struct every_model models;
    folder = n_arguments > 1 ? arguments[1] : NULL;
    every_product_make(&products, 0.0);
    check_book(&products.market, products.n_trades, products.trades);
    every_product_free(&products);
    void (*add[])(struct every_model *) = {every_model_add_products, every_model_add_baskets,
                                           every_model_add_sums};
    for (int i = 0; i < 3; i++) {
        every_model_make(&models);
        add[i](&models);
        check_book(&models.market, models.n_trades, models.trades);
        every_model_free(&models);
    }
    printf("%d shapes, %d of them compiled by %s, %d failures\n", shapes, compiled,
           nvrtc_name() ? nvrtc_name() : "nothing: there is no NVRTC here", failed);
    return failed ? 1 : shapes < 20 ? 1 : nvrtc_name() ? 0 : 77;
}

#else

int main(void)
{
    puts("this build has no CUDA engine");
    return 77;
}

#endif
