/* The model as stored: what the user said, checked and completed, nothing computed from it yet. */
#ifndef SARI_MODEL_H
#define SARI_MODEL_H

#include "base/hash.h"
#include "elements/element.h"
#include "elements/force.h"
#include "elements/relation.h"
#include "expression/expression.h"
#include "model/curve.h"
#include "model/signals.h"
#include "sarrus/model.h"
#include "sarrus/shape.h"

typedef struct sari_named_vector {
    char* name;
    double v[3];
} sari_named_vector;

typedef struct sari_body {
    char* name;
    sar_body_def def; ///< def.name is `name`; rotation orthonormal
    sari_named_vector *points, *axes;
    int points_count, points_capacity, axes_count, axes_capacity;
    sari_hash points_by_name, axes_by_name; ///< empty while there are few
    sar_shape_def* shapes;                  ///< for pictures; their arrays are owned
    int shapes_count, shapes_capacity;
} sari_body;

enum { SARI_POSITION_SIGNALS = 16 }; ///< that a constraint on positions may use

/// A joint of two bodies, or a relation, a coupling, a drive or a constraint: they share names, numbering
/// and reactions.
typedef struct sari_joint {
    char* name;
    const sari_relation_type* relation; ///< NULL: a joint of two bodies, a `pair`
    sar_joint_def pair;        ///< axes and normals are unit vectors and perpendicular, or zero
                               ///< where the type has none; see sari_end_complete
    sar_coupling_def coupling; ///< of a coupling
    sar_drive_def drive;       ///< of a drive; value as in `value`, also of a constraint
    sari_expression* value;    ///< of a drive: expression of t; of a constraint: of t and signals
    sari_curve curve;          ///< of a pair whose type has one; pair.curve is empty
    bool on_positions;         ///< of a constraint
    bool bounded;              ///< likewise: lower <= value <= upper; there only while at a bound
    double lower, upper, restitution;
    sar_end* over; ///< of a constraint: points of a cable, for pictures; NULL: it is none
    int over_count;
    bool absent;        ///< at first
    bool phased;        ///< some phase adds or removes it
    bool attaches;      ///< of a pair: where end b is at that moment
    bool zero_as_drawn; ///< likewise: normals were not given, angles are zero in the drawing
} sari_joint;

/// What kind of pair it is; NULL: a relation.
static inline const sari_joint_type* sari_joint_type_of(const sari_joint* joint)
{
    return joint->relation ? NULL : sari_type_of(&joint->pair);
}

/// Its two ends, a and b; NULL: it has none of its own.
static inline const sar_end* sari_joint_ends(const sari_joint* joint)
{
    if (!joint->relation) return &joint->pair.a;
    return joint->relation->ends ? joint->relation->ends(joint) : NULL;
}

/// The k-th joint whose coordinate it uses; -1: there are no more.
static inline int sari_joint_uses(const sari_joint* joint, int k)
{
    return joint->relation && joint->relation->uses ? joint->relation->uses(joint, k) : -1;
}

static inline bool sari_is_angle(sar_coordinate coordinate)
{
    return coordinate == SAR_COORD_ANGLE || coordinate == SAR_COORD_ANGLE_2;
}

typedef struct sari_phase {
    sar_phase_def def;         ///< texts and lists are copies owned by the model
    sari_expression* when;     ///< NULL: at a time
    sari_expression* provided; ///< NULL: always
} sari_phase;

/// Variables of all expressions: time, the spring's own length and rate, then the model's signals
/// in order.
enum { SARI_VARIABLE_T, SARI_VARIABLE_X, SARI_VARIABLE_V, SARI_VARIABLE_SIGNAL };

/// What of its expression an output is.
typedef enum sari_output_kind {
    SARI_OUTPUT_VALUE,
    SARI_OUTPUT_INTEGRAL,
    SARI_OUTPUT_MEAN, ///< and the following: in the order of sar_statistic
    SARI_OUTPUT_RMS,
    SARI_OUTPUT_MIN,
    SARI_OUTPUT_MAX,
    SARI_OUTPUT_FILTER
} sari_output_kind;

typedef struct sari_output {
    char* name;
    char* text;
    sari_expression* value;
    sari_output_kind integral; ///< the output is the integral of `value` since the start ...
    sari_expression* over;     ///< ... over this; NULL: over time
    double time_constant;      ///< FILTER
} sari_output;

/// A function of time that is given from outside. In the model it is one of the tables, by its start
/// value, points or an expression; a simulation has its own in `sar_model.held`.
typedef struct sari_input {
    int table;
    char* unit;
    double start;
    sari_expression* by; ///< of time; NULL: none
} sari_input;

/// An input of a simulation: c + d (t - x[0]) once it was set.
typedef struct sari_held_input {
    sari_table table; ///< first the model's
    double x[2], c[1][4];
} sari_held_input;

/// value + rate (t - t0) from now on.
void sari_held_input_set(sari_held_input* in, double t0, double value, double rate);

typedef struct sari_start {
    char* name;
    int signal;
    double value;
} sari_start;

/// A named frame; point and R as in sar_frame_def.
typedef struct sari_frame {
    char* name;
    int body;
    double point[3], R[9];
} sari_frame;

/// What shares one space of names.
typedef enum sari_part_kind {
    SARI_PART_BODY,
    SARI_PART_JOINT,
    SARI_PART_TABLE,
    SARI_PART_ASSEMBLY, ///< a name before the dot of others
    SARI_PART_FRAME,
    SARI_PART_FORCE ///< and after it one of each type of force
} sari_part_kind;

typedef struct sari_part {
    const char* name; ///< owned by the part itself
    int kind;         ///< a sari_part_kind, of a force SARI_PART_FORCE and its type
    int index;        ///< in the array of its kind
} sari_part;

struct sar_model {
    char* name;
    int dimension;
    double gravity[3];
    struct sari_parameter {
        char* name;
        double value;
    } * parameters;
    int parameters_count, parameters_capacity;
    char** files; ///< read with the model file, which names them
    int files_count, files_capacity;
    char** assemblies; ///< names, see sari_model_add_assembly
    int assemblies_count, assemblies_capacity;
    sari_hash parameters_by_name;
    sari_part* parts; ///< everything with a name, in the order in which it was added
    int parts_count, parts_capacity;
    sari_hash parts_by_name;
    sari_table** tables; ///< each by itself: expressions point to them
    int tables_count, tables_capacity;
    sari_hash tables_by_name;
    sari_input* inputs;
    int inputs_count, inputs_capacity;
    sari_held_input* held; ///< one per input, in copies for simulations; else NULL
    sari_body* bodies;     ///< [0] is the ground
    int bodies_count, bodies_capacity;
    sari_frame* frames;
    int frames_count, frames_capacity;
    sari_joint* joints;
    int joints_count, joints_capacity;
    sari_force_list forces[SARI_FORCE_TYPES];
    sari_signal* signals; ///< every signal some expression or start uses, each once
    int signals_count, signals_capacity;
    sari_hash signals_by_meaning;
    sari_phase* phases;
    int phases_count, phases_capacity;
    sari_output* outputs;
    int outputs_count, outputs_capacity;
    sari_hash outputs_by_name;
    double* trial; ///< room where the expressions of constraints are tried, three per variable
    int trial_capacity;
    double* breakpoints; ///< increasing
    int breakpoints_count, breakpoints_capacity;
    sari_start* starts;
    int starts_count, starts_capacity;
};

/// Is the joint there after the first `phases` phases?
bool sari_model_joint_present(const sar_model* model, int joint, int phases);
/// What can come and go: joints, then forces, in the order of sar_model_forces.
int sari_model_set_size(const sar_model* model);
/// Which of them are there after the first `phases` phases, of those that do not repeat.
void sari_model_set_after(const sar_model* model, int phases, char* set);
/// Which are there when a phase begins, from which were. False: it cannot begin from there.
bool sari_phase_applies(const sar_model* model, const sar_phase_def* def, const char* set);
void sari_phase_apply(const sar_model* model, const sar_phase_def* def, char* set);

/// One of all forces, sar_model_forces, and its type; NULL: there is none.
const sari_force* sari_model_force(const sar_model* model, int force, int* type);
/// Where what it does is reported.
sar_force_place sari_force_place(const sar_model* model, int type, const sari_force* force);

/// Is `name` a valid and unused name for a body, joint or force? Fills `error` with field "name" if
/// not.
sar_status sari_model_check_name(const sar_model* model, const char* name, sar_error* error);

/// How much of `name`, pieces with dots between them, is the name of a body, a joint, a force or a
/// table: up to the first dot after the assemblies. 0: none is called so.
size_t sari_model_head(const sar_model* model, const char* name, size_t length);

/// The frame of this name, or NULL; axis k of a frame, in its body.
const sari_frame* sari_model_frame(const sar_model* model, const char* name, size_t length);
void sari_frame_axis(const sari_frame* frame, int k, double out[3]);

/// Complete an end in place: unit axis; normal made perpendicular to the axis and unit. An axis of
/// zero gives SAR_E_MODEL with field "axis".
sar_status sari_end_complete(sar_end* end, sar_error* error);

typedef enum sari_asked { SARI_ASKED_VALUE, SARI_ASKED_INTEGRAL, SARI_ASKED_MEAN } sari_asked;

/// Add an output that a user asks for beside those of the model: outputs in `text` stand for their expressions. Errors say
/// what outputs there are.
sar_status sari_model_ask(sar_model* model, sari_asked kind, const char* name, const char* text,
                          sar_error* error);

/// Compile an expression of t, parameters and signals (by the bits of `use`); signals it uses are
/// added to the model. Errors carry `field`.
sar_status sari_model_compile(sar_model* model, const char* text, unsigned use, const char* field,
                              sari_expression** out, sar_error* error);
/// The same of `text` less `less`; NULL: less nothing.
sar_status sari_model_compile_less(sar_model* model, const char* text, const char* less,
                                   unsigned use, const char* field, sari_expression** out,
                                   sar_error* error);

/// A constraint is that of a cable over these points: pictures show it. SAR_OK or SAR_E_NOMEM.
sar_status sari_model_note_cable(sar_model* model, sar_joint_id constraint, const sar_end* over,
                                 int points);

/// A file was read with the model. SAR_OK or SAR_E_NOMEM.
sar_status sari_model_add_file(sar_model* model, const char* path);
/// An assembly: from now on names may begin with its own and a dot. A name of an assembly inside of
/// another is complete: "rear.left".
sar_status sari_model_add_assembly(sar_model* model, const char* name, sar_error* error);
sari_table_list sari_model_tables(const sar_model* model);

/// Forget the signals from number `count` on: the expression that used them was refused.
void sari_model_forget_signals(sar_model* model, int count);

/// Index of the signal `name` in model->signals, adding it if needed; negative and `error` filled
/// when there is none such. `limit` says what the bits of `use` allow.
int sari_model_signal(sar_model* model, const char* name, unsigned use, const char* limit,
                      sar_error* error);

#endif
