/* Formulations and integrators of plug-ins as members of their axes. */
#ifndef SARI_PLUGINS_H
#define SARI_PLUGINS_H

#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "sarrus/plugin.h"

enum { SARI_PLUGGED = 8 }; ///< members of plug-ins on an axis

/// A table for a member of a plug-in; NULL: there are too many.
const sari_formulation_ops* sari_plug_formulation(const sar_plugin_formulation* plugin);
const sari_integrator_ops* sari_plug_integrator(const sar_plugin_integrator* plugin);

#endif
