/* The equations of the map, (1) and (2) of locus.h. A correction is the shortest solution of
 *
 *     [J; g'] dq = -[phi; g]            g: the row of a plane t'(q - p) or of a sphere (|q - c|^2 - R^2)/2R       (3)
 *
 * by normal equations with a ridge of 1e-14 of their trace: redundant rows do no harm, and where rows are missing the
 * ridge chooses the shortest step. What normal equations lose in digits Newton's method brings back.
 *
 * Gears, belts and screws keep a sum c_i s_i of coordinates. An orientation does not say in which revolution an angle is: the sum
 * is known up to whole multiples of the period 2 pi gcd(c_i of angles), and these are left out.           (3a) */
#include "atlas/locus.h"

#include "base/status.h"
#include "linalg/cholesky.h"
#include "linalg/rank.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "system/turns.h"

#include <math.h>
#include <string.h>

enum { CORRECTIONS = 12, SLOW_CORRECTIONS = 45 };
enum { LARGEST = 150 }; ///< coordinates: matrices are dense
static const double RANK = 1e-7, LEAST_SCALE = 0.3;
static const double RIDGE = 1e-14;
static const double PI = 3.14159265358979323846;
static const double FRACTION = 1e-9,
                    COARSE = 1e-3; ///< coefficients that are zero; periods that are
static const double MET = 1e-10;   ///< |phi| that is zero, but for rounding

/* ---- evaluation ------------------------------------------------------------------------------- */

static void dense(const sari_locus* l, const sari_csr* from, double* out)
{
    memset(out, 0, (size_t)l->base_m * (size_t)l->base * sizeof *out);
    for (int r = 0; r < l->base_m; r++)
        for (int k = from->p[r]; k < from->p[r + 1]; k++)
            if (from->i[k] < l->base)
                out[(size_t)r * (size_t)l->base + (size_t)from->i[k]] = from->x[k] * l->scale[r];
}

double sari_locus_constraints(sari_locus* l, const double* q, double* phi, double* J)
{
    memcpy(l->q, q, (size_t)l->base * sizeof *q);
    const sar_status st = sari_equations_eval(&l->sys->equations,
                                              SARI_EVAL_PHI | SARI_EVAL_JACOBIAN, l->t, l->q, NULL);
    for (int r = 0; r < l->base_m; r++) {
        const double whole = l->period[r] > 0.0 ? floor(l->sys->Phi[r] / l->period[r] + 0.5) : 0.0;
        phi[r] = (l->sys->Phi[r] - whole * l->period[r]) * l->scale[r]; // (3a)
    }
    dense(l, &l->sys->Phi_q, J);
    return st == SAR_OK ? sari_vector_max(l->base_m, phi) : NAN;
}

void sari_locus_constraint_rate(sari_locus* l, const double* q, const double* v, double* out)
{
    memcpy(l->q, q, (size_t)l->base * sizeof *q);
    memcpy(l->v, v, (size_t)l->base * sizeof *v);
    sari_equations_eval(&l->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_JACOBIAN_RATE, l->t,
                        l->q, l->v);
    dense(l, &l->sys->Phi_q_rate, out);
}

double sari_locus_eval(sari_locus* l, const double* q)
{
    return l->extend ? l->extend(l, q) : sari_locus_constraints(l, q, l->phi, l->J);
}

/* Of an extended system by central differences, which are exact where rows are quadratic. */
static void difference(sari_locus* l, const double* q, const double* v)
{
    static const double STEP = 1e-4;
    const size_t size = (size_t)l->m * (size_t)l->n;
    double *to = l->shifted, *kept = l->kept, *ahead = kept + size;
    memcpy(kept, l->J, size * sizeof(double));
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int i = 0; i < l->n; i++) to[i] = q[i] + sign * STEP * v[i];
        l->extend(l, to);
        if (sign > 0) memcpy(ahead, l->J, size * sizeof(double));
    }
    for (size_t k = 0; k < size; k++) l->Jv[k] = (ahead[k] - l->J[k]) / (2.0 * STEP);
    memcpy(l->J, kept, size * sizeof(double));
}

void sari_locus_rate(sari_locus* l, const double* q, const double* v)
{
    if (l->extend)
        difference(l, q, v);
    else
        sari_locus_constraint_rate(l, q, v, l->Jv);
}

/* ---- rank ------------------------------------------------------------------------------------- */

void sari_locus_spectrum(sari_locus* l)
{
    const int rows = l->m > l->n ? l->m : l->n; // rows beyond m are zero
    memset(l->J + (size_t)l->m * (size_t)l->n, 0,
           (size_t)(rows - l->m) * (size_t)l->n * sizeof(double));
    sari_svd(rows, l->n, l->J, l->s, l->U, l->V, l->work);
    l->spectra++;
}

int sari_locus_nullity(const sari_locus* l, double accuracy)
{
    const double limit = fmax(RANK, accuracy) * fmax(l->n > 0 ? l->s[0] : 0.0, LEAST_SCALE);
    int k = 0;
    for (int i = 0; i < l->n; i++) k += l->s[i] <= limit;
    return k;
}

void sari_locus_vector(const sari_locus* l, int j, double* x)
{
    for (int i = 0; i < l->n; i++) x[i] = l->V[(size_t)i * (size_t)l->n + (size_t)j];
}

/* ---- least squares ---------------------------------------------------------------------------- */

int sari_locus_reserve(sari_locus* l, int rows, int columns)
{
    const size_t r = (size_t)rows, c = (size_t)columns;
    if (c > l->room) {
        l->K = SARI_TAKE(&l->memory, double, c* c);
        l->room = c;
    }
    if (r * (c + 1) > l->room_A) {
        l->A = SARI_TAKE(&l->memory, double, r*(c + 1));
        l->b = SARI_TAKE(&l->memory, double, r*(c + 1));
        l->room_A = r * (c + 1);
    }
    return !l->memory.failed;
}

void sari_locus_solve(sari_locus* l, int rows, int columns, double* x)
{
    const size_t n = (size_t)columns;
    memset(l->K, 0, n * n * sizeof *l->K);
    memset(x, 0, n * sizeof *x);
    double trace = 0.0;
    for (size_t r = 0; r < (size_t)rows; r++) {
        const double* row = l->A + r * n;
        for (size_t i = 0; i < n; i++) {
            if (row[i] == 0.0) continue;
            for (size_t j = 0; j <= i; j++) l->K[i * n + j] += row[i] * row[j];
            x[i] += row[i] * l->b[r];
        }
    }
    for (size_t i = 0; i < n; i++) trace += l->K[i * n + i];
    for (size_t i = 0; i < n; i++) l->K[i * n + i] += RIDGE * trace;
    sari_cholesky(columns, l->K, 0.0);
    sari_cholesky_solve(columns, l->K, x);
    l->newton++;
}

/* ---- Newton's method -------------------------------------------------------------------------- */

int sari_guide_row(int n, const sari_guide* guide, const double* q, double* row, double* b)
{
    if (guide->kind == SARI_FREE) return 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = q[i] - guide->point[i];
        row[i] = guide->kind == SARI_PLANE ? guide->t[i] : d / guide->radius;
        sum += guide->kind == SARI_PLANE ? guide->t[i] * d : d * d;
    }
    *b = guide->kind == SARI_PLANE ? -sum
                                   : -(sum - guide->radius * guide->radius) / (2.0 * guide->radius);
    return 1;
}

int sari_locus_correct(sari_locus* l, const sari_guide* guide, double leash, double* q)
{
    const int n = l->n;
    double* dq = l->v; // free between evaluations without rates
    double way = 0.0, last = INFINITY, step = INFINITY;
    int slow = 0;
    l->accuracy = 0.0;
    if (!sari_locus_reserve(l, l->m + 1, n)) return 0;
    for (int i = 0; i < (slow > 3 ? SLOW_CORRECTIONS : CORRECTIONS); i++) {
        const double residual = sari_locus_eval(l, q);
        if (!(residual < 1e6)) return 0;
        memcpy(l->A, l->J, (size_t)l->m * (size_t)n * sizeof(double));
        for (int r = 0; r < l->m; r++) l->b[r] = -l->phi[r];
        const int more = sari_guide_row(n, guide, q, l->A + (size_t)l->m * (size_t)n, &l->b[l->m]);
        sari_locus_solve(l, l->m + more, n, dq);
        step = sari_vector_norm(n, dq);
        way += step;
        if (!(way <= leash)) return 0;
        sari_vector_add(n, 1.0, dq, q);
        slow = step > 0.3 * last && step < 0.9 * last ? slow + 1 : 0;
        if (step < 1e-11 || (step < 1e-8 && step > 0.3 * last)) break;
        last = step;
    }
    if (slow > 3) l->accuracy = fmax(30.0 * step, 1e-6);
    return sari_locus_eval(l, q) < MET && step < 1e-7;
}

/* ---- creation --------------------------------------------------------------------------------- */

static void place_on(sari_system* sys, const double* X, double* scratch, double* q, double* v)
{
    const sari_coordinates* c = &sys->coordinates;
    c->ops->from_placement(c, X, scratch, scratch, q, v);
}

/* Directions of both ends of a joint that are parallel: +1, -1 or 0. */
static int sense_of(const sari_mechanism* m, const double* X, const sar_end* a, const double u[3],
                    const sar_end* b, const double w[3])
{
    double Ra[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Rb[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[3], y[3];
    if (a->body.i > 0) sari_rotation_of(m, X + m->nx * a->body.i, Ra);
    if (b->body.i > 0) sari_rotation_of(m, X + m->nx * b->body.i, Rb);
    sari_rotate(Ra, u, x), sari_rotate(Rb, w, y);
    const double dot = sari_dot(x, y);
    return dot > 0.5 ? 1 : dot < -0.5 ? -1 : 0;
}

int sari_locus_same_sense(const sari_locus* l, const double* X)
{
    const sari_mechanism* m = l->sys->mechanism;
    const double* drawn = l->start->system->kinematics->X;
    for (int j = 0; j < m->model->joints_count; j++) {
        if (!m->active[j] || m->model->joints[j].relation) continue;
        const sar_end *a = &m->pair[j].a, *b = &m->pair[j].b;
        const sari_joint_form* form = sari_form_of(&m->pair[j], m->dimension);
        const int fixed = sari_form_has(form, SARI_SAME_ORIENTATION);
        if (m->dimension == 3 && (fixed || sari_form_aligns(form)) &&
            sense_of(m, X, a, a->axis, b, b->axis) != sense_of(m, drawn, a, a->axis, b, b->axis))
            return 0;
        if (fixed && sense_of(m, X, a, a->normal, b, b->normal) !=
                         sense_of(m, drawn, a, a->normal, b, b->normal))
            return 0;
    }
    return 1;
}

static double scalar_at(sari_locus* l, const double* q, int scalar)
{
    memcpy(l->q, q, (size_t)l->base * sizeof *q);
    sari_kinematics_update(l->sys->kinematics, l->q, NULL, 1);
    return sari_scalar_value_of(l->sys->kinematics, scalar);
}

int sari_locus_row_of(const sari_system* sys, int i)
{
    return sys->own_rows + sys->polynomial_rows + i;
}

/* 2 pi gcd(c_i) of the angles in a linear relation; 0: there are none, or it is tiny. */
static double period_of(const sari_system* sys, const sari_relation* r)
{
    double divisor = 0.0, most = 0.0;
    for (int k = 0; k < r->terms && !r->law; k++) {
        if (sys->kinematics->scalar[r->scalar[k]].kind != SARI_SCALAR_ANGLE) continue;
        double rest = fabs(r->coefficient[k]);
        most = fmax(most, rest);
        while (rest > FRACTION * most) { // Euclid
            const double next = fabs(divisor - rest * floor(divisor / rest + 0.5));
            divisor = rest, rest = next;
        }
    }
    return divisor > COARSE * most ? 2.0 * PI * divisor : 0.0;
}

int sari_locus_same_turn(sari_locus* l, const double* a, const double* b)
{
    const double HALF = PI;
    for (int i = 0; i < l->sys->relation_rows; i++) {
        const sari_relation* r = &l->sys->relation[i];
        if (l->period[sari_locus_row_of(l->sys, i)] > 0.0) continue;
        for (int k = 0; k < r->terms; k++)
            if (l->sys->kinematics->scalar[r->scalar[k]].kind == SARI_SCALAR_ANGLE &&
                fabs(scalar_at(l, a, r->scalar[k]) - scalar_at(l, b, r->scalar[k])) > HALF)
                return 0;
    }
    return 1;
}

int sari_locus_drawn(sari_locus* l, double* q)
{
    sar_simulation* s = l->start;
    sari_kinematics_update(s->system->kinematics, s->state.q, NULL, 1);
    const sari_mechanism* m = l->sys->mechanism;
    sari_arena scratch = {0};
    double* zero = SARI_TAKE(&scratch, double, m->nx * m->bodies);
    if (!zero) return 0;
    place_on(l->sys, s->system->kinematics->X, zero, l->q, l->v);
    memcpy(q, l->q, (size_t)l->base * sizeof *q);
    sari_arena_clear(&scratch);
    const sari_guide free = {SARI_FREE, NULL, NULL, 0.0};
    return sari_locus_correct(l, &free, 0.1, q);
}

static sar_status find_start(const sar_model* model, sari_locus* l, sar_error* error)
{
    sar_options options = sar_options_default();
    sar_assembly report;
    SARI_TRY(sar_options_set(&options, "coordinates", "natural", error));
    options.best_effort = 1; // velocities that no motion follows are no matter of configurations
    SARI_TRY(sar_simulation_create(model, &options, &l->start, error));
    const sar_status st = sar_simulation_assemble(l->start, &report);
    if (st != SAR_OK)
        return sari_fail(error, st, NULL, "%s%s",
                         st == SAR_E_ASSEMBLY ? "the loops do not close as drawn: " : "",
                         sar_simulation_failure(l->start));
    l->t = l->start->state.t;
    return SAR_OK;
}

static sar_status make_systems(sari_locus* l, int locked, sar_error* error)
{
    sar_model* model = l->start->model;
    char* set = SARI_TAKE(&l->memory, char, sari_model_set_size(model) + 1);
    if (!set) return SAR_E_NOMEM;
    sari_model_set_after(model, 0, set);
    for (int j = 0; j < model->joints_count && !locked; j++)
        if (model->joints[j].relation && model->joints[j].relation->prescribes) set[j] = 0;
    SARI_TRY(sari_system_create_with(model, set, sari_coordinates_find("natural"),
                                     SARI_MASS_ENTRIES, &l->sys, error));
    SARI_TRY(sari_system_create_with(model, set, sari_coordinates_find("relative"),
                                     SARI_MASS_ENTRIES, &l->tree, error));
    if (l->sys->nq - l->sys->states > LARGEST)
        return sari_fail(error, SAR_E_INCOMPAT, NULL,
                         "the model has %d natural coordinates; maps are for at most %d",
                         l->sys->nq - l->sys->states, LARGEST);
    if (l->sys->velocity_rows > 0)
        return sari_fail(
            error, SAR_E_INCOMPAT, NULL,
            "\"%s\" is non-holonomic: it forbids velocities and no configuration, so "
            "that there is no map; remove it",
            sari_equations_row_name(&l->sys->equations, l->sys->nc - l->sys->velocity_rows));
    return SAR_OK;
}

/* Where relations are as drawn, and the revolution in which angles are: those of the start. */
static sar_status take_drawing(const sari_locus* l, sari_system* sys)
{
    sar_simulation* s = l->start;
    sari_arena scratch = {0};
    double* zero = SARI_TAKE(&scratch, double, sys->mechanism->nx * sys->mechanism->bodies);
    double* q = SARI_TAKE(&scratch, double, sys->np + 1);
    double* v = SARI_TAKE(&scratch, double, sys->nq + 1);
    if (!scratch.failed) {
        sari_kinematics_update(s->system->kinematics, s->state.q, NULL, 1);
        place_on(sys, s->system->kinematics->X, zero, q, v);
        for (int i = 0; i < sys->kinematics->scalars; i++) {
            sari_scalar* to = &sys->kinematics->scalar[i];
            const sari_scalar* from = &s->system->kinematics->scalar[i];
            if (to->kind == SARI_SCALAR_ANGLE)
                to->last = from->last, to->last_a = from->last_a, to->last_b = from->last_b;
        }
        sari_turns_begin(sys->kinematics, l->t);
        sari_kinematics_update(sys->kinematics, q, v, 1);
        sari_turns_commit(sys->kinematics, l->t);
        sari_system_set_offsets(sys);
    }
    const sar_status st = scratch.failed ? SAR_E_NOMEM : SAR_OK;
    sari_arena_clear(&scratch);
    return st;
}

static int take_matrices(sari_locus* l)
{
    const size_t n = (size_t)l->n, m = (size_t)l->m, rows = m > n ? m : n;
    l->v = SARI_TAKE(&l->memory, double, (size_t)l->sys->nq + n + 1);
    l->phi = SARI_TAKE(&l->memory, double, rows + 1);
    l->J = SARI_TAKE(&l->memory, double, rows* n + 1);
    l->Jv = SARI_TAKE(&l->memory, double, rows* n + 1);
    l->s = SARI_TAKE(&l->memory, double, n + 1);
    l->U = SARI_TAKE(&l->memory, double, rows* n + 1);
    l->V = SARI_TAKE(&l->memory, double, n* n + 1);
    l->work = SARI_TAKE(&l->memory, double, sari_svd_workspace((int)rows, (int)n) + 1);
    return sari_locus_reserve(l, l->m + 1, l->n);
}

int sari_locus_extend(sari_locus* l, int n, int m)
{
    l->n = n, l->m = m;
    l->shifted = SARI_TAKE(&l->memory, double, n + 1);
    l->kept = SARI_TAKE(&l->memory, double, 2 * (size_t)n * (size_t)m + 1);
    return take_matrices(l);
}

static sar_status make_room(sari_locus* l)
{
    const sari_system* sys = l->sys;
    l->n = l->base = sys->nq - sys->states, l->m = l->base_m = sys->nc;
    l->scale = SARI_TAKE(&l->memory, double, l->m + 1);
    l->period = SARI_TAKE(&l->memory, double, l->m + 1);
    for (int i = 0; l->period && i < sys->relation_rows; i++)
        l->period[sari_locus_row_of(sys, i)] = period_of(sys, &sys->relation[i]);
    l->q = SARI_TAKE(&l->memory, double, sys->np + 1);
    l->random = 20240229u;
    return take_matrices(l) ? SAR_OK : SAR_E_NOMEM;
}

/* By the size of their coefficients: J and its derivatives at the start. Rows that vanish stay as they are. */
static sar_status scale_rows(sari_locus* l)
{
    const size_t n = (size_t)l->n;
    double* square = SARI_TAKE(&l->memory, double, l->m + 1);
    double* q = SARI_TAKE(&l->memory, double, n + 1);
    double* unit = SARI_TAKE(&l->memory, double, n + 1);
    if (l->memory.failed) return SAR_E_NOMEM;
    for (int r = 0; r < l->m; r++) l->scale[r] = 1.0;
    if (!sari_locus_drawn(l, q)) return SAR_E_ASSEMBLY;
    sari_locus_eval(l, q);
    for (int r = 0; r < l->m; r++)
        square[r] = sari_vector_dot(l->n, l->J + (size_t)r * n, l->J + (size_t)r * n);
    for (size_t i = 0; i < n; i++) {
        unit[i] = 1.0;
        sari_locus_rate(l, q, unit);
        unit[i] = 0.0;
        for (int r = 0; r < l->m; r++)
            square[r] += sari_vector_dot(l->n, l->Jv + (size_t)r * n, l->Jv + (size_t)r * n);
    }
    const double most = sqrt(sari_vector_max(l->m, square));
    for (int r = 0; r < l->m; r++)
        if (sqrt(square[r]) > 1e-11 * most) l->scale[r] = 1.0 / sqrt(square[r]);
    return SAR_OK;
}

sar_status sari_locus_create(const sar_model* model, int locked, sari_locus* l, sar_error* error)
{
    *l = (sari_locus){0};
    sar_status st = find_start(model, l, error);
    if (st != SAR_OK) return st;
    st = make_systems(l, locked, error);
    if (st == SAR_OK) st = make_room(l);
    if (st == SAR_OK) st = take_drawing(l, l->sys);
    if (st == SAR_OK) st = take_drawing(l, l->tree);
    if (st == SAR_OK) st = scale_rows(l);
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the map");
    if (st == SAR_E_ASSEMBLY)
        sari_fail(error, st, NULL, "the loops close as drawn only if dimensions are amended");
    return st;
}

void sari_locus_clear(sari_locus* l)
{
    sari_system_destroy(l->sys);
    sari_system_destroy(l->tree);
    sar_simulation_destroy(l->start);
    sari_arena_clear(&l->memory);
}
