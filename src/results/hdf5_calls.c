/* Compiled to nothing when Sarrus is built without HDF5. */
#include "sarrus/base.h"

#ifdef SARRUS_WITH_HDF5

#include "base/status.h"
#include "results/hdf5_calls.h"

#include <stdio.h>
#include <string.h>

sari_hdf5_quiet sari_hdf5_begin(void)
{
    sari_hdf5_quiet saved = {0};
    H5Eget_auto2(H5E_DEFAULT, &saved.print, &saved.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return saved;
}

void sari_hdf5_end(sari_hdf5_quiet saved)
{
    H5Eset_auto2(H5E_DEFAULT, saved.print, saved.data);
}

/* The innermost entry of the stack comes first and knows best. System errors are quoted in it. */
static herr_t take_reason(unsigned n, const H5E_error2_t* entry, void* data)
{
    char* reason = data;
    if (n > 0 || !entry->desc) return 0;
    static const char mark[] = "error message = '";
    const char* quoted = strstr(entry->desc, mark);
    if (quoted) {
        quoted += sizeof mark - 1;
        snprintf(reason, 160, "%.*s", (int)strcspn(quoted, "'"), quoted);
    } else {
        snprintf(reason, 160, "%s", entry->desc);
    }
    return 0;
}

sar_status sari_hdf5_fail(sar_error* error, const char* what, const char* path)
{
    char reason[160] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    if (strcmp(reason, "Resource temporarily unavailable") == 0)
        snprintf(reason, sizeof reason, "another program has it open");
    return sari_fail(error, SAR_E_IO, NULL, "%s %s: %s", what, path,
                     reason[0] ? reason : "HDF5 gives no reason");
}

hid_t sari_hdf5_text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 &&
        (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

#endif
