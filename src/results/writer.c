/* Writing results: checks and copies what is asked for, then hands over to the writer of the
 * format.
 *
 * The first failure is remembered and reported by sar_writer_close, since sar_writer_append is called
 * in the run loop, where only its status matters.
 */
#include "results/writer.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "results/format.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char output_folder[] = "outputs/";

int sari_dataset_is_output(const sar_dataset* d)
{
    return strncmp(d->path, output_folder, sizeof output_folder - 1) == 0;
}

const char* sari_dataset_name(const sar_dataset* d)
{
    const char* slash = strrchr(d->path, '/');
    return slash ? slash + 1 : d->path;
}

void sari_pace_restart(sari_pace* pace)
{
    pace->flushed = pace->appended = sari_clock_wall();
}

int sari_pace_is_due(sari_pace* pace)
{
    double now = sari_clock_wall(), gap = now - pace->appended;
    pace->appended = now;
    return now + gap > pace->flushed + SARI_WRITER_SECONDS;
}

/* A path is names with single slashes between them. "." and ".." are no names: HDF5 knows the first
 * only. */
static int path_is_valid(const char* path)
{
    for (const char* part = path;; part++) {
        size_t length = strcspn(part, "/");
        if (length == 0) return 0;
        if (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.'))) return 0;
        part += length;
        if (*part == '\0') return 1;
    }
}

static int compare_paths(const void* a, const void* b)
{
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static sar_status check_duplicates(const sar_dataset* datasets, int count, sar_error* error)
{
    const char** sorted = SARI_NEW_ARRAY(const char*, count);
    if (!sorted) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (int k = 0; k < count; k++) sorted[k] = datasets[k].path;
    qsort(sorted, (size_t)count, sizeof *sorted, compare_paths);
    const char* twice = NULL;
    for (int k = 1; k < count && !twice; k++)
        if (strcmp(sorted[k - 1], sorted[k]) == 0) twice = sorted[k];
    sari_release(sorted);
    if (!twice) return SAR_OK;
    return sari_fail(error, SAR_E_ARG, twice, "two datasets have the path \"%s\"", twice);
}

static sar_status check_datasets(const sar_dataset* datasets, int count, int* row_width,
                                 sar_error* error)
{
    if (count < 1 || !datasets || !datasets[0].path || strcmp(datasets[0].path, "time") != 0 ||
        datasets[0].width != 1)
        return sari_fail(error, SAR_E_ARG, "time",
                         "the first dataset of a result must be \"time\" with width 1");
    *row_width = 0;
    for (int k = 0; k < count; k++) {
        const char* path = datasets[k].path;
        if (!path || !path_is_valid(path))
            return sari_fail(error, SAR_E_ARG, path,
                             "\"%s\" is not a dataset path: write names with / between them",
                             path ? path : "");
        if (datasets[k].width < 1 || datasets[k].width > INT_MAX - *row_width)
            return sari_fail(error, SAR_E_ARG, path,
                             "dataset \"%s\" has width %d, expected 1 or more", path,
                             datasets[k].width);
        *row_width += datasets[k].width;
    }
    return check_duplicates(datasets, count, error);
}

static void writer_release(sar_writer* w)
{
    for (int k = 0; w->datasets && k < w->count; k++) {
        sari_release((void*)w->datasets[k].path);
        sari_release((void*)w->datasets[k].unit);
        sari_release((void*)w->datasets[k].description);
    }
    sari_release(w->datasets);
    sari_release(w->path);
    sari_release(w);
}

static int copy_datasets(sar_writer* w, const sar_dataset* datasets, int count)
{
    w->datasets = SARI_NEW_ARRAY(sar_dataset, count);
    if (!w->datasets) return 0;
    w->count = count;
    for (int k = 0; k < count; k++) {
        sar_dataset* d = &w->datasets[k];
        d->width = datasets[k].width;
        d->path = sari_copy_string(datasets[k].path);
        d->unit = sari_copy_string(datasets[k].unit ? datasets[k].unit : "");
        d->description = sari_copy_string(datasets[k].description ? datasets[k].description : "");
        if (!d->path || !d->unit || !d->description) return 0;
    }
    return 1;
}

sar_status sar_writer_open(const char* path, const sar_dataset* datasets, int count,
                           sar_writer** out, sar_error* error)
{
    *out = NULL;
    sari_format format;
    int row_width = 0;
    SARI_TRY(sari_format_of(path, &format, error));
    SARI_TRY(check_datasets(datasets, count, &row_width, error));

    sar_writer* w = SARI_NEW(sar_writer);
    if (!w) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    w->ops = format == SARI_FORMAT_CSV ? &sari_writer_csv : &sari_writer_hdf5;
    w->row_width = row_width;
    w->path = sari_copy_string(path);
    sar_status status;
    if (!w->path || !copy_datasets(w, datasets, count))
        status = sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    else
        status = w->ops->open(w, &w->backend, error);
    if (status != SAR_OK) {
        writer_release(w);
        return status;
    }
    *out = w;
    return SAR_OK;
}

sar_status sar_writer_append(sar_writer* w, const double* row)
{
    if (w->first.status != SAR_OK) return w->first.status;
    if (w->finished) return SAR_E_ARG;
    return w->ops->append(w->backend, row, &w->first);
}

sar_status sar_writer_attribute(sar_writer* w, const char* name, const char* text)
{
    if (w->first.status != SAR_OK) return w->first.status;
    if (!name || !*name || !text || w->finished) return SAR_E_ARG;
    return w->ops->attribute(w->backend, name, text, &w->first);
}

sar_status sar_writer_flush(sar_writer* w, sar_error* error)
{
    if (w->first.status == SAR_OK && !w->finished) w->ops->flush(w->backend, &w->first);
    if (w->first.status != SAR_OK && error) *error = w->first;
    return w->first.status;
}

long sar_writer_kept(const sar_writer* w, double* t)
{
    long rows = 0;
    double last = NAN;
    w->ops->kept(w->backend, &rows, &last);
    if (t) *t = rows > 0 ? last : NAN;
    return rows;
}

sar_status sar_writer_finish(sar_writer* w, sar_error* error)
{
    if (w->first.status == SAR_OK && !w->finished) w->ops->finish(w->backend, &w->first);
    w->finished = 1;
    if (w->first.status != SAR_OK && error) *error = w->first;
    return w->first.status;
}

sar_status sar_writer_close(sar_writer* w, sar_error* error)
{
    if (!w) return SAR_OK;
    sar_status status = sar_writer_finish(w, error);
    w->ops->close(w->backend);
    writer_release(w);
    return status;
}
