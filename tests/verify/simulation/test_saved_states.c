/* States in blocks: a simulation that is loaded goes on with the bits of the one that was saved, with
 * every combination of methods; blocks that do not fit are refused. */
#include "problem_run.h"
#include "sar_test.h"

#include "base/archive.h"
#include "sarrus/load.h"
#include "sarrus/methods.h"
#include "sarrus/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 7, AFTER = 9, OUTPUTS = 64 };

static sar_model* load(const char* path)
{
    sar_model* model = NULL;
    char* messages = NULL;
    char full[512];
    snprintf(full, sizeof full, "%s/%s", SARRUS_ROOT, path);
    if (sar_model_load(full, NULL, 0, &model, NULL, &messages) != SAR_OK) fail_msg("%s", messages);
    sar_text_free(messages);
    return model;
}

static void* save(sar_simulation* s, size_t* length)
{
    sar_error error = {0};
    if (sar_simulation_save(s, NULL, 0, length, &error) != SAR_OK) fail_msg("%s", error.message);
    void* block = malloc(*length);
    assert_int_equal(sar_simulation_save(s, block, *length, length, &error), SAR_OK);
    return block;
}

/* Both simulations to the end of some steps, number by number. */
static void go_on_together(sar_simulation* a, sar_simulation* b, const char* what)
{
    for (int k = 0; k < AFTER && !sar_simulation_done(a); k++) {
        double x[OUTPUTS] = {0}, y[OUTPUTS] = {0}, of_a[6] = {0}, of_b[6] = {0};
        const sar_status st = sar_simulation_advance(a);
        if (sar_simulation_advance(b) != st) fail_msg("%s: step %d ends otherwise", what, k);
        sar_simulation_outputs(a, x);
        sar_simulation_outputs(b, y);
        sar_simulation_reaction(a, (sar_joint_id){0}, of_a, of_a + 3);
        sar_simulation_reaction(b, (sar_joint_id){0}, of_b, of_b + 3);
        const double t[2] = {sar_simulation_time(a), sar_simulation_time(b)};
        if (memcmp(x, y, sizeof x) != 0 || memcmp(&t[0], &t[1], sizeof t[0]) != 0 ||
            memcmp(of_a, of_b, sizeof of_a) != 0)
            fail_msg("%s: step %d has other bits", what, k);
        if (st < 0) return;
    }
    const sar_statistics p = sar_simulation_statistics(a), q = sar_simulation_statistics(b);
    if (p.iterations != q.iterations || p.steps != q.steps ||
        p.energy_max_drift != q.energy_max_drift)
        fail_msg("%s: other statistics", what);
}

/* 1: the method ran. */
static int walk(const sar_model* model, const sar_options* options, const char* what)
{
    sar_simulation *s = NULL, *again = NULL;
    sar_error error = {0};
    size_t length;
    if (sar_simulation_create(model, options, &s, NULL) != SAR_OK) return 0;
    if (sar_simulation_assemble(s, NULL) != SAR_OK) {
        sar_simulation_destroy(s);
        return 0;
    }
    for (int k = 0; k < BEFORE; k++) sar_simulation_advance(s);
    void* block = save(s, &length);
    if (sar_simulation_load(model, options, block, length, &again, &error) != SAR_OK)
        fail_msg("%s: %s", what, error.message);
    go_on_together(s, again, what);
    sar_simulation_destroy(s);
    sar_simulation_destroy(again);
    free(block);
    return 1;
}

TEST(test_every_method)
{
    static const char* const models[] = {"problems/slider-crank-1/model.yaml",
                                         "problems/four-bar/model.yaml",
                                         "tests/models/rolling-coin.yaml"};
    int ran = 0;
    for (int which = 0; which < 3; which++) {
        sar_model* model = load(models[which]);
        for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++)
            for (int f = 0; f < sar_axis_members(SAR_AXIS_FORMULATION); f++)
                for (int i = 0; i < sar_axis_members(SAR_AXIS_INTEGRATOR); i++) {
                    sar_options o = sar_options_default();
                    char what[256];
                    sar_options_set(&o, "coordinates",
                                    sar_axis_member(SAR_AXIS_COORDINATES, c).name, NULL);
                    sar_options_set(&o, "formulation",
                                    sar_axis_member(SAR_AXIS_FORMULATION, f).name, NULL);
                    sar_options_set(&o, "integrator", sar_axis_member(SAR_AXIS_INTEGRATOR, i).name,
                                    NULL);
                    o.step = 1e-2;
                    if (sar_options_check(&o, NULL) != SAR_OK) continue;
                    snprintf(what, sizeof what, "%s: %s, %s, %s", models[which], o.coordinates,
                             o.formulation, o.integrator);
                    ran += walk(model, &o, what);
                }
        sar_model_destroy(model);
    }
    assert_true(ran > 150);
}

/* The automatic method, phases, friction by reactions, states of forces, solvers of their own. */
TEST(test_other_memories)
{
    static const struct {
        const char *model, *name, *value;
    } cases[] = {{"problems/bricard/model.yaml", "preset", "auto"},
                 {"problems/iltis-suspension/model.yaml", "preset", "auto"},
                 {"problems/flyball-governor/model.yaml", "preset", "auto"},
                 {"problems/n-four-bar/model.yaml", "solver", "sparse"},
                 {"problems/chain/model.yaml", "solver", "dca"},
                 {"tests/models/friction-reaction.yaml", "step", "1e-3"},
                 {"tests/models/integral.yaml", "step", "1e-3"},
                 {"tests/models/gear-train.yaml", "step", "1e-3"},
                 {"tests/models/universal-springs.yaml", "preset", "auto"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sar_model* model = load(cases[k].model);
        sar_options o = sar_options_default();
        sar_options_set(&o, cases[k].name, cases[k].value, NULL);
        if (strcmp(cases[k].value, "dca") == 0)
            sar_options_set(&o, "coordinates", "cartesian", NULL);
        assert_true(walk(model, &o, cases[k].model));
        sar_model_destroy(model);
    }
}

TEST(test_before_the_start_and_at_the_end)
{
    sar_model* model = load("tests/models/integral.yaml");
    sar_options o = sar_options_default();
    o.end = 0.1;
    sar_simulation *s, *again;
    size_t length;
    sar_simulation_create(model, &o, &s, NULL);
    void* block = save(s, &length);
    assert_int_equal(sar_simulation_load(model, &o, block, length, &again, NULL), SAR_OK);
    free(block);
    sar_simulation_assemble(s, NULL);
    sar_simulation_assemble(again, NULL);
    while (!sar_simulation_done(s)) sar_simulation_advance(s), sar_simulation_advance(again);
    double x[OUTPUTS], y[OUTPUTS];
    sar_simulation_outputs(s, x), sar_simulation_outputs(again, y);
    assert_memory_equal(x, y, sizeof(double) * (size_t)sar_model_outputs(model));
    sar_simulation_destroy(again);
    block = save(s, &length);
    assert_int_equal(sar_simulation_load(model, &o, block, length, &again, NULL), SAR_OK);
    assert_true(sar_simulation_done(again));
    sar_simulation_destroy(again), sar_simulation_destroy(s), sar_model_destroy(model);
    free(block);
}

/* Passes that were listed before the block was made, named or not, and those after it. A block has what
 * is used of the lists, not all the room for them. */
TEST(test_lists_of_passes)
{
    sar_model* model = load("problems/slider-crank-1/model.yaml");
    sar_options o = sar_options_default();
    sar_simulation *s, *again;
    size_t length;
    const sar_event *listed, *loaded;
    o.end = 10.0;
    sar_simulation_create(model, &o, &s, NULL);
    sar_simulation_assemble(s, NULL);
    while (sar_simulation_time(s) < 5.0) sar_simulation_advance(s);
    void* block = save(s, &length);
    assert_true(length < 4096 * sizeof(sar_event));
    assert_int_equal(sar_simulation_load(model, &o, block, length, &again, NULL), SAR_OK);
    free(block);
    const int before = sar_simulation_singular_passes(s, &listed);
    assert_true(before > 2);
    while (!sar_simulation_done(s)) sar_simulation_advance(s), sar_simulation_advance(again);
    const int count = sar_simulation_singular_passes(s, &listed);
    assert_true(count > before);
    assert_int_equal(sar_simulation_singular_passes(again, &loaded), count);
    for (int k = 0; k < count; k++) {
        assert_memory_equal(&listed[k].t, &loaded[k].t, sizeof(double));
        assert_int_equal(listed[k].rank, loaded[k].rank);
        assert_string_equal(listed[k].joints, loaded[k].joints);
    }
    sar_simulation_destroy(again), sar_simulation_destroy(s), sar_model_destroy(model);
}

static uint64_t random_of(uint64_t* x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

/* Blocks with bytes that were changed, cut off or added: refused. With a digest that fits, as of a block that
 * somebody made, nothing is read or written outside of the simulation, whatever becomes of the run. */
TEST(test_mutations)
{
    enum { MUTATIONS = 3000, DIGEST = 24, DIGESTED = 32 };
    static const char* const models[] = {"problems/bricard/model.yaml",
                                         "examples/models/bouncing-ball.yaml",
                                         "tests/models/friction-reaction.yaml"};
    uint64_t x = 88172645463325252ULL;
    for (int which = 0; which < 3; which++) {
        sar_model* model = load(models[which]);
        sar_options o = sar_options_default();
        sar_options_set(&o, "preset", which ? "auto" : "ALi3p", NULL);
        sar_simulation* s;
        sar_error error;
        size_t length;
        assert_int_equal(sar_simulation_create(model, &o, &s, NULL), SAR_OK);
        assert_int_equal(sar_simulation_assemble(s, NULL), SAR_OK);
        for (int k = 0; k < 20; k++) sar_simulation_advance(s);
        unsigned char *block = save(s, &length), *bad = malloc(length + 8);
        for (int k = 0; k < MUTATIONS; k++) {
            size_t changed = length;
            memcpy(bad, block, length);
            if (k % 8 == 0) changed = random_of(&x) % (length + 8);
            for (int i = k % 3; i >= 0 && changed == length; i--)
                bad[random_of(&x) % length] ^= (unsigned char)(1 + random_of(&x) % 255);
            if (memcmp(bad, block, length) == 0 && changed == length) continue;
            assert_int_equal(sar_simulation_restore(s, bad, changed, &error), SAR_E_ARG);
            assert_true(error.message[0]);
            if (k % 4 || changed < DIGESTED) continue; // and now one that fits
            memcpy(bad, block, DIGESTED + 16);
            const uint64_t digest = sari_archive_digest(0, bad + DIGESTED, length - DIGESTED);
            for (int i = 0; i < 8; i++) bad[DIGEST + i] = (unsigned char)(digest >> 8 * i);
            (void)sar_simulation_restore(s, bad, length, &error);
        }
        assert_int_equal(sar_simulation_restore(s, block, length, &error), SAR_OK);
        sar_simulation_destroy(s), sar_model_destroy(model);
        free(block), free(bad);
    }
}

/* Back to a state costs no memory. */
static long allocated;

static void* count(void* context, size_t bytes)
{
    (void)context;
    allocated++;
    return calloc(1, bytes);
}

static void give_back(void* context, void* memory)
{
    (void)context;
    free(memory);
}

TEST(test_nothing_is_allocated)
{
    static const char* const presets[] = {"auto", "ALi3p", "LMD"};
    const sar_allocator counting = {count, give_back, NULL};
    sar_set_allocator(&counting);
    sar_model* model = load("problems/andrews/model.yaml");
    for (int k = 0; k < 3; k++) {
        sar_options o = sar_options_default();
        sar_options_set(&o, "preset", presets[k], NULL);
        sar_simulation* s;
        size_t length;
        assert_int_equal(sar_simulation_create(model, &o, &s, NULL), SAR_OK);
        assert_int_equal(sar_simulation_assemble(s, NULL), SAR_OK);
        for (int i = 0; i < 10; i++) sar_simulation_advance(s);
        const long before = allocated;
        void* block = save(s, &length);
        for (int i = 0; i < 5; i++) sar_simulation_advance(s);
        assert_int_equal(sar_simulation_restore(s, block, length, NULL), SAR_OK);
        assert_int_equal(allocated, before);
        free(block);
        sar_simulation_destroy(s);
    }
    sar_model_destroy(model);
    sar_set_allocator(NULL);
}

TEST(test_refusals)
{
    sar_model *model = load("problems/four-bar/model.yaml"), *other = NULL;
    const sar_setting heavier = {"m", "1.0000001"};
    char* messages = NULL;
    sar_model_load(SARRUS_ROOT "/problems/four-bar/model.yaml", &heavier, 1, &other, NULL,
                   &messages);
    sar_text_free(messages);
    sar_options o = sar_options_default(), p = o;
    p.step = 2e-3;
    sar_simulation *s, *again;
    sar_error error;
    size_t length;
    sar_simulation_create(model, &o, &s, NULL);
    sar_simulation_assemble(s, NULL);
    for (int k = 0; k < 5; k++) sar_simulation_advance(s);
    char* block = save(s, &length);
    assert_int_equal(sar_simulation_save(s, block, length - 1, &length, NULL), SAR_E_ARG);
    assert_int_equal(sar_simulation_load(other, &o, block, length, &again, &error), SAR_E_ARG);
    assert_non_null(strstr(error.message, "another model"));
    assert_int_equal(sar_simulation_load(model, &p, block, length, &again, &error), SAR_E_ARG);
    assert_non_null(strstr(error.message, "options"));
    for (size_t short_of = 0; short_of < length; short_of += length / 7 + 1)
        assert_int_equal(sar_simulation_load(model, &o, block, short_of, &again, NULL), SAR_E_ARG);
    for (size_t at = 0; at < length; at += length / 41 + 1) { // any byte
        block[at] ^= 4;
        assert_int_equal(sar_simulation_load(model, &o, block, length, &again, &error), SAR_E_ARG);
        assert_null(again);
        block[at] ^= 4;
    }
    assert_int_equal(sar_simulation_load(model, &o, block, length, &again, NULL), SAR_OK);
    sar_simulation_destroy(again), sar_simulation_destroy(s);
    sar_model_destroy(model), sar_model_destroy(other);
    free(block);
}
