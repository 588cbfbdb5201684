/* State spaces as files: MAT files of level 5 without compression, which Octave, MATLAB and SciPy read; CSV with a row for
 * each entry; JSON; HDF5 with a dataset for each.
 *
 * A MAT file is a header of 128 bytes and elements: a tag of type and bytes, then data up to a multiple of 8. A matrix is
 * an element of elements: flags with the class, dimensions, name, and numbers by columns; a cell has matrices in their
 * place. */
#include "base/status.h"
#include "results/matrices.h"
#include "sarrus/analysis.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14, MI_UTF8 = 16 };
enum { CLASS_CELL = 1, CLASS_CHAR = 4, CLASS_DOUBLE = 6 };

/* ---- MAT ------------------------------------------------------------------------------------ */

static void put_int(FILE* out, uint32_t x)
{
    const unsigned char b[] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                               (unsigned char)(x >> 24)};
    fwrite(b, 1, 4, out);
}

static void put_double(FILE* out, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    put_int(out, (uint32_t)bits);
    put_int(out, (uint32_t)(bits >> 32));
}

static uint32_t padded(size_t bytes)
{
    return (uint32_t)((bytes + 7) / 8 * 8);
}

static void put_bytes(FILE* out, uint32_t type, const char* text)
{
    const size_t n = strlen(text);
    put_int(out, type);
    put_int(out, (uint32_t)n);
    fwrite(text, 1, n, out);
    for (size_t k = n; k < padded(n); k++) fputc(0, out);
}

/* Tag, flags, dimensions and name; `data`: bytes that follow. */
static void put_head(FILE* out, uint32_t class, int rows, int cols, const char* name, uint32_t data)
{
    put_int(out, MI_MATRIX);
    put_int(out, 16 + 16 + 8 + padded(strlen(name)) + data);
    put_int(out, MI_UINT32), put_int(out, 8), put_int(out, class), put_int(out, 0);
    put_int(out, MI_INT32), put_int(out, 8), put_int(out, (uint32_t)rows),
        put_int(out, (uint32_t)cols);
    put_bytes(out, MI_INT8, name);
}

static void put_matrix(FILE* out, const char* name, int rows, int cols, const double* A)
{
    const uint32_t bytes = 8u * (uint32_t)rows * (uint32_t)cols;
    put_head(out, CLASS_DOUBLE, rows, cols, name, 8 + bytes);
    put_int(out, MI_DOUBLE), put_int(out, bytes);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) put_double(out, A[i * cols + j]);
}

static uint32_t text_size(const char* text)
{
    return 8 + 16 + 16 + 8 + 8 + padded(strlen(text)); // its own tag, head without name, text
}

static void put_names(FILE* out, const char* name, int count, const char* const* names)
{
    uint32_t bytes = 0;
    for (int k = 0; k < count; k++) bytes += text_size(names[k]);
    put_head(out, CLASS_CELL, count, count ? 1 : 0, name, bytes);
    for (int k = 0; k < count; k++) {
        put_head(out, CLASS_CHAR, 1, (int)strlen(names[k]), "", 8 + padded(strlen(names[k])));
        put_bytes(out, MI_UTF8, names[k]);
    }
}

static void write_mat(FILE* out, const sar_linear_system* s)
{
    char head[125];
    snprintf(head, sizeof head, "%-124s",
             "MATLAB 5.0 MAT-file, linear equations of motion by Sarrus");
    memset(head + 116, 0, 8);
    fwrite(head, 1, 124, out);
    fwrite("\0\1IM", 1, 4, out);
    put_matrix(out, "A", s->states, s->states, s->A);
    put_matrix(out, "B", s->states, s->inputs, s->B);
    put_matrix(out, "C", s->outputs, s->states, s->C);
    put_matrix(out, "D", s->outputs, s->inputs, s->D);
    put_matrix(out, "u0", s->inputs, s->inputs ? 1 : 0, s->u_0);
    put_matrix(out, "y0", s->outputs, s->outputs ? 1 : 0, s->y_0);
    put_names(out, "states", s->states, s->state);
    put_names(out, "inputs", s->inputs, s->input);
    put_names(out, "outputs", s->outputs, s->output);
}

/* ---- text ----------------------------------------------------------------------------------- */

static void csv_matrix(FILE* out, const char* name, int rows, int cols, const char* const* row,
                       const char* const* col, const double* A)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            fprintf(out, "%s,%s,%s,%.17g\n", name, row[i], col[j], A[i * cols + j]);
}

static void write_csv(FILE* out, const sar_linear_system* s)
{
    fputs("matrix,row,column,value\n", out);
    csv_matrix(out, "A", s->states, s->states, s->state, s->state, s->A);
    csv_matrix(out, "B", s->states, s->inputs, s->state, s->input, s->B);
    csv_matrix(out, "C", s->outputs, s->states, s->output, s->state, s->C);
    csv_matrix(out, "D", s->outputs, s->inputs, s->output, s->input, s->D);
}

static void json_matrix(FILE* out, const char* name, int rows, int cols, const double* A)
{
    fprintf(out, "  \"%s\": [", name);
    for (int i = 0; i < rows; i++) {
        fputs(i ? ",\n    [" : "\n    [", out);
        for (int j = 0; j < cols; j++) fprintf(out, "%s%.17g", j ? ", " : "", A[i * cols + j]);
        fputc(']', out);
    }
    fputs("],\n", out);
}

/* Names of a model have no characters that JSON would want otherwise. */
static void json_names(FILE* out, const char* name, int count, const char* const* names,
                       const char* end)
{
    fprintf(out, "  \"%s\": [", name);
    for (int k = 0; k < count; k++) fprintf(out, "%s\"%s\"", k ? ", " : "", names[k]);
    fprintf(out, "]%s\n", end);
}

static void write_json(FILE* out, const sar_linear_system* s)
{
    fputs("{\n  \"schema\": \"sarrus.state-space/1\",\n", out);
    json_matrix(out, "A", s->states, s->states, s->A);
    json_matrix(out, "B", s->states, s->inputs, s->B);
    json_matrix(out, "C", s->outputs, s->states, s->C);
    json_matrix(out, "D", s->outputs, s->inputs, s->D);
    json_names(out, "states", s->states, s->state, ",");
    json_names(out, "inputs", s->inputs, s->input, ",");
    json_names(out, "outputs", s->outputs, s->output, "\n}");
}

static sar_status write_hdf5(const sar_linear_system* s, const char* path, sar_error* error)
{
    const double none = 0.0; // of lists without numbers
    const sari_named_matrix list[] = {
        {"A", s->states, s->states, s->A ? s->A : &none, NULL},
        {"B", s->states, s->inputs, s->B ? s->B : &none, NULL},
        {"C", s->outputs, s->states, s->C ? s->C : &none, NULL},
        {"D", s->outputs, s->inputs, s->D ? s->D : &none, NULL},
        {"u0", s->inputs, 1, s->u_0 ? s->u_0 : &none, NULL},
        {"y0", s->outputs, 1, s->y_0 ? s->y_0 : &none, NULL},
        {"states", s->states, 1, NULL, s->state},
        {"inputs", s->inputs, 1, NULL, s->input},
        {"outputs", s->outputs, 1, NULL, s->output},
    };
    return sari_write_matrices(path, sizeof list / sizeof *list, list, error);
}

/* ---- all ------------------------------------------------------------------------------------ */

static const struct {
    const char* ending;
    void (*write)(FILE*, const sar_linear_system*);
} kinds[] = {{".mat", write_mat}, {".csv", write_csv}, {".json", write_json}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int find_kind(const char* path)
{
    const size_t n = strlen(path);
    for (int k = 0; k < KINDS; k++) {
        const size_t m = strlen(kinds[k].ending);
        if (n > m && strcmp(path + n - m, kinds[k].ending) == 0) return k;
    }
    return -1;
}

sar_status sar_state_space_write(const sar_state_space* space, const char* path, sar_error* error)
{
    const sar_linear_system system = sar_state_space_system(space);
    const int kind = find_kind(path);
    const size_t n = strlen(path);
    if (n > 3 && strcmp(path + n - 3, ".h5") == 0) return write_hdf5(&system, path, error);
    if (kind < 0)
        return sari_fail(
            error, SAR_E_ARG, NULL,
            "'%s' ends with none of .mat, .h5, .csv and .json, by which its format is known", path);
    FILE* out = fopen(path, "wb");
    if (!out)
        return sari_fail(error, SAR_E_IO, NULL, "cannot write '%s': %s", path, strerror(errno));
    kinds[kind].write(out, &system);
    const int failed = ferror(out);
    if (fclose(out) == 0 && !failed) return SAR_OK;
    return sari_fail(error, SAR_E_IO, NULL, "cannot write '%s': %s", path, strerror(errno));
}
