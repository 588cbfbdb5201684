/* Runs that follow the steps of another one.
 *
 * Differences of two adaptive runs are worth little: each chooses its steps, and the choice is not smooth. Here step
 * sizes are those of the nominal run, and everything else depends on the parameter: internal differentiation
 * [bock1981]. What is left is a smooth function f of the parameter p, and
 *
 *     df/dp = (8 (f(p + d) - f(p - d)) - (f(p + 2d) - f(p - 2d))) / 12 d + O(d^4)                    (1)
 *
 * or, where there is no model on one side (a mass of zero has none that is smaller), d of either sign,
 *
 *     df/dp = (-25 f(p) + 48 f(p + d) - 36 f(p + 2d) + 16 f(p + 3d) - 3 f(p + 4d)) / 12 d + O(d^4)     (2)
 *
 * with d such that the motion changes by a thousandth of its size: what (1) leaves out is then below 1e-10, and so is
 * rounding. Whatever a run can go through is differentiated with it: rows on velocities, states of forces, phases,
 * impacts, singular configurations. Steps that end at an event end at the event of the twin, the next one makes up for it.
 * If other events happen, or in another order, there is no derivative for that change: d is made smaller, or the
 * parameter refused. */
#include "sensitivity/adjoint.h"
#include "sensitivity/method.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "simulation/events/events.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CUTS = 40, SMALLER = 3, APPROACHES = 3 };
/// Of the step to a kink: the rest after each part.
static const double approach_left[APPROACHES] = {1e-2, 1e-4, 1e-7};
static const double MOVED = 1e-3; ///< sizes or radians that a change should move the motion by
static const double PROBE = 1e-6; ///< of a parameter: the first change
static const double MOST = 1e-2;  ///< of a parameter: the largest change
static const double SMOOTH =
    1e-4; ///< of the largest derivative: how far two points may be from four
static const double FORCED = 10.0; ///< times the nominal violation, and
static const double OPEN = 1e-9;   ///< of the size: constraints that a twin does not meet
static const double AGREE = 1e-7;  ///< of a sum: what both ways to it may differ by
static const double TOGETHER =
    1e-5; ///< of the largest value: what changes of all numbers do to it, to compare both ways
static const double SHARED = 1e-4; ///< of a number: the largest change for that
static const double CURVED = 3e-5; ///< of a derivative: how far two points should be from four
static const double ECHO = 1e-6;   ///< of the longest step: a kink of a force that is found again
static const double ROUNDING =
    1e-13; ///< of the largest value of an objective: of motion and assembly

/* ---- the tape ------------------------------------------------------------------------------- */

/* What happens at the end of the last step, and which joints are there; odd: nothing but kinks of forces. 0: nothing. */
static unsigned event_of(const sar_simulation* x)
{
    const sari_phases* p = &x->phases;
    unsigned kinks = 1;
    if (!(p->stop <= x->state.t)) return 0;
    unsigned code =
        sari_hash_code(x->system->mechanism->active, (size_t)sari_model_set_size(x->model));
    for (int k = 0; k < p->guards; k++) {
        const sari_guard* g = &p->guard[k];
        const int what[] = {(int)code, (int)g->kind, g->index, g->side};
        if (!g->due) continue;
        code = sari_hash_code(what, sizeof what);
        if (g->kind != SARI_GUARD_KINK) kinks = 0;
    }
    code = (code & ~1U) | kinks;
    return code ? code : 2;
}

/* A kink is found where the polynomial of the step across it says, which is not quite where it is: the next step may find
 * it once more. All that it does is to end a step. */
static int is_echo(unsigned event, const sar_simulation* x, sari_echo* last)
{
    last->step = fmax(last->step, x->state.t - x->previous.t);
    if (!event) return 0;
    const int again =
        event == last->event && (event & 1U) && x->state.t - last->t <= ECHO * last->step;
    last->event = event, last->t = x->state.t;
    return again;
}

static bool grow(void** array, size_t count, size_t capacity, size_t size)
{
    void* more = sari_allocate(capacity, size);
    if (!more) return false;
    if (count) memcpy(more, *array, count * size);
    sari_release(*array);
    *array = more;
    return true;
}

static sar_status make_room(sari_tape* tape, size_t numbers)
{
    if (tape->count == tape->capacity) {
        const int more = 2 * tape->capacity + 64;
        void *t = tape->t, *event = tape->event, *implicit = tape->implicit, *place = tape->place;
        const bool a = grow(&t, (size_t)tape->count, (size_t)more, sizeof(double)),
                   b = grow(&event, (size_t)tape->count, (size_t)more, sizeof(unsigned)),
                   c = grow(&implicit, (size_t)tape->count, (size_t)more, sizeof(char)),
                   d = grow(&place, (size_t)tape->count, (size_t)more, sizeof *tape->place);
        tape->t = t, tape->event = event, tape->implicit = implicit, tape->place = place;
        if (!(a && b && c && d)) return SAR_E_NOMEM;
        tape->capacity = more;
    }
    if (tape->pooled + numbers <= tape->room) return SAR_OK;
    const size_t more = 2 * tape->room + 64 * numbers;
    void* pool = tape->pool;
    if (!grow(&pool, tape->pooled, more, sizeof(double))) return SAR_E_NOMEM;
    tape->pool = pool;
    tape->room = more;
    return SAR_OK;
}

static sar_status record(sar_sensitivity* s)
{
    sari_tape* tape = &s->tape;
    const sar_simulation* x = s->nominal.simulation;
    const size_t np = (size_t)x->system->np, nq = (size_t)x->system->nq;
    SARI_TRY(make_room(tape, np + 2 * nq));
    const unsigned event = event_of(x);
    tape->t[tape->count] = x->state.t;
    tape->event[tape->count] = is_echo(event, x, &tape->last) ? 0 : event;
    tape->implicit[tape->count] =
        x->integrator->implicit && x->integrator->implicit(x->integrator_self);
    tape->place[tape->count] = (sari_tape_place){tape->pooled, x->system->np, x->system->nq};
    memcpy(tape->pool + tape->pooled, x->state.q, np * sizeof(double));
    memcpy(tape->pool + tape->pooled + np, x->state.v, nq * sizeof(double));
    memcpy(tape->pool + tape->pooled + np + nq, x->state.a, nq * sizeof(double));
    tape->pooled += np + 2 * nq;
    tape->count++;
    return SAR_OK;
}

static void clear(sar_sensitivity* s)
{
    sari_tape* tape = &s->tape;
    sari_release(tape->t);
    sari_release(tape->event);
    sari_release(tape->implicit);
    sari_release(tape->place);
    sari_release(tape->pool);
    *tape = (sari_tape){0};
    s->passages = 0;
}

static sar_status forward(sar_sensitivity* s, sar_error* error)
{
    sar_simulation* x = s->nominal.simulation;
    double* value = SARI_NEW_ARRAY(double, s->rows + 1);
    sar_status st = value ? sari_passages_take(s) : SAR_E_NOMEM;
    if (st == SAR_OK) sari_rows_begin(s, 1, value);
    if (st == SAR_OK) st = sari_rows_look(s, x, 1, value);
    while (st == SAR_OK && !sar_simulation_done(x)) {
        const int passes = x->passes.count;
        st = sari_step_towards(x, x->options.end);
        if (st == SAR_OK) st = record(s);
        if (st == SAR_OK) st = sari_rows_look(s, x, 1, value);
        if (st == SAR_OK && x->passes.count > passes) st = sari_passages_note(s, passes);
    }
    const int missing = st == SAR_OK ? sari_rows_missing(s, value) : -1;
    if (missing >= 0)
        st = sari_fail(error, SAR_E_MODEL, "objective", "\"%.100s\" has no value in this run%s",
                       s->objective[s->row[missing].objective].expression,
                       s->objective[s->row[missing].objective].kind == SAR_OBJECTIVE_TIME
                           ? ": it is never zero"
                           : "");
    else if (st != SAR_OK)
        sari_fail(error, st, NULL, "the run fails at t = %.6g: %.250s", x->state.t,
                  sar_simulation_failure(x));
    for (int r = 0; st == SAR_OK && r < s->rows; r++) s->row[r].value = value[r];
    sari_release(value);
    return st;
}

/* ---- following ------------------------------------------------------------------------------ */

/* How far the twin is from the nominal motion, in sizes and radians, or of the largest velocity. Where its joints are others
 * there is no telling. */
static double distance(const sar_sensitivity* s, const sar_simulation* x, int step, double* d,
                       double fastest)
{
    const sari_system* sys = x->system;
    double most = 0.0;
    if (s->tape.place[step].np != sys->np || s->tape.place[step].nq != sys->nq) return 0.0;
    sari_coordinates_difference(&sys->coordinates, sari_tape_q(&s->tape, step), x->state.q, d);
    for (int i = 0; i < sys->nq - sys->states; i++) most = fmax(most, fabs(d[i]));
    const double* v = sari_tape_v(&s->tape, step);
    for (int i = 0; i < sys->nq && fastest > 0.0; i++)
        most = fmax(most, fabs(x->state.v[i] - v[i]) / fastest);
    return most;
}

static int most_coordinates(const sari_tape* tape)
{
    int most = 0;
    for (int k = 0; k < tape->count; k++)
        most = tape->place[k].nq > most ? tape->place[k].nq : most;
    return most;
}

/* The next event of the nominal run from step k on; the number of steps: there is none. */
static int next_event(const sari_tape* tape, int k)
{
    while (k < tape->count && !tape->event[k]) k++;
    return k;
}

static sar_status refuse_order(const sar_simulation* x, sar_error* error)
{
    return sari_fail(error, SAR_R_NO_CONV, NULL,
                     "with another value other events happen at t = %.6g, or in another order: no "
                     "derivative",
                     x->state.t);
}

/* Towards `target`, or until something happens. */
static sar_status go_towards(sar_simulation* x, double target, sari_echo* last, unsigned* event,
                             sar_error* error)
{
    const sar_status st = sari_step_towards(x, target);
    if (st != SAR_OK)
        return sari_fail(error, SAR_E_MODEL, NULL,
                         "with another value the run fails at t = %.6g: %.160s", x->state.t,
                         sar_simulation_failure(x));
    *event = event_of(x);
    if (is_echo(*event, x, last)) *event = 0;
    return SAR_OK;
}

/* Forces that touch or come apart may jump, and no error makes the step across that short, as it did in the nominal run. So
 * the step that found it is taken again in parts, the last of which is short, and the next step begins with a short one:
 * stages on the other side of the jump count as much as those are long. */
static sar_status approach(sar_simulation* x, double when, sari_echo* last, unsigned* event,
                           sar_error* error)
{
    if (sar_simulation_restore(x, last->block, last->length, NULL) != SAR_OK)
        return sari_fail(error, SAR_E_INCOMPAT, NULL, "a step cannot be taken again");
    const double begin = x->state.t;
    *event = 0;
    for (int part = 0; part < APPROACHES && !*event; part++)
        SARI_TRY(go_towards(x, when - (when - begin) * approach_left[part], last, event, error));
    return SAR_OK;
}

/* The state, to go back to it. It grows with the lists of the run. */
static sar_status keep(sar_simulation* x, sari_echo* last)
{
    if (last->block &&
        sar_simulation_save(x, last->block, last->room, &last->length, NULL) == SAR_OK)
        return SAR_OK;
    SARI_TRY(sar_simulation_save(x, NULL, 0, &last->length, NULL));
    sari_release(last->block);
    last->room = 2 * last->length;
    last->block = SARI_NEW_ARRAY(char, last->room);
    if (!last->block) return SAR_E_NOMEM;
    return sar_simulation_save(x, last->block, last->room, &last->length, NULL);
}

/* A step to step k of the tape, or until something happens. */
static sar_status follow_step(sar_sensitivity* s, sar_simulation* x, int k, sari_echo* last,
                              unsigned* event, sar_error* error)
{
    const sari_tape* tape = &s->tape;
    const double end = x->options.end, t = tape->t[k],
                 next = k + 1 < tape->count ? tape->t[k + 1] : end;
    const double target = tape->event[k] ? fmin(end, t + 0.5 * (next - t)) : t;
    const double rounding = 1e-13 * fmax(fabs(t), end - x->options.start);
    int approached = !last->block;
    *event = 0;
    x->integrator->obey(x->integrator_self,
                        tape->implicit[k] ? SARI_OBEY_IMPLICIT : SARI_OBEY_EXPLICIT);
    if (last->block && last->event && last->t == x->state.t) // it begins where something touched
        SARI_TRY(go_towards(x, fmin(target, x->state.t + ECHO * last->step), last, event, error));
    for (int cut = 0; cut < CUTS && x->state.t < target - rounding && !*event; cut++) {
        const sari_echo before = *last;
        if (last->block && keep(x, last) != SAR_OK)
            return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
        SARI_TRY(go_towards(x, target, last, event, error));
        if (approached || !(*event & 1U)) continue;
        const double when = x->state.t;
        approached = 1, last->event = before.event, last->t = before.t;
        SARI_TRY(approach(x, when, last, event, error));
    }
    if (*event || x->state.t >= target - rounding) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, NULL, "with another value steps at t = %.6g are cut", t);
}

/* Does the twin not meet its constraints, which redundant joints of the nominal run do? */
static int is_forced(const sar_sensitivity* s, const sar_simulation* x)
{
    const sar_statistics *own = &s->nominal.simulation->statistics, *z = &x->statistics;
    const double size = x->units.size;
    return z->violation.position > FORCED * own->violation.position + OPEN * size ||
           z->gap > own->gap + OPEN * size;
}

sar_status sari_replay_follow(sar_sensitivity* s, sari_twin* twin, double* value, double* effect,
                              sar_error* error)
{
    sar_simulation* x = twin->simulation;
    double *d = SARI_NEW_ARRAY(double, most_coordinates(&s->tape) + 1), fastest = 0.0;
    sari_echo last = {0};
    *effect = 0.0;
    if (!d) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sari_rows_begin(s, 0, value);
    sar_status st = sari_kinks_count(x) > 0 ? keep(x, &last) : SAR_OK;
    if (st == SAR_OK) st = sari_rows_look(s, x, 0, value);
    int awaited = next_event(&s->tape, 0);
    for (int k = 0; st == SAR_OK && k < s->tape.count; k++) {
        unsigned event;
        const int passed = awaited < k; // it comes later than it did
        if (x->state.t >= s->tape.t[k] && !s->tape.event[k]) continue;
        if (passed && s->tape.event[k]) st = refuse_order(x, error);
        if (st == SAR_OK) st = follow_step(s, x, k, &last, &event, error);
        if (st == SAR_OK) st = sari_rows_look(s, x, 0, value);
        if (st != SAR_OK) break;
        fastest = fmax(fastest, sari_vector_max(s->tape.place[k].nq, sari_tape_v(&s->tape, k)));
        if (event && (awaited == s->tape.count || event != s->tape.event[awaited])) {
            st = refuse_order(x, error);
        } else if (event) { // perhaps earlier than it did: steps up to there are none
            k = awaited > k ? awaited : k;
            awaited = next_event(&s->tape, awaited + 1);
        } else if (!s->tape.event[k] && !passed) {
            *effect = fmax(*effect, distance(s, x, k, d, fastest));
        }
    }
    if (st == SAR_OK && awaited < s->tape.count && s->tape.t[awaited] < x->options.end)
        st = refuse_order(x, error);
    sari_release(d);
    sari_release(last.block);
    if (st == SAR_OK && is_forced(s, x))
        st = sari_fail(error, SAR_E_MODEL, NULL,
                       "with another value joints contradict each other by more and more: they are "
                       "redundant for this one alone");
    if (st == SAR_OK && sari_rows_missing(s, value) >= 0)
        st = sari_fail(error, SAR_R_NO_CONV, NULL,
                       "with another value an objective has no value any more");
    return st;
}

/* Values of all rows with parameter k changed. */
static sar_status values_with(sar_sensitivity* s, int k, double change, double* value,
                              double* effect, sar_error* error)
{
    sari_twin twin;
    SARI_TRY(sari_twin_make(s, k, change, &twin, error));
    const sar_status st = twin.simulation->integrator->obey
                              ? sari_replay_follow(s, &twin, value, effect, error)
                              : SAR_E_INCOMPAT;
    sari_twin_clear(&twin);
    return st;
}

/* ---- differences ---------------------------------------------------------------------------- */

/* A change that moves the motion by as much as is wanted. */
static sar_status find_change(sar_sensitivity* s, int k, double* work, sar_error* error)
{
    sari_free_number* p = &s->parameter[k];
    const double size = p->size, least = PROBE * size;
    double effect = 0.0, wanted = s->def.points == 2 ? 0.03 * MOVED : MOVED;
    if (p->change != 0.0) return SAR_OK;
    const double probe = p->side < 0 ? -least : least;
    SARI_TRY(values_with(s, k, probe, work, &effect, error));
    const double change = effect > 0.0 ? least * wanted / effect : MOST * size;
    p->change = fmin(fmax(change, 1e-3 * least), MOST * size);
    p->moved = effect * p->change / least;
    if (p->side < 0) p->change = -p->change;
    return SAR_OK;
}

/* What rounding does to a difference: places far from the origin have more of it. */
static double noise_of(const sar_sensitivity* s, int row, double d)
{
    const sar_simulation* x = s->nominal.simulation;
    const double rounding = ROUNDING + 4.0 * DBL_EPSILON * x->system->away / x->units.size;
    return rounding * s->largest[s->row[row].objective] / fabs(d);
}

static sar_status refuse_rough(const sar_sensitivity* s, int row, sar_error* error)
{
    return sari_fail(error, SAR_R_NO_CONV, NULL, "\"%.80s\" does not change smoothly with it",
                     s->objective[s->row[row].objective].expression);
}

/* (2), and with three points alone. */
static sar_status combine_on_one_side(sar_sensitivity* s, int k, const double* f, double* column,
                                      double* error_of, sar_error* error)
{
    const double d = s->parameter[k].change;
    for (int r = 0; r < s->rows; r++) {
        const double* at[5];
        for (int i = 0; i < 5; i++) at[i] = f + (size_t)i * (size_t)s->rows + r;
        const double noise = noise_of(s, r, d);
        const double low =
            (-11.0 * *at[0] + 18.0 * *at[1] - 9.0 * *at[2] + 2.0 * *at[3]) / (6.0 * d);
        column[r] =
            (-25.0 * *at[0] + 48.0 * *at[1] - 36.0 * *at[2] + 16.0 * *at[3] - 3.0 * *at[4]) /
            (12.0 * d);
        const double apart = fabs(low - column[r]);
        error_of[r] = apart * fmax(s->parameter[k].moved, 1e-4) + 10.0 * noise;
        if (apart > SMOOTH * fmax(fabs(column[r]), 1e4 * noise) + 1e2 * noise)
            return refuse_rough(s, r, error);
    }
    return SAR_OK;
}

/* (1), with two points alone, and how far these are from each other. */
static sar_status combine(sar_sensitivity* s, int k, const double* f, double* column,
                          double* error_of, sar_error* error)
{
    const double d = s->parameter[k].change, moved = s->parameter[k].moved;
    s->parameter[k].curved = 0.0;
    const double *more = f, *less = f + s->rows, *more2 = less + s->rows, *less2 = more2 + s->rows;
    for (int r = 0; r < s->rows; r++) {
        const double near = (more[r] - less[r]) / (2.0 * d);
        const double noise = noise_of(s, r, d);
        if (s->def.points == 2) {
            column[r] = near;
            error_of[r] = fabs(more[r] + less[r] - 2.0 * s->row[r].value) * moved / d + noise;
            continue;
        }
        const double far = (more2[r] - less2[r]) / (4.0 * d);
        column[r] = (4.0 * near - far) / 3.0;
        const double apart = fabs(near - column[r]);
        const double curved = apart / (fabs(column[r]) + 1e3 * noise);
        error_of[r] = 4.0 * apart * fmin(1.0, curved) + noise; // the next order, if all fall alike
        s->parameter[k].curved = fmax(s->parameter[k].curved, curved);
        if (apart > SMOOTH * fmax(fabs(column[r]), 1e4 * noise) + 1e2 * noise)
            return refuse_rough(s, r, error);
    }
    return SAR_OK;
}

static sar_status differences(sar_sensitivity* s, int k, double* work, double* column,
                              double* error_of, sar_error* error)
{
    static const int step[4] = {1, -1, 2, -2};
    const int one_side = s->parameter[k].side != 0, runs = one_side ? 5 : s->def.points;
    double effect;
    for (int i = 0; i < runs; i++)
        SARI_TRY(values_with(s, k, (one_side ? i : step[i]) * s->parameter[k].change,
                             work + (size_t)i * (size_t)s->rows, &effect, error));
    return one_side ? combine_on_one_side(s, k, work, column, error_of, error)
                    : combine(s, k, work, column, error_of, error);
}

static sar_status direct(sar_sensitivity* s, int k, double* column, double* error_of,
                         sar_error* error)
{
    sari_free_number* p = &s->parameter[k];
    double* work = SARI_NEW_ARRAY(double, 5 * (size_t)s->rows + 1);
    if (!work) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sar_status st = find_change(s, k, work, error);
    for (int round = 0; st == SAR_OK && round < SMALLER; round++) {
        st = differences(s, k, work, column, error_of, error);
        const int rough = st == SAR_R_NO_CONV || st == SAR_E_MODEL,
                  curved = st == SAR_OK && p->curved > CURVED;
        if (!(rough || curved) || round + 1 == SMALLER) break;
        const double part = rough ? 0.1 : fmax(0.03, sqrt(0.3 * CURVED / p->curved));
        p->change *= part, p->moved *= part; // perhaps the same happens with a smaller change
        st = SAR_OK;
    }
    if (st > 0) st = SAR_E_MODEL;
    sari_release(work);
    return st;
}

/* Changes of all numbers together of which each does as much to the sum as the others, as far as it may be changed at all.
 * Returns what they do by the gradient. */
static double share(sar_sensitivity* s, const double* gradient, double effect)
{
    int count = 0;
    double sum = 0.0;
    for (int k = 0; k < s->parameters; k++) count += !isnan(gradient[k]) && gradient[k] != 0.0;
    for (int k = 0; k < s->parameters; k++) {
        const double g = gradient[k], most = SHARED * s->parameter[k].size;
        s->along[k] =
            isnan(g) || g == 0.0 ? 0.0 : copysign(fmin(effect / (count * fabs(g)), most), g);
        sum += s->along[k] != 0.0 ? s->along[k] * g : 0.0;
    }
    return sum;
}

/* What two runs with them say, 2 `change` apart. `work`: rows. */
static sar_status slope_along(sar_sensitivity* s, const double* weight, double change, double* work,
                              double* effect, double* slope)
{
    *slope = 0.0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        SARI_TRY(values_with(s, s->parameters, sign * change, work, effect, NULL));
        for (int r = 0; r < s->rows; r++) *slope += sign * weight[r] * work[r] / (2.0 * change);
    }
    return SAR_OK;
}

/* Do runs with all numbers changed say the same as the gradient? Nothing else would tell if ranks or revolutions were
 * counted otherwise somewhere. */
static int agrees(sar_sensitivity* s, const double* weight, const double* gradient)
{
    double size = 0.0, noise = 0.0, effect = 0.0, near, far;
    for (int r = 0; r < s->rows; r++) {
        size += fabs(weight[r]) * s->largest[s->row[r].objective];
        noise += fabs(weight[r]) * noise_of(s, r, 1.0);
    }
    const double sum = share(s, gradient, TOGETHER * size);
    double* work = SARI_NEW_ARRAY(double, (size_t)s->rows + 1);
    int same = work && !(sum > 0.0);
    for (double change = 1.0; work && !same; change *= 3e-2 * MOVED / effect) {
        if (slope_along(s, weight, change, work, &effect, &near) != SAR_OK) break;
        const double enough = AGREE * sum + 10.0 * noise / change;
        same = fabs(near - sum) <= enough;
        if (same || effect > 0.1 * MOVED) continue; // with less
        if (slope_along(s, weight, 2.0 * change, work, &effect, &far) != SAR_OK) break;
        same = fabs((4.0 * near - far) / 3.0 - sum) <= enough;
        break;
    }
    sari_release(work);
    return same;
}

static sar_status backward(sar_sensitivity* s, const double* weight, double* gradient,
                           sar_error* error)
{
    if (!sari_adjoint_serves(s)) return SAR_E_INCOMPAT;
    SARI_TRY(sari_adjoint_gradient(s, weight, gradient, error));
    return agrees(s, weight, gradient) ? SAR_OK : SAR_R_NO_CONV;
}

static const char* refuses(const sar_simulation* x)
{
    return x->integrator->obey ? NULL
                               : "steps of this integrator cannot be repeated by another run";
}

const sari_sensitivity_method sari_sensitivity_replay = {.name = "replay",
                                                         .refuses = refuses,
                                                         .forward = forward,
                                                         .direct = direct,
                                                         .twins_run = 1,
                                                         .backward = backward,
                                                         .clear = clear};

const sari_sensitivity_method* const sari_sensitivity_methods[] = {&sari_sensitivity_replay,
                                                                   &sari_sensitivity_al3, NULL};
