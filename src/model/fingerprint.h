/* Is a model the one that a saved state belongs to? */
#ifndef SARI_FINGERPRINT_H
#define SARI_FINGERPRINT_H

#include "sarrus/model.h"

#include <stdint.h>

/// Of all that a motion depends on, and of the names: the same on every machine and in every build.
uint64_t sari_model_fingerprint(const sar_model* model);
/// Of its forces alone; not of the scalars that they act along.
uint64_t sari_forces_fingerprint(const sar_model* model);

#endif
