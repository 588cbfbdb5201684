#include "studies/functional.h"

#include "base/status.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const names[] = {"start", "end", "integral", "mean", "rms", "max", "min"};

sar_status sari_functionals_create(sari_functionals* f, size_t characters)
{
    *f = (sari_functionals){0};
    f->expression = sari_arena_take(&f->memory, characters + 1, sizeof *f->expression);
    f->reducer = SARI_TAKE(&f->memory, sari_reducer, characters + 1);
    return f->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

void sari_functionals_clear(sari_functionals* f)
{
    sari_arena_clear(&f->memory);
}

void sari_reducer_name(int k, char name[32])
{
    snprintf(name, 32, "of_the_run_%d", k + 1);
}

int sari_functionals_expression(sari_functionals* f, const char* text, size_t length)
{
    while (length && isspace((unsigned char)*text)) text++, length--;
    while (length && isspace((unsigned char)text[length - 1])) length--;
    for (int k = 0; k < f->expressions; k++)
        if (strlen(f->expression[k]) == length && memcmp(f->expression[k], text, length) == 0)
            return k;
    char* copy = SARI_TAKE(&f->memory, char, length + 1);
    if (!copy) return 0;
    memcpy(copy, text, length);
    f->expression[f->expressions] = copy;
    return f->expressions++;
}

/* The parenthesis that closes the one at `open`; *arguments: how many it holds. NULL: none does. */
static const char* closing(const char* open, int* arguments)
{
    int depth = 0;
    *arguments = 1;
    for (const char* at = open; *at; at++) {
        if (*at == '(' || *at == '[') depth++;
        if ((*at == ')' || *at == ']') && --depth == 0) return at;
        if (*at == ',' && depth == 1) ++*arguments;
    }
    return NULL;
}

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Does a reducer begin here? Its kind and its parenthesis, or -1. */
static int begins(const char* text, const char* at, const char** open)
{
    if (at > text && is_word(at[-1])) return -1;
    for (int k = 0; k <= SARI_MIN; k++) {
        const size_t length = strlen(names[k]);
        if (strncmp(at, names[k], length) != 0) continue;
        const char* after = at + length;
        while (*after == ' ') after++;
        if (*after != '(') continue;
        int arguments;
        const char* end = closing(after, &arguments);
        *open = after;
        // max(a, b) is a function of expressions
        if (end && arguments > 1 && (k == SARI_MAX || k == SARI_MIN)) continue;
        return k;
    }
    return -1;
}

sar_status sari_functional_read(sari_functionals* f, const char* text, sari_functional* out,
                                sar_error* error)
{
    size_t room = 32 * strlen(text) + 64, n = 0;
    *out = (sari_functional){.whole = -1, .first = f->reducers};
    char* outer = out->outer = SARI_TAKE(&f->memory, char, room);
    if (!outer) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (const char* at = text; *at;) {
        const char* open;
        const int kind = begins(text, at, &open);
        if (kind < 0) {
            outer[n++] = *at++;
            continue;
        }
        int arguments;
        const char* end = closing(open, &arguments);
        if (!end)
            return sari_fail(error, SAR_E_ARG, NULL, "'%s': a parenthesis is not closed", text);
        char name[32];
        sari_reducer_name(f->reducers, name);
        n += (size_t)snprintf(outer + n, room - n, "%s", name);
        f->reducer[f->reducers++] = (sari_reducer){
            kind, sari_functionals_expression(f, open + 1, (size_t)(end - open - 1))};
        out->count++;
        at = end + 1;
    }
    char only[32];
    sari_reducer_name(out->first, only);
    const size_t skip = strspn(outer, " "), length = strlen(only);
    if (out->count == 1 && strncmp(outer + skip, only, length) == 0 &&
        outer[skip + length + strspn(outer + skip + length, " ")] == 0)
        out->whole = out->first;
    return f->memory.failed ? sari_fail(error, SAR_E_NOMEM, NULL, "out of memory") : SAR_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

double sari_sample_weight(int i, int count)
{
    const double third = 1.0 / (3.0 * (count - 1));
    return i == 0 || i == count - 1 ? third : i % 2 ? 4.0 * third : 2.0 * third;
}

/* The largest (sign 1) or smallest (-1) sample. */
static int extreme(const double* y, int count, int columns, double sign)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (sign * y[(long)i * columns] > sign * y[(long)best * columns]) best = i;
    return best;
}

double sari_reducer_value(const sari_reducer* r, const double* y, int count, int columns, double T,
                          double* slope)
{
    const double* at = y + r->column;
    double sum = 0.0;
    int one = r->kind == SARI_END   ? count - 1
              : r->kind == SARI_MAX ? extreme(at, count, columns, 1.0)
              : r->kind == SARI_MIN ? extreme(at, count, columns, -1.0)
                                    : 0;
    const int single =
        r->kind == SARI_START || r->kind == SARI_END || r->kind == SARI_MAX || r->kind == SARI_MIN;
    for (int i = 0; i < count && slope; i++) slope[i] = 0.0;
    if (single) {
        if (slope) slope[one] = 1.0;
        return at[(long)one * columns];
    }
    for (int i = 0; i < count; i++) {
        const double v = at[(long)i * columns], w = sari_sample_weight(i, count);
        sum += w * (r->kind == SARI_RMS ? v * v : v);
        if (slope) slope[i] = r->kind == SARI_RMS ? w * v : r->kind == SARI_INTEGRAL ? w * T : w;
    }
    if (r->kind == SARI_INTEGRAL) return sum * T;
    if (r->kind == SARI_MEAN) return sum;
    const double root = sqrt(sum);
    for (int i = 0; i < count && slope; i++) slope[i] = root > 0.0 ? slope[i] / root : 0.0;
    return root;
}
