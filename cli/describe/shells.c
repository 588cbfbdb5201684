/* Completion for bash, zsh and fish. */
#include "common/option_table.h"
#include "describe/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Does a command work on models, by the word that its usage has for them, or on any files?
static int takes_models(const cli_command* command)
{
    return strstr(command->operands, "MODEL") != NULL;
}

static int is_axis(const char* name)
{
    cli_words words = {0};
    cli_option_choices(name, &words);
    const int chosen = words.count > 0;
    cli_words_clear(&words);
    return chosen;
}

static void print_choices(const char* name)
{
    cli_words words = {0};
    cli_option_choices(name, &words);
    for (int k = 0; k < words.count; k++) printf("%s%s", k ? " " : "", words.items[k]);
    cli_words_clear(&words);
}

static void print_commands(void)
{
    for (int k = 0; cli_commands[k]; k++) printf("%s ", cli_commands[k]->name);
    fputs("help", stdout);
}

/// The first clause of a text, without the characters that `special` names.
static void print_brief(const char* text, const char* special)
{
    for (const char* c = text; *c && *c != ';' && *c != '(' && *c != ':'; c++)
        if (!strchr(special, *c)) putchar(*c);
}

/* ---- bash ----------------------------------------------------------------------------------- */

typedef int (*entry_filter)(const cli_option_entry* e);

static int any(const cli_option_entry* e)
{
    (void)e;
    return 1;
}

static int takes_value(const cli_option_entry* e)
{
    return *e->argument && !e->optional;
}

static int takes_file(const cli_option_entry* e)
{
    return cli_option_takes_file(e);
}

/// `variable='--output -o ...'` of the options that pass the filter.
static void bash_list(const cli_option_table* t, const char* variable, entry_filter wanted)
{
    printf(" %s='", variable);
    for (int k = 0; k < t->count; k++) {
        const cli_option_entry* e = &t->entries[k];
        if (e->hidden) continue;
        if (!wanted(e)) continue;
        printf("--%s ", e->name);
        if (e->letter) printf("-%c ", e->letter);
    }
    putchar('\'');
}

static void bash_commands(void)
{
    puts("    case ${COMP_WORDS[1]} in");
    for (int k = 0; cli_commands[k]; k++) {
        cli_option_table t = cli_option_table_of(cli_commands[k]);
        printf("    %s)", cli_commands[k]->name);
        bash_list(&t, "options", any);
        bash_list(&t, "valued", takes_value);
        bash_list(&t, "files", takes_file);
        printf(" kind=%s ;;\n", takes_models(cli_commands[k]) ? "models" : "files");
        cli_option_table_clear(&t);
    }
    puts("    help) kind=commands ;;\n"
         "    esac");
}

static void bash_choices(void)
{
    cli_option_table t = cli_option_table_of(&cli_command_run);
    puts("    case $previous in");
    for (int k = 0; k < t.count; k++) {
        if (!is_axis(t.entries[k].name)) continue;
        printf("    --%s) _sarrus_words '", t.entries[k].name);
        print_choices(t.entries[k].name);
        puts("'; return ;;");
    }
    puts("    esac");
    cli_option_table_clear(&t);
}

void cli_describe_bash(void)
{
    puts("# Completion of sarrus for bash, made by 'sarrus describe bash'.\n"
         "_sarrus_words()\n{\n"
         "    COMPREPLY+=($(compgen -W \"$1\" -- \"$current\"))\n}\n\n"
         "_sarrus_files()\n{\n"
         "    local IFS=$'\\n'\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    COMPREPLY+=($(compgen -f -- \"$current\"))\n}\n\n"
         "_sarrus()\n{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local program=${COMP_WORDS[0]} options= valued= files= kind=\n"
         "    COMPREPLY=()");
    fputs("    if [ \"$COMP_CWORD\" -eq 1 ]; then _sarrus_words '", stdout);
    print_commands();
    puts(" --help --version'; return; fi\n"
         "    # bash cuts --option=value at the sign\n"
         "    if [ \"$current\" = = ]; then current=\n"
         "    elif [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi");
    bash_commands();
    bash_choices();
    fputs("    case \" $files \" in *\" $previous \"*) _sarrus_files; return ;; esac\n"
          "    case \" $valued \" in *\" $previous \"*) return ;; esac\n"
          "    case $current in -*) _sarrus_words \"$options\"; return ;; esac\n"
          "    case $kind in\n"
          "    commands) _sarrus_words '",
          stdout);
    print_commands();
    puts("' ;;\n"
         "    models) _sarrus_words \"$(\"$program\" describe problems 2>/dev/null)\"; "
         "_sarrus_files ;;\n"
         "    files) _sarrus_files ;;\n"
         "    esac\n}\n"
         "complete -F _sarrus sarrus");
}

/* ---- zsh ------------------------------------------------------------------------------------ */

static void zsh_option(const cli_option_entry* e)
{
    fputs("        ", stdout);
    if (e->letter)
        printf("'(-%c --%s)'{-%c,--%s%s}'", e->letter, e->name, e->letter, e->name,
               *e->argument ? "=" : "");
    else
        printf("'--%s%s", e->name, !*e->argument ? "" : e->optional ? "=-" : "=");
    putchar('[');
    print_brief(e->text, "'[]\\");
    putchar(']');
    if (*e->argument) printf("%sargument:", e->optional ? "::" : ":");
    if (is_axis(e->name)) {
        fputs("(", stdout);
        print_choices(e->name);
        fputs(")", stdout);
    } else if (cli_option_takes_file(e)) {
        fputs("_files", stdout);
    }
    puts("' \\");
}

void cli_describe_zsh(void)
{
    puts("#compdef sarrus\n"
         "# Completion of sarrus for zsh, made by 'sarrus describe zsh'.\n"
         "_sarrus_models()\n{\n"
         "    _files\n"
         "    compadd -- ${(f)\"$(sarrus describe problems 2>/dev/null)\"}\n}\n\n"
         "_sarrus()\n{\n"
         "    local -a commands\n"
         "    commands=(");
    for (int k = 0; cli_commands[k]; k++) {
        printf("        '%s:", cli_commands[k]->name);
        print_brief(cli_commands[k]->summary, "'[]\\");
        puts("'");
    }
    puts("        'help:how a command is used'\n"
         "    )\n"
         "    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in");
    for (int k = 0; cli_commands[k]; k++) {
        cli_option_table t = cli_option_table_of(cli_commands[k]);
        printf("    %s)\n        _arguments -s \\\n", cli_commands[k]->name);
        for (int i = 0; i < t.count; i++)
            if (!t.entries[i].hidden) zsh_option(&t.entries[i]);
        printf("        '%s' ;;\n",
               takes_models(cli_commands[k]) ? "*:model:_sarrus_models" : "*:file:_files");
        cli_option_table_clear(&t);
    }
    puts("    help) _describe command commands ;;\n"
         "    esac\n}\n"
         "_sarrus \"$@\"");
}

/* ---- fish ----------------------------------------------------------------------------------- */

static void fish_option(const char* command, const cli_option_entry* e)
{
    printf("complete -c sarrus -n '__fish_seen_subcommand_from %s' -l %s", command, e->name);
    if (e->letter) printf(" -s %c", e->letter);
    if (cli_option_takes_file(e))
        fputs(" -r -F", stdout);
    else if (takes_value(e))
        fputs(" -x", stdout);
    if (is_axis(e->name)) {
        fputs(" -a '", stdout);
        print_choices(e->name);
        fputs("'", stdout);
    }
    fputs(" -d '", stdout);
    print_brief(e->text, "'\\");
    puts("'");
}

void cli_describe_fish(void)
{
    puts("# Completion of sarrus for fish, made by 'sarrus describe fish'.");
    for (int k = 0; cli_commands[k]; k++) {
        const char* name = cli_commands[k]->name;
        printf("complete -c sarrus -f -n __fish_use_subcommand -a %s -d '", name);
        print_brief(cli_commands[k]->summary, "'\\");
        puts("'");
        cli_option_table t = cli_option_table_of(cli_commands[k]);
        for (int i = 0; i < t.count; i++)
            if (!t.entries[i].hidden) fish_option(name, &t.entries[i]);
        cli_option_table_clear(&t);
        if (takes_models(cli_commands[k]))
            printf("complete -c sarrus -n '__fish_seen_subcommand_from %s' -a "
                   "'(sarrus describe problems 2>/dev/null)'\n",
                   name);
    }
    puts("complete -c sarrus -f -n __fish_use_subcommand -a help -d 'how a command is used'");
}
