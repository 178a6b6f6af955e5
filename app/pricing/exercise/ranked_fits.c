#include "app/pricing/exercise/ranked_fits.h"

#include <stdlib.h>
#include <string.h>

#include "app/pricing/digest.h"
#include "models/observables/exercise.h"

/* Some fits under way. */
struct asked_fits {
    const struct ranked_fits *fits;
    int n, *asked; /* [n] which: the leader's */
};

void policy_numbers(const struct plan *plan, const struct exercise *exercise, bool back,
                    float *numbers)
{
    float *table = plan->groups[exercise->group].lookup.table;
    size_t n = exercise_numbers(exercise);
    for (int d = 0; d < exercise->n_dates; d++, numbers += n) {
        float *at = table + (int)exercise->dates[d]->c[5];
        memcpy(back ? at : numbers, back ? numbers : at, n * sizeof *at);
    }
}

/* Adds the numbers of an exercise to the bytes, or reads them into the plan. */
static enum status pass_numbers(const struct ranked_fits *fits, int i, bool in, struct bytes *bytes)
{
    const struct exercise *exercise = &fits->exercises[i];
    size_t n = size_of_policy(exercise) * sizeof(float);
    float *numbers = malloc(n + 1);
    enum status status = numbers ? STATUS_OK : STATUS_NO_MEMORY;
    if (!status && in && !bytes_read(bytes, numbers, n)) status = STATUS_FAILED;
    if (!status) policy_numbers(fits->plan, exercise, in, numbers);
    if (!status && !in) status = bytes_add(bytes, numbers, n);
    free(numbers);
    return status;
}

static enum status describe(void *context, uint64_t first, uint64_t end, struct bytes *told)
{
    const struct asked_fits *some = context;
    return bytes_add(told, some->asked + first, sizeof(int) * (size_t)(end - first));
}

static enum status make(void *context, struct bytes *told, struct bytes *made, struct message *why)
{
    enum status status = STATUS_OK;
    const struct ranked_fits *fits = ((const struct asked_fits *)context)->fits;
    bool *wanted = calloc((size_t)fits->n + 1, sizeof *wanted);
    if (!wanted) TRY(STATUS_NO_MEMORY);
    for (int i; bytes_read(told, &i, sizeof i);)
        if (i >= 0 && i < fits->n) wanted[i] = true;
    TRY(fits->fit(fits->context, fits->n, wanted, why));
    for (int i = 0; i < fits->n; i++)
        if (wanted[i]) TRY(pass_numbers(fits, i, false, made));
done:
    free(wanted);
    return status;
}

static enum status take(void *context, uint64_t first, uint64_t end, struct bytes *made,
                        struct message *why)
{
    const struct asked_fits *some = context;
    enum status status = STATUS_OK;
    (void)why;
    for (uint64_t p = first; !status && p < end; p++)
        status = pass_numbers(some->fits, some->asked[p], true, made);
    return status;
}

static enum status pass_all(const struct asked_fits *some, bool in, struct bytes *bytes)
{
    enum status status = STATUS_OK;
    for (int i = 0; !status && i < some->fits->n; i++)
        status = pass_numbers(some->fits, i, in, bytes);
    return status;
}

static enum status tell(void *context, struct bytes *result)
{
    return pass_all(context, false, result);
}

static enum status hear(void *context, struct bytes *result)
{
    return pass_all(context, true, result);
}

static enum status share(struct asked_fits *some, bool last, struct message *why)
{
    const struct ranked_fits *fits = some->fits;
    const struct ranks_job job = {.work = WORK_POLICIES,
                                  .key = digest_text(fits->key, "policies"),
                                  .at_once = 1,
                                  .n = (uint64_t)some->n,
                                  .cost = 1.0,
                                  .least = 1,
                                  .most = fits->most,
                                  .last = last,
                                  .everywhere = true,
                                  .stop = fits->stop,
                                  .context = some,
                                  .describe = describe,
                                  .make = make,
                                  .take = take,
                                  .tell = tell,
                                  .hear = hear};
    return fits->ranks->share(fits->ranks->context, &job, why);
}

enum status ranked_fits_make(const struct ranked_fits *fits, const bool *wanted,
                             struct message *why)
{
    struct asked_fits some = {.fits = fits, .asked = malloc(((size_t)fits->n + 1) * sizeof(int))};
    if (!some.asked) return STATUS_NO_MEMORY;
    for (int i = 0; i < fits->n; i++)
        if (wanted[i]) some.asked[some.n++] = i;
    enum status status = share(&some, false, why);
    free(some.asked);
    return status;
}

enum status ranked_fits_tell(const struct ranked_fits *fits, struct message *why)
{
    struct asked_fits none = {.fits = fits};
    return share(&none, true, why);
}
