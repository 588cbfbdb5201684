#include "studies/sweep_range.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 100000, NUMBER = 32 };

/// Lists that span more than this are drawn, and read by people, on a logarithmic line.
static const double log_span = 20.0;

/* ---- numbers -------------------------------------------------------------------------------- */

/* "1e8.5" and its like: strtod stops at the second point. */
static int read_power(const char* text, double* value)
{
    size_t mantissa = strcspn(text, "eE");
    if (!text[mantissa] || mantissa == 0 || mantissa >= NUMBER) return 0;
    char digits[NUMBER] = "", *end;
    memcpy(digits, text, mantissa);
    double factor = strtod(digits, &end);
    if (*end) return 0;
    const char* exponent = text + mantissa + 1;
    if (strcspn(exponent, "eExX") != strlen(exponent)) return 0;
    double power = strtod(exponent, &end);
    if (end == exponent || *end) return 0;
    *value = factor * sari_pow(10.0, power);
    return isfinite(*value);
}

int sar_number_read(const char* text, double* value)
{
    char* end;
    if (!*text || isspace((unsigned char)*text) || strpbrk(text, "xXnN")) return 0; // hex, nan, inf
    *value = strtod(text, &end);
    if (end == text) return 0;
    return *end ? read_power(text, value) : isfinite(*value);
}

/* ---- collecting ----------------------------------------------------------------------------- */

static sar_status add(sari_range* r, const char* text, size_t length, double value)
{
    int capacity = r->capacity;
    if (!sari_grow((void**)&r->texts, r->count, &r->capacity, sizeof *r->texts) ||
        !sari_grow((void**)&r->values, r->count, &capacity, sizeof *r->values))
        return SAR_E_NOMEM;
    char* copy = sari_allocate(length + 1, 1);
    if (!copy) return SAR_E_NOMEM;
    memcpy(copy, text, length);
    r->texts[r->count] = copy;
    r->values[r->count++] = value;
    return SAR_OK;
}

/* 15 digits: 0.3 and not 0.30000000000000004; 1e+08 where that says the same. The text is what a
 * run is given. */
static sar_status add_number(sari_range* r, double value)
{
    char text[NUMBER], shorter[NUMBER];
    snprintf(text, sizeof text, "%.15g", value);
    snprintf(shorter, sizeof shorter, "%g", value);
    double rounded = strtod(text, NULL);
    const char* best = strtod(shorter, NULL) == rounded ? shorter : text;
    return add(r, best, strlen(best), rounded);
}

void sari_range_clear(sari_range* r)
{
    for (int k = 0; k < r->count; k++) sari_release(r->texts[k]);
    sari_release(r->texts);
    sari_release(r->values);
    *r = (sari_range){0};
}

/* ---- lin:FROM:TO:COUNT and log:FROM:TO:COUNT ------------------------------------------------ */

static sar_status split_spaced(const char* kind, const char* text, char field[3][NUMBER],
                               sar_error* error)
{
    int n = 0;
    for (const char* at = text; n < 3; n++) {
        size_t length = strcspn(at, ":");
        if (length == 0 || length >= NUMBER) break;
        memcpy(field[n], at, length);
        field[n][length] = 0;
        at += length;
        int last = n == 2;
        if ((*at == 0) != last) break;
        if (last) return SAR_OK;
        at++;
    }
    return sari_fail(error, SAR_E_ARG, NULL, "expected %s:FROM:TO:COUNT, as in %s:%s", kind, kind,
                     *kind == 'l' && kind[1] == 'o' ? "1e6:1e8.5:6" : "0:1:5");
}

static sar_status read_spaced(int logarithmic, const char* text, sari_range* r, sar_error* error)
{
    char field[3][NUMBER] = {{0}};
    double from, to, count;
    SARI_TRY(split_spaced(logarithmic ? "log" : "lin", text, field, error));
    for (int k = 0; k < 2; k++) {
        double* end = k ? &to : &from;
        if (!sar_number_read(field[k], end))
            return sari_fail(error, SAR_E_ARG, NULL, "\"%s\" is not a number", field[k]);
        if (logarithmic && !(*end > 0.0))
            return sari_fail(error, SAR_E_ARG, NULL,
                             "a logarithmic range needs positive ends, not %s", field[k]);
    }
    if (!sar_number_read(field[2], &count) || count != floor(count) || count < 2 ||
        count > MOST_VALUES)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "the count is \"%s\", expected a whole number from 2 to %d", field[2],
                         MOST_VALUES);
    if (from == to)
        return sari_fail(error, SAR_E_ARG, NULL, "the range begins and ends at %s", field[0]);
    r->scale = logarithmic ? SAR_SCALE_LOG : SAR_SCALE_LINEAR;
    for (int k = 0; k < (int)count; k++) {
        double part = k / (count - 1.0);
        double value =
            logarithmic
                ? sari_pow(10.0, sari_log10(from) + part * (sari_log10(to) - sari_log10(from)))
                : from + part * (to - from);
        SARI_TRY(add_number(r, k == 0 ? from : k == (int)count - 1 ? to : value));
    }
    return SAR_OK;
}

/* ---- list:A,B,C ----------------------------------------------------------------------------- */

static sar_scale scale_of(const sari_range* r)
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < r->count; k++) {
        if (isnan(r->values[k])) return SAR_SCALE_WORDS;
        least = fmin(least, r->values[k]);
        most = fmax(most, r->values[k]);
    }
    return least > 0.0 && most >= log_span * least ? SAR_SCALE_LOG : SAR_SCALE_LINEAR;
}

static sar_status add_item(sari_range* r, const char* text, size_t length, sar_error* error)
{
    char item[64] = "";
    if (length == 0 || length >= sizeof item)
        return sari_fail(error, SAR_E_ARG, NULL,
                         length ? "a value of the list is too long"
                                : "a value of the list is empty; expected A,B,C");
    memcpy(item, text, length);
    double value = NAN;
    int is_number = sar_number_read(item, &value);
    for (int k = 0; k < r->count; k++)
        if (strcmp(r->texts[k], item) == 0 || (is_number && r->values[k] == value))
            return sari_fail(error, SAR_E_ARG, NULL, "the list has %s twice", item);
    if (r->count == MOST_VALUES)
        return sari_fail(error, SAR_E_ARG, NULL, "more than %d values", MOST_VALUES);
    char* end;
    strtod(item, &end);
    // an exponent that only we can read
    if (is_number && *end) return add_number(r, value);
    return add(r, item, length, is_number ? value : NAN);
}

static sar_status read_list(const char* text, sari_range* r, sar_error* error)
{
    for (;;) {
        text += strspn(text, " ");
        size_t length = strcspn(text, ","), used = length;
        while (used > 0 && text[used - 1] == ' ') used--;
        SARI_TRY(add_item(r, text, used, error));
        if (!text[length]) break;
        text += length + 1;
    }
    r->scale = scale_of(r);
    return SAR_OK;
}

sar_status sari_range_read(const char* text, sari_range* range, sar_error* error)
{
    static const char* const kinds[] = {"lin", "log", "list"};
    *range = (sari_range){0};
    size_t length = strcspn(text, ":");
    if (!text[length]) return read_list(text, range, error);
    char kind[NUMBER] = "";
    if (length < sizeof kind) memcpy(kind, text, length);
    const char* rest = text + length + 1;
    if (strcmp(kind, "list") == 0) return read_list(rest, range, error);
    if (strcmp(kind, "log") == 0) return read_spaced(1, rest, range, error);
    if (strcmp(kind, "lin") == 0) return read_spaced(0, rest, range, error);
    const char* near = sari_nearest_word(kind, kinds, 3);
    if (near)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "unknown kind of range \"%s\"; did you mean \"%s\"?", kind, near);
    return sari_fail(error, SAR_E_ARG, NULL,
                     "expected lin:FROM:TO:COUNT, log:FROM:TO:COUNT, list:A,B,C or A,B,C");
}
