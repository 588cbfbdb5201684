/* Phases: joints that come and go while the mechanism runs. */
#include "input/reader.h"

#include <string.h>

bool sari_read_absent(sari_reader* r, const sari_element* e)
{
    static const char* const words[] = {"yes", "no", "true", "false"};
    int word = sari_word(r, e, "active", words, 4, 0);
    return word == 1 || word == 3;
}

/* `add` or `remove`: a list of joints, or one. NULL when the key is missing or wrong. */
static const sar_joint_id* read_joints(sari_reader* r, const sari_element* e, const char* key,
                                       int* count)
{
    const sari_node* node = sari_node_get(e->map, key);
    *count = 0;
    if (!node) return NULL;
    const bool one = node->kind == SARI_NODE_SCALAR;
    if (!one && node->kind != SARI_NODE_LIST) {
        sari_report(r, node, "%s must be a list of joints", key);
        sari_hint(r, "write %s: [JOINT, JOINT]", key);
        return NULL;
    }
    const int wanted = one ? 1 : node->count;
    sar_joint_id* ids = sari_scratch_allocate(&r->texts, (size_t)(wanted + 1) * sizeof *ids);
    if (!ids) {
        sari_fail_memory(r);
        return NULL;
    }
    for (int k = 0; k < wanted; k++)
        if (sari_read_any_joint(r, one ? node : node->values[k], key, &ids[*count])) ++*count;
    return ids;
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
    int word = sari_word(r, e, "crossing", words, 3, 0);
    if (word > 0) def->crossing = (sar_crossing)word;
}

static void read_phase(sari_reader* r, const sari_node* node)
{
    static const sari_key keys[] = {
        {"at", 0}, {"when", 0}, {"crossing", 0}, {"add", 0}, {"remove", 0},
    };
    const int before = r->failures;
    const sari_element e = {"a phase", NULL, node, node};
    if (!sari_expect_map(r, node, "a phase")) return;
    SARI_CHECK_KEYS(r, &e, keys);
    sar_phase_def def = sar_phase_def_default();
    read_condition(r, &e, &def);
    def.add = read_joints(r, &e, "add", &def.adds);
    def.remove = read_joints(r, &e, "remove", &def.removes);
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
