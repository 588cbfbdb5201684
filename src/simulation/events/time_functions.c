/* Explicit functions of time: forces, drives, conditions and integrals by expressions in which t
 * occurs, tables of t and inputs among them. They are known before they happen, so nothing that they
 * do is stepped over, however short it is.
 *
 * Where a branch changes that depends on time alone (a point of a table, the end of a pulse, a
 * comparison), a step ends, and the next one begins afresh, as at a breakpoint of the model. Between
 * these times enclosures of Taylor coefficients say how long a step may be that sees all of f, which
 * is no further than a part of the largest |f| from a polynomial (expression/time.h): its error
 * estimate does the rest. Drives and constraints act by their second derivatives. All other variables
 * count as they are now; what changes with them is in resolution.c.
 *
 * With a fixed step only jumps are breakpoints: the order of the method does not suffer from others,
 * and the steps are as the user wanted them. */
#include "base/status.h"
#include "expression/time.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>

static const double JUMP = 1e-9; ///< of the amplitude

typedef struct time_function {
    const sari_expression* e;
    int type, each;   ///< the force whose x and v it may use; -1: none
    int derivative;   ///< that acts: 0 or 2
    double amplitude; ///< the largest |f| of the run, as far as known
} time_function;

struct sari_time_functions {
    time_function* at;
    int count, order;
    double* variables; ///< at which amplitudes are taken
    double until;      ///< up to there every step sees all of them; NaN: not known
    int breaks;        ///< there a branch changes
    double ahead;      ///< how far the last search went
    int conditions;    ///< which function it is may depend on other variables
};

/* ---- which ---------------------------------------------------------------------------------- */

static void add(sari_time_functions* f, const sari_expression* e, int type, int each,
                int derivative)
{
    if (!e || !sari_expression_of_time(e)) return;
    if (f->at) f->at[f->count] = (time_function){e, type, each, derivative, 0.0};
    f->count++;
}

static void list(const sar_model* model, sari_time_functions* f)
{
    f->count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int i = 0; i < model->forces[t].count; i++)
            for (int k = 0; sari_force_types[t]->is.text[k].field; k++) {
                const unsigned use = sari_force_types[t]->is.text[k].use;
                add(f, model->forces[t].at[i].expression[k], use & SARI_USE_SPRING ? t : -1, i, 0);
            }
    for (int j = 0; j < model->joints_count; j++)
        add(f, model->joints[j].value, -1, 0, model->joints[j].bounded ? 0 : 2);
    for (int k = 0; k < model->phases_count; k++) add(f, model->phases[k].when, -1, 0, 0);
    for (int k = 0; k < model->outputs_count; k++)
        if (model->outputs[k].integral != SARI_OUTPUT_VALUE)
            add(f, model->outputs[k].value, -1, 0, 0);
}

sar_status sari_time_functions_create(sar_simulation* s)
{
    enum { LEAST = 2 };
    sari_time_functions* f = s->time_functions = SARI_TAKE(&s->memory, sari_time_functions, 1);
    if (!f) return SAR_E_NOMEM;
    list(s->model, f);
    if (f->count == 0) return SAR_OK;
    const int order = s->integrator->order;
    f->order = order < LEAST ? LEAST : order > SARI_TIME_ORDER ? SARI_TIME_ORDER : order;
    f->at = SARI_TAKE(&s->memory, time_function, f->count);
    f->variables = SARI_TAKE(&s->memory, double, SARI_VARIABLE_SIGNAL + s->model->signals_count);
    if (s->memory.failed) return SAR_E_NOMEM;
    list(s->model, f);
    for (int k = 0; k < f->count; k++) {
        const int* used;
        f->conditions |= sari_expression_variables(f->at[k].e, &used) > 1 &&
                         sari_expression_switches(f->at[k].e);
    }
    return SAR_OK;
}

void sari_time_functions_archive(sar_simulation* s, sari_archive* a)
{
    sari_time_functions* f = s->time_functions;
    SARI_ARCHIVE_INTS(a, &f->breaks);
    SARI_ARCHIVE_NUMBERS(a, &f->until, &f->ahead);
    for (int k = 0; k < f->count; k++) SARI_ARCHIVE_NUMBERS(a, &f->at[k].amplitude);
}

/* ---- how large ------------------------------------------------------------------------------ */

/* The least |f''| of a span; 0 where it may vanish. */
static double least_curvature(const sari_time_series* series)
{
    const sari_interval c = series->c[2];
    return 2.0 * (c.low > 0.0 ? c.low : c.high < 0.0 ? -c.high : 0.0);
}

/// A part of the run, with a bound of |f| in it; infinite where a branch changes within.
typedef struct span {
    double begin, end, bound;
} span;

/* Bound it; `reached` is the largest |f| that is seen to be there. Where a branch changes within, the
 * series is that of the branch at the begin: what it is beyond, as the cubic of a step far from its
 * ends, f never is. */
static void bound_span(const time_function* f, const double* variables, span* part, double* reached)
{
    sari_time_series series;
    const bool clear = sari_expression_over_time(f->e, variables, part->begin, part->end, &series);
    const double begin = fabs(series.at[0]), end = clear ? fabs(series.at[1]) : begin;
    const double size = !f->derivative ? fmax(begin, end) : clear ? least_curvature(&series) : 0.0;
    if (isfinite(size)) *reached = fmax(*reached, size);
    part->bound = sari_interval_magnitude(series.c[f->derivative]) * (f->derivative ? 2.0 : 1.0);
    if (!clear || isnan(part->bound)) part->bound = INFINITY;
}

/* Where a span is cut: at the first break, which then belongs to its second part, or in the middle. */
static double cut_of(const time_function* f, const double* variables, const span* part)
{
    double examined, t = NAN;
    if (isinf(part->bound))
        t = sari_expression_next_break(f->e, variables, part->begin, part->end, &examined);
    return t > part->begin && t < part->end ? t : 0.5 * (part->begin + part->end);
}

/* The largest |f| that is reached in the run, to a factor of two if the bounds allow: the part with
 * the largest bound is cut. Where many parts were not enough, the bounds count for little. */
static double find_amplitude(const time_function* f, const double* variables, double from,
                             double to)
{
    enum { PARTS = 400 };
    const double UNSEEN = 1e-3; // of a bound
    span part[PARTS] = {{from, to, INFINITY}};
    double reached = 0.0;
    for (int n = 1; n < PARTS; n++) {
        int k = 0;
        for (int i = 1; i < n; i++)
            if (part[i].bound > part[k].bound) k = i;
        if (part[k].bound <= 2.0 * reached) return reached;
        const double cut = cut_of(f, variables, &part[k]);
        part[n] = (span){cut, part[k].end, 0.0};
        part[k].end = cut - 4.0 * DBL_EPSILON * fabs(cut);
        bound_span(f, variables, &part[k], &reached);
        bound_span(f, variables, &part[n], &reached);
    }
    for (int k = 0; k < PARTS; k++)
        if (isfinite(part[k].bound)) reached = fmax(reached, UNSEEN * part[k].bound);
    return reached;
}

/* x and v of a force, the kinematics are at the state. */
static void set_own(const sar_simulation* s, const time_function* f, double* variables)
{
    const sari_mechanism* m = s->system->mechanism;
    sari_scalar_value value = {0};
    if (f->type < 0) return;
    const int n = sari_force_scalars(sari_force_types[f->type], m->dimension);
    sari_scalar_eval(s->system->kinematics, m->force_scalar[f->type][n * f->each], 1, &value);
    variables[SARI_VARIABLE_X] = value.value;
    variables[SARI_VARIABLE_V] = value.rate;
}

static void see(const sar_simulation* s)
{
    const sari_state* x = &s->state;
    sari_system_signals(s->system, x->t, x->q, x->v, x->a, NULL, s->variables);
    sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
}

/* Breaks so near to t are t itself. */
static double moment(double t, double to)
{
    return 16.0 * DBL_EPSILON * fmax(fabs(t), fabs(to));
}

/* After all breaks that are t itself, wherever steps lead. */
static double just_after(const sar_simulation* s, double t)
{
    return t + 2.0 * moment(t, fmax(fabs(s->options.start), fabs(s->options.end)));
}

static bool differ(double a, double b, double size)
{
    return fabs(a - b) > JUMP * size;
}

/* At 3 itself `t > 3` has the value before it jumps, sign(t - 3) one of its own, and the drive
 * max(0, t - 3) the rate before its kink. Is there a function like these? The kinematics are at the
 * state. */
static bool switches_after(sar_simulation* s)
{
    const sari_time_functions* f = s->time_functions;
    const double t = s->state.t;
    bool switches = false;
    for (int k = 0; k < f->count && !switches; k++) {
        const sari_expression* e = f->at[k].e;
        double at[3], after[3];
        if (sari_expression_guards(e) == 0) continue;
        set_own(s, &f->at[k], s->variables);
        sari_expression_series(e, s->variables, SARI_VARIABLE_T, at);
        s->variables[SARI_VARIABLE_T] = just_after(s, t);
        sari_expression_series(e, s->variables, SARI_VARIABLE_T, after);
        s->variables[SARI_VARIABLE_T] = t;
        switches = f->at[k].derivative ? differ(at[1], after[1], fmax(fabs(at[1]), fabs(after[1])))
                                       : differ(at[0], after[0], f->at[k].amplitude);
    }
    return switches;
}

void sari_time_functions_pass(sar_simulation* s)
{
    if (s->time_functions->count == 0) return;
    see(s);
    if (switches_after(s)) s->state.t = just_after(s, s->state.t);
}

/* A factor that is zero at the start need not stay so. */
static void find_amplitudes(sar_simulation* s)
{
    sari_time_functions* f = s->time_functions;
    const int count = SARI_VARIABLE_SIGNAL + s->model->signals_count;
    for (int k = 0; k < f->count; k++) {
        for (int i = 0; i < count; i++) f->variables[i] = s->variables[i];
        set_own(s, &f->at[k], f->variables);
        for (int i = 1; i < count; i++)
            if (f->variables[i] == 0.0) f->variables[i] = 1.0;
        f->at[k].amplitude =
            find_amplitude(&f->at[k], f->variables, s->options.start, s->options.end);
    }
}

void sari_time_functions_start(sar_simulation* s)
{
    sari_time_functions* f = s->time_functions;
    f->until = NAN;
    f->ahead = 0.0;
    if (f->count == 0) return;
    see(s);
    find_amplitudes(s);
    s->at_breakpoint = switches_after(s);
}

int sari_time_functions_count(const sar_simulation* s)
{
    return s->time_functions->count;
}

void sari_time_functions_forget(sar_simulation* s)
{
    s->time_functions->until = NAN;
}

/* ---- how far -------------------------------------------------------------------------------- */

/* Is all of f seen in a step from t to `to`? Where it has no value there is nothing to see: who uses it
 * says so. */
static bool is_seen(const time_function* f, int order, const double* variables, double t, double to)
{
    sari_time_series series;
    (void)sari_expression_over_time(f->e, variables, t, to, &series);
    return f->amplitude == 0.0 || (isnan(series.at[0]) && isnan(series.at[1])) ||
           sari_time_series_seen(&series, to - t, order, f->derivative, f->amplitude);
}

/* Of a force the value, of a drive its rate too: an impact. */
static bool jumps_at(const time_function* f, const double* variables, double t)
{
    sari_time_series before, after;
    const double d = moment(t, t);
    (void)sari_expression_over_time(f->e, variables, t - 2.0 * d, t - d, &before);
    (void)sari_expression_over_time(f->e, variables, t + d, t + 2.0 * d, &after);
    if (differ(before.at[1], after.at[0], f->amplitude)) return true;
    const double r0 = before.c[1].low, r1 = after.c[1].low;
    return f->derivative && differ(r0, r1, fmax(fabs(r0), fabs(r1)));
}

/* The first time from `from` to `to` at which f breaks; NaN: it does not. `jumps`: jumps alone. At a
 * break itself rounding may say that it is still to come, so that all behind it would be missed. */
static double next_break(const time_function* f, const double* variables, double from, double to,
                         bool jumps)
{
    enum { MOST = 10000 };
    double examined;
    for (int k = 0; k < MOST && from < to; k++) {
        const double b = sari_expression_next_break(f->e, variables, from, to, &examined);
        if (isnan(b) || !jumps || jumps_at(f, variables, b)) return b;
        from = b + moment(b, to);
    }
    return NAN;
}

/* From t on, at most to `goal`. */
static void search(sar_simulation* s, double t, double goal)
{
    enum { AHEAD = 4, STEPS = 64 }; // of steps of given size: as many at once
    const double SHORTEST = 1e-9;   // of the run: where a function grows without bound
    sari_time_functions* f = s->time_functions;
    const int variable = s->integrator->variable;
    const double least = SHORTEST * (s->options.end - s->options.start);
    double to =
        variable || f->conditions ? goal : fmin(s->options.end, fmax(goal, t + STEPS * (goal - t)));
    if (variable && f->ahead > 0.0) to = fmin(goal, t + AHEAD * fmax(f->ahead, least));
    see(s);
    f->breaks = 0;
    const double after = t + moment(t, goal); // the breaks at t
    for (int k = 0; k < f->count; k++) {
        set_own(s, &f->at[k], s->variables);
        const double b = next_break(&f->at[k], s->variables, after, to + moment(t, to), !variable);
        if (!isnan(b)) to = fmin(b, to), f->breaks = 1;
    }
    for (int k = 0; variable && k < f->count; k++) {
        set_own(s, &f->at[k], s->variables);
        while (to - t > least && !is_seen(&f->at[k], f->order, s->variables, after, to))
            to = t + 0.5 * (to - t), f->breaks = 0;
    }
    f->until = to;
    f->ahead = to - t;
}

/* Is what was found before still of use? A variable step wants some room. */
static bool is_known(const sar_simulation* s, double goal)
{
    const sari_time_functions* f = s->time_functions;
    const double t = s->state.t;
    if (!(f->until > t + moment(t, goal))) return false;
    if (f->breaks || f->until >= goal) return true;
    return s->integrator->variable && f->until - t >= 0.5 * f->ahead;
}

double sari_time_functions_until(sar_simulation* s, double goal, int* breaks)
{
    sari_time_functions* f = s->time_functions;
    *breaks = 0;
    if (f->count == 0) return goal;
    if (!is_known(s, goal)) search(s, s->state.t, goal);
    // `t > 3` breaks at the first number after 3
    if (f->until > goal + moment(s->state.t, goal) || (f->until >= goal && !f->breaks)) return goal;
    *breaks = f->breaks;
    return fmin(f->until, goal);
}
