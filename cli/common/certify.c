#include "common/certify.h"

#include "common/command.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

int cli_accuracy_read(const char* command, const char* option, const char* value, const char* words,
                      double* accuracy)
{
    char* end;
    *accuracy = strtod(value, &end);
    if (end != value && !*end && *accuracy > 0.0 && *accuracy < 1.0) return 0;
    cli_error(command, "--%s=%s: expected %san accuracy between 0 and 1", option, value, words);
    return CLI_USAGE;
}

int cli_certify_read(const char* command, const char* value, double* accuracy)
{
    *accuracy = 1e-2;
    if (!value || strcmp(value, "yes") == 0) return 0;
    return cli_accuracy_read(command, "certify", value, "", accuracy);
}
