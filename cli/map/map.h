/* sarrus map: what was asked for, and the map. */
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "common/inspection.h"

#include "sarrus/atlas.h"

/// How near two bodies come to each other along a curve, between stops.
typedef struct cli_map_clearance {
    sar_body_id body[2];
    int arc;
    double at, distance; ///< 0 ... 1 along it; [m], negative: they overlap
} cli_map_clearance;

typedef struct cli_map {
    cli_inspection base;
    sar_map_options asked;
    const char* output;   ///< a file of pictures; NULL: none
    const char* singular; ///< two inputs, separated by a comma; NULL: all configurations
    const char* boundary; ///< BODY.POINT; NULL: likewise
    const char* over;     ///< two quantities, separated by a comma; NULL: chosen
    sar_map* map;
    double seconds;
    sar_map_summary summary;
    const sar_map_quantity* quantity;
    const sar_map_arc* arc;
    const sar_map_node* node;
    const sar_map_component* component;
    int quantities;
    cli_map_clearance* clearance; ///< of bodies with shapes that no joint holds together
    int clearances;
} cli_map;

/// Make the map of base.file.model, with all lists.
sar_status cli_map_make(cli_map* m, sar_error* error);
/// What is known of it, as members of an open object.
void cli_map_json_members(const cli_map* m, cli_json* j);

void cli_map_print_parts(const cli_map* m); ///< all but the verdict
void cli_map_print(const void* self);
void cli_map_json(const void* self, cli_json* j);
/// The two quantities over which curves are shown. 0, or CLI_USAGE after a message.
int cli_map_pair(const cli_map* m, int pair[2]);
/// The picture that was asked for. 0, or an exit code after a message.
int cli_map_picture(const cli_map* m);

void cli_map_find_clearances(cli_map* m);
int cli_map_overlaps(const cli_map* m); ///< on a curve that is reached from the drawn start?
void cli_map_print_clearances(const cli_map* m);
void cli_map_json_clearances(const cli_map* m, cli_json* j);
void cli_map_clear(cli_map* m);

#endif
