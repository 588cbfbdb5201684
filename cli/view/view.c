/* sarrus view and sarrus report: a page with the motion of a mechanism, its curves and what
 * happened. */
#include "common/files/inputs.h"
#include "common/method.h"
#include "common/options.h"
#include "pages/live.h"
#include "pages/page.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 8 };

typedef struct request {
    cli_page page;
    cli_settings settings;
    cli_words passed; ///< options of a run
    const char *output, *model, *live_file;
    int no_open;
    int mode;          ///< from 1; 0: none
    cli_method method; ///< of a mode
} request;

static void pass(request* want, const char* name, const char* value)
{
    if (value)
        cli_words_add(&want->passed, "--%s=%s", name, value);
    else
        cli_words_add(&want->passed, "--%s", name);
}

static int take_option(void* context, const char* name, const char* value)
{
    request* want = context;
    if (strcmp(name, "output") == 0) want->output = value;
    if (strcmp(name, "title") == 0) want->page.title = value;
    if (strcmp(name, "notes") == 0) want->page.notes = value;
    if (strcmp(name, "model") == 0) want->model = value;
    if (strcmp(name, "plot-xy") == 0) cli_words_split(&want->page.plots, value, ", ");
    if (strcmp(name, "no-open") == 0) want->no_open = 1;
    if (strcmp(name, "mode") == 0)
        return cli_read_count("view", name, value, 1, 100000, &want->mode);
    if (strcmp(name, "live") == 0) {
        want->page.live = 1;
        want->live_file = value;
    }
    if (strcmp(name, "rows") == 0)
        return cli_read_count(want->page.still ? "report" : "view", name, value, 2, 1000000000,
                              &want->page.rows);
    if (strcmp(name, "set") == 0) {
        pass(want, name, value);
        return cli_settings_add(&want->settings, "view", value);
    }
    if (!cli_method_knows(name)) return 0;
    pass(want, name, value);
    return cli_method_set(&want->method, "view", name, value);
}

/// "run.h5" becomes "run.html" in the working directory.
static char* page_name(const char* input, const char* ending)
{
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    const char* dot = strrchr(name, '.');
    return cli_format("%.*s%s.html", dot ? (int)(dot - name) : (int)strlen(name), name, ending);
}

static void print_report(const request* want, const char* path)
{
    if (!want->no_open && cli_page_open(path))
        printf("%s, open in the browser\n", path);
    else
        printf("%s\n", path);
}

/* ---- results -------------------------------------------------------------------------------- */

static int same_bodies(const cli_scene* a, const cli_scene* b)
{
    int same = a->bodies == b->bodies;
    for (int k = 0; same && k < a->bodies; k++)
        same = strcmp(sar_model_body_name(a->file.model, k),
                      sar_model_body_name(b->file.model, k)) == 0;
    return same;
}

/// Without a motion there are curves still, and the page says why.
static int read_scene(const request* want, const char* path, const cli_scene* first,
                      cli_scene* scene, const char* command)
{
    int refused = cli_scene_read(scene, path, want->model, &want->settings, command);
    if (refused || want->page.still) return refused;
    if (!scene->file.model || scene->rows == 0) {
        refused = cli_scene_refuse(scene, command);
        if (refused && sar_result_rows(scene->result) > 0)
            cli_hint("'sarrus report %s' shows its curves.", path);
        return refused;
    }
    if (first && first->drawing && !same_bodies(first, scene)) {
        cli_error(command, "%s is of another model: its bodies are not those of %s", path,
                  first->name);
        return CLI_FAILED;
    }
    refused = cli_page_admit(scene->file.model, command);
    return refused ? refused : cli_scene_draw(scene, command);
}

static int show_results(const request* want, char** paths, int count, const char* command)
{
    cli_scene* scenes = cli_allocate((size_t)count, sizeof *scenes);
    char* usual = page_name(paths[0], want->page.still ? "-report" : "");
    const char* path = want->output ? want->output : usual;
    int outcome = cli_page_check(path, command);
    for (int k = 0; k < count && outcome == 0; k++)
        outcome = read_scene(want, paths[k], k ? &scenes[0] : NULL, &scenes[k], command);
    if (outcome == 0) outcome = cli_inputs_refuse(command, path, cli_endings_of_file);
    if (outcome == 0) outcome = cli_page_write(&want->page, path, scenes, count, command);
    if (outcome == 0) print_report(want, path);
    for (int k = 0; k < count; k++) cli_scene_clear(&scenes[k]);
    free(scenes);
    free(usual);
    return outcome;
}

/* ---- a mode --------------------------------------------------------------------------------- */

static int find_mode(request* want, const char* model, cli_scene* scene)
{
    cli_words warnings = {0};
    scene->name = model;
    int outcome = cli_model_open(model, "view", &want->settings, &scene->file);
    if (outcome) return outcome;
    sar_options options = scene->file.method;
    outcome = cli_page_admit(scene->file.model, "view");
    if (!outcome) outcome = cli_method_apply(&want->method, "view", &options, &warnings);
    if (!outcome) outcome = cli_scene_mode(scene, &options, want->mode, CLI_AMPLITUDE, "view");
    cli_words_clear(&warnings);
    return outcome ? outcome : cli_scene_draw(scene, "view");
}

static int show_mode(request* want, const char* model)
{
    char* usual = page_name(strcmp(model, "-") == 0 ? "model" : model, "-mode");
    const char* path = want->output ? want->output : usual;
    cli_scene scene = {0};
    int outcome = cli_page_check(path, "view");
    if (!outcome) outcome = find_mode(want, model, &scene);
    if (!outcome) outcome = cli_inputs_refuse("view", path, cli_endings_of_file);
    if (!outcome) outcome = cli_page_write(&want->page, path, &scene, 1, "view");
    if (!outcome) print_report(want, path);
    cli_scene_clear(&scene);
    free(usual);
    return outcome;
}

/* ---- a model -------------------------------------------------------------------------------- */

/// sarrus run MODEL --view=PAGE, with the options that were given.
static int show_model(const request* want, const char* model)
{
    char* usual = page_name(strcmp(model, "-") == 0 ? "model" : model, "");
    const char* path = want->output ? want->output : usual;
    cli_words words = {0};
    cli_words_add(&words, "run");
    cli_words_add(&words, "%s", model);
    cli_words_add(&words, "--view=%s", path);
    if (want->page.live) cli_words_add(&words, "--live");
    if (want->page.title) cli_words_add(&words, "--title=%s", want->page.title);
    if (want->page.notes) cli_words_add(&words, "--notes=%s", want->page.notes);
    for (int k = 0; k < want->page.plots.count; k++)
        cli_words_add(&words, "--plot-xy=%s", want->page.plots.items[k]);
    for (int k = 0; k < want->passed.count; k++) cli_words_add(&words, "%s", want->passed.items[k]);
    char** argv = cli_allocate((size_t)words.count + 1, sizeof *argv);
    memcpy(argv, words.items, (size_t)words.count * sizeof *argv);
    cli_speak_as("view");
    int outcome = cli_command_run.run(words.count, argv);
    cli_speak_as(NULL);
    if (outcome == CLI_DONE || outcome == CLI_DOUBTFUL) print_report(want, path);
    free(argv);
    free(usual);
    cli_words_clear(&words);
    return outcome;
}

/// A page without a model: one is written in it.
static int show_playground(const request* want)
{
    const char* path = want->output ? want->output : "playground.html";
    int outcome = cli_page_check(path, "view");
    if (outcome == 0) outcome = cli_live_check("view");
    if (outcome == 0) outcome = cli_page_write_playground(path, "view");
    if (outcome == 0) print_report(want, path);
    return outcome;
}

/* ---- commands ------------------------------------------------------------------------------- */

static int carry_out(const cli_command* command, request* want, char** operands, int count)
{
    int results = 0;
    for (int k = 0; k < count; k++) results += cli_scene_is_result(operands[k]);
    const int most = want->page.still ? MOST_RUNS : 2;
    if (count == 0 && want->page.live) return show_playground(want);
    if (results > 0 && want->page.live)
        cli_error(command->name, "--live runs models: results do not go on");
    else if (count == 0)
        cli_error(command->name,
                  want->page.still ? "which results?" : "wanted a model or a result");
    else if (count > most)
        cli_error(command->name, "at most %d at a time", most);
    else if (results < count && (count > 1 || want->page.still))
        cli_error(command->name, "wanted result files (.h5, .csv)");
    else if (results < count && want->page.rows)
        cli_error(command->name, "--rows thins a result; the rows of a run are those of --sample");
    else if (want->mode && results)
        cli_error(command->name, "--mode is for models: a result has none");
    else if (want->mode)
        return show_mode(want, operands[0]);
    else if (results == count)
        return show_results(want, operands, count, command->name);
    else
        return show_model(want, operands[0]);
    return cli_usage(command);
}

static int page_main(const cli_command* command, int still, int argc, char** argv)
{
    request want = {.page.still = still};
    int operands = 0;
    int outcome = cli_parse(command, argc, argv, take_option, &want, &operands);
    if (want.live_file) want.output = want.live_file;
    if (outcome == CLI_GO_ON) outcome = carry_out(command, &want, argv + 1, operands);
    cli_words_clear(&want.passed);
    cli_words_clear(&want.page.plots);
    cli_settings_clear(&want.settings);
    cli_method_clear(&want.method);
    return outcome;
}

static int view_main(int argc, char** argv)
{
    return page_main(&cli_command_view, 0, argc, argv);
}

static int report_main(int argc, char** argv)
{
    return page_main(&cli_command_report, 1, argc, argv);
}

#define PAGE_OPTIONS                                                                               \
    {"output", 'o', "FILE", "the page; default: the name of the model or result with .html"},      \
        {"title", 0, "TEXT", "of the page; default: the name of the model"},                       \
        {"notes", 0, "TEXT", "a paragraph above the summary"},                                     \
        {"plot-xy", 0, "X:Y,...", "curves to begin with: Y over X, or Y alone over time"},         \
        {"rows", 0, "N",                                                                           \
         "keep about N rows of a result; those at events, peaks of outputs and the end stay"},     \
    {                                                                                              \
        "no-open", 0, NULL, "do not open it in the browser"                                        \
    }

static const cli_option view_options[] = {
    PAGE_OPTIONS,
    {"mode", 0, "K",
     "mode K of 'sarrus modes' about the start (--equilibrium: about the equilibrium), with a "
     "slider for its amplitude"},
    {"model", 0, "FILE", "the model of a result that keeps none"},
    {"live", 0, "[FILE]",
     "a page that computes: the model runs in it, with sliders; without a model, an editor"},
    {0}};

static const cli_option report_options[] = {PAGE_OPTIONS, {0}};

static const cli_brief view_brief[] = {{"output", "the page; default: the name with .html"},
                                       {"title", "of the page"},
                                       {"notes", "a paragraph above the summary"},
                                       {"plot-xy", "curves to begin with: Y over X"},
                                       {"rows", "about this number of rows of a result"},
                                       {"no-open", "do not open the page in a browser"},
                                       {"mode", "a mode of 'sarrus modes', by its number"},
                                       {"end", "time at the end (default 10 s)"},
                                       {"tolerance", "of the automatic method (default 1e-6)"},
                                       {0}};

const cli_command cli_command_view = {
    .name = "view",
    .summary = "see it move: one page with motion, curves and verdict",
    .operands = "MODEL|RESULT [RESULT] [options]",
    .examples = "# run a problem and look at it\n"
                "sarrus view slider-crank-1\n"
                "# a result with everything in it, as a page for others\n"
                "sarrus run bricard --all -o bricard.h5\n"
                "sarrus view bricard.h5 --title 'Bricard mechanism' -o bricard.html\n"
                "# a page in which the model runs\n"
                "sarrus view n-four-bar --live\n"
                "# two runs over each other, the second as a ghost\n"
                "sarrus view coarse.h5 fine.h5",
    .gist = "Writes one page that opens in any browser, without a network. A model is run "
            "as 'sarrus run' does; a result (.h5) needs the poses of its bodies: 'sarrus "
            "run --all'. 'sarrus help' lists the models that come with Sarrus.",
    .brief = view_brief,
    .text =
        "The page is one file that holds all it needs: it opens in any browser, without a network, "
        "and can be sent to others. It has the mechanism in motion, singular configurations and "
        "violations along the time bar, curves with a common time, reactions as arrows, the "
        "verdict "
        "of the run, and saves pictures and films. '?' in the page shows the keys.\n\n"
        "A model is run with its own method or the one given here, as 'sarrus run' does. A result "
        "(.h5) needs the poses of its bodies: 'sarrus run --all'. Poses are rounded to 1e-5 of the "
        "length of a body, reactions to 1e-4 of the largest one.\n\n"
        "With --live the page has the solver inside, as WebAssembly: parameters, inputs, start "
        "conditions "
        "and method can be changed, bodies dragged, and it computes the same digits as this "
        "program. "
        "Without a model it is a playground with an editor. Where WebAssembly is forbidden it "
        "shows the recorded run.\n\n"
        "Exit codes: those of 'sarrus run'.",
    .options = view_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET,
    .run = view_main};

const cli_command cli_command_report = {
    .name = "report",
    .summary = "curves and verdicts of results as one page",
    .operands = "RESULT... [options]",
    .examples = "# of a run that kept its outputs alone\n"
                "sarrus run four-bar -o four-bar.csv\n"
                "sarrus report four-bar.csv --notes 'Step 1 ms, as in the drawing of May.'\n"
                "# several runs over each other\n"
                "sarrus report natural.h5 relative.h5",
    .text =
        "The page has no moving mechanism; 'sarrus view' has. Curves of several results lie over "
        "each other, named after their files.\n\n"
        "Exit codes: 0 written, 1 a file cannot be read or written, 2 wrong usage.",
    .options = report_options,
    .run = report_main};
