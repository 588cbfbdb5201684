/* Applied forces as every coordinate type sees them: K = -dQ/dq and C = -dQ/dv of each force by
 * itself, and v'Q = power - dV/dt, against differences at random configurations. Q also holds the
 * inertial forces of the coordinates, which K and C leave out by contract: they are subtracted, as
 * the Q of the same model without forces. */
#include "models_with_forces.h"
#include "neck_fixture.h"
#include "system/forces/forces.h"

enum { PLACES = 3 };

/* ---- one force at a time -------------------------------------------------------------------- */

static int force_count(const sar_model* model)
{
    int count = 0;
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        count += sari_force_is_state(sari_force_types[type]) ? 0 : model->forces[type].count;
    return count;
}

/* A view of the model with its k-th force alone, its states, and without gravity. */
static sar_model only_force(const sar_model* model, int k, const char** name)
{
    sar_model one = without_forces(model);
    int type = 0;
    for (int s = 0; s < SARI_FORCE_TYPES; s++)
        if (sari_force_is_state(sari_force_types[s])) one.forces[s] = model->forces[s];
    for (; k >= model->forces[type].count; type++) k -= model->forces[type].count;
    one.forces[type] = (sari_force_list){model->forces[type].at + k, 1, 1};
    *name = one.forces[type].at->name;
    return one;
}

/* ---- tangents ------------------------------------------------------------------------------- */

static sari_system*
    bare_system; ///< same model and coordinates, no forces: its Q is the inertial part

/* States of forces are the last numbers: the bare system has those before. */
static void subtract_inertial(place* p, double t, const double* q, const double* v, double* out)
{
    sari_equations_eval(&bare_system->equations, SARI_EVAL_FORCE, t, q, v);
    for (int i = 0; i < p->n; i++)
        out[i] = p->sys->Q[i] - (i < bare_system->nq ? bare_system->Q[i] : 0.0);
}

/* The applied forces in Q. */
static void applied(place* p, double t, const double* q, const double* v, double* out)
{
    sari_equations_eval(&p->sys->equations, SARI_EVAL_FORCE, t, q, v);
    subtract_inertial(p, t, q, v, out);
}

/* Where a law bends sharply the error of the differences counts, and is 16 times less with half
 * the step. */
static void check_slope(place* p, const char* what, int by_v, const double* got, double* wanted)
{
    const double tolerance = 5e-8;
    const int n = p->n;
    if (!are_same(n * n, got, wanted, tolerance, 1.0)) {
        difference_step *= 0.5;
        jacobian_of(applied, p, by_v, n, wanted);
        difference_step *= 2.0;
    }
    check_same(p, what, n, n, got, wanted, tolerance, 1.0);
}

static void check_tangent(place* p)
{
    int n = p->n;
    double *by_q = vector(n * n), *by_v = vector(n * n), *Q = vector(n), *both = vector(n);
    applied(p, p->t, p->q, p->v, Q);
    jacobian_of(applied, p, 0, n, by_q);
    jacobian_of(applied, p, 1, n, by_v);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_TANGENT, p->t, p->q, p->v);
    subtract_inertial(p, p->t, p->q, p->v, both);
    // forces of a thousand, rounded at 1e-13, that cancel in places
    check_same(p, "Q with and without tangents", n, 1, both, Q, 1e-12, 1.0);
    double *K = dense_csr(&p->sys->K), *C = dense_csr(&p->sys->C);
    for (int i = 0; i < n * n; i++) K[i] = -K[i], C[i] = -C[i];
    check_slope(p, "-K = dQ/dq", 0, K, by_q);
    check_slope(p, "-C = dQ/dv", 1, C, by_v);
    free(by_q), free(by_v), free(Q), free(both), free(K), free(C);
}

/* K and C, one after the other, at this distance along a position, behind these along a velocity, last along the motion. */
static void tangents_at(place* p, int along, double distance, double* q, double* d, double* out)
{
    const int n = p->n, entries = p->sys->K.p[n];
    const int by_velocity = along >= n && along < 2 * n;
    for (int i = 0; i < n; i++)
        d[i] = along == 2 * n ? distance * p->v[i] : i == along % n ? distance : 0.0;
    memcpy(q, p->q, (size_t)p->sys->np * sizeof *q);
    if (!by_velocity) sari_coordinates_move(&p->sys->coordinates, p->q, d, q);
    for (int i = 0; i < n; i++) d[i] = p->v[i] + (by_velocity ? d[i] : 0.0);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_TANGENT, p->t, q, d);
    memcpy(out, p->sys->K.x, (size_t)entries * sizeof *out);
    memcpy(out + entries, p->sys->C.x, (size_t)p->sys->C.p[n] * sizeof *out);
}

/* Does a law change its branch within reach of the differences? Then these mean nothing. Second differences of what is
 * smooth are a quarter with half the distance; where K or C jump they are the same, where their slope does, the half. */
static int has_kink_near(place* p)
{
    const double reach = 4.0 * difference_step, NOTHING = 1e-8;
    const int entries = p->sys->K.p[p->n], count = entries + p->sys->C.p[p->n];
    double *q = vector(p->sys->np), *d = vector(p->n), *here = vector(count), *side[4];
    int kink = 0;
    for (int k = 0; k < 4; k++) side[k] = vector(count);
    tangents_at(p, 0, 0.0, q, d, here);
    const double scale[2] = {largest_of(here, entries),
                             largest_of(here + entries, count - entries)};
    for (int along = 0; along <= 2 * p->n && !kink; along++) {
        const double at[4] = {-reach, reach, -0.5 * reach, 0.5 * reach};
        for (int k = 0; k < 4; k++) tangents_at(p, along, at[k], q, d, side[k]);
        for (int i = 0; i < count; i++) {
            const double far = fabs(side[0][i] + side[1][i] - 2.0 * here[i]);
            const double near = fabs(side[2][i] + side[3][i] - 2.0 * here[i]);
            kink |= near > NOTHING * scale[i >= entries] && near > 0.35 * far;
        }
    }
    for (int k = 0; k < 4; k++) free(side[k]);
    free(q), free(d), free(here);
    return kink;
}

/* ---- power ---------------------------------------------------------------------------------- */

static void potential(place* p, double t, const double* q, const double* v, double* out)
{
    *out = sari_system_potential_energy(p->sys, t, q, v);
}

/* v'Q = power - dV/dt for what is applied; states of forces change with their rates, and have no
 * work. */
static void check_power(place* p)
{
    double *Q = vector(p->n), *rate = vector(p->n), *none = vector(p->m), dV, power;
    applied(p, p->t, p->q, p->v, Q);
    const int motion = p->n - p->sys->states;
    memcpy(rate + motion, Q + motion, (size_t)p->sys->states * sizeof *rate);
    slope_of(potential, p, 1.0, p->v, rate, 1, &dV);
    power = sari_system_power(p->sys, p->t, p->q, p->v, none, NULL);
    double got = dot(p->v, Q, motion), wanted = power - dV;
    check_same(p, "v'Q = power - dV/dt", 1, 1, &got, &wanted, 1e-7, 1.0 + fabs(power) + fabs(dV));
    free(Q), free(rate), free(none);
}

/* Forces that ask for the reaction of their joint act as if it were this. */
static double some_force(const void* self, int joint)
{
    (void)self;
    return 7.0 + joint;
}

static double some_signal(const void* self, const sari_signal* signal)
{
    (void)self;
    return 7.0 + signal->component;
}

static void take_some_reactions(sari_system* sys)
{
    const sari_reaction_source some = {some_force, some_signal, "some"};
    double* x = vector(sari_forces_ask(sys) + 1);
    sari_forces_read_reactions(sys, &some, x);
    sari_forces_take_reactions(sys, x);
    free(x);
}

static void check_forces(const sar_model* view, const char* name, const sari_coordinates_ops* ops)
{
    sar_model bare = without_forces(view);
    sar_error error = {0};
    place p = place_create(view, ops);
    if (name) {
        size_t used = strlen(p.label);
        snprintf(p.label + used, sizeof p.label - used, ", %s", name);
    }
    if (sari_system_create(&bare, ops, &bare_system, &error) != SAR_OK)
        fail_msg("%s: %s", p.label, error.message);
    CHECK(bare_system->nq == p.n - p.sys->states);
    take_some_reactions(p.sys);
    for (int i = 0; i < places_of(view, PLACES); i++) {
        int tries = 0;
        do place_anywhere(&p);
        while (has_kink_near(&p) && ++tries < 20);
        check_tangent(&p);
        check_power(&p);
    }
    sari_system_destroy(bare_system);
    place_clear(&p);
}

static void check_model(const sar_model* model)
{
    for (int c = 0; sari_coordinates_types[c]; c++) {
        check_forces(model, NULL, sari_coordinates_types[c]); // all together, with gravity
        if (places_of(model, PLACES) < PLACES) continue;      // a large one: so much for it
        for (int k = 0; k < force_count(model); k++) {
            const char* name;
            sar_model one = only_force(model, k, &name);
            check_forces(&one, name, sari_coordinates_types[c]);
        }
    }
}

/* A force that does nothing would pass everything above. Each body by itself: other types build
 * joints in, which may leave a force no motion to act on. */
static void check_none_is_idle(const sar_model* model)
{
    for (int k = 0; k < force_count(model); k++) {
        const char* name;
        sar_model one = only_force(model, k, &name);
        place p = place_create(&one, &sari_coordinates_cartesian);
        sar_model bare = without_forces(model);
        CHECK_STATUS(sari_system_create(&bare, &sari_coordinates_cartesian, &bare_system, NULL),
                     SAR_OK);
        double* Q = vector(p.n);
        take_some_reactions(p.sys);
        place_anywhere(&p);
        applied(&p, p.t, p.q, p.v, Q);
        if (!(largest_of(Q, p.n) > 1e-3)) fail_msg("%s: \"%s\" applies nothing", p.label, name);
        free(Q);
        sari_system_destroy(bare_system);
        place_clear(&p);
    }
}

TEST(forces_in_space)
{
    sar_model* model = parse_model(SPATIAL);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

TEST(forces_of_tyres_that_slip)
{
    sar_model* model = parse_model(SLIPPING);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

TEST(forces_that_use_states)
{
    sar_model* model = parse_model(CONTROLLED);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

TEST(forces_by_orientations)
{
    const char* const texts[] = {TURNING, TURNING_IN_PLANE};
    for (int k = 0; k < 2; k++) {
        sar_model* model = parse_model(texts[k]);
        check_none_is_idle(model);
        check_model(model);
        sar_model_destroy(model);
    }
}

TEST(forces_of_drives)
{
    sar_model* model = parse_model(DRIVEN);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

TEST(forces_in_the_plane)
{
    sar_model* model = parse_model(PLANAR);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

TEST(every_model_of_the_tree)
{
    char(*path)[MODEL_PATH];
    int n = list_models(&path);
    for (int i = 0; i < n; i++) {
        sar_model* model = load_model(path[i], NULL);
        check_model(model);
        sar_model_destroy(model);
    }
    free(path);
}

/* A force at a point, by hand: a unit force along x at one.A has the moment (A - centre) x F about
 * the centre. */
TEST(a_force_has_the_moment_of_its_arm)
{
    sar_model* model =
        parse_model("sarrus: 1\nname: arm\ndimension: 2\n"
                    "bodies:\n"
                    "  plate: {mass: 1, inertia: 1, center: [1, 0], points: {A: [1, 2]},\n"
                    "          position: [0, 0], angle: pi/2}\n"
                    "forces:\n"
                    "  pull: {type: force, acts_on: plate.A, force: [3, 4]}\n"
                    "  follow: {type: force, acts_on: plate.A, force: [10, 0], axes: body}\n");
    place p = place_create(model, &sari_coordinates_cartesian);
    sari_equations_eval(&p.sys->equations, SARI_EVAL_FORCE, 0.0, p.sys->coordinates.q0, p.v);
    // the arm (0, 2) turns to (-2, 0); the follower force to (0, 10)
    CHECK_NEAR(p.sys->Q[0], 3.0, 1e-12);
    CHECK_NEAR(p.sys->Q[1], 14.0, 1e-12);
    CHECK_NEAR(p.sys->Q[2], -2.0 * 14.0, 1e-12);
    place_clear(&p);
    sar_model_destroy(model);
}

/* ---- power of loads on rigid bodies, by hand ------------------------------------------------ */

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Body two turns by a right angle about z: (x, y, z) of the body is (-y, x, z) in world. */
static const char* const LOADED =
    "sarrus: 1\n"
    "name: loaded\n"
    "dimension: 3\n"
    "bodies:\n"
    "  one: {mass: 1, center: [0.3, -0.2, 0.5], inertia: [1, 1, 1], points: {A: [1, 2, 3]},\n"
    "        position: [0.5, -1, 2], rotation: {quaternion: [1, 0, 0, 0]}, velocity: [1, 2, 3],\n"
    "        angular_velocity: [0.5, -0.7, 0.9]}\n"
    "  two: {mass: 1, center: [-0.4, 0.1, 0.2], inertia: [1, 1, 1], points: {B: [2, 1, -1]},\n"
    "        position: [3, 1, -2], rotation: {axis: [0, 0, 1], angle: pi/2}, velocity: [-2, 1, "
    "0.5],\n"
    "        angular_velocity: [1.1, 0.3, -0.6]}\n"
    "forces:\n"
    "  force: {type: force, acts_on: one.A, force: [4, -5, 6]}\n"
    "  torque: {type: torque, acts_on: one, torque: [4, -5, 6]}\n"
    "  body_force: {type: force, acts_on: two.B, force: [4, -5, 6], axes: body}\n"
    "  body_torque: {type: torque, acts_on: two, torque: [4, -5, 6], axes: body}\n"
    "  inner_force: {type: force, acts_on: one.A, force: [4, -5, 6], reaction: two}\n"
    "  inner_torque: {type: torque, acts_on: one, torque: [4, -5, 6], reaction: two}\n";

TEST(the_power_of_loads_is_force_times_velocity)
{
    sar_model* model = parse_model(LOADED);
    const double F[3] = {4, -5, 6}, turned[3] = {5, 4, 6}; // in body axes of two
    const double w1[3] = {0.5, -0.7, 0.9}, w2[3] = {1.1, 0.3, -0.6};
    double vA[3], vB[3], v2A[3];
    cross(w1, (double[3]){1, 2, 3}, vA);
    cross(w2, (double[3]){-1, 2, -1}, vB);
    cross(w2, (double[3]){0.5 + 1 - 3, -1 + 2 - 1, 2 + 3 + 2}, v2A); // two, where A is
    for (int k = 0; k < 3; k++) {
        vA[k] += (double[3]){1, 2, 3}[k];
        vB[k] += (double[3]){-2, 1, 0.5}[k];
        v2A[k] += (double[3]){-2, 1, 0.5}[k];
    }
    const double wanted[6] = {dot(F, vA, 3),
                              dot(F, w1, 3),
                              dot(turned, vB, 3),
                              dot(turned, w2, 3),
                              dot(F, vA, 3) - dot(F, v2A, 3),
                              dot(F, w1, 3) - dot(F, w2, 3)};
    CHECK(force_count(model) == 6);
    for (int c = 0; sari_coordinates_types[c]; c++)
        for (int k = 0; k < 6; k++) {
            const char* name;
            sar_model one = only_force(model, k, &name);
            place p = place_create(&one, sari_coordinates_types[c]);
            const sari_coordinates* at = &p.sys->coordinates;
            double power = sari_system_power(p.sys, 0.0, at->q0, at->v0, p.lambda, NULL);
            check_same(&p, name, 1, 1, &power, &wanted[k], 1e-12, 1.0);
            place_clear(&p);
        }
    sar_model_destroy(model);
}

/* A bushing and a spring in known positions: body two is drawn displaced by (0.1, 0.2) and turned
 * by 0.3. */
TEST(springs_and_bushings_have_their_energy)
{
    sar_model* model = parse_model(
        "sarrus: 1\nname: soft\ndimension: 2\n"
        "bodies: {plate: {mass: 1, inertia: 1, position: [0.3, 0.4], angle: 0.3}}\n"
        "forces:\n"
        "  coil: {type: spring, between: [ground.origin, plate.origin], stiffness: 8, length: "
        "0.3}\n"
        "  steps: {type: spring, between: [ground.origin, plate.origin], length: 0.1,\n"
        "          table: [[-1, -1], [0.2, 2], [1, 4]]}\n"
        "  soft: {type: bushing, between: [ground.origin, plate.origin], K: [20, 30, 0]}\n");
    // length 0.5: 1/2 8 0.2^2; table: line through (-1, -1), (0.2, 2) to 0.2, then slope 2.5, from
    // 0 to 0.4
    const double at_zero = 1.5, table = 0.5 * (at_zero + 2.0) * 0.2 + 0.5 * (2.0 + 2.5) * 0.2;
    const double wanted[3] = {0.16, table, 0.5 * 20 * 0.09 + 0.5 * 30 * 0.16};
    for (int c = 0; sari_coordinates_types[c]; c++)
        for (int k = 0; k < 3; k++) {
            const char* name;
            sar_model one = only_force(model, k, &name);
            place p = place_create(&one, sari_coordinates_types[c]);
            double V = sari_system_potential_energy(p.sys, 0.0, p.sys->coordinates.q0,
                                                    p.sys->coordinates.v0);
            check_same(&p, name, 1, 1, &V, &wanted[k], 1e-12, 1.0);
            place_clear(&p);
        }
    sar_model_destroy(model);
}

/* What an evaluation was asked for and has no value, or no slope, at t = 0 and angle 0. */
static const struct {
    const char* text;
    unsigned fine, undefined;
    const char* what; ///< named in `undefined`; NULL: nothing
} WITHOUT_VALUE[] = {
    {"forces: {push: {type: torque, acts_on: arm, torque: 1/t}}\n", SARI_EVAL_MASS, SARI_EVAL_FORCE,
     "force"},
    {"forces: {push: {type: torque, acts_on: arm, torque: sqrt(A.angle)}}\n", SARI_EVAL_FORCE,
     SARI_EVAL_TANGENT, "force"},
    {"drives: {turn: {joint: A, value: log(t)}}\n", SARI_EVAL_MASS, SARI_EVAL_PHI, "drive"},
    {"drives: {turn: {joint: A, value: t^1.5}}\n", SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T,
     SARI_EVAL_BIAS, "drive"},
    {"constraints: {pace: {velocity: A.rate - 1/t}}\n", SARI_EVAL_MASS, SARI_EVAL_PHI_T, NULL},
};

TEST(what_has_no_value_is_said_by_the_evaluation)
{
    char text[600];
    for (size_t k = 0; k < sizeof WITHOUT_VALUE / sizeof *WITHOUT_VALUE; k++) {
        snprintf(text, sizeof text,
                 "sarrus: 1\nname: arm\ndimension: 2\n"
                 "bodies: {arm: {mass: 1, inertia: 1, center: [1, 0]}}\n"
                 "joints: {A: {type: revolute, between: [ground, arm]}}\n%s",
                 WITHOUT_VALUE[k].text);
        sar_model* model = parse_model(text);
        for (int c = 0; sari_coordinates_types[c]; c++) {
            place p = place_create(model, sari_coordinates_types[c]);
            sari_equations* e = &p.sys->equations;
            const double* q = p.sys->coordinates.q0;
            CHECK_STATUS(sari_equations_eval(e, WITHOUT_VALUE[k].fine, 0.0, q, p.v), SAR_OK);
            e->undefined.what = NULL; // a drive says more than it was asked for
            CHECK_STATUS(sari_equations_eval(e, WITHOUT_VALUE[k].undefined, 0.0, q, p.v),
                         SAR_R_NOT_FINITE);
            if (WITHOUT_VALUE[k].what) CHECK_TEXT(e->undefined.what, WITHOUT_VALUE[k].what);
            place_clear(&p);
        }
        sar_model_destroy(model);
    }
}

/* The last: the random places of the tests above stay as they are. */
TEST(forces_of_compliant_parts)
{
    const char* const texts[] = {COMPLIANT, COMPLIANT_IN_PLANE};
    for (int k = 0; k < 2; k++) {
        sar_model* model = parse_model(texts[k]);
        check_none_is_idle(model);
        check_model(model);
        sar_model_destroy(model);
    }
}
