/* Printable text. */
#ifndef PRICER_APP_CONFIG_TEXT_H
#define PRICER_APP_CONFIG_TEXT_H

/* Bytes of the UTF-8 character that begins at `text`, 0 where it is none, is a control character, or at the
 * end. */
int text_character(const char *text);

#endif
