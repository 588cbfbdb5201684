#include "expression/quantity.h"

#include "base/names.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- units ---------------------------------------------------------------------------------- */

/// `prefixes` that it takes.
typedef struct unit_row {
    const char* word;
    double times, by;
    signed char length, mass, time;
    const char* prefixes;
} unit_row;

static const unit_row units[] = {
    {"m", 1, 1, 1, 0, 0, "kcdmun"},
    {"g", 1, 1000, 0, 1, 0, "kmu"},
    {"s", 1, 1, 0, 0, 1, "mun"},
    {"N", 1, 1, 1, 1, -2, "kMGm"},
    {"Nm", 1, 1, 2, 1, -2, "kMm"},
    {"J", 1, 1, 2, 1, -2, "kMm"},
    {"W", 1, 1, 2, 1, -3, "kMm"},
    {"Pa", 1, 1, -1, 1, -2, "hkMG"},
    {"bar", 1e5, 1, -1, 1, -2, "m"},
    {"Hz", 1, 1, 0, 0, -1, "kM"},
    {"rad", 1, 1, 0, 0, 0, "mu"},
    {"deg", PI, 180, 0, 0, 0, ""},
    {"\xc2\xb0", PI, 180, 0, 0, 0, ""}, // degree sign
    {"rev", 2 * PI, 1, 0, 0, 0, ""},
    {"rpm", PI, 30, 0, 0, -1, ""},
    {"t", 1000, 1, 0, 1, 0, ""},
    {"min", 60, 1, 0, 0, 1, ""},
    {"h", 3600, 1, 0, 0, 1, ""},
    {"in", 254, 10000, 1, 0, 0, ""},
    {"ft", 3048, 10000, 1, 0, 0, ""},
    {"lb", 45359237, 1e8, 0, 1, 0, ""},
    {"lbf", 44482216152605.0, 1e13, 1, 1, -2, ""},
};
enum { UNITS = sizeof units / sizeof units[0] };

static const struct {
    const char* word;
    double times, by;
    char letter;
} prefixes[] = {{"k", 1e3, 1, 'k'}, {"M", 1e6, 1, 'M'}, {"G", 1e9, 1, 'G'},
                {"h", 100, 1, 'h'}, {"d", 1, 10, 'd'},  {"c", 1, 100, 'c'},
                {"m", 1, 1e3, 'm'}, {"u", 1, 1e6, 'u'}, {"\xc2\xb5", 1, 1e6, 'u'},
                {"n", 1, 1e9, 'n'}};
enum { PREFIXES = sizeof prefixes / sizeof prefixes[0] };

static bool is_word(const char* name, size_t length, const char* word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

static bool find_row(const char* name, size_t length, char prefix, sari_unit* out)
{
    for (int k = 0; k < UNITS; k++) {
        const unit_row* u = &units[k];
        if (!is_word(name, length, u->word) || (prefix && !strchr(u->prefixes, prefix))) continue;
        *out = (sari_unit){
            u->times, u->by, {u->length, u->mass, u->time, SARI_MEASURED, SARI_NO_FACTOR}};
        return true;
    }
    return false;
}

static bool find_unit(const char* name, size_t length, sari_unit* out)
{
    if (find_row(name, length, 0, out)) return true;
    for (int k = 0; k < PREFIXES; k++) {
        const size_t n = strlen(prefixes[k].word);
        if (length <= n || memcmp(name, prefixes[k].word, n) != 0) continue;
        if (!find_row(name + n, length - n, prefixes[k].letter, out)) continue;
        out->times *= prefixes[k].times;
        out->by *= prefixes[k].by;
        if (out->times > 1 && out->by > 1 && fmod(out->times, out->by) == 0) // kg
            out->times /= out->by, out->by = 1;
        return true;
    }
    return false;
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_letters(const char* a, const char* b)
{
    while (*a && small(*a) == small(*b)) a++, b++;
    return !*a && !*b;
}

const char* sari_unit_near(const char* name, size_t length)
{
    static const char* const words[] = {"mm",  "cm",  "km",  "kg",  "ms",  "kN",  "kNm", "Nm",
                                        "kPa", "MPa", "bar", "deg", "rad", "rpm", "Hz",  "kW"};
    char word[16];
    if (length < 2 || length >= sizeof word) return NULL;
    memcpy(word, name, length);
    word[length] = '\0';
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (same_letters(word, words[k])) return words[k];
    return sari_nearest_word(word, words, (int)(sizeof words / sizeof words[0]));
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    const unsigned char byte = (unsigned char)c;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || byte == 0xc2 || byte == 0xb0 ||
           byte == 0xb5;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "^2", "^-1", "2" or nothing. Returns the characters. */
static int read_power(const char* text, int* power)
{
    int n = text[0] == '^', sign = 1;
    *power = 1;
    if (n && text[n] == '-') sign = -1, n++;
    if (!is_digit(text[n]) || is_digit(text[n + 1])) return 0;
    *power = sign * (text[n] - '0');
    return n + 1;
}

/* One unit with its power, times or divided by. Returns the characters, 0: none. */
static int read_factor(const char* text, sari_unit_taken taken, void* context, int sign,
                       sari_unit* product)
{
    int n = 0, power, digits;
    sari_unit u;
    while (is_letter(text[n])) n++;
    if (n == 0 || !find_unit(text, (size_t)n, &u)) return 0;
    if (taken && taken(context, text, (size_t)n)) return 0;
    digits = read_power(text + n, &power);
    const char end = text[n + digits];
    if (is_letter(end) || is_digit(end) || end == '_' || end == '(') return 0;
    power *= sign;
    for (int k = 0; k < (power < 0 ? -power : power); k++) {
        product->times *= power < 0 ? u.by : u.times;
        product->by *= power < 0 ? u.times : u.by;
    }
    u.dimension = sari_dimension_power(u.dimension, power);
    product->dimension = sari_dimension_product(product->dimension, u.dimension, 1);
    return n + digits;
}

int sari_unit_read(const char* text, sari_unit_taken taken, void* context, sari_unit* out)
{
    *out = (sari_unit){1, 1, {0, 0, 0, SARI_MEASURED, SARI_NO_FACTOR}};
    int used = read_factor(text, taken, context, 1, out);
    while (used > 0) {
        int at = used, sign = 1;
        if (text[at] == '*' || text[at] == '.')
            at++;
        else if (text[at] == '/')
            sign = -1, at++;
        else
            while (text[at] == ' ') at++;
        const int more = at > used ? read_factor(text + at, taken, context, sign, out) : 0;
        if (more == 0) return used;
        used = at + more;
    }
    return 0;
}

/* ---- dimensions ----------------------------------------------------------------------------- */

bool sari_dimension_equal(sari_dimension a, sari_dimension b)
{
    return a.length == b.length && a.mass == b.mass && a.time == b.time;
}

bool sari_dimension_differs(sari_dimension a, sari_dimension b)
{
    return a.known == SARI_MEASURED && b.known == SARI_MEASURED && !sari_dimension_equal(a, b);
}

bool sari_dimension_contradicts(sari_dimension a, sari_dimension b)
{
    return sari_dimension_differs(a, b) && !a.factor && !b.factor;
}

/* Powers of quantities that exist are small. */
static bool is_small(int a, int b, int c)
{
    return a >= -100 && a <= 100 && b >= -100 && b <= 100 && c >= -100 && c <= 100;
}

sari_dimension sari_dimension_product(sari_dimension a, sari_dimension b, int sign)
{
    const int length = a.length + sign * b.length, mass = a.mass + sign * b.mass,
              time = a.time + sign * b.time;
    sari_dimension out = {.known = a.known > b.known ? a.known : b.known};
    if (out.known != SARI_MEASURED) return out;
    if (!is_small(length, mass, time)) return (sari_dimension){.known = SARI_OPEN};
    out.length = (signed char)length, out.mass = (signed char)mass, out.time = (signed char)time;
    out.factor = a.factor > b.factor ? a.factor : b.factor;
    if (a.known != b.known && !out.factor) out.factor = SARI_FACTOR; // one is a plain number
    return out;
}

sari_dimension sari_dimension_power(sari_dimension a, double power)
{
    const double p[3] = {a.length * power, a.mass * power, a.time * power};
    sari_dimension out = {.known = a.known, .factor = a.factor};
    if (a.known != SARI_MEASURED) return out;
    for (int k = 0; k < 3; k++)
        if (!(fabs(p[k]) <= 100) || p[k] != round(p[k]))
            return (sari_dimension){.known = SARI_OPEN};
    out.length = (signed char)p[0], out.mass = (signed char)p[1], out.time = (signed char)p[2];
    return out;
}

sari_dimension sari_dimension_either(sari_dimension a, sari_dimension b)
{
    if (sari_dimension_differs(a, b) &&
        (a.factor || b.factor)) { // by the unit of a factor of one of them
        sari_dimension out = a.factor ? b : a;
        out.factor = SARI_FACTOR_USED;
        return out;
    }
    if (a.known == SARI_MEASURED) return a;
    if (b.known == SARI_MEASURED) return b;
    return a.known == SARI_OPEN ? a : b;
}

/* ---- words ---------------------------------------------------------------------------------- */

static const struct {
    signed char length, mass, time;
    const char *word, *unit;
} kinds[] = {
    {1, 0, 0, "a length", "m"},
    {0, 1, 0, "a mass", "kg"},
    {0, 0, 1, "a time", "s"},
    {0, 0, 0, "an angle or a number", "rad"},
    {1, 0, -1, "a speed", "m/s"},
    {0, 0, -1, "an angular velocity or a frequency", "rad/s"},
    {1, 0, -2, "an acceleration", "m/s^2"},
    {0, 0, -2, "an angular acceleration", "rad/s^2"},
    {1, 1, -2, "a force", "N"},
    {2, 1, -2, "a torque or an energy", "N m"},
    {0, 1, -2, "a stiffness", "N/m"},
    {0, 1, -1, "a damping", "N s/m"},
    {2, 1, -1, "a rotational damping", "N m s/rad"},
    {2, 1, 0, "a moment of inertia", "kg m^2"},
    {-1, 1, -2, "a pressure", "Pa"},
    {2, 1, -3, "a power", "W"},
    {-3, 1, 0, "a density", "kg/m^3"},
    {2, 0, 0, "an area", "m^2"},
    {3, 0, 0, "a volume", "m^3"},
};

const char* sari_dimension_describe(sari_dimension d, char* text, size_t size)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (kinds[k].length == d.length && kinds[k].mass == d.mass && kinds[k].time == d.time) {
            snprintf(text, size, "%s [%s]", kinds[k].word, kinds[k].unit);
            return text;
        }
    snprintf(text, size, "in [m^%d kg^%d s^%d]", d.length, d.mass, d.time);
    return text;
}

/* The next unit in brackets; NULL after the last one. */
static const char* next_unit(const char* text, sari_unit* out, bool* whole)
{
    const char* open = strchr(text, '[');
    if (!open) return NULL;
    const size_t length = strcspn(open + 1, "]");
    const int used = sari_unit_read(open + 1, NULL, NULL, out);
    *whole = (size_t)used == length && open[1 + length] == ']';
    return open + 1 + length;
}

bool sari_unit_listed(const char* text, int k, sari_dimension* out)
{
    sari_unit u;
    bool any = false, whole;
    for (int i = 0; i <= k && (text = next_unit(text, &u, &whole)); i++) {
        if (!whole) return false;
        any = true, *out = u.dimension;
    }
    return any;
}

/* Is it one of the units themselves? */
static bool fits_exactly(sari_dimension d, const char* text)
{
    sari_unit u;
    bool any = true, whole;
    if (d.known != SARI_MEASURED || !text) return true;
    while ((text = next_unit(text, &u, &whole))) {
        if (!whole || sari_dimension_equal(u.dimension, d)) return true;
        any = false;
    }
    return any;
}

bool sari_dimension_fits(sari_dimension d, const char* text)
{
    return d.factor || fits_exactly(d, text);
}

/* "kg", "N m", "m^2 kg^-1" */
static void name_unit(sari_dimension d, char* unit, size_t size)
{
    const struct {
        int power;
        const char* word;
    } parts[] = {{d.mass, "kg"}, {d.length, "m"}, {d.time, "s"}};
    size_t used = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (kinds[k].length == d.length && kinds[k].mass == d.mass && kinds[k].time == d.time) {
            snprintf(unit, size, "%s", kinds[k].unit);
            return;
        }
    unit[0] = '\0';
    for (int k = 0; k < 3 && used < size; k++) {
        const char* blank = used ? " " : "";
        if (parts[k].power == 1)
            used += (size_t)snprintf(unit + used, size - used, "%s%s", blank, parts[k].word);
        else if (parts[k].power != 0)
            used += (size_t)snprintf(unit + used, size - used, "%s%s^%d", blank, parts[k].word,
                                     parts[k].power);
    }
}

const char* sari_dimension_lacks(sari_dimension d, const char* text, char* unit, size_t size)
{
    sari_unit u;
    bool whole;
    unit[0] = '\0';
    if (d.known != SARI_MEASURED || !text || !next_unit(text, &u, &whole)) return unit;
    if (whole && !sari_dimension_equal(u.dimension, d))
        name_unit(sari_dimension_product(u.dimension, d, -1), unit, size);
    return unit;
}

bool sari_dimension_assumed(sari_dimension d, const char* text, char* unit, size_t size)
{
    const sari_dimension number = {.known = SARI_MEASURED};
    unit[0] = '\0';
    if (d.factor == SARI_FACTOR_USED) return fits_exactly(d, text);
    if (!d.factor || sari_dimension_equal(d, number) || fits_exactly(d, text)) return false;
    sari_dimension_lacks(d, text, unit, size);
    return true;
}

const char* sari_unit_expected(const char* text, char* out, size_t size)
{
    sari_unit u;
    bool whole;
    size_t used = 0;
    out[0] = '\0';
    while ((text = next_unit(text, &u, &whole)) && used < size) {
        char kind[96];
        const int bytes = snprintf(out + used, size - used, "%s%s", used ? " or " : "",
                                   sari_dimension_describe(u.dimension, kind, sizeof kind));
        used += bytes > 0 ? (size_t)bytes : 0;
    }
    return out;
}
