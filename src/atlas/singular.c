/* Singular configurations of two degrees of freedom as curves: a velocity v that the constraints allow and that two quantities
 * y do not see,
 *
 *     phi(q) = 0,   J(q) v = 0,   dy_i(q) v = 0,   (v.v - 1)/2 = 0      in (q, v)                (10)
 *
 * [gosselin1990]. With inputs for y it is of the second kind, with the coordinates of a point of the first: the boundary of its
 * workspace. (10) is a system as that of locus.h is, and is mapped by the same code. (q, v) and (q, -v) are one. */
#include "atlas/values.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/random.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STEP = 1e-4;

typedef struct extension {
    sar_map* map;
    int y[2];        ///< quantities
    double* Jv;      ///< of the constraints
    double *phi, *J; ///< likewise
    double *q, *v;
} extension;

/* Rates of both quantities at q along v, in units of the model. */
static void rates(extension* x, const double* q, const double* v, double out[2])
{
    sari_values* values = x->map->values;
    sari_values_eval(x->map, q, v);
    for (int i = 0; i < 2; i++)
        out[i] = values->rate[x->y[i]] /
                 (values->quantity[x->y[i]].is_angle ? 1.0 : x->map->locus.start->units.length);
}

/* The rows dy_i v, with their derivatives by q and by v. */
static void fill_rates(extension* x, const double* q, const double* v, double* phi, double* J)
{
    sari_locus* l = &x->map->locus;
    const int n = l->base;
    const size_t columns = (size_t)l->n;
    double ahead[2], behind[2];
    rates(x, q, v, phi);
    memcpy(x->q, q, (size_t)n * sizeof *q);
    memset(x->v, 0, (size_t)n * sizeof *v);
    for (int j = 0; j < n; j++) {
        x->q[j] = q[j] + STEP;
        rates(x, x->q, v, ahead);
        x->q[j] = q[j] - STEP;
        rates(x, x->q, v, behind);
        x->q[j] = q[j];
        for (int i = 0; i < 2; i++)
            J[(size_t)i * columns + (size_t)j] = (ahead[i] - behind[i]) / (2.0 * STEP);
        x->v[j] = 1.0;
        rates(x, q, x->v, ahead);
        x->v[j] = 0.0;
        for (int i = 0; i < 2; i++) J[(size_t)i * columns + (size_t)(n + j)] = ahead[i];
    }
}

/* (10) and its Jacobian at X = (q, v). */
static double evaluate(sari_locus* l, const double* X)
{
    extension* x = l->context;
    const size_t n = (size_t)l->base, m = (size_t)l->base_m, columns = (size_t)l->n;
    const double *q = X, *v = X + n;
    double* phi = l->phi;
    if (isnan(sari_locus_constraints(l, q, x->phi, x->J))) return NAN;
    sari_locus_constraint_rate(l, q, v, x->Jv);
    memset(l->J, 0, (size_t)l->m * columns * sizeof(double));
    for (size_t r = 0; r < m; r++) {
        phi[r] = x->phi[r];
        phi[m + r] = sari_vector_dot((int)n, x->J + r * n, v);
        memcpy(l->J + r * columns, x->J + r * n, n * sizeof(double));
        memcpy(l->J + (m + r) * columns, x->Jv + r * n, n * sizeof(double));
        memcpy(l->J + (m + r) * columns + n, x->J + r * n, n * sizeof(double));
    }
    fill_rates(x, q, v, phi + 2 * m, l->J + 2 * m * columns);
    phi[2 * m + 2] = 0.5 * (sari_vector_dot((int)n, v, v) - 1.0);
    memcpy(l->J + (2 * m + 2) * columns + n, v, n * sizeof(double));
    return sari_vector_max(l->m, phi);
}

/* From a configuration: a velocity that the constraints allow, at random, and Newton's method. */
static int complete(sari_locus* l, double* X)
{
    const size_t n = (size_t)l->base;
    double* v = X + n;
    sari_fill_at_random(&l->random, v, n);
    sari_vector_normalise((int)n, v);
    const sari_guide free = {SARI_FREE, NULL, NULL, 0.0};
    return sari_locus_correct(l, &free, 6.0, X);
}

static int find_quantity(const sari_values* values, const char* name)
{
    for (int k = 0; k < values->count; k++)
        if (strcmp(values->quantity[k].name, name) == 0) return k;
    return -1;
}

static sar_status add_point(sar_map* map, const sar_map_singular* what, extension* x,
                            sar_error* error)
{
    sari_values* values = map->values;
    const sari_mechanism* m = map->locus.sys->mechanism;
    const double unit = map->locus.start->units.length;
    if (what->body.i <= 0 || what->body.i >= m->bodies)
        return sari_fail(error, SAR_E_ARG, NULL, "the point has to belong to a body that moves");
    if (m->dimension != 2)
        return sari_fail(error, SAR_E_INCOMPAT, NULL,
                         "the boundary of a workspace is to be had in planar models alone");
    sar_end point = {.body = what->body};
    for (int i = 0; i < 3; i++) point.point[i] = what->point[i] / unit;
    for (int i = 0; i < 2; i++) {
        x->y[i] = values->count;
        if (!sari_values_add_point(values, &point, i, what->name ? what->name : "point"))
            return SAR_E_NOMEM;
    }
    return SAR_OK;
}

static sar_status find_both(sar_map* map, const sar_map_singular* what, extension* x,
                            sar_error* error)
{
    if (!what->input[0] || !what->input[1]) return add_point(map, what, x, error);
    for (int i = 0; i < 2; i++) {
        x->y[i] = find_quantity(map->values, what->input[i]);
        if (x->y[i] < 0)
            return sari_fail(error, SAR_E_ARG, NULL,
                             "there is no coordinate \"%s\"; there is \"%s\", for example",
                             what->input[i],
                             map->values->count ? map->values->quantity[0].name : "none");
    }
    return SAR_OK;
}

static sar_status extend(sar_map* map, const sar_map_singular* what, sar_error* error)
{
    sari_locus* l = &map->locus;
    SARI_TRY(sari_map_room(map));
    if (!sari_locus_drawn(l, map->start)) return SAR_E_ASSEMBLY;
    const sari_local local = sari_local_at(map, map->start, 0.02);
    if (!local.regular || local.dimension != 2)
        return sari_fail(
            error, SAR_E_INCOMPAT, NULL,
            "singularity curves are those of two degrees of freedom; the drawn start has %d",
            local.nullity);
    SARI_TRY(sari_values_create(map));
    extension* x = SARI_TAKE(&map->memory, extension, 1);
    const size_t n = (size_t)l->base, m = (size_t)l->base_m;
    if (!x) return SAR_E_NOMEM;
    *x = (extension){.map = map};
    SARI_TRY(find_both(map, what, x, error));
    x->Jv = SARI_TAKE(&map->memory, double, m* n + 1);
    x->J = SARI_TAKE(&map->memory, double, m* n + 1);
    x->phi = SARI_TAKE(&map->memory, double, m + 1);
    x->q = SARI_TAKE(&map->memory, double, n + 1);
    x->v = SARI_TAKE(&map->memory, double, n + 1);
    if (map->memory.failed || !sari_locus_extend(l, 2 * l->base, 2 * l->base_m + 3))
        return SAR_E_NOMEM;
    l->context = x, l->extend = evaluate, l->seed = complete;
    map->twofold = 1;
    SARI_TRY(sari_map_room(map));
    SARI_TRY(sari_explore(map));
    map->values->input = -1;
    SARI_TRY(sari_map_show(map));
    return sari_regions_find(map, x->y);
}

sar_status sar_map_create_singular(const sar_model* model, const sar_map_singular* what,
                                   const sar_map_options* options, sar_map** out, sar_error* error)
{
    *out = NULL;
    sar_map* map = SARI_NEW(sar_map);
    if (!map) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    map->options = options ? *options : sar_map_options_default();
    sar_status st = sari_locus_create(model, 0, &map->locus, error);
    if (st == SAR_OK) {
        st = extend(map, what, error);
        if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the map");
    }
    if (st == SAR_OK)
        *out = map;
    else
        sar_map_destroy(map);
    return st;
}
