/* Reading the result files that a command names. */
#ifndef CLI_RESULT_FILE_H
#define CLI_RESULT_FILE_H

#include "sarrus/result.h"

/// sar_result_read, and the file counts as read (inputs.h). The HDF5 library may crash on a file
/// that is damaged: that happens to another process, and `error` says so.
sar_status cli_result_read(const char* path, sar_result** result, sar_error* error);
/// Likewise sar_result_read_all.
sar_status cli_result_read_all(const char* path, sar_result** result, sar_error* error);

#endif
