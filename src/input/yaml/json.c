/* A YAML document as JSON, for other languages: one reader for models and for all files beside them. */
#include "base/memory.h"
#include "base/status.h"
#include "input/yaml/document.h"

#include <stdio.h>

/// The text as far as it is written; NULL: it is only counted.
typedef struct writer {
    char* text;
    size_t used;
} writer;

static void put(writer* w, char c)
{
    if (w->text) w->text[w->used] = c;
    w->used++;
}

static void put_scalar(writer* w, const char* text)
{
    put(w, '"');
    for (const char* c = text; *c; c++) {
        char code[8];
        if ((unsigned char)*c >= 0x20) {
            if (*c == '"' || *c == '\\') put(w, '\\');
            put(w, *c);
            continue;
        }
        snprintf(code, sizeof code, "\\u%04x", (unsigned)*c);
        for (int k = 0; k < 6; k++) put(w, code[k]);
    }
    put(w, '"');
}

static void put_node(writer* w, const sari_node* node)
{
    if (node->kind == SARI_NODE_SCALAR) {
        put_scalar(w, node->text);
        return;
    }
    const int is_map = node->kind == SARI_NODE_MAP;
    put(w, is_map ? '{' : '[');
    for (int k = 0; k < node->count; k++) {
        if (k) put(w, ',');
        if (is_map) {
            put_scalar(w, node->keys[k]->text);
            put(w, ':');
        }
        put_node(w, node->values[k]);
    }
    put(w, is_map ? '}' : ']');
}

static sar_status write_node(const sari_node* root, char** json)
{
    writer w = {0};
    put_node(&w, root);
    *json = w.text = sari_allocate(w.used + 1, 1);
    if (!w.text) return SAR_E_NOMEM;
    w.used = 0;
    put_node(&w, root);
    return SAR_OK;
}

sar_status sar_yaml_json(const char* text, size_t length, const char* name, char** json,
                         char** messages)
{
    *json = *messages = NULL;
    sari_scratch nodes = {0};
    sari_node* root = NULL;
    sari_diagnostics* d = SARI_NEW(sari_diagnostics);
    if (!d) return SAR_E_NOMEM;
    sari_diagnostics_init(d, "error", name, text, length);
    sar_status status = sari_document_parse(&d->source, &nodes, d, &root);
    if (status == SAR_OK) status = write_node(root, json);
    if (status == SAR_E_MODEL) *messages = sari_diagnostics_format(d);
    sari_diagnostics_clear(d);
    sari_release(d);
    sari_scratch_clear(&nodes);
    return status;
}
