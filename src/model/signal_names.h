/* How a dotted name becomes a signal, or a reason why not. */
#ifndef SARI_SIGNAL_NAMES_H
#define SARI_SIGNAL_NAMES_H

#include "base/printf.h"
#include "model/model.h"

/// A piece of a dotted name; not zero-terminated.
typedef struct sari_word {
    const char* text;
    size_t length;
} sari_word;

#define SARI_SHOW(w) (int)((w).length < 63 ? (w).length : 63), (w).text // for "%.*s"

/// What a caller of the resolver gets back: a signal, or the reason why there is none such.
typedef struct sari_query {
    const sar_model* model;
    unsigned use;
    const char* limit; ///< what this kind of expression can use, for messages
    char* why;
    size_t size;
} sari_query;

/// Writes the reason; false.
SARI_PRINTF(2, 3)
bool sari_refuse_name(const sari_query* q, const char* format, ...);

static inline bool sari_word_is(sari_word w, const char* text)
{
    return sari_same_name(text, w.text, w.length);
}

/// ` (did you mean "..."?)`, or nothing.
const char* sari_suggest_name(sari_word w, const char* const* words, int count, char hint[96]);
/// The same among the words that a body, a joint, ... has.
const char* sari_suggest_word(const sari_query* q, sari_signal_owner of, sari_word w,
                              char hint[96]);
/// The signal of a body, a joint, ... that has this word; of several the first from `first` on.
bool sari_find_word(sari_signal_owner of, sari_word w, int first, sari_signal* out);
/// An angle of a sequence, a component of the quaternion or of the vector of a rotation.
bool sari_find_rotation(const sari_query* q, sari_word w, sari_signal* out);

/// SIGNAL, or SIGNAL@BODY: along the axes of the body, places from its origin.
bool sari_resolve_signal(const sari_query* q, sari_word name, sari_signal* out);

/// Index of the signal in the model; negative when out of memory.
int sari_add_signal(sar_model* model, const sari_signal* signal);

#endif
