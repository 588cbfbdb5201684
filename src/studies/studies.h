/* Many runs, for the program's commands bench, sweep and tune and for the tests: studies (a file of
 * runs with the figures that were published for them), grids, metrics, tuning. The project's own
 * bench: not installed, and may change at any time. */
#ifndef SARI_STUDIES_STUDIES_H
#define SARI_STUDIES_STUDIES_H

#include "sarrus/load.h"
#include "sarrus/trial.h"

/* ---- studies -------------------------------------------------------------------------------- */

/// How one number comes from a history, or from several runs.
#define SAR_STATEMENT_LIST(X)                                                                      \
    X(SAR_STATEMENT_LEAST, "least")                                                                \
    X(SAR_STATEMENT_MOST, "most")                                                                  \
    X(SAR_STATEMENT_MEAN, "mean")                                                                  \
    X(SAR_STATEMENT_LAST, "last")                                                                  \
    X(SAR_STATEMENT_TIME_OF_LEAST, "time of least")                                                \
    X(SAR_STATEMENT_TIME_OF_MOST, "time of most")                                                  \
    X(SAR_STATEMENT_SLOPE, "slope")

typedef enum sar_statement_kind {
#define SAR_STATEMENT_ENUM(name, word) name,
    SAR_STATEMENT_LIST(SAR_STATEMENT_ENUM)
#undef SAR_STATEMENT_ENUM
        SAR_STATEMENTS
} sar_statement_kind;

/// What a source measures its runs by, if that is neither an energy drift nor eps_T: a number of
/// the history.
typedef struct sar_study_measure {
    const char* title; ///< "error [J]"
    sar_statement_kind take;
    const char* of;    ///< a column of the history; "": there is no such measure
    const char* minus; ///< a column whose number is taken off; "": none
    double right;      ///< what the exact motion gives; NaN: unknown
    double within;     ///< of `right`: what passes; NaN: no limit
} sar_study_measure;

/// Where a tuning may look for the best value of an option.
typedef struct sar_study_range {
    const char* name;
    double low, high;
} sar_study_range;

/// One run of a study: how to do it, what it is judged by, and what was published. Numbers that
/// are not given are NaN, texts "".
typedef struct sar_study_row {
    const char* problem; ///< name of the problem
    const char* label;   ///< what the source calls the method
    const char* source;  ///< key of docs/references.bib
    const char* table;   ///< of the source
    const char* equations;
    const sar_setting* options; ///< for sar_options_set
    int option_count;
    int inherited; ///< the first of them, from a method that the file names in `methods`
    const sar_study_range* ranges; ///< for tuning
    int range_count;
    const sar_setting* parameters; ///< of the model, over its own
    int parameter_count;
    const char* reference;      ///< file in the problem's folder; "" if there is none for this run
    double energy_limit;        ///< largest energy drift that passes [J]
    double error_limit;         ///< largest eps_T that passes
    double time_limit;          ///< of the run [s]
    double sample;              ///< interval of the samples [s]
    const char* const* columns; ///< that eps_T is made of; NULL: all
    const double* weights;      ///< NULL: 1
    int column_count;
    double
        relative; ///< errors are divided by the reference, or this fraction of its largest value; 0: not
    int linear; ///< values between steps by straight lines
    sar_study_measure measure;
    struct {
        int failed;          ///< the source reports a failure
        const char* failure; ///< in its words
        double error, energy_drift, seconds, step_us;
        double value;        ///< of the measure
        const char* machine; ///< that the times were taken on
        double relative,
            absolute; ///< how far figures of one source are from each other; NaN: not said
    } published;
    struct {
        const char* file; ///< of another code; "": the row is run here
        const char *code, *version, *machine, *author;
        const char* failure; ///< why there is no motion to its end; "": there is
        int times;           ///< that were measured, with their
        double mean, spread; ///< [s]; NaN: none
    } outside;
    const char* choice; ///< which parameters are not the source's, and why
    const char* remark; ///< what is known about this row
} sar_study_row;

/// What to draw: a column of the histories over time, a measure of the runs over another, or the
/// mechanism at some times.
typedef struct sar_study_plot {
    const char* title;
    const char* x;     ///< "t", a measure of the runs ("seconds"), an option or a parameter ("n")
    const char* y;     ///< a column of the history; with an x other than "t", a measure of the runs
    const char* by;    ///< what distinguishes curves: "label", an option or a parameter
    const char* orbit; ///< over this column of the history, not over time; "": over time
    double from, until; ///< times that are shown; NaN: all
    double most;        ///< larger values are out of the picture; NaN: no limit
    double snapshots;   ///< interval of the drawings [s]; NaN: this is a plot of `y`
    int logarithmic;
} sar_study_plot;

/// Something that a source says about several rows, or about a whole history, as a number.
typedef struct sar_study_statement {
    const char* text; ///< in words
    sar_statement_kind take;
    const char* of;           ///< a column of the history, or a measure of the runs
    const char* over;         ///< slope: in the logarithms, over this option or parameter
    double from;              ///< slope: rows that have at least this much of `over`
    const char* label;        ///< rows with this label; "": one number for each label
    const char* against;      ///< divided by the number of the rows with this label; "": as it is
    const sar_setting* where; ///< and with these values of options and parameters
    int where_count;
    double published;         ///< NaN: no number was published
    double at_least, at_most; ///< limits within which the statement holds; NaN: no such limit
} sar_study_statement;

typedef struct sar_study_head {
    const char* name;  ///< "000-table-1"
    const char* group; ///< studies of one paper share it: "000"
    const char* title;
    const char* source;          ///< key of docs/references.bib
    const char* table;           ///< rows of `problems` that were published here; "": none
    const char* const* problems; ///< whose published figures are meant
    int problem_count;
    const sar_study_plot* plots;
    int plot_count;
    const char* const* columns; ///< measures that the table shows; none: those of the limits
    int column_count;
    double relative, absolute; ///< `spread`: figures within it of those published agree; NaN: none
    int rounds; ///< n times all rows in turn, so that a disturbance hits all alike; 0: each
                ///< row by itself
    const sar_study_statement* statements;
    int statement_count;
    int linear;      ///< `interpolation: linear`, of all rows
    int mean_of;     ///< times are the mean wall time of that number of runs; 0: the least CPU time
    const char* fit; ///< label of the rows that the cost model of docs/scaling.md is fitted to
} sar_study_head;

typedef struct sar_study sar_study;

/// Read a study file (YAML or JSON; docs/benchmarks.md). What is wrong with it goes to `messages`
/// (sar_text_free) as by sar_model_load.
SAR_API sar_status sar_study_read(const char* path, sar_study** out, char** messages);
/// A study without rows; texts are copied.
SAR_API sar_status sar_study_create(const char* name, const char* title, sar_study** out);
/// Add the results of a problem's published.json: those of this source and table (NULL: all).
/// Results without a `method` cannot be run and are counted in `*others` (may be NULL).
SAR_API sar_status sar_study_add_published(sar_study* study, const char* path, const char* source,
                                           const char* table, int* others, char** messages);
SAR_API void sar_study_destroy(sar_study* study);

SAR_API const sar_study_head* sar_study_about(const sar_study* study);
SAR_API int sar_study_rows(const sar_study* study);
SAR_API const sar_study_row* sar_study_row_at(const sar_study* study,
                                              int k); ///< valid until more are added

/// The row's options over `options`. SAR_E_BUILD: this build has no such method; the message says
/// what is missing: `no preset "mAL"`.
SAR_API sar_status sar_study_method(const sar_study_row* row, sar_options* options,
                                    sar_error* error);

#define SAR_VERDICT_LIST(X)                                                                        \
    X(SAR_VERDICT_PASSES, "passes")                                                                \
    X(SAR_VERDICT_FAILS_AS_PUBLISHED, "fails as published")                                        \
    X(SAR_VERDICT_FAILS, "fails (published: passes)")                                              \
    X(SAR_VERDICT_PASSES_UNLIKE, "passes (published: fails)")                                      \
    X(SAR_VERDICT_DIFFERS, "differs")                                                              \
    X(SAR_VERDICT_COMPLETED, "completed")                                                          \
    X(SAR_VERDICT_NOT_COMPLETED, "fails")                                                          \
    X(SAR_VERDICT_NOT_AVAILABLE, "not available")                                                  \
    X(SAR_VERDICT_NOT_RUN, "not run")

typedef enum sar_verdict {
#define SAR_VERDICT_ENUM(name, text) name,
    SAR_VERDICT_LIST(SAR_VERDICT_ENUM)
#undef SAR_VERDICT_ENUM
        SAR_VERDICTS
} sar_verdict;

SAR_API const char* sar_verdict_text(sar_verdict verdict);

/// Hold a run against the row's limits; without any, SAR_VERDICT_COMPLETED is all there is to say
/// of a run that reached its end, or SAR_VERDICT_PASSES_UNLIKE if the source reports a failure.
/// SAR_VERDICT_DIFFERS: it keeps the limits, but not within the study's `spread` of what was published.
/// `reason` receives why it does not pass, in words; "" if it does.
SAR_API sar_verdict sar_study_judge(const sar_study_row* row, const sar_trial* trial, char* reason,
                                    size_t size);

/* ---- grids: the points of a sweep ----------------------------------------------------------- */

/// A number as people write it on a command line: also "1e8.5", which is 10^8.5. 1, or 0 when the
/// text is not a finite number and nothing else.
SAR_API int sar_number_read(const char* text, double* value);

typedef enum sar_scale { SAR_SCALE_WORDS, SAR_SCALE_LINEAR, SAR_SCALE_LOG } sar_scale;

/// The product of the values of named axes. The last axis turns fastest.
typedef struct sar_grid sar_grid;

SAR_API sar_status sar_grid_create(sar_grid** out);
SAR_API void sar_grid_destroy(sar_grid* grid);

/// Add an axis, "name=values", where the values are one of
///
///     lin:FROM:TO:COUNT      evenly spaced, both ends included
///     log:FROM:TO:COUNT      evenly spaced in the logarithm
///     list:A,B,C or A,B,C    these numbers or words
///
/// Computed values are rounded to 15 digits, so that their text says exactly what was used.
/// @return SAR_OK, SAR_E_ARG with a message that says what was wanted, SAR_E_NOMEM
SAR_API sar_status sar_grid_vary(sar_grid* grid, const char* text, sar_error* error);

SAR_API int sar_grid_axes(const sar_grid* grid);
SAR_API const char* sar_grid_name(const sar_grid* grid, int axis);
/// Words, or a line on which the values are drawn well. Numbers of a list are on a logarithmic one
/// when they are positive and span a factor of 20 or more.
SAR_API sar_scale sar_grid_scale(const sar_grid* grid, int axis);
SAR_API int sar_grid_count(const sar_grid* grid, int axis);
SAR_API const char* sar_grid_text(const sar_grid* grid, int axis, int k);
SAR_API double sar_grid_value(const sar_grid* grid, int axis, int k); ///< NaN for a word

SAR_API long sar_grid_points(const sar_grid* grid); ///< 1 without axes
/// Which value each axis has at a point, into index[sar_grid_axes].
SAR_API void sar_grid_point(const sar_grid* grid, long point, int* index);

/* ---- metrics of problems -------------------------------------------------------------------- */

/// How a problem's error is measured: the `metric` of its published.json.
typedef struct sar_metric {
    char names[8][32];
    double weights[8];
    int count;
    double interval;  ///< [s]
    double relative;  ///< as of sar_comparison_def
    double low, high; ///< errors that are acceptable at low and at high precision; 0: unknown
} sar_metric;

/// SAR_OK; SAR_E_IO: no such file; SAR_E_ARG: it has no metric, or one that makes no sense.
SAR_API sar_status sar_metric_read(const char* path, sar_metric* out, sar_error* error);

#endif
