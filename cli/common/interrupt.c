#include "common/interrupt.h"

#include "common/command.h"

#include <unistd.h>

volatile sig_atomic_t cli_interrupted;

static void on_signal(int number)
{
    (void)number;
    if (cli_interrupted) _exit(CLI_INTERRUPTED);
    cli_interrupted = 1;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before; // 'nohup' has it ignored, and wants it to stay so
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}
