/* The linear problem behind every Newton correction and projection of the augmented Lagrangian
 * family:
 *
 *     P x + J' mu = f,     J x = g          P symmetric, positive definite where J x = 0
 *
 * J may have redundant rows and may lose rank. Ways to solve it:
 *
 *     penalty    (P + c J'J) x = f + c J' g - J' mu,   mu += c (J x - g),   repeated `passes` times
 *
 *     augmented  [P J'; J -1/c]: the same numbers; for solvers that work along the graph of P's
 *                blocks, and where J'J would fill more
 *
 *     kkt        [P + c0 J'J  J'; J  -delta] with mu from the last pass on the right (proximal),
 *                delta tiny: the limit of an infinite penalty, with no rounding that grows with
 *                the penalty */
#ifndef SARI_CONSTRAINED_H
#define SARI_CONSTRAINED_H

#include "base/arena.h"
#include "linalg/solver.h"
#include "system/slack.h"

typedef struct sari_constrained {
    sari_arena memory;
    int n, m, kkt;
    int augmented;           ///< no J'J: -delta, or -1/c, takes its place
    int refine;              ///< solutions are improved with the matrix itself
    const sari_csr* J;       ///< whose values are taken by factor
    const sari_slack* slack; ///< of the rows: projections leave it alone; NULL: none
    const int* varying;      ///< its entries that may change, NULL: all
    int varying_count;
    int* varying_at;             ///< where these are in the storage
    const int* block;            ///< of P's variables, or NULL
    double* shift;               ///< added to P's diagonal where a block is singular; NULL: nowhere
    int threads;                 ///< that share loops over rows and entries
    int written;                 ///< the rest is in the storage
    double delta_written;        ///< and so is this
    sari_csr used;               ///< J as factored: its pattern, or less; own values
    int* taken;                  ///< its entries in J; NULL: all
    sari_sym P;                  ///< set P.x, then factor
    double c;                    ///< penalty; kkt: c0
    double delta;                ///< kkt
    int soft_rows;               ///< kkt: the last rows, that may contradict the others a little
    double soft_delta;           ///< and their delta
    int same_P;                  ///< set it while P.x stays as it was at the last factor
    sari_solver solver;          ///< of S, the matrix above
    sari_solver_storage storage; ///< where S is written
    double* base;                ///< S without J: what it is before J'J is added
    int* P_at;                   ///< entries of P in the storage
    int* product_at;             ///< entries of J'J, row after row
    int *J_at, *delta_at;        ///< kkt: entries of J and of -delta
    double *rhs, *residual;
    double* root;    ///< of the rows' weights, whose penalties are c root^2
    double* weighed; ///< right-hand side of the rows with them
    int weighs;      ///< some are not one
    const sari_normal_kernels*
        small;    ///< penalty form of a small size: takes the place of the above
    double* rows; ///< with it: J as factored, dense
    int* row_at;  ///< entries of J in `rows`
} sari_constrained;

/// `pattern` is copied as the pattern of P. J must stay where it is. With `structure`, of P alone,
/// the matrix may be augmented; without it is always P + c J'J.
sar_status sari_constrained_create(sari_constrained* s, const sari_sym* pattern, const sari_csr* J,
                                   int kkt, const char* solver, const sari_structure* structure);
/// With a diagonal P.
sar_status sari_constrained_create_diagonal(sari_constrained* s, const sari_csr* J, int kkt,
                                            const char* solver);
void sari_constrained_clear(sari_constrained* s);

/// Only these entries of J will change from now on. The list must stay where it is.
sar_status sari_constrained_vary(sari_constrained* s, const int* varying, int count);

/// So many threads from now on, at most those of the structure.
void sari_constrained_share(sari_constrained* s, int threads);

/// Factor with the present P.x, J->x, c (and delta).
sar_status sari_constrained_factor(sari_constrained* s);

/// x and mu for the P and J last factored; `mu` starts as given and may be NULL for one pass from
/// zero. f is kept; g may be NULL (zero).
void sari_constrained_solve(sari_constrained* s, const double* f, const double* g, int passes,
                            double* x, double* mu);

/// x becomes the nearest one, measured by P, that satisfies J x + e = 0 with the present J; it may
/// have changed a little since it was factored. e may be NULL (zero).
void sari_constrained_project(sari_constrained* s, const double* e, int passes, double* x);

/// y = P x for the P last factored.
void sari_constrained_multiply(const sari_constrained* s, const double* x, double* y);

/// One more pass, for the corrections of x and mu alone, which have to be near the solution:
/// besides the update of mu, this takes out the rounding that P + c J'J, ill-conditioned by a large
/// c, left in x. Penalty form only, with J as it was factored.
void sari_constrained_improve(sari_constrained* s, const double* f, const double* g, double* x,
                              double* mu);

/// mu loses what no motion answers to: its part in the null space of J', by `passes` of a solve
/// that leaves 1/(1 + c s) of a part along an eigenvector of J P^-1 J' to the eigenvalue s.
/// Redundant rows that contradict each other by a little would pile it up. x (n) and rest (m) are
/// work space; rest becomes what was lost.
void sari_constrained_strip(sari_constrained* s, int passes, double* x, double* rest, double* mu);

/// Is one of the last `rows` rows implied by others, with the J last factored? Work space as above.
int sari_constrained_implied(sari_constrained* s, int rows, double* x, double* rest, double* mu);

/// P, and all that the next factor takes over from the last; with `factors` those too, for solutions
/// before it.
void sari_constrained_archive(sari_constrained* s, sari_archive* a, int factors);

/// Mean of J_r P^-1 J_r' with P's diagonal: the unit in which c and delta are dimensionless.
double sari_constrained_unit(const sari_constrained* s);

/// Rows with a penalty of their own; 0: c, which is set. It holds from the next factor on.
void sari_constrained_weigh_rows(sari_constrained* s, const double* penalty);
/// Penalty of a row.
static inline double sari_constrained_penalty(const sari_constrained* s, int r)
{
    return s->weighs ? s->c * s->root[r] * s->root[r] : s->c;
}

/// Rows that hold what is very light, by the present J and P, get a lower penalty, and in the kkt form
/// a smaller place: with that of the others their P would be lost in the rounding of S. It holds
/// from the next factor on. f, g, x, mu of all functions stay those of the rows as they are.
void sari_constrained_weigh(sari_constrained* s);

/// Where rows are of very different size (long levers beside light bodies turn at a distance), all become
/// of the same: with one delta those of heavy bodies would hold nothing. For solutions in the limit.
void sari_constrained_balance(sari_constrained* s);

#endif
