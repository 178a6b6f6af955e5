#include "kernels/cuda/guide_place.h"

enum status cuda_guide(const struct engine_options *options, struct engine_guide *guide, struct message *why)
{
    enum status status = STATUS_OK;
    struct guide_room place = {.options = options, .guide = guide};
    guide->n = 0;
    TRY(measure_begin(options, why));
    TRY(guide_prepare(&place, why));
    TRY(guide_copies(&place, why));
    TRY(guide_coefficients(&place, why));
    TRY(guide_batches(&place, why));
done:
    guide_release(&place);
    return status;
}
