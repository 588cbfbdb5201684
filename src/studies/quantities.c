/* Quantities of a run by name. To add something that changes with time, add a line to
 * `table`; to add a number of a whole run, a line to SAR_MEASURE_LIST. */
#include "sarrus/quantities.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- at a time ------------------------------------------------------------------------------ */

/* A quantity whose status is that of `statement`, or SAR_OK. */
#define GET(name, statement)                                                                       \
    static sar_status name(sar_simulation* s, int k, int width, double* x)                         \
    {                                                                                              \
        double other[4];                                                                           \
        (void)k, (void)width, (void)other;                                                         \
        statement;                                                                                 \
        return SAR_OK;                                                                             \
    }

static double drift(const sar_simulation* s)
{
    const sar_energy e = sar_simulation_energy(s);
    return e.kinetic + e.potential - e.work - sar_simulation_statistics(s).energy_initial;
}

/* Phases may change the number of multipliers. */
static void get_multipliers(const sar_simulation* s, int rates, int width, double* x)
{
    const double* from[2];
    const int count = sar_simulation_multipliers(s, &from[0], &from[1]);
    for (int r = 0; r < count && r < width; r++) x[r] = from[rates][r];
}

GET(position, sar_simulation_pose(s, (sar_body_id){k}, x, other))
GET(quaternion, sar_simulation_pose(s, (sar_body_id){k}, other, x))
GET(velocity, sar_simulation_velocity(s, (sar_body_id){k}, x, other))
GET(angular_velocity, sar_simulation_velocity(s, (sar_body_id){k}, other, x))
GET(force, return sar_simulation_reaction(s, (sar_joint_id){k}, x, other))
GET(torque, return sar_simulation_reaction(s, (sar_joint_id){k}, other, x))
GET(applied_force, sar_simulation_applied(s, (sar_force_id){k}, x, other))
GET(applied_torque, sar_simulation_applied(s, (sar_force_id){k}, other, x))
GET(kinetic, *x = sar_simulation_energy(s).kinetic)
GET(potential, *x = sar_simulation_energy(s).potential)
GET(work, *x = sar_simulation_energy(s).work)
GET(total, *x = sar_simulation_energy(s).kinetic + sar_simulation_energy(s).potential)
GET(energy_drift, *x = drift(s))
GET(of_position, *x = sar_simulation_violation(s).position)
GET(of_velocity, *x = sar_simulation_violation(s).velocity)
GET(of_acceleration, *x = sar_simulation_violation(s).acceleration)
GET(step, *x = sar_simulation_statistics(s).step)
GET(penalty, *x = sar_simulation_statistics(s).alpha)
GET(multipliers, get_multipliers(s, 0, width, x))
GET(multiplier_rates, get_multipliers(s, 1, width, x))

// clang-format off
static const sar_quantity table[] = {
    {SAR_OF_BODY, "position", "", 3, "m", "origin of the body frame, world axes", position},
    {SAR_OF_BODY, "quaternion", "", 4, "", "body to world (w, x, y, z)", quaternion},
    {SAR_OF_BODY, "velocity", "", 3, "m/s", "of the origin, world axes", velocity},
    {SAR_OF_BODY, "angular_velocity", "", 3, "rad/s", "world axes", angular_velocity},
    {SAR_OF_JOINT, "force", "fx fy fz", 3, "N", "reaction on the second side, world axes", force},
    {SAR_OF_JOINT, "torque", "tx ty tz", 3, "N m", "reaction on the second side at its point, world axes", torque},
    {SAR_OF_FORCE, "force", "", 3, "N", "of a force of the model on its body, world axes", applied_force},
    {SAR_OF_FORCE, "torque", "", 3, "N m", "of a force of the model on its body at its point, world axes", applied_torque},
    {SAR_OF_RUN, "energy.kinetic", "", 1, "J", "kinetic energy", kinetic},
    {SAR_OF_RUN, "energy.potential", "", 1, "J", "potential energy of gravity and springs", potential},
    {SAR_OF_RUN, "energy.work", "", 1, "J", "work done since the start by everything else", work},
    {SAR_OF_RUN, "energy.total", "", 1, "J", "kinetic + potential", total},
    {SAR_OF_RUN, "energy.drift", "", 1, "J", "kinetic + potential - work, less that at the start", energy_drift},
    {SAR_OF_RUN, "violation.position", "", 1, "", "largest violation of a constraint", of_position},
    {SAR_OF_RUN, "violation.velocity", "", 1, "", "largest violation of a constraint's rate", of_velocity},
    {SAR_OF_RUN, "violation.acceleration", "", 1, "", "largest violation of a constraint's second rate", of_acceleration},
    {SAR_OF_RUN, "method.step", "", 1, "s", "the last step, or the shortest of those in its place", step},
    {SAR_OF_RUN, "method.penalty", "", 1, "", "largest penalty in use", penalty},
    {SAR_OF_RUN, "method.multipliers", "", 0, "", "multipliers with equations of motion of their own", multipliers},
    {SAR_OF_RUN, "method.multiplier_rates", "", 0, "", "their rates", multiplier_rates},
};
// clang-format on
enum { QUANTITIES = sizeof table / sizeof *table };

int sar_quantities(void)
{
    return QUANTITIES;
}

const sar_quantity* sar_quantity_at(int q)
{
    return &table[q];
}

/* Which word of a list separated by spaces; -1: none. */
static int word_of(const char* list, const char* word)
{
    const size_t length = strlen(word);
    for (int k = 0; *list; k++) {
        const size_t n = strcspn(list, " ");
        if (n == length && strncmp(list, word, n) == 0) return k;
        list += n + (list[n] == ' ');
    }
    return -1;
}

/* "JOINT.fx" */
static int find_component(const sar_model* model, const char* name, sar_signal* out)
{
    const char* dot = strrchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : 0;
    for (int q = 0; dot && q < QUANTITIES; q++) {
        if (table[q].of != SAR_OF_JOINT) continue;
        *out =
            (sar_signal){.quantity = &table[q], .component = word_of(table[q].components, dot + 1)};
        for (; out->component >= 0 && out->k < sar_model_joints(model); out->k++) {
            const char* joint = sar_model_joint_name(model, out->k);
            if (strlen(joint) == length && strncmp(joint, name, length) == 0) return 1;
        }
    }
    return 0;
}

sar_status sar_signal_find(const sar_model* model, const char* name, sar_signal* out,
                           sar_error* error)
{
    char all[400] = "";
    for (int q = 0; q < QUANTITIES; q++) {
        if (table[q].of != SAR_OF_RUN || table[q].width != 1) continue;
        *out = (sar_signal){.quantity = &table[q]};
        if (strcmp(table[q].name, name) == 0) return SAR_OK;
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s, ", table[q].name);
    }
    if (find_component(model, name, out)) return SAR_OK;
    return sari_fail(error, SAR_E_ARG, name,
                     "a history has no column \"%s\": expected an output of the model, %sor a "
                     "reaction like JOINT.fx",
                     name, all);
}

sar_status sar_signal_get(const sar_signal* signal, sar_simulation* s, double* value)
{
    double x[4] = {NAN, NAN, NAN, NAN};
    const sar_status st = signal->quantity->get(s, signal->k, signal->quantity->width, x);
    if (st == SAR_OK) *value = x[signal->component];
    return st;
}

/* ---- of a whole run ------------------------------------------------------------------------- */

static const sar_measure measures[] = {
#define ROW(id, name, older, kind, unit, head, text, value)                                        \
    {name, older, SAR_KIND_##kind, unit, head, text},
    SAR_MEASURE_LIST(ROW)
#undef ROW
};

sar_measure sar_measure_at(int measure)
{
    return measures[measure];
}

int sar_measure_find(const char* name, int older)
{
    for (int m = 0; m < SAR_MEASURES; m++)
        if (strcmp(measures[m].name, name) == 0) return m;
    for (int m = 0; older && m < SAR_MEASURES; m++)
        if (word_of(measures[m].older, name) >= 0) return m;
    return -1;
}

double sar_measure_get(int measure, const sar_trial* t)
{
    switch (measure) {
#define CASE(id, name, older, kind, unit, head, text, value)                                       \
    case SAR_MEASURE_##id:                                                                         \
        return value;
        SAR_MEASURE_LIST(CASE)
#undef CASE
    default:
        return NAN;
    }
}
