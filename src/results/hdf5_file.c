/* Compiled to nothing when Sarrus is built without HDF5. */
#include "sarrus/base.h"

#ifdef SARRUS_WITH_HDF5

#include "base/memory.h"
#include "results/hdf5_calls.h"
#include "results/hdf5_file.h"

#include <string.h>
#include <sys/file.h>

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

/* Properties of a dataset: its chunks, each with a checksum (Fletcher), so that changed bytes are found when they are read; a
 * value for those that are not found; no time stamps, so that equal runs give equal files; and
 * room for one chunk in memory, since rows are only ever added (the default of 1 MB each is too
 * much for thousands of datasets). */
static hid_t create_dataset(const sari_hdf5_file* self, const sar_dataset* d, int rows, hid_t links)
{
    int rank = d->width > 1 ? 2 : 1;
    hsize_t size[2] = {0, (hsize_t)d->width}, most[2] = {H5S_UNLIMITED, (hsize_t)d->width};
    hsize_t chunk[2] = {(hsize_t)rows, (hsize_t)d->width};
    size_t chunk_bytes = (size_t)rows * (size_t)d->width * sizeof(double);
    hid_t dataset = -1, space = H5Screate_simple(rank, size, most);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    if (space >= 0 && creation >= 0 && access >= 0 && H5Pset_chunk(creation, rank, chunk) >= 0 &&
        H5Pset_fletcher32(creation) >= 0 &&
        H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &SARI_HDF5_MISSING) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_chunk_cache(access, 1, chunk_bytes, 1.0) >= 0)
        dataset = H5Dcreate2(self->id, d->path, H5T_IEEE_F64LE, space, links, creation, access);
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

static herr_t create_datasets(sari_hdf5_file* self, int chunk)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    herr_t result = links >= 0 ? H5Pset_create_intermediate_group(links, 1) : -1;
    if (result >= 0) result = create_output_group(self->id);
    for (int k = 0; result >= 0 && k < self->writer->count; k++) {
        const sar_dataset* d = &self->writer->datasets[k];
        self->dataset[k] = create_dataset(self, d, chunk, links);
        if (self->dataset[k] < 0 || put_text(self->dataset[k], "unit", d->unit) < 0 ||
            put_text(self->dataset[k], "description", d->description) < 0)
            result = -1;
    }
    if (links >= 0) H5Pclose(links);
    return result;
}

/* The draft has our lock, so that HDF5 needs none. HDF5_USE_FILE_LOCKING may make it want one: then
 * it takes over ours. */
static hid_t create_file(const sari_draft* draft, const char* path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return -1;
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1);
#endif
    H5E_auto2_t remember;
    void* session;
    H5Eget_auto2(H5E_DEFAULT, &remember, &session);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // this reason is not the one
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Eset_auto2(H5E_DEFAULT, remember, session);
    if (file < 0) {
        flock(draft->file, LOCK_UN);
        file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    H5Pclose(access);
    return file;
}

sar_status sari_hdf5_file_prepare(sari_hdf5_file* self, const sar_writer* w)
{
    *self = (sari_hdf5_file){.writer = w, .draft = sari_no_draft, .id = -1};
    self->dataset = SARI_NEW_ARRAY(hid_t, w->count);
    for (int k = 0; self->dataset && k < w->count; k++) self->dataset[k] = -1;
    return self->dataset ? SAR_OK : SAR_E_NOMEM;
}

void sari_hdf5_file_release(sari_hdf5_file* self)
{
    sari_draft_close(&self->draft);
    sari_release(self->dataset);
    self->dataset = NULL;
}

herr_t sari_hdf5_file_create(sari_hdf5_file* self, const char* path, int chunk)
{
    self->rows = 0;
    self->texts = -1;
    self->id = create_file(&self->draft, path);
    return self->id >= 0 ? create_datasets(self, chunk) : -1;
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

herr_t sari_hdf5_file_append(sari_hdf5_file* self, const double* data, int rows, int stride)
{
    for (int k = 0; rows > 0 && k < self->writer->count; k++) {
        int width = self->writer->datasets[k].width;
        if (append_rows(self->dataset[k], self->rows, (hsize_t)rows, width, data) < 0) return -1;
        data += (size_t)stride * (size_t)width;
    }
    self->rows += (hsize_t)rows;
    return 0;
}

herr_t sari_hdf5_file_texts(const sari_hdf5_file* self, const sari_attributes* texts)
{
    for (int k = 0; k < texts->count; k++)
        if (put_text(self->id, texts->item[k].name, texts->item[k].text) < 0) return -1;
    if (sari_attributes_find(texts, SARI_VERDICT)) return 0;
    return H5Aexists(self->id, SARI_VERDICT) > 0 ? H5Adelete(self->id, SARI_VERDICT) : 0;
}

herr_t sari_hdf5_file_flush(sari_hdf5_file* self)
{
    herr_t result = H5Fflush(self->id, H5F_SCOPE_LOCAL);
    sari_draft_note(&self->draft);
    return result;
}

herr_t sari_hdf5_file_close(sari_hdf5_file* self)
{
    herr_t result = 0;
    for (int k = 0; self->dataset && k < self->writer->count; k++) {
        if (self->dataset[k] >= 0 && H5Dclose(self->dataset[k]) < 0) result = -1;
        self->dataset[k] = -1;
    }
    if (self->id >= 0 && H5Fclose(self->id) < 0) result = -1;
    if (self->draft.file >= 0) sari_draft_note(&self->draft);
    sari_hdf5_tidy();
    self->id = -1;
    return result;
}

#endif
