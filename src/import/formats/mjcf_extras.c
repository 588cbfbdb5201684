/* What connects and drives joints in MJCF: equalities, tendons, actuators. */
#include "import/formats/mjcf.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const sari_mjcf_site* find_site(const sari_mjcf* m, const char* name)
{
    for (const sari_mjcf_site* s = m->sites; s; s = s->next)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

static const sari_mjcf_site* need_site(sari_mjcf* m, const sari_xml* node, const char* attribute)
{
    const char* name = sari_xml_get(node, attribute);
    const sari_mjcf_site* site = name ? find_site(m, name) : NULL;
    if (!site)
        sari_import_error(m->im, node->place, "<%.40s>: there is no site '%.60s'", node->name,
                          name ? name : "");
    return site;
}

static const char* name_of(sari_mjcf* m, const sari_xml* node, const char* a, const char* b)
{
    const char* name = sari_xml_get(node, "name");
    return name && name[0] ? name : sari_import_print(m->im, "%s_%s", a, b);
}

/* ---- loops ---------------------------------------------------------------------------------- */

static void close_at_sites(sari_mjcf* m, const sari_xml* node, sari_robot_joint_kind kind)
{
    const sari_mjcf_site *a = need_site(m, node, "site1"), *b = need_site(m, node, "site2");
    if (!a || !b) return;
    (void)sari_import_add_loop(m->im, name_of(m, node, a->name, b->name), node->place, kind,
                               a->link, &a->at, b->link, &b->at);
}

static sari_robot_link* body_of(sari_mjcf* m, const sari_xml* node, const char* attribute)
{
    const char* name = sari_xml_get(node, attribute);
    if (!name || !name[0]) return &m->im->robot.ground;
    return sari_import_need_link(m->im, name, node->place, node->name);
}

/* A point that two bodies share, given in the first; in the second it is where the file draws it. */
static void read_connect(sari_mjcf* m, const sari_xml* node)
{
    double anchor[3] = {0};
    if (sari_xml_get(node, "site1")) {
        close_at_sites(m, node, SARI_ROBOT_SPHERICAL);
        return;
    }
    sari_robot_link *a = body_of(m, node, "body1"), *b = body_of(m, node, "body2");
    if (!a || !b || sari_import_attribute(m->im, node, "anchor", 3, 3, anchor) < 0) return;
    const sari_pose on_a = sari_pose_shift(anchor), xa = sari_import_pose(m->im, a),
                    xb = sari_import_pose(m->im, b), there = sari_pose_times(&xa, &on_a);
    const sari_pose on_b = sari_pose_between(&xb, &there);
    (void)sari_import_add_loop(m->im, name_of(m, node, a->name, b->name), node->place,
                               SARI_ROBOT_SPHERICAL, a, &on_a, b, &on_b);
}

static void read_weld(sari_mjcf* m, const sari_xml* node)
{
    double v[7] = {0, 1, 0, 0, 0, 0, 0};
    if (sari_xml_get(node, "site1")) {
        close_at_sites(m, node, SARI_ROBOT_FIXED);
        return;
    }
    sari_robot_link *a = body_of(m, node, "body1"), *b = body_of(m, node, "body2");
    if (!a || !b || sari_import_attribute(m->im, node, "relpose", 7, 7, v) < 0) return;
    const sari_pose xa = sari_import_pose(m->im, a), xb = sari_import_pose(m->im, b);
    sari_pose on_a = sari_pose_between(&xa, &xb); // as drawn, unless relpose has a quaternion
    if (sari_pose_quaternion(v + 3, on_a.R)) memcpy(on_a.p, v, sizeof on_a.p);
    (void)sari_import_add_loop(m->im, name_of(m, node, a->name, b->name), node->place,
                               SARI_ROBOT_FIXED, a, &on_a, b, &SARI_POSE_IDENTITY);
}

/* ---- couplings ------------------------------------------------------------------------------ */

/* y - y0 = p(x - x0) as a polynomial of x itself. */
static void shift_polynomial(double p[5], double x0, double y0)
{
    double out[5] = {0};
    for (int k = 4; k >= 0; k--) { // Horner: out = out (x - x0) + p_k
        for (int i = 4; i > 0; i--) out[i] = out[i - 1] - x0 * out[i];
        out[0] = -x0 * out[0] + p[k];
    }
    out[0] += y0;
    memcpy(p, out, sizeof out);
}

static void read_coefficients(sari_mjcf* m, const sari_xml* node, double p[5])
{
    static const double usual[5] = {0, 1, 0, 0, 0};
    memcpy(p, usual, sizeof usual);
    const char* text = sari_mjcf_get(m, node, NULL, "polycoef");
    double v[5] = {0};
    if (text && sari_import_numbers(m->im, text, node->place, "polycoef", 1, 5, v) > 0)
        memcpy(p, v, sizeof v);
}

static void read_joint_equality(sari_mjcf* m, const sari_xml* node)
{
    const char *first = sari_import_name(m->im, node, "joint1"),
               *second = sari_xml_get(node, "joint2");
    double p[5];
    sari_robot_joint *y = sari_import_need_joint(m->im, first, node->place, "equality"),
                     *x = second ? sari_import_need_joint(m->im, second, node->place, "equality")
                                 : NULL;
    read_coefficients(m, node, p);
    if (!y || (second && !x)) return;
    if (sari_robot_coordinates(y->kind) != 1 || (x && sari_robot_coordinates(x->kind) != 1)) {
        sari_import_error(m->im, node->place, "only hinges and slides can be coupled");
        return;
    }
    sari_robot_coupling* c = sari_import_add_coupling(
        m->im, name_of(m, node, first, second ? second : "locked"), node->place);
    (void)sari_import_add_term(m->im, &c->terms, y, 1.0);
    if (!x) {
        c->offset = y->start + p[0];
        return;
    }
    shift_polynomial(p, x->start, y->start);
    c->is_polynomial = p[2] != 0.0 || p[3] != 0.0 || p[4] != 0.0;
    (void)sari_import_add_term(m->im, &c->terms, x, c->is_polynomial ? 1.0 : -p[1]);
    c->offset = p[0];
    memcpy(c->poly, p, sizeof p);
}

/* ---- tendons -------------------------------------------------------------------------------- */

static const sari_xml* find_tendon(const sari_mjcf* m, const char* name)
{
    SARI_XML_EACH(section, m->root, "tendon")
    SARI_XML_EACH(tendon, section, NULL)
    {
        const char* its = sari_xml_get(tendon, "name");
        if (its && strcmp(its, name) == 0) return tendon;
    }
    return NULL;
}

/* The two sites of a tendon that is a straight line; false: it is none. */
static bool straight(sari_mjcf* m, const sari_xml* tendon, const sari_mjcf_site* site[2])
{
    int count = 0;
    SARI_XML_EACH(child, tendon, NULL)
    {
        const char* name = sari_xml_is(child, "site") ? sari_xml_get(child, "site") : NULL;
        if (!name || count == 2) return false;
        site[count++] = find_site(m, name);
    }
    return count == 2 && site[0] && site[1];
}

static double drawn_length(sari_mjcf* m, const sari_mjcf_site* const site[2])
{
    double x[2][3], d[3];
    for (int k = 0; k < 2; k++) {
        const sari_pose pose = sari_import_pose(m->im, site[k]->link);
        sari_pose_point(&pose, site[k]->at.p, x[k]);
    }
    for (int k = 0; k < 3; k++) d[k] = x[1][k] - x[0][k];
    return sari_norm3(d);
}

/* Sum of joint coordinates, with its value as drawn. NULL: an error, or joints that have none. */
static sari_robot_term* sum_of(sari_mjcf* m, const sari_xml* tendon, double factor, double* drawn)
{
    sari_robot_term* terms = NULL;
    *drawn = 0.0;
    SARI_XML_EACH(child, tendon, "joint")
    {
        const char* name = sari_import_name(m->im, child, "joint");
        sari_robot_joint* joint = sari_import_need_joint(m->im, name, child->place, "tendon");
        const double coef = sari_import_number(m->im, child, "coef", 1.0);
        if (!joint || sari_robot_coordinates(joint->kind) != 1) return NULL;
        (void)sari_import_add_term(m->im, &terms, joint, factor * coef);
        *drawn += factor * coef * joint->start;
    }
    return terms;
}

static void leave_tendon(sari_mjcf* m, const sari_xml* node, const char* name)
{
    sari_import_note_at(m->im, node->place,
                        "tendons that are neither a straight line nor a sum of joints: left out",
                        "'%.60s'", name);
}

static void read_tendon_equality(sari_mjcf* m, const sari_xml* node)
{
    const char *first = sari_import_name(m->im, node, "tendon1"),
               *second = sari_xml_get(node, "tendon2");
    const sari_xml *a = find_tendon(m, first), *b = second ? find_tendon(m, second) : NULL;
    const sari_mjcf_site* site[2];
    double p[5], drawn = 0.0, other = 0.0;
    read_coefficients(m, node, p);
    if (!a || (second && !b)) {
        sari_import_error(m->im, node->place, "equality: there is no tendon '%.60s'",
                          a ? second : first);
    } else if (sari_xml_is(a, "spatial") && !b && straight(m, a, site)) {
        sari_robot_joint* joint = sari_import_add_loop(
            m->im, name_of(m, node, first, "length"), node->place, SARI_ROBOT_DISTANCE,
            site[0]->link, &site[0]->at, site[1]->link, &site[1]->at);
        joint->distance = drawn_length(m, site) + p[0];
        if (!(joint->distance > 0.0))
            sari_import_error(m->im, node->place, "the length of a tendon must be positive");
    } else if (sari_xml_is(a, "fixed") && (!b || sari_xml_is(b, "fixed")) && p[2] == 0.0 &&
               p[3] == 0.0 && p[4] == 0.0) {
        sari_robot_term *terms = sum_of(m, a, 1.0, &drawn),
                        *more = b ? sum_of(m, b, -p[1], &other) : NULL;
        if (!terms || (b && !more)) return;
        sari_robot_coupling* c =
            sari_import_add_coupling(m->im, name_of(m, node, first, "sum"), node->place);
        c->terms = terms;
        while (terms->next) terms = terms->next;
        terms->next = more;
        c->offset = p[0] + drawn + other;
    } else {
        leave_tendon(m, node, first);
    }
}

/* A tendon with a stiffness is a spring. */
void sari_mjcf_read_tendons(sari_mjcf* m)
{
    SARI_XML_EACH(section, m->root, "tendon")
    SARI_XML_EACH(tendon, section, NULL)
    {
        const char* name = sari_xml_get(tendon, "name");
        const double stiffness = sari_mjcf_number(m, tendon, NULL, "stiffness", 0.0),
                     damping = sari_mjcf_number(m, tendon, NULL, "damping", 0.0),
                     length = sari_mjcf_number(m, tendon, NULL, "springlength", -1.0);
        const sari_mjcf_site* site[2];
        double range[2];
        const bool has = sari_mjcf_numbers(m, tendon, NULL, "range", 2, 2, range) > 0;
        if (!name) name = "tendon";
        if (sari_mjcf_limited(m, tendon, NULL, "limited", has))
            sari_import_note_at(m->im, tendon->place, "limits of tendons: left out", "'%.60s'",
                                name);
        if (!(stiffness > 0.0) && !(damping > 0.0)) continue;
        if (!sari_xml_is(tendon, "spatial") || !straight(m, tendon, site)) {
            leave_tendon(m, tendon, name);
            continue;
        }
        sari_robot_spring* spring = sari_import_add_spring(m->im, name, tendon->place);
        for (int k = 0; k < 2; k++) spring->link[k] = site[k]->link, spring->at[k] = site[k]->at;
        spring->stiffness = stiffness, spring->damping = damping;
        spring->length = length >= 0.0 ? length : drawn_length(m, site);
    }
}

/* ---- equalities ----------------------------------------------------------------------------- */

void sari_mjcf_read_equalities(sari_mjcf* m)
{
    SARI_XML_EACH(section, m->root, "equality")
    SARI_XML_EACH(node, section, NULL)
    {
        sari_mjcf_note_soft(m, node);
        if (!sari_import_truth(sari_mjcf_get(m, node, NULL, "active"), true))
            sari_import_note_at(m->im, node->place, "equalities that are not active: left out",
                                "<%.40s>", node->name);
        else if (sari_xml_is(node, "connect"))
            read_connect(m, node);
        else if (sari_xml_is(node, "weld"))
            read_weld(m, node);
        else if (sari_xml_is(node, "joint"))
            read_joint_equality(m, node);
        else if (sari_xml_is(node, "tendon"))
            read_tendon_equality(m, node);
        else
            sari_import_note_at(m->im, node->place, "elements that are not read", "<%.40s>",
                                node->name);
    }
}

/* ---- actuators ------------------------------------------------------------------------------ */

/* What it acts on: x = gear times a coordinate, a sum of them, or a length. */
static bool read_transmission(sari_mjcf* m, const sari_xml* node, sari_robot_actuator* a)
{
    const char *joint = sari_xml_get(node, "joint"), *tendon = sari_xml_get(node, "tendon");
    double gear[6] = {1}, drawn;
    const sari_mjcf_site* site[2];
    if (!joint) joint = sari_xml_get(node, "jointinparent");
    (void)sari_mjcf_numbers(m, node, NULL, "gear", 1, 6, gear);
    if (joint) {
        sari_robot_joint* j = sari_import_need_joint(m->im, joint, node->place, "actuator");
        if (!j || sari_robot_coordinates(j->kind) != 1) return false;
        (void)sari_import_add_term(m->im, &a->terms, j, gear[0]);
        return gear[0] != 0.0;
    }
    const sari_xml* found = tendon ? find_tendon(m, tendon) : NULL;
    if (!found) return false;
    if (sari_xml_is(found, "fixed")) {
        a->terms = sum_of(m, found, gear[0], &drawn);
        return a->terms != NULL;
    }
    if (!straight(m, found, site) || gear[0] != 1.0) return false;
    for (int k = 0; k < 2; k++) {
        a->link[k] = site[k]->link;
        memcpy(a->point[k], site[k]->at.p, sizeof a->point[k]);
    }
    return true;
}

static bool is_none(const char* text, const char* none)
{
    return !text || strcmp(text, none) == 0;
}

/* F = gain u + bias; false: it depends on more than that. */
static bool read_law(sari_mjcf* m, const sari_xml* node, sari_robot_actuator* a)
{
    double prm[10] = {1};
    if (sari_xml_is(node, "motor")) return true;
    if (sari_xml_is(node, "position")) {
        a->gain = sari_mjcf_number(m, node, NULL, "kp", 1.0);
        a->bias[1] = -a->gain;
        a->bias[2] = -sari_mjcf_number(m, node, NULL, "kv", 0.0);
        if (!sari_xml_get(node, "kv"))
            a->damping_ratio = sari_mjcf_number(m, node, NULL, "dampratio", 0.0);
        return !(sari_mjcf_number(m, node, NULL, "timeconst", 0.0) > 0.0);
    }
    if (sari_xml_is(node, "velocity")) {
        a->gain = sari_mjcf_number(m, node, NULL, "kv", 1.0);
        a->bias[2] = -a->gain;
        return true;
    }
    if (!sari_xml_is(node, "general")) return false;
    (void)sari_mjcf_numbers(m, node, NULL, "gainprm", 1, 10, prm);
    if (!is_none(sari_mjcf_get(m, node, NULL, "gaintype"), "fixed") ||
        !is_none(sari_mjcf_get(m, node, NULL, "dyntype"), "none"))
        return false;
    a->gain = prm[0];
    double bias[10] = {0};
    const char* type = sari_mjcf_get(m, node, NULL, "biastype");
    if (is_none(type, "none")) return true;
    (void)sari_mjcf_numbers(m, node, NULL, "biasprm", 1, 10, bias);
    memcpy(a->bias, bias, sizeof a->bias);
    if (a->gain == -a->bias[1] && a->bias[2] > 0.0) a->damping_ratio = a->bias[2];
    return strcmp(type, "affine") == 0;
}

/* The range of the control; `inheritrange`: that of the joint, in parts of it. */
static void read_control(sari_mjcf* m, const sari_xml* node, sari_robot_actuator* a)
{
    const double part = sari_mjcf_number(m, node, NULL, "inheritrange", 0.0);
    const sari_robot_joint* j = a->terms && !a->terms->next ? a->terms->joint : NULL;
    bool given = sari_mjcf_numbers(m, node, NULL, "ctrlrange", 2, 2, a->control) > 0;
    if (part > 0.0 && j && j->travel[0].limited) {
        const double middle = 0.5 * (j->travel[0].lower + j->travel[0].upper),
                     reach = 0.5 * part * (j->travel[0].upper - j->travel[0].lower);
        a->control[0] = middle - reach;
        a->control[1] = middle + reach;
        given = true;
    }
    a->control_limited = sari_mjcf_limited(m, node, NULL, "ctrllimited", given);
}

static void read_actuator(sari_mjcf* m, const sari_xml* node)
{
    const char* target = sari_xml_get(node, "joint");
    const char* name = name_of(m, node, target ? target : "actuator", node->name);
    sari_robot_actuator a = {.name = name, .place = node->place, .gain = 1.0};
    a.link[0] = a.link[1] = &m->im->robot.ground;
    if (!read_transmission(m, node, &a) || !read_law(m, node, &a)) {
        sari_import_note_at(m->im, node->place,
                            "actuators with states, muscles, or that act on other things than "
                            "joints: left out",
                            "<%.40s> '%.60s'", node->name, name);
        return;
    }
    const bool force = sari_mjcf_numbers(m, node, NULL, "forcerange", 2, 2, a.force) > 0;
    read_control(m, node, &a);
    a.force_limited = sari_mjcf_limited(m, node, NULL, "forcelimited", force);
    sari_robot_actuator* mine = sari_import_add_actuator(m->im, name, node->place);
    a.next = mine->next;
    *mine = a;
}

void sari_mjcf_read_actuators(sari_mjcf* m)
{
    SARI_XML_EACH(section, m->root, "actuator")
    SARI_XML_EACH(node, section, NULL) read_actuator(m, node);
}
