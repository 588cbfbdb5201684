/* Any bytes as a CSV file: a table or an error, nothing else. */
#include "base/memory.h"
#include "results/table.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char* text = sari_allocate(size + 1, 1);
    sar_result* r = SARI_NEW(sar_result);
    memcpy(text, data, size);
    sar_error error;
    sari_parse_csv(text, size, "fuzz.csv", r, &error);
    sar_result_destroy(r);
    sari_release(text);
    return 0;
}
