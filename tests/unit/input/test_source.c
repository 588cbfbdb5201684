/* Model files that are read once: every model of a source is the one that its text gives, after any
 * other, with the same numbers and the same messages; of all files that were read it keeps what they
 * were. */
#include "temporary_folder.h"

#include "sarrus/load.h"
#include "sarrus/run.h"

#include <string.h>

static void save(const char* name, const char* text)
{
    FILE* file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A parameter in every place that may have one: dimensions, masses, a spring, a table from a file, a
 * file that is used, how often something is repeated, what is there at all, the start, a drive, the
 * step, and an output. */
static const char WORLD[] = "sarrus: 1\n"
                            "name: everywhere\n"
                            "dimension: 2\n"
                            "parameters: {L: 1, m: 1, k: 20, n: 2, w: 0.5, h: 1e-3, shown: 1, "
                            "s0: 0.2, g: 9.81}\n"
                            "gravity: [0, -g]\n"
                            "tables: {f: {file: points.csv, x: x, y: y}}\n"
                            "bodies:\n"
                            "  arm: {mass: m, center: [L/2, 0], inertia: m*L^2/12, points: {O: "
                            "[0, 0], P: [L, 0]}, position: [0, 0], angle: s0}\n"
                            "  wheel: {mass: 1, inertia: 1, points: {C: [0, 0]}, position: [3, 0], "
                            "angle: 0}\n"
                            "joints:\n"
                            "  O: {type: revolute, between: [ground.origin, arm.O]}\n"
                            "  C: {type: revolute, between: [ground.hub, wheel.C]}\n"
                            "ground: {points: {hub: [3, 0]}}\n"
                            "drives: {turn: {joint: C, value: 'w*t + 0.1*sin(L*t)'}}\n"
                            "forces:\n"
                            "  S: {type: spring, between: [ground.hub, arm.P], stiffness: k, "
                            "force: f(x), when: shown}\n"
                            "repeat:\n"
                            "  - index: i\n"
                            "    from: 1\n"
                            "    to: n\n"
                            "    use: {'leg{i}': {file: leg.yaml, with: {a: 'L + i'}}}\n"
                            "outputs: {angle: O.angle, x: arm.P.x, turned: C.angle, scaled: "
                            "'m*arm.P.y', leg: leg1.J.angle}\n"
                            "start: {O.angle: s0}\n"
                            "method: {step: h, end: 50*h}\n";
static const char LEG[] = "sarrus: 1\n"
                          "name: leg\n"
                          "dimension: 2\n"
                          "parameters: {a: 1, c: 2}\n"
                          "bodies: {b: {mass: c, inertia: 1, points: {P: [0, 0], E: [a, 0]}, "
                          "center: [a/2, 0], position: [0, -a], angle: 0.3}}\n"
                          "joints: {J: {type: revolute, between: [ground.foot, b.P]}}\n"
                          "ground: {points: {foot: [0, -a]}}\n";
static const char POINTS[] = "x,y\n0,0\n1,2\n9,4\n";

static const sar_setting cases[] = {{"L", "1.3"},    {"m", "2.5"},   {"k", "7"},
                                    {"n", "3"},      {"w", "-1"},    {"h", "2e-3"},
                                    {"shown", "0"},  {"s0", "-0.4"}, {"g", "1.62"},
                                    {"leg1.c", "5"}, {"L", "2*pi"},  {"leg2.a", "0.5"}};
enum { CASES = sizeof cases / sizeof *cases };

static void fill_folder(void)
{
    save("world.yaml", WORLD);
    save("leg.yaml", LEG);
    save("points.csv", POINTS);
}

/* Outputs after some steps; how many there are. */
static int run(const sar_model* model, const sar_options* options, double out[16])
{
    sar_simulation* s = NULL;
    sar_error error;
    if (sar_simulation_create(model, options, &s, &error) != SAR_OK) fail_msg("%s", error.message);
    if (sar_simulation_assemble(s, NULL) != SAR_OK) fail_msg("%s", sar_simulation_failure(s));
    while (!sar_simulation_done(s)) assert_int_equal(sar_simulation_advance(s), SAR_OK);
    sar_simulation_outputs(s, out);
    out[sar_model_outputs(model)] = sar_simulation_statistics(s).energy_initial;
    sar_simulation_destroy(s);
    return sar_model_outputs(model) + 1;
}

static sar_source* open_world(void)
{
    sar_source* source = NULL;
    char text[sizeof WORLD];
    memcpy(text, WORLD, sizeof text);
    assert_int_equal(sar_source_open(text, strlen(text), in_folder("world.yaml"), &source), SAR_OK);
    memset(text, '?', sizeof text); // it has a copy
    return source;
}

static void compare(sar_source* source, const sar_setting* setting, double last[16])
{
    sar_model *one = NULL, *other = NULL;
    sar_options a = sar_options_default(), b = a;
    char *said = NULL, *also = NULL;
    double x[16], y[16];
    if (sar_model_load(in_folder("world.yaml"), setting, 1, &one, &a, &said) != SAR_OK)
        fail_msg("%s", said);
    if (sar_source_model(source, setting, 1, &other, &b, &also) != SAR_OK) fail_msg("%s", also);
    assert_int_equal(said == NULL, also == NULL);
    assert_memory_equal(&a.step, &b.step, sizeof a.step);
    assert_memory_equal(&a.end, &b.end, sizeof a.end);
    assert_int_equal(sar_model_files(one), sar_model_files(other));
    const int count = run(one, &a, x);
    assert_int_equal(run(other, &b, y), count);
    assert_memory_equal(x, y, (size_t)count * sizeof *x);
    assert_true(memcmp(x, last, (size_t)count * sizeof *x) != 0); // the setting counts
    memcpy(last, x, sizeof x);
    sar_model_destroy(one);
    sar_model_destroy(other);
    sar_text_free(said);
    sar_text_free(also);
}

TEST(parameters_in_every_place)
{
    fill_folder();
    sar_source* source = open_world();
    double last[16] = {0};
    for (int k = 0; k < CASES; k++) compare(source, &cases[k], last);
    for (int k = CASES - 1; k >= 0; k--) compare(source, &cases[k], (double[16]){0});
    sar_source_close(source);
}

/* Wrong settings are told as always, and change nothing for those after them. */
TEST(errors_are_those_of_the_text)
{
    static const sar_setting wrong[] = {{"m", "-1"},   {"nobody", "1"},  {"L", "1 +"},
                                        {"n", "2.5"},  {"leg1.c", "-2"}, {"L", "0/0"},
                                        {"h", "1 kg"}, {"leg9.c", "1"}};
    fill_folder();
    sar_source* source = open_world();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        sar_model* model = NULL;
        char *said = NULL, *also = NULL;
        assert_int_equal(sar_model_load(in_folder("world.yaml"), &wrong[k], 1, &model, NULL, &said),
                         SAR_E_MODEL);
        assert_int_equal(sar_source_model(source, &wrong[k], 1, &model, NULL, &also), SAR_E_MODEL);
        assert_null(model);
        assert_string_equal(said, also);
        if (k == 0) assert_non_null(strstr(said, "world.yaml:8:"));
        if (k == 4) assert_non_null(strstr(said, "leg.yaml:5:"));
        sar_text_free(said);
        sar_text_free(also);
        compare(source, &cases[k], (double[16]){0});
    }
    sar_source_close(source);
}

/* A file with errors is looked at again, one without is not. */
TEST(files_are_read_once)
{
    fill_folder();
    save("leg.yaml", "sarrus: 1\nname: [\n");
    sar_source* source = open_world();
    sar_model* model = NULL;
    char* said = NULL;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sar_source_model(source, NULL, 0, &model, NULL, &said), SAR_E_MODEL);
        assert_non_null(strstr(said, "leg.yaml"));
        sar_text_free(said);
    }
    save("leg.yaml", LEG);
    compare(source, &cases[0], (double[16]){0});
    unlink(in_folder("leg.yaml"));
    unlink(in_folder("points.csv"));
    assert_int_equal(sar_source_model(source, &cases[1], 1, &model, NULL, &said), SAR_OK);
    sar_model_destroy(model);
    sar_text_free(said);
    sar_source_close(source);
}

TEST(refusals)
{
    sar_source* source = NULL;
    sar_model* model = NULL;
    char* said = NULL;
    assert_int_equal(sar_source_open(NULL, 0, "x", &source), SAR_E_ARG);
    assert_int_equal(sar_source_open("a: [", 4, NULL, &source), SAR_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sar_source_model(source, NULL, 0, &model, NULL, &said), SAR_E_MODEL);
        assert_non_null(strstr(said, "not valid YAML"));
        sar_text_free(said);
    }
    assert_int_equal(sar_source_model(source, NULL, 1, &model, NULL, &said), SAR_E_ARG);
    assert_int_equal(sar_source_model(NULL, NULL, 0, &model, NULL, &said), SAR_E_ARG);
    sar_source_close(source);
    sar_source_close(NULL);
}

TESTS_BETWEEN(make_folder, remove_folder)
