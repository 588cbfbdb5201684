/* A search for an equilibrium, for equilibrium.c, which finds it, and equilibrium_stability.c. */
#ifndef SARI_EQUILIBRIUM_SEARCH_H
#define SARI_EQUILIBRIUM_SEARCH_H

#include "linalg/qr.h"
#include "math/vector.h"
#include "simulation/start/equilibrium.h"

#define SARI_EQUILIBRIUM_SLOPE 1e-5   ///< sizes: of differences
#define SARI_EQUILIBRIUM_NEUTRAL 1e-8 ///< of the largest stiffness: what counts as none
#define SARI_EQUILIBRIUM_SINGULAR                                                                  \
    1e-6 ///< of the largest pivot: rows that hold nothing in a singular configuration

typedef struct sari_equilibrium_search {
    sari_arena memory;
    sari_system* sys;
    sari_projector* projector;
    sari_qr qr;
    double t, unit;
    int n;      ///< coordinates without the states of forces
    int d;      ///< columns of Z
    int rank;   ///< of the constraints, the greatest that was seen
    int beside; ///< there are rows that hold weakly: a singular configuration is near
    double* v;  ///< zero
    double *lambda, *r, *other, *ahead;
    double* Z; ///< column after column, nq each
    double *H, *V, *e, *work;
    double *F, *U; ///< H before it is made symmetric, and what (4) needs
    double* C;     ///< of (5)
    double *g, *y, *dq;
    double *trial, *displaced, *X, *begin, *end;
    double *N, *MN; ///< neutral motions, and one of them times M
    double* drawn;  ///< X where the search began
    char* mark;     ///< per body
    double forces;  ///< weight, or the largest of Q and of the reactions that was seen: their unit
} sari_equilibrium_search;

/* equilibrium_balance.c */
sar_status sari_equilibrium_evaluate(sari_equilibrium_search* s, unsigned more, const double* q);
/// With the last evaluated M, and a little more where there is none.
void sari_equilibrium_mass_times(const sari_equilibrium_search* s, const double* x, double* out);
/// Column j of X becomes orthonormal, in the sense of kinetic energy, to those before it. 0: they span it.
int sari_equilibrium_orthonormalise(sari_equilibrium_search* s, double* X, int j);
/// g, lambda, r, and the unit of forces, at the evaluated position and with its directions.
sar_status sari_equilibrium_weigh(sari_equilibrium_search* s);
sar_status sari_equilibrium_balance(sari_equilibrium_search* s, const double* q);
/// H by differences along the columns of Z; its symmetric part. The system is left elsewhere.
sar_status sari_equilibrium_stiffness(sari_equilibrium_search* s, const double* q);
/// e and V of H, which is lost.
void sari_equilibrium_eigenvalues(sari_equilibrium_search* s);

/* equilibrium.c */
/// From q along s->dq to s->trial, on the constraints.
sar_status sari_equilibrium_go(sari_equilibrium_search* s, const double* q);

/* equilibrium.c, where the stiffness of the present position is known */
double sari_equilibrium_stiffest(const sari_equilibrium_search* s);
void sari_equilibrium_direction(sari_equilibrium_search* s, int k); ///< s->dq = Z V_k
/// Is H symmetric, as that of forces with a potential?
int sari_equilibrium_has_potential(const sari_equilibrium_search* s);

/* equilibrium_stability.c */
/// The verdict on an equilibrium at q, with frequencies and bodies.
sar_status sari_equilibrium_judge(sari_equilibrium_search* s, const double* q,
                                  sar_equilibrium* report);
/// What is not balanced: the force along the motion that it begins, in which the fastest body has the speed
/// 1; and the bodies, if `name`.
void sari_equilibrium_measure(sari_equilibrium_search* s, const double* q, int name,
                              sar_equilibrium* report);

#endif
