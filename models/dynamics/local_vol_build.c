/* Compiled once for each row of models/base/builds.def, with TABLE_BUILD set to its function's
 * name. */
#include "models/dynamics/local_vol_make.h"

table_build TABLE_BUILD;

enum status TABLE_BUILD(struct local_vol_work *work, const struct tabled_step *step,
                        double log_from, double log_to, double *c, float *rows,
                        struct forward_moves *moves)
{
    return make_step(work, step, log_from, log_to, c, rows, moves);
}
