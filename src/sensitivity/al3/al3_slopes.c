#include "sensitivity/al3/al3_slopes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/lu.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-3; ///< sizes or radians, of four points

/* ---- patterns ------------------------------------------------------------------------------- */

/* Rows and columns of S: M, K, and cliques of J. Where a body's coordinates turn together, its inertial forces couple
 * those that M does not, and what couples to one of them couples to all. */
static void add_pairs(sari_pattern* pattern, const sari_system* sys, const int* block)
{
    const sari_csr *J = &sys->Phi_q, *K = &sys->K;
    for (int c = 0; c < sys->nq; c++) {
        for (int k = sys->M.p[c]; k < sys->M.p[c + 1]; k++)
            sari_pattern_add(pattern, block[sys->M.i[k]], block[c]);
        for (int k = K->p[c]; k < K->p[c + 1]; k++)
            sari_pattern_add(pattern, block[c], block[K->i[k]]);
    }
    for (int r = 0; r < J->rows; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++)
            for (int b = J->p[r]; b <= a; b++)
                sari_pattern_add(pattern, block[J->i[a]], block[J->i[b]]);
}

/* The pattern of blocks as one of coordinates. */
static sar_status expand(sari_slopes* s, const sari_sym* coarse, const int* block)
{
    const int n = s->sys->nq;
    sari_pattern pattern;
    sari_pattern_init(&pattern, n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (sari_sym_find(coarse, block[i], block[j]) >= 0) sari_pattern_add(&pattern, i, j);
    const sar_status st = sari_pattern_make_sym(&pattern, &s->S);
    sari_pattern_clear(&pattern);
    return st;
}

static sar_status make_pattern(sari_slopes* s)
{
    const sari_system* sys = s->sys;
    sari_pattern pattern;
    sari_sym coarse = {0};
    int* block = SARI_NEW_ARRAY(int, sys->nq + 1);
    if (!block) return SAR_E_NOMEM;
    const int bodies = !sys->coordinates.constant && sari_equations_blocks(&sys->equations, block);
    for (int i = 0; !bodies && i < sys->nq; i++) block[i] = i;
    sari_pattern_init(&pattern, sys->nq, sys->nq);
    add_pairs(&pattern, sys, block);
    sar_status st = sari_pattern_make_sym(&pattern, bodies ? &coarse : &s->S);
    if (bodies && st == SAR_OK) st = expand(s, &coarse, block);
    sari_sym_clear(&coarse);
    sari_pattern_clear(&pattern);
    sari_release(block);
    return st;
}

/* Both triangles of S by columns. */
static void list_columns(sari_slopes* s)
{
    const sari_sym* S = &s->S;
    const int n = S->n;
    for (int c = 0; c < n; c++)
        for (int e = S->p[c]; e < S->p[c + 1]; e++) {
            s->p[c + 1]++;
            if (S->i[e] != c) s->p[S->i[e] + 1]++;
        }
    for (int c = 0; c < n; c++) s->p[c + 1] += s->p[c];
    int* next = s->colour; // not needed yet
    memcpy(next, s->p, (size_t)n * sizeof(int));
    for (int c = 0; c < n; c++)
        for (int e = S->p[c]; e < S->p[c + 1]; e++) {
            const int r = S->i[e];
            s->row[next[c]] = r, s->at[next[c]++] = e;
            if (r != c) s->row[next[r]] = c, s->at[next[r]++] = s->entries + e;
        }
}

static void list_row_columns(sari_slopes* s)
{
    const sari_csr* J = &s->sys->Phi_q;
    const int n = s->S.n;
    for (int k = 0; k < J->p[J->rows]; k++) s->J_p[J->i[k] + 1]++;
    for (int c = 0; c < n; c++) s->J_p[c + 1] += s->J_p[c];
    int* next = s->colour;
    memcpy(next, s->J_p, (size_t)n * sizeof(int));
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) {
            s->J_row[next[J->i[k]]] = r;
            s->J_at[next[J->i[k]]++] = k;
        }
}

/* The first colour that no column has with which this one shares a row; rows of J are cliques of S. */
static sar_status choose_colours(sari_slopes* s)
{
    const int n = s->S.n;
    int* taken = SARI_NEW_ARRAY(int, n + 1); // by column c - 1
    if (!taken) return SAR_E_NOMEM;
    for (int c = 0; c < n; c++) s->colour[c] = -1;
    for (int c = 0; c < n; c++) {
        for (int a = s->p[c]; a < s->p[c + 1]; a++)
            for (int b = s->p[s->row[a]]; b < s->p[s->row[a] + 1]; b++)
                if (s->colour[s->row[b]] >= 0) taken[s->colour[s->row[b]]] = c + 1;
        int free = 0;
        while (taken[free] == c + 1) free++;
        s->colour[c] = free;
        if (free + 1 > s->colours) s->colours = free + 1;
    }
    sari_release(taken);
    return SAR_OK;
}

static int second_derivatives(const sari_system* sys)
{
    const sari_quadratics* f = &sys->compiled;
    return f->h[f->p[f->rows]];
}

/* Where entries of other matrices are in the pattern. */
static void list_places(sari_slopes* s)
{
    const sari_sym* M = &s->sys->M;
    const sari_csr* K = &s->sys->K;
    const sari_quadratics* f = &s->sys->compiled;
    for (int c = 0; c < M->n; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++) s->M_at[k] = sari_sym_find(&s->S, M->i[k], c);
    for (int r = 0; r < K->rows; r++)
        for (int k = K->p[r]; k < K->p[r + 1]; k++) {
            const int e = sari_sym_find(&s->S, r, K->i[k]);
            s->K_at[k] = K->i[k] <= r ? e : s->entries + e;
        }
    for (int e = 0; s->H_at && e < f->p[f->rows]; e++)
        for (int t = f->h[e]; t < f->h[e + 1]; t++) {
            const int i = f->entry[e].i, j = f->term[t].i;
            s->H_at[t] = j <= i ? sari_sym_find(&s->S, i, j) : -1;
        }
}

static sar_status take_memory(sari_slopes* s)
{
    sari_arena* m = &s->memory;
    const int n = s->sys->nq, rows = s->sys->Phi_q.p[s->sys->nc], both = 2 * s->entries;
    double** square[] = {&s->M, &s->F_q, &s->F_v, &s->N_q, &s->A_q, &s->D, &s->D_0};
    double** of_rows[] = {&s->J.x, &s->Phi_q_star, &s->rate_q, &s->second_q, &s->second_v};
    s->p = SARI_TAKE(m, int, n + 1);
    s->row = SARI_TAKE(m, int, both);
    s->at = SARI_TAKE(m, int, both);
    s->J_p = SARI_TAKE(m, int, n + 1);
    s->J_row = SARI_TAKE(m, int, rows);
    s->J_at = SARI_TAKE(m, int, rows);
    s->colour = SARI_TAKE(m, int, n);
    for (int k = 0; k < (s->sys->vectors ? 5 : 7); k++) *square[k] = SARI_TAKE(m, double, both);
    for (int k = 0; k < 5; k++) *of_rows[k] = SARI_TAKE(m, double, rows);
    sari_terms_take(&s->value, m, s->sys);
    s->slope = SARI_TAKE(m, double, sari_terms_size(&s->value));
    s->dq = SARI_TAKE(m, double, n);
    s->there = SARI_TAKE(m, double, s->sys->np);
    s->velocity = SARI_TAKE(m, double, n);
    s->change = SARI_TAKE(m, double, n);
    s->where = SARI_TAKE(m, int, n);
    for (int i = 0; s->where && i < n; i++) s->where[i] = -1;
    s->M_at = SARI_TAKE(m, int, s->sys->M.p[n] + 1);
    s->K_at = SARI_TAKE(m, int, s->sys->K.p[n] + 1);
    if (s->sys->quadratic && s->sys->coordinates.constant)
        s->H_at = SARI_TAKE(m, int, second_derivatives(s->sys) + 1);
    return m->failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sari_slopes_create(sari_slopes* s, sari_system* sys, double unit)
{
    memset(s, 0, sizeof *s);
    s->sys = sys;
    s->unit = unit;
    s->J = sys->Phi_q;
    s->J.x = NULL;
    SARI_TRY(make_pattern(s));
    s->entries = s->S.p[sys->nq];
    SARI_TRY(take_memory(s));
    list_columns(s);
    list_row_columns(s);
    list_places(s);
    SARI_TRY(choose_colours(s));
    return s->H_at ? SAR_OK : sari_slopes_closed_create(s);
}

void sari_slopes_clear(sari_slopes* s)
{
    sari_sym_clear(&s->S);
    sari_arena_clear(&s->memory);
    memset(s, 0, sizeof *s);
}

/* ---- products ------------------------------------------------------------------------------- */

void sari_slopes_times(const sari_slopes* s, const double* A, const double* x, double* y)
{
    sari_lu_multiply(&s->S, A, A + s->entries, x, y);
}

void sari_slopes_times_transposed(const sari_slopes* s, const double* A, const double* x, double* y)
{
    sari_lu_multiply_transposed(&s->S, A, A + s->entries, x, y);
}

void sari_slopes_add_rows(const sari_slopes* s, const double* B, double f, const double* x,
                          double* y)
{
    const sari_csr* J = &s->J;
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) y[r] += f * B[k] * x[J->i[k]];
}

void sari_slopes_add_rows_transposed(const sari_slopes* s, const double* B, double f,
                                     const double* x, double* y)
{
    const sari_csr* J = &s->J;
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) y[J->i[k]] += f * B[k] * x[r];
}

/* ---- values --------------------------------------------------------------------------------- */

/* The columns of a colour, whose sum the slope is. */
static void store_square(sari_slopes* s, int colour, const double* slope, double* A)
{
    for (int c = 0; c < s->S.n; c++) {
        if (s->colour[c] != colour) continue;
        for (int k = s->p[c]; k < s->p[c + 1]; k++) A[s->at[k]] = slope[s->row[k]];
    }
}

static void store_rows(sari_slopes* s, int colour, const double* slope, double* B)
{
    for (int c = 0; c < s->S.n; c++) {
        if (s->colour[c] != colour) continue;
        for (int k = s->J_p[c]; k < s->J_p[c + 1]; k++) B[s->J_at[k]] = slope[s->J_row[k]];
    }
}

static void point_at(sari_slopes* s, int colour)
{
    for (int c = 0; c < s->S.n; c++) s->dq[c] = s->colour[c] == colour;
}

/* x += f dq */
static const double* beside(sari_slopes* s, const double* x, double f)
{
    for (int i = 0; i < s->S.n; i++) s->velocity[i] = x[i] + f * s->dq[i];
    return s->velocity;
}

/* Places linear in q and rows quadratic: second derivatives of the rows are constant, and M is. */
static int is_quadratic(const sari_slopes* s)
{
    return s->H_at != NULL;
}

/* lambda, nu and kappa . d2Phi/dq2 */
static void set_stiffness(sari_slopes* s, const sari_step_record* r)
{
    const sari_quadratics* f = &s->sys->compiled;
    double* const A[] = {s->F_q, s->N_q, s->A_q};
    const size_t bytes = (size_t)s->entries * sizeof(double);
    for (int k = 0; k < 3; k++) memset(A[k], 0, bytes);
    for (int row = 0; row < f->rows; row++) {
        const double l = r->lambda[row], n = r->nu[row], ka = r->kappa[row];
        for (int t = f->h[f->p[row]]; t < f->h[f->p[row + 1]]; t++) {
            const int at = s->H_at[t];
            const double c = f->term[t].c;
            if (at < 0) continue;
            A[0][at] += l * c, A[1][at] += n * c, A[2][at] += ka * c;
        }
    }
    for (int k = 0; k < 3; k++) memcpy(A[k] + s->entries, A[k], bytes);
}

static sar_status find_quadratic(sari_slopes* s, const sari_step_record* r)
{
    sari_system* sys = s->sys;
    const int rows = sys->Phi_q.p[sys->nc];
    const size_t bytes = (size_t)rows * sizeof(double);
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN_RATE, r->t, r->q, r->v));
    memcpy(s->rate_q, sys->Phi_q_rate.x, bytes);
    for (int k = 0; k < rows; k++) s->second_v[k] = 2.0 * s->rate_q[k];
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN_RATE, r->t, r->q, r->a));
    memcpy(s->second_q, sys->Phi_q_rate.x, bytes);
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN, r->t, r->q, NULL));
    set_stiffness(s, r);
    memset(s->F_v, 0, 2 * (size_t)s->entries * sizeof(double));
    return SAR_OK;
}

/* Central differences along the columns of a colour: weight[k] of the points at +-(k + 1) h */
static sar_status along_positions(sari_slopes* s, const sari_step_record* r, int colour)
{
    static const double weight[] = {2.0 / 3.0, -1.0 / 12.0};
    sari_system* sys = s->sys;
    const double h = STEP * fmin(s->unit, 1.0);
    const int size = sari_terms_size(&s->value), n = s->S.n, nc = sys->nc;
    memset(s->slope, 0, (size_t)size * sizeof(double));
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < n; i++) s->change[i] = sign * k * h * s->dq[i];
            sari_coordinates_move(&sys->coordinates, r->q, s->change, s->there);
            SARI_TRY(sari_terms_find(&s->value, sys, r, r->t, s->there, r->v_star, r->v,
                                     SARI_TERMS_SMOOTH));
            sari_vector_add(size, sign * weight[k - 1] / h, s->value.F, s->slope);
        }
    const double* rows = s->slope + 3 * n;
    store_square(s, colour, s->slope, s->F_q);
    store_square(s, colour, s->slope + n, s->N_q);
    store_square(s, colour, s->slope + 2 * n, s->A_q);
    if (sys->velocity_rows) store_rows(s, colour, rows, s->Phi_q_star);
    store_rows(s, colour, rows + nc, s->rate_q);
    store_rows(s, colour, rows + 2 * nc, s->second_q);
    return SAR_OK;
}

/* F by v*, and the bias by v. `pace`: any change is right */
static sar_status along_velocities(sari_slopes* s, const sari_step_record* r, int colour,
                                   double pace)
{
    sari_system* sys = s->sys;
    const int n = s->S.n, nc = sys->nc;
    double *F = s->slope, *second = s->slope + n;
    memset(F, 0, (size_t)(n + nc) * sizeof(double));
    for (int sign = -1; sign <= 1; sign += 2) {
        if (!sys->coordinates.constant) {
            const double* v = beside(s, r->v_star, sign * pace);
            (void)sari_equations_eval(&sys->equations, SARI_EVAL_FORCE, r->t, r->q, v);
            sari_vector_add(n - sys->states, -0.5 * sign / pace, sari_residual_own_forces(sys), F);
        }
        const double* v = beside(s, r->v, sign * pace);
        if (nc) SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_BIAS, r->t, r->q, v));
        sari_vector_add(nc, 0.5 * sign / pace, sys->bias, second);
    }
    store_square(s, colour, F, s->F_v);
    store_rows(s, colour, second, s->second_v);
    return sari_vector_finite(n + nc, F) ? SAR_OK : SAR_R_NOT_FINITE;
}

/* A matrix of applied forces is added to that of the rest. */
static void add_applied(sari_slopes* s, const sari_csr* K, double* A)
{
    for (int k = 0; k < K->p[K->rows]; k++) A[s->K_at[k]] += K->x[k];
}

static double* entry_of(const sari_slopes* s, double* A, int i, int k)
{
    return &A[sari_sym_find(&s->S, i, k) + (i < k ? s->entries : 0)];
}

/* Changes of all coordinates at once: those that are turns couple three of them, others none. */
static void store_change(sari_slopes* s, int colour, const double* sum, double* D)
{
    const int* turns = s->sys->coordinates.turns;
    for (int c = 0; c < s->S.n; c++) {
        if (turns && turns[c]) {
            for (int i = 0; i < 3; i++) *entry_of(s, D, c + i, c + colour) = sum[c + i];
            c += 2;
        } else if (colour == 0) {
            *entry_of(s, D, c, c) = sum[c];
        }
    }
}

static void point_at_turns(sari_slopes* s, int colour)
{
    const int* turns = s->sys->coordinates.turns;
    for (int c = 0; c < s->S.n; c++) {
        s->dq[c] = colour == 0;
        if (!turns || !turns[c]) continue;
        for (int i = 0; i < 3; i++) s->dq[c + i] = i == colour;
        c += 2;
    }
}

/* The change that leads from q0 to q, by differences of itself: no forces are asked. */
static void change_slopes(sari_slopes* s, const sari_step_record* r, int colour, int first,
                          double* D)
{
    static const double weight[] = {2.0 / 3.0, -1.0 / 12.0};
    const sari_coordinates* c = &s->sys->coordinates;
    const int n = s->S.n;
    double* sum = s->slope;
    memset(sum, 0, (size_t)n * sizeof(double));
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < n; i++) s->change[i] = sign * k * STEP * s->dq[i];
            sari_coordinates_move(c, first ? r->q0 : r->q, s->change, s->there);
            if (first)
                sari_coordinates_difference(c, s->there, r->q, s->change);
            else
                sari_coordinates_difference(c, r->q0, s->there, s->change);
            sari_vector_add(n, sign * weight[k - 1] / STEP, s->change, sum);
        }
    store_change(s, colour, sum, D);
}

sar_status sari_slopes_place(sari_slopes* s, sari_system* sys, double t, const double* q)
{
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, t, q, NULL));
    memset(s->M, 0, 2 * (size_t)s->entries * sizeof(double));
    for (int k = 0; k < sys->M.p[sys->nq]; k++)
        s->M[s->M_at[k]] = s->M[s->entries + s->M_at[k]] = sys->M.x[k];
    memcpy(s->J.x, sys->Phi_q.x, (size_t)sys->Phi_q.p[sys->nc] * sizeof(double));
    return SAR_OK;
}

sar_status sari_slopes_find(sari_slopes* s, const sari_step_record* r)
{
    sari_system* sys = s->sys;
    const double pace = fmax(sari_vector_max(sys->nq, r->v), 1e-3);
    sari_residual applied = {.sys = sys, .t = r->t, .q = r->q, .v = r->v_star, .value = s->slope};
    if (is_quadratic(s)) SARI_TRY(find_quadratic(s, r));
    const sar_status closed = is_quadratic(s) ? SAR_OK : sari_slopes_closed(s, r);
    if (closed != SAR_OK && closed != SAR_E_INCOMPAT) return closed;
    for (int k = 0; k < s->colours && closed != SAR_OK; k++) {
        point_at(s, k);
        SARI_TRY(along_positions(s, r, k));
        SARI_TRY(along_velocities(s, r, k, pace));
    }
    for (int k = 0; k < 3 && s->D && r->h > 0.0; k++) {
        point_at_turns(s, k);
        change_slopes(s, r, k, 0, s->D);
        change_slopes(s, r, k, 1, s->D_0);
    }
    for (int k = 0; k < s->sys->Phi_q.p[sys->nc - sys->velocity_rows]; k++) s->Phi_q_star[k] = 0.0;
    SARI_TRY(sari_residual_tangent(&applied));
    add_applied(s, &sys->K, s->F_q);
    add_applied(s, &sys->C, s->F_v);
    return SAR_OK;
}
