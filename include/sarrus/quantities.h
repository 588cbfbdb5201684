/// @file quantities.h
/// Quantities of a run by name: at a time, and of the whole run. Result files, histories, sweeps,
/// studies and JSON use these names, units and texts.
#ifndef SARRUS_QUANTITIES_H
#define SARRUS_QUANTITIES_H

#include "sarrus/trial.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- at a time ------------------------------------------------------------------------------ */

typedef enum sar_quantity_of {
    SAR_OF_BODY,
    SAR_OF_JOINT,
    SAR_OF_FORCE,
    SAR_OF_RUN
} sar_quantity_of;

/// One line of the table in src/studies/quantities.c.
typedef struct sar_quantity {
    sar_quantity_of of;     ///< one for each body, joint or force, or one for the run
    const char* name;       ///< "energy.kinetic"; in HDF5 energy/kinetic, bodies/NAME/position
    const char* components; ///< of a column, JOINT.fx, separated by spaces; "": has none
    int width;              ///< number of values; 0: one per multiplier of the method
    const char *unit, *text;
    /// Value for body, joint or force `k` at the present state. values[width] are NaN before the call.
    /// > 0: there is no finite value.
    sar_status (*get)(sar_simulation* s, int k, int width, double* values);
} sar_quantity;

SAR_API int sar_quantities(void);
SAR_API const sar_quantity* sar_quantity_at(int q);

/// A number that changes with time: a component of a quantity.
typedef struct sar_signal {
    const sar_quantity* quantity;
    int k;         ///< joint
    int component; ///< 0 if there is only one
} sar_signal;

/// "energy.kinetic" or "JOINT.fx". SAR_E_ARG with a list of all names.
SAR_API sar_status sar_signal_find(const sar_model* model, const char* name, sar_signal* out,
                                   sar_error* error);
SAR_API sar_status sar_signal_get(const sar_signal* signal, sar_simulation* s, double* value);

/* ---- of a whole run ------------------------------------------------------------------------- */

typedef enum sar_measure_kind {
    SAR_KIND_NUMBER,
    SAR_KIND_COUNT,
    SAR_KIND_ERROR,    ///< only with a reference
    SAR_KIND_TIME,     ///< of computation: varies from run to run
    SAR_KIND_ESTIMATE, ///< only with a certificate
} sar_measure_kind;

/// Above this energy drift, relative to `energy_scale`, the motion cannot be trusted.
#define SAR_DRIFT_LIMIT 0.05

/// Name, name (a dot makes groups in JSON), older names, kind, unit, head of a narrow column, text,
/// value of a sar_trial* t.
#define SAR_MEASURE_LIST(X)                                                                        \
    X(INITIAL_ENERGY, "energy.initial", "", NUMBER, "J", "E0 [J]", "energy at the start",          \
      t->statistics.energy_initial)                                                                \
    X(MAX_DRIFT, "energy.max_drift", "drift max_energy_drift", NUMBER, "J", "drift [J]",           \
      "largest energy drift", t->statistics.energy_max_drift)                                      \
    X(FINAL_DRIFT, "energy.final_drift", "", NUMBER, "J", "end [J]", "energy drift at the end",    \
      t->statistics.energy_final_drift)                                                            \
    X(SIGNED_DRIFT, "signed_drift", "", NUMBER, "J", "drift [J]", "largest energy drift, signed",  \
      t->statistics.energy_worst_drift)                                                            \
    X(KINETIC_MAX, "kinetic_max", "kinetic", NUMBER, "J", "T [J]", "largest kinetic energy",       \
      t->statistics.kinetic_max)                                                                   \
    X(ENERGY_SCALE, "energy_scale", "energy", NUMBER, "J", "E [J]",                                \
      "energy in the motion, the scale of the drift", t->statistics.energy_scale)                  \
    X(POSITION, "violation.position", "position", NUMBER, "", "Phi",                               \
      "largest violation of the constraints", t->statistics.violation.position)                    \
    X(VELOCITY, "violation.velocity", "velocity", NUMBER, "", "dPhi/dt",                           \
      "largest violation of their first derivative", t->statistics.violation.velocity)             \
    X(ACCELERATION, "violation.acceleration", "acceleration", NUMBER, "", "d2Phi",                 \
      "largest violation of their second derivative", t->statistics.violation.acceleration)        \
    X(TOTAL_ERROR, "total_error", "eps_T", ERROR, "", "eps_T", "total error eps_T", t->error)      \
    X(MAX_ERROR, "max_error", "", ERROR, "", "error", "largest difference from the reference",     \
      t->max_error)                                                                                \
    X(ESTIMATE, "estimate", "", ESTIMATE, "", "estimate",                                          \
      "estimate of the largest error, of an output's range", t->certificate.largest)               \
    X(TRUSTED, "trusted", "", ESTIMATE, "s", "trusted",                                            \
      "time until which errors are below the accuracy", t->certificate.trusted)                    \
    X(REACHED, "reached", "", NUMBER, "s", "t [s]", "time of the last good step", t->reached)      \
    X(SINGULAR_PASSES, "singular_passes", "", COUNT, "", "passes",                                 \
      "passages through singular configurations", t->singular_passes)                              \
    X(BRANCH_CHANGES, "branch_changes", "", COUNT, "", "branches",                                 \
      "jumps to another branch of motion", t->branch_changes)                                      \
    X(STEPS, "steps", "", COUNT, "", "steps", "steps", (double)t->statistics.steps)                \
    X(ITERATIONS, "iterations", "", COUNT, "", "its",                                              \
      "iterations, or evaluations of an explicit method, in all steps",                            \
      (double)t->statistics.iterations)                                                            \
    X(REJECTED, "rejected", "", COUNT, "", "rejected", "rejected steps",                           \
      (double)t->statistics.rejected)                                                              \
    X(NOT_CONVERGED, "not_converged", "", COUNT, "", "not conv.",                                  \
      "steps that were kept without convergence", (double)t->statistics.not_converged)             \
    X(CORRECTION, "correction", "", NUMBER, "", "last dq", "largest last correction of a step",    \
      t->statistics.correction)                                                                    \
    X(SECONDS, "seconds", "cpu_s", TIME, "s", "time [s]", "CPU time of the steps", t->seconds)     \
    X(WALL, "wall_s", "", TIME, "s", "clock [s]", "wall time of the steps", t->wall)               \
    X(STEP_US, "step_us", "per_step_us", TIME, "us", "us/step", "CPU time per step", t->step_us)

typedef enum sar_measure_id {
#define SAR_MEASURE_ENUM(id, name, older, kind, unit, head, text, value) SAR_MEASURE_##id,
    SAR_MEASURE_LIST(SAR_MEASURE_ENUM)
#undef SAR_MEASURE_ENUM
        SAR_MEASURES
} sar_measure_id;

typedef struct sar_measure {
    const char *name, *older;
    sar_measure_kind kind;
    const char *unit, *head, *text;
} sar_measure;

SAR_API sar_measure sar_measure_at(int measure);
/// By name, or with `older` also by an older name; -1: none.
SAR_API int sar_measure_find(const char* name, int older);
SAR_API double sar_measure_get(int measure, const sar_trial* trial); ///< NaN: unknown

#ifdef __cplusplus
}
#endif
#endif
