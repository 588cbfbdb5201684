/* A pose: nearest to what is wanted on the constraints. Shared by the files of this folder. */
#ifndef SARI_POSE_H
#define SARI_POSE_H

#include "linalg/qr.h"
#include "model/units.h"
#include "sarrus/pose.h"
#include "system/system.h"

/// A number of the configuration, in units of the model: (value - wanted) counts.
typedef struct sari_pose_row {
    sar_pose_role role;
    char* name;
    sari_expression* e; ///< NULL: `scalar` is the value
    int scalar;
    double unit;           ///< of the user: value_user = zero + unit value
    double weight, wanted; ///< NaN: as at the start
    double lower, upper;   ///< limits
    double value, *g;      ///< and its gradient, n numbers
    const int* used;       ///< variables of e
    int used_count;
} sari_pose_row;

/// A signal that rows use.
typedef struct sari_pose_signal {
    int variable, scalar;
    double* g; ///< over the coordinates on which the scalar depends
} sari_pose_signal;

struct sar_pose {
    sari_arena memory;
    sar_model* model; ///< in units of its own
    sari_units units;
    sari_system* system;
    double t;
    int n, hard, phi; ///< coordinates; rows that hold exactly; those of joints, which come first
    int held, kept,
        wants; ///< held: what is wanted is among them; how many rows are kept, and wanted
    sari_pose_row* row;
    int rows, given, owned, limits; ///< owned: with an expression of its own; limits: of role LIMIT
    int starts;                     ///< the last rows: the start conditions that tell the pose
    sari_pose_signal* signal;
    int signals;
    double *variables, *by; ///< of expressions
    double gap;             ///< of loops that the drawing leaves open

    double *q, *start, *reference, *best, *candidate, *chosen, *trial, *other; ///< positions
    char* slides;     ///< per coordinate: it is a length
    double* d;        ///< from the reference
    double* h;        ///< residuals of hard rows
    sari_qr qr;       ///< of their gradients
    double level[2];  ///< weights of what is preferred, and of motions from the reference
    double want, all; ///< halves of the sums of squares: of what is wanted, and of everything

    int free;      ///< independent motions at the present base
    double* Z;     ///< them: `free` vectors of n numbers
    double *c, *H; ///< slope and curvature along them
    double *B, *b; ///< limits along them, and where they are now
    double *K, *y, *y0, *lambda, *z;
    int *side, *listed;
    double *A, *room, *w, *push;
    int* basis;
    double *step, *work, *plus;
};

/// Does it hold exactly now?
static inline int sari_pose_holds(const sar_pose* p, const sari_pose_row* row)
{
    return row->role == SAR_POSE_KEEP || (p->held && row->role == SAR_POSE_WANT);
}

/* rows.c */
/// What is wanted holds exactly from now on, or counts by its distance.
void sari_pose_hold(sar_pose* p, int held);
/// Values and gradients of everything at q.
sar_status sari_pose_evaluate(sar_pose* p, const double* q);
/// want and all, at the last evaluated q.
void sari_pose_measure(sar_pose* p, const double* q);
/// Gradient of `all`, of hard rows with lambda and of limits with z: n numbers.
void sari_pose_gradient(sar_pose* p, const double* lambda, const double* z, double* out);
/// How far limits are exceeded in all.
double sari_pose_excess(const sar_pose* p);
/// By how much a row misses; 0: it does not.
double sari_pose_miss(const sari_pose_row* row);
extern const double sari_pose_exact; ///< what counts as met

/* closing.c */
/// From q to a place near it where all hard rows hold; everything is evaluated there. SAR_R_NO_CONV: none was found.
sar_status sari_pose_close(sar_pose* p, double* q);
/// Z at the last evaluated place; returns their number. The factors stay for the multipliers.
void sari_pose_free(sar_pose* p);

/* step.c */
/// y: the step within `radius` that is best for the model (c, H) and the limits. Returns |y|.
double sari_pose_step(sar_pose* p, double radius);
/// Curvature along Z at q with the multipliers of now, by differences.
sar_status sari_pose_curvature(sar_pose* p, const double* q);
/// The direction along which H is least, into y; returns how much it is there.
double sari_pose_lowest(sar_pose* p);

/* search.c */
/// From q, which becomes the local minimum. `iterations` counts on.
sar_status sari_pose_descend(sar_pose* p, double* q, int* iterations);
/// From p->q, and from so many other places while something is missed; p->q is then the nearest pose found.
sar_status sari_pose_search(sar_pose* p, int starts, sar_pose_report* out);

#endif
