/* Over-constrained mechanisms from drawings with finite digits: which combinations of constraints
 * cannot be met, and how they change along the motion.
 *
 * On paper such a mechanism has redundant rows: combinations u with u' Phi_q = 0 for which u' Phi =
 * 0 holds by itself. In a drawing both are off by what its digits lose. Held as they stand, these
 * rows would hold motions that the mechanism has, or ask for forces without bounds. So they are not
 * held: residuals lose their part along u (system/slack.c), and the others are met as before. The
 * directions are the left singular vectors of J = Phi_q to singular values below the tolerance tau;
 * in the units of the model a row that holds something has a gradient of about one. They come from
 * repeated application of
 *
 *     F = 1 - J (J'J + eps)^-1 J',    eps = tau^2
 *
 * which keeps what is weaker than tau and takes away the rest, each time by eps/(sigma^2 + eps);
 * how many there are is counted by the inertia of J'J - eps (Sylvester). From step to step they
 * change little, and two applications follow them. */
#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/random.h"
#include "math/vector.h"
#include "simulation/simulation.h"
#include "simulation/singular/normal.h"

#include <math.h>
#include <string.h>

enum { APPLICATIONS = 8, FOLLOWING = 2, SEED = 20161116 };

/// A direction whose singular value has grown to so many tolerances is a constraint after all.
static const double HELD = 30.0;

struct sari_contradictions {
    sari_system* sys;
    sari_normal normal; ///< of the rows on positions
    double eps;
    double weakest; ///< largest singular value of the directions, where they were followed last
    double *Ju, *probe;
};

void sari_contradictions_destroy(sari_contradictions* c)
{
    if (!c) return;
    sari_normal_clear(&c->normal);
    sari_release(c->Ju);
    sari_release(c->probe);
    sari_release(c->sys->slack.u);
    sari_release(c->sys->slack.work);
    c->sys->slack = (sari_slack){0};
    sari_release(c);
}

/* Orthonormal, each to those before it. */
static void orthonormalise(sari_slack* slack, int m)
{
    for (int k = 0; k < slack->count; k++) {
        double* u = slack->u + (size_t)k * m;
        sari_vector_deflate(m, k, slack->u, u);
        (void)sari_vector_normalise(m, u);
    }
}

static void refine(sari_contradictions* c, int applications)
{
    sari_slack* slack = &c->sys->slack;
    for (int a = 0; a < applications; a++) {
        for (int k = 0; k < slack->count; k++)
            sari_normal_filter(&c->normal, slack->u + (size_t)k * slack->rows);
        orthonormalise(slack, slack->rows);
    }
}

/* Forget directions that are held by now. */
static void forget_held(sari_contradictions* c)
{
    sari_slack* slack = &c->sys->slack;
    const size_t m = (size_t)slack->rows;
    int kept = 0;
    c->weakest = 0.0;
    for (int k = 0; k < slack->count; k++) {
        double* u = slack->u + (size_t)k * m;
        memset(c->Ju, 0, (size_t)c->sys->nq * sizeof(double));
        sari_csr_multiply_add_transposed(&c->normal.J, 1.0, u, c->Ju);
        const double square = sari_vector_dot(c->sys->nq, c->Ju, c->Ju);
        if (square > HELD * HELD * c->eps) continue;
        c->weakest = fmax(c->weakest, sqrt(square));
        if (kept < k) memcpy(slack->u + (size_t)kept * m, u, m * sizeof *u);
        kept++;
    }
    slack->count = kept;
}

sar_status sari_contradictions_create(sari_system* sys, double tolerance, sari_contradictions** out)
{
    sari_contradictions* c = SARI_NEW(sari_contradictions);
    if (!c) return SAR_E_NOMEM;
    c->sys = sys;
    const int rows = sys->nc - sys->velocity_rows;
    c->eps = tolerance * tolerance;
    c->Ju = SARI_NEW_ARRAY(double, sys->nq);
    c->probe = SARI_NEW_ARRAY(double, rows);
    sar_status st = c->probe && c->Ju ? sari_normal_create(&c->normal, sys, rows) : SAR_E_NOMEM;
    if (st != SAR_OK) {
        sari_contradictions_destroy(c);
        return st;
    }
    *out = c;
    return SAR_OK;
}

int sari_contradictions_count(sari_contradictions* c)
{
    sari_pivots pivots = {0};
    if (c->normal.J.rows == 0) return 0;
    (void)sari_normal_factor(&c->normal, -c->eps,
                             &pivots); // a zero pivot is counted, not an error here
    return c->normal.J.rows > pivots.positive ? c->normal.J.rows - pivots.positive : 0;
}

double sari_contradictions_probe(sari_contradictions* c)
{
    uint64_t state = SEED;
    const int m = c->normal.J.rows;
    if (m == 0 || sari_normal_factor(&c->normal, c->eps, NULL) != SAR_OK) return 0.0;
    sari_fill_at_random(&state, c->probe, (size_t)m);
    for (int a = 0; a < APPLICATIONS; a++) sari_normal_filter(&c->normal, c->probe);
    const double length = sqrt(sari_vector_dot(m, c->probe, c->probe));
    if (!(length > 0.0)) return 0.0;
    double most = fabs(sari_vector_dot(m, c->probe, c->sys->Phi));
    memset(c->Ju, 0, (size_t)c->sys->nq * sizeof(double));
    sari_csr_multiply_add_transposed(&c->normal.J, 1.0, c->probe, c->Ju);
    for (int i = 0; i < c->sys->nq; i++) most = fmax(most, fabs(c->Ju[i]));
    return most / length;
}

void sari_contradictions_weak_motion(sari_contradictions* c, double* dq)
{
    uint64_t state = SEED;
    double most = 0.0;
    sari_fill_at_random(&state, dq, (size_t)c->sys->nq);
    (void)sari_normal_factor(&c->normal, c->eps, NULL);
    for (int twice = 0; twice < 2; twice++) sari_normal_solve(&c->normal, dq);
    for (int i = 0; i < c->sys->nq; i++) most = fmax(most, fabs(dq[i]));
    for (int i = 0; i < c->sys->nq; i++) dq[i] /= most > 0.0 ? most : 1.0;
}

sar_status sari_contradictions_find(sari_contradictions* c)
{
    sari_system* sys = c->sys;
    const int count = sari_contradictions_count(c), rows = c->normal.J.rows;
    uint64_t state = SEED;
    sari_release(sys->slack.u);
    sari_release(sys->slack.work);
    sys->slack = (sari_slack){.rows = rows, .tolerance = sqrt(c->eps)};
    sys->slack.u = SARI_NEW_ARRAY(double, (size_t)count*(size_t)rows);
    sys->slack.work = SARI_NEW_ARRAY(double, 2 * (size_t)rows);
    if (!sys->slack.u || !sys->slack.work) return SAR_E_NOMEM;
    sari_fill_at_random(&state, sys->slack.u, (size_t)count * (size_t)rows);
    sys->slack.count = count;
    SARI_TRY(sari_normal_factor(&c->normal, c->eps, NULL));
    refine(c, APPLICATIONS);
    c->weakest = sqrt(c->eps);
    return SAR_OK;
}

/* Rows that become weak in a singular configuration are separated from the directions by the singular
 * values that these had just before; the tolerance would include such rows much farther from it. */
static double eps_now(const sari_contradictions* c)
{
    const double APART = 30.0, LEAST = 1e-6; // its square is well above rounding
    const double tau = fmax(APART * c->weakest, LEAST);
    return fmin(c->eps, tau * tau);
}

void sari_contradictions_follow(sari_contradictions* c)
{
    if (!c || c->sys->slack.count == 0) return;
    if (sari_normal_factor(&c->normal, eps_now(c), NULL) != SAR_OK) return;
    refine(c, FOLLOWING);
    forget_held(c);
}
