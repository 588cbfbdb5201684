/* Reading comma-separated values, RFC 4180: fields may be quoted, lines end with LF or CR LF, the
 * last one may lack its end. The first line names the columns; the first of them is `time` or `t`.
 * Lines that are empty or begin with '#' are passed over. */
#include "base/memory.h"
#include "base/status.h"
#include "results/side_file.h"
#include "results/table.h"
#include "results/text_file.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_end { FIELD_COMMA, FIELD_LINE, FIELD_FILE, FIELD_BROKEN } field_end;

typedef struct reader {
    const char* name; ///< of the file
    const char *at, *end;
    int line;       ///< of `at`, from 1
    char* field;    ///< the last field read, quotes undone
    double* values; ///< row after row, time first
    size_t count, capacity;
} reader;

/* Copy one field to self->field and say what ended it. */
static field_end next_field(reader* self)
{
    char* to = self->field;
    int quoted = self->at < self->end && *self->at == '"';
    if (quoted) self->at++;
    for (;; self->at++) {
        if (self->at == self->end) break;
        char c = *self->at;
        if (quoted && c == '"') {
            self->at++;
            if (self->at == self->end || *self->at != '"') { // not a doubled quote: the end
                quoted = 0;
                break;
            }
        } else if (!quoted && (c == ',' || c == '\n' || c == '\r')) {
            break;
        }
        if (*self->at == '\n') self->line++;
        *to++ = *self->at;
    }
    *to = '\0';
    if (quoted) return FIELD_BROKEN; // the file ended inside the quotes
    if (self->at < self->end && *self->at == '\r') self->at++;
    if (self->at == self->end) return FIELD_FILE;
    if (*self->at == ',') return self->at++, FIELD_COMMA;
    if (*self->at == '\n') return self->at++, FIELD_LINE;
    return FIELD_BROKEN; // text after a closing quote, or a lone carriage return
}

static void pass_over_notes(reader* self)
{
    while (self->at < self->end && strchr("#\r\n", *self->at)) {
        if (*self->at == '\r' && self->at[1] != '\n') return;
        const char* end = memchr(self->at, '\n', (size_t)(self->end - self->at));
        self->at = end ? end + 1 : self->end;
        self->line++;
    }
}

static sar_status broken_field(const reader* self, int line, sar_error* error)
{
    return sari_fail(error, SAR_E_IO, NULL,
                     "%s:%d: a field with quotes is not closed properly: is the file cut short?",
                     self->name, line);
}

static int is_known(const sar_result* r, const char* name)
{
    return sar_result_find(r, name) >= 0;
}

static sar_status read_header(reader* self, sar_result* r, sar_error* error)
{
    int capacity = 0;
    const int line = self->line;
    field_end end = next_field(self);
    if (end == FIELD_BROKEN) return broken_field(self, line, error);
    if (strcmp(self->field, "time") != 0 && strcmp(self->field, "t") != 0)
        return sari_fail(error, SAR_E_IO, NULL,
                         "%s:%d: the first column is named \"%.60s\", expected \"time\" or \"t\"",
                         self->name, line, self->field);
    while (end == FIELD_COMMA) {
        end = next_field(self);
        if (end == FIELD_BROKEN) return broken_field(self, line, error);
        if (self->field[0] == '\0')
            return sari_fail(error, SAR_E_IO, NULL, "%s:%d: column %d has no name", self->name,
                             line, r->columns + 2);
        if (is_known(r, self->field))
            return sari_fail(error, SAR_E_IO, NULL, "%s:%d: two columns are named \"%.60s\"",
                             self->name, line, self->field);
        char* name = sari_copy_string(self->field);
        if (!name || !sari_grow((void**)&r->names, r->columns, &capacity, sizeof *r->names)) {
            sari_release(name);
            return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
        }
        r->names[r->columns++] = name;
    }
    if (end == FIELD_LINE) self->line++;
    return SAR_OK;
}

static int keep(reader* self, double value)
{
    if (self->count == self->capacity) {
        size_t wanted = self->capacity ? 2 * self->capacity : 4096;
        double* bigger = sari_allocate(wanted, sizeof *bigger);
        if (!bigger) return 0;
        if (self->count) memcpy(bigger, self->values, self->count * sizeof *bigger);
        sari_release(self->values);
        self->values = bigger;
        self->capacity = wanted;
    }
    self->values[self->count++] = value;
    return 1;
}

static int parse_number(const char* text, double* out)
{
    char* end;
    *out = strtod(text, &end);
    if (end == text) return 0;
    return end[strspn(end, " \t")] == '\0';
}

static const char* column_name(const sar_result* r, int column)
{
    return column == 0 ? "time" : r->names[column - 1];
}

/* Times must be finite and not go back: everything that reads a result interpolates in them. */
static sar_status check_time(const reader* self, const sar_result* r, double time, int line,
                             sar_error* error)
{
    if (!isfinite(time))
        return sari_fail(error, SAR_E_IO, NULL, "%s:%d: the time is not finite", self->name, line);
    size_t width = (size_t)r->columns + 1;
    if (r->rows > 0 && time < self->values[((size_t)r->rows - 1) * width])
        return sari_fail(error, SAR_E_IO, NULL, "%s:%d: time %.9g is before that of the row above",
                         self->name, line, time);
    return SAR_OK;
}

static sar_status read_row(reader* self, sar_result* r, sar_error* error)
{
    int line = self->line, fields = 0;
    field_end end;
    do {
        double value;
        end = next_field(self);
        if (end == FIELD_BROKEN) return broken_field(self, line, error);
        if (fields <= r->columns) {
            const int blank =
                fields > 0 && end != FIELD_FILE && self->field[strspn(self->field, " \t")] == '\0';
            if (blank) // a value that is missing
                value = NAN;
            else if (!parse_number(self->field, &value))
                return sari_fail(error, SAR_E_IO, NULL,
                                 "%s:%d: column \"%.60s\": \"%.40s\" is not a number", self->name,
                                 line, column_name(r, fields), self->field);
            if (fields == 0) SARI_TRY(check_time(self, r, value, line, error));
            if (!keep(self, value)) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
        }
        fields++;
    } while (end == FIELD_COMMA);
    if (fields != r->columns + 1)
        return sari_fail(error, SAR_E_IO, NULL, "%s:%d: %d fields where the header has %d%s",
                         self->name, line, fields, r->columns + 1,
                         end == FIELD_FILE ? ": the file is cut short" : "");
    if (r->rows == INT_MAX)
        return sari_fail(error, SAR_E_IO, NULL, "%s:%d: too many rows", self->name, line);
    r->rows++;
    self->line++;
    return SAR_OK;
}

/* From rows to columns. */
static sar_status transpose(const reader* self, sar_result* r, sar_error* error)
{
    size_t rows = (size_t)r->rows, columns = (size_t)r->columns;
    r->time = SARI_NEW_ARRAY(double, rows);
    r->values = SARI_NEW_ARRAY(double, rows* columns);
    if (!r->time || !r->values) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (size_t i = 0; i < rows; i++) {
        const double* row = self->values + i * (columns + 1);
        r->time[i] = row[0];
        for (size_t k = 0; k < columns; k++) r->values[k * rows + i] = row[k + 1];
    }
    return SAR_OK;
}

static sar_status read_table(reader* self, sar_result* r, sar_error* error)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (self->end - self->at >= 3 && memcmp(self->at, byte_order_mark, 3) == 0) self->at += 3;
    if (self->at == self->end)
        return sari_fail(error, SAR_E_IO, NULL, "%s is empty: no result was written to it",
                         self->name);
    if (memchr(self->at, '\0', (size_t)(self->end - self->at)))
        return sari_fail(error, SAR_E_IO, NULL, "%s is not a text file", self->name);
    pass_over_notes(self);
    SARI_TRY(read_header(self, r, error));
    for (pass_over_notes(self); self->at < self->end; pass_over_notes(self))
        SARI_TRY(read_row(self, r, error));
    return transpose(self, r, error);
}

sar_status sari_parse_csv(const char* text, size_t length, const char* name, sar_result* r,
                          sar_error* error)
{
    reader self = {.name = name, .at = text, .end = text + length, .line = 1};
    self.field = sari_allocate(length + 1, 1); // no field is longer than the file
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    sar_status status;
    if (!self.field || !c_locale) {
        status = sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    } else {
        locale_t host = uselocale(c_locale); // strtod would want the host's decimal comma
        status = read_table(&self, r, error);
        uselocale(host);
    }
    if (c_locale) freelocale(c_locale);
    sari_release(self.field);
    sari_release(self.values);
    return status;
}

/* A program that was killed while it wrote may have left a piece of a row. */
static size_t without_last_piece(const char* text, size_t length)
{
    while (length > 0 && text[length - 1] != '\n') length--;
    return length;
}

sar_status sari_read_csv(const char* path, sar_result* r, sar_error* error)
{
    char* text;
    size_t length;
    SARI_TRY(sari_text_file_read(path, &text, &length, error));
    sar_status status = sari_side_file_read(path, &r->attributes, error);
    const char* verdict = sari_attributes_find(&r->attributes, SARI_VERDICT);
    if (verdict && strcmp(verdict, SARI_UNFINISHED) == 0) {
        length = without_last_piece(text, length);
        text[length] = '\0';
    }
    if (status == SAR_OK) status = sari_parse_csv(text, length, path, r, error);
    sari_release(text);
    return status;
}
