#include "models/dynamics/local_vol_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_HALF 0.70710678118654752
#define SERVED 1.44 /* places laid for t serve until SERVED t */

/* ---- at one place -------------------------------------------------------------------------------- */

struct law_at {
    double below, above, density;
};

static struct law_at law_at(const struct variance_at *at, double k)
{
    const double peak = 0.3989422804014327; /* 1 / sqrt(2 pi) */
    double s = sqrt(at->w), over = 1.0 / s, d2 = -k * over - 0.5 * s, n = peak * exp(-0.5 * d2 * d2);
    double density = surface_density(at, k), lean = 0.5 * n * at->w_k * over,
           tail = 0.5 * erfc(fabs(d2) * ROOT_HALF), rest = 1.0 - tail;
    return (struct law_at){.below = (d2 > 0.0 ? tail : rest) + lean,
                           .above = (d2 > 0.0 ? rest : tail) - lean,
                           .density = density > 0.0 ? density * n * over : 0.0};
}

/* The k that the law at t exceeds as a normal number exceeds `score`: Newton's method on the logarithm of the
 * probability, between bounds that close in. */
static double score_place(const struct implied_surface *surface, double t, double score)
{
    double probability = 0.5 * erfc(fabs(score) * ROOT_HALF), sign = score < 0.0 ? 1.0 : -1.0;
    double step = sqrt(surface_variance(surface, 0.0, t).w);
    double low = -HUGE_VAL, high = HUGE_VAL, k = score * step;
    for (int i = 0; i < 100; i++) {
        struct variance_at at = surface_variance(surface, k, t);
        struct law_at law = law_at(&at, k);
        double tail = fmax(score < 0.0 ? law.below : law.above, 1e-300);
        double excess = sign * log(tail / probability);
        if (excess > 0.0) high = k;
        else low = k;
        double next = k - excess * tail / law.density;
        if (!(next > low && next < high) || fabs(next - k) > step) {
            if (isinf(low)) next = k - step;
            else if (isinf(high)) next = k + step;
            else next = 0.5 * (low + high);
        }
        if (fabs(next - k) < 1e-6 * step) return next;
        k = next;
    }
    return k;
}

/* ---- at all places ------------------------------------------------------------------------------- */

enum status nodes_make(struct nodes *nodes, const struct implied_surface *surface)
{
    size_t n = (size_t)surface->n_times;
    *nodes = (struct nodes){0};
    nodes->smiles = malloc(n * NODES * sizeof *nodes->smiles);
    nodes->known = malloc(n);
    return nodes->smiles && nodes->known ? STATUS_OK : STATUS_NO_MEMORY;
}

void nodes_free(struct nodes *nodes)
{
    free(nodes->smiles);
    free(nodes->known);
}

void nodes_lay(struct nodes *nodes, const struct implied_surface *surface, double t)
{
    nodes->until = SERVED * t;
    nodes->low = score_place(surface, nodes->until, -LAW_REACH);
    nodes->apart = (score_place(surface, nodes->until, LAW_REACH) - nodes->low) / (NODES - 1);
    memset(nodes->known, 0, (size_t)surface->n_times);
}

const struct variance_at *nodes_smile(struct nodes *nodes, const struct implied_surface *surface, int j)
{
    struct variance_at *smile = nodes->smiles + (size_t)j * NODES;
    if (!nodes->known[j])
        for (int i = 0; i < NODES; i++) smile[i] = surface_smile(surface, j, node_place(nodes, i));
    nodes->known[j] = 1;
    return smile;
}

void law_lay(struct law *law, struct nodes *nodes, const struct implied_surface *surface, double t)
{
    struct date_between date = surface_date(surface, t);
    const struct variance_at *early = nodes_smile(nodes, surface, date.early);
    const struct variance_at *late = nodes_smile(nodes, surface, date.late);
    law->nodes = nodes, law->t = t;
    for (int i = 0; i < NODES; i++) {
        struct variance_at at = variance_between(&date, &early[i], &late[i]);
        struct law_at here = law_at(&at, node_place(nodes, i));
        law->below[i] = here.below, law->above[i] = here.above, law->density[i] = here.density;
    }
}

/* ---- backwards ----------------------------------------------------------------------------------- */

double law_place(const struct law *law, double probability, int is_below, int *from)
{
    const double *tail = is_below ? law->below : law->above;
    double sign = is_below ? 1.0 : -1.0;
    int i = *from;
    while (i < NODES - 2 && sign * (probability - tail[i + 1]) > 0.0) i++;
    while (i > 0 && sign * (probability - tail[i]) < 0.0) i--;
    *from = i;
    double apart = law->nodes->apart, rise = sign * (tail[i + 1] - tail[i]);
    if (!(rise > 0.0)) return node_place(law->nodes, i);
    double part = sign * (probability - tail[i]) / rise;
    double t = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part, s = 1.0 - t;
    double first = law->density[i] * apart, second = law->density[i + 1] * apart;
    double start = 3.0 * first > rise ? rise / first : 3.0; /* slopes: a cubic that increases */
    double end = 3.0 * second > rise ? rise / second : 3.0;
    return node_place(law->nodes, i) + apart * (t * t * (3.0 - 2.0 * t) + t * s * (start * s - end * t));
}

double law_score_place(const struct law *law, double score)
{
    int from = NODES / 2;
    return law_place(law, 0.5 * erfc(fabs(score) * ROOT_HALF), score < 0.0, &from);
}
