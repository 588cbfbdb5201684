/* Compiled to nothing when Sarrus is built without HDF5. */
#include "results/table.h"

#ifdef SARRUS_WITH_HDF5

#include "base/status.h"
#include "results/hdf5_library.h"

#ifndef SARRUS_HDF5_SONAME

sar_status sari_hdf5_load(const char* path, sar_error* error)
{
    (void)path, (void)error;
    return SAR_OK; // it is part of the program
}

#else

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name) // hdf5.h may have another name behind this one

static const struct {
    const char* name;
    size_t at;
} ENTRIES[] = {
#define ENTRY(name) {TEXT(name), offsetof(sari_hdf5_library, name)},
    SARI_HDF5_LIST(ENTRY)
#undef ENTRY
};

sari_hdf5_library sari_hdf5;
static atomic_int loaded;

/* The one that the system finds, else the one that Sarrus was built with. */
static void* open_library(char* reason, size_t size)
{
    void* library = dlopen(SARRUS_HDF5_SONAME, RTLD_LAZY | RTLD_LOCAL);
    if (library) return library;
    snprintf(reason, size, "%s", dlerror()); // the second one would speak of a folder
    return dlopen(SARRUS_HDF5_FOLDER "/" SARRUS_HDF5_SONAME, RTLD_LAZY | RTLD_LOCAL);
}

/* It stays until the program ends. Threads that come at the same time write the same. */
static int load(char* reason, size_t size)
{
    sari_hdf5_library found;
    void* library = open_library(reason, size);
    if (!library) return 0;
    for (size_t k = 0; k < sizeof ENTRIES / sizeof *ENTRIES; k++) {
        void* symbol = dlsym(library, ENTRIES[k].name);
        if (!symbol) {
            snprintf(reason, size, "it has no %s", ENTRIES[k].name);
            dlclose(library);
            return 0;
        }
        memcpy((char*)&found + ENTRIES[k].at, &symbol, sizeof symbol);
    }
    memcpy(&sari_hdf5, &found, sizeof found);
    return 1;
}

sar_status sari_hdf5_load(const char* path, sar_error* error)
{
    char reason[200] = "";
    if (atomic_load(&loaded)) return SAR_OK;
    if (!load(reason, sizeof reason))
        return sari_fail(error, SAR_E_BUILD, NULL,
                         "%s: the library of HDF5 that Sarrus was built with, %s (HDF5 %d.%d), "
                         "cannot be loaded: %s; install it, or use a .csv file",
                         path, SARRUS_HDF5_SONAME, H5_VERS_MAJOR, H5_VERS_MINOR, reason);
    atomic_store(&loaded, 1);
    return SAR_OK;
}

#endif
#endif
