/* Twins: the model with one number changed, in the units of the nominal run, so that its coordinates mean the same and are
 * as many. They are assembled: what the change does to the start is their start's difference.
 *
 * A number that changes what coordinates or rows there are has no derivative here, and neither has one that redundant rows
 * contradict each other for: least squares would give a plausible number for a mechanism that does not close. */
#include "sensitivity/twins.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "sensitivity/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PROBE = 1e-6; ///< of a parameter: a change that is small
enum { NEARER = 4 };              ///< attempts at a smaller change
static const double NEAR =
    5e-3; ///< sizes or radians: twins that start farther apart are not on a line
static const double JUMP =
    0.1; ///< sizes or radians: an angle of the start that counts another revolution
static const double SAME = 1e-14; ///< of forces
static const double OPEN = 1e-9;  ///< of the size: a loop that a twin does not close

void sari_twin_clear(sari_twin* t)
{
    sar_simulation_destroy(t->simulation);
    sar_model_destroy(t->model);
    *t = (sari_twin){0};
}

static int same_pattern(int rows, const int* p, const int* i, const int* p2, const int* i2)
{
    if (!p || !p2) return p == p2;
    return memcmp(p, p2, ((size_t)rows + 1) * sizeof *p) == 0 &&
           memcmp(i, i2, (size_t)p[rows] * sizeof *i) == 0;
}

/* The equations of the start, though the run may have others by now. */
static const sari_system* first_of(const sar_simulation* x)
{
    return x->present == x->first ? x->system : x->configuration[x->first].scene.system;
}

/* Are coordinates, rows and their patterns the same? */
static int is_alike(const sar_simulation* a, const sar_simulation* b)
{
    const sari_system *x = first_of(a), *y = first_of(b);
    return x->np == y->np && x->nq == y->nq && x->nc == y->nc && x->states == y->states &&
           x->velocity_rows == y->velocity_rows &&
           a->model->joints_count == b->model->joints_count &&
           a->model->bodies_count == b->model->bodies_count &&
           a->model->outputs_count == b->model->outputs_count &&
           same_pattern(x->nc, x->Phi_q.p, x->Phi_q.i, y->Phi_q.p, y->Phi_q.i);
}

static sar_status make_model(sar_sensitivity* s, int k, double change, sar_model** out,
                             sar_error* error)
{
    sari_parameters_change(s, k, change);
    sar_status st =
        sar_source_model(s->def.source, s->def.settings, s->def.settings_count, out, NULL, NULL);
    sari_parameters_restore(s, k);
    if (st != SAR_OK)
        return k < 0 ? sari_fail(error, st, NULL, "the model is not valid with these values")
                     : sari_fail(error, SAR_E_MODEL, s->parameter[k].name,
                                 "the model is not valid with %s changed by %.2g",
                                 s->parameter[k].name, change);
    st = sari_rows_add_outputs(s, *out, error);
    if (st == SAR_OK) return SAR_OK;
    sar_model_destroy(*out);
    *out = NULL;
    return st;
}

static sar_status assemble(sar_sensitivity* s, int k, double change, sar_simulation* x,
                           sar_error* error)
{
    sar_assembly report = {0};
    const sar_status st = sar_simulation_assemble(x, &report);
    const double open = report.gap - s->nominal_gap;
    if (k < 0) s->nominal_gap = report.gap;
    if (st == SAR_OK && (k < 0 || !(open > OPEN * report.size))) return SAR_OK;
    if (k < 0) return sari_fail(error, st, NULL, "%s", sar_simulation_failure(x));
    if (st == SAR_OK || st == SAR_E_ASSEMBLY)
        return sari_fail(error, SAR_E_MODEL, s->parameter[k].name,
                         "changed by %.2g the joints do not fit each other any more%s%s: they are "
                         "redundant for the other value alone",
                         change, report.conflicts ? ", at " : "",
                         report.conflicts ? report.conflict[0].name : "");
    return sari_fail(error, SAR_E_MODEL, s->parameter[k].name, "changed by %.2g: %.200s", change,
                     sar_simulation_failure(x));
}

sar_status sari_twin_make(sar_sensitivity* s, int k, double change, sari_twin* out,
                          sar_error* error)
{
    *out = (sari_twin){0};
    SARI_TRY(make_model(s, k, change, &out->model, error));
    sar_status st =
        k < 0 ? sar_simulation_create(out->model, &s->options, &out->simulation, error)
              : sari_simulation_create_alike(out->model, s->nominal.simulation,
                                             s->method->twins_run, &out->simulation, error);
    if (st == SAR_OK && k >= 0 && !is_alike(s->nominal.simulation, out->simulation))
        st = sari_fail(error, SAR_E_MODEL, s->parameter[k].name,
                       "changed by %.2g there are other coordinates or constraints", change);
    if (st == SAR_OK) {
        out->simulation->smooth_start = 1;
        st = assemble(s, k, change, out->simulation, error);
    }
    if (st != SAR_OK) sari_twin_clear(out);
    return st;
}

/* ---- residuals at the nominal state --------------------------------------------------------- */

sar_status sari_twin_residual(sari_twin* twin, const sari_state* x, double* F, double* Phi,
                              double* rate, double* second)
{
    sari_system* sys = twin->simulation->system;
    sari_equations* e = &sys->equations;
    SARI_TRY(sari_equations_eval(e, SARI_EVAL_PHI | SARI_EVAL_DYNAMICS, x->t, x->q, x->v));
    sari_equations_mass_times(e, x->a, F);
    sari_equations_add_reaction(e, 1.0, x->lambda, F);
    for (int i = 0; i < sys->nq; i++) F[i] -= sys->Q[i];
    memcpy(Phi, sys->Phi, (size_t)sys->nc * sizeof(double));
    sari_equations_phi_dot(e, x->v, rate);
    for (int r = 0; r < sys->nc; r++) {
        second[r] = sys->bias[r];
        for (int k = sys->Phi_q.p[r]; k < sys->Phi_q.p[r + 1]; k++)
            second[r] += sys->Phi_q.x[k] * x->a[sys->Phi_q.i[k]];
    }
    return SAR_OK;
}

sar_status sari_twins_slopes(sari_twin twin[2], double change, const sari_state* x, double* F,
                             double* Phi, double* rate, double* second, double* work)
{
    const int nq = x->n, nc = x->m;
    double *F2 = work, *Phi2 = F2 + nq, *rate2 = Phi2 + nc, *second2 = rate2 + nc;
    SARI_TRY(sari_twin_residual(&twin[0], x, F, Phi, rate, second));
    SARI_TRY(sari_twin_residual(&twin[1], x, F2, Phi2, rate2, second2));
    const double half = 0.5 / change;
    for (int i = 0; i < nq; i++) F[i] = half * (F[i] - F2[i]);
    for (int r = 0; r < nc; r++) {
        Phi[r] = half * (Phi[r] - Phi2[r]);
        rate[r] = half * (rate[r] - rate2[r]);
        second[r] = half * (second[r] - second2[r]);
    }
    return SAR_OK;
}

int sari_twin_same_forces(sari_system* own, sari_system* twin, double t, const double* q,
                          const double* v)
{
    if (sari_equations_eval(&own->equations, SARI_EVAL_FORCE, t, q, v) != SAR_OK ||
        sari_equations_eval(&twin->equations, SARI_EVAL_FORCE, t, q, v) != SAR_OK)
        return 0;
    for (int i = 0; i < own->nq; i++)
        if (fabs(own->Q[i] - own->gravity[i] - twin->Q[i] + twin->gravity[i]) >
            SAME * (fabs(own->Q[i]) + fabs(own->gravity[i])))
            return 0;
    return 1;
}

int sari_twins_start(sari_twin twin[2], double change, double* dq, double* dv, double* da)
{
    const sar_simulation *more = twin[0].simulation, *less = twin[1].simulation;
    const sari_system* sys = more->system;
    sari_coordinates_difference(&sys->coordinates, less->state.q, more->state.q, dq);
    if (sari_vector_max(sys->nq, dq) > JUMP) return 0;
    for (int i = 0; i < sys->nq; i++) {
        dq[i] *= 0.5 / change;
        dv[i] = 0.5 / change * (more->state.v[i] - less->state.v[i]);
        da[i] = 0.5 / change * (more->state.a[i] - less->state.a[i]);
    }
    return 1;
}

sar_status sari_twins_make(sar_sensitivity* s, int k, double change, sari_twin twin[2],
                           sar_error* error)
{
    twin[1] = (sari_twin){0};
    SARI_TRY(sari_twin_make(s, k, change, &twin[0], error));
    const sar_status st = sari_twin_make(s, k, -change, &twin[1], error);
    if (st != SAR_OK) sari_twin_clear(&twin[0]);
    return st;
}

/* How far apart they start, in sizes and radians. */
static double distance_of(const sari_twin twin[2], double* dq)
{
    const sari_system* sys = twin[0].simulation->system;
    sari_coordinates_difference(&sys->coordinates, twin[1].simulation->state.q,
                                twin[0].simulation->state.q, dq);
    return sari_vector_max(sys->nq - sys->states, dq) / fmin(1.0, twin[0].simulation->units.size);
}

sar_status sari_twins_make_near(sar_sensitivity* s, int k, double* change, sari_twin twin[2],
                                sar_error* error)
{
    double* dq = SARI_NEW_ARRAY(double, s->nominal.simulation->system->nq + 1);
    sar_status st = dq ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (int round = 0; st == SAR_OK; round++) {
        st = sari_twins_make(s, k, *change, twin, error);
        const double distance = st == SAR_OK ? distance_of(twin, dq) : 0.0;
        if (!(distance > NEAR) || round == NEARER) break;
        for (int i = 0; i < 2; i++) sari_twin_clear(&twin[i]);
        *change *= fmax(0.5 * NEAR / distance, 1e-3);
    }
    sari_release(dq);
    return st;
}

/* ---- tests of a parameter ------------------------------------------------------------------- */

/* On which side of its value is there a model? On both: 0. */
static void find_side(sar_sensitivity* s, int k)
{
    sari_free_number* p = &s->parameter[k];
    const double change = PROBE * p->size;
    int there[2];
    if (s->method->has_both && s->method->has_both(s, k)) return;
    for (int i = 0; i < 2; i++) {
        sari_twin twin;
        there[i] = sari_twin_make(s, k, i ? -change : change, &twin, NULL) == SAR_OK;
        if (there[i]) sari_twin_clear(&twin);
    }
    p->side = there[0] - there[1];
}

sar_status sari_parameter_test(sar_sensitivity* s, int k, sar_error* error)
{
    if (s->parameter[k].tested) return SAR_OK;
    find_side(s, k);
    SARI_TRY(sari_redundancy_test(s, k, error));
    SARI_TRY(sari_gaps_test(s, k, error));
    s->parameter[k].tested = 1;
    return SAR_OK;
}
