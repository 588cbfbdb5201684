#include "fit/study.h"

#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "common/summary.h"
#include "common/timing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLOSED = 1e-8;    ///< limits hold, in their own scale
static const double TOLERANCE = 1e-9; ///< of runs whose slopes are wanted, where none is given

/* ---- the command line ----------------------------------------------------------------------- */

/* One of LOW:HIGH:START at *text, which goes on to the next. 0: it is no number. */
static int read_number(const char** text, double absent, double* out)
{
    char* end;
    *out = absent;
    if (**text == ':') {
        ++*text;
        return 1;
    }
    if (**text == 0) return 1;
    *out = strtod(*text, &end);
    if (end == *text || (*end != 0 && *end != ':')) return 0;
    *text = end + (*end == ':');
    return !isnan(*out);
}

static int take_free(cli_study* x, const char* value)
{
    const char* equals = strchr(value, '=');
    const char* text = equals ? equals + 1 : "";
    sar_free one = {.start = NAN};
    const int fine = read_number(&text, -INFINITY, &one.lower) &&
                     read_number(&text, INFINITY, &one.upper) &&
                     read_number(&text, NAN, &one.start) && *text == 0 &&
                     (!equals || (equals > value && strchr(equals, ':')));
    if (fine && !(one.lower <= one.upper)) {
        cli_error(x->command->name, "--free %s: the lower bound %g is above the upper one, %g",
                  value, one.lower, one.upper);
        return -CLI_USAGE;
    }
    if (!fine) {
        cli_error(x->command->name,
                  "--free wants NAME, NAME=LOW:HIGH or NAME=LOW:HIGH:START, as in --free "
                  "k=1e3:1e5, not '%s'",
                  value);
        return -CLI_USAGE;
    }
    const int count = x->free_names.count;
    cli_words_add(&x->free_names, "%.*s", equals ? (int)(equals - value) : (int)strlen(value),
                  value);
    x->free = cli_resize(x->free, (size_t)(count + 1) * sizeof *x->free);
    x->free[count] = one;
    return 1;
}

int cli_study_take(cli_study* x, const char* name, const char* value)
{
    const char* command = x->command->name;
    if (strcmp(name, "free") == 0) return take_free(x, value);
    if (strcmp(name, "iterations") == 0)
        return cli_read_count(x->command->name, name, value, 1, 999999999,
                              &x->study.search.iterations)
                   ? -CLI_USAGE
                   : 1;
    if (cli_method_knows(name)) {
        const int refused = cli_method_set(&x->method, command, name, value);
        return refused ? -refused : 1;
    }
    if (strcmp(name, "set") == 0) {
        const int refused = cli_settings_add(&x->settings, command, value);
        return refused ? -refused : 1;
    }
    if (strcmp(name, "json") == 0) return x->json = 1;
    if (strcmp(name, "quiet") == 0) return x->quiet = 1;
    if (strcmp(name, "kinematics") == 0) return x->study.driven = 1;
    if (strcmp(name, "differences") == 0) return x->study.differences = 1;
    if (strcmp(name, "state") == 0) return x->state = value, 1;
    if (strcmp(name, "output") == 0) return cli_words_add(&x->outputs, "%s", value), 1;
    return 0;
}

int cli_study_remove_free(cli_study* x, const char* name, sar_free* out)
{
    for (int k = 0; k < x->free_names.count; k++) {
        if (strcmp(x->free_names.items[k], name) != 0) continue;
        *out = x->free[k];
        free(x->free_names.items[k]);
        const int behind = --x->free_names.count - k;
        memmove(x->free_names.items + k, x->free_names.items + k + 1,
                (size_t)behind * sizeof *x->free_names.items);
        memmove(x->free + k, x->free + k + 1, (size_t)behind * sizeof *x->free);
        return 1;
    }
    return 0;
}

/* ---- the state ------------------------------------------------------------------------------ */

void cli_study_keep(const cli_study* x, const double* p)
{
    cli_output_file out;
    if (!x->state || cli_output_open(&out, x->state) != 0) return;
    fprintf(out.to, "# sarrus %s: the best numbers so far\n", x->command->name);
    for (int k = 0; k < x->free_names.count; k++)
        fprintf(out.to, "%s %.17g\n", x->free_names.items[k], p[k]);
    if (x->offset) fprintf(out.to, "%s %.17g\n", "offset", p[x->free_names.count]);
    cli_output_close(&out);
}

/* Can it be written at all? A search of hours should not end without it. */
static int check_state(const cli_study* x)
{
    FILE* to = fopen(x->state, "a");
    if (!to) {
        cli_error(x->command->name, "--state: cannot write %s: %s", x->state, strerror(errno));
        return CLI_FAILED;
    }
    fclose(to);
    remove(x->state);
    return 0;
}

static int read_state(cli_study* x)
{
    FILE* from = x->state ? fopen(x->state, "r") : NULL;
    char line[512], *end;
    int known = 0;
    if (!from) return x->state ? check_state(x) : 0;
    while (fgets(line, sizeof line, from)) {
        char* space = strrchr(line, ' ');
        if (line[0] == '#' || !space) continue;
        *space = 0;
        for (int k = 0; k < x->free_names.count; k++)
            if (strcmp(x->free_names.items[k], line) == 0)
                x->free[k].start = strtod(space + 1, &end),
                known += end > space + 1 && *end == '\n';
    }
    fclose(from);
    if (known == x->free_names.count) return 0;
    cli_error(x->command->name,
              "%s is the state of a search for other numbers, or damaged; remove it", x->state);
    return CLI_USAGE;
}

/* ---- the search ----------------------------------------------------------------------------- */

static int stop(void* context)
{
    (void)context;
    return cli_interrupted != 0;
}

static int watch(void* context, int iteration, double objective, double violation, const double* p)
{
    cli_study* x = context;
    char note[96];
    snprintf(note, sizeof note, "steps, objective %.6g", objective);
    cli_progress_count(&x->progress, cli_clock(), iteration, note);
    if (iteration <= x->iteration) x->keeps = 0; // a search from another start
    if (x->kept_any == 0 || (objective < x->kept && violation <= fmax(x->kept_violation, CLOSED)))
        x->keeps = x->kept_any = 1;
    x->iteration = iteration;
    if (!x->keeps) return !cli_interrupted;
    x->kept = objective, x->kept_violation = violation;
    cli_study_keep(x, p);
    return !cli_interrupted;
}

/* Tight runs, unless something else is asked for: slopes are differences of them. */
static void tighten(cli_study* x)
{
    const int k = cli_parameter_find("tolerance");
    if (k >= 0 && !(x->options.given >> k & 1)) x->options.tolerance = TOLERANCE;
}

/* The automatic method, which has derivatives, unless the command line names another; what the model file says about a step
 * is then dropped without a word. */
static int choose_method(cli_study* x)
{
    static const char* const naming[] = {"formulation", "integrator", "step", "solver"};
    const char* command = x->command->name;
    cli_words dropped = {0};
    int named = x->method.preset != NULL || x->study.driven;
    for (int k = 0; k < x->method.names.count; k++)
        for (int i = 0; i < 4; i++) named |= strcmp(x->method.names.items[k], naming[i]) == 0;
    int refused = named ? 0 : cli_method_set(&x->method, command, "preset", CLI_AUTOMATIC);
    if (!refused)
        refused =
            cli_method_apply(&x->method, command, &x->options, named ? &x->warnings : &dropped);
    if (!refused && !x->study.driven)
        refused = cli_method_choose(command, x->file.path, x->file.model, &x->options, NULL, 0);
    cli_words_clear(&dropped);
    return refused;
}

int cli_study_open(cli_study* x, const char* name)
{
    const char* command = x->command->name;
    x->name = name;
    int refused = cli_model_open(name, command, &x->settings, &x->file);
    if (refused) return refused;
    cli_model_warnings(&x->file, &x->warnings);
    x->options = x->file.method;
    refused = choose_method(x);
    if (!refused) refused = read_state(x);
    if (refused) return refused;
    tighten(x);
    x->given = cli_settings_list(&x->settings, 0);
    for (int k = 0; k < x->free_names.count; k++) x->free[k].name = x->free_names.items[k];
    if (sar_source_open(x->file.text, x->file.length, x->file.path, &x->source) != SAR_OK)
        return CLI_FAILED;
    x->study.source = x->source;
    x->study.settings = x->given, x->study.settings_count = x->settings.names.count;
    x->study.options = &x->options;
    x->study.free = x->free, x->study.free_count = x->free_names.count;
    x->study.search.watch = watch, x->study.search.context = x;
    x->study.stop = stop;
    cli_catch_signals();
    x->progress = cli_progress_begin(0.0, 1.0, !x->quiet && !x->json);
    return 0;
}

void cli_study_close(cli_study* x)
{
    sar_source_close(x->source);
    cli_model_close(&x->file);
    cli_words_clear(&x->warnings);
    cli_words_clear(&x->outputs);
    cli_words_clear(&x->free_names);
    cli_method_clear(&x->method);
    cli_settings_clear(&x->settings);
    free(x->free);
    free(x->given);
    free(x->failure);
}

/* ---- telling -------------------------------------------------------------------------------- */

void cli_study_print_number(const char* label, const char* name, double value, double deviation,
                            double start, int at_bound)
{
    cli_print_label(stdout, label);
    printf("%-20s %-16.10g ", name, value);
    if (at_bound)
        printf("%-14s", "at its bound");
    else if (!isnan(deviation))
        printf("+- %-11.3g", deviation);
    else
        printf("%-14s", "");
    printf(" from %.6g\n", start);
}

char* cli_study_command(const cli_study* x, const double* p)
{
    cli_words words = {0};
    cli_words_add(&words, "%s", x->study.driven ? "kinematics" : "run");
    cli_words_add(&words, "%s", x->name);
    for (int k = 0; k < x->settings.names.count; k++) {
        int own = 0;
        for (int i = 0; i < x->free_names.count; i++)
            own |= strcmp(x->settings.names.items[k], x->free_names.items[i]) == 0;
        if (!own)
            cli_words_add(&words, "--set=%s=%s", x->settings.names.items[k],
                          x->settings.values.items[k]);
    }
    for (int k = 0; k < x->free_names.count; k++)
        if (cli_model_has_parameter(x->file.model, x->free_names.items[k]))
            cli_words_add(&words, "--set=%s=%.17g", x->free_names.items[k], p[k]);
    char* line = cli_quote_command(words.count, words.items);
    cli_words_clear(&words);
    const char* before = ", with";
    for (int k = 0; k < x->free_names.count; k++) {
        if (cli_model_has_parameter(x->file.model, x->free_names.items[k])) continue;
        char* more = cli_format("%s%s %s: %.17g", line, before, x->free_names.items[k], p[k]);
        free(line);
        line = more;
        before = ",";
    }
    return line;
}

/* How slopes were found. `refused`: why some are differences all the same. */
static const char* slopes_of(const cli_study* x, const char* refused)
{
    return x->study.differences || x->study.driven ? "differences"
           : refused                               ? "differences in part"
                                                   : "derivatives of runs";
}

void cli_study_print_search(const cli_study* x, const sar_optimum* o, long runs,
                            const char* refused)
{
    cli_print_label(stdout, "search");
    printf("%s; %d step%s, %ld %s%s, %s, slopes by %s\n", sar_optimum_text(o->verdict),
           o->iterations, cli_plural(o->iterations), runs, x->study.driven ? "motion" : "run",
           cli_plural(runs), o->solver, slopes_of(x, refused));
    if (!refused || x->study.differences) return;
    cli_print_label(stdout, "differences");
    puts(refused);
}

void cli_study_json_search(const cli_study* x, const sar_optimum* o, long runs, const char* refused,
                           cli_json* j)
{
    cli_json_open(j, "search", '{');
    cli_json_text(j, "verdict", sar_optimum_text(o->verdict));
    cli_json_boolean(j, "found", o->verdict == SAR_OPTIMUM_FOUND);
    cli_json_text(j, "solver", o->solver);
    cli_json_text(j, "slopes", slopes_of(x, refused));
    if (refused) cli_json_text(j, "differences", refused);
    cli_json_integer(j, "iterations", o->iterations);
    cli_json_integer(j, "runs", runs);
    cli_json_close(j);
}
