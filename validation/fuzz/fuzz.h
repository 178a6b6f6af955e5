/* What the fuzz targets share: an input becomes a file of a folder of its own, and the folder's
 * book is loaded. */
#ifndef PRICER_VALIDATION_FUZZ_FUZZ_H
#define PRICER_VALIDATION_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The entry that libFuzzer, or replay.c, calls for each input. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Writes a file of the folder. Ends the process where that fails. */
void fuzz_write(const char *name, const void *bytes, size_t length);

/* Loads the folder's book.cfg. Ends the process where what the loader promises does not hold:
 * complaints exactly where a book is refused, each of them one printable line, and nothing left in
 * a book that was. */
void fuzz_load(void);

#endif
