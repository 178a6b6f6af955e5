/* The loader on any bytes as a book. */
#include "validation/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_write("book.cfg", bytes, length);
    fuzz_load();
    return 0;
}
