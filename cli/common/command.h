/* The commands of the program. One table entry per command gives its parsing, its help and its
 * place in the overview. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,   ///< the run, or reading or writing a result
    CLI_USAGE = 2,    ///< the command line
    CLI_MODEL = 3,    ///< the model cannot be read or is invalid
    CLI_ASSEMBLY = 4, ///< the mechanism cannot be put together
    CLI_LATE = 5,     ///< the run is complete, but missed deadlines
    CLI_DOUBTFUL = 6, ///< the run is complete, but its motion is not to be trusted
    CLI_INTERRUPTED = 130
};

typedef struct cli_option {
    const char* name;     ///< the long one, without dashes
    char letter;          ///< the short one, 0 for none
    const char* argument; ///< its name in the help; NULL: a switch; "[..]": may be left out
    const char* text;
} cli_option;

/// A line of the short help: an option and what it does, in a few words.
typedef struct cli_brief {
    const char *name, *text;
} cli_brief;

enum {
    CLI_TAKES_METHOD = 1, ///< --preset, the four axes, and every option of SAR_OPTION_LIST
    CLI_TAKES_SET = 2,    ///< --set NAME=VALUE
    CLI_TAKES_JSON = 4,   ///< --json
    CLI_LISTS_MODELS = 8  ///< the help has the names of problems and examples
};

typedef struct cli_command {
    const char* name;
    const char* summary;  ///< one line for the overview
    const char* operands; ///< what follows the name in the usage line
    const char* examples; ///< shown first, a line each, "# comment" lines between
    const char* gist;     ///< what the short help has in the place of `text`
    const cli_brief*
        brief; ///< its options, ended by a NULL name, before --set and --json; NULL: all of them, and `text`
    const char* text;          ///< paragraphs
    const cli_option* options; ///< ended by a NULL name
    unsigned takes;
    int (*run)(int argc, char** argv); ///< argv[0] is the command's name; gives the exit code
} cli_command;

extern const cli_command cli_command_run, cli_command_kinematics, cli_command_inverse,
    cli_command_check, cli_command_equilibrium, cli_command_modes, cli_command_pose,
    cli_command_clearance, cli_command_tolerances, cli_command_sensitivity, cli_command_methods,
    cli_command_compare, cli_command_sweep, cli_command_tune, cli_command_cite, cli_command_import,
    cli_command_describe, cli_command_draw, cli_command_view, cli_command_report, cli_command_map,
    cli_command_export, cli_command_fit, cli_command_optimise;

/// Those of the overview, ended by NULL.
extern const cli_command* const cli_commands[];

#endif
