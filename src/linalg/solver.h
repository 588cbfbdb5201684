/* Linear solvers for symmetric matrices: axis 4. They see arrays, never mechanics.
 *
 * Life: create(pattern) analyses once; factor(x) as often as the values change; solve as often as
 * wanted. Who makes the matrix anew every time writes it straight into the solver's storage
 * instead and calls factor_stored. Nothing allocates after create. No pivoting: the matrices are
 * positive definite (M + penalty), or quasi-definite (regularised KKT), or shifted for an inertia
 * count. */
#ifndef SARI_SOLVER_H
#define SARI_SOLVER_H

#include "base/archive.h"
#include "base/object.h"
#include "linalg/sparse/sparse_matrix.h"

typedef struct sari_solver_ops sari_solver_ops;

/// What is known of a matrix [P J'; J -D] beyond its pattern: for solvers that work along the
/// graph of its blocks. The order of the variables is free for the solver to choose, except that
/// P's come before the rows of J that meet them.
typedef struct sari_structure {
    int primal;       ///< the first so many variables are those of P, the rest belong to rows of J
    const int* block; ///< of P's variables: equal for those of one body, ascending from 0
    int threads;      ///< most threads to use; 1: none but the caller's
    const sari_sym* matrix; ///< P itself, where a tree generates it; stays where it is. NULL: none
} sari_structure;

/// What factor found out on the way.
typedef struct sari_pivots {
    int positive, negative; ///< signs of D in L D L': the inertia (Sylvester)
    int zero;               ///< pivots that were zero or not finite, replaced to go on
    double log_abs_det;     ///< sum of log |d| over the positive and negative ones
    int weak;               ///< negative ones smaller than 1e-6 of the largest of them
} sari_pivots;

/// Where a solver keeps the matrix it is about to factor.
typedef struct sari_solver_storage {
    double* value;
    size_t count;     ///< of `value`; what is not an entry of the pattern must be zero
    const int* place; ///< entry e of the pattern is value[place[e]]
    int kept;         ///< factor_stored leaves the values as they are
} sari_solver_storage;

/// Kernels of one small size n for S = B + c J'J. J has m dense rows, `stride` apart, zero beyond
/// n; B is n x n, the lower triangle by columns, and followed by `slack` numbers that do not
/// matter. They spare all indices and loops over columns.
typedef struct sari_normal_kernels {
    int stride, slack;
    sar_status (*factor)(void* self, const double* B, const double* J, int m, double c);
    /// With force = mu - c g: S x = f - J' force, then mu = force + c J x. g and mu may be NULL: 0.
    void (*solve)(const void* self, const double* J, int m, double c, const double* f,
                  const double* g, double* x, double* mu);
    /// x += c S^-1 J' d
    void (*add_normal)(const void* self, const double* J, int m, double c, const double* d,
                       double* x);
    void (*multiply)(const double* B, const double* x, double* y); ///< y = B x
} sari_normal_kernels;

typedef struct sari_solver {
    const sari_solver_ops* ops;
    void* self;
} sari_solver;

struct sari_solver_ops {
    const char* name; ///< same word in files and on the command line
    const char* cite; ///< keys of docs/references.bib, "" if none
    const char* text; ///< one line for people
    int graph;        ///< works along the graph of blocks: for [P J'; J -D], with its structure
    int generated;    ///< works for a P that a tree generates, and for no other
    size_t size;      ///< of an object, see base/object.h
    /// `structure` may be NULL: nothing is known.
    sar_status (*create)(void* self, const sari_sym* pattern, const sari_structure* structure);
    /// L D L' of the matrix with this pattern and values `x`. SAR_R_SINGULAR when a pivot is zero
    /// or not finite; the factor can still be used then (the pivot is replaced by a tiny one).
    sar_status (*factor)(void* self, const double* x);
    /// The same for the matrix in its storage, all of which was written since the last factor.
    sar_status (*factor_stored)(void* self);
    void (*storage)(void* self, sari_solver_storage* out);
    const sari_normal_kernels* (*normal)(const void* self); ///< NULL, or returns it: none
    void (*share)(void* self, int threads);                 ///< from now on; NULL: works alone
    void (*solve)(const void* self, double* b);             ///< in place
    /// Several at once: B is n x count, by rows. NULL: one after the other.
    void (*solve_many)(const void* self, int count, double* B);
    void (*pivots)(const void* self, sari_pivots* out); ///< of the last factor
    long (*fill)(const void* self);               ///< stored entries of L, the diagonal included
    void (*archive)(void* self, sari_archive* a); ///< the storage and the last factor
    void (*clear)(void* self);                    ///< what is not in its arena. NULL: all is
};

extern const sari_solver_ops sari_solver_dense;
extern const sari_solver_ops sari_solver_sparse;
extern const sari_solver_ops sari_solver_dca;
extern const sari_solver_ops sari_solver_tree; ///< taken where P has a tree, and nowhere else

/// All of them, NULL-terminated.
extern const sari_solver_ops* const sari_solvers[];

/// "dense", "sparse", or "auto": the one that is faster for this pattern by its fill (measured, see
/// linalg/auto.c). Unknown names give NULL.
const sari_solver_ops* sari_solver_find(const char* name, const sari_sym* pattern);

sar_status sari_solver_create(const sari_solver_ops* ops, const sari_sym* pattern,
                              const sari_structure* structure, sari_solver* out);
void sari_solver_clear(sari_solver* s);

#endif
