#include "base/memory.h"
#include "system/equations.h"

#include <string.h>

int sari_state_create(sari_state* s, const sari_equations* system, int momenta)
{
    const int n = system->nq, m = system->nc;
    *s = (sari_state){.np = system->np, .n = n, .m = m};
    s->q = SARI_NEW_ARRAY(double, s->np);
    s->v = SARI_NEW_ARRAY(double, n);
    s->a = SARI_NEW_ARRAY(double, n);
    s->lambda = SARI_NEW_ARRAY(double, m);
    s->p = momenta ? SARI_NEW_ARRAY(double, n) : s->v;
    s->pdot = momenta ? SARI_NEW_ARRAY(double, n) : s->a;
    int ok = s->q && s->v && s->a && s->lambda && s->p && s->pdot;
    if (!momenta) return ok;
    s->sigma = SARI_NEW_ARRAY(double, m);
    s->integral = SARI_NEW_ARRAY(double, m);
    return ok && s->sigma && s->integral;
}

void sari_state_clear(sari_state* s)
{
    if (s->p != s->v) sari_release(s->p);
    if (s->pdot != s->a) sari_release(s->pdot);
    sari_release(s->q);
    sari_release(s->v);
    sari_release(s->a);
    sari_release(s->lambda);
    sari_release(s->sigma);
    sari_release(s->integral);
    *s = (sari_state){0};
}

void sari_state_copy(sari_state* to, const sari_state* from)
{
    size_t bytes = (size_t)from->n * sizeof(double), rows = (size_t)from->m * sizeof(double);
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)from->np * sizeof(double));
    memcpy(to->v, from->v, bytes);
    memcpy(to->a, from->a, bytes);
    memcpy(to->lambda, from->lambda, rows);
    if (from->p == from->v) return;
    memcpy(to->p, from->p, bytes);
    memcpy(to->pdot, from->pdot, bytes);
    memcpy(to->sigma, from->sigma, rows);
    memcpy(to->integral, from->integral, rows);
}
