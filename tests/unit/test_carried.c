/* Tangents that serve several steps: how long, and where bodies spin meanwhile. A wheel that has turned
 * on its bearing has the same constraints in space: a change and its gaps, forces and multipliers, all
 * carried to where S was factored, belong together as they did. */
#include "formulations/al3/tangent_reuse.h"
#include "formulations/al3/transported_tangent.h"
#include "neck_fixture.h"

/* The axis of the bearing leans, and neither body is drawn along the axes of the world. */
static const char WHEEL[] =
    "sarrus: 1\n"
    "name: wheel\n"
    "dimension: 3\n"
    "bodies:\n"
    "  car: {mass: 9, inertia: [3, 4, 5], points: {hub: [0.7, -0.2, 0.3]}, position: [1, 2, 3],\n"
    "        rotation: {axis: [1, 2, -1], angle: 0.4}}\n"
    "  wheel: {mass: 1, inertia: [0.3, 0.3, 0.5], axes: {spin: [0, 0, 1]}, position: [1.7, 1.8, "
    "3.3],\n"
    "        rotation: {axis: [1, 2, -1], angle: 0.4}}\n"
    "joints:\n"
    "  bearing: {type: revolute, between: [car.hub, wheel.origin], axis: [car.z, wheel.spin]}\n";

enum { CAR = 6, ROWS = 5 };

static void evaluate(sari_system* sys, const double* q)
{
    CHECK(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN, 0.0, q, NULL) == SAR_OK);
}

static void reaction(const sari_csr* J, const double* x, const double* mu, double* f)
{
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) f[J->i[k]] += x[k] * mu[r];
}

/* Everything about the wheel after it has turned by `angle` on its axis. */
static void check_spin(sari_system* sys, double angle)
{
    const sari_csr* J = &sys->Phi_q;
    const int n = sys->nq, entries = J->p[ROWS];
    sari_arena memory = {0};
    sari_carried c = {0};
    double q[14], d[12] = {[CAR + 5] = angle}, x[12], x_there[12], g[ROWS], g_there[ROWS], old[64];
    double mu[ROWS], mu_there[ROWS], f[12] = {0}, f_there[12] = {0};
    CHECK(n == 12 && sys->np == 14 && J->rows == ROWS && entries <= 64);
    sari_carried_create(&c, &memory, &sys->equations);
    evaluate(sys, sys->coordinates.q0);
    memcpy(old, J->x, (size_t)entries * sizeof *old);
    sari_carried_begin(&c, sys->coordinates.q0);
    sari_coordinates_move(&sys->coordinates, sys->coordinates.q0, d, q);
    evaluate(sys, q);
    sari_carried_look(&c, q);

    for (int i = 0; i < n; i++) x[i] = x_there[i] = any();
    sari_csr_multiply(J, x, g);
    sari_carried_there(&c, x_there, g); // any vector
    for (int r = 0; r < ROWS; r++) {
        g_there[r] = 0.0;
        for (int k = J->p[r]; k < J->p[r + 1]; k++) g_there[r] += old[k] * x_there[J->i[k]];
        CHECK_NEAR(g[r], g_there[r], 1e-13);
    }

    for (int r = 0; r < ROWS; r++) mu[r] = mu_there[r] = any();
    reaction(J, old, mu_there, f_there);
    sari_carried_here(&c, f_there, mu);
    reaction(J, J->x, mu, f);
    for (int i = 0; i < n; i++) CHECK_NEAR(f[i], f_there[i], 1e-13);
    sari_carried_here(&c, x_there, mu);
    for (int i = 0; i < n; i++) CHECK_NEAR(x_there[i], x[i], 1e-14);
    sari_arena_clear(&memory);
}

static void a_wheel_that_spins_is_the_same_in_space(void** state)
{
    (void)state;
    sar_model* model = parse_model(WHEEL);
    place p = place_create(model, &sari_coordinates_increments);
    static const double ANGLE[] = {0.0, 1e-3, 0.2, 1.5, 3.0, -2.0};
    for (size_t k = 0; k < sizeof ANGLE / sizeof *ANGLE; k++) check_spin(p.sys, ANGLE[k]);
    place_clear(&p);
    sar_model_destroy(model);
}

/* ---- how long ------------------------------------------------------------------------------- */

static const double CA = 4e6;

static sari_kept dear(void)
{
    sari_kept kept = {0};
    sari_kept_choose(&kept, -1, 1, 1000, 0);
    CHECK(kept.expensive);
    return kept;
}

/* A step of so many corrections, each a hundredth of the one before. Did S of before serve it? */
static int step(sari_kept* kept, int before, int corrections, double ca)
{
    sari_kept_begin(kept, before);
    const int good = sari_kept_good(kept, 1, ca);
    for (int k = 1; k <= corrections; k++) {
        if (!sari_kept_good(kept, k, ca)) {
            (void)sari_kept_want_slopes(kept, k);
            sari_kept_factored(kept, 1.0, ca);
        } else {
            kept->age++;
        }
        sari_kept_corrected(kept, k, 1e-6 * pow(0.01, k));
    }
    return good;
}

static void S_serves_while_it_costs_nothing(void** state)
{
    (void)state;
    sari_kept kept = dear();
    int served = 0;
    CHECK(!step(&kept, 0, 1, CA));
    while (served < 1000 && step(&kept, 1, 1, CA)) served++;
    CHECK(served >= 4 && served < 1000); // but not for ever
    CHECK(step(&kept, 1, 1, CA));        // the next one does
    CHECK(!step(&kept, 1, 1, 4.0 * CA)); // not with another step
    CHECK(step(&kept, 1, 1, 4.0 * CA * (1.0 + 1e-13)));
    sari_kept_forget(&kept);
    CHECK(!step(&kept, 1, 1, 4.0 * CA)); // nor after a new beginning
}

static void S_does_not_serve_where_corrections_are_added(void** state)
{
    (void)state;
    sari_kept kept = dear();
    CHECK(!step(&kept, 0, 1, CA));
    CHECK(step(&kept, 1, 3, CA)); // two more than with an S of its own
    CHECK(!step(&kept, 3, 1, CA));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wheel_that_spins_is_the_same_in_space),
        cmocka_unit_test(S_serves_while_it_costs_nothing),
        cmocka_unit_test(S_does_not_serve_where_corrections_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
