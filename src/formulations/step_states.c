/* Groups are states next to each other whose rates depend on each other: those of one force, or of
 * one controller. For each: A_yy^-1 A_yq and A_qy as small dense matrices over the coordinates that are in
 * them, and A_yy^-1. */
#include "formulations/step_states.h"

#include "base/memory.h"
#include "linalg/elimination.h"

#include <string.h>

typedef struct group {
    int first, n;         ///< states: coordinates first .. first + n - 1
    int cols, rows;       ///< coordinates that the states depend on, and that depend on them
    int *col, *row;       ///< these
    int *col_at, *row_at; ///< n x cols: A_yq in K, and rows x n: A_qy; -1: no entry
    int* own_at;          ///< n x n: A_yy
    int* P_at;            ///< rows x cols, in P
    int* zero_at;         ///< n x (cols + n), and rows x n: entries of the states in P; -1: none
    double *by, *through; ///< A_yy^-1 A_yq, n x cols; A_qy, rows x n
    double *inverse, *A;  ///< A_yy^-1, and room for A_yy
} group;

struct sari_condensation {
    const sari_equations* sys;
    group* group;
    int count;
};

/* ---- construction --------------------------------------------------------------------------- */

static int is_in_group(const group* g, int i)
{
    return i >= g->first && i < g->first + g->n;
}

/* The last state that depends on one of first .. last, or that one of them depends on. */
static int reach(const sari_equations* sys, int first, int last)
{
    const int begin = sys->nq - sys->states;
    int far = last;
    for (int r = begin; r < sys->nq; r++)
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++) {
            const int c = sys->K.i[k];
            if (c < begin) continue;
            if (r >= first && r <= last && c > far) far = c;
            if (c >= first && c <= last && r > far) far = r;
        }
    return far;
}

static int take_group(group* g, const sari_equations* sys, int* mark, sari_arena* memory)
{
    const sari_csr* K = &sys->K;
    memset(mark, 0, (size_t)sys->nq * sizeof *mark);
    for (int r = 0; r < sys->nq; r++)
        for (int k = K->p[r]; k < K->p[r + 1]; k++) {
            const int from = is_in_group(g, r), to = is_in_group(g, K->i[k]);
            if (from && !to) mark[K->i[k]] |= 1;
            if (to && !from) mark[r] |= 2;
        }
    for (int i = 0; i < sys->nq; i++) g->cols += mark[i] & 1, g->rows += mark[i] / 2;
    const int n = g->n, cols = g->cols, rows = g->rows;
    g->col = SARI_TAKE(memory, int, cols);
    g->row = SARI_TAKE(memory, int, rows);
    g->col_at = SARI_TAKE(memory, int, n* cols);
    g->row_at = SARI_TAKE(memory, int, rows* n);
    g->own_at = SARI_TAKE(memory, int, n* n);
    g->P_at = SARI_TAKE(memory, int, rows* cols);
    g->zero_at = SARI_TAKE(memory, int, n*(cols + n) + rows * n);
    g->by = SARI_TAKE(memory, double, n* cols);
    g->through = SARI_TAKE(memory, double, rows* n);
    g->inverse = SARI_TAKE(memory, double, n* n);
    g->A = SARI_TAKE(memory, double, n* n);
    if (memory->failed) return 0;
    int c = 0, r = 0;
    for (int i = 0; i < sys->nq; i++) {
        if (mark[i] & 1) g->col[c++] = i;
        if (mark[i] & 2) g->row[r++] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < cols; j++)
            g->col_at[cols * i + j] = sari_csr_find(K, g->first + i, g->col[j]);
        for (int j = 0; j < rows; j++)
            g->row_at[n * j + i] = sari_csr_find(K, g->row[j], g->first + i);
        for (int j = 0; j < n; j++)
            g->own_at[n * i + j] = sari_csr_find(K, g->first + i, g->first + j);
    }
    return 1;
}

sari_condensation* sari_condensation_create(const sari_equations* sys, sari_arena* memory)
{
    sari_condensation* c = SARI_TAKE(memory, sari_condensation, 1);
    int* mark = SARI_TAKE(memory, int, sys->nq);
    group* groups = SARI_TAKE(memory, group, sys->states);
    if (memory->failed) return NULL;
    c->sys = sys;
    c->group = groups;
    for (int i = sys->nq - sys->states; i < sys->nq; c->count++) {
        group* g = &groups[c->count];
        int last = i, far;
        while ((far = reach(sys, i, last)) > last) last = far;
        g->first = i;
        g->n = last - i + 1;
        if (!take_group(g, sys, mark, memory)) return NULL;
        i = last + 1;
    }
    return c;
}

void sari_condensation_pattern(const sari_condensation* c, sari_pattern* pattern)
{
    for (const group* g = c->group; g < c->group + c->count; g++)
        for (int r = 0; r < g->rows; r++)
            for (int k = 0; k < g->cols; k++) sari_pattern_add(pattern, g->row[r], g->col[k]);
}

void sari_condensation_locate(sari_condensation* c, const sari_sym* P)
{
    for (group* g = c->group; g < c->group + c->count; g++) {
        int* zero = g->zero_at;
        for (int r = 0; r < g->rows; r++)
            for (int k = 0; k < g->cols; k++)
                g->P_at[g->cols * r + k] = sari_sym_find(P, g->row[r], g->col[k]);
        for (int i = 0; i < g->n; i++) {
            for (int k = 0; k < g->cols; k++) *zero++ = sari_sym_find(P, g->first + i, g->col[k]);
            for (int k = 0; k < g->rows; k++) *zero++ = sari_sym_find(P, g->first + i, g->row[k]);
            for (int k = 0; k < g->n; k++) *zero++ = sari_sym_find(P, g->first + i, g->first + k);
        }
    }
}

/* ---- elimination ---------------------------------------------------------------------------- */

/* b (cv C + K) at an entry */
static double entry(const sari_equations* sys, int at, double b, double cv)
{
    return at < 0 ? 0.0 : b * (cv * sys->C.x[at] + sys->K.x[at]);
}

static void take_values(const sari_equations* sys, group* g, double b, double cv)
{
    const int n = g->n;
    double* A = g->A;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[n * i + j] = (i == j) + entry(sys, g->own_at[n * i + j], b, cv);
    for (int i = 0; i < n * n; i++) g->inverse[i] = i % (n + 1) == 0;
    (void)sari_divide(n, 2, (double* const[]){A, g->inverse}, 0.0);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < g->cols; k++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += g->inverse[n * i + j] * entry(sys, g->col_at[g->cols * j + k], b, cv);
            g->by[g->cols * i + k] = sum;
        }
    for (int k = 0; k < g->rows * n; k++) g->through[k] = entry(sys, g->row_at[k], b, cv);
}

void sari_condensation_set(sari_condensation* c, double b, double cv, double* P)
{
    for (group* g = c->group; g < c->group + c->count; g++) {
        const int n = g->n;
        take_values(c->sys, g, b, cv);
        for (int k = 0; k < n * (g->cols + g->rows + n); k++)
            if (g->zero_at[k] >= 0) P[g->zero_at[k]] = 0.0;
        for (int i = 0; i < n; i++)
            P[g->zero_at[(g->cols + g->rows + n) * i + g->cols + g->rows + i]] = 1.0;
        for (int r = 0; r < g->rows; r++)
            for (int k = 0; k < g->cols; k++) {
                double sum = 0.0;
                for (int i = 0; i < n; i++) sum += g->through[n * r + i] * g->by[g->cols * i + k];
                P[g->P_at[g->cols * r + k]] -= (g->row[r] == g->col[k] ? 1.0 : 0.5) * sum;
            }
    }
}

void sari_condensation_reduce(const sari_condensation* c, double* f)
{
    for (const group* g = c->group; g < c->group + c->count; g++)
        for (int i = 0; i < g->n; i++) {
            double y = 0.0;
            for (int j = 0; j < g->n; j++) y += g->inverse[g->n * i + j] * f[g->first + j];
            for (int r = 0; r < g->rows; r++) f[g->row[r]] -= g->through[g->n * r + i] * y;
        }
}

void sari_condensation_expand(const sari_condensation* c, const double* f, double* x)
{
    for (const group* g = c->group; g < c->group + c->count; g++)
        for (int i = 0; i < g->n; i++) {
            double y = 0.0;
            for (int j = 0; j < g->n; j++) y += g->inverse[g->n * i + j] * f[g->first + j];
            for (int k = 0; k < g->cols; k++) y -= g->by[g->cols * i + k] * x[g->col[k]];
            x[g->first + i] = y;
        }
}
