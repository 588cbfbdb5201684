/* Least squares by Levenberg and Marquardt [more1978], with bounds:
 *
 *     free = not (at a bound and pushed out)
 *     [J; sqrt(mu) D] d = -[r; 0],   D: column norms, which fall to a tenth at most, d = 0 unless free      (1)
 *     p+ = clip(p + d)
 *     rho = (f - f+)/(f - 1/2 |r + J (p+ - p)|^2)                                                  (2)
 *     rho > 1e-4: accept, mu *= max(1/3, 1 - (2 rho - 1)^3), nu = 2;  else mu *= nu, nu *= 2       (3)
 *
 *     p+ = clip(p + d + a/2),  [J; sqrt(mu) D] a = -[r_dd; 0],
 *     r_dd = 2/h ((r(p + h d) - r)/h - J d),  unless 2 |D a| > 3/4 |D d|                           (4)
 *
 * with the rule (3) of [nielsen1999]. (4) follows narrow valleys along their curve [transtrum2012]. Where there are no values f+ is infinite: the step is shortened. It ends where slopes are zero compared with
 * the residuals, |J'r|_free/D <= tolerance |r|, where steps are rounding, or where neither the model nor the residuals
 * promise a decrease. */
#include "linalg/least_squares.h"
#include "optimisation/search.h"

static const double ACCEPT = 1e-4, FIRST_MU = 1e-3, LEAST_STEP = 1e-15, LEAST_DECREASE = 1e-14;
static const double FORGET =
    0.1; ///< of D, in a step: running maxima for ever shorten steps in narrow valleys
static const double BEND_STEP = 0.1, MOST_BEND = 0.75; ///< h and the limit of (4)
static const double ROUNDING =
    1e5; ///< tolerances: slopes, compared with residuals, that noise in values leaves

typedef struct marquardt {
    sari_search* s;
    sari_arena memory;
    sari_least_squares system; ///< (1)
    int m, n;
    double *p, *r, *J;                 ///< of the caller
    double *trial, *r_trial, *J_trial; ///< p+, its residuals and slopes
    double *D, *g, *rhs, *model;       ///< model: r + J (p+ - p)
    double *d, *a;                     ///< (1) and (4)
    double mu, nu, f, first;           ///< first: f at the start
} marquardt;

static sar_status set_up(marquardt* x, sari_search* s, double* p, double* r, double* J)
{
    const int m = s->problem.residuals, n = s->problem.variables;
    *x = (marquardt){.s = s, .m = m, .n = n, .p = p, .r = r, .J = J, .mu = FIRST_MU, .nu = 2.0};
    sari_least_squares_take(&x->system, &x->memory, m + n, n, 1);
    x->trial = SARI_TAKE(&x->memory, double, n);
    x->r_trial = SARI_TAKE(&x->memory, double, m);
    x->J_trial = SARI_TAKE(&x->memory, double, (long)m* n);
    x->D = SARI_TAKE(&x->memory, double, n);
    x->g = SARI_TAKE(&x->memory, double, n);
    x->d = SARI_TAKE(&x->memory, double, n);
    x->a = SARI_TAKE(&x->memory, double, m + n);
    x->rhs = SARI_TAKE(&x->memory, double, m + n);
    x->model = SARI_TAKE(&x->memory, double, m);
    return x->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* g = J'r, and D. */
static void differentiate(marquardt* x)
{
    for (int k = 0; k < x->n; k++) {
        double slope = 0.0, square = 0.0;
        for (int i = 0; i < x->m; i++) {
            const double entry = x->J[i * x->n + k];
            slope += entry * x->r[i];
            square += entry * entry;
        }
        x->g[k] = slope;
        x->D[k] = sari_max(FORGET * x->D[k], sqrt(square));
    }
}

/* max |g_k|/D_k of the free variables, compared with |r|. */
static double optimality(const marquardt* x)
{
    double most = 0.0;
    for (int k = 0; k < x->n; k++)
        if (x->D[k] > 0.0 && !sari_search_held(&x->s->problem, k, x->p[k], x->g[k]))
            most = sari_max(most, fabs(x->g[k]) / x->D[k]);
    return most / sqrt(2.0 * x->f);
}

/* (1): p+ into `trial`. Returns the largest relative step. */
static double step(marquardt* x)
{
    const int m = x->m, n = x->n;
    double* A = x->system.A;
    memset(A, 0, (size_t)((m + n) * n) * sizeof *A);
    memset(x->rhs, 0, (size_t)(m + n) * sizeof *x->rhs);
    for (int i = 0; i < m; i++) x->rhs[i] = -x->r[i];
    for (int k = 0; k < n; k++) {
        const int held = sari_search_held(&x->s->problem, k, x->p[k], x->g[k]) || x->D[k] == 0.0;
        for (int i = 0; i < m && !held; i++) A[i * n + k] = x->J[i * n + k];
        A[(m + k) * n + k] = held ? 1.0 : sqrt(x->mu) * x->D[k];
    }
    sari_least_squares_factor(&x->system);
    sari_least_squares_solve(&x->system, 1, x->rhs);
    memcpy(x->d, x->rhs, (size_t)n * sizeof *x->d);
    double moved = 0.0;
    for (int k = 0; k < n; k++) {
        x->trial[k] = sari_search_clip(&x->s->problem, k, x->p[k] + x->d[k]);
        moved = sari_max(moved, fabs(x->trial[k] - x->p[k]) / (fabs(x->p[k]) + 1.0));
    }
    return moved;
}

static double predicted(marquardt* x)
{
    for (int i = 0; i < x->m; i++) {
        double sum = x->r[i];
        for (int k = 0; k < x->n; k++) sum += x->J[i * x->n + k] * (x->trial[k] - x->p[k]);
        x->model[i] = sum;
    }
    return x->f - 0.5 * sari_vector_dot(x->m, x->model, x->model);
}

/* (4), where the way along d has values and keeps the bounds. */
static sar_status bend(marquardt* x)
{
    const int m = x->m, n = x->n;
    double longest = 0.0, correction = 0.0;
    for (int k = 0; k < n; k++) {
        x->a[k] = x->p[k] + BEND_STEP * x->d[k];
        if (x->p[k] + x->d[k] != x->trial[k]) return SAR_OK; // at a bound
    }
    const sar_status status = sari_search_evaluate(x->s, x->a, x->r_trial, NULL);
    if (status != SAR_OK) return status < 0 ? status : SAR_OK;
    memset(x->a, 0, (size_t)(m + n) * sizeof *x->a);
    for (int i = 0; i < m; i++)
        x->a[i] =
            -2.0 / BEND_STEP * ((x->r_trial[i] - x->r[i]) / BEND_STEP - (x->model[i] - x->r[i]));
    sari_least_squares_solve(&x->system, 1, x->a);
    for (int k = 0; k < n; k++) {
        longest += x->D[k] * x->d[k] * x->D[k] * x->d[k];
        correction += x->D[k] * x->a[k] * x->D[k] * x->a[k];
    }
    if (4.0 * correction > MOST_BEND * MOST_BEND * longest) return SAR_OK;
    for (int k = 0; k < n; k++)
        x->trial[k] = sari_search_clip(&x->s->problem, k, x->trial[k] + 0.5 * x->a[k]);
    return SAR_OK;
}

/* (3). A place without values counts as a rejected step. */
static void judge(marquardt* x, double rho)
{
    if (rho > ACCEPT) {
        const double c = 2.0 * rho - 1.0;
        x->mu = sari_max(1e-30, x->mu * sari_max(1.0 / 3.0, 1.0 - c * c * c));
        x->nu = 2.0;
    } else {
        x->mu *= x->nu;
        x->nu *= 2.0;
    }
}

/* f+ of (2), with slopes where the step is to be accepted: infinite where it cannot be. */
static double try_step(marquardt* x, double decrease, sar_status* status)
{
    *status = sari_search_evaluate(x->s, x->trial, x->r_trial, NULL);
    const double f = 0.5 * sari_vector_dot(x->m, x->r_trial, x->r_trial);
    if (*status == SAR_OK && x->f - f > ACCEPT * decrease)
        *status = sari_search_evaluate(x->s, x->trial, x->r_trial, x->J_trial);
    if (*status < 0) return INFINITY;
    const int there = *status == SAR_OK;
    *status = SAR_OK;
    return there ? f : INFINITY;
}

/* One trial: 1 if the search ends there, with its verdict. */
static int attempt(marquardt* x, sar_status* status)
{
    sar_optimum* out = x->s->out;
    const double moved = step(x), decrease = predicted(x);
    out->verdict = SAR_OPTIMUM_NO_PROGRESS;
    if (!(moved > LEAST_STEP)) return 1;
    if (decrease > 0.0) *status = bend(x);
    if (*status < 0) return 1;
    const double f = decrease > 0.0 ? try_step(x, decrease, status) : INFINITY;
    if (*status < 0) return 1;
    const double rho = decrease > 0.0 ? (x->f - f) / decrease : -1.0;
    judge(x, rho);
    const int little = fabs(x->f - f) <= LEAST_DECREASE * x->f && decrease <= LEAST_DECREASE * x->f;
    if (!(rho > ACCEPT)) return little;
    memcpy(x->p, x->trial, (size_t)x->n * sizeof *x->p);
    memcpy(x->r, x->r_trial, (size_t)x->m * sizeof *x->r);
    memcpy(x->J, x->J_trial, (size_t)x->m * (size_t)x->n * sizeof *x->J);
    x->f = f;
    differentiate(x);
    out->iterations++;
    if (sari_search_watch(x->s, f, 0.0, x->p)) return 1;
    return little;
}

static sar_status iterate(marquardt* x)
{
    sari_search* s = x->s;
    sar_status status = SAR_OK;
    s->out->verdict = SAR_OPTIMUM_ITERATIONS;
    for (int trials = 0; trials < 10 * s->options.iterations; trials++) {
        if (x->f == 0.0 || optimality(x) <= 1e-4 * s->options.tolerance) {
            s->out->verdict = SAR_OPTIMUM_FOUND;
            return SAR_OK;
        }
        if (attempt(x, &status)) break;
        s->out->verdict = SAR_OPTIMUM_ITERATIONS;
        if (s->out->iterations >= s->options.iterations) break;
    }
    // exact data leave residuals of rounding alone: slopes are then small beside those of the start
    const double small = s->options.tolerance * sari_max(ROUNDING, sqrt(x->first / x->f));
    if (s->out->verdict == SAR_OPTIMUM_NO_PROGRESS && optimality(x) <= small)
        s->out->verdict = SAR_OPTIMUM_FOUND;
    return status;
}

sar_status sari_levenberg_marquardt(sari_search* s, double* p, double* values, double* J)
{
    marquardt x;
    s->out->solver = "levenberg-marquardt";
    sar_status status = set_up(&x, s, p, values, J);
    if (status == SAR_OK) status = sari_search_evaluate(s, p, values, J);
    if (status == SAR_OK) {
        x.f = x.first = 0.5 * sari_vector_dot(x.m, values, values);
        differentiate(&x);
        status = iterate(&x);
        s->out->objective = x.f;
        s->out->slope = sari_search_slope(&s->problem, p, x.g);
    }
    sari_arena_clear(&x.memory);
    return status;
}
