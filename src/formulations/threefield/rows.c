#include "formulations/threefield/rows.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

enum { FEW_ROWS = 128 }; ///< of which singular values are computed
enum { SMALL = 16 };     ///< coordinates of a block that is dense

static const double MASSLESS =
    1e-13;                       ///< an entry of the diagonal less than this part of the largest,
static const double LOST = 1e-8; ///< or of which less than this part is left as a pivot
static const double SLENDER = 1e-2; ///< the same within a body, where joints hold light directions
static const double GIRTH = 1e-9;   ///< of the masses that M connects with one: what is none there
static const double ZERO = 1e-9;    ///< eigenvalues below it are zero

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* ---- factor of M ---------------------------------------------------------------------------- */

/* Where the rows of M begin, and blocks that have nothing to do with each other. Small ones, bodies
 * say, are dense: their coordinates change places. */
static void find_envelope(sari_row_masses* m)
{
    const sari_sym* M = &m->sys->M;
    size_t size = 0;
    for (int i = 0; i < M->n; i++) m->first[i] = m->place[i] = i;
    for (int c = 0; c < M->n; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++) m->first[M->i[k]] = least(m->first[M->i[k]], c);
    for (int k = 0; k < m->sys->stiff_count; k++) { // rotations of a body: dense
        const int i = m->sys->stiff[k];
        m->first[i + 2] = m->first[i + 1] = i;
    }
    int begins = M->n, end = M->n; // rows from i on reach back to `begins`
    for (int i = M->n - 1; i >= 0; i--) {
        m->end[i] = end;
        begins = least(begins, m->first[i]);
        if (begins == i) end = i;
    }
    for (int i = 0, begin = 0; i < M->n; i++) {
        if (i == m->end[begin]) begin = i;
        m->begin[i] = begin;
        if (m->end[i] - begin <= SMALL) m->first[i] = begin;
        m->at[i] = size;
        size += (size_t)(i - m->first[i] + 1);
    }
    m->at[M->n] = size;
}

static double largest_mass(const sari_sym* M)
{
    double largest = 0.0;
    for (int c = 0; c < M->n; c++) largest = fmax(largest, M->x[M->p[c]]);
    return largest > 0.0 ? largest : 1.0;
}

/* The block of M from `begin` on, dense; columns of its lower triangle are whole. */
static void load_block(const sari_row_masses* m, int begin, double A[SMALL][SMALL])
{
    const sari_sym* M = &m->sys->M;
    const int n = m->end[begin] - begin;
    memset(A, 0, (size_t)n * sizeof A[0]);
    for (int c = 0; c < n; c++)
        for (int k = M->p[begin + c]; k < M->p[begin + c + 1]; k++)
            A[M->i[k] - begin][c] = A[c][M->i[k] - begin] = M->x[k];
}

/* Largest pivot first, so that those that come out as rounding belong to directions without mass.
 * Such a direction is given the largest mass of the block. */
static void factor_small(sari_row_masses* m, int begin, double largest)
{
    double A[SMALL][SMALL];
    int order[SMALL];
    const int n = m->end[begin] - begin;
    load_block(m, begin, A);
    double regularisation = 0.0;
    for (int i = 0; i < n; i++) order[i] = i, regularisation = fmax(regularisation, A[i][i]);
    const double none = MASSLESS * largest, lost = SLENDER * regularisation;
    if (!(regularisation > none)) regularisation = largest;
    for (int i = 0; i < n; i++) {
        int next = i;
        for (int j = i + 1; j < n; j++)
            if (A[order[j]][order[j]] > A[order[next]][order[next]]) next = j;
        const int o = order[next];
        order[next] = order[i];
        order[i] = o;
        m->place[begin + o] = begin + i;
        const int massless = !(A[o][o] > none && A[o][o] > lost);
        const double root = sqrt(massless ? regularisation : A[o][o]);
        // entries of earlier columns are in A[o][order[j]]
        for (int j = 0; j < i; j++) m->L[m->at[begin + i] + (size_t)j] = A[o][order[j]];
        m->L[m->at[begin + i] + (size_t)i] = root;
        for (int j = i + 1; j < n; j++) A[order[j]][o] = massless ? 0.0 : A[order[j]][o] / root;
        for (int j = i + 1; j < n && !massless; j++)
            for (int k = i + 1; k < n; k++)
                A[order[j]][order[k]] -= A[order[j]][o] * A[order[k]][o];
    }
}

/* The largest mass that M connects with each coordinate, into y. */
static void find_neighbours(sari_row_masses* m, int begin, int end)
{
    const sari_sym* M = &m->sys->M;
    for (int c = begin; c < end; c++) m->y[c] = M->x[M->p[c]];
    for (int c = begin; c < end; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++) {
            const int i = M->i[k];
            if (M->x[k] == 0.0) continue;
            m->y[c] = fmax(m->y[c], M->x[M->p[i]]);
            m->y[i] = fmax(m->y[i], M->x[M->p[c]]);
        }
}

/* Within the envelope, without pivoting. Directions of slender bodies may have a little mass by the
 * digits of a drawing alone: those count as if they had that of the body. */
static void factor_large(sari_row_masses* m, int begin, double largest)
{
    const sari_sym* M = &m->sys->M;
    const int end = m->end[begin];
    find_neighbours(m, begin, end);
    memset(m->L + m->at[begin], 0, (m->at[end] - m->at[begin]) * sizeof *m->L);
    for (int c = begin; c < end; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++)
            m->L[m->at[M->i[k]] + (size_t)(c - m->first[M->i[k]])] = M->x[k];
    for (int i = begin; i < end; i++) {
        double* row = m->L + m->at[i];
        const double diagonal = row[i - m->first[i]];
        double pivot = diagonal;
        for (int j = m->first[i]; j < i; j++) {
            const double* other = m->L + m->at[j];
            const int from = m->first[i] > m->first[j] ? m->first[i] : m->first[j];
            double sum = row[j - m->first[i]];
            for (int k = from; k < j; k++) sum -= row[k - m->first[i]] * other[k - m->first[j]];
            sum /= other[j - m->first[j]];
            row[j - m->first[i]] = sum;
            pivot -= sum * sum;
        }
        const int massless = !(diagonal > MASSLESS * largest && pivot > LOST * diagonal);
        const double least = diagonal > GIRTH * m->y[i] ? pivot : m->y[i];
        row[i - m->first[i]] = sqrt(massless ? largest : least);
    }
}

static void factor(sari_row_masses* m)
{
    const double largest = largest_mass(&m->sys->M);
    for (int begin = 0; begin < m->sys->nq; begin = m->end[begin])
        if (m->end[begin] - begin <= SMALL)
            factor_small(m, begin, largest);
        else
            factor_large(m, begin, largest);
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

/* ---- rows ----------------------------------------------------------------------------------- */

/* y = L^-1 a_r', by places, and its square; y is not set outside of the blocks that the row meets.
 */
static double solve_row(const sari_row_masses* m, int r, double* y)
{
    const sari_csr* J = &m->sys->Phi_q;
    double square = 0.0;
    for (int k = J->p[r]; k < J->p[r + 1];) {
        const int begin = m->begin[J->i[k]], end = m->end[J->i[k]];
        int first = end;
        memset(y + begin, 0, (size_t)(end - begin) * sizeof *y);
        for (; k < J->p[r + 1] && J->i[k] < end; k++) {
            y[m->place[J->i[k]]] = J->x[k];
            first = least(first, m->place[J->i[k]]);
        }
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

/* Gradients that are rounding, or as small as those of rows that are left open: divided by them such a row
 * would be as strong as any, and hold a motion that the mechanism has. */
static double no_gradient(const sari_equations* sys)
{
    const double ROUNDING = 1e-12;
    return sys->slack.count ? sys->slack.tolerance : ROUNDING * (sys->size + sys->away);
}

static double largest_entry(const sari_csr* J, int r)
{
    double most = 0.0;
    for (int k = J->p[r]; k < J->p[r + 1]; k++) most = fmax(most, fabs(J->x[k]));
    return most;
}

void sari_row_masses_set(sari_row_masses* m, double* mass)
{
    const sari_csr* J = &m->sys->Phi_q;
    const double *inverse = m->inverse, none = no_gradient(m->sys);
    if (!inverse) factor(m);
    for (int r = 0; r < J->rows; r++) {
        const double s = inverse ? row_with_inverse(J, r, &inverse) : solve_row(m, r, m->y);
        const int holds = s > 0.0 && largest_entry(J, r) > none;
        mass[r] = holds ? 1.0 / s : 0.0;
    }
}

void sari_row_direction(sari_row_masses* m, int row, double* c)
{
    const int n = m->sys->nq;
    memset(m->y, 0, (size_t)n * sizeof *c);
    const double s = solve_row(m, row, m->y);
    backward(m, 0, n, m->y);
    for (int i = 0; i < n; i++) c[i] = s > 0.0 ? m->y[m->place[i]] / s : 0.0;
}

double sari_row_plain_direction(const sari_equations* sys, int row, double* work, double* c)
{
    const sari_csr* J = &sys->Phi_q;
    double square = 0.0, mass = 0.0;
    memset(c, 0, (size_t)sys->nq * sizeof *c);
    for (int k = J->p[row]; k < J->p[row + 1]; k++) square += J->x[k] * J->x[k];
    for (int k = J->p[row]; k < J->p[row + 1] && square > 0.0; k++) c[J->i[k]] = J->x[k] / square;
    sari_equations_mass_times(sys, c, work);
    for (int k = J->p[row]; k < J->p[row + 1]; k++) mass += c[J->i[k]] * work[J->i[k]];
    return mass;
}

static double form(const sari_csr* A, const double* c)
{
    double sum = 0.0;
    for (int r = 0; r < A->rows; r++) {
        if (c[r] == 0.0) continue;
        for (int k = A->p[r]; k < A->p[r + 1]; k++) sum += c[r] * A->x[k] * c[A->i[k]];
    }
    return sum;
}

void sari_row_project(const sari_equations* sys, const double* c, double* damping,
                      double* stiffness, double* force)
{
    for (int i = 0; i < sys->nq; i++) *force += c[i] * sys->Q[i];
    if (!sys->K.p || sys->K.p[sys->K.rows] == 0) return;
    *damping += form(&sys->C, c);
    *stiffness += form(&sys->K, c);
}

int sari_row_softest_estimated(const sari_equations* sys)
{
    return sys->nc > FEW_ROWS;
}

size_t sari_row_softest_work(const sari_equations* sys)
{
    if (sys->nc > FEW_ROWS || sys->nc == 0) return 0;
    return (size_t)sys->nc * (size_t)(sys->nq + 1) + sari_svd_workspace(sys->nc, sys->nq);
}

double sari_row_softest(sari_row_masses* m, const double* mass, double* work)
{
    const int rows = m->sys->nc, n = m->sys->nq, values = least(rows, n);
    if (rows == 0) return 1.0;
    if (sari_row_softest_estimated(m->sys)) {
        double mean = 0.0;
        for (int r = 0; r < rows; r++) mean += mass[r] / rows;
        return sari_equations_softest(m->sys) * mean;
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
    while (last > 0 && sigma[last] * sigma[last] < ZERO) last--;
    return sigma[last] > 0.0 ? sigma[last] * sigma[last] : 1.0;
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Of a constant M: column by column, for every row that has an entry there. */
static void find_inverse(sari_row_masses* m)
{
    const sari_csr* J = &m->sys->Phi_q;
    double *W = m->inverse, *y = m->y;
    factor(m);
    for (int r = 0; r < J->rows; r++) {
        const int *column = J->i + J->p[r], n = J->p[r + 1] - J->p[r];
        for (int j = 0; j < n; j++) {
            const int first = m->place[column[j]], end = m->end[column[j]];
            memset(y, 0, (size_t)m->sys->nq * sizeof *y);
            y[first] = 1.0;
            forward(m, first, end, y);
            backward(m, m->begin[column[j]], end, y);
            for (int i = j; i < n; i++) W[i * (i + 1) / 2 + j] = y[m->place[column[i]]];
        }
        W += n * (n + 1) / 2;
    }
}

sar_status sari_row_masses_create(sari_row_masses* m, const sari_equations* sys)
{
    const sari_csr* J = &sys->Phi_q;
    size_t squares = 0;
    *m = (sari_row_masses){.sys = sys};
    m->first = SARI_TAKE(&m->memory, int, sys->nq);
    m->end = SARI_TAKE(&m->memory, int, sys->nq);
    m->begin = SARI_TAKE(&m->memory, int, sys->nq);
    m->place = SARI_TAKE(&m->memory, int, sys->nq);
    m->at = SARI_TAKE(&m->memory, size_t, sys->nq + 1);
    m->y = SARI_TAKE(&m->memory, double, sys->nq);
    if (m->memory.failed) return SAR_E_NOMEM;
    find_envelope(m);
    m->L = SARI_TAKE(&m->memory, double, m->at[sys->nq]);
    if (!m->L) return SAR_E_NOMEM;
    if (!sys->constant_mass) return SAR_OK;
    for (int r = 0; r < J->rows; r++) {
        const size_t n = (size_t)(J->p[r + 1] - J->p[r]);
        squares += n * (n + 1) / 2;
    }
    m->inverse = SARI_TAKE(&m->memory, double, squares);
    if (!m->inverse) return SAR_E_NOMEM;
    find_inverse(m);
    return SAR_OK;
}

void sari_row_masses_clear(sari_row_masses* m)
{
    sari_arena_clear(&m->memory);
    *m = (sari_row_masses){0};
}
