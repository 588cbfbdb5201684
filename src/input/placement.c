/* Where assemblies are drawn, and what mirroring means for the parts of a model.
 *
 * A file is drawn in a frame of its own. Used with a position d, a rotation and a mirror it becomes
 *
 *     x' = A x + d,    A = R S or R                                                       (1)
 *
 * A mirrored body must have a right-handed frame: with S = diag(S_k) its coordinates are S x, and
 * its rotation is
 *
 *     R_WB' = A R_WB S                                                                    (2)
 *
 * Directions are mirrored as points are. Rotations are not: the mirror image of a turn about u is
 * a turn about -S u. So the axis of a joint that turns changes its sign once more, and its angle
 * stays what it was. Where an axis belongs to an angle and to a displacement, and in the plane,
 * where it is always z, that cannot be: the angle then counts the other way, which the reader
 * remembers and corrects wherever the file speaks of it. */
#include "base/memory.h"
#include "elements/element.h"
#include "input/reader.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <math.h>
#include <string.h>

/* ---- placements ----------------------------------------------------------------------------- */

sari_placement sari_identity(void)
{
    return (sari_placement){.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .S = {1, 1, 1}};
}

/* Quarter turns are exact: cos(pi/2) is 6e-17 otherwise, and an axis none of the world's. */
static void snap(double A[9])
{
    for (int k = 0; k < 9; k++)
        if (fabs(A[k] - round(A[k])) < 1e-15) A[k] = round(A[k]) + 0.0;
}

static double determinant(const double A[9])
{
    double c[3];
    sari_cross(A + 3, A + 6, c);
    return sari_dot(A, c);
}

sari_placement sari_compose(const sari_placement* outer, const sari_placement* inner)
{
    sari_placement p = {.moved = outer->moved || inner->moved};
    sari_multiply3(outer->A, inner->A, p.A);
    snap(p.A);
    sari_rotate(outer->A, inner->d, p.d);
    p.mirrored = determinant(p.A) < 0.0;
    for (int k = 0; k < 3; k++) {
        p.d[k] += outer->d[k];
        p.S[k] = !p.mirrored ? 1.0 : inner->mirrored ? inner->S[k] : outer->S[k];
    }
    return p;
}

/* A mirrored x axis may point back: the angle of a body at rest is then counted from there. */
double sari_turn_of(const sari_placement* p)
{
    const double x = p->S[0]; // A = R(turn) S in the plane
    return sari_atan2(p->A[3] * x, p->A[0] * x);
}

void sari_put_vector(const sari_placement* p, double v[3])
{
    if (p->moved) sari_rotate(p->A, v, v);
}

void sari_put_point(const sari_placement* p, double x[3])
{
    if (!p->moved) return;
    sari_rotate(p->A, x, x);
    for (int k = 0; k < 3; k++) x[k] += p->d[k];
}

void sari_sign_vector(const sari_placement* p, double v[3])
{
    for (int k = 0; k < 3 && p->mirrored; k++) v[k] *= p->S[k];
}

/* ---- bodies --------------------------------------------------------------------------------- */

void sari_place_body(const sari_placement* p, sar_body_def* def)
{
    if (!p->moved) return;
    const double S[9] = {p->S[0], 0, 0, 0, p->S[1], 0, 0, 0, p->S[2]};
    static const int product[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    sari_put_point(p, def->position);
    sari_multiply3(p->A, def->rotation, def->rotation); // (2)
    sari_multiply3(def->rotation, S, def->rotation);
    sari_put_vector(p, def->velocity);
    sari_put_vector(p, def->angular_velocity);
    sari_put_vector(p, def->winding);
    sari_sign_vector(p, def->center);
    for (int k = 0; k < 3; k++) {
        def->inertia[3 + k] *= p->S[product[k][0]] * p->S[product[k][1]];
        if (p->mirrored) def->angular_velocity[k] *= -1.0, def->winding[k] *= -1.0;
    }
}

/* ---- joints --------------------------------------------------------------------------------- */

static void negate(double v[3])
{
    for (int k = 0; k < 3; k++) v[k] = -v[k];
}

/* From the frame of a body as the file sees it to the one that the model has: the ground is that of
 * the world. */
static void to_frame(const sari_placement* p, sar_body_id body, double v[3])
{
    if (body.i == SAR_GROUND.i)
        sari_put_vector(p, v);
    else
        sari_sign_vector(p, v);
}

static void from_frame(const sari_placement* p, sar_body_id body, double v[3])
{
    if (body.i == SAR_GROUND.i && p->moved)
        sari_rotate_back(p->A, v, v);
    else if (body.i != SAR_GROUND.i)
        sari_sign_vector(p, v);
}

/* The model would take the normal that is left out from the frames that it has. */
static void keep_normal(sari_reader* r, sar_end* a, sar_end* b, bool both)
{
    const sari_placement* p = &r->scope->placement;
    double axis[3];
    if (!sari_is_zero(a->normal) || sari_is_zero(a->axis)) return;
    memcpy(axis, a->axis, sizeof axis);
    from_frame(p, a->body, axis);
    if (!sari_normalise(axis)) return;
    sari_usual_normal(axis, a->normal);
    to_frame(p, a->body, a->normal);
    if (both) sari_as_drawn(r->model, a->body, b->body, a->normal, b->normal);
}

void sari_keep_normal(sari_reader* r, sar_end* a, sar_end* b)
{
    keep_normal(r, a, b, true);
}

/* Angles of the plane count from the bodies' x axes, as the file sees them. */
static void keep_x(const sari_placement* p, sar_end* a, sar_end* b)
{
    sar_end* ends[2] = {a, b};
    if (!sari_is_zero(a->normal) || !sari_is_zero(b->normal)) return;
    for (int k = 0; k < 2; k++) {
        ends[k]->normal[0] = 1.0;
        to_frame(p, ends[k]->body, ends[k]->normal);
    }
}

static const char* negated(sari_reader* r, const char* text)
{
    return text ? sari_print(r, "-(%s)", text) : NULL;
}

/* y of a curve is z x normal: it has changed its side. */
static void mirror_curve(sari_reader* r, sar_curve* curve)
{
    curve->y = negated(r, curve->y);
    double* y = (double*)curve->point_y; // the reader's own
    for (int k = 0; k < curve->points; k++) y[k] = -y[k];
}

static bool place_in_plane(sari_reader* r, const sari_placement* p, sar_joint_def* def)
{
    const sari_joint_type* type = sari_type_of(def);
    const bool turns = sari_type_shows(type, SAR_COORD_ANGLE) && !sari_type_keeps(type);
    if (turns || type->curved) keep_x(p, &def->a, &def->b);
    if (!p->mirrored) return false;
    if (type->curved) mirror_curve(r, &def->curve);
    if (type->plane.axis)
        negate(def->a.normal), negate(def->b.normal); // axis turned by +90 degrees
    return turns;
}

bool sari_place_joint(sari_reader* r, sar_joint_def* def)
{
    const sari_placement* p = &r->scope->placement;
    const sari_joint_type* type = sari_type_of(def);
    if (!p->moved) return false;
    if (r->dimension == 2) return place_in_plane(r, p, def);
    const bool turns = sari_type_shows(type, SAR_COORD_ANGLE);
    const bool along = sari_type_shows(type, SAR_COORD_DISPLACEMENT);
    const bool plane = sari_type_shows(type, SAR_COORD_DISPLACEMENT_2) || type->curved;
    if (plane) keep_normal(r, &def->a, &def->b, !type->curved);
    if (!p->mirrored) return false;
    if (turns && along && !plane) {
        def->pitch = -def->pitch;
        return true;
    }
    if (turns || plane) negate(def->a.axis), negate(def->b.axis);
    if (sari_type_shows(type, SAR_COORD_ANGLE_2)) // angles from normals to axes
        negate(def->a.normal), negate(def->b.normal);
    return false;
}

void sari_mark_reversed(sari_reader* r, sar_joint_id joint, bool reversed)
{
    void* list = r->reversed;
    while (reversed && r->reversed_count <= joint.i) {
        bool grown =
            sari_grow(&list, r->reversed_count, &r->reversed_capacity, sizeof r->reversed[0]);
        r->reversed = list;
        if (!grown) {
            sari_fail_memory(r);
            return;
        }
        r->reversed[r->reversed_count++] = false;
    }
    if (reversed) r->reversed[joint.i] = true;
}

int sari_sense(const sari_reader* r, sar_joint_id joint, sar_coordinate coordinate)
{
    const bool reversed =
        coordinate == SAR_COORD_ANGLE && joint.i >= 0 && joint.i < r->reversed_count;
    return reversed && r->reversed[joint.i] ? -1 : 1;
}
