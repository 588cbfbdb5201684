/// @file plugin.h
/// Formulations and integrators from outside of the library.
///
/// A plug-in is a table of functions. It is registered by sar_plugin_register, or it is a shared object with
/// the symbol `sarrus_plugin`, which sar_plugin_load and `sarrus --plugin FILE` read:
///
///     SAR_PLUGIN_EXPORT const sar_plugin sarrus_plugin = {
///         .version = SAR_PLUGIN_VERSION, .name = "mine", .formulations = forms, .formulation_count = 1};
///
/// Its members then stand beside those of the library, in options, `sarrus methods`, sweeps and studies. The
/// functions get all they need as arguments, so that a shared object links nothing of Sarrus.
#ifndef SARRUS_PLUGIN_H
#define SARRUS_PLUGIN_H

#include "sarrus/equations.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of the tables below. A plug-in of another version is refused.
#define SAR_PLUGIN_VERSION 1

#if defined(__GNUC__)
#define SAR_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define SAR_PLUGIN_EXPORT
#endif

/// The equations at a state, see equations.h. They are in units of the model in which its bodies are about
/// one long and the heaviest weighs about one, so that limits are plain numbers.
typedef struct sar_equations_view {
    sar_equations_size size;
    double t;
    const double *q, *v;
    sar_csr M, K, C, Phi_q, Phi_q_rate;
    const double *Q, *Phi, *Phi_t, *bias;
    /// out = d(Phi_q' lambda)/dq, by rows.
    void (*hessian)(const struct sar_equations_view* at, const double* lambda, double* out);
    void* context;
} sar_equations_view;

/// How constraints enter the equations of motion. Functions return SAR_OK, a positive status to ask for a
/// smaller step, or a negative one to stop the run; `why` then says what happened.
typedef struct sar_plugin_formulation {
    const char* name; ///< lower-case letters, digits and '-'
    const char* text; ///< one line for people
    const char* cite; ///< keys of docs/references.bib, or ""
    /// Options of other formulations that it has too, by name: "alpha omega"; NULL: none.
    const char* options;
    int singular;  ///< 1: it goes through configurations where the rank of Phi_q drops
    void* context; ///< handed to create
    /// Make an object for a run; NULL in *self needs no create. `why` has room for a sentence.
    sar_status (*create)(void* context, const sar_equations_size* size, const sar_options* options,
                         void** self, char* why, size_t room);
    void (*destroy)(void* self);
    /// Accelerations and multipliers at a state. `lambda` holds those of the last call.
    sar_status (*accelerations)(void* self, const sar_equations_view* at, double* a, double* lambda,
                                char* why, size_t room);

    /* for implicit integrators (trapezoidal, newmark, generalised-alpha); NULL: it has rates alone */

    /// Newton correction dq of an implicit step in which dv = cv dq and da = ca dq: of
    /// M a + Phi_q' lambda - Q = 0 and Phi = 0 at a state with the accelerations a.
    sar_status (*correct)(void* self, const sar_equations_view* at, const double* a,
                          const double* lambda, double cv, double ca, double* dq, char* why,
                          size_t room);
    /// The correction was applied: new multipliers, where Phi is evaluated. NULL: correct does it.
    void (*update)(void* self, const sar_equations_view* at, double ca, double* lambda);
    /// The iteration has converged: velocities and accelerations back to their constraints. NULL: they stay.
    sar_status (*project)(void* self, const sar_equations_view* at, double cv, double ca, double* v,
                          double* a, char* why, size_t room);
} sar_plugin_formulation;

/// What an integrator drives.
typedef struct sar_rates {
    /// dy/dt at (t, y).
    sar_status (*evaluate)(const struct sar_rates* of, double t, const double* y, double* ydot);
    void* run;
} sar_rates;

/// A rule for steps of dy/dt = f(t, y).
typedef struct sar_plugin_integrator {
    const char* name;
    const char* text;
    const char* cite;
    int order;
    void* context;
    sar_status (*create)(void* context, int count, const sar_options* options, void** self,
                         char* why, size_t room);
    void (*destroy)(void* self);
    /// From y at t to y at t + h, with `count` numbers. ydot: dy/dt at (t, y).
    sar_status (*step)(void* self, double t, double h, int count, double* y, const double* ydot,
                       const sar_rates* rates);
} sar_plugin_integrator;

typedef struct sar_plugin {
    int version; ///< SAR_PLUGIN_VERSION
    const char* name;
    const sar_plugin_formulation* formulations;
    int formulation_count;
    const sar_plugin_integrator* integrators;
    int integrator_count;
} sar_plugin;

/// All members of a plug-in, which must stay where they are. Not while simulations are created in other
/// threads. SAR_E_ARG, and nothing is registered: another version, a name that is taken or no name, a
/// missing function, or too many members.
SAR_API sar_status sar_plugin_register(const sar_plugin* plugin, sar_error* error);

/// A shared object with `sarrus_plugin`; it stays loaded. SAR_E_IO: it cannot be loaded, or is none.
SAR_API sar_status sar_plugin_load(const char* path, sar_error* error);

#ifdef __cplusplus
}
#endif
#endif
