/* sarrus modes: what is asked for and found, and how it is reported. */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "common/inspection.h"

#include "sarrus/analysis.h"

typedef struct modes_task {
    cli_inspection base;
    const char* at; ///< NULL: the start
    double time;    ///< of `at`, if it is one
    char* vary;     ///< the parameter of --vary; NULL: none
    double from, to;
    int points;
    cli_words outputs; ///< files to write
    int moved;         ///< to a steady motion near the start
    sar_modes* modes;
    sar_modes_scan* scan;
    sar_modes_summary summary;
} modes_task;

const char* modes_verdict(const sar_modes_summary* summary);
void modes_print(const void* self);             ///< a modes_task
void modes_json(const void* self, cli_json* j); ///< likewise

/* state_space.c */
int modes_write_state_space(
    const modes_task* task); ///< to the files of --output; 0, or the exit code

/* vary.c */
int modes_read_vary(modes_task* task, const char* value); ///< 0, or CLI_USAGE after a message
int modes_scan(modes_task* task);                         ///< the exit code; the model is open
void modes_print_scan(const modes_task* task);
void modes_json_scan(const modes_task* task, cli_json* j);

#endif
