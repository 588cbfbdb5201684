#include "common/certify.h"

#include "common/command.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

int cli_certify_read(const char* command, const char* value, double* accuracy)
{
    char* end = NULL;
    *accuracy = 1e-2;
    if (!value || strcmp(value, "yes") == 0) return 0;
    *accuracy = strtod(value, &end);
    if (end != value && !*end && *accuracy > 0.0 && *accuracy < 1.0) return 0;
    cli_error(command, "--certify=%s: expected an accuracy between 0 and 1", value);
    return CLI_USAGE;
}
