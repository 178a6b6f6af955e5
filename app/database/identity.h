/* What makes an interrupted run the same as the one that is to finish it. */
#ifndef PRICER_APP_DATABASE_IDENTITY_H
#define PRICER_APP_DATABASE_IDENTITY_H

#include <stdint.h>

#include "app/pricing/book.h"

/* Returns the digest of the bytes of the book's files as they were read, the values put in their
 * place, every setting that decides a number, the plan's digest and the version of pricer. Engines,
 * kernels and threads give the same bits and are no part of it, but for the kernel `baseline`,
 * which is one with its engine. */
uint64_t identity_make(const struct book *book, int n_sets, const char *const *sets,
                       const char *engine, uint64_t plan_digest);

#endif
