/// @file sarrus.h
/// All of Sarrus. A pendulum in twenty lines:
///
///     sar_model* m = sar_model_create("pendulum", 2);
///     sar_model_set_gravity(m, (double[3]){0, -9.81, 0});
///     sar_body_def bob = sar_body_def_default();
///     bob.name = "bob", bob.mass = 1, bob.center[0] = 1;
///     bob.has_position = bob.has_rotation = 1;
///     sar_body_id b;
///     sar_model_add_body(m, &bob, &b, NULL);
///     sar_joint_def pin = sar_joint_def_default();
///     pin.name = "pin", pin.b.body = b;
///     sar_model_add_joint(m, &pin, NULL, NULL);
///     sar_options o = sar_options_default();
///     sar_simulation* s;
///     sar_simulation_create(m, &o, &s, NULL);
///     sar_simulation_assemble(s, NULL);
///     while (!sar_simulation_done(s) && sar_simulation_advance(s) == SAR_OK) {
///         double r[3], quat[4];
///         sar_simulation_pose(s, b, r, quat);
///     }
///     sar_simulation_destroy(s), sar_model_destroy(m);
#ifndef SARRUS_SARRUS_H
#define SARRUS_SARRUS_H

#include "sarrus/analysis.h"
#include "sarrus/atlas.h"
#include "sarrus/base.h"
#include "sarrus/batch.h"
#include "sarrus/certificate.h"
#include "sarrus/compliant.h"
#include "sarrus/drawing.h"
#include "sarrus/energy.h"
#include "sarrus/equations.h"
#include "sarrus/export.h"
#include "sarrus/fit.h"
#include "sarrus/fmu.h"
#include "sarrus/forces.h"
#include "sarrus/import.h"
#include "sarrus/load.h"
#include "sarrus/magic_formula.h"
#include "sarrus/mechanism.h"
#include "sarrus/methods.h"
#include "sarrus/model.h"
#include "sarrus/motion.h"
#include "sarrus/optimisation.h"
#include "sarrus/options.h"
#include "sarrus/plugin.h"
#include "sarrus/pose.h"
#include "sarrus/quantities.h"
#include "sarrus/result.h"
#include "sarrus/run.h"
#include "sarrus/sensitivity.h"
#include "sarrus/shape.h"
#include "sarrus/simulation.h"
#include "sarrus/trial.h"
#include "sarrus/tune.h"

#endif
