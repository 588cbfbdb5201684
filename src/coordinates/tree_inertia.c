/* Inertia of a tree. With the composite inertia I_k of all that is beyond coordinate k, moved by it
 * with the momentum P_k = I_k S_k:
 *
 *     M_kj = S_j . P_k                    j on the way from k to the ground                   (1)
 *
 *     Q_k  = S_k . sum W_b                over the bodies b beyond k                          (2)
 *
 * [cuadradodopico, (14)-(19)], with the wrenches W_b of weight and inertia. Weight m g turns with
 * nothing, so that only its arm changes; with the linear part L_k of P_k
 *
 *     dQ_k/dq_j = g . (w_j x L_k)         j not beyond k, and dQ_j/dq_k is the same           (3)
 *
 * Momentum H_b and its rate give
 *
 *     (dM/dt v)_k = dS_k/dt . sum H_b + S_k . sum dH_b/dt     without accelerations           (4)
 */
#include "base/memory.h"
#include "base/status.h"
#include "coordinates/tree_planar.h"
#include "math/vec3.h"

/* ---- pattern -------------------------------------------------------------------------------- */

/* Of a coordinate and one on its way to the ground, or of the same node. */
static long count_pairs(const sari_tree* t)
{
    long pairs = 0;
    for (int k = 0; k < t->nq; k++)
        for (int i = t->node_of[k]; i >= 0; i = t->node[i].parent) pairs += t->node[i].n;
    return pairs;
}

sar_status sari_tree_mass_pattern(const sari_tree* t, sari_pattern* pattern)
{
    SARI_TRY(sari_pattern_reserve(pattern, count_pairs(t)));
    for (int k = 0; k < t->nq; k++)
        for (int i = t->node_of[k]; i >= 0; i = t->node[i].parent)
            for (int j = t->node[i].q; j < t->node[i].q + t->node[i].n; j++)
                if (j <= k) SARI_TRY(sari_pattern_add(pattern, k, j));
    return SAR_OK;
}

static int weightless(const sari_tree* t)
{
    const double* g = t->mechanism->model->gravity;
    return g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0;
}

sar_status sari_tree_stiffness_pattern(const sari_tree* t, sari_pattern* pattern)
{
    if (weightless(t)) return SAR_OK;
    SARI_TRY(sari_pattern_reserve(pattern, 2 * count_pairs(t)));
    for (int k = 0; k < t->nq; k++)
        for (int i = t->node_of[k]; i >= 0; i = t->node[i].parent)
            for (int j = t->node[i].q; j < t->node[i].q + t->node[i].n; j++) {
                SARI_TRY(sari_pattern_add(pattern, k, j));
                if (i != t->node_of[k]) SARI_TRY(sari_pattern_add(pattern, j, k));
            }
    return SAR_OK;
}

/* Columns of M meet their rows in ascending order. next[nq] is workspace, as below. */
static void locate_mass(const sari_tree* t, const sari_sym* M, int* next)
{
    int* at = t->mass_at;
    for (int j = 0; j < t->nq; j++) next[j] = M->p[j];
    for (int k = 0; k < t->nq; k++)
        for (int i = t->node_of[k]; i >= 0; i = t->node[i].parent)
            for (int j = t->node[i].q; j < t->node[i].q + t->node[i].n && j <= k; j++) {
                while (M->i[next[j]] != k) next[j]++;
                *at++ = next[j];
            }
}

/* So do rows of K their columns from the diagonal on, and the others node by node back. */
static void locate_stiffness(const sari_tree* t, const sari_csr* K, int* next)
{
    int* at = t->stiff_at;
    for (int j = 0; j < t->nq; j++) next[j] = K->p[j];
    for (int k = 0; k < t->nq; k++) {
        int back = K->p[k + 1] - 1;
        for (int i = t->node_of[k]; i >= 0; i = t->node[i].parent) {
            while (K->i[back] > t->node[i].q) back--;
            for (int j = t->node[i].q, here = back; j < t->node[i].q + t->node[i].n; j++) {
                while (K->i[here] != j) here++;
                *at++ = here;
                if (i == t->node_of[k]) continue;
                while (K->i[next[j]] != k) next[j]++;
                *at++ = next[j];
            }
        }
    }
}

sar_status sari_tree_locate(sari_tree* t, const sari_sym* M, const sari_csr* K)
{
    const long pairs = count_pairs(t);
    t->mass_at = SARI_TAKE(&t->memory, int, pairs);
    t->stiff_at = SARI_TAKE(&t->memory, int, weightless(t) ? 0 : 2 * pairs);
    int* next = SARI_NEW_ARRAY(int, t->nq);
    if (t->mass_at && t->stiff_at && next) {
        locate_mass(t, M, next);
        if (!weightless(t)) locate_stiffness(t, K, next);
    }
    sari_release(next);
    return t->mass_at && t->stiff_at && next ? SAR_OK : SAR_E_NOMEM;
}

/* ---- inertia -------------------------------------------------------------------------------- */

/* y = J x, J: xx yy zz xy xz yz */
static void times3(const double J[6], const double x[3], double y[3])
{
    y[0] = J[0] * x[0] + J[3] * x[1] + J[4] * x[2];
    y[1] = J[3] * x[0] + J[1] * x[1] + J[5] * x[2];
    y[2] = J[4] * x[0] + J[5] * x[1] + J[2] * x[2];
}

/* P = (I w + h x v, m v + w x h) */
static void momentum(const sari_spatial_inertia* I, const sari_six S, sari_six P)
{
    double turning[3], cross[3];
    times3(I->I, S, turning);
    sari_cross(I->h, S + 3, cross);
    sari_cross(S, I->h, P + 3);
    for (int k = 0; k < 3; k++) {
        P[k] = turning[k] + cross[k];
        P[3 + k] += I->mass * S[3 + k];
    }
}

static void own_inertia(const sari_tree_node* node, const sari_node_place* at,
                        sari_spatial_inertia* I)
{
    const double m = node->mass, *c = at->c;
    I->mass = m;
    for (int k = 0; k < 3; k++) I->h[k] = m * c[k];
    I->I[0] = at->J[0] + m * (c[1] * c[1] + c[2] * c[2]);
    I->I[1] = at->J[1] + m * (c[0] * c[0] + c[2] * c[2]);
    I->I[2] = at->J[2] + m * (c[0] * c[0] + c[1] * c[1]);
    I->I[3] = at->J[3] - m * c[0] * c[1];
    I->I[4] = at->J[4] - m * c[0] * c[2];
    I->I[5] = at->J[5] - m * c[1] * c[2];
}

static void compose(sari_tree* t)
{
    for (int i = 0; i < t->nodes; i++) own_inertia(&t->node[i], &t->place[i], &t->composite[i]);
    for (int i = t->nodes - 1; i >= 0; i--) {
        if (t->node[i].parent < 0) continue;
        const sari_spatial_inertia* from = &t->composite[i];
        sari_spatial_inertia* to = &t->composite[t->node[i].parent];
        to->mass += from->mass;
        for (int k = 0; k < 3; k++) to->h[k] += from->h[k];
        for (int k = 0; k < 6; k++) to->I[k] += from->I[k];
    }
}

void sari_tree_set_momenta(sari_tree* t)
{
    if (t->planar) sari_planar_set_momenta(t);
    if (t->composed) return;
    compose(t);
    for (int k = 0; k < t->nq; k++) momentum(&t->composite[t->node_of[k]], t->S[k], t->P[k]);
    t->composed = 1;
}

void sari_tree_mass(sari_tree* t, double* M)
{
    const int* at = t->mass_at;
    if (t->planar) {
        sari_planar_mass(t, M);
        return;
    }
    sari_tree_set_momenta(t);
    for (int k = 0; k < t->nq; k++)
        for (int i = t->node_of[k]; i >= 0; i = t->node[i].parent)
            for (int j = t->node[i].q; j < t->node[i].q + t->node[i].n && j <= k; j++)
                M[*at++] = sari_dot6(t->S[j], t->P[k]); // (1)
}

void sari_tree_weight_stiffness(sari_tree* t, double* K)
{
    const double* g = t->mechanism->model->gravity;
    const int* at = t->stiff_at;
    if (weightless(t)) return;
    if (t->planar) {
        sari_planar_weight_stiffness(t, K);
        return;
    }
    sari_tree_set_momenta(t);
    for (int k = 0; k < t->nq; k++) {
        double turned[3];
        sari_cross(t->P[k] + 3, g, turned); // g . (w x L) = w . (L x g)
        for (int i = t->node_of[k]; i >= 0; i = t->node[i].parent)
            for (int j = t->node[i].q; j < t->node[i].q + t->node[i].n; j++) {
                const double slope = sari_dot(t->S[j], turned); // (3)
                K[*at++] -= slope;
                if (i != t->node_of[k]) K[*at++] -= slope;
            }
    }
}

/* ---- forces --------------------------------------------------------------------------------- */

/* H and its rate, without acceleration of the coordinates, of a node's own mass. */
static void momentum_and_rate(const sari_tree* t, int i, sari_six H, sari_six rate)
{
    const sari_tree_node* node = &t->node[i];
    const sari_node_place* at = &t->place[i];
    const double *V = t->V[i], *A = t->A[i];
    double velocity[3], acceleration[3], spin[3], turning[3], gyroscopic[3], arm[3];
    sari_cross(V, at->c, velocity);
    for (int k = 0; k < 3; k++) velocity[k] += V[3 + k];
    sari_cross(A, at->c, acceleration);
    sari_cross(V, velocity, arm);
    for (int k = 0; k < 3; k++) acceleration[k] += A[3 + k] + arm[k];
    times3(at->J, V, spin);
    times3(at->J, A, turning);
    sari_cross(V, spin, gyroscopic);
    for (int k = 0; k < 3; k++) {
        H[3 + k] = node->mass * velocity[k];
        rate[3 + k] = node->mass * acceleration[k];
    }
    sari_cross(at->c, H + 3, H);
    sari_cross(at->c, rate + 3, rate);
    for (int k = 0; k < 3; k++) H[k] += spin[k], rate[k] += turning[k] + gyroscopic[k];
}

static void add_to_parents(const sari_tree* t, sari_six* W)
{
    for (int i = t->nodes - 1; i >= 0; i--)
        for (int k = 0; t->node[i].parent >= 0 && k < 6; k++) W[t->node[i].parent][k] += W[i][k];
}

void sari_tree_force(sari_tree* t, int with_velocity, double* Q)
{
    const double* g = t->mechanism->model->gravity;
    if (t->planar) {
        sari_planar_force(t, with_velocity, Q);
        return;
    }
    for (int i = 0; i < t->nodes; i++) {
        const sari_tree_node* node = &t->node[i];
        const double weight[3] = {node->mass * g[0], node->mass * g[1], node->mass * g[2]};
        sari_six H, rate;
        sari_cross(t->place[i].c, weight, t->W[i]);
        for (int k = 0; k < 3; k++) t->W[i][3 + k] = weight[k];
        if (!with_velocity) continue;
        momentum_and_rate(t, i, H, rate);
        for (int k = 0; k < 6; k++) t->W[i][k] -= rate[k];
    }
    add_to_parents(t, t->W);
    for (int k = 0; k < t->nq; k++) Q[k] = sari_dot6(t->S[k], t->W[t->node_of[k]]); // (2)
}

void sari_tree_mass_rate(sari_tree* t, double* out)
{
    if (t->planar) {
        sari_planar_mass_rate(t, out);
        return;
    }
    for (int i = 0; i < t->nodes; i++) momentum_and_rate(t, i, t->H[i], t->W[i]);
    add_to_parents(t, t->H);
    add_to_parents(t, t->W);
    for (int k = 0; k < t->nq; k++) // (4)
        out[k] =
            sari_dot6(t->S_dot[k], t->H[t->node_of[k]]) + sari_dot6(t->S[k], t->W[t->node_of[k]]);
}

double sari_tree_kinetic_energy(const sari_tree* t, const double* v)
{
    double twice = 0.0;
    if (t->planar) return sari_planar_kinetic_energy(t, v);
    for (int i = 0; i < t->nodes; i++) {
        const sari_tree_node* node = &t->node[i];
        sari_spatial_inertia I;
        sari_six P;
        for (int k = 0; k < 6; k++) { // into W: the velocity
            t->W[i][k] = node->parent < 0 ? 0.0 : t->W[node->parent][k];
            for (int c = node->q; c < node->q + node->n; c++) t->W[i][k] += t->S[c][k] * v[c];
        }
        own_inertia(node, &t->place[i], &I);
        momentum(&I, t->W[i], P);
        twice += sari_dot6(t->W[i], P);
    }
    return 0.5 * twice;
}
