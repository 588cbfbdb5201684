/* Fuzzer for robot files: whatever the text, the answer is a model file or an explanation. What is answered is a text that the
 * reader of models takes or explains.
 *
 * Start it with the robots of tests/models/robots as seeds. */
#include "input/reader.h"
#include "sarrus/import.h"

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

static void check_messages(const char* messages)
{
    demand(messages != NULL, "an explanation");
    for (const char* c = messages; *c; c++)
        demand((unsigned char)*c >= 0x20 || *c == '\n', "messages without control characters");
}

static void check_model(const char* text)
{
    static const sari_limits limits = {.instances = 50, .elements = 5000};
    sar_model* model = NULL;
    char* messages = NULL;
    const sar_status status = sari_reader_parse(text, strlen(text), "fuzz.yaml", NULL, 0, limits,
                                                &model, NULL, &messages);
    demand(status == SAR_OK || status == SAR_E_MODEL, "a model or an explanation");
    if (!model) check_messages(messages);
    sar_model_destroy(model);
    sar_text_free(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char *text = malloc(size ? size : 1), *model = NULL, *messages = NULL;
    if (!text) return 0;
    if (size) memcpy(text, data, size); // a copy of its exact size, so that reading beyond it shows
    const sar_status status =
        sar_import_text(text, size, "no/such/folder/fuzz.urdf", NULL, &model, &messages);
    demand(status == SAR_OK || status == SAR_E_MODEL, "a model file or an explanation");
    demand((status == SAR_OK) == (model != NULL), "a model file if and only if all is well");
    if (model)
        check_model(model);
    else
        check_messages(messages);
    sar_text_free(model);
    sar_text_free(messages);
    free(text);
    return 0;
}
