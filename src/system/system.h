/* The equations of a mechanism in some coordinates, and what they are made of: behind the neck
 * (equations.h), for those who build, run and observe. */
#ifndef SARI_SYSTEM_H
#define SARI_SYSTEM_H

#include "system/equations.h"
#include "system/kinematics.h"

typedef struct sari_force_set sari_force_set;

/// Hands forces the reactions on which they depend, as they are at (t, q, v); who runs the system sets it.
typedef struct sari_reaction_law {
    sar_status (*find)(void* self, double t, const double* q,
                       const double* v); ///< NULL: no force asks
    void* self;
} sari_reaction_law;

struct sari_system {
    union { // as formulations see it
        sari_equations equations;
        struct {
            SARI_EQUATIONS
        };
    };
    sari_arena memory;
    const sar_model* model;
    sari_mechanism* mechanism;
    sari_coordinates coordinates;
    sari_kinematics* kinematics;
    sari_force_set* forces;
    sari_reaction_law coupling;
    int not_finite;  ///< something that the present evaluation was asked for is not
    double* gravity; ///< constant maps: generalised gravity force, whose potential is gravity_0 -
                     ///< gravity . q
    double gravity_0;

    /* rows: the coordinates' own, then the joints' polynomials, relations, rows on velocities */
    int own_rows, polynomial_rows, relation_rows; ///< and velocity_rows
    int* row_polynomial;                          ///< polynomial rows: index in kinematics->poly
    int* row_joint;                               ///< joint, or -1
    int* row_body;                                ///< own rows: body, else -1
    sari_relation* relation;                      ///< relation rows
    double relation_t;                            ///< the time at which they were last evaluated
    int laws;                                     ///< some of them are laws
    double *law, *law_direction; ///< variables of laws, and how they change; zeros outside a call
    int** relation_at;           ///< positions of each term's coordinates in the row
    sari_kinematics own;         ///< evaluates the own rows: a kinematics of polynomials in q
    sari_quadratics compiled; ///< the first rows: own ones, with a constant map all but relations
    int quadratic;            ///< these are all there are: Phi is quadratic in q
    int direct;               ///< the evaluator needs X alone for all there is
    struct sari_velocity_set* velocity; ///< evaluates the rows on velocities; NULL: none
    void* evaluator_self;               ///< of coordinates.evaluator
    int generated_mass;                 ///< rows are made for an M that is generated
    int* mass_at;                       ///< positions in M of every body's block, body after body
    int* mass_first;                    ///< per body: where its block starts in mass_at
    int longest_row;                    ///< entries of Phi_q in a row, at most
    double* hessian;          ///< two squares of that size, for the rows' second derivatives
    sari_affine* map;         ///< constant maps, if joints attach: X as functions of q
    int distances, *distance; ///< scalars of forces that change with the distance of two points
};

sar_status sari_system_create(const sar_model* model, const sari_coordinates_ops* coordinates,
                              sari_system** out, sar_error* error);
/// How M is to be had: all its entries; or, where coordinates along a tree have that, its diagonal
/// and the numbers that generate it (M.tree), always or where it is cheaper. Who multiplies with M
/// and solves with it by constrained.h does not see which.
typedef enum sari_mass_form {
    SARI_MASS_ENTRIES,
    SARI_MASS_CHEAPER,
    SARI_MASS_GENERATED,
} sari_mass_form;
/// With the joints that are there, see sari_mechanism_create.
sar_status sari_system_create_with(const sar_model* model, const char* active,
                                   const sari_coordinates_ops* coordinates, sari_mass_form form,
                                   sari_system** out, sar_error* error);
void sari_system_destroy(sari_system* s);

/// Before forces are evaluated at (t, q, v); the kinematics are elsewhere after it. SAR_R_NO_CONV: no
/// reactions agree with the forces that they cause.
static inline sar_status sari_system_couple(sari_system* s, double t, const double* q,
                                            const double* v)
{
    return s->coupling.find ? s->coupling.find(s->coupling.self, t, q, v) : SAR_OK;
}

/// Put end a of a joint that attaches to `end`, see sari_mechanism_attach.
sar_status sari_system_attach(sari_system* s, int joint, const sar_end* end, double distance);

/// out = T' M_X Xd: momenta of bodies that move by Xd (nx per body), at the last evaluated q. Also
/// of differences of placements. work: nq doubles.
void sari_system_momenta(sari_system* s, const double* Xd, double* work, double* out);

/// G += lambda . d2Phi/dq2 (geometric stiffness) of the rows on positions, dense n x n row-major,
/// at the last evaluated q.
void sari_system_geometric_stiffness(sari_system* s, const double* lambda, double* G);

double sari_system_kinetic_energy(const sari_system* s,
                                  const double* v); ///< with the last evaluated M
/// Of v the states of forces count.
double sari_system_potential_energy(sari_system* s, double t, const double* q, const double* v);
/// Power of what has no potential: dampers, expressions, loads and drives (through lambda).
/// `potential`: the potential energy besides, which costs little then; NULL: it is not wanted.
double sari_system_power(sari_system* s, double t, const double* q, const double* v,
                         const double* lambda, double* potential);

/// The same of every force and joint by itself: forces[k] and potential[k] of force k, and behind the last force the
/// potential of the weights; joints[j] of drives and conditions on velocities. All are set.
typedef struct sari_power_parts {
    double *force, *joint, *potential;
} sari_power_parts;
void sari_system_power_parts(sari_system* s, double t, const double* q, const double* v,
                             const double* lambda, const sari_power_parts* out);

/// Relations whose offset is "as drawn" take it from the present configuration (last evaluated q).
void sari_system_set_offsets(sari_system* s);

/// Joint whose disc lies nearly flat on its plane at q, where it has no point of contact; -1: none.
int sari_system_flat_disc(sari_system* s, const double* q);

/// Values of the wanted signals (NULL: of all) with a scalar at (t, q, v, a) into variables
/// (SARI_VARIABLE_SIGNAL + signal). v and a are not examined where all of them are positions;
/// without v, the others are left out.
void sari_system_signals(sari_system* s, double t, const double* q, const double* v,
                         const double* a, const char* wanted, double* variables);

/// 1: forces are those of statics from now on: tyres carry, and do not slip. 0: all of them.
void sari_system_rest(sari_system* s, int at_rest);

/// So many threads share evaluations from now on.
void sari_system_share(sari_system* s, int threads);

/// y = M_X x: the inertia of body b against accelerations of its placement.
void sari_inertia_times(const sari_mechanism* m, int b, const double* x, double* y);

/* archive.c */
/// What it knows beside the model: angles and where they were counted, reactions that forces ask for, ends of
/// joints that attached, and what was evaluated last (base/archive.h).
void sari_system_archive(sari_system* s, sari_archive* a);
void sari_archive_end(sari_archive* a, sar_end* end); ///< all of it but its body

#endif
