/* sarrus describe: the man page and the completion scripts of shells, and the lists that completion
 * asks for while a user types. Not in the overview of commands. */
#include "describe/describe.h"

#include "common/files/model_file.h"
#include "common/options.h"
#include "common/text.h"

#include <string.h>

static void print_words(void (*find)(cli_words*))
{
    cli_words words = {0};
    find(&words);
    for (int k = 0; k < words.count; k++) puts(words.items[k]);
    cli_words_clear(&words);
}

static void list_problems(void)
{
    print_words(cli_model_names);
}

/* Tab-separated, for tools/schema.py. */
static void list_elements(void)
{
    sar_format_row row;
    for (int k = 0; sar_model_format(k, &row); k++)
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", row.section, row.type, row.key,
               row.planar ? row.planar : "", row.spatial ? row.spatial : "", row.text);
}

static const struct {
    const char* name;
    void (*print)(void);
} things[] = {{"man", cli_describe_man},   {"bash", cli_describe_bash},
              {"zsh", cli_describe_zsh},   {"fish", cli_describe_fish},
              {"problems", list_problems}, {"elements", list_elements}};
enum { THINGS = sizeof things / sizeof things[0] };

static int take_nothing(void* context, const char* name, const char* value)
{
    (void)context, (void)name, (void)value;
    return 0;
}

static int describe_main(int argc, char** argv)
{
    int operands = 0;
    int outcome = cli_parse(&cli_command_describe, argc, argv, take_nothing, NULL, &operands);
    if (outcome != CLI_GO_ON) return outcome;
    for (int k = 0; operands == 1 && k < THINGS; k++) {
        if (strcmp(argv[1], things[k].name) != 0) continue;
        things[k].print();
        return CLI_DONE;
    }
    cli_error("describe", "expected one of man, bash, zsh, fish, problems, elements");
    return cli_usage(&cli_command_describe);
}

static const cli_option describe_options[] = {{0}};

const cli_command cli_command_describe = {
    .name = "describe",
    .summary = "the program described for other programs",
    .operands = "man|bash|zsh|fish|problems|elements",
    .examples = "# completion in this shell, without an installation\n"
                "source <(sarrus describe bash)",
    .text = "Prints a man page, the completion of a shell, or the names of the problems "
            "that are found, or the keys of all joints and forces.",
    .options = describe_options,
    .run = describe_main};
