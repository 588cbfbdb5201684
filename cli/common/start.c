#include "common/start.h"

#include "common/command.h"
#include "common/method.h"
#include "common/text.h"

int cli_start_create(const sar_model* model, const sar_options* options, sar_simulation** out,
                     char** failure)
{
    sar_error error = {0};
    const sar_status status = sar_simulation_create(model, options, out, &error);
    if (status == SAR_OK) return 0;
    *failure = cli_format("%s", error.message);
    return status == SAR_E_MODEL ? CLI_MODEL : status == SAR_E_NOMEM ? CLI_FAILED : CLI_USAGE;
}

int cli_start_failure(const sar_simulation* simulation, sar_status status, char** failure)
{
    const char* why = sar_simulation_failure(simulation);
    *failure = cli_options_as_typed(why && *why ? why : sar_status_text(status));
    return status == SAR_E_ASSEMBLY ? CLI_ASSEMBLY : CLI_FAILED;
}

int cli_start_assemble(sar_simulation* simulation, sar_assembly* assembly, char** failure)
{
    const sar_status status = sar_simulation_assemble(simulation, assembly);
    return status == SAR_OK ? 0 : cli_start_failure(simulation, status, failure);
}
