/* What a YAML text consists of, one after the other: scalars, lists, maps, with their places. Tests hold the events against those of
 * libyaml. */
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

/// Of a text that must live as long as `memory`, where all events are. NULL: out of memory.
typedef struct sari_yaml_events sari_yaml_events;
sari_yaml_events* sari_yaml_open(const char* text, size_t length, sari_scratch* memory);
void sari_yaml_next(sari_yaml_events* events, sari_yaml_event* out);

#endif
