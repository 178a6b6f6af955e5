/* What local_vol's tables do at many places at once has the same bits in every build, and quantiles
 * are the inverse of probabilities. */
#include "models/dynamics/local_vol_lanes.h"
#include "validation/tests/test.h"

enum { REACH = 14, STRIDE = 30, WEIGHTS = 2 * REACH + 1, PLACES = Q_PLACES + 2 * REACH * STRIDE };

/* All that one build makes. */
struct made {
    double below[NODES], above[NODES], density[NODES];
    double variances[NODES], fades[NODES], p[NODES];
    double value[IN_CELL * P_CELLS], weight[IN_CELL * P_CELLS];
    double probability[PLACES], sums[Q_PLACES], places[Q_PLACES], errors[Q_PLACES];
    float p_rows[2 * LOCAL_VOL_P_ROWS], q_rows[2 * LOCAL_VOL_Q_ROWS];
};

static struct table_tray tray;
static struct table_room room;

/* A smile with a skew at a place. */
static struct variance_at smile(double k, double t)
{
    return (struct variance_at){.w = t * (0.04 - 0.02 * k + 0.05 * k * k),
                                .w_k = t * (-0.02 + 0.1 * k),
                                .w_kk = t * 0.1,
                                .w_t = 0.04 - 0.02 * k + 0.05 * k * k};
}

static void make_laws(const struct local_vol_lanes *lanes, struct marginal *law, struct made *made)
{
    static struct variance_at early[NODES], late[NODES];
    const struct date_between date = {0, 1, 0.25, 0.75, -2.0, 2.0, 0.875};
    for (int i = 0; i < NODES; i++) {
        early[i] = smile(node_at(law->nodes, i), 0.5);
        late[i] = smile(node_at(law->nodes, i), 1.0);
    }
    lanes->law(&date, early, late, law, &room);
    memcpy(made->below, law->below, sizeof made->below);
    memcpy(made->above, law->above, sizeof made->above);
    memcpy(made->density, law->density, sizeof made->density);
    lanes->variances(&date, early, late, law->nodes, 0.02, made->variances);
}

static void make_p(const struct local_vol_lanes *lanes, const struct marginal *law,
                   struct parabolas *p, struct made *made)
{
    const double spacing = law->nodes->spacing;
    double width[NODES], deviation[NODES], inverse[NODES], phi[NODES] = {0.0};
    lanes->fades(made->variances, spacing, made->fades);
    for (int i = 0; i < NODES; i++) width[i] = sqrt(made->variances[i]);
    lanes->spread(made->variances, spacing, width, &room);
    for (int i = 0; i < NODES; i++) deviation[i] = sqrt(made->variances[i]);
    for (int i = 0; i < NODES; i++) inverse[i] = 1.0 / deviation[i];
    for (int i = 1; i < NODES; i++)
        phi[i] = phi[i - 1] + 0.5 * spacing * (inverse[i - 1] + inverse[i]);
    lanes->drifts(law->nodes, deviation, inverse, phi, made->p);
    *p = (struct parabolas){-0.9, 0.8, 0.0, 0.0, made->p_rows};
    p->slope = (made->p[600] - made->p[40]) / (560.0 * spacing);
    p->start = made->p[320] - p->slope * node_at(law->nodes, 320);
    lanes->cells(law, made->p, p, made->value, made->weight);
    lanes->rows(P_CELLS, made->value, made->weight, p->slope * (p->high - p->low) / P_CELLS,
                made->p_rows, &room);
}

static void make_q(const struct local_vol_lanes *lanes, const struct marginal *law,
                   const struct parabolas *p, struct made *made)
{
    double weight[WEIGHTS], density[Q_PLACES], low = p->start + p->slope * p->low;
    double apart = p->slope * (p->high - p->low) / PLACES;
    struct lattice lattice = {1, STRIDE, REACH, PLACES, low, apart, made->probability, weight};
    const struct parabolas q = {low, low + Q_PLACES * apart, 1.0 / p->slope, p->low, made->q_rows};
    int half = PLACES / 2, from = 0;
    for (int i = 0; i < WEIGHTS; i++) weight[i] = 1.0 / (1.0 + (i - REACH) * (i - REACH));
    lanes->starts(&lattice, p, law, 0, half - 1, 1, &room);
    lanes->starts(&lattice, p, law, half, PLACES - 1, 0, &room);
    lanes->sums(&lattice, 3, Q_PLACES - 5, made->sums);
    memcpy(made->places, made->probability, sizeof made->places);
    lanes->quantiles(law, half, 1, &from, made->places, &room);
    lanes->quantiles(law, Q_PLACES - half, 0, &from, made->places + half, &room);
    for (int i = 0; i < Q_PLACES; i++) density[i] = made->probability[i] * (1.0 - i / 2000.0);
    lanes->rows(Q_CELLS, made->places, density, 0.003, made->q_rows, &room);
    lanes->errors(Q_PLACES, made->places, &q, low, apart, made->errors);
}

static void make(const struct local_vol_lanes *lanes, struct made *made)
{
    static struct nodes nodes;
    static struct marginal law;
    struct parabolas p;
    nodes.low = -1.3, nodes.spacing = 2.5 / NODES;
    law = (struct marginal){.nodes = &nodes,
                            .below = room.below[0],
                            .above = room.above[0],
                            .density = room.density[0]};
    room.tray = &tray;
    memset(made, 0, sizeof *made);
    make_laws(lanes, &law, made);
    make_p(lanes, &law, &p, made);
    make_q(lanes, &law, &p, made);
    for (int i = 200; i < Q_PLACES / 2; i += 50) {
        double there = marginal_probability(&law, made->places[i], 1);
        assert_true(fabs(there - made->probability[i]) < 1e-9);
    }
}

TEST(builds_have_the_same_bits)
{
    static struct made plain, other;
    int compared = 0;
#define BUILD(name, idea, supported)                                                               \
    if (supported) {                                                                               \
        make(&local_vol_##name, compared ? &other : &plain);                                       \
        if (compared++) assert_memory_equal(&plain, &other, sizeof plain);                         \
    }
#include "models/base/builds.def"
#undef BUILD
    assert_true(compared > 1);
    assert_true(plain.sums[100] > 0.0 && isfinite(plain.errors[Q_PLACES - 1]));
}

ALL_TESTS(local_vol_lanes_test)
