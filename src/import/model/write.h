/* The parts of a model file, and what they share. */
#ifndef SARI_IMPORT_WRITE_H
#define SARI_IMPORT_WRITE_H

#include "import/model/words.h"
#include "import/model/write_text.h"

/// Where a frame of a link is in the model: a body, or the ground, and the pose in it.
typedef struct sari_model_place {
    sari_robot_link* body;
    sari_pose at;
} sari_model_place;

sari_model_place sari_model_place_of(sari_robot_link* link, const sari_pose* at);
bool sari_is_origin(const double x[3]);
/// Largest difference of the entries of two rotations.
double sari_rotation_gap(const double A[9], const double B[9]);
bool sari_is_in_model(const sari_robot_joint* j);
/// angle, angle2 or displacement
const char* sari_robot_coordinate_word(const sari_robot_joint* j, int k);

void sari_put_comment(sari_model_text* t, const char* text);
/// between: [BODY.WORD, BODY.WORD]
void sari_put_between(sari_importer* im, sari_model_text* t, const sari_model_place* a,
                      const sari_model_place* b, const char* word);
/// , KEY: [direction u in a, direction w in b]
void sari_put_directions(sari_model_text* t, const char* key, const sari_model_place* a,
                         const double u[3], const sari_model_place* b, const double w[3]);

void sari_write_ground(sari_importer* im, sari_model_text* t); ///< write_bodies.c
void sari_write_bodies(sari_importer* im, sari_model_text* t);
void sari_write_frames(sari_importer* im, sari_model_text* t);
void sari_write_joints(sari_importer* im, sari_model_text* t); ///< write_joints.c
void sari_write_constraints(sari_importer* im, sari_model_text* t);
void sari_write_outputs(sari_importer* im, sari_model_text* t);
void sari_write_forces(sari_importer* im, sari_model_text* t); ///< write_forces.c

#endif
