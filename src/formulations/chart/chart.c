/* Tangent chart: the motion in d = n - r numbers, those that the constraints leave free, near a base
 * that moves along with the steps. No penalty, no stabilisation, no rank that must not drop.
 *
 * With the base (t_b, q_b), the metric G = M(q_b), and G-orthonormal V (n x d) and W (n x r), where
 * V spans the motions that the constraints allow at the base and W the rest,
 *
 *     x(q) = V z + W w                                                                       (1)
 *
 * is the place of q: q - q_b where positions are vectors, else velocities(q_b, q - q_b), whose
 * derivative by a change of q is A(q). The constraints say w(z, t). From a place k nearby,
 *
 *     w ~ w_k + D_k dz + w_t dt + 1/2 e_k tau^2                                              (2)
 *
 * or from two, by the polynomial through both (chart/predict.c), and
 *
 *     B dw = -row Phi,   B = row Phi_q A^-1 W       (least squares: redundant rows agree)    (3)
 *
 *     D = dw/dz = -B^+ row Phi_q A^-1 V,   w_t = -B^+ row Phi_t,   T = A^-1 (V + W D)        (4)
 *
 * B is factored once, at the prediction, if that is near: all that is solved with B at the place itself
 * is refined, x <- x + B_0^+ (y - B x).
 *
 * The motion is given by z and by u, velocities in an orthonormal frame of the tangents: |u| is the
 * speed in the metric, however steep the surface is in this chart,
 *
 *     H = I + D'D = C C',   dz/dt = C'^-1 u                                                  (6)
 *
 *     v = T dz/dt + A^-1 W w_t                                                               (7)
 *
 *     dD/dt = -B^+ row (dPhi_q/dt T - Phi_q A^-1 (dA/dt) T),   e likewise from the bias      (8)
 *
 *     (T'MT) d2z/dt2 = T'(Q - M a0),   a = T d2z/dt2 + a0,   a0 = A^-1 W e - A^-1 (dA/dt) v  (9)
 *
 * where T'MT = C C' and T'M W = D' if M is G at every place;
 *
 *     du/dt = C' d2z/dt2 + (dC/dt)' dz/dt                                                    (10)
 *
 *     B'(lambda/row) = W' A^-T (Q - M a)            the shortest such lambda                 (11)
 *
 * Singular configurations. B loses rank there, though z and u go on smoothly. The smallest singular value
 * sigma of B, relative to its largest, divided by its slope along the steepest way (5), is the
 * distance from the singular set in radians. Nearer than 0.012 rad the right-hand side is taken from
 * both sides, K = 6:
 *
 *     f(z) = sum_k c_k (f(z + k eps s) + f(z - k eps s)),   c_k = 1/2 prod_{j!=k} j^2/(j^2 - k^2)   (12)
 *
 * where s is the steepest direction: exact for even polynomials of degree 10. It works on any
 * number of degrees of freedom and of ranks lost, without formulas for curvatures.
 *
 * Lengths are measured in turns: `unit` of a coordinate is the change of it that turns some body by
 * a radian or moves its centre by its size. All constants are then in radians, whatever the units
 * of the model.
 *
 * Rows on velocities alone are met by projection, in the norm of kinetic energy, of dz/dt and of
 * d2z/dt2; u is dz/dt then.
 *
 * Charts in place of constraints are [wehage1982, potra1991]; (6), (10) and (12) are ours. */
#include "formulations/chart/chart.h"
#include "formulations/chart/sparse.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "math/functions.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Accuracy that is asked for, in local errors: what a motion of usual length and growth makes of
/// them, and of those of steps that are long, whose estimates are worth less.
static const double ACCUMULATION = 25.0, ACCUMULATION_LONG = 100.0;
static const double TIGHT = 1e-6, LOOSE = 1e-4; ///< tolerances that have steps like these
static const double LONGEST = 1.0;              ///< [rad] of a step
static const double DRIVEN = 0.1;               ///< likewise, where drives prescribe everything
static const double DRIVEN_STEPS = 100.0;       ///< steps of such a run, at least
static const double STALLED = 1e-9; ///< [rad] corrections of places that may fall no more
static const double AFAR =
    16.0; ///< likewise in units of the rounding of places that count from afar
static const double ENDING = 0.05; ///< of the usual sigma: where a failure is laid to that

/* ---- life ----------------------------------------------------------------------------------- */

static void clear(void* self)
{
    sari_chart_sparse_destroy(((sari_chart*)self)->sparse);
}

/* Coordinates that are turns change several numbers of q. */
static void find_turns(sari_chart* c)
{
    const sari_equations* sys = c->sys;
    if (sys->vectors) return;
    for (int i = 0; i < c->np; i++) c->work.position[i] = 0.7 + 0.01 * (i % 11);
    for (int i = 0; i < c->n;) {
        memset(c->work.vector, 0, (size_t)c->n * sizeof(double));
        c->work.vector[i] = 1.0;
        int changes = 0;
        sari_coordinates_position_rates(sys->space, c->work.position, c->work.vector, c->q);
        for (int k = 0; k < c->np; k++) changes += c->q[k] != 0.0;
        if (changes > 1) c->turn[c->turns++] = i;
        i += changes > 1 ? 3 : 1;
    }
}

static void take_vectors(sari_chart* c)
{
    sari_arena* m = &c->memory;
    const int n = c->n, nh = c->nh;
    c->unit = SARI_TAKE(m, double, n);
    c->felt = SARI_TAKE(m, char, n);
    c->q_first = SARI_TAKE(m, double, c->np);
    c->scale = SARI_TAKE(m, double, c->sys->states);
    c->row = SARI_TAKE(m, double, nh);
    c->turn = SARI_TAKE(m, int, n);
    c->A_inv = SARI_TAKE(m, double, 3 * n + 9);
    c->base.q = SARI_TAKE(m, double, c->np);
    c->base.tangent_q = SARI_TAKE(m, double, c->np);
    c->side.q = SARI_TAKE(m, double, c->np);
    c->q = SARI_TAKE(m, double, c->np);
    c->q_rows = SARI_TAKE(m, double, c->np);
    c->work.position = SARI_TAKE(m, double, c->np);
    double** const vectors[] = {&c->x,
                                &c->v,
                                &c->a,
                                &c->work.g,
                                &c->work.vector,
                                &c->work.w_predicted,
                                &c->u,
                                &c->ud,
                                &c->zdd,
                                &c->singular.along,
                                &c->work.z_way,
                                &c->work.z_line,
                                &c->side.v,
                                &c->side.a,
                                &c->side.u,
                                &c->side.along,
                                NULL};
    for (int k = 0; vectors[k]; k++) *vectors[k] = SARI_TAKE(m, double, n);
    c->lambda = SARI_TAKE(m, double, nh + c->mv);
    c->singular.warm = SARI_TAKE(m, double, n);
    c->work.rhs = SARI_TAKE(m, double, nh + c->mv + n);
    c->work.drop = SARI_TAKE(m, double, n + c->mv);
    c->work.lower = SARI_TAKE(m, double, 4 * n);
    c->work.way = SARI_TAKE(m, double, 2 * n);
}

static void take_matrices(sari_chart* c)
{
    sari_arena* m = &c->memory;
    const int n = c->n, nh = c->nh, r = n < nh ? n : nh, d = n, rd = n * n / 4 + n;
    const int wide = r > d ? r : d;
    c->base.V = SARI_TAKE(m, double, n* d);
    c->base.W = SARI_TAKE(m, double, n* r);
    c->base.GV = SARI_TAKE(m, double, n* d);
    c->base.GW = SARI_TAKE(m, double, n* r);
    c->base.L = SARI_TAKE(m, double, n* n);
    c->base.tangent = SARI_TAKE(m, double, n* n);
    c->side.V = SARI_TAKE(m, double, n* n);
    c->side.T = SARI_TAKE(m, double, n* n);
    c->work.Dd = SARI_TAKE(m, double, rd);
    c->work.H = SARI_TAKE(m, double, d* d);
    c->C = SARI_TAKE(m, double, d* d);
    c->work.Cd = SARI_TAKE(m, double, d* d > c->np ? d * d : c->np);
    c->work.Y = SARI_TAKE(m, double, nh* wide);
    c->work.Z = SARI_TAKE(m, double, n* d + 5 * d);
    c->work.refining = SARI_TAKE(m, double, (2 * nh + n) * d);
    c->work.A_T = SARI_TAKE(m, double, c->mv* d);
    c->work.KA = SARI_TAKE(m, double, c->mv* d);
    c->work.S = SARI_TAKE(m, double, c->mv * c->mv);
    c->work.motion_of_z = SARI_TAKE(m, double, n);
    c->work.force_of_z = SARI_TAKE(m, double, n);
    c->work.force_here = SARI_TAKE(m, double, n);
    c->work.bias_here = SARI_TAKE(m, double, nh);
    c->work.qdot_of_z = SARI_TAKE(m, double, c->np);
    sari_chart_take_notes(c, m, d);
    sari_chart_take_frame(c, m, r);
    c->work.others = SARI_TAKE(m, double, (2 * SARI_CHART_OTHERS + 1) * r + nh + 2 * d);
    sari_least_squares_take(&c->f, m, nh, r, d);
    c->singular.right = c->f.right;
    c->singular.left = c->f.left;
    const size_t point = (size_t)(2 * d + 3 * r + rd + n * d); // at most
    c->cache.memory = SARI_TAKE(m, double, (SARI_CHART_POINTS + 1) * point);
}

/* Scratch of the survey and of the base, and the sums of the bridge. */
static void take_scratch(sari_chart* c)
{
    const size_t n = (size_t)c->n, nh = (size_t)c->nh, most = n > nh ? n : nh;
    const size_t svd = nh * n + most + nh * n + 3 * n * n + sari_svd_workspace(c->nh, c->n);
    const size_t base = n * n + 3 * n;
    const size_t beside = 4 * n * n + 2 * n + sari_svd_workspace(c->n, 2 * c->n);
    const size_t bridge = 8 * n + n * n + nh + (size_t)c->mv;
    c->work.svd = SARI_TAKE(&c->memory, double, svd > base ? svd : base);
    c->work.sums = SARI_TAKE(&c->memory, double, beside > bridge ? beside : bridge);
    if (c->turns == 0) {
        c->AW = c->base.W;
        c->AV = c->base.V;
    } else {
        c->AW = SARI_TAKE(&c->memory, double, n* n);
        c->AV = SARI_TAKE(&c->memory, double, n* n);
    }
}

sar_status sari_chart_take_dense(sari_chart* c)
{
    if (c->engine == &sari_chart_engine_dense) return SAR_OK;
    take_matrices(c);
    if (!c->memory.failed) take_scratch(c);
    if (c->memory.failed) return SAR_E_NOMEM;
    c->engine = &sari_chart_engine_dense;
    return SAR_OK;
}

/* By powers of the tolerance between the two. */
static double accumulation_of(double tolerance)
{
    const double part = sari_log(tolerance / TIGHT) / sari_log(LOOSE / TIGHT);
    return ACCUMULATION * sari_pow(ACCUMULATION_LONG / ACCUMULATION, fmin(fmax(part, 0.0), 1.0));
}

static sar_status create(void* self, sari_equations* system, const sar_options* options,
                         sar_error* error)
{
    sari_chart* c = self;
    (void)error;
    c->sys = system;
    c->np = system->np;
    c->n = system->nq;
    c->mv = system->velocity_rows;
    c->nh = system->nc - c->mv;
    c->span = options->end - options->start;
    c->stalled = fmax(STALLED, AFAR * DBL_EPSILON * c->sys->away / c->sys->size);
    c->tolerance = options->tolerance;
    c->start.any_branch = options->best_effort;
    c->accumulation = accumulation_of(c->tolerance);
    c->base.tangent_t = NAN;
    take_vectors(c);
    if (!c->memory.failed) find_turns(c);
    const int sparse = !c->memory.failed && sari_chart_sparse_suits(c, options->solver);
    return sparse ? sari_chart_sparse_create(c) : sari_chart_take_dense(c);
}

/* ---- states --------------------------------------------------------------------------------- */

static sar_status status_of(sari_chart_outcome outcome)
{
    switch (outcome) {
    case SARI_CHART_OK:
        return SAR_OK;
    case SARI_CHART_NEAR:
        return SAR_R_SINGULAR;
    case SARI_CHART_UNDEFINED:
        return SAR_R_NOT_FINITE;
    default:
        return SAR_R_NO_CONV;
    }
}

void sari_chart_give(const sari_chart* c, sari_state* s)
{
    memcpy(s->q, c->q, (size_t)c->np * sizeof(double));
    memcpy(s->v, c->v, (size_t)c->n * sizeof(double));
    memcpy(s->a, c->a, (size_t)c->n * sizeof(double));
    memcpy(s->lambda, c->lambda, (size_t)(c->nh + c->mv) * sizeof(double));
}

/* u = V'G v */
void sari_chart_quasi_velocities(const sari_chart* c, const double* v, double* u)
{
    memset(u, 0, (size_t)c->d * sizeof(double));
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->d; j++) u[j] += c->base.GV[i * c->d + j] * v[i];
}

/* Of a state of the model; 0 for all else. */
static double scale_of(const sari_chart* c, int i)
{
    const int state = i - (c->n - c->sys->states);
    return state >= 0 ? c->scale[state] : 0.0;
}

/* The pace only grows: what was fast once is measured by that. An acceleration counts by the velocity that
 * it leads to, on the way of a unit or in the time that it lasts, which is some steps of length h: that
 * of a hard contact ends before. Not in a singular configuration that no smooth motion crosses: accelerations
 * grow beyond all bounds where motions end, and would have errors of velocities count for nothing. */
static void keep_pace(sari_chart* c, const sari_state* s, double h)
{
    const double LASTS = 4.0; // steps
    sari_equations_state_scales(c->sys, s->t, s->q, s->v, c->Omega, c->scale);
    for (int i = 0; i < c->n; i++) {
        if (scale_of(c, i) > 0.0) continue;
        const double a = c->rough ? 0.0 : fabs(s->a[i]) / c->unit[i];
        c->Omega = fmax(c->Omega, fmax(fabs(s->v[i]) / c->unit[i], fmin(sqrt(a), LASTS * h * a)));
    }
}

/* The tangents in a singular configuration come from both sides of it: they are good for another base,
 * in which the accelerations are found. */
static sar_status start(void* self, sari_state* s)
{
    sari_chart* c = self;
    SARI_TRY(sari_chart_survey(c, s));
    c->singular.warm_sigma = NAN;
    for (int pass = 0; pass <= c->start.singular; pass++) {
        SARI_TRY(sari_chart_set_base(c, s->t, s->q, c->base.tangent));
        sari_chart_begin_cache(c, s->v, NULL);
        sari_chart_quasi_velocities(c, s->v, c->u);
        memset(c->base.tangent, 0, (size_t)c->d * sizeof(double)); // z
        SARI_TRY(status_of(sari_chart_evaluate(c, s->t, c->base.tangent, c->u, 1)));
        memcpy(c->base.tangent, c->at.T, (size_t)(c->n * c->d) * sizeof(double));
    }
    memcpy(s->a, c->a, (size_t)c->n * sizeof(double));
    memcpy(s->lambda, c->lambda, (size_t)(c->nh + c->mv) * sizeof(double));
    sari_chart_remember_base(c, s);
    keep_pace(c, s, INFINITY);
    return SAR_OK;
}

/* ---- first-order form ----------------------------------------------------------------------- */

static int most(const void* self)
{
    return 2 * ((const sari_chart*)self)->n;
}

static int size(const void* self)
{
    return 2 * ((const sari_chart*)self)->d;
}

/* Evaluations within the last step leave no trace in the next one. */
static void forget_samples(sari_chart* c)
{
    memcpy(c->singular.right, c->singular.warm, (size_t)c->nw * sizeof(double));
    c->singular.sigma = c->singular.warm_sigma;
}

static sar_status base(void* self, const sari_state* s, double* y, double* ydot, int* numbers)
{
    sari_chart* c = self;
    const int same = c->base.tangent_t == s->t &&
                     memcmp(c->base.tangent_q, s->q, (size_t)c->np * sizeof(double)) == 0;
    if (!same)
        SARI_TRY(sari_chart_survey(c, s));
    else if (isfinite(c->singular.warm_sigma))
        forget_samples(c);
    SARI_TRY(sari_chart_set_base(c, s->t, s->q, c->base.tangent));
    sari_chart_begin_cache(c, s->v, s->a);
    sari_chart_remember_base(c, s);
    c->watch.count = 0;
    *numbers = 2 * c->d;
    memset(y, 0, (size_t)c->d * sizeof(double));
    sari_chart_quasi_velocities(c, s->v, y + c->d);
    memcpy(ydot, y + c->d, (size_t)c->d * sizeof(double));
    sari_chart_quasi_velocities(c, s->a, ydot + c->d);
    return SAR_OK;
}

static sar_status rates(void* self, double t, const double* y, double* ydot)
{
    sari_chart* c = self;
    SARI_TRY(status_of(sari_chart_evaluate(c, t, y, y + c->d, 0)));
    for (int j = 0; j < c->d; j++) ydot[j] = c->at.zd[j];
    for (int j = 0; j < c->d; j++) ydot[c->d + j] = c->ud[j];
    return SAR_OK;
}

static sar_status store(void* self, double t, const double* y, double* ydot, sari_state* s)
{
    sari_chart* c = self;
    SARI_TRY(status_of(sari_chart_evaluate(c, t, y, y + c->d, 1)));
    c->failure = SARI_CHART_OK;
    if (ydot) {
        memcpy(ydot, c->at.zd, (size_t)c->d * sizeof(double));
        memcpy(ydot + c->d, c->ud, (size_t)c->d * sizeof(double));
    }
    s->t = t;
    sari_chart_give(c, s);
    return SAR_OK;
}

static sar_status store_part(void* self, double t, const double* y, int level, sari_state* s)
{
    sari_chart* c = self;
    const sari_chart_engine* engine = c->engine;
    if (!engine->velocity) return store(c, t, y, NULL, s);
    sari_chart_outcome st =
        sari_chart_find(c, t, y, 1, level ? SARI_CHART_GEOMETRY : SARI_CHART_PLACE);
    if (st == SARI_CHART_OK && level) st = engine->velocity(c, y + c->d);
    if (st != SARI_CHART_OK) return store(c, t, y, NULL, s); // across a singular configuration, say
    memcpy(s->q, c->q, (size_t)c->np * sizeof(double));
    if (level) memcpy(s->v, c->v, (size_t)c->n * sizeof(double));
    return SAR_OK;
}

/* z and w of a position, and dz/dt of a velocity, are those along the metric's V and W. */
static sar_status meet(void* self, double t, int level, sari_state* s)
{
    sari_chart* c = self;
    const int n = c->n, d = c->d, r = c->r;
    double *z = c->work.way, *zd = c->work.way + d;
    if (!c->engine->velocity || c->turns) return SAR_E_INCOMPAT;
    for (int j = 0; j < d; j++) z[j] = 0.0;
    for (int k = 0; k < r; k++) c->work.w_predicted[k] = 0.0;
    for (int i = 0; i < n; i++) {
        const double way = s->q[i] - c->base.q[i];
        for (int j = 0; j < d; j++) z[j] += c->base.GV[i * d + j] * way;
        for (int k = 0; k < r; k++) c->work.w_predicted[k] += c->base.GW[i * r + k] * way;
    }
    SARI_TRY(status_of(sari_chart_meet(c, t, z, level > 0)));
    memcpy(s->q, c->q, (size_t)c->np * sizeof(double));
    if (level == 0) return SAR_OK;
    sari_chart_quasi_velocities(c, s->v, zd);
    sari_chart_quasi_velocities_here(c, zd, c->u);
    SARI_TRY(status_of(level == 1 ? c->engine->velocity(c, c->u) : sari_chart_motion(c, t, c->u)));
    if (level == 2) sari_chart_multipliers(c);
    if (level == 2)
        sari_chart_give(c, s);
    else
        memcpy(s->v, c->v, (size_t)n * sizeof(double));
    return SAR_OK;
}

/* The state that store gave last is where the next base will be. */
static sar_status accept(void* self, sari_state* s)
{
    sari_chart* c = self;
    memcpy(c->base.tangent, c->at.T, (size_t)(c->n * c->d) * sizeof(double));
    memcpy(c->base.tangent_q, s->q, (size_t)c->np * sizeof(double));
    c->base.tangent_t = s->t;
    memcpy(c->singular.warm, c->singular.right, (size_t)c->nw * sizeof(double));
    c->singular.warm_sigma = c->singular.sigma;
    if (isfinite(c->singular.sigma))
        c->singular.sigma_usual = fmax(c->singular.sigma_usual, c->singular.sigma);
    keep_pace(c, s, s->t - c->base.t);
    return SAR_OK;
}

static void reject(void* self)
{
    sari_chart* c = self;
    if (c->cache.points > 1) c->cache.points = 1;
    c->cache.oldest = 0;
    c->watch.count = 0;
}

/* The largest error of a coordinate, in turns, of a velocity in turns at the pace of the motion, or
 * of a state of the model in parts of its size. */
static double norm(const void* self, const double* e)
{
    const sari_chart* c = self;
    const int d = c->d;
    double largest = 0.0;
    for (int i = 0; i < c->n; i++) {
        const double *V = c->base.V + (size_t)(i * d), rate = fabs(sari_vector_dot(d, V, e + d));
        const double scale = scale_of(c, i);
        const double size =
            scale > 0.0 ? rate / scale
                        : fmax(fabs(sari_vector_dot(d, V, e)), rate / c->Omega) / c->unit[i];
        if (!(size <= largest)) largest = size;
    }
    return c->accumulation * largest;
}

static double pace(const void* self)
{
    return ((const sari_chart*)self)->Omega;
}

int sari_chart_watched(const void* self, const sari_rank_sample** samples)
{
    const sari_chart* c = self;
    *samples = c->watch.at;
    return c->watch.count;
}

sari_rank_sample sari_chart_regularity(void* self, double t, const double* y, double limit,
                                       int* below)
{
    sari_chart* c = self;
    if (c->r == 0) return (sari_rank_sample){t, NAN, NAN, 0.0};
    (void)sari_chart_find(c, t, y, 0, SARI_CHART_SIGMA);
    const sari_rank_sample sample = c->engine->measure(c, t);
    if (below) *below = c->engine->count_below(c, limit);
    return sample;
}

int sari_chart_rank_deficiency(const void* self)
{
    return ((const sari_chart*)self)->start.deficiency;
}

int sari_chart_rank(const void* chart)
{
    return ((const sari_chart*)chart)->r;
}

/* By the coordinates that are felt: along the others errors alone count. Where drives leave nothing
 * free there is no error that would limit steps: they are short, also from rest, so that the position
 * at their end is the one that follows. */
static double longest(void* self, const sari_state* s)
{
    sari_chart* c = self;
    if (c->d > 0) return LONGEST / sari_chart_felt_pace(c, s);
    const double pace = sari_equations_turn(c->sys, s->q, s->v);
    const double growth = sari_equations_turn(c->sys, s->q, s->a);
    return fmin(fmin(DRIVEN / pace, sqrt(2.0 * DRIVEN / growth)), c->span / DRIVEN_STEPS);
}

/* ---- the rest of the formulation ------------------------------------------------------------ */

static void begin(void* self, const sari_state* s)
{
    if (!s) ((sari_chart*)self)->base.tangent_t = NAN;
}

static void explain(const void* self, char* text, size_t size)
{
    const sari_chart* c = self;
    if (c->start.ambiguous)
        snprintf(text, size,
                 "the mechanism starts at rest in a singular configuration: several motions begin "
                 "there, "
                 "and nothing says which. Start beside it, or with a velocity along one of them");
    else if (c->no_mass)
        snprintf(text, size,
                 "at t = %.9g some motion that the joints allow has no mass: give the bodies "
                 "that move in it a mass or an inertia",
                 c->failed_at);
    else if (c->failure != SARI_CHART_OK && c->singular.sigma < ENDING * c->singular.sigma_usual)
        snprintf(
            text, size,
            "The mechanism comes to a singular configuration there, and no smooth motion leads on "
            "from it: it is the end of what the joints allow, or a drive asks for more than "
            "they do");
    else
        text[0] = 0;
}

static double alpha(const void* self)
{
    (void)self;
    return INFINITY;
}

static const char* solver(const void* self)
{
    return ((const sari_chart*)self)->engine->name;
}

static const sari_first_order_ops first_order = {
    .most = most,
    .size = size,
    .base = base,
    .rates = rates,
    .store = store,
    .store_part = store_part,
    .meet = meet,
    .accept = accept,
    .reject = reject,
    .norm = norm,
    .pace = pace,
    .longest = longest,
    .jacobian = sari_chart_jacobian,
    .note = sari_chart_take_note,
    .recall = sari_chart_recall,
};

const sari_formulation_ops sari_formulation_chart = {
    .name = "chart",
    .cite = "wehage1982 potra1991",
    .text = "the motions that the constraints leave free, in a chart that moves along; through "
            "singular configurations to rounding",
    .capabilities = SARI_FORM_RANK_DROP | SARI_FORM_SLACK,
    .violation = 1e-6,
    .size = SARI_OBJECT(sari_chart, memory),
    .create = create,
    .start = start,
    .first_order = &first_order,
    .begin = begin,
    .explain = explain,
    .alpha = alpha,
    .solver = solver,
    .archive = sari_chart_archive,
    .clear = clear,
};
