/* `pricer --bench BOOK.cfg`: every kernel of the engine timed on the plan of a book. */
#ifndef PRICER_APP_COMMAND_BENCH_BOOK_H
#define PRICER_APP_COMMAND_BENCH_BOOK_H

#include "app/command/options.h"
#include "app/api/pricer.h"

/* Has the handle plan what kernels are timed on: Philox paths, without control variates. */
void plan_for_bench(struct pricer *pricer);

/* Times the plan and writes what came out; *verdict is the exit status. STATUS_FILE and one line,
 * STATUS_NO_MEMORY, or what an engine returns. */
enum status bench_book(const struct options *options, struct pricer_results *results, int *verdict,
                       struct message *why);

#endif
