/* Poses of links and frames: x in the frame is R x + p outside of it. */
#ifndef SARI_IMPORT_POSE_H
#define SARI_IMPORT_POSE_H

#include <stdbool.h>

typedef struct sari_pose {
    double R[9], p[3];
} sari_pose;

extern const sari_pose SARI_POSE_IDENTITY;

sari_pose sari_pose_times(const sari_pose* a, const sari_pose* b); ///< b in a
sari_pose sari_pose_inverse(const sari_pose* a);
/// a^-1 b: b as seen from a
sari_pose sari_pose_between(const sari_pose* a, const sari_pose* b);
void sari_pose_point(const sari_pose* a, const double x[3], double out[3]);
sari_pose sari_pose_shift(const double p[3]);

/// The angles of a rotation, so that sari_rotation_rpy gives it back but for rounding, also where pitch is a right angle.
void sari_pose_angles(const double R[9], double rpy[3]);
/// `axis` of any length but zero.
void sari_pose_about(const double axis[3], double angle, double R[9]);
/// (w, x, y, z) of any length but zero; false: it has none.
bool sari_pose_quaternion(const double q[4], double R[9]);
bool sari_pose_normalise(double v[3]);                   ///< false: it is zero, or no number
void sari_pose_across(const double u[3], double out[3]); ///< a unit vector across a unit vector

/* Mass properties: about the centre of mass, xx yy zz xy xz yz. */

/// I <- R I R'
void sari_inertia_rotate(const double R[9], double I[6]);
/// Add a part (m, c, J) to a body (mass, centre, inertia), all in axes of the body.
void sari_inertia_add(double* mass, double center[3], double I[6], double m, const double c[3],
                      const double J[6]);
/// Principal moments, in no order.
void sari_inertia_moments(const double I[6], double moment[3]);

#endif
