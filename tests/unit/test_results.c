/* Results on disk: what is written comes back with the same bits, and what is wrong is said. */
#include "sar_test.h"
#include "temporary_folder.h"

#include "base/memory.h"
#include "results/json.h"
#include "results/table.h"
#include "sarrus/result.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_file(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static char* get_file(const char* path, size_t* length)
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
static void make_row(int i, double* row)
{
    row[0] = i * 0.1;
    row[1] = 1.0 / (i + 3);
    row[2] = -i, row[3] = 1e-300 * i, row[4] = 7;
    row[5] = i == 2 ? -INFINITY : -0.1 * i * 1e17;
}

static void write_rows(const char* path, int rows)
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

static void check_rows(const char* path, int rows)
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
static void need_hdf5(void)
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

TEST(csv_gives_back_the_same_bits)
{
    write_rows(in_folder("a.csv"), 700);
    check_rows(in_folder("a.csv"), 700);
    write_rows(in_folder("a.csv"), 0); // over the old one
    check_rows(in_folder("a.csv"), 0);
}

TEST(hdf5_gives_back_the_same_bits)
{
    need_hdf5();
    int sizes[] = {0, 1, 255, 256, 257, 1500};
    for (int k = 0; k < 6; k++) {
        write_rows(in_folder("a.h5"), sizes[k]);
        check_rows(in_folder("a.h5"), sizes[k]);
    }
    write_rows(in_folder("A.HDF5"), 3);
    check_rows(in_folder("A.HDF5"), 3);
}

TEST(equal_runs_give_equal_hdf5_files)
{
    need_hdf5();
    static char first[1 << 20];
    size_t first_length, length;
    write_rows(in_folder("one.h5"), 300);
    memcpy(first, get_file(in_folder("one.h5"), &first_length), sizeof first);
    write_rows(in_folder("two.h5"), 300);
    const char* second = get_file(in_folder("two.h5"), &length);
    assert_int_equal(length, first_length);
    CHECK(memcmp(first, second, length) == 0);
}

TEST(csv_text_is_plain)
{
    size_t length;
    const sar_dataset sets[] = {
        {"time", 1, "s", ""}, {"outputs/r", 2, "m", "tip"}, {"energy/total", 1, "J", ""}};
    const double row[] = {0.5, -2, 1e-9, 99};
    sar_writer* w;
    CHECK_STATUS(sar_writer_open(in_folder("p.csv"), sets, 3, &w, NULL), SAR_OK);
    CHECK_STATUS(sar_writer_attribute(w, "json", "{not json"), SAR_OK);
    CHECK_STATUS(sar_writer_append(w, row), SAR_OK);
    CHECK_STATUS(sar_writer_close(w, NULL), SAR_OK);
    CHECK_TEXT(get_file(in_folder("p.csv"), &length),
               "time,r[0],r[1]\n0.5,-2,1.0000000000000001e-09\n");
    CHECK_TEXT(get_file(in_folder("p.csv.json"), &length),
               "{\n  \"schema\": \"sarrus.csv/1\",\n  \"columns\": [\n"
               "    {\"name\": \"time\", \"unit\": \"s\", \"description\": \"\"},\n"
               "    {\"name\": \"r\", \"width\": 2, \"unit\": \"m\", \"description\": \"tip\"}\n"
               "  ],\n  \"attributes\": {\n    \"json\": \"{not json\"\n  }\n}\n");
    CHECK(sari_json_is_valid(get_file(in_folder("p.csv.json"), &length)));
}

TEST(numbers_ignore_the_host_locale)
{
    static const char* const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "es_ES.UTF-8"};
    const char* found = NULL;
    for (int k = 0; k < 4 && !found; k++) found = setlocale(LC_NUMERIC, comma[k]);
    if (!found) skip(); // none on this machine
    write_rows(in_folder("l.csv"), 5);
    check_rows(in_folder("l.csv"), 5);
    setlocale(LC_NUMERIC, "C");
}

/* What a program that is killed leaves behind: it never reaches close. */
static int rows_after_kill(const char* path)
{
    pid_t child = fork();
    if (child == 0) {
        sar_writer* w;
        double row[ROW];
        if (sar_writer_open(path, datasets, DATASETS, &w, NULL) != SAR_OK) _exit(1);
        for (int i = 0; i < 1100; i++) {
            make_row(i, row);
            sar_writer_append(w, row);
        }
        raise(SIGKILL);
    }
    int how;
    CHECK(waitpid(child, &how, 0) == child && WIFSIGNALED(how));
    sar_result* r;
    sar_error error = {0};
    if (sar_result_read(path, &r, &error) != SAR_OK) fail_msg("%s", error.message);
    int rows = sar_result_rows(r);
    CHECK(rows > 0 && sar_result_time(r)[rows - 1] == (rows - 1) * 0.1);
    sar_result_destroy(r);
    return rows;
}

TEST(a_kill_loses_little)
{
    assert_in_range(rows_after_kill(in_folder("k.csv")), 1024, 1100);
    need_hdf5();
    assert_in_range(rows_after_kill(in_folder("k.h5")), 1024, 1100);
}

static const char* const both_formats[] = {"x.h5", "x.csv"};

/* Of a copy: while it is written the file is locked. */
static int rows_of(const char* path, const char** verdict)
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

TEST(the_old_file_stays_until_the_first_flush)
{
    need_hdf5();
    for (int k = 0; k < 2; k++) {
        const char *path = in_folder(both_formats[k]), *verdict;
        sar_writer* w;
        sar_error error = {0};
        double row[ROW], t;
        write_rows(path, 7);
        CHECK_STATUS(sar_writer_open(path, datasets, DATASETS, &w, &error), SAR_OK);
        make_row(0, row);
        CHECK_STATUS(sar_writer_append(w, row), SAR_OK);
        CHECK(rows_of(path, &verdict) == 7 && strcmp(verdict, "unfinished") != 0);
        CHECK(sar_writer_kept(w, &t) == 0 && isnan(t));
        CHECK_STATUS(sar_writer_flush(w, &error), SAR_OK);
        CHECK(sar_writer_kept(w, &t) == 1 && t == 0.0);
        CHECK(rows_of(path, &verdict) == 1 && strcmp(verdict, "unfinished") == 0);
        CHECK_STATUS(sar_writer_attribute(w, "verdict", "completed"), SAR_OK);
        CHECK_STATUS(sar_writer_close(w, &error), SAR_OK);
        CHECK(rows_of(path, &verdict) == 1 && strcmp(verdict, "completed") == 0);
        char part[200];
        snprintf(part, sizeof part, "%s.part", path);
        CHECK(access(part, F_OK) != 0);
    }
}

TEST(a_second_writer_is_refused)
{
    need_hdf5();
    for (int k = 0; k < 2; k++) {
        const char* path = in_folder(both_formats[k]);
        for (int flushed = 0; flushed < 2; flushed++) {
            sar_writer *w, *second = NULL;
            sar_error error = {0};
            CHECK_STATUS(sar_writer_open(path, datasets, DATASETS, &w, &error), SAR_OK);
            if (flushed) CHECK_STATUS(sar_writer_flush(w, &error), SAR_OK);
            CHECK_STATUS(sar_writer_open(path, datasets, DATASETS, &second, &error), SAR_E_IO);
            CHECK(strstr(error.message, "another program has it open") && !second);
            CHECK_STATUS(sar_writer_close(w, &error), SAR_OK);
        }
    }
}

/* In place, in the same moment, without a change of its length: only the time tells. */
TEST(a_file_that_others_change_is_noticed)
{
    need_hdf5();
    for (int k = 0; k < 2; k++) {
        const char* path = in_folder(both_formats[k]);
        sar_writer* w;
        sar_error error = {0};
        double row[ROW];
        CHECK_STATUS(sar_writer_open(path, datasets, DATASETS, &w, &error), SAR_OK);
        make_row(0, row);
        CHECK_STATUS(sar_writer_append(w, row), SAR_OK);
        CHECK_STATUS(sar_writer_flush(w, &error), SAR_OK);
        FILE* file = fopen(path, "r+");
        CHECK(file && fputc('X', file) == 'X' && fclose(file) == 0);
        CHECK_STATUS(sar_writer_append(w, row), SAR_OK);
        CHECK(sar_writer_kept(w, NULL) == 0);
        CHECK_STATUS(sar_writer_close(w, &error), SAR_E_IO);
        CHECK(strstr(error.message, "by another program while it was written") != NULL);
        if (k == 0) {
            const char* verdict;
            CHECK(rename(in_folder("x.h5.part"), in_folder("kept.h5")) == 0);
            CHECK(rows_of(in_folder("kept.h5"), &verdict) == 2);
        }
    }
}

TEST(other_endings_are_refused)
{
    sar_error error = {0};
    sar_writer* w = (sar_writer*)1;
    sar_result* r = (sar_result*)1;
    CHECK_STATUS(sar_writer_open("out.txt", datasets, DATASETS, &w, &error), SAR_E_ARG);
    CHECK_TEXT(error.message, "unknown format of \"out.txt\": use .h5 or .csv");
    CHECK(w == NULL);
    CHECK_STATUS(sar_result_read("out", &r, &error), SAR_E_ARG);
    CHECK_TEXT(error.message, "unknown format of \"out\": use .h5 or .csv");
    CHECK(r == NULL);
}

TEST(bad_datasets_are_refused)
{
    static const struct {
        sar_dataset sets[3];
        const char* says;
    } cases[] = {
        {{{"outputs/x", 1, "", ""}, {"time", 1, "", ""}, {"outputs/y", 1, "", ""}},
         "first dataset"},
        {{{"time", 2, "", ""}, {"outputs/x", 1, "", ""}, {"outputs/y", 1, "", ""}},
         "first dataset"},
        {{{"time", 1, "", ""}, {"outputs//x", 1, "", ""}, {"b", 1, "", ""}}, "\"outputs//x\""},
        {{{"time", 1, "", ""}, {"a/", 1, "", ""}, {"b", 1, "", ""}}, "\"a/\""},
        {{{"time", 1, "", ""}, {"../a", 1, "", ""}, {"b", 1, "", ""}}, "\"../a\""},
        {{{"time", 1, "", ""}, {"b", 1, "", ""}, {"b", 1, "", ""}}, "path \"b\""},
        {{{"time", 1, "", ""}, {"b", 0, "", ""}, {"c", 1, "", ""}}, "width 0"},
        {{{"time", 1, "", ""}, {"outputs/time", 1, "", ""}, {"c", 1, "", ""}}, "named \"time\""},
        {{{"time", 1, "", ""}, {"outputs/a/x", 1, "", ""}, {"outputs/x", 1, "", ""}},
         "named \"x\""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sar_error error = {0};
        sar_writer* w;
        CHECK_STATUS(sar_writer_open(in_folder("bad.csv"), cases[k].sets, 3, &w, &error),
                     SAR_E_ARG);
        if (!strstr(error.message, cases[k].says)) fail_msg("case %zu: %s", k, error.message);
    }
}

/* Runs the call with stderr in a file: neither we nor HDF5 may print. */
static sar_status quietly(sar_status (*call)(const char*, sar_error*), const char* path,
                          sar_error* error)
{
    fflush(stderr);
    int saved = dup(2);
    CHECK(freopen(in_folder("stderr"), "w", stderr) != NULL);
    sar_status status = call(path, error);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    struct stat info;
    CHECK(stat(in_folder("stderr"), &info) == 0);
    assert_int_equal(info.st_size, 0);
    return status;
}

static sar_status try_write(const char* path, sar_error* error)
{
    sar_writer* w;
    return sar_writer_open(path, datasets, DATASETS, &w, error);
}

static sar_status try_read(const char* path, sar_error* error)
{
    sar_result* r;
    return sar_result_read(path, &r, error);
}

TEST(unusable_paths_are_explained)
{
    sar_error error = {0};
    need_hdf5();
    static const char* const names[] = {"missing/a.csv", "missing/a.h5"};
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(quietly(try_write, in_folder(names[k]), &error), SAR_E_IO);
        CHECK(strstr(error.message, "cannot create") && strstr(error.message, names[k]) &&
              strstr(error.message, "No such file or directory"));
        CHECK_STATUS(quietly(try_read, in_folder(names[k]), &error), SAR_E_IO);
        CHECK(strstr(error.message, "cannot read") && strstr(error.message, names[k]) &&
              strstr(error.message, "No such file or directory"));
    }
    CHECK(mkdir(in_folder("dir.csv"), 0700) == 0 && mkdir(in_folder("dir.h5"), 0700) == 0);
    CHECK_STATUS(quietly(try_read, in_folder("dir.csv"), &error), SAR_E_IO);
    CHECK(strstr(error.message, "Is a directory") != NULL);
    CHECK_STATUS(quietly(try_write, in_folder("dir.h5"), &error), SAR_E_IO);
    CHECK(strstr(error.message, "Is a directory") != NULL);
}

/* Writes with 40 kB of disk; close must tell what append could not. */
static void fill_disk(const char* path, sar_error* error)
{
    struct rlimit before, small;
    sar_writer* w;
    sar_status status = SAR_OK;
    double row[ROW];
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    CHECK_STATUS(sar_writer_open(path, datasets, DATASETS, &w, error), SAR_OK);
    small = before;
    small.rlim_cur = 40000;
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 5000 && status == SAR_OK; i++) {
        make_row(i, row);
        status = sar_writer_append(w, row);
    }
    sar_status again = sar_writer_append(w, row), closed = sar_writer_close(w, error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_STATUS(status, SAR_E_IO);
    CHECK_STATUS(again, SAR_E_IO);
    CHECK_STATUS(closed, SAR_E_IO);
    if (!strstr(error->message, "cannot write") || !strstr(error->message, path) ||
        !strstr(error->message, "File too large"))
        fail_msg("%s", error->message);
}

TEST(a_full_disk_leaves_whole_csv_rows)
{
    sar_error error = {0};
    sar_result* r;
    fill_disk(in_folder("full.csv"), &error);
    CHECK_STATUS(sar_result_read(in_folder("full.csv"), &r, &error), SAR_OK);
    CHECK(sar_result_rows(r) >= 256);
    sar_result_destroy(r);
}

/* In a process of its own, whose end is part of the test: HDF5 leaks what it cannot close, and its
 * own clean-up would crash on it. */
TEST(a_full_disk_does_not_break_hdf5)
{
    need_hdf5();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        sar_error error = {0};
        fill_disk(in_folder("full.h5"), &error);
        write_rows(in_folder("after.h5"), 10); // HDF5 still works
        check_rows(in_folder("after.h5"), 10);
#ifdef __SANITIZE_ADDRESS__
        _exit(77); // without the search for leaks
#endif
        exit(77);
    }
    int how;
    CHECK(waitpid(child, &how, 0) == child);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 77);
}

TEST(broken_csv_is_told_with_its_line)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "bad.csv is empty"},
        {"x,y\n1,2\n", "bad.csv:1: the first column is named \"x\", expected \"time\" or \"t\""},
        {"t,x\n0,1\n1\n", "bad.csv:3: 1 fields where the header has 2"},
        {"t,x,y\n0,1,2\n1,3", "bad.csv:3: 2 fields where the header has 3: the file is cut short"},
        {"t,x\n0,1,5\n", "bad.csv:2: 3 fields where the header has 2"},
        {"t,x\r\n0,1\r\n1,one\r\n", "bad.csv:3: column \"x\": \"one\" is not a number"},
        {"t,x\n0,", "bad.csv:2: column \"x\": \"\" is not a number"},
        {"t,x\n0,1\n\n1,2\n", "bad.csv:3: column \"time\": \"\" is not a number"},
        {"t,x\n0,1 2\n", "bad.csv:2: column \"x\": \"1 2\" is not a number"},
        {"t,\"x\n0,1\n", "bad.csv:1: a field with quotes is not closed"},
        {"t,\"x\"y\n0,1\n", "bad.csv:1: a field with quotes is not closed"},
        {"t,\"a\nb\"\n0,1\n1,z\n", "bad.csv:4: column \"a\nb\": \"z\""},
        {"t,x,x\n0,1,2\n", "bad.csv:1: two columns are named \"x\""},
        {"t,,x\n0,1,2\n", "bad.csv:1: column 2 has no name"},
        {"t,x\n1,0\n0.5,0\n", "bad.csv:3: time 0.5 is before"},
        {"t,x\nnan,0\n", "bad.csv:2: the time is not finite"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sar_error error = {0};
        put_file(in_folder("bad.csv"), cases[k].text);
        CHECK_STATUS(try_read(in_folder("bad.csv"), &error), SAR_E_IO);
        if (!strstr(error.message, cases[k].says)) fail_msg("case %zu: %s", k, error.message);
    }
}

TEST(csv_of_other_programs_is_read)
{
    static const char text[] = "\xEF\xBB\xBFt,\"x \"\"1\"\"\",y\r\n"
                               "0, 1.5 ,\"2\"\r\n1e0,-NaN,+.5\r\n1,3,-inf\r\n\r\n\r\n";
    sar_result* r;
    sar_error error = {0};
    put_file(in_folder("other.csv"), text);
    if (sar_result_read(in_folder("other.csv"), &r, &error) != SAR_OK)
        fail_msg("%s", error.message);
    assert_int_equal(sar_result_rows(r), 3);
    CHECK_TEXT(sar_result_name(r, 0), "x \"1\"");
    CHECK(sar_result_name(r, 2) == NULL && sar_result_column(r, -1) == NULL);
    const double *x = sar_result_column(r, 0), *y = sar_result_column(r, 1);
    CHECK(x[0] == 1.5 && isnan(x[1]) && x[2] == 3);
    CHECK(y[0] == 2 && y[1] == 0.5 && y[2] == -INFINITY);
    CHECK(sar_result_time(r)[2] == 1);
    sar_result_destroy(r);
}

TEST(side_files_of_others_are_read_or_refused)
{
    sar_result* r;
    sar_error error = {0};
    put_file(in_folder("s.csv"), "time,x\n0,1\n");
    put_file(in_folder("s.csv.json"), " {\"a\" : [ ] , \"attributes\" : { "
                                      "\"cite\":\"\\u00e9\\ud83d\\ude00\\n\\/\", \"n\": -1.5e3,"
                                      "\"json\" : {\"x\":{}} } } ");
    CHECK_STATUS(sar_result_read(in_folder("s.csv"), &r, &error), SAR_OK);
    CHECK_TEXT(sar_result_attribute(r, "cite"), "\xC3\xA9\xF0\x9F\x98\x80\n/");
    CHECK_TEXT(sar_result_attribute(r, "n"), "-1.5e3");
    CHECK_TEXT(sar_result_attribute(r, "json"), "{\"x\":{}}");
    sar_result_destroy(r);

    static const char* const broken[] = {"{\"attributes\": {\"a\": \"b\"",
                                         "{\"a\": 1,}",
                                         "{\"a\" 1}",
                                         "{} x",
                                         "[]",
                                         "{\"a\": 01}",
                                         "{\"a\": \"\\x\"}"};
    for (int k = 0; k < 7; k++) {
        put_file(in_folder("s.csv.json"), broken[k]);
        CHECK_STATUS(try_read(in_folder("s.csv"), &error), SAR_E_IO);
        CHECK(strstr(error.message, "s.csv.json is not well-formed JSON") != NULL);
    }
}

/* Renames something inside the file, which the format of the groups leaves unprotected. */
static void rename_inside(const char* path, const char* from, const char* to)
{
    size_t length, size = strlen(from) + 1;
    char* bytes = get_file(path, &length);
    int renamed = 0;
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(bytes + i, from, size) == 0) memcpy(bytes + i, to, size), renamed++;
    CHECK(renamed > 0);
    FILE* file = fopen(path, "w");
    fwrite(bytes, 1, length, file);
    fclose(file);
}

TEST(broken_hdf5_is_explained)
{
    sar_error error = {0};
    struct stat info;
    need_hdf5();

    put_file(in_folder("text.h5"), "time,x\n0,1\n");
    CHECK_STATUS(quietly(try_read, in_folder("text.h5"), &error), SAR_E_IO);
    CHECK(strstr(error.message, "text.h5 is not an HDF5 file") != NULL);

    write_rows(in_folder("cut.h5"), 600);
    CHECK(stat(in_folder("cut.h5"), &info) == 0);
    CHECK(truncate(in_folder("cut.h5"), info.st_size / 2) == 0);
    CHECK_STATUS(quietly(try_read, in_folder("cut.h5"), &error), SAR_E_IO);
    CHECK(strstr(error.message, "cut.h5") && strstr(error.message, "truncated"));

    write_rows(in_folder("no-time.h5"), 3);
    rename_inside(in_folder("no-time.h5"), "time", "tima");
    CHECK_STATUS(quietly(try_read, in_folder("no-time.h5"), &error), SAR_E_IO);
    CHECK(strstr(error.message, "has no dataset \"time\"") != NULL);

    write_rows(in_folder("no-outputs.h5"), 3);
    rename_inside(in_folder("no-outputs.h5"), "outputs", "outputz");
    CHECK_STATUS(quietly(try_read, in_folder("no-outputs.h5"), &error), SAR_E_IO);
    CHECK(strstr(error.message, "has no group \"outputs\"") != NULL);
}

/* An allocator that fails once, at the n-th call, and counts what is not given back. */
typedef struct failing {
    long calls, fail_at, alive;
} failing;

static void* failing_allocate(void* context, size_t bytes)
{
    failing* f = context;
    if (++f->calls == f->fail_at) return NULL;
    f->alive++;
    return calloc(1, bytes);
}

static void failing_release(void* context, void* memory)
{
    failing* f = context;
    if (memory) f->alive--;
    free(memory);
}

static sar_status write_and_read(const char* path)
{
    sar_writer* w;
    sar_result* r;
    double row[ROW];
    sar_status status = sar_writer_open(path, datasets, DATASETS, &w, NULL);
    if (status != SAR_OK) return status;
    make_row(1, row);
    sar_writer_append(w, row);
    sar_writer_attribute(w, "model", "m");
    status = sar_writer_close(w, NULL);
    if (status != SAR_OK) return status;
    status = sar_result_read(path, &r, NULL);
    if (status == SAR_OK) sar_result_destroy(r);
    return status;
}

TEST(every_failed_allocation_is_survived)
{
    static const char* const names[] = {"memory.csv", "memory.h5"};
    for (int k = 0; k < 2; k++) {
        failing f = {0};
        sar_allocator hook = {failing_allocate, failing_release, &f};
        sar_status status = SAR_E_NOMEM;
        for (long n = 1; status == SAR_E_NOMEM; n++) {
            f = (failing){.fail_at = n};
            sar_set_allocator(&hook);
            status = write_and_read(in_folder(names[k]));
            sar_set_allocator(NULL);
            if (f.alive != 0) fail_msg("%ld blocks left when allocation %ld fails", f.alive, n);
        }
        if (status == SAR_E_BUILD) skip();
        CHECK_STATUS(status, SAR_OK);
        CHECK(f.calls > 20 && f.calls < f.fail_at);
    }
}

TESTS_BETWEEN(make_folder, remove_folder)
