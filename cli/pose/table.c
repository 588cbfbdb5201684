/* Many poses at once: a table of wanted values, one pose for each row, each from the one before. */
#include "pose/pose.h"

#include "common/files/inputs.h"
#include "common/interrupt.h"
#include "common/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file) return NULL;
    size_t length = 0, room = 1 << 16;
    char* text = cli_allocate(room, 1);
    for (size_t got; (got = fread(text + length, 1, room - length - 1, file)) > 0;) {
        length += got;
        if (room - length < 2) text = cli_resize(text, room *= 2);
    }
    const int bad = ferror(file);
    fclose(file);
    text[length] = 0;
    if (!bad) return text;
    free(text);
    return NULL;
}

/* Heads of the columns: expressions, in quotes where they have commas. */
static char* read_heads(pose_task* task, char* text)
{
    char* at = text;
    for (;;) {
        at += strspn(at, " \t");
        const int quoted = *at == '"';
        char* end = quoted ? strchr(++at, '"') : at + strcspn(at, ",\r\n");
        if (!end) return NULL;
        cli_words_add(&task->names, "%.*s", (int)(end - at), at);
        char* name = task->names.items[task->columns++];
        for (size_t k = strlen(name); k > 0 && name[k - 1] == ' ';) name[--k] = 0;
        at = end + quoted;
        at += strspn(at, " \t");
        if (*at != ',') return at;
        at++;
    }
}

static int complain(const pose_task* task, int line, const char* what)
{
    cli_error("pose", "%s:%d: %s", task->table, line, what);
    return CLI_USAGE;
}

/* One line of numbers; *at is then its end. 0: there are not as many as heads. */
static int read_line(pose_task* task, char** at, double* values)
{
    for (int c = 0; c < task->columns; c++) {
        char* end;
        values[c] = strtod(*at, &end);
        if (end == *at || !isfinite(values[c])) return 0;
        *at = end + strspn(end, " \t");
        if (c + 1 == task->columns) break;
        if (**at != ',') return 0;
        ++*at;
    }
    return **at == 0 || **at == '\n' || **at == '\r';
}

static int read_lines(pose_task* task, char* at)
{
    long room = 0;
    for (int line = 1; *at; line++) {
        at += *at == '\r';
        at += *at == '\n';
        if (at[strspn(at, " \t\r\n")] == 0) break;
        if (task->lines == room) {
            room = 2 * room + 64;
            task->values =
                cli_resize(task->values, (size_t)(room * task->columns) * sizeof(double));
        }
        if (!read_line(task, &at, task->values + (long)task->lines * task->columns))
            return complain(task, line + 1, "expected a finite number for each of the columns");
        task->lines++;
    }
    return task->lines ? 0 : complain(task, 1, "there are no rows of numbers");
}

int pose_read_table(pose_task* task)
{
    char* text = read_text(task->table);
    if (!text) {
        cli_error("pose", "%s: %s", task->table, strerror(errno));
        return CLI_USAGE;
    }
    cli_inputs_add(task->table);
    char* rest = read_heads(task, text);
    const int refused =
        rest ? read_lines(task, rest) : complain(task, 1, "a quote is not closed in the heads");
    free(text);
    return refused;
}

int pose_solve_table(pose_task* task)
{
    cli_inspection* x = &task->base;
    const int starts = sar_pose_starts(task->pose);
    task->column = cli_allocate((size_t)task->columns, sizeof(int));
    for (int c = 0; c < task->columns; c++) task->column[c] = c;
    task->reports = cli_allocate((size_t)task->lines, sizeof *task->reports);
    task->shown = cli_allocate((size_t)task->lines * (size_t)starts + 1, sizeof(double));
    sar_status status = SAR_OK;
    int done = 0;
    cli_catch_signals();
    for (; done < task->lines && status == SAR_OK && !cli_interrupted; done++)
        status = sar_pose_table(task->pose, task->starts, 1, task->columns, task->column,
                                task->values + (long)done * task->columns, task->reports + done,
                                task->shown + (long)done * starts);
    if (status != SAR_OK) {
        x->failure = cli_format("%s", sar_status_text(status));
        cli_error("pose", "%s: %s", x->name, x->failure);
        return CLI_FAILED;
    }
    const int all = task->lines;
    task->lines = done;
    for (int i = 0; i < done; i++) task->missed += !task->reports[i].met;
    x->known = 1;
    if (done == all) return task->missed ? CLI_DOUBTFUL : CLI_DONE;
    task->interrupted = 1;
    cli_warning("pose", "%s: interrupted after %d of %d poses, which are kept", x->name, done, all);
    return CLI_INTERRUPTED;
}

void pose_print_table(const pose_task* task)
{
    enum { SHOWN = 8 };
    int shown = 0, jumps = 0;
    for (int i = 0; i < task->lines; i++) jumps += task->reports[i].elsewhere;
    cli_print_label(stdout, "poses");
    printf("%d of %d reached\n", task->lines - task->missed, task->lines);
    for (int i = 0; i < task->lines && shown < SHOWN; i++) {
        if (task->reports[i].met) continue;
        cli_print_label(stdout, shown++ ? "" : "missed");
        printf("row %d: by %.3g\n", i + 1, task->reports[i].distance);
    }
    if (task->missed > SHOWN) {
        cli_print_label(stdout, "");
        printf("and %d more; --json lists all of them\n", task->missed - SHOWN);
    }
    if (jumps == 0) return;
    cli_print_label(stdout, "note");
    printf("%d found from random starts: whether a motion leads there is not known\n", jumps);
}

void pose_json_table(const pose_task* task, cli_json* j)
{
    const int starts = sar_pose_starts(task->pose);
    cli_json_integer(j, "poses", task->lines);
    cli_json_integer(j, "missed", task->missed);
    cli_json_open(j, "names", '[');
    for (int k = 0; k < starts; k++) cli_json_text(j, NULL, sar_pose_start_name(task->pose, k));
    cli_json_close(j);
    cli_json_open(j, "rows", '[');
    for (int i = 0; i < task->lines; i++) {
        cli_json_open(j, NULL, '{');
        cli_json_boolean(j, "met", task->reports[i].met);
        cli_json_number(j, "distance", task->reports[i].distance);
        cli_json_boolean(j, "elsewhere", task->reports[i].elsewhere);
        cli_json_numbers(j, "start", task->shown + (long)i * starts, starts);
        cli_json_close(j);
    }
    cli_json_close(j);
}
