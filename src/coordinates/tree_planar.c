#include "coordinates/tree_planar.h"

#include "coordinates/sine_cosine.h"
#include "math/vec3.h"

enum { W = 2, VX, VY };    ///< in motions
enum { M = 2, FX, FY };    ///< in wrenches
enum { CX, CY, COS, SIN }; ///< in X of a body

static const sari_six REST = {0};

/* ---- construction --------------------------------------------------------------------------- */

sari_planar* sari_planar_create(int nodes, int bodies, sari_arena* memory)
{
    sari_planar* p = SARI_TAKE(memory, sari_planar, 1);
    if (!p) return NULL;
    p->node = SARI_TAKE(memory, sari_planar_node, nodes);
    p->body = SARI_TAKE(memory, double, 4 * bodies);
    p->angle = SARI_TAKE(memory, double, nodes + 3);
    p->cosine = SARI_TAKE(memory, double, nodes + 3);
    p->sine = SARI_TAKE(memory, double, nodes + 3);
    return memory->failed ? NULL : p;
}

static void turn_to_world(const sari_tree* t, int node, const double a[3], double out[2])
{
    double turned[3] = {a[0], a[1], a[2]};
    if (node >= 0) sari_rotate(t->place[node].R, a, turned);
    out[0] = turned[0], out[1] = turned[1];
}

/* Into R of the places: the axes of the nodes' frames with all coordinates zero. */
static void turn_back(const sari_tree* t)
{
    for (int i = 0; i < t->nodes; i++) {
        const sari_tree_node* node = &t->node[i];
        if (node->parent < 0)
            memcpy(t->place[i].R, node->R, sizeof node->R);
        else
            sari_multiply3(t->place[node->parent].R, node->R, t->place[i].R);
    }
}

void sari_planar_fill(const sari_tree* t)
{
    turn_back(t);
    for (int i = 0; i < t->nodes; i++) {
        const sari_tree_node* from = &t->node[i];
        const double* R = t->place[i].R; // its last row: z of the world in the node's axes
        const double J[9] = {from->J[0], from->J[3], from->J[4], from->J[3], from->J[1],
                             from->J[5], from->J[4], from->J[5], from->J[2]};
        sari_planar_node* to = &t->planar->node[i];
        *to = (sari_planar_node){.parent = from->parent, .mass = from->mass};
        if (from->motion == SARI_TURN) to->sense = R[8] > 0.0 ? 1.0 : -1.0;
        if (from->motion == SARI_SLIDE) turn_to_world(t, i, (const double[3]){0, 0, 1}, to->along);
        turn_to_world(t, from->parent, from->r, to->step);
        turn_to_world(t, i, from->center, to->center);
        for (int k = 0; k < 3; k++) to->J += R[6 + k] * sari_dot(J + 3 * k, R + 6);
    }
    for (int b = 1; b < t->mechanism->bodies; b++) {
        const double* R = t->body_R + 9 * b;
        turn_to_world(t, t->body_node[b], t->body_r + 3 * b, t->planar->body + 4 * b);
        turn_to_world(t, t->body_node[b], (const double[3]){R[0], R[3], R[6]},
                      t->planar->body + 4 * b + COS);
    }
}

/* ---- places --------------------------------------------------------------------------------- */

static void turn_frames(const sari_tree* t, const double* q)
{
    const sari_planar* p = t->planar;
    for (int i = 0; i < t->nodes; i++) {
        const sari_planar_node* node = &p->node[i];
        p->angle[i] = (node->parent < 0 ? 0.0 : p->angle[node->parent]) + node->sense * q[i];
    }
    for (int i = 0; i < t->nodes; i += 4)
        sari_sine_cosine4(SARI_VEC(p->angle + i), p->cosine + i, p->sine + i);
}

/* out = a, given with all coordinates zero, in the frame of a node */
static void turn(const sari_planar* p, int node, const double a[2], double out[2])
{
    const double c = node < 0 ? 1.0 : p->cosine[node], s = node < 0 ? 0.0 : p->sine[node];
    out[0] = c * a[0] - s * a[1];
    out[1] = s * a[0] + c * a[1];
}

/* Its origin, and into v the direction of a slide: that frame is turned like the parent's. */
static void place_node(const sari_tree* t, int i, const double* q, double v[2])
{
    const sari_planar* p = t->planar;
    sari_planar_node* node = &p->node[i];
    const double* from = node->parent < 0 ? REST : p->node[node->parent].r;
    double step[2];
    turn(p, node->parent, node->step, step);
    turn(p, i, node->along, v);
    for (int k = 0; k < 2; k++) node->r[k] = from[k] + step[k] + v[k] * q[i];
}

static void place_body(const sari_tree* t, int b, double* X)
{
    const double* body = t->planar->body + 4 * b;
    const int node = t->body_node[b];
    turn(t->planar, node, body, X);
    turn(t->planar, node, body + COS, X + COS);
    for (int k = 0; node >= 0 && k < 2; k++) X[k] += t->planar->node[node].r[k];
}

void sari_planar_place(sari_tree* t, const double* q, double* X)
{
    const sari_planar* p = t->planar;
    turn_frames(t, q);
    for (int i = 0; i < t->nodes; i++) place_node(t, i, q, t->S[i] + VX);
    for (int k = 0; t->nodes && k < 2; k++) t->o[k] = p->node[t->origin].r[k];
    for (int i = 0; i < t->nodes; i++) {
        sari_planar_node* node = &p->node[i];
        const double arm[2] = {node->r[0] - t->o[0], node->r[1] - t->o[1]};
        double* S = t->S[i]; // (2) of tree.h
        S[W] = node->sense;
        S[VX] += node->sense * arm[1];
        S[VY] -= node->sense * arm[0];
        turn(p, i, node->center, node->c);
        for (int k = 0; k < 2; k++) node->c[k] += arm[k];
    }
    for (int b = 1; b < t->mechanism->bodies; b++) place_body(t, b, X + 4 * b);
    t->composed = 0;
}

/* ---- rates ---------------------------------------------------------------------------------- */

/* Without acceleration of the coordinates nothing changes its spin: A has no first number. */
void sari_planar_node_rates(sari_tree* t, const double* v)
{
    for (int i = 0; i < t->nodes; i++) {
        const int parent = t->planar->node[i].parent;
        const double *from = parent < 0 ? REST : t->V[parent], *S = t->S[i];
        const double* A_from = parent < 0 ? REST : t->A[parent];
        double *V = t->V[i], *A = t->A[i], *rate = t->S_dot[i];
        for (int k = W; k <= VY; k++) V[k] = from[k] + S[k] * v[i];
        rate[VX] = V[VY] * S[W] - V[W] * S[VY]; // V x S
        rate[VY] = V[W] * S[VX] - V[VX] * S[W];
        A[VX] = A_from[VX] + rate[VX] * v[i];
        A[VY] = A_from[VY] + rate[VY] * v[i];
    }
}

void sari_planar_body_rates(const sari_tree* t, const double* X, const sari_six V, const sari_six A,
                            double* Xd, double* Xdd)
{
    const double w = V[W], arm[2] = {X[CX] - t->o[0], X[CY] - t->o[1]};
    Xd[CX] = V[VX] - w * arm[1], Xd[CY] = V[VY] + w * arm[0];
    Xdd[CX] = A[VX] - w * Xd[CY], Xdd[CY] = A[VY] + w * Xd[CX];
    Xd[COS] = -w * X[SIN], Xd[SIN] = w * X[COS];
    Xdd[COS] = -w * Xd[SIN], Xdd[SIN] = w * Xd[COS];
}

/* ---- inertia -------------------------------------------------------------------------------- */

static double dot(const sari_six a, const sari_six b)
{
    return a[2] * b[2] + a[3] * b[3] + a[4] * b[4];
}

static void compose(sari_tree* t)
{
    for (int i = 0; i < t->nodes; i++) {
        const sari_planar_node* node = &t->planar->node[i];
        const double *c = node->c, m = node->mass;
        sari_spatial_inertia* I = &t->composite[i];
        I->mass = m, I->h[0] = m * c[0], I->h[1] = m * c[1];
        I->I[2] = node->J + m * (c[0] * c[0] + c[1] * c[1]);
    }
    for (int i = t->nodes - 1; i >= 0; i--) {
        const int parent = t->planar->node[i].parent;
        const sari_spatial_inertia* from = &t->composite[i];
        if (parent < 0) continue;
        sari_spatial_inertia* to = &t->composite[parent];
        to->mass += from->mass, to->I[2] += from->I[2];
        to->h[0] += from->h[0], to->h[1] += from->h[1];
    }
}

/* P_k of tree_inertia.c */
void sari_planar_set_momenta(sari_tree* t)
{
    if (t->composed) return;
    compose(t);
    for (int k = 0; k < t->nq; k++) {
        const sari_spatial_inertia* I = &t->composite[k];
        const double *S = t->S[k], *h = I->h;
        double* P = t->P[k];
        P[M] = I->I[2] * S[W] + h[0] * S[VY] - h[1] * S[VX];
        P[FX] = I->mass * S[VX] - S[W] * h[1];
        P[FY] = I->mass * S[VY] + S[W] * h[0];
    }
    t->composed = 1;
}

void sari_planar_mass(sari_tree* t, double* values)
{
    const int* at = t->mass_at;
    sari_planar_set_momenta(t);
    for (int k = 0; k < t->nq; k++)
        for (int j = k; j >= 0; j = t->planar->node[j].parent)
            values[*at++] = dot(t->S[j], t->P[k]); // (1)
}

void sari_planar_weight_stiffness(sari_tree* t, double* K)
{
    const double* g = t->mechanism->model->gravity;
    const int* at = t->stiff_at;
    sari_planar_set_momenta(t);
    for (int k = 0; k < t->nq; k++) {
        const double turned = g[1] * t->P[k][FX] - g[0] * t->P[k][FY]; // (3), for w = 1
        K[*at++] -= t->S[k][W] * turned;
        for (int j = t->planar->node[k].parent; j >= 0; j = t->planar->node[j].parent) {
            const double slope = t->S[j][W] * turned;
            K[*at++] -= slope;
            K[*at++] -= slope;
        }
    }
}

/* ---- forces --------------------------------------------------------------------------------- */

/* Velocity and acceleration, without that of the coordinates, of a node's centre of mass. */
static void center_rates(const sari_tree* t, int i, double v[2], double a[2])
{
    const double *V = t->V[i], *A = t->A[i], *c = t->planar->node[i].c;
    v[0] = V[VX] - V[W] * c[1], v[1] = V[VY] + V[W] * c[0];
    a[0] = A[VX] - V[W] * v[1], a[1] = A[VY] + V[W] * v[0];
}

/* Wrench of a force m f at c. */
static void set_wrench(double m, const double c[2], const double f[2], sari_six out)
{
    out[FX] = m * f[0], out[FY] = m * f[1];
    out[M] = c[0] * out[FY] - c[1] * out[FX];
}

static void add_to_parents(const sari_tree* t, sari_six* sum)
{
    for (int i = t->nodes - 1; i >= 0; i--) {
        const int parent = t->planar->node[i].parent;
        for (int k = M; parent >= 0 && k <= FY; k++) sum[parent][k] += sum[i][k];
    }
}

void sari_planar_force(sari_tree* t, int with_velocity, double* Q)
{
    const double* g = t->mechanism->model->gravity;
    for (int i = 0; i < t->nodes; i++) {
        const sari_planar_node* node = &t->planar->node[i];
        double v[2], a[2] = {0};
        if (with_velocity) center_rates(t, i, v, a);
        set_wrench(node->mass, node->c, (const double[2]){g[0] - a[0], g[1] - a[1]}, t->W[i]);
    }
    add_to_parents(t, t->W);
    for (int k = 0; k < t->nq; k++) Q[k] = dot(t->S[k], t->W[k]); // (2)
}

void sari_planar_mass_rate(sari_tree* t, double* out)
{
    for (int i = 0; i < t->nodes; i++) {
        const sari_planar_node* node = &t->planar->node[i];
        double v[2], a[2];
        center_rates(t, i, v, a);
        set_wrench(node->mass, node->c, v, t->H[i]);
        t->H[i][M] += node->J * t->V[i][W];
        set_wrench(node->mass, node->c, a, t->W[i]);
    }
    add_to_parents(t, t->H);
    add_to_parents(t, t->W);
    for (int k = 0; k < t->nq; k++)
        out[k] = dot(t->S_dot[k], t->H[k]) + dot(t->S[k], t->W[k]); // (4)
}

double sari_planar_kinetic_energy(const sari_tree* t, const double* v)
{
    double twice = 0.0;
    for (int i = 0; i < t->nodes; i++) {
        const sari_planar_node* node = &t->planar->node[i];
        const double *from = node->parent < 0 ? REST : t->W[node->parent], *c = node->c;
        double* V = t->W[i];
        for (int k = W; k <= VY; k++) V[k] = from[k] + t->S[i][k] * v[i];
        const double x = V[VX] - V[W] * c[1], y = V[VY] + V[W] * c[0];
        twice += node->mass * (x * x + y * y) + node->J * V[W] * V[W];
    }
    return 0.5 * twice;
}
