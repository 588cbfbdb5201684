/* Nothing depends on size or place: a model in other units runs through the same bits, and one that
 * is drawn elsewhere through the same motion. The copies come from sari_model_in_units and are run
 * as models of their own; their outputs are expressions that convert back. */
#include "model/units.h"
#include "problem_run.h"

#include <dirent.h>

enum { STEPS = IN_FULL_OR_SAMPLE(40, 10) };

typedef struct trial {
    sar_status created, status;
    sar_simulation* simulation;
    double values[MOST_OUTPUTS];
} trial;

/* Some steps of a model. Steps that fail are results too. */
static trial run(const sar_model* model, const sar_options* options, sar_error* error)
{
    trial t = {0};
    t.created = sar_simulation_create(model, options, &t.simulation, error);
    if (t.created != SAR_OK) return t;
    t.status = sar_simulation_assemble(t.simulation, NULL);
    for (int k = 0; k < STEPS && t.status == SAR_OK && !sar_simulation_done(t.simulation); k++)
        t.status = sar_simulation_advance(t.simulation);
    if (t.status >= 0) sar_simulation_outputs(t.simulation, t.values);
    return t;
}

static sari_units units_at(const sar_model* model, double length, double mass, double x, double y)
{
    sari_units u = {.length = length, .mass = mass, .origin = {x, y, 0.0}};
    for (int b = 1; b < model->bodies_count; b++)
        u.level -= model->bodies[b].def.mass * (model->gravity[0] * x + model->gravity[1] * y);
    return u;
}

/* What is seen of both, in the units of the first. */
static void check_observations(const trial* a, const trial* b, const sar_model* model,
                               const sari_units* u, double tolerance)
{
    const sar_energy ea = sar_simulation_energy(a->simulation);
    const sar_energy eb = sar_simulation_energy(b->simulation);
    const double unit = sari_unit_of_energy(u), size = 1.0 + fabs(ea.kinetic) + fabs(ea.potential);
    CHECK_NEAR(unit * eb.kinetic, ea.kinetic, tolerance * size);
    CHECK_NEAR(unit * eb.potential + u->level, ea.potential,
               tolerance * (size + fabs(u->level)) + 1e-15 * fabs(u->level));
    CHECK_NEAR(unit * eb.work, ea.work, tolerance * size);
    for (int body = 1; body < model->bodies_count; body++) {
        double pa[3], pb[3], qa[4], qb[4], va[3], vb[3], wa[3], wb[3];
        sar_simulation_pose(a->simulation, (sar_body_id){body}, pa, qa);
        sar_simulation_pose(b->simulation, (sar_body_id){body}, pb, qb);
        sar_simulation_velocity(a->simulation, (sar_body_id){body}, va, wa);
        sar_simulation_velocity(b->simulation, (sar_body_id){body}, vb, wb);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(u->length * pb[k] + u->origin[k], pa[k],
                       tolerance * (1.0 + fabs(pa[k])) + 1e-15 * fabs(u->origin[k]));
            CHECK_NEAR(u->length * vb[k], va[k], tolerance * (1.0 + fabs(va[k])));
            CHECK_NEAR(wb[k], wa[k], tolerance * (1.0 + fabs(wa[k])));
        }
    }
}

static void check_reactions(const trial* a, const trial* b, const sar_model* model,
                            const sari_units* u)
{
    for (int j = 0; j < model->joints_count; j++) {
        double fa[3], fb[3], ta[3], tb[3];
        if (model->joints[j].relation || model->joints[j].phased) continue;
        CHECK_STATUS(sar_simulation_reaction(a->simulation, (sar_joint_id){j}, fa, ta), SAR_OK);
        CHECK_STATUS(sar_simulation_reaction(b->simulation, (sar_joint_id){j}, fb, tb), SAR_OK);
        for (int k = 0; k < 3; k++) {
            CHECK(sari_unit_of_force(u) * fb[k] == fa[k]);
            CHECK(sari_unit_of_energy(u) * tb[k] == ta[k]);
        }
    }
}

/* One model in one type of coordinates, in units that are powers of two: the same bits. */
static void check_bits(const sar_model* model, const sar_options* options, const char* what)
{
    const sari_units u = {.length = ldexp(1.0, -9), .mass = ldexp(1.0, 13)};
    sar_model* copy = sari_model_in_units(model, &u);
    sar_error error = {0};
    CHECK(copy != NULL);
    trial a = run(model, options, &error), b = run(copy, options, &error);
    if (a.created != b.created || a.status != b.status)
        fail_msg("%s: status %d and %d", what, a.status, b.status);
    if (a.created == SAR_OK && a.status >= 0) {
        for (int k = 0; k < sar_model_outputs(model); k++)
            if (memcmp(&a.values[k], &b.values[k], sizeof(double)) != 0)
                fail_msg("%s: output %s is %.17g and %.17g", what, sar_model_output_name(model, k),
                         a.values[k], b.values[k]);
        check_observations(&a, &b, model, &u, 0.0);
        check_reactions(&a, &b, model, &u);
    }
    sar_simulation_destroy(a.simulation);
    sar_simulation_destroy(b.simulation);
    sari_model_in_units_destroy(copy);
}

/* The same drawn 1000 m away: the same but for rounding of places there, which grows in the run. */
static void check_place(const sar_model* model, const sar_options* options, const char* what)
{
    const sari_units u = units_at(model, 1.0, 1.0, -1000.0, 300.0);
    sar_model* copy = sari_model_in_units(model, &u);
    sar_error error = {0};
    CHECK(copy != NULL);
    trial a = run(model, options, &error), b = run(copy, options, &error);
    if (a.created != b.created || a.status != b.status)
        fail_msg("%s: status %d and %d", what, a.status, b.status);
    for (int k = 0; a.created == SAR_OK && a.status >= 0 && k < sar_model_outputs(model); k++) {
        const double off = fabs(a.values[k] - b.values[k]);
        if (!(off <= 1e-6 * (1.0 + fabs(a.values[k]))))
            fail_msg("%s: output %s is %.12g and %.12g", what, sar_model_output_name(model, k),
                     a.values[k], b.values[k]);
    }
    sar_simulation_destroy(a.simulation);
    sar_simulation_destroy(b.simulation);
    sari_model_in_units_destroy(copy);
}

static int models; ///< so many before this one: in a sample, types of coordinates take turns

typedef void (*check)(const sar_model* model, const sar_options* options, const char* what);

static void check_model(const char* path, check one)
{
    problem_run run = {0};
    problem_load(&run, path, "");
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
        char what[256];
        if (IN_FULL_OR_SAMPLE(0, (models % sar_axis_members(SAR_AXIS_COORDINATES)) != c)) continue;
        sar_options options = run.options;
        snprintf(what, sizeof what, "%s, %s", path, axis_member(SAR_AXIS_COORDINATES, c));
        CHECK_STATUS(
            sar_options_set(&options, "coordinates", axis_member(SAR_AXIS_COORDINATES, c), NULL),
            SAR_OK);
        one(run.model, &options, what);
    }
    problem_free(&run);
    models++;
}

/* Every model of the tests: together they have every joint, force and signal. */
static void check_all(check one)
{
    const char* folder = SARRUS_ROOT "/tests/models";
    DIR* dir = opendir(folder);
    CHECK(dir != NULL);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(dir));) {
        char path[512];
        const size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_model(path, one);
        count++;
    }
    closedir(dir);
    CHECK(count > 30);
    check_model(PROBLEM("iltis-suspension"), one);
    check_model(PROBLEM("andrews"), one);
    check_model(PROBLEM("rolling-disc"), one);
    check_model(PROBLEM("slider-crank-1"), one);
}

TEST(other_units_run_through_the_same_bits)
{
    check_all(check_bits);
}

TEST(elsewhere_it_moves_the_same_way)
{
    check_all(check_place);
}

/* The mechanism of paper size and one of a millimetre or a kilometre, drawn with decimal numbers:
 * as many singular passages at the same times, the same relative drift of energy. */
TEST(size_does_not_change_what_is_seen)
{
    const char* sizes[] = {"L1=1 L2=1 g=9.81", "L1=1e-3 L2=1e-3 g=9.81e-3",
                           "L1=1e3 L2=1e3 g=9.81e3"};
    const char* methods[] = {"", "preset=LMD-midpoint", "preset=hybrid",
                             "preset=ALi3pvs tolerance=1e-6"};
    for (int m = 0; m < (int)(sizeof methods / sizeof *methods); m++) {
        double drift[3];
        int passes[3];
        for (int s = 0; s < 3; s++) {
            problem_run run;
            const sar_event* events;
            problem_load(&run, PROBLEM("slider-crank-1"), sizes[s]);
            run.model->starts[1].value *= s == 1 ? 1e-3 : s == 2 ? 1e3 : 1.0; // the speed of Q
            problem_create(&run, methods[m]);
            CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
            while (!sar_simulation_done(run.simulation) && sar_simulation_time(run.simulation) < 3)
                CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            const sar_statistics z = sar_simulation_statistics(run.simulation);
            drift[s] = z.energy_max_drift / z.kinetic_max;
            passes[s] = sar_simulation_singular_passes(run.simulation, &events);
            problem_free(&run);
        }
        CHECK(passes[0] == 3);
        for (int s = 1; s < 3; s++) {
            CHECK(passes[s] == passes[0]);
            CHECK_NEAR(drift[s] / drift[0], 1.0, 0.1);
        }
    }
}
