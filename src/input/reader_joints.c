/* Joints, gears, couplers, drives and constraints on velocities. */
#include "base/memory.h"
#include "input/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- types -------------------------------------------------------------------------------- */

typedef struct joint_kind {
    const char* word;
    bool planar, spatial, axes;
} joint_kind;

static const joint_kind kinds[] = {
#define JOINT_KIND(name, word, planar, spatial, axes, text) {word, planar, spatial, axes},
    SAR_JOINT_LIST(JOINT_KIND)
#undef JOINT_KIND
};

enum { GEAR = SAR_JOINT_TYPES, COUPLER, UNKNOWN = -1, MISSING = -2 };

static bool allowed(const sari_reader* r, int type)
{
    return r->dimension == 2 ? kinds[type].planar : kinds[type].spatial;
}

/* The words of this dimension's joints, gears and couplers, for messages. */
static int list_types(const sari_reader* r, const char* words[SAR_JOINT_TYPES + 2])
{
    int count = 0;
    for (int k = 0; k < SAR_JOINT_TYPES; k++)
        if (allowed(r, k)) words[count++] = kinds[k].word;
    words[count++] = "gear";
    words[count++] = "coupler";
    return count;
}

static int read_type(sari_reader* r, const sari_node* map)
{
    const sari_node* node = sari_node_get(map, "type");
    if (!node) return MISSING;
    int before = r->failures;
    sari_text t = sari_read_text(r, node, "type");
    if (r->failures != before) return UNKNOWN;
    if (strcmp(t.text, "gear") == 0) return GEAR;
    if (strcmp(t.text, "coupler") == 0) return COUPLER;
    const char* words[SAR_JOINT_TYPES + 2];
    int count = list_types(r, words);
    for (int k = 0; k < SAR_JOINT_TYPES; k++) {
        if (strcmp(t.text, kinds[k].word) != 0) continue;
        if (allowed(r, k)) return k;
        sari_report(r, node, "a planar model has no %s joints", t.text);
        sari_hint_words(r, words, count);
        return UNKNOWN;
    }
    sari_report(r, node, "there is no joint type '%.60s'", t.text);
    sari_suggest(r, t.text, words, count);
    return UNKNOWN;
}

/* Prismatic and fixed joints keep a relative orientation, which normals give in place of the
 * drawing; the others with normals have an angle, whose zero they mark, or are planes, in which
 * they are the direction of a displacement or, of a rolling joint, the first one of the two in
 * which nothing slips. */
static bool takes_normal(const sari_reader* r, int type)
{
    if (type == SAR_JOINT_KNIFE_EDGE) return false;
    if (type == SAR_JOINT_ROLLING_DISC && r->dimension == 2) return false;
    return type != SAR_JOINT_SPHERICAL && type != SAR_JOINT_DISTANCE &&
           type != SAR_JOINT_POINT_ON_LINE;
}

static bool rolls(int type)
{
    return type == SAR_JOINT_ROLLING_SPHERE || type == SAR_JOINT_ROLLING_DISC;
}

static bool takes_axis(const sari_reader* r, int type)
{
    if (r->dimension == 2)
        return type == SAR_JOINT_PRISMATIC || type == SAR_JOINT_POINT_ON_LINE ||
               type == SAR_JOINT_ROLLING_DISC || type == SAR_JOINT_KNIFE_EDGE;
    return kinds[type].axes || type == SAR_JOINT_FIXED;
}

/* ---- joints ------------------------------------------------------------------------------- */

static void refuse_key(sari_reader* r, const sari_element* e, const char* key, int type)
{
    const sari_node* node = sari_node_key(e->map, key);
    if (!node) return;
    sari_report(r, node, "%s%s joints have no %s", r->dimension == 2 ? "planar " : "",
                kinds[type].word, key);
    sari_hint(r, "remove the key");
}

static void need_key(sari_reader* r, const sari_element* e, const char* key, int type,
                     const char* hint)
{
    if (sari_node_get(e->map, key)) return;
    sari_report(r, e->key, "the %s joint '%s' lacks the key '%s'", kinds[type].word, e->name, key);
    sari_hint(r, "%s", hint);
}

static const char* axis_hint(const sari_reader* r, int type)
{
    switch (type) {
    case SAR_JOINT_ROLLING_SPHERE:
        return "the normal of the plane: write axis: BODY.AXIS or axis: [x, y, z]";
    case SAR_JOINT_ROLLING_DISC:
        return r->dimension == 2
                   ? "the normal of the line: write axis: BODY.AXIS or axis: [x, y]"
                   : "the normal of the plane and the axis of the disc: write axis: [BODY.AXIS, "
                     "BODY.AXIS]";
    case SAR_JOINT_KNIFE_EDGE:
        return r->dimension == 2
                   ? "the direction in which it glides: write axis: BODY.AXIS or axis: [x, y]"
                   : "the direction in which it glides: write axis: BODY.AXIS, or with the normal "
                     "of the plane before it axis: [BODY.AXIS, BODY.AXIS]";
    default:
        return r->dimension == 2 ? "write axis: [BODY.AXIS, BODY.AXIS] or axis: [x, y]"
                                 : "write axis: [BODY.AXIS, BODY.AXIS] or axis: [x, y, z]";
    }
}

static void check_joint_keys(sari_reader* r, const sari_element* e, int type)
{
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"between", SARI_KEY_REQUIRED},
        {"axis", 0},
        {"normal", 0},
        {"pitch", 0},
        {"distance", 0},
        {"radius", 0},
        {"when", 0},
        {"active", 0},
        {"attach", 0},
        {"cut", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    if (type < 0) return;
    if (!takes_axis(r, type)) refuse_key(r, e, "axis", type);
    if (!takes_normal(r, type)) refuse_key(r, e, "normal", type);
    if (type != SAR_JOINT_SCREW) refuse_key(r, e, "pitch", type);
    if (type != SAR_JOINT_DISTANCE) refuse_key(r, e, "distance", type);
    if (!rolls(type)) refuse_key(r, e, "radius", type);

    bool has_normal = sari_node_get(e->map, "normal") != NULL;
    bool needs_axis = type == SAR_JOINT_FIXED ? has_normal : true;
    if (takes_axis(r, type) && needs_axis) need_key(r, e, "axis", type, axis_hint(r, type));
    if (rolls(type)) need_key(r, e, "radius", type, "of the ball or disc in m");
    if (type == SAR_JOINT_SCREW) need_key(r, e, "pitch", type, "the advance per turn in m");
    if (type == SAR_JOINT_DISTANCE)
        need_key(r, e, "distance", type, "the distance of the two points in m");
}

/* One direction for both sides contradicts what these joints are. False: reported. */
static bool check_two_axes(sari_reader* r, const sari_element* e, int type)
{
    const sari_node* axis = sari_node_get(e->map, "axis");
    if (!axis || axis->kind != SARI_NODE_LIST || axis->count != 3) return true;
    if (type == SAR_JOINT_UNIVERSAL)
        sari_report(r, axis, "a universal joint has two axes, perpendicular to each other");
    else if (type == SAR_JOINT_ROLLING_DISC)
        sari_report(r, axis, "a rolling disc has two axes: the normal of the plane and its own");
    else
        sari_report(r, axis,
                    "a knife edge has two axes: the normal of the plane and the direction in which "
                    "it glides");
    sari_hint(r, "write axis: [BODY.AXIS, BODY.AXIS]");
    return false;
}

/* Rolling joints have a plane on the first side, an edge glides along an axis of the second: where
 * the other side has no direction of its own, one will do. */
static void read_directions(sari_reader* r, const sari_element* e, sar_joint_def* def)
{
    const bool knife = def->type == SAR_JOINT_KNIFE_EDGE, spatial = r->dimension == 3;
    const bool disc = def->type == SAR_JOINT_ROLLING_DISC && spatial;
    const bool two = def->type == SAR_JOINT_UNIVERSAL || disc || (knife && spatial);
    sar_end *a = &def->a, *b = &def->b;
    if (two && !check_two_axes(r, e, (int)def->type))
        return;
    else if (knife)
        sari_read_direction(r, e, "axis", SARI_SECOND, a, b, a->axis, b->axis);
    else if (rolls((int)def->type) && !disc)
        sari_read_direction(r, e, "axis", SARI_FIRST, a, b, a->axis, b->axis);
    else
        sari_read_directions(r, e, "axis", a, b, a->axis, b->axis);
    if (rolls((int)def->type))
        sari_read_direction(r, e, "normal", SARI_FIRST, a, b, a->normal, b->normal);
    else
        sari_read_directions(r, e, "normal", a, b, a->normal, b->normal);
}

static void remember_joint(sari_reader* r, sar_joint_id id, int type)
{
    void* types = r->joint_types;
    while (r->joint_types_count <= id.i) {
        bool grown = sari_grow(&types, r->joint_types_count, &r->joint_types_capacity,
                               sizeof r->joint_types[0]);
        r->joint_types = types;
        if (!grown) {
            sari_fail_memory(r);
            return;
        }
        r->joint_types[r->joint_types_count++] = -1;
    }
    r->joint_types[id.i] = type;
}

/* After the call that adds an element: remember it, or why it is not there. */
static void settle(sari_reader* r, const sari_element* e, sar_status status, sar_joint_id id,
                   int type, const sar_error* error)
{
    if (status == SAR_OK) {
        remember_joint(r, id, type);
    } else {
        sari_reject(r, e, error);
        sari_remember(r, &r->failed, e->name);
    }
}

static void read_joint(sari_reader* r, const sari_element* e, int type, int failures_before)
{
    sar_joint_def def = sar_joint_def_default();
    def.name = e->name;
    def.type = (sar_joint_type)type;
    if (type == SAR_JOINT_FIXED) // as drawn, unless axes and normals say how
        def.a.axis[2] = def.b.axis[2] = 0.0;
    if (sari_read_between(r, e, &def.a, &def.b)) read_directions(r, e, &def);
    if (rolls(type)) def.radius = sari_number(r, e, "radius", def.radius);
    if (type == SAR_JOINT_SCREW) def.pitch = sari_number(r, e, "pitch", def.pitch);
    if (type == SAR_JOINT_DISTANCE) def.distance = sari_number(r, e, "distance", def.distance);
    static const char *const places[] = {"here"}, *const answers[] = {"no", "yes", "false", "true"};
    def.absent = sari_read_absent(r, e);
    def.attach_here = sari_word(r, e, "attach", places, 1, -1) == 0;
    def.cut = sari_word(r, e, "cut", answers, 4, 0) % 2;
    if (r->failures != failures_before) return;
    sar_joint_id id = {-1};
    sar_error error;
    sar_status status = sar_model_add_joint(r->model, &def, &id, &error);
    settle(r, e, status, id, type, &error);
}

void sari_read_joint_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    int before = r->failures;
    int type = value->kind == SARI_NODE_MAP ? read_type(r, value) : MISSING;
    if (type == GEAR || type == COUPLER) return; // these wait until all joints are there
    sari_element e;
    if (!sari_element_open(r, "joint", key, value, &e)) return;
    if (type != UNKNOWN) check_joint_keys(r, &e, type);
    if (type >= 0) read_joint(r, &e, type, before);
    if (r->failures != before) sari_remember(r, &r->failed, e.name);
}

/* ---- gears and couplers ------------------------------------------------------------------- */

/* coordinate(B) - ratio coordinate(A) stays what it is. */
static void read_gear(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"joints", SARI_KEY_REQUIRED},
        {"ratio", SARI_KEY_REQUIRED},
        {"when", 0},
        {"active", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    const sari_node* joints = sari_node_get(e->map, "joints");
    def->terms = 2;
    def->coefficient[0] = -sari_number(r, e, "ratio", 1.0);
    def->coefficient[1] = 1.0;
    if (!joints || !sari_expect_list(r, joints, "joints", 2)) return;
    for (int k = 0; k < 2; k++) {
        const char* what = k ? "joints[1]" : "joints[0]";
        if (sari_read_joint(r, joints->values[k], what, &def->joint[k]))
            def->coordinate[k] = sari_usual_coordinate(r, def->joint[k]);
    }
}

static void read_coupler(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    enum { LEAST = 2, MOST = sizeof def->joint / sizeof def->joint[0] };
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"sum", SARI_KEY_REQUIRED},
        {"offset", 0},
        {"when", 0},
        {"active", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    def->has_offset = sari_node_get(e->map, "offset") != NULL;
    def->offset = sari_number(r, e, "offset", 0.0);
    const sari_node* sum = sari_node_get(e->map, "sum");
    if (!sum || !sari_expect_map(r, sum, "sum")) return;
    if (sum->count < LEAST || sum->count > MOST) {
        sari_report(r, sum, "sum has %d terms; a coupler has %d to %d", sum->count, (int)LEAST,
                    (int)MOST);
        return;
    }
    def->terms = sum->count;
    for (int k = 0; k < sum->count; k++) {
        sari_read_joint_coordinate(r, sum->keys[k], &def->joint[k], &def->coordinate[k]);
        def->coefficient[k] = sari_read_number(r, sum->values[k], "the coefficient");
    }
}

void sari_read_coupling_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    if (value->kind != SARI_NODE_MAP) return; // reported by the joints' turn
    int type = read_type(r, value);
    sari_element e;
    if (type != GEAR && type != COUPLER) return;
    if (!sari_element_open(r, type == GEAR ? "gear" : "coupler", key, value, &e)) return;
    int before = r->failures;
    sar_coupling_def def = sar_coupling_def_default();
    def.name = e.name;
    if (type == GEAR)
        read_gear(r, &e, &def);
    else
        read_coupler(r, &e, &def);
    def.absent = sari_read_absent(r, &e);
    if (r->failures != before) {
        sari_remember(r, &r->failed, e.name);
        return;
    }
    sar_joint_id id = {-1};
    sar_error error;
    sar_status status = sar_model_add_coupling(r->model, &def, &id, &error);
    settle(r, &e, status, id, -1, &error);
}

/* ---- drives ------------------------------------------------------------------------------- */

static void read_driven(sari_reader* r, const sari_element* e, sar_drive_def* def)
{
    const sari_node* joint = sari_node_get(e->map, "joint");
    const sari_node* between = sari_node_get(e->map, "between");
    const sari_node* coordinate = sari_node_key(e->map, "coordinate");
    if (!joint == !between) {
        sari_report(r, e->key, "the drive '%s' %s", e->name,
                    joint ? "has both 'joint' and 'between'; remove one"
                          : "lacks the key 'joint' or 'between'");
        return;
    }
    if (between) {
        if (coordinate)
            sari_report(r, coordinate,
                        "a drive between points has no 'coordinate': it drives their "
                        "distance");
        sari_read_between(r, e, &def->a, &def->b);
        def->joint.i = -1;
        return;
    }
    if (!sari_read_joint(r, joint, "joint", &def->joint)) return;
    def->coordinate =
        (sar_coordinate)sari_word(r, e, "coordinate", sari_coordinate_words, SARI_COORDINATES,
                                  (int)sari_usual_coordinate(r, def->joint));
}

void sari_read_drive_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {
        {"joint", 0}, {"between", 0}, {"coordinate", 0}, {"value", SARI_KEY_REQUIRED},
        {"when", 0},  {"active", 0},
    };
    sari_element e;
    if (!sari_element_open(r, "drive", key, value, &e)) return;
    int before = r->failures;
    SARI_CHECK_KEYS(r, &e, keys);
    sar_drive_def def = sar_drive_def_default();
    def.name = e.name;
    read_driven(r, &e, &def);
    def.absent = sari_read_absent(r, &e);
    const sari_node* expression = sari_node_get(value, "value");
    if (expression) def.value = sari_read_expression(r, expression, "value", SARI_WITH_TIME);
    if (r->failures != before) {
        sari_remember(r, &r->failed, e.name);
        return;
    }
    sar_joint_id id = {-1};
    sar_error error;
    sar_status status = sar_model_add_drive(r->model, &def, &id, &error);
    settle(r, &e, status, id, -1, &error);
}

/* ---- constraints -------------------------------------------------------------------------- */

void sari_read_constraint_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {{"velocity", SARI_KEY_REQUIRED}, {"when", 0}, {"active", 0}};
    sari_element e;
    if (!sari_element_open(r, "constraint", key, value, &e)) return;
    int before = r->failures;
    SARI_CHECK_KEYS(r, &e, keys);
    sar_constraint_def def = sar_constraint_def_default();
    def.name = e.name;
    def.absent = sari_read_absent(r, &e);
    const sari_node* node = sari_node_get(value, "velocity");
    if (node)
        def.velocity =
            sari_read_expression(r, node, "velocity", SARI_WITH_TIME | SARI_WITH_SIGNALS);
    if (r->failures != before) {
        sari_remember(r, &r->failed, e.name);
        return;
    }
    sar_joint_id id = {-1};
    sar_error error;
    sar_status status = sar_model_add_constraint(r->model, &def, &id, &error);
    settle(r, &e, status, id, -1, &error);
}
