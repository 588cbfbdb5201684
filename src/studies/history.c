#include "studies/history.h"

#include "base/memory.h"
#include "base/status.h"
#include "results/table.h"

#include <math.h>
#include <string.h>

enum {
    ENERGY_DRIFT,
    KINETIC_ENERGY,
    POTENTIAL_ENERGY,
    POSITION_VIOLATION,
    VELOCITY_VIOLATION,
    ACCELERATION_VIOLATION,
    STEP_SIZE,
    PENALTY,
    REACTION
};

static const char* const plain_names[] = {
    "energy_drift",       "kinetic_energy",         "potential_energy", "position_violation",
    "velocity_violation", "acceleration_violation", "step_size",        "penalty"};
static const char* const components[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

/* "JOINT.fx" */
static int find_reaction(const sar_model* model, const char* name, sari_extra* out)
{
    const char* dot = strrchr(name, '.');
    if (!dot) return 0;
    out->kind = REACTION;
    for (out->component = 0; out->component < 6; out->component++)
        if (strcmp(dot + 1, components[out->component]) == 0) break;
    for (out->joint = 0; out->joint < sar_model_joints(model); out->joint++) {
        const char* joint = sar_model_joint_name(model, out->joint);
        if (strlen(joint) == (size_t)(dot - name) && strncmp(joint, name, strlen(joint)) == 0)
            return out->component < 6;
    }
    return 0;
}

static sar_status find_extra(const sar_model* model, const char* name, sari_extra* out,
                             sar_error* error)
{
    for (int k = ENERGY_DRIFT; k < REACTION; k++)
        if (strcmp(plain_names[k], name) == 0) {
            out->kind = k;
            return SAR_OK;
        }
    if (find_reaction(model, name, out)) return SAR_OK;
    return sari_fail(error, SAR_E_ARG, name,
                     "a history has no column \"%s\": wanted an output of the model, %s, %s, %s, "
                     "%s, %s, %s, %s, %s, or a reaction like JOINT.fx",
                     name, plain_names[0], plain_names[1], plain_names[2], plain_names[3],
                     plain_names[4], plain_names[5], plain_names[6], plain_names[7]);
}

sar_status sari_history_init(sari_history* h, const sar_trial_def* def, sar_error* error)
{
    *h = (sari_history){
        .model = def->model, .outputs = sar_model_outputs(def->model), .names = def->extra};
    h->columns = h->outputs + def->extra_count;
    h->extra = SARI_NEW_ARRAY(sari_extra, def->extra_count);
    if (!h->extra) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (int k = 0; k < def->extra_count; k++)
        SARI_TRY(find_extra(def->model, def->extra[k], &h->extra[k], error));
    return SAR_OK;
}

void sari_history_clear(sari_history* h)
{
    sari_release(h->extra);
    sari_release(h->values);
    *h = (sari_history){0};
}

static sar_status measure(const sari_extra* x, sar_simulation* s, double* value)
{
    sar_violation violation = sar_simulation_violation(s);
    sar_energy e = sar_simulation_energy(s);
    switch (x->kind) {
    case ENERGY_DRIFT:
        *value = e.kinetic + e.potential - e.work - sar_simulation_statistics(s).energy_initial;
        return SAR_OK;
    case KINETIC_ENERGY:
        *value = e.kinetic;
        return SAR_OK;
    case POTENTIAL_ENERGY:
        *value = e.potential;
        return SAR_OK;
    case POSITION_VIOLATION:
        *value = violation.position;
        return SAR_OK;
    case VELOCITY_VIOLATION:
        *value = violation.velocity;
        return SAR_OK;
    case ACCELERATION_VIOLATION:
        *value = violation.acceleration;
        return SAR_OK;
    case STEP_SIZE:
        *value = sar_simulation_statistics(s).step;
        return SAR_OK;
    case PENALTY:
        *value = sar_simulation_statistics(s).alpha;
        return SAR_OK;
    default: {
        double reaction[6];
        SARI_TRY(sar_simulation_reaction(s, x->joint, reaction, reaction + 3));
        *value = reaction[x->component];
        return SAR_OK;
    }
    }
}

sar_status sari_history_add(sari_history* h, sar_simulation* s, double t)
{
    size_t width = (size_t)h->columns + 1;
    if (!sari_grow((void**)&h->values, h->rows, &h->capacity, width * sizeof(double)))
        return SAR_E_NOMEM;
    double* row = h->values + width * (size_t)h->rows;
    row[0] = t;
    SARI_TRY(sar_simulation_outputs_at(s, t, row + 1));
    for (int k = h->outputs; k < h->columns; k++)
        SARI_TRY(measure(&h->extra[k - h->outputs], s, &row[1 + k]));
    h->rows++;
    return SAR_OK;
}

static const char* column_name(const sari_history* h, int c)
{
    return c < h->outputs ? sar_model_output_name(h->model, c) : h->names[c - h->outputs];
}

sar_status sari_history_result(const sari_history* h, sar_result** out)
{
    sar_result* r = *out = SARI_NEW(sar_result);
    if (!r) return SAR_E_NOMEM;
    r->rows = h->rows;
    r->columns = h->columns;
    r->time = SARI_NEW_ARRAY(double, h->rows);
    r->values = SARI_NEW_ARRAY(double, (size_t)h->rows*(size_t)h->columns);
    r->names = SARI_NEW_ARRAY(char*, h->columns);
    if (!r->time || !r->values || !r->names) return SAR_E_NOMEM;
    for (int c = 0; c < h->columns; c++) {
        r->names[c] = sari_copy_string(column_name(h, c));
        if (!r->names[c]) return SAR_E_NOMEM;
    }
    for (int i = 0; i < h->rows; i++) {
        const double* row = h->values + ((size_t)h->columns + 1) * (size_t)i;
        r->time[i] = row[0];
        for (int c = 0; c < h->columns; c++)
            r->values[(size_t)c * (size_t)h->rows + (size_t)i] = row[1 + c];
    }
    return SAR_OK;
}
