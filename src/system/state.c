#include "system/equations.h"

#include <string.h>

void sari_state_take(sari_state* s, sari_arena* memory, const sari_equations* system, int momenta)
{
    const int n = system->nq, m = system->nc;
    *s = (sari_state){.np = system->np, .n = n, .m = m};
    s->q = SARI_TAKE(memory, double, s->np);
    s->v = SARI_TAKE(memory, double, n);
    s->a = SARI_TAKE(memory, double, n);
    s->lambda = SARI_TAKE(memory, double, m);
    s->p = momenta ? SARI_TAKE(memory, double, n) : s->v;
    s->pdot = momenta ? SARI_TAKE(memory, double, n) : s->a;
    if (momenta) s->sigma = SARI_TAKE(memory, double, m);
    if (momenta) s->integral = SARI_TAKE(memory, double, m);
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

void sari_state_archive(sari_state* s, sari_archive* a)
{
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    SARI_ARCHIVE_NUMBERS(a, &s->t);
    sari_archive_numbers(a, s->q, (size_t)s->np);
    sari_archive_numbers(a, s->v, n);
    sari_archive_numbers(a, s->a, n);
    sari_archive_numbers(a, s->lambda, m);
    if (s->p == s->v) return;
    sari_archive_numbers(a, s->p, n);
    sari_archive_numbers(a, s->pdot, n);
    sari_archive_numbers(a, s->sigma, m);
    sari_archive_numbers(a, s->integral, m);
}
