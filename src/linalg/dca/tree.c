/* The tree is made from the top: a set of blocks is split in two, each part again, down to single
 * blocks. A split should cut few rows (they are what a part shows to the outside) and leave parts
 * of like size (the tree is then flat):
 *
 *     unconnected sets   between components; nothing is cut
 *     chains             at a power of two, so that as many parts as possible are alike
 *     trees              at the edge that halves them best; where all branches are short, between
 *                        the branches of the centre
 *     other graphs       blocks in the order of their distance from a far one; of all beginnings
 *                        with a third to two thirds of them the one that cuts least, then blocks
 *                        change sides where that cuts less
 *
 * Every split costs time linear in its set, and none leaves a part of nearly all blocks unless it
 * is of a set that is hardly connected: O(n log n) together. The result depends on nothing but the
 * pattern. */
#include "linalg/dca/tree.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"

#include <stdlib.h>
#include <string.h>

/// Blocks as a graph; weight: rows and entries that join two.
typedef struct graph {
    int n;
    int* start; ///< [n + 1] neighbours of b are neighbour[start[b] .. start[b + 1])
    int* neighbour;
    int* weight;
} graph;

/// The set that is being split is order[low .. high), ascending; its blocks have set[b] == id.
typedef struct splitter {
    graph g;
    sari_dca_tree* tree;
    int *order, *set;
    int *queue, *from, *size; ///< search by breadth: blocks as found, from where, blocks beyond
    int *seen, searches;
    unsigned char* side;
    int* spare;
} splitter;

/* ---- the graph ------------------------------------------------------------------------------ */

// Calls add(block, block) for every entry of P between blocks, and for every row of J for each two
// blocks that follow each other in it.
static void for_each_link(const sari_sym* A, const sari_structure* s, int* last,
                          void (*add)(void*, int, int), void* context)
{
    for (int r = 0; r < A->n; r++) last[r] = -1;
    for (int c = 0; c < s->primal; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++) {
            const int r = A->i[e], b = s->block[c];
            if (r < s->primal) {
                if (s->block[r] != b) add(context, b, s->block[r]);
            } else if (last[r] != b) {
                if (last[r] >= 0) add(context, last[r], b);
                last[r] = b;
            }
        }
}

static void add_pair(void* pattern, int a, int b)
{
    sari_pattern_add(pattern, a, b);
}

static void add_weight(void* links, int a, int b)
{
    sari_sym* L = links;
    L->x[sari_sym_find(L, a, b)] += 1;
}

static sar_status graph_fill(graph* g, const sari_sym* links, sari_arena* scratch)
{
    const int n = links->n, edges = 2 * (links->p[n] - n);
    g->n = n;
    g->start = SARI_TAKE(scratch, int, n + 2);
    g->neighbour = SARI_TAKE(scratch, int, edges);
    g->weight = SARI_TAKE(scratch, int, edges);
    if (scratch->failed) return SAR_E_NOMEM;
    int* next = g->start + 1; // counts one place ahead, so that filling leaves it right
    for (int c = 0; c < n; c++)
        for (int e = links->p[c] + 1; e < links->p[c + 1]; e++) {
            if (c + 1 < n) next[c + 1]++;
            if (links->i[e] + 1 < n) next[links->i[e] + 1]++;
        }
    for (int b = 1; b < n; b++) next[b] += next[b - 1];
    for (int c = 0; c < n; c++)
        for (int e = links->p[c] + 1; e < links->p[c + 1]; e++) {
            const int r = links->i[e];
            g->weight[next[c]] = g->weight[next[r]] = (int)links->x[e];
            g->neighbour[next[c]++] = r;
            g->neighbour[next[r]++] = c;
        }
    return SAR_OK;
}

static sar_status graph_init(graph* g, const sari_sym* A, const sari_structure* s, int blocks,
                             sari_arena* scratch)
{
    sari_pattern pattern;
    sari_sym links = {0};
    sari_pattern_init(&pattern, blocks, blocks);
    int* last = SARI_TAKE(scratch, int, A->n);
    sar_status status = SAR_E_NOMEM;
    if (last) {
        for_each_link(A, s, last, add_pair, &pattern);
        status = sari_pattern_make_sym(&pattern, &links);
    }
    if (status == SAR_OK) {
        for_each_link(A, s, last, add_weight, &links);
        status = graph_fill(g, &links, scratch);
    }
    sari_pattern_clear(&pattern);
    sari_sym_clear(&links);
    return status;
}

/* ---- searches ------------------------------------------------------------------------------- */

// Adds what can be reached from `root` within set `id` to the queue, which has `count` by now.
static int search(splitter* s, int id, int root, int count)
{
    const graph* g = &s->g;
    int head = count;
    s->queue[count++] = root;
    s->from[root] = -1;
    s->seen[root] = s->searches;
    while (head < count) {
        const int b = s->queue[head++];
        for (int e = g->start[b]; e < g->start[b + 1]; e++) {
            const int o = g->neighbour[e];
            if (s->set[o] != id || s->seen[o] == s->searches) continue;
            s->seen[o] = s->searches;
            s->from[o] = b;
            s->queue[count++] = o;
        }
    }
    return count;
}

static int new_search(splitter* s, int id, int root)
{
    s->searches++;
    return search(s, id, root, 0);
}

/* ---- splits: each sets `side` of all blocks of the queue ------------------------------------ */

static void take_first(splitter* s, int n, int first)
{
    for (int k = 0; k < n; k++) s->side[s->queue[k]] = k >= first;
}

// The queue holds the first component only. At the end of the component nearest to the middle.
static void split_components(splitter* s, int id, int low, int high, int count)
{
    const int n = high - low;
    int best = count;
    for (int k = low; k < high; k++) {
        if (s->seen[s->order[k]] == s->searches) continue;
        if (abs(2 * count - n) < abs(2 * best - n)) best = count;
        count = search(s, id, s->order[k], count);
    }
    take_first(s, n, best);
}

static void split_chain(splitter* s, int n)
{
    int first = 1;
    while (2 * first < n) first *= 2;
    take_first(s, n, first);
}

// All branches of `centre` are short: whole ones to the other side, up to half of the blocks. The
// branch that leads to the root of the search stays.
static void split_branches(splitter* s, int n, int centre)
{
    for (int k = 0; k < n; k++) s->side[s->queue[k]] = 0;
    int moved = 0;
    for (int k = 0; k < n; k++) {
        const int b = s->queue[k];
        if (s->from[b] == centre && 2 * (moved + s->size[b]) <= n) {
            s->side[b] = 1;
            moved += s->size[b];
        } else if (s->from[b] >= 0 && s->side[s->from[b]]) {
            s->side[b] = 1;
        }
    }
}

static void split_tree(splitter* s, int n)
{
    int best = -1, centre = s->queue[0];
    for (int k = 0; k < n; k++) s->size[s->queue[k]] = 1;
    for (int k = n - 1; k > 0; k--) {
        const int b = s->queue[k];
        s->size[s->from[b]] += s->size[b];
        if (best < 0 || abs(2 * s->size[b] - n) < abs(2 * s->size[best] - n)) best = b;
    }
    for (int k = 0; k < n; k++) // the last one found with half of the blocks beyond it
        if (2 * s->size[s->queue[k]] >= n) centre = s->queue[k];
    const int beyond = s->size[best], lesser = 2 * beyond < n ? beyond : n - beyond;
    if (6 * lesser < n) {
        split_branches(s, n, centre);
        return;
    }
    for (int k = 0; k < n; k++) {
        const int b = s->queue[k];
        s->side[b] = b == best || (s->from[b] >= 0 && s->side[s->from[b]]);
    }
}

// Weight of the edges from b to the other side less that to its own.
static int gain(const splitter* s, int id, int b)
{
    const graph* g = &s->g;
    int sum = 0;
    for (int e = g->start[b]; e < g->start[b + 1]; e++) {
        const int o = g->neighbour[e];
        if (s->set[o] == id) sum += s->side[o] != s->side[b] ? g->weight[e] : -g->weight[e];
    }
    return sum;
}

static void change_sides(splitter* s, int id, int n, int part[2], int least)
{
    for (int pass = 0, moved = 1; pass < 6 && moved; pass++) {
        moved = 0;
        for (int k = 0; k < n; k++) {
            const int b = s->queue[k], side = s->side[b];
            if (part[side] <= least) continue;
            const int better = gain(s, id, b);
            if (better < 0 || (better == 0 && part[side] <= part[!side] + 1)) continue;
            s->side[b] = (unsigned char)!side;
            part[side]--, part[!side]++;
            moved = 1;
        }
    }
}

static void split_by_distance(splitter* s, int id, int n)
{
    const int least = n / 3 > 0 ? n / 3 : 1;
    int cut = 0, best = 0, best_cut = 0;
    for (int k = 0; k < n; k++) s->side[s->queue[k]] = 1;
    for (int k = 0; k < n - least; k++) {
        cut -= gain(s, id, s->queue[k]); // its edges to what is still there are cut from now on
        s->side[s->queue[k]] = 0;
        const int first = k + 1;
        if (first < least) continue;
        if (best &&
            (cut > best_cut || (cut == best_cut && abs(2 * first - n) >= abs(2 * best - n))))
            continue;
        best = first, best_cut = cut;
    }
    take_first(s, n, best);
    int part[2] = {best, n - best};
    change_sides(s, id, n, part, least);
}

/* ---- the recursion -------------------------------------------------------------------------- */

static int count_edges(const splitter* s, int id, int n)
{
    int count = 0;
    for (int k = 0; k < n; k++)
        for (int e = s->g.start[s->queue[k]]; e < s->g.start[s->queue[k] + 1]; e++)
            count += s->set[s->g.neighbour[e]] == id;
    return count / 2;
}

static int is_chain(const splitter* s, int n)
{
    for (int k = 1; k < n; k++)
        if (s->from[s->queue[k]] != s->queue[k - 1]) return 0;
    return 1;
}

static void choose_sides(splitter* s, int id, int low, int high)
{
    const int n = high - low;
    int count = new_search(s, id, s->order[low]);
    if (count < n) {
        split_components(s, id, low, high, count);
        return;
    }
    const int far = s->queue[n - 1];
    new_search(s, id, far);
    const int other = s->queue[n - 1];
    if (other < far) new_search(s, id, other); // of two ends the one with the smaller number
    if (count_edges(s, id, n) > n - 1)
        split_by_distance(s, id, n);
    else if (is_chain(s, n))
        split_chain(s, n);
    else
        split_tree(s, n);
}

// Both parts keep their order, and the one with the smallest block comes first. Its size.
static int separate(splitter* s, int low, int high)
{
    const int first_side = s->side[s->order[low]];
    int first = 0, rest = 0;
    for (int k = low; k < high; k++) {
        const int b = s->order[k];
        if (s->side[b] == first_side)
            s->order[low + first++] = b;
        else
            s->spare[rest++] = b;
    }
    memcpy(s->order + low + first, s->spare, sizeof(int) * (size_t)rest);
    return first;
}

static void split(splitter* s, int parent, int low, int high)
{
    sari_dca_tree* t = s->tree;
    const int node = high - low == 1 ? s->order[low] : t->nodes++;
    t->parent[node] = parent;
    t->depth[node] = parent < 0 ? 0 : t->depth[parent] + 1;
    t->lowest[node] = s->order[low];
    if (high - low == 1) return;
    for (int k = low; k < high; k++) s->set[s->order[k]] = node;
    choose_sides(s, node, low, high);
    const int middle = low + separate(s, low, high);
    split(s, node, low, middle);
    split(s, node, middle, high);
}

static sar_status split_all(splitter* s, int n, sari_arena* scratch)
{
    int** const part[] = {&s->order, &s->set, &s->queue, &s->from, &s->size, &s->seen, &s->spare};
    for (int k = 0; k < 7; k++) *part[k] = SARI_TAKE(scratch, int, n);
    s->side = SARI_TAKE(scratch, unsigned char, n);
    if (scratch->failed) return SAR_E_NOMEM;
    for (int b = 0; b < n; b++) s->order[b] = b;
    split(s, -1, 0, n);
    return SAR_OK;
}

sar_status sari_dca_tree_init(sari_dca_tree* t, sari_arena* memory, const sari_sym* A,
                              const sari_structure* structure)
{
    const int blocks = structure->primal ? structure->block[structure->primal - 1] + 1 : 1;
    const size_t nodes = 2 * (size_t)blocks;
    *t = (sari_dca_tree){.leaves = blocks, .nodes = blocks};
    t->parent = SARI_TAKE(memory, int, nodes);
    t->depth = SARI_TAKE(memory, int, nodes);
    t->lowest = SARI_TAKE(memory, int, nodes);
    sari_arena scratch = {0};
    splitter s = {.tree = t};
    sar_status status = memory->failed ? SAR_E_NOMEM : SAR_OK;
    if (status == SAR_OK) status = graph_init(&s.g, A, structure, blocks, &scratch);
    if (status == SAR_OK) status = split_all(&s, blocks, &scratch);
    sari_arena_clear(&scratch);
    return status;
}

int sari_dca_tree_meet(const sari_dca_tree* t, int a, int b)
{
    while (a != b) {
        if (t->depth[a] >= t->depth[b])
            a = t->parent[a];
        else
            b = t->parent[b];
    }
    return a;
}
