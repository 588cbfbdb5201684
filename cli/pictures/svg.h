/* Line plots as SVG inside a web page: no program, no file, no network. */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdio.h>

typedef struct cli_svg_series {
    const char* name; ///< shown when pointed at, and in the legend
    int n;
    const double *x, *y; ///< what cannot be shown leaves a gap
    int style;           ///< colour and dashes; -1: grey and wide, something to compare with
    int points;          ///< mark them
    double pale;         ///< 0: the full colour; towards 1: paler
    int tag;             ///< write the name at the last point
} cli_svg_series;

typedef struct cli_svg_plot {
    const char *title, *xlabel, *ylabel;
    int log_x, log_y;  ///< 1: decades; 0: linear
    int width, height; ///< [pixels]
    int true_scale;    ///< the same for x and y; linear axes
    int legend;
    const cli_svg_series* series;
    int count;
} cli_svg_plot;

/// Text with what HTML would take for markup made harmless.
void cli_put_html(FILE* out, const char* text);
void cli_svg_write(FILE* out, const cli_svg_plot* plot);
/// With its legend [pixels].
int cli_svg_height(const cli_svg_plot* plot);

/// The colour of a style, "#rrggbb".
const char* cli_svg_colour(int style);
/// Begin a file of its own for plots; end it by "</svg>".
void cli_svg_begin(FILE* out, int width, int height);

#endif
