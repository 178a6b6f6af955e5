/* The tables of local volatility of the groups of one plan or of several: made once for what is
 * equal, and side by side. */
#include "app/pricing/plan/group_draft.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/base/order.h"

enum { PIECE_TABLES = 8 }; /* tables that a thread makes at a time */

/* An asset of one of the markets, and all that are alike. */
struct table_source {
    const struct market *market;
    int asset;
    struct implied_surface surface;
    enum status status;
    struct message why;
};

/* A step of a group, and what its tables were found to do. */
struct group_table {
    int source, reads; /* its own, and the first whose table is equal */
    const struct tabled_group *owner;
    const struct tabled_step *step;
    struct forward_moves moves;
    bool made; /* by an engine */
};

struct tables_making {
    int n_groups;
    struct tabled_group *const *groups;
    const struct plan_settings *settings;
    int n_sources, room;
    struct table_source *sources; /* [n_sources] */
    size_t n;
    struct group_table *tables; /* [n] group by group, in order of their steps */
    struct group_table **order; /* [n] what is equal, and what comes soon after it, side by side */
    int n_pieces;
    size_t *pieces; /* [n_pieces + 1] where each begins in `order` */
    atomic_int status;
};

/* ---- which there are ------------------------------------------------------------------------- */

/* Finds or adds the source for an asset. */
static enum status find_source(struct tables_making *making, const struct market *market, int asset,
                               int *source)
{
    int s = 0;
    for (; s < making->n_sources; s++)
        if (making->sources[s].asset == asset &&
            local_vol_alike(making->sources[s].market, market, asset))
            break;
    *source = s;
    if (s < making->n_sources) return STATUS_OK;
    MUST(grow_array(&making->sources, &making->room, s + 1, sizeof *making->sources));
    making->sources[making->n_sources++] = (struct table_source){.market = market, .asset = asset};
    return STATUS_OK;
}

static enum status list_tables(struct tables_making *making)
{
    size_t all = 0;
    for (int g = 0; g < making->n_groups; g++) all += (size_t)making->groups[g]->steps.n;
    making->tables = malloc((all + 1) * sizeof *making->tables);
    making->order = malloc((all + 1) * sizeof *making->order);
    making->pieces = malloc((all + 1) * sizeof *making->pieces);
    if (!making->tables || !making->order || !making->pieces) return STATUS_NO_MEMORY;
    for (int g = 0; g < making->n_groups; g++) {
        const struct tabled_group *group = making->groups[g];
        for (int i = 0; i < group->steps.n; i++) {
            struct group_table *table = &making->tables[making->n], *first = table - i,
                               *like = first;
            *table = (struct group_table){.owner = group, .step = &group->steps.steps[i]};
            while (like->step->asset != table->step->asset) like++;
            if (like < table) table->source = like->source;
            else MUST(find_source(making, group->market, table->step->asset, &table->source));
            making->order[making->n++] = table;
        }
    }
    return STATUS_OK;
}

/* ---- in which order -------------------------------------------------------------------------- */

static bool reads_alike(const struct tables_making *making, int a, int b,
                        const struct tabled_step *step)
{
    const struct table_source *p = &making->sources[a], *q = &making->sources[b];
    const struct surfaced_market one = {p->market, &p->surface}, other = {q->market, &q->surface};
    return p->asset == q->asset && !p->status && !q->status &&
           local_vol_steps_alike(&one, &other, step);
}

/* Finds which source each table is made from: of markets that differ on other dates the first. */
static void find_reads(void *context, int g)
{
    struct tables_making *making = context;
    struct group_table *table = making->tables;
    for (int before = 0; before < g; before++) table += making->groups[before]->steps.n;
    for (int i = 0; i < making->groups[g]->steps.n; i++, table++) {
        table->reads = 0;
        while (table->reads < table->source &&
               !reads_alike(making, table->reads, table->source, table->step))
            table->reads++;
    }
}

/* Tables that are equal compare as 0. The places that laws lie on, which take longest to lay, come
 * first. */
static int compare_tables(const struct group_table *a, const struct group_table *b)
{
    const struct tabled_step *p = a->step, *q = b->step;
    int order = a->reads - b->reads;
    if (!order) order = compare_doubles(p->laid_from, q->laid_from);
    if (!order) order = compare_doubles(p->from, q->from);
    if (!order) order = compare_doubles(p->laid_to, q->laid_to);
    if (!order) order = compare_doubles(p->to, q->to);
    if (!order) order = compare_doubles(p->drift, q->drift);
    return order;
}

static int compare_placed_tables(const void *p, const void *q)
{
    const struct group_table *a = *(struct group_table *const *)p,
                             *b = *(struct group_table *const *)q;
    int order = compare_tables(a, b);
    return order ? order : (a > b) - (a < b);
}

/* Tells whether table i of the order is that before it; pieces begin with one that is not. */
static bool equals_last(const struct tables_making *making, size_t i)
{
    return i && !compare_tables(making->order[i - 1], making->order[i]);
}

/* Cuts the order into pieces of one source, between tables that differ. */
static void cut_pieces(struct tables_making *making)
{
    int distinct = 0;
    for (size_t i = 0; i < making->n; i++) {
        if (equals_last(making, i)) continue;
        if (!i || making->order[i - 1]->reads != making->order[i]->reads ||
            distinct == PIECE_TABLES) {
            making->pieces[making->n_pieces++] = i;
            distinct = 0;
        }
        distinct++;
    }
    making->pieces[making->n_pieces] = making->n;
}

/* ---- making them ----------------------------------------------------------------------------- */

static void make_source(void *context, int s)
{
    struct tables_making *making = context;
    struct table_source *source = &making->sources[s];
    source->status = surface_make(&source->surface, source->market, source->asset, &source->why);
    if (source->status == STATUS_NO_MEMORY) atomic_store(&making->status, STATUS_NO_MEMORY);
}

static float *rows_of(const struct group_table *table)
{
    return table->owner->group->lookup.table + table->step->first;
}

static void copy_table(const struct group_table *from, struct group_table *to)
{
    memcpy(rows_of(to), rows_of(from), 2 * LOCAL_VOL_ROWS * sizeof(float));
    memcpy(to->step->c, from->step->c, LOCAL_VOL_COEFFICIENTS * sizeof(double));
    local_vol_refer(to->step, to->step->c);
    to->moves = from->moves;
}

/* Makes a table by the processor. */
static enum status make_table(const struct table_source *source, struct local_vol_maker **maker,
                              struct group_table *table)
{
    double unit_spot = surface_unit_spot(source->market, source->asset);
    if (!*maker) MUST(local_vol_maker_make(&source->surface, unit_spot, maker));
    return local_vol_tables(*maker, table->owner->market, table->step, table->step->c,
                            rows_of(table), &table->moves);
}

static enum status make_tables(const struct tables_making *making, size_t begin, size_t end)
{
    enum status status = STATUS_OK;
    struct local_vol_maker *maker = NULL;
    const struct table_source *source = &making->sources[making->order[begin]->reads];
    if (source->status) return STATUS_OK; /* which is told of its groups */
    for (size_t i = begin; i < end; i++) {
        struct group_table *table = making->order[i];
        if (asked_to_stop(making->settings->stop)) TRY(STATUS_INTERRUPTED);
        if (equals_last(making, i)) copy_table(making->order[i - 1], table);
        else if (!table->made) TRY(make_table(source, &maker, table));
    }
done:
    local_vol_maker_free(maker);
    return status;
}

static void make_piece(void *context, int i)
{
    struct tables_making *making = context;
    if (atomic_load(&making->status)) return;
    enum status status = make_tables(making, making->pieces[i], making->pieces[i + 1]);
    if (status) atomic_store(&making->status, (int)status);
}

/* ---- by an engine ---------------------------------------------------------------------------- */

/* Takes a step's tables. */
static void take_table(const struct table_made *made, struct group_table *table)
{
    memcpy(rows_of(table), made->rows, sizeof made->rows);
    memcpy(table->step->c, made->c, sizeof made->c);
    local_vol_refer(table->step, table->step->c);
    table->moves = made->moves;
    table->made = made->made;
}

/* Has an engine make the tables that differ. */
static enum status make_by_engine(struct tables_making *making)
{
    enum status status = STATUS_OK;
    const struct plan_settings *settings = making->settings;
    struct implied_surface *surfaces = calloc((size_t)making->n_sources, sizeof *surfaces);
    struct table_request *requests = calloc(making->n, sizeof *requests);
    struct group_table **asked = calloc(making->n, sizeof *asked);
    struct table_made *made = NULL;
    int n = 0;
    if (!surfaces || !requests || !asked) TRY(STATUS_NO_MEMORY);
    for (int s = 0; s < making->n_sources; s++) surfaces[s] = making->sources[s].surface;
    for (size_t i = 0; i < making->n; i++) {
        struct group_table *table = making->order[i];
        const struct table_source *source = &making->sources[table->reads];
        const struct market *market = table->owner->market;
        const struct tabled_step *step = table->step;
        if (source->status || equals_last(making, i)) continue;
        requests[n] =
            (struct table_request){.step = *step,
                                   .log_from = surface_log_forward(market, step->asset, step->from),
                                   .log_to = surface_log_forward(market, step->asset, step->to),
                                   .unit_spot = surface_unit_spot(market, step->asset),
                                   .surface = table->reads};
        asked[n++] = table;
    }
    if (!n) goto done;
    made = malloc((size_t)n * sizeof *made);
    if (!made) TRY(STATUS_NO_MEMORY);
    settings->engine->make_tables(n, requests, making->n_sources, surfaces, settings->options,
                                  made);
    for (int i = 0; i < n; i++)
        if (made[i].made) take_table(&made[i], asked[i]);
done:
    free(surfaces);
    free(requests);
    free(asked);
    free(made);
    return status;
}

/* ---- whether they will do -------------------------------------------------------------------- */

/* Checks the forwards of a group, whose tables are the first of these; returns where they end. */
static const struct group_table *check_group(const struct tables_making *making,
                                             struct tabled_group *group,
                                             const struct group_table *table)
{
    const struct group_table *end = table + group->steps.n;
    double moved[UNDERLYINGS_MAX] = {0};
    int steps[UNDERLYINGS_MAX] = {0};
    for (; table < end && !group->status; table++) {
        const struct table_source *source = &making->sources[table->source];
        int u = 0, asset = table->step->asset;
        while (group->group->underlyings[u].asset != asset) u++;
        group->status = STATUS_FAILED;
        group->fails = source->status ? 0.0 : group->group->times[steps[u]++];
        if (source->status) group->why = source->why;
        else
            group->status = local_vol_check(group->market->assets[asset].name, table->step->to,
                                            &table->moves, &moved[u], &group->why);
    }
    return end;
}

enum status surface_tables_make(int n, struct tabled_group *const *groups,
                                const struct plan_settings *settings)
{
    enum status status = STATUS_OK;
    struct tables_making making = {.n_groups = n, .groups = groups, .settings = settings};
    struct team *team = settings->team;
    TRY(list_tables(&making));
    if (!making.n) goto done;
    team_loop(team, making.n_sources, make_source, &making);
    team_loop(team, n, find_reads, &making);
    qsort(making.order, making.n, sizeof *making.order, compare_placed_tables);
    cut_pieces(&making);
    if (settings->engine && settings->engine->make_tables) TRY(make_by_engine(&making));
    team_loop(team, making.n_pieces, make_piece, &making);
    TRY((enum status)atomic_load(&making.status));
    const struct group_table *table = making.tables;
    for (int g = 0; g < n; g++) table = check_group(&making, groups[g], table);
done:
    for (int s = 0; s < making.n_sources; s++) surface_free(&making.sources[s].surface);
    free(making.sources);
    free(making.tables);
    free(making.order);
    free(making.pieces);
    return status;
}
