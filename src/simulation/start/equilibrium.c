/* Static equilibrium: where nothing moves, applied forces and reactions are balanced,
 *
 *     r(q) = Q(t, q, v = 0) - Phi_q' lambda = 0,   Phi(t, q) = 0                               (1)
 *
 * Rows may be redundant: with Phi_q' Pi = Q_1 R by pivoted Householder reflections, Z the columns of
 * their product beyond the rank, Phi_q Z = 0,
 * made orthonormal in the sense of kinetic energy, Z' M Z = 1,
 *
 *     lambda: R lambda = Q_1' Q,   g = Z' Q,   H = -Z' dr/dq Z  (lambda kept: with the geometric
 *                                                            stiffness lambda . d2Phi/dq2)     (2)
 *
 * dr/dq along Z are central differences in the search, which meets kinks; where stability is judged they are those of
 * system/linear/residual.h, which modes are found by too (analysis/linear.c).
 * With the eigenvalues e_i and eigenvectors V of the symmetric part of H, Newton's correction, made
 * to lead downhill everywhere, and damped:
 *
 *     dq = Z V y,   y_i = (V' g)_i / (|e_i| + mu),   mu >= 0: the least with |dq| <= radius     (3)
 *
 * For a large mu this is dynamic relaxation, a motion that follows the forces without inertia: the
 * radius leads from the one to the other. After it q is put back onto the constraints. A step counts
 * if the forces did work along it, or if they are more nearly balanced; else the radius shrinks.
 *
 * Forces without a potential, as of a controller or a follower, have an H that is not symmetric, and its
 * symmetric part may lead anywhere. Where that search ends without an equilibrium, another one begins
 * with H itself:
 *
 *     dq = Z y,   (H + mu) y = g,   mu = 0 while |g| falls along it; else mu falls with |g|         (4)
 *
 * e_i are squares of the frequencies of small vibrations, the same in all coordinates. e_i < 0: unstable. e_i = 0: undetermined; a force along such a direction is balanced nowhere.
 *
 * That is all of stability where H is symmetric and nothing depends on velocities: then the energy is
 * constant, and has a minimum or not. Else small motions decide (small_motions.h),
 *
 *     y'' + C y' + H y = 0,   C = -Z' dQ/dv Z,   y ~ exp(lambda t)                              (5)
 *
 * Re lambda > 0: unstable, and that is the rate of growth. Re lambda = 0 with forces that have no
 * potential: marginal, a little damping decides (equilibrium_stability.c). */
#include "simulation/start/equilibrium_search.h"

#include "base/status.h"
#include "linalg/rank.h"
#include "math/vec3.h"
#include "system/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 300, MOST = 1500 }; ///< MOST: coordinates, matrices are full

static const double BALANCED = 1e-10;   ///< of the forces: what counts as zero
static const double FIRST_RADIUS = 0.1; ///< sizes
static const double LAST_RADIUS = 1e-13;
static const double ROUNDING = 1e-14; ///< stiffnesses times size: what cancels in forces
static const double NEARLY = 1e-7;    ///< of the forces: where nothing better is found
static const double FARTHEST = 50.0;  ///< sizes: what has gone so far is not coming back

typedef sari_equilibrium_search search;

/* ---- memory --------------------------------------------------------------------------------- */

static sar_status take_memory(search* s)
{
    const sari_system* sys = s->sys;
    const int nq = sys->nq, n = s->n;
    sari_arena* m = &s->memory;
    s->v = SARI_TAKE(m, double, nq);
    s->lambda = SARI_TAKE(m, double, sys->nc + nq);
    s->r = SARI_TAKE(m, double, nq);
    s->other = SARI_TAKE(m, double, nq);
    s->ahead = SARI_TAKE(m, double, nq);
    s->Z = SARI_TAKE(m, double, (size_t)nq*(size_t)n);
    s->H = SARI_TAKE(m, double, (size_t)n*(size_t)n);
    s->V = SARI_TAKE(m, double, (size_t)n*(size_t)n);
    s->F = SARI_TAKE(m, double, (size_t)n*(size_t)n);
    s->U = SARI_TAKE(m, double, (size_t)n*(size_t)n);
    s->C = SARI_TAKE(m, double, (size_t)n*(size_t)n);
    s->e = SARI_TAKE(m, double, n);
    s->work = SARI_TAKE(m, double, (size_t)n + sari_svd_workspace(n, n));
    s->g = SARI_TAKE(m, double, n);
    s->y = SARI_TAKE(m, double, n);
    s->dq = SARI_TAKE(m, double, nq);
    s->trial = SARI_TAKE(m, double, sys->np);
    s->begin = SARI_TAKE(m, double, sys->np);
    s->end = SARI_TAKE(m, double, sys->np);
    s->displaced = SARI_TAKE(m, double, sys->np);
    s->X = SARI_TAKE(m, double, sys->mechanism->nx * sys->mechanism->bodies);
    s->N = SARI_TAKE(m, double, (size_t)nq*(size_t)n);
    s->MN = SARI_TAKE(m, double, nq);
    s->drawn = SARI_TAKE(m, double, sys->mechanism->nx * sys->mechanism->bodies);
    s->mark = SARI_TAKE(m, char, sys->model->bodies_count);
    if (m->failed) return SAR_E_NOMEM;
    if (sys->nc > 0) SARI_TRY(sari_qr_create(n, sys->nc, &s->qr));
    return sari_projector_create(s->sys, &s->projector);
}

static void release(search* s)
{
    sari_projector_destroy(s->projector);
    sari_qr_clear(&s->qr);
    sari_arena_clear(&s->memory);
}

/* ---- (3) ------------------------------------------------------------------------------------ */

double sari_equilibrium_stiffest(const search* s)
{
    return sari_vector_max(s->d, s->e);
}

/* s->dq = Z V_k */
void sari_equilibrium_direction(search* s, int k)
{
    const size_t nq = (size_t)s->sys->nq;
    memset(s->dq, 0, nq * sizeof(double));
    for (int j = 0; j < s->d; j++)
        for (size_t i = 0; i < nq; i++)
            s->dq[i] += s->V[(size_t)j * (size_t)s->d + (size_t)k] * s->Z[(size_t)j * nq + i];
}

/* dq = Z V y for a damping mu; the largest change of a coordinate. */
static double damped_step(search* s, double mu)
{
    const size_t nq = (size_t)s->sys->nq, d = (size_t)s->d;
    const double none = 1e-300 + SARI_EQUILIBRIUM_NEUTRAL * sari_equilibrium_stiffest(s);
    for (size_t i = 0; i < d; i++) {
        double force = 0.0;
        for (size_t j = 0; j < d; j++) force += s->V[j * d + i] * s->g[j];
        s->y[i] = force / (fmax(fabs(s->e[i]), none) + mu);
        if (fabs(s->e[i]) > none) continue;
        sari_equilibrium_direction(
            s, (int)i); // nothing holds it: forces that are rounding do not move it
        if (fabs(force) <= BALANCED * s->forces * sari_vector_max(s->n, s->dq)) s->y[i] = 0.0;
    }
    memset(s->dq, 0, nq * sizeof(double));
    for (size_t j = 0; j < d; j++) {
        const double part = sari_vector_dot(s->d, s->V + j * d, s->y);
        for (size_t i = 0; i < nq; i++) s->dq[i] += part * s->Z[j * nq + i];
    }
    return sari_vector_max(s->n, s->dq);
}

/* dq with the least mu for which it is not longer than the radius; its length. */
static double find_step(search* s, double radius)
{
    double length = damped_step(s, 0.0), below = 0.0,
           above = SARI_EQUILIBRIUM_NEUTRAL * sari_equilibrium_stiffest(s) + 1e-300;
    if (length <= radius) return length;
    while (damped_step(s, above) > radius && above < 1e300) below = above, above *= 100.0;
    for (int k = 0; k < 40 && above > 1.1 * below && below > 0.0; k++) {
        const double mu = sqrt(below * above);
        if (damped_step(s, mu) > radius)
            below = mu;
        else
            above = mu;
    }
    return damped_step(s, above);
}

sar_status sari_equilibrium_go(search* s, const double* q)
{
    const sari_mechanism* m = s->sys->mechanism;
    sari_coordinates_move(&s->sys->coordinates, q, s->dq, s->trial);
    if (s->sys->nc == s->sys->velocity_rows) return SAR_OK;
    sari_kinematics_update(s->sys->kinematics, s->trial, NULL, 1);
    memcpy(s->X, s->sys->kinematics->X, (size_t)(m->nx * m->bodies) * sizeof(double));
    return sari_project_position(s->projector, s->t, s->X, s->trial);
}

/* ---- search --------------------------------------------------------------------------------- */

/* Forces are measured along the coordinates. */
static int is_balanced(const search* s)
{
    double stiff = 0.0;
    for (int j = 0; j < s->d; j++)
        stiff = fmax(stiff, sari_vector_max(s->n, s->Z + (size_t)j * (size_t)s->sys->nq));
    return sari_vector_max(s->n, s->r) <=
           BALANCED * s->forces +
               ROUNDING * sari_equilibrium_stiffest(s) * s->unit / fmax(stiff * stiff, 1e-300);
}

/* Of all bodies. */
static double weight(const sar_model* model)
{
    double mass = 0.0;
    for (int b = 1; b < model->bodies_count; b++) mass += model->bodies[b].def.mass;
    return mass * sari_norm3(model->gravity);
}

/* Work of the forces along `way`, as far as the constraints allow it where they are evaluated. */
static double work_along(search* s, const double* way)
{
    double work = 0.0;
    sari_equilibrium_mass_times(s, way, s->MN);
    for (int j = 0; j < s->d; j++)
        work += s->g[j] * sari_vector_dot(s->n, s->Z + (size_t)j * (size_t)s->sys->nq, s->MN);
    return work;
}

/* One step of (3) from q, with g, Z, e and V of there; afterwards g and Z are those of the new q. */
static sar_status improve(search* s, double* q, double* radius)
{
    const double before = sari_vector_norm(s->d, s->g);
    for (; *radius > LAST_RADIUS * s->unit; *radius *= 0.25) {
        const double length = find_step(s, *radius);
        memcpy(s->ahead, s->dq, (size_t)s->sys->nq * sizeof(double));
        const double begin = work_along(s, s->ahead);
        if (sari_equilibrium_go(s, q) == SAR_OK &&
            sari_equilibrium_balance(s, s->trial) == SAR_OK) {
            const int downhill = begin + work_along(s, s->ahead) > 0.0;
            if (downhill || sari_vector_norm(s->d, s->g) < 0.9 * before) {
                memcpy(q, s->trial, (size_t)s->sys->np * sizeof *q);
                if (length > 0.9 * *radius) *radius = fmin(2.0 * *radius, s->unit);
                sari_kinematics_position(s->sys->kinematics, q);
                sari_turns_commit(s->sys->kinematics, s->t);
                return SAR_OK;
            }
        }
        SARI_TRY(sari_equilibrium_balance(s, q));
    }
    return SAR_R_NO_CONV;
}

/* Steps until the forces are balanced. e and V are those of the last position. */
static sar_status descend(search* s, double* q, sar_equilibrium* report)
{
    double radius = FIRST_RADIUS * s->unit;
    const double from = sari_vector_max(s->sys->np, q);
    int last = 0;
    SARI_TRY(sari_equilibrium_balance(s, q));
    for (;; report->iterations++) {
        SARI_TRY(sari_equilibrium_stiffness(s, q));
        sari_equilibrium_eigenvalues(s);
        SARI_TRY(sari_equilibrium_evaluate(s, SARI_EVAL_MASS, q)); // its directions are known
        SARI_TRY(sari_equilibrium_weigh(s));
        if (last) return SAR_OK;
        last = is_balanced(s); // beside a singular configuration a step more leads into it
        if (last && (!s->beside || s->d > s->n - s->rank)) return SAR_OK;
        if (report->iterations == ITERATIONS) return SAR_R_NO_CONV;
        if (sari_vector_max(s->sys->np, q) > from + FARTHEST * s->unit) return SAR_R_NO_CONV;
        const sar_status st = improve(s, q, &radius);
        if (st == SAR_R_NO_CONV && sari_vector_max(s->n, s->r) <= NEARLY * s->forces) return SAR_OK;
        SARI_TRY(st);
    }
}

/* ---- (4) ------------------------------------------------------------------------------------ */

/* dq = Z y, (F + mu) y = g, no longer than `most`; directions that nothing holds are left out. */
static void true_step(search* s, double mu, double most)
{
    const size_t nq = (size_t)s->sys->nq, d = (size_t)s->d;
    double *A = s->H, *sigma = s->work, *work = s->work + d;
    memcpy(A, s->F, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++) A[i * d + i] += mu;
    sari_svd(s->d, s->d, A, sigma, s->U, s->V, work);
    memset(s->dq, 0, nq * sizeof(double));
    memset(s->y, 0, d * sizeof(double));
    for (size_t k = 0; k < d && sigma[k] > SARI_EQUILIBRIUM_NEUTRAL * sigma[0]; k++) {
        double part = 0.0;
        for (size_t i = 0; i < d; i++) part += s->U[i * d + k] * s->g[i];
        for (size_t i = 0; i < d; i++) s->y[i] += s->V[i * d + k] * part / sigma[k];
    }
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < nq; i++) s->dq[i] += s->y[j] * s->Z[j * nq + i];
    const double length = sari_vector_max(s->n, s->dq),
                 factor = length > most ? most / length : 1.0;
    for (size_t i = 0; i < nq; i++) s->dq[i] *= factor;
}

/* Is |g| less after s->dq? Then q is there; else g and Z are those of q again. */
static int is_better(search* s, double* q, double before)
{
    if (sari_equilibrium_go(s, q) == SAR_OK && sari_equilibrium_balance(s, s->trial) == SAR_OK &&
        sari_vector_norm(s->d, s->g) < before) {
        memcpy(q, s->trial, (size_t)s->sys->np * sizeof *q);
        sari_kinematics_position(s->sys->kinematics, q);
        sari_turns_commit(s->sys->kinematics, s->t);
        return 1;
    }
    return sari_equilibrium_balance(s, q) == SAR_OK ? 0 : -1;
}

/* Newton's step, halved until forces are more nearly balanced. 0: they are not. */
static int search_line(search* s, double* q)
{
    enum { HALVINGS = 12 };
    const double before = sari_vector_norm(s->d, s->g);
    true_step(s, 0.0, s->unit);
    for (int k = 0; k < HALVINGS; k++) {
        const int better = is_better(s, q, (1.0 - 1e-4 * ldexp(1.0, -k)) * before);
        if (better) return better > 0;
        for (int i = 0; i < s->sys->nq; i++) s->dq[i] *= 0.5;
    }
    return 0;
}

/* A step of the motion that follows the forces, implicit: it may lead over a hill of |g|. */
static sar_status follow_forces(search* s, double* q, double mu)
{
    true_step(s, mu, s->unit);
    SARI_TRY(sari_equilibrium_go(s, q));
    SARI_TRY(sari_equilibrium_balance(s, s->trial));
    memcpy(q, s->trial, (size_t)s->sys->np * sizeof *q);
    sari_kinematics_position(s->sys->kinematics, q);
    sari_turns_commit(s->sys->kinematics, s->t);
    return SAR_OK;
}

static sar_status follow_slopes(search* s, double* q, sar_equilibrium* report)
{
    const double from = sari_vector_max(s->sys->np, q);
    double begin = 0.0, mu = 0.0;
    SARI_TRY(sari_equilibrium_balance(s, q));
    for (int k = 0; k < ITERATIONS; k++, report->iterations++) {
        SARI_TRY(sari_equilibrium_stiffness(s, q));
        const double stiffness = sari_vector_norm(s->d * s->d, s->F);
        sari_equilibrium_eigenvalues(s);
        SARI_TRY(sari_equilibrium_balance(s, q));
        if (is_balanced(s)) return SAR_OK;
        if (sari_vector_max(s->sys->np, q) > from + FARTHEST * s->unit) return SAR_R_NO_CONV;
        if (mu == 0.0 && search_line(s, q)) continue;
        const double now = sari_vector_norm(s->d, s->g);
        if (mu == 0.0) begin = now;
        mu = stiffness * fmin(1.0, now / begin);
        SARI_TRY(follow_forces(s, q, mu));
        if (sari_vector_norm(s->d, s->g) < 0.5 * begin) mu = 0.0; // over the hill
    }
    return SAR_R_NO_CONV;
}

/* Is H symmetric but for the errors of its differences? */
int sari_equilibrium_has_potential(const search* s)
{
    double odd = 0.0;
    for (int i = 0; i < s->d; i++)
        for (int j = 0; j < i; j++) odd = fmax(odd, fabs(s->F[i * s->d + j] - s->F[j * s->d + i]));
    return odd <= 1e-4 * sari_vector_max(s->d * s->d, s->F);
}

/* By (3), and where that finds nothing and forces have no potential by (4) from the same place. */
static sar_status search_both(search* s, double* q, sar_equilibrium* report)
{
    const size_t size = (size_t)s->sys->np * sizeof *q;
    memcpy(s->begin, q, size);
    const sar_status st = descend(s, q, report);
    if (st != SAR_R_NO_CONV) return st;
    memcpy(s->end, q, size);
    memcpy(q, s->begin, size);
    if (sari_equilibrium_balance(s, q) == SAR_OK && sari_equilibrium_stiffness(s, q) == SAR_OK &&
        !sari_equilibrium_has_potential(s) && follow_slopes(s, q, report) == SAR_OK)
        return SAR_OK;
    memcpy(q, s->end, size);
    SARI_TRY(sari_equilibrium_balance(s, q));
    return st;
}

/* ---- what nothing determines ---------------------------------------------------------------- */

/* Motions without stiffness, orthonormal in the sense of kinetic energy, into N; how many. */
static int find_neutral(search* s)
{
    const size_t nq = (size_t)s->sys->nq;
    int count = 0;
    for (int k = 0; k < s->d; k++) {
        if (fabs(s->e[k]) > SARI_EQUILIBRIUM_NEUTRAL * sari_equilibrium_stiffest(s)) continue;
        double* x = s->N + (size_t)count * nq;
        sari_equilibrium_direction(s, k);
        memcpy(x, s->dq, nq * sizeof *x);
        count += sari_equilibrium_orthonormalise(s, s->N, count);
    }
    return count;
}

/* Along them to the place nearest to the drawing: min |X(q) - X0|_MX. Returns 1 if q moved. */
static int go_back(search* s, double* q)
{
    const sari_mechanism* m = s->sys->mechanism;
    const size_t nq = (size_t)s->sys->nq;
    sari_equations_eval(&s->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, s->t, q, NULL);
    const int count = find_neutral(s);
    if (count == 0) return 0;
    sari_kinematics_update(s->sys->kinematics, q, NULL, 1);
    for (int i = 0; i < m->nx * m->bodies; i++) s->X[i] = s->drawn[i] - s->sys->kinematics->X[i];
    sari_system_momenta(s->sys, s->X, s->other, s->ahead);
    memset(s->dq, 0, nq * sizeof(double));
    for (int k = 0; k < count; k++) {
        const double* x = s->N + (size_t)k * nq;
        const double part = sari_vector_dot(s->n, x, s->ahead);
        for (size_t i = 0; i < nq; i++) s->dq[i] += part * x[i];
    }
    if (sari_equilibrium_go(s, q) != SAR_OK) return 0;
    memcpy(q, s->trial, (size_t)s->sys->np * sizeof *q);
    return 1;
}

/* Equilibrium, with what nothing determines as near to the drawing as it may be. */
static sar_status complete(search* s, double* q, sar_equilibrium* report)
{
    enum { PASSES = 3 };
    const sari_mechanism* m = s->sys->mechanism;
    sari_kinematics_update(s->sys->kinematics, q, NULL, 1);
    memcpy(s->drawn, s->sys->kinematics->X, (size_t)(m->nx * m->bodies) * sizeof(double));
    sar_status st = search_both(s, q, report);
    for (int pass = 0; pass < PASSES && st == SAR_OK && report->iterations > 0; pass++) {
        if (!go_back(s, q)) break;
        st = descend(s, q, report);
    }
    return st;
}

/* From q with all that is needed. */
static sar_status find(search* s, double* q, sar_equilibrium* report)
{
    SARI_TRY(take_memory(s));
    sar_status st = complete(s, q, report);
    report->freedoms = s->d;
    if (st == SAR_OK) st = sari_equilibrium_judge(s, q, report);
    sari_equilibrium_measure(s, q, st != SAR_OK, report);
    sari_kinematics_position(s->sys->kinematics, q);
    sari_turns_commit(s->sys->kinematics, s->t);
    return st;
}

sar_status sari_equilibrium_find(sari_system* sys, double t, double unit, double* q,
                                 sar_equilibrium* report)
{
    search s = {
        .sys = sys, .t = t, .unit = unit, .n = sys->nq - sys->states, .forces = weight(sys->model)};
    memset(report, 0, sizeof *report);
    report->verdict = SAR_EQUILIBRIUM_STABLE;
    if (s.n <= 0) return SAR_OK;
    report->verdict = SAR_EQUILIBRIUM_NOT_FOUND;
    report->coordinates = s.n;
    if (s.n > MOST) return SAR_E_ASSEMBLY;
    sari_system_rest(sys, 1);
    const sar_status st = find(&s, q, report);
    sari_system_rest(sys, 0);
    release(&s);
    return st > 0 ? SAR_E_ASSEMBLY : st;
}

void sari_equilibrium_explain(const sar_equilibrium* report, char* text, size_t size)
{
    if (report->coordinates > MOST)
        snprintf(text, size,
                 "no equilibrium was looked for: the model has %d coordinates, and the matrices of "
                 "the search are full; up to %d will do",
                 report->coordinates, MOST);
    else
        snprintf(text, size,
                 "no static equilibrium was found in %d iterations: %.3g N are not balanced, along "
                 "a motion of %s; nothing holds it, or it is drawn too far from its equilibrium",
                 report->iterations, report->residual,
                 report->unbalanced_bodies[0] ? report->unbalanced_bodies : "all of it");
}
