/* The HDF5 library, loaded when the first result in HDF5 is read or written: with the libraries that
 * it needs itself it would take most of the time in which a program starts. Where it is a static
 * library (SARRUS_HDF5_SONAME is not defined) it is linked. sari_hdf5_load (table.h)
 * comes before any call. Only included where HDF5 is built in. */
#ifndef SARI_RESULTS_HDF5_LIBRARY_H
#define SARI_RESULTS_HDF5_LIBRARY_H

#include <hdf5.h>

#ifdef SARRUS_HDF5_SONAME

#if H5_VERSION_GE(1, 10, 7)
#define SARI_HDF5_SINCE_1_10_7(X) X(H5Pset_file_locking)
#else
#define SARI_HDF5_SINCE_1_10_7(X)
#endif

/// What we call, and the variables in what hdf5.h calls constants. hdf5_names.h has the same names.
// clang-format off
#define SARI_HDF5_LIST(X) \
    X(H5open) X(H5check_version) X(H5dont_atexit) X(H5free_memory) X(H5garbage_collect) \
    X(H5Aclose) X(H5Acreate2) X(H5Adelete) X(H5Aexists) X(H5Aget_space) X(H5Aget_type) \
    X(H5Aiterate2) X(H5Aopen) X(H5Aread) X(H5Awrite) X(H5Dclose) X(H5Dcreate2) \
    X(H5Dget_create_plist) X(H5Dget_space) X(H5Dget_storage_size) X(H5Dget_type) X(H5Dopen2) \
    X(H5Dread) X(H5Dset_extent) X(H5Dwrite) X(H5Eget_auto2) X(H5Eset_auto2) X(H5Ewalk2) \
    X(H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fis_hdf5) X(H5Fopen) X(H5Gclose) X(H5Gcreate2) \
    X(H5Gget_create_plist) X(H5Gopen2) X(H5Iget_type) X(H5Lexists) X(H5Literate) X(H5Oclose) \
    X(H5Oopen) X(H5Pclose) X(H5Pcreate) X(H5Pget_external_count) X(H5Pget_link_creation_order) \
    X(H5Pget_nfilters) X(H5Pget_chunk) X(H5Pget_filter2) X(H5Pset_fletcher32) X(H5Pset_chunk) X(H5Pset_chunk_cache) X(H5Pset_create_intermediate_group) X(H5Pset_fill_value) \
    X(H5Pset_link_creation_order) X(H5Pset_obj_track_times) X(H5Sclose) X(H5Screate) \
    X(H5Screate_simple) X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_ndims) \
    X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab) X(H5Tclose) X(H5Tcopy) \
    X(H5Tget_class) X(H5Tget_size) X(H5Tis_variable_str) X(H5Tset_cset) X(H5Tset_size) \
    SARI_HDF5_SINCE_1_10_7(X) \
    X(H5P_CLS_DATASET_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_FILE_ACCESS_ID_g) \
    X(H5P_CLS_GROUP_CREATE_ID_g) X(H5P_CLS_LINK_CREATE_ID_g) X(H5T_C_S1_g) X(H5T_IEEE_F64LE_g) \
    X(H5T_NATIVE_DOUBLE_g)
// clang-format on

/// Where they are.
typedef struct sari_hdf5_library {
#define SARI_MEMBER(name) __typeof__(name)* name;
    SARI_HDF5_LIST(SARI_MEMBER)
#undef SARI_MEMBER
} sari_hdf5_library;
extern sari_hdf5_library sari_hdf5;

#endif
#endif
