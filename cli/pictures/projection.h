/* The marks of a drawing, seen from some direction, as flat figures. */
#ifndef CLI_PROJECTION_H
#define CLI_PROJECTION_H

#include "pictures/sheet.h"

#include "sarrus/drawing.h"

/// Directions of the picture in the world: to the right, upwards, towards the eye.
typedef struct cli_eye {
    double right[3], up[3], out[3];
} cli_eye;

/// Words that cli_eye_of knows, for messages.
#define CLI_EYES "front, back, left, right, top, bottom, iso, or AZIMUTH,ELEVATION in degrees"

/// By word or angles; NULL: the usual one. 0, or -1 if `text` is neither.
int cli_eye_of(const char* text, const sar_drawing* drawing, int dimension, cli_eye* eye);

typedef struct cli_view {
    cli_eye eye;
    double alpha;      ///< of bodies: several times in one picture
    int frame;         ///< of a moving picture, or -1
    int fixed, moving; ///< which marks: those of the ground, those of other bodies
    int centers;       ///< of mass are shown
} cli_view;

/// 0xRRGGBB of a body.
long cli_body_colour(int body);
/// Where a point of a body is, given the poses of all.
void cli_place(const double* poses, int body, const double point[3], double out[3]);
void cli_project(const cli_eye* eye, const double place[3], double flat[2], double* depth);
void cli_show_marks(cli_sheet* sheet, const sar_drawing* drawing, const double* poses,
                    const cli_view* view);

#endif
