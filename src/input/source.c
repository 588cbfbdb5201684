/* Model files that are read once, for many models with other parameters. */
#include "base/memory.h"
#include "base/status.h"
#include "input/reader.h"

#include <string.h>

struct sar_source {
    char* text;
    sari_files files;
};

static sar_status fill(sar_source* s, const char* text, size_t length, const char* name)
{
    s->text = sari_allocate(length + 1, 1);
    if (!s->text) return SAR_E_NOMEM;
    if (length) memcpy(s->text, text, length);
    s->files.keeps = true;
    return sari_files_add_first(&s->files, s->text, length, name);
}

sar_status sar_source_open(const char* text, size_t length, const char* name, sar_source** out)
{
    if (out) *out = NULL;
    if (!text || !out) return SAR_E_ARG;
    sar_source* source = SARI_NEW(sar_source);
    if (!source) return SAR_E_NOMEM;
    const sar_status status = fill(source, text, length, name);
    if (status == SAR_OK)
        *out = source;
    else
        sar_source_close(source);
    return status;
}

sar_status sar_source_model(sar_source* source, const sar_setting* settings, int count,
                            sar_model** out, sar_options* options, char** messages)
{
    if (out) *out = NULL;
    if (messages) *messages = NULL;
    if (!source || !out || count < 0 || (count > 0 && !settings)) return SAR_E_ARG;
    return sari_reader_read(&source->files, settings, count, sari_usual_limits, out, options,
                            messages);
}

void sar_source_close(sar_source* source)
{
    if (!source) return;
    sari_files_clear(&source->files);
    sari_release(source->text);
    sari_release(source);
}
