/* What the files that add parts to a model share: checks that name the offending field, frames as
 * drawn, and the release of each part. */
#ifndef SARI_PARTS_H
#define SARI_PARTS_H

#include "base/status.h"
#include "model/model.h"

#include <string.h>

enum { SARI_NAME_LENGTH = 63 }; ///< characters of a name: it fits the reports that carry it

static inline bool sari_same_name(const char* text, const char* name, size_t length)
{
    return strlen(text) == length && memcmp(text, name, length) == 0;
}

/* ---- names.c -------------------------------------------------------------------------------- */

unsigned sari_name_code(const char* name, size_t length);
/// The part with this name, NULL: there is none.
const sari_part* sari_model_find_part(const sar_model* model, const char* name, size_t length);
/// Index of the part of this kind with this name, -1: there is none.
int sari_model_find_kind(const sar_model* model, int kind, const char* name, size_t length);
/// Give the part that is about to be added its name, which it owns: the last thing that can fail.
sar_status sari_model_enter_part(sar_model* model, int kind, const char* name, int index,
                                 sar_error* error);
/// "body", "joint", "coupling", "drive", "constraint", "force", "state", "table", "assembly", or NULL when
/// nothing has this name.
const char* sari_model_kind_of(const sar_model* model, const char* name, size_t length);
/// A state of the model.
bool sari_model_is_state(const sar_model* model, const char* name, size_t length);
/// Index of the parameter, -1: there is none.
int sari_model_find_parameter(const sar_model* model, const char* name, size_t length);

/* ---- checks.c: each returns SAR_OK or fills `error` ----------------------------------------- */

sar_status sari_out_of_memory(sar_error* error);

/// Letters, digits and `_`, not starting with a digit, not too long; before that the name of an
/// assembly and a dot, if there is one.
sar_status sari_check_spelling(const sar_model* model, const char* name, sar_error* error);
/// What is after the last dot.
const char* sari_last_piece(const char* name);

/// Not one of the words that have a meaning in expressions already; `what` is to have the name.
sar_status sari_check_reserved(const char* name, const char* what, const char* const* reserved,
                               int count, sar_error* error);

/// An expression of positions, of something that moves, and not of too many.
sar_status sari_check_positions(const sar_model* model, const sari_expression* e, const char* text,
                                const char* field, sar_error* error);
/// Does an expression depend on lengths or their rates?
bool sari_uses_lengths(const sar_model* model, const sari_expression* e);
sar_status sari_check_numbers(const double* values, int count, const char* field, sar_error* error);
sar_status sari_check_positive(double value, const char* field, sar_error* error); ///< and finite
sar_status sari_check_not_negative(double value, const char* field, sar_error* error);
/// Finite and, in a planar model, without z.
sar_status sari_check_vector(const sar_model* model, const double v[3], const char* field,
                             sar_error* error);
sar_status sari_check_body(const sar_model* model, sar_body_id body, const char* field,
                           sar_error* error);
/// Two different bodies of this model, with valid points.
sar_status sari_check_ends(const sar_model* model, const sar_end* a, const sar_end* b,
                           sar_error* error);

/// The type's word in the file ("point-on-line"), or "coupling", "drive" or "constraint".
const char* sari_joint_word(const sari_joint* joint);
const char* sari_coordinate_word(sar_coordinate coordinate);
/// Does the joint have this coordinate, free to move?
bool sari_joint_has(const sari_joint* joint, sar_coordinate coordinate);
/// "angle and angle2": those for which `has` is true, or "no coordinates".
const char* sari_list_coordinates(const sari_joint* joint,
                                  bool (*has)(const sari_joint*, sar_coordinate), char text[64]);
/// The joint exists and has the coordinate. `index` >= 0 makes the fields "joint[index]",
/// "coordinate[index]".
sar_status sari_check_coordinate(const sar_model* model, sar_joint_id joint,
                                 sar_coordinate coordinate, int index, sar_error* error);

/* ---- frames.c ------------------------------------------------------------------------------- */

/// Make `v` a unit vector; false if it has no direction.
bool sari_normalise(double v[3]);
bool sari_is_zero(const double v[3]);
/// Some direction across the unit vector `axis`, always the same for the same axis: x for z, y for x.
void sari_usual_normal(const double axis[3], double out[3]);
/// A direction is given on both ends or on neither.
sar_status sari_check_both(const double a[3], const double b[3], const char* field,
                           sar_error* error);
/// `v` of the body `from` in the body `to`, both as drawn.
void sari_as_drawn(const sar_model* model, sar_body_id from, sar_body_id to, const double v[3],
                   double out[3]);
/// Complete two ends whose axes are both given; normals are given on both, or follow from the
/// drawing.
sar_status sari_frames_spatial(const sar_model* model, sar_end* a, sar_end* b, sar_error* error);
/// The same in a planar model with axes in the plane: the normals are the axes turned by +90
/// degrees.
sar_status sari_frames_planar(sar_end* a, sar_end* b, sar_error* error);
void sari_clear_frame(sar_end* end);
/// Check the directions of a joint's ends and complete them, as its type takes them: unit and
/// perpendicular, what is left out as drawn, zero where the type has none.
sar_status sari_joint_frames(const sar_model* model, sar_joint_def* def, sar_error* error);

/* ---- who owns what -------------------------------------------------------------------------- */

sar_status sari_body_create(sari_body* body, const sar_body_def* def, sar_error* error);
/// Is it the joint that keeps a particle from rotating?
bool sari_holds_particle(const sar_model* model, int joint);
void sari_body_release(sari_body* body);
void sari_body_center_moved(sari_body* body); ///< the point `center` follows its definition
void sari_shapes_release(sari_body* body);
/// Make room and copy the name; what `joint` owns already is released on failure.
sar_status sari_joint_store(sar_model* model, sari_joint joint, const char* name, sar_joint_id* out,
                            sar_error* error);
void sari_joint_release(sari_joint* joint);
void sari_phase_release(sari_phase* phase);
/// Arrays of a definition into a copy of it. SAR_OK or SAR_E_NOMEM.
sar_status sari_force_copy_arrays(const sari_force_type* type, const void* def, void* copy);

/* ---- inputs.c ------------------------------------------------------------------------------- */

void sari_inputs_release(sar_model* model);

#endif
