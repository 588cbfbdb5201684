/* The third condition of a steady motion: the linear equations, in numbers z of frames.c that do not turn with the
 * motion, are the same after a third of a radian of the fastest body. The first is that admissible changes stand still in
 * them, the second that rates of joint coordinates do. Eigenvalues are no check: those of a shaft in fixed axes are constant and wrong.
 *
 * The motion is followed by the classical Runge-Kutta method [munthekaas1998]: where positions are no vectors, a way y
 * from where a step begins goes on with
 *
 *     dy/dt = v + [v, y]/2 + [[v, y], y]/12 + ...                                              (1) */
#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { STEPS = 16 };
static const double REACH = 0.3;     ///< rad or sizes
static const double STANDS = 1e-9;   ///< off of frames.h
static const double BALANCED = 1e-7; ///< of the pace squared: accelerations of joint coordinates
static const double SAME = 1e-7;     ///< of the matrices; the motion is followed to 1e-9

/* (1): d is v, and becomes dy/dt. work: 2 nq numbers. */
static void turn_back(sari_linear* l, const double* y, double* d, double* work)
{
    const int nq = l->sys->nq;
    double *once = work, *twice = work + nq;
    if (l->sys->vectors) return;
    sari_linear_bracket(l, d, y, once);
    sari_linear_bracket(l, once, y, twice);
    for (int i = 0; i < nq; i++) d[i] += once[i] / 2.0 + twice[i] / 12.0;
}

/* One step of length h from the state of l, with the stages in k: seven times nq numbers. */
static sar_status step(sari_linear* l, double h, double* q0, double* v0, double* k)
{
    static const double at[] = {0.5, 0.5, 1.0}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const sari_coordinates* c = &l->sys->coordinates;
    const int nq = l->sys->nq;
    double *d = k, *dv = k + nq, *way = k + 2 * nq, *sum = k + 3 * nq, *sum_v = k + 4 * nq;
    memcpy(q0, l->q, (size_t)l->sys->np * sizeof(double));
    memcpy(v0, l->v, (size_t)nq * sizeof(double));
    memset(sum, 0, (size_t)(2 * nq) * sizeof(double));
    const double t = l->t;
    for (int stage = 0; stage < 4; stage++) {
        memcpy(d, l->v, (size_t)nq * sizeof(double));
        memcpy(dv, l->a, (size_t)nq * sizeof(double));
        if (stage > 0) turn_back(l, way, d, k + 5 * nq);
        for (int i = 0; i < nq; i++) {
            sum[i] += h * weight[stage] * d[i];
            sum_v[i] += h * weight[stage] * dv[i];
        }
        const double part = stage < 3 ? h * at[stage] : h;
        for (int i = 0; i < nq; i++) {
            way[i] = stage < 3 ? part * d[i] : sum[i];
            dv[i] = v0[i] + (stage < 3 ? part * dv[i] : sum_v[i]);
        }
        sari_coordinates_move(c, q0, way, l->residual.at);
        SARI_TRY(sari_linear_accelerate(l, t + part, l->residual.at, dv));
    }
    return SAR_OK;
}

static sar_status follow(sari_linear* l, double tau)
{
    const int nq = l->sys->nq;
    double* memory = SARI_NEW_ARRAY(double, l->sys->np + 8 * nq + 1);
    if (!memory) return SAR_E_NOMEM;
    double *v0 = memory + l->sys->np, *k = v0 + nq;
    sar_status st = SAR_OK;
    for (int i = 0; i < STEPS && st == SAR_OK; i++) st = step(l, tau / STEPS, memory, v0, k);
    sari_release(memory);
    return st;
}

/* A in the numbers of `row`: Z_1 Z^-1 of these rows, by Gauss with rows pivoted. */
static void in_rows(const sari_frames* f, const int* row, double* Z, double* out)
{
    const int n = f->linear->states, rows = f->rows;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) { // transposed: Z' out' = Z_1'
            Z[k * n + i] = f->Z[k * rows + row[i]];
            out[k * n + i] = f->Z_1[k * rows + row[i]];
        }
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(Z[r * n + c]) > fabs(Z[best * n + c])) best = r;
        for (int k = 0; k < n && best != c; k++) {
            const double z = Z[c * n + k], o = out[c * n + k];
            Z[c * n + k] = Z[best * n + k], Z[best * n + k] = z;
            out[c * n + k] = out[best * n + k], out[best * n + k] = o;
        }
        for (int r = 0; r < n; r++) {
            const double part = r == c ? 0.0 : Z[r * n + c] / Z[c * n + c];
            for (int k = 0; k < n && part != 0.0; k++) {
                Z[r * n + k] -= part * Z[c * n + k];
                out[r * n + k] -= part * out[c * n + k];
            }
        }
    }
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n; k++) out[r * n + k] /= Z[r * n + r];
}

/* Independent rows of Z, the first that are. */
static sar_status choose_rows(const sari_frames* f, double* copy, int* order)
{
    const int n = f->linear->states, rows = f->rows;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rows; i++) copy[k * rows + i] = f->Z[k * rows + i];
    return sari_independent_columns(n, rows, copy, 1e-6, order) == n ? SAR_OK : SAR_R_SINGULAR;
}

static sar_status compare(sari_frames* now, sari_frames* later, sari_frame_kind kind, double tau,
                          int* steady)
{
    const int n = now->linear->states, rows = now->rows;
    sari_arena memory = {0};
    double* copy = SARI_TAKE(&memory, double, (size_t)rows*(size_t)n);
    double* Z = SARI_TAKE(&memory, double, n* n);
    double* A = SARI_TAKE(&memory, double, n* n);
    double* B = SARI_TAKE(&memory, double, n* n);
    int* row = SARI_TAKE(&memory, int, rows);
    sar_status st = memory.failed ? SAR_E_NOMEM : choose_rows(now, copy, row);
    if (st == SAR_OK) {
        // both in the pace of the first
        const double ratio = now->linear->pace / later->linear->pace;
        for (int k = 0; k < n; k++)
            for (int i = 0; i < now->n; i++)
                later->Z[k * rows + i] *= ratio, later->Z_1[k * rows + i] *= ratio;
        sari_frames_turn_back(later, kind, now->q, tau);
        in_rows(now, row, Z, A);
        in_rows(later, row, Z, B);
        double off = 0.0;
        for (int i = 0; i < n * n; i++) off = fmax(off, fabs(A[i] - B[i]));
        *steady = off <= SAME * sari_vector_max(n * n, A);
    }
    sari_arena_clear(&memory);
    return st;
}

/* Linear equations `tau` after those of l. */
static sar_status search_ahead(sari_linear* l, double tau, sari_linear* later, sari_frames* f,
                               sari_frame_kind kind)
{
    SARI_TRY(sari_linear_accelerate(later, l->t, l->q, l->v));
    SARI_TRY(follow(later, tau));
    SARI_TRY(sari_linear_find(later, later->t, later->q, later->v));
    if (later->states != l->states) return SAR_R_SINGULAR;
    SARI_TRY(sari_frames_see(f));
    return sari_frames_reduce(f, kind);
}

sar_status sari_is_steady(sari_linear* l, sari_frames* f, sari_frame_kind kind, int* steady)
{
    *steady = 0;
    const double turn = sari_equations_turn(&l->sys->equations, l->q, l->v);
    if (!(f->off <= STANDS) || !(turn > 0.0)) return SAR_OK;
    sari_frames_rates(f, kind, f->x, f->x + f->n);
    if (sari_vector_max(f->n, f->x + f->n) > BALANCED * l->pace * l->pace) return SAR_OK;
    sari_linear* later = NULL;
    sari_frames* then = NULL;
    const double tau = REACH / turn;
    sar_status st = sari_linear_create(l->sys, l->unit, &later);
    if (st == SAR_OK) st = sari_frames_create(later, &then);
    if (st == SAR_OK) st = search_ahead(l, tau, later, then, kind);
    if (st == SAR_OK && then->off <= 1e3 * STANDS) st = compare(f, then, kind, tau, steady);
    sari_frames_destroy(then);
    sari_linear_destroy(later);
    return st > 0 ? SAR_OK : st; // what is not there later is not steady
}

sar_status sari_steady_frame(sari_linear* l, sari_frames* f, sari_frame_kind* kind, int* steady)
{
    *steady = 0;
    for (int k = 0; k < SARI_FRAME_KINDS && !*steady; k++) {
        *kind = (sari_frame_kind)k;
        SARI_TRY(sari_frames_reduce(f, *kind));
        SARI_TRY(sari_is_steady(l, f, *kind, steady));
    }
    if (*steady) return SAR_OK;
    *kind = SARI_FRAME_FIXED;
    return sari_frames_reduce(f, *kind);
}
