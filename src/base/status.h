/* How errors travel inside the library. */
#ifndef SARI_STATUS_H
#define SARI_STATUS_H

#include "base/printf.h"
#include "sarrus/base.h"

/// Pass any non-zero status up, recoverable ones included.
#define SARI_TRY(call)                                                                             \
    do {                                                                                           \
        sar_status st_ = (call);                                                                   \
        if (st_ != SAR_OK) return st_;                                                             \
    } while (0)

/// Fill `error` (may be NULL) and return `status`. `field` may be NULL.
SARI_PRINTF(4, 5)
sar_status sari_fail(sar_error* error, sar_status status, const char* field, const char* format,
                     ...);

/// The word of `words` (count of them) nearest to `word` by edit distance, or NULL if none is near
/// enough to be a typo.
const char* sari_nearest_word(const char* word, const char* const* words, int count);

#endif
