/* The frames of an SDFormat file: every link, joint, model and frame is one, and says in which other it lies.
 *
 * A name is that of its scope, "outer::inner::", and its own. A model's frame is called __model__ in its scope. */
#ifndef SARI_IMPORT_SDF_FRAMES_H
#define SARI_IMPORT_SDF_FRAMES_H

#include "import/importer.h"

enum { SARI_SDF_CODES = 1024, SARI_SDF_DEPTH = 10000 };

/// A model, or the world: the names in it.
typedef struct sari_sdf_scope {
    const char* prefix; ///< "" or "outer::inner::"
    const char* shown;  ///< of names in the model file: without what all have in common
    const char* path;   ///< of its file
    double version;
    bool is_static;
} sari_sdf_scope;

typedef enum sari_sdf_state { SARI_SDF_WAITS, SARI_SDF_GOES_ON, SARI_SDF_DONE } sari_sdf_state;

typedef struct sari_sdf_frame {
    const char* name;
    sari_place place;
    const char* relative_to; ///< "": the world
    const char* attached_to; ///< the frame whose link moves it; "": the world
    const char* placement;   ///< a frame of the model that `pose` places; "": its own
    sari_pose pose, world;
    sari_robot_link* link; ///< if it is one
    sari_sdf_state state;
    struct sari_sdf_frame* same_code;
} sari_sdf_frame;

typedef struct sari_sdf {
    sari_importer* im;
    sari_sdf_frame* by_code[SARI_SDF_CODES];
    int depth;
    sari_sdf_frame spare;
} sari_sdf;

sari_sdf_frame* sari_sdf_add(sari_sdf* s, const char* name, sari_place place);
sari_sdf_frame* sari_sdf_find(sari_sdf* s, const char* name);
/// The whole name of what a scope calls `name`.
const char* sari_sdf_name(sari_sdf* s, const sari_sdf_scope* scope, const char* name);
/// Pose in the world; false: it cannot be known, which was reported.
bool sari_sdf_resolve(sari_sdf* s, sari_sdf_frame* frame);
/// The link that a frame is fixed to, the ground for the world; NULL: none.
sari_robot_link* sari_sdf_link_of(sari_sdf* s, const char* name);

/// <pose>: six numbers, or position and quaternion. The frame that it is relative to, if it says so, or NULL.
const char* sari_sdf_pose(sari_importer* im, const sari_xml* node, sari_pose* pose);

/* sdf_parts.c */
void sari_sdf_read_link(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node,
                        sari_robot_link* link);
void sari_sdf_read_joint(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node);
void sari_sdf_read_couplings(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node);

#endif
