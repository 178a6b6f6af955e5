#include "app/pricing/base/book.h"

#include <stdlib.h>

void unpriced_trades_free(int n, struct unpriced_trade *unpriced)
{
    for (int i = 0; i < n; i++) {
        free(unpriced[i].message);
        trade_free(&unpriced[i].trade);
    }
    free(unpriced);
}

void book_free(struct book *book)
{
    for (int i = 0; i < book->n_trades; i++) trade_free(&book->trades[i]);
    unpriced_trades_free(book->n_unpriced, book->unpriced);
    for (int i = 0; i < book->n_scripts; i++) {
        script_free(book->scripts[i]);
        free(book->scripts[i]);
    }
    free(book->scripts);
    for (int i = 0; i < book->n_files; i++) free(book->files[i]);
    free(book->trades);
    free(book->files);
    free(book->name);
    market_free(&book->market);
    risk_request_free(&book->risk);
    complaints_free(&book->notes);
    *book = (struct book){0};
}
