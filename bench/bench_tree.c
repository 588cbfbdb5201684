/* Time of forward and inverse dynamics of open trees, by recursion along them: nanoseconds per
 * body for chains of hinges and of balls, and per call for a robot of six hinges (PUMA 560). The
 * least of several blocks, CPU time. */
#include "coordinates/articulated.h"
#include "tree_fixture.h"

#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct timing {
    double forward, inverse; ///< ns per body
} timing;

typedef struct state {
    double *q, *v, *a, *tau;
} state;

static timing measure(const sari_tree* t, sari_articulated* s, state* x)
{
    enum { BLOCKS = 40 };
    const int repeat = 1 + 8000 / t->nodes;
    timing least = {1e9, 1e9};
    for (int block = 0; block < BLOCKS; block++) {
        const double t0 = seconds();
        for (int k = 0; k < repeat; k++)
            sari_articulated_accelerations(s, x->q, x->v, x->tau, x->a, NULL);
        const double t1 = seconds();
        for (int k = 0; k < repeat; k++) sari_articulated_inverse(s, x->q, x->v, x->a, x->tau);
        const double t2 = seconds();
        least.forward = fmin(least.forward, t1 - t0), least.inverse = fmin(least.inverse, t2 - t1);
    }
    const double scale = 1e9 / (double)repeat / t->nodes;
    return (timing){least.forward * scale, least.inverse * scale};
}

static timing time_plan(tree_plan p)
{
    tree_case c = tree_case_of(&p);
    sari_articulated* s = sari_articulated_create(c.tree);
    state x = {.q = calloc((size_t)c.tree->np, sizeof(double)),
               .v = calloc((size_t)c.tree->nq, sizeof(double)),
               .a = calloc((size_t)c.tree->nq, sizeof(double)),
               .tau = calloc((size_t)c.tree->nq, sizeof(double))};
    tree_any_place(c.tree, x.q);
    for (int k = 0; k < c.tree->nq; k++) x.v[k] = 0.1 * tree_any();
    const timing t = measure(c.tree, s, &x);
    free(x.q), free(x.v), free(x.a), free(x.tau);
    sari_articulated_destroy(s);
    tree_case_clear(&c);
    plan_free(&p);
    return t;
}

int main(void)
{
    printf("Open trees: ns per body, least of several blocks, one core\n");
    printf("%8s  %15s  %15s\n", "", "hinges", "balls");
    printf("%8s  %7s %7s  %7s %7s\n", "bodies", "forward", "inverse", "forward", "inverse");
    for (int n = 4; n <= 4096; n *= 2) {
        const timing hinge = time_plan(plan_chain(n, SARI_TURN)),
                     ball = time_plan(plan_chain(n, SARI_BALL));
        printf("%8d  %7.1f %7.1f  %7.1f %7.1f\n", n, hinge.forward, hinge.inverse, ball.forward,
               ball.inverse);
    }
    const timing puma = time_plan(plan_puma());
    printf("PUMA 560: forward %.0f ns, inverse %.0f ns a call\n", 6 * puma.forward,
           6 * puma.inverse);
    return 0;
}
