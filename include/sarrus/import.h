/// @file import.h
/// Robot files as model files: URDF, SDFormat and MJCF.
///
/// sar_model_load, sar_model_parse and sar_source_open take the text of a robot file as they take that of a model file.
/// What is here is for those who want to see, keep or change the model in between.
#ifndef SARRUS_IMPORT_H
#define SARRUS_IMPORT_H

#include "sarrus/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a robot file is read. All NULL, or no options at all: as usual.
typedef struct sar_import_options {
    /// A file with loops or couplings that the robot file cannot hold. NULL: files that lie beside it under the names
    /// in use (docs/robot-files.md) are taken.
    const char* loops;
    /// Folders in which package:// and model:// are looked for, with ':' between them. NULL: those of the environment
    /// (SARRUS_PACKAGE_PATH, ROS_PACKAGE_PATH, GZ_SIM_RESOURCE_PATH). The folders above the file are searched anyway.
    const char* packages;
    /// Where the model file will be: paths of meshes are written so that they hold there. NULL: beside the robot file.
    const char* output;
} sar_import_options;

/// Is it the text of a robot file? Anything that begins as XML does.
SAR_API int sar_import_is_robot(const char* text, size_t length);

/// The model file that a robot file stands for, in `*model`: one element a line, names kept as far as names of models
/// allow. `path` is where the text comes from: files that it names are found from there.
/// `*messages` receives, ready to print, all errors as `file:line:column: error: what`, or what was decided and changed,
/// by kind, with counts and the first line of each. It is NULL if there is nothing to say.
/// Release both with sar_text_free.
/// @return SAR_OK, SAR_E_MODEL, SAR_E_NOMEM
SAR_API sar_status sar_import_text(const char* text, size_t length, const char* path,
                                   const sar_import_options* options, char** model,
                                   char** messages);

#ifdef __cplusplus
}
#endif
#endif
