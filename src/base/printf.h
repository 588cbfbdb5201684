/* SARI_PRINTF(text, first): the arguments of a function from number `first` on fit its format, argument number `text`. */
#ifndef SARI_BASE_PRINTF_H
#define SARI_BASE_PRINTF_H

#include <stdio.h> // mingw names its formats there

#if defined(__MINGW_PRINTF_FORMAT)
#define SARI_PRINTF(text, first) __attribute__((format(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define SARI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SARI_PRINTF(text, first)
#endif

#endif
