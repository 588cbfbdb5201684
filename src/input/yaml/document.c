#include "input/yaml/document.h"

#include "base/memory.h"
#include "base/status.h"
#include "input/yaml/events.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MOST = 32,
    NODES_MOST = 8 * 1000 * 1000,
};

typedef struct builder {
    sari_yaml_events* events;
    sari_scratch* memory;
    sari_diagnostics* diagnostics;
    const sari_source* source;
    int nodes;
    bool hidden;       // braces of indices are hidden in what is read
    bool ambiguous;    // a key appears twice: reported, but no reason to stop
    size_t characters; // where the last event was: they count characters, we also want bytes
    size_t byte;
} builder;

/* ---- places --------------------------------------------------------------------------------- */

/* Events come in ascending order, so that following them costs one pass over the text in all. */
static sari_place place_of(builder* b, const sari_yaml_event* mark)
{
    const sari_source* d = b->source;
    if (mark->index < b->characters) b->characters = b->byte = 0;
    while (b->characters < mark->index && b->byte < d->length) {
        b->byte++;
        while (b->byte < d->length && ((unsigned char)d->text[b->byte] & 0xc0) == 0x80) b->byte++;
        b->characters++;
    }
    return (sari_place){(int)mark->line + 1, (int)mark->column + 1, b->byte, d};
}

/* ---- errors --------------------------------------------------------------------------------- */

static sar_status wrong(builder* b, const sari_yaml_event* mark, const char* what, const char* hint)
{
    sari_diagnostics_add(b->diagnostics, place_of(b, mark), "%s", what);
    if (hint) sari_diagnostics_hint(b->diagnostics, "%s", hint);
    return SAR_E_MODEL;
}

/* YAML's words for the mistakes that expressions provoke, and what they mean here. */
static const char* hint_for(const char* problem)
{
    static const struct {
        const char* part;
        const char* hint;
    } hints[] = {
        {"mapping values are not allowed", "put quotes around an expression that contains ': ', "
                                           "and check the indentation of the line"},
        {"while parsing a flow",
         "put quotes around an expression that contains a comma or '? :', and close "
         "every [ and {"},
        {"did not find expected ',' or", "close the [ or {, and put quotes around a name or "
                                         "expression that contains { or }"},
        {"block sequence entries", "write a negative number without a blank: -2"},
        {"did not find expected key", "check the indentation: the keys of a map start in the same "
                                      "column"},
        {"did not find expected alphabetic", "a value cannot start with '*' or '&'"},
        {"could not find expected ':'", "every key is followed by a colon and a blank"},
        {"cannot start any token", "indent with blanks, not tabs; put quotes around a value that "
                                   "starts with % @ or `"},
        {"tab character", "indent with blanks, not tabs"},
    };
    for (size_t k = 0; k < sizeof hints / sizeof hints[0]; k++)
        if (strstr(problem, hints[k].part)) return hints[k].hint;
    return NULL;
}

static sar_status yaml_failed(builder* b, const sari_yaml_event* e)
{
    if (e->kind == SARI_YAML_NO_MEMORY) return SAR_E_NOMEM;
    if (e->kind == SARI_YAML_NOT_UTF8) {
        sari_place start = {1, 1, 0, b->source};
        sari_diagnostics_add(b->diagnostics,
                             sari_place_forward(b->diagnostics, start, e->problem_offset),
                             "not a text in UTF-8: %s", e->problem);
        return SAR_E_MODEL;
    }
    char what[256];
    snprintf(what, sizeof what, "not valid YAML: %s%s%s", e->context ? e->context : "",
             e->context ? ", " : "", e->problem);
    return wrong(b, e, what, hint_for(what));
}

static sar_status next_event(builder* b, sari_yaml_event* event)
{
    sari_yaml_next(b->events, event);
    return event->kind < SARI_YAML_WRONG ? SAR_OK : yaml_failed(b, event);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static sar_status new_node(builder* b, sari_node_kind kind, const sari_yaml_event* mark,
                           sari_node** out)
{
    if (++b->nodes > NODES_MOST)
        return wrong(b, mark, "the file is too large: more than eight million values",
                     "use a repeat entry for what repeats");
    sari_node* node = sari_scratch_allocate(b->memory, sizeof *node);
    if (!node) return SAR_E_NOMEM;
    node->kind = kind;
    node->place = place_of(b, mark);
    *out = node;
    return SAR_OK;
}

/* Twice as large whenever the count reaches a power of two; what it leaves goes with the memory. */
static sar_status append(builder* b, sari_node*** array, int count, sari_node* node)
{
    if ((count & (count - 1)) == 0) {
        size_t room = count ? 2 * (size_t)count : 1;
        sari_node** bigger = sari_scratch_allocate(b->memory, room * sizeof **array);
        if (!bigger) return SAR_E_NOMEM;
        if (count) memcpy(bigger, *array, (size_t)count * sizeof **array);
        *array = bigger;
    }
    (*array)[count] = node;
    return SAR_OK;
}

static int by_key(const void* a_, const void* b_)
{
    const sari_node *a = *(sari_node*const*)a_, *b = *(sari_node*const*)b_;
    int order = strcmp(a->text, b->text);
    return order ? order : (a->place.byte > b->place.byte) - (a->place.byte < b->place.byte);
}

static sar_status check_duplicates(builder* b, const sari_node* map)
{
    if (map->count < 2) return SAR_OK;
    sari_node** sorted = sari_copy(map->keys, (size_t)map->count, sizeof sorted[0]);
    if (!sorted) return SAR_E_NOMEM;
    qsort(sorted, (size_t)map->count, sizeof sorted[0], by_key);
    for (int k = 1; k < map->count; k++) {
        if (strcmp(sorted[k - 1]->text, sorted[k]->text) != 0) continue;
        if (sorted[k]->bare) continue; // {a: f(x, 0, 0}: what a comma cut off is no key
        sari_diagnostics_add(b->diagnostics, sorted[k]->place, "'%.80s' appears a second time",
                             sorted[k]->text);
        sari_diagnostics_hint(b->diagnostics,
                              "the first is in line %d; remove or rename one of them",
                              sorted[k - 1]->place.line);
        b->ambiguous = true;
    }
    sari_release(sorted);
    return SAR_OK;
}

/* ---- expressions with commas ---------------------------------------------------------------- */

/* In [ ] and { } a plain scalar ends at a comma: [atan2(y, x), 0] arrives as "atan2(y", "x)", "0", and
 * {angle: atan2(y, x)} as a value and a key without one. No expression has an open parenthesis at
 * its end, so the pieces are put together again. */

/* Parentheses that are open behind a piece, `open` before it; -1: it is none. */
static int open_behind(const sari_node* piece, int open)
{
    if (piece->kind != SARI_NODE_SCALAR || !piece->plain) return -1;
    for (const char* c = piece->text; *c; c++) {
        if (*c == ',') return -1; // what a reader wrote never has one
        open += (*c == '(') - (*c == ')');
        if (open < 0) return -1;
    }
    return open;
}

/* pieces[0] ... pieces[count-1] are an expression: the first becomes it. */
static sar_status join(builder* b, sari_node* const* pieces, int count)
{
    size_t length = 0, used = 0;
    for (int k = 0; k < count; k++) length += pieces[k]->length + 2;
    char* text = sari_scratch_allocate(b->memory, length + 1);
    if (!text) return SAR_E_NOMEM;
    for (int k = 0; k < count; k++) {
        if (k > 0) text[used++] = ',', text[used++] = ' ';
        memcpy(text + used, pieces[k]->text, pieces[k]->length);
        used += pieces[k]->length;
    }
    text[used] = 0;
    pieces[0]->text = text;
    pieces[0]->length = used;
    return SAR_OK;
}

/* How many pieces the expression has that begins with `first`: the next ones are in rest[0] ...; 1
 * where it never ends. */
static int pieces_of(const sari_node* first, sari_node* const* rest, int left, bool keys)
{
    int open = open_behind(first, 0), count = 0;
    while (open > 0 && count < left && (!keys || rest[count]->bare))
        open = open_behind(rest[count++], open);
    return open == 0 ? count + 1 : 1;
}

static sar_status mend_list(builder* b, sari_node* list)
{
    int kept = 0;
    for (int k = 0; k < list->count;) {
        sari_node** first = list->values + k;
        const int count = pieces_of(*first, first + 1, list->count - k - 1, false);
        if (count > 1) SARI_TRY(join(b, first, count));
        list->values[kept++] = *first;
        k += count;
    }
    list->count = kept;
    return SAR_OK;
}

static sar_status mend_map(builder* b, sari_node* map)
{
    int kept = 0;
    for (int k = 0; k < map->count;) {
        sari_node *key = map->keys[k], *value = map->values[k];
        const int count = pieces_of(value, map->keys + k + 1, map->count - k - 1, true);
        map->keys[k] = value; // the pieces side by side
        if (count > 1) SARI_TRY(join(b, map->keys + k, count));
        map->keys[kept] = key;
        map->values[kept++] = value;
        k += count;
    }
    map->count = kept;
    return SAR_OK;
}

/* ---- lists and maps ------------------------------------------------------------------------- */

static sar_status build(builder* b, sari_yaml_event* event, int depth, sari_node** out);

static sar_status build_next(builder* b, int depth, sari_node** out, bool* ended)
{
    sari_yaml_event event;
    SARI_TRY(next_event(b, &event));
    *ended = event.kind == SARI_YAML_END;
    return *ended ? SAR_OK : build(b, &event, depth, out);
}

static sar_status build_list(builder* b, sari_node* list, int depth)
{
    for (;;) {
        sari_node* item = NULL;
        bool ended;
        SARI_TRY(build_next(b, depth + 1, &item, &ended));
        if (ended) return mend_list(b, list);
        SARI_TRY(append(b, &list->values, list->count, item));
        list->count++;
    }
}

static sar_status build_map(builder* b, sari_node* map, int depth)
{
    for (;;) {
        sari_node *key = NULL, *value = NULL;
        bool ended;
        SARI_TRY(build_next(b, depth + 1, &key, &ended));
        if (ended) break;
        if (key->kind != SARI_NODE_SCALAR) {
            sari_diagnostics_add(b->diagnostics, key->place, "a key must be a word");
            sari_diagnostics_hint(b->diagnostics,
                                  "put quotes around a key that starts with { or [");
            return SAR_E_MODEL;
        }
        SARI_TRY(build_next(b, depth + 1, &value, &ended));
        key->bare = value->kind == SARI_NODE_SCALAR && value->plain && value->length == 0;
        SARI_TRY(append(b, &map->keys, map->count, key));
        SARI_TRY(append(b, &map->values, map->count, value));
        map->count++;
    }
    SARI_TRY(mend_map(b, map));
    return check_duplicates(b, map);
}

/* ---- names with {index} --------------------------------------------------------------------- */

/* In a flow mapping YAML takes the braces of b{i} for those of a mapping. They follow a name without
 * a blank, which no mapping does: its reader is given two private characters in their place, one for
 * one, so that its places stay true. */
static const char OPEN[] = "\xee\x80\x80", CLOSE[] = "\xee\x80\x81";

static bool is_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Where the brace of an index at text[k] closes; 0: it is none. */
static size_t index_end(const char* text, size_t length, size_t k)
{
    if (text[k] != '{' || k == 0 || !(is_in_name(text[k - 1]) || text[k - 1] == '}')) return 0;
    size_t end = k + 1;
    while (end < length && !strchr("{}\n:,\"'", text[end])) end++;
    return end < length && text[end] == '}' && end > k + 1 ? end : 0;
}

/* The text for YAML: the given one where it has no such names. NULL: out of memory. */
static const char* hide_indices(const char* text, size_t* length, sari_scratch* memory)
{
    size_t indices = 0, used = 0, close = 0;
    for (size_t k = 0; k < *length; k++) indices += index_end(text, *length, k) > 0;
    if (indices == 0) return text;
    char* out = sari_scratch_allocate(memory, *length + 4 * indices + 1);
    if (!out) return NULL;
    for (size_t k = 0; k < *length; k++) {
        const size_t end = index_end(text, *length, k);
        const char* hidden = end ? OPEN : close && k == close ? CLOSE : NULL;
        if (end) close = end;
        if (hidden)
            memcpy(out + used, hidden, 3), used += 3;
        else
            out[used++] = text[k];
    }
    *length = used;
    return out;
}

/* In place; returns the length. */
static size_t show_indices(char* text, size_t length)
{
    size_t used = 0;
    for (size_t k = 0; k < length;) {
        const bool open = length - k >= 3 && memcmp(text + k, OPEN, 3) == 0;
        const bool close = length - k >= 3 && memcmp(text + k, CLOSE, 3) == 0;
        text[used++] = open ? '{' : close ? '}' : text[k];
        k += open || close ? 3 : 1;
    }
    text[used] = 0;
    return used;
}

static sar_status build_scalar(builder* b, const sari_yaml_event* event, sari_node* node)
{
    if (event->length && memchr(event->text, 0, event->length))
        return wrong(b, event, "a text must not contain the character zero", NULL);
    node->plain = event->plain;
    char* copy = sari_scratch_text(b->memory, event->text, event->length);
    if (!copy) return SAR_E_NOMEM;
    node->length = b->hidden ? show_indices(copy, event->length) : event->length;
    node->text = copy;
    return SAR_OK;
}

static sar_status check_properties(builder* b, const sari_yaml_event* event)
{
    if (event->kind == SARI_YAML_ALIAS)
        return wrong(b, event, "aliases (*name) are not part of the model format",
                     "use a parameter for a number that appears twice, a repeat entry for parts; "
                     "put quotes around a text that starts with '*'");
    if (event->anchor)
        return wrong(b, event, "anchors (&name) are not part of the model format",
                     "use a parameter for a number that appears twice, a repeat entry for parts");
    if (event->tag)
        return wrong(b, event, "tags (!name) are not part of the model format",
                     "remove the tag; write 'not x' for a negation");
    return SAR_OK;
}

static sar_status build(builder* b, sari_yaml_event* event, int depth, sari_node** out)
{
    SARI_TRY(check_properties(b, event));
    if (depth > DEPTH_MOST) return wrong(b, event, "lists and maps are nested too deeply", NULL);
    sari_node_kind kind = event->kind == SARI_YAML_SCALAR ? SARI_NODE_SCALAR
                          : event->kind == SARI_YAML_LIST ? SARI_NODE_LIST
                                                          : SARI_NODE_MAP;
    SARI_TRY(new_node(b, kind, event, out));
    if (kind == SARI_NODE_SCALAR) return build_scalar(b, event, *out);
    return kind == SARI_NODE_LIST ? build_list(b, *out, depth) : build_map(b, *out, depth);
}

/* ---- document ------------------------------------------------------------------------------- */

static sar_status build_document(builder* b, sari_node** root)
{
    for (;;) {
        sari_yaml_event event;
        SARI_TRY(next_event(b, &event));
        if (event.kind == SARI_YAML_STREAM_END) return SAR_OK;
        if (event.kind != SARI_YAML_DOCUMENT)
            SARI_TRY(build(b, &event, 1, root));
        else if (*root)
            return wrong(b, &event, "a model is one document; here a second begins",
                         "put the second model into a file of its own");
    }
}

sar_status sari_document_parse(const sari_source* source, sari_scratch* memory,
                               sari_diagnostics* diagnostics, sari_node** root)
{
    *root = NULL;
    builder b = {.memory = memory, .diagnostics = diagnostics, .source = source};
    if (source->length > SAR_MODEL_BYTES) {
        sari_diagnostics_add(diagnostics, (sari_place){.source = source},
                             "the file is larger than 64 MiB");
        return SAR_E_MODEL;
    }
    size_t length = source->length;
    const char* text = hide_indices(source->text, &length, memory);
    if (text) b.events = sari_yaml_open(text, length, memory);
    if (!b.events) return SAR_E_NOMEM;
    b.hidden = text != source->text;
    sar_status status = build_document(&b, root);
    if (status == SAR_OK && !*root) {
        sari_diagnostics_add(diagnostics, (sari_place){1, 1, 0, source}, "the file is empty");
        sari_diagnostics_hint(diagnostics, "a model starts with 'sarrus: 1'");
        status = SAR_E_MODEL;
    }
    if (status != SAR_OK) *root = NULL;
    return status == SAR_OK && b.ambiguous ? SAR_E_MODEL : status;
}

/* ---- access --------------------------------------------------------------------------------- */

static int find_pair(const sari_node* map, const char* key)
{
    for (int k = 0; k < map->count; k++)
        if (strcmp(map->keys[k]->text, key) == 0) return k;
    return -1;
}

const sari_node* sari_node_get(const sari_node* map, const char* key)
{
    int k = map->kind == SARI_NODE_MAP ? find_pair(map, key) : -1;
    return k < 0 ? NULL : map->values[k];
}

const sari_node* sari_node_key(const sari_node* map, const char* key)
{
    int k = map->kind == SARI_NODE_MAP ? find_pair(map, key) : -1;
    return k < 0 ? NULL : map->keys[k];
}

const char* sari_node_describe(const sari_node* node, char* buffer, size_t size)
{
    if (node->kind == SARI_NODE_LIST) {
        snprintf(buffer, size, "a list of %d", node->count);
    } else if (node->kind == SARI_NODE_MAP) {
        snprintf(buffer, size, "a map");
    } else if (node->length == 0) {
        snprintf(buffer, size, "nothing");
    } else {
        int shown = node->length > 40 ? 40 : (int)node->length;
        snprintf(buffer, size, "'%.*s%s'", shown, node->text, node->length > 40 ? "..." : "");
    }
    return buffer;
}
