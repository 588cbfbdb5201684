#include "sensitivity/al3_tape.h"

#include "base/memory.h"
#include "base/status.h"

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

static sar_status make_room(sari_al3_tape* tape)
{
    if (tape->count < tape->capacity) return SAR_OK;
    const size_t more = 2 * (size_t)tape->capacity + 64, numbers = more * tape->stride;
    double *t = SARI_NEW_ARRAY(double, more), *h = SARI_NEW_ARRAY(double, more);
    double* all = SARI_NEW_ARRAY(double, numbers);
    char* kind = SARI_NEW_ARRAY(char, more);
    const int failed = !t || !h || !all || !kind;
    if (!failed && tape->count) {
        const size_t count = (size_t)tape->count;
        memcpy(t, tape->t, count * sizeof *t);
        memcpy(h, tape->h, count * sizeof *h);
        memcpy(all, tape->numbers, count * tape->stride * sizeof *all);
        memcpy(kind, tape->kind, count);
    }
    double* const old[] = {failed ? t : tape->t, failed ? h : tape->h,
                           failed ? all : tape->numbers};
    for (int k = 0; k < 3; k++) sari_release(old[k]);
    sari_release(failed ? kind : tape->kind);
    if (failed) return SAR_E_NOMEM;
    tape->t = t, tape->h = h, tape->numbers = all, tape->kind = kind;
    tape->capacity = (int)more;
    return SAR_OK;
}

static sar_status add(sari_al3_tape* tape, sari_entry_kind kind, double h, const sari_state* x,
                      const sari_state* star)
{
    SARI_TRY(make_room(tape));
    const size_t np = (size_t)tape->np, n = (size_t)tape->nq, bytes = n * sizeof(double);
    double* to = tape->numbers + tape->stride * (size_t)tape->count;
    memcpy(to, x->q, np * sizeof(double));
    memcpy(to += np, x->v, bytes);
    memcpy(to += n, x->a, bytes);
    memcpy(to += n, star->v, bytes);
    memcpy(to += n, star->a, bytes);
    memcpy(to + n, star->lambda, (size_t)tape->nc * sizeof(double));
    tape->t[tape->count] = x->t;
    tape->h[tape->count] = h;
    tape->kind[tape->count++] = (char)kind;
    return SAR_OK;
}

sar_status sari_al3_tape_begin(sari_al3_tape* tape, sar_simulation* x, sari_arena* memory)
{
    sari_system* sys = x->system;
    *tape = (sari_al3_tape){.np = sys->np, .nq = sys->nq, .nc = sys->nc};
    tape->stride = (size_t)sys->np + 4 * (size_t)sys->nq + (size_t)sys->nc;
    sari_state_take(&tape->star, memory, &sys->equations, 0);
    if (memory->failed) return SAR_E_NOMEM;
    tape->watch = (sari_projection_watch){see, add_nothing, tape, 0, 0.0};
    sys->watch = &tape->watch;
    return add(tape, SARI_ENTRY_START, 0.0, &x->state, &x->state);
}

/* Did the step begin where the last one ended? */
static int goes_on(const sari_al3_tape* tape, const sari_state* x)
{
    const sari_state last = sari_al3_tape_state(tape, tape->count - 1);
    const size_t bytes = (size_t)tape->nq * sizeof(double);
    return memcmp(last.q, x->q, (size_t)tape->np * sizeof(double)) == 0 &&
           memcmp(last.v, x->v, bytes) == 0 && memcmp(last.a, x->a, bytes) == 0;
}

sar_status sari_al3_tape_add(sari_al3_tape* tape, sar_simulation* x)
{
    if (!goes_on(tape, &x->previous))
        SARI_TRY(add(tape, SARI_ENTRY_START, 0.0, &x->previous, &x->previous));
    return add(tape, SARI_ENTRY_STEP, x->state.t - x->previous.t, &x->state, &tape->star);
}

void sari_al3_tape_clear(sari_al3_tape* tape)
{
    sari_release(tape->t);
    sari_release(tape->h);
    sari_release(tape->numbers);
    sari_release(tape->kind);
    *tape = (sari_al3_tape){0};
}

sari_state sari_al3_tape_state(const sari_al3_tape* tape, int k)
{
    double* q = tape->numbers + tape->stride * (size_t)k;
    sari_state x = {.np = tape->np, .n = tape->nq, .m = tape->nc, .t = tape->t[k], .q = q};
    x.v = x.p = q + tape->np;
    x.a = x.pdot = x.v + tape->nq;
    x.lambda = x.a + 3 * (size_t)tape->nq;
    return x;
}

sari_step_record sari_al3_tape_record(const sari_al3_tape* tape, int k)
{
    const sari_state now = sari_al3_tape_state(tape, k);
    const sari_state before = sari_al3_tape_state(tape, k > 0 ? k - 1 : 0);
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
                              .lambda = now.lambda};
}
