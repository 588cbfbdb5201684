/* Contact of a ball or a cylinder b with a half-space, a height field or a ball a, with friction.
 *
 * Seen from a, in its frame (normal u_0, u_1, u_2), b's point is at x and its axes e_c are
 * R_ic = u_i . e_c; b turns by w with w_i = sum_c R_jc dR_kc/dt, (i, j, k) cyclic. With the normal n
 * of the contact, the depth d, and the place rho of the contact from b's point,
 *
 *     u = dx/dt + w x rho                      velocity of b on a at the contact
 *     N = k d^p max(0, 1 - c u . n)            [hunt1975]                                     (1)
 *     T = -mu N u_t/sqrt(u_t^2 + s^2)          smooth at rest; u_t: u without its part along n (2)
 *     F = N n + T,  M = rho x F                on b                                           (3)
 *
 * F acts along x, and M along R: its virtual work is sum_i M_i sum_c R_jc dR_kc. That the reaction
 * on a is the opposite follows, since x and R are seen from there.
 *
 *     half-space        n = u_0,      d = r - x_0,         rho = -(r - d/2) n
 *     ball of radius q  n = x/|x|,    d = q + r - |x|,     likewise
 *     height field      n and d = r - D of the place nearest to b's point (height_field.h)
 *     cylinder of length l about its axis v on a half-space: its two edges, each with
 *                       m = (n - (n . v) v)/|...|,  rho = +-l/2 v - r m,  d = -n . (x + rho)
 *
 * Derivatives are exact, by dual numbers. */
#include "elements/force.h"

#include "expression/time.h"
#include "math/vec3.h"
#include "model/parts.h"
#include "system/mechanism/mechanism.h"

enum { PLACE = 0, TURN = 3, SCALARS = 12, IN_PLANE = 4 };
#define SARI_DUAL (2 * SCALARS)
#include "math/dual_vec3.h"

#include "elements/height_field.h"
#include "math/functions.h"

static const sar_contact_def USUAL = {.exponent = 1.5};

/* ---- definition ----------------------------------------------------------------------------- */

static sar_status check_axes(const sar_model* model, sar_contact_def* def, sar_error* error)
{
    const bool plane = def->other_radius == 0.0;
    if (plane && !sari_normalise(def->a.axis))
        return sari_fail(error, SAR_E_MODEL, "axis",
                         "a half-space needs its normal: axis: BODY.AXIS, out of it");
    if (!plane && !sari_normalise(def->a.axis))
        memcpy(def->a.axis, (double[3]){1, 0, 0}, sizeof def->a.axis);
    if (def->length == 0.0) return SAR_OK;
    if (model->dimension == 2)
        return sari_fail(error, SAR_E_MODEL, "length",
                         "in the plane a cylinder is a disc: remove it");
    if (!plane)
        return sari_fail(error, SAR_E_MODEL, "length",
                         "a cylinder touches a half-space, not a ball: remove other_radius");
    return sari_normalise(def->b.axis)
               ? SAR_OK
               : sari_fail(error, SAR_E_MODEL, "axis",
                           "a cylinder needs its axis: axis: [normal of the plane, axis of the "
                           "cylinder]");
}

/* What a surface goes with, and its frame. */
static sar_status check_surface(const sar_model* model, sar_contact_def* def, sar_error* error)
{
    if (!def->surface) {
        memset(def->a.normal, 0, sizeof def->a.normal);
        return SAR_OK;
    }
    if (def->other_radius != 0.0)
        return sari_fail(error, SAR_E_MODEL, "surface",
                         "a surface is no ball: remove other_radius");
    if (def->length != 0.0)
        return sari_fail(
            error, SAR_E_MODEL, "length",
            "a cylinder touches a plane, not a surface: several balls can stand for it");
    if (model->dimension == 2 || sari_is_zero(def->a.normal)) {
        memset(def->a.normal, 0, sizeof def->a.normal);
        return SAR_OK;
    }
    return sari_end_complete(&def->a, error);
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_contact_def* def = def_;
    if (!(def->exponent >= 1.0 && def->exponent <= 10.0))
        return sari_fail(error, SAR_E_MODEL, "exponent", "%g is not between 1 and 10",
                         def->exponent);
    if (def->friction > 0.0 && !(def->speed > 0.0))
        return sari_fail(error, SAR_E_MODEL, "speed",
                         "friction needs a speed > 0 below which it goes to zero");
    SARI_TRY(check_axes(model, def, error));
    return check_surface(model, def, error);
}

/* ---- scalars -------------------------------------------------------------------------------- */

static void frame_of(const sari_mechanism* m, const sar_end* a, double u[3][3])
{
    memcpy(u[0], a->axis, sizeof u[0]);
    if (m->dimension == 2) {
        memcpy(u[1], (double[3]){-u[0][1], u[0][0], 0.0}, sizeof u[1]);
        return;
    }
    if (sari_is_zero(a->normal))
        sari_usual_normal(u[0], u[1]);
    else
        memcpy(u[1], a->normal, sizeof u[1]);
    sari_cross(u[0], u[1], u[2]);
}

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_contact_def* def = def_;
    const int n = m->dimension;
    double u[3][3];
    frame_of(m, &def->a, u);
    for (int i = 0; i < n; i++)
        if ((*scalar++ = sari_scalar_offset(m, &def->a, &def->b, u[i])) < 0) return 0;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < (n == 2 ? 1 : 3); c++) {
            const double e[3] = {c == 0, c == 1, c == 2};
            if ((*scalar++ = sari_scalar_dot(m, &def->a, u[i], &def->b, e)) < 0) return 0;
        }
    return 1;
}

/* ---- action --------------------------------------------------------------------------------- */

/// b as seen from a.
typedef struct scene {
    int flat;
    vector x, xd, w;
    vector R[3]; ///< rows
} scene;

static dual scalar_of(const sari_force_state* at, int i)
{
    return dual_variable(at->value[i], i);
}

static dual rate_of(const sari_force_state* at, int i)
{
    return dual_variable(at->rate[i], SCALARS + i);
}

static void evaluate_scene(const sari_force_state* at, scene* s)
{
    *s = (scene){.flat = at->n == IN_PLANE};
    const int n = s->flat ? 2 : 3;
    for (int i = 0; i < n; i++) s->x.x[i] = scalar_of(at, i), s->xd.x[i] = rate_of(at, i);
    if (s->flat) { // the cosine and sine of b's x axis
        const dual c = scalar_of(at, 2), d = scalar_of(at, 3);
        s->w.x[2] = dual_subtract(dual_times(c, rate_of(at, 3)), dual_times(d, rate_of(at, 2)));
        s->R[0].x[0] = c;
        s->R[1].x[0] = d;
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) s->R[i].x[c] = scalar_of(at, TURN + 3 * i + c);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        for (int c = 0; c < 3; c++)
            s->w.x[i] =
                dual_add(s->w.x[i], dual_times(s->R[j].x[c], rate_of(at, TURN + 3 * k + c)));
    }
}

/// Where they touch.
typedef struct touch {
    vector n, rho;
    dual depth;
} touch;

/* A height field is z = h(x, y) with z along u_0, x along u_1 and y along u_2; in the plane x is
 * along -u_1. */
static touch touch_of_surface(const sari_expression* surface, double radius, const scene* s)
{
    touch t = {0};
    vector n;
    const double sense = s->flat ? -1.0 : 1.0;
    const vector c = {{dual_scale(sense, s->x.x[1]), s->x.x[2], s->x.x[0]}};
    t.depth = dual_shift(dual_scale(-1.0, over_surface(surface, &c, &n)), radius);
    t.n.x[0] = n.x[2], t.n.x[1] = dual_scale(sense, n.x[0]), t.n.x[2] = n.x[1];
    return t;
}

static touch touch_of_ball(const sari_force* force, const scene* s)
{
    const sar_contact_def* def = force->def;
    touch t = {0};
    if (force->expression[0]) {
        t = touch_of_surface(force->expression[0], def->radius, s);
    } else if (def->other_radius == 0.0) {
        t.n.x[0] = dual_constant(1.0);
        t.depth = dual_shift(dual_scale(-1.0, s->x.x[0]), def->radius);
    } else {
        const dual distance = dual_sqrt(vector_dot(&s->x, &s->x));
        t.n = vector_plus(&t.n, dual_over(dual_constant(1.0), distance), &s->x);
        t.depth = dual_shift(dual_scale(-1.0, distance), def->radius + def->other_radius);
    }
    const vector zero = {0};
    t.rho = vector_plus(&zero, dual_shift(dual_scale(0.5, t.depth), -def->radius), &t.n);
    return t;
}

/* The edge at the end `side` of a cylinder. Standing upright it has none. */
static touch touch_of_edge(const sar_contact_def* def, const scene* s, double side)
{
    touch t = {0};
    vector v = {0};
    t.n.x[0] = dual_constant(1.0);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            v.x[i] = dual_add(v.x[i], dual_scale(def->b.axis[c], s->R[i].x[c]));
    const vector across = vector_plus(&t.n, dual_scale(-1.0, v.x[0]), &v);
    const dual size = dual_sqrt(vector_dot(&across, &across));
    const vector zero = {0};
    t.rho = vector_plus(&zero, dual_constant(0.5 * side * def->length), &v);
    if (size.v > 1e-9)
        t.rho = vector_plus(&t.rho, dual_over(dual_constant(-def->radius), size), &across);
    t.depth = dual_scale(-1.0, dual_add(s->x.x[0], t.rho.x[0]));
    return t;
}

/// What acts on b at its point.
typedef struct wrench {
    vector F, M;
    double potential, power;
} wrench;

/* (1) to (3) */
static void push(const sar_contact_def* def, const sari_force_state* at, const scene* s,
                 const touch* t, wrench* out)
{
    const double p = def->exponent, d = t->depth.v;
    if (!(d > 0.0)) return;
    const vector turning = vector_cross(&s->w, &t->rho),
                 u = vector_plus(&s->xd, dual_constant(1.0), &turning);
    const dual along = vector_dot(&u, &t->n);
    const double secant = def->stiffness * sari_pow(d, p - 1.0);
    const dual elastic = dual_of(t->depth, secant * d, p * secant);
    const dual damped = dual_shift(dual_scale(-def->damping, along), 1.0);
    const dual N = damped.v > 0.0 ? dual_times(elastic, damped) : dual_constant(0.0);
    const vector zero = {0}, aside = vector_plus(&u, dual_scale(-1.0, along), &t->n);
    vector F = vector_plus(&zero, N, &t->n);
    if (def->friction > 0.0) {
        const dual speed =
            dual_sqrt(dual_shift(vector_dot(&aside, &aside), def->speed * def->speed));
        F = vector_plus(&F, dual_over(dual_scale(-def->friction, N), speed), &aside);
    }
    const vector M = vector_cross(&t->rho, &F);
    out->F = vector_plus(&out->F, dual_constant(1.0), &F);
    out->M = vector_plus(&out->M, dual_constant(1.0), &M);
    out->potential += elastic.v * d / (p + 1.0);
    for (int i = 0; i < 3; i++) out->power += F.x[i].v * u.x[i].v;
    for (int k = 0; k < at->n; k++) // what the potential takes
        out->power += elastic.v * t->depth.d[k] * at->rate[k];
}

/* Back along a scalar. */
static void give(sari_force_action* out, const sari_force_state* at, unsigned what, int i, dual f)
{
    out->force[i] = -f.v;
    if (!(what & SARI_ACT_SLOPES)) return;
    for (int k = 0; k < at->n; k++) {
        out->by_value[i][k] = -f.d[k];
        out->by_rate[i][k] = -f.d[SCALARS + k];
    }
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_contact_def* def = force->def;
    scene s;
    wrench w = {0};
    evaluate_scene(at, &s);
    for (int k = 0; k < (def->length > 0.0 ? 2 : 1); k++) {
        const touch t =
            def->length > 0.0 ? touch_of_edge(def, &s, k ? 1.0 : -1.0) : touch_of_ball(force, &s);
        push(def, at, &s, &t, &w);
    }
    const int n = s.flat ? 2 : 3;
    for (int i = 0; i < n; i++) give(out, at, what, i, w.F.x[i]);
    if (s.flat) { // the work of M is M (c dd - d dc)
        give(out, at, what, 2, dual_scale(-1.0, dual_times(w.M.x[2], s.R[1].x[0])));
        give(out, at, what, 3, dual_times(w.M.x[2], s.R[0].x[0]));
    } else {
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            for (int c = 0; c < 3; c++)
                give(out, at, what, TURN + 3 * k + c, dual_times(w.M.x[i], s.R[j].x[c]));
        }
    }
    if (what & SARI_ACT_POTENTIAL) out->potential += w.potential;
    if (what & SARI_ACT_POWER) out->power += w.power;
}

/* Where an edge or the ball begins to touch. */
static void kinks(const sari_force* force, const sari_force_state* at, double* g)
{
    const sar_contact_def* def = force->def;
    scene s;
    evaluate_scene(at, &s);
    const int edges = def->length > 0.0;
    g[0] = edges ? touch_of_edge(def, &s, -1.0).depth.v : touch_of_ball(force, &s).depth.v;
    g[1] = edges ? touch_of_edge(def, &s, 1.0).depth.v : NAN;
    g[2] = NAN;
}

/* Depths of the lowest point of an edge, and of the highest one of the same circle: 2 r sin(tilt) above it. A
 * cylinder whose face is in the plane with all of its edge stands on it. */
static int outside(const sari_mechanism* m, const sari_force* force, const sari_force_state* at,
                   const double* X, double* number)
{
    (void)m, (void)X;
    const sar_contact_def* def = force->def;
    scene s;
    evaluate_scene(at, &s);
    if (def->length == 0.0) {
        *number = touch_of_ball(force, &s).depth.v / def->radius;
        return *number > 1.0 ? 1 : 0;
    }
    double upright = 0.0;
    for (int c = 0; c < 3; c++) upright += def->b.axis[c] * s.R[0].x[c].v;
    const double sine = sqrt(fmax(0.0, 1.0 - upright * upright));
    for (int side = -1; side <= 1; side += 2)
        if (touch_of_edge(def, &s, side).depth.v > 2.0 * def->radius * sine) {
            *number = 180.0 / sari_acos(-1.0) * sari_asin(fmin(1.0, sine));
            return 2;
        }
    return 0;
}

static bool loses(const sari_force* force)
{
    const sar_contact_def* def = force->def;
    return def->damping != 0.0 || def->friction != 0.0;
}

/* Over the point of the surface that is under b's point: near the place that is nearest to it. */
static void place_of_surface(const sari_force* contact, int dimension, int text,
                             sari_time_series* moving, const sari_time_series* scalar)
{
    (void)contact, (void)text;
    moving[SARI_VARIABLE_X] = scalar[PLACE + 1];
    if (dimension == 2) sari_time_series_negate(&moving[SARI_VARIABLE_X]);
    moving[SARI_VARIABLE_V] = scalar[PLACE + (dimension == 2 ? 1 : 2)];
}

/* ---- pictures ------------------------------------------------------------------------------- */

static bool ground(const void* def_, sari_force_ground* out)
{
    const sar_contact_def* def = def_;
    if (def->other_radius > 0.0) return false;
    *out = (sari_force_ground){.body = def->a.body.i,
                               .other = def->b.body.i,
                               .radius = fmax(def->radius, 0.5 * def->length),
                               .uneven = def->surface != NULL};
    memcpy(out->point, def->a.point, sizeof out->point);
    memcpy(out->normal, def->a.axis, sizeof out->normal);
    memcpy(out->other_point, def->b.point, sizeof out->other_point);
    if (def->surface) memcpy(out->x, def->a.normal, sizeof out->x);
    return true;
}

static double height_over(const sari_force* force, double x, double y)
{
    double at[SARI_VARIABLE_SIGNAL] = {0};
    at[SARI_VARIABLE_X] = x, at[SARI_VARIABLE_V] = y;
    return sari_expression_value(force->expression[0], at);
}

const sari_force_type sari_contact_force = {
    .is.word =
        {{"contact",
          "a ball or a cylinder on a half-space, a height field or a ball, with friction",
          {{"between", SARI_READ_FRAMES, 0, SARI_MUST,
            "a point of the plane, or the middle of a ball; the middle of the ball or cylinder "
            "that touches it"},
           {"axis", SARI_READ_DIRECTIONS, 0, 0,
            "of a half-space its normal; of a cylinder its axis"},
           {"normal", SARI_READ_DIRECTIONS, 0, 0, "of a surface its x direction"},
           {"surface", SARI_READ_SURFACE, offsetof(sar_contact_def, surface), 0,
            "the first is the height field z = surface(x, y) over its plane: an expression of "
            "x, y and tables [m]"},
           {"radius", SARI_READ_NUMBER, offsetof(sar_contact_def, radius),
            SARI_MUST | SARI_ABOVE_ZERO, "of the second body [m]"},
           {"other_radius", SARI_READ_NUMBER, offsetof(sar_contact_def, other_radius),
            SARI_FROM_ZERO, "the first is a ball of this radius [m]; default: a half-space"},
           {"length", SARI_READ_NUMBER, offsetof(sar_contact_def, length), SARI_FROM_ZERO,
            "the second is a cylinder of this length [m]; default: a ball"},
           {"stiffness", SARI_READ_NUMBER, offsetof(sar_contact_def, stiffness),
            SARI_MUST | SARI_ABOVE_ZERO, "[N/m^exponent]"},
           {"exponent", SARI_READ_NUMBER, offsetof(sar_contact_def, exponent), 0,
            "of the depth; default 1.5, Hertz' contact"},
           {"damping", SARI_READ_NUMBER, offsetof(sar_contact_def, damping), SARI_FROM_ZERO,
            "of Hunt and Crossley [s/m]"},
           {"friction", SARI_READ_NUMBER, offsetof(sar_contact_def, friction), SARI_FROM_ZERO,
            "coefficient of Coulomb's friction"},
           {"speed", SARI_READ_NUMBER, offsetof(sar_contact_def, speed), 0,
            "below which friction goes to zero [m/s]"}}}},
    .is.size = sizeof(sar_contact_def),
    .is.usual = &USUAL,
    .is.text = {{"surface", offsetof(sar_contact_def, surface), SARI_USE_SURFACE, NULL}},
    .is.ends = offsetof(sar_contact_def, a),
    .exponent = offsetof(sar_contact_def, exponent),
    .check = check,
    .in_plane = IN_PLANE,
    .in_space = SCALARS,
    .compile = compile,
    .act = act,
    .place = place_of_surface,
    .loses = loses,
    .kinks = kinks,
    .outside = outside,
    .range = {"is sunk in by %.3g times its radius: its law is for small depths",
              "stands on its end, %.3g deg off upright: a cylinder touches with its edges, and its "
              "face carries no torque that would keep it upright; use several balls instead"},
    .ground = ground,
    .height = height_over,
};
