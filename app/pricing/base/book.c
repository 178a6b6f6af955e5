#include "app/pricing/base/book.h"

#include <stdlib.h>

static void scenario_requests_free(int n, struct scenario_request *requests)
{
    for (int i = 0; requests && i < n; i++) {
        free(requests[i].name);
        free(requests[i].shocks);
    }
    free(requests);
}

void book_free(struct book *book)
{
    for (int i = 0; i < book->n_trades; i++) trade_free(&book->trades[i]);
    for (int i = 0; i < book->n_unpriced; i++) {
        free(book->unpriced[i].message);
        trade_free(&book->unpriced[i].trade);
    }
    free(book->unpriced);
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
    scenario_requests_free(book->risk.n_scenarios, book->risk.scenarios);
    scenario_requests_free(book->risk.n_days, book->risk.days);
    complaints_free(&book->notes);
    *book = (struct book){0};
}
