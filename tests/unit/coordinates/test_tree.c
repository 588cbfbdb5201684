/* Places, velocities, inertia, weight and inertial forces of trees, held against their definitions:
 * sums over the bodies, derivatives by differences of the places. */
#include "sar_test.h"
#include "tree_fixture.h"

/// A tree at some place with some velocities, and all that is compared there.
typedef struct setup {
    tree_case c;
    sari_tree* t;
    int nq, nx; ///< nx: numbers of X, all bodies
    double *q, *v, *X, *Xd, *Xdd;
    double* T; ///< [nq][nx] derivatives of X by the changes
    sari_sym M;
    sari_csr K;
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

static void check_same(const char* what, const double* got, const double* wanted, int n,
                       double tolerance)
{
    const double scale = 1.0 + largest_of(wanted, n);
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - wanted[i]) <= tolerance * scale))
            fail_msg("%s, entry %d: %.15g, wanted %.15g +- %.2g", what, i, got[i], wanted[i],
                     tolerance * scale);
}

static setup setup_of(int dimension, int nodes, int chain)
{
    tree_plan p = plan_any_tree(dimension, nodes, chain);
    setup s = {.c = tree_case_of(&p)};
    plan_free(&p);
    CHECK(s.c.tree != NULL);
    s.t = s.c.tree, s.nq = s.t->nq, s.nx = s.c.nx_all;
    s.q = vector(s.t->np), s.v = vector(s.nq), s.T = vector(s.nq * s.nx);
    s.X = vector(s.nx), s.Xd = vector(s.nx), s.Xdd = vector(s.nx);
    sari_pattern mass, stiff;
    sari_pattern_init(&mass, s.nq, s.nq), sari_pattern_init(&stiff, s.nq, s.nq);
    CHECK_STATUS(sari_tree_mass_pattern(s.t, &mass), SAR_OK);
    CHECK_STATUS(sari_tree_stiffness_pattern(s.t, &stiff), SAR_OK);
    CHECK_STATUS(sari_pattern_make_sym(&mass, &s.M), SAR_OK);
    CHECK_STATUS(sari_pattern_make_csr(&stiff, &s.K), SAR_OK);
    CHECK_STATUS(sari_tree_locate(s.t, &s.M, &s.K), SAR_OK);
    sari_pattern_clear(&mass), sari_pattern_clear(&stiff);
    tree_any_place(s.t, s.q);
    for (int k = 0; k < s.nq; k++) s.v[k] = tree_any();
    return s;
}

static void setup_clear(setup* s)
{
    double* all[] = {s->q, s->v, s->X, s->Xd, s->Xdd, s->T};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    sari_sym_clear(&s->M), sari_csr_clear(&s->K);
    tree_case_clear(&s->c);
}

/* ---- differences ---------------------------------------------------------------------------- */

typedef void function_of_place(setup* s, const double* q, double* out);

static const double STEP = 1e-3;

/* Derivative of f (n numbers) on the way along v: five points, so that 1e-11 is left. */
static void difference(setup* s, function_of_place* f, int n, const double* v, double* out)
{
    static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
    double *q = vector(s->t->np), *value = vector(n);
    for (int k = 0; k < n; k++) out[k] = 0.0;
    for (int i = 0; i < 4; i++) {
        tree_move(s->t, s->q, at[i] * STEP, v, q);
        f(s, q, value);
        for (int k = 0; k < n; k++) out[k] += weight[i] / (12 * STEP) * value[k];
    }
    free(q);
    free(value);
}

static void difference_by(setup* s, function_of_place* f, int n, int change, double* out)
{
    double* e = vector(s->nq);
    e[change] = 1.0;
    difference(s, f, n, e, out);
    free(e);
}

static void places(setup* s, const double* q, double* X)
{
    sari_tree_place(s->t, q, X);
}

static void velocities(setup* s, const double* q, double* Xd)
{
    double *X = vector(s->nx), *Xdd = vector(s->nx);
    sari_tree_place(s->t, q, X);
    sari_tree_rates(s->t, X, s->v, Xd, Xdd);
    free(X);
    free(Xdd);
}

static void potential(setup* s, const double* q, double* V)
{
    const sari_mechanism* m = s->c.mechanism;
    double* X = vector(s->nx);
    sari_tree_place(s->t, q, X);
    *V = 0.0;
    for (int b = 1; b < m->bodies; b++)
        for (int k = 0; k < m->dimension; k++)
            *V -= m->model->bodies[b].def.mass * m->model->gravity[k] * X[m->nx * b + k];
    free(X);
}

static void weight(setup* s, const double* q, double* Q)
{
    double* X = vector(s->nx);
    sari_tree_place(s->t, q, X);
    sari_tree_force(s->t, 0, Q);
    free(X);
}

static void mass_times_v(setup* s, const double* q, double* out)
{
    double* X = vector(s->nx);
    sari_tree_place(s->t, q, X);
    sari_tree_mass(s->t, s->M.x);
    sari_sym_multiply(&s->M, s->M.x, s->v, out);
    free(X);
}

/* ---- definitions ---------------------------------------------------------------------------- */

/* Xdd' M_X Xd of all bodies: of a direction x, E x' with the second moments E */
static double kinetic_product(const setup* s, const double* a, const double* b)
{
    const sari_mechanism* m = s->c.mechanism;
    double sum = 0.0;
    for (int body = 1; body < m->bodies; body++) {
        const double *x = a + m->nx * body, *y = b + m->nx * body, *E = m->second_moment + 9 * body;
        for (int k = 0; k < m->dimension; k++) sum += m->model->bodies[body].def.mass * x[k] * y[k];
        if (m->dimension == 2) sum += E[0] * (x[2] * y[2] + x[3] * y[3]);
        for (int c = 0; m->dimension == 3 && c < 3; c++)
            for (int d = 0; d < 3; d++)
                sum += E[3 * c + d] * sari_dot(x + 3 + 3 * c, y + 3 + 3 * d);
    }
    return sum;
}

static void go_there(setup* s)
{
    for (int k = 0; k < s->nq; k++) difference_by(s, places, s->nx, k, s->T + s->nx * k);
    sari_tree_place(s->t, s->q, s->X);
    sari_tree_rates(s->t, s->X, s->v, s->Xd, s->Xdd);
}

static void check_rates(setup* s)
{
    double *wanted = vector(s->nx), *a = vector(s->nq), *Xdd = vector(s->nx);
    difference(s, places, s->nx, s->v, wanted);
    check_same("velocities", s->Xd, wanted, s->nx, 1e-9);
    difference(s, velocities, s->nx, s->v, wanted);
    check_same("accelerations", s->Xdd, wanted, s->nx, 1e-9);
    go_there(s);
    for (int k = 0; k < s->nq; k++) a[k] = tree_any();
    memcpy(Xdd, s->Xdd, sizeof(double) * (size_t)s->nx);
    sari_tree_accelerate(s->t, s->X, a, Xdd);
    for (int i = 0; i < s->nx; i++) {
        wanted[i] = s->Xdd[i];
        for (int k = 0; k < s->nq; k++) wanted[i] += s->T[s->nx * k + i] * a[k];
    }
    check_same("accelerations with a", Xdd, wanted, s->nx, 1e-9);
    free(wanted);
    free(a);
    free(Xdd);
}

static void check_mass(setup* s)
{
    const int n = s->nq;
    double *wanted = vector(n * n), *M = vector(n * n), energy = 0.0;
    sari_tree_mass(s->t, s->M.x);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            const int at = sari_sym_find(&s->M, k, j);
            M[n * k + j] = at >= 0 ? s->M.x[at] : 0.0;
            wanted[n * k + j] = kinetic_product(s, s->T + s->nx * k, s->T + s->nx * j);
            energy += 0.5 * s->v[k] * wanted[n * k + j] * s->v[j];
        }
    check_same("mass matrix", M, wanted, n * n, 1e-9);
    CHECK_NEAR(sari_tree_kinetic_energy(s->t, s->v), energy, 1e-9 * (1 + energy));
    free(wanted);
    free(M);
}

static void check_forces(setup* s)
{
    const int n = s->nq;
    double *Q = vector(n), *all = vector(n), *wanted = vector(n), *rate = vector(n);
    difference(s, mass_times_v, n, s->v, wanted);
    go_there(s);
    sari_tree_mass_rate(s->t, rate);
    check_same("dM/dt v", rate, wanted, n, 1e-8);
    for (int k = 0; k < n; k++) difference_by(s, potential, 1, k, &wanted[k]), wanted[k] *= -1;
    go_there(s);
    sari_tree_force(s->t, 0, Q);
    check_same("weight", Q, wanted, n, 1e-9);
    sari_tree_force(s->t, 1, all);
    for (int k = 0; k < n; k++) wanted[k] -= kinetic_product(s, s->T + s->nx * k, s->Xdd);
    check_same("weight and inertial forces", all, wanted, n, 1e-9);
    free(Q);
    free(all);
    free(wanted);
    free(rate);
}

static void check_stiffness(setup* s)
{
    const int n = s->nq;
    double *K = vector(n * n), *wanted = vector(n * n), *dQ = vector(n);
    for (int j = 0; j < n; j++) {
        difference_by(s, weight, n, j, dQ);
        for (int k = 0; k < n; k++) wanted[n * k + j] = -dQ[k];
    }
    go_there(s);
    for (int e = 0; e < s->K.p[n]; e++) s->K.x[e] = 0.5; // is added to
    sari_tree_weight_stiffness(s->t, s->K.x);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            const int at = sari_csr_find(&s->K, k, j);
            K[n * k + j] = at >= 0 ? s->K.x[at] - 0.5 : 0.0;
        }
    check_same("stiffness of weight", K, wanted, n * n, 1e-9);
    free(K);
    free(wanted);
    free(dQ);
}

/* Wrenches do on S_k the work of the forces on X, and change with X as they should. */
static void check_wrenches(setup* s)
{
    const int nx = s->c.mechanism->nx;
    for (int b = 1; b < s->c.mechanism->bodies; b++) {
        double G[12], dX[12], moved[12], change[6];
        sari_six W, after;
        for (int k = 0; k < nx; k++) G[k] = tree_any();
        sari_tree_wrench(s->t, s->X + nx * b, G, W);
        for (int i = s->t->body_node[b]; i >= 0; i = s->t->node[i].parent)
            for (int k = s->t->node[i].q; k < s->t->node[i].q + s->t->node[i].n; k++) {
                double work = 0.0;
                const double* T = s->T + s->nx * k + nx * b;
                sari_tree_carry(s->t, s->X + nx * b, s->t->S[k], dX);
                check_same("carried by S", dX, T, nx, 1e-9);
                for (int e = 0; e < nx; e++) work += G[e] * T[e];
                CHECK_NEAR(sari_dot6(s->t->S[k], W), work, 1e-8);
            }
        for (int k = 0; k < nx; k++) dX[k] = tree_any(), moved[k] = s->X[nx * b + k] + dX[k];
        sari_tree_wrench(s->t, moved, G, after);
        for (int k = 0; k < 6; k++) change[k] = after[k] - W[k], W[k] = 0.0;
        sari_tree_add_wrench_change(s->t, dX, G, W);
        check_same("change of the wrench", W, change, 6, 1e-12);
    }
}

static void check_tree(int dimension, int nodes, int chain)
{
    setup s = setup_of(dimension, nodes, chain);
    go_there(&s);
    check_rates(&s);
    check_mass(&s);
    check_forces(&s);
    check_stiffness(&s);
    check_wrenches(&s);
    setup_clear(&s);
}

TEST(in_space_all_is_as_defined)
{
    for (int round = 0; round < 24; round++)
        check_tree(3, 1 + tree_any_below(round < 12 ? 5 : 16), round % 2);
}

TEST(in_the_plane_all_is_as_defined)
{
    for (int round = 0; round < 24; round++)
        check_tree(2, 1 + tree_any_below(round < 12 ? 5 : 16), round % 2);
}
