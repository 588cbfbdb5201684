#include "system/turns.h"

#include "math/functions.h"
#include "math/vec3.h"
#include "model/curve.h"
#include "system/relations.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846, REVOLUTION = 6.283185307179586476925287;
static const double ROUNDING = 1e-9; ///< [rad], of angles that are half a revolution apart

/* ---- counting ------------------------------------------------------------------------------- */

static double nearest(double angle, double to)
{
    return angle + REVOLUTION * round((to - angle) / REVOLUTION);
}

/* (1) */
static double expected(const sari_kinematics* k, int scalar, double rate)
{
    const sari_scalar* s = &k->scalar[scalar];
    const sari_term_list* list = &k->scalar_depends[scalar];
    const double* slope = k->slope[scalar];
    if (!slope) return s->last + 0.5 * (k->time - k->counted) * (s->rate + rate);
    double moved = 0.0;
    for (int i = 0; i < list->n; i++) {
        const int at = k->straight[scalar] ? k->straight[scalar] - 1 : list->i[i];
        moved += slope[i] * (k->q[at] - k->counted_q[at]);
    }
    return s->last + moved; // (2)
}

double sari_counted_angle(const sari_kinematics* k, int scalar, double a, double b, double rate)
{
    return nearest(sari_atan2(a, b), expected(k, scalar, rate));
}

static void commit_angle(sari_kinematics* k, int scalar)
{
    sari_scalar* s = &k->scalar[scalar];
    sari_scalar_value value = {.g = k->local[3]};
    sari_scalar_parts parts = {.ga = value.g, .gb = k->local[1]};
    sari_scalar_eval_parts(k, scalar, k->v != NULL, &value, &parts);
    s->last_a = parts.a;
    s->last_b = parts.b;
    s->last = value.value;
    if (k->v) s->rate = value.rate;
    for (int i = 0; k->slope[scalar] && i < k->scalar_depends[scalar].n; i++)
        k->slope[scalar][i] = value.g[i];
}

void sari_turns_commit(sari_kinematics* k, double t)
{
    k->time = t;
    for (int i = 0; i < k->scalars; i++) {
        sari_scalar* s = &k->scalar[i];
        if (s->kind == SARI_SCALAR_ANGLE) {
            commit_angle(k, i);
        } else if (s->kind == SARI_SCALAR_CURVE) {
            const double at[2] = {sari_poly_value(k, s->a), sari_poly_value(k, s->b)};
            s->last = sari_curve_find(s->curve, at, s->last).s;
        }
    }
    k->counted = t;
    if (k->coordinates->np > 0)
        memcpy(k->counted_q, k->q, (size_t)k->coordinates->np * sizeof *k->q);
}

int sari_turns_count(const sari_kinematics* k)
{
    for (int i = 0; i < k->scalars; i++)
        if (k->scalar[i].kind == SARI_SCALAR_ANGLE || k->scalar[i].kind == SARI_SCALAR_CURVE)
            return 1;
    return 0;
}

void sari_turns_copy(const sari_kinematics* from, sari_kinematics* to)
{
    for (int i = 0; i < to->scalars; i++) {
        const sari_scalar* a = &from->scalar[i];
        sari_scalar* b = &to->scalar[i];
        if (a->kind != SARI_SCALAR_ANGLE && a->kind != SARI_SCALAR_CURVE) continue;
        b->last = a->last, b->last_a = a->last_a, b->last_b = a->last_b, b->rate = a->rate;
        for (int j = 0; to->slope[i] && j < to->scalar_depends[i].n; j++)
            to->slope[i][j] = from->slope[i][j];
    }
    to->time = from->time, to->counted = from->counted;
    memcpy(to->counted_q, from->counted_q, (size_t)to->coordinates->np * sizeof *to->counted_q);
}

void sari_turns_begin(sari_kinematics* k, double t)
{
    k->time = k->counted = t;
    for (int s = 0; s < k->scalars; s++)
        for (int i = 0; k->slope[s] && i < k->scalar_depends[s].n; i++) k->slope[s][i] = 0.0;
}

/* ---- the first revolution ------------------------------------------------------------------- */

static int is_angle(const sari_system* s, int scalar)
{
    return scalar >= 0 && s->kinematics->scalar[scalar].kind == SARI_SCALAR_ANGLE;
}

/* Is it the same angle of a joint? */
static int is_same(const sari_mechanism* m, int i, int k)
{
    const sari_scalar *a = &m->scalars[i], *b = &m->scalars[k];
    return a->joint >= 0 && a->joint == b->joint && a->coordinate == b->coordinate;
}

/* Its axis, in world axes as drawn. */
static void axis_of(const sari_mechanism* m, const sari_rotation* r, double u[3])
{
    double R[9];
    sari_rotation_of(m, m->X0 + m->nx * r->fixed_in, R);
    if (r->fixed_in == SAR_GROUND.i)
        memcpy(u, r->axis, sizeof r->axis);
    else
        sari_rotate(R, r->axis, u);
}

/* How far the bodies were wound about it to where they are drawn. `counts`: by more than half a
 * revolution, one of them. */
static double winding_about(const sari_mechanism* m, const sari_rotation* r, int* counts)
{
    const double *from = m->model->bodies[r->from].def.winding,
                 *of = m->model->bodies[r->of].def.winding;
    double u[3], w[3];
    axis_of(m, r, u);
    for (int k = 0; k < 3; k++) w[k] = of[k] - from[k];
    *counts = fmax(sari_norm3(from), sari_norm3(of)) > PI + ROUNDING;
    return sari_dot(w, u);
}

/* Of two angles that are equally near the smaller one, of half a revolution either way the positive
 * one. */
static double nearest_or_smaller(double angle, double to)
{
    const double a = nearest(angle, to), b = a + (a < to ? REVOLUTION : -REVOLUTION);
    if (fabs(b - to) - fabs(a - to) > ROUNDING) return a;
    const double larger = fabs(b) - fabs(a);
    return larger > ROUNDING || (larger > -ROUNDING && a > 0.0) ? a : b;
}

static double as_drawn(const sari_mechanism* m, const sari_scalar* s)
{
    int counts = 0;
    const double a = sari_polynomial_value(&m->poly, s->a, m->X0),
                 b = sari_polynomial_value(&m->poly, s->b, m->X0);
    const double angle = sari_atan2(a, b);
    const int zero = s->joint >= 0 && m->model->joints[s->joint].zero_as_drawn;
    const double wound = zero ? 0.0 : winding_about(m, &s->rotation, &counts);
    if (counts) return nearest_or_smaller(angle, wound);
    const int half = fabs(angle) > PI - ROUNDING;
    return half ? nearest(angle, wound < ROUNDING - PI ? -PI : PI) : angle;
}

/* The angle and all that are the same one are at `value`; and turned by as much are others between the
 * same two bodies: that of a body, and that of its joint with the ground. Those that are given stay. */
static void turn_to(sari_system* s, int scalar, double value)
{
    const sari_mechanism* m = s->mechanism;
    char* given = s->kinematics->given;
    const sari_rotation* r = &m->scalars[scalar].rotation;
    const double by = value - s->kinematics->scalar[scalar].last;
    double u[3], w[3];
    axis_of(m, r, u);
    for (int i = 0; i < s->kinematics->scalars; i++) {
        const sari_rotation* o = &m->scalars[i].rotation;
        if (!is_angle(s, i) || given[i]) continue;
        if (i == scalar || is_same(m, i, scalar)) {
            s->kinematics->scalar[i].last = value;
            given[i] = 1;
            continue;
        }
        const int alike = o->from == r->from && o->of == r->of,
                  against = o->from == r->of && o->of == r->from;
        if (!alike && !against) continue;
        axis_of(m, o, w);
        s->kinematics->scalar[i].last += (alike ? by : -by) * sari_dot(u, w);
    }
}

static void forget_given(sari_kinematics* k)
{
    for (int i = 0; i < k->scalars; i++) k->given[i] = 0;
}

/* From lower to upper, if some revolution is there. One limit alone says nothing: there always is one. */
static void keep_within(sari_system* s, int scalar, double lower, double upper)
{
    if (!is_angle(s, scalar) || !isfinite(lower) || !isfinite(upper)) return;
    const double angle = s->kinematics->scalar[scalar].last;
    double within = angle;
    if (angle < lower - ROUNDING)
        within += REVOLUTION * ceil((lower - ROUNDING - angle) / REVOLUTION);
    else if (angle > upper + ROUNDING)
        within -= REVOLUTION * ceil((angle - upper - ROUNDING) / REVOLUTION);
    if (within >= lower - ROUNDING && within <= upper + ROUNDING) turn_to(s, scalar, within);
}

/* Stops, and then, since they cannot be left, bounds of constraints on one angle. */
static void keep_within_all(sari_system* s)
{
    const sar_model* model = s->model;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        const int n = sari_force_scalars(type, model->dimension);
        for (int i = 0; type->interval && i < model->forces[t].count; i++) {
            double lower, upper;
            type->interval(model->forces[t].at[i].def, &lower, &upper);
            keep_within(s, s->mechanism->force_scalar[t][n * i], lower, upper);
        }
    }
    forget_given(s->kinematics);
    for (int j = 0; j < model->joints_count; j++) {
        const sari_joint* joint = &model->joints[j];
        const int* used;
        if (!joint->bounded || sari_expression_variables(joint->value, &used) != 1) continue;
        if (!sari_expression_is_variable(joint->value) || used[0] < SARI_VARIABLE_SIGNAL) continue;
        keep_within(s, s->mechanism->signal_scalar[used[0] - SARI_VARIABLE_SIGNAL], joint->lower,
                    joint->upper);
    }
}

/* The angle that a drive or a linear law of one angle gives; NaN: none does. */
static double prescribed(sari_system* s, const sari_relation* r, double t)
{
    if (r->terms != 1 || !is_angle(s, r->scalar[0])) return NAN;
    if (r->value) return (r->offset + sari_expression_value(r->value, &t)) / r->coefficient[0];
    return r->law ? sari_relation_root(s, r, t, s->kinematics->scalar[r->scalar[0]].last) : NAN;
}

void sari_turns_start(sari_system* s, double t)
{
    sari_kinematics* k = s->kinematics;
    const sar_model* model = s->model;
    sari_turns_begin(k, t);
    for (int i = 0; i < s->relation_rows; i++)
        if (s->relation[i].value) s->relation[i].offset = 0.0;
    for (int i = 0; i < k->scalars; i++) {
        sari_scalar* scalar = &k->scalar[i];
        if (scalar->kind != SARI_SCALAR_ANGLE) continue;
        scalar->last = as_drawn(s->mechanism, scalar);
        scalar->last_a = scalar->last_b = scalar->rate = 0.0;
    }
    forget_given(k);
    keep_within_all(s);
    forget_given(k);
    for (int i = 0; i < model->starts_count; i++) {
        const int scalar = s->mechanism->signal_scalar[model->starts[i].signal];
        if (model->signals[model->starts[i].signal].level == 0 && is_angle(s, scalar))
            turn_to(s, scalar, model->starts[i].value);
    }
    for (int i = 0; i < s->relation_rows; i++) {
        const sari_relation* r = &s->relation[i];
        const double angle = prescribed(s, r, t);
        // a drive without a value has no angle either: the run ends with its name
        if (isfinite(angle) || (r->value && is_angle(s, r->scalar[0])))
            turn_to(s, r->scalar[0], angle);
    }
}

void sari_turns_resolve_halves(sari_kinematics* k)
{
    for (int i = 0; i < k->scalars; i++) {
        sari_scalar* s = &k->scalar[i];
        if (s->kind != SARI_SCALAR_ANGLE) continue;
        const double value = sari_scalar_value_of(k, i);
        if (fabs(value - s->last) > PI - ROUNDING) s->last = nearest_or_smaller(value, s->last);
    }
}
