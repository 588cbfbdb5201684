#include "formulations/row_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of `rows` is "option:name=hex digits of the number,": exact, whatever the locale. */
typedef struct entry {
    const char *option, *name, *value;
    size_t option_length, name_length;
} entry;

/* The entry at `at`, which moves on; 0: there is none. */
static int next(const char** at, entry* e)
{
    const char* colon = strchr(*at, ':');
    const char* equals = colon ? strchr(colon, '=') : NULL;
    const char* end = equals ? strchr(equals, ',') : NULL;
    if (!end) return 0;
    *e = (entry){*at, colon + 1, equals + 1, (size_t)(colon - *at), (size_t)(equals - colon - 1)};
    *at = end + 1;
    return 1;
}

static int same(const char* text, size_t length, const char* word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static double number(const char* hex)
{
    const unsigned long long bits = strtoull(hex, NULL, 16);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

sar_status sari_row_options_add(sar_options* o, const char* option, const char* name, double value)
{
    unsigned long long bits;
    memcpy(&bits, &value, sizeof value);
    const size_t used = strlen(o->rows);
    const int needed =
        snprintf(o->rows + used, sizeof o->rows - used, "%s:%s=%llx,", option, name, bits);
    if ((size_t)needed < sizeof o->rows - used) return SAR_OK;
    o->rows[used] = 0;
    return SAR_E_ARG;
}

double sari_row_option(const sari_equations* sys, const sar_options* o, const char* option, int row,
                       double all)
{
    entry e;
    for (const char* at = o->rows; next(&at, &e);)
        if (same(e.option, e.option_length, option) &&
            same(e.name, e.name_length, sari_equations_row_name(sys, row)))
            all = number(e.value);
    return all;
}

double* sari_row_penalties(const sari_equations* sys, const sar_options* o, sari_arena* memory)
{
    double* alpha = sari_row_options_have(o, "alpha") ? SARI_TAKE(memory, double, sys->nc) : NULL;
    for (int r = 0; alpha && r < sys->nc; r++) alpha[r] = sari_row_option(sys, o, "alpha", r, 0.0);
    return alpha;
}

int sari_row_options_have(const sar_options* o, const char* option)
{
    entry e;
    for (const char* at = o->rows; next(&at, &e);)
        if (same(e.option, e.option_length, option)) return 1;
    return 0;
}

const char* sari_row_options_missing(const sari_equations* sys, const sar_options* o,
                                     const char* from, char* name, size_t room)
{
    entry e;
    for (const char* at = from ? from : o->rows; next(&at, &e);) {
        int r = 0;
        while (r < sys->nc && !same(e.name, e.name_length, sari_equations_row_name(sys, r))) r++;
        if (r < sys->nc) continue;
        snprintf(name, room, "%.*s", (int)e.name_length, e.name);
        return at;
    }
    return NULL;
}
