/* HDF5, written so that a program may be killed at any moment.
 *
 * HDF5 changes a file in many places when rows are added: one that is cut off between two of them
 * cannot be read. So there are two files with the same content. One has the name and is never
 * touched; the other, the part beside it, gets the rows that it lacks, is flushed, and the two
 * exchange their names, which the file system does at once. A reader who opens the name, at any time,
 * finds a whole file with complete rows. The price is room for both while the program runs.
 *
 * Rows wait in memory: those that neither file has, and those that only the named one has. Compiled
 * to nothing when Sarrus is built without HDF5.
 */
#include "results/writer.h"

#ifdef SARRUS_WITH_HDF5

#include "base/memory.h"
#include "base/status.h"
#include "results/hdf5_calls.h"
#include "results/hdf5_file.h"
#include "results/table.h"

#include <string.h>
#include <unistd.h>

enum {
    CHUNK_ROWS = 256,         // rows that HDF5 stores together
    MOST_ROWS = 1024,         // that wait
    BUFFER_NUMBERS = 1 << 22, // at most 32 MB of waiting rows, twice
};

/// Rows in a row: dataset after dataset, each with room for `room` rows of its width.
typedef struct batch {
    double* data;
    int rows;
} batch;

typedef struct store {
    const sar_writer* writer;
    sari_place place;
    sari_hdf5_file file[2];
    int shown;          ///< one of them has the name
    int named;          ///< which of the two has the name
    batch fresh, older; ///< rows that neither file has; that only the named one has
    int room, chunk;
    sari_attributes texts;
    long version;  ///< of the texts
    double kept_t; ///< time of the last row in the named file
    sari_pace pace;
} store;

static sari_hdf5_file* part_of(store* self)
{
    return &self->file[1 - self->named];
}

/* ---- the two files -------------------------------------------------------------------------- */

static sar_status failed(const store* self, const sari_hdf5_session* session, sar_error* error)
{
    return sari_hdf5_fail(session, error, "cannot write", self->writer->path);
}

static sar_status create_part(store* self, const sari_hdf5_session* session, sar_error* error)
{
    sari_hdf5_file* part = part_of(self);
    SARI_TRY(sari_draft_create(&part->draft, &self->place, error));
    if (sari_hdf5_file_create(part, self->place.part, self->chunk) < 0)
        return failed(self, session, error);
    sari_draft_note(&part->draft);
    return SAR_OK;
}

/* The part gets what it lacks. It is in no state to be read until this is done. */
static sar_status update_part(store* self, const sari_hdf5_session* session, sar_error* error)
{
    sari_hdf5_file* part = part_of(self);
    if (sari_hdf5_file_append(part, self->older.data, self->older.rows, self->room) < 0 ||
        sari_hdf5_file_append(part, self->fresh.data, self->fresh.rows, self->room) < 0)
        return failed(self, session, error);
    if (part->texts != self->version && sari_hdf5_file_texts(part, &self->texts) < 0)
        return failed(self, session, error);
    part->texts = self->version;
    return sari_hdf5_file_flush(part) < 0 ? failed(self, session, error) : SAR_OK;
}

/* Nothing will follow: it is closed before it gets the name, since closing may write. */
static sar_status finish_part(store* self, const sari_hdf5_session* session, sar_error* error)
{
    sari_hdf5_file* part = part_of(self);
    return sari_hdf5_file_close(part) < 0 ? failed(self, session, error) : SAR_OK;
}

/* The named file has been changed by another program. Everything is in the part, and stays there. */
static sar_status keep_part(const store* self, sar_error* error)
{
    return sari_fail(error, SAR_E_IO, NULL,
                     "%s was changed, moved or removed by another program while it was written; "
                     "the results up to then are in %s",
                     self->writer->path, self->place.part);
}

static void take_rows(store* self)
{
    if (self->fresh.rows > 0)
        self->kept_t = self->fresh.data[self->fresh.rows - 1]; // time comes first
    batch emptied = self->older;
    self->older = self->fresh;
    self->fresh = (batch){emptied.data, 0};
}

/* Everything so far under the name. The first time that replaces what was there before. */
static sar_status sync_files(store* self, int last, const sari_hdf5_session* session,
                             sar_error* error)
{
    sari_hdf5_file *named = &self->file[self->named], *part = part_of(self);
    if (part->id < 0) SARI_TRY(create_part(self, session, error));
    if (!sari_draft_is_whole(&part->draft, self->place.part))
        return sari_place_changed(&self->place, error);
    SARI_TRY(update_part(self, session, error));
    if (last) SARI_TRY(finish_part(self, session, error));
    if (self->shown && !sari_draft_is_whole(&named->draft, self->place.name))
        return keep_part(self, error);
    sari_draft* before = self->shown ? &named->draft : NULL;
    SARI_TRY(sari_place_show(&self->place, &part->draft, before, error));
    self->shown = 1;
    self->named = 1 - self->named;
    take_rows(self);
    sari_pace_restart(&self->pace);
    return SAR_OK;
}

/* ---- the writer ----------------------------------------------------------------------------- */

static void store_release(store* self, int keeps_part)
{
    sari_hdf5_file* part = part_of(self);
    int has_part = part->draft.file >= 0;
    sari_hdf5_file_close(&self->file[self->named]); // nothing is left to be written
    sari_hdf5_file_close(part);                     // one that cannot be written is no loss
    if (has_part && !keeps_part) unlink(self->place.part);
    for (int k = 0; k < 2; k++) sari_hdf5_file_release(&self->file[k]);
    sari_place_close(&self->place);
    sari_attributes_clear(&self->texts);
    sari_release(self->fresh.data);
    sari_release(self->older.data);
    sari_release(self);
}

static store* store_create(const sar_writer* w)
{
    store* self = SARI_NEW(store);
    if (!self) return NULL;
    self->writer = w;
    self->place.old = -1;
    int complete = sari_hdf5_file_prepare(&self->file[0], w) == SAR_OK;
    complete &= sari_hdf5_file_prepare(&self->file[1], w) == SAR_OK;
    int rows = BUFFER_NUMBERS / w->row_width;
    self->room = rows > MOST_ROWS ? MOST_ROWS : rows < 1 ? 1 : rows;
    self->chunk = self->room < CHUNK_ROWS ? self->room : CHUNK_ROWS;
    size_t numbers = (size_t)self->room * (size_t)w->row_width;
    self->fresh.data = SARI_NEW_ARRAY(double, numbers);
    self->older.data = SARI_NEW_ARRAY(double, numbers);
    if (complete && self->fresh.data && self->older.data &&
        sari_attributes_set(&self->texts, SARI_VERDICT, SARI_UNFINISHED) == SAR_OK)
        return self;
    store_release(self, 0);
    return NULL;
}

static sar_status hdf5_open(const sar_writer* w, void** backend, sar_error* error)
{
    SARI_TRY(sari_hdf5_load(w->path, error));
    store* self = store_create(w);
    if (!self) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    sar_status status = sari_place_open(&self->place, w->path, error);
    if (status == SAR_OK && self->place.direct)
        status =
            sari_fail(error, SAR_E_IO, NULL, "cannot create %s: it is not a regular file", w->path);
    if (status == SAR_OK) status = create_part(self, &session, error);
    if (status == SAR_OK) status = update_part(self, &session, error);
    sari_pace_restart(&self->pace);
    if (status == SAR_OK)
        *backend = self;
    else
        store_release(self, 0);
    sari_hdf5_end(&session);
    return status;
}

static sar_status hdf5_flush(void* backend, sar_error* error)
{
    store* self = backend;
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    sar_status status = sync_files(self, 0, &session, error);
    sari_hdf5_end(&session);
    return status;
}

static sar_status hdf5_append(void* backend, const double* row, sar_error* error)
{
    store* self = backend;
    double* to = self->fresh.data;
    for (int k = 0; k < self->writer->count; k++) {
        size_t width = (size_t)self->writer->datasets[k].width;
        memcpy(to + (size_t)self->fresh.rows * width, row, width * sizeof(double));
        to += (size_t)self->room * width;
        row += width;
    }
    self->fresh.rows++;
    int due = sari_pace_is_due(&self->pace);
    return due || self->fresh.rows == self->room ? hdf5_flush(self, error) : SAR_OK;
}

static sar_status hdf5_attribute(void* backend, const char* name, const char* text,
                                 sar_error* error)
{
    store* self = backend;
    self->version++;
    if (sari_attributes_set(&self->texts, name, text) == SAR_OK) return SAR_OK;
    return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
}

/* What has the name, if we have got there, is as we left it. */
static int is_whole(const store* self)
{
    if (!self->shown) return 1;
    return sari_draft_is_whole(&self->file[self->named].draft, self->place.name);
}

static void hdf5_kept(const void* backend, long* rows, double* t)
{
    const store* self = backend;
    *rows = self->shown && is_whole(self) ? (long)self->file[self->named].rows : 0;
    *t = self->kept_t;
}

static sar_status hdf5_finish(void* backend, sar_error* error)
{
    store* self = backend;
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    self->version += sari_attributes_finish(&self->texts);
    sar_status status = sync_files(self, 1, &session, error);
    sari_hdf5_end(&session);
    return status;
}

/* After a failure the named file stays as it is, whole and unfinished. The part stays if it is the
 * only good one. */
static void hdf5_close(void* backend)
{
    store* self = backend;
    sari_hdf5_session session;
    sari_hdf5_begin(&session);
    store_release(self, !is_whole(self));
    sari_hdf5_end(&session);
}

const sari_writer_ops sari_writer_hdf5 = {.open = hdf5_open,
                                          .append = hdf5_append,
                                          .attribute = hdf5_attribute,
                                          .flush = hdf5_flush,
                                          .kept = hdf5_kept,
                                          .finish = hdf5_finish,
                                          .close = hdf5_close};

#endif
