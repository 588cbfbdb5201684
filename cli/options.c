#include "options.h"

#include "method.h"
#include "text.h"

#include "sarrus/methods.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one list of all options of a command ------------------------------------------------- */

enum { MOST = 128, FIRST_CODE = 1000, WIDTH = 80, TEXT_COLUMN = 30 };

typedef struct entry {
    char name[32];
    char letter;
    char argument[24]; ///< "": a switch
    int optional;      ///< the argument may be left out
    char group[64];    ///< heading in the help
    char text[384];
} entry;

typedef struct table {
    entry entries[MOST];
    int count;
} table;

static entry* add(table* t, const char* name, char letter, const char* argument, const char* group)
{
    if (t->count == MOST) return &t->entries[MOST - 1];
    entry* e = &t->entries[t->count++];
    *e = (entry){.letter = letter, .optional = argument && argument[0] == '['};
    snprintf(e->name, sizeof e->name, "%s", name);
    snprintf(e->argument, sizeof e->argument, "%s", argument ? argument : "");
    snprintf(e->group, sizeof e->group, "%s", group);
    return e;
}

static void append(entry* e, const char* text)
{
    size_t used = strlen(e->text);
    snprintf(e->text + used, sizeof e->text - used, "%s", text);
}

static void add_axes(table* t)
{
    entry* e = add(t, "preset", 0, "NAME", "Method");
    append(e, "a named method of the literature:");
    for (int k = 0; k < sar_presets(); k++) {
        append(e, k ? ", " : " ");
        append(e, sar_preset_at(k).name);
    }
    append(e, ". The options below refine it.");
    sar_options preset = sar_options_default();
    const char* choice[SAR_AXES] = {preset.coordinates, preset.formulation, preset.integrator,
                                    preset.solver};
    for (int axis = 0; axis < SAR_AXES; axis++) {
        e = add(t, sar_axis_name((sar_axis)axis), 0, "NAME", "Method");
        int members = sar_axis_members((sar_axis)axis);
        for (int k = 0; k < members; k++) {
            append(e, k ? ", " : "");
            append(e, sar_axis_member((sar_axis)axis, k).name);
        }
        append(e, " (default ");
        append(e, choice[axis]);
        append(e, ")");
    }
}

/// Default, range and unit behind the text of a parameter. Limits that only say "finite" are left
/// out.
static void describe(entry* e, const cli_parameter* p)
{
    char numbers[96];
    append(e, p->text);
    snprintf(numbers, sizeof numbers, " (default %g%s%s", p->preset, *p->unit ? " " : "", p->unit);
    append(e, numbers);
    if (p->least > -1e299 && p->most < 1e299)
        snprintf(numbers, sizeof numbers, "; %g to %g)", p->least, p->most);
    else
        snprintf(numbers, sizeof numbers, ")");
    append(e, numbers);
}

/// "Only with integrator trapezoidal or newmark" from "integrator:trapezoidal newmark".
static void name_group(const char* who, char* group, size_t size)
{
    size_t axis = strcspn(who, ":");
    if (!who[axis]) {
        snprintf(group, size, "Run");
        return;
    }
    snprintf(group, size, "Only with %.*s ", (int)axis, who);
    for (const char* c = who + axis + 1; *c; c++) {
        size_t used = strlen(group);
        snprintf(group + used, size - used, *c == ' ' ? " or " : "%c", *c);
    }
}

static void add_parameters(table* t)
{
    for (int k = 0; k < cli_parameters(); k++) {
        cli_parameter p = cli_parameter_at(k);
        char group[sizeof t->entries->group];
        name_group(p.who, group, sizeof group);
        int is_switch = p.is_integer && p.least == 0 && p.most == 1;
        entry* e = add(t, p.name, 0, is_switch ? "[=0]" : p.is_integer ? "N" : "X", group);
        if (is_switch)
            append(e, p.text);
        else
            describe(e, &p);
    }
}

static table* table_of(const cli_command* command)
{
    table* t = cli_allocate(1, sizeof *t);
    for (const cli_option* o = command->options; o->name; o++)
        append(add(t, o->name, o->letter, o->argument, "Options"), o->text);
    append(add(t, "help", 'h', NULL, "Options"), "show this help and stop");
    if (command->takes & CLI_TAKES_AXES) add_axes(t);
    if (command->takes & CLI_TAKES_PARAMETERS) add_parameters(t);
    return t;
}

/* ---- help --------------------------------------------------------------------------------- */

static void print_entry(const entry* e, FILE* out)
{
    char left[80];
    int has = *e->argument != 0;
    char letter[8] = "    ";
    if (e->letter) snprintf(letter, sizeof letter, "-%c, ", e->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, e->name, has && !e->optional ? " " : "",
             e->argument);
    int column = fprintf(out, "%-*s", TEXT_COLUMN - 2, left);
    if (column > TEXT_COLUMN - 2) {
        fputc('\n', out);
        column = 0;
    }
    column += fprintf(out, "%*s", TEXT_COLUMN - column, "");
    cli_wrap(out, e->text, column, TEXT_COLUMN, WIDTH);
}

static void print_heading(const char* text, FILE* out)
{
    fprintf(out, "\n%s%s%s\n", cli_paint(out, CLI_BOLD), text, cli_paint(out, CLI_PLAIN));
}

void cli_print_help(const cli_command* command, FILE* out)
{
    fprintf(out, "sarrus %s: %s\n", command->name, command->summary);
    print_heading("Examples", out);
    for (const char* line = command->examples; *line;) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    print_heading("Usage", out);
    fprintf(out, "  sarrus %s %s\n\n", command->name, command->operands);
    cli_wrap(out, command->text, 0, 0, WIDTH);
    table* t = table_of(command);
    for (int k = 0; k < t->count; k++) {
        if (k == 0 || strcmp(t->entries[k].group, t->entries[k - 1].group) != 0)
            print_heading(t->entries[k].group, out);
        print_entry(&t->entries[k], out);
    }
    free(t);
}

int cli_usage(const cli_command* command)
{
    cli_hint("Try 'sarrus %s --help'.", command->name);
    return CLI_USAGE;
}

/* ---- parsing ------------------------------------------------------------------------------ */

static void fill_getopt(const table* t, struct option* longs, char* shorts)
{
    *shorts++ = ':'; // tells a missing argument from an unknown option
    for (int k = 0; k < t->count; k++) {
        const entry* e = &t->entries[k];
        int kind = !*e->argument ? no_argument
                   : e->optional ? optional_argument
                                 : required_argument;
        longs[k] = (struct option){e->name, kind, NULL, FIRST_CODE + k};
        if (!e->letter) continue;
        *shorts++ = e->letter;
        if (kind == required_argument) *shorts++ = ':';
    }
    longs[t->count] = (struct option){0};
    *shorts = 0;
}

static const entry* find_entry(const table* t, int code)
{
    for (int k = 0; k < t->count; k++)
        if (code == FIRST_CODE + k || (t->entries[k].letter && code == t->entries[k].letter))
            return &t->entries[k];
    return NULL;
}

static void refuse_unknown(const cli_command* command, const table* t, const char* word)
{
    if (optopt) { // a letter; getopt leaves 0 there for a long name
        cli_error(command->name, "unknown option '-%c'", optopt);
        return;
    }
    char* name = cli_format("%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char* names[MOST];
    int beginnings = 0;
    for (int k = 0; k < t->count; k++) {
        names[k] = t->entries[k].name;
        beginnings += strncmp(names[k], name, strlen(name)) == 0;
    }
    const char* nearest = cli_nearest(name, names, t->count);
    if (beginnings > 1)
        cli_error(command->name, "'--%s' is short for several options", name);
    else if (nearest)
        cli_error(command->name, "unknown option '--%s'; did you mean '--%s'?", name, nearest);
    else
        cli_error(command->name, "unknown option '--%s'", name);
    free(name);
}

static int refuse(const cli_command* command, const table* t, int code, const char* word)
{
    const entry* e = find_entry(t, optopt);
    if (code == ':' && e)
        cli_error(command->name, "--%s needs a value: --%s %s", e->name, e->name, e->argument);
    else if (e)
        cli_error(command->name, "--%s takes no value", e->name);
    else
        refuse_unknown(command, t, word);
    return cli_usage(command);
}

int cli_parse(const cli_command* command, int argc, char** argv, cli_option_handler handler,
              void* context, int* operands)
{
    table* t = table_of(command);
    struct option longs[MOST + 1];
    char shorts[2 * MOST + 2];
    fill_getopt(t, longs, shorts);
    opterr = 0;
    optind = 0;
    int answer = CLI_GO_ON;
    for (int code; answer == CLI_GO_ON;) {
        code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1) break;
        const entry* e = code == '?' || code == ':' ? NULL : find_entry(t, code);
        if (!e) {
            answer = refuse(command, t, code, argv[optind - 1]);
        } else if (strcmp(e->name, "help") == 0) {
            cli_print_help(command, stdout);
            answer = CLI_DONE;
        } else {
            int refused = handler(context, e->name, *e->argument ? optarg : NULL);
            if (refused) answer = refused;
        }
    }
    *operands = 0;
    for (int k = optind; k < argc && answer == CLI_GO_ON; k++) argv[++*operands] = argv[k];
    free(t);
    return answer;
}
