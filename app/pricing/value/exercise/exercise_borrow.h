/* Policies that one scenario borrows from another.
 *
 * In a plan with contrasts policies are those of scenario 0, which are best there: under a market
 * nearby the best policy betters them by the second order of the distance only. As levels of the
 * spot they are held where a scenario stands alone.
 *
 * Two scenarios that are contrasted, partners, are the better compared the fewer paths exercise in
 * one and go on in the other: such a path brings the difference of what it was paid to what it
 * would have been, of which the mean is nearly 0 and the variance is not. So the level, halfway
 * between theirs and taken for one of the market in the middle, is moved to each by how x = log2 S
 * is distributed there on that date: it stays at as many deviations from the mean. Under Black and
 * Scholes the same paths are then exercised to the rounding of a level; the variance of heston is
 * moved alike.
 *
 * On several assets no level tells which paths exercise. There the prices that decide are another
 * basket than the one that is paid (exercise_apart): of the spots that the path would have in the
 * market in the middle, each log2 S being moved as above. (V. Piterbarg, Computing deltas of
 * callable Libor exotics in forward Libor models, Journal of Computational Finance 7 (2004), holds
 * the date of exercise of each path.) */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_BORROW_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_BORROW_H

#include "app/pricing/value/exercise/exercise_dates.h"
#include "kernels/team.h"
#include "models/base/stop.h"

/* Copies the policies of all that borrow, exercises[fitted] .. [n - 1], from the first group of
 * their scenario set, with the unit of their second feature, and moves those of partners.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status borrow_policies(const struct plan *plan, int n, int fitted,
                            const struct exercise *exercises, const struct stop *stop,
                            struct team *team);

#endif
