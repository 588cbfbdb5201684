/* As much JSON as the side file of a CSV needs: escape, check, walk. */
#ifndef SARI_RESULTS_JSON_H
#define SARI_RESULTS_JSON_H

#include <stddef.h>
#include <stdio.h>

/// Write `text` as a JSON string with its quotes.
void sari_json_put_string(FILE* file, const char* text);

/// Past the value that starts at `at`, or NULL when there is no well-formed one before the zero.
const char* sari_json_skip_value(const char* at);
const char* sari_json_skip_space(const char* at);
/// Is the text one value and nothing else?
int sari_json_is_valid(const char* text);

/// One member of an object. `key` and `value` point into the text.
typedef struct sari_json_member {
    const char *key, *key_end;     ///< with the quotes
    const char *value, *value_end; ///< any value
} sari_json_member;

/// Walk an object: start with `at` on its '{', go on with what was returned until `*done`. NULL:
/// malformed.
const char* sari_json_next_member(const char* at, sari_json_member* out, int* done);

/// The text of a string (given with its quotes), escapes undone; to be given to sari_release. NULL:
/// no memory.
char* sari_json_decode_string(const char* start, const char* end);

#endif
