/* MJCF while it is read: settings of the compiler, defaults, names. */
#ifndef SARI_IMPORT_MJCF_H
#define SARI_IMPORT_MJCF_H

#include "import/importer.h"

typedef struct sari_mjcf_site {
    const char* name;
    sari_place place;
    sari_robot_link* link;
    sari_pose at;
    struct sari_mjcf_site* next;
} sari_mjcf_site;

/// Where elements stand: in which link, at which pose in it, with which default class and which ending of names.
typedef struct sari_mjcf_spot {
    sari_robot_link* link;
    sari_pose at;
    const char* childclass; ///< NULL: none
    const char* ending;     ///< of copies; ""
    int depth;
} sari_mjcf_spot;

typedef struct sari_mjcf {
    sari_importer* im;
    const sari_xml* root;
    // <compiler>
    bool radians, autolimits, balance, strip;
    int inertia_from_geom; ///< 0: no, 1: yes, 2: where there is no <inertial>
    const char *eulerseq, *meshdir;
    double bound_mass, bound_inertia, total_mass; ///< total 0 or less: as it is
    double groups[2];
    sari_mjcf_site *sites, *last_site;
    int bodies; ///< so far, for names
} sari_mjcf;

/// An attribute of the element, of its class, or of the classes around that; NULL: none.
const char* sari_mjcf_get(const sari_mjcf* m, const sari_xml* node, const char* childclass,
                          const char* attribute);
/// Numbers of it: how many, 0: it is not there, -1: an error.
int sari_mjcf_numbers(sari_mjcf* m, const sari_xml* node, const char* childclass,
                      const char* attribute, int least, int most, double* out);
double sari_mjcf_number(sari_mjcf* m, const sari_xml* node, const char* childclass,
                        const char* attribute, double fallback);
/// "true", "false" or "auto", which means that there is a range.
bool sari_mjcf_limited(sari_mjcf* m, const sari_xml* node, const char* childclass,
                       const char* attribute, bool has_range);
/// pos, and quat, axisangle, euler, xyaxes or zaxis
sari_pose sari_mjcf_pose(sari_mjcf* m, const sari_xml* node, const char* childclass);
double sari_mjcf_angle(const sari_mjcf* m, double value); ///< in radians
/// The name of an element with the ending of its copy; `fallback` if it has none.
const char* sari_mjcf_name(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot,
                           const char* fallback);
/// Count what has no hard meaning.
void sari_mjcf_note_soft(sari_mjcf* m, const sari_xml* node);

void sari_mjcf_read_bodies(sari_mjcf* m); ///< mjcf_bodies.c
void sari_mjcf_read_geom(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot,
                         bool has_mass); ///< mjcf_geoms.c
void sari_mjcf_bound_masses(sari_mjcf* m);
void sari_mjcf_read_equalities(sari_mjcf* m); ///< mjcf_extras.c
void sari_mjcf_read_tendons(sari_mjcf* m);
void sari_mjcf_read_actuators(sari_mjcf* m);

#endif
