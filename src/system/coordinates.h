/* Axis 1, coordinates: what a coordinate type has to say to the neck.
 *
 * Positions q are np numbers, their changes nq: velocities, columns of Phi_q, corrections. Mostly
 * the same space; but rotations are no vectors, and a type may describe them by unit quaternions
 * that change by rotation vectors. Then dX/dq below means the derivative by such a change.
 *
 * A coordinate type places every body: X_b(q), with first and second derivatives. Everything else
 * -- mass matrix, forces, joint conditions, their derivatives -- follows from that by the chain
 * rule (system.c, kinematics.c), so a new coordinate type is one file. It never sees a formulation,
 * a step size or a joint type's name. */
#ifndef SARI_COORDINATES_H
#define SARI_COORDINATES_H

#include "system/equations.h"
#include "system/evaluator.h"
#include "system/mechanism/mechanism.h"

/// How one body depends on the coordinates.
typedef struct sari_body_map {
    int nq;
    int* q;               ///< the coordinates it depends on, ascending
    double* T;            ///< dX/dq, nx x nq, row-major
    double* D2;           ///< dT/dq, nx x nq x nq, the last index that of dq; NULL where it is zero
    const int (*span)[2]; ///< per row of T: its first column that may differ from zero, and the
                          ///< end; D2 is zero outside too. NULL: all columns may
} sari_body_map;

/// Columns from `first` to `end` - 1 of row a of T, and of both indices of D2, may differ from
/// zero.
static inline int sari_body_map_first(const sari_body_map* map, int a)
{
    return map->span ? map->span[a][0] : 0;
}

static inline int sari_body_map_end(const sari_body_map* map, int a)
{
    return map->span ? map->span[a][1] : map->nq;
}

typedef struct sari_coordinates_ops sari_coordinates_ops;

struct sari_coordinates {
    sari_arena memory;
    const sari_coordinates_ops* ops;
    const sari_mechanism* mechanism;
    int nq;     ///< numbers in a change of q
    int np;     ///< numbers in q; 0 from create: nq
    int states; ///< the last of both are those of forces, see equations.h; create does not see them
    const sari_evaluator_ops* evaluator; ///< from create; chain unless it is set there
    int constant;                        ///< X = X0 + T q with constant T: the map is never updated
    int threads;                         ///< that share move and place; 1 at first
    struct sari_tree*
        tree;   ///< bodies move along a tree: T and D2 are NULL, see coordinates/tree.h; else NULL
    double* X0; ///< constant maps: nx per body
    int* turns; ///< per change: where three begin that are a turn, 1 in axes that turn
                ///< along, -1 in axes that stay; else 0. NULL: there are no turns
    sari_body_map* body;
    sari_polynomials
        own;       ///< the type's own constraints (rigid body, normalisation), polynomials of q
    int* own_body; ///< per own constraint: the body it belongs to
    int own_capacity;
    double *q0, *v0; ///< np and nq: the drawn start in these coordinates; need not satisfy anything
    sari_affine* reading; ///< constant maps: every coordinate as a function of X
    char* met;            ///< per condition of the mechanism: 1 if met by construction
};

struct sari_coordinates_ops {
    const char* name; ///< same word in files and on the command line
    const char* cite; ///< keys of docs/references.bib
    const char* text; ///< one line for people
    int separate;     ///< every coordinate belongs to one body, and every body has some
    int generates;    ///< M can be generated along a tree, see sari_mass_form
    /// Fill everything above for c->mechanism, but for q0 and v0.
    sar_status (*create)(sari_coordinates* c, sar_error* error);
    /// q and v of bodies placed by X and moving by Xd (nx per body) with the angular velocities w
    /// (3 per body, world axes). Where coordinates are shared, those of one of the bodies.
    void (*from_placement)(const sari_coordinates* c, const double* X, const double* Xd,
                           const double* w, double* q, double* v);
    /// The same place and motion by those numbers that are nearest to `like`, where several say it: angles, and
    /// unit quaternions that are numbers of q. NULL: one alone does.
    void (*resemble)(const sari_coordinates* c, const double* like, double* q, double* v);
    /// X alone, where it costs less; may be NULL.
    void (*place)(const sari_coordinates* c, const double* q, double* X);
    /// Not constant: bring X (nx per body), T and D2 to q.
    void (*update)(sari_coordinates* c, const double* q, double* X);

    /// Xd = T v and Xdd = v' D2 v where that is less work than with T and D2; may be NULL.
    void (*rates)(const sari_coordinates* c, const double* X, const double* v, double* Xd,
                  double* Xdd);

    /* positions that are no vectors; else NULL */

    /// q = where the change d leads from q0. q may be q0.
    void (*move)(const sari_coordinates* c, const double* q0, const double* d, double* q);
    /// d = the change that leads from q0 to q.
    void (*difference)(const sari_coordinates* c, const double* q0, const double* q, double* d);
    /// qdot = E(q) v, the np rates of q at velocity v. Linear in v, and E is of first degree in q:
    /// it holds beside the manifold too, and a scaled quaternion turns as the unit one does.
    void (*position_rates)(const sari_coordinates* c, const double* q, const double* v,
                           double* qdot);
    /// The inverse: v for rates qdot along the manifold; dv/dt for second rates.
    void (*velocities)(const sari_coordinates* c, const double* q, const double* qdot, double* v);
    /// Back to the manifold: drift out of unit quaternions. Leaves q alone if it is there, to
    /// rounding.
    void (*normalise)(const sari_coordinates* c, double* q);
};

extern const sari_coordinates_ops sari_coordinates_natural;
extern const sari_coordinates_ops sari_coordinates_cartesian;
extern const sari_coordinates_ops sari_coordinates_increments;
extern const sari_coordinates_ops sari_coordinates_relative;

/// All of them, NULL-terminated (src/coordinates/registry.c).
extern const sari_coordinates_ops* const sari_coordinates_types[];
const sari_coordinates_ops* sari_coordinates_find(const char* name); ///< NULL: there are none such

sar_status sari_coordinates_create(const sari_coordinates_ops* ops, const sari_mechanism* mechanism,
                                   sari_coordinates* c, sar_error* error);
void sari_coordinates_clear(sari_coordinates* c);

/// Name for people of number k of q, or of v: "crank.B.x", "J1.angle", "rod.e0" (src/coordinates/names.c).
void sari_coordinates_name(const sari_coordinates* c, int k, int velocity, char* name, size_t room);

/// For create functions: give body `b` its coordinates; T (and D2 if wanted) are allocated zeroed.
/// 0: out of memory.
int sari_body_map_init(sari_coordinates* c, int b, int nq, const int* q, int second);
/// Record that the newest polynomial of c->own belongs to `body`. 0: out of memory.
int sari_coordinates_own(sari_coordinates* c, int body);

#endif
