/* Self-stress: with the wrenches W of conditions of joints on bodies (simulation/reactions.c), rows of the length 1,
 *
 *     W' N = 0,   N'N = 1                                                                      (1)
 *
 * by pivoted reflections: columns of W' beyond the rank are combinations of those before. The reactions of joint j in these
 * states are a matrix G_j of six rows; a component e of its reaction is unique if e'G_j = 0.
 *
 * Reactions are mu = mu_0 + N x. Joints with compliances F_j take those with
 *
 *     min sum_j r_j'F_j r_j,   r_j = r_j0 + G_j x:   (sum G_j'F_j G_j) x = -sum G_j'F_j r_j0    (2)
 *
 * Infinite ones come first, (2) with F_j = 1 for these alone; what they leave open the others decide. */
#include "simulation/reactions.h"

#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/qr.h"
#include "linalg/rank.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { WRENCH = 6 };
static const double RANK = 1e-8;   ///< of the first pivot
static const double UNIQUE = 1e-8; ///< of the largest reaction in any state

struct sar_self_stress {
    sari_arena memory;
    sar_simulation* simulation;
    int joints, states;
    double* G;    ///< per joint and state: six numbers, in the user's units, world axes
    double* r;    ///< per joint: the reaction now
    double* axes; ///< per joint: nine numbers
    double size;  ///< [m]
};

/* ---- (1) ------------------------------------------------------------------------------------ */

static void fill(const sari_reactions* r, sari_qr* qr, double* length)
{
    memset(qr->A, 0, (size_t)qr->rows * (size_t)qr->cols * sizeof(double));
    for (int row = 0; row < r->rows; row++) {
        double square = 0.0;
        for (int k = r->W.p[row]; k < r->W.p[row + 1]; k++) square += r->W.x[k] * r->W.x[k];
        length[row] = square > 0.0 ? sqrt(square) : 1.0;
        for (int k = r->W.p[row]; k < r->W.p[row + 1]; k++)
            qr->A[(size_t)row * (size_t)qr->rows + (size_t)r->W.i[k]] = r->W.x[k] / length[row];
    }
}

static int find_rank(const sar_simulation* s, sari_qr* qr)
{
    int rank = 0;
    sari_qr_factor(qr, qr->rows < qr->cols ? qr->rows : qr->cols);
    while (rank < qr->rank && qr->pivot[rank] > RANK * qr->pivot[0]) rank++;
    const int redundant = s->system->slack.count ? sar_simulation_rank(s).redundant : 0;
    if (redundant > 0 && qr->cols - rank < redundant) rank = qr->cols - redundant;
    return qr->rank = rank > 0 ? rank : 0;
}

/* Vectors of N, `rows` numbers each. */
static void find_states(const sari_qr* qr, double* N)
{
    const int rows = qr->cols, rank = qr->rank;
    for (int k = rank; k < rows; k++) {
        double* x = N + (size_t)(k - rank) * (size_t)rows;
        double* c = N + (size_t)(rows - rank) * (size_t)rows; // workspace behind them
        memcpy(c, qr->A + (size_t)k * (size_t)qr->rows, (size_t)rank * sizeof(double));
        sari_qr_back(qr, c);
        memset(x, 0, (size_t)rows * sizeof(double));
        x[qr->order[k]] = 1.0;
        for (int i = 0; i < rank; i++) x[qr->order[i]] = -c[i];
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k - rank; j++) {
                const double* other = N + (size_t)j * (size_t)rows;
                const double part = sari_vector_dot(rows, other, x);
                for (int i = 0; i < rows; i++) x[i] -= part * other[i];
            }
        const double size = sari_vector_norm(rows, x);
        for (int i = 0; i < rows; i++) x[i] /= size;
    }
}

/* ---- joints --------------------------------------------------------------------------------- */

/* Normal, across and axis of end a; the world's axes where there are none. */
static void find_axes(const sar_simulation* s, int joint, double* axes)
{
    static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sari_mechanism* m = s->system->mechanism;
    const sari_joint* j = &s->model->joints[joint];
    memcpy(axes, world, sizeof world);
    if (j->relation || m->dimension == 2) return;
    const sar_end* a = &j->pair.a;
    if (!(sari_norm3(a->axis) > 0.5) || !(sari_norm3(a->normal) > 0.5)) return;
    double R[9], across[3];
    memcpy(R, world, sizeof world);
    if (a->body.i) sari_rotation_of(m, s->system->kinematics->X + m->nx * a->body.i, R);
    sari_cross(a->axis, a->normal, across);
    sari_rotate(R, a->normal, axes);
    sari_rotate(R, across, axes + 3);
    sari_rotate(R, a->axis, axes + 6);
}

static void put_reaction(const sar_self_stress* t, int joint, double* out)
{
    const sar_simulation* s = t->simulation;
    sari_reaction(s->reactions, joint, out, out + 3);
    for (int k = 0; k < 3; k++) {
        out[k] *= sari_unit_of_force(&s->units);
        out[3 + k] *= sari_unit_of_energy(&s->units);
    }
}

static double size_of(const sar_self_stress* t, const double* wrench)
{
    return fmax(sari_norm3(wrench), sari_norm3(wrench + 3) / t->size);
}

/* Reactions of all joints in state k, whose multipliers are mu. */
static void put_state(sar_self_stress* t, int k, const double* N, const double* length)
{
    const sari_reactions* r = t->simulation->reactions;
    double most = 0.0;
    for (int row = 0; row < r->rows; row++) r->mu[row] = N[row] / length[row];
    for (int j = 0; j < t->joints; j++) {
        double* out = t->G + WRENCH * (size_t)(j * t->states + k);
        put_reaction(t, j, out);
        most = fmax(most, size_of(t, out));
    }
    for (int j = 0; j < t->joints && most > 0.0; j++)
        for (int i = 0; i < WRENCH; i++) t->G[WRENCH * (j * t->states + k) + i] /= most;
}

static sar_status find(sar_self_stress* t)
{
    sar_simulation* s = t->simulation;
    sari_reactions* r = s->reactions;
    sari_qr qr = {0};
    s->reactions_time = NAN;
    t->r = SARI_TAKE(&t->memory, double, WRENCH*(t->joints + 1));
    t->axes = SARI_TAKE(&t->memory, double, 9 * (t->joints + 1));
    if (t->memory.failed) return SAR_E_NOMEM;
    if (sari_reactions_solve(r, &s->state) < 0) return SAR_E_NOMEM;
    for (int j = 0; j < t->joints; j++) put_reaction(t, j, t->r + WRENCH * j);
    sari_reactions_settle(r, &s->state);
    for (int j = 0; j < t->joints; j++) find_axes(s, j, t->axes + 9 * j);
    if (r->rows == 0) return SAR_OK;
    SARI_TRY(sari_qr_create(r->W.cols, r->rows, &qr));
    double* length = SARI_NEW_ARRAY(double, r->rows);
    double* N = NULL;
    sar_status st = length ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK) {
        fill(r, &qr, length);
        t->states = r->rows - find_rank(s, &qr);
        N = SARI_NEW_ARRAY(double, (size_t)(t->states + 1) * (size_t)r->rows);
        t->G = SARI_TAKE(&t->memory, double, WRENCH*(size_t)t->states*(size_t)t->joints + 1);
        st = N && t->G ? SAR_OK : SAR_E_NOMEM;
    }
    if (st == SAR_OK) {
        find_states(&qr, N);
        for (int k = 0; k < t->states; k++)
            put_state(t, k, N + (size_t)k * (size_t)r->rows, length);
    }
    sari_release(N);
    sari_release(length);
    sari_qr_clear(&qr);
    return st;
}

sar_status sar_self_stress_create(sar_simulation* s, sar_self_stress** out, sar_error* error)
{
    if (!s || !s->assembled)
        return sari_fail(error, SAR_E_ARG, NULL, "assemble the simulation before its self-stress");
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    if (s->reactions->rows > SARI_LINEAR_MOST)
        return sari_fail(error, SAR_E_ARG, NULL, "the joints have %d conditions; up to %d will do",
                         s->reactions->rows, SARI_LINEAR_MOST);
    sar_self_stress* t = SARI_NEW(sar_self_stress);
    if (!t) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for self-stress");
    t->simulation = s;
    t->joints = s->model->joints_count;
    t->size = s->units.size * s->units.length;
    const sar_status st = find(t);
    s->reactions_time = NAN; // multipliers are to be found again
    (void)sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, s->state.t, s->state.q,
                              s->state.v);
    if (st == SAR_OK) {
        *out = t;
        return SAR_OK;
    }
    sar_self_stress_destroy(t);
    return sari_fail(error, st, NULL, "no states of self-stress: %s", sar_status_text(st));
}

void sar_self_stress_destroy(sar_self_stress* t)
{
    if (!t) return;
    sari_arena_clear(&t->memory);
    sari_release(t);
}

int sar_self_stress_count(const sar_self_stress* t)
{
    return t->states;
}

sar_status sar_self_stress_joint(const sar_self_stress* t, int state, sar_joint_id joint,
                                 double force[3], double torque[3])
{
    if (state < 0 || state >= t->states || joint.i < 0 || joint.i >= t->joints) return SAR_E_ARG;
    const double* G = t->G + WRENCH * (size_t)(joint.i * t->states + state);
    memcpy(force, G, 3 * sizeof(double));
    memcpy(torque, G + 3, 3 * sizeof(double));
    return SAR_OK;
}

/* ---- uniqueness ----------------------------------------------------------------------------- */

/* Component i of a wrench along the joint's own axes: force, then torque over the size. */
static double component(const sar_self_stress* t, int joint, const double* wrench, int i)
{
    const double* axis = t->axes + 9 * joint + 3 * (i % 3);
    return i < 3 ? sari_dot(axis, wrench) : sari_dot(axis, wrench + 3) / t->size;
}

/* Singular values of G_j that are not zero; -1: out of memory. */
static int count_directions(const sar_self_stress* t, int joint)
{
    const int n = t->states, least = n < WRENCH ? n : WRENCH;
    double* G = SARI_NEW_ARRAY(double, WRENCH* n + least + sari_svd_workspace(WRENCH, n) + 1);
    int found = 0;
    if (!G) return -1;
    for (int i = 0; i < WRENCH; i++)
        for (int k = 0; k < n; k++)
            G[i * n + k] = component(t, joint, t->G + WRENCH * (size_t)(joint * t->states + k), i);
    double *sigma = G + WRENCH * n, *work = sigma + least;
    if (n > 0) sari_svd(WRENCH, n, G, sigma, NULL, NULL, work);
    for (int i = 0; i < least; i++) found += sigma[i] > UNIQUE;
    sari_release(G);
    return found;
}

sar_status sar_self_stress_uniqueness(const sar_self_stress* t, sar_joint_id joint,
                                      sar_uniqueness* out)
{
    if (joint.i < 0 || joint.i >= t->joints) return SAR_E_ARG;
    memcpy(out->axes, t->axes + 9 * joint.i, sizeof out->axes);
    for (int i = 0; i < WRENCH; i++) {
        double most = 0.0;
        for (int k = 0; k < t->states; k++) {
            const double* G = t->G + WRENCH * (size_t)(joint.i * t->states + k);
            most = fmax(most, fabs(component(t, joint.i, G, i)));
        }
        *(i < 3 ? &out->force[i] : &out->torque[i - 3]) = most <= UNIQUE;
    }
    out->directions = count_directions(t, joint.i);
    return out->directions < 0 ? SAR_E_NOMEM : SAR_OK;
}

/* ---- (2) ------------------------------------------------------------------------------------ */

static int is_infinite(const sar_compliance* c)
{
    for (int i = 0; i < 3; i++)
        if (!isinf(c->displacement[i]) || !isinf(c->rotation[i])) return 0;
    return 1;
}

/* A += G'F G and b -= G'F r of joint j for `n` directions V (columns of states). */
static void add_joint(const sar_self_stress* t, int j, const double* F, int n, const double* V,
                      const double* r, double* A, double* b, double* g)
{
    for (int i = 0; i < WRENCH; i++) {
        const double own = component(t, j, r + WRENCH * j, i);
        for (int k = 0; k < n; k++) {
            g[k] = 0.0;
            for (int s = 0; s < t->states; s++)
                g[k] +=
                    component(t, j, t->G + WRENCH * (size_t)(j * t->states + s), i) * V[s * n + k];
        }
        for (int k = 0; k < n; k++) {
            b[k] -= F[i] * g[k] * own;
            for (int l = 0; l < n; l++) A[k * n + l] += F[i] * g[k] * g[l];
        }
    }
}

static void weights(const sar_self_stress* t, const sar_compliance* c, int infinite, double* F)
{
    for (int i = 0; i < WRENCH; i++) {
        const double x = i < 3 ? c->displacement[i] : c->rotation[i - 3] * t->size * t->size;
        F[i] = infinite ? 1.0 : x;
    }
}

typedef struct split {
    const sar_self_stress* t;
    const sar_compliance* compliance;
    double *r, *V, *W, *A, *b, *g, *sigma, *right, *work;
    int n; ///< directions that are still open
} split;

/* One round over the joints that are infinite, or not; what it leaves open stays in V. */
static void solve_round(split* p, int infinite)
{
    const sar_self_stress* t = p->t;
    const int n = p->n;
    double F[WRENCH];
    memset(p->A, 0, (size_t)(n * n) * sizeof(double));
    memset(p->b, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < t->joints; j++) {
        if (is_infinite(&p->compliance[j]) != infinite) continue;
        weights(t, &p->compliance[j], infinite, F);
        add_joint(t, j, F, n, p->V, p->r, p->A, p->b, p->g);
    }
    sari_svd(n, n, p->A, p->sigma, NULL, p->right, p->work);
    int rank = 0;
    while (rank < n && p->sigma[rank] > 1e-12 * p->sigma[0]) rank++;
    for (int k = 0; k < rank; k++) { // A is symmetric
        double part = 0.0;
        for (int i = 0; i < n; i++) part += p->right[i * n + k] * p->b[i];
        part /= p->sigma[k];
        for (int s = 0; s < t->states; s++) {
            double x = 0.0;
            for (int i = 0; i < n; i++) x += p->V[s * n + i] * p->right[i * n + k];
            for (int j = 0; j < t->joints; j++)
                for (int i = 0; i < WRENCH; i++)
                    p->r[WRENCH * j + i] += part * x * t->G[WRENCH * (j * t->states + s) + i];
        }
    }
    // what is left open: the kernel of A
    memset(p->W, 0, (size_t)(t->states * n) * sizeof(double));
    for (int s = 0; s < t->states; s++)
        for (int k = rank; k < n; k++)
            for (int i = 0; i < n; i++)
                p->W[s * (n - rank) + k - rank] += p->V[s * n + i] * p->right[i * n + k];
    memcpy(p->V, p->W, (size_t)(t->states * n) * sizeof(double));
    p->n = n - rank;
}

sar_status sar_self_stress_split(const sar_self_stress* t, const sar_compliance* compliance,
                                 double* force, double* torque, double* left)
{
    sari_arena memory = {0};
    const int n = t->states;
    const size_t square = (size_t)n * (size_t)n + 1;
    split p = {.t = t, .compliance = compliance, .n = n};
    p.r = SARI_TAKE(&memory, double, WRENCH * t->joints + 1);
    p.V = SARI_TAKE(&memory, double, square);
    p.W = SARI_TAKE(&memory, double, square);
    p.A = SARI_TAKE(&memory, double, square);
    p.right = SARI_TAKE(&memory, double, square);
    p.b = SARI_TAKE(&memory, double, n + 1);
    p.g = SARI_TAKE(&memory, double, n + 1);
    p.sigma = SARI_TAKE(&memory, double, n + 1);
    p.work = SARI_TAKE(&memory, double, sari_svd_workspace(n + 1, n + 1));
    if (memory.failed) {
        sari_arena_clear(&memory);
        return SAR_E_NOMEM;
    }
    memcpy(p.r, t->r, (size_t)(WRENCH * t->joints) * sizeof(double));
    for (int i = 0; i < n; i++) p.V[i * n + i] = 1.0;
    if (p.n > 0) solve_round(&p, 1);
    if (p.n > 0) solve_round(&p, 0);
    double most = 0.0;
    for (int j = 0; j < t->joints; j++) {
        memcpy(force + 3 * j, p.r + WRENCH * j, 3 * sizeof(double));
        memcpy(torque + 3 * j, p.r + WRENCH * j + 3, 3 * sizeof(double));
        if (is_infinite(&compliance[j])) most = fmax(most, size_of(t, p.r + WRENCH * j));
    }
    if (left) *left = most;
    sari_arena_clear(&memory);
    return p.n > 0 ? SAR_R_SINGULAR : SAR_OK;
}
