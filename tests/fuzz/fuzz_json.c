/* Any text as the JSON beside a CSV. */
#include "base/memory.h"
#include "results/json.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char* text = sari_allocate(size + 1, 1);
    memcpy(text, data, size);
    sari_json_member member;
    int done = 0;
    sari_json_is_valid(text);
    for (const char* at = sari_json_skip_space(text);
         (at = sari_json_next_member(at, &member, &done)) && !done;)
        sari_release(sari_json_decode_string(member.key, member.key_end));
    sari_release(text);
    return 0;
}
