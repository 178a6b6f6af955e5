#include "validation/tests/watched_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "validation/tests/load_book_file.h"

#define ON_DATES " = [0.25, 0.5, 0.75, 1.0];"
#define ONE "asset = \"A\"; "
#define TWO "assets = [\"A\", \"B\"]; "

/* Products, each of which is made at levels 1 to LEVELS: %d. An asian on all dates stands beside
 * those that would see fewer. */
static const char *const products[] = {
    ONE "type = \"asian\"; option = \"call\"; averaging = \"arithmetic\"; strike_type = \"fixed\"; "
        "strike = 10%d.0; fixing_times" ON_DATES,
    ONE
    "type = \"asian\"; option = \"put\"; averaging = \"geometric\"; strike_type = \"floating\"; "
    "fixing_times = [0.0%d, 0.25, 0.5, 0.75, 1.0];",
    ONE "type = \"lookback\"; option = \"call\"; strike_type = \"fixed\"; strike = 10%d.0; "
        "monitoring" ON_DATES,
    ONE "type = \"lookback\"; option = \"call\"; strike_type = \"floating\"; "
        "monitoring = [0.0%d, 0.25, 0.5, 0.75, 1.0];",
    ONE "type = \"lookback\"; option = \"put\"; strike_type = \"fixed\"; strike = 9%d.0; "
        "monitoring = \"continuous\";",
    ONE "type = \"lookback\"; option = \"call\"; strike_type = \"fixed\"; strike = 10%d.0; "
        "monitoring = \"continuous\";",
    ONE
    "type = \"barrier\"; option = \"call\"; strike = 100.0; barrier = 8%d.0; direction = \"down\"; "
    "knock = \"out\"; rebate = 5.0; monitoring" ON_DATES,
    ONE
    "type = \"barrier\"; option = \"put\"; strike = 100.0; barrier = 11%d.0; direction = \"up\"; "
    "knock = \"in\"; monitoring" ON_DATES,
    ONE
    "type = \"barrier\"; option = \"put\"; strike = 100.0; barrier = 12%d.0; direction = \"up\"; "
    "knock = \"out\"; rebate = 2.0; monitoring = \"continuous\";",
    ONE
    "type = \"double_barrier\"; option = \"call\"; strike = 100.0; lower = 7%d.0; upper = 150.0; "
    "knock = \"out\"; monitoring = \"continuous\";",
    ONE
    "type = \"touch\"; touch = \"one\"; barrier = 8%d.0; direction = \"down\"; pay_at = \"hit\"; "
    "monitoring" ON_DATES,
    ONE "type = \"touch\"; touch = \"one\"; lower = 7%d.0; upper = 150.0; pay_at = \"hit\"; "
        "monitoring = \"continuous\";",
    ONE "type = \"variance_swap\"; strike_volatility = 0.2; notional = 1e4; "
        "fixing_times = [0.0%d, 0.25, 0.5, 0.75, 1.0];",
    ONE "type = \"cliquet\"; reset_times = [0.0, 0.25, 0.5, 0.75]; local_cap = 0.0%d5; notional = "
        "100.0;",
    TWO "type = \"basket\"; kind = \"average\"; option = \"call\"; weights = [0.%d, 0.5]; strike = "
        "100.0;",
    TWO "type = \"basket\"; kind = \"geometric\"; option = \"call\"; weights = [0.%d, 0.5]; strike "
        "= 100.0;",
    TWO "type = \"basket\"; kind = \"best_of\"; option = \"call\"; weights = [1.%d, 1.0]; strike = "
        "100.0;",
    TWO "type = \"basket\"; kind = \"worst_of\"; option = \"put\"; weights = [1.%d, 1.0]; strike = "
        "100.0;",
    TWO "type = \"autocallable\"; notional = 100.0; observation_times" ON_DATES
        " call_level = 1.0%d; coupon = 0.03; protection_level = 0.7; initial = [100.0, 9%d.0];",
    TWO "type = \"autocallable\"; notional = 100.0; observation_times" ON_DATES
        " call_level = 1.0%d; coupon = 0.03; protection_level = 0.7; coupon_level = 0.8; memory = "
        "true; "
        "initial = [9%d.0, 100.0];",
    ONE "type = \"forward_start\"; option = \"call\"; start = 0.25; strike_ratio = 1.0%d;",
};
/* Numbers of products that together see all dates. */
enum { AVERAGES = 1, MOMENTS = 4, NOTES = 18 };
enum { PRODUCTS = sizeof products / sizeof *products, LEVELS = WATCHED_TRADES / PRODUCTS };
_Static_assert(LEVELS *PRODUCTS == WATCHED_TRADES, "each product at as many levels");

static const char known[] = "volatility = 0.25;",
                  heston[] = "model = \"heston\"; heston = { v0 = 0.06; kappa = 2.0; theta = 0.06; "
                             "xi = 0.4; rho = -0.6; };";

static void write_book(bool clocked, FILE *to)
{
    fprintf(to,
            "settings = { paths = 4096; max_step = 0.5; };\n"
            "market = { currencies = ( { name = \"USD\"; rate = 0.03; } );\n"
            "  assets = ( { name = \"A\"; currency = \"USD\"; spot = 100.0; "
            "dividend_yield = 0.01; %s },\n",
            clocked ? heston : known);
    fputs(
        "    { name = \"B\"; currency = \"USD\"; spot = 100.0; dividend_yield = 0.02; volatility = "
        "0.35; } );\n"
        "  correlations = ( { assets = [\"A\", \"B\"]; value = 0.4; } ); };\nbook = { trades = "
        "(\n",
        to);
    for (int i = 0; i < WATCHED_TRADES; i++) {
        const int level = 1 + i % LEVELS;
        fprintf(to, "%s{ id = \"T%d\"; expiry = 1.0; ", i ? ",\n" : "", i);
        fprintf(to, products[i / LEVELS], level, level);
        fputs(" }", to);
    }
    fputs(" ); };\n", to);
}

void watched_book_load(bool clocked, struct book *book)
{
    char *text = NULL;
    size_t length;
    struct complaints complaints = {0};
    FILE *file = open_memstream(&text, &length);
    if (!file) abort();
    write_book(clocked, file);
    if (fclose(file) || book_load_text(text, book, &complaints)) {
        for (int i = 0; i < complaints.n; i++) fprintf(stderr, "%s\n", complaints.list[i].line);
        abort();
    }
    free(text);
    if (book->n_trades != WATCHED_TRADES) abort();
}

bool watched_keeps_dates(int trade)
{
    const int product = trade / LEVELS;
    return product == AVERAGES || ((product == MOMENTS || product == NOTES) && trade % LEVELS == 0);
}
