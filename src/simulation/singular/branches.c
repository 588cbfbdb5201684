/* Motions through a position where constraints are dependent: branches.
 *
 * A velocity v with Phi_q v = 0 belongs to a motion only if an acceleration goes with it: Phi_q a =
 * -bias(v) has a solution when bias(v) has no component along the states of self-stress u,
 * Phi_q' u = 0:
 *
 *     u . bias(v) = v' (u . Phi_qq) v = 0      for all u                                  (1)
 *
 * These are quadratic forms F_u in the coefficients z of v = sum_i z_i N_i, and their common zeros
 * are the tangents of all motions through the position, to second order. Where redundancy is
 * permanent they vanish identically: the position is regular. In a singular configuration they are
 * resolved by splitting:
 *
 *     - a form with one positive and one negative eigenvalue is a product of two linear ones: each
 *       factor is a subspace, in which the other forms are examined again                   (2)
 *
 *     - of a form that is semi-definite only the null space is left                          (3)
 *
 *     - two forms in three variables always have a combination F + x G of the kind (2) or (3):
 *       det (F + x G) = 0 is a cubic in x, with a real root                                  (4)
 *
 * In two variables every form is of the kind (2) or (3), so the slider-crank needs (2) and the
 * double four-bar (4). Whatever is left over is reported as not resolved. */
#include "base/arena.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { DOF = SARI_BRANCHES_DOF, DEPTH = DOF + 1 };

typedef struct splitter {
    int dof, forms;
    double* F;   ///< [forms][dof][dof], in the coefficients z
    double zero; ///< what a coefficient of a form may be without meaning anything
    double* R;   ///< [forms][dof][dof] scratch: restricted forms
    double* Z;   ///< [DEPTH][dof][dof] bases of the subspaces on the way down
    int unresolved;
    sari_branches* out;
} splitter;

/* ---- small dense matrices ------------------------------------------------------------------- */

/* Eigenvalues and vectors (columns of V) of a symmetric n x n matrix, which is destroyed: Jacobi.
 */
static void eigen(int n, double* A, double* V)
{
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 50; sweep++) {
        double off = 0.0, all = 0.0;
        for (int i = 0; i < n * n; i++) {
            all += A[i] * A[i];
            off += i % (n + 1) ? A[i] * A[i] : 0.0;
        }
        if (off <= 1e-30 * all) return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[n * p + q] == 0.0) continue;
                double zeta = (A[n * q + q] - A[n * p + p]) / (2.0 * A[n * p + q]);
                double t = copysign(1.0 / (fabs(zeta) + sari_hypot(1.0, zeta)), zeta);
                double c = 1.0 / sari_hypot(1.0, t), s = c * t;
                for (int k = 0; k < n; k++) {
                    double x = A[n * k + p], y = A[n * k + q];
                    A[n * k + p] = c * x - s * y, A[n * k + q] = s * x + c * y;
                    x = V[n * k + p], y = V[n * k + q];
                    V[n * k + p] = c * x - s * y, V[n * k + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = A[n * p + k], y = A[n * q + k];
                    A[n * p + k] = c * x - s * y, A[n * q + k] = s * x + c * y;
                }
            }
    }
}

/* Unit states of self-stress with many zeros: reduced row echelon form. A loop's own state then
 * gives a form of its own. */
static void make_sparse(int rows, int cols, double* U)
{
    for (int r = 0; r < rows; r++) {
        int at = 0;
        for (int c = 1; c < cols; c++)
            if (fabs(U[cols * r + c]) > fabs(U[cols * r + at])) at = c;
        double pivot = U[cols * r + at];
        if (pivot == 0.0) continue;
        for (int k = 0; k < rows; k++) {
            double f = k == r ? 0.0 : U[cols * k + at] / pivot;
            for (int c = 0; c < cols && f != 0.0; c++) U[cols * k + c] -= f * U[cols * r + c];
        }
    }
    for (int r = 0; r < rows; r++) {
        double square = 0.0;
        for (int c = 0; c < cols; c++) square += U[cols * r + c] * U[cols * r + c];
        for (int c = 0; c < cols && square > 0.0; c++) U[cols * r + c] /= sqrt(square);
    }
}

/* ---- the forms (1) -------------------------------------------------------------------------- */

/* u . bias(v) for all u, into f. Returns |bias|. */
static double stress_bias(sari_system* sys, double t, const double* q, const double* v,
                          int stresses, const double* stress, double* f)
{
    double square = 0.0;
    sari_equations_eval(&sys->equations, SARI_EVAL_BIAS, t, q, v);
    for (int r = 0; r < sys->nc; r++) square += sys->bias[r] * sys->bias[r];
    for (int k = 0; k < stresses; k++) {
        f[k] = 0.0;
        for (int r = 0; r < sys->nc; r++) f[k] += stress[sys->nc * k + r] * sys->bias[r];
    }
    return sqrt(square);
}

/* F(N_i, N_j) = (F(N_i + N_j) - F(N_i) - F(N_j)) / 2. Returns the largest |bias| of a unit
 * velocity. */
static double fill_forms(splitter* s, sari_system* sys, double t, const double* q,
                         const double* admissible, const double* stress, double* v, double* f)
{
    int d = s->dof, n = sys->nq;
    double most = 0.0;
    for (int pass = 0; pass < 2; pass++) // first the diagonal
        for (int i = 0; i < d; i++)
            for (int j = pass ? i + 1 : i; j < (pass ? d : i + 1); j++) {
                for (int k = 0; k < n; k++)
                    v[k] = admissible[n * i + k] + (i == j ? 0.0 : admissible[n * j + k]);
                double size = stress_bias(sys, t, q, v, s->forms, stress, f);
                most = fmax(most, i == j ? size : 0.5 * size);
                for (int k = 0; k < s->forms; k++) {
                    double* F = s->F + k * d * d;
                    F[d * i + j] = F[d * j + i] =
                        i == j ? f[k] : 0.5 * (f[k] - F[d * i + i] - F[d * j + j]);
                }
            }
    return most;
}

/* ---- splitting ------------------------------------------------------------------------------ */

/* F in the subspace whose p basis vectors are the rows of Z. */
static void restrict_form(const splitter* s, const double* F, const double* Z, int p, double* out)
{
    int d = s->dof;
    for (int a = 0; a < p; a++)
        for (int b = 0; b < p; b++) {
            double sum = 0.0;
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) sum += Z[d * a + i] * F[d * i + j] * Z[d * b + j];
            out[p * a + b] = sum;
        }
}

/* Is branch Z, of dimension p, inside one that is known? */
static int is_known(const splitter* s, const double* Z, int p)
{
    int d = s->dof;
    for (int b = 0; b < s->out->count; b++) {
        const double* B = s->out->basis + d * d * b;
        int inside = 1;
        for (int a = 0; a < p && inside; a++) {
            double square = 0.0;
            for (int j = 0; j < s->out->dimension[b]; j++) {
                double along = 0.0;
                for (int i = 0; i < d; i++) along += Z[d * a + i] * B[d * j + i];
                square += along * along;
            }
            inside = square > 1.0 - 1e-8;
        }
        if (inside) return 1;
    }
    return 0;
}

static void add_branch(splitter* s, const double* Z, int p)
{
    int d = s->dof;
    if (p == 0 || is_known(s, Z, p)) return;
    if (s->out->count == SARI_BRANCHES_MOST) {
        s->unresolved = 1;
        return;
    }
    s->out->dimension[s->out->count] = p;
    memcpy(s->out->basis + d * d * s->out->count++, Z, (size_t)(p * d) * sizeof *Z);
}

static void resolve(splitter* s, int depth, int p);

/* Go on in the part of the subspace at `depth` that is orthogonal to the given vectors, which are
 * orthonormal combinations of its basis. */
static void descend(splitter* s, int depth, int p, int count, double* vectors)
{
    int d = s->dof, have = count, made = 0;
    const double* Z = s->Z + d * d * depth;
    double* next = s->Z + d * d * (depth + 1);
    double found[DOF * DOF];
    memcpy(found, vectors, (size_t)(count * p) * sizeof *found);
    for (int axis = 0; axis < 2 * p && made < p - count; axis++) {
        double* x = found + p * have;
        for (int i = 0; i < p; i++) x[i] = i == axis % p;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < have; k++) {
                double along = 0.0;
                for (int i = 0; i < p; i++) along += x[i] * found[p * k + i];
                for (int i = 0; i < p; i++) x[i] -= along * found[p * k + i];
            }
        double square = 0.0;
        for (int i = 0; i < p; i++) square += x[i] * x[i];
        if (square < (axis < p ? 0.5 * (p - have) / p : 1e-12)) continue;
        for (int i = 0; i < p; i++) x[i] /= sqrt(square);
        for (int i = 0; i < d; i++) {
            next[d * made + i] = 0.0;
            for (int a = 0; a < p; a++) next[d * made + i] += x[a] * Z[d * a + i];
        }
        have++, made++;
    }
    resolve(s, depth + 1, made);
}

/* Take a form apart by (2) or (3); 0 if it is of neither kind. */
static int split_by(splitter* s, int depth, int p, const double* form)
{
    double A[DOF * DOF], V[DOF * DOF], away[DOF * DOF];
    int plus = -1, minus = -1, positive = 0, negative = 0;
    memcpy(A, form, (size_t)(p * p) * sizeof *A);
    eigen(p, A, V);
    double most = 0.0;
    for (int k = 0; k < p; k++) most = fmax(most, fabs(A[(p + 1) * k]));
    for (int k = 0; k < p; k++) {
        double value = A[(p + 1) * k];
        if (fabs(value) <= fmax(s->zero, 1e-6 * most)) continue;
        if (value > 0.0)
            positive++, plus = k;
        else
            negative++, minus = k;
        for (int i = 0; i < p; i++) away[p * (positive + negative - 1) + i] = V[p * i + k];
    }
    if (positive == 0 || negative == 0) { // (3)
        descend(s, depth, p, positive + negative, away);
        return 1;
    }
    if (positive != 1 || negative != 1) return 0;
    double a = sqrt(A[(p + 1) * plus]), b = sqrt(-A[(p + 1) * minus]), length = sari_hypot(a, b);
    for (int sign = -1; sign <= 1; sign += 2) { // (2): (a x + b y) (a x - b y)
        for (int i = 0; i < p; i++)
            away[i] = (a * V[p * i + plus] + sign * b * V[p * i + minus]) / length;
        descend(s, depth, p, 1, away);
    }
    return 1;
}

static void combine(const double* F, const double* G, double angle, double* out)
{
    for (int i = 0; i < 9; i++) out[i] = sari_cos(angle) * F[i] + sari_sin(angle) * G[i];
}

/* (4), with the combination as cos F + sin G so that no root is at infinity: the determinant is odd
 * under a half turn, so it changes sign on it. Of several roots the first that can be split. */
static int split_pencil(splitter* s, int depth, const double* F_, const double* G_)
{
    enum { STEPS = 180 };
    const double pi = 3.14159265358979323846;
    double F[9], G[9], A[9], f = sari_vector_max(9, F_), g = sari_vector_max(9, G_);
    for (int i = 0; i < 9; i++) F[i] = F_[i] / f, G[i] = G_[i] / g;
    combine(F, G, 0.0, A);
    double before = sari_determinant3(A);
    for (int k = 1; k <= STEPS; k++) {
        double low = pi * (k - 1) / STEPS, high = pi * k / STEPS;
        combine(F, G, high, A);
        double after = sari_determinant3(A);
        int root = (before <= 0.0) != (after <= 0.0);
        for (int half = 0; root && half < 60; half++) {
            double middle = 0.5 * (low + high);
            combine(F, G, middle, A);
            if ((sari_determinant3(A) <= 0.0) == (before <= 0.0))
                low = middle;
            else
                high = middle;
        }
        if (root) {
            combine(F, G, 0.5 * (low + high), A);
            for (int i = 0; i < 9; i++) A[i] *= fmin(f, g);
            if (split_by(s, depth, 3, A)) return 1;
        }
        before = after;
    }
    return 0;
}

static void resolve(splitter* s, int depth, int p)
{
    int d = s->dof, left = 0, first = -1;
    const double* Z = s->Z + d * d * depth;
    double* R = s->R + (size_t)depth * s->forms * d * d;
    for (int k = 0; k < s->forms; k++) {
        restrict_form(s, s->F + k * d * d, Z, p, R + k * d * d);
        if (sari_vector_max(p * p, R + k * d * d) <= s->zero) continue;
        left++;
    }
    if (left == 0) {
        add_branch(s, Z, p);
        return;
    }
    for (int k = 0; k < s->forms; k++)
        if (sari_vector_max(p * p, R + k * d * d) > s->zero && split_by(s, depth, p, R + k * d * d))
            return;
    for (int k = 0; p == 3 && k < s->forms; k++) {
        if (sari_vector_max(p * p, R + k * d * d) <= s->zero) continue;
        if (first >= 0 && split_pencil(s, depth, R + first * d * d, R + k * d * d)) return;
        first = first < 0 ? k : first;
    }
    s->unresolved = 1;
}

/* Small branches that lie in larger ones found later are no branches of their own. */
static void drop_contained(splitter* s)
{
    sari_branches* out = s->out;
    int d = s->dof, count = out->count, kept = 0;
    for (int b = 0; b < count; b++) {
        int inside = 0;
        for (int other = b + 1; other < count && !inside; other++) {
            splitter one = *s;
            sari_branches only = {.count = 1,
                                  .dimension = out->dimension + other,
                                  .basis = out->basis + d * d * other};
            one.out = &only;
            inside = is_known(&one, out->basis + d * d * b, out->dimension[b]);
        }
        if (inside) continue;
        memmove(out->basis + d * d * kept, out->basis + d * d * b,
                (size_t)(d * d) * sizeof(double));
        out->dimension[kept++] = out->dimension[b];
    }
    out->count = kept;
}

static void split(splitter* s)
{
    int d = s->dof;
    memset(s->Z, 0, (size_t)(d * d) * sizeof(double));
    for (int i = 0; i < d; i++) s->Z[d * i + i] = 1.0;
    s->out->count = 0;
    resolve(s, 0, d);
    drop_contained(s);
    if (s->unresolved) s->out->count = -1;
}

static double square_of_largest(int n, const double* x)
{
    const double most = sari_vector_max(n, x);
    return most * most;
}

sar_status sari_branches_find(sari_system* sys, double t, const double* q, int dof,
                              const double* admissible, int stresses, double* stress,
                              double tolerance, sari_branches* out)
{
    sari_arena scratch = {0};
    splitter s = {.dof = dof, .forms = stresses, .out = out};
    size_t square = (size_t)(dof * dof);
    s.F = SARI_TAKE(&scratch, double, (size_t)stresses* square);
    s.R = SARI_TAKE(&scratch, double, (size_t)(dof + 1) * (size_t)stresses * square);
    s.Z = SARI_TAKE(&scratch, double, (size_t)(dof + 2) * square);
    double* v = SARI_TAKE(&scratch, double, sys->nq);
    double* f = SARI_TAKE(&scratch, double, stresses);
    const int ok = !scratch.failed;
    if (ok) {
        make_sparse(stresses, sys->nc, stress);
        double most = fill_forms(&s, sys, t, q, admissible, stress, v, f);
        // parallelograms bend no row at all: in the model's units rows bend by about v^2
        most = fmax(most, 1e-4 * square_of_largest(sys->nq * dof, admissible));
        s.zero = fmax(1e-6, 10.0 * tolerance) * most;
        out->singular = sari_vector_max((int)((size_t)stresses * square), s.F) > s.zero;
        if (out->singular) split(&s);
    }
    sari_arena_clear(&scratch);
    return ok ? SAR_OK : SAR_E_NOMEM;
}
