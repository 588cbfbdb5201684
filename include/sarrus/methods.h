/// @file methods.h
/// Every member of every axis, the presets, and which combinations work.
#ifndef SARRUS_METHODS_H
#define SARRUS_METHODS_H

#include "sarrus/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sar_axis {
    SAR_AXIS_COORDINATES,
    SAR_AXIS_FORMULATION,
    SAR_AXIS_INTEGRATOR,
    SAR_AXIS_SOLVER,
    SAR_AXES
} sar_axis;

/// Constraints that a formulation accepts.
enum {
    SAR_TAKES_REDUNDANT = 1, ///< redundant ones
    SAR_TAKES_SINGULAR = 2,  ///< singular configurations, where their rank drops
    SAR_TAKES_VELOCITIES = 4 ///< constraints on velocities alone (non-holonomic)
};

typedef struct sar_member {
    const char* name;
    const char* text;  ///< one line
    const char* cite;  ///< keys of docs/references.bib, separated by spaces
    int variable_step; ///< integrators: 1: variable step by a tolerance; `step` is the first
    int interpolates;  ///< integrators: 1: states within a step are to be had
    unsigned takes;    ///< formulations: SAR_TAKES_...
} sar_member;

SAR_API const char* sar_axis_name(sar_axis axis);
SAR_API int sar_axis_members(sar_axis axis);
SAR_API sar_member sar_axis_member(sar_axis axis, int k);

/// A named method of the literature: a point in the product of the axes, with its parameters.
typedef struct sar_preset {
    const char* name;
    const char* coordinates; ///< "any": keep those already chosen; "auto": by the model
    const char* formulation; ///< "auto": by the model
    const char* integrator;
    const char* solver;
    const char* parameters; ///< "name=value name=value"
    const char* text;
    const char* cite;
    int published; ///< 1: as published in the first of `cite`; 0: ours, after it
} sar_preset;

SAR_API int sar_presets(void);
SAR_API sar_preset sar_preset_at(int k);

/// NULL if the four names fit together, else the reason why not.
SAR_API const char* sar_methods_conflict(const char* coordinates, const char* formulation,
                                         const char* integrator, const char* solver);

/// The BibTeX entry of a key, or NULL.
SAR_API const char* sar_bibtex(const char* key);

#ifdef __cplusplus
}
#endif
#endif
