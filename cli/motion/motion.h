/* A motion prescribed by drives, as sarrus kinematics and sarrus inverse find it. */
#ifndef CLI_MOTION_H
#define CLI_MOTION_H

#include "common/command.h"
#include "common/files/model_file.h"
#include "common/files/rows.h"
#include "common/method.h"

#include "sarrus/motion.h"

typedef struct cli_motion_request {
    const cli_command* command;
    int inverse; ///< forces too
    cli_method method;
    cli_settings settings;
    const char* output;
    const char* along; ///< a curve of the map; NULL: by drives
    int reactions, json, quiet;
    char* command_line;
} cli_motion_request;

/// What a drive had to do in all rows.
typedef struct cli_effort {
    int joint;
    int is_torque;
    double largest, at; ///< force, and when
    double least, most; ///< power
    double work, power; ///< done, by the trapezoidal rule; power of the last row
} cli_effort;

typedef struct cli_motion {
    cli_motion_request want;
    cli_model_file file;
    sar_options options;
    sar_motion* motion;
    sar_assembly assembly;
    int assembled;
    sar_determinacy determinacy;
    const char* status;
    char* failure;
    cli_words warnings, columns; ///< names of the columns behind the time
    double* row;
    cli_effort* efforts; ///< of the drives
    int efforts_count;
    cli_rows to;
    long rows, skipped;
    int incomplete; ///< rows could not be written
    double reached;
    sar_violation violation; ///< largest
    double seconds;
} cli_motion;

/// What came of it, as JSON and in words on standard output, and errors on standard error.
void cli_motion_json(const cli_motion* j, const char* name);
void cli_motion_print(const cli_motion* j, int outcome);
void cli_motion_say_failure(const cli_motion* j, int outcome);

/// Sample a curve of the map: values of joints and outputs (along.c). The exit code.
int cli_motion_along(cli_motion* j, const char* name);

#endif
