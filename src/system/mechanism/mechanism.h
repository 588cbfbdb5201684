/* The mechanism in the language of polynomial.h: what the model means, before any coordinates are
 * chosen.
 *
 * Body b is placed by X_b, at X[nx*b ...]:
 *
 *     spatial, nx = 12:  centre of mass (3), then the world components of the body's x, y and z
 *                        axes (3 each)
 *     planar,  nx = 4:   centre of mass (2), cosine and sine of the body's angle
 *
 * The ground's X never appears: its points and axes are constants. */
#ifndef SARI_MECHANISM_H
#define SARI_MECHANISM_H

#include "base/arena.h"
#include "elements/element.h"
#include "model/model.h"
#include "system/mechanism/polynomial.h"
#include "system/mechanism/velocity_law.h"

/// One geometric condition of a joint and the polynomials that say it.
typedef struct sari_condition {
    sari_condition_kind kind;
    int joint;
    sar_end a, b;    ///< ground first where the condition is symmetric
    double distance; ///< or height
    int poly, poly_end;
} sari_condition;

/// A scalar of the configuration: a polynomial, the angle atan2(a, b) of two, the root of one,
/// sqrt(1 - a^2): the sine of what a is the cosine of, or the distance of the point (a, b) from a
/// curve; an angle `zero` + asin(a); a component of a rotation vector, of the sine of the angle times
/// the axis, a, and the cosine, b. Or a function of other scalars: the composite of number `a`. Or the
/// integral of a state of the model, whose rate is the state: `a` is its number. Or a rate alone, the
/// flow of number `a`.
typedef enum sari_scalar_kind {
    SARI_SCALAR_PLAIN,
    SARI_SCALAR_ANGLE,
    SARI_SCALAR_ROOT,
    SARI_SCALAR_COMPLEMENT,
    SARI_SCALAR_CURVE,
    SARI_SCALAR_ARC,
    SARI_SCALAR_VECTOR,
    SARI_SCALAR_COMPOSITE,
    SARI_SCALAR_STATE,
    SARI_SCALAR_FLOW
} sari_scalar_kind;

/// The rotation that an angle measures: of a body from another, about an axis fixed in one of them.
typedef struct sari_rotation {
    int from, of; ///< bodies
    int fixed_in; ///< one of these
    double axis[3];
} sari_rotation;

typedef struct sari_scalar {
    sari_scalar_kind kind;
    int a, b;               ///< polynomials
    double last;            ///< ANGLE: value when last committed, see turns.h. CURVE: parameter of
                            ///< the foot point then; NAN: none yet
    double last_a, last_b;  ///< ANGLE: the polynomials then
    double rate;            ///< ANGLE: its rate then
    sari_rotation rotation; ///< ANGLE
    int joint;              ///< whose coordinate it is, or to whose rows it belongs, or -1
    int of_rows;            ///< the latter: it is written anew with the joint's rows
    sar_coordinate coordinate;
    const sari_curve* curve;
    double zero; ///< ARC
} sari_scalar;

enum { SARI_FLOW_TERMS = 9 };

/// sum of weight_i poly_2i d(poly_2i+1)/dt: a velocity that is the rate of no position (flows.c).
typedef struct sari_flow {
    int terms;
    int poly[2 * SARI_FLOW_TERMS];
    double weight[SARI_FLOW_TERMS];
} sari_flow;

/// Three axes fixed in a body: columns of R, from these to those of the body.
typedef struct sari_triad {
    int body;
    double R[9];
} sari_triad;

/// f of other scalars, which are there before it (composites.c).
typedef struct sari_composite {
    const sari_expression* f;
    int terms;
    int scalar[SARI_POSITION_SIGNALS], variable[SARI_POSITION_SIGNALS];
} sari_composite;

/// Is only its rate of use: it is no function of the placements?
static inline int sari_scalar_is_rate(const sari_scalar* s)
{
    return s->kind == SARI_SCALAR_STATE || s->kind == SARI_SCALAR_FLOW;
}

/// Is it made of polynomials?
static inline int sari_scalar_is_polynomial(const sari_scalar* s)
{
    return !sari_scalar_is_rate(s) && s->kind != SARI_SCALAR_COMPOSITE;
}

/// Does it depend on the polynomial b?
static inline int sari_scalar_has_two(const sari_scalar* s)
{
    return s->kind == SARI_SCALAR_ANGLE || s->kind == SARI_SCALAR_CURVE ||
           s->kind == SARI_SCALAR_VECTOR;
}

enum { SARI_RELATION_TERMS = SARI_POSITION_SIGNALS };

/// A constraint on scalars: sum coefficient * scalar = offset + value(t), or a law of them. Screws,
/// couplings, drives, constraints on positions.
typedef struct sari_relation {
    int joint, terms;
    int scalar[SARI_RELATION_TERMS];
    double coefficient[SARI_RELATION_TERMS];
    const sari_expression* law;        ///< f(t, signals) = 0; NULL: linear
    int variable[SARI_RELATION_TERMS]; ///< of the law, per term
    double offset;
    int as_drawn;                 ///< offset is what the sum is at the start
    const sari_expression* value; ///< NULL: 0
} sari_relation;

typedef struct sari_mechanism {
    sari_arena memory;
    const sar_model* model;
    int dimension, nx, bodies;
    char* active;          ///< per joint of the model, then per force: is it there?
    sar_joint_def* pair;   ///< per joint: as it is now; attaching moves its end a
    int* row_poly;         ///< per joint: first polynomial of what its type's `rows` adds
    double* second_moment; ///< 9 per body: integral of s s' dm about the centre, body axes; planar:
                           ///< [0] is I_zz
    double* X0;            ///< drawn start, nx per body, gaps filled along the joints
    double* Xd0;           ///< its velocity
    sari_polynomials poly;
    sari_condition* conditions;
    int conditions_count, conditions_capacity;
    sari_scalar* scalars;
    int scalars_count, scalars_capacity;
    sari_flow* flows;
    int flows_count, flows_capacity;
    sari_composite* composites;
    int composites_count, composites_capacity;
    sari_relation* relations;
    int relations_count, relations_capacity;
    sari_velocity_row* velocity_rows; ///< conditions on velocities
    int velocity_rows_count, velocity_rows_capacity;
    char* ball;         ///< per body: it has such conditions, and the same inertia about all axes
    int* signal_scalar; ///< per signal of the model: its scalar, or -1 (spins, reactions, energies)
    int* force_scalar[SARI_FORCE_TYPES]; ///< per type of force: the scalars of each of them
    int* force_state[SARI_FORCE_TYPES];  ///< and the first state of each
    int states;                          ///< of all forces, whether their joints are there or not
} sari_mechanism;

/// With the joints and forces that `active` says are there, see sari_model_set_after; NULL: those
/// that are there at first. Scalars are the same ones, in the same order, whatever is there.
sar_status sari_mechanism_create(const sar_model* model, const char* active, sari_mechanism** out,
                                 sar_error* error);
void sari_mechanism_destroy(sari_mechanism* m);

/// Does anything depend on how a particle is turned? That is an error, with what it is
/// (particles.c).
sar_status sari_mechanism_check_particles(const sari_mechanism* m, sar_error* error);

/// Fills X0 and Xd0 (drawn_start.c). 0: out of memory.
int sari_mechanism_draw(sari_mechanism* m);
/// Xd of bodies placed by X (nx per body) that have the drawn velocities: those of their origins,
/// and angular ones in world axes.
void sari_mechanism_drawn_rates(const sari_mechanism* m, const double* X, double* Xd);

/// Put end a of a joint that attaches to `end` (and keep a distance joint's `distance`): conditions
/// and scalars of the joint get new values in place. Nothing is allocated. 0: it does not fit.
int sari_mechanism_attach(sari_mechanism* m, int joint, const sar_end* end, double distance);

/* What the rows of joint types are made of (elements/). -1 or NULL: out of memory. */

/// New scalars: a polynomial, component k of a point, the distance of two, (p_b - p_a) . u with u
/// fixed in a's body, u . w with w fixed in b's, the sine of the angle between them, the turn of
/// b's normal from a's normal about a's axis, a joint's coordinate, the distance of b's point from
/// a joint's curve, a state of the model.
int sari_scalar_plain(sari_mechanism* m, int poly);
int sari_scalar_component(sari_mechanism* m, int body, const double point[3], int k);
int sari_scalar_distance(sari_mechanism* m, const sar_end* a, const sar_end* b);
int sari_scalar_offset(sari_mechanism* m, const sar_end* a, const sar_end* b, const double u[3]);
int sari_scalar_dot(sari_mechanism* m, const sar_end* a, const double u[3], const sar_end* b,
                    const double w[3]);
int sari_scalar_sine(sari_mechanism* m, const sar_end* a, const double u[3], const sar_end* b,
                     const double w[3]);
int sari_scalar_angle(sari_mechanism* m, const sar_end* a, const sar_end* b);
int sari_scalar_of_joint(sari_mechanism* m, int joint, sar_coordinate coordinate);
int sari_scalar_from_curve(sari_mechanism* m, int joint);
int sari_scalar_state(sari_mechanism* m);
/// A body's direction, component k; angle n (0 to 2) of a sequence of axes ("zyx") that turns a into
/// b, and component k of the vector of that rotation; the angular velocity of a body, component k in
/// world axes or along a direction of its own; the velocity of a point along a direction of a body.
int sari_scalar_direction(sari_mechanism* m, int body, const double u[3], int k);
int sari_scalar_turn(sari_mechanism* m, const sari_triad* a, const sari_triad* b,
                     const char* sequence, int n);
int sari_scalar_rotation_vector(sari_mechanism* m, const sari_triad* a, const sari_triad* b, int k);
int sari_scalar_spin(sari_mechanism* m, int body, int k);
int sari_scalar_spin_along(sari_mechanism* m, int body, const double u[3]);
int sari_scalar_velocity_along(sari_mechanism* m, int body, const double point[3], int frame,
                               const double u[3]);

/// What an expression of positions says: the scalar of its only signal, or a function of several.
int sari_scalar_along(sari_mechanism* m, const sari_expression* e);

/// A new relation without terms, and a term; 0 where there is no scalar.
sari_relation* sari_mechanism_relation(sari_mechanism* m, int joint);
int sari_relation_add(sari_relation* r, int scalar, double coefficient);

/// A new row on velocities by `law` (NULL: by an expression) with room for so many scalars, and one
/// of them; 0 where there is none.
sari_velocity_row* sari_mechanism_velocity_row(sari_mechanism* m, int joint,
                                               sari_velocity_function law, int scalars);
int sari_velocity_row_add(sari_velocity_row* row, int scalar);

/// Directions of the frame of an end, body axes: the last one along its axis.
void sari_frame_along_axis(const sari_mechanism* m, const sar_end* e, double frame[3][3]);

/// Component k of a point / direction of body b (body frame) as an affine function of X.
sari_affine sari_point_affine(const sari_mechanism* m, int body, const double point[3], int k);
sari_affine sari_axis_affine(const sari_mechanism* m, int body, const double axis[3], int k);

/// No loops, the ground included, and no relations between joints: every joint has a body to itself
/// on which its rows are independent, wherever the bodies are.
int sari_mechanism_is_tree(const sari_mechanism* m);

/// Per body: is it in a loop of joints, between two, or in a relation? The rows of any other are
/// independent of the rest wherever it is: they have a body to themselves, as in a tree. 0: out of
/// memory.
int sari_mechanism_find_loops(const sari_mechanism* m, char* in_loop);

/// Bodies on the longest of the shortest ways along joints from the ground (or, in a part that
/// hangs on nothing, from its first body).
int sari_mechanism_longest_path(const sari_mechanism* m);

/// Two unit directions perpendicular to the axis of an end that may have no normal.
void sari_perpendiculars(const sari_mechanism* m, const sar_end* e, double n[3], double o[3]);

/// Two unit directions across the line of a condition; planar: n alone.
void sari_across_line(const sari_mechanism* m, const sari_condition* c, double n[3], double o[3]);

/// The force that a state belongs to; NULL: there is none such. *type: its type; *free: it is a state of
/// the model, and no force.
const sari_force* sari_mechanism_state(const sari_mechanism* m, int state, int* type, bool* free);

/// Angular velocity (world axes) of a body placed by X_b that moves by Xd_b.
void sari_spin_of(const sari_mechanism* m, const double* X_b, const double* Xd_b, double w[3]);

/// Orientation (row-major, body to world) of the body in X; planar too.
void sari_rotation_of(const sari_mechanism* m, const double* X_b, double R[9]);

/// G += w ds/dX of a scalar of the mechanism.
void sari_scalar_gradient_on_X(const sari_mechanism* m, const sari_scalar* scalar, const double* X,
                               double w, double* G);

#endif
