/* What all sections share: opening an element, checking its keys, and finding the key that an error
 * of the model is about. */
#include "base/memory.h"
#include "base/status.h"
#include "input/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening and checking ------------------------------------------------------------------- */

bool sari_element_open(sari_reader* r, const char* kind, const sari_node* key,
                       const sari_node* value, sari_element* out)
{
    *out = (sari_element){kind, sari_read_name(r, key, kind), key, value};
    if (!out->name) {
        r->incomplete = true;
        return false;
    }
    const sari_port* port = sari_find_port(r->scope, out->name, strlen(out->name));
    if (port) {
        sari_report(r, key, "'%s' is a port of this file, so that no %s can have this name",
                    out->name, kind);
        sari_hint(r, "rename one of them");
    }
    out->name = sari_full_name(r, out->name);
    if (!out->name) return false;
    char what[96];
    snprintf(what, sizeof what, "%s '%.60s'", kind, out->name);
    if (sari_expect_map(r, value, what)) return true;
    sari_remember(r, &r->failed, out->name);
    return false;
}

static unsigned other_dimension(const sari_reader* r)
{
    return r->dimension == 2 ? SARI_KEY_SPATIAL : SARI_KEY_PLANAR;
}

enum { KEYS_MOST = 32 };

/* The keys of this dimension. */
static int usable_words(const sari_reader* r, const sari_key* keys, int count,
                        const char* words[KEYS_MOST])
{
    int usable = 0;
    for (int k = 0; k < count && usable < KEYS_MOST; k++)
        if (!(keys[k].flags & other_dimension(r))) words[usable++] = keys[k].word;
    return usable;
}

static bool is_one_of(const char* word, const char* const* words, int count)
{
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], word) == 0) return true;
    return false;
}

static void report_unknown_key(sari_reader* r, const sari_element* e, const sari_node* key,
                               const sari_key* keys, int count)
{
    const char* words[KEYS_MOST];
    int usable = usable_words(r, keys, count, words);
    for (int k = 0; k < count; k++) {
        if (strcmp(keys[k].word, key->text) != 0) continue;
        sari_report(r, key, "'%s' is for %s models; this one is %s", key->text,
                    r->dimension == 2 ? "spatial" : "planar",
                    r->dimension == 2 ? "planar" : "spatial");
        sari_hint_words(r, words, usable);
        return;
    }
    const char* article = !e->name ? "" : strchr("aeio", e->kind[0]) ? "an " : "a ";
    sari_report(r, key, "%s%s has no key '%.60s'", article, e->kind, key->text);
    sari_suggest(r, key->text, words, usable);
}

/* Is the required `word` there under a misspelt name, which was reported? */
static bool is_misspelt(const sari_node* map, const char* word, const char* const* words, int count)
{
    for (int k = 0; k < map->count; k++) {
        const char* key = map->keys[k]->text;
        const char* meant =
            is_one_of(key, words, count) ? NULL : sari_nearest_word(key, words, count);
        if (meant && strcmp(meant, word) == 0) return true;
    }
    return false;
}

void sari_check_keys(sari_reader* r, const sari_element* e, const sari_key* keys, int count)
{
    const char* words[KEYS_MOST];
    int usable = usable_words(r, keys, count, words);
    bool cut = false; // {value: f(x, 0}: the comma ends the value and makes "0" a key
    for (int k = 0; k < e->map->count; k++) {
        const sari_node* key = e->map->keys[k];
        bool known = is_one_of(key->text, words, usable);
        if (!known && cut && key->bare) {
            sari_report(r, key, "the comma before '%.60s' ends the value", key->text);
            sari_hint(r, "close the parenthesis that is open before it");
        } else if (!known) {
            report_unknown_key(r, e, key, keys, count);
        }
        cut = sari_is_unbalanced(e->map->values[k]) || (cut && key->bare);
    }
    for (int k = 0; k < count; k++) {
        if (!(keys[k].flags & SARI_KEY_REQUIRED) || (keys[k].flags & other_dimension(r))) continue;
        if (sari_node_get(e->map, keys[k].word)) continue;
        if (is_misspelt(e->map, keys[k].word, words, usable)) continue;
        if (e->name)
            sari_report(r, e->key, "%s '%s' lacks the key '%s'", e->kind, e->name, keys[k].word);
        else
            sari_report(r, e->key, "%s lacks the key '%s'", e->kind, keys[k].word);
    }
}

/* ---- simple values -------------------------------------------------------------------------- */

double sari_number(sari_reader* r, const sari_element* e, const char* key, double fallback)
{
    const sari_node* node = sari_node_get(e->map, key);
    return node ? sari_read_number(r, node, key) : fallback;
}

double sari_number_in(sari_reader* r, const sari_element* e, const char* key, double fallback,
                      const char* unit)
{
    const sari_node* node = sari_node_get(e->map, key);
    return node ? sari_read_number_in(r, node, key, unit) : fallback;
}

int sari_read_word(sari_reader* r, const sari_element* e, const char* key, const char* const* words,
                   int count, int fallback)
{
    const sari_node* node = sari_node_get(e->map, key);
    if (!node) return fallback;
    int before = r->failures;
    sari_text t = sari_read_text(r, node, key);
    if (r->failures != before) return -1;
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], t.text) == 0) return k;
    sari_report(r, node, "'%.60s' is not a valid %s", t.text, key);
    sari_suggest(r, t.text, words, count);
    return -1;
}

bool sari_answer(sari_reader* r, const sari_element* e, const char* key)
{
    static const char* const words[] = {"no", "yes", "false", "true"};
    const int word = sari_read_word(r, e, key, words, 4, 0);
    return word == 1 || word == 3;
}

bool sari_read_pairs(sari_reader* r, const sari_node* list, const char* what, const char* unit,
                     double* column[2])
{
    const size_t count = (size_t)list->count;
    column[0] = sari_take(r, count, sizeof(double)),
    column[1] = sari_take(r, count, sizeof(double));
    for (size_t k = 0; column[0] && column[1] && k < count; k++) {
        double pair[2];
        sari_read_numbers_in(r, list->values[k], sari_print(r, "%s[%zu]", what, k), 2, unit, pair);
        column[0][k] = pair[0], column[1][k] = pair[1];
    }
    return column[0] && column[1];
}

/* ---- errors of the model -------------------------------------------------------------------- */

/* Which key of the file a field of a definition comes from, where they differ; the first that the
 * element has is meant. */
static const char* const field_keys[][2] = {
    {"free", "length"},       {"free", "angle"},        {"force", "torque"},
    {"table_x", "table"},     {"table_f", "table"},     {"table_length", "table"},
    {"in_body_axes", "axes"}, {"body", "acts_on"},      {"point", "acts_on"},
    {"body", "on"},           {"point", "on"},          {"body", "between"},
    {"point", "between"},     {"a", "between"},         {"b", "between"},
    {"joint", "joints"},      {"joint", "sum"},         {"coordinate", "sum"},
    {"coordinate", "joint"},  {"coordinate", "joints"}, {"coefficient", "ratio"},
    {"coefficient", "sum"},   {"terms", "sum"},         {"rotation", "angle"},
    {"has_offset", "offset"},
};

/* The node of `field` in the map, NULL if it has none. `field` has neither prefix nor index. */
static const sari_node* field_node(const sari_node* map, const char* field)
{
    const sari_node* node = sari_node_get(map, field);
    for (size_t k = 0; !node && k < sizeof field_keys / sizeof field_keys[0]; k++)
        if (strcmp(field_keys[k][0], field) == 0) node = sari_node_get(map, field_keys[k][1]);
    return node;
}

static const sari_node* item_node(const sari_node* node, long index)
{
    if (index < 0 || index >= node->count) return node;
    if (node->kind == SARI_NODE_LIST) return node->values[index];
    return node->kind == SARI_NODE_MAP ? node->keys[index] : node;
}

/* "b.axis" is the key axis, "force[1]" the second item of the key force. */
static const sari_node* rejected_node(const sari_element* e, const char* field)
{
    char word[sizeof((sar_error*)0)->field];
    bool of_end = (field[0] == 'a' || field[0] == 'b') && field[1] == '.';
    snprintf(word, sizeof word, "%s", of_end ? field + 2 : field);
    char* bracket = strchr(word, '[');
    long index = bracket ? strtol(bracket + 1, NULL, 10) : -1;
    word[strcspn(word, "[.")] = '\0';
    if (e->map->kind != SARI_NODE_MAP) return strcmp(word, "name") == 0 ? e->key : e->map;
    const sari_node* node = word[0] ? field_node(e->map, word) : NULL;
    return node ? item_node(node, index) : e->key;
}

void sari_reject(sari_reader* r, const sari_element* e, const sar_error* error)
{
    if (error->status == SAR_E_NOMEM) {
        sari_fail_memory(r);
        return;
    }
    const int length = (int)strcspn(error->message, "\n");
    sari_report_at(r, rejected_node(e, error->field), error->offset, "%.*s", length,
                   error->message);
    if (error->message[length]) sari_hint(r, "%s", error->message + length + 1);
}

/* ---- remembered names ----------------------------------------------------------------------- */

void sari_remember(sari_reader* r, sari_name_list* list, const char* name)
{
    const size_t length = strlen(name);
    if (sari_remembers(list, name, length)) return;
    void* names = (void*)list->names;
    bool grown = sari_grow(&names, list->count, &list->capacity, sizeof list->names[0]);
    list->names = names;
    char* copy = grown ? sari_copy_string(name) : NULL;
    if (!copy || !sari_hash_add(&list->by_name, sari_hash_code(name, length))) {
        sari_release(copy);
        sari_fail_memory(r);
        return;
    }
    list->names[list->count++] = copy;
}

bool sari_remembers(const sari_name_list* list, const char* name, size_t length)
{
    for (int k = sari_hash_first(&list->by_name, sari_hash_code(name, length)); k >= 0;
         k = sari_hash_next(&list->by_name, k)) {
        const char* known = list->names[k];
        if (strlen(known) == length && memcmp(known, name, length) == 0) return true;
    }
    return false;
}

void sari_name_list_clear(sari_name_list* list)
{
    for (int k = 0; k < list->count; k++) sari_release(list->names[k]);
    sari_release((void*)list->names);
    sari_hash_release(&list->by_name);
    *list = (sari_name_list){0};
}
