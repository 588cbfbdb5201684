#include "base/names.h"

#include <stdio.h>
#include <string.h>

static const char* last_of(const char* list)
{
    const char* last = list;
    for (const char* at = list; (at = strstr(at, ", ")); last = at) at += 2;
    return last;
}

void sari_add_name(char* list, size_t size, const char* name)
{
    const size_t used = strlen(list), end = sizeof ", ...";
    const char* last = last_of(list);
    if (strcmp(last, "...") == 0 || (used && strcmp(last, name) == 0)) return;
    if (used + strlen(name) + 2 + end <= size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used + end <= size)
        snprintf(list + used, size - used, "%s...", used ? ", " : "");
}
