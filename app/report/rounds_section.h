/* The path of a trade's convergence: what it had come to after each round. */
#ifndef PRICER_APP_REPORT_ROUNDS_SECTION_H
#define PRICER_APP_REPORT_ROUNDS_SECTION_H

#include <stdio.h>

#include "app/output/results.h"
#include "models/base/status.h"

/* The rounds of a log by trade. */
struct round_index {
    const struct round_log *log;
    int *first;    /* [trade] into `order`, one more behind the last; owned, as the next two */
    int *order;    /* indices into the log */
    int *trade_of; /* [row] -1 of a row that was not priced */
};

/* Makes it; free with round_index_free, whatever is returned. STATUS_NO_MEMORY. */
enum status round_index_make(const struct results *results, struct round_index *index);
void round_index_free(struct round_index *index);

/* Writes the rounds of a row, where there were several. */
void write_rounds(FILE *out, const struct results *results, const struct round_index *index,
                  int row);

#endif
