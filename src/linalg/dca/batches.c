/* From groups of fronts to arrays and lists of positions. Batches that do the same with different
 * numbers share one plan: the lists of a long chain are those of a handful of batches, and stay in
 * the cache. */
#include "linalg/dca/batches.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/dca/groups.h"

#include <string.h>

/// Numbers written one after the other.
typedef struct numbers {
    int* at;
    int count, capacity;
    int failed; ///< no memory: what follows is lost, and reported at the end
} numbers;

static void push(numbers* n, int number)
{
    if (!n->failed && !sari_grow((void**)&n->at, n->count, &n->capacity, sizeof(int)))
        n->failed = 1;
    if (!n->failed) n->at[n->count++] = number;
}

/// What is needed only while the batches are made.
typedef struct maker {
    const sari_sym* A;
    sari_dca_batches* b;
    numbers list; ///< the plans
    int* table;   ///< [table_size] hashed: batch with that plan + 1
    int table_size;
    int* slot;     ///< [widest] position in a front: which entry of the storage, -1
    int* position; ///< [n] of a variable in the front at hand
    int children;  ///< in b->child
    sari_arena scratch;
} maker;

static int rows_of(const sari_dca_fronts* f, int front)
{
    return f->first[front + 1] - f->first[front];
}

static int panel_size(int pivots, int rows)
{
    return pivots * rows - pivots * (pivots - 1) / 2;
}

/* ---- entries of the matrix ------------------------------------------------------------------ */

static void number_front(maker* m, int front)
{
    const sari_dca_fronts* f = &m->b->fronts;
    for (int i = f->first[front]; i < f->first[front + 1]; i++)
        m->position[f->index[i]] = i - f->first[front];
}

// Calls use(m, position, entry, lane) for all entries that come into a front: those of its pivots
// with themselves and with what is eliminated later.
static void for_each_entry(maker* m, int front, int lane, void (*use)(maker*, int, int, int))
{
    const sari_dca_fronts* f = &m->b->fronts;
    const int rows = rows_of(f, front);
    number_front(m, front);
    for (int p = 0; p < f->pivots[front]; p++) {
        const int v = f->index[f->first[front] + p];
        use(m, sari_dca_at(rows, p, p), m->A->p[v], lane);
        for (int e = m->A->p[v] + 1; e < m->A->p[v + 1]; e++) {
            const int u = m->A->i[e];
            if (f->home[u] < front || (f->home[u] == front && m->position[u] < p)) continue;
            use(m, sari_dca_at(rows, m->position[u], p), e, lane);
        }
        for (int k = f->row_first[v]; k < f->row_first[v + 1]; k++) {
            const int u = f->row[k];
            if (f->home[u] < front || (f->home[u] == front && m->position[u] < p)) continue;
            use(m, sari_dca_at(rows, m->position[u], p), f->row_entry[k], lane);
        }
    }
}

static void note_slot(maker* m, int position, int entry, int lane)
{
    (void)entry, (void)lane;
    m->slot[position] = 0;
}

// The batch being made is the last one.
static void note_place(maker* m, int position, int entry, int lane)
{
    const sari_dca_batch* batch = &m->b->batch[m->b->count];
    m->b->place[entry] = (int)((batch->value + (size_t)m->slot[position]) * SARI_LANES) + lane;
}

// Which positions of the panel have entries in any lane; their numbers in the storage. A leaf that
// is at least half full gets its panel as it is, and the kernel reads it where it is.
static void choose_slots(maker* m, const sari_dca_batch* batch, sari_dca_plan* plan)
{
    const int size = panel_size(plan->pivots, plan->rows);
    for (int k = 0; k < size; k++) m->slot[k] = -1;
    for (int l = 0; l < batch->lanes; l++) for_each_entry(m, batch->front[l], l, note_slot);
    for (int k = 0; k < size; k++) plan->entries += m->slot[k] >= 0;
    if (plan->kind == SARI_DCA_SERIAL && plan->entries > plan->pivots)
        plan->kind = SARI_DCA_ALIGNED; // more than the diagonal of D
    plan->panel = plan->kind == SARI_DCA_LEAF && 2 * plan->entries >= size;
    if (plan->panel) plan->entries = size;
    for (int k = 0, next = 0; k < size; k++)
        if (plan->panel || m->slot[k] >= 0) m->slot[k] = next++;
}

static void write_slots(maker* m, const sari_dca_plan* plan)
{
    const int size = panel_size(plan->pivots, plan->rows);
    for (int p = 0; p < plan->pivots; p++) push(&m->list, m->slot[sari_dca_at(plan->rows, p, p)]);
    for (int k = 0; !plan->panel && k < size; k++)
        if (m->slot[k] >= 0) push(&m->list, k);
}

/* ---- children ------------------------------------------------------------------------------- */

static const int* children_of(const sari_dca_fronts* f, int front, int* count)
{
    *count = f->child_first[front + 1] - f->child_first[front];
    return f->child + f->child_first[front];
}

static int child_number(const sari_dca_batches* b, int front, int c)
{
    return b->fronts.child[b->fronts.child_first[front] + c];
}

// Do the children number c of all lanes have the same handles?
static int same_handles(const sari_dca_batches* b, const sari_dca_batch* batch, int c)
{
    const sari_dca_fronts* f = &b->fronts;
    const int first = child_number(b, batch->front[0], c);
    const int handles = rows_of(f, first) - f->pivots[first];
    const int* map = f->map + f->first[first] + f->pivots[first];
    for (int l = 1; l < batch->lanes; l++) {
        const int child = child_number(b, batch->front[l], c);
        if (rows_of(f, child) - f->pivots[child] != handles) return 0;
        for (int k = 0; k < handles; k++)
            if (f->map[f->first[child] + f->pivots[child] + k] != map[k]) return 0;
    }
    return 1;
}

// Do they lie in one batch, lane by lane?
static int same_lanes(const sari_dca_batches* b, const sari_dca_batch* batch, int c)
{
    const int source = b->at[child_number(b, batch->front[0], c)];
    if (source % SARI_LANES || b->batch[source / SARI_LANES].lanes != batch->lanes) return 0;
    for (int l = 1; l < batch->lanes; l++)
        if (b->at[child_number(b, batch->front[l], c)] != source + l) return 0;
    return 1;
}

// Two children with handles (l, j) and (j, r) for pivots j, all of the same size?
static int is_serial(const sari_dca_fronts* f, int front)
{
    const int p = f->pivots[front];
    if (rows_of(f, front) != 3 * p || f->child_first[front + 1] - f->child_first[front] != 2)
        return 0;
    for (int c = 0; c < 2; c++) {
        const int child = f->child[f->child_first[front] + c];
        if (rows_of(f, child) - f->pivots[child] != 2 * p) return 0;
        const int* map = f->map + f->first[child] + f->pivots[child];
        const int begin[2][2] = {{p, 0}, {0, 2 * p}};
        for (int k = 0; k < 2 * p; k++)
            if (map[k] != begin[c][k / p] + k % p) return 0;
    }
    return 1;
}

static int kind_of(const sari_dca_batches* b, const sari_dca_batch* batch)
{
    int children, most = 0, handles = 1, lanes = 1, first;
    children_of(&b->fronts, batch->front[0], &first);
    for (int l = 0; l < batch->lanes; l++) {
        children_of(&b->fronts, batch->front[l], &children);
        if (children != first) handles = 0;
        if (children > most) most = children;
    }
    if (most == 0) return SARI_DCA_LEAF;
    for (int c = 0; handles && c < first; c++) {
        handles = same_handles(b, batch, c);
        if (!same_lanes(b, batch, c)) lanes = 0;
    }
    if (!handles) return SARI_DCA_LOOSE;
    if (!lanes) return SARI_DCA_GATHERED;
    return is_serial(&b->fronts, batch->front[0]) ? SARI_DCA_SERIAL : SARI_DCA_ALIGNED;
}

// Positions that child c writes to: the first time or (added) again. `written` remembers.
static void write_moves(maker* m, const int* map, int handles, int rows, int again, int* written,
                        int child)
{
    for (int a = 0, from = 0; a < handles; a++)
        for (int k = a; k < handles; k++, from++) {
            const int r = map[a] > map[k] ? map[a] : map[k], c = map[a] > map[k] ? map[k] : map[a];
            const int to = sari_dca_at(rows, r, c);
            if (written[to] < 0) written[to] = child;
            if ((written[to] != child) != again) continue;
            push(&m->list, to);
            push(&m->list, from);
        }
}

static void write_child(maker* m, int child, int rows, int number)
{
    const sari_dca_fronts* f = &m->b->fronts;
    const int* map = f->map + f->first[child] + f->pivots[child];
    const int handles = rows_of(f, child) - f->pivots[child];
    const int head = m->list.count;
    for (int k = 0; k < 3; k++) push(&m->list, handles);
    for (int k = 0; k < handles; k++) push(&m->list, map[k]);
    const int begin = m->list.count;
    write_moves(m, map, handles, rows, 0, m->slot, number);
    const int middle = m->list.count;
    write_moves(m, map, handles, rows, 1, m->slot, number);
    if (m->list.failed) return;
    m->list.at[head + 1] = (middle - begin) / 2;
    m->list.at[head + 2] = (m->list.count - middle) / 2;
}

// The slots are used up: they become the memory of what was written to.
static void write_children(maker* m, const sari_dca_batch* batch, sari_dca_plan* plan, int at)
{
    int children;
    const int* child = children_of(&m->b->fronts, batch->front[0], &children);
    const int size = plan->rows * (plan->rows + 1) / 2;
    const sari_dca_fronts* f = &m->b->fronts;
    for (int k = 0; k < size; k++) m->slot[k] = -1;
    for (int c = 0; c < children; c++) { // only to find out what no child writes to
        const int* map = f->map + f->first[child[c]] + f->pivots[child[c]];
        const int handles = rows_of(f, child[c]) - f->pivots[child[c]];
        for (int a = 0; a < handles; a++)
            for (int k = 0; k < handles; k++)
                if (map[k] >= map[a]) m->slot[sari_dca_at(plan->rows, map[k], map[a])] = 0;
    }
    for (int k = 0; k < size; k++)
        if (m->slot[k] < 0) push(&m->list, k), plan->zeros++;
    for (int k = 0; k < size; k++) m->slot[k] = -1;
    for (int c = 0; c < children; c++) write_child(m, child[c], plan->rows, c);
    plan->children = children;
    if (!m->list.failed) memcpy(m->list.at + at, plan, sizeof *plan);
}

/* ---- plans ---------------------------------------------------------------------------------- */

// The plan just written at the end of the list: forgotten if there is an equal one already. Where
// it is.
static int share_plan(maker* m, int at)
{
    if (m->list.failed) return at;
    const int count = m->list.count - at;
    uint64_t hash = 1469598103934665603u;
    for (int k = at; k < m->list.count; k++)
        hash = (hash ^ (unsigned)m->list.at[k]) * 1099511628211u;
    int h = (int)((hash ^ (hash >> 32)) & (unsigned)(m->table_size - 1));
    for (; m->table[2 * h]; h = (h + 1) & (m->table_size - 1)) {
        const int other = m->table[2 * h] - 1;
        if (m->table[2 * h + 1] != count) continue;
        if (memcmp(m->list.at + other, m->list.at + at, sizeof(int) * (size_t)count) != 0) continue;
        m->list.count = at;
        return other;
    }
    m->table[2 * h] = at + 1;
    m->table[2 * h + 1] = count;
    return at;
}

// Where the children of the batch are, and to aligned ones where their parent is.
static void note_children(maker* m, int number, const sari_dca_plan* plan)
{
    sari_dca_batches* b = m->b;
    sari_dca_batch* batch = &b->batch[number];
    int at = batch->plan + SARI_PLAN_HEAD + plan->pivots + plan->entries + plan->zeros;
    batch->child = m->children;
    for (int c = 0; c < plan->children; c++) {
        const int source = b->at[child_number(b, batch->front[0], c)] / SARI_LANES;
        if (plan->kind == SARI_DCA_GATHERED) {
            for (int l = 0; l < SARI_LANES; l++) // lanes that are not in use repeat the first
                b->child[m->children++] =
                    b->at[child_number(b, batch->front[l < batch->lanes ? l : 0], c)];
        } else {
            b->child[m->children++] = source;
            b->batch[source].parent = number;
            b->batch[source].map = at + 3;
        }
        at += 3 + m->list.at[at] + 2 * (m->list.at[at + 1] + m->list.at[at + 2]);
    }
}

static void make_batch(maker* m, const int* front)
{
    sari_dca_batches* b = m->b;
    sari_dca_batch* batch = &b->batch[b->count];
    *batch = (sari_dca_batch){.parent = -1};
    for (int l = 0; l < SARI_LANES; l++) {
        batch->front[l] = front[l];
        batch->lanes += front[l] >= 0;
        batch->pad[l] = front[l] < 0;
        if (front[l] >= 0) b->at[front[l]] = b->count * SARI_LANES + l;
    }
    sari_dca_plan plan = {b->fronts.pivots[front[0]], rows_of(&b->fronts, front[0])};
    plan.kind = kind_of(b, batch);
    choose_slots(m, batch, &plan);
    batch->value = b->values;
    b->values += (size_t)plan.entries;
    for (int l = 0; l < batch->lanes; l++) for_each_entry(m, front[l], l, note_place);
    const int at = m->list.count;
    int head[SARI_PLAN_HEAD];
    memcpy(head, &plan, sizeof plan);
    for (int k = 0; k < SARI_PLAN_HEAD; k++) push(&m->list, head[k]);
    write_slots(m, &plan);
    const int listed = plan.kind != SARI_DCA_LEAF && plan.kind != SARI_DCA_LOOSE;
    if (listed) write_children(m, batch, &plan, at);
    batch->plan = share_plan(m, at);
    if (listed && !m->list.failed) note_children(m, b->count, &plan);
    const int handles = plan.rows - plan.pivots;
    batch->factor = b->factors;
    batch->rest = b->rests;
    batch->side = b->side;
    b->factors += (size_t)panel_size(plan.pivots, plan.rows);
    b->rests += (size_t)handles * ((size_t)handles + 1) / 2;
    b->side += (size_t)plan.rows;
    b->count++;
}

/* ---- everything ----------------------------------------------------------------------------- */

// By rows and lanes; lanes that are not in use repeat the first one.
static sar_status list_variables(sari_dca_batches* b, sari_arena* memory)
{
    const sari_dca_fronts* f = &b->fronts;
    b->variable = SARI_TAKE(memory, int, SARI_LANES * b->side);
    if (!b->variable) return SAR_E_NOMEM;
    for (int k = 0; k < b->count; k++) {
        sari_dca_batch* batch = &b->batch[k];
        batch->variable = (int)batch->side * SARI_LANES;
        for (int l = 0; l < SARI_LANES; l++) {
            const int front = batch->front[l < batch->lanes ? l : 0];
            for (int r = 0; r < rows_of(f, front); r++)
                b->variable[batch->variable + r * SARI_LANES + l] = f->index[f->first[front] + r];
        }
    }
    return SAR_OK;
}

static sar_status allocate(maker* m, sari_arena* memory, const sari_dca_groups* g)
{
    sari_dca_batches* b = m->b;
    const size_t fronts = (size_t)b->fronts.count;
    b->widest = (size_t)g->largest * ((size_t)g->largest + 1) / 2;
    for (m->table_size = 16; m->table_size < 2 * g->count;) m->table_size *= 2;
    b->batch = SARI_TAKE(memory, sari_dca_batch, g->count);
    b->child = SARI_TAKE(memory, int, SARI_LANES* fronts);
    b->at = SARI_TAKE(memory, int, fronts);
    b->place = SARI_TAKE(memory, int, m->A->p[m->A->n]);
    m->table = SARI_TAKE(&m->scratch, int, 2 * (size_t)m->table_size);
    m->slot = SARI_TAKE(&m->scratch, int, b->widest);
    m->position = SARI_TAKE(&m->scratch, int, m->A->n);
    m->list.capacity = 1024;
    m->list.at = SARI_NEW_ARRAY(int, m->list.capacity);
    return m->list.at && !memory->failed && !m->scratch.failed ? SAR_OK : SAR_E_NOMEM;
}

static sar_status make_batches(maker* m, sari_arena* memory)
{
    sari_dca_batches* b = m->b;
    sari_dca_groups g;
    SARI_TRY(sari_dca_groups_init(&g, memory, &b->fronts));
    SARI_TRY(allocate(m, memory, &g));
    for (int k = 0; k < g.count; k++) make_batch(m, g.front + k * SARI_LANES);
    if (m->list.failed) return SAR_E_NOMEM;
    SARI_TRY(list_variables(b, memory));
    b->units = g.units;
    b->unit = g.unit;
    b->flops = g.flops;
    b->depth = g.depth;
    b->largest = g.largest;
    return SAR_OK;
}

sar_status sari_dca_batches_init(sari_dca_batches* b, sari_arena* memory, const sari_sym* A,
                                 const sari_structure* structure)
{
    *b = (sari_dca_batches){0};
    maker m = {.A = A, .b = b};
    sar_status status = sari_dca_fronts_init(&b->fronts, memory, A, structure);
    if (status == SAR_OK) status = make_batches(&m, memory);
    b->list = m.list.at;
    sari_arena_clear(&m.scratch);
    return status;
}

void sari_dca_batches_clear(sari_dca_batches* b)
{
    sari_release(b->list);
    sari_release(b->fronts.index);
}
