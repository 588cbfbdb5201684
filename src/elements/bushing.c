/* A bushing: f = K e + C de/dt with the measures e of where b is relative to a: the displacement
 * along a's frame, and the rotation: planar the angle, spatial 1/2 vee(R - R') with R from a's
 * frame to b's, the axis of the turn times the sine of its angle. */
#include "elements/force.h"

#include "math/vec3.h"
#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism.h"

static const double SYMMETRY_TOLERANCE = 1e-9; ///< relative to the largest entry

static const sar_bushing_def USUAL = {0};

sar_bushing_def sar_bushing_def_default(void)
{
    return USUAL;
}

sar_status sar_model_add_bushing(sar_model* model, const sar_bushing_def* def, sar_error* error)
{
    return sari_model_add_force(model, SARI_FORCE_BUSHING, def, error);
}

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

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_bushing_def* def = def_;
    SARI_TRY(sari_check_ends(model, &def->a, &def->b, error));
    SARI_TRY(check_matrix(model, def->K, "K", error));
    SARI_TRY(check_symmetry(def->K, error));
    SARI_TRY(check_matrix(model, def->C, "C", error));
    return complete_frames(model, &def->a, &def->b, error);
}

static void convert(sari_model_conversion* c, sari_force* bushing)
{
    const sari_units* u = c->u;
    sar_bushing_def* def = bushing->def;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double unit =
                sari_unit_of_energy(u) / (i < 3 ? u->length : 1.0) / (j < 3 ? u->length : 1.0);
            def->K[6 * i + j] /= unit;
            def->C[6 * i + j] /= unit;
        }
}

/* ---- action --------------------------------------------------------------------------------- */

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
    double frame[2][3][3]; // directions x, y, z of each end, body axes
    for (int e = 0; e < 2; e++) {
        const sar_end* end = e ? b : a;
        memcpy(frame[e][0], end->axis, sizeof end->axis);
        memcpy(frame[e][1], end->normal, sizeof end->normal);
        sari_cross(end->axis, end->normal, frame[e][2]);
    }
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

/* Planar bushings have the rows 0, 1, 5. */
static double entry(const double A[36], int n, int i, int j)
{
    return A[6 * (n == 3 && i == 2 ? 5 : i) + (n == 3 && j == 2 ? 5 : j)];
}

static void act(const sari_force* bushing, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_bushing_def* def = bushing->def;
    const int n = at->n;
    for (int i = 0; i < n; i++) {
        double force = 0.0, lost = 0.0;
        for (int k = 0; k < n; k++) {
            const double K = entry(def->K, n, i, k), C = entry(def->C, n, i, k);
            force += K * at->value[k] + C * at->rate[k];
            lost += C * at->rate[k];
            if (what & SARI_ACT_SLOPES) out->by_value[i][k] = K, out->by_rate[i][k] = C;
            if (what & SARI_ACT_POTENTIAL) out->potential += 0.5 * at->value[i] * K * at->value[k];
        }
        out->force[i] = force;
        if (what & SARI_ACT_POWER) out->power -= lost * at->rate[i];
    }
}

static bool loses(const sari_force* bushing)
{
    const sar_bushing_def* def = bushing->def;
    for (int k = 0; k < 36; k++)
        if (def->C[k] != 0.0) return true;
    return false;
}

static sari_force_picture picture(const void* def)
{
    (void)def;
    return (sari_force_picture){.shows = SARI_SHOWS_RUBBER};
}

const sari_force_type sari_force_bushing = {
    .word = {{"bushing",
              "stiffness and damping in all directions",
              {{"between", SARI_READ_FRAMES, 0, SARI_MUST, "its two points"},
               {"axis", SARI_READ_DIRECTIONS, 0, 0, "the x axis of its frame"},
               {"normal", SARI_READ_DIRECTIONS, 0, 0, "the y axis of its frame"},
               {"K", SARI_READ_MATRIX, offsetof(sar_bushing_def, K), SARI_MAY_ALONE,
                "stiffness: displacement x y z, then rotation x y z; planar: x, y and rotation z"},
               {"C", SARI_READ_MATRIX, offsetof(sar_bushing_def, C), SARI_MAY_ALONE,
                "damping, in the same order"}},
              "give it a stiffness K, a damping C or both"}},
    .size = sizeof(sar_bushing_def),
    .usual = &USUAL,
    .ends = offsetof(sar_bushing_def, a),
    .check = check,
    .convert = convert,
    .in_plane = 3,
    .in_space = 6,
    .compile = compile,
    .act = act,
    .loses = loses,
    .picture = picture,
};
