/* What errors of outputs are compared with where their range says nothing.
 *
 * An output that stands still has no range. What is small then is, by its unit, a part of
 *
 *     size, size/time, size/time^2, 1, 1/time, 1/time^2, energy/size, energy                (1)
 *
 * with the model's size, the energies of the motion, and the time of the run, or size/speed if that
 * is shorter; the speed is what these energies give the masses. Where zero means something, as for
 * velocities and forces, the size of the value counts too: a constant spin of 250 rad/s is known to
 * 1e-6 if its error is 250e-6 rad/s. Positions count from nowhere.                          (2)
 *
 * The scale of an expression f(s) is that of its signals by the chain rule, sum |df/ds| scale(s): a
 * difference of two large velocities is compared with a part of these.                      (3)
 *
 * Rounding has the last word: a stiff spring at its free length has a force of rounding alone. So the
 * outputs are also evaluated at a state that is changed by a tiny part of the size, a radian and the
 * speeds, and what this changes, taken down to rounding, is no error at any accuracy.       (4) */
#include "simulation/accuracy/output_scales.h"

#include "math/functions.h"
#include "model/model.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

static const double PART = 1e-3;      ///< (1)
static const double OF_ENERGY = 0.1;  ///< likewise, of an energy
static const double OF_SPEED = 0.1;   ///< (2) of a velocity or an acceleration
static const double OF_TERM = 1e-2;   ///< (2) of it and of a force, in an expression
static const double OF_NUMBER = 1e-2; ///< (2) of the value of an expression
static const double STILL = 1e-5;     ///< of the largest range of all: expressions
static const double ACCURACY = 1e-2;  ///< that is asked for by default
static const double NUDGE = 1e-9;     ///< (4)
static const double ROUNDING = 1e-2;  ///< of it: 1e-11 of the state

/* Largest distance of two values of an output, or of a value from zero. */
static double extent(const double* values, int rows, int columns, int j, int from_zero)
{
    double low = from_zero ? 0.0 : INFINITY, high = from_zero ? 0.0 : -INFINITY;
    for (int i = 0; i < rows; i++) {
        const double value = values[(size_t)i * (size_t)columns + (size_t)j];
        if (!isfinite(value)) continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return low <= high ? high - low : 0.0;
}

/// Units of a model in its motion.
typedef struct measures {
    double size, mass, time, energy;
} measures;

static measures measures_of(const sar_model* model, double size, double time, double energy)
{
    measures m = {size, 0.0, time, energy};
    for (int b = 1; b < model->bodies_count; b++) m.mass += model->bodies[b].def.mass;
    const double speed = m.mass > 0.0 ? sqrt(2.0 * energy / m.mass) : 0.0;
    if (speed * m.time > m.size) m.time = m.size / speed;
    return m;
}

/// What is small in a unit.
typedef struct unit_scale {
    const char* unit;
    double least;    ///< (1)
    double of_value; ///< (2)
} unit_scale;

enum { UNITS = 9 };

/* The number of the unit; UNITS: unknown, and nothing is small. */
static int scale_of_unit(const char* unit, const measures* m, unit_scale* out)
{
    const double rate = 1.0 / m->time;
    const unit_scale known[UNITS] = {{"m", PART * m->size, 0.0},
                                     {"m/s", PART * m->size * rate, OF_SPEED},
                                     {"m/s^2", PART * m->size * rate * rate, OF_SPEED},
                                     {"rad", PART, 0.0},
                                     {"rad/s", PART * rate, OF_SPEED},
                                     {"rad/s^2", PART * rate * rate, OF_SPEED},
                                     {"N", PART * m->energy / m->size, 1.0},
                                     {"N m", PART * m->energy, 1.0},
                                     {"J", OF_ENERGY * m->energy, 0.0}};
    int k = 0;
    while (k < UNITS && strcmp(known[k].unit, unit) != 0) k++;
    *out = k < UNITS ? known[k] : (unit_scale){"", 0.0, 0.0};
    return k;
}

void sari_output_scales(const sar_reference_run_def* def, const sar_reference_outcome* by,
                        const double* values, int* group, double* least)
{
    const int columns = sar_model_outputs(def->model);
    const double accuracy = def->accuracy > 0.0 ? def->accuracy : ACCURACY;
    const measures m =
        measures_of(def->model, def->size, def->options->end - def->options->start, by->energy);
    double most = 0.0;
    for (int j = 0; j < columns; j++) most = fmax(most, extent(values, by->rows, columns, j, 0));
    for (int j = 0; j < columns; j++) {
        unit_scale scale;
        group[j] = scale_of_unit(sar_model_output_unit(def->model, j), &m, &scale);
        if (group[j] == UNITS) {
            scale.least = fmax(STILL * most, def->noise ? def->noise[columns + j] : 0.0);
            scale.of_value = OF_NUMBER;
        }
        least[j] = fmax(scale.least, scale.of_value * extent(values, by->rows, columns, j, 1));
        if (def->noise) least[j] = fmax(least[j], def->noise[j] / accuracy);
    }
}

/* ---- while the reference runs --------------------------------------------------------------- */

/* (3), in the user's units; the signals are those in s->variables. */
static double scale_by_terms(sar_simulation* s, const sari_output* output, const measures* m)
{
    const int* used;
    const int count = sari_expression_variables(output->value, &used);
    double sum = 0.0;
    if (output->integral) return 0.0;
    sari_expression_gradient(output->value, s->variables, s->gradient);
    for (int k = 0; k < count; k++) {
        unit_scale scale;
        if (used[k] < SARI_VARIABLE_SIGNAL) continue;
        const sari_signal* signal = &s->model->signals[used[k] - SARI_VARIABLE_SIGNAL];
        scale_of_unit(sari_unit_of_signal(signal).text, m, &scale);
        const double value = fmin(scale.of_value, OF_TERM) * fabs(s->variables[used[k]]);
        sum += fabs(s->gradient[k]) * fmax(scale.least, value);
    }
    return isfinite(sum) ? sum : 0.0;
}

void sari_output_noise(sar_simulation* s, double* room, double* noise)
{
    const int columns = s->model->outputs_count;
    const sar_options* o = &s->options;
    double *here = room, *near = room + columns;
    if (sari_outputs_nearby(s, NUDGE, near) != SAR_OK ||
        sari_outputs_nearby(s, 0.0, here) != SAR_OK)
        return;
    const measures m =
        measures_of(s->model, s->units.size, o->end - o->start, s->statistics.energy_scale);
    for (int j = 0; j < columns; j++) {
        const double terms = scale_by_terms(s, &s->model->outputs[j], &m);
        noise[columns + j] = fmax(noise[columns + j], terms);
        if (isfinite(near[j] - here[j])) noise[j] += ROUNDING * fabs(near[j] - here[j]);
    }
}
