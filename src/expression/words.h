/* The words that every expression knows: functions, and constants such as pi. */
#ifndef SARI_WORDS_H
#define SARI_WORDS_H

#include "expression/table.h"

#include <stdbool.h>
#include <stddef.h>

/// The operation (sari_op) of this name; -1: none.
int sari_find_function(const char* name, size_t length);

/// A constant that is always known, a plain number.
bool sari_find_known(const char* name, size_t length, double* constant);

/// The function or table that `word` may be a typo or another language's name of, or NULL.
const char* sari_suggest_function(const sari_table_list* tables, const char* word);

#endif
