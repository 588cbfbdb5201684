/* A motion is steady if the rates of its joint coordinates are constant, and those alone change: wheels that roll,
 * shafts that turn. Then changes of joint coordinates,
 *
 *     z = s_q dq                                                                               (1)
 *
 * obey equations with constant coefficients, whatever the coordinates q are: these may turn with the motion, and
 * matrices in a basis that is taken as constant would be wrong without any sign of it. With a column for each state of
 * linear.c, and two rates along the linear motion,
 *
 *     Z = (z; dz/dt; x),   Z_1 = (dz/dt; d2z/dt2; dx/dt),   Z_1 = Z A                          (2)
 *     A = Z^+ Z_1,         off = |Z_1 - Z A| / |Z_1|                                           (3)
 *
 * x: states of forces. off is zero where the space of admissible changes stands still in z, the first of two
 * conditions of a steady motion; the second is that A is the same later (modes.c).
 *
 * In relative coordinates z are changes of q themselves. In others, with the s_q of places near the state,
 *
 *     dz/dt = s_q d(dq)/dt + s_q' dq,   d2z/dt2 = s_q d2(dq)/dt2 + 2 s_q' d(dq)/dt + s_q'' dq    (4)
 *
 * Rotations of balls and of bodies that hang on nothing have numbers in axes that turn with the body. In axes that
 * stand still and are the same now, with the body's angular velocity w,
 *
 *     dz/dt = dz + w x z,   d2z/dt2 = d2z + 2 w x dz + w' x z + w x (w x z)                     (5)
 *
 * A body on a curve moves in axes that turn with W, its rotation about the vertical: w is w - W for its rotation, and
 * -W for its place. A disc that rolls leaning has a rotation of its own about the vertical; W is that of its path. */
#include "analysis/frames.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/least_squares.h"
#include "math/rotation.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { POINTS = 4 };              ///< on each side
static const double STEP = 0.025; ///< radians and sizes: of the differences in (4)

static sar_status choose_joints(sari_frames* f)
{
    sari_system* sys = f->linear->sys;
    f->joints = &sys->coordinates;
    if (sys->coordinates.tree) return SAR_OK;
    const sari_coordinates_ops* relative = sari_coordinates_find("relative");
    if (!relative) return SAR_E_INCOMPAT;
    SARI_TRY(sari_coordinates_create(relative, sys->mechanism, &f->own, NULL));
    f->joints = &f->own;
    return SAR_OK;
}

static sar_status take_memory(sari_frames* f)
{
    const sari_system* sys = f->linear->sys;
    SARI_TRY(choose_joints(f));
    f->n = f->joints->nq - f->joints->states;
    f->rows = 2 * f->n + sys->states;
    const size_t most = (size_t)(2 * sys->nq), n = (size_t)f->n;
    sari_arena* m = &f->memory;
    f->q = SARI_TAKE(m, double, f->joints->np);
    f->v = SARI_TAKE(m, double, f->joints->nq);
    f->a = SARI_TAKE(m, double, f->joints->nq);
    f->z = SARI_TAKE(m, double, most* n);
    f->z_1 = SARI_TAKE(m, double, most* n);
    f->z_2 = SARI_TAKE(m, double, most* n);
    f->Z = SARI_TAKE(m, double, most*(size_t)f->rows);
    f->Z_1 = SARI_TAKE(m, double, most*(size_t)f->rows);
    f->x = SARI_TAKE(m, double,
                     2 * sys->nq + sys->np + f->joints->np + 2 * f->joints->nq +
                         3 * sys->mechanism->bodies);
    f->left = SARI_TAKE(m, double, f->rows);
    f->work = SARI_TAKE(m, double, 2 * (size_t)sys->nq + 6 * n);
    return m->failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sari_frames_create(sari_linear* linear, sari_frames** out)
{
    sari_frames* f = SARI_NEW(sari_frames);
    if (!f) return SAR_E_NOMEM;
    f->linear = linear;
    const sar_status st = take_memory(f);
    if (st != SAR_OK) {
        sari_frames_destroy(f);
        return st;
    }
    *out = f;
    return SAR_OK;
}

void sari_frames_destroy(sari_frames* f)
{
    if (!f) return;
    if (f->own.mechanism) sari_coordinates_clear(&f->own);
    sari_arena_clear(&f->memory);
    sari_release(f);
}

/* ---- (1) and (4) ---------------------------------------------------------------------------- */

/* s_q d at the position q of the system; the joint coordinates there into `to`, if it is not NULL. */
static void see_change(sari_frames* f, const double* q, const double* d, double* to, double* z)
{
    sari_system* sys = f->linear->sys;
    const sari_mechanism* m = sys->mechanism;
    double *w = f->x, *joint = w + 3 * m->bodies, *rates = joint + f->joints->np;
    sari_kinematics_update(sys->kinematics, q, d, 1);
    const double *X = sys->kinematics->X, *Xd = sys->kinematics->Xd;
    for (int b = 0; b < m->bodies; b++) {
        memset(w + 3 * b, 0, 3 * sizeof(double));
        if (b > 0) sari_spin_of(m, X + m->nx * b, Xd + m->nx * b, w + 3 * b);
    }
    f->joints->ops->from_placement(f->joints, X, Xd, w, joint, rates);
    memcpy(z, rates, (size_t)f->n * sizeof(double));
    if (to) memcpy(to, joint, (size_t)(f->joints->np - f->joints->states) * sizeof(double));
}

/* Where the motion is after `tau`, but for third powers of it. */
static void go_along(const sari_frames* f, double tau, double* q)
{
    const sari_linear* l = f->linear;
    double* d = f->x + 3 * l->sys->mechanism->bodies + f->joints->np + f->joints->nq;
    for (int i = 0; i < l->sys->nq; i++) d[i] = tau * l->v[i] + 0.5 * tau * tau * l->a[i];
    sari_coordinates_move(&l->sys->coordinates, l->q, d, q);
}

/* s_q d, s_q' d and s_q'' d, each of n numbers. */
static void see_rates(sari_frames* f, const double* d, double* s, double* s_1, double* s_2)
{
    static const double first[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    static const double second[] = {8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
    const sari_linear* l = f->linear;
    const int n = f->n;
    double* z = f->x + 3 * l->sys->mechanism->bodies + f->joints->np + f->joints->nq + l->sys->nq;
    double* q = z + f->joints->nq;
    const double turn = sari_equations_turn(&l->sys->equations, l->q, l->v);
    const double h = turn > 0.0 ? STEP / turn : 1.0;
    see_change(f, l->q, d, NULL, s);
    memset(s_1, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) s_2[i] = -205.0 / 72.0 / (h * h) * s[i];
    for (int k = POINTS; k >= 1 && turn > 0.0; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            go_along(f, sign * k * h, q);
            see_change(f, q, d, NULL, z);
            for (int i = 0; i < n; i++) {
                s_1[i] += sign * first[k - 1] / h * z[i];
                s_2[i] += second[k - 1] / (h * h) * z[i];
            }
        }
    if (!(turn > 0.0)) memset(s_2, 0, (size_t)n * sizeof(double));
}

/* d2(dq)/dt2 of state k. */
static void second_rate(sari_frames* f, int k, double* out, double* work)
{
    sari_linear* l = f->linear;
    const size_t nq = (size_t)l->sys->nq, at = (size_t)k * nq;
    sari_linear_bracket(l, l->a, l->dq + at, out);
    sari_linear_bracket(l, l->v, l->rate + at, work);
    for (size_t i = 0; i < nq; i++) out[i] += work[i] + l->da[at + i];
}

void sari_frames_see_state(sari_frames* f)
{
    sari_linear* l = f->linear;
    const size_t n = (size_t)f->n;
    if (f->joints != &f->own) {
        memcpy(f->q, l->q, (size_t)f->joints->np * sizeof(double));
        memcpy(f->v, l->v, n * sizeof(double));
        memcpy(f->a, l->a, n * sizeof(double));
        return;
    }
    see_change(f, l->q, l->v, f->q, f->v);
    see_rates(f, l->v, f->v, f->z, f->z_2); // z and z_2 are filled below
    see_change(f, l->q, l->a, NULL, f->a);
    for (size_t i = 0; i < n; i++) f->a[i] += f->z[i];
}

/* (4) of state k with second rate d2. s: workspace of 6 n numbers. */
static void see_turning(sari_frames* f, int k, const double* d2, double* s)
{
    const sari_linear* l = f->linear;
    const size_t nq = (size_t)l->sys->nq, n = (size_t)f->n;
    double *z = f->z + (size_t)k * n, *z_1 = f->z_1 + (size_t)k * n, *z_2 = f->z_2 + (size_t)k * n;
    double *of = s, *of_1 = s + n, *of_2 = s + 2 * n;
    see_rates(f, l->dq + (size_t)k * nq, z, z_1, z_2);
    see_rates(f, l->rate + (size_t)k * nq, of, of_1, of_2);
    for (size_t i = 0; i < n; i++) z_1[i] += of[i], z_2[i] += 2.0 * of_1[i];
    see_change(f, l->q, d2, NULL, of);
    for (size_t i = 0; i < n; i++) z_2[i] += of[i];
}

/* work: 2 nq + 6 n numbers. */
static void see_column(sari_frames* f, int k, double* work)
{
    const sari_linear* l = f->linear;
    const size_t nq = (size_t)l->sys->nq, n = (size_t)f->n;
    double* d2 = work;
    second_rate(f, k, d2, d2 + nq);
    if (f->joints == &f->own) {
        see_turning(f, k, d2, d2 + 2 * nq);
        return;
    }
    memcpy(f->z + (size_t)k * n, l->dq + (size_t)k * nq, n * sizeof(double));
    memcpy(f->z_1 + (size_t)k * n, l->rate + (size_t)k * nq, n * sizeof(double));
    memcpy(f->z_2 + (size_t)k * n, d2, n * sizeof(double));
}

sar_status sari_frames_see(sari_frames* f)
{
    sari_linear* l = f->linear;
    sari_frames_see_state(f);
    for (int k = 0; k < l->states; k++) see_column(f, k, f->work);
    return sari_equations_eval(&l->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, l->t, l->q,
                               l->v);
}

/* ---- (5) ------------------------------------------------------------------------------------ */

/* Velocity and acceleration of the place of a body that hangs on nothing, world axes. 0: it has none of its own. */
static int place_rates(const sari_frames* f, const sari_tree_joint* j, double v[3], double a[3])
{
    const sari_tree* t = f->joints->tree;
    int slides = 0;
    while (slides < j->count && t->node[j->first + slides].motion == SARI_SLIDE) slides++;
    for (int k = 0; k < 3; k++) v[k] = a[k] = 0.0;
    if (j->joint >= 0 || slides < 2 || slides > 3) return 0;
    memcpy(v, f->v + t->node[j->first].q, (size_t)slides * sizeof(double));
    memcpy(a, f->a + t->node[j->first].q, (size_t)slides * sizeof(double));
    return slides;
}

/* W of a body that hangs on nothing, world axes. */
static void frame_rate(const sari_frames* f, const sari_tree_joint* j, sari_frame_kind kind,
                       double W[3])
{
    sari_system* sys = f->linear->sys;
    const sari_mechanism* m = sys->mechanism;
    const double* g = sys->model->gravity;
    memset(W, 0, 3 * sizeof(double));
    if (j->joint >= 0 || kind == SARI_FRAME_FIXED) return;
    sari_kinematics_update(sys->kinematics, f->linear->q, f->linear->v, 1);
    sari_spin_of(m, sys->kinematics->X + m->nx * j->child, sys->kinematics->Xd + m->nx * j->child,
                 W);
    const double square = m->dimension == 3 ? sari_dot(g, g) : 0.0;
    if (kind == SARI_FRAME_PATH) {
        double v[3], a[3];
        place_rates(f, j, v, a);
        const double speed = sari_dot(v, v);
        sari_cross(v, a, W);
        for (int k = 0; k < 3; k++) W[k] = speed > 0.0 ? W[k] / speed : 0.0;
    }
    if (kind == SARI_FRAME_BODY || !(square > 0.0)) return;
    const double part = sari_dot(W, g) / square;
    for (int k = 0; k < 3; k++) W[k] = part * g[k];
}

/* Rates of the three numbers z in axes that turn with -w beside their own; w_1 is dw/dt. */
static void turn_rates(const double w[3], const double w_1[3], const double* z, double* z_1,
                       double* z_2)
{
    double a[3], b[3], c[3], d[3];
    sari_cross(w, z, a);
    sari_cross(w, a, b);
    sari_cross(w, z_1, c);
    sari_cross(w_1, z, d);
    for (int k = 0; k < 3; k++) {
        z_2[k] += 2.0 * c[k] + d[k] + b[k];
        z_1[k] += a[k];
    }
}

/* a -= w x v of three numbers */
static void leave_turn(const double w[3], const double* v, double* a)
{
    double turn[3];
    sari_cross(w, v, turn);
    for (int k = 0; k < 3; k++) a[k] -= turn[k];
}

/* Slides of a body that hangs on nothing are its first numbers, along the axes of the world. */
static void turn_place(const sari_tree_joint* j, const sari_tree* t, const double W[3], int at,
                       double* z, double* z_1, double* z_2)
{
    const double w[3] = {-W[0], -W[1], -W[2]}, none[3] = {0};
    double x[3] = {0}, x_1[3] = {0}, x_2[3] = {0};
    int slides = 0;
    while (slides < j->count && t->node[j->first + slides].motion == SARI_SLIDE) slides++;
    if (j->joint >= 0 || slides < 2 || slides > 3) return;
    for (int k = 0; k < slides; k++) x[k] = z[at + k], x_1[k] = z_1[at + k], x_2[k] = z_2[at + k];
    turn_rates(w, none, x, x_1, x_2);
    for (int k = 0; k < slides; k++) z_1[at + k] = x_1[k], z_2[at + k] = x_2[k];
}

/* Of a state, in place. */
static void turn_joint(const sari_frames* f, const sari_tree_joint* j, sari_frame_kind kind,
                       double* z, double* z_1, double* z_2)
{
    const sari_tree* t = f->joints->tree;
    double W[3], R[9];
    if (j->count == 0) return;
    frame_rate(f, j, kind, W);
    turn_place(j, t, W, t->node[j->first].q, z, z_1, z_2);
    for (int i = j->first; i < j->first + j->count; i++) {
        const sari_tree_node* node = &t->node[i];
        if (node->motion != SARI_BALL) continue;
        double w[3] = {0}, w_1[3] = {0}, own[3];
        sari_rotation_of_quaternion(f->q + node->p, R);
        sari_rotate_back(R, W, own);
        for (int k = 0; k < 3; k++) {
            if (!node->outer) w[k] = f->v[node->q + k], w_1[k] = f->a[node->q + k];
            w[k] -= node->outer ? W[k] : own[k];
        }
        if (!node->outer) leave_turn(own, f->v + node->q, w_1); // W stands still, not in the body
        turn_rates(w, w_1, z + node->q, z_1 + node->q, z_2 + node->q);
    }
}

static void leave_joint(const sari_frames* f, const sari_tree_joint* j, const double W[3],
                        const double* v, double* a)
{
    const sari_tree* t = f->joints->tree;
    double x[3], x_1[3];
    const int slides = place_rates(f, j, x, x_1), at = t->node[j->first].q;
    for (int i = j->first; i < j->first + j->count; i++) {
        const sari_tree_node* node = &t->node[i];
        double R[9], own[3];
        if (node->motion != SARI_BALL) continue;
        sari_rotation_of_quaternion(f->q + node->p, R);
        sari_rotate_back(R, W, own);
        leave_turn(node->outer ? W : own, v + node->q, a + node->q);
    }
    leave_turn(W, x, x_1);
    for (int k = 0; k < slides; k++) a[at + k] = x_1[k];
}

void sari_frames_rates(const sari_frames* f, sari_frame_kind kind, double* v, double* a)
{
    const sari_tree* t = f->joints->tree;
    memcpy(v, f->v, (size_t)f->n * sizeof(double));
    memcpy(a, f->a, (size_t)f->n * sizeof(double));
    for (int j = 0; j < t->joints && kind != SARI_FRAME_FIXED; j++) {
        double W[3];
        if (t->joint[j].joint >= 0 || t->joint[j].count == 0) continue;
        frame_rate(f, &t->joint[j], kind, W);
        leave_joint(f, &t->joint[j], W, v, a);
    }
}

/* Column k of (2), in units of the pace. */
static void fill(sari_frames* f, sari_frame_kind kind, int k)
{
    const sari_linear* l = f->linear;
    const sari_tree* t = f->joints->tree;
    const size_t n = (size_t)f->n, rows = (size_t)f->rows, nq = (size_t)l->sys->nq;
    const int states = l->sys->states;
    double *Z = f->Z + (size_t)k * rows, *Z_1 = f->Z_1 + (size_t)k * rows;
    double* second = Z_1 + n;
    memcpy(Z, f->z + (size_t)k * n, n * sizeof(double));
    memcpy(Z + n, f->z_1 + (size_t)k * n, n * sizeof(double));
    memcpy(second, f->z_2 + (size_t)k * n, n * sizeof(double));
    for (int j = 0; j < t->joints; j++) turn_joint(f, &t->joint[j], kind, Z, Z + n, second);
    memcpy(Z_1, Z + n, n * sizeof(double));
    for (int i = 0; i < states; i++) {
        Z[2 * n + (size_t)i] = l->dv[(size_t)(k + 1) * nq - (size_t)(states - i)];
        Z_1[2 * n + (size_t)i] = l->da[(size_t)(k + 1) * nq - (size_t)(states - i)];
    }
    for (size_t i = 0; i < n; i++) Z[i] *= l->pace, Z_1[i] *= l->pace;
}

void sari_frames_see_change(sari_frames* f, sari_frame_kind kind, int k)
{
    see_column(f, k, f->work);
    fill(f, kind, k);
}

/* A of (3): columns of Z are scaled to one length. */
static sar_status solve(sari_frames* f)
{
    sari_linear* l = f->linear;
    const int rows = f->rows, n = l->states;
    sari_arena memory = {0};
    sari_least_squares s;
    sari_least_squares_take(&s, &memory, rows, n, n);
    double* B = SARI_TAKE(&memory, double, (size_t)rows*(size_t)n);
    double* scale = SARI_TAKE(&memory, double, n);
    if (!memory.failed) {
        for (int k = 0; k < n; k++) {
            const double length = sari_vector_norm(rows, f->Z + (size_t)k * (size_t)rows);
            scale[k] = length > 0.0 ? length : 1.0;
            for (int i = 0; i < rows; i++) {
                s.A[i * n + k] = f->Z[k * rows + i] / scale[k];
                B[i * n + k] = f->Z_1[k * rows + i];
            }
        }
        sari_least_squares_factor(&s);
        sari_least_squares_solve(&s, n, B);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) l->A[i * n + k] = B[i * n + k] / scale[i];
    }
    const int failed = memory.failed;
    sari_arena_clear(&memory);
    return failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sari_frames_reduce(sari_frames* f, sari_frame_kind kind)
{
    sari_linear* l = f->linear;
    const int rows = f->rows, n = l->states;
    double worst = 0.0, most = 0.0;
    for (int k = 0; k < n; k++) fill(f, kind, k);
    SARI_TRY(solve(f));
    for (int k = 0; k < n; k++) {
        double* left = f->left;
        memcpy(left, f->Z_1 + (size_t)k * (size_t)rows, (size_t)rows * sizeof(double));
        most = fmax(most, sari_vector_max(rows, left));
        for (int j = 0; j < n; j++) {
            const double *Z = f->Z + (size_t)j * (size_t)rows, part = l->A[j * n + k];
            for (int i = 0; i < rows; i++) left[i] -= Z[i] * part;
        }
        worst = fmax(worst, sari_vector_max(rows, left));
    }
    f->off = most > 0.0 ? worst / most : 0.0;
    return SAR_OK;
}

/* ---- later ---------------------------------------------------------------------------------- */

static void rotate_three(const double R[9], double* a, double* b)
{
    sari_rotate(R, a, a);
    sari_rotate(R, b, b);
}

/* The rotation of a vector W tau. */
static void rotation_by(const double W[3], double tau, double R[9])
{
    const double none[4] = {1, 0, 0, 0}, turn[3] = {tau * W[0], tau * W[1], tau * W[2]};
    double e[4];
    sari_turn(none, turn, e);
    sari_rotation_of_quaternion(e, R);
}

/* Rotations of a joint in its frames of then: exp(-W tau) R0'R. */
static void turn_ball_back(const sari_frames* f, const sari_tree_node* node, const double W[3],
                           const double* q0, double tau, double R[9])
{
    double R0[9], now[9], back[9], own[3];
    sari_rotation_of_quaternion(q0 + node->p, R0);
    sari_rotation_of_quaternion(f->q + node->p, now);
    sari_rotate_back(R0, W, own);
    rotation_by(own, -tau, back);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[3 * i + k] = R0[i] * now[k] + R0[3 + i] * now[3 + k] + R0[6 + i] * now[6 + k];
    sari_multiply3(back, R, R);
}

static void turn_joint_back(const sari_frames* f, const sari_tree_joint* j, const double W[3],
                            const double* q0, double tau, double* z, double* z_1)
{
    const sari_tree* t = f->joints->tree;
    double R[9];
    for (int i = j->first; i < j->first + j->count; i++) {
        const sari_tree_node* node = &t->node[i];
        if (node->motion != SARI_BALL || node->outer) continue;
        turn_ball_back(f, node, W, q0, tau, R);
        rotate_three(R, z + node->q, z_1 + node->q);
    }
    int slides = 0;
    while (slides < j->count && t->node[j->first + slides].motion == SARI_SLIDE) slides++;
    if (j->joint >= 0 || slides < 2 || slides > 3) return;
    double x[3] = {0}, x_1[3] = {0};
    const int at = t->node[j->first].q;
    for (int k = 0; k < slides; k++) x[k] = z[at + k], x_1[k] = z_1[at + k];
    rotation_by(W, -tau, R);
    rotate_three(R, x, x_1);
    for (int k = 0; k < slides; k++) z[at + k] = x[k], z_1[at + k] = x_1[k];
}

void sari_frames_turn_back(sari_frames* f, sari_frame_kind kind, const double* q0, double tau)
{
    const sari_tree* t = f->joints->tree;
    const size_t n = (size_t)f->n, rows = (size_t)f->rows;
    for (int j = 0; j < t->joints; j++) {
        double W[3];
        if (t->joint[j].count == 0) continue;
        frame_rate(f, &t->joint[j], kind, W);
        for (int k = 0; k < f->linear->states; k++) {
            double *Z = f->Z + (size_t)k * rows, *Z_1 = f->Z_1 + (size_t)k * rows;
            turn_joint_back(f, &t->joint[j], W, q0, tau, Z, Z + n);
            turn_joint_back(f, &t->joint[j], W, q0, tau, Z_1, Z_1 + n);
        }
    }
}
