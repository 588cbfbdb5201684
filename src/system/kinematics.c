#include "system/kinematics.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "system/quadratics_kernels.h"

#include <math.h>
#include <string.h>

/* ---- evaluation ----------------------------------------------------------------------------- */

/* The product of row a of T with x, added to a number. */
SARI_INLINE double add_row(const sari_linear_map* T, int a, const double* x, double sum)
{
    for (int e = T->p[a]; e < T->p[a + 1]; e++) sum += T->t[e] * x[T->q[e]];
    return sum;
}

void sari_kinematics_linear_rates(const sari_kinematics* k, int b, const double* v, double* Xd)
{
    for (int a = 0; a < k->nx; a++) Xd[a] = add_row(&k->map, k->nx * b + a, v, 0.0);
}

/* X = X0 + T q of a body and, with v, Xd = T v */
static void place(const sari_kinematics* k, int b, const double* v)
{
    const double* X0 = k->coordinates->X0;
    for (int a = k->nx * b; a < k->nx * (b + 1); a++) k->X[a] = add_row(&k->map, a, k->q, X0[a]);
    if (v) sari_kinematics_linear_rates(k, b, v, k->Xd + k->nx * b);
}

/* Bring X, T and D2 to q, the rates to v, unless they are there. */
static void move(sari_kinematics* k, int rates_of_X)
{
    sari_coordinates* c = k->coordinates;
    const size_t positions = (size_t)c->np * sizeof(double);
    if (!k->mapped || memcmp(k->at_q, k->q, positions) != 0) {
        c->ops->update(c, k->q, k->X);
        memcpy(k->at_q, k->q, positions);
        k->placed = k->mapped = 1;
        k->moving = k->tree_moving = 0;
    }
    if (k->v) c->evaluator->rates(k, rates_of_X);
}

void sari_kinematics_place(sari_kinematics* k, const double* q)
{
    const sari_coordinates* c = k->coordinates;
    size_t positions = (size_t)c->np * sizeof(double);
    if (!c->evaluator->place_alone) {
        sari_kinematics_update(k, q, NULL, 1);
        return;
    }
    k->q = q;
    k->v = NULL;
    if (k->placed && memcmp(k->at_q, q, positions) == 0) return;
    c->ops->place(c, q, k->X);
    memcpy(k->at_q, q, positions);
    k->placed = 1;
    k->mapped = k->moving = 0;
}

void sari_kinematics_update(sari_kinematics* k, const double* q, const double* v, int placement)
{
    k->q = q;
    k->v = v;
    if (!k->constant) {
        move(k, placement);
    } else if (placement) {
        for (int b = 1; b < k->coordinates->mechanism->bodies; b++)
            place(k, b, placement != SARI_PLACES ? v : NULL);
    }
}

void sari_kinematics_update_body(sari_kinematics* k, const double* q, const double* v, int b)
{
    if (!k->constant) {
        sari_kinematics_update(k, q, v, 1);
        return;
    }
    k->q = q;
    k->v = v;
    if (b == 0) return; // the ground stays
    place(k, b, v);
}

void sari_kinematics_position(sari_kinematics* k, const double* q)
{
    if (k->coordinates->evaluator->place_alone)
        sari_kinematics_place(k, q);
    else
        sari_kinematics_update(k, q, NULL, 0);
}

void sari_body_pull(const sari_kinematics* k, int b, const double* G, double* out)
{
    k->coordinates->evaluator->pull(k, b, G, out);
}

void sari_body_column(const sari_kinematics* k, int b, int j, double* dX)
{
    k->coordinates->evaluator->column(k, b, j, dX);
}

void sari_body_add_second(const sari_kinematics* k, int b, const double* G, int j, double* out)
{
    k->coordinates->evaluator->add_second(k, b, G, j, out);
}

void sari_kinematics_accelerations(const sari_kinematics* k, const double* a, double* Xdd)
{
    k->coordinates->evaluator->accelerations(k, a, Xdd);
}

double sari_poly_value(const sari_kinematics* k, int poly)
{
    return sari_quadratics_value(&k->compiled, poly, k->constant ? k->q : k->X);
}

double sari_poly_gradient(const sari_kinematics* k, int poly, double* g)
{
    double value;
    if (!k->constant) return k->coordinates->evaluator->gradient(k, poly, g);
    sari_quadratics_gradient(&k->compiled, poly, poly + 1, k->q, &value, g);
    return value;
}

void sari_poly_gradient_rate(const sari_kinematics* k, int poly, double* g)
{
    if (k->constant)
        sari_quadratics_gradient_rate(&k->compiled, poly, poly + 1, k->v, g);
    else
        k->coordinates->evaluator->gradient_rate(k, poly, g);
}

double sari_poly_bias(const sari_kinematics* k, int poly)
{
    const sari_quadratics* f = &k->compiled;
    const sari_quadratic_entry *first = f->entry + f->p[poly], *end = f->row[poly].end, *e;
    const double *X = k->X, *Xd = k->constant ? k->v : k->Xd, *Xdd = k->Xdd;
    double bias = 0.0;
    for (e = first; e < end; e++) bias += Xd[e->i] * sari_quadratics_times(f, e, Xd, 1);
    if (k->constant) return bias;
    for (e = first; e < end; e++) bias += (e->b + sari_quadratics_times(f, e, X, 1)) * Xdd[e->i];
    return bias;
}

void sari_poly_hessian(const sari_kinematics* k, int poly, double s, double* H)
{
    const sari_quadratics* f = &k->compiled;
    const int n = k->depends[poly].n;
    if (!k->constant) {
        k->coordinates->evaluator->hessian(k, 1, &poly, &s, H);
        return;
    }
    for (int e = 0; e < n; e++)
        for (int t = f->h[f->p[poly] + e]; t < f->h[f->p[poly] + e + 1]; t++)
            H[n * e + f->term[t].at] += s * f->term[t].c;
}

void sari_polys_hessian(const sari_kinematics* k, int count, const int* poly, const double* s,
                        double* H)
{
    int same = !k->constant;
    for (int i = 1; same && i < count; i++)
        same = k->slot[poly[i]][0] == k->slot[poly[0]][0] &&
               k->slot[poly[i]][1] == k->slot[poly[0]][1];
    if (same && count > 0)
        k->coordinates->evaluator->hessian(k, count, poly, s, H);
    else
        for (int i = 0; i < count; i++) sari_poly_hessian(k, poly[i], s[i], H);
}

/* A component of X among those of a polynomial's bodies. */
static int local_of(const sari_kinematics* k, const int* slot, int a)
{
    const int first = a - k->nx * slot[0];
    return first >= 0 && first < k->nx ? first : k->nx + a - k->nx * slot[1];
}

void sari_polys_eval_on_X(const sari_kinematics* k, int count, const int* poly, const double* s,
                          sari_polys_on_X* out)
{
    const sari_quadratics* f = &k->compiled;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < count; i++) {
        const int *slot = k->slot[poly[i]], first = f->p[poly[i]], end = f->p[poly[i] + 1];
        double value, g[SARI_POLY_X];
        sari_quadratics_gradient(f, poly[i], poly[i] + 1, k->X, &value, g);
        for (int e = first; e < end; e++) {
            const int a = local_of(k, slot, f->entry[e].i);
            out->by[a] += s[i] * g[e - first];
            for (int t = f->h[e]; t < f->h[e + 1]; t++)
                out->second[a][local_of(k, slot, f->term[t].i)] += s[i] * f->term[t].c;
        }
    }
}

/* ---- scalars -------------------------------------------------------------------------------- */

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
    return s->zero + asin(fmax(-1.0, fmin(1.0, a)));
}

/* Where a state is in v; its integral is as far from the end of q. */
static int state_at(const sari_kinematics* k, const sari_scalar* s)
{
    return k->coordinates->nq - k->coordinates->states + s->a;
}

static double state_integral(const sari_kinematics* k, const sari_scalar* s)
{
    return k->q[k->coordinates->np - k->coordinates->states + s->a];
}

double sari_scalar_value_of(const sari_kinematics* k, int scalar)
{
    const sari_scalar* s = &k->scalar[scalar];
    if (s->kind == SARI_SCALAR_STATE) return state_integral(k, s);
    if (s->kind == SARI_SCALAR_FLOW) return 0.0;
    const double a = sari_poly_value(k, s->a);
    switch (s->kind) {
    case SARI_SCALAR_ROOT:
        return sqrt(a);
    case SARI_SCALAR_COMPLEMENT:
        return sqrt(1.0 - a * a);
    case SARI_SCALAR_ARC:
        return arc(s, a);
    case SARI_SCALAR_ANGLE:
        return nearest_turn(atan2(a, sari_poly_value(k, s->b)), s->last);
    case SARI_SCALAR_CURVE:
        return sari_curve_find(s->curve, (double[2]){a, sari_poly_value(k, s->b)}, s->last)
            .distance;
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
        *out = (sari_scalar_value){state_integral(k, s), level ? k->v[state_at(k, s)] : 0.0, 0.0,
                                   out->g};
        out->g[0] = 1.0;
        return SAR_OK;
    }
    if (s->kind == SARI_SCALAR_FLOW) return sari_flow_eval(k, scalar, level, out);
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
        out->value = nearest_turn(atan2(a, b), s->last);
        out->rate = f * (b * rate_a - a * rate_b);
        out->bias = f * (b * out->bias - a * bias_b - 2.0 * out->rate * (a * rate_a + b * rate_b));
    } else if (s->kind == SARI_SCALAR_CURVE) {
        eval_curve(k, scalar, level, a, out);
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
        out->value = nearest_turn(atan2(a, b), s->last);
        out->by[0] = f * b, out->by[1] = -f * a;
    } else if (s->kind == SARI_SCALAR_CURVE) {
        const sari_curve_foot foot = sari_curve_find(s->curve, (double[2]){a, b}, s->last);
        out->value = foot.distance;
        out->by[0] = foot.normal[0], out->by[1] = foot.normal[1];
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
        if (!sari_scalar_has_two(scalar)) continue;
        double a = sari_poly_value(k, scalar->a), b = sari_poly_value(k, scalar->b);
        if (scalar->kind == SARI_SCALAR_CURVE) {
            scalar->last = sari_curve_find(scalar->curve, (double[2]){a, b}, scalar->last).s;
            continue;
        }
        double a0 = scalar->last_a, b0 = scalar->last_b, along = a * a0 + b * b0;
        if (along > 0.0 && along * along > 0.88 * (a * a + b * b) * (a0 * a0 + b0 * b0)) continue;
        scalar->last = nearest_turn(atan2(a, b), scalar->last);
        scalar->last_a = a;
        scalar->last_b = b;
    }
}

/* ---- construction --------------------------------------------------------------------------- */

sar_status sari_coordinates_map(const sari_coordinates* c, sari_arena* memory, sari_affine** out,
                                sar_error* error)
{
    const sari_mechanism* m = c->mechanism;
    const int nx = m->nx;
    *out = SARI_TAKE(memory, sari_affine, nx * m->bodies);
    if (!*out) return SAR_E_NOMEM;
    for (int b = 1; b < m->bodies; b++)
        for (int a = 0; a < nx; a++) {
            sari_affine* f = *out + nx * b + a;
            f->c = c->X0[nx * b + a];
            for (int i = 0; i < c->body[b].nq; i++)
                if (!sari_affine_add(f, c->body[b].T[c->body[b].nq * a + i], c->body[b].q[i]))
                    return sari_fail(error, SAR_E_MODEL, NULL,
                                     "body \"%s\" depends on too many coordinates",
                                     m->model->bodies[b].name);
        }
    return SAR_OK;
}

/* The polynomials in q: the map put into the mechanism's. */
static sar_status substitute(sari_kinematics* k, sar_error* error)
{
    const sari_mechanism* m = k->coordinates->mechanism;
    sari_arena scratch = {0};
    sari_affine* map;
    sar_status st = sari_coordinates_map(k->coordinates, &scratch, &map, error);
    for (int p = 0; p < m->poly.count && st == SAR_OK; p++)
        if (sari_polynomial_substitute(&m->poly, p, map, &k->poly) < 0) st = SAR_E_NOMEM;
    sari_arena_clear(&scratch);
    return st;
}

static sar_status copy_polynomials(sari_kinematics* k)
{
    const sari_polynomials* from = &k->coordinates->mechanism->poly;
    sari_polynomials* to = &k->poly;
    *to = *from;
    to->row = sari_copy(from->row, (size_t)from->count, sizeof *from->row);
    to->linear = sari_copy(from->linear, (size_t)from->linear_count, sizeof *from->linear);
    to->product = sari_copy(from->product, (size_t)from->product_count, sizeof *from->product);
    int ok = (to->row || !from->count) && (to->linear || !from->linear_count) &&
             (to->product || !from->product_count);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

/* depends: constant maps */
static sar_status list_variables(sari_kinematics* k, int poly)
{
    const int *p = k->compiled.p, n = p[poly + 1] - p[poly];
    k->depends[poly].n = n;
    k->depends[poly].i = SARI_TAKE(k->memory, int, n);
    if (!k->depends[poly].i) return SAR_E_NOMEM;
    for (int e = 0; e < n; e++) k->depends[poly].i[e] = k->compiled.entry[p[poly] + e].i;
    return SAR_OK;
}

sar_status sari_kinematics_compile(sari_kinematics* k)
{
    const sari_polynomials* p = &k->poly;
    SARI_TRY(sari_quadratics_create(&k->compiled, k->memory, p->count, p->linear_count,
                                    p->product_count));
    for (int i = 0; i < p->count; i++) SARI_TRY(sari_quadratics_add(&k->compiled, p, i));
    k->depends = SARI_TAKE(k->memory, sari_term_list, p->count);
    if (!k->depends) return SAR_E_NOMEM;
    for (int i = 0; k->constant && i < p->count; i++) SARI_TRY(list_variables(k, i));
    return SAR_OK;
}

/* slot: its (one or two) bodies; depends: their coordinates */
static sar_status list_bodies(sari_kinematics* k, int poly)
{
    int list[SARI_POLY_X], bodies = 0;
    int n = sari_polynomial_variables(&k->poly, poly, list, SARI_POLY_X);
    for (int t = 0; t < n && t < SARI_POLY_X; t++) {
        int b = list[t] / k->nx;
        if (bodies && k->slot[poly][bodies - 1] == b) continue;
        if (bodies == 2) return SAR_E_ARG;
        k->slot[poly][bodies++] = b;
    }
    return k->coordinates->evaluator->list(k, poly);
}

static sar_status list_state(sari_kinematics* k, int s)
{
    sari_term_list* all = &k->scalar_depends[s];
    all->n = 1;
    all->i = SARI_TAKE(k->memory, int, 1);
    if (!all->i) return SAR_E_NOMEM;
    all->i[0] = state_at(k, &k->scalar[s]);
    return SAR_OK;
}

static sar_status list_scalar(sari_kinematics* k, int s)
{
    const sari_scalar* scalar = &k->scalar[s];
    if (scalar->kind == SARI_SCALAR_STATE) return list_state(k, s);
    if (scalar->kind == SARI_SCALAR_FLOW) return sari_flow_list(k, s);
    int both = sari_scalar_has_two(scalar);
    const sari_term_list *a = &k->depends[scalar->a], *b = &k->depends[scalar->b];
    int nb = both ? b->n : 0, n = 0, i = 0, j = 0;
    sari_term_list* all = &k->scalar_depends[s];
    all->i = SARI_TAKE(k->memory, int, a->n + nb);
    k->scalar_map[s] = SARI_TAKE(k->memory, int, a->n + nb);
    if (!all->i || !k->scalar_map[s]) return SAR_E_NOMEM;
    while (i < a->n || j < nb) { // merge
        int take_a = i < a->n && (j >= nb || a->i[i] <= b->i[j]);
        int take_b = j < nb && (i >= a->n || b->i[j] <= a->i[i]);
        all->i[n] = take_a ? a->i[i] : b->i[j];
        if (take_a) k->scalar_map[s][i++] = n;
        if (take_b) k->scalar_map[s][a->n + j++] = n;
        n++;
    }
    all->n = n;
    return SAR_OK;
}

static sar_status make_room(sari_kinematics* k)
{
    for (int p = 0; p < k->poly.count; p++)
        if (k->depends[p].n > k->longest) k->longest = k->depends[p].n;
    for (int s = 0; s < k->scalars; s++)
        if (k->scalar_depends[s].n > k->longest) k->longest = k->scalar_depends[s].n;
    for (int i = 0; i < 4; i++) k->local[i] = SARI_TAKE(k->memory, double, k->longest);
    return k->memory->failed ? SAR_E_NOMEM : SAR_OK;
}

static sar_status list_map(sari_kinematics* k)
{
    const sari_coordinates* c = k->coordinates;
    const int bodies = c->mechanism->bodies, nx = k->nx;
    size_t entries = 0;
    for (int b = 1; b < bodies; b++)
        for (int i = 0; i < nx * c->body[b].nq; i++) entries += c->body[b].T[i] != 0.0;
    sari_linear_map* m = &k->map;
    m->p = SARI_TAKE(k->memory, int, nx* bodies + 1);
    m->q = SARI_TAKE(k->memory, int, entries);
    m->at = SARI_TAKE(k->memory, int, entries);
    m->t = SARI_TAKE(k->memory, double, entries);
    if (k->memory->failed) return SAR_E_NOMEM;
    int e = 0;
    for (int a = nx; a < nx * bodies; a++) { // the ground has none
        const sari_body_map* map = &c->body[a / nx];
        const double* T = map->T + map->nq * (a % nx);
        m->p[a] = e;
        for (int i = 0; i < map->nq; i++)
            if (T[i] != 0.0) m->q[e] = map->q[i], m->at[e] = i, m->t[e++] = T[i];
    }
    m->p[nx * bodies] = e;
    return SAR_OK;
}

static sar_status build(sari_kinematics* k, sar_error* error)
{
    const sari_mechanism* m = k->coordinates->mechanism;
    SARI_TRY(k->constant ? substitute(k, error) : copy_polynomials(k));
    size_t x = (size_t)(k->nx * m->bodies);
    k->X = SARI_TAKE(k->memory, double, x);
    k->Xd = SARI_TAKE(k->memory, double, x);
    k->Xdd = SARI_TAKE(k->memory, double, x);
    k->at_q = SARI_TAKE(k->memory, double, k->coordinates->np);
    k->at_v = SARI_TAKE(k->memory, double, k->coordinates->nq);
    SARI_TRY(sari_kinematics_compile(k));
    if (k->constant) SARI_TRY(list_map(k));
    k->slot = sari_arena_take(k->memory, (size_t)k->poly.count, sizeof *k->slot);
    k->offset = sari_arena_take(k->memory, (size_t)k->poly.count, sizeof *k->offset);
    k->paths = SARI_TAKE(k->memory, sari_poly_paths, k->poly.count);
    k->scalars = m->scalars_count;
    k->scalar = SARI_TAKE(k->memory, sari_scalar, k->scalars);
    k->scalar_depends = SARI_TAKE(k->memory, sari_term_list, k->scalars);
    k->scalar_map = SARI_TAKE(k->memory, int*, k->scalars);
    if (k->memory->failed) return SAR_E_NOMEM;
    memcpy(k->X, m->X0, x * sizeof *k->X); // the ground's part stays
    for (int p = 0; !k->constant && p < k->poly.count; p++) SARI_TRY(list_bodies(k, p));
    for (int s = 0; s < k->scalars; s++) {
        k->scalar[s] = m->scalars[s];
        SARI_TRY(list_scalar(k, s));
    }
    return make_room(k);
}

sar_status sari_kinematics_create(sari_coordinates* c, sari_arena* memory, sari_kinematics** out,
                                  sar_error* error)
{
    sari_kinematics* k = *out = SARI_TAKE(memory, sari_kinematics, 1);
    if (!k) return SAR_E_NOMEM;
    *k = (sari_kinematics){
        .memory = memory, .coordinates = c, .nx = c->mechanism->nx, .constant = c->constant};
    return build(k, error);
}
