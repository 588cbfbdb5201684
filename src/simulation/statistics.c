/* What is measured after every step: drift of the energy and what it is compared with, violations of the
 * constraints, how far bodies rotate. */
#include "math/functions.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "simulation/simulation.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/* How far a body turns in a step of h, where rules of order 2 step its axes: those that hold a
 * tolerance see what a turn costs. Now and then: it takes the velocities of all axes. */
long sari_turn_due(const sar_simulation* s, long steps)
{
    enum { INTERVAL = 16 };
    const sari_system* sys = s->system;
    if (sys->mechanism->dimension == 2 || sys->coordinates.ops->move) return LONG_MAX;
    if (s->integrator->variable || s->integrator->order > 2) return LONG_MAX;
    return (INTERVAL + 1 - steps % INTERVAL) % INTERVAL;
}

void sari_turn_measure(sar_simulation* s, double h)
{
    const sari_mechanism* m = s->system->mechanism;
    const sari_kinematics* k = s->system->kinematics;
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    for (int b = 1; b < m->bodies; b++) {
        double w[3];
        sari_spin_of(m, k->X + m->nx * b, k->Xd + m->nx * b, w);
        s->statistics.turn = fmax(s->statistics.turn, fabs(h) * sari_norm3(w));
    }
}

double sari_energy_balance(const sar_simulation* s)
{
    return s->energy.kinetic + s->energy.potential - s->energy.work;
}

static double mass_of(const sar_model* model)
{
    double mass = 0.0;
    for (int b = 1; b < model->bodies_count; b++) mass += model->bodies[b].def.mass;
    return mass;
}

/* Forces times a length of one, the model's: weights, and whatever else acts along the coordinates.
 * Violations of the constraints that are small beside the model have it do work. */
static double force_times_size(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    const sar_model* model = s->model;
    double forces = 0.0;
    for (int i = 0; i < sys->nq; i++) forces += fabs(sys->Q[i]);
    const double weight = mass_of(model) * sari_norm3(model->gravity);
    return s->units.size * (isfinite(forces) ? fmax(weight, forces) : weight);
}

/* Kinetic energy of velocities that rounding makes of positions, size epsilon/h: all that moves in a
 * structure. */
static double rounding_energy(const sar_simulation* s)
{
    const double h = s->state.t - s->previous.t;
    if (s->integrator->variable || !(h > 0.0)) return 0.0;
    return mass_of(s->model) * sari_square(s->units.size * DBL_EPSILON / h);
}

/* What the drift of energy is held against. */
void sari_statistics_scale(sar_simulation* s)
{
    enum { INTERVAL = 16 };
    const double STATIC = 2e-4;
    sar_statistics* z = &s->statistics;
    const double potential = s->energy.potential;
    if (z->steps == 0) s->lowest = s->highest = potential;
    s->lowest = sari_min(s->lowest, potential);
    s->highest = sari_max(s->highest, potential);
    const double moved = sari_max(s->highest - s->lowest, fabs(s->energy.work));
    z->energy_scale = sari_max(z->energy_scale, sari_max(z->kinetic_max, moved));
    if (z->steps % INTERVAL == 0) // it visits all bodies
        z->energy_scale =
            fmax(z->energy_scale, fmax(STATIC * force_times_size(s), rounding_energy(s)));
}

void sari_statistics_update(sar_simulation* s)
{
    sar_statistics* z = &s->statistics;
    double drift = sari_energy_balance(s) - z->energy_initial;
    z->energy_final_drift = drift;
    if (fabs(drift) > z->energy_max_drift) z->energy_worst_drift = drift;
    z->energy_max_drift = sari_max(z->energy_max_drift, fabs(drift));
    z->kinetic_max = sari_max(z->kinetic_max, s->energy.kinetic);
    sari_statistics_scale(s);
    z->violation.position = sari_max(z->violation.position, s->violation.position);
    z->violation.velocity = sari_max(z->violation.velocity, s->violation.velocity);
    z->violation.acceleration = sari_max(z->violation.acceleration, s->violation.acceleration);
}

/* A step that did not converge and was kept, since when the energy was off by `drift`. Where nearly
 * nothing moves, as in a dead centre, a part of what moves otherwise is the measure. */
void sari_statistics_kept(sar_simulation* s, double drift, double kinetic)
{
    const double REST = 1e-2;
    sar_statistics* z = &s->statistics;
    const double motion = fmax(fmax(kinetic, s->energy.kinetic), REST * z->energy_scale);
    const double change = fabs(z->energy_final_drift - drift);
    if (change > z->kept_change * motion) z->kept_change = change / motion;
}
