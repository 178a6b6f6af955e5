/* The door's two ways to a book. */
#include <stdlib.h>

#include "app/config/load_book.h"
#include "app/pricing/handle.h"
#include "models/base/clock.h"

/* Tells all that is wrong with a book; the first of it is the message. */
static enum status tell(struct pricer *pricer, enum status status, const struct book *book,
                        const struct complaints *complaints)
{
    char lost[64];
    pricer_tell_all(pricer, PRICER_NOTE_COMPLAINT, complaints);
    snprintf(lost, sizeof lost, "pricer: no memory for %d more complaints", complaints->lost);
    if (complaints->lost) pricer_tell(pricer, PRICER_NOTE_COMPLAINT, lost);
    pricer_tell_all(pricer, PRICER_NOTE_REMARK, &book->notes);
    if (!status) return pricer_settle(pricer, (struct settings *)&book->settings);
    return pricer_say(pricer, status, complaints->n ? complaints->list[0].line : "");
}

enum pricer_status pricer_book_read(struct pricer *pricer, const char *name, const char *text,
                                    int n_sets, const char *const *sets, struct pricer_book **book)
{
    struct complaints complaints = {0};
    struct pricer_book *made = *book = calloc(1, sizeof *made);
    double began = seconds_now();
    pricer_begin(pricer);
    if (!made) return pricer_end(pricer, STATUS_NO_MEMORY);
    enum status status = book_read(name, text, n_sets, sets, &made->book, &complaints);
    status = tell(pricer, status, &made->book, &complaints);
    complaints_free(&complaints);
    made->seconds = seconds_now() - began;
    if (status) {
        pricer_book_free(made);
        *book = NULL;
    }
    return pricer_end(pricer, status);
}

enum pricer_status pricer_book_load(struct pricer *pricer, const char *path, int n_sets,
                                    const char *const *sets, struct pricer_book **book)
{
    return pricer_book_read(pricer, path, NULL, n_sets, sets, book);
}
