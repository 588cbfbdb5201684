/* The text of a model file while it grows. */
#ifndef SARI_IMPORT_WRITE_TEXT_H
#define SARI_IMPORT_WRITE_TEXT_H

#include "import/importer.h"

typedef struct sari_model_text {
    char* text; ///< of sari_allocate
    size_t used, room;
    bool failed;
} sari_model_text;

SARI_PRINTF(2, 3) void sari_text_put(sari_model_text* t, const char* format, ...);
/// As few digits as give the number back, but for rounding in the last place.
void sari_text_number(sari_model_text* t, double x);
void sari_text_numbers(sari_model_text* t, const double* x, int count); ///< [1, 2, 3]
void sari_text_quoted(sari_model_text* t, const char* text);            ///< 'it''s'
/// "rotation: {rpy: [...]}" with ", " before it.
void sari_text_rotation(sari_model_text* t, const double R[9]);
/// A direction in a body: BODY.z, or three numbers.
void sari_text_direction(sari_model_text* t, const char* body, const double u[3]);

#endif
