/* Results in files of a temporary folder: their datasets, rows that a careless format would lose, and what comes back. */
#ifndef RESULTS_FIXTURE_H
#define RESULTS_FIXTURE_H

#include "sar_test.h"
#include "temporary_folder.h"

#include "sarrus/result.h"

static inline void put_file(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static inline char* get_file(const char* path, size_t* length)
{
    static char text[1 << 20];
    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    *length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[*length] = '\0';
    return text;
}

static const sar_dataset datasets[] = {
    {"time", 1, "s", "time"},
    {"outputs/xQ", 1, "m", "slider"},
    {"bodies/crank/position", 3, "m", "origin of the body"},
    {"outputs/a \"b\", c", 1, "rad", NULL},
};
enum { DATASETS = 4, ROW = 6 };

/* Numbers that a careless format would lose. */
static inline void make_row(int i, double* row)
{
    row[0] = i * 0.1;
    row[1] = 1.0 / (i + 3);
    row[2] = -i, row[3] = 1e-300 * i, row[4] = 7;
    row[5] = i == 2 ? -INFINITY : -0.1 * i * 1e17;
}

static inline void write_rows(const char* path, int rows)
{
    sar_error error = {0};
    sar_writer* w;
    double row[ROW];
    CHECK_STATUS(sar_writer_open(path, datasets, DATASETS, &w, &error), SAR_OK);
    CHECK_STATUS(sar_writer_attribute(w, "verdict", "running"), SAR_OK);
    for (int i = 0; i < rows; i++) {
        make_row(i, row);
        CHECK_STATUS(sar_writer_append(w, row), SAR_OK);
    }
    CHECK_STATUS(sar_writer_attribute(w, "model", "slider \"crank\"\n\xC3\xA9"), SAR_OK);
    CHECK_STATUS(sar_writer_attribute(w, "verdict", "completed"), SAR_OK);
    CHECK_STATUS(sar_writer_attribute(w, "json", "{\"steps\": [1, 2e3]}"), SAR_OK);
    CHECK_STATUS(sar_writer_close(w, &error), SAR_OK);
}

static inline void check_rows(const char* path, int rows)
{
    sar_error error = {0};
    sar_result* r = NULL;
    double row[ROW];
    if (sar_result_read(path, &r, &error) != SAR_OK) fail_msg("%s", error.message);
    assert_int_equal(sar_result_rows(r), rows);
    assert_int_equal(sar_result_columns(r), 2);
    CHECK_TEXT(sar_result_name(r, 0), "xQ"); // in the order given, not by the alphabet
    CHECK_TEXT(sar_result_name(r, 1), "a \"b\", c");
    assert_int_equal(sar_result_find(r, "xQ"), 0);
    assert_int_equal(sar_result_find(r, "position"), -1);
    for (int i = 0; i < rows; i++) {
        make_row(i, row);
        assert_memory_equal(&sar_result_time(r)[i], &row[0], sizeof(double));
        assert_memory_equal(&sar_result_column(r, 0)[i], &row[1], sizeof(double));
        assert_memory_equal(&sar_result_column(r, 1)[i], &row[5], sizeof(double));
    }
    CHECK_TEXT(sar_result_attribute(r, "model"), "slider \"crank\"\n\xC3\xA9");
    CHECK_TEXT(sar_result_attribute(r, "verdict"), "completed");
    CHECK_TEXT(sar_result_attribute(r, "json"), "{\"steps\": [1, 2e3]}");
    CHECK(sar_result_attribute(r, "cite") == NULL);
    sar_result_destroy(r);
}

/* A build without HDF5 must say so; then there is nothing more to test. */
static inline void need_hdf5(void)
{
    sar_error error = {0};
    sar_writer* w = NULL;
    sar_status status = sar_writer_open(in_folder("probe.h5"), datasets, DATASETS, &w, &error);
    if (status == SAR_E_BUILD) {
        CHECK(strstr(error.message, "no HDF5") != NULL);
        skip();
    }
    CHECK_STATUS(status, SAR_OK);
    CHECK_STATUS(sar_writer_close(w, NULL), SAR_OK);
}
static const char* const both_formats[] = {"x.h5", "x.csv"};

/* Of a copy: while it is written the file is locked. */
static inline int rows_of(const char* path, const char** verdict)
{
    static char text[64];
    char command[700], copy[200];
    sar_result* r;
    sar_error error = {0};
    snprintf(copy, sizeof copy, "%s/copy%s", test_folder, strrchr(path, '.'));
    snprintf(command, sizeof command,
             "cp '%s' '%s'; if [ -f '%s.json' ]; then cp '%s.json' '%s.json'; fi", path, copy, path,
             path, copy);
    CHECK(system(command) == 0);
    if (sar_result_read(copy, &r, &error) != SAR_OK) fail_msg("%s", error.message);
    const char* found = sar_result_attribute(r, "verdict");
    snprintf(text, sizeof text, "%s", found ? found : "none");
    *verdict = text;
    int rows = sar_result_rows(r);
    sar_result_destroy(r);
    return rows;
}

#endif
