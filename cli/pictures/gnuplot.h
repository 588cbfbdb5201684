/* A picture by gnuplot: SVG, PNG or PDF by the ending of its file. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include <signal.h>
#include <stdio.h>

typedef struct cli_gnuplot {
    FILE* to; ///< commands go here
    const char* path;
    struct sigaction before;
} cli_gnuplot;

/// Everything that can be known to be wrong before there is anything to draw: the ending, gnuplot,
/// the folder. 0; or CLI_USAGE, CLI_FAILED after a message on stderr.
int cli_gnuplot_check(const char* path);

/// 0; or -1 after a message on stderr (no gnuplot, no such folder, ...), which is no reason to
/// stop.
int cli_gnuplot_open(cli_gnuplot* g, const char* path);
int cli_gnuplot_close(cli_gnuplot* g); ///< likewise; a picture is complete, or as it was before

/// Size of the picture [pixels], fonts, encoding.
void cli_gnuplot_terminal(FILE* to, const char* path, int width, int height);
/// A size of letters [pixels] in the units of the picture.
int cli_gnuplot_size(const char* path, int pixels);
/// Text in quotes in which nothing is a command.
void cli_gnuplot_text(FILE* to, const char* text);

#endif
