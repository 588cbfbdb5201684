/* Names that users give: letters, digits and _. */
#include "input/reader.h"

#include <string.h>

bool sari_is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool sari_is_name(const char* text, size_t length)
{
    if (length == 0 || (text[0] >= '0' && text[0] <= '9')) return false;
    for (size_t k = 0; k < length; k++)
        if (!sari_is_name_character(text[k])) return false;
    return true;
}

const char* sari_read_name(sari_reader* r, const sari_node* node, const char* what)
{
    enum { LONGEST = 63 };
    int before = r->failures;
    sari_text t = sari_read_text(r, node, what);
    if (r->failures != before) return NULL;
    size_t length = strlen(t.text);
    if (!sari_is_name(t.text, length)) {
        sari_report(r, node, "'%.80s' cannot be the name of this %s", t.text, what);
        sari_hint(r, "names are letters, digits and _, and start with a letter or _%s",
                  strchr(t.text, '-') ? "; a '-' would mean minus in expressions" : "");
        return NULL;
    }
    if (length > LONGEST) {
        sari_report(r, node, "the name of this %s has %zu characters; %d are allowed", what, length,
                    (int)LONGEST);
        return NULL;
    }
    return t.text;
}
