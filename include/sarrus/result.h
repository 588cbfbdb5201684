/// @file result.h
/// Read results back, write them, and measure how far two of them are apart.
#ifndef SARRUS_RESULT_H
#define SARRUS_RESULT_H

#include "sarrus/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A table of numbers in memory: `time` and named columns, as read from an HDF5 or CSV file.
typedef struct sar_result sar_result;

/// Read `path` by its ending (.h5, .hdf5, .csv). From HDF5: `/time` and everything in `/outputs`.
SAR_API sar_status sar_result_read(const char* path, sar_result** out, sar_error* error);
SAR_API void sar_result_destroy(sar_result* r);
SAR_API int sar_result_rows(const sar_result* r);
SAR_API int sar_result_columns(const sar_result* r); ///< without time
SAR_API const char* sar_result_name(const sar_result* r, int column);
SAR_API const double* sar_result_time(const sar_result* r);
SAR_API const double* sar_result_column(const sar_result* r, int column);
SAR_API int sar_result_find(const sar_result* r, const char* name); ///< -1 if there is none
/// A text attribute stored with the result ("model", "cite", "verdict", "json"), or NULL.
SAR_API const char* sar_result_attribute(const sar_result* r, const char* name);

/// Write results row by row. A dataset is a path ("time", "outputs/xQ", "bodies/crank/position")
/// and a width.
typedef struct sar_dataset {
    const char* path;
    int width;
    const char* unit;
    const char* description;
} sar_dataset;

typedef struct sar_writer sar_writer;

/// By the ending of `path`: .h5/.hdf5 writes all datasets, .csv `time` and the `outputs/`, named by
/// their last part. Parent folders must exist. Dataset 0 must be "time" with width 1. All is
/// copied.
///
/// The file begins as `<path>.part`. With the first flush it takes the place of what is at `path`,
/// and never while another program has that open (SAR_E_IO). From then on `path` has a file that
/// can be read whenever the program ends, with complete rows; its attribute "verdict" is
/// "unfinished". `<path>.part` is in use until sar_writer_close. docs/result-files.md says more.
SAR_API sar_status sar_writer_open(const char* path, const sar_dataset* datasets, int count,
                                   sar_writer** out, sar_error* error);
/// `row` holds the datasets one after the other. Rows are in the file a second later at most; a
/// killed program loses younger ones. A failure is final: the file keeps the rows it has.
SAR_API sar_status sar_writer_append(sar_writer* w, const double* row);
/// Text stored with the file: HDF5 attribute of the root; in the side file of a CSV. It gets there
/// with the next flush.
SAR_API sar_status sar_writer_attribute(sar_writer* w, const char* name, const char* text);
/// All rows and attributes are in the file, and the file at its path, when this returns SAR_OK.
SAR_API sar_status sar_writer_flush(sar_writer* w, sar_error* error);
/// How many rows are in the file, whatever happens next; `t` (may be NULL) receives the time of the
/// last of them.
SAR_API long sar_writer_kept(const sar_writer* w, double* t);
/// The last flush: nothing can be added afterwards, but sar_writer_kept still answers. Tells the
/// first failure since sar_writer_open. A verdict that is still "unfinished" is removed. A CSV has
/// a side file `<path>.json` with units, descriptions and attributes.
SAR_API sar_status sar_writer_finish(sar_writer* w, sar_error* error);
/// Finishes, unless that was done, and releases everything.
SAR_API sar_status sar_writer_close(sar_writer* w, sar_error* error);

/// The error metric of Ruggiu and Gonzalez 2023, eq. (1)-(2).
typedef struct sar_comparison {
    double total;         ///< eps_T
    int variables;        ///< columns compared
    int samples;          ///< m
    double max_error;     ///< largest absolute difference
    const char* max_name; ///< where; owned by the result a
    double max_time;      ///< when
} sar_comparison;

typedef struct sar_comparison_def {
    const char* const* names; ///< columns to compare; NULL: all that both have
    const double* weights;    ///< one per name; NULL: all 1
    int count;
    double interval; ///< sampling [s]; 0: the samples of b (the reference)
} sar_comparison_def;

/// Compare a with the reference b over the time both cover. Linear interpolation where samples are
/// not hit. `errors` (may be NULL) receives the largest error of each compared column in order.
SAR_API sar_status sar_result_compare(const sar_result* a, const sar_result* b,
                                      const sar_comparison_def* def, sar_comparison* out,
                                      double* errors, sar_error* error);

#ifdef __cplusplus
}
#endif
#endif
