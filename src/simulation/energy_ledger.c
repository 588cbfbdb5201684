/* The energy ledger: where the energy of a run went.
 *
 * With T the kinetic energy, V_k the potentials of weights and forces, P_j the powers of what has no potential
 * (forces and drives), E = T + sum V_k, every step from x_0 to x_1 enters
 *
 *     W_j = integral of P_j over the step, by Lobatto's rule on the integrator's own states within it       (1)
 *     projections:  E(x_1) - E(x_1*), x_1* the state before it was projected onto the constraints           (2)
 *     integrator:   E(x_1) - E(x_0) - sum W_j - (2)                                                         (3)
 *
 * and everything between two steps that changes a state (impacts, phases, jumps, corrections) enters E after it less E
 * before it. E(x_0) in (3) is evaluated where the step begins and not taken from the end of the step before, so that
 *
 *     T - T_0 + sum (V_k - V_k0) = sum of all that was entered                                               (4)
 *
 * holds to rounding only if nothing else changed the state. How small (3) is depends on the step: it is the error of
 * the integrator and of (1), of the order of the smaller one.
 *
 * Where an integrator has no states within a step, its ends are all that (1) has; from order 3 on also the cubic
 * with velocities and accelerations at both ends, and multipliers that are linear in time. */
#include "base/status.h"
#include "sarrus/energy.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

/// Numbers of a ledger, one after the other: works of forces and joints (1), all that forces did with
/// what their potentials gave, and the other kinds.
typedef struct entries {
    double *work, *done, *other; ///< forces + joints, forces, kinds
} entries;

/// The energies of a state.
typedef struct measured {
    double kinetic;
    sari_power_parts of; ///< force and joint are one array
} measured;

struct sari_ledger {
    int forces, joints, size;
    entries begin, end, within; ///< of the last step, and at a time asked for
    const entries* shown;
    measured start, from, to, place, shown_at;
    double E_from; ///< at the begin of the step
    double projected;
    sari_projection_watch watch;
};

static double* all_of(const entries* e)
{
    return e->work;
}

static void take_entries(sari_ledger* l, sari_arena* memory, entries* e)
{
    e->work = SARI_TAKE(memory, double, l->size);
    e->done = e->work + l->forces + l->joints;
    e->other = e->done + l->forces;
}

static void take_measured(sari_ledger* l, sari_arena* memory, measured* m)
{
    double* all = SARI_TAKE(memory, double, 2 * l->forces + l->joints + 1);
    m->of = (sari_power_parts){all, all + l->forces, all + l->forces + l->joints};
}

static int wants_ledger(const sar_simulation* s)
{
    int wanted = s->options.energy_ledger;
    for (int k = 0; k < s->model->signals_count; k++)
        wanted |= sari_signal_is_of_ledger(&s->model->signals[k]);
    return wanted;
}

/* ---- energies of a state -------------------------------------------------------------------- */

static void copy_measured(const sari_ledger* l, measured* to, const measured* from)
{
    to->kinetic = from->kinetic;
    memcpy(to->of.force, from->of.force, (size_t)(2 * l->forces + l->joints + 1) * sizeof(double));
}

/* Leaves the system evaluated there, as far as it needs to be. */
static void measure(sar_simulation* s, const sari_state* x, measured* out)
{
    sari_system* sys = s->system;
    const int open = sari_equations_open(&sys->equations);
    (void)sari_equations_eval(&sys->equations, open ? SARI_EVAL_PHI : SARI_EVAL_MASS, x->t, x->q,
                              x->v);
    out->kinetic = sari_system_kinetic_energy(sys, x->v);
    sari_system_power_parts(sys, x->t, x->q, x->v, x->lambda, &out->of);
}

static double energy_of(const sari_ledger* l, const measured* m)
{
    double sum = m->kinetic;
    for (int k = 0; k <= l->forces; k++) sum += m->of.potential[k];
    return sum;
}

/* As a step leaves it. */
static void return_to(sar_simulation* s, const sari_state* x)
{
    const int open = sari_equations_open(&s->system->equations);
    (void)sari_equations_eval(&s->system->equations, open ? SARI_EVAL_PHI : SARI_EVAL_DYNAMICS,
                              x->t, x->q, x->v);
}

/* ---- projections ---------------------------------------------------------------------------- */

static void projection_begins(void* self, const sari_state* x)
{
    sar_simulation* s = self;
    sari_state_copy(&s->aside, x);
}

static double projection_ended(void* self, const sari_state* x)
{
    sar_simulation* s = self;
    sari_ledger* l = s->ledger;
    measure(s, &s->aside, &l->place);
    const double before = energy_of(l, &l->place);
    measure(s, x, &l->place);
    return_to(s, x);
    return energy_of(l, &l->place) - before;
}

/* ---- a step --------------------------------------------------------------------------------- */

void sari_ledger_step_begins(sar_simulation* s)
{
    sari_ledger* l = s->ledger;
    if (!l) return;
    l->watch.energy = 0.0;
    l->watch.depth = 0;
    s->system->watch = &l->watch;
    measure(s, &s->state, &l->from);
    l->E_from = energy_of(l, &l->from);
    return_to(s, &s->state);
}

static const sari_state* end_of(const sar_simulation* s)
{
    return s->looks_back ? &s->between : &s->state;
}

/* The state at the part x of the last step, from its ends: see above. */
static void interpolate(const sar_simulation* s, double x, sari_state* out)
{
    const sari_state *a = &s->previous, *b = end_of(s);
    const double h = b->t - a->t, y = 1.0 - x;
    double* d = out->a;
    sari_coordinates_difference(&s->system->coordinates, a->q, b->q, d);
    for (int i = 0; i < s->system->nq; i++) {
        const double dv = b->v[i] - a->v[i];
        out->v[i] = a->v[i] + x * dv + x * y * (y * (h * a->a[i] - dv) - x * (h * b->a[i] - dv));
        d[i] = x * d[i] + x * y * (y * (h * a->v[i] - d[i]) - x * (h * b->v[i] - d[i]));
    }
    sari_coordinates_move(&s->system->coordinates, a->q, d, out->q);
    for (int r = 0; r < s->system->nc; r++)
        out->lambda[r] = a->lambda[r] + x * (b->lambda[r] - a->lambda[r]);
}

/* Powers at a time within the last step. */
static void sample_within(sar_simulation* s, double t, measured* out)
{
    const sari_state* end = end_of(s);
    sari_state* at = &s->aside;
    sari_state_copy(at, end);
    at->t = t;
    if (s->integrator->dense)
        s->integrator->dense(s->integrator_self, t, at);
    else
        interpolate(s, (t - s->previous.t) / (end->t - s->previous.t), at);
    sari_system_power_parts(s->system, at->t, at->q, at->v, at->lambda, &out->of);
}

/* (1) up to a state of the last step whose energies are `to`, then (2), of which `part` counts, and (3). */
static void enter_step(sar_simulation* s, const sari_state* x, const measured* to, double part,
                       entries* out)
{
    sari_ledger* l = s->ledger;
    const int order = s->by_series || (!s->integrator->dense && s->integrator->order < 3)
                          ? 0
                          : s->integrator->order;
    const sari_quadrature* rule = sari_quadrature_of(order);
    const double t = s->previous.t, h = x->t - t;
    const int works = l->forces + l->joints, last = rule->count - 1;
    double sum = 0.0;
    memcpy(all_of(out), all_of(&l->begin), (size_t)l->size * sizeof(double));
    for (int k = 0; k <= last && h != 0.0; k++) {
        if (k > 0 && k < last) sample_within(s, t + rule->at[k] * h, &l->place);
        const measured* at = k == 0 ? &l->from : k == last ? to : &l->place;
        for (int j = 0; j < works; j++) {
            const double work = h * rule->weight[k] * at->of.force[j];
            out->work[j] += work;
            if (j < l->forces) out->done[j] += work;
            sum += work;
        }
    }
    for (int j = 0; j < l->forces; j++)
        out->done[j] -= to->of.potential[j] - l->from.of.potential[j];
    out->other[SAR_ACCOUNT_PROJECTIONS] += part * l->projected;
    out->other[SAR_ACCOUNT_INTEGRATOR] += energy_of(l, to) - l->E_from - sum - part * l->projected;
}

void sari_ledger_step_ended(sar_simulation* s)
{
    sari_ledger* l = s->ledger;
    if (!l) return;
    l->projected = s->by_series ? 0.0 : l->watch.energy;
    memcpy(all_of(&l->begin), all_of(&l->end), (size_t)l->size * sizeof(double));
    measure(s, &s->state, &l->to);
    enter_step(s, &s->state, &l->to, 1.0, &l->end);
    copy_measured(l, &l->shown_at, &l->to);
    l->shown = &l->end;
    return_to(s, &s->state);
}

void sari_ledger_move(sar_simulation* s, sar_account_kind from, sar_account_kind to, double energy)
{
    sari_ledger* l = s->ledger;
    if (!l) return;
    l->end.other[from] -= energy;
    l->end.other[to] += energy;
}

void sari_ledger_sample(sar_simulation* s, const sari_state* x)
{
    sari_ledger* l = s->ledger;
    if (!l) return;
    l->shown = x ? &l->within : &l->end;
    if (!x) {
        copy_measured(l, &l->shown_at, &l->to);
        return;
    }
    const double h = end_of(s)->t - s->previous.t;
    measure(s, x, &l->shown_at);
    enter_step(s, x, &l->shown_at, (x->t - s->previous.t) / h, &l->within);
    return_to(s, x);
}

void sari_ledger_enter(sar_simulation* s, sar_account_kind kind, double energy)
{
    sari_ledger* l = s->ledger;
    if (!l) return;
    l->end.other[kind] += energy;
    measure(s, &s->state, &l->to);
    copy_measured(l, &l->shown_at, &l->to);
    return_to(s, &s->state);
}

/* ---- life ----------------------------------------------------------------------------------- */

sar_status sari_ledger_create(sar_simulation* s)
{
    if (!wants_ledger(s)) return SAR_OK;
    sari_ledger* l = SARI_TAKE(&s->memory, sari_ledger, 1);
    if (!l) return SAR_E_NOMEM;
    l->forces = sar_model_forces(s->model);
    l->joints = s->model->joints_count;
    l->size = 2 * l->forces + l->joints + SAR_ACCOUNT_KINDS;
    entries* const each[] = {&l->begin, &l->end, &l->within};
    measured* const at[] = {&l->start, &l->from, &l->to, &l->place, &l->shown_at};
    for (int k = 0; k < 3; k++) take_entries(l, &s->memory, each[k]);
    for (int k = 0; k < 5; k++) take_measured(l, &s->memory, at[k]);
    l->watch =
        (sari_projection_watch){.begins = projection_begins, .ended = projection_ended, .self = s};
    l->shown = &l->end;
    s->ledger = l;
    return s->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

void sari_ledger_start(sar_simulation* s)
{
    sari_ledger* l = s->ledger;
    if (!l) return;
    memset(all_of(&l->end), 0, (size_t)l->size * sizeof(double));
    memset(all_of(&l->begin), 0, (size_t)l->size * sizeof(double));
    measure(s, &s->state, &l->start);
    copy_measured(l, &l->to, &l->start);
    copy_measured(l, &l->from, &l->start);
    copy_measured(l, &l->shown_at, &l->start);
    l->shown = &l->end;
    return_to(s, &s->state);
}

void sari_ledger_archive(sar_simulation* s, sari_archive* a)
{
    sari_ledger* l = s->ledger;
    if (!l) return;
    measured* const at[] = {&l->start, &l->from, &l->to, &l->shown_at};
    const entries* const each[] = {&l->begin, &l->end, &l->within};
    for (int k = 0; k < 3; k++) sari_archive_numbers(a, all_of(each[k]), (size_t)l->size);
    for (int k = 0; k < 4; k++) {
        SARI_ARCHIVE_NUMBERS(a, &at[k]->kinetic);
        sari_archive_numbers(a, at[k]->of.force, (size_t)(2 * l->forces + l->joints + 1));
    }
    SARI_ARCHIVE_NUMBERS(a, &l->E_from, &l->projected);
    l->shown = s->looks_back ? &l->within : &l->end;
}

/* ---- what is shown of it -------------------------------------------------------------------- */

double sari_ledger_force(const sari_ledger* l, int force)
{
    return l->shown->done[force];
}

double sari_ledger_joint(const sari_ledger* l, int joint)
{
    return l->shown->work[l->forces + joint];
}

double sari_ledger_other(const sari_ledger* l, int kind)
{
    return l->shown->other[kind];
}

int sar_account_is_stored(sar_account_kind kind)
{
    return kind == SAR_ACCOUNT_KINETIC || kind == SAR_ACCOUNT_POTENTIAL;
}

typedef struct filling {
    sar_account* list;
    int count, most;
    double unit;
} filling;

static void add(filling* f, sar_account_kind kind, const char* name, double value)
{
    if (f->count < f->most) f->list[f->count] = (sar_account){kind, name, f->unit * value};
    f->count++;
}

/* Does a joint of the model do work? */
static int works(const sari_joint* j)
{
    return j->relation != NULL;
}

int sar_simulation_accounts(const sar_simulation* s, sar_account* list, int most)
{
    static const char* const names[SAR_ACCOUNT_KINDS] = {
        "kinetic",     "gravity",     "",          "", "impacts", "phases", "jumps",
        "corrections", "projections", "integrator"};
    const sari_ledger* l = s->ledger;
    filling f = {list, 0, most, sari_unit_of_energy(&s->units)};
    int type;
    if (!l) return 0;
    const double *V = l->shown_at.of.potential, *V0 = l->start.of.potential;
    add(&f, SAR_ACCOUNT_KINETIC, names[0], l->shown_at.kinetic - l->start.kinetic);
    add(&f, SAR_ACCOUNT_POTENTIAL, names[1], V[l->forces] - V0[l->forces]);
    for (int k = 0; k < l->forces; k++)
        add(&f, SAR_ACCOUNT_POTENTIAL, sari_model_force(s->model, k, &type)->name, V[k] - V0[k]);
    for (int k = 0; k < l->forces; k++)
        add(&f, SAR_ACCOUNT_FORCE, sari_model_force(s->model, k, &type)->name, l->shown->work[k]);
    for (int j = 0; j < l->joints; j++)
        if (works(&s->model->joints[j]))
            add(&f, SAR_ACCOUNT_DRIVE, s->model->joints[j].name, l->shown->work[l->forces + j]);
    for (int k = SAR_ACCOUNT_IMPACTS; k < SAR_ACCOUNT_KINDS; k++)
        add(&f, (sar_account_kind)k, names[k], l->shown->other[k]);
    return f.count;
}
