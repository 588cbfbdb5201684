/* How the bodies depend on the coordinates, as functions. Whatever depends on the coordinate type is
 * one of these functions, so that the rest of the equations does not ask which type it is:
 *
 *     chain   X(q) with T = dX/dq and D2 = dT/dq of every body, by the chain rule; the default
 *     free    spatial bodies of six coordinates each: joints and inertia directly
 *     tree    bodies along a spanning tree, by recursion
 *
 * (src/coordinates/). Constant maps are chains whose polynomials are in q. */
#ifndef SARI_EVALUATOR_H
#define SARI_EVALUATOR_H

#include "linalg/sym_tools.h"
#include "sarrus/base.h"

typedef struct sari_kinematics sari_kinematics;
typedef struct sari_system sari_system;

typedef struct sari_evaluator_ops {
    /* polynomials and places, see kinematics.h; not asked about polynomials in q */

    /// The coordinates that a polynomial depends on: k->depends and what the others below need.
    sar_status (*list)(sari_kinematics* k, int poly);
    /// Is a scalar one of the coordinates, but for its sense and a constant? NULL: none is.
    int (*is_coordinate)(const sari_kinematics* k, int scalar);
    double (*gradient)(const sari_kinematics* k, int poly, double* g);
    void (*gradient_rate)(const sari_kinematics* k, int poly, double* g);
    /// Of `count` polynomials of the same bodies, each times its s.
    void (*hessian)(const sari_kinematics* k, int count, const int* poly, const double* s,
                    double* H);
    void (*pull)(const sari_kinematics* k, int b, const double* G, double* out);
    void (*column)(const sari_kinematics* k, int b, int j, double* dX);
    void (*add_second)(const sari_kinematics* k, int b, const double* G, int j, double* out);
    /// Rates for k->v; `bodies`: Xd and Xdd are wanted.
    void (*rates)(sari_kinematics* k, int bodies);
    void (*accelerations)(const sari_kinematics* k, const double* a, double* Xdd);
    int place_alone; ///< X can be had without what depends on it
    int rates_late;  ///< Xd and Xdd come only if asked for

    /* a system: M, Q and rows at the kinematics' present state */

    /// Rows, patterns and forces are known. May be NULL, as may all below where it says so.
    sar_status (*create)(sari_system* s);
    void (*destroy)(sari_system* s);
    int (*attach)(
        sari_system* s); ///< ends of joints have moved; 0: rows are not the same. NULL: nothing
    /// Shall M be generated, as far as that is known before there are rows? They may be made for it
    /// then. NULL: no.
    sar_status (*choose_mass_form)(sari_system* s, int forced, int* generated);
    /// M.tree, if M can do without entries beside its diagonal and `forced` or that is cheaper; K is
    /// without weight then, whose slopes are the tree's. `stiffness`: of forces. NULL: it has entries.
    sar_status (*generate)(sari_system* s, const sari_csr* stiffness, int forced);
    /// Lends mass to motions that have none, so that M as generated at the present places has factors.
    sar_status (*lend)(sari_system* s);
    sar_status (*mass_pattern)(sari_system* s, sari_pattern* pattern);
    sar_status (*mass_locate)(sari_system* s); ///< the pattern of M is made
    void (*mass)(sari_system* s);
    int (*mass_is_constant)(const sari_system* s);
    void (*mass_times)(const sari_system* s, const double* x, double* out); ///< NULL: with M
    void (*mass_rate)(sari_system* s, double* out);                         ///< out += dM/dt v
    double (*kinetic_energy)(const sari_system* s, const double* v);        ///< NULL: with M
    /// Q = weight and, with_velocity, inertial forces.
    void (*force)(sari_system* s, int with_velocity);
    int (*force_is_constant)(const sari_system* s); ///< where M is; NULL: yes
    /// Weight in K, where coordinates turn it.
    sar_status (*stiffness_pattern)(sari_system* s, sari_pattern* pattern); ///< NULL: none
    sar_status (*stiffness_locate)(sari_system* s);
    void (*add_stiffness)(sari_system* s);
    /// Rows that are polynomials: Phi, Phi_q and bias as asked for.
    void (*rows)(sari_system* s, unsigned what);
    /// out += factor Phi_q' lambda of those rows without Phi_q; NULL: with it.
    void (*add_reaction)(const sari_system* s, double factor, const double* lambda, double* out);
    /// Geometric stiffness, see sari_equations_stiffness; NULL: none.
    void (*block_stiffness)(const sari_system* s, const double* lambda, double* G);
    /// Accelerations by recursion, with Q or NULL; NULL: none.
    sar_status (*recursion)(sari_system* s, const double* q, const double* v, const double* Q,
                            double* a);
    void (*share)(sari_system* s, int threads); ///< NULL: it has nothing to share
} sari_evaluator_ops;

extern const sari_evaluator_ops sari_evaluator_chain;
extern const sari_evaluator_ops sari_evaluator_free;
extern const sari_evaluator_ops sari_evaluator_tree;

#endif
