/* Watches the rank of Phi_q along the motion: permanent redundancy, singular passes, branch
 * changes.
 *
 * The measure is log det (D^-1/2 (Phi_q' Phi_q + tau D) D^-1/2) with D the diagonal of M: it falls
 * steeply where a singular value of the constraints goes to zero, whether one or several at once,
 * redundant rows or not, and costs one factorisation. It is sampled along the motion so that no
 * body turns far between two samples: fewer than the steps where these are short, several within a
 * step where they are long, on the interpolation of degree five (hermite.h). A minimum of three
 * samples is followed down. Near a singular configuration a singular value s goes like |t - t0|, so that
 * the measure, 2 log s, falls without end as the bracket shrinks; at any other minimum it soon
 * stops. What goes on falling is followed to its bottom, and there the rank is counted by inertia:
 * the positive pivots of Phi_q' Phi_q - tau D are the singular values above sqrt(tau) (Sylvester).
 * If there are fewer than usual, it was a singular configuration, to the precision of the interpolation.
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
#include "math/vector.h"
#include "simulation/simulation.h"
#include "simulation/singular/continuity.h"
#include "simulation/singular/normal.h"
#include "simulation/singular/passage_search.h"
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
static const double PASS = 1e-4; ///< rank at the bottom of a minimum: what counts as zero ...
static const double NEAR = 1e-2; ///< ... and in parts of the least where the mechanism stands best:
                                 ///< light bodies spread singular values over many powers of ten
static const double DEEP =
    2.0; ///< where the measure is exp(2) times below its largest, a singular configuration may be near
static const double SEEN = 0.02; ///< change of the measure that makes another sample: more than
                                 ///< rounding, less than any minimum that matters
static const double TURN = 0.2;  ///< [rad] that bodies may turn between samples
enum { SAMPLES_MOST = 64 };      ///< in a step
static const double CLEAR =
    5e-3; ///< beside a singular configuration the null space is well defined from here on
static const double AWAY =
    3e-2; ///< and from here on the velocity is a new one to continue: a jump may take some steps
          ///< (both in units of the smallest singular value where the mechanism stands best)
static const double RISE = 1.0; ///< when the measure has risen by so much, the rank is counted anew

/* What every sample needs comes first: near singular configurations that is every step. */
struct sari_monitor {
    int regular;       ///< the rank cannot drop anywhere, or there are no rows
    int skip, skipped; ///< steps that need no sample, now and last time
    int elsewhere;     ///< the system is evaluated at another time than now
    int leaving;       ///< a singular configuration that the run began on
    int reported;      ///< the branch change at this position
    int known;         ///< how many of the samples are
    int rank;          ///< generic
    double highest;    ///< of the measure in the run
    double falls;      ///< the measure, by so much a second
    double tried;      ///< how deep it was when last asked for an approach; infinite: it is known
    double counted;    ///< measure at which the rank was last counted
    double spin;       ///< fastest of a body in a loop at the third knot [rad/s]
    double least;      ///< smallest singular value that counts, where the measure was highest
    struct sample {
        double t, measure;
    } latest;                ///< the last sample, which need not have made a sample
    struct sample sample[3]; ///< the last three, oldest first
    sari_moving clear;       ///< the last step away from singular configurations
    double fastest;          ///< square of the speed in the run
    double* last;            ///< velocity at the third knot
    sari_knot knot[4];       ///< states between which the samples are, oldest first; the last: now
    sari_system* sys;
    sari_pass_search search;
    sari_normal normal; ///< with D the diagonal of M
    sari_arena memory;
    int patient; ///< it may take some steps
    int ending;  ///< the run is over, and its last step yet to be examined
    sari_reactions* joints;
    char* in_loop;       ///< per body: the rank may depend on how it stands
    double *q, *d, *rhs; ///< scratch
    sari_moving begin;   ///< the start of the run
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
    m->regular = system->nc == 0 ||
                 (system->coordinates.ops->separate && sari_mechanism_is_tree(system->mechanism));
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
    sari_pass_search_create(&m->search, system, &m->normal, &m->memory);
    m->search.relative = BOTTOM;
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

static void archive_moving(sari_monitor* m, sari_moving* at, sari_archive* a)
{
    SARI_ARCHIVE_NUMBERS(a, &at->t, &at->square);
    sari_archive_numbers(a, at->v, (size_t)m->sys->nq);
    sari_archive_numbers(a, at->a, (size_t)m->sys->nq);
}

void sari_monitor_archive(sari_monitor* m, sari_reactions* joints, sari_archive* a)
{
    struct sample* const samples[] = {&m->latest, &m->sample[0], &m->sample[1], &m->sample[2]};
    SARI_ARCHIVE_INTS(a, &m->skip, &m->skipped, &m->elsewhere, &m->leaving, &m->reported, &m->known,
                      &m->rank, &m->patient, &m->ending);
    SARI_ARCHIVE_NUMBERS(a, &m->highest, &m->falls, &m->tried, &m->counted, &m->spin, &m->least,
                         &m->fastest);
    for (int k = 0; k < 4; k++) {
        SARI_ARCHIVE_NUMBERS(a, &samples[k]->t, &samples[k]->measure);
        sari_knot_archive(&m->knot[k], m->sys, a);
    }
    archive_moving(m, &m->clear, a);
    archive_moving(m, &m->begin, a);
    sari_archive_numbers(a, m->last, (size_t)m->sys->nq);
    sari_pass_search_archive(&m->search, a);
    sari_normal_archive(&m->normal, a);
    if (sari_archive_reads(a)) m->joints = joints;
}

void sari_monitor_destroy(sari_monitor* m)
{
    if (!m) return;
    sari_normal_clear(&m->normal);
    sari_arena_clear(&m->memory);
    sari_release(m);
}

static double measure_shift(const sari_monitor* m, double relative)
{
    return relative * relative * m->normal.scale;
}

static double measure(sari_monitor* m, double relative)
{
    sari_pivots pivots;
    (void)sari_normal_factor(&m->normal, measure_shift(m, relative), &pivots);
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

static void keep(sari_monitor* m, sari_moving* at, double t, const double* v, const double* a)
{
    size_t bytes = (size_t)m->sys->nq * sizeof(double);
    memcpy(at->v, v, bytes);
    memcpy(at->a, a, bytes);
    at->t = t;
    at->square = sari_normal_square(&m->normal, v);
}

static void keep_clear(sari_monitor* m, const sari_state* s)
{
    keep(m, &m->clear, s->t, s->v, s->a);
    m->fastest = sari_max(m->fastest, m->clear.square);
}

sar_status sari_monitor_start(sari_monitor* m, const sari_state* s, sari_reactions* joints)
{
    const sari_system* sys = m->sys;
    sari_monitor_finish(m, s);
    m->joints = joints;
    sari_normal_weigh(&m->normal, sys);
    m->rank = sari_normal_rank(&m->normal, zero_at_rest(m));
    m->least = sari_normal_least(&m->normal, m->rank, zero_at_rest(m));
    m->sample[2] = (struct sample){s->t, measure(m, WATCH)};
    m->latest = m->sample[2];
    m->known = 1;
    m->highest = m->latest.measure;
    m->fastest = 0.0;
    m->reported = 0;
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

/* NaN: rows have no value there. */
static double measure_at(sari_monitor* m, double t, double relative)
{
    sari_knots_place(m->sys, m->knot, t, m->q);
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

/* Names from a little beside the pass, where the states that vanish in it still stand apart from
 * permanent redundancy. */
static void name_joints(sari_monitor* m, int drop, sar_event* e)
{
    const sari_pass_search* x = &m->search;
    if (!e || !m->joints) return;
    sari_knots_place(m->sys, x->knot, x->beside, m->q);
    sari_kinematics_update(m->sys->kinematics, m->q, NULL, 1);
    sari_events_place(m->passes, e, m->joints, m->sys->kinematics->X, drop);
}

static void search_on(sari_monitor* m, int evaluations)
{
    sari_pass found;
    if (!m->search.active) return;
    m->elsewhere = 1;
    if (!sari_pass_search_go_on(&m->search, evaluations, &found)) return;
    if (found.rank >= m->search.rank) return;
    name_joints(m, m->search.rank - found.rank, sari_events_add(m->passes, found.t, found.rank));
}

/* By which the constraints' singular values are held against the least where they stand best; that is
 * not known yet at the start. */
static double unit_of(const sari_monitor* m)
{
    return m->leaving ? 1.0 : m->least;
}

/* Between two of the samples, as far as there are knots. */
static void search_minimum(sari_monitor* m, int first, int last)
{
    const double t = m->sample[0].t + 0.05 * (m->sample[1].t - m->sample[0].t);
    sari_pass_search* x = &m->search;
    search_on(m, SARI_PASS_ANSWERS); // one after the other
    x->from = fmax(m->sample[first].t, m->knot[0].t);
    x->to = m->sample[last].t;
    if (!(x->to > x->from)) return; // samples are older than the knots: the measure stands still
    x->beside = fmax(t, m->knot[0].t);
    x->rank = m->rank;
    x->pass = fmax(STATIC, fmin(PASS, NEAR * unit_of(m)));
    sari_pass_search_begin(x, m->knot);
    if (!m->patient) search_on(m, SARI_PASS_ANSWERS);
}

/* ---- branch changes ------------------------------------------------------------------------- */

/* Is a singular configuration near, or was it at the last sample? */
static int is_near(const sari_monitor* m, double lowest)
{
    return m->leaving || lowest < m->highest - DEEP || m->latest.measure < m->highest - DEEP;
}

/* Are all singular values above AWAY? */
static int is_away(sari_monitor* m, const sari_state* now)
{
    come_back(m, now);
    return sari_normal_rank(&m->normal, AWAY * unit_of(m)) >= m->rank;
}

static int is_clear(sari_monitor* m, const sari_state* now)
{
    come_back(m, now);
    return sari_normal_rank(&m->normal, CLEAR * unit_of(m)) >= m->rank;
}

/* What costs less first. */
static int has_same_direction(sari_monitor* m, const sari_state* now)
{
    if (sari_velocities_agree(&m->normal, &m->clear, now, m->spin)) return 1;
    come_back(m, now);
    return sari_velocity_goes_on(&m->normal, &m->clear, now->t, m->fastest, m->d, m->rhs);
}

static void check_branch(sari_monitor* m, const sari_state* now, double measured, double lowest)
{
    if (measured < m->highest - 0.5) m->leaving = 0; // it does not get better than this
    const int near = is_near(m, lowest);
    m->highest = sari_max(m->highest, measured);
    const int away = !near || is_away(m, now);
    if (!away && !is_clear(m, now)) return; // wait until the null space is clear again
    if (!near) m->reported = 0;
    if (near && !m->reported && !has_same_direction(m, now)) {
        m->reported = 1; // once, until the motion is well away from the position
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

/* A run that begins on a singular configuration has a higher rank once it is away from there: the first
 * count was too low. The velocity of the start is the one that has to go on. */
static void count_again(sari_monitor* m, const sari_state* now, double measured)
{
    if (measured < m->counted + RISE) return;
    come_back(m, now);
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

/* Angle by which the velocity turned since the last sample [rad], as long as it is small. */
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

/* Far from singular configurations the measure changes little from step to step; then not every step has
 * to be examined. The measure may fall by SLACK in the meantime, and the mechanism turn by TURN,
 * by its velocities and by the spin of its bodies. `change` and `turn` are those of one step h. A
 * measure that has not changed since the start may be that of a singular configuration, on its floor: when
 * it is left has to be seen to a part of the time that it took. */
static int steps_to_skip(const sari_monitor* m, double t, double h, double measured, double change,
                         double turn)
{
    const double SLACK = 0.1, PART = 0.2;
    enum { MOST = 15 };
    if (m->leaving || measured < m->highest - 0.5 * DEEP) return 0;
    const double most = m->known < 2 ? sari_min(MOST, PART * ((t - m->sample[2].t) / h)) : MOST;
    return (int)sari_min(sari_min(most, SLACK / change), TURN / turn);
}

/* One more, if the measure has changed since the last: on the floor beside a singular configuration it
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
        search_minimum(m, 0, 2);
    return 1;
}

/* How many samples the motion since the last sample needs: by what bodies turn and, where a singular
 * configuration is near, by what the velocity does. There it may go through, turn round and come back.
 */
static int samples_of(const sari_monitor* m, double h, double spin, double turn, double measured)
{
    double parts = sari_max(m->spin, spin) * h / TURN;
    if (sari_min(m->sample[2].measure, measured) < m->highest - 0.5 * DEEP)
        parts = sari_max(parts, turn / TURN);
    return parts < SAMPLES_MOST ? (int)ceil(parts) : SAMPLES_MOST;
}

/* The motion since the last knot. Returns the lowest measure on the way. */
static double sample_motion(sari_monitor* m, const sari_state* now, double measured, double spin,
                            double turn)
{
    const double before = m->knot[2].t, h = now->t - before;
    const int samples = samples_of(m, h, spin, turn, measured);
    double lowest = measured;
    if (samples < 2 && fabs(measured - m->sample[2].measure) < SEEN) return lowest;
    int added = 0;
    sari_knot_set(&m->knot[3], &m->sys->coordinates, now);
    for (int k = 1; k < samples; k++) {
        const double t = before + h * k / samples, part = measure_at(m, t, WATCH);
        lowest = sari_min(lowest, part);
        added |= add_sample(m, t, part);
    }
    added |= add_sample(m, now->t, measured);
    if (added || sari_max(m->spin, spin) * h > TURN) keep_knot(m, now, spin);
    return lowest;
}

void sari_monitor_defer_search(sari_monitor* m, int patient)
{
    m->patient = patient;
    m->search.active = m->ending = 0;
}

/* A part of the search that goes on, if one does. */
static void go_on(sari_monitor* m, const sari_state* now)
{
    if (!m->search.active) return;
    search_on(m, 1);
    come_back(m, now);
}

static void sample_step(sari_monitor* m, const sari_state* now)
{
    come_back(m, now);
    const double measured = measure(m, WATCH);
    double change = fabs(measured - m->latest.measure), h = now->t - m->latest.t;
    if (m->skipped > 0) change /= 1 + m->skipped, h /= 1 + m->skipped; // of one step
    const double from = m->knot[2].t;
    const double turning = turned(m, now->v);
    const double turn = sari_max(m->spin * h, turning * h / (now->t - from));
    count_again(m, now, measured);
    m->skip = m->skipped = steps_to_skip(m, now->t, h, measured, change, turn);
    const double spin = fastest_spin(m, now);
    const double lowest = sample_motion(m, now, measured, spin, turning);
    come_back(m, now);
    check_branch(m, now, measured, lowest);
    m->falls = (m->latest.measure - measured) / (now->t - m->latest.t);
    m->latest = (struct sample){now->t, measured};
    m->elsewhere = 0;
}

/* Of the steps that are skipped only the last are ever looked back at. */
void sari_monitor_step(sari_monitor* m, const sari_state* now)
{
    if (m->regular) return;
    go_on(m, now);
    if (m->skip == 0) {
        sample_step(m, now);
    } else if (m->skip-- <= 2) {
        keep_clear(m, now);
    }
}

/* Three samples make a minimum; after the last one of a run there is none. */
static void sample_end(sari_monitor* m, const sari_state* now)
{
    const struct sample* s = m->sample;
    if (m->latest.t < now->t) {
        m->skip = 0;
        sari_monitor_step(m, now);
    }
    if (m->knot[2].t == now->t && s[2].measure < s[1].measure) search_minimum(m, 1, 2);
}

void sari_monitor_end(sari_monitor* m, const sari_state* now)
{
    if (m->regular || m->known < 2) return;
    m->ending = 1;
    if (!m->patient) sari_monitor_finish(m, now);
}

void sari_monitor_finish(sari_monitor* m, const sari_state* now)
{
    if (!m->search.active && !m->ending) return;
    search_on(m, SARI_PASS_ANSWERS);
    if (m->ending) {
        m->ending = 0;
        m->elsewhere = 1; // it may be, by now
        come_back(m, now);
        sample_end(m, now);
        search_on(m, SARI_PASS_ANSWERS);
    }
    come_back(m, now);
}

/* How deep the measure is, where that has to be said; else 0. */
static double approaching(sari_monitor* m)
{
    const double DEEPER = 1.4, depth = m->highest - m->latest.measure;
    if (depth < 0.5 * DEEP) m->tried = 0.0;
    return m->falls > 0.0 && !(depth < sari_max(DEEP, DEEPER * m->tried)) ? depth : 0.0;
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
