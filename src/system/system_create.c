/* Which rows and entries a mechanism gives in its coordinates: patterns, fixed at creation. */
#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "system/attach.h"
#include "system/forces/forces.h"
#include "system/nonholonomic.h"
#include "system/system_parts.h"

#include <string.h>

/* The coordinates' own polynomials are in q already: an evaluator with no bodies to chain through.
 */
static sar_status build_own(sari_system* s)
{
    sari_kinematics* k = &s->own;
    k->constant = 1;
    k->memory = &s->memory;
    k->coordinates = &s->coordinates;
    k->poly = s->coordinates.own;
    SARI_TRY(sari_kinematics_compile(k));
    s->own_rows = k->poly.count;
    return SAR_OK;
}

static int depends_on_time(const sari_expression* law)
{
    const int* used;
    return law && sari_expression_variables(law, &used) > 0 && used[0] == SARI_VARIABLE_T;
}

/* Keep the joint polynomials that do not hold identically in these coordinates. */
static sar_status choose_rows(sari_system* s)
{
    const sari_mechanism* m = s->mechanism;
    int most = s->own_rows + m->poly.count + m->relations_count + m->velocity_rows_count;
    s->row_polynomial = SARI_TAKE(&s->memory, int, most);
    s->row_joint = SARI_TAKE(&s->memory, int, most);
    s->row_body = SARI_TAKE(&s->memory, int, most);
    s->relation = SARI_TAKE(&s->memory, sari_relation, m->relations_count);
    s->relation_at = SARI_TAKE(&s->memory, int*, m->relations_count);
    if (s->memory.failed) return SAR_E_NOMEM;
    int rows = s->own_rows;
    for (int r = 0; r < rows; r++) {
        s->row_joint[r] = -1;
        s->row_body[r] = s->coordinates.own_body[r];
    }
    for (int c = 0; c < m->conditions_count; c++) {
        if (s->coordinates.met[c]) continue;
        for (int p = m->conditions[c].poly; p < m->conditions[c].poly_end; p++) {
            if (s->kinematics->constant && sari_polynomial_is_zero(&s->kinematics->poly, p, 1.0))
                continue;
            s->row_polynomial[rows - s->own_rows] = p;
            s->row_joint[rows] = m->conditions[c].joint;
            s->row_body[rows++] = -1;
        }
    }
    s->polynomial_rows = rows - s->own_rows;
    for (int i = 0; i < m->relations_count; i++) {
        s->relation[i] = m->relations[i];
        if (m->relations[i].value || depends_on_time(m->relations[i].law)) s->rheonomic = 1;
        s->laws = s->laws || m->relations[i].law;
        s->row_joint[rows] = m->relations[i].joint;
        s->row_body[rows++] = -1;
    }
    for (int i = 0; i < m->velocity_rows_count; i++) {
        if (m->velocity_rows[i].value) s->rheonomic = 1; // it has a part without rates, maybe
        s->row_joint[rows] = m->velocity_rows[i].joint;
        s->row_body[rows++] = -1;
    }
    s->relation_rows = m->relations_count;
    s->velocity_rows = m->velocity_rows_count;
    s->nc = rows;
    return SAR_OK;
}

/* All rows that are polynomials in q, in one piece. */
static sar_status compile_rows(sari_system* s)
{
    const sari_polynomials *own = &s->own.poly, *joints = &s->kinematics->poly;
    int rows = s->kinematics->constant ? s->polynomial_rows : 0;
    SARI_TRY(sari_quadratics_create(&s->compiled, &s->memory, s->own_rows + rows,
                                    own->linear_count + joints->linear_count,
                                    own->product_count + joints->product_count));
    for (int r = 0; r < s->own_rows; r++) SARI_TRY(sari_quadratics_add(&s->compiled, own, r));
    for (int r = 0; r < rows; r++)
        SARI_TRY(sari_quadratics_add(&s->compiled, joints, s->row_polynomial[r]));
    s->quadratic = s->kinematics->constant && s->compiled.rows == s->nc;
    return SAR_OK;
}

static const sari_term_list* row_list(const sari_system* s, int row)
{
    return row < s->own_rows ? &s->own.depends[row]
                             : &s->kinematics->depends[s->row_polynomial[row - s->own_rows]];
}

static sar_status build_jacobian(sari_system* s)
{
    sari_pattern pattern;
    int plain = s->own_rows + s->polynomial_rows, positions = s->nc - s->velocity_rows;
    sari_pattern_init(&pattern, s->nc, s->nq);
    for (int r = 0; r < plain; r++)
        for (int i = 0; i < row_list(s, r)->n; i++)
            sari_pattern_add(&pattern, r, row_list(s, r)->i[i]);
    for (int r = plain; r < positions; r++)
        for (int t = 0; t < s->relation[r - plain].terms; t++) {
            const sari_term_list* list =
                &s->kinematics->scalar_depends[s->relation[r - plain].scalar[t]];
            for (int i = 0; i < list->n; i++) sari_pattern_add(&pattern, r, list->i[i]);
        }
    sari_velocity_rows_pattern(s, positions, &pattern);
    sar_status st = sari_pattern_make_csr(&pattern, &s->Phi_q);
    sari_pattern_clear(&pattern);
    SARI_TRY(st);
    for (int r = 0; r < s->nc; r++)
        if (s->Phi_q.p[r + 1] - s->Phi_q.p[r] > s->longest_row)
            s->longest_row = s->Phi_q.p[r + 1] - s->Phi_q.p[r];
    s->hessian = SARI_TAKE(&s->memory, double, 2 * s->longest_row * s->longest_row);
    s->Phi_q_rate = s->Phi_q;
    s->Phi_q_rate.x = SARI_TAKE(&s->memory, double, s->Phi_q.p[s->nc]);
    for (int r = plain; r < positions; r++) {
        const sari_relation* relation = &s->relation[r - plain];
        int total = 0, *at;
        for (int t = 0; t < relation->terms; t++)
            total += s->kinematics->scalar_depends[relation->scalar[t]].n;
        at = s->relation_at[r - plain] = SARI_TAKE(&s->memory, int, total);
        if (!at) return SAR_E_NOMEM;
        for (int t = 0; t < relation->terms; t++) {
            const sari_term_list* list = &s->kinematics->scalar_depends[relation->scalar[t]];
            for (int i = 0; i < list->n; i++)
                *at++ = sari_csr_find(&s->Phi_q, r, list->i[i]) - s->Phi_q.p[r];
        }
    }
    const int variables = s->laws ? SARI_VARIABLE_SIGNAL + s->model->signals_count : 0;
    s->law = SARI_TAKE(&s->memory, double, variables);
    s->law_direction = SARI_TAKE(&s->memory, double, variables);
    if (s->memory.failed) return SAR_E_NOMEM;
    if (!s->velocity_rows) return SAR_OK;
    s->velocity_slope = s->Phi_q;
    s->velocity_slope.x = SARI_TAKE(&s->memory, double, s->Phi_q.p[s->nc]);
    return s->velocity_slope.x ? sari_velocity_rows_create(s, &s->velocity) : SAR_E_NOMEM;
}

/* Is M generated, as was chosen? */
static sar_status choose_mass(sari_system* s, const sari_pattern* forces, sari_mass_form form)
{
    const sari_evaluator_ops* evaluator = s->coordinates.evaluator;
    sari_csr stiffness = {0};
    if (form == SARI_MASS_ENTRIES) return SAR_OK;
    SARI_TRY(sari_pattern_make_csr(forces, &stiffness));
    sar_status st = evaluator->generate(s, &stiffness, form == SARI_MASS_GENERATED);
    sari_csr_clear(&stiffness);
    return st;
}

static sar_status build_mass(sari_system* s)
{
    sari_pattern pattern;
    struct sari_generated* tree = s->M.tree;
    sari_pattern_init(&pattern, s->nq, s->nq);
    sar_status st = s->coordinates.evaluator->mass_pattern(s, &pattern);
    if (st == SAR_OK) st = sari_pattern_make_sym(&pattern, &s->M);
    s->M.tree = tree;
    sari_pattern_clear(&pattern);
    SARI_TRY(st);
    return s->coordinates.evaluator->mass_locate(s);
}

/* M, K and C; entries of K that the coordinates have depend on the form of M. */
static sar_status build_matrices(sari_system* s, sari_mass_form form)
{
    sari_pattern pattern;
    sari_pattern_init(&pattern, s->nq, s->nq);
    sar_status st = sari_forces_create(s, &pattern, &s->forces);
    const sari_evaluator_ops* evaluator = s->coordinates.evaluator;
    if (st == SAR_OK) st = choose_mass(s, &pattern, form);
    if (st == SAR_OK) st = build_mass(s);
    if (st == SAR_OK && evaluator->stiffness_pattern)
        st = evaluator->stiffness_pattern(s, &pattern);
    if (st == SAR_OK) st = sari_pattern_make_csr(&pattern, &s->K);
    sari_pattern_clear(&pattern);
    SARI_TRY(st);
    s->C = s->K;
    s->C.x = SARI_TAKE(&s->memory, double, s->K.p[s->nq]);
    if (!s->C.x) return SAR_E_NOMEM;
    if (evaluator->stiffness_locate) SARI_TRY(evaluator->stiffness_locate(s));
    return sari_forces_locate(s);
}

static sar_status build(sari_system* s, const char* active, const sari_coordinates_ops* ops,
                        sari_mass_form form, sar_error* error)
{
    SARI_TRY(sari_mechanism_create(s->model, active, &s->mechanism, error));
    SARI_TRY(sari_coordinates_create(ops, s->mechanism, &s->coordinates, error));
    const sari_evaluator_ops* evaluator = s->coordinates.evaluator;
    if (form != SARI_MASS_ENTRIES && evaluator->choose_mass_form)
        SARI_TRY(evaluator->choose_mass_form(s, form == SARI_MASS_GENERATED, &s->generated_mass));
    if (!s->generated_mass) form = SARI_MASS_ENTRIES;
    SARI_TRY(sari_kinematics_create(&s->coordinates, &s->memory, &s->kinematics, error));
    s->threads = 1;
    s->size = 1.0;
    s->np = s->coordinates.np;
    s->nq = s->coordinates.nq;
    s->states = s->coordinates.states;
    s->space = &s->coordinates;
    s->vectors = !s->coordinates.ops->move;
    s->linear = s->coordinates.constant;
    SARI_TRY(build_own(s));
    SARI_TRY(choose_rows(s));
    SARI_TRY(compile_rows(s));
    SARI_TRY(build_jacobian(s));
    if (evaluator->create) SARI_TRY(evaluator->create(s));
    s->Q = SARI_TAKE(&s->memory, double, s->nq);
    s->gravity = SARI_TAKE(&s->memory, double, s->nq);
    s->Phi = SARI_TAKE(&s->memory, double, s->nc);
    s->Phi_t = SARI_TAKE(&s->memory, double, s->nc);
    s->bias = SARI_TAKE(&s->memory, double, s->nc);
    if (s->memory.failed) return SAR_E_NOMEM;
    SARI_TRY(build_matrices(s, form));
    SARI_TRY(sari_system_list_distances(s));

    s->constant_mass = evaluator->mass_is_constant(s);
    s->constant_force = s->constant_mass &&
                        (!evaluator->force_is_constant || evaluator->force_is_constant(s)) &&
                        !sari_forces_depend_on_motion(s->forces);
    int moved = sari_forces_depend_on_motion(s->forces);
    s->unforced = !s->rheonomic && !moved;
    s->direct = sari_equations_reaction_without_jacobian(&s->equations) && !moved;
    sari_kinematics_update(s->kinematics, s->coordinates.q0, s->coordinates.v0, 1);
    sari_system_set_mass(s);
    sari_system_set_force(s, 0);
    if (s->M.tree) SARI_TRY(evaluator->lend(s));
    if (s->coordinates.constant) {
        memcpy(s->gravity, s->Q, (size_t)s->nq * sizeof(double));
        s->gravity_0 = sari_system_weight_potential(s, s->coordinates.X0);
    }
    return sari_system_rehearse(s);
}

sar_status sari_system_create(const sar_model* model, const sari_coordinates_ops* coordinates,
                              sari_system** out, sar_error* error)
{
    return sari_system_create_with(model, NULL, coordinates, SARI_MASS_ENTRIES, out, error);
}

static sar_status create_as(const sar_model* model, const char* active,
                            const sari_coordinates_ops* coordinates, sari_mass_form form,
                            sari_system** out, sar_error* error)
{
    sari_system* s = SARI_NEW(sari_system);
    if (!s) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    s->model = model;
    sar_status st = build(s, active, coordinates, form, error);
    if (st != SAR_OK) {
        if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the equations");
        sari_system_destroy(s);
        return st;
    }
    *out = s;
    return SAR_OK;
}

sar_status sari_system_create_with(const sar_model* model, const char* active,
                                   const sari_coordinates_ops* coordinates, sari_mass_form form,
                                   sari_system** out, sar_error* error)
{
    SARI_TRY(create_as(model, active, coordinates, form, out, error));
    if (!(*out)->generated_mass || (*out)->M.tree) return SAR_OK;
    sari_system_destroy(*out); // its rows were for another form
    *out = NULL;
    return create_as(model, active, coordinates, SARI_MASS_ENTRIES, out, error);
}

void sari_system_destroy(sari_system* s)
{
    if (!s) return;
    if (s->evaluator_self && s->coordinates.evaluator->destroy)
        s->coordinates.evaluator->destroy(s);
    if (s->kinematics) sari_polynomials_clear(&s->kinematics->poly);
    sari_sym_clear(&s->M);
    sari_csr_clear(&s->Phi_q);
    sari_csr_clear(&s->K);
    if (s->coordinates.mechanism) sari_coordinates_clear(&s->coordinates);
    sari_mechanism_destroy(s->mechanism);
    sari_arena_clear(&s->memory);
    sari_release(s);
}
