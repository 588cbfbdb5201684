/* A pose as the start of a model file: the text of the model, with another `start:` section. */
#include "pose/pose.h"

#include "common/files/output_file.h"
#include "common/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Does a line begin a section, the one called `name` or any (NULL)? */
static int begins(const char* line, const char* name)
{
    if (name) return strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':';
    return *line && *line != ' ' && *line != '#' && *line != '\n' && *line != '\r' && *line != '-';
}

/* All lines but those of the section `start`. */
static void write_rest(const char* text, FILE* to)
{
    int inside = 0;
    for (const char* line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        const size_t whole = length + (line[length] == '\n');
        if (begins(line, NULL)) inside = begins(line, "start");
        if (!inside) fwrite(line, 1, whole, to);
        line += whole;
    }
    if (*text && text[strlen(text) - 1] != '\n') putc('\n', to);
}

/* The pose, and the states of the model. Rates of another pose may be none of this one: it is at rest. */
static void write_start(const pose_task* task, FILE* to)
{
    const sar_model* model = task->base.file.model;
    fprintf(to, "start:\n");
    for (int k = 0; k < sar_pose_starts(task->pose); k++)
        fprintf(to, "  %s: %.17g\n", sar_pose_start_name(task->pose, k),
                sar_pose_start_value(task->pose, k));
    for (int k = 0; k < sar_model_starts(model); k++) {
        const char* name = sar_model_start_name(model, k);
        if (!strchr(name, '.')) fprintf(to, "  %s: %.17g\n", name, sar_model_start_value(model, k));
    }
}

static int is_yaml(const char* text)
{
    return text && text[strspn(text, " \t\r\n")] != '{' && text[strspn(text, " \t\r\n")] != '<';
}

/* Poses of a table as rows: what was wanted, the coordinates, how near it came. */
static void write_table(const pose_task* task, FILE* to)
{
    const int starts = sar_pose_starts(task->pose);
    for (int c = 0; c < task->columns; c++) fprintf(to, "wanted %s,", task->rows[c].expression);
    for (int k = 0; k < starts; k++) fprintf(to, "%s,", sar_pose_start_name(task->pose, k));
    fprintf(to, "distance,met\n");
    for (int i = 0; i < task->lines; i++) {
        for (int c = 0; c < task->columns; c++)
            fprintf(to, "%.17g,", task->values[(long)i * task->columns + c]);
        for (int k = 0; k < starts; k++) fprintf(to, "%.17g,", task->shown[(long)i * starts + k]);
        fprintf(to, "%.17g,%d\n", task->reports[i].distance, task->reports[i].met);
    }
}

int pose_write(const pose_task* task)
{
    const cli_model_file* file = &task->base.file;
    cli_output_file out;
    if (!task->table && !is_yaml(file->text)) {
        cli_error("pose",
                  "%s: only YAML files can be written with another start; take the `start` "
                  "of --json",
                  file->path);
        return CLI_USAGE;
    }
    if (cli_output_begin(&out, "pose", task->output)) return CLI_FAILED;
    if (task->table)
        write_table(task, out.to);
    else {
        write_rest(file->text, out.to);
        write_start(task, out.to);
    }
    return cli_output_end(&out, "pose", task->output);
}
