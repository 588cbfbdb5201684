#include "sensitivity/al3/al3_tape.h"

#include "base/memory.h"
#include "base/status.h"
#include "formulations/al3/al3.h"

#include <math.h>
#include <string.h>

static void see(void* self, const sari_state* s)
{
    sari_state_copy(&((sari_al3_tape*)self)->star, s);
}

static double add_nothing(void* self, const sari_state* s)
{
    (void)self, (void)s;
    return 0.0;
}

static int grow(void** array, size_t count, size_t more, size_t size)
{
    void* larger = sari_allocate(more, size);
    if (!larger) return 0;
    if (count) memcpy(larger, *array, count * size);
    sari_release(*array);
    *array = larger;
    return 1;
}

/* For one more entry, and its numbers. */
static sar_status make_room(sari_al3_tape* tape)
{
    const size_t there = (size_t)(tape->count - tape->first);
    if (tape->count == tape->capacity) {
        const size_t more = 2 * (size_t)tape->capacity + 64, count = (size_t)tape->count;
        void *t = tape->t, *h = tape->h, *kind = tape->kind, *bound = tape->bound;
        const int grown = grow(&t, count, more, sizeof(double)) &&
                          grow(&h, count, more, sizeof(double)) && grow(&kind, count, more, 1) &&
                          grow(&bound, count, more, sizeof(short));
        tape->t = t, tape->h = h, tape->kind = kind, tape->bound = bound;
        if (!grown) return SAR_E_NOMEM;
        tape->capacity = (int)more;
    }
    if ((int)there < tape->room) return SAR_OK;
    const size_t more = 2 * (size_t)tape->room + 64;
    void* numbers = tape->numbers;
    const int grown = grow(&numbers, there * tape->stride, more * tape->stride, sizeof(double));
    tape->numbers = numbers;
    if (grown) tape->room = (int)more;
    return grown ? SAR_OK : SAR_E_NOMEM;
}

static double* numbers_of(const sari_al3_tape* tape, int k)
{
    return tape->numbers + tape->stride * (size_t)(k - tape->first);
}

/* `self`: the formulation, whose last step it is; NULL: there was none, and no projections. */
static sar_status add(sari_al3_tape* tape, sari_entry_kind kind, int bound, double h,
                      const sari_state* x, const sari_state* star, const void* self)
{
    SARI_TRY(make_room(tape));
    const size_t np = (size_t)tape->np, n = (size_t)tape->nq, bytes = n * sizeof(double),
                 rows = (size_t)tape->nc * sizeof(double);
    double* to = numbers_of(tape, tape->count);
    memcpy(to, x->q, np * sizeof(double));
    memcpy(to += np, x->v, bytes);
    memcpy(to += n, x->a, bytes);
    memcpy(to += n, star->v, bytes);
    memcpy(to += n, star->a, bytes);
    memcpy(to += n, star->lambda, rows);
    memset(to += tape->nc, 0, 2 * rows);
    if (self) {
        const double *nu, *kappa;
        sari_al3_impulses(self, &nu, &kappa);
        memcpy(to, nu, rows);
        memcpy(to + tape->nc, kappa, rows);
    }
    tape->t[tape->count] = x->t;
    tape->h[tape->count] = h;
    tape->bound[tape->count] = (short)bound;
    tape->kind[tape->count++] = (char)kind;
    return SAR_OK;
}

/* ---- segments ------------------------------------------------------------------------------- */

/* The simulation as it is, for the segment that begins with the next entry. */
static sar_status keep(sari_al3_tape* tape, sar_simulation* x)
{
    if (tape->segments == tape->most) {
        const size_t more = 2 * (size_t)tape->most + 16;
        void* all = tape->checkpoint;
        if (!grow(&all, (size_t)tape->most, more, sizeof *tape->checkpoint)) return SAR_E_NOMEM;
        tape->checkpoint = all;
        tape->most = (int)more;
    }
    struct sari_checkpoint* c = &tape->checkpoint[tape->segments];
    *c = (struct sari_checkpoint){.entry = tape->count};
    SARI_TRY(sar_simulation_save(x, NULL, 0, &c->length, NULL));
    c->block = sari_allocate(c->length, 1);
    if (!c->block) return SAR_E_NOMEM;
    tape->segments++;
    return sar_simulation_save(x, c->block, c->length, &c->length, NULL);
}

/* The numbers of the next entry are the first, but for those of the one before it. */
static void begin_segment(sari_al3_tape* tape)
{
    if (tape->count > 0) {
        memmove(tape->numbers, numbers_of(tape, tape->count - 1), tape->stride * sizeof(double));
        tape->first = tape->count - 1;
    }
}

/* Segments of s of the N steps with blocks of B bytes, entries of E: s E + N B/s is least for s = sqrt(N B/E). */
static void choose_length(sari_al3_tape* tape, const sar_simulation* x, double limit)
{
    const double entry = (double)(tape->stride * sizeof(double)), steps = (double)x->steps + 1.0;
    const double block = (double)tape->checkpoint[0].length;
    tape->whole = 2.0 * steps * entry <= limit;
    tape->length = (int)fmax(16.0, fmin(1e8, ceil(sqrt(steps * block / entry))));
}

sar_status sari_al3_tape_begin(sari_al3_tape* tape, sar_simulation* x, double limit,
                               sari_arena* memory)
{
    sari_system* sys = x->system;
    *tape = (sari_al3_tape){.np = sys->np, .nq = sys->nq, .nc = sys->nc};
    tape->stride = (size_t)sys->np + 4 * (size_t)sys->nq + 3 * (size_t)sys->nc;
    sari_state_take(&tape->star, memory, &sys->equations, 0);
    if (memory->failed) return SAR_E_NOMEM;
    tape->watch = (sari_projection_watch){see, add_nothing, tape, 0, 0.0};
    sys->watch = &tape->watch;
    SARI_TRY(keep(tape, x));
    choose_length(tape, x, limit);
    return add(tape, SARI_ENTRY_START, 0, 0.0, &x->state, &x->state, NULL);
}

/* What the motion that the step began with is to the end of the last one. */
typedef enum beginning { GOES_ON, ANEW, STRUCK, ELSEWHERE } beginning;
static beginning beginning_of(const sari_al3_tape* tape, const sari_state* x)
{
    const sari_state last = sari_al3_tape_state(tape, tape->count - 1);
    const size_t bytes = (size_t)tape->nq * sizeof(double);
    if (memcmp(last.q, x->q, (size_t)tape->np * sizeof(double)) != 0) return ELSEWHERE;
    if (memcmp(last.v, x->v, bytes) != 0) return STRUCK;
    return memcmp(last.a, x->a, bytes) == 0 ? GOES_ON : ANEW;
}

/* The only bound that was struck, + 1; 0: none was, or several. */
static int struck(const sar_simulation* x)
{
    int found = 0;
    for (int k = 0; k < x->bounds.count; k++) {
        if (!x->bounds.at[k].struck) continue;
        if (found) return 0;
        found = k + 1;
    }
    return found;
}

/* The bound at which the last step ended, + 1; 0: at none; -1: something else happened there, or more. */
static int ends_at(const sar_simulation* x)
{
    const sari_phases* p = &x->phases;
    int found = 0;
    if (!(p->stop <= x->state.t)) return 0;
    for (int k = 0; k < p->guards; k++) {
        if (!p->guard[k].due) continue;
        if (found || p->guard[k].kind != SARI_GUARD_BOUND) return -1;
        found = p->guard[k].index + 1;
    }
    return found;
}

/* Entries of the step that was just taken. */
static sar_status add_step(sari_al3_tape* tape, sar_simulation* x)
{
    const beginning how = beginning_of(tape, &x->previous);
    const int bound = how == STRUCK ? struck(x) : 0, at = ends_at(x);
    if (how == ELSEWHERE || (how == STRUCK && !bound) || at < 0 || x->by_series)
        return SAR_E_INCOMPAT;
    tape->breaks += how == ANEW && tape->count > 1;
    if (how != GOES_ON)
        SARI_TRY(add(tape, how == STRUCK ? SARI_ENTRY_IMPACT : SARI_ENTRY_START, bound, 0.0,
                     &x->previous, &x->previous, NULL));
    return add(tape, SARI_ENTRY_STEP, at, x->state.t - x->previous.t, &x->state, &tape->star,
               x->form.self);
}

sar_status sari_al3_tape_add(sari_al3_tape* tape, sar_simulation* x, sar_error* error)
{
    sar_status st =
        x->system->nq == tape->nq && x->present == x->first ? add_step(tape, x) : SAR_E_INCOMPAT;
    if (st == SAR_E_INCOMPAT)
        return sari_fail(error, st, NULL,
                         "at t = %.6g something happens that steps of fixed length are not "
                         "differentiated through (they are through single impacts); the automatic "
                         "method is",
                         x->previous.t);
    if (st == SAR_OK && !tape->whole && tape->count - tape->first > tape->length) {
        st = keep(tape, x);
        begin_segment(tape);
        tape->segment = tape->segments - 1;
    }
    return st == SAR_OK ? st : sari_fail(error, st, NULL, "%s", sar_status_text(st));
}

sar_status sari_al3_tape_end(sari_al3_tape* tape, sar_simulation* x)
{
    SARI_TRY(keep(tape, x));
    tape->segments--; // it is not the begin of one
    return SAR_OK;
}

void sari_al3_tape_clear(sari_al3_tape* tape)
{
    for (int k = 0; tape->checkpoint && k < tape->most; k++)
        sari_release(tape->checkpoint[k].block);
    sari_release(tape->checkpoint);
    sari_release(tape->t);
    sari_release(tape->h);
    sari_release(tape->numbers);
    sari_release(tape->kind);
    sari_release(tape->bound);
    *tape = (sari_al3_tape){0};
}

int sari_al3_tape_moves(const sari_al3_tape* tape, int k)
{
    while (k > 0 && tape->kind[k] != SARI_ENTRY_STEP) k--;
    return tape->bound[k] > 0;
}

int sari_al3_tape_breaks(const sari_al3_tape* tape, int k)
{
    return tape->kind[k] == SARI_ENTRY_STEP && tape->bound[k] == 0 && k + 1 < tape->count &&
           tape->kind[k + 1] == SARI_ENTRY_START;
}

int sari_al3_tape_segment(const sari_al3_tape* tape, int entry)
{
    int k = 0;
    while (k + 1 < tape->segments && tape->checkpoint[k + 1].entry <= entry) k++;
    return k;
}

int sari_al3_tape_last(const sari_al3_tape* tape, int segment)
{
    return tape->checkpoint[segment + 1].entry - 1;
}

sar_status sari_al3_tape_go(sari_al3_tape* tape, sar_simulation* x, int segment)
{
    const struct sari_checkpoint* c = &tape->checkpoint[segment];
    return sar_simulation_restore(x, c->block, c->length, NULL);
}

sar_status sari_al3_tape_load(sari_al3_tape* tape, sar_simulation* x, int segment)
{
    const int count = tape->count, last = sari_al3_tape_last(tape, segment);
    if (segment == tape->segment) return SAR_OK;
    SARI_TRY(sari_al3_tape_go(tape, x, segment));
    x->system->watch = &tape->watch;
    const int begin = tape->checkpoint[segment].entry;
    tape->count = tape->first = begin > 0 ? begin - 1 : 0;
    // the entry that it begins from: what it was before projections does not matter
    const int from = tape->count;
    sar_status st = add(tape, (sari_entry_kind)tape->kind[from], tape->bound[from], tape->h[from],
                        &x->state, &x->state, NULL);
    while (st == SAR_OK && tape->count <= last) {
        st = sar_simulation_advance(x);
        if (st == SAR_OK) st = add_step(tape, x);
    }
    x->system->watch = NULL;
    tape->count = count;
    tape->segment = segment;
    return st;
}

sari_state sari_al3_tape_state(const sari_al3_tape* tape, int k)
{
    double* q = numbers_of(tape, k);
    sari_state x = {.np = tape->np, .n = tape->nq, .m = tape->nc, .t = tape->t[k], .q = q};
    x.v = x.p = q + tape->np;
    x.a = x.pdot = x.v + tape->nq;
    x.lambda = x.a + 3 * (size_t)tape->nq;
    return x;
}

sari_step_record sari_al3_tape_record(const sari_al3_tape* tape, int k)
{
    const sari_state now = sari_al3_tape_state(tape, k);
    const sari_state before = sari_al3_tape_state(tape, k > tape->first ? k - 1 : k);
    return (sari_step_record){.t = now.t,
                              .h = tape->h[k],
                              .q0 = before.q,
                              .v0 = before.v,
                              .a0 = before.a,
                              .q = now.q,
                              .v = now.v,
                              .a = now.a,
                              .v_star = now.a + tape->nq,
                              .a_star = now.a + 2 * (size_t)tape->nq,
                              .lambda = now.lambda,
                              .nu = now.lambda + tape->nc,
                              .kappa = now.lambda + 2 * (size_t)tape->nc};
}
