#include "common/method.h"

#include "common/command.h"

#include "sarrus/methods.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table of parameters ---------------------------------------------------------------- */

typedef struct row {
    const char* field;
    int is_integer;
    double preset;
    const char* word;
    double min, max;
    const char *who, *unit, *text;
    size_t offset;
} row;

static const row rows[] = {
#define ROW(field, type, preset, word, min, max, who, unit, text)                                  \
    {#field, _Generic((type)0, int : 1, default : 0),                                              \
     preset, word,                                                                                 \
     min,    max,                                                                                  \
     who,    unit,                                                                                 \
     text,   offsetof(sar_options, field)},
    SAR_OPTION_LIST(ROW)
#undef ROW
};

#define ONE(field, type, preset, word, min, max, who, unit, text) +1
enum { FOR_USERS = 0 SAR_USER_OPTIONS(ONE) };
#undef ONE

int cli_parameters(void)
{
    return (int)(sizeof rows / sizeof *rows);
}

cli_parameter cli_parameter_at(int k)
{
    const row* r = &rows[k];
    cli_parameter parameter = {.field = r->field,
                               .is_integer = r->is_integer,
                               .for_studies = k >= FOR_USERS,
                               .preset = r->preset,
                               .word = r->word,
                               .min = r->min,
                               .max = r->max,
                               .who = r->who,
                               .unit = r->unit,
                               .text = r->text};
    snprintf(parameter.name, sizeof parameter.name, "%s", r->field);
    for (char* c = parameter.name; *c; c++)
        if (*c == '_') *c = '-';
    return parameter;
}

double cli_parameter_value(int k, const sar_options* options)
{
    const char* field = (const char*)options + rows[k].offset;
    return rows[k].is_integer ? *(const int*)field : *(const double*)field;
}

static const char* axis_choice(const sar_options* options, sar_axis axis)
{
    switch (axis) {
    case SAR_AXIS_COORDINATES:
        return options->coordinates;
    case SAR_AXIS_FORMULATION:
        return options->formulation;
    case SAR_AXIS_INTEGRATOR:
        return options->integrator;
    default:
        return options->solver;
    }
}

int cli_parameter_applies(int k, const sar_options* options)
{
    const char* members = strchr(rows[k].who, ':');
    if (!members) return 1;
    size_t length = (size_t)(members - rows[k].who);
    int applies = 0;
    for (int axis = 0; axis < SAR_AXES; axis++) {
        const char* name = sar_axis_name((sar_axis)axis);
        if (strlen(name) != length || strncmp(name, rows[k].who, length) != 0) continue;
        const char* choice = axis_choice(options, (sar_axis)axis);
        for (const char* word = members + 1; *word && !applies;) {
            const size_t end = strcspn(word, " ");
            applies = end == strlen(choice) && strncmp(word, choice, end) == 0;
            word += end + (word[end] == ' ');
        }
    }
    return applies;
}

/// Is the word one of the members of an axis?
static int is_member(sar_axis axis, const char* word)
{
    for (int k = 0; k < sar_axis_members(axis); k++)
        if (strcmp(sar_axis_member(axis, k).name, word) == 0) return 1;
    return 0;
}

int cli_parameter_exists(int k)
{
    const char* members = strchr(rows[k].who, ':');
    if (!members) return 1;
    int exists = 0;
    cli_words words = {0};
    cli_words_split(&words, members + 1, " ");
    for (int m = 0; m < words.count; m++)
        for (int axis = 0; axis < SAR_AXES; axis++)
            exists |= is_member((sar_axis)axis, words.items[m]);
    cli_words_clear(&words);
    return exists;
}

/// Is it the field, or the option of that name?
static int means_field(const char* name, const char* field)
{
    if (strcmp(name, field) == 0) return 1;
    while (*name && *name == (*field == '_' ? '-' : *field)) name++, field++;
    return !*name && !*field;
}

int cli_parameter_find(const char* name)
{
    for (int k = 0; k < cli_parameters(); k++)
        if (means_field(name, rows[k].field)) return k;
    return -1;
}

char* cli_options_as_typed(const char* text)
{
    char* out = cli_allocate(2 * strlen(text) + 1, 1);
    char* end = out;
    while (*text) {
        const char* close = *text == '`' ? strchr(text + 1, '`') : NULL;
        char* word = close ? cli_format("%.*s", (int)(close - text - 1), text + 1) : NULL;
        const int k = word ? cli_parameter_find(word) : -1;
        free(word);
        if (k < 0) {
            *end++ = *text++;
            continue;
        }
        end += sprintf(end, "--%s", cli_parameter_at(k).name);
        text = close + 1;
    }
    return out;
}

int cli_method_knows(const char* name)
{
    for (int axis = 0; axis < SAR_AXES; axis++)
        if (strcmp(name, sar_axis_name((sar_axis)axis)) == 0) return 1;
    return strcmp(name, "preset") == 0 || cli_parameter_find(name) >= 0;
}

/* ---- the settings of a command line --------------------------------------------------------- */

int cli_method_set(cli_method* method, const char* command, const char* name, const char* value)
{
    sar_options scratch = sar_options_default();
    sar_error error = {0};
    if (!value) value = "1";
    if (sar_options_set(&scratch, name, value, &error) != SAR_OK) {
        cli_error(command, "--%s %s: %s", name, value, error.message);
        return CLI_USAGE;
    }
    if (strcmp(name, "preset") == 0) {
        free(method->preset);
        method->preset = cli_format("%s", value);
        return 0;
    }
    cli_words_add(&method->names, "%s", name);
    cli_words_add(&method->values, "%s", value);
    return 0;
}

int cli_method_fixes_iterations(const sar_options* options)
{
    sar_options fixed = *options;
    fixed.given = 0; // options of others are another matter
    fixed.iterations_fixed = 1;
    return sar_options_check(&fixed, NULL) == SAR_OK;
}

static void say_dropped(uint64_t dropped, cli_words* warnings)
{
    for (int k = 0; k < cli_parameters() && k < 63; k++)
        if (dropped >> k & 1)
            cli_words_add(warnings,
                          "the model's '%s' is not used: the chosen method has no such option",
                          rows[k].field);
    if (dropped & SAR_DROPPED_FIXED_ITERATIONS)
        cli_words_add(warnings,
                      "the model's fixed number of iterations is not used: the chosen method "
                      "iterates until it converges");
}

/// One setting over `options`; the message says which one it was.
static sar_status apply(sar_options* options, const char* name, const char* value, sar_error* error)
{
    sar_error why = {0};
    sar_status status = sar_options_set(options, name, value, &why);
    if (status == SAR_OK) return SAR_OK;
    *error = why;
    snprintf(error->message, sizeof error->message, "--%s %s: %.*s", name, value,
             (int)sizeof error->message / 2, why.message);
    return status;
}

sar_status cli_method_try(const cli_method* method, sar_options* options, cli_words* warnings,
                          sar_error* error)
{
    sar_options scratch = *options; // the message names the setting that is wrong
    sar_status status = SAR_OK;
    if (method->preset) status = apply(&scratch, "preset", method->preset, error);
    for (int m = 0; m < method->names.count && status == SAR_OK; m++)
        status = apply(&scratch, method->names.items[m], method->values.items[m], error);
    if (status != SAR_OK) return status;
    cli_words names = {0}, values = {0};
    if (method->preset) {
        cli_words_add(&names, "preset");
        cli_words_add(&values, "%s", method->preset);
    }
    for (int m = 0; m < method->names.count; m++) {
        cli_words_add(&names, "%s", method->names.items[m]);
        cli_words_add(&values, "%s", method->values.items[m]);
    }
    uint64_t dropped = 0;
    status = sar_options_apply(options, (const char* const*)names.items,
                               (const char* const*)values.items, names.count, method->fixed_step,
                               &dropped, error);
    say_dropped(dropped, warnings);
    cli_words_clear(&names);
    cli_words_clear(&values);
    return status;
}

int cli_method_apply(const cli_method* method, const char* command, sar_options* options,
                     cli_words* warnings)
{
    sar_error error = {0};
    if (cli_method_try(method, options, warnings, &error) == SAR_OK) return 0;
    cli_error(command, "%s", error.message);
    if (strncmp(error.message, "--", 2) != 0)
        cli_hint("'sarrus methods' shows what works together and which options each method has.");
    return CLI_USAGE;
}

int cli_method_choose(const char* command, const char* path, const sar_model* model,
                      sar_options* options, char* reason, size_t length)
{
    sar_error error = {0};
    const sar_status status = sar_options_choose(options, model, reason, length, &error);
    if (status == SAR_OK) return 0;
    cli_error(command, "%s: %s", path, error.message);
    return status == SAR_E_NOMEM ? CLI_FAILED : status == SAR_E_MODEL ? CLI_MODEL : CLI_USAGE;
}

void cli_method_clear(cli_method* method)
{
    cli_words_clear(&method->names);
    cli_words_clear(&method->values);
    free(method->preset);
    method->preset = NULL;
}

/* ---- citations ------------------------------------------------------------------------------ */

void cli_method_cite(const cli_method* method, const sar_options* options, const char* solver,
                     cli_words* keys)
{
    for (int k = 0; method->preset && k < sar_presets(); k++) {
        sar_preset preset = sar_preset_at(k);
        if (strcmp(preset.name, method->preset) == 0) cli_words_split(keys, preset.cite, " ,");
    }
    for (int axis = 0; axis < SAR_AXES; axis++) {
        const char* choice = axis_choice(options, (sar_axis)axis);
        if (axis == SAR_AXIS_SOLVER && *solver) choice = solver;
        for (int k = 0; k < sar_axis_members((sar_axis)axis); k++) {
            sar_member member = sar_axis_member((sar_axis)axis, k);
            if (strcmp(member.name, choice) == 0) cli_words_split(keys, member.cite, " ,");
        }
    }
}

int cli_method_chooses_step(const sar_options* options)
{
    for (int k = 0; k < sar_axis_members(SAR_AXIS_INTEGRATOR); k++) {
        sar_member member = sar_axis_member(SAR_AXIS_INTEGRATOR, k);
        if (strcmp(member.name, options->integrator) == 0) return member.variable_step;
    }
    return 0;
}
