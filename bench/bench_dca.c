/* Time of the solver `dca` beside `sparse` on the matrices [P J'; J -D] of chains, trees and
 * ladders: nanoseconds per body of a factorisation and of a solution, the least of several blocks,
 * CPU time for one thread, wall clock for two. The matrix is written to the solver's storage
 * before; that is not timed. */
#include "joint_graph.h"
#include "linalg/dca/dca.h"

#include <stdio.h>
#include <time.h>

static double seconds(int threads)
{
    struct timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct timing {
    double factor, solve; ///< ns per body
} timing;

// `sparse` uses its storage up: writing it anew is timed alone and taken off.
static timing measure(sari_solver* s, const graph_matrix* m, int bodies)
{
    sari_solver_storage st;
    s->ops->storage(s->self, &st);
    double* x = calloc((size_t)m->A.n, sizeof *x);
    double* copy = calloc(st.count, sizeof *copy);
    for (int e = 0; e < m->A.p[m->A.n]; e++) copy[st.place[e]] = m->A.x[e];
    const int keeps = s->ops == &sari_solver_dca, repeat = 1 + 40000 / bodies;
    double write = 1, factor = 1, solve = 1;
    for (int block = 0; block < 25; block++) {
        const double t0 = seconds(m->structure.threads);
        for (int k = 0; k < repeat; k++) memcpy(st.value, copy, st.count * sizeof *copy);
        const double t1 = seconds(m->structure.threads);
        for (int k = 0; k < repeat; k++) {
            if (!keeps) memcpy(st.value, copy, st.count * sizeof *copy);
            s->ops->factor_stored(s->self);
        }
        const double t2 = seconds(m->structure.threads);
        for (int k = 0; k < repeat; k++) {
            for (int i = 0; i < m->A.n; i++) x[i] = 1;
            s->ops->solve(s->self, x);
        }
        const double t3 = seconds(m->structure.threads);
        write = fmin(write, t1 - t0), factor = fmin(factor, t2 - t1), solve = fmin(solve, t3 - t2);
    }
    if (!keeps) factor -= write;
    free(x);
    free(copy);
    const double scale = 1e9 / (double)repeat / bodies;
    return (timing){factor * scale, solve * scale};
}

static timing time_solver(const sari_solver_ops* ops, const joint_graph* g, int threads)
{
    graph_matrix m = graph_make(g, threads);
    sari_solver s;
    timing t = {-1, -1};
    if (sari_solver_create(ops, &m.A, &m.structure, &s) == SAR_OK) t = measure(&s, &m, g->bodies);
    sari_solver_clear(&s);
    graph_matrix_free(&m);
    return t;
}

static const char* only; ///< rows whose name begins with this

static void row(const char* name, joint_graph g)
{
    if (only && strncmp(name, only, strlen(only)) != 0) {
        graph_free(&g);
        return;
    }
    const timing one = time_solver(&sari_solver_dca, &g, 1),
                 two = time_solver(&sari_solver_dca, &g, 2),
                 sparse = time_solver(&sari_solver_sparse, &g, 1);
    printf("%-22s %6d  %7.1f %7.1f  %7.1f %7.1f  %7.1f %7.1f  %6.2f\n", name, g.bodies, one.factor,
           one.solve, two.factor, two.solve, sparse.factor, sparse.solve,
           (sparse.factor + sparse.solve) / (one.factor + one.solve));
    fflush(stdout);
    graph_free(&g);
}

int main(int argc, char** argv)
{
    only = argc > 1 ? argv[1] : NULL;
    printf("%-22s %6s  %15s  %15s  %15s  %6s\n", "ns per body", "", "dca, 1 thread",
           "dca, 2 threads", "sparse", "");
    printf("%-22s %6s  %7s %7s  %7s %7s  %7s %7s  %6s\n", "graph", "bodies", "factor", "solve",
           "factor", "solve", "factor", "solve", "ratio");
    for (int n = 16; n <= 4096; n *= 4) row("chain, 3 rows", graph_chain(n, 6, 3));
    row("chain, 3 rows", graph_chain(1000, 6, 3));
    for (int n = 16; n <= 4096; n *= 4) row("chain, 5 rows", graph_chain(n, 6, 5));
    row("chain, 7 variables", graph_chain(1024, 7, 3));
    row("binary tree, 3 rows", graph_tree(1023, 2, 6, 3));
    row("ladder, 3 rows", graph_ladder(341, 6, 3));
    row("grid 16 x 16, 3 rows", graph_grid(16, 16, 6, 3));
    return 0;
}
