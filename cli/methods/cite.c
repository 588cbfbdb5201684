/* sarrus cite: the literature behind a result, a preset or a member of an axis. */
#include "common/files/result_file.h"
#include "common/options.h"
#include "common/text.h"

#include "sarrus/methods.h"
#include "sarrus/result.h"

#include <string.h>

static int is_result(const char* name)
{
    return cli_ends_with(name, ".h5") || cli_ends_with(name, ".hdf5") ||
           cli_ends_with(name, ".csv");
}

static int keys_of_result(const char* path, cli_words* keys)
{
    sar_result* result = NULL;
    sar_error error = {0};
    if (cli_result_read(path, &result, &error) != SAR_OK) {
        cli_error("cite", "%s", error.message);
        return CLI_FAILED;
    }
    const char* cite = sar_result_attribute(result, "cite");
    if (cite)
        cli_words_split(keys, cite, " ,");
    else
        cli_error("cite", "%s does not say which methods made it", path);
    sar_result_destroy(result);
    return cite ? 0 : CLI_FAILED;
}

/// Keys of every preset and member of that name; how many things have it.
static int keys_of_name(const char* name, cli_words* keys)
{
    int found = 0;
    for (int k = 0; k < sar_presets(); k++) {
        sar_preset preset = sar_preset_at(k);
        if (strcmp(preset.name, name) != 0) continue;
        cli_words_split(keys, preset.cite, " ,");
        found++;
    }
    for (int axis = 0; axis < SAR_AXES; axis++) {
        for (int k = 0; k < sar_axis_members((sar_axis)axis); k++) {
            sar_member member = sar_axis_member((sar_axis)axis, k);
            if (strcmp(member.name, name) != 0) continue;
            cli_words_split(keys, member.cite, " ,");
            found++;
        }
    }
    return found;
}

static void refuse(const char* name)
{
    cli_words known = {0};
    for (int k = 0; k < sar_presets(); k++) cli_words_add_once(&known, sar_preset_at(k).name);
    for (int axis = 0; axis < SAR_AXES; axis++)
        for (int k = 0; k < sar_axis_members((sar_axis)axis); k++)
            cli_words_add_once(&known, sar_axis_member((sar_axis)axis, k).name);
    const char* nearest = cli_nearest(name, (const char* const*)known.items, known.count);
    if (nearest)
        cli_error("cite", "'%s' is no result file, preset, method or key; did you mean '%s'?", name,
                  nearest);
    else
        cli_error("cite", "'%s' is no result file, preset, method or key", name);
    cli_words_clear(&known);
}

static int keys_of(const char* name, cli_words* keys)
{
    if (is_result(name)) return keys_of_result(name, keys);
    int before = keys->count;
    if (keys_of_name(name, keys) > 0) {
        if (keys->count == before) cli_warning("cite", "'%s' has no literature of its own", name);
        return 0;
    }
    if (sar_bibtex(name)) {
        cli_words_add_once(keys, name);
        return 0;
    }
    refuse(name);
    return cli_usage(&cli_command_cite);
}

static int print_entries(const cli_words* keys)
{
    int outcome = CLI_DONE;
    for (int k = 0; k < keys->count; k++) {
        const char* entry = sar_bibtex(keys->items[k]);
        if (!entry) {
            cli_error("cite", "no entry for the key '%s'", keys->items[k]);
            outcome = CLI_FAILED;
            continue;
        }
        size_t length = strlen(entry);
        printf("%s%s", entry, length && entry[length - 1] == '\n' ? "" : "\n");
        if (k + 1 < keys->count) putchar('\n');
    }
    return outcome;
}

static int no_options(void* context, const char* name, const char* value)
{
    (void)context, (void)name, (void)value;
    return 0;
}

static int cite_main(int argc, char** argv)
{
    int operands = 0;
    int outcome = cli_parse(&cli_command_cite, argc, argv, no_options, NULL, &operands);
    if (outcome != CLI_GO_ON) return outcome;
    if (operands == 0) {
        cli_error("cite", "what? Give a result file, a preset or the name of a method");
        return cli_usage(&cli_command_cite);
    }
    cli_words keys = {0};
    outcome = CLI_DONE;
    for (int k = 1; k <= operands && outcome == CLI_DONE; k++) outcome = keys_of(argv[k], &keys);
    if (outcome == CLI_DONE) outcome = print_entries(&keys);
    cli_words_clear(&keys);
    return outcome;
}

static const cli_option cite_options[] = {{0}};

const cli_command cli_command_cite = {
    .name = "cite",
    .summary = "BibTeX of the methods behind a result",
    .operands = "RESULT | PRESET | METHOD | KEY ...",
    .examples = "# what to cite for this result\n"
                "sarrus cite robot.h5 > robot.bib\n"
                "# where a preset or a method comes from\n"
                "sarrus cite ALi3p\n"
                "sarrus cite al3 natural",
    .text =
        "Every result file stores the keys of the methods that made it. Several names give each "
        "entry once.",
    .options = cite_options,
    .run = cite_main};
