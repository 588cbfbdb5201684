/* The solver of a live page: one model that runs, in a worker of the browser or anywhere else. Texts and lists are JSON, so
 * that the page needs no structures; numbers of frames are arrays. Functions that return an int give 0, or 1 with what is wrong in
 * live_said(). */
#ifndef LIVE_H
#define LIVE_H

#include <stddef.h>

/// Read a model. `settings`: "name=value" lines for its parameters.
int live_open(const char* text, const char* name, const char* settings);
/// Errors with their lines, warnings, or why a run stopped. Never NULL.
const char* live_said(void);

/// Begin: `options` are "name=value" lines as of `sarrus run` (preset, tolerance, end, ...), `starts` the start conditions, one number
/// for each, or NULL for the model's. The drawing sees the first part of the motion, for at most `preview` seconds of computing.
int live_start(const char* options, const double* starts, double preview);
/// What there is to show and to set: model, marks, columns, parameters, inputs, starts, methods.
const char* live_scene(void);

/// Go on to the time `until`, for at most `seconds` of computing, or by one step. Frames are kept every `interval` of time. 1: it has
/// ended or failed, see live_status.
int live_advance(double until, double seconds, double interval, int one_step);
int live_width(
    void); ///< numbers of a frame: time, seven for every body (x y z, quaternion x y z w), columns
int live_frames(void);         ///< since the last live_take
const double* live_take(void); ///< all of them, row after row, until the next call
/// Time, steps, status, failure, passages, energies.
const char* live_status(void);

void live_set_input(int input, double value);
/// A spring from a point of a body (its own axes) to the pointer. It pulls with about three times the weight of all at half the size of the
/// model, and is damped. Body 0: let go. Then, while it runs, where the pointer is. At rest (`paused`) the mechanism is moved there
/// itself, as far as its joints allow.
int live_drag(int body, const double point[3]);
void live_drag_to(const double place[3]);
int live_pose_to(int body, const double point[3], const double place[3]);

/// Run to `end` again, undisturbed, beside a reference run: how far it can be trusted.
const char* live_certify(const char* options, const double* starts, double end, int rows);

#endif
