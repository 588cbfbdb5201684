/* States of self-stress of the joints, and reactions that they split by compliances.
 *
 * With the wrenches W of conditions of joints on bodies (reactions.c), rows of the length 1,
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
 * Infinite ones come first, (2) with F_j = 1 for these alone; what they leave open the others decide. What all leave open
 * stays as it was: the smallest. */
#include "simulation/reactions.h"

#include "base/status.h"
#include "linalg/rank.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { WRENCH = 6 };
static const double RANK = 1e-8; ///< of the first pivot
static const double INEXACT =
    1e-3; ///< likewise, of rows that contradict each other by the digits of a drawing

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

/* `slack`: as many rows more may depend on others but for the digits of a drawing. */
static int find_rank(sari_qr* qr, int slack)
{
    int rank = 0;
    sari_qr_factor(qr, qr->rows < qr->cols ? qr->rows : qr->cols);
    while (rank < qr->rank && qr->pivot[rank] > RANK * qr->pivot[0]) rank++;
    while (slack-- > 0 && rank > 0 && qr->pivot[rank - 1] < INEXACT * qr->pivot[0]) rank--;
    return qr->rank = rank;
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
static void find_axes(const sari_system* sys, int joint, double* axes)
{
    static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sari_mechanism* m = sys->mechanism;
    const sari_joint* j = &sys->model->joints[joint];
    memcpy(axes, world, sizeof world);
    if (j->relation || m->dimension == 2) return;
    const sar_end* a = &j->pair.a;
    if (!(sari_norm3(a->axis) > 0.5) || !(sari_norm3(a->normal) > 0.5)) return;
    double R[9], across[3];
    memcpy(R, world, sizeof world);
    if (a->body.i) sari_rotation_of(m, sys->kinematics->X + m->nx * a->body.i, R);
    sari_cross(a->axis, a->normal, across);
    sari_rotate(R, a->normal, axes);
    sari_rotate(R, across, axes + 3);
    sari_rotate(R, a->axis, axes + 6);
}

/* Component i of a wrench along the joint's own axes: force, then torque over the size. */
double sari_stress_component(const sari_stress* t, int joint, const double* wrench, int i)
{
    const double* axis = t->axes + 9 * joint + 3 * (i % 3);
    return i < 3 ? sari_dot(axis, wrench) : sari_dot(axis, wrench + 3) / t->size;
}

static double size_of(const sari_stress* t, const double* wrench)
{
    return fmax(sari_norm3(wrench), sari_norm3(wrench + 3) / t->size);
}

/* Reactions of all joints in state k. The largest one is 1, in the units of the model. */
static void put_state(sari_stress* t, sari_reactions* r, int k)
{
    double *N = t->N + (size_t)k * (size_t)r->rows, most = 0.0;
    for (int row = 0; row < r->rows; row++) r->mu[row] = N[row] /= t->length[row];
    for (int j = 0; j < t->joints; j++) {
        double* out = t->G + WRENCH * (size_t)(j * t->states + k);
        sari_reaction(r, j, out, out + 3);
        most = fmax(most, size_of(t, out));
    }
    t->scale[k] = most > 0.0 ? most : 1.0;
    if (!(most > 0.0)) return;
    for (int row = 0; row < r->rows; row++) N[row] /= most;
    for (int j = 0; j < t->joints; j++)
        for (int i = 0; i < WRENCH; i++) t->G[WRENCH * (j * t->states + k) + i] /= most;
}

sar_status sari_stress_find(sari_stress* t, sari_reactions* r)
{
    const sari_system* sys = r->sys;
    t->states = 0;
    for (int j = 0; j < t->joints; j++) {
        find_axes(sys, j, t->axes + 9 * j);
        sari_reaction(r, j, t->r + WRENCH * j, t->r + WRENCH * j + 3);
    }
    if (r->rows == 0) return SAR_OK;
    memcpy(t->mu, r->mu, (size_t)r->rows * sizeof(double));
    fill(r, &t->qr, t->length);
    t->states = r->rows - find_rank(&t->qr, sys->slack.count);
    find_states(&t->qr, t->N);
    for (int k = 0; k < t->states; k++) put_state(t, r, k);
    memcpy(r->mu, t->mu, (size_t)r->rows * sizeof(double));
    return SAR_OK;
}

/* ---- (2) ------------------------------------------------------------------------------------ */

int sari_compliance_is_infinite(const double* F)
{
    for (int i = 0; i < WRENCH; i++)
        if (!isinf(F[i])) return 0;
    return 1;
}

/* A += G'F G and b -= G'F r of joint j for `n` directions V (columns of states). */
static void add_joint(const sari_stress* t, int j, const double* F, int n, const double* V,
                      const double* r, double* A, double* b, double* g)
{
    for (int i = 0; i < WRENCH; i++) {
        const double own = sari_stress_component(t, j, r + WRENCH * j, i);
        for (int k = 0; k < n; k++) {
            g[k] = 0.0;
            for (int s = 0; s < t->states; s++)
                g[k] +=
                    sari_stress_component(t, j, t->G + WRENCH * (size_t)(j * t->states + s), i) *
                    V[s * n + k];
        }
        for (int k = 0; k < n; k++) {
            b[k] -= F[i] * g[k] * own;
            for (int l = 0; l < n; l++) A[k * n + l] += F[i] * g[k] * g[l];
        }
    }
}

static void weights(const sari_stress* t, const double* compliance, int infinite, double* F)
{
    for (int i = 0; i < WRENCH; i++)
        F[i] = infinite ? 1.0 : i < 3 ? compliance[i] : compliance[i] * t->size * t->size;
}

/* One round over the joints that are infinite, or not; what it leaves open stays in V. */
static int solve_round(sari_stress* t, const double* compliance, int infinite, int n)
{
    sari_split* p = &t->split;
    double F[WRENCH];
    memset(p->A, 0, (size_t)(n * n) * sizeof(double));
    memset(p->b, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < t->joints; j++) {
        const double* own = compliance + WRENCH * j;
        if (sari_compliance_is_infinite(own) != infinite) continue;
        weights(t, own, infinite, F);
        add_joint(t, j, F, n, p->V, t->r, p->A, p->b, p->g);
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
            t->x[s] += part * x;
            for (int j = 0; j < t->joints; j++)
                for (int i = 0; i < WRENCH; i++)
                    t->r[WRENCH * j + i] += part * x * t->G[WRENCH * (j * t->states + s) + i];
        }
    }
    // what is left open: the kernel of A
    memset(p->W, 0, (size_t)(t->states * n) * sizeof(double));
    for (int s = 0; s < t->states; s++)
        for (int k = rank; k < n; k++)
            for (int i = 0; i < n; i++)
                p->W[s * (n - rank) + k - rank] += p->V[s * n + i] * p->right[i * n + k];
    memcpy(p->V, p->W, (size_t)(t->states * n) * sizeof(double));
    return n - rank;
}

int sari_stress_split(sari_stress* t, const double* compliance)
{
    sari_split* p = &t->split;
    const int n = t->states;
    int open = n;
    memset(t->x, 0, (size_t)(n + 1) * sizeof(double));
    memset(p->V, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) p->V[i * n + i] = 1.0;
    if (open > 0) open = solve_round(t, compliance, 1, open);
    if (open > 0) open = solve_round(t, compliance, 0, open);
    return open;
}

/* ---- in a run ------------------------------------------------------------------------------- */

sar_status sari_stress_create(const sari_reactions* r, sari_arena* memory, sari_stress** out)
{
    sari_stress* t = SARI_TAKE(memory, sari_stress, 1);
    const size_t rows = (size_t)r->rows + 1, square = rows * rows;
    if (!t) return SAR_E_NOMEM;
    t->joints = r->sys->model->joints_count;
    t->size = r->sys->size;
    t->mu = SARI_TAKE(memory, double, rows);
    t->length = SARI_TAKE(memory, double, rows);
    t->N = SARI_TAKE(memory, double, square);
    t->G = SARI_TAKE(memory, double, WRENCH* rows*(size_t)t->joints + 1);
    t->r = SARI_TAKE(memory, double, WRENCH*(t->joints + 1));
    t->axes = SARI_TAKE(memory, double, 9 * (t->joints + 1));
    t->x = SARI_TAKE(memory, double, rows);
    t->scale = SARI_TAKE(memory, double, rows);
    double** const squares[] = {&t->split.V, &t->split.W, &t->split.A, &t->split.right};
    double** const vectors[] = {&t->split.b, &t->split.g, &t->split.sigma};
    for (int k = 0; k < 4; k++) *squares[k] = SARI_TAKE(memory, double, square);
    for (int k = 0; k < 3; k++) *vectors[k] = SARI_TAKE(memory, double, rows);
    t->split.work = SARI_TAKE(memory, double, sari_svd_workspace((int)rows, (int)rows));
    if (memory->failed) return SAR_E_NOMEM;
    if (r->rows > 0) SARI_TRY(sari_qr_create(r->W.cols, r->rows, &t->qr));
    *out = t;
    return SAR_OK;
}

void sari_stress_clear(sari_stress* t)
{
    if (t) sari_qr_clear(&t->qr);
}

static int has_compliances(const sar_model* model)
{
    for (int j = 0; j < model->joints_count; j++)
        for (int i = 0; i < WRENCH; i++)
            if (model->joints[j].pair.compliance[i] != 0.0) return 1;
    return 0;
}

sar_status sari_reactions_expect_split(sari_reactions* r)
{
    if (!has_compliances(r->sys->model)) return SAR_OK;
    r->compliance = SARI_TAKE(&r->memory, double, WRENCH * r->sys->model->joints_count);
    return r->compliance ? sari_stress_create(r, &r->memory, &r->stress) : SAR_E_NOMEM;
}

void sari_reactions_split(sari_reactions* r)
{
    sari_stress* t = r->stress;
    const sar_model* model = r->sys->model;
    if (!t || sari_stress_find(t, r) != SAR_OK || t->states == 0) return;
    for (int j = 0; j < t->joints; j++)
        memcpy(r->compliance + WRENCH * j, model->joints[j].pair.compliance,
               WRENCH * sizeof(double));
    sari_stress_split(t, r->compliance);
    for (int k = 0; k < t->states; k++)
        for (int row = 0; row < r->rows; row++)
            r->mu[row] += t->x[k] * t->N[(size_t)k * (size_t)r->rows + (size_t)row];
}
