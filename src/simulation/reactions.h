/* Joint reactions, shared by the files reactions*.c. */
#ifndef SARI_REACTIONS_H
#define SARI_REACTIONS_H

#include "linalg/qr.h"
#include "linalg/solver.h"
#include "simulation/simulation.h"

/// Work space of a split.
typedef struct sari_split {
    double *V, *W, *A, *right, *b, *g, *sigma, *work;
} sari_split;

/// States of self-stress at a position, see reactions_split.c.
typedef struct sari_stress {
    int joints, states;
    double* N;     ///< per state: a multiplier of each row
    double* G;     ///< per joint and state: six numbers, force and torque, world axes
    double* r;     ///< per joint: the reaction
    double* axes;  ///< per joint: nine numbers
    double* x;     ///< per state: how much of it the split added
    double* scale; ///< per state: N times it has the length 1, with rows of length 1
    double size;   ///< of the model: torques are divided by it
    double *mu, *length;
    sari_qr qr;
    sari_split split;
} sari_stress;

struct sari_reactions {
    sari_arena memory;
    sari_system* sys;
    sari_formulation form; ///< that moves it; without ops: none that sees singular configurations
    int rows;
    int* joint;  ///< per row
    int* poly;   ///< per row: polynomial, or -1 - relation, rows on velocities after these
    double t;    ///< time of these: such rows may depend on it
    sari_csr W;  ///< rows x (6 bodies)
    sari_sym A;  ///< W W'
    int* shared; ///< per entry of A: where its bodies are in W, in pairs; from shared_p on
    int* shared_p;
    struct {
        int by_bodies;         ///< W W' is multiplied so
        int *p, *row, *at;     ///< per body: rows that touch it, and where that is in W.x
        int* place;            ///< per entry of A: where it is in `full`
        double *column, *full; ///< 6 x rows and rows x rows, padded
    } product;
    sari_solver solver;
    double *G, *w, *rest, *mu, *rhs, *X, *Xdd;
    double *dense, *sigma, *U, *work; ///< for the analyses, NULL when too large
    sari_state there;                 ///< a place beside a singular configuration
    double* across;                   ///< sums over such places
    sari_stress* stress;              ///< for a split by compliances; NULL: the smallest reactions
    double* compliance;               ///< six numbers per joint
};

enum { SARI_REACTIONS_DENSE = 150 }; ///< rows: the analyses by SVD cost their cube

/* reactions_product.c */
sar_status sari_reactions_plan_product(sari_reactions* r);
void sari_reactions_product(sari_reactions* r); ///< A = W W', where that is `by_bodies`

/* reactions.c */
/// All joint reactions at a state, from nothing but that.
sar_status sari_reactions_balance(sari_reactions* r, const sari_state* s);
void sari_reactions_fill_W(sari_reactions* r, const double* X); ///< the wrenches of the rows
/// W at a state, mu as it is.
void sari_reactions_complete(sari_reactions* r, const sari_state* s);

/* reactions_split.c */
sar_status sari_stress_create(const sari_reactions* r, sari_arena* memory, sari_stress** out);
void sari_stress_clear(sari_stress* t); ///< what is not in that memory; NULL: nothing
/// Where W is, and for the reactions of mu.
sar_status sari_stress_find(sari_stress* t, sari_reactions* r);
/// Component i of a wrench of a joint, along its own axes: force, then torque over the size.
double sari_stress_component(const sari_stress* t, int joint, const double* wrench, int i);
/// r and x by six compliances for each joint. Returns how many states no compliance decides.
int sari_stress_split(sari_stress* t, const double* compliance);
int sari_compliance_is_infinite(const double* F);
sar_status sari_reactions_expect_split(sari_reactions* r); ///< if the model has compliances
void sari_reactions_split(sari_reactions* r);              ///< mu, likewise

/* reactions_beside.c */
void sari_reactions_take_across(sari_reactions* r); ///< room for it
/// mu from both sides of a singular configuration beside s. 0: there is none, or none is smooth across.
int sari_reactions_across(sari_reactions* r, const sari_state* s);

#endif
