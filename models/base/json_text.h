/* Values as JSON (RFC 8259). Errors stay in the stream. */
#ifndef PRICER_MODELS_BASE_JSON_TEXT_H
#define PRICER_MODELS_BASE_JSON_TEXT_H

#include <stdio.h>

/* Writes a text in quotes; bytes that are no UTF-8 become the replacement character. */
void json_text(FILE *out, const char *text);

/* Writes a number, which reads back to the same bits; null where it is not finite. */
void json_number(FILE *out, double number);

/* Writes the name of an object's next member; *n counts them. */
void json_key(FILE *out, const char *name, int *n);

/* Writes JSON with values in it as printf does: ' is a quotation mark, %s a text, %g a number, %d
 * and %lu whole numbers, %lx a digest of 16 hexadecimal digits. */
__attribute__((format(printf, 2, 3))) void json_print(FILE *out, const char *format, ...);

#endif
