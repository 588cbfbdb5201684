/* How heavy the rows of a constrained problem are: J_r P^-1 J_r', with P's diagonal in the place of P. */
#include "formulations/constrained.h"

#include <math.h>

/// Of the largest entry of P's diagonal: what is less is no mass. For the unit, which is that of
/// most rows, and for a row of its own, where rounding is the bound.
static const double NO_PART_OF_UNIT = 1e-6, NO_MASS = 1e-13;

/// J_r P^-1 J_r' of a row in units of the mean. With a penalty of 1e6 of the mean, rows of this size
/// leave six digits of P beside them. Where some are larger, they are most of the mean, which says
/// nothing of heavy rows any more: these get their own.
static const double LIGHTEST = 1e4;

static double largest_entry(const sari_sym* P)
{
    double largest = 0.0;
    for (int c = 0; c < P->n; c++)
        if (P->x[P->p[c]] > largest) largest = P->x[P->p[c]];
    return largest;
}

double sari_constrained_unit(const sari_constrained* s)
{
    const sari_csr* J = s->J;
    double sum = 0.0;
    const double largest = largest_entry(&s->P);
    for (int r = 0; r < s->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) {
            double d = s->P.x[s->P.p[J->i[k]]]; // massless coordinates would make it infinite
            if (d > NO_PART_OF_UNIT * largest) sum += J->x[k] * J->x[k] / d;
        }
    if (!(s->m && sum > 0.0)) return 1.0;
    // rows that are rounding hold nothing: where all are, a row of gradient one is the measure
    const double mean = sum / s->m, least = 1e-12;
    return largest > 0.0 && mean < least / largest ? 1.0 / largest : mean;
}

/* J_r P^-1 J_r' of a row, without what has no mass. */
static double size_of(const sari_constrained* s, int r, double none)
{
    const sari_csr* J = s->J;
    double sum = 0.0;
    for (int k = J->p[r]; k < J->p[r + 1]; k++) {
        const double d = s->P.x[s->P.p[J->i[k]]];
        if (d > none) sum += J->x[k] * J->x[k] / d;
    }
    return sum;
}

void sari_constrained_weigh_rows(sari_constrained* s, const double* penalty)
{
    s->weighs = 1;
    for (int r = 0; r < s->m; r++) s->root[r] = penalty[r] > 0.0 ? sqrt(penalty[r] / s->c) : 1.0;
}

void sari_constrained_weigh(sari_constrained* s)
{
    const double none = NO_MASS * largest_entry(&s->P), unit = sari_constrained_unit(s);
    s->weighs = 0;
    // where rows contradict each other, what is not held is known for rows of one weight
    if (s->slack && s->slack->count) return;
    for (int r = 0; r < s->m; r++) {
        s->root[r] = size_of(s, r, none) / unit;
        if (s->root[r] > LIGHTEST) s->weighs = 1;
    }
    for (int r = 0; s->weighs && r < s->m; r++) {
        const double size = s->root[r];
        s->root[r] = !(size > 0.0)     ? 1.0
                     : size > LIGHTEST ? sqrt(LIGHTEST / size)
                                       : sqrt(fmax(1.0, 1.0 / size));
    }
}

void sari_constrained_balance(sari_constrained* s)
{
    const double APART = 1e6, none = NO_MASS * largest_entry(&s->P);
    double least = INFINITY, most = 0.0;
    for (int r = 0; r < s->m; r++) {
        const double size = s->root[r] = size_of(s, r, none);
        if (size > 0.0) least = fmin(least, size), most = fmax(most, size);
    }
    s->weighs = most > APART * least;
    const double unit = s->weighs ? sari_constrained_unit(s) : 1.0;
    for (int r = 0; s->weighs && r < s->m; r++)
        s->root[r] = s->root[r] > NO_MASS * most ? sqrt(unit / s->root[r]) : 1.0;
}
