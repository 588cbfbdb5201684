/* The options table of simulation.h, expanded: defaults, setting by name, checks. */
#include "sarrus/options.h"
#include "base/status.h"
#include "formulations/row_options.h"
#include "integrators/integrator.h"
#include "sarrus/methods.h"
#include "simulation/simulation.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_type { OPTION_double, OPTION_int } option_type;

typedef struct option {
    const char* name;
    option_type type;
    size_t at;
    double preset;
    const char* word; ///< for the default; "": it has none
    double min, max;
    const char* who;
} option;

static const option options_table[] = {
#define OPTION_ROW(field, type, preset, word, min, max, who, unit, text)                           \
    {#field, OPTION_##type, offsetof(sar_options, field), preset, word, min, max, who},
    SAR_OPTION_LIST(OPTION_ROW)
#undef OPTION_ROW
};
static const char AUTOMATIC[] = "dop853-radau"; ///< integrator of the automatic method
/* Who can take exactly as many iterations as are prescribed. */
static const char FIXED_ITERATIONS[] =
    "integrator:trapezoidal newmark generalised-alpha trapezoidal-fixed-point";
enum { OPTIONS = sizeof options_table / sizeof options_table[0] };

sar_options sar_options_default(void)
{
    sar_options o = {.coordinates = "natural",
                     .formulation = "al3",
                     .integrator = "trapezoidal",
                     .solver = "auto",
#define OPTION_DEFAULT(field, type, preset, word, min, max, who, unit, text) .field = preset,
                     SAR_OPTION_LIST(OPTION_DEFAULT)
#undef OPTION_DEFAULT
    };
    return o;
}

/* But for those that change no bit of a motion. */
uint64_t sari_options_fingerprint(const sar_options* o)
{
    static const char* const idle[] = {"threads", "share", "profile"};
    sari_archive a = {.use = SARI_ARCHIVE_DIGEST};
    const char* const words[] = {o->coordinates, o->formulation, o->integrator, o->solver};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        a.digest = sari_archive_digest(a.digest, words[k], strlen(words[k]));
    for (int k = 0; k < OPTIONS; k++) {
        const option* p = &options_table[k];
        const char* at = (const char*)o + p->at;
        double value = p->type == OPTION_int ? *(const int*)at : *(const double*)at;
        size_t i = 0;
        while (i < sizeof idle / sizeof *idle && strcmp(idle[i], p->name) != 0) i++;
        if (i == sizeof idle / sizeof *idle) sari_archive_numbers(&a, &value, 1);
    }
    sari_archive_range(&a, o->iterations_fixed, 0, 1);
    return *o->rows ? sari_archive_digest(a.digest, o->rows, strlen(o->rows)) : a.digest;
}

void sari_options_copy(const sar_options* from, sar_options* to)
{
    memset(to, 0, sizeof *to);
    snprintf(to->coordinates, sizeof to->coordinates, "%s", from->coordinates);
    snprintf(to->formulation, sizeof to->formulation, "%s", from->formulation);
    snprintf(to->integrator, sizeof to->integrator, "%s", from->integrator);
    snprintf(to->solver, sizeof to->solver, "%s", from->solver);
#define OPTION_COPY(field, type, preset, word, min, max, who, unit, text) to->field = from->field;
    SAR_OPTION_LIST(OPTION_COPY)
#undef OPTION_COPY
    to->iterations_fixed = from->iterations_fixed;
    to->given = from->given;
    to->named = from->named;
    snprintf(to->rows, sizeof to->rows, "%s", from->rows);
}

static char* axis_field(sar_options* o, sar_axis axis)
{
    switch (axis) {
    case SAR_AXIS_COORDINATES:
        return o->coordinates;
    case SAR_AXIS_FORMULATION:
        return o->formulation;
    case SAR_AXIS_INTEGRATOR:
        return o->integrator;
    default:
        return o->solver;
    }
}

static sar_status set_axis(sar_options* o, sar_axis axis, const char* text, sar_error* error)
{
    enum { MOST = 32 };
    const char* words[MOST];
    int n = 0;
    for (; n < sar_axis_members(axis) && n < MOST - 1; n++)
        words[n] = sar_axis_member(axis, n).name;
    if (axis != SAR_AXIS_INTEGRATOR) words[n++] = "auto";
    for (int k = 0; k < n; k++)
        if (strcmp(words[k], text) == 0) {
            snprintf(axis_field(o, axis), sizeof o->coordinates, "%s", text);
            o->named |= 1u << axis;
            return SAR_OK;
        }
    char all[200] = "";
    for (int k = 0; k < n; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", words[k]);
    const char* near = sari_nearest_word(text, words, n);
    return sari_fail(error, SAR_E_ARG, sar_axis_name(axis),
                     "there is no %s called \"%s\"%s%s%s; there are: %s", sar_axis_name(axis), text,
                     near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", all);
}

static sar_status set_preset(sar_options* o, const char* text, sar_error* error)
{
    enum { MOST = 64 };
    const char* words[MOST];
    int n = sar_presets() < MOST ? sar_presets() : MOST;
    for (int k = 0; k < n; k++) {
        sar_preset p = sar_preset_at(k);
        words[k] = p.name;
        if (strcmp(p.name, text) != 0) continue;
        o->named |= 1u << SAR_AXIS_FORMULATION | 1u << SAR_AXIS_INTEGRATOR;
        if (strcmp(p.coordinates, "any") != 0)
            snprintf(o->coordinates, sizeof o->coordinates, "%s", p.coordinates);
        snprintf(o->formulation, sizeof o->formulation, "%s", p.formulation);
        snprintf(o->integrator, sizeof o->integrator, "%s", p.integrator);
        snprintf(o->solver, sizeof o->solver, "%s", p.solver);
        char parameters[256], *rest = parameters;
        snprintf(parameters, sizeof parameters, "%s", p.parameters);
        while (*rest) { // "name=value name=value"
            char* name = rest;
            char* value = strchr(name, '=');
            if (!value) break;
            *value++ = 0;
            rest = value + strcspn(value, " ");
            if (*rest) *rest++ = 0;
            SARI_TRY(sar_options_set(o, name, value, error));
        }
        return SAR_OK;
    }
    const char* near = sari_nearest_word(text, words, n);
    return sari_fail(error, SAR_E_ARG, "preset",
                     "there is no preset called \"%s\"%s%s%s; `sarrus methods` lists them", text,
                     near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

/* A number, or "inf"; the whole text must be one. Independent of the locale's decimal sign. */
static int read_number(const char* text, double* out)
{
    if (strcmp(text, "inf") == 0) {
        *out = INFINITY;
        return 1;
    }
    for (const char* c = text; *c; c++)
        if (!isdigit((unsigned char)*c) && !strchr("+-.eE", *c)) return 0;
    char copy[64], *end;
    const char* sign = localeconv()->decimal_point;
    if (strlen(text) >= sizeof copy || strlen(sign) != 1) return 0;
    snprintf(copy, sizeof copy, "%s", text);
    char* point = strchr(copy, '.');
    if (point) *point = sign[0];
    errno = 0;
    *out = strtod(copy, &end);
    return end != copy && *end == 0 && isfinite(*out);
}

static int same_name(const char* field, const char* name)
{
    for (; *field && *name; field++, name++)
        if (*field != (*name == '-' ? '_' : *name)) return 0;
    return *field == *name;
}

/* "fixed:N": iterations that do not depend on convergence. */
static const char* skip_fixed(const char* name, const char* text)
{
    const int fixed = strcmp(name, "iterations") == 0 && strncmp(text, "fixed:", 6) == 0;
    return fixed ? text + 6 : NULL;
}

static sar_status set_value(sar_options* o, int k, const char* text, sar_error* error)
{
    const option* row = &options_table[k];
    double value;
    const char* fixed = skip_fixed(row->name, text);
    if (fixed) text = fixed;
    if (row->type == OPTION_int && strcmp(text, "true") == 0) text = "1";
    if (row->type == OPTION_int && strcmp(text, "false") == 0) text = "0";
    const int by_word = *row->word && strcmp(text, row->word) == 0;
    if (by_word) value = row->preset;
    if ((!by_word && !read_number(text, &value)) ||
        (row->type == OPTION_int && value != floor(value)))
        return sari_fail(error, SAR_E_ARG, row->name, "%s needs a %s%s%s, not \"%s\"", row->name,
                         row->type == OPTION_int ? "whole number" : "number",
                         *row->word ? " or " : "", row->word, text);
    if (!(value >= row->min && value <= row->max))
        return sari_fail(error, SAR_E_ARG, row->name, "%s = %g is outside of %g ... %g", row->name,
                         value, row->min, row->max);
    if (row->type == OPTION_int)
        *(int*)((char*)o + row->at) = (int)value;
    else
        *(double*)((char*)o + row->at) = value;
    if (row->at == offsetof(sar_options, iterations)) o->iterations_fixed = fixed != NULL;
    o->given |= (uint64_t)1 << k;
    return SAR_OK;
}

/* "NAME=number", of the constraints of a joint or body */
static sar_status set_row(sar_options* o, int k, char* part, sar_error* error)
{
    const option* row = &options_table[k];
    char* value = strchr(part, '=');
    double x;
    *value++ = 0;
    if (!*part || !read_number(value, &x) || !isfinite(x) || x < 0.0 ||
        (strcmp(row->name, "alpha") == 0 && x == 0.0))
        return sari_fail(error, SAR_E_ARG, row->name,
                         "%s needs NAME=NUMBER for the constraints of a joint or body, not "
                         "\"%s=%s\"",
                         row->name, part, value);
    if (sari_row_options_add(o, row->name, part, x) != SAR_OK)
        return sari_fail(error, SAR_E_ARG, row->name,
                         "too many numbers of single constraints: \"%s\" and what follows it has "
                         "no room",
                         part);
    o->given |= (uint64_t)1 << k;
    return SAR_OK;
}

/* Has the option numbers for single constraints? */
static int is_by_row(const char* name)
{
    return strcmp(name, "alpha") == 0 || strcmp(name, "omega") == 0 || strcmp(name, "xi") == 0;
}

/* One number for all, and those of single constraints, by commas */
static sar_status set_values(sar_options* o, int k, const char* text, sar_error* error)
{
    char copy[sizeof o->rows];
    if (!is_by_row(options_table[k].name) || !strchr(text, '='))
        return set_value(o, k, text, error);
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return sari_fail(error, SAR_E_ARG, options_table[k].name, "\"%.60s...\" is too long", text);
    for (char *part = copy, *next; part; part = next) {
        next = strchr(part, ',');
        if (next) *next++ = 0;
        SARI_TRY(strchr(part, '=') ? set_row(o, k, part, error) : set_value(o, k, part, error));
    }
    return SAR_OK;
}

sar_status sar_options_set(sar_options* o, const char* name, const char* text, sar_error* error)
{
    const char* words[OPTIONS + SAR_AXES + 1];
    int n = 0;
    for (int axis = 0; axis < SAR_AXES; axis++) {
        words[n++] = sar_axis_name((sar_axis)axis);
        if (strcmp(name, sar_axis_name((sar_axis)axis)) == 0)
            return set_axis(o, (sar_axis)axis, text, error);
    }
    words[n++] = "preset";
    if (strcmp(name, "preset") == 0) return set_preset(o, text, error);
    for (int k = 0; k < OPTIONS; k++) {
        words[n++] = options_table[k].name;
        if (same_name(options_table[k].name, name)) return set_values(o, k, text, error);
    }
    const char* near = sari_nearest_word(name, words, n);
    return sari_fail(error, SAR_E_ARG, name, "there is no option called \"%s\"%s%s%s", name,
                     near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

/* Is `member` among the words of "axis:member member ..." ? */
static int among(const char* who, const char* axis, const char* member)
{
    size_t prefix = strlen(axis), length = strlen(member);
    if (strncmp(who, axis, prefix) != 0 || who[prefix] != ':') return 0;
    for (const char* w = who + prefix + 1; *w;) {
        size_t word = strcspn(w, " ");
        if (word == length && strncmp(w, member, length) == 0) return 1;
        w += word;
        w += strspn(w, " ");
    }
    return 0;
}

/* Is it an option of the formulation? Those of plug-ins name theirs. */
static int formulation_has(const option* row, const char* formulation)
{
    const sari_formulation_ops* form = sari_formulation_named(formulation);
    char list[256];
    if (strncmp(row->who, "formulation:", 12) != 0) return 0;
    if (!form || !form->options) return among(row->who, "formulation", formulation);
    snprintf(list, sizeof list, "formulation:%s", form->options);
    return among(list, "formulation", row->name);
}

/* Was the option set? */
static int is_given(const sar_options* o, const char* name)
{
    int k = 0;
    while (strcmp(options_table[k].name, name) != 0) k++;
    return (int)(o->given >> k & 1);
}

int sar_options_name_method(const sar_options* o)
{
    if (o->named & (1u << SAR_AXIS_FORMULATION | 1u << SAR_AXIS_INTEGRATOR)) return 1;
    if (is_given(o, "step")) return 1;
    for (int k = 0; k < OPTIONS; k++)
        if ((o->given >> k & 1) && strcmp(options_table[k].who, "run") != 0 &&
            !among(options_table[k].who, "integrator", AUTOMATIC))
            return 1;
    return 0;
}

void sar_options_use_tolerance(sar_options* o)
{
    const sari_integrator_ops* chosen = sari_integrator_named(o->integrator);
    if (is_given(o, "tolerance") && chosen && chosen->sibling)
        snprintf(o->integrator, sizeof o->integrator, "%s", chosen->sibling);
}

sar_status sar_options_check(const sar_options* o, sar_error* error)
{
    const char* why =
        sar_methods_conflict(o->coordinates, o->formulation, o->integrator, o->solver);
    if (why) return sari_fail(error, SAR_E_INCOMPAT, "formulation", "%s", why);
    for (int k = 0; k < OPTIONS; k++) {
        const option* row = &options_table[k];
        if (!(o->given >> k & 1) || strcmp(row->who, "run") == 0) continue;
        if (formulation_has(row, o->formulation) || among(row->who, "integrator", o->integrator))
            continue;
        return sari_fail(error, SAR_E_ARG, row->name,
                         "%s with %s has no option \"%s\": it belongs to %s", o->formulation,
                         o->integrator, row->name, strchr(row->who, ':') + 1);
    }
    if (o->iterations_fixed && !among(FIXED_ITERATIONS, "integrator", o->integrator))
        return sari_fail(error, SAR_E_ARG, "iterations",
                         "%s iterates until it converges: a fixed number of iterations is for %s",
                         o->integrator, strchr(FIXED_ITERATIONS, ':') + 1);
    if (!(o->end > o->start))
        return sari_fail(error, SAR_E_ARG, "end", "end = %g is not after start = %g", o->end,
                         o->start);
    return SAR_OK;
}

/* ---- settings over those of a model --------------------------------------------------------- */

typedef struct settings {
    const char *const *names, *const *values;
    int count;
} settings;

static int has(const settings* of, const char* name)
{
    for (int k = 0; k < of->count; k++)
        if (same_name(name, of->names[k])) return 1;
    return 0;
}

/* Presets first: what else is set, is set over them. */
static sar_status apply_settings(const settings* of, sar_options* o, sar_error* error)
{
    for (int presets = 1; presets >= 0; presets--)
        for (int k = 0; k < of->count; k++)
            if ((strcmp(of->names[k], "preset") == 0) == presets)
                SARI_TRY(sar_options_set(o, of->names[k], of->values[k], error));
    return SAR_OK;
}

/* What the model says of a run, without its method. */
static sar_options without_method(const sar_options* model)
{
    sar_options open = sar_options_default();
    for (int k = 0; k < OPTIONS; k++) {
        const option* row = &options_table[k];
        if (strcmp(row->who, "run") != 0 || strcmp(row->name, "step") == 0) continue;
        memcpy((char*)&open + row->at, (const char*)model + row->at,
               row->type == OPTION_int ? sizeof(int) : sizeof(double));
        open.given |= model->given & (uint64_t)1 << k;
    }
    return open;
}

/* The automatic method is for those who name none: neither here nor in the model, or here only a
 * tolerance, whatever the model says of a method. 1: `o` has it. */
static int leave_open(const settings* of, sar_options* o)
{
    sar_options here = sar_options_default();
    if (apply_settings(of, &here, NULL) != SAR_OK) return 0;
    const int model_names = sar_options_name_method(o);
    if (sar_options_name_method(&here) || (model_names && !has(of, "tolerance"))) return 0;
    sar_options open = model_names ? without_method(o) : *o;
    const int coordinates = open.named >> SAR_AXIS_COORDINATES & 1;
    char kept[sizeof open.coordinates];
    memcpy(kept, open.coordinates, sizeof kept);
    if (set_preset(&open, "auto", NULL) != SAR_OK) return 0;
    if (coordinates) memcpy(open.coordinates, kept, sizeof kept);
    *o = open;
    return 1;
}

/* Options that the model gives to the method that it names mean nothing to another one; only those
 * of the settings are mistakes. */
static void drop_foreign(const settings* of, sar_options* o, uint64_t from_model, uint64_t* dropped)
{
    for (int k = 0; k < OPTIONS; k++) {
        const option* row = &options_table[k];
        const uint64_t bit = (uint64_t)1 << k;
        if (!(from_model & bit) || has(of, row->name) || strcmp(row->who, "run") == 0 ||
            formulation_has(row, o->formulation) || among(row->who, "integrator", o->integrator))
            continue;
        o->given &= ~bit;
        *dropped |= bit;
    }
    if (!o->iterations_fixed || has(of, "iterations") ||
        among(FIXED_ITERATIONS, "integrator", o->integrator))
        return;
    o->iterations_fixed = 0;
    o->iterations = sar_options_default().iterations;
    *dropped |= SAR_DROPPED_FIXED_ITERATIONS;
}

sar_status sar_options_apply(sar_options* o, const char* const* names, const char* const* values,
                             int count, int fixed_step, uint64_t* dropped, sar_error* error)
{
    const settings of = {names, values, count};
    sar_options before = *o;
    uint64_t foreign = 0;
    const int open = !fixed_step && leave_open(&of, o);
    SARI_TRY(apply_settings(&of, o, error));
    if (dropped) *dropped = 0;
    if (open) return sar_options_check(o, error);
    if (!has(&of, "integrator")) sar_options_use_tolerance(o);
    int changed = 0;
    for (int axis = 0; axis < SAR_AXES; axis++)
        changed |= has(&of, sar_axis_name((sar_axis)axis)) ||
                   strcmp(axis_field(o, (sar_axis)axis), axis_field(&before, (sar_axis)axis)) != 0;
    if (changed) drop_foreign(&of, o, before.given, &foreign);
    if (dropped) *dropped = foreign;
    return sar_options_check(o, error);
}

const char* sar_option_name(int k)
{
    return k >= 0 && k < OPTIONS ? options_table[k].name : NULL;
}
