/* Names that a model may have: letters, digits and _, each once. */
#ifndef SARI_IMPORT_WORDS_H
#define SARI_IMPORT_WORDS_H

#include "import/importer.h"

/// A word that no other element has, made of `name` and, if that is taken or no word, of `name` with `ending`.
const char* sari_import_word(sari_importer* im, const char* name, const char* ending);

/// The names of the point that belongs to an element, and of the output that shows it.
const char* sari_import_point_word(sari_importer* im, const char* word);
const char* sari_import_output_word(sari_importer* im, const char* word);

#endif
