#include "input/yaml/diagnostics.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sari_diagnostics_init(sari_diagnostics* d, const char* kind, const char* name,
                           const char* text, size_t length)
{
    d->kind = kind;
    d->source = (sari_source){name, text, length, 0};
    d->used = NULL;
    d->count = d->dropped = 0;
    d->last = NULL;
}

void sari_diagnostics_clear(sari_diagnostics* d)
{
    for (int k = 0; k < d->count; k++) sari_release(d->list[k].source);
    d->count = 0;
}

static sari_diagnostic* new_entry(sari_diagnostics* d)
{
    d->last = NULL;
    if (d->count == SARI_DIAGNOSTICS_MOST) {
        d->dropped++;
        return NULL;
    }
    d->last = &d->list[d->count++];
    memset(d->last, 0, sizeof *d->last);
    return d->last;
}

/* Bytes of the character that starts at `s` (1 to 4), or 0 when it is not valid UTF-8. */
static size_t character_bytes(const unsigned char* s, size_t left)
{
    if (s[0] < 0x80) return 1;
    size_t bytes = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    if (bytes == 0 || s[0] > 0xf4 || bytes > left) return 0;
    for (size_t k = 1; k < bytes; k++)
        if ((s[k] & 0xc0) != 0x80) return 0;
    return bytes;
}

/* A message quotes the file, and goes to a terminal: nothing of it may act there. */
static void make_printable(char* text)
{
    size_t length = strlen(text);
    for (size_t k = 0; k < length;) {
        size_t bytes = character_bytes((unsigned char*)text + k, length - k);
        unsigned char c = (unsigned char)text[k];
        bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)text[k + 1] < 0xa0);
        if (bytes == 0 || control) text[k] = '?';
        k += bytes ? bytes : 1;
    }
}

static const sari_source* source_of(const sari_diagnostics* d, sari_place place)
{
    return place.source ? place.source : &d->source;
}

void sari_diagnostics_add(sari_diagnostics* d, sari_place place, const char* format, ...)
{
    place.source = source_of(d, place);
    for (int k = 0; k < d->count; k++) {
        const sari_diagnostic* other = &d->list[k];
        if (!other->source && other->place.source == place.source &&
            other->place.line == place.line && other->place.column == place.column) {
            d->last = NULL;
            return;
        }
    }
    sari_diagnostic* entry = new_entry(d);
    if (!entry) return;
    entry->place = place;
    if (d->used) snprintf(entry->used, sizeof entry->used, "%s", d->used);
    va_list args;
    va_start(args, format);
    vsnprintf(entry->message, sizeof entry->message, format, args);
    va_end(args);
    make_printable(entry->message);
    make_printable(entry->used);
}

bool sari_diagnostics_has(const sari_diagnostics* d, const char* beginning)
{
    for (int k = 0; k < d->count; k++)
        if (strncmp(d->list[k].message, beginning, strlen(beginning)) == 0) return true;
    return false;
}

void sari_diagnostics_add_outside(sari_diagnostics* d, const char* source, int offset,
                                  const char* format, ...)
{
    sari_diagnostic* entry = new_entry(d);
    if (!entry) return;
    entry->source = sari_copy_string(source);
    entry->place.column = offset >= 0 ? offset + 1 : 0;
    va_list args;
    va_start(args, format);
    vsnprintf(entry->message, sizeof entry->message, format, args);
    va_end(args);
    make_printable(entry->message);
}

void sari_diagnostics_hint(sari_diagnostics* d, const char* format, ...)
{
    if (!d->last) return;
    va_list args;
    va_start(args, format);
    vsnprintf(d->last->hint, sizeof d->last->hint, format, args);
    va_end(args);
    make_printable(d->last->hint);
}

/* ---- places --------------------------------------------------------------------------------- */

/* Lines end as they do for YAML 1.1: LF, CR, CR LF, NEL, LS, PS. Bytes of the break at `s`, or 0.
 */
static size_t break_bytes(const unsigned char* s, size_t left)
{
    if (s[0] == '\r') return left > 1 && s[1] == '\n' ? 2 : 1;
    if (s[0] == '\n') return 1;
    if (left > 1 && s[0] == 0xc2 && s[1] == 0x85) return 2;
    if (left > 2 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9)) return 3;
    return 0;
}

sari_place sari_place_forward(const sari_diagnostics* d, sari_place from, size_t byte)
{
    const sari_source* source = source_of(d, from);
    if (byte > source->length) byte = source->length;
    sari_place place = from;
    while (place.byte < byte) {
        const unsigned char* s = (const unsigned char*)source->text + place.byte;
        size_t left = source->length - place.byte;
        size_t bytes = break_bytes(s, left);
        if (bytes) {
            place.line++;
            place.column = 1;
        } else {
            bytes = character_bytes(s, left);
            if (!bytes) bytes = 1;
            place.column++;
        }
        place.byte += bytes;
    }
    return place;
}

/* ---- text ----------------------------------------------------------------------------------- */

enum { SHOWN = 100, BEFORE_CARET = 70 }; // characters of a line that are shown, at most

/* Room for one error besides the name: message, hint, user, two lines of SHOWN characters of 4
 * bytes. */
enum { ENTRY_BYTES = 512 + 320 + 320 + 2 * (4 * SHOWN + 32) + 96 };

typedef struct writer {
    char* text;
    size_t used, size;
} writer;

SARI_PRINTF(2, 3)
static void put(writer* w, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int bytes = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (bytes > 0) w->used += (size_t)bytes;
    if (w->used >= w->size) w->used = w->size - 1;
}

/* A line with its number and a caret under `column`. Long lines show what is around the caret; tabs
 * become blanks, so that the caret stands where it should, and what is not printable becomes '?'.
 */
static void put_line(writer* w, int number, const char* line, size_t length, int column)
{
    int first = column > BEFORE_CARET ? column - BEFORE_CARET : 1;
    char margin[16] = "";
    if (number > 0) snprintf(margin, sizeof margin, "%5d", number);
    put(w, "%5s | ", margin);
    int at = 1;
    for (size_t k = 0; k < length && at < first + SHOWN; at++) {
        size_t bytes = character_bytes((const unsigned char*)line + k, length - k);
        unsigned char c = (unsigned char)line[k];
        if (at < first) {
        } else if (bytes > 1) {
            put(w, "%.*s", (int)bytes, line + k);
        } else {
            put(w, "%c", c == '\t' ? ' ' : bytes == 0 || c < 0x20 || c == 0x7f ? '?' : c);
        }
        k += bytes ? bytes : 1;
    }
    put(w, "\n");
    if (column > 0) put(w, "%5s | %*s^\n", "", column - first, "");
}

static void put_source(writer* w, const sari_source* d, sari_place place)
{
    size_t start = place.byte < d->length ? place.byte : d->length;
    while (start > 0 && d->text[start - 1] != '\n' && d->text[start - 1] != '\r') start--;
    size_t end = start;
    while (end < d->length && d->text[end] != '\n' && d->text[end] != '\r') end++;
    put_line(w, place.line, d->text + start, end - start, place.column);
}

static void put_entry(writer* w, const sari_diagnostics* d, const sari_diagnostic* entry)
{
    const sari_source* source = source_of(d, entry->place);
    if (entry->source) {
        put(w, "%s: %s: %s\n", d->source.name, d->kind, entry->message);
        put_line(w, 0, entry->source, strlen(entry->source), entry->place.column);
    } else if (entry->place.line > 0) {
        put(w, "%s:%d:%d: %s: %s\n", source->name, entry->place.line, entry->place.column, d->kind,
            entry->message);
        put_source(w, source, entry->place);
    } else {
        put(w, "%s: %s: %s\n", source->name, d->kind, entry->message);
    }
    if (entry->hint[0]) put(w, "        hint: %s\n", entry->hint);
    if (entry->used[0]) put(w, "        used by %s\n", entry->used);
}

static int by_place(const void* a_, const void* b_)
{
    const sari_diagnostic *a = a_, *b = b_;
    const sari_source *of_a = a->place.source, *of_b = b->place.source;
    const int file_a = of_a ? of_a->number : 0, file_b = of_b ? of_b->number : 0;
    if (file_a != file_b) return file_a < file_b ? -1 : 1;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    return (a->place.column > b->place.column) - (a->place.column < b->place.column);
}

static size_t longest_name(const sari_diagnostics* d)
{
    size_t most = strlen(d->source.name);
    for (int k = 0; k < d->count; k++) {
        const size_t length = strlen(source_of(d, d->list[k].place)->name);
        if (length > most) most = length;
    }
    return most;
}

char* sari_diagnostics_format(sari_diagnostics* d)
{
    if (d->count == 0) return NULL;
    qsort(d->list, (size_t)d->count, sizeof d->list[0], by_place);
    d->last = NULL;
    size_t size = (size_t)(d->count + 1) * (longest_name(d) + ENTRY_BYTES);
    writer w = {sari_allocate(size, 1), 0, size};
    if (!w.text) return NULL;
    for (int k = 0; k < d->count; k++) put_entry(&w, d, &d->list[k]);
    if (d->dropped)
        put(&w, "%s: %d more %s%s not shown\n", d->source.name, d->dropped, d->kind,
            d->dropped > 1 ? "s" : "");
    return w.text;
}
