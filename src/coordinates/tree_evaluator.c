/* Bodies along a spanning tree, as an evaluator: tree.h, tree_rows.h and, without constraints,
 * articulated.h. */
#include "base/status.h"
#include "coordinates/articulated.h"
#include "coordinates/chain.h"
#include "coordinates/tree_rows.h"

#include <string.h>

/* The rates of the nodes unless they are there, and of X if asked for. */
static void rates(sari_kinematics* k, int bodies)
{
    const sari_coordinates* c = k->coordinates;
    const size_t bytes = (size_t)c->nq * sizeof(double);
    const int same = k->tree_moving && memcmp(k->at_v, k->v, bytes) == 0;
    if (same && (k->moving || !bodies)) return;
    c->ops->rates(c, k->X, k->v, bodies ? k->Xd : NULL, bodies ? k->Xdd : NULL);
    memcpy(k->at_v, k->v, bytes);
    k->tree_moving = 1;
    k->moving = bodies;
}

static void column(const sari_kinematics* k, int b, int j, double* dX)
{
    const sari_tree* t = k->coordinates->tree;
    sari_tree_carry(t, k->X + k->nx * b, t->S[k->coordinates->body[b].q[j]], dX);
}

static void accelerations(const sari_kinematics* k, const double* a, double* Xdd)
{
    const sari_coordinates* c = k->coordinates;
    for (int x = k->nx; x < k->nx * c->mechanism->bodies; x++) Xdd[x] = k->Xdd[x];
    sari_tree_accelerate(c->tree, k->X, a, Xdd);
}

static sar_status create(sari_system* s)
{
    if (s->nc > 0) return SAR_OK; // accelerations by recursion are for open trees
    s->evaluator_self = sari_articulated_create(s->coordinates.tree);
    return s->evaluator_self ? SAR_OK : SAR_E_NOMEM;
}

static void destroy(sari_system* s)
{
    sari_articulated_destroy(s->evaluator_self);
}

static sar_status mass_pattern(sari_system* s, sari_pattern* pattern)
{
    return sari_tree_mass_pattern(s->coordinates.tree, pattern);
}

static sar_status mass_locate(sari_system* s)
{
    (void)s; // together with K
    return SAR_OK;
}

static void set_mass(sari_system* s)
{
    sari_tree_mass(s->coordinates.tree, s->M.x);
}

static int mass_is_constant(const sari_system* s)
{
    (void)s;
    return 0;
}

static void add_mass_rate(sari_system* s, double* out)
{
    sari_tree_mass_rate(s->coordinates.tree, out);
}

static double kinetic_energy(const sari_system* s, const double* v)
{
    return sari_tree_kinetic_energy(s->coordinates.tree, v);
}

static void set_force(sari_system* s, int with_velocity)
{
    sari_tree_force(s->coordinates.tree, with_velocity, s->Q);
}

static sar_status stiffness_pattern(sari_system* s, sari_pattern* pattern)
{
    return sari_tree_stiffness_pattern(s->coordinates.tree, pattern);
}

static sar_status stiffness_locate(sari_system* s)
{
    return sari_tree_locate(s->coordinates.tree, &s->M, &s->K);
}

static void add_stiffness(sari_system* s)
{
    sari_tree_weight_stiffness(s->coordinates.tree, s->K.x);
}

static sar_status recursion(sari_system* s, const double* q, const double* v, const double* Q,
                            double* a)
{
    return sari_articulated_accelerations(s->evaluator_self, q, v, Q, a, NULL);
}

const sari_evaluator_ops sari_evaluator_tree = {
    .list = sari_tree_list,
    .is_coordinate = sari_tree_is_coordinate,
    .gradient = sari_tree_gradient,
    .gradient_rate = sari_tree_gradient_rate,
    .hessian = sari_tree_hessian,
    .pull = sari_tree_pull,
    .column = column,
    .add_second = sari_tree_add_second,
    .rates = rates,
    .accelerations = accelerations,
    .rates_late = 1,
    .create = create,
    .destroy = destroy,
    .mass_pattern = mass_pattern,
    .mass_locate = mass_locate,
    .mass = set_mass,
    .mass_is_constant = mass_is_constant,
    .mass_rate = add_mass_rate,
    .kinetic_energy = kinetic_energy,
    .force = set_force,
    .stiffness_pattern = stiffness_pattern,
    .stiffness_locate = stiffness_locate,
    .add_stiffness = add_stiffness,
    .rows = sari_chain_rows,
    .recursion = recursion,
};
