/* The journal of a run: what was computed is in the database before the next piece is begun, so that a run
 * which was cut off at any moment can be finished without computing it again.
 *
 * A piece is named by its kind and by a digest of all that decides its content. Pieces are gathered and
 * written in one transaction about every second, and at the end of each section of the book. They are gone
 * when the run is complete. A journal that is NULL or not on ({0}) remembers nothing: what is asked of it is
 * computed. */
#ifndef PRICER_APP_DATABASE_JOURNAL_H
#define PRICER_APP_DATABASE_JOURNAL_H

#include <pthread.h>

#include "app/database/runs.h"
#include "kernels/engine.h"

struct piece;

enum { PIECE_KIND = 64 }; /* room for the name of a kind */

struct journal {
    bool on;
    struct database database;
    struct run_row row;
    double first_steps;   /* path-steps of the first section; 0: a guess */
    pthread_mutex_t lock; /* of all below: recall and store may be called from any thread */
    int n_pieces, room;
    struct piece *pieces; /* [n_pieces] not yet written */
    double written;       /* when pieces were written last, of seconds_now() */
    int n_texts;
    char **texts; /* [n_texts] of journal_text */
};

/* Begins a new run in the database at `path`, which is made where there is none. STATUS_FILE and one line,
 * STATUS_NO_MEMORY. End with journal_close in any case, as the next. */
enum status journal_begin(const char *path, const struct manifest *manifest, const struct market *market,
                          uint64_t identity, struct journal *journal, struct message *why);

/* Goes on with the unfinished run of that identity. Where it is complete, `row` says so and the journal stays
 * off. STATUS_BAD_INPUT and one line where there is no such run. */
enum status journal_resume(const char *path, uint64_t identity, struct journal *journal, struct message *why);

/* Writes the results, drops the pieces and marks the run as complete, all in one transaction. */
enum status journal_finish(struct journal *journal, const struct results *results, int exit_status,
                           struct message *why);

void journal_close(struct journal *journal);

/* ---- pieces ---- */

/* Content of a piece that was stored, before the program began: *content, which the caller frees, NULL where
 * there is none or where it is damaged. STATUS_FILE, STATUS_NO_MEMORY. */
enum status journal_recall(struct journal *journal, const char *kind, uint64_t digest, void **content,
                           size_t *n, struct message *why);

/* Keeps a copy of the content, and writes all that is kept where the last time is a second ago. */
enum status journal_store(struct journal *journal, const char *kind, uint64_t digest, const void *content,
                          size_t n, struct message *why);

/* Writes all that is kept. */
enum status journal_write(struct journal *journal, struct message *why);

/* A copy of a text that lives as long as the journal; NULL without memory. */
const char *journal_text(struct journal *journal, const char *text);

/* ---- the engine's work ---- */

/* The same as engine->price, to the bit; with a journal the plan's groups are priced section by section,
 * about a second of work each (a few on a GPU), and those that are stored are not priced again. The report
 * adds the sections up. */
enum status journal_price(struct journal *journal, const struct engine *engine, const struct plan *plan,
                          const struct engine_options *options, struct tally *tallies, double *totals,
                          struct engine_report *report, struct message *why);

#endif
