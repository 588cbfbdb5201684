/* Where a variable is eliminated, and with what:
 *
 *     x of a block    at its leaf; if entries of P join it to other blocks, where all of them meet
 *     row of J        where all x in it have been eliminated: its pivot is then
 *                     -(D + J P^-1 J'), and not the tiny -D
 *
 * "Where they meet" is the lowest common node of the tree. Two variables that share an entry so
 * always lie on one path to the root, the condition for a multifrontal factorisation. A leaf is
 * the compliance of one body at its joints, -J P^-1 J'; an inner node joins two compounds and
 * closes the joints between them [malczyk2018]. Nodes where nothing is eliminated vanish: their
 * children go to the next one above. */
#include "linalg/dca/fronts.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/// What is needed only while the fronts are made.
typedef struct maker {
    const sari_sym* A;
    const sari_structure* s;
    sari_dca_tree tree;
    int *node, *raised;       ///< [n] of the tree, where a variable is eliminated
    int *front, *next, *head; ///< [nodes] front of a node, -1; lists of fronts
    int *mark, *position;     ///< [n] front that a variable was last seen in, and where there
    int capacity;             ///< of index
    sari_arena* memory;       ///< of the fronts
    sari_arena scratch;
} maker;

static void swap_down(sari_dca_fronts* f, const sari_sym* A)
{
    int* next = f->row_first + 1;
    for (int c = 0; c < A->n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++)
            if (A->i[e] + 1 < A->n) next[A->i[e] + 1]++;
    for (int r = 1; r < A->n; r++) next[r] += next[r - 1];
    for (int c = 0; c < A->n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++) {
            const int at = next[A->i[e]]++;
            f->row[at] = c;
            f->row_entry[at] = e;
        }
}

/* ---- nodes of the variables ----------------------------------------------------------------- */

static void place_primal(maker* m)
{
    const sari_sym* A = m->A;
    const int *block = m->s->block, primal = m->s->primal;
    for (int v = 0; v < primal; v++) m->node[v] = block[v];
    for (int c = 0; c < primal; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1] && A->i[e] < primal; e++) {
            const int r = A->i[e];
            if (block[r] == block[c]) continue;
            m->node[c] = sari_dca_tree_meet(&m->tree, m->node[c], block[r]);
            m->node[r] = sari_dca_tree_meet(&m->tree, m->node[r], block[c]);
        }
}

// A row that meets nothing is as well in the first leaf as anywhere. Entries of D beside its
// diagonal join rows like those of P join blocks.
static void place_rows(maker* m, const sari_dca_fronts* f)
{
    const int n = m->A->n, primal = m->s->primal;
    for (int r = primal; r < n; r++) {
        int node = -1;
        for (int k = f->row_first[r]; k < f->row_first[r + 1] && f->row[k] < primal; k++) {
            const int at = m->node[f->row[k]];
            node = node < 0 ? at : sari_dca_tree_meet(&m->tree, node, at);
        }
        m->node[r] = m->raised[r] = node < 0 ? 0 : node;
    }
    for (int r = primal; r < n; r++)
        for (int k = f->row_first[r]; k < f->row_first[r + 1]; k++) {
            const int c = f->row[k];
            if (c < primal) continue;
            m->raised[c] = sari_dca_tree_meet(&m->tree, m->raised[c], m->node[r]);
            m->raised[r] = sari_dca_tree_meet(&m->tree, m->raised[r], m->node[c]);
        }
    for (int r = primal; r < n; r++) m->node[r] = m->raised[r];
}

/* ---- the tree of fronts --------------------------------------------------------------------- */

// Leaves first, then inner nodes from the last made: children before parents.
static int node_in_order(const sari_dca_tree* t, int k)
{
    return k < t->leaves ? k : t->nodes - 1 - (k - t->leaves);
}

static void number_fronts(maker* m, sari_dca_fronts* f)
{
    const sari_dca_tree* t = &m->tree;
    for (int k = 0; k < t->nodes; k++) m->front[k] = 0;
    for (int v = 0; v < f->n; v++) m->front[m->node[v]]++;
    for (int k = 0; k < t->nodes; k++) {
        const int node = node_in_order(t, k), pivots = m->front[node];
        m->front[node] = pivots ? f->count : -1;
        if (!pivots) continue;
        f->pivots[f->count] = pivots;
        m->head[f->count++] = node;
    }
    for (int c = 0; c < f->count; c++) {
        int up = t->parent[m->head[c]];
        while (up >= 0 && m->front[up] < 0) up = t->parent[up];
        f->parent[c] = up < 0 ? -1 : m->front[up];
    }
    for (int v = 0; v < f->n; v++) f->home[v] = m->front[m->node[v]];
}

// Children in the order of their smallest blocks, so that like parts of the tree look alike.
static void list_children(maker* m, sari_dca_fronts* f)
{
    const sari_dca_tree* t = &m->tree;
    int* node = m->raised; // no longer needed; there are at most as many fronts as variables
    memcpy(node, m->head, sizeof(int) * (size_t)f->count);
    for (int b = 0; b < t->nodes; b++) m->head[b] = -1;
    for (int c = 0; c < f->count; c++) {
        const int b = t->lowest[node[c]];
        m->next[c] = m->head[b];
        m->head[b] = c;
        if (f->parent[c] >= 0) f->child_first[f->parent[c] + 1]++;
    }
    for (int p = 0; p < f->count; p++) f->child_first[p + 1] += f->child_first[p];
    int* end = m->position;
    for (int p = 0; p < f->count; p++) end[p] = f->child_first[p];
    for (int b = 0; b < t->leaves; b++)
        for (int c = m->head[b]; c >= 0; c = m->next[c])
            if (f->parent[c] >= 0) f->child[end[f->parent[c]]++] = c;
}

/* ---- what is in a front --------------------------------------------------------------------- */

static sar_status append(maker* m, sari_dca_fronts* f, int front, int v)
{
    if (m->mark[v] == front) return SAR_OK;
    const int count = f->first[front + 1];
    if (!sari_grow((void**)&f->index, count, &m->capacity, sizeof(int))) return SAR_E_NOMEM;
    m->mark[v] = front;
    m->position[v] = count - f->first[front];
    f->index[count] = v;
    f->first[front + 1]++;
    return SAR_OK;
}

// Variables that share an entry with pivot v and are eliminated later.
static sar_status append_neighbours(maker* m, sari_dca_fronts* f, int front, int v)
{
    const sari_sym* A = m->A;
    for (int k = f->row_first[v]; k < f->row_first[v + 1]; k++)
        if (f->home[f->row[k]] > front) SARI_TRY(append(m, f, front, f->row[k]));
    for (int e = A->p[v] + 1; e < A->p[v + 1]; e++)
        if (f->home[A->i[e]] > front) SARI_TRY(append(m, f, front, A->i[e]));
    return SAR_OK;
}

// Pivots were appended by the caller. Handles of the children, in their order, then new ones.
static sar_status fill_front(maker* m, sari_dca_fronts* f, int front)
{
    for (int k = f->child_first[front]; k < f->child_first[front + 1]; k++) {
        const int c = f->child[k];
        for (int i = f->first[c] + f->pivots[c]; i < f->first[c + 1]; i++)
            SARI_TRY(append(m, f, front, f->index[i]));
    }
    for (int e = 0; e < f->pivots[front]; e++)
        SARI_TRY(append_neighbours(m, f, front, f->index[f->first[front] + e]));
    return SAR_OK;
}

static void number_handles(maker* m, sari_dca_fronts* f, int* map, int front)
{
    for (int k = f->child_first[front]; k < f->child_first[front + 1]; k++) {
        const int c = f->child[k];
        for (int i = f->first[c] + f->pivots[c]; i < f->first[c + 1]; i++)
            map[i] = m->position[f->index[i]];
    }
}

static sar_status fill_fronts(maker* m, sari_dca_fronts* f)
{
    // Pivots by front; ascending variables put those of P before the rows.
    for (int k = 0; k < f->count; k++) m->head[k] = -1;
    for (int v = f->n - 1; v >= 0; v--) {
        m->node[v] = m->head[f->home[v]];
        m->head[f->home[v]] = v;
        m->mark[v] = -1;
    }
    for (int k = 0; k < f->count; k++) {
        f->first[k + 1] = f->first[k];
        for (int v = m->head[k]; v >= 0; v = m->node[v]) SARI_TRY(append(m, f, k, v));
        SARI_TRY(fill_front(m, f, k));
    }
    f->map = SARI_TAKE(m->memory, int, f->first[f->count]);
    if (!f->map) return SAR_E_NOMEM;
    for (int k = 0; k < f->count; k++) {
        for (int i = f->first[k]; i < f->first[k + 1]; i++)
            m->position[f->index[i]] = i - f->first[k];
        number_handles(m, f, f->map, k);
    }
    return SAR_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static sar_status allocate(sari_dca_fronts* f, maker* m)
{
    const size_t n = (size_t)f->n + 1, entries = (size_t)m->A->p[f->n] + 1;
    const size_t nodes = 2 * (size_t)m->tree.leaves + n;
    int** const kept[] = {&f->first,       &f->pivots, &f->parent,    &f->child,
                          &f->child_first, &f->home,   &f->row_first, NULL};
    int** const lost[] = {&m->node,  &m->raised, &m->mark, &m->position,
                          &m->front, &m->next,   &m->head, NULL};
    for (int k = 0; kept[k]; k++) *kept[k] = SARI_TAKE(m->memory, int, n + 1);
    for (int k = 0; lost[k]; k++) *lost[k] = SARI_TAKE(&m->scratch, int, nodes);
    f->row = SARI_TAKE(m->memory, int, entries);
    f->row_entry = SARI_TAKE(m->memory, int, entries);
    m->capacity = (int)entries;
    f->index = SARI_NEW_ARRAY(int, entries);
    return f->index && !m->memory->failed && !m->scratch.failed ? SAR_OK : SAR_E_NOMEM;
}

static sar_status make(maker* m, sari_dca_fronts* f)
{
    SARI_TRY(sari_dca_tree_init(&m->tree, &m->scratch, m->A, m->s));
    SARI_TRY(allocate(f, m));
    swap_down(f, m->A);
    place_primal(m);
    place_rows(m, f);
    number_fronts(m, f);
    list_children(m, f);
    return fill_fronts(m, f);
}

sar_status sari_dca_fronts_init(sari_dca_fronts* f, sari_arena* memory, const sari_sym* A,
                                const sari_structure* structure)
{
    *f = (sari_dca_fronts){.n = A->n};
    maker m = {.A = A, .s = structure, .memory = memory};
    sar_status status = make(&m, f);
    sari_arena_clear(&m.scratch);
    return status;
}
