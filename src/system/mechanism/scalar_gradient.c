/* Slopes of a scalar of the configuration by the placement X, through the mechanism's polynomials. */
#include "system/mechanism/mechanism.h"

#include "math/rotation.h"

#include <math.h>

static void add_polynomial(const sari_mechanism* m, int poly, const double* X, double w, double* G)
{
    const struct sari_polynomial* row = &m->poly.row[poly];
    for (int t = row->linear; t < row->linear_end; t++)
        G[m->poly.linear[t].i] += w * m->poly.linear[t].c;
    for (int t = row->product; t < row->product_end; t++) {
        const struct sari_product_term* p = &m->poly.product[t];
        G[p->i] += w * p->c * X[p->j];
        G[p->j] += w * p->c * X[p->i];
    }
}

void sari_scalar_gradient_on_X(const sari_mechanism* m, const sari_scalar* sc, const double* X,
                               double w, double* G)
{
    if (!sari_scalar_is_polynomial(sc)) return; // no body feels a rate
    double a = sari_polynomial_value(&m->poly, sc->a, X);
    if (sc->kind == SARI_SCALAR_PLAIN) {
        add_polynomial(m, sc->a, X, w, G);
    } else if (sc->kind == SARI_SCALAR_ROOT) {
        if (a > 0.0) add_polynomial(m, sc->a, X, 0.5 * w / sqrt(a), G);
    } else if (sc->kind == SARI_SCALAR_COMPLEMENT) {
        add_polynomial(m, sc->a, X, -w * a / sqrt(1.0 - a * a), G);
    } else if (sc->kind == SARI_SCALAR_ARC) {
        add_polynomial(m, sc->a, X, w / sqrt(1.0 - a * a), G);
    } else if (sc->kind == SARI_SCALAR_CURVE) {
        const double p[2] = {a, sari_polynomial_value(&m->poly, sc->b, X)};
        const sari_curve_foot foot = sari_curve_find(sc->curve, p, sc->last);
        add_polynomial(m, sc->a, X, w * foot.normal[0], G);
        add_polynomial(m, sc->b, X, w * foot.normal[1], G);
    } else if (sc->kind == SARI_SCALAR_VECTOR) {
        double h[3];
        sari_angle_by_sine(sari_polynomial_value(&m->poly, sc->b, X), h);
        add_polynomial(m, sc->a, X, w * h[0], G);
        add_polynomial(m, sc->b, X, w * h[1] * a, G);
    } else {
        double b = sari_polynomial_value(&m->poly, sc->b, X), f = w / (a * a + b * b);
        add_polynomial(m, sc->a, X, f * b, G);
        add_polynomial(m, sc->b, X, -f * a, G);
    }
}
