/* The sarrus program: finds the command and runs it. */
#include "program.h"

#include "common/command.h"
#include "common/files/model_file.h"
#include "common/options.h"
#include "common/text.h"

#include "sarrus/plugin.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// clang-format off: one of them a line
const cli_command* const cli_commands[] = {
    &cli_command_run,        &cli_command_view,        &cli_command_draw,
    &cli_command_report,     &cli_command_kinematics,  &cli_command_inverse,
    &cli_command_pose,       &cli_command_check,       &cli_command_map,
    &cli_command_clearance,  &cli_command_equilibrium, &cli_command_modes,
    &cli_command_tolerances, &cli_command_sensitivity, &cli_command_methods,
    &cli_command_compare,    &cli_command_sweep,       &cli_command_tune,
    &cli_command_fit,        &cli_command_optimise,    &cli_command_import,
    &cli_command_export,     &cli_command_cite,        NULL};
// clang-format on
enum { COMMANDS = sizeof cli_commands / sizeof *cli_commands - 1 };

static void print_overview(FILE* out)
{
    fputs("Sarrus simulates mechanisms: also with redundant joints, and through singular "
          "configurations.\n"
          "\n",
          out);
    fprintf(out, "%sExamples%s\n", cli_paint(out, CLI_BOLD), cli_paint(out, CLI_PLAIN));
    fputs("  sarrus run four-bar                      simulate a problem, report what happened\n"
          "  sarrus run robot.yaml -o robot.h5        your own model, results in a file\n"
          "  sarrus check robot.yaml                  is it valid, how many degrees of freedom?\n"
          "  sarrus run robot.urdf                    a robot: URDF, SDFormat, MJCF\n"
          "\n",
          out);
    fprintf(out, "%sCommands%s\n", cli_paint(out, CLI_BOLD), cli_paint(out, CLI_PLAIN));
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-11s %s\n", cli_commands[k]->name, cli_commands[k]->summary);
    cli_print_models(out);
    fputs(
        "\n"
        "'sarrus help COMMAND' or 'sarrus COMMAND --help' explains a command, 'sarrus --version'\n"
        "shows the version. With '--plugin FILE' a command has the methods of that plug-in too.\n",
        out);
}

static void print_version(void)
{
    puts("sarrus " SAR_VERSION);
#if defined(__clang__)
    puts("C17, compiled by " __VERSION__); // says who it is
#elif defined(__GNUC__)
    puts("C17, compiled by GCC " __VERSION__);
#endif
#if defined(SARRUS_PROCESSOR) // others have the same bits
    puts("for processors of the kind " SARRUS_PROCESSOR);
#endif
}

static const cli_command* find_command(const char* name)
{
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(cli_commands[k]->name, name) == 0) return cli_commands[k];
    // not for people: what the build and the completion of shells ask for
    return strcmp(name, cli_command_describe.name) == 0 ? &cli_command_describe : NULL;
}

static int refuse(const char* word)
{
    const char* names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++) names[k] = cli_commands[k]->name;
    const char* what = word[0] == '-' ? "option" : "command";
    const char* nearest = cli_nearest(word, names, COMMANDS);
    if (strcmp(word, "bench") == 0)
        cli_error(NULL, "the tables of papers are run by 'python3 -m sarrus.bench'");
    else if (word[0] != '-' && access(word, R_OK) == 0)
        cli_error(NULL, "unknown command '%s'; did you mean 'sarrus run %s'?", word, word);
    else if (nearest)
        cli_error(NULL, "unknown %s '%s'; did you mean '%s'?", what, word, nearest);
    else
        cli_error(NULL, "unknown %s '%s'", what, word);
    cli_hint("Try 'sarrus --help'.");
    return CLI_USAGE;
}

/// `sarrus help [COMMAND [--all]]`, the same as `sarrus [COMMAND] --help`.
static int help(int argc, char** argv)
{
    if (argc < 2) {
        print_overview(stdout);
        return CLI_DONE;
    }
    const cli_command* command = find_command(argv[1]);
    if (!command) return refuse(argv[1]);
    cli_print_help(command, argc > 2 && strcmp(argv[2], "--all") == 0, stdout);
    return CLI_DONE;
}

static int dispatch(int argc, char** argv)
{
    const char* word = argc > 1 ? argv[1] : "help";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0) {
        print_version();
        return CLI_DONE;
    }
    const cli_command* command = find_command(word);
    return command ? command->run(argc - 1, argv + 1) : refuse(word);
}

static int is_python(const char* file)
{
    const size_t length = strlen(file);
    return length > 3 && strcmp(file + length - 3, ".py") == 0;
}

/// Load what `--plugin FILE` names, anywhere among the arguments, and take it out of them. Returns how many
/// arguments there are now, or -1.
static int load_plugins(int argc, char** argv)
{
    int left = 0;
    for (int k = 0; k < argc; k++) {
        sar_error error = {0};
        const char* file = NULL;
        if (strncmp(argv[k], "--plugin=", 9) == 0)
            file = argv[k] + 9;
        else if (strcmp(argv[k], "--plugin") == 0)
            file = k + 1 < argc ? argv[++k] : "";
        if (!file) {
            argv[left++] = argv[k];
            continue;
        }
        cli_words_add(&cli_plugins, "%s", file);
        if (is_python(file) && getenv("SARRUS_PROGRAM")) continue; // Python has loaded it
        if (is_python(file)) {
            cli_error(NULL, "--plugin %s: methods in Python need Python around the program", file);
            cli_hint("Write 'python3 -m sarrus' in the place of 'sarrus'.");
            return -1;
        }
        if (sar_plugin_load(file, &error) != SAR_OK) {
            cli_error(NULL, "--plugin %s: %s", file, error.message);
            cli_hint("A plug-in is a shared object; docs/plug-ins.md shows how to write one.");
            return -1;
        }
    }
    argv[left] = NULL;
    return left;
}

int sarrus_main(int argc, char** argv)
{
    signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error like a full disk
    argc = load_plugins(argc, argv);
    int outcome = argc < 0 ? CLI_USAGE : dispatch(argc, argv);
    // a full disk behind a redirection shows only now, with some file systems only when it is
    // closed
    errno = 0;
    int failed = fflush(stdout) != 0 || ferror(stdout), why = errno;
    if (fclose(stdout) != 0 && !failed && errno != EBADF) failed = 1, why = errno;
    cli_words_clear(&cli_plugins);
    if (failed) {
        fprintf(stderr, "sarrus: error: cannot write to standard output%s%s\n", why ? ": " : "",
                why ? strerror(why) : "");
        if (outcome == CLI_DONE || outcome == CLI_LATE) outcome = CLI_FAILED;
    }
    return outcome;
}
