/* Opens a book for a handle. */
#ifndef PRICER_APP_API_OPEN_BOOK_H
#define PRICER_APP_API_OPEN_BOOK_H

#include "app/api/pricer.h"
#include "app/config/load_book.h"

/* Reads a book for a handle: complaints and remarks are told, and the first complaint is the
 * message. */
enum pricer_status book_open(struct pricer *pricer, const struct book_input *input,
                             struct pricer_book **book);

#endif
