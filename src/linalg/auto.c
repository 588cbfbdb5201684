/* The registry of solvers, and `auto`: dense or sparse, whichever is faster for a pattern.
 *
 * Measured: penalty matrices M + alpha Phi_q' Phi_q of chains (one joint per body, the first on the
 * ground), ladders of four-bars, planar N-four-bars in natural coordinates and grids of bodies;
 * factor + one solve, in ns, best of many (gcc 12, -O3 -march=native, Zen 3). "full" is
 * fill(sparse) / (n (n+1) / 2):
 *
 *                                    n   full     dense   sparse
 *     chain, planar, 1 body          3   1.00        30       45
 *     chain, spatial, 1 body         6   1.00        70       97
 *     tridiagonal                    9   0.38       137      203
 *     chain, planar, 3 bodies        9   0.80       161      176
 *     chain, spatial, 2 bodies      12   1.00       243      391
 *     chain, spatial, 3 bodies      18   0.79       556      568
 *     chain, planar, 4 bodies       12   0.65       223      223
 *     chain, spatial, 4 bodies      24   0.64       758      806
 *     ladder, planar, 2 loops       15   0.55       335      264
 *     ladder, spatial, 2 loops      30   0.54      1234     1107
 *     grid of 3 x 3 bodies          54   0.54      3914     4012
 *     chain, planar, 6 bodies       18   0.47       529      371
 *     chain, spatial, 8 bodies      48   0.36      2736     1820
 *     N-four-bar, N = 8             18   0.35       508      409
 *     tridiagonal                   12   0.29       236      287
 *     grid of 5 x 5 bodies         150   0.29     48116    17451
 *     ladder, spatial, 8 loops     102   0.18     17448     4006
 *     N-four-bar, N = 64           130   0.05     32394     2780
 *     chain, spatial, 64 bodies    384   0.05    803923    15256
 *
 * Up to n = 9 the unrolled dense kernels won on every pattern tried. Above, the break-even lies
 * where about 0.6 of the triangle fills. Near it, and below n = 16, the rule can miss the faster
 * one by up to a quarter, which is also the scatter between runs: no finer rule pays. */
#include "base/memory.h"
#include "linalg/solver.h"

#include "linalg/dense/dense_kernels.h"

#include <string.h>

const sari_solver_ops* const sari_solvers[] = {&sari_solver_dense, &sari_solver_sparse,
                                               &sari_solver_dca, &sari_solver_tree, NULL};

static const sari_solver_ops* choose(const sari_sym* pattern)
{
    const double n = pattern->n;
    if (n <= SARI_DENSE_SMALL || pattern->p[pattern->n] > 0.6 * (n * (n + 1) / 2))
        return &sari_solver_dense;
    sari_solver trial;
    // When there is no memory for the analysis, creating the solver will say so.
    if (sari_solver_create(&sari_solver_sparse, pattern, NULL, &trial) != SAR_OK)
        return &sari_solver_sparse;
    const double fill = (double)trial.ops->fill(trial.self);
    sari_solver_clear(&trial);
    return fill <= 0.6 * (n * (n + 1) / 2) ? &sari_solver_sparse : &sari_solver_dense;
}

const sari_solver_ops* sari_solver_find(const char* name, const sari_sym* pattern)
{
    if (strcmp(name, "auto") == 0) return choose(pattern);
    for (int k = 0; sari_solvers[k]; k++)
        if (strcmp(name, sari_solvers[k]->name) == 0) return sari_solvers[k];
    return NULL;
}

sar_status sari_solver_create(const sari_solver_ops* ops, const sari_sym* pattern,
                              const sari_structure* structure, sari_solver* out)
{
    *out = (sari_solver){ops, sari_allocate(1, ops->size)};
    sar_status st = out->self ? ops->create(out->self, pattern, structure) : SAR_E_NOMEM;
    st = sari_object_outcome(out->self, st, ops->name, &(sar_error){0}, NULL);
    if (st != SAR_OK) sari_solver_clear(out);
    return st;
}

void sari_solver_clear(sari_solver* s)
{
    if (s->self && s->ops->clear) s->ops->clear(s->self);
    sari_object_destroy(s->self);
    *s = (sari_solver){0};
}
