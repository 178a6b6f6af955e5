/* The program, from its arguments to its exit status. */
#ifndef PRICER_APP_COMMAND_COMMAND_LINE_H
#define PRICER_APP_COMMAND_COMMAND_LINE_H

#include "kernels/ranks.h"

/* Does what the arguments of main say, and returns the exit status. `ranks`: who else does; they
 * have the same arguments, and rank 0 alone writes. NULL: nobody. */
int command_line(int argc, char **argv, const struct ranks *ranks);

#endif
