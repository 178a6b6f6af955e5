#include "app/check_journal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/digest.h"

/* ---- references ------------------------------------------------------------------------------------ */

/* A reference as it is stored; one that failed has no method, but a reason. */
struct stored_reference {
    double price, error;
    char method[64];
    char why[sizeof((struct message *)0)->text];
};

static uint64_t digest_of(const struct trade *trade, uint64_t seed)
{
    return digest_text(digest_integer(DIGEST_BEGIN, seed), trade->id);
}

static enum status take_reference(struct journal *journal, const struct stored_reference *stored,
                                  struct reference *reference, struct message *why)
{
    if (!stored->method[0]) {
        snprintf(why->text, sizeof why->text, "%s", stored->why);
        return STATUS_FAILED;
    }
    *reference = (struct reference){stored->price, stored->error, journal_text(journal, stored->method)};
    return reference->method ? STATUS_OK : STATUS_NO_MEMORY;
}

/* The bytes of a text to its end, and no further, are stored: the rest is zero. */
static enum status store_reference(struct journal *journal, uint64_t digest, enum status found,
                                   const struct reference *reference, const struct message *why,
                                   struct message *failure)
{
    struct stored_reference stored;
    memset(&stored, 0, sizeof stored);
    if (found == STATUS_OK) {
        stored.price = reference->price;
        stored.error = reference->error;
        snprintf(stored.method, sizeof stored.method, "%s", reference->method);
    } else {
        snprintf(stored.why, sizeof stored.why, "%s", why->text);
    }
    size_t length = offsetof(struct stored_reference, why) + strlen(stored.why);
    return journal_store(journal, "reference", digest, &stored, length, failure);
}

enum status reference_or_recall(struct journal *journal, const struct market *market,
                                const struct trade *trade, uint64_t seed, const volatile int *stop,
                                struct reference *reference, struct message *why, struct message *failure)
{
    struct effort effort = effort_full(stop);
    enum status found = STATUS_OK, status = STATUS_OK;
    uint64_t digest = digest_of(trade, seed);
    struct stored_reference stored;
    void *content = NULL;
    size_t n;
    TRY(journal_recall(journal, "reference", digest, &content, &n, failure));
    if (content && n >= offsetof(struct stored_reference, why) && n < sizeof stored) {
        memset(&stored, 0, sizeof stored);
        memcpy(&stored, content, n);
        TRY(take_reference(journal, &stored, reference, why));
    } else {
        found = reference_price(market, trade, seed, &effort, reference, why);
        if (found != STATUS_OK && found != STATUS_FAILED) TRY(found);
        TRY(store_reference(journal, digest, found, reference, why, failure));
        status = found;
    }
done:
    free(content);
    return status;
}

/* ---- upper bounds ---------------------------------------------------------------------------------- */

enum status bound_or_recall(struct journal *journal, const struct plan *plan,
                            const struct upper_options *options, struct tally *uppers, struct message *why)
{
    enum status status = STATUS_OK;
    size_t n, size = sizeof *uppers * (size_t)plan->n_trades;
    uint64_t digest = digest_plan(plan);
    void *content = NULL;
    for (int i = 0; options->wanted && i < plan->n_trades; i++)
        digest = digest_integer(digest, options->wanted[i]);
    TRY(journal_recall(journal, "upper bounds", digest, &content, &n, why));
    if (content && n == size) {
        memcpy(uppers, content, size);
    } else {
        TRY(exercise_upper(plan, options, uppers));
        TRY(journal_store(journal, "upper bounds", digest, uppers, size, why));
        TRY(journal_write(journal, why));
    }
done:
    free(content);
    return status;
}
