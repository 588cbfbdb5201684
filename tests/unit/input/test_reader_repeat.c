/* The model file reader: elements that are repeated or chosen, and memory that runs out anywhere. */
#include "input/reader.h"
#include "reader_fixture.h"
#include "stored_forces.h"

/* ---- repeat and when ------------------------------------------------------------------------ */

static const char chain[] =
    HEAD3 "parameters: {n: 3}\n"
          "bodies: {}\n"
          "repeat:\n"
          "  - index: i\n"
          "    from: 1\n"
          "    to: n\n"
          "    ground: {points: {\"G{i}\": [0, i, 0]}}\n"
          "    bodies:\n"
          "      link{i}:\n"
          "        mass: 10*i\n"
          "        position: [i - 1, 0, 0]\n"
          "        points: {\"tip{i}\": [1, 0, 0]}\n"
          "    joints:\n"
          "      J{i}:\n"
          "        type: spherical\n"
          "        between: [\"link{i-1}.tip{i-1}\", \"link{i}\"]\n"
          "        when: i > 1\n"
          "    forces:\n"
          "      F{i}: {type: force, acts_on: \"link{i}\", force: [i*t, 0, 0]}\n"
          "    outputs:\n"
          "      x{i}: link{i}.tip{i}.x + i\n"
          "    start:\n"
          "      link{i}.origin.vx: i/2\n";

TEST(repeat_counts_in_names_and_numbers)
{
    sar_model* m = parse(chain);
    CHECK(sar_model_bodies(m) == 4 && sar_model_joints(m) == 2 && sar_model_outputs(m) == 3);
    CHECK(m->forces[SARI_FORCE_LOAD].count == 3 && m->starts_count == 3);
    for (int k = 1; k <= 3; k++) {
        CHECK_NEAR(m->bodies[k].def.mass, 10 * k, 0);
        CHECK_NEAR(m->bodies[k].def.position[0], k - 1, 0);
        CHECK_NEAR(m->starts[k - 1].value, k / 2.0, 0);
        const double t = 2;
        CHECK_NEAR(sari_expression_value(force_text(m, k - 1, 0), &t), 2 * k, 0);
    }
    CHECK_TEXT(sar_model_body_name(m, 3), "link3");
    CHECK_TEXT(sar_model_output_name(m, 2), "x3");
    CHECK_TEXT(sar_model_joint_name(m, 0), "J2");
    CHECK(joint(m, "J3")->pair.a.body.i == 2 && joint(m, "J3")->pair.b.body.i == 3);
    check_numbers(joint(m, "J3")->pair.a.point, (double[]){1, 0, 0}, 3);
    double p[3];
    CHECK_STATUS(sar_model_find_point(m, SAR_GROUND, "G3", 2, p), SAR_OK);
    check_numbers(p, (double[]){0, 3, 0}, 3);
    sar_model_destroy(m);
}

/* The same without quotes, in flow mappings, is the same. */
TEST(indices_need_no_quotes)
{
    char bare[sizeof chain];
    size_t used = 0;
    for (const char* c = chain; *c; c++)
        if (*c != '"') bare[used++] = *c;
    bare[used] = 0;
    CHECK(used < strlen(chain) && strstr(bare, "{points: {G{i}: [0, i, 0]}}"));
    sar_model* m = parse(bare);
    CHECK(sar_model_bodies(m) == 4 && sar_model_joints(m) == 2 && sar_model_outputs(m) == 3);
    double p[3];
    CHECK_STATUS(sar_model_find_point(m, SAR_GROUND, "G3", 2, p), SAR_OK);
    CHECK_STATUS(sar_model_find_point(m, (sar_body_id){2}, "tip2", 4, p), SAR_OK);
    CHECK(joint(m, "J3")->pair.a.body.i == 2 && joint(m, "J3")->pair.b.body.i == 3);
    sar_model_destroy(m);
}

TEST(repeat_follows_settings_down_to_nothing)
{
    sar_model* m = parse_with(chain, (sar_setting[]){{"n", "0"}}, 1);
    CHECK(sar_model_bodies(m) == 1 && sar_model_joints(m) == 0 && sar_model_outputs(m) == 0);
    sar_model_destroy(m);
    m = parse_with(chain, (sar_setting[]){{"n", "2^8"}}, 1);
    CHECK(sar_model_bodies(m) == 257);
    CHECK_TEXT(sar_model_body_name(m, 256), "link256");
    sar_model_destroy(m);
}

TEST(when_chooses_elements)
{
    static const char text[] =
        HEAD2 "parameters: {big: 0}\n"
              "bodies:\n"
              "  a: {mass: 1}\n"
              "  b: {mass: 1, when: big}\n"
              "joints:\n"
              "  J: {type: revolute, between: [ground, b], when: big}\n"
              "forces:\n"
              "  F: {type: torque, acts_on: b, torque: 1, when: \"big == 1 ? 1 : 0\"}\n";
    sar_model* m = parse(text);
    CHECK(sar_model_bodies(m) == 2 && sar_model_joints(m) == 0 &&
          m->forces[SARI_FORCE_LOAD].count == 0);
    sar_model_destroy(m);
    m = parse_with(text, (sar_setting[]){{"big", "1"}}, 1);
    CHECK(sar_model_bodies(m) == 3 && sar_model_joints(m) == 1 &&
          m->forces[SARI_FORCE_LOAD].count == 1);
    sar_model_destroy(m);
}

TEST(limits_stop_a_flood)
{
    sar_model* m = NULL;
    char* messages = NULL;
    const sari_limits few = {.instances = 5, .elements = 12};
    const sar_setting settings[] = {{"n", "6"}, {"n", "5"}};
    CHECK_STATUS(
        sari_reader_parse(chain, strlen(chain), "test.yaml", settings, 1, few, &m, NULL, &messages),
        SAR_E_MODEL);
    check_says(messages, "this repeats 6 times; at most 5 instances are allowed");
    sar_text_free(messages);
    CHECK_STATUS(
        sari_reader_parse(chain, strlen(chain), "test.yaml", settings, 2, few, &m, NULL, &messages),
        SAR_E_MODEL);
    check_says(messages, "more than 12 elements");
    sar_text_free(messages);
}

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct ration {
    long left;
} ration;

static void* rationed_allocate(void* context, size_t bytes)
{
    ration* r = context;
    return r->left-- > 0 ? calloc(1, bytes) : NULL;
}

static void rationed_release(void* context, void* memory)
{
    (void)context;
    free(memory);
}

/// With any number of allocations allowed the reader says so or succeeds; leaks show in the
/// sanitizer.
TEST(running_out_of_memory_anywhere_is_reported)
{
    const char* texts[] = {chain, HEAD2 "parameters: {a: b}\nbodies: {c: {mas: [1]}}\nq: 1\n"};
    for (int k = 0; k < 2; k++) {
        sar_status status = SAR_E_NOMEM;
        for (long n = 0; n < 5000 && status == SAR_E_NOMEM; n++) {
            ration r = {n};
            const sar_allocator scarce = {rationed_allocate, rationed_release, &r};
            sar_model* m = NULL;
            char* messages = NULL;
            sar_set_allocator(&scarce);
            status = sar_model_parse(texts[k], strlen(texts[k]), "test.yaml", NULL, 0, &m, NULL,
                                     &messages);
            CHECK((status == SAR_OK) == (m != NULL));
            sar_model_destroy(m);
            sar_text_free(messages);
            sar_set_allocator(NULL);
        }
        CHECK_STATUS(status, k ? SAR_E_MODEL : SAR_OK);
    }
}
