/* What the two files of the reader of YAML share: the place in the text, and the scalars. */
#ifndef SARI_YAML_TEXT_H
#define SARI_YAML_TEXT_H

#include "input/yaml/events.h"

typedef struct sari_yaml_text {
    const char* text;
    size_t length, at; ///< in bytes
    size_t index, line, column;
    sari_scratch* memory;
    sari_yaml_event wrong; ///< what stopped it; problem is NULL: nothing
    bool no_memory;
} sari_yaml_text;

/// The byte `ahead` of here; 0 behind the end.
static inline char sari_yaml_peek(const sari_yaml_text* t, size_t ahead)
{
    return ahead < t->length - t->at ? t->text[t->at + ahead] : 0;
}

static inline bool sari_yaml_is_break(char c)
{
    return c == '\n' || c == '\r';
}

static inline bool sari_yaml_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/// A blank, a line break or the end `ahead` of here.
static inline bool sari_yaml_blank_at(const sari_yaml_text* t, size_t ahead)
{
    const char c = sari_yaml_peek(t, ahead);
    return sari_yaml_is_blank(c) || sari_yaml_is_break(c) || ahead >= t->length - t->at;
}

static inline bool sari_yaml_at_end(const sari_yaml_text* t)
{
    return t->at >= t->length;
}

void sari_yaml_forward(sari_yaml_text* t);             ///< over one character, or one line break
bool sari_yaml_document_mark(const sari_yaml_text* t); ///< "---" or "..." begins a line here
/// Something is wrong here. Returns false.
bool sari_yaml_fail(sari_yaml_text* t, const char* context, const char* problem);

/// Scalars. They fill text, length and plain of `out`, and say in `several` whether it has more than one line. False: see `wrong`.
/// `indent`: a plain scalar in a block ends at a line that begins before this column.
bool sari_yaml_plain(sari_yaml_text* t, bool flow, size_t indent, sari_yaml_event* out,
                     bool* several);
bool sari_yaml_quoted(sari_yaml_text* t, sari_yaml_event* out, bool* several);
/// '|' and '>'; `parent` is the column of the map or list it is in, -1 for none.
bool sari_yaml_block(sari_yaml_text* t, int parent, sari_yaml_event* out);

#endif
