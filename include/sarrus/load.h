/// @file load.h
/// Read a model file (YAML, of which JSON is a subset).
#ifndef SARRUS_LOAD_H
#define SARRUS_LOAD_H

#include "sarrus/model.h"
#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `name=value` from outside, over the model's own parameter of that name. The value is an
/// expression.
typedef struct sar_setting {
    const char* name;
    const char* value;
} sar_setting;

/// A model file has at most so many bytes (64 MiB); what is larger is refused. Whoever reads the
/// text himself need not read more than one byte beyond.
enum { SAR_MODEL_BYTES = 64 * 1024 * 1024 };

/// All that is wrong with a file, as text ready to print: one block per error with
/// `file:line:column: error: what`, the line, a caret and a hint. Owned by the caller:
/// sar_text_free. On success `*messages` is NULL or holds warnings. `options` (may be NULL)
/// receives the `method:` section over its present content.
/// @return SAR_OK, SAR_E_MODEL, SAR_E_IO (cannot read the file), SAR_E_NOMEM
SAR_API sar_status sar_model_load(const char* path, const sar_setting* settings, int count,
                                  sar_model** out, sar_options* options, char** messages);

/// The same from memory; `name` stands for the file in messages.
SAR_API sar_status sar_model_parse(const char* text, size_t length, const char* name,
                                   const sar_setting* settings, int count, sar_model** out,
                                   sar_options* options, char** messages);

SAR_API void sar_text_free(char* text);

#ifdef __cplusplus
}
#endif
#endif
