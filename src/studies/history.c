#include "studies/history.h"

#include "base/memory.h"
#include "base/status.h"
#include "results/table.h"

#include <math.h>
#include <string.h>

sar_status sari_history_init(sari_history* h, const sar_trial_def* def, sar_error* error)
{
    *h = (sari_history){
        .model = def->model, .outputs = sar_model_outputs(def->model), .names = def->extra};
    h->columns = h->outputs + def->extra_count;
    h->extra = SARI_NEW_ARRAY(sar_signal, def->extra_count);
    if (!h->extra) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (int k = 0; k < def->extra_count; k++)
        SARI_TRY(sar_signal_find(def->model, def->extra[k], &h->extra[k], error));
    return SAR_OK;
}

void sari_history_clear(sari_history* h)
{
    sari_release(h->extra);
    sari_release(h->values);
    *h = (sari_history){0};
}

sar_status sari_history_add(sari_history* h, sar_simulation* s, double t)
{
    size_t width = (size_t)h->columns + 1;
    if (!sari_grow((void**)&h->values, h->rows, &h->capacity, width * sizeof(double)))
        return SAR_E_NOMEM;
    double* row = h->values + width * (size_t)h->rows;
    row[0] = t;
    SARI_TRY(sar_simulation_outputs_at(s, t, row + 1));
    for (int k = h->outputs; k < h->columns; k++)
        SARI_TRY(sar_signal_get(&h->extra[k - h->outputs], s, &row[1 + k]));
    h->rows++;
    return SAR_OK;
}

static const char* column_name(const sari_history* h, int c)
{
    return c < h->outputs ? sar_model_output_name(h->model, c) : h->names[c - h->outputs];
}

sar_status sari_history_result(const sari_history* h, sar_result** out)
{
    sar_result* r = *out = SARI_NEW(sar_result);
    if (!r) return SAR_E_NOMEM;
    r->rows = h->rows;
    r->columns = h->columns;
    r->time = SARI_NEW_ARRAY(double, h->rows);
    r->values = SARI_NEW_ARRAY(double, (size_t)h->rows*(size_t)h->columns);
    r->names = SARI_NEW_ARRAY(char*, h->columns);
    if (!r->time || !r->values || !r->names) return SAR_E_NOMEM;
    for (int c = 0; c < h->columns; c++) {
        r->names[c] = sari_copy_string(column_name(h, c));
        if (!r->names[c]) return SAR_E_NOMEM;
    }
    for (int i = 0; i < h->rows; i++) {
        const double* row = h->values + ((size_t)h->columns + 1) * (size_t)i;
        r->time[i] = row[0];
        for (int c = 0; c < h->columns; c++)
            r->values[(size_t)c * (size_t)h->rows + (size_t)i] = row[1 + c];
    }
    return SAR_OK;
}
