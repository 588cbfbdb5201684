/* Runs of mechanisms whose joints come and go, by every method and in all coordinates. */
#ifndef PHASES_FIXTURE_H
#define PHASES_FIXTURE_H

#include "problem_run.h"

typedef struct method {
    const char* options;
    double tolerance; ///< of a run's end, against the others
} method;

static const method METHODS[] = {
    {"formulation=al3 integrator=trapezoidal", 2e-4},
    {"formulation=al3 integrator=trapezoidal alpha=inf", 2e-4},
    {"formulation=al1 integrator=trapezoidal", 2e-4},
    {"formulation=al1 integrator=rk4", 1e-6},
    {"formulation=nullspace integrator=rk4", 1e-6},
    {"formulation=hamiltonian integrator=rk4", 1e-5},
    {"formulation=al1 integrator=dopri5 tolerance=1e-10", 1e-6},
    {"formulation=al1 integrator=bdf tolerance=1e-9", 2e-5},
    {"formulation=dae integrator=ida tolerance=1e-9 index=3", 2e-5},
    {"formulation=dae integrator=ida tolerance=1e-9 index=2", 2e-5},
    {"formulation=al3 integrator=trapezoidal-variable tolerance=1e-8", 2e-4},
};
enum { METHODS_COUNT = sizeof METHODS / sizeof *METHODS };

static inline void begin(problem_run* run, const char* text, const char* options)
{
    problem_parse(run, text);
    problem_create(run, options);
    CHECK_STATUS(sar_simulation_assemble(run->simulation, &run->assembly), SAR_OK);
}

static inline void finish(problem_run* run)
{
    while (!sar_simulation_done(run->simulation))
        if (sar_simulation_advance(run->simulation) != SAR_OK)
            fail_msg("%s: %s", sar_model_name(run->model), sar_simulation_failure(run->simulation));
}

static const sar_switch* switch_of(const problem_run* run, int k)
{
    const sar_switch* list;
    CHECK(sar_simulation_switches(run->simulation, &list) > k);
    return &list[k];
}

/* Calls `check` with every kind of coordinates and every method that goes with it. */
static inline void with_all(const char* text, const char* more,
                            void (*check)(problem_run* run, const method* m))
{
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++)
        for (int m = 0; m < METHODS_COUNT; m++) {
            char options[200];
            problem_run run;

            snprintf(options, sizeof options, "coordinates=%s %s %s",
                     sar_axis_member(SAR_AXIS_COORDINATES, c).name, METHODS[m].options, more);
            begin(&run, text, options);
            print_message("%s\n", options);
            check(&run, &METHODS[m]);
            problem_free(&run);
        }
}

static inline double largest_difference(const double* a, const double* b, int n)
{
    double most = 0.0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* What the ground gave is the change of momentum, and joints between bodies gave nothing. */
static inline void check_account(const sar_switch* w)
{
    double change[3], turn[3], scale = 1e-300, turn_scale = 1e-300;
    for (int k = 0; k < 3; k++) {
        change[k] = w->momentum_after[k] - w->momentum_before[k];
        turn[k] = w->angular_after[k] - w->angular_before[k];
        scale = fmax(scale, fmax(fabs(w->momentum_before[k]), fabs(w->momentum_after[k])));
        turn_scale = fmax(turn_scale, fmax(fabs(w->angular_before[k]), fabs(w->angular_after[k])));
    }
    for (int i = 0; i < w->impulses; i++) // forces that cancel may be large
        for (int k = 0; k < 3; k++) scale = fmax(scale, fabs(w->joint_impulse[i].force[k]));
    CHECK_AT_MOST(largest_difference(change, w->impulse, 3), 1e-12 * scale);
    CHECK_AT_MOST(largest_difference(turn, w->angular_impulse, 3), 1e-12 * fmax(scale, turn_scale));
}

#endif
