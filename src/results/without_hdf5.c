/* Stands in for the HDF5 reader and writer in a build without that library. */
#include "results/table.h"
#include "results/writer.h"

#ifndef SARRUS_WITH_HDF5

#include "base/status.h"

sar_status sari_hdf5_load(const char* path, sar_error* error)
{
    return sari_fail(error, SAR_E_BUILD, NULL,
                     "%s: this build of Sarrus has no HDF5: use a .csv file, or build with "
                     "-DSARRUS_WITH_HDF5=ON",
                     path);
}

sar_status sari_read_hdf5(const char* path, int all, sar_result* r, sar_error* error)
{
    (void)r, (void)all;
    return sari_hdf5_load(path, error);
}

static sar_status open_missing(const sar_writer* w, void** backend, sar_error* error)
{
    (void)backend;
    return sari_hdf5_load(w->path, error);
}

const sari_writer_ops sari_writer_hdf5 = {.open = open_missing}; // the rest is never reached

#endif
