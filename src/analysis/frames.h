/* Linear equations of a motion in numbers that stay the same while it goes on. See frames.c. */
#ifndef SARI_FRAMES_H
#define SARI_FRAMES_H

#include "analysis/linear.h"
#include "coordinates/tree.h"

/// What turns along with a body that hangs on nothing: nothing, its rotation about the vertical, all of it, the curve of
/// its path about the vertical.
typedef enum sari_frame_kind {
    SARI_FRAME_FIXED,
    SARI_FRAME_HEADING,
    SARI_FRAME_BODY,
    SARI_FRAME_PATH
} sari_frame_kind;
enum { SARI_FRAME_KINDS = 4 };

typedef struct sari_frames {
    sari_arena memory;
    sari_linear* linear;
    sari_coordinates own;           ///< relative ones, where the system has others
    const sari_coordinates* joints; ///< the system's or `own`
    int n;                          ///< changes of joint coordinates, without states of forces
    int rows;                       ///< 2 n + states of forces
    double *q, *v, *a;              ///< joint coordinates, rates and accelerations of the state
    double *z, *z_1, *z_2;          ///< per state: (1) and two rates of it, n numbers each
    double *Z, *Z_1;                ///< rows x states, by columns: (2)
    double *x, *work, *left;        ///< workspace
    double off;                     ///< of the rates: what is no motion of the basis
} sari_frames;

sar_status sari_frames_create(sari_linear* linear, sari_frames** out);
void sari_frames_destroy(sari_frames* f);

/// The numbers of all changes at the linear equations' state.
sar_status sari_frames_see(sari_frames* f);
/// Z and Z_1 of the change at index k of the linear equations alone, after sari_frames_see.
void sari_frames_see_change(sari_frames* f, sari_frame_kind kind, int k);
/// The linear equations' state alone in joint coordinates: q, v and a.
void sari_frames_see_state(sari_frames* f);
/// Rates of joint coordinates at that state, and their rates in the frames of a kind: zero in a steady motion.
void sari_frames_rates(const sari_frames* f, sari_frame_kind kind, double* v, double* a);
/// Z and Z_1 of (2) and A of (3) into the linear equations. `off` says how far the motion is from being steady.
sar_status sari_frames_reduce(sari_frames* f, sari_frame_kind kind);
/// Z and Z_1 of changes at a state that is `tau` later than one with the joint coordinates q0, in the frames of
/// then.
void sari_frames_turn_back(sari_frames* f, sari_frame_kind kind, const double* q0, double tau);

#endif
