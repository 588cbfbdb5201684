/* A mechanism and its motion: a model and the poses of its bodies over time, from a result file or
 * from a run of the model. */
#ifndef CLI_SCENE_H
#define CLI_SCENE_H

#include "common/files/model_file.h"

#include "sarrus/drawing.h"
#include "sarrus/result.h"

typedef struct cli_scene {
    const char* name;    ///< the file or model that was asked for
    const char* label;   ///< of its curves; NULL: the name of the file
    cli_model_file file; ///< model NULL: the result keeps none
    sar_result* result;  ///< NULL: from a run
    int bodies, rows;    ///< rows 0: the poses are not known
    double* time;
    int* from;         ///< the row of the result that each of them is; NULL: the same
    double* poses;     ///< rows times bodies times SAR_POSE
    int keeps_actions; ///< wanted, before it is read or run
    double* actions;   ///< rows times the forces of all joints, then of all forces, on bodies [N]
    sar_drawing* drawing;
    char* note; ///< what is shown, if it is a mode; NULL: a motion
} cli_scene;

static const double CLI_AMPLITUDE = 0.15; ///< of modes, unless told

/// Is it the name of a result file?
int cli_scene_is_result(const char* name);

/// Read a result with whatever it holds: `file.model` is NULL if it keeps no model, `rows` is 0 if
/// it has no poses. `model` (may be NULL) is a model to take in place of its own. 0, or an exit
/// code after a message.
int cli_scene_read(cli_scene* scene, const char* path, const char* model,
                   const cli_settings* settings, const char* command);
/// A message about what is missing for a picture, and the exit code; 0: nothing.
int cli_scene_refuse(const cli_scene* scene, const char* command);

/// Run the model that `file` holds to the time `until` (at least its start) and keep the poses. 0,
/// or an exit code after a message.
int cli_scene_run(cli_scene* scene, const sar_options* options, double until, const char* command);

/// One period of mode `mode` (from 1) about the start, or with the option `equilibrium` about that near it. The fastest body
/// moves by `amplitude` in sizes or radians. 0, or an exit code after a message. (mode_scene.c)
int cli_scene_mode(cli_scene* scene, const sar_options* options, int mode, double amplitude,
                   const char* command);

/// Make the drawing. 0, or an exit code after a message.
int cli_scene_draw(cli_scene* scene, const char* command);
/// Poses of all bodies at a time, between rows interpolated; into poses[bodies * SAR_POSE].
void cli_scene_poses(const cli_scene* scene, double t, double* poses);
/// The force of a joint (its reaction, on the second body) or, from sar_model_joints() on, of a force
/// of the model, at a time; NaN: not known.
void cli_scene_action(const cli_scene* scene, double t, int which, double force[3]);
void cli_scene_clear(cli_scene* scene);

#endif
