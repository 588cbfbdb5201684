/* The model file reader: what its files share.
 *
 * The reader walks the document section by section (bodies before joints before drives before
 * forces before constraints, which may speak of springs, before phases before outputs before start,
 * whatever their order in the file), fills the
 * definitions of sarrus/model.h and adds them. It never stops at an error: every function reports
 * what is wrong, counts it in `failures` and goes on with a harmless value, so that one run shows
 * all errors. An element is added to the model only when nothing failed while it was read.
 *
 * A model may be made of several files. Every use of one is a scope, with names, parameters and a
 * place of its own (use.c); a section is read from all scopes before the next one is. What a file
 * writes is understood in its scope: names get their prefix (paths.c), and what is drawn is placed
 * and mirrored (placement.c, place_forces.c) before it is given to the model. */
#ifndef SARI_READER_H
#define SARI_READER_H

#include "base/hash.h"
#include "base/printf.h"
#include "expression/quantity.h"
#include "input/files.h"
#include "input/yaml/document.h"
#include "input/yaml/scratch.h"
#include "model/model.h"
#include "sarrus/load.h"

#include <stdbool.h>

/// How much a file may ask for.
typedef struct sari_limits {
    int instances; ///< of one repeat entry, and files that are used in all
    int elements;  ///< bodies, joints, drives, forces, outputs, start conditions ... in all
} sari_limits;

extern const sari_limits sari_usual_limits;

typedef struct sari_constant {
    char* name;
    const sari_node* key;
    double value;
    sari_dimension dimension;
    bool failed; ///< its expression is wrong, and was reported
} sari_constant;

/// One entry of `repeat`.
typedef struct sari_repeat {
    const sari_node* node;
    const sari_node* index_node;
    char* index;
    int from, to;
} sari_repeat;

typedef struct sari_name_list {
    char** names;
    int count, capacity;
    sari_hash by_name;
} sari_name_list;

/// Where a file is drawn: what it calls x is A x + d in the world. A is a rotation or, mirrored, a
/// reflection too. Frames of bodies stay right-handed: a mirrored body has one in which every
/// coordinate k has the sign S_k, so that its rotation is A R S.
typedef struct sari_placement {
    double A[9], d[3], S[3];
    bool moved, mirrored; ///< is it not the identity; is det A = -1
} sari_placement;

/// What a file expects from who uses it: a body, a joint, a table.
typedef struct sari_port {
    const char* name;
    const sari_node *key, *map; ///< map: its points and axes, or NULL
    const char* path;           ///< what it stands for; NULL: nothing that is known
} sari_port;

/// A value that replaces a parameter.
typedef struct sari_override {
    const sari_node* key;
    double value;
    sari_dimension dimension;
    bool failed;
} sari_override;

/// One use of a file: a world of names of its own, which the rest of the model sees with a prefix.
typedef struct sari_scope {
    struct sari_scope *outer, *first, *last, *next; ///< inner ones: first ... last by next
    const sari_file* file;
    const sari_node* root; ///< of the file
    const char* prefix;    ///< "rear.left."; "" outside of all assemblies
    const char* used;      ///< by whom, for messages
    int depth;
    sari_placement placement;
    sari_port* ports;
    int ports_count;
    sari_override* overrides;
    int overrides_count;

    sari_constant* constants; ///< parameters
    int constants_count, constants_capacity;
    sari_hash constants_by_name;
    const char* index; ///< of the repeat entry being read, NULL outside
    double index_value;
    sari_repeat* repeats;
    int repeats_count, repeats_capacity;
    sari_name_list indices; ///< of all repeat entries
} sari_scope;

/// What the reader remembers of a body it added, by its handle.
typedef struct sari_body_record {
    double R_WB[9], position[3], winding[3]; ///< as drawn
    bool has_rotation, has_position;
    bool flawed; ///< a point or axis of it was wrong
} sari_body_record;

typedef struct sari_reader {
    sari_diagnostics* diagnostics;
    sari_diagnostics* notes; ///< what is valid, but may not be what was meant
    sari_scope* world;       ///< of the first file
    sari_scope* scope;       ///< being read
    sar_model* model;
    int dimension;
    sari_limits limits;
    int elements;
    int failures;       ///< errors so far, reported or consequences of reported ones
    bool incomplete;    ///< elements are missing because of an error: unknown names are no surprise
    bool lacks_section; ///< so may parameters and tables be: a section has a misspelt name
    bool out_of_memory;
    bool equilibrium;        ///< `start` asks for one
    const char* unit;        ///< that is expected now: "[N/m] or [N m/rad]"; NULL: any
    sari_dimension measured; ///< of the number that was read last
    sari_scratch texts;      ///< of the element being read
    sari_scratch kept;       ///< scopes and what belongs to them: until the model is read

    sari_files* files; ///< that were opened, in earlier readings too
    int scopes;        ///< in all

    const sar_setting* settings;
    int settings_count;
    bool* setting_used;

    sari_body_record* bodies; ///< by handle
    int bodies_count, bodies_capacity;
    bool* reversed; ///< by joint: its angle counts the other way, since it is mirrored
    int reversed_count, reversed_capacity;
    sari_name_list failed;   ///< elements that were not added because of an error
    sari_name_list left_out; ///< elements whose `when` is 0
    sari_name_list early;    ///< frames that were read before the others: bodies are drawn on them
} sari_reader;

/// The model of the first of the files, and of those that it uses.
sar_status sari_reader_read(sari_files* files, const sar_setting* settings, int count,
                            sari_limits limits, sar_model** out, sar_options* options,
                            char** messages);
/// The same as sar_model_parse within given limits.
sar_status sari_reader_parse(const char* text, size_t length, const char* name,
                             const sar_setting* settings, int count, sari_limits limits,
                             sar_model** out, sar_options* options, char** messages);

/* ---- frames: sections/frames.c ---------------------------------------------------------------- */

void sari_read_frame_element(sari_reader* r, const sari_node* key, const sari_node* value);
/// The frame that a text names, or NULL.
const sari_frame* sari_find_frame(sari_reader* r, const sari_node* node);
/// The same of a frame that may stand below: it is read now.
const sari_frame* sari_frame_drawn_on(sari_reader* r, const sari_node* node);

/* ---- errors: messages.c --------------------------------------------------------------------- */

enum { SARI_READER_MESSAGE = 512 }; ///< characters

/// Report an error at a node and count it.
SARI_PRINTF(3, 4)
void sari_report(sari_reader* r, const sari_node* node, const char* format, ...);
/// Say at a node how something was taken that may have been meant otherwise: no error.
SARI_PRINTF(3, 4)
void sari_note(sari_reader* r, const sari_node* node, const char* format, ...);
/// Add a hint to it; `sari_suggest` does it when a word is near enough.
SARI_PRINTF(2, 3) void sari_hint(sari_reader* r, const char* format, ...);
void sari_suggest(sari_reader* r, const char* word, const char* const* words, int count);
void sari_hint_words(sari_reader* r, const char* const* words, int count);
/// Report an error at a character of a scalar as it stands in the file.
void sari_report_inside(sari_reader* r, const sari_node* node, int offset, const char* message);
/// A plain scalar with a parenthesis too many: a comma may have cut it.
bool sari_is_unbalanced(const sari_node* node);
void sari_hint_about_commas(sari_reader* r, const sari_node* node);
/// Is the last error one of those that are shown? Words to suggest need not be searched for
/// otherwise.
bool sari_is_shown(const sari_reader* r);
/// Count an error that follows from a reported one.
void sari_fail_silently(sari_reader* r);
void sari_fail_memory(sari_reader* r);

/* ---- values: values.c ----------------------------------------------------------------------- */

/// A scalar with its {expressions} replaced. `origin[k]` is where character k came from; NULL:
/// unchanged.
typedef struct sari_text {
    const char* text; ///< "" after an error
    const int* origin;
} sari_text;

/// `what` names the value in messages. Names in it are as the file writes them.
sari_text sari_read_text(sari_reader* r, const sari_node* node, const char* what);
/// A valid name, or NULL: as the file writes it, without the prefix of its assembly.
const char* sari_read_name(sari_reader* r, const sari_node* node, const char* what);
bool sari_is_name(const char* text, size_t length);
bool sari_is_name_character(char c); ///< letter, digit or _
/// A constant, finite unless `infinite`; 0 after an error.
double sari_read_number(sari_reader* r, const sari_node* node, const char* what);
double sari_read_extended_number(sari_reader* r, const sari_node* node, const char* what);
/// What a number is in this model: its value, and the change that was asked for. (numbers.c)
double sari_number_read(sari_reader* r, const sari_node* node, double value);
bool sari_has_tolerance(const sari_node* node); ///< {value: .., tolerance: ..}
/// Of a value from outside that replaces the one of this node: it keeps its tolerance.
double sari_keep_tolerance(sari_reader* r, const sari_node* node, const char* what, double value);
/// The same for a quantity: units in brackets, as in "[N/m] or [N m/rad]", are those that fit.
double sari_read_number_in(sari_reader* r, const sari_node* node, const char* what,
                           const char* unit);
void sari_read_numbers_in(sari_reader* r, const sari_node* node, const char* what, int count,
                          const char* unit, double* out);
void sari_read_vector_in(sari_reader* r, const sari_node* node, const char* what, const char* unit,
                         double out[3]);
const char* sari_read_expression_in(sari_reader* r, const sari_node* node, const char* what,
                                    unsigned with, const char* unit);
/// The dimension that a parameter's own value has.
sari_dimension sari_dimension_of(sari_reader* r, const sari_node* node);
/// A whole number within +-1e9.
int sari_read_whole(sari_reader* r, const sari_node* node, const char* what);
/// A list of exactly `count` numbers.
void sari_read_numbers(sari_reader* r, const sari_node* node, const char* what, int count,
                       double* out);
/// A number with a tolerance, {value: 0.3, tolerance: 1e-4}: tolerances.c.
double sari_read_toleranced(sari_reader* r, const sari_node* node, const char* what);
/// A vector with as many components as the model has dimensions; the rest is 0.
void sari_read_vector(sari_reader* r, const sari_node* node, const char* what, double out[3]);
/// Is it a list of `count`? Reports if not.
bool sari_expect_list(sari_reader* r, const sari_node* node, const char* what, int count);
bool sari_expect_map(sari_reader* r, const sari_node* node, const char* what);

enum {
    SARI_WITH_TIME = 1,
    SARI_WITH_SPRING = 2,
    SARI_WITH_SIGNALS = 4,
    SARI_WITH_PLACE = 8,
    SARI_WITH_SURFACE = 1024, ///< x and y
    SARI_WITH_CURVE = 16
};

/// An expression for the model, checked for its syntax and parameters; NULL after an error.
const char* sari_read_expression(sari_reader* r, const sari_node* node, const char* what,
                                 unsigned with);
/// The parameter with this name, NULL: there is none.
const sari_constant* sari_find_constant(const sari_reader* r, const char* name, size_t length);
/// Value of `text` from outside the file. False and `error` filled when it has none.
bool sari_evaluate_outside(sari_reader* r, const char* text, double* value, sar_error* error);

/// Report an error at a character of a node's text (as it is after replacement).
SARI_PRINTF(4, 5)
void sari_report_at(sari_reader* r, const sari_node* node, int offset, const char* format, ...);

/* ---- names of assemblies: paths.c, use.c ---------------------------------------------------- */

/// From now on names and places mean what they mean there.
void sari_enter(sari_reader* r, sari_scope* scope);
/// The name with the prefix of the scope being read.
const char* sari_full_name(sari_reader* r, const char* name);
const sari_port* sari_find_port(const sari_scope* scope, const char* name, size_t length);
/// What a file calls "arm.P" as the model calls it: "rear.left.arm.P". NULL: no memory, or a port
/// that stands for nothing; counted.
const char* sari_full_path(sari_reader* r, const char* path);
/// "rear.left.arm.P" is the head "rear.left.arm" and the tail "P"; without a point the tail is NULL.
/// The ground of an assembly is the ground with points and axes of that name: "ground" and
/// "rear.left.O". False: no memory.
bool sari_split_path(sari_reader* r, const char* path, const char** head, const char** tail);
/// The expression as the model understands it: names with their prefixes, components of signals in
/// the frame in which the file is drawn.
/// Are all whose signals an expression names in the model already?
bool sari_names_are_there(sari_reader* r, const char* text);
/// Does an expression name t or an input?
bool sari_depends_on_time(sari_reader* r, const char* text);
sari_text sari_rewrite(sari_reader* r, sari_text text, unsigned with);
/// The signal of the model that a start condition demands, and its value there. NULL: reported.
const char* sari_start_signal(sari_reader* r, const sari_node* key, const char* name,
                              double* value);
/// `text` with `by` in the place of every name `name`.
const char* sari_replace_name(sari_reader* r, const char* text, const char* name, const char* by);
/// A text that stays until the next element.
SARI_PRINTF(2, 3) const char* sari_print(sari_reader* r, const char* format, ...);
/// Memory until the next element; NULL: none is left, counted.
void* sari_take(sari_reader* r, size_t count, size_t size);

/* ---- placements: placement.c, place_forces.c ------------------------------------------------ */

sari_placement sari_identity(void);
/// `inner` as seen from outside of `outer`.
sari_placement sari_compose(const sari_placement* outer, const sari_placement* inner);
double sari_turn_of(const sari_placement* p); ///< in the plane: the angle of the file's x axis
void sari_put_point(const sari_placement* p, double x[3]);
void sari_put_vector(const sari_placement* p, double v[3]);  ///< a direction, polar
void sari_sign_vector(const sari_placement* p, double v[3]); ///< in the frame of a body
void sari_place_body(const sari_placement* p, sar_body_def* def);
/// Returns whether the angle of the joint counts the other way.
bool sari_place_joint(sari_reader* r, sar_joint_def* def);
/// The normals of a frame that are left out, as the file sees it.
void sari_keep_normal(sari_reader* r, sar_end* a, sar_end* b);
struct sari_element;
struct sari_force_type;
struct sari_file_word;
void sari_place_force(sari_reader* r, const struct sari_element* e,
                      const struct sari_force_type* type, const struct sari_file_word* word,
                      void* def);
/// And its expressions, once it is in the model.
struct sari_force;
void sari_place_laws(sari_reader* r, const struct sari_force_type* type,
                     const struct sari_file_word* word, struct sari_force* force);
void sari_mark_reversed(sari_reader* r, sar_joint_id joint, bool reversed);
/// -1 where the file means the other direction than the model, else 1.
int sari_sense(const sari_reader* r, sar_joint_id joint, sar_coordinate coordinate);

/* ---- elements: elements.c ------------------------------------------------------------------- */

/// A named map of a section.
typedef struct sari_element {
    const char* kind; ///< "body": for messages
    const char* name;
    const sari_node* key;
    const sari_node* map;
} sari_element;

/// OLD: another word for the required key before it; read, but not offered.
enum { SARI_KEY_REQUIRED = 1, SARI_KEY_PLANAR = 2, SARI_KEY_SPATIAL = 4 };

typedef struct sari_key {
    const char* word;
    unsigned flags;
} sari_key;

/// Name of the element and a check that it is a map. False: reported.
bool sari_element_open(sari_reader* r, const char* kind, const sari_node* key,
                       const sari_node* value, sari_element* out);
/// Report unknown keys, keys of the other dimension and missing ones.
void sari_check_keys(sari_reader* r, const sari_element* e, const sari_key* keys, int count);
#define SARI_CHECK_KEYS(r, e, keys)                                                                \
    sari_check_keys(r, e, keys, (int)(sizeof(keys) / sizeof((keys)[0])))

/// Quantity of a key that may be missing.
double sari_number_in(sari_reader* r, const sari_element* e, const char* key, double fallback,
                      const char* unit);
/// Number of a key that may be missing.
double sari_number(sari_reader* r, const sari_element* e, const char* key, double fallback);

/// `surface` and `between` of a constraint, as an expression of positions; NULL: none, or reported.
const char* sari_read_surface(sari_reader* r, const sari_element* e, const sari_node* surface);

/* sections/grids.c: tables of x and y */
/// As many rows; -1: reported.
int sari_read_grid(sari_reader* r, const sari_element* e, sar_table_def def);

/// One of `words`; -1 after an error, `fallback` when the key is missing.
int sari_read_word(sari_reader* r, const sari_element* e, const char* key, const char* const* words,
                   int count, int fallback);

/// yes or no, no where the key is missing.
bool sari_answer(sari_reader* r, const sari_element* e, const char* key);
/// Pairs of numbers in a list of at least two, in columns until the next element. False: no memory.
bool sari_read_pairs(sari_reader* r, const sari_node* list, const char* what, const char* unit,
                     double* column[2]);

/// The model refused an element: report at the key that error->field means.
void sari_reject(sari_reader* r, const sari_element* e, const sar_error* error);

/// A name that is there already stays there once.
void sari_remember(sari_reader* r, sari_name_list* list, const char* name);
bool sari_remembers(const sari_name_list* list, const char* name, size_t length);
void sari_name_list_clear(sari_name_list* list);

/* ---- references: references.c --------------------------------------------------------------- */

bool sari_read_body(sari_reader* r, const sari_node* node, const char* what, sar_body_id* out);
/// Has a place in the drawing. A body with a position alone whose place in the drawing is asked for
/// is drawn with its axes along those of the drawing, and starts so.
bool sari_is_drawn(sari_reader* r, sar_body_id body);
/// BODY.POINT or BODY.
/// The name of a body or a frame, as the model has it; NULL: reported.
const char* sari_read_axes(sari_reader* r, const sari_node* node, const char* what);
bool sari_read_point(sari_reader* r, const sari_node* node, const char* what, sar_end* end);
/// `between: [BODY.POINT, BODY.POINT]`
bool sari_read_between(sari_reader* r, const sari_element* e, sar_end* a, sar_end* b);
/// `axis` or `normal`: on return a direction in each body. False when the key is missing or wrong.
bool sari_read_directions(sari_reader* r, const sari_element* e, const char* key, const sar_end* a,
                          const sar_end* b, double in_a[3], double in_b[3]);
enum { SARI_FIRST, SARI_SECOND };
/// The same where the direction of one side counts: BODY.AXIS will do, and a direction in world
/// axes is fixed in that body alone.
bool sari_read_direction(sari_reader* r, const sari_element* e, const char* key, int side,
                         const sar_end* a, const sar_end* b, double in_a[3], double in_b[3]);
/// A joint with coordinates (not a coupling or a drive).
bool sari_read_joint(sari_reader* r, const sari_node* node, const char* what, sar_joint_id* out);
/// A joint, a gear, a coupler, a drive or a constraint.
bool sari_read_any_joint(sari_reader* r, const sari_node* node, const char* what,
                         sar_joint_id* out);
/// JOINT.angle, JOINT.displacement2 and the like
bool sari_read_joint_coordinate(sari_reader* r, const sari_node* node, sar_joint_id* joint,
                                sar_coordinate* coordinate);
/// The coordinate that is meant when none is named.
sar_coordinate sari_usual_coordinate(const sari_reader* r, sar_joint_id joint);
enum { SARI_COORDINATES = 5 };
extern const char* const sari_coordinate_words[SARI_COORDINATES]; ///< by sar_coordinate

/* ---- sections ------------------------------------------------------------------------------- */

/// Called for every element of a section.
typedef void (*sari_element_reader)(sari_reader* r, const sari_node* key, const sari_node* value);

/// `file` lies beside the file being read, unless its path begins at the root. NULL: no memory.
const char* sari_path_beside(sari_reader* r, const char* file);
/// A file of data beside the file being read, with its text; NULL: `why` not. To be dropped afterwards
/// (sari_file_drop).
sari_file* sari_open_data(sari_reader* r, const char* path, const char** why);

/// Coefficients of tyres, those that are given; `side` is a sar_tyre_side.
void sari_read_tyre_file(sari_reader* r, const sari_node* node, double* coefficient, int* side);
void sari_read_coefficients(sari_reader* r, const sari_node* node, double* coefficient);

/// Check the `repeat` entries and keep them.
void sari_read_repeats(sari_reader* r);
/// Call `read` for the elements of the section of the scope being read, then for those of every
/// instance of every repeat entry.
void sari_each_element_here(sari_reader* r, const char* section, sari_element_reader read);
/// The same for all scopes, outer ones first.
void sari_each_element(sari_reader* r, const char* section, sari_element_reader read);
/// The same for the points and axes of the ground.
void sari_each_ground(sari_reader* r);

void sari_read_constants(sari_reader* r); ///< parameters and settings of the scope being read
void sari_check_settings(sari_reader* r);
void sari_read_method(sari_reader* r, sar_options* options);
void sari_read_table_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_input_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_remember_ground(sari_reader* r);
void sari_read_ground(sari_reader* r, const sari_node* value);
/// `shape` of a body or of the ground, if it is there. The body has its points already.
void sari_read_shapes(sari_reader* r, const sari_element* e, sar_body_id body);
void sari_read_body_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_joint_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_coupling_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_rotor_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_drive_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_early_constraint(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_constraint_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_phases(sari_reader* r);
/// `rotation` of a body or an assembly.
void sari_rotation_in_plane(double angle, double R[9]);
/// `winding`: its rotation vector with all whole revolutions, see sar_body_def; NULL: not wanted.
void sari_read_rotation(sari_reader* r, const sari_node* node, double R[9], double* winding);
/// Into def->inertia; mass and centre are there. (sections/inertia.c)
void sari_read_inertia(sari_reader* r, const sari_element* e, sar_body_def* def);
/// `position` and `rotation`, in the plane `angle`, as far as they are there.
void sari_read_place(sari_reader* r, const sari_element* e, double position[3], double R[9],
                     double* winding);

/* ---- files that use files: use.c ------------------------------------------------------------ */

/// The scope of the first file.
sari_scope* sari_create_world(sari_reader* r, const sari_file* file);
/// Open what the world uses, and what that uses: all scopes with their parameters.
void sari_read_uses(sari_reader* r);
void sari_read_ports(sari_reader* r); ///< points and axes that files add to what they are given
void sari_clear_scopes(sari_reader* r);
/// Version, name and keys. False: nothing else can be read.
bool sari_check_head(sari_reader* r);
bool sari_read_dimension(sari_reader* r, int* out);
void sari_pass_parameters(sari_reader* r);
/// `active: no` of a joint, a coupling, a drive or a constraint.
bool sari_read_absent(sari_reader* r, const sari_element* e);
void sari_read_force_element(sari_reader* r, const sari_node* key, const sari_node* value);
/// States of the model: they are there, and then what their rates are.
void sari_read_state_element(sari_reader* r, const sari_node* key, const sari_node* value);
void sari_read_state_rate(sari_reader* r, const sari_node* key, const sari_node* value);
/// Does the file that is being read have a state of this name?
bool sari_is_state(sari_reader* r, const char* name, size_t length);

#endif
