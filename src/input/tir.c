/* Tyre property files: lines KEY = VALUE under heads [SECTION]; what follows a $ or ! is for people.
 * Keys of the Magic Formula are found by their names, in whatever section they are. The rest is for
 * other programs, with four exceptions: units must be those of this one, the kind of model must be
 * PAC2002, the side decides on signs, and a curve of load over deflection would take the place of
 * the stiffness. */
#include "base/memory.h"
#include "base/status.h"
#include "expression/token.h"
#include "input/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// A piece of the text.
typedef struct span {
    const char* text;
    size_t length;
} span;

typedef struct tir {
    const char* path;
    int line;
    span section;
    int seen[SAR_MAGIC_COUNT]; ///< line of each coefficient, 0: not seen
    double* coefficient;
    sar_tyre_side* side;
    sar_error* error;
} tir;

#define SHOW(s) (int)((s).length < 60 ? (s).length : 60), (s).text

static span trim(span s)
{
    while (s.length && isspace((unsigned char)s.text[0])) s.text++, s.length--;
    while (s.length && isspace((unsigned char)s.text[s.length - 1])) s.length--;
    return s;
}

static span unquoted(span s)
{
    if (s.length >= 2 && (s.text[0] == '\'' || s.text[0] == '"') &&
        s.text[s.length - 1] == s.text[0])
        return trim((span){s.text + 1, s.length - 2});
    return s;
}

/* Without regard to capitals. */
static bool is(span s, const char* word)
{
    if (s.length != strlen(word)) return false;
    for (size_t k = 0; k < s.length; k++)
        if (toupper((unsigned char)s.text[k]) != toupper((unsigned char)word[k])) return false;
    return true;
}

static bool is_any(span s, const char* const* words)
{
    for (; *words; words++)
        if (is(s, *words)) return true;
    return false;
}

static double number_of(span s)
{
    char text[64];
    sari_token token;
    if (s.length == 0 || s.length >= sizeof text) return NAN;
    memcpy(text, s.text, s.length);
    text[s.length] = '\0';
    const int sign = text[0] == '-' || text[0] == '+';
    if (sari_token_read(text, sign, &token, NULL) != SAR_OK) return NAN;
    const bool whole = token.kind == SARI_TOKEN_NUMBER && token.offset == sign &&
                       (size_t)(token.offset + token.length) == s.length;
    if (!whole) return NAN;
    return text[0] == '-' ? -token.number : token.number;
}

static sar_status read_unit(const tir* f, span key, span value)
{
    static const struct {
        const char* key;
        const char* words[4];
    } known[] = {{"LENGTH", {"meter", "metre", "m", NULL}},
                 {"FORCE", {"newton", "n", NULL}},
                 {"ANGLE", {"radians", "radian", "rad", NULL}},
                 {"MASS", {"kg", "kilogram", NULL}},
                 {"TIME", {"second", "sec", "s", NULL}}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (is(key, known[k].key) && !is_any(value, known[k].words))
            return sari_fail(f->error, SAR_E_MODEL, NULL,
                             "%s:%d: the unit of %s is '%.*s'; only '%s' is read, convert the file",
                             f->path, f->line, known[k].key, SHOW(value), known[k].words[0]);
    return SAR_OK;
}

static sar_status read_coefficient(tir* f, int k, span value)
{
    const double number = number_of(value);
    if (isnan(number))
        return sari_fail(f->error, SAR_E_MODEL, NULL, "%s:%d: %s must be a number, here is '%.*s'",
                         f->path, f->line, sar_magic_name(k), SHOW(value));
    if (f->seen[k])
        return sari_fail(f->error, SAR_E_MODEL, NULL, "%s:%d: %s is there twice, first in line %d",
                         f->path, f->line, sar_magic_name(k), f->seen[k]);
    f->seen[k] = f->line;
    f->coefficient[k] = number;
    return SAR_OK;
}

static sar_status read_pair(tir* f, span key, span value)
{
    static const char* const kinds[] = {"PAC2002", "MF_05", "MF_52", "MF-TYRE", "USER", NULL};
    const span word = unquoted(value);
    if (is(f->section, "UNITS")) return read_unit(f, key, word);
    if (is(key, "PROPERTY_FILE_FORMAT") && !is_any(word, kinds))
        return sari_fail(f->error, SAR_E_MODEL, NULL,
                         "%s:%d: this is a file of '%.*s'; only PAC2002 is read", f->path, f->line,
                         SHOW(word));
    if (is(key, "TYRESIDE")) {
        if (!is(word, "LEFT") && !is(word, "RIGHT") && !is(word, "SYMMETRIC"))
            return sari_fail(f->error, SAR_E_MODEL, NULL,
                             "%s:%d: TYRESIDE must be LEFT or RIGHT, here is '%.*s'", f->path,
                             f->line, SHOW(word));
        *f->side = is(word, "RIGHT") ? SAR_TYRE_RIGHT : SAR_TYRE_LEFT;
        return SAR_OK;
    }
    const int k = sar_magic_find(key.text, key.length);
    return k < 0 ? SAR_OK : read_coefficient(f, k, value);
}

static sar_status read_line(tir* f, span line)
{
    size_t end = 0, equals = 0;
    while (end < line.length && line.text[end] != '$' && line.text[end] != '!') end++;
    line = trim((span){line.text, end});
    if (line.length == 0) return SAR_OK;
    if (line.text[0] == '[') {
        if (line.text[line.length - 1] != ']')
            return sari_fail(f->error, SAR_E_MODEL, NULL, "%s:%d: the head '%.*s' lacks a ]",
                             f->path, f->line, SHOW(line));
        f->section = trim((span){line.text + 1, line.length - 2});
        return SAR_OK;
    }
    if (is(f->section, "DEFLECTION_LOAD_CURVE"))
        return sari_fail(f->error, SAR_E_MODEL, NULL,
                         "%s:%d: a curve of load over deflection is not read; remove it, then "
                         "VERTICAL_STIFFNESS counts",
                         f->path, f->line);
    while (equals < line.length && line.text[equals] != '=') equals++;
    if (equals < line.length)
        return read_pair(f, trim((span){line.text, equals}),
                         trim((span){line.text + equals + 1, line.length - equals - 1}));
    if (strchr("{+-.0123456789", line.text[0])) return SAR_OK; // a table for other programs
    return sari_fail(f->error, SAR_E_MODEL, NULL, "%s:%d: expected KEY = VALUE, here is '%.*s'",
                     f->path, f->line, SHOW(line));
}

sar_status sar_magic_read(const char* path, double coefficient[SAR_MAGIC_COUNT],
                          sar_tyre_side* side, sar_error* error)
{
    size_t length;
    const char* why;
    if (!path || !coefficient || !side) return SAR_E_ARG;
    char* text = sari_read_file(path, &length, &why);
    if (!text) return sari_fail(error, SAR_E_IO, NULL, "cannot read %s: %s", path, why);
    tir f = {.path = path, .coefficient = coefficient, .side = side, .error = error};
    sar_status status = SAR_OK;
    for (size_t at = 0; at < length && status == SAR_OK;) {
        const char* end = memchr(text + at, '\n', length - at);
        const size_t size = end ? (size_t)(end - text) - at : length - at;
        f.line++;
        status = read_line(&f, (span){text + at, size});
        at += size + 1;
    }
    sari_release(text);
    return status;
}
