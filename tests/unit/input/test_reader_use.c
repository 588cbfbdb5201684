/* Files that use files: names, parameters, ports, placement, errors. Motions are compared by
 * tests/cli/test_assemblies.py. */
#include "reader_fixture.h"
#include "temporary_folder.h"

static void save(const char* name, const char* text)
{
    FILE* file = fopen(in_folder(name), "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static sar_model* load_with(const char* name, const sar_setting* settings, int count)
{
    sar_model* model = NULL;
    char* messages = NULL;
    sar_status status = sar_model_load(in_folder(name), settings, count, &model, NULL, &messages);
    if (status != SAR_OK) fail_msg("status %d: %s", status, messages ? messages : "");
    sar_text_free(messages);
    return model;
}

/// What is said about a file that is wrong; sar_text_free it.
static char* complaints_about(const char* name)
{
    sar_model* model = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_model_load(in_folder(name), NULL, 0, &model, NULL, &messages), SAR_E_MODEL);
    CHECK(model == NULL && messages != NULL);
    return messages;
}

static double parameter(const sar_model* model, const char* name)
{
    for (int k = 0; k < model->parameters_count; k++)
        if (strcmp(model->parameters[k].name, name) == 0) return model->parameters[k].value;
    fail_msg("no parameter %s", name);
    return 0.0;
}

#define LEG                                                                                        \
    HEAD3 "parameters: {k: 2 kN/m, L: 1, M: 2*L}\n"                                                \
          "ports: {hip: {points: {pin: [1, 2, 3]}}}\n"                                             \
          "tables: {f: {x: [0, 1], y: [0, L]}}\n"                                                  \
          "ground: {points: {foot: [1, 0, 0]}}\n"                                                  \
          "bodies:\n"                                                                              \
          "  bone: {mass: M, inertia: [3, 4, 5, 0.1, 0.2, 0.3], center: [1, 2, 3],\n"              \
          "         points: {P: [1, 2, 3]}, axes: {u: [1, 2, 2]}, position: [L, 2, 3],\n"          \
          "         rotation: {rpy: [0, 0, 0]}, angular_velocity: [1, 2, 3]}\n"                    \
          "joints: {J: {type: spherical, between: [hip.pin, bone.P]}}\n"                           \
          "forces: {S: {type: spring, between: [ground.foot, bone.P], stiffness: k}}\n"            \
          "outputs: {z: bone.P.z + f(0.5)}\n"

#define BODY                                                                                       \
    "bodies: {trunk: {mass: 9, inertia: [1, 1, 1], position: [1, 0, 0], rotation: {rpy: [0, 0, "   \
    "0]}}}\n"

TEST(names_have_the_assembly_before_them)
{
    save("leg.yaml", LEG);
    save("two.yaml",
         HEAD3 "parameters: {k: 7}\n" BODY "use:\n"
               "  a: {file: leg.yaml, with: {hip: trunk, k: 3*k}}\n"
               "  b: {file: leg.yaml, with: {hip: trunk, L: 5}}\n"
               "joints: {tie: {type: distance, between: [a.bone.P, b.bone.origin], distance: 1}}\n"
               "outputs: {x: a.bone.P.x - trunk.a.pin.x, g: a.ground.foot.x}\n");
    const sar_setting set = {"b.k", "4 N/mm"};
    sar_model* model = load_with("two.yaml", &set, 1);
    CHECK(sar_model_bodies(model) == 4 && sar_model_joints(model) == 3);
    CHECK(sar_model_files(model) == 1);
    CHECK(parameter(model, "k") == 7 && parameter(model, "a.k") == 21);
    CHECK(parameter(model, "b.k") == 4000 && parameter(model, "b.M") == 10);
    CHECK(body(model, "a.bone")->def.mass == 2 && body(model, "b.bone")->def.mass == 10);
    CHECK(joint(model, "b.J")->pair.a.body.i == joint(model, "a.J")->pair.a.body.i);
    check_numbers(joint(model, "a.J")->pair.a.point, (const double[3]){0, 2, 3}, 3); // of the trunk
    CHECK(sar_model_outputs(model) == 4);
    CHECK(strcmp(sar_model_output_name(model, 2), "a.z") == 0);
    sar_model_destroy(model);
}

TEST(mirroring_and_placing)
{
    save("leg.yaml", LEG);
    save("mirrored.yaml", HEAD3 BODY
         "use: {a: {file: leg.yaml, with: {hip: trunk}, mirror: y, position: [10, 0, 0], "
         "rotation: {axis: [0, 0, 1], angle: 90 deg}}}\n"
         "outputs: {x: a.bone.P.x}\n");
    sar_model* model = load_with("mirrored.yaml", NULL, 0);
    const sari_body* b = body(model, "a.bone");
    // (x, y, z) -> (x, -y, z) -> (y, x, z) -> (y + 10, x, z)
    check_numbers(b->def.position, (const double[3]){12, 1, 3}, 3);
    check_numbers(b->def.center, (const double[3]){1, -2, 3}, 3);
    check_numbers(b->def.inertia, (const double[6]){3, 4, 5, -0.1, 0.2, -0.3}, 6);
    check_numbers(b->def.rotation, (const double[9]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9);
    check_numbers(b->def.angular_velocity, (const double[3]){-2, -1, -3}, 3); // a turn
    double v[3];
    CHECK_STATUS(sar_model_find_point(model, SAR_GROUND, "a.foot", 6, v), SAR_OK);
    check_numbers(v, (const double[3]){10, 1, 0}, 3);
    CHECK_STATUS(sar_model_find_axis(model, SAR_GROUND, "a.y", 3, v), SAR_OK);
    check_numbers(v, (const double[3]){1, 0, 0}, 3);
    sar_model_destroy(model);
}

/* World axes are turned with the file, those of a wheel are its own already. */
TEST(components_of_a_tyre_are_not_turned)
{
    save("wheel.yaml", HEAD3
         "bodies: {rim: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1],\n"
         "               rotation: {rpy: [0, 0, 0]}}}\n"
         "joints: {J: {type: spherical, between: [ground.origin, rim.origin]}}\n"
         "forces: {T: {type: magic-tyre, acts_on: rim, coefficients: {UNLOADED_RADIUS: 0.3,\n"
         "  VERTICAL_STIFFNESS: 2e5, FNOMIN: 3000, LONGVL: 16, PCX1: 1.5, PDX1: 1, PKX1: 20,\n"
         "  PCY1: 1.4, PDY1: 1, PKY1: -12, PKY2: 1.4}}}\n"
         "outputs: {forward: T.fx, up: J.fx}\n");
    save("car.yaml", HEAD3 "use: {a: {file: wheel.yaml, rotation: {axis: [0, 0, 1], "
                           "angle: 90 deg}}}\n");
    sar_model* model = load_with("car.yaml", NULL, 0);
    const sari_signal* forward = &model->signals[0];
    CHECK(forward->kind == SARI_SIGNAL_SHOWN && forward->component == 0);
    CHECK_TEXT(sar_model_output_unit(model, 0), "N");
    CHECK(strchr(model->outputs[1].text, '(') && strstr(model->outputs[1].text, "a.J.fy"));
    sar_model_destroy(model);
}

TEST(assemblies_are_nested_and_repeated)
{
    save("leg.yaml", LEG);
    save("pair.yaml", HEAD3 "ports: [trunk]\n"
                            "use: {l: {file: leg.yaml, with: {hip: trunk}}, r: {file: leg.yaml, "
                            "with: {hip: trunk}, mirror: y}}\n");
    save("spider.yaml", HEAD3 BODY "repeat:\n"
                                   "  - {index: i, from: 1, to: 4, use: {\"p{i}\": {file: "
                                   "pair.yaml, position: [i, 0, 0], with: {trunk: trunk}}}}\n"
                                   "outputs: {x: p4.r.bone.P.x}\n");
    const sar_setting set = {"p3.r.L", "6"};
    sar_model* model = load_with("spider.yaml", &set, 1);
    CHECK(sar_model_bodies(model) == 2 + 8 && sar_model_files(model) == 2);
    check_numbers(body(model, "p4.r.bone")->def.position, (const double[3]){5, -2, 3}, 3);
    check_numbers(body(model, "p3.r.bone")->def.position, (const double[3]){9, -2, 3}, 3);
    sar_model_destroy(model);
}

TEST(alone_a_port_is_the_ground)
{
    save("leg.yaml", LEG);
    sar_model* model = load_with("leg.yaml", NULL, 0);
    CHECK(joint(model, "J")->pair.a.body.i == SAR_GROUND.i);
    check_numbers(joint(model, "J")->pair.a.point, (const double[3]){1, 2, 3}, 3);
    sar_model_destroy(model);
}

TEST(errors_name_the_file_and_who_uses_it)
{
    save("inner.yaml", HEAD3 "bodies: {a: {mas: 1}}\n");
    save("middle.yaml", HEAD3 "use: {in: {file: inner.yaml}}\n");
    save("first.yaml", HEAD3 "use:\n  out: {file: middle.yaml}\n  again: {file: inner.yaml}\n");
    char* said = complaints_about("first.yaml");
    check_says(said, "inner.yaml:4:14: error: a body has no key 'mas'");
    check_says(said, "hint: did you mean 'mass'?");
    check_says(said, "middle.yaml:4:7 as out.in, by ");
    check_says(said, "first.yaml:5:3 as out");
    CHECK(occurrences(said, "error:") == 1);
    sar_text_free(said);
}

TEST(a_file_that_uses_itself)
{
    save("one.yaml", HEAD3 "use: {a: {file: two.yaml}}\n");
    save("two.yaml", HEAD3 "use: {b: {file: ./one.yaml}}\n"); // by another path
    char* said = complaints_about("one.yaml");
    check_says(said, "the file uses itself");
    check_says(said, "two.yaml:4:17: error");
    sar_text_free(said);
}

TEST(a_hundred_files_deep)
{
    for (int k = 0; k < 100; k++) {
        char name[32], text[160];
        snprintf(name, sizeof name, "f%d.yaml", k);
        snprintf(text, sizeof text, HEAD3 "use: {a: {file: f%d.yaml}}\n", k + 1);
        save(name, text);
    }
    save("f100.yaml", HEAD3 "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n");
    char* said = complaints_about("f0.yaml");
    check_says(said, "files use files more than 16 deep here");
    CHECK(occurrences(said, "error:") == 1);
    sar_text_free(said);
}

TEST(files_that_cannot_be_used)
{
    static const struct {
        const char *inner, *use, *says;
    } cases[] = {
        {"", "{file: part.yaml}", "the file is empty"},
        {"- 1\n", "{file: part.yaml}", "is not a model"},
        {"a: [\n", "{file: part.yaml}", "not valid YAML"},
        {"sarrus: 2\n", "{file: part.yaml}", "reads version 1"},
        {HEAD2 "bodies: {a: {mass: 1, inertia: 1}}\n", "{file: part.yaml}",
         "this file is planar, but the model that uses it is spatial"},
        {HEAD3 "phases: [{at: 1}]\n", "{file: part.yaml}", "has no phases"},
        {HEAD3 "parameters: {k: 1, kappa: k}\n", "{file: part.yaml, with: {kapa: 1}}",
         "did you mean 'kappa'?"},
        {HEAD3, "{file: part.yaml, with: {k: 1}}", "neither 'parameters' nor 'ports'"},
        {HEAD3 "parameters: {k: 1 m}\n", "{file: part.yaml, with: {k: 1 s}}",
         "the parameter 'k' is a length [m], this value is a time [s]"},
        {HEAD3 "ports: [p]\nbodies: {b: {mass: 1}}\njoints: {J: {type: spherical, between: [p.A, "
               "b.origin]}}\n",
         "{file: part.yaml, with: {p: nobody}}", "there is no body 'nobody'"},
        {HEAD3 "bodies: {b: {mass: 1, position: [q, 0, 0]}}\n", "{file: part.yaml}",
         "there is no parameter 'q'"},
        {HEAD3 "bodies: {b: {mass: 1}}\noutputs: {o: q + trunk.origin.x}\n", "{file: part.yaml}",
         "there is no parameter 'q'"},
        {HEAD3 "bodies: {b: {mass: 1}}\noutputs: {o: trunk.origin.x}\n", "{file: part.yaml}",
         "no body or joint is called"},
        {HEAD3 "bodies: {arm: {mass: 1}}\noutputs: {o: arn.origin.x}\n", "{file: part.yaml}",
         "no body or joint is called \"a.arn\" (did you mean \"a.arm\"?)"},
        {HEAD3 "bodies: {arm: {mass: 1}}\nstart: {arm: 1}\n", "{file: part.yaml}", "part.yaml:5:9"},
        {HEAD3 "bodies: {b: {mass: 1}}\nforces: {T: {type: tyre, acts_on: b.origin, radius: 1, "
               "stiffness: 1}}\n",
         "{file: part.yaml, rotation: {rpy: [0.1, 0, 0]}}", "turned to another direction"},
        {HEAD3 "bodies: {b: {mass: 1}}\nstart: {b.origin.x: 1}\n",
         "{file: part.yaml, rotation: {rpy: [0.1, 0.2, 0]}}", "by quarter turns"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[512];
        save("part.yaml", cases[k].inner);
        snprintf(text, sizeof text, HEAD3 "parameters: {q: 1}\n" BODY "use: {a: %s}\n",
                 cases[k].use);
        save("user.yaml", text);
        char* said = complaints_about("user.yaml");
        check_says(said, cases[k].says);
        sar_text_free(said);
    }
}

TEST(parameters_of_others_are_not_seen)
{
    save("part.yaml", HEAD3 "parameters: {k: 2}\nbodies: {b: {mass: k}}\n");
    save("user.yaml", HEAD3 "parameters: {k: 5}\nuse: {a: {file: part.yaml}}\noutputs: {k: k}\n");
    sar_model* model = load_with("user.yaml", NULL, 0);
    CHECK(body(model, "a.b")->def.mass == 2);
    CHECK(sari_expression_value(model->outputs[0].value, NULL) == 5);
    sar_model_destroy(model);
    const sar_setting set = {"a.q", "1"};
    char* messages = NULL;
    CHECK_STATUS(sar_model_load(in_folder("user.yaml"), &set, 1, &model, NULL, &messages),
                 SAR_E_MODEL);
    check_says(messages, "the model has no parameter 'a.q'");
    sar_text_free(messages);
}

/* Reading that grows with the square of the number would take minutes. */
TEST(many_assemblies)
{
    enum { MANY = 20000 };
    save("leg.yaml", LEG);
    char text[400];
    snprintf(text, sizeof text,
             HEAD3 BODY "repeat:\n  - {index: i, from: 1, to: %d, use: {\"p{i}\": {file: leg.yaml, "
                        "mirror: y, with: {hip: trunk, L: i}}}}\n",
             (int)MANY);
    save("many.yaml", text);
    sar_model* model = load_with("many.yaml", NULL, 0);
    CHECK(sar_model_bodies(model) == MANY + 2);
    CHECK(body(model, "p777.bone")->def.position[0] == 777);
    sar_model_destroy(model);
}

TESTS_BETWEEN(make_folder, remove_folder)
