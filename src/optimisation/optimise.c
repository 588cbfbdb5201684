/* Entry of the searches: a problem whose variables and values have the size one, the choice of a search, and the report.
 *
 *     p = scale x,   value_i = size_i y_i,   size of a limit: its slopes at the start, of the objective likewise    (1)
 *
 * so that tolerances and penalties mean the same for millimetres and kilonewtons. Scales are powers of two: p has the bits
 * that it would have without. */
#include "optimisation/search.h"

typedef struct scaled {
    const sar_optimisation* problem;
    sari_arena memory;
    int n, m;
    double *lower, *upper, *p; ///< p: in the user's units
    double *scale, *size, *x;  ///< (1)
    double* last;              ///< sizes before
    double *values, *J, *multiplier;
    const sar_optimisation_options* options;
} scaled;

static double power_of_two(double value)
{
    int exponent;
    frexp(value, &exponent);
    return ldexp(1.0, exponent - 1);
}

static void place(const scaled* s, const double* x, double* p)
{
    for (int k = 0; k < s->n; k++) {
        p[k] = x[k] * s->scale[k];
        if (s->problem->lower) p[k] = sari_max(p[k], s->problem->lower[k]);
        if (s->problem->upper) p[k] = sari_min(p[k], s->problem->upper[k]);
    }
}

static sar_status evaluate(void* context, const double* x, double* values, double* J)
{
    scaled* s = context;
    place(s, x, s->p);
    SARI_TRY(s->problem->evaluate(s->problem->context, s->p, values, J));
    for (int i = 0; i < s->m; i++) {
        values[i] /= s->size[i];
        for (int k = 0; k < s->n && J; k++) J[i * s->n + k] *= s->scale[k] / s->size[i];
    }
    return SAR_OK;
}

static double violation(const sar_optimisation* problem, const double* values)
{
    double most = 0.0;
    const double* c = values + sari_search_objectives(problem);
    for (int i = 0; i < problem->limits; i++) most = sari_max(most, c[i]);
    for (int i = 0; i < problem->equalities; i++)
        most = sari_max(most, fabs(c[problem->limits + i]));
    return most;
}

/* The caller sees its own units. */
static int watch(void* context, int iteration, double objective, double open, const double* x)
{
    scaled* s = context;
    (void)open;
    place(s, x, s->p);
    const double size = s->problem->residuals > 0 ? s->size[0] * s->size[0] : s->size[0];
    return s->options->watch(s->options->context, iteration, objective * size, open, s->p);
}

static sar_status set_up(scaled* s, const double* p)
{
    const int n = s->n, m = s->m;
    double** vectors[] = {&s->lower, &s->upper, &s->p, &s->scale, &s->x};
    for (unsigned k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = SARI_TAKE(&s->memory, double, n);
    s->size = SARI_TAKE(&s->memory, double, m);
    s->last = SARI_TAKE(&s->memory, double, m);
    s->values = SARI_TAKE(&s->memory, double, m);
    s->multiplier = SARI_TAKE(&s->memory, double, m);
    s->J = SARI_TAKE(&s->memory, double, m* n);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int k = 0; k < n; k++) {
        const double given = s->problem->scale ? s->problem->scale[k] : fabs(p[k]);
        s->scale[k] = power_of_two(given > 0.0 ? given : 1.0);
        s->lower[k] = s->problem->lower ? s->problem->lower[k] / s->scale[k] : -INFINITY;
        s->upper[k] = s->problem->upper ? s->problem->upper[k] / s->scale[k] : INFINITY;
        s->x[k] = sari_min(sari_max(p[k] / s->scale[k], s->lower[k]), s->upper[k]);
    }
    return SAR_OK;
}

/* Length of a row of J. */
static double slope_of(const scaled* s, int row)
{
    return sari_vector_norm(s->n, s->J + row * s->n);
}

/* Sizes of the objective and of the limits, (1), from values and slopes at the start. */
static void measure(scaled* s)
{
    const sar_optimisation* problem = s->problem;
    const int objectives = sari_search_objectives(problem);
    double most = 0.0, size = 0.0;
    for (int i = 0; i < objectives; i++) size += slope_of(s, i) * slope_of(s, i);
    size = sqrt(size);
    if (problem->residuals == 0) size = sari_max(size, 1e-3 * fabs(s->values[0]));
    for (int i = 0; i < objectives; i++) s->size[i] = power_of_two(size > 0.0 ? size : 1.0);
    for (int i = objectives; i < s->m; i++) most = sari_max(most, slope_of(s, i));
    for (int i = objectives; i < s->m; i++)
        s->size[i] = power_of_two(most > 0.0 ? sari_max(slope_of(s, i), 1e-3 * most) : 1.0);
}

/* Values at the end, in the user's units. */
static sar_status report(scaled* s, sari_search* search, double* p, double* multipliers)
{
    const int objectives = sari_search_objectives(s->problem);
    place(s, s->x, p);
    SARI_TRY(s->problem->evaluate(s->problem->context, p, s->values, NULL));
    sar_optimum* out = search->out;
    out->objective = sari_search_objective(s->problem, s->values);
    out->violation = violation(s->problem, s->values);
    const double size = s->problem->residuals > 0 ? s->size[0] * s->size[0] : s->size[0];
    double open = 0.0;
    for (int i = 0; i < s->m - objectives; i++) {
        const double c = s->values[objectives + i] / s->size[objectives + i];
        open = sari_max(open, i < s->problem->limits ? c : fabs(c));
        if (multipliers) multipliers[i] = s->multiplier[i] * size / s->size[objectives + i];
    }
    if (open > 100.0 * search->options.tolerance && out->verdict != SAR_OPTIMUM_STOPPED)
        out->verdict = SAR_OPTIMUM_INFEASIBLE;
    return SAR_OK;
}

/* Slopes where a search ended are others than at its start: with their sizes it goes on, once. */
static sar_status refine(sari_search* search, scaled* s)
{
    const int objectives = sari_search_objectives(s->problem);
    const double objective = s->size[0];
    double most = 1.0;
    for (int i = 0; i < s->m; i++) { // back to the user's units
        if (i >= objectives) s->multiplier[i - objectives] /= s->size[i];
        s->last[i] = s->size[i];
        s->size[i] = 1.0;
    }
    SARI_TRY(sari_search_evaluate(search, s->x, s->values, s->J));
    measure(s);
    double factor = objective / s->size[0];
    if (s->problem->residuals > 0) factor *= factor;
    for (int i = 0; i < s->m; i++) {
        most = sari_max(most, sari_max(s->size[i] / s->last[i], s->last[i] / s->size[i]));
        if (i >= objectives) s->multiplier[i - objectives] *= s->size[i] * factor;
    }
    return most > 2.0 ? sari_augmented_lagrangian(search, s->x, s->multiplier) : SAR_OK;
}

static sar_status choose(sari_search* search, scaled* s)
{
    const char* solver = search->options.solver;
    const sar_optimisation* problem = &search->problem;
    const int limited = problem->limits + problem->equalities > 0;
    const int asked = solver && strcmp(solver, "nlopt") == 0;
    if (asked || (limited && problem->residuals == 0 && strcmp(solver, "auto") == 0 &&
                  sari_nlopt_is_there())) {
        double* start = SARI_TAKE(&s->memory, double, s->n);
        if (!start) return SAR_E_NOMEM;
        memcpy(start, s->x, (size_t)s->n * sizeof *start);
        const sar_status status = sari_nlopt(search, s->x, s->multiplier);
        if (asked || status != SAR_OK || search->out->verdict == SAR_OPTIMUM_FOUND ||
            search->out->verdict == SAR_OPTIMUM_STOPPED)
            return status;
        memcpy(s->x, start, (size_t)s->n * sizeof *start); // where SLSQP gives up, our own begins
    }
    if (limited) {
        SARI_TRY(sari_augmented_lagrangian(search, s->x, s->multiplier));
        return search->out->verdict == SAR_OPTIMUM_STOPPED ? SAR_OK : refine(search, s);
    }
    return (problem->residuals > 0 ? sari_levenberg_marquardt : sari_bfgs)(search, s->x, s->values,
                                                                           s->J);
}

static sar_status check(const sar_optimisation* problem, const sar_optimisation_options* options)
{
    static const char* const solvers[] = {"auto", "own", "nlopt"};
    int known = !options || !options->solver;
    for (int k = 0; k < 3 && !known; k++) known = strcmp(options->solver, solvers[k]) == 0;
    if (!known || problem->variables < 1 || problem->residuals < 0 || problem->limits < 0 ||
        problem->equalities < 0 || !problem->evaluate)
        return SAR_E_ARG;
    for (int k = 0; k < problem->variables && problem->lower && problem->upper; k++)
        if (!(problem->lower[k] <= problem->upper[k])) return SAR_E_ARG;
    return SAR_OK;
}

sar_status sar_optimise(const sar_optimisation* problem, const sar_optimisation_options* options,
                        double* p, sar_optimum* out, double* multipliers)
{
    *out = (sar_optimum){.solver = ""};
    SARI_TRY(check(problem, options));
    scaled s = {.problem = problem,
                .n = problem->variables,
                .m = sari_search_values(problem),
                .options = options};
    sar_status status = set_up(&s, p);
    sari_search search = {.problem = *problem, .out = out};
    if (options) search.options = *options;
    if (search.options.iterations <= 0) search.options.iterations = 2000;
    if (!(search.options.tolerance > 0.0)) search.options.tolerance = 1e-8;
    if (!search.options.solver) search.options.solver = "auto";
    if (search.options.watch) search.options.watch = watch, search.options.context = &s;
    search.problem.evaluate = evaluate, search.problem.context = &s;
    search.problem.lower = s.lower, search.problem.upper = s.upper, search.problem.scale = NULL;
    for (int i = 0; i < s.m && status == SAR_OK; i++) s.size[i] = 1.0;
    if (status == SAR_OK) status = sari_search_evaluate(&search, s.x, s.values, s.J);
    if (status == SAR_OK) {
        const int objectives = sari_search_objectives(problem);
        const int constant = sari_vector_max(objectives * s.n, s.J) == 0.0;
        measure(&s);
        status = choose(&search, &s);
        if (constant && out->iterations == 0 && out->verdict == SAR_OPTIMUM_FOUND)
            out->verdict = SAR_OPTIMUM_CONSTANT;
    }
    if (status == SAR_OK) status = report(&s, &search, p, multipliers);
    sari_arena_clear(&s.memory);
    return status;
}

/* ---- what searches share -------------------------------------------------------------------- */

double sari_search_slope(const sar_optimisation* problem, const double* p, const double* gradient)
{
    double most = 0.0;
    for (int k = 0; k < problem->variables; k++)
        if (!sari_search_held(problem, k, p[k], gradient[k]))
            most = sari_max(most, fabs(gradient[k]));
    return most;
}

int sari_search_watch(sari_search* s, double objective, double violation, const double* p)
{
    if (!s->options.watch ||
        s->options.watch(s->options.context, s->out->iterations, objective, violation, p))
        return 0;
    s->out->verdict = SAR_OPTIMUM_STOPPED;
    return 1;
}

const char* sar_optimum_text(sar_optimum_verdict verdict)
{
    static const char* const texts[] = {"minimum found",
                                        "no step decreases the objective any more",
                                        "out of iterations",
                                        "stopped",
                                        "no place was found where all limits hold",
                                        "the objective does not change with any of the numbers",
                                        "a number grows without end: give it a bound"};
    return texts[verdict];
}
