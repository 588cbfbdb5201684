/* The registry of all axes in one place, the presets, and the one compatibility table. */
#include "sarrus/methods.h"

#include "integrators/integrator.h"
#include "linalg/solver.h"
#include "simulation/simulation.h"
#include "system/coordinates.h"

#include <stdio.h>
#include <string.h>

const char* sar_axis_name(sar_axis axis)
{
    static const char* const names[SAR_AXES] = {"coordinates", "formulation", "integrator",
                                                "solver"};
    return axis >= 0 && axis < SAR_AXES ? names[axis] : "";
}

/* Redundant constraints and those on velocities alone are the least that a formulation takes. */
static unsigned takes(const sari_formulation_ops* o)
{
    return SAR_TAKES_REDUNDANT | SAR_TAKES_VELOCITIES |
           (sari_formulation_can(o, SARI_FORM_RANK_DROP) ? SAR_TAKES_SINGULAR : 0u);
}

sar_member sar_axis_member(sar_axis axis, int k)
{
    switch (axis) {
    case SAR_AXIS_COORDINATES: {
        const sari_coordinates_ops* o = sari_coordinates_types[k];
        return (sar_member){.name = o->name, .text = o->text, .cite = o->cite};
    }
    case SAR_AXIS_FORMULATION: {
        const sari_formulation_ops* o = sari_formulations[k];
        return (sar_member){.name = o->name, .text = o->text, .cite = o->cite, .takes = takes(o)};
    }
    case SAR_AXIS_INTEGRATOR: {
        const sari_integrator_ops* o = sari_integrators[k];
        return (sar_member){.name = o->name,
                            .text = o->text,
                            .cite = o->cite,
                            .variable_step = o->variable,
                            .interpolates = o->dense != NULL};
    }
    default: {
        const sari_solver_ops* o = sari_solvers[k];
        return (sar_member){.name = o->name, .text = o->text, .cite = o->cite};
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
    {"auto", "auto", "auto", "dop853-radau", "auto", "",
     "one tolerance and nothing to tune, through singular configurations to rounding",
     "hairer1993 wehage1982 potra1991", 0},
    {"ALi3p", "natural", "al3", "trapezoidal", "auto", "rescue=0 geometric=0",
     "index-3 augmented Lagrangian with projections", "gonzalez2016 ruggiu2023", 1},
    {"ALi3pvs", "natural", "al3", "trapezoidal-variable", "auto", "penalty-ratio=1e6",
     "ALi3p with variable step and penalty; the step control is ours", "ruggiu2023", 0},
    {"hybrid", "relative", "al3", "trapezoidal", "auto", "",
     "semi-recursive: joint coordinates, loops closed by the index-3 augmented Lagrangian",
     "cuadradodopico", 0},
    {"topological", "relative", "nullspace", "trapezoidal", "auto", "select=1",
     "semi-recursive in independent coordinates; fails in singular configurations",
     "cuadradodopico", 1},
    {"ABA", "relative", "al1", "rk4", "auto", "",
     "articulated-body algorithm for open chains and trees; its cost is linear in the number of "
     "bodies",
     "featherstone1987", 0},
    {"LMD", "any", "threefield", "own", "auto", "fields=1",
     "weak three-field form with all its fields, whose multipliers have masses", "potosakis", 1},
    {"LMD-midpoint", "any", "threefield", "own", "auto", "",
     "LMD by the midpoint rule, with multipliers of each step alone, through singular "
     "configurations",
     "potosakis", 0},
    {"ALi1", "natural", "al1", "trapezoidal", "auto",
     "as_printed=1 omega_step=1.4142135623730951 xi=0.7071067811865476",
     "index-1 augmented Lagrangian in Newton form, with omega = sqrt(2)/h and xi = 1/sqrt(2)",
     "gonzalez2016", 1},
    {"AL", "natural", "al1", "trapezoidal-fixed-point", "auto", "omega=0 project=1 best_effort=1",
     "index-1 augmented Lagrangian with position and velocity projections", "ruggiu2023", 0},
    {"DCA", "increments", "al3", "trapezoidal", "dca", "",
     "divide and conquer along the joints, for hundreds of bodies and more, on several threads",
     "malczyk2018", 0},
    {"i3DCA", "cartesian", "al3", "trapezoidal", "dca",
     "iterations=fixed:3 tangent_life=2 geometric=0 rescue=0 independent_projections=1",
     "index-3 divide and conquer: Euler parameters, modified Newton, both projections with the "
     "last tangent",
     "malczyk2018", 0},
#ifdef SARRUS_WITH_SUNDIALS
    {"mAL", "cartesian", "al1", "dopri5", "auto", "alpha=1e10 omega=2000 xi=1 updates=10 project=0",
     "stabilised index-1 augmented Lagrangian; alpha as in the source's cases with singular "
     "configurations, omega, xi and updates are ours",
     "ruggiu2023", 0},
    {"mNS", "cartesian", "nullspace", "dopri5", "auto", "",
     "null-space method; fails in singular configurations", "ruggiu2023", 0},
    {"BDF-DAE", "natural", "dae", "ida", "auto", "index=3 max_order=2 tolerance=1e-2 step_max=0.01",
     "BDF on the index-3 equations, as in commercial programs: loses energy, fails in singular "
     "configurations",
     "orlandea1977 hindmarsh2005", 0},
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

/* Why the integrator cannot drive the formulation: it does not offer the contract. */
static const char* missing_contract(const sari_formulation_ops* form, sari_contract needs)
{
    if (needs == SARI_CONTRACT_OWN_STEP)
        return "this integrator uses the step of the formulation, and this formulation has none: "
               "use threefield";
    if (form->own_step)
        return "this formulation has its own step: use the integrator own or own-variable";
    if (needs == SARI_CONTRACT_DAE)
        return "this integrator solves differential-algebraic equations: use the formulation dae";
    if (form->dae)
        return "dae gives differential-algebraic equations, which the integrator ida solves";
    if (needs == SARI_CONTRACT_FIRST_ORDER)
        return "this integrator needs rates as a function of the state, which an index-3 "
               "formulation does not give: use chart";
    if (form->first_order)
        return "chart gives rates in numbers of its own, which the integrators dop853, radau and "
               "dop853-radau take";
    if (needs == SARI_CONTRACT_CORRECTIONS)
        return "this integrator iterates by Newton-Raphson, and the formulation has no residual "
               "form";
    return "this integrator needs rates as a function of the state, which an index-3 formulation "
           "does not give";
}

/* What formulation, integrator, solver and coordinates cannot work with, once each is known. */
static const char* misfit(const sari_formulation_ops* form, const sari_integrator_ops* integrator,
                          const char* solver, const sari_coordinates_ops* coordinates)
{
    const int dca = strcmp(solver, "dca") == 0;
    if (!sari_formulation_offers(form, integrator->needs))
        return missing_contract(form, integrator->needs);
    if (sari_formulation_can(form, SARI_FORM_OWN_ALGEBRA) && strcmp(solver, "auto") != 0 &&
        strcmp(solver, "dense") != 0)
        return "this formulation has its own dense factorisation: the linear solver is auto or "
               "dense";
    if (dca && !sari_formulation_can(form, SARI_FORM_GRAPH))
        return "dca works along the joints, which the matrices of this formulation do not show: "
               "use al3 or threefield";
    if (dca && !coordinates->separate)
        return "dca works along the joints, and in these coordinates bodies share points or "
               "coordinates: use increments or cartesian";
    const int tree = strcmp(solver, "tree") == 0;
    if (tree &&
        (!sari_formulation_needs_no_mass(form, integrator->needs) || integrator->takes_mass))
        return "tree does without the mass matrix, which this formulation wants to see: use al3, "
               "or al1 with an integrator that takes rates";
    if (tree && !coordinates->generates)
        return "tree works along the joints of a spanning tree: use relative coordinates";
    if (!(integrator->refuses & form->capabilities & SARI_FORM_MOMENTA)) return NULL;
    if (integrator->takes_mass)
        return "this integrator changes to equations of velocities where forces are stiff, and "
               "this formulation has momenta: use al1";
    return integrator->needs == SARI_CONTRACT_CORRECTIONS
               ? "this integrator is a rule for accelerations, and this formulation has momenta: "
                 "use the trapezoidal rule"
               : "this integrator updates positions with the new velocities, which a formulation "
                 "in momenta does not have yet";
}

const char* sar_methods_conflict(const char* coordinates, const char* formulation,
                                 const char* integrator, const char* solver)
{
    // what is left to the model is a chart, or index 1, in any coordinates
    if (strcmp(coordinates, "auto") == 0) coordinates = "relative";
    if (strcmp(formulation, "auto") == 0) formulation = "chart";
    int c = find(SAR_AXIS_COORDINATES, coordinates);
    int f = find(SAR_AXIS_FORMULATION, formulation), i = find(SAR_AXIS_INTEGRATOR, integrator);
    if (c < 0) return "no such coordinates";
    if (f < 0) return "no such formulation";
    if (i < 0) return "no such integrator";
    if (strcmp(solver, "auto") != 0 && find(SAR_AXIS_SOLVER, solver) < 0) return "no such solver";
    return misfit(sari_formulations[f], sari_integrators[i], solver, sari_coordinates_types[c]);
}
