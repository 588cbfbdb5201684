/* Forces: the keys that the constants of their types list (elements/force.h), read one by one. */
#include "elements/force.h"

#include "input/reader.h"
#include "model/model.h"
#include "sarrus/compliant.h"

#include <stdio.h>
#include <string.h>

/// What is being read.
typedef struct force_reader {
    sari_reader* r;
    sari_element e;
    const sari_force_type* type;
    void* def;
} force_reader;

/* ---- places --------------------------------------------------------------------------------- */

static void read_place(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    (void)key, (void)node;
    sar_end end = {{0}, {0}, {0}, {0}};
    const sari_node* target = sari_node_get(f->e.map, "acts_on");
    if (!target || !sari_read_point(f->r, target, "acts_on", &end)) return;
    *(sar_body_id*)sari_force_member(f->def, f->type->body) = end.body;
    memcpy(sari_force_point(f->type, f->def), end.point, sizeof end.point);
}

static void read_body_alone(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    node = sari_node_get(f->e.map, "acts_on");
    if (node) sari_read_body(f->r, node, key->word, sari_force_member(f->def, f->type->body));
}

static void read_body(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sari_read_body(f->r, node, key->word, sari_force_member(f->def, key->member));
}

static void read_frames(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    (void)key, (void)node;
    sar_end *a = sari_force_ends(f->type, f->def), *b = a + 1;
    if (!sari_read_between(f->r, &f->e, a, b)) return;
    sari_read_directions(f->r, &f->e, "axis", a, b, a->axis, b->axis);
    sari_read_directions(f->r, &f->e, "normal", a, b, a->normal, b->normal);
}

static void read_points(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sar_end* ends = sari_force_ends(f->type, f->def);
    int* count = sari_force_member(f->def, f->type->ends_count);
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

static void read_joints(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    (void)key;
    sari_read_shaft_joints(f->r, &f->e, node, f->def);
}

/* The coordinate of a joint on which a force acts, one of the two words. */
static void read_coordinate(force_reader* f, const sari_force_key* key, const char* const words[2],
                            sar_coordinate first, sar_coordinate second)
{
    sar_coordinate* out = sari_force_member(f->def, key->member);
    const sari_node* joint = sari_node_get(f->e.map, "joint");
    if (joint) sari_read_joint(f->r, joint, "joint", sari_force_member(f->def, f->type->joint));
    *out = sari_word(f->r, &f->e, "coordinate", words, 2, 0) == 1 ? second : first;
}

/* `along` an expression of positions, in place of all that other keys say. True: it is there. */
static bool read_along(force_reader* f)
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
    *(const char**)sari_force_member(f->def, f->type->along) =
        sari_read_expression(f->r, node, "along", SARI_WITH_SIGNALS);
    return true;
}

/* `joint`, or `along`. True: there is a joint, and nothing else. */
static bool expect_joint(force_reader* f)
{
    if (f->type->along && read_along(f)) return false;
    if (sari_node_get(f->e.map, "joint")) return true;
    sari_report(f->r, f->e.key, "%s '%s' lacks the key 'joint'", f->e.kind, f->e.name);
    if (f->type->along) sari_hint(f->r, "or 'along': what it acts on by an expression");
    return false;
}

static void read_angle(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    (void)node;
    static const char* const words[2] = {"angle", "angle2"};
    if (!expect_joint(f)) return;
    read_coordinate(f, key, words, SAR_COORD_ANGLE, SAR_COORD_ANGLE_2);
}

static void read_motion(force_reader* f, const sari_force_key* key, const sari_node* joint)
{
    sar_joint_id* id = sari_force_member(f->def, f->type->joint);
    sar_coordinate* out = sari_force_member(f->def, key->member);
    if (!expect_joint(f) || !sari_read_joint(f->r, joint, key->word, id)) return;
    const int usual = (int)sari_usual_coordinate(f->r, *id);
    *out = (sar_coordinate)sari_word(f->r, &f->e, "coordinate", sari_coordinate_words,
                                     SARI_COORDINATES, usual);
}

/* Between two points, or along a joint's displacement. */
static void read_line(force_reader* f, const sari_force_key* key, const sari_node* between)
{
    static const char* const words[2] = {"displacement", "displacement2"};
    const sari_node* joint = sari_node_get(f->e.map, "joint");
    const sari_node* coordinate = sari_node_key(f->e.map, "coordinate");
    sar_end* ends = sari_force_ends(f->type, f->def);
    if (read_along(f)) return;
    if (!joint == !between)
        sari_report(f->r, f->e.key, "the %s '%s' %s", f->e.kind, f->e.name,
                    joint ? "has both 'joint' and 'between'; remove one"
                          : "lacks the key 'between', 'joint' or 'along'");
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
static unsigned use_of(const sari_force_type* type, size_t member)
{
    unsigned with = SARI_WITH_TIME;
    for (const sari_force_text* text = type->text; text->field; text++) {
        if (text->member != member) continue;
        if (text->use & (SARI_USE_RATES | SARI_USE_ALONG)) with |= SARI_WITH_SIGNALS;
        if (text->use & SARI_USE_ALONG) with &= ~(unsigned)SARI_WITH_TIME;
        if (text->use & SARI_USE_SPRING) with |= SARI_WITH_SPRING;
        if (text->use & (SARI_USE_PLACE | SARI_USE_GROUND)) with |= SARI_WITH_PLACE;
        if (text->use & SARI_USE_SURFACE) with |= SARI_WITH_SURFACE;
    }
    return with;
}

static void read_text(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    *(const char**)sari_force_member(f->def, key->member) =
        sari_read_expression_in(f->r, node, key->word, use_of(f->type, key->member), key->text);
}

/* A surface, whose x direction `normal` is. */
static void read_surface(force_reader* f, const sari_force_key* key, const sari_node* node)
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
static void read_vector(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sari_reader* r = f->r;
    const char *what = key->word, **out = sari_force_member(f->def, key->member);
    if (!sari_expect_list(r, node, what, r->dimension)) {
        sari_hint(r, "a %s of a %s model is %s", what, r->dimension == 2 ? "planar" : "spatial",
                  r->dimension == 2 ? "[x, y]" : "[x, y, z]");
        return;
    }
    for (int k = 0; k < r->dimension; k++) {
        char item[32];
        snprintf(item, sizeof item, "%s[%d]", what, k);
        out[k] = sari_read_expression_in(r, node->values[k], item, use_of(f->type, key->member),
                                         key->text);
    }
}

static void read_spin(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    const char** out = sari_force_member(f->def, key->member);
    if (f->r->dimension == 2)
        out[2] =
            sari_read_expression_in(f->r, node, key->word, use_of(f->type, key->member), key->text);
    else
        read_vector(f, key, node);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void read_pair(sari_reader* r, const sari_node* pair, int k, double* x, double* f)
{
    char what[32];
    double values[2];
    snprintf(what, sizeof what, "table[%d]", k);
    sari_read_numbers(r, pair, what, 2, values);
    x[k] = values[0];
    f[k] = values[1];
}

static void read_table(force_reader* f, const sari_force_key* key, const sari_node* table)
{
    (void)key;
    sari_reader* r = f->r;
    if (table->kind != SARI_NODE_LIST || table->count < 2) {
        char found[64];
        sari_report(r, table, "table must be a list of at least 2 pairs [x, f], here is %s",
                    sari_node_describe(table, found, sizeof found));
        return;
    }
    double* column[2];
    for (int k = 0; k < 2; k++) {
        column[k] = sari_scratch_allocate(&r->texts, (size_t)table->count * sizeof(double));
        if (!column[k]) {
            sari_fail_memory(r);
            return;
        }
        *(const double**)sari_force_member(f->def, f->type->array[k]) = column[k];
    }
    int before = r->failures;
    for (int k = 0; k < table->count; k++) {
        const double* x = column[0];
        read_pair(r, table->values[k], k, column[0], column[1]);
        if (r->failures == before && k > 0 && x[k] <= x[k - 1])
            sari_report(r, table->values[k],
                        "the first numbers of a table must increase: %g comes "
                        "after %g",
                        x[k], x[k - 1]);
    }
    *(int*)sari_force_member(f->def, f->type->length) = table->count;
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
static void read_matrix(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sari_reader* r = f->r;
    double* out = sari_force_member(f->def, key->member);
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
        for (int k = 0; k < n; k++) {
            char what[32];
            snprintf(what, sizeof what, "%s[%d]", key->word, k);
            out[7 * place[k]] =
                sari_read_number_in(r, node->values[k], what, unit_at(place[k], place[k], damping));
        }
        return;
    }
    for (int k = 0; k < n; k++) {
        char row[32];
        snprintf(row, sizeof row, "%s[%d]", key->word, k);
        if (!sari_expect_list(r, node->values[k], row, n)) return;
        for (int j = 0; j < n; j++) {
            char what[48];
            snprintf(what, sizeof what, "%s[%d]", row, j);
            out[6 * place[k] + place[j]] = sari_read_number_in(
                r, node->values[k]->values[j], what, unit_at(place[k], place[j], damping));
        }
    }
}

static void read_number(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    *(double*)sari_force_member(f->def, key->member) =
        sari_read_number_in(f->r, node, key->word, key->text);
}

/* A number, or an expression of t or inputs. */
static void read_free(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    const sari_force_text* text = f->type->text;
    if (node->kind != SARI_NODE_SCALAR || !sari_depends_on_time(f->r, node->text)) {
        read_number(f, key, node);
        return;
    }
    while (!(text->use & SARI_USE_FREE)) text++;
    *(const char**)sari_force_member(f->def, text->member) =
        sari_read_expression_in(f->r, node, key->word, SARI_WITH_TIME, key->text);
}

static void read_preload(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    static const char WORD[] = "reaction";
    if (node->kind == SARI_NODE_SCALAR && strcmp(node->text, WORD) == 0)
        *(int*)sari_force_member(f->def, f->type->by_reaction) = 1;
    else
        read_number(f, key, node);
}

static void read_radii(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sari_read_radii(f->r, &f->e, node, sari_force_member(f->def, key->member));
}

/* ---- words ---------------------------------------------------------------------------------- */

static void read_word(force_reader* f, const sari_force_key* key, const char* const* words,
                      int count)
{
    int* out = sari_force_member(f->def, key->member);
    *out = sari_word(f->r, &f->e, key->word, words, count, *out);
}

static void read_axes(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    static const char* const words[] = {"world", "body"};
    sar_load_def* def = f->def;
    for (int k = 0; k < 2; k++) {
        if (node->kind != SARI_NODE_SCALAR || strcmp(node->text, words[k]) != 0) continue;
        *(int*)sari_force_member(f->def, key->member) = k;
        return;
    }
    const char* name = sari_read_axes(f->r, node, key->word);
    if (name && strcmp(name, "ground") != 0) def->axes = name;
}

static void read_axis(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    static const char* const words[] = {"x", "y", "z"};
    (void)node;
    read_word(f, key, words, f->r->dimension);
}

static void read_answer(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    static const char* const words[] = {"no", "yes", "false", "true"};
    (void)node;
    read_word(f, key, words, 4);
    *(int*)sari_force_member(f->def, key->member) %= 2;
}

static void read_side(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    static const char* const words[] = {"left", "right"};
    (void)node;
    read_word(f, key, words, 2);
}

static void read_end(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    static const char* const words[] = {"a", "b", "middle"};
    (void)node;
    read_word(f, key, words, 3);
}

/* ---- tyres ---------------------------------------------------------------------------------- */

static void read_direction(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sari_read_numbers(f->r, node, key->word, 3, sari_force_member(f->def, key->member));
}

static void read_tyre_file(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sar_magic_tyre_def* def = f->def;
    (void)key;
    sari_read_tyre_file(f->r, node, def->coefficient, &def->measured);
}

static void read_coefficients(force_reader* f, const sari_force_key* key, const sari_node* node)
{
    sari_read_coefficients(f->r, node, sari_force_member(f->def, key->member));
}

/* ---- keys ----------------------------------------------------------------------------------- */

static const struct {
    void (*read)(force_reader* f, const sari_force_key* key, const sari_node* node);
    bool always; ///< without the key too: others may stand for it
} READERS[] = {
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
    [SARI_READ_RADII] = {read_radii, false},
    [SARI_READ_SURFACE] = {read_surface, true},
    [SARI_READ_POINTS] = {read_points, false},
    [SARI_READ_LAWS] = {read_vector, false},
    [SARI_READ_LAWS_OF_TURNS] = {read_spin, false},
};

static void read_key(force_reader* f, const sari_force_key* key)
{
    const sari_node* node = sari_node_get(f->e.map, key->word);
    if (READERS[key->kind].read && (node || READERS[key->kind].always))
        READERS[key->kind].read(f, key, node);
}

/* Unknown keys, and missing ones; `type` and `when` are keys of all forces. */
static void check_keys(force_reader* f, const sari_force_word* word)
{
    sari_key keys[SARI_FORCE_KEYS + 4] = {{"type", SARI_KEY_REQUIRED}};
    int count = 1;
    for (const sari_force_key* key = word->key; key->word; key++)
        keys[count++] = (sari_key){key->word, key->flags & SARI_MUST ? SARI_KEY_REQUIRED : 0u};
    keys[count++] = (sari_key){"when", 0};
    keys[count++] = (sari_key){"active", 0};
    keys[count++] = (sari_key){"smooth", 0};
    sari_check_keys(f->r, &f->e, keys, count);
}

static void check_acts(force_reader* f, const sari_force_word* word, int before)
{
    if (!word->idle || f->r->failures != before) return; // a key may be misspelt
    for (const sari_force_key* key = word->key; key->word; key++)
        if (key->flags & SARI_MAY_ALONE && sari_node_get(f->e.map, key->word)) return;
    sari_report(f->r, f->e.key, "the %s '%s' does nothing", f->e.kind, f->e.name);
    sari_hint(f->r, "%s", word->idle);
}

/* Only forces by expressions have jumps that could be events. */
static bool read_smooth(force_reader* f)
{
    static const char* const words[] = {"no", "yes", "false", "true"};
    const sari_node* key = sari_node_key(f->e.map, "smooth");
    const int word = sari_word(f->r, &f->e, "smooth", words, 4, 0);
    if (key && !f->type->text[0].field) {
        sari_report(f->r, key, "a %s has no expression that could jump", f->e.kind);
        sari_hint(f->r, "remove 'smooth'");
    }
    return word == 1 || word == 3;
}

/* Of two words one is for lengths, the other for angles. */
static void check_along(force_reader* f, int type, const sari_force_word* word)
{
    const sari_force_list* list = &f->r->model->forces[type];
    const void* def = list->at[list->count - 1].def;
    const int turns = sari_force_turns(f->type, def);
    if (!sari_force_along(f->type, def) || !f->type->word[1].word) return;
    if (word == &f->type->word[turns]) return;
    sari_report(f->r, sari_node_get(f->e.map, "along"), "'%.60s' is %s, no %s",
                sari_force_along(f->type, def), turns ? "an angle" : "a length",
                turns ? "length" : "angle");
    sari_hint(f->r, "use 'type: %s'", f->type->word[turns].word);
}

static void read_force(force_reader* f, int type, const sari_force_word* word, int before)
{
    sar_error error;
    check_keys(f, word);
    f->def = sari_scratch_allocate(&f->r->texts, f->type->size);
    if (!f->def) {
        sari_fail_memory(f->r);
        return;
    }
    memset(f->def, 0, f->type->size);
    if (f->type->usual) memcpy(f->def, f->type->usual, f->type->size);
    *(const char**)f->def = f->e.name;
    for (const sari_force_key* key = word->key; key->word; key++) read_key(f, key);
    check_acts(f, word, before);
    if (f->r->failures == before) sari_place_force(f->r, &f->e, f->type, word, f->def);
    const bool absent = sari_read_absent(f->r, &f->e), smooth = read_smooth(f);
    if (f->r->failures != before) return;
    if (sari_model_add_force(f->r->model, type, f->def, &error) != SAR_OK) {
        sari_reject(f->r, &f->e, &error);
        return;
    }
    check_along(f, type, word);
    if (absent) sar_model_set_force_absent(f->r->model, f->e.name);
    if (smooth) sar_model_set_force_smooth(f->r->model, f->e.name);
}

/* By the type that its map names. */
static void read_element(force_reader* f, int before)
{
    enum { MOST = SARI_FORCE_TYPES * SARI_FORCE_WORDS };
    const char* words[MOST];
    const sari_force_word* list[MOST];
    int types[MOST], count = 0;
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        for (const sari_force_word* w = sari_force_types[type]->word;
             !sari_force_is_state(sari_force_types[type]) && w->word; w++, count++)
            words[count] = w->word, list[count] = w, types[count] = type;
    const int k = sari_word(f->r, &f->e, "type", words, count, count);
    if (k == count) {
        sari_report(f->r, f->e.key, "force '%s' lacks the key 'type'", f->e.name);
        sari_hint_words(f->r, words, count);
    }
    if (k < 0 || k == count) return;
    f->e.kind = words[k];
    f->type = sari_force_types[types[k]];
    read_force(f, types[k], list[k], before);
}

void sari_read_force_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    const int before = r->failures;
    force_reader f = {.r = r};
    if (!sari_element_open(r, "force", key, value, &f.e)) return;
    read_element(&f, before);
    if (r->failures != before) sari_remember(r, &r->failed, f.e.name);
}
