/* sarrus sensitivity: what its files share. */
#ifndef CLI_SENSITIVITY_COMMAND_H
#define CLI_SENSITIVITY_COMMAND_H

#include "common/inspection.h"

#include "sarrus/sensitivity.h"

/// An entry of the table.
typedef struct cli_derivative {
    double value;
    double error; ///< of the second tolerance, or of differences; NaN: not known
    double check; ///< by differences of whole runs; NaN: not asked for, or not to be had
} cli_derivative;

typedef struct cli_derivatives {
    cli_inspection base;
    cli_words of, by;
    int samples, at_samples, list, check, quick, adjoint;
    const char *plot, *output; ///< paths
    sar_source* source;
    sar_objective* objective; ///< per `of`
    char** expression;        ///< theirs
    double* sample;
    sar_sensitivity* found;
    int rows, parameters;
    double end;
    char* uncertain;   ///< why errors are not known; NULL: they are
    cli_derivative* J; ///< rows x parameters
    double* tolerance; ///< per parameter, as the file has it beside its value; 0: none
    int tolerances;    ///< how many have one
} cli_derivatives;

/// Of 1 % of a parameter, or of 0.01 where that is zero, on all rows of an objective: the largest, and its row.
double cli_derivatives_effect(const cli_derivatives* d, int objective, int parameter, int* row);
/// Parameters that have derivatives, those with the largest effect first. Returns how many. free() the list.
int cli_derivatives_sorted(const cli_derivatives* d, int objective, int** order);
/// What the tolerances of all parameters do to a row together: root of the sum of squares.
double cli_derivatives_band(const cli_derivatives* d, int row);
/// Bars of the effects, or of samples with tolerances curves with their bands, as SVG. 0, or an exit code after a message.
int cli_derivatives_draw(const cli_derivatives* d);

/// Can the file of derivatives be written? 0, or an exit code after a message.
int cli_derivatives_check_output(const cli_derivatives* d);
/// The file of derivatives. 0, or an exit code after a message.
int cli_derivatives_write(const cli_derivatives* d);
/// The report on standard output, or as JSON.
void cli_derivatives_print(const void* derivatives);
void cli_derivatives_json(const void* derivatives, cli_json* j);
void cli_derivatives_put_json(const cli_derivatives* d, FILE* out);

#endif
