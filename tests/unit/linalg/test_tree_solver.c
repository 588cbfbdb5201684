/* Matrices that a tree generates: their products, diagonals and factors, against the same matrices
 * with all their entries, made by (1) and (2) of generated.h as they stand. */
#include "sar_test.h"

#include "linalg/solver.h"
#include "linalg/sym_tools.h"
#include "linalg/tree/generated.h"
#include "linalg/tree/tree_fronts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static int below(int n) // 0 .. n - 1
{
    return (int)((next_random() >> 11) % (uint64_t)n);
}

static double uniform(void) // -1 .. 1
{
    return 2.0 * (double)(next_random() >> 11) / 9007199254740992.0 - 1.0;
}

/* ---- random trees --------------------------------------------------------------------------- */

typedef enum shape { CHAIN, BUSH, STAR } shape;

/* A = B'B + 1 */
static void random_positive(int w, double* lower)
{
    double B[6][6];
    for (int r = 0; r < w; r++)
        for (int c = 0; c < w; c++) B[r][c] = uniform();
    for (int r = 0; r < w; r++)
        for (int c = 0; c <= r; c++, lower++) {
            *lower = r == c;
            for (int k = 0; k < w; k++) *lower += B[k][r] * B[k][c];
        }
}

static sari_generated* random_tree(int nodes, shape of, int planar)
{
    int variables = 0, *count = calloc((size_t)nodes + 1, sizeof *count);
    for (int i = 0; i < nodes; i++) variables += count[i] = planar || below(3) ? 1 : 3;
    sari_generated* g = sari_generated_create(nodes, variables, planar);
    for (int i = 0, first = 0; i < nodes; first += count[i++]) {
        const int parent = of == CHAIN  ? i - 1
                           : of == STAR ? (i % 5 ? i - 1 : -1)
                                        : below(i + 1) - 1;
        g->node[i] = (sari_generated_node){parent, first, count[i]};
        sari_generator* at = &g->at[i];
        for (int k = 0; k < 3; k++) at->arm[k] = uniform();
        for (int c = 0; c < count[i]; c++) {
            for (int k = 0; k < g->width; k++) at->S[c][k] = uniform();
            for (int k = 0; k < g->turning; k++) at->slope[c][k] = 0.05 * uniform();
        }
        for (int k = 0; k < 6; k++) at->own[k] = 0.1 * uniform();
        random_positive(g->width, at->A);
    }
    free(count);
    return g;
}

/* G_i of all nodes: width x variables each. */
static double* motions_of(const sari_generated* g)
{
    const int w = g->width, n = g->variables;
    double* G = calloc((size_t)(g->nodes * w * n) + 1, sizeof *G);
    for (int i = 0; i < g->nodes; i++) {
        double* own = G + i * w * n;
        const double* d = g->at[i].arm;
        for (int j = 0; g->node[i].parent >= 0 && j < n; j++) {
            const double* from = G + g->node[i].parent * w * n + j;
            for (int k = 0; k < w; k++) own[k * n + j] = from[k * n];
            if (w == 3) {
                own[n + j] -= from[0] * d[1], own[2 * n + j] += from[0] * d[0];
                continue;
            }
            for (int k = 0; k < 3; k++) {
                const int a = (k + 1) % 3, b = (k + 2) % 3;
                own[(3 + k) * n + j] += from[a * n] * d[b] - from[b * n] * d[a];
            }
        }
        for (int c = 0; c < g->node[i].count; c++)
            for (int k = 0; k < w; k++) own[k * n + g->node[i].first + c] += g->at[i].S[c][k];
    }
    return G;
}

static double packed(const double* lower, int r, int c)
{
    return r >= c ? lower[r * (r + 1) / 2 + c] : lower[c * (c + 1) / 2 + r];
}

/* (2) with all entries, n x n in a matrix of `size` */
static void add_full(const sari_generated* g, double slopes, int size, double* A)
{
    const int w = g->width, n = g->variables;
    double* G = motions_of(g);
    for (int i = 0; i < g->nodes; i++) {
        const sari_generated_node* node = &g->node[i];
        const double* own = G + i * w * n;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                for (int r = 0; r < w; r++)
                    for (int c = 0; c < w; c++)
                        A[a * size + b] +=
                            own[r * n + a] * packed(g->at[i].A, r, c) * own[c * n + b];
        for (int k = 0; k < node->count; k++) {
            const int row = node->first + k;
            for (int j = 0; j < node->count; j++)
                A[row * size + node->first + j] += slopes * packed(g->at[i].own, k, j);
            for (int c = 0; node->parent >= 0 && c < g->turning; c++)
                for (int b = 0; b < n; b++) {
                    const double x =
                        slopes * g->at[i].slope[k][c] * G[(node->parent * w + c) * n + b];
                    A[row * size + b] += x, A[b * size + row] += x;
                }
        }
    }
    free(G);
}

/* ---- matrices with rows and entries beside the tree ----------------------------------------- */

typedef struct problem {
    sari_sym P;   ///< as its owner has it: tree, slopes
    sari_sym S;   ///< [P J'; J -D], entries beside the tree, the diagonal with it
    double* full; ///< all of it
    int n, size;
} problem;

/* `rows`: about up to four variables each; `springs`: couple two variables, wherever they are. */
static problem random_problem(sari_generated* g, double slopes, int rows, int springs, double D)
{
    const int n = g->variables, size = n + rows;
    double* inertia = calloc((size_t)(n * n), sizeof *inertia);
    add_full(g, 0.0, n, inertia);
    for (int k = 0; k < n; k++) g->diagonal[k] = inertia[k * (n + 1)];
    free(inertia);
    problem p = {.n = n, .size = size, .full = calloc((size_t)(size * size), sizeof(double))};
    sari_pattern pattern;
    sari_pattern_init(&pattern, size, size);
    add_full(g, slopes, size, p.full);
    for (int r = n; r < size; r++) {
        p.full[r * size + r] = -D;
        for (int k = 1 + below(4); k > 0; k--) {
            const int c = below(n);
            const double x = uniform();
            sari_pattern_add(&pattern, r, c);
            p.full[r * size + c] += x, p.full[c * size + r] += x;
        }
    }
    double* beside = calloc((size_t)(size * size), sizeof *beside);
    for (int k = 0; k < springs; k++) { // (x_a - x_b)^2
        const int a = below(n), b = below(n);
        if (a == b) continue;
        sari_pattern_add(&pattern, a, b);
        beside[a * size + a] += 1, beside[b * size + b] += 1;
        beside[a * size + b] -= 1, beside[b * size + a] -= 1;
    }
    for (int k = 0; k < size * size; k++) p.full[k] += beside[k];
    CHECK_STATUS(sari_pattern_make_sym(&pattern, &p.S), SAR_OK);
    sari_pattern_clear(&pattern);
    for (int c = 0; c < size; c++)
        for (int e = p.S.p[c]; e < p.S.p[c + 1]; e++) {
            const int r = p.S.i[e], all = r == c || r >= n;
            p.S.x[e] = all ? p.full[r * size + c] : beside[r * size + c];
        }
    p.P = (sari_sym){.n = n, .tree = g, .slopes = slopes};
    free(beside);
    return p;
}

static void problem_free(problem* p)
{
    sari_generated_destroy(p->P.tree);
    sari_sym_clear(&p->S);
    free(p->full);
}

/* |A x - b|, by |A||x| */
static double residual(const problem* p, const double* x, const double* b)
{
    double worst = 0.0, size = 0.0;
    for (int r = 0; r < p->size; r++) {
        double sum = -b[r], scale = 0.0;
        for (int c = 0; c < p->size; c++) {
            sum += p->full[r * p->size + c] * x[c];
            scale += fabs(p->full[r * p->size + c] * x[c]);
        }
        worst = fmax(worst, fabs(sum)), size = fmax(size, scale);
    }
    return worst / size;
}

static void check_problem(problem* p, double limit)
{
    sari_solver s;
    const sari_structure structure = {.primal = p->n, .matrix = &p->P};
    CHECK_STATUS(sari_solver_create(&sari_solver_tree, &p->S, &structure, &s), SAR_OK);
    double *x = calloc((size_t)p->size, sizeof *x), *b = calloc((size_t)p->size, sizeof *b);
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k < p->size; k++) b[k] = x[k] = uniform();
        CHECK_STATUS(s.ops->factor(s.self, p->S.x), SAR_OK);
        s.ops->solve(s.self, x);
        CHECK_AT_MOST(residual(p, x, b), limit);
    }
    sari_pivots pivots;
    s.ops->pivots(s.self, &pivots);
    CHECK(pivots.positive == p->n && pivots.negative == p->size - p->n && pivots.zero == 0);
    free(x);
    free(b);
    sari_solver_clear(&s);
    problem_free(p);
}

/* ---- tests ---------------------------------------------------------------------------------- */

TEST(products_and_diagonals)
{
    for (int nodes = 1; nodes <= 40; nodes += 3)
        for (int planar = 0; planar < 2; planar++) {
            sari_generated* g = random_tree(nodes, BUSH, planar);
            problem p = random_problem(g, 0.7, 0, nodes / 3, 1.0);
            double *x = calloc((size_t)p.n, sizeof *x), *y = calloc((size_t)p.n, sizeof *y);
            for (int k = 0; k < p.n; k++) x[k] = uniform();
            sari_sym A = p.S;
            A.tree = g, A.slopes = 0.7;
            sari_sym_multiply(&A, A.x, x, y);
            CHECK_AT_MOST(residual(&p, x, y), 1e-14);
            for (int i = 0; i < g->nodes; i++)
                for (int c = 0; c < g->node[i].count; c++) {
                    double all = 0.0; // springs are whole numbers
                    const int k = g->node[i].first + c;
                    for (int e = 0; e < p.n; e++)
                        if (e != k && sari_sym_find(&p.S, e, k) >= 0)
                            all -= p.S.x[sari_sym_find(&p.S, e, k)];
                    const double entry = p.full[k * p.size + k] - all;
                    CHECK_NEAR(sari_generated_entry(g, 0.7, i, c), entry, 1e-12 * (1.0 + entry));
                }
            free(x);
            free(y);
            problem_free(&p);
        }
}

TEST(factors_of_trees)
{
    static const shape SHAPES[] = {CHAIN, BUSH, STAR};
    for (int nodes = 1; nodes <= 60; nodes = nodes < 8 ? nodes + 1 : nodes * 2)
        for (int k = 0; k < 6; k++) {
            problem p = random_problem(random_tree(nodes, SHAPES[k / 2], k % 2), 0.3, 0, 0, 1.0);
            check_problem(&p, 1e-12);
        }
}

TEST(factors_with_rows_and_springs)
{
    for (int k = 0; k < 60; k++) {
        const int nodes = 3 + below(40);
        sari_generated* g = random_tree(nodes, (shape)below(3), below(2));
        problem p = random_problem(g, 0.3, below(g->variables), below(nodes), k % 2 ? 1.0 : 1e-6);
        check_problem(&p, 1e-10);
    }
}

/* Work and memory of a ladder of loops, each about its neighbours alone, grow with their number. */
TEST(fronts_of_local_rows_stay_small)
{
    double work[2];
    for (int k = 0; k < 2; k++) {
        const int nodes = k ? 4000 : 400;
        sari_generated* g = sari_generated_create(nodes, nodes, 0);
        for (int i = 0; i < nodes; i++)
            g->node[i] = (sari_generated_node){i < 2 ? -1 : i - 2, i, 1};
        sari_pattern pattern;
        sari_pattern_init(&pattern, nodes + nodes / 2, nodes + nodes / 2);
        for (int r = 0; r < nodes / 2; r++) // from one of the two rails to the other, at one height
            for (int c = 2 * r; c < 2 * r + 2; c++) sari_pattern_add(&pattern, nodes + r, c);
        sari_sym S;
        sari_arena memory = {0};
        sari_fronts f;
        CHECK_STATUS(sari_pattern_make_sym(&pattern, &S), SAR_OK);
        for (int i = 2; i < nodes; i++) g->node[i].parent = i - 1; // now as one chain
        CHECK_STATUS(sari_fronts_create(&f, &memory, g, &S, nodes), SAR_OK);
        CHECK(f.largest <= 9);
        CHECK(f.stacked <= 200);
        work[k] = f.work;
        sari_arena_clear(&memory);
        sari_sym_clear(&S);
        sari_pattern_clear(&pattern);
        sari_generated_destroy(g);
    }
    CHECK_NEAR(work[1] / work[0], 10.0, 0.2);
}
