/* The model of a live page: opened, begun, run, pulled by the pointer. */
#include "live.h"

#include "live_self.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PREVIEW_ROWS = 200, MOST_SETTINGS = 256, MOST_FRAMES = 4096 };
live live_self;

/* ---- texts ---------------------------------------------------------------------------------- */

void live_replace(char** text, const char* by)
{
    char* copy = by ? strdup(by) : NULL;
    free(*text);
    *text = copy;
}

int live_fail(const char* text)
{
    live_replace(&live_self.failure, text);
    return 1;
}

const char* live_said(void)
{
    return live_self.failure ? live_self.failure : live_self.messages ? live_self.messages : "";
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

void live_close_run(void)
{
    sar_simulation_destroy(live_self.simulation);
    sar_drawing_destroy(live_self.drawing);
    live_self.simulation = NULL;
    live_self.drawing = NULL;
    live_self.frame_count = 0;
}

/* The model again, with its settings; `body`: pulled by a spring at `point`. */
static sar_status make_model(int body, const double point[3], sar_model** out, sar_options* options)
{
    pairs p = pairs_of(live_self.settings);
    sar_setting settings[MOST_SETTINGS];
    for (int k = 0; k < p.count; k++) settings[k] = (sar_setting){p.names[k], p.values[k]};
    sar_text_free(live_self.messages);
    live_self.messages = NULL;
    *options = sar_options_default();
    sar_status status =
        sar_source_model(live_self.source, settings, p.count, out, options, &live_self.messages);
    free(p.text);
    if (status != SAR_OK || body <= 0) return status;
    sar_model* m = *out;
    double mass = 0, g[3];
    sar_model_gravity(m, g);
    for (int b = 1; b < sar_model_bodies(m); b++) mass += sar_model_body_mass(m, b);
    const double size = live_self.assembly.size > 0 ? live_self.assembly.size : 1.0;
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
    live_close_run();
    sar_model_destroy(live_self.model);
    sar_source_close(live_self.source);
    live_self.model = NULL;
    live_self.source = NULL;
    live_self.dragged = 0;
    live_replace(&live_self.failure, NULL);
    live_replace(&live_self.name, name);
    live_replace(&live_self.settings, settings);
    if (sar_source_open(text, strlen(text), live_self.name, &live_self.source) != SAR_OK)
        return live_fail("out of memory");
    const sar_status status = make_model(0, NULL, &live_self.model, &live_self.model_options);
    if (status == SAR_E_NOMEM)
        return live_fail("out of memory: the model is too large for this page");
    if (status == SAR_OK) live_self.inputs = sar_model_inputs(live_self.model);
    return status != SAR_OK;
}

/* ---- begin ---------------------------------------------------------------------------------- */

int live_apply_options(const char* text, sar_options* out)
{
    pairs p = pairs_of(text);
    sar_error error = {0};
    *out = live_self.model_options;
    const sar_status status = sar_options_apply(out, p.names, p.values, p.count, 0, NULL, &error);
    free(p.text);
    return status == SAR_OK ? 0 : live_fail(error.message);
}

void live_set_starts(sar_model* model, const double* starts)
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
    return live_fail(text);
}

int live_create(const sar_model* model, const sar_options* options, sar_simulation** out,
                sar_assembly* report)
{
    sar_error error = {0};
    const sar_status status = sar_simulation_create(model, options, out, &error);
    if (status == SAR_E_NOMEM)
        return live_fail("out of memory: the model is too large for this page");
    if (status != SAR_OK) return live_fail(error.message);
    return sar_simulation_assemble(*out, report) == SAR_OK ? 0 : tell_conflict(report);
}

static void poses_of(sar_simulation* s, double* poses)
{
    for (int b = 0; b < sar_model_bodies(live_self.model); b++)
        sar_simulation_pose(s, (sar_body_id){b}, poses + SAR_POSE * b, poses + SAR_POSE * b + 3);
}

/* The drawing, from the poses of a motion that is run ahead for a moment. */
static int draw(double preview)
{
    const int bodies = sar_model_bodies(live_self.model);
    double* poses = malloc(sizeof(double) * (size_t)(SAR_POSE * bodies) * PREVIEW_ROWS);
    sar_simulation* ahead = NULL;
    sar_assembly report;
    sar_error error = {0};
    if (!poses) return live_fail("out of memory");
    int rows = 0;
    poses_of(live_self.simulation, poses + SAR_POSE * bodies * rows++);
    if (preview > 0 && live_create(live_self.model, &live_self.run_options, &ahead, &report) == 0) {
        const double end = now() + preview,
                     apart = (live_self.run_options.end - live_self.run_options.start) /
                             (PREVIEW_ROWS - 2);
        double next = live_self.run_options.start + apart;
        while (rows < PREVIEW_ROWS && now() < end && !sar_simulation_done(ahead) &&
               sar_simulation_advance(ahead) == SAR_OK) {
            if (sar_simulation_time(ahead) < next) continue;
            poses_of(ahead, poses + SAR_POSE * bodies * rows++);
            next = sar_simulation_time(ahead) + apart;
        }
    }
    sar_simulation_destroy(ahead);
    live_replace(&live_self.failure, NULL);
    const sar_status status =
        sar_drawing_create(live_self.model, poses, rows, &live_self.drawing, &error);
    free(poses);
    return status == SAR_OK ? 0 : live_fail(error.message);
}

/* ---- frames --------------------------------------------------------------------------------- */

static int count_of(sar_quantity_of of)
{
    return of == SAR_OF_JOINT   ? sar_model_joints(live_self.model)
           : of == SAR_OF_FORCE ? sar_model_forces(live_self.model)
           : of == SAR_OF_RUN   ? 1
                                : 0;
}

void live_visit_columns(live_visitor* visit, void* context)
{
    for (int k = 0; k < sar_model_outputs(live_self.model); k++)
        visit(context, sar_model_output_name(live_self.model, k),
              sar_model_output_unit(live_self.model, k));
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
                             quantity->of == SAR_OF_JOINT
                                 ? sar_model_joint_name(live_self.model, k)
                                 : sar_model_force_name(live_self.model, k),
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
    return live_self.width;
}

static void put_frame(double t)
{
    if (live_self.frame_count == live_self.frame_room) {
        const int room = live_self.frame_room ? 2 * live_self.frame_room : 64;
        double* more = room > MOST_FRAMES
                           ? NULL
                           : realloc(live_self.frames,
                                     sizeof(double) * (size_t)room * (size_t)live_self.width);
        if (!more) return; // the page is behind: it takes what there is
        live_self.frames = more;
        live_self.frame_room = room;
    }
    double* x = live_self.frames + (size_t)live_self.frame_count++ * (size_t)live_self.width;
    *x++ = t;
    for (int b = 0; b < sar_model_bodies(live_self.model); b++, x += SAR_POSE) {
        double q[4];
        sar_simulation_pose(live_self.simulation, (sar_body_id){b}, x, q);
        x[3] = q[1], x[4] = q[2], x[5] = q[3], x[6] = q[0];
    }
    sar_simulation_outputs(live_self.simulation, x);
    x += sar_model_outputs(live_self.model);
    for (int k = 0; k < sar_quantities(); k++) {
        const sar_quantity* quantity = sar_quantity_at(k);
        for (int i = 0; i < count_of(quantity->of); i++, x += quantity->width) {
            for (int c = 0; c < quantity->width; c++) x[c] = NAN;
            quantity->get(live_self.simulation, i, quantity->width, x);
        }
    }
}

int live_frames(void)
{
    return live_self.frame_count;
}

const double* live_take(void)
{
    live_self.frame_count = 0;
    return live_self.frames;
}

int live_start(const char* options, const double* starts, double preview)
{
    live_close_run();
    live_replace(&live_self.failure, NULL);
    if (!live_self.model) return live_fail("there is no model");
    if (live_self.dragged) { // the model without the pointer's spring
        sar_model_destroy(live_self.model);
        live_self.model = NULL;
        live_self.dragged = 0;
        if (make_model(0, NULL, &live_self.model, &live_self.model_options) != SAR_OK)
            return live_fail("out of memory");
    }
    live_replace(&live_self.options, options);
    free(live_self.starts);
    live_self.starts = NULL;
    const size_t bytes = sizeof(double) * (size_t)sar_model_starts(live_self.model);
    if (starts && bytes && (live_self.starts = malloc(bytes)))
        memcpy(live_self.starts, starts, bytes);
    live_set_starts(live_self.model, starts);
    if (live_apply_options(options, &live_self.run_options)) return 1;
    live_self.ended = 0;
    if (live_create(live_self.model, &live_self.run_options, &live_self.simulation,
                    &live_self.assembly))
        return 1;
    live_self.width = 1 + SAR_POSE * sar_model_bodies(live_self.model);
    live_visit_columns(count_column, &live_self.width);
    free(live_self.frames);
    live_self.frames = NULL;
    live_self.frame_room = live_self.frame_count = 0;
    live_self.next = live_self.run_options.start;
    put_frame(live_self.run_options.start);
    return draw(preview);
}

/* ---- go on ---------------------------------------------------------------------------------- */

static void frames_of_step(double interval)
{
    const double t = sar_simulation_time(live_self.simulation);
    if (!(live_self.next + interval <= t)) return;
    while (live_self.next + interval <= t) {
        if (sar_simulation_look(live_self.simulation, live_self.next + interval) !=
            SAR_OK) { // at the end of the step, then
            live_self.next = t;
            put_frame(t);
            break;
        }
        live_self.next += interval;
        put_frame(live_self.next);
    }
    sar_simulation_look(live_self.simulation, INFINITY);
}

int live_advance(double until, double seconds, double interval, int one_step)
{
    if (!live_self.simulation || live_self.ended) return 1;
    const double end = now() + seconds;
    while (sar_simulation_time(live_self.simulation) < until && now() < end) {
        if (sar_simulation_done(live_self.simulation)) break;
        const sar_status status = sar_simulation_advance(live_self.simulation);
        if (status != SAR_OK) {
            live_fail(sar_simulation_failure(live_self.simulation));
            live_self.ended = 2;
            break;
        }
        if (one_step) {
            live_self.next = sar_simulation_time(live_self.simulation);
            put_frame(live_self.next);
            break;
        }
        frames_of_step(interval);
    }
    if (!live_self.ended && sar_simulation_done(live_self.simulation)) {
        live_self.ended = 1;
        if (live_self.next < sar_simulation_time(live_self.simulation))
            put_frame(live_self.next = sar_simulation_time(live_self.simulation));
    }
    return live_self.ended != 0;
}

void live_set_input(int input, double value)
{
    if (live_self.simulation && input < live_self.inputs)
        sar_simulation_set_input(live_self.simulation, input, value, 0.0);
}

/* ---- the pointer ---------------------------------------------------------------------------- */

typedef struct motion {
    double *poses, *velocities, *inputs;
} motion;

static motion motion_now(void)
{
    const int bodies = sar_model_bodies(live_self.model);
    motion m = {malloc(sizeof(double) * 7 * (size_t)bodies),
                malloc(sizeof(double) * 6 * (size_t)bodies),
                malloc(sizeof(double) * (size_t)(live_self.inputs + 1))};
    for (int b = 1; m.poses && m.velocities && b < bodies; b++) {
        sar_simulation_pose(live_self.simulation, (sar_body_id){b}, m.poses + 7 * (b - 1),
                            m.poses + 7 * (b - 1) + 3);
        sar_simulation_velocity(live_self.simulation, (sar_body_id){b}, m.velocities + 6 * (b - 1),
                                m.velocities + 6 * (b - 1) + 3);
    }
    for (int k = 0; m.inputs && k < live_self.inputs; k++)
        m.inputs[k] = sar_simulation_input(live_self.simulation, k);
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
    if (!live_self.simulation || live_self.ended || body >= sar_model_bodies(live_self.model))
        return live_fail("nothing runs that could be dragged");
    const double t = sar_simulation_time(live_self.simulation);
    motion m = motion_now();
    sar_model* model = NULL;
    sar_simulation* simulation = NULL;
    sar_options options = live_self.run_options, unused;
    sar_assembly report;
    options.start = t;
    live_replace(&live_self.failure, NULL);
    int refused = !m.poses || !m.velocities || !m.inputs ||
                  make_model(body, point, &model, &unused) != SAR_OK;
    if (!refused) live_set_starts(model, live_self.starts);
    if (!refused) refused = live_create(model, &options, &simulation, &report);
    if (!refused)
        refused = sar_simulation_set_state(simulation, m.poses, m.velocities, NULL) != SAR_OK;
    if (refused) {
        sar_simulation_destroy(simulation);
        sar_model_destroy(model);
    } else {
        for (int k = 0; k < live_self.inputs; k++)
            sar_simulation_set_input(simulation, k, m.inputs[k], 0.0);
        sar_drawing_destroy(live_self.drawing); // of the model that goes
        live_self.drawing = NULL;
        sar_simulation_destroy(live_self.simulation);
        sar_model_destroy(live_self.model);
        live_self.simulation = simulation;
        live_self.model = model;
        live_self.dragged = body;
    }
    motion_free(&m);
    return refused ? (live_self.failure ? 1 : live_fail("this body cannot be dragged here")) : 0;
}

void live_drag_to(const double place[3])
{
    if (!live_self.dragged) return;
    for (int i = 0; i < sar_model_dimension(live_self.model); i++)
        sar_simulation_set_input(live_self.simulation, live_self.inputs + i, place[i], 0.0);
}

/* Half the way a few times: the nearest position that the joints allow to a body that was moved alone is one where
 * it has moved a little and the others with live_self. */
int live_pose_to(int body, const double point[3], const double place[3])
{
    if (!live_self.simulation || body <= 0 || body >= sar_model_bodies(live_self.model))
        return live_fail("nothing to move");
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
        status = sar_simulation_set_state(live_self.simulation, m.poses, NULL, NULL);
        motion_free(&m);
    }
    put_frame(sar_simulation_time(live_self.simulation));
    return status == SAR_OK ? 0 : live_fail("the joints do not allow that");
}
