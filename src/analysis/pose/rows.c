/* What is wanted, kept, preferred and limited: values e and gradients, and the sum that is least in the pose,
 *
 *     f = 1/2 sum (w e)^2 of what is wanted
 *         + 1/2 eps_1^2 sum (w e)^2 of what is preferred + 1/2 eps_2^2 |d|^2                       (1)
 *
 * Where what is wanted is met it becomes a condition as those of loops are, and leaves (1).
 * d: changes of joint coordinates from the reference. Of a rotation d is its vector, along which |d|^2/2 has the slope d. */
#include "analysis/pose/pose.h"

#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

const double sari_pose_exact = 1e-9; ///< sizes or radians

/* Values of the signals and their gradients. */
static void evaluate_signals(sar_pose* p)
{
    const sari_kinematics* k = p->system->kinematics;
    for (int s = 0; s < p->signals; s++) {
        sari_scalar_value value = {.g = p->signal[s].g};
        sari_scalar_eval(k, p->signal[s].scalar, 0, &value);
        p->variables[p->signal[s].variable] = value.value;
    }
}

static void add_gradient(const sar_pose* p, int scalar, const double* g, double factor, double* out)
{
    const sari_term_list* list = &p->system->kinematics->scalar_depends[scalar];
    for (int i = 0; i < list->n; i++)
        if (list->i[i] < p->n) out[list->i[i]] += factor * g[i];
}

static const sari_pose_signal* signal_of(const sar_pose* p, int variable)
{
    for (int s = 0; s < p->signals; s++)
        if (p->signal[s].variable == variable) return &p->signal[s];
    return NULL;
}

static void evaluate_row(sar_pose* p, sari_pose_row* row)
{
    memset(row->g, 0, (size_t)p->n * sizeof *row->g);
    if (!row->e) {
        sari_scalar_value value = {0};
        sari_scalar_eval(p->system->kinematics, row->scalar, 0, &value);
        row->value = value.value;
        add_gradient(p, row->scalar, value.g, 1.0, row->g);
        return;
    }
    row->value = sari_expression_gradient(row->e, p->variables, p->by);
    for (int k = 0; k < row->used_count; k++) {
        const sari_pose_signal* s = signal_of(p, row->used[k]);
        if (s) add_gradient(p, s->scalar, s->g, p->by[k], row->g);
    }
}

sar_status sari_pose_evaluate(sar_pose* p, const double* q)
{
    sari_system* sys = p->system;
    sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN, p->t, q, NULL);
    sari_kinematics_update(sys->kinematics, q, NULL, 1);
    memcpy(p->h, sys->Phi, (size_t)p->phi * sizeof *p->h);
    p->variables[SARI_VARIABLE_T] = p->t;
    evaluate_signals(p);
    int kept = p->phi;
    double sum = 0.0;
    for (int k = 0; k < p->rows; k++) {
        sari_pose_row* row = &p->row[k];
        if (row->role == SAR_POSE_SHOW) continue;
        evaluate_row(p, row);
        sum += row->value;
        if (sari_pose_holds(p, row)) p->h[kept++] = row->value - row->wanted;
    }
    return isfinite(sum) && sari_vector_finite(p->hard, p->h) ? SAR_OK : SAR_R_NOT_FINITE;
}

void sari_pose_hold(sar_pose* p, int held)
{
    p->held = held;
    p->hard = p->phi + p->kept + (held ? p->wants : 0);
    p->qr.cols = p->hard;
}

/* In (1); 0: it is not in it. */
static double weight_of(const sar_pose* p, const sari_pose_row* row)
{
    if (sari_pose_holds(p, row)) return 0.0;
    if (row->role == SAR_POSE_WANT) return row->weight;
    return row->role == SAR_POSE_PREFER ? p->level[0] * row->weight : 0.0;
}

void sari_pose_measure(sar_pose* p, const double* q)
{
    sari_coordinates_difference(&p->system->coordinates, p->reference, q, p->d);
    p->want = p->all = 0.0;
    for (int k = 0; k < p->rows; k++) {
        const sari_pose_row* row = &p->row[k];
        const double off = row->value - row->wanted, w = weight_of(p, row), e = row->weight * off;
        if (row->role == SAR_POSE_WANT) p->want += 0.5 * e * e;
        if (w > 0.0) p->all += 0.5 * w * w * off * off;
    }
    p->all += 0.5 * p->level[1] * p->level[1] * sari_vector_dot(p->n, p->d, p->d); // (1)
}

/* At the last evaluated and measured place. */
void sari_pose_gradient(sar_pose* p, const double* lambda, const double* z, double* out)
{
    const sari_csr* J = &p->system->Phi_q;
    for (int i = 0; i < p->n; i++) out[i] = p->level[1] * p->level[1] * p->d[i];
    for (int r = 0; r < p->phi && lambda; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            if (J->i[k] < p->n) out[J->i[k]] += lambda[r] * J->x[k];
    int kept = p->phi, limit = 0;
    for (int k = 0; k < p->rows; k++) {
        const sari_pose_row* row = &p->row[k];
        const double w = weight_of(p, row);
        double by = 0.0;
        if (w > 0.0) by = w * w * (row->value - row->wanted);
        const int holds = sari_pose_holds(p, row);
        if (holds && lambda) by = lambda[kept];
        if (row->role == SAR_POSE_LIMIT && z) by = -z[limit];
        kept += holds;
        limit += row->role == SAR_POSE_LIMIT;
        if (by != 0.0) sari_vector_add(p->n, by, row->g, out);
    }
}

double sari_pose_miss(const sari_pose_row* row)
{
    if (row->role == SAR_POSE_LIMIT)
        return fmin(0.0, row->value - row->lower) + fmax(0.0, row->value - row->upper);
    return row->role == SAR_POSE_SHOW ? 0.0 : row->value - row->wanted;
}

double sari_pose_excess(const sar_pose* p)
{
    double sum = 0.0;
    for (int k = 0; k < p->rows; k++)
        if (p->row[k].role == SAR_POSE_LIMIT) sum += fabs(sari_pose_miss(&p->row[k]));
    return sum;
}
