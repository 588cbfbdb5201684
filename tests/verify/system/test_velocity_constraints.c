/* Constraints on velocities against closed forms: every formulation, through all its
 * contracts and in all coordinates; orders, violations, and what happens when rolling begins. */
#include "integrators/integrator.h"
#include "problem_run.h"

typedef struct scene {
    const char* path;
    const char* outputs[2];
    void (*closed_form)(double t, double out[2]);
} scene;

static void knife(double t, double out[2])
{
    const double w = 1.5, g = 3.0;
    out[0] = g / (2.0 * w * w) * sin(w * t) * sin(w * t);
    out[1] = g / (2.0 * w * w) * (w * t - 0.5 * sin(2.0 * w * t));
}

static void coin(double t, double out[2])
{
    const double m = 0.8, R = 0.2, b = 0.3, W = 3.0, A = 0.25 * m * R * R, C = 0.5 * m * R * R;
    const double s = (A * W * W * sin(b) - m * 9.81 * R * tan(b)) / ((C + m * R * R) * W);
    out[0] = -R * s / W * cos(W * t);
    out[1] = -R * s / W * sin(W * t);
}

static void turntable(double t, double out[2])
{
    const double w = 6.0 / 7.0, s = sin(w * t) / w, c = (1.0 - cos(w * t)) / w;
    out[0] = 0.3 + 0.4 * s + 0.2 * c;
    out[1] = 0.1 - 0.2 * s + 0.4 * c;
}

static const scene SCENES[] = {
    {TEST_MODEL("knife-edge"), {"x", "y"}, knife},
    {TEST_MODEL("rolling-coin"), {"x", "y"}, coin},
    {TEST_MODEL("rolling-on-turntable"), {"x", "y"}, turntable},
    {TEST_MODEL("turntable-rows"), {"x", "y"}, turntable},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

/* Distance from the closed form at the end, and the run's statistics. */
static double error_of(const scene* s, const char* options, sar_statistics* statistics)
{
    problem_run run;
    double wanted[2], square = 0.0;
    problem_run_all(&run, s->path, NULL, options, 1 << 20);
    s->closed_form(run.options.end, wanted);
    for (int k = 0; k < 2; k++) {
        double got = problem_column(&run, s->outputs[k])[run.table.rows - 1];
        square += (got - wanted[k]) * (got - wanted[k]);
    }
    if (statistics) *statistics = run.statistics;
    problem_free(&run);
    return sqrt(square);
}

/* Velocities are returned to the constraints at the end of a step. */
static int projects(const char* formulation, const char* integrator)
{
    return strcmp(formulation, "al3") == 0 || strcmp(formulation, "al1") == 0 ||
           (strcmp(formulation, "nullspace") == 0 && strcmp(integrator, "trapezoidal") == 0);
}

static void check_combination(const scene* s, const char* coordinates, const char* formulation,
                              const sari_integrator_ops* integrator)
{
    char options[200];
    sar_statistics statistics;
    snprintf(options, sizeof options,
             "coordinates=%s formulation=%s integrator=%s end=0.3 step=1e-3%s", coordinates,
             formulation, integrator->name, integrator->variable ? " tolerance=1e-7" : "");
    double error = error_of(s, options, &statistics);
    if (!(error < 2e-4)) fail_msg("%s, %s: error %.2e", s->path, options, error);
    if (projects(formulation, integrator->name) && !(statistics.violation.velocity <= 1e-10))
        fail_msg("%s, %s: velocities violate the constraints by %.2e", s->path, options,
                 statistics.violation.velocity);
}

/* Rows on velocities are the business of formulations, which integrators drive through contracts:
 * the first integrator of each contract with a fixed step and with one of its own stands for the
 * others, beyond order one. All of them on a rolling disc: contract/test_methods.c. */
static int stands_for_its_contract(int i)
{
    const sari_integrator_ops* mine = sari_integrators[i];
    if (mine->order < 2) return 0;
    for (int k = 0; k < i; k++)
        if (sari_integrators[k]->needs == mine->needs && sari_integrators[k]->order >= 2 &&
            !sari_integrators[k]->variable == !mine->variable)
            return 0;
    return 1;
}

TEST(the_same_motion_by_every_formulation)
{
    int checked = 0;
    for (int k = 0; k < SCENE_COUNT; k++)
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)
            for (int f = 0; sari_formulations[f]; f++)
                for (int i = 0; sari_integrators[i]; i++) {
                    const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
                    const char* form = sari_formulations[f]->name;
                    if (!stands_for_its_contract(i) || !IN_FULL_OR_TURN(c, k + f + i)) continue;
                    if (sar_methods_conflict(coordinates, form, sari_integrators[i]->name, "auto"))
                        continue;
                    check_combination(&SCENES[k], coordinates, form, sari_integrators[i]);
                    checked++;
                }
    CHECK(checked >= IN_FULL_OR_SAMPLE(4, 1) * SCENE_COUNT * 10);
}

/* Orders by halving the step, all second-order rules and the fourth-order one. */
TEST(the_order_of_the_integrator)
{
    static const struct {
        const char *method, *coarse, *fine;
        double order;
    } methods[] = {
        {"formulation=al3 integrator=trapezoidal newton_tolerance=1e-12", "step=0.01", "step=0.005",
         2.0},
        {"formulation=al1 integrator=trapezoidal newton_tolerance=1e-12", "step=0.01", "step=0.005",
         2.0},
        {"formulation=nullspace integrator=trapezoidal newton_tolerance=1e-12", "step=0.01",
         "step=0.005", 2.0},
        {"formulation=hamiltonian integrator=trapezoidal newton_tolerance=1e-11", "step=0.01",
         "step=0.005", 2.0},
        {"formulation=al1 integrator=rk4", "step=0.02", "step=0.01", 4.0},
        {"formulation=nullspace integrator=rk4 project=1", "step=0.02", "step=0.01", 4.0},
    };
    for (int k = 0; k < SCENE_COUNT; k++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            char options[2][200];
            double error[2];
            for (int j = 0; j < 2; j++) {
                snprintf(options[j], sizeof options[j], "coordinates=relative end=1 %s %s",
                         methods[i].method, j ? methods[i].fine : methods[i].coarse);
                error[j] = error_of(&SCENES[k], options[j], NULL);
            }
            double order = log2(error[0] / error[1]);
            if (error[1] > 1e-10 && !(fabs(order - methods[i].order) < 0.3))
                fail_msg("%s, %s: order %.2f (errors %.2e, %.2e)", SCENES[k].path, options[1],
                         order, error[0], error[1]);
        }
}

/* ---- a ball that slides, and then rolls ----------------------------------------------------- */

static const char* const THROWN =
    "sarrus: 1\n"
    "name: thrown\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "ground: {points: {P: [0, 0, 0.1]}}\n"
    "bodies:\n"
    "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1],\n"
    "         rotation: {axis: [0, 0, 1], angle: 0.2}, velocity: [3, -1, 0]}\n"
    "joints:\n"
    "  slides: {type: point-on-plane, between: [ground.P, ball.origin], axis: [ground.z, ball.z]}\n"
    "  rolls: {type: rolling-sphere, between: [ground.origin, ball.origin],\n"
    "          axis: [ground.z, ball.z], radius: 0.1, active: no}\n"
    "phases:\n"
    "  - {at: 0.5, add: [rolls], remove: [slides]}\n"
    "outputs: {x: ball.origin.x, vx: ball.origin.vx, vy: ball.origin.vy, wy: ball.wy}\n"
    "method: {end: 1, step: 0.01}\n";

/* The contact takes 2/7 of the speed, and what it gives to the spin makes it roll: v = 5/7 u. */
TEST(rolling_begins_with_an_impact)
{
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)
        for (int f = 0; f < 2; f++) {
            problem_run run;
            char options[80];
            snprintf(options, sizeof options, "coordinates=%s formulation=%s integrator=%s",
                     axis_member(SAR_AXIS_COORDINATES, c), f ? "al1" : "al3",
                     f ? "rk4" : "trapezoidal");
            problem_parse(&run, THROWN);
            problem_create(&run, options);
            CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
            problem_steps(&run, 1);
            CHECK_STATUS(run.status, SAR_OK);
            int last = run.table.rows - 1;
            CHECK_NEAR(problem_column(&run, "vx")[last], 15.0 / 7.0, 1e-3);
            CHECK_NEAR(problem_column(&run, "vy")[last], -5.0 / 7.0, 1e-3);
            CHECK_NEAR(problem_column(&run, "wy")[last], 150.0 / 7.0, 1e-2);
            CHECK_NEAR(problem_column(&run, "x")[last], 1.5 + 7.5 / 7.0, 1e-3);
            problem_free(&run);
        }
}

/* ---- bodies drawn nowhere, impossible starts ------------------------------------------------ */

static const char* const STANDING =
    "sarrus: 1\n"
    "name: standing\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  coin: {mass: 0.8, inertia: [0.008, 0.008, 0.016]}\n"
    "  ball: {mass: 0.8, inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  rolls: {type: rolling-disc, between: [ground.origin, coin.origin],\n"
    "          axis: [ground.z, coin.z], radius: 0.2}\n"
    "  lies: {type: rolling-sphere, between: [ground.origin, ball.origin], axis: [ground.z, "
    "ball.z],\n"
    "         radius: 0.3}\n"
    "outputs: {z: coin.origin.z, height: ball.origin.z}\n"
    "method: {end: 0.1, step: 0.01}\n";

TEST(a_disc_drawn_nowhere_stands)
{
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
        problem_run run;
        char options[40];
        snprintf(options, sizeof options, "coordinates=%s", axis_member(SAR_AXIS_COORDINATES, c));
        problem_parse(&run, STANDING);
        problem_create(&run, options);
        CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
        problem_steps(&run, 1);
        CHECK_STATUS(run.status, SAR_OK);
        CHECK_NEAR(problem_column(&run, "z")[run.table.rows - 1], 0.2, 1e-12);
        CHECK_NEAR(problem_column(&run, "height")[run.table.rows - 1], 0.3, 1e-12);
        problem_free(&run);
    }
}
