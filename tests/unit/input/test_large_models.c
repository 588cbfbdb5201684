/* Large models are read in a time that grows with their size: fifty thousand of everything.
 * What is checked is that all of it arrives; reading that grows with the square of the size would
 * take many minutes, and CTest ends it before. */
#include "model/model.h"
#include "sar_test.h"
#include "sarrus/load.h"
#include "sarrus/methods.h"
#include "sarrus/simulation.h"

#if defined(__SANITIZE_ADDRESS__)
enum { MANY = 10000 }; // sanitizers look at the code, not at how it grows
#else
enum { MANY = 50000 };
#endif

#define HEAD "sarrus: 1\nname: large\ndimension: 2\n"
#define BODY "{mass: 1, inertia: 1, position: [0, 0], angle: 0}"

/// A text under construction.
typedef struct text {
    char* at;
    size_t used, size;
} text;

static void put(text* t, const char* words)
{
    const size_t length = strlen(words);
    if (t->used + length + 1 > t->size) {
        t->size = 2 * (t->size + length) + 1;
        t->at = realloc(t->at, t->size);
        CHECK(t->at != NULL);
    }
    memcpy(t->at + t->used, words, length + 1);
    t->used += length;
}

/// Every '#' of `line` becomes a number, for all numbers.
static void put_many(text* t, const char* line, int count)
{
    for (int k = 0; k < count; k++) {
        char words[256];
        size_t used = 0;
        for (const char* c = line; *c && used < sizeof words - 16; c++) {
            if (*c == '#')
                used += (size_t)snprintf(words + used, sizeof words - used, "%d", k);
            else
                words[used++] = *c;
        }
        words[used] = '\0';
        put(t, words);
    }
}

static sar_status parse(const text* t, sar_model** model, char** messages)
{
    return sar_model_parse(t->at, t->used, "large.yaml", NULL, 0, model, NULL, messages);
}

static sar_model* model_of(text* t)
{
    sar_model* model = NULL;
    char* messages = NULL;
    if (parse(t, &model, &messages) != SAR_OK) fail_msg("%.2000s", messages);
    CHECK(messages == NULL);
    free(t->at);
    *t = (text){0};
    return model;
}

TEST(bodies_and_joints)
{
    text t = {0};
    put(&t, HEAD "ground:\n  points:\n");
    put_many(&t, "    p#: [#, 0]\n", MANY);
    put(&t, "bodies:\n");
    put_many(&t, "  b#: " BODY "\n", MANY);
    put(&t, "joints:\n");
    put_many(&t, "  j#: {type: revolute, between: [ground.p#, b#.origin]}\n", MANY);
    sar_model* m = model_of(&t);
    sar_joint_id joint;
    sar_end a, b;
    assert_int_equal(sar_model_bodies(m), MANY + 1);
    assert_int_equal(sar_model_joints(m), MANY);
    CHECK_STATUS(sar_model_find_joint(m, "j7777", 5, &joint), SAR_OK);
    CHECK(sar_model_joint_ends(m, joint.i, &a, &b));
    CHECK_NEAR(a.point[0], 7777, 0);
    CHECK_TEXT(sar_model_body_name(m, b.body.i), "b7777");
    sar_model_destroy(m);
}

TEST(parameters_tables_outputs)
{
    text t = {0};
    put(&t, HEAD "parameters:\n  a0: 1\n");
    put_many(&t, "  p#: # + a0\n", MANY);
    put(&t, "tables:\n");
    put_many(&t, "  T#: {x: [0, 1], y: [#, #]}\n", MANY);
    put(&t, "breakpoints: [");
    put_many(&t, "-#, ", MANY);
    put(&t, "1]\nbodies:\n  b:\n    mass: 1\n    points:\n");
    put_many(&t, "      q#: [#, 0]\n", MANY);
    put(&t, "outputs:\n");
    put_many(&t, "  o#: T#(t) + p# + b.q#.x\n", MANY);
    sar_model* m = model_of(&t);
    assert_int_equal(sar_model_parameters(m), MANY + 1);
    assert_int_equal(m->tables_count, MANY);
    assert_int_equal(m->signals_count, MANY);
    assert_int_equal(m->breakpoints_count, MANY + 1);
    for (int k = 1; k < m->breakpoints_count; k++) CHECK(m->breakpoints[k] > m->breakpoints[k - 1]);
    assert_int_equal(sar_model_outputs(m), MANY);
    CHECK_NEAR(m->parameters[MANY].value, MANY, 0);
    sar_model_destroy(m);
}

TEST(repeats_of_everything)
{
    char t[1024];
    snprintf(t, sizeof t,
             HEAD
             "bodies: {}\nrepeat:\n- index: i\n  from: 1\n  to: %d\n"
             "  ground: {points: {'p{i}': [i, 0]}}\n"
             "  bodies: {'b{i}': {mass: 1, inertia: 1, center: [0, -1]}}\n"
             "  joints: {'j{i}': {type: revolute, between: ['ground.p{i}', 'b{i}.origin']}}\n"
             "  drives: {'d{i}': {joint: 'j{i}', value: i*t}}\n"
             "  forces:\n"
             "    's{i}': {type: spring, between: ['ground.p{i}', 'b{i}.center'], force: x*i}\n"
             "    'f{i}': {type: force, acts_on: 'b{i}.center', force: ['j{i}.rate', 0]}\n"
             "  constraints: {'c{i}': {velocity: 'b{i}.rate - i'}}\n"
             "  outputs: {'o{i}': 'b{i}.center.y'}\n"
             "  start: {'j{i}.angle': i}\n",
             MANY);
    text whole = {0};
    put(&whole, t);
    sar_model* m = model_of(&whole);
    assert_int_equal(sar_model_bodies(m), MANY + 1);
    assert_int_equal(sar_model_joints(m), 3 * MANY);
    assert_int_equal(m->forces[SARI_FORCE_LOAD].count, MANY);
    assert_int_equal(m->forces[SARI_FORCE_SPRING].count, MANY);
    assert_int_equal(m->starts_count, MANY);
    CHECK_NEAR(m->starts[MANY - 1].value, MANY, 0);
    sar_model_destroy(m);
}

TEST(many_entries_of_repeat)
{
    text t = {0};
    put(&t, HEAD "repeat:\n");
    put_many(&t, "- {index: i#, from: 1, to: 1, bodies: {'b#_{i#}': {mass: i#}}}\n", MANY);
    sar_model* m = model_of(&t);
    assert_int_equal(sar_model_bodies(m), MANY + 1);
    sar_model_destroy(m);
}

TEST(many_errors)
{
    text t = {0};
    sar_model* m = NULL;
    char* messages = NULL;
    put(&t, HEAD "bodies:\n");
    put_many(&t, "  b#: " BODY "\n", MANY);
    put(&t, "joints:\n");
    put_many(&t, "  j#: {type: revolute, between: [ground.origin, c#.origin]}\n", MANY);
    put(&t, "outputs:\n");
    put_many(&t, "  o#: d#.origin.x\n", MANY);
    CHECK_STATUS(parse(&t, &m, &messages), SAR_E_MODEL);
    CHECK(strstr(messages, "there is no body 'c0'") != NULL);
    CHECK(strstr(messages, "did you mean 'b0'?") != NULL);
    sar_text_free(messages);
    free(t.at);
}

/* The mechanism and its coordinates are made in a time that grows with the size too. */
TEST(coordinates_of_many_bodies)
{
    enum { SOME = 8000 };
    text t = {0};
    put(&t, HEAD "gravity: [0, -9.81]\nground:\n  points:\n");
    put_many(&t, "    p#: [#, 0]\n", SOME);
    put(&t, "bodies:\n");
    put_many(&t, "  b#: {mass: 1, inertia: 1, center: [0, -1], position: [#, 0], angle: 0}\n",
             SOME);
    put_many(&t, "  f#: {mass: 1, inertia: 1, position: [#, 9], angle: 0}\n", SOME);
    put(&t, "joints:\n");
    put_many(&t, "  j#: {type: revolute, between: [ground.p#, b#.origin]}\n", SOME);
    sar_model* m = model_of(&t);
    for (int k = 0; k < sar_axis_members(SAR_AXIS_COORDINATES); k++) {
        const char* coordinates = sar_axis_member(SAR_AXIS_COORDINATES, k).name;
        sar_options o = sar_options_default();
        sar_simulation* s = NULL;
        sar_error error = {0};
        CHECK_STATUS(sar_options_set(&o, "coordinates", coordinates, &error), SAR_OK);
        CHECK_STATUS(sar_simulation_create(m, &o, &s, &error), SAR_OK);
        CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
        double position[3], rotation[9];
        sar_simulation_pose(s, (sar_body_id){1 + 5432}, position, rotation);
        CHECK_NEAR(position[0], 5432, 1e-9);
        sar_simulation_destroy(s);
    }
    sar_model_destroy(m);
}
