/* sarrus draw: the mechanism at some times, as a picture for papers, or moving. */
#include "draw/draw.h"

#include "common/files/inputs.h"
#include "common/options.h"
#include "math/functions.h"
#include "pictures/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_TIMES = 200, FRAMES_PER_SECOND = 20, MOST_FRAMES = 120 };

/* ---- the command line ----------------------------------------------------------------------- */

static int take_times(cli_draw_request* want, const char* text)
{
    cli_words words = {0};
    cli_words_split(&words, text, ", ");
    int bad = words.count == 0 || words.count > MOST_TIMES;
    want->times = cli_resize(want->times, (size_t)(words.count + 1) * sizeof *want->times);
    for (want->count = 0; want->count < words.count && !bad; want->count++) {
        char* end = NULL;
        want->times[want->count] = strtod(words.items[want->count], &end);
        bad = *end || !isfinite(want->times[want->count]);
    }
    cli_words_clear(&words);
    if (!bad) return 0;
    cli_error("draw", "--at %s: wanted one or more times in seconds, separated by commas", text);
    return CLI_USAGE;
}

static int take_option(void* context, const char* name, const char* value)
{
    cli_draw_request* want = context;
    int refused = 0;
    if (strcmp(name, "at") == 0) return take_times(want, value);
    if (strcmp(name, "set") == 0) return cli_settings_add(&want->settings, "draw", value);
    if (strcmp(name, "output") == 0) want->output = value;
    if (strcmp(name, "from") == 0) want->eye = value;
    if (strcmp(name, "labels") == 0) want->labels = value ? value : "bodies,joints";
    if (strcmp(name, "title") == 0) want->title = value;
    if (strcmp(name, "model") == 0) want->model = value;
    if (strcmp(name, "trace") == 0) cli_words_split(&want->traces, value, ", ");
    if (strcmp(name, "clearance") == 0) cli_words_add(&want->clearances, "%s", value);
    if (strcmp(name, "centers") == 0) want->centers = 1;
    if (strcmp(name, "forces") == 0) want->forces = value ? value : "forces";
    if (strcmp(name, "amplitude") == 0)
        return cli_read_number("draw", name, value, 1e-6, 10, &want->amplitude);
    if (strcmp(name, "mode") == 0)
        return cli_read_count("draw", name, value, 1, 100000, &want->mode);
    if (strcmp(name, "move") == 0) {
        want->moves = 1;
        if (value) refused = cli_read_number("draw", name, value, 0.1, 600.0, &want->seconds);
    }
    if (strcmp(name, "width") == 0)
        return cli_read_count("draw", name, value, 100, 8000, &want->width);
    if (cli_method_knows(name)) return cli_method_set(&want->method, "draw", name, value);
    return refused;
}

static int is_svg(const char* path)
{
    const char* ending = strrchr(path, '.');
    return ending && strcasecmp(ending, ".svg") == 0;
}

static int check_request(const cli_draw_request* want, int operands)
{
    if (operands != 1)
        cli_error("draw", "wanted a model or a result file");
    else if (!want->output)
        cli_error("draw", "where to? Give -o with the name of a picture: .svg, .png or .pdf");
    else if (want->moves && !is_svg(want->output))
        cli_error("draw", "a moving picture is an .svg");
    else if (want->mode && (want->forces || want->count || want->traces.count))
        cli_error("draw",
                  "--mode shows a mode about the start: without --at, --trace and --forces");
    else if (want->moves && want->forces)
        cli_error("draw", "--forces is for pictures that stand still");
    else if (want->forces && !cli_arrows_check(want->forces))
        cli_error("draw",
                  "--forces=%s: wanted forces, reactions, weights, or some of them with "
                  "commas between",
                  want->forces);
    else if (want->moves && want->count > 2)
        cli_error("draw", "--move goes from the first time of --at to the second");
    else
        return 0;
    return cli_usage(&cli_command_draw);
}

/* ---- what is drawn -------------------------------------------------------------------------- */

static double last_time(const cli_draw_job* j)
{
    return j->scene.time[j->scene.rows - 1];
}

/* How far a model has to run. */
static double until(const cli_draw_request* want, const sar_options* options)
{
    double most = want->traces.count || want->moves ? options->end : options->start;
    if (want->count) most = want->times[0];
    for (int k = 1; k < want->count; k++) most = fmax(most, want->times[k]);
    return want->moves && want->count == 1 ? options->end : most;
}

/* A mode moves; where the picture cannot, both ends of its motion are drawn, and the middle. */
static int get_mode(cli_draw_job* j, const sar_options* options)
{
    const double amplitude = j->want.amplitude > 0.0 ? j->want.amplitude : CLI_AMPLITUDE;
    const int refused = cli_scene_mode(&j->scene, options, j->want.mode, amplitude, "draw");
    j->want.moves = is_svg(j->want.output);
    if (refused || j->want.moves) return refused;
    const double period = last_time(j);
    j->want.times = cli_resize(j->want.times, 3 * sizeof *j->want.times);
    for (int k = 0; k < 3; k++) j->want.times[k] = period * (2 - k) / 4.0;
    j->want.count = 3;
    return 0;
}

static int get_scene(cli_draw_job* j, const char* name)
{
    j->scene.keeps_actions = j->want.forces != NULL;
    if (j->want.mode && cli_scene_is_result(name)) {
        cli_error("draw", "--mode is for models: a result has none");
        return CLI_USAGE;
    }
    if (cli_scene_is_result(name)) {
        int refused = cli_scene_read(&j->scene, name, j->want.model, &j->want.settings, "draw");
        return refused ? refused : cli_scene_refuse(&j->scene, "draw");
    }
    cli_words warnings = {0};
    j->scene.name = name;
    int refused = cli_model_open(name, "draw", &j->want.settings, &j->scene.file);
    sar_options options = j->scene.file.method;
    if (!refused) refused = cli_method_apply(&j->want.method, "draw", &options, &warnings);
    if (!refused) refused = cli_method_choose("draw", name, j->scene.file.model, &options, NULL, 0);
    if (!refused && j->want.mode)
        refused = get_mode(j, &options);
    else if (!refused)
        refused = cli_scene_run(&j->scene, &options, until(&j->want, &options), "draw");
    cli_words_clear(&warnings);
    return refused;
}

/* Times that the motion does not have. */
static int check_times(const cli_draw_job* j)
{
    const double from = j->scene.time[0], to = last_time(j), slack = 1e-9 * (1.0 + fabs(to));
    for (int k = 0; k < j->want.count; k++) {
        if (j->want.times[k] >= from - slack && j->want.times[k] <= to + slack) continue;
        cli_error("draw", "--at %g: the motion goes from t = %g to %g s", j->want.times[k], from,
                  to);
        return CLI_USAGE;
    }
    return 0;
}

/* BODY.POINT. 0, or CLI_USAGE after a message. */
static int find_point(const cli_draw_job* j, const char* text, int* body, double point[3])
{
    const sar_model* model = j->scene.file.model;
    const char* dot = strchr(text, '.');
    sar_body_id found;
    const size_t length = dot ? (size_t)(dot - text) : strlen(text);
    const char* name = dot ? dot + 1 : "center";
    if (sar_model_find_body(model, text, length, &found) == SAR_OK &&
        sar_model_find_point(model, found, name, strlen(name), point) == SAR_OK) {
        *body = found.i;
        return 0;
    }
    cli_error("draw", "--trace %s: the model has no such point; wanted BODY or BODY.POINT", text);
    return CLI_USAGE;
}

static int draw_trace(cli_draw_job* j, const char* text)
{
    int body = 0;
    double point[3], place[3], depth;
    int refused = find_point(j, text, &body, point);
    if (refused) return refused;
    const int rows = j->scene.rows;
    double(*points)[2] = cli_allocate((size_t)rows, sizeof *points);
    for (int row = 0; row < rows; row++) {
        const double* poses = j->scene.poses + (size_t)row * (size_t)j->scene.bodies * SAR_POSE;
        cli_place(poses, body, point, place);
        cli_project(&j->eye, place, points[row], &depth);
    }
    cli_sheet_add(&j->sheet,
                  (cli_figure){.depth = -INFINITY,
                               .n = rows,
                               .fill = CLI_NO_COLOUR,
                               .stroke = cli_body_colour(body),
                               .width = 1.2,
                               .alpha = 0.8,
                               .frame = -1},
                  (const double(*)[2])points);
    free(points);
    return 0;
}

/* The middle of what is drawn of a body or joint. */
static void label(cli_draw_job* j, int is_joint, int index, const char* text)
{
    double sum[3] = {0};
    int n = 0;
    for (int k = 0; k < sar_drawing_marks(j->scene.drawing); k++) {
        const sar_mark* m = sar_drawing_mark(j->scene.drawing, k);
        const int fits = is_joint ? m->joint == index && m->role == SAR_ROLE_JOINT
                                  : m->body == index && m->role == SAR_ROLE_BODY;
        for (int i = 0; fits && i < (m->kind == SAR_MARK_BOX ? 1 : m->count); i++, n++) {
            double place[3];
            cli_place(j->poses, i == 1 && m->other >= 0 ? m->other : m->body, m->points[i], place);
            for (int c = 0; c < 3; c++) sum[c] += place[c];
        }
    }
    if (n == 0) return;
    double flat[2], depth;
    for (int c = 0; c < 3; c++) sum[c] /= n;
    cli_project(&j->eye, sum, flat, &depth);
    if (is_joint) flat[1] += 0.09 * sar_drawing_size(j->scene.drawing);
    cli_sheet_text(&j->sheet, flat, depth, text);
}

static void draw_labels(cli_draw_job* j)
{
    const sar_model* model = j->scene.file.model;
    if (!j->want.labels) return;
    for (int b = 1; strstr(j->want.labels, "bod") && b < sar_model_bodies(model); b++)
        label(j, 0, b, sar_model_body_name(model, b));
    for (int k = 0; strstr(j->want.labels, "joint") && k < sar_model_joints(model); k++)
        label(j, 1, k, sar_model_joint_name(model, k));
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* The last time is drawn in full, those before paler. 0, or the exit code. */
static int draw_times(cli_draw_job* j)
{
    const int n = j->want.count ? j->want.count : 1;
    int refused = 0;
    for (int k = 0; k < n; k++) {
        const double t = j->want.count ? j->want.times[k] : j->scene.time[0];
        const double alpha = n == 1 ? 1.0 : 0.25 + 0.75 * (k + 1) / n;
        const cli_view view = {j->eye, alpha, -1, k == 0, 1, j->want.centers};
        const int before = j->sheet.count;
        cli_scene_poses(&j->scene, t, j->poses);
        cli_show_marks(&j->sheet, j->scene.drawing, j->poses, &view);
        double shift = 1e3 * k * sar_drawing_size(j->scene.drawing); // later ones are in front
        for (int i = before; i < j->sheet.count; i++) j->sheet.figures[i].depth += shift;
        for (int i = 0; i < j->want.clearances.count && !refused; i++)
            refused = cli_clearance_draw(j, j->want.clearances.items[i], -1);
    }
    draw_labels(j);
    if (j->want.count == 1) j->sheet.note = cli_format("t = %g s", j->want.times[0]);
    if (j->want.count > 1)
        j->sheet.note = cli_format("t = %g to %g s", j->want.times[0], j->want.times[n - 1]);
    if (!j->want.forces) return refused;
    char *scale = cli_arrows_draw(j), *time = j->sheet.note;
    j->sheet.note = time ? cli_format("%s; %s", time, scale) : cli_format("%s", scale);
    free(scale);
    free(time);
    return refused;
}

static void draw_frames(cli_draw_job* j)
{
    const double from = j->want.count ? j->want.times[0] : j->scene.time[0];
    const double to = j->want.count > 1 ? j->want.times[1] : last_time(j);
    const double seconds = j->want.seconds > 0 ? j->want.seconds : fmin(fmax(to - from, 1.0), 6.0);
    int frames = (int)(seconds * FRAMES_PER_SECOND);
    if (frames > MOST_FRAMES) frames = MOST_FRAMES;
    if (frames < 2) frames = 2;
    j->sheet.frames = frames;
    j->sheet.seconds = seconds;
    for (int k = -1; k < frames; k++) {
        const cli_view view = {j->eye, 1.0, k, k < 0, k >= 0, j->want.centers};
        cli_scene_poses(&j->scene, from + (to - from) * (k < 0 ? 0 : k) / frames, j->poses);
        cli_show_marks(&j->sheet, j->scene.drawing, j->poses, &view);
    }
    const double speed = (to - from) / seconds;
    j->sheet.note = fabs(speed - 1.0) < 1e-9
                        ? cli_format("t = %g to %g s", from, to)
                        : cli_format("t = %g to %g s, %.3g times as fast", from, to, speed);
}

static int draw(cli_draw_job* j)
{
    const int dimension = sar_model_dimension(j->scene.file.model);
    if (cli_eye_of(j->want.eye, j->scene.drawing, dimension, &j->eye) != 0) {
        cli_error("draw", "--from %s: wanted " CLI_EYES, j->want.eye);
        return CLI_USAGE;
    }
    j->poses = cli_allocate((size_t)j->scene.bodies * SAR_POSE, sizeof *j->poses);
    j->sheet.width = j->want.width ? j->want.width : 720;
    if (j->want.title && *j->want.title) j->sheet.title = cli_format("%s", j->want.title);
    int refused = 0;
    for (int k = 0; k < j->want.traces.count && !refused; k++)
        refused = draw_trace(j, j->want.traces.items[k]);
    if (refused) return refused;
    if (j->want.moves)
        draw_frames(j);
    else
        refused = draw_times(j);
    if (refused) return refused;
    if (j->scene.note) {
        free(j->sheet.note);
        j->sheet.note = cli_format("%s", j->scene.note);
    }
    return cli_sheet_write(&j->sheet, j->want.output) == 0 ? CLI_DONE : CLI_FAILED;
}

static int check_output(const cli_draw_request* want)
{
    if (!is_svg(want->output)) return cli_gnuplot_check(want->output);
    return 0;
}

static int carry_out(cli_draw_job* j, const char* name)
{
    int outcome = check_output(&j->want);
    if (!outcome) outcome = get_scene(j, name);
    if (!outcome) outcome = cli_inputs_refuse("draw", j->want.output, cli_endings_of_file);
    if (!outcome) outcome = check_times(j);
    if (!outcome) outcome = cli_scene_draw(&j->scene, "draw");
    return outcome ? outcome : draw(j);
}

static int draw_main(int argc, char** argv)
{
    cli_draw_job* j = cli_allocate(1, sizeof *j);
    int operands = 0;
    int outcome = cli_parse(&cli_command_draw, argc, argv, take_option, &j->want, &operands);
    if (outcome == CLI_GO_ON) {
        outcome = check_request(&j->want, operands);
        if (outcome == 0) outcome = carry_out(j, argv[1]);
    }
    cli_sheet_clear(&j->sheet);
    cli_scene_clear(&j->scene);
    cli_method_clear(&j->want.method);
    cli_settings_clear(&j->want.settings);
    cli_words_clear(&j->want.traces);
    cli_words_clear(&j->want.clearances);
    free(j->want.times);
    free(j->poses);
    free(j);
    return outcome;
}

static const cli_option draw_options[] = {
    {"output", 'o', "FILE",
     "the picture: .svg, .png or .pdf by its ending (the last two need gnuplot)"},
    {"at", 0, "T,...",
     "times [s]; several are drawn over each other, earlier ones paler. Default: the start"},
    {"move", 0, "[=SECONDS]",
     "a moving picture (.svg) of the whole motion, or of that between two times of --at, which "
     "lasts SECONDS and is repeated"},
    {"mode", 0, "K",
     "mode K of 'sarrus modes' about the start (--equilibrium: about the equilibrium), moving "
     "(.svg) or at both ends of its motion"},
    {"amplitude", 0, "A", "of the fastest body of a mode, in sizes or radians; default 0.15"},
    {"from", 0, "WHERE",
     "where the eye is: " CLI_EYES ". Default front in the plane, iso in space"},
    {"trace", 0, "BODY.POINT,...", "the path of points; BODY alone: its centre of mass"},
    {"labels", 0, "[=bodies,joints]", "names of bodies and joints"},
    {"forces", 0, "[=forces,reactions,weights]",
     "arrows of what forces of the model exert, of reactions, of weights; one scale for all"},
    {"clearance", 0, "A,B",
     "the nearest points of the shapes of two bodies, and their distance; may be repeated"},
    {"centers", 0, NULL, "centres of mass"},
    {"title", 0, "TEXT", "above the picture"},
    {"width", 0, "PIXELS", "of the picture; default 720"},
    {"model", 0, "FILE", "the model of a result that keeps none"},
    {0}};

static const cli_brief draw_brief[] = {{"output", "the picture: .svg, .png or .pdf"},
                                       {"at", "times [s], drawn over each other"},
                                       {"move", "a moving picture (.svg)"},
                                       {"from", "view: front, left, top, iso, or two angles"},
                                       {"trace", "the path of points"},
                                       {"labels", "names of bodies and joints"},
                                       {"forces", "arrows of forces, reactions, weights"},
                                       {"title", "above the picture"},
                                       {0}};

const cli_command cli_command_draw = {
    .name = "draw",
    .summary = "draw the mechanism at some times, or moving",
    .operands = "MODEL|RESULT [options]",
    .examples =
        "# as it is at the start, with names\n"
        "sarrus draw four-bar --labels -o four-bar.svg\n"
        "# five positions over each other, and the path of a point\n"
        "sarrus draw slider-crank-1 --at 0,0.1,0.2,0.3,0.4 --trace crank.P -o positions.pdf\n"
        "# a moving picture of a result\n"
        "sarrus run bricard --all -o bricard.h5\n"
        "sarrus draw bricard.h5 --move --from iso -o bricard.svg",
    .gist = "Draws any model at the start, or a model or a result (.h5 of 'sarrus run "
            "--all') at the times of --at. 'sarrus help' lists the models that come with "
            "Sarrus.",
    .brief = draw_brief,
    .text =
        "Any model can be drawn. Bodies are rods and plates between the points that joints and "
        "forces hold; a body whose model gives it a shape has that. Joints, springs, dampers, "
        "wheels, belts, cables and the ground have their symbols. The scale bar is in metres.\n\n"
        "A model is run up to the last time that is asked for, with its own method or the one "
        "given here. A result (.h5) needs the poses of its bodies: 'sarrus run --all'.\n\n"
        "Exit codes: 0 drawn, 1 the run failed or a file cannot be read or written, 2 wrong usage, "
        "3 invalid model, 4 the mechanism cannot be assembled.",
    .options = draw_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET,
    .run = draw_main};
