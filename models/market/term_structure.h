/* A quantity that accrues over time, known at dates: the minus log of a discount factor, or a total
 * variance.
 *
 * Between its dates the accrued amount is linear, so what accrues per year (the forward rate, the
 * forward variance) is constant there; before the first date it accrues at the first date's
 * average, after the last one at `beyond`. */
#ifndef PRICER_MODELS_MARKET_TERM_STRUCTURE_H
#define PRICER_MODELS_MARKET_TERM_STRUCTURE_H

#include <stdbool.h>

#include "models/base/status.h"

/* A term structure: amounts accrued to its dates. */
struct term_structure {
    int n;           /* dates, at least 1 */
    double *time;    /* [n] years from today, > 0, increasing; owned by the structure */
    double *accrued; /* [n] from today to each date, no unit */
    double beyond;   /* per year, after the last date */
};

/* Returns the amount accrued from today to t years (t >= 0). */
double term_accrued(const struct term_structure *term, double t);

/* Builds it from continuously compounded zero rates (or yields) to each date: log-linear in
 * discount factors, flat in the forward beyond the ends. Copies its inputs. STATUS_NO_MEMORY alone
 * can be returned; free with term_free. */
enum status term_from_rates(struct term_structure *term, int n, const double *time,
                            const double *rate);

/* Adds two: what accrues of both, on the dates of both. STATUS_NO_MEMORY; free with term_free. */
enum status term_sum(struct term_structure *sum, const struct term_structure *a,
                     const struct term_structure *b);

/* Adds `part` of another to one. STATUS_NO_MEMORY, which leaves it as it was. */
enum status term_add(struct term_structure *term, double part, const struct term_structure *other);

/* Builds it from Black volatilities to each date: total variance linear between dates, flat
 * volatility beyond the ends. STATUS_BAD_INPUT where the total variance falls between two dates
 * (`*at` is then the later date's index). */
enum status term_from_volatilities(struct term_structure *term, int n, const double *time,
                                   const double *volatility, int *at);

/* Tells whether two have the same dates and amounts. */
bool term_equal(const struct term_structure *a, const struct term_structure *b);

enum status term_copy(struct term_structure *to, const struct term_structure *from);
void term_free(struct term_structure *term);

#endif
