#include "input/robots.h"

#include "base/memory.h"
#include "import/import.h"

#include <stdio.h>
#include <string.h>

char* sari_robot_model_name(const char* name)
{
    if (!name) name = "robot";
    const size_t size = strlen(name) + 20;
    char* text = sari_allocate(size, 1);
    if (text) snprintf(text, size, "%s (as imported)", name);
    return text;
}

char* sari_join_texts(char* first, char* second)
{
    if (!first || !second) return first ? first : second;
    const size_t a = strlen(first), b = strlen(second);
    char* both = sari_allocate(a + b + 1, 1);
    if (both) {
        memcpy(both, first, a);
        memcpy(both + a, second, b + 1);
    }
    sari_release(first);
    sari_release(second);
    return both;
}

sar_status sari_parse_robot(const char* text, size_t length, const char* name,
                            const sar_setting* settings, int count, sar_model** out,
                            sar_options* options, char** messages)
{
    char *model = NULL, *notes = NULL, *more = NULL;
    sar_status status = sar_import_text(text, length, name, NULL, &model, &notes);
    char* as = status == SAR_OK ? sari_robot_model_name(name) : NULL;
    if (status == SAR_OK && !as) status = SAR_E_NOMEM;
    if (status == SAR_OK)
        status = sar_model_parse(model, strlen(model), as, settings, count, out, options, &more);
    sari_release(as);
    sari_release(model);
    notes = sari_join_texts(notes, more);
    if (messages)
        *messages = notes;
    else
        sari_release(notes);
    return status;
}
