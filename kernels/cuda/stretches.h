/* Paths in stretches of STRETCH steps, each of which has a page: all that the kernel of
 * kernels/cuda/stretches.cu reads on the way, in the order in which it reads it.
 *
 * A page is made of units of 16 bytes:
 *
 *     1         {steps, runs, units of the next page or 0, 0}
 *     [step]    {drift, volatility}
 *     [run]     {kind, of, slot; low; high; touches, place}, packed by the shifts RUN_*
 *     [touch]   its coefficients, by twos, for each touch of each run
 *
 * A run is touches of one observable, which is kept in registers meanwhile. `low` and `high` are the steps of
 * its touches within the stretch, four bits each; of a run of one touch, `high` is its pair of bridge
 * normals. `place` is the unit of its first coefficients in the page.
 *
 * An observable that neither reads another nor is read by one has all its touches of a stretch in one run;
 * the others keep the order of their dates. So groups alike have pages alike: in all but coefficients. */
#ifndef PRICER_KERNELS_CUDA_STRETCHES_H
#define PRICER_KERNELS_CUDA_STRETCHES_H

#include "kernels/cuda/launch.h"

/* Units that the pages of a group take, at most. */
size_t pages_room(const struct group *group);

/* Writes them. *first: units of the first page; *largest: of the largest. STATUS_NO_MEMORY. */
enum status copy_pages(const struct group *group, struct page_unit *pages, int *first, int *largest);

#endif
