/* Drives, and constraints by expressions, cables and surfaces. */
#include "elements/gear.h"

#include "input/keys.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const char* const MORE[] = {"when", "active", NULL};

void sari_read_drive_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    sari_key_reader f = {.r = r, .is = &sari_drive_definition, .word = sari_drive_definition.word};
    if (!sari_element_open(r, f.word->word, key, value, &f.e)) return;
    const int before = r->failures;
    sari_check_words(&f, MORE);
    if (!sari_read_keys(&f)) return;
    sari_driven* def = f.def;
    sar_joint_id id;
    sar_error error;
    def->drive.absent = sari_read_absent(r, &f.e);
    const bool reversed = sari_sense(r, def->drive.joint, def->drive.coordinate) < 0;
    if (r->failures == before) {
        if (sari_model_add_driven(r->model, def, &id, &error) != SAR_OK)
            sari_reject(r, &f.e, &error);
        else if (reversed && !sari_expression_reverse(&r->model->joints[id.i].value, 0))
            sari_fail_memory(r);
        else
            sari_mark_reversed(r, id, reversed);
    }
    if (r->failures != before) sari_remember(r, &r->failed, f.e.name);
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* The sum of distances from point to point. */
static const char* length_of_cable(sari_reader* r, const sari_node* points)
{
    const char *sum = "", *distance = r->dimension == 2
                                          ? "%s%ssqrt((%s.x - %s.x)^2 + (%s.y - %s.y)^2)"
                                          : "%s%ssqrt((%s.x - %s.x)^2 + (%s.y - %s.y)^2 + "
                                            "(%s.z - %s.z)^2)";
    for (int k = 0; k + 1 < points->count; k++) {
        const char *p = points->values[k]->text, *q = points->values[k + 1]->text;
        sum = r->dimension == 2 ? sari_print(r, distance, sum, k ? " + " : "", p, q, p, q)
                                : sari_print(r, distance, sum, k ? " + " : "", p, q, p, q, p, q);
    }
    return sum;
}

/* As both ends of all its parts are drawn; NAN: some are not, reported. */
static double drawn_length(sari_reader* r, const sari_element* e, const sari_node* points)
{
    double sum = 0.0, last[3] = {0};
    for (int k = 0; k < points->count; k++) {
        sar_end end = {{0}, {0}, {0}, {0}};
        double p_W[3];
        if (!sari_read_point(r, points->values[k], "cable", &end)) return NAN;
        if (!sari_is_drawn(r, end.body)) {
            sari_report(r, e->key,
                        "the cable '%s' has no 'length', and '%s' is drawn without a 'position'",
                        e->name, sar_model_body_name(r->model, end.body.i));
            sari_hint(r, "give the cable a length, or the body a position");
            return NAN;
        }
        const sari_body_record* record = &r->bodies[end.body.i];
        sari_rotate(record->R_WB, end.point, p_W);
        for (int i = 0; i < 3; i++) p_W[i] += record->position[i];
        for (int i = 0; i < 3; i++) last[i] = p_W[i] - last[i];
        if (k > 0) sum += sari_norm3(last);
        memcpy(last, p_W, sizeof last);
    }
    return sum;
}

/* cable: [A, B, C], a constant sum of distances: kept, or with one_sided not exceeded. */
static void read_cable(sari_reader* r, const sari_element* e, const sari_node* points,
                       sar_constraint_def* def)
{
    static const char* const of_cables[] = {"length", "one_sided"};
    const int before = r->failures;
    for (int k = 0; !points && k < 2; k++) {
        const sari_node* key = sari_node_key(e->map, of_cables[k]);
        if (!key) continue;
        sari_report(r, key, "%s is for cables", of_cables[k]);
        sari_hint(r, "give the points of one: cable: [BODY.POINT, BODY.POINT]");
    }
    if (!points) return;
    for (int k = 0; k < 2; k++) {
        const sari_node* key = sari_node_key(e->map, k ? "upper" : "lower");
        if (key) sari_report(r, key, "a cable has a length instead: use length and one_sided");
    }
    if (points->kind != SARI_NODE_LIST || points->count < 2) {
        sari_report(r, points, "cable must be a list of at least two points");
        sari_hint(r, "write cable: [BODY.POINT, BODY.POINT, ...]");
        return;
    }
    for (int k = 0; k < points->count; k++) {
        sar_end end = {{0}, {0}, {0}, {0}};
        sari_read_point(r, points->values[k], "cable", &end);
    }
    const sari_node* node = sari_node_get(e->map, "length");
    const bool one_sided = sari_answer(r, e, "one_sided");
    const double length = node                    ? sari_number_in(r, e, "length", 1.0, "[m]")
                          : r->failures == before ? drawn_length(r, e, points)
                                                  : NAN;
    if (r->failures == before && !(length > 0.0))
        sari_report(r, node ? node : e->key, "the length of a cable has to be positive");
    if (r->failures != before) return;
    sari_node text = *points;
    text.kind = SARI_NODE_SCALAR;
    text.text = length_of_cable(r, points);
    if (!one_sided) text.text = sari_print(r, "%s - %.17g", text.text, length);
    if (one_sided) def->upper = length;
    text.length = strlen(text.text);
    def->position = sari_read_expression(r, &text, "cable", SARI_WITH_TIME | SARI_WITH_SIGNALS);
}

/* For pictures. */
static void note_cable(sari_reader* r, const sari_node* cable, sar_joint_id id)
{
    sar_end over[SARI_POSITION_SIGNALS] = {0};
    for (int k = 0; k < cable->count && k < SARI_POSITION_SIGNALS; k++)
        sari_read_point(r, cable->values[k], "cable", &over[k]);
    if (sari_model_note_cable(r->model, id, over, cable->count) != SAR_OK) sari_fail_memory(r);
}

/* Before the forces, which may use their reactions, are read those that use no forces themselves. */
void sari_read_early_constraint(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const char* const texts[] = {"position", "velocity"};
    const int before = r->failures;
    for (int k = 0; value->kind == SARI_NODE_MAP && k < 2; k++) {
        const sari_node* node = sari_node_get(value, texts[k]);
        const bool plain = node && node->kind == SARI_NODE_SCALAR && !strchr(node->text, '{');
        if (!plain || !sari_names_are_there(r, node->text)) continue;
        const char* name = sari_read_name(r, key, "constraint");
        name = name ? sari_full_name(r, name) : NULL;
        if (!name || r->failures != before) return;
        sari_read_constraint_element(r, key, value);
        sari_remember(r, &r->early, name);
        return;
    }
}

/* One of them, and no other. */
static void check_kind(sari_reader* r, const sari_element* e)
{
    static const char* const kinds[] = {"velocity", "position", "cable", "surface"};
    int given = 0;
    for (int k = 0; k < 4; k++) given += sari_node_get(e->map, kinds[k]) != NULL;
    if (given == 1) return;
    sari_report(r, e->key,
                given ? "the constraint '%s' has more than one of 'velocity', 'position', 'cable', "
                        "'surface'"
                      : "the constraint '%s' lacks the key 'position' or 'velocity'",
                e->name);
    sari_hint(r, "position: an expression of positions, or velocity: one that is linear in the "
                 "rates; it is kept at zero. Or cable: [BODY.POINT, ...] of some length, or "
                 "surface: an expression of x, y, z between two points");
}

void sari_read_constraint_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    sari_key_reader f = {
        .r = r, .is = &sari_constraint_definition, .word = sari_constraint_definition.word};
    if (!sari_element_open(r, f.word->word, key, value, &f.e)) return;
    if (sari_remembers(&r->early, f.e.name, strlen(f.e.name))) return;
    const int before = r->failures;
    sari_check_words(&f, MORE);
    check_kind(r, &f.e);
    if (!sari_read_keys(&f)) return;
    sar_constraint_def* def = f.def;
    const sari_node *cable = sari_node_get(value, "cable"),
                    *surface = sari_node_get(value, "surface");
    def->absent = sari_read_absent(r, &f.e);
    read_cable(r, &f.e, cable, def);
    const char* on_surface = cable ? NULL : sari_read_surface(r, &f.e, surface);
    if (on_surface) def->position = on_surface;
    sar_error error;
    sar_joint_id id;
    if (r->failures == before) {
        if (sar_model_add_constraint(r->model, def, &id, &error) != SAR_OK)
            sari_reject(r, &f.e, &error);
        else if (cable)
            note_cable(r, cable, id);
    }
    if (r->failures != before) sari_remember(r, &r->failed, f.e.name);
}
