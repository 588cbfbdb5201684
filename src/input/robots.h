/* Robot files in the place of model files: the reader sees the model file that they stand for. */
#ifndef SARI_ROBOTS_H
#define SARI_ROBOTS_H

#include "sarrus/load.h"

/// As sar_model_parse, for the text of a robot file.
sar_status sari_parse_robot(const char* text, size_t length, const char* name,
                            const sar_setting* settings, int count, sar_model** out,
                            sar_options* options, char** messages);
/// The name under which messages speak of a model that was imported from `name`; sari_release it.
char* sari_robot_model_name(const char* name);
/// `first` and `second`, of which any may be NULL, in one text. Both are given away. NULL: nothing, or no memory.
char* sari_join_texts(char* first, char* second);

#endif
