/* The reader of CSV files on any bytes as the trades of a good book. */
#include <string.h>

#include "validation/fuzz/fuzz.h"

static const char book[] =
    "valuation_date = \"2026-11-20\"; market = { currencies = ( { name = \"EUR\"; rate = 0.02; },\n"
    "{ name = \"USD\"; rate = 0.03; } ); assets = (\n"
    "{ name = \"IDX\"; currency = \"EUR\"; spot = 100; volatility = 0.2; },\n"
    "{ name = \"ACME\"; currency = \"EUR\"; spot = 50; volatility = 0.3; },\n"
    "{ name = \"EURUSD\"; currency = \"USD\"; foreign_currency = \"EUR\"; spot = 1.1; volatility = "
    "0.1; } ); "
    "};\n"
    "book = { trades_file = \"t.csv\"; };\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_write("book.cfg", book, strlen(book));
    fuzz_write("t.csv", bytes, length);
    fuzz_load();
    return 0;
}
