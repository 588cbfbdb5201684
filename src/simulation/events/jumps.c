/* Forces that jump: conditions, signs, tables in their expressions.
 *
 * A step across a jump is of first order at most; one that is chosen by its error becomes tiny, and
 * an iteration may go to and fro between the two sides. Whether a force f(x) jumped in a step is
 * seen from its variables x at both ends: halve the way between them, and go on with the half in
 * which f changes more. If f is continuous its change goes to zero with the way; if it jumps there,
 * the change stays. Only expressions that can jump are looked at. */
#include "base/status.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct watched {
    const sari_expression* e;
    const char *name, *text;
    int type, force; ///< whose x and v it may use; -1: none
    double largest;  ///< |value| up to now
} watched;

struct sari_jumps {
    watched* at;
    int count, variables;
    char* wanted;                     ///< per signal: does one of them use it?
    int signals, own;                 ///< some are wanted; some use x or v of their own
    double *before, *after, *between; ///< variables
    double *own_before, *own_after;   ///< x and v of every expression
    sari_state seen;                  ///< the state of `after`, ...
    int known;                        ///< ... if any: mostly the next step begins there
    long total;
    double first;                ///< time of the first jump
    const watched *which, *last; ///< of the first jump, and of the last
};

/* ---- which expressions ---------------------------------------------------------------------- */

static int uses_own(const sari_expression* e)
{
    const int *used, n = sari_expression_variables(e, &used);
    for (int i = 0; i < n; i++)
        if (used[i] == SARI_VARIABLE_X || used[i] == SARI_VARIABLE_V) return 1;
    return 0;
}

static void watch(sari_jumps* j, const sari_expression* e, const char* name, const char* text,
                  int type, int force)
{
    if (!e || !sari_expression_switches(e)) return;
    if (type >= 0 && !uses_own(e)) type = -1;
    if (j->at) j->at[j->count] = (watched){e, name, text, type, force, 0.0};
    j->count++;
}

static void list(sari_jumps* j, const sar_model* model)
{
    j->count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        for (int i = 0; i < model->forces[t].count; i++) {
            const sari_force* force = &model->forces[t].at[i];
            for (int k = 0; type->is.text[k].field; k++)
                if (type->is.text[k].use & SARI_USE_RATES)
                    watch(j, force->expression[k], force->name,
                          sari_force_text_of(type, force->def, k),
                          type->is.text[k].use & SARI_USE_SPRING ? t : -1, i);
        }
    }
}

static void find_wanted(sari_jumps* j)
{
    const int* used;
    for (const watched* w = j->at; w < j->at + j->count; w++) {
        const int n = sari_expression_variables(w->e, &used);
        for (int i = 0; i < n; i++)
            if (used[i] >= SARI_VARIABLE_SIGNAL)
                j->wanted[used[i] - SARI_VARIABLE_SIGNAL] = 1, j->signals = 1;
        if (w->type >= 0) j->own = 1;
    }
}

sar_status sari_jumps_create(sar_simulation* s)
{
    const sar_model* model = s->model;
    sari_jumps* j = s->jumps = SARI_TAKE(&s->memory, sari_jumps, 1);
    if (!j) return SAR_E_NOMEM;
    list(j, model);
    if (j->count == 0) return SAR_OK;
    j->variables = SARI_VARIABLE_SIGNAL + model->signals_count;
    j->at = SARI_TAKE(&s->memory, watched, j->count);
    j->before = SARI_TAKE(&s->memory, double, j->variables);
    j->after = SARI_TAKE(&s->memory, double, j->variables);
    j->between = SARI_TAKE(&s->memory, double, j->variables);
    j->own_before = SARI_TAKE(&s->memory, double, 2 * (size_t)j->count);
    j->own_after = SARI_TAKE(&s->memory, double, 2 * (size_t)j->count);
    j->wanted = SARI_TAKE(&s->memory, char, model->signals_count);
    sari_state_take(&j->seen, &s->memory, &s->system->equations, 0);
    if (s->memory.failed) return SAR_E_NOMEM;
    list(j, model);
    find_wanted(j);
    return SAR_OK;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* All variables of these expressions at a state. */
static void read_variables(const sar_simulation* s, const sari_state* x, double* variables,
                           double* own)
{
    const sari_jumps* j = s->jumps;
    variables[SARI_VARIABLE_T] = x->t;
    if (j->signals) sari_system_signals(s->system, x->t, x->q, x->v, x->a, j->wanted, variables);
    s->system->kinematics->time = x->t;
    if (j->own) sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
    for (int i = 0; i < j->count; i++) {
        const watched* w = &j->at[i];
        const sari_mechanism* m = s->system->mechanism;
        sari_scalar_value value = {0};
        if (w->type < 0) continue;
        const int n = sari_force_scalars(sari_force_types[w->type], m->dimension);
        (void)sari_scalar_eval(s->system->kinematics, m->force_scalar[w->type][n * w->force], 1,
                               &value);
        own[2 * i] = value.value;
        own[2 * i + 1] = value.rate;
    }
}

static int is_same(const sari_state* x, const sari_state* y)
{
    const size_t n = (size_t)x->n * sizeof(double);
    return x->np == y->np && x->n == y->n && x->t == y->t &&
           memcmp(x->q, y->q, (size_t)x->np * sizeof(double)) == 0 && memcmp(x->v, y->v, n) == 0 &&
           memcmp(x->a, y->a, n) == 0;
}

/* Where the last look ended, or anew. */
static void read_before(sar_simulation* s, const sari_state* from)
{
    sari_jumps* j = s->jumps;
    if (!j->known || !is_same(&j->seen, from)) {
        read_variables(s, from, j->before, j->own_before);
        return;
    }
    memcpy(j->before, j->after, (size_t)j->variables * sizeof(double));
    memcpy(j->own_before, j->own_after, 2 * (size_t)j->count * sizeof(double));
}

static void keep_after(sari_jumps* j, const sari_state* to)
{
    const sari_state* seen = &j->seen;
    j->known = to->np == seen->np && to->n == seen->n;
    if (!j->known) return; // other joints
    memcpy(seen->q, to->q, (size_t)to->np * sizeof(double));
    memcpy(seen->v, to->v, (size_t)to->n * sizeof(double));
    memcpy(seen->a, to->a, (size_t)to->n * sizeof(double));
    j->seen.t = to->t;
}

static double value_at(const sari_jumps* j, const watched* w, double x)
{
    const int *used, n = sari_expression_variables(w->e, &used);
    for (int k = 0; k < n; k++) {
        const int i = used[k];
        j->between[i] = j->before[i] + x * (j->after[i] - j->before[i]);
    }
    for (int i = 0; w->type >= 0 && i < 2; i++) {
        const int k = 2 * (int)(w - j->at) + i;
        j->between[SARI_VARIABLE_X + i] =
            j->own_before[k] + x * (j->own_after[k] - j->own_before[k]);
    }
    return sari_expression_value(w->e, j->between);
}

/* Where between the two states, as a part of the way, w jumps; NaN: nowhere. */
static double find_jump(const sari_jumps* j, watched* w)
{
    const double SMALL = 1e-3; // of its values
    enum { GLANCE = 8, HALVES = 40 };
    double a = 0.0, b = 1.0, fa = value_at(j, w, a), fb = value_at(j, w, b), first = fabs(fb - fa);
    w->largest = fmax(w->largest, fmax(fabs(fa), fabs(fb)));
    for (int k = 0; k < HALVES; k++) {
        const double change = fabs(fb - fa);
        if (!(change > SMALL * w->largest) || (k == GLANCE && change < 0.1 * first)) return NAN;
        const double c = 0.5 * (a + b), fc = value_at(j, w, c);
        if (fabs(fc - fa) >= fabs(fb - fc))
            b = c, fb = fc;
        else
            a = c, fa = fc;
    }
    return b;
}

/* Between two states; the first of them comes first. Returns how many forces jump. */
static int look(sar_simulation* s, const sari_state* from, const sari_state* to, double* when,
                const watched** which)
{
    sari_jumps* j = s->jumps;
    int found = 0;
    *when = INFINITY;
    read_before(s, from);
    read_variables(s, to, j->after, j->own_after);
    keep_after(j, to);
    for (int k = 0; k < j->count; k++) {
        const double x = find_jump(j, &j->at[k]);
        if (isnan(x)) continue;
        found++;
        if (from->t + x * (to->t - from->t) >= *when) continue;
        *when = from->t + x * (to->t - from->t);
        *which = &j->at[k];
    }
    return found;
}

/* Number of one of the list, from 1; 0: none. */
static const watched* archive_one(sari_jumps* j, const watched* w, sari_archive* a)
{
    const int which = sari_archive_range(a, w ? (int)(w - j->at) + 1 : 0, 0, j->count);
    return which ? &j->at[which - 1] : NULL;
}

void sari_jumps_archive(sar_simulation* s, sari_archive* a)
{
    sari_jumps* j = s->jumps;
    if (j->count == 0) return;
    SARI_ARCHIVE_INTS(a, &j->known);
    SARI_ARCHIVE_LONGS(a, &j->total);
    SARI_ARCHIVE_NUMBERS(a, &j->first);
    for (int k = 0; k < j->count; k++) SARI_ARCHIVE_NUMBERS(a, &j->at[k].largest);
    j->which = archive_one(j, j->which, a);
    j->last = archive_one(j, j->last, a);
    sari_archive_numbers(a, j->after, (size_t)j->variables);
    sari_archive_numbers(a, j->own_after, 2 * (size_t)j->count);
    sari_state_archive(&j->seen, a);
}

void sari_jumps_start(sar_simulation* s)
{
    sari_jumps* j = s->jumps;
    j->total = 0;
    j->known = 0;
    j->first = NAN;
    j->which = j->last = NULL;
    for (int k = 0; k < j->count; k++) j->at[k].largest = 0.0;
}

void sari_jumps_step(sar_simulation* s)
{
    sari_jumps* j = s->jumps;
    double when;
    const watched* which = NULL;
    if (j->count == 0) return;
    const int found = look(s, &s->previous, &s->state, &when, &which);
    if (!found) return;
    if (!j->which) j->first = when, j->which = which;
    j->total += found;
    j->last = which;
}

/* ---- telling -------------------------------------------------------------------------------- */

static int is_of_time(const watched* w)
{
    const int* used;
    const int count = sari_expression_variables(w->e, &used);
    return count == 1 && used[0] == SARI_VARIABLE_T;
}

static void tell(const watched* w, double t, char* text, size_t size)
{
    snprintf(text, size, "\"%s\" jumps at t = %.6g: \"%.100s\". %s", w->name, t, w->text,
             is_of_time(w) ? "List the times of its jumps under `breakpoints`."
                           : "Smooth it over a small range, with tanh or ramp; `breakpoints` are "
                             "for jumps at known times.");
}

int sari_jumps_within(sar_simulation* s, double h, char* text, size_t size)
{
    sari_state *from = &s->previous, *to = &s->between;
    const watched* which = NULL;
    double when;
    if (s->jumps->count == 0) return 0;
    sari_move_by_series(s, from, h, to); // where the step would lead
    if (!look(s, from, to, &when, &which)) return 0;
    tell(which, when, text, size);
    return 1;
}

int sari_jumps_text(const sar_simulation* s, char* text, size_t size)
{
    if (!s->jumps->last) return 0;
    tell(s->jumps->last, s->state.t, text, size);
    return 1;
}

long sari_jumps_total(const sar_simulation* s)
{
    return s->jumps->total;
}

int sar_simulation_jumps(const sar_simulation* s, sar_jump* first)
{
    const sari_jumps* j = s->jumps;
    *first = (sar_jump){.count = j->total, .t = j->first};
    if (!j->which) return 0;
    snprintf(first->force, sizeof first->force, "%s", j->which->name);
    first->of_time = is_of_time(j->which);
    return 1;
}
