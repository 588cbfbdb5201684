/* HDF5's names for what was loaded (hdf5_library.h), so that code which uses it reads as ever. One
 * that is missing here is not found when a program is linked. */
#ifndef SARI_RESULTS_HDF5_NAMES_H
#define SARI_RESULTS_HDF5_NAMES_H

#include "results/hdf5_library.h"

#ifdef SARRUS_HDF5_SONAME

#define H5open sari_hdf5.H5open
#define H5check_version sari_hdf5.H5check_version
#define H5dont_atexit sari_hdf5.H5dont_atexit
#define H5free_memory sari_hdf5.H5free_memory
#define H5garbage_collect sari_hdf5.H5garbage_collect
#define H5Aclose sari_hdf5.H5Aclose
#define H5Acreate2 sari_hdf5.H5Acreate2
#define H5Adelete sari_hdf5.H5Adelete
#define H5Aexists sari_hdf5.H5Aexists
#define H5Aget_space sari_hdf5.H5Aget_space
#define H5Aget_type sari_hdf5.H5Aget_type
#define H5Aiterate2 sari_hdf5.H5Aiterate2
#define H5Aopen sari_hdf5.H5Aopen
#define H5Aread sari_hdf5.H5Aread
#define H5Awrite sari_hdf5.H5Awrite
#define H5Dclose sari_hdf5.H5Dclose
#define H5Dcreate2 sari_hdf5.H5Dcreate2
#define H5Dget_create_plist sari_hdf5.H5Dget_create_plist
#define H5Dget_space sari_hdf5.H5Dget_space
#define H5Dget_storage_size sari_hdf5.H5Dget_storage_size
#define H5Dget_type sari_hdf5.H5Dget_type
#define H5Dopen2 sari_hdf5.H5Dopen2
#define H5Dread sari_hdf5.H5Dread
#define H5Dset_extent sari_hdf5.H5Dset_extent
#define H5Dwrite sari_hdf5.H5Dwrite
#define H5Eget_auto2 sari_hdf5.H5Eget_auto2
#define H5Eset_auto2 sari_hdf5.H5Eset_auto2
#define H5Ewalk2 sari_hdf5.H5Ewalk2
#define H5Fclose sari_hdf5.H5Fclose
#define H5Fcreate sari_hdf5.H5Fcreate
#define H5Fflush sari_hdf5.H5Fflush
#define H5Fis_hdf5 sari_hdf5.H5Fis_hdf5
#define H5Fopen sari_hdf5.H5Fopen
#define H5Gclose sari_hdf5.H5Gclose
#define H5Gcreate2 sari_hdf5.H5Gcreate2
#define H5Gget_create_plist sari_hdf5.H5Gget_create_plist
#define H5Gopen2 sari_hdf5.H5Gopen2
#define H5Iget_type sari_hdf5.H5Iget_type
#define H5Lexists sari_hdf5.H5Lexists
#define H5Oclose sari_hdf5.H5Oclose
#define H5Oopen sari_hdf5.H5Oopen
#define H5Pclose sari_hdf5.H5Pclose
#define H5Pcreate sari_hdf5.H5Pcreate
#define H5Pget_external_count sari_hdf5.H5Pget_external_count
#define H5Pget_link_creation_order sari_hdf5.H5Pget_link_creation_order
#define H5Pget_nfilters sari_hdf5.H5Pget_nfilters
#define H5Pget_chunk sari_hdf5.H5Pget_chunk
#define H5Pget_filter2 sari_hdf5.H5Pget_filter2
#define H5Pset_fletcher32 sari_hdf5.H5Pset_fletcher32
#define H5Pset_chunk sari_hdf5.H5Pset_chunk
#define H5Pset_chunk_cache sari_hdf5.H5Pset_chunk_cache
#define H5Pset_create_intermediate_group sari_hdf5.H5Pset_create_intermediate_group
#define H5Pset_fill_value sari_hdf5.H5Pset_fill_value
#define H5Pset_link_creation_order sari_hdf5.H5Pset_link_creation_order
#define H5Pset_obj_track_times sari_hdf5.H5Pset_obj_track_times
#define H5Sclose sari_hdf5.H5Sclose
#define H5Screate sari_hdf5.H5Screate
#define H5Screate_simple sari_hdf5.H5Screate_simple
#define H5Sget_simple_extent_dims sari_hdf5.H5Sget_simple_extent_dims
#define H5Sget_simple_extent_ndims sari_hdf5.H5Sget_simple_extent_ndims
#define H5Sget_simple_extent_npoints sari_hdf5.H5Sget_simple_extent_npoints
#define H5Sselect_hyperslab sari_hdf5.H5Sselect_hyperslab
#define H5Tclose sari_hdf5.H5Tclose
#define H5Tcopy sari_hdf5.H5Tcopy
#define H5Tget_class sari_hdf5.H5Tget_class
#define H5Tget_size sari_hdf5.H5Tget_size
#define H5Tis_variable_str sari_hdf5.H5Tis_variable_str
#define H5Tset_cset sari_hdf5.H5Tset_cset
#define H5Tset_size sari_hdf5.H5Tset_size
#define H5Pset_file_locking sari_hdf5.H5Pset_file_locking
#if H5_VERSION_GE(1, 12, 0) // there H5Literate is one of these
#define H5Literate1 sari_hdf5.H5Literate1
#define H5Literate2 sari_hdf5.H5Literate2
#else
#define H5Literate sari_hdf5.H5Literate
#endif

#define H5P_CLS_DATASET_ACCESS_ID_g (*sari_hdf5.H5P_CLS_DATASET_ACCESS_ID_g)
#define H5P_CLS_DATASET_CREATE_ID_g (*sari_hdf5.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g (*sari_hdf5.H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_GROUP_CREATE_ID_g (*sari_hdf5.H5P_CLS_GROUP_CREATE_ID_g)
#define H5P_CLS_LINK_CREATE_ID_g (*sari_hdf5.H5P_CLS_LINK_CREATE_ID_g)
#define H5T_C_S1_g (*sari_hdf5.H5T_C_S1_g)
#define H5T_IEEE_F64LE_g (*sari_hdf5.H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g (*sari_hdf5.H5T_NATIVE_DOUBLE_g)

#endif
#endif
