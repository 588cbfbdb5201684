/* A result in memory, and the readers that fill it. */
#ifndef SARI_RESULTS_TABLE_H
#define SARI_RESULTS_TABLE_H

#include "results/attributes.h"
#include "sarrus/result.h"

struct sar_result {
    int rows, columns;
    double* time;   ///< rows
    double* values; ///< column after column, each of `rows`
    double* rates;  ///< like values, NaN where there are none; NULL: none at all
    char** names;   ///< columns
    sari_attributes attributes;
};

/// Each fills an empty table and `error` on failure; the caller destroys the table in any case.
sar_status sari_read_csv(const char* path, sar_result* r, sar_error* error);
/// `all`: not the outputs alone.
sar_status sari_read_hdf5(const char* path, int all, sar_result* r, sar_error* error);

/// What a path in that format needs is there. SAR_E_BUILD: it is not.
sar_status sari_hdf5_load(const char* path, sar_error* error);

/// The table of a CSV text that ends with a zero; `name` stands for the file in messages.
sar_status sari_parse_csv(const char* text, size_t length, const char* name, sar_result* r,
                          sar_error* error);

#endif
