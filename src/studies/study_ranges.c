/* Where the options of a row may be tuned. A row has `ranges` of its own,
 *
 *     "ranges": {"alpha": [1e6, 1e14], "step": [1e-4, 1e-2]}
 *
 * and a file a list of them, for the rows that set the option, or for some of these:
 *
 *     "ranges": [{"source": "ruggiu2023", "preset": "ALi3p", "alpha": [1e7, 1e15]}] */
#include "base/status.h"
#include "studies/study_file.h"

#include <string.h>

/* Words of an entry that say which rows it is about; other words and single numbers are remarks. */
static int is_about(sari_study_file* file, const sari_node* entry, const sar_study_row* row)
{
    const char* source = sari_study_text(file, entry, "source");
    const char* label = sari_study_text(file, entry, "label");
    if ((*source && strcmp(source, row->source) != 0) || (*label && strcmp(label, row->label) != 0))
        return 0;
    static const char* const axes[] = {"preset", "formulation", "integrator", "coordinates"};
    for (int k = 0; k < 4; k++) {
        const char* wanted = sari_study_text(file, entry, axes[k]);
        int found = !*wanted;
        for (int j = 0; j < row->option_count && !found; j++)
            found = strcmp(row->options[j].name, axes[k]) == 0 &&
                    strcmp(row->options[j].value, wanted) == 0;
        if (!found) return 0;
    }
    return 1;
}

static int sets(const sar_study_row* row, const char* name)
{
    for (int k = row->inherited; k < row->option_count; k++)
        if (strcmp(row->options[k].name, name) == 0) return 1;
    return 0;
}

static void add(sari_study_file* file, const sari_node* ends, const char* name, sar_study_row* row,
                sar_study_range* ranges)
{
    sar_study_range* range = &ranges[row->range_count];
    *range = (sar_study_range){.name = name};
    for (int k = 0; k < row->range_count; k++)
        if (strcmp(ranges[k].name, name) == 0) return; // the row's own counts
    if (ends->kind == SARI_NODE_LIST && ends->count == 2 &&
        ends->values[0]->kind == SARI_NODE_SCALAR && ends->values[1]->kind == SARI_NODE_SCALAR &&
        sar_number_read(ends->values[0]->text, &range->low) &&
        sar_number_read(ends->values[1]->text, &range->high) && range->low < range->high)
        row->range_count++;
    else
        sari_diagnostics_add(file->diagnostics, ends->place,
                             "a range is two numbers, [LOW, HIGH], the first below the second");
}

sar_status sari_study_ranges(sari_study_file* file, const sari_node* entry, sar_study_row* row)
{
    const sari_node* own = sari_study_map(file, entry, "ranges");
    const sari_node* list = sari_node_get(file->root, "ranges");
    int most = own ? own->count : 0;
    if (list && list->kind != SARI_NODE_LIST) {
        sari_diagnostics_add(file->diagnostics, list->place,
                             "'ranges' of a file is a list of maps");
        list = NULL;
    }
    for (int k = 0; list && k < list->count; k++) most += list->values[k]->count;
    sar_study_range* ranges =
        sari_scratch_allocate(&file->study->memory, ((size_t)most + 1) * sizeof *ranges);
    if (!ranges) return SAR_E_NOMEM;
    row->ranges = ranges;
    for (int k = 0; own && k < own->count; k++)
        add(file, own->values[k], own->keys[k]->text, row, ranges);
    for (int i = 0; list && i < list->count; i++) {
        const sari_node* node = list->values[i];
        if (node->kind != SARI_NODE_MAP || !is_about(file, node, row)) continue;
        for (int k = 0; k < node->count; k++)
            if (node->values[k]->kind == SARI_NODE_LIST && sets(row, node->keys[k]->text))
                add(file, node->values[k], node->keys[k]->text, row, ranges);
    }
    return SAR_OK;
}
