#include "models/scripts/library.h"

#include <stddef.h>
#include <string.h>

int script_library_size(void)
{
    return n_library_texts;
}

const char *script_library_name(int i)
{
    return library_texts[i].name;
}

const char *script_library_text(const char *name)
{
    for (int i = 0; i < n_library_texts; i++)
        if (strcmp(library_texts[i].name, name) == 0) return library_texts[i].text;
    return NULL;
}
