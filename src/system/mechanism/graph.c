/* The graph of bodies and joints: is it a tree, what is in its loops, and what is its diameter? */
#include "base/arena.h"
#include "base/memory.h"
#include "system/mechanism/mechanism.h"

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

/* What a body hangs on: how many joints, and the exclusive or of their first conditions, which of a
 * body that hangs on one of them is that one. */
typedef struct hanging {
    int joints, which;
} hanging;

static void list_joints(const sari_mechanism* m, hanging* body)
{
    for (int c = 0; c < m->conditions_count; c++) {
        if (c > 0 && m->conditions[c].joint == m->conditions[c - 1].joint) continue;
        const int ends[2] = {m->conditions[c].a.body.i, m->conditions[c].b.body.i};
        for (int e = 0; e < 2; e++) body[ends[e]].joints++, body[ends[e]].which ^= c;
    }
}

/* Body b, and what becomes a leaf without it, and so on, are in no loop. */
static void strip(const sari_mechanism* m, int b, const char* held, hanging* body, char* in_loop)
{
    while (b > 0 && in_loop[b] && !held[b] && body[b].joints < 2) {
        const int c = body[b].which;
        in_loop[b] = 0;
        if (body[b].joints == 0) return;
        const int one = m->conditions[c].a.body.i, other = m->conditions[c].b.body.i;
        b = one == b ? other : one;
        body[b].joints--;
        body[b].which ^= c;
    }
}

static void hold_polynomial(const sari_mechanism* m, int poly, char* held)
{
    const struct sari_polynomial* row = &m->poly.row[poly];
    for (int t = row->linear; t < row->linear_end; t++) held[m->poly.linear[t].i / m->nx] = 1;
    for (int t = row->product; t < row->product_end; t++) {
        held[m->poly.product[t].i / m->nx] = 1;
        held[m->poly.product[t].j / m->nx] = 1;
    }
}

/* Bodies that relations and rows on velocities are about. */
static void hold_related(const sari_mechanism* m, char* held)
{
    for (int i = 0; i < m->relations_count; i++)
        for (int k = 0; k < m->relations[i].terms; k++) {
            const sari_scalar* scalar = &m->scalars[m->relations[i].scalar[k]];
            hold_polynomial(m, scalar->a, held);
            if (sari_scalar_has_two(scalar)) hold_polynomial(m, scalar->b, held);
        }
    for (int b = 0; m->velocity_rows_count && b < m->bodies; b++) held[b] = 1;
}

int sari_mechanism_find_loops(const sari_mechanism* m, char* in_loop)
{
    sari_arena scratch = {0};
    char* held = SARI_TAKE(&scratch, char, m->bodies);
    hanging* body = SARI_TAKE(&scratch, hanging, m->bodies);
    const int ok = !scratch.failed;
    for (int b = 0; b < m->bodies; b++) in_loop[b] = 1;
    if (ok) {
        hold_related(m, held);
        list_joints(m, body);
        for (int b = 1; b < m->bodies; b++) strip(m, b, held, body, in_loop);
    }
    sari_arena_clear(&scratch);
    return ok;
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
