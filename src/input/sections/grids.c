/* Tables of two variables, as tables of one: NAME_x0, NAME_y0 ... Calls of NAME are understood where
 * expressions are compiled (expression/parse.c). */
#include "input/reader.h"

#include "model/parts.h"

#include <string.h>

enum { ROWS = 40 }; ///< at most: expressions grow with them

/* ---- reading -------------------------------------------------------------------------------- */

static const double* read_list(sari_reader* r, const sari_node* list, const char* what, int count)
{
    double* out = sari_take(r, (size_t)count, sizeof *out);
    if (out) sari_read_numbers(r, list, what, count, out);
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

int sari_read_grid(sari_reader* r, const sari_element* e, sar_table_def def)
{
    const sari_node *x = sari_node_get(e->map, "x"), *y = sari_node_get(e->map, "y"),
                    *z = sari_node_get(e->map, "z"), *file = sari_node_key(e->map, "file");
    if (file) sari_report(r, file, "the values of a table of x and y are listed, not in a file");
    if (!is_list(r, x, "x") || !is_list(r, y, "y") || file) return -1;
    if (y->count > ROWS) {
        sari_report(r, y, "a table of x and y has at most %d values of y, here are %d", (int)ROWS,
                    y->count);
        sari_hint(r, "exchange x and y, or use fewer");
        return -1;
    }
    if (!sari_expect_list(r, z, "z", y->count)) {
        sari_hint(r, "z has a list of values over x for every y");
        return -1;
    }
    const int before = r->failures;
    const double *at_x = read_list(r, x, "x", x->count), *at_y = read_list(r, y, "y", y->count);
    for (int j = 0; j < y->count && r->failures == before; j++) {
        const char* row = sari_print(r, "z[%d]", j);
        double one[ROWS] = {0};
        one[j] = 1.0;
        if (!sari_expect_list(r, z->values[j], row, x->count)) return -1;
        add_table(r, e, &def, sari_print(r, "%s_x%d", e->name, j), at_x,
                  read_list(r, z->values[j], row, x->count), x->count);
        add_table(r, e, &def, sari_print(r, "%s_y%d", e->name, j), at_y, one, y->count);
    }
    return r->failures == before ? y->count : -1;
}
