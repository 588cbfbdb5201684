/* Free spatial bodies, directly: conditions of joints and inertia of bodies whose coordinates are a
 * centre of mass and a rotation vector in body axes. The same as the chain rule through X would
 * give (kinematics.c), with a small part of its work. */
#ifndef SARI_FREE_H
#define SARI_FREE_H

#include "linalg/sym_tools.h"
#include "system/kinematics.h"

/// One side of a condition.
typedef struct sari_free_end {
    int body;        ///< 0: ground
    int at;          ///< of its six columns in the condition's first row; -1 on the ground
    double point[3]; ///< from the centre of mass, body axes; on the ground: where it is
    double axis[3];  ///< a direction, body axes
} sari_free_end;

typedef enum sari_free_kind {
    SARI_FREE_POINTS,   ///< p_b - p_a = 0, three rows
    SARI_FREE_DOT,      ///< u_a . u_b = 0
    SARI_FREE_OFFSET,   ///< (p_b - p_a) . u_a - d = 0
    SARI_FREE_DISTANCE, ///< |p_b - p_a|^2 - d^2 = 0
} sari_free_kind;

typedef struct sari_free_row {
    sari_free_kind kind;
    int row, width; ///< first row, entries in a row
    sari_free_end a, b;
    double constant; ///< d, d^2 of a distance
} sari_free_row;

typedef struct sari_free {
    const sari_mechanism* mechanism;
    sari_free_row* rows; ///< one per condition or part of it
    int count;
    double* inertia;  ///< 9 per body: about the centre, body axes
    char* gyroscopic; ///< per body: the inertia is not the same about all axes; [0]: of any body
    int* incident;    ///< per body: where its rows begin in `incidence`
    int* incidence;   ///< 2 row + (0: at its end a, 1: b)
    int* varying;     ///< entries of Phi_q that may change
    int varying_count;
    char* zero; ///< and those that are always zero
    int* turns; ///< per body but the ground: first of its three coordinates of rotation
    int threads;
} sari_free;

/// For the conditions of `c`, all of which become rows of `Phi_q`, from `first` on.
sar_status sari_free_create(const sari_coordinates* c, const sari_csr* Phi_q, int first,
                            sari_arena* memory, sari_free** out);
/// The ends of the conditions have moved: the same rows anew. 0: they are not the same.
int sari_free_rewrite(sari_free* s, const sari_csr* Phi_q, int first);

/// Phi and, if J is not NULL, Phi_q for the bodies placed by X.
void sari_free_constraints(const sari_free* s, const double* X, double* Phi, double* J);
/// v' (d2 Phi/dq2) v
void sari_free_bias(const sari_free* s, const double* X, const double* v, double* bias);
/// out += factor Phi_q' lambda, without Phi_q
void sari_free_add_reaction(const sari_free* s, const double* X, double factor,
                            const double* lambda, double* out);
/// M: m and the inertia of every body. Its pattern; then its values, which never change.
void sari_free_mass_pattern(const sari_free* s, sari_pattern* pattern);
void sari_free_mass(const sari_free* s, sari_sym* M);
/// out = M x
void sari_free_mass_times(const sari_free* s, const double* x, double* out);
/// Q = weight and gyroscopic torque -w x J w; v may be NULL: at rest.
void sari_free_force(const sari_free* s, const double* v, double* Q);
/// Geometric stiffness lambda . d2Phi/dtheta2 of points and directions: 6 numbers per body, the
/// lower triangle by rows; what couples two bodies is left out.
void sari_free_stiffness(const sari_free* s, const double* X, const double* lambda, double* G);

#endif
