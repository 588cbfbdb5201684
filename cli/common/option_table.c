#include "common/option_table.h"

#include "common/method.h"

#include "sarrus/methods.h"

#include <stdlib.h>
#include <string.h>

static cli_option_entry* add(cli_option_table* t, const char* name, char letter,
                             const char* argument, const char* group)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->entries = cli_resize(t->entries, (size_t)t->capacity * sizeof *t->entries);
    }
    cli_option_entry* e = &t->entries[t->count++];
    *e = (cli_option_entry){.name = cli_format("%s", name),
                            .letter = letter,
                            .argument = cli_format("%s", argument ? argument : ""),
                            .optional = argument && argument[0] == '[',
                            .group = t->explained ? cli_format("%s", group) : NULL,
                            .text = t->explained ? cli_format("%s", "") : NULL};
    return e;
}

/// Does nothing where the table is not explained.
static void append(cli_option_entry* e, const char* text)
{
    if (!e->text) return;
    cli_append(&e->text, "%s", text);
}

/* ---- methods -------------------------------------------------------------------------------- */

void cli_option_choices(const char* name, cli_words* words)
{
    for (int k = 0; strcmp(name, "preset") == 0 && k < sar_presets(); k++)
        cli_words_add(words, "%s", sar_preset_at(k).name);
    for (int axis = 0; axis < SAR_AXES; axis++) {
        if (strcmp(name, sar_axis_name((sar_axis)axis)) != 0) continue;
        for (int k = 0; k < sar_axis_members((sar_axis)axis); k++)
            cli_words_add(words, "%s", sar_axis_member((sar_axis)axis, k).name);
        if (axis != SAR_AXIS_INTEGRATOR) cli_words_add(words, "auto");
    }
}

static void append_choices(cli_option_entry* e)
{
    cli_words words = {0};
    if (e->text) cli_option_choices(e->name, &words);
    char* text = cli_words_join(&words, ", ");
    append(e, text);
    free(text);
    cli_words_clear(&words);
}

static void add_axes(cli_option_table* t)
{
    cli_option_entry* e = add(t, "preset", 0, "NAME", "Method");
    append(e, "a named method of the literature: ");
    append_choices(e);
    append(e, ". The options below refine it.");
    sar_options preset = sar_options_default(); // of fixed steps
    const char* choice[SAR_AXES] = {preset.coordinates, preset.formulation, preset.integrator,
                                    preset.solver};
    for (int axis = 0; axis < SAR_AXES; axis++) {
        e = add(t, sar_axis_name((sar_axis)axis), 0, "NAME", "Method");
        append_choices(e);
        if (axis == SAR_AXIS_SOLVER) {
            append(e, " (default auto: by the size and the pattern of the equations)");
            continue;
        }
        append(e, axis == SAR_AXIS_INTEGRATOR ? " (default: that of the automatic method; "
                                              : " (default auto; ");
        append(e, choice[axis]);
        append(e, " with --step or another option of a fixed-step method)");
    }
}

/* ---- parameters ----------------------------------------------------------------------------- */

/// Default, range and unit behind the text of a parameter. Limits that only say "finite" are left
/// out.
static void describe(cli_option_entry* e, const cli_parameter* p)
{
    char numbers[96];
    append(e, p->text);
    if (*p->word)
        snprintf(numbers, sizeof numbers, " (default %s", p->word);
    else
        snprintf(numbers, sizeof numbers, " (default %g%s%s", p->preset, *p->unit ? " " : "",
                 p->unit);
    append(e, numbers);
    const double min = *p->word && p->preset < 0.0 ? 0.0 : p->min; // what stands for the word
    if (min > -1e299 && p->max < 1e299)
        snprintf(numbers, sizeof numbers, "; %g to %g)", min, p->max);
    else
        snprintf(numbers, sizeof numbers, ")");
    append(e, numbers);
}

/// "Only with integrator trapezoidal or newmark" from "integrator:trapezoidal newmark". free() it.
static char* group_of(const char* who)
{
    const size_t axis = strcspn(who, ":");
    if (!who[axis]) return cli_format("Run");
    cli_words members = {0};
    cli_words_split(&members, who + axis + 1, " ");
    char* group = cli_format("Only with %.*s", (int)axis, who);
    for (int k = 0; k < members.count; k++) {
        const char* between = k == 0 ? " " : k + 1 == members.count ? " or " : ", ";
        cli_append(&group, "%s%s", between, members.items[k]);
    }
    cli_words_clear(&members);
    return group;
}

static void add_parameters(cli_option_table* t)
{
    for (int k = 0; k < cli_parameters(); k++) {
        cli_parameter p = cli_parameter_at(k);
        char* group = !t->explained   ? NULL
                      : p.for_studies ? cli_format("For studies of the methods")
                                      : group_of(p.who);
        int is_switch = p.is_integer && p.min == 0 && p.max == 1;
        cli_option_entry* e = add(t, p.name, 0,
                                  is_switch      ? "[=0]"
                                  : p.is_integer ? "N"
                                                 : "X",
                                  group);
        e->hidden = p.for_studies;
        free(group);
        if (!e->text) continue;
        if (!is_switch) {
            describe(e, &p);
            continue;
        }
        append(e, p.text);
        append(e, p.preset != 0 ? " (on unless 0)" : " (off unless given)");
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static cli_option_table make(const cli_command* command, int explained)
{
    cli_option_table t = {.explained = explained};
    for (const cli_option* o = command->options; o->name; o++)
        append(add(&t, o->name, o->letter, o->argument, "Options"), o->text);
    if (command->takes & CLI_TAKES_SET)
        append(add(&t, "set", 's', "NAME=VALUE", "Options"),
               "set a parameter of the model; may be repeated");
    if (command->takes & CLI_TAKES_JSON)
        append(add(&t, "json", 0, NULL, "Options"),
               "one JSON object on standard output, nothing else");
    append(add(&t, "help", 'h', NULL, "Options"),
           command->brief ? "show the help on one screen and stop" : "show this help and stop");
    if (command->brief)
        append(add(&t, "help-all", 0, NULL, "Options"), "show the help with all options and stop");
    if (command->takes & CLI_TAKES_METHOD) {
        add_axes(&t);
        add_parameters(&t);
    }
    return t;
}

cli_option_table cli_option_table_of(const cli_command* command)
{
    return make(command, 1);
}

cli_option_table cli_option_names_of(const cli_command* command)
{
    return make(command, 0);
}

void cli_option_table_clear(cli_option_table* table)
{
    for (int k = 0; k < table->count; k++) {
        free(table->entries[k].name);
        free(table->entries[k].argument);
        free(table->entries[k].group);
        free(table->entries[k].text);
    }
    free(table->entries);
    *table = (cli_option_table){0};
}

int cli_option_takes_file(const cli_option_entry* entry)
{
    return strstr(entry->argument, "FILE") != NULL;
}
