#include "simulation/singular/normal.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/qr.h"
#include "linalg/sym_tools.h"
#include "math/functions.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

sar_status sari_normal_create(sari_normal* n, sari_system* sys, int rows)
{
    const int nq = sys->nq;
    memset(n, 0, sizeof *n);
    n->J = sys->Phi_q;
    n->J.rows = rows;
    n->D = SARI_NEW_ARRAY(double, nq);
    n->column = SARI_NEW_ARRAY(double, nq);
    if (!n->D || !n->column) return SAR_E_NOMEM;
    for (int i = 0; i < nq; i++) n->D[i] = 1.0;
    n->scale = 1.0;
    return sari_constrained_create_diagonal(&n->lin, &n->J, 0, "auto");
}

void sari_normal_clear(sari_normal* n)
{
    sari_constrained_clear(&n->lin);
    sari_release(n->D);
    sari_release(n->column);
}

/* Square of the largest singular value of J D^-1/2, estimated by its longest row. Rows that are
 * nothing but rounding, or what the digits of the drawing lose, are no scale. */
static double longest_row(const sari_normal* n, const sari_slack* slack)
{
    double most = 0.0;
    if (sari_rows_are_rounding(&n->J, n->J.rows)) return 1.0;
    if (slack->count && sari_vector_max(n->J.p[n->J.rows], n->J.x) <= slack->tolerance) return 1.0;
    for (int r = 0; r < n->J.rows; r++) {
        double square = 0.0;
        for (int k = n->J.p[r]; k < n->J.p[r + 1]; k++)
            square += n->J.x[k] * n->J.x[k] / n->D[n->J.i[k]];
        most = fmax(most, square);
    }
    return most > 0.0 ? most : 1.0;
}

/* Coordinates without mass count as heavy ones, since any weight of theirs would be arbitrary. Very
 * light ones count as LIGHT: the square of what counts as zero is relative to the longest row, and
 * rods without girth would lift that above the rows of heavy bodies. */
void sari_normal_weigh(sari_normal* n, const sari_system* sys)
{
    const double LIGHT = 1e-6, MASSLESS = 1e-12; // of the heaviest
    double heaviest = 0.0;
    for (int i = 0; i < sys->nq; i++) heaviest = fmax(heaviest, sys->M.x[sys->M.p[i]]);
    const double least = sys->slack.count ? INFINITY : MASSLESS * heaviest;
    for (int i = 0; i < sys->nq; i++) {
        const double mass = sys->M.x[sys->M.p[i]];
        n->D[i] = mass > least ? fmax(mass, LIGHT * heaviest) : heaviest > 0.0 ? heaviest : 1.0;
    }
    n->scale = longest_row(n, &sys->slack);
}

void sari_normal_archive(sari_normal* n, sari_archive* a)
{
    SARI_ARCHIVE_NUMBERS(a, &n->scale);
    sari_archive_numbers(a, n->D, (size_t)n->J.cols);
}

sar_status sari_normal_factor(sari_normal* n, double shift, sari_pivots* pivots)
{
    for (int i = 0; i < n->J.cols; i++) n->lin.P.x[n->lin.P.p[i]] = shift * n->D[i];
    n->lin.c = 1.0;
    sar_status st = sari_constrained_factor(&n->lin);
    if (pivots) n->lin.solver.ops->pivots(n->lin.solver.self, pivots);
    return st;
}

int sari_normal_rank(sari_normal* n, double relative)
{
    sari_pivots pivots = {0};
    if (n->J.rows == 0) return 0;
    (void)sari_normal_factor(n, -relative * relative * n->scale, &pivots);
    return pivots.positive;
}

double sari_normal_least(sari_normal* n, int rank, double zero)
{
    double below = sari_log(zero), above = 0.0;
    while (above - below > 0.5) {
        double middle = 0.5 * (below + above);
        if (sari_normal_rank(n, sari_exp(middle)) < rank)
            above = middle;
        else
            below = middle;
    }
    return sari_exp(0.5 * (below + above));
}

void sari_normal_solve(sari_normal* n, double* x)
{
    n->lin.solver.ops->solve(n->lin.solver.self, x);
}

void sari_normal_filter(sari_normal* n, double* u)
{
    const sari_csr* J = &n->J;
    memset(n->column, 0, (size_t)J->cols * sizeof(double));
    sari_csr_multiply_add_transposed(J, 1.0, u, n->column);
    sari_normal_solve(n, n->column);
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) u[r] -= J->x[k] * n->column[J->i[k]];
}

double sari_normal_square(const sari_normal* n, const double* v)
{
    double square = 0.0;
    for (int i = 0; i < n->J.cols; i++) square += n->D[i] * v[i] * v[i];
    return square;
}
