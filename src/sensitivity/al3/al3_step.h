/* The derivative of one step of al3 with the trapezoidal rule, as a map of (q, v, a); and its transpose.
 *
 * With the equations of al3_terms.h, dd = D dq + D_0 dq0 the change of d (dq - dq0 where positions are vectors), and
 * p any parameter, of which dv*_p and da*_p are what v* and a* change with besides (1) there:
 *
 *     dv* = cv dd - dv0 + dv*_p,   da* = ca (dd - h dv0) - da0 + da*_p                           (1)
 *     [S^ J'; W 0] (dq, dlambda) = (-F_p - F_v dv*_0 - M da*_0,  -Phi_p),   *_0: (1) for dq = 0    (2)
 *     S^ = F_q + (cv F_v + ca M) D
 *     [M J'; J 0] (dv, dnu) = (M dv* - N_q dq - N_p,  -rate_q dq - rate_p)                       (3)
 *     [M J'; J 0] (da, dka) = (M da* - A_q dq - A_p,  -second_q dq - second_v dv - second_p)     (4)
 *
 * W is J; for rows on velocities it is A D + psi_q/cv, and -(psi_p + A dv*_0)/cv is on the right. What redundant
 * rows leave open of lambda goes into dlambda: neither it nor dlambda matter.
 *
 * The transpose, from (lq, lv, la) at the end to the begin, adds for every parameter
 *
 *     -(x1.F_p + y1.Phi_p + x2.N_p + y2.rate_p + x3.A_p + y3.second_p) + m.dv*_p + l.da*_p         (5)
 *
 * with x, y of the transposed equations, m = M x2 - F_v'x1 - A'y1/cv, l = M x3 - M x1. */
#ifndef SARI_SENSITIVITY_AL3_STEP_H
#define SARI_SENSITIVITY_AL3_STEP_H

#include "sensitivity/al3/al3_saddle.h"

typedef struct sari_step_map {
    sari_arena memory;
    sari_slopes slopes;
    sari_saddle step, mass; ///< of (2), and of (3) and (4)
    sari_step_record at;    ///< the step
    double cv, ca;
    sari_step_terms left;                         ///< what is left of the equations
    double *x1, *x2, *x3, *y1, *y2, *y3, *m, *l;  ///< of the transpose: see (5)
    double *v_star, *a_star, *f, *g, *mu, *d, *z; ///< workspace
} sari_step_map;

/// A parameter's part of (1) to (4); v_star and a_star may be NULL: nothing.
typedef struct sari_step_source {
    const sari_step_terms* terms;
    const double *v_star, *a_star;
} sari_step_source;

/// `unit`: size of the bodies.
sar_status sari_step_map_create(sari_step_map* s, sari_system* sys, double unit);
void sari_step_map_clear(sari_step_map* s);

/// All matrices of a step, factored. SAR_E_MODEL: it does not solve its equations; `left` says what is left of them.
sar_status sari_step_map_find(sari_step_map* s, const sari_step_record* r);

/// (dq, dv, da) of 3 nq numbers from those at the begin to those at the end, in place. `p` may be NULL.
sar_status sari_step_map_along(sari_step_map* s, const sari_step_source* p, double* x);
/// (lq, lv, la) from the end to the begin, in place; x1 to l are for (5).
sar_status sari_step_map_back(sari_step_map* s, double* l);
/// (5), after `back`.
double sari_step_map_gather(const sari_step_map* s, const sari_step_source* p);

/* Where motion begins, or begins anew, accelerations follow from the equations themselves:
 *
 *     [M J'; J 0] (da, .) = (-F_q dq - F_v dv - F_p,  -second_q dq - second_v dv - second_p)      (6) */
/// Of a record with v* = v, a* = a and lambda that belongs to them; its h and what it began at do not count.
sar_status sari_step_map_find_start(sari_step_map* s, const sari_step_record* r);
/// da from dq and dv, in place; `p` may be NULL.
sar_status sari_step_map_start_along(sari_step_map* s, const sari_step_source* p, double* x);
/// la becomes zero, lq and lv what they were with it. For (5) too.
sar_status sari_step_map_start_back(sari_step_map* s, double* l);

/// What a unit impulse along n does to the velocities of a system like that of the map, [M J'; J 0] (w, .) = (n, 0). The
/// map is at no step any more.
sar_status sari_step_map_respond(sari_step_map* s, sari_system* sys, double t, const double* q,
                                 const double* n, double* w);

#endif
