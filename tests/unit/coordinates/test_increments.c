/* Coordinates that move by rotation vectors: moves and their inverse, reactions and geometric
 * stiffness without the Jacobian; the graph of a mechanism and the penalty that follows from it;
 * corrections with kept tangents; gyroscopic terms. */
#include "coordinates/free_bodies.h"
#include "neck_fixture.h"
#include "problem_run.h"

#include "simulation/simulation.h"

/* ---- moves ---------------------------------------------------------------------------------- */

// Every joint type between bodies that all move, drawn with a turn each.
static const char JOINTS[] =
    "sarrus: 1\n"
    "name: joints\n"
    "dimension: 3\n"
    "bodies: {}\n"
    "repeat:\n"
    "  - index: k\n"
    "    from: 0\n"
    "    to: 10\n"
    "    bodies:\n"
    "      b{k}: {mass: 1, inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], center: [0.1, 0.2, -0.1],\n"
    "             points: {P: [0.7, -0.2, 0.3], O: [-0.4, 0.3, 0.1]}, position: [k, 0.2*k, "
    "-0.3*k],\n"
    "             rotation: {axis: [1, 2, -1], angle: 0.3*k}}\n"
    "joints:\n"
    "  J1: {type: revolute, between: [b0.P, b1.O], axis: [1, 0.2, 0.3]}\n"
    "  J2: {type: prismatic, between: [b1.P, b2.O], axis: [0, 1, 0.3], normal: [1, 0, 0]}\n"
    "  J3: {type: spherical, between: [b2.P, b3.O]}\n"
    "  J4: {type: cylindrical, between: [b3.P, b4.O], axis: [1, 1, 0.3]}\n"
    "  J5: {type: universal, between: [b4.P, b5.O], axis: [b4.x, b5.y]}\n"
    "  J6: {type: planar, between: [b5.P, b6.O], axis: [0.5, 1, 0.3]}\n"
    "  J7: {type: fixed, between: [b6.P, b7.O], axis: [0, 0, 1], normal: [1, 0, 0]}\n"
    "  J8: {type: point-on-line, between: [b7.P, b8.O], axis: [b7.z, b8.z]}\n"
    "  J9: {type: point-on-plane, between: [b8.P, b9.O], axis: [b8.x, b9.y]}\n"
    "  J10: {type: distance, between: [b9.P, b10.O], distance: 1.3}\n";

/* Calls `check` at random places of every model in the tree and of the one above. */
static void at_places(void (*check)(place*))
{
    char(*path)[MODEL_PATH];
    const int n = list_models(&path);
    for (int i = 0; i <= n; i++) {
        sar_model* model = i < n ? load_model(path[i], NULL) : parse_model(JOINTS);
        place p = place_create(model, &sari_coordinates_increments);
        for (int k = 0; k < 3; k++) {
            place_anywhere(&p);
            check(&p);
        }
        place_clear(&p);
        sar_model_destroy(model);
    }
    free(path);
}

/* Any change that turns every spatial body by `angle`, and moves it by as much at most. */
static void any_change(const place* p, double angle, double* d)
{
    for (int i = 0; i < p->n; i++) d[i] = angle * any();
    for (int i = 0; p->sys->coordinates.turns && i < p->n - p->sys->states; i++) {
        if (!p->sys->coordinates.turns[i]) continue;
        any_direction(d + i);
        for (int k = 0; k < 3; k++) d[i + k] *= angle;
    }
}

/* Difference undoes move, and move undoes difference, up to the sign of a quaternion. */
static void check_move(place* p)
{
    // the series of sine and cosine, the closed forms, and their borders at 0.2 and 1
    static const double ANGLE[] = {0, 1e-13, 1e-9, 1e-4, 0.1999, 0.2001, 0.999, 1.001, 2, 3};
    const sari_coordinates* c = &p->sys->coordinates;
    const int np = p->sys->np;
    double *d = vector(p->n), *back = vector(p->n), *q = vector(np), *again = vector(np);
    for (size_t k = 0; k < sizeof ANGLE / sizeof *ANGLE; k++) {
        any_change(p, ANGLE[k], d);
        sari_coordinates_move(c, p->q, d, q);
        sari_coordinates_difference(c, p->q, q, back);
        check_same(p, "difference of a move", p->n, 1, back, d, 1e-12, 1.0);
        sari_coordinates_move(c, p->q, back, again);
        for (int i = 0; c->mechanism->dimension == 3 && i < np - c->states; i += 7) {
            CHECK_NEAR(dot(q + i + 3, q + i + 3, 4), 1.0, 1e-14);
            if (dot(q + i + 3, again + i + 3, 4) > 0.0) continue;
            for (int e = 3; e < 7; e++) again[i + e] *= -1.0;
        }
        check_same(p, "move by a difference", np, 1, again, q, 1e-12, 1.0);
    }
    free(d), free(back), free(q), free(again);
}

TEST(difference_is_the_inverse_of_move)
{
    at_places(check_move);
}

/* Carried along with a move, rates are those of the same motion in space: of bodies that turn each on
 * its own, the same angular velocities. And carried back they are what they were. */
static void check_carry(place* p)
{
    const sari_coordinates* c = &p->sys->coordinates;
    const sari_kinematics* k = p->sys->kinematics;
    double *d = vector(p->n), *v = vector(p->n), *q = vector(p->sys->np);
    any_change(p, 1.3, d);
    memcpy(v, p->v, (size_t)p->n * sizeof *v);
    sari_coordinates_carry(c, d, v);
    sari_coordinates_move(c, p->q, d, q);
    for (int b = 1; c->mechanism->dimension == 3 && b < c->mechanism->bodies; b++) {
        double before[3], after[3];
        sari_kinematics_update(p->sys->kinematics, p->q, p->v, 1);
        sari_kinematics_spin(k, b, p->q, p->v, before);
        sari_kinematics_update(p->sys->kinematics, q, v, 1);
        sari_kinematics_spin(k, b, q, v, after);
        check_same(p, "spin of a body that was carried", 3, 1, after, before, 1e-13, 1.0);
    }
    for (int i = 0; i < p->n; i++) d[i] = -d[i];
    sari_coordinates_carry(c, d, v);
    check_same(p, "rates carried there and back", p->n, 1, v, p->v, 1e-14, 1.0);
    free(d), free(v), free(q);
}

TEST(carried_rates_are_the_same_in_space)
{
    at_places(check_carry);
}

/* The rates of q are the slope of a move; velocities are found again from them, and accelerations
 * from the rates of the rates; the length of a quaternion means nothing. */
static void check_position_rates(place* p)
{
    const sari_coordinates* c = &p->sys->coordinates;
    const int np = p->sys->np, n = p->n;
    const double h = 1e-4;
    double *d = vector(n), *rate = vector(np), *slope = vector(np), *bend = vector(np);
    double *q = vector(np), *v = vector(n);
    sari_coordinates_position_rates(c, p->q, p->v, rate);
    for (int k = -2; k <= 2; k++) { // of v h k + a (h k)^2/2, a = weight
        static const double FIRST[] = {1, -8, 0, 8, -1}, SECOND[] = {-1, 16, -30, 16, -1};
        for (int i = 0; i < n; i++) d[i] = h * k * (p->v[i] + 0.5 * h * k * p->weight[i]);
        sari_coordinates_move(c, p->q, d, q);
        for (int i = 0; i < np; i++) slope[i] += FIRST[k + 2] * q[i] / (12.0 * h);
        for (int i = 0; i < np; i++) bend[i] += SECOND[k + 2] * q[i] / (12.0 * h * h);
    }
    check_same(p, "rates of positions", np, 1, rate, slope, 1e-9, 1.0);
    sari_coordinates_velocities(c, p->q, rate, v);
    check_same(p, "velocities", n, 1, v, p->v, 1e-14, 1.0);
    sari_coordinates_velocities(c, p->q, bend, v);
    check_same(p, "accelerations", n, 1, v, p->weight, 1e-6, 1.0);
    memcpy(q, p->q, (size_t)np * sizeof *q);
    sari_coordinates_normalise(c, q);
    CHECK(memcmp(q, p->q, (size_t)np * sizeof *q) == 0); // it is there already
    for (int i = 0; c->mechanism->dimension == 3 && i < np - c->states; i++)
        q[i] *= i % 7 < 3 ? 1.0 : 1.7;
    sari_coordinates_position_rates(c, q, p->v, rate);
    sari_coordinates_velocities(c, q, rate, v);
    check_same(p, "velocities beside the manifold", n, 1, v, p->v, 1e-14, 1.0);
    sari_coordinates_normalise(c, q);
    check_same(p, "back on the manifold", np, 1, q, p->q, 1e-15, 1.0);
    free(d), free(rate), free(slope), free(bend), free(q), free(v);
}

TEST(rates_of_positions_are_the_slope_of_a_move)
{
    at_places(check_position_rates);
}

// R exp(theta~) from the exponential's own series, for large angles too.
TEST(a_move_turns_by_the_exponential)
{
    sar_model* model = parse_model(JOINTS);
    place p = place_create(model, &sari_coordinates_increments);
    double *d = vector(p.n), *q = vector(p.sys->np), *X0 = vector(12 * 12);
    place_anywhere(&p);
    sari_kinematics_place(p.sys->kinematics, p.q);
    memcpy(X0, p.sys->kinematics->X, 12 * 12 * sizeof *X0);
    any_change(&p, 3.0, d);
    sari_coordinates_move(&p.sys->coordinates, p.q, d, q);
    sari_kinematics_place(p.sys->kinematics, q);
    for (int b = 1; b <= 11; b++)
        for (int axis = 0; axis < 3; axis++) {
            const double* w = d + 6 * (b - 1) + 3;
            double term[3] = {axis == 0, axis == 1, axis == 2}, sum[3] = {0};
            for (int k = 1; k < 60; k++) { // term = (theta x)^k e / k!
                for (int i = 0; i < 3; i++) sum[i] += term[i];
                const double next[3] = {w[1] * term[2] - w[2] * term[1],
                                        w[2] * term[0] - w[0] * term[2],
                                        w[0] * term[1] - w[1] * term[0]};
                for (int i = 0; i < 3; i++) term[i] = next[i] / k;
            }
            for (int i = 0; i < 3; i++) {
                const double* R = X0 + 12 * b + 3;
                const double wanted = R[i] * sum[0] + R[3 + i] * sum[1] + R[6 + i] * sum[2];
                CHECK_NEAR(p.sys->kinematics->X[12 * b + 3 + 3 * axis + i], wanted, 1e-13);
            }
        }
    free(d), free(q), free(X0);
    place_clear(&p);
    sar_model_destroy(model);
}

/* ---- reactions and stiffness ---------------------------------------------------------------- */

/* Phi_q' lambda, from Phi_q. */
static void reaction(place* p, double t, const double* q, const double* v, double* out)
{
    (void)v;
    sari_equations_eval(&p->sys->equations, SARI_EVAL_JACOBIAN, t, q, NULL);
    memset(out, 0, (size_t)p->n * sizeof *out);
    sari_csr_multiply_add_transposed(&p->sys->Phi_q, 1.0, p->lambda, out);
}

/* Added to what is there; where Phi_q is not needed, with a Phi_q that belongs elsewhere. */
static void check_reaction(place* p)
{
    sari_system* sys = p->sys;
    double *wanted = vector(p->n), *got = vector(p->n);
    reaction(p, p->t, p->q, NULL, wanted);
    for (int i = 0; i < p->n; i++) wanted[i] = p->weight[i] - 2.5 * wanted[i];
    memcpy(got, p->weight, (size_t)p->n * sizeof *got);
    const int free_of_it = sari_equations_reaction_without_jacobian(&sys->equations);
    if (free_of_it)
        sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN, p->t, sys->coordinates.q0, NULL);
    sari_equations_eval(&sys->equations, free_of_it ? SARI_EVAL_PHI : SARI_EVAL_JACOBIAN, p->t,
                        p->q, NULL);
    sari_equations_add_reaction(&sys->equations, -2.5, p->lambda, got);
    check_same(p, "reaction", p->n, 1, got, wanted, 1e-13, 1.0);
    // with relations of angles, and with rows on velocities, there is no way round Phi_q
    CHECK(free_of_it == (sys->coordinates.evaluator == &sari_evaluator_free &&
                         sys->mechanism->relations_count == 0 && sys->velocity_rows == 0));
    free(wanted), free(got);
}

TEST(reactions_do_without_the_jacobian)
{
    at_places(check_reaction);
}

/* The stiffness of points and directions is that of the reaction within a body: its symmetric part,
 * since moves one after the other do not commute. Other conditions have none. */
static void check_stiffness(place* p)
{
    static const int AT[6][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}};
    const sari_free* s = p->sys->evaluator_self;
    const int n = p->n, of_bodies = n - p->sys->states;
    if (!s) return;
    double *kept = vector(p->m), *slope = vector(n * n), *wanted = vector(n), *got = vector(n);
    for (int i = 0; i < s->count; i++) {
        const sari_free_row* r = &s->rows[i];
        for (int k = 0; r->kind == SARI_FREE_POINTS && k < 3; k++) kept[r->row + k] = 1.0;
        if (r->kind == SARI_FREE_DOT) kept[r->row] = 1.0;
    }
    sari_kinematics_place(p->sys->kinematics, p->q);
    sari_free_stiffness(s, p->sys->kinematics->X, p->lambda, got);
    for (int r = 0; r < p->m; r++) p->lambda[r] *= kept[r];
    jacobian_of(reaction, p, 0, n, slope);
    for (int i = 0; i < of_bodies; i++) {
        const int row = i / 6 * 6 + 3 + AT[i % 6][0], col = i / 6 * 6 + 3 + AT[i % 6][1];
        wanted[i] = 0.5 * (slope[n * row + col] + slope[n * col + row]);
    }
    check_same(p, "stiffness within a body", of_bodies / 6, 6, got, wanted, 2e-8, 1.0);
    free(kept), free(slope), free(wanted), free(got);
}

TEST(stiffness_is_the_slope_of_the_reaction)
{
    at_places(check_stiffness);
}

/* ---- the graph ------------------------------------------------------------------------------ */

static void check_graph(const char* model, const char* parameters, int longest, int tree)
{
    problem_run run;
    sari_mechanism* m = NULL;
    if (strncmp(model, "sarrus:", 7) == 0)
        problem_parse(&run, model);
    else
        problem_load(&run, model, parameters);
    CHECK_STATUS(sari_mechanism_create(run.model, NULL, &m, NULL), SAR_OK);
    if (sari_mechanism_longest_path(m) != longest || sari_mechanism_is_tree(m) != tree)
        fail_msg("%s %s: longest path %d, tree %d; wanted %d, %d", sar_model_name(run.model),
                 parameters, sari_mechanism_longest_path(m), sari_mechanism_is_tree(m), longest,
                 tree);
    sari_mechanism_destroy(m);
    problem_free(&run);
}

TEST(paths_and_trees)
{
    check_graph(PROBLEM("chain"), "n=1", 1, 1);
    check_graph(PROBLEM("chain"), "n=37", 37, 1);
    check_graph(PROBLEM("tree"), "n=1", 1, 1);
    check_graph(PROBLEM("tree"), "n=31", 5, 1);
    check_graph(PROBLEM("tree"), "n=32", 6, 1);
    check_graph(PROBLEM("spatial-double-pendulum"), "", 2, 1);
    check_graph(PROBLEM("ladder"), "n=3", 7, 0); // bar, and a rail and a rung three times
    check_graph(PROBLEM("four-bar"), "", 2, 0);
    check_graph(PROBLEM("bricard"), "", 3, 0);               // five rods between two places
    check_graph(TEST_MODEL("free-top"), "", 1, 1);           // no joint
    check_graph(TEST_MODEL("distance"), "", 1, 1);           // one condition
    check_graph(TEST_MODEL("fixed"), "", 2, 1);              // welded to another
    check_graph(TEST_MODEL("gear-train"), "", 1, 0);         // a relation
    check_graph(TEST_MODEL("screw-jack"), "", 1, 0);         // the same within a joint
    check_graph(TEST_MODEL("point-on-line"), "", 1, 0);      // two joints to the ground
    check_graph(JOINTS, "", 11, 1);                          // from the first body of what floats
    check_graph("sarrus: 1\nname: two parts\ndimension: 2\n" // three float, the others hang
                "bodies:\n"
                "  A: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"
                "  B: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"
                "  C: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"
                "  D: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"
                "  E: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"
                "joints:\n"
                "  AC: {type: revolute, between: [C, A]}\n"
                "  CE: {type: revolute, between: [C, E]}\n"
                "  GB: {type: revolute, between: [B, ground.origin]}\n"
                "  BD: {type: revolute, between: [D, B]}\n",
                "", 3, 1);
}

/* Names of the bodies in loops, in their order. */
static void check_loops(const char* text, const char* wanted)
{
    problem_run run;
    sari_mechanism* m = NULL;
    char in_loop[16], got[64] = "";
    problem_parse(&run, text);
    CHECK_STATUS(sari_mechanism_create(run.model, NULL, &m, NULL), SAR_OK);
    assert_true(m->bodies <= (int)sizeof in_loop && sari_mechanism_find_loops(m, in_loop));
    for (int b = 1; b < m->bodies; b++)
        if (in_loop[b]) strcat(got, m->model->bodies[b].name);
    assert_string_equal(got, wanted);
    sari_mechanism_destroy(m);
    problem_free(&run);
}

#define FIVE_BODIES                                                                                \
    "sarrus: 1\nname: five\ndimension: 2\nbodies:\n"                                               \
    "  A: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"                                     \
    "  B: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"                                     \
    "  C: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"                                     \
    "  D: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"                                     \
    "  E: {mass: 1, inertia: 1, position: [0, 0], angle: 0}\n"                                     \
    "joints:\n"

TEST(bodies_in_loops)
{
    check_loops(FIVE_BODIES "  AB: {type: revolute, between: [A, B]}\n" // a loop with a tail
                            "  BC: {type: revolute, between: [B, C]}\n"
                            "  CA: {type: revolute, between: [C, A]}\n"
                            "  DC: {type: revolute, between: [D, C]}\n"
                            "  ED: {type: revolute, between: [E, D]}\n",
                "ABC");
    check_loops(FIVE_BODIES "  GA: {type: revolute, between: [ground.origin, A]}\n" // a chain
                            "  BC: {type: revolute, between: [B, C]}\n"
                            "  AB: {type: revolute, between: [A, B]}\n",
                "");
    check_loops(FIVE_BODIES "  GA: {type: revolute, between: [ground.origin, A]}\n" // the ground
                            "  AB: {type: revolute, between: [A, B]}\n"
                            "  BG: {type: revolute, between: [B, ground.origin]}\n"
                            "  CB: {type: revolute, between: [C, B]}\n",
                "AB");
    check_loops(FIVE_BODIES "  AB: {type: revolute, between: [A, B]}\n" // two joints are a loop
                            "  BA: {type: revolute, between: [B, A]}\n"
                            "  CD: {type: prismatic, between: [C, D], axis: [1, 0]}\n",
                "AB");
    check_loops(FIVE_BODIES "  AB: {type: revolute, between: [A, B]}\n" // a drive
                            "  CD: {type: revolute, between: [C, D]}\n"
                            "drives:\n  turns: {joint: AB, value: t}\n",
                "AB");
}

/* ---- corrections ---------------------------------------------------------------------------- */

static void advance(problem_run* run, int steps)
{
    for (int k = 0; k < steps; k++)
        if (sar_simulation_advance(run->simulation) != SAR_OK)
            fail_msg("%s: %s", sar_model_name(run->model), sar_simulation_failure(run->simulation));
}

static double largest_difference(const double* x, const double* y, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* Newton-Raphson and tangents that are kept, in the same coordinates. */
static void check_kept(const char* path, const char* parameters, const char* method)
{
    static const char* const LIFE[] = {"1", "0", "3"};
    problem_run run[3];
    for (int i = 0; i < 3; i++) {
        char options[160];
        snprintf(options, sizeof options, "%s tangent-life=%s step=5e-3 newton-tolerance=1e-11",
                 method, LIFE[i]);
        problem_start(&run[i], path, parameters, options);
        advance(&run[i], IN_FULL_OR_SAMPLE(60, 20));
        const sari_state *x = &run[i].simulation->state, *y = &run[0].simulation->state;
        CHECK_AT_MOST(largest_difference(x->q, y->q, x->np), 1e-8);
        CHECK_AT_MOST(largest_difference(x->v, y->v, x->n), 1e-8);
        CHECK(sar_simulation_statistics(run[i].simulation).not_converged == 0);
    }
    for (int i = 0; i < 3; i++) problem_free(&run[i]);
}

TEST(kept_tangents_lead_to_the_same_solution)
{
    static const char* const METHODS[] = {
        "coordinates=increments solver=dca", "coordinates=increments solver=sparse",
        "coordinates=increments solver=dense geometric=0", "coordinates=cartesian solver=dca",
        "coordinates=natural solver=sparse"};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        check_kept(PROBLEM("chain"), "n=16", METHODS[k]);
        check_kept(PROBLEM("tree"), "n=15", METHODS[k]);
        check_kept(PROBLEM("ladder"), "n=3", METHODS[k]);
        check_kept(PROBLEM("four-bar"), "", METHODS[k]);
        check_kept(PROBLEM("spatial-double-pendulum"), "Jx=0.2 Jy=0.5 Jz=0.6", METHODS[k]);
        check_kept(TEST_MODEL("screw-jack"), "", METHODS[k]);
        check_kept(TEST_MODEL("bushing"), "", METHODS[k]);
    }
}

TEST(fixed_iterations_are_exactly_that_many)
{
    static const char* const METHODS[] = {"preset=DCA", "preset=i3DCA", "preset=DCA tangent-life=0",
                                          "preset=DCA solver=sparse tangent-life=3",
                                          "coordinates=natural"};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++)
        for (int fixed = 1; fixed <= 4; fixed++) {
            problem_run run;
            char options[160];
            snprintf(options, sizeof options, "%s iterations=fixed:%d step=5e-3", METHODS[k],
                     fixed);
            problem_start(&run, PROBLEM("chain"), "n=8", options);
            for (int step = 1; step <= 10; step++) {
                advance(&run, 1);
                CHECK(sar_simulation_statistics(run.simulation).iterations == fixed * step);
            }
            problem_free(&run);
        }
}

// Corrections of the size of rounding do not contract, and that is no sign of a singular configuration.
TEST(more_iterations_than_needed_change_nothing)
{
    static const char* const METHODS[] = {"preset=DCA", "preset=DCA alpha=inf", "preset=i3DCA",
                                          "coordinates=natural", "coordinates=natural alpha=inf"};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        problem_run run[2];
        for (int i = 0; i < 2; i++) {
            char options[96];
            snprintf(options, sizeof options, "%s step=5e-3 iterations=fixed:%d", METHODS[k],
                     i ? 8 : 3);
            problem_start(&run[i], PROBLEM("chain"), "n=16", options);
            advance(&run[i], 40);
        }
        const sari_state *x = &run[0].simulation->state, *y = &run[1].simulation->state;
        CHECK_AT_MOST(largest_difference(x->q, y->q, x->np), 1e-8);
        CHECK_AT_MOST(largest_difference(x->v, y->v, x->n), 1e-7);
        for (int i = 0; i < 2; i++) problem_free(&run[i]);
    }
}

/* ---- the penalty ---------------------------------------------------------------------------- */

TEST(a_penalty_too_small_for_a_long_chain_is_named)
{
    static const char* const METHODS[] = {"preset=i3DCA", "preset=DCA iterations=fixed:3"};
    for (int k = 0; k < 2; k++) {
        problem_run run;
        char options[96];
        snprintf(options, sizeof options, "%s alpha=1e6 step=1e-2 end=10", METHODS[k]);
        problem_start(&run, PROBLEM("chain"), "n=128", options);
        sar_status st = SAR_OK;
        while (st == SAR_OK && !sar_simulation_done(run.simulation))
            st = sar_simulation_advance(run.simulation);
        CHECK(st > 0); // h^2/4 alpha (pi/2n)^2 = 0.0038
        CHECK_NEAR(sar_simulation_statistics(run.simulation).filter, 3.765e-3, 1e-5);
        const char* said = sar_simulation_failure(run.simulation);
        if (!strstr(said, "filter number is 0.0038") || !strstr(said, "at least 5.3e+08"))
            fail_msg("\"%s\" names no filter number", said);
        problem_free(&run);
    }
}

TEST(the_own_penalty_is_large_enough_for_long_chains)
{
    static const char* const N[] = {"n=4", "n=128", "n=1000"};
    static const char* const METHODS[] = {"preset=i3DCA", "preset=DCA", "coordinates=natural"};
    for (int k = 0; k < 9; k++) {
        problem_run run;
        char options[96];
        snprintf(options, sizeof options, "%s step=1e-2", METHODS[k % 3]);
        problem_start(&run, PROBLEM("chain"), N[k / 3], options);
        advance(&run, 1);
        const double filter = sar_simulation_statistics(run.simulation).filter;
        if (!(filter >= 10 * (1 - 1e-12)))
            fail_msg("%s, %s: filter number %g", N[k / 3], options, filter);
        problem_free(&run);
    }
}

/* ---- gyroscopic terms ----------------------------------------------------------------------- */

// No two moments of inertia alike, turning near the middle axis, where it tumbles.
static const char TUMBLING[] =
    "sarrus: 1\n"
    "name: tumbling body\n"
    "dimension: 3\n"
    "bodies:\n"
    "  body: {mass: 2, inertia: [0.3, 0.5, 0.6, 0.05, -0.04, 0.02], center: [0.1, -0.2, 0.3],\n"
    "         position: [0, 0, 0], rotation: {axis: [1, -1, 2], angle: 0.7}, velocity: [1, 2, 0],\n"
    "         angular_velocity: [0.4, 5, -0.3]}\n";

/* Angular momentum about the centre, world axes: R J R' w. */
static void momentum_of(const sar_simulation* s, double L[3])
{
    const double* I = s->model->bodies[1].def.inertia;
    const double J[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    const double* R = s->system->kinematics->X + 15; // columns
    double x[3], w[3], u[3], spin[3];
    sar_simulation_velocity(s, (sar_body_id){1}, x, w);
    sari_kinematics_place(s->system->kinematics, s->state.q);
    for (int i = 0; i < 3; i++) u[i] = dot(R + 3 * i, w, 3);
    for (int i = 0; i < 3; i++) spin[i] = dot(J[i], u, 3);
    for (int i = 0; i < 3; i++) L[i] = R[i] * spin[0] + R[3 + i] * spin[1] + R[6 + i] * spin[2];
}

/* Largest changes of the energy and of the angular momentum, relative, in 3 s. */
static void drift_of(const char* method, double step, double drift[2])
{
    problem_run run;
    char options[96];
    double L0[3], L[3];
    problem_parse(&run, TUMBLING);
    snprintf(options, sizeof options, "%s end=3 step=%g", method, step);
    problem_create(&run, options);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
    momentum_of(run.simulation, L0);
    const double E0 = sar_simulation_energy(run.simulation).kinetic;
    drift[0] = drift[1] = 0.0;
    while (!sar_simulation_done(run.simulation)) {
        advance(&run, 1);
        momentum_of(run.simulation, L);
        for (int i = 0; i < 3; i++) L[i] -= L0[i];
        const double E = sar_simulation_energy(run.simulation).kinetic;
        drift[0] = fmax(drift[0], fabs(E / E0 - 1.0));
        drift[1] = fmax(drift[1], sqrt(dot(L, L, 3) / dot(L0, L0, 3)));
    }
    problem_free(&run);
}

TEST(a_tumbling_body_keeps_energy_and_momentum_to_second_order)
{
    double coarse[2], fine[2];
    drift_of("preset=DCA", 4e-3, coarse);
    drift_of("preset=DCA", 2e-3, fine);
    for (int k = 0; k < 2; k++) {
        CHECK_AT_MOST(coarse[k], 1e-3);
        CHECK_NEAR(log2(coarse[k] / fine[k]), 2.0, 0.1);
    }
}
