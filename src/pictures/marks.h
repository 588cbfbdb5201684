/* A drawing while it is made: a list of marks, and what all of them are measured by. */
#ifndef SARI_MARKS_H
#define SARI_MARKS_H

#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "model/model.h"
#include "sarrus/drawing.h"

/// Points of a body that joints, forces and names speak of, each once; body frame.
typedef struct sari_outline {
    double (*points)[3];
    int count, capacity;
    int held;    ///< the number of those that joints or forces hold, which come first
    bool solid;  ///< a joint or force shows it: a block, a wheel
    bool unseen; ///< nothing of it is shown
    int layer;   ///< planar: connected bodies lie over each other
} sari_outline;

struct sar_drawing {
    const sar_model* model;
    const double* poses; ///< while it is made
    int rows;
    sari_arena arena;
    sari_outline* outlines; ///< of all bodies
    sar_mark* marks;
    int count, capacity;
    double size, r;   ///< length of a body, radius of a rod
    bool has_lengths; ///< some body has one: the size is the median of them
    double least[3], most[3];
    double up[3];
};

/// Where a point or direction of a body is in a row of the poses.
void sari_place_point(const sar_drawing* d, int row, int body, const double point[3],
                      double out[3]);
void sari_place_direction(const sar_drawing* d, int row, int body, const double direction[3],
                          double out[3]);
/// A world direction at the start, in the frame of a body.
void sari_direction_in(const sar_drawing* d, int body, const double world[3], double out[3]);

/// Add a mark with a copy of the points; NULL when out of memory, which the arena remembers.
sar_mark* sari_mark_add(sar_drawing* d, sar_mark_kind kind, sar_mark_role role, int body,
                        const double (*points)[3], int count, double radius);
sar_mark* sari_mark_line(sar_drawing* d, sar_mark_role role, int body, const double a[3],
                         const double b[3]);
/// A cylinder around `at`, half as long as `half`.
sar_mark* sari_mark_cylinder(sar_drawing* d, sar_mark_role role, int body, const double at[3],
                             const double axis[3], double half, double radius);
/// A box around `at` with these half edges along x, y, and across both.
sar_mark* sari_mark_box(sar_drawing* d, sar_mark_role role, int body, const double at[3],
                        const double x[3], const double y[3], const double half[3]);

/// Height of a planar body over the plane, in its layer.
double sari_layer_height(const sar_drawing* d, int body);
/// A unit vector across `axis`.
void sari_mark_across(const double axis[3], double out[3]);

/// out = a + s b
static inline void sari_mark_along(const double a[3], double s, const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] + s * b[k];
}

/// A rotor that turns, and that is all: without mass, shape and extent, on the ground (joint a to b).
static inline bool sari_is_rotor_alone(const sar_drawing* d, const sar_joint_def* joint)
{
    const sari_body* b = &d->model->bodies[joint->b.body.i];
    return joint->a.body.i == 0 && joint->b.body.i && b->def.mass == 0.0 &&
           b->def.inertia[2] > 0.0 && b->shapes_count == 0 &&
           d->outlines[joint->b.body.i].count <= 1;
}

/* Each adds its marks. outlines.c */
sar_status sari_outlines_find(sar_drawing* d);
void sari_draw_bodies(sar_drawing* d);
/* shapes.c: those that the model gives a body; false: it gives none */
bool sari_draw_shapes(sar_drawing* d, int body);
/// Blocks and wheels of joints give way to the shapes of their bodies.
void sari_drop_made_up(sar_drawing* d);
/* joints.c */
void sari_draw_joints(sar_drawing* d);
/* grounds.c: the symbol of the ground at a point of it, and along a line from p to q */
void sari_draw_support(sar_drawing* d, int joint, const double point[3], const double axis[3]);
void sari_draw_ground_line(sar_drawing* d, int joint, const double p[3], const double q[3],
                           const double into[3]);
/* belts.c */
typedef struct sari_belt {
    const char* name;
    int joint; ///< that it stands for, or -1
    sar_mark_role role;
    const sar_joint_def* pulley[2]; ///< each on its first body
    double radius[2];
    bool crossed;
} sari_belt;
void sari_draw_belt(sar_drawing* d, const sari_belt* belt);
void sari_draw_cable(sar_drawing* d, const sari_belt* belt, const sar_end* over, int points);
/* forces.c */
void sari_draw_forces(sar_drawing* d);
/* floors.c */
void sari_draw_floors(sar_drawing* d);

#endif
