/* When a tangent is evaluated and factored anew.
 *
 * S = P + c Phi_q' Phi_q may serve several corrections of a step (modified Newton), and K and C in it
 * several steps. One object decides on both:
 *
 *     K and C   given life        S alone decides: K and C are those of its state
 *               few coordinates   they serve while their measured change is small, see `ageing`
 *               many, expensive   they serve later steps until these took PRICE more corrections
 *     S         given life        it serves so many corrections of a step
 *               no K and C        one correction
 *               few coordinates   a whole step, while corrections fall to a tenth
 *               many, expensive   later steps too, transported (transported_tangent.h), while
 *                                 corrections fall to 0.3
 *
 * Corrections alone do not tell how old K and C may be: where a stiff spring has turned with its body,
 * S is stiff in a direction that is free now. Corrections along it are small, and so is what they take
 * back of a large error. So the change is measured where K and C are evaluated anew:
 *
 *     delta = max_i sum_j |b (cv dC + dK)_ij| / sqrt(M_ii M_jj)
 *
 * With S >= M, a correction with the old ones leaves no part of an error that is larger than
 * |S^-1 b (cv dC + dK)|, which is delta but for how far M is from its diagonal. */
#ifndef SARI_TANGENT_POLICY_H
#define SARI_TANGENT_POLICY_H

#include "base/archive.h"
#include "system/equations.h"

/// Something that serves later steps, until these took more corrections than a new one would cost.
typedef struct sari_service {
    int usual;       ///< corrections of the step that it was made for
    int served;      ///< steps since then
    int extra;       ///< corrections that these took beyond the usual ones
    int pause, wait; ///< steps for which it is not tried: the last time, and to go
} sari_service;

/// K and C of few coordinates, as evaluated last.
typedef struct sari_ageing {
    double *K, *C;
    int known;  ///< these are
    int served; ///< steps since then
    int life;   ///< steps that they may serve
    int pause;  ///< evaluations without measuring, where they age fast
} sari_ageing;

typedef struct sari_tangent_policy {
    const sari_equations* sys;
    int life;                  ///< corrections that S serves; 0: as long as it is good
    int whole;                 ///< S serves the whole step, if it can: our choice
    int expensive;             ///< a tangent costs more than several corrections do
    int measured;              ///< K and C serve later steps by their change
    int age;                   ///< corrections that the present S has served; 0: none yet
    double c, ca;              ///< penalty and shift with which it was factored
    double correction, before; ///< sizes of the last correction and of the one before
    double first;              ///< and of the first of the step
    int has_slopes;            ///< there are K and C that may be used
    int fresh, late;           ///< they were evaluated for this step, or within it
    int lasts, offered;        ///< S is from an earlier step, and was when this one began
    sari_service slopes, S;
    sari_ageing ageing;
} sari_tangent_policy;

/// `life` as an option says, < 0: of our choice. `slopes`: there are K and C, and the step may choose.
/// `published`: with a penalty that was given, S serves one correction.
void sari_tangent_choose(sari_tangent_policy* p, const sari_equations* sys, int life, int slopes,
                         int published);
/// K and C serve later steps by their change. Takes its room from `memory`.
void sari_tangent_measure(sari_tangent_policy* p, sari_arena* memory);
void sari_tangent_archive(sari_tangent_policy* p, sari_archive* a);

/// Motion begins anew, or a step failed: K, C and S of before are not used.
void sari_tangent_forget(sari_tangent_policy* p);
/// A step begins; the one before it took so many corrections, 0: there was none.
void sari_tangent_begin(sari_tangent_policy* p, int corrections);

/// Is S of an earlier correction good enough for number `iteration` of this step, with shift `ca`?
int sari_tangent_good(const sari_tangent_policy* p, int iteration, double ca);
/// Are K and C to be evaluated for the S of correction `iteration`? `predicted`: the motion goes on
/// as in the steps before.
int sari_tangent_wants_slopes(sari_tangent_policy* p, int iteration, int predicted);
/// K and C were evaluated; P = M + b (cv C + K).
void sari_tangent_evaluated(sari_tangent_policy* p, double b, double cv);
/// S was factored with c and with shift ca.
void sari_tangent_factored(sari_tangent_policy* p, double c, double ca);
/// Do corrections shrink as they do far from singular configurations?
int sari_tangent_steady(const sari_tangent_policy* p);
/// Number `iteration` of the step was of this size.
void sari_tangent_corrected(sari_tangent_policy* p, int iteration, double correction);

#endif
