#include "coordinates/tree.h"

#include "base/memory.h"
#include "coordinates/tree_planar.h"
#include "math/functions.h"
#include "math/vec3.h"

/* ---- construction --------------------------------------------------------------------------- */

sari_tree* sari_tree_create(const sari_mechanism* m, int nodes, int np, int nq)
{
    sari_tree* t = SARI_NEW(sari_tree);
    if (!t) return NULL;
    *t = (sari_tree){.mechanism = m, .nodes = nodes, .np = np, .nq = nq};
    t->node = SARI_TAKE(&t->memory, sari_tree_node, nodes);
    t->node_of = SARI_TAKE(&t->memory, int, nq);
    t->body_node = SARI_TAKE(&t->memory, int, m->bodies);
    t->body_R = SARI_TAKE(&t->memory, double, 9 * m->bodies);
    t->body_r = SARI_TAKE(&t->memory, double, 3 * m->bodies);
    t->place = SARI_TAKE(&t->memory, sari_node_place, nodes);
    t->composite = SARI_TAKE(&t->memory, sari_spatial_inertia, nodes);
    t->S = SARI_TAKE(&t->memory, sari_six, nq);
    t->S_dot = SARI_TAKE(&t->memory, sari_six, nq);
    t->V = SARI_TAKE(&t->memory, sari_six, nodes);
    t->A = SARI_TAKE(&t->memory, sari_six, nodes);
    t->W = SARI_TAKE(&t->memory, sari_six, nodes);
    t->H = SARI_TAKE(&t->memory, sari_six, nodes);
    t->P = SARI_TAKE(&t->memory, sari_six, nq);
    if (m->dimension == 2) t->planar = sari_planar_create(nodes, m->bodies, &t->memory);
    t->X = SARI_TAKE(&t->memory, double, m->nx * m->bodies);
    if (!t->memory.failed) return t;
    sari_tree_destroy(t);
    return NULL;
}

void sari_tree_destroy(sari_tree* t)
{
    if (!t) return;
    sari_arena_clear(&t->memory);
    sari_release(t);
}

/* J (xx yy zz xy xz yz) += that of a mass at c */
static void add_point_mass(double mass, const double c[3], double J[6])
{
    J[0] += mass * (c[1] * c[1] + c[2] * c[2]);
    J[1] += mass * (c[0] * c[0] + c[2] * c[2]);
    J[2] += mass * (c[0] * c[0] + c[1] * c[1]);
    J[3] -= mass * c[0] * c[1];
    J[4] -= mass * c[0] * c[2];
    J[5] -= mass * c[1] * c[2];
}

/* out = R J R' */
static void turn_inertia(const double R[9], const double J[6], double out[6])
{
    const double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    double half[9];
    sari_multiply3(R, full, half);
    out[0] = sari_dot(half, R), out[1] = sari_dot(half + 3, R + 3);
    out[2] = sari_dot(half + 6, R + 6), out[3] = sari_dot(half, R + 3);
    out[4] = sari_dot(half, R + 6), out[5] = sari_dot(half + 3, R + 6);
}

void sari_tree_complete(sari_tree* t)
{
    const sari_mechanism* m = t->mechanism;
    for (int i = 0; i < t->nodes; i++)
        for (int k = 0; k < t->node[i].n; k++) t->node_of[t->node[i].q + k] = i;
    for (int b = 1; b < m->bodies; b++) { // sums: mass, first moment, inertia about the node
        if (t->body_node[b] < 0) continue;
        sari_tree_node* node = &t->node[t->body_node[b]];
        const sar_body_def* def = &m->model->bodies[b].def;
        const double planar[6] = {0, 0, def->inertia[2], 0, 0, 0};
        double J[6];
        turn_inertia(t->body_R + 9 * b, m->dimension == 2 ? planar : def->inertia, J);
        add_point_mass(def->mass, t->body_r + 3 * b, J);
        for (int k = 0; k < 6; k++) node->J[k] += J[k];
        for (int k = 0; k < 3; k++) node->center[k] += def->mass * t->body_r[3 * b + k];
        node->mass += def->mass;
    }
    for (int b = m->bodies - 1; b > 0; b--)
        if (t->body_node[b] >= 0) t->origin = t->body_node[b];
    for (int i = 0; i < t->nodes; i++) {
        sari_tree_node* node = &t->node[i];
        if (node->mass <= 0.0) continue;
        for (int k = 0; k < 3; k++) node->center[k] /= node->mass;
        add_point_mass(-node->mass, node->center, node->J);
    }
    if (t->planar) sari_planar_fill(t);
}

int sari_tree_localise(sari_tree* t)
{
    const sari_mechanism* m = t->mechanism;
    t->local = SARI_TAKE(&t->memory, char, m->poly.count);
    for (int c = 0; t->local && c < m->conditions_count; c++)
        for (int p = m->conditions[c].poly; p < m->conditions[c].poly_end; p++)
            t->local[p] = m->conditions[c].kind == SARI_COINCIDE;
    return t->local != NULL;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Frame of a node: the parent's, the step to the joint, its motion. */
static void place_node(const sari_tree* t, int i, const double* q)
{
    const sari_tree_node* node = &t->node[i];
    sari_node_place* to = &t->place[i];
    double R[9];
    if (node->parent < 0) {
        memcpy(R, node->R, sizeof R);
        memcpy(to->r, node->r, sizeof to->r);
    } else {
        const sari_node_place* from = &t->place[node->parent];
        sari_multiply3(from->R, node->R, R);
        sari_rotate(from->R, node->r, to->r);
        for (int k = 0; k < 3; k++) to->r[k] += from->r[k];
    }
    if (node->motion == SARI_TURN) {
        double c, s;
        sari_sine_cosine(q[node->p], &s, &c);
        for (int k = 0; k < 3; k++) {
            to->R[3 * k] = c * R[3 * k] + s * R[3 * k + 1];
            to->R[3 * k + 1] = c * R[3 * k + 1] - s * R[3 * k];
            to->R[3 * k + 2] = R[3 * k + 2];
        }
    } else if (node->motion == SARI_SLIDE) {
        memcpy(to->R, R, sizeof R);
        for (int k = 0; k < 3; k++) to->r[k] += R[3 * k + 2] * q[node->p];
    } else {
        double turned[9];
        sari_rotation_of_quaternion(q + node->p, turned);
        sari_multiply3(R, turned, to->R);
    }
}

/* (2) */
static void set_columns(const sari_tree* t, int i)
{
    const sari_tree_node* node = &t->node[i];
    const sari_node_place* at = &t->place[i];
    double arm[3];
    double stay[9];
    const double* R = at->R;
    for (int k = 0; k < 3; k++) arm[k] = at->r[k] - t->o[k];
    if (node->outer) {
        if (node->parent < 0)
            memcpy(stay, node->R, sizeof stay);
        else
            sari_multiply3(t->place[node->parent].R, node->R, stay);
        R = stay;
    }
    for (int c = 0; c < node->n; c++) {
        double* S = t->S[node->q + c];
        const int column = node->n == 1 ? 2 : c;
        const double axis[3] = {R[column], R[3 + column], R[6 + column]};
        const int turns = node->motion != SARI_SLIDE;
        for (int k = 0; k < 3; k++) S[k] = turns ? axis[k] : 0.0, S[3 + k] = axis[k];
        if (turns) sari_cross(arm, axis, S + 3);
    }
}

static void set_inertia(const sari_tree* t, int i)
{
    const sari_tree_node* node = &t->node[i];
    sari_node_place* at = &t->place[i];
    sari_rotate(at->R, node->center, at->c);
    for (int k = 0; k < 3; k++) at->c[k] += at->r[k] - t->o[k];
    turn_inertia(at->R, node->J, at->J);
}

static void place_body(const sari_tree* t, int b, double* X)
{
    static const sari_node_place ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const sari_node_place* at = t->body_node[b] < 0 ? &ground : &t->place[t->body_node[b]];
    double r[3], turned[9];
    sari_rotate(at->R, t->body_r + 3 * b, r);
    sari_multiply3(at->R, t->body_R + 9 * b, turned);
    for (int k = 0; k < 3; k++) {
        X[k] = at->r[k] + r[k];
        for (int c = 0; c < 3; c++) X[3 + 3 * c + k] = turned[3 * k + c];
    }
}

void sari_tree_place(sari_tree* t, const double* q, double* X)
{
    if (t->planar) {
        sari_planar_place(t, q, X);
        return;
    }
    for (int i = 0; i < t->nodes; i++) place_node(t, i, q);
    if (t->nodes) memcpy(t->o, t->place[t->origin].r, sizeof t->o);
    for (int i = 0; i < t->nodes; i++) {
        set_columns(t, i);
        set_inertia(t, i);
    }
    for (int b = 1; b < t->mechanism->bodies; b++) place_body(t, b, X + 12 * b);
    t->composed = 0;
}

/* ---- rates ---------------------------------------------------------------------------------- */

static void cross6(const sari_six a, const sari_six b, sari_six out) // (4)
{
    double x[3], y[3];
    sari_cross(a, b + 3, x);
    sari_cross(a + 3, b, y);
    sari_cross(a, b, out);
    for (int k = 0; k < 3; k++) out[3 + k] = x[k] + y[k];
}

/* V, A and dS/dt of a node: dS/dt = V x S, as it is carried. */
static void node_rates(const sari_tree* t, int i, const double* v)
{
    const sari_tree_node* node = &t->node[i];
    static const sari_six rest = {0};
    double *V = t->V[i], *A = t->A[i];
    const double* before = node->parent < 0 ? rest : t->V[node->parent];
    memcpy(V, before, sizeof rest);
    memcpy(A, node->parent < 0 ? rest : t->A[node->parent], sizeof rest);
    for (int c = node->q; c < node->q + node->n; c++)
        for (int k = 0; k < 6; k++) V[k] += t->S[c][k] * v[c];
    for (int c = node->q; c < node->q + node->n; c++) {
        cross6(node->outer ? before : V, t->S[c], t->S_dot[c]);
        for (int k = 0; k < 6; k++) A[k] += t->S_dot[c][k] * v[c];
    }
}

/* p'' of a point at the arm s from o: A + alpha x s + w x p', p' = v + w x s */
static void point_rates(const sari_six V, const sari_six A, const double s[3], double rate[3],
                        double second[3])
{
    double turn[3], along[3];
    sari_cross(V, s, rate);
    for (int k = 0; k < 3; k++) rate[k] += V[3 + k];
    sari_cross(A, s, turn);
    sari_cross(V, rate, along);
    for (int k = 0; k < 3; k++) second[k] = A[3 + k] + turn[k] + along[k];
}

/* The same for a direction a: a' = w x a, a'' = alpha x a + w x a' */
static void axis_rates(const sari_six V, const sari_six A, const double a[3], double rate[3],
                       double second[3])
{
    double turn[3], along[3];
    sari_cross(V, a, rate);
    sari_cross(A, a, turn);
    sari_cross(V, rate, along);
    for (int k = 0; k < 3; k++) second[k] = turn[k] + along[k];
}

static void body_rates(const sari_tree* t, const double* X, const sari_six V, const sari_six A,
                       double* Xd, double* Xdd)
{
    if (t->planar) {
        sari_planar_body_rates(t, X, V, A, Xd, Xdd);
        return;
    }
    const double s[3] = {X[0] - t->o[0], X[1] - t->o[1], X[2] - t->o[2]};
    point_rates(V, A, s, Xd, Xdd);
    for (int c = 3; c < 12; c += 3) axis_rates(V, A, X + c, Xd + c, Xdd + c);
}

void sari_tree_rates(sari_tree* t, const double* X, const double* v, double* Xd, double* Xdd)
{
    const int nx = t->mechanism->nx;
    if (t->planar)
        sari_planar_node_rates(t, v);
    else
        for (int i = 0; i < t->nodes; i++) node_rates(t, i, v);
    for (int b = 1; Xd && b < t->mechanism->bodies; b++) {
        const int node = t->body_node[b];
        if (node >= 0) body_rates(t, X + nx * b, t->V[node], t->A[node], Xd + nx * b, Xdd + nx * b);
    }
}

void sari_tree_accelerate(const sari_tree* t, const double* X, const double* a, double* Xdd)
{
    const int nx = t->mechanism->nx;
    double dX[12];
    for (int i = 0; i < t->nodes; i++) { // into W: what a adds to A
        const sari_tree_node* node = &t->node[i];
        for (int k = 0; k < 6; k++) {
            t->W[i][k] = node->parent < 0 ? 0.0 : t->W[node->parent][k];
            for (int c = node->q; c < node->q + node->n; c++) t->W[i][k] += t->S[c][k] * a[c];
        }
    }
    for (int b = 1; b < t->mechanism->bodies; b++) {
        if (t->body_node[b] < 0) continue;
        sari_tree_carry(t, X + nx * b, t->W[t->body_node[b]], dX);
        for (int k = 0; k < nx; k++) Xdd[nx * b + k] += dX[k];
    }
}

/* ---- forces on X ---------------------------------------------------------------------------- */

void sari_tree_carry(const sari_tree* t, const double* X_b, const sari_six S, double* dX_b)
{
    if (t->mechanism->dimension == 2) {
        dX_b[0] = S[3] - S[2] * (X_b[1] - t->o[1]);
        dX_b[1] = S[4] + S[2] * (X_b[0] - t->o[0]);
        dX_b[2] = -S[2] * X_b[3], dX_b[3] = S[2] * X_b[2];
        return;
    }
    const double s[3] = {X_b[0] - t->o[0], X_b[1] - t->o[1], X_b[2] - t->o[2]};
    sari_cross(S, s, dX_b);
    for (int k = 0; k < 3; k++) dX_b[k] += S[3 + k]; // (1)
    for (int c = 3; c < 12; c += 3) sari_cross(S, X_b + c, dX_b + c);
}

void sari_tree_wrench(const sari_tree* t, const double* X_b, const double* G, sari_six W)
{
    sari_wrench_about(t->o, X_b, G, t->planar != NULL, W);
}

void sari_tree_add_wrench_change(const sari_tree* t, const double* dX_b, const double* G,
                                 sari_six W)
{
    sari_add_wrench_change(dX_b, G, t->planar != NULL, W);
}
