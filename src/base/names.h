/* Lists of names in messages: "a, b, c, ...". */
#ifndef SARI_NAMES_H
#define SARI_NAMES_H

#include <stddef.h>

/// One name more, unless it is the last one of the list already; where there is no room for it,
/// "..." ends the list. `size`: of the list's memory.
void sari_add_name(char* list, size_t size, const char* name);

#endif
