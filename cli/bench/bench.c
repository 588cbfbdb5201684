/* sarrus bench: repeat the runs of a paper, and show both results side by side. */
#include "bench/bench.h"

#include "common/certify.h"
#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "sweep/memo.h"
#include "sweep/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    cli_bench bench;
    const char *rows, *csv, *html;
    int json, restart;
} request;

static int take_option(void* context, const char* name, const char* value)
{
    request* want = context;
    if (strcmp(name, "rows") == 0) want->rows = value;
    if (strcmp(name, "csv") == 0) want->csv = value;
    if (strcmp(name, "html") == 0) want->html = value;
    if (strcmp(name, "json") == 0) want->json = 1;
    if (strcmp(name, "quiet") == 0) want->bench.quiet = 1;
    if (strcmp(name, "restart") == 0) want->restart = 1;
    if (strcmp(name, "jobs") == 0) return cli_read_jobs("bench", value, &want->bench.jobs);
    if (strcmp(name, "tune") == 0) return cli_bench_read_limits(&want->bench, value);
    if (strcmp(name, "certify") == 0) return cli_certify_read("bench", value, &want->bench.certify);
    if (strcmp(name, "repeat") == 0) {
        char* end = NULL;
        long count = strtol(value, &end, 10);
        if (end == value || *end || count < 1 || count > 1000) {
            cli_error("bench", "--repeat %s: expected a number of runs, 1 to 1000", value);
            return CLI_USAGE;
        }
        want->bench.repeat = (int)count;
    }
    return 0;
}

/// How often all rows are run in turn: 1 when each row is repeated by itself.
static int rounds_of(const cli_bench* bench, const cli_bench_study* study)
{
    if (study->head->rounds == 0) return 1;
    return bench->repeat ? bench->repeat : study->head->rounds;
}

static int run_study(cli_bench* bench, cli_bench_study* study, int print_report)
{
    cli_bench_layout layout = cli_bench_layout_of(study);
    int rounds = rounds_of(bench, study);
    if (print_report) cli_bench_table_begin(&layout, study, stdout);
    for (int k = 0; k < rounds * study->count; k++) {
        cli_bench_row* row = &study->rows[k % study->count];
        int last = k >= (rounds - 1) * study->count;
        if (!row->wanted) continue;
        if (!cli_interrupted) {
            int refused = bench->tune && !row->measured ? cli_bench_tune(bench, row) : 0;
            if (!refused && !cli_interrupted) refused = cli_bench_run(bench, row, study);
            if (refused) return refused;
        }
        if (print_report && last) cli_bench_table_row(&layout, study, row, stdout);
        if (print_report) fflush(stdout);
    }
    if (print_report) cli_bench_table_end(study, stdout);
    return 0;
}

/// Can these files be written? Known before hours of runs.
static int check_files(const request* want)
{
    const char* const paths[] = {want->csv, want->html};
    for (int k = 0; k < 2; k++) {
        int refused = cli_inputs_refuse("bench", paths[k], cli_endings_of_file);
        if (refused) return refused;
        if (!paths[k] || cli_output_check(paths[k]) == 0) continue;
        cli_error("bench", "cannot write '%s': %s", paths[k], strerror(errno));
        return CLI_FAILED;
    }
    return 0;
}

/// All studies, and the files. 0, or an exit code.
static int run_all(request* want)
{
    cli_bench* bench = &want->bench;
    for (int k = 0; k < bench->count; k++) {
        bench->studies[k].certified = bench->certify > 0.0;
        if (k > 0 && !want->json) putchar('\n');
        int refused = run_study(bench, &bench->studies[k], !want->json);
        if (refused) return refused;
    }
    if (!want->json && bench->count > 1) {
        char* summary = cli_bench_summary(bench->studies, bench->count);
        printf("\n%d studies: %s\n", bench->count, summary);
        free(summary);
    }
    int failed = 0;
    if (want->json) cli_bench_json(bench, stdout);
    if (want->csv) failed |= cli_bench_csv(bench, want->csv);
    if (want->html) failed |= cli_bench_html(bench, want->html);
    return failed ? CLI_FAILED : cli_interrupted ? CLI_INTERRUPTED : CLI_DONE;
}

/// The journal of a tuning, in the folder of its table.
static int open_memo(const request* want, cli_memo* memo)
{
    if (!want->bench.tune) return 0;
    if (want->csv) return cli_memo_open(memo, "bench", want->csv, want->restart);
    cli_warning("bench", "without --csv FILE an interrupted tuning begins anew");
    return 0;
}

static int carry_out(request* want)
{
    cli_bench* bench = &want->bench;
    int unwritable = check_files(want);
    if (unwritable) return unwritable;
    if (want->rows) {
        int refused = cli_bench_filter(bench, want->rows);
        if (refused) return refused;
    }
    bench->quiet |= want->json;
    cli_memo memo = {.journal.file = -1};
    int refused = bench->tune ? cli_bench_prepare_tuning(bench) : 0;
    if (!refused) refused = open_memo(want, &memo);
    if (refused) return refused;
    bench->memo = memo.journal.file >= 0 ? &memo : NULL;
    cli_catch_signals();
    refused = run_all(want);
    if (bench->memo && !refused) cli_memo_finish(&memo);
    if (refused == CLI_INTERRUPTED && bench->memo)
        cli_warning("bench", "interrupted; the same command goes on from here");
    cli_memo_close(&memo);
    return refused;
}

static int bench_main(int argc, char** argv)
{
    request want = {0};
    int operands = 0;
    int outcome = cli_parse(&cli_command_bench, argc, argv, take_option, &want, &operands);
    if (outcome == CLI_GO_ON && operands == 0) {
        outcome = cli_bench_list();
    } else if (outcome == CLI_GO_ON) {
        outcome = 0;
        for (int k = 1; k <= operands && outcome == 0; k++)
            outcome = cli_bench_find(&want.bench, argv[k]);
        if (outcome == 0) outcome = carry_out(&want);
    }
    cli_bench_clear(&want.bench);
    return outcome;
}

static const cli_option bench_options[] = {
    {"rows", 0, "FILTER", "only these rows: numbers (1,3-5) or words of their methods (al3)"},
    {"repeat", 0, "K",
     "report the minimum time of K runs; default: as the study says, else as many as fit into 0.2 "
     "s, at most 20"},
    {"certify", 0, "[=ACCURACY]", CLI_CERTIFY_TEXT},
    {"tune", 0, "[=LIMIT,...]",
     "search the cheapest setting of every row that keeps its limit, or each of these, and run it"},
    {"jobs", 'j', "N", "number of parallel runs of --tune (default: one per core)"},
    {"restart", 0, NULL, "forget what an interrupted --tune has found"},
    {"csv", 0, "FILE", "write the rows as a table"},
    {"html", 0, "FILE", "write a report with tables and plots, in one file"},
    {"json", 0, NULL, "print one JSON object on standard output and nothing else"},
    {"quiet", 'q', NULL, "no progress"},
    {0}};

static const cli_brief bench_brief[] = {{"rows", "only these: numbers (1,3-5) or methods (al3)"},
                                        {"repeat", "report the minimum time of K runs"},
                                        {"tune", "the best setting of every row at its limit"},
                                        {"csv", "write the rows as a table"},
                                        {"html", "write a report with tables and plots"},
                                        {"json", "the report as JSON"},
                                        {0}};

const cli_command cli_command_bench = {
    .name = "bench",
    .summary = "re-run a paper's table beside the published figures",
    .operands = "[NAME...] [options]",
    .examples = "# list all studies\n"
                "sarrus bench\n"
                "# a table, all of a paper, everything published about a problem\n"
                "sarrus bench 000-table-2\n"
                "sarrus bench 003 --html report.html\n"
                "sarrus bench n-four-bar --rows al3",
    .gist = "Runs every row of a published table with the published method and parameters, "
            "and judges it by the paper's own limit. NAME is a study, the number of a "
            "paper, or a problem.",
    .brief = bench_brief,
    .text =
        "Runs every row of a published table with the published method and parameters, and judges "
        "it by the paper's own limit: the largest energy drift, or the total error eps_T of Ruggiu "
        "and Gonzalez (2023), eq. 1-2. Rows that the paper reports as failed are run too. If a "
        "method is not in this build, the row says so. If the paper does not give a parameter, or "
        "a row is known not to be reproducible, a note says why. Statements of a paper about "
        "several runs, such as a slope, are checked below the table.\n"
        "\n"
        "Times are CPU times of the steps on this machine, with several threads wall times; those "
        "of the papers are from theirs. NAME is a study (a file in studies/), the number of a "
        "paper, or a problem.\n"
        "\n"
        "Exit codes: 0 all rows were run, whatever their results, 1 a file cannot be read or "
        "written, 2 wrong usage, 3 invalid model, 130 interrupted: finished rows are kept.",
    .options = bench_options,
    .run = bench_main};
