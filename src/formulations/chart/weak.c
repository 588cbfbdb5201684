/* The part of the constraints that loses rank. With B = row Phi_q A^-1 W of (3) in chart.c, at a place
 * beside a singular configuration B = P S V', where the last of the singular values S are weak. At other
 * places of the same chart,
 *
 *     P' B V = [M_ss M_sw; M_ws M_ww],    F = M_ww - M_ws M_ss^-1 M_sw                       (1)
 *
 * F is as smooth as the motion is, with signs, and singular where B is, as often. Redundant rows do
 * no harm: P has as many columns as B.
 *
 * The sparse algebra has no W. There it is the coordinates that are not selected: [J; S] of
 * chart/sparse.h is singular where these columns of J are. */
#include "formulations/chart/chart.h"

#include "formulations/chart/sparse.h"
#include "linalg/rank.h"

#include <math.h>
#include <string.h>

void sari_chart_take_frame(sari_chart* c, sari_arena* memory, int r)
{
    c->frame.left = SARI_TAKE(memory, double, (size_t)c->nh*(size_t)r);
    c->frame.product = SARI_TAKE(memory, double, (size_t)c->nh*(size_t)r);
    c->frame.column = SARI_TAKE(memory, int, r);
    c->frame.right = SARI_TAKE(memory, double, (size_t)r*(size_t)r);
    c->frame.part =
        SARI_TAKE(memory, double, 2 * (size_t)r * (size_t)r + (size_t)r + sari_svd_workspace(r, r));
}

static const double CLOSE =
    1e-3; ///< of the usual sigma: where a place is rounding over more than that

/* B from those columns of J. */
static void take_columns(sari_chart* c)
{
    const sari_csr* J = &c->sys->Phi_q;
    for (int i = 0; i < c->nh; i++) {
        double* row = c->work.vector; // all of it
        memset(row, 0, (size_t)c->n * sizeof(double));
        for (int e = J->p[i]; e < J->p[i + 1]; e++)
            row[J->i[e]] = c->row[i] * J->x[e] * c->unit[J->i[e]];
        for (int k = 0; k < c->r; k++) c->f.A[i * c->r + k] = row[c->frame.column[k]];
    }
}

/* q at y, by places on both sides where need be, and B there: what rounding leaves of q itself does no
 * harm to B until sigma is very small. */
static int go_to(sari_chart* c, double t, const double* y)
{
    const int found = c->engine->velocity &&
                      sari_chart_find(c, t, y, 0, SARI_CHART_PLACE) == SARI_CHART_OK &&
                      c->singular.sigma > CLOSE * c->singular.sigma_usual;
    if (!found && sari_chart_evaluate(c, t, y, y + c->d, 0) != SARI_CHART_OK) return 0;
    if (sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL) != SAR_OK) return 0;
    if (c->sparse) {
        take_columns(c);
        return 1;
    }
    if (c->turns) {
        memcpy(c->AW, c->base.W, (size_t)c->n * (size_t)c->r * sizeof(double));
        sari_chart_apply_inverse(c, c->r, c->AW);
    }
    sari_chart_times(c, &c->sys->Phi_q, c->r, c->AW, c->f.A);
    return 1;
}

/* The coordinates that are not selected now. */
static void choose_columns(sari_chart* c)
{
    int count = 0;
    for (int i = 0; i < c->n && count < c->r; i++) {
        int selected = 0;
        for (int j = 0; j < c->d; j++) selected |= c->sparse->selected[j] == i;
        if (!selected) c->frame.column[count++] = i;
    }
    c->f.rows = c->nh;
    c->f.cols = c->r;
}

int sari_chart_weak_frame(void* self, double t, const double* y, double limit)
{
    sari_chart* c = self;
    const int r = c->r, nh = c->nh;
    if (!c->frame.left || r == 0) return -1;
    if (c->sparse) choose_columns(c);
    if (!go_to(c, t, y)) return -1;
    double *R = c->frame.part, *U = R + r * r, *sigma = U + r * r, *work = sigma + r;
    sari_least_squares_factor(&c->f);
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) R[i * r + j] = j < i ? 0.0 : c->f.A[i * r + j];
    sari_svd(r, r, R, sigma, U, c->frame.right, work);
    for (int k = 0; k < r; k++) { // P = Q U
        memset(c->work.rhs, 0, (size_t)nh * sizeof(double));
        for (int i = 0; i < r; i++) c->work.rhs[i] = U[i * r + k];
        sari_least_squares_rotate(&c->f, c->work.rhs);
        for (int i = 0; i < nh; i++) c->frame.left[i * r + k] = c->work.rhs[i];
    }
    c->frame.scale = fmax(sigma[0], c->base.usual);
    c->frame.strong = 0;
    while (c->frame.strong < r && sigma[c->frame.strong] >= limit * c->frame.scale)
        c->frame.strong++;
    return r - c->frame.strong;
}

/* The first `strong` columns of M (r x r) are eliminated, by pivots of as many rows. 0: they are
 * singular themselves. */
static int eliminate(int r, int strong, double* M)
{
    for (int k = 0; k < strong; k++) {
        int best = k;
        for (int i = k + 1; i < strong; i++)
            if (fabs(M[i * r + k]) > fabs(M[best * r + k])) best = i;
        if (!(fabs(M[best * r + k]) > 0.0)) return 0;
        for (int j = 0; j < r && best != k; j++) {
            const double keep = M[k * r + j];
            M[k * r + j] = M[best * r + j];
            M[best * r + j] = keep;
        }
        for (int i = k + 1; i < r; i++) {
            const double factor = M[i * r + k] / M[k * r + k];
            for (int j = k + 1; j < r && factor != 0.0; j++) M[i * r + j] -= factor * M[k * r + j];
        }
    }
    return 1;
}

int sari_chart_weak_part(void* self, double t, const double* y, double* F)
{
    sari_chart* c = self;
    const int r = c->r, nh = c->nh, strong = c->frame.strong;
    if (!go_to(c, t, y)) return 0;
    double *M = c->frame.part, *BV = c->frame.product;
    memset(BV, 0, (size_t)(nh * r) * sizeof(double));
    for (int i = 0; i < nh; i++)
        for (int k = 0; k < r; k++)
            for (int j = 0; j < r; j++)
                BV[i * r + j] += c->f.A[i * r + k] * c->frame.right[k * r + j];
    memset(M, 0, (size_t)(r * r) * sizeof(double));
    for (int i = 0; i < nh; i++)
        for (int k = 0; k < r; k++)
            for (int j = 0; j < r; j++) M[k * r + j] += c->frame.left[i * r + k] * BV[i * r + j];
    if (!eliminate(r, strong, M)) return 0; // (1)
    for (int i = strong; i < r; i++)
        for (int j = strong; j < r; j++) *F++ = M[i * r + j] / c->frame.scale;
    return 1;
}
