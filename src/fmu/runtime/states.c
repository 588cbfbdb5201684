/* States of an instance as blocks of bytes (base/archive.h): what the host has set, where the instance is in the
 * order of calls, and the state of its simulation. A block is read by any instance of the same FMU, in this
 * process or another.
 *
 *     0    8   "SARFMU 1"
 *     8    8   digest of all that follows
 *     16   8   digest of the token
 *     24       the walk below, then the block of sar_simulation_save
 */
#include "base/archive.h"
#include "base/memory.h"
#include "base/status.h"
#include "fmu/runtime/instance.h"

#include <math.h>
#include <string.h>

enum { DIGESTED = 16, HEAD = 24 };
static const char MAGIC[8] = {'S', 'A', 'R', 'F', 'M', 'U', ' ', '1'};

struct sari_fmu_state {
    size_t length;
    unsigned char bytes[];
};

/// What is set or known beside the simulation. `runs`: there is one.
static int archive(sari_fmu* f, sari_archive* a, int runs)
{
    const sari_fmu_layout* l = &f->layout;
    f->mode = (sari_fmu_mode)sari_archive_range(a, (int)f->mode, 0, 255);
    f->exchange = sari_archive_flag(a, f->exchange);
    f->changed = sari_archive_flag(a, f->changed);
    runs = sari_archive_flag(a, runs);
    SARI_ARCHIVE_NUMBERS(a, &f->start, &f->stop, &f->tolerance, &f->t);
    sari_archive_numbers(a, f->parameter, (size_t)l->parameters);
    sari_archive_bytes(a, f->parameter_set, (size_t)l->parameters);
    sari_archive_numbers(a, f->input, (size_t)l->inputs);
    sari_archive_numbers(a, f->rate, (size_t)l->inputs);
    sari_archive_bytes(a, f->input_set, (size_t)l->inputs);
    return runs;
}

/// States of Model Exchange: those of the host, which the simulation need not be at.
static void archive_exchange(sari_fmu* f, sari_archive* a)
{
    if (!f->exchange || !f->simulation) return;
    sari_archive_numbers(a, f->q, (size_t)f->layout.states);
    const int count = sari_archive_range(a, f->multipliers, 0, 1 << 24);
    if (a->failed || sari_fmu_hold_multipliers(f, count) != SAR_OK) return;
    sari_archive_numbers(a, f->lambda, (size_t)count);
}

static uint64_t digest_of_token(const sari_fmu* f)
{
    return sari_archive_digest(0, f->settings.token, strlen(f->settings.token));
}

static void write_word(unsigned char* at, uint64_t word)
{
    for (int k = 0; k < 8; k++) at[k] = (unsigned char)(word >> (8 * k));
}

static uint64_t read_word(const unsigned char* at)
{
    uint64_t word = 0;
    for (int k = 7; k >= 0; k--) word = word << 8 | at[k];
    return word;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/// To count, or to write to `bytes`.
static sar_status write_block(sari_fmu* f, unsigned char* bytes, size_t* length, sar_error* error)
{
    size_t of_motion = 0;
    sari_archive a = {.use = bytes ? SARI_ARCHIVE_WRITE : SARI_ARCHIVE_COUNT,
                      .at = bytes,
                      .room = bytes ? *length : 0,
                      .used = HEAD};
    (void)archive(f, &a, f->simulation != NULL);
    archive_exchange(f, &a);
    if (f->simulation) {
        const int before = f->simulation->at_breakpoint; // nobody else goes on from here yet
        SARI_TRY(sar_simulation_save(f->simulation, bytes ? bytes + a.used : NULL,
                                     bytes ? *length - a.used : 0, &of_motion, error));
        if (!bytes && !f->simulation->integrator->elsewhere) f->simulation->at_breakpoint = before;
    }
    *length = a.used + of_motion;
    if (!bytes) return SAR_OK;
    memcpy(bytes, MAGIC, sizeof MAGIC);
    write_word(bytes + 16, digest_of_token(f));
    write_word(bytes + 8, sari_archive_digest(0, bytes + DIGESTED, *length - DIGESTED));
    return SAR_OK;
}

sari_fmu_status sari_fmu_save(sari_fmu* f, sari_fmu_state** state)
{
    sar_error error = {0};
    size_t length = 0;
    sari_fmu_state* s = *state;
    sar_status st = write_block(f, NULL, &length, &error);
    if (st == SAR_OK && (!s || s->length != length)) {
        sari_release(s);
        *state = s = sari_allocate(sizeof *s + length, 1);
        if (s) s->length = length;
    }
    if (st == SAR_OK && s) st = write_block(f, s->bytes, &length, &error);
    if (st == SAR_OK && s) return SARI_FMU_OK;
    return sari_fmu_refuse(f, SARI_FMU_ERROR, "the state cannot be saved: %s",
                           s ? error.message : "out of memory");
}

/// Is it a block of this FMU, and whole?
static int is_ours(const sari_fmu* f, const unsigned char* bytes, size_t length)
{
    return length > HEAD && memcmp(bytes, MAGIC, sizeof MAGIC) == 0 &&
           read_word(bytes + 16) == digest_of_token(f) &&
           read_word(bytes + 8) == sari_archive_digest(0, bytes + DIGESTED, length - DIGESTED);
}

/// The simulation that the block is of: of its parameters, times and inputs.
static sari_fmu_status prepare(sari_fmu* f, const double* parameter, double start, double stop,
                               double tolerance)
{
    int same = f->simulation && f->start == start;
    same &= f->stop == stop || (isnan(f->stop) && isnan(stop));
    same &= f->tolerance == tolerance || (isnan(f->tolerance) && isnan(tolerance));
    for (int k = 0; k < f->layout.parameters; k++) same &= f->parameter[k] == parameter[k];
    return same ? SARI_FMU_OK : SARI_FMU_WARNING;
}

sari_fmu_status sari_fmu_restore(sari_fmu* f, const sari_fmu_state* s)
{
    sar_error error = {0};
    if (!s || !is_ours(f, s->bytes, s->length))
        return sari_fmu_refuse(f, SARI_FMU_ERROR,
                               "this is not a state of this FMU, or it is damaged");
    double* before = sari_copy(f->parameter, (size_t)f->layout.parameters + 1, sizeof(double));
    const double start = f->start, stop = f->stop, tolerance = f->tolerance;
    const int exchange = f->exchange;
    sari_archive a = {
        .use = SARI_ARCHIVE_READ, .at = (unsigned char*)s->bytes, .room = s->length, .used = HEAD};
    const int runs = archive(f, &a, 0);
    const int other = !before || prepare(f, before, start, stop, tolerance) != SARI_FMU_OK;
    sari_release(before);
    if (a.failed || f->exchange != exchange) {
        f->exchange = exchange;
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "this is a state of another kind of instance");
    }
    f->known = f->evaluated = 0;
    if (other || !runs) {
        f->stale = 1;
        if (sari_fmu_read_model(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    }
    if (!runs) return SARI_FMU_OK;
    if (sari_fmu_begin(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    a.used = HEAD; // the time, and inputs that no step has seen
    (void)archive(f, &a, 0);
    archive_exchange(f, &a);
    if (a.failed || sar_simulation_restore(f->simulation, s->bytes + a.used, s->length - a.used,
                                           &error) != SAR_OK)
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "the state cannot be restored: %s",
                               error.message);
    sari_fmu_note_told(f);
    return SARI_FMU_OK;
}

void sari_fmu_state_release(sari_fmu_state* state)
{
    sari_release(state);
}

size_t sari_fmu_state_size(const sari_fmu_state* state)
{
    return state ? state->length : 0;
}

sari_fmu_status sari_fmu_state_write(sari_fmu* f, const sari_fmu_state* state, void* bytes,
                                     size_t room)
{
    if (!state || room < state->length)
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "the state has %zu bytes, there is room for %zu",
                               sari_fmu_state_size(state), room);
    memcpy(bytes, state->bytes, state->length);
    return SARI_FMU_OK;
}

sari_fmu_status sari_fmu_state_read(sari_fmu* f, const void* bytes, size_t count,
                                    sari_fmu_state** state)
{
    *state = NULL;
    if (!is_ours(f, bytes, count))
        return sari_fmu_refuse(f, SARI_FMU_ERROR,
                               "these bytes are not a state of this FMU, or they are damaged");
    sari_fmu_state* s = sari_allocate(sizeof *s + count, 1);
    if (!s) return sari_fmu_refuse(f, SARI_FMU_ERROR, "out of memory");
    s->length = count;
    memcpy(s->bytes, bytes, count);
    *state = s;
    return SARI_FMU_OK;
}
