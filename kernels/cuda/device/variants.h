/* The settings of path kernels: what --kernel=NAME:SETTING:SETTING may say beside a name of
 * rungs.def.
 *
 * The lists below are the only ones. The words that the parser knows, the names that --bench times
 * and the templates that the kernels instantiate all come from them. Each calls X with `context`,
 * passed through, and one setting. No setting changes a bit of a price. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_VARIANTS_H
#define PRICER_KERNELS_CUDA_DEVICE_VARIANTS_H

#include "models/base/status.h"

/* dN: normals are fetched N steps ahead. */
#define DEPTHS(X, context)                                                                         \
    X(context, 2)                                                                                  \
    X(context, 3)                                                                                  \
    X(context, 4)                                                                                  \
    X(context, 5) X(context, 6) X(context, 8) X(context, 10) X(context, 12) X(context, 16)

/* Where they wait in shared memory: kernels/cuda/device/ring_layouts.cuh. */
#define LAYOUTS(X, context)                                                                        \
    X(context, THREAD, thread) X(context, PADDED, padded) X(context, SLOT, slot)

/* The cache that they are fetched into. */
#define CACHES(X, context) X(context, L2, l2) X(context, L1, l1)

/* TxB: launch bounds of T threads a block and at least B blocks a multiprocessor. */
#define ALL_BOUNDS(X, context)                                                                     \
    X(context, 128, 8)                                                                             \
    X(context, 256, 4)                                                                             \
    X(context, 256, 8) X(context, 512, 2) X(context, 512, 4) X(context, 1024, 1) X(context, 1024, 2)

/* What is loaded 16 bytes at a time: the small array of coefficients, the big one of normals, or
 * both. */
#define WIDE_LOADS(X, context) X(context, SMALL, small) X(context, BIG, big) X(context, BOTH, both)

/* What of an indirect access is asked for ahead of its use by a prefetch:
 * kernels/cuda/rungs/gather.cu. */
#define FETCHES(X, context) X(context, INDEX, index) X(context, VALUE, value)

/* Which path code: that for every group, or the one that is compiled for the group's shape while
 * the program runs (kernels/cuda/host/specialise.h). Without the setting the latter is taken where
 * it is there, or soon pays. */
#define PATH_CODES(X, context) X(context, GENERAL, general) X(context, SPECIALISED, specialised)

enum ring_layout {
#define LAYOUT(context, NAME, word) RING_LAYOUT_##NAME,
    RING_LAYOUT_OWN,
    LAYOUTS(LAYOUT, )
#undef LAYOUT
};

enum cache {
#define CACHE(context, NAME, word) CACHE_##NAME,
    CACHE_OWN,
    CACHES(CACHE, )
#undef CACHE
};

enum bounds {
#define BOUNDS(context, threads, blocks) BOUNDS_##threads##x##blocks,
    BOUNDS_OWN,
    ALL_BOUNDS(BOUNDS, )
#undef BOUNDS
};

enum loads {
#define LOADS(context, NAME, word) LOADS_##NAME,
    LOADS_OWN,
    WIDE_LOADS(LOADS, )
#undef LOADS
};

enum fetch {
#define FETCH(context, NAME, word) FETCH_##NAME,
    FETCH_OWN,
    FETCH_NONE,
    FETCH_REGISTERS, /* both, by loads */
    FETCHES(FETCH, )
#undef FETCH
};

enum path_code {
#define PATH_CODE(context, NAME, word) PATH_CODE_##NAME,
    PATH_CODE_OWN,
    PATH_CODES(PATH_CODE, )
#undef PATH_CODE
};

enum setting {
    SETTING_DEPTH,
    SETTING_LAYOUT,
    SETTING_CACHE,
    SETTING_BOUNDS,
    SETTING_LOADS,
    SETTING_FETCH,
    SETTING_PATH_CODE,
    N_SETTINGS
};

/* The settings of one launch, as numbers of their lists; 0: the kernel's own choice. */
struct variant {
    int value[N_SETTINGS];
};

/* Sets of settings that a kernel can take: the last column of rungs.def. */
enum takes {
    TAKES_NOTHING = 0,
    TAKES_DEPTH = 1 << SETTING_DEPTH,
    TAKES_DEPTH_LAYOUT = 1 << SETTING_DEPTH | 1 << SETTING_LAYOUT,
    TAKES_DEPTH_CACHE = 1 << SETTING_DEPTH | 1 << SETTING_CACHE,
    TAKES_BOUNDS = 1 << SETTING_BOUNDS,
    TAKES_LOADS = 1 << SETTING_LOADS,
    TAKES_PATH_CODE = 1 << SETTING_PATH_CODE,
    TAKES_DEPTH_FETCH = 1 << SETTING_DEPTH | 1 << SETTING_CACHE | 1 << SETTING_FETCH
};

/* Every kernel, and every kernel with every combination of its settings; ended by NULL. */
extern const char *const variant_names[];

/* Reads ":SETTING:SETTING", in any order, or "". STATUS_BAD_INPUT: `kernel` does not take one of
 * them. */
enum status variant_parse(const char *kernel, enum takes takes, const char *text,
                          struct variant *variant, struct message *why);

#endif
