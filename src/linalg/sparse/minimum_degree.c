/* Approximate minimum degree [amestoy1996].
 *
 * Elimination is followed in a quotient graph. A node is a variable that is still there, or an
 * element: the clique that an eliminated variable leaves among its neighbours. A variable i has
 *
 *     E_i   the elements that it belongs to,    A_i   the variables it meets in no element,
 *
 * and the next pivot is the variable with the least bound on its external degree,
 *
 *     d_i = min { n - k,  d_i + |L_p \ i|,  |A_i \ i| + |L_p \ i| + sum over e in E_i, e != p, of |L_e \ L_p| }   (1)
 *
 * after pivot p, with the variables L_p. Elements inside L_p are absorbed by p, even those that p does
 * not meet (aggressive absorption); variables with the same neighbours are one (supervariables, found by
 * a hash of their lists); those with no neighbour outside L_p are eliminated along with p. The order
 * is the depth-first one of the tree of absorptions, with the largest child last.
 *
 * Where several variables have the least bound the one whose bound was found last is taken, lists are read
 * from their beginning, and rows of more than 10 sqrt(n) entries come last: the choices of AMD in SuiteSparse,
 * whose order this is (tests/unit/linalg/test_ordering.c). */
#include "linalg/sparse/ordering.h"

#include "base/memory.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { NONE = -1 };

typedef struct graph {
    int n, left;       ///< variables that are not eliminated yet
    int *list, used;   ///< of all nodes, one behind the other
    size_t room;       ///< of list
    int *begin, *size; ///< of a node's list: elements first, then variables
    int* elements;     ///< how many of a variable's list are elements
    int*
        weight; ///< variables that this one stands for; 0: it is in another; negative: it is in L_p
    int* degree;                ///< bound of a variable; |L_e| of an element
    int* parent;                ///< what absorbed a node
    int* front;                 ///< rows of an element's front, for the order of children
    int *first, *next, *before; ///< variables by degree, as lists in both directions
    int *bucket, *chain, *hash; ///< variables of L_p by hash
    int *mark, stamp;           ///< |L_e \ L_p| + stamp; 0: absorbed
    int least;                  ///< no variable has a lower degree
    int* memory;
} graph;

/* ---- set up --------------------------------------------------------------------------------- */

static sar_status graph_init(graph* g, const sari_sym* A)
{
    const int n = g->n = g->left = A->n;
    const size_t N = (size_t)n;
    g->room = 2 * (size_t)(A->p[n] - n) + N;
    g->memory = sari_allocate(15 * N, sizeof(int));
    g->list = sari_allocate(g->room, sizeof(int));
    if (!g->memory || !g->list) return SAR_E_NOMEM;
    int** arrays[] = {&g->begin,  &g->size,  &g->elements, &g->weight, &g->degree,
                      &g->parent, &g->front, &g->first,    &g->next,   &g->before,
                      &g->bucket, &g->chain, &g->hash,     &g->mark};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) *arrays[k] = g->memory + k * N;
    for (int c = 0; c < n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++) g->size[c]++, g->size[A->i[e]]++;
    for (int i = 0; i < n; i++) {
        g->begin[i] = g->used;
        g->used += g->size[i];
        g->degree[i] = g->size[i];
        g->weight[i] = g->mark[i] = 1;
        g->parent[i] = g->first[i] = g->next[i] = g->before[i] = g->bucket[i] = g->chain[i] = NONE;
    }
    int* end = g->chain; // borrowed
    memcpy(end, g->begin, N * sizeof end[0]);
    for (int c = 0; c < n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++) {
            g->list[end[A->i[e]]++] = c;
            g->list[end[c]++] = A->i[e];
        }
    for (int i = 0; i < n; i++) end[i] = NONE;
    return SAR_OK;
}

static void insert(graph* g, int i, int degree)
{
    const int was = g->first[degree];
    if (was != NONE) g->before[was] = i;
    g->next[i] = was;
    g->before[i] = NONE;
    g->first[degree] = i;
    g->degree[i] = degree;
    if (degree < g->least) g->least = degree;
}

static void take_out(graph* g, int i)
{
    const int next = g->next[i], before = g->before[i];
    if (next != NONE) g->before[next] = before;
    if (before != NONE)
        g->next[before] = next;
    else
        g->first[g->degree[i]] = next;
}

// Single ones are eliminated at once; those that meet nearly all are last.
static void sort_by_degree(graph* g)
{
    int dense = (int)(10.0 * sqrt((double)g->n));
    dense = dense < 16 ? 16 : dense;
    dense = dense > g->n ? g->n : dense;
    for (int i = 0; i < g->n; i++) {
        if (g->degree[i] == 0) {
            g->front[i] = 1;
            g->mark[i] = 0;
            g->left--;
        } else if (g->degree[i] > dense) {
            g->weight[i] = 0;
            g->front[i] = NONE;
            g->left--;
        } else {
            insert(g, i, g->degree[i]);
        }
    }
}

/* ---- a pivot -------------------------------------------------------------------------------- */

// The marks of all elements fall below the stamp.
static void renew_stamp(graph* g)
{
    if (g->stamp >= 2 && g->stamp < INT_MAX - g->n) return;
    for (int i = 0; i < g->n; i++) g->mark[i] = g->mark[i] != 0;
    g->stamp = 2;
}

static void absorb(graph* g, int element, int p)
{
    g->parent[element] = p;
    g->mark[element] = 0;
}

/* Variables of a list that are not in L_p yet go there; `to` is where it ends. Returns their weight. */
static int collect(graph* g, int begin, int size, int* to)
{
    int weight = 0;
    for (int k = begin; k < begin + size; k++) {
        const int i = g->list[k];
        if (g->weight[i] <= 0) continue;
        weight += g->weight[i];
        g->weight[i] = -g->weight[i];
        g->list[(*to)++] = i;
        take_out(g, i);
    }
    return weight;
}

static sar_status make_room(graph* g, int more)
{
    if ((size_t)g->used + (size_t)more <= g->room) return SAR_OK;
    size_t room = 2 * g->room + (size_t)more;
    if (room > INT_MAX) room = INT_MAX;
    if ((size_t)g->used + (size_t)more > room) return SAR_E_NOMEM;
    int* list = sari_allocate(room, sizeof(int));
    if (!list) return SAR_E_NOMEM;
    memcpy(list, g->list, (size_t)g->used * sizeof list[0]);
    sari_release(g->list);
    g->list = list;
    g->room = room;
    return SAR_OK;
}

/* L_p: the union of A_p and of the elements of p, which p absorbs. In place if there are none. */
static sar_status form_element(graph* g, int p)
{
    const int elements = g->elements[p], begin = g->begin[p], size = g->size[p];
    int to = begin, weight = 0;
    if (elements > 0) {
        SARI_TRY(make_room(g, g->left));
        to = g->used;
    }
    const int from = to;
    for (int k = 0; k < elements; k++) {
        const int e = g->list[begin + k];
        weight += collect(g, g->begin[e], g->size[e], &to);
        absorb(g, e, p);
    }
    weight += collect(g, begin + elements, size - elements, &to);
    g->begin[p] = from;
    g->size[p] = to - from;
    g->degree[p] = weight;
    return SAR_OK;
}

// mark[e] - stamp = |L_e \ L_p| for all elements that L_p meets.
static void measure_elements(graph* g, int p)
{
    for (int k = 0; k < g->size[p]; k++) {
        const int i = g->list[g->begin[p] + k], weight = -g->weight[i];
        const int* list = g->list + g->begin[i];
        for (int m = 0; m < g->elements[i]; m++) {
            const int e = list[m];
            if (g->mark[e] >= g->stamp)
                g->mark[e] -= weight;
            else if (g->mark[e] != 0)
                g->mark[e] = g->degree[e] + g->stamp - weight;
        }
    }
}

static void put_into_bucket(graph* g, int i, unsigned sum)
{
    const int hash = (int)(sum % (unsigned)g->n);
    g->chain[i] = g->bucket[hash];
    g->bucket[hash] = i;
    g->hash[i] = hash;
}

/* The lists of i without what was absorbed, and the last of the bounds (1) without |L_p \ i|. Returns the weight
 * that leaves L_p, if i can be eliminated now. */
static int update_variable(graph* g, int i, int p)
{
    int* list = g->list + g->begin[i];
    const int elements = g->elements[i], size = g->size[i];
    int to = 0, degree = 0;
    unsigned sum = 0;
    for (int k = 0; k < elements; k++) {
        const int e = list[k];
        if (g->mark[e] == 0) continue;
        const int outside = g->mark[e] - g->stamp;
        if (outside > 0) {
            degree += outside;
            list[to++] = e;
            sum += (unsigned)e;
        } else {
            absorb(g, e, p);
        }
    }
    const int kept = to;
    for (int k = elements; k < size; k++) {
        const int j = list[k];
        if (g->weight[j] <= 0) continue;
        degree += g->weight[j];
        list[to++] = j;
        sum += (unsigned)j;
    }
    if (to == 0) {
        const int weight = -g->weight[i];
        g->parent[i] = p;
        g->weight[i] = 0;
        g->front[i] = NONE;
        return weight;
    }
    if (degree < g->degree[i]) g->degree[i] = degree;
    list[to] =
        list[kept]; // p becomes the first element: there is room, p itself or an element went
    list[kept] = list[0];
    list[0] = p;
    g->elements[i] = kept + 1;
    g->size[i] = to + 1;
    put_into_bucket(g, i, sum);
    return 0;
}

/* ---- supervariables ------------------------------------------------------------------------- */

static bool same_lists(const graph* g, int i, int j)
{
    if (g->size[i] != g->size[j] || g->elements[i] != g->elements[j]) return false;
    for (int k = 1; k < g->size[j]; k++) // the first is p
        if (g->mark[g->list[g->begin[j] + k]] != g->stamp) return false;
    return true;
}

// i takes all behind it in its chain that have its neighbours.
static void merge_into(graph* g, int i)
{
    for (int k = 1; k < g->size[i]; k++) g->mark[g->list[g->begin[i] + k]] = g->stamp;
    int last = i;
    for (int j = g->chain[i]; j != NONE; j = g->chain[j]) {
        if (same_lists(g, i, j)) {
            g->parent[j] = i;
            g->weight[i] += g->weight[j];
            g->weight[j] = 0;
            g->front[j] = NONE;
            g->chain[last] = g->chain[j];
        } else {
            last = j;
        }
    }
    g->stamp++;
}

static void find_supervariables(graph* g, int p)
{
    for (int k = 0; k < g->size[p]; k++) {
        int i = g->list[g->begin[p] + k];
        if (g->weight[i] >= 0) continue;
        const int hash = g->hash[i];
        i = g->bucket[hash];
        g->bucket[hash] = NONE;
        for (; i != NONE && g->chain[i] != NONE; i = g->chain[i]) merge_into(g, i);
    }
}

// The remainder of L_p goes back to its degrees (1).
static void finish_element(graph* g, int p, int weight, bool in_place)
{
    int to = g->begin[p];
    const int end = to + g->size[p], outside = g->degree[p];
    for (int k = to; k < end; k++) {
        const int i = g->list[k], own = -g->weight[i];
        if (own <= 0) continue;
        g->weight[i] = own;
        int degree = g->degree[i] + outside - own;
        if (degree > g->left - own) degree = g->left - own;
        insert(g, i, degree);
        g->list[to++] = i;
    }
    g->weight[p] = weight;
    g->size[p] = to - g->begin[p];
    if (g->size[p] == 0) {
        g->parent[p] = NONE;
        g->mark[p] = 0;
    }
    if (!in_place) g->used = to;
}

static sar_status eliminate_next(graph* g, int* widest)
{
    while (g->first[g->least] == NONE) g->least++;
    const int p = g->first[g->least];
    take_out(g, p);
    const bool in_place = g->elements[p] == 0;
    int weight = g->weight[p];
    g->left -= weight;
    g->weight[p] = -weight;
    SARI_TRY(form_element(g, p));
    g->front[p] = weight + g->degree[p];
    renew_stamp(g);
    measure_elements(g, p);
    int gone = 0;
    for (int k = 0; k < g->size[p]; k++) gone += update_variable(g, g->list[g->begin[p] + k], p);
    g->degree[p] -= gone;
    g->left -= gone;
    if (g->degree[p] > *widest) *widest = g->degree[p];
    g->stamp += *widest;
    renew_stamp(g);
    find_supervariables(g, p);
    finish_element(g, p, weight + gone, in_place);
    return SAR_OK;
}

/* ---- order ---------------------------------------------------------------------------------- */

// Variables that were absorbed point at the element that was eliminated with them.
static void compress_paths(graph* g)
{
    for (int i = 0; i < g->n; i++) {
        if (g->weight[i] != 0 || g->parent[i] == NONE) continue;
        int root = g->parent[i];
        while (g->weight[root] == 0) root = g->parent[root];
        for (int j = i; g->weight[j] == 0;) {
            const int next = g->parent[j];
            g->parent[j] = root;
            j = next;
        }
    }
}

// The child with the largest front moves to the end of the list of its siblings.
static void largest_last(graph* g, int* child, int* sibling, int parent)
{
    int largest = NONE, before_largest = NONE, last = NONE, most = NONE;
    for (int c = child[parent], before = NONE; c != NONE; before = c, c = sibling[c]) {
        if (g->front[c] >= most) most = g->front[c], largest = c, before_largest = before;
        last = c;
    }
    if (largest == NONE || sibling[largest] == NONE) return;
    if (before_largest == NONE)
        child[parent] = sibling[largest];
    else
        sibling[before_largest] = sibling[largest];
    sibling[largest] = NONE;
    sibling[last] = largest;
}

/* Elements in the order of a depth-first search, into `sorted`; returns their number. */
static int sort_elements(graph* g, int* sorted)
{
    int *child = g->first, *sibling = g->next, *stack = g->before, count = 0;
    for (int i = 0; i < g->n; i++) child[i] = sibling[i] = NONE;
    for (int i = g->n - 1; i >= 0; i--) {
        if (g->weight[i] <= 0 || g->parent[i] == NONE) continue;
        sibling[i] = child[g->parent[i]];
        child[g->parent[i]] = i;
    }
    for (int i = 0; i < g->n; i++)
        if (g->weight[i] > 0) largest_last(g, child, sibling, i);
    for (int i = 0; i < g->n; i++) {
        if (g->parent[i] != NONE || g->weight[i] <= 0) continue;
        int depth = 0;
        stack[0] = i;
        while (depth >= 0) {
            const int at = stack[depth], down = child[at];
            if (down != NONE) {
                child[at] = sibling[down];
                stack[++depth] = down;
            } else {
                sorted[count++] = at;
                depth--;
            }
        }
    }
    return count;
}

// Each element's absorbed variables, then itself; dense rows at the end.
static void write_order(graph* g, int* order)
{
    int *sorted = g->bucket, *position = g->chain, used = 0;
    compress_paths(g);
    const int count = sort_elements(g, sorted);
    for (int k = 0; k < count; k++) {
        position[sorted[k]] = used;
        used += g->weight[sorted[k]];
    }
    for (int i = 0; i < g->n; i++)
        if (g->weight[i] == 0) {
            const int element = g->parent[i];
            order[element == NONE ? used++ : position[element]++] = i;
        }
    for (int i = 0; i < g->n; i++)
        if (g->weight[i] > 0) order[position[i]] = i;
}

sar_status sari_minimum_degree(const sari_sym* A, int* order)
{
    graph g = {0};
    sar_status status = A->n > 0 ? graph_init(&g, A) : SAR_OK;
    if (status == SAR_OK && A->n > 0) {
        int widest = 0;
        sort_by_degree(&g);
        while (status == SAR_OK && g.left > 0) status = eliminate_next(&g, &widest);
        if (status == SAR_OK) write_order(&g, order);
    }
    sari_release(g.memory);
    sari_release(g.list);
    return status;
}
