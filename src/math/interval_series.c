/* Taylor arithmetic on intervals [moore1966]. With u = sum u_k h^k,
 *
 *     (u v)_k   = sum u_j v_k-j                       (u/v)_k = (u_k - sum_{j>0} v_j (u/v)_k-j)/v_0
 *     r' = u' g:  k r_k = sum_{j>0} j u_j g_k-j       for exp, log, sin, atan ..., g is known of each
 *     r = u^n:    k u_0 r_k = sum_{j>0} (n j - (k - j)) u_j r_k-j */
#include "math/interval_series.h"

#include "math/functions.h"

#include <math.h>
#include <string.h>

enum { K = SARI_SERIES_ORDER };

typedef sari_interval* series;
typedef const sari_interval* given;

void sari_series_unknown(series r)
{
    for (int k = 0; k <= K; k++) r[k] = SARI_REAL_LINE;
}

void sari_series_multiply(given u, given v, series r)
{
    sari_interval p[K + 1];
    for (int k = 0; k <= K; k++) {
        p[k] = sari_interval_multiply(u[0], v[k]);
        for (int j = 1; j <= k; j++)
            p[k] = sari_interval_add(p[k], sari_interval_multiply(u[j], v[k - j]));
    }
    memcpy(r, p, sizeof p);
}

void sari_series_square(given u, series r)
{
    const sari_interval first = sari_interval_square(u[0]);
    sari_series_multiply(u, u, r);
    r[0] = first;
}

void sari_series_divide(given u, given v, series r)
{
    sari_interval p[K + 1];
    for (int k = 0; k <= K; k++) {
        sari_interval sum = u[k];
        for (int j = 1; j <= k; j++)
            sum = sari_interval_subtract(sum, sari_interval_multiply(v[j], p[k - j]));
        p[k] = sari_interval_divide(sum, v[0]);
    }
    memcpy(r, p, sizeof p);
}

/* Coefficient k > 0 of r, where r' = u' g and g is known up to k - 1. */
static sari_interval integrate(given u, given g, int k)
{
    sari_interval sum = {0.0, 0.0};
    for (int j = 1; j <= k; j++)
        sum =
            sari_interval_add(sum, sari_interval_multiply(sari_interval_scale(u[j], j), g[k - j]));
    return sari_interval_scale(sum, 1.0 / k);
}

/* u^n for u_0 of one sign, r[0] known. */
static void power_rest(given u, double n, series r)
{
    for (int k = 1; k <= K; k++) {
        sari_interval sum = {0.0, 0.0};
        for (int j = 1; j <= k; j++)
            sum = sari_interval_add(
                sum, sari_interval_multiply(sari_interval_scale(u[j], n * j - (k - j)), r[k - j]));
        r[k] = sari_interval_divide(sari_interval_scale(sum, 1.0 / k), u[0]);
    }
}

static void whole_power(given u, int n, series r)
{
    sari_interval base[K + 1], p[K + 1];
    int begun = 0;
    memcpy(base, u, sizeof base);
    for (int left = n; left > 0; left /= 2) {
        if (left % 2) {
            if (begun)
                sari_series_multiply(p, base, p);
            else
                memcpy(p, base, sizeof p);
            begun = 1;
        }
        if (left > 1) sari_series_square(base, base);
    }
    memcpy(r, p, sizeof p);
}

void sari_series_power(given u, double n, series r)
{
    enum { WHOLE = 64, MOST = 1 << 30 }; // beyond WHOLE only where u may be zero or negative
    sari_interval p[K + 1], one[K + 1] = {{1.0, 1.0}};
    const int whole = n == floor(n) && fabs(n) <= (u[0].low > 0.0 ? WHOLE : MOST);
    if (n == 0.0) {
        memcpy(r, one, sizeof one);
    } else if (whole && n > 0.0) {
        whole_power(u, (int)n, r);
    } else if (whole) {
        whole_power(u, (int)-n, p);
        sari_series_divide(one, p, r);
    } else if (u[0].low > 0.0) {
        memcpy(p, u, sizeof p);
        r[0] = sari_interval_of(sari_pow(p[0].low, n), sari_pow(p[0].high, n));
        power_rest(p, n, r);
    } else {
        const double high = u[0].high;
        sari_series_unknown(r);
        if (n > 0.0 && high > 0.0) r[0] = sari_interval_of(0.0, sari_pow(high, n));
    }
}

/* sin and cos, or with sign = 1 sinh and cosh, the first of which are known. */
static void sine_and_cosine(given u, double sign, series s, series c)
{
    for (int k = 1; k <= K; k++) {
        s[k] = integrate(u, c, k);
        c[k] = sari_interval_scale(integrate(u, s, k), sign);
    }
}

void sari_series_circular(given u, series s, series c)
{
    s[0] = sari_interval_sine(u[0], 0);
    c[0] = sari_interval_sine(u[0], 1);
    sine_and_cosine(u, -1.0, s, c);
}

void sari_series_hyperbolic(given u, series s, series c)
{
    s[0] = sari_interval_monotone(sari_sinh, u[0]);
    c[0] = sari_interval_monotone(sari_cosh, u[0]);
    if (sari_interval_contains(u[0], 0.0)) c[0].low = 1.0;
    sine_and_cosine(u, 1.0, s, c);
}

/* r' = u' (1 - r^2) */
void sari_series_tanh(given u, series r)
{
    sari_interval g[K + 1];
    const double least = fmin(fabs(u[0].low), fabs(u[0].high));
    const double high = sari_interval_contains(u[0], 0.0) ? 1.0 : 1.0 / sari_cosh(least);
    const double low = 1.0 / sari_cosh(sari_interval_magnitude(u[0]));
    r[0] = sari_interval_monotone(sari_tanh, u[0]);
    g[0] = (sari_interval){low * low, high * high};
    for (int k = 1; k <= K; k++) {
        r[k] = integrate(u, g, k);
        g[k] = (sari_interval){0.0, 0.0};
        for (int j = 0; j <= k; j++)
            g[k] = sari_interval_subtract(g[k], sari_interval_multiply(r[j], r[k - j]));
    }
}

/* 1 + sign u^2 */
static void one_and_square(given u, double sign, series r)
{
    sari_series_square(u, r);
    for (int k = 0; k <= K; k++) r[k] = sari_interval_scale(r[k], sign);
    r[0] = sari_interval_add(r[0], (sari_interval){1.0, 1.0});
}

/* asin, acos and atan: r' = u' g with g = +-(1 - u^2)^(-1/2) or (1 + u^2)^-1. */
void sari_series_arc(sari_arc which, given u, series r)
{
    sari_interval w[K + 1], g[K + 1], p[K + 1];
    one_and_square(u, which == SARI_ARC_TANGENT ? 1.0 : -1.0, w);
    sari_series_power(w, which == SARI_ARC_TANGENT ? -1.0 : -0.5, g);
    p[0] = sari_interval_monotone(which == SARI_ARC_TANGENT ? sari_atan
                                  : which == SARI_ARC_SINE  ? sari_asin
                                                            : sari_acos,
                                  u[0]);
    for (int k = 1; k <= K; k++)
        p[k] = sari_interval_scale(integrate(u, g, k), which == SARI_ARC_COSINE ? -1.0 : 1.0);
    memcpy(r, p, sizeof p);
}

void sari_series_exp(given u, series r)
{
    sari_interval p[K + 1];
    p[0] = sari_interval_monotone(sari_exp, u[0]);
    for (int k = 1; k <= K; k++) p[k] = integrate(u, p, k);
    memcpy(r, p, sizeof p);
}

void sari_series_log(given u, series r)
{
    sari_interval g[K + 1], p[K + 1];
    if (!(u[0].low > 0.0)) {
        sari_series_unknown(r);
        return;
    }
    sari_series_power(u, -1.0, g);
    p[0] = sari_interval_monotone(sari_log, u[0]);
    for (int k = 1; k <= K; k++) p[k] = integrate(u, g, k);
    memcpy(r, p, sizeof p);
}

/* r' = (v u' - u v')/(u^2 + v^2) of atan2(u, v). */
void sari_series_atan2(given u, given v, series r)
{
    sari_interval a[K + 1], b[K + 1], w[K + 1], p[K + 1];
    sari_series_square(u, a);
    sari_series_square(v, b);
    for (int k = 0; k <= K; k++) w[k] = sari_interval_add(a[k], b[k]);
    const int beyond = sari_interval_contains(u[0], 0.0) && v[0].low <= 0.0;
    if (beyond || !(w[0].low > 0.0)) {
        sari_series_unknown(r);
        return;
    }
    sari_series_divide(v, w, a);
    sari_series_divide(u, w, b);
    p[0] = sari_interval_hull(
        sari_interval_of(sari_atan2(u[0].low, v[0].low), sari_atan2(u[0].high, v[0].high)),
        sari_interval_of(sari_atan2(u[0].low, v[0].high), sari_atan2(u[0].high, v[0].low)));
    for (int k = 1; k <= K; k++)
        p[k] = sari_interval_subtract(integrate(u, a, k), integrate(v, b, k));
    memcpy(r, p, sizeof p);
}

/* A polynomial of u - origin. */
void sari_series_polynomial(given u, double origin, const double* c, int degree, series r)
{
    sari_interval s[K + 1], p[K + 1] = {{0.0, 0.0}};
    memcpy(s, u, sizeof s);
    s[0] = sari_interval_add(s[0], sari_interval_of(-origin, -origin));
    for (int i = degree; i >= 0; i--) {
        sari_series_multiply(p, s, p);
        p[0] = sari_interval_add(p[0], sari_interval_of(c[i], c[i]));
    }
    memcpy(r, p, sizeof p);
}
