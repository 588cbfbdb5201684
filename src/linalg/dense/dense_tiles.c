/* L D L' of any size, four columns at a time, left-looking:
 *
 *     for the columns c of a block J, with w_ck = L_ck d_k for all k before J:
 *         u_rc  = a_rc - sum_k L_rk w_ck           (1) all rows r of J and below, in registers
 *         u_rc -= sum_e u_re L_ce, e < c in J      (2) d_c = u_cc where r = c
 *         L_rc  = u_rc / d_c                       (3)
 *
 * Rows are padded to a multiple of four, so that nothing is left over. Written with the vector type
 * of gcc and clang: the same loops over arrays run two to six times slower with gcc 12 (n = 41: 1.7
 * us against 3.6 to 10 us). */
#include "linalg/dense/dense_kernels.h"
#include "linalg/inline.h"

#include <stddef.h>
#include <string.h>

/// Factor of the 4 x 4 block on the diagonal of J: what (2) and (3) need below it.
typedef struct block {
    double l[4][4]; ///< l[e][c] = L_ce, e < c
    double inverse[4];
} block;

// (2) and the pivots inside the block. u[c][r] comes from (1).
SARI_INLINE void factor_block(sari_dense* s, int j0, double u[4][4], block* f)
{
    SARI_UNROLL for (int c = 0; c < 4; c++)
    {
        const int k = j0 + c;
        double* column = s->A + k * s->stride + j0;
        SARI_UNROLL for (int e = 0; e < c; e++)
        {
            SARI_UNROLL for (int r = c; r < 4; r++) u[c][r] -= u[e][r] * f->l[e][c];
        }
        double inverse = 0; // in the padding
        if (k < s->n) {
            double d = u[c][c];
            if (!sari_pivot_usable(d, column[c])) d = sari_pivot_replace(&s->watch, k);
            inverse = 1 / d;
            s->d[k] = d;
            s->inverse[k] = inverse;
        }
        f->inverse[c] = inverse;
        SARI_UNROLL for (int r = c + 1; r < 4; r++) column[r] = f->l[c][r] = u[c][r] * inverse;
    }
}

static void factor_diagonal(sari_dense* s, int j0, const double* restrict w, block* f)
{
    const int stride = s->stride;
    const double* A = s->A + j0;
    const double* B = A + j0 * stride;
    sari_vec4 u0 = SARI_CONST_VEC(B), u1 = SARI_CONST_VEC(B + stride);
    sari_vec4 u2 = SARI_CONST_VEC(B + 2 * stride), u3 = SARI_CONST_VEC(B + 3 * stride);
    for (int k = 0; k < j0; k++) { // (1)
        sari_vec4 l = SARI_CONST_VEC(A + k * stride);
        u0 -= l * w[4 * k], u1 -= l * w[4 * k + 1], u2 -= l * w[4 * k + 2], u3 -= l * w[4 * k + 3];
    }
    double u[4][4];
    SARI_VEC(u[0]) = u0, SARI_VEC(u[1]) = u1, SARI_VEC(u[2]) = u2, SARI_VEC(u[3]) = u3;
    factor_block(s, j0, u, f);
}

#define SOLVE_BLOCK(u0, u1, u2, u3, f) /* (2) for rows below J */                                  \
    (u1 -= u0 * f->l[0][1], u2 -= u0 * f->l[0][2], u3 -= u0 * f->l[0][3], u2 -= u1 * f->l[1][2],   \
     u3 -= u1 * f->l[1][3], u3 -= u2 * f->l[2][3])

#define STORE_BLOCK(B, stride, u0, u1, u2, u3, f) /* (3) */                                        \
    (SARI_VEC(B) = u0 * f->inverse[0], SARI_VEC(B + stride) = u1 * f->inverse[1],                  \
     SARI_VEC(B + 2 * stride) = u2 * f->inverse[2], SARI_VEC(B + 3 * stride) = u3 * f->inverse[3])

// Rows i0 .. i0+7 below the block; eight chains of sums hide the latency of the additions.
static void factor_rows8(sari_dense* s, int j0, int i0, const double* restrict w, const block* f)
{
    const int stride = s->stride;
    const double* A = s->A + i0;
    double* B = s->A + j0 * stride + i0;
    sari_vec4 u0 = SARI_VEC(B), u1 = SARI_VEC(B + stride), u2 = SARI_VEC(B + 2 * stride),
              u3 = SARI_VEC(B + 3 * stride);
    B += 4;
    sari_vec4 v0 = SARI_VEC(B), v1 = SARI_VEC(B + stride), v2 = SARI_VEC(B + 2 * stride),
              v3 = SARI_VEC(B + 3 * stride);
    for (int k = 0; k < j0; k++) { // (1)
        sari_vec4 l = SARI_CONST_VEC(A + k * stride), m = SARI_CONST_VEC(A + k * stride + 4);
        u0 -= l * w[4 * k], u1 -= l * w[4 * k + 1], u2 -= l * w[4 * k + 2], u3 -= l * w[4 * k + 3];
        v0 -= m * w[4 * k], v1 -= m * w[4 * k + 1], v2 -= m * w[4 * k + 2], v3 -= m * w[4 * k + 3];
    }
    SOLVE_BLOCK(u0, u1, u2, u3, f);
    SOLVE_BLOCK(v0, v1, v2, v3, f);
    STORE_BLOCK(B, stride, v0, v1, v2, v3, f);
    B -= 4;
    STORE_BLOCK(B, stride, u0, u1, u2, u3, f);
}

static void factor_rows4(sari_dense* s, int j0, int i0, const double* restrict w, const block* f)
{
    const int stride = s->stride;
    const double* A = s->A + i0;
    double* B = s->A + j0 * stride + i0;
    sari_vec4 u0 = SARI_VEC(B), u1 = SARI_VEC(B + stride), u2 = SARI_VEC(B + 2 * stride),
              u3 = SARI_VEC(B + 3 * stride);
    for (int k = 0; k < j0; k++) { // (1)
        sari_vec4 l = SARI_CONST_VEC(A + k * stride);
        u0 -= l * w[4 * k], u1 -= l * w[4 * k + 1], u2 -= l * w[4 * k + 2], u3 -= l * w[4 * k + 3];
    }
    SOLVE_BLOCK(u0, u1, u2, u3, f);
    STORE_BLOCK(B, stride, u0, u1, u2, u3, f);
}

void sari_dense_factor_tiles(sari_dense* s)
{
    const int stride = s->stride;
    double* restrict w = s->w;
    for (int j0 = 0; j0 < s->n; j0 += 4) {
        for (int k = 0; k < j0; k++)
            SARI_VEC(w + 4 * k) = SARI_CONST_VEC(s->A + k * stride + j0) * s->d[k];
        block f;
        factor_diagonal(s, j0, w, &f);
        int i0 = j0 + 4;
        for (; i0 + 8 <= stride; i0 += 8) factor_rows8(s, j0, i0, w, &f);
        if (i0 < stride) factor_rows4(s, j0, i0, w, &f);
    }
}

/* The solves store what they read again as vectors in vectors: a vector load from scalar stores
 * that are still under way stalls. */

// L y = b, then y = D^-1 y, four columns at a time. The padding of L is zero.
static void solve_forward(const sari_dense* s, double* restrict y)
{
    const int stride = s->stride;
    for (int j0 = 0; j0 < s->n; j0 += 4) {
        const double* restrict L = s->A + j0 * stride;
        const double *L1 = L + stride, *L2 = L + 2 * stride, *L3 = L + 3 * stride;
        const double y0 = y[j0];
        const double y1 = y[j0 + 1] - L[j0 + 1] * y0;
        const double y2 = y[j0 + 2] - L[j0 + 2] * y0 - L1[j0 + 2] * y1;
        const double y3 = y[j0 + 3] - L[j0 + 3] * y0 - L1[j0 + 3] * y1 - L2[j0 + 3] * y2;
        SARI_VEC(y + j0) = (sari_vec4){y0, y1, y2, y3} * SARI_CONST_VEC(s->inverse + j0);
        for (int i = j0 + 4; i < stride; i += 4)
            SARI_VEC(y + i) -= (SARI_CONST_VEC(L + i) * y0 + SARI_CONST_VEC(L1 + i) * y1) +
                               (SARI_CONST_VEC(L2 + i) * y2 + SARI_CONST_VEC(L3 + i) * y3);
    }
}

#define SUM(v) ((v[0] + v[1]) + (v[2] + v[3]))

// L' x = y, four columns at a time from the end: four sums in four lanes each.
static void solve_backward(const sari_dense* s, double* restrict x)
{
    const int stride = s->stride;
    for (int j0 = stride - 4; j0 >= 0; j0 -= 4) {
        const double* restrict L = s->A + j0 * stride;
        const double *L1 = L + stride, *L2 = L + 2 * stride, *L3 = L + 3 * stride;
        sari_vec4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (int i = j0 + 4; i < stride; i += 4) {
            sari_vec4 v = SARI_CONST_VEC(x + i);
            s0 += SARI_CONST_VEC(L + i) * v, s1 += SARI_CONST_VEC(L1 + i) * v;
            s2 += SARI_CONST_VEC(L2 + i) * v, s3 += SARI_CONST_VEC(L3 + i) * v;
        }
        const double x3 = x[j0 + 3] - SUM(s3);
        const double x2 = x[j0 + 2] - SUM(s2) - L2[j0 + 3] * x3;
        const double x1 = x[j0 + 1] - SUM(s1) - L1[j0 + 2] * x2 - L1[j0 + 3] * x3;
        const double x0 = x[j0] - SUM(s0) - L[j0 + 1] * x1 - L[j0 + 2] * x2 - L[j0 + 3] * x3;
        SARI_VEC(x + j0) = (sari_vec4){x0, x1, x2, x3};
    }
}

void sari_dense_solve_tiles(const sari_dense* s, double* b)
{
    double* restrict y = s->y;
    const int n = s->n, full = n / 4 * 4, rest = n - full;
    for (int i = 0; i < full; i += 4) SARI_VEC(y + i) = SARI_CONST_VEC(b + i);
    if (rest) {
        const double b1 = rest > 1 ? b[full + 1] : 0, b2 = rest > 2 ? b[full + 2] : 0;
        SARI_VEC(y + full) = (sari_vec4){b[full], b1, b2, 0};
    }
    solve_forward(s, y);
    solve_backward(s, y);
    memcpy(b, y, sizeof(double) * (size_t)n);
}
