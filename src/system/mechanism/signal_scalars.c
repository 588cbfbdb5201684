/* Signals that are functions of positions, as scalars: their rates and derivatives follow. */
#include "system/mechanism/mechanism_parts.h"

#include <string.h>

enum { NO_SCALAR = -2 }; ///< it is for outputs to find; -1: out of memory

static int length_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sari_force_list* list = &m->model->forces[s->type];
    const sar_end* ends = sari_force_ends(sari_force_types[s->type], list->at[s->force].def);
    return sari_scalar_distance(m, &ends[0], &ends[1]);
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* Those of a body, or those of a frame of the model that is fixed in it (its number and 1). */
static sari_triad triad_of(const sari_mechanism* m, int body, int frame)
{
    sari_triad t = {.body = body, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (frame) memcpy(t.R, m->model->frames[frame - 1].R, sizeof t.R);
    return t;
}

static void axis_of(const sari_triad* t, int k, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = t->R[3 * i + k];
}

/* What it is seen from: a joint's first body, or the body or frame after @. */
static sari_triad seen_from(const sari_mechanism* m, const sari_signal* s)
{
    return triad_of(m, s->frame, s->axes);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static int body_angle_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sari_triad a = seen_from(m, s), b = triad_of(m, s->body, s->own);
    sar_end from = {.body = {a.body}}, to = {.body = {b.body}};
    axis_of(&a, 0, from.normal), axis_of(&b, 0, to.normal);
    return sari_scalar_angle(m, &from, &to);
}

static int turn_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sari_triad a = seen_from(m, s), b = triad_of(m, s->body, s->own);
    return sari_scalar_turn(m, &a, &b, sari_turn_sequences[s->component / 3], s->component % 3);
}

static int rotation_vector_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sari_triad a = seen_from(m, s), b = triad_of(m, s->body, s->own);
    return sari_scalar_rotation_vector(m, &a, &b, s->component);
}

/* World coordinates, or those along the axes of a body or a frame: of places from its origin.
 * Accelerations along such axes are for outputs to find. */
static int point_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sari_triad t = seen_from(m, s);
    sar_end from = {.body = {t.body}},
            point = {{s->body}, {s->point[0], s->point[1], s->point[2]}, {0}, {0}};
    double u[3];
    if (!s->frame && !s->axes) return sari_scalar_component(m, s->body, s->point, s->component);
    if (s->level == 2) return NO_SCALAR;
    if (s->axes) memcpy(from.point, m->model->frames[s->axes - 1].point, sizeof from.point);
    axis_of(&t, s->component, u);
    return s->level == 0 || t.body == SAR_GROUND.i
               ? sari_scalar_offset(m, &from, &point, u)
               : sari_scalar_velocity_along(m, s->body, s->point, t.body, u);
}

/* Angular accelerations are for outputs to find, and so is a spin along the axes of another body. */
static int spin_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sari_triad t = seen_from(m, s);
    const bool world = !s->frame && !s->axes;
    double u[3];
    if (s->level == 2 || !(world || s->frame == s->body)) return NO_SCALAR;
    if (!s->frame && !s->axes) return sari_scalar_spin(m, s->body, s->component);
    axis_of(&t, s->component, u);
    return sari_scalar_spin_along(m, s->body, u);
}

static int direction_scalar(sari_mechanism* m, const sari_signal* s)
{
    return sari_scalar_direction(m, s->body, s->point, s->component);
}

static int (*const SCALARS[SARI_SIGNALS])(sari_mechanism* m, const sari_signal* s) = {
    [SARI_SIGNAL_POINT] = point_scalar,    [SARI_SIGNAL_DIRECTION] = direction_scalar,
    [SARI_SIGNAL_TURN] = turn_scalar,      [SARI_SIGNAL_ROTATION_VECTOR] = rotation_vector_scalar,
    [SARI_SIGNAL_BODY_SPIN] = spin_scalar, [SARI_SIGNAL_BODY_ANGLE] = body_angle_scalar,
    [SARI_SIGNAL_LENGTH] = length_scalar,
};

int sari_signal_scalar(sari_mechanism* m, const sari_signal* s, int* scalar)
{
    const int coordinate = sari_signal_types[s->kind].coordinate;
    *scalar = coordinate != SARI_NO_COORDINATE ? sari_scalar_of_joint(m, s->joint, coordinate)
              : SCALARS[s->kind]               ? SCALARS[s->kind](m, s)
                                               : NO_SCALAR;
    if (*scalar != NO_SCALAR) return *scalar >= 0;
    *scalar = -1;
    return 1;
}
