#include "results/text_file.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In pieces, since a pipe has no length to ask for. */
static sar_status read_all(FILE* file, char** text, size_t* length)
{
    size_t capacity = 1 << 16, used = 0;
    char* buffer = sari_allocate(capacity, 1);
    while (buffer) {
        used += fread(buffer + used, 1, capacity - used - 1, file);
        if (used < capacity - 1) break; // the end, or an error
        char* bigger = sari_allocate(capacity, 2);
        if (bigger) memcpy(bigger, buffer, used);
        sari_release(buffer);
        buffer = bigger;
        capacity *= 2;
    }
    *text = buffer;
    *length = used;
    if (!buffer) return SAR_E_NOMEM;
    buffer[used] = '\0';
    return ferror(file) ? SAR_E_IO : SAR_OK;
}

sar_status sari_text_file_read(const char* path, char** text, size_t* length, sar_error* error)
{
    *text = NULL;
    FILE* file = fopen(path, "r");
    if (!file) return sari_fail(error, SAR_E_IO, NULL, "cannot read %s: %s", path, strerror(errno));
    errno = 0;
    sar_status status = read_all(file, text, length);
    int cause = errno;
    fclose(file);
    if (status == SAR_OK) return SAR_OK;
    sari_release(*text);
    *text = NULL;
    return sari_fail(error, status, NULL, "cannot read %s: %s", path,
                     status == SAR_E_NOMEM ? "out of memory" : strerror(cause));
}
