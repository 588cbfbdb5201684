/* The mechanism as lines at some times: every joint tied to the centres of its two bodies. */
#ifndef CLI_SKETCH_H
#define CLI_SKETCH_H

#include "sarrus/simulation.h"

typedef struct cli_sketch {
    double interval; ///< [s] between the drawings
    int count;       ///< of drawings
    int each;        ///< points of a drawing; those that are NaN separate lines
    double* t;       ///< when they were drawn [s]
    double *x, *y;   ///< drawing k begins at k * each [m]
} cli_sketch;

/// Draw the present position if it is time. The first is at the first call.
void cli_sketch_take(cli_sketch* sketch, const sar_model* model, const sar_simulation* s);
void cli_sketch_clear(cli_sketch* sketch);

#endif
