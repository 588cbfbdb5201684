#include "fmu/zip.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#ifndef SARRUS_MINIZIP_SONAME

static sar_status lacking(sar_error* error)
{
    return sari_fail(error, SAR_E_BUILD, NULL,
                     "this build of Sarrus has no archives: build it with minizip (Debian: "
                     "libminizip-dev)");
}

sar_status sari_zip_create(const char* path, sari_zip** out, sar_error* error)
{
    (void)path;
    *out = NULL;
    return lacking(error);
}

sar_status sari_zip_add(sari_zip* zip, const char* name, const void* bytes, size_t count,
                        sar_error* error)
{
    (void)zip, (void)name, (void)bytes, (void)count;
    return lacking(error);
}

sar_status sari_zip_close(sari_zip* zip, sar_error* error)
{
    return zip ? lacking(error) : SAR_OK;
}

sar_status sari_zip_unpack(const char* path, const char* folder, sar_error* error)
{
    (void)path, (void)folder;
    return lacking(error);
}

#else

#include <dlfcn.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <zlib.h>

#define CALLS(X)                                                                                   \
    X(zipOpen64)                                                                                   \
    X(zipOpenNewFileInZip)                                                                         \
    X(zipWriteInFileInZip)                                                                         \
    X(zipCloseFileInZip)                                                                           \
    X(zipClose)                                                                                    \
    X(unzOpen64)                                                                                   \
    X(unzGoToFirstFile)                                                                            \
    X(unzGoToNextFile)                                                                             \
    X(unzGetCurrentFileInfo64)                                                                     \
    X(unzOpenCurrentFile)                                                                          \
    X(unzReadCurrentFile)                                                                          \
    X(unzCloseCurrentFile)                                                                         \
    X(unzClose)

typedef struct library {
#define MEMBER(name) __typeof__(name)* name;
    CALLS(MEMBER)
#undef MEMBER
} library;

/* ---- the library ---------------------------------------------------------------------------- */

static sar_status fail_to_load(const char* why, sar_error* error)
{
    return sari_fail(error, SAR_E_BUILD, NULL,
                     "the library of archives, " SARRUS_MINIZIP_SONAME
                     ", cannot be loaded: %s; install it (Debian: libminizip1)",
                     why);
}

/* It stays until the program ends: loading it again costs nothing. */
static sar_status load(library* to, sar_error* error)
{
    void* from = dlopen(SARRUS_MINIZIP_SONAME, RTLD_LAZY | RTLD_LOCAL);
    if (!from) return fail_to_load(dlerror(), error);
#define FIND(name)                                                                                 \
    {                                                                                              \
        void* symbol = dlsym(from, #name);                                                         \
        if (!symbol) return fail_to_load("it has no " #name, error);                               \
        memcpy(&to->name, &symbol, sizeof symbol);                                                 \
    }
    CALLS(FIND)
#undef FIND
    return SAR_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

struct sari_zip {
    library call;
    zipFile file;
    char* path;
};

static void release(sari_zip* zip)
{
    sari_release(zip->path);
    sari_release(zip);
}

sar_status sari_zip_create(const char* path, sari_zip** out, sar_error* error)
{
    *out = NULL;
    sari_zip* zip = SARI_NEW(sari_zip);
    if (!zip) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sar_status status = load(&zip->call, error);
    zip->path = sari_copy_string(path);
    if (status == SAR_OK) zip->file = zip->call.zipOpen64(path, APPEND_STATUS_CREATE);
    if (status == SAR_OK && !zip->file)
        status = sari_fail(error, SAR_E_IO, NULL, "cannot write %s: %s", path, strerror(errno));
    if (status == SAR_OK)
        *out = zip;
    else
        release(zip);
    return status;
}

sar_status sari_zip_add(sari_zip* zip, const char* name, const void* bytes, size_t count,
                        sar_error* error)
{
    // the same date always, so that the same model gives the same file
    zip_fileinfo about = {.tmz_date = {.tm_year = 1980, .tm_mday = 1}};
    const char* at = bytes;
    int failed = zip->call.zipOpenNewFileInZip(zip->file, name, &about, NULL, 0, NULL, 0, NULL,
                                               Z_DEFLATED, 1);
    while (!failed && count > 0) {
        const unsigned part = count < 1u << 30 ? (unsigned)count : 1u << 30;
        failed = zip->call.zipWriteInFileInZip(zip->file, at, part);
        at += part, count -= part;
    }
    if (!failed) failed = zip->call.zipCloseFileInZip(zip->file);
    if (!failed) return SAR_OK;
    return sari_fail(error, SAR_E_IO, NULL, "cannot write %s to %s", name, zip->path);
}

sar_status sari_zip_close(sari_zip* zip, sar_error* error)
{
    if (!zip) return SAR_OK;
    sar_status status = SAR_OK;
    if (zip->call.zipClose(zip->file, NULL) != ZIP_OK)
        status = sari_fail(error, SAR_E_IO, NULL, "cannot write %s", zip->path);
    release(zip);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

enum { NAME = 1024, LARGEST = 1 << 30 };

static int leads_out(const char* name)
{
    if (name[0] == '/' || name[0] == 0 || strchr(name, '\\')) return 1;
    for (const char* part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == 0)) return 1;
    }
    return 0;
}

/// The folders on the way to a file.
static void make_folders(char* path, size_t from)
{
    for (char* slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(path, 0700); // one that is there already will do
        *slash = '/';
    }
}

static int copy_current(const library* l, unzFile zip, const char* path)
{
    char part[1 << 14];
    long sum = 0;
    FILE* to = fopen(path, "wb");
    int got = to && l->unzOpenCurrentFile(zip) == UNZ_OK ? 1 : -1;
    while (got > 0 && sum < LARGEST) {
        got = l->unzReadCurrentFile(zip, part, sizeof part);
        if (got > 0 && fwrite(part, 1, (size_t)got, to) != (size_t)got) got = -1;
        sum += got;
    }
    if (l->unzCloseCurrentFile(zip) != UNZ_OK) got = -1;
    if (to && fclose(to) != 0) got = -1;
    return got == 0;
}

static sar_status unpack(const library* l, unzFile zip, const char* path, const char* folder,
                         sar_error* error)
{
    for (int at = l->unzGoToFirstFile(zip); at == UNZ_OK; at = l->unzGoToNextFile(zip)) {
        char name[NAME] = "", to[2 * NAME];
        if (l->unzGetCurrentFileInfo64(zip, NULL, name, NAME - 1, NULL, 0, NULL, 0) != UNZ_OK)
            return sari_fail(error, SAR_E_IO, NULL, "%s is damaged", path);
        if (leads_out(name))
            return sari_fail(error, SAR_E_IO, NULL,
                             "%s holds a file \"%s\", which would lie outside of its folder", path,
                             name);
        if ((size_t)snprintf(to, sizeof to, "%s/%s", folder, name) >= sizeof to)
            return sari_fail(error, SAR_E_IO, NULL, "%s: the name %s is too long", path, name);
        make_folders(to, strlen(folder) + 1);
        if (name[strlen(name) - 1] == '/') continue;
        if (!copy_current(l, zip, to))
            return sari_fail(error, SAR_E_IO, NULL, "cannot unpack %s of %s", name, path);
    }
    return SAR_OK;
}

sar_status sari_zip_unpack(const char* path, const char* folder, sar_error* error)
{
    library l;
    SARI_TRY(load(&l, error));
    unzFile zip = l.unzOpen64(path);
    if (!zip) {
        FILE* file = fopen(path, "rb");
        if (!file) return sari_fail(error, SAR_E_IO, NULL, "cannot be read: %s", strerror(errno));
        fclose(file);
        return sari_fail(error, SAR_E_IO, NULL, "it is no archive, or a damaged one");
    }
    const sar_status status = unpack(&l, zip, path, folder, error);
    (void)l.unzClose(zip);
    return status;
}

#endif
