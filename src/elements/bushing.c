/* A bushing: f = K e + C de/dt with the measures e of where b is relative to a: the displacement
 * along a's frame, and the rotation: planar the angle, spatial 1/2 vee(R - R') with R from a's
 * frame to b's, the axis of the turn times the sine of its angle. */
#include "elements/bushing.h"

#include "math/functions.h"
#include "math/vec3.h"
#include "model/parts.h"
#include "system/mechanism/mechanism.h"

static const double SYMMETRY_TOLERANCE = 1e-9; ///< relative to the largest entry

/* ---- definition ----------------------------------------------------------------------------- */

static sar_status check_matrix(const sar_model* model, const double A[36], const char* field,
                               sar_error* error)
{
    SARI_TRY(sari_check_numbers(A, 36, field, error));
    static const bool in_plane[6] = {true, true, false, false, false, true};
    for (int k = 0; k < 36 && model->dimension == 2; k++)
        if (A[k] != 0 && !(in_plane[k / 6] && in_plane[k % 6]))
            return sari_fail(error, SAR_E_MODEL, field,
                             "this model is planar: row %d, column %d of %s must be zero; rows and "
                             "columns 0, 1 and 5 count",
                             k / 6, k % 6, field);
    return SAR_OK;
}

static sar_status check_symmetry(const double K[36], sar_error* error)
{
    double most = 0;
    for (int k = 0; k < 36; k++) most = fmax(most, fabs(K[k]));
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < r; c++)
            if (fabs(K[6 * r + c] - K[6 * c + r]) > SYMMETRY_TOLERANCE * most)
                return sari_fail(error, SAR_E_MODEL, "K",
                                 "the stiffness is not symmetric: row %d, column %d is %g, but row "
                                 "%d, column %d is %g",
                                 r, c, K[6 * r + c], c, r, K[6 * c + r]);
    return SAR_OK;
}

/* Without axes the frame is the world's, as drawn. */
static sar_status complete_frames(const sar_model* model, sar_end* a, sar_end* b, sar_error* error)
{
    SARI_TRY(sari_check_both(a->axis, b->axis, "axis", error));
    if (sari_is_zero(a->axis)) {
        if (!sari_is_zero(a->normal) || !sari_is_zero(b->normal))
            return sari_fail(error, SAR_E_MODEL, "normal",
                             "a normal needs an axis; give the axis too, or neither");
        const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
        sar_end* ends[2] = {a, b};
        for (int k = 0; k < 2; k++) {
            sari_as_drawn(model, SAR_GROUND, ends[k]->body, x, ends[k]->axis);
            sari_as_drawn(model, SAR_GROUND, ends[k]->body, y, ends[k]->normal);
        }
    }
    return model->dimension == 2 ? sari_frames_planar(a, b, error)
                                 : sari_frames_spatial(model, a, b, error);
}

sar_status sari_bushing_check(const sar_model* model, sar_end* a, sar_end* b, const double K[36],
                              const double C[36], sar_error* error)
{
    SARI_TRY(check_matrix(model, K, "K", error));
    SARI_TRY(check_symmetry(K, error));
    SARI_TRY(check_matrix(model, C, "C", error));
    return complete_frames(model, a, b, error);
}

void sari_bushing_frame(const sar_end* end, double frame[3][3])
{
    memcpy(frame[0], end->axis, sizeof end->axis);
    memcpy(frame[1], end->normal, sizeof end->normal);
    sari_cross(end->axis, end->normal, frame[2]);
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_bushing_def* def = def_;
    return sari_bushing_check(model, &def->a, &def->b, def->K, def->C, error);
}

/* ---- action --------------------------------------------------------------------------------- */

/* Directions x, y, z of an end in body axes; its arm from the centre of mass. */
static void end_in_body(const sari_mechanism* m, const sar_end* end, double frame[3][3],
                        double arm[3])
{
    const double* center = m->model->bodies[end->body.i].def.center;
    sari_bushing_frame(end, frame);
    for (int k = 0; k < 3; k++) arm[k] = end->point[k] - (end->body.i ? center[k] : 0.0);
}

/* 1/2 (j_a . i_b - i_a . j_b) with i, j, k cyclic */
static int add_rotation(sari_mechanism* m, const sar_end* a, const sar_end* b,
                        double frame[2][3][3], int k)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    int p = sari_polynomials_new(&m->poly);
    for (int c = 0; p >= 0 && c < 3; c++) {
        sari_affine ia = sari_axis_affine(m, a->body.i, frame[0][i], c);
        sari_affine ja = sari_axis_affine(m, a->body.i, frame[0][j], c);
        sari_affine ib = sari_axis_affine(m, b->body.i, frame[1][i], c);
        sari_affine jb = sari_axis_affine(m, b->body.i, frame[1][j], c);
        if (!sari_polynomials_add_product(&m->poly, 0.5, &ja, &ib) ||
            !sari_polynomials_add_product(&m->poly, -0.5, &ia, &jb))
            return -1;
    }
    return sari_scalar_plain(m, p);
}

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_bushing_def* def = def_;
    const sar_end *a = &def->a, *b = &def->b;
    double frame[2][3][3], arm[3];
    end_in_body(m, a, frame[0], arm);
    end_in_body(m, b, frame[1], arm);
    for (int k = 0; k < m->dimension; k++)
        if ((*scalar++ = sari_scalar_offset(m, a, b, frame[0][k])) < 0) return 0;
    if (m->dimension == 2) { // the frame's x is the axis: measure the angle between the two
        sar_end x_a = *a, x_b = *b;
        memcpy(x_a.normal, a->axis, sizeof a->axis);
        memcpy(x_b.normal, b->axis, sizeof b->axis);
        return (*scalar = sari_scalar_angle(m, &x_a, &x_b)) >= 0;
    }
    for (int k = 0; k < 3; k++)
        if ((*scalar++ = add_rotation(m, a, b, frame, k)) < 0) return 0;
    return 1;
}

/* out = u_x a_x + u_y a_y + u_z a_z, a the axes in X of a body */
static void by_axes(const double* X, const double u[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = u[0] * X[3 + k] + u[1] * X[6 + k] + u[2] * X[9 + k];
}

/* Both ends in their bodies. */
typedef struct fixture {
    int body[2];
    double frame[2][3][3], arm[2][3];
} fixture;

static void take_fixture(const sari_mechanism* m, const sar_bushing_def* def, fixture* f)
{
    f->body[0] = def->a.body.i, f->body[1] = def->b.body.i;
    end_in_body(m, &def->a, f->frame[0], f->arm[0]);
    end_in_body(m, &def->b, f->frame[1], f->arm[1]);
}

/* Where both ends are: the way d from one to the other, and their directions. */
typedef struct view {
    double d[3], a[3][3], b[3][3];
} view;

static void evaluate_view(const fixture* f, const double* X, view* v)
{
    double point[2][3];
    for (int e = 0; e < 2; e++) {
        const double* X_e = X + 12 * f->body[e];
        by_axes(X_e, f->arm[e], point[e]);
        for (int k = 0; k < 3; k++) {
            point[e][k] += X_e[k];
            by_axes(X_e, f->frame[e][k], e ? v->b[k] : v->a[k]);
        }
    }
    for (int k = 0; k < 3; k++) v->d[k] = point[1][k] - point[0][k];
}

/* The six scalars of compile() of a bushing in space: d . a_k and 1/2 (a_j . b_i - a_i . b_j). */
static void measure(const sari_mechanism* m, const sari_force* bushing, const double* X,
                    const double* Xd, double* value, double* rate, double* seen)
{
    fixture ends;
    view at, by_t;
    take_fixture(m, bushing->def, &ends);
    evaluate_view(&ends, X, &at);
    memcpy(seen, &at, sizeof at);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        value[k] = sari_dot(at.a[k], at.d);
        value[3 + k] = 0.5 * (sari_dot(at.a[j], at.b[i]) - sari_dot(at.a[i], at.b[j]));
    }
    if (!Xd) return;
    evaluate_view(&ends, Xd, &by_t);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        rate[k] = sari_dot(by_t.a[k], at.d) + sari_dot(at.a[k], by_t.d);
        rate[3 + k] = 0.5 * (sari_dot(by_t.a[j], at.b[i]) + sari_dot(at.a[j], by_t.b[i]) -
                             sari_dot(by_t.a[i], at.b[j]) - sari_dot(at.a[i], by_t.b[j]));
    }
}

/* Forces on X of an end: F at its point, and P_k on its direction k. */
static void add_end(const sari_mechanism* m, const sar_end* end, const double F[3], double P[3][3],
                    double* G)
{
    double frame[3][3], arm[3], *on = G + 12 * end->body.i;
    if (end->body.i == 0) return;
    end_in_body(m, end, frame, arm);
    for (int k = 0; k < 3; k++) {
        on[k] += F[k];
        for (int c = 0; c < 3; c++)
            on[3 + 3 * c + k] += arm[c] * F[k] + frame[0][c] * P[0][k] + frame[1][c] * P[1][k] +
                                 frame[2][c] * P[2][k];
    }
}

static void pull(const sari_mechanism* m, const sari_force* bushing, const double* seen,
                 const double* f, double* G)
{
    const sar_bushing_def* def = bushing->def;
    double F[3], minus[3], on_a[3][3], on_b[3][3];
    view at;
    memcpy(&at, seen, sizeof at);
    for (int k = 0; k < 3; k++) {
        F[k] = f[0] * at.a[0][k] + f[1] * at.a[1][k] + f[2] * at.a[2][k];
        minus[k] = -F[k];
    }
    for (int k = 0; k < 3; k++) { // direction i of the turn about `last`, j of that about `next`
        const int next = (k + 1) % 3, last = (k + 2) % 3;
        const double as_i = 0.5 * f[3 + last], as_j = 0.5 * f[3 + next];
        for (int c = 0; c < 3; c++) {
            on_a[k][c] = as_i * at.b[next][c] - as_j * at.b[last][c] - f[k] * at.d[c];
            on_b[k][c] = as_j * at.a[last][c] - as_i * at.a[next][c];
        }
    }
    add_end(m, &def->a, F, on_a, G);
    add_end(m, &def->b, minus, on_b, G);
}

static void act(const sari_force* bushing, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    static const int SPATIAL[6] = {0, 1, 2, 3, 4, 5}, PLANAR[6] = {0, 1, 5}; // rows
    const sar_bushing_def* def = bushing->def;
    const int n = at->n, *row = n == 3 ? PLANAR : SPATIAL;
    for (int i = 0; i < n; i++) {
        const double *K = def->K + 6 * row[i], *C = def->C + 6 * row[i];
        double force = 0.0, lost = 0.0;
        for (int k = 0; k < n; k++) {
            const double damping = C[row[k]] * at->rate[k];
            force += K[row[k]] * at->value[k] + damping;
            lost += damping;
        }
        out->force[i] = force;
        if (what & SARI_ACT_POWER) out->power -= lost * at->rate[i];
        for (int k = 0; k < n && what & (SARI_ACT_SLOPES | SARI_ACT_POTENTIAL); k++) {
            if (what & SARI_ACT_SLOPES)
                out->by_value[i][k] = K[row[k]], out->by_rate[i][k] = C[row[k]];
            if (what & SARI_ACT_POTENTIAL)
                out->potential += 0.5 * at->value[i] * K[row[k]] * at->value[k];
        }
    }
}

static bool loses(const sari_force* bushing)
{
    const sar_bushing_def* def = bushing->def;
    for (int k = 0; k < 36; k++)
        if (def->C[k] != 0.0) return true;
    return false;
}

static bool resists_rotation(const sar_bushing_def* def)
{
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            if ((r > 2 || c > 2) && (def->K[6 * r + c] != 0.0 || def->C[6 * r + c] != 0.0))
                return true;
    return false;
}

/* 1 + 2 cos(angle) of the rotation from a's frame to b's, in space. */
static double trace_of(const sar_bushing_def* def, const double* X)
{
    double a[3][3], b[3][3], u[3], w[3], trace = 0.0;
    sari_bushing_frame(&def->a, a);
    sari_bushing_frame(&def->b, b);
    for (int k = 0; k < 3; k++) {
        by_axes(X + 12 * def->a.body.i, a[k], u);
        by_axes(X + 12 * def->b.body.i, b[k], w);
        trace += sari_dot(u, w);
    }
    return trace;
}

/* The sine of 30 degrees is 5 % less than the angle. */
static int outside(const sari_mechanism* m, const sari_force* bushing, const sari_force_state* at,
                   const double* X, double* number)
{
    const double most = 30.0, degrees = 180.0 / 3.14159265358979323846;
    const double trace_there = 2.7320508075688772; // at 30 degrees
    if (m->dimension == 2) {
        *number = degrees * fabs(at->value[2]);
    } else {
        const double trace = trace_of(bushing->def, X);
        if (trace > trace_there) return 0;
        *number = degrees * sari_acos(fmax(-1.0, fmin(1.0, 0.5 * (trace - 1.0))));
    }
    return *number > most && resists_rotation(bushing->def);
}

const sari_force_type sari_bushing_force = {
    .is.word =
        {{"bushing",
          "stiffness and damping in all directions",
          {{"between", SARI_READ_FRAMES, 0, SARI_MUST, "its two points"},
           {"axis", SARI_READ_DIRECTIONS, 0, 0, "the x axis of its frame"},
           {"normal", SARI_READ_DIRECTIONS, 0, 0, "the y axis of its frame"},
           {"K", SARI_READ_MATRIX, offsetof(sar_bushing_def, K), SARI_MAY_ALONE,
            "stiffness: displacement x y z, then rotation x y z; planar: x, y and rotation z"},
           {"C", SARI_READ_MATRIX, offsetof(sar_bushing_def, C), SARI_MAY_ALONE,
            "damping, in the same order"}},
          "give it a stiffness K, a damping C or both"}},
    .is.size = sizeof(sar_bushing_def),
    .is.ends = offsetof(sar_bushing_def, a),
    .check = check,
    .in_plane = 3,
    .in_space = 6,
    .compile = compile,
    .act = act,
    .measure = measure,
    .pull = pull,
    .loses = loses,
    .outside = outside,
    .range = {"is rotated by %.3g deg: a bushing is linear, for rotations up to some 30 deg; use a "
              "large-bushing"},
    .shows = SARI_SHOWS_RUBBER,
};
