/* The ways to a book through the door, and what a book states. */

#include <stdio.h>
#include <stdlib.h>

#include "app/api/handle.h"
#include "app/config/load_book.h"
#include "models/base/clock.h"

/* Tells all that is wrong with a book; what no book is read with is the message. */
static enum status notify_complaints(struct pricer *pricer, enum status status,
                                     const struct book *book, const struct complaints *complaints)
{
    pricer_notify_all(pricer, PRICER_NOTE_COMPLAINT, complaints);
    pricer_notify_all(pricer, PRICER_NOTE_REMARK, &book->notes);
    if (!status) return pricer_settle(pricer, (struct settings *)&book->settings);
    return pricer_say(pricer, status, complaints_reason(complaints));
}

enum pricer_status book_open(struct pricer *pricer, const struct book_input *input,
                             struct pricer_book **book)
{
    struct complaints complaints = {0};
    struct pricer_book *made = *book = calloc(1, sizeof *made);
    double began = seconds_now();
    pricer_begin(pricer);
    if (!made) return pricer_end(pricer, STATUS_NO_MEMORY);
    enum status status = book_read(input, &made->book, &complaints, &made->tree);
    status = notify_complaints(pricer, status, &made->book, &complaints);
    complaints_free(&complaints);
    made->pricer = pricer;
    made->seconds = seconds_now() - began;
    if (status) {
        pricer_book_free(made);
        *book = NULL;
    }
    return pricer_end(pricer, status);
}

/* Begins a call that reads a book, and refuses what it cannot be read from. */
static enum status begin_reading(struct pricer *pricer, const struct book_input *input,
                                 struct pricer_book **book)
{
    if (book) *book = NULL;
    MUST(pricer_begin_with(pricer, input->text ? "name book" : "path book", input->path, book));
    if (input->n_sets < 0) MUST(pricer_say(pricer, STATUS_BAD_INPUT, "n_sets must be 0 or more"));
    if (input->n_sets) MUST(pricer_begin_with(pricer, "sets", input->sets));
    for (int i = 0; i < input->n_sets; i++)
        MUST(pricer_begin_with(pricer, "sets[i]", input->sets[i]));
    return STATUS_OK;
}

enum pricer_status pricer_book_load(struct pricer *pricer, const char *path, int n_sets,
                                    const char *const *sets, struct pricer_book **book)
{
    const struct book_input input = {.path = path, .n_sets = n_sets, .sets = sets};
    enum status status = begin_reading(pricer, &input, book);
    return status ? (enum pricer_status)status : book_open(pricer, &input, book);
}

enum pricer_status pricer_book_read(struct pricer *pricer, const char *name, const char *text,
                                    int n_sets, const char *const *sets, struct pricer_book **book)
{
    const struct book_input input = {.path = name, .text = text, .n_sets = n_sets, .sets = sets};
    if (book) *book = NULL;
    enum status status = pricer_begin_with(pricer, "text", text);
    if (!status) status = begin_reading(pricer, &input, book);
    return status ? (enum pricer_status)status : book_open(pricer, &input, book);
}

void pricer_book_free(struct pricer_book *book)
{
    if (!book) return;
    book_tree_free(book->tree);
    book_free(&book->book);
    free(book);
}

enum pricer_status pricer_book_print(struct pricer *pricer, const char *name, const char *text,
                                     FILE *stream)
{
    if (pricer_begin_with(pricer, "name stream", name, stream)) return PRICER_BAD_INPUT;
    const struct book_input input = {.path = name, .text = text};
    struct complaints complaints = {0};
    enum status status = book_print_stated(&input, stream, &complaints);
    if (status == STATUS_BAD_INPUT) pricer_say(pricer, status, complaints_reason(&complaints));
    complaints_free(&complaints);
    return pricer_end(pricer, status);
}
