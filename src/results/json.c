#include "results/json.h"

#include "base/memory.h"

#include <string.h>

enum { DEEPEST = 200 }; // nesting; keeps a hostile file from exhausting the stack

void sari_json_put_string(FILE* file, const char* text)
{
    fputc('"', file);
    for (const char* c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", file);
        else if (*c == '\t')
            fputs("\\t", file);
        else if ((unsigned char)*c < 0x20)
            fprintf(file, "\\u%04x", (unsigned char)*c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

const char* sari_json_skip_space(const char* at)
{
    return at + strspn(at, " \t\r\n");
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Four hexadecimal digits, or -1. */
static int hex_quad(const char* at)
{
    int code = 0;
    for (int k = 0; k < 4; k++) {
        int digit = hex_value(at[k]);
        if (digit < 0) return -1;
        code = 16 * code + digit;
    }
    return code;
}

static const char* skip_string(const char* at)
{
    if (*at != '"') return NULL;
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) return NULL; // the end of the text too
        if (*at != '\\') continue;
        at++;
        if (*at == 'u') {
            if (hex_quad(at + 1) < 0) return NULL;
            at += 4;
        } else if (*at == '\0' || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static const char* skip_digits(const char* at)
{
    if (!is_digit(*at)) return NULL;
    while (is_digit(*at)) at++;
    return at;
}

static const char* skip_number(const char* at)
{
    if (*at == '-') at++;
    if (at[0] == '0' && is_digit(at[1])) return NULL;
    at = skip_digits(at);
    if (at && *at == '.') at = skip_digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) {
        at++;
        if (*at == '+' || *at == '-') at++;
        at = skip_digits(at);
    }
    return at;
}

static const char* skip_value(const char* at, int depth);

static const char* skip_elements(const char* at, char close, int depth)
{
    at = sari_json_skip_space(at + 1);
    if (*at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            at = skip_string(sari_json_skip_space(at));
            if (!at) return NULL;
            at = sari_json_skip_space(at);
            if (*at++ != ':') return NULL;
        }
        at = skip_value(sari_json_skip_space(at), depth + 1);
        if (!at) return NULL;
        at = sari_json_skip_space(at);
        if (*at == close) return at + 1;
        if (*at++ != ',') return NULL;
    }
}

static const char* skip_value(const char* at, int depth)
{
    if (depth > DEEPEST) return NULL;
    if (*at == '{') return skip_elements(at, '}', depth);
    if (*at == '[') return skip_elements(at, ']', depth);
    if (*at == '"') return skip_string(at);
    static const char* const words[] = {"true", "false", "null"};
    for (int k = 0; k < 3; k++) {
        size_t length = strlen(words[k]);
        if (strncmp(at, words[k], length) == 0) return at + length;
    }
    return skip_number(at);
}

const char* sari_json_skip_value(const char* at)
{
    return skip_value(at, 0);
}

int sari_json_is_valid(const char* text)
{
    const char* end = sari_json_skip_value(sari_json_skip_space(text));
    return end && *sari_json_skip_space(end) == '\0';
}

const char* sari_json_next_member(const char* at, sari_json_member* out, int* done)
{
    char before = *at;
    int first = before == '{';
    if (!first && *at != ',' && *at != '}') return NULL;
    if (*at != '}') at = sari_json_skip_space(at + 1);
    *done = *at == '}' && (first || before != ',');
    if (*done) return at + 1;
    out->key = at;
    out->key_end = skip_string(at);
    if (!out->key_end) return NULL;
    at = sari_json_skip_space(out->key_end);
    if (*at++ != ':') return NULL;
    out->value = sari_json_skip_space(at);
    out->value_end = sari_json_skip_value(out->value);
    return out->value_end ? sari_json_skip_space(out->value_end) : NULL;
}

static char* put_utf8(char* to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* `at` is past "\u"; leaves it past the digits. Two halves of a surrogate pair make one character.
 */
static unsigned take_code(const char** at)
{
    unsigned code = (unsigned)hex_quad(*at);
    *at += 4;
    if (code >= 0xD800 && code < 0xDC00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        unsigned low = (unsigned)hex_quad(*at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            *at += 6;
            return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    int alone = code >= 0xD800 && code < 0xE000;
    return alone || code == 0 ? 0xFFFD : code; // no character: the replacement character
}

char* sari_json_decode_string(const char* start, const char* end)
{
    char* text =
        sari_allocate((size_t)(end - start), 1); // escapes are never shorter than what they mean
    if (!text) return NULL;
    char* to = text;
    for (const char* at = start + 1; at < end - 1;) {
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        at++;
        static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
        const char* letter = strchr(letters, *at);
        if (*at == 'u') {
            at++;
            to = put_utf8(to, take_code(&at));
        } else {
            *to++ = letter ? meant[letter - letters] : *at;
            at++;
        }
    }
    *to = '\0';
    return text;
}
