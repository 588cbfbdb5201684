/* SDFormat, 1.4 to 1.12: models with links, joints and frames, which may lie in each other and in other files. Loops are
 * a part of the format: any joint may close one.
 *
 * All frames are collected first, then links are placed, then joints, then what couples joints. */
#include "import/formats/sdf_frames.h"

#include <stdlib.h>
#include <string.h>

/// What a walk over all models does with each of them.
typedef struct walk {
    sari_sdf* s;
    enum { COLLECT, LINKS, JOINTS, COUPLINGS } phase;
} walk;

static void walk_model(walk* w, const sari_sdf_scope* scope, const sari_xml* model);

static const char* text_of(const sari_xml* node, const char* child)
{
    const sari_xml* found = sari_xml_child(node, child);
    return found ? found->text : "";
}

/* ---- collecting ----------------------------------------------------------------------------- */

/* A frame of the scope; `in` is what it is relative to unless it says other. */
static sari_sdf_frame* collect(walk* w, const sari_sdf_scope* scope, const sari_xml* node,
                               const char* in)
{
    const char* name = sari_import_name(w->s->im, node, "name");
    sari_sdf_frame* frame = sari_sdf_add(w->s, sari_sdf_name(w->s, scope, name), node->place);
    const char* relative = sari_sdf_pose(w->s->im, sari_xml_child(node, "pose"), &frame->pose);
    frame->relative_to = relative ? sari_sdf_name(w->s, scope, relative) : in;
    return frame;
}

static void collect_link(walk* w, const sari_sdf_scope* scope, const sari_xml* node)
{
    const char* model = sari_sdf_name(w->s, scope, "__model__");
    sari_sdf_frame* frame = collect(w, scope, node, model);
    const char* own = sari_xml_get(node, "name");
    const char* name = sari_import_print(w->s->im, "%s%s", scope->shown, own ? own : "link");
    frame->link = sari_import_add_link(w->s->im, name, node->place);
}

static void collect_joint(walk* w, const sari_sdf_scope* scope, const sari_xml* node)
{
    const sari_xml* inside = sari_xml_child(sari_xml_child(node, "child"), "link_name");
    const char* child = sari_sdf_name(w->s, scope, inside ? inside->text : text_of(node, "child"));
    collect(w, scope, node, child)->attached_to = child;
}

static void collect_frame(walk* w, const sari_sdf_scope* scope, const sari_xml* node)
{
    const char* to = sari_xml_get(node, "attached_to");
    const char* on = sari_sdf_name(w->s, scope, to && to[0] ? to : "__model__");
    collect(w, scope, node, on)->attached_to = on;
}

/* The frame of a model, under its two names. */
static void collect_model(walk* w, const sari_sdf_scope* outer, const sari_sdf_scope* inner,
                          const sari_xml* node, const sari_xml* pose, const char* placement)
{
    const char* name = sari_sdf_name(w->s, inner, "__model__");
    sari_sdf_frame* frame = sari_sdf_add(w->s, name, node->place);
    const char* relative = sari_sdf_pose(w->s->im, pose, &frame->pose);
    const char* canonical = sari_xml_get(node, "canonical_link");
    const sari_xml* first = sari_xml_child(node, "link");
    frame->relative_to = outer ? sari_sdf_name(w->s, outer, relative ? relative : "__model__") : "";
    if (outer && !sari_sdf_find(w->s, frame->relative_to) && !relative) frame->relative_to = "";
    if (!canonical && first) canonical = sari_xml_get(first, "name");
    if (canonical && canonical[0]) frame->attached_to = sari_sdf_name(w->s, inner, canonical);
    if (placement && placement[0]) frame->placement = sari_sdf_name(w->s, inner, placement);
    if (!inner->prefix[0]) return;
    const size_t length = strlen(inner->prefix) - 2; // without "::"
    sari_sdf_frame* alias = sari_sdf_add(
        w->s, sari_import_print(w->s->im, "%.*s", (int)length, inner->prefix), node->place);
    alias->relative_to = alias->attached_to = name;
}

/* ---- models in models ----------------------------------------------------------------------- */

static sari_sdf_scope scope_inside(walk* w, const sari_sdf_scope* outer, const char* name,
                                   const sari_xml* model)
{
    sari_sdf_scope inner = *outer;
    inner.prefix = sari_import_print(w->s->im, "%s%s::", outer->prefix, name);
    inner.shown = sari_import_print(w->s->im, "%s%s::", outer->shown, name);
    inner.is_static |= sari_import_truth(text_of(model, "static"), false);
    return inner;
}

static void walk_inner(walk* w, const sari_sdf_scope* outer, const sari_xml* model)
{
    const char* name = sari_import_name(w->s->im, model, "name");
    const sari_sdf_scope inner = scope_inside(w, outer, name, model);
    if (w->phase == COLLECT)
        collect_model(w, outer, &inner, model, sari_xml_child(model, "pose"),
                      sari_xml_get(model, "placement_frame"));
    walk_model(w, &inner, model);
}

static double version_of(const sari_xml* root)
{
    const char* text = sari_xml_get(root, "version");
    if (!text || strncmp(text, "1.", 2) != 0) return 1.7;
    const int minor = atoi(text + 2); // "1.12" is later than "1.9"
    return 1.0 + 0.1 * (minor < 100 ? minor : 100);
}

/* The model in the file of an <include>: read once, kept in the node. */
static const sari_xml* open_include(walk* w, const sari_sdf_scope* outer, const sari_xml* node,
                                    sari_sdf_scope* inner)
{
    const char* why = "";
    const sari_xml* uri = sari_xml_child(node, "uri");
    sari_importer* im = w->s->im;
    const char* path = uri ? sari_import_find_file(im, uri->text, outer->path, &why) : NULL;
    if (!path) {
        sari_import_error(im, node->place, "cannot include '%.100s': %s", uri ? uri->text : "",
                          uri ? why : "there is no <uri>");
        return NULL;
    }
    sari_xml* root = node->last && sari_xml_is(node->last, "sdf")
                         ? node->last
                         : sari_import_read_xml(im, path, node->place);
    if (!root) return NULL;
    const sari_xml* model = sari_xml_child(root, "model");
    if (!sari_xml_is(root, "sdf") || !model) {
        sari_import_error(im, node->place, "'%.100s' is no SDFormat file with a model", uri->text);
        return NULL;
    }
    if (node->last != root) {
        sari_xml* mine = (sari_xml*)node;
        mine->last->next = root;
        mine->last = root;
    }
    inner->path = path;
    inner->version = version_of(root);
    return model;
}

static void walk_include(walk* w, const sari_sdf_scope* outer, const sari_xml* node)
{
    sari_sdf_scope file = *outer;
    sari_importer* im = w->s->im;
    if (im->nested >= SARI_IMPORT_NESTED) {
        sari_import_error(im, node->place, "files include each other more than %d deep",
                          SARI_IMPORT_NESTED);
        return;
    }
    im->nested++;
    const sari_xml* model = open_include(w, outer, node, &file);
    if (model) {
        const sari_xml *name = sari_xml_child(node, "name"), *pose = sari_xml_child(node, "pose"),
                       *placement = sari_xml_child(node, "placement_frame");
        const char* own = name ? name->text : sari_import_name(im, model, "name");
        const bool merge = sari_import_truth(sari_xml_get(node, "merge"), false);
        sari_sdf_scope inner = scope_inside(w, &file, own, model);
        inner.is_static |= sari_import_truth(text_of(node, "static"), false);
        if (merge && !pose && !placement) {
            inner = file;
        } else if (w->phase == COLLECT) {
            if (merge)
                sari_import_note_at(im, node->place,
                                    "included models that are placed and merged: not merged",
                                    "'%.60s'", own);
            collect_model(w, outer, &inner, model, pose ? pose : sari_xml_child(model, "pose"),
                          placement ? placement->text : sari_xml_get(model, "placement_frame"));
        }
        walk_model(w, &inner, model);
    }
    im->nested--;
}

/* ---- one model ------------------------------------------------------------------------------ */

static void place_link(walk* w, const sari_sdf_scope* scope, const sari_xml* node)
{
    const char* own = sari_xml_get(node, "name");
    sari_sdf_frame* frame = own ? sari_sdf_find(w->s, sari_sdf_name(w->s, scope, own)) : NULL;
    if (!frame || !frame->link || !sari_sdf_resolve(w->s, frame)) return;
    sari_robot_link* link = frame->link;
    link->pose = frame->world;
    link->placed = true;
    sari_sdf_read_link(w->s, scope, node, link);
    if (!scope->is_static) return;
    sari_robot_joint* joint = sari_import_add_joint(
        w->s->im, sari_import_print(w->s->im, "%s_static", link->name), node->place);
    joint->b = link;
    joint->on_a = link->pose;
}

static void place_frame(walk* w, const sari_sdf_scope* scope, const sari_xml* node)
{
    const char *own = sari_xml_get(node, "name"), *name = sari_sdf_name(w->s, scope, own);
    sari_sdf_frame* frame = sari_sdf_find(w->s, name);
    sari_robot_link* link = sari_sdf_link_of(w->s, name);
    if (!frame || !link || !sari_sdf_resolve(w->s, frame)) return;
    const sari_pose back = sari_pose_inverse(&link->pose),
                    at = sari_pose_times(&back, &frame->world);
    sari_import_add_frame(w->s->im, sari_import_print(w->s->im, "%s%s", scope->shown, own),
                          node->place, link, &at);
}

static void visit(walk* w, const sari_sdf_scope* scope, const sari_xml* node)
{
    const bool link = sari_xml_is(node, "link"), joint = sari_xml_is(node, "joint");
    if (sari_xml_is(node, "model"))
        walk_inner(w, scope, node);
    else if (sari_xml_is(node, "include"))
        walk_include(w, scope, node);
    else if (w->phase == COLLECT && link)
        collect_link(w, scope, node);
    else if (w->phase == COLLECT && joint)
        collect_joint(w, scope, node);
    else if (w->phase == COLLECT && sari_xml_is(node, "frame"))
        collect_frame(w, scope, node);
    else if (w->phase == LINKS && link)
        place_link(w, scope, node);
    else if (w->phase == JOINTS && joint)
        sari_sdf_read_joint(w->s, scope, node);
    else if (w->phase == JOINTS && strncmp(node->name, "drake:", 6) == 0)
        sari_import_drake(w->s->im, node);
    else if (w->phase == COUPLINGS && joint)
        sari_sdf_read_couplings(w->s, scope, node);
    else if (w->phase == COUPLINGS && sari_xml_is(node, "frame"))
        place_frame(w, scope, node);
    else if (w->phase == COLLECT && node->first && !sari_xml_is(node, "pose"))
        sari_import_note_at(w->s->im, node->place, "tags that are not read", "<%.40s>", node->name);
}

static void walk_model(walk* w, const sari_sdf_scope* scope, const sari_xml* model)
{
    SARI_XML_EACH(child, model, NULL) visit(w, scope, child);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* In the world, names have those of their models before them; what all have is not shown. */
static void walk_world(walk* w, const sari_sdf_scope* scope, const sari_xml* world)
{
    int models = 0;
    SARI_XML_EACH(model, world, NULL)
    models += sari_xml_is(model, "model") || sari_xml_is(model, "include");
    SARI_XML_EACH(child, world, NULL)
    {
        if (models > 1 || !sari_xml_is(child, "model")) {
            visit(w, scope, child);
            continue;
        }
        sari_sdf_scope inner =
            scope_inside(w, scope, sari_import_name(w->s->im, child, "name"), child);
        inner.shown = "";
        if (w->phase == COLLECT)
            collect_model(w, scope, &inner, child, sari_xml_child(child, "pose"),
                          sari_xml_get(child, "placement_frame"));
        walk_model(w, &inner, child);
    }
}

static void walk_file(walk* w, const sari_sdf_scope* scope, const sari_xml* root)
{
    const sari_xml *world = sari_xml_child(root, "world"), *model = sari_xml_child(root, "model");
    if (world) {
        walk_world(w, scope, world);
        return;
    }
    sari_sdf_scope inner = *scope;
    inner.is_static = sari_import_truth(text_of(model, "static"), false);
    if (w->phase == COLLECT)
        collect_model(w, NULL, &inner, model, sari_xml_child(model, "pose"),
                      sari_xml_get(model, "placement_frame"));
    walk_model(w, &inner, model);
}

void sari_import_sdf(sari_importer* im, const sari_xml* root)
{
    const sari_xml *world = sari_xml_child(root, "world"), *model = sari_xml_child(root, "model"),
                   *named = world ? world : model;
    const char* version = sari_xml_get(root, "version");
    const sari_sdf_scope scope = {"", "", im->path, version_of(root), false};
    walk w = {.s = sari_import_take(im, sizeof *w.s)};
    if (!w.s) return;
    w.s->im = im;
    im->robot.format = "SDFormat";
    im->robot.gravity[2] = world ? -9.8 : -9.81; // the default of a world
    if (!named) {
        sari_import_error(im, root->place, "the file has neither a <model> nor a <world>");
        return;
    }
    if (!version || scope.version < 1.35 || scope.version > 2.25)
        sari_import_note_at(im, root->place, "versions other than 1.4 to 1.12: read as the nearest",
                            "'%.20s'", version ? version : "none");
    im->robot.name = sari_xml_get(named, "name") ? sari_xml_get(named, "name") : "robot";
    if (world) (void)sari_import_child_numbers(im, world, "gravity", 3, 3, im->robot.gravity);
    for (w.phase = COLLECT; w.phase <= COUPLINGS && (w.phase == COLLECT || !im->failures);
         w.phase++)
        walk_file(&w, &scope, root);
    if (!im->robot.links && !im->failures)
        sari_import_error(im, root->place, "the file has no links");
}
