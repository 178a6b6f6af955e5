/* Paths in tiles of TILE_STEPS steps, each of which has a page: all that the kernel of
 * kernels/cuda/device/tiles.cu reads on the way, in the order in which it reads it.
 *
 * A page is made of units of 16 bytes:
 *
 *     1         {steps, runs, units of the next page or 0, 0}
 *     [step]    {drift, volatility}
 *     [run]     {kind, source, slot; low; high; observations, coefficients}, packed by the shifts
 * RUN_* [observation]   its coefficients, by twos, for each observation of each run
 *
 * A run is observations of one observable, which is kept in registers meanwhile. `low` and `high`
 * are the steps of its observations within the tile, four bits each; of a run of one observation,
 * `high` is its pair of bridge normals. `coefficients` is the unit of its first coefficients in the
 * page.
 *
 * An observable that neither reads another nor is read by one has all its observations of a tile in
 * one run; the others keep the order of their dates. So groups alike have pages alike: in all but
 * coefficients. */
#ifndef PRICER_KERNELS_CUDA_HOST_TILES_H
#define PRICER_KERNELS_CUDA_HOST_TILES_H

#include "kernels/cuda/device/launch.h"

/* Units that the pages of a group take, at most. */
size_t pages_room(const struct group *group);

/* Writes them. *first: units of the first page; *largest: of the largest. STATUS_NO_MEMORY. */
enum status copy_pages(const struct group *group, struct page_unit *pages, int *first,
                       int *largest);

#endif
