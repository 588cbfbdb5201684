/* The walker over tables of keys (elements/definition.h): what each kind of key is in a file. */
#include "input/keys.h"
#include "model/model.h"
#include "sarrus/compliant.h"

#include <stdio.h>
#include <string.h>

static void* member(const sari_key_reader* f, size_t offset)
{
    return sari_member(f->def, offset);
}

/* ---- places --------------------------------------------------------------------------------- */

static void read_place(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    (void)key, (void)node;
    sar_end end = {{0}, {0}, {0}, {0}};
    const sari_node* target = sari_node_get(f->e.map, "acts_on");
    if (!target || !sari_read_point(f->r, target, "acts_on", &end)) return;
    *(sar_body_id*)member(f, f->is->body) = end.body;
    memcpy(member(f, f->is->point), end.point, sizeof end.point);
}

static void read_body_alone(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    node = sari_node_get(f->e.map, "acts_on");
    if (node) sari_read_body(f->r, node, key->word, member(f, f->is->body));
}

static void read_body(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    sari_read_body(f->r, node, key->word, member(f, key->member));
}

static void read_frames(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    (void)key, (void)node;
    sar_end *a = member(f, f->is->ends), *b = a + 1;
    if (!sari_read_between(f->r, &f->e, a, b)) return;
    sari_read_directions(f->r, &f->e, "axis", a, b, a->axis, b->axis);
    sari_read_directions(f->r, &f->e, "normal", a, b, a->normal, b->normal);
}

static void read_points(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    sar_end* ends = member(f, f->is->ends);
    int* count = member(f, f->is->ends_count);
    if (node->kind != SARI_NODE_LIST || node->count < 2 || node->count > SAR_CABLE_POINTS) {
        sari_report(f->r, node, "%s must be a list of 2 to %d points", key->word,
                    (int)SAR_CABLE_POINTS);
        sari_hint(f->r, "write %s: [BODY.POINT, BODY.POINT, ...]", key->word);
        return;
    }
    *count = node->count;
    for (int k = 0; k < node->count; k++)
        sari_read_point(f->r, node->values[k], sari_print(f->r, "%s[%d]", key->word, k), &ends[k]);
}

static void read_joints(sari_key_reader* f, const sari_file_key* key, const sari_node* list)
{
    sari_reader* r = f->r;
    sar_shaft_def* def = f->def;
    if (!sari_expect_list(r, list, key->word, 2)) return;
    for (int k = 0; k < 2; k++) {
        const char* what = sari_print(r, "%s[%d]", key->word, k);
        if (!sari_read_joint(r, list->values[k], what, &def->joint[k])) continue;
        def->coordinate[k] = sari_usual_coordinate(r, def->joint[k]);
        def->factor[k] *= sari_sense(r, def->joint[k], def->coordinate[k]);
        if (def->coordinate[k] == SAR_COORD_ANGLE) continue;
        sari_report(r, list->values[k], "a %s turns: its joint '%s' has no angle", f->e.kind,
                    sar_model_joint_name(r->model, def->joint[k].i));
        sari_hint(r, "name revolute or cylindrical joints, or rotors");
    }
}

/* ---- sums of coordinates -------------------------------------------------------------------- */

/* The coefficient is the sense in which the file counts it, until the gear says more. */
static void add_term(sari_key_reader* f, sar_coupling_def* sum, const sari_node* node,
                     const char* what)
{
    const int k = sum->terms++;
    sum->coefficient[k] = 1.0;
    if (!sari_read_joint(f->r, node, what, &sum->joint[k])) return;
    sum->coordinate[k] = sari_usual_coordinate(f->r, sum->joint[k]);
    sum->coefficient[k] = sari_sense(f->r, sum->joint[k], sum->coordinate[k]);
}

static void read_term(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    add_term(f, member(f, key->member), node, key->word);
}

static void read_terms(sari_key_reader* f, const sari_file_key* key, const sari_node* list)
{
    if (!sari_expect_list(f->r, list, key->word, 2)) return;
    for (int k = 0; k < 2; k++)
        add_term(f, member(f, key->member), list->values[k],
                 sari_print(f->r, "%s[%d]", key->word, k));
}

static void read_sum(sari_key_reader* f, const sari_file_key* key, const sari_node* map)
{
    sari_reader* r = f->r;
    sar_coupling_def* sum = member(f, key->member);
    enum { LEAST = 2, MOST = sizeof sum->joint / sizeof sum->joint[0] };
    if (!sari_expect_map(r, map, key->word)) return;
    if (map->count < LEAST || map->count > MOST) {
        sari_report(r, map, "%s has %d terms; a %s has %d to %d", key->word, map->count, f->e.kind,
                    (int)LEAST, (int)MOST);
        return;
    }
    sum->terms = map->count;
    for (int k = 0; k < map->count; k++) {
        const bool known =
            sari_read_joint_coordinate(r, map->keys[k], &sum->joint[k], &sum->coordinate[k]);
        sum->coefficient[k] = sari_read_number(r, map->values[k], "the coefficient");
        if (known) sum->coefficient[k] *= sari_sense(r, sum->joint[k], sum->coordinate[k]);
    }
}

/* The coordinate of a joint on which a force acts, one of the two words. */
static void read_coordinate(sari_key_reader* f, const sari_file_key* key,
                            const char* const words[2], sar_coordinate first, sar_coordinate second)
{
    sar_coordinate* out = member(f, key->member);
    const sari_node* joint = sari_node_get(f->e.map, "joint");
    if (joint) sari_read_joint(f->r, joint, "joint", member(f, f->is->joint));
    *out = sari_read_word(f->r, &f->e, "coordinate", words, 2, 0) == 1 ? second : first;
}

/* `along` an expression of positions, in place of all that other keys say. True: it is there. */
static bool read_along(sari_key_reader* f)
{
    static const char* const others[] = {"between", "joint", "coordinate"};
    const sari_node* node = sari_node_get(f->e.map, "along");
    if (!node) return false;
    for (int k = 0; k < 3; k++) {
        const sari_node* other = sari_node_key(f->e.map, others[k]);
        if (!other) continue;
        sari_report(f->r, other, "the %s '%s' has both 'along' and '%s'", f->e.kind, f->e.name,
                    others[k]);
        sari_hint(f->r, "remove one of them");
        return true;
    }
    *(const char**)member(f, f->is->along) =
        sari_read_expression(f->r, node, "along", SARI_WITH_SIGNALS);
    return true;
}

/* `joint`, or `along`. True: there is a joint, and nothing else. */
static bool expect_joint(sari_key_reader* f)
{
    if (f->is->along && read_along(f)) return false;
    if (sari_node_get(f->e.map, "joint")) return true;
    sari_report(f->r, f->e.key, "%s '%s' lacks the key 'joint'", f->e.kind, f->e.name);
    if (f->is->along) sari_hint(f->r, "or 'along': what it acts on by an expression");
    return false;
}

static void read_angle(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    (void)node;
    static const char* const words[2] = {"angle", "angle2"};
    if (!expect_joint(f)) return;
    read_coordinate(f, key, words, SAR_COORD_ANGLE, SAR_COORD_ANGLE_2);
}

static void read_any_coordinate(sari_key_reader* f, const sari_file_key* key)
{
    sar_joint_id* id = member(f, f->is->joint);
    sar_coordinate* out = member(f, key->member);
    if (!sari_read_joint(f->r, sari_node_get(f->e.map, "joint"), "joint", id)) return;
    const int usual = (int)sari_usual_coordinate(f->r, *id);
    *out = (sar_coordinate)sari_read_word(f->r, &f->e, "coordinate", sari_coordinate_words,
                                          SARI_COORDINATES, usual);
}

static void read_motion(sari_key_reader* f, const sari_file_key* key, const sari_node* joint)
{
    (void)joint;
    if (expect_joint(f)) read_any_coordinate(f, key);
}

/* Between two points, or along a joint's displacement. */
static void read_line(sari_key_reader* f, const sari_file_key* key, const sari_node* between)
{
    static const char* const words[2] = {"displacement", "displacement2"};
    const sari_node* joint = sari_node_get(f->e.map, "joint");
    const sari_node* coordinate = sari_node_key(f->e.map, "coordinate");
    const bool any = key->kind == SARI_READ_DRIVEN;
    sar_end* ends = member(f, f->is->ends);
    if (read_along(f)) return;
    if (!joint == !between)
        sari_report(f->r, f->e.key, "the %s '%s' %s", f->e.kind, f->e.name,
                    joint ? "has both 'joint' and 'between'; remove one"
                    : any ? "lacks the key 'joint', 'between' or 'along'"
                          : "lacks the key 'between', 'joint' or 'along'");
    else if (joint && any)
        read_any_coordinate(f, key);
    else if (joint)
        read_coordinate(f, key, words, SAR_COORD_DISPLACEMENT, SAR_COORD_DISPLACEMENT_2);
    else if (coordinate)
        sari_report(f->r, coordinate,
                    "a %s between points has no 'coordinate': it acts along their distance",
                    f->e.kind);
    else
        sari_read_between(f->r, &f->e, &ends[0], &ends[1]);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* What the text at this member of the definition may use. */
static unsigned use_of(const sari_key_reader* f, size_t member)
{
    unsigned with = SARI_WITH_TIME;
    for (const sari_definition_text* text = f->is->text; text->field; text++) {
        if (text->member != member) continue;
        if (text->use & (SARI_USE_RATES | SARI_USE_ALONG)) with |= SARI_WITH_SIGNALS;
        if (text->use & SARI_USE_ALONG) with &= ~(unsigned)SARI_WITH_TIME;
        if (text->use & SARI_USE_SPRING) with |= SARI_WITH_SPRING;
        if (text->use & (SARI_USE_PLACE | SARI_USE_GROUND)) with |= SARI_WITH_PLACE;
        if (text->use & SARI_USE_SURFACE) with |= SARI_WITH_SURFACE;
    }
    return with;
}

static void read_text(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    *(const char**)member(f, key->member) =
        sari_read_expression_in(f->r, node, key->word, use_of(f, key->member), key->text);
}

/* Of a drive: a length or an angle. */
static void read_value(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    const sar_joint_id* joint = member(f, f->is->joint);
    const sar_coordinate* coordinate = member(f, f->is->coordinate);
    const bool along = *(const char**)member(f, f->is->along) != NULL;
    const char* unit = joint->i >= 0 && sari_is_angle(*coordinate) ? "[rad]" : "[m]";
    *(const char**)member(f, key->member) =
        sari_read_expression_in(f->r, node, key->word, SARI_WITH_TIME, along ? NULL : unit);
}

/* A surface, whose x direction `normal` is. */
static void read_surface(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    const sari_node* normal = sari_node_key(f->e.map, "normal");
    if (node) {
        read_text(f, key, node);
    } else if (normal) {
        sari_report(f->r, normal, "normal is the x direction of a surface, and there is none");
        sari_hint(f->r, "give a surface, or remove the key");
    }
}

/* One expression per component of the model's dimension. */
static void read_vector(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    sari_reader* r = f->r;
    const char *what = key->word, **out = member(f, key->member);
    if (!sari_expect_list(r, node, what, r->dimension)) {
        sari_hint(r, "a %s of a %s model is %s", what, r->dimension == 2 ? "planar" : "spatial",
                  r->dimension == 2 ? "[x, y]" : "[x, y, z]");
        return;
    }
    for (int k = 0; k < r->dimension; k++)
        out[k] = sari_read_expression_in(r, node->values[k], sari_print(r, "%s[%d]", what, k),
                                         use_of(f, key->member), key->text);
}

static void read_spin(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    const char** out = member(f, key->member);
    if (f->r->dimension == 2)
        out[2] = sari_read_expression_in(f->r, node, key->word, use_of(f, key->member), key->text);
    else
        read_vector(f, key, node);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void read_table(sari_key_reader* f, const sari_file_key* key, const sari_node* table)
{
    sari_reader* r = f->r;
    double* column[2];
    if (table->kind != SARI_NODE_LIST || table->count < 2) {
        char found[64];
        sari_report(r, table, "table must be a list of at least 2 pairs [x, f], here is %s",
                    sari_node_describe(table, found, sizeof found));
        return;
    }
    const int before = r->failures;
    if (!sari_read_pairs(r, table, key->word, NULL, column)) return;
    const double* x = column[0];
    for (int k = 0; k < 2; k++) *(const double**)member(f, f->is->array[k]) = column[k];
    for (int k = 1; k < table->count; k++) {
        if (r->failures == before && x[k] <= x[k - 1])
            sari_report(r, table->values[k],
                        "the first numbers of a table must increase: %g comes "
                        "after %g",
                        x[k], x[k - 1]);
    }
    *(int*)member(f, f->is->length) = table->count;
}

/* Of an entry of K or C: forces and torques per displacement and rotation. */
static const char* unit_at(int row, int column, bool damping)
{
    static const char* const units[2][3] = {{"[N/m]", "[N/rad]", "[N m/rad]"},
                                            {"[N s/m]", "[N s/rad]", "[N m s/rad]"}};
    return units[damping][(row >= 3) + (column >= 3)];
}

/* `n` numbers for a diagonal or n rows of n, into the rows and columns of the 6 x 6 matrix that
 * count: all in space; x, y of the displacement and z of the rotation in the plane. */
static void read_matrix(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    sari_reader* r = f->r;
    double* out = member(f, key->member);
    static const int planar[3] = {0, 1, 5}, spatial[6] = {0, 1, 2, 3, 4, 5};
    const int n = r->dimension == 2 ? 3 : 6, *place = r->dimension == 2 ? planar : spatial;
    const bool damping = strcmp(key->word, "C") == 0;
    if (node->kind != SARI_NODE_LIST || node->count != n) {
        char found[64];
        sari_report(r, node, "%s must be a list of %d numbers or of %d rows, here is %s", key->word,
                    n, n, sari_node_describe(node, found, sizeof found));
        return;
    }
    if (node->values[0]->kind != SARI_NODE_LIST) {
        for (int k = 0; k < n; k++)
            out[7 * place[k]] =
                sari_read_number_in(r, node->values[k], sari_print(r, "%s[%d]", key->word, k),
                                    unit_at(place[k], place[k], damping));
        return;
    }
    for (int k = 0; k < n; k++) {
        const char* row = sari_print(r, "%s[%d]", key->word, k);
        if (!sari_expect_list(r, node->values[k], row, n)) return;
        for (int j = 0; j < n; j++)
            out[6 * place[k] + place[j]] =
                sari_read_number_in(r, node->values[k]->values[j], sari_print(r, "%s[%d]", row, j),
                                    unit_at(place[k], place[j], damping));
    }
}

static void read_number(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    *(double*)member(f, key->member) = sari_read_number_in(f->r, node, key->word, key->text);
}

/* A number, or an expression of t or inputs. */
static void read_free(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    const sari_definition_text* text = f->is->text;
    if (node->kind != SARI_NODE_SCALAR || !sari_depends_on_time(f->r, node->text)) {
        read_number(f, key, node);
        return;
    }
    while (!(text->use & SARI_USE_FREE)) text++;
    *(const char**)member(f, text->member) =
        sari_read_expression_in(f->r, node, key->word, SARI_WITH_TIME, key->text);
}

static void read_preload(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    static const char WORD[] = "reaction";
    if (node->kind == SARI_NODE_SCALAR && strcmp(node->text, WORD) == 0)
        *(int*)member(f, f->is->by_reaction) = 1;
    else
        read_number(f, key, node);
}

static void read_pair(sari_key_reader* f, const sari_file_key* key, const sari_node* list)
{
    double* out = member(f, key->member);
    if (!sari_expect_list(f->r, list, key->word, 2)) return;
    for (int k = 0; k < 2; k++) {
        const int before = f->r->failures;
        out[k] = sari_read_number_in(f->r, list->values[k], key->word, key->text);
        if (f->r->failures == before && !(out[k] > 0.0))
            sari_report(f->r, list->values[k], "%s have to be positive, here is %g", key->word,
                        out[k]);
    }
}

/* ---- words ---------------------------------------------------------------------------------- */

static void read_word(sari_key_reader* f, const sari_file_key* key, const char* const* words,
                      int count)
{
    int* out = member(f, key->member);
    *out = sari_read_word(f->r, &f->e, key->word, words, count, *out);
}

static void read_axes(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    static const char* const words[] = {"world", "body"};
    sar_load_def* def = f->def;
    for (int k = 0; k < 2; k++) {
        if (node->kind != SARI_NODE_SCALAR || strcmp(node->text, words[k]) != 0) continue;
        *(int*)member(f, key->member) = k;
        return;
    }
    const char* name = sari_read_axes(f->r, node, key->word);
    if (name && strcmp(name, "ground") != 0) def->axes = name;
}

static void read_axis(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    static const char* const words[] = {"x", "y", "z"};
    (void)node;
    read_word(f, key, words, f->r->dimension);
}

static void read_answer(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    (void)node;
    *(int*)member(f, key->member) = sari_answer(f->r, &f->e, key->word);
}

static void read_crossed(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    double* pair = member(f, key->member);
    (void)node;
    if (sari_answer(f->r, &f->e, key->word)) pair[1] = -pair[1];
}

static void read_side(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    static const char* const words[] = {"left", "right"};
    (void)node;
    read_word(f, key, words, 2);
}

static void read_end(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    static const char* const words[] = {"a", "b", "middle"};
    (void)node;
    read_word(f, key, words, 3);
}

/* ---- tyres ---------------------------------------------------------------------------------- */

static void read_direction(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    sari_read_numbers(f->r, node, key->word, 3, member(f, key->member));
}

static void read_tyre_file(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    sar_magic_tyre_def* def = f->def;
    (void)key;
    sari_read_tyre_file(f->r, node, def->coefficient, &def->measured);
}

static void read_coefficients(sari_key_reader* f, const sari_file_key* key, const sari_node* node)
{
    sari_read_coefficients(f->r, node, member(f, key->member));
}

/* ---- keys ----------------------------------------------------------------------------------- */

static const struct {
    void (*read)(sari_key_reader* f, const sari_file_key* key, const sari_node* node);
    bool always; ///< without the key too: others may stand for it
} READERS[SARI_READ_KINDS] = {
    [SARI_READ_PLACE] = {read_place, true},
    [SARI_READ_TARGET] = {read_body_alone, true},
    [SARI_READ_BODY] = {read_body, false},
    [SARI_READ_FRAMES] = {read_frames, false},
    [SARI_READ_LINE] = {read_line, true},
    [SARI_READ_ANGLE] = {read_angle, true},
    [SARI_READ_NUMBER] = {read_number, false},
    [SARI_READ_FREE] = {read_free, false},
    [SARI_READ_TEXT] = {read_text, false},
    [SARI_READ_VECTOR] = {read_vector, false},
    [SARI_READ_SPIN] = {read_spin, false},
    [SARI_READ_MATRIX] = {read_matrix, false},
    [SARI_READ_TABLE] = {read_table, false},
    [SARI_READ_AXES] = {read_axes, false},
    [SARI_READ_AXIS] = {read_axis, false},
    [SARI_READ_ANSWER] = {read_answer, false},
    [SARI_READ_MOTION] = {read_motion, true},
    [SARI_READ_PRELOAD] = {read_preload, false},
    [SARI_READ_SIDE] = {read_side, false},
    [SARI_READ_DIRECTION] = {read_direction, false},
    [SARI_READ_TYRE_FILE] = {read_tyre_file, false},
    [SARI_READ_COEFFICIENTS] = {read_coefficients, false},
    [SARI_READ_END] = {read_end, false},
    [SARI_READ_JOINTS] = {read_joints, false},
    [SARI_READ_PAIR] = {read_pair, false},
    [SARI_READ_CROSSED] = {read_crossed, false},
    [SARI_READ_TERM] = {read_term, false},
    [SARI_READ_TERMS] = {read_terms, false},
    [SARI_READ_SUM] = {read_sum, false},
    [SARI_READ_DRIVEN] = {read_line, true},
    [SARI_READ_VALUE] = {read_value, false},
    [SARI_READ_SURFACE] = {read_surface, true},
    [SARI_READ_POINTS] = {read_points, false},
    [SARI_READ_LAWS] = {read_vector, false},
    [SARI_READ_LAWS_OF_TURNS] = {read_spin, false},
};

static void read_key(sari_key_reader* f, const sari_file_key* key)
{
    const sari_node* node = sari_node_get(f->e.map, key->word);
    if (key->flags & SARI_ELSEWHERE) return;
    if (READERS[key->kind].read && (node || READERS[key->kind].always))
        READERS[key->kind].read(f, key, node);
}

void sari_check_words(sari_key_reader* f, const char* const* more)
{
    enum { MORE = 5 };
    sari_key keys[SARI_FILE_KEYS + MORE];
    int count = 0;
    if (strcmp(*more, "type") == 0) keys[count++] = (sari_key){*more++, SARI_KEY_REQUIRED};
    for (const sari_file_key* key = f->word->key; key->word; key++)
        keys[count++] = (sari_key){key->word, key->flags & SARI_MUST ? SARI_KEY_REQUIRED : 0u};
    for (; *more; more++) keys[count++] = (sari_key){*more, 0};
    sari_check_keys(f->r, &f->e, keys, count);
}

bool sari_read_keys(sari_key_reader* f)
{
    f->def = sari_take(f->r, 1, f->is->size);
    if (!f->def) return false;
    memset(f->def, 0, f->is->size);
    if (f->is->usual) memcpy(f->def, f->is->usual, f->is->size);
    *(const char**)f->def = f->e.name;
    for (const sari_file_key* key = f->word->key; key->word; key++) read_key(f, key);
    return true;
}
