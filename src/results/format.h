/* Which file format a result's name asks for. */
#ifndef SARI_RESULTS_FORMAT_H
#define SARI_RESULTS_FORMAT_H

#include "sarrus/base.h"

typedef enum sari_format { SARI_FORMAT_HDF5, SARI_FORMAT_CSV } sari_format;

/// By the ending of `path`, upper or lower case. SAR_E_ARG for any other ending.
sar_status sari_format_of(const char* path, sari_format* out, sar_error* error);

#endif
