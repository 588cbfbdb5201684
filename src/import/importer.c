/* Messages, memory and the lists of a robot. */
#include "import/importer.h"

#include "base/hash.h"
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- memory --------------------------------------------------------------------------------- */

void* sari_import_take(sari_importer* im, size_t bytes)
{
    void* memory = sari_scratch_allocate(&im->memory, bytes);
    if (!memory) im->no_memory = true;
    return memory;
}

static const char* print(sari_importer* im, const char* format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    char* text = length < 0 ? NULL : sari_import_take(im, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text ? text : "";
}

const char* sari_import_print(sari_importer* im, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const char* text = print(im, format, args);
    va_end(args);
    return text;
}

/* ---- messages ------------------------------------------------------------------------------- */

void sari_import_error(sari_importer* im, sari_place place, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const char* text = print(im, format, args);
    va_end(args);
    sari_diagnostics_add(im->errors, place, "%s", text);
    im->failures++;
}

void sari_import_hint(sari_importer* im, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const char* text = print(im, format, args);
    va_end(args);
    sari_diagnostics_hint(im->errors, "%s", text);
}

void sari_import_note_at(sari_importer* im, sari_place place, const char* kind, const char* format,
                         ...)
{
    sari_import_note* note = im->notes;
    while (note && strcmp(note->kind, kind) != 0) note = note->next;
    if (note) {
        note->count++;
        return;
    }
    note = sari_import_take(im, sizeof *note);
    if (!note) return;
    va_list args;
    va_start(args, format);
    *note = (sari_import_note){
        .kind = kind, .count = 1, .place = place, .first = print(im, format, args)};
    va_end(args);
    if (im->last_note)
        im->last_note->next = note;
    else
        im->notes = note;
    im->last_note = note;
}

bool sari_import_count(sari_importer* im, sari_place place)
{
    if (im->elements < SARI_IMPORT_ELEMENTS) {
        im->elements++;
        return true;
    }
    sari_import_error(im, place, "the robot has more than %d parts", SARI_IMPORT_ELEMENTS);
    return false;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static unsigned code_of(const char* name)
{
    return sari_hash_code(name, strlen(name)) % SARI_ROBOT_CODES;
}

#define APPEND(list, last, thing)                                                                  \
    do {                                                                                           \
        if (last)                                                                                  \
            (last)->next = (thing);                                                                \
        else                                                                                       \
            (list) = (thing);                                                                      \
        (last) = (thing);                                                                          \
    } while (0)

sari_robot_link* sari_import_add_link(sari_importer* im, const char* name, sari_place place)
{
    sari_robot* robot = &im->robot;
    sari_robot_link* link =
        sari_import_count(im, place) ? sari_import_take(im, sizeof *link) : NULL;
    if (!link) return &im->spare_link;
    link->name = name;
    link->place = place;
    link->pose = link->at = SARI_POSE_IDENTITY;
    APPEND(robot->links, robot->last_link, link);
    const unsigned code = code_of(name);
    link->same_code = robot->links_by_code[code];
    robot->links_by_code[code] = link;
    return link;
}

sari_robot_joint* sari_import_add_joint(sari_importer* im, const char* name, sari_place place)
{
    sari_robot* robot = &im->robot;
    sari_robot_joint* joint =
        sari_import_count(im, place) ? sari_import_take(im, sizeof *joint) : NULL;
    if (!joint) joint = &im->spare_joint;
    *joint = (sari_robot_joint){.name = name,
                                .place = place,
                                .a = &robot->ground,
                                .b = &robot->ground,
                                .on_a = SARI_POSE_IDENTITY,
                                .on_b = SARI_POSE_IDENTITY,
                                .axis = {1, 0, 0},
                                .axis2 = {0, 1, 0}};
    if (joint == &im->spare_joint) return joint;
    APPEND(robot->joints, robot->last_joint, joint);
    const unsigned code = code_of(name);
    joint->same_code = robot->joints_by_code[code];
    robot->joints_by_code[code] = joint;
    return joint;
}

void sari_import_add_frame(sari_importer* im, const char* name, sari_place place,
                           sari_robot_link* of, const sari_pose* at)
{
    if (!name[0] || sari_import_find_link(im, name)) return;
    sari_robot_link* frame = sari_import_add_link(im, name, place);
    sari_robot_joint* joint =
        sari_import_add_joint(im, sari_import_print(im, "%s_frame", name), place);
    joint->a = of, joint->b = frame;
    joint->on_a = *at;
}

sari_robot_term* sari_import_add_term(sari_importer* im, sari_robot_term** list,
                                      sari_robot_joint* joint, double factor)
{
    sari_robot_term* term = sari_import_take(im, sizeof *term);
    if (!term) return &im->spare_term;
    *term = (sari_robot_term){.joint = joint, .factor = factor};
    while (*list) list = &(*list)->next;
    *list = term;
    return term;
}

sari_robot_coupling* sari_import_add_coupling(sari_importer* im, const char* name, sari_place place)
{
    sari_robot* robot = &im->robot;
    sari_robot_coupling* c = sari_import_count(im, place) ? sari_import_take(im, sizeof *c) : NULL;
    if (!c) return &im->spare_coupling;
    *c = (sari_robot_coupling){.name = name, .place = place};
    APPEND(robot->couplings, robot->last_coupling, c);
    return c;
}

sari_robot_actuator* sari_import_add_actuator(sari_importer* im, const char* name, sari_place place)
{
    sari_robot* robot = &im->robot;
    sari_robot_actuator* a = sari_import_count(im, place) ? sari_import_take(im, sizeof *a) : NULL;
    if (!a) return &im->spare_actuator;
    *a = (sari_robot_actuator){.name = name, .place = place, .gain = 1.0};
    APPEND(robot->actuators, robot->last_actuator, a);
    return a;
}

sari_robot_spring* sari_import_add_spring(sari_importer* im, const char* name, sari_place place)
{
    sari_robot* robot = &im->robot;
    sari_robot_spring* s = sari_import_count(im, place) ? sari_import_take(im, sizeof *s) : NULL;
    if (!s) return &im->spare_spring;
    *s = (sari_robot_spring){.name = name,
                             .place = place,
                             .link = {&robot->ground, &robot->ground},
                             .at = {SARI_POSE_IDENTITY, SARI_POSE_IDENTITY}};
    APPEND(robot->springs, robot->last_spring, s);
    return s;
}

sari_robot_shape* sari_import_add_shape(sari_importer* im, sari_robot_link* link,
                                        sari_robot_shape_kind kind)
{
    sari_robot_shape* shape =
        sari_import_count(im, link->place) ? sari_import_take(im, sizeof *shape) : NULL;
    if (!shape) shape = &im->spare_shape;
    *shape = (sari_robot_shape){
        .kind = kind, .at = SARI_POSE_IDENTITY, .file = "", .colour = {0, 0, 0, -1}};
    if (shape != &im->spare_shape && link != &im->spare_link)
        APPEND(link->shapes, link->last_shape, shape);
    return shape;
}

/* ---- names ---------------------------------------------------------------------------------- */

sari_robot_link* sari_import_find_link(sari_importer* im, const char* name)
{
    for (sari_robot_link* k = im->robot.links_by_code[code_of(name)]; k; k = k->same_code)
        if (strcmp(k->name, name) == 0) return k;
    return NULL;
}

sari_robot_joint* sari_import_find_joint(sari_importer* im, const char* name)
{
    for (sari_robot_joint* k = im->robot.joints_by_code[code_of(name)]; k; k = k->same_code)
        if (strcmp(k->name, name) == 0) return k;
    return NULL;
}

enum { NAMES = 2000 }; ///< among which a similar one is looked for

static void suggest(sari_importer* im, const char* name, bool links)
{
    const char** names = sari_import_take(im, NAMES * sizeof *names);
    int count = 0;
    if (!names) return;
    for (const sari_robot_link* k = im->robot.links; links && k && count < NAMES; k = k->next)
        names[count++] = k->name;
    for (const sari_robot_joint* k = im->robot.joints; !links && k && count < NAMES; k = k->next)
        names[count++] = k->name;
    const char* nearest = sari_nearest_word(name, names, count);
    if (nearest) sari_import_hint(im, "did you mean '%.60s'?", nearest);
}

sari_robot_link* sari_import_need_link(sari_importer* im, const char* name, sari_place place,
                                       const char* who)
{
    sari_robot_link* link = sari_import_find_link(im, name);
    if (link) return link;
    if (strcmp(name, "world") == 0) return &im->robot.ground;
    sari_import_error(im, place, "%s: there is no link '%.60s'", who, name);
    suggest(im, name, true);
    return NULL;
}

sari_robot_joint* sari_import_need_joint(sari_importer* im, const char* name, sari_place place,
                                         const char* who)
{
    sari_robot_joint* joint = sari_import_find_joint(im, name);
    if (joint) return joint;
    sari_import_error(im, place, "%s: there is no joint '%.60s'", who, name);
    suggest(im, name, false);
    return NULL;
}
