/* Minima within bounds by a quasi-Newton method with active bounds [nocedal1999, chapters 8, 16 and 18]:
 *
 *     free = not (at a bound and pushed out)
 *     H_ff d = -g_f                                                                               (1)
 *     t: halved from 1, or from where the first bound is met, until f(p + t d) <= f + 1e-4 t g'd   (2)
 *     H += y y'/(s'y) - H s s'H/(s'H s),  s = t d,  y <- theta y + (1 - theta) H s                 (3)
 *
 * H is kept, not its inverse: the free part of an inverse is that of other bounds. (3) is damped (Powell: theta < 1 where
 * s'y < 0.2 s'H s), so that H stays positive where limits curve the function. */
#include "linalg/cholesky.h"
#include "optimisation/search.h"

static const double DECREASE = 1e-4, DAMPING = 0.2, LEAST_STEP = 1e-16;
static const double BESIDE = 1e-14; ///< of a step: rounding
static const double ROUNDING = 1e3; ///< tolerances: slopes that steep penalties leave

typedef struct bfgs {
    sari_search* s;
    sari_arena memory;
    int n, *held, *list;
    double *p, *g; ///< p: of the caller
    double *trial, *g_trial, *d;
    double *H, *part, *Hs, *y;
    double f, f_trial;
} bfgs;

static sar_status set_up(bfgs* x, sari_search* s, double* p)
{
    const int n = s->problem.variables;
    *x = (bfgs){.s = s, .n = n, .p = p};
    x->held = SARI_TAKE(&x->memory, int, n);
    x->list = SARI_TAKE(&x->memory, int, n);
    double** vectors[] = {&x->g, &x->trial, &x->g_trial, &x->d, &x->Hs, &x->y};
    for (unsigned k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = SARI_TAKE(&x->memory, double, n);
    x->H = SARI_TAKE(&x->memory, double, n* n);
    x->part = SARI_TAKE(&x->memory, double, n* n);
    return x->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static void reset(bfgs* x, double size)
{
    memset(x->H, 0, (size_t)(x->n * x->n) * sizeof *x->H);
    for (int k = 0; k < x->n; k++) x->H[k * x->n + k] = size;
}

/* (1), and the largest step that keeps the bounds. A variable that is at a bound, and would leave it, is held too. */
static double direction(bfgs* x)
{
    const sar_optimisation* problem = &x->s->problem;
    for (;;) {
        int f = 0, blocked = -1;
        for (int k = 0; k < x->n; k++)
            if (!x->held[k]) x->list[f++] = k;
        memset(x->d, 0, (size_t)x->n * sizeof *x->d);
        for (int i = 0; i < f; i++) {
            x->Hs[i] = -x->g[x->list[i]];
            for (int j = 0; j < f; j++) x->part[i * f + j] = x->H[x->list[i] * x->n + x->list[j]];
        }
        sari_cholesky(f, x->part, 1e-14);
        sari_cholesky_solve(f, x->part, x->Hs);
        double most = INFINITY;
        for (int i = 0; i < f; i++) {
            const int k = x->list[i];
            const double move = x->d[k] = x->Hs[i];
            const double room = (move > 0.0 ? problem->upper[k] : problem->lower[k]) - x->p[k];
            if (move == 0.0 || room / move >= most) continue;
            most = room / move;
            blocked = k;
        }
        if (most > 0.0 || blocked < 0) return most;
        x->held[blocked] = 1;
    }
}

/* p + move within the bounds. A step that ends at a bound ends there exactly: a variable beside it would not be held. */
static double reach(const sar_optimisation* problem, int k, double p, double move)
{
    const double to = sari_search_clip(problem, k, p + move),
                 bound = move > 0.0 ? problem->upper[k] : problem->lower[k];
    return fabs(to - bound) <= BESIDE * fabs(move) ? bound : to;
}

/* (2). The step t, with values and slopes where it leads; 0: none. */
static double search(bfgs* x, double most, double slope, sar_status* status)
{
    const sar_optimisation* problem = &x->s->problem;
    double t = sari_min(1.0, most);
    for (int tries = 0; tries < 60; tries++) {
        double f = INFINITY, moved = 0.0;
        for (int k = 0; k < x->n; k++) {
            x->trial[k] = reach(problem, k, x->p[k], t * x->d[k]);
            moved = sari_max(moved, fabs(x->trial[k] - x->p[k]) / (fabs(x->p[k]) + 1.0));
        }
        if (moved <= LEAST_STEP) return 0.0;
        *status = sari_search_evaluate(x->s, x->trial, &f, NULL);
        if (*status < 0) return 0.0;
        const int decreases = *status == SAR_OK && f <= x->f + DECREASE * t * slope;
        if (decreases) *status = sari_search_evaluate(x->s, x->trial, &x->f_trial, x->g_trial);
        if (*status < 0) return 0.0;
        if (decreases && *status == SAR_OK) return t;
        // the minimum of the parabola through what is known, if there are values
        const double best = *status == SAR_OK ? -0.5 * slope * t * t / (f - x->f - slope * t) : 0.0;
        t = sari_min(0.5 * t, sari_max(0.1 * t, best));
        *status = SAR_OK;
    }
    return 0.0;
}

/* (3) after the step t d. */
static void update(bfgs* x, double t, int first)
{
    const int n = x->n;
    double sy = 0.0, sHs = 0.0;
    for (int k = 0; k < n; k++) {
        x->d[k] *= t;
        x->y[k] = x->g_trial[k] - x->g[k];
    }
    sy = sari_vector_dot(n, x->d, x->y);
    if (first && sy > 0.0) reset(x, sari_vector_dot(n, x->y, x->y) / sy);
    for (int k = 0; k < n; k++) x->Hs[k] = sari_vector_dot(n, x->H + k * n, x->d);
    sHs = sari_vector_dot(n, x->d, x->Hs);
    if (!(sHs > 0.0)) return;
    if (sy < DAMPING * sHs) {
        const double theta = (1.0 - DAMPING) * sHs / (sHs - sy);
        for (int k = 0; k < n; k++) x->y[k] = theta * x->y[k] + (1.0 - theta) * x->Hs[k];
        sy = DAMPING * sHs;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x->H[i * n + j] += x->y[i] * x->y[j] / sy - x->Hs[i] * x->Hs[j] / sHs;
}

static double optimality(const bfgs* x)
{
    double most = 0.0;
    for (int k = 0; k < x->n; k++)
        if (!x->held[k]) most = sari_max(most, fabs(x->g[k]));
    return most;
}

/* One step: 1 if the search ends there. `fresh`: H has not been updated yet. */
static int attempt(bfgs* x, int* fresh, sar_status* status)
{
    sar_optimum* out = x->s->out;
    for (int k = 0; k < x->n; k++)
        x->held[k] = sari_search_held(&x->s->problem, k, x->p[k], x->g[k]);
    out->slope = optimality(x);
    out->verdict = SAR_OPTIMUM_FOUND;
    if (out->slope <= x->s->options.tolerance) return 1;
    const double most = direction(x), slope = sari_vector_dot(x->n, x->g, x->d);
    const double t = slope < 0.0 ? search(x, most, slope, status) : 0.0;
    out->verdict = SAR_OPTIMUM_NO_PROGRESS;
    if (*status < 0) return 1;
    if (t == 0.0) { // H may be worn out: once more along the slope
        if (*fresh) return 1;
        *fresh = 1;
        reset(x, 1.0);
        return 0;
    }
    x->f = x->f_trial;
    update(x, t, *fresh);
    *fresh = 0;
    memcpy(x->p, x->trial, (size_t)x->n * sizeof *x->p);
    memcpy(x->g, x->g_trial, (size_t)x->n * sizeof *x->g);
    out->iterations++;
    return sari_search_watch(x->s, x->f, 0.0, x->p);
}

sar_status sari_bfgs(sari_search* s, double* p, double* values, double* J)
{
    bfgs x;
    s->out->solver = "bfgs";
    sar_status status = set_up(&x, s, p);
    if (status == SAR_OK) status = sari_search_evaluate(s, p, &x.f, x.g);
    if (status == SAR_OK) {
        int fresh = 1, ended = 0;
        // the first step is not longer than the variables themselves
        reset(&x, sari_max(sari_vector_max(x.n, x.g), 1e-300));
        s->out->verdict = SAR_OPTIMUM_ITERATIONS;
        for (int k = s->out->iterations; !ended && k < s->options.iterations;
             k = s->out->iterations)
            ended = attempt(&x, &fresh, &status);
        if (!ended) s->out->verdict = SAR_OPTIMUM_ITERATIONS;
        if (s->out->verdict == SAR_OPTIMUM_NO_PROGRESS &&
            s->out->slope <= ROUNDING * s->options.tolerance)
            s->out->verdict = SAR_OPTIMUM_FOUND;
        values[0] = s->out->objective = x.f;
        memcpy(J, x.g, (size_t)x.n * sizeof *J);
    }
    sari_arena_clear(&x.memory);
    return status;
}
