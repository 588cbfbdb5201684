/* Bodies along a spanning tree, as an evaluator: tree.h, tree_rows.h and, without constraints,
 * articulated.h. */
#include "base/status.h"
#include "coordinates/articulated.h"
#include "coordinates/chain.h"
#include "coordinates/tree_generated.h"
#include "coordinates/tree_rows.h"
#include "linalg/solver.h"
#include "linalg/tree/tree_fronts.h"

#include <math.h>
#include <string.h>

/// An operation in the fronts of a tree by one with entries. Steps of al3 with entries took this time
/// in units of those without (gcc 12, -O3 -march=native, Zen 3, half of the time common to both); in
/// brackets their operations in the same unit:
///
///     chains of balls     12: 1.0 (2.6)    16: 1.1 (4.3)    24: 1.9 (8.7)    32: 3.1 (15)
///     chains of hinges    16: 0.6 (0.4)    32: 0.7 (1.1)    48: 1.1 (2.3)    64: 1.1 (3.8)
///     ladders of loops    16: 0.9 (0.9)    20: 1.1 (1.4)    24: 1.2 (2.0)    32: 1.7 (3.3)
static const double FRONTS = 1.5;

static const double MASSLESS = 1e-9;       ///< pivots of M: of its diagonal, and that of its mean
static const double REGULARISATION = 1e-4; ///< of the same

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

/* Entries of [K; J -] beside the tree. */
static sar_status pattern_beside(const sari_system* s, const sari_csr* K, sari_sym* out)
{
    const sari_csr* J = &s->Phi_q;
    const int size = s->nq + s->nc;
    sari_pattern pattern;
    sari_pattern_init(&pattern, size, size);
    for (int r = 0; r < s->nq; r++)
        for (int k = K->p[r]; k < K->p[r + 1]; k++) sari_pattern_add(&pattern, r, K->i[k]);
    for (int r = 0; r < s->nc; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) sari_pattern_add(&pattern, s->nq + r, J->i[k]);
    sar_status st = sari_pattern_make_sym(&pattern, out);
    sari_pattern_clear(&pattern);
    return st;
}

/* Operations of a factor along the tree. */
static sar_status tree_work(const sari_system* s, const sari_generated* g, const sari_csr* K,
                            double* work)
{
    sari_sym beside = {0};
    sari_arena memory = {0};
    sari_fronts fronts = {0};
    SARI_TRY(pattern_beside(s, K, &beside));
    sar_status st = sari_fronts_create(&fronts, &memory, g, &beside, s->nq);
    *work = fronts.work;
    sari_arena_clear(&memory);
    sari_sym_clear(&beside);
    return st;
}

/* No row makes fronts smaller; whether there are any is not known yet. */
static sar_status choose_mass_form(sari_system* s, int forced, int* generated)
{
    sari_tree* t = s->coordinates.tree;
    const int w = t->planar ? 3 : 6;
    double least = 0.0;
    for (int i = 0; i < t->nodes; i++) least += sari_front_work(t->node[i].n, w, 0);
    if (s->coordinates.states) return SAR_OK; // eliminated from entries of K
    *generated = forced || FRONTS * least < sari_tree_formed_work(t, 1);
    return !*generated || sari_tree_localise(t) ? SAR_OK : SAR_E_NOMEM;
}

/* Operations for the products of rows, which depend on all that is between their bodies and the
 * ground where M has entries; what they fill beside the tree is not counted. */
static double row_work(const sari_system* s)
{
    const sari_kinematics* k = s->kinematics;
    double work = 0.0;
    for (int i = 0; i < s->polynomial_rows; i++) {
        const int poly = s->row_polynomial[i], *slot = k->slot[poly];
        const double n = s->coordinates.tree->local[poly]
                             ? k->depends[poly].n + k->paths[poly].first
                             : k->depends[poly].n;
        work += slot[1] ? 0.5 * n * n : 0.0;
    }
    return work;
}

static sar_status generate(sari_system* s, const sari_csr* stiffness, int forced)
{
    sari_tree* t = s->coordinates.tree;
    sari_generated* g = sari_tree_generated(t);
    double work = 0.0;
    sar_status st = g ? tree_work(s, g, stiffness, &work) : SAR_E_NOMEM;
    if (st == SAR_OK &&
        (forced || FRONTS * work < sari_tree_formed_work(t, s->nc > 0) + row_work(s)))
        s->M.tree = g;
    else
        sari_generated_destroy(g);
    return st;
}

/* Rows come after the motions that they are about, so none of these may be without mass. */
static sar_status lend(sari_system* s)
{
    const sari_structure structure = {.primal = s->nq, .matrix = &s->M};
    sari_generated* g = s->M.tree;
    sari_solver solver = {0};
    double mean = 0.0;
    int weak = 0;
    SARI_TRY(sari_solver_create(&sari_solver_tree, &s->M, &structure, &solver));
    double* regularisation = SARI_TAKE(&g->memory, double, s->nq);
    if (regularisation) {
        (void)solver.ops->factor(solver.self, s->M.x);
        for (int k = 0; k < s->nq; k++) mean += s->M.x[k] / s->nq;
        for (int k = 0; k < s->nq; k++) {
            const double own = s->M.x[k];
            if (sari_tree_solver_pivot(solver.self, k) > MASSLESS * fmax(own, MASSLESS * mean))
                continue;
            regularisation[k] = REGULARISATION * (own > MASSLESS * mean ? own : mean);
            weak = 1;
        }
    }
    sari_solver_clear(&solver);
    if (weak) g->regularisation = regularisation;
    return regularisation ? SAR_OK : SAR_E_NOMEM;
}

static sar_status mass_pattern(sari_system* s, sari_pattern* pattern)
{
    if (s->M.tree) return SAR_OK;
    return sari_tree_mass_pattern(s->coordinates.tree, pattern);
}

static sar_status mass_locate(sari_system* s)
{
    (void)s; // together with K
    return SAR_OK;
}

static void set_mass(sari_system* s)
{
    if (!s->M.tree) {
        sari_tree_mass(s->coordinates.tree, s->M.x);
        return;
    }
    sari_tree_generate(s->coordinates.tree, s->M.tree);
    for (int k = 0; k < s->nq; k++) s->M.x[k] = s->M.tree->diagonal[k];
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
    if (s->M.tree) return SAR_OK;
    return sari_tree_stiffness_pattern(s->coordinates.tree, pattern);
}

static sar_status stiffness_locate(sari_system* s)
{
    if (s->M.tree) return SAR_OK;
    return sari_tree_locate(s->coordinates.tree, &s->M, &s->K);
}

static void add_stiffness(sari_system* s)
{
    if (s->M.tree) return;
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
    .choose_mass_form = choose_mass_form,
    .generate = generate,
    .lend = lend,
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
