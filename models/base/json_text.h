/* Values as JSON (RFC 8259). Errors stay in the stream. */
#ifndef PRICER_MODELS_BASE_JSON_TEXT_H
#define PRICER_MODELS_BASE_JSON_TEXT_H

#include <stdio.h>

/* Writes a text in quotes; bytes that are no UTF-8 become the replacement character. */
void json_text(FILE *out, const char *text);

/* Writes a number, which reads back to the same bits; null where it is not finite. */
void json_number(FILE *out, double number);

#endif
