/* W W' of reactions.c, body by body: the rows that touch a body have six numbers there, and products of
 * these in columns of all such rows at once are
 *
 *     (W W')_ij = sum over bodies b, then over k, of W_i,bk W_j,bk                           (1)
 *
 * in the order of the bodies and of k, which is that of products entry by entry: the same bits. It pays
 * where the rows of a body are near each other in number, which they are in mechanisms of a few dozen
 * joints; else products are taken entry by entry. */
#include "simulation/reactions.h"

#include "linalg/inline.h"

#include <string.h>

enum { WRENCH = 6, LANES = 4 };

static int touches(const sari_csr* W, int row, int body)
{
    for (int k = W->p[row]; k < W->p[row + 1]; k += WRENCH)
        if (W->i[k] == WRENCH * body) return k;
    return -1;
}

static int padded(int rows)
{
    return (rows + LANES - 1) / LANES * LANES;
}

/* Rows of every body, and how many products of LANES rows they take. */
static long list_rows(sari_reactions* r)
{
    const int bodies = r->W.cols / WRENCH;
    long products = 0;
    int count = 0;
    for (int b = 0; b < bodies; b++) {
        const int begin = count;
        r->product.p[b] = begin;
        for (int row = 0; row < r->rows; row++) {
            const int at = touches(&r->W, row, b);
            if (at < 0) continue;
            r->product.row[count] = row;
            r->product.at[count++] = at;
        }
        for (int k = begin; k < count; k++)
            products += (r->product.row[count - 1] - r->product.row[k]) / LANES + 2;
    }
    r->product.p[bodies] = count;
    return products;
}

sar_status sari_reactions_plan_product(sari_reactions* r)
{
    const int bodies = r->W.cols / WRENCH, ld = padded(r->rows);
    const size_t touched = (size_t)r->W.p[r->rows] / WRENCH;
    if (r->rows > SARI_REACTIONS_DENSE) return SAR_OK;
    r->product.p = SARI_TAKE(&r->memory, int, bodies + 1);
    r->product.row = SARI_TAKE(&r->memory, int, touched);
    r->product.at = SARI_TAKE(&r->memory, int, touched);
    r->product.place = SARI_TAKE(&r->memory, int, r->A.p[r->rows]);
    r->product.column = SARI_TAKE(&r->memory, double, WRENCH* ld);
    r->product.full = SARI_TAKE(&r->memory, double, (size_t)r->rows*(size_t)ld);
    if (r->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < r->rows; c++)
        for (int e = r->A.p[c]; e < r->A.p[c + 1]; e++) r->product.place[e] = c * ld + r->A.i[e];
    r->product.by_bodies = list_rows(r) <= r->shared_p[r->A.p[r->rows]];
    return SAR_OK;
}

/* column[k][row] = W_row,bk, and zero in rows between that do not touch the body. */
static void spread(sari_reactions* r, int begin, int end, int ld)
{
    const int *row = r->product.row, first = row[begin] / LANES * LANES, last = row[end - 1];
    double* column = r->product.column;
    for (int k = 0; k < WRENCH; k++)
        for (int i = first; i < padded(last + 1); i++) column[k * ld + i] = 0.0;
    for (int j = begin; j < end; j++) {
        const double* W = r->W.x + r->product.at[j];
        for (int k = 0; k < WRENCH; k++) column[k * ld + row[j]] = W[k];
    }
}

/* (1) of one body, columns of A from the diagonal on. */
static void add_body(sari_reactions* r, int begin, int end, int ld)
{
    const int *row = r->product.row, last = row[end - 1];
    const double* column = r->product.column;
    for (int j = begin; j < end; j++) {
        const int c = row[j];
        const double* own = r->W.x + r->product.at[j];
        const double w0 = own[0], w1 = own[1], w2 = own[2], w3 = own[3], w4 = own[4], w5 = own[5];
        double* to = r->product.full + (ptrdiff_t)c * ld;
        for (int i = c / LANES * LANES; i <= last; i += LANES) {
            const double* other = column + i;
            sari_vec4 sum = SARI_CONST_VEC(to + i);
            sum += SARI_CONST_VEC(other) * w0;
            sum += SARI_CONST_VEC(other + ld) * w1;
            sum += SARI_CONST_VEC(other + 2 * ld) * w2;
            sum += SARI_CONST_VEC(other + 3 * ld) * w3;
            sum += SARI_CONST_VEC(other + 4 * ld) * w4;
            sum += SARI_CONST_VEC(other + 5 * ld) * w5;
            SARI_VEC(to + i) = sum;
        }
    }
}

void sari_reactions_product(sari_reactions* r)
{
    const int bodies = r->W.cols / WRENCH, ld = padded(r->rows), entries = r->A.p[r->rows];
    memset(r->product.full, 0, (size_t)r->rows * (size_t)ld * sizeof(double));
    for (int b = 0; b < bodies; b++) {
        const int begin = r->product.p[b], end = r->product.p[b + 1];
        if (begin == end) continue;
        spread(r, begin, end, ld);
        add_body(r, begin, end, ld);
    }
    for (int e = 0; e < entries; e++) r->A.x[e] = r->product.full[r->product.place[e]];
}
