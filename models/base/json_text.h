/* Values as JSON (RFC 8259). Errors stay in the stream. */
#ifndef PRICER_MODELS_BASE_JSON_TEXT_H
#define PRICER_MODELS_BASE_JSON_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Writes a text in quotes; bytes that are no UTF-8 become the replacement character. */
void json_text(FILE *out, const char *text);

/* Writes a number, which reads back to the same bits; null where it is not finite. */
void json_number(FILE *out, double number);

/* Write the name of an object's next member, or all of it; *n counts them. */
void json_key(FILE *out, const char *name, int *n);
void json_text_member(FILE *out, const char *name, const char *text, int *n);
void json_number_member(FILE *out, const char *name, double number, int *n);
void json_count_member(FILE *out, const char *name, uint64_t count, int *n);

#endif
