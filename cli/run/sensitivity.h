/* --certify start: what the end of a motion depends on. Every parameter and every start condition of
 * the model is changed a little, to both sides:
 *
 *     dy/dp = (y(p + d) - y(p - d)) / (2 d)          for the outputs y at the end
 *
 * by the method of the reference run, whose errors are far below these differences. Where one side has no
 * motion (a negative mass), the other one is compared with the motion itself. */
#ifndef CLI_SENSITIVITY_H
#define CLI_SENSITIVITY_H

#include "common/files/json.h"
#include "common/files/model_file.h"

#include "sarrus/simulation.h"

#include <stdio.h>

typedef struct cli_sensitivity {
    char* name;
    int is_start; ///< a start condition, not a parameter
    double value;
    char unit[16];  ///< "": not known
    double percent; ///< what counts as one: 0.01 of its value, or of a scale if that is zero
    double* rates;  ///< dy/dp of every output; NaN: such a model cannot be run
    double effect;  ///< of one percent: largest change of an output, as a part of its range
    int abrupt;     ///< however small the change, the motion is another one
    int output;     ///< that changes most; -1: none is known
} cli_sensitivity;

typedef struct cli_sensitivities {
    const sar_model* model;
    cli_sensitivity* items; ///< the largest effect first
    int count;
    int left_out; ///< there are more than it looks at
} cli_sensitivities;

typedef struct cli_sensitivity_def {
    const cli_model_file* file;
    const cli_settings* settings;
    const sar_options* options; ///< of the run
    int coordinates;            ///< of it
    double size;                ///< of the model [m]
} cli_sensitivity_def;

/// NULL: the motion cannot be computed by other means, or was interrupted.
cli_sensitivities* cli_sensitivities_find(const cli_sensitivity_def* def);
void cli_sensitivities_free(cli_sensitivities* s);
void cli_sensitivities_print(const cli_sensitivities* s, FILE* out);
void cli_sensitivities_json(const cli_sensitivities* s, cli_json* j);

#endif
