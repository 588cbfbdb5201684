/* In which order parameters are read: each after those that its expression uses. */
#ifndef SARI_PARAMETER_ORDER_H
#define SARI_PARAMETER_ORDER_H

#include "input/reader.h"

/// `order` gets the entries of the map `parameters`, in the order of the file as far as possible. An
/// entry that depends on itself is reported and marked in `cyclic`; both have room for all entries.
/// `text_of` gives the expression of an entry, NULL if it has none. False when out of memory.
bool sari_parameter_order(sari_reader* r, const sari_node* map,
                          const char* (*text_of)(sari_reader*, const sari_node* map, int entry),
                          int* order, bool* cyclic);

#endif
