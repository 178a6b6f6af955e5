#include "app/command/run.h"

#include <stdio.h>

#include "app/api/handle.h"

enum status meet_ranks(const struct options *options, struct pricer *pricer,
                       const struct pricer_book *book, struct message *why)
{
    const struct ranks *ranks = options->ranks;
    const struct settings *settings = &book->book.settings;
    int64_t batches = (settings->paths + BATCH_PATHS - 1) / BATCH_PATHS;
    uint64_t digest =
        identity_make(&book->book, options->n_sets, options->sets, settings->engine, 0);
    enum status status = ranks->compare(ranks->context, digest, why);
    if (status) return status;
    pricer->engine_options.ranks = ranks;
    if (batches >= ranks->n) return STATUS_OK;
    if (!ranks->rank && !options->quiet)
        fprintf(stderr,
                "pricer: note: %d ranks, but %lld paths are %lld batches of %d: %lld ranks at "
                "most have paths to simulate\n",
                ranks->n, (long long)settings->paths, (long long)batches, BATCH_PATHS,
                (long long)batches);
    return STATUS_OK;
}
