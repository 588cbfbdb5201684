/* A YAML text as a tree of scalars, lists and maps, each with its place in the text.
 *
 * Only the part of YAML that a model needs: one document, no anchors, aliases, tags or keys that
 * are not plain words. What is left is the same for every YAML reader, and cannot grow beyond its
 * text. */
#ifndef SARI_DOCUMENT_H
#define SARI_DOCUMENT_H

#include "input/yaml/diagnostics.h"
#include "input/yaml/scratch.h"
#include "sarrus/load.h"

#include <stdbool.h>

typedef enum sari_node_kind { SARI_NODE_SCALAR, SARI_NODE_LIST, SARI_NODE_MAP } sari_node_kind;

typedef struct sari_node sari_node;
struct sari_node {
    sari_node_kind kind;
    sari_place place;
    bool plain;         ///< scalar without quotes
    bool bare;          ///< key without a value
    const char* text;   ///< scalar: zero-terminated, without zeros inside
    size_t length;      ///< of text
    int count;          ///< list: items; map: pairs
    sari_node** keys;   ///< map
    sari_node** values; ///< list and map
};

/// Parse the text of `source`, which must outlive the nodes. What is wrong goes into `diagnostics`. `*root` is NULL when there is no tree to
/// look at; keys that appear twice are an error, but leave a tree. Nodes live in `memory`.
/// @return SAR_OK, SAR_E_MODEL, SAR_E_NOMEM
sar_status sari_document_parse(const sari_source* source, sari_scratch* memory,
                               sari_diagnostics* diagnostics, sari_node** root);

/// Value or key of the pair with this key, NULL if the map has none.
const sari_node* sari_node_get(const sari_node* map, const char* key);
const sari_node* sari_node_key(const sari_node* map, const char* key);

/// "a list", "a map", "nothing", "'text'": what a node is, for messages. Writes into `buffer`.
const char* sari_node_describe(const sari_node* node, char* buffer, size_t size);

#endif
