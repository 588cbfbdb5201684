/* Files that the program has read, so that it does not write over them. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

/// `path` is read: a model, its tables, a reference, a result. Known by device and inode, so that
/// links and other spellings of the path are the same file.
void cli_inputs_add(const char* path);
void cli_inputs_add_stream(int file); ///< likewise, standard input

/// 0; or CLI_USAGE after a message, if `path`, or `path` with one of the endings (a list that ends
/// with NULL) of the files that go with it, is such a file.
int cli_inputs_refuse(const char* command, const char* path, const char* const* endings);
/// Endings of what is written beside a result and a table of a sweep.
extern const char* const cli_endings_of_result[];
extern const char* const cli_endings_of_sweep[];
extern const char* const cli_endings_of_file[];

#endif
