/* A mode as a motion: one period of it about the start, large enough to be seen. */
#include "pictures/scene.h"

#include "common/command.h"

#include "math/functions.h"
#include "sarrus/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 97 };
static const double REVOLUTION = 6.283185307179586;

/* Quaternion of the rotation vector w, before q. */
static void turn(const double w[3], const double q[4], double out[4])
{
    const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double c = sari_cos(0.5 * angle), s = angle > 0.0 ? sari_sin(0.5 * angle) / angle : 0.5;
    const double x = s * w[0], y = s * w[1], z = s * w[2];
    out[0] = c * q[0] - x * q[1] - y * q[2] - z * q[3];
    out[1] = c * q[1] + x * q[0] + y * q[3] - z * q[2];
    out[2] = c * q[2] + y * q[0] + z * q[1] - x * q[3];
    out[3] = c * q[3] + z * q[0] + x * q[2] - y * q[1];
}

/* Row by row: amplitude times the real part of shape exp(i phase). A mode that does not swing goes to and fro. */
static void fill_body(cli_scene* scene, int body, const double pose[7], const sar_mode_motion* m,
                      double amplitude)
{
    for (int row = 0; row < ROWS; row++) {
        const double phase = REVOLUTION * row / (ROWS - 1);
        const double c = amplitude * sari_cos(phase), s = amplitude * sari_sin(phase);
        double* out =
            scene->poses + ((size_t)row * (size_t)scene->bodies + (size_t)body) * SAR_POSE;
        double w[3];
        for (int k = 0; k < 3; k++) {
            out[k] = pose[k] + c * m->velocity[k] - s * m->velocity[3 + k];
            w[k] = c * m->angular[k] - s * m->angular[3 + k];
        }
        turn(w, pose + 3, out + 3);
    }
}

static void fill(cli_scene* scene, sar_simulation* s, const sar_modes* modes, int mode,
                 double amplitude)
{
    const sar_mode* list;
    sar_modes_list(modes, &list);
    const double period = list[mode].im > 0.0 ? REVOLUTION / list[mode].im : 1.0;
    scene->bodies = sar_model_bodies(scene->file.model);
    scene->rows = ROWS;
    scene->time = cli_allocate(ROWS, sizeof *scene->time);
    scene->poses =
        cli_allocate((size_t)ROWS * (size_t)scene->bodies * SAR_POSE, sizeof *scene->poses);
    for (int row = 0; row < ROWS; row++) scene->time[row] = period * row / (ROWS - 1);
    for (int b = 0; b < scene->bodies; b++) {
        sar_mode_motion motion = {0};
        double pose[7];
        sar_simulation_pose(s, (sar_body_id){b}, pose, pose + 3);
        if (b > 0) sar_mode_body(modes, mode, (sar_body_id){b}, &motion);
        fill_body(scene, b, pose, &motion, amplitude);
    }
    scene->note = list[mode].im > 0.0
                      ? cli_format("mode %d: %.5g Hz, damping %.3g", mode + 1, list[mode].frequency,
                                   list[mode].damping)
                      : cli_format("mode %d: %s by exp(%.4g t)", mode + 1,
                                   list[mode].re > 0.0 ? "grows" : "decays", list[mode].re);
}

static int find(cli_scene* scene, sar_simulation* s, int mode, double amplitude,
                const char* command)
{
    sar_error error = {0};
    sar_modes* modes = NULL;
    if (sar_modes_create(s, &modes, &error) != SAR_OK) {
        cli_error(command, "%s: %s", sar_model_name(scene->file.model), error.message);
        return CLI_FAILED;
    }
    const int count = sar_modes_summarise(modes).modes;
    if (mode <= count)
        fill(scene, s, modes, mode - 1, amplitude);
    else
        cli_error(command, "--mode %d: the model has %d mode%s", mode, count, cli_plural(count));
    sar_modes_destroy(modes);
    return mode <= count ? 0 : CLI_USAGE;
}

int cli_scene_mode(cli_scene* scene, const sar_options* options, int mode, double amplitude,
                   const char* command)
{
    sar_error error = {0};
    sar_simulation* s = NULL;
    sar_options o = sar_options_default();
    o.start = options->start, o.end = options->end, o.drawing = options->drawing;
    o.equilibrium = options->equilibrium;
    o.best_effort = 1;
    snprintf(o.coordinates, sizeof o.coordinates, "relative");
    sar_status status = sar_simulation_create(scene->file.model, &o, &s, &error);
    if (status != SAR_OK) {
        cli_error(command, "%s: %s", scene->file.path, error.message);
        return status == SAR_E_MODEL ? CLI_MODEL : CLI_USAGE;
    }
    int outcome;
    status = sar_simulation_assemble(s, NULL);
    if (status == SAR_OK) {
        outcome = find(scene, s, mode, amplitude, command);
    } else {
        cli_error(command, "%s: %s", sar_model_name(scene->file.model), sar_simulation_failure(s));
        outcome = status == SAR_E_ASSEMBLY ? CLI_ASSEMBLY : CLI_FAILED;
    }
    sar_simulation_destroy(s);
    return outcome;
}
