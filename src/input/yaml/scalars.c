/* Scalars of YAML: plain, in quotes, and blocks of lines. Line breaks within them are blanks, empty lines are breaks;
 * blocks with '|' keep all. */
#include "input/yaml/text.h"

#include <string.h>

/* ---- the text ------------------------------------------------------------------------------- */

void sari_yaml_forward(sari_yaml_text* t)
{
    if (sari_yaml_at_end(t)) return;
    const char c = t->text[t->at];
    t->at++;
    t->index++;
    if (sari_yaml_is_break(c)) {
        if (c == '\r' && sari_yaml_peek(t, 0) == '\n') t->at++, t->index++;
        t->line++;
        t->column = 0;
        return;
    }
    while (t->at < t->length && ((unsigned char)t->text[t->at] & 0xc0) == 0x80) t->at++;
    t->column++;
}

bool sari_yaml_document_mark(const sari_yaml_text* t)
{
    if (t->column != 0 || t->length - t->at < 3 || !sari_yaml_blank_at(t, 3)) return false;
    return memcmp(t->text + t->at, "---", 3) == 0 || memcmp(t->text + t->at, "...", 3) == 0;
}

bool sari_yaml_fail(sari_yaml_text* t, const char* context, const char* problem)
{
    t->wrong = (sari_yaml_event){.kind = SARI_YAML_WRONG,
                                 .index = t->index,
                                 .line = t->line,
                                 .column = t->column,
                                 .context = context,
                                 .problem = problem};
    return false;
}

/* ---- what is written ------------------------------------------------------------------------ */

/* A scalar is no longer than its source and the breaks that escapes write, at most 3 bytes for 2. */
typedef struct writer {
    char* text;
    size_t used;
    size_t breaks;      ///< line breaks that wait: one is a blank, more are all but the first
    size_t blank_begin; ///< blanks that wait, in the source
    size_t blanks;
} writer;

static bool begin(sari_yaml_text* t, writer* w, size_t most)
{
    *w = (writer){.text = sari_scratch_allocate(t->memory, most + 1)};
    t->no_memory = !w->text;
    return w->text != NULL;
}

static void put(writer* w, char c)
{
    w->text[w->used++] = c;
}

// The character here, as it is.
static void copy(sari_yaml_text* t, writer* w)
{
    const size_t from = t->at;
    sari_yaml_forward(t);
    memcpy(w->text + w->used, t->text + from, t->at - from);
    w->used += t->at - from;
}

static void end(writer* w, bool plain, sari_yaml_event* out)
{
    w->text[w->used] = 0;
    out->text = w->text;
    out->length = w->used;
    out->plain = plain;
}

// Blanks and breaks between words: breaks swallow the blanks beside them.
static void take_gap(sari_yaml_text* t, writer* w)
{
    w->breaks = w->blanks = 0;
    w->blank_begin = t->at;
    for (char c = sari_yaml_peek(t, 0); sari_yaml_is_blank(c) || sari_yaml_is_break(c);
         c = sari_yaml_peek(t, 0)) {
        if (sari_yaml_is_break(c))
            w->breaks++;
        else if (!w->breaks)
            w->blanks++;
        sari_yaml_forward(t);
    }
}

static void put_gap(const sari_yaml_text* t, writer* w)
{
    if (w->breaks == 1) put(w, ' ');
    for (size_t k = 1; k < w->breaks; k++) put(w, '\n');
    for (size_t k = 0; !w->breaks && k < w->blanks; k++) put(w, t->text[w->blank_begin + k]);
    w->breaks = w->blanks = 0;
}

/* ---- plain ---------------------------------------------------------------------------------- */

// What ends a plain scalar: ": ", and in [ ] and { } their signs. -1: an error.
static int ends_plain(sari_yaml_text* t, bool flow)
{
    const char c = sari_yaml_peek(t, 0), after = sari_yaml_peek(t, 1);
    if (flow && c == ':' && after && strchr(",?[]{}", after)) {
        sari_yaml_fail(t, "while scanning a plain scalar", "found unexpected ':'");
        return -1;
    }
    if (c == ':' && sari_yaml_blank_at(t, 1)) return 1;
    return flow && strchr(",[]{}", c) != NULL;
}

bool sari_yaml_plain(sari_yaml_text* t, bool flow, size_t indent, sari_yaml_event* out,
                     bool* several)
{
    const size_t from = t->at, line = t->line;
    // Where it ends is not known yet: its first pass finds that, its second writes.
    sari_yaml_text ahead = *t;
    writer w = {0};
    size_t last = t->line;
    for (int pass = 0; pass < 2; pass++) {
        sari_yaml_text* at = pass ? t : &ahead;
        if (pass && !begin(t, &w, ahead.at - from)) return false;
        while (!sari_yaml_at_end(at) && !sari_yaml_document_mark(at) &&
               sari_yaml_peek(at, 0) != '#') {
            int ended = 0;
            const size_t word = at->at;
            while (!sari_yaml_blank_at(at, 0) && (ended = ends_plain(at, flow)) == 0) {
                if (pass && at->at == word) put_gap(at, &w);
                if (pass)
                    copy(at, &w);
                else
                    sari_yaml_forward(at);
                last = at->line;
            }
            if (ended < 0) {
                t->wrong = at->wrong;
                return false;
            }
            if (ended || sari_yaml_at_end(at)) break;
            take_gap(at, &w);
            if (!flow && w.breaks && at->column < indent) break;
        }
    }
    *several = last > line;
    end(&w, true, out);
    return true;
}

/* ---- in quotes ------------------------------------------------------------------------------ */

static void put_code(writer* w, unsigned long code)
{
    if (code < 0x80) {
        put(w, (char)code);
    } else if (code < 0x800) {
        put(w, (char)(0xc0 | code >> 6));
        put(w, (char)(0x80 | (code & 63)));
    } else {
        if (code >= 0x10000) {
            put(w, (char)(0xf0 | code >> 18));
            put(w, (char)(0x80 | (code >> 12 & 63)));
        } else {
            put(w, (char)(0xe0 | code >> 12));
        }
        put(w, (char)(0x80 | (code >> 6 & 63)));
        put(w, (char)(0x80 | (code & 63)));
    }
}

static bool put_hexadecimal(sari_yaml_text* t, writer* w, int digits)
{
    static const char hex[] = "0123456789abcdef";
    unsigned long code = 0;
    for (int k = 0; k < digits; k++) {
        const char c = sari_yaml_peek(t, 0), lower = c >= 'A' && c <= 'F' ? (char)(c + 32) : c;
        const char* found = c ? strchr(hex, lower) : NULL;
        if (!found)
            return sari_yaml_fail(t, "while parsing a quoted scalar",
                                  "did not find expected hexdecimal number");
        code = 16 * code + (unsigned long)(found - hex);
        sari_yaml_forward(t);
    }
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
        return sari_yaml_fail(t, "while parsing a quoted scalar",
                              "found invalid Unicode character escape code");
    put_code(w, code);
    return true;
}

// Behind a backslash.
static bool put_escape(sari_yaml_text* t, writer* w)
{
    static const char letters[] = "0abt\tnvfre \"/\\N_LP";
    static const unsigned long codes[] = {0,  7,  8,   9,   9,    10,   11,   12,     13,
                                          27, 32, '"', '/', '\\', 0x85, 0xa0, 0x2028, 0x2029};
    const char c = sari_yaml_peek(t, 0);
    const char* found = c ? strchr(letters, c) : NULL;
    if (!found && !(c && strchr("xuU", c)))
        return sari_yaml_fail(t, "while parsing a quoted scalar", "found unknown escape character");
    sari_yaml_forward(t);
    if (!found) return put_hexadecimal(t, w, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    put_code(w, codes[found - letters]);
    return true;
}

// One line break behind a backslash, and the blanks of the next line, are nothing.
static void join_lines(sari_yaml_text* t, writer* w)
{
    sari_yaml_forward(t);
    take_gap(t, w);
    for (size_t k = 0; k < w->breaks; k++) put(w, '\n');
    w->breaks = w->blanks = 0;
}

static bool put_quoted_words(sari_yaml_text* t, writer* w, bool single)
{
    while (!sari_yaml_blank_at(t, 0)) {
        const char c = sari_yaml_peek(t, 0);
        if (single && c == '\'' && sari_yaml_peek(t, 1) == '\'') {
            sari_yaml_forward(t);
            copy(t, w);
        } else if (c == (single ? '\'' : '"')) {
            return true;
        } else if (!single && c == '\\') {
            sari_yaml_forward(t);
            if (sari_yaml_is_break(sari_yaml_peek(t, 0)))
                join_lines(t, w);
            else if (!put_escape(t, w))
                return false;
        } else {
            copy(t, w);
        }
    }
    return true;
}

// Up to the quote that ends it, or more.
static size_t quoted_length(const sari_yaml_text* t, char quote)
{
    size_t k = t->at;
    for (; k < t->length; k++) {
        const bool twice =
            quote == '\'' && t->text[k] == quote && k + 1 < t->length && t->text[k + 1] == quote;
        if (twice || (quote == '"' && t->text[k] == '\\'))
            k++;
        else if (t->text[k] == quote)
            break;
    }
    return k - t->at + 1;
}

bool sari_yaml_quoted(sari_yaml_text* t, sari_yaml_event* out, bool* several)
{
    const char quote = sari_yaml_peek(t, 0);
    const size_t line = t->line;
    writer w;
    sari_yaml_forward(t);
    if (!begin(t, &w, 3 * quoted_length(t, quote) / 2 + 8)) return false;
    for (;;) {
        if (sari_yaml_document_mark(t))
            return sari_yaml_fail(t, "while scanning a quoted scalar",
                                  "found unexpected document indicator");
        if (sari_yaml_at_end(t))
            return sari_yaml_fail(t, "while scanning a quoted scalar",
                                  "found unexpected end of stream");
        if (!put_quoted_words(t, &w, quote == '\'')) return false;
        if (sari_yaml_peek(t, 0) == quote && !sari_yaml_at_end(t)) break;
        take_gap(t, &w);
        if (!sari_yaml_at_end(t) || w.breaks) put_gap(t, &w);
    }
    *several = t->line > line;
    sari_yaml_forward(t);
    end(&w, false, out);
    return true;
}

/* ---- blocks --------------------------------------------------------------------------------- */

typedef struct block {
    bool literal;
    int chomp;  ///< '-': no break at the end, '+': all of them, 0: one
    int indent; ///< of its lines; 0: that of the first one
} block;

static bool read_header(sari_yaml_text* t, block* b)
{
    b->literal = sari_yaml_peek(t, 0) == '|';
    sari_yaml_forward(t);
    for (int k = 0; k < 2; k++) {
        const char c = sari_yaml_peek(t, 0);
        if ((c == '+' || c == '-') && !b->chomp) {
            b->chomp = c;
        } else if (c >= '0' && c <= '9' && !b->indent) {
            if (c == '0')
                return sari_yaml_fail(t, "while scanning a block scalar",
                                      "found an indentation indicator equal to 0");
            b->indent = c - '0';
        } else {
            break;
        }
        sari_yaml_forward(t);
    }
    while (sari_yaml_is_blank(sari_yaml_peek(t, 0))) sari_yaml_forward(t);
    if (sari_yaml_peek(t, 0) == '#')
        while (!sari_yaml_at_end(t) && !sari_yaml_is_break(sari_yaml_peek(t, 0)))
            sari_yaml_forward(t);
    if (!sari_yaml_at_end(t) && !sari_yaml_is_break(sari_yaml_peek(t, 0)))
        return sari_yaml_fail(t, "while scanning a block scalar",
                              "did not find expected comment or line break");
    sari_yaml_forward(t);
    return true;
}

/* Over empty lines and the indentation of the next one; returns the breaks. Finds the indentation, if it is 0. */
static bool skip_indentation(sari_yaml_text* t, size_t* indent, size_t least, size_t* breaks)
{
    size_t widest = 0;
    for (*breaks = 0;; ++*breaks) {
        while ((*indent == 0 || t->column < *indent) && sari_yaml_peek(t, 0) == ' ')
            sari_yaml_forward(t);
        if (t->column > widest) widest = t->column;
        if ((*indent == 0 || t->column < *indent) && sari_yaml_peek(t, 0) == '\t')
            return sari_yaml_fail(t, "while scanning a block scalar",
                                  "found a tab character where an indentation space is expected");
        if (!sari_yaml_is_break(sari_yaml_peek(t, 0))) break;
        sari_yaml_forward(t);
    }
    if (*indent == 0) *indent = widest < least ? least : widest;
    return true;
}

// Up to the first line that is not empty and not indented as far, or more.
static size_t block_length(const sari_yaml_text* t, int parent)
{
    size_t k = t->at;
    while (k < t->length) {
        size_t column = 0;
        while (k < t->length && t->text[k] == ' ') k++, column++;
        if (k < t->length && !sari_yaml_is_break(t->text[k]) && (int)column <= parent) break;
        while (k < t->length && !sari_yaml_is_break(t->text[k])) k++;
        if (k < t->length) k++;
    }
    return k - t->at + 1;
}

bool sari_yaml_block(sari_yaml_text* t, int parent, sari_yaml_event* out)
{
    block b = {0};
    writer w;
    if (!read_header(t, &b)) return false;
    const size_t from = (size_t)(parent < 0 ? 0 : parent);
    size_t indent = b.indent ? from + (size_t)b.indent : 0, breaks = 0;
    if (!begin(t, &w, block_length(t, parent))) return false;
    if (!skip_indentation(t, &indent, parent < 0 ? 1 : (size_t)parent + 1, &breaks)) return false;
    bool broken = false, blank_before = false; // a break waits; the line before began with a blank
    while (t->column == indent && !sari_yaml_at_end(t)) {
        const bool blank = sari_yaml_is_blank(sari_yaml_peek(t, 0));
        if (broken && !b.literal && !blank_before && !blank) {
            if (breaks == 0) put(&w, ' ');
        } else if (broken) {
            put(&w, '\n');
        }
        for (; breaks > 0; breaks--) put(&w, '\n');
        blank_before = blank;
        while (!sari_yaml_at_end(t) && !sari_yaml_is_break(sari_yaml_peek(t, 0))) copy(t, &w);
        broken = !sari_yaml_at_end(t);
        sari_yaml_forward(t);
        if (!skip_indentation(t, &indent, 0, &breaks)) return false;
    }
    if (b.chomp != '-' && broken) put(&w, '\n');
    for (; b.chomp == '+' && breaks > 0; breaks--) put(&w, '\n');
    end(&w, false, out);
    return true;
}
