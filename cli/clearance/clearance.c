/* sarrus clearance: how near the shapes of bodies come to each other in a run. */
#include "common/files/output_file.h"
#include "common/inspection.h"
#include "common/start.h"
#include "common/summary.h"

#include "sarrus/shape.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WITHIN = 8, OVERLAPS = 64 }; ///< samples within a step; overlaps that are reported

typedef struct span {
    double from, to;
} span;

/// Two bodies and what was seen of them.
typedef struct couple {
    sar_body_id body[2];
    sar_clearance nearest;
    double t; ///< of it
    double last, last_t;
    span overlap[OVERLAPS];
    int overlaps, overlapping;
} couple;

typedef struct clearance_task {
    cli_inspection base;
    cli_words between;
    const char* output;
    const char* asked; ///< for the model, as it was typed
    couple* couples;
    int count;
    double* rows; ///< time and the distance of every couple, at the ends of steps
    long length, room;
    int can_measure; ///< within steps
    double t_last;
} clearance_task;

/* ---- which ---------------------------------------------------------------------------------- */

static int take_option(void* self, const char* name, const char* value)
{
    clearance_task* task = self;
    if (strcmp(name, "between") == 0) cli_words_add(&task->between, "%s", value);
    if (strcmp(name, "output") == 0) task->output = value;
    return 0;
}

static void add_couple(clearance_task* task, int a, int b)
{
    task->couples = cli_resize(task->couples, (size_t)(task->count + 1) * sizeof *task->couples);
    task->couples[task->count++] =
        (couple){.body = {{a}, {b}}, .nearest.distance = INFINITY, .last = NAN};
}

static int read_couple(clearance_task* task, const char* text)
{
    const sar_model* model = task->base.file.model;
    cli_words names = {0};
    int body[2] = {-1, -1}, fine;
    cli_words_split(&names, text, ", ");
    fine = names.count == 2;
    for (int k = 0; k < 2 && fine; k++) {
        sar_body_id found;
        fine = sar_model_find_body(model, names.items[k], strlen(names.items[k]), &found) == SAR_OK;
        if (!fine)
            cli_error("clearance", "--between %s: no body is called '%s'", text, names.items[k]);
        if (fine && sar_model_shapes(model, found) == 0) {
            cli_error("clearance", "--between %s: '%s' has no shape in the model", text,
                      names.items[k]);
            fine = 0;
        }
        body[k] = fine ? found.i : -1;
    }
    if (names.count != 2) cli_error("clearance", "--between %s: expected two bodies, A,B", text);
    cli_words_clear(&names);
    if (fine) add_couple(task, body[0], body[1]);
    return fine ? 0 : CLI_USAGE;
}

/* Those that were named, or all with shapes that no joint holds together. */
static int find_couples(clearance_task* task)
{
    const sar_model* model = task->base.file.model;
    for (int k = 0; k < task->between.count; k++)
        if (read_couple(task, task->between.items[k])) return CLI_USAGE;
    if (task->between.count) return 0;
    for (int a = 0; a < sar_model_bodies(model); a++)
        for (int b = a + 1; b < sar_model_bodies(model); b++)
            if (sar_model_shapes(model, (sar_body_id){a}) &&
                sar_model_shapes(model, (sar_body_id){b}) && !cli_are_joined(model, a, b))
                add_couple(task, a, b);
    if (task->count) return 0;
    cli_error("clearance",
              "%s: no two bodies with shapes that no joint joins; name two with --between",
              task->base.name);
    return CLI_USAGE;
}

/* ---- a run ---------------------------------------------------------------------------------- */

static double measure(clearance_task* task, couple* c, double t, sar_clearance* out)
{
    double pose[2][7];
    if (task->can_measure) sar_simulation_look(task->base.simulation, t);
    for (int k = 0; k < 2; k++)
        sar_simulation_pose(task->base.simulation, c->body[k], pose[k], pose[k] + 3);
    sar_model_clearance(task->base.file.model, c->body[0], pose[0], c->body[1], pose[1], out);
    return out->distance;
}

static void keep(couple* c, double t, const sar_clearance* found)
{
    if (!(found->distance < c->nearest.distance)) return;
    c->nearest = *found;
    c->t = t;
}

/* The least between two times, by golden sections. */
static void refine(clearance_task* task, couple* c, double from, double to)
{
    static const double golden = 0.6180339887498949;
    sar_clearance at[2];
    double t[2] = {to - golden * (to - from), from + golden * (to - from)};
    double f[2] = {measure(task, c, t[0], &at[0]), measure(task, c, t[1], &at[1])};
    for (int k = 0; k < 60 && to - from > 1e-13 * (1.0 + fabs(to)); k++) {
        const int low = f[0] < f[1];
        if (low)
            to = t[1], t[1] = t[0], f[1] = f[0], t[0] = to - golden * (to - from);
        else
            from = t[0], t[0] = t[1], f[0] = f[1], t[1] = from + golden * (to - from);
        f[!low] = measure(task, c, t[!low], &at[!low]);
        keep(c, t[!low], &at[!low]);
    }
}

/* When the distance changes its sign. */
static double cross(clearance_task* task, couple* c, double from, double to, int sign)
{
    sar_clearance at;
    for (int k = 0; k < 60 && task->can_measure; k++) {
        const double middle = 0.5 * (from + to);
        if ((measure(task, c, middle, &at) < 0.0) == (sign < 0))
            from = middle;
        else
            to = middle;
    }
    return to;
}

static void note(clearance_task* task, couple* c, double t, double distance)
{
    const int inside = distance < 0.0;
    if (inside != c->overlapping && c->overlaps < OVERLAPS) {
        const double when =
            isnan(c->last) ? t : cross(task, c, c->last_t, t, c->overlapping ? -1 : 1);
        if (inside)
            c->overlap[c->overlaps] = (span){when, INFINITY};
        else
            c->overlap[c->overlaps++].to = when;
        c->overlapping = inside;
    }
    c->last = distance, c->last_t = t;
}

/* From the last time to now. */
static void measure_step(clearance_task* task, couple* c, double now)
{
    const int samples_taken = task->can_measure && now > task->t_last ? WITHIN : 1;
    double f[WITHIN + 1], at[WITHIN + 1];
    int best = 0;
    f[0] = isnan(c->last) ? INFINITY : c->last, at[0] = task->t_last;
    for (int k = 1; k <= samples_taken; k++) {
        sar_clearance found;
        at[k] = k == samples_taken ? now : task->t_last + (now - task->t_last) * k / samples_taken;
        f[k] = measure(task, c, at[k], &found);
        keep(c, at[k], &found);
        note(task, c, at[k], f[k]);
        if (f[k] < f[best]) best = k;
    }
    if (samples_taken > 1 &&
        f[best] <= c->nearest.distance * (c->nearest.distance > 0.0 ? 1.05 : 0.95))
        refine(task, c, at[best ? best - 1 : 0],
               at[best < samples_taken ? best + 1 : samples_taken]);
}

static void add_row(clearance_task* task, double t)
{
    const long width = 1 + task->count;
    if (task->length == task->room) {
        task->room = 2 * task->room + 256;
        task->rows = cli_resize(task->rows, (size_t)(task->room * width) * sizeof *task->rows);
    }
    double* row = task->rows + width * task->length++;
    row[0] = t;
    for (int k = 0; k < task->count; k++) row[1 + k] = task->couples[k].last;
}

static int run(clearance_task* task)
{
    cli_inspection* x = &task->base;
    sar_simulation* s = x->simulation;
    task->t_last = sar_simulation_time(s);
    for (int k = 0; k < task->count; k++) measure_step(task, &task->couples[k], task->t_last);
    add_row(task, task->t_last);
    while (!sar_simulation_done(s)) {
        const sar_status status = sar_simulation_advance(s);
        if (status != SAR_OK) return cli_start_failure(s, status, &x->failure);
        const double now = sar_simulation_time(s);
        task->can_measure = sar_simulation_look(s, now) == SAR_OK;
        for (int k = 0; k < task->count; k++) measure_step(task, &task->couples[k], now);
        if (task->can_measure) sar_simulation_look(s, INFINITY);
        task->t_last = now;
        add_row(task, now);
    }
    for (int k = 0; k < task->count; k++)
        if (task->couples[k].overlapping && task->couples[k].overlaps < OVERLAPS)
            task->couples[k].overlap[task->couples[k].overlaps++].to = task->t_last;
    return 0;
}

static int write_rows(const clearance_task* task)
{
    const sar_model* model = task->base.file.model;
    cli_output_file out;
    if (cli_output_begin(&out, "clearance", task->output)) return CLI_FAILED;
    fprintf(out.to, "time");
    for (int k = 0; k < task->count; k++)
        fprintf(out.to, ",%s %s", sar_model_body_name(model, task->couples[k].body[0].i),
                sar_model_body_name(model, task->couples[k].body[1].i));
    for (long r = 0; r < task->length; r++)
        for (int k = 0; k <= task->count; k++)
            fprintf(out.to, "%s%.17g", k ? "," : "\n", task->rows[r * (1 + task->count) + k]);
    fprintf(out.to, "\n");
    return cli_output_end(&out, "clearance", task->output);
}

static int examine(void* self)
{
    clearance_task* task = self;
    cli_inspection* x = &task->base;
    task->asked = x->name;
    int refused = cli_inspection_open(x);
    if (!refused) refused = find_couples(task);
    if (!refused) refused = cli_inspection_choose(x);
    if (!refused) refused = cli_inspection_create(x, &x->options);
    if (!refused) refused = cli_start_assemble(x->simulation, &x->assembly, &x->failure);
    if (!refused) refused = run(task);
    if (!refused && task->output) refused = write_rows(task);
    if (refused) return refused;
    x->known = 1;
    for (int k = 0; k < task->count; k++)
        if (task->couples[k].nearest.distance < 0.0) return CLI_DOUBTFUL;
    return CLI_DONE;
}

/* ---- telling -------------------------------------------------------------------------------- */

static int by_distance(const void* a, const void* b)
{
    const double x = ((const couple*)a)->nearest.distance, y = ((const couple*)b)->nearest.distance;
    return (x > y) - (x < y);
}

/* What is rounding beside the others, and the distance, is zero. */
static void print_point(const char* name, const double p[3], double distance, int dimension)
{
    const double size = fmax(fmax(fabs(p[0]), fabs(p[1])), fmax(fabs(p[2]), fabs(distance)));
    printf("%s (", name);
    for (int k = 0; k < dimension; k++)
        printf("%s%.6g", k ? ", " : "", fabs(p[k]) > 1e-6 * size ? p[k] : 0.0);
    printf(")");
}

static void print_report(const void* self)
{
    const clearance_task* task = self;
    const sar_model* model = task->base.file.model;
    qsort(task->couples, (size_t)task->count, sizeof *task->couples, by_distance);
    const int overlap = task->couples[0].nearest.distance < 0.0;
    cli_inspection_print_verdict(&task->base, overlap ? "bodies overlap" : "clear", !overlap);
    for (int k = 0; k < task->count; k++) {
        const couple* c = &task->couples[k];
        const char *a = sar_model_body_name(model, c->body[0].i),
                   *b = sar_model_body_name(model, c->body[1].i);
        cli_print_label(stdout, k ? "" : "distance");
        printf("%s - %s: %.9g m at t = %.9g s, between ", a, b, c->nearest.distance, c->t);
        print_point(a, c->nearest.point_a, c->nearest.distance, sar_model_dimension(model));
        printf(" and ");
        print_point(b, c->nearest.point_b, c->nearest.distance, sar_model_dimension(model));
        printf("\n");
        for (int i = 0; i < c->overlaps; i++) {
            cli_print_label(stdout, "");
            printf("  overlap from t = %.9g to %.9g s\n", c->overlap[i].from, c->overlap[i].to);
        }
    }
    cli_print_label(stdout, "picture");
    printf("sarrus draw %s --at %.9g --clearance %s,%s -o nearest.svg\n", task->asked,
           task->couples[0].t, sar_model_body_name(model, task->couples[0].body[0].i),
           sar_model_body_name(model, task->couples[0].body[1].i));
    if (!task->can_measure) {
        cli_print_label(stdout, "note");
        puts("the integrator does not interpolate: distances are those at the ends of steps");
    }
    cli_inspection_print_warnings(&task->base);
}

static void print_json(const void* self, cli_json* j)
{
    const clearance_task* task = self;
    const sar_model* model = task->base.file.model;
    cli_json_open(j, "pairs", '[');
    for (int k = 0; task->base.known && k < task->count; k++) {
        const couple* c = &task->couples[k];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "a", sar_model_body_name(model, c->body[0].i));
        cli_json_text(j, "b", sar_model_body_name(model, c->body[1].i));
        cli_json_number(j, "distance", c->nearest.distance);
        cli_json_number(j, "t", c->t);
        cli_json_numbers(j, "point_a", c->nearest.point_a, 3);
        cli_json_numbers(j, "point_b", c->nearest.point_b, 3);
        cli_json_open(j, "overlaps", '[');
        for (int i = 0; i < c->overlaps; i++) {
            cli_json_open(j, NULL, '[');
            cli_json_number(j, NULL, c->overlap[i].from);
            cli_json_number(j, NULL, c->overlap[i].to);
            cli_json_close(j);
        }
        cli_json_close(j);
        cli_json_close(j);
    }
    cli_json_close(j);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int clearance_main(int argc, char** argv)
{
    static const cli_inspector how = {.take = take_option,
                                      .examine = examine,
                                      .print_report = print_report,
                                      .print_json = print_json};
    clearance_task task = {.base.command = &cli_command_clearance};
    const int outcome = cli_inspect(&how, &task.base, argc, argv);
    cli_words_clear(&task.between);
    free(task.couples);
    free(task.rows);
    return outcome;
}

static const cli_option clearance_options[] = {
    {"between", 'b', "A,B",
     "two bodies with shapes, or a body and ground; may be repeated. Default: all with shapes "
     "that no joint joins"},
    {"output", 'o', "FILE", "the distances at the ends of all steps (.csv)"},
    {0}};

static const cli_brief clearance_brief[] = {
    {"between", "A,B: two bodies with shapes; may be repeated"},
    {"output", "the distances over time (.csv)"},
    {"end", "time at the end"},
    {0}};

const cli_command cli_command_clearance = {
    .name = "clearance",
    .summary = "how near the shapes of bodies come to each other in a run",
    .operands = "MODEL [options]",
    .examples = "# does the tool touch the table, and where?\n"
                "sarrus clearance press.yaml --between tool,ground\n"
                "# all bodies that no joint joins, over two seconds\n"
                "sarrus clearance delta.yaml --end 2 -o distances.csv",
    .gist = "Runs the model and finds the smallest distance between the shapes of bodies, with its "
            "time and points. Exit codes: 0 nothing touches, 6 shapes overlap: from when to when.",
    .brief = clearance_brief,
    .text =
        "Distances are those of the shapes that the model gives its bodies: boxes, cylinders, "
        "spheres, capsules, polygons and meshes; the last two count as their convex hulls. A "
        "negative distance is how far one body has to be moved to be free of the other. Nothing "
        "is pushed: contacts are forces of the model.\n"
        "\n"
        "The smallest distance, and the times at which shapes begin and cease to overlap, are "
        "found within steps where the integrator interpolates. An output 'distance(A, B)' of the "
        "model file is the same number over a run.\n"
        "\n"
        "Exit codes: 0 clear, 1 failed, 2 wrong usage, 3 invalid model, 4 cannot be assembled, 6 "
        "shapes overlap.",
    .options = clearance_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = clearance_main};
