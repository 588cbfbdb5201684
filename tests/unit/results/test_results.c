/* Results on disk: what is written comes back with the same bits, whatever happens to the writer. */
#include "unit/results/results_fixture.h"

#include "results/json.h"

#include <locale.h>
#include <signal.h>
#include <sys/wait.h>

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

TESTS_BETWEEN(make_folder, remove_folder)
