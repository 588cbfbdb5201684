#include "sweep/outcome.h"

#include "common/measures.h"

#include "studies/sweeps.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char* const end_words[CLI_ENDS] = {
    "completed", "failed", "cannot assemble", "invalid model", "no such method", "crashed"};

const char* cli_end_word(cli_end end)
{
    return end_words[end];
}

/* ---- from a trial --------------------------------------------------------------------------- */

static void say(cli_outcome* o, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void say(cli_outcome* o, const char* format, ...)
{
    size_t used = strlen(o->verdict);
    va_list arguments;
    va_start(arguments, format);
    if (used > 0) used += (size_t)snprintf(o->verdict + used, sizeof o->verdict - used, "; ");
    if (used < sizeof o->verdict)
        vsnprintf(o->verdict + used, sizeof o->verdict - used, format, arguments);
    va_end(arguments);
    for (char* c = o->verdict; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' '; // one line
}

static int drifts(const cli_outcome* o)
{
    double scale = o->measure[SAR_MEASURE_ENERGY_SCALE];
    return !(o->measure[SAR_MEASURE_MAX_DRIFT] <= SAR_DRIFT_LIMIT * scale) && scale > 0.0;
}

static void judge(cli_outcome* o)
{
    const double* m = o->measure;
    if (drifts(o))
        say(o, "energy drift %.2g %% of the energy in the motion",
            100.0 * m[SAR_MEASURE_MAX_DRIFT] / m[SAR_MEASURE_ENERGY_SCALE]);
    if (m[SAR_MEASURE_BRANCH_CHANGES] > 0) say(o, "left its branch");
    if (m[SAR_MEASURE_NOT_CONVERGED] > 0)
        say(o, "%.0f steps not converged", m[SAR_MEASURE_NOT_CONVERGED]);
    if (!*o->verdict) say(o, "ok");
}

cli_outcome cli_outcome_of(const sar_trial* t)
{
    cli_outcome o = {.end = t->status == SAR_OK           ? CLI_END_COMPLETED
                            : t->status == SAR_E_ASSEMBLY ? CLI_END_ASSEMBLY
                                                          : CLI_END_FAILED};
    cli_measures_of(t, o.measure);
    if (o.end == CLI_END_COMPLETED)
        judge(&o);
    else
        say(&o, "%s", t->failure);
    return o;
}

cli_outcome cli_outcome_failed(cli_end end, const char* why)
{
    cli_outcome o = {.end = end};
    for (int k = 0; k < SAR_MEASURES; k++) o.measure[k] = NAN;
    say(&o, "%s", why);
    return o;
}

/* ---- as a line ------------------------------------------------------------------------------ */

/* Numbers in hexadecimal: exact, and several times cheaper than their decimals. */
void cli_outcome_write(const cli_outcome* o, char* line, size_t size)
{
    size_t used = (size_t)snprintf(line, size, "%d", (int)o->end);
    for (int k = 0; k < SAR_MEASURES; k++)
        used += (size_t)snprintf(line + used, size - used, " %a", o->measure[k]);
    snprintf(line + used, size - used, " %s", o->verdict);
}

int cli_outcome_read(const char* line, cli_outcome* o)
{
    char* at;
    long end = strtol(line, &at, 10);
    if (at == line || end < 0 || end >= CLI_ENDS) return -1;
    *o = (cli_outcome){.end = (cli_end)end};
    for (int k = 0; k < SAR_MEASURES; k++) {
        const char* from = at;
        o->measure[k] = strtod(from, &at);
        if (at == from) return -1;
    }
    if (*at++ != ' ') return -1;
    snprintf(o->verdict, sizeof o->verdict, "%s", at);
    return 0;
}

/* ---- conditions ----------------------------------------------------------------------------- */

static int find_measure(const char* name, char** why)
{
    const int found = sar_measure_find(name, 1);
    if (found >= 0) return found;
    cli_words names = {0};
    char* all = cli_format("%s", "");
    for (int m = 0; m < SAR_MEASURES; m++) {
        cli_append(&all, "%s%s", m ? ", " : "", sar_measure_at(m).name);
        cli_words_add(&names, "%s", sar_measure_at(m).name);
        cli_words_split(&names, sar_measure_at(m).older, " ");
    }
    const char* nearest = cli_nearest(name, (const char* const*)names.items, names.count);
    *why = nearest ? cli_format("no measure is called '%s'; did you mean '%s'?", name, nearest)
                   : cli_format("no measure is called '%s'; there are %s", name, all);
    free(all);
    cli_words_clear(&names);
    return -1;
}

/// `text` is one condition. It is taken apart in place.
static int read_condition(char* text, cli_conditions* c, char** why)
{
    size_t length = strcspn(text, "<>=");
    char sign = text[length];
    if (length == 0 || !sign) {
        *why = cli_format("'%s' is not a condition; expected one like drift<0.125", text);
        return -1;
    }
    char* bound = text + length + 1;
    int or_equal = sign != '=' && *bound == '=';
    bound += or_equal;
    text[length] = 0;
    if (c->count == (int)(sizeof c->items / sizeof *c->items)) {
        *why = cli_format("more than %d conditions", c->count);
        return -1;
    }
    int measure = find_measure(text, why);
    if (measure < 0) return -1;
    c->items[c->count].measure = measure;
    c->items[c->count].relation = (char)(!or_equal ? sign : sign == '<' ? 'l' : 'g');
    if (!sar_number_read(bound, &c->items[c->count].bound)) {
        *why = cli_format("'%s' is not a number", bound);
        return -1;
    }
    c->count++;
    return 0;
}

int cli_conditions_read(const char* text, cli_conditions* conditions, char** why)
{
    char* copy = cli_allocate(strlen(text) + 1, 1);
    size_t used = 0;
    for (const char* c = text; *c; c++)
        if (*c != ' ') copy[used++] = *c;
    int failed = 0;
    for (char* at = copy; !failed;) {
        size_t length = strcspn(at, ",");
        int last = !at[length];
        at[length] = 0;
        failed = read_condition(at, conditions, why);
        if (last) break;
        at += length + 1;
    }
    free(copy);
    return failed;
}

static int holds(double value, char relation, double bound)
{
    switch (relation) {
    case '<':
        return value < bound;
    case '>':
        return value > bound;
    case 'l':
        return value <= bound;
    case 'g':
        return value >= bound;
    default:
        return value == bound;
    }
}

int cli_conditions_hold(const cli_conditions* c, const cli_outcome* o)
{
    if (o->end != CLI_END_COMPLETED) return 0;
    if (c->count == 0) return !drifts(o) && o->measure[SAR_MEASURE_BRANCH_CHANGES] == 0;
    for (int k = 0; k < c->count; k++)
        if (!holds(o->measure[c->items[k].measure], c->items[k].relation, c->items[k].bound))
            return 0;
    return 1;
}
