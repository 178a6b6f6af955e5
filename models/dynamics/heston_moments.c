#include "models/dynamics/heston_moments.h"

#include <math.h>
#include <stdbool.h>

#define XI_LEAST 1e-7 /* below it the variance is not random */

double heston_square_ends(const struct heston *heston)
{
    double xi2 = heston->xi * heston->xi, a = 2.0 * heston->rho * heston->xi - heston->kappa;
    double square =
        a * a -
        2.0 * xi2; /* of the difference of the roots of xi^2 B^2 / 2 + a B + 1, times xi^4 / 4 */
    bool none = heston->v0 == 0.0 && heston->theta == 0.0;
    if (none || heston->xi < XI_LEAST) return HUGE_VAL;
    if (square < 0.0) return 2.0 * atan2(sqrt(-square), a) / sqrt(-square);
    if (a < 0.0) return HUGE_VAL; /* B rises to a root and stays */
    double root = sqrt(square);
    return root < 1e-6 * a ? 2.0 / a : log((a + root) / (a - root)) / root;
}
