/* Events of libyaml, against which those of the reader are held. */
#ifndef LIBYAML_EVENTS_H
#define LIBYAML_EVENTS_H

#include "input/yaml/events.h"

#include <yaml.h>

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event; ///< the last one, whose text is in use
    bool open;
} reader;

static void close_library(reader* r)
{
    if (r->open) yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
    free(r);
}

static reader* open_library(const char* text, size_t length)
{
    reader* r = calloc(1, sizeof *r);
    assert_true(r && yaml_parser_initialize(&r->parser));
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char*)text, length);
    return r;
}

static void place_event(sari_yaml_event* out, const yaml_mark_t* mark)
{
    out->index = mark->index;
    out->line = mark->line;
    out->column = mark->column;
}

static void fill_failure(const yaml_parser_t* p, sari_yaml_event* out)
{
    *out = (sari_yaml_event){.kind = p->error == YAML_MEMORY_ERROR   ? SARI_YAML_NO_MEMORY
                                     : p->error == YAML_READER_ERROR ? SARI_YAML_NOT_UTF8
                                                                     : SARI_YAML_WRONG,
                             .context = p->context,
                             .problem = p->problem ? p->problem : "this is not YAML",
                             .problem_offset = p->problem_offset};
    place_event(out, &p->problem_mark);
}

static void fill_scalar(const yaml_event_t* event, sari_yaml_event* out)
{
    out->kind = SARI_YAML_SCALAR;
    out->text = (const char*)event->data.scalar.value;
    out->length = event->data.scalar.length;
    out->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    out->anchor = event->data.scalar.anchor != NULL;
    out->tag = event->data.scalar.tag != NULL;
}

/* False: nothing that readers of models want to know of. */
static bool fill(const yaml_event_t* event, sari_yaml_event* out)
{
    *out = (sari_yaml_event){0};
    place_event(out, &event->start_mark);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        fill_scalar(event, out);
        return true;
    case YAML_SEQUENCE_START_EVENT:
        out->kind = SARI_YAML_LIST;
        out->anchor = event->data.sequence_start.anchor != NULL;
        out->tag = event->data.sequence_start.tag != NULL;
        return true;
    case YAML_MAPPING_START_EVENT:
        out->kind = SARI_YAML_MAP;
        out->anchor = event->data.mapping_start.anchor != NULL;
        out->tag = event->data.mapping_start.tag != NULL;
        return true;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        out->kind = SARI_YAML_END;
        return true;
    case YAML_ALIAS_EVENT:
        out->kind = SARI_YAML_ALIAS;
        return true;
    case YAML_DOCUMENT_START_EVENT:
        out->kind = SARI_YAML_DOCUMENT;
        return true;
    case YAML_STREAM_END_EVENT:
        out->kind = SARI_YAML_STREAM_END;
        return true;
    default:
        return false;
    }
}

static void next_library(reader* r, sari_yaml_event* out)
{
    do {
        if (r->open) yaml_event_delete(&r->event);
        r->open = yaml_parser_parse(&r->parser, &r->event) != 0;
        if (!r->open) {
            fill_failure(&r->parser, out);
            return;
        }
    } while (!fill(&r->event, out));
}

#endif
