/* The linear problem of constrained.h: its form, its solver, and where everything goes in that. */
#include "formulations/constrained.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "linalg/tree/generated.h"

#include <string.h>

enum { LONG_ROW = 24 }; ///< entries of J: up to here J'J was never seen to fill more

static sar_status copy_pattern(const sari_sym* from, sari_sym* to)
{
    int entries = from->p[from->n];
    to->n = from->n;
    to->p = sari_copy(from->p, (size_t)from->n + 1, sizeof(int));
    to->i = entries ? sari_copy(from->i, (size_t)entries, sizeof(int)) : NULL;
    to->x = SARI_NEW_ARRAY(double, entries);
    if (from->tree && !(to->tree = sari_generated_copy(from->tree))) return SAR_E_NOMEM;
    return to->p && (to->i || !entries) && to->x ? SAR_OK : SAR_E_NOMEM;
}

/* With all entries of J, those that are always zero too: bodies stay together in the order of
 * elimination then, and panels are wider. */
static sar_status make_pattern(const sari_constrained* s, sari_sym* S)
{
    const sari_csr* J = s->J;
    sari_pattern pattern;
    int rows = s->kkt || s->augmented, size = s->n + (rows ? s->m : 0);
    sari_pattern_init(&pattern, size, size);
    for (int c = 0; c < s->n; c++)
        for (int k = s->P.p[c]; k < s->P.p[c + 1]; k++) sari_pattern_add(&pattern, s->P.i[k], c);
    for (int r = 0; r < s->m; r++) {
        if (!s->augmented) sari_pattern_add_clique(&pattern, J->i + J->p[r], J->p[r + 1] - J->p[r]);
        for (int k = J->p[r]; rows && k < J->p[r + 1]; k++)
            sari_pattern_add(&pattern, s->n + r, J->i[k]);
    }
    sar_status st = sari_pattern_make_sym(&pattern, S);
    sari_pattern_clear(&pattern);
    return st;
}

/* Where everything goes in the solver's storage of S. */
static sar_status locate(sari_constrained* s, const sari_sym* S)
{
    size_t slack = s->small ? (size_t)s->small->slack : 0;
    const sari_csr* J = &s->used;
    const int* place = s->storage.place;
    int products = 0, rows = s->kkt || s->augmented;
    for (int r = 0; r < s->m && !s->augmented; r++) {
        int n = J->p[r + 1] - J->p[r];
        products += n * (n + 1) / 2;
    }
    s->P_at = SARI_TAKE(&s->memory, int, s->P.p[s->n]);
    s->product_at = SARI_TAKE(&s->memory, int, products);
    s->J_at = SARI_TAKE(&s->memory, int, J->p[s->m]);
    s->delta_at = SARI_TAKE(&s->memory, int, s->m);
    s->base = SARI_TAKE(&s->memory, double, s->storage.count + slack);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < s->n; c++)
        for (int k = s->P.p[c]; k < s->P.p[c + 1]; k++)
            s->P_at[k] = place[sari_sym_find(S, s->P.i[k], c)];
    int* at = s->product_at;
    for (int r = 0; r < s->m; r++) {
        for (int a = J->p[r]; a < J->p[r + 1] && !s->augmented; a++)
            for (int b = J->p[r]; b <= a; b++) *at++ = place[sari_sym_find(S, J->i[a], J->i[b])];
        for (int a = J->p[r]; rows && a < J->p[r + 1]; a++)
            s->J_at[a] = place[sari_sym_find(S, s->n + r, J->i[a])];
        if (rows) s->delta_at[r] = place[sari_sym_find(S, s->n + r, s->n + r)];
    }
    return SAR_OK;
}

/* Dense rows for the kernels of small sizes. */
static sar_status make_rows(sari_constrained* s)
{
    const sari_csr* J = &s->used;
    const sari_solver* solver = &s->solver;
    const int small = !s->kkt && !s->augmented && solver->ops->normal;
    s->small = small ? solver->ops->normal(solver->self) : NULL;
    if (!s->small) return SAR_OK;
    s->rows = SARI_TAKE(&s->memory, double, s->m * s->small->stride);
    s->row_at = SARI_TAKE(&s->memory, int, J->p[s->m]);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int r = 0; r < s->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) s->row_at[k] = s->small->stride * r + J->i[k];
    return SAR_OK;
}

/* Entries of the factor of the present form. */
static sar_status count_fill(const sari_constrained* s, long* fill)
{
    sari_sym S = {0};
    sari_solver trial = {0};
    SARI_TRY(make_pattern(s, &S));
    sar_status st = sari_solver_create(&sari_solver_sparse, &S, NULL, &trial);
    if (st == SAR_OK) *fill = trial.ops->fill(trial.self);
    sari_solver_clear(&trial);
    sari_sym_clear(&S);
    return st;
}

/* Long rows fill J'J: then the augmented form is the sparser one, if by enough to pay for the
 * refinement that it needs. */
static sar_status choose_form(sari_constrained* s, const char* name)
{
    long with_products = 0, augmented = 0;
    int longest = 0;
    const sari_solver_ops* ops = strcmp(name, "auto") != 0 ? sari_solver_find(name, &s->P) : NULL;
    if (ops && ops->graph) s->augmented = 1;
    for (int r = 0; r < s->m; r++)
        if (s->J->p[r + 1] - s->J->p[r] > longest) longest = s->J->p[r + 1] - s->J->p[r];
    if (s->augmented || s->kkt || longest < LONG_ROW || ops == &sari_solver_dense) return SAR_OK;
    SARI_TRY(count_fill(s, &with_products));
    s->augmented = 1;
    SARI_TRY(count_fill(s, &augmented));
    s->augmented = 2 * augmented < with_products;
    return SAR_OK;
}

/* Entries that are always zero add nothing to J'J. */
static sar_status leave_out_zeros(sari_constrained* s)
{
    const sari_csr* J = s->J;
    const int entries = J->p[s->m];
    int* p = SARI_TAKE(&s->memory, int, s->m + 1);
    int* i = SARI_TAKE(&s->memory, int, entries);
    s->taken = SARI_TAKE(&s->memory, int, entries);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int r = 0, n = 0; r < s->m; r++) {
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            if (!J->zero[k]) i[n] = J->i[k], s->taken[n++] = k;
        p[r + 1] = n;
    }
    s->used.p = p;
    s->used.i = i;
    return SAR_OK;
}

static sar_status make_solver(sari_constrained* s, const char* name,
                              const sari_structure* structure)
{
    sari_sym S = {0};
    const sari_structure along = {.primal = s->n, .matrix = &s->P};
    if (s->P.tree)
        structure = &along, name = sari_solver_tree.name, s->augmented = 1;
    else if (strcmp(name, sari_solver_tree.name) == 0)
        name = "auto"; // an open tree by recursion has nothing to factor
    if (structure) SARI_TRY(choose_form(s, name));
    if (s->J->zero && !s->augmented && !s->kkt) SARI_TRY(leave_out_zeros(s));
    SARI_TRY(make_pattern(s, &S));
    const sari_solver_ops* ops = sari_solver_find(name, &S);
    sar_status st = ops ? sari_solver_create(ops, &S, structure, &s->solver) : SAR_E_ARG;
    s->refine = s->kkt || (s->augmented && ops && !ops->graph);
    if (s->P.tree && s->P.tree->regularisation) s->shift = s->P.tree->regularisation, s->refine = 1;
    if (st == SAR_OK) {
        ops->storage(s->solver.self, &s->storage);
        st = make_rows(s);
        if (st == SAR_OK) st = locate(s, &S);
    }
    sari_sym_clear(&S);
    return st;
}

sar_status sari_constrained_create(sari_constrained* s, const sari_sym* pattern, const sari_csr* J,
                                   int kkt, const char* solver, const sari_structure* structure)
{
    memset(s, 0, sizeof *s);
    s->n = pattern->n;
    s->m = J->rows;
    s->kkt = kkt;
    s->J = J;
    s->block = structure ? structure->block : NULL;
    if (s->block) s->shift = SARI_TAKE(&s->memory, double, s->n);
    if (s->block && !s->shift) return SAR_E_NOMEM;
    s->threads = structure && structure->threads > 1 ? structure->threads : 1;
    s->rhs = SARI_TAKE(&s->memory, double, 3 * (s->n + s->m));
    s->residual = SARI_TAKE(&s->memory, double, s->m);
    s->root = SARI_TAKE(&s->memory, double, s->m);
    s->weighed = SARI_TAKE(&s->memory, double, s->m);
    if (s->memory.failed) return SAR_E_NOMEM;
    s->used = (sari_csr){J->rows, J->cols, J->p, J->i, SARI_NEW_ARRAY(double, J->p[J->rows])};
    if (!s->used.x) return SAR_E_NOMEM;
    SARI_TRY(copy_pattern(pattern, &s->P));
    return make_solver(s, solver, structure);
}

sar_status sari_constrained_create_diagonal(sari_constrained* s, const sari_csr* J, int kkt,
                                            const char* solver)
{
    sari_pattern diagonal;
    sari_sym P = {0};
    sari_pattern_init(&diagonal, J->cols, J->cols);
    sar_status st = sari_pattern_make_sym(&diagonal, &P);
    sari_pattern_clear(&diagonal);
    if (st == SAR_OK) st = sari_constrained_create(s, &P, J, kkt, solver, NULL);
    sari_sym_clear(&P);
    return st;
}
