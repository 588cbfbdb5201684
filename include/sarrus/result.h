/// @file result.h
/// Read, write and compare results.
#ifndef SARRUS_RESULT_H
#define SARRUS_RESULT_H

#include "sarrus/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A table of numbers in memory: `time` and named columns, as read from an HDF5 or CSV file.
typedef struct sar_result sar_result;

/// Read `path`; the extension (.h5, .hdf5, .csv) gives the format. From HDF5: `/time` and everything in `/outputs`.
SAR_API sar_status sar_result_read(const char* path, sar_result** out, sar_error* error);
/// The same with all that a run stored: columns "bodies/NAME/position[0]", "joints/NAME/force[2]",
/// "energy/kinetic" after the outputs.
SAR_API sar_status sar_result_read_all(const char* path, sar_result** out, sar_error* error);
/// Libraries that a format takes are loaded when a file of it is first read or written. This loads
/// those of `path`, whether it exists or not: for programs that fork first, or limit their memory.
SAR_API sar_status sar_result_prepare(const char* path, sar_error* error);
SAR_API void sar_result_destroy(sar_result* r);
SAR_API int sar_result_rows(const sar_result* r);
SAR_API int sar_result_columns(const sar_result* r); ///< without time
SAR_API const char* sar_result_name(const sar_result* r, int column);
SAR_API const double* sar_result_time(const sar_result* r);
SAR_API const double* sar_result_column(const sar_result* r, int column);
/// Rates of the column, from the group `rates` of an HDF5 file or a column NAME.rate; NULL: none.
/// What has no value there is NaN.
SAR_API const double* sar_result_rate(const sar_result* r, int column);
SAR_API int sar_result_find(const sar_result* r, const char* name); ///< -1: none
/// 1: the column NAME.error or NAME.rate beside a column NAME: its error or its rate.
SAR_API int sar_result_is_estimate(const sar_result* r, int column);
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

/// The extension of `path` gives the format: .h5/.hdf5 has all datasets, .csv `time` and `outputs/`,
/// named by the last part of their path. The parent folder must exist. Dataset 0 must be "time" with
/// width 1. All arguments are copied.
///
/// The file starts as `<path>.part`. The first flush replaces what is at `path`; it fails with
/// SAR_E_IO while another program has that open. From then on `path` is a readable file with
/// complete rows, even if the program is killed; its attribute "verdict" is "unfinished".
/// `<path>.part` is in use until sar_writer_close. See docs/result-files.md.
SAR_API sar_status sar_writer_open(const char* path, const sar_dataset* datasets, int count,
                                   sar_writer** out, sar_error* error);
/// `row` holds the datasets one after the other. Rows reach the file within a second; a killed
/// program loses younger ones. A failure is final: the file keeps the rows it has.
SAR_API sar_status sar_writer_append(sar_writer* w, const double* row);
/// Text stored with the file: HDF5 attribute of the root; in the side file of a CSV. Written
/// by the next flush.
SAR_API sar_status sar_writer_attribute(sar_writer* w, const char* name, const char* text);
/// Write all rows and attributes to the file at `path`.
SAR_API sar_status sar_writer_flush(sar_writer* w, sar_error* error);
/// Number of rows that are safe in the file; `t` (may be NULL) receives the time of the last one.
SAR_API long sar_writer_kept(const sar_writer* w, double* t);
/// The last flush: nothing can be added afterwards, but sar_writer_kept still works. Returns the
/// first failure since sar_writer_open. A verdict that is still "unfinished" is removed. A CSV has
/// a side file `<path>.json` with units, descriptions and attributes.
SAR_API sar_status sar_writer_finish(sar_writer* w, sar_error* error);
/// Finish if necessary, and release everything.
SAR_API sar_status sar_writer_close(sar_writer* w, sar_error* error);

/// The error metric of Ruggiu and Gonzalez 2023, eq. (1)-(2).
typedef struct sar_comparison {
    double total;         ///< eps_T
    int variables;        ///< columns compared
    int samples;          ///< m
    double max_error;     ///< largest absolute difference
    const char* max_name; ///< its column; owned by the result a
    double max_time;      ///< its time [s]
    double interpolation; ///< largest uncertainty of values between rows, in any column
    const char* limited;  ///< column in which it is more than a tenth of the error; NULL: none
} sar_comparison;

typedef struct sar_comparison_def {
    const char* const* names; ///< columns to compare; NULL: all that both have, without estimates
                              ///< (NAME.error)
    const double* weights;    ///< one per name; NULL: all 1
    int count;
    double interval; ///< sampling [s]; 0: the samples of b (the reference)
    int linear;      ///< 1: values between rows by a straight line, whatever else is known
    /// > 0: errors are relative, divided by the value of b, or by this fraction of the largest one of
    /// its column where the value is smaller [gonzalez2006]; 0: they are absolute
    double relative;
} sar_comparison_def;

/// Compare a with the reference b over the time both cover. Between rows values are interpolated:
/// with the rates that are stored (order 6), else by neighbouring rows. `errors` (may be NULL) receives the largest error of each compared column in order.
SAR_API sar_status sar_result_compare(const sar_result* a, const sar_result* b,
                                      const sar_comparison_def* def, sar_comparison* out,
                                      double* errors, sar_error* error);

#ifdef __cplusplus
}
#endif
#endif
