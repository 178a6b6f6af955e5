/* Printable text, in UTF-8. */
#ifndef PRICER_MODELS_BASE_TEXT_H
#define PRICER_MODELS_BASE_TEXT_H

enum { NAME_CHARACTERS = 64, NAME_BYTES = 4 * NAME_CHARACTERS }; /* of a name in a book, at most */

/* Returns the number of bytes of the UTF-8 character at `text`, and its code point, whatever it is;
 * 0 where it is none (overlong forms and surrogates are none), and at the end. */
int text_decode(const char *text, unsigned *point);

/* Returns the number of bytes of the UTF-8 character that begins at `text`; 0 where it is none,
 * where it is one that nobody sees or that moves the others (control, format, direction, no width,
 * line end), or at the end. */
int text_character(const char *text);

/* Returns the number of bytes of the first `most` characters of a text, or of all where it has
 * fewer; a byte that is part of none counts as one. For "%.*s". */
int text_bytes(const char *text, int most);

/* Returns where in a text the first thing is that is no printable character; NULL where there is
 * none. */
const char *text_fault(const char *text);

/* What is there, as "U+202E" or "byte 0xFC". */
enum { TEXT_FAULT_ROOM = 16 };
const char *text_name_fault(const char *fault, char name[TEXT_FAULT_ROOM]);

/* Returns a text as printf prints it; NULL without memory. The caller frees. */
char *text_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
