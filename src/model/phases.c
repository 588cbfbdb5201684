/* Phases: which joints, couplings, drives and forces come and go, and when. */
#include "base/memory.h"
#include "model/parts.h"

sar_phase_def sar_phase_def_default(void)
{
    return (sar_phase_def){0};
}

sar_phase_def sar_model_phase(const sar_model* model, int phase)
{
    return phase >= 0 && phase < model->phases_count ? model->phases[phase].def
                                                     : sar_phase_def_default();
}

void sari_phase_release(sari_phase* phase)
{
    sari_expression_destroy(phase->when);
    sari_expression_destroy(phase->provided);
    sari_release((void*)phase->def.when);
    sari_release((void*)phase->def.provided);
    sari_release((void*)phase->def.force_add);
    sari_release((void*)phase->def.force_remove);
    sari_release((void*)phase->def.add);
    sari_release((void*)phase->def.remove);
    *phase = (sari_phase){0};
}

static bool lists(const sar_joint_id* list, int count, int joint)
{
    for (int k = 0; k < count; k++)
        if (list[k].i == joint) return true;
    return false;
}

static bool present_after(const sar_phase_def* def, int joint, bool before)
{
    if (lists(def->add, def->adds, joint)) return true;
    return before && !lists(def->remove, def->removes, joint);
}

bool sari_model_joint_present(const sar_model* model, int joint, int phases)
{
    bool present = !model->joints[joint].absent;
    for (int k = 0; k < phases && k < model->phases_count; k++)
        if (!model->phases[k].def.repeats)
            present = present_after(&model->phases[k].def, joint, present);
    return present;
}

int sari_model_set_size(const sar_model* model)
{
    return model->joints_count + sar_model_forces(model);
}

void sari_model_set_after(const sar_model* model, int phases, char* set)
{
    int at = model->joints_count;
    for (int j = 0; j < model->joints_count; j++) set[j] = !model->joints[j].absent;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int i = 0; !sari_force_is_state(sari_force_types[t]) && i < model->forces[t].count;
             i++)
            set[at++] = !model->forces[t].at[i].absent;
    for (int k = 0; k < phases && k < model->phases_count; k++)
        if (!model->phases[k].def.repeats) sari_phase_apply(model, &model->phases[k].def, set);
}

bool sari_phase_applies(const sar_model* model, const sar_phase_def* def, const char* set)
{
    const char* force = set + model->joints_count;
    for (int k = 0; k < def->adds; k++)
        if (set[def->add[k].i]) return false;
    for (int k = 0; k < def->removes; k++)
        if (!set[def->remove[k].i]) return false;
    for (int k = 0; k < def->force_adds; k++)
        if (force[def->force_add[k].i]) return false;
    for (int k = 0; k < def->force_removes; k++)
        if (!force[def->force_remove[k].i]) return false;
    return true;
}

void sari_phase_apply(const sar_model* model, const sar_phase_def* def, char* set)
{
    char* force = set + model->joints_count;
    for (int k = 0; k < def->adds; k++) set[def->add[k].i] = 1;
    for (int k = 0; k < def->removes; k++) set[def->remove[k].i] = 0;
    for (int k = 0; k < def->force_adds; k++) force[def->force_add[k].i] = 1;
    for (int k = 0; k < def->force_removes; k++) force[def->force_remove[k].i] = 0;
}

/* ---- checks --------------------------------------------------------------------------------- */

static sar_status check_condition(const sar_model* model, const sar_phase_def* def,
                                  sar_error* error)
{
    if ((int)def->crossing < 0 || def->crossing > SAR_CROSSING_FALLING)
        return sari_fail(error, SAR_E_ARG, "crossing", "there is no crossing %d",
                         (int)def->crossing);
    if (def->repeats && !def->when)
        return sari_fail(error, SAR_E_MODEL, "repeats",
                         "a time comes once: only a phase with 'when' can repeat");
    if (def->provided && !def->repeats)
        return sari_fail(error, SAR_E_MODEL, "if",
                         "'if' is for phases that repeat: the others are waited for one by one");
    if (def->when) return SAR_OK;
    SARI_TRY(sari_check_numbers(&def->at, 1, "at", error));
    for (int k = model->phases_count - 1; k >= 0; k--) {
        if (model->phases[k].when) continue;
        if (def->at > model->phases[k].def.at) break;
        return sari_fail(error, SAR_E_MODEL, "at",
                         "phases happen in order: this one, at %g s, must come after the one "
                         "before it, at %g s",
                         def->at, model->phases[k].def.at);
    }
    return SAR_OK;
}

static sar_status check_list(const sar_model* model, const sar_phase_def* def, bool adding,
                             sar_error* error)
{
    const char* field = adding ? "add" : "remove";
    const sar_joint_id* list = adding ? def->add : def->remove;
    const int count = adding ? def->adds : def->removes;
    for (int k = 0; k < count; k++) {
        const int joint = list[k].i;
        if (joint < 0 || joint >= model->joints_count)
            return sari_fail(error, SAR_E_ARG, field, "there is no joint %d", joint);
        const char* name = model->joints[joint].name;
        if (lists(list, k, joint))
            return sari_fail(error, SAR_E_MODEL, field, "\"%s\" is listed twice", name);
        if (model->joints[joint].bounded)
            return sari_fail(error, SAR_E_MODEL, field,
                             "\"%s\" has a bound: it comes and goes by itself", name);
        if (adding && lists(def->remove, def->removes, joint))
            return sari_fail(error, SAR_E_MODEL, field, "\"%s\" is both added and removed", name);
        if (def->repeats) continue; // whenever it can
        if (sari_model_joint_present(model, joint, model->phases_count) != adding) continue;
        return sari_fail(error, SAR_E_MODEL, field,
                         adding ? "\"%s\" cannot be added: it is there already%s"
                                : "\"%s\" cannot be removed: it is not there by then%s",
                         name,
                         adding && !model->joints[joint].absent
                             ? "; give it active: no if it is not to be there at first"
                             : "");
    }
    return SAR_OK;
}

static bool force_present(const sar_model* model, int force)
{
    int type;
    bool present = !sari_model_force(model, force, &type)->absent;
    for (int k = 0; k < model->phases_count; k++) {
        const sar_phase_def* def = &model->phases[k].def;
        for (int i = 0; i < def->force_adds; i++) present |= def->force_add[i].i == force;
        for (int i = 0; i < def->force_removes; i++) present &= def->force_remove[i].i != force;
    }
    return present;
}

static sar_status check_forces(const sar_model* model, const sar_phase_def* def, bool adding,
                               sar_error* error)
{
    const char* field = adding ? "add" : "remove";
    const sar_force_id* list = adding ? def->force_add : def->force_remove;
    const int count = adding ? def->force_adds : def->force_removes;
    for (int k = 0; k < count; k++) {
        const char* name = sar_model_force_name(model, list[k].i);
        if (!name) return sari_fail(error, SAR_E_ARG, field, "there is no force %d", list[k].i);
        for (int i = 0; i < k; i++)
            if (list[i].i == list[k].i)
                return sari_fail(error, SAR_E_MODEL, field, "\"%s\" is listed twice", name);
        for (int i = 0; adding && i < def->force_removes; i++)
            if (def->force_remove[i].i == list[k].i)
                return sari_fail(error, SAR_E_MODEL, field, "\"%s\" is both added and removed",
                                 name);
        if (def->repeats || force_present(model, list[k].i) != adding) continue;
        return sari_fail(error, SAR_E_MODEL, field,
                         adding ? "\"%s\" cannot be added: it is there already; give it active: no "
                                  "if it is not to be there at first"
                                : "\"%s\" cannot be removed: it is not there by then",
                         name);
    }
    return SAR_OK;
}

/* A drive, coupling or spring needs its joints. */
static sar_status check_needs(const sar_model* model, const sar_phase_def* def, int joint,
                              int needs, sar_error* error)
{
    const int phases = model->phases_count;
    bool one = present_after(def, joint, sari_model_joint_present(model, joint, phases));
    bool other = present_after(def, needs, sari_model_joint_present(model, needs, phases));
    if (!one || other) return SAR_OK;
    bool removed = lists(def->remove, def->removes, needs);
    return sari_fail(error, SAR_E_MODEL, removed ? "remove" : "add",
                     removed ? "\"%s\" cannot be removed: \"%s\" needs it; remove both"
                             : "\"%s\" is not there, but \"%s\" needs it; add both",
                     model->joints[needs].name, model->joints[joint].name);
}

static sar_status check_dependence(const sar_model* model, const sar_phase_def* def,
                                   sar_error* error)
{
    for (int k = 0; !def->repeats && k < model->joints_count; k++) {
        for (int t = 0, used; (used = sari_joint_uses(&model->joints[k], t)) >= 0; t++)
            SARI_TRY(check_needs(model, def, k, used, error));
    }
    return SAR_OK;
}

/* ---- storing -------------------------------------------------------------------------------- */

static const void* copy_list(const void* list, int count, size_t size)
{
    return count > 0 ? sari_copy(list, (size_t)count, size) : NULL;
}

static bool copy_definition(sari_phase* phase, const sar_phase_def* def)
{
    sar_phase_def* to = &phase->def;
    to->when = def->when ? sari_copy_string(def->when) : NULL;
    to->provided = def->provided ? sari_copy_string(def->provided) : NULL;
    to->add = copy_list(def->add, def->adds, sizeof *def->add);
    to->remove = copy_list(def->remove, def->removes, sizeof *def->remove);
    to->force_add = copy_list(def->force_add, def->force_adds, sizeof *def->force_add);
    to->force_remove = copy_list(def->force_remove, def->force_removes, sizeof *def->force_remove);
    return !def->when == !to->when && !def->provided == !to->provided &&
           (def->adds <= 0) == !to->add && (def->removes <= 0) == !to->remove &&
           (def->force_adds <= 0) == !to->force_add &&
           (def->force_removes <= 0) == !to->force_remove;
}

sar_status sar_model_add_phase(sar_model* model, const sar_phase_def* def, sar_error* error)
{
    SARI_TRY(check_condition(model, def, error));
    if (def->adds <= 0 && def->removes <= 0 && def->force_adds <= 0 && def->force_removes <= 0)
        return sari_fail(error, SAR_E_MODEL, "add",
                         "the phase neither adds nor removes a joint or a force");
    SARI_TRY(check_list(model, def, true, error));
    SARI_TRY(check_list(model, def, false, error));
    SARI_TRY(check_forces(model, def, true, error));
    SARI_TRY(check_forces(model, def, false, error));
    SARI_TRY(check_dependence(model, def, error));
    sari_phase phase = {.def = *def};
    void* phases = model->phases;
    int signals = model->signals_count;
    bool grown = sari_grow(&phases, model->phases_count, &model->phases_capacity, sizeof phase);
    model->phases = phases;
    if (!grown) return sari_out_of_memory(error);
    if (def->when)
        SARI_TRY(sari_model_compile(model, def->when, SARI_USE_RATES, "when", &phase.when, error));
    if (def->provided) {
        const sar_status st =
            sari_model_compile(model, def->provided, SARI_USE_RATES, "if", &phase.provided, error);
        if (st != SAR_OK) {
            sari_expression_destroy(phase.when);
            sari_model_forget_signals(model, signals);
            return st;
        }
    }
    if (!copy_definition(&phase, def)) {
        sari_phase_release(&phase);
        sari_model_forget_signals(model, signals);
        return sari_out_of_memory(error);
    }
    for (int k = 0; k < def->adds; k++) model->joints[def->add[k].i].phased = true;
    for (int k = 0; k < def->removes; k++) model->joints[def->remove[k].i].phased = true;
    model->phases[model->phases_count++] = phase;
    return SAR_OK;
}
