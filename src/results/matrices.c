#include "results/matrices.h"

#include "results/table.h"

#ifdef SARRUS_WITH_HDF5
#include "base/status.h"
#include "results/hdf5_calls.h"

/* Closes what it is given, if it is something; the worst of both. */
static herr_t write_dataset(hid_t file, const sari_named_matrix* m, hid_t space, hid_t type)
{
    const hid_t set = space < 0 || type < 0 ? -1
                                            : H5Dcreate2(file, m->name, type, space, H5P_DEFAULT,
                                                         H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0) return -1;
    herr_t done = 0;
    if (m->rows > 0 && m->cols > 0)
        done = H5Dwrite(set, m->x ? H5T_NATIVE_DOUBLE : type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                        m->x ? (const void*)m->x : (const void*)m->names);
    const herr_t closed = H5Dclose(set);
    return done < 0 ? done : closed;
}

static herr_t write_matrix(hid_t file, const sari_named_matrix* m)
{
    const hsize_t size[2] = {(hsize_t)m->rows, (hsize_t)m->cols};
    const hid_t space = H5Screate_simple(m->x ? 2 : 1, size, NULL);
    const hid_t type = m->x ? H5T_IEEE_F64LE : sari_hdf5_text_type();
    const herr_t done = write_dataset(file, m, space, type);
    if (space >= 0) H5Sclose(space);
    if (!m->x && type >= 0) H5Tclose(type);
    return done;
}

sar_status sari_write_matrices(const char* path, int count, const sari_named_matrix* list,
                               sar_error* error)
{
    sari_hdf5_session session;
    const sar_status st = sari_hdf5_load(path, error);
    if (st != SAR_OK) return st;
    sari_hdf5_begin(&session);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    herr_t done = file < 0 ? -1 : 0;
    for (int k = 0; k < count && done >= 0; k++) done = write_matrix(file, &list[k]);
    if (file >= 0 && H5Fclose(file) < 0) done = -1;
    const sar_status out =
        done < 0 ? sari_hdf5_fail(&session, error, "cannot write", path) : SAR_OK;
    sari_hdf5_end(&session);
    return out;
}

#else

sar_status sari_write_matrices(const char* path, int count, const sari_named_matrix* list,
                               sar_error* error)
{
    (void)count, (void)list;
    return sari_hdf5_load(path, error);
}

#endif
