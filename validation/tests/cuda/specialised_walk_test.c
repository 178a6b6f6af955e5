/* The shapes of groups, and the walks that are compiled for them: what a shape says is what the
 * group's observations say, for every product, every model and baskets of models; and each is a
 * kernel that the compiler takes, without a GPU. That it has the bits of other engines is
 * gpu_bits_test's. Exit 77 where the build has no CUDA or the machine no NVRTC. */
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/value/exercise/exercise_policy.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/every_book.h"
#include "validation/tests/every_contrast.h"
#include "validation/tests/many_assets.h"
#include "validation/tests/test.h"

#if PRICER_HAVE_CUDA

#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/shape.h"
#include "kernels/cuda/host/toolkit.h"

/* Of so many shapes two are compiled, one that stores its normals and one that draws them: a
 * compilation takes a second. More are written for ptxas_guard_test.sh, which compiles some of
 * them, and all with --every. */
enum { COMPILED_EVERY = 64, WRITTEN_EVERY = 8 };

/* Bytes of it that the multiprocessor of an H200 has. */
enum { INSTRUCTION_CACHE = 128 * 1024 };

/* For which code is compiled. */
enum { ARCHITECTURE = 90 };

static int failed, shapes, compiled, shared_shapes, shared_baskets, parted, barrier_shapes,
    slots_apart;
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
    memcpy(&calendars, shape->records + (size_t)step * (size_t)shape->stride + shape->width,
           sizeof calendars);
    return observer->calendar < 0 || (calendars >> observer->calendar & 1);
}

static const int coefficients_of_kind[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [OBSERVATION_##NAME] = coefficients,
#include "models/observables/observables.def"
#undef OBSERVABLE
};

/* Whether the observer that is next at a step is the group's next observation there. */
static int same_observation(const struct shape *shape, const struct observer *observer, int step,
                            const struct observation *observation)
{
    if (observer->kind != observation->kind || observer->underlying != observation->underlying)
        return 0;
    if (observation_in_row(observation->kind))
        return coefficient_at(shape, observer, step, 0) == observation->slot;
    if (observer->slot != observation->slot) return 0;
    for (int c = 0; c < coefficients_of_kind[observation->kind]; c++)
        if (coefficient_at(shape, observer, step, c) != observation->c[c]) return 0;
    return 1;
}

/* The coefficients that a walk finds at a step are the group's: of moves the growths. */
static void check_coefficients(const struct group *group, const struct shape *shape, int step,
                               int g)
{
    const double *record = shape->records + (size_t)step * (size_t)shape->stride,
                 *own = group->coefficients + (size_t)step * (size_t)group->width;
    bool moved = shape->source == STEPS_READ_MOVES;
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        int n = moved ? 1 : model_coefficients(underlying->model);
        expect(!memcmp(record + (moved ? u : underlying->coefficient),
                       own + underlying->coefficient, sizeof *own * (size_t)n),
               "a coefficient is not the group's", g);
    }
}

/* Every step of the shape is the group's, observation after observation. */
static void check_steps(const struct group *group, const struct shape *shape, int g)
{
    for (int j = 0; j < group->n_steps; j++) {
        check_coefficients(group, shape, j, g);
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

/* Slots have places of their own, those of registers first, and what lies apart is looked at on few
 * steps. */
static void check_places(const struct group *group, const struct shape *shape, int g)
{
    bool taken[GROUP_SLOTS] = {false};
    int n = group->n_slots;
    for (int s = 0; s < n && shape->n_register_slots < n; s++) {
        int place = shape->place[s], looks = 0;
        expect(place >= 0 && place < n && !taken[place], "two slots have one place", g);
        if (place >= 0 && place < n) taken[place] = true;
        for (int i = 0; i < group->n_observations; i++)
            looks += group->observations[i].slot == s &&
                     !observation_in_row(group->observations[i].kind);
        expect(place < shape->n_register_slots || 16 * looks < group->n_steps,
               "a slot that many steps look at lies apart", g);
    }
    slots_apart += shape->n_register_slots < n;
}

/* Compiles the shape; or with a folder to write to, writes its source there. */
static void compile(const struct group *group, const struct shape *shape, int g)
{
    struct compiled_code code = {.name = "walk"};
    char *source = shape_source(group, shape), path[1024];
    expect(source != NULL, "has no source", g);
    static const char *const names[] = {
        [STEPS_DRAW] = "drawn", [STEPS_READ] = "stored", [STEPS_READ_MOVES] = "moves"};
    snprintf(path, sizeof path, "%s/shape_%02d_%s.cu", folder ? folder : "", shapes,
             names[shape->source]);
    FILE *file = folder && source ? fopen(path, "w") : NULL;
    if (folder) {
        expect(file && fputs(source, file) >= 0 && !fclose(file), "cannot be written", g);
    } else if (nvrtc_name())
        expect(source && nvrtc_compile(source, ARCHITECTURE, &code, &said) == STATUS_OK &&
                   code.size > 0,
               said.text, g);
    compiled++;
    free(code.code);
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
    enum status status = shape_make(1, &beginning, STEPS_READ, ARCHITECTURE, &shape);
    expect(status == STATUS_OK, "its beginning has no shape", g);
    if (!status) check_steps(&beginning, &shape, g);
    shape_free(&shape);
}

/* Checks the shape of a group whose steps are drawn, or are read. */
static void check_source(const struct group *group, enum step_source source, bool compiles, int g)
{
    struct shape shape;
    enum status status = shape_make(1, group, source, ARCHITECTURE, &shape);
    expect(status == STATUS_OK, "has no shape", g);
    if (!status) check_steps(group, &shape, g);
    if (!status) check_alike(&shape, g);
    if (!status) check_places(group, &shape, g);
    bool apart = shape.n_register_slots < group->n_slots;
    if (!status && (compiles || apart)) compile(group, &shape, g);
    shape_free(&shape);
}

static void check_group(const struct group *group, int g)
{
    bool compiles = shapes % (folder ? WRITTEN_EVERY : COMPILED_EVERY) < 2;
    check_source(group, STEPS_DRAW, compiles && shapes % 2 == 0, g);
    check_source(group, STEPS_READ, compiles && shapes % 2, g);
    check_beginning(group, g);
    shapes++;
}

/* Returns the noise of underlying u in a step, of normals made up here. */
static double made_up_noise(const struct group *group, int u, int step)
{
    double noise = 0.0;
    for (int i = 0; i <= u; i++)
        noise = fma(group->loadings[u * group->n_underlyings + i], 0.3 * ((step + 3 * i) % 7) - 0.8,
                    noise);
    return noise;
}

/* Returns log2 S of underlying u of a market after its first steps, each by normals made up here:
 * by its own steps, or by the moves of a mover. */
static double log_spot(const struct group *groups, int market, const struct mover *mover, int u)
{
    const struct group *own = &groups[market], *other = &groups[mover ? mover->market : market];
    struct path_state state = own->underlyings[u].start;
    double x = state.x;
    state.v = other->underlyings[u].start.v;
    for (int j = 0; j < own->n_steps && j < 20; j++) {
        size_t at = (size_t)j * (size_t)own->width + (size_t)own->underlyings[u].coefficient;
        const double z[2] = {made_up_noise(other, u, j), 0.9 - 0.4 * (j % 5)};
        if (mover)
            x = heston_moved(x, own->coefficients[at + HESTON_GROWTH],
                             (double)heston_log_move(other->coefficients + at, &state, z));
        else heston_step(own->coefficients + at, NULL, &state, z);
    }
    return mover ? x : state.x;
}

/* Groups alike move as the movers do that they are said to share, and have a shape for that. */
static void check_alike_markets(const struct group *groups, int g)
{
    struct shape shape = {0};
    struct shared_moves shared;
    int n = groups->n_underlyings;
    expect(device_moves_find(groups, &shared) == STATUS_OK, "no movers", g);
    expect(shared.n == 0 || (shared.n >= n && shared.n <= 2 * n + 1), "too few movers, or too many",
           g);
    for (int u = 0; shared.n && u < n; u++)
        expect(shared.mover_of[u] == shared.mover_of[SCENARIO_UP * n + u],
               "spots alone do not share", g);
    parted += shared.n > n;
    for (int i = 0; shared.n && i < groups->n_markets * n; i++) {
        const struct mover *mover = &shared.movers[shared.mover_of[i]];
        expect(mover->underlying == i % n, "a mover is another underlying's", g);
        expect(log_spot(groups, i / n, NULL, i % n) == log_spot(groups, i / n, mover, i % n),
               "a market moves otherwise than its mover", g);
    }
    if (shared.n) {
        expect(shape_make(groups->n_markets, groups, STEPS_READ_MOVES, ARCHITECTURE, &shape) ==
                   STATUS_OK,
               "has no shape that reads moves", g);
        check_steps(groups, &shape, g);
        if (n > 1 && !shared_baskets++) compile(groups, &shape, g);
        shared_shapes++;
    }
    shape_free(&shape);
    shared_moves_free(&shared);
}

/* Those of a part of a book, whose groups walk with all that they remember. */
static struct plan_settings settings_of_part(int n_trades, int part)
{
    return (struct plan_settings){
        .paths = 1024, .seed = 1, .max_step = 0.05, .in = trades_of_part(n_trades, part)};
}

/* The markets of a book's Greeks share moves: those of other spots all of them, those of another
 * rate and variances all but two assets', those of other correlations those of the first asset. */
static void check_markets(const struct market *market, int n_trades, const struct trade *trades)
{
    static struct every_contrast every;
    struct refusal refusals[EVERY_PRODUCT_TRADES];
    enum status status = every_contrast_make(market, &every);
    if (!status) every_contrast_bump(market, &every);
    every.wanted.scenarios.n = SCENARIO_RATES + 1;
    for (int part = 0; part < BOOK_PARTS; part++) {
        struct plan plan;
        struct plan_settings settings = settings_of_part(n_trades, part);
        if (status || plan_contrasts(&every.wanted, n_trades, trades, &settings, &plan, refusals))
            abort();
        for (int g = 0; g < plan.n_groups; g += plan.groups[g].n_markets)
            check_alike_markets(&plan.groups[g], g);
        plan_free(&plan);
    }
    every_contrast_free(&every);
}

static void check_book(const struct market *market, int n_trades, const struct trade *trades)
{
    struct refusal refusals[EVERY_PRODUCT_TRADES];
    for (int part = 0; part < BOOK_PARTS; part++) {
        struct plan plan;
        struct plan_settings settings = settings_of_part(n_trades, part);
        if (plan_build(market, n_trades, trades, &settings, &plan, refusals)) abort();
        for (int g = 0; g < plan.n_groups; g++) check_group(&plan.groups[g], g);
        plan_free(&plan);
    }
}

/* Six options between two barriers on each asset that is not under past returns: the code of their
 * looks stays in the instruction cache. */
static void check_barriers(const struct market *market, int n_trades, const struct trade *all)
{
    struct plan plan;
    struct refusal refusals[EVERY_MODEL_TRADES];
    struct trade trades[EVERY_MODEL_TRADES];
    struct plan_settings settings = {.paths = 1024, .seed = 1, .max_step = 0.02};
    int n = 0;
    for (int t = 0; t < n_trades; t++) {
        const struct trade *trade = &all[t];
        if (trade->product != PRODUCT_DOUBLE_BARRIER) continue;
        if (market->assets[trade->asset].model == MODEL_HISTORICAL) continue;
        for (int i = 0; i < 6; i++) {
            trades[n] = *trade;
            trades[n++].lower = trade->lower * (1.0 - 0.02 * i);
        }
    }
    if (plan_build(market, n, trades, &settings, &plan, refusals)) abort();
    for (int g = 0; g < plan.n_groups && nvrtc_name(); g++) {
        struct shape shape;
        struct compiled_code code = {.name = "walk"};
        char *source = NULL;
        if (!shape_make(1, &plan.groups[g], STEPS_DRAW, ARCHITECTURE, &shape))
            source = shape_source(&plan.groups[g], &shape);
        expect(source && !nvrtc_compile(source, ARCHITECTURE, &code, &said) && code.size > 0,
               said.text, g);
        expect(code.size < INSTRUCTION_CACHE, "its code leaves the instruction cache", g);
        barrier_shapes += shape.n_observers >= 6;
        free(code.code);
        free(source);
        shape_free(&shape);
    }
    expect(barrier_shapes >= 4 || !nvrtc_name(), "too few groups of barriers", plan.n_groups);
    plan_free(&plan);
}

/* Its blocks have the shared memory of an architecture, so many kilobytes, where normals are drawn
 * and where they are read. */
static void check_shared(const struct group *group, int architecture, size_t kilobytes)
{
    static const enum step_source sources[] = {STEPS_DRAW, STEPS_READ};
    struct shape shape;
    for (int i = 0; i < 2; i++) {
        expect(shape_make(1, group, sources[i], architecture, &shape) == STATUS_OK, "has no shape",
               group->n_underlyings);
        expect(shape_shared(&shape, shape.block) <= kilobytes * 1024,
               "more shared memory than a block can have", group->n_underlyings);
        shape_free(&shape);
    }
}

/* A group of n assets on two architectures, whose path code is written or compiled where that is
 * asked for. */
static void check_wide(int n, const char *model, enum many_correlations how, bool compiling)
{
    struct book book;
    struct plan plan;
    struct shape shape;
    struct refusal refusals[MANY_ASSETS_TRADES];
    struct plan_settings settings = {.paths = 1024, .seed = 1, .max_step = 0.05};
    many_assets_load(n, model, how, &book);
    if (plan_build(&book.market, book.n_trades, book.trades, &settings, &plan, refusals)) abort();
    const struct group *group = plan.groups;
    check_shared(group, ARCHITECTURE, 227);
    check_shared(group, 80, 163);
    if (compiling && !shape_make(1, group, STEPS_DRAW, ARCHITECTURE, &shape)) {
        check_steps(group, &shape, n);
        compile(group, &shape, n);
        shapes++;
        shape_free(&shape);
    }
    plan_free(&plan);
    book_free(&book);
}

static void check_many_assets(void)
{
    static const char volatility[] = "volatility = 0.25;";
    static const char heston[] = "model = \"heston\"; heston = { v0 = 0.04; kappa = 1.5; "
                                 "theta = 0.05; xi = 0.3; rho = -0.6; };";
    check_wide(20, volatility, CORRELATED_IN_FAMILIES, true);
    check_wide(32, volatility, CORRELATED_ANYHOW, true);
    check_wide(32, volatility, TWO_THE_SAME, false);
    check_wide(32, heston, CORRELATED_HALF, false);
}

static int check_shown(const struct shown_book *shown)
{
    check_book(shown->market, shown->n_trades, shown->trades);
    if (strcmp(shown->name, "products"))
        check_markets(shown->market, shown->n_trades, shown->trades);
    if (!strcmp(shown->name, "models") && !folder)
        check_barriers(shown->market, shown->n_trades, shown->trades);
    return 0;
}

/* FOLDER: writes the sources of what would be compiled there, for ptxas_guard_test.sh. */
int specialised_walk_test(int n_arguments, char **arguments)
{
    static struct every_model models;
    folder = n_arguments > 1 ? arguments[1] : NULL;
    check_every_book(check_shown);
    every_model_make(&models);
    every_model_under_heston(&models);
    every_model_add_baskets(&models);
    check_markets(&models.market, models.n_trades, models.trades);
    every_model_free(&models);
    check_many_assets();
    printf("%d shapes, %d of groups whose markets share moves, %d with slots apart, %d compiled by "
           "%s, %d failures\n",
           shapes, shared_shapes, slots_apart, compiled,
           nvrtc_name() ? nvrtc_name() : "nothing: there is no NVRTC here", failed);
    bool all = shapes >= 20 && shared_baskets && parted && slots_apart;
    return failed || !all ? 1 : nvrtc_name() ? 0 : 77;
}

#else

TEST_MAIN(specialised_walk_test)
{
    puts("this build has no CUDA engine");
    return 77;
}

#endif
