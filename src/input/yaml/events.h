/* What a YAML text consists of, one after the other: scalars, lists, maps, with their places. Two readers give it:
 * libyaml where the library was built with it (SARRUS_WITH_LIBYAML), and our own of what model files use, which needs
 * nothing. Both give the same events, and the same words for what is wrong. */
#ifndef SARI_YAML_EVENTS_H
#define SARI_YAML_EVENTS_H

#include "input/yaml/scratch.h"

#include <stdbool.h>

typedef enum sari_yaml_kind {
    SARI_YAML_SCALAR,
    SARI_YAML_LIST,
    SARI_YAML_MAP, ///< keys and values alternate
    SARI_YAML_END, ///< of the list or map that is open
    SARI_YAML_ALIAS,
    SARI_YAML_DOCUMENT, ///< one begins
    SARI_YAML_STREAM_END,
    SARI_YAML_WRONG, ///< see problem
    SARI_YAML_NOT_UTF8,
    SARI_YAML_NO_MEMORY,
} sari_yaml_kind;

typedef struct sari_yaml_event {
    sari_yaml_kind kind;
    size_t index;          ///< where it begins, in characters
    size_t line, column;   ///< from 0; column in characters
    const char* text;      ///< scalar, until the next event
    size_t length;         ///< of text
    bool plain;            ///< scalar without quotes and not a block
    bool anchor, tag;      ///< it has one
    const char* context;   ///< of a problem; may be NULL
    const char* problem;   ///< what is wrong
    size_t problem_offset; ///< not UTF-8: in bytes
} sari_yaml_event;

typedef struct sari_yaml_reader {
    /// NULL: out of memory. The text must live until it is closed.
    void* (*open)(const char* text, size_t length, sari_scratch* memory);
    void (*next)(void* reader, sari_yaml_event* event);
    void (*close)(void* reader);
} sari_yaml_reader;

extern const sari_yaml_reader sari_yaml_own;
#ifdef SARRUS_WITH_LIBYAML
extern const sari_yaml_reader sari_yaml_library;
#endif

#endif
