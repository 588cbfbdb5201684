/* Modes, shared by the files of this folder. */
#ifndef SARI_MODES_H
#define SARI_MODES_H

#include "analysis/frames.h"
#include "sarrus/analysis.h"
#include "simulation/simulation.h"

struct sar_modes {
    sari_arena memory;
    sar_simulation* simulation;
    sari_linear* linear;
    sari_frames* frames; ///< NULL: at rest
    sar_modes_summary summary;
    sar_mode* mode;
    int capacity;
    double* shape; ///< per mode: dq, real and imaginary, nq numbers each
    double*
        rates; ///< placements of all bodies; then per mode their rates along both parts of the shape
    char* moves; ///< per body: it moves along zero ones
};

/* deflate.c */
/// A matrix without its zero eigenvalues: those of B are the others of A. See deflate.c.
typedef struct sari_deflated {
    int n, zeros, size; ///< zeros + size = n
    double* B;          ///< size x size
    double* N;          ///< zeros vectors of n numbers that they belong to, orthonormal
    double* Q;          ///< size vectors, which complete them
} sari_deflated;
/// A: n x n by rows, kept. `memory` has room for it afterwards.
sar_status sari_deflate(int n, const double* A, sari_arena* memory, sari_deflated* out);
/// The vector of A for an eigenvector y of B with the eigenvalue re + i im.
void sari_deflated_vector(const sari_deflated* d, const double* A, double re, double im,
                          const double* y, const double* y_im, double* x, double* x_im);

/* steady.c */
/// Are the linear equations the same after a part of a revolution? The system is left evaluated elsewhere.
sar_status sari_is_steady(sari_linear* l, sari_frames* f, sari_frame_kind kind, int* steady);
/// A in the frames in which the motion is steady, or in fixed ones.
sar_status sari_steady_frame(sari_linear* l, sari_frames* f, sari_frame_kind* kind, int* steady);

/* branches.c */
/// Modes of every motion that meets in a singular configuration.
sar_status sari_modes_by_branches(sar_modes* m, const sar_subspaces* found, sar_error* error);

/* modes.c */
/// Eigenvalues and vectors of A in the basis of changes dq (n vectors of nq numbers).
/// branch: -1: regular, with the positions of `linear` first; else half of the states are positions.
sar_status sari_modes_add(sar_modes* m, int n, const double* A, const double* dq, int branch);

#endif
