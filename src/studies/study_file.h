/* A study in memory. One scratch owns its texts and tables. */
#ifndef SARI_STUDIES_STUDY_FILE_H
#define SARI_STUDIES_STUDY_FILE_H

#include "input/yaml/document.h"
#include "studies/studies.h"

struct sar_study {
    sari_scratch memory;
    sar_study_head head;
    sar_study_row* rows;
    int count, capacity;
};

/// What the rows of one file share.
typedef struct sari_study_file {
    sar_study* study;
    const sari_node* root;
    sari_diagnostics* diagnostics;
    int strict; ///< a study: unknown keys are mistakes; published figures may have any
    const char *source, *table; ///< which results are wanted; NULL: all
    const char* path;           ///< of the file, beside which those of other codes lie
    int others;                 ///< results that cannot be run
} sari_study_file;

/// Add the rows that one entry of `results` or `rows` means. Mistakes go to the diagnostics.
/// SAR_OK, SAR_E_NOMEM
sar_status sari_study_add_row(sari_study_file* file, const sari_node* entry);

/// Where the row's options may be tuned: its own `ranges`, then those of the file that are about it.
/// SAR_OK, SAR_E_NOMEM
sar_status sari_study_ranges(sari_study_file* file, const sari_node* entry, sar_study_row* row);

/// What the entry's `take` says. Mistakes go to the diagnostics.
sar_statement_kind sari_study_kind(sari_study_file* file, const sari_node* entry);
/// The list of statements of a study, into its head. SAR_OK, SAR_E_NOMEM
sar_status sari_study_statements(sari_study_file* file);

/* values of a map, with a mistake reported for what is no such value */

/// "" when the map has no such key.
const char* sari_study_text(sari_study_file* file, const sari_node* map, const char* key);
/// NaN when the map has no such key.
double sari_study_number(sari_study_file* file, const sari_node* map, const char* key);
/// NULL when the map has no such key.
const sari_node* sari_study_map(sari_study_file* file, const sari_node* map, const char* key);
/// The values of a map (NULL: none) as settings; a list gives its k-th.
sar_status sari_study_settings(sari_study_file* file, const sari_node* map, int k,
                               const sar_setting** out, int* count);
void sari_study_check_keys(sari_study_file* file, const sari_node* map, const char* what,
                           const char* const* known, int count);

#endif
