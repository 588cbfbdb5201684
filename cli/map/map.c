/* sarrus map: all configurations of a mechanism. */
#include "map/map.h"

#include "common/interrupt.h"
#include "common/options.h"
#include "common/start.h"
#include "common/timing.h"

#include <stdlib.h>
#include <string.h>

static int take_option(void* self, const char* name, const char* value)
{
    cli_map* m = self;
    if (strcmp(name, "locked") == 0) m->asked.locked = 1;
    if (strcmp(name, "output") == 0) m->output = value;
    if (strcmp(name, "over") == 0) m->over = value;
    if (strcmp(name, "singular") == 0) m->singular = value;
    if (strcmp(name, "boundary") == 0) m->boundary = value;
    if (strcmp(name, "starts") == 0) {
        const int refused = cli_read_count("map", name, value, 1, 100000, &m->asked.starts);
        if (m->asked.most_starts < m->asked.starts) m->asked.most_starts = m->asked.starts;
        return refused;
    }
    return 0;
}

/* Singularity curves, as they were asked for. */
static sar_status make_singular(cli_map* m, sar_error* error)
{
    const sar_model* model = m->base.file.model;
    const char* text = m->singular ? m->singular : m->boundary;
    const size_t first = strcspn(text, m->singular ? "," : ".");
    char* word = cli_format("%.*s", (int)first, text);
    const char* rest = text[first] ? text + first + 1 : "";
    sar_map_singular what = {.name = m->boundary};
    sar_status status = SAR_OK;
    if (m->singular) {
        what.input[0] = word, what.input[1] = rest;
    } else {
        status = sar_model_find_body(model, word, first, &what.body);
        if (status == SAR_OK)
            status = sar_model_find_point(model, what.body, rest, strlen(rest), what.point);
        if (status != SAR_OK)
            snprintf(error->message, sizeof error->message, "there is no point '%s'", text);
    }
    if (status == SAR_OK) status = sar_map_create_singular(model, &what, &m->asked, &m->map, error);
    free(word);
    return status;
}

sar_status cli_map_make(cli_map* m, sar_error* error)
{
    const int64_t begin = cli_clock();
    const sar_status status = m->singular || m->boundary
                                  ? make_singular(m, error)
                                  : sar_map_create(m->base.file.model, &m->asked, &m->map, error);
    m->seconds = 1e-9 * (double)(cli_clock() - begin);
    if (status != SAR_OK) return status;
    m->summary = sar_map_summarise(m->map);
    m->quantities = sar_map_quantities(m->map, &m->quantity);
    sar_map_arcs(m->map, &m->arc);
    sar_map_nodes(m->map, &m->node);
    sar_map_components(m->map, &m->component);
    if (!m->singular && !m->boundary) cli_map_find_clearances(m);
    return SAR_OK;
}

void cli_map_clear(cli_map* m)
{
    sar_map_destroy(m->map);
    free(m->clearance);
}

static int examine(void* self)
{
    cli_map* m = self;
    cli_inspection* x = &m->base;
    sar_error error = {0};
    const int refused = cli_inspection_open(x);
    if (refused) return refused;
    const sar_status status = cli_map_make(m, &error);
    if (status != SAR_OK) {
        x->failure = cli_format("%s", error.message);
        cli_error("map", "%s: %s", x->file.path, x->failure);
        return status == SAR_E_ASSEMBLY   ? CLI_ASSEMBLY
               : status == SAR_E_INCOMPAT ? CLI_MODEL
               : status == SAR_E_ARG      ? CLI_USAGE
                                          : CLI_FAILED;
    }
    x->known = 1;
    const int failed = m->output ? cli_map_picture(m) : 0;
    if (failed) return failed;
    if (cli_interrupted) {
        cli_warning("map", "%s: interrupted after %d starts; what was found until then is the map",
                    x->name, m->summary.starts);
        return CLI_INTERRUPTED;
    }
    return m->summary.complete ? CLI_DONE : CLI_DOUBTFUL;
}

static int map_main(int argc, char** argv)
{
    static const cli_inspector how = {take_option, examine, cli_map_print, cli_map_json};
    cli_map m = {.base.command = &cli_command_map, .asked = sar_map_options_default()};
    m.asked.stop = &cli_interrupted;
    cli_catch_signals();
    const int outcome = cli_inspect(&how, &m.base, argc, argv);
    cli_map_clear(&m);
    return outcome;
}

static const cli_option map_options[] = {
    {"locked", 0, NULL,
     "drives hold their coordinates where they are at the start: the map consists of the assembly "
     "modes"},
    {"singular", 0, "A,B",
     "two degrees of freedom: the curves of singular configurations with these two inputs, "
     "J1.angle,J5.angle (of the second kind), and the number of configurations between them"},
    {"boundary", 0, "BODY.POINT",
     "two degrees of freedom, in the plane: where the point cannot move in some direction, the "
     "boundary of its workspace and curves within it (of the first kind)"},
    {"starts", 0, "N",
     "configurations at random from which loops are closed, at least (default 60; on to 400 until "
     "95 % of them would find nothing new)"},
    {"output", 'o', "FILE",
     "a picture of the map, .svg, or a page in which a click on a curve moves the mechanism, "
     ".html"},
    {"over", 0, "A,B",
     "coordinates of joints over which the picture shows curves: J1.angle,J3.angle"},
    {0}};

static const cli_brief map_brief[] = {{"locked", "assembly modes, with drives where they are"},
                                      {"starts", "search longer"},
                                      {"output", "a picture, .svg or .html"},
                                      {0}};

const cli_command cli_command_map = {
    .name = "map",
    .summary = "all configurations: curves of motion, where they meet, ranges, dead points",
    .operands = "MODEL [options]",
    .examples = "# every motion of two parallelograms in a row\n"
                "sarrus map n-four-bar\n"
                "# in how many ways can the platform be assembled with these legs?\n"
                "sarrus map stewart-platform --locked",
    .gist = "Finds every way in which the loops of a mechanism close, every curve of motion, the "
            "singular configurations at which curves meet, how they connect, and says how sure it "
            "is that nothing is missing. Exit codes: 0 done, 3 invalid model, 4 loops do not "
            "close, 6 something could not be resolved.",
    .brief = map_brief,
    .text =
        "The configurations of a mechanism are the solutions of its constraints. With one degree "
        "of freedom they are curves, named A1, A2 ..., which are closed or meet in singular "
        "configurations, S1, S2 .... Configurations without any motion are assembly modes, M1, M2 "
        "...; what has more dimensions is a family, F1, .... What is connected is a component: to "
        "get from one component to another the mechanism has to be taken apart.\n"
        "\n"
        "For every curve the map has the range of every joint coordinate, and its dead points: "
        "where the coordinate turns back, so that it cannot be the input. A shaky curve is "
        "singular all along: it has more degrees of freedom of velocities than of motions. Stops "
        "and bounds do not end curves; the map says where curves cross them, and what is "
        "between.\n"
        "\n"
        "Curves are found from starts at random. What is not in the map is reached from at most "
        "the reported part of such starts, at 95 % confidence; that counts starts, and is no "
        "proof. Drives are no part of the map, their coordinates are its inputs.\n"
        "\n"
        "Ctrl-C ends the search, and what was found until then is shown.\n"
        "\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 invalid model, 4 loops do not close, 6 a "
        "limit was reached or something could not be resolved, 130 interrupted.",
    .options = map_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = map_main};
