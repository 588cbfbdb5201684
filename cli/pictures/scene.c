#include "pictures/scene.h"

#include "common/command.h"
#include "common/files/result_file.h"
#include "common/method.h"

#include "sarrus/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROWS = 10000, DRAWN_ROWS = 400 };

int cli_scene_is_result(const char* name)
{
    const char* ending = strrchr(name, '.');
    return ending && (strcasecmp(ending, ".h5") == 0 || strcasecmp(ending, ".hdf5") == 0 ||
                      strcasecmp(ending, ".csv") == 0);
}

/* In a row of the actions. */
static size_t action_numbers(const cli_scene* scene)
{
    const sar_model* model = scene->file.model;
    return 3 * (size_t)(sar_model_joints(model) + sar_model_forces(model));
}

static double* action_of(const cli_scene* scene, int row, int which)
{
    return scene->actions + (size_t)row * action_numbers(scene) + 3 * (size_t)which;
}

static void reserve(cli_scene* scene, int rows)
{
    scene->bodies = sar_model_bodies(scene->file.model);
    const size_t count = (size_t)rows * (size_t)scene->bodies * SAR_POSE;
    scene->time = cli_resize(scene->time, ((size_t)rows + 1) * sizeof *scene->time);
    scene->poses = cli_resize(scene->poses, (count + 1) * sizeof *scene->poses);
    if (scene->keeps_actions)
        scene->actions = cli_resize(scene->actions, ((size_t)rows * action_numbers(scene) + 1) *
                                                        sizeof *scene->actions);
}

static double* pose_of(const cli_scene* scene, int row, int body)
{
    return scene->poses + ((size_t)row * (size_t)scene->bodies + (size_t)body) * SAR_POSE;
}

/* ---- from a result -------------------------------------------------------------------------- */

/* "bodies/NAME/position[K]" or "bodies/NAME/quaternion[K]": which body, which number of its pose?
 * -1: another column. */
static int pose_column(const sar_model* model, const char* column, int* body)
{
    static const char* const what[] = {"position[", "quaternion["};
    if (strncmp(column, "bodies/", 7) != 0) return -1;
    const char *name = column + 7, *slash = strchr(name, '/');
    for (int k = 0; slash && k < 2; k++) {
        const size_t length = strlen(what[k]);
        if (strncmp(slash + 1, what[k], length) != 0) continue;
        sar_body_id found;
        if (sar_model_find_body(model, name, (size_t)(slash - name), &found) != SAR_OK) return -1;
        *body = found.i;
        return 3 * k + atoi(slash + 1 + length);
    }
    return -1;
}

/* "joints/NAME/force[K]" or "forces/NAME/force[K]": which action, which number of it? -1: another
 * column. */
static int action_column(const sar_model* model, const char* column, int* which)
{
    const int joints = sar_model_joints(model), count = joints + sar_model_forces(model);
    const int forces = strncmp(column, "forces/", 7) == 0;
    const char *name = column + 7, *end = strstr(column, "/force[");
    if ((!forces && strncmp(column, "joints/", 7) != 0) || !end) return -1;
    for (int k = forces ? joints : 0; k < (forces ? count : joints); k++) {
        const char* one =
            forces ? sar_model_force_name(model, k - joints) : sar_model_joint_name(model, k);
        if (strlen(one) != (size_t)(end - name) || strncmp(one, name, strlen(one)) != 0) continue;
        *which = k;
        return atoi(end + 7);
    }
    return -1;
}

static void take_action(cli_scene* scene, int column)
{
    int which = 0;
    const int part =
        action_column(scene->file.model, sar_result_name(scene->result, column), &which);
    if (part < 0 || part > 2) return;
    const double* from = sar_result_column(scene->result, column);
    for (int row = 0; row < scene->rows; row++) action_of(scene, row, which)[part] = from[row];
}

static int take_column(cli_scene* scene, int column)
{
    int body = 0;
    const int part = pose_column(scene->file.model, sar_result_name(scene->result, column), &body);
    if (part < 0 || part >= SAR_POSE) return 0;
    const double* from = sar_result_column(scene->result, column);
    for (int row = 0; row < scene->rows; row++) pose_of(scene, row, body)[part] = from[row];
    return 1;
}

/* Rows without a finite pose are left out: a run that failed may end with one. */
static void drop_bad_rows(cli_scene* scene)
{
    const size_t numbers = (size_t)scene->bodies * SAR_POSE;
    int kept = 0;
    scene->from = cli_allocate((size_t)scene->rows + 1, sizeof *scene->from);
    for (int row = 0; row < scene->rows; row++) {
        const double* from = pose_of(scene, row, 0);
        int good = 1;
        for (size_t k = 0; k < numbers && good; k++) good = isfinite(from[k]);
        if (!good) continue;
        memmove(pose_of(scene, kept, 0), from, numbers * sizeof *from);
        if (scene->actions)
            memmove(action_of(scene, kept, 0), action_of(scene, row, 0),
                    action_numbers(scene) * sizeof *from);
        scene->from[kept] = row;
        scene->time[kept++] = scene->time[row];
    }
    scene->rows = kept;
}

/* All bodies of the model are in the result, or the poses are not known. */
static void take_poses(cli_scene* scene)
{
    scene->rows = sar_result_rows(scene->result);
    reserve(scene, scene->rows);
    int taken = 0;
    for (int row = 0; row < scene->rows; row++) {
        scene->time[row] = sar_result_time(scene->result)[row];
        const double ground[SAR_POSE] = {0, 0, 0, 1, 0, 0, 0};
        memcpy(pose_of(scene, row, 0), ground, sizeof ground);
    }
    for (size_t k = 0; scene->actions && k < (size_t)scene->rows * action_numbers(scene); k++)
        scene->actions[k] = NAN;
    for (int k = 0; k < sar_result_columns(scene->result); k++) {
        taken += take_column(scene, k);
        if (scene->actions) take_action(scene, k);
    }
    if (taken == SAR_POSE * (scene->bodies - 1))
        drop_bad_rows(scene);
    else
        scene->rows = 0;
}

/* The model that the result keeps, with the settings of its run. */
static int take_model(cli_scene* scene, const char* command)
{
    const char* text = sar_result_attribute(scene->result, "model_text");
    const char* path = sar_result_attribute(scene->result, "model_file");
    const char* set = sar_result_attribute(scene->result, "settings");
    if (!text || !*text) return 0;
    cli_settings settings = {0};
    cli_settings_take(&settings, set ? set : "");
    int refused = cli_model_take(text, path ? path : scene->name, command, &settings, &scene->file);
    cli_settings_clear(&settings);
    return refused;
}

int cli_scene_read(cli_scene* scene, const char* path, const char* model,
                   const cli_settings* settings, const char* command)
{
    sar_error error = {0};
    *scene = (cli_scene){.name = path, .keeps_actions = scene->keeps_actions};
    if (cli_result_read_all(path, &scene->result, &error) != SAR_OK) {
        cli_error(command, "%s", error.message);
        return CLI_FAILED;
    }
    int refused =
        model ? cli_model_open(model, command, settings, &scene->file) : take_model(scene, command);
    if (refused) return refused;
    if (scene->file.model) take_poses(scene);
    return 0;
}

static int has_poses(const sar_result* result)
{
    for (int k = 0; k < sar_result_columns(result); k++)
        if (strncmp(sar_result_name(result, k), "bodies/", 7) == 0) return 1;
    return 0;
}

int cli_scene_refuse(const cli_scene* scene, const char* command)
{
    if (!scene->file.model) {
        cli_error(command, "%s keeps no model, so that nothing is known of its bodies",
                  scene->name);
        cli_hint("Name the model: --model FILE.");
    } else if (scene->rows == 0 && !has_poses(scene->result)) {
        cli_error(command, "%s has no poses of bodies", scene->name);
        cli_hint("'sarrus run ... --all -o NAME.h5' keeps them.");
    } else if (scene->rows == 0) {
        cli_error(command,
                  "%s is no result of the model '%s': it lacks poses of bodies, or has no "
                  "rows",
                  scene->name, sar_model_name(scene->file.model));
    } else {
        return 0;
    }
    return CLI_FAILED;
}

/* ---- from a run ----------------------------------------------------------------------------- */

static void keep_actions(cli_scene* scene, sar_simulation* s)
{
    const int joints = sar_model_joints(scene->file.model);
    const int forces = sar_model_forces(scene->file.model);
    double torque[3];
    for (int k = 0; scene->actions && k < joints; k++) {
        double* force = action_of(scene, scene->rows, k);
        if (sar_simulation_reaction(s, (sar_joint_id){k}, force, torque) != SAR_OK)
            force[0] = force[1] = force[2] = NAN;
    }
    for (int k = 0; scene->actions && k < forces; k++)
        sar_simulation_applied(s, (sar_force_id){k}, action_of(scene, scene->rows, joints + k),
                               torque);
}

static void keep(cli_scene* scene, sar_simulation* s, int* capacity)
{
    if (scene->rows == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 256;
        reserve(scene, *capacity);
    }
    scene->time[scene->rows] = sar_simulation_time(s);
    for (int b = 0; b < scene->bodies; b++) {
        double* pose = pose_of(scene, scene->rows, b);
        sar_simulation_pose(s, (sar_body_id){b}, pose, pose + 3);
    }
    keep_actions(scene, s);
    scene->rows++;
}

static int run_until(cli_scene* scene, sar_simulation* s, const sar_options* options, double until,
                     const char* command)
{
    int capacity = 0;
    long steps = 0;
    const double most = (options->end - options->start) / options->step;
    const long stride = most > ROWS ? (long)ceil(most / ROWS) : 1;
    keep(scene, s, &capacity);
    while (sar_simulation_time(s) < until && !sar_simulation_done(s)) {
        if (sar_simulation_advance(s) != SAR_OK) {
            char* why = cli_options_as_typed(sar_simulation_failure(s));
            cli_error(command, "%s: %s", sar_model_name(scene->file.model), why);
            free(why);
            return CLI_FAILED;
        }
        if (++steps % stride == 0 || sar_simulation_done(s) || sar_simulation_time(s) >= until)
            keep(scene, s, &capacity);
    }
    return 0;
}

int cli_scene_run(cli_scene* scene, const sar_options* options, double until, const char* command)
{
    sar_error error = {0};
    sar_simulation* s = NULL;
    int outcome = 0;
    sar_status status = sar_simulation_create(scene->file.model, options, &s, &error);
    if (status != SAR_OK) {
        cli_error(command, "%s: %s", scene->file.path, error.message);
        return status == SAR_E_MODEL ? CLI_MODEL : CLI_USAGE;
    }
    status = sar_simulation_assemble(s, NULL);
    if (status == SAR_OK) {
        outcome = run_until(scene, s, options, until, command);
    } else {
        cli_error(command, "%s: %s", sar_model_name(scene->file.model), sar_simulation_failure(s));
        outcome = status == SAR_E_ASSEMBLY ? CLI_ASSEMBLY : CLI_FAILED;
    }
    sar_simulation_destroy(s);
    return outcome;
}

/* ---- using it ------------------------------------------------------------------------------- */

/* Some rows are enough to see how far things go; the last is among them. */
int cli_scene_draw(cli_scene* scene, const char* command)
{
    sar_error error = {0};
    const int rows = scene->rows < DRAWN_ROWS ? scene->rows : DRAWN_ROWS;
    const size_t numbers = (size_t)scene->bodies * SAR_POSE;
    double* some = cli_allocate((size_t)rows * numbers, sizeof *some);
    for (int k = 0; k < rows; k++) {
        const int row = rows > 1 ? (int)((double)k * (scene->rows - 1) / (rows - 1)) : 0;
        memcpy(some + (size_t)k * numbers, pose_of(scene, row, 0), numbers * sizeof *some);
    }
    sar_status status = sar_drawing_create(scene->file.model, some, rows, &scene->drawing, &error);
    free(some);
    if (status == SAR_OK) return 0;
    cli_error(command, "%s: %s", scene->name, error.message);
    return CLI_FAILED;
}

/* The rows around a time, and how far it is from the first to the second. */
static double find_rows(const cli_scene* scene, double t, int* low, int* high)
{
    *low = 0, *high = scene->rows - 1;
    while (*high - *low > 1) {
        const int middle = (*low + *high) / 2;
        *(scene->time[middle] <= t ? low : high) = middle;
    }
    const double span = scene->time[*high] - scene->time[*low];
    return span > 0 ? fmin(fmax((t - scene->time[*low]) / span, 0.0), 1.0) : 0.0;
}

void cli_scene_action(const cli_scene* scene, double t, int which, double force[3])
{
    int low, high;
    const double part = find_rows(scene, t, &low, &high);
    const double *p = action_of(scene, low, which), *q = action_of(scene, high, which);
    for (int k = 0; k < 3; k++) force[k] = part > 0 ? p[k] + part * (q[k] - p[k]) : p[k];
}

void cli_scene_poses(const cli_scene* scene, double t, double* poses)
{
    int low, high;
    const double part = find_rows(scene, t, &low, &high);
    for (int b = 0; b < scene->bodies; b++) {
        const double *p = pose_of(scene, low, b), *q = pose_of(scene, high, b);
        double* out = poses + (size_t)b * SAR_POSE;
        const double same = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6];
        for (int k = 0; k < SAR_POSE; k++) {
            const double next = k >= 3 && same < 0 ? -q[k] : q[k];
            out[k] = p[k] + part * (next - p[k]);
        }
        const double norm =
            sqrt(out[3] * out[3] + out[4] * out[4] + out[5] * out[5] + out[6] * out[6]);
        for (int k = 3; k < SAR_POSE; k++) out[k] /= norm;
    }
}

void cli_scene_clear(cli_scene* scene)
{
    sar_drawing_destroy(scene->drawing);
    sar_result_destroy(scene->result);
    cli_model_close(&scene->file);
    free(scene->time);
    free(scene->from);
    free(scene->poses);
    free(scene->actions);
    free(scene->note);
    *scene = (cli_scene){0};
}
