/* Expressions of model files beside the same in C: nanoseconds of a value and of a value with its
 * gradient, as a register program, and compiled. Thread CPU time, least of several blocks, in turns; ratios
 * are what counts. */
#include "expression/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { VARIABLES = 6, BLOCKS = 15, CALLS = 20000 };

#if defined(__GNUC__)
#define COMPILED __attribute__((noinline)) static
#else
#define COMPILED static
#endif

/* Variables are t, x, v, a, b, c; gradients are over those that occur, in this order. */

COMPILED double spring(const double* u, double* g)
{
    const double x = u[1], v = u[2];
    if (g) g[0] = 1000.0 + 3 * 500.0 * x * x, g[1] = 20.0;
    return 1000.0 * x + 500.0 * x * x * x + 20.0 * v;
}

COMPILED double leaf(const double* u, double* g)
{
    const double a = u[3], b = u[4], stop = a - b - 0.106;
    if (g) g[0] = 35906.0 + (stop < 0 ? 1e7 : 0.0), g[1] = -g[0];
    return 35906.0 * (a - b - 0.252) + 1e7 * (stop < 0 ? stop : 0.0);
}

COMPILED double damper(const double* u, double* g)
{
    const double x = u[1], v = u[2];
    const double polynomial = -4.0092e6 + 2.8397e7 * x - 6.7061e7 * x * x + 5.2796e7 * x * x * x;
    if (g) g[0] = 2.8397e7 - 2 * 6.7061e7 * x + 3 * 5.2796e7 * x * x;
    if (v < -0.2) {
        if (g) g[1] = 1844.3;
        return polynomial + (-416.42 + 1844.3 * v);
    }
    if (v > 0.21) {
        if (g) g[1] = 1634.727;
        return polynomial + (1919.1638 + 1634.727 * v);
    }
    if (g) g[1] = 9945.627 + 2 * 33955.72 * v - 3 * 59832.25 * v * v - 4 * 395651.0 * v * v * v;
    return polynomial +
           (9945.627 * v + 33955.72 * v * v - 59832.25 * v * v * v - 395651.0 * v * v * v * v);
}

COMPILED double friction(const double* u, double* g)
{
    const double v = u[2], slip = tanh(v / 0.01), c = 1.0 / cosh(v / 0.01);
    if (g) g[0] = 12.0 * c * c / 0.01 + 0.5;
    return 12.0 * slip + 0.5 * v;
}

COMPILED double feedback(const double* u, double* g)
{
    const double e = u[3] - sin(2.0 * u[0]), f = u[4] - 2.0 * cos(2.0 * u[0]);
    if (g) {
        g[0] = 800.0 * cos(2.0 * u[0]) * 2.0 - 60.0 * 4.0 * sin(2.0 * u[0]);
        g[1] = -800.0, g[2] = -60.0;
    }
    return -800.0 * e - 60.0 * f;
}

COMPILED double central(const double* u, double* g)
{
    const double x = u[1], v = u[2], a = u[3], b = u[4], c = u[5];
    const double r2 = x * x + v * v + a * a, r = sqrt(r2), s = b * c / (r2 * r);
    if (g) {
        const double by_r = -3.0 * s / r2 * x;
        g[0] = s + by_r * x, g[1] = by_r * v, g[2] = by_r * a;
        g[3] = c / (r2 * r) * x, g[4] = b / (r2 * r) * x;
    }
    return s * x;
}

typedef struct row {
    const char *name, *text;
    double (*compiled)(const double* variables, double* gradient);
} row;

static const row ROWS[] = {
    {"spring", "1000*x + 500*x^3 + 20*v", spring},
    {"leaf", "35906*(a - b - 0.252) + 1e7*min(0, a - b - 0.106)", leaf},
    {"damper",
     "-4.0092e6 + 2.8397e7*x - 6.7061e7*x^2 + 5.2796e7*x^3 + (v < -0.2 ? -416.42 + 1844.3*v"
     " : v > 0.21 ? 1919.1638 + 1634.727*v : 9945.627*v + 33955.72*v^2 - 59832.25*v^3 - "
     "395651*v^4)",
     damper},
    {"friction", "12*tanh(v/0.01) + 0.5*v", friction},
    {"feedback", "-800*(a - sin(2*t)) - 60*(b - 2*cos(2*t))", feedback},
    {"central", "b*c/((x^2 + v^2 + a^2)*sqrt(x^2 + v^2 + a^2))*x", central},
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    (void)context, (void)constant, (void)why, (void)size;
    const char* at = length == 1 ? strchr("txvabc", name[0]) : NULL;
    return at ? (int)(at - "txvabc") : SARI_NAME_UNKNOWN;
}

enum { AS_PROGRAM, AS_C, WAYS };

/* ns of a call, of one block; what is found goes into `sum`, so that nobody leaves it out. */
static double block(const row* r, sari_expression* e, int way, int gradient, double* sum)
{
    double u[VARIABLES] = {0.3, 0.4, 0.05, 0.7, 0.45, 1.1}, g[VARIABLES] = {0};
    const double begin = seconds();
    for (int k = 0; k < CALLS; k++) {
        u[1] = 0.4 + 1e-6 * k, u[2] = 0.05 + 1e-6 * k;
        *sum += way == AS_C ? r->compiled(u, gradient ? g : NULL)
                : gradient  ? sari_expression_gradient(e, u, g)
                            : sari_expression_value(e, u);
        *sum += g[0];
    }
    const double end = seconds();
    return 1e9 * (end - begin) / CALLS;
}

static void measure(const row* r, sari_expression* e)
{
    double least[WAYS][2], sum = 0.0;
    for (int b = 0; b < BLOCKS; b++)
        for (int way = 0; way < WAYS; way++)
            for (int gradient = 0; gradient < 2; gradient++) {
                const double ns = block(r, e, way, gradient, &sum);
                if (b == 0 || ns < least[way][gradient]) least[way][gradient] = ns;
            }
    printf("%-10s %5d", r->name, e->count);
    for (int gradient = 0; gradient < 2; gradient++)
        printf("  %7.1f %7.1f", least[AS_PROGRAM][gradient], least[AS_C][gradient]);
    printf("%s\n", isfinite(sum) ? "" : "  not finite");
}

int main(void)
{
    printf("%-10s %5s  %15s  %15s\n", "", "", "value, ns", "and gradient, ns");
    printf("%-10s %5s  %7s %7s  %7s %7s\n", "expression", "count", "program", "C", "program", "C");
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        sari_expression* e;
        sar_error error;
        if (sari_expression_compile(ROWS[k].text, look_up, NULL, &e, &error) != SAR_OK) {
            fprintf(stderr, "%s: %s\n", ROWS[k].name, error.message);
            return 1;
        }
        measure(&ROWS[k], e);
        sari_expression_destroy(e);
    }
    return 0;
}
