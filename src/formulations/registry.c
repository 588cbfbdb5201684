#include "formulations/formulation.h"

#define ROW(name) &sari_formulation_##name,
const sari_formulation_ops* const sari_formulations[] = {SARI_FORMULATION_LIST(ROW) NULL};
