/* Watches the rank of Phi_q along the motion: permanent redundancy, singular passes, branch
 * changes.
 *
 * The measure is log det (D^-1/2 (Phi_q' Phi_q + tau D) D^-1/2) with D the diagonal of M: it falls
 * steeply where a singular value of the constraints goes to zero, whether one or several at once,
 * redundant rows or not, and costs one factorisation. It is sampled along the motion so that no
 * body turns far between two samples: fewer than the steps where these are short, several within a
 * step where they are long, on the interpolation of degree five (hermite.h). A minimum of three
 * samples is followed down. Near a singular position a singular value s goes like |t - t0|, so that
 * the measure, 2 log s, falls without end as the bracket shrinks; at any other minimum it soon
 * stops. What goes on falling is followed to its bottom, and there the rank is counted by inertia:
 * the positive pivots of Phi_q' Phi_q - tau D are the singular values above sqrt(tau) (Sylvester).
 * If there are fewer than usual, it was a singular position, to the precision of the interpolation.
 * None of this compares with other parts of the run. How far bodies turn is asked of those in loops
 * alone: wheels that spin on their hubs change no rank.
 *
 * Through such a position the velocity has to go on smoothly. Where branches of motion cross they
 * do so at an angle, so the last velocity before the position, carried on by its acceleration, must
 * still lie in the null space of Phi_q after it, and velocities from both sides, carried to the
 * time between them, must agree. If they do not, the motion has left its branch. Energy alone would
 * not show it. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "simulation/normal.h"
#include "simulation/simulation.h"
#include "system/hermite.h"

#include <float.h>
#include <limits.h>
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
    2.0; ///< where the measure is exp(2) times below its largest, a singular position may be near
static const double SEEN = 0.02; ///< change of the measure that makes another sample: more than
                                 ///< rounding, less than any minimum that matters
static const double TURN = 0.2;  ///< [rad] that bodies may turn between samples
enum { SAMPLES_MOST = 64 };      ///< in a step
static const double CLEAR =
    5e-3; ///< beside a singular position the null space is well defined from here on
static const double AWAY =
    3e-2; ///< and from here on the velocity is a new one to continue: a jump may take some steps
          ///< (both in units of the smallest singular value where the mechanism stands best)
static const double SAME = 0.93; ///< cosine between velocity and null space on one branch
static const double RISE = 1.0; ///< when the measure has risen by so much, the rank is counted anew

struct sari_monitor {
    sari_arena memory;
    sari_system* sys;
    sari_normal normal; ///< with D the diagonal of M
    sari_reactions* joints;
    int rank;     ///< generic
    double least; ///< smallest singular value that counts, where the measure was highest
    struct sample {
        double t, measure;
    } sample[3];          ///< the last three, oldest first
    int known;            ///< how many of them are
    struct sample looked; ///< the last look, which need not have made a sample
    sari_knot knot[4];    ///< states between which the samples are, oldest first; the last: now
    double* last;         ///< velocity at the third
    char* in_loop;        ///< per body: the rank may depend on how it stands
    double spin;          ///< fastest of such a body there [rad/s]
    double *q, *d, *rhs;  ///< scratch
    double highest;       ///< of the measure in the run
    struct moving {
        double t;
        double *v, *a;
    } clear;             ///< the last step away from singular positions
    struct moving begin; ///< the start of the run
    double counted;      ///< measure at which the rank was last counted
    int leaving;         ///< a singular position that the run began on
    double fastest;      ///< speed in the run, norm of D
    int told;            ///< the branch change at this position
    double falls;        ///< the measure, by so much a second
    double tried;        ///< how deep it was when last asked for an approach; infinite: it is known
    int regular;         ///< the rank cannot drop anywhere
    int elsewhere;       ///< the system is evaluated at another time than now
    int skip, skipped;   ///< steps that need no look, now and last time
    sari_event_list *passes, *branches;
};

sar_status sari_monitor_create(sari_system* system, sari_event_list* passes,
                               sari_event_list* branches, sari_monitor** out)
{
    sari_monitor* m = SARI_NEW(sari_monitor);
    if (!m) return SAR_E_NOMEM;
    int n = system->nq;
    m->sys = system;
    m->rank = -1; // not counted yet
    m->regular = system->coordinates.ops->separate && sari_mechanism_is_tree(system->mechanism);
    m->in_loop = SARI_TAKE(&m->memory, char, system->mechanism->bodies);
    m->q = SARI_TAKE(&m->memory, double, system->np);
    m->d = SARI_TAKE(&m->memory, double, n);
    m->rhs = SARI_TAKE(&m->memory, double, n);
    m->clear.v = SARI_TAKE(&m->memory, double, n);
    m->clear.a = SARI_TAKE(&m->memory, double, n);
    m->begin.v = SARI_TAKE(&m->memory, double, n);
    m->begin.a = SARI_TAKE(&m->memory, double, n);
    m->last = SARI_TAKE(&m->memory, double, n);
    for (int k = 0; k < 4; k++) sari_knot_create(&m->knot[k], system, &m->memory);
    m->passes = passes;
    m->branches = branches;
    const int ok = !m->memory.failed && sari_mechanism_find_loops(system->mechanism, m->in_loop);
    sar_status st = ok ? sari_normal_create(&m->normal, system, system->nc) : SAR_E_NOMEM;
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
    sari_normal_clear(&m->normal);
    sari_arena_clear(&m->memory);
    sari_release(m);
}

static double measure(sari_monitor* m, double relative)
{
    sari_pivots pivots;
    (void)sari_normal_factor(&m->normal, relative * relative * m->normal.scale, &pivots);
    return pivots.log_abs_det;
}

/* What counts as zero at rest: rows that are not held do not count. */
static double zero_at_rest(const sari_monitor* m)
{
    return fmax(STATIC, m->sys->slack.count ? m->sys->slack.tolerance : 0.0);
}

/* Fastest spin of a body in a loop [rad/s]. */
static double fastest_spin(sari_monitor* m, const sari_state* s)
{
    const sari_mechanism* mechanism = m->sys->mechanism;
    const sari_kinematics* k = m->sys->kinematics;
    double most = 0.0;
    if (!k->constant) sari_kinematics_update(m->sys->kinematics, s->q, s->v, 1);
    for (int b = 1; b < mechanism->bodies; b++) {
        double w[3];
        if (!m->in_loop[b]) continue;
        sari_kinematics_spin(k, b, s->q, s->v, w);
        most = fmax(most, sari_norm3(w));
    }
    return most;
}

/* What is in the last knot stays. */
static void keep_knot(sari_monitor* m, const sari_state* s, double spin)
{
    const sari_knot oldest = m->knot[0];
    memmove(m->knot, m->knot + 1, 3 * sizeof oldest);
    m->knot[3] = oldest;
    m->spin = spin;
    memcpy(m->last, s->v, (size_t)m->sys->nq * sizeof *s->v);
}

static double norm(const sari_monitor* m, const double* v)
{
    double square = 0.0;
    for (int i = 0; i < m->sys->nq; i++) square += m->normal.D[i] * v[i] * v[i];
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
    m->joints = joints;
    sari_normal_weigh(&m->normal, sys);
    m->rank = sari_normal_rank(&m->normal, zero_at_rest(m));
    m->least = sari_normal_least(&m->normal, m->rank, zero_at_rest(m));
    m->sample[2] = (struct sample){s->t, measure(m, WATCH)};
    m->looked = m->sample[2];
    m->known = 1;
    m->highest = m->looked.measure;
    m->fastest = 0.0;
    m->told = 0;
    m->falls = m->tried = 0.0;
    m->skip = m->skipped = 0;
    m->counted = m->highest;
    m->leaving = 0;
    keep_clear(m, s);
    keep(m, &m->begin, s->t, s->v, s->a);
    for (int k = 0; k < 3; k++) m->knot[k].t = -INFINITY;
    sari_knot_set(&m->knot[3], &sys->coordinates, s);
    keep_knot(m, s, fastest_spin(m, s));
    return SAR_OK;
}

/* ---- singular passes ------------------------------------------------------------------------ */

/* m->q is where the mechanism was at t. */
static void go_to(sari_monitor* m, double t)
{
    const sari_knot* a = m->knot + (t < m->knot[1].t ? 0 : t <= m->knot[2].t ? 1 : 2);
    sari_knots_at(&m->sys->coordinates, a, a + 1, t, m->q);
}

/* NaN: rows have no value there. */
static double measure_at(sari_monitor* m, double t, double relative)
{
    go_to(m, t);
    m->elsewhere = 1;
    const sar_status st =
        sari_equations_eval(&m->sys->equations, SARI_EVAL_JACOBIAN, t, m->q, NULL);
    return st == SAR_OK ? measure(m, relative) : NAN;
}

/* The system as it was found. */
static void come_back(sari_monitor* m, const sari_state* now)
{
    if (m->elsewhere)
        sari_equations_eval(&m->sys->equations, SARI_EVAL_JACOBIAN, now->t, now->q, NULL);
    m->elsewhere = 0;
}

static int rank_at(sari_monitor* m, double t)
{
    const int known = !isnan(measure_at(m, t, BOTTOM));
    return known ? sari_normal_rank(&m->normal, PASS) : m->rank;
}

/// Between two times the measure has a minimum: `f` is that at the ends.
typedef struct bracket {
    double from, to;
    double f[2];
} bracket;

/* Where exp(f/2k), which k singular values that go to zero together make a V of two straight lines, is
 * zero. */
static double foot_of(const bracket* x, double k)
{
    const double part = 1.0 / (1.0 + exp((x->f[1] - x->f[0]) / (2.0 * k)));
    return x->from + part * (x->to - x->from);
}

/* Heights of y's ends above the foot, by the sum of those of x's. */
static void heights(const bracket* x, const bracket* y, double k, double h[2])
{
    const double whole =
        exp((x->f[0] - y->f[0]) / (2.0 * k)) + exp((x->f[1] - y->f[0]) / (2.0 * k));
    h[0] = 1.0 / whole;
    h[1] = exp((y->f[1] - y->f[0]) / (2.0 * k)) / whole;
}

/* A bracket with the foot of the V within, ten times smaller, and the k that makes the lines straight.
 * 0: it is not in there, for they are not. */
static int close_in(sari_monitor* m, bracket* x, double* k)
{
    const double SMALLER = 0.1, STRAIGHT = 0.25 * SMALLER;
    for (int attempt = 0; attempt < 2; attempt++) { // with the first k, and with that found by it
        const double foot = foot_of(x, *k), half = 0.5 * SMALLER * (x->to - x->from), tried = *k;
        bracket y = {.from = foot - half, .to = foot + half};
        double h[2];
        y.f[0] = measure_at(m, y.from, BOTTOM);
        y.f[1] = measure_at(m, y.to, BOTTOM);
        heights(x, &y, *k, h);
        *k = fmax(1.0, round(*k * log(h[0] + h[1]) / log(SMALLER)));
        heights(x, &y, *k, h);
        if (fabs(h[0] + h[1] - SMALLER) < STRAIGHT && fabs(h[0] - h[1]) < SMALLER - STRAIGHT) {
            *x = y;
            return 1;
        }
        if (*k == tried) return 0;
    }
    return 0;
}

/* The minimum between the outer samples: golden section, and where the measure falls like that of a
 * passage, the foot of a V. NaN: the measure has stopped falling while the bracket still shrinks, so
 * that no singular value goes to zero. In a passage it falls by 2 log of what the bracket shrinks by,
 * or more. */
static double find_bottom(sari_monitor* m, double from, double to)
{
    const double golden = 0.61803398874989485, SLACK = 3.0;
    enum { GLANCE = 10 }; // shrinks the bracket to 1/123
    const double width = to - from;
    bracket x = {from, to, {measure_at(m, from, BOTTOM), measure_at(m, to, BOTTOM)}};
    double c = x.to - golden * width, d = x.from + golden * width;
    const double top = fmax(x.f[0], x.f[1]);
    double fc = measure_at(m, c, BOTTOM), fd = measure_at(m, d, BOTTOM);
    const double stop = fmax(1e-9 * width, 4.0 * DBL_EPSILON * fmax(fabs(from), fabs(to)));
    for (int k = 1; x.to - x.from > stop; k++) {
        if (fc < fd) {
            x.to = d, x.f[1] = fd, d = c, fd = fc;
            c = x.to - golden * (x.to - x.from);
            fc = measure_at(m, c, BOTTOM);
        } else {
            x.from = c, x.f[0] = fc, c = d, fc = fd;
            d = x.from + golden * (x.to - x.from);
            fd = measure_at(m, d, BOTTOM);
        }
        if (k != GLANCE) continue;
        const double fall = top - fmin(fc, fd), usual = 2.0 * log(width / (x.to - x.from));
        if (fall <= usual - SLACK && rank_at(m, fc < fd ? c : d) >= m->rank) return NAN;
        double drop = fmax(1.0, round(fall / usual));
        bracket closer = x; // another time would lead to the measure's floor
        if (close_in(m, &closer, &drop) && close_in(m, &closer, &drop))
            return foot_of(&closer, drop);
    }
    return 0.5 * (x.from + x.to);
}

/* Names from a little beside the pass, where the states that vanish in it still stand apart from
 * permanent redundancy. */
static void name_joints(sari_monitor* m, int drop, sar_event* e)
{
    if (!e || !m->joints) return;
    const double t = m->sample[0].t + 0.05 * (m->sample[1].t - m->sample[0].t);
    go_to(m, fmax(t, m->knot[0].t));
    sari_kinematics_update(m->sys->kinematics, m->q, NULL, 1);
    sari_events_place(m->passes, e, m->joints, m->sys->kinematics->X, drop);
}

/* Between two of the samples, as far as there are knots. */
static void look_into_minimum(sari_monitor* m, int first, int last)
{
    const double from = fmax(m->sample[first].t, m->knot[0].t);
    const double t = find_bottom(m, from, m->sample[last].t);
    if (isnan(t)) return;
    int rank = rank_at(m, t);
    if (rank >= m->rank) return;
    name_joints(m, m->rank - rank, sari_events_add(m->passes, t, rank));
}

/* ---- branch changes ------------------------------------------------------------------------- */

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
        m->normal.lin.P.x[m->normal.lin.P.p[i]] = m->normal.D[i];
        m->rhs[i] = m->normal.D[i] * carried[i];
    }
    m->normal.lin.c = 1e9 / m->normal.scale;
    if (sari_constrained_factor(&m->normal.lin) < 0) return 1.0;
    m->normal.lin.solver.ops->solve(m->normal.lin.solver.self, m->rhs);
    return norm(m, m->rhs) / size;
}

/* Cosine of the angle between the velocities before and after, both carried to the time between
 * them by their accelerations. 0 where the motion turns round there, and this says nothing; 1 where
 * bodies turn so far meanwhile that nothing can be said. */
static double agreement(const sari_monitor* m, const sari_state* now)
{
    const double half = 0.5 * (now->t - m->clear.t), FAR = 1.0; // [rad]
    if (2.0 * half * m->spin > FAR) return 1.0;
    double uu = 0.0, vv = 0.0, uv = 0.0;
    for (int i = 0; i < m->sys->nq; i++) {
        double u = m->clear.v[i] + half * m->clear.a[i], v = now->v[i] - half * now->a[i];
        uu += m->normal.D[i] * u * u, vv += m->normal.D[i] * v * v, uv += m->normal.D[i] * u * v;
    }
    const double slow = 0.3 * fmin(norm(m, m->clear.v), norm(m, now->v));
    return uu > slow * slow && vv > slow * slow ? uv / sqrt(uu * vv) : 0.0;
}

static void check_branch(sari_monitor* m, const sari_state* now, double measured, double lowest)
{
    if (measured < m->highest - 0.5) m->leaving = 0; // it does not get better than this
    int near = m->leaving || lowest < m->highest - DEEP || m->looked.measure < m->highest - DEEP;
    m->highest = fmax(m->highest, measured);
    // wait until the null space is clear again; how good it can be is not known yet at the start
    double unit = m->leaving ? 1.0 : m->least;
    const int away = !near || sari_normal_rank(&m->normal, AWAY * unit) >= m->rank;
    if (!away && sari_normal_rank(&m->normal, CLEAR * unit) < m->rank) return;
    if (!near) m->told = 0;
    // what costs less first
    if (near && !m->told && agreement(m, now) < SAME && cosine(m, now->t) < SAME) {
        m->told = 1; // once, until the motion is well away from the position
        sar_event* e = sari_events_add(m->branches, now->t, m->rank);
        if (e && m->joints) {
            sari_kinematics_update(m->sys->kinematics, now->q, NULL, 1);
            sari_events_place(m->branches, e, m->joints, m->sys->kinematics->X, 1);
        }
    }
    if (!away) return;
    m->leaving = 0;
    keep_clear(m, now);
}

/* A run that begins on a singular position has a higher rank once it is away from there: the first
 * count was too low. The velocity of the start is the one that has to go on. */
static void count_again(sari_monitor* m, const sari_state* now, double measured)
{
    if (measured < m->counted + RISE) return;
    m->counted = measured;
    int low = m->rank, rank = sari_normal_rank(&m->normal, zero_at_rest(m));
    m->rank = rank > low ? rank : low;
    m->least = sari_normal_least(&m->normal, m->rank, zero_at_rest(m));
    if (rank <= low) return;
    m->leaving = 1;
    keep(m, &m->clear, m->begin.t, m->begin.v, m->begin.a);
    sar_event* e = sari_events_add(m->passes, m->begin.t, low);
    if (!e || !m->joints) return;
    sari_kinematics_update(m->sys->kinematics, now->q, NULL, 1);
    sari_events_place(m->passes, e, m->joints, m->sys->kinematics->X, rank - low);
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Angle by which the velocity turned since the last look [rad], as long as it is small. */
static double turned(const sari_monitor* m, const double* v)
{
    const double* u = m->last;
    double uu = 0.0, vv = 0.0, apart = 0.0;
    for (int i = 0; i < m->sys->nq; i++) {
        uu += u[i] * u[i];
        vv += v[i] * v[i];
        apart += (u[i] - v[i]) * (u[i] - v[i]);
    }
    return uu * vv > 0.0 ? sqrt(apart / sqrt(uu * vv)) : 1.0;
}

/* Far from singular positions the measure changes little from step to step; then not every step has
 * to be looked at. The measure may fall by SLACK in the meantime, and the mechanism turn by TURN,
 * by its velocities and by the spin of its bodies. `change` and `turn` are those of one step. A
 * measure that has not changed since the start, so many steps ago, may be that of a singular
 * position, on its floor: when it is left has to be seen to a part of the time that it took. */
static int steps_to_skip(const sari_monitor* m, double measured, double change, double turn,
                         double since_start)
{
    const double SLACK = 0.1, PART = 0.2;
    enum { MOST = 15 };
    if (m->leaving || measured < m->highest - 0.5 * DEEP) return 0;
    const double most = m->known < 2 ? fmin(MOST, PART * since_start) : MOST;
    return (int)fmin(most, fmin(SLACK / change, TURN / turn));
}

/* One more, if the measure has changed since the last: on the floor beside a singular position it
 * does not. */
static int add_sample(sari_monitor* m, double t, double measured)
{
    if (fabs(measured - m->sample[2].measure) < SEEN) return 0;
    m->sample[0] = m->sample[1];
    m->sample[1] = m->sample[2];
    m->sample[2] = (struct sample){t, measured};
    if (m->known < 3) m->known++;
    const struct sample* s = m->sample;
    if (m->known == 3 && s[1].measure < s[0].measure && s[1].measure < s[2].measure)
        look_into_minimum(m, 0, 2);
    return 1;
}

/* How many samples the motion since the last look needs: by what bodies turn and, where a singular
 * position is near, by what the velocity does. There it may go through, turn round and come back.
 */
static int samples_of(const sari_monitor* m, double h, double spin, double turn, double measured)
{
    double parts = fmax(spin, m->spin) * h / TURN;
    if (fmin(measured, m->sample[2].measure) < m->highest - 0.5 * DEEP)
        parts = fmax(parts, turn / TURN);
    return parts < SAMPLES_MOST ? (int)ceil(parts) : SAMPLES_MOST;
}

/* The motion since the last knot. Returns the lowest measure on the way. */
static double sample_motion(sari_monitor* m, const sari_state* now, double measured)
{
    const double before = m->knot[2].t, h = now->t - before;
    const double spin = fastest_spin(m, now), turn = turned(m, now->v);
    const int samples = samples_of(m, h, spin, turn, measured);
    double lowest = measured;
    if (samples < 2 && fabs(measured - m->sample[2].measure) < SEEN) return lowest;
    int added = 0;
    sari_knot_set(&m->knot[3], &m->sys->coordinates, now);
    for (int k = 1; k < samples; k++) {
        const double t = before + h * k / samples, part = measure_at(m, t, WATCH);
        lowest = fmin(lowest, part);
        added |= add_sample(m, t, part);
    }
    added |= add_sample(m, now->t, measured);
    if (added || fmax(spin, m->spin) * h > TURN) keep_knot(m, now, spin);
    return lowest;
}

long sari_monitor_leaves_out(const sari_monitor* m)
{
    if (m->regular || m->sys->nc == 0) return LONG_MAX;
    return m->skip > 2 ? m->skip - 2 : 0;
}

void sari_monitor_left_out(sari_monitor* m, long steps)
{
    if (!m->regular && m->sys->nc > 0) m->skip -= (int)steps;
}

void sari_monitor_step(sari_monitor* m, const sari_state* now)
{
    if (m->regular || m->sys->nc == 0) return;
    if (m->skip > 2) { // of the skipped ones only the last are ever looked back at
        m->skip--;
        return;
    }
    if (m->skip > 0) {
        m->skip--;
        keep_clear(m, now);
        return;
    }
    const double measured = measure(m, WATCH), steps = 1 + m->skipped;
    const double change = fabs(measured - m->looked.measure) / steps;
    const double h = (now->t - m->looked.t) / steps, from = m->knot[2].t;
    const double turn = fmax(turned(m, now->v) * h / (now->t - from), m->spin * h);
    count_again(m, now, measured);
    m->skip = m->skipped = steps_to_skip(m, measured, change, turn, (now->t - m->sample[2].t) / h);
    const double lowest = sample_motion(m, now, measured);
    come_back(m, now);
    check_branch(m, now, measured, lowest);
    m->falls = (m->looked.measure - measured) / (now->t - m->looked.t);
    m->looked = (struct sample){now->t, measured};
}

/* Three samples make a minimum; after the last one of a run there is none. */
void sari_monitor_end(sari_monitor* m, const sari_state* now)
{
    const struct sample* s = m->sample;
    if (m->regular || m->sys->nc == 0 || m->known < 2) return;
    if (m->looked.t < now->t) {
        m->skip = 0;
        sari_monitor_step(m, now);
    }
    if (m->knot[2].t == now->t && s[2].measure < s[1].measure) look_into_minimum(m, 1, 2);
    come_back(m, now);
}

/* How deep the measure is, where that has to be said; else 0. */
static double approaching(sari_monitor* m)
{
    const double DEEPER = 2.0, depth = m->highest - m->looked.measure;
    if (depth < 0.5 * DEEP) m->tried = 0.0;
    return m->falls > 0.0 && !(depth < fmax(DEEP, DEEPER * m->tried)) ? depth : 0.0;
}

int sari_monitor_approaches(sari_monitor* m)
{
    return approaching(m) > 0.0;
}

double sari_monitor_approach(sari_monitor* m, double* soon)
{
    const double FAR = 0.5; // [rad]
    const double depth = approaching(m);
    if (!(depth > 0.0)) return 0.0;
    m->tried = depth;
    *soon = m->spin > 0.0 ? FAR / m->spin : INFINITY;
    return m->falls;
}

void sari_monitor_expect(sari_monitor* m)
{
    m->tried = INFINITY;
}

int sari_monitor_rank(const sari_monitor* m)
{
    return m->rank;
}
