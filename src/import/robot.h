/* A robot between its file and a model: links, joints, couplings, actuators, springs, as every format has them.
 *
 * A format is one reader that fills this form (urdf.c, sdf.c, mjcf.c). What follows is the same for all: the spanning
 * tree and its poses (tree.c), what is repaired (repair.c), the model file (write_model.c).
 *
 * A joint has a frame in each of its links. With poses X of links and the motion T(q) of the joint's coordinates,
 *
 *     X_b on_b = X_a on_a T(q)                                                                     (1)
 *
 * holds for joints of the tree, and is what a joint that closes a loop demands. The axis is a direction in both
 * frames; T(q) is a rotation about it, a translation along it, or both. */
#ifndef SARI_IMPORT_ROBOT_H
#define SARI_IMPORT_ROBOT_H

#include "import/pose.h"
#include "input/yaml/diagnostics.h"

#include <stdbool.h>

typedef enum sari_robot_shape_kind {
    SARI_ROBOT_BOX,       ///< size: edges
    SARI_ROBOT_SPHERE,    ///< size: radius
    SARI_ROBOT_CYLINDER,  ///< size: radius, length along z
    SARI_ROBOT_CAPSULE,   ///< size: radius, length along z without its round ends
    SARI_ROBOT_ELLIPSOID, ///< size: half axes; it has a mass, and is not drawn
    SARI_ROBOT_MESH       ///< file, size: scale; 0: it cannot be drawn
} sari_robot_shape_kind;

typedef struct sari_robot_shape {
    sari_robot_shape_kind kind;
    sari_pose at; ///< in the link
    double size[3];
    const char* file; ///< as the model file names it
    double colour[4]; ///< red, green, blue, alpha; alpha < 0: none is given
    struct sari_robot_shape* next;
} sari_robot_shape;

struct sari_robot_joint;

/// A place of a body that the model names.
typedef struct sari_robot_point {
    const char* word;
    double x[3];
    struct sari_robot_point* next;
} sari_robot_point;

typedef struct sari_robot_link {
    const char* name; ///< in its file
    const char* word; ///< in the model
    sari_place place;
    double mass, center[3],
        inertia[6];      ///< about the centre, in axes of the link: xx yy zz xy xz yz
    bool as_measured;    ///< moments that no rigid body has
    bool massless_frame; ///< made up between two joints of one body
    sari_robot_shape *shapes, *last_shape;
    sari_pose pose; ///< in the world: of a root as given, of others as the joints draw it
    bool placed;
    struct sari_robot_joint* up;  ///< the joint of the tree above it; NULL: a root
    struct sari_robot_link* into; ///< it is a part of this link ...
    sari_pose at;                 ///< ... and lies there; else the identity
    bool root_may_be_free;        ///< a root that a parameter fastens to the ground
    bool held;                    ///< a loop, a coupling or a force needs its motion
    double tree_mass, tree_first[3],
        tree_second[9];            ///< with all links that hang on it, world axes
    struct sari_robot_link* group; ///< leads to the root of its tree, while that grows
    int depth;                     ///< below its root
    struct sari_robot_link* below; ///< while poses are found, and while bodies are written
    sari_robot_point *points, *last_point;
    bool written;
    struct sari_robot_link *next, *same_code;
} sari_robot_link;

typedef enum sari_robot_joint_kind {
    SARI_ROBOT_FIXED,
    SARI_ROBOT_REVOLUTE,
    SARI_ROBOT_PRISMATIC,
    SARI_ROBOT_CYLINDRICAL,
    SARI_ROBOT_SCREW,
    SARI_ROBOT_UNIVERSAL, ///< about `axis` in a, then about `axis2` in b
    SARI_ROBOT_SPHERICAL,
    SARI_ROBOT_PLANAR, ///< the axis is the normal
    SARI_ROBOT_DISTANCE,
    SARI_ROBOT_FREE ///< draws b on a, and holds nothing
} sari_robot_joint_kind;

/// What happens along one coordinate of a joint.
typedef struct sari_robot_travel {
    bool limited;
    double lower, upper;
    double effort; ///< of its motor; 0: not known
    double damping, friction, stiffness, rest;
    double armature; ///< inertia that counts for this coordinate alone
} sari_robot_travel;

typedef struct sari_robot_joint {
    const char *name, *word;
    sari_place place;
    sari_robot_joint_kind kind;
    sari_robot_link *a, *b;
    sari_pose on_a, on_b;
    double axis[3], axis2[3];
    double pitch, distance;
    sari_robot_travel travel[2];
    double start; ///< first coordinate, as drawn
    bool closes;  ///< it is no part of the tree
    bool locked;  ///< nothing that it moves has a mass
    struct sari_robot_joint *next, *same_code;
} sari_robot_joint;

/// A coordinate of a joint in a sum.
typedef struct sari_robot_term {
    sari_robot_joint* joint;
    int coordinate; ///< 0, or 1: the second one
    double factor;
    struct sari_robot_term* next;
} sari_robot_term;

/// sum = offset, or first = polynomial of the second
typedef struct sari_robot_coupling {
    const char *name, *word;
    sari_place place;
    sari_robot_term* terms;
    double offset, poly[5];
    bool is_polynomial;
    struct sari_robot_coupling* next;
} sari_robot_coupling;

/// f = gain u + bias[0] + bias[1] x + bias[2] v on a coordinate, a sum of them, or between two points; u is an input.
typedef struct sari_robot_actuator {
    const char *name, *word, *input;
    sari_place place;
    sari_robot_term* terms; ///< NULL: between points
    sari_robot_link* link[2];
    double point[2][3];
    double gain, bias[3];
    double
        damping_ratio; ///< if positive bias[2] follows from it, for what the coordinate moves as drawn
    bool control_limited, force_limited;
    double control[2], force[2];
    struct sari_robot_actuator* next;
} sari_robot_actuator;

/// A spring between two points, or a bushing between two frames.
typedef struct sari_robot_spring {
    const char *name, *word;
    sari_place place;
    bool is_bushing;
    sari_robot_link* link[2];
    sari_pose at[2];
    double stiffness, damping, length;
    double K[6], C[6]; ///< translations, rotations
    struct sari_robot_spring* next;
} sari_robot_spring;

enum { SARI_ROBOT_CODES = 1024 };

typedef struct sari_robot {
    const char* name;
    const char* format; ///< "URDF", "SDFormat", "MJCF"
    double gravity[3];
    sari_robot_link ground;
    sari_robot_link *links, *last_link;
    sari_robot_joint *joints, *last_joint;
    sari_robot_coupling *couplings, *last_coupling;
    sari_robot_actuator *actuators, *last_actuator;
    sari_robot_spring *springs, *last_spring;
    sari_robot_link* links_by_code[SARI_ROBOT_CODES];
    sari_robot_joint* joints_by_code[SARI_ROBOT_CODES];
    bool roots_are_fastened; ///< URDF does not say whether the base is: it is, by a parameter
} sari_robot;

static inline bool sari_robot_is_ground(const sari_robot* robot, const sari_robot_link* link)
{
    return link == &robot->ground;
}

/// Has it a shape that can be drawn? Meshes may be named only.
static inline bool sari_robot_is_drawn(const sari_robot_link* link)
{
    for (const sari_robot_shape* k = link->shapes; k; k = k->next)
        if (k->kind != SARI_ROBOT_MESH || k->size[0] > 0) return true;
    return false;
}

/// The number of coordinates that have names: angle, displacement.
int sari_robot_coordinates(sari_robot_joint_kind kind);
/// T(q) of the first coordinate, the others zero.
sari_pose sari_robot_motion(const sari_robot_joint* joint, double q);
/// Is the coordinate an angle?
bool sari_robot_is_angle(const sari_robot_joint* joint, int coordinate);

#endif
