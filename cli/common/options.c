#include "common/options.h"

#include "common/files/model_file.h"
#include "common/option_table.h"
#include "common/text.h"

#include "sarrus/simulation.h"

#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CODE = 1000, WIDTH = 80, TEXT_COLUMN = 30 };

/* ---- help ----------------------------------------------------------------------------------- */

static void print_entry(const cli_option_entry* e, const char* text, FILE* out)
{
    int has = *e->argument != 0;
    char letter[8] = "    ";
    if (e->letter) snprintf(letter, sizeof letter, "-%c, ", e->letter);
    char* left =
        cli_format("  %s--%s%s%s", letter, e->name, has && !e->optional ? " " : "", e->argument);
    int column = fprintf(out, "%-*s", TEXT_COLUMN - 2, left);
    free(left);
    if (column > TEXT_COLUMN - 2) {
        fputc('\n', out);
        column = 0;
    }
    column += fprintf(out, "%*s", TEXT_COLUMN - column, "");
    cli_wrap(out, text, column, TEXT_COLUMN, WIDTH);
}

static void print_heading(const char* text, FILE* out)
{
    fprintf(out, "\n%s", cli_paint(out, CLI_BOLD));
    cli_wrap(out, text, 0, 0, WIDTH);
    fputs(cli_paint(out, CLI_PLAIN), out);
}

static int by_name(const void* a, const void* b)
{
    return strcmp(*(char* const*)a, *(char* const*)b);
}

static void print_names(const char* heading, void (*find)(cli_words*), FILE* out)
{
    cli_words names = {0};
    find(&names);
    qsort(names.items, (size_t)names.count, sizeof *names.items, by_name);
    int column = fprintf(out, "  %-10s", heading);
    for (int k = 0; k < names.count; k++) {
        const int length = (int)strlen(names.items[k]) + (k + 1 < names.count);
        if (column + 1 + length > WIDTH) column = fprintf(out, "\n%12s", "") - 1;
        column += fprintf(out, " %s%s", names.items[k], k + 1 < names.count ? "," : "");
    }
    fputc('\n', out);
    cli_words_clear(&names);
}

void cli_print_models(FILE* out)
{
    print_heading("Models that come with Sarrus", out);
    print_names("problems", cli_problem_names, out);
    print_names("examples", cli_example_names, out);
}

static void print_examples(const char* line, FILE* out)
{
    print_heading("Examples", out);
    while (*line) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/// @return the number of options for studies, which are not shown
static int print_all_options(const cli_option_table* t, FILE* out)
{
    int more = 0;
    for (int k = 0; k < t->count; k++) {
        if (t->entries[k].hidden) {
            more++;
            continue;
        }
        if (k == 0 || strcmp(t->entries[k].group, t->entries[k - 1].group) != 0)
            print_heading(t->entries[k].group, out);
        print_entry(&t->entries[k], t->entries[k].text, out);
    }
    return more;
}

static void print_brief_options(const cli_option_table* t, const cli_brief* brief, FILE* out)
{
    print_heading("Options", out);
    for (; brief->name; brief++)
        for (int k = 0; k < t->count; k++)
            if (strcmp(brief->name, t->entries[k].name) == 0)
                print_entry(&t->entries[k], brief->text, out);
    for (int k = 0; k < t->count; k++)
        if (strcmp(t->entries[k].name, "set") == 0 || strcmp(t->entries[k].name, "json") == 0)
            print_entry(&t->entries[k], t->entries[k].text, out);
}

void cli_print_help(const cli_command* command, int all, FILE* out)
{
    all |= !command->brief;
    fprintf(out, "sarrus %s: %s\n", command->name, command->summary);
    print_examples(command->examples, out);
    print_heading("Usage", out);
    fprintf(out, "  sarrus %s %s\n\n", command->name, command->operands);
    cli_wrap(out, all ? command->text : command->gist, 0, 0, WIDTH);
    cli_option_table t = cli_option_table_of(command);
    const int more = all ? print_all_options(&t, out) : 0;
    int shown = 0;
    for (int k = 0; k < t.count; k++) shown += !t.entries[k].hidden;
    if (!all) print_brief_options(&t, command->brief, out);
    if (command->takes & CLI_LISTS_MODELS) cli_print_models(out);
    if (!all)
        fprintf(out, "\n'sarrus %s --help-all' explains all %d options.\n", command->name, shown);
    if (more)
        fprintf(out, "\n%d more options are for studies of the methods: see 'sarrus methods'.\n",
                more);
    cli_option_table_clear(&t);
}

int cli_usage(const cli_command* command)
{
    cli_hint("Try 'sarrus %s --help'.", command->name);
    return CLI_USAGE;
}

/* ---- parsing -------------------------------------------------------------------------------- */

/// The table in the words of getopt: `longs` has room for one more, `shorts` for two per option and
/// two more.
static void fill_getopt(const cli_option_table* t, struct option* longs, char* shorts)
{
    *shorts++ = ':'; // distinguishes a missing argument from an unknown option
    for (int k = 0; k < t->count; k++) {
        const cli_option_entry* e = &t->entries[k];
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

static const cli_option_entry* find_entry(const cli_option_table* t, int code)
{
    for (int k = 0; k < t->count; k++)
        if (code == FIRST_CODE + k || (t->entries[k].letter && code == t->entries[k].letter))
            return &t->entries[k];
    return NULL;
}

static void refuse_unknown(const cli_command* command, const cli_option_table* t, const char* word)
{
    if (optopt) { // a letter; getopt leaves 0 there for a long name
        cli_error(command->name, "unknown option '-%c'", optopt);
        return;
    }
    char* name = cli_format("%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char** names = cli_allocate((size_t)t->count, sizeof *names);
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
    free((void*)names);
    free(name);
}

static int refuse(const cli_command* command, const cli_option_table* t, int code, const char* word)
{
    const cli_option_entry* e = find_entry(t, optopt);
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
    cli_option_table table = cli_option_names_of(command);
    const cli_option_table* t = &table;
    struct option* longs = cli_allocate((size_t)t->count + 1, sizeof *longs);
    char* shorts = cli_allocate(2 * (size_t)t->count + 2, 1);
    fill_getopt(t, longs, shorts);
    opterr = 0;
    optind = 0;
    int answer = CLI_GO_ON;
    for (int code; answer == CLI_GO_ON;) {
        code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1) break;
        const cli_option_entry* e = code == '?' || code == ':' ? NULL : find_entry(t, code);
        if (!e) {
            answer = refuse(command, t, code, argv[optind - 1]);
        } else if (strcmp(e->name, "help") == 0 || strcmp(e->name, "help-all") == 0) {
            cli_print_help(command, e->name[4] != 0, stdout);
            answer = CLI_DONE;
        } else {
            int refused = handler(context, e->name, *e->argument ? optarg : NULL);
            if (refused) answer = refused;
        }
    }
    *operands = 0;
    for (int k = optind; k < argc && answer == CLI_GO_ON; k++) argv[++*operands] = argv[k];
    free(longs);
    free(shorts);
    cli_option_table_clear(&table);
    return answer;
}

/* ---- values --------------------------------------------------------------------------------- */

int cli_read_count(const char* command, const char* option, const char* text, int least, int most,
                   int* out)
{
    char* end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > most) {
        cli_error(command, "--%s %s: expected a whole number from %d to %d", option, text, least,
                  most);
        return CLI_USAGE;
    }
    *out = (int)value;
    return 0;
}

int cli_read_number(const char* command, const char* option, const char* text, double least,
                    double most, double* out)
{
    char* end;
    *out = strtod(text, &end);
    if (end != text && !*end && isfinite(*out) && *out >= least && *out <= most) return 0;
    if (isfinite(most))
        cli_error(command, "--%s %s: expected a number from %g to %g", option, text, least, most);
    else
        cli_error(command, "--%s %s: expected a number%s", option, text,
                  least == DBL_MIN ? " above 0" : "");
    return CLI_USAGE;
}
