/* A bushing for large rotations, with a potential.
 *
 * Seen from a, in its frame (x, y, z), b's point is at x and b's frame is R, R_ic = a_i . b_c. With
 * the rotation vector r of R = exp[r], and e = (u, r),
 *
 *     u = x, R'x or H'x        in the frame of a, of b or halfway: H H = R                     (1)
 *     g = K e + C de/dt + laws,   V = e' K e/2                                                 (2)
 *
 * A turn dt of b (in a's axes) changes r by J dt, J = 1 - [r]/2 + c [r]^2, c = (1 - s cot s)/(2 s)^2
 * with s = |r|/2 [bullo1995], and H by the turn dh = (1 - [p]) dt/2, with p = tan(|r|/4) r/|r|: H is
 * (1 - [p])^-1 (1 + [p]). So g . de is the work of a force F and of a moment M on b,
 *
 *     F = g_u, R g_u or H g_u                                                                  (3)
 *     M = J' g_r,  less x x F (frame of b) or (1 + [p]) (x x F)/2 (halfway)                     (4)
 *
 * p and r come from the quaternion (w, v) of R: p = v/(1 + w), r = 2 atan(|v|/w) v/|v|. Derivatives
 * are exact, by dual numbers. In the plane r is the angle, and H the rotation by half of it. */
#include "elements/bushing.h"

#include "model/parts.h"
#include "sarrus/compliant.h"
#include "system/mechanism/mechanism.h"

enum { PLACE = 0, TURN = 3, SCALARS = 12, IN_PLANE = 3 };
#define SARI_DUAL (2 * SCALARS)
#include "math/dual_vec3.h"
#include "math/functions.h"

static const sar_large_bushing_def USUAL = {.frame = SAR_FRAME_MIDDLE};

/* ---- definition ----------------------------------------------------------------------------- */

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_large_bushing_def* def = def_;
    if (def->frame < SAR_FRAME_A || def->frame > SAR_FRAME_MIDDLE)
        return sari_fail(error, SAR_E_MODEL, "frame", "%d is no sar_bushing_frame", def->frame);
    for (int k = 0; k < 3 && model->dimension == 2; k++)
        if ((k == 2 && def->force[k]) || (k < 2 && def->torque[k]))
            return sari_fail(error, SAR_E_MODEL, k == 2 ? "force" : "torque",
                             "this model is planar: force[0], force[1] and torque[2] count");
    return sari_bushing_check(model, &def->a, &def->b, def->K, def->C, error);
}

/* ---- scalars -------------------------------------------------------------------------------- */

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_large_bushing_def* def = def_;
    const sar_end *a = &def->a, *b = &def->b;
    double frame[2][3][3];
    sari_bushing_frame(a, frame[0]);
    sari_bushing_frame(b, frame[1]);
    for (int k = 0; k < m->dimension; k++)
        if ((*scalar++ = sari_scalar_offset(m, a, b, frame[0][k])) < 0) return 0;
    if (m->dimension == 2) { // the frame's x is the axis
        sar_end x_a = *a, x_b = *b;
        memcpy(x_a.normal, a->axis, sizeof a->axis);
        memcpy(x_b.normal, b->axis, sizeof b->axis);
        return (*scalar = sari_scalar_angle(m, &x_a, &x_b)) >= 0;
    }
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            if ((*scalar++ = sari_scalar_dot(m, a, frame[0][i], b, frame[1][c])) < 0) return 0;
    return 1;
}

/* ---- rotations ------------------------------------------------------------------------------ */

static const vector ZERO;

/// b as seen from a: in the plane x, y and the angle about z.
typedef struct scene {
    int flat;
    vector x, xd, w;
    vector R[3]; ///< rows
    vector r, p; ///< rotation vector; of half the rotation tan(angle/4)
} scene;

static dual value_of(const sari_force_state* at, int i)
{
    return dual_variable(at->value[i], i);
}

static dual rate_of(const sari_force_state* at, int i)
{
    return dual_variable(at->rate[i], SCALARS + i);
}

static dual trace_of(const scene* s, double x, double y, double z)
{
    return dual_shift(dual_add(dual_add(dual_scale(x, s->R[0].x[0]), dual_scale(y, s->R[1].x[1])),
                               dual_scale(z, s->R[2].x[2])),
                      1.0);
}

/* (w, v) of R, w >= 0, from its largest component [shepperd1978]. */
static void quaternion_of(const scene* s, dual* w, vector* v)
{
    const dual square[4] = {trace_of(s, 1, -1, -1), trace_of(s, -1, 1, -1), trace_of(s, -1, -1, 1),
                            trace_of(s, 1, 1, 1)};
    dual odd[3], q[4];
    int k = 3;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        odd[i] = dual_subtract(s->R[l].x[j], s->R[j].x[l]);
        if (square[i].v > square[k].v) k = i;
    }
    const dual twice = dual_sqrt(square[k]), part = dual_over(dual_constant(0.5), twice);
    for (int i = 0; i < 3; i++)
        q[i] = k == 3 ? dual_times(part, odd[i])
                      : dual_times(part, dual_add(s->R[k].x[i], s->R[i].x[k]));
    q[3] = k < 3 ? dual_times(part, odd[k]) : q[0];
    q[k] = dual_scale(0.5, twice);
    const double sign = q[3].v < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) v->x[i] = dual_scale(sign, q[i]);
    *w = dual_scale(sign, q[3]);
}

/* 2 atan(|v|/w)/|v|, w >= 0 */
static dual stretch_of(dual w, dual square)
{
    const double n = sqrt(square.v), size = square.v + w.v * w.v;
    double f, by_square; // by |v|^2; by w it is -2/(|v|^2 + w^2)
    if (square.v > 1e-3 * w.v * w.v) {
        f = 2.0 * sari_atan2(n, w.v) / n;
        by_square = (w.v / size - 0.5 * f) / square.v;
    } else { // sum of 2 (-y)^k/(2 k + 1)/w with y = |v|^2/w^2
        const double y = square.v / (w.v * w.v);
        double slope = 0.0, power = 1.0;
        f = 0.0;
        for (int k = 0; k < 7; k++, power *= -y) {
            f += power / (2 * k + 1);
            slope -= (k + 1) * power / (2 * k + 3);
        }
        f *= 2.0 / w.v;
        by_square = 2.0 * slope / (w.v * w.v * w.v);
    }
    return dual_add(dual_of(square, f, by_square), dual_of(w, 0.0, -2.0 / size));
}

static void evaluate_scene(const sari_force_state* at, scene* s)
{
    *s = (scene){.flat = at->n == IN_PLANE};
    for (int i = 0; i < (s->flat ? 2 : 3); i++)
        s->x.x[i] = value_of(at, PLACE + i), s->xd.x[i] = rate_of(at, PLACE + i);
    if (s->flat) {
        s->r.x[2] = value_of(at, 2), s->w.x[2] = rate_of(at, 2);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) s->R[i].x[c] = value_of(at, TURN + 3 * i + c);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            s->w.x[i] = dual_add(s->w.x[i], dual_times(s->R[(i + 1) % 3].x[c],
                                                       rate_of(at, TURN + 3 * ((i + 2) % 3) + c)));
    dual w;
    vector v;
    quaternion_of(s, &w, &v);
    s->r = vector_plus(&ZERO, stretch_of(w, vector_dot(&v, &v)), &v);
    s->p = vector_plus(&ZERO, dual_over(dual_constant(1.0), dual_shift(w, 1.0)), &v);
}

/* c(y) of y = |r|^2: its closed form loses digits near zero, where the series 2 zeta(2 n)
 * y^(n-1)/(2 pi)^(2 n) does not. */
static dual curvature_of(dual y)
{
    static const double series[] = {1.0 / 12,
                                    1.0 / 720,
                                    1.0 / 30240,
                                    1.0 / 1209600,
                                    1.0 / 47900160,
                                    5.28419013868749318e-10,
                                    1.33825365306846788e-11,
                                    3.38968029632258287e-13,
                                    8.58606205627784456e-15,
                                    2.17486869855806187e-16,
                                    5.50900282836022952e-18,
                                    1.39544646858125233e-19};
    enum { TERMS = sizeof series / sizeof *series };
    if (y.v < 1.0) {
        double f = 0.0, slope = 0.0;
        for (int k = TERMS; k-- > 0;) {
            slope = slope * y.v + f;
            f = f * y.v + series[k];
        }
        return dual_of(y, f, slope);
    }
    const double half = 0.5 * sqrt(y.v), cot = 1.0 / sari_tan(half), sine = sari_sin(half);
    const double f = (1.0 - half * cot) / y.v;
    return dual_of(y, f, (0.25 * (1.0 / (sine * sine) - cot / half) * 0.5 - f) / y.v);
}

/* v - sign [r] v/2 + c [r]^2 v: J v, transposed for sign = -1. */
static vector through_J(const scene* s, double sign, const vector* v)
{
    if (s->flat) return *v;
    const vector once = vector_cross(&s->r, v), twice = vector_cross(&s->r, &once);
    const vector out = vector_add(v, -0.5 * sign, &once);
    return vector_plus(&out, curvature_of(vector_dot(&s->r, &s->r)), &twice);
}

/* The rotation by `part` of the angle, in the plane; by R or its inverse, by H or its inverse. */
static vector turn_flat(const scene* s, double part, const vector* v)
{
    const dual angle = dual_scale(part, s->r.x[2]), c = dual_cos(angle), d = dual_sin(angle);
    vector out = ZERO;
    out.x[0] = dual_subtract(dual_times(c, v->x[0]), dual_times(d, v->x[1]));
    out.x[1] = dual_add(dual_times(d, v->x[0]), dual_times(c, v->x[1]));
    return out;
}

static vector turn_fully(const scene* s, double sense, const vector* v)
{
    vector out = ZERO;
    if (s->flat) return turn_flat(s, sense, v);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.x[i] =
                dual_add(out.x[i], dual_times(sense > 0.0 ? s->R[i].x[k] : s->R[k].x[i], v->x[k]));
    return out;
}

static vector turn_half(const scene* s, double sense, const vector* v)
{
    if (s->flat) return turn_flat(s, 0.5 * sense, v);
    const vector once = vector_cross(&s->p, v), twice = vector_cross(&s->p, &once);
    const vector sum = vector_add(&twice, sense, &once);
    return vector_plus(v, dual_over(dual_constant(2.0), dual_shift(vector_dot(&s->p, &s->p), 1.0)),
                       &sum);
}

static vector into_frame(const scene* s, int frame, double sense, const vector* v)
{
    return frame == SAR_FRAME_A   ? *v
           : frame == SAR_FRAME_B ? turn_fully(s, sense, v)
                                  : turn_half(s, sense, v);
}

/* The turn of the frame that goes with the turn w of b, (1 - sign [p]) w/2 halfway; transposed for
 * sign = -1. */
static vector turn_of_frame(const scene* s, int frame, double sign, const vector* w)
{
    if (frame == SAR_FRAME_A) return ZERO;
    if (frame == SAR_FRAME_B) return *w;
    const vector across = vector_cross(&s->p, w), sum = vector_add(w, -sign, &across);
    return vector_add(&ZERO, 0.5, &sum);
}

/* ---- action --------------------------------------------------------------------------------- */

/// e and its rate; what the bushing does along it.
typedef struct measures {
    dual e[6], rate[6], g[6], potential;
} measures;

static void measure(const sar_large_bushing_def* def, const scene* s, measures* m)
{
    const vector turning = turn_of_frame(s, def->frame, 1.0, &s->w),
                 carried = vector_cross(&turning, &s->x),
                 relative = vector_add(&s->xd, -1.0, &carried),
                 u = into_frame(s, def->frame, -1.0, &s->x), // (1)
        ud = into_frame(s, def->frame, -1.0, &relative), rd = through_J(s, 1.0, &s->w);
    for (int k = 0; k < 3; k++) {
        m->e[k] = u.x[k], m->rate[k] = ud.x[k];
        m->e[3 + k] = s->r.x[k], m->rate[3 + k] = rd.x[k];
    }
}

/* A law of one axis, f(x, v, t). */
static dual law_of(const sari_expression* law, const sari_force_state* at, dual x, dual v)
{
    double gradient[SARI_FORCE_VARIABLES], by_x = 0.0, by_v = 0.0;
    const int *used, n = sari_expression_variables(law, &used);
    at->variables[SARI_VARIABLE_X] = x.v;
    at->variables[SARI_VARIABLE_V] = v.v;
    sari_expression_gradient(law, at->variables, gradient);
    for (int i = 0; i < n; i++) {
        if (used[i] == SARI_VARIABLE_X) by_x = gradient[i];
        if (used[i] == SARI_VARIABLE_V) by_v = gradient[i];
    }
    return dual_add(dual_of(x, sari_expression_value(law, at->variables), by_x),
                    dual_of(v, 0.0, by_v));
}

/* (2) */
static void push(const sari_force* bushing, const sari_force_state* at, measures* m)
{
    const sar_large_bushing_def* def = bushing->def;
    for (int i = 0; i < 6; i++) {
        dual elastic = dual_constant(0.0), lost = elastic;
        for (int k = 0; k < 6; k++) {
            const double K = def->K[6 * i + k], C = def->C[6 * i + k];
            if (K != 0.0) elastic = dual_add(elastic, dual_scale(K, m->e[k]));
            if (C != 0.0) lost = dual_add(lost, dual_scale(C, m->rate[k]));
        }
        if (bushing->expression[i])
            lost = dual_add(lost, law_of(bushing->expression[i], at, m->e[i], m->rate[i]));
        m->potential = dual_add(m->potential, dual_scale(0.5, dual_times(elastic, m->e[i])));
        m->g[i] = dual_add(elastic, lost);
    }
}

static void give(sari_force_action* out, const sari_force_state* at, unsigned what, int i, dual f)
{
    out->force[i] = f.v;
    if (!(what & SARI_ACT_SLOPES)) return;
    for (int k = 0; k < at->n; k++) {
        out->by_value[i][k] = f.d[k];
        out->by_rate[i][k] = f.d[SCALARS + k];
    }
}

static void act(const sari_force* bushing, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_large_bushing_def* def = bushing->def;
    scene s;
    measures m = {0};
    evaluate_scene(at, &s);
    measure(def, &s, &m);
    push(bushing, at, &m);
    const vector g_u = {{m.g[0], m.g[1], m.g[2]}}, g_r = {{m.g[3], m.g[4], m.g[5]}},
                 F = into_frame(&s, def->frame, 1.0, &g_u), arm = vector_cross(&s.x, &F), // (3)
        aside = turn_of_frame(&s, def->frame, -1.0, &arm), about = through_J(&s, -1.0, &g_r),
                 M = vector_add(&about, -1.0, &aside); // (4)
    for (int i = 0; i < (s.flat ? 2 : 3); i++) give(out, at, what, PLACE + i, F.x[i]);
    if (s.flat) give(out, at, what, 2, M.x[2]);
    for (int i = 0; i < 3 && !s.flat; i++) // its work is sum_i M_i sum_c R_jc dR_kc
        for (int c = 0; c < 3; c++)
            give(out, at, what, TURN + 3 * ((i + 2) % 3) + c,
                 dual_times(M.x[i], s.R[(i + 1) % 3].x[c]));
    if (what & SARI_ACT_POTENTIAL) out->potential += m.potential.v;
    for (int k = 0; k < at->n && what & SARI_ACT_POWER; k++) // what is done beside the potential
        out->power += (m.potential.d[k] - out->force[k]) * at->rate[k];
}

static void show(const sari_force* bushing, const sari_force_state* at, double* out)
{
    scene s;
    measures m = {0};
    evaluate_scene(at, &s);
    measure(bushing->def, &s, &m);
    for (int k = 0; k < 6; k++) out[k] = m.e[k].v;
}

static bool loses(const sari_force* bushing)
{
    const sar_large_bushing_def* def = bushing->def;
    for (int k = 0; k < 36; k++)
        if (def->C[k] != 0.0 || bushing->expression[k % 6]) return true;
    return false;
}

#define LAW(field, k)                                                                              \
    {                                                                                              \
#field, offsetof(sar_large_bushing_def, field) + (k) * sizeof(const char*),                \
            SARI_USE_SPRING, NULL                                                                  \
    }

/* The rotation vector turns round at half a revolution; no step rotates a body by the 60 degrees about it. */
static int outside(const sari_mechanism* m, const sari_force* force, const sari_force_state* at,
                   const double* X, double* number)
{
    (void)m, (void)X;
    const sar_large_bushing_def* def = force->def;
    bool resists = force->expression[3] || force->expression[4] || force->expression[5];
    for (int k = 0; k < 36; k++) resists |= (k / 6 > 2 || k % 6 > 2) && def->K[k] != 0.0;
    if (at->n == 3 || !resists) return 0;
    const double trace = at->value[3] + at->value[7] + at->value[11];
    *number = 180.0 / sari_acos(-1.0) * sari_acos(fmax(-1.0, fmin(1.0, 0.5 * (trace - 1.0))));
    return *number > 150.0;
}

const sari_force_type sari_large_bushing_force = {
    .is.word =
        {{"large-bushing",
          "stiffness and damping in all directions, for large rotations",
          {{"between", SARI_READ_FRAMES, 0, SARI_MUST, "its two points"},
           {"axis", SARI_READ_DIRECTIONS, 0, 0, "the x axis of its frames"},
           {"normal", SARI_READ_DIRECTIONS, 0, 0, "the y axis of its frames"},
           {"frame", SARI_READ_END, offsetof(sar_large_bushing_def, frame), 0,
            "a, b or middle (default): in which displacements are seen"},
           {"K", SARI_READ_MATRIX, offsetof(sar_large_bushing_def, K), SARI_MAY_ALONE,
            "stiffness: displacement x y z, then rotation x y z; planar: x, y and rotation z"},
           {"C", SARI_READ_MATRIX, offsetof(sar_large_bushing_def, C), SARI_MAY_ALONE,
            "damping, in the same order"},
           {"force", SARI_READ_LAWS, offsetof(sar_large_bushing_def, force), SARI_MAY_ALONE,
            "per axis an expression of x (the displacement along it), v (its rate), t and "
            "tables; positive: pulls back [N]"},
           {"torque", SARI_READ_LAWS_OF_TURNS, offsetof(sar_large_bushing_def, torque),
            SARI_MAY_ALONE, "the same of the rotation vector [N m]"}},
          "give it at least one of K, C, force, torque"}},
    .is.size = sizeof(sar_large_bushing_def),
    .is.usual = &USUAL,
    .is.text = {LAW(force, 0), LAW(force, 1), LAW(force, 2), LAW(torque, 0), LAW(torque, 1),
                LAW(torque, 2)},
    .is.ends = offsetof(sar_large_bushing_def, a),
    .check = check,
    .in_plane = IN_PLANE,
    .in_space = SCALARS,
    .compile = compile,
    .act = act,
    .loses = loses,
    .outside = outside,
    .range = {"is rotated by %.3g deg: at 180 deg its rotation vector turns round, and its torque "
              "jumps"},
    .shown = {{"ux", 1, 0, "m", "displacement along the x axis of its frame"},
              {"uy", 1, 0, "m", "along the y axis"},
              {"uz", 1, 0, "m", "along the z axis"},
              {"rx", 0, 0, "rad", "rotation vector, along the x axis"},
              {"ry", 0, 0, "rad", "along the y axis"},
              {"rz", 0, 0, "rad", "along the z axis; in the plane the angle"}},
    .show = show,
    .shows = SARI_SHOWS_RUBBER,
};
