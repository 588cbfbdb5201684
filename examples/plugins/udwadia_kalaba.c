/* The equation of Udwadia and Kalaba as a formulation for Sarrus:
 *
 *     a = a0 + M^-1/2 (Phi_q M^-1/2)^+ (-bias - Phi_q a0),   a0 = M^-1 Q                        (1)
 *
 * the accelerations nearest to the free ones, by the mass, that the constraints allow [udwadia1992]. With
 * M = L L' and B = Phi_q L'^-1 the pseudo-inverse of B is found from its Gram matrix, redundant rows included:
 *
 *     lambda = -(B B')^+ (-bias - Phi_q a0),   a = a0 - M^-1 Phi_q' lambda                      (2)
 *
 *     cc -O2 -fPIC -shared udwadia_kalaba.c $(pkg-config --cflags sarrus) -lm -o udwadia_kalaba.so
 *     sarrus run four-bar --plugin ./udwadia_kalaba.so --formulation udwadia-kalaba --integrator rk4 --step 1e-3
 */
#include <sarrus/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct method {
    int n, m;
    double *L, *B, *G, *x, *r; ///< n x n, m x n, m x m, n, m
    int* used;
} method;

static void destroy(void* self)
{
    method* s = self;
    free(s->L), free(s->B), free(s->G), free(s->x), free(s->r), free(s->used), free(s);
}

static sar_status create(void* context, const sar_equations_size* size, const sar_options* options,
                         void** self, char* why, size_t room)
{
    (void)context, (void)options;
    method* s = calloc(1, sizeof *s);
    const size_t n = (size_t)size->velocities, m = (size_t)size->constraints + 1;
    if (!s) return SAR_E_NOMEM;
    s->n = size->velocities, s->m = size->constraints;
    s->L = calloc(n * n, sizeof(double)), s->B = calloc(m * n, sizeof(double));
    s->G = calloc(m * m, sizeof(double)), s->x = calloc(n, sizeof(double));
    s->r = calloc(m, sizeof(double)), s->used = calloc(m, sizeof(int));
    *self = s;
    if (s->L && s->B && s->G && s->x && s->r && s->used) return SAR_OK;
    snprintf(why, room, "out of memory");
    destroy(s);
    *self = NULL;
    return SAR_E_NOMEM;
}

/* M = L L' */
static int factor_mass(method* s, const sar_csr* M)
{
    const int n = s->n;
    memset(s->L, 0, (size_t)n * (size_t)n * sizeof *s->L);
    for (int i = 0; i < n; i++)
        for (int k = M->start[i]; k < M->start[i + 1]; k++)
            if (M->column[k] <= i) s->L[i * n + M->column[k]] = M->value[k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = s->L[i * n + j];
            for (int k = 0; k < j; k++) sum -= s->L[i * n + k] * s->L[j * n + k];
            if (i == j && !(sum > 0.0)) return 0;
            s->L[i * n + j] = i == j ? sqrt(sum) : sum / s->L[j * n + j];
        }
    return 1;
}

/* x = L^-1 x, and x = L'^-1 x */
static void forward(const method* s, double* x)
{
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < i; k++) x[i] -= s->L[i * s->n + k] * x[k];
        x[i] /= s->L[i * s->n + i];
    }
}

static void back(const method* s, double* x)
{
    for (int i = s->n - 1; i >= 0; i--) {
        for (int k = i + 1; k < s->n; k++) x[i] -= s->L[k * s->n + i] * x[k];
        x[i] /= s->L[i * s->n + i];
    }
}

/* A solution of G x = r for a positive semi-definite G: rows whose pivot is rounding are redundant, and have
 * no multiplier. In place, by Gauss-Jordan elimination with the largest pivots. */
static void solve_consistent(method* s)
{
    const int m = s->m;
    double largest = 0.0;
    for (int i = 0; i < m; i++) largest = fmax(largest, s->G[i * m + i]), s->used[i] = 0;
    for (int step = 0; step < m; step++) {
        int p = -1;
        for (int i = 0; i < m; i++)
            if (!s->used[i] && (p < 0 || s->G[i * m + i] > s->G[p * m + p])) p = i;
        if (s->G[p * m + p] <= 1e-12 * largest) break;
        s->used[p] = 1;
        for (int i = 0; i < m; i++) {
            const double f = i == p ? 0.0 : s->G[i * m + p] / s->G[p * m + p];
            for (int k = 0; k < m && f != 0.0; k++) s->G[i * m + k] -= f * s->G[p * m + k];
            s->r[i] -= f * s->r[p];
        }
    }
    for (int i = 0; i < m; i++) s->r[i] = s->used[i] ? s->r[i] / s->G[i * m + i] : 0.0;
}

static sar_status accelerations(void* self, const sar_equations_view* at, double* a, double* lambda,
                                char* why, size_t room)
{
    method* s = self;
    const int n = s->n, m = s->m;
    const sar_csr* P = &at->Phi_q;
    if (!factor_mass(s, &at->M)) {
        snprintf(why, room, "the mass matrix is not positive definite");
        return SAR_E_INCOMPAT;
    }
    memcpy(a, at->Q, (size_t)n * sizeof *a);
    forward(s, a), back(s, a); // a0
    memset(s->B, 0, (size_t)m * (size_t)n * sizeof *s->B);
    for (int i = 0; i < m; i++) {
        s->r[i] = -at->bias[i];
        for (int k = P->start[i]; k < P->start[i + 1]; k++) {
            s->B[i * n + P->column[k]] = P->value[k];
            s->r[i] -= P->value[k] * a[P->column[k]];
        }
        forward(s, s->B + i * n); // a row of Phi_q L'^-1
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            s->G[i * m + j] = 0.0;
            for (int k = 0; k < n; k++) s->G[i * m + j] += s->B[i * n + k] * s->B[j * n + k];
        }
    solve_consistent(s);
    for (int i = 0; i < m; i++) lambda[i] = -s->r[i];
    memset(s->x, 0, (size_t)n * sizeof *s->x);
    for (int i = 0; i < m; i++) // (2)
        for (int k = P->start[i]; k < P->start[i + 1]; k++)
            s->x[P->column[k]] += P->value[k] * s->r[i];
    forward(s, s->x), back(s, s->x);
    for (int k = 0; k < n; k++) a[k] += s->x[k];
    return SAR_OK;
}

/* ---- an integrator beside it: Heun's method ---------------------------------------------------- */

typedef struct heun {
    double *y, *f;
} heun;

static sar_status heun_create(void* context, int count, const sar_options* options, void** self,
                              char* why, size_t room)
{
    (void)context, (void)options, (void)why, (void)room;
    heun* h = calloc(1, sizeof *h);
    if (h)
        h->y = calloc((size_t)count, sizeof(double)), h->f = calloc((size_t)count, sizeof(double));
    *self = h;
    return h && h->y && h->f ? SAR_OK : SAR_E_NOMEM;
}

static void heun_destroy(void* self)
{
    heun* h = self;
    free(h->y), free(h->f), free(h);
}

static sar_status heun_step(void* self, double t, double h, int count, double* y,
                            const double* ydot, const sar_rates* rates)
{
    heun* s = self;
    for (int k = 0; k < count; k++) s->y[k] = y[k] + h * ydot[k];
    const sar_status st = rates->evaluate(rates, t + h, s->y, s->f);
    for (int k = 0; k < count; k++) y[k] += h / 2 * (ydot[k] + s->f[k]);
    return st;
}

static const sar_plugin_formulation forms[] = {{
    .name = "udwadia-kalaba",
    .text = "accelerations nearest to the free ones that the constraints allow; no stabilisation",
    .create = create,
    .destroy = destroy,
    .accelerations = accelerations,
}};

static const sar_plugin_integrator rules[] = {{
    .name = "heun",
    .text = "Heun's method, fixed step; order 2",
    .order = 2,
    .create = heun_create,
    .destroy = heun_destroy,
    .step = heun_step,
}};

SAR_PLUGIN_EXPORT const sar_plugin sarrus_plugin = {
    .version = SAR_PLUGIN_VERSION,
    .name = "udwadia-kalaba",
    .formulations = forms,
    .formulation_count = 1,
    .integrators = rules,
    .integrator_count = 1,
};
