#include "common/files/rows.h"

#include <errno.h>
#include <string.h>

sar_status cli_rows_open(cli_rows* rows, const char* path, const sar_dataset* sets, int count,
                         sar_error* error)
{
    static const char group[] = "outputs/";
    const size_t length = sizeof group - 1;
    *rows = (cli_rows){.columns = 1};
    if (!path) return SAR_OK;
    if (strcmp(path, "-") != 0) return sar_writer_open(path, sets, count, &rows->writer, error);
    rows->stream = stdout;
    fputs("time", stdout);
    for (int k = 1; k < count && strncmp(sets[k].path, group, length) == 0; k++, rows->columns++)
        fprintf(stdout, ",%s", sets[k].path + length);
    fputc('\n', stdout);
    return SAR_OK;
}

sar_status cli_rows_add(cli_rows* rows, const double* row)
{
    rows->count++;
    if (rows->writer) return sar_writer_append(rows->writer, row);
    if (!rows->stream) return SAR_OK;
    for (int k = 0; k < rows->columns; k++) fprintf(rows->stream, "%s%.17g", k ? "," : "", row[k]);
    return fputc('\n', rows->stream) == EOF || ferror(rows->stream) ? SAR_E_IO : SAR_OK;
}

void cli_rows_attribute(cli_rows* rows, const char* name, const char* text)
{
    if (rows->writer) sar_writer_attribute(rows->writer, name, text);
}

sar_status cli_rows_flush(cli_rows* rows, sar_error* error)
{
    return rows->writer ? sar_writer_flush(rows->writer, error) : SAR_OK;
}

static sar_status close_stream(cli_rows* rows, sar_error* error)
{
    rows->filed = rows->count;
    if (fflush(rows->stream) == 0 && !ferror(rows->stream)) return SAR_OK;
    rows->filed = -1;
    snprintf(error->message, sizeof error->message, "cannot write to standard output: %s",
             strerror(errno));
    return SAR_E_IO;
}

sar_status cli_rows_close(cli_rows* rows, sar_error* error)
{
    if (rows->stream) return close_stream(rows, error);
    if (!rows->writer) return SAR_OK;
    sar_status status = sar_writer_finish(rows->writer, error);
    rows->filed = sar_writer_kept(rows->writer, &rows->filed_t);
    sar_writer_close(rows->writer, NULL);
    rows->writer = NULL;
    return status;
}
