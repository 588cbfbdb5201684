/* Quadratic polynomials, the common language of joints and coordinates.
 *
 * Place a body by X = (centre of mass, axes of its frame). Then every point of it is affine in X,
 * and every joint condition -- points coincide, axes perpendicular, a point on a line, a distance
 * -- is a polynomial of degree two in the X of two bodies [garciadejalon1994]. The mechanism is
 * written once in these polynomials; a coordinate type only has to say what X is in its
 * coordinates. */
#ifndef SARI_POLYNOMIAL_H
#define SARI_POLYNOMIAL_H

#include "sarrus/base.h"

/// c + sum coefficient[k] * variable[index[k]]; enough terms for the difference of two points of
/// two bodies.
enum { SARI_AFFINE_TERMS = 24 };
typedef struct sari_affine {
    double c;
    int n;
    int index[SARI_AFFINE_TERMS];
    double coefficient[SARI_AFFINE_TERMS];
} sari_affine;

/// a += s * variable[index]; 0 when there is no room.
int sari_affine_add(sari_affine* a, double s, int index);
/// a += s * b; 0 when there is no room.
int sari_affine_accumulate(sari_affine* a, double s, const sari_affine* b);
/// Equal up to rounding, relative to their largest coefficient?
int sari_affine_equal(const sari_affine* a, const sari_affine* b);

/// Many polynomials, stored one after the other: constant, linear terms, products.
typedef struct sari_polynomials {
    int count, count_capacity;
    struct sari_polynomial {
        double c;
        int linear, linear_end; ///< terms in the arrays below
        int product, product_end;
    } * row;
    struct sari_linear_term {
        double c;
        int i;
    } * linear;
    int linear_count, linear_capacity;
    struct sari_product_term {
        double c;
        int i, j; ///< i <= j
    } * product;
    int product_count, product_capacity;
} sari_polynomials;

void sari_polynomials_clear(sari_polynomials* p);

/// Open a new polynomial equal to zero; terms are added to the newest. Its index, or -1 when out of
/// memory.
int sari_polynomials_new(sari_polynomials* p);
int sari_polynomials_add_constant(sari_polynomials* p, double c);
int sari_polynomials_add_affine(sari_polynomials* p, double s, const sari_affine* a);
/// s * a * b
int sari_polynomials_add_product(sari_polynomials* p, double s, const sari_affine* a,
                                 const sari_affine* b);

/// Is polynomial k zero whatever the variables are (up to rounding relative to `scale`)?
int sari_polynomial_is_zero(const sari_polynomials* p, int k, double scale);

/// Append to `out` polynomial k of `p` with every variable i replaced by map[i]. Index, or -1.
int sari_polynomial_substitute(const sari_polynomials* p, int k, const sari_affine* map,
                               sari_polynomials* out);

/// The distinct variables of polynomial k, ascending, into list (at most `most`); how many there
/// are.
int sari_polynomial_variables(const sari_polynomials* p, int k, int* list, int most);

/// Polynomial k of `p` becomes polynomial l of `from`, in its own place. 0: that has no room for
/// its terms.
int sari_polynomial_assign(sari_polynomials* p, int k, const sari_polynomials* from, int l);

double sari_polynomial_value(const sari_polynomials* p, int k, const double* x);

#endif
