#include "run/accuracy.h"

#include "common/summary.h"
#include "common/text.h"
#include "math/functions.h"

#include <math.h>
#include <stdlib.h>

/// Tolerances of the automatic method: beyond the smallest one rounding decides, and its reference run
/// has to be better than the run.
static const double LEAST = 1e-11, MOST = 1e-3;
static const double SAFE = 0.3;                    ///< of the accuracy: what is aimed at
static const double SLOWEST = 0.1, FASTEST = 1e-4; ///< change of the tolerance from run to run
static const double ROUNDING = 1e-16;

cli_accuracy cli_accuracy_begin(double wanted)
{
    return (cli_accuracy){.wanted = wanted, .tolerance = fmax(LEAST, fmin(MOST, 0.1 * wanted))};
}

/* Errors of the motion are about proportional to the tolerance of the steps. */
int cli_accuracy_again(cli_accuracy* a, const sar_certificate* c)
{
    a->runs++;
    a->reached = c && c->column < 0;
    if (!c || a->reached || a->tolerance <= LEAST) return 0;
    const double factor = fmax(FASTEST, fmin(SLOWEST, SAFE * a->wanted / c->largest));
    a->tolerance = fmax(LEAST, factor * a->tolerance);
    return 1;
}

/* What stands in the way. To be freed. */
static char* obstacle(const cli_accuracy* a, const sar_certificate* c)
{
    if (!c)
        return cli_format("%g is not shown: there is no reference run to compare with", a->wanted);
    if (!isfinite(c->tenfold))
        return cli_format("%g is not reached, with the smallest tolerance %g in %d run%s: double "
                          "precision does not allow it for this motion",
                          a->wanted, a->tolerance, a->runs, cli_plural(a->runs));
    return cli_format("%g is not reached, with the smallest tolerance %g in %d run%s: errors grow "
                      "tenfold every %.2g s; rounding alone becomes %g after about %.2g s",
                      a->wanted, a->tolerance, a->runs, cli_plural(a->runs), c->tenfold, a->wanted,
                      c->tenfold * sari_log10(a->wanted / ROUNDING));
}

void cli_accuracy_print(const cli_accuracy* a, const sar_certificate* c, FILE* out)
{
    char* text = a->reached ? cli_format("%g reached with tolerance %.2g, in %d run%s", a->wanted,
                                         a->tolerance, a->runs, cli_plural(a->runs))
                            : obstacle(a, c);
    cli_print_label(out, "accuracy");
    cli_wrap(out, text, CLI_LABEL + 2, CLI_LABEL + 2, 100);
    free(text);
}

void cli_accuracy_json(const cli_accuracy* a, cli_json* j)
{
    cli_json_open(j, "accuracy", '{');
    cli_json_number(j, "wanted", a->wanted);
    cli_json_boolean(j, "reached", a->reached);
    cli_json_number(j, "tolerance", a->tolerance);
    cli_json_integer(j, "runs", a->runs);
    cli_json_close(j);
}
