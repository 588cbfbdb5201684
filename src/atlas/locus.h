/* All configurations of a mechanism: the solutions of phi(q) = 0 in natural coordinates, where rows are quadratic.
 *
 *     phi(q) = 0,   J = phi_q,   J_v = dJ along v                                              (1)
 *     nullity k = n - rank J: singular values above 1e-7 max(s_1, 0.3) count                   (2)
 *
 * Rows are divided by the size of their coefficients, lengths are in units of the model: limits are plain numbers. 0.3: J
 * may vanish altogether at a singular configuration. Drives are no rows unless they are locked. */
#ifndef SARI_LOCUS_H
#define SARI_LOCUS_H

#include "base/arena.h"
#include "simulation/simulation.h"
#include "system/system.h"

#include <stdint.h>

typedef struct sari_locus {
    sari_arena memory;
    sar_simulation* start; ///< the assembled start: model, units; it is not run
    sari_system* sys;      ///< natural coordinates
    sari_system* tree;     ///< relative ones, for starts
    double t;
    int n,
        m; ///< unknowns and rows: coordinates without states of forces, and constraints; or those of `extend`
    int base, base_m; ///< the former in either case
    double (*extend)(struct sari_locus* l,
                     const double* q); ///< evaluates phi and J of an extended system; NULL: none
    int (*seed)(struct sari_locus* l, double* q); ///< completes a start of it
    void* context;                                ///< of these two
    double* scale;                                ///< of the rows
    double*
        period; ///< of relations: what their sums change by when an angle changes by a revolution; 0: none
    double *q, *v;     ///< all numbers of the system's, for evaluation
    double *phi, *J;   ///< where it was last evaluated; J has max(m, n) rows
    double* Jv;        ///< m x n
    double *s, *U, *V; ///< singular values and vectors of J, see sari_locus_spectrum
    double* work;
    double *shifted, *kept; ///< of an extended system
    double *A, *b, *K;      ///< matrices of sari_locus_solve
    size_t room;            ///< columns for which there is room in K
    size_t room_A;
    double
        accuracy; ///< of the last corrected q, where convergence was linear: it is on a curve that is singular all
    ///< along, or at a degenerate node; else 0
    uint64_t random;
    long newton, spectra; ///< corrections and singular value decompositions so far
} sari_locus;

/// Of a model that can be assembled; `locked`: drives hold their coordinates where they are at the start.
sar_status sari_locus_create(const sar_model* model, int locked, sari_locus* l, sar_error* error);
void sari_locus_clear(sari_locus* l);

/// Make it a system of n unknowns, the first of which are the coordinates, and m rows. 0: out of memory.
int sari_locus_extend(sari_locus* l, int n, int m);
/// The constraints alone: phi (base_m) and J (base_m x base).
double sari_locus_constraints(sari_locus* l, const double* q, double* phi, double* J);
/// J_v of the constraints, into out.
void sari_locus_constraint_rate(sari_locus* l, const double* q, const double* v, double* out);

/// phi and J at q; returns max |phi|. NaN where an expression has no value.
double sari_locus_eval(sari_locus* l, const double* q);
/// l->Jv = J_v at q.
void sari_locus_rate(sari_locus* l, const double* q, const double* v);
/// s (n, descending), U (rows of J x n) and V (n x n), both by rows, of the J that was evaluated last.
void sari_locus_spectrum(sari_locus* l);
/// n - rank by (2), with another limit where q is known to `accuracy` only.
int sari_locus_nullity(const sari_locus* l, double accuracy);
/// x = column j of V.
void sari_locus_vector(const sari_locus* l, int j, double* x);

/// Room for a matrix A and a right side b of this size in the locus. 0: out of memory.
int sari_locus_reserve(sari_locus* l, int rows, int columns);
/// The shortest solution of min |A x - b|, into x; A and b of the locus. Directions in which A is below 1e-7 of its size
/// get nothing.
void sari_locus_solve(sari_locus* l, int rows, int columns, double* x);

/// Where Newton's method is led from q, with one more row: nothing, a plane, or a sphere.
typedef enum sari_guide_kind { SARI_FREE, SARI_PLANE, SARI_SPHERE } sari_guide_kind;
typedef struct sari_guide {
    sari_guide_kind kind;
    const double* t;     ///< normal of a plane
    const double* point; ///< in the plane, or centre of the sphere
    double radius;
} sari_guide;
/// The row of a guide at q, and its right side, 0 where it has none.
int sari_guide_row(int n, const sari_guide* guide, const double* q, double* row, double* b);
/// q to phi(q) = 0 on the guide, at most `leash` away. 0: it does not converge.
int sari_locus_correct(sari_locus* l, const sari_guide* guide, double leash, double* q);

/// Bodies placed by X (nx each): do parallel axes and normals of joints have the sense that they have as drawn? Their rows
/// are met by opposite ones too.
int sari_locus_same_sense(const sari_locus* l, const double* X);

/// The row of relation i.
int sari_locus_row_of(const sari_system* sys, int i);
/// Are angles that count revolutions less than half of one apart in a and b? Those of relations with a period need not.
int sari_locus_same_turn(sari_locus* l, const double* a, const double* b);

/// A configuration at random, in which loops close. 0: none was found from that start.
int sari_locus_seed(sari_locus* l, double* q);
/// q of the assembled start.
int sari_locus_drawn(sari_locus* l, double* q);

static inline double sari_distance_of(int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

#endif
