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

/// A row of what model files may say of joints and forces: a type (`key` is ""), or a key of one.
/// What it is in planar and in spatial models, one of a few words ("number", "directions", ...)
/// with a "!" where it must be given, a "?" where one of these must; NULL where it does not exist.
typedef struct sar_format_row {
    const char *section, *type, *key;
    const char *planar, *spatial;
    const char* text; ///< for people
} sar_format_row;

/// Row k; 0 after the last.
SAR_API int sar_model_format(int k, sar_format_row* out);

#ifdef __cplusplus
}
#endif
#endif
