/* Back to the loops: h(q) = 0 of joints and of what is kept, by the shortest steps
 *
 *     J' P = Q R,   R_1' (Q_1' dq) = -h_1,   dq = Q_1 (Q_1' dq)                                   (1)
 *
 * with as many rows as the pivots show independent: redundant ones are met with the others, and near a singular
 * configuration the weak one is left to the next step. Steps are halved until h falls. Z are the other columns of Q. */
#include "analysis/pose/pose.h"

#include "base/status.h"
#include "linalg/qr.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double RANK = 1e-9;    ///< of the first pivot
static const double LONGEST = 0.5;  ///< of a step, in sizes and radians
static const double CLOSED = 1e-13; ///< residual at which nothing is done any more ...
static const double NEARLY = 1e-10; ///< ... and that is good enough where rounding allows no better

static void factor(sar_pose* p)
{
    const sari_csr* J = &p->system->Phi_q;
    const size_t n = (size_t)p->n;
    memset(p->qr.A, 0, n * (size_t)p->hard * sizeof(double));
    for (int r = 0; r < p->phi; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            if (J->i[k] < p->n) p->qr.A[(size_t)r * n + (size_t)J->i[k]] = J->x[k];
    size_t kept = (size_t)p->phi;
    for (int k = 0; k < p->rows; k++)
        if (sari_pose_holds(p, &p->row[k]))
            memcpy(p->qr.A + n * kept++, p->row[k].g, n * sizeof(double));
    sari_qr_factor(&p->qr, p->hard);
    const int nothing = kept == (size_t)p->phi && sari_rows_are_rounding(J, p->phi);
    p->qr.rank = nothing ? 0 : sari_qr_rank(&p->qr, RANK);
}

/* (1), not longer than LONGEST. Its length. */
static double shortest_step(sar_pose* p)
{
    const int r = p->qr.rank;
    memset(p->step, 0, (size_t)p->system->nq * sizeof(double));
    for (int k = 0; k < r; k++) p->step[k] = -p->h[p->qr.order[k]];
    sari_qr_back_transposed(&p->qr, p->step);
    sari_qr_multiply(&p->qr, p->step);
    const double length = sari_vector_max(p->n, p->step);
    if (length > LONGEST)
        for (int i = 0; i < p->n; i++) p->step[i] *= LONGEST / length;
    return length;
}

/* One step of (1) from q, halved until h falls. 0: it does not. */
static int improve(sar_pose* p, double* q)
{
    const double before = sari_vector_norm(p->hard, p->h);
    factor(p);
    shortest_step(p);
    for (int half = 0; half < 12; half++) {
        sari_coordinates_move(&p->system->coordinates, q, p->step, p->other);
        if (sari_pose_evaluate(p, p->other) == SAR_OK &&
            sari_vector_norm(p->hard, p->h) < (1.0 - 1e-3) * before) {
            memcpy(q, p->other, (size_t)p->system->np * sizeof(double));
            return 1;
        }
        if (before <= CLOSED) break;
        for (int i = 0; i < p->n; i++) p->step[i] *= 0.5;
    }
    sari_pose_evaluate(p, q);
    return 0;
}

sar_status sari_pose_close(sar_pose* p, double* q)
{
    enum { ITERATIONS = 60 };
    sar_status st = sari_pose_evaluate(p, q);
    for (int it = 0; st == SAR_OK && it < ITERATIONS; it++) {
        if (sari_vector_max(p->hard, p->h) <= CLOSED) return SAR_OK;
        if (!improve(p, q)) break;
    }
    if (st != SAR_OK) return st;
    return sari_vector_max(p->hard, p->h) <= fmax(NEARLY, p->gap) ? SAR_OK : SAR_R_NO_CONV;
}

void sari_pose_free(sar_pose* p)
{
    const size_t n = (size_t)p->n;
    if (p->hard == 0) {
        p->free = p->n;
        memset(p->Z, 0, n * n * sizeof(double));
        for (size_t i = 0; i < n; i++) p->Z[n * i + i] = 1.0;
        return;
    }
    factor(p);
    p->free = p->n - p->qr.rank;
    for (int k = 0; k < p->free; k++) sari_qr_null_vector(&p->qr, k, p->Z + n * (size_t)k);
}
