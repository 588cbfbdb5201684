/* A variable is eliminated at the lowest node that has all it meets in its branches:
 *
 *     x of node i        i; higher where P couples it with a branch beside that of i
 *     a row of J         where the branches of all its variables meet
 *
 * so that what is passed on from a node is about one motion, its parent's, and few variables. */
#include "linalg/tree/tree_fronts.h"

#include "base/memory.h"
#include "base/status.h"

typedef struct birth {
    int node, variable;
} birth;

/* Work space of the analysis. Nodes are those of the tree, and the root after them. */
typedef struct analysis {
    sari_arena memory;
    const sari_generated* tree;
    const sari_sym* pattern;
    int primal, root;
    int *enter, *leave; ///< per node: of a walk through the tree
    int* order;         ///< nodes, children before their parents, branches one after the other
    int *node, *end;    ///< per variable: its node, and where it is eliminated
    int* entry_node;    ///< per entry of the pattern
    birth* birth;       ///< variables that a node's front has to have; by node
    int* born;          ///< where those of a node begin
    int births;
    int* place;    ///< per variable: in the present front, or -1
    int* front_of; ///< per node
} analysis;

static int parent_of(const analysis* a, int i)
{
    return i == a->root || a->tree->node[i].parent < 0 ? a->root : a->tree->node[i].parent;
}

static int is_above(const analysis* a, int up, int down)
{
    return a->enter[up] <= a->enter[down] && a->leave[down] <= a->leave[up];
}

static int meet(const analysis* a, int i, int j)
{
    while (!is_above(a, i, j)) i = parent_of(a, i);
    return i;
}

/* A walk through all branches, without recursion: from a node to its first child, its next sibling,
 * or back. */
static void walk(analysis* a, int* first, int* next)
{
    int clock = 0, done = 0, i = a->root;
    for (int k = 0; k <= a->root; k++) first[k] = next[k] = -1;
    for (int k = a->root - 1; k >= 0; k--) {
        next[k] = first[parent_of(a, k)];
        first[parent_of(a, k)] = k;
    }
    for (a->enter[i] = clock++;;) {
        if (first[i] >= 0) {
            const int child = first[i];
            first[i] = next[child];
            i = child;
            a->enter[i] = clock++;
            continue;
        }
        a->leave[i] = clock++;
        a->order[done++] = i;
        if (i == a->root) return;
        i = parent_of(a, i);
    }
}

static void bear(analysis* a, int node, int variable)
{
    a->birth[a->births++] = (birth){node, variable};
    a->born[node + 1]++;
}

/* Entry (r, c), r > c. */
static int place_entry(analysis* a, int r, int c)
{
    const int i = a->node[c], j = a->node[r];
    if (r >= a->primal) {
        a->end[r] = a->end[r] < 0 ? i : meet(a, a->end[r], i);
        bear(a, i, r);
        return i;
    }
    if (is_above(a, j, i)) {
        if (i != j) bear(a, i, r);
        return i;
    }
    if (!is_above(a, i, j)) a->end[c] = meet(a, a->end[c], j);
    bear(a, j, c);
    return j;
}

static void place_entries(analysis* a)
{
    const sari_sym* A = a->pattern;
    for (int k = 0; k < A->n; k++) a->node[k] = k < a->primal ? a->root : -1;
    for (int i = 0; i < a->root; i++)
        for (int k = 0; k < a->tree->node[i].count; k++) a->node[a->tree->node[i].first + k] = i;
    for (int k = 0; k < A->n; k++) a->end[k] = a->node[k];
    for (int k = 0; k < a->primal; k++) bear(a, a->node[k], k);
    for (int c = 0; c < A->n; c++)
        for (int e = A->p[c] + 1; e < A->p[c + 1]; e++)
            a->entry_node[e] = place_entry(a, A->i[e], c);
    for (int c = 0; c < A->n; c++) {
        if (a->end[c] < 0) a->end[c] = a->root, bear(a, a->root, c); // a row without entries
        a->entry_node[A->p[c]] = c < a->primal ? a->node[c] : a->end[c];
    }
}

/* By node, each in the order in which they came. */
static int sort_births(analysis* a)
{
    birth* sorted = SARI_TAKE(&a->memory, birth, a->births);
    int* next = SARI_TAKE(&a->memory, int, a->root + 1);
    if (a->memory.failed) return 0;
    for (int i = 0; i <= a->root; i++) a->born[i + 1] += a->born[i], next[i] = a->born[i];
    for (int k = 0; k < a->births; k++) sorted[next[a->birth[k].node]++] = a->birth[k];
    a->birth = sorted;
    return 1;
}

static int analyse(analysis* a)
{
    const sari_sym* A = a->pattern;
    const int nodes = a->root + 1, n = A->n;
    a->enter = SARI_TAKE(&a->memory, int, nodes);
    a->leave = SARI_TAKE(&a->memory, int, nodes);
    a->order = SARI_TAKE(&a->memory, int, nodes);
    a->front_of = SARI_TAKE(&a->memory, int, nodes);
    a->node = SARI_TAKE(&a->memory, int, n);
    a->end = SARI_TAKE(&a->memory, int, n);
    a->place = SARI_TAKE(&a->memory, int, n);
    a->entry_node = SARI_TAKE(&a->memory, int, A->p[n]);
    a->birth = SARI_TAKE(&a->memory, birth, n + A->p[n]);
    a->born = SARI_TAKE(&a->memory, int, nodes + 1);
    int* first = SARI_TAKE(&a->memory, int, nodes);
    int* next = SARI_TAKE(&a->memory, int, nodes);
    if (a->memory.failed) return 0;
    walk(a, first, next);
    place_entries(a);
    for (int k = 0; k < n; k++) a->place[k] = -1;
    return sort_births(a);
}

/* ---- fronts --------------------------------------------------------------------------------- */

/* The variables of a front, into list; a->place marks them. Returns how many. */
static int gather(const analysis* a, const sari_fronts* f, int node, const sari_front* front,
                  int* list)
{
    int n = 0;
    for (int k = 0; k < front->children; k++) {
        const sari_front* child = &f->front[f->child[front->child + k]];
        const int* waiting = f->variable + child->variable + child->pivots;
        for (int j = 0; j < child->waiting; j++)
            if (a->place[waiting[j]] < 0) a->place[list[n++] = waiting[j]] = 0;
    }
    for (int k = a->born[node]; k < a->born[node + 1]; k++)
        if (a->place[a->birth[k].variable] < 0) a->place[list[n++] = a->birth[k].variable] = 0;
    return n;
}

/* Pivots of P, of J, then the others, each in the order in which they are met. */
static void sort(const analysis* a, int node, int n, const int* list, sari_front* front, int* to)
{
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < n; k++) {
            const int here = a->end[list[k]] == node;
            const int of = !here ? 2 : list[k] < a->primal ? 0 : 1;
            if (of != part) continue;
            if (here)
                front->pivots++;
            else
                front->waiting++;
            *to++ = list[k];
        }
}

static void number(const analysis* a, const sari_fronts* f, int node, sari_front* front)
{
    const int* variable = f->variable + front->variable;
    for (int k = 0; k < front->pivots + front->waiting; k++)
        a->place[variable[k]] = k < front->pivots ? k : k + front->width;
    for (int k = 0; k < 3; k++)
        front->own[k] = node < a->root && k < a->tree->node[node].count
                            ? a->place[a->tree->node[node].first + k]
                            : -1;
}

static int take_children(sari_fronts* f, sari_arena* memory, const sari_front* front,
                         const analysis* a)
{
    for (int k = 0; k < front->children; k++) {
        const int number = f->child[front->child + k];
        const sari_front* child = &f->front[number];
        const int* waiting = f->variable + child->variable + child->pivots;
        int* into = f->into[number] = SARI_TAKE(memory, int, child->waiting);
        if (!into) return 0;
        for (int j = 0; j < child->waiting; j++) into[j] = a->place[waiting[j]];
    }
    return 1;
}

static long rest_of(const sari_front* f)
{
    return (long)(f->width + f->waiting) * (f->width + f->waiting);
}

static void measure(sari_fronts* f, sari_front* front, long* stack)
{
    const int size = sari_front_size(front);
    for (int k = 0; k < front->children; k++)
        *stack -= rest_of(&f->front[f->child[front->child + k]]);
    *stack += rest_of(front);
    if (*stack > f->stacked) f->stacked = *stack;
    if (size > f->largest) f->largest = size;
    front->factor = f->factor;
    f->factor += (long)front->pivots * size;
    f->work += sari_front_work(front->pivots, front->width, front->waiting);
}

/* Room for as many variables as all fronts will have is not known before: it grows. */
static int reserve(sari_fronts* f, int used, int more, int* capacity)
{
    if (used + more <= *capacity) return 1;
    *capacity = 2 * (used + more);
    int* room = SARI_NEW_ARRAY(int, *capacity);
    for (int k = 0; room && k < used; k++) room[k] = f->variable[k];
    sari_release(f->variable);
    f->variable = room;
    return room != NULL;
}

static int make_fronts(sari_fronts* f, sari_arena* memory, analysis* a)
{
    const int n = a->pattern->n;
    int used = 0, capacity = 0, children = 0, *list = SARI_TAKE(&a->memory, int, n);
    int* stack = SARI_TAKE(&a->memory, int, a->root + 1); // fronts that wait for their parent's
    int waiting = 0;
    long stacked = 0;
    if (!list || !stack) return 0;
    for (int k = 0; k <= a->root; k++) {
        const int node = a->order[k];
        sari_front* front = &f->front[k];
        *front = (sari_front){.node = node < a->root ? node : -1, .parent = -1, .child = children};
        if (node < a->root) front->parent = a->tree->node[node].parent;
        front->width = node < a->root ? a->tree->width : 0;
        int first = waiting;
        while (first > 0 && parent_of(a, a->order[stack[first - 1]]) == node) first--;
        for (int j = first; j < waiting; j++) f->child[children++] = stack[j];
        front->children = waiting - first;
        waiting = first;
        stack[waiting++] = k;
        const int count = gather(a, f, node, front, list);
        front->variable = used;
        if (!reserve(f, used, count, &capacity)) return 0;
        sort(a, node, count, list, front, f->variable + used);
        number(a, f, node, front);
        a->front_of[node] = k;
        if (!take_children(f, memory, front, a)) return 0;
        measure(f, front, &stacked);
        used += count;
        for (int j = 0; j < count; j++) a->place[list[j]] = -1;
    }
    return 1;
}

static void list_entries(sari_fronts* f, analysis* a)
{
    const sari_sym* A = a->pattern;
    int* count = a->enter; // not needed any more
    for (int k = 0; k <= a->root; k++) count[k] = 0;
    for (int e = 0; e < A->p[A->n]; e++) count[a->front_of[a->entry_node[e]]]++;
    for (int k = 0, sum = 0; k <= a->root; sum += count[k], k++) f->front[k].entry = sum;
    for (int k = 0; k <= a->root; k++) count[k] = f->front[k].entry;
    for (int c = 0; c < A->n; c++)
        for (int e = A->p[c]; e < A->p[c + 1]; e++)
            f->entry[count[a->front_of[a->entry_node[e]]]++] = (sari_front_entry){e, A->i[e], c};
}

/* Rows and columns of the entries, which were variables, become places. */
static void place_in_fronts(sari_fronts* f, analysis* a)
{
    for (int k = 0; k <= a->root; k++) {
        const sari_front* front = &f->front[k];
        const int* variable = f->variable + front->variable;
        const int end = k < a->root ? f->front[k + 1].entry : a->pattern->p[a->pattern->n];
        for (int j = 0; j < front->pivots + front->waiting; j++)
            a->place[variable[j]] = j < front->pivots ? j : j + front->width;
        for (int e = front->entry; e < end; e++) {
            f->entry[e].row = a->place[f->entry[e].row];
            f->entry[e].col = a->place[f->entry[e].col];
        }
    }
}

sar_status sari_fronts_create(sari_fronts* f, sari_arena* memory, const sari_generated* tree,
                              const sari_sym* pattern, int primal)
{
    analysis a = {.tree = tree, .pattern = pattern, .primal = primal, .root = tree->nodes};
    *f = (sari_fronts){.fronts = tree->nodes + 1};
    f->front = SARI_TAKE(memory, sari_front, f->fronts + 1);
    f->child = SARI_TAKE(memory, int, f->fronts);
    f->into = SARI_TAKE(memory, int*, f->fronts);
    f->entry = SARI_TAKE(memory, sari_front_entry, pattern->p[pattern->n]);
    int done = !memory->failed && analyse(&a) && make_fronts(f, memory, &a);
    if (done) {
        list_entries(f, &a);
        place_in_fronts(f, &a);
        f->front[f->fronts].entry = pattern->p[pattern->n];
    }
    int* grown = f->variable;
    const sari_front* last = &f->front[f->fronts - 1];
    f->variable =
        done ? sari_arena_copy(memory, grown,
                               (size_t)(last->variable + last->pivots + last->waiting), sizeof(int))
             : NULL;
    sari_release(grown);
    sari_arena_clear(&a.memory);
    return done && !memory->failed ? SAR_OK : SAR_E_NOMEM;
}
