/* Files that commands write beside results: pictures, tables, reports. Each is written as
 * "NAME.part" and takes its name when it is complete: an old one stays until then. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdio.h>

typedef struct cli_output_file {
    char *name,
        *part; ///< links followed; the same of a pipe or a device, which is written directly
    FILE* to;
} cli_output_file;

/// Can `path` be written, as far as can be known beforehand? 0, or -1 with errno. Leaves no trace.
int cli_output_check(const char* path);
/// 0, or -1 with errno; then there is nothing to close.
int cli_output_open(cli_output_file* out, const char* path);
/// 0 if everything has reached the file, which has its name now. Else -1 with errno, and what was
/// there before is there still.
int cli_output_close(cli_output_file* out);

/// The same with a message. 0, or CLI_FAILED after it.
int cli_output_begin(cli_output_file* out, const char* command, const char* path);
int cli_output_end(cli_output_file* out, const char* command, const char* path);

/// The same for a file that another program writes: where it is to write, to be freed.
char* cli_output_part(const char* path);
int cli_output_rename(const char* path); ///< the part takes its name. 0, or -1 with errno

#endif
