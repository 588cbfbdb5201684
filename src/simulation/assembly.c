/* Assembly of a start from a drawing that may be inexact or incomplete.
 *
 * Positions: find q near the drawn one with r(q) = (Phi, start conditions) = 0, by
 * Levenberg-Marquardt: (1 + c J'J) dq = -c J' r (1) which is defined for redundant and
 * contradictory rows alike. c grows while r falls and shrinks when it does not. Verdicts: r
 * vanished: assembled. J'r vanished but r did not, also from a few shaken starts: impossible.
 * Neither: not converged.
 *
 * Velocities: the v nearest to the drawn one in the sense of kinetic energy with J v = -Phi_t and
 * the demanded rates.
 *
 * As given: the same with the rows of the start conditions alone. The constraints are measured, not
 * satisfied. */
#include "base/memory.h"
#include "base/status.h"
#include "formulations/constrained.h"
#include "simulation/simulation.h"
#include "solvers/sym_tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct assembler {
    sari_system* sys;
    const sar_model* model;
    double t;
    int n, rows; ///< rows: constraints, then start conditions of this level
    int* start;  ///< start conditions of this level
    int starts, level;
    int settle;   ///< leave out relations whose offset is as drawn
    int as_given; ///< leave out all constraints
    sari_csr J;
    sari_constrained lin;
    double *r, *dq, *mu, *zero, *trial, *f;
    double* scale; ///< velocities: of the rows of J
} assembler;

static void clear(assembler* a)
{
    sari_constrained_clear(&a->lin);
    sari_csr_clear(&a->J);
    sari_release(a->start);
    sari_release(a->r);
    sari_release(a->dq);
    sari_release(a->mu);
    sari_release(a->zero);
    sari_release(a->trial);
    sari_release(a->f);
    sari_release(a->scale);
}

static int start_scalar(const assembler* a, int k)
{
    return a->sys->mechanism->signal_scalar[a->model->starts[a->start[k]].signal];
}

static sar_status make_rows(assembler* a)
{
    const sari_system* sys = a->sys;
    a->start = SARI_NEW_ARRAY(int, a->model->starts_count);
    if (!a->start) return SAR_E_NOMEM;
    for (int i = 0; i < a->model->starts_count; i++)
        if (a->model->signals[a->model->starts[i].signal].level == a->level)
            a->start[a->starts++] = i;
    a->rows = sys->nc + a->starts;
    sari_pattern pattern;
    sari_pattern_init(&pattern, a->rows, sys->nq);
    for (int r = 0; r < sys->nc; r++)
        for (int k = sys->Phi_q.p[r]; k < sys->Phi_q.p[r + 1]; k++)
            sari_pattern_add(&pattern, r, sys->Phi_q.i[k]);
    for (int k = 0; k < a->starts; k++) {
        const sari_term_list* list = &sys->kinematics->scalar_depends[start_scalar(a, k)];
        for (int i = 0; i < list->n; i++) sari_pattern_add(&pattern, sys->nc + k, list->i[i]);
    }
    sar_status st = sari_pattern_make_csr(&pattern, &a->J);
    sari_pattern_clear(&pattern);
    return st;
}

static sar_status init(assembler* a, sari_system* sys, double t, int level)
{
    memset(a, 0, sizeof *a);
    a->sys = sys;
    a->model = sys->model;
    a->t = t;
    a->level = level;
    a->n = sys->nq;
    SARI_TRY(make_rows(a));
    a->r = SARI_NEW_ARRAY(double, a->rows);
    a->mu = SARI_NEW_ARRAY(double, a->rows);
    a->dq = SARI_NEW_ARRAY(double, a->n);
    a->zero = SARI_NEW_ARRAY(double, a->n);
    a->trial = SARI_NEW_ARRAY(double, sys->np);
    a->f = SARI_NEW_ARRAY(double, a->n);
    a->scale = SARI_NEW_ARRAY(double, a->rows);
    if (!a->scale || !a->r || !a->mu || !a->dq || !a->zero || !a->trial || !a->f)
        return SAR_E_NOMEM;
    if (a->rows == 0) return SAR_OK; // nothing will be solved
    if (level == 1) return sari_constrained_create(&a->lin, &sys->M, &a->J, 0, "auto", NULL);
    sari_pattern diagonal;
    sari_sym P = {0};
    sari_pattern_init(&diagonal, a->n, a->n);
    sar_status st = sari_pattern_make_sym(&diagonal, &P);
    sari_pattern_clear(&diagonal);
    if (st == SAR_OK) st = sari_constrained_create(&a->lin, &P, &a->J, 0, "auto", NULL);
    sari_sym_clear(&P);
    return st;
}

static void leave_out(assembler* a, int row)
{
    a->r[row] = 0.0;
    for (int k = a->J.p[row]; k < a->J.p[row + 1]; k++) a->J.x[k] = 0.0;
}

/* r and J at q; returns |r|^2. Rows of J have the same order of columns as the system's. */
static double evaluate(assembler* a, const double* q)
{
    sari_system* sys = a->sys;
    sari_system_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, a->t, q, NULL);
    int plain = sys->own_rows + sys->polynomial_rows;
    memcpy(a->J.x, sys->Phi_q.x, (size_t)sys->Phi_q.p[sys->nc] * sizeof(double));
    memcpy(a->r, sys->Phi, (size_t)sys->nc * sizeof(double));
    for (int i = 0; a->settle && i < sys->relation_rows; i++)
        if (sys->relation[i].as_drawn) leave_out(a, plain + i);
    for (int r = 0; a->as_given && r < sys->nc; r++) leave_out(a, r);
    for (int r = sys->nc - sys->velocity_rows; a->level == 0 && r < sys->nc; r++) leave_out(a, r);
    if (a->starts) sari_kinematics_update(sys->kinematics, q, NULL, 1);
    for (int k = 0; k < a->starts; k++) {
        sari_scalar_value value = {0};
        int scalar = start_scalar(a, k), row = sys->nc + k;
        sari_scalar_eval(sys->kinematics, scalar, 0, &value);
        memcpy(a->J.x + a->J.p[row], value.g,
               (size_t)sys->kinematics->scalar_depends[scalar].n * sizeof(double));
        a->r[row] = value.value - a->model->starts[a->start[k]].value;
    }
    double square = 0.0;
    for (int r = 0; r < a->rows; r++) square += a->r[r] * a->r[r];
    return square;
}

static double largest(const double* x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* One search from q: ends at a zero or at a stationary point of |r|. */
static sar_assembly_verdict search(assembler* a, double* q, sar_assembly* report)
{
    enum { MOST = 300 };
    double square = evaluate(a, q), c = 1e4;
    double size = 1.0 + largest(q, a->sys->np), tolerance = 1e-10 * fmin(1.0, size * size);
    int polished = 0;
    for (int it = 0; it < MOST; it++) {
        if (largest(a->r, a->rows) <= 1e-16 * size) return SAR_ASSEMBLED; // rounding of the drawing
        report->iterations++;
        for (int i = 0; i < a->n; i++) a->lin.P.x[a->lin.P.p[i]] = 1.0;
        a->lin.c = c;
        if (sari_constrained_factor(&a->lin) < 0) return SAR_ASSEMBLY_NOT_CONVERGED;
        for (int r = 0; r < a->rows; r++) a->r[r] = -a->r[r], a->mu[r] = 0.0;
        sari_constrained_solve(&a->lin, a->zero, a->r, 1, a->dq, a->mu); // (1)
        double move = largest(a->dq, a->n), shorten = fmin(1.0, 0.5 * size / fmax(move, 1e-300));
        for (int i = 0; i < a->n; i++) a->dq[i] *= shorten;
        sari_coordinates_move(&a->sys->coordinates, q, a->dq, a->trial);
        double next = evaluate(a, a->trial);
        if (isfinite(next) && next < square) {
            int barely = next > 0.999999 * square && largest(a->r, a->rows) > tolerance;
            memcpy(q, a->trial, (size_t)a->sys->np * sizeof *q);
            square = next;
            c = fmin(1e12, 30.0 * c);
            if (barely && ++polished > 20) return SAR_ASSEMBLY_IMPOSSIBLE;
            continue;
        }
        evaluate(a, q);
        if (largest(a->r, a->rows) <= tolerance) return SAR_ASSEMBLED; // as good as rounding allows
        c *= 1e-2;
        if (c < 1e-8 || move < 1e-13 * size) return SAR_ASSEMBLY_IMPOSSIBLE;
    }
    return largest(a->r, a->rows) <= tolerance ? SAR_ASSEMBLED : SAR_ASSEMBLY_NOT_CONVERGED;
}

/* Shaken starts: a fixed sequence of numbers in [-1, 1], so that the same model gives the same
 * answer. */
static double shake(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* Largest violation that a joint has to do with: its own rows, and in coordinates that build joints
 * in those of the bodies it holds together. */
static double joint_residual(const assembler* a, int joint)
{
    const sari_system* sys = a->sys;
    const sari_joint* j = &a->model->joints[joint];
    double worst = 0.0;
    for (int r = 0; r < sys->nc; r++) {
        int own = j->kind == SARI_JOINT_PAIR && sys->row_body[r] > 0 &&
                  (sys->row_body[r] == j->pair.a.body.i || sys->row_body[r] == j->pair.b.body.i);
        if ((own || sys->row_joint[r] == joint) && fabs(a->r[r]) > fabs(worst)) worst = a->r[r];
    }
    return worst;
}

static void add_conflict(sar_assembly* report, const char* name, double residual)
{
    int at = report->conflicts;
    while (at > 0 && fabs(report->conflict[at - 1].residual) < fabs(residual)) at--;
    if (at == 8) return;
    if (report->conflicts < 8) report->conflicts++;
    for (int k = report->conflicts - 1; k > at; k--) report->conflict[k] = report->conflict[k - 1];
    snprintf(report->conflict[at].name, sizeof report->conflict[at].name, "%s", name);
    report->conflict[at].residual = residual;
}

/* Residuals as distances: a row divided by the length of its gradient. */
static void scale_residuals(assembler* a)
{
    for (int r = 0; r < a->rows; r++) {
        double square = 0.0;
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++) square += a->J.x[k] * a->J.x[k];
        if (square > 1e-12) a->r[r] /= sqrt(square);
    }
}

static void list_conflicts(assembler* a, sar_assembly* report)
{
    if (a->level == 0) scale_residuals(a);
    double worst = largest(a->r, a->rows);
    report->residual = worst;
    report->conflicts = 0;
    for (int j = 0; j < a->model->joints_count; j++) {
        double residual = joint_residual(a, j);
        if (fabs(residual) >= 0.05 * worst)
            add_conflict(report, a->model->joints[j].name, residual);
    }
    for (int k = 0; k < a->starts; k++) {
        double residual = a->r[a->sys->nc + k];
        if (fabs(residual) >= 0.05 * worst)
            add_conflict(report, a->model->starts[a->start[k]].name, residual);
    }
}

static sar_assembly_verdict search_with_restarts(assembler* a, double* q, const double* drawn,
                                                 sar_assembly* report)
{
    sar_assembly_verdict verdict = search(a, q, report);
    if (verdict == SAR_ASSEMBLED) return verdict;
    double* kept = sari_copy(q, (size_t)a->sys->np, sizeof *q);
    uint64_t state = 20161116;
    for (int attempt = 0; kept && attempt < 6; attempt++) {
        double size = 0.05 * (1 << attempt) * (0.1 + largest(drawn, a->sys->np));
        for (int i = 0; i < a->n; i++) a->dq[i] = size * shake(&state);
        sari_coordinates_move(&a->sys->coordinates, drawn, a->dq, q);
        if (search(a, q, report) == SAR_ASSEMBLED) {
            sari_release(kept);
            return SAR_ASSEMBLED;
        }
    }
    if (kept) memcpy(q, kept, (size_t)a->sys->np * sizeof *q);
    sari_release(kept);
    evaluate(a, q);
    return verdict;
}

/* Angles are counted from where the start says they are. */
static void count_turns(assembler* a)
{
    sari_system* sys = a->sys;
    for (int k = 0; k < a->starts; k++)
        sys->kinematics->scalar[start_scalar(a, k)].last = a->model->starts[a->start[k]].value;
    for (int i = 0; i < sys->mechanism->relations_count; i++) {
        const sari_relation* r = &sys->relation[i];
        double t = a->t;
        if (r->value)
            sys->kinematics->scalar[r->scalar[0]].last = sari_expression_value(r->value, &t);
    }
}

static sar_status assemble_positions(assembler* a, double* q, sar_assembly* report)
{
    double* drawn = sari_copy(q, (size_t)a->sys->np, sizeof *q);
    if (!drawn && a->n) return SAR_E_NOMEM;
    count_turns(a);
    a->settle = 1;
    report->verdict = search_with_restarts(a, q, drawn, report);
    if (report->verdict == SAR_ASSEMBLED) {
        a->settle = 0;
        evaluate(a, q);
        sari_system_settle_offsets(a->sys);
        report->verdict = search(a, q, report);
    }
    double square = 0.0;
    sari_coordinates_difference(&a->sys->coordinates, drawn, q, a->dq);
    for (int i = 0; i < a->n; i++) square += a->dq[i] * a->dq[i];
    report->moved = sqrt(square);
    report->residual = largest(a->r, a->rows);
    sari_release(drawn);
    if (report->verdict == SAR_ASSEMBLED) {
        sari_scalars_commit(a->sys->kinematics);
        return SAR_OK;
    }
    list_conflicts(a, report);
    return SAR_E_ASSEMBLY;
}

/* Rows are made alike in what they weigh, J M^-1 J' about 1: one penalty has to do for a light
 * rotor and for what it drives through a gear of a hundred. Massless coordinates do not bear this,
 * so it comes second. */
static void scale_rows(assembler* a)
{
    const sari_sym* P = &a->lin.P;
    for (int r = 0; r < a->rows; r++) {
        double light = 0.0;
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++)
            light += a->J.x[k] * a->J.x[k] / P->x[P->p[a->J.i[k]]];
        a->scale[r] = light > 0.0 ? 1.0 / sqrt(light) : 1.0;
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++) a->J.x[k] *= a->scale[r];
    }
}

static void unscale_rows(assembler* a)
{
    for (int r = 0; r < a->rows; r++) {
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++) a->J.x[k] /= a->scale[r];
        a->scale[r] = 1.0;
    }
}

/* r = J v + Phi_t, J v - demanded rates */
static void rate_residual(assembler* a, const double* v)
{
    const sari_system* sys = a->sys;
    sari_csr_multiply(&a->J, v, a->r);
    for (int r = 0; r < a->rows; r++) a->r[r] /= a->scale[r];
    for (int r = 0; r < sys->nc; r++) a->r[r] += a->as_given ? 0.0 : sys->Phi_t[r];
    for (int k = 0; k < a->starts; k++) a->r[sys->nc + k] -= a->model->starts[a->start[k]].value;
}

/* M dv + J' mu = 0, J dv = -(J v + Phi_t) */
static sar_status approach(assembler* a, double* v)
{
    a->lin.c = 1e6 / sari_constrained_unit(&a->lin);
    SARI_TRY(sari_constrained_factor(&a->lin));
    for (int pass = 0; pass < 3; pass++) {
        rate_residual(a, v);
        for (int r = 0; r < a->rows; r++) a->r[r] *= -a->scale[r], a->mu[r] = 0.0;
        sari_constrained_solve(&a->lin, a->zero, a->r, 10, a->dq, a->mu);
        for (int i = 0; i < a->n; i++) v[i] += a->dq[i];
    }
    return SAR_OK;
}

/* What is left over, relative to the velocities. */
static double rates_left(assembler* a, const double* v)
{
    rate_residual(a, v);
    return largest(a->r, a->rows) / (1.0 + largest(v, a->n));
}

/* P = M, regular: every coordinate gets a little more of what it has, massless ones a little of the
 * heaviest. */
static void lend_mass(assembler* a)
{
    const sari_sym* M = &a->sys->M;
    const double little = 1e-9;
    double heaviest = 0.0;
    for (int i = 0; i < a->n; i++) heaviest = fmax(heaviest, M->x[M->p[i]]);
    if (!(heaviest > 0.0)) heaviest = 1.0;
    memcpy(a->lin.P.x, M->x, (size_t)M->p[a->n] * sizeof(double));
    for (int i = 0; i < a->n; i++) {
        const double own = M->x[M->p[i]];
        a->lin.P.x[a->lin.P.p[i]] += little * (own > little * heaviest ? own : heaviest);
    }
}

static sar_status assemble_velocities(assembler* a, const double* q, double* v,
                                      sar_assembly* report)
{
    sari_system* sys = a->sys;
    if (a->rows == 0) return SAR_OK;
    sari_system_eval(sys, SARI_EVAL_MASS, a->t, q, NULL);
    evaluate(a, q);
    lend_mass(a);
    for (int r = 0; r < a->rows; r++) a->scale[r] = 1.0;
    memcpy(a->trial, v, (size_t)a->n * sizeof *v);
    SARI_TRY(approach(a, v));
    double left = rates_left(a, v);
    if (left > 1e-13) {
        scale_rows(a);
        SARI_TRY(approach(a, a->trial));
        unscale_rows(a);
        if (rates_left(a, a->trial) < left) memcpy(v, a->trial, (size_t)a->n * sizeof *v);
    }
    left = rates_left(a, v);
    report->residual = fmax(report->residual, largest(a->r, a->rows));
    if (left <= 1e-8) return SAR_OK;
    report->verdict = SAR_ASSEMBLY_IMPOSSIBLE;
    list_conflicts(a, report);
    return SAR_E_ASSEMBLY;
}

/* Largest violation of the constraints themselves. */
static double violation(sari_system* sys, double t, const double* q, const double* v, double* work)
{
    sari_system_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, t, q, v);
    sari_system_phi_dot(sys, v, work);
    return fmax(largest(sys->Phi, sys->nc), largest(work, sys->nc));
}

sar_status sari_assemble(sari_system* system, double t, int as_given, double* q, double* v,
                         sar_assembly* report)
{
    assembler a;
    memset(report, 0, sizeof *report);
    sar_status st = SAR_OK;
    for (int level = 0; level < 2 && st == SAR_OK; level++) {
        report->level = level;
        st = init(&a, system, t, level);
        a.as_given = as_given;
        if (st == SAR_OK)
            st = level == 0 ? assemble_positions(&a, q, report)
                            : assemble_velocities(&a, q, v, report);
        if (st == SAR_OK && as_given && level == 1) {
            report->verdict = SAR_ASSEMBLY_AS_GIVEN;
            report->residual = violation(system, t, q, v, a.r);
        }
        clear(&a);
    }
    return st;
}
