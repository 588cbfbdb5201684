#include "formulations/threefield_rows.h"

#include "base/memory.h"
#include "base/status.h"
#include "solvers/rank.h"
#include "solvers/sym_tools.h"

#include <math.h>
#include <string.h>

enum { FEW_ROWS = 128 }; ///< of which singular values are computed

static const double MASSLESS = 1e-10; ///< a pivot less than this part of the largest mass
static const double SETTLED = 1e-9;   ///< eigenvalues below it are zero

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* ---- factor of M ------------------------------------------------------------------------------ */

/* The envelope of M: where its rows begin, and blocks that have nothing to do with each other. */
static void find_envelope(sari_row_masses* m)
{
    const sari_sym* M = &m->sys->M;
    size_t size = 0;
    for (int i = 0; i < M->n; i++) m->first[i] = i;
    for (int c = 0; c < M->n; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++)
            m->first[M->i[k]] = least(m->first[M->i[k]], c);
    for (int i = 0; i < M->n; i++) {
        m->at[i] = size;
        size += (size_t)(i - m->first[i] + 1);
    }
    m->at[M->n] = size;
    int begins = M->n, end = M->n; // rows from i on reach back to `begins`
    for (int i = M->n - 1; i >= 0; i--) {
        m->end[i] = end;
        begins = least(begins, m->first[i]);
        if (begins == i) end = i;
    }
}

static double largest_mass(const sari_sym* M)
{
    double largest = 0.0;
    for (int c = 0; c < M->n; c++) largest = fmax(largest, M->x[M->p[c]]);
    return largest > 0.0 ? largest : 1.0;
}

static void factor(sari_row_masses* m)
{
    const sari_sym* M = &m->sys->M;
    const double largest = largest_mass(M);
    memset(m->L, 0, m->at[M->n] * sizeof *m->L);
    for (int c = 0; c < M->n; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++)
            m->L[m->at[M->i[k]] + (size_t)(c - m->first[M->i[k]])] = M->x[k];
    for (int i = 0; i < M->n; i++) {
        double* row = m->L + m->at[i];
        double pivot = row[i - m->first[i]];
        for (int j = m->first[i]; j < i; j++) {
            const double* other = m->L + m->at[j];
            const int from = m->first[i] > m->first[j] ? m->first[i] : m->first[j];
            double sum = row[j - m->first[i]];
            for (int k = from; k < j; k++) sum -= row[k - m->first[i]] * other[k - m->first[j]];
            sum /= other[j - m->first[j]];
            row[j - m->first[i]] = sum;
            pivot -= sum * sum;
        }
        row[i - m->first[i]] = sqrt(pivot > MASSLESS * largest ? pivot : largest);
    }
}

/* y = L^-1 y for rows first to end - 1, before which y is zero. */
static void forward(const sari_row_masses* m, int first, int end, double* y)
{
    for (int i = first; i < end; i++) {
        const double* row = m->L + m->at[i];
        double sum = y[i];
        for (int j = m->first[i] > first ? m->first[i] : first; j < i; j++)
            sum -= row[j - m->first[i]] * y[j];
        y[i] = sum / row[i - m->first[i]];
    }
}

/* y = L'^-1 y within a block that ends before `end` and begins not before `first`. */
static void backward(const sari_row_masses* m, int first, int end, double* y)
{
    for (int i = end - 1; i >= first; i--) {
        const double* row = m->L + m->at[i];
        y[i] /= row[i - m->first[i]];
        for (int j = m->first[i] > first ? m->first[i] : first; j < i; j++)
            y[j] -= row[j - m->first[i]] * y[i];
    }
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* y = L^-1 a_r', and its square; y is zero outside of the blocks that the row meets. */
static double solve_row(const sari_row_masses* m, int r, double* y)
{
    const sari_csr* J = &m->sys->Phi_q;
    double square = 0.0;
    for (int k = J->p[r]; k < J->p[r + 1];) {
        const int first = J->i[k], end = m->end[first];
        memset(y + first, 0, (size_t)(end - first) * sizeof *y);
        for (; k < J->p[r + 1] && J->i[k] < end; k++) y[J->i[k]] = J->x[k];
        forward(m, first, end, y);
        for (int i = first; i < end; i++) square += y[i] * y[i];
    }
    return square;
}

/* a_r M^-1 a_r' with what is kept of M^-1 */
static double row_with_inverse(const sari_csr* J, int r, const double** inverse)
{
    const double *a = J->x + J->p[r], *W = *inverse;
    const int n = J->p[r + 1] - J->p[r];
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double off = 0.0;
        for (int j = 0; j < i; j++) off += W[j] * a[j];
        sum += a[i] * (2.0 * off + W[i] * a[i]);
        W += i + 1;
    }
    *inverse = W;
    return sum;
}

void sari_row_masses_set(sari_row_masses* m, double* mass)
{
    const sari_csr* J = &m->sys->Phi_q;
    const double* inverse = m->inverse;
    if (!inverse) factor(m);
    for (int r = 0; r < J->rows; r++) {
        const double s = inverse ? row_with_inverse(J, r, &inverse) : solve_row(m, r, m->y);
        mass[r] = s > 0.0 ? 1.0 / s : 0.0; // a row of zeros holds nothing
    }
}

void sari_row_direction(sari_row_masses* m, int row, double* c)
{
    const int n = m->sys->nq;
    memset(c, 0, (size_t)n * sizeof *c);
    const double s = solve_row(m, row, c);
    backward(m, 0, n, c);
    for (int i = 0; i < n && s > 0.0; i++) c[i] /= s;
}

size_t sari_row_softest_work(const sari_system* sys)
{
    if (sys->nc > FEW_ROWS || sys->nc == 0) return 0;
    return (size_t)sys->nc * (size_t)(sys->nq + 1) + sari_svd_workspace(sys->nc, sys->nq);
}

double sari_row_softest(sari_row_masses* m, const double* mass, double* work)
{
    const int rows = m->sys->nc, n = m->sys->nq, values = least(rows, n);
    if (rows == 0) return 1.0;
    if (rows > FEW_ROWS) {
        double mean = 0.0;
        for (int r = 0; r < rows; r++) mean += mass[r] / rows;
        return sari_system_softest(m->sys) * mean;
    }
    double *Y = work, *sigma = Y + (size_t)rows * (size_t)n;
    memset(Y, 0, (size_t)rows * (size_t)n * sizeof *Y);
    for (int r = 0; r < rows; r++) {
        double* y = Y + (size_t)r * (size_t)n;
        solve_row(m, r, y);
        for (int i = 0; i < n; i++) y[i] *= sqrt(mass[r]);
    }
    sari_svd(rows, n, Y, sigma, NULL, NULL, sigma + rows);
    int last = values - 1;
    while (last > 0 && sigma[last] * sigma[last] < SETTLED) last--;
    return sigma[last] > 0.0 ? sigma[last] * sigma[last] : 1.0;
}

/* ---- life ------------------------------------------------------------------------------------- */

/* Of a constant M: column by column, for every row that has an entry there. */
static void find_inverse(sari_row_masses* m)
{
    const sari_csr* J = &m->sys->Phi_q;
    double *W = m->inverse, *y = m->y;
    factor(m);
    for (int r = 0; r < J->rows; r++) {
        const int *column = J->i + J->p[r], n = J->p[r + 1] - J->p[r];
        for (int j = 0; j < n; j++) {
            const int first = column[j], end = m->end[first];
            memset(y, 0, (size_t)m->sys->nq * sizeof *y);
            y[first] = 1.0;
            forward(m, first, end, y);
            backward(m, first, end, y); // entries before `first` are in the rows of their own columns
            for (int i = j; i < n; i++) W[i * (i + 1) / 2 + j] = y[column[i]];
        }
        W += n * (n + 1) / 2;
    }
}

sar_status sari_row_masses_create(sari_row_masses* m, const sari_system* sys)
{
    const sari_csr* J = &sys->Phi_q;
    size_t squares = 0;
    *m = (sari_row_masses){.sys = sys};
    m->first = SARI_NEW_ARRAY(int, sys->nq);
    m->end = SARI_NEW_ARRAY(int, sys->nq);
    m->at = SARI_NEW_ARRAY(size_t, sys->nq + 1);
    m->y = SARI_NEW_ARRAY(double, sys->nq);
    if (!m->first || !m->end || !m->at || !m->y) return SAR_E_NOMEM;
    find_envelope(m);
    m->L = SARI_NEW_ARRAY(double, m->at[sys->nq]);
    if (!m->L) return SAR_E_NOMEM;
    if (!sys->constant_mass) return SAR_OK;
    for (int r = 0; r < J->rows; r++) {
        const size_t n = (size_t)(J->p[r + 1] - J->p[r]);
        squares += n * (n + 1) / 2;
    }
    m->inverse = SARI_NEW_ARRAY(double, squares);
    if (!m->inverse) return SAR_E_NOMEM;
    find_inverse(m);
    return SAR_OK;
}

void sari_row_masses_clear(sari_row_masses* m)
{
    sari_release(m->first);
    sari_release(m->end);
    sari_release(m->at);
    sari_release(m->y);
    sari_release(m->L);
    sari_release(m->inverse);
    *m = (sari_row_masses){0};
}
