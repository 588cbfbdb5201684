/* What the searches share. They see variables and values of the size one (scaled.c). */
#ifndef SARI_SEARCH_H
#define SARI_SEARCH_H

#include "base/arena.h"
#include "base/status.h"
#include "math/vector.h"
#include "sarrus/optimisation.h"

#include <string.h>

typedef struct sari_search {
    sar_optimisation problem;         ///< with bounds, never NULL
    sar_optimisation_options options; ///< complete
    sar_optimum* out;
} sari_search;

/// Values that a problem has: of the objective, and in all.
static inline int sari_search_objectives(const sar_optimisation* problem)
{
    return problem->residuals > 0 ? problem->residuals : 1;
}

static inline int sari_search_values(const sar_optimisation* problem)
{
    return sari_search_objectives(problem) + problem->limits + problem->equalities;
}

/// f or 1/2 |r|^2
static inline double sari_search_objective(const sar_optimisation* problem, const double* values)
{
    return problem->residuals > 0 ? 0.5 * sari_vector_dot(problem->residuals, values, values)
                                  : values[0];
}

/// Values, and slopes if `J` is not NULL, with counters. A value that is not finite is none.
static inline sar_status sari_search_evaluate(sari_search* s, const double* p, double* values,
                                              double* J)
{
    s->out->evaluations++;
    s->out->jacobians += J != NULL;
    const int m = sari_search_values(&s->problem);
    SARI_TRY(s->problem.evaluate(s->problem.context, p, values, J));
    if (!sari_vector_finite(m, values)) return SAR_R_NOT_FINITE;
    return J && !sari_vector_finite(m * s->problem.variables, J) ? SAR_R_NOT_FINITE : SAR_OK;
}

static inline double sari_search_clip(const sar_optimisation* problem, int k, double p)
{
    return sari_min(sari_max(p, problem->lower[k]), problem->upper[k]);
}

/// Does the minimum lie beyond the bound that variable k is at? `slope`: df/dp_k.
static inline int sari_search_held(const sar_optimisation* problem, int k, double p, double slope)
{
    return (p <= problem->lower[k] && slope >= 0.0) || (p >= problem->upper[k] && slope <= 0.0);
}

/// Largest slope df/dp_k of those that no bound holds.
double sari_search_slope(const sar_optimisation* problem, const double* p, const double* gradient);

/// A step was accepted. 1: the caller has stopped the search.
int sari_search_watch(sari_search* s, double objective, double violation, const double* p);

/// Of a problem without limits, from p: levenberg_marquardt.c for squares, bfgs.c for one value. `values` and `J` (both
/// given) are those at the end.
sar_status sari_levenberg_marquardt(sari_search* s, double* p, double* values, double* J);
sar_status sari_bfgs(sari_search* s, double* p, double* values, double* J);

/// With limits, by a sequence of problems without (augmented_lagrangian.c), or by SLSQP (nlopt.c). `multipliers`: a
/// guess, and what they are.
sar_status sari_augmented_lagrangian(sari_search* s, double* p, double* multipliers);
sar_status sari_nlopt(sari_search* s, double* p, double* multipliers);
int sari_nlopt_is_there(void);

#endif
