/* The state of a simulation as a block of bytes, field by field (base/archive.h).
 *
 * Stored is what a run knows from step to step: time, positions, velocities, accelerations and multipliers; what
 * formulation and integrator remember (histories, tangents and factors that serve later steps, charts); angles
 * that count revolutions; phases, guards, contacts and impacts; what watches singular configurations; integrals,
 * energies and statistics; inputs as they were set. Of the last step what it takes to look into it is there too.
 * All that follows from the model and the options is not: a block is read into a simulation of the same two, of
 * any build on any machine. Histories of SUNDIALS are not stored either: dopri5, bdf, ida and dop853-ida start
 * afresh, as at a breakpoint, where a state was saved, in the simulation that goes on and in those that are
 * restored.
 *
 *     offset  bytes
 *     0       8      "SARSTATE"
 *     8       8      version of the format
 *     16      8      length of the block
 *     24      8      digest of all that follows
 *     32      8      fingerprint of the model (model/fingerprint.h)
 *     40      8      fingerprint of the options
 *     48             the walk below
 *
 * A change of what some walk names, or of its order, is a new VERSION. */
#include "base/archive.h"
#include "base/memory.h"
#include "base/status.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { VERSION = 6, DIGESTED = 32 };
static const char MAGIC[8] = "SARSTATE";

/* ---- parts ---------------------------------------------------------------------------------- */

static void archive_energies(sari_archive* a, sar_energy* e, sar_violation* v)
{
    SARI_ARCHIVE_NUMBERS(a, &e->kinetic, &e->potential, &e->work, &v->position, &v->velocity,
                         &v->acceleration);
}

static void archive_statistics(sari_archive* a, sar_statistics* z)
{
    SARI_ARCHIVE_LONGS(a, &z->steps, &z->rejected, &z->iterations, &z->not_converged, &z->violated,
                       &z->crossings, &z->singular_passes, &z->branch_changes, &z->implicit_steps,
                       &z->implicit_spans);
    SARI_ARCHIVE_NUMBERS(a, &z->energy_initial, &z->energy_max_drift, &z->energy_final_drift,
                         &z->energy_worst_drift, &z->kinetic_max, &z->energy_scale, &z->kept_change,
                         &z->violation.position, &z->violation.velocity, &z->violation.acceleration,
                         &z->correction, &z->turn, &z->correction_time, &z->projection_time,
                         &z->step, &z->step_shortest, &z->alpha, &z->filter, &z->gap,
                         &z->crossing_gap, &z->crossing_error, &z->crossing_missed,
                         &z->implicit_from, &z->implicit_until);
    SARI_ARCHIVE_INTS(a, &z->threads);
    sari_archive_text(a, z->crossing_joints, sizeof z->crossing_joints);
    sari_archive_text(a, z->solver, sizeof z->solver);
}

static void archive_equilibrium(sari_archive* a, sar_equilibrium* e)
{
    e->verdict = (sar_equilibrium_verdict)sari_archive_range(a, (int)e->verdict, 0, 255);
    SARI_ARCHIVE_INTS(a, &e->iterations, &e->coordinates, &e->freedoms, &e->unstable,
                      &e->undetermined, &e->marginal, &e->growing_body, &e->moved_body);
    SARI_ARCHIVE_NUMBERS(a, &e->growth, &e->growth_frequency, &e->residual, &e->moved,
                         &e->frequency);
    sari_archive_text(a, e->unstable_bodies, sizeof e->unstable_bodies);
    sari_archive_text(a, e->undetermined_bodies, sizeof e->undetermined_bodies);
    sari_archive_text(a, e->unbalanced_bodies, sizeof e->unbalanced_bodies);
}

/* Where the run is, and what was measured on the way. */
static void archive_course(sar_simulation* s, sari_archive* a)
{
    sari_growth* g = &s->growth;
    SARI_ARCHIVE_LONGS(a, &s->step, &s->mark.steps, &s->mark.rejected, &s->mark.jumps,
                       &s->drive_jump.count);
    SARI_ARCHIVE_INTS(a, &s->generic_rank, &s->by_series, &s->on_grid, &s->at_breakpoint,
                      &s->looks_back, &s->mark.slow, &g->doublings);
    SARI_ARCHIVE_NUMBERS(a, &s->landed, &s->power, &s->balance_before, &s->work_before,
                         &s->violation_at_start, &s->lowest, &s->highest, &s->mark.t, &s->mark.pace,
                         &s->mark.since, &s->drive_jump.t, &s->drive_jump.before,
                         &s->drive_jump.after, &g->t, &g->path, &g->pace);
    sari_archive_numbers(a, g->at, sizeof g->at / sizeof *g->at);
    sari_archive_text(a, s->drive_jump.drive, sizeof s->drive_jump.drive);
    sari_archive_text(a, s->failure, sizeof s->failure);
    archive_energies(a, &s->energy, &s->violation);
    archive_energies(a, &s->end_energy, &s->end_violation);
    archive_statistics(a, &s->statistics);
    archive_equilibrium(a, &s->equilibrium);
}

/* A walk; the system is left evaluated where it was. */
static void archive(sar_simulation* s, sari_archive* a)
{
    s->assembled = sari_archive_flag(a, s->assembled);
    sari_inputs_archive(s, a);
    if (!s->assembled) return;
    sari_configurations_archive(s, a);
    archive_course(s, a);
    sari_phases_archive(s, a);
    sari_switches_archive(s, a);
    sari_bounds_archive(s, a);
    sari_held_archive(s, a);
    sari_integrals_archive(s, a);
    sari_ledger_archive(s, a);
    sari_jumps_archive(s, a);
    sari_kinks_archive(s, a);
    sari_time_functions_archive(s, a);
    sari_resolution_archive(s, a);
    sari_validity_archive(s, a);
}

/* ---- blocks --------------------------------------------------------------------------------- */

typedef struct header {
    char magic[sizeof MAGIC];
    long version, length;
    uint64_t digest, model, options;
} header;

static void archive_word(sari_archive* a, uint64_t* word)
{
    double bits;
    memcpy(&bits, word, sizeof bits);
    sari_archive_numbers(a, &bits, 1);
    memcpy(word, &bits, sizeof bits);
}

static void archive_header(sari_archive* a, header* h)
{
    sari_archive_bytes(a, h->magic, sizeof h->magic);
    SARI_ARCHIVE_LONGS(a, &h->version, &h->length);
    archive_word(a, &h->digest);
    archive_word(a, &h->model);
    archive_word(a, &h->options);
}

sar_status sar_simulation_save(sar_simulation* s, void* block, size_t room, size_t* length,
                               sar_error* error)
{
    header h = {.version = VERSION, .model = s->model_print, .options = s->options_print};
    sari_archive a = {.use = SARI_ARCHIVE_COUNT};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    if (s->assembled && s->integrator->elsewhere) s->at_breakpoint = 1;
    archive_header(&a, &h);
    archive(s, &a);
    *length = a.used;
    if (!block) return SAR_OK;
    if (room < a.used)
        return sari_fail(error, SAR_E_ARG, "room", "the state has %zu bytes, there is room for %zu",
                         a.used, room);
    h.length = (long)a.used;
    a = (sari_archive){.use = SARI_ARCHIVE_WRITE, .at = block, .room = a.used};
    archive_header(&a, &h);
    archive(s, &a);
    h.digest = sari_archive_digest(0, a.at + DIGESTED, a.used - DIGESTED);
    a.used = 0;
    archive_header(&a, &h);
    return SAR_OK;
}

static sar_status check(const sar_simulation* s, const sari_archive* a, const header* h,
                        sar_error* error)
{
    if (a->failed || memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        return sari_fail(error, SAR_E_ARG, "block", "this is not the state of a simulation");
    if (h->version != VERSION)
        return sari_fail(error, SAR_E_ARG, "block",
                         "this state has version %ld, this program reads version %d: go on with "
                         "the version of Sarrus that saved it, or start anew",
                         h->version, VERSION);
    if (h->length < 0 || (size_t)h->length != a->room ||
        h->digest != sari_archive_digest(0, a->at + DIGESTED, a->room - DIGESTED))
        return sari_fail(error, SAR_E_ARG, "block",
                         "this state is damaged or incomplete: take an older one, or start anew");
    if (h->model != s->model_print)
        return sari_fail(error, SAR_E_ARG, "block",
                         "this state was saved with another model, or with other parameters: go on "
                         "with those, or start anew");
    if (h->options != s->options_print)
        return sari_fail(error, SAR_E_ARG, "block",
                         "this state was saved with other options (%s, %s and %s now): go on with "
                         "those, or start anew",
                         s->options.coordinates, s->options.formulation, s->options.integrator);
    return SAR_OK;
}

/* Caches are those of the state; and of this machine is how threads share its steps. */
static void complete(sar_simulation* s)
{
    const sari_state* x = &s->state;
    s->reactions_time = NAN;
    if (!s->assembled) return;
    sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
    sari_sharing_start(s);
}

sar_status sar_simulation_restore(sar_simulation* s, const void* block, size_t length,
                                  sar_error* error)
{
    header h = {0};
    sari_archive a = {.use = SARI_ARCHIVE_READ, .at = (unsigned char*)block, .room = length};
    archive_header(&a, &h);
    SARI_TRY(check(s, &a, &h, error));
    archive(s, &a);
    if (a.failed || a.used != length) {
        s->assembled = 0;
        return sari_fail(error, SAR_E_ARG, "block",
                         "this state does not fit the model: it was not saved by this version of "
                         "Sarrus. Start anew");
    }
    complete(s);
    return SAR_OK;
}

sar_status sar_simulation_load(const sar_model* model, const sar_options* options,
                               const void* block, size_t length, sar_simulation** out,
                               sar_error* error)
{
    SARI_TRY(sar_simulation_create(model, options, out, error));
    const sar_status st = sar_simulation_restore(*out, block, length, error);
    if (st == SAR_OK) return st;
    sar_simulation_destroy(*out);
    *out = NULL;
    return st;
}
