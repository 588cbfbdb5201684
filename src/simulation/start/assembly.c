/* Assembly of a start from a drawing that may be inexact, incomplete or over-constrained.
 *
 * Positions: find q near the drawn one with r(q) = (Phi, start conditions) = 0, by
 * Levenberg-Marquardt,
 *
 *     (W + c J'J) dq = -c J' r                                                             (1)
 *
 * with W = 1, which is defined for redundant and contradictory rows alike. c grows while r falls and shrinks
 * when it does not. Where that ends without a zero, the start conditions are approached in steps
 * from where the drawing has them, and shaken drawings are tried.
 *
 * A drawing has finite digits. Over-constrained mechanisms that are exact on paper contradict
 * themselves by what is lost in them: there is no zero, or one far away, where small gaps have
 * added up along a direction in which the joints hold weakly. So where nothing was found near the
 * drawing, (1) is solved with c bounded, which leaves such directions alone, and what remains of r
 * is accepted if it is below the precision of the drawing (option `drawing`). It is reported as a
 * gap, and the run leaves it open (contradictions.c).
 *
 * Verdicts: r vanished, or is below that precision: assembled. J'r vanished but r did not, from
 * nowhere: impossible. Neither: not converged.
 *
 * Where "near" depends on the coordinates, the drawing is put right first (inexact_drawing.c). Velocities follow for
 * these positions (start_velocities.c).
 *
 * As given: the same with the rows of the start conditions alone. The constraints are measured, not
 * satisfied. */
#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/random.h"
#include "math/vec3.h"
#include "simulation/start/assembler.h"
#include "simulation/start/equilibrium.h"
#include "system/turns.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double EXACT = 1e-10;  ///< residual of a zero, where rounding allows no better
static const double STRONG = 1e12;  ///< largest c
static const double GENTLE = 1e8;   ///< the same where directions that are held by less than 1e-4
                                    ///< are to be left alone, more or less ...
static const double ROUGH = 1e4;    ///< ... or those by less than 1e-2
static const double WEAK = 100.0;   ///< precisions of the drawing: rows that hold by less, and by
                                    ///< less than ...
static const double WEAKEST = 0.02; ///< ... this, may be redundant
static const double ADDED = 10.0;   ///< precisions of the drawing that add up around a loop
static const double REDUNDANT = 1e-13; ///< of the size: rounding of rows that are redundant
static const double MOST_WORK = 1e7; ///< rows times the square of redundant ones: larger models are
                                     ///< taken to be exact
static const double BESIDE = 0.1;    ///< of the size: so far beside a position it is not singular
static const double MOVES = 10.0; ///< a zero is near the drawing if it is not farther than so many
                                  ///< times what a residual explains

/* ---- one search ----------------------------------------------------------------------------- */

static double size_of(const sari_assembler* a, const double* q)
{
    return a->unit + sari_largest(a->sys->np, q);
}

/* What counts as zero. */
static double zero_of(const sari_assembler* a, const double* q)
{
    const double size = size_of(a, q);
    return EXACT * fmin(a->unit, size * size);
}

/* (1), not longer than half of the mechanism's size; the point it leads to is a->trial. Its length,
 * or NaN when it cannot be solved. */
static double propose(sari_assembler* a, const double* q, double c, double size)
{
    for (int i = 0; i < a->n; i++) a->lin.P.x[a->lin.P.p[i]] = a->weight ? a->weight[i] : 1.0;
    a->lin.c = c;
    if (sari_constrained_factor(&a->lin) < 0) return NAN;
    for (int r = 0; r < a->rows; r++) a->r[r] = -a->r[r], a->mu[r] = 0.0;
    sari_constrained_solve(&a->lin, a->zero, a->r, 1, a->dq, a->mu);
    const double move = sari_largest(a->n, a->dq);
    const double shorten = fmin(1.0, 0.5 * size / fmax(move, 1e-300));
    for (int i = 0; i < a->n; i++) a->dq[i] *= shorten;
    sari_coordinates_move(&a->sys->coordinates, q, a->dq, a->trial);
    return move;
}

/* From q with c up to `most`: ends at a zero or at a stationary point of |r|. */
static sar_assembly_verdict search(sari_assembler* a, double* q, double most, sar_assembly* report)
{
    enum { ITERATIONS = 300, POLISH = 20 };
    double square = sari_assembler_evaluate(a, q), c = fmin(1e4, most);
    const double size = size_of(a, q), zero = zero_of(a, q);
    int polished = 0;
    for (int it = 0; it < ITERATIONS; it++) {
        if (sari_largest(a->rows, a->r) <= 1e-16 * size) return SAR_ASSEMBLED; // rounding
        report->iterations++;
        const double move = propose(a, q, c, size);
        if (isnan(move)) return SAR_ASSEMBLY_NOT_CONVERGED;
        const double next = sari_assembler_evaluate(a, a->trial);
        if (isfinite(next) && next < square) {
            int barely = next > 0.999999 * square && sari_largest(a->rows, a->r) > zero;
            memcpy(q, a->trial, (size_t)a->sys->np * sizeof *q);
            square = next;
            c = fmin(most, 30.0 * c);
            if (barely && ++polished > POLISH) return SAR_ASSEMBLY_IMPOSSIBLE;
            continue;
        }
        sari_assembler_evaluate(a, q);
        if (sari_largest(a->rows, a->r) <= zero) return SAR_ASSEMBLED; // as good as rounding allows
        c *= 1e-2;
        if (c < 1e-8 || move < 1e-13 * size) return SAR_ASSEMBLY_IMPOSSIBLE;
    }
    return sari_largest(a->rows, a->r) <= zero ? SAR_ASSEMBLED : SAR_ASSEMBLY_NOT_CONVERGED;
}

static double distance(sari_assembler* a, const double* from, const double* to)
{
    sari_coordinates_difference(&a->sys->coordinates, from, to, a->f);
    return sari_largest(a->n, a->f);
}

/* ---- ways to a start ------------------------------------------------------------------------ */

/// Where the search is, and from where.
typedef struct ways {
    sari_assembler* a;
    const double* drawn;
    double* q;            ///< the result
    double *best, *first; ///< where a way ended that may be gone back to, and the first search
    double drawing;       ///< precision
    double away;          ///< of the drawing from the origin
    sari_contradictions* slack; ///< NULL: no gaps are left
    int contradictory;
    sar_status failed; ///< out of memory
    sar_assembly* report;
} ways;

static void go_to(const ways* w, const double* q)
{
    memcpy(w->q, q, (size_t)w->a->sys->np * sizeof *q);
}

/* A drawing that is off by r is off by about r in its coordinates, or by its root where it is near
 * a singular configuration. */
static int is_near(const ways* w, double off)
{
    const double unit = w->a->unit, r = off / unit;
    return distance(w->a, w->drawn, w->q) <= MOVES * unit * (r + sqrt(r)) + 1e-9 * unit;
}

/* To a position a little beside w->q, in w->best; 0 if there is none but w->q itself. */
static int go_beside(ways* w)
{
    sari_assembler* a = w->a;
    sari_contradictions_weak_motion(w->slack, a->dq);
    for (int i = 0; i < a->n; i++) a->dq[i] *= BESIDE * a->unit;
    sari_coordinates_move(&a->sys->coordinates, w->q, a->dq, w->best);
    const int iterations = w->report->iterations;
    a->without_starts = 1;
    search(a, w->best, GENTLE, w->report);
    a->without_starts = 0;
    w->report->iterations = iterations; // a sample around is no part of the way
    sari_assembler_evaluate(a, w->best);
    return distance(a, w->q, w->best) > 0.2 * BESIDE * a->unit;
}

/* Do rows contradict each other at w->q or beside it, by however little? Exact redundancy does not,
 * but for rounding; and in a singular configuration rows hold weakly that do not beside it. */
static int is_contradictory(ways* w)
{
    if (!w->slack) return 0;
    sari_assembler_evaluate(w->a, w->q);
    const int count = sari_contradictions_count(w->slack);
    if (count == 0 || (double)count * count * w->a->sys->nc > MOST_WORK) return 0;
    const double rounding = REDUNDANT * size_of(w->a, w->q) + 16.0 * DBL_EPSILON * w->away;
    const double here = sari_contradictions_probe(w->slack);
    if (!go_beside(w)) return here > rounding;
    if (sari_contradictions_count(w->slack) < count) return 0;
    return fmax(here, sari_contradictions_probe(w->slack)) > rounding;
}

/* What is left open at q, by joint, and all of it together: the gap if one joint had to bear it,
 * which does not depend on how coordinates share it out. */
static void list_gaps(sari_assembler* a, const double* q, sar_assembly* report)
{
    const int count = a->sys->slack.count;
    a->sys->slack.count = 0;
    sari_assembler_evaluate(a, q);
    sari_kinematics_update(a->sys->kinematics, q, NULL, 1);
    a->sys->slack.count = count;
    sari_assembler_list(a, report);
    report->gap = 0.0;
    for (int k = 0; k < report->conflicts; k++) report->gap += fabs(report->conflict[k].residual);
}

/* As near as the joints get: what contradicts itself is left open, the rest is met. */
static int leave_gaps(ways* w)
{
    sari_assembler* a = w->a;
    go_to(w, w->drawn);
    search(a, w->q, ROUGH, w->report);
    for (int pass = 0; pass < 3; pass++) {
        sari_assembler_evaluate(a, w->q);
        w->failed = sari_contradictions_find(w->slack);
        if (w->failed != SAR_OK) return 0;
        if (search(a, w->q, STRONG, w->report) != SAR_ASSEMBLED) return 0;
    }
    w->contradictory = 1;
    list_gaps(a, w->q, w->report);
    return w->report->gap <= ADDED * w->drawing * a->unit;
}

/* Without the start conditions first, then along with them to their values. */
static int approach_starts(ways* w)
{
    sari_assembler* a = w->a;
    if (a->starts == 0 || a->without_starts) return 0;
    go_to(w, w->drawn);
    a->without_starts = 1;
    int there = search(a, w->q, STRONG, w->report) == SAR_ASSEMBLED;
    a->without_starts = 0;
    sari_assembler_take_starts(a, w->q);
    memcpy(w->best, w->q, (size_t)a->sys->np * sizeof *w->q);
    double gone = 0.0, part = 0.25;
    while (there && gone < 1.0 && part > 1e-3) {
        a->way = fmin(1.0, gone + part);
        if (search(a, w->q, STRONG, w->report) == SAR_ASSEMBLED) {
            memcpy(w->best, w->q, (size_t)a->sys->np * sizeof *w->q);
            gone = a->way;
            part *= 1.5;
        } else {
            go_to(w, w->best);
            part *= 0.5;
        }
    }
    a->way = 1.0;
    return gone >= 1.0;
}

static int shake_drawing(ways* w)
{
    sari_assembler* a = w->a;
    uint64_t state = 20161116;
    for (int attempt = 0; attempt < 6; attempt++) {
        const double size =
            0.05 * (1 << attempt) * (0.1 * a->unit + sari_largest(a->sys->np, w->drawn));
        for (int i = 0; i < a->n; i++) a->dq[i] = size * sari_random(&state);
        sari_coordinates_move(&a->sys->coordinates, w->drawn, a->dq, w->q);
        if (search(a, w->q, STRONG, w->report) == SAR_ASSEMBLED) return 1;
    }
    return 0;
}

/* The nearest start there is: exactly, or but for gaps below the drawing's precision, or farther
 * away. */
static sar_assembly_verdict find_start(ways* w)
{
    sari_assembler* a = w->a;
    sari_assembler_evaluate(a, w->drawn);
    const double off = sari_largest(a->rows, a->r);
    const size_t bytes = (size_t)a->sys->np * sizeof *w->q;
    go_to(w, w->drawn);
    const sar_assembly_verdict verdict = search(a, w->q, STRONG, w->report);
    const int found = verdict == SAR_ASSEMBLED;
    memcpy(w->first, w->q, bytes);
    if (!found || !is_near(w, off)) {
        go_to(w, w->drawn);
        search(a, w->q, GENTLE, w->report);
    }
    int done = is_contradictory(w) && leave_gaps(w);
    if (w->contradictory && !done) return SAR_ASSEMBLY_IMPOSSIBLE;
    if (!done) go_to(w, w->first);
    done = done || found || approach_starts(w) || shake_drawing(w);
    // rows that hold weakly here and well beside may contradict each other all the same
    if (!done) done = w->slack && leave_gaps(w);
    if (!done) go_to(w, w->first);
    return done ? SAR_ASSEMBLED : verdict;
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Bodies that were drawn: how far they are from there. */
static void measure_moves(const sari_system* sys, sar_assembly* report)
{
    const sari_mechanism* m = sys->mechanism;
    sari_kinematics* k = sys->kinematics;
    report->moved = report->turned = 0.0;
    for (int b = 1; b < m->bodies; b++) {
        const sar_body_def* def = &m->model->bodies[b].def;
        const double *X = k->X + m->nx * b, *X0 = m->X0 + m->nx * b;
        double R[9], R0[9], away[3] = {0}, turn = 0.0;
        for (int i = 0; i < m->dimension; i++) away[i] = X[i] - X0[i];
        sari_rotation_of(m, X, R);
        sari_rotation_of(m, X0, R0);
        for (int i = 0; i < 9; i++) turn += (R[i] - R0[i]) * (R[i] - R0[i]);
        const double moved = sari_norm3(away),
                     turned = 2.0 * sari_asin(fmin(1.0, sqrt(turn / 8.0)));
        if (def->has_position && moved > report->moved) {
            report->moved = moved;
            report->moved_body = b;
        }
        if (def->has_rotation) report->turned = fmax(report->turned, turned);
    }
}

/* With offsets that are as drawn, positions come first and offsets from them. */
static sar_assembly_verdict find_start_and_offsets(ways* w)
{
    sari_assembler* a = w->a;
    a->without_offsets = 1;
    sar_assembly_verdict verdict = find_start(w);
    a->without_offsets = 0;
    if (verdict != SAR_ASSEMBLED) return verdict;
    sari_assembler_evaluate(a, w->q);
    sari_kinematics_update(a->sys->kinematics, w->q, NULL, 1);
    sari_turns_resolve_halves(a->sys->kinematics);
    sari_system_set_offsets(a->sys);
    return search(a, w->q, STRONG, w->report);
}

static sar_status assemble_positions(sari_assembler* a, const sari_assembly_task* task, double* q,
                                     sari_contradictions* slack, sar_assembly* report)
{
    double* room = SARI_NEW_ARRAY(double, 3 * a->sys->np);
    if (!room) return SAR_E_NOMEM;
    memcpy(room, q, (size_t)a->sys->np * sizeof *q);
    ways w = {.a = a,
              .drawn = room,
              .q = q,
              .best = room + a->sys->np,
              .first = room + 2 * a->sys->np,
              .drawing = task->drawing,
              .away = task->away,
              .slack = slack,
              .report = report};
    sari_turns_start(a->sys, a->t);
    report->verdict = find_start_and_offsets(&w);
    sari_release(room);
    if (w.failed == SAR_E_NOMEM) return w.failed;
    sari_assembler_evaluate(a, q);
    sari_kinematics_update(a->sys->kinematics, q, NULL, 1);
    measure_moves(a->sys, report);
    report->residual = sari_largest(a->rows, a->r);
    if (report->verdict == SAR_ASSEMBLED) sari_turns_commit(a->sys->kinematics, a->t);
    if (report->verdict == SAR_ASSEMBLED && !w.contradictory) return SAR_OK;
    list_gaps(a, q, report);
    if (!w.contradictory) report->gap = 0.0;
    return report->verdict == SAR_ASSEMBLED ? SAR_OK : SAR_E_ASSEMBLY;
}

/* ---- both ----------------------------------------------------------------------------------- */

/* Largest violation of the constraints themselves; infinite where they have no value. */
static double violation(sari_system* sys, double t, const double* q, const double* v, double* work)
{
    const unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T;
    if (sari_equations_eval(&sys->equations, what, t, q, v) != SAR_OK) return INFINITY;
    sari_equations_phi_dot(&sys->equations, v, work);
    return fmax(sari_largest(sys->nc, sys->Phi), sari_largest(sys->nc, work));
}

/* By what rows hold that may be redundant. Long chains hold their softest motions weakly: with n
 * links by pi/2n. */
static double weak(const sari_system* system, double drawing)
{
    const int links = sari_mechanism_longest_path(system->mechanism);
    return fmin(WEAK * drawing, WEAKEST / (links > 1 ? links : 1));
}

/* What begins at a breakpoint at the start, a motor that is switched on say, does not act in the
 * equilibrium before it. */
static double time_of_rest(const sar_model* model, double t)
{
    for (int k = 0; k < model->breakpoints_count; k++)
        if (model->breakpoints[k] == t) return nextafter(t, -INFINITY);
    return t;
}

/* From the assembled position to an equilibrium. */
static sar_status complete(sari_system* sys, const sari_assembly_task* task, double* q)
{
    const int n = sys->mechanism->nx * sys->mechanism->bodies;
    double* X = SARI_NEW_ARRAY(double, n);
    if (!X) return SAR_E_NOMEM;
    sari_kinematics_update(sys->kinematics, q, NULL, 1);
    memcpy(X, sys->kinematics->X, (size_t)n * sizeof *X);
    const double t = time_of_rest(sys->model, task->t);
    const sar_status st = sari_equilibrium_find(sys, t, task->unit, q, task->equilibrium);
    sari_kinematics_update(sys->kinematics, q, NULL, 1);
    for (int b = 1; b < sys->mechanism->bodies; b++) {
        const double *x = sys->kinematics->X + sys->mechanism->nx * b,
                     *x0 = X + sys->mechanism->nx * b;
        double away[3] = {0};
        for (int i = 0; i < sys->mechanism->dimension; i++) away[i] = x[i] - x0[i];
        if (sari_norm3(away) <= task->equilibrium->moved) continue;
        task->equilibrium->moved = sari_norm3(away);
        task->equilibrium->moved_body = b;
    }
    sari_release(X);
    return st;
}

/* W: how far bodies move, in sizes and radians, as coordinates change; and rows that change by as much
 * as that. So (1) depends neither on the size of the mechanism nor on how its rows are written. */
static sar_status weigh(sari_assembler* a, const double* q)
{
    const sari_mechanism* m = a->sys->mechanism;
    sari_kinematics* k = a->sys->kinematics;
    double *weight = SARI_TAKE(&a->memory, double, a->n),
           *scale = SARI_TAKE(&a->memory, double, a->rows);
    if (a->memory.failed) return SAR_E_NOMEM;
    memset(a->dq, 0, (size_t)a->n * sizeof(double));
    for (int i = 0; i < a->n; i++) {
        a->dq[i] = 1.0;
        sari_kinematics_update(k, q, a->dq, 1);
        a->dq[i] = 0.0;
        for (int x = m->nx; x < m->nx * m->bodies; x++) {
            const double far = k->Xd[x] / (x % m->nx < m->dimension ? a->unit : 1.0);
            weight[i] += far * far;
        }
        if (weight[i] == 0.0) weight[i] = 1.0; // a state
    }
    sari_assembler_evaluate(a, q);
    for (int r = 0; r < a->rows; r++) {
        double square = 0.0;
        for (int p = a->J.p[r]; p < a->J.p[r + 1]; p++)
            square += a->J.x[p] * a->J.x[p] / weight[a->J.i[p]];
        scale[r] = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    }
    a->weight = weight;
    a->row = scale;
    return SAR_OK;
}

sar_status sari_assemble_positions(sari_system* system, const sari_assembly_task* task,
                                   int without_starts, double* q, sar_assembly* report)
{
    sari_assembler a;
    memset(report, 0, sizeof *report);
    sar_status st = sari_assembler_init(&a, system, task->t, 0, task->unit);
    a.without_starts = without_starts;
    double *drawn = SARI_TAKE(&a.memory, double, system->np), off = 0.0;
    if (st == SAR_OK && !drawn) st = SAR_E_NOMEM;
    if (st == SAR_OK) {
        memcpy(drawn, q, (size_t)system->np * sizeof *q);
        sari_assembler_evaluate(&a, q);
        off = sari_largest(a.rows, a.r);
        st = weigh(&a, q);
    }
    if (st == SAR_OK) st = assemble_positions(&a, task, q, NULL, report);
    // small gaps that lead far away are for those who may leave them open
    const ways found = {.a = &a, .drawn = drawn, .q = q};
    if (st == SAR_OK && !is_near(&found, off)) st = SAR_E_ASSEMBLY;
    sari_assembler_clear(&a);
    return st;
}

sar_status sari_assemble(sari_system* system, const sari_assembly_task* task, double* q, double* v,
                         sari_contradictions** found, sar_assembly* report)
{
    sari_assembler a;
    sari_contradictions* slack = NULL;
    memset(report, 0, sizeof *report);
    sar_status st = task->as_given ? SAR_OK : sari_amend_drawing(system, task, q, report);
    if (st == SAR_OK && found && !task->as_given && task->drawing > 0.0)
        st = sari_contradictions_create(system, weak(system, task->drawing), &slack);
    for (int level = 0; level < 2 && st == SAR_OK; level++) {
        report->level = level;
        st = sari_assembler_init(&a, system, task->t, level, task->unit);
        a.as_given = task->as_given;
        if (st == SAR_OK)
            st = level == 0 ? assemble_positions(&a, task, q, slack, report)
                            : sari_assemble_velocities(&a, q, v, report);
        if (st == SAR_OK && task->as_given && level == 1) {
            report->verdict = SAR_ASSEMBLY_AS_GIVEN;
            report->residual = violation(system, task->t, q, v, a.r);
        }
        sari_assembler_clear(&a);
        if (st == SAR_OK && level == 0 && task->equilibrium) st = complete(system, task, q);
    }
    if (st == SAR_OK && report->gap > 0.0)
        *found = slack;
    else
        sari_contradictions_destroy(slack);
    return st;
}
