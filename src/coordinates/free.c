/* Spatial bodies of six coordinates each, as an evaluator: free_bodies.h, and the chain rule for
 * what joints have beside their conditions (angles, displacements). */
#include "coordinates/chain.h"
#include "coordinates/free_bodies.h"

#include "base/status.h"

#include <string.h>

static sari_free* bodies_of(const sari_system* s)
{
    return s->evaluator_self;
}

static void rates(sari_kinematics* k, int bodies)
{
    const sari_coordinates* c = k->coordinates;
    const size_t bytes = (size_t)c->nq * sizeof(double);
    (void)bodies; // they come with the rest
    if (k->moving && memcmp(k->at_v, k->v, bytes) == 0) return;
    c->ops->rates(c, k->X, k->v, k->Xd, k->Xdd);
    memcpy(k->at_v, k->v, bytes);
    k->moving = 1;
}

static sar_status create(sari_system* s)
{
    sari_free* bodies = NULL;
    sar_status st = sari_free_create(&s->coordinates, &s->Phi_q, s->own_rows, &s->memory, &bodies);
    s->evaluator_self = bodies;
    if (st != SAR_OK) return st;
    s->Phi_q.zero = bodies->zero;
    s->varying = bodies->varying;
    s->varying_count = bodies->varying_count;
    s->stiff = bodies->turns;
    s->stiff_count = s->mechanism->bodies - 1;
    return SAR_OK;
}

static int attach(sari_system* s)
{
    return sari_free_rewrite(bodies_of(s), &s->Phi_q, s->own_rows);
}

static sar_status mass_pattern(sari_system* s, sari_pattern* pattern)
{
    sari_free_mass_pattern(bodies_of(s), pattern);
    return SAR_OK; // remembered by the pattern
}

static sar_status mass_locate(sari_system* s)
{
    sari_free_mass(bodies_of(s), &s->M); // it never changes
    return SAR_OK;
}

static void keep_mass(sari_system* s)
{
    (void)s;
}

static int mass_is_constant(const sari_system* s)
{
    (void)s;
    return 1;
}

static void mass_times(const sari_system* s, const double* x, double* out)
{
    sari_free_mass_times(bodies_of(s), x, out);
}

static void set_force(sari_system* s, int with_velocity)
{
    sari_free_force(bodies_of(s), with_velocity ? s->own.v : NULL, s->Q);
}

static int force_is_constant(const sari_system* s)
{
    return !bodies_of(s)->gyroscopic[0];
}

static void rows(sari_system* s, unsigned what)
{
    const double* X = s->kinematics->X;
    if (what & (SARI_EVAL_JACOBIAN | SARI_EVAL_PHI))
        sari_free_constraints(bodies_of(s), X, s->Phi,
                              what & SARI_EVAL_JACOBIAN ? s->Phi_q.x : NULL);
    if (what & SARI_EVAL_BIAS) sari_free_bias(bodies_of(s), X, s->own.v, s->bias);
}

static double add(double sum, double sign, const double* x, const double* y)
{
    for (int k = 0; k < 3; k++) sum += sign * x[k] * y[k];
    return sum;
}

/* T' G, T of increments.c, (2): forces G_c on the columns a_c of the rotation are the torque
 * sum R' (a_c x G_c). */
static void pull(const sari_kinematics* k, int b, const double* G, double* out)
{
    const double *a = k->X + 12 * b + 3, *a_0 = a, *a_1 = a + 3, *a_2 = a + 6;
    const double *G_0 = G + 3, *G_1 = G + 6, *G_2 = G + 9;
    if (b == 0) return; // the ground has no coordinates
    memcpy(out, G, 3 * sizeof *out);
    out[3] = add(add(0.0, 1.0, a_2, G_1), -1.0, a_1, G_2);
    out[4] = add(add(0.0, -1.0, a_2, G_0), 1.0, a_0, G_2);
    out[5] = add(add(0.0, 1.0, a_1, G_0), -1.0, a_0, G_1);
}

static void add_reaction(const sari_system* s, double factor, const double* lambda, double* out)
{
    sari_free_add_reaction(bodies_of(s), s->kinematics->X, factor, lambda, out);
}

static void block_stiffness(const sari_system* s, const double* lambda, double* G)
{
    sari_free_stiffness(bodies_of(s), s->kinematics->X, lambda, G);
}

static void share(sari_system* s, int threads)
{
    bodies_of(s)->threads = threads;
}

const sari_evaluator_ops sari_evaluator_free = {
    .list = sari_chain_list,
    .gradient = sari_chain_gradient,
    .gradient_rate = sari_chain_gradient_rate,
    .hessian = sari_chain_hessian,
    .pull = pull,
    .column = sari_chain_column,
    .add_second = sari_chain_add_second,
    .rates = rates,
    .accelerations = sari_chain_accelerations,
    .place_alone = 1,
    .create = create,
    .attach = attach,
    .mass_pattern = mass_pattern,
    .mass_locate = mass_locate,
    .mass = keep_mass,
    .mass_is_constant = mass_is_constant,
    .mass_times = mass_times,
    .force = set_force,
    .force_is_constant = force_is_constant,
    .rows = rows,
    .add_reaction = add_reaction,
    .block_stiffness = block_stiffness,
    .share = share,
};
