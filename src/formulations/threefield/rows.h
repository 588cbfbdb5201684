/* Masses of constraints: m_r = 1/(a_r M^-1 a_r') of every row a_r of Phi_q.
 *
 * The direction c_r = M^-1 a_r' m_r has a_r c_r = 1 and, among all that do, the least c' M c, which
 * is m_r [potosakis, (16), (17)]. Rows divided by the square roots of 1/m_r have a Phi_q M^-1
 * Phi_q' with ones on its diagonal.
 *
 * M may be singular: coordinates without mass, or bodies whose coordinates are more than they need.
 * A direction without mass counts here as if it had the largest mass of those that M connects with
 * it, or of all. Nothing but the scale of a penalty follows from it. */
#ifndef SARI_THREEFIELD_ROWS_H
#define SARI_THREEFIELD_ROWS_H

#include "base/arena.h"
#include "system/equations.h"

typedef struct sari_row_masses {
    sari_arena memory;
    const sari_equations* sys;
    int *begin, *end; ///< per coordinate: its block, which M connects with no other coordinate
    int* place;       ///< per coordinate: its place in L, within its block
    int* first;       ///< per place i: L's row i begins in this column,
    size_t* at;       ///< and is L[at[i] .. ), up to the diagonal
    double* L;        ///< M = L L', rows within the envelope of M
    double*
        inverse; ///< constant M: what M^-1 has where a row meets itself, lower triangles; or NULL
    double* y;   ///< a vector
} sari_row_masses;

/// The system is compiled; M need not be evaluated unless it is constant.
sar_status sari_row_masses_create(sari_row_masses* m, const sari_equations* sys);
void sari_row_masses_clear(sari_row_masses* m);

/// m of every row, with the last evaluated Phi_q and M.
void sari_row_masses_set(sari_row_masses* m, double* mass);

/// c of a row, all coordinates, with the M of the last `set`.
void sari_row_direction(sari_row_masses* m, int row, double* c);

/// The same with c = a'/(a a'), as if all masses were one. Returns c' M c, with the last evaluated M.
double sari_row_plain_direction(const sari_equations* sys, int row, double* work, double* c);

/// Add c' C c, c' K c and c' Q of a direction [potosakis, (16)], as last evaluated.
void sari_row_project(const sari_equations* sys, const double* c, double* damping,
                      double* stiffness, double* force);

/// Smallest eigenvalue, above rounding, of Phi_q M^-1 Phi_q' with the rows scaled by `mass`. Large
/// systems: an estimate. `work` holds sari_row_softest_work numbers.
double sari_row_softest(sari_row_masses* m, const double* mass, double* work);
int sari_row_softest_estimated(const sari_equations* sys);
size_t sari_row_softest_work(const sari_equations* sys);

#endif
