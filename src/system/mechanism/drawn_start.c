/* The drawn start of a mechanism: poses and velocities of its bodies as the model says. Bodies
 * without a drawn pose are placed next to their neighbours, as a start for the assembler. */
#include "base/memory.h"
#include "math/vec3.h"
#include "system/mechanism/mechanism.h"

static void set_pose(sari_mechanism* m, int b, const double origin[3], const double R[9])
{
    double center[3], *X = m->X0 + m->nx * b;
    sari_rotate(R, m->model->bodies[b].def.center, center);
    for (int k = 0; k < m->dimension; k++) X[k] = origin[k] + center[k];
    if (m->dimension == 3) {
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) X[3 + 3 * c + k] = R[3 * k + c];
    } else {
        X[2] = R[0];
        X[3] = R[3];
    }
}

/* Of body b, placed by X. */
static void set_velocity(const sari_mechanism* m, int b, const double* X, double* Xd)
{
    const sar_body_def* def = &m->model->bodies[b].def;
    double R[9], arm[3], turn[3];
    const double* w = def->angular_velocity;
    sari_rotation_of(m, X, R);
    sari_rotate(R, def->center, arm);
    sari_cross(w, arm, turn);
    for (int k = 0; k < m->dimension; k++) Xd[k] = def->velocity[k] + turn[k];
    if (m->dimension == 2) {
        Xd[2] = -w[2] * R[3];
        Xd[3] = w[2] * R[0];
        return;
    }
    for (int c = 0; c < 3; c++) {
        double axis[3] = {R[c], R[3 + c], R[6 + c]};
        sari_cross(w, axis, Xd + 3 + 3 * c);
    }
}

/* Place body `b` so that the ends of one of its joints meet a body that is placed already. */
static void place_by_joint(sari_mechanism* m, int b, int number)
{
    const sar_joint_def* joint = &m->model->joints[number].pair;
    const sar_end* mine = joint->a.body.i == b ? &joint->a : &joint->b;
    const sar_end* other = joint->a.body.i == b ? &joint->b : &joint->a;
    const sari_body* body = &m->model->bodies[b];
    const sari_joint_type* type = sari_type_of(joint);
    const sari_directions axes = sari_form_of(joint, m->dimension)->axis;
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R_other[9], p_other[3], arm[3], origin[3];
    sari_rotation_of(m, m->X0 + m->nx * other->body.i, R_other);
    if (body->def.has_rotation) {
        memcpy(R, body->def.rotation, sizeof R);
    } else if (m->dimension == 3 && (axes == SARI_OF_BOTH || axes == SARI_OF_BOTH_OR_NONE)) {
        double axis[3];
        sari_rotate(R_other, other->axis, axis);
        sari_turn_onto(mine->axis, axis, R);
    }
    for (int k = 0; k < 3; k++) {
        sari_affine p = sari_point_affine(m, other->body.i, other->point, k);
        p_other[k] = p.c;
        for (int i = 0; i < p.n; i++) p_other[k] += p.coefficient[i] * m->X0[p.index[i]];
    }
    if (type->place && mine == &joint->b) {
        double axis[3], stand[9];
        sari_rotate(R_other, other->axis, axis);
        memcpy(stand, R, sizeof R);
        type->place(m, number, axis, stand, p_other);
        if (!body->def.has_rotation) memcpy(R, stand, sizeof R);
    }
    sari_rotate(R, mine->point, arm);
    for (int k = 0; k < 3; k++)
        origin[k] = body->def.has_position ? body->def.position[k] : p_other[k] - arm[k];
    set_pose(m, b, origin, R);
}

void sari_mechanism_drawn_rates(const sari_mechanism* m, const double* X, double* Xd)
{
    for (int b = 1; b < m->bodies; b++) set_velocity(m, b, X + m->nx * b, Xd + m->nx * b);
}

int sari_mechanism_draw(sari_mechanism* m)
{
    const sar_model* model = m->model;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
    char* placed = SARI_NEW_ARRAY(char, m->bodies);
    if (!placed) return 0;
    set_pose(m, 0, zero, identity);
    placed[0] = 1;
    for (int b = 1; b < m->bodies; b++) {
        const sar_body_def* def = &model->bodies[b].def;
        placed[b] = def->has_position && def->has_rotation;
        if (placed[b]) set_pose(m, b, def->position, def->rotation);
    }
    for (int again = 1; again;) {
        again = 0;
        for (int j = 0; j < model->joints_count; j++) {
            if (model->joints[j].relation || model->joints[j].absent) continue;
            const sar_joint_def* joint = &model->joints[j].pair;
            int a = joint->a.body.i, b = joint->b.body.i;
            if (placed[a] == placed[b]) continue;
            place_by_joint(m, placed[a] ? b : a, j);
            placed[a] = placed[b] = 1;
            again = 1;
        }
    }
    for (int b = 1; b < m->bodies; b++) {
        const sar_body_def* def = &model->bodies[b].def;
        if (!placed[b]) set_pose(m, b, def->position, def->has_rotation ? def->rotation : identity);
    }
    sari_mechanism_drawn_rates(m, m->X0, m->Xd0);
    sari_release(placed);
    return 1;
}
