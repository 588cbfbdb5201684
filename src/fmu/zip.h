/* Archives, by minizip, which is loaded when the first one is read or written: no other command needs it. */
#ifndef SARI_FMU_ZIP_H
#define SARI_FMU_ZIP_H

#include "sarrus/base.h"

typedef struct sari_zip sari_zip;

sar_status sari_zip_create(const char* path, sari_zip** out, sar_error* error);
/// Add a file to it; `name` has slashes, and is relative.
sar_status sari_zip_add(sari_zip* zip, const char* name, const void* bytes, size_t count,
                        sar_error* error);
/// The archive is complete. NULL: nothing happens.
sar_status sari_zip_close(sari_zip* zip, sar_error* error);

/// Unpack all of it into a folder that exists. Names that lead out of it are refused.
sar_status sari_zip_unpack(const char* path, const char* folder, sar_error* error);

#endif
