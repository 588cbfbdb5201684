/* Ctrl-C, a kill or the end of the terminal (SIGINT, SIGTERM, SIGHUP) end a run in good order: what
 * was computed is kept. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>

extern volatile sig_atomic_t cli_interrupted; ///< the user wants to stop

/// The first signal sets `cli_interrupted`; the second ends the program at once.
void cli_catch_signals(void);

#endif
