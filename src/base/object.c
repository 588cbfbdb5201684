#include "base/object.h"

#include "base/memory.h"
#include "base/status.h"

sar_status sari_object_outcome(const void* object, sar_status st, const char* name,
                               const sar_error* said, sar_error* error)
{
    if (!object || (st == SAR_OK && ((const sari_arena*)object)->failed)) st = SAR_E_NOMEM;
    if (st == SAR_OK) return st;
    if (!said->message[0]) return sari_fail(error, st, NULL, "%s: %s", name, sar_status_text(st));
    if (error) *error = *said;
    return st;
}

void sari_object_destroy(void* object)
{
    if (object) sari_arena_clear(object);
    sari_release(object);
}
