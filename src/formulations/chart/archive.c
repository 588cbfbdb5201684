/* What a chart knows from step to step, and what evaluations within the last one need: the base, the place
 * that was evaluated last and the points from which others are predicted. Left out is scratch, and what
 * is set before it is used in every step: sums, frames of singular values, the base kept beside a crossing. */
#include "formulations/chart/sparse.h"

#include <math.h>

static void archive_point(sari_chart* c, sari_chart_point* p, sari_archive* a)
{
    const size_t d = (size_t)c->d, w = (size_t)c->nw;
    SARI_ARCHIVE_NUMBERS(a, &p->t);
    sari_archive_numbers(a, p->z, d);
    sari_archive_numbers(a, p->zd, d);
    sari_archive_numbers(a, p->w, w);
    sari_archive_numbers(a, p->w_t, w);
    sari_archive_numbers(a, p->e, w);
    sari_archive_numbers(a, p->D, w * d);
    sari_archive_numbers(a, p->T, (size_t)c->n * d);
}

/* How many motions there are, which algebra follows them, and room for that. */
static void archive_size(sari_chart* c, sari_archive* a)
{
    const int n = c->n, least = n < c->nh ? n : c->nh;
    const int dense = sari_archive_flag(a, c->engine == &sari_chart_engine_dense);
    c->r = sari_archive_range(a, c->r, 0, least);
    c->d = sari_archive_range(a, c->d, 0, n - c->r);
    c->f.rows = sari_archive_range(a, c->f.rows, 0, c->nh);
    c->f.cols = sari_archive_range(a, c->f.cols, 0, n);
    c->cache.points = sari_archive_range(a, c->cache.points, 0, SARI_CHART_POINTS);
    c->cache.oldest = sari_archive_range(a, c->cache.oldest, 0, SARI_CHART_POINTS - 1);
    c->watch.count =
        sari_archive_range(a, c->watch.count, 0, (int)(sizeof c->watch.at / sizeof *c->watch.at));
    if (!sari_archive_reads(a)) return;
    c->nw = dense ? c->r : n;
    if (dense ? sari_chart_take_dense(c) : sari_chart_take_sparse(c, c->d))
        a->failed = 1;
    else
        c->engine->lay_points(c);
}

static void archive_numbers(sari_chart* c, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &c->felt_known, &c->shapes, &c->base.metric_known, &c->base.regularised,
                      &c->base.massive, &c->singular.measured, &c->refinements, &c->touching,
                      &c->bridged, &c->rough, &c->start.ambiguous, &c->start.singular,
                      &c->start.deficiency, &c->no_mass);
    SARI_ARCHIVE_LONGS(a, &c->factors);
    SARI_ARCHIVE_NUMBERS(a, &c->Omega, &c->base.t, &c->base.ell, &c->base.usual, &c->base.tangent_t,
                         &c->singular.sigma, &c->singular.sigma_usual, &c->singular.warm_sigma,
                         &c->singular.delta, &c->singular.slope, &c->singular.along_time,
                         &c->singular.along_turn, &c->failed_at);
    c->failure = (sari_chart_outcome)sari_archive_range(a, (int)c->failure, SARI_CHART_OK,
                                                        SARI_CHART_UNDEFINED);
    for (int k = 0; k < c->watch.count; k++) {
        sari_rank_sample* sample = &c->watch.at[k];
        SARI_ARCHIVE_NUMBERS(a, &sample->t, &sample->sigma, &sample->product, &sample->log);
    }
}

static void archive_vectors(sari_chart* c, sari_archive* a)
{
    double* const positions[] = {c->q_first, c->base.q, c->base.tangent_q, c->q, c->q_rows};
    double* const velocities[] = {c->unit,
                                  c->x,
                                  c->v,
                                  c->a,
                                  c->u,
                                  c->ud,
                                  c->zdd,
                                  c->singular.along,
                                  c->side.v,
                                  c->side.a,
                                  c->singular.warm};
    for (size_t k = 0; k < sizeof positions / sizeof *positions; k++)
        sari_archive_numbers(a, positions[k], (size_t)c->np);
    for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k++)
        sari_archive_numbers(a, velocities[k], (size_t)c->n);
    sari_archive_bytes(a, c->felt, (size_t)c->n);
    sari_archive_numbers(a, c->row, (size_t)c->nh);
    sari_archive_numbers(a, c->scale, (size_t)c->sys->states);
    sari_archive_numbers(a, c->singular.right, (size_t)c->nw);
    sari_archive_numbers(a, c->singular.left, (size_t)c->nh);
    sari_archive_numbers(a, c->A_inv, 9 * (size_t)c->turns);
    sari_archive_numbers(a, c->lambda, (size_t)(c->nh + c->mv));
}

static void archive_notes(sari_chart* c, sari_archive* a)
{
    for (int k = 0; k < SARI_FIRST_ORDER_NOTES; k++) {
        sari_chart_note* note = &c->note[k];
        note->valid = sari_archive_flag(a, note->valid);
        if (!note->valid) continue;
        sari_archive_numbers(a, note->q, (size_t)c->np);
        sari_archive_numbers(a, note->v, (size_t)c->n);
        sari_archive_numbers(a, note->T, (size_t)(c->n * c->d));
    }
}

static void archive_dense(sari_chart* c, sari_archive* a)
{
    const size_t n = (size_t)c->n, r = (size_t)c->r;
    sari_archive_numbers(a, c->base.W, n * r);
    sari_archive_numbers(a, c->base.GW, n * r);
    if (c->base.metric_known) sari_archive_numbers(a, c->base.L, n * n);
    if (c->turns) {
        sari_archive_numbers(a, c->AW, n * r);
        sari_archive_numbers(a, c->AV, n * (size_t)c->d);
    }
    sari_archive_numbers(a, c->f.A, (size_t)(c->f.rows * c->f.cols));
    sari_archive_numbers(a, c->f.tau, (size_t)c->f.cols);
    sari_archive_numbers(a, c->f.right, (size_t)c->f.cols);
    sari_archive_numbers(a, c->f.left, (size_t)c->f.rows);
    SARI_ARCHIVE_NUMBERS(a, &c->f.smallest, &c->f.largest);
}

static void archive_sparse(sari_chart* c, sari_archive* a)
{
    sari_chart_sparse* s = c->sparse;
    const size_t nd = (size_t)c->n * (size_t)c->d;
    SARI_ARCHIVE_INTS(a, &s->same_metric, &s->reselect);
    for (int j = 0; j < c->d; j++)
        s->selected[j] = sari_archive_range(a, s->selected[j], 0, c->n - 1);
    sari_archive_numbers(a, s->G.x, (size_t)s->G.p[c->n]);
    sari_archive_numbers(a, s->J.x, (size_t)s->J.p[c->nh]);
    sari_archive_numbers(a, s->GT, nd);
    sari_archive_numbers(a, s->MT, nd);
    sari_constrained_archive(&s->N, a, 1);
}

void sari_chart_archive(void* self, sari_archive* a)
{
    sari_chart* c = self;
    if (!sari_archive_flag(a, c->at.T != NULL)) { // no run has begun
        if (sari_archive_reads(a))
            c->singular.sigma_usual = 0.0, c->felt_known = 0, c->base.tangent_t = NAN;
        return;
    }
    archive_size(c, a);
    if (a->failed) return;
    const size_t nd = (size_t)c->n * (size_t)c->d;
    archive_numbers(c, a);
    archive_vectors(c, a);
    archive_notes(c, a);
    sari_archive_numbers(a, c->base.V, nd);
    sari_archive_numbers(a, c->base.GV, nd);
    sari_archive_numbers(a, c->base.tangent, nd);
    sari_archive_numbers(a, c->C, (size_t)(c->d * c->d));
    if (c->engine == &sari_chart_engine_dense)
        archive_dense(c, a);
    else
        archive_sparse(c, a);
    archive_point(c, &c->at, a);
    for (int k = 0; k < c->cache.points; k++) archive_point(c, &c->cache.point[k], a);
}
