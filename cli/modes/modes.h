/* sarrus modes: what is asked for and found, and how it is told. */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "common/inspection.h"

#include "sarrus/analysis.h"

typedef struct modes_task {
    cli_inspection base;
    const char* at; ///< NULL: the start
    double time;    ///< of `at`, if it is one
    sar_modes* modes;
    sar_modes_summary summary;
} modes_task;

const char* modes_verdict(const sar_modes_summary* summary);
void modes_tell(const void* self);      ///< a modes_task
void modes_tell_json(const void* self); ///< likewise

#endif
