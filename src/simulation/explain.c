/* Why a run does not go on: what is wrong, where, and what to do. */
#include "math/functions.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- causes --------------------------------------------------------------------------------- */

static int explain_memory(sar_simulation* s, sar_status st)
{
    if (st != SAR_E_NOMEM) return 0;
    snprintf(s->failure, sizeof s->failure, "out of memory");
    return 1;
}

int sari_explain_undefined(const sari_undefined* u, char* text, size_t size)
{
    if (!u->what) return 0;
    if (u->jams) {
        snprintf(
            text, size,
            "forces that depend on reactions have no value at t = %.9g: no reactions agree with "
            "the forces that they cause, as where friction holds what would move all by itself. "
            "Take less friction, or end the run before.",
            u->t);
        return 1;
    }
    const char* how = u->slope          ? "has a value, but no finite slope"
                      : isinf(u->value) ? "is infinite"
                                        : "is not a number";
    snprintf(
        text, size,
        "the %s \"%s\" is undefined at t = %.9g: %s%.200s%s %s there. Change it, or end the run "
        "before.",
        u->what, u->element, u->t, u->text ? "its expression \"" : "", u->text ? u->text : "it",
        u->text ? "\"" : "", how);
    return 1;
}

static int explain_undefined(sar_simulation* s)
{
    return sari_explain_undefined(&s->system->undefined, s->failure, sizeof s->failure);
}

/* Numbers beyond which squares have no value. */
static int explain_overflow(sar_simulation* s)
{
    const double LARGE = 1e150;
    for (int b = 1; b < s->model->bodies_count; b++) {
        const sar_body_def* body = &s->model->bodies[b].def;
        double most = body->mass;
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(body->inertia[k]));
        if (most * s->units.mass < LARGE && most < LARGE) continue;
        snprintf(s->failure, sizeof s->failure,
                 "the mass or inertia of \"%s\" is too large to compute with: %.3g kg. Masses may "
                 "be up to 1e150.",
                 s->model->bodies[b].name, s->units.mass * body->mass);
        return 1;
    }
    return 0;
}

/* In the words of the method, if it has any: a formulation that could not be evaluated, a variable
 * step that became too small. */
static int explained_by_method(sar_simulation* s, sar_status st)
{
    s->failure[0] = 0;
    if ((st == SAR_R_SINGULAR || st < 0) && s->form.ops->explain)
        s->form.ops->explain(s->form.self, s->failure, sizeof s->failure);
    else if (st == SAR_R_NO_CONV && s->integrator->explain)
        s->integrator->explain(s->integrator_self, s->failure, sizeof s->failure);
    return s->failure[0] != 0;
}

/* A sentence more. */
static void add(sar_simulation* s, const char* text)
{
    const size_t used = strlen(s->failure);
    const char* end = used > 0 && s->failure[used - 1] != '.' ? "." : "";
    if (*text) snprintf(s->failure + used, sizeof s->failure - used, "%s %s", end, text);
}

/* What a chart knows of the place where a step became too small. */
static void add_end_of_motion(sar_simulation* s, sar_status st)
{
    char text[256] = "";
    if (st != SAR_R_NO_CONV || !s->form.ops->first_order || !s->form.ops->explain) return;
    s->form.ops->explain(s->form.self, text, sizeof text);
    if (*text && s->failure[0]) add(s, text);
}

int sari_explained(sar_simulation* s, sar_status st)
{
    return explain_memory(s, st) || explain_undefined(s) || explain_overflow(s) ||
           explained_by_method(s, st);
}

/* Which motion has no mass; 0: none is known of. */
static int explain_massless(sar_simulation* s, const char* what)
{
    char names[256];
    int held = 0;
    if (!sari_massless_bodies(s, names, sizeof names, &held)) return 0;
    if (held) {
        snprintf(
            s->failure, sizeof s->failure,
            "%s: a motion of %s that the joints allow has no mass. Forces hold it, but where "
            "they balance is not solved for. Join springs in series into one, k1 k2/(k1 + k2), "
            "take a maxwell for a spring and a damper in series, or give it a mass m that "
            "swings faster than all that matters: m = k/(2 pi f)^2.",
            what, names);
        return 1;
    }
    snprintf(
        s->failure, sizeof s->failure,
        "%s: a motion of %s that the joints allow has no mass. Give what moves in it a mass or "
        "an inertia, or hold it by a joint; point masses that do not rotate are particles "
        "(particle: yes).",
        what, names);
    return 1;
}

/* ---- rates that are too fast for a method --------------------------------------------------- */

/* s->state: a change of s->begun along the difference of the rates of both. Returns the length of
 * that difference, with velocities times h. */
static double turn_to_difference(sar_simulation* s, double h)
{
    const double SMALL = 1e-7; // sizes
    sari_state *x = &s->state, *from = &s->begun;
    double square = 0.0;
    for (int i = 0; i < x->n; i++) {
        const double v = x->v[i] - from->v[i], pdot = x->pdot[i] - from->pdot[i];
        x->v[i] = v;
        x->pdot[i] = pdot;
        square += v * v + h * h * pdot * pdot;
    }
    const double length = sqrt(square), part = length > 0.0 ? SMALL * s->units.size / length : 0.0;
    for (int i = 0; i < x->n; i++) x->v[i] *= part, x->pdot[i] *= part;
    sari_coordinates_move(&s->system->coordinates, from->q, x->v, x->q);
    for (int i = 0; i < x->n; i++) x->p[i] = from->p[i] + x->pdot[i];
    return length / (SMALL * s->units.size);
}

/* |lambda| of the fastest rate by the power method, the mean of an even number of rounds, since
 * +-i omega take turns; s->state is moved along it. At s->begun: the end of steps that diverge is
 * nowhere. NAN: there are no rates. */
static double fastest_rate(sar_simulation* s, double h)
{
    enum { ROUNDS = 40, COUNTED = 20 };
    double sum = 0.0;
    sari_state_copy(&s->state, &s->begun);
    if (s->form.ops->rates->evaluate(s->form.self, &s->state) != SAR_OK) return NAN;
    sari_state_copy(&s->begun, &s->state);
    for (int i = 0; i < s->state.n; i++) s->state.v[i] += h * s->state.pdot[i] + 1e-3 * (1 + i % 3);
    for (int k = 0; k < ROUNDS; k++) {
        const double length = turn_to_difference(s, h);
        if (k >= ROUNDS - COUNTED) sum += sari_log(length);
        if (s->form.ops->rates->evaluate(s->form.self, &s->state) != SAR_OK) return NAN;
    }
    return sari_exp(sum / COUNTED);
}

/* A step that an explicit method does not bear. */
static int explain_too_fast(sar_simulation* s, double h)
{
    const double bears = s->integrator->bears;
    if (!(bears > 0.0) || !s->form.ops->rates) return 0;
    const double rate = fastest_rate(s, h);
    if (!(h * rate > bears)) return 0;
    double speed, spin;
    for (int i = 0; i < s->state.n; i++) s->state.v[i] -= s->begun.v[i];
    snprintf(
        s->failure, sizeof s->failure,
        "the step of %.3g s is too long for %s: at t = %.9g a stiffness or a damping makes a "
        "motion of body \"%s\" change at a rate of %.2g/s, and the method diverges with steps "
        "above %.2g/rate. Take a step of %.1g s, or an implicit method: al3 with trapezoidal, or "
        "the automatic one.",
        h, s->integrator->name, s->previous.t, sari_fastest_body(s, &speed, &spin), rate, bears,
        0.5 * bears / rate);
    return 1;
}

/* ---- where it happens ----------------------------------------------------------------------- */

static void explain_no_velocities(sar_simulation* s)
{
    if (explain_massless(s, "no velocities at the start")) return;
    snprintf(
        s->failure, sizeof s->failure,
        "no velocities at the start: the masses are too different in size, or some motion that "
        "the joints allow has none");
}

static const double ROUGHEST = 0.05; ///< of the size: larger gaps are no matter of digits

void sari_explain_assembly(sar_simulation* s, sar_status st, const sar_assembly* report)
{
    char names[200] = "", gap[140] = "";
    if (explain_memory(s, st) || explain_undefined(s) || explain_overflow(s)) return;
    for (int k = 0; k < report->conflicts; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s (%.2e)", k ? ", " : "",
                 report->conflict[k].name, report->conflict[k].residual);
    if (report->verdict == SAR_ASSEMBLED) { // positions were; then there was no matrix to factor
        explain_no_velocities(s);
        return;
    }
    if (report->gap > 0.0 && report->gap < ROUGHEST * s->units.length)
        snprintf(gap, sizeof gap,
                 ". They leave a gap of %.2g m; if the drawing is no more precise than that, set "
                 "drawing to %.0e or more",
                 report->gap, 0.11 * report->gap / s->units.length);
    snprintf(s->failure, sizeof s->failure,
             "cannot be assembled: the %s of the start %s; residual: %s%s",
             report->level ? "velocities" : "positions",
             report->verdict == SAR_ASSEMBLY_IMPOSSIBLE
                 ? "contradict each other"
                 : "were not found within the iterations: draw the bodies nearer to their places",
             names, gap);
}

/* A start that was not assembled and is beside the constraints. */
static int explain_as_given(sar_simulation* s, const char* what)
{
    const double LEAST = 1e-9;
    sari_system* sys = s->system;
    double off = 0.0;
    if (s->options.assemble || s->statistics.steps > 0) return 0;
    if (sari_equations_eval(&sys->equations, SARI_EVAL_PHI, s->state.t, s->state.q, NULL) < 0)
        return 0;
    for (int r = 0; r < sys->nc - sys->velocity_rows; r++) off = fmax(off, fabs(sys->Phi[r]));
    if (off <= fmax(s->options.drawing, LEAST) * s->units.size) return 0;
    snprintf(s->failure, sizeof s->failure,
             "%s: the start is taken as given (assemble = 0) and misses the constraints by %.2g m; "
             "%s needs one that meets them",
             what, off * s->units.length, s->form.ops->name);
    return 1;
}

void sari_explain_start(sar_simulation* s, sar_status st, const char* where)
{
    char what[80];
    snprintf(what, sizeof what, "no accelerations %s, t = %.9g", where, s->state.t);
    if (st == SAR_R_SINGULAR && sari_explain_ambiguous(s)) return;
    if (explain_as_given(s, what)) return;
    if (sari_explained(s, st) || explain_massless(s, what)) return;
    snprintf(s->failure, sizeof s->failure, "%s: %s", what,
             st == SAR_R_NOT_FINITE
                 ? "values are not finite; masses, lengths or forces of the model are too large"
                 : "the masses are too different in size, or some motion that the joints allow has "
                   "none");
}

static int explain_flat_disc(sar_simulation* s)
{
    const int flat = sari_system_flat_disc(s->system, s->previous.q);
    if (flat < 0) return 0;
    snprintf(s->failure, sizeof s->failure,
             "the disc of \"%s\" has fallen flat at t = %.9g: its axis is along the normal of the "
             "plane, and there is no point on which it rolls. End the run before, or let a phase "
             "remove the joint.",
             s->model->joints[flat].name, s->previous.t);
    return 1;
}

static void explain_no_convergence(sar_simulation* s, double h, const sari_step_report* report)
{
    const double t = s->previous.t, alpha = s->units.mass * s->form.ops->alpha(s->form.self);
    if (report->error > 1.0)
        snprintf(
            s->failure, sizeof s->failure,
            "the step became too small at t = %.9g: with h = %.3g the error is still %.2g times "
            "the tolerance of %.2g.",
            t, h, report->error, s->options.tolerance);
    else
        snprintf(s->failure, sizeof s->failure,
                 "the step from t = %.9g with h = %.3g did not converge: after %d iterations %sthe "
                 "correction is %.2e (tolerance %.2e, alpha %.2e).",
                 t, h, report->iterations, report->diverged ? "the corrections grow; " : "",
                 s->units.length * report->correction, s->units.length * report->tolerance, alpha);
}

int sari_filter_advice(const sar_simulation* s, char* text, size_t size)
{
    const double filter = sari_simulation_filter(s), alpha = s->form.ops->alpha(s->form.self);
    if (!(filter < 2.0)) return 0;
    snprintf(text, size,
             "alpha is too small for this many bodies in a row: its filter number is %.2g, and "
             "reactions converge above 2; use alpha auto, or at least %.2g",
             filter, 2.0 * s->units.mass * alpha / filter);
    return 1;
}

static void add_filter(sar_simulation* s)
{
    char text[200];
    if (!sari_filter_advice(s, text, sizeof text - 1)) return;
    add(s, strcat(text, "."));
}

static void explain_by_status(sar_simulation* s, sar_status st, double h,
                              const sari_step_report* report)
{
    const double t = s->previous.t;
    char what[80];
    if (explain_too_fast(s, h)) return;
    snprintf(what, sizeof what, "the matrix of the step from t = %.9g is singular", t);
    if (st == SAR_R_SINGULAR && explain_massless(s, what)) return;
    if (st == SAR_R_NO_CONV)
        explain_no_convergence(s, h, report);
    else if (st == SAR_R_SINGULAR)
        snprintf(s->failure, sizeof s->failure,
                 "%s: some motion that the joints allow has no mass, or a stiffness is negative. A "
                 "smaller step helps against negative stiffness.",
                 what);
    else
        snprintf(
            s->failure, sizeof s->failure,
            "the step from t = %.9g with h = %.3g gives values that are not finite: the motion "
            "diverges.",
            t, h);
    if (st == SAR_R_SINGULAR) return;
    add_filter(s);
    add(s, s->integrator->variable
               ? "Try another `tolerance`, or a fixed step."
               : "Try a smaller step, or `best_effort` to continue and count such steps.");
}

/* A gap at a singular configuration that is more than the drawing's precision explains. */
static void add_missed_crossing(sar_simulation* s)
{
    const sar_statistics* z = &s->statistics;
    char text[256];
    if (!(z->crossing_missed > 0.0)) return;
    snprintf(text, sizeof text,
             "The drawing misses a singular configuration by %.2g m, more than its precision "
             "(drawing = %.0e of the size): draw with more digits, or allow for less precision.",
             z->crossing_missed * s->units.length, s->options.drawing);
    add(s, text);
}

int sari_explain_time(sar_simulation* s, double next)
{
    const double FEWEST = 1000.0, t = s->state.t;
    const double apart = DBL_EPSILON * fmax(fabs(t), fabs(s->options.end));
    const int few = s->integrator->variable && s->options.end - s->options.start < FEWEST * apart;
    if (next > t && !few) return 0;
    snprintf(s->failure, sizeof s->failure,
             "the time cannot be resolved: at t = %.17g s numbers are %.2g s apart, and %s of %g s "
             "%s. Let the run start at a time nearer to 0%s",
             t, apart, few ? "the run" : "the step",
             few ? s->options.end - s->options.start : s->options.step,
             few ? "has hardly any of them" : "is too small to change the time",
             few ? "" : ", or use a larger step");
    return 1;
}

void sari_explain_rest(sar_simulation* s)
{
    char growth[300];
    if (sari_explain_time(s, s->integrator->variable ? INFINITY : s->state.t)) return;
    snprintf(s->failure, sizeof s->failure,
             "the run comes to an end at t = %.17g: no step is short enough there, and yet long "
             "enough to change the time, whose numbers are %.2g s apart.",
             s->state.t, DBL_EPSILON * fabs(s->state.t));
    if (sari_growth_told(s, growth, sizeof growth))
        add(s, growth);
    else
        add(s, "Some force, or its rate, grows without bound: end the run before, or change it.");
}

void sari_explain_step(sar_simulation* s, sar_status st, double h, const sari_step_report* report)
{
    char jump[SARI_JUMP_TEXT], growth[300];
    if (report->tried > 0.0) h = report->tried;
    const int jumps = sari_jumps_within(s, h, jump, sizeof jump);
    if (explain_flat_disc(s)) return;
    if (!sari_explained(s, st)) explain_by_status(s, st, h, report);
    add_end_of_motion(s, st);
    add_missed_crossing(s);
    if (jumps) add(s, jump);
    if (sari_growth_told(s, growth, sizeof growth)) add(s, growth);
}

void sari_explain_crawl(sar_simulation* s, long steps, double progress)
{
    char jump[SARI_JUMP_TEXT];
    const double pace = progress / (double)steps;
    snprintf(s->failure, sizeof s->failure,
             "the run is stuck at t = %.9g: the last %ld steps advanced by %.2g s; at this rate "
             "the rest takes %.1e steps more.",
             s->state.t, steps, progress, (s->options.end - s->state.t) / pace);
    if (sari_jumps_text(s, jump, sizeof jump))
        add(s, jump);
    else
        add(s, "The motion is not smooth there, or too stiff for this method: try a fixed step, "
               "bdf, or another `tolerance`; `best_effort` continues.");
}
