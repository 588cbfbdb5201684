/* What the writers of the formats share. */
#ifndef SARI_RESULTS_WRITER_H
#define SARI_RESULTS_WRITER_H

#include "sarrus/result.h"

/// One file format. `open` makes the backend and a draft without rows, whose verdict is
/// "unfinished"; `flush` gives it its name; `finish` comes once, before `close`, unless something
/// has failed; `close` always releases the backend. Each fills `error` on failure.
typedef struct sari_writer_ops {
    sar_status (*open)(const sar_writer* w, void** backend, sar_error* error);
    sar_status (*append)(void* backend, const double* row, sar_error* error);
    sar_status (*attribute)(void* backend, const char* name, const char* text, sar_error* error);
    sar_status (*flush)(void* backend, sar_error* error);
    void (*kept)(const void* backend, long* rows, double* t); ///< that are in the file
    sar_status (*finish)(void* backend, sar_error* error);    ///< the last flush, with the verdict
    void (*close)(void* backend);                             ///< writes nothing more
} sari_writer_ops;

struct sar_writer {
    const sari_writer_ops* ops;
    void* backend;
    char* path;
    sar_dataset* datasets; ///< own copies of all texts, never NULL
    int count;
    int row_width; ///< sum of the datasets' widths
    int finished;
    sar_error first; ///< the first failure; nothing is written after it
};

extern const sari_writer_ops sari_writer_csv;
extern const sari_writer_ops sari_writer_hdf5;

/// The dataset is an output: its path starts with "outputs/".
int sari_dataset_is_output(const sar_dataset* d);
/// Last part of the path.
const char* sari_dataset_name(const sar_dataset* d);

/// Rows wait for company on their way to the file, but not longer than this [s].
enum { SARI_WRITER_SECONDS = 1 };

/// When rows came and went [s].
typedef struct sari_pace {
    double flushed, appended;
} sari_pace;

void sari_pace_restart(sari_pace* pace); ///< all rows are in the file
/// A row has come. If the next one takes as long as this one did, will rows wait for too long?
int sari_pace_is_due(sari_pace* pace);

#endif
