/* Dynamics by recursion along a tree (and the sines and cosines in it), beside the mass matrix and
 * the forces that tree_inertia.c gives and test_tree.c holds against their definitions. */
#include "coordinates/articulated.h"
#include "coordinates/sine_cosine.h"
#include "sar_test.h"
#include "tree_fixture.h"

/// A tree at some place with some velocities and forces.
typedef struct setup {
    tree_case c;
    sari_tree* t;
    sari_articulated* recursion;
    int nq;
    double *q, *v, *a, *tau, *X, *Xd, *Xdd;
    sari_sym M;
} setup;

static double* vector(int n)
{
    return calloc((size_t)(n > 0 ? n : 1), sizeof(double));
}

static double largest_of(const double* x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static setup setup_of(tree_plan p)
{
    setup s = {.c = tree_case_of(&p)};
    plan_free(&p);
    CHECK(s.c.tree != NULL);
    s.t = s.c.tree, s.nq = s.t->nq;
    s.recursion = sari_articulated_create(s.t);
    CHECK(s.recursion != NULL);
    s.q = vector(s.t->np), s.v = vector(s.nq), s.a = vector(s.nq), s.tau = vector(s.nq);
    s.X = vector(s.c.nx_all), s.Xd = vector(s.c.nx_all), s.Xdd = vector(s.c.nx_all);
    sari_pattern mass;
    sari_csr none = {0};
    sari_pattern_init(&mass, s.nq, s.nq);
    CHECK_STATUS(sari_tree_mass_pattern(s.t, &mass), SAR_OK);
    CHECK_STATUS(sari_pattern_make_sym(&mass, &s.M), SAR_OK);
    sari_pattern stiff;
    sari_pattern_init(&stiff, s.nq, s.nq);
    CHECK_STATUS(sari_tree_stiffness_pattern(s.t, &stiff), SAR_OK);
    CHECK_STATUS(sari_pattern_make_csr(&stiff, &none), SAR_OK);
    CHECK_STATUS(sari_tree_locate(s.t, &s.M, &none), SAR_OK);
    sari_pattern_clear(&mass), sari_pattern_clear(&stiff);
    sari_csr_clear(&none);
    return s;
}

static void setup_anywhere(setup* s)
{
    tree_any_place(s->t, s->q);
    for (int k = 0; k < s->nq; k++) s->v[k] = tree_any(), s->tau[k] = 5 * tree_any();
}

static void setup_clear(setup* s)
{
    double* all[] = {s->q, s->v, s->a, s->tau, s->X, s->Xd, s->Xdd};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    sari_articulated_destroy(s->recursion);
    sari_sym_clear(&s->M);
    tree_case_clear(&s->c);
}

/* M a = tau + Q, with the parts as large as they are */
static void check_equations(setup* s, const double* tau)
{
    double *Q = vector(s->nq), *Ma = vector(s->nq);
    sari_tree_place(s->t, s->q, s->X);
    sari_tree_rates(s->t, s->X, s->v, s->Xd, s->Xdd);
    sari_tree_force(s->t, 1, Q);
    sari_tree_mass(s->t, s->M.x);
    sari_sym_multiply(&s->M, s->M.x, s->a, Ma);
    // large parts of the product cancel: measure by them
    double scale = largest_of(Q, s->nq) + largest_of(s->tau, s->nq);
    for (int k = 0; k < s->nq; k++) scale = fmax(scale, fabs(s->M.x[s->M.p[k]]) * fabs(s->a[k]));
    for (int k = 0; k < s->nq; k++) CHECK_NEAR(Ma[k], Q[k] + (tau ? tau[k] : 0.0), 1e-10 * scale);
    free(Q);
    free(Ma);
}

static void check_inverse(setup* s)
{
    double* back = vector(s->nq);
    sari_articulated_inverse(s->recursion, s->q, s->v, s->a, back);
    double scale = largest_of(s->tau, s->nq);
    for (int k = 0; k < s->nq; k++) scale = fmax(scale, fabs(s->M.x[s->M.p[k]]) * fabs(s->a[k]));
    for (int k = 0; k < s->nq; k++) CHECK_NEAR(back[k], s->tau[k], 1e-10 * scale);
    free(back);
}

static double energy(setup* s, const double* q, const double* v)
{
    const sari_mechanism* m = s->c.mechanism;
    double sum = 0.0;
    sari_tree_place(s->t, q, s->X);
    for (int b = 1; b < m->bodies; b++)
        for (int k = 0; k < m->dimension; k++)
            sum -= m->model->bodies[b].def.mass * m->model->gravity[k] * s->X[m->nx * b + k];
    return sum + sari_tree_kinetic_energy(s->t, v);
}

/* The energy grows by the power of tau. */
static void check_power(setup* s)
{
    static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2}, h = 1e-3;
    double *q = vector(s->t->np), *v = vector(s->nq), rate = 0.0, power = 0.0, size = 0.0;
    for (int i = 0; i < 4; i++) {
        tree_move(s->t, s->q, h * at[i], s->v, q);
        for (int k = 0; k < s->nq; k++) v[k] = s->v[k] + h * at[i] * s->a[k];
        const double E = energy(s, q, v);
        rate += weight[i] * E / (12 * h), size = fmax(size, fabs(E));
    }
    for (int k = 0; k < s->nq; k++) power += s->tau[k] * s->v[k];
    CHECK_NEAR(rate, power, 1e-7 * (1 + size + largest_of(s->a, s->nq)));
    free(q);
    free(v);
}

static void check_dynamics(setup* s)
{
    int node = -7;
    setup_anywhere(s);
    CHECK_STATUS(sari_articulated_accelerations(s->recursion, s->q, s->v, NULL, s->a, &node),
                 SAR_OK);
    check_equations(s, NULL);
    CHECK_STATUS(sari_articulated_accelerations(s->recursion, s->q, s->v, s->tau, s->a, NULL),
                 SAR_OK);
    CHECK(node == -7);
    check_equations(s, s->tau);
    check_inverse(s);
    check_power(s);
}

static void check_any_tree(int dimension, int nodes, int chain)
{
    setup s = setup_of(plan_any_tree(dimension, nodes, chain));
    for (int k = 0; k < 3; k++) check_dynamics(&s);
    setup_clear(&s);
}

TEST(in_space_accelerations_satisfy_the_equations)
{
    for (int round = 0; round < 60; round++)
        check_any_tree(3, 1 + tree_any_below(round < 30 ? 6 : 50), round % 2);
}

TEST(in_the_plane_accelerations_satisfy_the_equations)
{
    for (int round = 0; round < 60; round++)
        check_any_tree(2, 1 + tree_any_below(round < 30 ? 6 : 50), round % 2);
}

TEST(chains_too)
{
    for (int ball = 0; ball < 2; ball++) {
        setup s = setup_of(plan_chain(200, ball ? SARI_BALL : SARI_TURN));
        check_dynamics(&s);
        setup_clear(&s);
    }
}

/* A free body: three slides and a ball in one place, massless but the last. */
TEST(a_free_body_falls_and_precesses)
{
    static const double turn_x[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; // the next axis becomes z
    tree_plan p = plan_of(3, 4, 1);
    for (int i = 0; i < 3; i++) {
        p.node[i].motion = SARI_SLIDE;
        memcpy(p.node[i].R, turn_x, sizeof turn_x);
    }
    p.node[3].motion = SARI_BALL;
    p.body[0] = (planned_body){.node = 3, .mass = 2, .inertia = {0.3, 0.4, 0.5}};
    memcpy(p.body[0].R, TREE_UNIT, sizeof TREE_UNIT);
    p.bodies = 1;
    setup s = setup_of(p);
    setup_anywhere(&s);
    CHECK_STATUS(sari_articulated_accelerations(s.recursion, s.q, s.v, NULL, s.a, NULL), SAR_OK);
    const double *g = s.c.model->gravity, *w = s.v + 3;
    for (int k = 0; k < 3; k++) CHECK_NEAR(s.a[k], g[k], 1e-13); // x, y, z in this order
    CHECK_NEAR(s.a[3], (0.4 - 0.5) / 0.3 * w[1] * w[2], 1e-13);  // Euler
    CHECK_NEAR(s.a[4], (0.5 - 0.3) / 0.4 * w[2] * w[0], 1e-13);
    CHECK_NEAR(s.a[5], (0.3 - 0.4) / 0.5 * w[0] * w[1], 1e-13);
    setup_clear(&s);
}

/* PUMA 560: torques and accelerations published for it, with the motors' inertia. */
TEST(a_robot_is_as_published)
{
    static const double q[6] = {0, 0.25 * M_PI, M_PI, 0, 0.25 * M_PI, 0}, zero[6],
                        weight[6] = {0, 31.6399, 6.0351, 0, 0.0283, 0}, a[6] = {1, 2, 3, 1, 2, 3},
                        inertial[6] = {3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823},
                        rotor[6] = {200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6},
                        gear[6] = {62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686};
    double still[6], tau[6];
    setup s = setup_of(plan_puma());
    const double* R = s.t->body_R + 9 * 3; // the moment about z of link 3, see PUMA_IZZ_3
    double* J = s.t->node[2].J;
    J[0] += PUMA_IZZ_3 * R[2] * R[2], J[1] += PUMA_IZZ_3 * R[5] * R[5];
    J[2] += PUMA_IZZ_3 * R[8] * R[8], J[3] += PUMA_IZZ_3 * R[2] * R[5];
    J[4] += PUMA_IZZ_3 * R[2] * R[8], J[5] += PUMA_IZZ_3 * R[5] * R[8];
    sari_articulated_destroy(s.recursion);
    s.recursion = sari_articulated_create(s.t);
    sari_articulated_inverse(s.recursion, q, zero, zero, still);
    sari_articulated_inverse(s.recursion, q, zero, a, tau);
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(still[k], weight[k], 5.1e-5);
        CHECK_NEAR(tau[k] - still[k] + rotor[k] * gear[k] * gear[k] * a[k], inertial[k], 5.1e-5);
    }
    setup_clear(&s);
}

/* Two hinges on one axis with nothing between them; a link without mass at the end. */
TEST(a_motion_without_mass_is_named)
{
    const sari_joint_motion motion[3] = {SARI_TURN, SARI_SLIDE, SARI_BALL};
    for (int kind = 0; kind < 3; kind++) {
        tree_plan p = plan_of(3, 4, 4);
        for (int i = 0; i < 4; i++) {
            p.node[i].motion = motion[kind];
            p.node[i].r[0] = i == 2 ? 0 : 0.3;
            if (i != 1) plan_any_body(&p, i);
            if (i == 2) continue; // the same axis
            tree_any_rotation(p.node[i].R);
        }
        setup s = setup_of(p);
        int node = -7;
        tree_any_place(s.t, s.q);
        CHECK_STATUS(sari_articulated_accelerations(s.recursion, s.q, s.v, NULL, s.a, &node),
                     SAR_R_SINGULAR);
        CHECK(node == 1);
        setup_clear(&s);

        p = plan_of(3, 3, 2);
        for (int i = 0; i < 3; i++) p.node[i].motion = motion[kind];
        plan_any_body(&p, 0), plan_any_body(&p, 1);
        s = setup_of(p);
        CHECK_STATUS(sari_articulated_accelerations(s.recursion, s.q, s.v, NULL, s.a, &node),
                     SAR_R_SINGULAR);
        CHECK(node == 2);
        setup_clear(&s);
    }
}

TEST(what_is_no_number_is_told)
{
    setup s = setup_of(plan_chain(5, SARI_TURN));
    setup_anywhere(&s);
    s.q[2] = NAN;
    CHECK_STATUS(sari_articulated_accelerations(s.recursion, s.q, s.v, NULL, s.a, NULL),
                 SAR_R_NOT_FINITE);
    s.q[2] = 0.1;
    CHECK_STATUS(sari_articulated_accelerations(s.recursion, s.q, s.v, NULL, s.a, NULL), SAR_OK);
    setup_clear(&s);
}

/* What was computed before leaves no trace. */
TEST(same_state_same_bits)
{
    setup s = setup_of(plan_any_tree(3, 30, 0));
    double *q = vector(s.t->np), *v = vector(s.nq), *a = vector(s.nq), *tau = vector(s.nq);
    double *a_again = vector(s.nq), *tau_again = vector(s.nq);
    tree_any_place(s.t, q);
    for (int k = 0; k < s.nq; k++) v[k] = tree_any();
    for (int round = 0; round < 3; round++) {
        CHECK_STATUS(sari_articulated_accelerations(s.recursion, q, v, NULL, a_again, NULL),
                     SAR_OK);
        sari_articulated_inverse(s.recursion, q, v, a_again, tau_again);
        const size_t bytes = sizeof(double) * (size_t)s.nq;
        if (round == 0) memcpy(a, a_again, bytes), memcpy(tau, tau_again, bytes);
        CHECK(memcmp(a, a_again, bytes) == 0 && memcmp(tau, tau_again, bytes) == 0);
        setup_anywhere(&s);
        sari_articulated_accelerations(s.recursion, s.q, s.v, s.tau, s.a, NULL);
    }
    free(q), free(v), free(a), free(tau), free(a_again), free(tau_again);
    setup_clear(&s);
}

static void* some_memory(void* left, size_t bytes)
{
    return (*(int*)left)-- > 0 ? calloc(1, bytes) : NULL;
}

static void release_memory(void* left, void* memory)
{
    (void)left;
    free(memory);
}

TEST(without_memory_there_is_none)
{
    setup s = setup_of(plan_any_tree(3, 10, 0));
    int made = 0;
    for (int most = 0; !made && most < 20; most++) {
        int left = most;
        const sar_allocator scarce = {some_memory, release_memory, &left};
        sar_set_allocator(&scarce);
        sari_articulated* one = sari_articulated_create(s.t);
        made = one != NULL;
        sari_articulated_destroy(one);
        sar_set_allocator(NULL);
        CHECK(most > 2 || !made);
    }
    CHECK(made);
    setup_clear(&s);
}

static void check_angles(const double angle[4])
{
    double c[4], s[4];
    sari_sine_cosine4(SARI_CONST_VEC(angle), c, s);
    for (int k = 0; k < 4; k++) {
        if (isfinite(angle[k])) {
            CHECK_NEAR(c[k], cos(angle[k]), 2.5e-16);
            CHECK_NEAR(s[k], sin(angle[k]), 2.5e-16);
        } else {
            CHECK(isnan(c[k]) && isnan(s[k]));
        }
    }
}

TEST(four_sines_and_cosines_are_those_of_the_library)
{
    const double edges[][4] = {{0, -0.0, 0.25 * M_PI, -0.25 * M_PI},
                               {0.5 * M_PI, M_PI, -1.5 * M_PI, 2 * M_PI},
                               {1e5, -1e5, 1.0000001e5, -3e9},
                               {1e300, NAN, -INFINITY, 1},
                               {1e-300, -1e-9, 40625 * 0.5 * M_PI, -63000 * 0.5 * M_PI}};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) check_angles(edges[k]);
    for (int round = 0; round < 20000; round++) {
        const double most = round % 2 ? 7 : 1.1e5,
                     angle[4] = {most * tree_any(), most * tree_any(), most * tree_any(),
                                 most * tree_any()};
        check_angles(angle);
    }
}
