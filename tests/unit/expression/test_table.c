/* Tables as functions: values against closed forms, derivatives against differences, the order of
 * the spline, what is refused, and their use in expressions and model files. */
#include "expression/table.h"

#include "input/reader.h"
#include "model_fixture.h"

enum { POINTS = 400 };

static sari_table* make(int n, const double* x, const double* y, sar_interpolation kind, int extend)
{
    sar_table_def def = sar_table_def_default();
    def.name = "f", def.length = n, def.x = x, def.y = y;
    def.interpolation = kind, def.extend = extend;
    sari_table* t = NULL;
    CHECK_STATUS(sari_table_create(&def, &t, NULL), SAR_OK);
    return t;
}

/// `f` at n points of [0, 2], at unequal distances.
static sari_table* sampled(int n, double (*f)(double), sar_interpolation kind)
{
    static double x[POINTS], y[POINTS];
    for (int k = 0; k < n; k++) {
        double s = (double)k / (n - 1);
        x[k] = 2 * s + 0.2 * sin(3.14159265358979 * s) * s;
        y[k] = f(x[k]);
    }
    return make(n, x, y, kind, 0);
}

static double cubic(double x)
{
    return 1 - 2 * x + 0.5 * x * x + 3 * x * x * x;
}

static double parabola(double x)
{
    return 2 - x + 4 * x * x;
}

/* ---- values --------------------------------------------------------------------------------- */

TEST(lines_meet_their_points_and_hold_or_extend)
{
    const double x[] = {-1, 0, 2, 2.5}, y[] = {3, 1, 2, -1};
    sari_table* t = make(4, x, y, SAR_INTERPOLATION_LINEAR, 0);
    double out[3];
    for (int k = 0; k < 4; k++) CHECK_NEAR(sari_table_value(t, x[k]), y[k], 0);
    CHECK_NEAR(sari_table_value(t, 0.5), 1.25, 1e-15);
    CHECK_NEAR(sari_table_value(t, -7), 3, 0);
    CHECK_NEAR(sari_table_value(t, 7), -1, 0);
    sari_table_series(t, 0.0, out); // at a point: to its right
    CHECK_NEAR(out[1], 0.5, 1e-15);
    sari_table_series(t, 2.5, out);
    CHECK_NEAR(out[1], 0, 0);
    CHECK(isnan(sari_table_value(t, NAN)));
    sari_table_destroy(t);
    t = make(4, x, y, SAR_INTERPOLATION_LINEAR, 1);
    CHECK_NEAR(sari_table_value(t, -2), 5, 1e-15);
    CHECK_NEAR(sari_table_value(t, 3), -4, 1e-15);
    sari_table_series(t, 3, out);
    CHECK_NEAR(out[1], -6, 1e-14);
    sari_table_destroy(t);
}

TEST(constants_keep_their_value_up_to_the_next_point)
{
    const double x[] = {0, 1, 3}, y[] = {5, -2, 7};
    sari_table* t = make(3, x, y, SAR_INTERPOLATION_CONSTANT, 1);
    const double at[] = {-1, 0, 0.999, 1, 2.5, 3, 9}, wanted[] = {5, 5, 5, -2, -2, 7, 7};
    for (int k = 0; k < 7; k++) CHECK_NEAR(sari_table_value(t, at[k]), wanted[k], 0);
    sari_table_destroy(t);
}

TEST(splines_reproduce_what_has_their_degree)
{
    double out[3];
    sari_table* t = sampled(4, cubic, SAR_INTERPOLATION_CUBIC);
    sari_table* u = sampled(9, cubic, SAR_INTERPOLATION_CUBIC);
    sari_table* p = sampled(3, parabola, SAR_INTERPOLATION_CUBIC);
    sari_table* l = sampled(2, parabola, SAR_INTERPOLATION_CUBIC);
    for (double x = 0; x < 2; x += 0.013) {
        CHECK_NEAR(sari_table_value(t, x), cubic(x), 1e-12);
        sari_table_series(u, x, out);
        CHECK_NEAR(out[0], cubic(x), 1e-12);
        CHECK_NEAR(out[1], -2 + x + 9 * x * x, 1e-11);
        CHECK_NEAR(out[2], 1 + 18 * x, 1e-10);
        CHECK_NEAR(sari_table_value(p, x), parabola(x), 1e-13);
        CHECK_NEAR(sari_table_value(l, x), 2 + 7 * x, 1e-13);
    }
    sari_table_destroy(t), sari_table_destroy(u), sari_table_destroy(p), sari_table_destroy(l);
}

TEST(splines_have_two_continuous_derivatives)
{
    sari_table* t = sampled(13, sin, SAR_INTERPOLATION_CUBIC);
    for (int k = 1; k < t->intervals; k++) {
        double left[3], right[3];
        sari_table_series(t, nextafter(t->x[k], -1), left);
        sari_table_series(t, t->x[k], right);
        for (int i = 0; i < 3; i++) CHECK_NEAR(left[i], right[i], 1e-12);
    }
    sari_table_destroy(t);
}

static double largest_error(int n)
{
    double most = 0;
    sari_table* t = sampled(n, sin, SAR_INTERPOLATION_CUBIC);
    for (double x = 0; x < 2; x += 1e-3) most = fmax(most, fabs(sari_table_value(t, x) - sin(x)));
    sari_table_destroy(t);
    return most;
}

TEST(splines_converge_with_order_four)
{
    double coarse = largest_error(26), fine = largest_error(101);
    double order = log(coarse / fine) / log(4.0);
    if (!(order > 3.8 && order < 4.3)) fail_msg("order %g: %g, %g", order, coarse, fine);
}

TEST(derivatives_are_those_of_the_values)
{
    const double h = 1e-6;
    for (int kind = 0; kind < 2; kind++) {
        sari_table* t = sampled(7, exp, (sar_interpolation)kind);
        for (double x = 0.0437; x < 1.95; x += 0.0713) {
            double out[3], left[3], right[3];
            sari_table_series(t, x, out);
            sari_table_series(t, x - h, left);
            sari_table_series(t, x + h, right);
            CHECK_NEAR(out[1], (right[0] - left[0]) / (2 * h), 1e-8);
            CHECK_NEAR(out[2], (right[1] - left[1]) / (2 * h), 1e-8);
        }
        sari_table_destroy(t);
    }
}

/* ---- in a model ----------------------------------------------------------------------------- */

TEST(tables_are_checked)
{
    sar_model* m = two_bodies(2);
    double x[] = {0, 1, 2}, y[] = {0, 1, 4};
    sar_table_def def = sar_table_def_default();
    def.name = "road", def.length = 3, def.x = x, def.y = y;
    CHECK_STATUS(sar_model_set_parameter(m, "L", 1, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_table(m, &def, NULL), SAR_OK);
    CHECK(m->tables_count == 1);
    CHECK_REFUSED(m, sar_model_add_table(m, &def, &error), "name", "called \"road\" already");
    CHECK_REFUSED(m, sar_model_set_parameter(m, "road", 1, &error), "name", "there is a table");
    static const char* const taken[] = {"L", "crank", "sin", "t", "x", "and", "2a", ""};
    for (size_t k = 0; k < sizeof taken / sizeof taken[0]; k++) {
        def.name = taken[k];
        CHECK_REFUSED(m, sar_model_add_table(m, &def, &error), "name", "");
    }
    def.name = "other", def.length = 1;
    CHECK_REFUSED(m, sar_model_add_table(m, &def, &error), "x", "at least 2 points, not 1");
    def.length = 3, x[2] = 1;
    CHECK_REFUSED(m, sar_model_add_table(m, &def, &error), "x[2]", "1 comes after 1 (point 3)");
    x[2] = 2, y[1] = NAN;
    CHECK_REFUSED(m, sar_model_add_table(m, &def, &error), "y[1]", "is not finite");
    y[1] = 1e308, y[0] = -1e308, x[1] = 1e-10;
    CHECK_REFUSED(m, sar_model_add_table(m, &def, &error), "x", "too large");
    CHECK(m->tables_count == 1);
    sar_model_destroy(m);
}

TEST(expressions_call_tables_and_differentiate_them)
{
    sar_model* m = two_bodies(2);
    sar_table_def def = sar_table_def_default();
    const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 8, 27, 64};
    def.name = "cube", def.length = 5, def.x = x, def.y = y;
    def.interpolation = SAR_INTERPOLATION_CUBIC;
    CHECK_STATUS(sar_model_add_table(m, &def, NULL), SAR_OK);
    sari_expression* e = NULL;
    sar_error error = {0};
    double out[3], variables[8] = {0.7};
    CHECK_STATUS(sari_model_compile(m, "2*cube(t^2) + cube(2)", 0, "f", &e, NULL), SAR_OK);
    sari_expression_series(e, variables, SARI_VARIABLE_T, out); // 2 t^6 + 8
    CHECK_NEAR(out[0], 2 * pow(0.7, 6) + 8, 1e-13);
    CHECK_NEAR(out[1], 12 * pow(0.7, 5), 1e-13);
    CHECK_NEAR(out[2], 60 * pow(0.7, 4), 1e-12);
    sari_expression_destroy(e);
    CHECK_STATUS(sari_model_compile(m, "cube(3) - 1", 0, "f", &e, NULL), SAR_OK);
    CHECK(sari_expression_is_constant(e));
    CHECK_NEAR(sari_expression_value(e, NULL), 26, 1e-13);
    sari_expression_destroy(e);
    static const char* const wrong[][2] = {
        {"cube(1, 2)", "takes 1 argument, got 2"}, {"cube()", "takes 1 argument, got 0"},
        {"1 + cube", "write cube(...)"},           {"cub(1)", "did you mean 'cube'?"},
        {"square(1)", "unknown function"},         {"cube.x", "is a signal"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        CHECK_STATUS(sari_model_compile(m, wrong[k][0], 0, "f", &e, &error), SAR_E_MODEL);
        if (!strstr(error.message, wrong[k][1])) fail_msg("%s: %s", wrong[k][0], error.message);
    }
    sar_model_destroy(m);
}

static sar_status load(const char* table, const char* points, sar_model** model, char** messages)
{
    char folder[] = "/tmp/sarrus-table-XXXXXX", path[96], text[1024];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/points.csv", folder);
    FILE* file = fopen(path, "w");
    fputs(points, file);
    fclose(file);
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    file = fopen(path, "w");
    snprintf(text, sizeof text,
             "sarrus: 1\nname: test\ndimension: 2\nparameters: {h: 2}\ntables:\n  f: {%s}\n"
             "bodies: {a: {mass: 1, angle: 0}}\noutputs: {y: f(t) + f(h)}\n",
             table);
    fputs(text, file);
    fclose(file);
    sar_status status = sar_model_load(path, NULL, 0, model, NULL, messages);
    remove(path);
    snprintf(path, sizeof path, "%s/points.csv", folder);
    remove(path);
    remove(folder);
    return status;
}

TEST(files_of_columns_are_read)
{
    sar_model* model = NULL;
    char* messages = NULL;
    sar_status status = load("file: points.csv, x: \"t s\", y: tau1, interpolation: linear",
                             "# made by hand\r\n\"t s\",q , tau1\r\n-1,9,-2.5e-1\r\n\r\n"
                             "+2.5, 9 , .5\r\n",
                             &model, &messages);
    if (status != SAR_OK) fail_msg("%s", messages);
    CHECK_NEAR(sari_table_value(model->tables[0], -1), -0.25, 0);
    CHECK_NEAR(sari_table_value(model->tables[0], 2.5), 0.5, 0);
    CHECK_NEAR(sari_table_value(model->tables[0], 0.75), 0.125, 1e-16);
    sar_model_destroy(model);
}

TEST(files_that_are_wrong_are_told_with_their_line)
{
    static const char* const wrong[][3] = {
        {"file: other.csv, x: t, y: u", "t,u\n", "other.csv: No such file"},
        {"file: ., x: t, y: u", "t,u\n", "not a regular file"},
        {"file: points.csv, x: t, y: w", "t,u\n0,0\n1,1\n", "has no column 'w'"},
        {"file: points.csv, x: t, y: u", "", "is empty"},
        {"file: points.csv, x: t, y: u", "t,u\n0,0\n", "at least 2 points, not 1"},
        {"file: points.csv, x: t, y: u", "t,u\n0,0\n\n1,x1\n", "line 4: 'x1' is not a finite"},
        {"file: points.csv, x: t, y: u", "t,u\n0,0\n1\n", "line 3: no number in column 2"},
        {"file: points.csv, x: t, y: u", "t,u\n0,0\n1,nan\n", "line 3: 'nan' is not a finite"},
        {"file: points.csv, x: t, y: u", "t,u\n0,0\n2,1\n1,1\n", "line 4: x must increase"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        sar_model* model = NULL;
        char* messages = NULL;
        CHECK_STATUS(load(wrong[k][0], wrong[k][1], &model, &messages), SAR_E_MODEL);
        if (!strstr(messages, wrong[k][2]) || !strstr(messages, "model.yaml:6:") ||
            !strstr(messages, "table 'f'"))
            fail_msg("wanted '%s' in:\n%s", wrong[k][2], messages);
        if (strstr(messages, "unknown function")) fail_msg("a consequence is told:\n%s", messages);
        sar_text_free(messages);
    }
}
