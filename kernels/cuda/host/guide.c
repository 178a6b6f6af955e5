#include "kernels/cuda/host/guide_setup.h"

enum status cuda_guide(const struct engine_options *options, struct engine_guide *guide,
                       struct message *why)
{
    enum status status = STATUS_OK;
    struct guide_setup setup = {.options = options, .guide = guide};
    guide->n = 0;
    TRY(use_first_device(options, why));
    TRY(guide_prepare(&setup, why));
    TRY(guide_copies(&setup, why));
    TRY(guide_coefficients(&setup, why));
    TRY(guide_batches(&setup, why));
done:
    guide_release(&setup);
    return status;
}
