#include "base/memory.h"
#include "base/status.h"
#include "results/format.h"
#include "results/table.h"

#include <math.h>
#include <string.h>

static sar_status read_file(const char* path, int all, sar_result** out, sar_error* error)
{
    *out = NULL;
    sari_format format;
    SARI_TRY(sari_format_of(path, &format, error));
    sar_result* r = SARI_NEW(sar_result);
    if (!r) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sar_status status = format == SARI_FORMAT_CSV ? sari_read_csv(path, r, error)
                                                  : sari_read_hdf5(path, all, r, error);
    if (status != SAR_OK) {
        sar_result_destroy(r);
        return status;
    }
    *out = r;
    return SAR_OK;
}

sar_status sar_result_read(const char* path, sar_result** out, sar_error* error)
{
    return read_file(path, 0, out, error);
}

sar_status sar_result_read_all(const char* path, sar_result** out, sar_error* error)
{
    return read_file(path, 1, out, error);
}

sar_status sar_result_prepare(const char* path, sar_error* error)
{
    sari_format format;
    SARI_TRY(sari_format_of(path, &format, error));
    return format == SARI_FORMAT_HDF5 ? sari_hdf5_load(path, error) : SAR_OK;
}

void sar_result_destroy(sar_result* r)
{
    if (!r) return;
    for (int k = 0; r->names && k < r->columns; k++) sari_release(r->names[k]);
    sari_release(r->names);
    sari_release(r->time);
    sari_release(r->values);
    sari_release(r->rates);
    sari_attributes_clear(&r->attributes);
    sari_release(r);
}

int sar_result_rows(const sar_result* r)
{
    return r->rows;
}

int sar_result_columns(const sar_result* r)
{
    return r->columns;
}

const char* sar_result_name(const sar_result* r, int column)
{
    return column >= 0 && column < r->columns ? r->names[column] : NULL;
}

const double* sar_result_time(const sar_result* r)
{
    return r->time;
}

const double* sar_result_column(const sar_result* r, int column)
{
    if (column < 0 || column >= r->columns) return NULL;
    return r->values + (size_t)column * (size_t)r->rows;
}

/* Has the column a value in `of`, column after column? */
static const double* known(const sar_result* r, const double* of, int column)
{
    const double* values = of + (size_t)column * (size_t)r->rows;
    for (int i = 0; i < r->rows; i++)
        if (isfinite(values[i])) return values;
    return NULL;
}

const double* sar_result_rate(const sar_result* r, int column)
{
    static const char ending[] = ".rate";
    if (column < 0 || column >= r->columns) return NULL;
    if (r->rates) return known(r, r->rates, column);
    const size_t length = strlen(r->names[column]);
    for (int k = 0; k < r->columns; k++)
        if (strncmp(r->names[k], r->names[column], length) == 0 &&
            strcmp(r->names[k] + length, ending) == 0)
            return known(r, r->values, k);
    return NULL;
}

int sar_result_find(const sar_result* r, const char* name)
{
    for (int k = 0; k < r->columns; k++)
        if (strcmp(r->names[k], name) == 0) return k;
    return -1;
}

const char* sar_result_attribute(const sar_result* r, const char* name)
{
    return sari_attributes_find(&r->attributes, name);
}
