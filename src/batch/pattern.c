/* What instances have in common: the places of their numbers, from one of them. */
#include "base/memory.h"
#include "base/status.h"
#include "batch/lanes.h"
#include "formulations/al3.h"
#include "simulation/normal.h"

#include <string.h>

static const sari_constrained* penalty_of(const sar_simulation* s)
{
    sari_al3_facts facts;
    (void)sari_al3_plain(s->form.self, &facts);
    return facts.penalty;
}

static int* copy_ints(sari_arena* memory, const int* from, int count)
{
    int* to = SARI_TAKE(memory, int, count + 1); // no piece is empty
    if (to && count > 0) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static sari_lane_place place_of(int i)
{
    return i * (int)sizeof(sari_wide);
}

static int index_of(sari_lane_place place)
{
    return place / (int)sizeof(sari_wide);
}

static sari_lane_place* copy_places(sari_arena* memory, const int* from, int count)
{
    sari_lane_place* to = SARI_TAKE(memory, sari_lane_place, count + 1);
    for (int k = 0; to && k < count; k++) to[k] = place_of(from[k]);
    return to;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int count_angles(const sari_kinematics* k)
{
    int count = 0;
    for (int i = 0; i < k->scalars; i++) count += sari_lane_counts(&k->scalar[i]);
    return count;
}

sari_lane_source sari_lane_row(const sar_simulation* s, int r)
{
    const sari_system* sys = s->system;
    const sari_kinematics* k = sys->kinematics;
    if (r < sys->nc) return (sari_lane_source){sys->quadratic, r};
    int angle = (r - sys->nc) / 2, i = 0;
    for (;; i++)
        if (sari_lane_counts(&k->scalar[i]) && angle-- == 0) break;
    return (sari_lane_source){&k->compiled, (r - sys->nc) % 2 ? k->scalar[i].b : k->scalar[i].a};
}

/* Numbers of all entries and of further terms. */
static void count_rows(const sar_simulation* s, int rows, int* entries, int* terms)
{
    *entries = *terms = 0;
    for (int r = 0; r < rows; r++) {
        const sari_lane_source x = sari_lane_row(s, r);
        for (int e = x.from->p[x.row]; e < x.from->p[x.row + 1]; e++) {
            ++*entries;
            *terms += x.from->entry[e].end - x.from->entry[e].more;
        }
    }
}

static sar_status make_rows(sari_lane_pattern* at, const sar_simulation* s, sari_arena* memory)
{
    int entries, terms, k = 0;
    count_rows(s, at->rows, &entries, &terms);
    at->first = SARI_TAKE(memory, int, at->rows + 1);
    at->is_long = SARI_TAKE(memory, int, at->rows + 1);
    at->entry = SARI_TAKE(memory, sari_lane_entry, entries + 1);
    at->term = SARI_TAKE(memory, sari_lane_place, terms + 1);
    if (memory->failed) return SAR_E_NOMEM;
    for (int r = 0; r < at->rows; r++) {
        const sari_lane_source x = sari_lane_row(s, r);
        const sari_quadratics* f = x.from;
        for (int e = f->p[x.row]; e < f->p[x.row + 1]; e++) {
            const sari_quadratic_entry* y = &f->entry[e];
            const int more = at->terms;
            for (int t = y->more; t < y->end; t++) at->term[at->terms++] = place_of(f->term[t].i);
            at->entry[k++] = (sari_lane_entry){.i = place_of(y->i),
                                               .x = {place_of(y->x[0]), place_of(y->x[1])},
                                               .more = more,
                                               .end = at->terms};
        }
        at->is_long[r] = f->row[x.row].is_long;
        at->first[r + 1] = k;
    }
    return SAR_OK;
}

static int row_fits(const sari_lane_pattern* at, const sar_simulation* s, int r)
{
    const sari_lane_source x = sari_lane_row(s, r);
    const sari_quadratics* f = x.from;
    int e = f->p[x.row];
    if (f->p[x.row + 1] - e != at->first[r + 1] - at->first[r]) return 0;
    if (f->row[x.row].is_long != at->is_long[r]) return 0;
    for (int k = at->first[r]; k < at->first[r + 1]; k++, e++) {
        const sari_quadratic_entry* y = &f->entry[e];
        const sari_lane_entry* z = &at->entry[k];
        if (place_of(y->i) != z->i) return 0;
        if (place_of(y->x[0]) != z->x[0] || place_of(y->x[1]) != z->x[1]) return 0;
        if (y->end - y->more != z->end - z->more) return 0;
        for (int t = 0; t < z->end - z->more; t++)
            if (place_of(f->term[y->more + t].i) != at->term[z->more + t]) return 0;
    }
    return 1;
}

/* ---- M ------------------------------------------------------------------------------------------ */

/* Entries that are zero are left out: bodies like rods have many. */
static sar_status make_mass(sari_lane_pattern* at, const sari_sym* M, sari_arena* memory)
{
    const int entries = M->p[at->n];
    int count = 0;
    at->mass_first = SARI_TAKE(memory, int, at->n + 1);
    at->mass_from = SARI_TAKE(memory, int, entries + 1);
    at->mass_i = SARI_TAKE(memory, sari_lane_place, entries + 1);
    if (memory->failed) return SAR_E_NOMEM;
    for (int c = 0; c < at->n; c++) {
        for (int k = M->p[c]; k < M->p[c + 1]; k++) {
            if (k > M->p[c] && M->x[k] == 0.0) continue;
            at->mass_from[count] = k;
            at->mass_i[count++] = place_of(M->i[k]);
        }
        at->mass_first[c + 1] = count;
    }
    return SAR_OK;
}

static int mass_fits(const sari_lane_pattern* at, const sari_sym* M)
{
    int e = 0;
    for (int c = 0; c < at->n; c++) {
        for (int k = M->p[c]; k < M->p[c + 1]; k++) {
            const int is_there = e < at->mass_first[c + 1] && at->mass_from[e] == k;
            if (is_there && at->mass_i[e] != place_of(M->i[k])) return 0;
            if (!is_there && M->x[k] != 0.0) return 0;
            e += is_there;
        }
        if (e != at->mass_first[c + 1]) return 0;
    }
    return 1;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static int axis_rows(const sari_lane_pattern* at)
{
    return at->bodies * (at->dimension == 2 ? 2 : 9);
}

int sari_lane_axis(const sar_simulation* s, int row)
{
    const sari_kinematics* k = s->system->kinematics;
    const int dimension = s->system->mechanism->dimension, each = k->nx - dimension;
    const char* in_loop = sari_monitor_in_loops(s->monitor);
    int b = 0;
    for (int body = row / each; body >= 0; body--) do
            b++;
        while (!in_loop[b]);
    return k->nx * b + dimension + row % each;
}

static int count_spins(const sar_simulation* s)
{
    const char* in_loop = sari_monitor_in_loops(s->monitor);
    int count = 0;
    for (int b = 1; b < s->system->mechanism->bodies; b++) count += in_loop[b] != 0;
    return count;
}

static sar_status make_axes(sari_lane_pattern* at, const sar_simulation* s, sari_arena* memory)
{
    const sari_linear_map* T = &s->system->kinematics->map;
    at->dimension = s->system->mechanism->dimension;
    at->bodies = count_spins(s);
    const int rows = axis_rows(at);
    at->axis_first = SARI_TAKE(memory, int, rows + 1);
    for (int r = 0; at->axis_first && r < rows; r++) {
        const int a = sari_lane_axis(s, r);
        at->axis_first[r + 1] = at->axis_first[r] + T->p[a + 1] - T->p[a];
    }
    at->axis_i = SARI_TAKE(memory, sari_lane_place, at->axis_first ? at->axis_first[rows] + 1 : 1);
    if (memory->failed) return SAR_E_NOMEM;
    for (int r = 0, k = 0; r < rows; r++) {
        const int a = sari_lane_axis(s, r);
        for (int e = T->p[a]; e < T->p[a + 1]; e++) at->axis_i[k++] = place_of(T->q[e]);
    }
    return SAR_OK;
}

static int axes_fit(const sari_lane_pattern* at, const sar_simulation* s)
{
    const sari_linear_map* T = &s->system->kinematics->map;
    if (s->system->mechanism->dimension != at->dimension || count_spins(s) != at->bodies) return 0;
    for (int r = 0; r < axis_rows(at); r++) {
        const int a = sari_lane_axis(s, r), first = at->axis_first[r];
        if (T->p[a + 1] - T->p[a] != at->axis_first[r + 1] - first) return 0;
        for (int e = T->p[a]; e < T->p[a + 1]; e++)
            if (at->axis_i[first + e - T->p[a]] != place_of(T->q[e])) return 0;
    }
    return 1;
}

/* ---- S --------------------------------------------------------------------------------------- */

/// A product on its way to its place.
typedef struct goes {
    int place, a, b;
} goes;

/// While S is laid out.
typedef struct layout {
    sari_lane_matrix* at;
    const sari_constrained* lin;
    const int* used_i; ///< columns of its J
    int stride;        ///< of a dense matrix
    int places;        ///< of the solver's storage
    goes* list;        ///< all products, in the order in which they are added
    int products;
    int* first; ///< [places + 1] of a place, in at->product
    int* mass;  ///< [places] entry of P, or -1
    int masses;
    const int* mass_from; ///< entries of P that there are; NULL: all
    char* L;              ///< tiles: which entries of L are not always zero, row by row
    int* value;           ///< tiles: their numbers
    int* used;            ///< tiles: numbers of u and w, which serve one block after the other
    int most;             ///< of them
} layout;

/* Small kernels scale the entry of the smaller column, others that of the larger one. */
static void list_products(layout* z)
{
    const sari_lane_matrix* at = z->at;
    for (int r = 0; r < at->m; r++)
        for (int a = at->first[r]; a < at->first[r + 1]; a++)
            for (int b = at->first[r]; b <= a; b++, z->products++)
                z->list[z->products] = at->solver == SARI_LANES_SMALL
                                           ? (goes){z->used_i[b] * at->n + z->used_i[a], b, a}
                                           : (goes){z->lin->product_at[z->products], a, b};
}

/* By their places, those of one place in their order. */
static void sort_products(layout* z)
{
    for (int p = 0; p < z->products; p++) z->first[z->list[p].place + 1]++;
    for (int v = 0; v < z->places; v++) z->first[v + 1] += z->first[v];
    for (int p = 0; p < z->products; p++) // `first` moves to the next place's
        z->at->product[z->first[z->list[p].place]++] =
            (sari_lane_product){place_of(z->list[p].a), place_of(z->list[p].b)};
    for (int v = z->places; v > 0; v--) z->first[v] = z->first[v - 1];
    z->first[0] = 0;
    for (int v = 0; v < z->places; v++) z->mass[v] = -1;
    for (int k = 0; k < z->masses; k++)
        z->mass[z->lin->P_at[z->mass_from ? z->mass_from[k] : k]] = k;
}

/* A place of the solver's storage becomes `place` of S. Its products, which are listed elsewhere, go
 * with it. */
static void add_value(layout* z, int from, int place, sari_lane_product* products, int* count)
{
    sari_lane_matrix* at = z->at;
    const int mass = z->mass[from];
    at->value[at->value_count++] = (sari_lane_value){
        .place = place_of(place), .mass = mass < 0 ? -1 : place_of(mass), .product = *count};
    for (int p = z->first[from]; p < z->first[from + 1]; p++) products[(*count)++] = at->product[p];
}

/* All of a sparse matrix, the triangle of a small one. */
static void list_values(layout* z)
{
    sari_lane_matrix* at = z->at;
    int count = 0;
    at->values = z->places;
    for (int v = 0; v < z->places; v++)
        if (at->symbolic || v % z->stride >= v / z->stride) add_value(z, v, v, at->product, &count);
    at->value[at->value_count].product = count;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Returns the number of entries of L. */
static int find_fill(layout* z)
{
    const int n = z->at->n;
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const int v = j * z->stride + i;
            z->L[n * i + j] = i == j || z->mass[v] >= 0 || z->first[v] < z->first[v + 1];
        }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; z->L[n * i + k] && j <= i; j++)
                if (z->L[n * j + k]) z->L[n * i + j] = 1;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            if (z->L[n * i + j]) z->value[n * i + j] = count++;
    return count;
}

/* Place of L_ij. */
static sari_lane_place in_L(const layout* z, int i, int j)
{
    const int n = z->at->n;
    return z->L[n * i + j] ? place_of(z->value[n * i + j]) : place_of(z->at->values - 1);
}

/* Places of u_ij and w_ij, entries of L as well: u of the columns of a block, w of its rows. */
static int number_block(layout* z, int block)
{
    const int n = z->at->n;
    int count = 0;
    for (int c = block; c < block + 4 && c < n; c++) {
        for (int k = 0; k < block; k++)
            if (z->L[n * c + k]) z->used[n * c + k] = count++;
        for (int r = c + 1; r < n; r++)
            if (z->L[n * r + c]) z->used[n * r + c] = count++;
    }
    return count;
}

static sari_lane_place in_use(const layout* z, int entries, int i, int j)
{
    return place_of(entries + z->used[z->at->n * i + j]);
}

/* `entries`: of L */
static void list_column(layout* z, int entries, int c, int* products, int* less, int* scaled,
                        sari_lane_product* sorted)
{
    sari_lane_matrix* at = z->at;
    const int n = at->n, block = c / 4 * 4;
    at->column[c] = (sari_lane_column){at->value_count, *scaled};
    for (int k = 0; k < block; k++)
        if (z->L[n * c + k])
            at->w_list[(*scaled)++] =
                (sari_lane_scaled){in_use(z, entries, c, k), in_L(z, c, k), place_of(k)};
    for (int r = c; r < n; r++) {
        if (!z->L[n * r + c]) continue;
        sari_lane_value* v = &at->value[at->value_count];
        add_value(z, c * z->stride + r, z->value[n * r + c], sorted, products);
        v->row = r;
        v->u = r > c ? in_use(z, entries, r, c) : 0;
        v->less = *less;
        for (int k = 0; k < c; k++)
            if (z->L[n * r + k] && z->L[n * c + k])
                at->less[(*less)++] =
                    k < block ? (sari_lane_product){in_L(z, r, k), in_use(z, entries, c, k)}
                              : (sari_lane_product){in_use(z, entries, r, k), in_L(z, c, k)};
    }
}

/* Has row i an entry in a column from j to j + 3? */
static int meets(const layout* z, int i, int j)
{
    const char* row = z->L + z->at->n * i;
    return row[j] || row[j + 1] || row[j + 2] || row[j + 3];
}

static void list_tile(layout* z, int j, int* rows)
{
    sari_lane_matrix* at = z->at;
    const int n = at->n;
    sari_lane_tile* t = &at->tile[at->tiles++];
    *t = (sari_lane_tile){.j = place_of(j), .width = n - j < 4 ? n - j : 4, .row = *rows};
    for (int e = 0; e < t->width; e++)
        for (int c = e + 1; c < t->width; c++) t->L[e][c] = in_L(z, j + c, j + e);
    for (int p = 0; p < 4; p++) {
        for (int i = j + 4 + p; i < n; i += 4) {
            if (!meets(z, i, j)) continue;
            sari_lane_tile_row* row = &at->tile_row[(*rows)++];
            row->i = place_of(i);
            for (int c = 0; c < 4; c++) row->L[c] = in_L(z, i, j + c);
        }
        t->end[p] = *rows;
    }
}

/* Room for what is listed, then the lists. */
static sar_status make_tiles(layout* z, sari_arena* memory)
{
    sari_lane_matrix* at = z->at;
    const size_t n = (size_t)at->n, entries = (size_t)find_fill(z);
    int products = 0, less = 0, scaled = 0, rows = 0;
    for (int j = 0; j < at->n; j += 4) {
        const int used = number_block(z, j);
        if (used > z->most) z->most = used;
    }
    at->values = (int)entries + z->most + 1;
    at->less = SARI_TAKE(memory, sari_lane_product, entries * n + 1);
    at->column = SARI_TAKE(memory, sari_lane_column, n + 1);
    at->w_list = SARI_TAKE(memory, sari_lane_scaled, entries + 1);
    at->tile = SARI_TAKE(memory, sari_lane_tile, (n + 3) / 4);
    at->tile_row = SARI_TAKE(memory, sari_lane_tile_row, (n + 3) / 4 * n);
    sari_lane_product* sorted = SARI_TAKE(memory, sari_lane_product, z->products + 1);
    if (memory->failed) return SAR_E_NOMEM;
    for (int c = 0; c < at->n; c++) {
        if (c % 4 == 0) number_block(z, c);
        list_column(z, (int)entries, c, &products, &less, &scaled, sorted);
    }
    at->column[at->n] = (sari_lane_column){at->value_count, scaled};
    at->value[at->value_count] = (sari_lane_value){.product = products, .less = less};
    at->product = sorted;
    for (int j = 0; j < at->n; j += 4) list_tile(z, j, &rows);
    return SAR_OK;
}

static sar_status lay_out(layout* z, sari_arena* memory)
{
    sari_lane_matrix* at = z->at;
    list_products(z);
    sort_products(z);
    if (at->solver == SARI_LANES_TILES) return make_tiles(z, memory);
    list_values(z);
    return SAR_OK;
}

static sar_status make_values(sari_lane_matrix* at, const sari_constrained* lin,
                              const int* mass_from, int masses, sari_arena* memory)
{
    const size_t n = (size_t)at->n, places = lin->storage.count;
    sari_arena work = {0};
    size_t products = 0;
    for (int r = 0; r < at->m; r++) {
        const size_t entries = (size_t)(at->first[r + 1] - at->first[r]);
        products += entries * (entries + 1) / 2;
    }
    layout z = {.at = at,
                .lin = lin,
                .used_i = lin->used.i,
                .stride = at->solver == SARI_LANES_TILES ? (at->n + 3) / 4 * 4 : at->n,
                .places = (int)places,
                .masses = masses,
                .mass_from = mass_from,
                .list = SARI_TAKE(&work, goes, products + 1),
                .first = SARI_TAKE(&work, int, places + 2),
                .mass = SARI_TAKE(&work, int, places + 1),
                .L = SARI_TAKE(&work, char, n* n + 4),
                .value = SARI_TAKE(&work, int, n* n + 1),
                .used = SARI_TAKE(&work, int, n* n + 1)};
    at->value = SARI_TAKE(memory, sari_lane_value, places + 1);
    at->product = SARI_TAKE(memory, sari_lane_product, products + 1);
    const sar_status st = work.failed || memory->failed ? SAR_E_NOMEM : lay_out(&z, memory);
    sari_arena_clear(&work);
    return st;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static sari_lane_solver solver_of(const sari_constrained* lin)
{
    if (lin->small) return SARI_LANES_SMALL;
    return lin->solver.ops == &sari_solver_sparse ? SARI_LANES_SPARSE : SARI_LANES_TILES;
}

static sar_status make_matrix(sari_lane_matrix* at, const sari_constrained* lin,
                              const int* mass_from, int masses, sari_arena* memory)
{
    const int entries = lin->used.p[lin->m];
    at->n = lin->n;
    at->m = lin->m;
    at->solver = solver_of(lin);
    at->symbolic = at->solver == SARI_LANES_SPARSE ? sari_sparse_symbolic(lin->solver.self) : NULL;
    at->first = copy_ints(memory, lin->used.p, at->m + 1);
    at->used_i = copy_places(memory, lin->used.i, entries);
    if (lin->taken) at->taken = copy_places(memory, lin->taken, entries);
    return memory->failed ? SAR_E_NOMEM : make_values(at, lin, mass_from, masses, memory);
}

sar_status sari_lane_pattern_make(sari_lanes* lanes, const sar_simulation* s, sari_arena* memory)
{
    const sari_system* sys = s->system;
    sari_lane_pattern* at = &lanes->at;
    at->n = sys->nq;
    at->m = sys->nc;
    at->angles = count_angles(sys->kinematics);
    at->rows = at->m + 2 * at->angles;
    at->published = s->options.alpha > 0.0;
    at->projections = s->options.projections;
    SARI_TRY(make_mass(at, &sys->M, memory));
    SARI_TRY(make_rows(at, s, memory));
    SARI_TRY(make_axes(at, s, memory));
    SARI_TRY(
        make_matrix(&lanes->matrix, penalty_of(s), at->mass_from, at->mass_first[at->n], memory));
    const sari_constrained* normal = &sari_monitor_normal(s->monitor)->lin;
    return make_matrix(&lanes->normal, normal, NULL, normal->P.p[normal->n], memory);
}

static int same_ints(const int* a, const int* b, int count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static int same_places(const sari_lane_place* a, const int* b, int count)
{
    int k = 0;
    while (k < count && index_of(a[k]) == b[k]) k++;
    return k == count;
}

static int method_fits(const sari_lane_pattern* at, const sar_simulation* s)
{
    return (s->options.alpha > 0.0) == at->published && s->options.projections == at->projections;
}

/* Places in S follow from its pattern. */
static int matrix_fits(const sari_lane_matrix* at, const sari_constrained* lin)
{
    if (solver_of(lin) != at->solver || !lin->taken != !at->taken) return 0;
    if (!same_ints(at->first, lin->used.p, at->m + 1)) return 0;
    if (!same_places(at->used_i, lin->used.i, lin->used.p[at->m])) return 0;
    return !at->taken || same_places(at->taken, lin->taken, lin->used.p[at->m]);
}

int sari_lane_pattern_fits(const sari_lanes* lanes, const sar_simulation* s)
{
    const sari_lane_pattern* at = &lanes->at;
    const sari_system* sys = s->system;
    if (sys->nq != at->n || sys->nc != at->m || count_angles(sys->kinematics) != at->angles)
        return 0;
    if (!method_fits(at, s) || !axes_fit(at, s)) return 0;
    if (!mass_fits(at, &sys->M)) return 0;
    if (!matrix_fits(&lanes->matrix, penalty_of(s)) ||
        !matrix_fits(&lanes->normal, &sari_monitor_normal(s->monitor)->lin))
        return 0;
    for (int r = 0; r < at->rows; r++)
        if (!row_fits(at, s, r)) return 0;
    return 1;
}
