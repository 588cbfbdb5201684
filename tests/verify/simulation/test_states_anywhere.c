/* States saved at random steps of the problems, the examples and the models of the tests, with every preset: what
 * goes on from them, a new simulation and one that had gone on, has the bits of the run without a break, also
 * within the last step before the block.
 *
 *     test_states_anywhere [MODEL ...]     all presets and many blocks with these; by default a part of both */
#include "sar_test.h"

#include "math/random.h"
#include "sarrus/load.h"
#include "sarrus/methods.h"
#include "sarrus/simulation.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 400, AFTER = 25, MOST_BLOCKS = 8, OUTPUTS = 256 };
static int blocks_of_run = 3, shortened = 1;
static double longest = 0.4; ///< [s] of a run that is saved
static char** models;
static int models_count;
static long runs, resumed;

typedef struct saved {
    int step;
    double begin;    ///< of that step,
    uint64_t within; ///< and what is seen within it
    char* block;
    size_t length;
} saved;

typedef struct course {
    uint64_t seen[STEPS + 1]; ///< after every step
    int steps;
    saved at[MOST_BLOCKS];
    int blocks;
} course;

static uint64_t mix(uint64_t digest, const void* bytes, size_t count)
{
    const unsigned char* at = bytes;
    for (size_t k = 0; k < count; k++) digest = (digest ^ at[k]) * 1099511628211ULL;
    return digest;
}

/* All that can be seen, bit by bit; but for times of computation. */
static uint64_t look(const sar_model* model, sar_simulation* s, sar_status st)
{
    double x[OUTPUTS] = {0}, t = sar_simulation_time(s);
    uint64_t digest = mix(mix(0, &st, sizeof st), &t, sizeof t);
    if (sar_model_outputs(model) <= OUTPUTS) sar_simulation_outputs(s, x);
    digest = mix(digest, x, sizeof x);
    for (int b = 1; b < sar_model_bodies(model); b++) {
        double p[7], v[6];
        sar_simulation_pose(s, (sar_body_id){b}, p, p + 3);
        sar_simulation_velocity(s, (sar_body_id){b}, v, v + 3);
        digest = mix(mix(digest, p, sizeof p), v, sizeof v);
    }
    for (int j = 0; j < sar_model_joints(model) && j < 3; j++) {
        double f[6] = {0};
        sar_simulation_reaction(s, (sar_joint_id){j}, f, f + 3);
        digest = mix(digest, f, sizeof f);
    }
    const sar_energy e = sar_simulation_energy(s);
    const sar_statistics z = sar_simulation_statistics(s);
    const double numbers[] = {e.kinetic,           e.potential,  e.work,
                              z.energy_max_drift,  z.correction, z.step_shortest,
                              z.violation.position};
    const long counts[] = {z.steps,          z.rejected,       z.iterations, z.singular_passes,
                           z.branch_changes, z.implicit_steps, z.crossings};
    return mix(mix(digest, numbers, sizeof numbers), counts, sizeof counts);
}

static uint64_t look_within(const sar_model* model, sar_simulation* s, double begin)
{
    double x[OUTPUTS] = {0};
    const double t = begin + 0.3 * (sar_simulation_time(s) - begin);
    if (sar_model_outputs(model) > OUTPUTS) return 0;
    const sar_status st = sar_simulation_outputs_at(s, t, x);
    return mix(mix(0, &st, sizeof st), x, sizeof x);
}

static void save(sar_simulation* s, saved* at)
{
    sar_error error = {0};
    assert_int_equal(sar_simulation_save(s, NULL, 0, &at->length, &error), SAR_OK);
    at->block = malloc(at->length);
    assert_int_equal(sar_simulation_save(s, at->block, at->length, &at->length, &error), SAR_OK);
}

/* A run with blocks here and there. Its integrator may interpolate with what a block does not hold: IDA's. */
static void run(const sar_model* model, sar_simulation* s, int within, uint64_t* random, course* c)
{
    const clock_t began = clock();
    sar_status st = SAR_OK;
    for (c->steps = 0; c->steps < STEPS && st == SAR_OK && !sar_simulation_done(s);) {
        const double t = sar_simulation_time(s);
        st = sar_simulation_advance(s);
        c->seen[++c->steps] = look(model, s, st);
        if ((double)(clock() - began) > longest * CLOCKS_PER_SEC) break;
        const double part = blocks_of_run / (c->steps < 20 ? 20.0 : 100.0);
        if (st != SAR_OK || c->blocks == blocks_of_run || fabs(sari_random(random)) > part)
            continue;
        saved* at = &c->at[c->blocks++];
        at->step = c->steps;
        at->begin = t;
        save(s, at);
        at->within = within ? look_within(model, s, t) : 0;
    }
}

/* `last`: a step before something that those who go on do not do. */
static void go_on(const sar_model* model, sar_simulation* s, int within, int last, const course* c,
                  const saved* at, const char* what)
{
    if (within && look_within(model, s, at->begin) != at->within)
        fail_msg("%s: other bits within step %d, before the block", what, at->step);
    for (int k = at->step + 1; k <= last && k <= at->step + AFTER; k++) {
        const sar_status st = sar_simulation_advance(s);
        if (look(model, s, st) != c->seen[k])
            fail_msg("%s: other bits in step %d, after a block at step %d", what, k, at->step);
    }
    resumed++;
}

static void check(const sar_model* model, const sar_options* given, uint64_t* random,
                  const char* what)
{
    sar_options chosen = *given;
    const sar_options* o = &chosen;
    if (sar_options_choose(&chosen, model, NULL, 0, NULL) != SAR_OK) return;

    sar_simulation *s = NULL, *again = NULL;
    sar_error error = {0};
    course c = {0};
    const int ida = strstr(o->integrator, "ida") != NULL;
    // they start afresh where a state is saved
    const int restarts =
        ida || strcmp(o->integrator, "dopri5") == 0 || strcmp(o->integrator, "bdf") == 0;
    const int within = !ida; // IDA's history is not in a block;
    if (sar_simulation_create(model, o, &s, NULL) != SAR_OK) return;
    if (sar_simulation_assemble(s, NULL) == SAR_OK) {
        run(model, s, within, random, &c);
        runs++;
    }
    for (int k = c.blocks - 1; k >= 0; k--) {
        char where[512];
        const saved* at = &c.at[k];
        const int last = restarts && k + 1 < c.blocks ? at[1].step : c.steps;
        if (sar_simulation_load(model, o, at->block, at->length, &again, &error) != SAR_OK)
            fail_msg("%s: %s", what, error.message);
        snprintf(where, sizeof where, "%s, loaded", what);
        go_on(model, again, within, last, &c, at, where);
        if (sar_simulation_restore(s, at->block, at->length, &error) != SAR_OK)
            fail_msg("%s: %s", what, error.message);
        snprintf(where, sizeof where, "%s, restored", what);
        go_on(model, s, within, last, &c, at, where);
        sar_simulation_destroy(again);
    }
    for (int k = 0; k < c.blocks; k++) free(c.at[k].block);
    sar_simulation_destroy(s);
}

/* Now and then in other coordinates, and with steps that are so long that all of the run is seen. */
static void vary(sar_options* o, uint64_t* random)
{
    const sar_options before = *o;
    const int members = sar_axis_members(SAR_AXIS_COORDINATES);
    const int which = (int)(fabs(sari_random(random)) * 2 * members);
    if (which < members)
        sar_options_set(o, "coordinates", sar_axis_member(SAR_AXIS_COORDINATES, which).name, NULL);
    if (sar_options_check(o, NULL) != SAR_OK) *o = before;
    if (sari_random(random) > 0.0) o->step = fmax(o->step, (o->end - o->start) / STEPS);
}

static void check_model(const char* path, uint64_t* random)
{
    sar_model* model = NULL;
    sar_options own = sar_options_default();
    char *messages = NULL, what[512];
    const sar_status st = sar_model_load(path, NULL, 0, &model, &own, &messages);
    sar_text_free(messages);
    if (st != SAR_OK) return; // it is there to be refused
    const char* name = strlen(path) > 40 ? path + strlen(path) - 40 : path;
    snprintf(what, sizeof what, "...%s", name);
    check(model, &own, random, what);
    for (int k = 0; k < sar_presets(); k++) {
        sar_options o = own;
        if (shortened && fabs(sari_random(random)) > 0.25) continue;
        if (sar_options_set(&o, "preset", sar_preset_at(k).name, NULL) != SAR_OK) continue;
        vary(&o, random);
        snprintf(what, sizeof what, "...%s: %s, %s, step %g", name, sar_preset_at(k).name,
                 o.coordinates, o.step);
        if (getenv("VERBOSE")) fprintf(stderr, "%s\n", what);
        check(model, &o, random, what);
    }
    sar_model_destroy(model);
}

TEST(test_anywhere)
{
    const char* seed = getenv("SEED");
    uint64_t random = seed ? strtoull(seed, NULL, 10) : 1;
    for (int k = 0; k < models_count; k++) check_model(models[k], &random);
    print_message("%ld runs, gone on from %ld times\n", runs, resumed);
    assert_true(runs > 0 && resumed > 0);
}

int main(int argc, char** argv)
{
    static const char* const patterns[] = {"problems/*/model.yaml", "examples/models/*.yaml",
                                           "tests/models/*.yaml"};
    glob_t found = {0};
    for (int k = 0; k < 3; k++) {
        char full[512];
        snprintf(full, sizeof full, "%s/%s", SARRUS_ROOT, patterns[k]);
        glob(full, k ? GLOB_APPEND : 0, NULL, &found);
    }
    models = argc > 1 ? argv + 1 : found.gl_pathv;
    models_count = argc > 1 ? argc - 1 : (int)found.gl_pathc;
    if (argc > 1) blocks_of_run = MOST_BLOCKS, shortened = 0, longest = 5.0;
    const int failed = sar_test_run();
    globfree(&found);
    return failed;
}
