/* Forces are stored by what the constants of their types say of their definitions (elements/). */
#include "base/memory.h"
#include "model/parts.h"

#include <stdio.h>
#include <string.h>

static void* member(void* def, size_t offset)
{
    return (char*)def + offset;
}

/* ---- checks --------------------------------------------------------------------------------- */

static sar_status check_number(const sari_file_key* key, double value, sar_error* error)
{
    const char* field = key->kind == SARI_READ_FREE ? "free" : key->word;
    if (key->flags & SARI_ABOVE_ZERO) return sari_check_positive(value, field, error);
    if (key->flags & SARI_FROM_ZERO) return sari_check_not_negative(value, field, error);
    return key->flags & SARI_FINITE ? sari_check_numbers(&value, 1, field, error) : SAR_OK;
}

static bool takes_directions(const sari_force_type* type)
{
    for (const sari_file_key* key = type->is.word->key; key->word; key++)
        if (key->kind == SARI_READ_DIRECTIONS) return true;
    return false;
}

/// The joint has the coordinate; where a force has a word for lengths and one for angles, the other one is named.
static sar_status check_coordinate(const sar_model* model, const sari_force_type* type,
                                   const void* def, sar_joint_id joint, sar_coordinate coordinate,
                                   sar_error* error)
{
    const sar_status st = sari_check_coordinate(model, joint, coordinate, -1, error);
    const sari_file_word* word = sari_force_word_of(type, def);
    if (st == SAR_OK || !error || !type->is.word[1].word || joint.i < 0) return st;
    const sar_coordinate other =
        sari_is_angle(coordinate) ? SAR_COORD_DISPLACEMENT : SAR_COORD_ANGLE;
    const size_t used = strlen(error->message);
    if (joint.i < model->joints_count && sari_joint_has(&model->joints[joint.i], other))
        snprintf(error->message + used, sizeof error->message - used, "\n'%s' takes its %s",
                 type->is.word[word == type->is.word].word, sari_coordinate_word(other));
    return st;
}

/// Two points, or a coordinate of a joint; an expression in their place is examined when it is compiled.
static sar_status check_line(const sar_model* model, const sari_force_type* type, void* def,
                             sar_error* error)
{
    sar_end* ends = type->is.ends ? member(def, type->is.ends) : NULL;
    sar_joint_id* joint = type->is.joint ? member(def, type->is.joint) : NULL;
    sar_coordinate* coordinate = type->is.coordinate ? member(def, type->is.coordinate) : NULL;
    const bool along = sari_force_along(type, def) != NULL, on_joint = joint && joint->i >= 0;
    if (along && joint) joint->i = -1;
    if (ends && (along || on_joint)) ends[0] = ends[1] = (sar_end){0};
    if (along) return SAR_OK;
    if (on_joint || (joint && !ends))
        return coordinate ? check_coordinate(model, type, def, *joint, *coordinate, error) : SAR_OK;
    if (!ends || type->is.ends_count) return SAR_OK;
    if (coordinate) *coordinate = SAR_COORD_DISTANCE;
    if (!takes_directions(type)) sari_clear_frame(&ends[0]), sari_clear_frame(&ends[1]);
    return sari_check_ends(model, &ends[0], &ends[1], error);
}

static sar_status check_body(const sar_model* model, const sari_force_type* type, void* def,
                             sar_error* error)
{
    if (!type->is.body) return SAR_OK;
    const sar_body_id* body = member(def, type->is.body);
    SARI_TRY(sari_check_body(model, *body, "body", error));
    SARI_TRY(sari_check_vector(model, sari_force_point(type, def), "point", error));
    if (!type->grounded || body->i != SAR_GROUND.i) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "body", "%s", type->grounded);
}

static sar_status check(const sar_model* model, const sari_force_type* type, void* def,
                        sar_error* error)
{
    SARI_TRY(check_line(model, type, def, error));
    SARI_TRY(check_body(model, type, def, error));
    for (const sari_file_word* word = type->is.word; word->word; word++)
        for (const sari_file_key* key = word->key; key->word; key++)
            if (key->flags & (SARI_FINITE | SARI_ABOVE_ZERO | SARI_FROM_ZERO))
                SARI_TRY(check_number(key, *(double*)member(def, key->member), error));
    return type->check ? type->check(model, def, error) : SAR_OK;
}

/* ---- storing -------------------------------------------------------------------------------- */

/// Texts and arrays belong to the definition; it is a copy.
static void forget_owned(const sari_force_type* type, void* def)
{
    for (int k = 0; type->is.text[k].field; k++)
        *(char**)member(def, type->is.text[k].member) = NULL;
    for (int k = 0; type->is.length && k < 2; k++) *(double**)member(def, type->is.array[k]) = NULL;
}

void sari_force_release(const sari_force_type* type, sari_force* force)
{
    for (int k = 0; k < SARI_FORCE_TEXTS; k++) sari_expression_destroy(force->expression[k]);
    for (int k = 0; force->def && type->is.text[k].field; k++)
        sari_release(*(char**)member(force->def, type->is.text[k].member));
    for (int k = 0; force->def && type->is.length && k < 2; k++)
        sari_release(*(double**)member(force->def, type->is.array[k]));
    sari_release(force->def);
    sari_release(force->name);
    *force = (sari_force){0};
}

static sar_status copy_texts(sar_model* model, const sari_force_type* type, const void* def,
                             sari_force* force, sar_error* error)
{
    for (int k = 0; type->is.text[k].field; k++) {
        const sari_definition_text* t = &type->is.text[k];
        const char* text = sari_force_text_of(type, def, k);
        if (!text) text = t->usual;
        if (!text) continue;
        SARI_TRY(sari_model_compile(model, text, t->use, t->field, &force->expression[k], error));
        char* copy = *(char**)member(force->def, t->member) = sari_copy_string(text);
        if (!copy) return sari_out_of_memory(error);
    }
    return SAR_OK;
}

/// What it acts along is a length or an angle, and moves something.
static sar_status check_along(const sar_model* model, const sari_force_type* type,
                              sari_force* force, sar_error* error)
{
    const char* text = sari_force_along(type, force->def);
    if (!text) return SAR_OK;
    const sari_expression* e = force->expression[sari_force_along_text(type)];
    SARI_TRY(sari_check_positions(model, e, text, "along", error));
    *(sar_coordinate*)member(force->def, type->is.coordinate) =
        sari_uses_lengths(model, e) ? SAR_COORD_DISPLACEMENT : SAR_COORD_ANGLE;
    return SAR_OK;
}

sar_status sari_force_copy_arrays(const sari_force_type* type, const void* def, void* copy)
{
    const int length = type->is.length ? *(const int*)((const char*)def + type->is.length) : 0;
    for (int k = 0; length > 0 && k < 2; k++) {
        const double* numbers = *(const double* const*)((const char*)def + type->is.array[k]);
        double* own = *(double**)member(copy, type->is.array[k]) =
            sari_copy(numbers, (size_t)length, sizeof(double));
        if (!own) return SAR_E_NOMEM;
    }
    return SAR_OK;
}

static sar_status fill(sar_model* model, int number, const void* def, sari_force* force,
                       sar_error* error)
{
    const sari_force_type* type = sari_force_types[number];
    sari_force_list* list = &model->forces[number];
    force->def = sari_copy(def, 1, type->is.size);
    if (!force->def) return sari_out_of_memory(error);
    forget_owned(type, force->def);
    SARI_TRY(copy_texts(model, type, def, force, error));
    SARI_TRY(check_along(model, type, force, error));
    if (sari_force_copy_arrays(type, def, force->def) != SAR_OK) return sari_out_of_memory(error);
    void* all = list->at;
    bool grown = sari_grow(&all, list->count, &list->capacity, sizeof(sari_force));
    list->at = all;
    force->name = grown ? sari_copy_string(*(const char* const*)def) : NULL;
    if (!force->name) return sari_out_of_memory(error);
    *(const char**)force->def = force->name;
    return sari_model_enter_part(model, SARI_PART_FORCE + number, force->name, list->count, error);
}

sar_status sari_model_add_force(sar_model* model, int number, const void* def, sar_error* error)
{
    const sari_force_type* type = sari_force_types[number];
    return type->add ? type->add(model, def, error)
                     : sari_model_store_force(model, number, def, error);
}

sar_status sari_model_store_force(sar_model* model, int number, const void* def, sar_error* error)
{
    const sari_force_type* type = sari_force_types[number];
    const int signals = model->signals_count;
    sari_force force = {0};
    SARI_TRY(sari_model_check_name(model, *(const char* const*)def, error));
    void* checked = sari_copy(def, 1, type->is.size);
    if (!checked) return sari_out_of_memory(error);
    sar_status status = check(model, type, checked, error);
    if (status == SAR_OK) status = fill(model, number, checked, &force, error);
    sari_release(checked);
    if (status == SAR_OK) {
        model->forces[number].at[model->forces[number].count++] = force;
        return SAR_OK;
    }
    sari_force_release(type, &force);
    sari_model_forget_signals(model, signals);
    return status;
}

sar_status sari_model_set_text(sar_model* model, int number, int i, int k, const char* text,
                               sar_error* error)
{
    const sari_definition_text* t = &sari_force_types[number]->is.text[k];
    sari_force* force = &model->forces[number].at[i];
    sari_expression* expression = NULL;
    SARI_TRY(sari_model_compile(model, text, t->use, t->field, &expression, error));
    char* copy = sari_copy_string(text);
    if (!copy) {
        sari_expression_destroy(expression);
        return sari_out_of_memory(error);
    }
    sari_expression_destroy(force->expression[k]);
    force->expression[k] = expression;
    sari_release(*(char**)member(force->def, t->member));
    *(char**)member(force->def, t->member) = copy;
    return SAR_OK;
}

/* ---- all of them, whatever their types ------------------------------------------------------- */

const sari_force* sari_model_force(const sar_model* model, int force, int* type)
{
    for (*type = 0; force >= 0 && *type < SARI_FORCE_TYPES; ++*type) {
        if (sari_force_is_state(sari_force_types[*type])) continue;
        if (force < model->forces[*type].count) return &model->forces[*type].at[force];
        force -= model->forces[*type].count;
    }
    return NULL;
}

sar_status sar_model_find_force(const sar_model* model, const char* name, size_t length,
                                sar_force_id* out)
{
    const sari_part* part = sari_model_find_part(model, name, length);
    const int type = part ? part->kind - SARI_PART_FORCE : -1;
    if (type < 0 || sari_force_is_state(sari_force_types[type])) return SAR_E_ARG;
    out->i = part->index;
    for (int t = 0; t < type; t++)
        if (!sari_force_is_state(sari_force_types[t])) out->i += model->forces[t].count;
    return SAR_OK;
}

static sari_force* find(sar_model* model, const char* name)
{
    const sari_part* part = sari_model_find_part(model, name, strlen(name));
    if (!part || part->kind < SARI_PART_FORCE) return NULL;
    return &model->forces[part->kind - SARI_PART_FORCE].at[part->index];
}

sar_status sar_model_set_force_absent(sar_model* model, const char* name)
{
    sari_force* force = find(model, name);
    if (!force) return SAR_E_ARG;
    force->absent = true;
    return SAR_OK;
}

sar_status sar_model_set_force_smooth(sar_model* model, const char* name)
{
    sari_force* force = find(model, name);
    if (!force) return SAR_E_ARG;
    force->smooth = true;
    return SAR_OK;
}

int sar_model_forces(const sar_model* model)
{
    int count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        if (!sari_force_is_state(sari_force_types[t])) count += model->forces[t].count;
    return count;
}

const char* sar_model_force_name(const sar_model* model, int force)
{
    int type;
    const sari_force* found = sari_model_force(model, force, &type);
    return found ? found->name : NULL;
}

/* End b, unless that is the ground. */
static sar_force_place at_end(const sar_end* a, const sar_end* b)
{
    const sar_end* end = b->body.i ? b : a;
    return (sar_force_place){end->body, {end->point[0], end->point[1], end->point[2]}, 0.0};
}

/* Where the first body is that it moves. */
static sar_force_place place_along(const sar_model* model, const sari_expression* e)
{
    sar_force_place place = {SAR_GROUND, {0.0}, 0.0};
    const int* used;
    const int n = sari_expression_variables(e, &used);
    for (int i = 0; i < n && place.body.i <= 0; i++) {
        const sari_signal* s = &model->signals[used[i] - SARI_VARIABLE_SIGNAL];
        const sari_force_list* list = &model->forces[s->type];
        if (s->kind == SARI_SIGNAL_LENGTH)
            place = sari_force_place(model, s->type, &list->at[s->force]);
        else if (s->body > 0)
            place = (sar_force_place){{s->body}, {s->point[0], s->point[1], s->point[2]}, 0.0};
        else if (s->joint >= 0)
            place = at_end(&model->joints[s->joint].pair.a, &model->joints[s->joint].pair.b);
    }
    return place;
}

sar_force_place sar_model_force_place(const sar_model* model, sar_force_id force)
{
    int number;
    const sari_force* found = sari_model_force(model, force.i, &number);
    return found ? sari_force_place(model, number, found)
                 : (sar_force_place){SAR_GROUND, {0.0}, 0.0};
}

sar_force_place sari_force_place(const sar_model* model, int number, const sari_force* found)
{
    sar_force_place place = {SAR_GROUND, {0.0}, 0.0};
    const sari_force_type* type = sari_force_types[number];
    const int joint = sari_force_joint(type, found->def);
    const sar_end* ends = sari_force_ends(type, found->def);
    if (joint >= 0) return at_end(&model->joints[joint].pair.a, &model->joints[joint].pair.b);
    if (sari_force_along(type, found->def))
        return place_along(model, found->expression[sari_force_along_text(type)]);
    if (ends) return at_end(&ends[0], &ends[sari_force_ends_count(type, found->def) - 1]);
    place.body.i = sari_force_body(type, found->def);
    memcpy(place.point, sari_force_point(type, found->def), sizeof place.point);
    if (type->radius) place.radius = *(const double*)sari_member(found->def, type->radius);
    return place;
}
