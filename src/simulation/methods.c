/* The registry of all axes in one place, the presets, and the one compatibility table. */
#include "sarrus/methods.h"

#include "integrators/integrator.h"
#include "solvers/solver.h"

#include <stdio.h>
#include <string.h>

const char* sar_axis_name(sar_axis axis)
{
    static const char* const names[SAR_AXES] = {"coordinates", "formulation", "integrator",
                                                "solver"};
    return axis >= 0 && axis < SAR_AXES ? names[axis] : "";
}

sar_member sar_axis_member(sar_axis axis, int k)
{
    switch (axis) {
    case SAR_AXIS_COORDINATES: {
        const sari_coordinates_ops* o = sari_coordinates_types[k];
        return (sar_member){o->name, o->text, o->cite, 0};
    }
    case SAR_AXIS_FORMULATION: {
        const sari_formulation_ops* o = sari_formulations[k];
        return (sar_member){o->name, o->text, o->cite, 0};
    }
    case SAR_AXIS_INTEGRATOR: {
        const sari_integrator_ops* o = sari_integrators[k];
        return (sar_member){o->name, o->text, o->cite, o->variable};
    }
    default: {
        const sari_solver_ops* o = sari_solvers[k];
        return (sar_member){o->name, o->text, o->cite, 0};
    }
    }
}

int sar_axis_members(sar_axis axis)
{
    int n = 0;
    switch (axis) {
    case SAR_AXIS_COORDINATES:
        while (sari_coordinates_types[n]) n++;
        break;
    case SAR_AXIS_FORMULATION:
        while (sari_formulations[n]) n++;
        break;
    case SAR_AXIS_INTEGRATOR:
        while (sari_integrators[n]) n++;
        break;
    case SAR_AXIS_SOLVER:
        while (sari_solvers[n]) n++;
        break;
    case SAR_AXES:
        break;
    }
    return n;
}

static const sar_preset presets[] = {
    {"ALi3p", "natural", "al3", "trapezoidal", "auto", "",
     "index-3 augmented Lagrangian with projections", "gonzalez2016 ruggiu2023"},
    {"global", "natural", "al3", "trapezoidal", "sparse", "",
     "the global method that semi-recursive ones are compared with", "cuadradodopico"},
    {"ALi3p-kkt", "natural", "al3", "trapezoidal", "auto", "alpha=inf",
     "ALi3p in the limit of an infinite penalty", "gonzalez2016"},
    {"ALi3p-cartesian", "cartesian", "al3", "trapezoidal", "auto", "",
     "ALi3p in reference-point coordinates", "malczyk2018"},
    {"mAL-ode4", "cartesian", "al1", "rk4", "auto",
     "alpha=1e10 omega=100 xi=1 updates=10 project=0",
     "stabilised index-1 augmented Lagrangian with a fixed step; alpha as in the source's cases "
     "with "
     "singular positions, omega, xi and updates are ours",
     "ruggiu2023"},
    {"mNS-ode4", "cartesian", "nullspace", "rk4", "auto", "",
     "null-space method with a fixed step; fails in singular positions", "ruggiu2023"},
#ifdef SARRUS_WITH_SUNDIALS
    {"mAL", "cartesian", "al1", "dopri5", "auto", "alpha=1e10 omega=100 xi=1 updates=10 project=0",
     "stabilised index-1 augmented Lagrangian; alpha as in the source's cases with singular "
     "positions, omega, xi and updates are ours",
     "ruggiu2023"},
    {"mAL-ode15s", "cartesian", "al1", "bdf", "auto",
     "alpha=1e7 omega=100 xi=1 updates=10 project=0",
     "stabilised index-1 augmented Lagrangian, implicit; alpha as in the source, omega, xi and "
     "updates are ours",
     "ruggiu2023"},
    {"mNS", "cartesian", "nullspace", "dopri5", "auto", "",
     "null-space method; fails in singular positions", "ruggiu2023"},
#endif
};

int sar_presets(void)
{
    return (int)(sizeof presets / sizeof presets[0]);
}

sar_preset sar_preset_at(int k)
{
    return presets[k];
}

static int find(sar_axis axis, const char* name)
{
    for (int k = 0; k < sar_axis_members(axis); k++)
        if (strcmp(sar_axis_member(axis, k).name, name) == 0) return k;
    return -1;
}

const char* sar_methods_conflict(const char* coordinates, const char* formulation,
                                 const char* integrator, const char* solver)
{
    int f = find(SAR_AXIS_FORMULATION, formulation), i = find(SAR_AXIS_INTEGRATOR, integrator);
    if (find(SAR_AXIS_COORDINATES, coordinates) < 0) return "no such coordinates";
    if (f < 0) return "no such formulation";
    if (i < 0) return "no such integrator";
    if (strcmp(solver, "auto") != 0 && find(SAR_AXIS_SOLVER, solver) < 0) return "no such solver";
    unsigned missing = sari_integrators[i]->needs & ~sari_formulations[f]->capabilities;
    if (missing & SARI_FORM_RESIDUAL)
        return "this integrator iterates by Newton-Raphson, and the formulation has no residual "
               "form";
    if (missing & SARI_FORM_RATES)
        return "this integrator needs rates as a function of the state, which an index-3 "
               "formulation does not give";
    if (sari_formulations[f]->capabilities & SARI_FORM_OWN_ALGEBRA && strcmp(solver, "auto") != 0 &&
        strcmp(solver, "dense") != 0)
        return "this formulation brings dense factors of its own: the linear solver is auto or "
               "dense";
    if (sari_integrators[i]->refuses & sari_formulations[f]->capabilities & SARI_FORM_MOMENTA)
        return "this integrator moves positions by the new velocities, which a formulation in "
               "momenta does not have before it is evaluated again";
    return NULL;
}
