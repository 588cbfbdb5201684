/* What is wrong with a file, and where: messages, notes and hints of the reader. */
#include "base/status.h"
#include "input/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE = SARI_READER_MESSAGE };

/* ---- errors --------------------------------------------------------------------------------- */

void sari_fail_silently(sari_reader* r)
{
    r->failures++;
}

void sari_fail_memory(sari_reader* r)
{
    r->out_of_memory = true;
    r->failures++;
}

void sari_report(sari_reader* r, const sari_node* node, const char* format, ...)
{
    char message[MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    r->failures++;
    sari_diagnostics_add(r->diagnostics, node->place, "%s", message);
}

void sari_note(sari_reader* r, const sari_node* node, const char* format, ...)
{
    char message[MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sari_diagnostics_add(r->notes, node->place, "%s", message);
}

void sari_hint(sari_reader* r, const char* format, ...)
{
    char hint[MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(hint, sizeof hint, format, args);
    va_end(args);
    sari_diagnostics_hint(r->diagnostics, "%s", hint);
}

bool sari_is_shown(const sari_reader* r)
{
    return r->diagnostics->last != NULL;
}

void sari_suggest(sari_reader* r, const char* word, const char* const* words, int count)
{
    if (!sari_is_shown(r)) return;
    // Every other letter is one edit away from a letter: that is no typo.
    const char* nearest = strlen(word) > 1 ? sari_nearest_word(word, words, count) : NULL;
    if (nearest)
        sari_hint(r, "did you mean '%s'?", nearest);
    else if (count > 0)
        sari_hint_words(r, words, count);
}

void sari_hint_words(sari_reader* r, const char* const* words, int count)
{
    char list[256] = "";
    size_t used = 0;
    for (int k = 0; k < count; k++) {
        size_t bytes = strlen(words[k]) + 2;
        if (used + bytes + sizeof ", ..." > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", words[k]);
    }
    sari_hint(r, "there is: %s", list);
}

/* ---- places inside a scalar ----------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where character `offset` of a scalar stands in the file. Follows line breaks, which YAML folds
 * into one blank; gives up at the first escape and answers the scalar's start. */
static sari_place place_inside(const sari_reader* r, const sari_node* node, int offset)
{
    const sari_source* source = node->place.source;
    const char* file = source->text;
    size_t end = source->length, p = node->place.byte;
    if (p >= end || offset < 0 || (size_t)offset > node->length) return node->place;
    if (!node->plain && (file[p] == '|' || file[p] == '>')) {
        while (p < end && file[p] != '\n') p++;
        while (p < end && is_blank(file[p])) p++;
    } else if (!node->plain) {
        p++; // the quote
    }
    for (int k = 0; k < offset; k++) {
        size_t blanks = p;
        bool broken = false;
        while (blanks < end && is_blank(file[blanks])) {
            if (file[blanks] == '\n' || file[blanks] == '\r') broken = true;
            blanks++;
        }
        if (broken && is_blank(node->text[k])) {
            p = blanks;
        } else if (p < end && file[p] == node->text[k]) {
            p++;
        } else {
            return node->place;
        }
    }
    return sari_place_forward(r->diagnostics, node->place, p);
}

void sari_report_inside(sari_reader* r, const sari_node* node, int offset, const char* message)
{
    r->failures++;
    sari_diagnostics_add(r->diagnostics, place_inside(r, node, offset), "%s", message);
}

bool sari_is_unbalanced(const sari_node* node)
{
    int open = 0;
    if (node->kind != SARI_NODE_SCALAR || !node->plain) return false;
    for (const char* c = node->text; *c; c++) open += (*c == '(') - (*c == ')');
    return open != 0;
}

/* A plain scalar in [ ] or { } ends at a comma unless a parenthesis around the comma is closed. */
void sari_hint_about_commas(sari_reader* r, const sari_node* node)
{
    if (sari_is_unbalanced(node))
        sari_hint(r,
                  "inside [ ] and { } a comma ends an expression whose parentheses do not close");
}
