/* The null-space formulation in Newton form: an implicit step in independent coordinates
 * [cuadradodopico, section 2].
 *
 * A basis B = Q2 of the motions that the constraints allow is kept for the step; z = B'q are its
 * independent coordinates, and the integrator's rule holds for them alone. With `select` B has unit
 * vectors: z are those coordinates that elimination of Q2 with full pivoting leaves
 * [garciadejalon1994]. All others follow:
 *
 *     Phi(q) = 0,   Phi_q v = -Phi_t, B'v = dz/dt,   Phi_q a = -bias, B'a = d2z/dt2          (1)
 *
 * Equilibrium along the allowed motions, with Q2 at the present q and the shifts dv = cv dq,
 * da = ca dq, b = 1/ca:
 *
 *     S = M + b (cv C + K),   Q2' S (Q2 y + d) = -b Q2' (M a - Q),   dq = Q2 y + d           (2)
 *
 * where d returns to the constraints without a change of z: Phi_q d = -Phi, B'd = 0. Rows on
 * velocities determine no positions: coordinates that depend on others in their rates alone follow
 * the integrator's rule too, in which the rates are those that the rows allow: A d = -(A v + b)/cv.
 */
#include "base/status.h"
#include "formulations/nullspace.h"
#include "linalg/elimination.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

typedef sari_nullspace nullspace;

/* z = A^-1 z; A, d x d, is used up. */
static sar_status divide_by_A(nullspace* self, int d)
{
    SARI_TRY(sari_eliminate(d, self->A, self->pivot));
    sari_substitute(d, self->A, self->pivot, self->z);
    return SAR_OK;
}

/* x with Phi_q x = g and B'x = B'given (NULL: 0) */
static sar_status complete(nullspace* self, const double* g, const double* given, double* x)
{
    const int n = self->n, d = n - self->rank;
    sari_nullspace_smallest(self, g, x);
    for (int i = 0; i < d; i++) {
        const double* column = self->fixed + i * n;
        self->z[i] =
            (given ? sari_vector_dot(n, column, given) : 0.0) - sari_vector_dot(n, column, x);
        for (int j = 0; j < d; j++)
            self->A[i * d + j] = sari_vector_dot(n, column, self->basis + j * n);
    }
    SARI_TRY(divide_by_A(self, d));
    for (int j = 0; j < d; j++)
        for (int i = 0; i < n; i++) x[i] += self->z[j] * self->basis[j * n + i];
    return SAR_OK;
}

/* y = S x */
static void times_S(const nullspace* self, double b, double cv, const double* x, double* y)
{
    const sari_equations* sys = self->sys;
    sari_sym_multiply(&sys->M, sys->M.x, x, y);
    for (int r = 0; r < self->n; r++)
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++)
            y[r] += b * (cv * sys->C.x[k] + sys->K.x[k]) * x[sys->K.i[k]];
}

/* self->v and self->a: (1), at the positions and the independent rates of s */
static sar_status constrain(nullspace* self, const sari_state* s, unsigned also)
{
    sari_equations* sys = self->sys;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, s->t, s->q, s->v));
    SARI_TRY(sari_nullspace_factor_jacobian(self, s->t));
    sari_nullspace_basis(self, self->basis);
    for (int r = 0; r < self->m; r++) self->g[r] = -sys->Phi_t[r];
    SARI_TRY(complete(self, self->g, s->v, self->v));
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS | also, s->t, s->q, self->v));
    for (int r = 0; r < self->m; r++) self->g[r] = -sys->bias[r];
    return complete(self, self->g, s->a, self->a);
}

/* Largest entry of the columns from k on; its column becomes the k-th. Returns its row. */
static int find_pivot(int n, int d, int k, double* W)
{
    int row = 0, column = k;
    for (int j = k; j < d; j++)
        for (int i = 0; i < n; i++)
            if (fabs(W[j * n + i]) > fabs(W[column * n + row])) row = i, column = j;
    for (int i = 0; i < n && column != k; i++) {
        const double x = W[k * n + i];
        W[k * n + i] = W[column * n + i];
        W[column * n + i] = x;
    }
    return row;
}

/* B, which is Q2, becomes the unit vectors of as many coordinates. */
static void select_coordinates(nullspace* self)
{
    const int n = self->n, d = n - self->rank;
    double *W = self->fixed, *row = self->z;
    for (int k = 0; k < d; k++) {
        self->pivot[k] = find_pivot(n, d, k, W);
        const double* pivoted = W + k * n;
        for (int j = k + 1; j < d; j++)
            row[j] = W[j * n + self->pivot[k]] / pivoted[self->pivot[k]];
        for (int j = k + 1; j < d; j++)
            for (int i = 0; i < n; i++) W[j * n + i] -= row[j] * pivoted[i];
        for (int j = k + 1; j < d; j++) W[j * n + self->pivot[k]] = 0.0;
    }
    memset(W, 0, (size_t)(n * d) * sizeof *W);
    for (int k = 0; k < d; k++) W[k * n + self->pivot[k]] = 1.0;
}

void sari_nullspace_begin(void* self_, const sari_state* s)
{
    nullspace* self = self_;
    if (!s) return;
    sar_status st = sari_equations_eval(self->sys, SARI_EVAL_JACOBIAN, s->t, s->q, s->v);
    if (st != SAR_OK || sari_nullspace_factor_jacobian(self, s->t) != SAR_OK) return;
    sari_nullspace_basis(self, self->fixed);
    if (self->selects) select_coordinates(self);
}

sar_status sari_nullspace_correct(void* self_, const sari_state* s, double cv, double ca,
                                  double* dq)
{
    nullspace* self = self_;
    sari_equations* sys = self->sys;
    const int n = self->n, d = n - self->rank;
    const double b = 1.0 / ca;
    SARI_TRY(constrain(self, s, SARI_EVAL_TANGENT));
    sari_equations_phi_dot(sys, s->v, self->g);
    for (int r = 0; r < self->m; r++)
        self->g[r] = r < self->m - sys->velocity_rows ? -sys->Phi[r] : -self->g[r] / cv;
    SARI_TRY(complete(self, self->g, NULL, dq));
    times_S(self, b, cv, dq, self->f);
    sari_sym_multiply(&sys->M, sys->M.x, self->a, self->w);
    for (int i = 0; i < n; i++) self->f[i] = -self->f[i] - b * (self->w[i] - sys->Q[i]);
    for (int j = 0; j < d; j++) times_S(self, b, cv, self->basis + j * n, self->product + j * n);
    for (int i = 0; i < d; i++) {
        self->z[i] = sari_vector_dot(n, self->basis + i * n, self->f);
        for (int j = 0; j < d; j++)
            self->A[i * d + j] = sari_vector_dot(n, self->basis + i * n, self->product + j * n);
    }
    SARI_TRY(divide_by_A(self, d)); // (2)
    for (int j = 0; j < d; j++)
        for (int i = 0; i < n; i++) dq[i] += self->z[j] * self->basis[j * n + i];
    return SAR_OK;
}

void sari_nullspace_update(void* self_, sari_state* s, double ca)
{
    (void)self_;
    (void)s;
    (void)ca;
}

sar_status sari_nullspace_project(void* self_, sari_state* s, double cv, double ca)
{
    nullspace* self = self_;
    sari_equations* sys = self->sys;
    (void)cv;
    (void)ca;
    SARI_TRY(constrain(self, s, 0));
    memcpy(s->v, self->v, (size_t)self->n * sizeof(double));
    memcpy(s->a, self->a, (size_t)self->n * sizeof(double));
    sari_nullspace_multipliers(self, sys->Q, s->a, s->lambda);
    return SAR_OK;
}
