/* What parameters do to the equations of steps, by the numbers that these consist of.
 *
 * Where M is constant and all rows are quadratic, phi = c + b'q + 1/2 q'H q, (5) of al3_step.h is linear in the entries of
 * M, in c, b and H, and in gravity. For every one of these numbers its factor is added up over the steps, whatever parameters
 * there are, and multiplied at the end by what a parameter does to the number: differences of twins, once. Of row r, with
 * l, n, k its lambda, nu, kappa, and y1 to y3 its own:
 *
 *     M_ij: x1_i a*_j + x2_i (v - v*)_j + x3_i (a - a*)_j          c: y1                                        (1)
 *     b_i:  y1 q_i + l x1_i + n x2_i + k x3_i + y2 v_i + y3 a_i                                                (2)
 *     H_ij: y1 q_i q_j/2 + (l x1_i + n x2_i + k x3_i + y2 v_i + y3 a_i) q_j + y3 v_i v_j                        (3)
 *
 * Forces are asked step by step, in twins in which they are others. */
#ifndef SARI_SENSITIVITY_AL3_CONSTANTS_H
#define SARI_SENSITIVITY_AL3_CONSTANTS_H

#include "sensitivity/al3/al3_step.h"

/// How what a parameter does is found.
typedef enum sari_al3_way {
    SARI_AL3_RESIDUALS, ///< differences of all equations in every step
    SARI_AL3_NUMBERS,   ///< by the numbers alone
    SARI_AL3_FORCES,    ///< and by differences of forces
} sari_al3_way;

/// Of all numbers: in one array.
typedef struct sari_al3_numbers {
    double *M, *c, *b, *H; ///< entries of M; of rows
    double* Q;             ///< constant forces: gravity
} sari_al3_numbers;

/// Those of them that are not zero.
typedef struct sari_al3_slopes {
    int count, *at;
    double* value;
    int of_rows; ///< some are of rows
} sari_al3_slopes;

typedef struct sari_al3_constants {
    int serves;              ///< equations are such
    int size;                ///< how many numbers
    sari_al3_numbers factor; ///< of the entries that were added
    sari_al3_numbers slope;  ///< by parameter `of`
    int of;
} sari_al3_constants;

sar_status sari_al3_constants_take(sari_al3_constants* s, const sari_system* sys,
                                   sari_arena* memory);
/// No entry has been added.
void sari_al3_constants_begin(sari_al3_constants* s);
/// Of a twin beside the model itself.
sari_al3_way sari_al3_way_of(const sari_al3_constants* s, const sari_system* own,
                             const sari_system* twin);
/// Do all numbers lie on straight lines through those of the model itself?
int sari_al3_constants_straight(const sari_al3_constants* s, const sari_system* own,
                                const sari_system* more, const sari_system* less);

/// Slopes of the numbers: `weight` times what they are in `more` beyond those of `less` is added to them.
void sari_al3_slopes_add(sari_al3_constants* s, double weight, const sari_system* more,
                         const sari_system* less);
/// Without zeros, and back.
sar_status sari_al3_slopes_pack(const sari_al3_constants* s, sari_arena* memory,
                                sari_al3_slopes* out);
void sari_al3_slopes_unpack(sari_al3_constants* s, const sari_al3_slopes* from);
/// Of the entry that the map is at, after its transpose.
void sari_al3_constants_add(sari_al3_constants* s, const sari_step_map* map);
/// (5) of all entries that were added, with the slopes.
double sari_al3_constants_sum(const sari_al3_constants* s);
double sari_al3_slopes_sum(const sari_al3_constants* s, const sari_al3_slopes* slopes);
/// What the slopes do to the equations of the entry that the map is at.
void sari_al3_constants_terms(const sari_al3_constants* s, const sari_step_map* map,
                              sari_step_terms* out);

#endif
