#include "app/pricing/value/exercise/ranked_fits.h"

#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/base/ranked_list.h"
#include "models/observables/exercise.h"

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

static enum status make(void *context, int n, const int *which, struct bytes *made,
                        struct message *why)
{
    enum status status = STATUS_OK;
    const struct ranked_fits *fits = context;
    bool *wanted = calloc((size_t)fits->n + 1, sizeof *wanted);
    if (!wanted) TRY(STATUS_NO_MEMORY);
    for (int p = 0; p < n; p++) wanted[which[p]] = true;
    TRY(fits->fit(fits->context, fits->n, wanted, why));
    for (int p = 0; p < n; p++) TRY(pass_numbers(fits, which[p], false, made));
done:
    free(wanted);
    return status;
}

static enum status take(void *context, int i, struct bytes *made, struct message *why)
{
    (void)why;
    return pass_numbers(context, i, true, made);
}

static enum status pass_all(const struct ranked_fits *fits, bool in, struct bytes *bytes)
{
    enum status status = STATUS_OK;
    for (int i = 0; !status && i < fits->n; i++) status = pass_numbers(fits, i, in, bytes);
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

static enum status share(const struct ranked_fits *fits, int n, const int *which,
                         struct message *why)
{
    const struct ranked_list list = {.ranks = fits->ranks,
                                     .key = digest_text(fits->key, "policies"),
                                     .n = n,
                                     .which = which,
                                     .least = fits->least,
                                     .most = (uint64_t)fits->n,
                                     .last = !which,
                                     .stop = fits->stop,
                                     .context = (void *)fits,
                                     .make = make,
                                     .take = take,
                                     .tell = tell,
                                     .hear = hear};
    return ranked_list_share(&list, why);
}

enum status ranked_fits_make(const struct ranked_fits *fits, int n, const int *which,
                             struct message *why)
{
    return share(fits, n, which, why);
}

enum status ranked_fits_tell(const struct ranked_fits *fits, struct message *why)
{
    return share(fits, 0, NULL, why);
}
