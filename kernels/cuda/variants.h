/* The settings of path kernels: what --kernel=NAME:SETTING:SETTING may say beside a name of rungs.def.
 *
 * The lists below are the only ones. The words that the parser knows, the names that --bench times and the
 * templates that the kernels instantiate all come from them. Each calls X with `of`, passed through, and one
 * setting. No setting changes a bit of a price. */
#ifndef PRICER_KERNELS_CUDA_VARIANTS_H
#define PRICER_KERNELS_CUDA_VARIANTS_H

#include "models/math/status.h"

/* dN: normals are fetched N steps ahead. */
#define DEPTHS(X, of) X(of, 2) X(of, 3) X(of, 4) X(of, 5) X(of, 6) X(of, 8) X(of, 10) X(of, 12) X(of, 16)

/* Where they wait in shared memory: kernels/cuda/layouts.cuh. */
#define LAYOUTS(X, of) X(of, THREAD, thread) X(of, PADDED, padded) X(of, SLOT, slot)

/* The cache that they are fetched into. */
#define CACHES(X, of) X(of, L2, l2) X(of, L1, l1)

/* TxB: launch bounds of T threads a block and at least B blocks a multiprocessor. */
#define ALL_BOUNDS(X, of)                                                                                    \
    X(of, 128, 8) X(of, 256, 4) X(of, 256, 8) X(of, 512, 2) X(of, 512, 4) X(of, 1024, 1) X(of, 1024, 2)

/* What is loaded 16 bytes at a time: the small array of coefficients, the big one of normals, or both. */
#define WIDE_LOADS(X, of) X(of, SMALL, small) X(of, BIG, big) X(of, BOTH, both)

/* sN: as many scenarios of a path are walked by one thread, of groups that are alike. */
#define SCENARIOS(X, of) X(of, 1) X(of, 2) X(of, 4) X(of, 8)

/* The type that normals are stored as, eight bytes or four. */
#define STORED_TYPES(X, of) X(of, float) X(of, double)

/* What of an indirect access is asked for ahead of its use by a prefetch: kernels/cuda/gather.cu. */
#define FETCHES(X, of) X(of, INDEX, index) X(of, VALUE, value)

/* Which walk: that for every group, or the one that is compiled for the group's shape while the program runs
 * (kernels/cuda/specialise.h). Without the setting the latter is taken where it is there, or soon pays. */
#define WALKS(X, of) X(of, GENERAL, general) X(of, SPECIALISED, specialised)

enum layout {
#define LAYOUT(of, NAME, word) LAYOUT_##NAME,
    LAYOUT_OWN,
    LAYOUTS(LAYOUT, )
#undef LAYOUT
};

enum cache {
#define CACHE(of, NAME, word) CACHE_##NAME,
    CACHE_OWN,
    CACHES(CACHE, )
#undef CACHE
};

enum bounds {
#define BOUNDS(of, threads, blocks) BOUNDS_##threads##x##blocks,
    BOUNDS_OWN,
    ALL_BOUNDS(BOUNDS, )
#undef BOUNDS
};

enum loads {
#define LOADS(of, NAME, word) LOADS_##NAME,
    LOADS_OWN,
    WIDE_LOADS(LOADS, )
#undef LOADS
};

enum fetch {
#define FETCH(of, NAME, word) FETCH_##NAME,
    FETCH_OWN,
    FETCH_NONE,
    FETCH_REGISTERS, /* both, by loads */
    FETCHES(FETCH, )
#undef FETCH
};

enum walks {
#define WALKS_ROW(of, NAME, word) WALKS_##NAME,
    WALKS_OWN,
    WALKS(WALKS_ROW, )
#undef WALKS_ROW
};

enum setting {
    SETTING_DEPTH,
    SETTING_LAYOUT,
    SETTING_CACHE,
    SETTING_BOUNDS,
    SETTING_LOADS,
    SETTING_STORED,    /* its number is the bytes of the type */
    SETTING_SCENARIOS, /* its number is theirs */
    SETTING_FETCH,
    SETTING_WALK,
    N_SETTINGS
};

/* The settings of one launch, as numbers of their lists; 0: the kernel's own choice. */
struct variant {
    int of[N_SETTINGS];
};

/* Sets of settings that a kernel can take: the last column of rungs.def. */
enum takes {
    TAKES_NOTHING = 0,
    TAKES_DEPTH = 1 << SETTING_DEPTH,
    TAKES_DEPTH_LAYOUT = 1 << SETTING_DEPTH | 1 << SETTING_LAYOUT,
    TAKES_DEPTH_CACHE = 1 << SETTING_DEPTH | 1 << SETTING_CACHE,
    TAKES_BOUNDS = 1 << SETTING_BOUNDS,
    TAKES_LOADS = 1 << SETTING_LOADS,
    TAKES_STORED_SCENARIOS = 1 << SETTING_STORED | 1 << SETTING_SCENARIOS,
    TAKES_SCENARIOS = 1 << SETTING_SCENARIOS,
    TAKES_SCENARIOS_WALK = 1 << SETTING_SCENARIOS | 1 << SETTING_WALK,
    TAKES_DEPTH_FETCH = 1 << SETTING_DEPTH | 1 << SETTING_CACHE | 1 << SETTING_FETCH
};

/* Every kernel, and every kernel with every combination of its settings; ended by NULL. */
extern const char *const variant_names[];

/* Reads ":SETTING:SETTING", in any order, or "". STATUS_BAD_INPUT: `kernel` does not take one of them. */
enum status variant_parse(const char *kernel, enum takes takes, const char *text, struct variant *variant,
                          struct message *why);

#endif
