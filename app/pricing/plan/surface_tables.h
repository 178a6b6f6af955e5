/* The tables of local volatility of the groups of one plan or of several: made once for what is
 * equal, and side by side. Used by plan_build.c alone. */
#ifndef PRICER_APP_PRICING_PLAN_SURFACE_TABLES_H
#define PRICER_APP_PRICING_PLAN_SURFACE_TABLES_H

#include "app/pricing/plan/plan_build.h"
#include "models/dynamics/local_vol_table.h"

/* A group whose steps are laid out. */
struct tabled_group {
    const struct market *market;
    struct group *group;
    struct tabled_steps steps; /* its own, in order */
    enum status status;        /* STATUS_FAILED: its assets cannot be simulated over these dates */
    double fails;              /* and the first of its dates that they cannot reach; 0: none */
    struct message why;
};

/* Makes the tables of n groups and the coefficients that refer to them, the same for any team and
 * engine of the settings; what cannot be made is said of its group.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status surface_tables_make(int n, struct tabled_group *const *groups,
                                const struct plan_settings *settings);

#endif
