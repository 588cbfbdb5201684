#include "results/side_file.h"

#include "base/memory.h"
#include "base/status.h"
#include "results/json.h"
#include "results/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char* side_path(const char* csv_path)
{
    size_t bytes = strlen(csv_path) + sizeof ".json";
    char* path = sari_allocate(bytes, 1);
    if (path) snprintf(path, bytes, "%s.json", csv_path);
    return path;
}

static void put_columns(FILE* file, const sar_writer* w)
{
    fputs("  \"columns\": [", file);
    for (int k = 0; k < w->count; k++) {
        const sar_dataset* d = &w->datasets[k];
        if (k > 0 && !sari_dataset_is_output(d)) continue;
        fputs(k ? ",\n    {\"name\": " : "\n    {\"name\": ", file);
        sari_json_put_string(file, sari_dataset_name(d));
        if (d->width > 1) fprintf(file, ", \"width\": %d", d->width);
        fputs(", \"unit\": ", file);
        sari_json_put_string(file, d->unit);
        fputs(", \"description\": ", file);
        sari_json_put_string(file, d->description);
        fputc('}', file);
    }
    fputs("\n  ],\n", file);
}

static void put_attributes(FILE* file, const sari_attributes* a)
{
    fputs("  \"attributes\": {", file);
    for (int k = 0; k < a->count; k++) {
        const char *name = a->item[k].name, *text = a->item[k].text;
        fputs(k ? ",\n    " : "\n    ", file);
        sari_json_put_string(file, name);
        fputs(": ", file);
        if (strcmp(name, "json") == 0 && sari_json_is_valid(text))
            fputs(text, file);
        else
            sari_json_put_string(file, text);
    }
    fputs(a->count ? "\n  }\n" : "}\n", file);
}

static int put_all(FILE* file, const sar_writer* w, const sari_attributes* attributes)
{
    fputs("{\n  \"schema\": \"sarrus.csv/1\",\n", file);
    put_columns(file, w);
    put_attributes(file, attributes);
    fputs("}\n", file);
    return fflush(file) == 0 && !ferror(file);
}

/* Beside it first, like the table itself: an old side file gives way to a complete one only. */
sar_status sari_side_file_write(const sar_writer* w, const char* csv_path,
                                const sari_attributes* attributes, sar_error* error)
{
    char* path = side_path(csv_path);
    size_t bytes = path ? strlen(path) + sizeof ".part" : 0;
    char* part = bytes ? sari_allocate(bytes, 1) : NULL;
    sar_status status = SAR_OK;
    if (part) {
        snprintf(part, bytes, "%s.part", path);
        errno = 0;
        FILE* file = fopen(part, "w");
        int good = file && put_all(file, w, attributes);
        if (file && fclose(file) != 0) good = 0;
        if (good) good = rename(part, path) == 0;
        if (!good)
            status = sari_fail(error, SAR_E_IO, NULL, "cannot write %s: %s", path,
                               strerror(errno ? errno : EIO));
        if (!good && file) unlink(part);
    } else {
        status = sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    }
    sari_release(part);
    sari_release(path);
    return status;
}

/* Strings are decoded; any other value (the embedded "json") is kept as it stands. */
static sar_status take_attribute(const sari_json_member* m, sari_attributes* out)
{
    size_t length = (size_t)(m->value_end - m->value);
    char* name = sari_json_decode_string(m->key, m->key_end);
    char* text = *m->value == '"' ? sari_json_decode_string(m->value, m->value_end)
                                  : sari_allocate(length + 1, 1);
    if (text && *m->value != '"') memcpy(text, m->value, length);
    sar_status status = name && text ? sari_attributes_set(out, name, text) : SAR_E_NOMEM;
    sari_release(name);
    sari_release(text);
    return status;
}

static int key_is(const sari_json_member* m, const char* name)
{
    size_t length = strlen(name);
    return (size_t)(m->key_end - m->key) == length + 2 && strncmp(m->key + 1, name, length) == 0;
}

/* SAR_E_IO: malformed. */
static sar_status take_attributes(const char* text, sari_attributes* out)
{
    sari_json_member m, inner;
    int done = 0, inner_done = 0;
    const char* at = sari_json_skip_space(text);
    while ((at = sari_json_next_member(at, &m, &done)) && !done) {
        if (!key_is(&m, "attributes") || *m.value != '{') continue;
        const char* in = m.value;
        while ((in = sari_json_next_member(in, &inner, &inner_done)) && !inner_done)
            SARI_TRY(take_attribute(&inner, out));
        if (!in) return SAR_E_IO;
    }
    return at && *sari_json_skip_space(at) == '\0' ? SAR_OK : SAR_E_IO;
}

sar_status sari_side_file_read(const char* csv_path, sari_attributes* out, sar_error* error)
{
    char *path = side_path(csv_path), *text = NULL;
    size_t length;
    sar_status status = SAR_OK;
    if (!path) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    if (access(path, F_OK) == 0) {
        status = sari_text_file_read(path, &text, &length, error);
        if (status == SAR_OK) {
            status = take_attributes(text, out);
            if (status == SAR_E_NOMEM) sari_fail(error, status, NULL, "out of memory");
            if (status == SAR_E_IO)
                sari_fail(error, status, NULL,
                          "%s is not well-formed JSON: remove it to read the table alone", path);
        }
    }
    sari_release(text);
    sari_release(path);
    return status;
}
