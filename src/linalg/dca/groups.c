/* Branches of the tree with little work each are taken four (or more) together: a unit. What lies
 * above all of them is the last unit. Within a unit groups are formed from the top, level by level:
 * the k-th children of a full group make a group again if they have the same shape, and then pass
 * on their handles lane by lane; all other fronts of the level are sorted by shape and by what lies
 * below them, and taken in fours. Nothing here depends on the number of threads. */
#include "linalg/dca/groups.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/// Of one front.
typedef struct trait {
    double work;    ///< multiplications and subtractions, all below included
    uint64_t below; ///< hash of shape and handles of all below: equal for like branches
} trait;

/// To be sorted: fronts of one level that have no group yet.
typedef struct waiting {
    int pivots, rows, front;
    uint64_t below;
} waiting;

typedef struct grouper {
    const sari_dca_fronts* f;
    sari_dca_groups* g;
    trait* trait;
    waiting* pool;
    int waiting;
    int* branch; ///< fronts at the tops of branches
    int branches;
} grouper;

static int rows_of(const sari_dca_fronts* f, int front)
{
    return f->first[front + 1] - f->first[front];
}

/* ---- traits --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static double work_of(int pivots, int rows)
{
    double sum = 0;
    for (int k = 1; k <= pivots; k++) sum += (double)(rows - k) * (rows - k + 3);
    return sum;
}

static void find_traits(grouper* s)
{
    const sari_dca_fronts* f = s->f;
    for (int k = 0; k < f->count; k++) {
        trait* t = &s->trait[k];
        t->below = mix(mix(1, (uint64_t)f->pivots[k]), (uint64_t)rows_of(f, k));
        t->work = work_of(f->pivots[k], rows_of(f, k));
        s->g->flops += t->work;
        if (rows_of(f, k) > s->g->largest) s->g->largest = rows_of(f, k);
        for (int c = f->child_first[k]; c < f->child_first[k + 1]; c++) {
            const int child = f->child[c];
            t->work += s->trait[child].work;
            t->below = mix(t->below, s->trait[child].below);
            for (int i = f->first[child] + f->pivots[child]; i < f->first[child + 1]; i++)
                t->below = mix(t->below, (uint64_t)f->map[i]);
        }
    }
}

/* ---- groups of one unit --------------------------------------------------------------------- */

static void wait_for_group(grouper* s, int front)
{
    const sari_dca_fronts* f = s->f;
    s->pool[s->waiting++] =
        (waiting){f->pivots[front], rows_of(f, front), front, s->trait[front].below};
}

static int compare_waiting(const void* a_, const void* b_)
{
    const waiting *a = a_, *b = b_;
    if (a->rows != b->rows) return a->rows < b->rows ? -1 : 1;
    if (a->pivots != b->pivots) return a->pivots < b->pivots ? -1 : 1;
    if (a->below != b->below) return a->below < b->below ? -1 : 1;
    return (a->front > b->front) - (a->front < b->front);
}

static void group_waiting(grouper* s)
{
    qsort(s->pool, (size_t)s->waiting, sizeof(waiting), compare_waiting);
    const waiting* leader = NULL;
    int lane = SARI_LANES;
    for (int k = 0; k < s->waiting; k++) {
        const waiting* w = &s->pool[k];
        if (lane == SARI_LANES || w->rows != leader->rows || w->pivots != leader->pivots) {
            leader = w;
            lane = 0;
            s->g->count++;
        }
        s->g->front[(s->g->count - 1) * SARI_LANES + lane++] = w->front;
    }
    s->waiting = 0;
}

static int same_shape(const sari_dca_fronts* f, const int* front)
{
    for (int l = 1; l < SARI_LANES; l++)
        if (f->pivots[front[l]] != f->pivots[front[0]] ||
            rows_of(f, front[l]) != rows_of(f, front[0]))
            return 0;
    return 1;
}

// The children of a group: a group for each place among the children, or all of them wait.
static void group_children(grouper* s, const int* parent)
{
    const sari_dca_fronts* f = s->f;
    int children = -1, alike = 1;
    for (int l = 0; l < SARI_LANES && parent[l] >= 0; l++) {
        const int count = f->child_first[parent[l] + 1] - f->child_first[parent[l]];
        if (children >= 0 && count != children) alike = 0;
        children = count;
    }
    if (parent[SARI_LANES - 1] < 0) alike = 0;
    for (int c = 0; alike && c < children; c++) {
        int* group = s->g->front + s->g->count * SARI_LANES;
        for (int l = 0; l < SARI_LANES; l++) group[l] = f->child[f->child_first[parent[l]] + c];
        if (same_shape(f, group)) {
            s->g->count++;
            continue;
        }
        for (int l = 0; l < SARI_LANES; l++) {
            wait_for_group(s, group[l]);
            group[l] = -1;
        }
    }
    for (int l = 0; !alike && l < SARI_LANES && parent[l] >= 0; l++)
        for (int c = f->child_first[parent[l]]; c < f->child_first[parent[l] + 1]; c++)
            wait_for_group(s, f->child[c]);
}

static void reverse_groups(sari_dca_groups* g, int low, int high)
{
    for (high--; low < high; low++, high--) {
        int other[SARI_LANES];
        memcpy(other, g->front + low * SARI_LANES, sizeof other);
        memcpy(g->front + low * SARI_LANES, g->front + high * SARI_LANES, sizeof other);
        memcpy(g->front + high * SARI_LANES, other, sizeof other);
    }
}

// All below the waiting fronts, which are the tops of their branches.
static void make_unit(grouper* s)
{
    sari_dca_groups* g = s->g;
    const int begin = g->count;
    int level = begin, end = begin;
    while (s->waiting || level < end || g->count > end) {
        group_waiting(s);
        level = end;
        end = g->count;
        for (int k = level; k < end; k++) group_children(s, g->front + k * SARI_LANES);
        if (!s->waiting && g->count == end) break;
    }
    reverse_groups(g, begin, g->count);
    g->unit[++g->units] = g->count;
}

/* ---- units ---------------------------------------------------------------------------------- */

// Branches get about this much work at most. The first number is that of some dozen bodies.
static double limit_of_branch(double all)
{
    return all / 256 > 24000 ? all / 256 : 24000;
}

// Fronts above the branches are marked by work < 0 and stay for the last unit.
static void find_branches(grouper* s)
{
    const sari_dca_fronts* f = s->f;
    const double limit = limit_of_branch(s->g->flops);
    for (int k = f->count - 1; k >= 0; k--) {
        const int above = f->parent[k] < 0 || s->trait[f->parent[k]].work < 0;
        if (!above) continue;
        if (s->trait[k].work <= limit)
            s->branch[s->branches++] = k;
        else
            s->trait[k].work = -1;
    }
}

static int compare_ints(const void* a, const void* b)
{
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

static void make_units(grouper* s)
{
    const double limit = limit_of_branch(s->g->flops);
    double work = 0;
    qsort(s->branch, (size_t)s->branches, sizeof(int), compare_ints);
    for (int k = 0; k < s->branches; k++) {
        wait_for_group(s, s->branch[k]);
        work += s->trait[s->branch[k]].work;
        const int full = s->waiting % SARI_LANES == 0 && work > limit;
        if (!full && k + 1 < s->branches) continue;
        make_unit(s);
        work = 0;
    }
}

// The fronts above the branches, level by level like a unit, but with no branch in it.
static void make_last_unit(grouper* s)
{
    sari_dca_groups* g = s->g;
    const sari_dca_fronts* f = s->f;
    const int begin = g->count;
    int* level = s->branch; // no longer needed
    int deepest = -1;
    for (int k = f->count - 1; k >= 0; k--) {
        if (s->trait[k].work >= 0) continue;
        level[k] = f->parent[k] < 0 ? 0 : level[f->parent[k]] + 1;
        if (level[k] > deepest) deepest = level[k];
    }
    for (int d = 0; d <= deepest; d++) {
        for (int k = f->count - 1; k >= 0; k--)
            if (s->trait[k].work < 0 && level[k] == d) wait_for_group(s, k);
        group_waiting(s);
    }
    reverse_groups(g, begin, g->count);
    g->unit[++g->units] = g->count;
}

static void find_depth(grouper* s)
{
    int* depth = s->branch;
    for (int k = s->f->count - 1; k >= 0; k--) {
        depth[k] = s->f->parent[k] < 0 ? 1 : depth[s->f->parent[k]] + 1;
        if (depth[k] > s->g->depth) s->g->depth = depth[k];
    }
}

sar_status sari_dca_groups_init(sari_dca_groups* g, sari_arena* memory, const sari_dca_fronts* f)
{
    *g = (sari_dca_groups){0};
    const size_t count = (size_t)f->count;
    grouper s = {.f = f, .g = g};
    sari_arena scratch = {0};
    s.trait = SARI_TAKE(&scratch, trait, count);
    s.pool = SARI_TAKE(&scratch, waiting, count);
    s.branch = SARI_TAKE(&scratch, int, count);
    g->front = SARI_TAKE(memory, int, SARI_LANES*(count + 1));
    g->unit = SARI_TAKE(memory, int, count + 2);
    const int ok = !scratch.failed && !memory->failed;
    if (ok) {
        memset(g->front, -1, sizeof(int) * SARI_LANES * (count + 1));
        find_traits(&s);
        find_branches(&s);
        make_units(&s);
        make_last_unit(&s);
        find_depth(&s);
    }
    sari_arena_clear(&scratch);
    return ok ? SAR_OK : SAR_E_NOMEM;
}
