/* Relations of scalars s of the configuration,
 *
 *     Phi = sum c_i s_i - offset - value(t)                                                   (1)
 *     Phi = f(t, s) - offset                                                                  (2)
 *
 * (1) are screws, couplings and drives, (2) is an expression of the model, at one of its bounds if
 * it has any. With c_i = df/ds_i both
 * have the gradient sum c_i grad s_i, and along the motion
 *
 *     d2 Phi/dt2 = sum c_i (grad s_i . a + bias_i) + f''(1, ds/dt)                            (3)
 *     dc_i/dt    = f_i'(1, ds/dt) = (f''(d + e_i) - f''(d) - f''(e_i))/2,  d = (1, ds/dt)     (4)
 *
 * where f''(d) is the second derivative along d, which expressions know exactly. */
#include "system/relations.h"

#include "system/nonholonomic.h"

#include <math.h>
#include <string.h>

/* ---- laws ----------------------------------------------------------------------------------- */

/// Value, derivative by t, and slopes c of the law at the scalars in s->law.
static double law_at(sari_system* s, const sari_relation* r, double t, double* by_t, double* c)
{
    double gradient[SARI_RELATION_TERMS + 1];
    const int* used;
    const int n = sari_expression_variables(r->law, &used);
    s->law[SARI_VARIABLE_T] = t;
    const double value = sari_expression_gradient(r->law, s->law, gradient);
    *by_t = 0.0;
    for (int i = 0, term = 0; i < n; i++) { // terms are in the order of the variables
        if (used[i] == SARI_VARIABLE_T)
            *by_t = gradient[i];
        else
            c[term++] = gradient[i];
    }
    return value;
}

static void place_law(sari_system* s, const sari_relation* r)
{
    for (int i = 0; i < r->terms; i++)
        s->law[r->variable[i]] = sari_scalar_value_of(s->kinematics, r->scalar[i]);
}

/// f''(d): the direction has been set.
static double second(const sari_system* s, const sari_relation* r)
{
    double series[3];
    sari_expression_series_along(r->law, s->law, s->law_direction, series);
    return series[2];
}

static void clear_direction(sari_system* s, const sari_relation* r)
{
    s->law_direction[SARI_VARIABLE_T] = 0.0;
    for (int i = 0; i < r->terms; i++) s->law_direction[r->variable[i]] = 0.0;
}

/// Along the motion: time, and the rates of the scalars.
static void set_direction(sari_system* s, const sari_relation* r)
{
    sari_scalar_value value = {0};
    s->law_direction[SARI_VARIABLE_T] = 1.0;
    for (int i = 0; i < r->terms; i++) {
        sari_scalar_eval(s->kinematics, r->scalar[i], 1, &value);
        s->law_direction[r->variable[i]] = value.rate;
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Value and time derivatives of the right-hand side of (1). */
static void right_side(const sari_relation* r, double t, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    if (r->value) sari_expression_series(r->value, &t, SARI_VARIABLE_T, out);
    out[0] += r->offset;
}

/* What is asked for of f, df/dt and d2f/dt2 is finite. */
static int is_defined(const double f[3], unsigned what)
{
    return isfinite(f[0]) && (isfinite(f[1]) || !(what & SARI_EVAL_PHI_T)) &&
           (isfinite(f[2]) || !(what & SARI_EVAL_BIAS));
}

static void check_defined(sari_system* s, const sari_relation* r, unsigned what, double t,
                          const double f[3])
{
    if (isfinite(f[0] + f[1] + f[2])) return;
    if (!is_defined(f, what)) s->not_finite = 1;
    if (s->undefined.what) return;
    const sari_joint* joint = &s->model->joints[r->joint];
    s->undefined = (sari_undefined){.what = r->law ? "constraint" : "drive",
                                    .element = joint->name,
                                    .text = joint->drive.value,
                                    .t = t,
                                    .value = f[0],
                                    .slope = isfinite(f[0])};
}

/* What time alone does: f, df/dt, d2f/dt2 of (1) with a minus, of (2) f, f_t and the last of (3). */
static void by_time(sari_system* s, const sari_relation* r, unsigned what, double t, double f[3],
                    double* c)
{
    if (!r->law) {
        right_side(r, t, f);
        for (int i = 0; i < 3; i++) f[i] = -f[i];
        memcpy(c, r->coefficient, (size_t)r->terms * sizeof *c);
        return;
    }
    place_law(s, r);
    f[0] = law_at(s, r, t, &f[1], c);
    f[2] = 0.0;
    if (!(what & SARI_EVAL_BIAS)) return;
    set_direction(s, r);
    f[2] = second(s, r);
    clear_direction(s, r);
}

void sari_relation_eval(sari_system* s, int k, unsigned what, double t)
{
    const sari_relation* r = &s->relation[k];
    const int row = s->own_rows + s->polynomial_rows + k;
    double f[3], c[SARI_RELATION_TERMS], sum = 0.0, bias = 0.0;
    double* g = s->Phi_q.x + s->Phi_q.p[row];
    const int* at = s->relation_at[k];
    sari_scalar_value value = {0};
    by_time(s, r, what, t, f, c);
    check_defined(s, r, what, t, f);
    for (int i = 0; i < s->Phi_q.p[row + 1] - s->Phi_q.p[row]; i++) g[i] = 0.0;
    for (int i = 0; i < r->terms; i++) {
        sari_scalar_eval(s->kinematics, r->scalar[i], what & SARI_EVAL_BIAS ? 2 : 0, &value);
        sum += c[i] * value.value;
        bias += c[i] * value.bias;
        for (int j = 0; j < s->kinematics->scalar_depends[r->scalar[i]].n; j++)
            g[*at++] += c[i] * value.g[j];
    }
    s->Phi[row] = r->law ? f[0] - r->offset : sum + f[0];
    s->Phi_t[row] = f[1];
    if (what & SARI_EVAL_BIAS) s->bias[row] = bias + f[2]; // (3)
}

/* dc/dt, by (4); zero of (1). */
static void slope_rates(sari_system* s, const sari_relation* r, double* rate)
{
    for (int i = 0; i < r->terms; i++) rate[i] = 0.0;
    if (!r->law) return;
    set_direction(s, r);
    const double along = second(s, r);
    for (int i = 0; i < r->terms; i++) {
        s->law_direction[r->variable[i]] += 1.0;
        rate[i] = second(s, r) - along;
        s->law_direction[r->variable[i]] -= 1.0;
    }
    clear_direction(s, r);
    for (int i = 0; i < r->terms; i++) {
        s->law_direction[r->variable[i]] = 1.0;
        rate[i] = 0.5 * (rate[i] - second(s, r));
        s->law_direction[r->variable[i]] = 0.0;
    }
}

void sari_relation_rate(sari_system* s, int k, double t)
{
    const sari_relation* r = &s->relation[k];
    const int row = s->own_rows + s->polynomial_rows + k;
    double f[3], c[SARI_RELATION_TERMS], c_rate[SARI_RELATION_TERMS];
    double *g = s->Phi_q_rate.x + s->Phi_q.p[row], *rate = s->kinematics->local[3];
    const int* at = s->relation_at[k];
    sari_scalar_value value = {0};
    by_time(s, r, 0, t, f, c);
    slope_rates(s, r, c_rate);
    for (int i = 0; i < s->Phi_q.p[row + 1] - s->Phi_q.p[row]; i++) g[i] = 0.0;
    for (int i = 0; i < r->terms; i++) {
        const int n = s->kinematics->scalar_depends[r->scalar[i]].n;
        sari_scalar_gradient_rate(s->kinematics, r->scalar[i], rate);
        for (int j = 0; j < n; j++) g[at[j]] += c[i] * rate[j];
        if (c_rate[i] != 0.0) sari_scalar_eval(s->kinematics, r->scalar[i], 0, &value);
        for (int j = 0; c_rate[i] != 0.0 && j < n; j++) g[at[j]] += c_rate[i] * value.g[j];
        at += n;
    }
}

/* ---- second derivatives --------------------------------------------------------------------- */

/* f_ij, from f'' along e_i, e_j and their sum. */
static double mixed(sari_system* s, const sari_relation* r, int i, int j)
{
    double *d = s->law_direction, *d_i = &d[r->variable[i]], *d_j = &d[r->variable[j]];
    *d_i = 1.0;
    const double f_i = second(s, r);
    if (i == j) {
        *d_i = 0.0;
        return f_i;
    }
    *d_j = 1.0;
    const double both = second(s, r);
    *d_i = 0.0;
    const double f_j = second(s, r);
    *d_j = 0.0;
    return 0.5 * (both - f_i - f_j);
}

void sari_relation_stiffness(sari_system* s, int k, double t, double lambda, double* G)
{
    const sari_relation* r = &s->relation[k];
    const sari_term_list* depends = s->kinematics->scalar_depends;
    double f[3], c[SARI_RELATION_TERMS], *H = s->hessian,
                                         *work = H + s->longest_row * s->longest_row;
    const int n = s->nq;
    by_time(s, r, 0, t, f, c);
    for (int i = 0; i < r->terms; i++) {
        const sari_term_list* list = &depends[r->scalar[i]];
        sari_scalar_hessian(s->kinematics, r->scalar[i], NULL, H, work);
        for (int a = 0; a < list->n; a++)
            for (int b = 0; b < list->n; b++)
                G[n * list->i[a] + list->i[b]] += lambda * c[i] * H[list->n * a + b];
    }
    for (int i = 0; r->law && i < r->terms; i++)
        for (int j = 0; j < r->terms; j++) {
            const sari_term_list *of_i = &depends[r->scalar[i]], *of_j = &depends[r->scalar[j]];
            sari_scalar_value g_i = {.g = H}, g_j = {.g = work};
            const double f_ij = mixed(s, r, i, j);
            if (f_ij == 0.0) continue;
            sari_scalar_eval(s->kinematics, r->scalar[i], 0, &g_i);
            sari_scalar_eval(s->kinematics, r->scalar[j], 0, &g_j);
            for (int a = 0; a < of_i->n; a++)
                for (int b = 0; b < of_j->n; b++)
                    G[n * of_i->i[a] + of_j->i[b]] += lambda * f_ij * g_i.g[a] * g_j.g[b];
        }
}

double sari_relation_by_time(sari_system* s, int k, double t)
{
    double f[3], c[SARI_RELATION_TERMS];
    by_time(s, &s->relation[k], 0, t, f, c);
    return f[1];
}

/* ---- on placements -------------------------------------------------------------------------- */

void sari_relation_slopes_on_X(sari_system* s, const sari_relation* r, double t, const double* X,
                               double* slope)
{
    double by_t;
    if (!r->law) {
        memcpy(slope, r->coefficient, (size_t)r->terms * sizeof *slope);
        return;
    }
    for (int i = 0; i < r->terms; i++)
        s->law[r->variable[i]] = sari_scalar_value_on_X(s, r->scalar[i], X);
    law_at(s, r, t, &by_t, slope);
}

double sari_relation_root(sari_system* s, const sari_relation* r, double t, double near)
{
    double by_t, slope[SARI_RELATION_TERMS];
    s->law[r->variable[0]] = near;
    const double f = law_at(s, r, t, &by_t, slope) - r->offset, root = near - f / slope[0];
    if (!isfinite(root)) return NAN;
    s->law[r->variable[0]] = root;
    const double left = law_at(s, r, t, &by_t, slope) - r->offset;
    return fabs(left) <= 1e-12 * (fabs(f) + fabs(slope[0] * near)) ? root : NAN;
}

/* ---- creation ------------------------------------------------------------------------------- */

int sari_mechanism_add_law(sari_mechanism* m, int joint)
{
    const int* used;
    const int before = m->relations_count;
    const sari_expression* law = m->model->joints[joint].value;
    const int n = sari_expression_variables(law, &used);
    sari_relation* r = sari_mechanism_relation(m, joint);
    if (!r) return 0;
    r->law = law;
    for (int i = 0; i < n; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        r->variable[r->terms] = used[i];
        if (!sari_relation_add(r, m->signal_scalar[used[i] - SARI_VARIABLE_SIGNAL], 0.0)) return 0;
    }
    if (!m->active[joint]) m->relations_count = before;
    return 1;
}
