/* Compiled to nothing when Sarrus is built without HDF5. */
#include "sarrus/base.h"

#ifdef SARRUS_WITH_HDF5

#include "base/status.h"
#include "results/hdf5_calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The innermost entry of the stack comes first and knows best. System errors are quoted in it. */
static herr_t take_reason(unsigned n, const H5E_error2_t* entry, void* data)
{
    sari_hdf5_session* session = data;
    if (n > 0 || !entry->desc) return 0;
    static const char mark[] = "error message = '";
    const char* text = strstr(entry->desc, mark);
    text = text ? text + sizeof mark - 1 : entry->desc;
    int length = text == entry->desc ? (int)strlen(text) : (int)strcspn(text, "'");
    snprintf(session->reason, sizeof session->reason, "%.*s", length, text);
    return 0;
}

/* HDF5 calls this when a call of ours has failed. */
static herr_t remember(hid_t stack, void* data)
{
    sari_hdf5_session* session = data;
    if (session->reason[0]) return 0;
    return H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, session);
}

/* A file that cannot be closed, its disk being full, stays in HDF5's books, and the clean-up that
 * HDF5 does when the program ends would close it again and crash (seen with 1.10). We close what we
 * open, so that we need none. Has no effect when the host has used HDF5 before. */
void sari_hdf5_begin(sari_hdf5_session* session)
{
    H5dont_atexit();
    memset(session, 0, sizeof *session);
    H5Eget_auto2(H5E_DEFAULT, &session->print, &session->data);
    H5Eset_auto2(H5E_DEFAULT, remember, session);
}

void sari_hdf5_end(const sari_hdf5_session* session)
{
    H5Eset_auto2(H5E_DEFAULT, session->print, session->data);
}

void sari_hdf5_tidy(void)
{
    H5garbage_collect();
}

sar_status sari_hdf5_fail(const sari_hdf5_session* session, sar_error* error, const char* what,
                          const char* path)
{
    const char* reason = session->reason;
    if (reason[0] == '\0') reason = "HDF5 gives no reason";
    if (strcmp(reason, strerror(EAGAIN)) == 0) reason = "another program has it open"; // its lock
    return sari_fail(error, SAR_E_IO, NULL, "%s %s: %s", what, path, reason);
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
