/* Scalars of the mechanism as functions of the coordinates: what becomes of the polynomials that they
 * are made of, by the chain rule. */
#include "math/functions.h"
#include "math/rotation.h"
#include "model/curve.h"
#include "system/kinematics.h"
#include "system/turns.h"

#include <math.h>
#include <string.h>

/* A polynomial's value, gradient (spread over the scalar's list), rate and bias. */
static double spread(const sari_kinematics* k, int poly, const int* at, int n, int level, double* g,
                     double* rate, double* bias)
{
    double* local = k->local[0];
    double value = sari_poly_gradient(k, poly, local);
    const sari_term_list* list = &k->depends[poly];
    memset(g, 0, (size_t)n * sizeof *g);
    *rate = *bias = 0.0;
    for (int i = 0; i < list->n; i++) {
        g[at[i]] = local[i];
        if (level) *rate += local[i] * k->v[list->i[i]];
    }
    if (level > 1) *bias = sari_poly_bias(k, poly);
    return value;
}

/* The polynomials of a scalar; level as of sari_scalar_eval. */
static void find_parts(const sari_kinematics* k, int scalar, int level, sari_scalar_parts* p)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at = k->scalar_map[scalar], n = k->scalar_depends[scalar].n;
    p->a = spread(k, s->a, at, n, level, p->ga, &p->rate_a, &p->bias_a);
    if (!sari_scalar_has_two(s)) return;
    at += k->depends[s->a].n;
    p->b = spread(k, s->b, at, n, level, p->gb, &p->rate_b, &p->bias_b);
}

/* In room that k has for them. */
static sari_scalar_parts parts_here(const sari_kinematics* k, int scalar, int level)
{
    sari_scalar_parts p = {.ga = k->local[1], .gb = k->local[2]};
    find_parts(k, scalar, level, &p);
    return p;
}

/* The distance d from a curve, of the point (a, b), with the normal n and d2 d = bend t t'
 * (model/curve.h). */
static void eval_curve(const sari_scalar* s, const sari_scalar_parts* p, int n,
                       sari_scalar_value* out)
{
    const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){p->a, p->b}, s->last);
    const double *w = foot.normal,
                 along = foot.tangent[0] * p->rate_a + foot.tangent[1] * p->rate_b;
    for (int i = 0; i < n; i++) out->g[i] = w[0] * p->ga[i] + w[1] * p->gb[i];
    out->value = foot.distance;
    out->rate = w[0] * p->rate_a + w[1] * p->rate_b;
    out->bias = w[0] * p->bias_a + w[1] * p->bias_b + foot.bend * along * along;
}

static double arc(const sari_scalar* s, double a)
{
    return s->zero + sari_asin(fmax(-1.0, fmin(1.0, a)));
}

/* Its integral is as far from the end of q as the state is from that of v. */
static double state_integral(const sari_kinematics* k, const sari_scalar* s)
{
    return k->q[k->coordinates->np - k->coordinates->states + s->a];
}

double sari_scalar_value_of(const sari_kinematics* k, int scalar)
{
    const sari_scalar* s = &k->scalar[scalar];
    if (s->kind == SARI_SCALAR_STATE) return state_integral(k, s);
    if (s->kind == SARI_SCALAR_FLOW) return 0.0;
    if (s->kind == SARI_SCALAR_COMPOSITE) return sari_composite_value(k, scalar);
    const double a = sari_poly_value(k, s->a);
    switch (s->kind) {
    case SARI_SCALAR_ROOT:
        return sqrt(a);
    case SARI_SCALAR_COMPLEMENT:
        return sqrt(1.0 - a * a);
    case SARI_SCALAR_ARC:
        return arc(s, a);
    case SARI_SCALAR_ANGLE:
        return sari_counted_angle(k, scalar, a, sari_poly_value(k, s->b), s->rate);
    case SARI_SCALAR_CURVE:
        return sari_curve_find(s->curve, (double[2]){a, sari_poly_value(k, s->b)}, s->last)
            .distance;
    case SARI_SCALAR_VECTOR: {
        double h[3];
        sari_angle_by_sine(sari_poly_value(k, s->b), h);
        return h[0] * a;
    }
    default:
        return a;
    }
}

/* g = f ga */
static void set_gradient(double f, const double* ga, int n, double* g)
{
    for (int i = 0; i < n; i++) g[i] = f * ga[i];
}

/* What becomes of the polynomials. */
static void join_parts(const sari_kinematics* k, int scalar, int level, const sari_scalar_parts* p,
                       sari_scalar_value* out)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int n = k->scalar_depends[scalar].n;
    const double a = p->a, rate_a = p->rate_a;
    if (s->kind == SARI_SCALAR_PLAIN) {
        if (out->g != p->ga) memcpy(out->g, p->ga, (size_t)n * sizeof *out->g);
        out->value = a, out->rate = rate_a, out->bias = p->bias_a;
    } else if (s->kind == SARI_SCALAR_ROOT) { // l = sqrt(a)
        const double l = sqrt(a), f = l > 0.0 ? 0.5 / l : 0.0;
        set_gradient(f, p->ga, n, out->g);
        out->value = l;
        out->rate = rate_a * f;
        out->bias = l > 0.0 ? p->bias_a * f - out->rate * out->rate / l : 0.0;
    } else if (s->kind == SARI_SCALAR_COMPLEMENT) { // l = sqrt(1 - a^2), l' = -a a'/l
        const double l = sqrt(1.0 - a * a), f = -a / l;
        set_gradient(f, p->ga, n, out->g);
        out->value = l;
        out->bias = p->bias_a * f - rate_a * rate_a / (l * l * l);
        out->rate = rate_a * f;
    } else if (s->kind == SARI_SCALAR_ARC) { // asin' = 1/c, c = sqrt(1 - a^2)
        const double c = sqrt(1.0 - a * a), f = 1.0 / c;
        set_gradient(f, p->ga, n, out->g);
        out->value = arc(s, a);
        out->bias = p->bias_a * f + a * rate_a * rate_a / (c * c * c);
        out->rate = rate_a * f;
    } else if (s->kind == SARI_SCALAR_ANGLE) { // theta = atan2(a, b), D = a^2 + b^2
        const double b = p->b, f = 1.0 / (a * a + b * b);
        for (int i = 0; i < n; i++) out->g[i] = f * (b * p->ga[i] - a * p->gb[i]);
        out->rate = f * (b * rate_a - a * p->rate_b);
        out->value = sari_counted_angle(k, scalar, a, b, level ? out->rate : s->rate);
        out->bias =
            f * (b * p->bias_a - a * p->bias_b - 2.0 * out->rate * (a * rate_a + b * p->rate_b));
    } else if (s->kind == SARI_SCALAR_VECTOR) { // r = h(b) a
        const double rate_b = p->rate_b;
        double h[3];
        sari_angle_by_sine(p->b, h);
        for (int i = 0; i < n; i++) out->g[i] = h[0] * p->ga[i] + h[1] * a * p->gb[i];
        out->value = h[0] * a;
        out->rate = h[0] * rate_a + h[1] * a * rate_b;
        out->bias = h[0] * p->bias_a + h[1] * (a * p->bias_b + 2.0 * rate_a * rate_b) +
                    h[2] * a * rate_b * rate_b;
    } else {
        eval_curve(s, p, n, out);
    }
}

sar_status sari_scalar_eval_parts(const sari_kinematics* k, int scalar, int level,
                                  sari_scalar_value* out, sari_scalar_parts* parts)
{
    const sari_scalar* s = &k->scalar[scalar];
    if (level && !k->v) {
        out->value = out->rate = out->bias = NAN;
        return SAR_E_ARG;
    }
    if (s->kind == SARI_SCALAR_STATE) {
        *out = (sari_scalar_value){state_integral(k, s), level ? k->v[sari_state_at(k, s)] : 0.0,
                                   0.0, out->g};
        out->g[0] = 1.0;
        return SAR_OK;
    }
    if (s->kind == SARI_SCALAR_FLOW) return sari_flow_eval(k, scalar, level, out);
    if (s->kind == SARI_SCALAR_COMPOSITE) return sari_composite_eval(k, scalar, level, out);
    find_parts(k, scalar, level, parts);
    join_parts(k, scalar, level, parts, out);
    return SAR_OK;
}

sar_status sari_scalar_eval(const sari_kinematics* k, int scalar, int level, sari_scalar_value* out)
{
    if (!out->g) out->g = k->local[3];
    sari_scalar_parts parts = {.ga = out->g, .gb = k->local[1]};
    return sari_scalar_eval_parts(k, scalar, level, out, &parts);
}

static double poly_on_X(const sari_kinematics* k, int poly, int rates, double* g, double* rate)
{
    const sari_quadratics* f = &k->compiled;
    const sari_quadratic_entry* entry = f->entry + f->p[poly];
    double value, sum = 0.0;
    sari_quadratics_gradient(f, poly, poly + 1, k->X, &value, g);
    for (int e = 0; rates && e < f->p[poly + 1] - f->p[poly]; e++) sum += g[e] * k->Xd[entry[e].i];
    *rate = sum;
    return value;
}

void sari_scalar_eval_on_X(const sari_kinematics* k, int scalar, int rates, sari_scalar_on_X* out)
{
    const sari_scalar* s = &k->scalar[scalar];
    double b = 0.0, rate[2] = {0};
    const double a = poly_on_X(k, s->a, rates, out->g[0], &rate[0]);
    if (sari_scalar_has_two(s)) b = poly_on_X(k, s->b, rates, out->g[1], &rate[1]);
    out->value = a;
    out->by[0] = 1.0, out->by[1] = 0.0;
    if (s->kind == SARI_SCALAR_ROOT) {
        out->value = sqrt(a);
        out->by[0] = out->value > 0.0 ? 0.5 / out->value : 0.0;
    } else if (s->kind == SARI_SCALAR_COMPLEMENT) {
        out->value = sqrt(1.0 - a * a);
        out->by[0] = -a / out->value;
    } else if (s->kind == SARI_SCALAR_ARC) {
        out->value = arc(s, a);
        out->by[0] = 1.0 / sqrt(1.0 - a * a);
    } else if (s->kind == SARI_SCALAR_ANGLE) {
        const double f = 1.0 / (a * a + b * b);
        out->by[0] = f * b, out->by[1] = -f * a;
        out->value = sari_counted_angle(
            k, scalar, a, b, rates ? out->by[0] * rate[0] + out->by[1] * rate[1] : s->rate);
    } else if (s->kind == SARI_SCALAR_CURVE) {
        const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){a, b}, s->last);
        out->value = foot.distance;
        out->by[0] = foot.normal[0], out->by[1] = foot.normal[1];
    } else if (s->kind == SARI_SCALAR_VECTOR) {
        double h[3];
        sari_angle_by_sine(b, h);
        out->value = h[0] * a;
        out->by[0] = h[0], out->by[1] = h[1] * a;
    }
    out->rate = out->by[0] * rate[0] + out->by[1] * rate[1];
}

void sari_scalar_add_on_X(const sari_kinematics* k, int scalar, const sari_scalar_on_X* at,
                          double w, double* G)
{
    const sari_scalar* s = &k->scalar[scalar];
    const sari_quadratics* f = &k->compiled;
    for (int part = 0; part <= sari_scalar_has_two(s); part++) {
        const int poly = part ? s->b : s->a;
        const sari_quadratic_entry* entry = f->entry + f->p[poly];
        const double by = w * at->by[part];
        for (int e = 0; e < f->p[poly + 1] - f->p[poly]; e++) G[entry[e].i] += by * at->g[part][e];
    }
}

/* out += s d/dt grad poly, spread */
static void spread_rate(const sari_kinematics* k, int poly, const int* at, double s, double* out)
{
    double* local = k->local[0];
    sari_poly_gradient_rate(k, poly, local);
    for (int i = 0; i < k->depends[poly].n; i++) out[at[i]] += s * local[i];
}

/* d/dt (n_1 ga + n_2 gb) */
static void curve_gradient_rate(const sari_kinematics* k, int scalar, const sari_scalar_parts* p,
                                double* g)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at = k->scalar_map[scalar], *at_b = at + k->depends[s->a].n;
    const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){p->a, p->b}, s->last);
    const double *t = foot.tangent, turn = foot.bend * (t[0] * p->rate_a + t[1] * p->rate_b);
    spread_rate(k, s->a, at, foot.normal[0], g);
    spread_rate(k, s->b, at_b, foot.normal[1], g);
    for (int i = 0; i < k->scalar_depends[scalar].n; i++)
        g[i] += turn * (t[0] * p->ga[i] + t[1] * p->gb[i]);
}

/* d/dt of what join_parts makes of the gradients */
static void join_rates(const sari_kinematics* k, int scalar, const sari_scalar_parts* p, double* g)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at = k->scalar_map[scalar], *at_b = at + k->depends[s->a].n;
    const int n = k->scalar_depends[scalar].n;
    const double a = p->a, rate_a = p->rate_a, *ga = p->ga;
    if (s->kind == SARI_SCALAR_ROOT) { // d/dt ga/(2 l)
        const double l = sqrt(a);
        if (l == 0.0) return;
        spread_rate(k, s->a, at, 0.5 / l, g);
        const double turn = 0.25 * rate_a / (l * l * l);
        for (int i = 0; i < n; i++) g[i] -= turn * ga[i];
    } else if (s->kind == SARI_SCALAR_COMPLEMENT) { // d/dt -a ga/l
        const double l = sqrt(1.0 - a * a), turn = rate_a / (l * l * l);
        spread_rate(k, s->a, at, -a / l, g);
        for (int i = 0; i < n; i++) g[i] -= turn * ga[i];
    } else if (s->kind == SARI_SCALAR_ARC) { // d/dt ga/c
        const double c = sqrt(1.0 - a * a), turn = a * rate_a / (c * c * c);
        spread_rate(k, s->a, at, 1.0 / c, g);
        for (int i = 0; i < n; i++) g[i] += turn * ga[i];
    } else if (s->kind == SARI_SCALAR_CURVE) {
        curve_gradient_rate(k, scalar, p, g);
    } else if (s->kind == SARI_SCALAR_VECTOR) { // d/dt (h ga + h' a gb)
        const double rate_b = p->rate_b, *gb = p->gb;
        double h[3];
        sari_angle_by_sine(p->b, h);
        spread_rate(k, s->a, at, h[0], g);
        spread_rate(k, s->b, at_b, h[1] * a, g);
        for (int i = 0; i < n; i++)
            g[i] += h[1] * rate_b * ga[i] + (h[2] * rate_b * a + h[1] * rate_a) * gb[i];
    } else { // d/dt N/D, N = b ga - a gb, D = a^2 + b^2
        const double b = p->b, rate_b = p->rate_b;
        const double f = 1.0 / (a * a + b * b), rate_f = -2.0 * f * f * (a * rate_a + b * rate_b);
        spread_rate(k, s->a, at, f * b, g);
        spread_rate(k, s->b, at_b, -f * a, g);
        for (int i = 0; i < n; i++)
            g[i] += (f * rate_b + rate_f * b) * ga[i] - (f * rate_a + rate_f * a) * p->gb[i];
    }
}

static sar_status gradient_rate(const sari_kinematics* k, int scalar,
                                const sari_scalar_parts* parts, double* g)
{
    const sari_scalar* s = &k->scalar[scalar];
    memset(g, 0, (size_t)k->scalar_depends[scalar].n * sizeof *g);
    if (s->kind == SARI_SCALAR_FLOW || !k->v) return SAR_E_ARG; // not wanted
    if (s->kind == SARI_SCALAR_STATE || k->straight[scalar]) return SAR_OK;
    if (s->kind == SARI_SCALAR_COMPOSITE) {
        sari_composite_gradient_rate(k, scalar, g);
        return SAR_OK;
    }
    if (!sari_scalar_is_polynomial(s)) return SAR_E_ARG;
    if (s->kind == SARI_SCALAR_PLAIN) {
        spread_rate(k, s->a, k->scalar_map[scalar], 1.0, g);
        return SAR_OK;
    }
    sari_scalar_parts here;
    if (!parts) here = parts_here(k, scalar, 1);
    join_rates(k, scalar, parts ? parts : &here, g);
    return SAR_OK;
}

sar_status sari_scalar_gradient_rate(const sari_kinematics* k, int scalar, double* g)
{
    return gradient_rate(k, scalar, NULL, g);
}

/* v'H = H v + v'(H - H'). With turns d_i in axes that turn along, H_ij - H_ji is the derivative by
 * a turn about e_j x e_i, so that v'(H - H') = v x g; in axes that stay it is g x v. */
void sari_scalar_rate_slope(const sari_kinematics* k, int scalar, const double* g,
                            const sari_scalar_parts* parts, double* out)
{
    const sari_term_list* list = &k->scalar_depends[scalar];
    const int* turns = k->coordinates->turns;
    if (k->scalar[scalar].kind == SARI_SCALAR_FLOW)
        sari_flow_rate_slope(k, scalar, out);
    else
        gradient_rate(k, scalar, parts, out);
    for (int i = 0; turns && i + 2 < list->n; i++) {
        const int sense = turns[list->i[i]];
        double twist[3];
        if (!sense) continue;
        sari_cross(k->v + list->i[i], g + i, twist);
        for (int c = 0; c < 3; c++) out[i + c] += sense * twist[c];
    }
}

/* H (n x n) += s d2 poly/dq2, spread */
static void spread_hessian(const sari_kinematics* k, int poly, const int* at, int n, double s,
                           double* H, double* local)
{
    int m = k->depends[poly].n;
    memset(local, 0, (size_t)(m * m) * sizeof *local);
    sari_poly_hessian(k, poly, s, local);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) H[n * at[i] + at[j]] += local[m * i + j];
}

/* n_1 H_a + n_2 H_b + bend gt gt', gt = t_1 ga + t_2 gb */
static void curve_hessian(const sari_kinematics* k, int scalar, const sari_scalar_parts* p,
                          double* H, double* work)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at = k->scalar_map[scalar], *at_b = at + k->depends[s->a].n;
    const int n = k->scalar_depends[scalar].n;
    const double *ga = p->ga, *gb = p->gb;
    const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){p->a, p->b}, s->last);
    const double* t = foot.tangent;
    spread_hessian(k, s->a, at, n, foot.normal[0], H, work);
    spread_hessian(k, s->b, at_b, n, foot.normal[1], H, work);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            H[n * i + j] +=
                foot.bend * (t[0] * ga[i] + t[1] * gb[i]) * (t[0] * ga[j] + t[1] * gb[j]);
}

/* d2 of what join_parts makes of the polynomials */
static void join_hessians(const sari_kinematics* k, int scalar, const sari_scalar_parts* p,
                          double* H, double* work)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at = k->scalar_map[scalar], *at_b = at + k->depends[s->a].n;
    const int n = k->scalar_depends[scalar].n;
    const double a = p->a, *ga = p->ga, *gb = p->gb;
    if (s->kind == SARI_SCALAR_ROOT) { // H_a/(2 l) - g g'/l with g = ga/(2 l)
        const double l = sqrt(a);
        if (l == 0.0) return;
        spread_hessian(k, s->a, at, n, 0.5 / l, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) H[n * i + j] -= 0.25 * ga[i] * ga[j] / (l * l * l);
    } else if (s->kind == SARI_SCALAR_COMPLEMENT) { // -a H_a/l - ga ga'/l^3
        const double l = sqrt(1.0 - a * a);
        spread_hessian(k, s->a, at, n, -a / l, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) H[n * i + j] -= ga[i] * ga[j] / (l * l * l);
    } else if (s->kind == SARI_SCALAR_ARC) { // H_a/c + a ga ga'/c^3
        const double c = sqrt(1.0 - a * a);
        spread_hessian(k, s->a, at, n, 1.0 / c, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) H[n * i + j] += a * ga[i] * ga[j] / (c * c * c);
    } else if (s->kind == SARI_SCALAR_CURVE) {
        curve_hessian(k, scalar, p, H, work);
    } else if (s->kind == SARI_SCALAR_VECTOR) {
        // h H_a + h' (a H_b + ga gb' + gb ga') + h'' a gb gb'
        double h[3];
        sari_angle_by_sine(p->b, h);
        spread_hessian(k, s->a, at, n, h[0], H, work);
        spread_hessian(k, s->b, at_b, n, h[1] * a, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                H[n * i + j] += h[1] * (ga[i] * gb[j] + gb[i] * ga[j]) + h[2] * a * gb[i] * gb[j];
    } else { // g = N/D, N = b ga - a gb
        const double b = p->b, f = 1.0 / (a * a + b * b);
        spread_hessian(k, s->a, at, n, f * b, H, work);
        spread_hessian(k, s->b, at_b, n, -f * a, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                H[n * i + j] += f * (ga[i] * gb[j] - gb[i] * ga[j]) -
                                f * f * (b * ga[i] - a * gb[i]) * 2.0 * (a * ga[j] + b * gb[j]);
    }
}

void sari_scalar_hessian(const sari_kinematics* k, int scalar, const sari_scalar_parts* parts,
                         double* H, double* work)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int n = k->scalar_depends[scalar].n;
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    if (s->kind == SARI_SCALAR_STATE || k->straight[scalar]) return;
    if (s->kind == SARI_SCALAR_COMPOSITE) {
        sari_composite_hessian(k, scalar, H);
        return;
    }
    if (s->kind == SARI_SCALAR_PLAIN) {
        spread_hessian(k, s->a, k->scalar_map[scalar], n, 1.0, H, work);
        return;
    }
    sari_scalar_parts here;
    if (!parts) here = parts_here(k, scalar, 0);
    join_hessians(k, scalar, parts ? parts : &here, H, work);
}
