/* Results that cannot be written or read: what is wrong is said, and nothing is left of it. */
#include "unit/results/results_fixture.h"

#include "base/memory.h"
#include "results/json.h"
#include "results/table.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
        {"# a note\nt,x\n0,1\n\n1,two\n", "bad.csv:5: column \"x\": \"two\" is not a number"},
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
