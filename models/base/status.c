#include "models/base/status.h"

#include <stdarg.h>
#include <stdio.h>

enum status say_why(enum status status, struct message *why, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(why->text, sizeof why->text, format, values);
    va_end(values);
    return status;
}
