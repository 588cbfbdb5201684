/* The sheets of a benchmark problem, as text. What only people know, why the problem is worth solving, is
 * taken from the README beside the model. */
#include "export/export.h"

#include "common/text.h"
#include "common/timing.h"
#include "pictures/svg.h"

#include "sarrus/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the description ------------------------------------------------------------------------ */

/// The README beside the model without its title and pictures; without one, what is to be said there.
static void put_text(const cli_export* x, FILE* out)
{
    const char* slash = strrchr(x->setup.file.path, '/');
    char* path = cli_format("%.*sREADME.md", slash ? (int)(slash - x->setup.file.path) + 1 : 0,
                            x->setup.file.path);
    FILE* in = fopen(path, "r");
    char line[4096];
    free(path);
    if (!in)
        fputs("(Why this problem? What is hard about it?)\n", out);
    else
        for (int begun = 0; fgets(line, sizeof line, in);) {
            if (strncmp(line, "# ", 2) == 0 || strncmp(line, "![", 2) == 0) continue;
            begun |= line[0] != '\n';
            if (begun) fprintf(out, "%s%s", line[0] == '#' ? "#" : "", line);
        }
    if (in) fclose(in);
}

static void put_data(const sar_model* m, FILE* out)
{
    double g[3];
    sar_model_gravity(m, g);
    fprintf(out, "\n## Data\n\n`model.yaml` has all of it, in SI units; its text is below.\n\n");
    fprintf(out, "| parameter | value |\n| --- | --- |\n");
    for (int k = 0; k < sar_model_parameters(m); k++)
        fprintf(out, "| %s | %.15g |\n", sar_model_parameter_name(m, k),
                sar_model_parameter_value(m, k));
    fprintf(out, "| gravity [m/s^2] | %g, %g, %g |\n", g[0], g[1], g[2]);
    fprintf(out, "\n| body | mass [kg] |\n| --- | --- |\n");
    for (int k = 1; k < sar_model_bodies(m); k++)
        fprintf(out, "| %s | %.15g |\n", sar_model_body_name(m, k), sar_model_body_mass(m, k));
    fprintf(out, "\nJoints and drives:");
    for (int k = 0; k < sar_model_joints(m); k++)
        fprintf(out, "%s %s", k ? "," : "", sar_model_joint_name(m, k));
    fputs(".\n", out);
}

static void put_error(const cli_export* x, FILE* out)
{
    const cli_setup* s = &x->setup;
    fprintf(out, "\n## Error\n\nSamples every %.15g s, variables", x->options.sample);
    for (int k = 0; k < x->columns.count; k++)
        fprintf(out, "%s `%s`", k ? "," : "", x->columns.items[k]);
    fputs(".\n\n    eps_T = sqrt(1/n sum_j w_j/m sum_i (y_j(t_i) - y_j,ref(t_i))^2)\n\nwith n "
          "variables, m samples and the weights w",
          out);
    for (int k = 0; k < x->columns.count; k++)
        fprintf(out, "%s %g", k ? "," : "", s->has_metric ? s->metric.weights[k] : 1.0);
    fputs(".\n", out);
    if (s->metric.low > 0.0)
        fprintf(out,
                "\n## Conditions\n\nA solution is acceptable with eps_T at most %g (low "
                "precision) or %g (high precision).",
                s->metric.low, s->metric.high);
    else
        fputs("\n## Conditions\n\n(Which eps_T is acceptable?)", out);
    fputs(" The objective is the least CPU time.\n", out);
}

void cli_export_sheet(const cli_export* x, FILE* out)
{
    const sar_model* m = x->setup.file.model;
    fprintf(out, "# %s\n\n", sar_model_name(m));
    if (*x->author) fprintf(out, "Proposed by %s.\n\n", x->author);
    fputs("![The mechanism](mechanism.svg)\n\n## Problem\n\n", out);
    put_text(x, out);
    put_data(m, out);
    fprintf(out, "\n## Motion\n\nFrom %g to %g s. Start and forces are those of the model file.\n",
            x->options.start, x->options.end);
    put_error(x, out);
    fputs(
        "\n## Results file\n\nText, a row per sample, columns separated by tabulators, a first row "
        "that begins with %:\n\n    time [s]",
        out);
    for (int k = 0; k < x->columns.count; k++) fprintf(out, ", %s", x->columns.items[k]);
    fprintf(out,
            "\n\n## Reference\n\n`reference.txt`, %d rows.\n\n![The reference](curves.svg)\n\n## "
            "The model file\n\n```yaml\n",
            sar_result_rows(x->setup.reference));
    fwrite(x->setup.file.text, 1, x->setup.file.length, out);
    fputs("```\n", out);
}

/* ---- our solution --------------------------------------------------------------------------- */

void cli_export_solution(const cli_export* x, FILE* out)
{
    char* machine = cli_processor();
    const sar_options* o = &x->options;
    const char* preset = x->setup.method.preset;
    fprintf(out, "# %s: solution by Sarrus %s\n\n| | |\n| --- | --- |\n",
            sar_model_name(x->setup.file.model), SAR_VERSION);
    fprintf(out, "| accuracy, eps_T | %.4g |\n", x->trial.error);
    fprintf(out, "| efficiency, CPU time [s] | %.4g, mean of 5 runs, spread %.2g |\n", x->mean,
            x->spread);
    fprintf(out, "| machine | %s |\n| machine index | %.0f |\n", machine, x->index);
    fprintf(out, "| CPU time x index / 1000 | %.4g |\n", x->mean * x->index / 1000.0);
    fprintf(out, "| method | %s%scoordinates %s, formulation %s, integrator %s |\n",
            preset ? preset : "", preset ? ": " : "", o->coordinates, o->formulation,
            o->integrator);
    for (int k = 0; k < x->setup.method.names.count; k++)
        fprintf(out, "| %s | %s |\n", x->setup.method.names.items[k],
                x->setup.method.values.items[k]);
    fprintf(out, "| steps, iterations | %ld, %ld |\n", x->trial.statistics.steps,
            x->trial.statistics.iterations);
    fprintf(out, "| largest energy drift [J] | %.3g |\n", x->trial.statistics.energy_max_drift);
    fputs(
        "| results | `results.txt`, columns as in `description.md` |\n\nThe machine index is "
        "million multiply-adds a second of Gaussian elimination on a full matrix of order 100, in "
        "C: times on other machines compare by the product with their index.\n",
        out);
    free(machine);
}

/* ---- figures -------------------------------------------------------------------------------- */

void cli_export_curves(const cli_export* x, FILE* out)
{
    enum { WIDE = 900, TALL = 260 };
    const sar_result* r = x->setup.reference;
    cli_svg_begin(out, WIDE, TALL * x->columns.count);
    for (int c = 0; c < x->columns.count; c++) {
        const int column = sar_result_find(r, x->columns.items[c]);
        const cli_svg_series series = {.name = x->columns.items[c],
                                       .n = sar_result_rows(r),
                                       .x = sar_result_time(r),
                                       .y = sar_result_column(r, column)};
        fprintf(out, "<g transform=\"translate(0 %d)\">", TALL * c);
        cli_svg_write(out, &(cli_svg_plot){.title = x->columns.items[c],
                                           .xlabel = "t [s]",
                                           .ylabel = "",
                                           .width = WIDE,
                                           .height = TALL,
                                           .series = &series,
                                           .count = 1});
        fputs("</g>\n", out);
    }
    fputs("</svg>\n", out);
}

/* ---- the machine ---------------------------------------------------------------------------- */

enum { ORDER = 100 };

/// A = L U without pivots; A is dominated by its diagonal. The number of multiply-adds.
static double eliminate(double A[ORDER][ORDER])
{
    double count = 0.0;
    for (int k = 0; k < ORDER; k++)
        for (int i = k + 1; i < ORDER; i++) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; j < ORDER; j++) A[i][j] -= f * A[k][j];
            count += ORDER - k;
        }
    return count;
}

double cli_export_machine_index(void)
{
    static double A[ORDER][ORDER];
    double best = 0.0;
    for (int trial = 0; trial < 5; trial++) {
        double count = 0.0;
        const clock_t began = clock();
        while (clock() - began < CLOCKS_PER_SEC / 20) {
            for (int i = 0; i < ORDER; i++)
                for (int j = 0; j < ORDER; j++) A[i][j] = i == j ? ORDER : 1.0 / (1.0 + i + j);
            count += eliminate(A);
        }
        const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        best = fmax(best, 1e-6 * count / seconds);
    }
    return best;
}
