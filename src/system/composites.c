/* Scalars that are functions of scalars, c = f(s_1, ..., s_n), by an expression of the model:
 *
 *     grad c = sum_i f_i grad s_i                                                             (1)
 *     d2c/dt2 = sum_i f_i d2s_i/dt2 + sum_ij f_ij ds_i/dt ds_j/dt                             (2)
 *     d(grad c)/dt = sum_i f_i d(grad s_i)/dt + sum_ij f_ij ds_j/dt grad s_i                  (3)
 *     d2c/dq2 = sum_i f_i d2s_i/dq2 + sum_ij f_ij grad s_i (grad s_j)'                        (4)
 *
 * Expressions know f_i and their second derivatives along any direction; f_ij follows from those along
 * e_i, e_j and e_i + e_j. */
#include "system/kinematics.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = SARI_POSITION_SIGNALS };

/// f, f_i and f_ij at the present scalars; those that are not asked for are left out.
typedef struct slopes {
    double f, by[MOST], second[MOST][MOST];
} slopes;

static double along(const sari_kinematics* k, const sari_composite* c)
{
    double series[3];
    sari_expression_series_along(c->f, k->composite_at, k->composite_direction, series);
    return series[2];
}

static void find_second(const sari_kinematics* k, const sari_composite* c, slopes* out)
{
    double* d = k->composite_direction;
    for (int i = 0; i < c->terms; i++) {
        d[c->variable[i]] = 1.0;
        out->second[i][i] = along(k, c);
        d[c->variable[i]] = 0.0;
    }
    for (int i = 0; i < c->terms; i++)
        for (int j = 0; j < i; j++) {
            d[c->variable[i]] = d[c->variable[j]] = 1.0;
            const double both = along(k, c);
            d[c->variable[i]] = d[c->variable[j]] = 0.0;
            out->second[i][j] = out->second[j][i] =
                0.5 * (both - out->second[i][i] - out->second[j][j]);
        }
}

static const sari_composite* composite_of(const sari_kinematics* k, int scalar)
{
    return &k->coordinates->mechanism->composites[k->scalar[scalar].a];
}

static void find_slopes(const sari_kinematics* k, const sari_composite* c, int second, slopes* out)
{
    for (int i = 0; i < c->terms; i++)
        k->composite_at[c->variable[i]] = sari_scalar_value_of(k, c->scalar[i]);
    out->f = sari_expression_gradient(c->f, k->composite_at, out->by); // in the order of variables
    if (second) find_second(k, c, out);
}

double sari_composite_value(const sari_kinematics* k, int scalar)
{
    const sari_composite* c = composite_of(k, scalar);
    for (int i = 0; i < c->terms; i++)
        k->composite_at[c->variable[i]] = sari_scalar_value_of(k, c->scalar[i]);
    return sari_expression_value(c->f, k->composite_at);
}

int sari_composite_slopes(const sari_kinematics* k, int scalar, const int** scalars, double* by)
{
    const sari_composite* c = composite_of(k, scalar);
    slopes f;
    find_slopes(k, c, 0, &f);
    memcpy(by, f.by, (size_t)c->terms * sizeof *by);
    *scalars = c->scalar;
    return c->terms;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static int compare(const void* a, const void* b)
{
    return *(const int*)a - *(const int*)b;
}

sar_status sari_composite_list(sari_kinematics* k, int scalar)
{
    const sari_composite* c = composite_of(k, scalar);
    sari_term_list* all = &k->scalar_depends[scalar];
    int total = 0, n = 0;
    for (int i = 0; i < c->terms; i++) total += k->scalar_depends[c->scalar[i]].n;
    all->i = SARI_TAKE(k->memory, int, total);
    int* at = k->scalar_map[scalar] = SARI_TAKE(k->memory, int, total);
    if (k->memory->failed) return SAR_E_NOMEM;
    for (int i = 0; i < c->terms; i++)
        for (int e = 0; e < k->scalar_depends[c->scalar[i]].n; e++)
            all->i[n++] = k->scalar_depends[c->scalar[i]].i[e];
    if (n) qsort(all->i, (size_t)n, sizeof *all->i, compare);
    for (int e = 0; e < n; e++)
        if (all->n == 0 || all->i[all->n - 1] != all->i[e]) all->i[all->n++] = all->i[e];
    for (int i = 0; i < c->terms; i++)
        for (int e = 0; e < k->scalar_depends[c->scalar[i]].n; e++) {
            const int* found = bsearch(&k->scalar_depends[c->scalar[i]].i[e], all->i,
                                       (size_t)all->n, sizeof *all->i, compare);
            *at++ = (int)(found - all->i);
        }
    return SAR_OK;
}

sar_status sari_composites_make_room(sari_kinematics* k)
{
    const sari_mechanism* m = k->coordinates->mechanism;
    const int variables = SARI_VARIABLE_SIGNAL + m->model->signals_count;
    if (m->composites_count == 0) return SAR_OK;
    k->composite_at = SARI_TAKE(k->memory, double, variables);
    k->composite_direction = SARI_TAKE(k->memory, double, variables);
    k->composite_g = SARI_TAKE(k->memory, double, MOST * k->longest);
    k->composite_H = SARI_TAKE(k->memory, double, 2 * k->longest * k->longest);
    return k->memory->failed ? SAR_E_NOMEM : SAR_OK;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* The scalars of c, their gradients one after the other in composite_g. */
static void search(const sari_kinematics* k, const sari_composite* c, int level,
                   sari_scalar_value* value)
{
    double* g = k->composite_g;
    for (int i = 0; i < c->terms; i++) {
        value[i] = (sari_scalar_value){.g = g};
        sari_scalar_eval(k, c->scalar[i], level, &value[i]);
        g += k->scalar_depends[c->scalar[i]].n;
    }
}

static double quadratic(const sari_composite* c, const slopes* f, const sari_scalar_value* value)
{
    double sum = 0.0;
    for (int i = 0; i < c->terms; i++)
        for (int j = 0; j < c->terms; j++) sum += f->second[i][j] * value[i].rate * value[j].rate;
    return sum;
}

sar_status sari_composite_eval(const sari_kinematics* k, int scalar, int level,
                               sari_scalar_value* out)
{
    const sari_composite* c = composite_of(k, scalar);
    const int* at = k->scalar_map[scalar];
    sari_scalar_value value[MOST];
    slopes f;
    find_slopes(k, c, level > 1, &f);
    search(k, c, level, value);
    memset(out->g, 0, (size_t)k->scalar_depends[scalar].n * sizeof *out->g);
    out->value = f.f;
    out->rate = 0.0;
    out->bias = level > 1 ? quadratic(c, &f, value) : 0.0; // (2)
    for (int i = 0; i < c->terms; i++) {
        const int n = k->scalar_depends[c->scalar[i]].n;
        for (int e = 0; e < n; e++) out->g[at[e]] += f.by[i] * value[i].g[e]; // (1)
        if (level) out->rate += f.by[i] * value[i].rate;
        if (level > 1) out->bias += f.by[i] * value[i].bias;
        at += n;
    }
    return SAR_OK;
}

void sari_composite_gradient_rate(const sari_kinematics* k, int scalar, double* g)
{
    const sari_composite* c = composite_of(k, scalar);
    const int* at = k->scalar_map[scalar];
    sari_scalar_value value[MOST];
    double* rate = k->composite_H;
    slopes f;
    find_slopes(k, c, 1, &f);
    search(k, c, 1, value);
    memset(g, 0, (size_t)k->scalar_depends[scalar].n * sizeof *g);
    for (int i = 0; i < c->terms; i++) {
        const int n = k->scalar_depends[c->scalar[i]].n;
        double turn = 0.0;
        for (int j = 0; j < c->terms; j++) turn += f.second[i][j] * value[j].rate;
        sari_scalar_gradient_rate(k, c->scalar[i], rate);
        for (int e = 0; e < n; e++) g[at[e]] += f.by[i] * rate[e] + turn * value[i].g[e]; // (3)
        at += n;
    }
}

/* H += w g h', spread */
static void add_product(double w, int n, const int* at, const double* g, int rows, const int* at_h,
                        const double* h, int cols, double* H)
{
    if (w == 0.0) return;
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < cols; b++) H[n * at[a] + at_h[b]] += w * g[a] * h[b];
}

void sari_composite_hessian(const sari_kinematics* k, int scalar, double* H)
{
    const sari_composite* c = composite_of(k, scalar);
    const int n = k->scalar_depends[scalar].n, *at = k->scalar_map[scalar];
    double *own = k->composite_H, *work = own + k->longest * k->longest;
    sari_scalar_value value[MOST];
    slopes f;
    find_slopes(k, c, 1, &f);
    search(k, c, 0, value);
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    for (int i = 0; i < c->terms; i++) { // (4)
        const int rows = k->scalar_depends[c->scalar[i]].n, *at_j = k->scalar_map[scalar];
        sari_scalar_hessian(k, c->scalar[i], NULL, own, work);
        for (int a = 0; a < rows; a++)
            for (int b = 0; b < rows; b++) H[n * at[a] + at[b]] += f.by[i] * own[rows * a + b];
        for (int j = 0; j < c->terms; j++) {
            const int cols = k->scalar_depends[c->scalar[j]].n;
            add_product(f.second[i][j], n, at, value[i].g, rows, at_j, value[j].g, cols, H);
            at_j += cols;
        }
        at += rows;
    }
}
