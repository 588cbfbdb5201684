/* A mechanism on its way to a robot file: a tree of bodies, and joints that close loops. */
#ifndef SARI_EXPORT_ROBOT_FILE_H
#define SARI_EXPORT_ROBOT_FILE_H

#include "import/model/write_text.h"
#include "sarrus/export.h"
#include "simulation/simulation.h"

/// What a joint is there, in both formats.
typedef enum sari_export_kind {
    SARI_EXPORT_HINGE,
    SARI_EXPORT_SLIDE,
    SARI_EXPORT_BALL,
    SARI_EXPORT_WELD,
    SARI_EXPORT_FREE, ///< a body that no joint holds
    SARI_EXPORT_NOTHING
} sari_export_kind;

/// A body: its frame is at the joint above it, with the axes of the body. The ground is body 0, the world.
typedef struct sari_export_body {
    double p[3], R[9];     ///< its frame in the world
    double shift[3];       ///< from the origin of the body to that of the frame, body axes
    int above;             ///< the body above it, and the joint between them;
    int joint;             ///< -1: none
    sari_export_kind kind; ///< of that joint
    double axis[3];        ///< likewise, in this frame
} sari_export_body;

typedef struct sari_robot_file {
    const sar_model* model;
    sar_robot_format format;
    sari_export_body* body;
    char* in_tree;  ///< per joint
    double turn[9]; ///< of the world, so that weight points along -z; URDF alone
    double size;    ///< of the mechanism
    char title[128];
    sari_model_text text, left_out;
} sari_robot_file;

/// What it is, and where it stands: a point and an axis in the world.
sari_export_kind sari_export_joint(const sari_robot_file* f, int joint, double point[3],
                                   double axis[3]);
/// A place of the world in the frame of a body.
void sari_export_inside(const sari_export_body* b, const double point[3], double out[3]);

/// The name of the model, without what XML would take for something else.
const char* sari_export_title(sari_robot_file* f);

/* of the formats */
void sari_export_urdf(sari_robot_file* f);
void sari_export_mjcf(sari_robot_file* f);
/// "1 2 3", with all digits.
void sari_export_numbers(sari_model_text* t, const double* x, int count);
/// Rotation from the frame of the body above to that of b, and the way there.
void sari_export_pose(const sari_robot_file* f, int body, double way[3], double R[9]);
/// Centre in the frame, and moments about it in its axes.
void sari_export_inertia(const sari_robot_file* f, int body, double center[3], double inertia[6]);

#endif
