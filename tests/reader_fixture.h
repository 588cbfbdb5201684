/* Texts of model files in; the model, or what is said about the text, out. */
#ifndef READER_FIXTURE_H
#define READER_FIXTURE_H

#include "model/model.h"
#include "sar_test.h"
#include "sarrus/sarrus.h"

#define HEAD2 "sarrus: 1\nname: test\ndimension: 2\n"
#define HEAD3 "sarrus: 1\nname: test\ndimension: 3\n"

static inline sar_model* parse_with(const char* text, const sar_setting* settings, int count)
{
    sar_model* model = NULL;
    char* messages = NULL;
    sar_status status =
        sar_model_parse(text, strlen(text), "test.yaml", settings, count, &model, NULL, &messages);
    if (status != SAR_OK) fail_msg("status %d: %s", status, messages ? messages : "");
    CHECK(messages == NULL || (strstr(messages, ": note: ") && !strstr(messages, ": error: ")));
    sar_text_free(messages);
    return model;
}

static inline sar_model* parse(const char* text)
{
    return parse_with(text, NULL, 0);
}

/// The messages about a text that is wrong; sar_text_free them.
static inline char* complaints_with(const char* text, const sar_setting* settings, int count)
{
    sar_model* model = NULL;
    char* messages = NULL;
    CHECK_STATUS(
        sar_model_parse(text, strlen(text), "test.yaml", settings, count, &model, NULL, &messages),
        SAR_E_MODEL);
    CHECK(model == NULL);
    CHECK(messages != NULL);
    return messages;
}

static inline char* complaints(const char* text)
{
    return complaints_with(text, NULL, 0);
}

static inline int occurrences(const char* text, const char* part)
{
    int count = 0;
    for (const char* at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

static inline void check_says(const char* messages, const char* part)
{
    if (!strstr(messages, part)) fail_msg("'%s' is not in:\n%s", part, messages);
}

static inline const sari_body* body(const sar_model* model, const char* name)
{
    sar_body_id id;
    CHECK_STATUS(sar_model_find_body(model, name, strlen(name), &id), SAR_OK);
    return &model->bodies[id.i];
}

static inline const sari_joint* joint(const sar_model* model, const char* name)
{
    sar_joint_id id;
    CHECK_STATUS(sar_model_find_joint(model, name, strlen(name), &id), SAR_OK);
    return &model->joints[id.i];
}

static inline void check_numbers(const double* got, const double* wanted, int count)
{
    for (int k = 0; k < count; k++) CHECK_NEAR(got[k], wanted[k], 1e-14);
}

/// What is said about a text that is valid; sar_text_free it.
static inline char* notes(const char* text)
{
    sar_model* model = NULL;
    char* messages = NULL;
    sar_status status =
        sar_model_parse(text, strlen(text), "test.yaml", NULL, 0, &model, NULL, &messages);
    if (status != SAR_OK) fail_msg("status %d: %s", status, messages ? messages : "");
    sar_model_destroy(model);
    return messages;
}

#endif
