/* What the files that compile a mechanism share. */
#ifndef SARI_MECHANISM_PARTS_H
#define SARI_MECHANISM_PARTS_H

#include "system/mechanism/mechanism.h"

/// To the last polynomial: a direction fixed in body i . a direction fixed in body j.
int sari_add_dot(sari_mechanism* m, int i, const double u[3], int j, const double w[3]);

/* New polynomials; 0: out of memory. */

/// u . w of a direction u fixed in a's body and w fixed in b's.
int sari_new_dot(sari_mechanism* m, const sar_end* a, const double u[3], const sar_end* b,
                 const double w[3]);
/// (p_b - p_a) . u, u fixed in a's body.
int sari_new_offset(sari_mechanism* m, const sar_end* a, const sar_end* b, const double u[3]);
/// |p_b - p_a|^2.
int sari_new_distance(sari_mechanism* m, const sar_end* a, const sar_end* b);

/// The third direction of an end's frame: axis x normal; planar: the normal turned by a right
/// angle.
void sari_third_direction(const sari_mechanism* m, const sar_end* e, double out[3]);

/// The scalar of a joint's coordinate, not yet marked as the joint's. -1: out of memory.
int sari_coordinate_scalar(sari_mechanism* m, int joint, sar_coordinate coordinate);

/// The scalar of a signal that is a function of positions, -1 for the others. 0: out of memory.
int sari_signal_scalar(sari_mechanism* m, const sari_signal* s, int* scalar);

#endif
