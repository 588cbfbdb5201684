/* sarrus check FILE.fmu: does an FMU do what it was exported to do? */
#ifndef CLI_CHECK_FMU_H
#define CLI_CHECK_FMU_H

/// The name of an FMU among the arguments; NULL: a model is asked for.
const char* cli_check_fmu_name(int argc, char** argv);
int cli_check_fmu(const char* path, int json); ///< the exit code

#endif
