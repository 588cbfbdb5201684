/* Calling HDF5: quiet, and with its reasons in words. Only included where HDF5 is built in. */
#ifndef SARI_RESULTS_HDF5_CALLS_H
#define SARI_RESULTS_HDF5_CALLS_H

#include "sarrus/base.h"

#include <hdf5.h>

/// HDF5 prints its error stack unless told otherwise. Every public function switches that off while
/// it works and gives back what the host program had.
typedef struct sari_hdf5_quiet {
    H5E_auto2_t print;
    void* data;
} sari_hdf5_quiet;

sari_hdf5_quiet sari_hdf5_begin(void);
void sari_hdf5_end(sari_hdf5_quiet saved);

/// Fill `error` with "<what> <path>: <reason of the last failed call>"; returns SAR_E_IO.
sar_status sari_hdf5_fail(sar_error* error, const char* what, const char* path);

/// Text of unlimited length, UTF-8, as Python, MATLAB and Octave read it. Negative on failure.
hid_t sari_hdf5_text_type(void);

#endif
