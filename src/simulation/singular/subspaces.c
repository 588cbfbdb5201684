/* Velocities that the constraints admit, and those that they exclude, at the present position
 * [gonzalez2016, (36)-(40)]. With D the diagonal of M,
 *
 *     Phi_q D^-1/2 = U S V'                                                                (1)
 *
 *     admissible   N: D^-1/2 v for all v with singular value zero, N'M N = 1               (2)
 *
 *     constrained  C: D^-1/2 v for the others, C'M N = 0, C'M C = 1                        (3)
 *
 *     velocity     v = v_a + v_c,   v_a = N N'M v,   v_c = v - v_a                         (4)
 *
 * Where constraints depend on time, Phi_q v = -Phi_t is what v_a satisfies: the smallest velocity
 * that does so, v_p in the span of C, goes from v_c to v_a. Left singular vectors with singular
 * value zero are the states of self-stress, from which branches.c finds the motions that go on. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TOLERANCE = 1e-6; ///< what counts as zero unless given

struct sari_subspaces {
    sari_arena memory;
    sari_system* sys;
    int n, m, k; ///< k = min(n, m)
    double *A, *sigma, *U, *V, *work;
    double* right;  ///< [n][n] right singular vectors, all of them
    double* left;   ///< [m][m] left ones
    double* N;      ///< [dof][n], (2)
    double* C;      ///< [rank][n], (3)
    double* D;      ///< [n]
    double* moment; ///< [n] M times a vector
    double *v_a, *v_c, *v_p, *share, *solve;
    sari_branches found;
    sar_branch branch[SARI_BRANCHES_MOST];
    double* basis; ///< of the branches, one after the other
};

void sari_subspaces_destroy(sari_subspaces* p)
{
    if (!p) return;
    sari_arena_clear(&p->memory);
    sari_release(p);
}

static sari_subspaces* create(sari_system* sys)
{
    enum { DOF = SARI_BRANCHES_DOF, MOST = SARI_BRANCHES_MOST };
    sari_subspaces* p = SARI_NEW(sari_subspaces);
    if (!p) return NULL;
    int n = p->n = sys->nq, m = p->m = sys->nc, k = p->k = m < n ? m : n;
    p->sys = sys;
    p->A = SARI_TAKE(&p->memory, double, m* n);
    p->sigma = SARI_TAKE(&p->memory, double, k);
    p->U = SARI_TAKE(&p->memory, double, m* k);
    p->V = SARI_TAKE(&p->memory, double, n* k);
    p->work = SARI_TAKE(&p->memory, double, sari_svd_workspace(m, n));
    p->right = SARI_TAKE(&p->memory, double, n* n);
    p->left = SARI_TAKE(&p->memory, double, m* m);
    p->N = SARI_TAKE(&p->memory, double, n* n);
    p->C = SARI_TAKE(&p->memory, double, n* n);
    p->D = SARI_TAKE(&p->memory, double, n);
    p->moment = SARI_TAKE(&p->memory, double, n);
    p->v_a = SARI_TAKE(&p->memory, double, n);
    p->v_c = SARI_TAKE(&p->memory, double, n);
    p->v_p = SARI_TAKE(&p->memory, double, n);
    p->share = SARI_TAKE(&p->memory, double, n);
    p->solve = SARI_TAKE(&p->memory, double, MOST*(MOST + 1));
    p->basis = SARI_TAKE(&p->memory, double, (size_t)MOST* DOF* n + (size_t)n * n);
    p->found.basis = SARI_TAKE(&p->memory, double, MOST* DOF* DOF);
    p->found.dimension = SARI_TAKE(&p->memory, int, MOST);
    if (!p->memory.failed) return p;
    sari_subspaces_destroy(p);
    return NULL;
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* Columns of a row-major matrix become vectors; orthonormal ones, found among the axes, fill up
 * what is missing to `count`. */
static void complete(int size, int have, const double* columns, int count, double* vectors)
{
    for (int j = 0; j < have; j++)
        for (int i = 0; i < size; i++) vectors[j * size + i] = columns[i * have + j];
    for (int j = have, axis = 0; j < count; axis++) {
        double* x = vectors + j * size;
        memset(x, 0, (size_t)size * sizeof *x);
        x[axis % size] = 1.0;
        sari_vector_deflate(size, j, vectors, x);
        double length = sari_vector_norm(size, x);
        // some axis keeps this much; in a second round anything that is not rounding will do
        if (length < (axis < size ? sqrt((size - j) / (2.0 * size)) : 1e-6)) continue;
        for (int i = 0; i < size; i++) x[i] /= length;
        j++;
    }
}

/* x'M y, with M y in p->moment afterwards. */
static double mass_product(sari_subspaces* p, const double* x, const double* y)
{
    sari_sym_multiply(&p->sys->M, p->sys->M.x, y, p->moment);
    return sari_vector_dot(p->n, x, p->moment);
}

/* x -= sum_j b_j (b_j'M x), twice. */
static void remove_parts(sari_subspaces* p, const double* vectors, int count, double* x)
{
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < count; j++)
            sari_vector_add(p->n, -mass_product(p, vectors + j * p->n, x), vectors + j * p->n, x);
}

/* ---- the two subspaces ---------------------------------------------------------------------- */

/* A coordinate without mass weighs as much as the heaviest, as in the monitor. */
static void fill_D(sari_subspaces* p)
{
    const sari_sym* M = &p->sys->M;
    double heaviest = 0.0;
    for (int i = 0; i < p->n; i++) heaviest = fmax(heaviest, M->x[M->p[i]]);
    for (int i = 0; i < p->n; i++) {
        double mass = M->x[M->p[i]];
        p->D[i] = mass > 1e-9 * heaviest ? mass : heaviest > 0.0 ? heaviest : 1.0;
    }
}

static int decompose(sari_subspaces* p, double tolerance) // (1)
{
    const sari_csr* J = &p->sys->Phi_q;
    int rank = 0;
    fill_D(p);
    memset(p->A, 0, (size_t)p->m * (size_t)p->n * sizeof *p->A);
    for (int r = 0; r < p->m; r++)
        for (int e = J->p[r]; e < J->p[r + 1]; e++)
            p->A[p->n * r + J->i[e]] = J->x[e] / sqrt(p->D[J->i[e]]);
    if (p->k > 0) sari_svd(p->m, p->n, p->A, p->sigma, p->U, p->V, p->work);
    while (rank < p->k && p->sigma[rank] > tolerance * p->sigma[0]) rank++;
    complete(p->n, p->k, p->V, p->n, p->right);
    complete(p->m, p->k, p->U, p->m, p->left);
    return rank;
}

static void unscale(const sari_subspaces* p, const double* y, double* x)
{
    for (int i = 0; i < p->n; i++) x[i] = y[i] / sqrt(p->D[i]);
}

/* SAR_R_SINGULAR: one of them, `*massless`, has no mass. */
static sar_status fill_admissible(sari_subspaces* p, int rank, int* massless) // (2)
{
    for (int j = 0; j < p->n - rank; j++) {
        double* x = p->N + j * p->n;
        unscale(p, p->right + (rank + j) * p->n, x);
        *massless = j;
        double before = mass_product(p, x, x);
        remove_parts(p, p->N, j, x);
        double square = mass_product(p, x, x);
        if (!(square > 1e-12 * fmax(before, 1.0))) return SAR_R_SINGULAR;
        for (int i = 0; i < p->n; i++) x[i] /= sqrt(square);
    }
    return SAR_OK;
}

/* A constrained velocity may be without mass: there is a floor under its norm, or it would have no
 * length. */
static void fill_constrained(sari_subspaces* p, int rank) // (3)
{
    for (int j = 0; j < rank; j++) {
        double *x = p->C + j * p->n, floor = 0.0;
        unscale(p, p->right + j * p->n, x);
        remove_parts(p, p->N, p->n - rank, x);
        remove_parts(p, p->C, j, x);
        for (int i = 0; i < p->n; i++) floor += 1e-9 * p->D[i] * x[i] * x[i];
        double length = sqrt(fmax(mass_product(p, x, x), floor));
        for (int i = 0; i < p->n && length > 0.0; i++) x[i] /= length;
    }
}

/* v_p = D^-1/2 V S^-1 U' (-Phi_t), without its part along N */
static void fill_driven(sari_subspaces* p, int rank)
{
    memset(p->v_p, 0, (size_t)p->n * sizeof *p->v_p);
    if (!p->sys->rheonomic) return;
    for (int j = 0; j < rank; j++) {
        double f = -sari_vector_dot(p->m, p->left + j * p->m, p->sys->Phi_t) / p->sigma[j];
        for (int i = 0; i < p->n; i++) p->v_p[i] += f * p->right[j * p->n + i] / sqrt(p->D[i]);
    }
    remove_parts(p, p->N, p->n - rank, p->v_p);
}

static void split_velocity(sari_subspaces* p, const double* v, int dof) // (4)
{
    memcpy(p->v_a, p->v_p, (size_t)p->n * sizeof *v);
    for (int j = 0; j < dof; j++) {
        p->share[j] = mass_product(p, p->N + j * p->n, v);
        sari_vector_add(p->n, p->share[j], p->N + j * p->n, p->v_a);
    }
    for (int i = 0; i < p->n; i++) p->v_c[i] = v[i] - p->v_a[i];
}

/* ---- motions without mass ------------------------------------------------------------------- */

static void add_body(char* names, size_t size, const char* name)
{
    const size_t used = strlen(names);
    if (used + strlen(name) + 6 < size)
        snprintf(names + used, size - used, "%s\"%s\"", used ? ", " : "", name);
}

int sari_name_moving(const sar_simulation* s, const double* v, char* names, size_t size)
{
    double most = 0.0, velocity[3], angular[3];
    int found = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int b = 1; b < s->model->bodies_count; b++) {
            sari_observation_velocity(&s->seen, v, b, velocity, angular);
            const double speed = fmax(sari_norm3(velocity), sari_norm3(angular));
            if (pass == 0) most = fmax(most, speed);
            if (pass == 0 || !(speed > 1e-3 * most)) continue;
            add_body(names, size, s->model->bodies[b].name);
            found++;
        }
    return found;
}

/* Do forces depend on a motion: n'Kn or n'Cn, beside the largest of its terms? */
static int is_held_by_forces(sari_system* sys, const sari_state* x, const double* n)
{
    const double ROUNDING = 1e-12;
    double k = 0.0, c = 0.0, most_k = 0.0, most_c = 0.0;
    if (sari_equations_eval(&sys->equations, SARI_EVAL_TANGENT, x->t, x->q, x->v) != SAR_OK)
        return 0;
    for (int i = 0; i < sys->nq; i++)
        for (int e = sys->K.p[i]; e < sys->K.p[i + 1]; e++) {
            const double of_k = n[i] * sys->K.x[e] * n[sys->K.i[e]],
                         of_c = n[i] * sys->C.x[e] * n[sys->C.i[e]];
            k += of_k, most_k = fmax(most_k, fabs(of_k));
            c += of_c, most_c = fmax(most_c, fabs(of_c));
        }
    return fabs(k) > ROUNDING * most_k || fabs(c) > ROUNDING * most_c;
}

int sari_massless_bodies(sar_simulation* s, char* names, size_t size, int* held)
{
    sari_system* sys = s->system;
    const sari_state* x = &s->state;
    names[0] = 0;
    if (sys->nq == 0 || sys->nq > SAR_SUBSPACES_MAX || sys->nc > SAR_SUBSPACES_MAX) return 0;
    if (!s->subspaces) s->subspaces = create(sys);
    if (!s->subspaces) return 0;
    sari_subspaces* p = s->subspaces;
    if (sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, x->t, x->q,
                            x->v) != SAR_OK)
        return 0;
    for (int i = 0; i < sys->nq; i++)
        if (!isfinite(sys->M.x[sys->M.p[i]]) || !isfinite(x->q[i])) return 0;
    const int rank = decompose(p, TOLERANCE);
    int massless;
    if (fill_admissible(p, rank, &massless) == SAR_OK) return 0;
    const double* n = p->N + massless * p->n;
    *held = is_held_by_forces(sys, x, n);
    return sari_name_moving(s, n, names, size);
}

/* ---- branches ------------------------------------------------------------------------------- */

/* Coefficients z in a B = share, where the branches are the rows of B: Gauss, columns pivoted. */
static int solve_etas(sari_subspaces* p, int dof)
{
    double* a = p->solve; // rows: equations; last column: right-hand side
    int w = dof + 1;
    for (int i = 0; i < dof; i++) {
        for (int b = 0; b < dof; b++) a[w * i + b] = p->found.basis[dof * dof * b + i];
        a[w * i + dof] = p->share[i];
    }
    for (int c = 0; c < dof; c++) {
        int best = c;
        for (int r = c + 1; r < dof; r++)
            if (fabs(a[w * r + c]) > fabs(a[w * best + c])) best = r;
        if (fabs(a[w * best + c]) < 1e-6) return 0; // the branches are no basis
        for (int k = 0; k < w; k++) {
            double swap = a[w * c + k];
            a[w * c + k] = a[w * best + k], a[w * best + k] = swap;
        }
        for (int r = 0; r < dof; r++) {
            double f = r == c ? 0.0 : a[w * r + c] / a[w * c + c];
            for (int k = c; k < w && f != 0.0; k++) a[w * r + k] -= f * a[w * c + k];
        }
    }
    for (int b = 0; b < dof; b++) p->branch[b].eta = a[w * b + dof] / a[w * b + b];
    return 1;
}

static void sort_branches(sari_subspaces* p, int count)
{
    for (int a = 1; a < count; a++)
        for (int b = a; b > 0 && p->branch[b].share > p->branch[b - 1].share; b--) {
            sar_branch swap = p->branch[b];
            p->branch[b] = p->branch[b - 1], p->branch[b - 1] = swap;
        }
}

/* From coefficients to velocities, with the share of the present one. */
static void fill_branches(sari_subspaces* p, int dof)
{
    double *next = p->basis, speed = sqrt(sari_vector_dot(dof, p->share, p->share));
    int lines = p->found.count == dof && dof <= SARI_BRANCHES_MOST;
    for (int b = 0; b < p->found.count; b++) {
        sar_branch* branch = &p->branch[b];
        double part = 0.0;
        *branch = (sar_branch){.dimension = p->found.dimension[b], .basis = next, .eta = NAN};
        lines = lines && branch->dimension == 1;
        for (int j = 0; j < branch->dimension; j++, next += p->n) {
            const double* z = p->found.basis + dof * dof * b + dof * j;
            memset(next, 0, (size_t)p->n * sizeof *next);
            for (int i = 0; i < dof; i++) sari_vector_add(p->n, z[i], p->N + i * p->n, next);
            double along = sari_vector_dot(dof, z, p->share);
            part += along * along;
        }
        branch->share = speed > 0.0 ? fmin(1.0, sqrt(part) / speed) : NAN;
    }
    if (lines) (void)solve_etas(p, dof);
    sort_branches(p, p->found.count);
}

/* One branch, which is all of the admissible subspace. */
static void one_branch(sari_subspaces* p, int dof)
{
    p->found.count = 1;
    p->branch[0] = (sar_branch){.dimension = dof, .basis = p->N, .eta = NAN};
    p->branch[0].share = sari_vector_dot(dof, p->share, p->share) > 0.0 ? 1.0 : NAN;
    if (dof == 1) p->branch[0].eta = p->share[0];
}

static sar_status find_branches(sari_subspaces* p, const sari_state* x, int rank, double tolerance)
{
    int dof = p->n - rank, stresses = p->m - rank;
    p->found.singular = 0;
    p->found.count = -1;
    if (stresses == 0 || dof == 0) {
        one_branch(p, dof);
        return SAR_OK;
    }
    if (p->sys->rheonomic || dof > SARI_BRANCHES_DOF) return SAR_OK; // not resolved
    SARI_TRY(sari_branches_find(p->sys, x->t, x->q, dof, p->N, stresses, p->left + rank * p->m,
                                tolerance, &p->found));
    if (!p->found.singular)
        one_branch(p, dof);
    else
        fill_branches(p, dof);
    return SAR_OK;
}

/* Vectors of length one in the model's units have length `root` in the user's. */
static void make_orthonormal_in_user_units(sari_subspaces* p, int rank, double root)
{
    const int dof = p->n - rank;
    if (root == 1.0) return;
    for (int i = 0; i < dof * p->n; i++) p->N[i] /= root;
    for (int i = 0; i < rank * p->n; i++) p->C[i] /= root;
    for (int k = 0; k < p->found.count; k++) {
        double* basis = (double*)(uintptr_t)p->branch[k].basis;
        for (int i = 0; basis != p->N && i < p->branch[k].dimension * p->n; i++) basis[i] /= root;
        p->branch[k].eta *= root;
    }
}

sar_status sar_simulation_subspaces(sar_simulation* s, double tolerance, sar_subspaces* out)
{
    memset(out, 0, sizeof *out);
    const sari_state* x = &s->state;
    if (!s->assembled || s->system->nq > SAR_SUBSPACES_MAX || s->system->nc > SAR_SUBSPACES_MAX)
        return SAR_E_ARG;
    if (!s->subspaces) s->subspaces = create(s->system);
    if (!s->subspaces) return SAR_E_NOMEM;
    sari_subspaces* p = s->subspaces;
    tolerance = tolerance > 0.0 ? tolerance : TOLERANCE;
    SARI_TRY(sari_equations_eval(&s->system->equations,
                                 SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS, x->t, x->q,
                                 x->v));
    int rank = decompose(p, tolerance), dof = p->n - rank;
    int massless;
    SARI_TRY(fill_admissible(p, rank, &massless));
    fill_constrained(p, rank);
    fill_driven(p, rank);
    split_velocity(p, x->v, dof);
    const double unit = sari_unit_of_energy(&s->units);
    out->admissible_energy = 0.5 * unit * mass_product(p, p->v_a, p->v_a);
    out->constrained_energy = 0.5 * unit * mass_product(p, p->v_c, p->v_c);
    SARI_TRY(find_branches(p, x, rank, tolerance));
    SARI_TRY(sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, x->t, x->q,
                                 x->v)); // as it was found
    out->coordinates = p->n, out->constraints = p->m, out->rank = rank, out->dof = dof;
    out->singular_values = p->k, out->singular_value = p->sigma;
    out->admissible = p->N, out->constrained = p->C;
    out->admissible_part = p->v_a, out->constrained_part = p->v_c;
    out->singular = p->found.singular;
    out->branches = p->found.count, out->branch = p->branch;
    make_orthonormal_in_user_units(p, rank, sqrt(unit));
    return SAR_OK;
}
