#include "studies/sweeps.h"

#include "base/memory.h"
#include "base/status.h"
#include "input/yaml/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/// published.json is data of a problem; a file larger than this is something else.
enum { LARGEST = 1 << 22 };

static sar_status read_text(const char* path, char** text, size_t* length, sar_error* error)
{
    FILE* in = fopen(path, "rb");
    if (!in) return sari_fail(error, SAR_E_IO, NULL, "cannot read %s: %s", path, strerror(errno));
    *text = sari_allocate(LARGEST, 1);
    if (*text) *length = fread(*text, 1, LARGEST, in);
    int failed = ferror(in);
    fclose(in);
    if (!*text) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for %s", path);
    if (failed || *length == LARGEST)
        return sari_fail(error, SAR_E_IO, NULL, "cannot read %s, or it is too large", path);
    return SAR_OK;
}

static int read_number(const sari_node* node, double* value)
{
    return node && node->kind == SARI_NODE_SCALAR && sar_number_read(node->text, value);
}

/* {"variables": ["theta1", "xQ"], "weights": [1, 1], "sample": 0.01, ...} */
static sar_status read_metric(const sari_node* map, sar_metric* out, const char* path,
                              sar_error* error)
{
    const int most = (int)(sizeof out->weights / sizeof *out->weights);
    const sari_node* names = sari_node_get(map, "variables");
    const sari_node* weights = sari_node_get(map, "weights");
    if (!names || names->kind != SARI_NODE_LIST || names->count < 1 || names->count > most)
        return sari_fail(error, SAR_E_ARG, "variables", "%s: the metric names 1 to %d variables",
                         path, most);
    if (weights && (weights->kind != SARI_NODE_LIST || weights->count != names->count))
        return sari_fail(error, SAR_E_ARG, "weights", "%s: expected a weight for each variable",
                         path);
    out->count = names->count;
    for (int k = 0; k < out->count; k++) {
        const sari_node* name = names->values[k];
        int fits = name->kind == SARI_NODE_SCALAR && name->length < sizeof out->names[k];
        out->weights[k] = 1.0;
        if (!fits || (weights && !read_number(weights->values[k], &out->weights[k])))
            return sari_fail(error, SAR_E_ARG, "variables",
                             "%s: variable or weight %d of the metric makes no sense", path, k + 1);
        snprintf(out->names[k], sizeof out->names[k], "%s", name->text);
    }
    const sari_node* sample = sari_node_get(map, "sample");
    if (sample && (!read_number(sample, &out->interval) || out->interval < 0.0))
        return sari_fail(error, SAR_E_ARG, "sample", "%s: the metric's sample is not a time", path);
    read_number(sari_node_get(map, "low_precision"), &out->low);
    read_number(sari_node_get(map, "high_precision"), &out->high);
    return SAR_OK;
}

sar_status sar_metric_read(const char* path, sar_metric* out, sar_error* error)
{
    char* text = NULL;
    size_t length = 0;
    *out = (sar_metric){0};
    sar_status st = read_text(path, &text, &length, error);
    if (st != SAR_OK) {
        sari_release(text);
        return st;
    }
    sari_scratch nodes = {0};
    sari_diagnostics* d = SARI_NEW(sari_diagnostics);
    sari_node* root = NULL;
    st = SAR_E_NOMEM;
    if (d) {
        sari_diagnostics_init(d, "error", path, text, length);
        st = sari_document_parse(&d->source, &nodes, d, &root);
    }
    const sari_node* map = NULL;
    if (st == SAR_OK && root && root->kind == SARI_NODE_MAP) map = sari_node_get(root, "metric");
    if (st == SAR_E_NOMEM)
        sari_fail(error, st, NULL, "out of memory for %s", path);
    else if (map && map->kind == SARI_NODE_MAP)
        st = read_metric(map, out, path, error);
    else
        st = sari_fail(error, SAR_E_ARG, "metric", "%s has no metric", path);
    if (d) sari_diagnostics_clear(d);
    sari_release(d);
    sari_scratch_clear(&nodes);
    sari_release(text);
    return st;
}
