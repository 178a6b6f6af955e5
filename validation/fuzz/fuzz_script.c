/* The reader of scripts on any bytes. */
#include "validation/fuzz/fuzz.h"
#include "validation/fuzz/script_promises.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    script_must_hold((const char *)bytes, length);
    return 0;
}
