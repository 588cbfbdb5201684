/* Parameters that separate motions which meet at a singular configuration.
 *
 * With z the combination of rows whose gradient vanishes there, q* the configuration, and d = z'Phi(q*(p), p) the gap
 * (simulation/singular/crossings.c), the motions meet as long as d = 0. A parameter with d != 0 makes of the crossing a
 * hyperbola: the motion turns into the other branch or stops, however small the change is. There is no derivative, though
 * differences of frozen steps would give some number.
 *
 *     d(p + e), d(p - e):   kept if both are below 1e-9 of the size and ten times their error         (1)
 *     g = (d(p + e) - d(p - e))/2e:   changes of several parameters with g . dp = 0 keep it           (2)
 *
 * e is a thousandth of the parameter: (1) sees gaps that grow with the square of it as well. */
#include "sensitivity/sensitivity.h"

#include "base/status.h"
#include "math/vector.h"
#include "simulation/singular/crossing_search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PASSAGES = 64 };
static const double CHANGE = 1e-3, CLOSED = 1e-9, BLURRED = 1e-7, SURELY = 10.0;

/* ---- passages of the run ------------------------------------------------------------------- */

/* Phases change how many coordinates there are. */
static sar_status make_room(sar_sensitivity* s, sari_passage_place* p, int np)
{
    if (p->room >= np) return SAR_OK;
    p->q = SARI_TAKE(&s->memory, double, np);
    p->away = SARI_TAKE(&s->memory, double, np);
    p->room = np;
    return s->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* Places of the singular configurations that the last step went through. */
sar_status sari_passages_note(sar_sensitivity* s, int from)
{
    sar_simulation* x = s->nominal.simulation;
    const size_t np = (size_t)x->system->np;
    for (int k = from; k < x->passes.count && s->passages < PASSAGES; k++) {
        sari_passage_place* p = &s->passage[s->passages];
        const double t = fmin(fmax(x->passes.at[k].t, x->previous.t), x->state.t);
        sari_state_copy(&x->between, &x->state);
        if (x->integrator->dense_part &&
            x->integrator->dense_part(x->integrator_self, t, 0, &x->between) != SAR_OK)
            sari_state_copy(&x->between, &x->state);
        SARI_TRY(make_room(s, p, x->system->np));
        p->t = t;
        p->event = k;
        p->configuration = x->present;
        memcpy(p->q, x->between.q, np * sizeof(double));
        memcpy(p->away, x->previous.q, np * sizeof(double));
        s->passages++;
    }
    (void)sari_equations_eval(&x->system->equations, SARI_EVAL_DYNAMICS, x->state.t, x->state.q,
                              x->state.v);
    return SAR_OK;
}

sar_status sari_passages_take(sar_sensitivity* s)
{
    if (s->passage) return SAR_OK;
    s->passage = SARI_TAKE(&s->memory, sari_passage_place, PASSAGES);
    return s->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* ---- gaps ---------------------------------------------------------------------------------- */

/* The singular configuration nearest to a passage, with ranks as they are at (t, q), which is away from it. */
static int search_from(sari_crossing_search* c, const sari_passage_place* p, double t,
                       const double* q)
{
    const sari_system* sys = c->sys;
    int known;
    sari_crossing_evaluate(c, t, q);
    const double zero = sari_crossing_zero(c);
    const int rank = sari_normal_rank(&c->normal, zero);
    const double least = sari_normal_least(&c->normal, rank, zero);
    c->t = p->t;
    memcpy(c->q, p->q, (size_t)sys->np * sizeof(double));
    (void)sari_crossing_find(c, sys->nq - rank + (c->n - sys->nq), least, q, &known);
    return c->crossing;
}

/* The same with the state before the passage, that of the start, or of the end. Returns how many combinations cross; 0: none
 * is found. */
static int search_in(const sar_sensitivity* s, sari_crossing_search* c, const sari_passage_place* p)
{
    const sar_simulation* x = s->nominal.simulation;
    int found = search_from(c, p, p->t, p->away);
    if (!found && x->begun.n == c->sys->nq) found = search_from(c, p, x->begun.t, x->begun.q);
    if (!found && x->present == p->configuration) found = search_from(c, p, x->state.t, x->state.q);
    return found;
}

static sar_status open(sari_crossing_search* c, sar_simulation* x)
{
    SARI_TRY(sari_crossing_search_create(c, x->system));
    SARI_TRY(sari_equations_eval(&x->system->equations, SARI_EVAL_DYNAMICS, x->state.t, x->state.q,
                                 x->state.v));
    sari_normal_weigh(&c->normal, x->system);
    return SAR_OK;
}

static void refuse(sar_sensitivity* s, int k, const sari_passage_place* p, double slope)
{
    const sar_event* events = NULL;
    const int count = sar_simulation_singular_passes(s->nominal.simulation, &events);
    const char* joints = p->event < count ? events[p->event].joints : "";
    s->parameter[k].gap = slope * s->nominal.simulation->units.length;
    s->parameter[k].gap_time = p->event < count ? events[p->event].t : p->t;
    char why[SARI_SENSITIVITY_WORDS];
    snprintf(
        why, sizeof why,
        "separates the motions that meet at the singular configuration at t = %.6g s%s%.200s: no "
        "derivative",
        p->t, joints[0] ? ", joints " : "", joints);
    sari_parameter_refuse(&s->parameter[k], why);
}

/* The joints of a passage, in all of them. 0: not to be had. */
static int enter(sari_twin twin[3], int configuration)
{
    for (int i = 0; i < 3; i++) {
        sar_simulation* x = twin[i].simulation;
        if (!x || x->present == configuration) continue;
        if (configuration >= x->configurations) return 0;
        sari_configuration_enter(x, configuration);
    }
    return 1;
}

/* Do rows depend on the parameter there at all? */
static int changes_rows(sari_twin twin[3], const sari_passage_place* p)
{
    double most = 0.0;
    for (int i = 0; i < 2; i++) {
        if (!twin[i].simulation) continue;
        sari_system *own = twin[2].simulation->system, *other = twin[i].simulation->system;
        if (sari_equations_eval(&own->equations, SARI_EVAL_PHI, p->t, p->q, NULL) != SAR_OK ||
            sari_equations_eval(&other->equations, SARI_EVAL_PHI, p->t, p->q, NULL) != SAR_OK)
            return 1;
        for (int r = 0; r < own->nc - own->velocity_rows; r++)
            most = fmax(most, fabs(own->Phi[r] - other->Phi[r]));
    }
    return most > CLOSED * twin[2].simulation->units.size;
}

static void refuse_unknown(sar_sensitivity* s, int k, const sari_passage_place* p)
{
    char why[SARI_SENSITIVITY_WORDS];
    snprintf(why, sizeof why,
             "whether it separates the motions that meet at the singular configuration at t = %.6g "
             "s is not "
             "known: it changes the constraints, and the configuration is not found exactly",
             p->t);
    sari_parameter_refuse(&s->parameter[k], why);
}

/* Gaps of two twins at one passage; the third is the model itself. */
static sar_status test_passage(sar_sensitivity* s, int k, const sari_passage_place* p,
                               sari_twin twin[3], double change)
{
    sari_crossing_search own = {0}, c = {0};
    sar_simulation* x = twin[2].simulation;
    sar_status st = enter(twin, p->configuration) ? open(&own, x) : SAR_E_INCOMPAT;
    double gap[2] = {0, 0}, error[2] = {0, 0}, amount[2] = {0, 0};
    const int crossing = st == SAR_OK ? search_in(s, &own, p) : 0;
    for (int i = 0; i < 2 && st == SAR_OK && crossing > 0; i++) {
        if (!twin[i].simulation) continue;
        c = (sari_crossing_search){0};
        st = open(&c, twin[i].simulation);
        if (st == SAR_OK && search_in(s, &c, p) > 0) {
            gap[i] = c.drawn, error[i] = c.error;
            for (int a = 0; a < crossing; a++)
                amount[i] +=
                    (own.cross[(size_t)a * own.rows] >= 0 ? 1 : -1) *
                    sari_vector_dot(own.rows, own.cross + (size_t)a * own.rows, c.drawn_rows);
        } else if (st == SAR_OK) {
            gap[i] = INFINITY; // the configuration is gone
        }
        sari_crossing_search_clear(&c);
    }
    sari_crossing_search_clear(&own);
    if (st != SAR_OK) return st;
    const double size = x->units.size;
    if (crossing == 0 && changes_rows(twin, p)) refuse_unknown(s, k, p);
    for (int i = 0; i < 2; i++)
        if (gap[i] > fmax(CLOSED * size, fmin(SURELY * error[i], BLURRED * size))) {
            refuse(s, k, p, (amount[0] - amount[1]) / (2.0 * change));
            break;
        }
    return SAR_OK;
}

sar_status sari_gaps_test(sar_sensitivity* s, int k, sar_error* error)
{
    sari_free_number* parameter = &s->parameter[k];
    const double change = CHANGE * parameter->size;
    sari_twin twin[3] = {{0}, {0}, {0}};
    if (s->passages == 0) return SAR_OK;
    sar_status st = SAR_OK;
    for (int i = 0; i < 2 && st == SAR_OK; i++)
        if (parameter->side != (i ? 1 : -1))
            st = sari_twin_make(s, k, i ? -change : change, &twin[i], error);
    if (st == SAR_OK) st = sari_twin_make(s, k, 0.0, &twin[2], error);
    for (int i = 0; st == SAR_OK && i < s->passages && !parameter->refused[0]; i++)
        st = test_passage(s, k, &s->passage[i], twin, change);
    for (int i = 0; i < 3; i++) sari_twin_clear(&twin[i]);
    if (st == SAR_E_INCOMPAT)
        return sari_fail(error, SAR_E_MODEL, parameter->name,
                         "the run goes through a singular configuration after a change of joints: "
                         "whether it separates motions there is not known");
    if (st == SAR_OK && parameter->refused[0])
        return sari_fail(error, SAR_E_MODEL, parameter->name, "%s", parameter->refused);
    return st;
}
