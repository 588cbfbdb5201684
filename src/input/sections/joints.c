/* Joints of two bodies; gears and rotors, which share their section, wait until these are there. */
#include "elements/element.h"
#include "elements/gear.h"
#include "input/reader.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* ---- types ---------------------------------------------------------------------------------- */

enum { OTHER = SARI_JOINT_TYPES, WORDS = OTHER + SARI_GEARS + 1, UNKNOWN = -1, MISSING = -2 };

static const sari_joint_form* form_of(const sari_reader* r, int type)
{
    const sari_joint_type* t = sari_joint_types[type];
    return r->dimension == 2 ? &t->plane : &t->space;
}

/* The words of this dimension's joints, gears, couplers and rotors, for messages. */
static int list_types(const sari_reader* r, const char* words[WORDS])
{
    int count = 0;
    for (int k = 0; k < SARI_JOINT_TYPES; k++)
        if (sari_form_exists(form_of(r, k))) words[count++] = sari_joint_types[k]->word;
    for (int k = 0; k < SARI_GEARS; k++) words[count++] = sari_gear_types[k]->is.word->word;
    words[count++] = sari_rotor_definition.word->word;
    return count;
}

static int read_type(sari_reader* r, const sari_node* map)
{
    const sari_node* node = sari_node_get(map, "type");
    if (!node) return MISSING;
    int before = r->failures;
    sari_text t = sari_read_text(r, node, "type");
    if (r->failures != before) return UNKNOWN;
    const char* words[WORDS];
    int count = list_types(r, words);
    for (int k = count - SARI_GEARS - 1; k < count; k++)
        if (strcmp(t.text, words[k]) == 0) return OTHER;
    for (int k = 0; k < SARI_JOINT_TYPES; k++) {
        if (strcmp(t.text, sari_joint_types[k]->word) != 0) continue;
        if (sari_form_exists(form_of(r, k))) return k;
        sari_report(r, node, "a planar model has no %s joints", t.text);
        sari_hint_words(r, words, count);
        return UNKNOWN;
    }
    sari_report(r, node, "there is no joint type '%.60s'", t.text);
    sari_suggest(r, t.text, words, count);
    return UNKNOWN;
}

/* ---- joints --------------------------------------------------------------------------------- */

static void refuse_key(sari_reader* r, const sari_element* e, const char* key, int type)
{
    const sari_node* node = sari_node_key(e->map, key);
    if (!node) return;
    sari_report(r, node, "%s%s joints have no %s", r->dimension == 2 ? "planar " : "",
                sari_joint_types[type]->word, key);
    sari_hint(r, "remove the key");
}

static void need_key(sari_reader* r, const sari_element* e, const char* key, int type,
                     const char* hint)
{
    if (sari_node_get(e->map, key)) return;
    sari_report(r, e->key, "the %s joint '%s' lacks the key '%s'", sari_joint_types[type]->word,
                e->name, key);
    sari_hint(r, "%s", hint);
}

static const char* axis_hint(const sari_reader* r, int type)
{
    const char* own = form_of(r, type)->axis_hint;
    if (own) return own;
    return r->dimension == 2 ? "write axis: [BODY.AXIS, BODY.AXIS] or axis: [x, y]"
                             : "write axis: [BODY.AXIS, BODY.AXIS] or axis: [x, y, z]";
}

static bool has_size(int type, const char* word)
{
    for (const sari_joint_size* size = sari_joint_types[type]->size; size->word; size++)
        if (strcmp(size->word, word) == 0) return true;
    return false;
}

/* Keys that some joint has; those of sizes come from the types. */
static void check_known_keys(sari_reader* r, const sari_element* e)
{
    static const sari_key before[] = {{"type", SARI_KEY_REQUIRED},
                                      {"between", SARI_KEY_REQUIRED},
                                      {"at", 0},
                                      {"axis", 0},
                                      {"normal", 0}};
    static const sari_key after[] = {
        {"curve", 0}, {"locked", 0}, {"compliance", 0}, {"rotational_compliance", 0},
        {"when", 0},  {"active", 0}, {"attach", 0},     {"cut", 0}};
    enum { BEFORE = sizeof before / sizeof *before, AFTER = sizeof after / sizeof *after };
    sari_key keys[BEFORE + SARI_JOINT_SIZES + AFTER];
    const sari_joint_size* size;
    int count = BEFORE;
    memcpy(keys, before, sizeof before);
    for (int k = 0; (size = sari_joint_size_at(k)); k++) keys[count++] = (sari_key){size->word, 0};
    memcpy(keys + count, after, sizeof after);
    sari_check_keys(r, e, keys, count + AFTER);
}

static void check_joint_keys(sari_reader* r, const sari_element* e, int type)
{
    const sari_joint_size* size;
    check_known_keys(r, e);
    if (type < 0) return;
    const sari_joint_form* form = form_of(r, type);
    if (!form->axis) refuse_key(r, e, "axis", type);
    if (!form->normal) refuse_key(r, e, "normal", type);
    for (int k = 0; (size = sari_joint_size_at(k)); k++)
        if (!has_size(type, size->word)) refuse_key(r, e, size->word, type);

    const bool has_normal = sari_node_get(e->map, "normal") != NULL;
    if (form->axis && (form->axis != SARI_OF_BOTH_OR_NONE || has_normal))
        need_key(r, e, "axis", type, axis_hint(r, type));
    for (size = sari_joint_types[type]->size; size->word; size++)
        need_key(r, e, size->word, type, size->hint);
    if (!sari_joint_types[type]->locks)
        refuse_key(r, e, "locked", type);
    else
        need_key(r, e, "locked", type,
                 r->dimension == 2 ? "write locked: [x, y, rz], or some of these"
                                   : "write locked: [x, y, z, rx, ry, rz], or some of these");
    if (!sari_joint_types[type]->curved)
        refuse_key(r, e, "curve", type);
    else
        need_key(r, e, "curve", type,
                 "write curve: {x: EXPRESSION of s, y: EXPRESSION of s, from: S, to: S} or curve: "
                 "{points: [[x, y], ...]}");
}

/* One direction for both sides contradicts what these joints are. False: reported. */
static bool check_two_axes(sari_reader* r, const sari_element* e, const sari_joint_type* type)
{
    const sari_node* axis = sari_node_get(e->map, "axis");
    if (!axis || axis->kind != SARI_NODE_LIST || axis->count != 3) return true;
    sari_report(r, axis, "%s", type->two_axes);
    sari_hint(r, "write axis: [BODY.AXIS, BODY.AXIS]");
    return false;
}

/* Where one side alone counts, or the other has a usual direction, one will do. */
static void read_key(sari_reader* r, const sari_element* e, const char* key, sari_directions of,
                     const sar_joint_def* def, double in_a[3], double in_b[3])
{
    const sari_node* node = sari_node_get(e->map, key);
    const bool alone =
        node && node->kind == SARI_NODE_SCALAR && !sari_form_symmetric(form_of(r, (int)def->type));
    if (of == SARI_OF_A || (of == SARI_OF_BOTH && alone))
        sari_read_direction(r, e, key, SARI_FIRST, &def->a, &def->b, in_a, in_b);
    else if (of == SARI_OF_B || of == SARI_OF_B_OR_EACH)
        sari_read_direction(r, e, key, SARI_SECOND, &def->a, &def->b, in_a, in_b);
    else if (of != SARI_OF_NONE) // else it was refused
        sari_read_directions(r, e, key, &def->a, &def->b, in_a, in_b);
}

static void read_directions(sari_reader* r, const sari_element* e, sar_joint_def* def)
{
    const sari_joint_form* form = form_of(r, (int)def->type);
    const bool two = form->axis == SARI_OF_EACH || form->axis == SARI_OF_B_OR_EACH;
    if (two && !check_two_axes(r, e, sari_type_of(def))) return;
    read_key(r, e, "axis", form->axis, def, def->a.axis, def->b.axis);
    read_key(r, e, "normal", form->normal, def, def->a.normal, def->b.normal);
}

/* ---- curves --------------------------------------------------------------------------------- */

static void read_points(sari_reader* r, const sari_node* list, sar_curve* out)
{
    double* column[2];
    if (list->kind != SARI_NODE_LIST || list->count < 2) {
        sari_report(r, list, "points must be a list of pairs [x, y]");
        return;
    }
    if (!sari_read_pairs(r, list, "points", "[m]", column)) return;
    out->points = list->count;
    out->point_x = column[0];
    out->point_y = column[1];
}

static void read_curve(sari_reader* r, const sari_element* e, sar_curve* out)
{
    static const sari_key by_points[] = {{"points", SARI_KEY_REQUIRED}, {"closed", 0}};
    static const sari_key by_expressions[] = {{"x", SARI_KEY_REQUIRED},
                                              {"y", SARI_KEY_REQUIRED},
                                              {"from", SARI_KEY_REQUIRED},
                                              {"to", SARI_KEY_REQUIRED},
                                              {"closed", 0}};
    const sari_node* map = sari_node_get(e->map, "curve");
    if (!map || !sari_expect_map(r, map, "curve")) return;
    const sari_element curve = {"curve", e->name, sari_node_key(e->map, "curve"), map};
    const sari_node *points = sari_node_get(map, "points"), *x = sari_node_get(map, "x"),
                    *y = sari_node_get(map, "y");
    if (points)
        SARI_CHECK_KEYS(r, &curve, by_points);
    else
        SARI_CHECK_KEYS(r, &curve, by_expressions);
    out->closed = sari_answer(r, &curve, "closed");
    if (points) {
        read_points(r, points, out);
        return;
    }
    out->from = sari_number(r, &curve, "from", 0.0);
    out->to = sari_number(r, &curve, "to", 0.0);
    if (x) out->x = sari_read_expression_in(r, x, "x", SARI_WITH_CURVE, "[m]");
    if (y) out->y = sari_read_expression_in(r, y, "y", SARI_WITH_CURVE, "[m]");
}

static void read_locked(sari_reader* r, const sari_element* e, unsigned* out)
{
    static const char* const words[] = {"x", "y", "z", "rx", "ry", "rz"}; // as SAR_LOCK_...
    static const unsigned in_plane = SAR_LOCK_X | SAR_LOCK_Y | SAR_LOCK_RZ;
    const sari_node* list = sari_node_get(e->map, "locked");
    *out = 0;
    if (!list) return;
    const bool one = list->kind == SARI_NODE_SCALAR;
    if (!one && list->kind != SARI_NODE_LIST) {
        sari_report(r, list, "locked must be a list");
        return;
    }
    for (int k = 0; k < (one ? 1 : list->count); k++) {
        const sari_node* node = one ? list : list->values[k];
        unsigned bit = 0;
        for (int w = 0; node->kind == SARI_NODE_SCALAR && w < 6; w++)
            if (strcmp(node->text, words[w]) == 0) bit = 1u << w;
        if (!bit || (r->dimension == 2 && !(bit & in_plane))) {
            sari_report(r, node, "'%.20s' cannot be locked%s", node->text ? node->text : "",
                        bit ? " in the plane" : "");
            sari_hint(r,
                      r->dimension == 2 ? "valid are x, y, rz" : "valid are x, y, z, rx, ry, rz");
        } else if (*out & bit) {
            sari_report(r, node, "%s is listed twice", node->text);
        }
        *out |= bit;
    }
}

/* One number for all directions, or one for each. */
static void read_compliances(sari_reader* r, const sari_element* e, const char* key,
                             const char* unit, double out[3])
{
    const sari_node* node = sari_node_get(e->map, key);
    if (!node) return;
    if (node->kind == SARI_NODE_SCALAR)
        out[0] = out[1] = out[2] = sari_read_number_in(r, node, key, unit);
    else
        sari_read_numbers_in(r, node, key, 3, unit, out);
}

static void read_compliance(sari_reader* r, const sari_element* e, double out[6])
{
    const sari_node* node = sari_node_get(e->map, "compliance");
    if (node && node->kind == SARI_NODE_SCALAR && strcmp(node->text, "free") == 0) {
        for (int i = 0; i < 6; i++) out[i] = INFINITY;
        if (sari_node_get(e->map, "rotational_compliance"))
            sari_report(r, node, "a joint that is free has no other compliance");
        return;
    }
    read_compliances(r, e, "compliance", "[m/N]", out);
    read_compliances(r, e, "rotational_compliance", "[1/(N m)] or [rad/(N m)]", out + 3);
}

static void read_joint(sari_reader* r, const sari_element* e, int type, int failures_before)
{
    sar_joint_def def = sar_joint_def_default();
    def.name = e->name;
    def.type = (sar_joint_type)type;
    if (form_of(r, type)->axis == SARI_OF_BOTH_OR_NONE) // as drawn, unless axes and normals say how
        def.a.axis[2] = def.b.axis[2] = 0.0;
    if (sari_read_between(r, e, &def.a, &def.b)) read_directions(r, e, &def);
    for (const sari_joint_size* size = sari_joint_types[type]->size; size->word; size++)
        *sari_size_in(&def, size) = sari_number_in(r, e, size->word, 0.0, "[m]");
    if (sari_joint_types[type]->locks) read_locked(r, e, &def.locked);
    if (sari_joint_types[type]->curved) read_curve(r, e, &def.curve);
    read_compliance(r, e, def.compliance);
    static const char* const places[] = {"here"};
    def.absent = sari_read_absent(r, e);
    def.attach_here = sari_read_word(r, e, "attach", places, 1, -1) == 0;
    def.cut = sari_answer(r, e, "cut");
    if (r->failures != failures_before) return;
    const bool reversed = sari_place_joint(r, &def);
    sar_joint_id id;
    sar_error error;
    if (sar_model_add_joint(r->model, &def, &id, &error) == SAR_OK)
        sari_mark_reversed(r, id, reversed);
    else
        sari_reject(r, e, &error);
}

void sari_read_joint_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    int before = r->failures;
    int type = value->kind == SARI_NODE_MAP ? read_type(r, value) : MISSING;
    if (type == OTHER) return; // these wait until all joints are there
    sari_element e;
    if (!sari_element_open(r, "joint", key, value, &e)) return;
    if (type != UNKNOWN) check_joint_keys(r, &e, type);
    if (type >= 0) read_joint(r, &e, type, before);
    if (r->failures != before) sari_remember(r, &r->failed, e.name);
}
