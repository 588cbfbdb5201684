/* The tables of joint types, gears and types of forces, and what follows from their constants. */
#include "elements/element.h"
#include "elements/force.h"
#include "elements/gear.h"
#include "sarrus/compliant.h"

#include <string.h>

#define DECLARE(name, constant) extern const sari_joint_type sari_joint_##constant;
SAR_JOINT_LIST(DECLARE)
#undef DECLARE

const sari_joint_type* const sari_joint_types[SARI_JOINT_TYPES] = {
#define ROW(name, constant) &sari_joint_##constant,
    SAR_JOINT_LIST(ROW)
#undef ROW
};

#define DECLARE(name, constant) extern const sari_force_type sari_##constant##_force;
SAR_FORCE_LIST(DECLARE)
#undef DECLARE

const sari_force_type* const sari_force_types[SARI_FORCE_TYPES] = {
#define ROW(name, constant) &sari_##constant##_force,
    SAR_FORCE_LIST(ROW)
#undef ROW
};

#define DECLARE(name) extern const sari_gear_type sari_gear_##name;
SARI_GEAR_LIST(DECLARE)
#undef DECLARE

const sari_gear_type* const sari_gear_types[SARI_GEARS] = {
#define ROW(name) &sari_gear_##name,
    SARI_GEAR_LIST(ROW)
#undef ROW
};

/* What sarrus/model.h and compliant.h promise of every type of force. */
#define PUBLIC(name, constant)                                                                     \
    sar_##constant##_def sar_##constant##_def_default(void)                                        \
    {                                                                                              \
        const sar_##constant##_def* usual = sari_##constant##_force.is.usual;                      \
        return usual ? *usual : (sar_##constant##_def){0};                                         \
    }                                                                                              \
    sar_status sar_model_add_##constant(sar_model* model, const sar_##constant##_def* def,         \
                                        sar_error* error)                                          \
    {                                                                                              \
        return sari_model_add_force(model, SARI_FORCE_##name, def, error);                         \
    }
SAR_FORCE_LIST(PUBLIC)
#undef PUBLIC

sar_joint_def sar_joint_def_default(void)
{
    return (sar_joint_def){.type = SAR_JOINT_REVOLUTE,
                           .a.axis = {0, 0, 1},
                           .b.axis = {0, 0, 1},
                           .locked = SAR_LOCK_ALL};
}

bool sari_form_has(const sari_joint_form* form, sari_condition_kind kind)
{
    for (const sari_condition_kind* c = form->conditions; *c; c++)
        if (*c == kind) return true;
    return false;
}

bool sari_form_aligns(const sari_joint_form* form)
{
    return sari_form_has(form, SARI_PARALLEL) || sari_form_has(form, SARI_SAME_ORIENTATION);
}

/* With parallel axes "b's point on a's line" is the same as the reverse. */
bool sari_form_symmetric(const sari_joint_form* form)
{
    return sari_form_aligns(form) ||
           !(sari_form_has(form, SARI_ON_LINE) || sari_form_has(form, SARI_ON_PLANE) ||
             sari_form_has(form, SARI_AT_HEIGHT));
}

int sari_motions_count(const sari_motions* motions)
{
    int n = 0;
    while (n < SARI_MOTIONS && motions->part[n].step) n++;
    return n;
}

int sari_motions_freedom(const sari_motions* motions)
{
    int n = 0;
    for (int i = 0; i < sari_motions_count(motions); i++)
        n += motions->part[i].motion == SARI_BALL ? 3 : 1;
    return n;
}

bool sari_type_shows(const sari_joint_type* type, sar_coordinate coordinate)
{
    for (int k = 0; k < type->coordinates; k++)
        if (type->coordinate[k] == coordinate) return true;
    return false;
}

bool sari_type_keeps(const sari_joint_type* type)
{
    return sari_form_has(&type->space, SARI_DISTANCE);
}

static bool is_first(int type, const sari_joint_size* size)
{
    for (int k = 0; k < type; k++)
        for (const sari_joint_size* s = sari_joint_types[k]->size; s->word; s++)
            if (strcmp(s->word, size->word) == 0) return false;
    return true;
}

const sari_joint_size* sari_joint_size_at(int k)
{
    for (int type = 0; type < SARI_JOINT_TYPES; type++)
        for (const sari_joint_size* s = sari_joint_types[type]->size; s->word; s++)
            if (is_first(type, s) && k-- == 0) return s;
    return NULL;
}
