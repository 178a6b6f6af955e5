/* Which path kernel simulates a group, and why. */
#ifndef PRICER_KERNELS_ROUTE_H
#define PRICER_KERNELS_ROUTE_H

struct route {
    char kernel[96];
    const char *why; /* one line; static */
};

#endif
