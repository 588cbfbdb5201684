/* Analysis for the sparse L D L': ordering, elimination tree, pattern of L by columns, panels,
 * positions.
 *
 * The elimination tree and the row-by-row pattern follow from one rule [davis2006]: L_ik is not
 * zero for every k on the paths in the tree from the columns of row i of A up to i. Walking them
 * row by row lists each column's rows in ascending order without a sort. */
#include "linalg/sparse/sparse_symbolic.h"

#include "base/status.h"
#include "linalg/sparse/ordering.h"

#include <limits.h>
#include <string.h>

/// Needed during the analysis only.
typedef struct scratch {
    sari_arena memory;
    int* rank;  ///< inverse of the order
    int* begin; ///< [n+1] row i of the permuted strict lower triangle: columns[begin[i] ..
                ///< begin[i+1])
    int* columns;
    int* parent; ///< elimination tree, -1 at a root
    int* seen;   ///< the last row whose walk met this column
    int* start;  ///< [n+1] column c of L has rows[start[c] .. start[c+1]), strictly below the
                 ///< diagonal
    int* rows;
    int* next; ///< [n+1]
} scratch;

static void scratch_init(scratch* w, int n, int entries)
{
    w->rank = SARI_TAKE(&w->memory, int, n);
    w->begin = SARI_TAKE(&w->memory, int, n + 1);
    w->columns = SARI_TAKE(&w->memory, int, entries);
    w->parent = SARI_TAKE(&w->memory, int, n);
    w->seen = SARI_TAKE(&w->memory, int, n);
    w->start = SARI_TAKE(&w->memory, int, n + 1);
    w->next = SARI_TAKE(&w->memory, int, n + 1);
}

static sar_status find_order(sari_symbolic* s, const sari_sym* A, scratch* w)
{
    SARI_TRY(sari_minimum_degree(A, s->order));
    for (int k = 0; k < s->n; k++) w->rank[s->order[k]] = k;
    return SAR_OK;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Rows of the permuted strict lower triangle of A.
static void permute_rows(const sari_sym* A, scratch* w)
{
    const int n = A->n;
    for (int c = 0; c < n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++)
            w->begin[larger(w->rank[c], w->rank[A->i[e]]) + 1]++;
    for (int i = 0; i < n; i++) w->begin[i + 1] += w->begin[i];
    memcpy(w->next, w->begin, sizeof(int) * (size_t)(n + 1));
    for (int c = 0; c < n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++) {
            int i = larger(w->rank[c], w->rank[A->i[e]]);
            w->columns[w->next[i]++] = smaller(w->rank[c], w->rank[A->i[e]]);
        }
}

// Elimination tree and the number of entries in each column of L.
static sar_status count_columns(int n, scratch* w)
{
    for (int i = 0; i < n; i++) {
        w->parent[i] = -1;
        w->seen[i] = i;
        for (int e = w->begin[i]; e < w->begin[i + 1]; e++)
            for (int k = w->columns[e]; w->seen[k] != i; k = w->parent[k]) {
                if (w->parent[k] < 0) w->parent[k] = i;
                w->start[k + 1]++;
                w->seen[k] = i;
            }
    }
    for (int c = 0; c < n; c++) {
        if (w->start[c + 1] > INT_MAX - n - 1 - w->start[c]) return SAR_E_NOMEM;
        w->start[c + 1] += w->start[c];
    }
    w->rows = SARI_TAKE(&w->memory, int, w->start[n]);
    return w->rows ? SAR_OK : SAR_E_NOMEM;
}

static void list_rows(int n, scratch* w)
{
    memcpy(w->next, w->start, sizeof(int) * (size_t)(n + 1));
    for (int i = 0; i < n; i++) {
        w->seen[i] = i;
        for (int e = w->begin[i]; e < w->begin[i + 1]; e++)
            for (int k = w->columns[e]; w->seen[k] != i; k = w->parent[k]) {
                w->rows[w->next[k]++] = i;
                w->seen[k] = i;
            }
    }
}

// Does column c+1 have exactly the rows of column c, less itself? Then they share a panel.
static int continues(const scratch* w, int c)
{
    return w->parent[c] == c + 1 &&
           w->start[c + 1] - w->start[c] == w->start[c + 2] - w->start[c + 1] + 1;
}

// Cut each run of like columns into panels of nearly equal width.
static sar_status find_panels(sari_symbolic* s, sari_arena* memory, const scratch* w)
{
    s->panel = SARI_TAKE(memory, sari_panel, s->n);
    if (!s->panel) return SAR_E_NOMEM;
    size_t rows = 0, targets = 0;
    for (int first = 0; first < s->n;) {
        int end = first + 1;
        while (end < s->n && continues(w, end - 1)) end++;
        int pieces = (end - first + SARI_PANEL_WIDTH - 1) / SARI_PANEL_WIDTH;
        for (; pieces > 0; pieces--) {
            sari_panel* p = &s->panel[s->panels++];
            p->first = first;
            p->width = (end - first + pieces - 1) / pieces;
            first += p->width;
            p->rows = w->start[first] - w->start[first - 1];
            p->row = (int)rows;
            p->value = s->n + w->start[p->first];
            p->target = targets;
            rows += (size_t)p->rows;
            targets += (size_t)p->rows * (size_t)(p->rows + 1) / 2;
            s->widest = larger(s->widest, p->rows);
        }
    }
    s->values = s->n + w->start[s->n];
    s->row = SARI_TAKE(memory, int, rows);
    s->target = SARI_TAKE(memory, int, targets);
    return s->row && s->target ? SAR_OK : SAR_E_NOMEM;
}

// Where the products of each panel's rows go. The rows from a on are a part of column row[a]'s own.
static void find_targets(sari_symbolic* s, const scratch* w)
{
    for (int k = 0; k < s->panels; k++) {
        const sari_panel* p = &s->panel[k];
        int* row = s->row + p->row;
        memcpy(row, w->rows + w->start[p->first + p->width - 1], sizeof(int) * (size_t)p->rows);
        int* target = s->target + p->target;
        for (int a = 0; a < p->rows; a++) {
            *target++ = row[a]; // its pivot
            int at = w->start[row[a]];
            for (int b = a + 1; b < p->rows; b++) {
                while (w->rows[at] != row[b]) at++;
                *target++ = s->n + at;
            }
        }
    }
}

// Where entry (r, c) of the permuted matrix, r >= c, is in the values: by bisection in column c.
static int find_value(const sari_symbolic* s, const scratch* w, int r, int c)
{
    if (r == c) return c;
    int low = w->start[c], high = w->start[c + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (w->rows[middle] < r)
            low = middle + 1;
        else
            high = middle;
    }
    return s->n + low;
}

static void find_places(sari_symbolic* s, const sari_sym* A, const scratch* w)
{
    for (int c = 0; c < s->n; c++)
        for (int e = A->p[c]; e < A->p[c + 1]; e++) {
            int i = w->rank[A->i[e]], j = w->rank[c];
            s->place[e] = find_value(s, w, larger(i, j), smaller(i, j));
        }
}

static sar_status analyse(sari_symbolic* s, sari_arena* memory, const sari_sym* A, scratch* w)
{
    const int entries = A->p[A->n];
    scratch_init(w, s->n, entries);
    s->order = SARI_TAKE(memory, int, s->n);
    s->place = SARI_TAKE(memory, int, entries);
    if (memory->failed || w->memory.failed) return SAR_E_NOMEM;
    SARI_TRY(find_order(s, A, w));
    permute_rows(A, w);
    SARI_TRY(count_columns(s->n, w));
    list_rows(s->n, w);
    SARI_TRY(find_panels(s, memory, w));
    find_targets(s, w);
    find_places(s, A, w);
    return SAR_OK;
}

sar_status sari_symbolic_init(sari_symbolic* s, sari_arena* memory, const sari_sym* A)
{
    *s = (sari_symbolic){.n = A->n};
    scratch w = {0};
    sar_status status = analyse(s, memory, A, &w);
    sari_arena_clear(&w.memory);
    return status;
}
