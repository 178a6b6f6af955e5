#include "app/database/identity.h"

#include "app/pricing/digest.h"

uint64_t identity_make(const struct book *book, int n_sets, const char *const *sets,
                       const char *engine, uint64_t plan_digest)
{
    const struct settings *settings = &book->settings;
    char arithmetic[64];
    uint64_t digest = digest_text(digest_text(DIGEST_BEGIN, PRICER_VERSION), PRICER_COMMIT);
    digest = digest_integer(digest, book->digest);
    for (int i = 0; i < n_sets; i++) digest = digest_text(digest, sets[i]);
    arithmetic_name(engine, settings->kernel, sizeof arithmetic, arithmetic);
    digest = digest_text(digest, arithmetic);
    digest = digest_integer(digest, (uint64_t)settings->paths);
    digest = digest_integer(digest, settings->seed);
    digest = digest_number(digest, settings->max_step);
    digest = digest_integer(digest, (uint64_t)settings->max_paths);
    digest = digest_integer(digest, (uint64_t)settings->check);
    return digest_integer(digest, plan_digest);
}
