/* Instances of a batch have the bits of those that run alone: states, multipliers, statistics, events,
 * at any number of threads. */
#include "problem_run.h"
#include "sarrus/batch.h"
#include "simulation/simulation.h"

#include <string.h>

enum { MOST = 17 };

/// A family of instances: a model and what varies in it.
typedef struct family {
    const char* model;
    const char* options;
    const char* vary; ///< "name from to name from to ..."
} family;

typedef struct instances {
    int count;
    sar_model* model[MOST];
    sar_simulation* simulation[MOST];
} instances;

static sar_simulation* make(const family* f, int k, sar_model** model)
{
    sar_setting settings[4];
    char text[4][32], name[4][32], copy[256];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", f->vary);
    for (char* word = strtok(copy, " "); word; word = strtok(NULL, " "), count++) {
        snprintf(name[count], sizeof name[count], "%s", word);
        const double from = strtod(strtok(NULL, " "), NULL), to = strtod(strtok(NULL, " "), NULL);
        snprintf(text[count], sizeof text[count], "%.17g", from + (to - from) * (k + 1) / 16.5);
        settings[count] = (sar_setting){name[count], text[count]};
    }
    sar_options options = sar_options_default();
    sar_error error = {0};
    sar_simulation* s = NULL;
    char* messages = NULL;
    if (sar_model_load(f->model, settings, count, model, &options, &messages) != SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    each_setting(f->options, use_option, &options);
    if (sar_simulation_create(*model, &options, &s, &error) != SAR_OK)
        fail_msg("%s", error.message);
    if (sar_simulation_assemble(s, NULL) != SAR_OK) fail_msg("%s", sar_simulation_failure(s));
    return s;
}

static instances make_all(const family* f, int count)
{
    instances all = {.count = count};
    for (int k = 0; k < count; k++) all.simulation[k] = make(f, k, &all.model[k]);
    return all;
}

static void clear(instances* all)
{
    for (int k = 0; k < all->count; k++) {
        sar_simulation_destroy(all->simulation[k]);
        sar_model_destroy(all->model[k]);
    }
}

static void assert_same(const void* a, const void* b, size_t size, const char* what, int k)
{
    if (memcmp(a, b, size) == 0) return;
    const double *x = a, *y = b;
    size_t i = 0;
    while (i + 1 < size / sizeof *x && memcmp(x + i, y + i, sizeof *x) == 0) i++;
    fail_msg("instance %d: %s differs, number %zu: %.17g together, %.17g alone", k, what, i, x[i],
             y[i]);
}

static void assert_same_events(const sar_simulation* a, const sar_simulation* b, int k)
{
    const sar_event *x, *y;
    assert_int_equal(sar_simulation_singular_passes(a, &x), sar_simulation_singular_passes(b, &y));
    for (int i = 0; i < sar_simulation_singular_passes(a, &x); i++) {
        sar_simulation_singular_passes(b, &y);
        assert_same(&x[i].t, &y[i].t, sizeof x[i].t, "time of a pass", k);
        assert_int_equal(x[i].rank, y[i].rank);
    }
    assert_int_equal(sar_simulation_branch_changes(a, &x), sar_simulation_branch_changes(b, &y));
}

/* All numbers of a simulation after its last step. */
static void assert_equal(sar_simulation* a, sar_simulation* b, int k)
{
    const size_t n = (size_t)a->system->nq * sizeof(double);
    const size_t m = (size_t)a->system->nc * sizeof(double);
    const sar_statistics x = sar_simulation_statistics(a), y = sar_simulation_statistics(b);
    double one[MOST_OUTPUTS], other[MOST_OUTPUTS];
    assert_same(&a->state.t, &b->state.t, sizeof a->state.t, "t", k);
    assert_same(a->state.q, b->state.q, n, "q", k);
    assert_same(a->state.v, b->state.v, n, "v", k);
    assert_same(a->state.a, b->state.a, n, "a", k);
    assert_same(a->state.lambda, b->state.lambda, m, "lambda", k);
    assert_same(a->previous.q, b->previous.q, n, "q before", k);
    assert_same(&a->energy, &b->energy, sizeof a->energy, "energy", k);
    assert_same(&a->violation, &b->violation, sizeof a->violation, "violation", k);
    assert_int_equal(x.steps, y.steps);
    assert_int_equal(x.iterations, y.iterations);
    assert_same(&x, &y, sizeof x, "statistics", k);
    assert_int_equal(sar_simulation_outputs(a, one), sar_simulation_outputs(b, other));
    assert_same(one, other, (size_t)a->model->outputs_count * sizeof *one, "outputs", k);
    assert_same_events(a, b, k);
}

/* With `count` instances, in `parts` runs of the batch. */
static void check_family(const family* f, int count, int parts, int threads)
{
    instances together = make_all(f, count), alone = make_all(f, count);
    sar_batch* batch;
    assert_int_equal(sar_batch_create(together.simulation, count, threads, &batch, NULL), SAR_OK);
    for (int k = 1; k <= parts; k++) {
        const sar_options* o = &together.simulation[0]->options;
        const double t = k < parts ? o->start + (o->end - o->start) * k / parts : INFINITY;
        assert_int_equal(sar_batch_run(batch, t), SAR_OK);
        for (int i = 0; i < count; i++) {
            const sar_sampling none = {0};
            sar_run run = sar_run_begin(alone.simulation[i], &none);
            while (run.t < t - 1e-9 * o->step && sar_run_step(&run)) {
            }
            assert_int_equal(sar_batch_at(batch, i)->status, run.status);
            assert_string_equal(sar_simulation_failure(together.simulation[i]),
                                sar_simulation_failure(alone.simulation[i]));
            assert_equal(together.simulation[i], alone.simulation[i], i);
        }
    }
    assert_true(sar_batch_steps(batch) >= count);
    sar_batch_destroy(batch);
    clear(&together);
    clear(&alone);
}

static const family slider_crank = {PROBLEM("slider-crank-1"), "end=0.25", "m1 0.5 3 m2 0.5 3"};

static const family families[] = {
    {PROBLEM("slider-crank-1"), "end=1 step=2e-2", "L2 1.01 1.5 theta0 0.3 0.9"},
    {PROBLEM("n-four-bar"), "end=1.5 step=1e-2", "n 3 3 L 0.5 2 lean 0 0.3"},
    {PROBLEM("bricard"), "end=0.2", "m 0.5 3"},
    {PROBLEM("pendulum"), "end=0.5 integrator=newmark beta=0.3 gamma=0.6", "m 0.5 3"},
    {PROBLEM("slider-crank-2"), "end=0.1", "m1 0.5 3"},
};

TEST(test_problems)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        check_family(&families[k], 10, 2, 1);
}

TEST(test_threads)
{
    for (int threads = 2; threads <= 5; threads++) check_family(&slider_crank, MOST, 2, threads);
}

/* The start is met by 1e-16, which is more than these options let pass sooner or later. */
TEST(test_failures)
{
    const family strict = {PROBLEM("slider-crank-1"), "end=0.5 violation=3e-16", "m1 0.5 3"};
    check_family(&strict, 9, 1, 1);
    sar_model* model;
    sar_simulation* s = make(&strict, 0, &model);
    const sar_sampling none = {0};
    sar_run run = sar_run_begin(s, &none);
    while (sar_run_step(&run)) {
    }
    assert_int_equal(run.status, SAR_R_VIOLATED);
    sar_simulation_destroy(s);
    sar_model_destroy(model);
}

/* Several models. */
TEST(test_mixed)
{
    const family* of[] = {&families[0], &families[1], &families[3], &families[4]};
    sar_model *model[12], *other[12];
    sar_simulation *together[12], *alone[12];
    sar_batch* batch;
    for (int k = 0; k < 12; k++) {
        together[k] = make(of[k % 4], k, &model[k]);
        alone[k] = make(of[k % 4], k, &other[k]);
    }
    assert_int_equal(sar_batch_create(together, 12, 1, &batch, NULL), SAR_OK);
    sar_batch_run(batch, 0.1);
    for (int k = 0; k < 12; k++) {
        const sar_sampling none = {0};
        sar_run run = sar_run_begin(alone[k], &none);
        while (run.t < 0.1 - 1e-9 * alone[k]->options.step && sar_run_step(&run)) {
        }
        assert_equal(together[k], alone[k], k);
    }
    sar_batch_destroy(batch);
    for (int k = 0; k < 12; k++) {
        sar_simulation_destroy(together[k]);
        sar_simulation_destroy(alone[k]);
        sar_model_destroy(model[k]);
        sar_model_destroy(other[k]);
    }
}
