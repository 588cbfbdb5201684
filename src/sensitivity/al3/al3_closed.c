/* Slopes of rows and of inertia, without differences along every coordinate.
 *
 * Let E_k be the derivative along a change of coordinate k alone; changes that are turns do not commute, and
 * [E_k, V] = sum_l A_kl E_l with A of the velocity V = sum v_i E_i (analysis/linear.c). J_k = E_k Phi, R(v) = dJ/dt along v. Then
 *
 *     (J v)_k = R(v)_k + (J A)_k,   (J v + bias...)_v = 2 R(v) + J A                                       (1)
 *     (J a)_k = R(a)_k + (J A(a))_k,   bias_k = V V J_k + (R(v) A)_k + ((J v)_q A)_k                         (2)
 *
 * with (g A)_k = sum_l A_kl g_l. V V J is a second derivative along one line: four evaluations, whatever the number of
 * coordinates. Rows whose J depends on time, and rows on velocities, are not among these. Inertia, M x - Q of its own, is
 * that of bodies: where it changes with positions at all it is differenced, without rows and applied forces. */
#include "sensitivity/al3/al3_slopes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "system/relations.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-3; ///< sizes or radians, of four points
static const double weight[] = {2.0 / 3.0, -1.0 / 12.0};

/* ---- creation -------------------------------------------------------------------------------- */

/* Where entries of M, and of bodies whose coordinates turn together, are by columns. */
static int couples(const sari_slopes* s, const int* block, int r, int c)
{
    return sari_sym_find(&s->sys->M, r, c) >= 0 || (block && block[r] == block[c]);
}

static sar_status list_inertia(sari_slopes* s)
{
    const int n = s->S.n;
    int *block = SARI_NEW_ARRAY(int, n + 1), *taken = SARI_NEW_ARRAY(int, n + 1);
    const int bodies = block && sari_equations_blocks(&s->sys->equations, block);
    s->colours_of_inertia = 0;
    for (int c = 0; block && taken && c < n; c++) {
        s->inertia_p[c + 1] = s->inertia_p[c];
        for (int k = s->p[c]; k < s->p[c + 1]; k++)
            if (couples(s, bodies ? block : NULL, s->row[k], c))
                s->inertia_at[s->inertia_p[c + 1]++] = k;
    }
    for (int c = 0; block && taken && c < n; c++) s->colour_of_inertia[c] = -1;
    for (int c = 0; block && taken && c < n;
         c++) { // no two columns of a colour have a row in common
        for (int a = s->inertia_p[c]; a < s->inertia_p[c + 1]; a++) {
            const int r = s->row[s->inertia_at[a]];
            for (int b = s->inertia_p[r]; b < s->inertia_p[r + 1]; b++) {
                const int colour = s->colour_of_inertia[s->row[s->inertia_at[b]]];
                if (colour >= 0) taken[colour] = c + 1;
            }
        }
        int free = 0;
        while (taken[free] == c + 1) free++;
        s->colour_of_inertia[c] = free;
        if (free + 1 > s->colours_of_inertia) s->colours_of_inertia = free + 1;
    }
    const sar_status st = block && taken ? SAR_OK : SAR_E_NOMEM;
    sari_release(block);
    sari_release(taken);
    return st;
}

/* Where the product of two columns of a row is in S. */
static void list_pairs(sari_slopes* s)
{
    const sari_csr* J = &s->sys->Phi_q;
    size_t at = 0;
    for (int r = 0; r < J->rows; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++)
            for (int b = J->p[r]; b < J->p[r + 1]; b++) {
                const int i = J->i[a], k = J->i[b], e = sari_sym_find(&s->S, i, k);
                s->pair[at++] = k <= i ? e : s->entries + e;
            }
}

static size_t count_pairs(const sari_csr* J)
{
    size_t count = 0;
    for (int r = 0; r < J->rows; r++) {
        const size_t n = (size_t)(J->p[r + 1] - J->p[r]);
        count += n * n;
    }
    return count;
}

sar_status sari_slopes_closed_create(sari_slopes* s)
{
    sari_arena* m = &s->memory;
    sari_system* sys = s->sys;
    const int n = sys->nq, rows = sys->Phi_q.p[sys->nc];
    if (sys->velocity_rows) return SAR_OK;
    s->closed = 1;
    s->pair = SARI_TAKE(m, int, count_pairs(&sys->Phi_q) + 1);
    s->inertia_p = SARI_TAKE(m, int, n + 1);
    s->inertia_at = SARI_TAKE(m, int, 2 * s->entries + 1);
    s->colour_of_inertia = SARI_TAKE(m, int, n);
    s->R = SARI_TAKE(m, double, rows + 1);
    s->still = SARI_TAKE(m, double, n);
    s->H = SARI_TAKE(m, double, (size_t)sys->longest_row*(size_t)sys->longest_row + 1);
    if (sys->relation_rows) s->dense = SARI_TAKE(m, double, (size_t)n*(size_t)n);
    if (m->failed) return SAR_E_NOMEM;
    list_pairs(s);
    return list_inertia(s);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* out += f g A(v) */
static void add_bracket(const sari_slopes* s, double f, const double* g, const double* v,
                        double* out)
{
    const sari_csr* J = &s->J;
    const int* turns = s->sys->coordinates.turns;
    for (int k = 0; turns && k < J->p[J->rows]; k++) {
        const int sense = turns[J->i[k]];
        double turned[3];
        if (!sense) continue;
        sari_cross(v + J->i[k], g + k, turned);
        for (int i = 0; i < 3; i++) out[k + i] += f * sense * turned[i];
    }
}

static sar_status rate_along(sari_slopes* s, double t, const double* q, const double* v)
{
    return sari_equations_eval(&s->sys->equations, SARI_EVAL_JACOBIAN_RATE, t, q, v);
}

/* out = V V J */
static sar_status second_along(sari_slopes* s, const sari_step_record* r, double* out)
{
    const sari_system* sys = s->sys;
    const int rows = sys->Phi_q.p[sys->nc];
    const double most = sari_vector_max(sys->nq, r->v), e = STEP * fmin(s->unit, 1.0) / most;
    memset(out, 0, (size_t)rows * sizeof(double));
    if (!(most > 0.0)) return SAR_OK;
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < sys->nq; i++) s->change[i] = sign * k * e * r->v[i];
            sari_coordinates_move(&sys->coordinates, r->q, s->change, s->there);
            SARI_TRY(rate_along(s, r->t, s->there, r->v));
            sari_vector_add(rows, sign * weight[k - 1] / e, sys->Phi_q_rate.x, out);
        }
    return SAR_OK;
}

/* SAR_E_INCOMPAT: J depends on time. */
static sar_status of_rows(sari_slopes* s, const sari_step_record* r)
{
    sari_system* sys = s->sys;
    const int rows = sys->Phi_q.p[sys->nc];
    const size_t bytes = (size_t)rows * sizeof(double);
    if (sys->rheonomic) {
        SARI_TRY(rate_along(s, r->t, r->q, s->still));
        if (sari_vector_max(rows, sys->Phi_q_rate.x) > 0.0) return SAR_E_INCOMPAT;
    }
    SARI_TRY(second_along(s, r, s->second_q));
    SARI_TRY(rate_along(s, r->t, r->q, r->a));
    sari_vector_add(rows, 1.0, sys->Phi_q_rate.x, s->second_q);
    SARI_TRY(rate_along(s, r->t, r->q, r->v));
    memcpy(s->R, sys->Phi_q_rate.x, bytes);
    memcpy(s->rate_q, s->R, bytes);
    add_bracket(s, 1.0, s->J.x, r->v, s->rate_q);
    for (int k = 0; k < rows; k++) s->second_v[k] = s->R[k] + s->rate_q[k];
    add_bracket(s, 1.0, s->J.x, r->a, s->second_q);
    add_bracket(s, 1.0, s->second_v, r->v, s->second_q); // R and (J v)_q
    return SAR_OK;
}

/* ---- multipliers times second derivatives ------------------------------------------------------ */

static void scatter(const sari_slopes* s, const sari_step_record* r, int row, const double* H,
                    const int* pair)
{
    const int n = s->J.p[row + 1] - s->J.p[row];
    const double of[3] = {r->lambda[row], r->nu[row], r->kappa[row]};
    double* const A[3] = {s->F_q, s->N_q, s->A_q};
    for (int m = 0; m < 3; m++)
        for (int k = 0; of[m] != 0.0 && k < n * n; k++) A[m][pair[k]] += of[m] * H[k];
}

static void of_polynomial(sari_slopes* s, int row)
{
    sari_system* sys = s->sys;
    const int own = row < sys->own_rows, n = s->J.p[row + 1] - s->J.p[row];
    memset(s->H, 0, (size_t)n * (size_t)n * sizeof(double));
    sari_poly_hessian(own ? &sys->own : sys->kinematics,
                      own ? row : sys->row_polynomial[row - sys->own_rows], 1.0, s->H);
}

/* By way of a matrix of all coordinates, which is zero again afterwards. */
static void of_relation(sari_slopes* s, double t, int row)
{
    sari_system* sys = s->sys;
    const int first = s->J.p[row], n = s->J.p[row + 1] - first, *i = s->J.i + first;
    sari_relation_stiffness(sys, row - sys->own_rows - sys->polynomial_rows, t, 1.0, s->dense);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double* entry = &s->dense[(size_t)i[a] * (size_t)sys->nq + (size_t)i[b]];
            s->H[n * a + b] = *entry;
            *entry = 0.0;
        }
}

static void of_multipliers(sari_slopes* s, const sari_step_record* r)
{
    sari_system* sys = s->sys;
    const int* pair = s->pair;
    sari_kinematics_update(sys->kinematics, r->q, r->v, 1);
    sys->own.q = r->q, sys->own.v = r->v;
    for (int row = 0; row < sys->nc; row++) {
        const int n = s->J.p[row + 1] - s->J.p[row];
        if (row < sys->own_rows + sys->polynomial_rows)
            of_polynomial(s, row);
        else
            of_relation(s, r->t, row);
        scatter(s, r, row, s->H, pair);
        pair += n * n;
    }
}

/* ---- inertia ----------------------------------------------------------------------------------- */

static void point_at(sari_slopes* s, int colour)
{
    for (int c = 0; c < s->S.n; c++) s->dq[c] = s->colour_of_inertia[c] == colour;
}

static void add_columns(const sari_slopes* s, int colour, const double* slope, double* A)
{
    for (int c = 0; c < s->S.n; c++) {
        if (s->colour_of_inertia[c] != colour) continue;
        for (int a = s->inertia_p[c]; a < s->inertia_p[c + 1]; a++) {
            const int k = s->inertia_at[a];
            A[s->at[k]] += slope[s->row[k]];
        }
    }
}

/* M a* - Q, M (v - v*), M (a - a*) at q, into the value's F, N and A */
static void inertia_at(sari_slopes* s, const sari_step_record* r, const double* q)
{
    sari_system* sys = s->sys;
    sari_step_terms* x = &s->value;
    const int n = sys->nq, motion = n - sys->states;
    const double* Q = sari_residual_inertia(sys, q, r->v_star, 1);
    sari_equations_mass_times(&sys->equations, r->a_star, x->F);
    for (int i = 0; i < motion; i++) x->F[i] -= Q[i];
    for (int i = motion; i < n; i++) x->F[i] = 0.0;
    for (int i = 0; i < n; i++) x->work[i] = r->v[i] - r->v_star[i];
    sari_equations_mass_times(&sys->equations, x->work, x->N);
    for (int i = 0; i < n; i++) x->work[i] = r->a[i] - r->a_star[i];
    sari_equations_mass_times(&sys->equations, x->work, x->A);
}

static void inertia_by_position(sari_slopes* s, const sari_step_record* r, int colour)
{
    const int n = s->S.n;
    const double h = STEP * fmin(s->unit, 1.0);
    memset(s->slope, 0, 3 * (size_t)n * sizeof(double));
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < n; i++) s->change[i] = sign * k * h * s->dq[i];
            sari_coordinates_move(&s->sys->coordinates, r->q, s->change, s->there);
            inertia_at(s, r, s->there);
            sari_vector_add(3 * n, sign * weight[k - 1] / h, s->value.F, s->slope);
        }
    add_columns(s, colour, s->slope, s->F_q);
    add_columns(s, colour, s->slope + n, s->N_q);
    add_columns(s, colour, s->slope + 2 * n, s->A_q);
}

/* Quadratic in v*: two points are exact. */
static void inertia_by_velocity(sari_slopes* s, const sari_step_record* r, int colour, double pace)
{
    const int n = s->S.n, motion = n - s->sys->states;
    memset(s->slope, 0, (size_t)n * sizeof(double));
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < n; i++) s->velocity[i] = r->v_star[i] + sign * pace * s->dq[i];
        const double* Q = sari_residual_inertia(s->sys, r->q, s->velocity, 0);
        sari_vector_add(motion, -0.5 * sign / pace, Q, s->slope);
    }
    add_columns(s, colour, s->slope, s->F_v);
}

static void of_inertia(sari_slopes* s, const sari_step_record* r)
{
    const sari_system* sys = s->sys;
    const sari_evaluator_ops* ops = sys->coordinates.evaluator;
    const double pace = fmax(sari_vector_max(sys->nq, r->v), 1e-3);
    if (sys->constant_mass && (!ops->force_is_constant || ops->force_is_constant(sys))) return;
    for (int k = 0; k < s->colours_of_inertia; k++) {
        point_at(s, k);
        if (!sys->constant_mass) inertia_by_position(s, r, k);
        inertia_by_velocity(s, r, k, pace);
    }
}

sar_status sari_slopes_closed(sari_slopes* s, const sari_step_record* r)
{
    double* const A[] = {s->F_q, s->F_v, s->N_q, s->A_q};
    if (!s->closed) return SAR_E_INCOMPAT;
    SARI_TRY(of_rows(s, r));
    for (int k = 0; k < 4; k++) memset(A[k], 0, 2 * (size_t)s->entries * sizeof(double));
    of_inertia(s, r);
    of_multipliers(s, r);
    return SAR_OK;
}
