/* Parameters for which redundant rows contradict each other.
 *
 * Where combinations u of rows have no gradient, u'Phi_q = 0, a change of a parameter asks for Phi_q dq = -Phi_p dp, which
 * has a solution if
 *
 *     u'Phi_p = 0                                                                                  (1)
 *
 * If not, the mechanism does not move any more with another value, or not at all. Least squares would give a number all
 * the same. (1) is tested at places all along the run, up to the first change of its joints. */
#include "sensitivity/twins.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/qr.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 12, ROWS = 1500 };
static const double CHANGE = 1e-5;    ///< of the parameter
static const double FAR = 1e-2;       ///< of the size: more than so small a change of a number does
static const double RANK = 1e-7;      ///< of the first pivot
static const double ROUNDING = 1e-12; ///< of the size and of the way from the origin
static const double BROKEN = 1e-6;    ///< of Phi_p: more of it along u

typedef struct place {
    sar_simulation *own, *more, *less;
    int rows;
    double change;
    sari_qr qr;
    double *scale, *slope, *u;
} place;

/* Rows of length 1 as columns' transposes: A has a column for each coordinate. Returns the rank. */
static int factor(place* p)
{
    const sari_system* sys = p->own->system;
    const sari_csr* J = &sys->Phi_q;
    memset(p->qr.A, 0, (size_t)p->rows * (size_t)sys->nq * sizeof(double));
    for (int r = 0; r < p->rows; r++) {
        double square = 0.0;
        for (int k = J->p[r]; k < J->p[r + 1]; k++) square += J->x[k] * J->x[k];
        p->scale[r] = 1.0;
        if (sari_row_is_rounding(J, r)) continue;
        p->scale[r] = 1.0 / sqrt(square);
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            p->qr.A[(size_t)J->i[k] * (size_t)p->rows + (size_t)r] = p->scale[r] * J->x[k];
    }
    sari_qr_factor(&p->qr, p->rows < sys->nq ? p->rows : sys->nq);
    return p->qr.rank = sari_qr_rank(&p->qr, RANK);
}

static sar_status evaluate(sar_simulation* x, unsigned what, double t, const double* q)
{
    return sari_equations_eval(&x->system->equations, what, t, q, NULL);
}

/* The part of Phi_p along u, of all of it; NULL joint: none. */
static double broken_at(place* p, double t, const double* q, const char** joint)
{
    double whole = 0.0, along = 0.0, most = 0.0;
    if (evaluate(p->own, SARI_EVAL_JACOBIAN, t, q) != SAR_OK) return 0.0;
    const int rank = factor(p);
    if (evaluate(p->more, SARI_EVAL_PHI, t, q) != SAR_OK) return 0.0;
    for (int r = 0; r < p->rows; r++) p->slope[r] = p->more->system->Phi[r];
    if (evaluate(p->less, SARI_EVAL_PHI, t, q) != SAR_OK) return 0.0;
    for (int r = 0; r < p->rows; r++) {
        p->slope[r] = p->scale[r] * (p->slope[r] - p->less->system->Phi[r]) / (2.0 * p->change);
        whole += p->slope[r] * p->slope[r];
    }
    for (int k = 0; k < p->rows - rank; k++) {
        sari_qr_null_vector(&p->qr, k, p->u);
        const double part = sari_vector_dot(p->rows, p->u, p->slope);
        along += part * part;
        for (int r = 0; r < p->rows; r++)
            if (fabs(part * p->u[r]) > most) {
                most = fabs(part * p->u[r]);
                *joint = sari_equations_row_name(&p->own->system->equations, r);
            }
    }
    if (sqrt(whole) * p->change > FAR * p->own->units.size)
        return 0.0; // coordinates mean something else
    const double rounding = ROUNDING * (p->own->units.size + p->own->system->away) / p->change;
    return sqrt(along) > rounding && whole > 0.0 ? sqrt(along / whole) : 0.0;
}

/* Place i of the run, 0 the start. 0: there is none. */
static int go_to(const sar_sensitivity* s, const place* p, int i, double* t, const double** q)
{
    const sari_tape* tape = &s->tape;
    int steps = 0;
    while (steps < tape->count && !tape->event[steps]) steps++;
    const int places = steps < PLACES ? steps : PLACES;
    const int at = places ? i * steps / places - 1 : -1;
    *t = at < 0 ? s->nominal.simulation->options.start : tape->t[at];
    *q = at < 0 ? p->own->state.q : sari_tape_q(tape, at);
    return i <= places;
}

/* Are there combinations u anywhere? */
static int is_redundant(const sar_sensitivity* s, place* p)
{
    double t;
    const double* q;
    for (int i = 0; go_to(s, p, i, &t, &q); i++)
        if (evaluate(p->own, SARI_EVAL_JACOBIAN, t, q) != SAR_OK || factor(p) < p->rows) return 1;
    return 0;
}

static sar_status test(sar_sensitivity* s, int k, place* p, sar_error* error)
{
    double t;
    const double* q;
    for (int i = 0; go_to(s, p, i, &t, &q); i++) {
        const char* joint = "";
        if (broken_at(p, t, q, &joint) > BROKEN)
            return sari_fail(
                error, SAR_E_MODEL, s->parameter[k].name,
                "with another value the redundant joints contradict each other, at %.60s: "
                "the mechanism does not move any more",
                joint);
    }
    return SAR_OK;
}

static sar_status open(place* p, sar_simulation* own)
{
    const sari_system* sys = own->system;
    p->own = own;
    p->rows = sys->nc - sys->velocity_rows;
    if (p->rows == 0 || p->rows > ROWS || sys->nq == 0) return SAR_E_INCOMPAT;
    p->scale = SARI_NEW_ARRAY(double, 3 * (size_t)p->rows);
    p->slope = p->scale + p->rows, p->u = p->slope + p->rows;
    return p->scale ? sari_qr_create(p->rows, sys->nq, &p->qr) : SAR_E_NOMEM;
}

static void close(place* p)
{
    sari_release(p->scale);
    sari_qr_clear(&p->qr);
}

/* Without twins with other values, once for all parameters. */
static sar_status look(sar_sensitivity* s, int k, sar_error* error)
{
    place p = {0};
    sari_twin own;
    if (s->redundancy != SARI_REDUNDANCY_UNKNOWN) return SAR_OK;
    SARI_TRY(sari_twin_make(s, k, 0.0, &own, error));
    const sar_status st = open(&p, own.simulation);
    s->redundancy =
        st == SAR_OK && is_redundant(s, &p) ? SARI_REDUNDANCY_THERE : SARI_REDUNDANCY_NONE;
    close(&p);
    sari_twin_clear(&own);
    return st == SAR_E_NOMEM ? sari_fail(error, st, NULL, "out of memory") : SAR_OK;
}

int sari_redundancy_is_excluded(const sar_sensitivity* s)
{
    const sari_system* sys = s->nominal.simulation->system;
    return s->redundancy == SARI_REDUNDANCY_NONE && sys->nc - sys->velocity_rows <= ROWS;
}

sar_status sari_redundancy_test(sar_sensitivity* s, int k, sar_error* error)
{
    const sari_free_number* number = &s->parameter[k];
    place p = {.change = CHANGE * number->size};
    sari_twin twin[3] = {{0}, {0}, {0}};
    if (number->side != 0) return SAR_OK;
    SARI_TRY(look(s, k, error));
    if (s->redundancy == SARI_REDUNDANCY_NONE) return SAR_OK;
    sar_status st = SAR_OK;
    for (int i = 0; i < 3 && st == SAR_OK; i++)
        st = sari_twin_make(s, k, (i - 1) * p.change, &twin[i], error);
    p.less = twin[0].simulation, p.more = twin[2].simulation;
    if (st == SAR_OK) st = open(&p, twin[1].simulation);
    if (st == SAR_OK) st = test(s, k, &p, error);
    close(&p);
    for (int i = 0; i < 3; i++) sari_twin_clear(&twin[i]);
    return st;
}
