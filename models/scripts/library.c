#include "models/scripts/library.h"

#include <stddef.h>
#include <string.h>

const char *script_library_text(const char *name)
{
    for (int i = 0; i < n_library_scripts; i++)
        if (strcmp(library_scripts[i].name, name) == 0) return library_scripts[i].text;
    return NULL;
}
