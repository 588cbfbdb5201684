/* Watches the rank of Phi_q along the motion: permanent redundancy, singular passes, branch
 * changes.
 *
 * The measure is log det (D^-1/2 (Phi_q' Phi_q + tau D) D^-1/2) with D the diagonal of M: it falls
 * steeply where a singular value of the constraints goes to zero, whether one or several at once,
 * redundant rows or not, and costs one factorisation. A deep minimum between three steps is
 * followed along the cubic Hermite interpolation of the motion down to its bottom, and there the
 * rank is counted by inertia: the positive pivots of Phi_q' Phi_q - tau D are the singular values
 * above sqrt(tau) (Sylvester). If there are fewer than usual, it was a singular position, to the
 * precision of the interpolation.
 *
 * Through such a position the velocity has to go on smoothly. Where branches of motion cross they
 * do so at an angle, so the last velocity before the position, carried on by its acceleration, must
 * still lie in the null space of Phi_q after it. If much of it does not, the motion has left its
 * branch. Energy alone would not show it. */
#include "base/memory.h"
#include "base/status.h"
#include "formulations/constrained.h"
#include "simulation/simulation.h"
#include "solvers/sym_tools.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double WATCH =
    1e-4; ///< singular values below this fraction of the largest stop lowering the measure
static const double STATIC =
    1e-6; ///< rank at rest: what counts as zero; its square is still well above rounding
static const double BOTTOM =
    1e-6; ///< the same for the measure when a minimum is followed to its bottom
static const double PASS = 1e-4; ///< rank at the bottom of a minimum
static const double DEEP =
    2.0; ///< a minimum that is exp(2) times below the last maximum is looked into
static const double CLEAR =
    5e-3; ///< beside a singular position the null space is well defined from here on
static const double AWAY =
    3e-2; ///< and from here on the velocity is a new one to continue: a jump may take some steps
          ///< (both in units of the smallest singular value where the mechanism stands best)
static const double SAME = 0.93; ///< cosine between velocity and null space on one branch
static const double RISE = 1.0; ///< when the measure has risen by so much, the rank is counted anew

struct sari_monitor {
    sari_system* sys;
    sari_constrained lin;
    sari_reactions* joints;
    double* D;
    double scale;      ///< square of the largest singular value of Phi_q D^-1/2, estimated
    int rank;          ///< generic
    double least;      ///< smallest singular value that counts, where the measure was highest
    double measure[2]; ///< of the last two steps
    double top;        ///< largest since the last pass
    int known;         ///< how many of `measure` are
    struct knot {
        double t;
        double *q, *v;
    } knot[3];           ///< the last three states, oldest first
    double *q, *d, *rhs; ///< scratch
    double highest;      ///< of the measure in the run
    struct moving {
        double t;
        double *v, *a;
    } clear;             ///< the last step away from singular positions
    struct moving begin; ///< the start of the run
    double counted;      ///< measure at which the rank was last counted
    int leaving;         ///< a singular position that the run began on
    double fastest;      ///< speed in the run, norm of D
    int told;            ///< the branch change at this position
    int regular;         ///< the rank cannot drop anywhere
    int skip, skipped;   ///< steps that need no look, now and last time
    sari_event_list *passes, *branches;
};

static sar_status make_diagonal(sari_monitor* m)
{
    sari_pattern diagonal;
    sari_sym P = {0};
    sari_pattern_init(&diagonal, m->sys->nq, m->sys->nq);
    sar_status st = sari_pattern_make_sym(&diagonal, &P);
    sari_pattern_clear(&diagonal);
    if (st == SAR_OK) st = sari_constrained_create(&m->lin, &P, &m->sys->Phi_q, 0, "auto", NULL);
    sari_sym_clear(&P);
    return st;
}

sar_status sari_monitor_create(sari_system* system, sari_event_list* passes,
                               sari_event_list* branches, sari_monitor** out)
{
    sari_monitor* m = SARI_NEW(sari_monitor);
    if (!m) return SAR_E_NOMEM;
    int n = system->nq;
    m->sys = system;
    m->regular = system->coordinates.ops->separate && sari_mechanism_is_tree(system->mechanism);
    m->D = SARI_NEW_ARRAY(double, n);
    m->q = SARI_NEW_ARRAY(double, system->np);
    m->d = SARI_NEW_ARRAY(double, n);
    m->rhs = SARI_NEW_ARRAY(double, n);
    m->clear.v = SARI_NEW_ARRAY(double, n);
    m->clear.a = SARI_NEW_ARRAY(double, n);
    m->begin.v = SARI_NEW_ARRAY(double, n);
    m->begin.a = SARI_NEW_ARRAY(double, n);
    int ok = m->D && m->q && m->d && m->rhs && m->clear.v && m->clear.a && m->begin.v && m->begin.a;
    for (int k = 0; k < 3; k++) {
        m->knot[k].q = SARI_NEW_ARRAY(double, system->np);
        m->knot[k].v = SARI_NEW_ARRAY(double, n);
        ok = ok && m->knot[k].q && m->knot[k].v;
    }
    m->passes = passes;
    m->branches = branches;
    sar_status st = ok ? make_diagonal(m) : SAR_E_NOMEM;
    if (st != SAR_OK) {
        sari_monitor_destroy(m);
        return st;
    }
    *out = m;
    return SAR_OK;
}

void sari_monitor_destroy(sari_monitor* m)
{
    if (!m) return;
    sari_constrained_clear(&m->lin);
    sari_release(m->D);
    sari_release(m->q);
    sari_release(m->d);
    sari_release(m->rhs);
    sari_release(m->clear.v);
    sari_release(m->clear.a);
    sari_release(m->begin.v);
    sari_release(m->begin.a);
    for (int k = 0; k < 3; k++) {
        sari_release(m->knot[k].q);
        sari_release(m->knot[k].v);
    }
    sari_release(m);
}

/* Factor Phi_q' Phi_q + shift D with the present Phi_q. */
static void factor(sari_monitor* m, double shift, sari_pivots* out)
{
    for (int i = 0; i < m->sys->nq; i++) m->lin.P.x[m->lin.P.p[i]] = shift * m->D[i];
    m->lin.c = 1.0;
    (void)sari_constrained_factor(&m->lin); // a zero pivot is counted, not an error here
    m->lin.solver.ops->pivots(m->lin.solver.self, out);
}

static int count_rank(sari_monitor* m, double relative)
{
    sari_pivots pivots;
    if (m->sys->nc == 0) return 0;
    factor(m, -relative * relative * m->scale, &pivots);
    return pivots.positive;
}

static double measure(sari_monitor* m, double relative)
{
    sari_pivots pivots;
    factor(m, relative * relative * m->scale, &pivots);
    return pivots.log_abs_det;
}

/* What counts as zero at rest: rows that are not held do not count. */
static double zero_at_rest(const sari_monitor* m)
{
    return fmax(STATIC, m->sys->slack.count ? m->sys->slack.tolerance : 0.0);
}

/* The smallest of the singular values that make up the rank, relative, to a factor of 1.3. */
static double least_singular_value(sari_monitor* m)
{
    double below = log(zero_at_rest(m)), above = 0.0;
    while (above - below > 0.5) {
        double middle = 0.5 * (below + above);
        if (count_rank(m, exp(middle)) < m->rank)
            above = middle;
        else
            below = middle;
    }
    return exp(0.5 * (below + above));
}

static double largest_singular_value(const sari_monitor* m)
{
    const sari_csr* J = &m->sys->Phi_q;
    double most = 0.0;
    for (int r = 0; r < m->sys->nc; r++) {
        double square = 0.0;
        for (int k = J->p[r]; k < J->p[r + 1]; k++) square += J->x[k] * J->x[k] / m->D[J->i[k]];
        most = fmax(most, square);
    }
    return most > 0.0 ? most : 1.0;
}

static void store(sari_monitor* m, const sari_state* s)
{
    struct knot oldest = m->knot[0];
    m->knot[0] = m->knot[1];
    m->knot[1] = m->knot[2];
    m->knot[2] = oldest;
    memcpy(m->knot[2].q, s->q, (size_t)m->sys->np * sizeof(double));
    memcpy(m->knot[2].v, s->v, (size_t)m->sys->nq * sizeof(double));
    m->knot[2].t = s->t;
}

static double norm(const sari_monitor* m, const double* v)
{
    double square = 0.0;
    for (int i = 0; i < m->sys->nq; i++) square += m->D[i] * v[i] * v[i];
    return sqrt(square);
}

static void keep(sari_monitor* m, struct moving* at, double t, const double* v, const double* a)
{
    size_t bytes = (size_t)m->sys->nq * sizeof(double);
    memcpy(at->v, v, bytes);
    memcpy(at->a, a, bytes);
    at->t = t;
}

static void keep_clear(sari_monitor* m, const sari_state* s)
{
    keep(m, &m->clear, s->t, s->v, s->a);
    m->fastest = fmax(m->fastest, norm(m, s->v));
}

sar_status sari_monitor_start(sari_monitor* m, const sari_state* s, sari_reactions* joints)
{
    const sari_system* sys = m->sys;
    double heaviest = 0.0;
    m->joints = joints;
    for (int i = 0; i < sys->nq; i++) heaviest = fmax(heaviest, sys->M.x[sys->M.p[i]]);
    for (int i = 0; i < sys->nq; i++) { // a coordinate without mass weighs as much as the heaviest
        double mass = sys->M.x[sys->M.p[i]];
        m->D[i] = mass > 1e-9 * heaviest ? mass : heaviest > 0.0 ? heaviest : 1.0;
    }
    m->scale = largest_singular_value(m);
    m->rank = count_rank(m, zero_at_rest(m));
    m->least = least_singular_value(m);
    m->measure[1] = measure(m, WATCH);
    m->known = 1;
    m->top = m->measure[1];
    m->highest = m->measure[1];
    m->fastest = 0.0;
    m->told = 0;
    m->skip = m->skipped = 0;
    m->counted = m->measure[1];
    m->leaving = 0;
    keep_clear(m, s);
    keep(m, &m->begin, s->t, s->v, s->a);
    store(m, s);
    return SAR_OK;
}

/* ---- singular passes ---------------------------------------------------------------------------
 */

/* Cubic Hermite interpolation between two knots. */
static void interpolate(sari_monitor* m, double t)
{
    const struct knot* a = &m->knot[t < m->knot[1].t ? 0 : 1];
    const struct knot* b = a + 1;
    double h = b->t - a->t, x = (t - a->t) / h, y = 1.0 - x;
    sari_coordinates_difference(&m->sys->coordinates, a->q, b->q, m->d);
    for (int i = 0; i < m->sys->nq; i++)
        m->d[i] = x * x * (3 - 2 * x) * m->d[i] + h * x * y * (y * a->v[i] - x * b->v[i]);
    sari_coordinates_move(&m->sys->coordinates, a->q, m->d, m->q);
}

static double measure_at(sari_monitor* m, double t)
{
    interpolate(m, t);
    sari_system_eval(m->sys, SARI_EVAL_JACOBIAN, t, m->q, NULL);
    return measure(m, BOTTOM);
}

/* Golden section: the measure has one sharp minimum between the outer knots. */
static double find_bottom(sari_monitor* m)
{
    const double golden = 0.61803398874989485;
    double a = m->knot[0].t, b = m->knot[2].t;
    double c = b - golden * (b - a), d = a + golden * (b - a);
    double fc = measure_at(m, c), fd = measure_at(m, d);
    double stop = fmax(1e-9 * (b - a), 4.0 * DBL_EPSILON * fmax(fabs(a), fabs(b)));
    while (b - a > stop) {
        if (fc < fd) {
            b = d, d = c, fd = fc;
            c = b - golden * (b - a);
            fc = measure_at(m, c);
        } else {
            a = c, c = d, fc = fd;
            d = a + golden * (b - a);
            fd = measure_at(m, d);
        }
    }
    return 0.5 * (a + b);
}

static sar_event* new_event(sari_event_list* list, double t, int rank)
{
    if (list->count == list->capacity) return NULL;
    sar_event* e = &list->at[list->count++];
    e->t = t;
    e->rank = rank;
    e->joints[0] = 0;
    return e;
}

/* Names from a little beside the pass, where the states that vanish in it still stand apart from
 * permanent redundancy. */
static void name_joints(sari_monitor* m, int drop, sar_event* e)
{
    if (!e || !m->joints) return;
    interpolate(m, m->knot[0].t + 0.05 * (m->knot[1].t - m->knot[0].t));
    sari_kinematics_update(m->sys->kinematics, m->q, NULL, 1);
    sari_reactions_weakest(m->joints, m->sys->kinematics->X, drop, e->joints, sizeof e->joints);
}

static void look_into_minimum(sari_monitor* m)
{
    double t = find_bottom(m);
    measure_at(m, t);
    int rank = count_rank(m, PASS);
    if (rank >= m->rank) return;
    name_joints(m, m->rank - rank, new_event(m->passes, t, rank));
}

/* ---- branch changes
 * ------------------------------------------------------------------------------ */

/* Cosine of the angle between the velocity carried on from the last clear step and the present null
 * space: (D + c Phi_q'Phi_q) x = D u makes x the part of u in the null space. */
static double cosine(sari_monitor* m, double t)
{
    const sari_system* sys = m->sys;
    double dt = t - m->clear.t;
    // Where the motion turns round, the velocity carried on says nothing; but then it has hardly
    // moved since.
    if (dt * norm(m, m->clear.a) > 0.5 * norm(m, m->clear.v)) dt = 0.0;
    double* carried = m->d;
    for (int i = 0; i < sys->nq; i++) carried[i] = m->clear.v[i] + dt * m->clear.a[i];
    double size = norm(m, carried);
    if (size <= 1e-3 * m->fastest) return 1.0; // at rest there is no direction to compare
    for (int i = 0; i < sys->nq; i++) {
        m->lin.P.x[m->lin.P.p[i]] = m->D[i];
        m->rhs[i] = m->D[i] * carried[i];
    }
    m->lin.c = 1e9 / m->scale;
    if (sari_constrained_factor(&m->lin) < 0) return 1.0;
    m->lin.solver.ops->solve(m->lin.solver.self, m->rhs);
    return norm(m, m->rhs) / size;
}

static void check_branch(sari_monitor* m, const sari_state* now, double measured)
{
    if (measured < m->highest - 0.5) m->leaving = 0; // it does not get better than this
    int near = m->leaving || measured < m->highest - DEEP || m->measure[1] < m->highest - DEEP;
    m->highest = fmax(m->highest, measured);
    // wait until the null space is clear again; how good it can be is not known yet at the start
    double unit = m->leaving ? 1.0 : m->least;
    if (near && count_rank(m, CLEAR * unit) < m->rank) return;
    if (!near) m->told = 0;
    if (near && !m->told && cosine(m, now->t) < SAME) {
        m->told = 1; // once, until the motion is well away from the position
        sar_event* e = new_event(m->branches, now->t, m->rank);
        if (e && m->joints) {
            sari_kinematics_update(m->sys->kinematics, now->q, NULL, 1);
            sari_reactions_weakest(m->joints, m->sys->kinematics->X, 1, e->joints,
                                   sizeof e->joints);
        }
    }
    if (near && count_rank(m, AWAY * unit) < m->rank) return;
    m->leaving = 0;
    keep_clear(m, now);
}

/* A run that begins on a singular position has a higher rank once it is away from there: the first
 * count was too low. The velocity of the start is the one that has to go on. */
static void count_again(sari_monitor* m, const sari_state* now, double measured)
{
    if (measured < m->counted + RISE) return;
    m->counted = measured;
    int low = m->rank, rank = count_rank(m, zero_at_rest(m));
    m->rank = rank > low ? rank : low;
    m->least = least_singular_value(m);
    if (rank <= low) return;
    m->leaving = 1;
    keep(m, &m->clear, m->begin.t, m->begin.v, m->begin.a);
    sar_event* e = new_event(m->passes, m->begin.t, low);
    if (!e || !m->joints) return;
    sari_kinematics_update(m->sys->kinematics, now->q, NULL, 1);
    sari_reactions_weakest(m->joints, m->sys->kinematics->X, rank - low, e->joints,
                           sizeof e->joints);
}

/* Angle by which the velocity turned in the last step [rad], as long as it is small. */
static double turned(const sari_monitor* m)
{
    const double *u = m->knot[1].v, *v = m->knot[2].v;
    double uu = 0.0, vv = 0.0, apart = 0.0;
    for (int i = 0; i < m->sys->nq; i++) {
        uu += u[i] * u[i];
        vv += v[i] * v[i];
        apart += (u[i] - v[i]) * (u[i] - v[i]);
    }
    return uu * vv > 0.0 ? sqrt(apart / sqrt(uu * vv)) : 1.0;
}

/* Far from singular positions the measure changes little from step to step; then not every step has
 * to be looked at. The measure may fall by SLACK in the meantime, which is still far above the
 * depth of a minimum, and the mechanism turn by TURN: steps may be so long that there is a minimum
 * within a few of them. */
static int steps_to_skip(sari_monitor* m, double measured)
{
    const double SLACK = 0.1, TURN = 0.2;
    enum { MOST = 15 };
    double change = fabs(measured - m->measure[1]) / (1 + m->skipped);
    m->skipped = 0;
    if (m->known < 2 || m->leaving || measured < m->highest - 0.5 * DEEP) return 0;
    m->skipped = (int)fmin(MOST, fmin(SLACK / change, TURN / turned(m)));
    return m->skipped;
}

void sari_monitor_step(sari_monitor* m, const sari_state* now)
{
    if (m->regular || m->sys->nc == 0) return;
    if (m->skip > 2) { // of the skipped ones only the last are ever looked back at
        m->skip--;
        return;
    }
    store(m, now);
    if (m->skip > 0) {
        m->skip--;
        keep_clear(m, now);
        return;
    }
    double measured = measure(m, WATCH);
    count_again(m, now, measured);
    check_branch(m, now, measured);
    if (m->known == 2 && m->measure[1] < m->measure[0] && m->measure[1] <= measured &&
        m->measure[1] < m->top - DEEP) {
        look_into_minimum(m);
        m->top = measured;
    }
    m->top = fmax(m->top, measured);
    m->skip = steps_to_skip(m, measured);
    m->measure[0] = m->measure[1];
    m->measure[1] = measured;
    if (m->known < 2) m->known++;
}

int sari_monitor_rank(const sari_monitor* m)
{
    return m->rank;
}
