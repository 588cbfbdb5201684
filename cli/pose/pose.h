/* sarrus pose: what is asked for and found, and how it is reported. */
#ifndef CLI_POSE_H
#define CLI_POSE_H

#include "common/inspection.h"

#include "sarrus/pose.h"

typedef struct pose_task {
    cli_inspection base;
    cli_words asked[4]; ///< by role: texts of --want, --keep, --prefer, --limit
    const char* table;  ///< NULL: none
    const char* output;
    int starts;
    cli_words names; ///< expressions of the rows
    sar_pose_row* rows;
    int count;
    sar_pose* pose;
    sar_pose_report report;
    int columns, lines; ///< of the table
    int* column;        ///< per column: which row
    double *values, *shown;
    sar_pose_report* reports;
    int missed;      ///< lines of the table that miss something
    int interrupted; ///< and there are more than `lines` of them
} pose_task;

/* table.c */
int pose_read_table(pose_task* task);  ///< 0, or the exit code after a message
int pose_solve_table(pose_task* task); ///< likewise
void pose_print_table(const pose_task* task);
void pose_json_table(const pose_task* task, cli_json* j);

/* write.c */
int pose_write(const pose_task* task); ///< to --output; 0, or the exit code after a message

#endif
