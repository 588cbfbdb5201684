/* A mechanism on its way to a robot file: links that hang on each other by one motion each, as both formats have them, and
 * what acts along these motions. */
#ifndef SARI_EXPORT_ROBOT_FILE_H
#define SARI_EXPORT_ROBOT_FILE_H

#include "elements/force.h"
#include "import/model/write_text.h"
#include "sarrus/export.h"
#include "simulation/simulation.h"

/// How a link moves on the one above it.
typedef enum sari_export_kind {
    SARI_EXPORT_WELD,
    SARI_EXPORT_HINGE,
    SARI_EXPORT_SLIDE,
    SARI_EXPORT_BALL,
    SARI_EXPORT_FREE
} sari_export_kind;

/// What acts along a hinge or slide; its coordinate is zero where the mechanism stands.
typedef struct sari_export_travel {
    double lower, upper; ///< -INFINITY, INFINITY: no limits
    double effort;       ///< of its motors; 0: not known
    double stiffness, rest, damping, friction;
    double armature;
    int leader; ///< the link whose coordinate it follows, `ratio` times; 0: none
    double ratio;
} sari_export_travel;

enum { SARI_EXPORT_NAME = 160 };

/// A body, or a link without mass between two motions of one joint. Its frame is where its motion is, with the axes of the
/// body. Link 0 is the ground.
typedef struct sari_export_link {
    char name[SARI_EXPORT_NAME], joint_name[SARI_EXPORT_NAME];
    int body;      ///< -1: between two motions
    int above;     ///< link
    int joint;     ///< of the model; -1: the body hangs on nothing
    int last;      ///< motion of that joint: it leads to the body
    bool observed; ///< the motion is a coordinate of the joint:
    sar_coordinate coordinate;
    sari_export_kind kind;
    sari_pose at;    ///< in the world
    double shift[3]; ///< of a body: from its origin to that of the frame, body axes
    double axis[3];  ///< in this frame
    bool folded;     ///< it is the armature of another one, and not written
    sari_export_travel travel;
} sari_export_link;

/// A place with a name: a frame of the model, or one end of a spring.
typedef struct sari_export_site {
    char name[SARI_EXPORT_NAME];
    int link;
    sari_pose at; ///< in the link
} sari_export_site;

/// A sum of coordinates that stays what it is.
typedef struct sari_export_sum {
    int joint, terms;
    int link[8];
    double coefficient[8];
} sari_export_sum;

/// What connects two points: a spring; without stiffness and damping a rod of constant length.
typedef struct sari_export_line {
    const char* name;
    int link[2];
    double point[2][3]; ///< in the links
    double length, stiffness, damping;
    bool rod;
} sari_export_line;

/// force = gain u + bias . (1, x, v), limits of u and of the force
typedef struct sari_export_motor {
    const char* name;
    int input, link;
    double gain, bias[3], control[2], force[2];
} sari_export_motor;

typedef struct sari_robot_file {
    const sar_model* model;
    sar_simulation* simulation;
    sar_robot_format format;
    sari_arena memory;
    sari_export_link* link;
    int links;
    int* link_of_body;
    char* in_tree; ///< per joint of the model: 1, or 2: left out
    sari_export_site* site;
    sari_export_sum* sum;
    sari_export_line* line;
    sari_export_motor* motor;
    int sites, sums, lines, motors;
    double turn[9]; ///< of the world, so that weight points along -z; URDF alone
    double size;    ///< of the mechanism
    char title[128];
    sari_model_text text, left_out;
} sari_robot_file;

/* tree.c */
sar_status sari_export_tree(sari_robot_file* f);
/// What a joint that closes a loop is, and where: a place and an axis in the world. SARI_EXPORT_FREE: no format has it.
sari_export_kind sari_export_loop(const sari_robot_file* f, int joint, sari_pose* at,
                                  double axis[3]);
/// A place of a body in its link.
sari_pose sari_export_place(const sari_robot_file* f, int body, const sari_pose* in);
/// The link on whose motion a coordinate of a joint is; 0: there is none.
int sari_export_find_motion(const sari_robot_file* f, int joint, sar_coordinate coordinate);

/* travel.c */
sar_status sari_export_travels(sari_robot_file* f);

/* motor.c */
/// The law of an expression of x and v of the coordinate that begins at `zero`. False: it is another one.
bool sari_export_motor_law(const sar_model* model, const sari_expression* e, double zero,
                           sari_export_motor* out);

/* of the formats */
void sari_export_urdf(sari_robot_file* f);
void sari_export_mjcf(sari_robot_file* f);

/* robot_file.c */
/// "1 2 3", with all digits.
void sari_export_numbers(sari_model_text* t, const double* x, int count);
/// ` NAME="1 2 3"`
void sari_export_attribute(sari_model_text* t, const char* name, const double* x, int count);
/// Of a link in another one, without what rounding leaves.
sari_pose sari_export_pose(const sari_robot_file* f, int above, int link);
/// Centre in the frame, and moments about it in its axes.
void sari_export_inertia(const sari_robot_file* f, int link, double center[3], double inertia[6]);
/// The name of the model, without what XML would take for something else.
const char* sari_export_title(sari_robot_file* f);

/// A shape in its link: middle and axes (z along a cylinder), edges or radius and length.
typedef struct sari_export_solid {
    sari_pose at;
    double size[3];
} sari_export_solid;
/// False: a polygon or a mesh, which is no such solid.
bool sari_export_shape(const sari_robot_file* f, int link, const sar_shape_def* shape,
                       sari_export_solid* out);

#endif
