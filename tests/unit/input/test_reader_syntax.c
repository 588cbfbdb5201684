/* The model file reader: parameters, settings, options, and the ways to write a file. */
#include "reader_fixture.h"

/* ---- parameters, settings, options ---------------------------------------------------------- */

TEST(settings_replace_before_later_parameters)
{
    static const char text[] = HEAD2 "parameters: {a: 1, b: 2*a, c: a + b}\n"
                                     "bodies: {p: {mass: b}, q: {mass: c}}\n";
    sar_model* m = parse(text);
    CHECK_NEAR(body(m, "p")->def.mass, 2, 0);
    CHECK_NEAR(body(m, "q")->def.mass, 3, 0);
    sar_model_destroy(m);
    m = parse_with(text, (sar_setting[]){{"a", "99"}, {"a", "10"}}, 2);
    CHECK_NEAR(body(m, "p")->def.mass, 20, 0);
    CHECK_NEAR(body(m, "q")->def.mass, 30, 0);
    sar_model_destroy(m);
    m = parse_with(text, (sar_setting[]){{"c", "a + 2*b"}}, 1);
    CHECK_NEAR(body(m, "q")->def.mass, 5, 0);
    sar_model_destroy(m);
}

TEST(wrong_settings_are_explained)
{
    static const char text[] = HEAD2 "parameters: {mass: 1, length: 2}\n"
                                     "bodies: {p: {mass: mass}}\n";
    char* messages = complaints_with(text, (sar_setting[]){{"mas", "2"}}, 1);
    check_says(messages, "the model has no parameter 'mas'");
    check_says(messages, "mass, length");
    sar_text_free(messages);
    messages = complaints_with(text, (sar_setting[]){{"mass", "2 + width"}}, 1);
    CHECK_TEXT(messages, "test.yaml: error: the setting of 'mass' from outside: there is no "
                         "parameter 'width'\n"
                         "      | 2 + width\n"
                         "      |     ^\n");
    sar_text_free(messages);
}

TEST(method_section_fills_the_options)
{
    static const char text[] = HEAD2 "parameters: {T: 2}\n"
                                     "bodies: {p: {mass: 1}}\n"
                                     "method: {end: 3*T, step: 1e-4, newton-tolerance: 1e-7, "
                                     "alpha: inf, iterations: 7}\n";
    sar_options options = sar_options_default();
    options.start = 1.5;
    sar_model* m = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_model_parse(text, strlen(text), "test.yaml", NULL, 0, &m, &options, &messages),
                 SAR_OK);
    CHECK_NEAR(options.end, 6, 0);
    CHECK_NEAR(options.step, 1e-4, 0);
    CHECK_NEAR(options.newton_tolerance, 1e-7, 0);
    CHECK(isinf(options.alpha));
    CHECK(options.iterations == 7);
    CHECK_NEAR(options.start, 1.5, 0);
    sar_model_destroy(m);
}

TEST(options_stay_as_they_are_after_an_error)
{
    static const char text[] = HEAD2 "bodies: {p: {mass: one}}\nmethod: {end: 3}\n";
    sar_options options = sar_options_default();
    options.end = 77;
    sar_model* m = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_model_parse(text, strlen(text), "test.yaml", NULL, 0, &m, &options, &messages),
                 SAR_E_MODEL);
    CHECK_NEAR(options.end, 77, 0);
    sar_text_free(messages);
}

/* ---- syntax --------------------------------------------------------------------------------- */

TEST(json_is_read_too)
{
    sar_model* m = parse("{\"sarrus\": 1, \"name\": \"a pendulum\", \"dimension\": 2,\n"
                         " \"parameters\": {\"L\": 2},\n"
                         " \"bodies\": {\"bob\": {\"mass\": 1.5e0, \"points\": {\"P\": [\"L/4\", "
                         "0]}}},\n"
                         " \"joints\": {\"O\": {\"type\": \"revolute\", \"between\": [\"ground\", "
                         "\"bob.P\"]}},\n"
                         " \"outputs\": {\"a\": \"O.angle\"}}\n");
    CHECK_TEXT(sar_model_name(m), "a pendulum");
    CHECK_NEAR(body(m, "bob")->def.mass, 1.5, 0);
    check_numbers(joint(m, "O")->pair.b.point, (double[]){0.5, 0, 0}, 3);
    CHECK(sar_model_outputs(m) == 1);
    sar_model_destroy(m);
}

TEST(commas_within_parentheses_end_nothing)
{
    sar_model* m =
        parse(HEAD2 "bodies:\n"
                    "  p: {mass: max(1, min(5, 3), 2), inertia: 1, position: [max(1, 2), "
                    "pow(2,3) + 1], angle: atan2(1, 1)}\n"
                    "  q: {mass: hypot(3, 4), inertia: 1}\n");
    CHECK_NEAR(body(m, "p")->def.mass, 3, 0);
    CHECK_NEAR(body(m, "p")->def.position[0], 2, 0);
    CHECK_NEAR(body(m, "p")->def.position[1], 9, 0);
    CHECK_NEAR(body(m, "q")->def.mass, 5, 1e-15);
    sar_model_destroy(m);
    char* messages = complaints(HEAD2 "bodies:\n"
                                      "  p: {mass: max(1, lost), inertia: 1}\n"
                                      "  q: {mass: (1, inertia: 1}\n"
                                      "  r: {mass: 1, position: [(1, 2]}\n"
                                      "  s: {mass: 1, position: [max(1, 2, 3]}\n");
    check_says(messages, "test.yaml:5:20: error: there is no parameter 'lost'");
    check_says(messages, "test.yaml:6:15: error: expected ')'");
    check_says(messages, "a comma ends an expression whose parentheses do not close");
    check_says(messages, "test.yaml:7:29: error: expected ')'");
    check_says(messages, "test.yaml:8:26: error: position has 3 components");
    sar_text_free(messages);
}

TEST(order_of_sections_does_not_matter)
{
    sar_model* m = parse("start: {O.angle: 1}\n"
                         "outputs: {a: O.angle}\n"
                         "forces: {F: {type: torque, acts_on: bob, torque: T}}\n"
                         "joints: {O: {type: revolute, between: [ground.Q, bob]}}\n"
                         "bodies: {bob: {mass: 1}}\n"
                         "ground: {points: {Q: [T, 0]}}\n"
                         "parameters: {T: 3}\n"
                         "dimension: 2\nname: x\nsarrus: 1\n");
    check_numbers(joint(m, "O")->pair.a.point, (double[]){3, 0, 0}, 3);
    CHECK(m->forces[SARI_FORCE_LOAD].count == 1 && m->outputs_count == 1 && m->starts_count == 1);
    sar_model_destroy(m);
}

TEST(byte_order_mark_and_other_line_ends_are_fine)
{
    sar_model* m =
        parse("\xef\xbb\xbfsarrus: 1\r\nname: test\r\ndimension: 2\r\nbodies:\r\n  b:\r\n"
              "    mass: 1\r\n");
    sar_model_destroy(m);
    char* messages = complaints("sarrus: 1\r\nname: \xc3\xa9\xc3\xa8\r\ndimension: 2\r\nbodies: "
                                "{b: {mass: 1, \xc3\xa9: 1, mas: 1}}\r\n");
    check_says(messages, "test.yaml:4:23: error: a body has no key '\xc3\xa9'");
    check_says(messages, "test.yaml:4:29: error: a body has no key 'mas'");
    sar_text_free(messages);
}
