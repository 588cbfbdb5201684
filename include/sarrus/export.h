/// @file export.h
/// Models as robot files: what URDF and MJCF can say of them, and a list of what they cannot.
#ifndef SARRUS_EXPORT_H
#define SARRUS_EXPORT_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sar_robot_format {
    SAR_ROBOT_URDF, ///< loops as <loop_joint>
    SAR_ROBOT_MJCF  ///< loops as <equality>
} sar_robot_format;

/// The mechanism of an assembled simulation, as it stands now: bodies, masses, joints and loops, limits, springs, friction,
/// motors, joints that follow others. Joint coordinates are zero there. `*text` is the robot file, `*left_out` a line for each thing that it does not hold, NULL if it
/// holds everything. Release both with sar_text_free. SAR_E_ARG: not assembled.
SAR_API sar_status sar_robot_write(sar_simulation* s, sar_robot_format format, char** text,
                                   char** left_out);

#ifdef __cplusplus
}
#endif
#endif
