/* Phases: joints that come and go while the mechanism runs. */
#include "input/reader.h"

#include <string.h>

bool sari_read_absent(sari_reader* r, const sari_element* e)
{
    static const char* const words[] = {"yes", "no", "true", "false"};
    int word = sari_read_word(r, e, "active", words, 4, 0);
    return word == 1 || word == 3;
}

/// What `add` or `remove` lists.
typedef struct parts {
    sar_joint_id* joint;
    sar_force_id* force;
    int joints, forces;
} parts;

/* A list of joints and forces, or one of them. Nothing when the key is missing or wrong. */
static parts read_parts(sari_reader* r, const sari_element* e, const char* key)
{
    const sari_node* node = sari_node_get(e->map, key);
    parts p = {0};
    if (!node) return p;
    const bool one = node->kind == SARI_NODE_SCALAR;
    if (!one && node->kind != SARI_NODE_LIST) {
        sari_report(r, node, "%s must be a list of joints and forces", key);
        sari_hint(r, "write %s: [JOINT, FORCE]", key);
        return p;
    }
    const int wanted = one ? 1 : node->count;
    p.joint = sari_take(r, (size_t)(wanted + 1), sizeof *p.joint);
    p.force = sari_take(r, (size_t)(wanted + 1), sizeof *p.force);
    if (!p.joint || !p.force) return p;
    for (int k = 0; k < wanted; k++) {
        const sari_node* name = one ? node : node->values[k];
        if (name->kind == SARI_NODE_SCALAR &&
            sar_model_find_force(r->model, name->text, strlen(name->text), &p.force[p.forces]) ==
                SAR_OK)
            p.forces++;
        else if (sari_read_any_joint(r, name, key, &p.joint[p.joints]))
            p.joints++;
    }
    return p;
}

static void read_condition(sari_reader* r, const sari_element* e, sar_phase_def* def)
{
    static const char* const words[] = {"either", "rising", "falling"}; // as sar_crossing
    const sari_node* at = sari_node_get(e->map, "at");
    const sari_node* when = sari_node_get(e->map, "when");
    const sari_node* crossing = sari_node_key(e->map, "crossing");
    if (!at == !when) {
        sari_report(r, e->key,
                    at ? "a phase has both 'at' and 'when'; remove one"
                       : "a phase lacks the key 'at' or 'when'");
        return;
    }
    if (at) def->at = sari_read_number_in(r, at, "at", "[s]");
    if (at && crossing) sari_report(r, crossing, "a phase 'at' a time has no 'crossing'");
    if (when) def->when = sari_read_expression(r, when, "when", SARI_WITH_TIME | SARI_WITH_SIGNALS);
    const sari_node* provided = sari_node_get(e->map, "if");
    def->repeats = sari_answer(r, e, "repeats");
    def->move = sari_answer(r, e, "move");
    if (provided)
        def->provided = sari_read_expression(r, provided, "if", SARI_WITH_TIME | SARI_WITH_SIGNALS);
    int word = sari_read_word(r, e, "crossing", words, 3, 0);
    if (word > 0) def->crossing = (sar_crossing)word;
}

static void read_phase(sari_reader* r, const sari_node* node)
{
    static const sari_key keys[] = {
        {"at", 0}, {"when", 0}, {"crossing", 0}, {"repeats", 0},
        {"if", 0}, {"add", 0},  {"remove", 0},   {"move", 0},
    };
    const int before = r->failures;
    const sari_element e = {"a phase", NULL, node, node};
    if (!sari_expect_map(r, node, "a phase")) return;
    SARI_CHECK_KEYS(r, &e, keys);
    sar_phase_def def = sar_phase_def_default();
    read_condition(r, &e, &def);
    const parts add = read_parts(r, &e, "add"), remove = read_parts(r, &e, "remove");
    def.add = add.joint, def.adds = add.joints;
    def.remove = remove.joint, def.removes = remove.joints;
    def.force_add = add.force, def.force_adds = add.forces;
    def.force_remove = remove.force, def.force_removes = remove.forces;
    sar_error error;
    if (r->failures == before && sar_model_add_phase(r->model, &def, &error) != SAR_OK)
        sari_reject(r, &e, &error);
}

void sari_read_phases(sari_reader* r)
{
    const sari_node* list = sari_node_get(r->world->root, "phases");
    char found[64];
    if (!list) return;
    if (list->kind != SARI_NODE_LIST) {
        sari_report(r, list, "phases must be a list, here is %s",
                    sari_node_describe(list, found, sizeof found));
        sari_hint(r, "start each phase with '- at: TIME' or '- when: EXPRESSION'");
        return;
    }
    const int before = r->failures;
    for (int k = 0; k < list->count && !r->out_of_memory; k++) {
        sari_scratch_reset(&r->texts);
        if (r->failures == before) read_phase(r, list->values[k]); // they depend on each other
    }
}
