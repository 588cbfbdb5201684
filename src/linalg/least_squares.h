/* Dense least squares for matrices of full column rank: A = Q R by Householder reflections without
 * pivoting, and the smallest singular value of R. All matrices are stored by rows, so that loops run
 * along several right-hand sides or columns at once.
 *
 *     min |A x - b|:   R x = (Q' b) of the first n rows
 */
#ifndef SARI_LEAST_SQUARES_H
#define SARI_LEAST_SQUARES_H

#include "base/arena.h"

typedef struct sari_least_squares {
    int rows, cols;  ///< rows >= cols
    double* A;       ///< rows x cols; after factor: R above, reflectors below the diagonal
    double* tau;     ///< of the reflectors
    double* sum;     ///< scratch: one number per column or right-hand side
    double* right;   ///< right singular vector of the smallest singular value; kept as a guess
    double* left;    ///< R right / smallest, as far as it lies in the columns of Q
    double smallest; ///< singular value, set by sari_least_squares_smallest
    double largest;  ///< |R_kk|
} sari_least_squares;

/// Room for `most_rhs` right-hand sides at a time.
void sari_least_squares_take(sari_least_squares* f, sari_arena* memory, int rows, int cols,
                             int most_rhs);

void sari_least_squares_factor(sari_least_squares* f);

/// b (rows x count, by rows) becomes the solutions in its first `cols` rows.
void sari_least_squares_solve(const sari_least_squares* f, int count, double* b);

/// b (rows) = Q R'^-1 g (cols): the shortest solution of A' b = g.
void sari_least_squares_shortest(const sari_least_squares* f, const double* g, double* b);

/// The smallest singular value by inverse iteration from `right`, with both singular vectors: two
/// iterations, or one where `right` is that of a matrix nearby and the value need not be sharp.
void sari_least_squares_smallest(sari_least_squares* f, int iterations);

/// The next singular value above those whose `count` right vectors are known, with its vectors.
/// `lefts`: scratch, count x cols.
double sari_least_squares_next(const sari_least_squares* f, int count, const double* known,
                               double* lefts, double* right, double* left);

/// x (rows) = Q x
void sari_least_squares_rotate(const sari_least_squares* f, double* x);

#endif
