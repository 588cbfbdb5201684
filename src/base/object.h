/* Objects of methods: formulations, integrators, linear solvers. The first member is an arena, from
 * which an object and its parts take their memory. Its owner allocates it, zeroed, of the size that
 * the table of its functions names; `create` fills it, and may stop at any point: what was not had
 * is searched for once, afterwards, and `clear` finds zeros where nothing was made. */
#ifndef SARI_OBJECT_H
#define SARI_OBJECT_H

#include "base/arena.h"
#include "sarrus/base.h"

/// Size of a type, whose first member is its arena.
#define SARI_OBJECT(type, arena) (sizeof(type) / (offsetof(type, arena) == 0))

/// What came of a creation that ended with `st` and said `told`, which goes to `error` (may be NULL):
/// SAR_E_NOMEM where memory was missed, with a message of the object's name where there is none.
sar_status sari_object_outcome(const void* object, sar_status st, const char* name,
                               const sar_error* told, sar_error* error);

/// The end of it and of all that it took. NULL: nothing happens.
void sari_object_destroy(void* object);

#endif
