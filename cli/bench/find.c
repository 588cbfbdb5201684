/* Which studies a name means: files in studies/, their groups, and problems. */
#include "bench/bench.h"

#include "common/command.h"
#include "common/files/inputs.h"
#include "common/files/model_file.h"
#include "common/options.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what there is -------------------------------------------------------------------------- */

/// Names of the files studies/NAME.yaml, without the ending.
void cli_bench_study_names(cli_words* names)
{
    cli_words folders = {0};
    cli_data_folders("studies", &folders);
    for (int k = 0; k < folders.count; k++) {
        DIR* folder = opendir(folders.items[k]);
        if (!folder) continue;
        for (const struct dirent* entry; (entry = readdir(folder));) {
            const char* dot = strrchr(entry->d_name, '.');
            if (!dot || dot == entry->d_name || strcmp(dot, ".yaml") != 0) continue;
            char* name = cli_format("%.*s", (int)(dot - entry->d_name), entry->d_name);
            cli_words_add_once(names, name);
            free(name);
        }
        closedir(folder);
    }
    cli_words_clear(&folders);
}

/// By letters, and by value where there are digits: table-9 before table-10.
static int by_name(const void* first, const void* second)
{
    const char *a = *(char*const*)first, *b = *(char*const*)second;
    for (; *a && *b; a++, b++) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *end_a, *end_b;
            long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);
            if (x != y) return x < y ? -1 : 1;
            a = end_a - 1, b = end_b - 1;
        } else if (*a != *b) {
            break;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/// Is it the path of a study of one's own, not the name of one that is here?
static int is_file(const char* name)
{
    const char* end = strrchr(name, '.');
    return end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".json") == 0);
}

/// 0, or an exit code after a message.
static int open_study(const char* name, sar_study** out)
{
    cli_words folders = {0};
    if (is_file(name))
        cli_words_add(&folders, "%s", name);
    else
        cli_data_folders("studies", &folders);
    sar_status status = SAR_E_IO;
    char* messages = NULL;
    for (int k = 0; k < folders.count && status == SAR_E_IO; k++) {
        char* path = is_file(name) ? cli_format("%s", name)
                                   : cli_format("%s/%s.yaml", folders.items[k], name);
        sar_text_free(messages);
        status = sar_study_read(path, out, &messages);
        cli_inputs_add(path);
        free(path);
    }
    cli_words_clear(&folders);
    if (status != SAR_OK) {
        if (messages) fputs(messages, stderr);
        cli_error("bench", "the study '%s' cannot be read", name);
    }
    sar_text_free(messages);
    return status == SAR_OK ? 0 : CLI_FAILED;
}

int cli_bench_list(void)
{
    cli_words names = {0};
    char group[64] = "";
    int outcome = 0;
    cli_bench_study_names(&names);
    qsort(names.items, (size_t)names.count, sizeof *names.items, by_name);
    for (int k = 0; k < names.count && outcome == 0; k++) {
        sar_study* study = NULL;
        outcome = open_study(names.items[k], &study);
        if (outcome != 0) break;
        const sar_study_head* head = sar_study_about(study);
        if (strcmp(group, head->group) != 0) {
            snprintf(group, sizeof group, "%s", head->group);
            printf("%s%s%s%s  all of [%s]\n", k ? "\n" : "", cli_paint(stdout, CLI_BOLD), group,
                   cli_paint(stdout, CLI_PLAIN), head->source);
        }
        printf("  %-14s %s\n", head->name, head->title);
        sar_study_destroy(study);
    }
    if (names.count == 0) puts("no studies found");
    cli_words_clear(&names);
    cli_words problems = {0};
    cli_problem_names(&problems);
    qsort(problems.items, (size_t)problems.count, sizeof *problems.items, by_name);
    fputs("\nor a problem, for all that was published about it:\n ", stdout);
    for (int k = 0; k < problems.count; k++) printf(" %s", problems.items[k]);
    putchar('\n');
    cli_words_clear(&problems);
    return outcome;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static int add_published(cli_bench_study* s, const char* problem, const char* source,
                         const char* table)
{
    char *path = cli_problem_file(problem, "published.json"), *messages = NULL;
    if (!path) {
        cli_error("bench", "the problem '%s' has no published.json", problem);
        return CLI_FAILED;
    }
    sar_status status =
        sar_study_add_published(s->study, path, source, table, &s->others, &messages);
    if (status != SAR_OK) {
        if (messages) fputs(messages, stderr);
        cli_error("bench", "%s cannot be read", path);
    }
    sar_text_free(messages);
    free(path);
    return status == SAR_OK ? 0 : CLI_FAILED;
}

static void add_to(cli_bench* bench, const cli_bench_study* study)
{
    bench->studies = cli_resize(bench->studies, (size_t)(bench->count + 1) * sizeof *study);
    bench->studies[bench->count++] = *study;
}

/// The rows are complete: make room for what will be measured.
static void prepare_rows(cli_bench_study* s)
{
    s->head = sar_study_about(s->study);
    s->count = sar_study_rows(s->study);
    s->rows = cli_allocate((size_t)s->count, sizeof *s->rows);
    for (int k = 0; k < s->count; k++)
        s->rows[k] = (cli_bench_row){.row = sar_study_row_at(s->study, k),
                                     .number = k + 1,
                                     .wanted = 1,
                                     .verdict = SAR_VERDICT_NOT_RUN};
}

/// Is there something that the plot's axis can show?
static int is_known(const cli_bench_study* s, const char* name)
{
    int known = cli_bench_is_quantity(name) || strcmp(name, "t") == 0;
    for (int k = 0; k < s->count; k++) known |= !isnan(cli_bench_setting(&s->rows[k], name));
    return known;
}

/// A plot over a quantity that no row has would be empty without a word.
static int check_plots(const cli_bench_study* s)
{
    for (int k = 0; k < s->head->plot_count; k++) {
        const sar_study_plot* plot = &s->head->plots[k];
        if (is_known(s, plot->x)) continue;
        cli_error("bench",
                  "%s: a plot over '%s', which is no quantity, option or parameter of a row",
                  s->head->name, plot->x);
        return CLI_USAGE;
    }
    return 0;
}

static int add_study(cli_bench* bench, const char* name)
{
    cli_bench_study s = {0};
    int refused = open_study(name, &s.study);
    if (refused) return refused;
    const sar_study_head* head = sar_study_about(s.study);
    for (int k = 0; *head->table && k < head->problem_count && !refused; k++)
        refused = add_published(&s, head->problems[k], head->source, head->table);
    if (!refused) prepare_rows(&s);
    if (!refused) refused = check_plots(&s);
    add_to(bench, &s);
    return refused;
}

static int add_problem(cli_bench* bench, const char* name)
{
    cli_bench_study s = {0};
    char* title = cli_format("all published results of the problem %s", name);
    sar_status status = sar_study_create(name, title, &s.study);
    free(title);
    if (status != SAR_OK) {
        cli_error("bench", "%s", sar_status_text(status));
        return CLI_FAILED;
    }
    int refused = add_published(&s, name, NULL, NULL);
    if (!refused) prepare_rows(&s);
    add_to(bench, &s);
    return refused;
}

static int refuse(const char* name, const cli_words* studies, const cli_words* problems)
{
    cli_words known = {0};
    for (int k = 0; k < studies->count; k++) cli_words_add_once(&known, studies->items[k]);
    for (int k = 0; k < problems->count; k++) cli_words_add_once(&known, problems->items[k]);
    const char* nearest = cli_nearest(name, (const char* const*)known.items, known.count);
    if (nearest)
        cli_error("bench", "no study and no problem '%s'; did you mean '%s'?", name, nearest);
    else
        cli_error("bench", "no study and no problem '%s'", name);
    cli_words_clear(&known);
    cli_hint("'sarrus bench' lists what there is.");
    return CLI_USAGE;
}

/// All studies of a group; -1 when there is no such group.
static int add_group(cli_bench* bench, const char* name, const cli_words* studies)
{
    int found = 0, refused = 0;
    for (int k = 0; k < studies->count && !refused; k++) {
        sar_study* study = NULL;
        refused = open_study(studies->items[k], &study);
        int belongs = !refused && strcmp(sar_study_about(study)->group, name) == 0;
        sar_study_destroy(study);
        if (belongs) refused = add_study(bench, studies->items[k]);
        found |= belongs;
    }
    return refused ? refused : found ? 0 : -1;
}

static int among(const cli_words* words, const char* word)
{
    for (int k = 0; k < words->count; k++)
        if (strcmp(words->items[k], word) == 0) return 1;
    return 0;
}

int cli_bench_find(cli_bench* bench, const char* name)
{
    cli_words studies = {0}, problems = {0};
    cli_bench_study_names(&studies);
    qsort(studies.items, (size_t)studies.count, sizeof *studies.items, by_name);
    cli_problem_names(&problems);
    qsort(problems.items, (size_t)problems.count, sizeof *problems.items, by_name);
    int outcome;
    if (is_file(name) || among(&studies, name))
        outcome = add_study(bench, name);
    else if (among(&problems, name))
        outcome = add_problem(bench, name);
    else
        outcome = add_group(bench, name, &studies);
    if (outcome < 0) outcome = refuse(name, &studies, &problems);
    cli_words_clear(&studies);
    cli_words_clear(&problems);
    return outcome;
}

void cli_bench_clear(cli_bench* bench)
{
    for (int k = 0; k < bench->count; k++) {
        cli_bench_study* s = &bench->studies[k];
        for (int j = 0; s->rows && j < s->count; j++) {
            sar_result_destroy(s->rows[j].history);
            sar_result_destroy(s->rows[j].reference);
            cli_sketch_clear(&s->rows[j].sketch);
            if (s->rows[j].own) free((void*)(uintptr_t)s->rows[j].own->options);
            free(s->rows[j].own);
        }
        free(s->rows);
        sar_study_destroy(s->study);
    }
    free(bench->studies);
    *bench = (cli_bench){0};
}

/* ---- a part of the rows --------------------------------------------------------------------- */

/// "3" or "3-5".
static int is_range(const char* word, int* from, int* to)
{
    int length = 0;
    if (sscanf(word, "%d-%d%n", from, to, &length) == 2 && !word[length]) return 1;
    if (sscanf(word, "%d%n", from, &length) != 1 || word[length]) return 0;
    *to = *from;
    return 1;
}

static int contains(const char* text, const char* word)
{
    size_t length = strlen(word);
    for (; *text; text++)
        if (strncasecmp(text, word, length) == 0) return 1;
    return 0;
}

static int matches(const cli_bench_row* row, const char* word)
{
    int from, to;
    if (is_range(word, &from, &to)) return row->number >= from && row->number <= to;
    if (contains(row->row->label, word)) return 1;
    for (int k = row->row->inherited; k < row->row->option_count; k++) // the label says the rest
        if (isalpha((unsigned char)row->row->options[k].value[0]) &&
            contains(row->row->options[k].value, word))
            return 1;
    return 0;
}

int cli_bench_filter(cli_bench* bench, const char* filter)
{
    cli_words words = {0};
    cli_words_split(&words, filter, ",");
    int kept = 0;
    for (int k = 0; k < bench->count; k++)
        for (int j = 0; j < bench->studies[k].count; j++) {
            cli_bench_row* row = &bench->studies[k].rows[j];
            row->wanted = 0;
            for (int w = 0; w < words.count; w++) row->wanted |= matches(row, words.items[w]);
            kept += row->wanted;
        }
    cli_words_clear(&words);
    if (kept > 0) return 0;
    cli_error("bench", "--rows %s: no row matches", filter);
    return cli_usage(&cli_command_bench);
}
