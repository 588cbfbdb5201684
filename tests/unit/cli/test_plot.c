/* Plots of the program: what reaches the picture, and what happens when it cannot be drawn. */
#include "sar_test.h"
#include "temporary_folder.h"

#include "common/files/output_file.c"
#include "common/text.c"
#include "pictures/gnuplot.c"
#include "pictures/plot.c" // their helpers are tested too

#include <sys/stat.h>

/* No drawing stands above these plots. */
int cli_sheet_height(const cli_sheet* sheet)
{
    (void)sheet;
    return 0;
}

void cli_sheet_put(cli_sheet* sheet, FILE* to, int size)
{
    (void)sheet;
    (void)to;
    (void)size;
}

static void need_gnuplot(void)
{
    if (!gnuplot_is_there()) skip();
}

static size_t get_file(const char* path, char* text, size_t bytes)
{
    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    size_t length = fread(text, 1, bytes - 1, file);
    fclose(file);
    text[length] = '\0';
    return length;
}

static const double times[] = {0, 1, 2, 3}, values[] = {1, 10, NAN, 1000};
static const double marks[] = {0.5, 2.5};
static const cli_series one[] = {{"x_Q `touch bad`", 4, times, values}};
static const cli_panel panels[] = {
    {.ylabel = "x_Q [m]", .series = one, .count = 1},
    {.ylabel = "it's logarithmic", .logscale = 1, .series = one, .count = 1}};
static const cli_plot sample = {.title = "a 'title' & more",
                                .xlabel = "time [s]",
                                .panels = panels,
                                .count = 2,
                                .markers = marks,
                                .marker_count = 2,
                                .marker_name = "singular configuration"};

TEST(texts_reach_the_picture_as_they_are)
{
    need_gnuplot();
    static char text[1 << 20];
    assert_int_equal(cli_plot_lines(in_folder("a.svg"), &sample), 0);
    get_file(in_folder("a.svg"), text, sizeof text);
    CHECK(strstr(text, "a 'title' &amp; more"));
    CHECK(strstr(text, "x_Q [m]"));
    CHECK(strstr(text, "it's logarithmic"));
    CHECK(strstr(text, "x_Q `touch bad`"));
    CHECK(strstr(text, "dashed: singular configuration"));
    CHECK(strstr(text, "time [s]"));
}

TEST(png_by_its_ending)
{
    need_gnuplot();
    static char bytes[1 << 20];
    assert_int_equal(cli_plot_lines(in_folder("a.PNG"), &sample), 0);
    CHECK(get_file(in_folder("a.PNG"), bytes, sizeof bytes) > 1000);
    CHECK(memcmp(bytes, "\x89PNG", 4) == 0);
}

/* None of these has a range that gnuplot would find by itself. */
TEST(odd_data_is_drawn)
{
    need_gnuplot();
    static const double flat[] = {5, 5, 5, 5}, zero[] = {0, 0, 0, 0},
                        none[] = {NAN, NAN, INFINITY, NAN};
    const cli_series odd[] = {{"flat", 4, times, flat},
                              {"zero", 4, times, zero},
                              {NULL, 4, times, none},
                              {"", 0, NULL, NULL}};
    const cli_panel odd_panels[] = {
        {"flat", NULL, 0, 0, &odd[0], 1}, {"zero", NULL, 0, 0, &odd[1], 1},
        {"zero", NULL, 0, 1, &odd[1], 1}, {"none", NULL, 0, 0, &odd[2], 1},
        {"none", NULL, 0, 1, &odd[3], 1}, {NULL, NULL, 0, 0, NULL, 0},
        {"flat", NULL, 0, 1, &odd[0], 1}};
    const cli_plot p = {.panels = odd_panels, .count = 7};
    assert_int_equal(cli_plot_lines(in_folder("odd.svg"), &p), 0);
    const cli_plot empty = {.panels = &odd_panels[4], .count = 1};
    assert_int_equal(cli_plot_lines(in_folder("empty.svg"), &empty), 0);
}

/* 100 000 points become a few thousand, and a single peak among them stays. */
TEST(long_series_are_thinned_but_keep_their_peaks)
{
    enum { N = 100000 };
    static double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i, y[i] = sin(1e-3 * i);
    y[54321] = 77.5;
    const cli_series s = {"long", N, x, y};
    const cli_panel panel = {.ylabel = "y", .series = &s, .count = 1};
    const range whole = {0, N - 1};
    FILE* to = tmpfile();
    put_series(to, &panel, &s, &whole);
    rewind(to);
    char line[80];
    int lines = 0, peak = 0;
    double last = -1;
    while (fgets(line, sizeof line, to)) {
        lines++;
        peak += strcmp(line, "54321 77.5\n") == 0;
        CHECK(atof(line) > last); // in order, none twice
        last = atof(line);
    }
    fclose(to);
    assert_int_equal(peak, 1);
    CHECK_NEAR(last, N - 1, 0);
    assert_in_range(lines, BUCKETS, 4 * BUCKETS + 4);
}

TEST(a_gap_breaks_the_line)
{
    const range whole = {0, 3};
    char text[200] = "";
    FILE* to = tmpfile();
    put_series(to, &panels[0], one, &whole);
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = '\0';
    fclose(to);
    CHECK_TEXT(text, "0 1\n1 10\n\n3 1000\n");
}

TEST(failures_are_no_reason_to_stop)
{
    assert_int_equal(cli_plot_lines("a.bmp", &sample), -1);
    assert_int_equal(cli_plot_lines("noending", &sample), -1);
    assert_int_equal(cli_plot_lines(in_folder("missing/a.svg"), &sample), -1);
    assert_int_equal(cli_plot_lines(in_folder("a.svg"), &(cli_plot){0}), -1);
    char* path = strdup(getenv("PATH"));
    setenv("PATH", test_folder, 1);
    assert_int_equal(cli_plot_lines(in_folder("b.svg"), &sample), -1); // no gnuplot
    CHECK(access(in_folder("b.svg"), F_OK) != 0);

    FILE* fake = fopen(in_folder("gnuplot"), "w"); // one that dies before it has read anything
    fputs("#!/bin/sh\nexit 3\n", fake);
    fclose(fake);
    chmod(in_folder("gnuplot"), 0700);
    assert_int_equal(cli_plot_lines(in_folder("b.svg"), &sample), -1);
    CHECK(access(in_folder("b.svg"), F_OK) != 0);
    setenv("PATH", path, 1);
    free(path);
}

TEST(a_bar_in_the_path_is_no_command)
{
    need_gnuplot();
    CHECK(chdir(test_folder) == 0);
    assert_int_equal(cli_plot_lines("|touch bad;.svg", &sample), 0);
    CHECK(access("bad", F_OK) != 0 && access("bad;.svg", F_OK) != 0);
    static char text[1 << 20];
    CHECK(get_file("|touch bad;.svg", text, sizeof text) > 1000);
    CHECK(chdir("/") == 0);
}

TESTS_BETWEEN(make_folder, remove_folder)
