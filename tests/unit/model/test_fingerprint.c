/* The fingerprint of a model: the same whenever it is read, and another one with any other parameter. */
#include "sar_test.h"

#include "model/fingerprint.h"
#include "sarrus/load.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

static sar_model* load(const char* path, const sar_setting* with)
{
    sar_model* model = NULL;
    char* messages = NULL;
    (void)sar_model_load(path, with, with != NULL, &model, NULL, &messages);
    sar_text_free(messages);
    return model;
}

static uint64_t print_of(const char* path, const sar_setting* with)
{
    sar_model* model = load(path, with);
    const uint64_t print = model ? sari_model_fingerprint(model) : 0;
    sar_model_destroy(model);
    return print;
}

/* Parameters that say whether something is there at all, yes if they are not zero, or that make a rotation whose
 * axes are put right anyway. */
static int is_idle(const char* path, const char* name)
{
    static const struct {
        const char *model, *parameter;
    } idle[] = {{"puma", "torques"}, {"puma", "c6"}, {"puma", "z4y"}, {"vehicle", "held"}};
    for (size_t k = 0; k < sizeof idle / sizeof *idle; k++)
        if (strstr(path, idle[k].model) && strcmp(idle[k].parameter, name) == 0) return 1;
    return 0;
}

static void check(const char* path, long* changed)
{
    sar_model* model = load(path, NULL);
    if (!model) return; // it is there to be refused
    const uint64_t print = sari_model_fingerprint(model);
    assert_true(print == print_of(path, NULL));
    for (int k = 0; k < sar_model_parameters(model); k++) {
        char value[64];
        const char* name = sar_model_parameter_name(model, k);
        const double now = sar_model_parameter_value(model, k);
        snprintf(value, sizeof value, "%.17g", now == 0.0 ? 1e-7 : now * (1.0 + 1e-7));
        const uint64_t other = print_of(path, &(sar_setting){name, value});
        if (other == 0 || is_idle(path, name)) continue; // a number of bodies, say
        if (other == print) fail_msg("%s: %s is not in the fingerprint", path, name);
        ++*changed;
    }
    sar_model_destroy(model);
}

TEST(test_parameters)
{
    static const char* const patterns[] = {"problems/*/model.yaml", "examples/models/*.yaml",
                                           "tests/models/*.yaml"};
    long changed = 0;
    for (int k = 0; k < 3; k++) {
        char full[512];
        glob_t found = {0};
        snprintf(full, sizeof full, "%s/%s", SARRUS_ROOT, patterns[k]);
        glob(full, 0, NULL, &found);
        for (size_t i = 0; i < found.gl_pathc; i++) check(found.gl_pathv[i], &changed);
        globfree(&found);
    }
    assert_true(changed > 100);
}
