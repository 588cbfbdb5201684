/* The model file reader: what is wrong is said once, all of it, where it is; what is odd is noted. */
#include "reader_fixture.h"

/* ---- notes: valid, but perhaps not what was meant ------------------------------------------- */

TEST(a_body_alone_is_said_to_be_its_origin)
{
    char* said = notes(HEAD2 "bodies: {a: {mass: 1, points: {P: [1, 0]}}}\n"
                             "joints: {J: {type: revolute, between: [ground.origin, a]}}\n");
    check_says(said, "test.yaml:5:55: note: 'a' alone is taken as its origin, a.origin");
    CHECK(occurrences(said, "note") == 1);
    sar_text_free(said);
    said = notes(HEAD2 "bodies: {a: {mass: 1, points: {P: [1, 0]}}}\n"
                       "joints: {J: {type: revolute, between: [ground.origin, a.origin]}}\n");
    CHECK(said == NULL);
}

TEST(reserved_names_are_refused_and_listed)
{
    char* said = complaints(HEAD2 "parameters: {v: 1}\n"
                                  "bodies: {a: {mass: 1}, energy: {mass: 1}}\n"
                                  "forces: {f: {type: force, acts_on: a.center, force: [e, 0]}}\n"
                                  "outputs: {e: a.center.x, pi: 2, x: 3}\n");
    check_says(said, "a parameter cannot be called \"v\"");
    check_says(said, "(reserved are ground, energy, t, x, v, pi, e, inf)");
    check_says(said, "a body, joint or force cannot be called \"energy\"");
    check_says(said, "(reserved are ground, energy, t)");
    check_says(said, "an output cannot be called \"e\"");
    check_says(said, "an output cannot be called \"pi\"");
    check_says(said, "(reserved are t, pi, e, inf)");
    CHECK(occurrences(said, ": error: ") == 4);
    sar_text_free(said);
}

TEST(an_output_does_not_change_the_x_of_a_spring)
{
    char* said =
        notes(HEAD2 "bodies: {a: {mass: 1}}\n"
                    "forces: {s: {type: spring, between: [ground.origin, a.center], force: "
                    "-3*x}}\n"
                    "outputs: {x: a.center.x, v: a.center.vx}\n");
    check_says(said, "test.yaml:6:11: note: in 's' the name x means its own variable");
    CHECK(occurrences(said, "note") == 1);
    sar_text_free(said);
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(an_error_shows_line_caret_and_hint)
{
    char* messages = complaints(HEAD2 "bodies:\n\n  crank: {mas: 1}\n");
    CHECK_TEXT(messages, "test.yaml:6:11: error: a body has no key 'mas'\n"
                         "    6 |   crank: {mas: 1}\n"
                         "      |           ^\n"
                         "        hint: did you mean 'mass'?\n");
    sar_text_free(messages);
}

TEST(all_errors_come_at_once_in_order)
{
    char* messages = complaints(HEAD2 "start: {O.angel: 1}\n"
                                      "bodies: {a: {mass: [1]}, b: {mass: 1}, b: {mass: 2}}\n"
                                      "joints: {O: {type: revolute, between: [ground, b]}, P: "
                                      "{type: rigid, between: [ground, b]}}\n"
                                      "outputs: {y: 1 +}\n");
    CHECK(occurrences(messages, "error: ") == 5);
    const char* at = messages;
    static const char* const places[] = {
        "test.yaml:4:", "test.yaml:5:", "test.yaml:5:", "test.yaml:6:", "test.yaml:7:"};
    for (int k = 0; k < 5; k++) {
        at = strstr(at, places[k]);
        CHECK(at != NULL);
        at++;
    }
    sar_text_free(messages);
}

TEST(consequences_are_not_reported)
{
    char* messages = complaints(HEAD2 "parameters: {a: 1/0, b: 2*a}\n"
                                      "bodies: {p: {mass: b, points: {Q: [a, 0]}}, q: {mass: 1}}\n"
                                      "joints: {J: {type: revolute, between: [p.Q, q]}}\n"
                                      "drives: {D: {joint: J, value: a*t}}\n"
                                      "forces: {F: {type: force, acts_on: p, force: [p.Q.x, b]}}\n"
                                      "outputs: {y: J.angle + p.Q.x}\n"
                                      "start: {J.rate: b}\n");
    CHECK(occurrences(messages, "error: ") == 1);
    check_says(messages, "a is infinite");
    sar_text_free(messages);
}

TEST(errors_of_a_repeat_are_reported_once)
{
    char* messages = complaints(HEAD2 "bodies: {}\n"
                                      "repeat:\n"
                                      "  - {index: i, from: 1, to: 50000, bodies: "
                                      "{\"b{i}\": {mass: -i}}}\n");
    CHECK(occurrences(messages, "error: ") == 1);
    check_says(messages, "test.yaml:6:");
    sar_text_free(messages);
}

TEST(many_errors_are_counted)
{
    char text[4096] = HEAD2 "bodies:\n";
    for (int k = 0; k < 23; k++) {
        char line[32];
        snprintf(line, sizeof line, "  b%d: {mass: -1}\n", k);
        strcat(text, line);
    }
    char* messages = complaints(text);
    CHECK(occurrences(messages, "error: ") == 20);
    check_says(messages, "3 more errors not shown");
    sar_text_free(messages);
}

TEST(long_lines_are_cut_around_the_caret)
{
    char text[1024] = HEAD2 "bodies: {";
    for (int k = 0; k < 30; k++) {
        char item[32];
        snprintf(item, sizeof item, "b%d: {mass: 1}, ", k);
        strcat(text, item);
    }
    strcat(text, "c: {mass: oops}}\n");
    char* messages = complaints(text);
    const size_t caret = strcspn(messages, "^"), source = strcspn(messages, "\n") + 1;
    CHECK(messages[caret] == '^');
    size_t line = caret;
    while (messages[line - 1] != '\n') line--;
    CHECK(strncmp(messages + source + (caret - line), "oops", 4) == 0);
    CHECK(line - source < 120);
    sar_text_free(messages);
}

TEST(messages_cannot_steer_a_terminal)
{
    char* messages = complaints(HEAD2 "bodies: {\"a\\e[31m\\x9b\": {mass: 1}}\n");
    CHECK(strchr(messages, '\x1b') == NULL);
    CHECK(strstr(messages, "\xc2\x9b") == NULL);
    sar_text_free(messages);
}

TEST(missing_file_is_an_input_error)
{
    sar_model* m = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_model_load("no/such/model.yaml", NULL, 0, &m, NULL, &messages), SAR_E_IO);
    check_says(messages, "no/such/model.yaml: error: cannot read the file: ");
    sar_text_free(messages);
    CHECK_STATUS(sar_model_load(SARRUS_ROOT, NULL, 0, &m, NULL, &messages), SAR_E_IO);
    sar_text_free(messages);
    sar_text_free(NULL);
}
