/* Whether what is stiff limits the explicit steps of a large model, as far as its start shows. */
#ifndef SARI_STIFF_START_H
#define SARI_STIFF_START_H

#include "sarrus/simulation.h"

/// In the coordinates and the formulation of `options`. `product`: h rho of the explicit steps, where
/// rho is the spectral radius of the rates' slopes. The same answer every time.
int sari_stiff_start(const sar_model* model, const sar_options* options, double* product);

#endif
