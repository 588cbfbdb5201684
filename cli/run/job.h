/* One run of the program: what is asked for, and what came of it. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "common/files/model_file.h"
#include "common/method.h"
#include "common/place.h"
#include "pages/page.h"
#include "run/accuracy.h"
#include "run/checkpoint.h"
#include "run/realtime.h"
#include "run/record.h"
#include "run/reference_run.h"
#include "run/report.h"
#include "run/unique.h"

typedef struct cli_request {
    cli_method method;
    cli_settings settings;
    cli_words inputs; ///< as functions of time
    const char* output;
    const char* plot;
    int wants_view;
    char* view;    ///< a page; NULL: none
    cli_page page; ///< what it says
    char* unnamed; ///< a result for the page alone
    int all, json, quiet;
    int errors;       ///< columns of them
    int rates;        ///< likewise, in CSV too
    int certify;      ///< CLI_CERTIFY_...
    double accuracy;  ///< of the certificate; 0: the usual
    int reach;        ///< repeat until it is reached
    const char* from; ///< a place of the map; NULL: the start of the model
    double speed;     ///< there
    cli_realtime realtime;
    cli_checkpoint checkpoint;
    char* command_line;
} cli_request;

typedef struct cli_job {
    cli_request want;
    cli_model_file file;
    sar_map* map; ///< NULL: none was made
    sar_simulation* simulation;
    sar_assembly assembly;
    sar_run run;
    double looked_at; ///< [s] where the run was when it was last checked whether it goes on
    long next_sample; ///< steps until that is done again
    cli_record record;
    cli_unique unique;
    cli_report report;
    cli_reference_run* reference; ///< NULL: none
    char* failure;
    int unwritten; ///< rows could not be written, and that is the failure
    int64_t began;
} cli_job;

/// Does it keep pace with the clock?
int cli_job_is_paced(const cli_job* j);

/* steps.c */

/// Open the file of the results. 0, or an exit code after a message.
int cli_job_open_output(cli_job* j);
/// All steps, until one fails or the user interrupts. The start and the last are stored.
int cli_job_steps(cli_job* j);

/* afterwards.c */

/// The report of a run that has ended with `outcome`.
void cli_job_collect(cli_job* j, int outcome);
/// What the file says about itself, as far as it is known.
void cli_job_attributes(cli_job* j);
/// The plot, and the file closed. The report is corrected if that fails.
int cli_job_finish(cli_job* j, int outcome);
/// Why a run is not complete, and what is kept.
void cli_job_say_failure(const cli_job* j, int outcome);

/* warnings.c */

/// What is to be said about the motion, and whether it can be trusted.
void cli_job_warn(cli_job* j, int outcome);

/* view.c */

/// The page is made from a result; without -o that is a temporary one.
int cli_job_prepare_view(cli_request* want, const char* name, const sar_model* model);
int cli_job_write_view(const cli_request* want, const char* model, int outcome);

#endif
