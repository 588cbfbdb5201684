/* Index-3 augmented Lagrangian with velocity and acceleration projections, ALi3p.
 *
 * An implicit step with shifts dv = cv dq, da = ca dq. With b = 1/ca (Newmark: beta h^2) and
 * P = M + b (cv C + K):
 *
 *     r = b (M a - Q + Phi_q' (lambda + alpha Phi))          (1)  [gonzalez2016, (18)]
 *
 *     S = P + b alpha Phi_q' Phi_q                           (2)  [gonzalez2016, (19)]
 *
 *     S dq = -r                                              (3)
 *
 *     lambda += alpha (Phi + Phi_q dq)                       (4)  [gonzalez2016, (20)]
 *
 * after convergence, with S at the converged position (to 1e-9) [bayo1996]:
 *
 *     S v = P v* - b alpha Phi_q' Phi_t                      (5)
 *
 *     S a = P a* - b alpha Phi_q' (dPhi_q/dt v + dPhi_t/dt)  (6)
 *
 * both solved for the change, S (v - v*) = -b alpha Phi_q' (Phi_q v* + Phi_t): the same, but
 * rounding, which S magnifies by its condition, is then relative to the change. So is the error of
 * an S from a little beside; the violation on the right is always that of the converged position.
 *
 * Departures: (20) prints the violation before the solve, which the solve takes out as well: what lambda
 * lacks then goes by e_k+1 = e_k - e_k-1, round and round. It converges when taken after it. (4)
 * takes its linear part there, Phi(q + dq) less terms of second order in dq: those are no sign of a
 * missing force, and as such they would overshoot in the next iteration when alpha is large. P uses
 * the symmetric parts of K and C, so S = L D L' always; the residual is exact, only the path of the
 * iteration changes. The product c = alpha b is what matters numerically: unless alpha is given, c
 * = penalty_ratio in units of the inertia seen by a constraint, and where springs are stiffer than
 * that, b K >> M, of the P seen by it: beside them a weaker penalty would hold nothing. Rows that
 * hold what is very light have less of it (sari_constrained_weigh). alpha = inf
 * solves (3), (5), (6) in their limit, by the KKT system of constrained.c. Where the rank is about
 * to drop, a finite penalty makes (3)-(4) converge slowly; since their solution does not depend on
 * alpha, a step that needs more than PATIENCE corrections is finished in the limit too.
 *
 * On a singular configuration itself that does not help: the limit ends on the point where branches
 * cross, or wanders around it, with a multiplier that grows like one over the distance from there
 * and upsets the next step. But the force of the constraints, Phi_q' lambda, goes on smoothly. So
 * where corrections in the limit do not contract, the rest of the step holds the force that belongs
 * to the predicted acceleration, and leaves the multipliers alone:
 *
 *     S dq = -b (M a - Q + F + alpha Phi_q' Phi)             (7)
 *
 * with F = Q - M a at the first correction.
 *
 * A tangent may serve several corrections (modified Newton). Then (3) is solved for the changes of
 * both, with S and Phi_q of the tangent on the left and the residual of the present position on the
 * right:
 *
 *     S dq = -b (M a - Q + Phi_q' lambda) - b alpha Phi_q' Phi                           (8)
 *
 *     lambda += alpha (Phi + Phi_q dq)
 *
 * so that its solution is the same. P may contain the geometric stiffness b lambda . d2Phi/dq2, of
 * which the part within a body is kept, and only where the body's block of P stays positive
 * definite: the corrections of free spatial bodies that turn fast contract better with it.
 *
 * Rows on velocities, psi = A v + b = 0, have no position to return to; their force is A' lambda
 * with multipliers of their own, held the same way at the level of velocities [dopico2014]. A
 * correction changes psi by cv A dq and terms of first order in the step, so with psi/cv in the
 * place of Phi in (1)-(4) they are rows like the others. (The terms, (d psi/dq) dq, would make S
 * unsymmetric; put into the rows on both sides they were seen to save nothing.)
 *
 * Where others imply such a row (two discs on one axle), it contradicts them by O(h^2), as v is not
 * projected before the end of the step: no dq meets both, and (4) would add alpha times that to
 * multipliers along the null space of Phi_q' in every correction. They make no force on the
 * constraints, but a growing one beside them; so they are taken out after every step. In the limit
 * these rows have a delta as large as 1/c of a penalty: the contradiction stays in them.
 *
 * `as_printed`: it starts by the penalty formulation with the same alpha [gonzalez2016, (2), (5)],
 *
 *     (M + alpha Phi_q' Phi_q) a = Q - alpha Phi_q' bias,  lambda = alpha (Phi_q a + bias)   (9)
 *
 * In a singular configuration, where rows of the bias may contradict each other, its multipliers are
 * as large as alpha: a velocity of 5e-5 m/s along the other branch is enough to take that
 * [gonzalez2016, 4.2.2].
 *
 * How many corrections a penalty needs is given by the filter number F = b alpha s, s the smallest
 * eigenvalue of Phi_q M^-1 Phi_q': one correction leaves 1/(1 + F) of a violation along it. Long
 * chains have small s, and the penalty is chosen to keep F above FILTER.
 */
#include "formulations/al3/al3.h"
#include "base/parallel.h"
#include "base/status.h"
#include "formulations/al3/al3_self.h"
#include "linalg/sym_tools.h"
#include "math/functions.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-6;       ///< of shifts: lengths of steps differ by rounding
static const double PASSED = 1e-3;     ///< change of dq, by it: another pass would add little
static const double CONTRACTION = 0.3; ///< later corrections in the limit by the ones before

static const double STIFF = 10.0;       ///< P by M, as constraints see them: springs need more
static const double DELTA = 1e-11;      ///< of rows in the limit, in their unit
static const double SLACK_DELTA = 1e-8; ///< where some have slack
static const double SOFT_DELTA = 1e-6;  ///< of those on velocities

/* For a correction; K and C are wanted where they are factored. */
static sar_status evaluate(al3* self, const sari_state* s, double cv, double ca, int reused)
{
    unsigned what = SARI_EVAL_PHI | SARI_EVAL_MASS | SARI_EVAL_FORCE | SARI_EVAL_PHI_T;
    if (!self->lazy) what |= SARI_EVAL_JACOBIAN;
    const int tangent = self->P.has_tangent && !reused &&
                        sari_tangent_wants_slopes(&self->tangent, self->iteration, self->goes_on);
    if (tangent) what |= SARI_EVAL_TANGENT;
    self->has_jacobian = !self->lazy;
    SARI_TRY(sari_equations_eval(self->sys, what, s->t, s->q, s->v));
    if (tangent) sari_tangent_evaluated(&self->tangent, 1.0 / ca, cv);
    return SAR_OK;
}

/* For the projections: no forces, and no tangent unless it is factored anew. */
sar_status sari_al3_evaluate_constraints(al3* self, const sari_state* s, int tangent)
{
    unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T;
    if (self->sys->nc > 0) what |= SARI_EVAL_MASS; // otherwise nothing is projected
    if (tangent && self->P.has_tangent) what |= SARI_EVAL_TANGENT;
    self->has_jacobian = 1;
    return sari_equations_eval(self->sys, what, s->t, s->q, s->v);
}

/* Corrections with a reused tangent do without Phi_q; what needs it evaluates it. */
static sar_status need_jacobian(al3* self, const sari_state* s)
{
    if (self->has_jacobian) return SAR_OK;
    self->has_jacobian = 1;
    return sari_equations_eval(self->sys, SARI_EVAL_JACOBIAN, s->t, s->q, NULL);
}

/* Of the limit: rows that are weaker than its root are not held. Rows with slack are among them. */
void sari_al3_set_delta(al3* self)
{
    sari_constrained* limit = &self->form[LIMIT];
    limit->delta = (self->sys->slack.count ? SLACK_DELTA : DELTA) * self->unit;
    limit->soft_delta = SOFT_DELTA * self->unit;
}

/* Where a step needs more than PATIENCE corrections, the rank is about to drop: the limit does not
 * slow down there. */
void sari_al3_choose_form(al3* self, double ca)
{
    self->alpha = sari_al3_penalty(self, ca);
    if (self->phase == WITH_PENALTY && self->rescue && self->iteration > PATIENCE &&
        !sari_tangent_steady(&self->tangent))
        self->phase = IN_LIMIT;
    sari_constrained* last = self->lin;
    self->lin = &self->form[self->phase == IN_LIMIT ? LIMIT : PENALTY];
    if (self->lin != last) self->tangent.age = self->tangent.lasts = 0;
    if (self->phase == IN_LIMIT) self->in_limit++;
    if (self->lin->kkt) {
        self->lin->c = 1.0 / self->unit;
        sari_al3_set_delta(self);
    } else {
        double c = self->alpha / ca, own = sari_al3_own_penalty(self);
        self->lin->c = isinf(c) || (self->phase == HELD && c < own) ? own : c;
    }
}

/* A penalty of our choice is one beside stiff springs too. It stays while K and C do. */
static void outweigh_springs(al3* self, double ca)
{
    sari_constrained* lin = self->lin;
    const unsigned long now = self->sys->tangents;
    if (!self->P.has_tangent || lin->kkt || self->ratio_given || self->alpha_given > 0.0) return;
    if (self->beside_of != now || fabs(self->beside_ca - ca) > SAME * ca) {
        self->beside_springs = self->ratio / sari_constrained_unit(lin);
        self->beside_of = now;
        self->beside_ca = ca;
    }
    const double c = self->beside_springs;
    if (!(c > STIFF * lin->c)) return;
    lin->c = c;
    self->alpha = c * ca;
}

/* (2) with the present P and Phi_q. Geometric stiffness is that of the first correction: the forces
 * change little after it. */
sar_status sari_al3_factor(al3* self, const sari_state* s, double cv, double ca,
                           const double* lambda)
{
    sari_constrained* lin = self->lin;
    SARI_TRY(need_jacobian(self, s));
    const int varies = self->P.has_tangent || !self->sys->constant_mass;
    const int known = lin->same_P || (lambda && self->stiffened == lin);
    if (!known || varies) sari_step_matrix_set(&self->P, 1.0 / ca, cv, lambda, &lin->P);
    outweigh_springs(self, ca);
    lin->same_P = known && !varies;
    self->stiffened = lambda && self->P.stiffness ? lin : NULL;
    sar_status st = sari_constrained_factor(lin);
    lin->same_P = !varies && !self->P.stiffness;
    sari_tangent_factored(&self->tangent, lin->c, ca);
    sari_transport_begin(&self->transport, s->q);
    return st;
}

/* Is the tangent of an earlier correction still good enough? */
static int can_reuse(const al3* self, double ca)
{
    if (self->phase == HELD || self->lin->kkt) return 0;
    // rows that repeat or contradict each other, or hold velocities alone, want the present ones
    const int plain = !self->psi && !self->repeated && self->sys->slack.count == 0;
    if (self->iteration == 1 && !plain) return 0;
    return sari_tangent_good(&self->tangent, self->iteration, ca);
}

/* The tangent as it was factored: a penalty beside stiff springs is not that of choose_form. */
static void reuse(al3* self, double ca)
{
    self->tangent.age++;
    self->lin->c = self->tangent.c;
    self->alpha = self->tangent.c * ca;
}

/* (3) and (4). Where one correction may be all there is, they are repeated with the same S: what a finite
 * penalty leaves of the change of lambda is taken back at the price of a solution. */
static void solve_passes(al3* self, double* dq, double* mu)
{
    const int n = self->sys->nq, most = self->lin->kkt ? 1 : self->most_passes;
    sari_constrained_solve(self->lin, self->f, self->g, self->lin->kkt ? 2 : 1, dq, mu);
    for (int pass = 2; pass <= most; pass++) {
        double size = 0.0, change = 0.0;
        memcpy(self->before, dq, (size_t)n * sizeof *dq);
        sari_constrained_solve(self->lin, self->f, self->g, 1, dq, mu);
        for (int i = 0; i < n; i++) {
            const double d = dq[i] - self->before[i];
            size += dq[i] * dq[i];
            change += d * d;
        }
        if (change <= PASSED * PASSED * size) return;
    }
}

/* (8): mu and f become what is left of the balance, then mu += dmu */
static void solve_changes(al3* self, const sari_state* s, double* dq)
{
    const sari_equations* sys = self->sys;
    sari_equations_add_reaction(sys, -1.0, self->mu, self->f);
    memset(self->dmu, 0, (size_t)sys->nc * sizeof(double));
    if (self->tangent.lasts) {
        sari_transport_prepare(&self->transport, s->q);
        sari_transport_there(&self->transport, self->f, self->g);
    }
    sari_step_matrix_reduce(&self->P, self->f);
    solve_passes(self, dq, self->dmu);
    sari_step_matrix_expand(&self->P, self->f, dq);
    if (self->tangent.lasts) sari_transport_here(&self->transport, dq, self->dmu);
    for (int r = 0; r < sys->nc; r++) self->mu[r] += self->dmu[r];
}

typedef struct residual {
    al3* self;
    const double* lambda;
    double b;
} residual;

/* f, which holds M a, becomes b (Q - M a), or what (7) wants in its place. */
static void residual_of_motion(void* task, int first, int end)
{
    const residual* t = task;
    const al3* self = t->self;
    for (int i = first; i < end; i++) {
        double f = self->sys->Q[i] - self->f[i];
        if (self->iteration == 1) self->force[i] = f;
        self->f[i] = t->b * (self->phase == HELD ? f - self->force[i] : f);
    }
}

/* g and mu, with which f makes -r of (1) */
static void residual_of_rows(void* task, int first, int end)
{
    const residual* t = task;
    const al3* self = t->self;
    for (int r = first; r < end; r++) {
        const int on_velocity = r >= self->sys->nc - self->sys->velocity_rows;
        self->g[r] = on_velocity ? -self->psi[r] / self->cv : -self->sys->Phi[r];
        self->mu[r] = self->phase == HELD ? 0.0 : t->b * t->lambda[r];
    }
}

/* (3), and (4) up to the factor ca; or (7) */
static sar_status solve(al3* self, const sari_state* s, double cv, double ca, int reused,
                        const double* lambda, double* dq)
{
    const sari_equations* sys = self->sys;
    const double b = 1.0 / ca;
    double* f = self->f;
    self->cv = cv;
    if (self->psi) sari_equations_phi_dot(sys, s->v, self->psi);
    if (reused)
        reuse(self, ca);
    else
        SARI_TRY(sari_al3_factor(self, s, cv, ca, lambda));
    if (self->P.has_tangent || self->P.stiffness || (reused && !sys->constant_mass))
        sari_equations_mass_times(sys, s->a, f);
    else // P = M
        sari_constrained_multiply(self->lin, s->a, f);
    residual task = {self, lambda, b};
    sari_parallel(sys->threads, sys->nq, residual_of_motion, &task);
    sari_parallel(sys->threads, sys->nc, residual_of_rows, &task);
    if (reused) {
        solve_changes(self, s, dq);
        return SAR_OK;
    }
    sari_step_matrix_reduce(&self->P, f);
    solve_passes(self, dq, self->mu);
    sari_step_matrix_expand(&self->P, f, dq);
    return SAR_OK;
}

/* Pivots of constraints in the limit: those of redundant ones are small all the time. */
int sari_al3_weak_pivots(const al3* self)
{
    const sari_solver* solver = &self->form[LIMIT].solver;
    sari_pivots pivots = {0};
    solver->ops->pivots(solver->self, &pivots);
    return pivots.weak + pivots.zero;
}

/* Does the limit fail at the present position? Its first correction has nothing to contract. */
static int limit_fails(const al3* self, double correction)
{
    if (!self->lin->kkt) return 0;
    // psi, and a jolt of stiff springs, take longer anyway
    if ((self->psi || self->tangent.expensive) && sari_al3_weak_pivots(self) <= self->redundant)
        return 0;
    const int comparable = self->kkt ? self->iteration > PATIENCE : self->in_limit > 1;
    return comparable && correction > SARI_AL3_REUSED &&
           correction > CONTRACTION * self->tangent.correction;
}

/* F of (7): less the part of F - Phi_q' lambda that would do work. */
static sar_status hold(al3* self, const sari_state* s)
{
    const sari_equations* sys = self->sys;
    double *Mv = self->f, power = 0.0, twice_kinetic = 0.0;
    SARI_TRY(need_jacobian(self, s));
    sari_sym_multiply(&sys->M, sys->M.x, s->v, Mv);
    for (int i = 0; i < sys->nq; i++) {
        power += s->v[i] * self->force[i];
        twice_kinetic += s->v[i] * Mv[i];
    }
    for (int r = 0; r < sys->nc; r++)
        for (int k = sys->Phi_q.p[r]; k < sys->Phi_q.p[r + 1]; k++)
            power -= self->lambda[r] * sys->Phi_q.x[k] * s->v[sys->Phi_q.i[k]];
    if (twice_kinetic > 0.0)
        for (int i = 0; i < sys->nq; i++) self->force[i] -= power / twice_kinetic * Mv[i];
    self->phase = HELD;
    return SAR_OK;
}

static sar_status correct(void* self_, const sari_state* s, double cv, double ca, double* dq)
{
    al3* self = self_;
    int n = self->sys->nq;
    self->iteration++;
    sari_al3_choose_form(self, ca);
    const int reused = can_reuse(self, ca);
    SARI_TRY(evaluate(self, s, cv, ca, reused));
    const double* lambda = s->lambda;
    if (self->iteration == 1) {
        memcpy(self->lambda, s->lambda, (size_t)self->sys->nc * sizeof(double));
        if (self->tangent.whole && !self->repeated)
            lambda = sari_predicted_next(&self->predicted, ca, s->lambda);
    }
    SARI_TRY(solve(self, s, cv, ca, reused, lambda, dq));
    double correction = sari_vector_max(n, dq);
    if (limit_fails(self, correction)) {
        SARI_TRY(hold(self, s));
        sari_al3_choose_form(self, ca);
        SARI_TRY(solve(self, s, cv, ca, 0, s->lambda, dq));
        correction = sari_vector_max(n, dq);
    }
    sari_tangent_corrected(&self->tangent, self->iteration, correction);
    self->updated = 0;
    return SAR_OK;
}

static void update(void* self_, sari_state* s, double ca)
{
    al3* self = self_;
    for (int r = 0; r < self->sys->nc; r++)
        s->lambda[r] = self->phase == HELD ? self->lambda[r] : ca * self->mu[r]; // (4)
    sari_slack_drop(&self->sys->slack, s->lambda);
    self->updated = 1;
}

int sari_al3_held(const void* self)
{
    return ((const al3*)self)->phase == HELD;
}

void sari_al3_impulses(const void* self_, const double** nu, const double** kappa)
{
    const al3* self = self_;
    *nu = self->nu, *kappa = self->kappa;
}

void sari_al3_begin(void* self_, const sari_state* s)
{
    al3* self = self_;
    sari_tangent_begin(&self->tangent, self->iteration);
    if (!s) { // it failed
        sari_tangent_forget(&self->tangent);
        sari_predicted_forget(&self->predicted);
    }
    self->goes_on = 0;
    self->updated = 0;
    self->iteration = self->in_limit = 0;
    self->stiffened = NULL;
    self->phase = self->kkt ? IN_LIMIT : WITH_PENALTY;
}

static int near_singular(const void* self_)
{
    const al3* self = self_;
    return self->lin->kkt && sari_al3_weak_pivots(self) > self->redundant;
}

static double alpha(const void* self_)
{
    return ((const al3*)self_)->alpha;
}

static void share(void* self_, int threads)
{
    al3* self = self_;
    for (int k = PENALTY; k <= LIMIT; k++) sari_constrained_share(&self->form[k], threads);
}

static double filter(const void* self_)
{
    const al3* self = self_;
    return self->kkt || self->form[PENALTY].m == 0 ? NAN : self->form[PENALTY].c * self->softest;
}

static const char* solver(const void* self_)
{
    return ((const al3*)self_)->lin->solver.ops->name;
}

static void clear(void* self_)
{
    al3* self = self_;
    sari_constrained_clear(&self->form[PENALTY]);
    sari_constrained_clear(&self->form[LIMIT]);
    sari_step_matrix_clear(&self->P);
}

/* Factors of the last step are stored where the next one may begin with them. */
static void archive(void* self_, sari_archive* a)
{
    al3* self = self_;
    const int form = sari_archive_flag(a, self->lin == &self->form[LIMIT]);
    const int stiffened = !self->stiffened ? 0 : self->stiffened == &self->form[LIMIT] ? 2 : 1;
    const int of = sari_archive_range(a, stiffened, 0, 2);
    long evaluation = (long)self->beside_of;
    sari_archive_longs(a, &evaluation, 1);
    SARI_ARCHIVE_INTS(a, &self->goes_on, &self->redundant, &self->implied, &self->repeated,
                      &self->started, &self->iteration, &self->in_limit, &self->has_jacobian,
                      &self->updated);
    SARI_ARCHIVE_NUMBERS(a, &self->alpha, &self->beside_springs, &self->beside_ca, &self->floor,
                         &self->reached, &self->moment, &self->unit, &self->cv);
    sari_tangent_archive(&self->tangent, a);
    sari_transport_archive(&self->transport, a);
    sari_predicted_archive(&self->predicted, a);
    sari_step_matrix_archive(&self->P, a);
    for (int k = PENALTY; k <= LIMIT; k++)
        sari_constrained_archive(&self->form[k], a, k == PENALTY && self->tangent.expensive);
    self->lin = &self->form[form];
    self->stiffened = of ? &self->form[of - 1] : NULL;
    self->phase = (phase)sari_archive_range(a, (int)self->phase, WITH_PENALTY, HELD);
    self->beside_of = (unsigned long)evaluation;
}

static sari_cost price(const void* self_)
{
    const al3* self = self_;
    return self->tangent.expensive  ? SARI_VERY_EXPENSIVE
           : self->tangent.measured ? SARI_EXPENSIVE
                                    : SARI_CHEAP;
}

static void predicted(void* self, int yes)
{
    ((al3*)self)->goes_on = yes;
}

static const sari_correction_ops corrections = {.correct = correct,
                                                .update = update,
                                                .project = sari_al3_project,
                                                .price = price,
                                                .predicted = predicted};

const sari_formulation_ops sari_formulation_al3 = {
    .name = "al3",
    .cite = "bayo1996 gonzalez2016 dopico2014",
    .text = "index-3 augmented Lagrangian with velocity and acceleration projections",
    .violation = 1e-6,
    .capabilities =
        SARI_FORM_SLACK | SARI_FORM_RANK_DROP | SARI_FORM_LIMIT | SARI_FORM_GRAPH | SARI_FORM_TREE,
    .corrections = &corrections,
    .size = SARI_OBJECT(al3, memory),
    .create = sari_al3_create,
    .start = sari_al3_start,
    .begin = sari_al3_begin,
    .near_singular = near_singular,
    .share = share,
    .alpha = alpha,
    .filter = filter,
    .solver = solver,
    .archive = archive,
    .clear = clear,
};
