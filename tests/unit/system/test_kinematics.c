/* Scalars of the configuration (joint angles, displacements, lengths, points): value, rate, bias
 * and second derivatives against differences for every scalar of every model, known values by hand,
 * and turns that are counted. */
#include "neck_fixture.h"

enum { PLACES = 2, ROOM = 100 };
static const double TOLERANCE = 5e-8;

static int the_scalar; ///< that the quantities below look at

static void value_of(place* p, double t, const double* q, const double* v, double* out)
{
    (void)t, (void)v;
    sari_scalar_value s = {0};
    sari_kinematics_update(p->sys->kinematics, q, NULL, 1);
    sari_scalar_eval(p->sys->kinematics, the_scalar, 0, &s);
    *out = s.value;
}

static void rate_of(place* p, double t, const double* q, const double* v, double* out)
{
    (void)t;
    sari_scalar_value s = {0};
    sari_kinematics_update(p->sys->kinematics, q, v, 1);
    sari_scalar_eval(p->sys->kinematics, the_scalar, 1, &s);
    *out = s.rate;
}

/* The gradient, spread over all coordinates. */
static void gradient_of(place* p, double t, const double* q, const double* v, double* out)
{
    (void)t, (void)v;
    sari_scalar_value s = {0};
    sari_kinematics_update(p->sys->kinematics, q, NULL, 1);
    sari_scalar_eval(p->sys->kinematics, the_scalar, 0, &s);
    const sari_term_list* list = &p->sys->kinematics->scalar_depends[the_scalar];
    memset(out, 0, (size_t)p->n * sizeof *out);
    for (int i = 0; i < list->n; i++) out[list->i[i]] = s.g[i];
}

static void check_scalar(place* p)
{
    sari_kinematics* k = p->sys->kinematics;
    const sari_term_list* list = &k->scalar_depends[the_scalar];
    int n = p->n;
    double *wanted = vector(n), *got = vector(n), *H = vector(n * n), *all = vector(n * n);
    double *local = vector(n * n), *work = vector(n * n);
    double rate, bias;
    for (int i = 1; i < list->n; i++) CHECK(list->i[i - 1] < list->i[i]);
    jacobian_of(value_of, p, 0, 1, wanted);
    gradient_of(p, p->t, p->q, p->v, got);
    check_same(p, "gradient of a scalar", 1, n, got, wanted, TOLERANCE, 1.0);
    slope_of(value_of, p, 0.0, p->v, NULL, 1, &rate);
    slope_of(rate_of, p, 0.0, p->v, NULL, 1, &bias);
    jacobian_of(gradient_of, p, 0, n, H);
    sari_scalar_value s = {0};
    sari_kinematics_update(k, p->q, p->v, 1);
    sari_scalar_eval(k, the_scalar, 2, &s);
    check_same(p, "rate of a scalar", 1, 1, &s.rate, &rate, TOLERANCE, 1.0);
    check_same(p, "bias of a scalar", 1, 1, &s.bias, &bias, TOLERANCE, 1.0);
    sari_scalar_hessian(k, the_scalar, NULL, local, work);
    for (int i = 0; i < list->n; i++)
        for (int j = 0; j < list->n; j++) all[n * list->i[i] + list->i[j]] = local[list->n * i + j];
    check_same(p, "second derivatives of a scalar", n, n, all, H, TOLERANCE, 1.0);
    free(wanted), free(got), free(H), free(all), free(local), free(work);
}

enum { KINDS = SARI_SCALAR_CURVE + 1 };
static int kinds_seen[KINDS];

static void check_scalars(const sar_model* model)
{
    for (int c = 0; sari_coordinates_types[c]; c++) {
        place p = place_create(model, sari_coordinates_types[c]);
        const int places = places_of(model, PLACES), every = places < PLACES ? 40 : 1;
        for (int i = 0; i < places; i++) {
            place_anywhere(&p);
            for (the_scalar = 0; the_scalar < p.sys->kinematics->scalars; the_scalar += every) {
                if (sari_scalar_is_rate(&p.sys->kinematics->scalar[the_scalar])) continue;
                check_scalar(&p);
                kinds_seen[p.sys->kinematics->scalar[the_scalar].kind]++;
            }
        }
        place_clear(&p);
    }
}

TEST(every_scalar_of_every_model)
{
    char(*path)[MODEL_PATH];
    int n = list_models(&path);
    for (int i = 0; i < n; i++) {
        sar_model* model = load_model(path[i], NULL);
        check_scalars(model);
        sar_model_destroy(model);
    }
    free(path);
    for (int k = 0; k < KINDS; k++) CHECK(kinds_seen[k] > 0);
}

/* ---- known values --------------------------------------------------------------------------- */

static const char* const ARMS =
    "sarrus: 1\n"
    "name: arms\n"
    "dimension: 3\n"
    "ground: {points: {G: [0, 0, 1]}}\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], rotation: {axis: [0, 0, 1], angle: "
    "0.4}}\n"
    "  two: {mass: 1, inertia: [1, 1, 1], position: [3, 4, 1], rotation: {axis: [0, 0, 1], angle: "
    "1.3}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground.G, one.origin], axis: [ground.z, one.z], normal: "
    "[ground.x, one.x]}\n"
    "  slide: {type: cylindrical, between: [one.origin, two.origin], axis: [one.x, two.x],\n"
    "          normal: [one.z, two.z]}\n"
    "  rod: {type: distance, between: [ground.G, two.origin], distance: 5}\n"
    "outputs: {angle: pin.angle, along: slide.displacement, far: rod.distance, x: two.origin.x}\n";

TEST(scalars_have_the_values_of_the_drawing)
{
    sar_model* model = parse_model(ARMS);
    // the drawing breaks the joint "slide": types that build all joints in could not hold it
    const sari_coordinates_ops* const types[2] = {&sari_coordinates_natural,
                                                  &sari_coordinates_cartesian};
    for (int c = 0; c < 2; c++) {
        place p = place_create(model, types[c]);
        double variables[SARI_VARIABLE_SIGNAL + 16];
        CHECK(model->signals_count <= 16);
        sari_system_signals(p.sys, 0.0, p.sys->coordinates.q0, p.v, p.v, NULL, variables);
        const double wanted[4] = {0.4, 3 * cos(0.4) + 4 * sin(0.4), 5.0, 3.0};
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(sari_expression_value(model->outputs[i].value, variables), wanted[i], 1e-12);
        place_clear(&p);
    }
    sar_model_destroy(model);
}

/* Three turns forwards and five back in small steps: the angle goes on beyond pi. */
TEST(angles_are_counted_over_turns)
{
    sar_model* model =
        parse_model("sarrus: 1\nname: wheel\ndimension: 2\n"
                    "bodies: {wheel: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
                    "joints: {axle: {type: revolute, between: [ground.origin, wheel.origin]}}\n"
                    "outputs: {angle: axle.angle}\n");
    place p = place_create(model, &sari_coordinates_cartesian);
    int scalar = p.sys->mechanism->signal_scalar[0];
    sari_scalar_value s = {0};
    for (int k = 0; k <= 8 * 20; k++) {
        p.q[2] = 0.05 * 6.283185307179586 * (k <= 60 ? k : 120 - k);
        sari_kinematics_update(p.sys->kinematics, p.q, NULL, 1);
        sari_scalar_eval(p.sys->kinematics, scalar, 0, &s);
        CHECK_NEAR(s.value, p.q[2], 1e-12);
        sari_scalar_eval(p.sys->kinematics, scalar, 0, &s); // looking does not count
        CHECK_NEAR(s.value, p.q[2], 1e-12);
        sari_turns_commit(p.sys->kinematics, 0.0);
    }
    CHECK(s.value < -12.0);
    place_clear(&p);
    sar_model_destroy(model);
}

/* A wheel at the constant rate w, in natural coordinates, which know no revolutions: steps of 5 radians are counted by
 * the rates; what is evaluated in between, or in a step that is not taken, changes nothing. */
TEST(rates_count_revolutions_in_long_steps)
{
    const double w = 10.0, h = 0.5;
    sar_model* model =
        parse_model("sarrus: 1\nname: wheel\ndimension: 2\n"
                    "bodies: {wheel: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
                    "joints: {axle: {type: revolute, between: [ground.origin, wheel.origin]}}\n"
                    "outputs: {angle: axle.angle}\n");
    place p = place_create(model, &sari_coordinates_natural);
    sari_kinematics* k = p.sys->kinematics;
    const sari_coordinates* c = &p.sys->coordinates;
    const int scalar = p.sys->mechanism->signal_scalar[0];
    sari_scalar_value s = {0};
    for (int step = 0; step <= 20; step++) {
        for (int part = 2; part >= 0; part--) { // 2: twice as far, which is not taken
            const double t = h * (step + (part == 2 ? 1.0 : -0.5 * part)), angle = w * t;
            double X[8] = {0, 0, 1, 0, 0, 0, cos(angle), sin(angle)};
            double Xd[8] = {0, 0, 0, 0, 0, 0, -w * sin(angle), w * cos(angle)};
            double spin[6] = {0, 0, 0, 0, 0, w};
            c->ops->from_placement(c, X, Xd, spin, p.q, p.v);
            k->time = t;
            sari_kinematics_update(k, p.q, p.v, 1);
            sari_scalar_eval(k, scalar, 1, &s);
            if (step > 0) CHECK_NEAR(s.value, angle, 1e-9);
        }
        sari_turns_commit(k, h * step);
    }
    CHECK(s.value > 99.0);
    place_clear(&p);
    sar_model_destroy(model);
}

/* A length of zero has no direction: finite numbers all the same. */
TEST(a_length_of_zero_is_harmless)
{
    sar_model* model = parse_model(
        "sarrus: 1\nname: point\ndimension: 2\n"
        "bodies: {ball: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
        "forces: {coil: {type: spring, between: [ground.origin, ball.origin], stiffness: 1}}\n");
    for (int c = 0; sari_coordinates_types[c]; c++) {
        place p = place_create(model, sari_coordinates_types[c]);
        int scalar = p.sys->mechanism->force_scalar[SARI_FORCE_SPRING][0];
        double *H = vector(ROOM * ROOM), *work = vector(ROOM * ROOM);
        sari_scalar_value s = {0};
        memcpy(p.q, p.sys->coordinates.q0, (size_t)p.n * sizeof *p.q);
        for (int i = 0; i < p.n; i++) p.v[i] = 1.0;
        sari_kinematics_update(p.sys->kinematics, p.q, p.v, 1);
        sari_scalar_eval(p.sys->kinematics, scalar, 2, &s);
        sari_scalar_hessian(p.sys->kinematics, scalar, NULL, H, work);
        CHECK_NEAR(s.value, 0.0, 0.0);
        CHECK(isfinite(s.rate) && isfinite(s.bias));
        for (int i = 0; i < p.sys->kinematics->scalar_depends[scalar].n; i++)
            CHECK(isfinite(s.g[i]));
        CHECK(isfinite(largest_of(H, ROOM * ROOM)));
        free(H), free(work);
        place_clear(&p);
    }
    sar_model_destroy(model);
}

/* Rates of a state without a velocity are refused; what needs none is not. */
TEST(rates_without_a_velocity_are_refused)
{
    sar_model* model = parse_model(ARMS);
    for (int c = 0; c < 2; c++) {
        place p = place_create(model, c ? &sari_coordinates_cartesian : &sari_coordinates_natural);
        sari_kinematics* k = p.sys->kinematics;
        double g[ROOM];
        sari_scalar_value s = {0};
        sari_kinematics_update(k, p.sys->coordinates.q0, NULL, 1);
        for (int i = 0; i < k->scalars; i++) {
            CHECK_STATUS(sari_scalar_eval(k, i, 0, &s), SAR_OK);
            CHECK(isfinite(s.value));
            CHECK_STATUS(sari_scalar_eval(k, i, 1, &s), SAR_E_ARG);
            CHECK(isnan(s.value) && isnan(s.rate) && isnan(s.bias));
            CHECK_STATUS(sari_scalar_eval(k, i, 2, &s), SAR_E_ARG);
            CHECK_STATUS(sari_scalar_gradient_rate(k, i, g), SAR_E_ARG);
        }
        const unsigned still = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS;
        const double* q = p.sys->coordinates.q0;
        CHECK_STATUS(sari_equations_eval(&p.sys->equations, still, 0.0, q, NULL), SAR_OK);
        CHECK_STATUS(sari_equations_eval(&p.sys->equations, SARI_EVAL_BIAS, 0.0, q, NULL),
                     SAR_E_ARG);
        CHECK_STATUS(sari_equations_eval(&p.sys->equations, SARI_EVAL_JACOBIAN_RATE, 0.0, q, NULL),
                     SAR_E_ARG);
        CHECK_STATUS(sari_equations_eval(&p.sys->equations, SARI_EVAL_DYNAMICS, 0.0, q, p.v),
                     SAR_OK);
        place_clear(&p);
    }
    sar_model_destroy(model);
}
