#include "live.h"

#include "common/files/json.h"
#include "pages/page_model.h"

#include "sarrus/sarrus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PREVIEW_ROWS = 200, MOST_SETTINGS = 256, MOST_FRAMES = 4096 };

typedef struct live {
    char *text, *name, *settings; ///< of the model
    char* options;                ///< of the run
    double* starts;               ///< of the run; NULL: the model's
    sar_source* source;
    sar_model* model;
    sar_options model_options, run_options;
    sar_simulation* simulation;
    sar_drawing* drawing;
    sar_assembly assembly;
    char *messages, *failure;
    char *scene, *status, *certificate;
    double energy; ///< at the start
    double next;   ///< time of the next frame
    double* frames;
    int frame_count, frame_room, width;
    int inputs; ///< of the model itself; three more are the pointer's
    int dragged;
    int ended;
} live;

static live it;

/* ---- texts ---------------------------------------------------------------------------------- */

static void replace(char** text, const char* by)
{
    char* copy = by ? strdup(by) : NULL;
    free(*text);
    *text = copy;
}

static int fail(const char* text)
{
    replace(&it.failure, text);
    return 1;
}

const char* live_said(void)
{
    return it.failure ? it.failure : it.messages ? it.messages : "";
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct pairs {
    char* text;
    const char *names[MOST_SETTINGS], *values[MOST_SETTINGS];
    int count;
} pairs;

/* "name=value" lines. */
static pairs pairs_of(const char* text)
{
    pairs p = {.text = strdup(text ? text : "")};
    for (char* line = p.text; line && *line && p.count < MOST_SETTINGS;) {
        char *end = strchr(line, '\n'), *equal = strchr(line, '=');
        if (end) *end = 0;
        if (equal && (!end || equal < end)) {
            *equal = 0;
            p.names[p.count] = line;
            p.values[p.count++] = equal + 1;
        }
        line = end ? end + 1 : NULL;
    }
    return p;
}

/* ---- the model ------------------------------------------------------------------------------ */

static void close_run(void)
{
    sar_simulation_destroy(it.simulation);
    sar_drawing_destroy(it.drawing);
    it.simulation = NULL;
    it.drawing = NULL;
    it.frame_count = 0;
}

/* The model again, with its settings; `body`: pulled by a spring at `point`. */
static sar_status make_model(int body, const double point[3], sar_model** out, sar_options* options)
{
    pairs p = pairs_of(it.settings);
    sar_setting settings[MOST_SETTINGS];
    for (int k = 0; k < p.count; k++) settings[k] = (sar_setting){p.names[k], p.values[k]};
    sar_text_free(it.messages);
    it.messages = NULL;
    *options = sar_options_default();
    sar_status status = sar_source_model(it.source, settings, p.count, out, options, &it.messages);
    free(p.text);
    if (status != SAR_OK || body <= 0) return status;
    sar_model* m = *out;
    double mass = 0, g[3];
    sar_model_gravity(m, g);
    for (int b = 1; b < sar_model_bodies(m); b++) mass += sar_model_body_mass(m, b);
    const double size = it.assembly.size > 0 ? it.assembly.size : 1.0;
    const double weight = mass * fmax(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), 1.0);
    const double k = 6.0 * weight / size, c = sqrt(k * mass);
    char force[3][256];
    const char* name = sar_model_body_name(m, body);
    sar_load_def load = sar_load_def_default();
    static const char axes[] = "xyz";
    for (int i = 0; i < sar_model_dimension(m) && status == SAR_OK; i++) {
        char input[32];
        snprintf(input, sizeof input, "live_pointer_%c", axes[i]);
        sar_input_def def = sar_input_def_default();
        def.name = input;
        status = sar_model_add_input(m, &def, NULL);
        snprintf(force[i], sizeof force[i], "%.17g*(%s - %s.live_grip.%c) - %.17g*%s.live_grip.v%c",
                 k, input, name, axes[i], c, name, axes[i]);
        load.force[i] = force[i];
    }
    load.name = "live_spring";
    load.body = (sar_body_id){body};
    memcpy(load.point, point, sizeof load.point);
    if (status == SAR_OK) status = sar_model_add_point(m, load.body, "live_grip", point, NULL);
    if (status == SAR_OK) status = sar_model_add_load(m, &load, NULL);
    return status;
}

int live_open(const char* text, const char* name, const char* settings)
{
    close_run();
    sar_model_destroy(it.model);
    sar_source_close(it.source);
    it.model = NULL;
    it.source = NULL;
    it.dragged = 0;
    replace(&it.failure, NULL);
    replace(&it.name, name);
    replace(&it.settings, settings);
    if (sar_source_open(text, strlen(text), it.name, &it.source) != SAR_OK)
        return fail("out of memory");
    const sar_status status = make_model(0, NULL, &it.model, &it.model_options);
    if (status == SAR_E_NOMEM) return fail("out of memory: the model is too large for this page");
    if (status == SAR_OK) it.inputs = sar_model_inputs(it.model);
    return status != SAR_OK;
}

/* ---- begin ---------------------------------------------------------------------------------- */

static int apply_options(const char* text, sar_options* out)
{
    pairs p = pairs_of(text);
    sar_error error = {0};
    *out = it.model_options;
    const sar_status status = sar_options_apply(out, p.names, p.values, p.count, 0, NULL, &error);
    free(p.text);
    return status == SAR_OK ? 0 : fail(error.message);
}

static void set_starts(sar_model* model, const double* starts)
{
    for (int k = 0; starts && k < sar_model_starts(model); k++)
        sar_model_set_start(model, k, starts[k]);
}

static int tell_conflict(const sar_assembly* a)
{
    char text[512];
    int used = snprintf(text, sizeof text, "the mechanism cannot be assembled%s",
                        a->conflicts ? "; what contradicts the rest: " : "");
    for (int k = 0; k < a->conflicts && used < (int)sizeof text; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", k ? ", " : "",
                         a->conflict[k].name);
    return fail(text);
}

static int create(const sar_model* model, const sar_options* options, sar_simulation** out,
                  sar_assembly* report)
{
    sar_error error = {0};
    const sar_status status = sar_simulation_create(model, options, out, &error);
    if (status == SAR_E_NOMEM) return fail("out of memory: the model is too large for this page");
    if (status != SAR_OK) return fail(error.message);
    return sar_simulation_assemble(*out, report) == SAR_OK ? 0 : tell_conflict(report);
}

static void poses_of(sar_simulation* s, double* poses)
{
    for (int b = 0; b < sar_model_bodies(it.model); b++)
        sar_simulation_pose(s, (sar_body_id){b}, poses + SAR_POSE * b, poses + SAR_POSE * b + 3);
}

/* The drawing, from the poses of a motion that is run ahead for a moment. */
static int draw(double preview)
{
    const int bodies = sar_model_bodies(it.model);
    double* poses = malloc(sizeof(double) * (size_t)(SAR_POSE * bodies) * PREVIEW_ROWS);
    sar_simulation* ahead = NULL;
    sar_assembly report;
    sar_error error = {0};
    if (!poses) return fail("out of memory");
    int rows = 0;
    poses_of(it.simulation, poses + SAR_POSE * bodies * rows++);
    if (preview > 0 && create(it.model, &it.run_options, &ahead, &report) == 0) {
        const double end = now() + preview,
                     apart = (it.run_options.end - it.run_options.start) / (PREVIEW_ROWS - 2);
        double next = it.run_options.start + apart;
        while (rows < PREVIEW_ROWS && now() < end && !sar_simulation_done(ahead) &&
               sar_simulation_advance(ahead) == SAR_OK) {
            if (sar_simulation_time(ahead) < next) continue;
            poses_of(ahead, poses + SAR_POSE * bodies * rows++);
            next = sar_simulation_time(ahead) + apart;
        }
    }
    sar_simulation_destroy(ahead);
    replace(&it.failure, NULL);
    const sar_status status = sar_drawing_create(it.model, poses, rows, &it.drawing, &error);
    free(poses);
    return status == SAR_OK ? 0 : fail(error.message);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Columns behind the poses: outputs, then what sar_quantities list for joints, forces and the run. */
typedef void column_visitor(void* context, const char* name, const char* unit);

static int count_of(sar_quantity_of of)
{
    return of == SAR_OF_JOINT   ? sar_model_joints(it.model)
           : of == SAR_OF_FORCE ? sar_model_forces(it.model)
           : of == SAR_OF_RUN   ? 1
                                : 0;
}

static void visit_columns(column_visitor* visit, void* context)
{
    for (int k = 0; k < sar_model_outputs(it.model); k++)
        visit(context, sar_model_output_name(it.model, k), sar_model_output_unit(it.model, k));
    for (int q = 0; q < sar_quantities(); q++) {
        const sar_quantity* quantity = sar_quantity_at(q);
        for (int k = 0; k < count_of(quantity->of); k++)
            for (int c = 0; c < quantity->width; c++) {
                char name[256], *dot;
                if (quantity->of == SAR_OF_RUN)
                    snprintf(name, sizeof name, "%s", quantity->name);
                else
                    snprintf(name, sizeof name, "%s/%s/%s[%d]",
                             quantity->of == SAR_OF_JOINT ? "joints" : "forces",
                             quantity->of == SAR_OF_JOINT ? sar_model_joint_name(it.model, k)
                                                          : sar_model_force_name(it.model, k),
                             quantity->name, c);
                if (quantity->of == SAR_OF_RUN && (dot = strchr(name, '.'))) *dot = '/';
                visit(context, name, quantity->unit);
            }
    }
}

static void count_column(void* context, const char* name, const char* unit)
{
    (void)name, (void)unit;
    ++*(int*)context;
}

int live_width(void)
{
    return it.width;
}

static void put_frame(double t)
{
    if (it.frame_count == it.frame_room) {
        const int room = it.frame_room ? 2 * it.frame_room : 64;
        double* more = room > MOST_FRAMES
                           ? NULL
                           : realloc(it.frames, sizeof(double) * (size_t)room * (size_t)it.width);
        if (!more) return; // the page is behind: it takes what there is
        it.frames = more;
        it.frame_room = room;
    }
    double* x = it.frames + (size_t)it.frame_count++ * (size_t)it.width;
    *x++ = t;
    for (int b = 0; b < sar_model_bodies(it.model); b++, x += SAR_POSE) {
        double q[4];
        sar_simulation_pose(it.simulation, (sar_body_id){b}, x, q);
        x[3] = q[1], x[4] = q[2], x[5] = q[3], x[6] = q[0];
    }
    sar_simulation_outputs(it.simulation, x);
    x += sar_model_outputs(it.model);
    for (int k = 0; k < sar_quantities(); k++) {
        const sar_quantity* quantity = sar_quantity_at(k);
        for (int i = 0; i < count_of(quantity->of); i++, x += quantity->width) {
            for (int c = 0; c < quantity->width; c++) x[c] = NAN;
            quantity->get(it.simulation, i, quantity->width, x);
        }
    }
}

int live_frames(void)
{
    return it.frame_count;
}

const double* live_take(void)
{
    it.frame_count = 0;
    return it.frames;
}

int live_start(const char* options, const double* starts, double preview)
{
    close_run();
    replace(&it.failure, NULL);
    if (!it.model) return fail("there is no model");
    if (it.dragged) { // the model without the pointer's spring
        sar_model_destroy(it.model);
        it.model = NULL;
        it.dragged = 0;
        if (make_model(0, NULL, &it.model, &it.model_options) != SAR_OK)
            return fail("out of memory");
    }
    replace(&it.options, options);
    free(it.starts);
    it.starts = NULL;
    const size_t bytes = sizeof(double) * (size_t)sar_model_starts(it.model);
    if (starts && bytes && (it.starts = malloc(bytes))) memcpy(it.starts, starts, bytes);
    set_starts(it.model, starts);
    if (apply_options(options, &it.run_options)) return 1;
    it.ended = 0;
    if (create(it.model, &it.run_options, &it.simulation, &it.assembly)) return 1;
    it.width = 1 + SAR_POSE * sar_model_bodies(it.model);
    visit_columns(count_column, &it.width);
    free(it.frames);
    it.frames = NULL;
    it.frame_room = it.frame_count = 0;
    it.next = it.run_options.start;
    put_frame(it.run_options.start);
    return draw(preview);
}

/* ---- go on ---------------------------------------------------------------------------------- */

static void frames_of_step(double interval)
{
    const double t = sar_simulation_time(it.simulation);
    if (!(it.next + interval <= t)) return;
    while (it.next + interval <= t) {
        if (sar_simulation_look(it.simulation, it.next + interval) !=
            SAR_OK) { // at the end of the step, then
            it.next = t;
            put_frame(t);
            break;
        }
        it.next += interval;
        put_frame(it.next);
    }
    sar_simulation_look(it.simulation, INFINITY);
}

int live_advance(double until, double seconds, double interval, int one_step)
{
    if (!it.simulation || it.ended) return 1;
    const double end = now() + seconds;
    while (sar_simulation_time(it.simulation) < until && now() < end) {
        if (sar_simulation_done(it.simulation)) break;
        const sar_status status = sar_simulation_advance(it.simulation);
        if (status != SAR_OK) {
            fail(sar_simulation_failure(it.simulation));
            it.ended = 2;
            break;
        }
        if (one_step) {
            it.next = sar_simulation_time(it.simulation);
            put_frame(it.next);
            break;
        }
        frames_of_step(interval);
    }
    if (!it.ended && sar_simulation_done(it.simulation)) {
        it.ended = 1;
        if (it.next < sar_simulation_time(it.simulation))
            put_frame(it.next = sar_simulation_time(it.simulation));
    }
    return it.ended != 0;
}

void live_set_input(int input, double value)
{
    if (it.simulation && input < it.inputs)
        sar_simulation_set_input(it.simulation, input, value, 0.0);
}

/* ---- the pointer ---------------------------------------------------------------------------- */

typedef struct motion {
    double *poses, *velocities, *inputs;
} motion;

static motion motion_now(void)
{
    const int bodies = sar_model_bodies(it.model);
    motion m = {malloc(sizeof(double) * 7 * (size_t)bodies),
                malloc(sizeof(double) * 6 * (size_t)bodies),
                malloc(sizeof(double) * (size_t)(it.inputs + 1))};
    for (int b = 1; m.poses && m.velocities && b < bodies; b++) {
        sar_simulation_pose(it.simulation, (sar_body_id){b}, m.poses + 7 * (b - 1),
                            m.poses + 7 * (b - 1) + 3);
        sar_simulation_velocity(it.simulation, (sar_body_id){b}, m.velocities + 6 * (b - 1),
                                m.velocities + 6 * (b - 1) + 3);
    }
    for (int k = 0; m.inputs && k < it.inputs; k++)
        m.inputs[k] = sar_simulation_input(it.simulation, k);
    return m;
}

static void motion_free(motion* m)
{
    free(m->poses);
    free(m->velocities);
    free(m->inputs);
}

int live_drag(int body, const double point[3])
{
    if (!it.simulation || it.ended || body >= sar_model_bodies(it.model))
        return fail("nothing runs that could be dragged");
    const double t = sar_simulation_time(it.simulation);
    motion m = motion_now();
    sar_model* model = NULL;
    sar_simulation* simulation = NULL;
    sar_options options = it.run_options, unused;
    sar_assembly report;
    options.start = t;
    replace(&it.failure, NULL);
    int refused = !m.poses || !m.velocities || !m.inputs ||
                  make_model(body, point, &model, &unused) != SAR_OK;
    if (!refused) set_starts(model, it.starts);
    if (!refused) refused = create(model, &options, &simulation, &report);
    if (!refused)
        refused = sar_simulation_set_state(simulation, m.poses, m.velocities, NULL) != SAR_OK;
    if (refused) {
        sar_simulation_destroy(simulation);
        sar_model_destroy(model);
    } else {
        for (int k = 0; k < it.inputs; k++)
            sar_simulation_set_input(simulation, k, m.inputs[k], 0.0);
        sar_drawing_destroy(it.drawing); // of the model that goes
        it.drawing = NULL;
        sar_simulation_destroy(it.simulation);
        sar_model_destroy(it.model);
        it.simulation = simulation;
        it.model = model;
        it.dragged = body;
    }
    motion_free(&m);
    return refused ? (it.failure ? 1 : fail("this body cannot be dragged here")) : 0;
}

void live_drag_to(const double place[3])
{
    if (!it.dragged) return;
    for (int i = 0; i < sar_model_dimension(it.model); i++)
        sar_simulation_set_input(it.simulation, it.inputs + i, place[i], 0.0);
}

/* Half the way a few times: the nearest position that the joints allow to a body that was moved alone is one where
 * it has moved a little and the others with it. */
int live_pose_to(int body, const double point[3], const double place[3])
{
    if (!it.simulation || body <= 0 || body >= sar_model_bodies(it.model))
        return fail("nothing to move");
    sar_status status = SAR_OK;
    for (int round = 0; round < 6 && status == SAR_OK; round++) {
        motion m = motion_now();
        double* p = m.poses + 7 * (body - 1);
        const double w = p[3], x = p[4], y = p[5], z = p[6];
        const double tx = 2 * (y * point[2] - z * point[1]), ty = 2 * (z * point[0] - x * point[2]),
                     tz = 2 * (x * point[1] - y * point[0]);
        const double at[3] = {p[0] + point[0] + w * tx + y * tz - z * ty,
                              p[1] + point[1] + w * ty + z * tx - x * tz,
                              p[2] + point[2] + w * tz + x * ty - y * tx};
        for (int i = 0; i < 3; i++) p[i] += 0.5 * (place[i] - at[i]);
        status = sar_simulation_set_state(it.simulation, m.poses, NULL, NULL);
        motion_free(&m);
    }
    put_frame(sar_simulation_time(it.simulation));
    return status == SAR_OK ? 0 : fail("the joints do not allow that");
}

/* ---- what there is -------------------------------------------------------------------------- */

static void put_column(void* context, const char* name, const char* unit)
{
    cli_json* j = context;
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", name);
    cli_json_text(j, "unit", unit);
    cli_json_close(j);
}

static void put_value(cli_json* j, const char* name, const char* unit, double value)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", name);
    cli_json_text(j, "unit", unit);
    cli_json_number(j, "value", value);
    cli_json_close(j);
}

static void put_controls(cli_json* j)
{
    const sar_model* m = it.model;
    cli_json_open(j, "parameters", '[');
    for (int k = 0; k < sar_model_parameters(m); k++)
        put_value(j, sar_model_parameter_name(m, k), "", sar_model_parameter_value(m, k));
    cli_json_close(j);
    cli_json_open(j, "inputs", '[');
    for (int k = 0; k < it.inputs; k++)
        put_value(j, sar_model_input_name(m, k), sar_model_input_unit(m, k),
                  sar_model_input_start(m, k));
    cli_json_close(j);
    cli_json_open(j, "starts", '[');
    for (int k = 0; k < sar_model_starts(m); k++)
        put_value(j, sar_model_start_name(m, k), sar_model_start_unit(m, k),
                  sar_model_start_value(m, k));
    cli_json_close(j);
    cli_json_open(j, "presets", '[');
    for (int k = 0; k < sar_presets(); k++) cli_json_text(j, NULL, sar_preset_at(k).name);
    cli_json_close(j);
}

static void put_method(cli_json* j)
{
    const sar_options* o = &it.run_options;
    cli_json_open(j, "method", '{');
    cli_json_text(j, "coordinates", o->coordinates);
    cli_json_text(j, "formulation", o->formulation);
    cli_json_text(j, "integrator", o->integrator);
    cli_json_number(j, "start", o->start);
    cli_json_number(j, "end", o->end);
    cli_json_number(j, "step", o->step);
    cli_json_number(j, "tolerance", o->tolerance);
    cli_json_close(j);
}

const char* live_scene(void)
{
    size_t length = 0;
    free(it.scene);
    it.scene = NULL;
    FILE* out = open_memstream(&it.scene, &length);
    if (!out) return "null";
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "name", sar_model_name(it.model));
    cli_json_text(&j, "warnings", it.messages);
    if (it.drawing) {
        cli_page_put_model(&j, it.model, it.drawing);
        cli_json_open(&j, "marks", '[');
        for (int k = 0; k < sar_drawing_marks(it.drawing); k++)
            cli_page_put_mark(&j, sar_drawing_mark(it.drawing, k));
        cli_json_close(&j);
    }
    cli_json_open(&j, "columns", '[');
    visit_columns(put_column, &j);
    cli_json_close(&j);
    put_controls(&j);
    put_method(&j);
    cli_json_close(&j);
    fclose(out);
    return it.scene;
}

static void put_events(cli_json* j, const char* key,
                       int (*get)(const sar_simulation*, const sar_event**))
{
    const sar_event* events = NULL;
    const int count = get(it.simulation, &events);
    cli_json_open(j, key, '[');
    for (int k = 0; k < count; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_number(j, "t", events[k].t);
        cli_json_integer(j, "rank", events[k].rank);
        cli_json_text(j, "joints", events[k].joints);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void put_switches(cli_json* j)
{
    const sar_switch* list = NULL;
    const int count = sar_simulation_switches(it.simulation, &list);
    cli_json_open(j, "phases", '[');
    for (int k = 0; k < count && k < 4096; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_number(j, "t", list[k].t);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void put_statistics(cli_json* j)
{
    const sar_statistics s = sar_simulation_statistics(it.simulation);
    const sar_rank rank = sar_simulation_rank(it.simulation);
    cli_json_open(j, "time", '{');
    cli_json_number(j, "start", it.run_options.start);
    cli_json_number(j, "end", sar_simulation_time(it.simulation));
    cli_json_integer(j, "steps", s.steps);
    cli_json_integer(j, "iterations", s.iterations);
    cli_json_close(j);
    cli_json_open(j, "energy", '{');
    cli_json_number(j, "initial", s.energy_initial);
    cli_json_number(j, "max_drift", s.energy_max_drift);
    cli_json_number(j, "final_drift", s.energy_final_drift);
    cli_json_close(j);
    cli_json_open(j, "violation", '{');
    cli_json_number(j, "position", s.violation.position);
    cli_json_number(j, "velocity", s.violation.velocity);
    cli_json_number(j, "acceleration", s.violation.acceleration);
    cli_json_close(j);
    cli_json_open(j, "rank", '{');
    cli_json_integer(j, "coordinates", rank.coordinates);
    cli_json_integer(j, "constraints", rank.constraints);
    cli_json_integer(j, "rank", rank.rank);
    cli_json_integer(j, "dof", rank.dof);
    cli_json_integer(j, "redundant", rank.redundant);
    cli_json_close(j);
}

const char* live_status(void)
{
    size_t length = 0;
    free(it.status);
    it.status = NULL;
    FILE* out = it.simulation ? open_memstream(&it.status, &length) : NULL;
    if (!out) return "null";
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "status", it.ended == 2 ? "failed" : it.ended == 1 ? "completed" : "running");
    cli_json_text(&j, "failure", it.ended == 2 ? it.failure : NULL);
    put_method(&j);
    put_statistics(&j);
    put_events(&j, "singular_passes", sar_simulation_singular_passes);
    put_events(&j, "branch_changes", sar_simulation_branch_changes);
    put_switches(&j);
    cli_json_close(&j);
    fclose(out);
    return it.status;
}

/* ---- certificate ---------------------------------------------------------------------------- */

typedef struct samples {
    int rows, columns;
    double *time, *values, *work, *reference, *second, *noise, *errors;
} samples;

static void samples_free(samples* s)
{
    double* all[] = {s->time, s->values, s->work, s->reference, s->second, s->noise, s->errors};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
}

static int samples_make(samples* s, int rows, int columns)
{
    const size_t n = (size_t)(rows + 2), all = n * (size_t)(columns + 1);
    *s = (samples){.columns = columns,
                   .time = malloc(n * 8),
                   .values = malloc(all * 8),
                   .work = malloc(n * 8),
                   .reference = malloc(all * 8),
                   .second = malloc(all * 8),
                   .noise = malloc(2 * 8 * (size_t)(columns + 1)),
                   .errors = malloc(all * 8)};
    return s->time && s->values && s->work && s->reference && s->second && s->noise && s->errors;
}

/* The run itself, undisturbed, at about `rows` times. */
static int sample_run(const sar_options* options, int rows, samples* s, sar_reference_run_def* def)
{
    sar_simulation* run = NULL;
    sar_assembly report;
    if (create(it.model, options, &run, &report)) {
        sar_simulation_destroy(run);
        return 1;
    }
    def->coordinates = sar_simulation_rank(run).coordinates;
    def->size = report.size;
    sar_sampling plan = sar_sampling_of(options, rows);
    sar_run go = sar_run_begin(run, &plan);
    double t;
    do {
        while (sar_run_sample(&go, &t)) {
            if (s->rows > rows + 1) continue;
            s->time[s->rows] = t;
            s->work[s->rows] = sar_simulation_work(run);
            sar_simulation_outputs_at(run, t, s->values + s->rows++ * s->columns);
        }
    } while (sar_run_step(&go));
    const int failed = go.status != SAR_OK && s->rows < 2;
    if (failed) fail(sar_simulation_failure(run));
    sar_simulation_destroy(run);
    return failed;
}

static void put_certificate(cli_json* j, const samples* s, const sar_certificate* c,
                            const sar_reference_outcome* by)
{
    const char* ended = c->column >= 0 ? sar_model_output_name(it.model, c->column) : NULL;
    cli_json_number(j, "accuracy", c->accuracy);
    cli_json_number(j, "trusted_until", c->trusted);
    cli_json_number(j, "largest", c->largest);
    cli_json_text(j, "largest_output",
                  c->largest_column >= 0 ? sar_model_output_name(it.model, c->largest_column)
                                         : NULL);
    cli_json_number(j, "largest_time", c->largest_time);
    cli_json_number(j, "tenfold_s", c->tenfold);
    cli_json_text(j, "ended_by", ended);
    cli_json_text(j, "companion", by->method);
    cli_json_boolean(j, "independent",
                     by->kind == SAR_REFERENCE_INDEPENDENT || by->kind == SAR_REFERENCE_QUICK);
    cli_json_integer(j, "steps", by->steps);
    cli_json_integer(j, "samples", s->rows);
    cli_json_open(j, "time", '[');
    for (int row = 0; row < s->rows; row++) cli_json_short(j, NULL, s->time[row]);
    cli_json_close(j);
    cli_json_open(j, "errors", '[');
    for (int c0 = 0; c0 < s->columns && c0 < 40; c0++) {
        cli_json_open(j, NULL, '[');
        for (int row = 0; row < s->rows; row++)
            cli_json_short(j, NULL, s->errors[row * s->columns + c0]);
        cli_json_close(j);
    }
    cli_json_close(j);
}

/* NULL, or JSON. */
static char* certify(const sar_options* options, int rows, samples* s)
{
    sar_reference_run_def def = {.model = it.model, .options = options, .quick = 1};
    sar_reference_outcome by;
    sar_certificate c;
    if (sample_run(options, rows, s, &def)) return NULL;
    def.rows = s->rows, def.time = s->time, def.values = s->values, def.work = s->work;
    def.reference = s->reference, def.second = s->second, def.noise = s->noise;
    sar_reference_run(&def, &by);
    if (sar_reference_outcome_certify(&def, &by, &c, s->errors, NULL) != SAR_OK) {
        fail("no reference run is complete");
        return NULL;
    }
    char* text = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    if (!out) return NULL;
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    put_certificate(&j, s, &c, &by);
    cli_json_close(&j);
    fclose(out);
    return text;
}

const char* live_certify(const char* options, const double* starts, double end, int rows)
{
    samples s = {0};
    sar_options o;
    close_run();
    replace(&it.failure, NULL);
    free(it.certificate);
    it.certificate = NULL;
    if (!it.model) return "null";
    set_starts(it.model, starts);
    if (apply_options(options, &o)) return "null";
    if (end > o.start) o.end = end;
    o.sample = (o.end - o.start) / rows;
    const int outputs = sar_model_outputs(it.model);
    if (outputs > 0 && samples_make(&s, rows, outputs)) it.certificate = certify(&o, rows, &s);
    samples_free(&s);
    return it.certificate ? it.certificate : "null";
}
