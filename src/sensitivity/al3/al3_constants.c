#include "sensitivity/al3/al3_constants.h"

#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"
#include "system/forces/forces.h"

#include <math.h>
#include <string.h>

/// Of a number: second differences beyond it are no rounding.
static const double ROUNDING = 1e-14;
/// Of first differences: second ones of straight lines.
static const double STRAIGHT = 1e-9;

static int serves(const sari_system* sys)
{
    return sys->quadratic && sys->coordinates.constant && sys->constant_mass && !sys->M.tree &&
           sys->velocity_rows == 0 && sys->slack.count == 0 && !sys->slack.offset;
}

static void take(sari_al3_numbers* x, int size, const sari_system* sys, sari_arena* memory)
{
    const sari_quadratics* f = &sys->compiled;
    x->M = SARI_TAKE(memory, double, size);
    if (!x->M) return;
    x->c = x->M + sys->M.p[sys->nq];
    x->b = x->c + f->rows;
    x->H = x->b + f->p[f->rows];
    x->Q = x->H + f->h[f->p[f->rows]];
}

sar_status sari_al3_constants_take(sari_al3_constants* s, const sari_system* sys,
                                   sari_arena* memory)
{
    const sari_quadratics* f = &sys->compiled;
    s->serves = serves(sys);
    s->of = -1;
    if (!s->serves) return SAR_OK;
    s->size = sys->M.p[sys->nq] + f->rows + f->p[f->rows] + f->h[f->p[f->rows]] + sys->nq;
    take(&s->factor, s->size, sys, memory);
    take(&s->slope, s->size, sys, memory);
    return memory->failed ? SAR_E_NOMEM : SAR_OK;
}

void sari_al3_constants_begin(sari_al3_constants* s)
{
    if (s->serves) memset(s->factor.M, 0, (size_t)s->size * sizeof(double));
}

/* Are the same numbers there, at the same places? */
static int same_places(const sari_system* a, const sari_system* b)
{
    const sari_quadratics *f = &a->compiled, *g = &b->compiled;
    if (f->rows != g->rows || memcmp(f->p, g->p, ((size_t)f->rows + 1) * sizeof(int)) != 0 ||
        memcmp(a->M.p, b->M.p, ((size_t)a->nq + 1) * sizeof(int)) != 0 ||
        memcmp(a->M.i, b->M.i, (size_t)a->M.p[a->nq] * sizeof(int)) != 0)
        return 0;
    const int entries = f->p[f->rows];
    if (memcmp(f->h, g->h, ((size_t)entries + 1) * sizeof(int)) != 0) return 0;
    for (int e = 0; e < entries; e++)
        if (f->entry[e].i != g->entry[e].i) return 0;
    for (int t = 0; t < f->h[entries]; t++)
        if (f->term[t].i != g->term[t].i) return 0;
    return 1;
}

sari_al3_way sari_al3_way_of(const sari_al3_constants* s, const sari_system* own,
                             const sari_system* twin)
{
    if (!s->serves || !serves(twin) || !same_places(own, twin)) return SARI_AL3_RESIDUALS;
    return sari_forces_alike(own, twin) ? SARI_AL3_NUMBERS : SARI_AL3_FORCES;
}

/* (1), of both triangles */
static void add_mass(sari_al3_constants* s, const sari_step_map* map)
{
    const sari_step_record* r = &map->at;
    const sari_sym* M = &map->slopes.sys->M;
    for (int c = 0; c < M->n; c++) {
        const double a = r->a_star[c], dv = r->v[c] - r->v_star[c], da = r->a[c] - r->a_star[c];
        for (int k = M->p[c]; k < M->p[c + 1]; k++) {
            const int i = M->i[k];
            s->factor.M[k] += map->x1[i] * a + map->x2[i] * dv + map->x3[i] * da;
            if (i != c)
                s->factor.M[k] += map->x1[c] * r->a_star[i] +
                                  map->x2[c] * (r->v[i] - r->v_star[i]) +
                                  map->x3[c] * (r->a[i] - r->a_star[i]);
        }
        s->factor.Q[c] -= map->x1[c];
    }
}

/* (2) and (3) */
static void add_row(sari_al3_constants* s, const sari_step_map* map, int row)
{
    const sari_step_record* r = &map->at;
    const sari_quadratics* f = &map->slopes.sys->compiled;
    const double l = r->lambda[row], n = r->nu[row], k = r->kappa[row];
    const double y1 = map->y1[row], y2 = map->y2[row], y3 = map->y3[row];
    s->factor.c[row] += y1;
    for (int e = f->p[row]; e < f->p[row + 1]; e++) {
        const int i = f->entry[e].i;
        const double q = y1 * r->q[i], v = y3 * r->v[i];
        const double g =
            l * map->x1[i] + n * map->x2[i] + k * map->x3[i] + y2 * r->v[i] + y3 * r->a[i];
        s->factor.b[e] += q + g;
        for (int t = f->h[e]; t < f->h[e + 1]; t++)
            s->factor.H[t] += (0.5 * q + g) * r->q[f->term[t].i] + v * r->v[f->term[t].i];
    }
}

void sari_al3_constants_add(sari_al3_constants* s, const sari_step_map* map)
{
    if (!s->serves) return;
    add_mass(s, map);
    for (int row = 0; row < map->slopes.sys->compiled.rows; row++) add_row(s, map, row);
}

double sari_al3_constants_sum(const sari_al3_constants* s)
{
    return -sari_vector_dot(s->size, s->factor.M, s->slope.M);
}

/* ---- slopes --------------------------------------------------------------------------------- */

void sari_al3_slopes_add(sari_al3_constants* s, double weight, const sari_system* more,
                         const sari_system* less)
{
    const sari_quadratics *f = &more->compiled, *g = &less->compiled;
    const sari_al3_numbers* x = &s->slope;
    const int entries = f->p[f->rows];
    for (int k = 0; k < more->M.p[more->nq]; k++) x->M[k] += weight * (more->M.x[k] - less->M.x[k]);
    for (int r = 0; r < f->rows; r++) x->c[r] += weight * (f->row[r].c - g->row[r].c);
    for (int e = 0; e < entries; e++) x->b[e] += weight * (f->entry[e].b - g->entry[e].b);
    for (int t = 0; t < f->h[entries]; t++) x->H[t] += weight * (f->term[t].c - g->term[t].c);
    for (int i = 0; i < more->nq; i++) x->Q[i] += weight * (more->gravity[i] - less->gravity[i]);
}

sar_status sari_al3_slopes_pack(const sari_al3_constants* s, sari_arena* memory,
                                sari_al3_slopes* out)
{
    const double* x = s->slope.M;
    out->count = out->of_rows = 0;
    for (int i = 0; i < s->size; i++) out->count += x[i] != 0.0;
    out->at = SARI_TAKE(memory, int, out->count);
    out->value = SARI_TAKE(memory, double, out->count);
    if (memory->failed) return SAR_E_NOMEM;
    for (int i = 0, k = 0; i < s->size; i++) {
        if (x[i] == 0.0) continue;
        out->at[k] = i, out->value[k++] = x[i];
        out->of_rows |= x + i >= s->slope.c && x + i < s->slope.Q;
    }
    return SAR_OK;
}

void sari_al3_slopes_unpack(sari_al3_constants* s, const sari_al3_slopes* from)
{
    memset(s->slope.M, 0, (size_t)s->size * sizeof(double));
    for (int k = 0; k < from->count; k++) s->slope.M[from->at[k]] = from->value[k];
}

double sari_al3_slopes_sum(const sari_al3_constants* s, const sari_al3_slopes* slopes)
{
    double sum = 0.0;
    for (int k = 0; k < slopes->count; k++) sum -= s->factor.M[slopes->at[k]] * slopes->value[k];
    return sum;
}

/* Row by row: its gradient with the slopes in the place of the numbers. */
static void add_row_terms(const sari_al3_constants* s, const sari_step_map* map, int row,
                          sari_step_terms* out)
{
    const sari_step_record* r = &map->at;
    const sari_quadratics* f = &map->slopes.sys->compiled;
    double twice = 0.0, rate = 0.0, second = 0.0;
    for (int e = f->p[row]; e < f->p[row + 1]; e++) {
        const int i = f->entry[e].i;
        double g = s->slope.b[e], along = 0.0;
        for (int t = f->h[e]; t < f->h[e + 1]; t++) {
            g += s->slope.H[t] * r->q[f->term[t].i];
            along += s->slope.H[t] * r->v[f->term[t].i];
        }
        out->F[i] += r->lambda[row] * g;
        out->N[i] += r->nu[row] * g;
        out->A[i] += r->kappa[row] * g;
        twice += r->q[i] * (s->slope.b[e] + g);
        rate += r->v[i] * g;
        second += r->a[i] * g + r->v[i] * along;
    }
    out->Phi[row] = s->slope.c[row] + 0.5 * twice;
    out->rate[row] = rate;
    out->second[row] = second;
}

void sari_al3_constants_terms(const sari_al3_constants* s, const sari_step_map* map,
                              sari_step_terms* out)
{
    const sari_step_record* r = &map->at;
    const sari_sym* M = &map->slopes.sys->M;
    const int n = out->nq;
    sari_sym_multiply(M, s->slope.M, r->a_star, out->F);
    for (int i = 0; i < n; i++) out->F[i] -= s->slope.Q[i];
    for (int i = 0; i < n; i++) out->work[i] = r->v[i] - r->v_star[i];
    sari_sym_multiply(M, s->slope.M, out->work, out->N);
    for (int i = 0; i < n; i++) out->work[i] = r->a[i] - r->a_star[i];
    sari_sym_multiply(M, s->slope.M, out->work, out->A);
    for (int row = 0; row < out->nc; row++) add_row_terms(s, map, row, out);
}

/* ---- straight lines ------------------------------------------------------------------------- */

static int straight(double own, double more, double less)
{
    return fabs(more + less - 2.0 * own) <=
           fmax(ROUNDING * fabs(own), STRAIGHT * fabs(more - less));
}

int sari_al3_constants_straight(const sari_al3_constants* s, const sari_system* own,
                                const sari_system* more, const sari_system* less)
{
    const sari_quadratics *f = &own->compiled, *g = &more->compiled, *h = &less->compiled;
    const int entries = s->serves ? f->p[f->rows] : 0;
    int all = s->serves;
    for (int k = 0; all && k < own->M.p[own->nq]; k++)
        all = straight(own->M.x[k], more->M.x[k], less->M.x[k]);
    for (int r = 0; all && r < f->rows; r++) all = straight(f->row[r].c, g->row[r].c, h->row[r].c);
    for (int e = 0; all && e < entries; e++)
        all = straight(f->entry[e].b, g->entry[e].b, h->entry[e].b);
    for (int t = 0; all && t < f->h[entries]; t++)
        all = straight(f->term[t].c, g->term[t].c, h->term[t].c);
    for (int i = 0; all && i < own->nq; i++)
        all = straight(own->gravity[i], more->gravity[i], less->gravity[i]);
    return all;
}
