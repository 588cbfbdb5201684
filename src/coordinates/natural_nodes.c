#include "coordinates/natural_nodes.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int sari_node_root(sari_node_list* list, int i)
{
    while (list->at[i].parent != i) { // every other one on the path gets nearer to the root
        list->at[i].parent = list->at[list->at[i].parent].parent;
        i = list->at[i].parent;
    }
    return i;
}

/* What is nearer than this is one point. */
static double nearness(const double local[3])
{
    return 1e-12 * fmax(fmax(1.0, fabs(local[0])), fmax(fabs(local[1]), fabs(local[2])));
}

static unsigned cell_code(int body, const int64_t at[3])
{
    const int64_t key[4] = {body, at[0], at[1], at[2]};
    return sari_hash_code(key, sizeof key);
}

static int64_t cell_of(const sari_node_list* list, double x)
{
    return (int64_t)floor(x / list->cell);
}

/* The first node of the body in the cell that is near enough, or `best` if that came before. */
static int find_in_cell(const sari_node_list* list, int body, const double local[3],
                        const int64_t at[3], int best)
{
    const double near = nearness(local);
    for (int i = sari_hash_first(&list->by_cell, cell_code(body, at)); i >= 0;
         i = sari_hash_next(&list->by_cell, i)) {
        const sari_natural_node* n = &list->at[i];
        double away = 0.0;
        for (int k = 0; k < 3; k++) away = fmax(away, fabs(n->local[k] - local[k]));
        if (n->body == body && away <= near && (best < 0 || i < best)) best = i;
    }
    return best;
}

/* A node that is near enough may be in the next cell: cells are much larger than that. */
static int find_node(sari_node_list* list, int body, const double local[3])
{
    const double near = nearness(local);
    int64_t low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell_of(list, local[k] - 2 * near);
        high[k] = cell_of(list, local[k] + 2 * near);
    }
    int best = -1;
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++)
                best = find_in_cell(list, body, local, (int64_t[3]){x, y, z}, best);
    return best;
}

/* Cells are a millionth of the largest distance from an origin, so that few nodes share one, and
 * much larger than what is near. */
int sari_nodes_init(sari_node_list* list, int bodies, double extent)
{
    list->cell = fmax(1e-6 * extent, 1e3 * nearness((double[3]){extent, 0, 0}));
    list->first = SARI_NEW_ARRAY(int, bodies);
    list->last = SARI_NEW_ARRAY(int, bodies);
    if (!list->first || !list->last) return 0;
    for (int k = 0; k < bodies; k++) list->first[k] = list->last[k] = -1;
    return 1;
}

void sari_nodes_release(sari_node_list* list)
{
    sari_release(list->at);
    sari_release(list->first);
    sari_release(list->last);
    sari_hash_release(&list->by_cell);
}

static void append_to_body(sari_node_list* list, int i)
{
    const int body = list->at[i].body;
    if (list->last[body] < 0)
        list->first[body] = i;
    else
        list->at[list->last[body]].next = i;
    list->last[body] = i;
    list->at[i].next = -1;
}

int sari_nodes_add(sari_node_list* list, int body, const double local[3])
{
    int i = find_node(list, body, local);
    if (i >= 0) return i;
    const int64_t at[3] = {cell_of(list, local[0]), cell_of(list, local[1]),
                           cell_of(list, local[2])};
    if (!sari_grow((void**)&list->at, list->count, &list->capacity, sizeof(sari_natural_node)))
        return -1;
    if (!sari_hash_add(&list->by_cell, cell_code(body, at))) return -1;
    i = list->count++;
    sari_natural_node* n = &list->at[i];
    memset(n, 0, sizeof *n);
    n->body = body;
    memcpy(n->local, local, sizeof n->local);
    n->parent = i;
    n->guide = -1;
    append_to_body(list, i);
    if (body == 0) {
        n->known = n->unit = 1;
        for (int k = 0; k < 3; k++) n->value[k].c = local[k];
    }
    return i;
}

void sari_nodes_join(sari_node_list* list, int i, int j)
{
    i = sari_node_root(list, i), j = sari_node_root(list, j);
    if (i == j) return;
    if (list->at[j].known) { // the ground's class keeps its constant
        int swap = i;
        i = j, j = swap;
    }
    list->at[j].parent = i;
    if (list->at[i].guide < 0) list->at[i].guide = list->at[j].guide;
}

/* ---- orientations --------------------------------------------------------------------------- */

/* Directions of an end as the columns of a rotation. */
static void end_frame(int dimension, const sar_end* e, double F[9])
{
    double columns[9] = {0};
    if (dimension == 3) {
        memcpy(columns, e->axis, 3 * sizeof(double));
        memcpy(columns + 3, e->normal, 3 * sizeof(double));
        sari_cross(columns, columns + 3, columns + 6);
    } else {
        columns[0] = e->normal[0], columns[1] = e->normal[1];
        columns[3] = -e->normal[1], columns[4] = e->normal[0];
        columns[8] = 1.0;
    }
    sari_transpose3(columns, F);
}

/* Two rings become one. */
static void join_rings(int* mate, int i, int j)
{
    const int other = mate[i];
    mate[i] = mate[j];
    mate[j] = other;
}

/* Every body x of group gj has A_x = A_gj R_x, and A_b = A_gj R_b = A_gi wanted: A_gj = A_gi wanted R_b'. */
int sari_orientations_join(sari_orientations* o, int dimension, const sar_end* e, const sar_end* f)
{
    int gi = o->group[e->body.i], gj = o->group[f->body.i];
    double *R_b = o->R + 9 * f->body.i, Fa[9], Fb[9], back[9], shift[9], off = 0.0;
    double wanted[9]; // A_b = A_group(a) wanted
    end_frame(dimension, e, Fa);
    end_frame(dimension, f, Fb);
    sari_transpose3(Fb, back);
    sari_multiply3(Fa, back, wanted);
    sari_multiply3(o->R + 9 * e->body.i, wanted, wanted);
    if (gi == gj) {
        for (int k = 0; k < 9; k++) off = fmax(off, fabs(wanted[k] - R_b[k]));
        return off < 1e-9;
    }
    sari_transpose3(R_b, back);
    sari_multiply3(wanted, back, shift);
    if (gj == 0) { // keep the ground as root: turn the relation round
        sari_transpose3(shift, shift);
        gj = gi, gi = 0;
    }
    int x = gj;
    do { // all of the group gj
        sari_multiply3(shift, o->R + 9 * x, o->R + 9 * x);
        o->group[x] = gi;
        x = o->mate[x];
    } while (x != gj);
    join_rings(o->mate, gi, gj);
    return 1;
}
