/* Signals that are functions of positions, as scalars: their rates and derivatives follow. */
#include "system/mechanism_parts.h"

static const double AXIS[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static int length_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sari_force_list* list = &m->model->forces[s->type];
    const sar_end* ends = sari_force_ends(sari_force_types[s->type], list->at[s->force].def);
    return sari_scalar_distance(m, &ends[0], &ends[1]);
}

static int body_angle_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sar_end ground = {.normal = {1, 0, 0}};
    const sar_end body = {.body = {s->body}, .normal = {1, 0, 0}};
    return sari_scalar_angle(m, &ground, &body);
}

/* World coordinates, or those along the axes of a body: of places from its origin. Accelerations in
 * these are for outputs to find. */
static int point_scalar(sari_mechanism* m, const sari_signal* s)
{
    const sar_end frame = {.body = {s->frame}},
                  point = {{s->body}, {s->point[0], s->point[1], s->point[2]}, {0}, {0}};
    if (!s->frame) return sari_scalar_component(m, s->body, s->point, s->component);
    return s->level == 0 ? sari_scalar_offset(m, &frame, &point, AXIS[s->component])
                         : sari_scalar_velocity_along(m, s->body, s->point, s->frame, s->component);
}

int sari_signal_scalar(sari_mechanism* m, const sari_signal* s, int* scalar)
{
    const int coordinate = sari_signal_types[s->kind].coordinate;
    *scalar = -1;
    if (coordinate != SARI_NO_COORDINATE)
        *scalar = sari_scalar_of_joint(m, s->joint, coordinate);
    else if (s->kind == SARI_SIGNAL_POINT && !(s->level == 2 && s->frame))
        *scalar = point_scalar(m, s);
    else if (s->kind == SARI_SIGNAL_DIRECTION)
        *scalar = sari_scalar_direction(m, s->body, s->point, s->component);
    else if (s->kind == SARI_SIGNAL_TURN)
        *scalar = sari_scalar_turn(m, s->joint >= 0 ? s->frame : SAR_GROUND.i, s->body,
                                   sari_turn_sequences[s->component / 3], s->component % 3);
    else if (s->kind == SARI_SIGNAL_ROTATION_VECTOR)
        *scalar = sari_scalar_rotation_vector(m, s->joint >= 0 ? s->frame : SAR_GROUND.i, s->body,
                                              s->component);
    else if (s->kind == SARI_SIGNAL_BODY_SPIN && (s->frame == 0 || s->frame == s->body))
        *scalar = sari_scalar_spin(m, s->body, s->component, s->frame == s->body);
    else if (s->kind == SARI_SIGNAL_BODY_ANGLE)
        *scalar = body_angle_scalar(m, s);
    else if (s->kind == SARI_SIGNAL_LENGTH)
        *scalar = length_scalar(m, s);
    else
        return 1;
    return *scalar >= 0;
}
