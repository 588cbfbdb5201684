/* sarrus bench: the studies that were asked for, the runs of their rows, and the ways to tell them.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "text.h"

#include "sarrus/study.h"

typedef struct cli_bench_row {
    const sar_study_row* row;
    int number;   ///< in the study, from 1
    int wanted;   ///< not filtered out
    int measured; ///< `trial` holds a run
    int runs;     ///< that the time is the least of
    sar_options options;
    sar_trial trial;
    sar_result* history;
    sar_result* reference; ///< NULL: none
    sar_verdict verdict;
    char reason[600];
} cli_bench_row;

typedef struct cli_bench_study {
    sar_study* study;
    const sar_study_head* head;
    int others; ///< published results without a run
    cli_bench_row* rows;
    int count;
} cli_bench_study;

typedef struct cli_bench {
    cli_bench_study* studies;
    int count;
    int repeat; ///< runs per row; 0: as many as a short while allows
    int quiet;  ///< no progress
} cli_bench;

/* bench_find.c: which studies */

/// The studies that `name` means: one study, all of a group, or a problem's published rows.
/// 0, or an exit code after a message.
int cli_bench_find(cli_bench* bench, const char* name);
/// What there is to ask for.
int cli_bench_list(void);
/// Keep the rows that `filter` names: "1,3-5,al3". 0, or CLI_USAGE after a message.
int cli_bench_filter(cli_bench* bench, const char* filter);
void cli_bench_clear(cli_bench* bench);

/* bench_row.c: one run */

/// 0, or an exit code after a message. Interrupted: the row's verdict says so.
int cli_bench_run(const cli_bench* bench, cli_bench_row* row, const cli_bench_study* study);

/* what all ways of telling share: bench_words.c */

typedef enum cli_bench_measure { CLI_BENCH_ENERGY, CLI_BENCH_ERROR } cli_bench_measure;

/// What the rows of a study are judged by.
cli_bench_measure cli_bench_judged_by(const cli_bench_study* study);
double cli_bench_limit(const cli_bench_row* row, cli_bench_measure measure);
double cli_bench_value(const cli_bench_row* row, cli_bench_measure measure);
double cli_bench_published(const cli_bench_row* row, cli_bench_measure measure);
/// The limit that all rows share, else NaN.
double cli_bench_common_limit(const cli_bench_study* study, cli_bench_measure measure);
/// How many times faster than published; NaN when one of both is missing.
double cli_bench_ratio(const cli_bench_row* row);

/// "h 1e-3 alpha 1e9": the numbers of a method. To be freed.
char* cli_bench_parameters(const sar_study_row* row);
/// "preset=ALi3p step=1e-3": all options as given. To be freed.
char* cli_bench_method(const sar_study_row* row);
/// 2.5e-3 rather than 2.50e-03 or 0.0025, with up to `digits`; "" for NaN.
const char* cli_bench_number(double value, int digits, char* buffer, size_t size);
/// The remarks, choices and reasons of a study, each once: texts[k] and the rows it is about.
void cli_bench_notes(const cli_bench_study* study, cli_words* texts, cli_words* rows);
/// The verdict, with what is missing where the method is not available.
void cli_bench_put_verdict(const cli_bench_row* row, FILE* out);
/// "5 rows: 3 pass, 1 fails (published: passes), ...". To be freed.
char* cli_bench_summary(const cli_bench_study* studies, int count);
/// What the processor calls itself. To be freed.
char* cli_machine(void);

/// Which columns a table of the study needs.
typedef struct cli_bench_layout {
    int label, parameters; ///< widths
    cli_bench_measure measure;
    int published;   ///< published values of the measure
    int each_limit;  ///< rows differ in their limits
    int extra_error; ///< eps_T beside the energy drift
    int steps;       ///< times per step, else of runs
    int times;       ///< published times
} cli_bench_layout;

cli_bench_layout cli_bench_layout_of(const cli_bench_study* study);

/* bench_table.c, bench_files.c, bench_html.c: the ways of telling */

void cli_bench_table_begin(const cli_bench_layout* layout, const cli_bench_study* study, FILE* out);
void cli_bench_table_row(const cli_bench_layout* layout, const cli_bench_row* row, FILE* out);
void cli_bench_table_end(const cli_bench_study* study, FILE* out);

void cli_bench_json(const cli_bench* bench, FILE* out);
int cli_bench_csv(const cli_bench* bench, const char* path);  ///< 0, or -1 after a message
int cli_bench_html(const cli_bench* bench, const char* path); ///< 0, or -1 after a message

#endif
