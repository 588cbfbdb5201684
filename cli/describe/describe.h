/* The program described for other programs: a man page, and completion for shells. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

void cli_describe_man(void);
void cli_describe_bash(void);
void cli_describe_zsh(void);
void cli_describe_fish(void);

#endif
