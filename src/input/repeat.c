/* Sections, `repeat` entries and `when`: which elements there are. */
#include "base/memory.h"
#include "input/reader.h"

#include <stdio.h>
#include <string.h>

static const char* const repeatable[] = {"ground",  "bodies", "frames", "joints",
                                         "drives",  "states", "forces", "constraints",
                                         "outputs", "start",  "use"};
enum { REPEATABLE = sizeof repeatable / sizeof repeatable[0] };

/* ---- entries -------------------------------------------------------------------------------- */

/* The index must be usable as a parameter of the model, and must not hide one. */
static void check_index(sari_reader* r, const sari_node* node, const char* index)
{
    sar_error error;
    if (sari_find_constant(r, index, strlen(index))) {
        sari_report(r, node, "the index '%s' is also a parameter; choose another name", index);
    } else if (!(index = sari_full_name(r, index)) ||
               sar_model_set_parameter(r->model, index, 0.0, &error) != SAR_OK) {
        if (!index) return;
        if (error.status == SAR_E_NOMEM)
            sari_fail_memory(r);
        else
            sari_report(r, node, "%s", error.message);
    }
}

static bool check_count(sari_reader* r, const sari_repeat* entry)
{
    long long count = (long long)entry->to - entry->from + 1;
    if (count <= r->limits.instances) return true;
    sari_report(r, sari_node_get(entry->node, "to"),
                "this repeats %lld times; at most %d instances are allowed", count,
                r->limits.instances);
    return false;
}

static void keep_entry(sari_reader* r, sari_repeat entry, const char* index)
{
    void* repeats = r->scope->repeats;
    bool grown =
        sari_grow(&repeats, r->scope->repeats_count, &r->scope->repeats_capacity, sizeof entry);
    r->scope->repeats = repeats;
    entry.index = grown ? sari_copy_string(index) : NULL;
    if (!entry.index) {
        sari_fail_memory(r);
        return;
    }
    r->scope->repeats[r->scope->repeats_count++] = entry;
    sari_remember(r, &r->scope->indices, index);
}

static void read_entry(sari_reader* r, const sari_node* node)
{
    static const sari_key keys[] = {
        {"index", SARI_KEY_REQUIRED},
        {"from", SARI_KEY_REQUIRED},
        {"to", SARI_KEY_REQUIRED},
        {"ground", 0},
        {"bodies", 0},
        {"frames", 0},
        {"joints", 0},
        {"drives", 0},
        {"states", 0},
        {"forces", 0},
        {"constraints", 0},
        {"outputs", 0},
        {"start", 0},
        {"use", 0},
    };
    if (!sari_expect_map(r, node, "a repeat entry")) return;
    const sari_element e = {"a repeat entry", NULL, node, node};
    int before = r->failures;
    SARI_CHECK_KEYS(r, &e, keys);
    sari_repeat entry = {.node = node, .index_node = sari_node_get(node, "index")};
    const char* index =
        entry.index_node ? sari_read_name(r, entry.index_node, "repeat index") : NULL;
    if (index) check_index(r, entry.index_node, index);
    const sari_node *from = sari_node_get(node, "from"), *to = sari_node_get(node, "to");
    if (from) entry.from = sari_read_whole(r, from, "from");
    if (to) entry.to = sari_read_whole(r, to, "to");
    for (int k = 0; k < REPEATABLE; k++) {
        const sari_node* section = sari_node_get(node, repeatable[k]);
        if (section) sari_expect_map(r, section, repeatable[k]);
    }
    if (r->failures == before && check_count(r, &entry)) keep_entry(r, entry, index);
}

void sari_read_repeats(sari_reader* r)
{
    const sari_node* list = sari_node_get(r->scope->root, "repeat");
    if (!list) return;
    if (list->kind != SARI_NODE_LIST) {
        char found[64];
        sari_report(r, list, "repeat must be a list of entries, here is %s",
                    sari_node_describe(list, found, sizeof found));
        sari_hint(r, "start each entry with '- index: i'");
        r->incomplete = true;
        return;
    }
    int before = r->failures;
    for (int k = 0; k < list->count; k++) read_entry(r, list->values[k]);
    if (r->failures != before) r->incomplete = true;
}

/* ---- elements ------------------------------------------------------------------------------- */

/* `when` of 0 leaves the element out. */
static bool is_wanted(sari_reader* r, const sari_node* key, const sari_node* value)
{
    const sari_node* when = value->kind == SARI_NODE_MAP ? sari_node_get(value, "when") : NULL;
    if (!when) return true;
    int before = r->failures;
    double wanted = sari_read_number(r, when, "when");
    if (r->failures == before && wanted != 0.0) return true;
    sari_name_list* list = r->failures == before ? &r->left_out : &r->failed;
    const char* name = sari_full_name(r, sari_read_text(r, key, "a name").text);
    if (name) sari_remember(r, list, name);
    return false;
}

/* Looking for the nearest word makes errors dear, and those of a large section are mostly one error
 * many times: after so many the rest of it is left. */
enum { ERRORS_MOST = 100 };

static bool has_enough_errors(sari_reader* r, int failures_before)
{
    if (r->failures - failures_before < ERRORS_MOST) return false;
    r->incomplete = true;
    return true;
}

/* False when there are too many elements to go on. */
static bool read_section(sari_reader* r, const sari_node* section, sari_element_reader read)
{
    const int before = r->failures;
    for (int k = 0; k < section->count && !r->out_of_memory; k++) {
        if (has_enough_errors(r, before)) return true;
        const sari_node *key = section->keys[k], *value = section->values[k];
        if (++r->elements > r->limits.elements) {
            sari_report(r, key, "the model has more than %d elements", r->limits.elements);
            return false;
        }
        sari_scratch_reset(&r->texts);
        if (read == sari_read_table_element || is_wanted(r, key, value)) read(r, key, value);
    }
    return !r->out_of_memory;
}

typedef bool (*section_reader)(sari_reader* r, const sari_node* section, sari_element_reader read);

static bool read_instances(sari_reader* r, const sari_repeat* entry, const sari_node* section,
                           section_reader read_all, sari_element_reader read)
{
    const int before = r->failures;
    bool go_on = true;
    for (int i = entry->from; i <= entry->to && go_on && !has_enough_errors(r, before); i++) {
        r->scope->index = entry->index;
        r->scope->index_value = i;
        // Expressions that go into the model as text look the index up there.
        sar_error error;
        sari_scratch_reset(&r->texts);
        const char* index = sari_full_name(r, entry->index);
        if (index && sar_model_set_parameter(r->model, index, i, &error) != SAR_OK) {
            sari_report(r, entry->index_node, "%s", error.message);
            go_on = false;
        }
        go_on = go_on && read_all(r, section, read);
    }
    r->scope->index = NULL;
    return go_on;
}

static bool read_ground(sari_reader* r, const sari_node* ground, sari_element_reader unused)
{
    (void)unused;
    sari_scratch_reset(&r->texts);
    sari_read_ground(r, ground);
    return ++r->elements <= r->limits.elements && !r->out_of_memory;
}

void sari_each_element_here(sari_reader* r, const char* section, sari_element_reader read)
{
    const sari_scope* scope = r->scope;
    const sari_node* top = sari_node_get(scope->root, section);
    bool readable = !top || sari_expect_map(r, top, section);
    if (!readable) r->incomplete = true;
    if (top && readable && !read_section(r, top, read)) return;
    for (int k = 0; k < scope->repeats_count; k++) {
        const sari_node* inner = sari_node_get(scope->repeats[k].node, section);
        if (inner && !read_instances(r, &scope->repeats[k], inner, read_section, read)) return;
    }
}

/* Forces may speak of the lengths of springs that are there: those of assemblies come first. */
static void read_scopes(sari_reader* r, sari_scope* scope, const char* section,
                        sari_element_reader read)
{
    const bool inner_first = strcmp(section, "forces") == 0;
    for (int pass = 0; pass < 2; pass++) {
        if ((pass == 0) != inner_first) {
            sari_enter(r, scope);
            sari_each_element_here(r, section, read);
        } else {
            for (sari_scope* k = scope->first; k && !r->out_of_memory; k = k->next)
                read_scopes(r, k, section, read);
        }
    }
}

void sari_each_element(sari_reader* r, const char* section, sari_element_reader read)
{
    read_scopes(r, r->world, section, read);
    sari_enter(r, r->world);
}

static void read_grounds(sari_reader* r, sari_scope* scope)
{
    const sari_node* top = sari_node_get(scope->root, "ground");
    sari_enter(r, scope);
    if (top) read_ground(r, top, NULL);
    for (int k = 0; k < scope->repeats_count; k++) {
        const sari_node* inner = sari_node_get(scope->repeats[k].node, "ground");
        if (inner && !read_instances(r, &scope->repeats[k], inner, read_ground, NULL)) return;
    }
    for (sari_scope* k = scope->first; k && !r->out_of_memory; k = k->next) read_grounds(r, k);
}

void sari_each_ground(sari_reader* r)
{
    read_grounds(r, r->world);
    sari_enter(r, r->world);
}
