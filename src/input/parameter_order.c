#include "input/parameter_order.h"

#include "base/hash.h"
#include "base/memory.h"
#include "expression/quantity.h"
#include "expression/token.h"

#include <stdio.h>
#include <string.h>

enum { WAITING, BEGUN, DONE }; // states of an entry

/* A search in depth over the names that expressions use, with a stack of its own: a file may have
 * fifty thousand parameters, each of which uses the next one. */
typedef struct search {
    sari_reader* r;
    const sari_node* map;
    const char* (*text_of)(sari_reader*, const sari_node* map, int entry);
    sari_hash names; // of the entries
    char* state;     // by entry
    int* at;         // by entry: the character at which its expression is read on
    int* stack;      // entries that wait for the one above them
    int depth;
    int* order;
    int count;
    bool* cyclic;
} search;

static int find(const search* s, const char* name, size_t length)
{
    for (int k = sari_hash_first(&s->names, sari_hash_code(name, length)); k >= 0;
         k = sari_hash_next(&s->names, k))
        if (s->map->keys[k]->length == length && memcmp(s->map->keys[k]->text, name, length) == 0)
            return k;
    return -1;
}

/* Behind a number and a blank its unit, in which names are none of parameters. */
static int after_unit(const char* text, int offset)
{
    sari_unit unit;
    int start = offset;
    while (text[start] == ' ') start++;
    const int length = sari_unit_read(text + start, NULL, NULL, &unit);
    return start > offset && length > 0 ? start + length : offset;
}

/* The next entry that the expression of entry k uses, -1: no more. What is no expression ends here;
 * it is reported when it is read. */
static int next_used(search* s, int k)
{
    sari_token token;
    const char* text = s->text_of(s->r, s->map, k);
    while (text && sari_token_read(text, s->at[k], &token, NULL) == SAR_OK &&
           token.kind != SARI_TOKEN_END) {
        s->at[k] = token.offset + token.length;
        if (token.kind == SARI_TOKEN_NUMBER) s->at[k] = after_unit(text, s->at[k]);
        if (token.kind != SARI_TOKEN_NAME) continue;
        const int used = find(s, text + token.offset, (size_t)token.length);
        if (used >= 0) return used;
    }
    return -1;
}

/* The entries from `used` to the top of the stack use each other. */
static void report_cycle(search* s, int used)
{
    char names[256] = "";
    size_t length = 0;
    int k = s->depth - 1;
    while (k > 0 && s->stack[k] != used) k--;
    const int first = k;
    for (; k < s->depth; k++) {
        s->cyclic[s->stack[k]] = true;
        if (length + 64 < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%.40s -> ",
                                       s->map->keys[s->stack[k]]->text);
    }
    const sari_node* key = s->map->keys[s->stack[first]];
    sari_report(s->r, key, "the parameter '%.40s' depends on itself: %s%.40s", key->text, names,
                key->text);
}

static void visit(search* s, int entry)
{
    s->stack[s->depth++] = entry;
    s->state[entry] = BEGUN;
    while (s->depth > 0) {
        const int k = s->stack[s->depth - 1], used = next_used(s, k);
        if (used < 0) {
            s->state[k] = DONE;
            s->order[s->count++] = k;
            s->depth--;
        } else if (s->state[used] == BEGUN) {
            if (!s->cyclic[used]) report_cycle(s, used);
        } else if (s->state[used] == WAITING) {
            s->state[used] = BEGUN;
            s->stack[s->depth++] = used;
        }
    }
}

static bool begin(search* s)
{
    const int n = s->map->count;
    s->state = SARI_NEW_ARRAY(char, n);
    s->at = SARI_NEW_ARRAY(int, n);
    s->stack = SARI_NEW_ARRAY(int, n);
    bool ready = s->state && s->at && s->stack;
    for (int k = 0; k < n && ready; k++)
        ready = sari_hash_add(&s->names,
                              sari_hash_code(s->map->keys[k]->text, s->map->keys[k]->length));
    return ready;
}

bool sari_parameter_order(sari_reader* r, const sari_node* map,
                          const char* (*text_of)(sari_reader*, const sari_node* map, int entry),
                          int* order, bool* cyclic)
{
    search s = {.r = r, .map = map, .text_of = text_of, .order = order, .cyclic = cyclic};
    const bool ready = map->count == 0 || begin(&s);
    for (int k = 0; k < map->count && ready; k++) cyclic[k] = false;
    for (int k = 0; k < map->count && ready; k++)
        if (s.state[k] == WAITING) visit(&s, k);
    sari_hash_release(&s.names);
    sari_release(s.state);
    sari_release(s.at);
    sari_release(s.stack);
    return ready;
}
