/* Short names of what was to be computed and of what came out: equal digests mean equal bits.
 *
 * The hash is FNV-1a of 64 bits (Fowler, Noll, Vo; RFC 9923) over bytes; numbers are hashed as the
 * eight bytes of their bits, the lowest first, on every machine. It guards against accidents, not
 * forgery. */
#ifndef PRICER_APP_PRICING_BASE_DIGEST_H
#define PRICER_APP_PRICING_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "app/pricing/base/estimate.h"
#include "kernels/plan.h"

#define DIGEST_BEGIN 0xcbf29ce484222325u

uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t n);
uint64_t digest_integer(uint64_t digest, uint64_t value);
uint64_t digest_number(uint64_t digest, double value);
/* Returns the text and the zero that ends it. */
uint64_t digest_text(uint64_t digest, const char *text);

/* Writes "baseline on cpu" and the like for kernels with an arithmetic of their own, "exact" for
 * all others. */
void arithmetic_name(const char *engine, const char *kernel, size_t room, char *name);

/* Digests everything of a plan that decides a bit of a price: seed, paths, grids, coefficients,
 * observations and payoffs. The order of the trades in the book is no part of it. */
uint64_t digest_plan(const struct plan *plan);

/* Digests what moves the paths of a group: assets, correlation, coefficients of the steps, tables,
 * dividends. */
uint64_t digest_paths(uint64_t digest, const struct group *group);

/* Digests all that a price of one trade by any way depends on: its terms, and of the market its
 * assets, the rates of their currencies and of what it is paid in, and the correlations between
 * them. Neither its id and quantity nor where it stands in the book are in it. */
uint64_t digest_trade(uint64_t digest, const struct market *market, const struct trade *trade);

/* Digests all numbers of an asset, and the rates of its currencies. */
uint64_t digest_asset(uint64_t digest, const struct market *market, const struct asset *asset);

/* Returns the places of n trades by their ids in sorted order, which the caller frees; NULL without
 * memory. */
int *digest_order(int n, const struct trade *trades);

/* Digests the ids of the trades in that order, each with the bits of its unit mean and of that
 * mean's standard error; a failed, refused or expired trade counts as such. */
uint64_t digest_results(int n, const int *order, const struct trade *trades,
                        const struct estimate *estimates);

#endif
