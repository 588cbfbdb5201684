#include "formulations/step_matrix.h"
#include "formulations/step_states.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "linalg/tree/generated.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-6; ///< of shifts: lengths of steps differ by rounding

enum { TURN = 6 }; ///< numbers of the geometric stiffness in three coordinates

/* Is the lower triangle A, by rows, of a 3 x 3 matrix that of a positive definite one? */
static int is_definite(const double A[TURN])
{
    double second = A[0] * A[2] - A[1] * A[1];
    double third = A[0] * (A[2] * A[5] - A[4] * A[4]) - A[1] * (A[1] * A[5] - A[4] * A[3]) +
                   A[3] * (A[1] * A[4] - A[2] * A[3]);
    return A[0] > 0.0 && second > 0.0 && third > 0.0;
}

typedef struct task {
    const sari_step_matrix* m;
    double b, *P;
} task;

static void set_turning(void* self, int first, int end)
{
    const task* t = self;
    for (int k = TURN * first; k < TURN * end; k += TURN)
        for (int i = 0; i < TURN; i++) t->P[t->m->turning_at[k + i]] = t->m->turning[k + i];
}

static void add_stiffness(void* self, int first, int end)
{
    const task* t = self;
    for (int k = TURN * first; k < TURN * end; k += TURN) {
        const double* G = t->m->stiffness + k;
        const int* at = t->m->turning_at + k;
        double sum[TURN];
        for (int i = 0; i < TURN; i++) sum[i] = t->P[at[i]] + t->b * G[i];
        if (!is_definite(sum)) continue;
        for (int i = 0; i < TURN; i++) t->P[at[i]] = sum[i];
    }
}

/* P = M + b (cv C + K) */
static void add_tangent(const sari_step_matrix* m, double b, double cv, double* P)
{
    const sari_equations* sys = m->sys;
    for (int k = 0; k < sys->M.p[sys->nq]; k++) P[m->M_at[k]] = sys->M.x[k];
    for (int r = 0; r < sys->nq; r++)
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++) {
            double half = sys->K.i[k] == r ? 1.0 : 0.5;
            P[m->K_at[k]] += half * b * (cv * sys->C.x[k] + sys->K.x[k]);
        }
    if (m->states) sari_condensation_set(m->states, b, cv, P);
}

/* The same; K and C may serve several steps. */
static void set_tangent(sari_step_matrix* m, double b, double cv, double* P)
{
    const size_t bytes = (size_t)m->entries * sizeof *P;
    const unsigned long now = m->sys->tangents;
    const int same = fabs(b - m->kept_b) <= SAME * b && fabs(cv - m->kept_cv) <= SAME * cv;
    if (m->kept && m->kept_of == now && same) {
        memcpy(P, m->kept, bytes);
        return;
    }
    memset(P, 0, bytes);
    add_tangent(m, b, cv, P);
    if (!m->kept) return;
    memcpy(m->kept, P, bytes);
    m->kept_of = now, m->kept_b = b, m->kept_cv = cv;
}

/* M's tree, and b times its slopes. */
static void set_tree(const sari_step_matrix* m, double b, sari_sym* P)
{
    sari_generated_assign(P->tree, m->sys->M.tree);
    P->slopes = b;
    for (int i = 0; i < P->tree->nodes; i++)
        for (int c = 0, k = P->tree->node[i].first; c < P->tree->node[i].count; c++, k++) {
            const double beside = P->x[P->p[k]] - m->sys->M.x[m->sys->M.p[k]];
            P->x[P->p[k]] = sari_generated_entry(P->tree, b, i, c) + beside;
        }
}

void sari_step_matrix_set(sari_step_matrix* m, double b, double cv, const double* lambda,
                          sari_sym* values)
{
    const sari_equations* sys = m->sys;
    double* P = values->x;
    task t = {m, b, P};
    if (m->has_tangent) {
        set_tangent(m, b, cv, P);
    } else if (!m->stiffness) { // one pattern
        memcpy(P, sys->M.x, (size_t)sys->M.p[sys->nq] * sizeof *P);
    } else {
        sari_parallel(sys->threads, sys->stiff_count, set_turning, &t);
    }
    if (values->tree) set_tree(m, b, values);
    if (!m->stiffness || !lambda) return;
    sari_equations_stiffness(sys, lambda, m->stiffness);
    sari_parallel(sys->threads, sys->stiff_count, add_stiffness, &t);
}

/* Row and column of number i of the geometric stiffness. */
static void stiff_entry(const sari_equations* sys, int i, int* row, int* col)
{
    static const int at[TURN][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}};
    *row = sys->stiff[i / TURN] + at[i % TURN][0];
    *col = sys->stiff[i / TURN] + at[i % TURN][1];
}

static sar_status make_pattern(const sari_step_matrix* m, sari_sym* P)
{
    const sari_equations* sys = m->sys;
    sari_pattern pattern;
    int row, col;
    sari_pattern_init(&pattern, sys->nq, sys->nq);
    for (int c = 0; c < sys->nq; c++)
        for (int k = sys->M.p[c]; k < sys->M.p[c + 1]; k++)
            sari_pattern_add(&pattern, sys->M.i[k], c);
    for (int r = 0; r < sys->nq; r++)
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++)
            sari_pattern_add(&pattern, r, sys->K.i[k]);
    for (int i = 0; m->stiffness && i < TURN * sys->stiff_count; i++) {
        stiff_entry(sys, i, &row, &col);
        sari_pattern_add(&pattern, row, col);
    }
    if (m->states) sari_condensation_pattern(m->states, &pattern);
    sar_status st = sari_pattern_make_sym(&pattern, P);
    sari_pattern_clear(&pattern);
    if (st == SAR_OK && sys->M.tree && !(P->tree = sari_generated_copy(sys->M.tree)))
        return SAR_E_NOMEM;
    return st;
}

static void locate(sari_step_matrix* m, sari_sym* P)
{
    const sari_equations* sys = m->sys;
    int row, col;
    for (int c = 0; c < sys->nq; c++)
        for (int k = sys->M.p[c]; k < sys->M.p[c + 1]; k++) {
            m->M_at[k] = sari_sym_find(P, sys->M.i[k], c);
            P->x[m->M_at[k]] = sys->M.x[k];
        }
    for (int r = 0; r < sys->nq; r++)
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++)
            m->K_at[k] = sari_sym_find(P, r, sys->K.i[k]);
    for (int i = 0; m->stiffness && i < TURN * sys->stiff_count; i++) {
        stiff_entry(sys, i, &row, &col);
        m->turning_at[i] = sari_sym_find(P, row, col);
        m->turning[i] = P->x[m->turning_at[i]];
    }
    if (m->states) sari_condensation_locate(m->states, P);
}

sar_status sari_step_matrix_create(sari_step_matrix* m, const sari_equations* sys, int geometric,
                                   sari_sym* P)
{
    *m = (sari_step_matrix){.sys = sys, .has_tangent = sys->K.p[sys->nq] > 0};
    if (sys->M.tree) m->has_tangent = m->has_tangent || sys->M.tree->sloped;
    m->M_at = SARI_TAKE(&m->memory, int, sys->M.p[sys->nq]);
    m->K_at = SARI_TAKE(&m->memory, int, sys->K.p[sys->nq]);
    if (m->memory.failed) return SAR_E_NOMEM;
    if (geometric && sys->stiff_count > 0) {
        m->stiffness = SARI_TAKE(&m->memory, double, TURN * sys->stiff_count);
        m->turning = SARI_TAKE(&m->memory, double, TURN * sys->stiff_count);
        m->turning_at = SARI_TAKE(&m->memory, int, TURN * sys->stiff_count);
        if (m->memory.failed) return SAR_E_NOMEM;
    }
    if (sys->states && !(m->states = sari_condensation_create(sys, &m->memory))) return SAR_E_NOMEM;
    SARI_TRY(make_pattern(m, P));
    m->entries = P->p[sys->nq];
    locate(m, P);
    if (!m->has_tangent || !sys->constant_mass) return SAR_OK;
    m->kept_of = sys->tangents - 1; // nothing yet
    m->kept = SARI_TAKE(&m->memory, double, m->entries);
    return m->kept ? SAR_OK : SAR_E_NOMEM;
}

void sari_step_matrix_archive(sari_step_matrix* m, sari_archive* a)
{
    if (m->states) sari_condensation_archive(m->states, a);
    if (!m->kept) return;
    const int valid = sari_archive_flag(a, m->kept_of == m->sys->tangents);
    if (sari_archive_reads(a)) m->kept_of = valid ? m->sys->tangents : m->sys->tangents - 1;
    if (!valid) return;
    SARI_ARCHIVE_NUMBERS(a, &m->kept_b, &m->kept_cv);
    sari_archive_numbers(a, m->kept, (size_t)m->entries);
}

void sari_step_matrix_reduce(const sari_step_matrix* m, double* f)
{
    if (m->states) sari_condensation_reduce(m->states, f);
}

void sari_step_matrix_expand(const sari_step_matrix* m, const double* f, double* x)
{
    if (m->states) sari_condensation_expand(m->states, f, x);
}

void sari_step_matrix_clear(sari_step_matrix* m)
{
    sari_arena_clear(&m->memory);
    *m = (sari_step_matrix){0};
}
