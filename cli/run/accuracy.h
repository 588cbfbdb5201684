/* --accuracy: repeat a run with smaller tolerances until the certificate meets what is wanted. */
#ifndef CLI_ACCURACY_H
#define CLI_ACCURACY_H

#include "common/files/json.h"

#include "sarrus/certificate.h"

#include <stdio.h>

typedef struct cli_accuracy {
    double wanted;    ///< part of an output's range; 0: nothing is
    double tolerance; ///< of the present run
    int runs;
    int reached;
} cli_accuracy;

cli_accuracy cli_accuracy_begin(double wanted);
/// After a run: 1 and a smaller tolerance, or 0: it is reached, or cannot be. `c` NULL: there is no
/// certificate.
int cli_accuracy_again(cli_accuracy* a, const sar_certificate* c);
void cli_accuracy_print(const cli_accuracy* a, const sar_certificate* c, FILE* out);
void cli_accuracy_json(const cli_accuracy* a, cli_json* j);

#endif
