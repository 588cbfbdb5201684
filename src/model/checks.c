/* Checks of what a user may get wrong. Every message says what is wrong and what would be right. */
#include "elements/element.h"
#include "model/parts.h"

#include <math.h>
#include <stdio.h>

sar_status sari_out_of_memory(sar_error* error)
{
    return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char* sari_last_piece(const char* name)
{
    const char* dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

sar_status sari_check_spelling(const sar_model* model, const char* name, sar_error* error)
{
    if (!name || !name[0]) return sari_fail(error, SAR_E_MODEL, "name", "the name is missing");
    if (strlen(name) > SARI_NAME_LENGTH)
        return sari_fail(error, SAR_E_MODEL, "name",
                         "the name \"%.20s...\" is too long: names have at most %d characters",
                         name, SARI_NAME_LENGTH);
    const char* last = sari_last_piece(name);
    if (last > name &&
        sari_model_find_kind(model, SARI_PART_ASSEMBLY, name, (size_t)(last - name) - 1) < 0)
        last = name;
    for (const char* c = last; *c; c++)
        if (!is_letter(*c) && (c == last || !is_digit(*c)))
            return sari_fail(error, SAR_E_MODEL, "name",
                             "\"%s\" is not a name: names are letters, digits and _, and start "
                             "with a letter or _",
                             name);
    return SAR_OK;
}

sar_status sari_check_reserved(const char* name, const char* what, const char* const* reserved,
                               int count, sar_error* error)
{
    char list[96] = "";
    size_t used = 0;
    bool taken = false;
    for (int k = 0; k < count; k++) taken |= strcmp(sari_last_piece(name), reserved[k]) == 0;
    if (!taken) return SAR_OK;
    for (int k = 0; k < count; k++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", reserved[k]);
    return sari_fail(
        error, SAR_E_MODEL, "name",
        "%s %s cannot be called \"%s\": the name is taken, it has a meaning in expressions "
        "(reserved are %s); choose another",
        strchr("aeiou", what[0]) ? "an" : "a", what, name, list);
}

sar_status sari_model_check_name(const sar_model* model, const char* name, sar_error* error)
{
    SARI_TRY(sari_check_spelling(model, name, error));
    static const char* const reserved[] = {"ground", "energy", "t"};
    SARI_TRY(sari_check_reserved(name, "body, joint or force", reserved, 3, error));
    const char* kind = sari_model_kind_of(model, name, strlen(name));
    if (kind)
        return sari_fail(
            error, SAR_E_MODEL, "name",
            "there is %s %s called \"%s\" already; bodies, joints, drives, constraints, "
            "forces and tables share their names",
            kind[0] == 'a' ? "an" : "a", kind, name);
    return SAR_OK;
}

/* ---- numbers -------------------------------------------------------------------------------- */

sar_status sari_check_numbers(const double* values, int count, const char* field, sar_error* error)
{
    for (int k = 0; k < count; k++) {
        if (isfinite(values[k])) continue;
        if (count == 1)
            return sari_fail(error, SAR_E_MODEL, field, "%s is %g, not a finite number", field,
                             values[k]);
        return sari_fail(error, SAR_E_MODEL, field, "%s[%d] is %g, not a finite number", field, k,
                         values[k]);
    }
    return SAR_OK;
}

sar_status sari_check_positive(double value, const char* field, sar_error* error)
{
    SARI_TRY(sari_check_numbers(&value, 1, field, error));
    if (value > 0.0) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, field, "%s is %g; it must be positive", field, value);
}

sar_status sari_check_not_negative(double value, const char* field, sar_error* error)
{
    SARI_TRY(sari_check_numbers(&value, 1, field, error));
    if (value >= 0.0) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, field, "%s is %g; it must not be negative", field, value);
}

sar_status sari_check_vector(const sar_model* model, const double v[3], const char* field,
                             sar_error* error)
{
    SARI_TRY(sari_check_numbers(v, 3, field, error));
    if (model->dimension == 2 && v[2] != 0.0)
        return sari_fail(error, SAR_E_MODEL, field,
                         "this model is planar: the z component of %s must be zero, not %g", field,
                         v[2]);
    return SAR_OK;
}

/* ---- bodies and ends ------------------------------------------------------------------------ */

sar_status sari_check_body(const sar_model* model, sar_body_id body, const char* field,
                           sar_error* error)
{
    if (body.i >= 0 && body.i < model->bodies_count) return SAR_OK;
    return sari_fail(error, SAR_E_ARG, field, "there is no body %d in this model", (int)body.i);
}

sar_status sari_check_ends(const sar_model* model, const sar_end* a, const sar_end* b,
                           sar_error* error)
{
    SARI_TRY(sari_check_body(model, a->body, "body", error));
    SARI_TRY(sari_check_body(model, b->body, "body", error));
    if (a->body.i == b->body.i)
        return sari_fail(error, SAR_E_MODEL, "body",
                         "both ends are on \"%s\": they must be on two different bodies",
                         model->bodies[a->body.i].name);
    SARI_TRY(sari_check_vector(model, a->point, "point", error));
    return sari_check_vector(model, b->point, "point", error);
}

/* ---- joint coordinates ---------------------------------------------------------------------- */

const char* sari_joint_word(const sari_joint* joint)
{
    return joint->relation ? joint->relation->word : sari_type_of(&joint->pair)->word;
}

const char* sari_coordinate_word(sar_coordinate coordinate)
{
    switch (coordinate) {
    case SAR_COORD_ANGLE:
        return "angle";
    case SAR_COORD_DISPLACEMENT:
        return "displacement";
    case SAR_COORD_DISTANCE:
        return "distance";
    case SAR_COORD_ANGLE_2:
        return "angle2";
    case SAR_COORD_DISPLACEMENT_2:
        return "displacement2";
    }
    return "such coordinate";
}

bool sari_joint_has(const sari_joint* joint, sar_coordinate coordinate)
{
    const sari_joint_type* type = sari_joint_type_of(joint);
    return type && sari_type_shows(type, coordinate) && !sari_type_keeps(type);
}

const char* sari_list_coordinates(const sari_joint* joint,
                                  bool (*has)(const sari_joint*, sar_coordinate), char text[64])
{
    static const sar_coordinate order[] = {SAR_COORD_ANGLE, SAR_COORD_ANGLE_2,
                                           SAR_COORD_DISPLACEMENT, SAR_COORD_DISPLACEMENT_2,
                                           SAR_COORD_DISTANCE};
    const char* words[sizeof order / sizeof order[0]];
    int count = 0, length = 0;
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
        if (has(joint, order[k])) words[count++] = sari_coordinate_word(order[k]);
    if (count == 0) return "no coordinates";
    for (int k = 0; k < count; k++)
        length += snprintf(text + length, 64 - (size_t)length, "%s%s",
                           k == 0           ? ""
                           : k == count - 1 ? " and "
                                            : ", ",
                           words[k]);
    return text;
}

static const char* indexed(char text[32], const char* field, int index)
{
    if (index < 0) return field;
    snprintf(text, 32, "%s[%d]", field, index);
    return text;
}

sar_status sari_check_coordinate(const sar_model* model, sar_joint_id joint,
                                 sar_coordinate coordinate, int index, sar_error* error)
{
    char text[32], list[64];
    if (joint.i < 0 || joint.i >= model->joints_count)
        return sari_fail(error, SAR_E_ARG, indexed(text, "joint", index),
                         "there is no joint %d in this model", (int)joint.i);
    const sari_joint* j = &model->joints[joint.i];
    if (sari_joint_has(j, coordinate)) return SAR_OK;
    if (j->relation)
        return sari_fail(error, SAR_E_MODEL, indexed(text, "joint", index),
                         "\"%s\" is a %s and has no coordinate of its own; name a joint", j->name,
                         sari_joint_word(j));
    if (sari_type_keeps(sari_type_of(&j->pair)))
        return sari_fail(error, SAR_E_MODEL, indexed(text, "joint", index),
                         "\"%s\" is a %s joint: it keeps its only coordinate constant", j->name,
                         sari_joint_word(j));
    return sari_fail(error, SAR_E_MODEL, indexed(text, "coordinate", index),
                     "\"%s\" is a %s joint: it has no %s; it has %s", j->name, sari_joint_word(j),
                     sari_coordinate_word(coordinate),
                     sari_list_coordinates(j, sari_joint_has, list));
}
