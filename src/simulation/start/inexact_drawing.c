/* A drawing that is incomplete or inexact has many positions near it that the joints allow, and
 * which of them is the nearest depends on how one measures. So that a start is the same in all
 * coordinates, it is put right in two steps, whatever those of the run:
 *
 * - joints are closed in natural coordinates, where points move as little as possible: what is drawn
 *   stays about there, and bodies that are not turn as they have to;
 * - start conditions are met in joint coordinates: other joints keep their angles.
 *
 * What remains for the coordinates of the run is rounding.
 *
 * A drawing that is off by less than its precision is put right by the coordinates of the run at once. Derivatives are
 * of small changes, which must not go that way where larger ones go the other: for them all is put right in two steps. */
#include "base/memory.h"
#include "base/status.h"
#include "simulation/start/assembler.h"

#include <math.h>
#include <string.h>

static const double ROUNDED = 1e-9; ///< of the size: a drawing is never more precise than this
static const double EXACT = 1e-13;  ///< likewise: what is off by less is rounding

/// What is off at a position, beyond the precision of the drawing.
typedef struct flaws {
    int joints, starts;
    int conditions; ///< of the start, on positions
} flaws;

/* Joints of a tree are closed by its coordinates: then bodies are not where they are drawn. */
static double away_from_drawing(sari_system* sys, const double* q)
{
    const sari_mechanism* m = sys->mechanism;
    double most = 0.0;
    sari_kinematics_update(sys->kinematics, q, NULL, 1);
    for (int i = m->nx; i < m->nx * m->bodies; i++)
        most = fmax(most, fabs(sys->kinematics->X[i] - m->X0[i]));
    return most;
}

static sar_status find_flaws(sari_system* sys, const sari_assembly_task* task, const double* q,
                             flaws* found)
{
    sari_assembler a;
    const double precision = task->smooth ? EXACT * fmax(task->unit, task->away)
                                          : fmax(task->drawing, ROUNDED) * task->unit;
    sar_status st = sari_assembler_init(&a, sys, task->t, 0, task->unit);
    a.without_offsets = 1; // these follow from positions
    if (st == SAR_OK) {
        sari_assembler_evaluate(&a, q);
        found->conditions = a.starts;
        found->joints = sari_largest(sys->nc, a.r) > precision;
        found->starts = sari_largest(a.starts, a.r + sys->nc) > precision;
        found->joints |= away_from_drawing(sys, q) > precision;
    }
    sari_assembler_clear(&a);
    return st;
}

/* q of bodies at X; velocities follow later, from where they are then. */
static sar_status place(sari_system* sys, const double* X, double* q)
{
    const sari_mechanism* m = sys->mechanism;
    const int x = m->nx * m->bodies;
    double* room = SARI_NEW_ARRAY(double, x + 3 * m->bodies + sys->nq);
    if (!room) return SAR_E_NOMEM;
    double *Xd = room, *w = Xd + x, *v = w + 3 * m->bodies;
    sys->coordinates.ops->from_placement(&sys->coordinates, X, Xd, w, q, v);
    sari_release(room);
    return SAR_OK;
}

/* X to a position that is found near it in the given coordinates. SAR_E_ASSEMBLY: none is. */
static sar_status amend(const sari_system* sys, const char* coordinates, int without_starts,
                        const sari_assembly_task* task, double* X, sar_assembly* report)
{
    sari_system* other = NULL;
    sar_error ignored;
    sar_assembly found;
    sar_status st = sari_system_create_with(sys->model, sys->mechanism->active,
                                            sari_coordinates_find(coordinates), SARI_MASS_CHEAPER,
                                            &other, &ignored);
    if (st != SAR_OK) return st == SAR_E_NOMEM ? st : SAR_E_ASSEMBLY;
    other->size = sys->size;
    double* q = SARI_NEW_ARRAY(double, other->np + 1);
    st = q ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK && other->np > 0) {
        memcpy(q, other->coordinates.q0, (size_t)other->np * sizeof *q);
        st = place(other, X, q);
    }
    if (st == SAR_OK) st = sari_assemble_positions(other, task, without_starts, q, &found);
    if (st == SAR_OK) {
        memcpy(X, other->kinematics->X,
               (size_t)(other->mechanism->nx * other->mechanism->bodies) * sizeof *X);
        report->iterations += found.iterations;
    }
    sari_release(q);
    sari_system_destroy(other);
    return st;
}

sar_status sari_amend_drawing(sari_system* sys, const sari_assembly_task* task, double* q,
                              sar_assembly* report)
{
    const sari_mechanism* m = sys->mechanism;
    const int x = m->nx * m->bodies;
    flaws flaw = {0};
    if (sys->nq == 0) return SAR_OK;
    SARI_TRY(find_flaws(sys, task, q, &flaw));
    if (!flaw.joints && !flaw.starts) return SAR_OK;
    double* X = SARI_NEW_ARRAY(double, x);
    if (!X) return SAR_E_NOMEM;
    memcpy(X, m->X0, (size_t)x * sizeof *X);
    sar_status st = SAR_OK;
    if (flaw.joints) st = amend(sys, "natural", 1, task, X, report);
    if (st == SAR_OK && flaw.conditions) st = amend(sys, "relative", 0, task, X, report);
    if (st == SAR_OK) st = place(sys, X, q);
    sari_release(X);
    return st == SAR_E_ASSEMBLY ? SAR_OK : st; // the coordinates of the run may have more luck
}
