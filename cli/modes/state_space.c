/* sarrus modes -o: the linear equations themselves, and Bode plots of them. */
#include "modes/modes.h"

#include "math/functions.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 400, WIDTH = 640, HEIGHT = 300 };

/* [rad/s]: a decade beside the slowest and the fastest mode. */
static void find_range(const modes_task* task, double* from, double* to)
{
    const sar_mode* list;
    const int count = sar_modes_list(task->modes, &list);
    double low = INFINITY, high = 0.0;
    for (int k = 0; k < count; k++) {
        const double size = sari_hypot(list[k].re, list[k].im);
        low = fmin(low, size);
        high = fmax(high, size);
    }
    *from = isfinite(low) ? 0.1 * low : 0.1;
    *to = high > 0.0 ? 10.0 * high : 100.0;
}

/* Amplitudes and phases [deg] of all outputs by all inputs, POINTS numbers each. */
static void find_responses(const sar_state_space* space, int pairs, const double* omega,
                           double* amplitude, double* phase)
{
    double* z = cli_allocate(2 * (size_t)pairs + 1, sizeof *z);
    for (int i = 0; i < POINTS; i++) {
        const sar_status st = sar_state_space_response(space, omega[i], z, z + pairs);
        for (int k = 0; k < pairs; k++) {
            double p = st == SAR_OK ? sari_atan2(z[pairs + k], z[k]) * 57.29577951308232 : NAN;
            const double before = i ? phase[k * POINTS + i - 1] : p;
            while (p - before > 180.0) p -= 360.0; // without jumps
            while (p - before < -180.0) p += 360.0;
            amplitude[k * POINTS + i] = st == SAR_OK ? sari_hypot(z[k], z[pairs + k]) : NAN;
            phase[k * POINTS + i] = p;
        }
    }
    free(z);
}

/* The place below it. */
static int draw(FILE* out, int log_y, const char* ylabel, const cli_svg_series* series, int count,
                const char* title, int at)
{
    const cli_svg_plot plot = {.title = title,
                               .xlabel = "frequency [Hz]",
                               .ylabel = ylabel,
                               .log_x = 1,
                               .log_y = log_y,
                               .width = WIDTH,
                               .height = HEIGHT,
                               .legend = 1,
                               .series = series,
                               .count = count};
    fprintf(out, "<g transform=\"translate(10, %d)\">", at);
    cli_svg_write(out, &plot);
    fputs("</g>\n", out);
    return at + cli_svg_height(&plot) + 12;
}

static void write_bode(const modes_task* task, const sar_state_space* space, FILE* out)
{
    const sar_linear_system s = sar_state_space_system(space);
    const int pairs = s.inputs * s.outputs;
    double from, to, *omega = cli_allocate(2 * POINTS, sizeof *omega), *hertz = omega + POINTS;
    double *amplitude = cli_allocate((size_t)(2 * pairs * POINTS) + 1, sizeof *amplitude),
           *phase = amplitude + pairs * POINTS;
    find_range(task, &from, &to);
    for (int i = 0; i < POINTS; i++) {
        omega[i] = from * sari_exp(sari_log(to / from) * i / (POINTS - 1));
        hertz[i] = omega[i] / 6.283185307179586;
    }
    find_responses(space, pairs, omega, amplitude, phase);
    const cli_svg_plot one = {.width = WIDTH, .height = HEIGHT, .legend = 1, .count = s.outputs};
    cli_svg_begin(out, WIDTH + 20, s.inputs * 2 * (cli_svg_height(&one) + 12) + 20);
    int at = 10;
    cli_svg_series* series = cli_allocate((size_t)s.outputs + 1, sizeof *series);
    for (int k = 0; k < s.inputs; k++)
        for (int part = 0; part < 2; part++) {
            for (int o = 0; o < s.outputs; o++)
                series[o] =
                    (cli_svg_series){.name = s.output[o],
                                     .n = POINTS,
                                     .x = hertz,
                                     .y = (part ? phase : amplitude) + (o * s.inputs + k) * POINTS,
                                     .style = o};
            at = draw(out, !part, part ? "phase [deg]" : "amplitude", series, s.outputs, s.input[k],
                      at);
        }
    fputs("</svg>\n", out);
    free(series), free(omega), free(amplitude);
}

static int write_one(const modes_task* task, const sar_state_space* space, const char* path)
{
    sar_error error = {0};
    if (!cli_ends_with(path, ".svg")) {
        if (sar_state_space_write(space, path, &error) == SAR_OK) return 0;
        cli_error("modes", "%s", error.message);
        return CLI_FAILED;
    }
    const sar_linear_system s = sar_state_space_system(space);
    if (s.inputs == 0 || s.outputs == 0) {
        cli_error("modes", "a Bode plot is of outputs by inputs, and the model has no %s",
                  s.inputs ? "outputs" : "inputs");
        return CLI_USAGE;
    }
    FILE* out = fopen(path, "w");
    if (out) write_bode(task, space, out);
    if (out && fclose(out) == 0) return 0;
    cli_error("modes", "cannot write '%s': %s", path, strerror(errno));
    return CLI_FAILED;
}

int modes_write_state_space(const modes_task* task)
{
    sar_state_space* space = NULL;
    sar_error error = {0};
    if (task->outputs.count == 0) return 0;
    if (sar_state_space_create(task->base.simulation, &space, &error) != SAR_OK) {
        cli_error("modes", "%s", error.message);
        return CLI_FAILED;
    }
    int refused = 0;
    for (int k = 0; k < task->outputs.count && !refused; k++)
        refused = write_one(task, space, task->outputs.items[k]);
    sar_state_space_destroy(space);
    return refused;
}
