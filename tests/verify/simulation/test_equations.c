/* The equations in the units of the user: no memory per call, none left behind where it runs out, the same
 * numbers whatever the size and the place of the model, states of forces, and the state of runs. */
#include "counting_allocator.h"
#include "problem_run.h"

#include "sarrus/equations.h"

static const char* const TYPES[] = {"natural", "cartesian", "increments", "relative"};

enum { MOST = 200 };

static sar_model* load(const char* path)
{
    problem_run run = {0};
    problem_load(&run, path, "");
    return run.model;
}

static sar_equations* equations_of(const sar_model* model, const char* coordinates)
{
    sar_equations* e;
    sar_error error;
    if (sar_equations_create(model, coordinates, &e, &error) != SAR_OK)
        fail_msg("%s", error.message);
    CHECK(sar_equations_sizes(e).positions <= MOST);
    return e;
}

TEST_WITH(evaluation_takes_no_memory, use_counter, drop_counter)
{
    sar_model* model = load(PROBLEM("bricard"));
    for (int c = 0; c < 4; c++) {
        double t, q[MOST], v[MOST], J[6 * MOST], R[MOST], inertia[9], centre[3], mass;
        const int chosen[] = {0};
        sar_equations* e = equations_of(model, TYPES[c]);
        sar_equations_start(e, &t, q, v);
        for (int round = 0; round < 2; round++) {
            long before = COUNTER.allocations;
            CHECK_STATUS(sar_equations_evaluate(e, t, q, v), SAR_OK);
            CHECK(COUNTER.allocations == before);
            sar_equations_independent(e, 1, chosen, R, NULL, NULL, NULL, NULL);
            if (round == 0) before = COUNTER.allocations; // its first call makes room
            CHECK_STATUS(sar_equations_body_jacobian(e, (sar_body_id){1}, (double[3]){0}, J),
                         SAR_OK);
            CHECK_STATUS(sar_equations_body_inertia(e, (sar_body_id){1}, centre, &mass, inertia),
                         SAR_OK);
            CHECK_STATUS(sar_equations_output(e, 0, &mass, J, J + MOST, NULL, NULL), SAR_OK);
            CHECK(COUNTER.allocations == before);
        }
        sar_equations_destroy(e);
    }
    sar_model_destroy(model);
    CHECK(COUNTER.live == 0);
}

TEST_WITH(without_memory_nothing_is_left, use_counter, drop_counter)
{
    sar_model* model = load(PROBLEM("slider-crank-1"));
    const long live = COUNTER.live;
    sar_status st = SAR_E_NOMEM;
    for (long k = 1; st != SAR_OK; k += 7) {
        sar_equations* e = NULL;
        COUNTER.fail_at = COUNTER.allocations + k;
        st = sar_equations_create(model, "natural", &e, NULL);
        CHECK(st == SAR_OK || (!e && COUNTER.live == live));
        sar_equations_destroy(e);
    }
    COUNTER.fail_at = 0;
    sar_model_destroy(model);
    CHECK(COUNTER.live == 0);
}

/* A Maxwell element and a state of the model on a mass: lengths in units of L. */
TEST(states_are_in_units_of_the_user)
{
    static const char* const TEXT =
        "sarrus: 1\nname: m\ndimension: 2\nbodies:\n"
        "  cart: {mass: 2, inertia: 1, position: [1000, 0], points: {P: [0, 0]}}\n"
        "joints:\n  slide: {type: prismatic, between: [ground.origin, cart.P], axis: [1, 0]}\n"
        "states:\n  heat: {rate: 5e6*cart.P.vx - heat, start: 4e6, scale: 1e6}\n"
        "forces:\n  pull: {type: maxwell, between: [ground.origin, cart.P], stiffness: 30, "
        "damping: "
        "7}\n"
        "start: {cart.P.vx: 3}\n";
    problem_run run = {0};
    problem_parse(&run, TEXT);
    sar_model* model = run.model;
    sar_options options = sar_options_default();
    sar_simulation* s;
    CHECK_STATUS(sar_options_set(&options, "preset", "auto", NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_create(model, &options, &s, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    for (int k = 0; k < 3; k++) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    for (int c = 0; c < 4; c++) {
        double t, q[MOST], v[MOST], a[MOST];
        sar_equations* e = equations_of(model, TYPES[c]);
        const int n = sar_equations_sizes(e).velocities, chosen[] = {0, n - 2, n - 1};
        CHECK(sar_equations_sizes(e).states == 2);
        CHECK_STATUS(sar_equations_take(e, s, &t, q, v), SAR_OK);
        CHECK_STATUS(sar_equations_evaluate(e, t, q, v), SAR_OK);
        CHECK_STATUS(sar_equations_independent(e, 3, chosen, NULL, NULL, NULL, NULL, a), SAR_OK);
        int heat = n - 1, stretch = n - 2;
        char name[64];
        sar_equations_name(e, SAR_LABEL_VELOCITY, n - 2, name, sizeof name);
        if (strcmp(name, "heat") == 0) heat = n - 2, stretch = n - 1;
        double vx = 0.0, J[6 * MOST];
        CHECK_STATUS(sar_equations_body_jacobian(e, (sar_body_id){1}, (double[3]){0}, J), SAR_OK);
        for (int k = 0; k < n; k++) vx += J[k] * v[k];
        const double* Q = sar_equations_get(e, SAR_VECTOR_FORCE);
        CHECK_NEAR(Q[heat], 5e6 * vx - v[heat], 1e-6 * 5e6); // dx/dt as the file says it
        CHECK_NEAR(Q[stretch], vx - 30.0 * v[stretch] / 7.0, 1e-12);
        CHECK_NEAR(sar_equations_kinetic_energy(e), sar_simulation_energy(s).kinetic, 1e-12);
        CHECK_NEAR(sar_equations_potential_energy(e), sar_simulation_energy(s).potential, 1e-9);
        sar_equations_destroy(e);
    }
    sar_simulation_destroy(s);
    sar_model_destroy(model);
}

TEST(names_and_misuse)
{
    sar_model *model = load(PROBLEM("four-bar")), *other = load(PROBLEM("bricard"));
    sar_equations* e;
    sar_error error;
    char name[32];
    CHECK_STATUS(sar_equations_create(model, "polar", &e, &error), SAR_E_ARG);
    CHECK(strstr(error.message, "polar") && !e);
    e = equations_of(model, "relative");
    CHECK_STATUS(sar_equations_name(e, SAR_LABEL_VELOCITY, 0, name, sizeof name), SAR_OK);
    CHECK_TEXT(name, "J1.rate");
    CHECK_STATUS(sar_equations_name(e, SAR_LABEL_CONSTRAINT, 99, name, sizeof name), SAR_E_ARG);
    CHECK_STATUS(sar_equations_set_input(e, 0, 1.0), SAR_E_ARG);
    CHECK_STATUS(sar_equations_output(e, 99, NULL, NULL, NULL, NULL, &error), SAR_E_ARG);
    CHECK(strstr(error.message, "99"));
    sar_options options = sar_options_default();
    sar_simulation* s;
    double t, q[MOST], v[MOST];
    CHECK_STATUS(sar_simulation_create(other, &options, &s, NULL), SAR_OK);
    CHECK_STATUS(sar_equations_take(e, s, &t, q, v), SAR_E_ARG); // not assembled
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    CHECK_STATUS(sar_equations_take(e, s, &t, q, v), SAR_E_ARG); // of another model
    sar_simulation_destroy(s);
    sar_equations_destroy(e);
    sar_model_destroy(model);
    sar_model_destroy(other);
}
