/* What this program is and what it can run here: --version and --list-kernels. */
#ifndef PRICER_APP_OUTPUT_ABOUT_H
#define PRICER_APP_OUTPUT_ABOUT_H

#include <stdio.h>

/* Prints version, commit and engines of the build. */
void about_version(FILE *out);

/* Prints the kernels of every engine, one line each, and whether this machine can run them. */
void about_kernels(FILE *out);

#endif
