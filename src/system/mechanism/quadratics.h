/* Quadratic polynomials laid out for evaluation. With the constant matrix H of second derivatives
 *
 *     phi = c + b'x + 1/2 x'H x                                                              (1)
 *     g   = d phi/dx = b + H x                                                               (2)
 *     phi = c + 1/2 x'(b + g)                                                                (3)
 *     d2 phi/dt2 = v'H v  + g'(dv/dt),   v = dx/dt                                           (4)
 *
 * so that a gradient costs one multiplication for each entry of H, and the value comes with it. For
 * a distance, (2) takes the difference of two points before anything is squared. */
#ifndef SARI_QUADRATICS_H
#define SARI_QUADRATICS_H

#include "base/arena.h"
#include "system/mechanism/polynomial.h"

/// One variable of a polynomial: what it takes to get its entry of g. Rows of H have one or two
/// entries as a rule; these stand here, so that there is no loop over them.
typedef struct sari_quadratic_entry {
    double b, c[2];
    int x[2]; ///< with c: variables of the first two entries of the row of H; c = 0 where there are
              ///< none
    int i;    ///< the variable itself
    int more, end; ///< the others, if any: term[more] .. term[end - 1]
} sari_quadratic_entry;

typedef struct sari_quadratics {
    int rows;
    int* p; ///< [rows + 1] the entries of row r: p[r] .. p[r + 1], variables ascending
    struct sari_quadratic_row {
        double c;
        const sari_quadratic_entry* end; ///< of its entries
        int is_long;                     ///< some row of H has more than two entries
    } * row;
    sari_quadratic_entry* entry;
    int* h; ///< [entries + 1] the row of H that belongs to entry e: term[h[e]] .. term[h[e + 1]]
    struct sari_second_derivative {
        double c;
        int i, at; ///< the variable, and its place among the entries of the row
    } * term;
} sari_quadratics;

/// Make room for `rows` polynomials with so many terms in all.
sar_status sari_quadratics_create(sari_quadratics* f, sari_arena* memory, int rows, int linear,
                                  int products);

/// Append polynomial k of p.
sar_status sari_quadratics_add(sari_quadratics* f, const sari_polynomials* p, int k);

/// Row `row` becomes polynomial k of p, whose variables and products are among those that it was
/// made for. 0: they are not.
int sari_quadratics_set(sari_quadratics* f, int row, const sari_polynomials* p, int k);

/// (3)
double sari_quadratics_value(const sari_quadratics* f, int row, const double* x);
/// Rows first .. end - 1 at x: values (3), and gradients (2), one after the other.
void sari_quadratics_gradient(const sari_quadratics* f, int first, int end, const double* x,
                              double* value, double* g);
/// H v of rows first .. end - 1, one after the other: the rates of the gradients.
void sari_quadratics_gradient_rate(const sari_quadratics* f, int first, int end, const double* v,
                                   double* out);
/// v'H v of rows first .. end - 1.
void sari_quadratics_curvature(const sari_quadratics* f, int first, int end, const double* v,
                               double* out);

#endif
