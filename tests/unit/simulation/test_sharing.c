/* Whether threads share steps: the decision, that it is made once, and that no bit depends on it.
 */
#include "problem_run.h"

#include "simulation/simulation.h"

static const sari_sharing_case GOOD = {
    .bodies = 1024, .threads = 4, .cores = 8, .running = 1, .alone = 1e-3, .shared = 4e-4};

static int pays(sari_sharing_case c)
{
    return sari_sharing_pays(&c);
}

TEST(faster_steps_are_shared)
{
    sari_sharing_case c = GOOD;
    assert_int_equal(pays(c), 1);
    c.shared = 0.98e-3; // a gain that may be chance
    assert_int_equal(pays(c), 0);
    c.shared = 0.96e-3;
    assert_int_equal(pays(c), 1);
    c.shared = 5e-3;
    assert_int_equal(pays(c), 0);
}

TEST(small_models_and_busy_machines_are_not_tried)
{
    sari_sharing_case c = GOOD;
    c.alone = c.shared = NAN;
    assert_int_equal(pays(c), 1);
    c.bodies = 511; // 128 each are wanted
    assert_int_equal(pays(c), 0);
    c = GOOD, c.running = 5; // four cores are free, one of them ours
    assert_int_equal(pays(c), 1);
    c.running = 6;
    assert_int_equal(pays(c), 0);
    c = GOOD, c.running = 0; // not known
    assert_int_equal(pays(c), 1);
    c = GOOD, c.threads = 1;
    assert_int_equal(pays(c), 0);
    c = GOOD, c.cores = 3;
    assert_int_equal(pays(c), 0);
}

TEST(threads_grow_with_bodies)
{
    assert_int_equal(sari_sharing_threads(10, 8), 1);
    assert_int_equal(sari_sharing_threads(255, 8), 1);
    assert_int_equal(sari_sharing_threads(256, 8), 2);
    assert_int_equal(sari_sharing_threads(5000, 8), 8);
}

static void start_chain(problem_run* run, const char* options)
{
    problem_start(run, PROBLEM("chain"), "n=260", options);
}

TEST(the_trial_ends_and_changes_no_bit)
{
    problem_run tried, alone;
    start_chain(&tried, "preset=DCA step=0.01 end=1 threads=2");
    start_chain(&alone, "preset=DCA step=0.01 end=1 threads=1");
    sar_simulation *s = tried.simulation, *one = alone.simulation;
    assert_int_equal(s->sharing.situation.threads, 2);
    assert_int_equal(one->sharing.trial, 0);
    s->sharing.trial = 2 * SARI_SHARING_TRIAL; // whatever else the machine does
    const int steps = IN_FULL_OR_SAMPLE(2 * SARI_SHARING_TRIAL + 2, 2 * SARI_SHARING_TRIAL + 1);
    for (int k = 0; k < steps; k++) {
        assert_int_equal(s->sharing.trial > 0, k < 2 * SARI_SHARING_TRIAL);
        if (s->sharing.trial > 0)
            assert_int_equal(s->sharing.shared, s->sharing.trial <= SARI_SHARING_TRIAL);
        CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
        CHECK_STATUS(sar_simulation_advance(one), SAR_OK);
        CHECK(memcmp(s->state.q, one->state.q, sizeof(double) * (size_t)one->state.np) == 0);
        CHECK(memcmp(s->state.v, one->state.v, sizeof(double) * (size_t)one->state.n) == 0);
    }
    CHECK(s->sharing.situation.alone > 0.0 && s->sharing.situation.shared > 0.0);
    assert_int_equal(s->sharing.shared, sari_sharing_pays(&s->sharing.situation));
    const double begun = s->sharing.begun;
    CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    CHECK(s->sharing.begun == begun); // nothing is timed any more
    problem_free(&tried);
    problem_free(&alone);
}
