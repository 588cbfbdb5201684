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
#include "elements/magic_tyre.h"

#include "expression/time.h"
#include "math/vec3.h"
#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism/mechanism.h"

#include <string.h>

enum { RATE = SCALARS, TIME = 2 * SCALARS, STATE, VARIABLES = STATE + SARI_FORCE_STATES };

#define SARI_DUAL VARIABLES
#include "math/dual.h"

static dual scalar_of(const sari_force_state* at, int i)
{
    return dual_variable(at->value[i], i);
}

static dual rate_of(const sari_force_state* at, int i)
{
    return dual_variable(at->rate[i], RATE + i);
}

static dual state_of(const sari_force_state* at, int i)
{
    return dual_variable(at->state[i], STATE + i);
}

static dual time_of(const sari_force_state* at)
{
    return dual_variable(at->variables[SARI_VARIABLE_T], TIME);
}

#include "elements/magic_contact.h"

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
    SARI_TRY(sari_check_vector(model, def->axis, "axis", error));
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

/* ---- action --------------------------------------------------------------------------------- */

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

static void act(const sari_force* tyre, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const int n = states(tyre->def);
    contact k;
    grip g;
    dual force[SCALARS];
    sari_magic_tyre_act(tyre, at, what, out);
    if (!(what & SARI_ACT_SLOPES)) return;
    find_contact(tyre, at, &k);
    if (at->at_rest)
        memset(&g, 0, sizeof g); // it carries
    else
        take_grip(tyre, at, &k, &g);
    apply(&k, &g, force);
    take_slopes(force, &g, n, out);
}

static sari_force_picture picture(const void* def_)
{
    const sar_magic_tyre_def* def = def_;
    sari_force_picture out = {.shows = SARI_SHOWS_TYRE, .in_body = 1};
    memcpy(out.axis, def->axis, sizeof out.axis);
    return out;
}

static void place_of_road(const sari_force* tyre, int dimension, int text, sari_time_series* moving,
                          const sari_time_series* scalar)
{
    (void)tyre, (void)dimension, (void)text;
    moving[SARI_VARIABLE_X] = scalar[CENTRE];
    moving[SARI_VARIABLE_V] = scalar[CENTRE + 1];
}

static int outside(const sari_mechanism* m, const sari_force* tyre, const sari_force_state* at,
                   const double* X, double* number)
{
    (void)m, (void)X;
    const sar_magic_tyre_def* def = tyre->def;
    contact k;
    place(tyre, at, &k);
    if (!(k.rho.v > 0.0)) return 0;
    *number = 180.0 / sari_acos(-1.0) * fabs(k.gamma.v);
    if (*number > 60.0) return 1;
    *number = k.rho.v / def->coefficient[SAR_MAGIC_UNLOADED_RADIUS];
    if (*number > 1.0) return 2;
    const double most = def->coefficient[SAR_MAGIC_FZMAX];
    *number = most > 0.0 ? def->coefficient[SAR_MAGIC_VERTICAL_STIFFNESS] * k.rho.v / most : 0.0;
    return *number > 1.0 ? 3 : 0;
}

static bool road_of(const void* def_, sari_force_ground* out)
{
    const sar_magic_tyre_def* def = def_;
    *out = (sari_force_ground){.other = def->body.i};
    out->uneven = def->road && strcmp(def->road, "0") != 0;
    out->radius = def->coefficient[SAR_MAGIC_UNLOADED_RADIUS];
    out->normal[def->up] = 1.0, out->x[(def->up + 1) % 3] = 1.0;
    memcpy(out->other_point, def->point, sizeof out->other_point);
    return true;
}

static double height_of_road(const sari_force* tyre, double x, double y)
{
    double at[SARI_VARIABLE_SIGNAL] = {0};
    at[SARI_VARIABLE_X] = x, at[SARI_VARIABLE_V] = y;
    return tyre->expression[ROAD] ? sari_expression_value(tyre->expression[ROAD], at) : 0.0;
}

const sari_force_type sari_magic_tyre_force = {
    .is.word =
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
    .is.size = sizeof(sar_magic_tyre_def),
    .is.usual = &USUAL,
    .is.text = {[ROAD] = {"road", offsetof(sar_magic_tyre_def, road), SARI_USE_GROUND, "0"}},
    .is.body = offsetof(sar_magic_tyre_def, body),
    .is.point = offsetof(sar_magic_tyre_def, point),
    .radius =
        offsetof(sar_magic_tyre_def, coefficient) + SAR_MAGIC_UNLOADED_RADIUS * sizeof(double),
    .grounded = "a tyre on the ground moves nothing; name a point of a body",
    .check = check,
    .convert = convert,
    .in_plane = 0,
    .in_space = SCALARS,
    .compile = compile,
    .act = act,
    .place = place_of_road,
    .outside = outside,
    .range = {"leans by %.3g deg: the formula is for wheels that stand",
              "is pressed in by %.3g times its radius: the wheel's centre is below the road",
              "carries %.3g times FZMAX: beyond that slip forces do not grow with the load"},
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
    .show = sari_magic_tyre_show,
    .picture = picture,
    .ground = road_of,
    .height = height_of_road,
};
