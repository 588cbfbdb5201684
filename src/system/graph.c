/* The graph of bodies and joints: is it a tree, and what is its diameter? */
#include "base/arena.h"
#include "base/memory.h"
#include "system/mechanism.h"

static int root_of(int* parent, int b)
{
    while (parent[b] != b) b = parent[b] = parent[parent[b]];
    return b;
}

int sari_mechanism_is_tree(const sari_mechanism* m)
{
    int* parent = SARI_NEW_ARRAY(int, m->bodies);
    int tree = parent && m->relations_count == 0 && m->velocity_rows_count == 0;
    for (int b = 0; tree && b < m->bodies; b++) parent[b] = b;
    for (int c = 0; tree && c < m->conditions_count; c++) {
        if (c > 0 && m->conditions[c].joint == m->conditions[c - 1].joint) continue;
        int a = root_of(parent, m->conditions[c].a.body.i);
        int b = root_of(parent, m->conditions[c].b.body.i);
        tree = a != b;
        parent[a] = b;
    }
    sari_release(parent);
    return tree;
}

/* Neighbours of every body: those of b are other[first[b]] to other[first[b + 1] - 1]. */
typedef struct neighbours {
    int *first, *other;
} neighbours;

static int list_neighbours(const sari_mechanism* m, sari_arena* scratch, neighbours* n)
{
    n->first = SARI_TAKE(scratch, int, m->bodies + 2);
    n->other = SARI_TAKE(scratch, int, 2 * m->conditions_count);
    if (scratch->failed) return 0;
    for (int c = 0; c < m->conditions_count; c++) {
        n->first[m->conditions[c].a.body.i + 2]++;
        n->first[m->conditions[c].b.body.i + 2]++;
    }
    for (int b = 2; b < m->bodies + 2; b++) n->first[b] += n->first[b - 1];
    for (int c = 0; c < m->conditions_count; c++) { // first[b + 1] moves on to where b + 1 begins
        int a = m->conditions[c].a.body.i, b = m->conditions[c].b.body.i;
        n->other[n->first[a + 1]++] = b;
        n->other[n->first[b + 1]++] = a;
    }
    return 1;
}

/* Breadth first from `start`; `far` is negative for bodies not met yet. Largest distance. */
static int spread(const neighbours* n, int start, int* far, int* queue)
{
    int head = 0, tail = 0, longest = 0;
    queue[tail++] = start;
    while (head < tail) {
        int b = queue[head++];
        longest = far[b];
        for (int k = n->first[b]; k < n->first[b + 1]; k++) {
            int next = n->other[k];
            if (far[next] >= 0) continue;
            far[next] = far[b] + 1;
            queue[tail++] = next;
        }
    }
    return longest;
}

int sari_mechanism_longest_path(const sari_mechanism* m)
{
    sari_arena scratch = {0};
    neighbours n = {0};
    int longest = 0;
    int* far = SARI_TAKE(&scratch, int, m->bodies);
    int* queue = SARI_TAKE(&scratch, int, m->bodies);
    int ok = list_neighbours(m, &scratch, &n);
    for (int b = 0; ok && b < m->bodies; b++) far[b] = -1;
    for (int b = 0; ok && b < m->bodies; b++) {
        if (far[b] >= 0) continue;
        far[b] = b > 0;
        int length = spread(&n, b, far, queue);
        if (length > longest) longest = length;
    }
    sari_arena_clear(&scratch);
    return longest;
}
