#include "common/files/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cli_json cli_json_begin(FILE* out)
{
    return (cli_json){.out = out};
}

/// Length of the well-formed UTF-8 sequence that starts here, 0 if there is none (RFC 3629).
static int utf8_length(const unsigned char* s)
{
    if (s[0] < 0x80) return 1;
    int length = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    for (int k = 1; k < length; k++)
        if ((s[k] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0; // longer than needed
    if (s[0] == 0xed && s[1] > 0x9f) return 0; // a half of a surrogate pair
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] > 0x8f) return 0; // beyond U+10FFFF
    return length;
}

static void put_string(FILE* out, const char* text)
{
    fputc('"', out);
    for (const unsigned char* s = (const unsigned char*)text; *s;) {
        int length = utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", out);
            s++;
        } else if (length > 1) {
            fwrite(s, 1, (size_t)length, out);
            s += length;
        } else {
            const char* special = "\"\\\n\r\t\b\f";
            const char* found = strchr(special, *s);
            if (found)
                fprintf(out, "\\%c", "\"\\nrtbf"[found - special]);
            else if (*s < 0x20 || *s == 0x7f)
                fprintf(out, "\\u%04x", *s);
            else
                fputc(*s, out);
            s++;
        }
    }
    fputc('"', out);
}

/// Comma, line and key before a value. Only the two outer levels get lines of their own: one
/// object per line below that stays readable and short.
static void begin_value(cli_json* j, const char* key)
{
    if (j->depth > 0) {
        int* count = &j->count[j->depth - 1];
        if (*count > 0) fputc(',', j->out);
        if (j->depth <= 2)
            fprintf(j->out, "\n%*s", 2 * j->depth, "");
        else if (*count > 0)
            fputc(' ', j->out);
        (*count)++;
    }
    if (!key) return;
    put_string(j->out, key);
    fputs(": ", j->out);
}

void cli_json_open(cli_json* j, const char* key, char bracket)
{
    begin_value(j, key);
    fputc(bracket, j->out);
    j->closing[j->depth] = bracket == '{' ? '}' : ']';
    j->count[j->depth++] = 0;
}

void cli_json_close(cli_json* j)
{
    j->depth--;
    if (j->count[j->depth] > 0 && j->depth < 2) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    fputc(j->closing[j->depth], j->out);
    if (j->depth == 0) fputc('\n', j->out);
}

void cli_json_text(cli_json* j, const char* key, const char* text)
{
    begin_value(j, key);
    if (text)
        put_string(j->out, text);
    else
        fputs("null", j->out);
}

void cli_json_number(cli_json* j, const char* key, double value)
{
    begin_value(j, key);
    if (!isfinite(value)) {
        fputs("null", j->out);
        return;
    }
    // the shortest of the forms that read back as the same number
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, j->out);
}

void cli_json_numbers(cli_json* j, const char* key, const double* values, int count)
{
    cli_json_open(j, key, '[');
    for (int k = 0; k < count; k++) cli_json_number(j, NULL, values[k]);
    cli_json_close(j);
}

void cli_json_short(cli_json* j, const char* key, double value)
{
    begin_value(j, key);
    fprintf(j->out, isfinite(value) ? "%.7g" : "null", value);
}

void cli_json_integer(cli_json* j, const char* key, long value)
{
    begin_value(j, key);
    fprintf(j->out, "%ld", value);
}

void cli_json_boolean(cli_json* j, const char* key, int value)
{
    begin_value(j, key);
    fputs(value ? "true" : "false", j->out);
}
