#include "kernels/cuda/host/device_looks.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/device.h"
#include "models/observables/observable.h"

/* ---- which chains have code of their own ----------------------------------------------------- */

static int slots_of_kind(int kind)
{
    return kind == N_OBSERVATION_KINDS ? 0 : observation_slots(kind);
}

/* A chain that may go into a set. */
struct set_member {
    int chain, kind, reader, dates;
};

/* Tells whether chains of a LOOK_NUMBER go into sets. */
static bool goes_into_sets(int number)
{
#define LOOK_KIND(KIND, READER) number == LOOK_NUMBER(KIND, READER) ||
    return LOOK_KINDS(LOOK_KIND) false;
#undef LOOK_KIND
}

/* Returns the LOOK_NUMBER of a chain that is one observable, or one and another that reads it on
 * each of its dates; -1 of any other. */
static int chain_number(const struct group *group, int c, struct set_member *member)
{
    const struct chain *chain = &group->chains[c];
    const struct look *looks = &group->looks[chain->first_look];
    const int n = chain->n_results;
    if (n > 2 || chain->n_looks % n) return -1;
    *member = (struct set_member){c, looks[0].seen.kind, N_OBSERVATION_KINDS, chain->n_looks / n};
    if (n == 2) member->reader = looks[1].seen.kind;
    for (int i = 0; i < chain->n_looks; i++) {
        const struct look *look = &looks[i];
        bool reads = i % n == 1;
        if (look->seen.kind != (reads ? member->reader : member->kind) ||
            look->seen.slot != (reads ? slots_of_kind(member->kind) : 0) ||
            (reads && (look->seen.source || look->x != look[-1].x)))
            return -1;
    }
    return LOOK_NUMBER(member->kind, member->reader);
}

/* Returns the kind of a chain that goes into no set and does not survive. */
static int lone_kind(int number)
{
    switch (number) {
#define LOOK_KIND(KIND)                                                                            \
    case LOOK_NUMBER(KIND, N_OBSERVATION_KINDS): return KIND;
        EXTREME_LOOK_KINDS(LOOK_KIND)
#undef LOOK_KIND
    }
    return ANY_KINDS;
}

/* Lists the chains that go into sets, if there are any, and those that do not. Returns how many do.
 */
static int list_chains(const struct group *group, bool sets, struct set_member *members,
                       struct look_layout *layout)
{
    struct lone_chains *lone = layout->lone;
    int n = 0;
    for (int i = 0; i < group->n_survival_sets; i++) {
        const struct survival_set *set = &group->survival_sets[i];
        *lone = (struct lone_chains){.kind = SURVIVAL, .n = set->n};
        for (int k = 0; k < set->n; k++) lone->chains[k] = group->chains[set->chains[k]];
        memcpy(lone->limits, set->limits, sizeof lone->limits);
        lone++;
    }
    for (int c = 0; c < group->n_chains; c++) {
        int number = chain_number(group, c, &members[n]);
        if (group->chains[c].survives) continue;
        if (sets && goes_into_sets(number)) n++;
        else
            *lone++ = (struct lone_chains){
                .kind = lone_kind(number), .n = 1, .chains = {group->chains[c]}};
    }
    layout->looks.n_lone = (int)(lone - layout->lone);
    return n;
}

/* Orders chains by their code, then by dates, the most first. */
static int compare_members(const void *a, const void *b)
{
    const struct set_member *p = a, *q = b;
    if (p->kind != q->kind) return p->kind - q->kind;
    if (p->reader != q->reader) return p->reader - q->reader;
    if (p->dates != q->dates) return q->dates - p->dates;
    return p->chain - q->chain;
}

/* ---- the rows of a tile ---------------------------------------------------------------------- */

/* Rows that sets read, as the tile has them. */
struct tile_rows {
    int *tile_row; /* [row of the group] its number in the tile; -1: it is not there */
    int n;
    int *rows; /* [n] */
};

static int tile_row(struct tile_rows *tile, int row)
{
    if (tile->tile_row[row] < 0) {
        tile->rows[tile->n] = row;
        tile->tile_row[row] = tile->n++;
    }
    return tile->tile_row[row];
}

/* Paths of a tile, and bytes beside it. */
enum { TILE_PATHS = 16, TILE_PATHS_LEAST = 8, TILE_BESIDE = 8192 };

/* Returns the number of paths of a tile of so many rows on this device, `beside` whose lie so many
 * bytes; 0 where it has no room for any. */
static int tile_paths(int n_rows, size_t beside)
{
    int n = TILE_PATHS, device = 0, shared = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess)
        return 0;
    beside += TILE_BESIDE;
    size_t most = (size_t)shared > beside ? (size_t)shared - beside : 0;
    while (n > TILE_PATHS_LEAST && look_tile_bytes(n_rows, n) > most) n /= 2;
    return look_tile_bytes(n_rows, n) > most ? 0 : n;
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Gives a set its arrays behind so much that is used of `base`, whose bytes are all 0 before they
 * are filled. Returns the end of what is used then; without `base` that alone. */
static size_t place_arrays(struct look_set *set, int width, size_t used, const char *base)
{
    size_t n = (size_t)width, dates = (size_t)set->most * n;
    int n_c = observation_coefficients(set->kind) + observation_coefficients(set->reader),
        n_slots = slots_of_kind(set->kind) + slots_of_kind(set->reader);
    size_t at_dates = take_room(&used, sizeof(int) * n),
           at_x = take_room(&used, sizeof(int) * dates),
           at_drawn = take_room(&used, observation_draws(set->kind) ? 2 * sizeof(int) * dates : 0),
           at_rows = take_room(&used, sizeof(int[2]) * n),
           at_c = take_room(&used, sizeof(double) * (size_t)n_c * dates),
           at_initial = take_room(&used, sizeof(double) * (size_t)n_slots * n);
    if (!base) return used;
    set->dates = (const void *)(base + at_dates), set->x = (const void *)(base + at_x);
    set->drawn = (const void *)(base + at_drawn), set->rows = (const void *)(base + at_rows);
    set->c = (const void *)(base + at_c), set->initial = (const void *)(base + at_initial);
    return used;
}

/* Fills a place of a set with a chain. */
static void fill_place(const struct group *group, const struct set_member *member, int place,
                       int width, struct tile_rows *tile, const struct look_set *set)
{
    const struct chain *chain = &group->chains[member->chain];
    const int n = chain->n_results;
    int *x = (int *)set->x, *drawn = (int *)set->drawn, *rows = (int *)set->rows;
    double *c = (double *)set->c + place, *initial = (double *)set->initial;
    ((int *)set->dates)[place] = member->dates;
    for (int i = 0; i < chain->n_looks; i++) {
        const struct look *look = &group->looks[chain->first_look + i];
        const int d = i / n, n_c = observation_coefficients(look->seen.kind);
        for (int k = 0; k < n_c; k++, c += width) *c = look->seen.c[k];
        if (i % n) continue;
        x[d * width + place] = tile_row(tile, look->x);
        for (int z = 0; z < 2 && look->drawn[z] >= 0; z++)
            drawn[(2 * d + z) * width + place] = tile_row(tile, look->drawn[z]);
    }
    int slots = slots_of_kind(member->kind) + slots_of_kind(member->reader);
    for (int s = 0; s < slots; s++)
        initial[s * width + place] = group->look_initial[chain->first_slot + s];
    for (int r = 0; r < n; r++)
        rows[r * width + place] = group->look_results[chain->first_result + r].row;
}

/* Cuts members into sets of the same code, in their order, and fills these. STATUS_NO_MEMORY. */
static enum status fill_sets(const struct group *group, const struct set_member *members,
                             int n_members, struct tile_rows *tile, struct look_layout *layout)
{
    const int width = n_members ? look_set_width(layout->looks.tile_paths) : 0;
    struct look_set *set = layout->sets;
    size_t end = 0;
    for (int i = 0; i < n_members; i += set++->n) {
        const struct set_member *m = &members[i];
        *set = (struct look_set){.kind = m->kind, .reader = m->reader, .most = m->dates};
        while (i + set->n < n_members && set->n < width && m[set->n].kind == m->kind &&
               m[set->n].reader == m->reader)
            set->n++;
        end = place_arrays(set, width, end, NULL);
    }
    layout->looks.n_sets = (int)(set - layout->sets);
    layout->n_numbers = end;
    layout->numbers = calloc(end + 1, 1);
    if (!layout->numbers) return STATUS_NO_MEMORY;
    end = 0;
    for (set = layout->sets; set < layout->sets + layout->looks.n_sets; set++) {
        end = place_arrays(set, width, end, layout->numbers);
        for (int place = 0; place < set->n; place++)
            fill_place(group, members++, place, width, tile, set);
    }
    return STATUS_OK;
}

/* Returns what the looks of a set cost, roughly. */
static int set_cost(const struct look_set *set)
{
    const bool survives = set->kind == OBSERVATION_BARRIER || set->kind == OBSERVATION_STRIP;
    return set->most * (survives ? 10 : set->kind == OBSERVATION_SUM ? 4 : 1);
}

/* Orders sets, the dearest first, then as they were made. */
static int compare_sets(const void *a, const void *b)
{
    const struct look_set *p = a, *q = b;
    if (set_cost(p) != set_cost(q)) return set_cost(q) - set_cost(p);
    return (p->dates > q->dates) - (p->dates < q->dates);
}

/* Gives all rows that a chain reads a place in the tile. */
static void take_rows(const struct group *group, int c, struct tile_rows *tile)
{
    const struct chain *chain = &group->chains[c];
    for (int i = chain->first_look; i < chain->first_look + chain->n_looks; i++) {
        const struct look *look = &group->looks[i];
        const int rows[] = {look->x, look->drawn[0], look->drawn[1]};
        for (int r = 0; r < 3; r++)
            if (rows[r] >= 0) tile_row(tile, rows[r]);
    }
}

/* Gives the steps of the walk and the normals of its bridges a place in the tile, and lists what is
 * to be written of it. */
static void take_walk(const struct group *group, struct tile_rows *tile, struct look_layout *layout)
{
    for (int j = 0; j < group->n_steps; j++)
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            const struct observation *t = &group->observations[i];
            const int pair = group->n_steps + 2 * t->pair;
            int *place = &tile->tile_row[t->slot];
            if (t->kind == OBSERVATION_DRAWN_FIRST) *place = pair;
            else if (t->kind == OBSERVATION_DRAWN_SECOND) *place = pair + 1;
            else *place = j;
            if (t->slot < group->n_result_rows)
                layout->written[layout->looks.n_written++] = (struct written_row){j, t->slot};
        }
    layout->looks.n_drawn = 2 * group->n_pairs;
    tile->n = group->n_steps + layout->looks.n_drawn;
}

/* Gives what the sets read a place in the tile. Where all looks are in sets and the tile has room
 * for every step of a plain group, it is simulated there. */
static void make_tile(const struct group *group, bool draws, int n_members,
                      const struct set_member *members, struct tile_rows *tile,
                      struct look_layout *layout)
{
    struct device_looks *looks = &layout->looks;
    looks->tile_paths = tile_paths(group->n_steps + 2 * group->n_pairs,
                                   sizeof(struct gaussian_step) * (size_t)group->n_steps);
    looks->simulates = draws && n_members && !looks->n_lone && looks->tile_paths;
    if (looks->simulates) {
        take_walk(group, tile, layout);
        return;
    }
    for (int i = 0; i < n_members; i++) take_rows(group, members[i].chain, tile);
    looks->tile_paths = tile_paths(tile->n, 0);
}

/* ---- the layout ------------------------------------------------------------------------------ */

/* Chains that have code go into sets, as long as the rows of a tile have room, the others stay as
 * they are. */
enum status lay_out_looks(const struct group *group, bool draws, struct look_layout *layout)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)group->n_chains + 1, rows = (size_t)group->n_rows + 1;
    int n_members = 0;
    *layout =
        (struct look_layout){.looks = {.n_slots = group->chain_slots, .n_gates = group->n_gates}};
    if (!group->n_chains) return STATUS_OK;
    struct set_member *members = malloc(n * sizeof *members);
    struct tile_rows tile = {.tile_row = malloc(rows * sizeof(int)),
                             .rows = malloc(rows * sizeof(int))};
    layout->tile_rows = tile.rows;
    layout->written = malloc(rows * sizeof *layout->written);
    layout->lone = malloc(n * sizeof *layout->lone);
    layout->sets = malloc(n * sizeof *layout->sets);
    if (!members || !tile.tile_row || !tile.rows || !layout->written || !layout->lone ||
        !layout->sets)
        TRY(STATUS_NO_MEMORY);
    for (size_t r = 0; r < rows; r++) tile.tile_row[r] = -1;
    n_members = list_chains(group, true, members, layout);
    make_tile(group, draws, n_members, members, &tile, layout);
    if (!layout->looks.tile_paths) {
        list_chains(group, false, members, layout);
        goto done;
    }
    if (n_members) qsort(members, (size_t)n_members, sizeof *members, compare_members);
    TRY(fill_sets(group, members, n_members, &tile, layout));
    qsort(layout->sets, (size_t)layout->looks.n_sets, sizeof *layout->sets, compare_sets);
    layout->looks.n_tile_rows = tile.n;
done:
    free(members);
    free(tile.tile_row);
    return status;
}

/* ---- the inputs ------------------------------------------------------------------------------ */

void put_looks(struct device *device, const struct group *group, struct look_layout *layout)
{
    struct device_looks *looks = &layout->looks;
    if (!group->n_chains) return;
    const size_t sets_bytes = sizeof *layout->sets * (size_t)looks->n_sets;
    const struct input_place place = take_input(device, sets_bytes);
    const char *numbers = put_input(device, layout->numbers, layout->n_numbers);
    struct look_set *sets = place.host;
    for (int i = 0; sets && i < looks->n_sets; i++) {
        sets[i] = layout->sets[i];
        place_arrays(&sets[i], look_set_width(looks->tile_paths),
                     (size_t)((const char *)sets[i].dates - layout->numbers), numbers);
    }
    looks->sets = place.device;
    looks->tile_rows = put_input(device, looks->simulates ? NULL : layout->tile_rows,
                                 sizeof(int) * (size_t)looks->n_tile_rows);
    looks->written = PUT_INPUT(device, layout->written, looks->n_written);
    looks->gates = PUT_INPUT(device, group->gates, group->n_gates);
    if (!looks->n_lone) return;
    const struct chain *last = &group->chains[group->n_chains - 1];
    looks->lone = PUT_INPUT(device, layout->lone, looks->n_lone);
    looks->looks = PUT_INPUT(device, group->looks, group->n_looks);
    looks->initial = PUT_INPUT(device, group->look_initial, last->first_slot + last->n_slots);
    looks->results = PUT_INPUT(device, group->look_results, last->first_result + last->n_results);
}

void look_layout_free(struct look_layout *layout)
{
    free(layout->sets);
    free(layout->numbers);
    free(layout->tile_rows);
    free(layout->written);
    free(layout->lone);
    *layout = (struct look_layout){0};
}
