/* How fast K and C age.
 *
 * K and C of an earlier step may serve a later one as long as corrections still shrink. Corrections
 * themselves do not tell: where a stiff spring has turned with its body since then, S is stiff in a
 * direction that is free now; corrections along it are small, and so is what they take back of a large
 * error. So their change is measured where they are evaluated anew:
 *
 *     delta = max_i sum_j |b (cv dC + dK)_ij| / sqrt(M_ii M_jj)
 *
 * With S >= M, no part of an error is left by a correction with the old ones that is larger than
 * |S^-1 b (cv dC + dK)|, which is delta but for how far M is from its diagonal. Then they serve as many
 * steps as keep it small. */
#ifndef SARI_AGING_H
#define SARI_AGING_H

#include "base/archive.h"
#include "system/equations.h"

typedef struct sari_aging {
    const sari_equations* sys;
    double *K, *C; ///< as evaluated
    int known;     ///< these are
    int served;    ///< steps since then
    int life;      ///< steps that they may serve
    int pause;     ///< times that they are evaluated without asking, where they age fast
} sari_aging;

/// Takes its room from `memory`, and is out of it if that fails.
void sari_aging_create(sari_aging* a, sari_arena* memory, const sari_equations* sys);
/// Motion begins anew, or a step failed.
void sari_aging_archive(sari_aging* aging, sari_archive* a);
void sari_aging_forget(sari_aging* a);

/// A step begins: may K and C serve it?
int sari_aging_serve(sari_aging* a);
/// They were evaluated anew.
void sari_aging_renewed(sari_aging* a, double b, double cv);

#endif
