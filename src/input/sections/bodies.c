/* The ground and the bodies, with their points, axes and drawn poses. */
#include "base/memory.h"
#include "input/reader.h"
#include "math/functions.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "sarrus/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- points and axes ------------------------------------------------------------------------ */

typedef sar_status (*add_vector)(sar_model*, sar_body_id, const char*, const double[3], sar_error*);

/* As the model has it: what an assembly adds to the ground has its prefix. */
static const char* place_part(sari_reader* r, sar_body_id body, const char* name, bool point,
                              double v[3])
{
    const sari_placement* p = &r->scope->placement;
    if (body.i != SAR_GROUND.i) {
        sari_sign_vector(p, v);
        return name;
    }
    if (point)
        sari_put_point(p, v);
    else
        sari_put_vector(p, v);
    return sari_full_name(r, name);
}

static void read_vectors(sari_reader* r, const sari_element* e, const char* key, sar_body_id body,
                         add_vector add)
{
    const sari_node* map = sari_node_get(e->map, key);
    if (!map || !sari_expect_map(r, map, key)) return;
    for (int k = 0; k < map->count; k++) {
        double v[3];
        int before = r->failures;
        sar_error error;
        const char* name = sari_read_name(r, map->keys[k], strcmp(key, "axes") ? "point" : "axis");
        sari_read_vector_in(r, map->values[k], map->keys[k]->text,
                            add == sar_model_add_point ? "[m]" : NULL, v);
        if (r->failures != before) continue;
        name = place_part(r, body, name, add == sar_model_add_point, v);
        if (!name) return;
        if (add(r->model, body, name, v, &error) == SAR_OK) continue;
        const sari_element vector = {"point", name, map->keys[k], map->values[k]};
        sari_reject(r, &vector, &error);
    }
}

static void read_parts(sari_reader* r, const sari_element* e, sar_body_id body)
{
    int before = r->failures;
    read_vectors(r, e, "points", body, sar_model_add_point);
    read_vectors(r, e, "axes", body, sar_model_add_axis);
    if (r->failures != before) r->bodies[body.i].flawed = true;
    sari_read_shapes(r, e, body);
}

void sari_read_ground(sari_reader* r, const sari_node* value)
{
    static const sari_key keys[] = {{"points", 0}, {"axes", 0}, {"shape", 0}};
    const sari_element e = {"the ground", NULL, value, value};
    if (!sari_expect_map(r, value, "ground")) {
        r->bodies[0].flawed = true;
        return;
    }
    SARI_CHECK_KEYS(r, &e, keys);
    read_parts(r, &e, SAR_GROUND);
}

/* ---- orientation ---------------------------------------------------------------------------- */

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool normalise(sari_reader* r, const sari_node* node, const char* what, double* v, int n)
{
    double most = 0.0, sum = 0.0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
    if (most == 0.0) {
        sari_report(r, node, "%s is zero: it has no direction", what);
        return false;
    }
    for (int k = 0; k < n; k++) sum += (v[k] / most) * (v[k] / most);
    for (int k = 0; k < n; k++) v[k] = v[k] / most / sqrt(sum);
    return true;
}

static const double UNTURNED[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Rotation of a unit quaternion (w, x, y, z), body to world, row-major. */
static void rotation_of_quaternion(const double p[4], double R[9])
{
    double w = p[0], x = p[1], y = p[2], z = p[3];
    // clang-format off
    const double Q[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    // clang-format on
    memcpy(R, Q, sizeof Q);
}

/* One of the rotations that make R, one after the other about axes that rotate along: their vectors, in
 * world axes, add up to the winding. */
static void rotate_on(double R[9], const double axis[3], double angle, double winding[3])
{
    const double s = sari_sin(angle / 2);
    double u[3], turn[9];
    sari_rotate(R, axis, u);
    for (int k = 0; k < 3; k++) winding[k] += angle * u[k];
    rotation_of_quaternion((double[4]){sari_cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]},
                           turn);
    sari_multiply3(R, turn, R);
}

/* Of a rotation that is not written as angles: below half a revolution. */
static void shortest_winding(const double R[9], double winding[3])
{
    double p[4];
    sari_quaternion_of_rotation(R, p);
    const double sign = p[0] < 0.0 ? -1.0 : 1.0, sine = length3(p + 1);
    const double angle = sine > 0.0 ? 2.0 * sari_atan2(sine, sign * p[0]) / sine : 2.0;
    for (int k = 0; k < 3; k++) winding[k] = sign * angle * p[1 + k];
}

static void read_axis_angle(sari_reader* r, const sari_element* e, double R[9], double winding[3])
{
    static const sari_key keys[] = {{"axis", SARI_KEY_REQUIRED}, {"angle", SARI_KEY_REQUIRED}};
    SARI_CHECK_KEYS(r, e, keys);
    const sari_node* axis = sari_node_get(e->map, "axis");
    double u[3] = {0, 0, 1}, angle = sari_number_in(r, e, "angle", 0.0, "[rad]");
    int before = r->failures;
    if (axis) sari_read_numbers(r, axis, "axis", 3, u);
    if (r->failures != before || (axis && !normalise(r, axis, "axis", u, 3))) return;
    memcpy(R, UNTURNED, sizeof UNTURNED);
    rotate_on(R, u, angle, winding);
}

static void read_quaternion(sari_reader* r, const sari_element* e, double R[9])
{
    static const sari_key keys[] = {{"quaternion", SARI_KEY_REQUIRED}};
    SARI_CHECK_KEYS(r, e, keys);
    const sari_node* node = sari_node_get(e->map, "quaternion");
    double p[4];
    int before = r->failures;
    sari_read_numbers(r, node, "quaternion", 4, p);
    if (r->failures == before && normalise(r, node, "quaternion", p, 4))
        rotation_of_quaternion(p, R);
}

static void read_roll_pitch_yaw(sari_reader* r, const sari_element* e, double R[9],
                                double winding[3])
{
    static const sari_key keys[] = {{"rpy", SARI_KEY_REQUIRED}};
    SARI_CHECK_KEYS(r, e, keys);
    double a[3];
    sari_read_numbers_in(r, sari_node_get(e->map, "rpy"), "rpy", 3, "[rad]", a);
    sari_rotation_rpy(a, R);
    const double x[3] = {R[0], R[3], R[6]}; // axes of roll and pitch
    const double y[2] = {-sari_sin(a[2]), sari_cos(a[2])};
    for (int k = 0; k < 3; k++) winding[k] = a[0] * x[k] + (k < 2 ? a[1] * y[k] : a[2]);
}

/* Directions of the body's x and y axes in world; y is made perpendicular to x. */
static void read_directions(sari_reader* r, const sari_element* e, double R[9])
{
    static const sari_key keys[] = {{"x", SARI_KEY_REQUIRED}, {"y", SARI_KEY_REQUIRED}};
    SARI_CHECK_KEYS(r, e, keys);
    const sari_node *nx = sari_node_get(e->map, "x"), *ny = sari_node_get(e->map, "y");
    double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    int before = r->failures;
    if (nx) sari_read_numbers(r, nx, "x", 3, x);
    if (ny) sari_read_numbers(r, ny, "y", 3, y);
    if (r->failures != before || !nx || !ny) return;
    if (!normalise(r, nx, "x", x, 3) || !normalise(r, ny, "y", y, 3)) return;
    double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int k = 0; k < 3; k++) y[k] -= along * x[k];
    if (length3(y) < 1e-6) {
        sari_report(r, ny, "y is parallel to x; give another direction");
        return;
    }
    normalise(r, ny, "y", y, 3);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        R[3 * k] = x[k];
        R[3 * k + 1] = y[k];
        R[3 * k + 2] = x[i] * y[j] - x[j] * y[i];
    }
}

void sari_rotation_in_plane(double angle, double R[9])
{
    R[0] = R[4] = sari_cos(angle);
    R[3] = sari_sin(angle);
    R[1] = -sari_sin(angle);
}

/* Three turns one after the other about axes that turn along, as the signals zyx1 ... tell them. */
static void read_sequence(sari_reader* r, const sari_element* e, double R[9], double winding[3])
{
    static const sari_key keys[] = {{"sequence", SARI_KEY_REQUIRED}, {"angles", SARI_KEY_REQUIRED}};
    const int before = r->failures;
    double a[3] = {0};
    SARI_CHECK_KEYS(r, e, keys);
    const int k = sari_read_word(r, e, "sequence", sari_turn_sequences, SARI_TURN_SEQUENCES,
                                 SARI_TURN_SEQUENCES);
    const sari_node* angles = sari_node_get(e->map, "angles");
    if (angles) sari_read_numbers_in(r, angles, "angles", 3, "[rad]", a);
    if (r->failures != before || k < 0 || k == SARI_TURN_SEQUENCES) return;
    memcpy(R, UNTURNED, sizeof UNTURNED);
    for (int n = 0; n < 3; n++) {
        double axis[3] = {0};
        axis[sari_turn_sequences[k][n] - 'x'] = 1.0;
        rotate_on(R, axis, a[n], winding);
    }
}

void sari_read_rotation(sari_reader* r, const sari_node* node, double R[9], double* winding)
{
    double unused[3];
    if (!winding) winding = unused;
    winding[0] = winding[1] = winding[2] = 0.0;
    static const char forms[] = "write {axis: [x, y, z], angle: a}, {quaternion: [w, x, y, z]}, "
                                "{rpy: [roll, pitch, yaw]}, {sequence: zxz, angles: [..]} or {x: "
                                "[..], y: [..]}";
    const sari_element e = {"a rotation", NULL, node, node};
    if (!sari_expect_map(r, node, "rotation")) {
        sari_hint(r, "%s", forms);
        return;
    }
    if (sari_node_get(node, "quaternion")) {
        read_quaternion(r, &e, R);
        shortest_winding(R, winding);
    } else if (sari_node_get(node, "sequence") || sari_node_get(node, "angles")) {
        read_sequence(r, &e, R, winding);
    } else if (sari_node_get(node, "rpy")) {
        read_roll_pitch_yaw(r, &e, R, winding);
    } else if (sari_node_get(node, "x") || sari_node_get(node, "y")) {
        read_directions(r, &e, R);
        shortest_winding(R, winding);
    } else if (sari_node_get(node, "axis") || sari_node_get(node, "angle")) {
        read_axis_angle(r, &e, R, winding);
    } else {
        sari_report(r, node, "this rotation has none of the known forms");
        sari_hint(r, "%s", forms);
    }
}

/* ---- bodies --------------------------------------------------------------------------------- */

void sari_read_place(sari_reader* r, const sari_element* e, double position[3], double R[9],
                     double* winding)
{
    const sari_node* node = sari_node_get(e->map, "position");
    const sari_node* rotation = sari_node_get(e->map, r->dimension == 2 ? "angle" : "rotation");
    if (node) sari_read_vector_in(r, node, "position", "[m]", position);
    if (rotation && r->dimension == 2) {
        const double angle = sari_read_number_in(r, rotation, "angle", "[rad]");
        sari_rotation_in_plane(angle, R);
        if (winding) winding[2] = angle;
    } else if (rotation) {
        sari_read_rotation(r, rotation, R, winding);
    }
}

static void read_pose(sari_reader* r, const sari_element* e, sar_body_def* def)
{
    const sari_node* velocity = sari_node_get(e->map, "velocity");
    const sari_node* spin = sari_node_get(e->map, "angular_velocity");
    sari_read_place(r, e, def->position, def->rotation, def->winding);
    def->has_position = sari_node_get(e->map, "position") != NULL;
    def->has_rotation = sari_node_get(e->map, r->dimension == 2 ? "angle" : "rotation") != NULL;
    if (velocity) sari_read_vector_in(r, velocity, "velocity", "[m/s]", def->velocity);
    if (spin && r->dimension == 2)
        def->angular_velocity[2] = sari_read_number_in(r, spin, "angular_velocity", "[rad/s]");
    else if (spin)
        sari_read_vector_in(r, spin, "angular_velocity", "[rad/s]", def->angular_velocity);
}

static void remember_body(sari_reader* r, const sar_body_def* def, sar_body_id id)
{
    void* bodies = r->bodies;
    while (r->bodies_count <= id.i) {
        bool grown = sari_grow(&bodies, r->bodies_count, &r->bodies_capacity, sizeof r->bodies[0]);
        r->bodies = bodies;
        if (!grown) {
            sari_fail_memory(r);
            return;
        }
        r->bodies[r->bodies_count++] = (sari_body_record){0};
    }
    sari_body_record* record = &r->bodies[id.i];
    memcpy(record->R_WB, def->rotation, sizeof record->R_WB);
    memcpy(record->position, def->position, sizeof record->position);
    memcpy(record->winding, def->winding, sizeof record->winding);
    record->has_rotation = def->has_rotation;
    record->has_position = def->has_position;
}

void sari_remember_ground(sari_reader* r)
{
    sar_body_def ground = sar_body_def_default();
    ground.has_position = ground.has_rotation = 1;
    remember_body(r, &ground, SAR_GROUND);
}

#define BODY_KEYS                                                                                  \
    {"points", 0}, {"axes", 0}, {"drawn_on", 0}, {"position", 0}, {"angle", SARI_KEY_PLANAR},      \
        {"rotation", SARI_KEY_SPATIAL}, {"velocity", 0}, {"angular_velocity", 0}, {"shape", 0},    \
    {                                                                                              \
        "when", 0                                                                                  \
    }

static void check_keys(sari_reader* r, const sari_element* e)
{
    static const sari_key by_mass[] = {{"mass", SARI_KEY_REQUIRED},
                                       {"center", 0},
                                       {"inertia", 0},
                                       {"inertia_about", 0},
                                       {"inertia_axes", SARI_KEY_SPATIAL},
                                       {"as_measured", 0},
                                       {"particle", 0},
                                       BODY_KEYS};
    static const sari_key by_density[] = {{"density", SARI_KEY_REQUIRED}, BODY_KEYS};
    static const char* const follow[] = {"mass",         "center",      "inertia", "inertia_about",
                                         "inertia_axes", "as_measured", "particle"};
    if (!sari_node_get(e->map, "density")) {
        SARI_CHECK_KEYS(r, e, by_mass);
        return;
    }
    for (size_t k = 0; k < sizeof follow / sizeof follow[0]; k++)
        if (sari_node_get(e->map, follow[k])) {
            sari_report(r, sari_node_key(e->map, follow[k]),
                        "a body with a density has its mass, center and inertia from its shapes");
            sari_hint(r, "remove '%s', or the density", follow[k]);
            return;
        }
    SARI_CHECK_KEYS(r, e, by_density);
}

/* A mass without extent. What only a body with an extent can have is refused by name. */
static void read_particle(sari_reader* r, const sari_element* e, sar_body_def* def)
{
    static const char* const extended[] = {"inertia",  "as_measured",     "center",   "points",
                                           "axes",     "angle",           "rotation", "density",
                                           "drawn_on", "angular_velocity"};
    def->particle = sari_answer(r, e, "particle");
    for (size_t k = 0; def->particle && k < sizeof extended / sizeof extended[0]; k++)
        if (sari_node_get(e->map, extended[k])) {
            sari_report(r, sari_node_key(e->map, extended[k]),
                        "a particle has no extent and does not rotate, so it has no '%s'",
                        extended[k]);
            return;
        }
}

static void read_mass(sari_reader* r, const sari_element* e, sar_body_def* def)
{
    const sari_node* center = sari_node_get(e->map, "center");
    def->mass = sari_number_in(r, e, "mass", 0.0, "[kg]");
    if (center) sari_read_vector_in(r, center, "center", "[m]", def->center);
    sari_read_inertia(r, e, def);
}

/* Drawn in the frame of a body above: position and rotation are those in it, as the file sees both,
 *
 *     p' = p_o + R_o S p,   R' = R_o S R S                   with p_o and R_o as placed, placement.c
 *     w' = w_o + det(S) R_o S w                              for the windings
 */
static void place_on(sari_reader* r, const sari_element* e, sar_body_def* def)
{
    const sari_node* node = sari_node_get(e->map, "drawn_on");
    const sari_placement* placement = &r->scope->placement;
    double p[3], R[9], S[9] = {placement->S[0], 0, 0, 0, placement->S[1], 0, 0, 0, placement->S[2]};
    sar_body_id other;
    double w[3];
    memcpy(p, def->position, sizeof p), memcpy(R, def->rotation, sizeof R);
    memcpy(w, def->winding, sizeof w);
    sari_place_body(placement, def);
    const sari_frame* frame = node ? sari_frame_drawn_on(r, node) : NULL;
    if (frame) other.i = frame->body;
    if (!node || (!frame && !sari_read_body(r, node, "drawn_on", &other))) return;
    const sari_body_record* on = &r->bodies[other.i];
    if (!sari_is_drawn(r, other)) {
        sari_report(r, node, "'%s' is not drawn itself: it has no 'position'",
                    sar_model_body_name(r->model, other.i));
        return;
    }
    sari_sign_vector(placement, p);
    if (frame) {
        sari_rotate(frame->R, p, p);
        for (int k = 0; k < 3; k++) p[k] += frame->point[k];
    }
    sari_rotate(on->R_WB, p, def->position);
    for (int k = 0; k < 3; k++) def->position[k] += on->position[k];
    sari_multiply3(S, R, R);
    sari_multiply3(R, S, R);
    if (frame) sari_multiply3(frame->R, R, R);
    sari_multiply3(on->R_WB, R, def->rotation);
    sari_sign_vector(placement, w);
    if (frame) sari_rotate(frame->R, w, w);
    sari_rotate(on->R_WB, w, w);
    for (int k = 0; k < 3; k++)
        def->winding[k] = on->winding[k] + (placement->mirrored ? -w[k] : w[k]);
    def->has_position = def->has_rotation = 1;
}

/* Moments that no rigid body has are accepted as measured, with a note. */
static sar_status add_body(sari_reader* r, const sari_element* e, sar_body_def* def,
                           sar_body_id* id, sar_error* error)
{
    const bool measured = sari_answer(r, e, "as_measured");
    sar_status status = sar_model_add_body(r->model, def, id, error);
    if (status == SAR_OK || !measured) return status;
    def->as_measured = 1;
    const sar_error why = *error;
    status = sar_model_add_body(r->model, def, id, error);
    if (status == SAR_OK)
        sari_note(r, sari_node_key(e->map, "inertia"), "kept as measured: %s", why.message);
    return status;
}

static void read_density(sari_reader* r, const sari_element* e, sar_body_id id)
{
    const sari_node* node = sari_node_get(e->map, "density");
    const int before = r->failures;
    sar_error error;
    if (!node || r->bodies[id.i].flawed) return;
    const double density =
        sari_read_number_in(r, node, "density", r->dimension == 2 ? "[kg/m^2]" : "[kg/m^3]");
    if (r->failures == before && sar_model_set_density(r->model, id, density, &error) != SAR_OK)
        sari_reject(r, e, &error);
}

void sari_read_body_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    sari_element e;
    if (!sari_element_open(r, "body", key, value, &e)) return;
    int before = r->failures;
    check_keys(r, &e);
    sar_body_def def = sar_body_def_default();
    def.name = e.name;
    read_mass(r, &e, &def);
    read_particle(r, &e, &def);
    read_pose(r, &e, &def);
    place_on(r, &e, &def);

    sar_body_id id;
    sar_error error;
    bool good = r->failures == before;
    if (good && add_body(r, &e, &def, &id, &error) != SAR_OK) {
        sari_reject(r, &e, &error);
        good = false;
    }
    if (!good) {
        sari_remember(r, &r->failed, e.name);
        return;
    }
    remember_body(r, &def, id);
    if (r->out_of_memory) return;
    read_parts(r, &e, id);
    if (r->failures == before) read_density(r, &e, id);
}
