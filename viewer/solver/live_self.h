/* What the files of the solver share: the model that runs, and how it begins. */
#ifndef LIVE_SELF_H
#define LIVE_SELF_H

#include "sarrus/sarrus.h"

typedef struct live {
    char *text, *name, *settings; ///< of the model
    char* options;                ///< of the run
    double* starts;               ///< of the run; NULL: the model's
    sar_source* source;
    sar_model* model;
    sar_options model_options, run_options;
    sar_simulation* simulation;
    sar_drawing* drawing;
    sar_assembly assembly;
    char *messages, *failure;
    char *scene, *status, *certificate;
    double energy; ///< at the start
    double next;   ///< time of the next frame
    double* frames;
    int frame_count, frame_room, width;
    int inputs; ///< of the model itself; three more are the pointer's
    int dragged;
    int ended;
} live;

extern live live_self;

/// Keep a copy of the text; NULL: none.
void live_replace(char** text, const char* by);
/// 1, with what is wrong in live_said().
int live_fail(const char* text);
void live_close_run(void);
/// Options of a run, "name=value" lines over those of the model.
int live_apply_options(const char* text, sar_options* out);
void live_set_starts(sar_model* model, const double* starts);
/// A simulation, assembled.
int live_create(const sar_model* model, const sar_options* options, sar_simulation** out,
                sar_assembly* report);
/// Columns of a frame behind the poses: outputs, then what sar_quantities list for joints, forces and the run.
typedef void live_visitor(void* context, const char* name, const char* unit);
void live_visit_columns(live_visitor* visit, void* context);

#endif
