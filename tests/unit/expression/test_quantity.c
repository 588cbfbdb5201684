/* Units and what kind of quantity a value is. Expected values are the definitions of the units. */
#include "expression/expression.h"
#include "expression/quantity.h"
#include "sar_test.h"

static double value_of(const char* text)
{
    sari_expression* e = NULL;
    sar_error error = {0};
    if (sari_expression_compile(text, NULL, NULL, &e, &error) != SAR_OK)
        fail_msg("'%s': %s", text, error.message);
    const double value = sari_expression_value(e, NULL);
    sari_expression_destroy(e);
    return value;
}

TEST(units_are_converted_and_rounded_once)
{
    static const struct {
        const char* text;
        double value;
    } cases[] = {
        {"12 mm", 0.012},
        {"1.2 t", 1200},
        {"4 kN/m", 4000},
        {"30 N/mm", 30000},
        {"7.85 g/cm^3", 7850},
        {"7.85 g/cm3", 7850},
        {"36 km/h", 10},
        {"2 bar", 2e5},
        {"210 GPa", 2.1e11},
        {"1 kg*m^2", 1},
        {"1 kg m^2", 1},
        {"5 g", 0.005},
        {"300 N s/m", 300},
        {"1 in", 0.0254},
        {"3 kW", 3000},
        {"2 m^-1", 2},
        {"2*30 kN/m + 1", 60001},
        {"-12 mm", -0.012},
        {"1 m + 5 mm", 1.005},
        {"12 mm/4", 0.003},
        {"12 mm*2 mm", 0.012 * 0.002},
        {"(1 + 2)*3 mm", 9 * 0.001},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        CHECK_NEAR(value_of(cases[k].text), cases[k].value, 4e-16 * fabs(cases[k].value));
    CHECK(value_of("12 mm") == 0.012);
    CHECK(value_of("0.3 mm") == 0.3 / 1000);
    CHECK(value_of("30 deg") == 30 * 3.14159265358979323846 / 180);
    CHECK_NEAR(value_of("300 rpm"), 10 * 3.14159265358979323846, 1e-14);
    CHECK_NEAR(value_of("90 \xc2\xb0"), 1.5707963267948966, 1e-15);
    CHECK_NEAR(value_of("60 rev/min"), 2 * 3.14159265358979323846, 1e-15);
    CHECK_NEAR(value_of("3 \xc2\xb5m"), 3e-6, 1e-21);
}

static sari_dimension dimension_of(const char* text)
{
    sari_expression* e = NULL;
    sar_error error = {0};
    if (sari_expression_compile(text, NULL, NULL, &e, &error) != SAR_OK)
        fail_msg("'%s': %s", text, error.message);
    const sari_dimension d = sari_expression_dimension(e);
    sari_expression_destroy(e);
    return d;
}

TEST(operations_have_dimensions)
{
    char text[96];
    static const char* const cases[][2] = {
        {"4 kN/m*12 mm", "a force [N]"},
        {"sqrt(4 m*1 m)", "a length [m]"},
        {"(3 m)^2", "an area [m^2]"},
        {"2*(1 m - 3 mm)", "a length [m]"},
        {"3 mm*sin(30 deg)", "a length [m]"},
        {"1 < 2 ? 3 mm : 0", "a length [m]"},
        {"max(3 mm, 1)", "a length [m]"},
        {"5 N*m/(2 rad)", "a torque or an energy [N m]"},
        {"1 kg*m^2*(1 rad/s)", "a rotational damping [N m s/rad]"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const sari_dimension d = dimension_of(cases[k][0]);
        CHECK(d.known == SARI_MEASURED);
        if (strcmp(sari_dimension_describe(d, text, sizeof text), cases[k][1]) != 0)
            fail_msg("'%s' is %s, not %s", cases[k][0], text, cases[k][1]);
    }
    CHECK(dimension_of("2*3").known == SARI_PLAIN);
    CHECK(dimension_of("pi*3 m").length == 1);
}

TEST(what_a_text_in_brackets_expects)
{
    char text[200];
    const sari_dimension length = dimension_of("1 m"), force = dimension_of("1 N");
    CHECK(sari_dimension_fits(length, "limit [m] or [rad]"));
    CHECK(sari_dimension_fits(dimension_of("1 deg"), "limit [m] or [rad]"));
    CHECK(!sari_dimension_fits(force, "limit [m] or [rad]"));
    CHECK(sari_dimension_fits(force, "[N/m^exponent] or [m]")); // not a unit: anything
    CHECK(sari_dimension_fits(force, "pairs [x, f]"));
    CHECK(sari_dimension_fits(force, "no unit at all"));
    CHECK(sari_dimension_fits(dimension_of("3"), "[m]"));
    CHECK(strcmp(sari_unit_expected("[m] or [rad]", text, sizeof text),
                 "a length [m] or an angle or a number [rad]") == 0);
}

TEST(what_is_no_unit)
{
    sari_unit unit;
    static const char* const none[] = {"", "L", "kk", "mkg", "min(1", "mm_", "m(3)", "-m", "/m"};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++)
        if (sari_unit_read(none[k], NULL, NULL, &unit) != 0) fail_msg("'%s' is a unit", none[k]);
    CHECK(sari_unit_read("kN/L", NULL, NULL, &unit) == 2); // the rest is no unit
    CHECK(sari_unit_read("mm*sin(3)", NULL, NULL, &unit) == 2);
    CHECK(sari_unit_read("N*s/m*v", NULL, NULL, &unit) == 5);
}
