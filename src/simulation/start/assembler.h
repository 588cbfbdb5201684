/* The equations of a start, for assembly.c: constraints and start conditions of one level
 * (positions or velocities) as rows r(q) = 0 with the Jacobian J. */
#ifndef SARI_ASSEMBLER_H
#define SARI_ASSEMBLER_H

#include "formulations/constrained.h"
#include "math/vector.h"
#include "simulation/simulation.h"

typedef struct sari_assembler {
    sari_arena memory;
    sari_system* sys;
    const sar_model* model;
    double t;
    double unit; ///< of lengths, in units of the system's
    int n, rows; ///< rows: constraints, then start conditions of this level
    int* start;  ///< start conditions of this level
    int starts, level;
    int without_offsets; ///< leave out relations whose offset is as drawn
    int as_given;        ///< leave out all constraints
    int without_starts;  ///< leave out the start conditions
    double* from;        ///< per start condition: where it is on the way to its value ...
    double way;          ///< ... of which this part has been gone: 1 at the end
    sari_csr J;
    sari_constrained lin; ///< (W + c J'J), or with M in the place of W
    double *r, *dq, *mu, *zero, *trial, *f;
    double* scale;  ///< velocities: of the rows of J
    double* weight; ///< positions: W, of the changes of coordinates; NULL: all have 1
    double* row;    ///< by which rows and r are multiplied; NULL: 1
} sari_assembler;

sar_status sari_assembler_init(sari_assembler* a, sari_system* sys, double t, int level,
                               double unit);
void sari_assembler_clear(sari_assembler* a);

/// r and J at q; returns |r|^2.
double sari_assembler_evaluate(sari_assembler* a, const double* q);
/// Present values of the start conditions' signals at q, into a->from.
void sari_assembler_take_starts(sari_assembler* a, const double* q);
/// What start condition k asks for at the present part of the way.
double sari_assembler_goal(const sari_assembler* a, int k);

int sari_assembler_scalar(const sari_assembler* a, int k); ///< of start condition k

/// Residuals by joint and start condition, largest first.
void sari_assembler_list(sari_assembler* a, sar_assembly* report);

/// Positions alone, from q as drawn; the nearest where changes count by how far bodies move.
sar_status sari_assemble_positions(sari_system* system, const sari_assembly_task* task,
                                   int without_starts, double* q, sar_assembly* report);
/// A drawing that is off: q goes to a position near it that does not depend on the coordinates, if
/// one is found.
sar_status sari_amend_drawing(sari_system* sys, const sari_assembly_task* task, double* q,
                              sar_assembly* report);

/// Velocities at q: v, which starts as the coordinates have the drawn ones (start_velocities.c).
sar_status sari_assemble_velocities(sari_assembler* a, const double* q, double* v,
                                    sar_assembly* report);

#endif
