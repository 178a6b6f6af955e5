#include "app/pricing/value/stored_check.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/digest.h"

/* ---- references ------------------------------------------------------------------------------ */

/* A reference as it is stored; one that failed has no method, but a reason. */
struct stored_reference {
    struct known_reference found;
    char why[sizeof((struct message *)0)->text];
};

static uint64_t digest_of(const struct trade *trade, uint64_t seed)
{
    return digest_text(digest_integer(DIGEST_BEGIN, seed), trade->id);
}

static enum status take_reference(const struct stored_reference *stored,
                                  struct known_reference *reference, struct message *why)
{
    *reference = stored->found;
    if (stored->found.method[0]) return STATUS_OK;
    snprintf(why->text, sizeof why->text, "%s", stored->why);
    return STATUS_FAILED;
}

/* The bytes of a text are stored to its end and no further: the rest is zero. */
enum status reference_keep(const struct store *store, const struct trade *trade, uint64_t seed,
                           const struct known_reference *reference, const struct message *why,
                           struct message *failure)
{
    struct stored_reference stored;
    memset(&stored, 0, sizeof stored);
    if (reference->method[0]) stored.found = *reference;
    else snprintf(stored.why, sizeof stored.why, "%s", why->text);
    size_t length = offsetof(struct stored_reference, why) + strlen(stored.why);
    return store_keep(store, "reference", digest_of(trade, seed), &stored, length, failure);
}

/* Says of whose reference the machine had too little memory: less than every reference may take. */
static void name_trade(const struct trade *trade, struct message *why)
{
    snprintf(why->text, sizeof why->text, "%s:%d: trade '%s': not enough memory for its reference",
             trade->file ? trade->file : "book", trade->line, trade->id);
}

enum status reference_make(const struct market *market, const struct trade *trade, uint64_t seed,
                           const struct stop *stop, struct known_reference *reference,
                           struct message *why)
{
    struct effort effort = effort_full(stop);
    struct reference made;
    enum status status = reference_price(market, trade, seed, &effort, &made, why);
    memset(reference, 0, sizeof *reference);
    if (status == STATUS_NO_MEMORY) name_trade(trade, why);
    if (status) return status;
    reference->price = made.price;
    reference->error = made.error;
    snprintf(reference->method, sizeof reference->method, "%s", made.method);
    return STATUS_OK;
}

enum status reference_recall(const struct store *store, const struct trade *trade, uint64_t seed,
                             struct known_reference *reference, bool *there, struct message *why,
                             struct message *failure)
{
    enum status status = STATUS_OK;
    struct stored_reference stored;
    void *content = NULL;
    size_t n;
    TRY(store_recall(store, "reference", digest_of(trade, seed), &content, &n, failure));
    *there = content && n >= offsetof(struct stored_reference, why) && n < sizeof stored;
    if (*there) {
        memset(&stored, 0, sizeof stored);
        memcpy(&stored, content, n);
        TRY(take_reference(&stored, reference, why));
    }
done:
    free(content);
    return status;
}

enum status reference_or_recall(const struct store *store, const struct market *market,
                                const struct trade *trade, uint64_t seed, const struct stop *stop,
                                struct known_reference *reference, struct message *why,
                                struct message *failure)
{
    enum status status = STATUS_OK;
    bool there = false;
    TRY(reference_recall(store, trade, seed, reference, &there, why, failure));
    if (there) goto done;
    enum status found = reference_make(market, trade, seed, stop, reference, why);
    if (found != STATUS_OK && found != STATUS_FAILED) {
        *failure = *why;
        TRY(found);
    }
    TRY(reference_keep(store, trade, seed, reference, why, failure));
    status = found;
done:
    return status;
}

/* ---- upper bounds ---------------------------------------------------------------------------- */

enum status bound_nothing(const struct plan *plan, const struct upper_options *options,
                          struct tally *uppers)
{
    enum status status = STATUS_OK;
    struct upper_options none = *options;
    bool *wanted = calloc((size_t)plan->n_trades + 1, sizeof *wanted);
    none.wanted = wanted;
    if (!wanted) TRY(STATUS_NO_MEMORY);
    if (options->ranks) TRY(exercise_upper(plan, &none, uppers));
done:
    free(wanted);
    return status;
}

enum status bound_or_recall(const struct store *store, const struct plan *plan,
                            const struct upper_options *options, struct tally *uppers,
                            struct message *why)
{
    enum status status = STATUS_OK;
    size_t n, size = sizeof *uppers * (size_t)plan->n_trades;
    uint64_t digest = digest_plan(plan);
    void *content = NULL;
    for (int i = 0; options->wanted && i < plan->n_trades; i++)
        digest = digest_integer(digest, options->wanted[i]);
    TRY(store_recall(store, "upper bounds", digest, &content, &n, why));
    if (content && n == size) {
        TRY(bound_nothing(plan, options, uppers));
        memcpy(uppers, content, size);
    } else {
        TRY(exercise_upper(plan, options, uppers));
        TRY(store_keep(store, "upper bounds", digest, uppers, size, why));
        TRY(store_flush(store, why));
    }
done:
    free(content);
    return status;
}
