/* Joints that attach where they are, while a mechanism runs: their conditions and scalars get new
 * coefficients in place, in every form in which they are kept. Patterns stay those of an end in
 * general position (mechanism.c), so that nothing is allocated and no factor has to be planned
 * anew. And what it takes to go from one set of equations to another: momenta of given motions. */
#include "system/attach.h"

#include "base/status.h"

/* ---- coefficients --------------------------------------------------------------------------- */

/* Polynomial p of the mechanism, in q, at the end of the others; forgotten after use. */
static int substitute(sari_system* s, int p)
{
    return sari_polynomial_substitute(&s->mechanism->poly, p, s->map, &s->kinematics->poly);
}

static int rewrite(sari_system* s, int p)
{
    sari_kinematics* k = s->kinematics;
    sari_polynomials* poly = &k->poly;
    if (!k->constant)
        return sari_polynomial_assign(poly, p, &s->mechanism->poly, p) &&
               sari_quadratics_set(&k->compiled, p, poly, p);
    const int rows = poly->count, linear = poly->linear_count, products = poly->product_count;
    const int made = substitute(s, p);
    int ok = made >= 0 && sari_quadratics_set(&k->compiled, p, poly, made);
    for (int r = 0; ok && r < s->polynomial_rows; r++)
        if (s->row_polynomial[r] == p)
            ok = sari_quadratics_set(&s->compiled, s->own_rows + r, poly, made);
    poly->count = rows;
    poly->linear_count = linear;
    poly->product_count = products;
    return ok;
}

static int rewrite_joint(sari_system* s, int joint)
{
    const sari_mechanism* m = s->mechanism;
    int ok = 1;
    for (int c = 0; ok && c < m->conditions_count; c++)
        for (int p = m->conditions[c].poly; ok && p < m->conditions[c].poly_end; p++)
            if (m->conditions[c].joint == joint) ok = rewrite(s, p);
    for (int i = 0; ok && i < m->scalars_count; i++) {
        if (m->scalars[i].joint != joint) continue;
        ok = rewrite(s, m->scalars[i].a) &&
             (!sari_scalar_has_two(&m->scalars[i]) || rewrite(s, m->scalars[i].b));
    }
    const sari_evaluator_ops* evaluator = s->coordinates.evaluator;
    return ok && (!evaluator->attach || evaluator->attach(s));
}

sar_status sari_system_attach(sari_system* s, int joint, const sar_end* end, double distance)
{
    if (!sari_mechanism_attach(s->mechanism, joint, end, distance)) return SAR_E_ARG;
    return rewrite_joint(s, joint) ? SAR_OK : SAR_E_ARG;
}

/* ---- creation ------------------------------------------------------------------------------- */

sar_status sari_system_rehearse(sari_system* s)
{
    const sar_model* model = s->model;
    for (int j = 0; j < model->joints_count; j++) {
        if (!model->joints[j].attaches) continue;
        if (s->coordinates.constant && !s->map)
            SARI_TRY(sari_coordinates_map(&s->coordinates, &s->memory, &s->map, NULL));
        const sar_joint_def* pair = &s->mechanism->pair[j];
        const sar_end end = pair->a;
        SARI_TRY(sari_system_attach(s, j, &end, pair->distance));
    }
    return SAR_OK;
}

/* ---- momenta -------------------------------------------------------------------------------- */

void sari_system_momenta(sari_system* s, const double* Xd, double* work, double* out)
{
    const sari_mechanism* m = s->mechanism;
    const int nx = m->nx;
    for (int i = 0; i < s->nq; i++) out[i] = 0.0;
    for (int b = 1; b < m->bodies; b++) {
        const sari_body_map* map = &s->coordinates.body[b];
        double momentum[12];
        sari_inertia_times(m, b, Xd + nx * b, momentum);
        sari_body_pull(s->kinematics, b, momentum, work);
        for (int i = 0; i < map->nq; i++) out[map->q[i]] += work[i];
    }
}
