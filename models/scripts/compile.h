/* From a script and what a trade gives it to a program: loops are unrolled, what has passed is run,
 * constants are folded, equal values become one. */
#ifndef PRICER_MODELS_SCRIPTS_COMPILE_H
#define PRICER_MODELS_SCRIPTS_COMPILE_H

#include "models/programs/program.h"
#include "models/scripts/script.h"

/* A payment that a day before today has fixed, or today's, whose amount is known. */
struct script_payment {
    double years;  /* when it was fixed, <= 0 */
    double amount; /* of a unit */
};

/* What compiling gives beside the program. */
struct script_past {
    int n_payments;
    struct script_payment *payments; /* [n_payments] of dates before today; owned */
    bool stopped;                    /* the script stopped on a date before today */
    double stopped_at;               /* years, < 0 */
    /* STATUS_FAILED because a close is unknown: which; else -1 */
    int missing_parameter, missing_date, missing_asset;
};

/* Compiles. STATUS_OK; STATUS_FAILED and `why` with the place in the script ("line 7: ..."): a
 * close that is missing, a date that comes before what it reads, a number that is none, too many
 * instructions; STATUS_NO_MEMORY. Free both, whatever it returned. */
enum status script_compile(const struct binding *binding, struct program *program,
                           struct script_past *past, struct message *why);

void script_past_free(struct script_past *past);

#endif
