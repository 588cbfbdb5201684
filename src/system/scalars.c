/* Scalars of the mechanism as functions of the coordinates: what becomes of the polynomials that they
 * are made of, by the chain rule. */
#include "math/functions.h"
#include "math/rotation.h"
#include "model/curve.h"
#include "system/kinematics.h"

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

static double nearest_turn(double angle, double last)
{
    const double turn = 6.283185307179586476925287;
    return angle + turn * round((last - angle) / turn);
}

/* The distance d from a curve, of the point (a, b): what its foot point says, and the gradient,
 * rate and bias of b; those of a are in `out`. With the normal n and d2 d = bend t t'
 * (model/curve.h). */
static void eval_curve(const sari_kinematics* k, int scalar, int level, double a,
                       sari_scalar_value* out)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at_b = k->scalar_map[scalar] + k->depends[s->a].n, n = k->scalar_depends[scalar].n;
    double *gb = k->local[1], rate_b, bias_b;
    const double b = spread(k, s->b, at_b, n, level, gb, &rate_b, &bias_b);
    const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){a, b}, s->last);
    const double *w = foot.normal, along = foot.tangent[0] * out->rate + foot.tangent[1] * rate_b;
    for (int i = 0; i < n; i++) out->g[i] = w[0] * out->g[i] + w[1] * gb[i];
    out->value = foot.distance;
    out->rate = w[0] * out->rate + w[1] * rate_b;
    out->bias = w[0] * out->bias + w[1] * bias_b + foot.bend * along * along;
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
        return nearest_turn(sari_atan2(a, sari_poly_value(k, s->b)), s->last);
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

sar_status sari_scalar_eval(const sari_kinematics* k, int scalar, int level, sari_scalar_value* out)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int* at = k->scalar_map[scalar];
    int n = k->scalar_depends[scalar].n;
    if (!out->g) out->g = k->local[3];
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
    double a = spread(k, s->a, at, n, level, out->g, &out->rate, &out->bias);
    out->value = a;
    if (s->kind == SARI_SCALAR_ROOT) { // l = sqrt(a)
        double l = sqrt(a), f = l > 0.0 ? 0.5 / l : 0.0;
        for (int i = 0; i < n; i++) out->g[i] *= f;
        out->value = l;
        out->rate *= f;
        out->bias = l > 0.0 ? out->bias * f - out->rate * out->rate / l : 0.0;
    } else if (s->kind == SARI_SCALAR_COMPLEMENT) { // l = sqrt(1 - a^2), l' = -a a'/l
        double l = sqrt(1.0 - a * a), f = -a / l;
        for (int i = 0; i < n; i++) out->g[i] *= f;
        out->value = l;
        out->bias = out->bias * f - out->rate * out->rate / (l * l * l);
        out->rate *= f;
    } else if (s->kind == SARI_SCALAR_ARC) { // asin' = 1/c, c = sqrt(1 - a^2)
        double c = sqrt(1.0 - a * a), f = 1.0 / c;
        for (int i = 0; i < n; i++) out->g[i] *= f;
        out->value = arc(s, a);
        out->bias = out->bias * f + a * out->rate * out->rate / (c * c * c);
        out->rate *= f;
    } else if (s->kind == SARI_SCALAR_ANGLE) { // theta = atan2(a, b), D = a^2 + b^2
        double *gb = k->local[1], rate_b, bias_b;
        double b = spread(k, s->b, at + k->depends[s->a].n, n, level, gb, &rate_b, &bias_b);
        double f = 1.0 / (a * a + b * b), rate_a = out->rate;
        for (int i = 0; i < n; i++) out->g[i] = f * (b * out->g[i] - a * gb[i]);
        out->value = nearest_turn(sari_atan2(a, b), s->last);
        out->rate = f * (b * rate_a - a * rate_b);
        out->bias = f * (b * out->bias - a * bias_b - 2.0 * out->rate * (a * rate_a + b * rate_b));
    } else if (s->kind == SARI_SCALAR_CURVE) {
        eval_curve(k, scalar, level, a, out);
    } else if (s->kind == SARI_SCALAR_VECTOR) { // r = h(b) a
        double *gb = k->local[1], rate_b, bias_b, h[3], rate_a = out->rate;
        double b = spread(k, s->b, at + k->depends[s->a].n, n, level, gb, &rate_b, &bias_b);
        sari_angle_by_sine(b, h);
        for (int i = 0; i < n; i++) out->g[i] = h[0] * out->g[i] + h[1] * a * gb[i];
        out->value = h[0] * a;
        out->rate = h[0] * rate_a + h[1] * a * rate_b;
        out->bias = h[0] * out->bias + h[1] * (a * bias_b + 2.0 * rate_a * rate_b) +
                    h[2] * a * rate_b * rate_b;
    }
    return SAR_OK;
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
        out->value = nearest_turn(sari_atan2(a, b), s->last);
        out->by[0] = f * b, out->by[1] = -f * a;
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

/* d/dt (n_1 ga + n_2 gb), with ga in local[1] */
static void curve_gradient_rate(const sari_kinematics* k, int scalar, double a, double rate_a,
                                double* g)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at = k->scalar_map[scalar], *at_b = at + k->depends[s->a].n;
    const int n = k->scalar_depends[scalar].n;
    double *ga = k->local[1], *gb = k->local[2], rate_b, bias;
    const double b = spread(k, s->b, at_b, n, 1, gb, &rate_b, &bias);
    const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){a, b}, s->last);
    const double *t = foot.tangent, turn = foot.bend * (t[0] * rate_a + t[1] * rate_b);
    spread_rate(k, s->a, at, foot.normal[0], g);
    spread_rate(k, s->b, at_b, foot.normal[1], g);
    for (int i = 0; i < n; i++) g[i] += turn * (t[0] * ga[i] + t[1] * gb[i]);
}

sar_status sari_scalar_gradient_rate(const sari_kinematics* k, int scalar, double* g)
{
    const sari_scalar* s = &k->scalar[scalar];
    if (s->kind == SARI_SCALAR_STATE || s->kind == SARI_SCALAR_FLOW) {
        for (int i = 0; i < k->scalar_depends[scalar].n; i++) g[i] = 0.0;
        return s->kind == SARI_SCALAR_STATE && k->v ? SAR_OK : SAR_E_ARG; // nobody asks for flows
    }
    if (s->kind == SARI_SCALAR_COMPOSITE && k->v) {
        sari_composite_gradient_rate(k, scalar, g);
        return SAR_OK;
    }
    if (!sari_scalar_is_polynomial(s)) return SAR_E_ARG;
    const int* at = k->scalar_map[scalar];
    const int* at_b = at + k->depends[s->a].n;
    int n = k->scalar_depends[scalar].n;
    double *ga = k->local[1], *gb = k->local[2], rate_a, rate_b, bias;
    memset(g, 0, (size_t)n * sizeof *g);
    if (!k->v) return SAR_E_ARG;
    double a = spread(k, s->a, at, n, 1, ga, &rate_a, &bias);
    if (s->kind == SARI_SCALAR_PLAIN) {
        spread_rate(k, s->a, at, 1.0, g);
    } else if (s->kind == SARI_SCALAR_ROOT) { // d/dt ga/(2 l)
        double l = sqrt(a);
        if (l == 0.0) return SAR_OK;
        spread_rate(k, s->a, at, 0.5 / l, g);
        for (int i = 0; i < n; i++) g[i] -= 0.25 * rate_a / (l * l * l) * ga[i];
    } else if (s->kind == SARI_SCALAR_COMPLEMENT) { // d/dt -a ga/l
        double l = sqrt(1.0 - a * a);
        spread_rate(k, s->a, at, -a / l, g);
        for (int i = 0; i < n; i++) g[i] -= rate_a / (l * l * l) * ga[i];
    } else if (s->kind == SARI_SCALAR_ARC) { // d/dt ga/c
        double c = sqrt(1.0 - a * a);
        spread_rate(k, s->a, at, 1.0 / c, g);
        for (int i = 0; i < n; i++) g[i] += a * rate_a / (c * c * c) * ga[i];
    } else if (s->kind == SARI_SCALAR_CURVE) {
        curve_gradient_rate(k, scalar, a, rate_a, g);
    } else if (s->kind == SARI_SCALAR_VECTOR) { // d/dt (h ga + h' a gb)
        double b = spread(k, s->b, at_b, n, 1, gb, &rate_b, &bias), h[3];
        sari_angle_by_sine(b, h);
        spread_rate(k, s->a, at, h[0], g);
        spread_rate(k, s->b, at_b, h[1] * a, g);
        for (int i = 0; i < n; i++)
            g[i] += h[1] * rate_b * ga[i] + (h[2] * rate_b * a + h[1] * rate_a) * gb[i];
    } else { // d/dt N/D, N = b ga - a gb, D = a^2 + b^2
        double b = spread(k, s->b, at_b, n, 1, gb, &rate_b, &bias);
        double f = 1.0 / (a * a + b * b), rate_f = -2.0 * f * f * (a * rate_a + b * rate_b);
        spread_rate(k, s->a, at, f * b, g);
        spread_rate(k, s->b, at_b, -f * a, g);
        for (int i = 0; i < n; i++)
            g[i] += (f * rate_b + rate_f * b) * ga[i] - (f * rate_a + rate_f * a) * gb[i];
    }
    return SAR_OK;
}

/* v'H = H v + v'(H - H'). With turns d_i in axes that turn along, H_ij - H_ji is the derivative by
 * a turn about e_j x e_i, so that v'(H - H') = v x g; in axes that stay it is g x v. */
void sari_scalar_rate_slope(const sari_kinematics* k, int scalar, const double* g, double* out)
{
    const sari_term_list* list = &k->scalar_depends[scalar];
    const int* turns = k->coordinates->turns;
    if (k->scalar[scalar].kind == SARI_SCALAR_FLOW)
        sari_flow_rate_slope(k, scalar, out);
    else
        sari_scalar_gradient_rate(k, scalar, out);
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

/* n_1 H_a + n_2 H_b + bend gt gt', gt = t_1 ga + t_2 gb, with ga in local[1] */
static void curve_hessian(const sari_kinematics* k, int scalar, double a, double* H, double* work)
{
    const sari_scalar* s = &k->scalar[scalar];
    const int *at = k->scalar_map[scalar], *at_b = at + k->depends[s->a].n;
    const int n = k->scalar_depends[scalar].n;
    double *ga = k->local[1], *gb = k->local[2], rate, bias;
    const double b = spread(k, s->b, at_b, n, 0, gb, &rate, &bias);
    const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){a, b}, s->last);
    const double* t = foot.tangent;
    spread_hessian(k, s->a, at, n, foot.normal[0], H, work);
    spread_hessian(k, s->b, at_b, n, foot.normal[1], H, work);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            H[n * i + j] +=
                foot.bend * (t[0] * ga[i] + t[1] * gb[i]) * (t[0] * ga[j] + t[1] * gb[j]);
}

void sari_scalar_hessian(const sari_kinematics* k, int scalar, double* H, double* work)
{
    const sari_scalar* s = &k->scalar[scalar];
    if (s->kind == SARI_SCALAR_STATE) {
        H[0] = 0.0;
        return;
    }
    if (s->kind == SARI_SCALAR_COMPOSITE) {
        sari_composite_hessian(k, scalar, H);
        return;
    }
    const int* at = k->scalar_map[scalar];
    const int* at_b = at + k->depends[s->a].n;
    int n = k->scalar_depends[scalar].n;
    double *ga = k->local[1], *gb = k->local[2], rate, bias;
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    double a = spread(k, s->a, at, n, 0, ga, &rate, &bias);
    if (s->kind == SARI_SCALAR_PLAIN) {
        spread_hessian(k, s->a, at, n, 1.0, H, work);
    } else if (s->kind == SARI_SCALAR_ROOT) { // H_a/(2 l) - g g'/l with g = ga/(2 l)
        double l = sqrt(a);
        if (l == 0.0) return;
        spread_hessian(k, s->a, at, n, 0.5 / l, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) H[n * i + j] -= 0.25 * ga[i] * ga[j] / (l * l * l);
    } else if (s->kind == SARI_SCALAR_COMPLEMENT) { // -a H_a/l - ga ga'/l^3
        double l = sqrt(1.0 - a * a);
        spread_hessian(k, s->a, at, n, -a / l, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) H[n * i + j] -= ga[i] * ga[j] / (l * l * l);
    } else if (s->kind == SARI_SCALAR_ARC) { // H_a/c + a ga ga'/c^3
        double c = sqrt(1.0 - a * a);
        spread_hessian(k, s->a, at, n, 1.0 / c, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) H[n * i + j] += a * ga[i] * ga[j] / (c * c * c);
    } else if (s->kind == SARI_SCALAR_CURVE) {
        curve_hessian(k, scalar, a, H, work);
    } else if (s->kind ==
               SARI_SCALAR_VECTOR) { // h H_a + h' (a H_b + ga gb' + gb ga') + h'' a gb gb'
        double b = spread(k, s->b, at_b, n, 0, gb, &rate, &bias), h[3];
        sari_angle_by_sine(b, h);
        spread_hessian(k, s->a, at, n, h[0], H, work);
        spread_hessian(k, s->b, at_b, n, h[1] * a, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                H[n * i + j] += h[1] * (ga[i] * gb[j] + gb[i] * ga[j]) + h[2] * a * gb[i] * gb[j];
    } else { // g = N/D, N = b ga - a gb
        double b = spread(k, s->b, at_b, n, 0, gb, &rate, &bias);
        double f = 1.0 / (a * a + b * b);
        spread_hessian(k, s->a, at, n, f * b, H, work);
        spread_hessian(k, s->b, at_b, n, -f * a, H, work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                H[n * i + j] += f * (ga[i] * gb[j] - gb[i] * ga[j]) -
                                f * f * (b * ga[i] - a * gb[i]) * 2.0 * (a * ga[j] + b * gb[j]);
    }
}

/* Which turn an angle is in has to be told anew only once it has moved by some 20 degrees; the foot
 * point on a curve is followed from step to step. */
void sari_scalars_commit(sari_kinematics* k)
{
    for (int s = 0; s < k->scalars; s++) {
        sari_scalar* scalar = &k->scalar[s];
        if (!sari_scalar_has_two(scalar) || scalar->kind == SARI_SCALAR_VECTOR) continue;
        double a = sari_poly_value(k, scalar->a), b = sari_poly_value(k, scalar->b);
        if (scalar->kind == SARI_SCALAR_CURVE) {
            scalar->last = sari_curve_find(scalar->curve, (double[2]){a, b}, scalar->last).s;
            continue;
        }
        double a0 = scalar->last_a, b0 = scalar->last_b, along = a * a0 + b * b0;
        if (along > 0.0 && along * along > 0.88 * (a * a + b * b) * (a0 * a0 + b0 * b0)) continue;
        scalar->last = nearest_turn(sari_atan2(a, b), scalar->last);
        scalar->last_a = a;
        scalar->last_b = b;
    }
}
