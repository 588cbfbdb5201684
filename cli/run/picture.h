/* The pictures that commands draw: which curves, in which panels. plot.h does the drawing. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "run/record.h"
#include "run/report.h"

#include "sarrus/result.h"

/// Are these pairs "X:Y" of outputs? 0, or an exit code after a message.
int cli_picture_check(const sar_model* model, const cli_words* pairs);
/// The mechanism at the start, the kept outputs over time and the energy drift, with the singular
/// passages marked, and the pairs of outputs over each other. 0, or -1 after a message.
int cli_picture_run(const cli_record* record, const cli_report* report, const cli_words* pairs,
                    const char* path);

/// The named columns of both results over each other, and how far they are apart. Curves are
/// labelled by the files they come from.
int cli_picture_compare(const sar_result* const results[2], const char* const files[2],
                        const char* const* names, int count, const char* path);

#endif
