/* The man page, in the macros of man(7). */
#include "common/option_table.h"
#include "describe/describe.h"

#include "sarrus/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A text as roff takes it: no sign of it is a request or an escape, and every '-' can be copied.
static void put(const char* text)
{
    int first = 1; // in its line
    for (const char* c = text; *c; c++) {
        if (first && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
        if (*c == '\\')
            fputs("\\e", stdout);
        else if (*c == '-')
            fputs("\\-", stdout);
        else
            putchar(*c);
        first = *c == '\n';
    }
}

static void put_paragraphs(const char* text)
{
    for (const char* c = text; *c;) {
        const size_t length = strcspn(c, "\n");
        char* line = cli_format("%.*s", (int)length, c);
        puts(".PP");
        put(line);
        putchar('\n');
        free(line);
        c += length;
        while (*c == '\n') c++;
    }
}

static void put_option(const cli_option_entry* e)
{
    puts(".TP");
    fputs("\\fB", stdout);
    if (e->letter) printf("\\-%c\\fR, \\fB", e->letter);
    fputs("\\-\\-", stdout);
    put(e->name);
    fputs("\\fR", stdout);
    if (*e->argument) {
        fputs(e->optional ? "\\fI" : " \\fI", stdout);
        put(e->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put(e->text);
    putchar('\n');
}

static void put_command(const cli_command* command)
{
    printf(".SS sarrus %s\n", command->name);
    put(command->summary);
    fputs(".\n.PP\n\\fBsarrus ", stdout);
    put(command->name);
    fputs("\\fR ", stdout);
    put(command->operands);
    putchar('\n');
    put_paragraphs(command->text);
    cli_option_table t = cli_option_table_of(command);
    for (int k = 0; k < t.count; k++)
        if (strcmp(t.entries[k].group, "Options") == 0) put_option(&t.entries[k]);
    cli_option_table_clear(&t);
    if (command->takes) puts(".PP\nAnd those of the section METHODS AND THEIR OPTIONS below.");
    puts(".PP\n.EX");
    put(command->examples);
    puts("\n.EE");
}

/// Once for all commands that take them.
static void put_methods(void)
{
    cli_option_table t = cli_option_table_of(&cli_command_run);
    puts(
        ".SH METHODS AND THEIR OPTIONS\n"
        "Options of the commands that run models; without the dashes they are keys of the model's\n"
        "\\fBmethod:\\fR section.");
    const char* group = "Options";
    for (int k = 0; k < t.count; k++) {
        if (strcmp(t.entries[k].group, "Options") == 0) continue;
        if (strcmp(t.entries[k].group, group) != 0) {
            group = t.entries[k].group;
            fputs(".SS ", stdout);
            put(group);
            putchar('\n');
        }
        put_option(&t.entries[k]);
    }
    cli_option_table_clear(&t);
}

void cli_describe_man(void)
{
    puts(".\\\" Made by 'sarrus describe man' from the program's own tables.\n"
         ".TH SARRUS 1 \"\" \"Sarrus " SAR_VERSION "\" \"User Commands\"\n"
         ".SH NAME\n"
         "sarrus \\- dynamics of multibody systems\n"
         ".SH SYNOPSIS\n"
         ".B sarrus\n"
         ".I command\n"
         ".RI [ options ]\n"
         ".SH DESCRIPTION\n"
         "Sarrus runs multibody systems: over\\-constrained models as drawn, and through singular\n"
         "positions. A model is a YAML file.\n"
         ".SH COMMANDS");
    for (int k = 0; cli_commands[k]; k++) put_command(cli_commands[k]);
    put_methods();
    puts(".SH ENVIRONMENT\n"
         ".TP\n.B SARRUS_CERTIFY\n"
         "What\n.B run\ndoes without\n.BR \\-\\-certify :\nno, yes, or short (default).\n"
         ".TP\n.B NO_COLOR\n"
         "If set and not empty, messages have no colours.\n"
         ".SH FILES\n"
         "Problems and studies that come with Sarrus, and the JSON Schema of model files, are in\n"
         "\\fIshare/sarrus\\fR beside the program's folder.\n"
         ".SH SEE ALSO\n"
         ".BR gnuplot (1),\n"
         ".BR h5dump (1)");
}
