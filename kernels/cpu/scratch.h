/* Working memory of one thread of the CPU engine. */
#ifndef PRICER_KERNELS_CPU_SCRATCH_H
#define PRICER_KERNELS_CPU_SCRATCH_H

#include "kernels/cpu/simulate.h"
#include "models/base/status.h"

/* Makes room for any group of the plan, and for the moves [group] that groups alike share (NULL:
 * none). STATUS_NO_MEMORY; scratch_free() after both. */
enum status scratch_make(const struct plan *plan, const struct shared_moves *shared,
                         struct path_scratch *scratch);

/* Makes room for one step of any group of the plan (lane_steps.h), as above. */
enum status scratch_make_step(const struct plan *plan, struct path_scratch *scratch);

void scratch_free(struct path_scratch *scratch);

#endif
