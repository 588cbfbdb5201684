/* Calling HDF5: quiet, and with its reasons in words. Only included where HDF5 is built in. */
#ifndef SARI_RESULTS_HDF5_CALLS_H
#define SARI_RESULTS_HDF5_CALLS_H

#include "results/hdf5_names.h"

#include <stdint.h>

/// HDF5 prints its error stack unless given. Every entry into the library's HDF5 code has
/// a session that keeps it quiet, remembers the reason of the first failed call (the stack itself
/// is lost with the next call) and gives back what the host program had.
typedef struct sari_hdf5_session {
    H5E_auto2_t print; ///< the host's
    void* data;
    char reason[160];
} sari_hdf5_session;

void sari_hdf5_begin(sari_hdf5_session* session);
void sari_hdf5_end(const sari_hdf5_session* session);
/// Give memory that HDF5 keeps for later back to the system; after closing a file.
void sari_hdf5_tidy(void);

/// Fill `error` with "<what> <path>: <reason>"; returns SAR_E_IO.
sar_status sari_hdf5_fail(const sari_hdf5_session* session, sar_error* error, const char* what,
                          const char* path);

/// What HDF5 gives for rows that a dataset should have and its index, which has no checksum, does not find: a
/// NaN that no computation gives.
static const uint64_t SARI_HDF5_MISSING = 0x7ff8536172727573;

/// Text of unlimited length, UTF-8, as Python, MATLAB and Octave read it. Negative on failure.
hid_t sari_hdf5_text_type(void);

#endif
