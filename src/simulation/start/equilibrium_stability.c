/* Whether an equilibrium is stable: (5) of equilibrium.c, and which bodies take part in what is not. */
#include "simulation/start/equilibrium_search.h"

#include "base/names.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "simulation/start/small_motions.h"
#include "system/linear/residual.h"

#include <math.h>
#include <string.h>

enum { UNSTABLE = 1, UNDETERMINED = 2, UNBALANCED = 4 }; ///< marks of bodies

static const double TURN = 6.28318530717958648;
static const double MOVES = 0.05; ///< of the fastest: who takes part in a motion

typedef sari_equilibrium_search search;

/* Of its centre, or of a point one size away that it turns. */
static double speed_of(const search* s, int body)
{
    const sari_mechanism* m = s->sys->mechanism;
    const double *X = s->sys->kinematics->X + m->nx * body,
                 *Xd = s->sys->kinematics->Xd + m->nx * body;
    double w[3], at[3] = {0};
    sari_spin_of(m, X, Xd, w);
    for (int i = 0; i < m->dimension; i++) at[i] = Xd[i];
    return fmax(sari_norm3(at), sari_norm3(w) * s->unit);
}

/* Bodies that move along s->dq get the mark; the speed of the fastest. */
static double mark_moving(search* s, const double* q, char mark)
{
    const int bodies = s->sys->model->bodies_count;
    double fastest = 0.0;
    sari_kinematics_update(s->sys->kinematics, q, s->dq, 1);
    for (int b = 1; b < bodies; b++) fastest = fmax(fastest, speed_of(s, b));
    for (int b = 1; b < bodies; b++)
        if (speed_of(s, b) > MOVES * fastest) s->mark[b] |= mark;
    return fastest;
}

static void list_marked(const search* s, char mark, char* list, size_t size)
{
    const sar_model* model = s->sys->model;
    for (int b = 1; b < model->bodies_count; b++)
        if (s->mark[b] & mark) sari_add_name(list, size, model->bodies[b].name);
}

/* H and C of (5), with exact slopes of applied forces. */
static sar_status linearise(search* s, const double* q)
{
    const size_t nq = (size_t)s->sys->nq, d = (size_t)s->d;
    sari_residual r = {.t = s->t, .q = q, .v = s->v, .a = s->v, .lambda = s->lambda};
    sari_residual_take(&r, &s->memory, s->sys);
    if (s->memory.failed) return SAR_E_NOMEM;
    SARI_TRY(sari_residual_tangent(&r));
    for (size_t j = 0; j < d; j++) {
        SARI_TRY(sari_residual_along_position(&r, s->Z + j * nq, s->unit));
        for (size_t i = 0; i < d; i++) s->F[i * d + j] = sari_vector_dot(s->n, s->Z + i * nq, r.F);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) s->H[i * d + j] = 0.5 * (s->F[i * d + j] + s->F[j * d + i]);
    sari_equilibrium_eigenvalues(s);
    const double stiffest = sari_equilibrium_stiffest(s),
                 pace = stiffest > 0.0 ? sqrt(stiffest) : 1.0;
    for (size_t j = 0; j < d; j++) {
        SARI_TRY(sari_residual_along_velocity(&r, s->Z + j * nq, pace));
        for (size_t i = 0; i < d; i++) s->C[i * d + j] = sari_vector_dot(s->n, s->Z + i * nq, r.F);
    }
    return SAR_OK;
}

/* Bodies that take part in the motion, whose vector is x; the fastest of them. */
static int mark_motion(search* s, const double* q, const double* x, char mark)
{
    const size_t nq = (size_t)s->sys->nq;
    memset(s->dq, 0, nq * sizeof(double));
    for (int j = 0; j < s->d; j++)
        for (size_t i = 0; i < nq; i++) s->dq[i] += x[j] * s->Z[(size_t)j * nq + i];
    const double fastest = mark_moving(s, q, mark);
    for (int b = 1; b < s->sys->model->bodies_count; b++)
        if (speed_of(s, b) >= fastest) return b;
    return 0;
}

/* By (5): what grows, and what neither grows nor dies out. */
static sar_status judge_motions(search* s, const double* q, sar_equilibrium* report)
{
    const double DAMPED = 1e-6; // of |lambda|: that much is no matter of rounding
    sari_small_motions m = {0};
    SARI_TRY(sari_small_motions_find(&m, &s->memory, s->d, s->F, s->C, SARI_EQUILIBRIUM_NEUTRAL));
    report->unstable = 0;
    for (int b = 0; b < s->sys->model->bodies_count; b++) s->mark[b] &= (char)~UNSTABLE;
    for (int k = 0; k < 2 * s->d; k++) {
        const double re = m.re[k], im = m.im[k];
        if (im < 0.0 || re < -DAMPED * sari_hypot(re, im)) continue;
        const double off = sari_small_motion(&m, k);
        report->marginal += fabs(re) <= off && im > off;
        if (!(re > off)) continue;
        report->unstable++;
        mark_motion(s, q, m.x_im, UNSTABLE);
        const int body = mark_motion(s, q, m.x, UNSTABLE);
        if (re <= report->growth) continue;
        report->growth = re;
        report->growth_frequency = im / TURN;
        report->growing_body = body;
    }
    return SAR_OK;
}

/* Directions without stiffness and with a negative one. */
static void judge_energy(search* s, const double* q, sar_equilibrium* report)
{
    const double none = SARI_EQUILIBRIUM_NEUTRAL * sari_equilibrium_stiffest(s);
    for (int k = 0; k < s->d; k++) {
        if (s->e[k] > none) {
            report->frequency = fmin(report->frequency, sqrt(s->e[k]) / TURN);
            continue;
        }
        const int unstable = s->e[k] < -none;
        sari_equilibrium_direction(s, k);
        const double fastest = mark_moving(s, q, unstable ? UNSTABLE : UNDETERMINED);
        report->unstable += unstable;
        report->undetermined += !unstable;
        if (!unstable || sqrt(-s->e[k]) <= report->growth) continue;
        report->growth = sqrt(-s->e[k]);
        for (int b = s->sys->model->bodies_count - 1; b > 0; b--)
            if (speed_of(s, b) >= fastest) report->growing_body = b;
    }
}

/* Directions of H itself without stiffness, where it is not symmetric. */
static void judge_directions(search* s, const double* q, sar_equilibrium* report)
{
    const int d = s->d;
    sari_svd(d, d, s->F, s->e, NULL, s->V, s->work);
    for (int k = 0; k < d; k++) {
        if (s->e[k] > SARI_EQUILIBRIUM_NEUTRAL * s->e[0]) continue;
        sari_equilibrium_direction(s, k);
        mark_moving(s, q, UNDETERMINED);
        report->undetermined++;
    }
}

static int rank_at(search* s, const double* q)
{
    const sari_csr* J = &s->sys->Phi_q;
    if (sari_equations_eval(&s->sys->equations, SARI_EVAL_JACOBIAN, s->t, q, s->v) != SAR_OK)
        return 0;
    sari_qr_load_transposed(&s->qr, J);
    sari_qr_factor(&s->qr, s->n < J->rows ? s->n : J->rows);
    return sari_qr_rank(&s->qr, SARI_EQUILIBRIUM_SINGULAR);
}

/* Do constraints hold less here than beside it? Freedoms are those beside it. */
static int is_singular(search* s, const double* q, int* freedoms)
{
    const double BESIDE = 0.01; // sizes
    const size_t nq = (size_t)s->sys->nq;
    if (s->sys->nc == 0) return 0;
    const int here = rank_at(s, q);
    if (here == s->n) return 0;
    memset(s->dq, 0, nq * sizeof(double));
    for (int j = 0; j < s->d; j++)
        sari_vector_add(s->n, 1.0 / (1.0 + 0.3 * j), s->Z + (size_t)j * nq, s->dq);
    const double most = sari_vector_max(s->n, s->dq);
    for (size_t i = 0; i < nq; i++) s->dq[i] *= BESIDE * s->unit / most;
    if (sari_equilibrium_go(s, q) != SAR_OK) return 0;
    const int beside = rank_at(s, s->trial);
    if (beside > here) *freedoms = s->n - beside;
    return beside > here;
}

sar_status sari_equilibrium_judge(search* s, const double* q, sar_equilibrium* report)
{
    const double UNDAMPED = 1e-9; // of the fastest vibration
    report->frequency = INFINITY;
    if (s->d > 0 &&
        is_singular(
            s, q, &report->freedoms)) { // reactions are not unique, and stiffness is not with them
        report->verdict = SAR_EQUILIBRIUM_SINGULAR;
        return SAR_OK;
    }
    SARI_TRY(linearise(s, q));
    const int symmetric = sari_equilibrium_has_potential(s), d = s->d;
    const int damped = sari_vector_max(d * d, s->C) > UNDAMPED * sqrt(sari_equilibrium_stiffest(s));
    if (symmetric) judge_energy(s, q, report);
    if (!symmetric || damped) {
        const double growth = report->growth;
        report->growth = 0.0;
        const sar_status st = judge_motions(s, q, report);
        if (st == SAR_E_NOMEM) return st;
        if (st != SAR_OK) report->growth = growth;
        if (symmetric) report->marginal = 0;
    }
    if (!symmetric) judge_directions(s, q, report);
    list_marked(s, UNSTABLE, report->unstable_bodies, sizeof report->unstable_bodies);
    list_marked(s, UNDETERMINED, report->undetermined_bodies, sizeof report->undetermined_bodies);
    report->verdict = report->unstable       ? SAR_EQUILIBRIUM_UNSTABLE
                      : report->undetermined ? SAR_EQUILIBRIUM_UNDETERMINED
                      : report->marginal     ? SAR_EQUILIBRIUM_MARGINAL
                                             : SAR_EQUILIBRIUM_STABLE;
    return SAR_OK;
}

/* The force along the motion that the unbalanced forces begin, in which the fastest body has the
 * speed 1. */
void sari_equilibrium_measure(search* s, const double* q, int name, sar_equilibrium* report)
{
    const size_t nq = (size_t)s->sys->nq;
    const double force = sari_vector_norm(s->d, s->g);
    if (!(force > 0.0)) return;
    memset(s->dq, 0, nq * sizeof(double));
    for (int j = 0; j < s->d; j++)
        for (size_t i = 0; i < nq; i++) s->dq[i] += s->g[j] / force * s->Z[(size_t)j * nq + i];
    const double fastest = mark_moving(s, q, UNBALANCED);
    report->residual = fastest > 0.0 ? force / fastest : 0.0;
    if (name)
        list_marked(s, UNBALANCED, report->unbalanced_bodies, sizeof report->unbalanced_bodies);
}
