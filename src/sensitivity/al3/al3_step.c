#include "sensitivity/al3/al3_step.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LEFT =
    1e-9; ///< of the terms that cancel: a step that does not solve its equations

static const double ROUNDINGS = 16.0; ///< of places

sar_status sari_step_map_create(sari_step_map* s, sari_system* sys, double unit)
{
    const int n = sys->nq, m = sys->nc;
    memset(s, 0, sizeof *s);
    sar_status st = sari_slopes_create(&s->slopes, sys, unit);
    if (st == SAR_OK) st = sari_saddle_create(&s->step, &s->slopes);
    if (st == SAR_OK) st = sari_saddle_create(&s->mass, &s->slopes);
    double** of_motion[] = {&s->x1,     &s->x2,     &s->x3, &s->m, &s->l,
                            &s->v_star, &s->a_star, &s->f,  &s->d, &s->z};
    double** of_rows[] = {&s->y1, &s->y2, &s->y3, &s->g, &s->mu};
    for (size_t k = 0; k < sizeof of_motion / sizeof *of_motion; k++)
        *of_motion[k] = SARI_TAKE(&s->memory, double, n);
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = SARI_TAKE(&s->memory, double, m);
    sari_terms_take(&s->left, &s->memory, sys);
    if (st == SAR_OK && s->memory.failed) st = SAR_E_NOMEM;
    if (st != SAR_OK) sari_step_map_clear(s);
    return st;
}

void sari_step_map_clear(sari_step_map* s)
{
    sari_saddle_clear(&s->step);
    sari_saddle_clear(&s->mass);
    sari_slopes_clear(&s->slopes);
    sari_arena_clear(&s->memory);
    memset(s, 0, sizeof *s);
}

/* ---- matrices ------------------------------------------------------------------------------- */

/* out += f A B, column by column, where B couples coordinates of one body only: all of it is in the pattern. */
static void add_product(const sari_slopes* p, double f, const double* A, const double* B,
                        double* out)
{
    for (int c = 0; c < p->S.n; c++) {
        for (int a = p->p[c]; a < p->p[c + 1]; a++) p->where[p->row[a]] = p->at[a];
        for (int b = p->p[c]; b < p->p[c + 1]; b++) {
            const double factor = f * B[p->at[b]];
            const int k = p->row[b];
            if (factor == 0.0) continue;
            for (int a = p->p[k]; a < p->p[k + 1]; a++) {
                const int e = p->where[p->row[a]];
                if (e >= 0) out[e] += factor * A[p->at[a]];
            }
        }
        for (int a = p->p[c]; a < p->p[c + 1]; a++) p->where[p->row[a]] = -1;
    }
}

/* S^ and W of (2) */
static void set_step(sari_step_map* s)
{
    const sari_slopes* p = &s->slopes;
    const sari_csr* J = &p->J;
    const int held = J->rows - p->sys->velocity_rows;
    double* A = s->step.A;
    memcpy(A, p->F_q, 2 * (size_t)p->entries * sizeof(double));
    if (p->D) {
        add_product(p, s->cv, p->F_v, p->D, A);
        add_product(p, s->ca, p->M, p->D, A);
    } else {
        sari_vector_add(2 * p->entries, s->cv, p->F_v, A);
        sari_vector_add(2 * p->entries, s->ca, p->M, A);
    }
    memcpy(s->step.W, J->x, (size_t)J->p[J->rows] * sizeof(double));
    for (int r = held; r < J->rows; r++) {
        if (p->D) memset(s->z, 0, (size_t)J->cols * sizeof(double));
        for (int k = J->p[r]; p->D && k < J->p[r + 1]; k++) s->z[J->i[k]] = J->x[k];
        if (p->D) sari_slopes_times_transposed(p, p->D, s->z, s->d);
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            s->step.W[k] = (p->D ? s->d[J->i[k]] : J->x[k]) + p->Phi_q_star[k] / s->cv;
    }
}

static sar_status place_on(sari_step_map* s, sari_system* sys, double t, const double* q)
{
    const sari_slopes* p = &s->slopes;
    SARI_TRY(sari_slopes_place(&s->slopes, sys, t, q));
    memcpy(s->mass.A, p->M, 2 * (size_t)p->entries * sizeof(double));
    memcpy(s->mass.W, p->J.x, (size_t)p->J.p[p->J.rows] * sizeof(double));
    return sari_saddle_factor(&s->mass);
}

static sar_status place(sari_step_map* s, const sari_step_record* r)
{
    s->at = *r;
    return place_on(s, s->slopes.sys, r->t, r->q);
}

sar_status sari_step_map_respond(sari_step_map* s, sari_system* sys, double t, const double* q,
                                 const double* n, double* w)
{
    SARI_TRY(place_on(s, sys, t, q));
    return sari_saddle_solve(&s->mass, 0, n, NULL, w, s->mu);
}

/* Largest part of sums that should be zero: sizes of their terms are those of the forces and of the rates; and far from the
 * origin rounding of places is that of a*, times ca. */
static int solves_equations(sari_step_map* s)
{
    const sari_slopes* p = &s->slopes;
    const sari_step_terms* x = &s->left;
    const int n = p->S.n, m = p->J.rows;
    const double speed = fmax(sari_vector_max(n, s->at.v), p->unit / s->at.h * 1e-3);
    sari_slopes_times(p, p->M, s->at.a_star, s->f);
    memset(s->z, 0, (size_t)n * sizeof(double));
    sari_slopes_add_rows_transposed(p, p->J.x, 1.0, s->at.lambda, s->z);
    const double force = sari_vector_max(n, s->f) + sari_vector_max(n, s->z) +
                         sari_vector_max(n, p->sys->Q) + 1e-6 * p->unit * s->ca;
    const double rounding = ROUNDINGS * DBL_EPSILON * s->ca * sari_vector_max(p->sys->np, s->at.q) *
                            sari_vector_max(2 * p->entries, p->M);
    return sari_vector_max(n, x->F) <= LEFT * force + rounding &&
           sari_vector_max(m, x->Phi) <= LEFT * p->unit &&
           sari_vector_max(m, x->rate) <= LEFT * speed;
}

sar_status sari_step_map_find(sari_step_map* s, const sari_step_record* r)
{
    s->cv = 2.0 / r->h;
    s->ca = 4.0 / (r->h * r->h);
    SARI_TRY(place(s, r));
    SARI_TRY(sari_terms_find(&s->left, s->slopes.sys, &s->at, r->t, r->q, r->v_star, r->v,
                             SARI_TERMS_ALL));
    if (!solves_equations(s)) return SAR_E_MODEL;
    SARI_TRY(sari_slopes_find(&s->slopes, &s->at));
    set_step(s);
    return sari_saddle_factor(&s->step);
}

/* ---- forwards ------------------------------------------------------------------------------- */

/* dd = D dq + D_0 dq0 */
static void change_of_way(const sari_slopes* p, const double* dq, const double* dq0, double* z,
                          double* dd)
{
    const int n = p->S.n;
    if (!p->D) {
        for (int i = 0; i < n; i++) dd[i] = (dq ? dq[i] : 0.0) - dq0[i];
        return;
    }
    sari_slopes_times(p, p->D_0, dq0, dd);
    if (!dq) return;
    sari_slopes_times(p, p->D, dq, z);
    sari_vector_add(n, 1.0, z, dd);
}

/* (1) with dq of the end, or without: NULL */
static void find_stars(sari_step_map* s, const sari_step_source* p, const double* dq,
                       const double* x)
{
    const int n = s->slopes.S.n;
    const double *dq0 = x, *dv0 = x + n, *da0 = x + 2 * n, h = s->at.h;
    change_of_way(&s->slopes, dq, dq0, s->z, s->d);
    for (int i = 0; i < n; i++) {
        s->v_star[i] = s->cv * s->d[i] - dv0[i] + (p && p->v_star ? p->v_star[i] : 0.0);
        s->a_star[i] =
            s->ca * (s->d[i] - h * dv0[i]) - da0[i] + (p && p->a_star ? p->a_star[i] : 0.0);
    }
}

/* (2) into x1 */
static sar_status along_position(sari_step_map* s, const sari_step_source* p, const double* x)
{
    const sari_slopes* k = &s->slopes;
    const int n = k->S.n, m = k->J.rows, held = m - k->sys->velocity_rows;
    find_stars(s, p, NULL, x);
    sari_slopes_times(k, k->F_v, s->v_star, s->f);
    sari_slopes_times(k, k->M, s->a_star, s->z);
    for (int i = 0; i < n; i++) s->f[i] = -s->f[i] - s->z[i] - (p ? p->terms->F[i] : 0.0);
    memset(s->g, 0, (size_t)m * sizeof(double));
    if (held < m) sari_slopes_add_rows(k, k->J.x, -1.0, s->v_star, s->g);
    for (int r = 0; r < m; r++) {
        const double Phi_p = p ? p->terms->Phi[r] : 0.0;
        s->g[r] = r < held ? -Phi_p : (s->g[r] - Phi_p) / s->cv;
    }
    return sari_saddle_solve(&s->step, 0, s->f, s->g, s->x1, s->y1);
}

/* (3), or (4) with second_v, whose dv is in `dv`: f = M star - N_q dq - N_p */
static sar_status along_projection(sari_step_map* s, const double* star, const double* N_q,
                                   const double* N_p, const double* rows_q, const double* dv,
                                   const double* rows_p, double* out)
{
    const sari_slopes* k = &s->slopes;
    const int n = k->S.n, m = k->J.rows;
    sari_slopes_times(k, k->M, star, s->f);
    sari_slopes_times(k, N_q, s->x1, s->z);
    for (int i = 0; i < n; i++) s->f[i] -= s->z[i] + (N_p ? N_p[i] : 0.0);
    for (int r = 0; r < m; r++) s->g[r] = rows_p ? -rows_p[r] : 0.0;
    sari_slopes_add_rows(k, rows_q, -1.0, s->x1, s->g);
    if (dv) sari_slopes_add_rows(k, k->second_v, -1.0, dv, s->g);
    return sari_saddle_solve(&s->mass, 0, s->f, s->g, out, s->mu);
}

sar_status sari_step_map_along(sari_step_map* s, const sari_step_source* p, double* x)
{
    const sari_slopes* k = &s->slopes;
    const size_t n = (size_t)k->S.n;
    const sari_step_terms* t = p ? p->terms : NULL;
    SARI_TRY(along_position(s, p, x));
    find_stars(s, p, s->x1, x);
    memcpy(x, s->x1, n * sizeof(double));
    SARI_TRY(along_projection(s, s->v_star, k->N_q, t ? t->N : NULL, k->rate_q, NULL,
                              t ? t->rate : NULL, x + n));
    return along_projection(s, s->a_star, k->A_q, t ? t->A : NULL, k->second_q, x + n,
                            t ? t->second : NULL, x + 2 * n);
}

/* ---- backwards ------------------------------------------------------------------------------ */

/* lq -= N_q'x + rows_q'y */
static void take_back(sari_step_map* s, const double* N_q, const double* x, const double* rows_q,
                      const double* y, double* lq)
{
    sari_slopes_times_transposed(&s->slopes, N_q, x, s->z);
    sari_vector_add(s->slopes.S.n, -1.0, s->z, lq);
    sari_slopes_add_rows_transposed(&s->slopes, rows_q, -1.0, y, lq);
}

/* to = f D'x, or f x */
static void carry_back(sari_step_map* s, const double* D, double f, const double* x, double* to)
{
    if (D) {
        sari_slopes_times_transposed(&s->slopes, D, x, s->z);
        x = s->z;
    }
    sari_vector_add(s->slopes.S.n, f, x, to);
}

sar_status sari_step_map_back(sari_step_map* s, double* l)
{
    const sari_slopes* k = &s->slopes;
    const int n = k->S.n, m = k->J.rows, held = m - k->sys->velocity_rows;
    double *lq = l, *lv = l + n, *la = l + 2 * n;
    SARI_TRY(sari_saddle_solve(&s->mass, 1, la, NULL, s->x3, s->y3)); // (4)
    take_back(s, k->A_q, s->x3, k->second_q, s->y3, lq);
    sari_slopes_add_rows_transposed(k, k->second_v, -1.0, s->y3, lv);
    SARI_TRY(sari_saddle_solve(&s->mass, 1, lv, NULL, s->x2, s->y2)); // (3)
    take_back(s, k->N_q, s->x2, k->rate_q, s->y2, lq);
    sari_slopes_times(k, k->M, s->x2, s->m); // of dv* and da*
    sari_slopes_times(k, k->M, s->x3, s->l);
    carry_back(s, k->D, s->cv, s->m, lq);
    carry_back(s, k->D, s->ca, s->l, lq);
    SARI_TRY(sari_saddle_solve(&s->step, 1, lq, NULL, s->x1, s->y1)); // (2)
    sari_slopes_times_transposed(k, k->F_v, s->x1, s->z);
    sari_vector_add(n, -1.0, s->z, s->m);
    sari_slopes_times(k, k->M, s->x1, s->z);
    sari_vector_add(n, -1.0, s->z, s->l);
    for (int r = 0; r < m; r++) s->y1[r] = r < held ? s->y1[r] : s->y1[r] / s->cv;
    for (int r = 0; r < m; r++) s->mu[r] = r < held ? 0.0 : s->y1[r];
    if (held < m) sari_slopes_add_rows_transposed(k, k->J.x, -1.0, s->mu, s->m);
    memset(lq, 0, (size_t)n * sizeof(double)); // (1)
    carry_back(s, k->D_0, k->D_0 ? s->cv : -s->cv, s->m, lq);
    carry_back(s, k->D_0, k->D_0 ? s->ca : -s->ca, s->l, lq);
    for (int i = 0; i < n; i++) {
        lv[i] = -s->m[i] - s->ca * s->at.h * s->l[i];
        la[i] = -s->l[i];
    }
    return SAR_OK;
}

/* ---- where motion begins -------------------------------------------------------------------- */

sar_status sari_step_map_find_start(sari_step_map* s, const sari_step_record* r)
{
    SARI_TRY(place(s, r));
    s->at.q0 = r->q;
    return sari_slopes_find(&s->slopes, &s->at);
}

sar_status sari_step_map_start_along(sari_step_map* s, const sari_step_source* p, double* x)
{
    const sari_slopes* k = &s->slopes;
    const int n = k->S.n, m = k->J.rows;
    sari_slopes_times(k, k->F_q, x, s->f);
    sari_slopes_times(k, k->F_v, x + n, s->z);
    for (int i = 0; i < n; i++) s->f[i] = -s->f[i] - s->z[i] - (p ? p->terms->F[i] : 0.0);
    for (int r = 0; r < m; r++) s->g[r] = p ? -p->terms->second[r] : 0.0;
    sari_slopes_add_rows(k, k->second_q, -1.0, x, s->g);
    sari_slopes_add_rows(k, k->second_v, -1.0, x + n, s->g);
    return sari_saddle_solve(&s->mass, 0, s->f, s->g, x + 2 * n, s->mu);
}

sar_status sari_step_map_start_back(sari_step_map* s, double* l)
{
    const sari_slopes* k = &s->slopes;
    const int n = k->S.n, m = k->J.rows;
    double* const none[] = {s->x2, s->x3, s->m, s->l};
    SARI_TRY(sari_saddle_solve(&s->mass, 1, l + 2 * n, NULL, s->x1, s->y3));
    take_back(s, k->F_q, s->x1, k->second_q, s->y3, l);
    take_back(s, k->F_v, s->x1, k->second_v, s->y3, l + n);
    memset(l + 2 * n, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < 4; i++) memset(none[i], 0, (size_t)n * sizeof(double));
    memset(s->y1, 0, (size_t)m * sizeof(double));
    memset(s->y2, 0, (size_t)m * sizeof(double));
    return SAR_OK;
}

double sari_step_map_gather(const sari_step_map* s, const sari_step_source* p)
{
    const sari_step_terms* t = p->terms;
    const int n = t->nq, m = t->nc;
    double sum = -sari_vector_dot(n, s->x1, t->F) - sari_vector_dot(m, s->y1, t->Phi) -
                 sari_vector_dot(n, s->x2, t->N) - sari_vector_dot(m, s->y2, t->rate) -
                 sari_vector_dot(n, s->x3, t->A) - sari_vector_dot(m, s->y3, t->second);
    if (p->v_star) sum += sari_vector_dot(n, s->m, p->v_star);
    if (p->a_star) sum += sari_vector_dot(n, s->l, p->a_star);
    return sum;
}
