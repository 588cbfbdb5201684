/* The files of a model, with the trees of those that are in YAML. They stay when a model is read again
 * with other parameters: then no text is read or parsed a second time. */
#ifndef SARI_FILES_H
#define SARI_FILES_H

#include "base/hash.h"
#include "input/yaml/document.h"
#include "input/yaml/scratch.h"
#include "sarrus/load.h"

#include <stdbool.h>

typedef struct sari_file {
    sari_source source;    ///< what places in it point to; its number is that of this reading
    char *path, *text;     ///< owned; NULL: the caller's
    const sari_node* root; ///< NULL: it was not parsed, or cannot be
    sari_scratch nodes;
    unsigned long long device, inode; ///< who it is under any name; 0: not known
    int reading;                      ///< the last one that opened it
    bool flawed;                      ///< it has errors, which every reading shall report
} sari_file;

/// Zero-initialised: none.
/// Numbers with tolerances, by their nodes.
typedef struct sari_dimensions {
    sar_dimension* at;
    const void** node;
    int count, capacity, node_capacity;
    const void* changed; ///< this one,
    double change;       ///< by that
} sari_dimensions;

/// All numbers that were read, by their nodes.
typedef struct sari_numbers {
    sar_number* at; ///< names follow when all are known
    const void** node;
    double* change;
    int count, capacity, node_capacity, change_capacity;
    sari_hash by_node;
    bool noted; ///< numbers that are read are added
    bool used;  ///< some are, or are changed
} sari_numbers;

typedef struct sari_files {
    sari_file** at;
    int count, capacity;
    sari_hash by_path;
    int reading;                ///< the present one, from 1
    int opened;                 ///< in it
    bool keeps;                 ///< for another reading
    sari_dimensions dimensions; ///< in all readings
    sari_numbers numbers;
    sari_diagnostics* found;    ///< in the reading: errors and notes
    sari_scratch texts, scopes; ///< of the reading, empty between two of them
} sari_files;

/// A reading begins: files that could not be read or have errors are forgotten.
void sari_files_begin(sari_files* files);
void sari_files_clear(sari_files* files);

/// Forget all numbers.
void sari_numbers_clear(sari_numbers* n);
/// Names of those that are known, by their places in the files. False: out of memory.
bool sari_numbers_name(sari_files* files);
int sari_numbers_find(const sari_numbers* n, const void* node); ///< -1: it is none of them

/// The file that was opened by this path, in this reading or an earlier one; NULL: none.
sari_file* sari_files_find(const sari_files* files, const char* path);
/// Another one, without text. NULL: out of memory.
sari_file* sari_files_add(sari_files* files, const char* path);
/// The first one: a text that stays the caller's. `name` NULL: it has none.
sar_status sari_files_add_first(sari_files* files, const char* text, size_t length,
                                const char* name);
/// False: it was open in this reading already.
bool sari_files_open(sari_files* files, sari_file* file);

/// Its text, read now if it is not there. False: `*why` not.
bool sari_file_read(sari_file* file, const char** why);
/// Forget the text of a file that no places point to, unless there will be another reading.
void sari_file_drop(const sari_files* files, sari_file* file);
/// Find out who it is.
void sari_file_identify(sari_file* file);
/// Are they one file, under any name?
bool sari_file_is(const sari_file* a, const sari_file* b);

/// A directory cannot be read, and a pipe might never end.
bool sari_is_special(const char* path);
/// The whole file, to be given to sari_release; NULL with the reason in `why`.
char* sari_read_file(const char* path, size_t* length, const char** why);

#endif
