/* A whole file in memory. */
#ifndef SARI_RESULTS_TEXT_FILE_H
#define SARI_RESULTS_TEXT_FILE_H

#include "sarrus/base.h"

/// All of `path`, with a zero after it, to be given to sari_release. SAR_E_IO when it cannot be
/// read.
sar_status sari_text_file_read(const char* path, char** text, size_t* length, sar_error* error);

#endif
