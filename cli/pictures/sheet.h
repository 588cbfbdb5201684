/* A sheet of paper: flat figures with a depth, in metres. What is nearer covers what is farther.
 * Written as SVG, or through gnuplot as PNG or PDF. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include <stdio.h>

enum { CLI_NO_COLOUR = -1 };

typedef struct cli_figure {
    double depth; ///< towards the eye
    int order;    ///< of those with the same depth; set when it is added
    int n;
    double (*points)[2];
    int closed;
    long fill, stroke; ///< 0xRRGGBB or CLI_NO_COLOUR
    double width;      ///< of the stroke [pixels]
    double alpha;      ///< 1: opaque
    int dashed;
    char* text; ///< at the only point, which is its middle; NULL: a figure
    int frame;  ///< of a moving picture; -1: in all of them
} cli_figure;

typedef struct cli_sheet {
    cli_figure* figures;
    int count, capacity;
    double least[2], most[2]; ///< what has to be seen [m]
    int begun;
    int width;  ///< [pixels]
    int height; ///< at most [pixels]; 0: as usual
    int frames; ///< of a moving picture; 0: it stands still
    double seconds;
    char *title, *note; ///< top left and right; NULL: none
} cli_sheet;

/// Add a figure; points are copied. Figures of the background do not widen the sheet.
cli_figure* cli_sheet_add(cli_sheet* sheet, cli_figure figure, const double (*points)[2]);
void cli_sheet_text(cli_sheet* sheet, const double at[2], double depth, const char* text);
void cli_sheet_clear(cli_sheet* sheet);

/// The convex hull of the points in place; returns how many are left.
int cli_hull(double (*points)[2], int n);

/// How high it is [pixels].
int cli_sheet_height(const cli_sheet* sheet);
/// Its figures as objects of a gnuplot script whose axes are pixels from the lower left; `size` is
/// that of letters.
void cli_sheet_put(cli_sheet* sheet, FILE* to, int size);
/// Its figures as SVG, without the head and the scale.
void cli_sheet_put_svg(cli_sheet* sheet, FILE* out);
/// By the ending of `path`. 0, or -1 after a message.
int cli_sheet_write(cli_sheet* sheet, const char* path);

#endif
