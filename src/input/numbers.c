/* All numbers of a model file, by their places: what they are called, and what they are changed by. */
#include "base/memory.h"
#include "input/reader.h"

#include <stdio.h>
#include <string.h>

static unsigned code_of(const void* node)
{
    return sari_hash_code(&node, sizeof node);
}

int sari_numbers_find(const sari_numbers* n, const void* node)
{
    for (int k = sari_hash_first(&n->by_node, code_of(node)); k >= 0;
         k = sari_hash_next(&n->by_node, k))
        if (n->node[k] == node) return k;
    return -1;
}

void sari_numbers_clear(sari_numbers* n)
{
    for (int k = 0; k < n->count; k++) sari_release((char*)n->at[k].name);
    sari_release(n->at);
    sari_release((void*)n->node);
    sari_release(n->change);
    sari_hash_release(&n->by_node);
    *n = (sari_numbers){0};
}

static bool grow(sari_numbers* n)
{
    void *at = n->at, *node = (void*)n->node, *change = n->change;
    const bool a = sari_grow(&at, n->count, &n->capacity, sizeof *n->at);
    n->at = at;
    const bool b = sari_grow(&node, n->count, &n->node_capacity, sizeof *n->node);
    n->node = node;
    const bool c = sari_grow(&change, n->count, &n->change_capacity, sizeof *n->change);
    n->change = change;
    return a && b && c;
}

double sari_number_read(sari_reader* r, const sari_node* node, double value)
{
    sari_numbers* n = &r->files->numbers;
    if (!n->used) return value;
    const int k = sari_numbers_find(n, node);
    if (k >= 0) return value + n->change[k];
    if (!n->noted) return value;
    if (!grow(n) || !sari_hash_add(&n->by_node, code_of(node))) {
        sari_fail_memory(r);
        return value;
    }
    n->node[n->count] = node;
    n->change[n->count] = 0.0;
    n->at[n->count++] = (sar_number){.name = NULL, .value = value};
    return value;
}

/* ---- names ---------------------------------------------------------------------------------- */

typedef struct naming {
    sari_numbers* n;
    char path[512];
    bool failed;
} naming;

static void name_below(naming* w, const sari_node* node, size_t length)
{
    const size_t room = sizeof w->path - length;
    const int k = sari_numbers_find(w->n, node);
    if (k >= 0 && !w->n->at[k].name) {
        w->n->at[k].name = sari_copy_string(w->path);
        w->failed |= !w->n->at[k].name;
    }
    for (int i = 0; i < node->count && node->kind != SARI_NODE_SCALAR; i++) {
        int more = 0; // {value: 0.3, tolerance: 1e-4} is called as a number without a tolerance
        if (node->kind == SARI_NODE_LIST)
            more = snprintf(w->path + length, room, "[%d]", i);
        else if (!sari_has_tolerance(node) || strcmp(node->keys[i]->text, "value") != 0)
            more = snprintf(w->path + length, room, "%s%s",
                            length && w->path[length - 1] != ':' ? "." : "", node->keys[i]->text);
        if (more >= 0 && (size_t)more < room) name_below(w, node->values[i], length + (size_t)more);
        w->path[length] = 0;
    }
}

bool sari_numbers_name(sari_files* files)
{
    naming w = {.n = &files->numbers};
    for (int f = 0; f < files->count; f++) {
        const sari_file* file = files->at[f];
        w.path[0] = 0;
        size_t length = 0;
        const char* slash = file->path ? strrchr(file->path, '/') : NULL;
        if (f > 0 && file->path)
            length =
                (size_t)snprintf(w.path, sizeof w.path, "%.200s:", slash ? slash + 1 : file->path);
        if (file->root) name_below(&w, file->root, length);
    }
    return !w.failed;
}
