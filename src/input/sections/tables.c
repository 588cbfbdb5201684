/* Tables: functions given by points, in the model file or in a file of comma-separated values whose
 * first line names the columns. Lines that are empty or begin with '#' are passed over. */
#include "base/memory.h"
#include "base/status.h"
#include "expression/token.h"
#include "input/reader.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MOST = 4096, CELL_MOST = 128 };

/* ---- a file of columns ---------------------------------------------------------------------- */

/// A text of comma-separated values, and where in it we are.
typedef struct csv_text {
    const char *at, *end;
    int line; ///< from 1; of the line that was opened last
} csv_text;

typedef struct span {
    const char* text;
    size_t length;
} span;

/// The next line with something in it; false at the end.
static bool next_line(csv_text* csv, span* line)
{
    while (csv->at < csv->end) {
        const char* stop = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));
        size_t length = (size_t)((stop ? stop : csv->end) - csv->at);
        *line = (span){csv->at, length};
        csv->at = stop ? stop + 1 : csv->end;
        csv->line++;
        while (line->length > 0 && strchr(" \t\r", line->text[line->length - 1])) line->length--;
        if (line->length > 0 && line->text[0] != '#') return true;
    }
    return false;
}

/// The cell in column `index` of a line, without blanks and quotes around it; false: there is none.
static bool cell_of(span line, int index, span* cell)
{
    const char *at = line.text, *end = line.text + line.length;
    for (int k = 0;; k++) {
        bool quoted = false;
        const char* stop = at;
        for (; stop < end && (quoted || *stop != ','); stop++) quoted ^= *stop == '"';
        if (k == index) {
            while (at < stop && strchr(" \t\"", *at)) at++;
            while (stop > at && strchr(" \t\"", stop[-1])) stop--;
            *cell = (span){at, (size_t)(stop - at)};
            return true;
        }
        if (stop == end) return false;
        at = stop + 1;
    }
}

static int find_column(span header, const char* name)
{
    span cell;
    for (int k = 0; k < COLUMNS_MOST && cell_of(header, k, &cell); k++)
        if (cell.length == strlen(name) && memcmp(cell.text, name, cell.length) == 0) return k;
    return -1;
}

/// A number as expressions write it, with a sign; NaN when the cell is none.
static double number_of(span cell)
{
    char text[CELL_MOST];
    sari_token token;
    if (cell.length == 0 || cell.length >= sizeof text) return NAN;
    memcpy(text, cell.text, cell.length);
    text[cell.length] = '\0';
    int sign = text[0] == '-' || text[0] == '+';
    if (sari_token_read(text, sign, &token, NULL) != SAR_OK) return NAN;
    bool whole = token.kind == SARI_TOKEN_NUMBER && token.offset == sign &&
                 (size_t)(token.offset + token.length) == cell.length;
    if (!whole) return NAN;
    return text[0] == '-' ? -token.number : token.number;
}

/* ---- reading one ---------------------------------------------------------------------------- */

/// A table while it is read.
typedef struct table_source {
    sari_reader* r;
    const sari_element* e;
    const sari_node* file;
    const char* path;
    int* lines; ///< of the points, in a file
    double *x, *y;
    int count;
} table_source;

static bool make_room(table_source* s, int points)
{
    sari_reader* r = s->r;
    s->x = sari_take(r, (size_t)points + 1, sizeof *s->x);
    s->y = sari_take(r, (size_t)points + 1, sizeof *s->y);
    s->lines = sari_take(r, (size_t)points + 1, sizeof *s->lines);
    return s->x && s->y && s->lines;
}

/// The column that the key `key` names, from 0; -1 after an error.
static int read_column(table_source* s, const char* key, span header)
{
    const sari_node* node = sari_node_get(s->e->map, key);
    int before = s->r->failures;
    if (!node) return -1; // was reported
    const char* name = sari_read_text(s->r, node, key).text;
    if (s->r->failures != before) return -1;
    int column = find_column(header, name);
    if (column >= 0) return column;
    sari_report(s->r, node, "table '%s': %s has no column '%.60s'", s->e->name, s->path, name);
    int shown = (int)(header.length < 200 ? header.length : 200);
    sari_hint(s->r, "its first line is: %.*s", shown, header.text);
    return -1;
}

static bool read_cell(table_source* s, span line, int column, int number, double* out)
{
    span cell = {"", 0};
    bool there = cell_of(line, column, &cell);
    *out = number_of(cell);
    if (isfinite(*out)) return true;
    sari_report(s->r, s->file, "table '%s': %s, line %d: %s%.*s%s in column %d", s->e->name,
                s->path, number, there && cell.length ? "'" : "no number",
                (int)(cell.length < 60 ? cell.length : 60), cell.text,
                there && cell.length ? "' is not a finite number" : "", column + 1);
    return false;
}

static void read_rows(table_source* s, csv_text* csv, const int column[2])
{
    span line;
    while (next_line(csv, &line)) {
        int k = s->count;
        if (!read_cell(s, line, column[0], csv->line, &s->x[k])) return;
        if (!read_cell(s, line, column[1], csv->line, &s->y[k])) return;
        s->lines[k] = csv->line;
        s->count++;
    }
}

static void read_columns(table_source* s, const char* text, size_t length)
{
    int lines = 1;
    for (size_t k = 0; k < length; k++) lines += text[k] == '\n';
    csv_text csv = {text, text + length, 0};
    span header;
    if (!next_line(&csv, &header)) {
        sari_report(s->r, s->file, "table '%s': %s is empty", s->e->name, s->path);
        return;
    }
    int column[2] = {read_column(s, "x", header), read_column(s, "y", header)};
    if (column[0] >= 0 && column[1] >= 0 && make_room(s, lines)) read_rows(s, &csv, column);
}

static void read_from_file(table_source* s)
{
    sari_reader* r = s->r;
    int before = r->failures;
    const char* file = sari_read_text(r, s->file, "file").text;
    s->path = r->failures == before ? sari_path_beside(r, file) : NULL;
    if (!s->path) return;
    const char* why;
    sari_file* data = sari_open_data(r, s->path, &why);
    if (!data) {
        sari_report(r, s->file, "table '%s': cannot read %s: %s", s->e->name, s->path, why);
        return;
    }
    if (sari_model_add_file(r->model, s->path) != SAR_OK) r->out_of_memory = true;
    read_columns(s, data->source.text, data->source.length);
    sari_file_drop(r->files, data);
}

static void read_from_lists(table_source* s)
{
    sari_reader* r = s->r;
    const sari_node *x = sari_node_get(s->e->map, "x"), *y = sari_node_get(s->e->map, "y");
    if (!x || !y) return; // was reported
    if (x->kind != SARI_NODE_LIST) {
        char found[64];
        sari_report(r, x, "x must be a list of at least 2 numbers, here is %s",
                    sari_node_describe(x, found, sizeof found));
        sari_hint(r, "to take columns from a file, name it: file: points.csv");
        return;
    }
    if (y->kind != SARI_NODE_LIST || y->count != x->count) {
        char found[64];
        sari_report(r, y, "y must be a list of %d numbers, as many as x has, here is %s", x->count,
                    sari_node_describe(y, found, sizeof found));
        return;
    }
    if (!make_room(s, x->count)) return;
    sari_read_numbers(r, x, "x", x->count, s->x);
    sari_read_numbers(r, y, "y", y->count, s->y);
    s->count = x->count;
}

/// What the model refuses is in the file of columns, if there is one.
static void reject(table_source* s, const sar_error* error)
{
    int index = -1;
    if (s->path && error->status != SAR_E_NOMEM && strcmp(error->field, "name") != 0) {
        sscanf(error->field, "%*1[xy][%d]", &index);
        if (index >= 0 && index < s->count)
            sari_report(s->r, s->file, "table '%s': %s, line %d: %s", s->e->name, s->path,
                        s->lines[index], error->message);
        else
            sari_report(s->r, s->file, "table '%s': %s: %s", s->e->name, s->path, error->message);
        return;
    }
    sari_reject(s->r, s->e, error);
}

/// Stands for a table that was wrong, so that expressions that use it are not reported too, or for one of two
/// variables, whose rows are tables.
static void add_stand_in(sari_reader* r, const char* name, int rows)
{
    const double points[2] = {0, 1};
    sar_table_def def = sar_table_def_default();
    def.name = name;
    def.length = 2;
    def.x = def.y = points;
    if (sar_model_add_table(r->model, &def, NULL) == SAR_OK)
        r->model->tables[r->model->tables_count - 1]->rows = rows;
}

void sari_read_table_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {
        {"x", SARI_KEY_REQUIRED}, {"y", SARI_KEY_REQUIRED}, {"z", 0}, {"file", 0},
        {"interpolation", 0},     {"outside", 0},
    };
    static const char* const kinds[] = {"linear", "cubic", "constant"}; // by sar_interpolation
    static const char* const outside[] = {"hold", "extend"};
    int before = r->failures;
    sari_element e;
    if (!sari_element_open(r, "table", key, value, &e)) {
        if (e.name) add_stand_in(r, e.name, 0);
        return;
    }
    SARI_CHECK_KEYS(r, &e, keys);
    table_source source = {.r = r, .e = &e, .file = sari_node_get(e.map, "file")};
    sar_table_def def = sar_table_def_default();
    int kind = sari_read_word(r, &e, "interpolation", kinds, 3, 0);
    def.name = e.name;
    def.interpolation = (sar_interpolation)(kind < 0 ? 0 : kind);
    def.extend = sari_read_word(r, &e, "outside", outside, 2, 0);
    if (sari_node_get(e.map, "z")) {
        add_stand_in(r, e.name, r->failures == before ? sari_read_grid(r, &e, def) : -1);
        return;
    }
    if (source.file)
        read_from_file(&source);
    else
        read_from_lists(&source);
    def.length = source.count;
    def.x = source.x;
    def.y = source.y;
    sar_error error;
    if (r->failures == before && sar_model_add_table(r->model, &def, &error) != SAR_OK)
        reject(&source, &error);
    if (r->failures != before) add_stand_in(r, e.name, 0);
}

/* ---- inputs --------------------------------------------------------------------------------- */

/// `NAME: start`, or `NAME: {start: ..., unit: ...}`
void sari_read_input_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {{"start", 0}, {"unit", 0}};
    sari_element e = {"input", sari_full_name(r, key->text), key, value};
    sar_input_def def = sar_input_def_default();
    sar_error error;
    if (value->kind == SARI_NODE_MAP) {
        if (!sari_element_open(r, "input", key, value, &e)) return;
        SARI_CHECK_KEYS(r, &e, keys);
        const sari_node* unit = sari_node_get(value, "unit");
        if (unit) def.unit = sari_read_text(r, unit, "unit").text;
        def.start = sari_number(r, &e, "start", 0.0);
    } else {
        def.start = sari_read_number(r, value, "start");
    }
    def.name = e.name;
    if (def.name && sar_model_add_input(r->model, &def, &error) != SAR_OK)
        sari_reject(r, &e, &error);
}
