/* Reading HDF5: `/time`, everything in `/outputs`, on request all else, and the texts of the root. Compiled to nothing
 * when Sarrus is built without HDF5.
 */
#include "results/table.h"

#ifdef SARRUS_WITH_HDF5

#include "base/memory.h"
#include "base/status.h"
#include "results/hdf5_calls.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// One dataset of numbers, as found in the file.
typedef struct source {
    char* name; ///< of the column: the path, of an output without the folder
    char* path;
    hsize_t rows, width;
} source;

typedef struct reader {
    const char* path;
    hid_t file;
    source* sources; ///< the outputs, and whatever else was asked for
    int count, capacity;
    const char* folder; ///< that is walked through
    sar_status status;  ///< of that
    sar_error* error;
    sari_hdf5_session session;
} reader;

static sar_status out_of_memory(sar_error* error)
{
    return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
}

/* Has it a filter that makes data smaller? Checksums and shuffled bytes do not. */
static int may_pack(hid_t creation)
{
    const int count = H5Pget_nfilters(creation);
    for (int k = 0; k < count; k++) {
        unsigned flags, config;
        size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)k, &flags, &values, NULL, 0, NULL, &config);
        if (filter != H5Z_FILTER_FLETCHER32 && filter != H5Z_FILTER_SHUFFLE) return 1;
    }
    return 0;
}

/* Are the numbers there? Extents of a damaged file may claim more rows than it holds, which HDF5
 * would fill with zeros, as many as asked for. Filters make data smaller, deflate by a
 * factor of about 1030 at most. */
static int is_stored(hid_t dataset, const source* shape)
{
    hid_t type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
    size_t size = type >= 0 ? H5Tget_size(type) : 0;
    int packs = creation >= 0 && may_pack(creation);
    int external = creation >= 0 ? H5Pget_external_count(creation) : 0;
    if (type >= 0) H5Tclose(type);
    if (creation >= 0) H5Pclose(creation);
    if (external > 0) return 1;
    double stored = (double)H5Dget_storage_size(dataset) * (packs ? 1100.0 : 1.0);
    return stored >= (double)shape->rows * (double)shape->width * (double)size;
}

/* Open `name` and find its shape; fails unless it is one or two dimensions of numbers. */
static sar_status open_numbers(const reader* self, const char* name, hid_t* out, source* shape)
{
    hid_t dataset = H5Dopen2(self->file, name, H5P_DEFAULT);
    if (dataset < 0)
        return sari_fail(self->error, SAR_E_IO, name,
                         "%s has no dataset \"%s\": is it a result of Sarrus?", self->path, name);
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    hsize_t size[2] = {0, 1};
    int good = (class == H5T_FLOAT || class == H5T_INTEGER) && (rank == 1 || rank == 2) &&
               H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (!good || size[0] > INT_MAX || size[1] > INT_MAX) {
        H5Dclose(dataset);
        return sari_fail(self->error, SAR_E_IO, name,
                         "%s: dataset \"%s\" is not a table of numbers", self->path, name);
    }
    shape->rows = size[0];
    shape->width = size[1];
    if (!is_stored(dataset, shape)) {
        H5Dclose(dataset);
        return sari_fail(self->error, SAR_E_IO, name,
                         "%s is damaged: dataset \"%s\" has less in it than its %lld rows",
                         self->path, name, (long long)shape->rows);
    }
    *out = dataset;
    return SAR_OK;
}

static herr_t read_rows(hid_t dataset, const source* shape, hsize_t from, hsize_t rows, double* to)
{
    const hsize_t start[2] = {from, 0}, count[2] = {rows, shape->width};
    herr_t result = -1;
    hid_t stored = H5Dget_space(dataset), memory = -1;
    const int rank = stored >= 0 ? H5Sget_simple_extent_ndims(stored) : -1;
    if (rank == 1 || rank == 2) memory = H5Screate_simple(rank, count, NULL);
    if (memory >= 0 && H5Sselect_hyperslab(stored, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
        result = H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, stored, H5P_DEFAULT, to);
    if (memory >= 0) H5Sclose(memory);
    if (stored >= 0) H5Sclose(stored);
    return result;
}

/* The rows of a dataset that cannot be read are those of the first chunk whose checksum is wrong. 0: it is something else.
 * `to` is used for what is read. */
static int find_damage(hid_t dataset, const source* shape, double* to, hsize_t damaged[2])
{
    hid_t creation = H5Dget_create_plist(dataset);
    hsize_t chunk[2] = {0, 0};
    const int chunked = creation >= 0 && H5Pget_nfilters(creation) > 0 &&
                        H5Pget_chunk(creation, 2, chunk) > 0 && chunk[0] > 0;
    if (creation >= 0) H5Pclose(creation);
    for (hsize_t from = 0; chunked && from < shape->rows; from += chunk[0]) {
        const hsize_t rows = shape->rows - from < chunk[0] ? shape->rows - from : chunk[0];
        if (read_rows(dataset, shape, from, rows, to) >= 0) continue;
        damaged[0] = from, damaged[1] = from + rows - 1;
        return 1;
    }
    return 0;
}

/* The rows from the first that is missing to the last. 0: all are there. */
static int find_missing(const source* shape, const double* from, hsize_t missing[2])
{
    int found = 0;
    for (hsize_t i = 0; i < shape->rows * shape->width; i++) {
        if (memcmp(&from[i], &SARI_HDF5_MISSING, sizeof from[i]) != 0) continue;
        if (!found) missing[0] = i / shape->width;
        missing[1] = i / shape->width;
        found = 1;
    }
    return found;
}

static sar_status read_numbers(const reader* self, const char* name, double* to)
{
    source shape = {0};
    hid_t dataset = -1;
    SARI_TRY(open_numbers(self, name, &dataset, &shape));
    herr_t result = 0;
    if (shape.rows && shape.width)
        result = H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
    sar_status status = SAR_OK;
    hsize_t damaged[2];
    if (result < 0 ? find_damage(dataset, &shape, to, damaged) : find_missing(&shape, to, damaged))
        status =
            sari_fail(self->error, SAR_E_IO, name,
                      "%s is damaged: rows %lld to %lld of the dataset \"%s\" are not what was "
                      "written",
                      self->path, (long long)damaged[0], (long long)damaged[1], name);
    else if (result < 0)
        status = sari_hdf5_fail(&self->session, self->error, "cannot read", self->path);
    H5Dclose(dataset);
    return status;
}

/* Keep a dataset as a source. */
static sar_status take_dataset(reader* self, const char* path, const char* name)
{
    hid_t dataset = -1;
    source found = {0};
    SARI_TRY(open_numbers(self, path, &dataset, &found));
    H5Dclose(dataset);
    found.name = sari_copy_string(name);
    found.path = sari_copy_string(path);
    if (!found.name || !found.path ||
        !sari_grow((void**)&self->sources, self->count, &self->capacity, sizeof *self->sources)) {
        sari_release(found.name);
        sari_release(found.path);
        return out_of_memory(self->error);
    }
    self->sources[self->count++] = found;
    return SAR_OK;
}

static sar_status walk(reader* self, const char* folder, H5L_iterate_t take);

static herr_t take_output(hid_t group, const char* name, const H5L_info_t* info, void* data)
{
    (void)group, (void)info;
    reader* self = data;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", self->folder, name);
    self->status = take_dataset(self, path, name);
    return self->status == SAR_OK ? 0 : 1;
}

/* Datasets by their paths, and those of the groups inside. */
static herr_t take_any(hid_t group, const char* name, const H5L_info_t* info, void* data)
{
    (void)info;
    reader* self = data;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", self->folder, name);
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
    if (object >= 0) H5Oclose(object);
    if (type == H5I_GROUP)
        self->status = walk(self, path, take_any);
    else if (type == H5I_DATASET)
        self->status = take_dataset(self, path, path);
    return self->status == SAR_OK ? 0 : 1;
}

/* In the order of creation if the file kept it, else by name. */
static sar_status walk(reader* self, const char* folder, H5L_iterate_t take)
{
    const char* before = self->folder;
    hid_t group = H5Gopen2(self->file, folder, H5P_DEFAULT);
    if (group < 0)
        return sari_fail(self->error, SAR_E_IO, folder, "%s: \"%s\" is not a group", self->path,
                         folder);
    unsigned order = 0;
    hid_t creation = H5Gget_create_plist(group);
    if (creation >= 0) {
        H5Pget_link_creation_order(creation, &order);
        H5Pclose(creation);
    }
    H5_index_t index = order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    self->folder = folder;
    herr_t result = H5Literate(group, index, H5_ITER_INC, NULL, take, self);
    self->folder = before;
    sar_status status = self->status;
    if (result < 0 && status == SAR_OK)
        status = sari_hdf5_fail(&self->session, self->error, "cannot read", self->path);
    H5Gclose(group);
    return status;
}

static sar_status find_outputs(reader* self)
{
    if (H5Lexists(self->file, "outputs", H5P_DEFAULT) <= 0)
        return sari_fail(self->error, SAR_E_IO, "outputs",
                         "%s has no group \"outputs\": is it a result of Sarrus?", self->path);
    return walk(self, "outputs", take_output);
}

/* What --all stores. */
static sar_status find_others(reader* self)
{
    static const char* const groups[] = {"bodies", "joints",    "forces",
                                         "energy", "violation", "ledger"};
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (H5Lexists(self->file, groups[k], H5P_DEFAULT) > 0)
            SARI_TRY(walk(self, groups[k], take_any));
    return SAR_OK;
}

/* A scalar is a column of its name; a vector gives the columns name[0], name[1], ... */
static sar_status name_columns(const reader* self, sar_result* r)
{
    size_t columns = 0;
    for (int k = 0; k < self->count; k++) columns += (size_t)self->sources[k].width;
    if (columns > INT_MAX)
        return sari_fail(self->error, SAR_E_IO, NULL, "%s has too many columns", self->path);
    r->names = SARI_NEW_ARRAY(char*, columns);
    r->values = sari_allocate(columns, (size_t)r->rows * sizeof(double));
    if (!r->names || !r->values) return out_of_memory(self->error);
    for (int k = 0; k < self->count; k++) {
        const source* s = &self->sources[k];
        for (hsize_t i = 0; i < s->width; i++) {
            size_t bytes = strlen(s->name) + 24;
            char* name = sari_allocate(bytes, 1);
            if (!name) return out_of_memory(self->error);
            if (s->width == 1)
                snprintf(name, bytes, "%s", s->name);
            else
                snprintf(name, bytes, "%s[%d]", s->name, (int)i);
            r->names[r->columns++] = name;
        }
    }
    return SAR_OK;
}

static sar_status read_output(const reader* self, const source* s, size_t rows, double* to)
{
    const char* path = s->path;
    if ((size_t)s->rows != rows)
        return sari_fail(self->error, SAR_E_IO, path,
                         "%s: dataset \"%s\" has %lld rows where \"time\" has %lld", self->path,
                         path, (long long)s->rows, (long long)rows);
    size_t width = (size_t)s->width;
    double* table = sari_allocate(rows * sizeof(double), width);
    if (!table) return out_of_memory(self->error);
    sar_status status = read_numbers(self, path, table);
    for (size_t i = 0; status == SAR_OK && i < rows; i++)
        for (size_t k = 0; k < width; k++) to[k * rows + i] = table[i * width + k];
    sari_release(table);
    return status;
}

static sar_status read_time(const reader* self, sar_result* r)
{
    source shape = {0};
    hid_t dataset = -1;
    SARI_TRY(open_numbers(self, "time", &dataset, &shape));
    H5Dclose(dataset);
    if (shape.width != 1)
        return sari_fail(self->error, SAR_E_IO, "time", "%s: dataset \"time\" has %d columns",
                         self->path, (int)shape.width);
    r->rows = (int)shape.rows;
    r->time = SARI_NEW_ARRAY(double, r->rows);
    if (!r->time) return out_of_memory(self->error);
    SARI_TRY(read_numbers(self, "time", r->time));
    for (int i = 0; i < r->rows; i++)
        if (!isfinite(r->time[i]) || (i > 0 && r->time[i] < r->time[i - 1]))
            return sari_fail(self->error, SAR_E_IO, "time",
                             "%s: time[%d] = %.9g is not finite or before the time above it",
                             self->path, i, r->time[i]);
    return SAR_OK;
}

static sar_status keep_text(sar_result* r, const char* name, const char* text)
{
    return sari_attributes_set(&r->attributes, name, text ? text : "");
}

typedef struct text_walk {
    sar_result* result;
    sar_status status;
} text_walk;

/* Texts of fixed or free length; numbers and arrays are other programs' business. */
static herr_t take_text(hid_t root, const char* name, const H5A_info_t* info, void* data)
{
    (void)info;
    text_walk* walk = data;
    hid_t attribute = H5Aopen(root, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    int single = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (single && type >= 0 && H5Tget_class(type) == H5T_STRING) {
        if (H5Tis_variable_str(type) > 0) {
            char* text = NULL;
            if (H5Aread(attribute, type, &text) >= 0) {
                walk->status = keep_text(walk->result, name, text);
                H5free_memory(text);
            }
        } else {
            char* text = sari_allocate(H5Tget_size(type) + 1, 1);
            if (text && H5Aread(attribute, type, text) >= 0)
                walk->status = keep_text(walk->result, name, text);
            sari_release(text);
        }
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (attribute >= 0) H5Aclose(attribute);
    return walk->status == SAR_OK ? 0 : 1;
}

static sar_status read_texts(const reader* self, sar_result* r)
{
    text_walk walk = {r, SAR_OK};
    H5Aiterate2(self->file, H5_INDEX_NAME, H5_ITER_INC, NULL, take_text, &walk);
    return walk.status == SAR_OK ? SAR_OK : out_of_memory(self->error);
}

/* Rates of outputs, where the file has them: they come first among the columns. */
static sar_status read_rates(const reader* self, sar_result* r, int outputs)
{
    const size_t rows = (size_t)r->rows;
    if (H5Lexists(self->file, "rates", H5P_DEFAULT) <= 0) return SAR_OK;
    r->rates = sari_allocate((size_t)r->columns, rows * sizeof(double));
    if (!r->rates) return out_of_memory(self->error);
    for (size_t i = 0; i < (size_t)r->columns * rows; i++) r->rates[i] = NAN;
    for (int k = 0; k < outputs; k++) {
        char path[512];
        source shape = {0};
        hid_t dataset = -1;
        snprintf(path, sizeof path, "rates/%s", self->sources[k].name);
        if (self->sources[k].width != 1) break; // not written by Sarrus
        if (H5Lexists(self->file, path, H5P_DEFAULT) <= 0) continue;
        SARI_TRY(open_numbers(self, path, &dataset, &shape));
        H5Dclose(dataset);
        if (shape.width != 1 || (size_t)shape.rows != rows)
            return sari_fail(self->error, SAR_E_IO, path, "%s: dataset \"%s\" has another shape",
                             self->path, path);
        SARI_TRY(read_numbers(self, path, r->rates + (size_t)k * rows));
    }
    return SAR_OK;
}

static sar_status read_all(reader* self, sar_result* r, int all)
{
    SARI_TRY(read_time(self, r));
    SARI_TRY(find_outputs(self));
    const int outputs = self->count;
    if (all) SARI_TRY(find_others(self));
    SARI_TRY(name_columns(self, r));
    double* to = r->values;
    for (int k = 0; k < self->count; k++) {
        SARI_TRY(read_output(self, &self->sources[k], (size_t)r->rows, to));
        to += (size_t)r->rows * (size_t)self->sources[k].width;
    }
    SARI_TRY(read_rates(self, r, outputs));
    return read_texts(self, r);
}

static sar_status open_file(reader* self)
{
    self->file = -1;
    if (access(self->path, R_OK) == 0 && H5Fis_hdf5(self->path) == 0)
        return sari_fail(self->error, SAR_E_IO, NULL, "%s is not an HDF5 file", self->path);
    self->file = H5Fopen(self->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return self->file >= 0 ? SAR_OK
                           : sari_hdf5_fail(&self->session, self->error, "cannot read", self->path);
}

sar_status sari_read_hdf5(const char* path, int all, sar_result* r, sar_error* error)
{
    reader self = {.path = path, .error = error};
    SARI_TRY(sari_hdf5_load(path, error));
    sari_hdf5_begin(&self.session);
    sar_status status = open_file(&self);
    if (status == SAR_OK) status = read_all(&self, r, all);
    for (int k = 0; k < self.count; k++) {
        sari_release(self.sources[k].name);
        sari_release(self.sources[k].path);
    }
    sari_release(self.sources);
    if (self.file >= 0) H5Fclose(self.file);
    sari_hdf5_tidy();
    sari_hdf5_end(&self.session);
    return status;
}

#endif
