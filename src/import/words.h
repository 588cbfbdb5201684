/* Names that a model may have: letters, digits and _, each once. */
#ifndef SARI_IMPORT_WORDS_H
#define SARI_IMPORT_WORDS_H

#include "import/importer.h"

/// A word that no other element has, made of `name` and, if that is taken or no word, of `name` with `ending`.
const char* sari_import_word(sari_importer* im, const char* name, const char* ending);

#endif
