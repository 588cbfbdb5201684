/* The linear solvers are ways to the same numbers: `dense` and `sparse` factor P + c Phi_q' Phi_q,
 * `dca` works on [P Phi_q'; Phi_q -1/c] along the joints. Iterates of a step, converged or not,
 * agree; and the number of threads changes no bit. */
#include "problem_run.h"

#include "linalg/sym_tools.h"
#include "simulation/simulation.h"

/* How far apart numbers may be, relative to the largest. P + c Phi_q' Phi_q loses about c eps of
 * what it is solved for, c being 1e6 or more in units of the inertia; forces, which are corrections
 * by h^2/4, lose the most. */
static const double MOTION = 1e-10, FORCE = 1e-9;

typedef struct scene {
    const char* model; ///< a path, or a model in full
    const char *parameters, *options;
} scene;

/* ---- models that no file has ---------------------------------------------------------------- */

#define SPATIAL "sarrus: 1\ndimension: 3\ngravity: [0, -9.81, 0]\n"
#define UPRIGHT "rotation: {quaternion: [1, 0, 0, 0]}"

// Twelve arms hinged to one hub, about directions all round, and a ball on the end of each.
static const char STAR[] =
    SPATIAL "name: star\n"
            "bodies:\n"
            "  hub: {mass: 3, inertia: [0.5, 0.9, 0.6], position: [0, 0, 0], " UPRIGHT "}\n"
            "joints:\n"
            "  base: {type: spherical, between: [ground.origin, hub.origin]}\n"
            "repeat:\n"
            "  - index: k\n"
            "    from: 1\n"
            "    to: 12\n"
            "    bodies:\n"
            "      arm{k}: {mass: 1, inertia: [0.02, 0.1, 0.1], points: {a: [-0.5, 0, 0], b: [0.5, "
            "0, 0]},\n"
            "               position: [0.5*cos(k*pi/6), 0, -0.5*sin(k*pi/6)],\n"
            "               rotation: {axis: [0, 1, 0], angle: k*pi/6}}\n"
            "      ball{k}: {mass: 0.2*k, inertia: [0.1, 0.2, 0.15], points: {a: [-0.2, 0, 0]},\n"
            "                position: [1.2*cos(k*pi/6), 0, -1.2*sin(k*pi/6)],\n"
            "                rotation: {axis: [0, 1, 0], angle: k*pi/6}}\n"
            "    joints:\n"
            "      H{k}: {type: revolute, between: [hub, \"arm{k}.a\"],\n"
            "             axis: [sin(k*pi/6), 0, cos(k*pi/6)]}\n"
            "      S{k}: {type: spherical, between: [\"arm{k}.b\", \"ball{k}.a\"]}\n";

// A chain that hangs, one that floats, bodies that nothing holds, the last of them far off.
static const char PIECES[] = SPATIAL
    "name: pieces\n"
    "bodies: {}\n"
    "joints:\n"
    "  top: {type: spherical, between: [ground.origin, link1.a]}\n"
    "repeat:\n"
    "  - index: k\n"
    "    from: 1\n"
    "    to: 9\n"
    "    bodies:\n"
    "      link{k}: {mass: 1, inertia: [0.1, 0.3, 0.2], points: {a: [-0.5, 0, 0], b: [0.5, 0, "
    "0]},\n"
    "                position: [k - 0.5, 0, 0], " UPRIGHT ", angular_velocity: [k, 0, 0]}\n"
    "      stone{k}: {mass: k, inertia: [0.3, 0.4, 0.5], position: [k^2, -3, 1], " UPRIGHT ",\n"
    "                 velocity: [1, k, 0], angular_velocity: [1, -2, 0.5*k]}\n"
    "  - index: k\n"
    "    from: 2\n"
    "    to: 9\n"
    "    joints:\n"
    "      J{k}: {type: spherical, between: [\"link{k-1}.b\", \"link{k}.a\"], when: k != 5}\n";

// Pendulums, each with a joint of its own to the ground, in a row: rigid rods between neighbours,
// every third one left out, springs over two and bushings over three.
static const char ROW[] = SPATIAL
    "name: row\n"
    "bodies: {}\n"
    "repeat:\n"
    "  - index: k\n"
    "    from: 1\n"
    "    to: 12\n"
    "    ground:\n"
    "      points: {\"P{k}\": [0.8*k, 0, 0]}\n"
    "    bodies:\n"
    "      bob{k}: {mass: 1 + 0.1*k, inertia: [0.2, 0.1, 0.3], points: {top: [0, 1, 0]},\n"
    "               position: [0.8*k, -cos(0.4), -sin(0.4)], rotation: {axis: [1, 0, 0], angle: "
    "0.4}}\n"
    "    joints:\n"
    "      A{k}: {type: revolute, between: [\"ground.P{k}\", \"bob{k}.top\"], axis: [1, 0, 0],\n"
    "             when: \"mod(k, 3) == 1\"}\n"
    "      B{k}: {type: spherical, between: [\"ground.P{k}\", \"bob{k}.top\"], when: \"mod(k, 3) "
    "!= "
    "1\"}\n"
    "  - index: k\n"
    "    from: 2\n"
    "    to: 12\n"
    "    joints:\n"
    "      R{k}: {type: distance, between: [\"bob{k-1}\", \"bob{k}.top\"], distance: sqrt(1.64),\n"
    "             when: \"mod(k, 3) != 0\"}\n"
    "  - index: k\n"
    "    from: 3\n"
    "    to: 12\n"
    "    forces:\n"
    "      spring{k}: {type: spring, between: [\"bob{k-2}\", \"bob{k}.top\"], stiffness: 300,\n"
    "                  damping: 4, length: 1.5}\n"
    "  - index: k\n"
    "    from: 4\n"
    "    to: 12\n"
    "    forces:\n"
    "      mount{k}: {type: bushing, between: [\"bob{k-3}\", \"bob{k}\"], axis: [1, 0, 0], normal: "
    "[0, 1, 0],\n"
    "                 K: [30, 40, 50, 6, 7, 8], C: [1, 2, 3, 0.1, 0.2, 0.3]}\n";

// Wheels on a carrier that turns on the ground, geared in a row, driven at the first one: rows that
// meet three bodies; and a screw on the carrier.
static const char GEARS[] = SPATIAL
    "name: gears\n"
    "bodies:\n"
    "  carrier: {mass: 4, inertia: [1, 2, 2.5], position: [0, 0, 0], " UPRIGHT "}\n"
    "  nut: {mass: 0.5, inertia: [0.1, 0.2, 0.1], position: [0, 1, 0], " UPRIGHT "}\n"
    "joints:\n"
    "  axle: {type: revolute, between: [ground.origin, carrier.origin], axis: [1, 0.2, 0]}\n"
    "  jack: {type: screw, between: [carrier, nut], axis: [0, 1, 0], pitch: 0.7}\n"
    "drives:\n"
    "  motor: {joint: W1, coordinate: angle, value: t^2*(2 - t)}\n"
    "repeat:\n"
    "  - index: k\n"
    "    from: 1\n"
    "    to: 6\n"
    "    bodies:\n"
    "      wheel{k}: {mass: 0.3*k, inertia: [0.1, 0.12, 0.2], points: {rim: [0.2, 0, 0.1]},\n"
    "                 position: [0, 0, 0.3*k], " UPRIGHT "}\n"
    "    joints:\n"
    "      W{k}: {type: cylindrical, between: [carrier, \"wheel{k}\"], axis: [0, 0, 1]}\n"
    "      stop{k}: {type: distance, between: [carrier, \"wheel{k}\"], distance: 0.3*k}\n"
    "  - index: k\n"
    "    from: 2\n"
    "    to: 6\n"
    "    joints:\n"
    "      mesh{k}: {type: gear, joints: [\"W{k-1}\", \"W{k}\"], ratio: -1.5 + 0.1*k}\n";

/* ---- iterates ------------------------------------------------------------------------------- */

static void start_scene(problem_run* run, const scene* s, const char* options)
{
    if (strncmp(s->model, "sarrus:", 7) == 0)
        problem_parse(run, s->model);
    else
        problem_load(run, s->model, s->parameters);
    each_setting(s->options, use_option, &run->options);
    problem_create(run, options);
    CHECK(run->simulation->system->threads == run->options.threads);
    CHECK_STATUS(sar_simulation_assemble(run->simulation, &run->assembly), SAR_OK);
}

/* Relative to the largest of y, or to 1. */
static double apart(const double* x, const double* y, int n)
{
    double most = 1.0, off = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i]));
    for (int i = 0; i < n; i++) off = fmax(off, isfinite(x[i]) ? fabs(x[i] - y[i]) : INFINITY);
    return off / most;
}

/* M a and Phi_q' lambda, n each, with the matrices of the last step. */
static double* forces(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    double* f = calloc(2 * (size_t)sys->nq + 1, sizeof *f);
    CHECK(f);
    sari_sym_multiply(&sys->M, sys->M.x, s->state.a, f);
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, s->state.lambda, f + sys->nq);
    return f;
}

static void check_near(const scene* s, const problem_run* got, const problem_run* wanted,
                       const char* options, double force)
{
    const sar_simulation *a = got->simulation, *b = wanted->simulation;
    const int n = b->system->nq;
    double *f = forces(a), *g = forces(b);
    const double off[4] = {apart(a->state.q, b->state.q, b->system->np),
                           apart(a->state.v, b->state.v, n), apart(f, g, n),
                           apart(f + n, g + n, n)};
    free(f);
    free(g);
    static const char* const WHAT[4] = {"q", "v", "M a", "Phi_q' lambda"};
    for (int k = 0; k < 4; k++)
        if (!(off[k] <= (k < 2 ? MOTION : force)))
            fail_msg("%s %s, %s: %s off by %.2g at %g s", sar_model_name(got->model), s->parameters,
                     options, WHAT[k], off[k], b->state.t);
}

/* The same steps with the three solvers side by side. */
static void check_scene(const scene* s, const char* method, double force)
{
    static const char* const SOLVER[3] = {"dense", "sparse", "dca"};
    const int steps = IN_FULL_OR_SAMPLE(20, 2);
    problem_run run[3];
    char options[3][160];
    for (int i = 0; i < 3; i++) {
        snprintf(options[i], sizeof options[i], "solver=%s end=10 threads=1 %s", SOLVER[i], method);
        start_scene(&run[i], s, options[i]);
    }
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < 3; i++) {
            if (sar_simulation_advance(run[i].simulation) != SAR_OK)
                fail_msg("%s, %s: %s", sar_model_name(run[i].model), options[i],
                         sar_simulation_failure(run[i].simulation));
            if (i > 0) check_near(s, &run[i], &run[0], options[i], force);
        }
    for (int i = 0; i < 3; i++) {
        CHECK_TEXT(sar_simulation_statistics(run[i].simulation).solver, SOLVER[i]);
        problem_free(&run[i]);
    }
}

#define H "step=5e-3"

static const scene SCENES[] = {
    {PROBLEM("chain"), "n=16", "step=1e-2"},
    {PROBLEM("tree"), "n=15", H},
    {PROBLEM("tree"), "n=63", H},
    {PROBLEM("ladder"), "n=3", H},
    {PROBLEM("ladder"), "n=10", H},
    {PROBLEM("four-bar"), "", H},
    {PROBLEM("bricard"), "", H}, // rods without inertia about their lines
    {PROBLEM("bricard"), "axial=0.01", H},
    {PROBLEM("spatial-double-pendulum"), "Jx=0.2 Jy=0.5 Jz=0.6", H},
    {TEST_MODEL("universal-shaft"), "", H},
    {TEST_MODEL("cylindrical"), "", H},
    {TEST_MODEL("slider-crank-spatial"), "", H},
    {TEST_MODEL("n-four-bar-spatial"), "", H},
    {TEST_MODEL("planar-joint"), "", H},
    {TEST_MODEL("fixed"), "", H},
    {TEST_MODEL("point-on-line-spatial"), "", H},
    {TEST_MODEL("point-on-plane"), "", H},
    {TEST_MODEL("distance"), "", H},
    {TEST_MODEL("bushing"), "", H},
    {TEST_MODEL("gear-train"), "", H},
    {TEST_MODEL("rack"), "", H},
    {TEST_MODEL("screw-jack"), "", H},
    {TEST_MODEL("driven-crank"), "", H},
    {TEST_MODEL("driven-distance"), "", H},
    {TEST_MODEL("driven-slide"), "", H},
    {TEST_MODEL("free-top"), "", H},
    {TEST_MODEL("torque"), "", H},
    {STAR, "", H},
    {PIECES, "", H},
    {ROW, "", H},
    {GEARS, "", H},
};

// In a sample a third of the scenes with each method, and with each scene a third of them.
#define IN_FULL_OR_THIRD(scene, method) (IN_FULL_OR_SAMPLE(1, 0) || ((scene) + (method)) % 3 == 0)

static void check_scenes(size_t turn, const char* method)
{
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++)
        if (IN_FULL_OR_THIRD(k, turn)) check_scene(&SCENES[k], method, FORCE);
}

TEST(iterates_agree_in_euler_parameters)
{
    check_scenes(0, "coordinates=cartesian iterations=fixed:1");
    check_scenes(1, "coordinates=cartesian iterations=fixed:2");
    check_scenes(2, "coordinates=cartesian iterations=fixed:3");
}

TEST(iterates_agree_in_increments)
{
    check_scenes(1, "coordinates=increments iterations=fixed:1");
    check_scenes(2, "coordinates=increments iterations=fixed:2");
    check_scenes(0, "coordinates=increments iterations=fixed:3");
}

// Here the split of multipliers between redundant rows is known to eps/delta = 1e-5 only, and the
// geometric stiffness, which takes them one by one, is left out.
TEST(iterates_agree_without_a_penalty)
{
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++) {
        if (IN_FULL_OR_THIRD(k, 0))
            check_scene(&SCENES[k], "coordinates=cartesian alpha=inf iterations=fixed:3", 1e-8);
        if (IN_FULL_OR_THIRD(k, 1))
            check_scene(&SCENES[k],
                        "coordinates=increments alpha=inf iterations=fixed:3 geometric=0", 1e-8);
    }
}

// One factor for several corrections, and P with and without its geometric part.
TEST(iterates_agree_with_other_tangents)
{
    check_scenes(0, "coordinates=increments tangent-life=3 iterations=fixed:3");
    check_scenes(1, "coordinates=increments geometric=0 iterations=fixed:2");
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* All steps by so many threads, whether that pays or not. */
static void share(sar_simulation* s, int threads)
{
    s->sharing.trial = 0; // nothing to try
    sari_system_share(s->system, threads);
    s->form.ops->share(s->form.self, threads);
}

static void check_same_bits(const scene* s, const char* method)
{
    static const int THREADS[3] = {1, 2, 7};
    const int steps = IN_FULL_OR_SAMPLE(3, 1);
    problem_run run[3];
    for (int i = 0; i < 3; i++) {
        char options[160];
        snprintf(options, sizeof options, "threads=%d end=10 %s", THREADS[i], method);
        start_scene(&run[i], s, options);
        share(run[i].simulation, THREADS[i]);
    }
    const sari_state* one = &run[0].simulation->state;
    const size_t np = sizeof(double) * (size_t)one->np, n = sizeof(double) * (size_t)one->n;
    for (int step = 0; step <= steps; step++)
        for (int i = 0; i < 3; i++) {
            const sari_state* x = &run[i].simulation->state;
            if (step) CHECK_STATUS(sar_simulation_advance(run[i].simulation), SAR_OK);
            if (memcmp(x->q, one->q, np) || memcmp(x->v, one->v, n) || memcmp(x->a, one->a, n) ||
                memcmp(x->lambda, one->lambda, sizeof(double) * (size_t)one->m))
                fail_msg("%s, %s: other bits with %d threads in step %d",
                         sar_model_name(run[i].model), method, THREADS[i], step);
        }
    for (int i = 0; i < 3; i++) problem_free(&run[i]);
}

// Of 900 bodies and more: fewer would not get all of the threads that they are given.
TEST(threads_change_no_bit)
{
    static const scene LARGE[] = {{PROBLEM("chain"), "n=900", "step=1e-2"},
                                  {PROBLEM("tree"), "n=1023", H},
                                  {PROBLEM("ladder"), "n=300", H}};
    static const char* const METHOD[] = {"solver=dca coordinates=increments",
                                         "solver=dca coordinates=cartesian",
                                         "solver=sparse coordinates=increments"};
    for (size_t k = 0; k < sizeof LARGE / sizeof *LARGE; k++)
        for (size_t i = 0; i < sizeof METHOD / sizeof *METHOD; i++)
            if (IN_FULL_OR_THIRD(k, i)) check_same_bits(&LARGE[k], METHOD[i]);
    check_same_bits(&LARGE[0], "solver=dca coordinates=increments tangent-life=0");
}
