/* The program without its beginning, which chooses for which processors it was compiled. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int sarrus_main(int argc, char** argv);

#endif
