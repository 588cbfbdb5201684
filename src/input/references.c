/* Words of the file that mean something defined elsewhere in it: BODY, BODY.POINT, BODY.AXIS,
 * JOINT. */
#include "base/status.h"
#include "elements/element.h"
#include "input/reader.h"
#include "model/parts.h"

#include <stdio.h>
#include <string.h>

const char* const sari_coordinate_words[SARI_COORDINATES] = {"angle", "displacement", "distance",
                                                             "angle2", "displacement2"};

/* ---- unknown words -------------------------------------------------------------------------- */

/* The names that `name_at` gives for 0 ... count - 1, as an array for suggestions. */
static const char** candidates(sari_reader* r, const char* (*name_at)(const sar_model*, int),
                               int count)
{
    const char** words = sari_take(r, (size_t)count + 1, sizeof *words);
    for (int k = 0; words && k < count; k++) words[k] = name_at(r->model, k);
    return words;
}

/* False when the name is unknown because of an error that was reported already. */
static bool worth_reporting(sari_reader* r, const sari_node* node, const char* kind,
                            const char* name)
{
    if (r->incomplete || sari_remembers(&r->failed, name, strlen(name))) {
        sari_fail_silently(r);
        return false;
    }
    if (sari_remembers(&r->left_out, name, strlen(name))) {
        sari_report(r, node, "the %s '%s' is left out by its 'when'", kind, name);
        sari_hint(r, "give this element the same 'when'");
        return false;
    }
    return true;
}

/* After the report: the nearest of these names. */
static void suggest_name(sari_reader* r, const char* name,
                         const char* (*name_at)(const sar_model*, int), int count)
{
    if (!sari_is_shown(r)) return;
    const char** words = candidates(r, name_at, count);
    if (words) sari_suggest(r, name, words, count);
}

static void report_unknown_body(sari_reader* r, const sari_node* node, const char* name)
{
    if (!worth_reporting(r, node, "body", name)) return;
    sari_report(r, node, "there is no body '%.60s'", name);
    sari_remember(r, &r->failed, name);
    suggest_name(r, name, sar_model_body_name, sar_model_bodies(r->model));
}

/* A point or an axis: those the file names, and after them those that every body has. */
static void report_unknown_part(sari_reader* r, const sari_node* node, int offset, const char* kind,
                                sar_body_id body, const char* name)
{
    const sari_body* b = &r->model->bodies[body.i];
    const bool is_point = strcmp(kind, "point") == 0;
    const sari_named_vector* list = is_point ? b->points : b->axes;
    const int all = is_point ? b->points_count : b->axes_count;
    const int always = is_point ? 2 : 3, usable = is_point ? 2 : r->dimension;
    char message[200];
    snprintf(message, sizeof message, "'%.60s' has no %s '%.60s'", b->name, kind, name);
    if (r->incomplete || sari_diagnostics_has(r->diagnostics, message)) {
        sari_fail_silently(r);
        return;
    }
    sari_report_at(r, node, offset, "%s", message);
    if (!sari_is_shown(r)) return;
    const char** words = sari_take(r, (size_t)all, sizeof *words);
    if (!words) return;
    int count = 0;
    for (int k = always; k < all; k++) words[count++] = list[k].name;
    for (int k = 0; k < usable; k++) words[count++] = list[k].name;
    sari_suggest(r, name, words, count);
}

/* ---- bodies and points ---------------------------------------------------------------------- */

/* Names with dots between them. */
static bool is_path(const char* text)
{
    for (;;) {
        const size_t length = strcspn(text, ".");
        if (!sari_is_name(text, length)) return false;
        if (!text[length]) return true;
        text += length + 1;
    }
}

/* A point or an axis has no dots, but for one that an assembly adds. */
static bool is_part(const sari_reader* r, const char* tail)
{
    const char* dot = strrchr(tail, '.');
    if (!dot) return true;
    const char* kind = sari_model_kind_of(r->model, tail, (size_t)(dot - tail));
    return kind && strcmp(kind, "assembly") == 0;
}

/* "HEAD.TAIL" or "HEAD" (tail NULL), as the model calls them. False: reported. */
static bool split(sari_reader* r, const sari_node* node, const char* what, const char* form,
                  const char** head, const char** tail)
{
    int before = r->failures;
    sari_text t = sari_read_text(r, node, what);
    if (r->failures != before) return false;
    const char* path = is_path(t.text) ? sari_full_path(r, t.text) : t.text;
    if (!path || !sari_split_path(r, path, head, tail)) return false;
    if (is_path(t.text) && (!*tail || is_part(r, *tail))) return true;
    sari_report(r, node, "%s must be %s, here is '%.60s'", what, form, t.text);
    return false;
}

/* Of a text with an assembly before it: where in the file the last piece is. */
static int last_offset(const sari_node* node)
{
    const char* dot = strrchr(node->text, '.');
    return dot && !strchr(node->text, '{') ? (int)(dot - node->text) + 1 : 0;
}

static bool find_body(sari_reader* r, const sari_node* node, const char* name, sar_body_id* out)
{
    if (sar_model_find_body(r->model, name, strlen(name), out) == SAR_OK) return true;
    report_unknown_body(r, node, name);
    return false;
}

static bool is_flawed(const sari_reader* r, sar_body_id body)
{
    return body.i < r->bodies_count && r->bodies[body.i].flawed;
}

bool sari_read_body(sari_reader* r, const sari_node* node, const char* what, sar_body_id* out)
{
    const char *head, *tail;
    if (!split(r, node, what, "the name of a body", &head, &tail)) return false;
    if (tail) {
        sari_report_at(r, node, (int)strlen(head), "%s must be a body alone, without a point",
                       what);
        return false;
    }
    return find_body(r, node, head, out);
}

const char* sari_read_axes(sari_reader* r, const sari_node* node, const char* what)
{
    static const char* const words[] = {"world", "body"};
    const char *head, *tail;
    sar_body_id body;
    if (!split(r, node, what, "world, body, or the name of a body or frame", &head, &tail))
        return NULL;
    if (tail) {
        sari_report_at(r, node, (int)strlen(head), "%s must be a body or a frame alone", what);
        return NULL;
    }
    if (sari_model_frame(r->model, head, strlen(head)) ||
        sar_model_find_body(r->model, head, strlen(head), &body) == SAR_OK)
        return head;
    if (!worth_reporting(r, node, "body", head)) return NULL;
    sari_report(r, node, "there is no body and no frame '%.60s'", head);
    sari_suggest(r, head, words, 2);
    return NULL;
}

/* Than its origin. */
static bool has_other_points(const sari_body* body)
{
    const double* center = body->def.center;
    return body->points_count > 2 || center[0] != 0 || center[1] != 0 || center[2] != 0;
}

bool sari_read_point(sari_reader* r, const sari_node* node, const char* what, sar_end* end)
{
    const char *head, *tail;
    if (!split(r, node, what, "BODY.POINT or BODY", &head, &tail)) return false;
    const sari_frame* frame = sari_model_frame(r->model, head, strlen(head));
    if (frame && (!tail || strcmp(tail, "origin") == 0)) {
        end->body.i = frame->body;
        memcpy(end->point, frame->point, sizeof end->point);
        return true;
    }
    if (frame) {
        sari_report_at(r, node, last_offset(node), "the frame '%s' has no point '%.60s'", head,
                       tail);
        sari_hint(r, "its point is %s.origin", head);
        return false;
    }
    if (!find_body(r, node, head, &end->body)) return false;
    const char* point = tail ? tail : "origin";
    if (!tail && has_other_points(&r->model->bodies[end->body.i]))
        sari_note(r, node, "'%s' alone is taken as its origin, %s.origin", head, head);
    if (sar_model_find_point(r->model, end->body, point, strlen(point), end->point) == SAR_OK)
        return true;
    if (is_flawed(r, end->body))
        sari_fail_silently(r);
    else
        report_unknown_part(r, node, last_offset(node), "point", end->body, point);
    return false;
}

bool sari_is_drawn(sari_reader* r, sar_body_id body)
{
    sari_body_record* record = &r->bodies[body.i];
    sar_body_def* def = &r->model->bodies[body.i].def;
    if (record->has_position && !record->has_rotation) {
        memcpy(def->rotation, record->R_WB, sizeof def->rotation);
        record->has_rotation = true;
        def->has_rotation = 1;
    }
    return record->has_position && record->has_rotation;
}

/* p_B = R_WB' (p_W - position): where a place of the drawing is in a body. False: reported. */
static bool point_as_drawn(sari_reader* r, const sari_node* at, const double p_W[3], sar_end* end)
{
    const sari_body_record* record = &r->bodies[end->body.i];
    const double* R = record->R_WB;
    double d[3];
    if (!sari_is_drawn(r, end->body)) {
        sari_report(r, at, "at is a place of the drawing, but '%s' is drawn without a 'position'",
                    sar_model_body_name(r->model, end->body.i));
        sari_hint(r, "give the body one, or write between: [BODY.POINT, BODY.POINT]");
        return false;
    }
    for (int k = 0; k < 3; k++) d[k] = p_W[k] - record->position[k];
    for (int k = 0; k < 3; k++) end->point[k] = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
    return true;
}

/* Two bodies at a place of the drawing: the points of both that are there. */
static bool read_between_at(sari_reader* r, const sari_node* between, const sari_node* at,
                            sar_end* a, sar_end* b)
{
    double p_W[3] = {0};
    const int before = r->failures;
    sari_read_body(r, between->values[0], "with 'at', between[0]", &a->body);
    sari_read_body(r, between->values[1], "with 'at', between[1]", &b->body);
    sari_read_vector_in(r, at, "at", "[m]", p_W);
    if (r->failures != before) return false;
    sari_put_point(&r->scope->placement, p_W);
    return point_as_drawn(r, at, p_W, a) && point_as_drawn(r, at, p_W, b);
}

static bool read_two_points(sari_reader* r, const sari_node* between, sar_end* a, sar_end* b)
{
    const bool first = sari_read_point(r, between->values[0], "between[0]", a);
    const bool second = sari_read_point(r, between->values[1], "between[1]", b);
    return first && second;
}

bool sari_read_between(sari_reader* r, const sari_element* e, sar_end* a, sar_end* b)
{
    const sari_node *node = sari_node_get(e->map, "between"), *at = sari_node_get(e->map, "at");
    if (!node) return false;
    if (!sari_expect_list(r, node, "between", 2)) {
        sari_hint(r, at ? "write it as [BODY, BODY]" : "write it as [BODY.POINT, BODY.POINT]");
        return false;
    }
    if (!(at ? read_between_at(r, node, at, a, b) : read_two_points(r, node, a, b))) return false;
    if (a->body.i != b->body.i) return true;
    sari_report(r, node->values[1], "both ends are on '%s'; they must be on two different bodies",
                sar_model_body_name(r->model, a->body.i));
    return false;
}

/* ---- directions ----------------------------------------------------------------------------- */

/* Is it BODY.AXIS and not an expression? Names of parameters have no dot, numbers start with a
 * digit, and what is in braces becomes a part of the name. */
static bool names_axis(const sari_node* node)
{
    if (node->kind != SARI_NODE_SCALAR) return false;
    bool dot = false, braces = false, digit_first = node->text[0] >= '0' && node->text[0] <= '9';
    for (const char* c = node->text; *c; c++) {
        if (*c == '{' || *c == '}') {
            braces = *c == '{';
        } else if (!braces) {
            if (*c != '.' && !sari_is_name_character(*c)) return false;
            dot |= *c == '.';
        }
    }
    return dot && !digit_first;
}

/* x, y and z of a body in a file that is mirrored are mirrored too; those of the ground are there as
 * the file sees them, unless it was given the ground by another. */
static void sign_axis(const sari_reader* r, const sari_node* node, sar_body_id body,
                      const char* axis, double v[3])
{
    const sari_scope* s = r->scope;
    const char* last = sari_last_piece(axis);
    const bool given = sari_find_port(s, node->text, strcspn(node->text, "."));
    const bool own = body.i != SAR_GROUND.i && last == axis;
    if (strlen(last) != 1 || !strchr("xyz", last[0])) return;
    if (own || (body.i == SAR_GROUND.i && given && !(s->outer && s->outer->placement.mirrored)))
        for (int k = 0; k < 3; k++) v[k] *= s->placement.S[last[0] - 'x'];
}

/* x, y or z of a frame; mirrored as those of bodies are. */
static bool read_frame_axis(sari_reader* r, const sari_node* node, const sari_frame* frame,
                            const char* axis, double out[3])
{
    const char* found = axis[0] && !axis[1] ? strchr("xyz", axis[0]) : NULL;
    if (!found) {
        sari_report_at(r, node, last_offset(node), "the frame '%s' has no axis '%.60s'",
                       frame->name, axis);
        sari_hint(r, "its axes are x, y and z");
        return false;
    }
    sari_frame_axis(frame, axis[0] - 'x', out);
    for (int k = 0; k < 3; k++) out[k] *= r->scope->placement.S[axis[0] - 'x'];
    return true;
}

static bool read_named_axis(sari_reader* r, const sari_node* node, const char* what,
                            sar_body_id body, const char* side, double out[3])
{
    const char *head, *tail;
    sar_body_id named;
    if (!split(r, node, what, "BODY.AXIS", &head, &tail)) return false;
    if (!tail) {
        sari_report(r, node, "%s must be BODY.AXIS, here is '%.60s'", what, head);
        return false;
    }
    const sari_frame* frame = sari_model_frame(r->model, head, strlen(head));
    if (frame) named.i = frame->body;
    if (!frame && !find_body(r, node, head, &named)) return false;
    if (named.i != body.i) {
        sari_report(r, node, "%s is an axis of '%s', but the %s point of 'between' is on '%s'",
                    what, head, side, sar_model_body_name(r->model, body.i));
        if (strchr(what, '['))
            sari_hint(r, "name the axes in the order of 'between'");
        else
            sari_hint(r, "name an axis of '%s'", sar_model_body_name(r->model, body.i));
        return false;
    }
    if (frame) return read_frame_axis(r, node, frame, tail, out);
    if (sar_model_find_axis(r->model, body, tail, strlen(tail), out) == SAR_OK) {
        sign_axis(r, node, body, tail, out);
        return true;
    }
    if (is_flawed(r, body))
        sari_fail_silently(r);
    else
        report_unknown_part(r, node, last_offset(node), "axis", body, tail);
    return false;
}

/* A direction in the axes of its body, [x, y, z]; those of the ground are the axes of the file. */
static bool read_own_direction(sari_reader* r, const sari_node* node, const char* what,
                               sar_body_id body, double out[3])
{
    const int before = r->failures;
    sari_read_vector(r, node, what, out);
    if (r->failures != before) return false;
    if (body.i == SAR_GROUND.i)
        sari_put_vector(&r->scope->placement, out);
    else
        sari_sign_vector(&r->scope->placement, out);
    if (out[0] != 0.0 || out[1] != 0.0 || out[2] != 0.0) return true;
    sari_report(r, node, "%s is zero: it has no direction", what);
    return false;
}

/* One of a pair. */
static bool read_one_of_two(sari_reader* r, const sari_node* node, const char* what,
                            sar_body_id body, const char* side, double out[3])
{
    return node->kind == SARI_NODE_LIST ? read_own_direction(r, node, what, body, out)
                                        : read_named_axis(r, node, what, body, side, out);
}

/* [BODY.AXIS, BODY.AXIS], and not the components of a vector. */
static bool is_pair(const sari_node* node)
{
    if (node->kind != SARI_NODE_LIST || node->count != 2) return false;
    for (int k = 0; k < 2; k++)
        if (names_axis(node->values[k]) || node->values[k]->kind == SARI_NODE_LIST) return true;
    return false;
}

/* d_B = R_WB' d_W with the drawn rotation. */
static bool turn_into_body(sari_reader* r, const sari_node* node, const char* what,
                           sar_body_id body, const double d_W[3], double d_B[3])
{
    const sari_body_record* record = &r->bodies[body.i];
    if (record->flawed) {
        sari_fail_silently(r);
        return false;
    }
    if (!record->has_rotation && !sari_is_drawn(r, body)) {
        sari_report(r, node, "%s is a direction in world axes, but '%s' is drawn without %s", what,
                    sar_model_body_name(r->model, body.i),
                    r->dimension == 2 ? "an 'angle'" : "a 'rotation'");
        sari_hint(r, "give the body one, or write [BODY.AXIS, BODY.AXIS]");
        return false;
    }
    const double* R = record->R_WB;
    for (int k = 0; k < 3; k++) d_B[k] = R[k] * d_W[0] + R[3 + k] * d_W[1] + R[6 + k] * d_W[2];
    return true;
}

static bool read_world_direction(sari_reader* r, const sari_node* node, const char* what,
                                 const sar_end* a, const sar_end* b, double in_a[3], double in_b[3])
{
    double d[3];
    int before = r->failures;
    sari_read_vector(r, node, what, d);
    if (r->failures != before) return false;
    if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0) {
        sari_report(r, node, "%s is zero: it has no direction", what);
        return false;
    }
    sari_put_vector(&r->scope->placement, d);
    return turn_into_body(r, node, what, a->body, d, in_a) &&
           turn_into_body(r, node, what, b->body, d, in_b);
}

bool sari_read_directions(sari_reader* r, const sari_element* e, const char* key, const sar_end* a,
                          const sar_end* b, double in_a[3], double in_b[3])
{
    const sari_node* node = sari_node_get(e->map, key);
    if (!node) return false;
    if (node->kind != SARI_NODE_LIST || node->count < 2 || node->count > 3) {
        char found[64];
        sari_node_describe(node, found, sizeof found);
        sari_report(r, node, "%s must be [BODY.AXIS, BODY.AXIS] or a direction %s, here is %s", key,
                    r->dimension == 2 ? "[x, y]" : "[x, y, z]", found);
        return false;
    }
    if (!is_pair(node)) return read_world_direction(r, node, key, a, b, in_a, in_b);
    const char *first = sari_print(r, "%s[0]", key), *second = sari_print(r, "%s[1]", key);
    bool ok_a = read_one_of_two(r, node->values[0], first, a->body, "first", in_a);
    bool ok_b = read_one_of_two(r, node->values[1], second, b->body, "second", in_b);
    return ok_a && ok_b;
}

static bool read_single_direction(sari_reader* r, const sari_node* node, const char* what,
                                  sar_body_id body, double out[3])
{
    double d[3];
    int before = r->failures;
    sari_read_vector(r, node, what, d);
    if (r->failures != before) return false;
    sari_put_vector(&r->scope->placement, d);
    if (d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0)
        return turn_into_body(r, node, what, body, d, out);
    sari_report(r, node, "%s is zero: it has no direction", what);
    return false;
}

bool sari_read_direction(sari_reader* r, const sari_element* e, const char* key, int side,
                         const sar_end* a, const sar_end* b, double in_a[3], double in_b[3])
{
    const sari_node* node = sari_node_get(e->map, key);
    const sar_body_id body = side == SARI_FIRST ? a->body : b->body;
    double* out = side == SARI_FIRST ? in_a : in_b;
    if (node && node->kind == SARI_NODE_SCALAR)
        return read_named_axis(r, node, key, body, side == SARI_FIRST ? "first" : "second", out);
    const bool vector = node && node->kind == SARI_NODE_LIST && !is_pair(node);
    return vector ? read_single_direction(r, node, key, body, out)
                  : sari_read_directions(r, e, key, a, b, in_a, in_b);
}

/* ---- joints --------------------------------------------------------------------------------- */

static bool find_any_joint(sari_reader* r, const sari_node* node, const char* name,
                           sar_joint_id* out)
{
    if (sar_model_find_joint(r->model, name, strlen(name), out) == SAR_OK) return true;
    if (!worth_reporting(r, node, "joint", name)) return false;
    sari_report(r, node, "there is no joint '%.60s'", name);
    sari_remember(r, &r->failed, name);
    suggest_name(r, name, sar_model_joint_name, sar_model_joints(r->model));
    return false;
}

static bool find_joint(sari_reader* r, const sari_node* node, const char* name, sar_joint_id* out)
{
    if (!find_any_joint(r, node, name, out)) return false;
    if (sari_joint_type_of(&r->model->joints[out->i])) return true;
    sari_report(r, node,
                "'%s' has no coordinates; name a joint that is not a gear, a coupler, "
                "a drive or a constraint",
                name);
    return false;
}

static bool read_joint_alone(sari_reader* r, const sari_node* node, const char* what,
                             const char** name)
{
    const char* tail;
    if (!split(r, node, what, "the name of a joint", name, &tail)) return false;
    if (!tail) return true;
    sari_report_at(r, node, (int)strlen(*name), "%s must be a joint alone", what);
    return false;
}

bool sari_read_any_joint(sari_reader* r, const sari_node* node, const char* what, sar_joint_id* out)
{
    const char* name;
    return read_joint_alone(r, node, what, &name) && find_any_joint(r, node, name, out);
}

bool sari_read_joint(sari_reader* r, const sari_node* node, const char* what, sar_joint_id* out)
{
    const char* name;
    return read_joint_alone(r, node, what, &name) && find_joint(r, node, name, out);
}

bool sari_read_joint_coordinate(sari_reader* r, const sari_node* node, sar_joint_id* joint,
                                sar_coordinate* coordinate)
{
    const char *head, *tail;
    if (!split(r, node, "a term of 'sum'", "JOINT.angle or JOINT.displacement", &head, &tail))
        return false;
    if (!find_joint(r, node, head, joint)) return false;
    if (!tail) {
        *coordinate = sari_usual_coordinate(r, *joint);
        return true;
    }
    for (int k = 0; k < SARI_COORDINATES; k++) {
        if (strcmp(tail, sari_coordinate_words[k]) != 0) continue;
        *coordinate = (sar_coordinate)k;
        return true;
    }
    sari_report_at(r, node, (int)strlen(head) + 1, "a joint has no coordinate '%.60s'", tail);
    sari_suggest(r, tail, sari_coordinate_words, SARI_COORDINATES);
    return false;
}

sar_coordinate sari_usual_coordinate(const sari_reader* r, sar_joint_id joint)
{
    const sari_joint_type* type = sari_joint_type_of(&r->model->joints[joint.i]);
    return type && type->coordinates ? type->coordinate[0] : SAR_COORD_ANGLE;
}
