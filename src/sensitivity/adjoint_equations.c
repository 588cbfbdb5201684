/* (2) and (3) of adjoint.c, at the places of Gauss's rule, and l over a part.
 *
 * With k_i = dl/dt at place i, which is c_i h before the end of the part, where l is known,
 *
 *     k_i = B_i (l - h sum_j a_ij k_j)                                                             (6)
 *
 * is linear. The few corrections that it takes are the best in Krylov's space [saad1986].
 *
 * Changes of the motion satisfy Phi_q dq = -Phi_p, rate_q dq + Phi_q dv = -rate_p with rate = Phi_q v + Phi_t. So for any
 * y_q and y_v
 *
 *     l_q'dq + l_v'dv = (l_q - Phi_q'y_q - rate_q'y_v)'dq + (l_v - Phi_q'y_v)'dv - y_q'Phi_p - y_v'rate_p      (7)
 *
 * What forces of rows are in l means nothing, and grows with the square of time, and so would rounding and the error of
 * the rule: they are taken out now and then. */
#include "sensitivity/adjoint_parts.h"

#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/functions.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Gauss's rule of order 10 [hairer1993, II.7]. */
const double sari_gauss_place[SARI_GAUSS] = {0.046910077030668004, 0.23076534494715845, 0.5,
                                             0.76923465505284155, 0.953089922969332};
const double sari_gauss_weight[SARI_GAUSS] = {0.11846344252809454, 0.23931433524968323,
                                              0.28444444444444444, 0.23931433524968323,
                                              0.11846344252809454};
static const double stage_weight[SARI_GAUSS][SARI_GAUSS] = {
    {0.059231721264047272, -0.019570364359076037, 0.011254400818642956, -0.0055937936608121849,
     0.0015881129678659985},
    {0.12815100567004528, 0.11965716762484162, -0.0245921146196422, 0.010318280670683357,
     -0.002768994398769603},
    {0.1137762880042246, 0.26000465168064152, 0.14222222222222222, -0.020690316430958285,
     0.0046871545238699412},
    {0.12123243692686415, 0.22899605457899988, 0.30903655906408664, 0.11965716762484162,
     -0.0096875631419507397},
    {0.11687532956022855, 0.24490812891049542, 0.27319004362580149, 0.25888469960875927,
     0.059231721264047272}};

enum { DIRECTIONS = 40, ROUNDS = 4 };
static const double SOLVED = 4.0 * DBL_EPSILON; ///< of k: what (6) may leave
static const double ENOUGH = 1e-13;             ///< likewise, when no more is to be had

/* (3) where M is constant, places are linear in q and rows quadratic, phi = c + b'q + q'H q/2: with R(w) = dPhi_q/dt along
 * a velocity w,
 *
 *     (x'F + y'second)_q = K'x + R(x)'lambda + R(a)'y,   (x'F + y'second)_v = C'x + 2 R(v)'y         (5) */
static int has_closed_form(const sari_system* sys)
{
    return sys->quadratic && sys->coordinates.constant && sys->constant_mass &&
           sys->velocity_rows == 0;
}

sar_status sari_adjoint_equations_take(sari_adjoint_equations* e, sari_arena* m, sari_system* sys,
                                       double unit)
{
    const size_t n = (size_t)sys->nq, nc = (size_t)sys->nc, size = SARI_GAUSS * 2 * n;
    e->nq = sys->nq, e->nc = sys->nc, e->freedoms = -1;
    for (int i = 0; i < SARI_GAUSS; i++) {
        sari_adjoint_slopes* s = &e->slopes[i];
        s->B_q = SARI_TAKE(m, double, n* n);
        s->B_v = SARI_TAKE(m, double, n* n);
        s->turn = sys->vectors ? NULL : SARI_TAKE(m, double, n* n);
        s->T = SARI_TAKE(m, double, n* n);
        s->Y = SARI_TAKE(m, double, n* nc);
    }
    e->unit = SARI_TAKE(m, double, n);
    e->g = SARI_TAKE(m, double, 2 * n);
    e->column = SARI_TAKE(m, double, nc);
    e->k = SARI_TAKE(m, double, size);
    e->image = SARI_TAKE(m, double, size);
    e->stage = SARI_TAKE(m, double, 2 * n);
    e->basis = SARI_TAKE(m, double, (DIRECTIONS + 1) * size);
    e->none = SARI_TAKE(m, double, nc);
    if (m->failed) return SAR_E_NOMEM;
    if (!has_closed_form(sys)) SARI_TRY(sari_slopes_create(&e->at, sys, unit));
    return sari_linear_create(sys, unit, &e->linear);
}

void sari_adjoint_equations_clear(sari_adjoint_equations* e)
{
    sari_linear_destroy(e->linear);
    sari_slopes_clear(&e->at);
}

/* ---- (2), (3) -------------------------------------------------------------------------------- */

/* T, and Y = R - (R M T) T' with the multipliers R f of forces f. */
static void find_multipliers(sari_adjoint_equations* e, sari_adjoint_slopes* s)
{
    sari_row_space* space = &e->linear->on_velocities;
    const int n = e->nq, nc = e->nc;
    double *column = e->column, *MT = e->g;
    memcpy(s->T, space->T, (size_t)space->d * (size_t)n * sizeof(double));
    for (int j = 0; j < n && nc; j++) {
        e->unit[j] = 1.0;
        sari_row_space_multipliers(space, e->unit, column);
        for (int r = 0; r < nc; r++) s->Y[r * n + j] = column[r];
        e->unit[j] = 0.0;
    }
    for (int d = 0; d < space->d && nc; d++) {
        const double* T = s->T + (size_t)d * (size_t)n;
        sari_equations_mass_times(&e->linear->sys->equations, T, MT);
        sari_row_space_multipliers(space, MT, column);
        for (int r = 0; r < nc; r++)
            sari_vector_add(n, -column[r], T, s->Y + (size_t)r * (size_t)n);
    }
}

static sar_status rate_along(sari_system* sys, const sari_adjoint_node* n, const double* along)
{
    return sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN_RATE, n->t, n->q, along);
}

/* B += f R'Y */
static void add_rate(const sari_adjoint_equations* e, double f, const double* Y, double* B)
{
    const sari_csr* R = &e->linear->sys->Phi_q_rate;
    const int n = e->nq;
    for (int r = 0; r < R->rows; r++)
        for (int k = R->p[r]; k < R->p[r + 1]; k++)
            sari_vector_add(n, f * R->x[k], Y + (size_t)r * (size_t)n,
                            B + (size_t)R->i[k] * (size_t)n);
}

/* B += g T' */
static void add_free(const sari_adjoint_equations* e, const double* g, const double* T, double* B)
{
    for (int i = 0; i < e->nq; i++) sari_vector_add(e->nq, g[i], T, B + (size_t)i * (size_t)e->nq);
}

static sar_status find_closed(sari_adjoint_equations* e, const sari_adjoint_node* node,
                              sari_adjoint_slopes* s)
{
    sari_system* sys = e->linear->sys;
    const size_t n = (size_t)e->nq;
    double *of_q = e->g, *of_v = e->g + n;
    for (int d = 0; d < e->freedoms; d++) {
        const double* T = s->T + (size_t)d * n;
        memset(e->g, 0, 2 * n * sizeof(double));
        sari_csr_multiply_add_transposed(&sys->K, 1.0, T, of_q);
        sari_csr_multiply_add_transposed(&sys->C, 1.0, T, of_v);
        SARI_TRY(rate_along(sys, node, T));
        sari_csr_multiply_add_transposed(&sys->Phi_q_rate, 1.0, node->lambda, of_q);
        add_free(e, of_q, T, s->B_q);
        add_free(e, of_v, T, s->B_v);
    }
    SARI_TRY(rate_along(sys, node, node->a));
    add_rate(e, 1.0, s->Y, s->B_q);
    SARI_TRY(rate_along(sys, node, node->v));
    add_rate(e, 2.0, s->Y, s->B_v);
    return SAR_OK;
}

/* B += (rows)'Y for values of rows */
static void add_rows(const sari_adjoint_equations* e, const double* rows, const double* Y,
                     double* B)
{
    const sari_csr* J = &e->at.J;
    const int n = e->nq;
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            sari_vector_add(n, rows[k], Y + (size_t)r * (size_t)n, B + (size_t)J->i[k] * (size_t)n);
}

/* Slopes of (1): those of a step of al3 whose projections do nothing. */
static sar_status find_at(sari_adjoint_equations* e, const sari_adjoint_node* node)
{
    const sari_step_record r = {.t = node->t,
                                .q0 = node->q,
                                .q = node->q,
                                .v = node->v,
                                .a = node->a,
                                .v_star = node->v,
                                .a_star = node->a,
                                .lambda = node->lambda,
                                .nu = e->none,
                                .kappa = e->none};
    SARI_TRY(sari_slopes_place(&e->at, e->linear->sys, node->t, node->q));
    return sari_slopes_find(&e->at, &r);
}

static sar_status find_otherwise(sari_adjoint_equations* e, const sari_adjoint_node* node,
                                 sari_adjoint_slopes* s)
{
    const sari_slopes* at = &e->at;
    const size_t n = (size_t)e->nq;
    SARI_TRY(find_at(e, node));
    for (int d = 0; d < e->freedoms; d++) {
        const double* T = s->T + (size_t)d * n;
        sari_slopes_times_transposed(at, at->F_q, T, e->g);
        add_free(e, e->g, T, s->B_q);
        sari_slopes_times_transposed(at, at->F_v, T, e->g);
        add_free(e, e->g, T, s->B_v);
    }
    add_rows(e, at->second_q, s->Y, s->B_q);
    add_rows(e, at->second_v, s->Y, s->B_v);
    if (s->turn) memset(s->turn, 0, n * n * sizeof(double));
    for (size_t i = 0; s->turn && i < n; i++) {
        e->unit[i] = 1.0;
        sari_linear_bracket(e->linear, node->v, e->unit, s->turn + i * n);
        e->unit[i] = 0.0;
    }
    return SAR_OK;
}

static sar_status accelerate(sari_adjoint_equations* e, sari_adjoint_node* node)
{
    sari_linear* z = e->linear;
    SARI_TRY(sari_linear_accelerate(z, node->t, node->q, node->v));
    memcpy(node->a, z->a, (size_t)e->nq * sizeof(double));
    memcpy(node->lambda, z->lambda, (size_t)e->nc * sizeof(double));
    if (e->freedoms < 0) e->freedoms = z->on_velocities.d;
    return e->freedoms == z->on_velocities.d ? SAR_OK : SAR_R_SINGULAR; // ranks are not to be told
}

static sar_status find_slopes(sari_adjoint_equations* e, sari_adjoint_node* node,
                              sari_adjoint_slopes* s)
{
    sari_linear* z = e->linear;
    const size_t square = (size_t)e->nq * (size_t)e->nq * sizeof(double);
    SARI_TRY(accelerate(e, node));
    find_multipliers(e, s);
    SARI_TRY(sari_residual_tangent(&z->residual));
    memset(s->B_q, 0, square);
    memset(s->B_v, 0, square);
    return has_closed_form(z->sys) ? find_closed(e, node, s) : find_otherwise(e, node, s);
}

/* ---- (6) ------------------------------------------------------------------------------------- */

/* dl/dt = B l at a place. */
static void apply(const sari_adjoint_equations* e, const sari_adjoint_slopes* s, const double* l,
                  double* out)
{
    const size_t n = (size_t)e->nq;
    const double *lq = l, *lv = l + n;
    for (size_t i = 0; i < n; i++) {
        out[i] = sari_vector_dot(e->nq, s->B_q + i * n, lv);
        if (s->turn) out[i] -= sari_vector_dot(e->nq, s->turn + i * n, lq);
        out[n + i] = sari_vector_dot(e->nq, s->B_v + i * n, lv) - lq[i];
    }
}

/* out_i = B_i (l - h sum_j a_ij k_j); l may be NULL: zero */
static void apply_rule(sari_adjoint_equations* e, double h, const double* l, const double* k,
                       double* out)
{
    const int size = 2 * e->nq;
    for (int i = 0; i < SARI_GAUSS; i++) {
        if (l)
            memcpy(e->stage, l, (size_t)size * sizeof(double));
        else
            memset(e->stage, 0, (size_t)size * sizeof(double));
        for (int j = 0; j < SARI_GAUSS; j++)
            sari_vector_add(size, -h * stage_weight[i][j], k + (size_t)j * (size_t)size, e->stage);
        apply(e, &e->slopes[i], e->stage, out + (size_t)i * (size_t)size);
    }
}

/* One round of corrections of k, which leaves `left` now; what is left afterwards. */
static double correct(sari_adjoint_equations* e, double h, double left, double enough)
{
    const int size = SARI_GAUSS * 2 * e->nq;
    const size_t n = (size_t)size;
    double H[DIRECTIONS][DIRECTIONS + 1], c[DIRECTIONS], s[DIRECTIONS], g[DIRECTIONS + 1];
    int count = 0;
    g[0] = left;
    sari_vector_normalise(size, e->basis);
    while (count < DIRECTIONS && fabs(g[count]) > enough) {
        double *w = e->basis + ((size_t)count + 1) * n, *column = H[count];
        const double* v = e->basis + (size_t)count * n;
        apply_rule(e, h, NULL, v, w);
        for (int i = 0; i < size; i++) w[i] = v[i] - w[i];
        for (int j = 0; j <= count; j++) {
            column[j] = sari_vector_dot(size, w, e->basis + (size_t)j * n);
            sari_vector_add(size, -column[j], e->basis + (size_t)j * n, w);
        }
        column[count + 1] = sari_vector_normalise(size, w);
        for (int j = 0; j < count; j++) {
            const double x = column[j], y = column[j + 1];
            column[j] = c[j] * x + s[j] * y, column[j + 1] = c[j] * y - s[j] * x;
        }
        const double length = sari_hypot(column[count], column[count + 1]);
        if (!(length > 0.0)) break;
        c[count] = column[count] / length, s[count] = column[count + 1] / length;
        column[count] = length;
        g[count + 1] = -s[count] * g[count];
        g[count] *= c[count];
        count++;
    }
    for (int j = count - 1; j >= 0; j--) {
        for (int i = j + 1; i < count; i++) g[j] -= H[i][j] * g[i];
        g[j] /= H[j][j];
        sari_vector_add(size, g[j], e->basis + (size_t)j * n, e->k);
    }
    return fabs(g[count]);
}

/* (6) */
static sar_status solve_rule(sari_adjoint_equations* e, double h, const double* l)
{
    const int size = SARI_GAUSS * 2 * e->nq;
    double whole = 0.0;
    memset(e->k, 0, (size_t)size * sizeof(double));
    for (int round = 0; round < ROUNDS; round++) {
        apply_rule(e, h, l, e->k, e->image);
        for (int i = 0; i < size; i++) e->basis[i] = e->image[i] - e->k[i];
        const double left = sari_vector_norm(size, e->basis);
        whole = fmax(whole, sari_vector_norm(size, e->image));
        if (!isfinite(left)) return SAR_R_NOT_FINITE;
        if (left <= (round + 1 < ROUNDS ? SOLVED : ENOUGH) * whole) return SAR_OK;
        if (round + 1 < ROUNDS) (void)correct(e, h, left, SOLVED * whole);
    }
    return SAR_R_NO_CONV;
}

/* x and y where l is. */
static void set_multipliers(const sari_adjoint_equations* e, const sari_adjoint_slopes* s,
                            const double* l, sari_adjoint_node* node)
{
    const size_t n = (size_t)e->nq;
    const double* lv = l + n;
    memset(node->x, 0, n * sizeof(double));
    for (int d = 0; d < e->freedoms; d++) {
        const double* T = s->T + (size_t)d * n;
        sari_vector_add(e->nq, sari_vector_dot(e->nq, T, lv), T, node->x);
    }
    for (int r = 0; r < e->nc; r++) node->y[r] = sari_vector_dot(e->nq, s->Y + (size_t)r * n, lv);
}

sar_status sari_adjoint_go_back(sari_adjoint_equations* e, sari_adjoint_node node[SARI_GAUSS],
                                double h, double* l)
{
    const int size = 2 * e->nq;
    for (int i = 0; i < SARI_GAUSS; i++) SARI_TRY(find_slopes(e, &node[i], &e->slopes[i]));
    SARI_TRY(solve_rule(e, h, l));
    for (int i = 0; i < SARI_GAUSS; i++) {
        memcpy(e->stage, l, (size_t)size * sizeof(double));
        for (int j = 0; j < SARI_GAUSS; j++)
            sari_vector_add(size, -h * stage_weight[i][j], e->k + (size_t)j * (size_t)size,
                            e->stage);
        set_multipliers(e, &e->slopes[i], e->stage, &node[i]);
    }
    for (int i = 0; i < SARI_GAUSS; i++)
        sari_vector_add(size, -h * sari_gauss_weight[i], e->k + (size_t)i * (size_t)size, l);
    return SAR_OK;
}

/* ---- (7) ------------------------------------------------------------------------------------- */

/* Multipliers of the part of f that is no momentum of a motion, which is taken out of f. */
static void free_of_rows(sari_adjoint_equations* e, sari_row_space* space, double* f, double* y)
{
    const sari_system* sys = e->linear->sys;
    const sari_csr* J = &sys->Phi_q;
    double *x = e->unit, *rest = e->g;
    memset(x, 0, (size_t)e->nq * sizeof(double));
    for (int d = 0; d < space->d; d++) {
        const double* T = space->T + (size_t)d * (size_t)e->nq;
        sari_vector_add(e->nq, sari_vector_dot(e->nq, T, f), T, x);
    }
    sari_equations_mass_times(&sys->equations, x, rest);
    for (int i = 0; i < e->nq; i++) rest[i] = f[i] - rest[i];
    memset(x, 0, (size_t)e->nq * sizeof(double));
    sari_row_space_multipliers(space, rest, y);
    for (int r = 0; r < space->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) f[J->i[k]] -= J->x[k] * y[r];
}

/* l_q -= rate_q'y */
static sar_status take_rate(sari_adjoint_equations* e, const sari_adjoint_node* n, const double* y,
                            double* lq)
{
    sari_linear* z = e->linear;
    if (has_closed_form(z->sys)) {
        SARI_TRY(rate_along(z->sys, n, n->v));
        sari_csr_multiply_add_transposed(&z->sys->Phi_q_rate, -1.0, y, lq);
        return SAR_OK;
    }
    SARI_TRY(find_at(e, n));
    sari_slopes_add_rows_transposed(&e->at, e->at.rate_q, -1.0, y, lq);
    return SAR_OK;
}

sar_status sari_adjoint_free(sari_adjoint_equations* e, sari_adjoint_node* node, double* l)
{
    sari_linear* z = e->linear;
    sari_system* sys = z->sys;
    const size_t rows = (size_t)e->nc * sizeof(double);
    memset(node->x, 0, (size_t)e->nq * sizeof(double));
    memset(node->y, 0, rows);
    memset(node->y_q, 0, rows);
    SARI_TRY(accelerate(e, node));
    free_of_rows(e, &z->on_velocities, l + e->nq, node->y_v);
    SARI_TRY(take_rate(e, node, node->y_v, l));
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, node->t,
                                 node->q, node->v));
    if (sys->velocity_rows) SARI_TRY(sari_row_space_find(&z->on_positions));
    free_of_rows(e, sys->velocity_rows ? &z->on_positions : &z->on_velocities, l, node->y_q);
    return SAR_OK;
}
