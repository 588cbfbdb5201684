/* Polynomials and scalars of the mechanism as functions of the coordinates: values, gradients,
 * second derivatives.
 *
 * With a constant map X = X0 + T q the polynomials are rewritten in q once, and evaluating one
 * costs a few multiplications. Otherwise they stay in X and the chain rule is applied term by term:
 *     d phi/dq = phi_X T,      d2 phi/dq2 = T' phi_XX T + sum_a phi_Xa D2_a */
#ifndef SARI_KINEMATICS_H
#define SARI_KINEMATICS_H

#include "system/coordinates.h"
#include "system/mechanism/quadratics.h"

/// The most components of X that a polynomial may have: those of two bodies.
enum { SARI_POLY_X = 24 };

typedef struct sari_term_list {
    int n;
    int* i; ///< coordinates, ascending
} sari_term_list;

/// How a polynomial depends on the coordinates of a tree: where those between its bodies and the
/// ground, from `first` on, are in `depends`.
typedef struct sari_poly_paths {
    int split;  ///< so many of its variables are of its first body, the others of its second
    int first;  ///< of the coordinates on the ways to its bodies; those before it carry both alike
    int* at[2]; ///< from there on, where they are in its gradient
} sari_poly_paths;

/// Constant maps: the entries of T that are not zero. Those of component a of X, nx for each body, are
/// p[a] .. p[a + 1].
typedef struct sari_linear_map {
    int *p, *q, *at; ///< q: the coordinate, at: its place among those of the body
    double* t;
} sari_linear_map;

struct sari_kinematics {
    sari_arena* memory; ///< of the system that it is part of
    sari_coordinates* coordinates;
    int nx, constant;
    sari_polynomials poly;    ///< in q (constant maps) or in X
    sari_term_list* depends;  ///< per polynomial
    sari_quadratics compiled; ///< the same, for evaluation; constant maps: its rows are `depends`
    int (*slot)[2];           ///< otherwise: the at most two bodies of a polynomial (0: none) ...
    int (*offset)[2];         ///< ... and where their coordinates begin in `depends`
    sari_poly_paths* paths;   ///< trees: instead of offset
    sari_scalar* scalar;      ///< copies; `last` is updated by commit
    int scalars;
    sari_term_list* scalar_depends; ///< union of its polynomials'
    int* straight; ///< per scalar: second derivatives are zero, it is the coordinate of this number
                   ///< in q plus 1; 0: it is none
    char* given;   ///< per scalar, for turns.c
    double** slope; ///< per scalar: of angles that are linear in q their gradient, once committed;
                    ///< NULL: of others
    int** scalar_map; ///< per scalar: positions of poly a's, then poly b's coordinates in the union
    sari_linear_map map;        ///< constant maps
    const double *q, *v;        ///< the state last given to update
    double time, counted;       ///< its time, as far as known, and when angles were last committed
    double* counted_q;          ///< and where
    double *X, *Xd, *Xdd;       ///< placement of the bodies, its rate, and v' D2 v
    double *at_q, *at_v;        ///< for which X and T, and Xd and Xdd, are there
    int placed, mapped, moving; ///< they are: X, T and D2, Xd and Xdd
    int tree_moving;            ///< trees: the nodes' velocities are those of at_v
    int longest;                ///< most coordinates that a polynomial or scalar depends on
    double* local[4];           ///< [longest] each, for evaluation
    double *composite_at, *composite_direction, *composite_g, *composite_H; ///< composites.c
};

/// Everything in it is taken from `memory`, and goes with that, but for `poly`.
sar_status sari_kinematics_create(sari_coordinates* c, sari_arena* memory, sari_kinematics** out,
                                  sar_error* error);

/// Constant maps: X as functions of q, nx per body.
sar_status sari_coordinates_map(const sari_coordinates* c, sari_arena* memory, sari_affine** out,
                                sar_error* error);

/// Go to (q, v). `placement` asks for X (and Xd when v is not NULL) even where there is a way
/// around them: when the map is constant, and Xd when the bodies are on a tree. SARI_PLACES: when
/// the map is constant, X alone.
enum { SARI_PLACES = 2 };
void sari_kinematics_update(sari_kinematics* k, const double* q, const double* v, int placement);
/// X (and Xd when v is not NULL) of body b; where the others are is not known afterwards. Asked for
/// one body after the other it costs no more than all at once: a constant map places each alone,
/// other coordinates know what they are at.
void sari_kinematics_update_body(sari_kinematics* k, const double* q, const double* v, int b);

/// Fill `compiled` from `poly`, make `depends`, and fill that too for polynomials in q.
sar_status sari_kinematics_compile(sari_kinematics* k);

/// out_i = sum_a T_ai G_a: forces on the placement of body b as forces on its coordinates.
void sari_body_pull(const sari_kinematics* k, int b, const double* G, double* out);
/// dX = change of body b's placement by its j-th coordinate.
void sari_body_column(const sari_kinematics* k, int b, int j, double* dX);
/// out_i += sum_a G_a D2_aij
void sari_body_add_second(const sari_kinematics* k, int b, const double* G, int j, double* out);
/// Xdd = T a + v' D2 v of all bodies, at the state last given to update.
void sari_kinematics_accelerations(const sari_kinematics* k, const double* a, double* Xdd);

/// q, and with it as much as polynomials need.
void sari_kinematics_position(sari_kinematics* k, const double* q);
/// X alone, for q.
void sari_kinematics_place(sari_kinematics* k, const double* q);

/// Constant maps: Xd = T v of body b, nx numbers.
void sari_kinematics_linear_rates(const sari_kinematics* k, int b, const double* v, double* Xd);

/// Angular velocity of body b at (q, v), in world axes. Not constant: where update was asked for Xd.
void sari_kinematics_spin(const sari_kinematics* k, int b, const double* q, const double* v,
                          double w[3]);

double sari_poly_value(const sari_kinematics* k, int poly);
/// Gradient over depends[poly] into g; returns the value.
double sari_poly_gradient(const sari_kinematics* k, int poly, double* g);
/// d/dt of the gradient, along v, over depends[poly] into g.
void sari_poly_gradient_rate(const sari_kinematics* k, int poly, double* g);
/// v' (d2 phi/dq2) v
double sari_poly_bias(const sari_kinematics* k, int poly);
/// H += s d2 phi/dq2, dense n x n over depends[poly].
void sari_poly_hessian(const sari_kinematics* k, int poly, double s, double* H);
/// H += sum s_i d2 phi_i/dq2 of polynomials with one list of coordinates: one pass for all where
/// they have the same bodies.
void sari_polys_hessian(const sari_kinematics* k, int count, const int* poly, const double* s,
                        double* H);

/// First and second derivatives by X of sum s_i phi_i, polynomials in X of the same bodies: over the
/// nx components of the first, then of the second.
typedef struct sari_polys_on_X {
    double by[SARI_POLY_X], second[SARI_POLY_X][SARI_POLY_X];
} sari_polys_on_X;
void sari_polys_eval_on_X(const sari_kinematics* k, int count, const int* poly, const double* s,
                          sari_polys_on_X* out);

/// Where a state is in v.
static inline int sari_state_at(const sari_kinematics* k, const sari_scalar* s)
{
    return k->coordinates->nq - k->coordinates->states + s->a;
}

typedef struct sari_scalar_value {
    double value, rate, bias; ///< bias: second time derivative with the accelerations zero
    double* g; ///< gradient over scalar_depends, into room given by the caller (k->longest at
               ///< most); NULL: is set to room of k's own, good until it evaluates another scalar
} sari_scalar_value;

/// The polynomials a and, where it has two, b that a scalar is made of: their values, rates, biases, and
/// gradients over scalar_depends, into room given by the caller. Slopes and second derivatives of the
/// scalar at the same state need them again.
typedef struct sari_scalar_parts {
    double a, b, rate_a, rate_b, bias_a, bias_b;
    double *ga, *gb;
} sari_scalar_parts;

/// A scalar as a function of the placements X: for forces, which are gathered on bodies before they
/// are brought to the coordinates. Not where polynomials are in q.
typedef struct sari_scalar_on_X {
    double value, rate;
    double by[2];             ///< by its polynomials
    double g[2][SARI_POLY_X]; ///< theirs by X, over the entries of `compiled`
} sari_scalar_on_X;

/// `rates`: the rate too, with Xd.
void sari_scalar_eval_on_X(const sari_kinematics* k, int scalar, int rates, sari_scalar_on_X* out);
/// G += w ds/dX
void sari_scalar_add_on_X(const sari_kinematics* k, int scalar, const sari_scalar_on_X* at,
                          double w, double* G);

/// The value alone.
double sari_scalar_value_of(const sari_kinematics* k, int scalar);
/// `level` 0: value and gradient; 1: also the rate; 2: also the bias. SAR_E_ARG, and NaN for the
/// numbers: a rate is asked for, and the state last given to update has no velocity.
sar_status sari_scalar_eval(const sari_kinematics* k, int scalar, int level,
                            sari_scalar_value* out);
/// The same, and its polynomials; out->g is given.
sar_status sari_scalar_eval_parts(const sari_kinematics* k, int scalar, int level,
                                  sari_scalar_value* out, sari_scalar_parts* parts);
/// d/dt of the gradient along v, over scalar_depends, into g. SAR_E_ARG without a velocity.
sar_status sari_scalar_gradient_rate(const sari_kinematics* k, int scalar, double* g);
/// d/dq of the rate ds/dt = g . v, over scalar_depends, into out; g is the gradient. Where changes
/// are turns this is not the rate of the gradient: turns do not commute. parts: of this state, with
/// rates; NULL: they are evaluated.
void sari_scalar_rate_slope(const sari_kinematics* k, int scalar, const double* g,
                            const sari_scalar_parts* parts, double* out);
/// H = d2 s/dq2, dense n x n over scalar_depends. work: as much as H. parts: likewise.
void sari_scalar_hessian(const sari_kinematics* k, int scalar, const sari_scalar_parts* parts,
                         double* H, double* work);
/* flows.c: what the above do with a flow */

static inline const sari_flow* sari_flow_of(const sari_kinematics* k, int scalar)
{
    return &k->coordinates->mechanism->flows[k->scalar[scalar].a];
}

sar_status sari_flow_list(sari_kinematics* k, int scalar);
sar_status sari_flow_eval(const sari_kinematics* k, int scalar, int level, sari_scalar_value* out);
void sari_flow_rate_slope(const sari_kinematics* k, int scalar, double* out);

/* composites.c: what the above do with a function of scalars */

sar_status sari_composite_list(sari_kinematics* k, int scalar);
sar_status sari_composites_make_room(sari_kinematics* k);
double sari_composite_value(const sari_kinematics* k, int scalar);
sar_status sari_composite_eval(const sari_kinematics* k, int scalar, int level,
                               sari_scalar_value* out);
void sari_composite_gradient_rate(const sari_kinematics* k, int scalar, double* g);
void sari_composite_hessian(const sari_kinematics* k, int scalar, double* H);
/// The scalars that it is made of, and its derivatives by them. Returns how many.
int sari_composite_slopes(const sari_kinematics* k, int scalar, const int** scalars, double* by);

#endif
