/* The list of coordinate types, and code that they share. */
#include "base/memory.h"
#include "base/status.h"
#include "coordinates/tree.h"
#include "math/rotation.h"
#include "system/coordinates.h"

#include <string.h>

const sari_coordinates_ops* const sari_coordinates_types[] = {
    &sari_coordinates_natural, &sari_coordinates_cartesian, &sari_coordinates_increments,
    &sari_coordinates_relative, NULL};

const sari_coordinates_ops* sari_coordinates_find(const char* name)
{
    for (int k = 0; sari_coordinates_types[k]; k++)
        if (strcmp(sari_coordinates_types[k]->name, name) == 0) return sari_coordinates_types[k];
    return NULL;
}

/* The drawn start. */
static sar_status set_start(sari_coordinates* c)
{
    const sari_mechanism* m = c->mechanism;
    double* w = SARI_NEW_ARRAY(double, 3 * m->bodies);
    c->q0 = SARI_TAKE(&c->memory, double, c->np);
    c->v0 = SARI_TAKE(&c->memory, double, c->nq);
    int ok = w && !c->memory.failed;
    for (int b = 1; ok && b < m->bodies; b++)
        memcpy(w + 3 * b, m->model->bodies[b].def.angular_velocity, 3 * sizeof *w);
    if (ok) c->ops->from_placement(c, m->X0, m->Xd0, w, c->q0, c->v0);
    sari_release(w);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

sar_status sari_coordinates_create(const sari_coordinates_ops* ops, const sari_mechanism* mechanism,
                                   sari_coordinates* c, sar_error* error)
{
    memset(c, 0, sizeof *c);
    c->ops = ops;
    c->mechanism = mechanism;
    c->threads = 1;
    c->evaluator = &sari_evaluator_chain;
    c->X0 = SARI_TAKE(&c->memory, double, mechanism->nx * mechanism->bodies);
    c->body = SARI_TAKE(&c->memory, sari_body_map, mechanism->bodies);
    c->met = SARI_TAKE(&c->memory, char, mechanism->conditions_count);
    sar_status st = c->memory.failed ? SAR_E_NOMEM : ops->create(c, error);
    if (c->np == 0) c->np = c->nq;
    c->states = mechanism->states;
    c->np += c->states;
    c->nq += c->states;
    if (st == SAR_OK) st = set_start(c);
    if (st == SAR_E_NOMEM)
        sari_fail(error, st, NULL, "out of memory for %s coordinates", ops->name);
    if (st != SAR_OK) sari_coordinates_clear(c);
    return st;
}

void sari_coordinates_move(const sari_coordinates* c, const double* q0, const double* d, double* q)
{
    const int p = c->np - c->states, n = c->nq - c->states;
    if (c->ops->move)
        c->ops->move(c, q0, d, q);
    else
        for (int i = 0; i < n; i++) q[i] = q0[i] + d[i];
    for (int i = 0; i < c->states; i++) q[p + i] = q0[p + i] + d[n + i];
}

void sari_coordinates_difference(const sari_coordinates* c, const double* q0, const double* q,
                                 double* d)
{
    const int p = c->np - c->states, n = c->nq - c->states;
    if (c->ops->difference)
        c->ops->difference(c, q0, q, d);
    else
        for (int i = 0; i < n; i++) d[i] = q[i] - q0[i];
    for (int i = 0; i < c->states; i++) d[n + i] = q[p + i] - q0[p + i];
}

/* Along exp(d), x turns back by it: x - sin/a d x x + (1 - cos)/a^2 d x (d x x), a = |d|. */
static void turn_back(const double d[3], double x[3])
{
    double cosine, sinc, once[3], twice[3];
    const double square = sari_dot(d, d);
    sari_cosine_and_sinc(square, &cosine, &sinc);
    const double second = square > 0.0 ? (1.0 - cosine) / square : 0.5;
    sari_cross(d, x, once);
    sari_cross(d, once, twice);
    for (int k = 0; k < 3; k++) x[k] += second * twice[k] - sinc * once[k];
}

void sari_coordinates_carry(const sari_coordinates* c, const double* d, double* x)
{
    for (int i = 0; c->turns && i < c->nq - c->states; i++)
        if (c->turns[i] == 1) turn_back(d + i, x + i);
}

void sari_coordinates_position_rates(const sari_coordinates* c, const double* q, const double* v,
                                     double* qdot)
{
    const int p = c->np - c->states, n = c->nq - c->states;
    if (c->ops->position_rates)
        c->ops->position_rates(c, q, v, qdot);
    else
        for (int i = 0; i < n; i++) qdot[i] = v[i];
    for (int i = 0; i < c->states; i++) qdot[p + i] = v[n + i];
}

void sari_coordinates_velocities(const sari_coordinates* c, const double* q, const double* qdot,
                                 double* v)
{
    const int p = c->np - c->states, n = c->nq - c->states;
    if (c->ops->velocities)
        c->ops->velocities(c, q, qdot, v);
    else
        for (int i = 0; i < n; i++) v[i] = qdot[i];
    for (int i = 0; i < c->states; i++) v[n + i] = qdot[p + i];
}

void sari_coordinates_normalise(const sari_coordinates* c, double* q)
{
    if (c->ops->normalise) c->ops->normalise(c, q);
}

void sari_coordinates_clear(sari_coordinates* c)
{
    sari_tree_destroy(c->tree);
    sari_release(c->own_body);
    sari_release(c->reading);
    sari_polynomials_clear(&c->own);
    sari_arena_clear(&c->memory);
    memset(c, 0, sizeof *c);
}

int sari_body_map_init(sari_coordinates* c, int b, int nq, const int* q, int second)
{
    sari_body_map* map = &c->body[b];
    int nx = c->mechanism->nx;
    map->nq = nq;
    map->q = sari_arena_copy(&c->memory, q, (size_t)nq, sizeof *q);
    map->T = SARI_TAKE(&c->memory, double, nx* nq);
    if (second) map->D2 = SARI_TAKE(&c->memory, double, nx* nq* nq);
    return !c->memory.failed;
}

int sari_coordinates_own(sari_coordinates* c, int body)
{
    int newest = c->own.count - 1;
    if (!sari_grow((void**)&c->own_body, newest, &c->own_capacity, sizeof *c->own_body)) return 0;
    c->own_body[newest] = body;
    return 1;
}
