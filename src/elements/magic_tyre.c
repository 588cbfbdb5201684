/* A wheel whose tyre slips on a road of the height w(x, y, t), by the Magic Formula.
 *
 * c is the centre of the wheel, n its axis, which points to the left, e a spoke: nine scalars, whose
 * rates are those of the wheel. The road is its tangent plane under the centre, of the normal m:
 *
 *     m ~ (-w_x, -w_y, 1),   h = (c_z - w) m_z,   sin gamma = n . m                            (1)
 *     e_r = (m - (n . m) n)/cos gamma,   R_l = h/cos gamma,   C = c - R_l e_r                  (2)
 *
 * C is the point of contact: the point of the wheel's plane nearest to the road. The tyre pushes with
 * the load, rho = R_0 - R_l,
 *
 *     F = k rho + c rho' step(rho),   F_z = F, less below a small load, never negative         (3)
 *
 * where rho' is taken with the plane at rest but for w_t. Directions at C, the velocity of a point
 * there that does not spin, and slip:
 *
 *     x = n x m/cos gamma,   y = m x x,   V = c' + R_l (n' . e_r) n                            (4)
 *     V_sx = V . x - R_e n . omega,   V_sy = V . y,   n . omega = e' . (n x e)                 (5)
 *     kappa = -V_sx/U,   alpha = at(V_sy/U),   U = |V . x|                                     (6)
 *
 * Below the low speed u, U is ((V . x)^2 + u^2)/2u: there is no speed at which slip is not defined.
 * With relaxation the slip in the formula follows that of (6), over lengths sigma of the formula:
 *
 *     sigma_kappa d kappa'/dt = -V_sx - U kappa',   sigma_alpha d alpha'/dt = U (alpha - alpha') (7)
 *
 * Forces F = F_x x + F_y y + F_z m act at C, moments about x, n (that of rolling) and m. With their
 * moment T about c, the forces on the scalars n and e are (T - (T . n) n) x n and (T . n) n x e.
 *
 * The spring has the potential k rho^2/2; the power of the rest is that of all forces plus its rate.
 * Derivatives are exact: dual numbers by all scalars, their rates, t and the states. */
#include "elements/force.h"
#include "elements/magic_formula.h"

#include "math/vec3.h"
#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism.h"

#include <string.h>

enum { ROAD };                                         ///< texts
enum { CENTRE = 0, AXIS = 3, SPOKE = 6, SCALARS = 9 }; ///< scalars, three each
enum { RATE = SCALARS, TIME = 2 * SCALARS, STATE, VARIABLES = STATE + SARI_FORCE_STATES };
enum { KAPPA, ALPHA }; ///< states

#define SARI_DUAL VARIABLES
#include "math/dual.h"

static const double TOUCH = 0.05; ///< of the nominal deflection: the damper acts in full from there
static const double LIGHT = 0.01; ///< of the nominal load: below, F_z of (3) is less than F
static const double SLOW = 0.06; ///< of the speed of measurement: the low speed, unless it is given
static const double LEAST = 0.05; ///< of the nominal load: least one for relaxation, likewise

static const sar_magic_tyre_def USUAL = {.axis = {0, 1, 0},
                                         .up = -1,
                                         .mounted = -1,
                                         .coefficient = {
#define VALUE(name, usual) usual,
                                             SAR_MAGIC_LIST(VALUE)
#undef VALUE
                                         }};

sar_magic_tyre_def sar_magic_tyre_def_default(void)
{
    return USUAL;
}

sar_status sar_model_add_magic_tyre(sar_model* model, const sar_magic_tyre_def* def,
                                    sar_error* error)
{
    return sari_model_add_force(model, SARI_FORCE_MAGIC_TYRE, def, error);
}

/* ---- definition ----------------------------------------------------------------------------- */

/* Zero stands for what is not given: those without which there is no formula have no such value. */
static sar_status check_coefficients(sar_magic_tyre_def* def, sar_error* error)
{
    static const int positive[] = {SAR_MAGIC_UNLOADED_RADIUS,
                                   SAR_MAGIC_VERTICAL_STIFFNESS,
                                   SAR_MAGIC_FNOMIN,
                                   SAR_MAGIC_LONGVL,
                                   SAR_MAGIC_LFZO,
                                   SAR_MAGIC_LMUY};
    static const int nonzero[] = {SAR_MAGIC_PCX1, SAR_MAGIC_PDX1, SAR_MAGIC_PKX1, SAR_MAGIC_PCY1,
                                  SAR_MAGIC_PDY1, SAR_MAGIC_PKY1, SAR_MAGIC_PKY2, SAR_MAGIC_LKY};
    static const int not_negative[] = {SAR_MAGIC_VERTICAL_DAMPING, SAR_MAGIC_VXLOW, SAR_MAGIC_FZMIN,
                                       SAR_MAGIC_FZMAX};
    double* c = def->coefficient;
    for (int k = 0; k < SAR_MAGIC_COUNT; k++) {
        if (isnan(c[k]) && isnan(sar_magic_usual(k)))
            return sari_fail(error, SAR_E_MODEL, "file",
                             "the coefficient %s is missing, and there is no tyre without it",
                             sar_magic_name(k));
        SARI_TRY(sari_check_numbers(&c[k], 1, sar_magic_name(k), error));
    }
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (!(c[positive[k]] > 0.0))
            return sari_fail(error, SAR_E_MODEL, "file", "%s must be positive, here is %g",
                             sar_magic_name(positive[k]), c[positive[k]]);
    for (size_t k = 0; k < sizeof nonzero / sizeof *nonzero; k++)
        if (c[nonzero[k]] == 0.0)
            return sari_fail(error, SAR_E_MODEL, "file", "%s must not be zero",
                             sar_magic_name(nonzero[k]));
    for (size_t k = 0; k < sizeof not_negative / sizeof *not_negative; k++)
        if (c[not_negative[k]] < 0.0)
            return sari_fail(error, SAR_E_MODEL, "file", "%s must not be negative, here is %g",
                             sar_magic_name(not_negative[k]), c[not_negative[k]]);
    if (c[SAR_MAGIC_VXLOW] == 0.0) c[SAR_MAGIC_VXLOW] = SLOW * c[SAR_MAGIC_LONGVL];
    if (c[SAR_MAGIC_FZMIN] == 0.0) c[SAR_MAGIC_FZMIN] = LEAST * c[SAR_MAGIC_FNOMIN];
    if (def->relaxation && !(c[SAR_MAGIC_PTX1] > 0.0 && c[SAR_MAGIC_PTY1] > 0.0))
        return sari_fail(error, SAR_E_MODEL, "relaxation",
                         "relaxation needs PTX1 and PTY1, which are not in the coefficients");
    return SAR_OK;
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_magic_tyre_def* def = def_;
    if (model->dimension == 2)
        return sari_fail(error, SAR_E_MODEL, "type",
                         "a tyre that slips to the side needs a spatial model; planar ones have "
                         "the type tyre");
    SARI_TRY(sari_check_body(model, def->body, "body", error));
    SARI_TRY(sari_check_vector(model, def->point, "point", error));
    SARI_TRY(sari_check_vector(model, def->axis, "axis", error));
    if (def->body.i == SAR_GROUND.i)
        return sari_fail(error, SAR_E_MODEL, "body",
                         "a tyre on the ground moves nothing; name a point of a body");
    const double length = sari_norm3(def->axis);
    if (!(length > 0.0)) return sari_fail(error, SAR_E_MODEL, "axis", "a direction must not be 0");
    for (int k = 0; k < 3; k++) def->axis[k] /= length;
    if (def->up < 0) def->up = 2;
    if (def->up > 2) return sari_fail(error, SAR_E_MODEL, "up", "there is no such axis");
    if (def->mounted < 0) def->mounted = (int)def->measured;
    return check_coefficients(def, error);
}

/* Axes of the road: two across, in cyclic order after the one upwards. */
static int axis_of(const sar_magic_tyre_def* def, int k)
{
    return (def->up + 1 + k) % 3;
}

static void convert(sari_model_conversion* c, sari_force* tyre)
{
    sar_magic_tyre_def* def = tyre->def;
    const sari_units* u = c->u;
    const sari_conversion x = {u->length, u->origin[axis_of(def, 0)]},
                          y = {u->length, u->origin[axis_of(def, 1)]};
    sari_convert_text(c, tyre, ROAD, x, y, u->length, u->origin[def->up]);
    double* a = def->coefficient;
    a[SAR_MAGIC_UNLOADED_RADIUS] /= u->length;
    a[SAR_MAGIC_LONGVL] /= u->length;
    a[SAR_MAGIC_VXLOW] /= u->length;
    a[SAR_MAGIC_VERTICAL_STIFFNESS] /= u->mass;
    a[SAR_MAGIC_VERTICAL_DAMPING] /= u->mass;
    a[SAR_MAGIC_FNOMIN] /= sari_unit_of_force(u);
    a[SAR_MAGIC_FZMIN] /= sari_unit_of_force(u);
    a[SAR_MAGIC_FZMAX] /= sari_unit_of_force(u);
}

/* A direction across the axis. */
static void choose_spoke(const double n[3], double e[3])
{
    const int k = fabs(n[0]) < 0.7 ? 0 : 1;
    const double unit[3] = {k == 0, k == 1, 0};
    sari_cross(n, unit, e);
    const double length = sari_norm3(e);
    for (int i = 0; i < 3; i++) e[i] /= length;
}

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_magic_tyre_def* def = def_;
    double spoke[3];
    choose_spoke(def->axis, spoke);
    for (int k = 0; k < 3; k++) {
        const int world = axis_of(def, k);
        scalar[CENTRE + k] = sari_scalar_component(m, def->body.i, def->point, world);
        for (int which = AXIS; which <= SPOKE; which += 3) {
            const sari_affine f =
                sari_axis_affine(m, def->body.i, which == AXIS ? def->axis : spoke, world);
            const int p = sari_polynomials_new(&m->poly);
            if (p < 0 || !sari_polynomials_add_affine(&m->poly, 1.0, &f)) return 0;
            scalar[which + k] = sari_scalar_plain(m, p);
            if (scalar[which + k] < 0) return 0;
        }
        if (scalar[CENTRE + k] < 0) return 0;
    }
    return 1;
}

static int states(const void* def)
{
    return ((const sar_magic_tyre_def*)def)->relaxation ? SARI_FORCE_STATES : 0;
}

/* ---- contact -------------------------------------------------------------------------------- */

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

/* w, its slopes and its rate as dual numbers: second derivatives along sums of two directions. */
static void road_under(const sari_force* tyre, const dual at[2], double t, dual* w, dual slope[2],
                       dual* rate)
{
    static const int place[3] = {CENTRE, CENTRE + 1, TIME};
    static const int variable[3] = {SARI_VARIABLE_X, SARI_VARIABLE_V, SARI_VARIABLE_T};
    double first[3], second[3][3], value = 0.0;
    const double variables[SARI_VARIABLE_SIGNAL] = {
        [SARI_VARIABLE_X] = at[0].v, [SARI_VARIABLE_V] = at[1].v, [SARI_VARIABLE_T] = t};
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
        w->d[place[i]] = first[i];
        *by[i] = dual_constant(first[i]);
        for (int j = 0; j < 3; j++)
            by[i]->d[place[j]] =
                i == j ? second[i][i] : 0.5 * (second[i][j] - second[i][i] - second[j][j]);
    }
}

/* (1), (2) */
static void place(const sari_force* tyre, const sari_force_state* at, contact* k)
{
    const sar_magic_tyre_def* def = tyre->def;
    dual w = {0}, slope[2] = {{0}, {0}};
    for (int i = 0; i < 3; i++) {
        k->c.x[i] = dual_variable(at->value[CENTRE + i], CENTRE + i);
        k->n.x[i] = dual_variable(at->value[AXIS + i], AXIS + i);
        k->e.x[i] = dual_variable(at->value[SPOKE + i], SPOKE + i);
    }
    // coordinates that do not yet meet their conditions: the axis is a direction all the same
    k->n = times(dual_over(dual_constant(1.0), dual_sqrt(dot(&k->n, &k->n))), &k->n);
    k->w_t = dual_constant(0.0);
    if (!sari_expression_is_constant(tyre->expression[ROAD]))
        road_under(tyre, k->c.x, at->variables[SARI_VARIABLE_T], &w, slope, &k->w_t);
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
        k->cd.x[i] = dual_variable(at->rate[CENTRE + i], RATE + CENTRE + i);
        k->nd.x[i] = dual_variable(at->rate[AXIS + i], RATE + AXIS + i);
        k->ed.x[i] = dual_variable(at->rate[SPOKE + i], RATE + SPOKE + i);
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
    g->kappa = def->relaxation ? dual_variable(at->state[KAPPA], STATE + KAPPA) : kappa;
    g->alpha = def->relaxation ? dual_variable(at->state[ALPHA], STATE + ALPHA) : alpha;
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

static void take_slopes(const dual force[SCALARS], const grip* g, int states,
                        sari_force_action* out)
{
    for (int i = 0; i < SCALARS; i++) {
        for (int k = 0; k < SCALARS; k++) {
            out->by_value[i][k] = -force[i].d[k];
            out->by_rate[i][k] = -force[i].d[RATE + k];
        }
        for (int k = 0; k < states; k++) out->by_state[i][k] = -force[i].d[STATE + k];
    }
    for (int i = 0; i < states; i++) {
        for (int k = 0; k < SCALARS; k++) {
            out->g_by_value[i][k] = g->rate[i].d[k];
            out->g_by_rate[i][k] = g->rate[i].d[RATE + k];
        }
        for (int k = 0; k < states; k++) out->g_by_state[i][k] = g->rate[i].d[STATE + k];
    }
}

/* Of all that is not the negative gradient of the potential. */
static double power_of(const contact* k, const dual force[SCALARS], const sari_force_state* at,
                       double stiffness)
{
    double power = 0.0, rho_rate = k->rho.d[TIME];
    for (int i = 0; i < SCALARS; i++) {
        power += force[i].v * at->rate[i];
        rho_rate += k->rho.d[i] * at->rate[i];
    }
    return k->rho.v > 0.0 ? power + stiffness * k->rho.v * rho_rate : power;
}

static void act(const sari_force* tyre, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_magic_tyre_def* def = tyre->def;
    const double stiffness = def->coefficient[SAR_MAGIC_VERTICAL_STIFFNESS];
    const int n = states(def);
    contact k;
    grip g;
    dual force[SCALARS];
    if (what == SARI_ACT_POTENTIAL)
        place(tyre, at, &k);
    else
        find_contact(tyre, at, &k);
    if (what & SARI_ACT_POTENTIAL && k.rho.v > 0.0)
        out->potential += 0.5 * stiffness * k.rho.v * k.rho.v;
    if (what == SARI_ACT_POTENTIAL) return;
    if (at->at_rest)
        memset(&g, 0, sizeof g); // it carries
    else
        take_grip(tyre, at, &k, &g);
    apply(&k, &g, force);
    for (int i = 0; i < SCALARS; i++) out->force[i] = -force[i].v;
    for (int i = 0; i < n; i++) out->state_rate[i] = g.rate[i].v;
    if (what & SARI_ACT_SLOPES) take_slopes(force, &g, n, out);
    if (what & SARI_ACT_POWER) out->power += power_of(&k, force, at, stiffness);
}

static void show(const sari_force* tyre, const sari_force_state* at, double* out)
{
    contact k;
    grip g;
    find_contact(tyre, at, &k);
    take_grip(tyre, at, &k, &g);
    const double values[] = {g.value[SARI_MAGIC_FX].v,
                             g.value[SARI_MAGIC_FY].v,
                             k.load.v,
                             g.value[SARI_MAGIC_MX].v,
                             g.value[SARI_MAGIC_MY].v,
                             g.value[SARI_MAGIC_MZ].v,
                             g.kappa.v,
                             g.alpha.v,
                             k.gamma.v,
                             k.rho.v,
                             k.speed.v};
    memcpy(out, values, sizeof values);
}

static bool loses(const sari_force* tyre)
{
    (void)tyre;
    return true;
}

static sari_force_picture picture(const void* def_)
{
    const sar_magic_tyre_def* def = def_;
    sari_force_picture out = {.shows = SARI_SHOWS_TYRE, .in_body = 1};
    memcpy(out.axis, def->axis, sizeof out.axis);
    return out;
}

const sari_force_type sari_force_magic_tyre = {
    .word =
        {{"magic-tyre",
          "a wheel on a road, with slip: Magic Formula, PAC2002",
          {{"acts_on", SARI_READ_PLACE, 0, SARI_MUST, "the wheel's centre"},
           {"axis", SARI_READ_DIRECTION, offsetof(sar_magic_tyre_def, axis), 0,
            "axis of the wheel, which points to the left, in the body's axes; default [0, 1, 0]"},
           {"file", SARI_READ_TYRE_FILE, offsetof(sar_magic_tyre_def, coefficient), 0,
            "tyre property file (.tir), beside the model"},
           {"coefficients", SARI_READ_COEFFICIENTS, offsetof(sar_magic_tyre_def, coefficient), 0,
            "coefficients by name, in the place of those of the file or besides them"},
           {"side", SARI_READ_SIDE, offsetof(sar_magic_tyre_def, mounted), 0,
            "where it is mounted, left or right; default: the side that was measured"},
           {"road", SARI_READ_TEXT, offsetof(sar_magic_tyre_def, road), 0,
            "height of the road, an expression of x, y and t; default 0"},
           {"relaxation", SARI_READ_ANSWER, offsetof(sar_magic_tyre_def, relaxation), 0,
            "yes: slip builds up over the relaxation lengths; default no"},
           {"up", SARI_READ_AXIS, offsetof(sar_magic_tyre_def, up), 0,
            "world axis upwards; x and y of the road are the two that follow it; default z"}}}},
    .size = sizeof(sar_magic_tyre_def),
    .usual = &USUAL,
    .text = {[ROAD] = {"road", offsetof(sar_magic_tyre_def, road), SARI_USE_GROUND, "0"}},
    .body = offsetof(sar_magic_tyre_def, body),
    .point = offsetof(sar_magic_tyre_def, point),
    .radius =
        offsetof(sar_magic_tyre_def, coefficient) + SAR_MAGIC_UNLOADED_RADIUS * sizeof(double),
    .check = check,
    .convert = convert,
    .in_plane = 0,
    .in_space = SCALARS,
    .compile = compile,
    .act = act,
    .loses = loses,
    .states = states,
    .shown = {{"fx", 1, 1, "N", "along the wheel, forward"},
              {"fy", 1, 1, "N", "across it, to the left"},
              {"fz", 1, 1, "N", "load, along the normal of the road"},
              {"mx", 2, 1, "N m", "overturning"},
              {"my", 2, 1, "N m", "of rolling resistance, about the axis"},
              {"mz", 2, 1, "N m", "aligning, about the normal"},
              {"kappa", 0, 0, "", "longitudinal slip in the formula"},
              {"alpha", 0, 0, "rad", "slip angle in the formula"},
              {"gamma", 0, 0, "rad", "camber"},
              {"deflection", 1, 0, "m", "of the tyre"},
              {"speed", 1, 0, "m/s", "of the point of contact along the wheel"}},
    .show = show,
    .picture = picture,
};
