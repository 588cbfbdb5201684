/* The command draw: what was asked for, and what there is of it. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "common/method.h"
#include "pictures/projection.h"
#include "pictures/scene.h"

typedef struct cli_draw_request {
    cli_method method;
    cli_settings settings;
    const char *output, *eye, *labels, *title, *model, *forces;
    cli_words traces, clearances;
    double* times;
    int count;
    int centers, moves;
    double seconds; ///< of a moving picture; 0: as long as the motion, within limits
    int width;
} cli_draw_request;

typedef struct cli_draw_job {
    cli_draw_request want;
    cli_scene scene;
    cli_sheet sheet;
    cli_eye eye;
    double* poses; ///< of all bodies at one time
} cli_draw_job;

/// Is each word of the list a kind of arrows?
int cli_arrows_check(const char* list);
/// The forces that were asked for; returns a note on their scale, to be freed.
char* cli_arrows_draw(cli_draw_job* j);
/// The nearest points of two bodies, "A,B", where they are in j->poses. 0, or the exit code after a message.
int cli_clearance_draw(cli_draw_job* j, const char* between, int frame);

#endif
