/* An XML text as a tree of elements, each with its place in the text. The parser is expat.
 *
 * Entities of a document type are refused, so that a text cannot grow beyond its size and no other file is read. */
#ifndef SARI_IMPORT_XML_H
#define SARI_IMPORT_XML_H

#include "input/yaml/diagnostics.h"
#include "input/yaml/scratch.h"
#include "sarrus/base.h"

typedef struct sari_xml_attribute {
    const char *name, *value;
    struct sari_xml_attribute* next;
} sari_xml_attribute;

typedef struct sari_xml {
    const char* name; ///< without its namespace, but for drake: and xacro:
    const char* text; ///< characters between its tags, without blanks at both ends
    sari_place place;
    sari_xml_attribute* attributes;
    struct sari_xml *parent, *first, *last, *next;
} sari_xml;

/// How much a text may ask for.
enum { SARI_XML_DEPTH = 2000, SARI_XML_ELEMENTS = 2000000 };

/// The tree of `source`, which must outlive it, in `memory`. SAR_E_MODEL: `errors` has a further one.
sar_status sari_xml_parse(const sari_source* source, sari_scratch* memory, sari_diagnostics* errors,
                          sari_xml** root);

/// The first child of that name, and the next sibling of that name; NULL: none. `name` NULL: any.
const sari_xml* sari_xml_child(const sari_xml* node, const char* name);
const sari_xml* sari_xml_next(const sari_xml* node, const char* name);
/// For all children of that name.
#define SARI_XML_EACH(child, node, name)                                                           \
    for (const sari_xml* child = sari_xml_child(node, name); child;                                \
         child = sari_xml_next(child, name))

const char* sari_xml_get(const sari_xml* node, const char* attribute); ///< NULL: it has none
/// Where an attribute is in the text; that of the element if it is not there.
sari_place sari_xml_place_of(const sari_xml* node, const char* attribute);
int sari_xml_is(const sari_xml* node, const char* name);

#endif
