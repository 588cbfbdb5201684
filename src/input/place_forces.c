/* Forces of assemblies that are turned, moved or mirrored. What the model takes in world axes, a
 * file gives in the axes in which it is drawn. */
#include "elements/force.h"
#include "input/reader.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <math.h>
#include <string.h>

/* ---- loads ---------------------------------------------------------------------------------- */

/* sum of factor[k] * (text[k]); NULL: nothing */
static const char* combine(sari_reader* r, const double factor[3], const char* const text[3])
{
    const char* sum = NULL;
    for (int k = 0; k < 3; k++) {
        if (!text[k] || factor[k] == 0.0) continue;
        const char* term = factor[k] == 1.0 ? sari_print(r, "(%s)", text[k])
                                            : sari_print(r, "%.17g*(%s)", factor[k], text[k]);
        if (!term) return NULL;
        sum = sum ? sari_print(r, "%s + %s", sum, term) : term;
    }
    return sum;
}

/* Components of a force, or those of a torque, which is a turn: det(A) A t. */
static void place_components(sari_reader* r, const char** text, bool in_body, bool turn)
{
    const sari_placement* p = &r->scope->placement;
    const char* placed[3];
    for (int i = 0; i < 3; i++) {
        double row[3];
        for (int k = 0; k < 3; k++) {
            row[k] = in_body ? (i == k ? p->S[k] : 0.0) : p->A[3 * i + k];
            if (turn && p->mirrored) row[k] = -row[k];
        }
        placed[i] = combine(r, row, text);
    }
    memcpy((void*)text, placed, sizeof placed);
}

/* ---- bushings ------------------------------------------------------------------------------- */

/* Directions of a frame that is left out: the axes in which the file is drawn, in both bodies. */
static void give_frame(sari_reader* r, sar_end* a, sar_end* b)
{
    const sari_placement* p = &r->scope->placement;
    sar_end* ends[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
        sari_put_vector(p, x), sari_put_vector(p, y);
        sari_as_drawn(r->model, SAR_GROUND, ends[k]->body, x, ends[k]->axis);
        sari_as_drawn(r->model, SAR_GROUND, ends[k]->body, y, ends[k]->normal);
        if (r->dimension == 2) memset(ends[k]->normal, 0, sizeof y);
    }
}

/* A frame (axis, normal, axis x normal) is right-handed: mirrored, its third direction is the
 * opposite of the mirror image. So the third component of a displacement and the first two of a
 * rotation change their signs; in the plane, where the normal is the axis turned, the second of
 * the displacement and the rotation do. */
static const double* signs_of_mirrored(int dimension)
{
    static const double space[6] = {1, 1, -1, -1, -1, 1}, plane[6] = {1, -1, 1, 1, 1, -1};
    return dimension == 2 ? plane : space;
}

static void mirror_matrix(int dimension, double M[36])
{
    const double* sign = signs_of_mirrored(dimension);
    for (int k = 0; k < 36; k++) M[k] *= sign[k / 6] * sign[k % 6];
}

static void place_frames(sari_reader* r, sar_end* a, sar_end* b)
{
    const sari_placement* p = &r->scope->placement;
    if (sari_is_zero(a->axis) && sari_is_zero(b->axis))
        give_frame(r, a, b);
    else if (r->dimension == 3)
        sari_keep_normal(r, a, b);
    else if (p->mirrored)
        memset(a->normal, 0, sizeof a->normal), memset(b->normal, 0, sizeof b->normal);
}

/* ---- wheels on roads ------------------------------------------------------------------------ */

/* The axis of the world along which one of the file lies: -1 if none does. */
static int world_axis(const sari_placement* p, int axis, double* sign)
{
    for (int k = 0; k < 3; k++)
        if (fabs(p->A[3 * k + axis]) == 1.0) {
            *sign = p->A[3 * k + axis];
            return k;
        }
    return -1;
}

static int usual_axis(const sari_reader* r, const char* word, int given, int up)
{
    if (given >= 0) return given;
    return strcmp(word, "up") == 0 ? r->dimension - 1 : up == 0 ? 1 : 0;
}

/* Height and place of a road are those of the file. */
static void place_road(sari_reader* r, const sari_force_type* type, void* def, double from_up,
                       double from_forward, double sign)
{
    const char* place = sari_print(r, "(%.17g*(x-(%.17g)))", sign, from_forward);
    for (const sari_definition_text* text = type->is.text; text->field && place; text++) {
        const char** at = sari_member(def, text->member);
        if (!(text->use & SARI_USE_PLACE)) continue;
        if (strcmp(text->field, "along") == 0)
            *at = *at ? sari_replace_name(r, *at, "x", place) : place;
        else
            *at = sari_print(r, "(%s)+(%.17g)", *at ? *at : text->usual, from_up);
    }
}

/* The surface of a fluid stays level: the file may be turned about the axis upwards alone. */
static void place_level(sari_reader* r, const sari_element* e, int* up, double* level)
{
    const sari_placement* p = &r->scope->placement;
    double sense = 0.0;
    const int to = world_axis(p, usual_axis(r, "up", *up, 0), &sense);
    if (to < 0 || sense < 0.0) {
        sari_report(r, e->key, "the surface of the %s '%s' is level, but its file is turned %s",
                    e->kind, e->name, sense < 0.0 ? "upside down" : "to another direction");
        sari_hint(r, "turn the assembly about the axis upwards only");
        return;
    }
    *up = to;
    *level += p->d[to];
}

static void place_axes(sari_reader* r, const sari_element* e, const sari_force_type* type,
                       const sari_file_word* word, void* def)
{
    const sari_placement* p = &r->scope->placement;
    int *up = NULL, *forward = NULL;
    double* level = NULL;
    for (const sari_file_key* key = word->key; key->word; key++) {
        if (strcmp(key->word, "level") == 0) level = sari_member(def, key->member);
        if (key->kind != SARI_READ_AXIS) continue;
        if (strcmp(key->word, "up") == 0) up = sari_member(def, key->member);
        if (strcmp(key->word, "forward") == 0) forward = sari_member(def, key->member);
    }
    if (up && level) place_level(r, e, up, level);
    if (!up || !forward) return;
    double sense_up = 0.0, sense = 0.0;
    const int from_up = usual_axis(r, "up", *up, 0);
    const int from_forward = usual_axis(r, "forward", *forward, from_up);
    const int to_up = world_axis(p, from_up, &sense_up);
    const int to_forward = world_axis(p, from_forward, &sense);
    if (to_up < 0 || to_forward < 0 || sense_up < 0.0) {
        sari_report(r, e->key,
                    "the %s '%s' stands on a road along world axes, but its file is "
                    "turned to %s",
                    e->kind, e->name, sense_up < 0.0 ? "upside down" : "another direction");
        sari_hint(r, "turn the assembly by quarter turns about the axis upwards only");
        return;
    }
    *up = to_up, *forward = to_forward;
    place_road(r, type, def, p->d[to_up], p->d[to_forward], sense);
}

/* ---- forces on coordinates that count the other way ----------------------------------------- */

static void reverse_arrays(const sari_force_type* type, void* def)
{
    if (!type->is.length) return;
    const int n = *(int*)sari_member(def, type->is.length);
    for (int i = 0; i < 2; i++) {
        double* column = *(double**)sari_member(def, type->is.array[i]); // the reader's own
        for (int k = 0; k < n / 2; k++) {
            const double other = column[n - 1 - k];
            column[n - 1 - k] = column[k];
            column[k] = other;
        }
        for (int k = 0; k < n; k++) column[k] = -column[k];
    }
}

static sar_coordinate coordinate_of(const sari_file_word* word, void* def)
{
    for (const sari_file_key* key = word->key; key->word; key++)
        if (key->kind == SARI_READ_LINE || key->kind == SARI_READ_ANGLE ||
            key->kind == SARI_READ_MOTION)
            return *(sar_coordinate*)sari_member(def, key->member);
    return SAR_COORD_DISTANCE;
}

static bool is_reversed(const sari_reader* r, const sari_force_type* type,
                        const sari_file_word* word, void* def)
{
    const sar_joint_id joint = {sari_force_joint(type, def)};
    return sari_sense(r, joint, coordinate_of(word, def)) < 0;
}

/* ---- wheels --------------------------------------------------------------------------------- */

/* The mirror image of an axis that points to the left points to the right. */
static void mirror_wheel(const sari_placement* p, double axis[3])
{
    for (int k = 0; k < 3; k++) axis[k] *= -p->S[k];
}

static void change_side(void* def_)
{
    sar_magic_tyre_def* def = def_;
    const int side = def->mounted < 0 ? def->measured : def->mounted;
    def->mounted = side == SAR_TYRE_LEFT ? SAR_TYRE_RIGHT : SAR_TYRE_LEFT;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool in_body_axes(const sari_file_word* word, void* def)
{
    for (const sari_file_key* key = word->key; key->word; key++)
        if (key->kind == SARI_READ_AXES)
            return ((sar_load_def*)def)->axes || *(int*)sari_member(def, key->member) != 0;
    return false;
}

static void place_key(sari_reader* r, const sari_force_type* type, const sari_file_word* word,
                      const sari_file_key* key, void* def)
{
    const sari_placement* p = &r->scope->placement;
    sar_end* ends = sari_force_ends(type, def);
    void* at = sari_member(def, key->member);
    switch (key->kind) {
    case SARI_READ_VECTOR:
    case SARI_READ_SPIN:
        place_components(r, at, in_body_axes(word, def), key->kind == SARI_READ_SPIN);
        break;
    case SARI_READ_FRAMES:
        place_frames(r, &ends[0], &ends[1]);
        break;
    case SARI_READ_MATRIX:
        if (p->mirrored) mirror_matrix(r->dimension, at);
        break;
    case SARI_READ_DIRECTION:
        if (p->mirrored) mirror_wheel(p, at);
        break;
    case SARI_READ_SIDE:
        if (p->mirrored) change_side(def);
        break;
    case SARI_READ_SURFACE: // y is across axis and normal: it has changed its side; planar x
        if (p->mirrored && *(const char**)at)
            *(const char**)at = r->dimension == 2
                                    ? sari_replace_name(r, *(const char**)at, "x", "(-x)")
                                    : sari_replace_name(r, *(const char**)at, "y", "(-y)");
        break;
    default:
        break;
    }
}

void sari_place_force(sari_reader* r, const sari_element* e, const sari_force_type* type,
                      const sari_file_word* word, void* def)
{
    if (is_reversed(r, type, word, def)) {
        reverse_arrays(type, def);
        if (type->reverse) type->reverse(def);
    }
    if (!r->scope->placement.moved) return;
    for (const sari_file_key* key = word->key; key->word; key++) place_key(r, type, word, key, def);
    place_axes(r, e, type, word, def);
}

/* Laws of x and v; a free length or angle has the sign of its coordinate. */
static void reverse_text(sari_reader* r, sari_force* force, int k, bool free)
{
    const unsigned own = 1u << SARI_VARIABLE_X | 1u << SARI_VARIABLE_V;
    if (force->expression[k] && !sari_expression_reverse(&force->expression[k], free ? 0u : own))
        sari_fail_memory(r);
}

/* The k-th component of a law per axis, of a displacement or of a rotation. */
static bool is_mirrored(const sari_reader* r, const sari_file_word* word, size_t text)
{
    const double* sign = signs_of_mirrored(r->dimension);
    for (const sari_file_key* key = word->key; key->word; key++) {
        const bool turns = key->kind == SARI_READ_LAWS_OF_TURNS;
        for (int k = 0; (turns || key->kind == SARI_READ_LAWS) && k < 3; k++)
            if (text == key->member + (size_t)k * sizeof(char*))
                return r->scope->placement.mirrored && sign[k + 3 * turns] < 0.0;
    }
    return false;
}

void sari_place_laws(sari_reader* r, const sari_force_type* type, const sari_file_word* word,
                     sari_force* force)
{
    const bool reversed = is_reversed(r, type, word, force->def);
    for (int k = 0; type->is.text[k].field; k++) {
        const sari_definition_text* text = &type->is.text[k];
        const bool free = text->use & SARI_USE_FREE, law = text->use & SARI_USE_SPRING;
        if ((reversed && (free || law)) || is_mirrored(r, word, text->member))
            reverse_text(r, force, k, free);
    }
}
