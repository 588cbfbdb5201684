/* Bodies on a tree of joints: places, velocities and inertia by recursion along it
 * [cuadradodopico, (3)-(19)].
 *
 * The motion that a joint allows is made of elementary ones, a node of the tree each: a turn about
 * z of its frame, a slide along z, or any rotation (a ball, by a unit quaternion). A node's frame
 * is that of its parent, then the fixed step (R, r), then its own motion. Bodies are fixed to
 * nodes.
 *
 * A change of coordinate k moves all that is beyond it as one rigid body. S_k = (w, v) says how:
 * points p get the velocity
 *
 *     v + w x (p - o)                                                                       (1)
 *
 * with one point o for all, near the mechanism: far from the origin of the world nothing is lost.
 *
 *     turn: S = (z, (r - o) x z)    slide: S = (0, z)    ball: as turn, about x, y and z    (2)
 *
 * with axes of the node's own frame, so that a turn about one axis of a ball carries the other two
 * along; balls that roll (mechanism.h) take those of the step before it, which stay. The derivative
 * of S_k by coordinate j is that of being carried:
 *
 *     dS_k/dq_j = S_j x S_k   if k is not before j, else 0                                  (3)
 *                 0           if both are of a ball whose axes stay
 *
 *     (w, v) x (w', v') = (w x w', w x v' + v x w')                                         (4)
 *
 * Forces are wrenches W = (moment about o, force), so that the generalised force is S_k . W. */
#ifndef SARI_TREE_H
#define SARI_TREE_H

#include "base/arena.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "system/mechanism/mechanism.h"

typedef double sari_six[6]; ///< (w, v) or (moment, force)

typedef struct sari_tree_node {
    sari_joint_motion motion;
    int parent; ///< node, or -1: the ground
    int joint;  ///< of the model, or -1: of a body that hangs on nothing
    int p, q;   ///< its first number in the positions, and in their changes
    int n;      ///< changes: 1 or 3
    int outer; ///< a ball whose axes do not turn along; its centre of mass is where it turns about,
               ///< and nothing is beyond it
    double R[9], r[3];
    double mass, center[3], J[6]; ///< of the bodies fixed to it, node frame: xx yy zz xy xz yz
} sari_tree_node;

/// A joint of the tree, and its nodes; they come one after the other. Its frame in the parent is
/// E_a at s_a (from the centre of mass, body axes), that in the child E_c at s_c; with all
/// coordinates zero, the last node's frame times `tail` is that of the child.
typedef struct sari_tree_joint {
    int joint;  ///< of the model, or -1
    int parent; ///< bodies
    int child;
    int first, count; ///< nodes
    double E_p[9], s_p[3], E_c[9], s_c[3], tail[9];
} sari_tree_joint;

/// Where a node is, and what of its inertia depends on that.
typedef struct sari_node_place {
    double R[9], r[3]; ///< its frame, world
    double c[3];       ///< centre of mass from o, world
    double J[6];       ///< about the centre, world axes
} sari_node_place;

/// Mass, first moment and moments of inertia about o, world axes.
typedef struct sari_spatial_inertia {
    double mass, h[3], I[6];
} sari_spatial_inertia;

typedef struct sari_tree {
    sari_arena memory;
    const sari_mechanism* mechanism;
    int nodes, np, nq;
    sari_tree_node* node;   ///< parents come first
    int* node_of;           ///< per change
    sari_tree_joint* joint; ///< parents come first
    int joints;
    int* body_node; ///< per body: the node it is fixed to, or -1: the ground
    double* body_R; ///< 9 per body: its axes in the node's frame
    double* body_r; ///< 3 per body: its centre of mass there

    /* at the last q, and v */
    int origin; ///< node whose origin is o
    double o[3];
    sari_node_place* place; ///< planar: with all coordinates zero
    sari_six* S;            ///< per change
    sari_six* S_dot;        ///< its rate along v
    sari_six *V, *A; ///< per node: velocity, and acceleration without that of the coordinates

    /* for recursions */
    sari_spatial_inertia* composite;
    sari_six* P;     ///< per change: momentum of what is beyond, moved by it
    int composed;    ///< both are those of the present places
    sari_six *W, *H; ///< per node
    double* X;       ///< of all bodies
    char* local;     ///< per polynomial: rows of two bodies in axes that both carry along, see
                     ///< sari_tree_localise; NULL: none
    int* mass_at;    ///< per change k: the entries (k, j) of M, j from k to the root
    int* stiff_at;   ///< the same in K: (k, j) and, where j is before k, (j, k)

    struct sari_planar* planar; ///< mechanisms in a plane, see tree_planar.h; else NULL
} sari_tree;

/// Room for so many nodes and changes; the nodes and `body_*` are the caller's to fill, then
/// sari_tree_complete. NULL: out of memory.
sari_tree* sari_tree_create(const sari_mechanism* m, int nodes, int np, int nq);
/// Merge the bodies' inertia into the nodes.
void sari_tree_complete(sari_tree* t);
void sari_tree_destroy(sari_tree* t);

/// From now on polynomials of points that coincide, p_a - p_b = 0, do not depend on what carries
/// both bodies. As p_a - p_b in axes of the last body that carries both they do not, and those differ
/// from the ones in world axes by a rotation: the gradients are of the same rows, turned by what the
/// turn of these axes is. Where points do coincide, there is no difference. 0: out of memory.
int sari_tree_localise(sari_tree* t);

/// Go to q: frames, S and, into X, the placement of the bodies.
void sari_tree_place(sari_tree* t, const double* q, double* X);
/// Velocities V, A, dS/dt for v and, into Xd and Xdd unless they are NULL, those of the bodies, see
/// kinematics.h.
void sari_tree_rates(sari_tree* t, const double* X, const double* v, double* Xd, double* Xdd);
/// Xdd += what accelerations a of the coordinates add.
void sari_tree_accelerate(const sari_tree* t, const double* X, const double* a, double* Xdd);

/// W = the wrench of forces G on the placement X_b.
void sari_tree_wrench(const sari_tree* t, const double* X_b, const double* G, sari_six W);
/// W += its change when X_b changes by dX_b.
void sari_tree_add_wrench_change(const sari_tree* t, const double* dX_b, const double* G,
                                 sari_six W);
/// dX_b of a body that moves by S.
void sari_tree_carry(const sari_tree* t, const double* X_b, const sari_six S, double* dX_b);

/* tree_inertia.c: with the places and rates above */

/// Entries of M that may differ from zero, all of them pairs of a coordinate and one on its way to
/// the ground.
sar_status sari_tree_mass_pattern(const sari_tree* t, sari_pattern* pattern);
/// Of weight in K: the same pairs, both ways.
sar_status sari_tree_stiffness_pattern(const sari_tree* t, sari_pattern* pattern);
sar_status sari_tree_locate(sari_tree* t, const sari_sym* M, const sari_csr* K);
/// P of all coordinates, once for every place
void sari_tree_set_momenta(sari_tree* t);
void sari_tree_mass(sari_tree* t, double* M);
/// K += minus the derivative of the weight's generalised force.
void sari_tree_weight_stiffness(sari_tree* t, double* K);
/// Q = weight and, with_velocity, inertial forces at the rates of v.
void sari_tree_force(sari_tree* t, int with_velocity, double* Q);
/// out = dM/dt v at the rates of v
void sari_tree_mass_rate(sari_tree* t, double* out);
/// 1/2 v'M v
double sari_tree_kinetic_energy(const sari_tree* t, const double* v);

static inline double sari_dot6(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/// S . W without what is zero in a plane
static inline double sari_work_of(const sari_six S, const sari_six W, int planar)
{
    return planar ? S[2] * W[2] + S[3] * W[3] + S[4] * W[4] : sari_dot6(S, W);
}

static inline double sari_tree_work(const sari_tree* t, const sari_six S, const sari_six W)
{
    return sari_work_of(S, W, t->planar != NULL);
}

/// W += moment of the force G on what is at x
static inline void sari_add_moment(const double x[3], const double G[3], sari_six W)
{
    double moment[3];
    sari_cross(x, G, moment);
    for (int k = 0; k < 3; k++) W[k] += moment[k];
}

/// sari_tree_add_wrench_change, where it is known whether all is in a plane
static inline void sari_add_wrench_change(const double* dX_b, const double* G, int planar,
                                          sari_six W)
{
    if (planar)
        W[2] += dX_b[0] * G[1] - dX_b[1] * G[0] + dX_b[2] * G[3] - dX_b[3] * G[2];
    else
        for (int c = 0; c < 12; c += 3) sari_add_moment(dX_b + c, G + c, W);
}

/// sari_tree_wrench, where it is known whether all is in a plane
static inline void sari_wrench_about(const double o[3], const double* X_b, const double* G,
                                     int planar, sari_six W)
{
    if (planar) {
        W[0] = W[1] = W[5] = 0.0;
        W[2] = (X_b[0] - o[0]) * G[1] - (X_b[1] - o[1]) * G[0] + X_b[2] * G[3] - X_b[3] * G[2];
        W[3] = G[0], W[4] = G[1];
        return;
    }
    const double s[3] = {X_b[0] - o[0], X_b[1] - o[1], X_b[2] - o[2]};
    sari_cross(s, G, W);
    for (int k = 0; k < 3; k++) W[3 + k] = G[k];
    for (int c = 3; c < 12; c += 3) sari_add_moment(X_b + c, G + c, W);
}

#endif
