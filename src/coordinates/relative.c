/* Relative coordinates: the joint coordinates of a spanning tree [cuadradodopico].
 *
 * One number for every rotation and slide, a unit quaternion for every ball joint, moved by rotation
 * vectors in the axes of the outer body. The joints of the tree hold by construction; those that
 * close loops are constraints. Bodies without a joint get three slides and a ball.
 *
 * The coordinates of a joint for given places of its bodies, one motion after the other: with the
 * child's frame at (R, p) in the parent's, and Q the frame after the motions before,
 *
 *     slide:       q = p . (Q z)                                                             (1)
 *     turn, ball:  rotation Q' R A'        A: fixed steps that come after                    (2)
 *     two turns:   the first takes z of the second to where it is: Q' R z                    (3) */
#include "base/status.h"
#include "coordinates/spanning_tree.h"
#include "math/functions.h"
#include "math/rotation.h"

static void update(sari_coordinates* c, const double* q, double* X)
{
    sari_tree_place(c->tree, q, X);
}

static void rates(const sari_coordinates* c, const double* X, const double* v, double* Xd,
                  double* Xdd)
{
    sari_tree_rates(c->tree, X, v, Xd, Xdd);
}

static void move(const sari_coordinates* c, const double* q0, const double* d, double* q)
{
    for (int i = 0; i < c->tree->nodes; i++) {
        const sari_tree_node* node = &c->tree->node[i];
        if (node->motion == SARI_BALL && node->outer)
            sari_turn_outer(q0 + node->p, d + node->q, q + node->p);
        else if (node->motion == SARI_BALL)
            sari_turn(q0 + node->p, d + node->q, q + node->p);
        else
            q[node->p] = q0[node->p] + d[node->q];
    }
}

static void difference(const sari_coordinates* c, const double* q0, const double* q, double* d)
{
    for (int i = 0; i < c->tree->nodes; i++) {
        const sari_tree_node* node = &c->tree->node[i];
        if (node->motion == SARI_BALL && node->outer)
            sari_turn_between_outer(q0 + node->p, q + node->p, d + node->q);
        else if (node->motion == SARI_BALL)
            sari_turn_between(q0 + node->p, q + node->p, d + node->q);
        else
            d[node->q] = q[node->p] - q0[node->p];
    }
}

static void position_rates(const sari_coordinates* c, const double* q, const double* v,
                           double* qdot)
{
    for (int i = 0; i < c->tree->nodes; i++) {
        const sari_tree_node* node = &c->tree->node[i];
        if (node->motion == SARI_BALL && node->outer)
            sari_quaternion_rate_outer(q + node->p, v + node->q, qdot + node->p);
        else if (node->motion == SARI_BALL)
            sari_quaternion_rate(q + node->p, v + node->q, qdot + node->p);
        else
            qdot[node->p] = v[node->q];
    }
}

static void velocities(const sari_coordinates* c, const double* q, const double* qdot, double* v)
{
    for (int i = 0; i < c->tree->nodes; i++) {
        const sari_tree_node* node = &c->tree->node[i];
        if (node->motion == SARI_BALL && node->outer)
            sari_quaternion_spin_outer(q + node->p, qdot + node->p, v + node->q);
        else if (node->motion == SARI_BALL)
            sari_quaternion_spin(q + node->p, qdot + node->p, v + node->q);
        else
            v[node->q] = qdot[node->p];
    }
}

static void normalise(const sari_coordinates* c, double* q)
{
    for (int i = 0; i < c->tree->nodes; i++)
        if (c->tree->node[i].motion == SARI_BALL) sari_quaternion_normalise(q + c->tree->node[i].p);
}

/* ---- from places to coordinates ------------------------------------------------------------- */

static void transpose(const double A[9], double out[9])
{
    for (int k = 0; k < 9; k++) out[k] = A[3 * (k % 3) + k / 3];
}

/* World pose of a joint's frame in a body placed by X_b. */
static void frame_in_world(const sari_mechanism* m, int body, const double* X, const double E[9],
                           const double s[3], double R[9], double r[3])
{
    double body_R[9];
    const double* X_b = X + m->nx * body;
    sari_rotation_of(m, X_b, body_R);
    sari_multiply3(body_R, E, R);
    sari_rotate(body_R, s, r);
    for (int k = 0; k < m->dimension; k++) r[k] += X_b[k];
}

/* Pose of the child's frame in the parent's. */
static void relative_pose(const sari_mechanism* m, const sari_tree_joint* j, const double* X,
                          double R[9], double p[3])
{
    double R_p[9], r_p[3], R_c[9], r_c[3], back[9];
    frame_in_world(m, j->parent, X, j->E_p, j->s_p, R_p, r_p);
    frame_in_world(m, j->child, X, j->E_c, j->s_c, R_c, r_c);
    transpose(R_p, back);
    sari_multiply3(back, R_c, R);
    for (int k = 0; k < 3; k++) p[k] = r_c[k] - r_p[k];
    sari_rotate(back, p, p);
}

/* The fixed step before node i of a joint; that to the joint's frame is left out. */
static void step_before(const sari_tree* t, const sari_tree_joint* j, int i, double step[9])
{
    double R[9], back[9];
    memcpy(step, t->node[j->first + i].R, 9 * sizeof *step);
    if (i > 0) return;
    sari_multiply3(t->body_R + 9 * j->parent, j->E_p, R);
    transpose(R, back);
    sari_multiply3(back, step, step);
}

/* (2): the rotation that node i has to make, for Q before it. */
static void own_rotation(const sari_tree* t, const sari_tree_joint* j, int i, const double Q[9],
                         const double R[9], double out[9])
{
    double after[9], step[9], back[9];
    memcpy(after, j->tail, sizeof after);
    for (int k = j->count - 1; k > i; k--) {
        step_before(t, j, k, step);
        sari_multiply3(step, after, after);
    }
    transpose(Q, back);
    sari_multiply3(back, R, out);
    transpose(after, back);
    sari_multiply3(out, back, out);
}

static int is_turn(const sari_tree* t, const sari_tree_joint* j, int i)
{
    return i < j->count && t->node[j->first + i].motion == SARI_TURN;
}

static void coordinates_of_joint(const sari_tree* t, const sari_tree_joint* j, const double* X,
                                 double* q)
{
    double R[9], p[3], Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, step[9], own[9], e[4];
    relative_pose(t->mechanism, j, X, R, p);
    for (int i = 0; i < j->count; i++) {
        const sari_tree_node* node = &t->node[j->first + i];
        double* at = q + node->p;
        step_before(t, j, i, step);
        sari_multiply3(Q, step, Q);
        if (node->motion == SARI_SLIDE) {
            *at = Q[2] * p[0] + Q[5] * p[1] + Q[8] * p[2]; // (1)
            continue;
        }
        own_rotation(t, j, i, Q, R, own);
        if (node->motion == SARI_BALL) {
            sari_quaternion_of_rotation(own, at);
            memcpy(e, at, sizeof e);
        } else {
            double z[3] = {R[2], R[5], R[8]};
            sari_rotate_back(Q, z, z);
            *at = is_turn(t, j, i + 1) ? sari_atan2(z[1], z[0])
                                       : sari_atan2(own[3], own[0]); // (3), (2)
            e[0] = sari_cos(0.5 * *at), e[1] = e[2] = 0.0, e[3] = sari_sin(0.5 * *at);
        }
        sari_rotation_of_quaternion(e, own);
        sari_multiply3(Q, own, Q);
    }
}

/* Least squares of S z = D at the arm s from o, for the n <= 6 columns of a joint. */
static void rates_of_joint(sari_six* S, int n, const sari_six D, const double s[3], double* z)
{
    double T[6][6] = {{0}}, d[6] = {0}, A[6][6], b[6], turn[3], trace = 0.0;
    for (int i = 0; i <= n; i++) {
        const double* from = i < n ? S[i] : D;
        double* to = i < n ? T[i] : d;
        sari_cross(from, s, turn);
        for (int k = 0; k < 3; k++) to[k] = from[k], to[3 + k] = from[3 + k] + turn[k];
    }
    for (int i = 0; i < n; i++) {
        b[i] = sari_dot6(T[i], d);
        for (int k = 0; k < n; k++) A[i][k] = sari_dot6(T[i], T[k]);
        trace += A[i][i];
    }
    for (int i = 0; i < n; i++) { // Cholesky, with room for axes that coincide
        A[i][i] += 1e-14 * trace;
        for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
        for (int r = i + 1; r < n; r++) {
            for (int k = 0; k < i; k++) A[r][i] -= A[r][k] * A[i][k];
            A[r][i] /= A[i][i];
        }
    }
    for (int i = 0; i < n; i++) {
        z[i] = b[i];
        for (int k = 0; k < i; k++) z[i] -= A[i][k] * z[k];
        z[i] /= A[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) z[i] -= A[k][i] * z[k];
        z[i] /= A[i][i];
    }
}

/* Velocity of a body as (w, v) about o. */
static void motion_of(const sari_tree* t, int b, const double* X, const double* Xd, const double* w,
                      sari_six V)
{
    const int d = t->mechanism->dimension, nx = t->mechanism->nx;
    double s[3] = {0}, turn[3];
    for (int k = 0; k < d; k++) s[k] = X[nx * b + k] - t->o[k];
    memcpy(V, w + 3 * b, 3 * sizeof *V);
    sari_cross(V, s, turn);
    for (int k = 0; k < 3; k++) V[3 + k] = (k < d ? Xd[nx * b + k] : 0.0) - turn[k];
}

/* In each joint the nearest to the velocities of its bodies. */
static void from_placement(const sari_coordinates* c, const double* X, const double* Xd,
                           const double* w, double* q, double* v)
{
    sari_tree* t = c->tree;
    const int nx = t->mechanism->nx;
    double* place = t->X;
    for (int k = 0; k < t->joints; k++) coordinates_of_joint(t, &t->joint[k], X, q);
    sari_tree_place(t, q, place);
    for (int k = 0; k < t->joints; k++) {
        const sari_tree_joint* j = &t->joint[k];
        if (j->count == 0) continue;
        const int first = t->node[j->first].q, last = j->first + j->count - 1;
        const int n = t->node[last].q + t->node[last].n - first, from = t->node[j->first].parent;
        double s[3] = {0};
        sari_six D;
        motion_of(t, j->child, X, Xd, w, D);
        for (int i = 0; from >= 0 && i < 6; i++) D[i] -= t->V[from][i];
        for (int i = 0; i < t->mechanism->dimension; i++) s[i] = place[nx * j->child + i] - t->o[i];
        rates_of_joint(t->S + first, n, D, s, v + first);
        for (int i = 0; i < 6; i++) {
            double sum = from < 0 ? 0.0 : t->V[from][i];
            for (int z = first; z < first + n; z++) sum += t->S[z][i] * v[z];
            t->V[last][i] = sum;
        }
    }
}

static sar_status create(sari_coordinates* c, sar_error* error)
{
    (void)error; // running out of memory is reported by the caller
    SARI_TRY(sari_spanning_tree(c));
    c->nq = c->tree->nq;
    c->np = c->tree->np;
    return SAR_OK;
}

static void resemble(const sari_coordinates* c, const double* like, double* q, double* v)
{
    const sari_tree* t = c->tree;
    (void)v;
    for (int k = 0; k < t->joints; k++)
        for (int i = 0; i < t->joint[k].count; i++) {
            const int at = t->node[t->joint[k].first + i].p;
            if (is_turn(t, &t->joint[k], i)) q[at] = sari_angle_near(q[at], like[at]);
        }
}

const sari_coordinates_ops sari_coordinates_relative = {
    .name = "relative",
    .cite = "cuadradodopico",
    .generates = 1,
    .text = "joint coordinates of a spanning tree; loops are closed by constraints",
    .create = create,
    .from_placement = from_placement,
    .resemble = resemble,
    .update = update,
    .rates = rates,
    .move = move,
    .difference = difference,
    .position_rates = position_rates,
    .velocities = velocities,
    .normalise = normalise,
};
