/* One HDF5 file that is being written: every dataset at its own path, N or N x width numbers with
 * attributes `unit` and `description`; texts are attributes of the root. Calls return a negative
 * number on failure; the session of the caller knows the reason. Only included where HDF5 is built
 * in.
 */
#ifndef SARI_RESULTS_HDF5_FILE_H
#define SARI_RESULTS_HDF5_FILE_H

#include "results/attributes.h"
#include "results/hdf5_names.h"
#include "results/place.h"
#include "results/writer.h"

typedef struct sari_hdf5_file {
    const sar_writer* writer;
    sari_draft draft;
    hid_t id; ///< negative: none
    hid_t* dataset;
    hsize_t rows;
    long texts; ///< which version of the attributes it has
} sari_hdf5_file;

/// No file yet. SAR_OK or SAR_E_NOMEM.
sar_status sari_hdf5_file_prepare(sari_hdf5_file* self, const sar_writer* w);
void sari_hdf5_file_release(sari_hdf5_file* self); ///< after sari_hdf5_file_close
/// In the draft, which exists: all datasets, without rows. They grow by chunks of `chunk` rows.
herr_t sari_hdf5_file_create(sari_hdf5_file* self, const char* path, int chunk);
/// Rows behind those it has: dataset after dataset, each with `stride` rows of its width, of which
/// the first `rows` count.
herr_t sari_hdf5_file_append(sari_hdf5_file* self, const double* data, int rows, int stride);
/// These texts and no others.
herr_t sari_hdf5_file_texts(const sari_hdf5_file* self, const sari_attributes* texts);
herr_t sari_hdf5_file_flush(sari_hdf5_file* self); ///< everything is in the file, and it is whole
/// The draft and its lock stay; the rest is gone in any case.
herr_t sari_hdf5_file_close(sari_hdf5_file* self);

#endif
