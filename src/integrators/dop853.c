/* DOP853: explicit, order 8, step chosen by a tolerance [hairer1993, II.5 and II.10].
 *
 * Twelve evaluations a step; the error is estimated by the embedded formulas of orders 5 and 3,
 *
 *     err = h n5^2 / sqrt(n5^2 + 0.01 n3^2)                                                  (1)
 *
 * and the next step is h err^(-0.7/8) err_old^(0.4/8) [hairer1996, IV.2: PI control], as far as the
 * motion can be followed. Within a step there is a polynomial of degree 7, for three evaluations more
 * that are made when it is asked for, and where the ends of the last steps do not give the same as well
 * (track.h). */
#include "integrators/dop853.h"
#include "base/memory.h"
#include "base/status.h"
#include "integrators/dop853_table.h"
#include "integrators/first_order.h"
#include "integrators/track.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

enum { FAILURES = 60 };

static const double SHORTEST = 1e-13; ///< of the time asked for: shorter steps would not end
static const double ORDER = 8.0;
static const double HIDDEN = 1e6;    ///< error of a step that did not see what its first stages saw
static const double SUDDEN = 1e-3;   ///< of what the order makes of an error: it falls no faster
static const double PREDICTED = 0.1; ///< of the tolerance: error of q between ends of steps
static const double PREDICTED_V = 0.5; ///< likewise of v
static const double STEEP = 5.0;       ///< largest slope of such an error, in parts of the step

typedef struct dop853 {
    sari_arena memory;
    sari_first_order ode;
    int size;
    double tolerance, longest, span;
    double h, err_old; ///< the next step, and the error of the last one; 0: there was none
    double t, done;    ///< begin of the last step, and its length
    int continuous;    ///< its extension is ready
    sari_equations* system;
    sari_track track;
    int obeys;   ///< steps are as long as prescribed, whatever their error
    int tracked; ///< it gives q of the last step, and v: 2; not at all: 0; -1: not examined
    double *y, *stage, *error, *end;
    double* k[DOP853_ALL_STAGES];
    double* c[DOP853_EXTENSION];
    sari_given_up why;
} dop853;

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    dop853* self = self_;
    (void)error;
    sari_arena* m = &self->memory;
    self->ode = sari_first_order_of(system, form, options, m);
    self->tolerance = options->tolerance;
    self->longest = options->step_max > 0.0 ? options->step_max : INFINITY;
    self->span = options->end - options->start;
    const int most = m->failed ? 0 : self->ode.ops->most(self->ode.self);
    double** const vectors[] = {&self->y, &self->stage, &self->error, &self->end};
    for (int i = 0; i < 4; i++) *vectors[i] = SARI_TAKE(m, double, most);
    for (int i = 0; i < DOP853_ALL_STAGES; i++) self->k[i] = SARI_TAKE(m, double, most);
    for (int i = 0; i < DOP853_EXTENSION; i++) self->c[i] = SARI_TAKE(m, double, most);
    self->system = system;
    if (self->ode.ops->meet && system->np == system->nq) // vectors
        sari_track_take(&self->track, m, system->nq);
    return SAR_OK;
}

static sar_status start(void* self_, const sari_state* s)
{
    dop853* self = self_;
    (void)s;
    self->h = self->err_old = 0.0;
    self->continuous = 0;
    self->track.count = 0; // forces may have jumped: no polynomial leads across
    return SAR_OK;
}

double sari_dop853_next_step(const void* self)
{
    return ((const dop853*)self)->h;
}

void sari_dop853_obey(void* self, sari_obedience how)
{
    ((dop853*)self)->obeys = how != SARI_OBEY_NOT;
}

void sari_dop853_resume(void* self, double h)
{
    start(self, NULL);
    ((dop853*)self)->h = h;
}

/* out = sum_j weight_j k_j */
static void combine(const dop853* self, const dop853_row* row, double* restrict out)
{
    const int n = self->size;
    for (int i = 0; i < n; i++) out[i] = row->weight[0] * self->k[row->stage[0]][i];
    for (int j = 1; j < row->count; j++) {
        const double* restrict k = self->k[row->stage[j]], weight = row->weight[j];
        for (int i = 0; i < n; i++) out[i] += weight * k[i];
    }
}

/* y + h sum_j a_sj k_j */
static void reach(const dop853* self, int stage, double h, double* out)
{
    combine(self, &dop853_stage[stage], out);
    for (int i = 0; i < self->size; i++) out[i] = self->y[i] + h * out[i];
}

static sar_status evaluate_stage(dop853* self, int stage, double h, sari_step_report* report)
{
    reach(self, stage, h, self->stage);
    if (report) report->iterations++;
    return self->ode.ops->rates(self->ode.self, self->t + dop853_time[stage] * h, self->stage,
                                self->k[stage]);
}

/* (1) */
static double error_of(dop853* self, double h)
{
    const sari_first_order* ode = &self->ode;
    combine(self, &dop853_error5, self->error);
    const double n5 = ode->ops->norm(ode->self, self->error);
    combine(self, &dop853_error3, self->error);
    const double n3 = ode->ops->norm(ode->self, self->error);
    const double whole = sqrt(n5 * n5 + 0.01 * n3 * n3);
    return whole > 0.0 ? h * n5 * n5 / whole : 0.0;
}

/* Stages 2 to 5 have no weight in the result and its error. Where they see forces that none of the others
 * does, as when they throw those out of a contact, the result is worth nothing. */
static int is_hidden(dop853* self, double h)
{
    enum { FIRST = 1, LAST = 4 };
    const double MORE = 10.0; // than what the others see; or than the tolerance
    const sari_first_order* ode = &self->ode;
    double unseen = 0.0, seen = 0.0;
    for (int i = 0; i < self->size; i++) {
        double of_unseen = 0.0, of_seen = 0.0;
        for (int stage = FIRST; stage < DOP853_STAGES; stage++) {
            const double change = fabs(self->k[stage][i] - self->k[0][i]);
            if (stage <= LAST)
                of_unseen = fmax(of_unseen, change);
            else
                of_seen = fmax(of_seen, change);
        }
        self->error[i] = of_unseen > MORE * of_seen ? of_unseen : 0.0;
        unseen += self->error[i], seen += of_seen;
    }
    if (!(unseen > MORE * seen)) return 0;
    return h * ode->ops->norm(ode->self, self->error) > MORE * self->tolerance;
}

/* The step by (1) and PI control. */
static double next_step(const dop853* self, double h, double err, int rejected)
{
    const double old = self->err_old > 0.0 ? self->err_old : 1.0;
    double factor =
        0.9 * sari_pow(fmax(err, 1e-10), -0.7 / ORDER) * sari_pow(fmax(old, 1e-4), 0.4 / ORDER);
    factor = fmin(rejected ? 1.0 : 2.5, fmax(0.3, factor));
    return factor * h;
}

/* The least error that is believed, after that of an attempt at h_before. Where forces are not smooth, as
 * at the begin of a contact, n5 changes its sign with h, and vanishes at some h by chance. */
static double least_error(double h, double h_before, double before)
{
    return before > 0.0 ? SUDDEN * before * sari_pow(h / h_before, ORDER) : 0.0;
}

/* One attempt: the error, in units of what is allowed, and the state at its end where that is at
 * most one. */
static sar_status attempt(dop853* self, double h, double least, sari_state* s, double* err,
                          sari_step_report* report)
{
    for (int stage = 1; stage < DOP853_STAGES; stage++)
        SARI_TRY(evaluate_stage(self, stage, h, report));
    reach(self, DOP853_STAGES, h, self->end);
    *err = error_of(self, h) / self->tolerance;
    if (least > 1.0 && *err < least) *err = least;
    if (*err <= 1.0 && !self->obeys && is_hidden(self, h)) *err = HIDDEN;
    if (self->obeys) *err = fmin(*err, 1.0); // NaN stays
    if (!(*err <= 1.0)) return isfinite(*err) ? SAR_OK : SAR_R_NOT_FINITE;
    report->iterations++;
    return self->ode.ops->store(self->ode.self, self->t + h, self->end, self->k[DOP853_STAGES], s);
}

static double shorter(sar_status st, double h)
{
    return (st == SAR_R_SINGULAR ? 0.87 : 0.6) * h;
}

static sar_status give_up(dop853* self, sar_status st, double h, double err)
{
    self->why = (sari_given_up){st, self->t, h, err, self->tolerance};
    return st == SAR_OK ? SAR_R_NO_CONV : st;
}

static sar_status step(void* self_, sari_state* s, double left, sari_step_report* report)
{
    dop853* self = self_;
    const sari_first_order* ode = &self->ode;
    self->why.h = 0.0;
    SARI_TRY(ode->ops->base(ode->self, s, self->y, self->k[0], &self->size));
    self->t = s->t;
    self->continuous = 0;
    self->tracked = -1;
    if (self->track.last) sari_track_begin(&self->track, s);
    if (self->h == 0.0)
        self->h = 0.3 * sari_pow(self->tolerance, 1.0 / ORDER) / ode->ops->pace(ode->self);
    double h = self->obeys ? left : sari_first_order_fit(ode, s, self->h, self->longest, left);
    double err = 0.0;
    const double wanted = self->h;
    double tried = h, before = 0.0;
    int failures = 0, refused = 0;
    for (;; failures++) {
        const sar_status st = attempt(self, h, least_error(h, tried, before), s, &err, report);
        if (st == SAR_OK && err <= 1.0) break;
        if (st < 0) return st;
        if (ode->ops->reject) ode->ops->reject(ode->self);
        refused |= st == SAR_OK;
        tried = h, before = st == SAR_OK ? err : 0.0;
        h = st == SAR_OK ? next_step(self, h, err, 1) * 0.95 : shorter(st, h);
        if (failures > FAILURES || h < SHORTEST * self->span) return give_up(self, st, tried, err);
    }
    report->rejected += failures;
    self->done = h;
    SARI_TRY(ode->ops->accept(ode->self, s));
    if (self->track.last) sari_track_end(&self->track, s);
    const double next = next_step(self, h, err, refused || failures > 0);
    self->h = h < wanted && failures == 0 ? fmax(next, fmin(wanted, 2.5 * h)) : next;
    if (h < wanted && failures == 0) self->h = fmin(self->h, fmax(next, wanted));
    self->err_old = err;
    report->evaluated = 0;
    return SAR_OK;
}

/* ---- within the step ------------------------------------------------------------------------ */

static sar_status extend(dop853* self)
{
    const double h = self->done;
    double** c = self->c;
    for (int stage = DOP853_STAGES + 1; stage < DOP853_ALL_STAGES; stage++)
        SARI_TRY(evaluate_stage(self, stage, h, NULL));
    for (int i = 0; i < self->size; i++) {
        const double way = self->end[i] - self->y[i];
        c[0][i] = way;
        c[1][i] = h * self->k[0][i] - way;
        c[2][i] = 2.0 * way - h * (self->k[DOP853_STAGES][i] + self->k[0][i]);
    }
    for (int j = 3; j < DOP853_EXTENSION; j++) {
        combine(self, &dop853_extension[j - 3], c[j]);
        for (int i = 0; i < self->size; i++) c[j][i] *= h;
    }
    self->continuous = 1;
    return SAR_OK;
}

/* y at t, into `stage`. */
static sar_status interpolate(dop853* self, double t)
{
    if (!self->continuous) SARI_TRY(extend(self));
    const double x = (t - self->t) / self->done, rest = 1.0 - x;
    double* const* c = self->c;
    for (int i = 0; i < self->size; i++) { // x and 1 - x in turns
        double sum = c[6][i] * x;
        sum = (sum + c[5][i]) * rest;
        sum = (sum + c[4][i]) * x;
        sum = (sum + c[3][i]) * rest;
        sum = (sum + c[2][i]) * x;
        sum = (sum + c[1][i]) * rest;
        self->stage[i] = self->y[i] + (sum + c[0][i]) * x;
    }
    return SAR_OK;
}

/* How much of the last step its ends, and those before, give: 1 for q, 2 for v too. */
static int tracked(dop853* self)
{
    double factor;
    const double* last = sari_track_error(&self->track, &factor);
    if (!last) return 0;
    const double *begin = self->track.end[1], pace = self->ode.ops->pace(self->ode.self),
                 of_q = factor * sari_equations_turn(self->system, begin, last),
                 of_v = STEEP * of_q / (self->done * pace);
    if (!(of_q <= PREDICTED * self->tolerance)) return 0;
    return of_v <= PREDICTED_V * self->tolerance ? 2 : 1;
}

/* How much of the last step the ends of steps give as well as its own polynomial. */
static int is_tracked(dop853* self)
{
    if (!self->track.last || self->obeys) return 0;
    if (self->tracked < 0) self->tracked = tracked(self);
    return self->tracked;
}

/* An error of v that is the rate of one of q, which vanishes at both ends, adds nothing to an integral:
 * that of q counts. */
static int dense_beside(void* self_, double t, sari_state* s)
{
    dop853* self = self_;
    if (!is_tracked(self)) return 0;
    sari_track_at(&self->track, t, s->q, s->v);
    return 1;
}

/* The state that belongs to them; likewise. */
static int predict_within(dop853* self, double t, int level, sari_state* s)
{
    if (is_tracked(self) < 2) return 0; // all parts of a state come from one polynomial
    sari_track_at(&self->track, t, s->q, level ? s->v : NULL);
    return self->ode.ops->meet(self->ode.self, t, level, s) == SAR_OK;
}

static sar_status dense(void* self_, double t, sari_state* s)
{
    dop853* self = self_;
    if (predict_within(self, t, 2, s)) return SAR_OK;
    SARI_TRY(interpolate(self, t));
    return self->ode.ops->store(self->ode.self, t, self->stage, NULL, s);
}

static sar_status dense_part(void* self_, double t, int level, sari_state* s)
{
    dop853* self = self_;
    if (predict_within(self, t, level, s)) return SAR_OK;
    if (!self->ode.ops->store_part) return dense(self, t, s);
    SARI_TRY(interpolate(self, t));
    return self->ode.ops->store_part(self->ode.self, t, self->stage, level, s);
}

static const double* within(void* self_, double t)
{
    dop853* self = self_;
    return interpolate(self, t) == SAR_OK ? self->stage : NULL;
}

static void archive(void* self_, sari_archive* a)
{
    dop853* self = self_;
    self->size = sari_archive_range(a, self->size, 0, self->ode.ops->most(self->ode.self));
    self->continuous = sari_archive_flag(a, self->continuous);
    const size_t n = (size_t)self->size;
    SARI_ARCHIVE_NUMBERS(a, &self->h, &self->err_old, &self->t, &self->done);
    sari_archive_numbers(a, self->y, n);
    sari_archive_numbers(a, self->end, n);
    for (int i = 0; i <= DOP853_STAGES; i++) sari_archive_numbers(a, self->k[i], n);
    for (int i = 0; self->continuous && i < DOP853_EXTENSION; i++)
        sari_archive_numbers(a, self->c[i], n);
    if (self->track.last) sari_track_archive(&self->track, a);
    if (sari_archive_reads(a)) self->tracked = -1; // it is examined again
    sari_first_order_archive(&self->ode, a);
}

static void explain(const void* self, char* text, size_t size)
{
    sari_first_order_explain(&((const dop853*)self)->why, text, size);
}

const sari_integrator_ops sari_integrator_dop853 = {
    .name = "dop853",
    .cite = "hairer1993",
    .text = "Dormand-Prince 8(5,3), explicit, step chosen by a tolerance; order 8",
    .needs = SARI_CONTRACT_FIRST_ORDER,
    .order = 8,
    .variable = 1,
    .size = SARI_OBJECT(dop853, memory),
    .create = create,
    .start = start,
    .step = step,
    .dense = dense,
    .dense_part = dense_part,
    .dense_beside = dense_beside,
    .within = within,
    .obey = sari_dop853_obey,
    .explain = explain,
    .archive = archive,
};
