/* A formulation's rates as an ordinary differential equation for SUNDIALS [hindmarsh2005]:
 *
 *     y = (q, p),     dy/dt = (E(q) v, pdot)
 *
 * with E = 1 where positions are vectors. Shared by the integrators that are built on it.
 * SUNDIALS is built in or not as a whole: see SARRUS_WITH_SUNDIALS in CMakeLists.txt. */
#ifndef SARI_INTEGRATORS_SUNDIALS_H
#define SARI_INTEGRATORS_SUNDIALS_H

#include "integrators/integrator.h"

#include <nvector/nvector_serial.h>

/// Also the first member of every integrator that is built on it.
typedef struct sari_ode {
    sari_arena memory;
    int np, n, m, size; ///< numbers in q, in p, in lambda, and in y
    const sari_equations* system;
    const sari_coordinates* coordinates;
    sari_formulation form;
    double tolerance, absolute_tolerance, first_step, shortest_step, longest_step;
    SUNContext context;
    N_Vector y;
    sari_state from; ///< start of the present step: known rates, and the multipliers to go on from
    sari_state work; ///< where the rates were last evaluated
    double end;      ///< of the last step
    double* series;  ///< q, dq/dt and d2q/dt2 at both ends of a step, and room for np more
    int evaluations; ///< in the present step
    int resting;     ///< dy/dt = 0: the trial step by which SUNDIALS gets its memory
    sar_status trouble;  ///< of the last evaluation that failed in the present step ...
    double trouble_time; ///< ... and where it was
    int flag;            ///< what SUNDIALS said of the last step
    double failed_at;    ///< start of the step that failed ...
    double failed_step;  ///< ... and the last size tried
} sari_ode;

/// 0: out of memory.
int sari_ode_create(sari_ode* ode, sari_equations* system, const sari_formulation* form,
                    const sar_options* options);
void sari_ode_clear(sari_ode* ode);

/// The step that ida tries next.
double sari_ida_next_step(const void* self);

/// Right-hand side, with the sari_ode as `self`: 0; 1, try a smaller step; -1, give up.
int sari_ode_rates(double t, N_Vector y, N_Vector dydt, void* self);

/// Error allowed in a component of y: max(tolerance |y|, absolute tolerance).
double sari_ode_allowed(const sari_ode* ode, double y);
/// w = 1 / allowed, component by component.
int sari_ode_weights(N_Vector y, N_Vector w, void* self);

/// y = (q, p) of s, and back; are the two the same?
void sari_ode_load(sari_ode* ode, const sari_state* s);
void sari_ode_store(const sari_ode* ode, sari_state* s);
int sari_ode_is_at(const sari_ode* ode, const sari_state* s);

/// What `dense` needs; the rest begins anew.
void sari_ode_archive(void* self, sari_archive* a);
/// A step begins at s.
void sari_ode_begin(sari_ode* ode, const sari_state* s);
/// v, a, pdot and lambda at s, which is where a step ended.
sar_status sari_ode_finish(sari_ode* ode, sari_state* s, sari_step_report* report);
/// A step from s failed with a flag of SUNDIALS; h is the last size tried.
sar_status sari_ode_fail(sari_ode* ode, int flag, const sari_state* s, double h);

/// For sari_integrator_ops, of anything that begins with a sari_ode: why the last step failed, and
/// q, v and a within it, whose end is in s.
void sari_ode_explain(const void* self, char* text, size_t size);
sar_status sari_ode_dense(void* self, double t, sari_state* s);

/// An error handler that keeps quiet: what is wrong goes up as a status.
void sari_ode_quiet(int code, const char* module, const char* function, char* message, void* self);

#endif
