#include "check/fmu.h"

#include "common/command.h"
#include "common/files/json.h"
#include "common/summary.h"
#include "common/text.h"

#include "sarrus/fmu.h"

#include <math.h>
#include <string.h>

const char* cli_check_fmu_name(int argc, char** argv)
{
    for (int k = 1; k < argc; k++) {
        const size_t length = strlen(argv[k]);
        if (argv[k][0] != '-' && length > 4 && strcmp(argv[k] + length - 4, ".fmu") == 0)
            return argv[k];
    }
    return NULL;
}

static const char* verdict_of(const sar_fmu_check* c)
{
    return c->same     ? "does what it was exported to do, to the last bit"
           : c->passed ? "does what it was exported to do"
                       : "does something else";
}

static void print_report(const char* path, const sar_fmu_check* c)
{
    printf("%s%s%s: %s%s%s\n", cli_paint(stdout, CLI_BOLD), path, cli_paint(stdout, CLI_PLAIN),
           cli_paint(stdout, c->passed ? CLI_GREEN : CLI_RED), verdict_of(c),
           cli_paint(stdout, CLI_PLAIN));
    cli_print_label(stdout, "FMU");
    printf("%s, FMI %d.0\n", c->name, c->version);
    cli_print_label(stdout, "compared");
    printf("%d rows by Co-Simulation\n", c->rows);
    cli_print_label(stdout, "state");
    puts(c->restored ? "restored from bytes in the middle: the same bits come again"
                     : "restored from bytes in the middle: other numbers come");
    if (!c->same) {
        cli_print_label(stdout, "difference");
        printf("%.2g of its range: %s at t = %g s\n", c->largest, c->largest_output,
               c->largest_time);
    }
    cli_print_label(stdout, "errors");
    if (isnan(c->allowed))
        puts("not known: there was no reference run");
    else
        printf("of the stored motion: below %.2g of the outputs' ranges\n", c->allowed);
    if (c->messages) {
        cli_print_label(stdout, "messages");
        printf("%d; the first: %s\n", c->messages, c->message);
    }
}

static void print_json(const char* path, const sar_fmu_check* c)
{
    cli_json j = cli_json_begin(stdout);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "fmu", path);
    cli_json_text(&j, "name", c->name);
    cli_json_integer(&j, "fmi", c->version);
    cli_json_boolean(&j, "passed", c->passed);
    cli_json_boolean(&j, "same_bits", c->same);
    cli_json_integer(&j, "rows", c->rows);
    cli_json_number(&j, "difference", c->largest);
    cli_json_number(&j, "errors", c->allowed);
    cli_json_integer(&j, "messages", c->messages);
    cli_json_close(&j);
}

int cli_check_fmu(const char* path, int json)
{
    sar_error error = {0};
    sar_fmu_check found;
    if (sar_fmu_verify(path, &found, &error) != SAR_OK) {
        cli_error("check", "%s: %s", path, error.message);
        return CLI_FAILED;
    }
    (json ? print_json : print_report)(path, &found);
    return found.passed ? CLI_DONE : CLI_FAILED;
}
