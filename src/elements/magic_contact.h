/* The contact of a wheel with the road and its grip, equations (1)-(7) of magic_tyre.c, in dual
 * numbers. Before this is included, SARI_DUAL says by what derivatives are wanted, and
 *
 *     scalar_of, rate_of, state_of (at, i), time_of (at)
 *
 * give the scalars, their rates, the states and t with theirs. */
#ifndef SARI_MAGIC_CONTACT_H
#define SARI_MAGIC_CONTACT_H

#include "elements/magic_tyre.h"
#include "model/parts.h"

#include <math.h>

static const double TOUCH = 0.05; ///< of the nominal deflection: the damper acts in full from there
static const double LIGHT = 0.01; ///< of the nominal load: below, F_z of (3) is less than F
typedef struct vector {
    dual x[3];
} vector;

static dual dot(const vector* a, const vector* b)
{
    dual out = dual_times(a->x[0], b->x[0]);
    out = dual_add(out, dual_times(a->x[1], b->x[1]));
    return dual_add(out, dual_times(a->x[2], b->x[2]));
}

static vector cross(const vector* a, const vector* b)
{
    vector out;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out.x[k] = dual_subtract(dual_times(a->x[i], b->x[j]), dual_times(a->x[j], b->x[i]));
    }
    return out;
}

static vector times(dual k, const vector* a)
{
    vector out;
    for (int i = 0; i < 3; i++) out.x[i] = dual_times(k, a->x[i]);
    return out;
}

/* a + k b */
static vector plus(const vector* a, dual k, const vector* b)
{
    vector out = times(k, b);
    for (int i = 0; i < 3; i++) out.x[i] = dual_add(a->x[i], out.x[i]);
    return out;
}

/// The wheel on the road.
typedef struct contact {
    vector c, n, e, cd, nd, ed; ///< centre, axis, spoke; their rates
    vector m, x, y, radial;
    dual w_t, gamma, cosine, loaded, rho, rho_rate;
    dual load, speed, slow, slip, aside; ///< F_z, V . x, U, V_sx, V_sy
} contact;

/* w, its slopes and its rate at (x, y, t) = at: second derivatives along sums of two directions. */
static void road_under(const sari_force* tyre, const dual at[3], dual* w, dual slope[2], dual* rate)
{
    static const int variable[3] = {SARI_VARIABLE_X, SARI_VARIABLE_V, SARI_VARIABLE_T};
    double first[3], second[3][3], value = 0.0;
    const double variables[SARI_VARIABLE_SIGNAL] = {
        [SARI_VARIABLE_X] = at[0].v, [SARI_VARIABLE_V] = at[1].v, [SARI_VARIABLE_T] = at[2].v};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double direction[SARI_VARIABLE_SIGNAL] = {0}, out[3];
            direction[variable[i]] = direction[variable[j]] = 1.0;
            sari_expression_series_along(tyre->expression[ROAD], variables, direction, out);
            if (i == j) value = out[0], first[i] = out[1];
            second[i][j] = second[j][i] = out[2];
        }
    dual* const by[3] = {&slope[0], &slope[1], rate};
    *w = dual_constant(value);
    for (int i = 0; i < 3; i++) {
        *w = dual_add(*w, dual_of(at[i], 0.0, first[i]));
        *by[i] = dual_constant(first[i]);
        for (int j = 0; j < 3; j++)
            *by[i] = dual_add(*by[i],
                              dual_of(at[j], 0.0,
                                      i == j ? second[i][i]
                                             : 0.5 * (second[i][j] - second[i][i] - second[j][j])));
    }
}

/* (1), (2) */
static void place(const sari_force* tyre, const sari_force_state* at, contact* k)
{
    const sar_magic_tyre_def* def = tyre->def;
    dual w = {0}, slope[2] = {{0}, {0}};
    for (int i = 0; i < 3; i++) {
        k->c.x[i] = scalar_of(at, CENTRE + i);
        k->n.x[i] = scalar_of(at, AXIS + i);
        k->e.x[i] = scalar_of(at, SPOKE + i);
    }
    // coordinates that do not yet meet their conditions: the axis is a direction all the same
    k->n = times(dual_over(dual_constant(1.0), dual_sqrt(dot(&k->n, &k->n))), &k->n);
    k->w_t = dual_constant(0.0);
    if (!sari_expression_is_constant(tyre->expression[ROAD]))
        road_under(tyre, (dual[3]){k->c.x[0], k->c.x[1], time_of(at)}, &w, slope, &k->w_t);
    else
        w.v = sari_expression_value(tyre->expression[ROAD], at->variables);
    const dual square = dual_add(dual_times(slope[0], slope[0]), dual_times(slope[1], slope[1]));
    const dual up = dual_over(dual_constant(1.0), dual_sqrt(dual_shift(square, 1.0)));
    k->m = (vector){{dual_scale(-1.0, dual_times(slope[0], up)),
                     dual_scale(-1.0, dual_times(slope[1], up)), up}};
    const dual sine = dot(&k->n, &k->m);
    k->cosine = dual_sqrt(dual_shift(dual_scale(-1.0, dual_times(sine, sine)), 1.0));
    k->gamma = dual_atan(dual_over(sine, k->cosine));
    const dual inverse = dual_over(dual_constant(1.0), k->cosine);
    k->radial = plus(&k->m, dual_scale(-1.0, sine), &k->n);
    k->radial = times(inverse, &k->radial);
    k->loaded = dual_times(dual_times(dual_subtract(k->c.x[2], w), up), inverse);
    k->rho = dual_shift(dual_scale(-1.0, k->loaded), def->coefficient[SAR_MAGIC_UNLOADED_RADIUS]);
}

/* Smooth from 0 at 0 to 1 at 1. */
static dual step(dual x)
{
    if (x.v <= 0.0) return dual_constant(0.0);
    if (x.v >= 1.0) return dual_constant(1.0);
    return dual_of(x, x.v * x.v * (3.0 - 2.0 * x.v), 6.0 * x.v * (1.0 - x.v));
}

/* F where it is more than `light`, nothing where it is negative; smooth. */
static dual lift(dual F, double light)
{
    const double x = F.v / light;
    if (x <= 0.0) return dual_constant(0.0);
    if (x >= 1.0) return F;
    return dual_of(F, light * x * x * (2.0 - x), x * (4.0 - 3.0 * x));
}

/* (3) */
static void press(const double* c, contact* k)
{
    const double stiffness = c[SAR_MAGIC_VERTICAL_STIFFNESS];
    const double nominal = c[SAR_MAGIC_FNOMIN];
    const dual sine = dot(&k->n, &k->m), turning = dot(&k->m, &k->nd);
    const dual closing = dual_subtract(dual_times(k->w_t, k->m.x[2]), dot(&k->m, &k->cd));
    const dual tilting = dual_over(dual_times(dual_times(k->loaded, sine), turning),
                                   dual_times(k->cosine, k->cosine));
    k->rho_rate = dual_subtract(dual_over(closing, k->cosine), tilting);
    const dual damped = dual_times(dual_scale(c[SAR_MAGIC_VERTICAL_DAMPING], k->rho_rate),
                                   step(dual_scale(stiffness / (TOUCH * nominal), k->rho)));
    k->load = k->rho.v > 0.0
                  ? lift(dual_add(dual_scale(stiffness, k->rho), damped), LIGHT * nominal)
                  : dual_constant(0.0);
}

/* R_e(rho) */
static dual effective_radius(const double* c, const contact* k)
{
    const double rho0 = c[SAR_MAGIC_FNOMIN] / c[SAR_MAGIC_VERTICAL_STIFFNESS];
    const dual d = k->rho.v > 0.0 ? dual_scale(1.0 / rho0, k->rho) : dual_constant(0.0);
    const dual off =
        dual_add(dual_scale(c[SAR_MAGIC_DREFF], dual_atan(dual_scale(c[SAR_MAGIC_BREFF], d))),
                 dual_scale(c[SAR_MAGIC_FREFF], d));
    return dual_shift(dual_scale(-rho0, off), c[SAR_MAGIC_UNLOADED_RADIUS]);
}

/* (4), (5), and U of (6) */
static void roll(const double* c, contact* k)
{
    const double low = c[SAR_MAGIC_VXLOW];
    k->x = cross(&k->n, &k->m);
    k->x = times(dual_over(dual_constant(1.0), k->cosine), &k->x);
    k->y = cross(&k->m, &k->x);
    const vector V = plus(&k->cd, dual_times(k->loaded, dot(&k->nd, &k->radial)), &k->n);
    const vector around = cross(&k->n, &k->e);
    const dual spin = dot(&k->ed, &around);
    k->speed = dot(&V, &k->x);
    k->aside = dot(&V, &k->y);
    k->slip = dual_subtract(k->speed, dual_times(spin, effective_radius(c, k)));
    k->slow = fabs(k->speed.v) >= low
                  ? dual_abs(k->speed)
                  : dual_scale(0.5 / low, dual_shift(dual_times(k->speed, k->speed), low * low));
}

static void find_contact(const sari_force* tyre, const sari_force_state* at, contact* k)
{
    const sar_magic_tyre_def* def = tyre->def;
    place(tyre, at, k);
    for (int i = 0; i < 3; i++) {
        k->cd.x[i] = rate_of(at, CENTRE + i);
        k->nd.x[i] = rate_of(at, AXIS + i);
        k->ed.x[i] = rate_of(at, SPOKE + i);
    }
    press(def->coefficient, k);
    roll(def->coefficient, k);
}

/* ---- action --------------------------------------------------------------------------------- */

/// Slip, forces and moments, and the rates of the states.
typedef struct grip {
    dual kappa, alpha;
    dual value[SARI_MAGIC_VALUES];
    dual rate[SARI_FORCE_STATES];
} grip;

/* Value `which` of the formula by all variables; `sign` where a mirrored tyre turns it round. */
static dual chain(const sari_magic_action* action, int which, const dual* at, double sign)
{
    dual out = dual_constant(sign * action->value[which]);
    for (int k = 0; k < SARI_MAGIC_VARIABLES; k++) {
        const double by = sign * action->by[which][k];
        for (int i = 0; i < SARI_DUAL; i++) out.d[i] += by * at[k].d[i];
    }
    return out;
}

/* The formula is that of the side that was measured: the other one sees all in a mirror. */
static void evaluate(const sar_magic_tyre_def* def, const contact* k, dual kappa, dual alpha,
                     grip* g)
{
    const double side = def->mounted == (int)def->measured ? 1.0 : -1.0;
    const double most = def->coefficient[SAR_MAGIC_FZMAX];
    const dual load = most > 0.0 ? dual_at_most(k->load, most) : k->load;
    const dual at[SARI_MAGIC_VARIABLES] = {load, kappa, dual_scale(side, alpha),
                                           dual_scale(side, k->gamma), k->speed};
    double value[SARI_MAGIC_VARIABLES];
    sari_magic_action action;
    for (int i = 0; i < SARI_MAGIC_VARIABLES; i++) value[i] = at[i].v;
    // without load there is no force, but slip that has built up goes back
    const double least = 1e-9 * def->coefficient[SAR_MAGIC_FNOMIN];
    if (load.v < least) value[SARI_MAGIC_LOAD] = least;
    sari_magic_formula(def->coefficient, value, &action);
    for (int i = 0; i < SARI_MAGIC_VALUES; i++) {
        const int mirrored = i == SARI_MAGIC_FY || i == SARI_MAGIC_MX || i == SARI_MAGIC_MZ;
        const int vanishes = i <= SARI_MAGIC_MZ && load.v < least;
        g->value[i] = vanishes ? dual_constant(0.0) : chain(&action, i, at, mirrored ? side : 1.0);
    }
    g->value[SARI_MAGIC_MY] =
        dual_times(g->value[SARI_MAGIC_MY], dual_over(k->speed, k->slow)); // against the motion
}

/* (6), (7) */
static void take_grip(const sari_force* tyre, const sari_force_state* at, const contact* k, grip* g)
{
    const sar_magic_tyre_def* def = tyre->def;
    const dual kappa = dual_scale(-1.0, dual_over(k->slip, k->slow));
    const dual alpha = dual_atan(dual_over(k->aside, k->slow));
    g->kappa = def->relaxation ? state_of(at, KAPPA) : kappa;
    g->alpha = def->relaxation ? state_of(at, ALPHA) : alpha;
    evaluate(def, k, g->kappa, g->alpha, g);
    if (!def->relaxation) return;
    g->rate[KAPPA] = dual_over(dual_times(k->slow, dual_subtract(kappa, g->kappa)),
                               g->value[SARI_MAGIC_SIGMA_KAPPA]);
    g->rate[ALPHA] = dual_over(dual_times(k->slow, dual_subtract(alpha, g->alpha)),
                               g->value[SARI_MAGIC_SIGMA_ALPHA]);
}

/* Forces on the scalars. */
static void apply(const contact* k, const grip* g, dual force[SCALARS])
{
    vector F = times(k->load, &k->m), T = times(g->value[SARI_MAGIC_MZ], &k->m);
    F = plus(&F, g->value[SARI_MAGIC_FX], &k->x);
    F = plus(&F, g->value[SARI_MAGIC_FY], &k->y);
    T = plus(&T, g->value[SARI_MAGIC_MX], &k->x);
    T = plus(&T, g->value[SARI_MAGIC_MY], &k->n);
    const vector moment = cross(&k->radial, &F);
    T = plus(&T, dual_scale(-1.0, k->loaded), &moment);
    const dual about = dot(&T, &k->n);
    T = plus(&T, dual_scale(-1.0, about), &k->n);
    const vector on_axis = cross(&T, &k->n);
    vector on_spoke = cross(&k->n, &k->e);
    on_spoke = times(about, &on_spoke);
    for (int i = 0; i < 3; i++) {
        force[CENTRE + i] = F.x[i];
        force[AXIS + i] = on_axis.x[i];
        force[SPOKE + i] = on_spoke.x[i];
    }
}

#endif
