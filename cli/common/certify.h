/* Certificates of runs: --certify and --accuracy. */
#ifndef CLI_CERTIFY_H
#define CLI_CERTIFY_H

#define CLI_CERTIFY_TEXT                                                                           \
    "run reference runs too, which takes some times as long, and add columns: estimate, the "      \
    "largest "                                                                                     \
    "error of a run as a part of an output's range, and trusted, the time until which errors are " \
    "below ACCURACY (default 0.01)"

/// A part of a range; `words` say what else may stand there. 0, or CLI_USAGE after a message.
int cli_accuracy_read(const char* command, const char* option, const char* value, const char* words,
                      double* accuracy);
/// In tables: "1e-3" or nothing: an accuracy between 0 and 1. 0, or CLI_USAGE after a message.
int cli_certify_read(const char* command, const char* value, double* accuracy);

#endif
