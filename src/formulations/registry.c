#include "formulations/formulation.h"

const sari_formulation_ops* const sari_formulations[] = {&sari_formulation_al3, NULL};
