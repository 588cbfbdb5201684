/* Fuzzer for the model reader: whatever the text, the answer is a model or an explanation.
 *
 * It goes through the reader of sar_model_parse with small limits, so that a repeat entry cannot
 * take the time that belongs to the search. Start it with the seeds of corpus-model. */
#include "input/reader.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void demand(int condition, const char* what)
{
    if (condition) return;
    fprintf(stderr, "violated: %s\n", what);
    abort();
}

static void check_model(const sar_model* model)
{
    demand(sar_model_bodies(model) >= 1, "a ground");
    demand(sar_model_dimension(model) == 2 || sar_model_dimension(model) == 3, "a dimension");
    for (int k = 0; k < sar_model_bodies(model); k++)
        demand(sar_model_body_name(model, k)[0] != '\0', "a name for every body");
    for (int k = 0; k < sar_model_joints(model); k++)
        demand(sar_model_joint_name(model, k)[0] != '\0', "a name for every joint");
}

static void check_messages(const char* messages)
{
    demand(messages && strncmp(messages, "fuzz.yaml", 9) == 0, "messages that name the file");
    for (const char* c = messages; *c; c++)
        demand((unsigned char)*c >= 0x20 || *c == '\n', "messages without control characters");
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const sari_limits limits = {.instances = 50, .elements = 500};
    static const sar_setting setting = {"n", "3"};
    // The last byte chooses whether a parameter is replaced.
    int settings = size > 0 && data[size - 1] == 'n';
    char* text =
        malloc(size ? size : 1); // a copy of its exact size, so that reading beyond it shows
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    sar_model* model = NULL;
    sar_options options = sar_options_default();
    char* messages = NULL;
    sar_status status = sari_reader_parse(text, size, "fuzz.yaml", &setting, settings, limits,
                                          &model, &options, &messages);
    demand(status == SAR_OK || status == SAR_E_MODEL, "a model or an explanation");
    demand((status == SAR_OK) == (model != NULL), "a model if and only if all is well");
    if (model)
        check_model(model);
    else
        check_messages(messages);
    sar_model_destroy(model);
    sar_text_free(messages);
    free(text);
    return 0;
}
