/// @file shape.h
/// What bodies look like, where more is wanted than rods and plates between joints. Shapes touch
/// nothing; they have a mass where a density is given.
#ifndef SARRUS_SHAPE_H
#define SARRUS_SHAPE_H

#include "sarrus/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kind of a shape, its word, and what its points are, in the frame of its body.
#define SAR_SHAPE_LIST(X)                                                                          \
    X(SAR_SHAPE_BOX, "box")           /* the middle of it, and of three of its faces */            \
    X(SAR_SHAPE_CYLINDER, "cylinder") /* the middles of its ends */                                \
    X(SAR_SHAPE_SPHERE, "sphere")     /* its middle */                                             \
    X(SAR_SHAPE_CAPSULE, "capsule")   /* a cylinder with round ends: as it */                      \
    X(SAR_SHAPE_POLYGON, "polygon")   /* its corners, in a plane; it need not be convex */         \
    X(SAR_SHAPE_MESH, "mesh")         /* corners of triangles */

typedef enum sar_shape_kind {
#define SAR_SHAPE_ENUM(name, word) name,
    SAR_SHAPE_LIST(SAR_SHAPE_ENUM)
#undef SAR_SHAPE_ENUM
        SAR_SHAPE_KINDS
} sar_shape_kind;

#define SAR_STYLE_LIST(X)                                                                          \
    X(SAR_STYLE_SOLID, "solid")                                                                    \
    X(SAR_STYLE_GLASS, "glass") /* one sees through */                                             \
    X(SAR_STYLE_WIRE, "wire")   /* edges alone */

typedef enum sar_style {
#define SAR_STYLE_ENUM(name, word) name,
    SAR_STYLE_LIST(SAR_STYLE_ENUM)
#undef SAR_STYLE_ENUM
        SAR_STYLES
} sar_style;

typedef struct sar_shape_def {
    sar_shape_kind kind;
    int points;
    const double (*point)[3]; ///< [m]
    double radius;            ///< of what is round; POLYGON: half of its thickness, 0: thin [m]
    int triangles;            ///< MESH
    const int (*triangle)[3]; ///< numbers of points, from 0
    long colour;              ///< 0xRRGGBB; -1: the colour of the body
    sar_style style;
} sar_shape_def;

SAR_API sar_shape_def sar_shape_def_default(void); ///< an empty one in the colour of the body
/// One more shape of a body or of the ground; the arrays are copied. A body with shapes is drawn by
/// them alone.
SAR_API sar_status sar_model_add_shape(sar_model* model, sar_body_id body, const sar_shape_def* def,
                                       sar_error* error);
/// Mass, centre and inertia of a body from its shapes, all of this density [kg/m^3]; in the plane
/// from their areas [kg/m^2]. Where shapes overlap both count.
SAR_API sar_status sar_model_set_density(sar_model* model, sar_body_id body, double density,
                                         sar_error* error);
SAR_API int sar_model_shapes(const sar_model* model, sar_body_id body);

/// How far the shapes of two bodies are from each other.
typedef struct sar_clearance {
    double distance; ///< [m]; negative: they overlap, and that far one has to be moved to be free
    double point_a[3], point_b[3]; ///< the nearest points, world axes
    int shape_a, shape_b;          ///< of which shapes
} sar_clearance;

/// Of two bodies, or of a body and the ground, at poses as of sar_simulation_pose: position and quaternion. Meshes and
/// polygons that are not convex count as their hulls; planar models in their plane. Allocates nothing. SAR_E_ARG: no such
/// body, or one without shapes.
SAR_API sar_status sar_model_clearance(const sar_model* model, sar_body_id a,
                                       const double pose_a[7], sar_body_id b,
                                       const double pose_b[7], sar_clearance* out);

#ifdef __cplusplus
}
#endif
#endif
