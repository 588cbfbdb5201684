/* Coefficients of tyres, from a file and by name. */
#include "base/status.h"
#include "input/reader.h"

#include <string.h>

void sari_read_tyre_file(sari_reader* r, const sari_node* node, double* coefficient, int* side)
{
    sar_tyre_side measured = (sar_tyre_side)*side;
    sar_error error;
    const int before = r->failures;
    const sari_text name = sari_read_text(r, node, "file");
    if (r->failures != before) return;
    const char* path = sari_path_beside(r, name.text);
    if (!path) return;
    if (sar_magic_read(path, coefficient, &measured, &error) != SAR_OK)
        sari_report(r, node, "%s", error.message);
    else if (sari_model_add_file(r->model, path) != SAR_OK)
        sari_fail_memory(r);
    *side = (int)measured;
}

void sari_read_coefficients(sari_reader* r, const sari_node* node, double* coefficient)
{
    if (node->kind != SARI_NODE_MAP) {
        char found[64];
        sari_report(r, node, "coefficients must be a map such as {PCX1: 1.6}, here is %s",
                    sari_node_describe(node, found, sizeof found));
        return;
    }
    for (int i = 0; i < node->count; i++) {
        const sari_node* key = node->keys[i];
        const int k = sar_magic_find(key->text, key->length);
        if (k >= 0) {
            coefficient[k] = sari_read_number(r, node->values[i], key->text);
            continue;
        }
        const char* words[SAR_MAGIC_COUNT];
        for (int n = 0; n < SAR_MAGIC_COUNT; n++) words[n] = sar_magic_name(n);
        const char* near = sari_nearest_word(key->text, words, SAR_MAGIC_COUNT);
        sari_report(r, key, "the Magic Formula has no coefficient '%.60s'", key->text);
        if (near) sari_hint(r, "did you mean '%s'?", near);
    }
}
