/* Tangents that serve several steps where bodies spin meanwhile. A wheel that has turned on its bearing has the same constraints in space: a change and its gaps, forces and multipliers, all
 * carried to where S was factored, belong together as they did. */
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
    sari_transport c = {0};
    double q[14], d[12] = {[CAR + 5] = angle}, x[12], x_there[12], g[ROWS], g_there[ROWS], old[64];
    double mu[ROWS], mu_there[ROWS], f[12] = {0}, f_there[12] = {0};
    CHECK(n == 12 && sys->np == 14 && J->rows == ROWS && entries <= 64);
    sari_transport_create(&c, &memory, &sys->equations);
    evaluate(sys, sys->coordinates.q0);
    memcpy(old, J->x, (size_t)entries * sizeof *old);
    sari_transport_begin(&c, sys->coordinates.q0);
    sari_coordinates_move(&sys->coordinates, sys->coordinates.q0, d, q);
    evaluate(sys, q);
    sari_transport_prepare(&c, q);

    for (int i = 0; i < n; i++) x[i] = x_there[i] = any();
    sari_csr_multiply(J, x, g);
    sari_transport_there(&c, x_there, g); // any vector
    for (int r = 0; r < ROWS; r++) {
        g_there[r] = 0.0;
        for (int k = J->p[r]; k < J->p[r + 1]; k++) g_there[r] += old[k] * x_there[J->i[k]];
        CHECK_NEAR(g[r], g_there[r], 1e-13);
    }

    for (int r = 0; r < ROWS; r++) mu[r] = mu_there[r] = any();
    reaction(J, old, mu_there, f_there);
    sari_transport_here(&c, f_there, mu);
    reaction(J, J->x, mu, f);
    for (int i = 0; i < n; i++) CHECK_NEAR(f[i], f_there[i], 1e-13);
    sari_transport_here(&c, x_there, mu);
    for (int i = 0; i < n; i++) CHECK_NEAR(x_there[i], x[i], 1e-14);
    sari_arena_clear(&memory);
}

TEST(a_wheel_that_spins_is_the_same_in_space)
{
    sar_model* model = parse_model(WHEEL);
    place p = place_create(model, &sari_coordinates_increments);
    static const double ANGLE[] = {0.0, 1e-3, 0.2, 1.5, 3.0, -2.0};
    for (size_t k = 0; k < sizeof ANGLE / sizeof *ANGLE; k++) check_spin(p.sys, ANGLE[k]);
    place_clear(&p);
    sar_model_destroy(model);
}
