/* What readers of models need to know of imports. */
#ifndef SARI_IMPORT_IMPORT_H
#define SARI_IMPORT_IMPORT_H

#include "sarrus/import.h"

/// Begins as XML does: with '<', after blanks and a byte order mark.
int sari_import_begins(const char* text, size_t length);

#endif
