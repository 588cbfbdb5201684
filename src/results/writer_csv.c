/* Comma-separated values, RFC 4180: a header, then `time` and the outputs, numbers with 17 digits
 * so that reading gives back the same bits. Rows reach the file whole: a killed program leaves no
 * half line.
 */
#include "results/writer.h"

#include "base/memory.h"
#include "base/status.h"
#include "results/attributes.h"
#include "results/side_file.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { NUMBER_WIDTH = 26 }; // "-1.2345678901234567e-308" and its comma

typedef struct csv {
    const sar_writer* writer;
    FILE* file;
    locale_t c_locale; ///< a host program's locale may write decimal commas
    int* columns;      ///< which numbers of a row are written
    int column_count;
    char* text; ///< whole rows waiting
    size_t used, capacity, row_capacity;
    off_t whole; ///< length of the file, whole rows only
    int rows_waiting;
    double last_written; ///< when [s]
    sari_attributes attributes;
} csv;

static sar_status write_failed(csv* self, sar_error* error)
{
    return sari_fail(error, SAR_E_IO, NULL, "cannot write %s: %s", self->writer->path,
                     strerror(errno ? errno : EIO));
}

/* In one call, not through stdio's blocks: rows reach the file whole, or are taken back. */
static sar_status write_waiting(csv* self, sar_error* error)
{
    int file = fileno(self->file);
    for (size_t done = 0; done < self->used;) {
        ssize_t count = write(file, self->text + done, self->used - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            sar_status status = write_failed(self, error);
            int taken_back = ftruncate(file, self->whole); // if not, a half row stays: no worse
            (void)taken_back;
            return status;
        }
        done += (size_t)count;
    }
    self->whole += (off_t)self->used;
    self->used = 0;
    self->rows_waiting = 0;
    self->last_written = sari_writer_clock();
    return SAR_OK;
}

/* A field with a comma, a quote or a line break goes in quotes, its own quotes doubled. Components
 * of a vector are told apart by [0], [1], ...; index -1 is a scalar. */
static void put_field(FILE* file, const char* text, int index)
{
    int quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) fputc('"', file);
    for (const char* c = text; *c; c++) {
        if (*c == '"') fputc('"', file);
        fputc(*c, file);
    }
    if (index >= 0) fprintf(file, "[%d]", index);
    if (quoted) fputc('"', file);
}

static sar_status put_header(csv* self, sar_error* error)
{
    errno = 0;
    put_field(self->file, "time", -1);
    for (int k = 1; k < self->writer->count; k++) {
        const sar_dataset* d = &self->writer->datasets[k];
        if (!sari_dataset_is_output(d)) continue;
        for (int i = 0; i < d->width; i++) {
            fputc(',', self->file);
            put_field(self->file, sari_dataset_name(d), d->width == 1 ? -1 : i);
        }
    }
    fputc('\n', self->file);
    if (fflush(self->file) != 0 || ferror(self->file)) return write_failed(self, error);
    self->whole = ftello(self->file);
    return SAR_OK;
}

/* Columns are named by the last part of a path, where two may meet. */
static sar_status check_names(const sar_writer* w, sar_error* error)
{
    for (int k = 1; k < w->count; k++) {
        const sar_dataset* d = &w->datasets[k];
        if (!sari_dataset_is_output(d)) continue;
        const char* name = sari_dataset_name(d);
        int clash = strcmp(name, "time") == 0;
        for (int j = 1; j < k && !clash; j++)
            clash = sari_dataset_is_output(&w->datasets[j]) &&
                    strcmp(name, sari_dataset_name(&w->datasets[j])) == 0;
        if (clash)
            return sari_fail(error, SAR_E_ARG, name,
                             "two columns of %s would be named \"%s\": rename the output", w->path,
                             name);
    }
    return SAR_OK;
}

static int choose_columns(csv* self)
{
    const sar_writer* w = self->writer;
    self->columns = SARI_NEW_ARRAY(int, w->row_width);
    if (!self->columns) return 0;
    int at = 0;
    for (int k = 0; k < w->count; k++)
        for (int i = 0; i < w->datasets[k].width; i++, at++)
            if (k == 0 || sari_dataset_is_output(&w->datasets[k]))
                self->columns[self->column_count++] = at;
    self->row_capacity = (size_t)self->column_count * NUMBER_WIDTH + 1;
    self->capacity = self->row_capacity * 2 > 65536 ? self->row_capacity * 2 : 65536;
    self->text = sari_allocate(self->capacity, 1);
    return self->text != NULL;
}

static void csv_release(csv* self)
{
    if (self->file) fclose(self->file);
    if (self->c_locale) freelocale(self->c_locale);
    sari_attributes_clear(&self->attributes);
    sari_release(self->columns);
    sari_release(self->text);
    sari_release(self);
}

static sar_status csv_open_file(csv* self, sar_error* error)
{
    SARI_TRY(check_names(self->writer, error));
    self->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!self->c_locale || !choose_columns(self))
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    self->file = fopen(self->writer->path, "w");
    if (!self->file)
        return sari_fail(error, SAR_E_IO, NULL, "cannot create %s: %s", self->writer->path,
                         strerror(errno));
    SARI_TRY(sari_side_file_remove(self->writer->path, error));
    self->last_written = sari_writer_clock();
    return put_header(self, error);
}

static sar_status csv_open(const sar_writer* w, void** backend, sar_error* error)
{
    csv* self = SARI_NEW(csv);
    if (!self) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    self->writer = w;
    sar_status status = csv_open_file(self, error);
    if (status != SAR_OK) {
        csv_release(self);
        return status;
    }
    *backend = self;
    return SAR_OK;
}

static sar_status csv_append(void* backend, const double* row, sar_error* error)
{
    csv* self = backend;
    locale_t host = uselocale(self->c_locale);
    char* at = self->text + self->used;
    for (int k = 0; k < self->column_count; k++) {
        double value = row[self->columns[k]];
        if (isnan(value)) value = NAN; // no "-nan"
        at += snprintf(at, NUMBER_WIDTH, "%.17g", value);
        *at++ = k + 1 < self->column_count ? ',' : '\n';
    }
    uselocale(host);
    self->used = (size_t)(at - self->text);
    self->rows_waiting++;
    int full = self->capacity - self->used < self->row_capacity;
    if (full || self->rows_waiting >= SARI_WRITER_ROWS ||
        sari_writer_clock() - self->last_written > SARI_WRITER_SECONDS)
        return write_waiting(self, error);
    return SAR_OK;
}

static sar_status csv_attribute(void* backend, const char* name, const char* text, sar_error* error)
{
    csv* self = backend;
    if (sari_attributes_set(&self->attributes, name, text) == SAR_OK) return SAR_OK;
    return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
}

static sar_status csv_close(void* backend, sar_error* error)
{
    csv* self = backend;
    sar_status status = write_waiting(self, error);
    FILE* file = self->file;
    self->file = NULL;
    errno = 0;
    if (fclose(file) != 0 && status == SAR_OK) status = write_failed(self, error);
    if (status == SAR_OK) status = sari_side_file_write(self->writer, &self->attributes, error);
    csv_release(self);
    return status;
}

const sari_writer_ops sari_writer_csv = {csv_open, csv_append, csv_attribute, csv_close};
