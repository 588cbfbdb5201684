/* Divide and conquer on matrices of all kinds of joint graphs, against the dense solver. */
#include "sar_test.h"

#include "joint_graph.h"
#include "linalg/dca/dca.h"

static uint64_t random_state = 88172645463325252u;

static int below(int n) // 0 .. n - 1, the same everywhere
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)((random_state >> 11) % (uint64_t)n);
}

static sari_solver solver_for(const sari_solver_ops* ops, const graph_matrix* m)
{
    sari_solver s;
    CHECK_STATUS(sari_solver_create(ops, &m->A, &m->structure, &s), SAR_OK);
    return s;
}

static double* random_vector(int n)
{
    double* x = calloc((size_t)n + 1, sizeof *x);
    for (int k = 0; k < n; k++) x[k] = graph_number(k, 5, 77);
    return x;
}

// Of A x = A z, z random: a right-hand side that redundant rows agree on.
static double* solution(const sari_solver* s, const sari_sym* A)
{
    double *z = random_vector(A->n), *x = random_vector(A->n);
    sari_sym_multiply(A, A->x, z, x);
    s->ops->solve(s->self, x);
    free(z);
    return x;
}

static double largest(const double* x, int n)
{
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
    return most;
}

static double difference(const double* x, const double* y, int n)
{
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k] - y[k]));
    return most / fmax(largest(y, n), 1e-300);
}

static sari_dca_facts facts_of(const joint_graph* g)
{
    graph_matrix m = graph_make(g, 1);
    sari_solver s = solver_for(&sari_solver_dca, &m);
    sari_dca_facts facts;
    sari_dca_facts_of(s.self, &facts);
    sari_solver_clear(&s);
    graph_matrix_free(&m);
    return facts;
}

/* As the dense solver and as it should be: x to `tolerance`, the multipliers to
 * `multiplier_tolerance`, and the inertia. Frees the graph. */
static void check_graph(joint_graph g, double tolerance, double multiplier_tolerance)
{
    graph_matrix m = graph_make(&g, 1);
    const int n = m.A.n, primal = m.structure.primal;
    sari_solver dca = solver_for(&sari_solver_dca, &m), dense = solver_for(&sari_solver_dense, &m);
    CHECK_STATUS(dca.ops->factor(dca.self, m.A.x), SAR_OK);
    CHECK_STATUS(dense.ops->factor(dense.self, m.A.x), SAR_OK);
    double *x = solution(&dca, &m.A), *y = solution(&dense, &m.A), *z = random_vector(n);
    CHECK_AT_MOST(difference(x, y, primal), tolerance);
    CHECK_AT_MOST(difference(x, z, primal), tolerance);
    CHECK_AT_MOST(difference(x + primal, y + primal, n - primal), multiplier_tolerance);
    sari_pivots v, w;
    dca.ops->pivots(dca.self, &v);
    dense.ops->pivots(dense.self, &w);
    CHECK(v.positive == primal && v.negative == n - primal && v.zero == 0);
    CHECK_NEAR(v.log_abs_det, w.log_abs_det, 10 * multiplier_tolerance);
    free(x);
    free(y);
    free(z);
    sari_solver_clear(&dca);
    sari_solver_clear(&dense);
    graph_matrix_free(&m);
    graph_free(&g);
}

/* ---- graphs --------------------------------------------------------------------------------- */

TEST(chains_of_every_length)
{
    for (int n = 1; n <= 40; n++) check_graph(graph_chain(n, 6, 3), 1e-11, 1e-11);
    for (int rows = 1; rows <= 5; rows++)
        for (int size = rows > 3 ? 6 : 3; size <= 7; size++)
            check_graph(graph_chain(21, size, size == 3 && rows == 3 ? 2 : rows), 1e-10, 1e-10);
}

TEST(trees_and_stars)
{
    for (int branches = 2; branches <= 30; branches = branches * 2 - 1)
        for (int n = 2; n <= 40; n += 7) check_graph(graph_tree(n, branches, 6, 2), 1e-10, 1e-10);
    joint_graph arms = graph_of(49, 6); // twelve chains of four on one body
    for (int k = 1; k < 49; k++) graph_join(&arms, k, k % 4 == 1 ? 0 : k - 1, 3);
    check_graph(arms, 1e-10, 1e-10);
}

TEST(ladders_grids_and_rings)
{
    check_graph(graph_ladder(12, 6, 3), 1e-9, 1e-9);
    check_graph(graph_grid(5, 5, 6, 2), 1e-9, 1e-9);
    check_graph(graph_grid(9, 2, 7, 3), 1e-9, 1e-9);
    joint_graph ring = graph_chain(17, 6, 5);
    graph_join(&ring, 16, -1, 5); // two ways to the ground
    check_graph(ring, 1e-9, 1e-9);
    joint_graph wheel = graph_tree(14, 20, 6, 2); // hub, spokes, rim
    for (int k = 2; k < 14; k++) graph_join(&wheel, k, k - 1, 1);
    check_graph(wheel, 1e-9, 1e-9);
}

TEST(parts_that_nothing_joins)
{
    check_graph(graph_of(9, 6), 1e-13, 1e-13); // no joint at all
    joint_graph g = graph_of(30, 6);
    for (int k = 2; k < 10; k++) graph_join(&g, k, k - 1, 3);
    for (int k = 15; k < 20; k++) graph_join(&g, k, -1, 3);
    for (int k = 25; k < 30; k++) graph_join(&g, k, k - 5, 3);
    check_graph(g, 1e-11, 1e-11);
}

TEST(rows_that_meet_several_bodies)
{
    joint_graph g = graph_chain(24, 6, 3);
    graph_row(&g, 0, 23, 11, -1, 2);
    graph_row(&g, 5, 6, 7, 8, 1);
    graph_row(&g, 20, 3, 9, 1, 1);
    check_graph(g, 1e-10, 1e-10);
}

TEST(springs_between_bodies)
{
    joint_graph g = graph_chain(24, 6, 3);
    graph_spring(&g, 3, 4);
    graph_spring(&g, 0, 20);
    graph_spring(&g, 20, 21);
    graph_spring(&g, 9, 13);
    check_graph(g, 1e-10, 1e-10);
    joint_graph all = graph_of(20, 3); // nothing but springs
    for (int k = 1; k < 20; k++) graph_spring(&all, k, k - 1);
    check_graph(all, 1e-12, 1e-12);
    joint_graph both = graph_ladder(6, 6, 3);
    for (int k = 1; k < 18; k++) graph_spring(&both, k, k - 1);
    check_graph(both, 1e-10, 1e-10);
}

// The multipliers' split is not determined by much: the motion is.
TEST(the_same_joint_twice)
{
    joint_graph g = graph_chain(20, 6, 3);
    for (int k = 1; k < 20; k += 2) {
        graph_join(&g, k, k - 1, 3);
        g.joint[g.joints - 1].like = k;
    }
    g.D = 1e-9;
    check_graph(g, 1e-9, 1e-5);
}

TEST(random_graphs)
{
    for (int trial = 0; trial < 120; trial++) {
        const int bodies = 1 + below(30), size = below(2) ? 6 : 7;
        joint_graph g = graph_of(bodies, size);
        for (int k = 0; k < bodies; k++) {
            if (below(8)) graph_join(&g, k, below(k + 1) - 1, 1 + below(3));
            if (!below(6)) graph_join(&g, k, -1, 1);
            if (!below(9) && k) graph_spring(&g, k, below(k));
            if (!below(9) && k > 3) graph_row(&g, k, k - 1, k - 3, k > 5 ? k - 5 : -1, 1);
        }
        check_graph(g, 1e-8, 1e-8);
    }
}

// D with entries beside its diagonal, rows that meet nothing, no variable at all in P.
TEST(odd_structures)
{
    sari_pattern p;
    sari_pattern_init(&p, 12, 12);
    for (int k = 0; k < 4; k++) sari_pattern_add(&p, 8 + k, 2 * k); // row 8 + k meets body k
    sari_pattern_add(&p, 9, 8);
    sari_pattern_add(&p, 11, 8);
    sari_sym A;
    CHECK_STATUS(sari_pattern_make_sym(&p, &A), SAR_OK);
    sari_pattern_clear(&p);
    int block[8];
    for (int k = 0; k < 8; k++) block[k] = k / 2;
    for (int c = 0; c < 12; c++)
        for (int e = A.p[c]; e < A.p[c + 1]; e++)
            A.x[e] = A.i[e] > c ? 0.3 : c < 8 ? 1 + c : -0.5 * c;
    static const int primal[] = {8, 0};
    for (int k = 0; k < 2; k++) {
        sari_solver s;
        CHECK_STATUS(
            sari_solver_create(&sari_solver_dca, &A, &(sari_structure){primal[k], block, 3}, &s),
            SAR_OK);
        CHECK_STATUS(s.ops->factor(s.self, A.x), SAR_OK);
        double *x = solution(&s, &A), *z = random_vector(12);
        CHECK_AT_MOST(difference(x, z, 12), 1e-14);
        free(x);
        free(z);
        sari_solver_clear(&s);
    }
    sari_sym_clear(&A);
}

/* ---- singular matrices ---------------------------------------------------------------------- */

// Bad numbers of one body are reported and leave no trace, whichever lane it is in.
TEST(bad_numbers_in_any_lane)
{
    for (int body = 0; body < 40; body += 3) {
        joint_graph g = graph_chain(40, 6, 3);
        graph_matrix m = graph_make(&g, 1);
        m.A.x[m.A.p[6 * body + 2]] = NAN;
        sari_solver s = solver_for(&sari_solver_dca, &m);
        CHECK_STATUS(s.ops->factor(s.self, m.A.x), SAR_R_SINGULAR);
        sari_pivots v;
        s.ops->pivots(s.self, &v);
        CHECK(v.zero >= 1 && v.zero + v.positive + v.negative == m.A.n);
        m.A.x[m.A.p[6 * body + 2]] = 1.5;
        CHECK_STATUS(s.ops->factor(s.self, m.A.x), SAR_OK);
        s.ops->pivots(s.self, &v);
        CHECK(v.zero == 0 && v.positive == 240 && v.negative == 120);
        sari_solver_clear(&s);
        graph_matrix_free(&m);
        graph_free(&g);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

static void check_threads(joint_graph g)
{
    double* reference = NULL;
    static const int threads[] = {1, 2, 7};
    for (int k = 0; k < 3; k++) {
        graph_matrix m = graph_make(&g, threads[k]);
        sari_solver s = solver_for(&sari_solver_dca, &m);
        for (int time = 0; time < 3; time++) {
            CHECK_STATUS(s.ops->factor(s.self, m.A.x), SAR_OK);
            double* x = solution(&s, &m.A);
            if (reference) {
                CHECK(memcmp(x, reference, sizeof(double) * (size_t)m.A.n) == 0);
                free(x);
            } else {
                reference = x;
            }
        }
        sari_solver_clear(&s);
        graph_matrix_free(&m);
    }
    free(reference);
    graph_free(&g);
}

TEST(same_bits_with_any_number_of_threads)
{
    check_threads(graph_chain(1000, 6, 3));
    check_threads(graph_tree(777, 2, 7, 3));
    check_threads(graph_ladder(150, 6, 5));
    check_threads(graph_grid(15, 15, 6, 3));
}

/* ---- the tree ------------------------------------------------------------------------------- */

TEST(long_chains_are_shallow)
{
    for (int n = 16, depth = 5; n <= 4096; n *= 2, depth++) {
        joint_graph g = graph_chain(n, 6, 3);
        sari_dca_facts f = facts_of(&g);
        CHECK(f.depth <= depth && f.largest <= 12);
        graph_free(&g);
    }
}

static double flops_of(joint_graph g)
{
    const double flops = facts_of(&g).flops;
    graph_free(&g);
    return flops;
}

TEST(work_grows_like_the_number_of_bodies)
{
    CHECK_AT_MOST(flops_of(graph_chain(2000, 6, 3)), 2.1 * flops_of(graph_chain(1000, 6, 3)));
    CHECK_AT_MOST(flops_of(graph_tree(2047, 2, 6, 3)), 2.2 * flops_of(graph_tree(1023, 2, 6, 3)));
    CHECK_AT_MOST(flops_of(graph_ladder(600, 6, 3)), 2.2 * flops_of(graph_ladder(300, 6, 3)));
}

TEST(trees_are_shallow_too)
{
    joint_graph g = graph_tree(1023, 2, 6, 3), l = graph_ladder(300, 6, 3);
    CHECK_AT_MOST(facts_of(&g).depth, 17);
    CHECK_AT_MOST(facts_of(&l).depth, 17);
    CHECK_AT_MOST(facts_of(&l).largest, 40);
    graph_free(&g);
    graph_free(&l);
}
