/* sarrus methods: all members of all axes, the presets, which fit together, and all options. */
#include "common/files/json.h"
#include "common/method.h"
#include "common/options.h"
#include "common/summary.h"
#include "common/text.h"

#include "sarrus/methods.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 26 };

static const char* member_name(sar_axis axis, int k)
{
    return sar_axis_member(axis, k).name;
}

static const char* conflict(const int k[SAR_AXES])
{
    return sar_methods_conflict(member_name(SAR_AXIS_COORDINATES, k[SAR_AXIS_COORDINATES]),
                                member_name(SAR_AXIS_FORMULATION, k[SAR_AXIS_FORMULATION]),
                                member_name(SAR_AXIS_INTEGRATOR, k[SAR_AXIS_INTEGRATOR]),
                                member_name(SAR_AXIS_SOLVER, k[SAR_AXIS_SOLVER]));
}

/// Go to the next combination, the solver turning fastest; 0 after the last.
static int next_combination(int k[SAR_AXES])
{
    for (int axis = SAR_AXES - 1; axis >= 0; axis--) {
        if (++k[axis] < sar_axis_members((sar_axis)axis)) return 1;
        k[axis] = 0;
    }
    return 0;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_cite(cli_json* j, const char* cite)
{
    cli_words keys = {0};
    cli_words_split(&keys, cite, " ,");
    cli_json_words(j, "cite", &keys);
    cli_words_clear(&keys);
}

static const struct {
    unsigned bit;
    const char *key, *text;
} constraints[] = {{SAR_TAKES_REDUNDANT, "redundant", "redundant constraints"},
                   {SAR_TAKES_SINGULAR, "singular", "singular configurations"},
                   {SAR_TAKES_VELOCITIES, "velocities", "constraints on velocities"}};
enum { CONSTRAINTS = sizeof constraints / sizeof constraints[0] };

static void json_takes(cli_json* j, unsigned takes)
{
    cli_json_open(j, "takes", '{');
    for (int k = 0; k < CONSTRAINTS; k++)
        cli_json_boolean(j, constraints[k].key, (takes & constraints[k].bit) != 0);
    cli_json_close(j);
}

static void json_axes(cli_json* j)
{
    cli_json_open(j, "axes", '{');
    for (int axis = 0; axis < SAR_AXES; axis++) {
        cli_json_open(j, sar_axis_name((sar_axis)axis), '[');
        for (int k = 0; k < sar_axis_members((sar_axis)axis); k++) {
            sar_member member = sar_axis_member((sar_axis)axis, k);
            cli_json_open(j, NULL, '{');
            cli_json_text(j, "name", member.name);
            cli_json_text(j, "text", member.text);
            json_cite(j, member.cite);
            if (axis == SAR_AXIS_FORMULATION) json_takes(j, member.takes);
            cli_json_close(j);
        }
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void json_presets(cli_json* j)
{
    cli_json_open(j, "presets", '[');
    for (int k = 0; k < sar_presets(); k++) {
        sar_preset preset = sar_preset_at(k);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", preset.name);
        cli_json_text(j, "coordinates", preset.coordinates);
        cli_json_text(j, "formulation", preset.formulation);
        cli_json_text(j, "integrator", preset.integrator);
        cli_json_text(j, "solver", preset.solver);
        cli_json_text(j, "parameters", preset.parameters);
        cli_json_text(j, "text", preset.text);
        cli_json_text(j, "status", preset.published ? "as published" : "ours, after");
        json_cite(j, preset.cite);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void json_combinations(cli_json* j)
{
    int k[SAR_AXES] = {0};
    cli_json_open(j, "combinations", '[');
    do {
        const char* reason = conflict(k);
        cli_json_open(j, NULL, '{');
        for (int axis = 0; axis < SAR_AXES; axis++)
            cli_json_text(j, sar_axis_name((sar_axis)axis), member_name((sar_axis)axis, k[axis]));
        cli_json_boolean(j, "allowed", reason == NULL);
        cli_json_text(j, "reason", reason);
        cli_json_close(j);
    } while (next_combination(k));
    cli_json_close(j);
}

static void json_options(cli_json* j)
{
    cli_json_open(j, "options", '[');
    for (int k = 0; k < cli_parameters(); k++) {
        if (!cli_parameter_exists(k)) continue;
        cli_parameter p = cli_parameter_at(k);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", p.field);
        cli_json_text(j, "option", p.name);
        cli_json_text(j, "type", p.is_integer ? "integer" : "number");
        cli_json_number(j, "default", p.preset);
        if (*p.word) cli_json_text(j, "word", p.word);
        cli_json_boolean(j, "for_studies", p.for_studies);
        cli_json_number(j, "least", p.min);
        cli_json_number(j, "most", p.max);
        cli_json_text(j, "who", p.who);
        cli_json_text(j, "unit", p.unit);
        cli_json_text(j, "text", p.text);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void print_json(void)
{
    cli_json j = cli_json_begin(stdout);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.methods/1");
    json_axes(&j);
    json_presets(&j);
    json_combinations(&j);
    json_options(&j);
    cli_json_close(&j);
}

/* ---- for people ----------------------------------------------------------------------------- */

static void heading(const char* text)
{
    printf("%s%s%s\n", cli_paint(stdout, CLI_BOLD), text, cli_paint(stdout, CLI_PLAIN));
}

/// `  name      text [cite]`, wrapped.
static void entry(const char* name, const char* text, const char* cite)
{
    int column = printf("  %-*s", INDENT - 2, name);
    int has = cite && *cite;
    char* line = cli_format("%s%s%s%s", text, has ? " [" : "", has ? cite : "", has ? "]" : "");
    cli_wrap(stdout, line, column, INDENT, WIDTH);
    free(line);
}

static void print_axes(void)
{
    for (int axis = 0; axis < SAR_AXES; axis++) {
        char* title = cli_format("--%s", sar_axis_name((sar_axis)axis));
        heading(title);
        free(title);
        for (int k = 0; k < sar_axis_members((sar_axis)axis); k++) {
            sar_member member = sar_axis_member((sar_axis)axis, k);
            entry(member.name, member.text, member.cite);
        }
        putchar('\n');
    }
}

static void print_presets(void)
{
    heading("--preset");
    for (int k = 0; k < sar_presets(); k++) {
        sar_preset p = sar_preset_at(k);
        char* text = cli_format("%s; %s", p.text, p.published ? "as published" : "ours, after");
        entry(p.name, text, p.cite);
        free(text);
        int has = p.parameters && *p.parameters;
        printf("%*s%s, %s, %s, %s%s%s\n", INDENT, "", p.coordinates, p.formulation, p.integrator,
               p.solver, has ? "; " : "", has ? p.parameters : "");
    }
    putchar('\n');
}

/// Number of a reason in the list under the table, counted from 1.
static int note(cli_words* reasons, const char* reason)
{
    cli_words_add_once(reasons, reason);
    for (int k = 0; k < reasons->count; k++)
        if (strcmp(reasons->items[k], reason) == 0) return k + 1;
    return 0;
}

static int column_width(int formulation)
{
    int length = (int)strlen(member_name(SAR_AXIS_FORMULATION, formulation));
    return length > 9 ? length : 9;
}

/// Does the pair work with the first coordinates and solver, which take everything?
static const char* pair_conflict(int formulation, int integrator)
{
    return conflict((int[SAR_AXES]){0, formulation, integrator, 0});
}

static void print_pairs(cli_words* reasons)
{
    int formulations = sar_axis_members(SAR_AXIS_FORMULATION);
    printf("  %-*s", INDENT - 2, "");
    for (int f = 0; f < formulations; f++)
        printf(" %-*s", column_width(f), member_name(SAR_AXIS_FORMULATION, f));
    putchar('\n');
    for (int i = 0; i < sar_axis_members(SAR_AXIS_INTEGRATOR); i++) {
        printf("  %-*s", INDENT - 2, member_name(SAR_AXIS_INTEGRATOR, i));
        for (int f = 0; f < formulations; f++) {
            char cell[32] = "yes";
            const char* reason = pair_conflict(f, i);
            if (reason) snprintf(cell, sizeof cell, "no (%d)", note(reasons, reason));
            printf(" %-*s", column_width(f), cell);
        }
        putchar('\n');
    }
    for (int k = 0; k < CONSTRAINTS; k++) {
        printf("  %-*s", INDENT - 2, constraints[k].text);
        for (int f = 0; f < formulations; f++) {
            unsigned takes = sar_axis_member(SAR_AXIS_FORMULATION, f).takes;
            printf(" %-*s", column_width(f), takes & constraints[k].bit ? "yes" : "no");
        }
        putchar('\n');
    }
}

/// What this member of an axis works with, and why not with all that the first one does.
static void print_limits(sar_axis axis, int member, cli_words* reasons)
{
    int k[SAR_AXES] = {0}, limited = 0;
    cli_words fits[SAR_AXES] = {{0}}, notes = {0};
    do {
        if (k[axis] != member) continue;
        const char* reason = conflict(k);
        if (reason) {
            k[axis] = 0;
            int works = conflict(k) == NULL; // with the first of this axis
            k[axis] = member;
            if (!works) continue;
            char* number = cli_format("(%d)", note(reasons, reason));
            cli_words_add_once(&notes, number);
            free(number);
            limited = 1;
            continue;
        }
        for (int other = 0; other < SAR_AXES; other++)
            cli_words_add_once(&fits[other], member_name((sar_axis)other, k[other]));
    } while (next_combination(k));
    if (limited) {
        char* line = cli_format("with");
        for (int other = 0; other < SAR_AXES; other++) {
            if (other == (int)axis || fits[other].count == sar_axis_members((sar_axis)other))
                continue;
            for (int i = 0; i < fits[other].count; i++) {
                cli_append(&line, " %s%s", fits[other].items[i],
                           i + 1 < fits[other].count ? "," : ";");
            }
        }
        for (int i = 0; i < notes.count; i++) {
            cli_append(&line, " %s", notes.items[i]);
        }
        entry(member_name(axis, member), line, NULL);
        free(line);
    }
    for (int other = 0; other < SAR_AXES; other++) cli_words_clear(&fits[other]);
    cli_words_clear(&notes);
}

static void print_combinations(void)
{
    cli_words reasons = {0};
    heading("What works together");
    print_pairs(&reasons);
    puts("  Coordinates and solvers work with all of these, except:");
    for (int m = 0; m < sar_axis_members(SAR_AXIS_COORDINATES); m++)
        if (m > 0) print_limits(SAR_AXIS_COORDINATES, m, &reasons);
    for (int m = 0; m < sar_axis_members(SAR_AXIS_SOLVER); m++)
        if (m > 0) print_limits(SAR_AXIS_SOLVER, m, &reasons);
    for (int k = 0; k < reasons.count; k++) {
        int column = printf("  (%d) ", k + 1);
        cli_wrap(stdout, reasons.items[k], column, column, WIDTH);
    }
    cli_words_clear(&reasons);
    putchar('\n');
}

static void print_options(int for_studies)
{
    for (int k = 0; k < cli_parameters(); k++) {
        cli_parameter p = cli_parameter_at(k);
        if (!cli_parameter_exists(k) || p.for_studies != for_studies) continue;
        char* name = cli_format("--%s", p.name);
        char* value = *p.word ? cli_format("%s", p.word)
                              : cli_format("%g%s%s", p.preset, *p.unit ? " " : "", p.unit);
        char* text = cli_format("%s (default %s)", p.text, value);
        entry(name, text, strcmp(p.who, "run") == 0 ? NULL : p.who);
        free(text);
        free(value);
        free(name);
    }
}

static int take_option(void* context, const char* name, const char* value)
{
    (void)value;
    if (strcmp(name, "json") == 0) *(int*)context = 1;
    return 0;
}

static int methods_main(int argc, char** argv)
{
    int json = 0, operands = 0;
    int outcome = cli_parse(&cli_command_methods, argc, argv, take_option, &json, &operands);
    if (outcome != CLI_GO_ON) return outcome;
    if (operands > 0) {
        cli_error("methods", "no arguments expected, got '%s'", argv[1]);
        return cli_usage(&cli_command_methods);
    }
    if (json) {
        print_json();
        return CLI_DONE;
    }
    print_axes();
    print_presets();
    print_combinations();
    heading("Options of 'sarrus run' and keys of the model's 'method:' section");
    print_options(0);
    heading("Options for studies of the methods");
    print_options(1);
    return CLI_DONE;
}

static const cli_option methods_options[] = {{0}};

const cli_command cli_command_methods = {
    .name = "methods",
    .summary = "all methods, presets, and which fit together",
    .operands = "[options]",
    .examples = "# what is there to choose from?\n"
                "sarrus methods\n"
                "# the same for a program\n"
                "sarrus methods --json",
    .text = "A method is a point in the product of four choices: coordinates, formulation, "
            "integrator and linear solver. A preset is a named point of the literature with its "
            "parameters. In brackets: keys for 'sarrus cite', or what has an option.",
    .options = methods_options,
    .takes = CLI_TAKES_JSON,
    .run = methods_main};
