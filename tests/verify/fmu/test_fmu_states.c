/* States of FMUs, of which each goes on with the same bits, and instances in threads, which do not meet. */
#include "verify/fmu/pendulum_fmu.h"

#include <pthread.h>

/// To the middle, save, go on; then again from the state, as it is and from bytes, there and in another instance.
static void check_states(const fmu* f, double h, int steps)
{
    fmu_log log = {0};
    fmi2Component c = fmu_instantiate_2(f, fmi2CoSimulation, &log),
                  other = fmu_instantiate_2(f, fmi2CoSimulation, &log);
    fmi2FMUstate middle = NULL, copy = NULL;
    uint64_t first = 7, again = 7, third = 7, fourth = 7;
    size_t size;
    const unsigned l = 1;
    fmu_initialise_2(f, c);
    const double t = run_2(f, c, f->options.start, steps, h, &(uint64_t){0});
    CHECK_STATUS(f->two.GetFMUstate(c, &middle), fmi2OK);
    run_2(f, c, t, steps, h, &first);
    CHECK_STATUS(f->two.SetFMUstate(c, middle), fmi2OK);
    run_2(f, c, t, steps, h, &again);
    CHECK(first == again);
    CHECK_STATUS(f->two.SerializedFMUstateSize(c, middle, &size), fmi2OK);
    char* bytes = malloc(size);
    CHECK_STATUS(f->two.SerializeFMUstate(c, middle, bytes, size - 1), fmi2Error);
    CHECK_STATUS(f->two.SerializeFMUstate(c, middle, bytes, size), fmi2OK);
    CHECK_STATUS(f->two.FreeFMUstate(c, &middle), fmi2OK);
    // another instance, that has not begun, and has other parameters
    if (f->parameters) CHECK_STATUS(f->two.SetReal(other, &l, 1, &(double){1.0625}), fmi2OK);
    CHECK_STATUS(f->two.DeSerializeFMUstate(other, bytes, size, &copy), fmi2OK);
    CHECK_STATUS(f->two.SetFMUstate(other, copy), fmi2OK);
    run_2(f, other, t, steps, h, &third);
    CHECK(first == third);
    CHECK_STATUS(f->two.SetFMUstate(other, copy), fmi2OK); // and once more, there
    run_2(f, other, t, steps, h, &fourth);
    CHECK(first == fourth);
    CHECK_STATUS(f->two.FreeFMUstate(other, &copy), fmi2OK);
    bytes[size / 2] ^= 1;
    CHECK_STATUS(f->two.DeSerializeFMUstate(other, bytes, size, &copy), fmi2Error);
    CHECK_STATUS(f->two.DeSerializeFMUstate(other, bytes, 10, &copy), fmi2Error);
    CHECK(!copy);
    free(bytes);
    f->two.FreeInstance(c);
    f->two.FreeInstance(other);
}

TEST(states_go_on_with_the_same_bits)
{
    static const char* const methods[] = {"", "preset=auto", "formulation=al1 integrator=dopri5"};
    for (int k = 0; k < 3; k++) {
        fmu f = pendulum(methods[k], 2);
        check_states(&f, 7e-3, 40); // not a multiple of the step
        fmu_close(&f);
    }
    fmu ball = fmu_of(SARRUS_ROOT "/examples/models/bouncing-ball.yaml", "", 2);
    check_states(&ball, 0.05, 30); // impacts in both halves
    fmu_close(&ball);
}

TEST(foreign_states_are_refused)
{
    fmu f = pendulum("", 2), g = pendulum("step=2e-3", 2);
    fmu_log log = {0};
    fmi2Component c = fmu_instantiate_2(&f, fmi2CoSimulation, &log),
                  d = fmu_instantiate_2(&g, fmi2CoSimulation, &log);
    fmi2FMUstate saved = NULL;
    double y[4], z[4];
    fmu_initialise_2(&f, c);
    fmu_initialise_2(&g, d);
    CHECK_STATUS(f.two.DoStep(c, 0, 0.1, 0), fmi2OK);
    CHECK_STATUS(f.two.GetFMUstate(c, &saved), fmi2OK);
    fmu_outputs_2(&g, d, y);
    CHECK_STATUS(g.two.SetFMUstate(d, saved), fmi2Error);
    CHECK_STATUS(g.two.SetFMUstate(d, NULL), fmi2Error);
    CHECK(log.errors == 2);
    fmu_outputs_2(&g, d, z);
    CHECK(memcmp(y, z, sizeof y) == 0);
    CHECK_STATUS(f.two.FreeFMUstate(c, &saved), fmi2OK);
    f.two.FreeInstance(c);
    g.two.FreeInstance(d);
    fmu_close(&f);
    fmu_close(&g);
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct task {
    const fmu* f;
    uint64_t digest;
} task;

static void* work(void* context)
{
    task* w = context;
    for (int k = 0; k < 3; k++) {
        fmi2Component c = fmu_instantiate_2(w->f, fmi2CoSimulation, NULL);
        fmu_initialise_2(w->f, c);
        run_2(w->f, c, 0, 100, 7e-3, &w->digest);
        w->f->two.FreeInstance(c);
    }
    return NULL;
}

TEST(instances_in_threads_do_not_meet)
{
    fmu f = pendulum("preset=auto", 2);
    task alone = {&f, 7}, both[2] = {{&f, 7}, {&f, 7}};
    pthread_t thread[2];
    (void)work(&alone);
    for (int k = 0; k < 2; k++) CHECK(pthread_create(&thread[k], NULL, work, &both[k]) == 0);
    for (int k = 0; k < 2; k++) CHECK(pthread_join(thread[k], NULL) == 0);
    CHECK(both[0].digest == alone.digest && both[1].digest == alone.digest);
    fmu_close(&f);
}

TESTS_BETWEEN(make_folder, remove_folder)
