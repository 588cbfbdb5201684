/* sarrus bench: the requested studies, the runs of their rows, and their output. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "bench/cost.h"
#include "bench/sketch.h"
#include "common/text.h"
#include "common/timing.h"

#include "sarrus/quantities.h"
#include "sarrus/tune.h"
#include "studies/studies.h"

typedef struct cli_bench_row {
    const sar_study_row* row;
    sar_study_row* own;             ///< the row as it was tuned; NULL: as in the study
    char tuned[400];                ///< what the tuning did, in words
    char values[SAR_TUNE_MOST][32]; ///< that it found, as text
    int number;                     ///< in the study, from 1
    int wanted;                     ///< not filtered out
    int measured;                   ///< `trial` holds a run
    int runs;                       ///< whose minimum is the time
    double wall;                    ///< of all of them [s]
    int bodies;                     ///< of the model, without the ground
    sar_options options;
    sar_trial trial;
    sar_result* history;
    sar_result* reference; ///< NULL: none
    cli_sketch sketch;     ///< if the study wants snapshots
    sar_verdict verdict;
    char reason[600];
} cli_bench_row;

enum { CLI_BENCH_LIMITS = 8 };

typedef struct cli_bench_study {
    sar_study* study;
    const sar_study_head* head;
    int certified; ///< columns for certificates
    int others;    ///< published results without a run
    int tuned;     ///< rows have the best setting that was found, not that of the study
    cli_bench_row* rows;
    int count;
} cli_bench_study;

typedef struct cli_bench {
    cli_bench_study* studies;
    int count;
    int repeat;                      ///< runs per row; 0: as many as a short while allows
    int quiet;                       ///< no progress
    double certify;                  ///< accuracy of certificates; 0: none
    int tune;                        ///< search the best setting of every row
    int jobs;                        ///< that a search runs at once; 0: one per core
    double limits[CLI_BENCH_LIMITS]; ///< in the place of the rows' own
    int limit_count;
    struct cli_memo* memo; ///< of searches; NULL: none is kept
} cli_bench;

/* bench_find.c: which studies */

/// All studies that are found, by name.
void cli_bench_study_names(cli_words* names);
/// The studies that `name` means: one study, all of a group, or a problem's published rows.
/// 0, or an exit code after a message.
int cli_bench_find(cli_bench* bench, const char* name);
/// What there is to ask for.
int cli_bench_list(void);
/// Keep the rows that `filter` names: "1,3-5,al3". 0, or CLI_USAGE after a message.
int cli_bench_filter(cli_bench* bench, const char* filter);
void cli_bench_clear(cli_bench* bench);

/* bench_row.c: one run */

/// Run a row; if it has been run already, for its time. 0, or an exit code after a message.
/// Interrupted: the row's verdict says so.
int cli_bench_run(const cli_bench* bench, cli_bench_row* row, const cli_bench_study* study);

/* bench/tune.c: the best setting of a row */

/// "1e-3,1e-4": limits in the place of the rows' own; NULL: the rows' own. 0, or CLI_USAGE after a
/// message.
int cli_bench_read_limits(cli_bench* bench, const char* text);
/// Rows for every limit, and is there one for each? 0, or CLI_USAGE after a message.
int cli_bench_prepare_tuning(cli_bench* bench);
/// Search. The row's method is the best one afterwards. 0, or an exit code after a message.
int cli_bench_tune(const cli_bench* bench, cli_bench_row* row);

/* bench_quantities.c: numbers of runs by their names */

int cli_bench_is_quantity(const char* name);
/// "time per step [us]", for an axis; the name itself for an option or a parameter. To be freed.
char* cli_bench_quantity_title(const char* name);
/// "us/step", for the head of a column.
const char* cli_bench_quantity_head(const cli_bench_study* study, const char* name);
/// How many digits of it a table shows.
int cli_bench_quantity_digits(const char* name);
/// NaN: not measured, or no such thing.
double cli_bench_quantity(const cli_bench_study* study, const cli_bench_row* row, const char* name);
/// The number that an option or a parameter has in a row; NaN: none.
double cli_bench_setting(const cli_bench_row* row, const char* name);

/* bench_findings.c: the statements of a source, held against the runs */

typedef enum cli_bench_holds {
    CLI_BENCH_AS_PUBLISHED, ///< near the number of the source
    CLI_BENCH_DIFFERS,
    CLI_BENCH_HOLDS, ///< within limits, where the source gives no number
    CLI_BENCH_HOLDS_NOT,
    CLI_BENCH_JUST_MEASURED, ///< no limit
    CLI_BENCH_NO_METHOD,     ///< none of its rows is available
    CLI_BENCH_NO_RUN
} cli_bench_holds;

typedef struct cli_bench_finding {
    const sar_study_statement* statement;
    const char* label; ///< of the rows
    double value;      ///< ours; NaN: none
    cli_bench_holds verdict;
} cli_bench_finding;

/// To be freed; `*count` of them. Statements about rows that are not wanted are left out.
cli_bench_finding* cli_bench_findings(const cli_bench_study* study, int* count);
const char* cli_bench_holds_text(cli_bench_holds verdict);
/// What the row's own measure is for the history; NaN: none.
double cli_bench_measured(const sar_study_measure* measure, const sar_result* history);
/// The cost model fitted to the rows that the study names. 1, or 0: not wanted, or too few runs.
int cli_bench_cost(const cli_bench_study* study, cli_cost* cost);
/// Is the model good enough, and does it know enough, to say something about other machines?
int cli_bench_cost_predicts(const cli_cost* cost);
/// "a step of DCA: T(n, p) = ...". To be freed.
char* cli_bench_cost_text(const cli_bench_study* study, const cli_cost* cost);
/// Machines and chains that the cost model is asked about.
enum { CLI_BENCH_CORES = 4, CLI_BENCH_SIZES = 4 };
extern const int cli_bench_cores[CLI_BENCH_CORES], cli_bench_sizes[CLI_BENCH_SIZES];

/* what all ways of telling share: bench_words.c */

typedef enum cli_bench_measure { CLI_BENCH_ENERGY, CLI_BENCH_ERROR } cli_bench_measure;

/// What the rows of a study are judged by.
cli_bench_measure cli_bench_judged_by(const cli_bench_study* study);
double cli_bench_limit(const cli_bench_row* row, cli_bench_measure measure);
double cli_bench_value(const cli_bench_row* row, cli_bench_measure measure);
double cli_bench_published(const cli_bench_row* row, cli_bench_measure measure);
/// The limit that all rows share, else NaN.
double cli_bench_common_limit(const cli_bench_study* study, cli_bench_measure measure);
/// "error [J] within 16 of -42.86": what a measure of the study's own has to keep. To be freed;
/// NULL: nothing.
char* cli_bench_own_limit(const cli_bench_study* study);
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

/// Which columns a table of the study needs.
typedef struct cli_bench_layout {
    int label, parameters; ///< widths
    cli_bench_measure measure;
    int published;              ///< published values of the measure
    int each_limit;             ///< rows differ in their limits
    int extra_error;            ///< eps_T beside the energy drift
    int steps;                  ///< times per step, else of runs
    int times;                  ///< published times
    int spread;                 ///< of times of other codes
    const char* const* columns; ///< quantities to show instead of all these
    int column_count;
} cli_bench_layout;

cli_bench_layout cli_bench_layout_of(const cli_bench_study* study);

/* bench_table.c, bench_files.c, bench_html.c: the ways of telling */

void cli_bench_table_begin(const cli_bench_layout* layout, const cli_bench_study* study, FILE* out);
void cli_bench_table_row(const cli_bench_layout* layout, const cli_bench_study* study,
                         const cli_bench_row* row, FILE* out);
void cli_bench_table_end(const cli_bench_study* study, FILE* out);

void cli_bench_json(const cli_bench* bench, FILE* out);
int cli_bench_csv(const cli_bench* bench, const char* path);   ///< 0, or CLI_FAILED after a message
int cli_bench_html(const cli_bench* bench, const char* path);  ///< likewise
void cli_bench_plots(const cli_bench_study* study, FILE* out); ///< bench_plots.c: as SVG in HTML

#endif
