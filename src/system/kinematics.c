#include "system/kinematics.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "system/mechanism/quadratics_kernels.h"

#include <math.h>
#include <string.h>

/* ---- evaluation ----------------------------------------------------------------------------- */

/* The product of row a of T with x, added to a number. */
SARI_INLINE double add_row(const sari_linear_map* T, int a, const double* x, double sum)
{
    for (int e = T->p[a]; e < T->p[a + 1]; e++) sum += T->t[e] * x[T->q[e]];
    return sum;
}

void sari_kinematics_linear_rates(const sari_kinematics* k, int b, const double* v, double* Xd)
{
    for (int a = 0; a < k->nx; a++) Xd[a] = add_row(&k->map, k->nx * b + a, v, 0.0);
}

/* X = X0 + T q of a body */
static void place(const sari_kinematics* k, int b)
{
    const double* X0 = k->coordinates->X0;
    for (int a = k->nx * b; a < k->nx * (b + 1); a++) k->X[a] = add_row(&k->map, a, k->q, X0[a]);
}

/* The same of all, and Xd = T v with v, unless they are there. */
static void place_linearly(sari_kinematics* k, const double* v)
{
    const sari_coordinates* c = k->coordinates;
    const size_t positions = (size_t)c->np * sizeof(double), rates = (size_t)c->nq * sizeof(double);
    if (!k->placed || memcmp(k->at_q, k->q, positions) != 0) {
        for (int b = 1; b < c->mechanism->bodies; b++) place(k, b);
        memcpy(k->at_q, k->q, positions);
        k->placed = 1;
    }
    if (!v || (k->moving && memcmp(k->at_v, v, rates) == 0)) return;
    for (int b = 1; b < c->mechanism->bodies; b++)
        sari_kinematics_linear_rates(k, b, v, k->Xd + k->nx * b);
    memcpy(k->at_v, v, rates);
    k->moving = 1;
}

/* Of a constant map its axes alone are placed. */
void sari_kinematics_spin(const sari_kinematics* k, int b, const double* q, const double* v,
                          double w[3])
{
    const sari_mechanism* m = k->coordinates->mechanism;
    double X[12], Xd[12];
    for (int a = m->dimension; k->constant && a < k->nx; a++) {
        const int row = k->nx * b + a;
        X[a] = add_row(&k->map, row, q, k->coordinates->X0[row]);
        Xd[a] = add_row(&k->map, row, v, 0.0);
    }
    if (k->constant)
        sari_spin_of(m, X, Xd, w);
    else
        sari_spin_of(m, k->X + k->nx * b, k->Xd + k->nx * b, w);
}

/* Bring X, T and D2 to q, the rates to v, unless they are there. */
static void move(sari_kinematics* k, int rates_of_X)
{
    sari_coordinates* c = k->coordinates;
    const size_t positions = (size_t)c->np * sizeof(double);
    if (!k->mapped || memcmp(k->at_q, k->q, positions) != 0) {
        c->ops->update(c, k->q, k->X);
        memcpy(k->at_q, k->q, positions);
        k->placed = k->mapped = 1;
        k->moving = k->tree_moving = 0;
    }
    if (k->v) c->evaluator->rates(k, rates_of_X);
}

void sari_kinematics_place(sari_kinematics* k, const double* q)
{
    const sari_coordinates* c = k->coordinates;
    size_t positions = (size_t)c->np * sizeof(double);
    if (!c->evaluator->place_alone) {
        sari_kinematics_update(k, q, NULL, 1);
        return;
    }
    k->q = q;
    k->v = NULL;
    if (k->placed && memcmp(k->at_q, q, positions) == 0) return;
    c->ops->place(c, q, k->X);
    memcpy(k->at_q, q, positions);
    k->placed = 1;
    k->mapped = k->moving = 0;
}

void sari_kinematics_update(sari_kinematics* k, const double* q, const double* v, int placement)
{
    k->q = q;
    k->v = v;
    if (!k->constant)
        move(k, placement);
    else if (placement)
        place_linearly(k, placement != SARI_PLACES ? v : NULL);
}

void sari_kinematics_update_body(sari_kinematics* k, const double* q, const double* v, int b)
{
    if (!k->constant) {
        sari_kinematics_update(k, q, v, 1);
        return;
    }
    k->q = q;
    k->v = v;
    if (b == 0) return; // the ground stays
    place(k, b);
    if (v) sari_kinematics_linear_rates(k, b, v, k->Xd + k->nx * b);
    k->placed = k->moving = 0; // of the others
}

void sari_kinematics_position(sari_kinematics* k, const double* q)
{
    if (k->coordinates->evaluator->place_alone)
        sari_kinematics_place(k, q);
    else
        sari_kinematics_update(k, q, NULL, 0);
}

void sari_body_pull(const sari_kinematics* k, int b, const double* G, double* out)
{
    k->coordinates->evaluator->pull(k, b, G, out);
}

void sari_body_column(const sari_kinematics* k, int b, int j, double* dX)
{
    k->coordinates->evaluator->column(k, b, j, dX);
}

void sari_body_add_second(const sari_kinematics* k, int b, const double* G, int j, double* out)
{
    k->coordinates->evaluator->add_second(k, b, G, j, out);
}

void sari_kinematics_accelerations(const sari_kinematics* k, const double* a, double* Xdd)
{
    k->coordinates->evaluator->accelerations(k, a, Xdd);
}

double sari_poly_value(const sari_kinematics* k, int poly)
{
    return sari_quadratics_value(&k->compiled, poly, k->constant ? k->q : k->X);
}

double sari_poly_gradient(const sari_kinematics* k, int poly, double* g)
{
    double value;
    if (!k->constant) return k->coordinates->evaluator->gradient(k, poly, g);
    sari_quadratics_gradient(&k->compiled, poly, poly + 1, k->q, &value, g);
    return value;
}

void sari_poly_gradient_rate(const sari_kinematics* k, int poly, double* g)
{
    if (k->constant)
        sari_quadratics_gradient_rate(&k->compiled, poly, poly + 1, k->v, g);
    else
        k->coordinates->evaluator->gradient_rate(k, poly, g);
}

double sari_poly_bias(const sari_kinematics* k, int poly)
{
    const sari_quadratics* f = &k->compiled;
    const sari_quadratic_entry *first = f->entry + f->p[poly], *end = f->row[poly].end, *e;
    const double *X = k->X, *Xd = k->constant ? k->v : k->Xd, *Xdd = k->Xdd;
    double bias = 0.0;
    for (e = first; e < end; e++) bias += Xd[e->i] * sari_quadratics_times(f, e, Xd, 1);
    if (k->constant) return bias;
    for (e = first; e < end; e++) bias += (e->b + sari_quadratics_times(f, e, X, 1)) * Xdd[e->i];
    return bias;
}

void sari_poly_hessian(const sari_kinematics* k, int poly, double s, double* H)
{
    const sari_quadratics* f = &k->compiled;
    const int n = k->depends[poly].n;
    if (!k->constant) {
        k->coordinates->evaluator->hessian(k, 1, &poly, &s, H);
        return;
    }
    for (int e = 0; e < n; e++)
        for (int t = f->h[f->p[poly] + e]; t < f->h[f->p[poly] + e + 1]; t++)
            H[n * e + f->term[t].at] += s * f->term[t].c;
}

void sari_polys_hessian(const sari_kinematics* k, int count, const int* poly, const double* s,
                        double* H)
{
    int same = !k->constant;
    for (int i = 1; same && i < count; i++)
        same = k->slot[poly[i]][0] == k->slot[poly[0]][0] &&
               k->slot[poly[i]][1] == k->slot[poly[0]][1];
    if (same && count > 0)
        k->coordinates->evaluator->hessian(k, count, poly, s, H);
    else
        for (int i = 0; i < count; i++) sari_poly_hessian(k, poly[i], s[i], H);
}

/* A component of X among those of a polynomial's bodies. */
static int local_of(const sari_kinematics* k, const int* slot, int a)
{
    const int first = a - k->nx * slot[0];
    return first >= 0 && first < k->nx ? first : k->nx + a - k->nx * slot[1];
}

void sari_polys_eval_on_X(const sari_kinematics* k, int count, const int* poly, const double* s,
                          sari_polys_on_X* out)
{
    const sari_quadratics* f = &k->compiled;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < count; i++) {
        const int *slot = k->slot[poly[i]], first = f->p[poly[i]], end = f->p[poly[i] + 1];
        double value, g[SARI_POLY_X];
        sari_quadratics_gradient(f, poly[i], poly[i] + 1, k->X, &value, g);
        for (int e = first; e < end; e++) {
            const int a = local_of(k, slot, f->entry[e].i);
            out->by[a] += s[i] * g[e - first];
            for (int t = f->h[e]; t < f->h[e + 1]; t++)
                out->second[a][local_of(k, slot, f->term[t].i)] += s[i] * f->term[t].c;
        }
    }
}

/* ---- construction --------------------------------------------------------------------------- */

sar_status sari_coordinates_map(const sari_coordinates* c, sari_arena* memory, sari_affine** out,
                                sar_error* error)
{
    const sari_mechanism* m = c->mechanism;
    const int nx = m->nx;
    *out = SARI_TAKE(memory, sari_affine, nx * m->bodies);
    if (!*out) return SAR_E_NOMEM;
    for (int b = 1; b < m->bodies; b++)
        for (int a = 0; a < nx; a++) {
            sari_affine* f = *out + nx * b + a;
            f->c = c->X0[nx * b + a];
            for (int i = 0; i < c->body[b].nq; i++)
                if (!sari_affine_add(f, c->body[b].T[c->body[b].nq * a + i], c->body[b].q[i]))
                    return sari_fail(error, SAR_E_MODEL, NULL,
                                     "body \"%s\" depends on too many coordinates",
                                     m->model->bodies[b].name);
        }
    return SAR_OK;
}

/* The polynomials in q: the map put into the mechanism's. */
static sar_status substitute(sari_kinematics* k, sar_error* error)
{
    const sari_mechanism* m = k->coordinates->mechanism;
    sari_arena scratch = {0};
    sari_affine* map;
    sar_status st = sari_coordinates_map(k->coordinates, &scratch, &map, error);
    for (int p = 0; p < m->poly.count && st == SAR_OK; p++)
        if (sari_polynomial_substitute(&m->poly, p, map, &k->poly) < 0) st = SAR_E_NOMEM;
    sari_arena_clear(&scratch);
    return st;
}

static sar_status copy_polynomials(sari_kinematics* k)
{
    const sari_polynomials* from = &k->coordinates->mechanism->poly;
    sari_polynomials* to = &k->poly;
    *to = *from;
    to->row = sari_copy(from->row, (size_t)from->count, sizeof *from->row);
    to->linear = sari_copy(from->linear, (size_t)from->linear_count, sizeof *from->linear);
    to->product = sari_copy(from->product, (size_t)from->product_count, sizeof *from->product);
    int ok = (to->row || !from->count) && (to->linear || !from->linear_count) &&
             (to->product || !from->product_count);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

/* depends: constant maps */
static sar_status list_variables(sari_kinematics* k, int poly)
{
    const int *p = k->compiled.p, n = p[poly + 1] - p[poly];
    k->depends[poly].n = n;
    k->depends[poly].i = SARI_TAKE(k->memory, int, n);
    if (!k->depends[poly].i) return SAR_E_NOMEM;
    for (int e = 0; e < n; e++) k->depends[poly].i[e] = k->compiled.entry[p[poly] + e].i;
    return SAR_OK;
}

sar_status sari_kinematics_compile(sari_kinematics* k)
{
    const sari_polynomials* p = &k->poly;
    SARI_TRY(sari_quadratics_create(&k->compiled, k->memory, p->count, p->linear_count,
                                    p->product_count));
    for (int i = 0; i < p->count; i++) SARI_TRY(sari_quadratics_add(&k->compiled, p, i));
    k->depends = SARI_TAKE(k->memory, sari_term_list, p->count);
    if (!k->depends) return SAR_E_NOMEM;
    for (int i = 0; k->constant && i < p->count; i++) SARI_TRY(list_variables(k, i));
    return SAR_OK;
}

/* slot: its (one or two) bodies; depends: their coordinates */
static sar_status list_bodies(sari_kinematics* k, int poly)
{
    int list[SARI_POLY_X], bodies = 0;
    int n = sari_polynomial_variables(&k->poly, poly, list, SARI_POLY_X);
    for (int t = 0; t < n && t < SARI_POLY_X; t++) {
        int b = list[t] / k->nx;
        if (bodies && k->slot[poly][bodies - 1] == b) continue;
        if (bodies == 2) return SAR_E_ARG;
        k->slot[poly][bodies++] = b;
    }
    return k->coordinates->evaluator->list(k, poly);
}

static sar_status list_state(sari_kinematics* k, int s)
{
    sari_term_list* all = &k->scalar_depends[s];
    all->n = 1;
    all->i = SARI_TAKE(k->memory, int, 1);
    if (!all->i) return SAR_E_NOMEM;
    all->i[0] = sari_state_at(k, &k->scalar[s]);
    return SAR_OK;
}

static sar_status list_scalar(sari_kinematics* k, int s)
{
    const sari_scalar* scalar = &k->scalar[s];
    if (scalar->kind == SARI_SCALAR_STATE) return list_state(k, s);
    if (scalar->kind == SARI_SCALAR_FLOW) return sari_flow_list(k, s);
    if (scalar->kind == SARI_SCALAR_COMPOSITE) return sari_composite_list(k, s);
    int both = sari_scalar_has_two(scalar);
    const sari_term_list *a = &k->depends[scalar->a], *b = &k->depends[scalar->b];
    int nb = both ? b->n : 0, n = 0, i = 0, j = 0;
    sari_term_list* all = &k->scalar_depends[s];
    all->i = SARI_TAKE(k->memory, int, a->n + nb);
    k->scalar_map[s] = SARI_TAKE(k->memory, int, a->n + nb);
    if (!all->i || !k->scalar_map[s]) return SAR_E_NOMEM;
    while (i < a->n || j < nb) { // merge
        int take_a = i < a->n && (j >= nb || a->i[i] <= b->i[j]);
        int take_b = j < nb && (i >= a->n || b->i[j] <= a->i[i]);
        all->i[n] = take_a ? a->i[i] : b->i[j];
        if (take_a) k->scalar_map[s][i++] = n;
        if (take_b) k->scalar_map[s][a->n + j++] = n;
        n++;
    }
    all->n = n;
    return SAR_OK;
}

static sar_status make_room(sari_kinematics* k)
{
    for (int p = 0; p < k->poly.count; p++)
        if (k->depends[p].n > k->longest) k->longest = k->depends[p].n;
    for (int s = 0; s < k->scalars; s++)
        if (k->scalar_depends[s].n > k->longest) k->longest = k->scalar_depends[s].n;
    for (int i = 0; i < 4; i++) k->local[i] = SARI_TAKE(k->memory, double, k->longest);
    return k->memory->failed ? SAR_E_NOMEM : sari_composites_make_room(k);
}

static sar_status list_map(sari_kinematics* k)
{
    const sari_coordinates* c = k->coordinates;
    const int bodies = c->mechanism->bodies, nx = k->nx;
    size_t entries = 0;
    for (int b = 1; b < bodies; b++)
        for (int i = 0; i < nx * c->body[b].nq; i++) entries += c->body[b].T[i] != 0.0;
    sari_linear_map* m = &k->map;
    m->p = SARI_TAKE(k->memory, int, nx* bodies + 1);
    m->q = SARI_TAKE(k->memory, int, entries);
    m->at = SARI_TAKE(k->memory, int, entries);
    m->t = SARI_TAKE(k->memory, double, entries);
    if (k->memory->failed) return SAR_E_NOMEM;
    int e = 0;
    for (int a = nx; a < nx * bodies; a++) { // the ground has none
        const sari_body_map* map = &c->body[a / nx];
        const double* T = map->T + map->nq * (a % nx);
        m->p[a] = e;
        for (int i = 0; i < map->nq; i++)
            if (T[i] != 0.0) m->q[e] = map->q[i], m->at[e] = i, m->t[e++] = T[i];
    }
    m->p[nx * bodies] = e;
    return SAR_OK;
}

/* Is it an angle that is linear in q: a coordinate, or one in the plane, where coordinates are angles? */
static int is_linear(const sari_kinematics* k, int scalar)
{
    const sari_coordinates* c = k->coordinates;
    if (k->scalar[scalar].kind != SARI_SCALAR_ANGLE || k->constant) return 0;
    return k->straight[scalar] || (c->mechanism->dimension == 2 && c->np == c->nq);
}

static sar_status build(sari_kinematics* k, sar_error* error)
{
    const sari_mechanism* m = k->coordinates->mechanism;
    int (*is_coordinate)(const sari_kinematics*, int) = k->coordinates->evaluator->is_coordinate;
    SARI_TRY(k->constant ? substitute(k, error) : copy_polynomials(k));
    size_t x = (size_t)(k->nx * m->bodies);
    k->X = SARI_TAKE(k->memory, double, x);
    k->Xd = SARI_TAKE(k->memory, double, x);
    k->Xdd = SARI_TAKE(k->memory, double, x);
    k->at_q = SARI_TAKE(k->memory, double, k->coordinates->np);
    k->at_v = SARI_TAKE(k->memory, double, k->coordinates->nq);
    SARI_TRY(sari_kinematics_compile(k));
    if (k->constant) SARI_TRY(list_map(k));
    k->slot = sari_arena_take(k->memory, (size_t)k->poly.count, sizeof *k->slot);
    k->offset = sari_arena_take(k->memory, (size_t)k->poly.count, sizeof *k->offset);
    k->paths = SARI_TAKE(k->memory, sari_poly_paths, k->poly.count);
    k->scalars = m->scalars_count;
    k->scalar = SARI_TAKE(k->memory, sari_scalar, k->scalars);
    k->scalar_depends = SARI_TAKE(k->memory, sari_term_list, k->scalars);
    k->scalar_map = SARI_TAKE(k->memory, int*, k->scalars);
    k->straight = SARI_TAKE(k->memory, int, k->scalars);
    k->given = SARI_TAKE(k->memory, char, k->scalars);
    k->slope = SARI_TAKE(k->memory, double*, k->scalars);
    k->counted_q = SARI_TAKE(k->memory, double, k->coordinates->np);
    if (k->memory->failed) return SAR_E_NOMEM;
    memcpy(k->X, m->X0, x * sizeof *k->X); // the ground's part stays
    for (int p = 0; !k->constant && p < k->poly.count; p++) SARI_TRY(list_bodies(k, p));
    for (int s = 0; s < k->scalars; s++) {
        k->scalar[s] = m->scalars[s];
        SARI_TRY(list_scalar(k, s));
        if (is_coordinate && !k->constant) k->straight[s] = is_coordinate(k, s);
        if (is_linear(k, s)) k->slope[s] = SARI_TAKE(k->memory, double, k->scalar_depends[s].n);
    }
    return make_room(k);
}

sar_status sari_kinematics_create(sari_coordinates* c, sari_arena* memory, sari_kinematics** out,
                                  sar_error* error)
{
    sari_kinematics* k = *out = SARI_TAKE(memory, sari_kinematics, 1);
    if (!k) return SAR_E_NOMEM;
    *k = (sari_kinematics){
        .memory = memory, .coordinates = c, .nx = c->mechanism->nx, .constant = c->constant};
    return build(k, error);
}
