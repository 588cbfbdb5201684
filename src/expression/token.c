#include "expression/token.h"

#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 100 };

sar_status sari_expression_fail(sar_error* error, int offset, const char* format, ...)
{
    char message[sizeof((sar_error*)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    sari_fail(error, SAR_E_MODEL, NULL, "%s", message);
    if (error) error->offset = offset;
    return SAR_E_MODEL;
}

/* ---- characters, the same in every locale --------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool continues_name(char c)
{
    return starts_name(c) || is_digit(c) || c == '.' || c == '@'; // SIGNAL@BODY
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool starts_with(const char* text, const char* sign)
{
    return strncmp(text, sign, strlen(sign)) == 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/// The exponent "e-3" at `text`, or nothing. Returns the number of characters.
static int read_exponent(const char* text, int* exponent)
{
    int n = 0;
    if (text[n] != 'e' && text[n] != 'E') return 0;
    n++;
    bool negative = text[n] == '-';
    if (text[n] == '-' || text[n] == '+') n++;
    if (!is_digit(text[n])) return 0;
    int value = 0;
    for (; is_digit(text[n]); n++)
        if (value < 100000) value = 10 * value + (text[n] - '0');
    *exponent = negative ? -value : value;
    return n;
}

/// The number digits 10^exponent, where both factors are exact numbers and their product or quotient is
/// rounded once: the bits of strtod, without its work. False: they are not.
static bool read_short(const char* digits, int count, int exponent, double* out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { EXACT_DIGITS = 15, EXACT_POWER = 22 }; // 10^15 < 2^53, 5^22 < 2^53
    long long whole = 0;
    if (count > EXACT_DIGITS || exponent > EXACT_POWER || exponent < -EXACT_POWER) return false;
    for (int k = 0; k < count; k++) whole = 10 * whole + (digits[k] - '0');
    *out = exponent < 0 ? (double)whole / power[-exponent] : (double)whole * power[exponent];
    return true;
}

/// strtod rounds correctly but takes the decimal point from the locale, so it is given the digits
/// as a whole number and the point goes into the exponent: 1.25e3 is 125e1.
static sar_status read_number(const char* text, sari_token* token, sar_error* error)
{
    const char* start = text + token->offset;
    char digits[DIGITS + 32];
    int used = 0, decimals = 0, exponent = 0, n = 0;
    bool point = false;
    for (; is_digit(start[n]) || (start[n] == '.' && !point); n++) {
        if (start[n] == '.') {
            point = true;
        } else if (used < DIGITS) {
            digits[used++] = start[n];
            decimals += point;
        } else {
            return sari_expression_fail(error, token->offset, "number has more than %d digits",
                                        DIGITS);
        }
    }
    n += read_exponent(start + n, &exponent);
    token->kind = SARI_TOKEN_NUMBER;
    token->length = n;
    if (start[n] == '.') {
        while (is_digit(start[n]) || start[n] == '.') n++;
        return sari_expression_fail(error, token->offset, "'%.*s' is not a number", sari_shown(n),
                                    start);
    }
    if (read_short(digits, used, exponent - decimals, &token->number)) return SAR_OK;
    snprintf(digits + used, sizeof digits - (size_t)used, "e%d", exponent - decimals);
    token->number = strtod(digits, NULL);
    if (isinf(token->number))
        return sari_expression_fail(error, token->offset,
                                    "number '%.*s' is too large (infinity is written inf)",
                                    sari_shown(n), start);
    return SAR_OK;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_word(const char* start, int length, const char* word)
{
    return strlen(word) == (size_t)length && memcmp(start, word, (size_t)length) == 0;
}

static sar_status read_name(const char* text, sari_token* token, sar_error* error)
{
    const char* start = text + token->offset;
    int n = 1;
    while (continues_name(start[n])) n++;
    token->length = n;
    token->kind = is_word(start, n, "and")   ? SARI_TOKEN_AND
                  : is_word(start, n, "or")  ? SARI_TOKEN_OR
                  : is_word(start, n, "not") ? SARI_TOKEN_NOT
                                             : SARI_TOKEN_NAME;
    if (start[n - 1] == '.')
        return sari_expression_fail(error, token->offset + n - 1,
                                    "the name '%.*s' must not end with '.'", sari_shown(n), start);
    return SAR_OK;
}

/* ---- signs ---------------------------------------------------------------------------------- */

/// Longer signs stand before their beginnings.
static const struct {
    const char* sign;
    sari_token_kind kind;
} signs[] = {
    {"<=", SARI_TOKEN_AT_MOST},   {">=", SARI_TOKEN_AT_LEAST}, {"==", SARI_TOKEN_EQUAL},
    {"!=", SARI_TOKEN_DIFFERENT}, {"<", SARI_TOKEN_LESS},      {">", SARI_TOKEN_GREATER},
    {"+", SARI_TOKEN_PLUS},       {"-", SARI_TOKEN_MINUS},     {"*", SARI_TOKEN_STAR},
    {"/", SARI_TOKEN_SLASH},      {"^", SARI_TOKEN_CARET},     {"(", SARI_TOKEN_OPEN},
    {")", SARI_TOKEN_CLOSE},      {",", SARI_TOKEN_COMMA},     {"?", SARI_TOKEN_QUESTION},
    {":", SARI_TOKEN_COLON},
};

/// What people write out of habit, and what is meant.
static const struct {
    const char *sign, *advice;
} foreign_signs[] = {
    {"**", "powers are written with '^'"},
    {"&&", "write 'and'"},
    {"||", "write 'or'"},
    {"<>", "write '!='"},
    {"=<", "write '<='"},
    {"=>", "write '>='"},
    {"&", "write 'and'"},
    {"|", "write 'or'"},
    {"!", "write 'not'"},
    {"=", "comparing is written '=='"},
    {"%", "the remainder is written mod(x, period)"},
    {"[", "use '(' and ')'"},
    {"]", "use '(' and ')'"},
    {";", "arguments are separated by ','"},
    {"\xe2\x88\x92", "write '-'"},  // minus sign
    {"\xe2\x80\x93", "write '-'"},  // en dash
    {"\xc3\x97", "write '*'"},      // multiplication sign
    {"\xc2\xb7", "write '*'"},      // middle dot
    {"\xc3\xb7", "write '/'"},      // division sign
    {"\xc2\xb2", "write '^2'"},     // superscript two
    {"\xc2\xb3", "write '^3'"},     // superscript three
    {"\xe2\x89\xa4", "write '<='"}, // less or equal
    {"\xe2\x89\xa5", "write '>='"}, // greater or equal
    {"\xe2\x89\xa0", "write '!='"}, // not equal
    {"\xcf\x80", "write pi"},       // Greek pi
};

/// Bytes of the UTF-8 character at `text`, 0 if it is none that can be printed.
static int printable_bytes(const char* text)
{
    unsigned char lead = (unsigned char)text[0];
    int bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0x20 || lead == 0x7f || lead > 0xf4) return 0;
    for (int k = 1; k < bytes; k++)
        if (((unsigned char)text[k] & 0xc0) != 0x80) return 0;
    return bytes;
}

static sar_status refuse_sign(const char* start, int offset, sar_error* error)
{
    for (size_t k = 0; k < sizeof foreign_signs / sizeof foreign_signs[0]; k++)
        if (starts_with(start, foreign_signs[k].sign))
            return sari_expression_fail(error, offset, "unexpected '%s': %s", foreign_signs[k].sign,
                                        foreign_signs[k].advice);
    int bytes = printable_bytes(start);
    if (bytes == 0)
        return sari_expression_fail(error, offset, "unexpected character with code 0x%02x",
                                    (unsigned)(unsigned char)start[0]);
    return sari_expression_fail(error, offset, "unexpected character '%.*s'", bytes, start);
}

static sar_status read_sign(const char* text, sari_token* token, sar_error* error)
{
    const char* start = text + token->offset;
    bool foreign = starts_with(start, "**") || starts_with(start, "<>");
    for (size_t k = 0; k < sizeof signs / sizeof signs[0] && !foreign; k++) {
        if (!starts_with(start, signs[k].sign)) continue;
        token->kind = signs[k].kind;
        token->length = (int)strlen(signs[k].sign);
        return SAR_OK;
    }
    return refuse_sign(start, token->offset, error);
}

sar_status sari_token_read(const char* text, int offset, sari_token* token, sar_error* error)
{
    while (is_space(text[offset])) offset++;
    *token = (sari_token){.kind = SARI_TOKEN_END, .offset = offset};
    const char* start = text + offset;
    if (*start == '\0') return SAR_OK;
    if (is_digit(*start) || (*start == '.' && is_digit(start[1])))
        return read_number(text, token, error);
    if (starts_name(*start)) return read_name(text, token, error);
    return read_sign(text, token, error);
}

bool sari_token_starts_value(sari_token_kind kind)
{
    return kind == SARI_TOKEN_NUMBER || kind == SARI_TOKEN_NAME || kind == SARI_TOKEN_OPEN;
}
