/* After every step: can the motion still be trusted? Without best_effort a run ends where it cannot,
 * and says why. */
#include "base/names.h"
#include "math/vector.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STABILISED = 1e-2; ///< of the size: violation where constraints are kept small
static const double GAPS = 30.0; ///< precisions of the drawing that gaps may grow to on the way

/* A formulation that is not defined in singular configurations may step over one without noticing. */
static sar_status check_passes(sar_simulation* s, long passes_before)
{
    if (s->passes.total == passes_before || passes_before >= s->passes.capacity ||
        s->options.best_effort || sari_formulation_can(s->form.ops, SARI_FORM_RANK_DROP))
        return SAR_OK;
    const sar_event* e = &s->passes.at[passes_before];
    sari_events_name(&s->passes);
    snprintf(
        s->failure, sizeof s->failure,
        "the motion passes a singular configuration at t = %.9g (rank %d; joints %s), where %s is "
        "not defined: what follows cannot be trusted. al3, al1, penalty and hamiltonian go "
        "through such positions (in joint coordinates: preset hybrid); `best_effort` "
        "continues as far as possible",
        e->t, e->rank, e->joints, s->form.ops->name);
    return SAR_R_SINGULAR;
}

/* Largest violation that a run with these options may show. One that starts beside the constraints
 * is given time to get there. */
double sari_violation_limit(const sar_simulation* s)
{
    const sar_options* o = &s->options;
    const double met = o->iterations_fixed ? 0.0 : s->form.ops->violation;
    double limit = o->violation > 0.0 ? o->violation : met > 0.0 ? met : STABILISED;
    if (!o->assemble) limit = fmax(limit, 2.0 * s->violation_at_start / s->units.size);
    return limit;
}

/* Names of what is violated by at least half of `worst`. */
static void name_rows(const sar_simulation* s, double worst, char* text, size_t size)
{
    const sari_system* sys = s->system;
    text[0] = 0;
    for (int r = 0; r < sys->nc; r++)
        if (fabs(sys->Phi[r]) >= 0.5 * worst)
            sari_add_name(text, size, sari_equations_row_name(&sys->equations, r));
}

/* What may help. */
static void advise(const sar_simulation* s, char* text, size_t size)
{
    const double alpha = s->form.ops->alpha(s->form.self);
    if (s->form.ops->first_order)
        snprintf(text, size,
                 s->system->slack.count
                     ? "if the drawing has fewer digits, give its precision: `drawing`"
                     : "try a smaller `tolerance`");
    else if (!sari_filter_advice(s, text, size))
        snprintf(text, size, "try a smaller step%s",
                 s->options.alpha > 0.0 && isfinite(alpha) ? " or a larger alpha" : "");
}

static sar_status check_violation(sar_simulation* s)
{
    const double limit = sari_violation_limit(s), size = s->units.size;
    const double worst = s->violation.position;
    char names[130], advice[180];
    if (worst <= limit * size) return SAR_OK;
    if (s->options.best_effort) {
        s->statistics.violated++;
        return SAR_OK;
    }
    sari_equations_eval(&s->system->equations, SARI_EVAL_PHI, s->state.t, s->state.q, s->state.v);
    name_rows(s, worst, names, sizeof names);
    advise(s, advice, sizeof advice);
    snprintf(s->failure, sizeof s->failure,
             "at t = %.9g constraints are violated by %.2e of the model's size, which is %.2g m "
             "(limit: %.0e of it): %s. They contradict each other there, or %s does not enforce "
             "them: %s. `best_effort` continues and counts such steps.",
             s->state.t, worst / size, size * s->units.length, limit, names, s->form.ops->name,
             advice);
    return SAR_R_VIOLATED;
}

/* Joints that bear most of the combination of rows that is not met. */
static void name_gap(const sar_simulation* s, char* text, size_t size)
{
    const sari_slack* slack = &s->system->slack;
    const double most = sari_vector_max(slack->count * slack->rows, slack->u);
    text[0] = 0;
    for (int r = 0; r < slack->rows; r++) {
        double share = 0.0;
        for (int k = 0; k < slack->count; k++)
            share = fmax(share, fabs(slack->u[k * slack->rows + r]));
        if (share >= fmin(0.3, 0.9 * most))
            sari_add_name(text, size, sari_equations_row_name(&s->system->equations, r));
    }
}

static sar_status check_gaps(sar_simulation* s)
{
    const double most = GAPS * s->options.drawing * s->units.size, gap = s->system->slack.gap;
    char names[160];
    s->statistics.gap = fmax(s->statistics.gap, gap);
    if (s->system->slack.count == 0 || gap <= most || s->options.best_effort) return SAR_OK;
    name_gap(s, names, sizeof names);
    snprintf(s->failure, sizeof s->failure,
             "at t = %.9g joints contradict each other by %.2e m (%s), which is more than the "
             "precision of the drawing explains (drawing = %.0e of the model's size): as drawn, "
             "the mechanism cannot move farther",
             s->state.t, s->units.length * gap, names, s->options.drawing);
    return SAR_R_VIOLATED;
}

/* From here on the pace of the steps is measured; `slow`: it was slow already before. */
static void mark(sar_simulation* s, int slow)
{
    const sar_statistics* z = &s->statistics;
    s->mark.steps = z->steps;
    s->mark.t = s->state.t;
    if (slow) return;
    s->mark.slow = 0;
    s->mark.rejected = z->rejected;
    s->mark.jumps = sari_jumps_total(s);
    s->mark.since = s->state.t;
}

void sari_pace_start(sar_simulation* s)
{
    s->mark.pace = 0.0;
    mark(s, 0);
}

/* A step that is chosen by its error becomes tiny where a force jumps, and where it jumps to and
 * fro it stays so. A run is stuck when for ten thousand steps it has been slower by a factor of 100
 * than it can be, a million more of them are ahead, and jumps or rejected steps are behind it. */
static sar_status check_pace(sar_simulation* s)
{
    enum { WINDOW = 500, WINDOWS = 20, SLOWER = 100, AHEAD = 1000000 };
    if (!s->integrator->variable || s->statistics.steps - s->mark.steps < WINDOW) return SAR_OK;
    const double pace = (s->state.t - s->mark.t) / WINDOW;
    const int slow = SLOWER * pace < s->mark.pace;
    s->mark.pace = fmax(s->mark.pace, pace);
    s->mark.slow++;
    mark(s, slow);
    if (s->mark.slow < WINDOWS || s->options.best_effort) return SAR_OK;
    const long steps = (long)s->mark.slow * WINDOW, jumps = sari_jumps_total(s) - s->mark.jumps;
    const double progress = s->state.t - s->mark.since;
    if (s->options.end - s->state.t < AHEAD * progress / (double)steps) return SAR_OK;
    if (s->statistics.rejected - s->mark.rejected < steps / 100 && jumps < 10) return SAR_OK;
    sari_explain_crawl(s, steps, progress);
    return SAR_R_NO_CONV;
}

sar_status sari_check_step(sar_simulation* s, long passes_before)
{
    sar_status st = check_passes(s, passes_before);
    if (st == SAR_OK) st = check_violation(s);
    if (st == SAR_OK) st = check_gaps(s);
    if (st == SAR_OK) st = check_pace(s);
    return st;
}
