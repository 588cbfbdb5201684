/* The JSON file beside a CSV: what a table of numbers cannot say. */
#ifndef SARI_RESULTS_SIDE_FILE_H
#define SARI_RESULTS_SIDE_FILE_H

#include "results/attributes.h"
#include "results/writer.h"

/// Write `<path>.json`: columns with units and descriptions, and the attributes. The one named
/// "json" is embedded as the object it is, the others as strings.
sar_status sari_side_file_write(const sar_writer* w, const char* csv_path,
                                const sari_attributes* attributes, sar_error* error);

/// Attributes of `<path>.json`. No such file: no attributes, and no error.
sar_status sari_side_file_read(const char* csv_path, sari_attributes* out, sar_error* error);

#endif
