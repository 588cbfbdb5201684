/* L D L' of [P J'; J -D] along the tree that generates P, in a time that grows with its nodes: the
 * elimination of articulated bodies [featherstone1987], with rows of J kept as variables until the
 * branches that they are about have met.
 *
 * From the leaves on, a node's front collects (2) of generated.h for what is beyond it, a quadratic
 * form of its motion U, of its variables and of those that wait. Then
 *
 *     U = T U_p + S x                                                                           (1)
 *
 * makes it one of x, U_p and the waiting ones, from which x is eliminated; the rest is passed on to
 * the parent. Rows come after the variables that they are about, so that -D, however small, is never
 * a pivot alone. */
#include "linalg/pivots.h"
#include "linalg/tree/generated_kernels.h"
#include "linalg/tree/tree_fronts.h"

#include "base/status.h"

#include <string.h>

typedef struct tree {
    sari_arena memory;
    const sari_sym* P; ///< whose tree it is, and slopes
    int n;
    size_t entries;
    int* place;
    sari_fronts f;
    double* value;          ///< the matrix, as the pattern has it
    double* front;          ///< the present one
    double* stack;          ///< rests of fronts
    double* factor;         ///< rows of the pivots: D, then L'
    double* pivot;          ///< D, per variable
    double *motion, *force; ///< per node, while solving
    sari_pivot_watch watch;
} tree;

static sar_status create(void* self_, const sari_sym* pattern, const sari_structure* structure)
{
    tree* s = self_;
    if (!structure || !structure->matrix || !structure->matrix->tree) return SAR_E_ARG;
    const sari_generated* g = structure->matrix->tree;
    s->P = structure->matrix;
    s->n = pattern->n;
    s->entries = (size_t)pattern->p[pattern->n];
    SARI_TRY(sari_fronts_create(&s->f, &s->memory, g, pattern, structure->primal));
    s->place = SARI_TAKE(&s->memory, int, s->entries);
    s->value = SARI_TAKE(&s->memory, double, s->entries);
    s->front = SARI_TAKE(&s->memory, double, s->f.largest * s->f.largest);
    s->stack = SARI_TAKE(&s->memory, double, s->f.stacked);
    s->factor = SARI_TAKE(&s->memory, double, s->f.factor);
    s->pivot = SARI_TAKE(&s->memory, double, s->n);
    s->motion = SARI_TAKE(&s->memory, double, g->nodes * g->width);
    s->force = SARI_TAKE(&s->memory, double, g->nodes * g->width);
    sari_pivot_watch_init(&s->watch, &s->memory, s->n);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (size_t e = 0; e < s->entries; e++) s->place[e] = (int)e;
    for (int k = 0; k < s->n; k++) s->watch.at[k] = pattern->p[k];
    return SAR_OK;
}

/* ---- factor --------------------------------------------------------------------------------- */

/* The rest of a child's front: of the node's motion, and of the variables that waited. Upper
 * triangles are passed on; the front gets both. */
static void add_rest(const sari_front* front, const sari_front* child, const int* into,
                     const double* rest, double* F)
{
    const int size = sari_front_size(front), w = child->width, n = w + child->waiting;
    const int skip = front->width ? 0 : w; // the root has no motion
    for (int r = skip; r < n; r++) {
        const int row = r < w ? front->pivots + r : into[r - w];
        for (int c = r; c < n; c++) {
            const int col = c < w ? front->pivots + c : into[c - w];
            F[row * size + col] += rest[r * n + c];
            if (row != col) F[col * size + row] += rest[r * n + c];
        }
    }
}

static void add_entries(const tree* s, const sari_front* front, double* F)
{
    const int size = sari_front_size(front);
    for (int e = front->entry; e < front[1].entry; e++) {
        const sari_front_entry* at = &s->f.entry[e];
        F[at->row * size + at->col] += s->value[at->at];
        if (at->row != at->col) F[at->col * size + at->row] += s->value[at->at];
    }
}

/* Of the diagonal, all that a front has so far, the tree has its part. */
static void take_off_tree(const tree* s, const sari_front* front, double* F)
{
    const int size = sari_front_size(front);
    for (int c = 0; c < s->P->tree->node[front->node].count; c++)
        F[front->own[c] * (size + 1)] -=
            sari_generated_entry(s->P->tree, s->P->slopes, front->node, c);
}

/* Rows of the node's variables with (1) on the left; and on the right where both sides have them. */
SARI_INLINE void take_variables(const int w, const sari_front* front, const sari_generator* at,
                                int count, double* F)
{
    const int size = sari_front_size(front), U = front->pivots;
    for (int k = 0; k < count; k++) {
        double* row = F + front->own[k] * size;
        for (int c = 0; c < w; c++) {
            const double S = at->S[k][c], *from = F + (U + c) * size;
            if (S == 0.0) continue;
            for (int j = 0; j < size; j++) row[j] += S * from[j];
        }
    }
    for (int k = 0; k < count; k++) {
        double* row = F + front->own[k] * size;
        for (int j = 0; j < count; j++) {
            double sum = 0.0;
            for (int c = 0; c < w; c++) sum += at->S[j][c] * row[U + c];
            row[front->own[j]] += sum;
        }
    }
}

/* (1) on both sides. From here on the upper triangle is all there is, so that what comes before the
 * node's variables has them in its rows. */
SARI_INLINE void substitute(const int w, const sari_front* front, const sari_generator* at,
                            int count, double* F)
{
    const int size = sari_front_size(front), U = front->pivots;
    take_variables(w, front, at, count, F);
    for (int k = 0; k < count; k++)
        for (int j = 0; j < front->own[k]; j++)
            F[j * size + front->own[k]] = F[front->own[k] * size + j];
    if (front->parent < 0) return;
    for (int j = U; j < size; j++) sari_generated_shift(w, at->arm, size, F + U * size + j);
    for (int r = 0; r < U + w; r++) sari_generated_shift(w, at->arm, 1, F + r * size + U);
}

/* What the diagonal has beside that of the tree was added already; slopes are (2) of generated.h. */
SARI_INLINE void add_slopes(const int w, const sari_front* front, const sari_generator* at,
                            int count, double slopes, double* F)
{
    const int size = sari_front_size(front);
    const double* own = at->own;
    for (int k = 0; k < count; k++) {
        const int row = front->own[k];
        for (int j = 0; j <= k; j++, own++) {
            F[row * size + front->own[j]] += slopes * *own;
            if (j != k) F[front->own[j] * size + row] += slopes * *own;
        }
        for (int c = 0; front->parent >= 0 && c < w / 2; c++) {
            const int col = front->pivots + c;
            F[row * size + col] += slopes * at->slope[k][c];
            F[col * size + row] += slopes * at->slope[k][c];
        }
    }
}

SARI_INLINE void add_node(const int w, const tree* s, const sari_front* front, double* F)
{
    const sari_generated* g = s->P->tree;
    const sari_generator* at = &g->at[front->node];
    const int size = sari_front_size(front), count = g->node[front->node].count;
    sari_generated_unpack(w, at->A, size, F + front->pivots * (size + 1));
    substitute(w, front, at, count, F);
    if (s->P->slopes != 0.0) add_slopes(w, front, at, count, s->P->slopes, F);
}

/* A pivot is usable by what its front had of it: what cancelled before is in other fronts. */
static void eliminate(tree* s, const sari_front* front, double* F)
{
    const int size = sari_front_size(front);
    double* first = s->factor + front->factor;
    const int* variable = s->f.variable + front->variable;
    for (int k = 0; k < front->pivots; k++) first[k * (size + 1)] = F[k * (size + 1)];
    for (int k = 0; k < front->pivots; k++) {
        double *row = F + k * size, *factor = first + k * size;
        if (!sari_pivot_usable(row[k], factor[k]))
            row[k] = sari_pivot_replace(&s->watch, variable[k]);
        const double inverse = 1.0 / row[k];
        s->pivot[variable[k]] = row[k];
        for (int j = k + 1; j < size; j++) factor[j] = row[j] * inverse;
        for (int r = k + 1; r < size; r++) {
            const double u = row[r], *restrict L = factor;
            double* restrict to = F + r * size;
            if (u == 0.0) continue;
            for (int j = r; j < size; j++) to[j] -= u * L[j];
        }
    }
}

/* To the stack. Returns its new end. */
static double* pass_on(const sari_front* front, const double* F, double* to)
{
    const int size = sari_front_size(front);
    for (int r = front->pivots; r < size; r++)
        for (int c = front->pivots; c < size; c++) *to++ = F[r * size + c];
    return to;
}

static long rest_of(const sari_front* f)
{
    return (long)(f->width + f->waiting) * (f->width + f->waiting);
}

SARI_INLINE sar_status factor_stored(const int w, tree* s)
{
    const sari_fronts* f = &s->f;
    double *top = s->stack, *F = s->front;
    sari_pivot_watch_start(&s->watch, s->value);
    for (int k = 0; k < f->fronts; k++) {
        const sari_front* front = &f->front[k];
        const int size = sari_front_size(front);
        memset(F, 0, (size_t)(size * size) * sizeof *F);
        add_entries(s, front, F);
        if (front->node >= 0) take_off_tree(s, front, F);
        for (int c = 0; c < front->children; c++)
            top -= rest_of(&f->front[f->child[front->child + c]]);
        const double* rest = top;
        for (int c = 0; c < front->children; c++) {
            const int child = f->child[front->child + c];
            add_rest(front, &f->front[child], f->into[child], rest, F);
            rest += rest_of(&f->front[child]);
        }
        if (front->node >= 0) add_node(w, s, front, F);
        eliminate(s, front, F);
        top = pass_on(front, F, top);
    }
    return s->watch.zeros ? SAR_R_SINGULAR : SAR_OK;
}

static sar_status tree_factor_stored(void* self)
{
    tree* s = self;
    return s->P->tree->width == 3 ? factor_stored(3, s) : factor_stored(6, s);
}

static sar_status tree_factor(void* self, const double* x)
{
    tree* s = self;
    memcpy(s->value, x, s->entries * sizeof *x);
    return tree_factor_stored(s);
}

static void storage(void* self, sari_solver_storage* out)
{
    tree* s = self;
    *out = (sari_solver_storage){s->value, s->entries, s->place, 1};
}

/* ---- solve ---------------------------------------------------------------------------------- */

/* What is beyond a node asks of its motion, F, becomes part of the sides of its variables and of its
 * parent's motion; then the pivots' sides are taken off the others. */
SARI_INLINE void forward(const int w, const tree* s, const sari_front* front, double* b)
{
    const sari_generated* g = s->P->tree;
    const int *variable = s->f.variable + front->variable, size = sari_front_size(front);
    const int after = front->pivots + front->width;
    const double* L = s->factor + front->factor;
    double none[SARI_GENERATED_WIDTH], *F = front->node < 0 ? none : s->force + front->node * w;
    if (front->node >= 0) {
        const sari_generator* at = &g->at[front->node];
        const sari_generated_node* node = &g->node[front->node];
        for (int c = 0; c < node->count; c++)
            for (int k = 0; k < w; k++) b[node->first + c] += at->S[c][k] * F[k];
        sari_generated_shift(w, at->arm, 1, F);
    }
    for (int k = 0; k < front->pivots; k++, L += size) {
        const double y = b[variable[k]];
        for (int j = k + 1; j < front->pivots; j++) b[variable[j]] -= L[j] * y;
        for (int j = 0; j < front->width; j++) F[j] -= L[front->pivots + j] * y;
        for (int j = after; j < size; j++) b[variable[j - front->width]] -= L[j] * y;
    }
    for (int k = 0; front->parent >= 0 && k < w; k++) s->force[front->parent * w + k] += F[k];
}

SARI_INLINE void backward(const int w, const tree* s, const sari_front* front, double* b)
{
    const sari_generated* g = s->P->tree;
    const int *variable = s->f.variable + front->variable, size = sari_front_size(front);
    const int after = front->pivots + front->width;
    const double* L = s->factor + front->factor + (front->pivots - 1) * size;
    const double* U = front->parent < 0 ? NULL : s->motion + front->parent * w;
    for (int k = front->pivots - 1; k >= 0; k--, L -= size) {
        double x = b[variable[k]] / s->pivot[variable[k]];
        for (int j = k + 1; j < front->pivots; j++) x -= L[j] * b[variable[j]];
        for (int j = 0; U && j < w; j++) x -= L[front->pivots + j] * U[j];
        for (int j = after; j < size; j++) x -= L[j] * b[variable[j - front->width]];
        b[variable[k]] = x;
    }
    if (front->node < 0) return;
    const sari_generated_node* node = &g->node[front->node];
    sari_generated_carry(w, &g->at[front->node], node->count, b + node->first, U,
                         s->motion + front->node * w);
}

SARI_INLINE void solve(const int w, const tree* s, double* b)
{
    memset(s->force, 0, (size_t)(s->P->tree->nodes * w) * sizeof(double));
    for (int k = 0; k < s->f.fronts; k++) forward(w, s, &s->f.front[k], b);
    for (int k = s->f.fronts - 1; k >= 0; k--) backward(w, s, &s->f.front[k], b);
}

static void tree_solve(const void* self, double* b)
{
    const tree* s = self;
    if (s->P->tree->width == 3)
        solve(3, s, b);
    else
        solve(6, s, b);
}

static void pivots(const void* self, sari_pivots* out)
{
    const tree* s = self;
    sari_pivot_report(&s->watch, s->pivot, out);
}

double sari_tree_solver_pivot(const void* self, int variable)
{
    const tree* s = self;
    return s->watch.replaced[variable] ? 0.0 : s->pivot[variable];
}

static long fill(const void* self)
{
    return ((const tree*)self)->f.factor;
}

static void archive(void* self_, sari_archive* a)
{
    tree* s = self_;
    sari_archive_numbers(a, s->value, s->entries);
    sari_archive_numbers(a, s->factor, (size_t)s->f.factor);
    sari_archive_numbers(a, s->pivot, (size_t)s->n);
    sari_pivot_watch_archive(&s->watch, a);
}

const sari_solver_ops sari_solver_tree = {
    .name = "tree",
    .cite = "featherstone1987",
    .text = "L D L' along the joints of a tree, without the matrix of its masses",
    .graph = 1,
    .generated = 1,
    .size = SARI_OBJECT(tree, memory),
    .create = create,
    .factor = tree_factor,
    .factor_stored = tree_factor_stored,
    .storage = storage,
    .solve = tree_solve,
    .pivots = pivots,
    .fill = fill,
    .archive = archive,
};
