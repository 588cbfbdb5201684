#include "linalg/matrix_roots.h"
#include "linalg/elimination.h"

#include <math.h>
#include <string.h>

void sari_matrix_roots_take(sari_matrix_roots* m, sari_arena* memory, int most)
{
    const size_t square = (size_t)most * (size_t)most;
    m->most = most;
    for (int j = 0; j < SARI_ROOT_NODES; j++) m->value[j] = SARI_TAKE(memory, double, square);
    m->F = SARI_TAKE(memory, double, square);
    m->F1 = SARI_TAKE(memory, double, square);
    m->F2 = SARI_TAKE(memory, double, square);
    m->root = SARI_TAKE(memory, double, most + SARI_ROOTS_MORE);
}

/* -cos(pi (node + 1/2) / 10) */
static const double NODE[SARI_ROOT_NODES] = {
    -0.98768834059513777, -0.89100652418836787, -0.70710678118654752, -0.45399049973954675,
    -0.15643446504023087, 0.15643446504023087,  0.45399049973954675,  0.70710678118654752,
    0.89100652418836787,  0.98768834059513777};

double sari_root_node(int node)
{
    return NODE[node];
}

/* Newton's divided differences take the places of the values. */
static void divide_differences(sari_matrix_roots* m)
{
    const int count = m->size * m->size;
    for (int j = 1; j < SARI_ROOT_NODES; j++)
        for (int i = SARI_ROOT_NODES - 1; i >= j; i--) {
            const double apart = NODE[i] - NODE[i - j];
            for (int k = 0; k < count; k++)
                m->value[i][k] = (m->value[i][k] - m->value[i - 1][k]) / apart;
        }
}

/* F and its first two derivatives at x, by Horner's rule. */
static void evaluate(sari_matrix_roots* m, double x)
{
    const int count = m->size * m->size;
    memcpy(m->F, m->value[SARI_ROOT_NODES - 1], (size_t)count * sizeof(double));
    memset(m->F1, 0, (size_t)count * sizeof(double));
    memset(m->F2, 0, (size_t)count * sizeof(double));
    for (int j = SARI_ROOT_NODES - 2; j >= 0; j--) {
        const double away = x - NODE[j];
        for (int k = 0; k < count; k++) {
            m->F2[k] = m->F2[k] * away + 2.0 * m->F1[k];
            m->F1[k] = m->F1[k] * away + m->F[k];
            m->F[k] = m->F[k] * away + m->value[j][k];
        }
    }
}

/* G and H, without the zeros that are known. 0: x is a zero. */
static int logarithmic(sari_matrix_roots* m, double x, int known, double* G, double* H)
{
    const int n = m->size;
    double* const all[] = {m->F, m->F1, m->F2};
    evaluate(m, x);
    if (sari_divide(n, 3, all, 0.0) > 0) return 0; // F^-1 F' and F^-1 F''
    *G = *H = 0.0;
    for (int i = 0; i < n; i++) {
        *G += m->F1[i * n + i];
        *H -= m->F2[i * n + i];
        for (int j = 0; j < n; j++) *H += m->F1[i * n + j] * m->F1[j * n + i];
    }
    for (int k = 0; k < known; k++) {
        const double away = x - m->root[k];
        if (away == 0.0) return 0;
        *G -= 1.0 / away;
        *H -= 1.0 / (away * away);
    }
    return 1;
}

/* Laguerre's method from x. NaN: it does not converge, or leads far away. */
static double follow(sari_matrix_roots* m, double x, int known)
{
    enum { ROUNDS = 60 };
    const double SMALL = 1e-11, FAR = 4.0;
    const int degree = m->size + SARI_ROOTS_MORE - known;
    for (int k = 0; k < ROUNDS; k++) {
        double G, H;
        if (!logarithmic(m, x, known, &G, &H)) return x;
        const double root = sqrt(fmax(0.0, (degree - 1) * (degree * H - G * G)));
        const double slope = G + copysign(root, G);
        if (slope == 0.0 || !isfinite(slope)) return NAN;
        const double step = degree / slope;
        x -= step;
        if (!(fabs(x) < FAR)) return NAN;
        if (fabs(step) < SMALL) return x;
    }
    return NAN;
}

/* Pivots of F, each the largest that is left, that are as small as F gets so near to a zero. */
int sari_matrix_roots_lost(sari_matrix_roots* m, double x, double apart)
{
    const int n = m->size;
    double* F = m->F;
    double steepest = 0.0;
    evaluate(m, x);
    for (int i = 0; i < n * n; i++) steepest = fmax(steepest, fabs(m->F1[i]) + fabs(m->F2[i]));
    for (int k = 0; k < n; k++) {
        int row = k, column = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(F[i * n + j]) > fabs(F[row * n + column])) row = i, column = j;
        if (!(fabs(F[row * n + column]) > apart * steepest)) return n - k;
        sari_swap_rows(n, F + k * n, F + row * n);
        for (int i = 0; i < n; i++) {
            const double keep = F[i * n + k];
            F[i * n + k] = F[i * n + column];
            F[i * n + column] = keep;
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = F[i * n + k] / F[k * n + k];
            for (int j = k; j < n; j++) F[i * n + j] -= factor * F[k * n + j];
        }
    }
    return 0;
}

/* Does |det F| fall at x? */
static int falls(sari_matrix_roots* m, double x)
{
    double G, H;
    return !logarithmic(m, x, 0, &G, &H) || G < 0.0;
}

/* The least |det F| between two places, at the first of which it falls and at the second not. */
static double least_between(sari_matrix_roots* m, double a, double b)
{
    const double CLOSE = 1e-9;
    while (b - a > CLOSE) {
        const double middle = 0.5 * (a + b);
        if (falls(m, middle))
            a = middle;
        else
            b = middle;
    }
    return 0.5 * (a + b);
}

/* Where F touches zero, rounding leaves two zeros or none: then the least |det F| is as good as zero. Not
 * searched for beside other zeros. */
static int add_touches(sari_matrix_roots* m, int known, double touch)
{
    enum { PLACES = 16 };
    const int most = m->size + SARI_ROOTS_MORE;
    int before = 0;
    for (int k = 0; k < known; k++)
        if (fabs(m->root[k]) <= 1.0) return known;
    for (int k = 0; k <= PLACES; k++) {
        const double x = 2.0 * k / PLACES - 1.0;
        const int now = falls(m, x);
        const double least = before && !now ? least_between(m, x - 2.0 / PLACES, x) : NAN;
        before = now;
        if (isnan(least) || known + 2 > most || !sari_matrix_roots_lost(m, least, touch)) continue;
        m->root[known++] = least;
        m->root[known++] = least;
    }
    return known;
}

int sari_matrix_roots_find(sari_matrix_roots* m, double slack, double touch)
{
    static const double BEGIN[] = {-1.1, 0.05, 1.1};
    const int most = m->size + SARI_ROOTS_MORE;
    int known = 0, inside = 0;
    divide_differences(m);
    for (int begin = 0; begin < 3; begin++)
        while (known < most) {
            const double x = follow(m, BEGIN[begin], known);
            if (isnan(x)) break;
            m->root[known++] = x;
        }
    known = add_touches(m, known, touch);
    for (int k = 0; k < known; k++) {
        const double x = m->root[k];
        if (!(fabs(x) <= 1.0 + slack)) continue;
        int i = inside++;
        for (; i > 0 && m->root[i - 1] > x; i--) m->root[i] = m->root[i - 1];
        m->root[i] = x;
    }
    return inside;
}

/* By the power method, from the column that is longest. */
double sari_matrix_size(int n, const double* A, double* x, double* y)
{
    enum { ROUNDS = 8 };
    double size = 0.0, longest = -1.0;
    memset(x, 0, (size_t)n * sizeof(double));
    int start = 0;
    for (int j = 0; j < n; j++) {
        double square = 0.0;
        for (int i = 0; i < n; i++) square += A[i * n + j] * A[i * n + j];
        if (square > longest) longest = square, start = j;
    }
    if (n) x[start] = 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        double length = 0.0, square = 0.0;
        memset(y, 0, (size_t)n * sizeof(double));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
        memset(x, 0, (size_t)n * sizeof(double));
        for (int i = 0; i < n; i++) {
            square += y[i] * y[i];
            for (int j = 0; j < n; j++) x[j] += A[i * n + j] * y[i];
        }
        size = sqrt(square);
        for (int i = 0; i < n; i++) length += x[i] * x[i];
        if (!(length > 0.0)) break;
        for (int i = 0; i < n; i++) x[i] /= sqrt(length);
    }
    return size;
}
