/* Row r is a(s, t) . ds/dt + b(s, t) with scalars s of the configuration (velocity_law.h):
 *
 *     A = sum_j a_j grad s_j                                                              (1)
 *     bias = sum_j a_j v'H_j v + psi_s . ds/dt + psi_t           psi = a . ds/dt + b      (2)
 *     dA/dt = sum_j da_j/dt grad s_j + a_j d(grad s_j)/dt                                 (3)
 *     d(A v + b)/dq = sum_j psi_sj grad s_j + a_j v'H_j                                   (4)
 *
 * In (4) the index of H_j that is summed over is the one of the gradient, in (3) the other one.
 * Where changes of q are turns in body axes H_j is not symmetric, and the two differ: this is where
 * it matters in which axes a body's turns are counted, and nowhere else. */
#include "system/nonholonomic.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/rotation.h"
#include "system/forces/forces.h"
#include "system/turns.h"

#include <math.h>
#include <string.h>

struct sari_velocity_set {
    int most;    ///< scalars of a row
    int** at;    ///< per row: where the coordinates of its scalars are in it
    int** slot;  ///< per row: its scalars among the distinct ones
    int* scalar; ///< the distinct ones
    int scalars;
    sari_scalar_value* value; ///< theirs
    double* gradients;        ///< theirs, kinematics->longest each
    double *s, *ds;           ///< of the scalars of a row
    double* slope;            ///< of a scalar's rate, or the rate of its gradient
    double *variables, *direction;
    sari_velocity_value row;
};

/* ---- rows of a mechanism -------------------------------------------------------------------- */

sari_velocity_row* sari_mechanism_velocity_row(sari_mechanism* m, int joint,
                                               sari_velocity_function law, int scalars)
{
    if (!sari_grow((void**)&m->velocity_rows, m->velocity_rows_count, &m->velocity_rows_capacity,
                   sizeof *m->velocity_rows))
        return NULL;
    sari_velocity_row* row = &m->velocity_rows[m->velocity_rows_count];
    *row = (sari_velocity_row){.law = law, .joint = joint};
    row->scalar = SARI_TAKE(&m->memory, int, scalars);
    if (row->scalar) m->velocity_rows_count++;
    return row->scalar ? row : NULL;
}

int sari_velocity_row_add(sari_velocity_row* row, int scalar)
{
    row->scalar[row->scalars++] = scalar;
    return scalar >= 0;
}

void sari_frame_along_axis(const sari_mechanism* m, const sar_end* e, double frame[3][3])
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(frame, unit, sizeof unit);
    if (m->dimension == 2 || sari_norm3(e->axis) < 0.5) return;
    memcpy(frame[2], e->axis, sizeof frame[2]);
    sari_perpendiculars(m, e, frame[0], frame[1]);
    if (sari_norm3(e->normal) < 0.5) return;
    memcpy(frame[0], e->normal, sizeof frame[0]);
    sari_cross(frame[2], frame[0], frame[1]);
}

/* World components of a body's axes, by rows: what its spin is made of. */
static int add_orientation(sari_mechanism* m, sari_velocity_row* row, int body)
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const sar_end ground = {.body = SAR_GROUND}, end = {.body = {body}};
    int ok = 1;
    for (int k = 0; ok && k < 9; k++)
        ok =
            sari_velocity_row_add(row, sari_scalar_dot(m, &ground, unit[k / 3], &end, unit[k % 3]));
    return ok;
}

static int add_variable(sari_mechanism* m, sari_velocity_row* row, int variable)
{
    const int signal = variable - SARI_VARIABLE_SIGNAL;
    const sari_signal* s = &m->model->signals[signal];
    sari_velocity_variable* v = &row->variable[row->variables++];
    *v = (sari_velocity_variable){variable, s->level, row->scalars, s->component};
    if (s->kind != SARI_SIGNAL_BODY_SPIN)
        return sari_velocity_row_add(row, m->signal_scalar[signal]);
    v->level = SARI_VELOCITY_SPIN;
    return add_orientation(m, row, s->body);
}

int sari_mechanism_add_expression(sari_mechanism* m, int joint)
{
    const int* used;
    const sari_expression* value = m->model->joints[joint].value;
    const int n = sari_expression_variables(value, &used), rows = m->velocity_rows_count;
    sari_velocity_row* row = sari_mechanism_velocity_row(m, joint, NULL, 9 * n);
    if (!row) return 0;
    row->value = value;
    row->variable = SARI_TAKE(&m->memory, sari_velocity_variable, n);
    int ok = row->variable != NULL;
    for (int i = 0; ok && i < n; i++)
        if (used[i] >= SARI_VARIABLE_SIGNAL) ok = add_variable(m, row, used[i]);
    if (!m->active[joint]) m->velocity_rows_count = rows;
    return ok;
}

static void mark_bodies(const sari_mechanism* m, int poly)
{
    const struct sari_polynomial* p = &m->poly.row[poly];
    for (int t = p->linear; t < p->linear_end; t++) m->ball[m->poly.linear[t].i / m->nx] = 1;
    for (int t = p->product; t < p->product_end; t++) {
        m->ball[m->poly.product[t].i / m->nx] = 1;
        m->ball[m->poly.product[t].j / m->nx] = 1;
    }
}

void sari_mechanism_find_balls(sari_mechanism* m)
{
    for (int k = 0; k < m->velocity_rows_count; k++)
        for (int j = 0; j < m->velocity_rows[k].scalars; j++)
            mark_bodies(m, m->scalars[m->velocity_rows[k].scalar[j]].a);
    for (int b = 0; b < m->bodies; b++) {
        const double* J = m->model->bodies[b].def.inertia;
        const int round = J[0] == J[1] && J[1] == J[2] && !J[3] && !J[4] && !J[5];
        m->ball[b] = m->dimension == 3 && b > 0 && m->ball[b] && round;
    }
}

/* ---- creation ------------------------------------------------------------------------------- */

static const sari_term_list* depends(const sari_system* s, const sari_velocity_row* row, int j)
{
    return &s->kinematics->scalar_depends[row->scalar[j]];
}

void sari_velocity_rows_pattern(const sari_system* s, int first, sari_pattern* pattern)
{
    const sari_mechanism* m = s->mechanism;
    for (int k = 0; k < m->velocity_rows_count; k++)
        for (int j = 0; j < m->velocity_rows[k].scalars; j++) {
            const sari_term_list* list = depends(s, &m->velocity_rows[k], j);
            for (int i = 0; i < list->n; i++) sari_pattern_add(pattern, first + k, list->i[i]);
        }
}

static int locate(sari_system* s, sari_velocity_set* set, int k)
{
    const sari_velocity_row* row = &s->mechanism->velocity_rows[k];
    const int r = s->nc - s->velocity_rows + k;
    int total = 0;
    for (int j = 0; j < row->scalars; j++) total += depends(s, row, j)->n;
    int* at = set->at[k] = SARI_TAKE(&s->memory, int, total);
    if (!at) return 0;
    for (int j = 0; j < row->scalars; j++)
        for (int i = 0; i < depends(s, row, j)->n; i++)
            *at++ = sari_csr_find(&s->Phi_q, r, depends(s, row, j)->i[i]) - s->Phi_q.p[r];
    return 1;
}

/* Scalars that rows share are evaluated once. */
static int list_scalars(sari_system* s, sari_velocity_set* set)
{
    const sari_mechanism* m = s->mechanism;
    int total = 0, first = 0;
    for (int k = 0; k < m->velocity_rows_count; k++) total += m->velocity_rows[k].scalars;
    set->scalar = SARI_TAKE(&s->memory, int, total);
    set->slot = SARI_TAKE(&s->memory, int*, m->velocity_rows_count);
    if (!set->scalar || !set->slot) return 0;
    for (int k = 0; k < m->velocity_rows_count; k++) {
        const sari_velocity_row* row = &m->velocity_rows[k];
        if (k && row[-1].joint != row->joint) first = set->scalars;
        set->slot[k] = SARI_TAKE(&s->memory, int, row->scalars);
        if (!set->slot[k]) return 0;
        for (int j = 0; j < row->scalars; j++) {
            int at = first; // of this joint: lists stay short
            while (at < set->scalars && set->scalar[at] != row->scalar[j]) at++;
            if (at == set->scalars) set->scalar[set->scalars++] = row->scalar[j];
            set->slot[k][j] = at;
        }
    }
    return 1;
}

static int make_room(sari_system* s, sari_velocity_set* set)
{
    const int longest = s->kinematics->longest, most = set->most;
    const int variables = SARI_VARIABLE_SIGNAL + s->model->signals_count;
    if (!list_scalars(s, set)) return 0;
    set->value = SARI_TAKE(&s->memory, sari_scalar_value, set->scalars);
    set->gradients = SARI_TAKE(&s->memory, double, set->scalars* longest);
    set->s = SARI_TAKE(&s->memory, double, most);
    set->ds = SARI_TAKE(&s->memory, double, most);
    set->slope = SARI_TAKE(&s->memory, double, longest);
    set->variables = SARI_TAKE(&s->memory, double, variables);
    set->direction = SARI_TAKE(&s->memory, double, variables);
    set->row.a = SARI_TAKE(&s->memory, double, most);
    set->row.by_s = SARI_TAKE(&s->memory, double, most);
    set->row.a_rate = SARI_TAKE(&s->memory, double, most);
    return !s->memory.failed;
}

sar_status sari_velocity_rows_create(sari_system* s, sari_velocity_set** out)
{
    const sari_mechanism* m = s->mechanism;
    sari_velocity_set* set = SARI_TAKE(&s->memory, sari_velocity_set, 1);
    if (!set) return SAR_E_NOMEM;
    *out = set;
    for (int k = 0; k < m->velocity_rows_count; k++)
        if (m->velocity_rows[k].scalars > set->most) set->most = m->velocity_rows[k].scalars;
    set->at = SARI_TAKE(&s->memory, int*, m->velocity_rows_count);
    int ok = set->at && make_room(s, set);
    for (int k = 0; ok && k < m->velocity_rows_count; k++) ok = locate(s, set, k);
    for (int j = 0; ok && j < set->scalars; j++)
        set->value[j].g = set->gradients + (size_t)j * (size_t)s->kinematics->longest;
    return ok ? SAR_OK : SAR_E_NOMEM;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* All scalars; level as of sari_scalar_eval. */
static void evaluate_scalars(sari_system* s, int level)
{
    const sari_velocity_set* set = s->velocity;
    for (int j = 0; j < set->scalars; j++)
        sari_scalar_eval(s->kinematics, set->scalar[j], level, &set->value[j]);
}

/* The law of row k */
static const sari_velocity_row* evaluate(sari_system* s, int k, int level, double t)
{
    sari_velocity_set* set = s->velocity;
    const sari_velocity_row* row = &s->mechanism->velocity_rows[k];
    for (int j = 0; j < row->scalars; j++) {
        set->s[j] = set->value[set->slot[k][j]].value;
        set->ds[j] = set->value[set->slot[k][j]].rate;
    }
    sari_velocity_law(row, t, set->s, level ? set->ds : NULL, set->variables, set->direction,
                      &set->row);
    return row;
}

/* x = sum_j factor_j grad s_j, the row k of a matrix on Phi_q's pattern */
static double* combine(const sari_system* s, const sari_velocity_row* row, int k,
                       const double* factor, double* x)
{
    const sari_velocity_set* set = s->velocity;
    const int r = s->nc - s->velocity_rows + k, *at = set->at[k];
    x += s->Phi_q.p[r];
    memset(x, 0, (size_t)(s->Phi_q.p[r + 1] - s->Phi_q.p[r]) * sizeof *x);
    for (int j = 0; j < row->scalars; j++) {
        const int n = depends(s, row, j)->n;
        const double* g = set->value[set->slot[k][j]].g;
        for (int i = 0; factor[j] != 0.0 && i < n; i++) x[at[i]] += factor[j] * g[i];
        at += n;
    }
    return x;
}

/* Keep the first condition that has no finite value, or slope, where all that it depends on has one:
 * what is wrong with a motion that diverges is not its conditions. */
static void note_undefined(sari_system* s, const sari_velocity_row* row, double t, double value,
                           int slope)
{
    const sari_velocity_set* set = s->velocity;
    if (isfinite(value)) return;
    s->not_finite = 1;
    for (int j = 0; j < row->scalars; j++)
        if (!isfinite(set->s[j]) || (slope && !isfinite(set->ds[j]))) return;
    if (s->undefined.what) return;
    s->undefined = (sari_undefined){.what = row->law ? "joint" : "constraint",
                                    .element = s->model->joints[row->joint].name,
                                    .t = t,
                                    .value = value,
                                    .slope = slope};
}

void sari_velocity_rows_eval(sari_system* s, unsigned what, double t)
{
    const sari_velocity_set* set = s->velocity;
    const int moving = (what & SARI_EVAL_BIAS) != 0;
    evaluate_scalars(s, moving ? 2 : 0);
    for (int k = 0; k < s->velocity_rows; k++) {
        const int r = s->nc - s->velocity_rows + k;
        const sari_velocity_row* row = evaluate(s, k, moving ? 2 : 0, t);
        combine(s, row, k, set->row.a, s->Phi_q.x); // (1)
        s->Phi[r] = 0.0;
        s->Phi_t[r] = set->row.b;
        double sum = set->row.b;
        for (int j = 0; j < row->scalars; j++) sum += set->row.a[j];
        note_undefined(s, row, t, sum, 0);
        if (!moving) continue;
        s->bias[r] = set->row.by_t; // (2)
        for (int j = 0; j < row->scalars; j++)
            s->bias[r] +=
                set->row.a[j] * set->value[set->slot[k][j]].bias + set->row.by_s[j] * set->ds[j];
        note_undefined(s, row, t, s->bias[r], 1);
    }
}

void sari_velocity_rows_rate(sari_system* s, double t)
{
    sari_velocity_set* set = s->velocity;
    evaluate_scalars(s, 1);
    for (int k = 0; k < s->velocity_rows; k++) {
        const sari_velocity_row* row = evaluate(s, k, 1, t);
        double* x = combine(s, row, k, set->row.a_rate, s->Phi_q_rate.x); // (3)
        const int* at = set->at[k];
        for (int j = 0; j < row->scalars; j++) {
            const int n = depends(s, row, j)->n;
            if (set->row.a[j] != 0.0) {
                sari_scalar_gradient_rate(s->kinematics, row->scalar[j], set->slope);
                for (int i = 0; i < n; i++) x[at[i]] += set->row.a[j] * set->slope[i];
            }
            at += n;
        }
    }
}

void sari_velocity_rows_slope(sari_system* s, double t)
{
    sari_velocity_set* set = s->velocity;
    evaluate_scalars(s, 1);
    for (int k = 0; k < s->velocity_rows; k++) {
        const sari_velocity_row* row = evaluate(s, k, 1, t);
        double* x = combine(s, row, k, set->row.by_s, s->velocity_slope.x); // (4)
        const int* at = set->at[k];
        for (int j = 0; j < row->scalars; j++) {
            const int n = depends(s, row, j)->n;
            if (set->row.a[j] != 0.0) {
                sari_scalar_rate_slope(s->kinematics, row->scalar[j], set->value[set->slot[k][j]].g,
                                       NULL, set->slope);
                for (int i = 0; i < n; i++) x[at[i]] += set->row.a[j] * set->slope[i];
            }
            at += n;
        }
    }
}

double sari_velocity_rows_power(sari_system* s, double t, const double* lambda, double* joint)
{
    double power = 0.0;
    evaluate_scalars(s, 0);
    for (int k = 0; k < s->velocity_rows; k++) {
        if (s->mechanism->velocity_rows[k].law) continue;
        evaluate(s, k, 0, t);
        const int row = s->nc - s->velocity_rows + k;
        power += lambda[row] * s->velocity->row.b;
        if (joint) joint[s->row_joint[row]] += lambda[row] * s->velocity->row.b;
    }
    return power;
}

double sari_scalar_value_on_X(const sari_system* s, int scalar, const double* X)
{
    const sari_polynomials* poly = &s->mechanism->poly;
    const sari_scalar* sc = &s->kinematics->scalar[scalar];
    const double a = sari_polynomial_value(poly, sc->a, X);
    if (sc->kind == SARI_SCALAR_PLAIN) return a;
    if (sc->kind == SARI_SCALAR_ARC) return sc->zero + sari_asin(a);
    if (sc->kind == SARI_SCALAR_ROOT) return sqrt(a);
    if (sc->kind == SARI_SCALAR_COMPLEMENT) return sqrt(1.0 - a * a);
    const double b = sari_polynomial_value(poly, sc->b, X);
    if (sc->kind == SARI_SCALAR_CURVE)
        return sari_curve_find(sc->curve, (double[2]){a, b}, sc->last).distance;
    if (sc->kind == SARI_SCALAR_VECTOR) {
        double h[3];
        sari_angle_by_sine(b, h);
        return h[0] * a;
    }
    return sari_counted_angle(s->kinematics, scalar, a, b, sc->rate);
}

void sari_velocity_row_on_X(const sari_system* s, int k, double t, const double* X, double* G)
{
    const sari_mechanism* m = s->mechanism;
    const sari_velocity_row* row = &m->velocity_rows[k];
    sari_velocity_set* set = s->velocity;
    for (int j = 0; j < row->scalars; j++) set->s[j] = sari_scalar_value_on_X(s, row->scalar[j], X);
    sari_velocity_law(row, t, set->s, NULL, set->variables, set->direction, &set->row);
    for (int j = 0; j < row->scalars; j++)
        if (set->row.a[j] != 0.0)
            sari_scalar_gradient_on_X(m, &m->scalars[row->scalar[j]], X, set->row.a[j], G);
}
