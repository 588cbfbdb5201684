/* Joint reactions, the same way for all coordinates.
 *
 * Coordinates may build joints in (natural coordinates share points), so that not every joint has
 * multipliers. But every joint has conditions phi_r(X) on the placement of its bodies
 * (mechanism.h), each with a multiplier and a force on the bodies:
 *
 *     w_r,b = wrench on body b of d phi_r/dX_b                                                (1)
 *
 * and the motion says what wrench the joints must exert on every body:
 *
 *     sum_r mu_r w_r,b = (M_X Xdd - applied forces)_b                                         (2)
 *
 * (2) has a solution because the motion satisfies the constraints; of all (redundant joints) the
 * smallest one is taken:
 *
 *     (W W' + eps) mu = W w,   repeated                                                       (3)
 *
 * Self-stress states, W' mu = 0, tell which joints are redundant. */
#include "simulation/reactions.h"
#include "base/memory.h"
#include "base/status.h"
#include "formulations/chart/singular.h"
#include "linalg/rank.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "system/forces/forces.h"
#include "system/forces/loads.h"
#include "system/nonholonomic.h"
#include "system/relations.h"

#include <float.h>
#include <math.h>

enum {
    WRENCH = 6,
    PASSES = 40, ///< of (3): two, but beside singular configurations
};

/* ---- construction --------------------------------------------------------------------------- */

static void list_rows(sari_reactions* r)
{
    const sari_mechanism* m = r->sys->mechanism;
    int n = 0;
    for (int c = 0; c < m->conditions_count; c++)
        for (int p = m->conditions[c].poly; p < m->conditions[c].poly_end; p++) {
            r->joint[n] = m->conditions[c].joint;
            r->poly[n++] = p;
        }
    for (int i = 0; i < m->relations_count; i++) {
        r->joint[n] = m->relations[i].joint;
        r->poly[n++] = -1 - i;
    }
    for (int i = 0; i < m->velocity_rows_count; i++) {
        r->joint[n] = m->velocity_rows[i].joint;
        r->poly[n++] = -1 - m->relations_count - i;
    }
}

static void add_polynomial_bodies(const sari_mechanism* m, int poly, int row, sari_pattern* pattern)
{
    int list[SARI_POLY_X];
    int n = sari_polynomial_variables(&m->poly, poly, list, SARI_POLY_X);
    for (int i = 0; i < n && i < SARI_POLY_X; i++)
        for (int k = 0; k < WRENCH; k++)
            sari_pattern_add(pattern, row, WRENCH * (list[i] / m->nx) + k);
}

static void add_scalar_bodies(const sari_mechanism* m, int scalar, int row, sari_pattern* pattern)
{
    const sari_scalar* s = &m->scalars[scalar];
    add_polynomial_bodies(m, s->a, row, pattern);
    if (sari_scalar_has_two(s)) add_polynomial_bodies(m, s->b, row, pattern);
}

static sar_status make_W(sari_reactions* r)
{
    const sari_mechanism* m = r->sys->mechanism;
    sari_pattern pattern;
    sari_pattern_init(&pattern, r->rows, WRENCH * m->bodies);
    for (int row = 0; row < r->rows; row++) {
        if (r->poly[row] >= 0) {
            add_polynomial_bodies(m, r->poly[row], row, &pattern);
            continue;
        }
        const int at = -1 - r->poly[row], velocity = at - m->relations_count;
        if (velocity < 0)
            for (int t = 0; t < m->relations[at].terms; t++)
                add_scalar_bodies(m, m->relations[at].scalar[t], row, &pattern);
        else
            for (int t = 0; t < m->velocity_rows[velocity].scalars; t++)
                add_scalar_bodies(m, m->velocity_rows[velocity].scalar[t], row, &pattern);
    }
    sar_status st = sari_pattern_make_csr(&pattern, &r->W);
    sari_pattern_clear(&pattern);
    return st;
}

/* Where rows a and b of W have a body in common, in pairs; returns how many there are. */
static int shared_bodies(const sari_csr* W, int a, int b, int* out)
{
    int count = 0;
    for (int i = W->p[a], j = W->p[b]; i < W->p[a + 1] && j < W->p[b + 1];) {
        const int body = W->i[i], other = W->i[j];
        if (body == other && out) out[2 * count] = i, out[2 * count + 1] = j;
        count += body == other;
        i += body <= other ? WRENCH : 0;
        j += other <= body ? WRENCH : 0;
    }
    return count;
}

static sar_status list_shared(sari_reactions* r)
{
    const int* p = r->A.p;
    int count = 0;
    r->shared_p = SARI_TAKE(&r->memory, int, p[r->rows] + 1);
    if (r->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < r->rows; c++)
        for (int e = p[c]; e < p[c + 1]; e++) {
            r->shared_p[e] = count;
            count += shared_bodies(&r->W, r->A.i[e], c, NULL);
        }
    r->shared_p[p[r->rows]] = count;
    r->shared = SARI_TAKE(&r->memory, int, 2 * (size_t)count);
    if (r->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < r->rows; c++)
        for (int e = p[c]; e < p[c + 1]; e++)
            shared_bodies(&r->W, r->A.i[e], c, r->shared + (ptrdiff_t)2 * r->shared_p[e]);
    return SAR_OK;
}

/* Pattern of W W': rows that touch a common body. */
static sar_status make_A(sari_reactions* r)
{
    int columns = r->W.cols;
    sari_pattern pattern;
    sari_arena scratch = {0};
    int* count = SARI_TAKE(&scratch, int, columns + 1);
    int* rows = SARI_TAKE(&scratch, int, r->W.p[r->rows]);
    if (scratch.failed) {
        sari_arena_clear(&scratch);
        return SAR_E_NOMEM;
    }
    for (int k = 0; k < r->W.p[r->rows]; k++) count[r->W.i[k] + 1]++;
    for (int c = 0; c < columns; c++) count[c + 1] += count[c];
    for (int row = r->rows - 1; row >= 0; row--)
        for (int k = r->W.p[row]; k < r->W.p[row + 1]; k++) rows[--count[r->W.i[k] + 1]] = row;
    // count[c + 1] is now where column c starts
    sari_pattern_init(&pattern, r->rows, r->rows);
    for (int c = 0; c < columns; c += WRENCH) {
        int first = count[c + 1], last = c + 1 < columns ? count[c + 2] : r->W.p[r->rows];
        sari_pattern_add_clique(&pattern, rows + first, last - first);
    }
    sar_status st = sari_pattern_make_sym(&pattern, &r->A);
    sari_pattern_clear(&pattern);
    sari_arena_clear(&scratch);
    if (st == SAR_OK) st = list_shared(r);
    return st == SAR_OK ? sari_reactions_plan_product(r) : st;
}

static sar_status make_work(sari_reactions* r)
{
    const sari_mechanism* m = r->sys->mechanism;
    size_t x = (size_t)(m->nx * m->bodies), w = (size_t)(WRENCH * m->bodies);
    r->G = SARI_TAKE(&r->memory, double, x);
    r->X = SARI_TAKE(&r->memory, double, x);
    r->Xdd = SARI_TAKE(&r->memory, double, x);
    r->w = SARI_TAKE(&r->memory, double, w);
    r->rest = SARI_TAKE(&r->memory, double, w);
    r->mu = SARI_TAKE(&r->memory, double, r->rows);
    r->rhs = SARI_TAKE(&r->memory, double, r->rows);
    if (sari_is_chart(&r->form)) sari_reactions_take_across(r);
    if (r->memory.failed) return SAR_E_NOMEM;
    if (r->rows > SARI_REACTIONS_DENSE || w > 2 * SARI_REACTIONS_DENSE) return SAR_OK;
    size_t least = (size_t)r->rows < w ? (size_t)r->rows : w;
    r->dense = SARI_TAKE(&r->memory, double, (size_t)r->rows* w);
    r->sigma = SARI_TAKE(&r->memory, double, least);
    r->U = SARI_TAKE(&r->memory, double, (size_t)r->rows* least);
    r->work = SARI_TAKE(&r->memory, double, sari_svd_workspace(r->rows, (int)w) + (size_t)r->rows);
    return !r->memory.failed ? SAR_OK : SAR_E_NOMEM;
}

sar_status sari_reactions_create(sari_system* system, const sari_formulation* form,
                                 sari_reactions** out)
{
    const sari_mechanism* m = system->mechanism;
    sari_reactions* r = SARI_NEW(sari_reactions);
    if (!r) return SAR_E_NOMEM;
    r->sys = system;
    if (form) r->form = *form;
    for (int c = 0; c < m->conditions_count; c++)
        r->rows += m->conditions[c].poly_end - m->conditions[c].poly;
    r->rows += m->relations_count + m->velocity_rows_count;
    r->joint = SARI_TAKE(&r->memory, int, r->rows);
    r->poly = SARI_TAKE(&r->memory, int, r->rows);
    sar_status st = !r->memory.failed ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK) {
        list_rows(r);
        st = make_W(r);
    }
    if (st == SAR_OK) st = make_A(r);
    if (st == SAR_OK) st = make_work(r);
    if (st == SAR_OK) st = sari_reactions_expect_split(r);
    if (st == SAR_OK) {
        const sari_solver_ops* ops = sari_solver_find("auto", &r->A);
        st = sari_solver_create(ops, &r->A, NULL, &r->solver);
    }
    if (st != SAR_OK) {
        sari_reactions_destroy(r);
        return st;
    }
    *out = r;
    return SAR_OK;
}

void sari_reactions_destroy(sari_reactions* r)
{
    if (!r) return;
    sari_solver_clear(&r->solver);
    sari_stress_clear(r->stress);
    sari_csr_clear(&r->W);
    sari_sym_clear(&r->A);
    sari_arena_clear(&r->memory);
    sari_release(r);
}

/* ---- the wrenches of the rows --------------------------------------------------------------- */

static void polynomial_on_X(const sari_mechanism* m, int poly, const double* X, double* G)
{
    const sari_scalar plain = {SARI_SCALAR_PLAIN, poly, 0, 0.0};
    sari_scalar_gradient_on_X(m, &plain, X, 1.0, G);
}

/* (1) for all rows at the placement X. G is used as scratch and left zero. */
void sari_reactions_fill_W(sari_reactions* r, const double* X)
{
    const sari_mechanism* m = r->sys->mechanism;
    for (int row = 0; row < r->rows; row++) {
        const int at = -1 - r->poly[row];
        if (at < 0) {
            polynomial_on_X(m, r->poly[row], X, r->G);
        } else if (at >= m->relations_count) {
            sari_velocity_row_on_X(r->sys, at - m->relations_count, r->t, X, r->G);
        } else {
            const sari_relation* relation = &m->relations[at];
            double slope[SARI_RELATION_TERMS];
            sari_relation_slopes_on_X(r->sys, relation, r->t, X, slope);
            for (int t = 0; t < relation->terms; t++)
                sari_scalar_gradient_on_X(m, &r->sys->kinematics->scalar[relation->scalar[t]], X,
                                          slope[t], r->G);
        }
        for (int k = r->W.p[row]; k < r->W.p[row + 1]; k += WRENCH) {
            int b = r->W.i[k] / WRENCH;
            sari_wrench_of(m, X + m->nx * b, r->G + m->nx * b, r->W.x + k);
            memset(r->G + m->nx * b, 0, (size_t)m->nx * sizeof(double));
        }
    }
}

/* W W': entry (i, j) is the product of two rows, six numbers for each body of both. */
static void multiply_rows(sari_reactions* r)
{
    const double* W = r->W.x;
    const int entries = r->A.p[r->rows], *shared = r->shared, *end = shared;
    for (int e = 0; e < entries; e++) {
        double sum = 0.0;
        for (end = r->shared + (ptrdiff_t)2 * r->shared_p[e + 1]; shared < end; shared += 2) {
            const double *a = W + shared[0], *b = W + shared[1];
            for (int k = 0; k < WRENCH; k++) sum += a[k] * b[k];
        }
        r->A.x[e] = sum;
    }
}

/* W W' + eps */
static void fill_A(sari_reactions* r)
{
    double trace = 0.0;
    if (r->product.by_bodies)
        sari_reactions_product(r);
    else
        multiply_rows(r);
    for (int c = 0; c < r->rows; c++) trace += r->A.x[r->A.p[c]];
    for (int c = 0; c < r->rows; c++) r->A.x[r->A.p[c]] += 1e-9 * trace / (r->rows ? r->rows : 1);
}

/* (3) at the placement r->X for the wrenches r->w */
static sar_status balance(sari_reactions* r)
{
    const sari_mechanism* m = r->sys->mechanism;
    memset(r->G, 0, (size_t)(m->nx * m->bodies) * sizeof(double));
    sari_reactions_fill_W(r, r->X);
    fill_A(r);
    sar_status st = r->solver.ops->factor(r->solver.self, r->A.x);
    if (st < 0) return st;
    memset(r->mu, 0, (size_t)r->rows * sizeof(double));
    double before = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) { // mu += (W W' + eps)^-1 W (w - W' mu)
        double change = 0.0, size = 0.0;
        memcpy(r->rest, r->w, (size_t)(WRENCH * m->bodies) * sizeof(double));
        if (pass) sari_csr_multiply_add_transposed(&r->W, -1.0, r->mu, r->rest);
        sari_csr_multiply(&r->W, r->rest, r->rhs);
        r->solver.ops->solve(r->solver.self, r->rhs);
        for (int i = 0; i < r->rows; i++) {
            r->mu[i] += r->rhs[i];
            const double by = fabs(r->rhs[i]), now = fabs(r->mu[i]);
            change = by > change ? by : change;
            size = now > size ? now : size;
        }
        if (!(change * change > DBL_EPSILON * size * fmin(before, size)))
            break; // the next is nothing
        before = change;
    }
    if (r->stress) sari_reactions_split(r);
    return SAR_OK;
}

sar_status sari_reactions_impulse(sari_reactions* r, const double* X, const double* change)
{
    const sari_mechanism* m = r->sys->mechanism;
    const int nx = m->nx;
    memcpy(r->X, X, (size_t)(nx * m->bodies) * sizeof(double));
    memset(r->w, 0, (size_t)(WRENCH * m->bodies) * sizeof(double));
    for (int b = 1; b < m->bodies; b++) {
        double momentum[12];
        sari_inertia_times(m, b, change + nx * b, momentum);
        sari_wrench_of(m, X + nx * b, momentum, r->w + WRENCH * b);
    }
    return balance(r);
}

void sari_reactions_sum(const sari_reactions* r, double force[3], double torque[3])
{
    const sari_mechanism* m = r->sys->mechanism;
    memset(r->rest, 0, (size_t)(WRENCH * m->bodies) * sizeof(double));
    sari_csr_multiply_add_transposed(&r->W, 1.0, r->mu, r->rest);
    for (int k = 0; k < 3; k++) force[k] = torque[k] = 0.0;
    for (int b = 1; b < m->bodies; b++) {
        const double *w = r->rest + WRENCH * b, *X = r->X + m->nx * b;
        double center[3] = {X[0], X[1], m->dimension == 3 ? X[2] : 0.0}, moment[3];
        sari_cross(center, w, moment);
        for (int k = 0; k < 3; k++) force[k] += w[k], torque[k] += w[3 + k] + moment[k];
    }
}

sar_status sari_reactions_solve(sari_reactions* r, const sari_state* s)
{
    return sari_reactions_across(r, s) ? SAR_OK : sari_reactions_balance(r, s);
}

void sari_reactions_complete(sari_reactions* r, const sari_state* s)
{
    const sari_mechanism* m = r->sys->mechanism;
    const sari_kinematics* k = r->sys->kinematics;
    r->t = r->sys->kinematics->time = s->t;
    sari_kinematics_update(r->sys->kinematics, s->q, s->v, 1);
    memcpy(r->X, k->X, (size_t)(m->nx * m->bodies) * sizeof(double));
    memset(r->G, 0, (size_t)(m->nx * m->bodies) * sizeof(double));
    sari_reactions_fill_W(r, r->X);
}

sar_status sari_reactions_balance(sari_reactions* r, const sari_state* s)
{
    sari_system* sys = r->sys;
    const sari_mechanism* m = sys->mechanism;
    const sari_kinematics* k = sys->kinematics;
    int nx = m->nx;
    SARI_TRY(sari_system_couple(sys, s->t, s->q, s->v));
    r->t = sys->kinematics->time = s->t;
    sari_kinematics_update(sys->kinematics, s->q, s->v, 1);
    memcpy(r->X, k->X, (size_t)(nx * m->bodies) * sizeof(double));
    sari_kinematics_accelerations(k, s->a, r->Xdd);
    memset(r->G, 0, (size_t)(nx * m->bodies) * sizeof(double));
    sari_forces_on_X(sys, s->t, r->G);
    memset(r->w, 0, (size_t)(WRENCH * m->bodies) * sizeof(double));
    for (int b = 1; b < m->bodies; b++) { // (2), right-hand side
        double inertia[12];
        sari_inertia_times(m, b, r->Xdd + nx * b, inertia);
        for (int a = 0; a < nx; a++) inertia[a] -= r->G[nx * b + a];
        sari_wrench_of(m, r->X + nx * b, inertia, r->w + WRENCH * b);
    }
    return balance(r);
}

/* Point and body at which a joint's reaction is told: its end b. Couplings tell that of their first
 * joint. */
static const sar_end* reported_at(const sar_model* model, int joint)
{
    const sari_joint* j = &model->joints[joint];
    const int used = sari_joint_uses(j, 0);
    if (used >= 0) j = &model->joints[used];
    const sar_end* ends = sari_joint_ends(j);
    return ends ? &ends[1] : &j->pair.b; // a constraint acts at no one point
}

void sari_reaction(const sari_reactions* r, int joint, double force[3], double torque[3])
{
    const sari_mechanism* m = r->sys->mechanism;
    const sari_joint* j = &m->model->joints[joint];
    const sar_end* b = reported_at(m->model, joint);
    // On the ground nothing is stored: the reaction there is minus the one on the other body.
    const sar_end* a = j->relation ? b : &j->pair.a;
    int body = b->body.i ? b->body.i : a->body.i;
    double sign = b->body.i ? 1.0 : -1.0, p[3], arm[3], moment[3];
    for (int k = 0; k < 3; k++) force[k] = torque[k] = 0.0;
    if (body == 0) return;
    for (int row = 0; row < r->rows; row++) {
        if (r->joint[row] != joint) continue;
        for (int k = r->W.p[row]; k < r->W.p[row + 1]; k += WRENCH) {
            if (r->W.i[k] / WRENCH != body) continue;
            for (int i = 0; i < 3; i++) {
                force[i] += sign * r->mu[row] * r->W.x[k + i];
                torque[i] += sign * r->mu[row] * r->W.x[k + 3 + i];
            }
        }
    }
    for (int k = 0; k < 3; k++) { // from the centre of mass to the joint's point
        sari_affine f = sari_point_affine(m, b->body.i, b->point, k);
        p[k] = f.c;
        for (int i = 0; i < f.n; i++) p[k] += f.coefficient[i] * r->X[f.index[i]];
        arm[k] = (k < m->dimension ? r->X[m->nx * body + k] : 0.0) - p[k];
    }
    sari_cross(arm, force, moment);
    for (int k = 0; k < 3; k++) torque[k] += moment[k];
}

/* The multiplier of the drive's relation, coordinate - value(t) = 0: the gradient of the coordinate
 * turns it into wrenches, so that its power is mu times the coordinate's rate. */
double sari_reaction_along(const sari_reactions* r, int joint)
{
    double force = 0.0;
    for (int row = 0; row < r->rows; row++)
        if (r->joint[row] == joint) force += r->mu[row];
    return force;
}

int sari_reactions_conditions(const sari_reactions* r)
{
    return r->rows;
}
