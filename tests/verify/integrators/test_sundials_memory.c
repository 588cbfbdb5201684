/* SUNDIALS takes memory from malloc itself, past the library's hook. Here every call of the process
 * is counted: a step makes none. (Running out of memory is another matter: SUNDIALS 6.4 does not
 * survive it in SUNContext_Create.) Needs glibc, and no sanitizer, which has a malloc of its own.
 */
#include "trial_fixture.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

#define PUBLIC __attribute__((visibility("default")))

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);

static long calls;

PUBLIC void* malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}

PUBLIC void* calloc(size_t count, size_t size)
{
    calls++;
    return __libc_calloc(count, size);
}

PUBLIC void* realloc(void* memory, size_t size)
{
    calls++;
    return __libc_realloc(memory, size);
}

static const char* const METHODS[] = {
    "formulation=nullspace integrator=dopri5 tolerance=1e-4 violation=1",
    "formulation=nullspace integrator=dopri5 tolerance=1e-4 violation=1 project=1",
    "formulation=al1 integrator=dopri5 tolerance=1e-4 violation=1 step=0.3",
    "formulation=nullspace integrator=bdf tolerance=1e-4 violation=1",
    "formulation=nullspace integrator=bdf tolerance=1e-4 violation=1 project=1",
    "formulation=al1 integrator=bdf tolerance=1e-4 violation=1 omega=20",
    "formulation=dae integrator=ida tolerance=1e-4 violation=1 index=3",
    "formulation=dae integrator=ida tolerance=1e-4 violation=1 index=2",
};
enum { COUNT = sizeof METHODS / sizeof *METHODS };

TEST(steps_and_values_between_take_no_memory)
{
    for (int k = 0; k < COUNT; k++) {
        problem_run run;
        long before_all = calls;
        double values[MOST_OUTPUTS], before = 0.0;
        problem_start(&run, PROBLEM("slider-crank-2"), NULL, METHODS[k]);
        CHECK_STATUS(sar_simulation_outputs(run.simulation, values), SAR_OK);
        CHECK(calls > before_all + 50); // the counter counts
        long first = calls;
        while (!sar_simulation_done(run.simulation)) {
            CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            double now = sar_simulation_time(run.simulation);
            CHECK_STATUS(sar_simulation_outputs_at(run.simulation, 0.5 * (before + now), values),
                         SAR_OK);
            before = now;
        }
        if (calls != first)
            fail_msg("%s: %ld calls of malloc while it ran", METHODS[k], calls - first);
        problem_free(&run);
    }
}

/* Joints that come and go: the solvers of all phases are made before. */
TEST(changes_of_the_mechanism_take_no_memory)
{
    static const char MODEL[] =
        "sarrus: 1\nname: caught\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: 0.1, center: [0.5, 0], points: {P: [1, 0]}, position: [0, 0]}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground.origin, a.origin]}\n"
        "  B: {type: revolute, between: [ground.origin, a.P], active: no, attach: here}\n"
        "phases:\n"
        "  - {when: a.P.y + 0.5, add: [B], remove: [A]}\n"
        "  - {at: 0.9, remove: [B]}\n"
        "method: {end: 1}\n";
    for (int k = 0; k < COUNT; k++) {
        problem_run run;
        const sar_switch* list;
        problem_parse(&run, MODEL);
        problem_create(&run, METHODS[k]);
        CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
        long first = calls;
        while (!sar_simulation_done(run.simulation))
            CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        CHECK(sar_simulation_switches(run.simulation, &list) == 2);
        if (calls != first)
            fail_msg("%s: %ld calls of malloc while it ran", METHODS[k], calls - first);
        problem_free(&run);
    }
}

/* A large system, whose linear solver is another. */
TEST(steps_of_large_systems_take_no_memory)
{
    problem_run run;
    problem_start(&run, PROBLEM("chain"), "n=80",
                  "coordinates=cartesian formulation=al1 integrator=bdf omega=20 end=0.02");
    long first = calls;
    while (!sar_simulation_done(run.simulation))
        CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
    CHECK(calls == first);
    problem_free(&run);
}

int main(void)
{
    if (!has_integrator("dopri5")) {
        printf("built without SUNDIALS: nothing to test\n");
        return 0;
    }
    return sar_test_run();
}

#else

int main(void)
{
    printf("not with this C library or sanitizer\n");
    return 0;
}

#endif
