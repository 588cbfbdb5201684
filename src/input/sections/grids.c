/* Tables of two variables. A spline z(x, y) through values z_ij over a grid is a sum of products,
 *
 *     z(x, y) = sum_j T_j(x) B_j(y)                                                           (1)
 *
 * where T_j is the spline through row j of the values, and B_j that through 1 at y_j and 0 at the
 * others. So a grid is that many tables of one variable, NAME_x0, NAME_y0 ..., and a call of it
 * stands for the sum: expressions know nothing of grids, and have their exact derivatives. */
#include "input/reader.h"

#include "base/memory.h"
#include "model/model.h"

#include <ctype.h>
#include <string.h>

enum { ROWS = 40 }; ///< at most: expressions grow with them

struct sari_grid {
    const char* name; ///< as the model calls it
    int rows;
};

/* ---- reading -------------------------------------------------------------------------------- */

static const double* read_list(sari_reader* r, const sari_node* list, const char* what, int count)
{
    double* out = sari_scratch_allocate(&r->texts, (size_t)count * sizeof *out);
    if (!out) {
        sari_fail_memory(r);
        return NULL;
    }
    sari_read_numbers(r, list, what, count, out);
    return out;
}

static bool is_list(sari_reader* r, const sari_node* node, const char* what)
{
    if (node && node->kind == SARI_NODE_LIST && node->count >= 2) return true;
    if (node) sari_report(r, node, "%s must be a list of at least 2 numbers", what);
    return false;
}

static void add_table(sari_reader* r, const sari_element* e, sar_table_def* def, const char* name,
                      const double* x, const double* y, int length)
{
    sar_error error;
    def->name = name;
    def->x = x, def->y = y, def->length = length;
    if (!name || !x || !y) return;
    if (sar_model_add_table(r->model, def, &error) != SAR_OK) sari_reject(r, e, &error);
}

static void remember(sari_reader* r, const char* name, int rows)
{
    void* list = r->grids;
    if (sari_grow(&list, r->grids_count, &r->grids_capacity, sizeof *r->grids)) {
        r->grids = list;
        r->grids[r->grids_count++] = (struct sari_grid){name, rows};
    } else {
        sari_fail_memory(r);
    }
}

void sari_read_grid(sari_reader* r, const sari_element* e, sar_table_def def)
{
    const sari_node *x = sari_node_get(e->map, "x"), *y = sari_node_get(e->map, "y"),
                    *z = sari_node_get(e->map, "z"), *file = sari_node_key(e->map, "file");
    if (file) sari_report(r, file, "the values of a table of x and y are listed, not in a file");
    if (!is_list(r, x, "x") || !is_list(r, y, "y") || file) return;
    if (y->count > ROWS) {
        sari_report(r, y, "a table of x and y has at most %d values of y, here are %d", (int)ROWS,
                    y->count);
        sari_hint(r, "exchange x and y, or use fewer");
        return;
    }
    if (!sari_expect_list(r, z, "z", y->count)) {
        sari_hint(r, "z has a list of values over x for every y");
        return;
    }
    const int before = r->failures;
    const double *at_x = read_list(r, x, "x", x->count), *at_y = read_list(r, y, "y", y->count);
    for (int j = 0; j < y->count && r->failures == before; j++) {
        const char* row = sari_print(r, "z[%d]", j);
        double one[ROWS] = {0};
        one[j] = 1.0;
        if (!sari_expect_list(r, z->values[j], row, x->count)) return;
        add_table(r, e, &def, sari_print(r, "%s_x%d", e->name, j), at_x,
                  read_list(r, z->values[j], row, x->count), x->count);
        add_table(r, e, &def, sari_print(r, "%s_y%d", e->name, j), at_y, one, y->count);
    }
    remember(r, e->name, y->count);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static const struct sari_grid* find(const sari_reader* r, const char* name, size_t length)
{
    for (int k = 0; k < r->grids_count; k++)
        if (strlen(r->grids[k].name) == length && memcmp(r->grids[k].name, name, length) == 0)
            return &r->grids[k];
    return NULL;
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Where the arguments in parentheses end, which begin at `at`; how many, and where the second one
 * begins. NULL: never. */
static const char* end_of(const char* at, int* count, const char** second)
{
    int depth = 0;
    *count = 1;
    *second = NULL;
    for (; *at; at++) {
        if (*at == '(') depth++;
        if (*at == ')' && depth-- == 0) return at;
        if (*at != ',' || depth) continue;
        if (++*count == 2) *second = at + 1;
    }
    return NULL;
}

/* (1) */
static const char* sum_of(sari_reader* r, const struct sari_grid* g, const char* x, const char* y)
{
    const char* sum = "";
    for (int j = 0; sum && j < g->rows; j++)
        sum = sari_print(r, "%s%s%s_x%d(%s)*%s_y%d(%s)", sum, j ? " + " : "", g->name, j, x,
                         g->name, j, y);
    return sum;
}

/* The text from `call` on, the arguments of a grid, with all calls replaced; *end is behind it. */
static const char* expand_call(sari_reader* r, const sari_node* node, const struct sari_grid* g,
                               const char* call, const char** end)
{
    const char* second;
    int count;
    *end = end_of(call, &count, &second);
    if (!*end || count != 2) {
        sari_report(r, node, "the table %s takes 2 arguments", g->name);
        sari_hint(r, "write %s(x, y)", g->name);
        return NULL;
    }
    const char *x = sari_print(r, "%.*s", (int)(second - 1 - call), call),
               *y = sari_print(r, "%.*s", (int)(*end - second), second);
    x = x ? sari_expand_grids(r, node, x) : NULL;
    y = y ? sari_expand_grids(r, node, y) : NULL;
    ++*end;
    return x && y ? sum_of(r, g, x, y) : NULL;
}

const char* sari_expand_grids(sari_reader* r, const sari_node* node, const char* text)
{
    for (const char* at = text; r->grids_count && *at;) {
        const char* start = at;
        while (is_part_of_name(*at)) at++;
        const struct sari_grid* g = find(r, start, (size_t)(at - start));
        const char* open = at + strspn(at, " ");
        if (g && *open == '(') {
            const char *end, *sum = expand_call(r, node, g, open + 1, &end);
            const char* rest = sum ? sari_expand_grids(r, node, end) : NULL;
            return rest ? sari_print(r, "%.*s(%s)%s", (int)(start - text), text, sum, rest) : NULL;
        }
        if (at == start) at++;
    }
    return text;
}
