/* Forces, torques, springs, bushings and tyres. */
#include "input/reader.h"

#include <stdio.h>
#include <string.h>

static const unsigned WITH_LOAD = SARI_WITH_TIME | SARI_WITH_SIGNALS;
static const unsigned WITH_SPRING = SARI_WITH_TIME | SARI_WITH_SIGNALS | SARI_WITH_SPRING;

/* What it acts on. Other readers of YAML take the word `on` for a truth value, also as a key: the
 * old key is read, and a note names the new one. NULL: missing, which was reported. */
static const sari_node* read_target(sari_reader* r, const sari_element* e)
{
    const sari_node* target = sari_node_get(e->map, "acts_on");
    const sari_node* old = sari_node_key(e->map, "on");
    if (!old) return target;
    if (target) {
        sari_report(r, old, "%s '%s' has both 'acts_on' and 'on', which mean the same", e->kind,
                    e->name);
        sari_hint(r, "remove 'on'");
    } else {
        sari_note(r, old, "'on' is called 'acts_on' now: YAML 1.1 takes the word on for true");
        target = sari_node_get(e->map, "on");
    }
    return target;
}

/* ---- forces and torques ------------------------------------------------------------------- */

/* `axes` and `reaction`, which forces and torques share. */
static void read_load_frame(sari_reader* r, const sari_element* e, sar_load_def* def)
{
    static const char* const words[] = {"world", "body"};
    const sari_node* reaction = sari_node_get(e->map, "reaction");
    def->in_body_axes = sari_word(r, e, "axes", words, 2, 0);
    if (reaction) sari_read_body(r, reaction, "reaction", &def->reaction);
}

/* One expression per component of the model's dimension. */
static void read_components(sari_reader* r, const sari_node* node, const char* what,
                            const char* out[3])
{
    if (!sari_expect_list(r, node, what, r->dimension)) {
        sari_hint(r, "a %s of a %s model is %s", what, r->dimension == 2 ? "planar" : "spatial",
                  r->dimension == 2 ? "[x, y]" : "[x, y, z]");
        return;
    }
    for (int k = 0; k < r->dimension; k++) {
        char item[32];
        snprintf(item, sizeof item, "%s[%d]", what, k);
        out[k] = sari_read_expression(r, node->values[k], item, WITH_LOAD);
    }
}

static void add_load(sari_reader* r, const sari_element* e, const sar_load_def* def,
                     int failures_before)
{
    sar_error error;
    if (r->failures == failures_before && sar_model_add_load(r->model, def, &error) != SAR_OK)
        sari_reject(r, e, &error);
}

static void read_force(sari_reader* r, const sari_element* e, int failures_before)
{
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"acts_on", SARI_KEY_REQUIRED},
        {"on", SARI_KEY_OLD},
        {"force", SARI_KEY_REQUIRED},
        {"axes", 0},
        {"reaction", 0},
        {"when", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    sar_load_def def = sar_load_def_default();
    def.name = e->name;
    const sari_node *on = read_target(r, e), *force = sari_node_get(e->map, "force");
    sar_end end = {{0}, {0}, {0}, {0}};
    if (on && sari_read_point(r, on, "acts_on", &end)) {
        def.body = end.body;
        memcpy(def.point, end.point, sizeof def.point);
    }
    if (force) read_components(r, force, "force", def.force);
    read_load_frame(r, e, &def);
    add_load(r, e, &def, failures_before);
}

static void read_torque(sari_reader* r, const sari_element* e, int failures_before)
{
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"acts_on", SARI_KEY_REQUIRED},
        {"on", SARI_KEY_OLD},
        {"torque", SARI_KEY_REQUIRED},
        {"axes", 0},
        {"reaction", 0},
        {"when", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    sar_load_def def = sar_load_def_default();
    def.name = e->name;
    const sari_node *on = read_target(r, e), *torque = sari_node_get(e->map, "torque");
    if (on) sari_read_body(r, on, "acts_on", &def.body);
    if (torque && r->dimension == 2)
        def.torque[2] = sari_read_expression(r, torque, "torque", WITH_LOAD);
    else if (torque)
        read_components(r, torque, "torque", def.torque);
    read_load_frame(r, e, &def);
    add_load(r, e, &def, failures_before);
}

/* ---- springs ------------------------------------------------------------------------------ */

static void read_pair(sari_reader* r, const sari_node* pair, int k, double* x, double* f)
{
    char what[32];
    double values[2];
    snprintf(what, sizeof what, "table[%d]", k);
    sari_read_numbers(r, pair, what, 2, values);
    x[k] = values[0];
    f[k] = values[1];
}

static void read_table(sari_reader* r, const sari_element* e, sar_spring_def* def)
{
    const sari_node* table = sari_node_get(e->map, "table");
    if (!table) return;
    if (table->kind != SARI_NODE_LIST || table->count < 2) {
        char found[64];
        sari_report(r, table, "table must be a list of at least 2 pairs [x, f], here is %s",
                    sari_node_describe(table, found, sizeof found));
        return;
    }
    double* x = sari_scratch_allocate(&r->texts, (size_t)table->count * sizeof *x);
    double* f = sari_scratch_allocate(&r->texts, (size_t)table->count * sizeof *f);
    if (!x || !f) {
        sari_fail_memory(r);
        return;
    }
    int before = r->failures;
    for (int k = 0; k < table->count; k++) {
        read_pair(r, table->values[k], k, x, f);
        if (r->failures == before && k > 0 && x[k] <= x[k - 1])
            sari_report(r, table->values[k],
                        "the first numbers of a table must increase: %g comes "
                        "after %g",
                        x[k], x[k - 1]);
    }
    def->table_length = table->count;
    def->table_x = x;
    def->table_f = f;
}

/* `free` and `law` are the keys of the free length or angle and of the expression. */
static void read_spring_law(sari_reader* r, const sari_element* e, const char* free,
                            const char* law, sar_spring_def* def)
{
    const sari_node* force = sari_node_get(e->map, law);
    def->stiffness = sari_number(r, e, "stiffness", 0.0);
    def->damping = sari_number(r, e, "damping", 0.0);
    def->free = sari_number(r, e, free, 0.0);
    if (force) def->force = sari_read_expression(r, force, law, WITH_SPRING);
    read_table(r, e, def);
    if (force || sari_node_get(e->map, "stiffness") || sari_node_get(e->map, "damping") ||
        sari_node_get(e->map, "table"))
        return;
    sari_report(r, e->key, "the %s '%s' does nothing", e->kind, e->name);
    sari_hint(r, "give it at least one of stiffness, damping, %s, table", law);
}

static void add_spring(sari_reader* r, const sari_element* e, const sar_spring_def* def,
                       int failures_before)
{
    sar_error error;
    if (r->failures == failures_before && sar_model_add_spring(r->model, def, &error) != SAR_OK)
        sari_reject(r, e, &error);
}

/* The coordinate of a joint on which a spring acts, one of the two words. */
static void read_coordinate(sari_reader* r, const sari_element* e, const char* const words[2],
                            sar_coordinate first, sar_coordinate second, sar_spring_def* def)
{
    const sari_node* joint = sari_node_get(e->map, "joint");
    if (joint) sari_read_joint(r, joint, "joint", &def->joint);
    def->coordinate = sari_word(r, e, "coordinate", words, 2, 0) == 1 ? second : first;
}

/* Between two points, or along a joint's displacement. */
static void read_line(sari_reader* r, const sari_element* e, sar_spring_def* def)
{
    static const char* const words[2] = {"displacement", "displacement2"};
    const sari_node* joint = sari_node_get(e->map, "joint");
    const sari_node* between = sari_node_get(e->map, "between");
    const sari_node* coordinate = sari_node_key(e->map, "coordinate");
    if (!joint == !between)
        sari_report(r, e->key, "the spring '%s' %s", e->name,
                    joint ? "has both 'joint' and 'between'; remove one"
                          : "lacks the key 'between' or 'joint'");
    else if (joint)
        read_coordinate(r, e, words, SAR_COORD_DISPLACEMENT, SAR_COORD_DISPLACEMENT_2, def);
    else if (coordinate)
        sari_report(r, coordinate,
                    "a spring between points has no 'coordinate': it acts along their distance");
    else
        sari_read_between(r, e, &def->a, &def->b);
}

static void read_spring(sari_reader* r, const sari_element* e, int failures_before)
{
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"between", 0},
        {"joint", 0},
        {"coordinate", 0},
        {"stiffness", 0},
        {"damping", 0},
        {"length", 0},
        {"force", 0},
        {"table", 0},
        {"when", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    sar_spring_def def = sar_spring_def_default();
    def.name = e->name;
    def.joint.i = -1;
    read_line(r, e, &def);
    read_spring_law(r, e, "length", "force", &def);
    add_spring(r, e, &def, failures_before);
}

static void read_rotational_spring(sari_reader* r, const sari_element* e, int failures_before)
{
    static const char* const words[2] = {"angle", "angle2"};
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"joint", SARI_KEY_REQUIRED},
        {"coordinate", 0},
        {"stiffness", 0},
        {"damping", 0},
        {"angle", 0},
        {"torque", 0},
        {"table", 0},
        {"when", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    sar_spring_def def = sar_spring_def_default();
    def.name = e->name;
    read_coordinate(r, e, words, SAR_COORD_ANGLE, SAR_COORD_ANGLE_2, &def);
    read_spring_law(r, e, "angle", "torque", &def);
    add_spring(r, e, &def, failures_before);
}

/* ---- bushings ----------------------------------------------------------------------------- */

/* `n` numbers for a diagonal or n rows of n, into the rows and columns of the 6 x 6 matrix that
 * count: all in space; x, y of the displacement and z of the rotation in the plane. */
static void read_matrix(sari_reader* r, const sari_element* e, const char* key, double out[36])
{
    static const int planar[3] = {0, 1, 5}, spatial[6] = {0, 1, 2, 3, 4, 5};
    const int n = r->dimension == 2 ? 3 : 6, *place = r->dimension == 2 ? planar : spatial;
    const sari_node* node = sari_node_get(e->map, key);
    if (!node) return;
    double values[6];
    if (node->kind != SARI_NODE_LIST || node->count != n) {
        char found[64];
        sari_report(r, node, "%s must be a list of %d numbers or of %d rows, here is %s", key, n, n,
                    sari_node_describe(node, found, sizeof found));
        return;
    }
    if (node->values[0]->kind != SARI_NODE_LIST) {
        sari_read_numbers(r, node, key, n, values);
        for (int k = 0; k < n; k++) out[7 * place[k]] = values[k];
        return;
    }
    for (int k = 0; k < n; k++) {
        char row[32];
        snprintf(row, sizeof row, "%s[%d]", key, k);
        sari_read_numbers(r, node->values[k], row, n, values);
        for (int j = 0; j < n; j++) out[6 * place[k] + place[j]] = values[j];
    }
}

static void read_bushing(sari_reader* r, const sari_element* e, int failures_before)
{
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"between", SARI_KEY_REQUIRED},
        {"axis", 0},
        {"normal", 0},
        {"K", 0},
        {"C", 0},
        {"when", 0},
    };
    SARI_CHECK_KEYS(r, e, keys);
    sar_bushing_def def = sar_bushing_def_default();
    def.name = e->name;
    if (sari_read_between(r, e, &def.a, &def.b)) {
        sari_read_directions(r, e, "axis", &def.a, &def.b, def.a.axis, def.b.axis);
        sari_read_directions(r, e, "normal", &def.a, &def.b, def.a.normal, def.b.normal);
    }
    read_matrix(r, e, "K", def.K);
    read_matrix(r, e, "C", def.C);
    if (!sari_node_get(e->map, "K") && !sari_node_get(e->map, "C")) {
        sari_report(r, e->key, "the bushing '%s' does nothing", e->name);
        sari_hint(r, "give it a stiffness K, a damping C or both");
    }
    sar_error error;
    if (r->failures == failures_before && sar_model_add_bushing(r->model, &def, &error) != SAR_OK)
        sari_reject(r, e, &error);
}

/* ---- tyres -------------------------------------------------------------------------------- */

static void read_tyre(sari_reader* r, const sari_element* e, int failures_before)
{
    static const sari_key keys[] = {
        {"type", SARI_KEY_REQUIRED},
        {"acts_on", SARI_KEY_REQUIRED},
        {"on", SARI_KEY_OLD},
        {"radius", SARI_KEY_REQUIRED},
        {"stiffness", SARI_KEY_REQUIRED},
        {"damping", 0},
        {"road", 0},
        {"along", 0},
        {"up", 0},
        {"forward", 0},
        {"normal", 0},
        {"when", 0},
    };
    static const char* const axes[] = {"x", "y", "z"};
    static const char* const answers[] = {"no", "yes", "false", "true"};
    static const unsigned with = SARI_WITH_TIME | SARI_WITH_PLACE;
    SARI_CHECK_KEYS(r, e, keys);
    sar_tyre_def def = sar_tyre_def_default();
    def.name = e->name;
    const sari_node *on = read_target(r, e), *road = sari_node_get(e->map, "road");
    const sari_node* along = sari_node_get(e->map, "along");
    sar_end end = {{0}, {0}, {0}, {0}};
    if (on && sari_read_point(r, on, "acts_on", &end)) {
        def.body = end.body;
        memcpy(def.point, end.point, sizeof def.point);
    }
    def.radius = sari_number(r, e, "radius", 1.0);
    def.stiffness = sari_number(r, e, "stiffness", 1.0);
    def.damping = sari_number(r, e, "damping", 0.0);
    if (road) def.road = sari_read_expression(r, road, "road", with);
    if (along) def.along = sari_read_expression(r, along, "along", with);
    def.up = sari_word(r, e, "up", axes, r->dimension, -1);
    def.forward = sari_word(r, e, "forward", axes, r->dimension, -1);
    def.normal = sari_word(r, e, "normal", answers, 4, 0) % 2;
    sar_error error;
    if (r->failures == failures_before && sar_model_add_tyre(r->model, &def, &error) != SAR_OK)
        sari_reject(r, e, &error);
}

/* ---- all of them -------------------------------------------------------------------------- */

void sari_read_force_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const char* const words[] = {"force",   "torque", "spring", "rotational-spring",
                                        "bushing", "tyre"};
    static void (*const readers[])(sari_reader*, const sari_element*, int) = {
        read_force, read_torque, read_spring, read_rotational_spring, read_bushing, read_tyre};
    enum { TYPES = sizeof words / sizeof words[0] };
    sari_element e;
    if (!sari_element_open(r, "force", key, value, &e)) return;
    int before = r->failures;
    int type = sari_word(r, &e, "type", words, TYPES, TYPES);
    if (type == TYPES) {
        sari_report(r, key, "force '%s' lacks the key 'type'", e.name);
        sari_hint_words(r, words, TYPES);
        return;
    }
    if (type < 0) return;
    e.kind = words[type];
    readers[type](r, &e, before);
}
