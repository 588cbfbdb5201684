/// @file drawing.h
/// A picture of a mechanism as a list of marks: rods and plates between joint points, pins, balls,
/// rails, springs, the ground. Every model has one; shapes that it gives its bodies replace what
/// would be made up. Marks are fixed in bodies, so that poses are all that moves them.
///
///     sar_drawing* drawing;
///     sar_drawing_create(model, poses, rows, &drawing, NULL);
///     for (int k = 0; k < sar_drawing_marks(drawing); k++) show(sar_drawing_mark(drawing, k));
///     sar_drawing_destroy(drawing);
#ifndef SARRUS_DRAWING_H
#define SARRUS_DRAWING_H

#include "sarrus/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kind of a mark, its word, and what its points are.
#define SAR_MARK_LIST(X)                                                                           \
    X(SAR_MARK_CAPSULE, "capsule")   /* from point 0 to 1 with `radius`, round ends */             \
    X(SAR_MARK_CYLINDER, "cylinder") /* the same with flat ends */                                 \
    X(SAR_MARK_BALL, "ball")         /* around point 0 */                                          \
    X(SAR_MARK_BOX, "box")           /* centre point 0, half edges to points 1, 2 and 3 */         \
    X(SAR_MARK_PLATE, "plate")       /* a convex polygon, `radius` thick to both sides */          \
    X(SAR_MARK_POLYGON, "polygon")   /* any polygon; it need not be convex */                      \
    X(SAR_MARK_LINE, "line")         /* through the points */                                      \
    X(SAR_MARK_MESH, "mesh")         /* triangles */                                               \
    X(SAR_MARK_COIL, "coil")         /* a spring from point 0 to point 1 of another body */        \
    X(SAR_MARK_POT, "pot")           /* a damper, likewise */                                      \
    X(SAR_MARK_BAR, "bar")           /* a thin rod, likewise */

typedef enum sar_mark_kind {
#define SAR_MARK_ENUM(name, word) name,
    SAR_MARK_LIST(SAR_MARK_ENUM)
#undef SAR_MARK_ENUM
        SAR_MARK_KINDS
} sar_mark_kind;

/// What a mark stands for.
#define SAR_ROLE_LIST(X)                                                                           \
    X(SAR_ROLE_BODY, "body")                                                                       \
    X(SAR_ROLE_JOINT, "joint")                                                                     \
    X(SAR_ROLE_GUIDE, "guide")   /* a rail, plane or curve of a joint */                           \
    X(SAR_ROLE_GROUND, "ground") /* a support */                                                   \
    X(SAR_ROLE_HATCH, "hatch")   /* its hatching */                                                \
    X(SAR_ROLE_FORCE, "force")                                                                     \
    X(SAR_ROLE_STRIPE, "stripe") /* on a round body, so that its turning can be seen */            \
    X(SAR_ROLE_CENTER, "center") /* of mass */

typedef enum sar_mark_role {
#define SAR_ROLE_ENUM(name, word) name,
    SAR_ROLE_LIST(SAR_ROLE_ENUM)
#undef SAR_ROLE_ENUM
        SAR_ROLES
} sar_mark_role;

typedef struct sar_mark {
    sar_mark_kind kind;
    sar_mark_role role;
    int body;         ///< in whose frame it is
    int other;        ///< COIL, POT, BAR: in whose frame its second point is
    int joint;        ///< that it stands for, or -1
    const char* name; ///< of the body, joint or force; owned by the model
    int count;
    const double (*points)[3];
    double radius;        ///< [m]
    const int* triangles; ///< MESH: three points each
    int triangle_count;
    long colour; ///< 0xRRGGBB that the model wants; -1: by role and body
    sar_style style;
} sar_mark;

typedef struct sar_drawing sar_drawing;

enum { SAR_POSE = 7 }; ///< numbers of a pose: position, unit quaternion (w, x, y, z)

/// `poses` holds `rows` times the poses of all bodies, the ground included: they say how long rails
/// are and how large all is. `model` must outlive the drawing.
SAR_API sar_status sar_drawing_create(const sar_model* model, const double* poses, int rows,
                                      sar_drawing** out, sar_error* error);
SAR_API void sar_drawing_destroy(sar_drawing* drawing);
SAR_API int sar_drawing_marks(const sar_drawing* drawing);
SAR_API const sar_mark* sar_drawing_mark(const sar_drawing* drawing, int k);
/// About the length of a body, by which symbols are measured [m].
SAR_API double sar_drawing_size(const sar_drawing* drawing);
/// Box around the whole motion: minimum and maximum of x, y and z [m].
SAR_API void sar_drawing_bounds(const sar_drawing* drawing, double min[3], double max[3]);
/// Upwards: against gravity, along an axis of the world; without gravity y in the plane, z in
/// space.
SAR_API void sar_drawing_up(const sar_drawing* drawing, double up[3]);
SAR_API const char* sar_mark_kind_word(sar_mark_kind kind);
SAR_API const char* sar_mark_role_word(sar_mark_role role);
SAR_API const char* sar_style_word(sar_style style);

#ifdef __cplusplus
}
#endif
#endif
