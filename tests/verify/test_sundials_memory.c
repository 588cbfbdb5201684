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
    "formulation=nullspace integrator=dopri5 tolerance=1e-4",
    "formulation=nullspace integrator=dopri5 tolerance=1e-4 project=1",
    "formulation=al1 integrator=dopri5 tolerance=1e-4 step=0.3",
    "formulation=nullspace integrator=bdf tolerance=1e-4",
    "formulation=nullspace integrator=bdf tolerance=1e-4 project=1",
    "formulation=al1 integrator=bdf tolerance=1e-4 omega=20",
};
enum { COUNT = sizeof METHODS / sizeof *METHODS };

static void steps_and_values_between_take_no_memory(void** state)
{
    (void)state;
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

/* A large system, whose linear solver is another. */
static void steps_of_large_systems_take_no_memory(void** state)
{
    (void)state;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_values_between_take_no_memory),
        cmocka_unit_test(steps_of_large_systems_take_no_memory),
    };
    if (!has_integrator("dopri5")) {
        printf("built without SUNDIALS: nothing to test\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("not with this C library or sanitizer\n");
    return 0;
}

#endif
