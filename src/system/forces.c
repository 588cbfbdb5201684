/* Springs and bushings act through scalars s_k of the configuration, with laws f_k:
 *     Q = -sum_k f_k grad s_k (1) K = sum_k grad s_k (df_k/dq)' + f_k d2 s_k/dq2,   C = sum_k grad
 * s_k (df_k/dv)'                   (2) Loads act on the placement X of their bodies (loads.c): Q =
 * T' G,   K = -T' dG/dq - G . D2,   C = -T' dG/dv                                              (3)
 * Laws may use any position or rate in the model (signals), whose gradients enter df/dq and df/dv.
 */
#include "system/forces.h"

#include "base/memory.h"
#include "base/status.h"
#include "system/loads.h"
#include "system/tyres.h"

#include <math.h>
#include <string.h>

/* Where the entries rows x cols of K and C are. */
typedef struct block {
    const sari_term_list *rows, *cols;
    int* at;
} block;

/* One law: a scalar with what pulls on it. Bushings are six laws that know each other, tyres two.
 */
typedef struct law {
    int scalar;
    const sari_spring* spring;   ///< or
    const sari_bushing* bushing; ///< its row `component` of the laws from `first` on, or
    const sari_tyre* tyre;       ///< likewise
    int component, first, count;
    block* blocks; ///< with the scalars of the bushing (spring: itself), then the signals used
} law;

typedef struct load_blocks {
    sari_term_list body[2]; ///< coordinates of the loaded and of the reaction body
    block own[4];           ///< body x body
    block* signal[2];       ///< body x signals used by any of its expressions
    int* used;
    int used_count;
} load_blocks;

struct sari_force_set {
    law* laws;
    int laws_count;
    load_blocks* loads;
    int* signal_used;         ///< per signal of the model: does a force use it?
    double* variables;        ///< of expressions
    sari_scalar_value* value; ///< per law
    sari_scalar_value* signal;
    int longest;          ///< coordinates that a law or a signal depends on, at most
    double* gradients;    ///< of the laws and the signals, `longest` each
    double* signal_slope; ///< per signal: d rate/dq, `longest` each
    double *H, *work;     ///< longest^2
    double* row;          ///< longest
};

/* ---- laws ------------------------------------------------------------------------------------ */

/* Linear between the pairs and beyond the ends; `slope` and the integral from 0 on request. */
static double table_value(const sar_spring_def* def, double x, double* slope)
{
    int k = 0;
    while (k < def->table_length - 2 && x >= def->table_x[k + 1]) k++;
    double dx = def->table_x[k + 1] - def->table_x[k];
    *slope = (def->table_f[k + 1] - def->table_f[k]) / dx;
    return def->table_f[k] + *slope * (x - def->table_x[k]);
}

static double table_integral_from_first(const sar_spring_def* def, double x)
{
    double sum = 0.0, slope;
    int k = 0, last = def->table_length - 2;
    while (k < last && x >= def->table_x[k + 1]) {
        sum +=
            0.5 * (def->table_f[k] + def->table_f[k + 1]) * (def->table_x[k + 1] - def->table_x[k]);
        k++;
    }
    double f = table_value(def, x, &slope);
    return sum + 0.5 * (def->table_f[k] + f) * (x - def->table_x[k]);
}

static double table_potential(const sar_spring_def* def, double x)
{
    return table_integral_from_first(def, x) - table_integral_from_first(def, 0.0);
}

static void set_variables(sari_force_set* f, const sari_scalar_value* own)
{
    f->variables[SARI_VARIABLE_X] = own->value;
    f->variables[SARI_VARIABLE_V] = own->rate;
}

/* Force of a spring and its slopes by x and v; df_signal (may be NULL) by the used signals in
 * order. */
static double spring_force(sari_force_set* f, const sari_spring* spring,
                           const sari_scalar_value* own, double* by_x, double* by_v,
                           double* by_signal)
{
    const sar_spring_def* def = &spring->def;
    double x = own->value - def->free, slope = 0.0;
    double force = def->stiffness * x + def->damping * own->rate;
    if (def->table_length) force += table_value(def, x, &slope);
    *by_x = def->stiffness + slope;
    *by_v = def->damping;
    if (!spring->force) return force;
    set_variables(f, own);
    if (!by_signal) return force + sari_expression_value(spring->force, f->variables);
    double gradient[SARI_FORCE_VARIABLES];
    const int* used;
    int n = sari_expression_variables(spring->force, &used);
    force += sari_expression_gradient(spring->force, f->variables, gradient);
    for (int i = 0; i < n; i++) {
        if (used[i] == SARI_VARIABLE_X) *by_x += gradient[i];
        if (used[i] == SARI_VARIABLE_V) *by_v += gradient[i];
        if (used[i] >= SARI_VARIABLE_SIGNAL) *by_signal++ = gradient[i];
    }
    return force;
}

/* Planar bushings have the rows 0, 1, 5. */
static int bushing_index(const sari_system* s, int component)
{
    return s->mechanism->dimension == 3 ? component : component == 2 ? 5 : component;
}

static double bushing_entry(const sari_system* s, const law* l, const double* matrix, int other)
{
    return matrix[6 * bushing_index(s, l->component) + bushing_index(s, other)];
}

/* Laws pull back: their forces are the negative of those on the wheel. */
static void tyre_action(const sari_force_set* f, const law* l, int slopes, sari_tyre_action* out)
{
    const sari_scalar_value *up = &f->value[l->first], *forward = up + 1;
    const double at[] = {up->value, forward->value}, rate[] = {up->rate, forward->rate};
    sari_tyre_evaluate(l->tyre, f->variables[SARI_VARIABLE_T], at, rate, slopes, out);
}

static double law_force(const sari_system* s, sari_force_set* f, const law* l)
{
    double by_x, by_v, force = 0.0;
    sari_tyre_action action;
    if (l->tyre) {
        tyre_action(f, l, 0, &action);
        return -action.force[l->component];
    }
    if (l->spring) return spring_force(f, l->spring, &f->value[l - f->laws], &by_x, &by_v, NULL);
    for (int k = 0; k < l->count; k++) {
        const sari_scalar_value* e = &f->value[l->first + k];
        force += bushing_entry(s, l, l->bushing->def.K, k) * e->value +
                 bushing_entry(s, l, l->bushing->def.C, k) * e->rate;
    }
    return force;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static void evaluate_scalars(sari_system* s, double t, int rates)
{
    sari_force_set* f = s->forces;
    const sari_kinematics* k = s->kinematics;
    f->variables[SARI_VARIABLE_T] = t;
    for (int i = 0; i < s->model->signals_count; i++) {
        if (!f->signal_used[i]) continue;
        int level = s->model->signals[i].level;
        sari_scalar_eval(k, s->mechanism->signal_scalar[i], rates ? level : 0, &f->signal[i]);
        f->variables[SARI_VARIABLE_SIGNAL + i] = level ? f->signal[i].rate : f->signal[i].value;
    }
    for (int i = 0; i < f->laws_count; i++)
        sari_scalar_eval(k, f->laws[i].scalar, rates ? 1 : 0, &f->value[i]);
}

/* ---- what has no value ------------------------------------------------------------------------
 */

static int are_finite(const sari_force_set* f, const sari_expression* e)
{
    const int* used;
    const int n = e ? sari_expression_variables(e, &used) : 0;
    for (int i = 0; i < n; i++)
        if (!isfinite(f->variables[used[i]])) return 0;
    return 1;
}

/* Keep the first force that has no finite value, or slope, where all that it depends on has one:
 * what comes after, in a step that fails because of it, is its consequence. */
static void note_undefined(sari_system* s, const char* element, const char* text,
                           const sari_expression* e, double value, int slope)
{
    const double t = s->forces->variables[SARI_VARIABLE_T];
    if (isfinite(value) || s->undefined.what || !are_finite(s->forces, e)) return;
    s->undefined = (sari_undefined){"force", element, text, t, value, slope};
}

static void note_law(sari_system* s, const law* l, double value, int slope)
{
    const sari_scalar_value* own = &s->forces->value[l - s->forces->laws];
    if (isfinite(value) || !isfinite(own->value) || !isfinite(own->rate)) return;
    if (l->spring)
        note_undefined(s, l->spring->name, l->spring->def.force, l->spring->force, value, slope);
    else if (l->tyre)
        note_undefined(s, l->tyre->name, l->tyre->def.road, NULL, value, slope);
    else
        note_undefined(s, l->bushing->name, NULL, NULL, value, slope);
}

static void note_load(sari_system* s, const sari_load* load, const sari_load_action* action,
                      int slope)
{
    for (int k = 0; k < 3; k++) {
        note_undefined(s, load->name, load->def.force[k], load->force[k], action->F[k], slope);
        note_undefined(s, load->name, load->def.torque[k], load->torque[k], action->T[k], slope);
    }
}

/* matrix[block] += w * g h' */
static void add_outer(double* matrix, const block* b, double w, const double* g, const double* h)
{
    const int* at = b->at;
    for (int i = 0; i < b->rows->n; i++)
        for (int j = 0; j < b->cols->n; j++) matrix[*at++] += w * g[i] * h[j];
}

/* K and C of a law through one scalar or signal: slope by its value and by its rate. */
static void add_dependence(sari_system* s, const block* b, const double* g, double by_value,
                           double by_rate, const double* h, const double* slope)
{
    if (by_value != 0.0) add_outer(s->K.x, b, by_value, g, h);
    if (by_rate == 0.0) return;
    add_outer(s->K.x, b, by_rate, g, slope);
    add_outer(s->C.x, b, by_rate, g, h);
}

static void add_signal_dependence(sari_system* s, const block* b, int signal, double by,
                                  const double* g)
{
    const sari_force_set* f = s->forces;
    int rate = s->model->signals[signal].level == 1;
    add_dependence(s, b, g, rate ? 0.0 : by, rate ? by : 0.0, f->signal[signal].g,
                   f->signal_slope + f->longest * signal);
}

static void add_law_tangent(sari_system* s, const law* l, double force)
{
    sari_force_set* f = s->forces;
    const sari_scalar_value* own = &f->value[l - f->laws];
    double* slope = f->row;
    sari_tyre_action action;
    if (l->tyre) tyre_action(f, l, 1, &action);
    for (int k = 0; k < l->count; k++) {
        const law* other = &f->laws[l->first + k];
        const sari_scalar_value* e = &f->value[l->first + k];
        double by_x, by_v, by_signal[SARI_FORCE_VARIABLES];
        if (l->bushing) {
            by_x = bushing_entry(s, l, l->bushing->def.K, k);
            by_v = bushing_entry(s, l, l->bushing->def.C, k);
        } else if (l->tyre) {
            by_x = -action.by_value[l->component][k];
            by_v = -action.by_rate[l->component][k];
        } else {
            spring_force(f, l->spring, own, &by_x, &by_v, by_signal);
            note_law(s, l, by_x + by_v, 1);
        }
        if (by_v != 0.0) sari_scalar_rate_slope(s->kinematics, other->scalar, e->g, slope);
        add_dependence(s, &l->blocks[k], own->g, by_x, by_v, e->g, slope);
        if (!l->spring || !l->spring->force) continue;
        const int* used;
        int n = sari_expression_variables(l->spring->force, &used), signal = 0;
        for (int i = 0; i < n; i++) {
            if (used[i] < SARI_VARIABLE_SIGNAL) continue;
            add_signal_dependence(s, &l->blocks[1 + signal], used[i] - SARI_VARIABLE_SIGNAL,
                                  by_signal[signal], own->g);
            signal++;
        }
    }
    sari_scalar_hessian(s->kinematics, l->scalar, f->H, f->work);
    const block* b = &l->blocks[l->component];
    int n = b->rows->n;
    for (int i = 0; i < n * n; i++) s->K.x[b->at[i]] += force * f->H[i]; // (2), second part
}

static void load_action(const sari_load* load, const double* variables, sari_load_action* out)
{
    for (int k = 0; k < 3; k++) {
        out->F[k] = load->force[k] ? sari_expression_value(load->force[k], variables) : 0.0;
        out->T[k] = load->torque[k] ? sari_expression_value(load->torque[k], variables) : 0.0;
    }
}

/* Derivative of a load's action by one variable of its expressions. */
static void action_slope(const sari_load* load, const double* variables, int variable,
                         sari_load_action* out)
{
    double gradient[SARI_FORCE_VARIABLES];
    const int* used;
    for (int k = 0; k < 6; k++) {
        const sari_expression* e = k < 3 ? load->force[k] : load->torque[k - 3];
        double* to = k < 3 ? &out->F[k] : &out->T[k - 3];
        *to = 0.0;
        if (!e) continue;
        int n = sari_expression_variables(e, &used);
        sari_expression_gradient(e, variables, gradient);
        for (int i = 0; i < n; i++)
            if (used[i] == variable) *to = gradient[i];
    }
}

static void add_load_tangent(sari_system* s, int index, const sari_load_action* action,
                             const double* G)
{
    const sari_load* load = &s->model->loads[index];
    load_blocks* blocks = &s->forces->loads[index];
    const int body[2] = {load->def.body.i, load->def.reaction.i};
    int nx = s->mechanism->nx;
    const sari_load_action none = {{0}, {0}};
    double dX[24], dG[24], *column = s->forces->row;
    for (int e = 0; e < 2; e++) // columns: coordinates of body[e]
        for (int j = 0; j < blocks->body[e].n; j++) {
            memset(dX, 0, sizeof dX);
            sari_body_column(s->kinematics, body[e], j, dX + nx * e);
            sari_load_change(s->mechanism, &load->def, s->kinematics->X, action, dX, &none, dG);
            for (int r = 0; r < 2; r++) {
                if (blocks->body[r].n == 0) continue;
                const block* b = &blocks->own[2 * r + e];
                sari_body_pull(s->kinematics, body[r], dG + nx * r, column);
                if (r == e) sari_body_add_second(s->kinematics, body[r], G + nx * r, j, column);
                for (int i = 0; i < b->rows->n; i++) s->K.x[b->at[b->cols->n * i + j]] -= column[i];
            }
        }
    memset(dX, 0, sizeof dX);
    for (int u = 0; u < blocks->used_count; u++) {
        sari_load_action slope;
        action_slope(load, s->forces->variables, SARI_VARIABLE_SIGNAL + blocks->used[u], &slope);
        note_load(s, load, &slope, 1);
        sari_load_change(s->mechanism, &load->def, s->kinematics->X, action, dX, &slope, dG);
        for (int r = 0; r < 2; r++) {
            if (blocks->body[r].n == 0) continue;
            sari_body_pull(s->kinematics, body[r], dG + nx * r, column);
            add_signal_dependence(s, &blocks->signal[r][u], blocks->used[u], -1.0, column);
        }
    }
}

static void add_load(sari_system* s, int index, int tangent)
{
    const sari_load* load = &s->model->loads[index];
    sari_load_action action;
    double G[24] = {0}, *q = s->forces->row;
    const int body[2] = {load->def.body.i, load->def.reaction.i};
    load_action(load, s->forces->variables, &action);
    note_load(s, load, &action, 0);
    sari_load_on_X(s->mechanism, &load->def, s->kinematics->X, &action, G);
    for (int e = 0; e < 2; e++) {
        const sari_body_map* map = &s->coordinates.body[body[e]];
        sari_body_pull(s->kinematics, body[e], G + s->mechanism->nx * e, q);
        for (int i = 0; i < map->nq; i++) s->Q[map->q[i]] += q[i];
    }
    if (tangent) add_load_tangent(s, index, &action, G);
}

void sari_forces_add(sari_system* s, double t, int tangent)
{
    sari_force_set* f = s->forces;
    evaluate_scalars(s, t, 1);
    for (int i = 0; tangent && i < s->model->signals_count; i++)
        if (f->signal_used[i] && s->model->signals[i].level == 1)
            sari_scalar_rate_slope(s->kinematics, s->mechanism->signal_scalar[i], f->signal[i].g,
                                   f->signal_slope + f->longest * i);
    for (int i = 0; i < f->laws_count; i++) {
        const law* l = &f->laws[i];
        const sari_term_list* list = &s->kinematics->scalar_depends[l->scalar];
        double force = law_force(s, f, l);
        note_law(s, l, force, 0);
        for (int j = 0; j < list->n; j++) s->Q[list->i[j]] -= force * f->value[i].g[j]; // (1)
        if (tangent) add_law_tangent(s, l, force);
    }
    for (int i = 0; i < s->model->loads_count; i++) add_load(s, i, tangent);
}

int sari_forces_conservative(const sari_system* s)
{
    const sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i++) {
        const law* l = &f->laws[i];
        if (l->tyre) return 0;
        if (l->spring && (l->spring->def.damping != 0.0 || l->spring->force)) return 0;
        for (int k = 0; l->bushing && k < l->count; k++)
            if (bushing_entry(s, l, l->bushing->def.C, k) != 0.0) return 0;
    }
    return s->model->loads_count == 0;
}

double sari_forces_potential(sari_system* s, double t)
{
    sari_force_set* f = s->forces;
    double energy = 0.0;
    sari_tyre_action action;
    if (f->laws_count == 0) return 0.0;
    evaluate_scalars(s, t, 0);
    for (int i = 0; i < f->laws_count; i++) {
        const law* l = &f->laws[i];
        if (l->tyre) {
            tyre_action(f, l, 0, &action);
            if (l->component == 0) energy += action.potential;
        } else if (l->spring) {
            double x = f->value[i].value - l->spring->def.free;
            energy += 0.5 * l->spring->def.stiffness * x * x;
            if (l->spring->def.table_length) energy += table_potential(&l->spring->def, x);
        } else {
            for (int k = 0; k < l->count; k++)
                energy += 0.5 * f->value[i].value * bushing_entry(s, l, l->bushing->def.K, k) *
                          f->value[l->first + k].value;
        }
    }
    return energy;
}

double sari_forces_power(sari_system* s, double t)
{
    sari_force_set* f = s->forces;
    double power = 0.0;
    evaluate_scalars(s, t, 1);
    for (int i = 0; i < f->laws_count; i++) {
        const law* l = &f->laws[i];
        const sari_scalar_value* own = &f->value[i];
        double lost = 0.0; // the force beyond that of the potential
        if (l->tyre) {
            sari_tyre_action action;
            tyre_action(f, l, 0, &action);
            if (l->component == 0) power += action.power;
        } else if (l->spring) {
            set_variables(f, own);
            lost = l->spring->def.damping * own->rate;
            if (l->spring->force) lost += sari_expression_value(l->spring->force, f->variables);
        } else {
            for (int k = 0; k < l->count; k++)
                lost += bushing_entry(s, l, l->bushing->def.C, k) * f->value[l->first + k].rate;
        }
        power -= lost * own->rate;
    }
    int nx = s->mechanism->nx;
    for (int i = 0; i < s->model->loads_count; i++) {
        const sari_load* load = &s->model->loads[i];
        sari_load_action action;
        double G[24] = {0};
        load_action(load, f->variables, &action);
        sari_load_on_X(s->mechanism, &load->def, s->kinematics->X, &action, G);
        for (int a = 0; a < nx; a++) {
            power += G[a] * s->kinematics->Xd[nx * load->def.body.i + a];
            if (load->def.reaction.i)
                power += G[nx + a] * s->kinematics->Xd[nx * load->def.reaction.i + a];
        }
    }
    return power;
}

/* Forces on X of the laws: the same as (1), with the mechanism's polynomials in X. */
static void polynomial_force(const sari_mechanism* m, int poly, const double* X, double w,
                             double* G)
{
    const struct sari_polynomial* row = &m->poly.row[poly];
    for (int t = row->linear; t < row->linear_end; t++)
        G[m->poly.linear[t].i] += w * m->poly.linear[t].c;
    for (int t = row->product; t < row->product_end; t++) {
        const struct sari_product_term* p = &m->poly.product[t];
        G[p->i] += w * p->c * X[p->j];
        G[p->j] += w * p->c * X[p->i];
    }
}

void sari_scalar_gradient_on_X(const sari_mechanism* m, const sari_scalar* sc, const double* X,
                               double w, double* G)
{
    double a = sari_polynomial_value(&m->poly, sc->a, X);
    if (sc->kind == SARI_SCALAR_PLAIN) {
        polynomial_force(m, sc->a, X, w, G);
    } else if (sc->kind == SARI_SCALAR_ROOT) {
        if (a > 0.0) polynomial_force(m, sc->a, X, 0.5 * w / sqrt(a), G);
    } else if (sc->kind == SARI_SCALAR_COMPLEMENT) {
        polynomial_force(m, sc->a, X, -w * a / sqrt(1.0 - a * a), G);
    } else {
        double b = sari_polynomial_value(&m->poly, sc->b, X), f = w / (a * a + b * b);
        polynomial_force(m, sc->a, X, f * b, G);
        polynomial_force(m, sc->b, X, -f * a, G);
    }
}

void sari_forces_on_X(sari_system* s, double t, double* G)
{
    sari_force_set* f = s->forces;
    const sari_mechanism* m = s->mechanism;
    evaluate_scalars(s, t, 1);
    for (int i = 0; i < f->laws_count; i++)
        sari_scalar_gradient_on_X(m, &m->scalars[f->laws[i].scalar], s->kinematics->X,
                                  -law_force(s, f, &f->laws[i]), G);
    for (int i = 0; i < s->model->loads_count; i++) {
        const sari_load* load = &s->model->loads[i];
        sari_load_action action;
        double part[24] = {0};
        load_action(load, f->variables, &action);
        sari_load_on_X(m, &load->def, s->kinematics->X, &action, part);
        for (int a = 0; a < m->nx; a++) {
            G[m->nx * load->def.body.i + a] += part[a];
            if (load->def.reaction.i) G[m->nx * load->def.reaction.i + a] += part[m->nx + a];
        }
    }
    for (int b = 1; b < m->bodies; b++)
        for (int k = 0; k < m->dimension; k++)
            G[m->nx * b + k] += m->model->bodies[b].def.mass * m->model->gravity[k];
}

int sari_forces_depend_on_motion(const sari_force_set* f)
{
    return f->laws_count > 0 || f->loads != NULL;
}

int sari_forces_need_placement(const sari_force_set* f)
{
    return f->loads != NULL;
}

/* ---- construction ---------------------------------------------------------------------------- */

static sar_status plan_block(block* b, const sari_term_list* rows, const sari_term_list* cols,
                             sari_pattern* pattern)
{
    b->rows = rows;
    b->cols = cols;
    b->at = SARI_NEW_ARRAY(int, rows->n * cols->n);
    if (!b->at) return SAR_E_NOMEM;
    for (int i = 0; i < rows->n; i++)
        for (int j = 0; j < cols->n; j++)
            SARI_TRY(sari_pattern_add(pattern, rows->i[i], cols->i[j]));
    return SAR_OK;
}

static void locate_block(block* b, const sari_csr* K)
{
    int* at = b->at;
    for (int i = 0; at && i < b->rows->n; i++)
        for (int j = 0; j < b->cols->n; j++) *at++ = sari_csr_find(K, b->rows->i[i], b->cols->i[j]);
}

static int law_blocks(const law* l)
{
    const int* used;
    int n = l->count;
    if (!l->spring || !l->spring->force) return n;
    int variables = sari_expression_variables(l->spring->force, &used);
    for (int i = 0; i < variables; i++) n += used[i] >= SARI_VARIABLE_SIGNAL;
    return n;
}

static sar_status plan_law(sari_system* s, sari_force_set* f, law* l, sari_pattern* pattern)
{
    const sari_term_list* depends = s->kinematics->scalar_depends;
    const sari_term_list* own = &depends[l->scalar];
    const int* used;
    int n = law_blocks(l), next = l->count;
    l->blocks = SARI_NEW_ARRAY(block, n);
    if (!l->blocks) return SAR_E_NOMEM;
    for (int k = 0; k < l->count; k++)
        SARI_TRY(plan_block(&l->blocks[k], own, &depends[f->laws[l->first + k].scalar], pattern));
    if (next == n) return SAR_OK;
    int variables = sari_expression_variables(l->spring->force, &used);
    for (int i = 0; i < variables; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        int signal = used[i] - SARI_VARIABLE_SIGNAL;
        f->signal_used[signal] = 1;
        SARI_TRY(plan_block(&l->blocks[next++], own, &depends[s->mechanism->signal_scalar[signal]],
                            pattern));
    }
    return SAR_OK;
}

/* The signals that any of a load's six expressions uses. */
static sar_status list_load_signals(sari_system* s, const sari_load* load, load_blocks* blocks)
{
    blocks->used = SARI_NEW_ARRAY(int, s->model->signals_count);
    if (!blocks->used) return SAR_E_NOMEM;
    for (int signal = 0; signal < s->model->signals_count; signal++) {
        int found = 0;
        for (int k = 0; k < 6 && !found; k++) {
            const sari_expression* e = k < 3 ? load->force[k] : load->torque[k - 3];
            const int* used;
            int n = e ? sari_expression_variables(e, &used) : 0;
            for (int i = 0; i < n; i++) found |= used[i] == SARI_VARIABLE_SIGNAL + signal;
        }
        if (found) blocks->used[blocks->used_count++] = signal;
    }
    return SAR_OK;
}

static sar_status plan_load(sari_system* s, sari_force_set* f, int index, sari_pattern* pattern)
{
    const sari_load* load = &s->model->loads[index];
    load_blocks* blocks = &f->loads[index];
    SARI_TRY(list_load_signals(s, load, blocks));
    for (int e = 0; e < 2; e++) {
        const sari_body_map* map =
            &s->coordinates.body[e ? load->def.reaction.i : load->def.body.i];
        blocks->body[e] = (sari_term_list){map->nq, map->q};
        blocks->signal[e] = SARI_NEW_ARRAY(block, blocks->used_count);
        if (!blocks->signal[e]) return SAR_E_NOMEM;
    }
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++)
            SARI_TRY(
                plan_block(&blocks->own[2 * r + c], &blocks->body[r], &blocks->body[c], pattern));
        for (int u = 0; u < blocks->used_count; u++) {
            int scalar = s->mechanism->signal_scalar[blocks->used[u]];
            f->signal_used[blocks->used[u]] = 1;
            SARI_TRY(plan_block(&blocks->signal[r][u], &blocks->body[r],
                                &s->kinematics->scalar_depends[scalar], pattern));
        }
    }
    return SAR_OK;
}

static void list_laws(const sari_system* s, sari_force_set* f)
{
    const sar_model* model = s->model;
    int d = s->mechanism->dimension == 3 ? 6 : 3, n = 0;
    for (int i = 0; i < model->springs_count; i++) {
        int joint = model->springs[i].def.joint.i;
        if (joint >= 0 && !s->mechanism->active[joint]) continue; // it comes and goes with it
        f->laws[n] = (law){.scalar = s->mechanism->spring_scalar[i],
                           .spring = &model->springs[i],
                           .first = n,
                           .count = 1};
        n++;
    }
    for (int i = 0; i < model->bushings_count; i++) {
        int first = n;
        for (int k = 0; k < d; k++, n++)
            f->laws[n] = (law){.scalar = s->mechanism->bushing_scalar[6 * i + k],
                               .bushing = &model->bushings[i],
                               .component = k,
                               .first = first,
                               .count = d};
    }
    for (int i = 0; i < 2 * model->tyres_count; i++, n++)
        f->laws[n] = (law){.scalar = s->mechanism->tyre_scalar[i],
                           .tyre = &model->tyres[i / 2],
                           .component = i % 2,
                           .first = n - i % 2,
                           .count = 2};
    f->laws_count = n;
}

/* Room for gradients and second derivatives of what the forces depend on. */
static sar_status make_room(const sari_system* s, sari_force_set* f)
{
    const sari_term_list* depends = s->kinematics->scalar_depends;
    const int signals = s->model->signals_count;
    int n = 0;
    for (int i = 0; i < f->laws_count; i++)
        if (depends[f->laws[i].scalar].n > n) n = depends[f->laws[i].scalar].n;
    for (int i = 0; i < signals; i++)
        if (f->signal_used[i] && depends[s->mechanism->signal_scalar[i]].n > n)
            n = depends[s->mechanism->signal_scalar[i]].n;
    for (int i = 0; i < s->model->loads_count; i++)
        for (int e = 0; e < 2; e++)
            if (f->loads[i].body[e].n > n) n = f->loads[i].body[e].n;
    f->longest = n;
    f->gradients = SARI_NEW_ARRAY(double, n*(f->laws_count + signals));
    f->signal_slope = SARI_NEW_ARRAY(double, n* signals);
    f->H = SARI_NEW_ARRAY(double, n* n);
    f->work = SARI_NEW_ARRAY(double, n* n);
    f->row = SARI_NEW_ARRAY(double, n);
    if (!f->gradients || !f->signal_slope || !f->H || !f->work || !f->row) return SAR_E_NOMEM;
    for (int i = 0; i < f->laws_count; i++) f->value[i].g = f->gradients + n * i;
    for (int i = 0; i < signals; i++) f->signal[i].g = f->gradients + n * (f->laws_count + i);
    return SAR_OK;
}

sar_status sari_forces_create(sari_system* s, sari_pattern* pattern, sari_force_set** out)
{
    const sar_model* model = s->model;
    sari_force_set* f = SARI_NEW(sari_force_set);
    if (!f) return SAR_E_NOMEM;
    *out = f;
    int laws = model->springs_count + 6 * model->bushings_count + 2 * model->tyres_count;
    f->laws = SARI_NEW_ARRAY(law, laws);
    f->value = SARI_NEW_ARRAY(sari_scalar_value, laws);
    f->signal_used = SARI_NEW_ARRAY(int, model->signals_count);
    f->signal = SARI_NEW_ARRAY(sari_scalar_value, model->signals_count);
    f->variables = SARI_NEW_ARRAY(double, SARI_VARIABLE_SIGNAL + model->signals_count);
    if (model->loads_count) f->loads = SARI_NEW_ARRAY(load_blocks, model->loads_count);
    if (!f->laws || !f->value || !f->signal_used || !f->signal || !f->variables ||
        (model->loads_count && !f->loads))
        return SAR_E_NOMEM;
    list_laws(s, f);
    for (int i = 0; i < f->laws_count; i++) SARI_TRY(plan_law(s, f, &f->laws[i], pattern));
    for (int i = 0; i < model->loads_count; i++) SARI_TRY(plan_load(s, f, i, pattern));
    return make_room(s, f);
}

sar_status sari_forces_locate(sari_system* s)
{
    sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i++)
        for (int k = 0; k < law_blocks(&f->laws[i]); k++)
            locate_block(&f->laws[i].blocks[k], &s->K);
    for (int i = 0; i < s->model->loads_count; i++) {
        load_blocks* blocks = &f->loads[i];
        for (int k = 0; k < 4; k++) locate_block(&blocks->own[k], &s->K);
        for (int e = 0; e < 2; e++)
            for (int u = 0; u < blocks->used_count; u++) locate_block(&blocks->signal[e][u], &s->K);
    }
    return SAR_OK;
}

void sari_forces_destroy(sari_force_set* f, int loads)
{
    if (!f) return;
    for (int i = 0; i < f->laws_count; i++) {
        for (int k = 0; f->laws[i].blocks && k < law_blocks(&f->laws[i]); k++)
            sari_release(f->laws[i].blocks[k].at);
        sari_release(f->laws[i].blocks);
    }
    for (int i = 0; f->loads && i < loads; i++) {
        for (int k = 0; k < 4; k++) sari_release(f->loads[i].own[k].at);
        for (int e = 0; e < 2; e++) {
            for (int u = 0; f->loads[i].signal[e] && u < f->loads[i].used_count; u++)
                sari_release(f->loads[i].signal[e][u].at);
            sari_release(f->loads[i].signal[e]);
        }
        sari_release(f->loads[i].used);
    }
    sari_release(f->laws);
    sari_release(f->loads);
    sari_release(f->value);
    sari_release(f->signal_used);
    sari_release(f->signal);
    sari_release(f->gradients);
    sari_release(f->row);
    sari_release(f->signal_slope);
    sari_release(f->variables);
    sari_release(f->H);
    sari_release(f->work);
    sari_release(f);
}
