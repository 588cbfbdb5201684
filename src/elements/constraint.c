/* Conditions by expressions: on positions, f(t, q) = 0, and on velocities, A(q, t) v + b(q, t) = 0,
 * each given as one expression f(t, q, v).
 *
 * The latter is of that form if, wherever it has a value and for all v and d,
 *
 *     d2/ds2 f(t, q, v + s d) = 0                                        (1)
 *     f(t, q, v + d) - f(t, q, v) = d/ds f(t, q, v + s d) at s = 0       (2)
 *
 * Both are tried at some points and directions, always the same ones, over many orders of
 * magnitude. Derivatives are exact, so (1) finds a weak nonlinearity; (2) finds kinks and jumps
 * (abs, max, conditions), which have no second derivative. */
#include "elements/gear.h"
#include "elements/relation.h"

#include "base/memory.h"
#include "math/functions.h"
#include "math/random.h"
#include "model/parts.h"
#include "system/nonholonomic.h"
#include "system/relations.h"

#include <math.h>

enum { TRIES = 96 };

static const sari_relation_type CONSTRAINT;

static const double ROUND_OFF = 1e-9; ///< of (1), relative
static const double CANCELS = 1e-6;   ///< of (2), which loses digits in its difference

static const sar_constraint_def USUAL = {.lower = -INFINITY, .upper = INFINITY};

sar_constraint_def sar_constraint_def_default(void)
{
    return USUAL;
}

const sari_definition sari_constraint_definition = {
    .word =
        {{"constraint",
          "a condition on positions, or on velocities, that is held at zero, or one on positions "
          "that is held between bounds",
          {{"velocity", SARI_READ_TEXT, offsetof(sar_constraint_def, velocity), 0,
            "expression of t, parameters and signals (positions, rates, BODY.wx ...), linear in "
            "the rates, that is held at zero"},
           {"position", SARI_READ_TEXT, offsetof(sar_constraint_def, position), 0,
            "smooth expression of t, parameters and positions (points, angles, coordinates of "
            "joints) that is held at zero"},
           {"cable", SARI_READ_CABLE, 0, SARI_ELSEWHERE,
            "points over which a cable goes; the sum of their distances is its length"},
           {"length", SARI_READ_NUMBER, 0, SARI_ELSEWHERE, "of the cable [m]"},
           {"one_sided", SARI_READ_ANSWER, 0, SARI_ELSEWHERE, "yes: the cable may be slack"},
           {"surface", SARI_READ_TEXT, 0, SARI_ELSEWHERE,
            "expression of x, y and z, the place of the second point from the first along the "
            "axes of the first body, that is held at zero"},
           {"between", SARI_READ_FRAMES, 0, SARI_ELSEWHERE,
            "a point of the body that has the surface, and the point that stays on it"},
           {"lower", SARI_READ_NUMBER, offsetof(sar_constraint_def, lower), 0,
            "the position is not held at zero but not below this: a stop, a floor"},
           {"upper", SARI_READ_NUMBER, offsetof(sar_constraint_def, upper), 0,
            "likewise, not above this: a stop, a rope"},
           {"restitution", SARI_READ_NUMBER, offsetof(sar_constraint_def, restitution), 0,
            "with lower or upper: rate after an impact divided by the rate before, 0 (default) "
            "to 1"}}}},
    .size = sizeof(sar_constraint_def),
    .usual = &USUAL,
    .text = {{"velocity", offsetof(sar_constraint_def, velocity), SARI_USE_RATES, NULL},
             {"position", offsetof(sar_constraint_def, position), SARI_USE_RATES, NULL}},
};

/// Where an expression is tried: numbers by variable, zero in the direction but for the rates.
typedef struct trial {
    double *point, *direction, *moved;
    uint64_t state;
} trial;

/// The ground has points, but none that moves.
static bool is_rate(const sar_model* model, int variable)
{
    if (variable < SARI_VARIABLE_SIGNAL) return false;
    const sari_signal* s = &model->signals[variable - SARI_VARIABLE_SIGNAL];
    return s->level == 1 && s->body != SAR_GROUND.i;
}

/// Positions between 0.01 and 100, in turn of both signs and positive, so that roots and logarithms
/// have values somewhere; rates up to 1 ... 1e6.
static void choose_point(const sar_model* model, const sari_expression* e, int k, trial* t)
{
    const int* used;
    const int count = sari_expression_variables(e, &used);
    const double place = sari_pow(10.0, 2.0 * sari_random(&t->state)),
                 speed = sari_pow(10.0, 3.0 + 3.0 * sari_random(&t->state));
    for (int i = 0; i < count; i++) {
        const int v = used[i];
        const bool rate = is_rate(model, v);
        t->point[v] = (rate ? speed : place) * sari_random(&t->state);
        if (!rate && k % 2) t->point[v] = fabs(t->point[v]);
        t->direction[v] = rate ? speed * sari_random(&t->state) : 0.0;
        t->moved[v] = t->point[v] + t->direction[v];
    }
}

/// Is f linear here? `slope` is how it changes along the direction. True where it has no value.
static bool is_linear_at(const sari_expression* e, const trial* t, double* slope)
{
    double series[3];
    sari_expression_series_along(e, t->point, t->direction, series);
    const double moved = sari_expression_value(e, t->moved);
    *slope = 0.0;
    if (!isfinite(series[0]) || !isfinite(series[1]) || !isfinite(series[2]) || !isfinite(moved))
        return true;
    const double size = fmax(fabs(series[0]), fmax(fabs(series[1]), fabs(moved)));
    *slope = series[1];
    return fabs(series[2]) <= ROUND_OFF * size &&                 // (1)
           fabs(moved - series[0] - series[1]) <= CANCELS * size; // (2)
}

static sar_status check_along(const sar_model* model, const sari_expression* e, const char* text,
                              trial* t, sar_error* error)
{
    bool moves = false;
    for (int k = 0; k < TRIES; k++) {
        double slope;
        choose_point(model, e, k, t);
        if (!is_linear_at(e, t, &slope))
            return sari_fail(error, SAR_E_MODEL, "velocity",
                             "a constraint has to be linear in the speeds: %.80s is not", text);
        if (slope != 0.0) moves = true;
    }
    if (moves) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "velocity",
                     "%.80s holds no velocity: no speed changes its value", text);
}

static bool uses_rates(const sar_model* model, const sari_expression* e)
{
    const int* used;
    const int count = sari_expression_variables(e, &used);
    for (int i = 0; i < count; i++)
        if (is_rate(model, used[i])) return true;
    return false;
}

/// Three numbers per variable. The model keeps them: its variables are many and an expression uses
/// few, so that clearing room for all of them would be most of the work.
static double* room_for_trials(sar_model* model)
{
    const int wanted = 3 * (SARI_VARIABLE_SIGNAL + model->signals_count);
    if (wanted <= model->trial_capacity) return model->trial;
    sari_release(model->trial);
    model->trial = SARI_NEW_ARRAY(double, 2 * wanted);
    model->trial_capacity = model->trial ? 2 * wanted : 0;
    return model->trial;
}

static sar_status check_form(sar_model* model, const sari_expression* e, const char* text,
                             sar_error* error)
{
    if (!uses_rates(model, e))
        return sari_fail(error, SAR_E_MODEL, "velocity",
                         "%.80s holds no velocity: it has to use some vx, rate, speed, wx ... of "
                         "what moves; joints, couplers and drives hold positions",
                         text);
    double* numbers = room_for_trials(model);
    const int count = model->trial_capacity / 3;
    if (!numbers) return sari_out_of_memory(error);
    trial t = {numbers, numbers + count, numbers + 2 * count, 1};
    return check_along(model, e, text, &t, error);
}

sar_status sari_check_positions(const sar_model* model, const sari_expression* e, const char* text,
                                const char* field, sar_error* error)
{
    const int* used;
    int count = 0, moving = 0;
    for (int i = 0, n = sari_expression_variables(e, &used); i < n; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        const sari_signal* s = &model->signals[used[i] - SARI_VARIABLE_SIGNAL];
        count++;
        moving += s->body != SAR_GROUND.i;
        if (s->level != 0)
            return sari_fail(error, SAR_E_MODEL, field,
                             "a constraint on positions cannot use rates: %.80s does; one on "
                             "velocities can",
                             text);
    }
    if (moving == 0)
        return sari_fail(error, SAR_E_MODEL, field,
                         "%.80s holds nothing: it has to use the position of something that moves",
                         text);
    if (count > SARI_POSITION_SIGNALS)
        return sari_fail(error, SAR_E_MODEL, field,
                         "an expression of positions uses at most %d signals, this one %d",
                         SARI_POSITION_SIGNALS, count);
    return SAR_OK;
}

static sar_status check_one(const sar_constraint_def* def, sar_error* error)
{
    if (!def->velocity != !def->position) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "velocity",
                     "a constraint is on positions or on velocities: give one of the two");
}

static sar_status check_bounds(const sar_constraint_def* def, bool bounded, sar_error* error)
{
    const double e = def->restitution;
    if (!bounded && e != 0.0)
        return sari_fail(error, SAR_E_MODEL, "restitution",
                         "restitution is for a constraint with a bound: give lower or upper");
    if (!bounded) return SAR_OK;
    const char* field = isfinite(def->lower) ? "lower" : "upper";
    if (def->velocity)
        return sari_fail(error, SAR_E_MODEL, field, "bounds are for constraints on positions");
    if (!(def->lower < def->upper))
        return sari_fail(error, SAR_E_MODEL, field, "lower (%g) has to be below upper (%g)",
                         def->lower, def->upper);
    if (!(e >= 0.0 && e <= 1.0))
        return sari_fail(error, SAR_E_MODEL, "restitution", "%g is not between 0 and 1", e);
    if (def->absent)
        return sari_fail(error, SAR_E_MODEL, "active",
                         "a constraint with a bound comes and goes by itself: remove 'active'");
    return SAR_OK;
}

sar_status sari_model_note_cable(sar_model* model, sar_joint_id constraint, const sar_end* over,
                                 int points)
{
    sari_joint* joint = &model->joints[constraint.i];
    joint->over = sari_copy(over, (size_t)points, sizeof *over);
    joint->over_count = joint->over ? points : 0;
    return joint->over ? SAR_OK : SAR_E_NOMEM;
}

sar_status sar_model_add_constraint(sar_model* model, const sar_constraint_def* def,
                                    sar_joint_id* out, sar_error* error)
{
    return sari_model_add_difference(model, def, NULL, out, error);
}

sar_status sari_model_add_difference(sar_model* model, const sar_constraint_def* def,
                                     const char* value, sar_joint_id* out, sar_error* error)
{
    sari_joint joint = {.relation = &CONSTRAINT,
                        .bounded = (isfinite(def->lower) || isfinite(def->upper)) &&
                                   !(def->lower == 0.0 && def->upper == 0.0), // nothing is given
                        .lower = def->lower,
                        .upper = def->upper,
                        .restitution = def->restitution,
                        .on_positions = def->position != NULL};
    joint.absent = joint.bounded || def->absent != 0;
    const int signals = model->signals_count;
    const char *text = def->position ? def->position : def->velocity,
               *field = def->position ? "position" : "velocity";
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(check_one(def, error));
    SARI_TRY(check_bounds(def, joint.bounded, error));
    SARI_TRY(sari_model_compile_less(model, text, value, SARI_USE_RATES | SARI_USE_SPINS, field,
                                     &joint.value, error));
    sar_status status = joint.on_positions
                            ? sari_check_positions(model, joint.value, text, "position", error)
                            : check_form(model, joint.value, text, error);
    if (status == SAR_OK) joint.drive.value = sari_copy_string(text);
    if (status == SAR_OK && !joint.drive.value) status = sari_out_of_memory(error);
    if (status == SAR_OK)
        status = sari_joint_store(model, joint, def->name, out, error);
    else
        sari_joint_release(&joint);
    if (status != SAR_OK) sari_model_forget_signals(model, signals);
    return status;
}

static bool is_length(const sar_model* model, const sari_joint* joint)
{
    return sari_uses_lengths(model, joint->value);
}

static int rows(sari_mechanism* m, int joint)
{
    return m->model->joints[joint].on_positions ? sari_mechanism_add_law(m, joint)
                                                : sari_mechanism_add_expression(m, joint);
}

static const sari_relation_type CONSTRAINT = {.word = "constraint",
                                              .force = "the force of a constraint",
                                              .no_torque = "is a constraint",
                                              .nowhere = true,
                                              .is_length = is_length,
                                              .rows_of_signals = rows};
