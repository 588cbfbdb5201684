/* Comma-separated values, RFC 4180: a header, then `time` and the outputs, numbers with 17 digits
 * so that reading gives back the same bits. Rows reach the file whole: a killed program leaves no
 * half line.
 */
#include "results/writer.h"

#include "base/memory.h"
#include "base/status.h"
#include "results/attributes.h"
#include "results/place.h"
#include "results/side_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    NUMBER_WIDTH = 26, // "-1.2345678901234567e-308" and its comma
    MOST_ROWS = 256,   // that wait
};

typedef struct csv {
    const sar_writer* writer;
    sari_place place;
    sari_draft draft;
    int shown;         ///< it has the name
    locale_t c_locale; ///< a host program's locale may write decimal commas
    int* columns;      ///< which numbers of a row are written
    int column_count;
    char* text; ///< whole rows waiting
    size_t used, capacity, row_capacity;
    uint64_t hash;      ///< of all that was written
    off_t whole;        ///< length of the file, whole rows only
    long rows, waiting; ///< in the file; in the text
    double kept_t, t;   ///< time of the last row in the file; of all
    sari_pace pace;
    sari_attributes attributes;
} csv;

static sar_status write_failed(const csv* self, sar_error* error)
{
    return sari_fail(error, SAR_E_IO, NULL, "cannot write %s: %s", self->writer->path,
                     strerror(errno ? errno : EIO));
}

/* Is the file as we left it? Of a pipe that is not known. */
static int is_whole(const csv* self)
{
    const char* path = self->shown ? self->place.name : self->place.part;
    return self->place.direct || sari_draft_is_whole(&self->draft, path);
}

/* FNV-1a, from 0. */
static uint64_t hash_text(uint64_t hash, const char* text, size_t length)
{
    if (hash == 0) hash = 14695981039346656037u;
    for (size_t k = 0; k < length; k++) hash = (hash ^ (unsigned char)text[k]) * 1099511628211u;
    return hash;
}

/* Does the file have what we wrote to it? The look at its time and length before each write misses
 * what another program does between that look and the write. */
static int reads_back(csv* self)
{
    uint64_t hash = hash_text(0, NULL, 0);
    for (off_t at = 0; at < self->whole;) {
        ssize_t count = pread(self->draft.file, self->text, self->capacity, at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return 0;
        hash = hash_text(hash, self->text, (size_t)count);
        at += (off_t)count;
    }
    return hash == self->hash;
}

/* In few calls, not through stdio's blocks: rows reach the file whole, or are taken back. */
static sar_status write_text(csv* self, const char* text, size_t length, sar_error* error)
{
    int file = self->draft.file;
    for (size_t done = 0; done < length;) {
        errno = 0;
        ssize_t count = write(file, text + done, length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            sar_status status = write_failed(self, error);
            int taken_back = ftruncate(file, self->whole); // if not, a half row stays: no worse
            (void)taken_back;
            sari_draft_note(&self->draft);
            return status;
        }
        done += (size_t)count;
    }
    self->whole += (off_t)length;
    self->hash = hash_text(self->hash, text, length);
    sari_draft_note(&self->draft);
    return SAR_OK;
}

static sar_status put_side_file(const csv* self, sar_error* error)
{
    return sari_side_file_write(self->writer, self->writer->path, &self->attributes, error);
}

/* The side file first: a killed program may leave an old table that is called unfinished, but no
 * unfinished one with the verdict of an old one. */
static sar_status show(csv* self, sar_error* error)
{
    SARI_TRY(put_side_file(self, error));
    if (!self->place.direct) SARI_TRY(sari_place_show(&self->place, &self->draft, NULL, error));
    self->shown = 1;
    return SAR_OK;
}

static sar_status write_waiting(csv* self, sar_error* error)
{
    if (!is_whole(self)) return sari_place_changed(&self->place, error);
    SARI_TRY(write_text(self, self->text, self->used, error));
    if (!self->shown) SARI_TRY(show(self, error));
    self->rows += self->waiting;
    self->kept_t = self->t;
    self->used = 0;
    self->waiting = 0;
    sari_pace_restart(&self->pace);
    return SAR_OK;
}

/* A field with a comma, a quote or a line break goes in quotes, its own quotes doubled. Components
 * of a vector are distinguished by [0], [1], ...; index -1 is a scalar. */
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
    char* line = NULL;
    size_t length = 0;
    FILE* to = open_memstream(&line, &length);
    if (!to) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    put_field(to, "time", -1);
    for (int k = 1; k < self->writer->count; k++) {
        const sar_dataset* d = &self->writer->datasets[k];
        if (!sari_dataset_is_output(d)) continue;
        for (int i = 0; i < d->width; i++) {
            fputc(',', to);
            put_field(to, sari_dataset_name(d), d->width == 1 ? -1 : i);
        }
    }
    fputc('\n', to);
    int complete = fclose(to) == 0;
    sar_status status = complete ? write_text(self, line, length, error)
                                 : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    free(line);
    return status;
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

static void csv_release(csv* self, int unlinks)
{
    if (unlinks) unlink(self->place.part);
    sari_draft_close(&self->draft);
    sari_place_close(&self->place);
    if (self->c_locale) freelocale(self->c_locale);
    sari_attributes_clear(&self->attributes);
    sari_release(self->columns);
    sari_release(self->text);
    sari_release(self);
}

static sar_status csv_create(csv* self, int* begun, sar_error* error)
{
    const sar_writer* w = self->writer;
    SARI_TRY(check_names(w, error));
    self->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!self->c_locale || !choose_columns(self) ||
        sari_attributes_set(&self->attributes, SARI_VERDICT, SARI_UNFINISHED) != SAR_OK)
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    SARI_TRY(sari_place_open(&self->place, w->path, error));
    if (self->place.direct) {
        self->draft.file = open(w->path, O_WRONLY | O_CLOEXEC);
        if (self->draft.file < 0)
            return sari_fail(error, SAR_E_IO, NULL, "cannot create %s: %s", w->path,
                             strerror(errno));
    } else {
        SARI_TRY(sari_draft_create(&self->draft, &self->place, error));
        *begun = 1;
    }
    sari_pace_restart(&self->pace);
    return put_header(self, error);
}

static sar_status csv_open(const sar_writer* w, void** backend, sar_error* error)
{
    csv* self = SARI_NEW(csv);
    if (!self) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    self->writer = w;
    self->draft = sari_no_draft;
    self->place.old = -1;
    int begun = 0;
    sar_status status = csv_create(self, &begun, error);
    if (status != SAR_OK) {
        csv_release(self, begun);
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
    self->t = row[0];
    self->waiting++;
    int full = self->capacity - self->used < self->row_capacity;
    int due = sari_pace_is_due(&self->pace);
    return full || due || self->waiting >= MOST_ROWS ? write_waiting(self, error) : SAR_OK;
}

static sar_status csv_attribute(void* backend, const char* name, const char* text, sar_error* error)
{
    csv* self = backend;
    if (sari_attributes_set(&self->attributes, name, text) == SAR_OK) return SAR_OK;
    return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
}

static sar_status csv_flush(void* backend, sar_error* error)
{
    csv* self = backend;
    SARI_TRY(write_waiting(self, error));
    return put_side_file(self, error);
}

static void csv_kept(const void* backend, long* rows, double* t)
{
    const csv* self = backend;
    *rows = self->shown && is_whole(self) ? self->rows : 0;
    *t = self->kept_t;
}

/* The verdict comes last, when the rows are known to be on the disk. */
static sar_status csv_finish(void* backend, sar_error* error)
{
    csv* self = backend;
    SARI_TRY(write_waiting(self, error));
    if (!self->place.direct && !reads_back(self)) return sari_place_changed(&self->place, error);
    errno = 0;
    int file = dup(self->draft.file); // some file systems tell a full disk only when one closes
    if (file >= 0 && close(file) != 0) return write_failed(self, error);
    sari_attributes_finish(&self->attributes);
    return put_side_file(self, error);
}

static void csv_close(void* backend)
{
    csv* self = backend;
    csv_release(self, !self->shown && !self->place.direct);
}

const sari_writer_ops sari_writer_csv = {.open = csv_open,
                                         .append = csv_append,
                                         .attribute = csv_attribute,
                                         .flush = csv_flush,
                                         .kept = csv_kept,
                                         .finish = csv_finish,
                                         .close = csv_close};
