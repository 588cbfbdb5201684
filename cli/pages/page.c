#include "pages/page.h"

#include "common/command.h"
#include "common/files/json.h"
#include "common/files/output_file.h"
#include "pages/live.h"
#include "pages/pack.h"
#include "pages/page_model.h"
#include "pages/viewer.h"
#include "pictures/svg.h"

#include "math/functions.h"
#include "sarrus/quantities.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pose is rounded to this part of the size, a number of a quaternion or an angle to this much. */
static const double PLACE = 1e-5, TURN = 1e-5;
enum { MOST_NUMBERS = 12000000, FEW_COLUMNS = 64, MOST_BODIES = 2000 };

int cli_page_check(const char* path, const char* command)
{
    if (cli_viewer_missing) {
        cli_error(command, "this build of Sarrus has no pages: %s", cli_viewer_missing);
        cli_hint("Install nodejs and npm (Debian: 'make setup' does), then build again.");
        return CLI_FAILED;
    }
    if (cli_output_check(path) == 0) return 0;
    cli_error(command, "cannot write %s: %s", path, strerror(errno));
    return CLI_FAILED;
}

int cli_page_admit(const sar_model* model, const char* command)
{
    const int bodies = sar_model_bodies(model) - 1;
    if (bodies <= MOST_BODIES) return 0;
    cli_error(command, "'%s' has %d bodies; a page shows the motion of at most %d",
              sar_model_name(model), bodies, (int)MOST_BODIES);
    cli_hint("'sarrus draw' draws it at some times, 'sarrus report' shows the curves of a result.");
    return CLI_FAILED;
}

static int begins(const char* text, const char* with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Reactions, and what forces of the model exert. */
static int is_action(const char* name)
{
    return begins(name, "joints/") || begins(name, "forces/");
}

/* ---- which rows ----------------------------------------------------------------------------- */

typedef struct rows {
    int* at; ///< of the scene, or of the result where that has no motion
    int count, of;
    const double* time;
} rows;

/* Is there an event between this row and the next? The reports of runs name their times: "t": 1.5 */
static void keep_events(const char* report, const rows* r, char* keep)
{
    for (const char* p = report ? report : ""; (p = strstr(p, "\"t\":"));) {
        const double t = strtod(p += 4, NULL);
        int low = 0, high = r->of - 1;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            *(r->time[middle] <= t ? &low : &high) = middle;
        }
        if (r->of > 0) keep[low] = keep[high] = 1;
    }
}

/* A mode has none. */
static int columns_of(const cli_scene* s)
{
    return s->result ? sar_result_columns(s->result) : 0;
}

static const char* attribute_of(const cli_scene* s, const char* name)
{
    return s->result ? sar_result_attribute(s->result, name) : NULL;
}

static int row_of_result(const cli_scene* s, int row)
{
    return s->from ? s->from[row] : row;
}

/* Where outputs, energies and violations are largest and least: a thinned curve has its peaks. */
static void keep_extremes(const cli_scene* s, const rows* r, char* keep)
{
    for (int c = 0; c < columns_of(s); c++) {
        const char* name = sar_result_name(s->result, c);
        const double* values = sar_result_column(s->result, c);
        int least = -1, most = -1;
        if (begins(name, "bodies/") || is_action(name)) continue;
        for (int k = 0; k < r->of; k++) {
            const double value = values[row_of_result(s, k)];
            if (!isfinite(value)) continue;
            if (least < 0 || value < values[row_of_result(s, least)]) least = k;
            if (most < 0 || value > values[row_of_result(s, most)]) most = k;
        }
        if (least >= 0) keep[least] = keep[most] = 1;
    }
}

/* All, or as many as the page can bear or shall have: evenly, and those at events and extremes. */
static rows choose_rows(const cli_scene* scene, int moves, int limit)
{
    rows r = {.of = moves ? scene->rows : sar_result_rows(scene->result),
              .time = moves ? scene->time : sar_result_time(scene->result)};
    const double numbers = moves ? 9.0 * scene->bodies : 1.0;
    const double most = limit ? fmin(limit, MOST_NUMBERS / numbers) : MOST_NUMBERS / numbers;
    const int stride = (int)ceil(r.of / most);
    char* keep = cli_allocate((size_t)r.of + 1, 1);
    for (int k = 0; k<r.of; k += stride> 1 ? stride : 1) keep[k] = 1;
    if (r.of > 0) keep[r.of - 1] = 1;
    keep_events(attribute_of(scene, "json"), &r, keep);
    keep_extremes(scene, &r, keep);
    r.at = cli_allocate((size_t)r.of + 1, sizeof *r.at);
    for (int k = 0; k < r.of; k++)
        if (keep[k]) r.at[r.count++] = k;
    free(keep);
    return r;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Angles of planar bodies go on beyond a turn, quaternions do not jump to their opposites. */
static void make_continuous(double* values, int n, double period)
{
    for (int k = 1; k < n; k++) values[k] -= period * round((values[k] - values[k - 1]) / period);
}

static const double* pose_at(const cli_scene* s, const rows* r, int k, int body)
{
    return s->poses + ((size_t)r->at[k] * (size_t)s->bodies + (size_t)body) * SAR_POSE;
}

static void pack_planar(cli_pack* pack, const cli_scene* s, const rows* r, int body, double* room)
{
    const double quantum = PLACE * sar_drawing_size(s->drawing);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < r->count; k++) {
            const double* pose = pose_at(s, r, k, body);
            room[k] = c < 2 ? pose[c] : 2.0 * sari_atan2(pose[6], pose[3]);
        }
        if (c == 2) make_continuous(room, r->count, 6.283185307179586);
        cli_pack_quantised(pack, room, r->count, c < 2 ? quantum : TURN);
    }
}

static void pack_spatial(cli_pack* pack, const cli_scene* s, const rows* r, int body, double* room,
                         char* flipped)
{
    const double quantum = PLACE * sar_drawing_size(s->drawing);
    for (int k = 1; k < r->count; k++) {
        const double *p = pose_at(s, r, k - 1, body), *q = pose_at(s, r, k, body);
        const double same = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6];
        flipped[k] = (char)(same < 0 ? !flipped[k - 1] : flipped[k - 1]);
    }
    for (int c = 0; c < SAR_POSE; c++) {
        for (int k = 0; k < r->count; k++)
            room[k] = pose_at(s, r, k, body)[c] * (c >= 3 && flipped[k] ? -1.0 : 1.0);
        cli_pack_quantised(pack, room, r->count, c < 3 ? quantum : TURN);
    }
}

static void pack_poses(cli_pack* pack, const cli_scene* s, const rows* r)
{
    double* room = cli_allocate((size_t)r->count + 1, sizeof *room);
    char* flipped = cli_allocate((size_t)r->count + 1, 1);
    for (int b = 1; b < s->bodies; b++) {
        if (sar_model_dimension(s->file.model) == 2)
            pack_planar(pack, s, r, b, room);
        else
            pack_spatial(pack, s, r, b, room, flipped);
    }
    free(flipped);
    free(room);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* "energy/kinetic" is the quantity energy.kinetic; "joints/J/force[0]" the quantity force. */
static const char* unit_of(const cli_scene* s, const char* name)
{
    const char* slash = strchr(name, '/');
    if (is_action(name)) return strstr(name, "/torque[") ? "N m" : "N";
    if (begins(name, "ledger/")) return "J";
    for (int q = 0; slash && q < sar_quantities(); q++) {
        const sar_quantity* quantity = sar_quantity_at(q);
        const char* dot = strchr(quantity->name, '.');
        if (dot && dot - quantity->name == slash - name && strcmp(dot + 1, slash + 1) == 0 &&
            strncmp(quantity->name, name, (size_t)(slash - name)) == 0)
            return quantity->unit;
    }
    for (int k = 0; !slash && s->file.model && k < sar_model_outputs(s->file.model); k++)
        if (strcmp(sar_model_output_name(s->file.model, k), name) == 0)
            return sar_model_output_unit(s->file.model, k);
    return "";
}

/* 0: as floats. Reactions are many, and four digits are enough for arrows and curves. */
static double quantum_of(const char* name, const double* values, int n, int outputs)
{
    double most = 0.0;
    for (int k = 0; k < n; k++) {
        if (!isfinite(values[k])) return 0.0;
        most = fmax(most, fabs(values[k]));
    }
    if (is_action(name)) return most > 0 ? 1e-4 * most : 1.0;
    if (strchr(name, '/') || outputs <= FEW_COLUMNS) return 0.0;
    return most > 0 ? 1e-6 * most : 1.0;
}

static void put_columns(cli_json* j, cli_pack* pack, const cli_scene* s, const rows* r)
{
    double* room = cli_allocate((size_t)r->count + 1, sizeof *room);
    int outputs = 0;
    for (int c = 0; c < columns_of(s); c++)
        outputs += strchr(sar_result_name(s->result, c), '/') == NULL;
    cli_json_open(j, "columns", '[');
    for (int c = 0; c < columns_of(s); c++) {
        const char* name = sar_result_name(s->result, c);
        const double* values = sar_result_column(s->result, c);
        if (begins(name, "bodies/")) continue;
        for (int k = 0; k < r->count; k++) room[k] = values[row_of_result(s, r->at[k])];
        const double quantum = quantum_of(name, room, r->count, outputs);
        if (quantum > 0)
            cli_pack_quantised(pack, room, r->count, quantum);
        else
            cli_pack_floats(pack, room, r->count);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", name);
        cli_json_text(j, "unit", unit_of(s, name));
        cli_json_number(j, "quantum", quantum);
        cli_json_close(j);
    }
    cli_json_close(j);
    free(room);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static const char* base_name(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_run(cli_json* j, cli_pack* pack, const cli_scene* s, int moves, int limit)
{
    const rows r = choose_rows(s, moves, limit);
    double* time = cli_allocate((size_t)r.count + 1, sizeof *time);
    const double start = r.count ? r.time[r.at[0]] : 0.0;
    const double span = r.count ? r.time[r.at[r.count - 1]] - start : 0.0;
    const double quantum = span > 0 ? 1e-9 * span : 1.0;
    for (int k = 0; k < r.count; k++) time[k] = r.time[r.at[k]] - start;
    cli_pack_quantised(pack, time, r.count, quantum);
    if (moves) pack_poses(pack, s, &r);
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "label", s->label ? s->label : base_name(s->name));
    cli_json_text(j, "report", attribute_of(s, "json"));
    cli_json_text(j, "verdict", s->note ? s->note : attribute_of(s, "verdict"));
    cli_json_boolean(j, "mode", s->note != NULL);
    cli_json_text(j, "command", attribute_of(s, "command"));
    cli_json_integer(j, "rows", r.count);
    cli_json_integer(j, "of", r.of);
    cli_json_boolean(j, "thinned", r.count < r.of);
    cli_json_boolean(j, "moves", moves);
    cli_json_number(j, "time_start", start);
    cli_json_number(j, "time_quantum", quantum);
    cli_json_number(j, "place_quantum", moves ? PLACE * sar_drawing_size(s->drawing) : 0.0);
    cli_json_number(j, "turn_quantum", TURN);
    put_columns(j, pack, s, &r);
    cli_json_boolean(j, "deflated", cli_pack_deflate(pack));
    cli_json_close(j);
    free(time);
    free(r.at);
}

/* ---- the model ------------------------------------------------------------------------------ */

/* "y", or "x:y". */
static void put_plots(cli_json* j, const cli_words* plots)
{
    cli_json_open(j, "plots", '[');
    for (int k = 0; k < plots->count; k++) {
        const char *text = plots->items[k], *colon = strchr(text, ':');
        char* x = cli_format("%.*s", colon ? (int)(colon - text) : 1, colon ? text : "t");
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "x", x);
        cli_json_open(j, "y", '[');
        cli_json_text(j, NULL, colon ? colon + 1 : text);
        cli_json_close(j);
        cli_json_close(j);
        free(x);
    }
    cli_json_close(j);
}

static const char* name_of(const cli_scene* s)
{
    const char* kept = attribute_of(s, "model");
    return s->file.model   ? sar_model_name(s->file.model)
           : kept && *kept ? kept
                           : base_name(s->name);
}

static char* scene_json(const cli_page* page, cli_scene* scenes, int count, cli_pack* packs)
{
    char* text = NULL;
    size_t length = 0;
    FILE* memory = open_memstream(&text, &length);
    if (!memory) return NULL;
    const int moves = !page->still && scenes[0].drawing != NULL;
    cli_json j = cli_json_begin(memory);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.view/1");
    cli_json_text(&j, "version", SAR_VERSION);
    cli_json_text(&j, "name", name_of(&scenes[0]));
    cli_json_text(&j, "title", page->title ? page->title : name_of(&scenes[0]));
    cli_json_text(&j, "notes", page->notes);
    if (moves) cli_page_put_model(&j, scenes[0].file.model, scenes[0].drawing);
    cli_json_open(&j, "marks", '[');
    for (int k = 0; moves && k < sar_drawing_marks(scenes[0].drawing); k++)
        cli_page_put_mark(&j, sar_drawing_mark(scenes[0].drawing, k));
    cli_json_close(&j);
    put_plots(&j, &page->plots);
    cli_json_open(&j, "runs", '[');
    for (int k = 0; k < count; k++)
        put_run(&j, &packs[k], &scenes[k], moves && scenes[k].drawing != NULL, page->rows);
    cli_json_close(&j);
    cli_json_close(&j);
    fclose(memory);
    return text;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Inside a script nothing ends it but "<", which JSON can spell otherwise. */
void cli_page_put_json(FILE* out, const char* text)
{
    for (const char* c = text; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    }
}

/* WebAssembly needs to be allowed, and a worker that is made of the page itself. */
static const char* policy_of(int live)
{
    return live ? "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
                  "connect-src data:;"
                : "script-src 'unsafe-inline';";
}

static void put_page(FILE* out, const cli_page* page, const char* title, const char* json,
                     const cli_pack* packs, cli_scene* scenes, int count)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
          out);
    fputs(policy_of(page->live), out);
    fputs(" style-src 'unsafe-inline'; img-src data: blob:; media-src blob:\">\n<title>", out);
    cli_put_html(out, title);
    fputs("</title>\n<style>", out);
    fwrite(cli_viewer_style, 1, cli_viewer_style_length, out);
    fputs("</style>\n</head>\n<body>\n<div id=\"app\"><p>Loading ...</p></div>\n"
          "<noscript>This page needs JavaScript; it loads nothing from anywhere.</noscript>\n"
          "<script type=\"application/json\" id=\"scene\">",
          out);
    cli_page_put_json(out, json);
    fputs("</script>\n", out);
    if (page->live) cli_live_put(out, page, count ? &scenes[0] : NULL);
    for (int k = 0; k < count; k++) {
        fprintf(out, "<script type=\"text/plain\" id=\"data%d\">", k);
        cli_pack_write(&packs[k], out);
        fputs("</script>\n", out);
    }
    fputs("<script>", out);
    fwrite(cli_viewer_script, 1, cli_viewer_script_length, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

int cli_page_write(const cli_page* page, const char* path, cli_scene* scenes, int count,
                   const char* command)
{
    cli_output_file file;
    cli_pack* packs = cli_allocate((size_t)count, sizeof *packs);
    char* json = scene_json(page, scenes, count, packs);
    int failed = json ? cli_output_begin(&file, command, path) : CLI_FAILED;
    if (!failed) {
        const char* title = page->title ? page->title : name_of(&scenes[0]);
        put_page(file.to, page, title, json, packs, scenes, count);
        failed = cli_output_end(&file, command, path);
    }
    for (int k = 0; k < count; k++) cli_pack_clear(&packs[k]);
    free(packs);
    free(json);
    return failed;
}

int cli_page_write_playground(const char* path, const char* command)
{
    const cli_page page = {.live = 1};
    cli_output_file file;
    if (cli_output_begin(&file, command, path)) return CLI_FAILED;
    put_page(file.to, &page, "Sarrus playground", "{\"version\": \"" SAR_VERSION "\"}", NULL, NULL,
             0);
    return cli_output_end(&file, command, path);
}

/* xdg-open knows the browser of the desktop. */
int cli_page_open(const char* path)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if (!cli_is_terminal(stderr) || !((x && *x) || (wayland && *wayland))) return 0;
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(127);
        execlp("xdg-open", "xdg-open", path, (char*)NULL);
        _exit(127);
    }
    int how = 0;
    return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}
