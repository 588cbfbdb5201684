/* L D L' for n = 1..9, one copy of the code per size: the matrix then lives in registers and no
 * loop remains. Measured, factor + solve, against the tiles of dense_tiles.c: 85 against 153 ns at
 * n = 7, 144 against 219 ns at n = 9; at n = 11 the tiles win. */
#include "solvers/dense_kernels.h"
#include "solvers/inline.h"

// Right-looking. a_ij -= (u_ik u_jk) / d_k in this order, since the reciprocal arrives last.
SARI_INLINE void factor_fixed(const int n, sari_dense* s, double* restrict a)
{
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k; i < n; i++) a[k * n + i] = s->A[k * n + i];
    }
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        double d = a[k * n + k];
        if (!sari_pivot_usable(d, s->A[k * n + k])) d = sari_pivot_replace(&s->watch, k);
        double inverse = 1 / d;
        s->d[k] = d;
        s->inverse[k] = inverse;
        SARI_UNROLL for (int j = k + 1; j < n; j++)
        {
            SARI_UNROLL for (int i = j; i < n; i++) a[j * n + i] -=
                a[k * n + i] * a[k * n + j] * inverse;
        }
        SARI_UNROLL for (int i = k + 1; i < n; i++) a[k * n + i] *= inverse;
    }
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k + 1; i < n; i++) s->A[k * n + i] = a[k * n + i];
    }
}

SARI_INLINE void solve_fixed(const int n, const double* restrict L, const double* restrict inverse,
                             double* restrict y)
{
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k + 1; i < n; i++) y[i] -= L[k * n + i] * y[k];
    }
    SARI_UNROLL for (int k = 0; k < n; k++) y[k] *= inverse[k];
    SARI_UNROLL for (int k = n - 1; k > 0; k--)
    {
        SARI_UNROLL for (int i = k - 1; i >= 0; i--) y[i] -= L[i * n + k] * y[k];
    }
}

/* The kernels for S = B + c J'J take a row of J as BLOCKS(n) vectors of four, padded by zeros. */
#define BLOCKS(n) (((n) + 3) / 4)

/* A = B + c J'J. The columns of B are read past their end, never used there. */
SARI_INLINE void assemble(const int n, double* restrict A, const double* restrict B,
                          const double* restrict J, int m, double c)
{
    sari_vec4 a[SARI_DENSE_SMALL][BLOCKS(SARI_DENSE_SMALL)];
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int b = k / 4; b < BLOCKS(n); b++) a[k][b] =
            SARI_CONST_VEC(B + k * n + 4 * b);
    }
    for (int r = 0; r < m; r++, J += 4 * BLOCKS(n)) {
        SARI_UNROLL for (int k = 0; k < n; k++)
        {
            const double cJ = c * J[k];
            SARI_UNROLL for (int b = k / 4; b < BLOCKS(n); b++) a[k][b] +=
                cJ * SARI_CONST_VEC(J + 4 * b);
        }
    }
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k; i < n; i++) A[k * n + i] = a[k][i / 4][i % 4];
    }
}

SARI_INLINE double dot(const int n, const double* restrict J, const double* restrict x)
{
    double sum = J[0] * x[0];
    SARI_UNROLL for (int i = 1; i < n; i++) sum += J[i] * x[i];
    return sum;
}

/* y -= force J_r */
SARI_INLINE void subtract(const int n, double force, const double* restrict J, sari_vec4* y)
{
    SARI_UNROLL for (int b = 0; b < BLOCKS(n); b++) y[b] -= force * SARI_CONST_VEC(J + 4 * b);
}

SARI_INLINE void solve_normal(const int n, const sari_dense* s, const double* restrict J, int m,
                              double c, const double* f, const double* g, double* x, double* mu)
{
    const int stride = 4 * BLOCKS(n);
    sari_vec4 v[BLOCKS(SARI_DENSE_SMALL)] = {0};
    double y[SARI_DENSE_SMALL];
    for (int r = 0; r < m; r++)
        subtract(n, (mu ? mu[r] : 0) - (g ? c * g[r] : 0), J + r * stride, v);
    SARI_UNROLL for (int i = 0; i < n; i++) y[i] = f[i] + v[i / 4][i % 4];
    solve_fixed(n, s->A, s->inverse, y);
    for (int r = 0; mu && r < m; r++) mu[r] += c * (dot(n, J + r * stride, y) - (g ? g[r] : 0));
    SARI_UNROLL for (int i = 0; i < n; i++) x[i] = y[i];
}

SARI_INLINE void add_normal(const int n, const sari_dense* s, const double* restrict J, int m,
                            double c, const double* restrict d, double* restrict x)
{
    sari_vec4 v[BLOCKS(SARI_DENSE_SMALL)] = {0};
    double y[SARI_DENSE_SMALL];
    for (int r = 0; r < m; r++) subtract(n, -c * d[r], J + r * 4 * BLOCKS(n), v);
    SARI_UNROLL for (int i = 0; i < n; i++) y[i] = v[i / 4][i % 4];
    solve_fixed(n, s->A, s->inverse, y);
    SARI_UNROLL for (int i = 0; i < n; i++) x[i] += y[i];
}

SARI_INLINE void multiply(const int n, const double* restrict B, const double* restrict x,
                          double* restrict y)
{
    SARI_UNROLL for (int i = 0; i < n; i++)
    {
        double sum = B[i] * x[0];
        SARI_UNROLL for (int k = 1; k < n; k++) sum += B[k < i ? k * n + i : i * n + k] * x[k];
        y[i] = sum;
    }
}

#define SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)

#define FIXED(n)                                                                                   \
    static void factor_##n(sari_dense* s)                                                          \
    {                                                                                              \
        double a[n * n];                                                                           \
        factor_fixed(n, s, a);                                                                     \
    }                                                                                              \
    static void solve_##n(const sari_dense* s, double* b)                                          \
    {                                                                                              \
        double y[n];                                                                               \
        SARI_UNROLL for (int k = 0; k < n; k++) y[k] = b[k];                                       \
        solve_fixed(n, s->A, s->inverse, y);                                                       \
        SARI_UNROLL for (int k = 0; k < n; k++) b[k] = y[k];                                       \
    }                                                                                              \
    static sar_status normal_factor_##n(void* self, const double* B, const double* J, int m,       \
                                        double c)                                                  \
    {                                                                                              \
        sari_dense* s = self;                                                                      \
        double a[n * n];                                                                           \
        sari_pivot_watch_start(&s->watch, s->A);                                                   \
        assemble(n, s->A, B, J, m, c);                                                             \
        factor_fixed(n, s, a);                                                                     \
        return s->watch.zeros ? SAR_R_SINGULAR : SAR_OK;                                           \
    }                                                                                              \
    static void normal_solve_##n(const void* self, const double* J, int m, double c,               \
                                 const double* f, const double* g, double* x, double* mu)          \
    {                                                                                              \
        solve_normal(n, self, J, m, c, f, g, x, mu);                                               \
    }                                                                                              \
    static void add_normal_##n(const void* self, const double* J, int m, double c,                 \
                               const double* d, double* x)                                         \
    {                                                                                              \
        add_normal(n, self, J, m, c, d, x);                                                        \
    }                                                                                              \
    static void multiply_##n(const double* B, const double* x, double* y)                          \
    {                                                                                              \
        multiply(n, B, x, y);                                                                      \
    }
SIZES(FIXED)

void (*sari_dense_factor_small(int n))(sari_dense*)
{
#define ENTRY(n) [n] = factor_##n,
    static void (*const kernel[])(sari_dense*) = {SIZES(ENTRY)};
#undef ENTRY
    return kernel[n];
}

void (*sari_dense_solve_small(int n))(const sari_dense*, double*)
{
#define ENTRY(n) [n] = solve_##n,
    static void (*const kernel[])(const sari_dense*, double*) = {SIZES(ENTRY)};
#undef ENTRY
    return kernel[n];
}

const sari_normal_kernels* sari_dense_normal(int n)
{
#define ENTRY(n)                                                                                   \
    [n] = {4 * BLOCKS(n), 4, normal_factor_##n, normal_solve_##n, add_normal_##n, multiply_##n},
    static const sari_normal_kernels kernels[] = {SIZES(ENTRY)};
#undef ENTRY
    return &kernels[n];
}
