/* SLSQP of NLopt [kraft1994], where its library is installed. It is loaded when it is first asked for; its few functions are
 * declared here, so that a build needs nothing of it. */
#include "optimisation/search.h"

#include <dlfcn.h>

typedef double (*nlopt_function)(unsigned n, const double* x, double* gradient, void* data);
typedef void (*nlopt_functions)(unsigned m, double* result, unsigned n, const double* x,
                                double* gradient, void* data);
typedef struct nlopt_state nlopt_state;

enum { FORCED_STOP = -5 };

#define CALLS(X)                                                                                   \
    X(nlopt_state*, nlopt_create, (int algorithm, unsigned n))                                     \
    X(void, nlopt_destroy, (nlopt_state * opt))                                                    \
    X(const char*, nlopt_algorithm_name, (int algorithm))                                          \
    X(int, nlopt_optimize, (nlopt_state * opt, double* x, double* f))                              \
    X(int, nlopt_set_min_objective, (nlopt_state * opt, nlopt_function f, void* data))             \
    X(int, nlopt_set_lower_bounds, (nlopt_state * opt, const double* bounds))                      \
    X(int, nlopt_set_upper_bounds, (nlopt_state * opt, const double* bounds))                      \
    X(int, nlopt_add_inequality_mconstraint,                                                       \
      (nlopt_state * opt, unsigned m, nlopt_functions c, void* data, const double* tolerances))    \
    X(int, nlopt_add_equality_mconstraint,                                                         \
      (nlopt_state * opt, unsigned m, nlopt_functions c, void* data, const double* tolerances))    \
    X(int, nlopt_set_ftol_rel, (nlopt_state * opt, double tolerance))                              \
    X(int, nlopt_set_xtol_rel, (nlopt_state * opt, double tolerance))                              \
    X(int, nlopt_force_stop, (nlopt_state * opt))

typedef struct library {
#define MEMBER(type, name, arguments) type(*name) arguments;
    CALLS(MEMBER)
#undef MEMBER
} library;

static int load(library* to)
{
    void* from = dlopen("libnlopt.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!from) from = dlopen("libnlopt.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!from) return 0;
#define FIND(type, name, arguments)                                                                \
    {                                                                                              \
        void* symbol = dlsym(from, #name);                                                         \
        if (!symbol) return 0;                                                                     \
        memcpy(&to->name, &symbol, sizeof symbol);                                                 \
    }
    CALLS(FIND)
#undef FIND
    return 1;
}

/* Numbers of algorithms change with versions, their descriptions do not. -1: none. */
static int find_slsqp(const library* call)
{
    for (int k = 0; k < 100; k++) {
        const char* name = call->nlopt_algorithm_name(k);
        if (name && strstr(name, "Sequential Quadratic Programming")) return k;
    }
    return -1;
}

int sari_nlopt_is_there(void)
{
    library call;
    return load(&call) && find_slsqp(&call) >= 0;
}

int sar_optimisation_has_nlopt(void)
{
    return sari_nlopt_is_there();
}

/* ---- values: all of them at once, as often as SLSQP asks for one kind ------------------------ */

typedef struct slsqp {
    library call;
    nlopt_state* opt;
    sari_search* s;
    sari_arena memory;
    int n, m, objectives, known;
    double *p, *values, *J; ///< of the last place
    sar_status status;
} slsqp;

/* By how much limits are broken, at most. */
static double open_by(const slsqp* x)
{
    double open = 0.0;
    for (int i = x->objectives; i < x->m; i++)
        open = sari_max(open, i < x->objectives + x->s->problem.limits ? x->values[i]
                                                                       : fabs(x->values[i]));
    return open;
}

static void go(slsqp* x, const double* p)
{
    const size_t bytes = (size_t)x->n * sizeof *p;
    if (x->known && memcmp(x->p, p, bytes) == 0) return;
    memcpy(x->p, p, bytes);
    x->known = 1;
    const sar_status status = sari_search_evaluate(x->s, p, x->values, x->J);
    if (status < 0) x->status = status;
    if (status < 0 || x->s->out->iterations++ >= x->s->options.iterations)
        x->call.nlopt_force_stop(x->opt);
    for (int i = 0; i < x->m && status != SAR_OK; i++) x->values[i] = INFINITY;
    if (status != SAR_OK) return;
    if (sari_search_watch(x->s, sari_search_objective(&x->s->problem, x->values), open_by(x), p))
        x->call.nlopt_force_stop(x->opt);
}

static double objective(unsigned n, const double* p, double* gradient, void* data)
{
    slsqp* x = data;
    go(x, p);
    const int squares = x->s->problem.residuals;
    for (unsigned k = 0; k < n && gradient; k++) {
        gradient[k] = squares ? 0.0 : x->J[k];
        for (int i = 0; i < squares; i++) gradient[k] += x->values[i] * x->J[i * x->n + (int)k];
    }
    return sari_search_objective(&x->s->problem, x->values);
}

static void rows(slsqp* x, const double* p, int first, unsigned m, double* result, double* gradient)
{
    go(x, p);
    memcpy(result, x->values + first, m * sizeof *result);
    if (gradient) memcpy(gradient, x->J + first * x->n, m * (size_t)x->n * sizeof *gradient);
}

static void limits(unsigned m, double* result, unsigned n, const double* p, double* gradient,
                   void* data)
{
    (void)n;
    slsqp* x = data;
    rows(x, p, x->objectives, m, result, gradient);
}

static void equalities(unsigned m, double* result, unsigned n, const double* p, double* gradient,
                       void* data)
{
    (void)n;
    slsqp* x = data;
    rows(x, p, x->objectives + x->s->problem.limits, m, result, gradient);
}

static sar_status set_up(slsqp* x)
{
    const sar_optimisation* problem = &x->s->problem;
    x->n = problem->variables, x->m = sari_search_values(problem);
    x->objectives = sari_search_objectives(problem);
    x->p = SARI_TAKE(&x->memory, double, x->n);
    x->values = SARI_TAKE(&x->memory, double, x->m);
    x->J = SARI_TAKE(&x->memory, double, x->m * x->n);
    double* tolerances = SARI_TAKE(&x->memory, double, x->m);
    if (x->memory.failed) return SAR_E_NOMEM;
    for (int i = 0; i < x->m; i++) tolerances[i] = x->s->options.tolerance;
    x->opt = x->call.nlopt_create(find_slsqp(&x->call), (unsigned)x->n);
    if (!x->opt) return SAR_E_NOMEM;
    int failed = x->call.nlopt_set_min_objective(x->opt, objective, x) < 0 ||
                 x->call.nlopt_set_lower_bounds(x->opt, problem->lower) < 0 ||
                 x->call.nlopt_set_upper_bounds(x->opt, problem->upper) < 0 ||
                 x->call.nlopt_set_ftol_rel(x->opt, 1e-15) < 0 ||
                 x->call.nlopt_set_xtol_rel(x->opt, 1e-12) < 0;
    if (problem->limits)
        failed |= x->call.nlopt_add_inequality_mconstraint(x->opt, (unsigned)problem->limits,
                                                           limits, x, tolerances) < 0;
    if (problem->equalities)
        failed |= x->call.nlopt_add_equality_mconstraint(x->opt, (unsigned)problem->equalities,
                                                         equalities, x, tolerances) < 0;
    return failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sari_nlopt(sari_search* s, double* p, double* multipliers)
{
    slsqp x = {.s = s};
    (void)multipliers; // it does not report them
    if (!load(&x.call) || find_slsqp(&x.call) < 0) return SAR_E_BUILD;
    s->out->solver = "slsqp (nlopt)";
    sar_status status = set_up(&x);
    if (status == SAR_OK) {
        double f;
        s->out->verdict = SAR_OPTIMUM_FOUND;
        const int ended = x.call.nlopt_optimize(x.opt, p, &f);
        if (ended == FORCED_STOP && s->out->verdict != SAR_OPTIMUM_STOPPED)
            s->out->verdict = SAR_OPTIMUM_ITERATIONS;
        else if (ended < 0 && ended != FORCED_STOP)
            s->out->verdict = SAR_OPTIMUM_NO_PROGRESS;
        go(&x, p); // it ends with success where steps become small, also where limits do not hold
        if (s->out->verdict == SAR_OPTIMUM_FOUND && !(open_by(&x) <= 100.0 * s->options.tolerance))
            s->out->verdict = SAR_OPTIMUM_NO_PROGRESS;
        if (x.status < 0) status = x.status;
    }
    if (x.opt) x.call.nlopt_destroy(x.opt);
    sari_arena_clear(&x.memory);
    return status;
}
