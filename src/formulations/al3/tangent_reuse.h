/* How long tangents serve.
 *
 * S = P + c Phi_q' Phi_q may serve several corrections of a step (modified Newton), and K and C in it
 * several steps, with the rows of each. Where there are K and C, S is kept within a step while
 * corrections shrink, and serves the projections: evaluating K and C costs more than a correction does.
 * Where those of many coordinates cost more than several, tangents are dear: K and C serve later steps
 * too, and so does S: with its rows of then, which have hardly moved in space (transported_tangent.h). */
#ifndef SARI_KEPT_TANGENT_H
#define SARI_KEPT_TANGENT_H

#include "base/archive.h"

typedef struct sari_kept {
    int life;                  ///< corrections that S serves; 0: as long as it is good
    int whole;                 ///< S serves the whole step, if it can: our choice
    int expensive;             ///< a tangent costs more than several corrections do
    int age;                   ///< corrections that the present S has served; 0: none yet
    double c;                  ///< penalty with which it was factored
    double correction, before; ///< sizes of the last correction and of the one before
    double first;              ///< and of the first of the step
    int slopes;                ///< K and C may be used
    int fresh, late;           ///< they were evaluated for this step, or within it
    int usual, served;         ///< corrections in the step that they were for, and steps since then
    int extra;                 ///< what these cost beyond it, in corrections
    int pause, wait;           ///< steps with K and C of their own: the last time, and to go
    int lasts, offered;        ///< S is from an earlier step, and was when this one began
    double ca;                 ///< shift with which it was factored
    int S_usual, S_served;     ///< likewise of S,
    int S_extra;               ///< whose price is lower
    int S_pause, S_wait;
} sari_kept;

/// `life` as an option says, < 0: of our choice. `slopes`: there are K and C, of so many coordinates,
/// and the step may choose. `published`: with a penalty that was given, as few things as possible are.
void sari_kept_choose(sari_kept* kept, int life, int slopes, int coordinates, int published);

/// Motion begins anew, or a step failed: K and C of before are not used.
void sari_kept_archive(sari_kept* kept, sari_archive* a);
void sari_kept_forget(sari_kept* kept);
/// A step begins; the one before it took so many corrections, 0: there was none.
void sari_kept_begin(sari_kept* kept, int corrections);

/// Is S of an earlier correction good enough for number `iteration` of this step, with shift `ca`?
int sari_kept_good(const sari_kept* kept, int iteration, double ca);
/// Are K and C wanted for the S of correction `iteration`? They are evaluated then.
int sari_kept_want_slopes(sari_kept* kept, int iteration);
/// S was factored with c and with shift ca.
void sari_kept_factored(sari_kept* kept, double c, double ca);
/// Do corrections shrink as they do far from singular configurations?
int sari_kept_steady(const sari_kept* kept);
/// Number `iteration` of the step was of this size.
void sari_kept_corrected(sari_kept* kept, int iteration, double correction);

#endif
