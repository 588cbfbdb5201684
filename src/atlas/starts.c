/* Starts of the map: the tree of the mechanism at random, its loops closed by Levenberg-Marquardt in joint coordinates,
 * where bodies cannot become their mirror images,
 *
 *     (J'J + mu) dq = -J'phi,   mu smaller after a gain, larger after a loss                   (1)
 *
 * and the last digits in natural coordinates, locus.h (3). */
#include "atlas/locus.h"

#include "base/memory.h"
#include "linalg/cholesky.h"
#include "math/random.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 100 };
static const double PI = 3.14159265358979323846;

typedef struct search {
    const sari_locus* locus;
    sari_system* sys;
    int n, m;
    double *q, *trial, *d, *g, *K, *C;
} search;

/* Relations up to whole multiples of their periods, locus.h (3a): else a gear would draw its slower wheel towards where it
 * was drawn. */
static double evaluate(search* s, double t, const double* q)
{
    sari_system* sys = s->sys;
    if (sari_equations_eval(&sys->equations, SARI_EVAL_PHI | SARI_EVAL_JACOBIAN, t, q, NULL) !=
        SAR_OK)
        return INFINITY;
    for (int i = 0; i < sys->relation_rows; i++) {
        const double period = s->locus->period[sari_locus_row_of(s->locus->sys, i)];
        double* phi = sys->Phi + sari_locus_row_of(sys, i);
        if (period > 0.0) *phi -= period * floor(*phi / period + 0.5);
    }
    return sari_vector_dot(s->m, s->sys->Phi, s->sys->Phi);
}

/* K = J'J and g = -J'phi */
static void gather(search* s)
{
    const sari_csr* J = &s->sys->Phi_q;
    const size_t n = (size_t)s->n;
    memset(s->K, 0, n * n * sizeof(double));
    memset(s->g, 0, n * sizeof(double));
    for (int r = 0; r < s->m; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++) {
            if (J->i[a] >= s->n) continue;
            s->g[J->i[a]] -= J->x[a] * s->sys->Phi[r];
            for (int b = J->p[r]; b < J->p[r + 1]; b++)
                if (J->i[b] <= J->i[a])
                    s->K[(size_t)J->i[a] * n + (size_t)J->i[b]] += J->x[a] * J->x[b];
        }
}

static void step(search* s, double mu)
{
    const size_t n = (size_t)s->n;
    memcpy(s->C, s->K, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) s->C[i * n + i] += mu;
    sari_cholesky(s->n, s->C, 0.0);
    memcpy(s->d, s->g, n * sizeof(double));
    sari_cholesky_solve(s->n, s->C, s->d);
}

/* (1); 1 if loops close. */
static int close_loops(search* s, double t)
{
    double mu = 0.1, square = evaluate(s, t, s->q);
    gather(s);
    for (int i = 0; i < ITERATIONS && square > 1e-22; i++) {
        step(s, mu);
        const double size = sari_vector_max(s->n, s->d);
        if (size > 1.0)
            for (int k = 0; k < s->n; k++) s->d[k] /= size;
        sari_coordinates_move(&s->sys->coordinates, s->q, s->d, s->trial);
        const double now = evaluate(s, t, s->trial);
        if (now < square) {
            const int slow = now > 0.999999 * square;
            memcpy(s->q, s->trial, (size_t)s->sys->np * sizeof(double));
            square = now, mu = fmax(0.1 * mu, 1e-12);
            gather(s);
            if (slow && square > 1e-10) return 0; // a local minimum
        } else if ((mu *= 10.0) > 1e6) {
            break;
        }
    }
    evaluate(s, t, s->q);
    return square < 1e-16;
}

static int take(search* s, sari_arena* memory, const sari_locus* locus)
{
    sari_system* sys = locus->tree;
    const int n = sys->nq;
    *s = (search){.locus = locus, .sys = sys, .n = n - sys->states, .m = sys->nc};
    s->q = SARI_TAKE(memory, double, sys->np + 1);
    s->trial = SARI_TAKE(memory, double, sys->np + 1);
    s->d = SARI_TAKE(memory, double, n + 1);
    s->g = SARI_TAKE(memory, double, n + 1);
    s->K = SARI_TAKE(memory, double, (size_t)n*(size_t)n + 1);
    s->C = SARI_TAKE(memory, double, (size_t)n*(size_t)n + 1);
    return !memory->failed;
}

int sari_locus_seed(sari_locus* l, double* q)
{
    sari_arena memory = {0};
    search s;
    const sari_mechanism* mechanism = l->sys->mechanism;
    double* zero = SARI_TAKE(&memory, double, mechanism->nx * mechanism->bodies);
    int found = take(&s, &memory, l) && zero;
    if (found) {
        // gears relate angles that count revolutions
        const double most = l->tree->relation_rows > 0 ? 3.0 * PI : PI;
        for (int i = 0; i < s.n; i++) s.d[i] = most * sari_random(&l->random);
        sari_coordinates_move(&l->tree->coordinates, l->tree->coordinates.q0, s.d, s.q);
        found = close_loops(&s, l->t);
    }
    if (found) {
        sari_kinematics_update(l->tree->kinematics, s.q, NULL, 1);
        found = sari_locus_same_sense(l, l->tree->kinematics->X);
    }
    if (found) {
        const sari_coordinates* c = &l->sys->coordinates;
        c->ops->from_placement(c, l->tree->kinematics->X, zero, zero, l->q, l->v);
        memcpy(q, l->q, (size_t)l->base * sizeof *q);
        const sari_guide free = {SARI_FREE, NULL, NULL, 0.0};
        found = l->seed ? l->seed(l, q) : sari_locus_correct(l, &free, 0.05, q);
    }
    sari_arena_clear(&memory);
    return found;
}
