#include "linalg/sym_tools.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/tree/generated.h"

#include <limits.h>
#include <string.h>

typedef struct sari_pattern_pair {
    int major, minor; ///< as added: row, column; else the compressed direction first
} pair;

void sari_pattern_init(sari_pattern* p, int rows, int cols)
{
    *p = (sari_pattern){.rows = rows, .cols = cols};
}

void sari_pattern_clear(sari_pattern* p)
{
    sari_release(p->pair);
    *p = (sari_pattern){0};
}

sar_status sari_pattern_add(sari_pattern* p, int row, int col)
{
    if (p->status != SAR_OK) return p->status;
    if (row < 0 || row >= p->rows || col < 0 || col >= p->cols) return p->status = SAR_E_ARG;
    if (!sari_grow((void**)&p->pair, p->count, &p->capacity, sizeof(pair)))
        return p->status = SAR_E_NOMEM;
    p->pair[p->count++] = (pair){row, col};
    return SAR_OK;
}

sar_status sari_pattern_reserve(sari_pattern* p, long more)
{
    if (p->status != SAR_OK || p->capacity - p->count >= more) return p->status;
    if (more > INT_MAX - p->count) return p->status = SAR_E_NOMEM;
    pair* all = SARI_NEW_ARRAY(pair, p->count + more);
    if (!all) return p->status = SAR_E_NOMEM;
    if (p->count) memcpy(all, p->pair, sizeof(pair) * (size_t)p->count);
    sari_release(p->pair);
    p->pair = all;
    p->capacity = p->count + (int)more;
    return SAR_OK;
}

sar_status sari_pattern_add_clique(sari_pattern* p, const int* index, int count)
{
    for (int a = 0; a < count; a++)
        for (int b = a; b < count; b++) SARI_TRY(sari_pattern_add(p, index[a], index[b]));
    return p->status;
}

// Counting sort by minor. bucket[minors + 1] is workspace.
static void sort_by_minor(const pair* in, pair* out, int count, int* bucket, int minors)
{
    for (int k = 0; k < count; k++) bucket[in[k].minor + 1]++;
    for (int b = 0; b < minors; b++) bucket[b + 1] += bucket[b];
    for (int k = 0; k < count; k++) out[bucket[in[k].minor]++] = in[k];
}

/// p, i, x of a compressed matrix, before they go into a sari_sym or sari_csr.
typedef struct compressed {
    int* p;
    int* i;
    double* x;
} compressed;

static void compressed_clear(compressed* c)
{
    sari_release(c->p);
    sari_release(c->i);
    sari_release(c->x);
    *c = (compressed){0};
}

// Pairs sorted by minor, with duplicates, to p, i and x: majors take theirs in that order.
// last[majors] is workspace.
static sar_status compress_sorted(const pair* sorted, int count, int majors, int* last,
                                  compressed* out)
{
    out->p = SARI_NEW_ARRAY(int, (size_t)majors + 1);
    if (!out->p) return SAR_E_NOMEM;
    for (int m = 0; m < majors; m++) last[m] = -1;
    for (int k = 0; k < count; k++) {
        const int m = sorted[k].major;
        out->p[m + 1] += last[m] != sorted[k].minor;
        last[m] = sorted[k].minor;
    }
    for (int m = 0; m < majors; m++) out->p[m + 1] += out->p[m];
    out->i = SARI_NEW_ARRAY(int, out->p[majors]);
    out->x = SARI_NEW_ARRAY(double, out->p[majors]);
    if (!out->i || !out->x) return SAR_E_NOMEM;
    for (int m = 0; m < majors; m++) last[m] = out->p[m]; // where the next goes
    for (int k = 0; k < count; k++) {
        const int m = sorted[k].major, at = last[m];
        if (at > out->p[m] && out->i[at - 1] == sorted[k].minor) continue;
        out->i[last[m]++] = sorted[k].minor;
    }
    return SAR_OK;
}

// Sort by major, then minor, and compress.
static sar_status compress(const pair* pairs, int count, int majors, int minors, compressed* out)
{
    *out = (compressed){0};
    pair* sorted = SARI_NEW_ARRAY(pair, count);
    int* bucket = SARI_NEW_ARRAY(int, (size_t)minors + 1);
    int* last = SARI_NEW_ARRAY(int, majors);
    sar_status status = SAR_E_NOMEM;
    if (sorted && bucket && last) {
        sort_by_minor(pairs, sorted, count, bucket, minors);
        status = compress_sorted(sorted, count, majors, last, out);
    }
    sari_release(sorted);
    sari_release(bucket);
    sari_release(last);
    if (status != SAR_OK) compressed_clear(out);
    return status;
}

sar_status sari_pattern_make_sym(const sari_pattern* p, sari_sym* out)
{
    *out = (sari_sym){0};
    SARI_TRY(p->status);
    const int n = p->rows;
    if (p->cols != n) return SAR_E_ARG;
    pair* pairs = SARI_NEW_ARRAY(pair, (size_t)p->count + (size_t)n);
    if (!pairs) return SAR_E_NOMEM;
    for (int k = 0; k < p->count; k++) { // columns of the lower triangle
        int r = p->pair[k].major, c = p->pair[k].minor;
        pairs[k] = r >= c ? (pair){c, r} : (pair){r, c};
    }
    for (int k = 0; k < n; k++) pairs[p->count + k] = (pair){k, k};
    compressed c;
    sar_status status = compress(pairs, p->count + n, n, n, &c);
    sari_release(pairs);
    if (status == SAR_OK) *out = (sari_sym){n, c.p, c.i, c.x};
    return status;
}

sar_status sari_pattern_make_csr(const sari_pattern* p, sari_csr* out)
{
    *out = (sari_csr){0};
    SARI_TRY(p->status);
    compressed c;
    SARI_TRY(compress(p->pair, p->count, p->rows, p->cols, &c));
    *out = (sari_csr){p->rows, p->cols, c.p, c.i, c.x};
    return SAR_OK;
}

void sari_sym_clear(sari_sym* A)
{
    sari_generated_destroy(A->tree);
    sari_release(A->p);
    sari_release(A->i);
    sari_release(A->x);
    *A = (sari_sym){0};
}

void sari_csr_clear(sari_csr* A)
{
    sari_release(A->p);
    sari_release(A->i);
    sari_release(A->x);
    *A = (sari_csr){0};
}

// Bisection in i[low .. end), ascending.
static int find_index(const int* i, int low, int end, int wanted)
{
    const int stop = end;
    while (low < end) {
        int middle = low + (end - low) / 2;
        if (i[middle] < wanted)
            low = middle + 1;
        else
            end = middle;
    }
    return low < stop && i[low] == wanted ? low : -1;
}

int sari_sym_find(const sari_sym* A, int row, int col)
{
    int r = row >= col ? row : col, c = row >= col ? col : row;
    if (c < 0 || r >= A->n) return -1;
    return find_index(A->i, A->p[c], A->p[c + 1], r);
}

int sari_csr_find(const sari_csr* A, int row, int col)
{
    if (row < 0 || row >= A->rows) return -1;
    return find_index(A->i, A->p[row], A->p[row + 1], col);
}

void sari_sym_assign(sari_sym* to, const sari_sym* from)
{
    memcpy(to->x, from->x, (size_t)from->p[from->n] * sizeof(double));
    if (to->tree) sari_generated_assign(to->tree, from->tree);
    to->slopes = from->slopes;
}

void sari_sym_archive(sari_sym* A, sari_archive* a)
{
    sari_archive_numbers(a, A->x, (size_t)A->p[A->n]);
    if (A->tree) sari_generated_archive(A->tree, a);
    sari_archive_numbers(a, &A->slopes, 1);
}

/* Of the diagonal what it has beside that of the tree: where that is nothing, nothing cancels. */
static void multiply_with_tree(const sari_sym* A, const double* x, const double* b, double* y)
{
    const sari_generated* g = A->tree;
    for (int k = 0; k < A->n; k++) y[k] = x[A->p[k]] * b[k];
    for (int i = 0; i < g->nodes; i++)
        for (int c = 0, k = g->node[i].first; c < g->node[i].count; c++, k++)
            y[k] = (x[A->p[k]] - sari_generated_entry(g, A->slopes, i, c)) * b[k];
    for (int c = 0; c < A->n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++) {
            y[A->i[e]] += x[e] * b[c];
            y[c] += x[e] * b[A->i[e]];
        }
    sari_generated_multiply_add(g, A->slopes, b, y);
}

void sari_sym_multiply(const sari_sym* A, const double* restrict x, const double* restrict b,
                       double* restrict y)
{
    const int* restrict i = A->i;
    if (A->tree) {
        multiply_with_tree(A, x, b, y);
        return;
    }
    for (int r = 0; r < A->n; r++) y[r] = 0;
    for (int c = 0; c < A->n; c++) {
        int e = A->p[c];
        double sum = x[e] * b[c];
        for (e++; e < A->p[c + 1]; e++) {
            y[i[e]] += x[e] * b[c];
            sum += x[e] * b[i[e]];
        }
        y[c] += sum;
    }
}

void sari_csr_multiply(const sari_csr* A, const double* restrict b, double* restrict y)
{
    const int* restrict i = A->i;
    const double* restrict x = A->x;
    for (int r = 0; r < A->rows; r++) {
        double sum = 0;
        for (int e = A->p[r]; e < A->p[r + 1]; e++) sum += x[e] * b[i[e]];
        y[r] = sum;
    }
}

void sari_csr_multiply_add_transposed(const sari_csr* A, double s, const double* restrict b,
                                      double* restrict y)
{
    const int* restrict i = A->i;
    const double* restrict x = A->x;
    for (int r = 0; r < A->rows; r++) {
        const double f = s * b[r];
        for (int e = A->p[r]; e < A->p[r + 1]; e++) y[i[e]] += x[e] * f;
    }
}
