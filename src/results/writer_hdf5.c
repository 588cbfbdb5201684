/* HDF5: every dataset at its own path, N or N x width numbers with attributes `unit` and
 * `description`; texts are attributes of the root. Datasets grow by whole chunks. Compiled to
 * nothing when Sarrus is built without HDF5.
 */
#include "results/writer.h"

#ifdef SARRUS_WITH_HDF5

#include "base/memory.h"
#include "base/status.h"
#include "results/hdf5_calls.h"

#include <string.h>

enum {
    FLUSH_CHUNKS = 4,         // the file is made consistent on disk every so many chunks
    BUFFER_NUMBERS = 1 << 23, // at most 64 MB of waiting rows
};

typedef struct store {
    const sar_writer* writer;
    hid_t file;
    hid_t* dataset;
    double* buffer; ///< dataset after dataset, each with `chunk` rows of its width
    int chunk;      ///< rows in a chunk and in the buffer
    int waiting;    ///< rows in the buffer
    hsize_t written;
    int chunks_since_flush;
    double last_flush; ///< when [s]
} store;

static herr_t put_text(hid_t object, const char* name, const char* text)
{
    herr_t result = -1;
    hid_t type = sari_hdf5_text_type(), space = H5Screate(H5S_SCALAR), attribute = -1;
    if (H5Aexists(object, name) > 0) H5Adelete(object, name);
    if (type >= 0 && space >= 0)
        attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        result = H5Awrite(attribute, type, &text);
        if (H5Aclose(attribute) < 0) result = -1;
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return result;
}

/* Properties of a dataset: its chunks; no time stamps, so that equal runs give equal files; and
 * room for one chunk in memory, since rows are only ever added (the default of 1 MB each is too
 * much for thousands of datasets). */
static hid_t create_dataset(const store* self, const sar_dataset* d, hid_t links)
{
    int rank = d->width > 1 ? 2 : 1;
    hsize_t size[2] = {0, (hsize_t)d->width}, most[2] = {H5S_UNLIMITED, (hsize_t)d->width};
    hsize_t chunk[2] = {(hsize_t)self->chunk, (hsize_t)d->width};
    size_t chunk_bytes = (size_t)self->chunk * (size_t)d->width * sizeof(double);
    hid_t dataset = -1, space = H5Screate_simple(rank, size, most);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    if (space >= 0 && creation >= 0 && access >= 0 && H5Pset_chunk(creation, rank, chunk) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_chunk_cache(access, 1, chunk_bytes, 1.0) >= 0)
        dataset = H5Dcreate2(self->file, d->path, H5T_IEEE_F64LE, space, links, creation, access);
    if (access >= 0) H5Pclose(access);
    if (creation >= 0) H5Pclose(creation);
    if (space >= 0) H5Sclose(space);
    return dataset;
}

/* The folder of the outputs remembers the order in which they were added, for the reader's columns.
 */
static herr_t create_output_group(hid_t file)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE), group = -1;
    if (creation >= 0 &&
        H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
        group = H5Gcreate2(file, "outputs", H5P_DEFAULT, creation, H5P_DEFAULT);
    if (creation >= 0) H5Pclose(creation);
    return group >= 0 ? H5Gclose(group) : -1;
}

static herr_t create_datasets(store* self)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    herr_t result = links >= 0 ? H5Pset_create_intermediate_group(links, 1) : -1;
    if (result >= 0) result = create_output_group(self->file);
    for (int k = 0; result >= 0 && k < self->writer->count; k++) {
        const sar_dataset* d = &self->writer->datasets[k];
        self->dataset[k] = create_dataset(self, d, links);
        if (self->dataset[k] < 0 || put_text(self->dataset[k], "unit", d->unit) < 0 ||
            put_text(self->dataset[k], "description", d->description) < 0)
            result = -1;
    }
    if (links >= 0) H5Pclose(links);
    return result;
}

static herr_t append_rows(hid_t dataset, hsize_t from, hsize_t rows, int width, const double* data)
{
    hsize_t size[2] = {from + rows, (hsize_t)width}, start[2] = {from, 0};
    hsize_t count[2] = {rows, (hsize_t)width};
    if (H5Dset_extent(dataset, size) < 0) return -1;
    hid_t target = H5Dget_space(dataset), source = -1;
    herr_t result = -1;
    if (target >= 0) source = H5Screate_simple(width > 1 ? 2 : 1, count, NULL);
    if (source >= 0 && H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
        result = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, source, target, H5P_DEFAULT, data);
    if (source >= 0) H5Sclose(source);
    if (target >= 0) H5Sclose(target);
    return result;
}

static herr_t write_waiting(store* self)
{
    if (self->waiting == 0) return 0;
    const double* data = self->buffer;
    for (int k = 0; k < self->writer->count; k++) {
        int width = self->writer->datasets[k].width;
        if (append_rows(self->dataset[k], self->written, (hsize_t)self->waiting, width, data) < 0)
            return -1;
        data += (size_t)self->chunk * (size_t)width;
    }
    self->written += (hsize_t)self->waiting;
    self->waiting = 0;
    self->chunks_since_flush++;
    return 0;
}

static herr_t flush(store* self)
{
    self->chunks_since_flush = 0;
    self->last_flush = sari_writer_clock();
    return H5Fflush(self->file, H5F_SCOPE_LOCAL);
}

/* Returns the status of the file; everything is released in any case. */
static herr_t store_release(store* self)
{
    herr_t result = 0;
    for (int k = 0; self->dataset && k < self->writer->count; k++)
        if (self->dataset[k] >= 0 && H5Dclose(self->dataset[k]) < 0) result = -1;
    if (self->file >= 0 && H5Fclose(self->file) < 0) result = -1;
    sari_hdf5_tidy();
    sari_release(self->dataset);
    sari_release(self->buffer);
    sari_release(self);
    return result;
}

static store* store_create(const sar_writer* w)
{
    store* self = SARI_NEW(store);
    if (!self) return NULL;
    self->writer = w;
    self->file = -1;
    int rows = BUFFER_NUMBERS / w->row_width;
    self->chunk = rows > SARI_WRITER_ROWS ? SARI_WRITER_ROWS : rows < 1 ? 1 : rows;
    self->dataset = SARI_NEW_ARRAY(hid_t, w->count);
    self->buffer = SARI_NEW_ARRAY(double, (size_t)self->chunk*(size_t)w->row_width);
    for (int k = 0; self->dataset && k < w->count; k++) self->dataset[k] = -1;
    if (self->dataset && self->buffer) return self;
    store_release(self);
    return NULL;
}

static hid_t create_file(const char* path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return -1;
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 1, 1); // file systems without locks are no reason to fail
#endif
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static sar_status hdf5_open(const sar_writer* w, void** backend, sar_error* error)
{
    store* self = store_create(w);
    if (!self) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    sar_status status = SAR_OK;
    self->file = create_file(w->path);
    if (self->file < 0)
        status = sari_hdf5_fail(&session, error, "cannot create", w->path);
    else if (create_datasets(self) < 0 || flush(self) < 0)
        status = sari_hdf5_fail(&session, error, "cannot write", w->path);
    if (status == SAR_OK)
        *backend = self;
    else
        store_release(self);
    sari_hdf5_end(&session);
    return status;
}

static sar_status hdf5_append(void* backend, const double* row, sar_error* error)
{
    store* self = backend;
    double* to = self->buffer;
    for (int k = 0; k < self->writer->count; k++) {
        size_t width = (size_t)self->writer->datasets[k].width;
        memcpy(to + (size_t)self->waiting * width, row, width * sizeof(double));
        to += (size_t)self->chunk * width;
        row += width;
    }
    self->waiting++;

    int late = sari_writer_clock() - self->last_flush > SARI_WRITER_SECONDS;
    if (self->waiting < self->chunk && !late) return SAR_OK;
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    herr_t result = write_waiting(self);
    if (result >= 0 && (late || self->chunks_since_flush >= FLUSH_CHUNKS)) result = flush(self);
    sar_status status = SAR_OK;
    if (result < 0) status = sari_hdf5_fail(&session, error, "cannot write", self->writer->path);
    sari_hdf5_end(&session);
    return status;
}

static sar_status hdf5_attribute(void* backend, const char* name, const char* text,
                                 sar_error* error)
{
    store* self = backend;
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    sar_status status = SAR_OK;
    if (put_text(self->file, name, text) < 0 || flush(self) < 0)
        status = sari_hdf5_fail(&session, error, "cannot write", self->writer->path);
    sari_hdf5_end(&session);
    return status;
}

static sar_status hdf5_close(void* backend, sar_error* error)
{
    store* self = backend;
    const char* path = self->writer->path;
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    sar_status status = SAR_OK;
    if (write_waiting(self) < 0 || flush(self) < 0)
        status = sari_hdf5_fail(&session, error, "cannot write", path);
    if (store_release(self) < 0 && status == SAR_OK)
        status = sari_hdf5_fail(&session, error, "cannot write", path);
    sari_hdf5_end(&session);
    return status;
}

const sari_writer_ops sari_writer_hdf5 = {hdf5_open, hdf5_append, hdf5_attribute, hdf5_close};

#endif
