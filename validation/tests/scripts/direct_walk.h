/* A walk of a script's tree on one path of script_paths.h, which the reference does: what its
 * program has to give. */
#ifndef PRICER_VALIDATION_TESTS_SCRIPTS_DIRECT_WALK_H
#define PRICER_VALIDATION_TESTS_SCRIPTS_DIRECT_WALK_H

#include "models/programs/program.h"

struct direct {
    const struct binding *binding;
    const struct program *program; /* for the features of decisions and their numbers */
    const double *outputs;         /* of the program on this path */
    uint64_t seed, path;

    double value; /* all that is paid from today on, discounted */
    double paid;  /* all that was paid before today */
    double most;  /* what the numbers on the way are large as */
    double wrong; /* the largest difference of what a decision has put out */
    bool close;   /* a comparison was too close to tell: other spots of twelve digits pay something
                     else */
};

/* Walks; what is above the empty line is given. */
void direct_walk(struct direct *direct);

#endif
