#include "formulations/tangent.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"

#include <string.h>

static sar_status make_pattern(sari_tangent* t)
{
    const sari_equations* sys = t->sys;
    const sari_csr* J = &sys->Phi_q;
    sari_pattern pattern;
    sari_pattern_init(&pattern, sys->nq, sys->nq);
    for (int c = 0; c < sys->nq; c++) {
        for (int k = sys->M.p[c]; k < sys->M.p[c + 1]; k++)
            sari_pattern_add(&pattern, sys->M.i[k], c);
        for (int k = sys->K.p[c]; k < sys->K.p[c + 1]; k++)
            sari_pattern_add(&pattern, c, sys->K.i[k]);
    }
    for (int r = 0; r < J->rows; r++)
        sari_pattern_add_clique(&pattern, J->i + J->p[r], J->p[r + 1] - J->p[r]);
    sar_status st = sari_pattern_make_sym(&pattern, &t->S);
    sari_pattern_clear(&pattern);
    return st;
}

static sar_status locate(sari_tangent* t)
{
    const sari_equations* sys = t->sys;
    const sari_csr* J = &sys->Phi_q;
    int products = 0;
    for (int r = 0; r < J->rows; r++) {
        int n = J->p[r + 1] - J->p[r];
        products += n * (n + 1) / 2;
    }
    t->M_at = SARI_TAKE(&t->memory, int, sys->M.p[sys->nq]);
    t->K_at = SARI_TAKE(&t->memory, int, sys->K.p[sys->nq]);
    t->product_at = SARI_TAKE(&t->memory, int, products);
    if (t->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < sys->nq; c++) {
        for (int k = sys->M.p[c]; k < sys->M.p[c + 1]; k++)
            t->M_at[k] = sari_sym_find(&t->S, sys->M.i[k], c);
        for (int k = sys->K.p[c]; k < sys->K.p[c + 1]; k++)
            t->K_at[k] = sari_sym_find(&t->S, c, sys->K.i[k]);
    }
    int* at = t->product_at;
    for (int r = 0; r < J->rows; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++)
            for (int b = J->p[r]; b <= a; b++) *at++ = sari_sym_find(&t->S, J->i[a], J->i[b]);
    return SAR_OK;
}

sar_status sari_tangent_create(sari_tangent* t, const sari_equations* sys, const char* solver)
{
    memset(t, 0, sizeof *t);
    t->sys = sys;
    SARI_TRY(make_pattern(t));
    SARI_TRY(locate(t));
    t->upper = SARI_TAKE(&t->memory, double, t->S.p[sys->nq]);
    t->U = SARI_TAKE(&t->memory, double, sys->Phi_q.p[sys->nc]);
    t->W = SARI_TAKE(&t->memory, double, sys->Phi_q.p[sys->nc]);
    if (t->memory.failed) return SAR_E_NOMEM;
    return sari_lu_create(solver, &t->S, &t->lu);
}

void sari_tangent_clear(sari_tangent* t)
{
    sari_lu_clear(&t->lu);
    sari_sym_clear(&t->S);
    sari_arena_clear(&t->memory);
    memset(t, 0, sizeof *t);
}

static void add_products(sari_tangent* t)
{
    const sari_csr* J = &t->sys->Phi_q;
    const double *U = t->U, *W = t->W;
    const int* at = t->product_at;
    double *lower = t->S.x, *upper = t->upper;
    for (int r = 0; r < J->rows; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++)
            for (int b = J->p[r]; b <= a; b++, at++) {
                lower[*at] += U[a] * W[b];
                upper[*at] += U[b] * W[a];
            }
}

sar_status sari_tangent_factor(sari_tangent* t, double b, double cv)
{
    const sari_equations* sys = t->sys;
    size_t bytes = (size_t)t->S.p[sys->nq] * sizeof(double);
    memset(t->S.x, 0, bytes);
    for (int k = 0; k < sys->M.p[sys->nq]; k++) t->S.x[t->M_at[k]] = sys->M.x[k];
    memcpy(t->upper, t->S.x, bytes);
    for (int r = 0; r < sys->nq; r++)
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++) {
            double* half = sys->K.i[k] <= r ? t->S.x : t->upper;
            half[t->K_at[k]] += b * (cv * sys->C.x[k] + sys->K.x[k]);
        }
    add_products(t);
    return t->lu.ops->factor(t->lu.self, t->S.x, t->upper);
}

void sari_tangent_solve(const sari_tangent* t, double* x)
{
    t->lu.ops->solve(t->lu.self, x);
}
