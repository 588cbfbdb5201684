/* Rows of a start: the constraints of the system, then the start conditions. */
#include "simulation/start/assembler.h"

#include "base/status.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sari_assembler_clear(sari_assembler* a)
{
    sari_constrained_clear(&a->lin);
    sari_csr_clear(&a->J);
    sari_arena_clear(&a->memory);
}

int sari_assembler_scalar(const sari_assembler* a, int k)
{
    return a->sys->mechanism->signal_scalar[a->model->starts[a->start[k]].signal];
}

double sari_assembler_goal(const sari_assembler* a, int k)
{
    const double value = a->model->starts[a->start[k]].value;
    return a->way < 1.0 ? a->from[k] + a->way * (value - a->from[k]) : value;
}

static sar_status make_rows(sari_assembler* a)
{
    const sari_system* sys = a->sys;
    a->start = SARI_TAKE(&a->memory, int, a->model->starts_count);
    a->from = SARI_TAKE(&a->memory, double, a->model->starts_count);
    if (a->memory.failed) return SAR_E_NOMEM;
    for (int i = 0; i < a->model->starts_count; i++)
        if (a->model->signals[a->model->starts[i].signal].level == a->level)
            a->start[a->starts++] = i;
    a->rows = sys->nc + a->starts;
    sari_pattern pattern;
    sari_pattern_init(&pattern, a->rows, sys->nq);
    for (int r = 0; r < sys->nc; r++)
        for (int k = sys->Phi_q.p[r]; k < sys->Phi_q.p[r + 1]; k++)
            sari_pattern_add(&pattern, r, sys->Phi_q.i[k]);
    for (int k = 0; k < a->starts; k++) {
        const sari_term_list* list = &sys->kinematics->scalar_depends[sari_assembler_scalar(a, k)];
        for (int i = 0; i < list->n; i++) sari_pattern_add(&pattern, sys->nc + k, list->i[i]);
    }
    sar_status st = sari_pattern_make_csr(&pattern, &a->J);
    sari_pattern_clear(&pattern);
    return st;
}

static sar_status make_room(sari_assembler* a)
{
    a->r = SARI_TAKE(&a->memory, double, a->rows);
    a->mu = SARI_TAKE(&a->memory, double, a->rows);
    a->scale = SARI_TAKE(&a->memory, double, a->rows);
    a->dq = SARI_TAKE(&a->memory, double, a->n);
    a->zero = SARI_TAKE(&a->memory, double, a->n);
    a->f = SARI_TAKE(&a->memory, double, a->n);
    a->trial = SARI_TAKE(&a->memory, double, a->sys->np);
    return a->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sari_assembler_init(sari_assembler* a, sari_system* sys, double t, int level,
                               double unit)
{
    memset(a, 0, sizeof *a);
    a->sys = sys;
    a->model = sys->model;
    a->t = t;
    a->level = level;
    a->unit = unit;
    a->n = sys->nq;
    a->way = 1.0;
    SARI_TRY(make_rows(a));
    SARI_TRY(make_room(a));
    if (a->rows == 0) return SAR_OK; // nothing will be solved
    if (level == 1) return sari_constrained_create(&a->lin, &sys->M, &a->J, 0, "auto", NULL);
    return sari_constrained_create_diagonal(&a->lin, &a->J, 0, "auto");
}

static void leave_out(sari_assembler* a, int row)
{
    a->r[row] = 0.0;
    for (int k = a->J.p[row]; k < a->J.p[row + 1]; k++) a->J.x[k] = 0.0;
}

static void evaluate_starts(sari_assembler* a, const double* q)
{
    sari_system* sys = a->sys;
    if (a->starts) sari_kinematics_update(sys->kinematics, q, NULL, 1);
    for (int k = 0; k < a->starts; k++) {
        sari_scalar_value value = {0};
        int scalar = sari_assembler_scalar(a, k), row = sys->nc + k;
        sari_scalar_eval(sys->kinematics, scalar, 0, &value);
        memcpy(a->J.x + a->J.p[row], value.g,
               (size_t)sys->kinematics->scalar_depends[scalar].n * sizeof(double));
        a->r[row] = value.value - sari_assembler_goal(a, k);
        if (a->without_starts) leave_out(a, row);
    }
}

void sari_assembler_take_starts(sari_assembler* a, const double* q)
{
    sari_kinematics_update(a->sys->kinematics, q, NULL, 1);
    for (int k = 0; k < a->starts; k++) {
        sari_scalar_value value = {0};
        sari_scalar_eval(a->sys->kinematics, sari_assembler_scalar(a, k), 0, &value);
        a->from[k] = value.value;
    }
}

/* Rows of J have the same order of columns as the system's. */
double sari_assembler_evaluate(sari_assembler* a, const double* q)
{
    sari_system* sys = a->sys;
    sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, a->t, q, NULL);
    int plain = sys->own_rows + sys->polynomial_rows;
    memcpy(a->J.x, sys->Phi_q.x, (size_t)sys->Phi_q.p[sys->nc] * sizeof(double));
    memcpy(a->r, sys->Phi, (size_t)sys->nc * sizeof(double));
    for (int i = 0; a->without_offsets && i < sys->relation_rows; i++)
        if (sys->relation[i].as_drawn) leave_out(a, plain + i);
    for (int r = 0; a->as_given && r < sys->nc; r++) leave_out(a, r);
    for (int r = sys->nc - sys->velocity_rows; a->level == 0 && r < sys->nc; r++) leave_out(a, r);
    evaluate_starts(a, q);
    for (int r = 0; a->row && r < a->rows; r++) {
        a->r[r] *= a->row[r];
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++) a->J.x[k] *= a->row[r];
    }
    double square = 0.0;
    for (int r = 0; r < a->rows; r++) square += a->r[r] * a->r[r];
    return square;
}

/* ---- whose residuals ------------------------------------------------------------------------ */

/* Largest violation that a joint has to do with: its own rows, and in coordinates that build joints
 * in those of the bodies it holds together. */
static double joint_residual(const sari_assembler* a, int joint)
{
    const sari_system* sys = a->sys;
    const sari_joint* j = &a->model->joints[joint];
    double worst = 0.0;
    for (int r = 0; r < sys->nc; r++) {
        int own = !j->relation && sys->row_body[r] > 0 &&
                  (sys->row_body[r] == j->pair.a.body.i || sys->row_body[r] == j->pair.b.body.i);
        if ((own || sys->row_joint[r] == joint) && fabs(a->r[r]) > fabs(worst)) worst = a->r[r];
    }
    return worst;
}

static void add_conflict(sar_assembly* report, const char* name, double residual)
{
    int at = report->conflicts;
    while (at > 0 && fabs(report->conflict[at - 1].residual) < fabs(residual)) at--;
    if (at == 8) return;
    if (report->conflicts < 8) report->conflicts++;
    for (int k = report->conflicts - 1; k > at; k--) report->conflict[k] = report->conflict[k - 1];
    snprintf(report->conflict[at].name, sizeof report->conflict[at].name, "%s", name);
    report->conflict[at].residual = residual;
}

/* g, by variables listed in `index`, gets `slope` for one of them. */
static void add_slope(double* g, int* index, int* n, int variable, double slope)
{
    int at = 0;
    while (at < *n && index[at] != variable) at++;
    if (at == SARI_POLY_X) return;
    if (at == *n) index[(*n)++] = variable;
    g[at] += slope;
}

/* Length of the gradient of a joint's row by the places of its bodies; 0 for other rows. */
static double steepness(const sari_assembler* a, int row)
{
    const sari_system* sys = a->sys;
    const sari_polynomials* all = &sys->mechanism->poly;
    const int k = row - sys->own_rows;
    if (k < 0 || k >= sys->polynomial_rows) return 0.0;
    const struct sari_polynomial* p = &all->row[sys->row_polynomial[k]];
    double g[SARI_POLY_X] = {0}, square = 0.0;
    int index[SARI_POLY_X], n = 0;
    for (int t = p->linear; t < p->linear_end; t++)
        add_slope(g, index, &n, all->linear[t].i, all->linear[t].c);
    for (int t = p->product; t < p->product_end; t++) {
        const struct sari_product_term* term = &all->product[t];
        add_slope(g, index, &n, term->i, term->c * sys->kinematics->X[term->j]);
        add_slope(g, index, &n, term->j, term->c * sys->kinematics->X[term->i]);
    }
    for (int i = 0; i < n; i++) square += g[i] * g[i];
    return sqrt(square);
}

/* Residuals as distances: a row divided by the length of its gradient. Where coordinates hardly
 * move what a joint holds, as loops that close within a plane, it is that of free bodies. */
static void scale_residuals(sari_assembler* a)
{
    const double HARDLY = 0.1;
    for (int r = 0; r < a->rows; r++) {
        const double free = steepness(a, r);
        double square = 0.0;
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++) square += a->J.x[k] * a->J.x[k];
        const double length = sqrt(square) < HARDLY * free ? free : sqrt(square);
        if (length > 1e-6) a->r[r] /= length;
    }
}

void sari_assembler_list(sari_assembler* a, sar_assembly* report)
{
    if (a->level == 0) scale_residuals(a);
    double worst = sari_vector_max(a->rows, a->r);
    report->residual = worst;
    report->conflicts = 0;
    for (int j = 0; j < a->model->joints_count; j++) {
        double residual = joint_residual(a, j);
        if (fabs(residual) >= 0.05 * worst)
            add_conflict(report, a->model->joints[j].name, residual);
    }
    for (int k = 0; k < a->starts; k++) {
        double residual = a->r[a->sys->nc + k];
        if (fabs(residual) >= 0.05 * worst)
            add_conflict(report, a->model->starts[a->start[k]].name, residual);
    }
}
