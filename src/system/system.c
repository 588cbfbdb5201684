#include "system/system.h"

#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "system/forces/forces.h"
#include "system/nonholonomic.h"
#include "system/relations.h"
#include "system/system_parts.h"

#include <math.h>

/* ---- constraints ---------------------------------------------------------------------------- */

static void eval_constraints(sari_system* s, unsigned what, double t)
{
    s->relation_t = t;
    s->coordinates.evaluator->rows(s, what);
    for (int i = 0; i < s->relation_rows; i++) sari_relation_eval(s, i, what, t);
    if (s->velocity) sari_velocity_rows_eval(s, what, t);
}

static void eval_jacobian_rate(sari_system* s, double t)
{
    const int* p = s->Phi_q.p;
    double* rate = s->Phi_q_rate.x;
    for (int r = 0; r < s->own_rows; r++) sari_poly_gradient_rate(&s->own, r, rate + p[r]);
    for (int i = 0; i < s->polynomial_rows; i++)
        sari_poly_gradient_rate(s->kinematics, s->row_polynomial[i], rate + p[s->own_rows + i]);
    for (int i = 0; i < s->relation_rows; i++) sari_relation_rate(s, i, t);
    if (s->velocity) sari_velocity_rows_rate(s, t);
}

/* ---- inertia -------------------------------------------------------------------------------- */

/* y = M_X x for body b: mass on the centre, second moments between the axes. */
void sari_inertia_times(const sari_mechanism* m, int b, const double* x, double* y)
{
    double mass = m->model->bodies[b].def.mass;
    const double* P = m->second_moment + 9 * b;
    if (m->dimension == 2) {
        y[0] = mass * x[0], y[1] = mass * x[1];
        y[2] = P[0] * x[2], y[3] = P[0] * x[3];
        return;
    }
    for (int k = 0; k < 3; k++) y[k] = mass * x[k];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            y[3 + 3 * c + k] =
                P[3 * c] * x[3 + k] + P[3 * c + 1] * x[6 + k] + P[3 * c + 2] * x[9 + k];
}

void sari_equations_mass_times(const sari_equations* equations, const double* x, double* out)
{
    const sari_system* s = (const sari_system*)equations;
    if (s->coordinates.evaluator->mass_times) {
        s->coordinates.evaluator->mass_times(s, x, out);
        for (int i = s->nq - s->states; i < s->nq; i++) out[i] = x[i];
    } else {
        sari_sym_multiply(&s->M, s->M.x, x, out);
    }
}

/* States of forces have a mass of one. */
void sari_system_set_mass(sari_system* s)
{
    s->coordinates.evaluator->mass(s);
    for (int i = s->nq - s->states; i < s->nq; i++) s->M.x[s->M.p[i]] = 1.0;
}

void sari_system_set_force(sari_system* s, int with_velocity)
{
    s->coordinates.evaluator->force(s, with_velocity);
    for (int i = s->nq - s->states; i < s->nq; i++) s->Q[i] = 0.0;
}

int sari_equations_reaction_without_jacobian(const sari_equations* equations)
{
    const sari_system* s = (const sari_system*)equations;
    return s->coordinates.evaluator->add_reaction && s->own_rows + s->polynomial_rows == s->nc;
}

void sari_equations_add_reaction(const sari_equations* equations, double factor,
                                 const double* lambda, double* out)
{
    const sari_system* s = (const sari_system*)equations;
    if (sari_equations_reaction_without_jacobian(&s->equations))
        s->coordinates.evaluator->add_reaction(s, factor, lambda, out);
    else
        sari_csr_multiply_add_transposed(&s->Phi_q, factor, lambda, out);
}

void sari_equations_mass_rate(sari_equations* equations, double* out)
{
    sari_system* s = (sari_system*)equations;
    for (int i = 0; i < s->nq; i++) out[i] = 0.0;
    if (!s->constant_mass) s->coordinates.evaluator->mass_rate(s, out);
}

/* ---- evaluation ----------------------------------------------------------------------------- */

static void drop_slack(sari_system* s, unsigned what)
{
    const double* offset = s->slack.offset;
    if (offset && (what & (SARI_EVAL_PHI | SARI_EVAL_JACOBIAN)))
        for (int r = 0; r < s->nc - s->velocity_rows; r++) s->Phi[r] -= offset[r];
    if (s->slack.count == 0) return;
    if (what & (SARI_EVAL_PHI | SARI_EVAL_JACOBIAN))
        s->slack.gap = sari_slack_drop(&s->slack, s->Phi);
    if (what & SARI_EVAL_PHI_T) sari_slack_drop(&s->slack, s->Phi_t);
    if (what & SARI_EVAL_BIAS) sari_slack_drop(&s->slack, s->bias);
}

/* Q, with K and C */
static void add_forces(sari_system* s, double t, int tangent)
{
    const sari_evaluator_ops* evaluator = s->coordinates.evaluator;
    if (s->coordinates.constant)
        memcpy(s->Q, s->gravity, (size_t)s->nq * sizeof(double));
    else
        sari_system_set_force(s, 1);
    if (tangent) {
        for (int i = 0; i < s->K.p[s->nq]; i++) s->K.x[i] = s->C.x[i] = 0.0;
        s->tangents++;
    }
    if (tangent && evaluator->add_stiffness) evaluator->add_stiffness(s);
    sari_forces_add(s, t, tangent);
}

/* Rows that are polynomials of q, where nothing else changes. */
static void eval_quadratic_rows(sari_system* s, unsigned what, const double* q, const double* v)
{
    const sari_quadratics* f = &s->compiled;
    s->kinematics->q = s->own.q = q;
    s->kinematics->v = s->own.v = v;
    s->not_finite = 0;
    if (what & SARI_EVAL_JACOBIAN)
        sari_quadratics_gradient(f, 0, f->rows, q, s->Phi, s->Phi_q.x);
    else if (what & SARI_EVAL_PHI)
        for (int r = 0; r < f->rows; r++) s->Phi[r] = sari_quadratics_value(f, r, q);
    if (s->slack.offset) drop_slack(s, what);
    if (what & SARI_EVAL_BIAS) sari_quadratics_curvature(f, 0, f->rows, v, s->bias);
    if (what & SARI_EVAL_JACOBIAN_RATE)
        sari_quadratics_gradient_rate(f, 0, f->rows, v, s->Phi_q_rate.x);
}

sar_status sari_equations_eval(sari_equations* equations, unsigned what, double t, const double* q,
                               const double* v)
{
    sari_system* s = (sari_system*)equations;
    int wants_force = (what & (SARI_EVAL_FORCE | SARI_EVAL_TANGENT)) && !s->constant_force;
    const unsigned along =
        what & (SARI_EVAL_BIAS | SARI_EVAL_JACOBIAN_RATE | SARI_EVAL_VELOCITY_SLOPE);
    int wants_rates = wants_force || along;
    if (wants_rates && !v && s->nq > 0) return SAR_E_ARG;
    const sar_status coupled = wants_force ? sari_system_couple(s, t, q, v) : SAR_OK;
    s->kinematics->time = t;
    if (s->quadratic && !wants_force && !s->slack.count) {
        eval_quadratic_rows(s, what, q, wants_rates ? v : NULL);
        return SAR_OK;
    }
    const sari_evaluator_ops* evaluator = s->coordinates.evaluator;
    const int tangent = (what & SARI_EVAL_TANGENT) != 0;
    const int on_bodies = wants_force && sari_forces_on_bodies(s->forces);
    const int late = evaluator->rates_late && (along || (wants_force && tangent) || on_bodies);
    if (s->direct && !(what & SARI_EVAL_JACOBIAN_RATE))
        sari_kinematics_place(s->kinematics, q);
    else
        sari_kinematics_update(s->kinematics, q, wants_rates ? v : NULL,
                               late ? 1
                               : wants_force && (tangent || sari_forces_need_placement(s->forces))
                                   ? SARI_PLACES // loads act on bodies where they are
                                   : 0);
    s->own.q = q;
    s->own.v = v;
    s->not_finite = 0;
    if (what & (SARI_EVAL_PHI | SARI_EVAL_JACOBIAN | SARI_EVAL_BIAS | SARI_EVAL_PHI_T))
        eval_constraints(s, what, t);
    if (s->slack.count || s->slack.offset) drop_slack(s, what);
    if (what & SARI_EVAL_JACOBIAN_RATE) eval_jacobian_rate(s, t);
    if ((what & SARI_EVAL_VELOCITY_SLOPE) && s->velocity) sari_velocity_rows_slope(s, t);
    if ((what & SARI_EVAL_MASS) && !s->constant_mass) sari_system_set_mass(s);
    if (wants_force) add_forces(s, t, tangent);
    return s->not_finite ? SAR_R_NOT_FINITE : coupled;
}

int sari_equations_open(const sari_equations* equations)
{
    const sari_system* s = (const sari_system*)equations;
    return s->coordinates.evaluator->recursion && s->nc == 0;
}

sar_status sari_equations_accelerations(sari_equations* equations, double t, const double* q,
                                        const double* v, double* a)
{
    sari_system* s = (sari_system*)equations;
    const int forced = sari_forces_depend_on_motion(s->forces);
    SARI_TRY(sari_system_couple(s, t, q, v));
    s->kinematics->time = t;
    if (forced) {
        sari_kinematics_update(s->kinematics, q, v, 1);
        for (int i = 0; i < s->nq; i++) s->Q[i] = 0.0;
        s->not_finite = 0;
        sari_forces_add(s, t, 0);
        if (s->not_finite) return SAR_R_NOT_FINITE;
    }
    SARI_TRY(s->coordinates.evaluator->recursion(s, q, v, forced ? s->Q : NULL, a));
    for (int i = s->nq - s->states; i < s->nq; i++) a[i] = s->Q[i];
    return SAR_OK;
}

static void add_block(double* G, int n, const sari_term_list* list, const double* H, double f)
{
    for (int i = 0; i < list->n; i++)
        for (int j = 0; j < list->n; j++) G[n * list->i[i] + list->i[j]] += f * H[list->n * i + j];
}

void sari_system_geometric_stiffness(sari_system* s, const double* lambda, double* G)
{
    const sari_kinematics* k = s->kinematics;
    double* H = s->hessian;
    sari_kinematics_update(s->kinematics, k->q, k->v, 1); // derivatives of X too
    for (int r = 0; r < s->own_rows + s->polynomial_rows; r++) {
        const sari_kinematics* from = r < s->own_rows ? &s->own : k;
        int poly = r < s->own_rows ? r : s->row_polynomial[r - s->own_rows];
        int n = from->depends[poly].n;
        memset(H, 0, (size_t)(n * n) * sizeof *H);
        sari_poly_hessian(from, poly, lambda[r], H);
        add_block(G, s->nq, &from->depends[poly], H, 1.0);
    }
    for (int i = 0; i < s->relation_rows; i++)
        sari_relation_stiffness(s, i, s->relation_t, lambda[s->own_rows + s->polynomial_rows + i],
                                G);
}

void sari_equations_phi_dot(const sari_equations* equations, const double* v, double* out)
{
    const sari_system* s = (const sari_system*)equations;
    sari_csr_multiply(&s->Phi_q, v, out);
    for (int r = s->own_rows + s->polynomial_rows; r < s->nc; r++) out[r] += s->Phi_t[r];
    sari_slack_drop(&s->slack, out);
}

double sari_system_kinetic_energy(const sari_system* s, const double* v)
{
    const int *p = s->M.p, *i = s->M.i;
    double twice = 0.0;
    if (s->coordinates.evaluator->kinetic_energy)
        return s->coordinates.evaluator->kinetic_energy(s, v);
    for (int c = 0; c < s->nq - s->states; c++) { // the diagonal comes first
        double off = 0.0;
        for (int k = p[c] + 1; k < p[c + 1]; k++) off += s->M.x[k] * v[i[k]];
        twice += v[c] * (s->M.x[p[c]] * v[c] + 2.0 * off);
    }
    return 0.5 * twice;
}

/* With the bodies placed by X. */
double sari_system_weight_potential(const sari_system* s, const double* X)
{
    const sari_mechanism* m = s->mechanism;
    double energy = 0.0;
    for (int b = 1; b < m->bodies; b++)
        for (int k = 0; k < m->dimension; k++)
            energy -= m->model->bodies[b].def.mass * m->model->gravity[k] * X[m->nx * b + k];
    return energy;
}

/* With that of the forces, the kinematics at q. */
static double add_weight(const sari_system* s, double energy, const double* q)
{
    if (!s->coordinates.constant) return energy + sari_system_weight_potential(s, s->kinematics->X);
    energy += s->gravity_0;
    for (int i = 0; i < s->nq; i++) energy -= s->gravity[i] * q[i];
    return energy;
}

double sari_system_potential_energy(sari_system* s, double t, const double* q, const double* v)
{
    s->kinematics->time = t;
    sari_kinematics_position(s->kinematics, q);
    return add_weight(s, sari_forces_potential(s, t, v + s->nq - s->states), q);
}

int sari_equations_conservative(const sari_equations* equations)
{
    const sari_system* s = (const sari_system*)equations;
    return s->unforced || sari_forces_conservative(s);
}

double sari_system_power(sari_system* s, double t, const double* q, const double* v,
                         const double* lambda, double* potential)
{
    if (s->unforced) {
        if (potential) *potential = sari_system_potential_energy(s, t, q, v);
        return 0.0;
    }
    (void)sari_system_couple(s, t, q, v);
    s->kinematics->time = t;
    sari_kinematics_update(s->kinematics, q, v, 1);
    double power = sari_forces_power(s, t, potential);
    if (potential) *potential = add_weight(s, *potential, q);
    if (s->velocity) power += sari_velocity_rows_power(s, t, lambda, NULL);
    for (int i = 0; i < s->relation_rows; i++) // -lambda'Phi_q v = lambda'Phi_t
        power += lambda[s->own_rows + s->polynomial_rows + i] * sari_relation_by_time(s, i, t);
    return power;
}

void sari_system_power_parts(sari_system* s, double t, const double* q, const double* v,
                             const double* lambda, const sari_power_parts* out)
{
    const int forces = sar_model_forces(s->model), first = s->own_rows + s->polynomial_rows;
    memset(out->force, 0, (size_t)forces * sizeof(double));
    memset(out->potential, 0, (size_t)forces * sizeof(double));
    memset(out->joint, 0, (size_t)s->model->joints_count * sizeof(double));
    (void)sari_system_couple(s, t, q, v);
    s->kinematics->time = t;
    sari_kinematics_update(s->kinematics, q, v, 1);
    sari_forces_each(s, t, out->force, out->potential);
    out->potential[forces] = add_weight(s, 0.0, q);
    for (int i = 0; i < s->relation_rows; i++)
        out->joint[s->row_joint[first + i]] += lambda[first + i] * sari_relation_by_time(s, i, t);
    if (s->velocity) sari_velocity_rows_power(s, t, lambda, out->joint);
}

int sari_equations_blocks(const sari_equations* equations, int* block)
{
    const sari_system* s = (const sari_system*)equations;
    if (!s->coordinates.ops->separate) return 0;
    for (int b = 1; b < s->mechanism->bodies; b++)
        for (int i = 0; i < s->coordinates.body[b].nq; i++)
            block[s->coordinates.body[b].q[i]] = b - 1;
    sari_forces_blocks(s, block);
    return 1;
}

void sari_system_rest(sari_system* s, int at_rest)
{
    if (s->forces) sari_forces_rest(s, at_rest);
}

void sari_system_share(sari_system* s, int threads)
{
    s->threads = s->coordinates.threads = threads;
    if (s->coordinates.evaluator->share) s->coordinates.evaluator->share(s, threads);
}

void sari_equations_stiffness(const sari_equations* equations, const double* lambda, double* G)
{
    const sari_system* s = (const sari_system*)equations;
    s->coordinates.evaluator->block_stiffness(s, lambda, G);
}

/* The fastest of the parts of all bodies from the first one on: 0 the centre, then axes. */
static double fastest_part(sari_system* s, const double* q, const double* v, int first)
{
    const sari_mechanism* m = s->mechanism;
    const int dim = m->dimension, linear = s->kinematics->constant; // wherever they are
    double fastest2 = 0.0, rates[12];
    if (!linear) sari_kinematics_update(s->kinematics, q, v, 1);
    for (int b = 1; b < m->bodies; b++) {
        if (linear) sari_kinematics_linear_rates(s->kinematics, b, v, rates);
        const double* Xd = linear ? rates : s->kinematics->Xd + m->nx * b;
        for (int part = first * dim; part < m->nx; part += dim) {
            double square = 0.0;
            for (int k = 0; k < dim; k++) square += Xd[part + k] * Xd[part + k];
            if (part == 0) square /= s->size * s->size;
            if (!(square <= fastest2)) fastest2 = square;
        }
    }
    return sqrt(fastest2);
}

double sari_equations_turn(sari_equations* equations, const double* q, const double* v)
{
    return fastest_part((sari_system*)equations, q, v, 0);
}

double sari_equations_spin(sari_equations* equations, const double* q, const double* v)
{
    return fastest_part((sari_system*)equations, q, v, 1);
}

double sari_equations_distance(sari_equations* equations, const double* q, const double* v,
                               const double* way)
{
    sari_system* s = (sari_system*)equations;
    const sari_mechanism* m = s->mechanism;
    const int linear = s->kinematics->constant;
    double farthest2 = 0.0, moved[12];
    if (!linear) sari_kinematics_update(s->kinematics, q, v, 1);
    for (int b = 1; b < m->bodies; b++) {
        const double *X = s->kinematics->X + m->nx * b, *X0 = m->X0 + m->nx * b;
        double square = 0.0;
        if (linear) sari_kinematics_linear_rates(s->kinematics, b, way, moved);
        for (int k = 0; k < m->dimension; k++)
            square += linear ? moved[k] * moved[k] : (X[k] - X0[k]) * (X[k] - X0[k]);
        farthest2 = fmax(farthest2, square);
    }
    return sqrt(farthest2) / s->size;
}

void sari_equations_state_scales(sari_equations* equations, double t, const double* q,
                                 const double* v, double pace, double* scale)
{
    sari_system* s = (sari_system*)equations;
    if (!s->states || !sari_forces_have_states_of_model(s)) return;
    sari_kinematics_update(s->kinematics, q, v, 1);
    sari_forces_state_scales(s, t, pace, scale);
}

double sari_equations_softest(const sari_equations* equations)
{
    const sari_system* s = (const sari_system*)equations;
    const double pi = 3.14159265358979323846;
    double mass = 0.0;
    int bodies = s->mechanism->bodies - 1, path = sari_mechanism_longest_path(s->mechanism);
    for (int b = 1; b <= bodies; b++) mass += s->model->bodies[b].def.mass;
    if (path < 1 || mass <= 0.0) return INFINITY;
    double sine = pi / (2.0 * path);
    return sine * sine * bodies / mass;
}

const char* sari_equations_row_name(const sari_equations* equations, int row)
{
    const sari_system* s = (const sari_system*)equations;
    if (s->row_joint[row] >= 0) return s->model->joints[s->row_joint[row]].name;
    return s->model->bodies[s->row_body[row]].name;
}

void sari_system_set_offsets(sari_system* s)
{
    sari_scalar_value value = {0};
    for (int i = 0; i < s->relation_rows; i++) {
        sari_relation* r = &s->relation[i];
        if (!r->as_drawn) continue;
        r->offset = 0.0;
        for (int k = 0; k < r->terms; k++) {
            sari_scalar_eval(s->kinematics, r->scalar[k], 0, &value);
            r->offset += r->coefficient[k] * value.value;
        }
    }
}

int sari_system_flat_disc(sari_system* s, const double* q)
{
    sari_scalar_value value = {0};
    sari_kinematics_update(s->kinematics, q, NULL, 1);
    for (int i = 0; i < s->relation_rows; i++)
        for (int k = 0; k < s->relation[i].terms; k++) {
            const int scalar = s->relation[i].scalar[k];
            if (s->kinematics->scalar[scalar].kind != SARI_SCALAR_COMPLEMENT) continue;
            sari_scalar_eval(s->kinematics, scalar, 0, &value);
            if (!(value.value > 0.02)) return s->relation[i].joint;
        }
    return -1;
}

/* In world axes; as sums of flows it would cost more. */
static double spin_of(const sari_system* s, const sari_signal* signal)
{
    const int at = s->mechanism->nx * signal->body;
    double w[3];
    sari_spin_of(s->mechanism, s->kinematics->X + at, s->kinematics->Xd + at, w);
    return w[signal->component];
}

void sari_system_signals(sari_system* s, double t, const double* q, const double* v,
                         const double* a, const char* wanted, double* variables)
{
    const sar_model* model = s->model;
    sari_scalar_value value = {0};
    int positions = 1, reactions = 0; // are all that is asked for; are among it
    for (int i = 0; v && i < model->signals_count; i++)
        if (!wanted || wanted[i])
            positions &= s->mechanism->signal_scalar[i] >= 0 && model->signals[i].level == 0,
                reactions |= sari_signal_is_reaction(&model->signals[i]);
    if (reactions) (void)sari_system_couple(s, t, q, v);
    if (positions)
        sari_kinematics_position(s->kinematics, q);
    else
        sari_kinematics_update(s->kinematics, q, v, 1);
    s->kinematics->time = t;
    variables[SARI_VARIABLE_T] = t;
    if (s->forces) sari_forces_reactions(s, variables);
    for (int i = 0; i < model->signals_count; i++) {
        int scalar = s->mechanism->signal_scalar[i], level = model->signals[i].level;
        if (scalar < 0 || (level && !v) || (wanted && !wanted[i])) continue;
        if (model->signals[i].kind == SARI_SIGNAL_BODY_SPIN && !model->signals[i].frame) {
            variables[SARI_VARIABLE_SIGNAL + i] = spin_of(s, &model->signals[i]);
            continue;
        }
        if (level == 0) {
            variables[SARI_VARIABLE_SIGNAL + i] = sari_scalar_value_of(s->kinematics, scalar);
            continue;
        }
        sari_scalar_eval(s->kinematics, scalar, level, &value);
        double x = level == 1 ? value.rate : value.bias;
        const sari_term_list* list = &s->kinematics->scalar_depends[scalar];
        for (int j = 0; level == 2 && j < list->n; j++) x += value.g[j] * a[list->i[j]];
        variables[SARI_VARIABLE_SIGNAL + i] = x;
    }
}
