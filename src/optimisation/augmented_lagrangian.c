/* Limits c <= 0 and equalities e = 0 by the augmented Lagrangian [nocedal1999, chapter 17]:
 *
 *     L = f + rho/2 sum max(0, c + mu/rho)^2 + rho/2 sum (e + nu/rho)^2                            (1)
 *     mu <- max(0, mu + rho c),  nu <- nu + rho e;  rho <- 10 rho where violations do not fall to a quarter   (2)
 *
 * For least squares every term of (1) is one more residual, sqrt(rho) max(0, c + mu/rho), and Levenberg-Marquardt
 * minimises L; else BFGS. */
#include "optimisation/search.h"

static const double FIRST_PENALTY = 100.0, GROWTH = 10.0, LARGEST_PENALTY = 1e12;
static const double CEILING = 2.0; ///< violations, by those of the start or by slopes times sizes
enum { ROUNDS = 80 };

typedef struct lagrangian {
    sari_search* s; ///< the problem with limits
    sari_arena memory;
    int n, objectives, rows; ///< rows: limits and equalities
    double rho, *multiplier;
    double
        ceiling; ///< of violations: beyond it there are no values, where f may fall faster than (1) grows
    double *values, *J; ///< of the problem, at the last place
    double *inner_values, *inner_J;
} lagrangian;

/* c, or what of it acts in (1) and (2): max(c, -mu/rho). */
static double acting(const lagrangian* x, int row)
{
    const double c = x->values[x->objectives + row];
    return row < x->s->problem.limits ? sari_max(c, -x->multiplier[row] / x->rho) : c;
}

/* The terms of (1) as residuals, after those of the objective. */
static void put_residuals(const lagrangian* x, double* values, double* J)
{
    const int n = x->n, m = x->objectives;
    memcpy(values, x->values, (size_t)m * sizeof *values);
    if (J) memcpy(J, x->J, (size_t)(m * n) * sizeof *J);
    for (int i = 0; i < x->rows; i++) {
        const double term = acting(x, i) + x->multiplier[i] / x->rho, root = sqrt(x->rho);
        const int on = i >= x->s->problem.limits || term > 0.0;
        values[m + i] = on ? root * term : 0.0;
        for (int k = 0; k < n && J; k++)
            J[(m + i) * n + k] = on ? root * x->J[(m + i) * n + k] : 0.0;
    }
}

/* (1) as one value. */
static void put_sum(const lagrangian* x, double* f, double* g)
{
    *f = x->values[0];
    if (g) memcpy(g, x->J, (size_t)x->n * sizeof *g);
    for (int i = 0; i < x->rows; i++) {
        const double term = acting(x, i) + x->multiplier[i] / x->rho;
        if (i < x->s->problem.limits && term <= 0.0) continue;
        *f += 0.5 * x->rho * term * term;
        if (g) sari_vector_add(x->n, x->rho * term, x->J + (1 + i) * x->n, g);
    }
}

static double violation(const lagrangian* x)
{
    double most = 0.0;
    for (int i = 0; i < x->rows; i++) {
        const double c = x->values[x->objectives + i];
        most = sari_max(most, i < x->s->problem.limits ? c : fabs(c));
    }
    return most;
}

static sar_status evaluate(void* context, const double* p, double* values, double* J)
{
    lagrangian* x = context;
    const sar_optimisation* problem = &x->s->problem;
    SARI_TRY(problem->evaluate(problem->context, p, x->values, J ? x->J : NULL));
    if (!(violation(x) <= x->ceiling)) return SAR_R_NO_CONV;
    if (problem->residuals > 0)
        put_residuals(x, values, J);
    else
        put_sum(x, values, J);
    return SAR_OK;
}

static int watch(void* context, int iteration, double objective, double none, const double* p)
{
    (void)iteration, (void)objective, (void)none;
    lagrangian* x = context;
    return !sari_search_watch(x->s, sari_search_objective(&x->s->problem, x->values), violation(x),
                              p);
}

static sar_status set_up(lagrangian* x, sari_search* s)
{
    const sar_optimisation* problem = &s->problem;
    *x = (lagrangian){.s = s,
                      .n = problem->variables,
                      .objectives = sari_search_objectives(problem),
                      .rows = problem->limits + problem->equalities,
                      .rho = FIRST_PENALTY};
    const int m = sari_search_values(problem);
    x->multiplier = SARI_TAKE(&x->memory, double, x->rows);
    x->values = SARI_TAKE(&x->memory, double, m);
    x->J = SARI_TAKE(&x->memory, double, m * x->n);
    x->inner_values = SARI_TAKE(&x->memory, double, m);
    x->inner_J = SARI_TAKE(&x->memory, double, m * x->n);
    return x->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* Minimise (1) for the present multipliers. */
static sar_status minimise(lagrangian* x, double tolerance, double* p)
{
    sari_search inner = *x->s;
    inner.problem.evaluate = evaluate;
    inner.problem.context = x;
    inner.problem.limits = inner.problem.equalities = 0;
    if (x->s->problem.residuals > 0) inner.problem.residuals += x->rows;
    inner.options.tolerance = tolerance;
    inner.options.watch = watch;
    inner.options.context = x;
    SARI_TRY((x->s->problem.residuals > 0 ? sari_levenberg_marquardt
                                          : sari_bfgs)(&inner, p, x->inner_values, x->inner_J));
    return evaluate(x, p, x->inner_values, NULL); // `values` where it ended
}

/* (2). Returns the violation, in the sense of complementarity too. */
static double update(lagrangian* x)
{
    double most = 0.0;
    for (int i = 0; i < x->rows; i++) {
        const double c = acting(x, i);
        most = sari_max(most, fabs(c));
        x->multiplier[i] += x->rho * c;
    }
    return most;
}

sar_status sari_augmented_lagrangian(sari_search* s, double* p, double* multipliers)
{
    lagrangian x;
    sar_status status = set_up(&x, s);
    if (status != SAR_OK) {
        sari_arena_clear(&x.memory);
        return status;
    }
    memcpy(x.multiplier, multipliers, (size_t)x.rows * sizeof *multipliers);
    double before = INFINITY, tolerance = 1e-2;
    x.ceiling = INFINITY;
    status = evaluate(&x, p, x.inner_values, NULL);
    x.ceiling = CEILING * sari_max(1.0, violation(&x));
    sar_optimum_verdict verdict = SAR_OPTIMUM_ITERATIONS;
    for (int round = 0; status == SAR_OK && round < ROUNDS; round++) {
        tolerance = sari_max(0.1 * tolerance, s->options.tolerance);
        status = minimise(&x, tolerance, p);
        if (status != SAR_OK) break;
        const double open = update(&x);
        verdict = s->out->verdict;
        if (verdict == SAR_OPTIMUM_STOPPED || s->out->iterations >= s->options.iterations) break;
        if (open <= s->options.tolerance && tolerance <= s->options.tolerance) break;
        if (open > 0.25 * before) x.rho = sari_min(GROWTH * x.rho, LARGEST_PENALTY);
        if (x.rho == LARGEST_PENALTY && open >= before) break;
        before = open;
    }
    s->out->verdict = verdict;
    if (status == SAR_OK) memcpy(multipliers, x.multiplier, (size_t)x.rows * sizeof *multipliers);
    sari_arena_clear(&x.memory);
    s->out->solver = "augmented-lagrangian";
    return status;
}
