/* Planar curves c(s) = (x, y), by expressions of s or through points, and the signed distance of a
 * point from one. Made once, evaluated without allocation. */
#ifndef SARI_CURVE_H
#define SARI_CURVE_H

#include "expression/expression.h"
#include "sarrus/model.h"

typedef struct sari_curve {
    sari_expression* expression[2]; ///< of s, or ...
    sari_table* table[2];           ///< ... splines over the length along the chords
    double from, to;                ///< s; closed curves repeat from there on
    int closed;
    double unit; ///< in which lengths are measured
} sari_curve;

/// Check and make it. Errors carry the field "curve".
sar_status sari_curve_create(sar_model* model, const sar_curve* def, sari_curve* out,
                             sar_error* error);
void sari_curve_release(sari_curve* curve);

/// c, dc/ds and d2c/ds2.
void sari_curve_at(const sari_curve* curve, double s, double c[3][2]);
/// The largest extent in x or y.
double sari_curve_size(const sari_curve* curve);

/// Where a point is, seen from a curve.
typedef struct sari_curve_foot {
    double s;          ///< parameter of the foot point
    double distance;   ///< from there, positive to the left of the curve
    double normal[2];  ///< its gradient
    double tangent[2]; ///< second derivatives: bend tangent tangent'
    double bend;
} sari_curve_foot;

/// The foot point that is reached from `near`; NAN: the nearest one of all.
sari_curve_foot sari_curve_find(const sari_curve* curve, const double p[2], double near);

#endif
