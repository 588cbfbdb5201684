/* An import while it goes on: what readers of formats share. Nothing stops at an error: it is reported, counted, and
 * reading goes on with a harmless value, so that one run shows all errors. */
#ifndef SARI_IMPORT_IMPORTER_H
#define SARI_IMPORT_IMPORTER_H

#include "base/printf.h"
#include "import/robot.h"
#include "import/xml.h"
#include "sarrus/import.h"

/// What was decided or changed, by kind: how many times, and the first one.
typedef struct sari_import_note {
    const char* kind;
    int count;
    sari_place place;
    const char* first; ///< its name, or what it was; "" : nothing to tell
    struct sari_import_note* next;
} sari_import_note;

/// Links, joints, shapes and copies that a file may ask for.
enum { SARI_IMPORT_ELEMENTS = 200000, SARI_IMPORT_FILES = 200, SARI_IMPORT_NESTED = 16 };

typedef struct sari_importer {
    sari_scratch memory;
    sari_diagnostics* errors;
    int failures;
    bool no_memory;
    int elements, files, nested;
    const sar_import_options* options;
    const char* path;   ///< of the first file
    const char* folder; ///< of the first file, with a '/' at its end; "": the working directory
    sari_import_note *notes, *last_note;
    struct taken_word** words; ///< of words.c
    sari_robot robot;
    // what is given out when there is no memory left
    sari_robot_link spare_link;
    sari_robot_joint spare_joint;
    sari_robot_term spare_term;
    sari_robot_shape spare_shape;
    sari_robot_coupling spare_coupling;
    sari_robot_actuator spare_actuator;
    sari_robot_spring spare_spring;
} sari_importer;

/* ---- messages and memory: importer.c -------------------------------------------------------- */

SARI_PRINTF(3, 4)
void sari_import_error(sari_importer* im, sari_place place, const char* format, ...);
SARI_PRINTF(2, 3) void sari_import_hint(sari_importer* im, const char* format, ...);
/// `kind` stays: a text of the program. What the first of that kind is, is told.
SARI_PRINTF(4, 5)
void sari_import_note_at(sari_importer* im, sari_place place, const char* kind, const char* format,
                         ...);
/// Never NULL: "" when there is no memory.
SARI_PRINTF(2, 3) const char* sari_import_print(sari_importer* im, const char* format, ...);
void* sari_import_take(sari_importer* im, size_t bytes); ///< NULL: there is none
/// One element more. False: there are too many, which is an error.
bool sari_import_count(sari_importer* im, sari_place place);

/* ---- the robot: importer.c ------------------------------------------------------------------ */

// All return something that can be written to, whatever happens.
sari_robot_link* sari_import_add_link(sari_importer* im, const char* name, sari_place place);
sari_robot_joint* sari_import_add_joint(sari_importer* im, const char* name, sari_place place);
/// A named place of a link, as a link that is fixed to it; nothing where a link has that name.
void sari_import_add_frame(sari_importer* im, const char* name, sari_place place,
                           sari_robot_link* of, const sari_pose* at);
sari_robot_term* sari_import_add_term(sari_importer* im, sari_robot_term** list,
                                      sari_robot_joint* joint, double factor);
sari_robot_coupling* sari_import_add_coupling(sari_importer* im, const char* name,
                                              sari_place place);
sari_robot_actuator* sari_import_add_actuator(sari_importer* im, const char* name,
                                              sari_place place);
sari_robot_spring* sari_import_add_spring(sari_importer* im, const char* name, sari_place place);
sari_robot_shape* sari_import_add_shape(sari_importer* im, sari_robot_link* link,
                                        sari_robot_shape_kind kind);
sari_robot_link* sari_import_find_link(sari_importer* im, const char* name);   ///< NULL: none
sari_robot_joint* sari_import_find_joint(sari_importer* im, const char* name); ///< NULL: none
/// The same, and an error where there is none. "world" is the ground.
sari_robot_link* sari_import_need_link(sari_importer* im, const char* name, sari_place place,
                                       const char* who);
sari_robot_joint* sari_import_need_joint(sari_importer* im, const char* name, sari_place place,
                                         const char* who);

/* ---- values: values.c ----------------------------------------------------------------------- */

/// Numbers with blanks between, at least `least` and at most `most`; how many there are, -1 after an error.
int sari_import_numbers(sari_importer* im, const char* text, sari_place place, const char* what,
                        int least, int most, double* out);
/// Those of an attribute; 0: it is not there.
int sari_import_attribute(sari_importer* im, const sari_xml* node, const char* attribute, int least,
                          int most, double* out);
/// One number of an attribute, or what it is without.
double sari_import_number(sari_importer* im, const sari_xml* node, const char* attribute,
                          double fallback);
/// The text of a child element, one number or several; 0: it is not there.
int sari_import_child_numbers(sari_importer* im, const sari_xml* node, const char* child, int least,
                              int most, double* out);
double sari_import_child_number(sari_importer* im, const sari_xml* node, const char* child,
                                double fallback);
bool sari_import_truth(const char* text, bool fallback); ///< true, 1, yes; NULL: `fallback`
/// An attribute that must be there; "" after an error.
const char* sari_import_name(sari_importer* im, const sari_xml* node, const char* attribute);
/// Limits: none where they are wider than any joint, or say nothing.
enum { SARI_NO_LIMIT = 1000000 }; ///< limits beyond that, in SI units, are none
void sari_import_limits(sari_importer* im, sari_place place, const char* name, double lower,
                        double upper, sari_robot_travel* travel);
/// A direction of any length; false: it is zero, and a default was taken.
bool sari_import_direction(sari_importer* im, sari_place place, const char* name, double axis[3]);

/* ---- masses of shapes: solids.c ------------------------------------------------------------- */

/// Volume, centre and inertia at density one of a shape in its own frame. False: a mesh that is not closed or not there.
bool sari_import_solid(sari_importer* im, const sari_robot_shape* shape, const char* path,
                       double* volume, double center[3], double inertia[6]);
/// Add it to a link, which has the shape's frame at `at`.
void sari_import_add_solid(sari_robot_link* link, const sari_pose* at, double mass, double volume,
                           const double center[3], const double inertia[6]);

/* ---- files: paths.c ------------------------------------------------------------------------- */

/// Where a file is that is named `name` in the file `from`: an absolute path, or NULL with the reason.
const char* sari_import_find_file(sari_importer* im, const char* name, const char* from,
                                  const char** why);
/// Read it as a source of places; NULL after an error at `place`.
const sari_source* sari_import_read(sari_importer* im, const char* path, sari_place place);
/// The tree of a file that another one includes.
sari_xml* sari_import_read_xml(sari_importer* im, const char* path, sari_place place);
const char* sari_import_folder_of(sari_importer* im, const char* path); ///< with its '/'
/// A mesh as a shape of a link, if its file can be drawn; else it is noted.
void sari_import_add_mesh(sari_importer* im, sari_robot_link* link, const char* name,
                          const char* from, sari_place place, const double scale[3],
                          const sari_pose* at, const double colour[4]);

/* ---- formats -------------------------------------------------------------------------------- */

void sari_import_urdf(sari_importer* im, const sari_xml* root);
void sari_import_sdf(sari_importer* im, const sari_xml* root);
void sari_import_mjcf(sari_importer* im, const sari_xml* root);

/// `origin` of URDF: xyz and rpy; the identity where it is missing.
sari_pose sari_import_origin(sari_importer* im, const sari_xml* origin);
/// An input that drives a joint, unless it has one.
void sari_import_drive(sari_importer* im, sari_robot_joint* joint, sari_place place);
/// Follower = multiplier leader + offset
void sari_import_mimic(sari_importer* im, sari_robot_joint* follower, sari_robot_joint* leader,
                       double multiplier, double offset, sari_place place);
/// A joint that closes a loop.
sari_robot_joint* sari_import_add_loop(sari_importer* im, const char* name, sari_place place,
                                       sari_robot_joint_kind kind, sari_robot_link* a,
                                       const sari_pose* on_a, sari_robot_link* b,
                                       const sari_pose* on_b);
/// Loops and couplings beside a URDF: side_files.c
void sari_import_side_files(sari_importer* im);
/// <loop_joint>, <drake:...> and joints in <gazebo>: urdf_loops.c
void sari_import_urdf_loops(sari_importer* im, const sari_xml* robot);
/// A constraint, spring or bushing in the tags of Drake.
void sari_import_drake(sari_importer* im, const sari_xml* node);
/// A joint of SDFormat in a <gazebo> tag.
void sari_import_gazebo_joint(sari_importer* im, const sari_xml* joint);

/* ---- what follows is the same for all ------------------------------------------------------- */

void sari_import_tree(sari_importer* im); ///< tree.c: who hangs on whom, poses
/// Poses with the joints that are there so far, at zero: where loops are drawn.
void sari_import_rest(sari_importer* im);
/// Pose of a link in the world, with the joints above it at `start`.
sari_pose sari_import_pose(sari_importer* im, sari_robot_link* link);
void sari_import_repair(sari_importer* im); ///< repair.c: masses, merged links, names
void sari_import_words(sari_importer* im);  ///< words.c: names of the model
char* sari_import_write(sari_importer* im); ///< write_model.c; NULL: no memory

#endif
