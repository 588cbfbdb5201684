/* The tangent chart of large mechanisms: the equations of chart.c without W, in sparse matrices.
 *
 * What the dense algebra writes with W is written with vectors of n numbers here: W w, W w_t and
 * W e take the places of w, w_t and e, and T = V + W D that of D. They all come from problems of one
 * kind,
 *
 *     J x = b,   V'G x = 0            J = row Phi_q unit, whose redundant rows agree         (s1)
 *
 * Let S select d coordinates that distinguish the motions (S T regular). With
 *
 *     N = J'J + S'S                                                                          (s2)
 *
 * whose pattern is that of J'J whatever S selects,
 *
 *     N x_S = J'b,        then x_S += N^-1 (J'(b - J x_S) - S'S x_S)     until that is rounding    (s3)
 *     N T_S = S',         and likewise refined: J T_S = 0, S T_S = I                         (s4)
 *     T = T_S (V'G T_S)^-1,   x = x_S - T V'G x_S                                            (s5)
 *
 * Refinement with J itself makes up for the squared condition of N [bjorck1987]. S is a help of the
 * algebra: place, charts and steps are those of the dense algebra, to rounding.
 *
 *     H = T'GT,   dH/dt = Td'GT + T'G Td,   |W w|^2 = (W w)'G (W w)                          (s6)
 *
 * The smallest singular value of [J; S] takes the place of that of B: it is zero at the same
 * positions. With its left and right vectors a = (a_J, a_S) and b, its slope along any motion v is
 * a_J' dJ[v] b = a_J' dJ[b] v, as second derivatives are symmetric: one evaluation for all v.
 *
 * Not for positions that are no vectors, for rows on velocities and for rows with slack: these are
 * left to the dense algebra. */
#ifndef SARI_CHART_SPARSE_H
#define SARI_CHART_SPARSE_H

#include "formulations/chart/chart.h"
#include "formulations/constrained.h"

struct sari_chart_sparse {
    sari_arena memory;
    sari_arena room;         ///< what depends on d; taken anew where that grows
    int most;                ///< d that there is room for; -1: none yet
    sari_csr J;              ///< row Phi_q unit
    sari_constrained N;      ///< (s2), in units of the coordinates
    sari_sym G;              ///< the metric: M's pattern
    sari_solver metric;      ///< for the signs of its pivots
    int same_metric;         ///< M is G, everywhere
    int* selected;           ///< d coordinates
    int reselect;            ///< T has grown large in the present ones
    const double* along;     ///< tangents that serve corrections
    double* F;               ///< d x d: scratch
    double *residual, *step; ///< of (s3): nh x d, n x d
    double *Gx, *now, *then; ///< n each: scratch
    double* column;          ///< likewise
    double *GT, *MT;         ///< n x d
};

/// Can it serve, and does it pay? `solver` as in the options: dense, sparse or auto.
int sari_chart_sparse_suits(const sari_chart* c, const char* solver);
sar_status sari_chart_sparse_create(sari_chart* c);
void sari_chart_sparse_destroy(sari_chart_sparse* s); ///< may be NULL

/* chart/sparse.c: the algebra */
/// J as the system is evaluated; N with `diagonal` on the selected coordinates, or on all where
/// `all`. Returns the number of pivots that are not positive.
int sari_chart_sparse_factor(sari_chart* c, double diagonal, int all);
/// d coordinates that distinguish the columns of T (n x d).
void sari_chart_sparse_select(sari_chart* c, const double* T);
/// (s3) for k columns: B (nh x k) is in units of the rows and is kept, X (n x k) in units of q. At
/// most `passes` refinements. k is 1 or d.
void sari_chart_sparse_solve(sari_chart* c, int k, const double* B, int passes, double* X);
/// (s4): T_S in at.T.
void sari_chart_sparse_motions(sari_chart* c, int passes);
/// (s4), (s5): T in at.T. 0: the chart does not distinguish the motions.
int sari_chart_sparse_tangents(sari_chart* c, int passes);
/// X = N^-1 X, in units, n x k
void sari_chart_sparse_normal_solve(const sari_chart* c, int k, double* X);
/// (s5): X -= T V'G X; k is 1 or d.
void sari_chart_sparse_complement(sari_chart* c, int k, const double* T, double* X);
/// sigma and its vectors.
void sari_chart_sparse_smallest(sari_chart* c);
/// Singular values of [J; S] below a limit, by the signs of pivots; N is another one then.
int sari_chart_sparse_count_below(sari_chart* c, double limit);
/// y = G x
void sari_chart_sparse_metric_times(const sari_chart* c, const double* x, double* y);
double sari_chart_sparse_length(sari_chart* c, const double* x); ///< of x in the metric

/* chart/sparse_distance.c */
void sari_chart_sparse_gradient(sari_chart* c, double t, const double* T, double sigma,
                                const double* right, double* left, double* g);
double sari_chart_sparse_slope_in_time(sari_chart* c, double t, const double* w_t, double* turn);
double sari_chart_sparse_next_value(sari_chart* c, int count, const double* known, double* right,
                                    double* left);

/* chart/sparse_base.c, chart/sparse_geometry.c, chart/sparse_motion.c */
sar_status sari_chart_sparse_set_base(sari_chart* c, double t, const double* q, const double* T);
/// Room for so many motions, whatever algebra was there before. SAR_E_ARG: it is not to be used.
sar_status sari_chart_take_sparse(sari_chart* c, int motions);
void sari_chart_sparse_begin_cache(sari_chart* c, const double* v, const double* a);
void sari_chart_sparse_complete(sari_chart* c, int whole);
sari_chart_prediction sari_chart_sparse_predict(sari_chart* c, double t, const double* z);
void sari_chart_sparse_go(sari_chart* c);
void sari_chart_sparse_renew(sari_chart* c, const sari_chart_point* from);
double sari_chart_sparse_correct(sari_chart* c);
int sari_chart_sparse_set_tangents(sari_chart* c);
int sari_chart_sparse_left_branch(sari_chart* c, const sari_chart_prediction* from);
sari_chart_outcome sari_chart_sparse_motion(sari_chart* c, double t, const double* u);
void sari_chart_sparse_multipliers(sari_chart* c);

#endif
