/* What the writers of the formats share. */
#ifndef SARI_RESULTS_WRITER_H
#define SARI_RESULTS_WRITER_H

#include "sarrus/result.h"

/// One file format. `open` makes the backend, `close` always releases it. Each fills `error` on
/// failure.
typedef struct sari_writer_ops {
    sar_status (*open)(const sar_writer* w, void** backend, sar_error* error);
    sar_status (*append)(void* backend, const double* row, sar_error* error);
    sar_status (*attribute)(void* backend, const char* name, const char* text, sar_error* error);
    sar_status (*close)(void* backend, sar_error* error);
} sari_writer_ops;

struct sar_writer {
    const sari_writer_ops* ops;
    void* backend;
    char* path;
    sar_dataset* datasets; ///< own copies of all texts, never NULL
    int count;
    int row_width;   ///< sum of the datasets' widths
    sar_error first; ///< the first failure; nothing is written after it
};

extern const sari_writer_ops sari_writer_csv;
extern const sari_writer_ops sari_writer_hdf5;

/// The dataset is an output: its path starts with "outputs/".
int sari_dataset_is_output(const sar_dataset* d);
/// Last part of the path.
const char* sari_dataset_name(const sar_dataset* d);

/// Rows go to the file when so many are waiting, or so much time has gone by: what a killed program
/// loses.
enum { SARI_WRITER_ROWS = 256, SARI_WRITER_SECONDS = 2 };

/// Seconds of a clock that only goes forward.
double sari_writer_clock(void);

#endif
