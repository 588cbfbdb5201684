#include "results/format.h"

#include "base/status.h"

#include <string.h>
#include <strings.h>

sar_status sari_format_of(const char* path, sari_format* out, sar_error* error)
{
    static const struct {
        const char* ending;
        sari_format format;
    } known[] = {{".h5", SARI_FORMAT_HDF5}, {".hdf5", SARI_FORMAT_HDF5}, {".csv", SARI_FORMAT_CSV}};

    const char* ending = strrchr(path, '.');
    for (size_t k = 0; ending && k < sizeof known / sizeof known[0]; k++) {
        if (strcasecmp(ending, known[k].ending) == 0) {
            *out = known[k].format;
            return SAR_OK;
        }
    }
    return sari_fail(error, SAR_E_ARG, NULL, "unknown format of \"%s\": use .h5 or .csv", path);
}
