/* Line plots through gnuplot: one column of panels over a common x axis, as SVG or PNG. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "pictures/sheet.h"

typedef struct cli_series {
    const char* name; ///< in the legend; NULL: none
    int n;
    const double* x;
    const double* y;    ///< what is not finite leaves a gap
    const double* band; ///< y may be off by this; NULL: no band
    double solid;       ///< dashed beyond this x; 0: solid everywhere
    int area;           ///< the band is what is shown
    int sum;            ///< of areas: a black line
} cli_series;

typedef struct cli_panel {
    const char* ylabel;
    const char* xlabel; ///< NULL: over the common x; such panels come after all others
    int equal;          ///< x and y to the same scale
    int logscale;       ///< of y; what is not positive leaves a gap
    const cli_series* series;
    int count;
} cli_panel;

typedef struct cli_plot {
    const char* title; ///< may be NULL, like every text here
    const char* xlabel;
    cli_sheet* picture; ///< above the panels; NULL: none
    const cli_panel* panels;
    int count;
    const double* markers; ///< vertical lines at these x, through all panels
    int marker_count;
    const char* marker_name; ///< what they mean, in the legend of the first panel
    int xlog;                ///< x is positive and on a logarithmic line
    int points;              ///< a dot at each point of a curve
} cli_plot;

/// Write the plot to `path`, whose ending (.svg or .png) says how. Returns 0; or -1 after a message
/// on stderr (no gnuplot, no such folder, ...), which is no reason to stop.
int cli_plot_lines(const char* path, const cli_plot* p);

#endif
