/* Joint reactions, shared by the files reactions*.c. */
#ifndef SARI_REACTIONS_H
#define SARI_REACTIONS_H

#include "linalg/solver.h"
#include "simulation/simulation.h"

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
void sari_reactions_settle(sari_reactions* r, const sari_state* s);

/* reactions_beside.c */
void sari_reactions_take_across(sari_reactions* r); ///< room for it
/// mu from both sides of a singular configuration beside s. 0: there is none, or none is smooth across.
int sari_reactions_across(sari_reactions* r, const sari_state* s);

#endif
