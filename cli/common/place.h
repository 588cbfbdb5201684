/* Places of a model's map, for commands that start there (docs/map.md). */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "sarrus/atlas.h"

/// Does the text look like the name of a place: a letter of A, S, M, F and a digit?
int cli_place_is(const char* text);
/// Draw the model at the place `name` of its map, moving with `speed`. *map (may be NULL) receives the map, to be destroyed.
/// 0, or an exit code after a message.
int cli_place_go(const char* command, const char* path, sar_model* model, const char* name,
                 double speed, sar_map** map);
/// The singular configuration of the map in which a simulation is now, by its name; NULL: in none. `size`: of the model [m].
const char* cli_place_node(sar_map* map, const sar_model* model, const sar_simulation* simulation,
                           double size);

#endif
