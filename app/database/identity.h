/* What makes an interrupted run the same as the one that is to finish it. */
#ifndef PRICER_APP_DATABASE_IDENTITY_H
#define PRICER_APP_DATABASE_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include "app/config/book.h"

/* The bytes of the book's files, the values put in their place, every setting that decides a number, the
 * plan's digest and the version of pricer. Engines, kernels and threads give the same bits and are no part of
 * it, but for the kernel `baseline`, which is one with its engine. STATUS_FILE and one line where a file is
 * gone. */
enum status identity_make(const struct book *book, int n_sets, const char *const *sets, const char *engine,
                          uint64_t plan_digest, uint64_t *identity, struct message *why);

/* "baseline on cpu" and the like for kernels with an arithmetic of their own, "exact" for all others. */
void arithmetic_name(const char *engine, const char *kernel, size_t room, char *name);

#endif
