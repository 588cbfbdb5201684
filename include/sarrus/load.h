/// @file load.h
/// Read a model file (YAML, of which JSON is a subset).
#ifndef SARRUS_LOAD_H
#define SARRUS_LOAD_H

#include "sarrus/model.h"
#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `name=value`: replaces the model's parameter of that name. The value is an expression.
typedef struct sar_setting {
    const char* name;
    const char* value;
} sar_setting;

/// Maximum size of a model file (64 MiB); larger ones are refused. A caller that reads the text
/// itself need not read more than one byte beyond.
enum { SAR_MODEL_BYTES = 64 * 1024 * 1024 };

/// Read a model file. `*messages` receives all errors as text ready to print: for each
/// `file:line:column: error: what`, the line, a caret and a hint. On success it is NULL or holds
/// warnings. Release it with sar_text_free. `options` (may be NULL) receives the settings of the
/// `method:` section; others keep their values.
/// @return SAR_OK, SAR_E_MODEL, SAR_E_IO (cannot read the file), SAR_E_NOMEM
SAR_API sar_status sar_model_load(const char* path, const sar_setting* settings, int count,
                                  sar_model** out, sar_options* options, char** messages);

/// The same from memory; `name` is the file name in messages.
SAR_API sar_status sar_model_parse(const char* text, size_t length, const char* name,
                                   const sar_setting* settings, int count, sar_model** out,
                                   sar_options* options, char** messages);

/// A model file that is read once, for many models with other parameters: its text, and those of the
/// files that it uses, are parsed when they are needed first and kept. Not for several threads at once.
typedef struct sar_source sar_source;

/// As sar_model_parse; `text` is copied.
SAR_API sar_status sar_source_open(const char* text, size_t length, const char* name,
                                   sar_source** out);
SAR_API void sar_source_close(sar_source* source);
/// The model with these settings, as sar_model_parse makes it: same numbers, same messages. It does
/// not need the source any more.
SAR_API sar_status sar_source_model(sar_source* source, const sar_setting* settings, int count,
                                    sar_model** out, sar_options* options, char** messages);

/// A number of the model file with a tolerance, `{value: 0.3, tolerance: 1e-4}`: a dimension.
typedef struct sar_dimension {
    const char* name; ///< of the parameter, or of its key with the line
    double value, tolerance;
} sar_dimension;
/// All of them, in the order in which the last model was read; known after sar_source_model. The list belongs to the
/// source, until the next model is read. One number that is read several times (repeated, used twice) is one dimension.
SAR_API int sar_source_dimensions(const sar_source* source, const sar_dimension** list);
/// In models that are made from now on, dimension `which` is changed by this; -1: none is.
SAR_API void sar_source_change(sar_source* source, int which, double change);

/// A number of the model file by its place: `bodies.rod.mass`, `joints.A.point[0]`, `start.A.angle`, `tables.lift.y[3]`;
/// those of files that it uses begin with `FILE:`.
typedef struct sar_number {
    const char* name;
    double
        value; ///< as the file and the settings have it; of one that is read several times, the first
} sar_number;
/// All numbers that a model with these settings is made of, in the order of the files. The list belongs to the source,
/// until the next call.
SAR_API sar_status sar_source_numbers(sar_source* source, const sar_setting* settings, int count,
                                      const sar_number** list, int* numbers);
/// In models that are made from now on, number k of that list is larger by this; 0: it is as it was.
SAR_API sar_status sar_source_change_number(sar_source* source, int k, double change);
/// The number of this name; `L` stands for `parameters.L`. -1: there is none.
SAR_API int sar_source_find_number(const sar_source* source, const char* name);

SAR_API void sar_text_free(char* text);

/// A YAML text as JSON, for programs without a reader of their own; `name` is the file name in messages. Every scalar is a
/// string, as it is written. `*messages` receives what is wrong, as by sar_model_load; both are released with sar_text_free.
/// @return SAR_OK, SAR_E_MODEL, SAR_E_NOMEM
SAR_API sar_status sar_yaml_json(const char* text, size_t length, const char* name, char** json,
                                 char** messages);

/// A row of the format of joints, gears, drives, constraints, states and forces in model files: a type (`key` is ""), or a key of a
/// type. `planar` and `spatial` say what it is in such models: a word ("number", "directions", ...)
/// with "!" if it is required, "?" if one of these keys is required; NULL if it does not exist.
typedef struct sar_format_row {
    const char *section, *type, *key;
    const char *planar, *spatial;
    const char* text; ///< for users
} sar_format_row;

/// Row k into *out: 1, or 0 after the last row.
SAR_API int sar_model_format(int k, sar_format_row* out);

#ifdef __cplusplus
}
#endif
#endif
