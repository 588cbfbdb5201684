/* Stands in for the readers of robot files in a build without an XML parser: the one file (tools/amalgamate.py). */
#include "import/import.h"

#ifdef SARRUS_WITHOUT_EXPAT

#include "base/memory.h"

#include <string.h>

int sari_import_begins(const char* text, size_t length)
{
    size_t k = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (k < length && strchr(" \t\r\n", text[k])) k++;
    return k < length && text[k] == '<';
}

sar_status sar_import_text(const char* text, size_t length, const char* path,
                           const sar_import_options* options, char** model, char** messages)
{
    (void)text, (void)length, (void)path, (void)options;
    *model = NULL;
    if (messages)
        *messages = sari_copy_string("error: this build of Sarrus reads no robot files: 'sarrus "
                                     "import' of a full one makes a model file of them\n");
    return SAR_E_MODEL;
}

#endif
